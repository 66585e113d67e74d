"""Turns and turn modes (C3.0), and where a movement code leads."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, neighbour, turn_facing

CODES = ("F", "L", "R", "SL", "SR")
"""Movement codes: ahead, turn left or right and move, sideslip left or right."""

TURNS = ("L", "R")
SLIPS = ("SL", "SR")

# 60-degree steps of the direction moved in and of the new facing, for each code
_STEPS = {"F": (0, 0), "L": (-1, -1), "R": (1, 1), "SL": (-1, 0), "SR": (1, 0)}


def turn_mode(turn_modes: Sequence[int], speed: int) -> int:
    """The hexes a ship must move straight ahead between turns, at a speed (C3.3).

    ``turn_modes`` are the highest speeds of mode 1, 2 …; above the last one the last mode holds.
    """
    for mode, fastest in enumerate(turn_modes, start=1):
        if speed <= fastest:
            return mode
    return max(1, len(turn_modes))


def verify_turn(since_turn: int, mode: int) -> None:
    """Raises :class:`NotAllowed` ``turn-mode`` unless enough hexes were moved since the last turn (C3.2, C3.4)."""
    if since_turn < mode:
        raise NotAllowed(
            "turn-mode", f"turn mode {mode} asks for {mode} hexes straight ahead, {since_turn} moved", "C3.2"
        )


def can_turn(since_turn: int, mode: int) -> bool:
    """Whether the turn mode is satisfied."""
    return since_turn >= mode


@cache
def enter(hex: str, facing: str, code: str, grid: str = EVEN) -> tuple[str, str]:
    """The hex and facing after one step (C3.1, C4.2). Raises ``ValueError`` for an unknown code."""
    if code not in _STEPS:
        raise ValueError(f"{code!r} is no movement code: {', '.join(CODES)}")
    moved, faced = _STEPS[code]
    return neighbour(hex, turn_facing(facing, moved), grid), turn_facing(facing, faced)
