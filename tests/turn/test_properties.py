"""Whatever two captains order, some things hold: random duels of scenario #5, played through by seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

import msgspec
import pytest

from pbem.data.scenarios import Scenario, scenario
from pbem.game import events as ev
from pbem.game.dice import SegmentDice
from pbem.game.events import Record
from pbem.game.fold import fold, fold_records
from pbem.game.log import decode_records, decode_state, encode_records, encode_state
from pbem.game.options import Options
from pbem.game.state import Request, Seeker, Ship, State
from pbem.orders.reader import read_orders
from pbem.robot.captain import RobotCaptain
from pbem.rules import hexes
from pbem.rules.capacitor import capacity
from pbem.turn.check import check
from pbem.turn.resolve import Filed, resolve
from pbem.turn.setup import set_up

SEEDS = range(4)
TURNS = 5
FATE = (ev.GameStarted, ev.OrdersFiled, ev.SegmentBegan, ev.Requested, ev.Stopped, ev.Broke, ev.OrderTold)
"""Events that tell of options and mail, not of what befell the units."""

ACTS = (
    ev.Moved, ev.Turned, ev.Fired, ev.Launched, ev.Impact, ev.Volley, ev.Damaged, ev.SeekerDamaged, ev.Destroyed,
    ev.Removed,
)  # fmt: skip
"""What befalls or is done by a unit in play."""


# --- captains who order anything --------------------------------------------------------------------------------------


def some_energy(rng: random.Random, ship: Ship) -> Iterator[str]:
    warp = sum(count for box, count in ship.boxes.items() if box.startswith("warp"))
    speed = rng.randint(0, min(16, ship.speed + 8, warp))
    room = int(capacity(ship.weapons) - ship.capacitor)
    yield f"  PHASERS {rng.randint(0, max(0, room))}"
    for name, weapon in sorted(ship.weapons.items()):
        if weapon.kind == "disruptor" and weapon.working and rng.random() < 0.6:
            yield f"  {name} 2"
        elif weapon.kind == "photon" and weapon.working and rng.random() < 0.8:
            yield f"  {name} {'HOLD' if weapon.charge == 'armed' else '2'}"
    shield = rng.randint(1, 6)
    if ship.shields[shield - 1] and rng.random() < 0.4:
        yield f"  REINFORCE #{shield} WITH {rng.randint(1, 2)}"
    if rng.random() < 0.3:
        yield f"  GENERAL {rng.randint(1, 4)}"
    if ship.batteries < ship.boxes.get("battery", 0) and rng.random() < 0.5:
        yield "  RECHARGE 1"
    yield f"  SPEED {speed}"


def some_orders(rng: random.Random, ship: Ship, enemy: str) -> Iterator[str]:
    codes = [rng.choice((*"FFFFFFFFFLLRR", "SL", "SR")) for _ in range(rng.randint(0, 8))]
    yield "PLOT " + " ".join([*codes, rng.choice([f"TOWARD {enemy}", f"KEEP {enemy} IN FA", f"AWAY FROM {enemy}"])])
    if rng.random() < 0.5:
        yield f"  IF RANGE {enemy} <= {rng.randint(1, 5)} THEN {rng.choice('LR')}"
    yield "DO"
    for name, weapon in sorted(ship.weapons.items()):
        if weapon.kind == "drone_rack":
            yield f"  IF IMPULSE >= {rng.randint(1, 16)} THEN LAUNCH {name} AT {enemy}"
    yield f"  IF RANGE {enemy} <= {rng.randint(1, 10)} THEN FIRE {rng.choice(['ALL', 'HEAVY', 'ALL PH'])} AT {enemy}"
    yield f"  EVERY IF SEEKER WITHIN {rng.randint(0, 3)} THEN FIRE ONE OF PH 1,2,3 AT EACH"
    yield f"  LAST FIRE ALL AT {enemy} IF RANGE <= {rng.randint(4, 20)}"
    for shield in rng.sample(range(1, 7), 3):
        yield f"  RESERVE UP TO {rng.randint(1, 2)} TO #{shield}" + rng.choice(["", " IF INTERNALS > 0"])
    yield "DAMAGE"
    yield f"  {rng.choice(['WEAPON PH 1 LAST', 'ENGINE IMPULSE FIRST', 'HULL', 'OTHER LAB FIRST'])}"


def some_breaks(rng: random.Random, enemy: str) -> Iterator[str]:
    yield "BREAK"
    yield f"  RANGE {enemy} <= {rng.randint(1, 15)}"
    yield f"  IMPULSE {rng.randint(1, 16)}"
    others = ["INTERNALS", "ENEMY FIRES", "ENEMY LAUNCHES", "SEEKER WITHIN 2", "NOT ENEMY FIRES"]
    yield from (f"  {text}" for text in rng.sample(others, 3))


def legal(state: State, setting: Scenario, request: Request, side: str, lines: list[str]) -> bool:
    reading = read_orders("\n".join(lines), header=False)
    return not reading.faults and not check(state, setting, request, side, reading.orders).faults


def whole_orders(state: State, setting: Scenario, request: Request, side: str, seed: str) -> list[str]:
    """Random orders that may be filed; as much of them as the check lets through."""
    rng = random.Random(f"{seed} {request.turn} {side}")
    request = msgspec.structs.replace(request, form="FULL")
    ship = next(ship for ship in state.ships() if ship.side == side)
    enemy = next(unit.name for _, unit in sorted(state.units.items()) if isinstance(unit, Ship) and unit.side != side)
    head = [f"SHIP {ship.name}", "ENERGY"]
    energy = ["  SPEED 0"]
    for _ in range(20):
        tried = list(some_energy(rng, ship))
        if legal(state, setting, request, side, head + tried):
            energy = tried
            break
    for _ in range(20):
        tried = list(some_orders(rng, ship, enemy))
        if legal(state, setting, request, side, head + energy + tried):
            return head + energy + tried
    plain = [f"PLOT TOWARD {enemy}", "DO", f"  IF RANGE {enemy} <= 8 THEN FIRE ALL AT {enemy}"]
    return head + energy + plain


# --- games ------------------------------------------------------------------------------------------------------------


class Game(msgspec.Struct, frozen=True):
    setting: Scenario
    records: list[Record]
    state: State
    states: list[State]


def played(
    seed: str,
    *,
    turns: int = TURNS,
    breaks: bool = False,
    mirrored: bool = False,
    options: Options | None = None,
    robots: Mapping[str, str] | None = None,
    number: str = "5",
) -> Game:
    """A game by seed. ``breaks`` adds breaks, each answered CONTINUE; ``mirrored`` names everything backwards."""
    setting = scenario(number)
    if mirrored:
        setting = msgspec.structs.replace(setting, sides=setting.sides[::-1], units=setting.units[::-1])
    options = options or Options(reveal="none", autobreaks=())
    opening = set_up(setting, "random", players=robots or {}, options=options)
    records, state, states = list(opening.records), opening.state, [opening.state]
    dice = SegmentDice(seed.encode())
    later: dict[str, list[str]] = {}
    while not state.over and state.request is not None and state.request.turn <= turns:
        request = state.request
        answers = {}
        for side in request.sides[::-1] if mirrored else request.sides:
            if request.form == "SOP":
                answers[side] = Filed(text="\n".join(later.pop(side)) + "\n" if side in later else "CONTINUE")
                continue
            lines = whole_orders(state, setting, request, side, seed)
            if request.form == "EAF":
                form = next(place for place, line in enumerate(lines) if line.startswith("PLOT"))
                later[side] = [lines[0], *lines[form:]]
                lines = lines[:form]
            if breaks:
                enemy = "Destruction" if side == "federation" else "Constellation"
                lines += some_breaks(random.Random(f"{seed} {request.turn} {side} breaks"), enemy)
            answers[side] = Filed(text="\n".join(lines) + "\n")
        step = resolve(state, setting, answers, dice, robots=RobotCaptain)
        records += step.records
        state = step.state
        states.append(state)
    return Game(setting, records, state, states)


@cache
def duel(seed: int) -> Game:
    """A game with breaks, all of them answered CONTINUE."""
    return played(f"duel {seed}", breaks=True, options=Options(reveal="none", autobreaks=(), targets="secret"))


@cache
def straight(seed: int) -> Game:
    """The same game without breaks."""
    return played(f"duel {seed}", options=Options(reveal="none", autobreaks=(), targets="secret"))


each_duel = pytest.mark.parametrize("seed", SEEDS)


def fate(game: Game) -> list[ev.AnyEvent]:
    return [record.event for record in game.records if not isinstance(record.event, FATE)]


# --- what holds -------------------------------------------------------------------------------------------------------


def test_the_duels_are_worth_playing() -> None:
    """The orders are no dead letters: everything the other tests look at happens in some duel."""
    happened = Counter(type(record.event) for seed in SEEDS for record in duel(seed).records)
    for kind in (
        ev.Fired, ev.Launched, ev.Impact, ev.Volley, ev.InternalHit, ev.ReserveSpent, ev.SeekerDamaged, ev.Broke,
        ev.Destroyed,
    ):  # fmt: skip
        assert happened[kind] > 1, kind.__name__
    assert any(r.event.general for s in SEEDS for r in duel(s).records if isinstance(r.event, ev.Damaged))
    assert any(r.event.specific for s in SEEDS for r in duel(s).records if isinstance(r.event, ev.Damaged))


@each_duel
def test_every_point_of_a_volley_goes_somewhere(seed: int) -> None:
    destroyed = {r.event.unit for r in duel(seed).records if isinstance(r.event, ev.Destroyed)}
    struck: Counter[tuple[object, ...]] = Counter()
    announced: dict[tuple[object, ...], int] = {}
    boxes: Counter[tuple[object, ...]] = Counter()
    scored: dict[tuple[object, ...], ev.Damaged] = {}
    for record in duel(seed).records:
        event = record.event
        match event:
            case ev.Fired(target=unit, shield=shield, points=points) if points and shield:
                struck[event.turn, event.impulse, "resolve", unit, shield] += points
            case ev.Impact(target=unit, shield=shield, points=points) if shield:
                struck[event.turn, event.impulse, "impact", unit, shield] += points
            case ev.Volley(unit=unit, shield=shield, points=points):
                announced[event.turn, event.impulse, event.step, unit, shield] = points
            case ev.Damaged(unit=unit, shield=shield):
                where = event.turn, event.impulse, event.step, unit, shield
                scored[where] = event
                assert event.general + event.specific + event.boxes + event.internals == announced[where]
            case ev.InternalHit(unit=unit):
                boxes[event.turn, event.impulse, event.step, unit] += 1
    assert announced == dict(struck)
    internals: Counter[tuple[object, ...]] = Counter()
    for (turn, impulse, step, name, _), damaged in scored.items():
        internals[turn, impulse, step, name] += damaged.internals
    for place, points in internals.items():
        assert boxes[place] == points or (place[3] in destroyed and boxes[place] < points)


@each_duel
def test_units_move_from_hex_to_hex_and_the_gone_do_nothing(seed: int) -> None:
    state = State()
    gone: set[str] = set()
    moved: set[tuple[str, int]] = set()
    for event in (record.event for record in duel(seed).records):
        if isinstance(event, ev.Moved):
            unit = state.units[event.unit]
            now = (event.turn - 1) * state.impulses + event.impulse
            assert (event.unit, now) not in moved
            moved.add((event.unit, now))
            assert event.came_from == unit.hex
            assert hexes.distance(unit.hex, event.at[:4], state.grid) == 1
        if isinstance(event, ACTS):
            assert event.unit not in gone, event
        state = fold([event], state)
        if isinstance(event, ev.Destroyed | ev.Removed):
            gone.add(event.unit)
        for unit in state.in_play():
            assert hexes.on_map(unit.hex, state.map), unit


@each_duel
def test_stores_stay_within_their_boxes(seed: int) -> None:
    for state in duel(seed).states:
        for ship in state.ships():
            assert 0 <= ship.capacitor <= capacity(ship.weapons)
            assert 0 <= ship.batteries <= ship.boxes["battery"]
            assert all(count >= 0 for count in (*ship.boxes.values(), *ship.shields, *ship.reinforcement, ship.general))
            assert not any(weapon.charge for weapon in ship.weapons.values() if not weapon.working)


@each_duel
def test_state_is_the_fold_of_the_log_and_survives_the_files(seed: int) -> None:
    game = duel(seed)
    assert fold_records(game.records) == game.state
    assert decode_records(encode_records(game.records)) == game.records
    assert decode_state(encode_state(game.state)) == game.state


def public(ship: Ship) -> object:
    weapons = {name: (w.kind, w.working, w.fired, w.ammo) for name, w in ship.weapons.items()}
    return ship.at, ship.gone, ship.speed, ship.shields, ship.boxes, ship.internals, ship.track, ship.marks, weapons


@each_duel
def test_a_side_sees_its_own_ships_whole_and_of_the_others_what_is_public(seed: int) -> None:
    game = duel(seed)
    for side in ("federation", "klingon", ""):
        seen = [event for record in game.records if (event := ev.seen_by(record, side)) is not None]
        known = fold(seen)
        for name, unit in game.state.units.items():
            found = known.units[name]
            if unit.side == side:
                assert found == unit
                continue
            if isinstance(unit, Seeker):
                assert isinstance(found, Seeker)
                assert found == msgspec.structs.replace(unit, target="")
                continue
            assert isinstance(found, Ship)
            assert isinstance(unit, Ship)
            assert public(found) == public(unit)
            assert not any(weapon.charge or weapon.armed_turns for weapon in found.weapons.values())
            assert (found.capacitor, found.general, found.reinforcement) == (0, 0, (0,) * 6)
            assert (found.allotted, found.repairing) == ((), {})
            assert found.batteries == min(2, unit.boxes["battery"])  # as everybody's at the start
        for other, standing in known.standing.items():
            if other != side:
                assert (standing.text, standing.flown, standing.spent) == ("", {}, ())
        for event in seen:
            match event:
                case ev.EnergyAllotted(unit=owner) | ev.OrderTold(unit=owner) | ev.Chose(unit=owner):
                    assert game.state.units[owner].side == side
                case ev.ReserveSpent(unit=owner):
                    assert game.state.units[owner].side == side
                case ev.Fired(unit=owner, energy=energy):
                    assert bool(energy) == (game.state.units[owner].side == side)
                case ev.Broke(side=owner, condition=condition):
                    assert bool(condition) == (owner == side)


@each_duel
def test_a_break_answered_with_continue_changes_nothing(seed: int) -> None:
    stopped, whole = duel(seed), straight(seed)
    assert len(stopped.states) > len(whole.states)
    assert fate(stopped) == fate(whole)
    assert stopped.state.units == whole.state.units


@each_duel
def test_energy_forms_sent_before_the_rest_change_nothing(seed: int) -> None:
    options = Options(reveal="speeds", autobreaks=(), targets="secret")
    assert fate(played(f"duel {seed}", options=options)) == fate(straight(seed))


@pytest.mark.parametrize("options", [{"period": "4"}, {"period": "half"}, {"targets": "secret"}, {"boundary": "die"}])
def test_nothing_depends_on_what_is_named_first(options: dict[str, str]) -> None:
    given = msgspec.convert({"reveal": "none", "autobreaks": [], **options}, Options)
    one, other = (played("mirror", breaks=True, mirrored=way, options=given) for way in (False, True))
    assert encode_records(one.records) == encode_records(other.records)


@pytest.mark.parametrize(
    ("number", "side"), [("4", "klingon"), ("5", "klingon"), ("6", "federation"), ("6", "romulan")]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_robot_never_leaves_the_map(number: str, side: str, seed: int) -> None:
    game = played(f"robot {seed}", number=number, robots={side: "robot"}, turns=7)
    mine = {unit.name for unit in game.state.units.values() if isinstance(unit, Ship) and unit.side == side}
    left = [r.event for r in game.records if isinstance(r.event, ev.Removed) and r.event.unit in mine]
    assert mine and left == []
