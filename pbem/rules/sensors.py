"""Sensors and scanners: lock-on and effective range (D6.0), and the cloaking device (G13.0).

A special function track (D4.33) is a list of the numbers printed in its boxes, best first, with the number of boxes
left. Its boxes are destroyed from the best one on, and the last one never.

In the Cadet game a cloak is on or off for a whole turn. At graduate level ships fade out and in over several
impulses. There, two values describe a cloak: ``status`` is ``""`` for none, ``cloaking`` or ``uncloaking``;
``since`` is the time at which the ship announced this, in impulses from the start of the game. A ship that has been
``cloaking`` for the length of the fade is fully cloaked. A ship that has been ``uncloaking`` for as long has no
cloak any more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import NamedTuple

from pbem.data import charts
from pbem.data.terms import CloakState
from pbem.errors import NotAllowed
from pbem.rules.movement import turn_of
from pbem.util import several


class Veil(NamedTuple):
    """The effect of a ship's cloak at one time.

    Attributes:
        addition: Hexes added to the range of direct fire at the ship.
        lock_on: Whether enemies may have a lock-on to the ship.
        silent: Whether the ship is forbidden to use weapons.
        hidden: Whether the ship is fully cloaked, so that seeking weapons may miss it.
    """

    addition: int
    lock_on: bool
    silent: bool
    hidden: bool


OPEN = Veil(0, True, False, False)


def verify_cloak_energy(cost: int | None, points: int) -> None:
    """Check that an energy form pays the full cost of the cloaking device, or 0 (G13.32C, G13.0).

    ``points`` is the amount paid. ``cost`` is the cost printed on the SSD; it is ``None`` for ships without the device.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-cloak`` or ``cloak-amount``.
    """
    if points and cost is None:
        raise NotAllowed("no-cloak", "the ship has no cloaking device", "G13.32")
    if points not in (0, cost):
        raise NotAllowed("cloak-amount", f"the cloaking device takes {cost} points a turn or 0, not {points}", "G13.32")


# --- Cadet: by the turn -----------------------------------------------------------------------------------


def cadet_veil(cloaked: bool, cloaked_last_turn: bool, impulse: int) -> Veil:
    """Return the effect of a Cadet ship's cloak in an impulse (from 1) of a turn (G13.33C, G13.34C).

    ``cloaked`` and ``cloaked_last_turn`` say whether the ship is under cloak in this turn and was in the turn
    before. In the turn after a turn under cloak, the ship may not use weapons on the first impulse.
    """
    chart = charts.cloak()
    if cloaked:
        return Veil(chart.addition, False, True, True)
    return OPEN._replace(silent=cloaked_last_turn and impulse <= chart.silent)


# --- graduate: fading out and in --------------------------------------------------------------------------


def veil(status: CloakState, since: int, moment: int) -> Veil:
    """Return the effect of a ship's cloak at one time, at graduate level (G13.0, graduate).

    Fading out adds 1, 2, 3, 4 hexes to the range and leaves enemies their lock-on; then the ship is fully cloaked.
    Fading in restores the lock-on at once and adds 4, 3, 2, 1 hexes.

    Args:
        status: The state of the device.
        since: The time of the last announcement, in impulses from the start of the game.
        moment: The time in question, in the same count.

    Raises:
        ValueError: There is no such status.
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
    """Return the status of a cloak as a turn begins, and the time at which that status began.

    These are the graduate rules (G13.0, graduate). A ship that was cloaked or fading out, and did not pay, fades in
    from the first impulse on. A ship that paid does not change. An uncloaked ship stays uncloaked until it announces
    otherwise.

    Args:
        status: The status before.
        since: The time at which the ship announced that status, in impulses from the start of the game.
        paid: Whether the energy form pays for the cloak.
        moment: The time of the first impulse of the turn, in the same count.
    """
    if status == CloakState.CLOAKING and not paid:
        return CloakState.UNCLOAKING, moment
    if status == CloakState.UNCLOAKING and moment - since >= charts.cloak().fade:
        return CloakState.OFF, 0
    return status, since


def verify_cloak(*, paid: bool, status: CloakState, since: int, moment: int, impulses: int) -> None:
    """Check that a ship may announce now that it cloaks (G13.0, graduate).

    Our interpretation where the rules are silent: a ship makes at most one announcement a turn. A ship that cloaks
    cannot uncloak in the rest of the turn, and one payment starts the device only once.

    Args:
        paid: Whether the energy form pays for the device.
        status: The state of the device.
        since: The time of the last announcement, in impulses from the start of the game.
        moment: The present time, in the same count.
        impulses: Impulses in a turn.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``cloak-unpaid``, ``cloaked-already`` or
            ``cloak-once``.
    """
    if not paid:
        raise NotAllowed("cloak-unpaid", "the cloaking device got no energy on this turn's energy form", "G13.0")
    if status == CloakState.CLOAKING:
        raise NotAllowed("cloaked-already", "the ship is cloaked or fading out already", "G13.0")
    if status == CloakState.UNCLOAKING and turn_of(since, impulses) == turn_of(moment, impulses):
        raise NotAllowed(
            "cloak-once", "the ship has uncloaked this turn and cannot cloak again before the next", "G13.0"
        )


def verify_uncloak(*, status: CloakState, since: int, moment: int, impulses: int) -> None:
    """Check that a ship may announce now that it uncloaks (G13.0, graduate).

    Only a ship that began the turn cloaked may do so. Our interpretation where the rules are silent: this includes a
    ship that was still fading out when the turn began. :func:`verify_cloak` explains the arguments.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``not-cloaked`` or ``cloak-once``.
    """
    if status != CloakState.CLOAKING:
        raise NotAllowed("not-cloaked", "the ship is not cloaked", "G13.0")
    if turn_of(since, impulses) == turn_of(moment, impulses):
        raise NotAllowed("cloak-once", "the ship cloaked this turn and stays cloaked until the turn ends", "G13.0")


# --- weapons ----------------------------------------------------------------------------------------------


def verify_not_silent(now: Veil, name: str) -> None:
    """Check that a ship may use weapons, i.e. is neither cloaked nor fading (G13.34C, G13.0).

    Raises:
        NotAllowed: The ship is cloaked or fading (fault code ``cloaked``).
    """
    if now.silent:
        raise NotAllowed(
            "cloaked",
            f"{name}: a ship cannot use weapons while it is cloaked, is fading, or has just uncloaked",
            "G13.34",
        )


def seeking_points(die: int, points: int, rounding: str = "down") -> int:
    """Return the points of damage a seeking weapon scores on a fully cloaked ship (G13.34C).

    The result is 0 if the weapon misses; the weapon is removed in that case too. ``points`` is its warhead. Our
    interpretation where the rules are silent: half of an odd number is rounded down, since no other rule of the
    cloak favors the attacker. ``rounding`` ``up`` selects the other interpretation.

    Raises:
        ValueError: ``rounding`` is another word.
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
"""The two ways to interpret the rules if fire control is not paid: see :func:`verify_fire_control`."""


# --- the tracks -------------------------------------------------------------------------------------------


def track_boxes(tracks: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return the number of boxes of each special function track of an undamaged ship, by system (D4.33).

    They are counted with the ship's other boxes.
    """
    return {name: len(tracks[name]) for name in TRACKS if tracks.get(name)}


def _left(track: Sequence[int], boxes: int) -> Sequence[int]:
    """Return the numbers left on a special function track with this many boxes left.

    At least one number is left.
    """
    return track[len(track) - max(1, min(boxes, len(track))) :]


def sensor_rating(track: Sequence[int], boxes: int) -> int:
    """Return the highest undestroyed number on the sensor track (D6.11).

    ``boxes`` is the number of boxes left on the track.
    """
    return max(_left(track, boxes))


def scanner_factor(track: Sequence[int], boxes: int) -> int:
    """Return the lowest undestroyed number on the scanner track (D6.21).

    It is added to every range, in hexes. ``boxes`` is the number of boxes left on the track. The result is 0 for a ship
    without a track on its SSD.
    """
    return min(_left(track, boxes), default=0)


# --- lock-on ----------------------------------------------------------------------------------------------


def is_automatic(rating: int) -> bool:
    """Return whether a lock-on needs no die, because every die would succeed with these sensors (D6.11)."""
    return rating >= charts.sensors().die


def locks_on(die: int, rating: int, fire_control: bool = True) -> bool:
    """Return whether a ship's sensors lock on this turn; one die decides for all its targets (D6.11).

    ``rating`` is the sensor rating. Without energy for fire control (``fire_control`` false) there is no lock-on,
    whatever the die (D6.1). A cloaked target is not considered here: :func:`effective_range` checks each target for its
    cloak.
    """
    return fire_control and die <= rating


def verify_launch(name: str, locked: bool, target_hidden: bool = False) -> None:
    """Check that a ship has the lock-on that it needs to launch a seeking weapon (D6.121).

    ``locked`` says whether the ship has a lock-on this turn, ``target_hidden`` whether the target is fully cloaked.

    Raises:
        NotAllowed: The lock-on is missing (fault code ``no-lock-on``).
    """
    if not locked:
        raise NotAllowed("no-lock-on", f"{name}: the ship's sensors have no lock-on this turn", "D6.121")
    if target_hidden:
        raise NotAllowed("no-lock-on", f"{name}: there is no lock-on to a cloaked ship", "D6.11")


def verify_fire_control(name: str, paid: bool, reading: str = NO_FIRE) -> None:
    """Check that a ship paid for fire control, so that its weapons may fire (B3.0, line 8).

    Our interpretation: without fire control, B3.0 forbids all weapons and D6.1 takes away the lock-on; both apply. With
    the other interpretation, ``reading`` = ``no lock-on``, only D6.1 applies, and nothing is refused here.

    Raises:
        NotAllowed: Fire control is not paid (fault code ``no-fire-control``).
        ValueError: There is no such interpretation.
    """
    if reading not in (NO_FIRE, NO_LOCK_ON):
        raise ValueError(f"{reading!r} is no reading of an unpaid fire control: {NO_FIRE} or {NO_LOCK_ON}")
    if not paid and reading == NO_FIRE:
        raise NotAllowed("no-fire-control", f"{name}: fire control has no energy this turn", "B3.0, line 8")


# --- drones -----------------------------------------------------------------------------------------------


def control_limit(rating: int, most: int | None = None) -> int:
    """Return how many drones a ship can guide at once (D6.132).

    The limit is the sensor rating, or ``most``, the ship's own limit, if that is less.
    """
    return rating if most is None else min(rating, most)


def verify_control(name: str, guided: int, rating: int, most: int | None = None) -> None:
    """Check that a ship can guide one more drone (D6.132).

    Args:
        name: The name of the drone or its rack, for messages.
        guided: The number of drones that the ship guides now.
        rating: The sensor rating of the ship.
        most: The own limit of the ship; ``None`` if it has none.

    Raises:
        NotAllowed: The ship already guides as many drones as it can (fault code ``control-limit``).
    """
    limit = control_limit(rating, most)
    if guided >= limit:
        raise NotAllowed(
            "control-limit",
            f"{name}: the ship already guides {several(guided, 'drone')}, and its limit is {limit}",
            "D6.132",
        )


def lost_drones(guided: Sequence[str], locked: bool, rating: int, most: int | None = None) -> tuple[str, ...]:
    """Return the names of the drones that a ship can no longer guide (D6.122, D6.131, D6.132).

    This is decided in the lock-on phase. Without a lock-on the ship loses control of all its drones. Our interpretation
    where the rules are silent: with a lock-on it loses those beyond the control limit, the last launched first. The
    limit is checked in this phase and at launches only.

    Args:
        guided: The ship's drones in the order of their launch.
        locked: Whether the ship has a lock-on.
        rating: Its sensor rating.
        most: The own limit of the ship; ``None`` if it has none.
    """
    return tuple(guided) if not locked else tuple(guided[control_limit(rating, most) :])


# --- range ------------------------------------------------------------------------------------------------


def effective_range(
    true_range: int, *, locked: bool = True, scanner: int = 0, hidden: bool = False, fading: int = 0
) -> int:
    """Return the effective range of a direct-fire shot in hexes (D1.4, D6.123, D6.21, G13.34C, G13.0).

    The charts of direct-fire weapons are read at this range. A missing lock-on doubles the true range once, whether
    the sensors or the cloak are the cause. Additions come after that.

    Args:
        true_range: The true range in hexes.
        locked: Whether the firing ship has a lock-on this turn.
        scanner: Its scanner factor.
        hidden: Whether the target is fully cloaked.
        fading: Hexes added for a target that fades out or in.
    """
    if hidden:
        cloak = charts.cloak()
        return true_range * cloak.multiplier + cloak.addition + scanner
    factor = 1 if locked else charts.sensors().no_lock_on
    return true_range * factor + fading + scanner
