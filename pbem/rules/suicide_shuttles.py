"""Suicide shuttles: arming, holding, exploding (J2.22). On the map they move as seeking weapons (F2.0)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.data import charts
from pbem.data.words import Fuse
from pbem.errors import NotAllowed


class Arming(NamedTuple):
    """A shuttle being made ready: energy of each turn so far; ``state`` ``""``, ``arming``, ``armed``, ``unusable``.

    An ``unusable`` shuttle was disarmed and cannot be used in any way this turn.
    """

    energy: tuple[int, ...] = ()
    state: Fuse = Fuse.NONE


NOT_ARMED = Arming()


def arm(before: Arming, points: int, level: str, warp: bool = True) -> Arming:
    """The shuttle after this turn's entry of the energy form (J2.221).

    ``points`` is the energy for it, ``level`` ``cadet`` or ``standard``; ``warp`` whether it came from the warp
    engines, which matters for arming, not for holding. Without energy an armed one is disarmed and unusable this
    turn. Reading: so is one whose arming is broken off, and its energy is lost.

    Raises :class:`NotAllowed`: ``suicide-arming``, ``suicide-holding``, ``suicide-not-warp``.
    """
    chart = charts.shuttles().suicide[level]
    if not points:
        return Arming((), Fuse.UNUSABLE) if before.energy else NOT_ARMED
    if before.state == Fuse.ARMED:
        if points != chart.hold:
            raise NotAllowed(
                "suicide-holding", f"holding a suicide shuttle takes {chart.hold} point, not {points}", "J2.221"
            )
        return before
    if not chart.least <= points <= chart.most:
        most = f"{chart.least}" if chart.least == chart.most else f"{chart.least} to {chart.most}"
        raise NotAllowed(
            "suicide-arming", f"arming a suicide shuttle takes {most} points a turn, not {points}", "J2.221"
        )
    if not warp:
        raise NotAllowed("suicide-not-warp", "a suicide shuttle is armed with warp power only", "J2.221")
    energy = (*before.energy, points)
    return Arming(energy, Fuse.ARMED if len(energy) >= chart.turns else Fuse.ARMING)


def warhead(energy: Sequence[int]) -> int:
    """Points of the explosion: twice the energy of arming, not of holding (J2.221)."""
    return sum(energy) * charts.shuttles().suicide_multiplier


def verify_suicide_launch(state: Fuse) -> None:
    """Raises :class:`NotAllowed` (``not-armed``) before the last turn of arming (J2.221).

    The bay's own conditions are those of any shuttle: :func:`pbem.rules.shuttles.verify_launch`.
    """
    if state != Fuse.ARMED:
        raise NotAllowed("not-armed", "the suicide shuttle is not armed yet", "J2.221")


def verify_suicide_target(kind: str, own: bool) -> None:
    """Raises :class:`NotAllowed` unless it may be sent at such a unit: an enemy ship, shuttle or drone (J2.22).

    Monsters as well, for scenario #11 asks for it. Codes: ``suicide-target``, ``own-unit``.
    """
    if kind not in ("ship", "freighter", "shuttle", "suicide shuttle", "drone", "monster"):
        raise NotAllowed("suicide-target", f"a suicide shuttle cannot be sent at a {kind}", "J2.22")
    if own:
        raise NotAllowed("own-unit", "a suicide shuttle is sent at enemies only", "J2.22")
