"""What decides where the rules leave equals equal: every preference that has no reason but that something must decide.

Nothing else in the engine may depend on left and right, on the number of a shield, on how hexes are counted or on what
units and sides are called. Each of these gives the place of one of several equals, the smallest first; where it decides
and how that is read stands on the compliance page, under the rules named here.
"""

from __future__ import annotations

from pbem.rules.movement import CODES


def of_codes(code: str) -> int:
    """Movement codes: straight ahead, left, right, slip left, slip right (C1.3, F2.0, FD1.2)."""
    return CODES.index(code)


def of_turns_about(code: str) -> int:
    """Ways to come about by 180 degrees, and to launch a shuttle that must not fly off the map: right before left
    (C1.41, J1.5).
    """
    return ("R", "L").index(code)


def of_shields(number: int) -> int:
    """Shields, by number: on a junction (D3.41, G8.24), and volleys of one step (D4.22)."""
    return number


def of_hexes(hex: str) -> str:
    """Hexes of a planet that are equally near, by column and row (P2.0)."""
    return hex


def of_names(name: str) -> str:
    """Units, and sides, by name (D1.4, D4.34, D7.0, D6.132, robot 2, scenario #11)."""
    return name
