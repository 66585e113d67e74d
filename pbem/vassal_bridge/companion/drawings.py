"""The hulls, race colours and letters from which counters are drawn, read from ``drawings.toml``.

Letters are drawn as strokes on a grid four wide and six high. Therefore the drawings need no font, and they use no
pictures made by others.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from pbem.data.files import parsed_file

FILE = "drawings.toml"
Points = tuple[tuple[float, float], ...]


def fmt(value: float) -> str:
    """Return a number as text for SVG, with at most two decimal places."""
    return f"{value or 0:.2f}".rstrip("0").rstrip(".") or "0"


class Paint(NamedTuple):
    """The colours of a hull: its plates, its edges and the glow of its engines."""

    plate: str
    edge: str
    glow: str


class Shape(msgspec.Struct, frozen=True, tag_field="draw", tag=str.lower, forbid_unknown_fields=True):
    """A part of a hull drawing.

    Its x coordinates are distances from the centre line. A part that is not on the center line is drawn on both sides.
    """

    def svg(self, paint: Paint) -> str:
        """Return the part as SVG elements in the given colours."""
        raise NotImplementedError


class Plate(Shape, frozen=True):
    """A flat part of a hull; ``right`` has the corners of its right-hand edge from bow to stern.

    If ``dark`` is true, the part is filled with the color of the edges.
    """

    right: Points
    dark: bool = False

    def _polygon(self, points: Points, paint: Paint) -> str:
        path = " ".join(f"{fmt(x)},{fmt(y)}" for x, y in points)
        fill = paint.edge if self.dark else paint.plate
        return (
            f'<polygon points="{path}" fill="{fill}" stroke="{paint.edge}" stroke-width="0.8" stroke-linejoin="round"/>'
        )


class Body(Plate, frozen=True, tag="body"):
    """A flat part of a hull across the centre line: its right half and the mirror image of that half."""

    def svg(self, paint: Paint) -> str:
        """Return the part as SVG elements."""
        return self._polygon((*self.right, *((-x, y) for x, y in reversed(self.right) if x)), paint)


class Wing(Plate, frozen=True, tag="wing"):
    """A flat part on the right side of a hull, drawn with its mirror image on the left."""

    def svg(self, paint: Paint) -> str:
        """Return the part as SVG elements."""
        left = tuple((-x, y) for x, y in self.right)
        return self._polygon(self.right, paint) + self._polygon(left, paint)


class Disc(Shape, frozen=True, tag="disc"):
    """A round part on the center line of a hull, or a pair of such parts, one on each side."""

    y: float
    radius: float
    x: float = 0.0
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        """Return the part as SVG elements."""
        fill = paint.edge if self.dark else paint.plate
        return "".join(
            f'<circle cx="{fmt(x)}" cy="{fmt(self.y)}" r="{fmt(self.radius)}" fill="{fill}"'
            f' stroke="{paint.edge}" stroke-width="0.8"/>'
            for x in ((self.x, -self.x) if self.x else (0.0,))
        )


class Engine(Shape, frozen=True, tag="engine"):
    """An engine of a hull: a long pod with a glowing end, on the center line or one on each side."""

    top: float
    bottom: float
    half: float
    x: float = 0.0

    def svg(self, paint: Paint) -> str:
        """Return the part as SVG elements."""
        parts = []
        for x in (self.x, -self.x) if self.x else (0.0,):
            parts.append(
                f'<rect x="{fmt(x - self.half)}" y="{fmt(self.top)}" width="{fmt(2 * self.half)}"'
                f' height="{fmt(self.bottom - self.top)}" rx="{fmt(self.half)}" fill="{paint.plate}"'
                f' stroke="{paint.edge}" stroke-width="0.7"/>'
                f'<circle cx="{fmt(x)}" cy="{fmt(self.bottom - self.half)}" r="{fmt(self.half * 0.7)}"'
                f' fill="{paint.glow}"/>'
            )
        return "".join(parts)


class Strut(Shape, frozen=True, tag="strut"):
    """A bar between two points, drawn on both sides of the hull."""

    start: tuple[float, float]
    end: tuple[float, float]
    thick: float = 1.6
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        """Return the part as SVG elements."""
        (x1, y1), (x2, y2) = self.start, self.end
        colour = paint.edge if self.dark else paint.plate
        return "".join(
            f'<path d="M{fmt(side * x1)} {fmt(y1)}L{fmt(side * x2)} {fmt(y2)}" stroke="{colour}"'
            f' stroke-width="{fmt(self.thick)}" stroke-linecap="round"/>'
            for side in (1, -1)
        )


class FixedDrawing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A picture that never varies: its SVG elements, and the SVG definitions that they refer to."""

    parts: tuple[str, ...]
    defs: tuple[str, ...] = ()


class Drawings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of ``drawings.toml``.

    Attributes:
        paints: The colours of each race.
        letters: The strokes of each letter.
        races: The name of the hull for each race.
        classes: The name of the hull for ship classes that do not use the hull of their race; the key is race and
            class.
        hulls: The parts of each hull.
        pictures: The pictures that never vary.
    """

    paints: dict[str, Paint]
    letters: dict[str, str]
    races: dict[str, str]
    classes: dict[str, str]
    hulls: dict[str, tuple[Body | Wing | Disc | Engine | Strut, ...]]
    pictures: dict[str, FixedDrawing]


@cache
def drawings() -> Drawings:
    """Return the drawings of the companion module, read from ``drawings.toml`` once."""
    return msgspec.convert(parsed_file(Path(__file__).with_name(FILE), "file of drawings", FILE), Drawings)


def paint_for(race: str) -> Paint:
    """Return the colors of a race; a race without its own colors gets the plain colors."""
    return drawings().paints.get(race, drawings().paints["plain"])


def hull_for(race: str, class_name: str) -> str:
    """Return the name of the hull that is drawn for a ship class; a race without an entry gets ``raider``."""
    return drawings().classes.get(f"{race} {class_name}", drawings().races.get(race, "raider"))


def drawn(hull: str, paint: Paint) -> str:
    """Return the SVG of a hull, centred on the point (0, 0)."""
    return "".join(shape.svg(paint) for shape in drawings().hulls[hull])


WIDTH, HEIGHT, STEP = 4.0, 6.0, 5.6
"""Width and height of a letter, and the distance from one letter to the next, in grid units."""


def width(text: str, height: float) -> float:
    """Return the width of a text whose letters have the given height, in the same unit as the height."""
    return max(0.0, (len(text) * STEP - (STEP - WIDTH)) * height / HEIGHT)


def outline(text: str, x: float, y: float, height: float) -> str:
    """Return a text as an SVG path of strokes.

    ``y`` is the top of the text, ``x`` its middle and ``height`` the height of its letters. Characters without
    strokes in ``drawings.toml`` are left out.
    """
    unit = height / HEIGHT
    left = x - width(text, height) / 2
    path = []
    for place, letter in enumerate(text.upper()):
        start = left + place * STEP * unit
        for line in drawings().letters.get(letter, "").split("  "):
            points = [f"{fmt(start + int(at[0]) * unit)} {fmt(y + int(at[1]) * unit)}" for at in line.split()]
            if points:
                path.append("M" + "L".join(points))
    return "".join(path)


def lettering(text: str, x: float, y: float, height: float, colour: str, thick: float = 1.0) -> str:
    """Return a text as an SVG element in one colour.

    Position and height have the same meaning as in :func:`outline`; ``thick`` is the stroke width.
    """
    return (
        f'<path d="{outline(text, x, y, height)}" fill="none" stroke="{colour}" stroke-width="{fmt(thick)}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )
