"""Reserve power: what batteries may pay for inside a turn (H7.0)."""

from __future__ import annotations

from fractions import Fraction

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.arming import family

SHIELD, TRANSPORTERS, TRACTOR, PLASMA = "shield", "transporters", "tractor", "plasma"
"""Uses of reserve power besides the weapons that fire with the energy of one turn."""


def exact(points: float) -> Fraction:
    """Points as the log tells them, exactly: halves and fifths occur with fractional accounting (B3.2)."""
    return Fraction(str(points))


def told(points: Fraction | int) -> int | float:
    """Points as the log tells them: whole ones as whole numbers, ``0.5``, ``0.2``."""
    return int(points) if Fraction(points).denominator == 1 else float(points)


def verify_reserve(use: str, *, points: Fraction | int, stored: Fraction | int, rolling: bool = False) -> None:
    """Raises :class:`NotAllowed` unless reserve power may pay so many points for something now (H7.2).

    ``use`` is ``shield`` (specific reinforcement), ``transporters``, ``tractor``, ``plasma`` (to complete the arming of
    a torpedo in rolling delay: ``rolling``), or a kind of weapon. ``stored`` is what the batteries hold. That nothing
    is operated more often for it (H7.3) is said by the rule of each system. Codes: ``reserve-short`` (H7.1),
    ``reserve-use``, ``reserve-arming`` (H7.2); ``reserve-repair`` for damage control (D9.2).
    """
    if use in ("repair", "damage control"):
        raise NotAllowed("reserve-repair", "reserve power is not for damage control", "D9.2")
    if use in charts.weapon_kinds():
        if not family(use).single_turn:
            raise NotAllowed("reserve-arming", "reserve power fires no weapon that takes more than one turn", "H7.2")
    elif use == PLASMA:
        if not rolling:
            raise NotAllowed("reserve-arming", "reserve power completes a plasma torpedo in rolling delay only", "H7.2")
    elif use not in (SHIELD, TRANSPORTERS, TRACTOR):
        raise NotAllowed("reserve-use", f"reserve power is not for {use}", "H7.2")
    if points > stored:
        raise NotAllowed("reserve-short", f"{points} points are needed, the batteries hold {stored}", "H7.1")
