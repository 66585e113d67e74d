"""Sideslips (C4.0), and how every step counts for turn mode and slip mode."""

from __future__ import annotations

from pbem.errors import NotAllowed
from pbem.rules.turning import SLIPS, TURNS

SLIP_MODE = 1
"""All ships at all speeds (C4.1)."""


LONG_AGO = 99
"""A count of hexes that satisfies every mode; counts go no higher (C3.43)."""


def verify_slip(since_slip: int) -> None:
    """Raises :class:`NotAllowed` (``slip-mode``) without a hex moved ahead since the last one (C4.1)."""
    if since_slip < SLIP_MODE:
        raise NotAllowed(
            "slip-mode",
            f"a sideslip needs {SLIP_MODE} hex straight ahead since the last one, {since_slip} moved",
            "C4.1",
        )


def can_slip(since_slip: int) -> bool:
    """Whether the slip mode is satisfied."""
    return since_slip >= SLIP_MODE


def after_step(code: str, since_turn: int, since_slip: int) -> tuple[int, int]:
    """Hexes counted for turn mode and slip mode after a step.

    The hex entered by a turn counts as the first for both (C3.4, C4.33); the hex entered by a sideslip
    counts for the turn mode but not for the slip mode (C4.31, C4.32).
    """
    if code in TURNS:
        return 1, 1
    since_turn = min(since_turn + 1, LONG_AGO)
    return since_turn, 0 if code in SLIPS else min(since_slip + 1, LONG_AGO)
