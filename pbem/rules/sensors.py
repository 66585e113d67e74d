"""Sensors and scanners: lock-on, what failing it costs, and the effective range (D6.0).

A special function track (D4.33) is the numbers printed in its boxes, best first, and how many of them are left; its
boxes are destroyed from the best on and the last one never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.data import charts
from pbem.errors import NotAllowed

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
