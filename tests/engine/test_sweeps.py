"""Wide tables of what single functions of the turn answer, whole: every place, every fate, every weapon at once.

    python tests/engine/test_sweeps.py      writes the tables of tests/engine/sweeps/ anew; read what changed

What a captain decides is held against a second reading elsewhere (test_helm.py); here stands what any change of the
answer would change, edges of the map, ties and refusals included.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import permutations, product
from pathlib import Path
from typing import Any

import msgspec
import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.ai.robot import (  # noqa: E402
    PRIMARY_FIRE,
    RobotCommander,
    ScriptedCommander,
)
from pbem.data.scenarios import Scenario, scenario  # noqa: E402
from pbem.data.ships import ship_class, ship_keys  # noqa: E402
from pbem.data.terms import MutinyState, PulseKind, StepName, UnitFate  # noqa: E402
from pbem.engine import events as ev  # noqa: E402
from pbem.engine.dice import SegmentDice  # noqa: E402
from pbem.engine.on_file import altered  # noqa: E402
from pbem.engine.options import Options  # noqa: E402
from pbem.engine.play.breaks import ships_about_to_leave  # noqa: E402
from pbem.engine.play.order_executor import OrdersCommander  # noqa: E402
from pbem.engine.play.periods import pulses_for, pulses_of, pulses_since_move  # noqa: E402
from pbem.engine.play.resolution import Resolution  # noqa: E402
from pbem.engine.play.setup import set_up  # noqa: E402
from pbem.engine.state import AnyUnit, Planet, Position, Pulse, Seeker, Ship, Shuttle, State  # noqa: E402
from pbem.engine.step_names import ORDER  # noqa: E402
from pbem.engine.steps import engineer as engineering, science  # noqa: E402
from pbem.engine.steps.damage import Blow, procedure, resolve_volleys  # noqa: E402
from pbem.engine.steps.firing import Magazine, declare, verify_shot, worth_firing  # noqa: E402
from pbem.engine.steps.plasma import feedback_of  # noqa: E402
from pbem.engine.steps.sensors import guided_by, scanner_factor, sensor_rating  # noqa: E402
from pbem.engine.steps.steering import keeps_room, legal_codes, pilot_code  # noqa: E402
from pbem.engine.victory import verdict, victory_conditions  # noqa: E402
from pbem.errors import NotAllowed  # noqa: E402
from pbem.lab.rule_cases.format import Case  # noqa: E402
from pbem.lab.rule_cases.play import opening, scenario_for  # noqa: E402
from pbem.orders import model as om  # noqa: E402
from pbem.orders.model import Pilot, UnitRef  # noqa: E402
from pbem.orders.reader import read_orders  # noqa: E402
from pbem.rules import hexes  # noqa: E402
from pbem.rules.weapons import family  # noqa: E402

HERE = Path(__file__).with_name("sweeps")
replace = msgspec.structs.replace


def pick(many: int, *about: object) -> int:
    """A number below ``many`` that hangs on what it is about, and on nothing else."""
    return int.from_bytes(sha256(" ".join(map(str, about)).encode()).digest()[:4]) % many


def situation(*units: dict[str, Any], **facts: Any) -> tuple[State, Scenario]:
    case = msgspec.convert({"rule": "B2.0", "title": "t", "source": "s", "unit": units, **facts}, Case)
    setting = scenario_for(case)
    return opening(case, setting), setting


def put(state: State, name: str, **changes: object) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **changes)})


def ship_of(state: State, name: str) -> Ship:
    unit = state.units[name]
    assert isinstance(unit, Ship)
    return unit


# --- how scenarios end -----------------------------------------------------------------------------------------------

FATES: dict[str, dict[str, object]] = {
    "in play": {},
    "destroyed": {"gone": UnitFate.DESTROYED},
    "disengaged": {"gone": UnitFate.DISENGAGED},
    "left": {"gone": UnitFate.LEFT},
    "conceded": {"gone": UnitFate.CONCEDED},
    "taken": {},
    "in mutiny": {"mutiny": MutinyState.STAGED},
}


def fated(state: State, unit: AnyUnit, fate: str) -> AnyUnit:
    """The unit as that fate leaves it; what is no ship is in play, destroyed or gone."""
    if isinstance(unit, Planet):
        return altered(unit, **FATES["in play" if fate == "in play" else "destroyed"])
    if not isinstance(unit, Ship):
        return altered(unit, **FATES[fate])
    if fate == "taken":
        enemy = next(side for side in sorted(state.sides) if state.enemies(side, unit.side))
        return altered(unit, side=enemy, captured_from=unit.side)
    return altered(unit, **FATES[fate])


def endings() -> Iterator[str]:
    """Units of every scenario meet their fates, in many mixtures, in the middle of a turn and after the last one."""
    for number in map(str, range(1, 13)):
        setting = scenario(number)
        begun = set_up(setting, "test", players={}, options=Options()).state
        mark = setting.victory.mark
        for mixture in range(36):
            state, told = begun, []
            calm = mixture % 3 == 0
            for name, unit in sorted(begun.units.items()):
                fate = list(FATES)[pick(len(FATES), number, mixture, name)]
                if (calm and pick(2, "calm", number, mixture, name)) or (isinstance(unit, Seeker) and mixture % 2):
                    fate = "in play" if calm else "destroyed"
                if not isinstance(unit, Ship) and fate != "destroyed":
                    fate = "left" if fate == "left" and isinstance(unit, Seeker) else "in play"
                unit = fated(begun, unit, fate)
                if isinstance(unit, Ship) and pick(2, "aboard", number, mixture, name):
                    unit = altered(unit, passengers=2, marks=(mark,) if mark else ())
                    told.append(f"{name} {fate} with people")
                elif fate != "in play":
                    told.append(f"{name} {fate}")
                state = replace(state, units={**state.units, name: unit})
            before = ""
            for turn, last in ((1, False), (max(1, setting.victory.last_turn), True)):
                table = Resolution(replace(state, turn=turn), setting, SegmentDice(b"t"), {})
                ends = "; ".join(f"{one.side} {one.result}: {one.why}" for one in verdict(table, last=last)) or "-"
                same = "the same" if ends == before else ends
                yield f"#{number} turn {turn}{' over' if last else ''}: {', '.join(told) or 'nothing'} -> {same}"
                before = ends


# --- where to fly ----------------------------------------------------------------------------------------------------

CRUISER = {"side": "federation", "ship": "fed_cadet_ca", "name": "Con", "at": "1009A", "prior_speed": 8}
ROCK = {"ship": "planet", "name": "Rock", "at": "1007"}
SMALL = {"map": ["0101", "1212"]}


def at(state: State, name: str, hex_: str, facing: str, **more: object) -> tuple[State, Ship]:
    state = put(state, name, hex=hex_, facing=facing, **more)
    return state, ship_of(state, name)


def room() -> Iterator[str]:
    """Of a small map with a planet, by hex: the codes that may be flown in each facing, and those that keep room."""
    begun, _ = situation(CRUISER, ROCK, **SMALL)
    for column, row in product((1, 2, 3, 6, 11, 12), (1, 2, 3, 6, 7, 11, 12)):
        for speed, since in ((4, 0), (8, 2), (16, 99), (16, 1)):
            parts = []
            for facing in hexes.FACINGS:
                state, ship = at(
                    begun, "Con", f"{column:02}{row:02}", facing, speed=speed, since_turn=since, since_slip=since
                )
                legal = legal_codes(state, ship)
                parts.append("".join(f"{code}{'' if keeps_room(state, ship, code) else '!'} " for code in legal) or "-")
            yield f"{column:02}{row:02} speed {speed} since {since}: " + "| ".join(parts)


PILOTS = (
    Pilot(how="toward", unit=UnitRef(how="hex", name="1007")), Pilot(how="away", unit=UnitRef(how="hex", name="0606")),
    Pilot(how="toward", unit=UnitRef(how="edge", name="B")), Pilot(how="away", unit=UnitRef(how="edge", name="F")),
    Pilot(how="toward", unit=UnitRef(how="edge", name="A")), Pilot(how="away", unit=UnitRef(how="edge", name="D")),
    Pilot(how="keep shield", unit=UnitRef(how="hex", name="0606"), shield=3),
    Pilot(how="keep arc", unit=UnitRef(how="hex", name="0606"), arc="RS"),
    Pilot(how="keep range", unit=UnitRef(how="hex", name="0606"), low=2, high=4),
)  # fmt: skip


def pilots() -> Iterator[str]:
    """The code each pilot flies, at the edges and in the middle, with and without leave to go off the map."""
    begun, _ = situation(CRUISER, ROCK, **SMALL)
    for pilot in PILOTS:
        for hex_ in ("0101", "0112", "1201", "1212", "0601", "0612", "0106", "1206", "0606", "0906", "1008"):
            flown = []
            for since, leaving in product((0, 99), (False, True)):
                codes = []
                for facing in hexes.FACINGS:
                    state, ship = at(begun, "Con", hex_, facing, speed=8, since_turn=since, since_slip=since)
                    goal = pilot.unit.name if pilot.unit.how == "hex" else ""
                    codes.append(pilot_code(state, ship, pilot, goal, leaving))
                flown.append(" ".join(codes))
            yield f"{pilot.how} {pilot.unit.name} at {hex_}: " + " | ".join(flown)


def robots() -> Iterator[str]:
    """The code a robot flies, before and after its Primary Fire Point, by where its enemy is."""
    war = {"side": "klingon", "ship": "kli_cadet_d6", "name": "War", "at": "0606A", "prior_speed": 12}
    begun, setting = situation(CRUISER, war, ROCK, robot=["klingon"], **SMALL)
    robot = RobotCommander("klingon")
    for place, since, marks in product(("0606", "0102", "1212"), (0, 99), ((), (PRIMARY_FIRE,))):
        for facing in hexes.FACINGS:
            flown = []
            for enemy in (
                "0602",
                "0703",
                "0805",
                "0806",
                "0808",
                "0709",
                "0610",
                "0509",
                "0407",
                "0405",
                "0504",
                "0606",
            ):
                state, _ = at(begun, "Con", enemy, "D")
                state, ship = at(state, "War", place, facing, speed=12, since_turn=since, since_slip=99, marks=marks)
                table = Resolution(state, setting, SegmentDice(b"robot"), {"klingon": robot})
                flown.append(robot.steer(table, ship, state).code)
            past = "past" if marks else "before"
            yield f"{place}{facing} since {since} {past} its fire point: {' '.join(flown)}"


# --- what may fire, and at what --------------------------------------------------------------------------------------


def refusals(state: State, target: str, impulse: int, *, reserve: bool = False, battery: bool = False) -> Iterator[str]:
    """Of each weapon of the ship, what is left to it, or why it may not fire."""
    state = replace(state, turn=1, impulse=impulse)
    con = ship_of(state, "Con")
    for spec in ship_class(con.ship).weapons:
        try:
            full = Magazine(con, False)
            shot = verify_shot(state, con, spec.name, state.units[target], full, reserve=reserve, battery=battery)
            yield f"{spec.name} {shot.energy}"
        except NotAllowed as refused:
            yield f"{spec.name} {refused.code}"


def shots() -> Iterator[str]:
    """Each weapon of a cruiser at each target from each side, paid for in each way."""
    state: dict[str, Any] = {"photon A": "armed", "photon B": "arming", "photon C": "destroyed", "PH 2": "destroyed"}
    state |= {"fired PH 3": "0.32", "fired PH 4": "0.25", "fired PH 5": "1.1", "fired photon A": "0.20"}
    begun, _ = situation(
        {"side": "federation", "ship": "std_fed_ca_cth", "name": "Con", "at": "1009A", "state": state},
        {"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": "1005D"},
        {"side": "federation", "ship": "std_fed_ca_cth", "name": "Lex", "at": "2009A"},
        {"side": "klingon", "ship": "drone", "name": "KD/1", "at": "1005D", "target": "Con", "launcher": "Des"},
        {"side": "klingon", "ship": "shuttle", "name": "KS/1", "at": "1005D", "launcher": "Des"},
        {"side": "romulan", "ship": "std_rom_we", "name": "Owl", "at": "2801D"},
        {"side": "romulan", "ship": "plasma", "name": "RP/1", "at": "1005D", "target": "Con", "launcher": "Owl"},
        {"ship": "planet", "name": "Rock", "at": "1212"},
        level="standard",
        impulses=32,
    )
    ways: tuple[dict[str, bool], ...] = ({}, {"reserve": True}, {"battery": True})
    for target, where in product(("Des", "KD/1", "KS/1", "RP/1", "Lex"), ("1009", "1008", "1107", "1415", "0612")):
        for capacitor, paid in product((0.0, 1.0), ways):
            now = put(begun, target, hex=where)
            now = put(now, "Con", capacitor=capacitor)
            how = next(iter(paid), "capacitor")
            yield f"{target} in {where}, {capacitor} in the capacitor, {how}: " + ", ".join(
                refusals(now, target, 2, **paid)
            )
    without = replace(begun, options=replace(begun.options, reinforcement=False))
    for paid, capacitor in product(ways[1:], (0.0, 1.0)):
        now = put(without, "Con", capacitor=capacitor)
        how = next(iter(paid))
        yield f"Des without reserve power, {capacitor}, {how}: " + ", ".join(refusals(now, "Des", 2, **paid))
    for impulse in (1, 7, 8, 9, 32):
        yield f"Des in impulse {impulse}: " + ", ".join(refusals(put(begun, "Con", capacitor=6.0), "Des", impulse))
    for changes in ({"unpaid": ("FIRE CONTROL",)}, {"captured_from": "klingon"}, {"disabled": ("PH 1", "PHOT A")}):
        now = put(begun, "Con", capacitor=6.0, **changes)
        yield f"Con with {changes}: " + ", ".join(refusals(now, "Des", 2))


# --- ships without a form, and what a ship sees ----------------------------------------------------------------------


def speeds() -> Iterator[str]:
    """The speed of ships without an energy form, by what was asked for and what damage has left."""
    for number in ("1", "2", "3", "8"):
        setting = scenario(number)
        begun = set_up(setting, "test", players={}, options=Options()).state
        for name, unit in sorted(begun.units.items()):
            if not isinstance(unit, Ship) or engineering.has_form(setting, unit):
                continue
            for taken, internals in product(("", "convoy"), (0, 3, 4, 5, 7, 8, 9, 11, 12, 15)):
                ship = altered(unit, internals=internals, captured_from=taken)
                answers = []
                for asked in (None, 0, 2, 3, 4, 5, 8, 9):
                    try:
                        answers.append(str(engineering.readied(ship, setting, 1, asked).speed))
                    except NotAllowed as refused:
                        answers.append(refused.code)
                yield f"#{number} {name} {taken or 'free'} after {internals}: {' '.join(answers)}"


def arming() -> Iterator[str]:
    """Weapons of ships without an energy form at the start of turns, by when they fired."""
    for number, side in (("1", "federation"), ("2", "federation"), ("3", "klingon")):
        setting = scenario(number)
        begun = set_up(setting, "test", players={}, options=Options()).state
        ship = next(ship for ship in begun.ships() if ship.side == side)
        for turn, fired in product((1, 2, 3, 4), (None, 1, 8, 9, 16, 17)):
            weapons = {name: replace(box, fired=fired) for name, box in ship.weapons.items()}
            now = engineering.readied(replace(ship, weapons=weapons), setting, turn)
            boxes = ", ".join(f"{name} {box.charge or '-'} {box.armed_turns}" for name, box in now.weapons.items())
            yield f"#{number} turn {turn} fired {fired}: capacitor {now.power.capacitor}, {boxes}"


def sensors() -> Iterator[str]:
    """Sensor rating and scanner factor of every ship, by the boxes that are left of its tracks."""
    for key in ship_keys():
        begun, _ = situation({"side": "federation", "ship": key, "name": "Con", "at": "1009A"}, level="standard")
        ship = ship_of(begun, "Con")
        seen = []
        for left in range(8):
            now = replace(ship, boxes={**ship.boxes, "sensor": left, "scanner": left})
            seen.append(f"{sensor_rating(now)}/{scanner_factor(now)}")
        yield f"{key}: {' '.join(seen)}"


def guided() -> Iterator[str]:
    """What each of two ships guides: its own drones and suicide shuttles, and nobody else's, nor manned ones."""
    bomb = {"state": {"bomb": 6}, "target": "Des", "side": "federation", "ship": "shuttle", "at": "1010A"}
    cruiser = {"side": "federation", "ship": "std_fed_ca_cth"}
    begun, _ = situation(
        {**cruiser, "name": "Con", "at": "1009A"},
        {**cruiser, "name": "Lex", "at": "1109A"},
        {"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": "1005D"},
        {"side": "klingon", "ship": "drone", "name": "KD/2", "at": "1007D", "target": "Con", "launcher": "Des"},
        {"side": "klingon", "ship": "drone", "name": "KD/1", "at": "1007D", "target": "Con", "launcher": "Des"},
        {**bomb, "name": "FS/1", "launcher": "Con", "launched": "0.20"},
        {**bomb, "name": "FS/2", "launcher": "Lex", "launched": "0.21"},
        {**bomb, "name": "FS/4", "launcher": "Con", "launched": "0.19"},
        {"side": "federation", "ship": "shuttle", "name": "FS/3", "at": "1011A", "launcher": "Con"},
        level="standard",
        impulses=32,
    )
    for ship in begun.ships():
        yield f"{ship.name}: {' '.join(unit.name for unit in guided_by(begun, ship))}"


# --- duels of several, scripts, crews that wait, weapons worth firing ------------------------------------------------

DUEL = {
    "Ace": ("federation", "1005D"), "Bee": ("federation", "1105D"), "Cat": ("klingon", "1010A"),
    "Dog": ("klingon", "1110A"), "Elk": ("romulan", "2010A"),
}  # fmt: skip


def duels() -> Iterator[str]:
    """Two ships of one side, against two, and a third side: who has won, by what became of each, and of a torpedo."""
    ships = [
        {"side": side, "ship": "std_fed_ca_cth", "name": name, "at": at} for name, (side, at) in list(DUEL.items())
    ]
    torpedo = {"side": "romulan", "ship": "plasma", "name": "RP/1", "at": "2009A", "target": "Ace", "launcher": "Elk"}
    facts: dict[str, Any] = {"level": "standard", "impulses": 32}
    rules = scenario("5")
    for many in (2, 4, 5):
        begun, _ = situation(*ships[:many], **facts)
        hunted, _ = situation(*ships, torpedo, **facts)
        for mixture in range(12 if many == 2 else 120):
            state = hunted if many == 5 and mixture % 5 == 0 else begun
            told = ["RP/1 flies"] if state is hunted else []
            for name in list(DUEL)[:many]:
                fate = list(FATES)[pick(len(FATES), many, mixture, name)]
                if (many == 2 or mixture % 4 == 0) and fate in ("taken", "in mutiny"):
                    fate = "destroyed"
                if mixture % 3 == 0 and name in ("Cat", "Dog") and pick(3, "calm", mixture):
                    fate = "in play"
                state = replace(state, units={**state.units, name: fated(begun, begun.units[name], fate)})
                told.append(f"{name} {fate}")
            ends = verdict(Resolution(state, rules, SegmentDice(b"t"), {}))
            yield f"{', '.join(told)} -> {'; '.join(f'{one.side} {one.result}: {one.why}' for one in ends) or '-'}"


def scripts() -> Iterator[str]:
    """What the freighters of scenario #3 fly and fire: by impulse, by column, and only with their phasers."""
    setting = scenario("3")
    begun = set_up(setting, "test", players={}, options=Options()).state
    captain = ScriptedCommander("convoy", setting)
    freighters = [ship for ship in begun.ships() if ship.side == "convoy"]
    drone = Seeker(
        name="KD/1", side="klingon", race="klingon", hex="0408", facing="E", weapon="drone", speed=8,
        target=freighters[0].name, launcher="Destruction", launched=-8, endurance=99, came_from="0407",
    )  # fmt: skip
    for ship, hex_, enemy in product(freighters, ("0106", "0407", "1508", "1608"), ("0507", "1808")):
        state = put(put(begun, "Destruction", hex=enemy), ship.name, capacitor=1.0)
        state, placed = at(state, ship.name, hex_, "B")
        for others in ((), (drone, replace(drone, name="KD/2", hex="0409"))):
            now = replace(state, units={**state.units, **{each.name: each for each in others}})
            table = Resolution(now, setting, SegmentDice(b"t"), {"convoy": captain})
            fired = []
            for impulse, doing in product(range(1, 9), (om.Fire, om.Launch, om.Cloak)):
                for intent in captain.intends(table, placed, replace(now, impulse=impulse), doing):
                    fires = intent.order.does[0]
                    assert isinstance(fires, om.Fire)
                    fired.append(f"{impulse} {doing.__name__} {' '.join(fires.weapons)} at {fires.target.name}")
            steers = " ".join(
                captain.steer(table, replace(placed, facing=facing), now).code for facing in hexes.FACINGS
            )
            yield f"{ship.name} in {hex_}, {enemy}, {len(others)} drones: {steers}; {'; '.join(fired) or 'no fire'}"
    taken = altered(ship_of(begun, "Destruction"), side="convoy", captured_from="klingon")
    table = Resolution(begun, setting, SegmentDice(b"t"), {"convoy": captain})
    meant = captain.intends(table, taken, replace(begun, impulse=2), om.Fire)
    yield f"a prize without a script: {captain.steer(table, taken, begun).code}; {meant or 'no fire'}"


def waiting() -> Iterator[str]:
    """Which shuttle takes a crew aboard that waits on a planet (J2.211): manned, empty, the rescuers', on it."""
    setting = scenario("9")
    goal = setting.victory.goal
    begun = set_up(setting, "test", players={}, options=Options()).state
    other = next((name for name, unit in sorted(begun.units.items()) if isinstance(unit, Planet) and name != goal), "")
    for landed, side, target, people, left in product(
        (goal, other, ""), ("federation", "klingon"), ("", "Destruction"), ((0, 0), (1, 0), (0, 1), (0, 2)), (0, 1, 2)
    ):
        boats = {
            name: Shuttle(
                name=name, side=side, race=side, hex="1509", facing="A", landed=landed, target=target,
                crew=people[0], parties=people[1], launcher="Constellation", letter="A", launched=-20,
            )
            for name in ("FS/2", "FS/1")
        }  # fmt: skip
        state = put(replace(begun, units={**begun.units, **boats}), goal, crew=left)
        table = Resolution(state, setting, SegmentDice(b"t"), {})
        victory_conditions(setting).in_bays(table)
        told = [f"{one.event.unit} {one.event.crew}" for one in table.records if isinstance(one.event, ev.Boarded)]
        what = f"on {landed or 'no planet'}, {side}, {target or 'manned'}, {people[0]} and {people[1]} aboard"
        yield f"{what}, {left} wait: {', '.join(told) or 'nobody'}"


def spans(numbers: list[int]) -> str:
    """Numbers in their order, those that follow each other as ``2-12``."""
    ends = [n for n in numbers if n + 1 not in numbers]
    begins = [n for n in numbers if n - 1 not in numbers]
    return " ".join(f"{first}-{last}" for first, last in zip(begins, ends, strict=True))


def worth() -> Iterator[str]:
    """Each weapon at a ship and at a drone, by range: whether any die could score, through asteroids as well."""
    enemy = {"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": "1001D"}
    drone = {"side": "klingon", "ship": "drone", "name": "KD/1", "at": "1001D", "target": "Con", "launcher": "Des"}
    for key in ("std_fed_ca_cth", "std_kli_d7", "std_kli_d6", "fed_cadet_ca"):
        ship = {"side": "federation", "ship": key, "name": "Con", "at": "1032A"}
        for rocks in ([], ["1031"], ["1031", "1030"]):
            field = [{"ship": "asteroids", "hexes": rocks}] if rocks else []
            state, _ = situation(ship, enemy, drone, *field, level="standard", impulses=32, map=["0101", "2032"])
            con = ship_of(state, "Con")
            for target, penalty in (("Des", True), ("KD/1", True), ("KD/1", False)):
                found: dict[str, list[int]] = {}
                for row in range(32, 0, -1):
                    now = put(state, target, hex=f"10{row:02}")
                    for box in con.weapons:
                        if not family(con.weapons[box].kind).ammunition:
                            reach = found.setdefault(con.weapons[box].kind, [])
                            if worth_firing(now, con, box, now.units[target], penalty) and 32 - row not in reach:
                                reach.append(32 - row)
                where = ", ".join(f"{kind} {spans(reach)}" for kind, reach in found.items())
                yield f"{key} through {len(rocks)} at {target}{'' if penalty else ' as at a ship'}: {where}"


def labs() -> Iterator[str]:
    """Who learns of the monster at the end of a turn (G4.1, J2.212): ships with their shuttles, shuttles alone."""
    setting = scenario("11")
    begun = set_up(setting, "test", players={"federation": "Ann"}, options=Options()).state
    begun = put(begun, "Planet Killer", hex="0601", facing="D", track=(Position(0, "0601", "D"),))
    con = at(begun, "Constellation", "0604", "A", track=(Position(0, "0604", "A"),))[1]
    boat = Shuttle(
        name="FS/1", side="federation", race="federation", hex="0603", facing="A", launcher=con.name, letter="A",
        launched=-20, track=(Position(0, "0603", "A"),),
    )  # fmt: skip
    ships = {
        "with the ship": (con,),
        "without the ship": (replace(con, gone=UnitFate.DESTROYED),),
        "beside a ship that lies still": (altered(con, immobile=True),),
        "beside a prize": (altered(con, side="monster", captured_from="federation"),),
        "with two ships": (con, replace(con, name="Lexington", hex="0605", track=(Position(0, "0605", "A"),))),
    }
    fleets = {
        "no boat": (), "a boat": (boat,),
        "two boats": (boat, replace(boat, name="FS/2", hex="0606", track=(Position(0, "0606", "A"),))),
        "a bomb": (replace(boat, target="Planet Killer"),), "a boat of nobody's": (replace(boat, launcher="Gone"),),
        "two of theirs": (boat, replace(boat, name="FS/2", launcher="Lexington")),
    }  # fmt: skip
    for (what, there), (boats, out), known in product(ships.items(), fleets.items(), (0, 1)):
        state = replace(begun, units={**begun.units, **{unit.name: unit for unit in (*there, *out)}}, turn=1)
        table = Resolution(put(state, "Planet Killer", method=known), setting, SegmentDice(b"labs"), {})
        science.end_of_turn(table)
        told = [record.event for record in table.records]
        learned = [
            f"{one.unit} {one.labs} at {one.range}, {one.die}: {one.points} of {one.total} ({one.rule})"
            for one in told
            if isinstance(one, ev.Learned)
        ]
        yield f"{boats} {what}{', method known' if known else ''}: {'; '.join(learned) or 'nothing'}"


def procedures() -> Iterator[str]:
    """The damage procedure of ships of either kind in every scenario."""
    begun, _ = situation(CRUISER)
    for number in map(str, range(1, 13)):
        kinds = {key: replace(ship_of(begun, "Con"), ship=key) for key in ("fed_cadet_ca", "std_fed_ca_cth")}
        yield f"#{number}: " + ", ".join(f"{key} {procedure(scenario(number), ship)}" for key, ship in kinds.items())


BLOWS = (
    Blow(target="Des", shield=3, points=4, source="Con"),
    Blow(target="Con", shield=4, points=3, source="Des"),
    Blow(target="KD/1", shield=0, points=4, source="Con"),
    Blow(target="Con", shield=2, points=7, source="KD/2"),
    Blow(target="Con", shield=1, points=3, source="Dev"),
    Blow(target="Con", shield=1, points=2, source="Des"),
)


def volleys() -> Iterator[str]:
    """What strikes in one step, listed in many orders: announced, reinforced and scored all alike (D4.22, H7.2)."""
    klingon = {"side": "klingon", "ship": "kli_cadet_d6"}
    drone = {"side": "klingon", "ship": "drone", "at": "1009D", "target": "Con", "launcher": "Des"}
    begun, setting = situation(
        {**CRUISER, "state": {"batteries": 2, "shield 2": 3}},
        {**klingon, "name": "Des", "at": "1005D"},
        {**klingon, "name": "Dev", "at": "1105D"},
        {**drone, "name": "KD/1"},
        {**drone, "name": "KD/2"},
    )
    orders = "SHIP Con\nDO\n  RESERVE UP TO 2 TO #1\n  RESERVE UP TO 1 TO #4\n"
    captain = OrdersCommander("federation", read_orders(orders, header=False).orders)
    begun = put(begun, "Con", general=4)
    told = set()
    for blows in list(permutations(BLOWS))[::7]:
        table = Resolution(
            replace(begun, turn=1, impulse=1, step=StepName.RESOLVE),
            setting,
            SegmentDice(b"t"),
            {"federation": captain},
        )
        resolve_volleys(table, list(blows))
        told.add("\n".join(short(record.event) for record in table.records))
    (all_alike,) = told
    yield from all_alike.split("\n")


# --- what a step sees, and where a plot leads ------------------------------------------------------------------------


def windows() -> Iterator[str]:
    """What an order and a plot may look back at (pulses), in each step, by when the unit has moved last."""
    begun, _ = situation(CRUISER, {"side": "klingon", "ship": "kli_cadet_d6", "name": "Des", "at": "1003D"}, impulses=8)
    boat = Shuttle(
        name="FS/1", side="federation", race="federation", hex="1009", facing="A", launcher="Con", letter="A",
        launched=-20,
    )  # fmt: skip
    begun = replace(begun, units={**begun.units, "FS/1": boat})
    steps = [StepName.LOCK_ON, StepName.MOVE, StepName.SHUTTLES, StepName.FIRE, StepName.RESOLVE]
    seen = tuple(
        Pulse(moment=moment, step=step, what=PulseKind.FIRED, unit=f"{moment} {step}")
        for moment in range(5, 12)
        for step in steps
    )
    for name, impulse, turn in product(("Con", "FS/1"), (1, 2, 3), (1, 2)):
        for moved in ((), (6,), (8,), (9,), (10,), (6, 10), (11,)):
            now = put(begun, name, track=tuple(Position(moment=one, hex="1009", facing="A") for one in moved))
            now = replace(now, turn=turn, impulse=impulse, recent=seen)
            found = [pulse.unit for pulse in pulses_since_move(now, now.units[name])]
            yield f"{name} turn {turn} impulse {impulse} moved {moved}: {found[0] if found else '-'}, {len(found)}"
    now = replace(begun, turn=2, impulse=2, recent=seen)
    for step in (one for one in StepName if one in ORDER):
        found = [pulse.unit for pulse in pulses_for(now, step)]
        of = [pulse.unit for pulse in pulses_of(now, step)]
        yield f"{step}: {found[0] if found else '-'} to {found[-1] if found else '-'}, {len(found)}; itself {of}"


PLOTS = ("PLOT F", "PLOT LF", "PLOT TOWARD Des", "PLOT LEAVE MAP", "COURSE 1A", "PLOT F L", "")


def leavings() -> Iterator[str]:
    """Who gets a break because of the edge or a planet, by place, facing and plot; boats as well."""
    begun, setting = situation(
        CRUISER, {"side": "klingon", "ship": "kli_cadet_d6", "name": "Des", "at": "0606D"}, ROCK, **SMALL
    )
    boat = Shuttle(
        name="FS/1", side="federation", race="federation", hex="0602", facing="A", launcher="Con", letter="A",
        launched=-20, speed=16,
    )  # fmt: skip
    begun = replace(begun, units={**begun.units, "FS/1": boat}, impulse=1)
    for plot in PLOTS:
        text = f"SHIP Con\n{plot}\n"
        captain = OrdersCommander("federation", read_orders(text, header=False).orders)
        for hex_, since in product(("0101", "0102", "0601", "0602", "1201", "1202", "1112", "1008", "0606"), (0, 9)):
            told = []
            for facing in hexes.FACINGS:
                state, _ = at(begun, "Con", hex_, facing, speed=16, since_turn=since, since_slip=since)
                state = put(state, "FS/1", facing=facing, straight=since)
                table = Resolution(state, setting, SegmentDice(b"t"), {"federation": captain})
                told.append(" ".join(unit.name for unit in ships_about_to_leave(table, 2)) or "-")
            yield f"{plot or 'no plot'} in {hex_} since {since}: {' | '.join(told)}"


def joined() -> Iterator[str]:
    """FIREs joined by AND, all or nothing; what was fired and what is said of the rest."""
    begun, setting = situation(
        {"side": "federation", "ship": "std_fed_ca_cth", "name": "Con", "at": "1009A",
         "state": {"photon A": "armed", "capacitor": 2}},
        {"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": "1005D"},
        {"side": "klingon", "ship": "std_kli_d7", "name": "Vex", "at": "1013A"},
        level="standard", impulses=32,
    )  # fmt: skip
    ways = ("PH 1 AT Des", "PHOT A AT Des", "PHOT B AT Des", "PH 5 AT Des", "ALL PH AT Vex", "PH 1 AT ENEMY DRONE",
            "PH 1, PH 2, PH 3 AT Des", "PHOT A AT Vex")  # fmt: skip
    for one, other in product(ways, ways):
        for text in (f"FIRE {one} AND FIRE {other}", f"FIRE {one}\n  FIRE {other}"):
            captain = OrdersCommander("federation", read_orders(f"SHIP Con\nDO\n  {text}\n", header=False).orders)
            table = Resolution(
                replace(begun, turn=1, impulse=1, step=StepName.FIRE), setting, SegmentDice(b"t"),
                {"federation": captain, "klingon": OrdersCommander("klingon", om.Orders())},
            )  # fmt: skip
            try:
                declare(table)
            except (NotAllowed, KeyError) as error:
                yield f"{text!r}: {error}"
                continue
            yield f"{text!r}: " + "; ".join(short(record.event) for record in table.records)


def feedbacks() -> Iterator[str]:
    """What a torpedo that strikes where it was launched costs its launcher, by who has been where since (FP1.8)."""
    begun, _ = situation(
        {"side": "romulan", "ship": "std_rom_we", "name": "Owl", "at": "1009A"},
        {"side": "klingon", "ship": "std_kli_d7", "name": "Des", "at": "1009D"},
        {"side": "romulan", "ship": "plasma", "name": "RP/1", "at": "1009D", "target": "Des", "launcher": "Owl"},
        level="standard", impulses=32,
    )  # fmt: skip
    tracks = ((), ((3, "1009"),), ((3, "1010"), (4, "1009")), ((4, "1009"), (5, "1010"), (6, "1009")), ((5, "1010"),),
              ((2, "1009"), (4, "1009")), ((3, "1009"), (4, "1010")))  # fmt: skip
    for target, launcher, launched_in in product(tracks, tracks, ("1009", "1010", "")):
        state = begun
        for name, moves in (("Des", target), ("Owl", launcher)):
            track = tuple(Position(moment=moment, hex=hex_, facing="A") for moment, hex_ in moves)
            state = put(state, name, track=track, hex=moves[-1][1] if moves else "1009")
        state = put(state, "RP/1", launched=4, launched_in=launched_in)
        seeker = state.units["RP/1"]
        assert isinstance(seeker, Seeker)
        points = feedback_of(state, seeker, state.units["Des"])
        yield f"{launched_in or 'nowhere'}, Des {target}, Owl {launcher}: {points}"


def short(event: ev.Event) -> str:
    """An event in a line: what it is, and what it says beside when."""
    facts = msgspec.to_builtins(event)
    return " ".join(
        str(value) for key, value in facts.items() if key not in ("turn", "impulse", "step", "rule") and value
    )


TABLES: tuple[Callable[[], Iterator[str]], ...] = (
    endings, room, pilots, robots, shots, speeds, arming, sensors, guided, duels, labs, scripts, waiting, worth,
    procedures, volleys, windows, leavings, joined, feedbacks,
)  # fmt: skip


@pytest.mark.parametrize("table", TABLES, ids=[table.__name__ for table in TABLES])
def test_the_whole_table_is_what_is_kept(table: Callable[[], Iterator[str]]) -> None:
    kept = (HERE / f"{table.__name__}.txt").read_text(encoding="utf-8").splitlines()
    assert list(table()) == kept


if __name__ == "__main__":
    for each in TABLES:
        text = "".join(f"{line}\n" for line in each())
        (HERE / f"{each.__name__}.txt").write_text(text, encoding="utf-8", newline="\n")
