"""Whatever captains order, some things hold: random games of `pbem soak`, and random duels of scenario #5 by seed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
import pytest

from pbem.ai.robot import RobotCommander
from pbem.data.scenarios import Scenario, scenario
from pbem.engine import events as ev
from pbem.engine.dice import Secret, SegmentDice
from pbem.engine.events import Record
from pbem.engine.log import encode_records
from pbem.engine.on_file import unit_from_file, unit_on_file
from pbem.engine.options import Options
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Ship, State
from pbem.games.segments import play_segment
from pbem.lab.random_games import invariants as places, invariants as scoring, invariants as stores
from pbem.lab.random_games.invariants import Knowledge
from pbem.lab.random_games.play import Opening, Walk, answer, deal, opening, stretches

GAMES = ("5-0-1", "6-0-2", "11-0-1")
"""Random games; `pbem soak` plays thousands, under these and more invariants."""
MORE = ("8-0-2", "9-0-1", "12-0-1")
"""Longer ones, for the slow part."""

SEEDS = range(3)
TURNS = 5
FATE = (ev.GameStarted, ev.OrdersFiled, ev.SegmentBegan, ev.Requested, ev.Stopped, ev.Broke, ev.OrderTold)
"""Events that tell of options and mail, not of what befell the units."""

replace = msgspec.structs.replace


# --- the four properties ----------------------------------------------------------------------------------------------


@cache
def game(key: str) -> tuple[Opening, list[Walk]]:
    begun = opening(deal(key))
    return begun, [Walk(stretch) for stretch in stretches(begun, turns=8)]


def breaches(key: str, *invariants: Callable[[Walk], Iterator[str]]) -> list[str]:
    return [breach for walk in game(key)[1] for each in invariants for breach in each(walk)]


each_game = pytest.mark.parametrize("key", [*GAMES, *(pytest.param(key, marks=pytest.mark.slow) for key in MORE)])


@pytest.mark.slow
def test_the_games_are_worth_playing() -> None:
    """The orders are no dead letters: everything the other tests look at happens in some game."""
    happened = Counter(type(event) for key in (*GAMES, *MORE) for walk in game(key)[1] for event in walk.happened)
    for kind in (
        ev.Fired, ev.Launched, ev.Impact, ev.Volley, ev.InternalHit, ev.ReserveSpent, ev.Broke, ev.Destroyed,
        ev.EnergyAllotted, ev.Tractored, ev.Towed, ev.Transported, ev.ShieldLowered, ev.ShuttleLaunched, ev.Learned,
        ev.Attacked,
    ):  # fmt: skip
        assert happened[kind], kind.__name__


@each_game
def test_reinforcement_shields_and_internals_take_all_damage_and_no_more(key: str) -> None:
    assert not breaches(
        key,
        scoring.volleys_are_what_struck,
        scoring.every_point_goes_somewhere,
        scoring.shields_stop_what_they_have,
        scoring.every_internal_point_destroys_a_box,
    )


@each_game
def test_energy_is_never_created(key: str) -> None:
    assert not breaches(key, stores.energy_is_never_created, stores.stores_fit_their_boxes)


@each_game
def test_no_unit_is_in_two_places(key: str) -> None:
    assert not breaches(key, places.every_unit_is_in_one_place, places.the_gone_stay_gone)


@each_game
def test_a_sides_view_never_holds_the_others_secrets(key: str) -> None:
    begun, walks = game(key)
    knowledge = Knowledge(begun)
    for walk in walks:
        knowledge.learn(walk)
        assert not [*knowledge.only_its_side_is_told(walk), *knowledge.secrets_stay_secret(walk)]
        assert not [*knowledge.what_is_public_is_known(walk)]


SILENT = (ev.GameStarted, ev.OrdersFiled, ev.SegmentBegan, ev.Requested, ev.Stopped, ev.Broke, ev.OrderTold)
"""Events of mail and orders; everything else happens by some rule."""

BY_RULE: dict[type[ev.Event], set[str]] = {
    ev.TurnBegan: {"B2.0"},
    ev.TurnEnded: {"B2.0"},
    ev.EnergyAllotted: {"B3.0"},
    ev.Chose: {"B3.0", "D4.223", "FD1.2", "G7.13", "J1.5"},
    ev.Turned: {"C3.1", "F2.0", "scenario #11"},
    ev.Moved: {"C1.4", "C4.2", "F2.0", "scenario #11"},
    ev.Maneuvered: {"C5.0"},
    ev.Fired: {"E1.3", "E2.4", "E3.3", "E4.12"},
    ev.Volley: {"D4.22"},
    ev.Damaged: {"D3.21"},
    ev.InternalHit: {"D4.22", "D4.0", "scenario #3"},
    ev.Destroyed: {"D4.4", "FD1.54", "scenario #11"},
    ev.Launched: {"FD1.2"},
    ev.SeekerDamaged: {"FD1.54"},
    ev.Repaired: {"D9.2"},
    ev.ReserveSpent: {"H7.1", "H7.2"},
    ev.Learned: {"G4.1", "J2.212"},
    ev.Attacked: {"scenario #11"},
    ev.Towed: {"G7.31C"},
    ev.Tractored: {"G7.3"},
    ev.Transported: {"G8.1"},
    ev.ShieldLowered: {"G8.22", "G8.23"},
    ev.ShieldRaised: {"G8.22"},
    ev.ShuttleLaunched: {"J1.5"},
}
"""Of kinds of happening that are plain, the rules they are told with."""


@each_game
def test_everything_that_happens_is_told_with_its_rule(key: str) -> None:
    for walk in game(key)[1]:
        for event in walk.happened:
            assert event.rule or isinstance(event, SILENT), event
            assert event.rule in BY_RULE.get(type(event), {event.rule}), event


# --- the same game, asked for otherwise -------------------------------------------------------------------------------


class Game(msgspec.Struct, frozen=True):
    records: list[Record]
    state: State
    segments: int


def body(text: str) -> list[str]:
    """The one block of a ship's orders, without header and END."""
    lines = text.split("\n")
    return lines[next(place for place, line in enumerate(lines) if line.startswith("SHIP ")) : lines.index("END")]


def split(lines: list[str]) -> tuple[list[str], list[str]]:
    """The energy form of a block, and the rest of it."""
    heads = ("PLOT", "COURSE", "DO", "BREAK", "DAMAGE")
    form = next((place for place, line in enumerate(lines) if line.split(" ")[0] in heads), len(lines))
    return lines[:form], [lines[0], *lines[form:]]


def some_breaks(rng: random.Random, enemy: str) -> Iterator[str]:
    yield "BREAK"
    yield f"  RANGE {enemy} <= {rng.randint(1, 15)}"
    yield f"  IMPULSE {rng.randint(1, 16)}"
    others = ["INTERNALS", "ENEMY FIRES", "ENEMY LAUNCHES", "SEEKER WITHIN 2", "NOT ENEMY FIRES"]
    yield from (f"  {text}" for text in rng.sample(others, 3))


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
    setting: Scenario = scenario(number)
    if mirrored:
        setting = replace(setting, sides=setting.sides[::-1], units=setting.units[::-1])
    options = options or Options(reveal="none", autobreaks=())
    begun = set_up(setting, "random", players=robots or {}, options=options)
    records, state, segments = list(begun.records), begun.state, 0
    dice = SegmentDice(seed.encode())
    later: dict[str, str] = {}
    while not state.over and state.request is not None and state.request.turn <= turns:
        request = state.request
        answers = {}
        for side in request.sides[::-1] if mirrored else request.sides:
            if request.form == "SOP":
                answers[side] = Filed(text=later.pop(side, "CONTINUE"))
                continue
            rng = random.Random(f"{seed} {request.turn} {side}")
            asked = replace(state, request=replace(request, form="FULL"))
            lines = body(answer(rng, asked, setting, side, breaks=0).text)
            if request.form == "EAF":
                lines, rest = split(lines)
                later[side] = "\n".join([*rest, ""])
            if breaks:
                enemy = next(ship.name for ship in state.ships() if ship.side != side)
                lines += some_breaks(rng, enemy)
            answers[side] = Filed(text="\n".join([*lines, ""]))
        step = resolve(state, setting, answers, dice, robots=RobotCommander)
        records += step.records
        state, segments = step.state, segments + 1
    return Game(records, state, segments)


@cache
def straight(seed: int) -> Game:
    return played(f"duel {seed}", options=Options(reveal="none", autobreaks=(), targets="secret"))


each_duel = pytest.mark.parametrize("seed", SEEDS)


def fate(game: Game) -> list[ev.AnyEvent]:
    return [record.event for record in game.records if not isinstance(record.event, FATE)]


@each_duel
def test_a_break_answered_with_continue_changes_nothing(seed: int) -> None:
    options = Options(reveal="none", autobreaks=(), targets="secret")
    stopped, whole = played(f"duel {seed}", breaks=True, options=options), straight(seed)
    assert stopped.segments > whole.segments
    assert fate(stopped) == fate(whole)
    assert stopped.state.units == whole.state.units


@each_duel
def test_energy_forms_sent_before_the_rest_change_nothing(seed: int) -> None:
    options = Options(reveal="speeds", autobreaks=(), targets="secret")
    assert fate(played(f"duel {seed}", options=options)) == fate(straight(seed))


@pytest.mark.parametrize("options", [{"period": "4"}, {"targets": "secret"}, {"boundary": "die"}])
def test_nothing_depends_on_what_is_named_first(options: dict[str, str]) -> None:
    given = msgspec.convert({"reveal": "none", "autobreaks": [], **options}, Options)
    one, other = (played("mirror", breaks=True, mirrored=way, options=given) for way in (False, True))
    assert encode_records(one.records) == encode_records(other.records)


def turned_round(state: State) -> State:
    """The same state, whose parts are kept in the opposite of the order of their names."""

    def round_(part: Any, *fields: str) -> Any:
        return replace(part, **{name: dict(sorted(getattr(part, name).items(), reverse=True)) for name in fields})

    inside = ("boxes", "weapons", "boarders", "lowered", "released", "bombs", "probes", "repairing")
    units = {
        name: unit_from_file(round_(unit_on_file(unit), *inside)) if isinstance(unit, Ship) else unit
        for name, unit in state.units.items()
    }
    links = tuple(sorted(state.links, key=lambda link: (link.ship, link.beam), reverse=True))
    return round_(replace(state, units=units, links=links), "units", "sides", "serials", "standing")  # type: ignore[no-any-return]


@each_game
def test_nothing_depends_on_the_order_in_which_the_state_keeps_its_parts(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything that happens at one moment is told in an order of its own, whatever was launched, linked or named
    first: each stretch of the games is played again, with the state turned round before every step.
    """
    tick = Resolution.tick

    def tick_turned_round(table: Resolution) -> None:
        tick(table)
        table.state = turned_round(table.state)

    begun, walks = game(key)
    monkeypatch.setattr(Resolution, "tick", tick_turned_round)
    for walk in walks:
        texts = {side: one.text for side, one in walk.stretch.answers.items()}
        records, _ = play_segment(begun.setting, Secret(begun.deal.secret), turned_round(walk.before), texts)
        assert encode_records(records) == encode_records(walk.stretch.records)


@pytest.mark.parametrize(
    ("number", "side"), [("4", "klingon"), ("5", "klingon"), ("6", "federation"), ("6", "romulan")]
)
@pytest.mark.parametrize("seed", range(2))
def test_the_robot_never_leaves_the_map(number: str, side: str, seed: int) -> None:
    game = played(f"robot {seed}", number=number, robots={side: "robot"}, turns=7)
    mine = {unit.name for unit in game.state.units.values() if isinstance(unit, Ship) and unit.side == side}
    left = [r.event for r in game.records if isinstance(r.event, ev.Removed) and r.event.unit in mine]
    assert mine and left == []
