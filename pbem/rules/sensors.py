"""Sensors and scanners: lock-on, what failing it costs, and the effective range (D6.0).

A special function track (D4.33) is the numbers printed in its boxes, best first, and how many of them are left; its
boxes are destroyed from the best on and the last one never.

The cloaking device (G13.0): by the turn in the Cadet game, with fading out and in at graduate level.

A cloaked ship at graduate level is described by two values: its ``status`` (``""`` for none, ``cloaking``,
``uncloaking``) and ``since``, the moment it was announced. A ship that has been ``cloaking`` for the length of the
fade is fully cloaked; one that has been ``uncloaking`` as long is as if it had no cloak.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import NamedTuple

from pbem.data import charts
from pbem.data.terms import CloakState
from pbem.errors import NotAllowed
from pbem.rules.movement import turn_of


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


TRACKS = ("sensor", "scanner", "damcon")

NO_LOCK_ON = "no lock-on"
NO_FIRE = "no fire"
"""What a ship without fire control suffers: see :func:`verify_fire_control`."""


# --- the tracks -------------------------------------------------------------------------------------------


def track_boxes(tracks: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """The boxes of an undamaged ship's tracks, by system, to stand among its other boxes (D4.33)."""
    return {name: len(tracks[name]) for name in TRACKS if tracks.get(name)}


def _left(track: Sequence[int], boxes: int) -> Sequence[int]:
    return track[len(track) - max(1, min(boxes, len(track))) :]


def sensor_rating(track: Sequence[int], boxes: int) -> int:
    """The highest undestroyed number of the sensor track, of which so many boxes are left (D6.11)."""
    return max(_left(track, boxes))


def scanner_factor(track: Sequence[int], boxes: int) -> int:
    """The lowest undestroyed number of the scanner track: hexes added to every range (D6.21).

    A ship without a track on its SSD has none (0).
    """
    return min(_left(track, boxes), default=0)


# --- lock-on ----------------------------------------------------------------------------------------------


def is_automatic(rating: int) -> bool:
    """Whether no die is needed: the sensors are as good as any die (D6.11)."""
    return rating >= charts.sensors().die


def locks_on(die: int, rating: int, fire_control: bool = True) -> bool:
    """Whether a ship's sensors lock on this turn; the die decides for all its targets (D6.11).

    Without energy for fire control they do not, whatever the die (D6.1). To a cloaked target there is no lock-on:
    that is asked for each target (:func:`effective_range`).
    """
    return fire_control and die <= rating


def verify_launch(name: str, locked: bool, target_hidden: bool = False) -> None:
    """Raises :class:`NotAllowed` unless a seeking weapon may be launched (D6.121).

    ``locked`` is the ship's lock-on of this turn; ``target_hidden`` whether the target is fully cloaked.
    Code: ``no-lock-on``.
    """
    if not locked:
        raise NotAllowed("no-lock-on", f"{name}: the ship's sensors have no lock-on this turn", "D6.121")
    if target_hidden:
        raise NotAllowed("no-lock-on", f"{name}: there is no lock-on to a cloaked ship", "D6.11")


def verify_fire_control(name: str, paid: bool, reading: str = NO_FIRE) -> None:
    """Raises :class:`NotAllowed` (``no-fire-control``) for a weapon of a ship that did not pay line 8 (B3.0).

    Reading: B3.0 forbids all weapons and D6.1 takes the lock-on; both hold. With the reading ``no lock-on`` D6.1
    alone holds and nothing is refused here. Raises ``ValueError`` for another reading.
    """
    if reading not in (NO_FIRE, NO_LOCK_ON):
        raise ValueError(f"{reading!r} is no reading of an unpaid fire control: {NO_FIRE} or {NO_LOCK_ON}")
    if not paid and reading == NO_FIRE:
        raise NotAllowed("no-fire-control", f"{name}: fire control has no energy this turn", "B3.0, line 8")


# --- drones -----------------------------------------------------------------------------------------------


def control_limit(rating: int, most: int | None = None) -> int:
    """Drones a ship can guide at once: its sensor rating (D6.132), or the ship's own limit where that is less."""
    return rating if most is None else min(rating, most)


def verify_control(name: str, guided: int, rating: int, most: int | None = None) -> None:
    """Raises :class:`NotAllowed` (``control-limit``) unless one more drone can be guided (D6.132)."""
    limit = control_limit(rating, most)
    if guided >= limit:
        raise NotAllowed("control-limit", f"{name}: the ship guides {guided} drones, its limit is {limit}", "D6.132")


def lost_drones(guided: Sequence[str], locked: bool, rating: int, most: int | None = None) -> tuple[str, ...]:
    """The drones a ship loses in the lock-on phase; ``guided`` in the order of their launch (D6.122, D6.131, D6.132).

    All without a lock-on. Reading: with one, those beyond the control limit, the last launched first; the limit is
    looked at in this phase and at launches only.
    """
    return tuple(guided) if not locked else tuple(guided[control_limit(rating, most) :])


# --- range ------------------------------------------------------------------------------------------------


def effective_range(
    true_range: int, *, locked: bool = True, scanner: int = 0, hidden: bool = False, fading: int = 0
) -> int:
    """The range at which a direct-fire weapon is resolved (D1.4, D6.123, D6.21, G13.34C, G13.0).

    ``locked``: the ship has a lock-on this turn; ``scanner`` its scanner factor; ``hidden``: the target is fully
    cloaked; ``fading`` hexes for a target that fades out or in. No lock-on doubles the true range, once, whether the
    sensors or the cloak are the cause; what is added comes after.
    """
    if hidden:
        cloak = charts.cloak()
        return true_range * cloak.multiplier + cloak.addition + scanner
    factor = 1 if locked else charts.sensors().no_lock_on
    return true_range * factor + fading + scanner
