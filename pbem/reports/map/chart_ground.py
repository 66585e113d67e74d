"""What lies on the drawn map under the units: planets and asteroids (P2.0, P3.0), and the links of tractor beams."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pbem.reports.view.view import Hold, Unit

Centre = Callable[[str], tuple[int, int]]
Spot = Callable[[str, str], tuple[int, int]]

PLANET = 25
"""A planet's radius in units of the drawing: it fills its hex."""

WHOLE = 7
"""A hex and its six neighbours: a planet of so many hexes is drawn as one disc."""

ROW = 52

# Three rocks of a hex with asteroids, each as a path round its middle; turned by the hex's number so that no two
# neighbours look alike.
ROCKS = (
    "m-14-5l6-6 8 2 1 7-6 5-8-2zm12 8l7-4 7 3-1 8-8 3-6-4zm-14 5l5-3 6 3-2 6-7 1z",
    "m-8-15l8-2 5 6-3 7-8 1-5-6zm9 13l8-2 5 5-3 7-8 1-4-6zm-18 2l6-3 5 4-2 6-6 1z",
    "m3-14l8 1 3 7-5 5-8-2-2-6zm-15 7l7-2 6 5-2 8-8 2-6-6zm15 9l6-2 5 4-3 6-6 1-4-4z",
)


class Globe(msgspec.Struct, frozen=True):
    """A planet: its discs (x, y, radius), the hexes as a path where it is no single disc, its name and label."""

    name: str
    words: str
    discs: tuple[tuple[int, int, int], ...]
    path: str
    label_x: int
    label_y: int


class Rocks(msgspec.Struct, frozen=True):
    """A hex with asteroids: its middle, the hex as a path, and the rocks in it."""

    hex: str
    x: int
    y: int
    path: str
    rocks: str


class Tie(msgspec.Struct, frozen=True):
    """A tractor link, as a line between two units."""

    x1: int
    y1: int
    x2: int
    y2: int
    place: int
    words: str


def globe(unit: Unit, centre: Centre) -> Globe:
    """A planet in its hexes: one disc, or where it has several hexes, these and a disc in each."""
    hexes = unit.hexes or (unit.hex,)
    middles = [centre(hex) for hex in hexes]
    x = sum(at[0] for at in middles) // len(middles)
    y = sum(at[1] for at in middles) // len(middles)
    words = f"{unit.name}, a planet in {', '.join(hexes)}"
    if unit.marks:
        words += f"; {', '.join(unit.marks)}"
    if len(hexes) in (1, WHOLE):
        reach = PLANET if len(hexes) == 1 else PLANET + ROW
        return Globe(unit.name, words, ((x, y, reach),), "", x, y + reach + 14)
    path = "".join(_outline(*middle) for middle in middles)
    lowest = max(at[1] for at in middles)
    return Globe(unit.name, words, (), path, x, lowest + PLANET + 15)


def rocks(hexes: Sequence[str], centre: Centre) -> tuple[Rocks, ...]:
    """Every hex with asteroids."""
    found = []
    for hex in hexes:
        x, y = centre(hex)
        shape = ROCKS[(int(hex[:2]) + 2 * int(hex[2:])) % len(ROCKS)]
        found.append(Rocks(hex, x, y, _outline(x, y), f"M{x} {y}{shape}"))
    return tuple(found)


def _outline(x: int, y: int) -> str:
    return f"M{x - 30} {y}l15-26h30l15 26-15 26h-30z"


def ties(holds: Sequence[Hold], units: Sequence[Unit], places: dict[str, int], spot: Spot) -> tuple[Tie, ...]:
    """The tractor links between units that are on the map."""
    standing = {unit.name: unit for unit in units if not unit.gone}
    found = []
    for hold in holds:
        holder, held = standing.get(hold.unit), standing.get(hold.target)
        if holder is None or held is None:
            continue
        here, there = spot(holder.name, holder.hex), spot(held.name, held.hex)
        words = f"{hold.unit} holds {hold.target} with tractor beam {hold.beam} since {hold.since}"
        found.append(Tie(*here, *there, places.get(holder.side, 0), words))
    return tuple(found)
