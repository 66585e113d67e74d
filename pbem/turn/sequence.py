"""The sequence of play (B2.0), as one list to read from top to bottom.

A turn is its opening, then every impulse's steps in order, then its close. Conditions are asked when their step begins;
breaks are looked at after every step, with two exceptions: fire is declared and resolved without a stop between, since
its effects are determined immediately after firing (E1.0); and while energy forms are sealed there is nothing to see.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from pbem.game.steps import NAMES
from pbem.turn import allocation, damage, ending, firing, launching, movement, seekers
from pbem.turn.table import Table


class Step(msgspec.Struct, frozen=True):
    """One step: its name in the log (titles: pbem.game.steps), its rule, and what is done. ``stop`` is false where
    play cannot pause.
    """

    name: str
    rule: str
    play: Callable[[Table], None]
    stop: bool = True


OPENING = (
    Step("energy", "B3.0", allocation.allot, stop=False),
    Step("announce", "C1.43", allocation.announce),
)

IMPULSE = (
    Step("move", "C1.3", movement.move_ships),
    Step("seek", "F2.0", seekers.move),
    Step("impact", "F2.2", seekers.impact),
    Step("launch", "FD1.2", launching.launch),
    Step("fire", "E1.0", firing.declare, stop=False),
    Step("resolve", "E1.0", damage.resolve_fire),
    Step("end", "B2.0", ending.end_impulse),
)

CLOSE = (Step("close", "B2.0", ending.end_turn),)

ALL = (*OPENING, *IMPULSE, *CLOSE)
BY_NAME = {step.name: step for step in ALL}
assert tuple(BY_NAME) == NAMES, "pbem.game.steps names the steps of the log"


def after(impulse: int, step: str, impulses: int) -> tuple[int, str] | None:
    """Where play goes on after a step: (impulse, step), or ``None`` when the turn is over."""
    for part in (OPENING, IMPULSE, CLOSE):
        names = [s.name for s in part]
        if step not in names:
            continue
        place = names.index(step) + 1
        if place < len(names):
            return impulse, names[place]
    if step == OPENING[-1].name:
        return 1, IMPULSE[0].name
    if step == IMPULSE[-1].name:
        return (impulse + 1, IMPULSE[0].name) if impulse < impulses else (impulse, CLOSE[0].name)
    return None
