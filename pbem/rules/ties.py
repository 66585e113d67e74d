"""Tie-breaking: which of several choices comes first where the rules treat them as equal.

Nothing else in the engine may prefer left or right, a shield number, a hex number, or the name of a unit or side. Each
function returns a sort key; the choice with the smallest key comes first. The compliance page (docs/compliance.md)
lists, under the rule numbers named here, where such a preference decides and how the rule is interpreted.
"""

from __future__ import annotations

from pbem.rules.movement import CODES


def of_codes(code: str) -> int:
    """Return a sort key for movement codes that are equally good (C1.3, F2.0, FD1.2).

    The order is: straight ahead, left, right, slip left, slip right.
    """
    return CODES.index(code)


def of_turns_about(code: str) -> int:
    """Return a sort key for turning by 180 degrees to the left or to the right (C1.41, J1.5).

    Right comes first. The key also decides the launch direction of a shuttle that would otherwise fly off the map.
    """
    return ("R", "L").index(code)


def of_shields(number: int) -> int:
    """Return a sort key for shields of a ship: by number (D3.41, G8.24, D4.22).

    The key decides which of two shields is hit at their junction, and in which sequence several volleys in one step are
    scored.
    """
    return number


def of_hexes(hex: str) -> str:
    """Return a sort key for planet hexes that are equally near: by column, then by row (P2.0)."""
    return hex


def of_names(name: str) -> str:
    """Return a sort key for units and sides: by name.

    The key decides ties in D1.4, D4.34, D7.0, D6.132, robot rule 2 and scenario #11.
    """
    return name
