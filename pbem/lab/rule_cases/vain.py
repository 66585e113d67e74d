"""What a case says must not happen, and what could not happen in it whatever the rules were: an impulse after it stops,
a step, a unit, a side or a weapon that there is none of, a value of another kind than the event has. Such an
``[[absent]]`` would always pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, get_type_hints

from pbem.data.ships import ship_class
from pbem.data.words import StepName
from pbem.engine.checking.units import FUTURE_UNIT
from pbem.engine.state import Ship, State
from pbem.lab.rule_cases.form import Case
from pbem.lab.rule_cases.matching import event_types

_MOMENT: Final = ("turn", "impulse", "step")
_KINDS: Final[dict[type, str]] = {bool: "true or false", int: "a whole number", str: "a text"}
_UNITS: Final = ("unit", "target")
_SIDES: Final = ("side", "only")


def vain(case: Case, state: State) -> Iterator[str]:
    """Why each such ``[[absent]]`` could never happen, given the state after play."""
    for number, pattern in enumerate(case.absent, start=1):
        for why in (*_moment(case, pattern), *_names(state, pattern), *_kinds(pattern)):
            yield f"absent {number} would always pass: {why}"


def _moment(case: Case, pattern: Mapping[str, Any]) -> Iterator[str]:
    step, turn, impulse = pattern.get("step"), pattern.get("turn"), pattern.get("impulse")
    if step is not None and step not in list(StepName):
        yield f"there is no step {step!r}; there are {', '.join(filter(None, StepName))}"
    words = [field for field in ("turn", "impulse") if isinstance(pattern.get(field, 0), str)]
    if words:
        yield f"{' and '.join(words)}: a whole number, without quotes"
        return
    if turn is not None and turn not in case.turns:
        yield f"turn {turn} is not played"
    elif impulse is not None and not any(case.reaches(n, impulse) for n in case.turns if turn in (None, n)):
        yield f"play does not come to impulse {impulse}"


def _kinds(pattern: Mapping[str, Any]) -> Iterator[str]:
    """Values that the event never has: a word that is none of its words, or of another kind."""
    kind = event_types().get(str(pattern.get("event")))
    hints = get_type_hints(kind) if kind is not None else {}
    for field, value in pattern.items():
        wanted = hints.get(field)
        if field in _MOMENT or not isinstance(wanted, type):
            continue
        if issubclass(wanted, StrEnum):
            if value not in list(wanted):
                yield f"{field} is never {value!r}; it is {' or '.join(filter(None, wanted))}"
        elif wanted in _KINDS and type(value) is not wanted:
            yield f"{field} is never {value!r}; it is {_KINDS[wanted]}"


def _names(state: State, pattern: Mapping[str, Any]) -> Iterator[str]:
    """Names that nothing bears; a small unit that was never launched may be named, for it might have been."""
    for field in _UNITS:
        name = pattern.get(field, "")
        if isinstance(name, str) and name and name not in state.units and not FUTURE_UNIT.fullmatch(name):
            yield f"there is no unit {name!r}; there are {', '.join(sorted(state.units))}"
    for field in _SIDES:
        side = pattern.get(field, "")
        if isinstance(side, str) and side and side not in state.sides:
            yield f"there is no side {side!r}; there are {', '.join(sorted(state.sides))}"
    shield = pattern.get("shield")
    if isinstance(shield, int) and not 0 <= shield <= 6:
        yield f"there is no shield {shield}"
    unit = state.units.get(str(pattern.get("unit")))
    weapon = pattern.get("weapon")
    if pattern.get("event") == "fired" and isinstance(unit, Ship) and weapon:
        named = ship_class(unit.ship).named
        if weapon not in named:
            yield f"{unit.name} has no {weapon}; it has {', '.join(named)}"
