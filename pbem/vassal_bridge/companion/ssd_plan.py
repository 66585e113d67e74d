"""Where each box of a ship's display stands on the SSD that the companion module draws: pixels from its upper left.

Six shields stand round the ship, #1 ahead: rows ahead and astern, slanting columns at the sides. Within, weapons are
forward, engines at the sides, then the bridge, the rest of the ship, its power and its tracks. The boxes of a shield
are lost from the outside in, all others from the first to the last, row by row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pbem.data.displays import LEFT, kinds, weapon_place
from pbem.data.ships import ShipClass, ship_class
from pbem.rules.sensors import track_boxes
from pbem.vassal_bridge.companion.strokes import width

WIDE = 560
BOX, PITCH = 12, 15
"""The side of a box, and the way from one to the next."""
LEAN = 3
"""So far a column of shields at a side leans outward or inward from box to box."""
LONGEST, SHORT, COLUMNS = 12, 6, 3
"""Boxes in the longest row; :data:`STRIPS` are drawn for no longer ones. Shields at the sides stand in rows half as
long where three of these hold them: a small ship has less to put between them.
"""
STRIPS = {"across": (3, 6, 12), "down": (8,), "outward": (6, 12), "inward": (6, 12)}
"""How long the pictures of crosses are that lie over a row, by the way it goes; each row takes the shortest it can."""
STEPS = {"across": (PITCH, 0), "down": (0, PITCH), "outward": (LEAN, PITCH), "inward": (-LEAN, PITCH)}
"""From one box of a row to the next, on the right; on the left, outward and inward change places."""

MIDDLE = WIDE // 2
ROOM = 164
"""What is inside reaches so far to both sides of the middle."""
SIDE = MIDDLE + ROOM + 14
"""Where the inner column of shields #2 and #3 begins, its left edge; those at the left are mirrored."""
BESIDE = BOX + 4
MOUNT, MOUNT_HIGH, MOUNTS = 50, 24, 54
"""A weapon's box, wide and high, and the way to the next."""
TEXT, SMALL_TEXT = 7.0, 5.6
"""Heights of letters."""
HEAD = 48
"""What the title takes."""
FOOT = 24
"""Room under all, where the piece shows what else everybody may know."""
CROSSED = "internals"
"""The group of the points on an abstract damage track, where a class has one instead of a chart."""
LABEL = 13
"""A line of words over boxes."""
AT_A_GLANCE = 5

WORDS = {
    "warp left": "left warp", "warp right": "right warp", "warp center": "center warp", "apr": "APR", "emer": "emer",
    "aux": "aux con", "tran": "trans", "excess": "excess damage", "damcon": "damage control", CROSSED: "damage points",
}  # fmt: skip
"""What an SSD calls boxes whose names are short for more."""


@dataclass(frozen=True)
class Row:
    """Boxes side by side: the upper left of the first, how many, and the way they go (:data:`STEPS`)."""

    x: int
    y: int
    count: int
    way: str = "across"

    def boxes(self) -> Iterator[tuple[int, int]]:
        """The upper left of each box."""
        right, down = STEPS[self.way]
        return ((self.x + right * place, self.y + down * place) for place in range(self.count))

    @property
    def strip(self) -> int:
        """How long the picture of crosses is that lies over it."""
        return next(length for length in STRIPS[self.way] if length >= self.count)


@dataclass(frozen=True)
class Group:
    """Boxes of one kind: ``name`` as the game has it (``shield 1``, ``hull fore``, ``sensor``), its rows in the order
    in which they are lost, what stands over it (``words``, centred at ``x``, top at ``y``), and the numbers in the
    boxes of a track.
    """

    name: str
    words: str
    x: int
    y: int
    rows: tuple[Row, ...]
    numbers: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        return sum(row.count for row in self.rows)

    def area(self) -> tuple[int, int, int, int]:
        """The least rectangle round its boxes: left, top, width and height."""
        spots = [spot for row in self.rows for spot in row.boxes()]
        left, top = min(x for x, _ in spots), min(y for _, y in spots)
        return left, top, max(x for x, _ in spots) + BOX - left, max(y for _, y in spots) + BOX - top


@dataclass(frozen=True)
class Mount:
    """A weapon's box by its upper left: the weapon's name and its arc."""

    name: str
    arc: str
    x: int
    y: int


@dataclass(frozen=True)
class Plan:
    """The whole of a display: its height, its groups and mounts, the hull round all that is inside, lines of small
    words.
    """

    ship: ShipClass
    high: int
    groups: tuple[Group, ...]
    mounts: tuple[Mount, ...]
    hull: tuple[int, int]
    lines: tuple[tuple[int, str], ...]


def crossed_points(ship: ShipClass) -> int:
    """The points of an abstract damage track, 0 for a ship that has a chart."""
    return max((step.points for step in ship.thresholds), default=0) if ship.damage == "track" else 0


def box_counts(ship: ShipClass) -> dict[str, int]:
    """All boxes of a class by the names of their groups, shields included and weapons left out."""
    shields = {f"shield {number}": boxes for number, boxes in enumerate(ship.shields, start=1)}
    points = crossed_points(ship)
    found = {**shields, **ship.boxes, **track_boxes(ship.tracks), **({CROSSED: points} if points else {})}
    return {name: count for name, count in found.items() if count}


@cache
def plan_of(key: str) -> Plan:
    """The display of a shipped class, by its key."""
    return plan(ship_class(key))


def plan(ship: ShipClass) -> Plan:
    """The display of a class."""
    groups: list[Group] = []
    y = HEAD + LABEL
    first = ship.shields[0]
    if first:
        rows = [Row(MIDDLE - PITCH * n // 2 + 1, y + PITCH * place, n) for place, n in enumerate(_split(first))]
        groups.append(Group("shield 1", f"#1  {first}", MIDDLE, HEAD, tuple(rows)))
        y += PITCH * len(rows)
    top = y + 8
    sides = {number: ship.shields[number - 1] for number in (2, 3, 5, 6)}
    most = SHORT if max(sides.values()) <= SHORT * COLUMNS else LONGEST
    long = [max(max(_split(sides[number], most), default=0) for number in pair) for pair in ((2, 6), (3, 5))]
    *_, high = _inside(ship, 0)
    between = max(2 * LABEL + PITCH * sum(long) + 12, high + 12)
    bottom = top + between
    inside, mounts, _ = _inside(ship, top + 6 + (between - 12 - high) // 2)
    for number, way in ((2, "outward"), (3, "inward"), (5, "inward"), (6, "outward")):
        groups += _beside(number, _split(sides[number], most), way, top, bottom)
    y, fourth = bottom + 10, ship.shields[3]
    if fourth:
        parts = _split(fourth)
        rows = [Row(MIDDLE - PITCH * n // 2 + 1, y + PITCH * place, n) for place, n in enumerate(reversed(parts))]
        y += PITCH * len(rows)
        groups.append(Group("shield 4", f"#4  {fourth}", MIDDLE, y + 2, tuple(reversed(rows))))
        y += LABEL
    lines = []
    for said in _thresholds(ship):
        lines.append((y + 4, said))
        y += 10
    return Plan(ship, y + FOOT, tuple(groups) + inside, mounts, (top, bottom), tuple(lines))


def _split(boxes: int, most: int = LONGEST) -> list[int]:
    """Boxes in rows as even as can be, the longer ones first."""
    rows = -(-boxes // most)
    return [boxes // rows + (place < boxes % rows) for place in range(rows)] if boxes else []


def _beside(number: int, parts: Sequence[int], way: str, top: int, bottom: int) -> Iterator[Group]:
    """A shield at a side: #2 and #6 from the top, #3 and #5 down to the bottom; the outermost column first."""
    if not parts:
        return
    upper = number in (2, 6)
    long = max(parts)
    y = top + LABEL if upper else bottom - LABEL - PITCH * long + 3
    start = SIDE if upper else SIDE + LEAN * (long - 1)
    if number > 3:
        start, way = WIDE - start - BOX, "inward" if way == "outward" else "outward"
    out = -1 if number > 3 else 1
    columns = [Row(start + out * BESIDE * place, y, count, way) for place, count in enumerate(parts)]
    middle = start + BOX // 2 + out * BESIDE * (len(parts) - 1) // 2
    if not upper:
        middle += STEPS[way][0] * (long - 1)
    yield Group(
        *(f"shield {number}", f"#{number}  {sum(parts)}", middle, y - LABEL if upper else y + PITCH * long + 1),
        rows=tuple(reversed(columns)),
    )


def _thresholds(ship: ShipClass) -> Iterator[str]:
    """What the points of an abstract damage track do."""
    if crossed_points(ship):
        steps = sorted(ship.thresholds, key=lambda step: step.points)
        yield " / ".join(f"{step.points} points - {step.effect}" for step in steps)


def _inside(ship: ShipClass, y: int) -> tuple[tuple[Group, ...], tuple[Mount, ...], int]:
    """All but the shields, and where they end."""
    mounts, y = _weapons(ship, y)
    counts = {name: count for name, count in box_counts(ship).items() if not name.startswith("shield ")}
    found = kinds(counts)
    groups: list[Group] = []
    low = begin = y + 2
    for name in found.engines:
        boxes, columns = counts[name], 2 if counts[name] > 3 else 1
        x = MIDDLE - ROOM if name == LEFT else MIDDLE + ROOM - PITCH * columns + 3
        parts = _split(boxes, -(-boxes // columns))
        rows = tuple(Row(x + PITCH * place, begin + LABEL, n, "down") for place, n in enumerate(parts))
        words = f"warp {boxes}"
        half = max(PITCH * columns - 3, width(words, TEXT)) / 2
        middle = round(MIDDLE - ROOM + half) if name == LEFT else round(MIDDLE + ROOM - half)
        groups.append(Group(name, words, middle, begin, rows))
        low = max(low, begin + LABEL + PITCH * parts[0])
    room = ROOM - (2 * PITCH + 16 if found.engines else 0)
    for names in (found.command, found.rest, found.power):
        flowed, y = _flow([(name, counts[name], ()) for name in names], y + 2, room)
        groups += flowed
    y = max(y, low)
    tracks = [(name, counts[name], ship.tracks[name]) for name in found.tracks]
    flowed, y = _flow(tracks, y + 2, ROOM)
    return (*groups, *flowed), mounts, y


def _weapons(ship: ShipClass, y: int) -> tuple[tuple[Mount, ...], int]:
    """Weapons in rows, centred, heavy ones after phasers as reports list them."""
    arms = sorted(ship.weapons, key=lambda weapon: weapon_place(weapon.name))
    across = max(1, 2 * ROOM // MOUNTS)
    found = []
    for row in range(0, len(arms), across):
        part = arms[row : row + across]
        x = MIDDLE - MOUNTS * len(part) // 2 + (MOUNTS - MOUNT) // 2
        found += [Mount(weapon.name, weapon.arc, x + MOUNTS * place, y) for place, weapon in enumerate(part)]
        y += MOUNT_HIGH + 4
    return tuple(found), y


Block = tuple[str, int, Sequence[int]]


def _flow(blocks: Iterable[Block], y: int, room: int) -> tuple[list[Group], int]:
    """Blocks of boxes side by side within ``room`` to both sides of the middle, each under its name."""
    lines: list[list[tuple[Block, list[int], int]]] = []
    used = 0
    for block in blocks:
        name, boxes, _ = block
        parts = _split(boxes, 10)
        wide = max(PITCH * parts[0] - 3, round(width(words_of(name, boxes), TEXT))) + 14
        if not lines or used + wide > 2 * room + 14:
            lines.append([])
            used = 0
        lines[-1].append((block, parts, wide))
        used += wide
    groups = []
    for line in lines:
        x = MIDDLE - (sum(wide for _, _, wide in line) - 14) // 2
        for (name, boxes, numbers), parts, wide in line:
            middle = x + (wide - 14) // 2
            left = middle - (PITCH * parts[0] - 3) // 2
            rows = tuple(Row(left, y + LABEL + PITCH * place, n) for place, n in enumerate(parts))
            groups.append(Group(name, words_of(name, 0 if numbers else boxes), middle, y, rows, tuple(numbers)))
            x += wide
        y += LABEL + PITCH * max(len(parts) for _, parts, _ in line) + 4
    return groups, y


def words_of(name: str, boxes: int) -> str:
    """What stands over a group: its name, and how many where that is not seen at a glance."""
    said = WORDS.get(name, name)
    return f"{said} {boxes}" if boxes > AT_A_GLANCE else said
