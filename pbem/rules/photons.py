"""Photon torpedoes (E4.0)."""

from __future__ import annotations

from pbem.data import charts
from pbem.rules.fire import turn_of
from pbem.values.words import WeaponState


def arming_energy() -> tuple[int, ...]:
    """Warp energy of each of the consecutive turns of arming (E4.21, E4.23)."""
    return charts.hit_table("photon").arming


def reloaded(fired: int | None, turn: int, impulses: int) -> tuple[WeaponState, int]:
    """What the Chief Engineer has made of a tube at the start of ``turn``, and in how many turns (E4.2): ``armed``, or
    ``arming``.

    Without an energy form a tube is armed in as many turns as arming takes, from the start of the scenario or from the
    turn in which it ``fired`` (a moment; ``None``: never). So it may fire on turn 2, and again two turns later; where
    within these turns does not matter.
    """
    needed = len(arming_energy())
    since = turn - (turn_of(fired, impulses) if fired is not None else 0)
    return (WeaponState.ARMED, needed) if since >= needed else (WeaponState.ARMING, since)
