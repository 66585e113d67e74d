"""How the boxes of a ship stand together on its display (SSD): which belong to the bridge, the engines, the power.

Whoever draws a display or lists its boxes has it from here: the report, the VASSAL module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pbem.data.ships import BOXES, TRACKS

COMMAND = ("bridge", "emer", "aux", "flag", "security")
"""Control, which stands forward."""

LEFT, RIGHT = "warp left", "warp right"
"""Engines that stand at the sides."""

POWER = ("warp center", "impulse", "apr", "battery")
"""What makes and keeps energy amidships, which stands aft."""


class Kinds(NamedTuple):
    """The boxes a ship has, by where they stand; within each in the order an SSD prints them."""

    engines: tuple[str, ...]
    command: tuple[str, ...]
    rest: tuple[str, ...]
    power: tuple[str, ...]
    tracks: tuple[str, ...]


def in_order(boxes: Iterable[str]) -> list[str]:
    """The names of boxes in the order an SSD prints them; whatever is new comes last, by name."""
    places = {name: place for place, name in enumerate(BOXES)}
    return sorted(boxes, key=lambda name: (places.get(name, len(places)), name))


def kinds(boxes: Mapping[str, int]) -> Kinds:
    """The boxes of which a ship has any."""
    names = [name for name in in_order(boxes) if boxes[name]]
    engines, known = (LEFT, RIGHT), (LEFT, RIGHT, *COMMAND, *POWER, *TRACKS)
    return Kinds(
        engines=tuple(name for name in names if name in engines),
        command=tuple(name for name in names if name in COMMAND),
        rest=tuple(name for name in names if name not in known),
        power=tuple(name for name in names if name in POWER),
        tracks=tuple(name for name in TRACKS if name in names),
    )


def weapon_place(name: str) -> tuple[str, int, str]:
    """By which weapons are sorted: phasers by number, heavy weapons by letter, racks by number."""
    label, _, last = name.rpartition(" ")
    return label, int(last) if last.isdecimal() else 0, last
