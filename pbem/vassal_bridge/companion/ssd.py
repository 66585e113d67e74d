"""The SSDs of the companion module: layout, drawing, counter traits, and the impulse trackers.

Layout, in pixels from the upper left: six shields surround the ship, #1 ahead. Inside, weapons are forward and
engines at the sides. Then come the bridge, the rest of the ship, its power and its tracks. Shield boxes are lost
from the outside to the inside, all other boxes from the first to the last, row by row.

An SSD is one counter: a board, layers of crosses, and buttons. A click on boxes crosses off one more, and a click
on their name takes one cross back. The menu has the same commands, and the chat reports them. Each group of boxes
is one layer whose level is the number of lost boxes plus one. If a group has several rows, the layers of the
further rows follow the level of the first.

An impulse tracker has three parts side by side: the steps before the first impulse, the impulses with their steps,
and the end of the turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pbem.data.ships import LEFT, ShipClass, kinds, ship_class, ship_keys, weapon_place
from pbem.engine.state import State
from pbem.engine.step_names import TITLES
from pbem.rules.sensors import track_boxes
from pbem.vassal_bridge.companion import counters
from pbem.vassal_bridge.companion.counters import LayerMenu, SvgPicture, TextLabel, framed
from pbem.vassal_bridge.companion.drawings import drawn, fmt, hull_for, lettering, outline, paint_for, width
from vassal.pieces.trait import Trait
from vassal.text import sequence

WIDE = 560
BOX, PITCH = 12, 15
"""The side of a box, and the distance from one box to the next, in pixels."""
LEAN = 3
"""Pixels by which each box of a side shield is offset from the one before it."""
LONGEST, SHORT, COLUMNS = 12, 6, 3
"""Maximum boxes in a row, boxes in a short column of a side shield, and maximum number of short columns.

:data:`STRIPS` has pictures for rows up to the longest. Side shields use short columns if these hold all boxes,
because a small ship needs less space between them.
"""
STRIPS = {"across": (3, 6, 12), "down": (8,), "outward": (6, 12), "inward": (6, 12)}
"""The lengths, in boxes, of the pictures of crosses, by the direction of the row.

Each row uses the shortest picture that covers it.
"""
STEPS = {"across": (PITCH, 0), "down": (0, PITCH), "outward": (LEAN, PITCH), "inward": (-LEAN, PITCH)}
"""The offset in pixels from one box of a row to the next, for each direction, on the right side of the SSD.

On the left side, outward and inward are swapped.
"""

MIDDLE = WIDE // 2
ROOM = 164
"""Distance in pixels from the middle of the SSD to each edge of the inner area."""
SIDE = MIDDLE + ROOM + 14
"""The left edge in pixels of the inner column of shields #2 and #3. The shields on the left side are mirrored."""
BESIDE = BOX + 4
MOUNT, MOUNT_HIGH, MOUNTS = 50, 24, 54
"""Width and height of a weapon's box, and the distance from one to the next, in pixels."""
TEXT, SMALL_TEXT = 7.0, 5.6
"""Heights of letters in pixels."""
HEAD = 48
"""Height of the title in pixels."""
FOOT = 24
"""Height in pixels of the space at the bottom, where the counter shows other public facts."""
CROSSED = "internals"
"""Name of the group for damage points, for a class that has a damage track instead of a damage chart."""
LABEL = 13
"""Height of a line of words above boxes, in pixels."""
AT_A_GLANCE = 5

WORDS = {
    "warp left": "left warp", "warp right": "right warp", "warp center": "center warp", "apr": "APR", "emer": "emer",
    "aux": "aux con", "tran": "trans", "excess": "excess damage", "damcon": "damage control", CROSSED: "damage points",
}  # fmt: skip
"""Captions on an SSD for boxes whose names in the game are abbreviations."""


@dataclass(frozen=True)
class BoxRow:
    """A row of boxes: upper left corner of the first box, number of boxes, and direction (:data:`STEPS`)."""

    x: int
    y: int
    count: int
    way: str = "across"

    def boxes(self) -> Iterator[tuple[int, int]]:
        """Return the upper left corner of each box of the row, in pixels."""
        right, down = STEPS[self.way]
        return ((self.x + right * place, self.y + down * place) for place in range(self.count))

    @property
    def strip(self) -> int:
        """Number of boxes in the picture of crosses for this row; it may exceed the row's own number of boxes."""
        return next(length for length in STRIPS[self.way] if length >= self.count)


@dataclass(frozen=True)
class BoxGroup:
    """All boxes of one kind on an SSD.

    Attributes:
        name: The name in the game (``shield 1``, ``hull fore``, ``sensor``).
        words: The caption.
        x: The middle of the caption, in pixels.
        y: The top of the caption, in pixels.
        rows: The rows of boxes, in the order in which they are lost.
        numbers: The numbers in the boxes, for a track such as ``sensor``.
    """

    name: str
    words: str
    x: int
    y: int
    rows: tuple[BoxRow, ...]
    numbers: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """The number of boxes in the group."""
        return sum(row.count for row in self.rows)

    def area(self) -> tuple[int, int, int, int]:
        """Return the smallest rectangle around the boxes: left, top, width and height in pixels."""
        spots = [spot for row in self.rows for spot in row.boxes()]
        left, top = min(x for x, _ in spots), min(y for _, y in spots)
        return left, top, max(x for x, _ in spots) + BOX - left, max(y for _, y in spots) + BOX - top


@dataclass(frozen=True)
class SsdMount:
    """The box of a weapon on an SSD: its upper left corner in pixels, the weapon's name and its arc."""

    name: str
    arc: str
    x: int
    y: int


@dataclass(frozen=True)
class SsdLayout:
    """The layout of an SSD: its box groups, weapon boxes and texts.

    ``high`` is its height in pixels. ``hull`` is the top and bottom of the hull outline in pixels. ``lines`` are lines
    of small text, each with its y coordinate.
    """

    ship: ShipClass
    high: int
    groups: tuple[BoxGroup, ...]
    mounts: tuple[SsdMount, ...]
    hull: tuple[int, int]
    lines: tuple[tuple[int, str], ...]


def crossed_points(ship: ShipClass) -> int:
    """Return the number of points on a class's damage track, or 0 for a class with a damage chart."""
    return max((step.points for step in ship.thresholds), default=0) if ship.damage == "track" else 0


def box_counts(ship: ShipClass) -> dict[str, int]:
    """Return a class's number of boxes by group name, including shields but not weapons."""
    shields = {f"shield {number}": boxes for number, boxes in enumerate(ship.shields, start=1)}
    points = crossed_points(ship)
    found = {**shields, **ship.boxes, **track_boxes(ship.tracks), **({CROSSED: points} if points else {})}
    return {name: count for name, count in found.items() if count}


@cache
def plan_of(key: str) -> SsdLayout:
    """Return the SSD layout of the shipped ship class with this key."""
    return plan(ship_class(key))


def plan(ship: ShipClass) -> SsdLayout:
    """Return the SSD layout of a ship class."""
    groups: list[BoxGroup] = []
    y = HEAD + LABEL
    first = ship.shields[0]
    if first:
        rows = [BoxRow(MIDDLE - PITCH * n // 2 + 1, y + PITCH * place, n) for place, n in enumerate(_split(first))]
        groups.append(BoxGroup("shield 1", f"#1  {first}", MIDDLE, HEAD, tuple(rows)))
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
        rows = [BoxRow(MIDDLE - PITCH * n // 2 + 1, y + PITCH * place, n) for place, n in enumerate(reversed(parts))]
        y += PITCH * len(rows)
        groups.append(BoxGroup("shield 4", f"#4  {fourth}", MIDDLE, y + 2, tuple(reversed(rows))))
        y += LABEL
    lines = []
    for line in _thresholds(ship):
        lines.append((y + 4, line))
        y += 10
    return SsdLayout(ship, y + FOOT, tuple(groups) + inside, mounts, (top, bottom), tuple(lines))


def _split(boxes: int, most: int = LONGEST) -> list[int]:
    """Return the lengths of the rows into which a number of boxes is divided, as evenly as possible.

    Longer rows come first.
    """
    rows = -(-boxes // most)
    return [boxes // rows + (place < boxes % rows) for place in range(rows)] if boxes else []


def _beside(number: int, parts: Sequence[int], way: str, top: int, bottom: int) -> Iterator[BoxGroup]:
    """Yield the box group of a side shield, outermost column first; nothing for a shield without boxes.

    The columns of shields #2 and #6 start at the top, and the columns of shields #3 and #5 end at the bottom.
    ``parts`` are the lengths of the columns.
    """
    if not parts:
        return
    upper = number in (2, 6)
    long = max(parts)
    y = top + LABEL if upper else bottom - LABEL - PITCH * long + 3
    start = SIDE if upper else SIDE + LEAN * (long - 1)
    if number > 3:
        start, way = WIDE - start - BOX, "inward" if way == "outward" else "outward"
    out = -1 if number > 3 else 1
    columns = [BoxRow(start + out * BESIDE * place, y, count, way) for place, count in enumerate(parts)]
    middle = start + BOX // 2 + out * BESIDE * (len(parts) - 1) // 2
    if not upper:
        middle += STEPS[way][0] * (long - 1)
    yield BoxGroup(
        *(f"shield {number}", f"#{number}  {sum(parts)}", middle, y - LABEL if upper else y + PITCH * long + 1),
        rows=tuple(reversed(columns)),
    )


def _thresholds(ship: ShipClass) -> Iterator[str]:
    """Yield a line of text for each effect of a damage track, with the number of points that causes it."""
    if crossed_points(ship):
        steps = sorted(ship.thresholds, key=lambda step: step.points)
        yield " / ".join(f"{step.points} points - {step.effect}" for step in steps)


def _inside(ship: ShipClass, y: int) -> tuple[tuple[BoxGroup, ...], tuple[SsdMount, ...], int]:
    """Return the box groups and weapons inside the shields, and the y coordinate of their lower end."""
    mounts, y = _weapons(ship, y)
    counts = {name: count for name, count in box_counts(ship).items() if not name.startswith("shield ")}
    found = kinds(counts)
    groups: list[BoxGroup] = []
    low = begin = y + 2
    for name in found.engines:
        boxes, columns = counts[name], 2 if counts[name] > 3 else 1
        x = MIDDLE - ROOM if name == LEFT else MIDDLE + ROOM - PITCH * columns + 3
        parts = _split(boxes, -(-boxes // columns))
        rows = tuple(BoxRow(x + PITCH * place, begin + LABEL, n, "down") for place, n in enumerate(parts))
        words = f"warp {boxes}"
        half = max(PITCH * columns - 3, width(words, TEXT)) / 2
        middle = round(MIDDLE - ROOM + half) if name == LEFT else round(MIDDLE + ROOM - half)
        groups.append(BoxGroup(name, words, middle, begin, rows))
        low = max(low, begin + LABEL + PITCH * parts[0])
    room = ROOM - (2 * PITCH + 16 if found.engines else 0)
    for names in (found.command, found.rest, found.power):
        flowed, y = _flow([(name, counts[name], ()) for name in names], y + 2, room)
        groups += flowed
    y = max(y, low)
    tracks = [(name, counts[name], ship.tracks[name]) for name in found.tracks]
    flowed, y = _flow(tracks, y + 2, ROOM)
    return (*groups, *flowed), mounts, y


def _weapons(ship: ShipClass, y: int) -> tuple[tuple[SsdMount, ...], int]:
    """Return the boxes of the weapons in centred rows, and the y coordinate where they end.

    The weapons are in the same order as in reports: phasers first.
    """
    arms = sorted(ship.weapons, key=lambda weapon: weapon_place(weapon.name))
    across = max(1, 2 * ROOM // MOUNTS)
    found = []
    for row in range(0, len(arms), across):
        part = arms[row : row + across]
        x = MIDDLE - MOUNTS * len(part) // 2 + (MOUNTS - MOUNT) // 2
        found += [SsdMount(weapon.name, weapon.arc, x + MOUNTS * place, y) for place, weapon in enumerate(part)]
        y += MOUNT_HIGH + 4
    return tuple(found), y


Block = tuple[str, int, Sequence[int]]


def _flow(blocks: Iterable[Block], y: int, room: int) -> tuple[list[BoxGroup], int]:
    """Arrange blocks of boxes side by side, each under its caption, in as many lines as needed.

    Return the box groups and the y coordinate of their lower end. ``y`` is the upper end, and ``room`` the space to
    each side of the middle, in pixels.
    """
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
            rows = tuple(BoxRow(left, y + LABEL + PITCH * place, n) for place, n in enumerate(parts))
            groups.append(BoxGroup(name, words_of(name, 0 if numbers else boxes), middle, y, rows, tuple(numbers)))
            x += wide
        y += LABEL + PITCH * max(len(parts) for _, parts, _ in line) + 4
    return groups, y


def words_of(name: str, boxes: int) -> str:
    """Return the caption of a group of boxes: its name, and the number of boxes if above five."""
    caption = WORDS.get(name, name)
    return f"{caption} {boxes}" if boxes > AT_A_GLANCE else caption


PAPER, CARD, HULL, LINE, INK, SOFT, BAD = "#f3f5f8", "#ffffff", "#e9eef6", "#b9c4d6", "#18202e", "#4a5568", "#b3261e"
"""The colours that reports use for SSDs: page, boxes, inside, edges, words, small words, and lost boxes."""

LABEL_COLOUR = "24,32,46"
"""The colour of labels, as VASSAL writes it."""

EDGES = {"romulan": "#2a6350"}
"""Colours for the box edges of races whose counter colour is too similar to the crosses."""

MOUNT_CROSS = "xm"
"""Name of the picture that crosses off a weapon."""


def strip_name(direction: str, length: int, crosses: int) -> str:
    """Return the name of the picture that shows a number of crosses on a row of boxes.

    The name is short, because an SSD uses hundreds of these names. ``direction`` is the direction of the row
    (:data:`STEPS`), and ``length`` its number of boxes.
    """
    return f"x{direction[0]}{length}-{crosses}"


def pictures() -> dict[str, SvgPicture]:
    """Return every picture of the SSDs, by image name."""
    boards = {f"ssd-{key}": board(plan_of(key)) for key in ship_keys()}
    strips = {
        strip_name(way, length, crosses): strip(way, length, crosses)
        for way, lengths in STRIPS.items()
        for length in lengths
        for crosses in range(length + 1)
    }
    return {**boards, **strips, MOUNT_CROSS: _mount_cross()}


def strip_size(direction: str, length: int) -> tuple[int, int]:
    """Return the width and height in pixels of a picture of crosses on a row of boxes.

    The first box is at the upper left, or at the upper right if the row goes to the left. ``direction`` is the
    direction of the row (:data:`STEPS`), and ``length`` its number of boxes.
    """
    right, down = STEPS[direction]
    return abs(right) * (length - 1) + BOX + 2, abs(down) * (length - 1) + BOX + 2


def strip(direction: str, length: int, crosses: int) -> SvgPicture:
    """Return the picture of ``crosses`` crosses over the first boxes of a row.

    ``direction`` is the direction of the row (:data:`STEPS`), and ``length`` its number of boxes.
    """
    wide, high = strip_size(direction, length)
    right, down = STEPS[direction]
    start = -wide / 2 + 1 if right >= 0 else wide / 2 - 1 - BOX
    path = ""
    for place in range(crosses):
        x, y = start + right * place, -high / 2 + 1 + down * place
        path += _cross(x + 1, y + 1, BOX - 2, BOX - 2)
    return framed(wide, high, f'<path d="{path}" stroke="{BAD}" stroke-width="2.4" stroke-linecap="round"/>')


def _cross(x: float, y: float, wide: float, high: float) -> str:
    ways = (x, y, wide, high), (x, y + high, wide, -high)
    return "".join(f"M{fmt(a)} {fmt(b)}l{fmt(right)} {fmt(down)}" for a, b, right, down in ways)


def _mount_cross() -> SvgPicture:
    path = _cross(-MOUNT / 2 + 3, -MOUNT_HIGH / 2 + 3, MOUNT - 6, MOUNT_HIGH - 6)
    return framed(MOUNT, MOUNT_HIGH, f'<path d="{path}" stroke="{BAD}" stroke-width="2.6" stroke-linecap="round"/>')


def board(plan: SsdLayout) -> SvgPicture:
    """Return the drawing of a ship class's SSD without any lost boxes."""
    edge = box_edge(plan.ship.race)
    high = plan.high
    parts = [
        f'<rect width="{WIDE}" height="{high}" fill="{PAPER}"/>',
        f'<rect x="0.5" y="0.5" width="{WIDE - 1}" height="{high - 1}" fill="none" stroke="{LINE}"/>',
        f'<path d="{_hull(plan)}" fill="{HULL}" stroke="{LINE}"/>',
        _title(plan),
    ]
    boxes = "".join(_boxes(row) for group in plan.groups for row in group.rows)
    parts.append(f'<path d="{boxes}" fill="{CARD}" stroke="{edge}" stroke-width="1.3"/>')
    words = "".join(outline(group.words, group.x, group.y + 2, TEXT) for group in plan.groups)
    words += "".join(outline(mount.name, mount.x + MOUNT / 2, mount.y + 4, TEXT) for mount in plan.mounts)
    small = "".join(outline(mount.arc, mount.x + MOUNT / 2, mount.y + 14.5, SMALL_TEXT) for mount in plan.mounts)
    small += "".join(outline(line, MIDDLE, y, SMALL_TEXT) for y, line in plan.lines)
    small += "".join(_numbers(group) for group in plan.groups if group.numbers)
    parts.append("".join(_mount(mount, edge) for mount in plan.mounts))
    parts.append(_stroked(words, INK, 1.05))
    parts.append(_stroked(small, SOFT, 0.9))
    return SvgPicture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{high}" viewBox="0 0 {WIDE} {high}">'
        f"{''.join(parts)}</svg>",
        *(WIDE, high),
        sheet=True,
    )


def box_edge(race: str) -> str:
    """Return the colour of box edges on the SSDs of a race."""
    return EDGES.get(race, paint_for(race).edge)


def _stroked(path: str, colour: str, thick: float) -> str:
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{fmt(thick)}" stroke-linecap="round"'
        ' stroke-linejoin="round"/>'
    )


def _hull(plan: SsdLayout) -> str:
    """Return the SVG path of an outline around the inner area, pointed at the bow."""
    top, bottom = plan.hull
    left, right = MIDDLE - ROOM - 8, MIDDLE + ROOM + 8
    return f"M{left} {top + 22}l22 -22H{right - 22}l22 22V{bottom - 12}l-12 12H{left + 12}l-12 -12Z"


def _boxes(row: BoxRow) -> str:
    """Return the SVG path of a row of boxes. The boxes of side shields are slanted like their column."""
    right, down = STEPS[row.way]
    lean = math.atan2(right, down) if down else 0.0
    if not lean:
        return "".join(f"M{x} {y}h{BOX}v{BOX}h-{BOX}z" for x, y in row.boxes())
    path = []
    for x, y in row.boxes():
        corners = [
            (
                x + BOX / 2 + a * math.cos(lean) + b * math.sin(lean),
                y + BOX / 2 - a * math.sin(lean) + b * math.cos(lean),
            )
            for a, b in ((-BOX / 2, -BOX / 2), (BOX / 2, -BOX / 2), (BOX / 2, BOX / 2), (-BOX / 2, BOX / 2))
        ]
        path.append("M" + "L".join(f"{fmt(a)} {fmt(b)}" for a, b in corners) + "Z")
    return "".join(path)


def _mount(mount: SsdMount, edge: str) -> str:
    return (
        f'<rect x="{mount.x}" y="{mount.y}" width="{MOUNT}" height="{MOUNT_HIGH}" rx="3" fill="{CARD}" stroke="{edge}"'
        ' stroke-width="1.3"/>'
    )


def _numbers(group: BoxGroup) -> str:
    """Return the SVG path of the numbers in the boxes of a track."""
    spots = [spot for row in group.rows for spot in row.boxes()]
    return "".join(
        outline(str(rating), x + BOX / 2, y + 3.2, SMALL_TEXT)
        for rating, (x, y) in zip(group.numbers, spots, strict=True)
    )


def _title(plan: SsdLayout) -> str:
    """Return the title of an SSD as SVG: the silhouette, name and main facts of the ship class."""
    ship, paint = plan.ship, paint_for(plan.ship.race)
    hull = drawn(hull_for(ship.race, ship.class_name), paint)
    shown = f'<circle cx="30" cy="28" r="22" fill="#0d1424"/><g transform="translate(30 28)">{hull}</g>' + lettering(
        ship.name, 62 + width(ship.name, 10) / 2, 14, 10, INK, 1.5
    )
    facts = "   ".join(_facts(ship))
    return shown + lettering(facts, 62 + width(facts, SMALL_TEXT) / 2, 31, SMALL_TEXT, SOFT, 0.9)


def _facts(ship: ShipClass) -> list[str]:
    mode = ship.turn_mode or "/".join(map(str, ship.turn_modes))
    found = [f"movement {ship.move_cost}", f"turn mode {mode}"]
    return found + [f"{word} {count}" for word, count in _counts(ship) if count is not None]


def _counts(ship: ShipClass) -> tuple[tuple[str, int | None], ...]:
    return (
        ("crew", ship.crew),
        ("parties", ship.boarding_parties),
        ("explosion", ship.explosion),
        ("cloak", ship.cloak),
        ("BPV", ship.bpv),
    )


MARK = "Ssd"
"""The property that an SSD counter has; its value is the key of the ship class."""

SHIP_NAME, FACTS = "UnitName", "Facts"
"""Names of two labels on an SSD: the ship's name, and other public facts."""

MENUS = ("Cross off", "Give back", "Weapons")

OFF_OR_ON = " off or on"
_GROUP = 'menuCommand.substring(0, menuCommand.length() - 3).replace(" ", "") + "_Level"'
_WEAPON = f"menuCommand.substring(0, menuCommand.length() - {len(OFF_OR_ON)})"
_GROUP_TOLD = (
    f'{{"x" + GetProperty("old" + {_GROUP}) == "x" + GetProperty({_GROUP}) ? "" : newPieceName + ": " + menuCommand}}'
)
_WEAPON_TOLD = (
    f'{{newPieceName + ": " + {_WEAPON} + ("x" + GetProperty({_WEAPON}.replace(" ", "") + "_Active") == "xtrue"'
    ' ? " is off" : " is on again")}'
)
"""What the chat says of a weapon's layer after a click, as VASSAL expressions.

The chat says nothing if the click changed nothing; otherwise it says what the weapon is now. The name of a layer is
that of the command without its blanks and its end.
"""


def layer_of(name: str) -> str:
    """Return the layer name of a box group or a weapon, such as ``HullFore``, ``Shield1`` or ``PH1``."""
    return "".join(word[:1].upper() + word[1:] for word in name.split())


def group_title(name: str) -> str:
    """Return the name of a box group in menus and chat, such as ``Hull fore``."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def crossed(plan: SsdLayout, lost: Mapping[str, int], gone: frozenset[str]) -> dict[str, int]:
    """Return the level (number of the picture shown) of each layer of an SSD, by layer name.

    ``lost`` is the number of boxes lost in each group. ``gone`` has the names of lost weapons.
    """
    found: dict[str, int] = {}
    for group in plan.groups:
        count = max(0, min(group.count, lost.get(group.name, 0)))
        for place, (first, row) in enumerate(_rows(group)):
            level = count if not place else max(0, min(row.count, count - first))
            found[_row_name(group, place)] = level + 1
    found.update({layer_of(mount.name): 1 if mount.name in gone else -1 for mount in plan.mounts})
    return found


def ssd_traits(plan: SsdLayout, suffix: str) -> tuple[Trait, ...]:
    """Return the traits of an SSD counter, outermost first, without the core.

    ``suffix`` is the suffix of image files, such as ``.png``.
    """
    key = plan.ship.key
    buttons, layers, menus, keys, weapon_keys = _parts(plan, suffix)
    reports = [counters.report(_GROUP_TOLD, "tells what is crossed off by hand", *keys)]
    if weapon_keys:
        reports.append(counters.report(_WEAPON_TOLD, "tells which weapons are off", *weapon_keys))
    own = (WIDE // 2 - 14, 12 - plan.high // 2)
    below = (0, plan.high // 2 - 18)
    return (
        *reports,
        *(_submenu(title, commands) for title, commands in zip(MENUS, menus, strict=True) if commands),
        counters.SHEET,
        counters.DELETE,
        TextLabel(*own, "r", 15, LABEL_COLOUR, bold=True, form="$pieceName$ ($label$)").trait(
            SHIP_NAME, "name", key=counters.RENAME, command="Change Name"
        ),
        TextLabel(*below, "c", 12, LABEL_COLOUR, bold=True).trait(FACTS, "facts"),
        *buttons,
        *layers,
        counters.mark(**{MARK: key, "Race": plan.ship.race}),
    )


def _submenu(title: str, commands: list[str]) -> Trait:
    return Trait(sequence.encode(["submenu", title, sequence.encode(commands, ",")], ";"), "")


def _rows(group: BoxGroup) -> Iterator[tuple[int, BoxRow]]:
    """Yield the rows of a group, each with the number of boxes that are lost before the row's first box."""
    first = 0
    for row in group.rows:
        yield first, row
        first += row.count


def _row_name(group: BoxGroup, place: int) -> str:
    return layer_of(group.name) + (f".{place + 1}" if place else "")


def _parts(
    plan: SsdLayout, suffix: str
) -> tuple[list[Trait], list[Trait], tuple[list[str], ...], list[str], list[str]]:
    """Return the parts of an SSD counter.

    They are buttons, layers, the commands of each menu, the keys of boxes and the keys of weapons.
    """
    buttons: list[Trait] = []
    layers: list[Trait] = []
    keys: list[str] = []
    weapon_keys: list[str] = []
    off: list[str] = []
    back: list[str] = []
    toggles: list[str] = []
    for group in plan.groups:
        name, called = layer_of(group.name), group_title(group.name)
        more, less = counters.named(f"{name} off"), counters.named(f"{name} back")
        keys += [more, less]
        off.append(f"{called} -1")
        back.append(f"{called} +1")
        layers += _layers(plan, group, suffix, more, less)
        buttons.append(_button(plan, more, group.area(), f"cross off {called}"))
        wide = round(width(group.words, TEXT)) + 6
        spot = (group.x - wide // 2, group.y - 1, wide, LABEL - 2)
        buttons.append(_button(plan, less, spot, f"give back {called}"))
    for mount in plan.mounts:
        key = counters.named(f"{layer_of(mount.name)} off")
        weapon_keys.append(key)
        toggles.append(mount.name + OFF_OR_ON)
        layers.append(_mount_layer(plan, mount, suffix, key))
        buttons.append(_button(plan, key, (mount.x, mount.y, MOUNT, MOUNT_HIGH), f"cross off {mount.name}"))
    return buttons, layers, (off, back, toggles), keys, weapon_keys


def _button(plan: SsdLayout, key: str, spot: tuple[int, int, int, int], about: str) -> Trait:
    x, y, wide, high = spot
    place = (x - WIDE // 2, y - plan.high // 2, wide, high)
    return Trait(sequence.encode(["button", key, *map(str, place), about], ";"), "")


def _layers(plan: SsdLayout, group: BoxGroup, suffix: str, more: str, less: str) -> Iterator[Trait]:
    own, called = layer_of(group.name), group_title(group.name)
    for place, (first, row) in enumerate(_rows(group)):
        images = [strip_name(row.way, row.strip, n) + suffix for n in range(row.count + 1)]
        if not place:  # the level of the first row's layer counts the boxes of all rows
            images += images[-1:] * (group.count - row.count)
        yield counters.layer(
            _row_name(group, place),
            images,
            LayerMenu() if place else LayerMenu(("", f"{called} -1", f"{called} +1"), ("", more, less)),
            "1",
            at=_middle(plan, row),
            follows=(f"{own}_Level", first + 1) if place else None,
        )


def _middle(plan: SsdLayout, row: BoxRow) -> tuple[int, int]:
    """Return the offset in pixels of a row's picture of crosses from the middle of the SSD."""
    wide, high = strip_size(row.way, row.strip)
    left = row.x - 1 if row.way != "inward" else row.x + BOX + 1 - wide
    return left + wide // 2 - WIDE // 2, row.y - 1 + high // 2 - plan.high // 2


def _mount_layer(plan: SsdLayout, mount: SsdMount, suffix: str, key: str) -> Trait:
    at = (mount.x + MOUNT // 2 - WIDE // 2, mount.y + MOUNT_HIGH // 2 - plan.high // 2)
    menu = LayerMenu((mount.name + OFF_OR_ON, "", ""), (key, "", ""))
    return counters.layer(layer_of(mount.name), [MOUNT_CROSS + suffix], menu, "-1", at=at)


COMPANION = "Cadet Companion"
"""The name of the companion module. Only a module of this name is known to have these impulse trackers."""

CHARTS = (8, 16, 32)
"""The numbers of impulses that a turn may have (C1.44)."""

BEFORE, AFTER = ("energy", "announce", "lockon"), ("close",)
DURING = tuple(step for step in TITLES if step not in (*BEFORE, *AFTER))
"""The steps of one impulse, i.e. all steps but those before the first impulse and after the last."""


def tracker_name(impulses: int) -> str:
    """Return the name of the impulse tracker for turns of ``impulses`` impulses."""
    return f"{impulses} impulses"


def tracker_state(state: State) -> str:
    """Return the state of an impulse tracker in the form that a save stores.

    The state consists of turn, part of the turn, impulse and step.
    """
    before = BEFORE.index(state.step) if state.step in BEFORE else 0
    during = DURING.index(state.step) if state.step in DURING else 0
    part = 2 if state.step in AFTER else (1 if state.impulse else 0)
    parts = [
        list_level(before, len(BEFORE)),
        list_level(max(0, state.impulse - 1), state.impulses, list_level(during, len(DURING))),
        list_level(0, len(AFTER)),
    ]
    turn = sequence.encode([str(max(1, state.turn)), str(part), "false", "-1", *parts], ";")
    return sequence.encode(["0", turn], "|")


def list_level(at: int, length: int, *below: str) -> str:
    """Return the stored state of a list in an impulse tracker that is at entry number ``at``.

    All ``length`` entries of the list are in use and in their usual order. ``below`` are the states of the lists
    inside it.
    """
    return sequence.encode([str(at), "0", "0", ",".join(["true"] * length), *below], ";")
