"""The charts of internal damage, boarding, sensors, mutiny and tactical maneuvers: how each is laid out in its file."""

from __future__ import annotations

import msgspec

from pbem.data.files import Sourced


class DacSystem(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one entry of the standard chart is scored on (D4.3).

    ``boxes`` of the SSD, the first that has any left; with ``any`` the owner picks among them. ``families`` of weapons
    instead; with ``bearing`` only those that bear on where the volley came from (D4.321), with ``ranked`` every so
    many hits of a volley on a stronger type (D4.322). ``shuttle``: an occupied shuttle box too, if the owner wants
    (D4.324). ``choice`` is the category by which the owner's choices name it. ``residual`` boxes are never destroyed
    (D4.33).
    """

    boxes: tuple[str, ...] = ()
    any: bool = False
    families: tuple[str, ...] = ()
    bearing: bool = False
    ranked: int = 0
    shuttle: bool = False
    choice: str = ""
    residual: int = 0


class StandardDac(Sourced, frozen=True, kw_only=True):
    """Rows for 2 to 12 on two dice; ``*`` marks a result that counts once in a volley (D4.31)."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    systems: dict[str, DacSystem]


class Boarding(Sourced, frozen=True, kw_only=True):
    """Casualties caused by a group of boarding parties: rows by die, columns by size of the group (D7.0).

    ``stations`` are the boxes that count as control stations.
    """

    parties: tuple[int, ...]
    casualties: tuple[tuple[int, ...], ...]
    stations: tuple[str, ...]


class Sensors(Sourced, frozen=True, kw_only=True):
    """``no_lock_on`` multiplies the true range for a ship without lock-on (D6.123); ``die`` is the highest die."""

    no_lock_on: int
    die: int


class Mutiny(Sourced, frozen=True, kw_only=True):
    """Who may mutiny, the highest die on which one occurs and the lowest on which it succeeds (G6.2).

    ``parties`` enemy boarding parties change each die by one (G6.22), and so does ``lost_control`` (G6.23).
    ``die`` is the highest die.
    """

    races: tuple[str, ...]
    occurs: int
    succeeds: int
    parties: int
    lost_control: int
    die: int


class Maneuvers(Sourced, frozen=True, kw_only=True):
    """Tactical maneuvers of a turn: how many of each kind (C5.11, C5.22), ``sublight_energy`` of impulse engines.

    The first warp maneuver is earned, and a sublight one is free to use, from impulse ``first`` on (C5.11, C5.231).
    """

    warp: int
    sublight: int
    sublight_energy: int
    first: int
