"""The impulse trackers: a turn of so many impulses, and how far along it a game is.

A turn has three parts side by side: the steps before the first impulse, the impulses with their steps, and the end.
"""

from __future__ import annotations

from pbem.engine.state import State
from pbem.engine.step_names import TITLES
from vassal.text import sequence

COMPANION = "Cadet Companion"
"""The module's name: only its trackers are known to be built like this."""

CHARTS = (8, 16, 32)
"""Impulses in a turn (C1.44)."""

BEFORE, AFTER = ("energy", "announce", "lockon"), ("close",)
DURING = tuple(step for step in TITLES if step not in (*BEFORE, *AFTER))
"""The steps of a turn that stand before, after and in its impulses."""


def tracker_name(impulses: int) -> str:
    """What the tracker of a turn is called."""
    return f"{impulses} impulses"


def tracker_state(state: State) -> str:
    """The state of the game's tracker, as a save has it: turn, part of the turn, impulse and step."""
    before = BEFORE.index(state.step) if state.step in BEFORE else 0
    during = DURING.index(state.step) if state.step in DURING else 0
    part = 2 if state.step in AFTER else (1 if state.impulse else 0)
    parts = [
        list_level(before, len(BEFORE)),
        list_level(max(0, state.impulse - 1), state.impulses, list_level(during, len(DURING))),
        list_level(0, len(AFTER)),
    ]
    turn = sequence.encode([str(max(1, state.turn)), str(part), "false", "-1", *parts], ";")
    return sequence.encode(["0", turn], "|")


def list_level(at: int, length: int, *below: str) -> str:
    """A list at one of its entries, the first entry first and none left out."""
    return sequence.encode([str(at), "0", "0", ",".join(["true"] * length), *below], ";")
