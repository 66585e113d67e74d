"""Every kind of event, folded into a state in which there is something of everything: all that changes, and no more.

``folded.txt`` holds a block for each: what it is about, events as JSON (turn 2, impulse 5, step ``fire`` where they do
not say; only the last one's changes are told), and every part of the state that is not what it was before. Lines with
``*`` do not change for a reader who knows of no unit, those with ``?`` only for him.
``python -m tests.engine.test_fold`` writes the changes anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from pbem.engine import events as ev, state as states
from pbem.engine.log import apply, decode_records, encode_records, fold, fold_records
from pbem.engine.on_file import IN_MEMORY, ShipOnFile
from pbem.engine.options import Options
from pbem.engine.state import Ship, State
from tests.engine.world import differences, rich

FILE = Path(__file__).with_name("folded.txt")
WHEN = {"turn": 2, "impulse": 5, "step": "fire"}


@cache
def blocks() -> dict[str, tuple[list[str], list[str]]]:
    """Of each block the events and the changes."""
    found = {}
    for block in FILE.read_text(encoding="utf-8").strip().split("\n\n"):
        title, *lines = block.splitlines()
        given = [line for line in lines if line.startswith("{")]
        assert title.startswith("# ") and title not in found, title
        found[title] = given, [line for line in lines if line not in given]
    return found


def events(given: list[str]) -> list[Any]:
    return [msgspec.convert({**WHEN, **msgspec.json.decode(line)}, ev.AnyEvent) for line in given]


def told(given: list[str]) -> list[str]:
    *earlier, last = events(given)
    blank = msgspec.structs.replace(rich(), units={}, links=(), standing={}, request=None)
    knowing, knowing_not = (
        differences(before := fold(earlier, begin), apply(before, last)) for begin in (rich(), blank)
    )
    only = [f"? {line}" for line in knowing_not if line not in knowing]
    return [("  " if line in knowing_not else "* ") + line for line in knowing] + only


@pytest.mark.parametrize(("impulse", "used"), [(0, False), (1, True), (5, True)])
def test_a_beam_whose_target_is_gone_has_worked_if_an_impulse_was_played(impulse: int, used: bool) -> None:
    """However the target went: destroyed, off the map, disengaged (G7.13)."""
    start, at = rich(), {**WHEN, "impulse": impulse}
    before = start.units["Con"]
    assert isinstance(before, Ship) and "A" not in before.this_turn.beams_used
    gone = (
        {"event": "destroyed"},
        *({"event": "removed", "how": how, "why": "x"} for how in ("left the map", "removed")),
    )
    for told_of in gone:
        event: Any = msgspec.convert({**at, **told_of, "unit": "KD/1"}, ev.AnyEvent)
        con = apply(start, event).units["Con"]
        assert isinstance(con, Ship) and ("A" in con.this_turn.beams_used) is used, told_of


def test_where_a_beam_took_a_unit_along_is_known_until_the_turn_is_over() -> None:
    towed: Any = {"event": "towed", "unit": "Con", "at": "1205C", "by": "Gorn", "came_from": "1204"}
    after = apply(rich(), msgspec.convert({**WHEN, "impulse": 6, **towed}, ev.AnyEvent))
    con = after.units["Con"]
    assert con.track[-1].moment in con.towed and con.flown == con.track[:-1]
    began: Any = {"event": "turn_began", "turn": 3, "impulse": 0, "step": "energy"}
    con = apply(after, msgspec.convert(began, ev.AnyEvent)).units["Con"]
    assert con.towed == () and con.flown == con.track


@pytest.mark.parametrize("title", blocks())
def test_an_event_changes_what_it_must_and_nothing_else(title: str) -> None:
    given, changes = blocks()[title]
    assert told(given) == changes


def test_every_kind_of_event_is_folded_somewhere() -> None:
    folded = {type(event) for given, _ in blocks().values() for event in events(given)}
    assert folded == set(get_args(ev.AnyEvent))


def silent(kinds: Iterable[type[ev.Event]]) -> list[str]:
    """The events that do not say what they do to a state, or say it twice: by ``apply``, or as a notice."""
    return [kind.__name__ for kind in kinds if issubclass(kind, ev.Notice) == ("apply" in vars(kind))]


def test_an_event_says_what_it_does_to_a_state_or_that_it_only_tells_something() -> None:
    class Forgotten(ev.Event, frozen=True):
        unit: str = ""

    families = {*ev.Event.__subclasses__(), *ev.Notice.__subclasses__()} - {ev.Notice, Forgotten}
    assert families == set(get_args(ev.AnyEvent)), "every event may stand in a log"
    assert silent(families) == []
    assert silent([Forgotten]) == ["Forgotten"]


def test_an_event_is_read_as_it_was_written_and_nothing_is_written_that_is_as_usual() -> None:
    every = [event for given, _ in blocks().values() for event in events(given)]
    records = [ev.Record(n=n, event=event, only="gorn", shown=event) for n, event in enumerate(every, start=1)]
    data = encode_records(records)
    assert decode_records(data) == records and encode_records(decode_records(data)) == data
    for line, event in zip(data.splitlines(), every, strict=True):
        written = msgspec.json.decode(line)
        assert written["event"] == written["shown"]
        usual = dict(zip(event.__struct_fields__[::-1], event.__struct_defaults__[::-1], strict=False))
        assert all(getattr(event, name) != usual[name] for name in {*written["event"]} & {*usual})


USUAL = {
    "Fired.hit": True,
    "Weapon.working": True, "ShipOnFile.since_turn": 99, "ShipOnFile.since_slip": 99, "ShipOnFile.shields": (0,) * 6,
    "ShipOnFile.reinforcement": (0,) * 6, "ShipOnFile.lock_on": True, "Seeker.motion": "homing", "State.format": 1,
    "State.level": "cadet", "State.impulses": 16, "State.map": ("0101", "2817"), "State.grid": "even",
}  # fmt: skip
"""What is as usual where nothing is written, and is something all the same: a weapon works, a shot strikes, turn and
slip mode are fulfilled as a scenario begins (C3.43), the map of the Cadet scenarios.
"""


def test_what_a_log_or_a_state_leaves_unsaid_is_nothing() -> None:
    """No points, no name, no die: what was not written is not there, in games of any age."""
    parts = [part for part in vars(states).values() if isinstance(part, type) and issubclass(part, msgspec.Struct)]
    files = [ShipOnFile, *(part for part in parts if part.__module__ == states.__name__ and part not in IN_MEMORY)]
    found = {}
    for kind in (*get_args(ev.AnyEvent), *files):
        for field in msgspec.structs.fields(kind):
            nothing = field.default in (msgspec.NODEFAULT, 0, "", (), None)
            if not nothing and not isinstance(field.default, Options):
                found[f"{kind.__name__}.{field.name}"] = field.default
            assert field.default_factory in (msgspec.NODEFAULT, dict), (kind, field.name)
    assert found == USUAL


def test_a_fold_begins_with_an_empty_state_or_with_one_that_is_given() -> None:
    first, second = events(['{"event":"turn_began"}', '{"event":"segment_began","segment":9,"link":3,"impulse":6}'])
    assert fold([]) == State() == fold_records([])
    assert fold([first, second]) == fold([second], fold([first])) == apply(apply(State(), first), second)
    records = [ev.Record(n=5, event=first), ev.Record(n=8, event=second, only="gorn")]
    assert fold_records(records) == msgspec.structs.replace(fold([first, second]), records=8)
    assert fold_records(records[1:], fold_records(records[:1])) == fold_records(records)


if __name__ == "__main__":
    parts = [[title, *given, *told(given)] for title, (given, _) in blocks().items()]
    FILE.write_text("\n\n".join("\n".join(part) for part in parts) + "\n", encoding="utf-8")


def test_beams_stand_by_letter_whichever_the_batteries_serve_first() -> None:
    state = rich()
    for letter in "FDBEC":
        spent = {"unit": "Con", "points": 1, "purpose": f"tractor {letter}", "left": 0, "rule": "H7.2", **WHEN}
        state = apply(state, msgspec.convert(spent, ev.ReserveSpent))
    con = state.units["Con"]
    assert isinstance(con, Ship) and con.power.tractors == tuple("ABCDEF")
