"""How counters are drawn: hulls, the colours of races and the strokes of letters, as ``drawings.toml`` has them.

Whatever is drawn here needs no font and no picture of anybody else's.

Letters as strokes, so that a drawn counter or hex number needs no font anywhere.

Each letter is drawn on a grid four wide and six high, as lines from point to point (``drawings.toml``).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from pbem.data.files import parsed_file

FILE = "drawings.toml"
Points = tuple[tuple[float, float], ...]


def format_number(value: float) -> str:
    """A coordinate as SVG writes it, with at most two places."""
    return f"{value or 0:.2f}".rstrip("0").rstrip(".") or "0"


class Paint(NamedTuple):
    """The colours of a hull: its plates, its edges, its engines."""

    plate: str
    edge: str
    glow: str


class Shape(msgspec.Struct, frozen=True, tag_field="draw", tag=str.lower, forbid_unknown_fields=True):
    """A part of a hull: x counts from the middle line outward, and whatever stands beside it is on both sides."""

    def svg(self, paint: Paint) -> str:
        """As SVG elements."""
        raise NotImplementedError


class Plate(Shape, frozen=True):
    """A flat part with corners from bow to stern."""

    right: Points
    dark: bool = False

    def _polygon(self, points: Points, paint: Paint) -> str:
        path = " ".join(f"{format_number(x)},{format_number(y)}" for x, y in points)
        fill = paint.edge if self.dark else paint.plate
        return (
            f'<polygon points="{path}" fill="{fill}" stroke="{paint.edge}" stroke-width="0.8" stroke-linejoin="round"/>'
        )


class Body(Plate, frozen=True, tag="body"):
    """A plate across the middle line; *right* is its right-hand edge from bow to stern."""

    def svg(self, paint: Paint) -> str:
        return self._polygon((*self.right, *((-x, y) for x, y in reversed(self.right) if x)), paint)


class Wing(Plate, frozen=True, tag="wing"):
    """A plate on the right and the same on the left."""

    def svg(self, paint: Paint) -> str:
        left = tuple((-x, y) for x, y in self.right)
        return self._polygon(self.right, paint) + self._polygon(left, paint)


class Disc(Shape, frozen=True, tag="disc"):
    """A round hull on the middle line, or one on each side."""

    y: float
    radius: float
    x: float = 0.0
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        fill = paint.edge if self.dark else paint.plate
        return "".join(
            f'<circle cx="{format_number(x)}" cy="{format_number(self.y)}" r="{format_number(self.radius)}" fill="{fill}"'
            f' stroke="{paint.edge}" stroke-width="0.8"/>'
            for x in ((self.x, -self.x) if self.x else (0.0,))
        )


class Engine(Shape, frozen=True, tag="engine"):
    """A long pod with a glowing end, on each side or on the middle line."""

    top: float
    bottom: float
    half: float
    x: float = 0.0

    def svg(self, paint: Paint) -> str:
        parts = []
        for x in (self.x, -self.x) if self.x else (0.0,):
            parts.append(
                f'<rect x="{format_number(x - self.half)}" y="{format_number(self.top)}" width="{format_number(2 * self.half)}"'
                f' height="{format_number(self.bottom - self.top)}" rx="{format_number(self.half)}" fill="{paint.plate}"'
                f' stroke="{paint.edge}" stroke-width="0.7"/>'
                f'<circle cx="{format_number(x)}" cy="{format_number(self.bottom - self.half)}" r="{format_number(self.half * 0.7)}"'
                f' fill="{paint.glow}"/>'
            )
        return "".join(parts)


class Strut(Shape, frozen=True, tag="strut"):
    """A bar from one point to another, on both sides."""

    start: tuple[float, float]
    end: tuple[float, float]
    thick: float = 1.6
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        (x1, y1), (x2, y2) = self.start, self.end
        colour = paint.edge if self.dark else paint.plate
        return "".join(
            f'<path d="M{format_number(side * x1)} {format_number(y1)}L{format_number(side * x2)} {format_number(y2)}" stroke="{colour}"'
            f' stroke-width="{format_number(self.thick)}" stroke-linecap="round"/>'
            for side in (1, -1)
        )


class Plain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A picture that is always the same: its parts as SVG, and the definitions these refer to."""

    parts: tuple[str, ...]
    defs: tuple[str, ...] = ()


class Drawings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds: paints by race, strokes by letter, which hull a race or a class has, hulls and pictures."""

    paints: dict[str, Paint]
    letters: dict[str, str]
    races: dict[str, str]
    classes: dict[str, str]
    hulls: dict[str, tuple[Body | Wing | Disc | Engine | Strut, ...]]
    pictures: dict[str, Plain]


@cache
def drawings() -> Drawings:
    """The drawings of the companion module."""
    return msgspec.convert(parsed_file(Path(__file__).with_name(FILE), "file of drawings", FILE), Drawings)


def paint_for(race: str) -> Paint:
    """The colours of a race."""
    return drawings().paints.get(race, drawings().paints["plain"])


def hull_for(race: str, class_name: str) -> str:
    """The name of the silhouette of a class."""
    return drawings().classes.get(f"{race} {class_name}", drawings().races.get(race, "raider"))


def drawn(hull: str, paint: Paint) -> str:
    """The SVG of a hull around the point 0, 0."""
    return "".join(shape.svg(paint) for shape in drawings().hulls[hull])


WIDTH, HEIGHT, STEP = 4.0, 6.0, 5.6
"""The grid of a letter, and the way from one letter to the next."""


def width(text: str, height: float) -> float:
    """How wide a text is that is *height* high."""
    return max(0.0, (len(text) * STEP - (STEP - WIDTH)) * height / HEIGHT)


def outline(text: str, x: float, y: float, height: float) -> str:
    """The path of a text whose top is at *y* and whose middle is at *x*. A letter that is not drawn here is left out.
    """
    unit = height / HEIGHT
    left = x - width(text, height) / 2
    path = []
    for place, letter in enumerate(text.upper()):
        start = left + place * STEP * unit
        for line in drawings().letters.get(letter, "").split("  "):
            points = [
                f"{format_number(start + int(at[0]) * unit)} {format_number(y + int(at[1]) * unit)}"
                for at in line.split()
            ]
            if points:
                path.append("M" + "L".join(points))
    return "".join(path)


def lettering(text: str, x: float, y: float, height: float, colour: str, thick: float = 1.0) -> str:
    """The text as an SVG element."""
    return (
        f'<path d="{outline(text, x, y, height)}" fill="none" stroke="{colour}" stroke-width="{format_number(thick)}"'
        ' stroke-linecap="round" stroke-linejoin="round"/>'
    )
