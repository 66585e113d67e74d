"""Tie-breaking: every arbitrary preference among cases that the rules treat as equal.

Nothing else in the engine may depend on left and right, shield numbers, the numbering of hexes, or the names of
units and sides. Each function returns a sort key for one of several equals; the smallest comes first. The
compliance page lists, under the rules named here, where a preference decides and how the rule is read.
"""

from __future__ import annotations

from pbem.rules.movement import CODES


def of_codes(code: str) -> int:
    """Return the tie-break order of movement codes (C1.3, F2.0, FD1.2).

    The order is straight ahead, left, right, slip left, slip right.
    """
    return CODES.index(code)


def of_turns_about(code: str) -> int:
    """Return the tie-break order of left and right for turning by 180 degrees: right first (C1.41, J1.5).

    It also applies to the launch of a shuttle that must not fly off the map.
    """
    return ("R", "L").index(code)


def of_shields(number: int) -> int:
    """Return the tie-break order of shields: by number (D3.41, G8.24, D4.22).

    It applies on a junction, and to volleys of one step.
    """
    return number


def of_hexes(hex: str) -> str:
    """Return the tie-break order of planet hexes that are equally near: by column and row (P2.0)."""
    return hex


def of_names(name: str) -> str:
    """Return the tie-break order of units and sides: by name.

    It applies in D1.4, D4.34, D7.0, D6.132, robot 2 and scenario #11.
    """
    return name
