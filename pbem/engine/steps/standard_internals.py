"""Internal damage of standard ships in play: armor, then two dice a point on the standard chart (D4.12, D4.2
standard).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.data.ships import ship_class
from pbem.data.words import Fuse
from pbem.engine.play.resolution import Table
from pbem.engine.state import Ship, State
from pbem.engine.steps.geometry import standpoints
from pbem.orders.model import DamageChoice
from pbem.rules import shuttle_boxes, standard_damage as chart
from pbem.rules.damage import Hit


class Line(NamedTuple):
    """Along what a blow came: where the ship it strikes stood and how it faced, and the hex the blow came from."""

    hex: str
    facing: str
    source: str


class Source(NamedTuple):
    """What one unit adds to a volley: its name, empty for damage from outside, its points, and the line along which
    they came, where that is another than its line of fire now.
    """

    unit: str
    points: int
    line: Line | None = None


def standard_hits(
    table: Table, name: str, shield: int, points: int, sources: Sequence[Source], choices: Sequence[DamageChoice]
) -> Iterator[tuple[Hit, str, int]]:
    """The boxes of one volley's internals with the labels and sum of their dice; each is gone before the next
    is asked.
    """
    state, ship = table.state, table.ship(name)
    parts = [chart.Part(source.unit, source.points, _arcs(state, ship, shield, source)) for source in sources]
    toward = chart.directions(parts, points)
    arcs = {box: spec.arc for box, spec in ship_class(ship.ship).named.items()}
    since = (table.turn - 1) * state.impulses + 1
    armored = chart.armor_hits(points, ship.boxes)
    for hit in armored:
        yield hit, "", 0
    tally = chart.NEW_VOLLEY
    for number in range(len(armored), points):
        labels, dice = zip(*(table.roll(name, f"DAC{shield}{which}", number + 1) for which in "ab"), strict=True)
        ship = table.ship(name)
        hit, tally = chart.standard_box(
            sum(dice),
            ship.boxes,
            ship.weapons,
            arcs,
            toward[number],
            tally,
            shuttle_boxes.meant(choices, bay_of(ship)),
            since,
            len(ship.hangar),
        )
        yield hit, " + ".join(labels), sum(dice)


def bay_of(ship: Ship) -> shuttle_boxes.Bay:
    """A ship's shuttle boxes; the shuttles in the order in which the default procedure takes them (J1.4, J2.221)."""
    states = {letter: bomb.state for letter, bomb in ship.bombs.items()}
    worth = {
        letter: (states.get(letter) == Fuse.ARMED, bool(states.get(letter)), -ord(letter)) for letter in ship.hangar
    }
    return shuttle_boxes.Bay(ship.boxes.get("shuttle", 0), tuple(sorted(ship.hangar, key=worth.__getitem__)))


def _arcs(state: State, ship: Ship, shield: int, source: Source) -> frozenset[str]:
    """The ship's arcs a part of the volley came from (D4.321): along the line that decided which shield a seeking
    weapon or its feedback struck, the line of fire, or, for damage from no unit, those before the shield.
    """
    if source.line is not None:
        return chart.direction(*source.line, state.grid)
    unit = state.units.get(source.unit)
    if unit is None:
        return chart.shield_direction(shield)
    here, there = standpoints(state, ship, unit)
    return chart.direction(here.hex, here.facing, there.hex, state.grid)
