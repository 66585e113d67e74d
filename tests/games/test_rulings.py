"""Whatever the umpire may set of any unit, by the tables of paths themselves: what is written is found again, is told
to whom it concerns, comes back from the log, and can be played on from. A new path is swept without a word here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.dice import ScriptedDice, Secret
from pbem.engine.events import Record
from pbem.engine.log import apply, decode_records, encode_records
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Resolution
from pbem.engine.rulings import is_hidden, present
from pbem.engine.state import AnyUnit, Link, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.state_paths import NoPath, loads, paths_for, read_path
from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.segments import play_segment
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import submit
from pbem.games.umpire.decree import Decree, override, write
from pbem.games.umpire.limits import verify_limits
from pbem.lab.random_games.invariants import EACH_STRETCH
from pbem.lab.random_games.play import Deal, RandomSegment, Walk, answer
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for
from tests.engine.world import rich

replace = msgspec.structs.replace

FIELD = """
rule = "-"
title = "a ship that holds a freighter and a drone, one that holds a shuttle; drones, plasma, a bomb, a monster"
source = "-"
level = "standard"
impulses = 32
unit = [
    { side = "federation", ship = "std_fed_ca_cth", name = "Con", at = "1010A", prior_speed = 6, state = { "holds A" = "Pig", "holds B" = "KF/1", "photon A" = "arming", "photon B" = "armed", "suicide A" = "arming", "probe A" = "arming", capacitor = 2 } },
    { side = "federation", ship = "std_freighter_small", name = "Pig", at = "1011A" },
    { side = "romulan", ship = "std_rom_kr", name = "Hawk", at = "1510E", prior_speed = 6, state = { "holds A" = "FS/1" } },
    { side = "klingon", ship = "std_kli_d7", name = "Des", at = "1016A" },
    { side = "klingon", ship = "drone", name = "KF/1", at = "1009A", target = "Con", launcher = "Des" },
    { side = "klingon", ship = "drone", name = "KF/2", at = "1015B", target = "Con", launcher = "Des" },
    { side = "romulan", ship = "plasma", name = "RP/1", at = "1412E", target = "Con", launcher = "Hawk" },
    { side = "federation", ship = "shuttle", name = "FS/1", at = "1410A", launcher = "Con", letter = "D", state = { speed = 4 } },
    { side = "federation", ship = "shuttle", name = "FS/2", at = "0817A", launcher = "Con", letter = "C", target = "Des", state = { speed = 6, bomb = 12 } },
    { side = "federation", ship = "shuttle", name = "FS/3", at = "0614A", launcher = "Con", letter = "B", state = { landed = "Rigel" } },
    { side = "monster", ship = "monster", monster = "planet_killer", name = "Killer", at = "0604D", target = "Rigel" },
    { ship = "planet", name = "Rigel", at = "0614", crew = 4 },
]
"""  # noqa: E501
ORDERS = {
    "federation": "SHIP Con\nENERGY\n SPEED 4; TRACTOR A; TRACTOR B; TRANSPORTERS 1; PHASERS 2; PHOT A 2 WARP\n"
    " SUICIDE A 2 WARP; PROBE A 1\nPLOT F\nBREAK IMPULSE 3\nSHIP Pig\nENERGY\n SPEED 0\n",
    "romulan": "SHIP Hawk\nENERGY\n TRACTOR A; PHASERS 3\nDO\n EVERY FIRE ALL AT KF/2\n",
    "klingon": "SHIP Des\nENERGY\n SPEED 6; PHASERS 2; DISR A 2\nPLOT TOWARD Con\nDO\n EVERY FIRE PH 1-2 AT Con\n"
    " IF RANGE <= 8 THEN LAUNCH DRONE 1 AT Con\n",
}
TYPED = (
    "none", "0", "1", "3", "12", "2.5", "1.2", "9.9", "yes", "no", "destroyed", "working", "armed", "arming", "powered",
    "unarmed", "unusable", "armed weapon", "2 3", "cloaked", "staged", "put down", "AB", "1110A", "0812", "C", "Con",
    "Des", "Pig", "Rigel", "FS/2", "KD/1", "klingon", "federation", "removed", "disengaged", "left the map", "captured",
)  # fmt: skip
"""What an umpire might type behind any path: of everything some sense, of most none."""

PINNED = {
    Ship: {
        "at", "hex", "facing", "gone", "speed", "prior speed", "since turn", "since slip", "shield 1", "warp left",
        "PH 1", "fired PH 1", "capacitor", "batteries", "general", "reinforcement 1", "parties", "boarders klingon",
        "taken", "side", "captured from", "mutiny", "passengers", "hangar", "bay used", "suicide A", "probe A",
        "lowered #3", "holds A", "lock on", "cloak",
    },
    Seeker: {"at", "hex", "facing", "gone", "damage", "since turn", "came from", "target", "speed", "warhead",
             "travelled", "endurance"},
    Shuttle: {"at", "hex", "facing", "gone", "speed", "damage", "since turn", "crew", "parties", "landed", "came from",
              "fired", "target", "bomb"},
    Monster: {"at", "hex", "facing", "gone", "speed", "damage", "since turn", "information", "needed", "method",
              "attacked by"},
    Planet: {"damage", "crew"},
}  # fmt: skip
"""The paths that can be set at all: docs/umpire.md promises them."""

HIDDEN = r"capacitor|batteries|general|reinforcement \d|suicide [A-Z]|target|bomb"
"""What only the owner may know, whatever it is set to (D4.1); of weapons and probes it hangs on the value."""


def paths_of(unit: AnyUnit) -> dict[str, str]:
    return (
        paths_for("ship")
        if isinstance(unit, Ship)
        else paths_for("drone")
        if isinstance(unit, Seeker)
        else paths_for("small")
    )


@cache
def field() -> tuple[Case, tuple[tuple[State, tuple[Record, ...]], ...]]:
    """The situation at the beginning of a turn and, some impulses later, at a break."""
    case = msgspec.convert(loads(FIELD), Case)
    before = opening(case, scenario_for(case))
    records, after = play_segment(scenario_for(case), Secret(b"rulings" * 5), before, ORDERS)
    assert after.impulse == 3 and {"Pig", "KF/1", "FS/1"} == {link.target for link in after.links}
    return case, ((before, ()), (after, tuple(records)))


def ruled(state: State, *changes: str, records: tuple[Record, ...] = ()) -> Resolution:
    table = Resolution(state, scenario_for(field()[0]), ScriptedDice(), {})
    write(table, Decree(changes=changes, reason="as agreed"), records)
    return table


@cache
def accepted(moment: int) -> tuple[tuple[AnyUnit, str, str, Resolution], ...]:
    """Every ruling of the sweep that is taken: unit, path, what was typed, and the table after it."""
    return tuple(_sweep(field()[1][moment][0]))


def _sweep(state: State) -> Iterator[tuple[AnyUnit, str, str, Resolution]]:
    for unit in state.units.values():
        for path in paths_of(unit):
            for typed in TYPED:
                try:
                    yield unit, path, typed, ruled(state, f"{unit.name} {path} = {typed}")
                except GameError as error:
                    assert all(fault.text and fault.code for fault in error.faults)


def played(state: State) -> Iterator[str]:
    """Play on to the next request and the one after; what broke on the way."""
    case = field()[0]
    setting = scenario_for(case)
    for number in range(2):
        if state.request is None or state.over:
            return
        answers = {s: answer(random.Random(f"{s} {number}"), state, setting, s) for s in state.request.sides}
        texts = {side: one.text for side, one in answers.items()}
        records, after = play_segment(setting, Secret(b"rulings" * 5), state, texts)
        assert decode_records(encode_records(records)) == records
        stretch = RandomSegment(
            deal=Deal(key="-", number="-", players={}), setting=setting, before=state, answers=answers, records=records,
            after=after,
        )  # fmt: skip
        yield from (f"{each.__name__}: {breach}" for each in EACH_STRETCH for breach in each(Walk(stretch)))
        state = after


@pytest.mark.slow
def test_the_sweep_reaches_every_path_that_may_be_set_and_no_other() -> None:
    swept = [(type(unit), path) for moment in (0, 1) for unit, path, _, _ in accepted(moment)]
    for kind, expected in PINNED.items():
        assert {path for each, path in swept if each is kind} == expected, kind.__name__


def test_every_path_of_the_tables_can_be_looked_at() -> None:
    """Each of a ship, a drone, a torpedo; those of the small units where they have them."""
    state = field()[1][1][0]
    for unit in state.units.values():
        for path in paths_of(unit):
            try:
                found = read_path(state, unit, path)
            except NoPath:
                assert path == "probe A" or not isinstance(unit, Ship | Seeker), (unit.name, path)
            else:
                assert found is not None


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0, 1], ids=["at the beginning of a turn", "at a break"])
def test_what_is_ruled_is_found_and_told_to_whom_it_concerns(moment: int) -> None:
    state, _ = field()[1][moment]
    for unit, path, typed, table in accepted(moment):
        record, told = table.records[0], f"{unit.name} {path} = {typed}"
        [again] = decode_records(encode_records([record]))
        if isinstance(record.event, ev.Adjusted):
            assert table.state.units[unit.name].at == record.event.at != unit.at, told
            assert record.only == "", told
            continue
        event = record.event
        assert isinstance(event, ev.Ruled)
        assert present(table.state, table.state.units[unit.name], event.path, event.value) == _kept(event), told
        if not event.path.startswith("suicide"):  # its energy turn by turn is one of several ways to be armed
            assert _refused(table.state, told) in ("no-change", "out-of-play"), told
        state_then = state
        for one in table.records:
            state_then = apply(state_then, one.event)
        assert replace(state_then, records=table.state.records) == table.state, told
        assert again == record, told
        hidden = _is_secret(unit, event)
        assert is_hidden(state, unit, event.path, event.value) == hidden, told
        assert record.only == (unit.side if hidden else ""), told
        if hidden:
            assert isinstance(record.shown, ev.Ruled)
            assert (record.shown.unit, record.shown.path, record.shown.why) == (unit.name, "", ""), told


def _refused(state: State, change: str) -> str:
    """The code with which a ruling is refused, empty if it is taken."""
    try:
        ruled(state, change)
    except GameError as error:
        return error.faults[0].code
    return ""


def _kept(event: ev.Ruled) -> object:
    """What is found where energy was given turn by turn: its state."""
    if event.path.startswith("suicide") and str(event.value)[:1].isdigit():
        return "armed" if len(str(event.value).split()) > 2 else "arming"
    return event.value


def _is_secret(unit: AnyUnit, event: ev.Ruled) -> bool:
    """Whether this is the owner's alone, said once more: what the displays of others do not show."""
    if isinstance(unit, Monster | Planet):
        return False
    if isinstance(unit, Ship) and event.path in unit.weapons:
        return event.value not in ("destroyed", "working")
    if event.path.startswith("probe"):
        return not isinstance(event.value, int)
    if isinstance(unit, Seeker):
        return False  # unless the option says that targets are secret
    return re.fullmatch(HIDDEN, event.path) is not None


def test_the_target_of_a_seeking_weapon_is_told_as_the_option_has_it() -> None:
    state = field()[1][1][0]
    secret = replace(state, options=replace(state.options, targets="secret"))
    assert ruled(state, "KD/1 target = Pig").records[0].only == ""
    table = ruled(secret, "KD/1 target = Pig")
    assert table.records[0].only == "klingon"
    seeker = table.state.units["KD/1"]
    assert isinstance(seeker, Seeker) and seeker.target == "Pig"


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0, 1], ids=["at the beginning of a turn", "at a break"])
@pytest.mark.parametrize(
    "number", [0, 1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
)
def test_a_heap_of_rulings_is_played_on_from(moment: int, number: int) -> None:
    """One ruling for each path of each unit that stays in play, all at once."""
    state, _ = field()[1][moment]
    choices: dict[tuple[str, str], list[str]] = {}
    for unit, path, typed, _ in accepted(moment):
        if path not in ("gone", "side"):
            choices.setdefault((unit.name, path), []).append(typed)
    count = 0
    for (name, path), words in choices.items():
        try:
            state = ruled(state, f"{name} {path} = {words[number % len(words)]}").state
            count += 1
        except GameError:
            pass  # another ruling of the heap was against it
    assert count > 100
    assert list(played(state)) == []


@pytest.mark.parametrize("change", [
    "Con gone = destroyed", "Pig gone = disengaged", "Hawk gone = left the map", "Des gone = destroyed",
    "KF/1 gone = removed", "FS/1 gone = destroyed", "Killer gone = destroyed", "Con side = klingon",
    "Pig side = romulan",
])  # fmt: skip
def test_a_unit_taken_out_of_play_or_given_away_is_played_on_without(change: str) -> None:
    state, _ = field()[1][1]
    after = ruled(state, change).state
    name = change.split()[0]
    if "gone" in change:
        assert not [link for link in after.links if name in (link.ship, link.target)]
        here = {one for one, unit in after.units.items() if unit.in_play}
        assert after.links == tuple(link for link in state.links if {link.ship, link.target} <= here)
    assert list(played(after)) == []


def test_a_weapon_that_was_ruled_destroyed_and_works_again_is_armed_from_the_first_turn() -> None:
    """Its arming was lost with it, whichever weapon it is."""
    state, _ = field()[1][1]
    for unit in state.ships():
        for name, weapon in unit.weapons.items():
            for typed in ("armed", "arming", "powered"):
                try:
                    armed = ruled(state, f"{unit.name} {name} = {typed}").state
                except GameError:
                    armed = state
                broken = ruled(armed, f"{unit.name} {name} = destroyed").state
                mended = ruled(broken, f"{unit.name} {name} = working").state.units[unit.name]
                assert isinstance(mended, Ship)
                box = mended.weapons[name]
                assert (box.working, box.charge, box.armed_turns, box.destroyed) == (True, "", 0, None), name
                assert box.kind == weapon.kind


def test_a_beam_lets_go_of_what_the_umpire_put_out_of_its_reach() -> None:
    state, _ = field()[1][1]
    table = ruled(state, "Pig hex = 1414")
    case = field()[0]
    records, after = play_segment(scenario_for(case), Secret(b"rulings" * 5), table.state, {"federation": "CONTINUE"})
    [released] = [one.event for one in records if isinstance(one.event, ev.Released) and one.event.target == "Pig"]
    assert "out of its reach" in released.why
    assert not after.holders("Pig")


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0, 1], ids=["at the beginning of a turn", "at a break"])
def test_each_ruling_alone_is_played_on_from(moment: int) -> None:
    """Every sixteenth of them: they are many hundreds, and the heaps of rulings hold one for each path."""
    wrong = [
        (unit.name, path, typed, breach)
        for unit, path, typed, table in accepted(moment)[moment::16]
        for breach in played(table.state)
    ]
    assert wrong == []


# --- through a folder ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_heap_of_rulings_in_a_folder_is_verified_and_played_on_from(at_break: GameFolder, tmp_path: Path) -> None:
    """With the command's own work: what the log holds is replayed, before and after play went on."""
    changes: list[str] = []
    for unit in at_break.state().units.values():
        for path in paths_of(unit):
            for typed in ("1", "armed", "yes", "2.5", "1.1", "klingon"):
                change = f"{unit.name} {path} = {typed}"
                if path in ("side", "hex", "at"):
                    continue
                try:
                    write(_table(at_break), Decree(changes=(*changes, change), reason="a"), at_break.effective())
                except GameError:
                    continue
                changes.append(change)
                break
    assert len(changes) > 30
    override(at_break, Decree(changes=tuple(changes), reason="as agreed"))
    assert verify(at_break).faults == ()
    before = at_break.state()
    submit(at_break, "GAME duel TURN 1 SIDE klingon REPLY 3\nCONTINUE\nEND\n", "k3.txt")
    resolve_game(at_break)
    assert at_break.state().records > before.records
    assert verify(at_break).faults == ()


def _table(game: GameFolder) -> Resolution:
    return Resolution(game.state(), game.scenario(), ScriptedDice(), {})


def _first_refused(state: State, unit: AnyUnit, path: str) -> str:
    """Where numbers of a path end, in the words of the refusal; nothing where they do not."""
    for number in range(100):
        try:
            verify_limits(state, unit, path, number)
        except NoPath as error:
            return f"{number}: {error}"
    return ""


def _bounds(state: State, unit: AnyUnit) -> Iterator[str]:
    paths = set(paths_of(unit))
    words = ["", "1.0", "1.1", "1.2", "1.3", "1.4", "2.1", "0101", "9901", "klingon", "nobody", *state.units]
    if isinstance(unit, Ship):
        paths |= {*unit.boxes, *unit.weapons, *(f"shield {n}" for n in range(8)), "class", "captured from"}
        paths |= {f"{first} {rest}" for first in ("holds", "probe", "suicide") for rest in "ABCD"}
        paths |= {f"boarders {side}" for side in (*state.sides, "nobody")}
        words += ["2 3", "1 4", "A", "A, B", "Z", "abcd", "ABCDE"]
    for path in sorted(paths):
        if told := _first_refused(state, unit, path):
            yield f"  {path} = {told}"
        refused: dict[str, list[str]] = {}
        for value in words:
            try:
                verify_limits(state, unit, path, value)
            except NoPath as error:
                refused.setdefault(str(error).replace(value, "~") if value else str(error), []).append(value)
        for told, values in refused.items():
            yield f"  {path} = {' | '.join(values)}: {told}"
    for half in (0.5, 1.5, 2.0, 99.5):
        for path in ("batteries", "capacitor", "speed"):
            try:
                verify_limits(state, unit, path, half)
            except NoPath as error:
                yield f"  {path} = {half}: {error}"


@pytest.mark.slow
def test_what_no_unit_can_have_is_told_as_it_was(as_kept: Callable[[str, str], None]) -> None:
    """Where the numbers of each path end, and which words it does not take, of every kind of unit, at a break; of a
    ship with a weapon and a probe the more, of one without shuttle boxes, and of shuttles and drones in other states.
    """
    state = field()[1][1][0]
    con, shuttle, drone = state.units["Con"], state.units["FS/1"], state.units["KF/2"]
    assert isinstance(con, Ship) and isinstance(shuttle, Shuttle) and isinstance(drone, Seeker)
    bare = {box: many for box, many in con.boxes.items() if box not in ("shuttle", "battery", "tractor")}
    others: dict[str, AnyUnit] = {
        "without shuttle, battery and tractor": replace(con, boxes=bare),
        "hit": replace(con, boxes={**con.boxes, "shuttle": 1, "battery": 1, "tractor": 1}),
        "manned": altered(shuttle, parties=1),
        "landed": altered(shuttle, landed="Rigel", crew=0, parties=0),
        "on the planet's hex": replace(shuttle, hex="0614"),
    }
    lines = []
    for name in state.units:
        lines += [name, *_bounds(state, state.units[name])]
    for name, unit in others.items():
        lines += [name, *_bounds(state, unit)]
    gone = replace(state, units={**state.units, "Des": replace(state.units["Des"], gone=UnitFate.DESTROYED)})
    lines += ["while Des is gone", *_bounds(gone, drone)]
    whole = replace(state, options=replace(state.options, fractional=not state.options.fractional))
    lines += ["the other reckoning of energy", *(line for line in _bounds(whole, con) if "batter" in line)]
    first = field()[1][0][0]
    lines += ["at the beginning of the turn", *(line for line in _bounds(first, con) if "play has come" in line)]
    as_kept("limits.txt", "\n".join(lines) + "\n")


def test_who_else_holds_a_unit_is_named() -> None:
    """It is held by the ship itself, too, and by that first."""
    state, con = rich(), rich().units["Con"]
    held = [Link(ship=ship, beam="A", target="KD/1", since=20) for ship in ("Con", "Des")]
    verify_limits(replace(state, links=tuple(held[:1])), con, "holds A", "KD/1")
    with pytest.raises(NoPath, match=r"KD/1 is held by Des \(G7\.4\)"):
        verify_limits(replace(state, links=tuple(held)), con, "holds B", "KD/1")
