"""The cloaking device (G13.0): by the turn in the Cadet game, with fading out and in at graduate level.

A cloaked ship at graduate level is described by two values: its ``status`` (``""`` for none, ``cloaking``,
``uncloaking``) and ``since``, the moment it was announced. A ship that has been ``cloaking`` for the length of the
fade is fully cloaked; one that has been ``uncloaking`` as long is as if it had no cloak.
"""

from __future__ import annotations

from math import ceil, floor
from typing import NamedTuple

from pbem.data import charts
from pbem.data.words import CloakState
from pbem.errors import NotAllowed
from pbem.rules.impulse_chart import turn_of


class Veil(NamedTuple):
    """How a cloak works at a moment.

    ``addition``: hexes added to the range of direct fire; ``lock_on``: whether enemies may have one; ``silent``: the
    ship may not use weapons; ``hidden``: it is fully cloaked, and seeking weapons may miss it.
    """

    addition: int
    lock_on: bool
    silent: bool
    hidden: bool


OPEN = Veil(0, True, False, False)


def verify_cloak_energy(cost: int | None, points: int) -> None:
    """Raises :class:`NotAllowed` unless ``points`` are what the ship's device costs a turn, or 0 (G13.32C, G13.0).

    ``cost`` is on the SSD, ``None`` for ships without the device. Codes: ``no-cloak``, ``cloak-amount``.
    """
    if points and cost is None:
        raise NotAllowed("no-cloak", "the ship has no cloaking device", "G13.32")
    if points not in (0, cost):
        raise NotAllowed(
            "cloak-amount", f"the cloaking device takes {cost} points a turn or none, not {points}", "G13.32"
        )


# --- Cadet: by the turn -----------------------------------------------------------------------------------


def cadet_veil(cloaked: bool, cloaked_last_turn: bool, impulse: int) -> Veil:
    """What the Cadet cloak does in an impulse (from 1) of a turn in which it is on or off (G13.33C, G13.34C).

    After a turn under cloak the ship has no weapons on the first impulse.
    """
    chart = charts.cloak()
    if cloaked:
        return Veil(chart.addition, False, True, True)
    return OPEN._replace(silent=cloaked_last_turn and impulse <= chart.silent)


# --- graduate: fading out and in --------------------------------------------------------------------------


def veil(status: CloakState, since: int, moment: int) -> Veil:
    """What the cloak does at a moment (G13.0, graduate).

    Fading out adds 1, 2, 3, 4 hexes and leaves enemies their lock-on; then the ship is fully cloaked. Fading in gives
    the lock-on back at once and adds 4, 3, 2, 1.

    Raises ``ValueError`` for an unknown status.
    """
    if not status:
        return OPEN
    chart, passed = charts.cloak(), moment - since
    if status == CloakState.CLOAKING:
        if passed >= chart.fade:
            return Veil(chart.addition, False, True, True)
        return Veil(passed + 1, True, True, False)
    if status != CloakState.UNCLOAKING:
        raise ValueError(f"{status!r} is no state of a cloak: {CloakState.CLOAKING} or {CloakState.UNCLOAKING}")
    return Veil(chart.fade - passed, True, True, False) if passed < chart.fade else OPEN


def start_of_turn(status: CloakState, since: int, paid: bool, moment: int) -> tuple[CloakState, int]:
    """Status and since of a cloak when a turn begins; ``moment`` is its first impulse (G13.0, graduate).

    A ship that was cloaked (or fading out) and did not pay fades in from the first impulse on; one that paid stays as
    it is. A ship that was uncloaked stays so until it announces.
    """
    if status == CloakState.CLOAKING and not paid:
        return CloakState.UNCLOAKING, moment
    if status == CloakState.UNCLOAKING and moment - since >= charts.cloak().fade:
        return CloakState.OFF, 0
    return status, since


def verify_cloak(*, paid: bool, status: CloakState, since: int, moment: int, impulses: int) -> None:
    """Raises :class:`NotAllowed` unless the ship may announce that it cloaks (G13.0, graduate).

    Reading: one announcement a turn, for from the announcement on a ship that cloaks is bound for the rest of the
    turn, and a device paid for once is started once. Codes: ``cloak-unpaid``, ``cloaked-already``, ``cloak-once``.
    """
    if not paid:
        raise NotAllowed("cloak-unpaid", "the energy form pays nothing for the cloaking device this turn", "G13.0")
    if status == CloakState.CLOAKING:
        raise NotAllowed("cloaked-already", "the ship is cloaked or fading out already", "G13.0")
    if status == CloakState.UNCLOAKING and turn_of(since, impulses) == turn_of(moment, impulses):
        raise NotAllowed(
            "cloak-once", "the ship has uncloaked this turn and cannot cloak again before the next", "G13.0"
        )


def verify_uncloak(*, status: CloakState, since: int, moment: int, impulses: int) -> None:
    """Raises :class:`NotAllowed` unless the ship may announce that it uncloaks (G13.0, graduate).

    Only a ship that began the turn cloaked may. Reading: one still fading out when the turn began counts.
    Codes: ``not-cloaked``, ``cloak-once``.
    """
    if status != CloakState.CLOAKING:
        raise NotAllowed("not-cloaked", "the ship is not cloaked", "G13.0")
    if turn_of(since, impulses) == turn_of(moment, impulses):
        raise NotAllowed("cloak-once", "the ship has cloaked this turn and stays so until its end", "G13.0")


# --- weapons ----------------------------------------------------------------------------------------------


def verify_not_silent(now: Veil, name: str) -> None:
    """Raises :class:`NotAllowed` (``cloaked``) for a weapon of a ship that is cloaked or fading (G13.34C, G13.0)."""
    if now.silent:
        raise NotAllowed(
            "cloaked", f"{name}: a ship uses no weapons while it is cloaked, fading, or just out", "G13.34"
        )


def seeking_points(die: int, points: int, rounding: str = "down") -> int:
    """What a seeking weapon of so many points scores on a fully cloaked ship; 0: it misses and is gone (G13.34C).

    Reading: half of an odd number is rounded down, as no other rule of the cloak is kind to the attacker;
    ``rounding`` ``up`` is the other reading. Raises ``ValueError`` for any other word.
    """
    if rounding not in ("down", "up"):
        raise ValueError(f"{rounding!r} is no rounding: down or up")
    chart = charts.cloak()
    if die in chart.miss:
        return 0
    exact = points * chart.damage
    return floor(exact) if rounding == "down" else ceil(exact)
