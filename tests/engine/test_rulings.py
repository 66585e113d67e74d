"""Everything a ruling may say of a unit, as it is typed: what is read, who may know, what it was, and all it changes.

``rulings.txt`` holds lines like ``Con: Shield #4 = 12``; beneath each the path and the value as they are read, whether
only the owner may know (``secret``) and what was there before, then every part of the state that changes, or ``!`` and
the refusal (``?`` where the path is not known even to be looked at). ``python -m tests.engine.test_rulings`` writes
what is beneath the lines anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest

import pbem
from pbem.data.terms import CloakState
from pbem.engine import rulings
from pbem.engine.on_file import altered
from pbem.engine.state import State
from pbem.engine.state_paths import NoPath
from tests.engine.world import differences, rich

FILE = Path(__file__).with_name("rulings.txt")


@cache
def ruled() -> dict[str, list[str]]:
    """What is typed, and what is told of it."""
    found: dict[str, list[str]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("  "):
            found[list(found)[-1]].append(line.removeprefix("  "))
        elif line and not line.startswith("#"):
            assert line not in found, line
            found[line] = []
    return found


def told(typed: str) -> list[str]:
    name, _, rest = typed.partition(": ")
    path, _, text = rest.partition(" = ")
    unit = rich().units[name]
    path = rulings.canonical(unit, path)
    value = rulings.read_value(path, text)
    found = [f"{path} = {value!r}" + " secret" * rulings.is_hidden(rich(), unit, path, value)]
    try:
        was = rulings.present(rich(), unit, path, value)
        found[0] += f", was {was!r}: {rulings.value_words(was, path)} -> {rulings.value_words(value, path)}"
    except NoPath as error:
        found.append(f"? {error}")
    try:
        return [*found, *differences(rich(), rulings.set_path(rich(), name, path, value))]
    except NoPath as error:
        return [*found, f"! {error}"]


@pytest.mark.parametrize("typed", ruled())
def test_what_is_ruled_is_what_is_changed(typed: str) -> None:
    assert told(typed) == ruled()[typed]


def asked(state: State, impulse: int) -> tuple[str, ...]:
    assert state.request is not None
    request = msgspec.structs.replace(state.request, impulse=impulse)
    after = rulings.adjust_request(msgspec.structs.replace(state, request=request)).request
    assert after is not None and after == msgspec.structs.replace(request, sides=after.sides)
    return after.sides


def test_who_has_no_ship_is_not_asked_and_who_has_one_again_is_asked_when_a_turn_begins() -> None:
    state = rich()
    assert asked(state, 5) == ("federation", "klingon") and asked(state, 0) == ("federation", "klingon", "romulan")
    alone = rulings.set_path(rulings.set_path(state, "Con", "gone", "destroyed"), "Gorn", "side", "gorn")
    assert asked(alone, 5) == ("klingon",) and asked(alone, 0) == ("gorn", "klingon", "romulan")
    assert rulings.adjust_request(msgspec.structs.replace(state, request=None)).request is None


def test_a_side_that_guides_weapons_without_a_ship_is_still_asked_after_a_ruling() -> None:
    """In #2 somebody plays the drones."""
    game = pbem.Game.new("2", {"federation": "ann", "drones": "kor"}, seed="guided")
    state = game.state
    assert state.request is not None and "drones" in state.request.sides
    after = rulings.adjust_request(state).request
    assert after is not None and after.sides == state.request.sides


def test_a_ship_is_cloaked_once_it_has_faded_out() -> None:
    """On the standard level the state says ``cloaking`` as long as it is under cloak (G13.0)."""
    state = rich()
    kestrel = state.units["Kestrel"]
    for since, told in ((16, "cloaked"), (17, "cloaked"), (18, "cloaking"), (21, "cloaking")):
        unit = altered(kestrel, cloak_since=since)
        assert rulings.present(state, unit, "cloak", "cloaked") == told
    away = altered(kestrel, cloak=CloakState.UNCLOAKING, cloak_since=1)
    assert rulings.present(state, away, "cloak", "cloaked") == "uncloaking"


def test_which_targets_only_their_owner_may_know() -> None:
    for targets in ("announced", "secret"):
        state = msgspec.structs.replace(rich(), options=msgspec.structs.replace(rich().options, targets=targets))
        known = {
            (name, path): rulings.is_hidden(state, state.units[name], path, "Des")
            for name, path in (("KD/1", "target"), ("KD/1", "damage"), ("FS/1", "target"), ("FS/1", "landed"))
        }
        assert known == {
            ("KD/1", "target"): targets == "secret", ("KD/1", "damage"): False, ("FS/1", "target"): True,
            ("FS/1", "landed"): False,
        }  # fmt: skip


if __name__ == "__main__":
    lines = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("  "):
            lines += [line, *(f"  {part}" for part in told(line))] if line and not line.startswith("#") else [line]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
