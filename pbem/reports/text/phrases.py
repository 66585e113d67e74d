"""The small change of sentences: points, counts, lists, and what a table of words holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from pbem.counts import several
from pbem.data.words import AUTO_BREAK, OWN_BREAK
from pbem.engine.state import State
from pbem.patterns import regex


class Words(NamedTuple):
    """How one type of event is told: where, by which rule unless the event says, and in which sentence; which fields
    hold the units it is about, the acting one first.
    """

    place: str
    rule: str
    say: Callable[[Any], str]
    units: tuple[str, ...] = ("unit",)


def number(value: float) -> str:
    """Points without an idle fraction: ``2``, ``2.5``."""
    return str(int(value)) if value == int(value) else str(round(value, 2))


def points(count: float) -> str:
    """``1 point``, ``6 points``."""
    return f"{number(count)} point{'' if count == 1 else 's'}"


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def asked_because(reason: str) -> str:
    """Why orders are asked for, as the log has it in short, in a sentence without its end."""
    found = [_BREAK.fullmatch(part) for part in reason.split("; ")]
    if not all(found):
        return reason
    said = [
        f"at the automatic break {one['auto']}" if one["auto"] else f"at a break of {one['side']}"
        for one in found
        if one
    ]
    return f"play stopped {listed(said)}"


_BREAK: Final = regex(rf"{AUTO_BREAK}(?P<auto>.+)|(?P<side>.+){OWN_BREAK}")


def because(sentence: str, reason: str) -> str:
    """A sentence with its reason, if it has one."""
    return f"{sentence}: {reason}" if reason else sentence


def parties(count: int) -> str:
    """``1 boarding party``, ``3 boarding parties``."""
    return several(count, "boarding party", "boarding parties")


def crew(count: int) -> str:
    """``1 crew unit``, ``2 crew units``."""
    return several(count, "crew unit")


def moment(number: int, state: State) -> str:
    """A moment (impulses since the start of the game) as turn and impulse: ``2.9``."""
    turn, impulse = divmod(max(0, number - 1), state.impulses)
    return f"{turn + 1}.{impulse + 1}" if number > 0 else "1.0"
