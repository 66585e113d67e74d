"""The silhouettes: ships of each race from above, drawn for this project, bow up.

A hull is a few shapes on both sides of a middle line: x counts from the line outward, y from the middle of the counter
downward, in pixels. The shapes are our own: what tells a race is the arrangement (a disc before two engines, a bulb on
a boom, two hulls side by side), not anybody's drawing.
"""

from __future__ import annotations

from dataclasses import dataclass

from pbem.tabletop.companion.strokes import number

Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Paint:
    """The colours of a hull: its plates, its edges, its engines."""

    plate: str
    edge: str
    glow: str


@dataclass(frozen=True)
class Body:
    """A plate across the middle line; *right* is its right-hand edge from bow to stern."""

    right: Points
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        points = [*self.right, *((-x, y) for x, y in reversed(self.right) if x)]
        return _polygon(points, paint.edge if self.dark else paint.plate, paint.edge)


@dataclass(frozen=True)
class Wing:
    """A plate on the right and the same on the left."""

    right: Points
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        fill = paint.edge if self.dark else paint.plate
        left = [(-x, y) for x, y in self.right]
        return _polygon(list(self.right), fill, paint.edge) + _polygon(left, fill, paint.edge)


@dataclass(frozen=True)
class Disc:
    """A round hull on the middle line, or one on each side."""

    y: float
    radius: float
    x: float = 0.0
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        fill = paint.edge if self.dark else paint.plate
        return "".join(
            f'<circle cx="{number(x)}" cy="{number(self.y)}" r="{number(self.radius)}" fill="{fill}"'
            f' stroke="{paint.edge}" stroke-width="0.8"/>'
            for x in ((self.x, -self.x) if self.x else (0.0,))
        )


@dataclass(frozen=True)
class Engine:
    """A long pod with a glowing end, on each side or on the middle line."""

    top: float
    bottom: float
    half: float
    x: float = 0.0

    def svg(self, paint: Paint) -> str:
        parts = []
        for x in (self.x, -self.x) if self.x else (0.0,):
            parts.append(
                f'<rect x="{number(x - self.half)}" y="{number(self.top)}" width="{number(2 * self.half)}"'
                f' height="{number(self.bottom - self.top)}" rx="{number(self.half)}" fill="{paint.plate}"'
                f' stroke="{paint.edge}" stroke-width="0.7"/>'
                f'<circle cx="{number(x)}" cy="{number(self.bottom - self.half)}" r="{number(self.half * 0.7)}"'
                f' fill="{paint.glow}"/>'
            )
        return "".join(parts)


@dataclass(frozen=True)
class Strut:
    """A bar from one point to another, on both sides."""

    start: tuple[float, float]
    end: tuple[float, float]
    thick: float = 1.6
    dark: bool = False

    def svg(self, paint: Paint) -> str:
        (x1, y1), (x2, y2) = self.start, self.end
        colour = paint.edge if self.dark else paint.plate
        return "".join(
            f'<path d="M{number(side * x1)} {number(y1)}L{number(side * x2)} {number(y2)}" stroke="{colour}"'
            f' stroke-width="{number(self.thick)}" stroke-linecap="round"/>'
            for side in (1, -1)
        )


Shape = Body | Wing | Disc | Engine | Strut
Hull = tuple[Shape, ...]


def _polygon(points: list[tuple[float, float]], fill: str, edge: str) -> str:
    path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f'<polygon points="{path}" fill="{fill}" stroke="{edge}" stroke-width="0.8" stroke-linejoin="round"/>'


CRUISER: Hull = (
    Strut((2, 4), (10, 3)),
    Engine(-2, 13, 1.9, x=10.5),
    Body(((1.6, -2), (2.8, 2), (2.8, 10), (1.4, 13))),
    Disc(-8, 8.6),
    Disc(-8, 3.4),
    Disc(-8, 1.2, dark=True),
)
BATTLECRUISER: Hull = (
    Body(((1.7, -12), (1.7, -1), (6, 1), (15.5, 8), (15.5, 11), (6, 9), (4, 13), (0, 11.5))),
    Engine(1, 14, 1.6, x=15.3),
    Body(((0, -17), (3.4, -15), (4.2, -12), (2.4, -9.6), (0, -9))),
    Strut((0, 0), (0, 9), 1.2, dark=True),
    Strut((4, 4), (13, 8.5), 0.8, dark=True),
)
HEAVY_BATTLECRUISER: Hull = (
    Body(((1.7, -12), (1.7, -3), (5, -2), (16, 3), (16, 6), (7, 8), (5, 13), (0, 11))),
    Engine(-3, 12, 1.7, x=15.7),
    Body(((0, -17), (4.4, -14.6), (4.8, -11), (2.4, -9), (0, -8.6))),
    Disc(3.5, 2.6),
    Strut((4, 2), (13, 4.5), 0.8, dark=True),
)
WAR_BIRD: Hull = (
    Body(((0, -15), (2.2, -13), (3, -7), (8, -5), (17, 4), (17.5, 9), (12, 6), (7, 6), (5, 10), (6, 14), (0, 10.5))),
    Engine(-1, 10, 1.4, x=17),
    Strut((4, -3), (13, 5), 0.8, dark=True),
    Strut((3, 0), (8, 5.5), 0.8, dark=True),
    Disc(-10, 1.1, dark=True),
)
KESTREL: Hull = (
    Body(
        (
            (1.6, -12), (1.6, -2), (6, 0), (16, 6), (16, 10), (12, 8.5), (11.5, 10.5), (8, 8), (7.4, 10.4), (4.5, 8.6),
            (4, 13), (0, 11),
        )
    ),
    Engine(0, 12, 1.5, x=16),
    Body(((0, -17), (1.6, -15.5), (3.8, -12), (2, -9.4), (0, -9))),
    Strut((3, 3), (13, 7), 0.8, dark=True),
)  # fmt: skip
SAURIAN: Hull = (
    Strut((0, 4), (10, 4), 3),
    Engine(-5, 12, 2.6, x=11),
    Disc(4.5, 7.2),
    Disc(-7.5, 7.2),
    Disc(4.5, 3),
    Body(((0, -12), (2.4, -9), (0, -6)), dark=True),
)
DAGGER: Hull = (
    Strut((2, 4), (10, 0), 2),
    Strut((2, 7), (10, 6), 1.4),
    Wing(((9, -12), (10.4, -14), (12, -12), (12.4, 10), (10.6, 12), (8.8, 10))),
    Body(((0, -17), (2.2, -12), (3.2, -2), (3.2, 8), (5, 12), (2, 13.5), (0, 12))),
    Engine(6, 14, 1.4),
    Strut((1.4, -9), (1.8, 2), 0.8, dark=True),
)
CATAMARAN: Hull = (
    Strut((0, -2), (7, -2), 2.4),
    Strut((0, 5), (13, 5), 2.4),
    Engine(0, 12, 1.6, x=13.5),
    Wing(((4.6, -15), (7, -16.5), (9, -14), (9.4, 4), (8.4, 12.5), (5.4, 12.5), (4.4, 4))),
    Body(((0, -5), (2.4, -3), (2.4, 8), (0, 10))),
    Strut((6.9, -12), (6.9, 8), 0.8, dark=True),
)
RANGER: Hull = (
    Strut((2, 5), (9, 8), 2.4),
    Engine(3, 14, 1.8, x=9.5),
    Engine(6, 14.5, 2),
    Body(((0, -16), (4.5, -14), (6.5, -9), (5.4, -2), (5.4, 7), (3, 10), (0, 10))),
    Disc(-8.5, 3.2),
    Strut((2.4, 0), (2.4, 7), 0.8, dark=True),
)
CRYSTAL: Hull = (
    Body(((0, -16), (4, -6), (12, 9), (9, 11), (4, 7), (2, 12), (0, 10))),
    Body(((0, -16), (1.6, -4), (0, 9)), dark=True),
    Strut((2, -5), (10, 9), 0.8, dark=True),
    Engine(5, 13, 1.2, x=9.5),
)
SMALL_CRYSTAL: Hull = (
    Body(((0, -11), (3, -3), (8, 6), (4, 5), (2, 8.5), (0, 7))),
    Body(((0, -11), (1.2, -2), (0, 6)), dark=True),
    Engine(2.5, 8.5, 1.1, x=6.5),
)
RAIDER: Hull = (
    Body(((0, -14), (2, -12.5), (4, -5), (11, 2), (13, 9), (6, 7), (4, 12), (0, 9.5))),
    Engine(-6, 12, 1.9, x=12.5),
    Disc(0, 3),
    Strut((0, -11), (0, -6), 1.2, dark=True),
    Strut((4, 1), (10, 6), 0.8, dark=True),
)
CONCORD: Hull = (
    Strut((2, 2), (10, 6), 2),
    Engine(-3, 13, 1.8, x=11),
    Engine(2, 14, 2),
    Body(((0, -16), (5, -12), (8, -5), (6.5, 2), (2.6, 6), (0, 7))),
    Disc(-5, 4.4, dark=True),
    Disc(-5, 3),
)
HAULER: Hull = (
    Strut((0, -12), (0, 12), 2.2),
    Body(((0, -16), (2.6, -14.5), (3.2, -11), (0, -10))),
    Body(((5, -9), (5, -3))),
    Body(((5, -2), (5, 4))),
    Body(((5, 5), (5, 11))),
    Engine(4, 13, 1.5, x=7.4),
    Strut((0, -6), (3.4, -6), 0.8, dark=True),
    Strut((0, 1), (3.4, 1), 0.8, dark=True),
)
SMALL_HAULER: Hull = (
    Strut((0, -10), (0, 10), 2.2),
    Body(((0, -14), (2.6, -12.5), (3.2, -9), (0, -8))),
    Body(((5, -7), (5, 0))),
    Body(((5, 1), (5, 8))),
    Engine(3, 12, 1.5, x=7.4),
    Strut((0, -3.5), (3.4, -3.5), 0.8, dark=True),
)
SHUTTLE: Hull = (
    Body(((0, -8), (2.6, -6.5), (3.6, 3), (2.6, 6), (0, 6))),
    Engine(-1, 8, 1.1, x=4.6),
    Strut((0, -4.4), (1.4, -4.4), 1.2, dark=True),
)
DRONE: Hull = (
    Wing(((1.6, 2), (5.4, 6.6), (5.4, 9), (1.6, 7.6))),
    Wing(((1.6, -4.6), (3.8, -2.4), (1.6, -0.6))),
    Body(((0, -11), (1.9, -7.8), (2.2, 7), (0, 8.6))),
)

BY_CLASS = {
    ("klingon", "D7"): HEAVY_BATTLECRUISER,
    ("romulan", "KR"): KESTREL,
    ("tholian", "PC"): SMALL_CRYSTAL,
    ("civilian", "F-S"): SMALL_HAULER,
}
BY_RACE = {
    "federation": CRUISER,
    "klingon": BATTLECRUISER,
    "romulan": WAR_BIRD,
    "gorn": SAURIAN,
    "kzinti": DAGGER,
    "lyran": CATAMARAN,
    "hydran": RANGER,
    "tholian": CRYSTAL,
    "orion": RAIDER,
    "isc": CONCORD,
    "civilian": HAULER,
}
"""What ships of a race look like; a race that is not here gets the raider's hull."""


def hull_for(race: str, class_name: str) -> Hull:
    """The silhouette of a class."""
    return BY_CLASS.get((race, class_name), BY_RACE.get(race, RAIDER))


def drawn(hull: Hull, paint: Paint) -> str:
    """The SVG of a hull around the point 0, 0."""
    return "".join(shape.svg(paint) for shape in hull)
