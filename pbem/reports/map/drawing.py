"""Geometry of the drawn map (C1.2), in whole units of an SVG drawing.

It covers hexes, planets and asteroids (P2.0, P3.0), tracks, fire, tractor links, counters and the placement of
their labels. Hexes have a flat side at the top, so that facing A is up. A hex is 60 units wide and 52 high. All
coordinates are whole numbers, so that the same view gives the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import cache, lru_cache

import msgspec

from pbem.reports.text import sentences
from pbem.reports.view.model import ReportView, ShotGroup, Track, TractorHold, UnitStatus
from pbem.rules.hexes import lowered

Centre = Callable[[str], tuple[int, int]]
Spot = Callable[[str, str], tuple[int, int]]

PLANET = 25
"""Radius of a planet of one hex, which fills its hex, in drawing units."""

WHOLE = 7
"""Number of hexes of a planet that is drawn as one large disc: a hex and its six neighbours.

A planet with another number of hexes above one is drawn as the outlines of its hexes.
"""

ROW = 52

# Rocks of a hex with asteroids, as SVG paths around its centre; the hex number selects one, so that neighbouring
# hexes look different.
ROCKS = (
    "m-14-5l6-6 8 2 1 7-6 5-8-2zm12 8l7-4 7 3-1 8-8 3-6-4zm-14 5l5-3 6 3-2 6-7 1z",
    "m-8-15l8-2 5 6-3 7-8 1-5-6zm9 13l8-2 5 5-3 7-8 1-4-6zm-18 2l6-3 5 4-2 6-6 1z",
    "m3-14l8 1 3 7-5 5-8-2-2-6zm-15 7l7-2 6 5-2 8-8 2-6-6zm15 9l6-2 5 4-3 6-6 1-4-4z",
)


class Globe(msgspec.Struct, frozen=True):
    """The drawing of a planet.

    Attributes:
        name: Name of the planet.
        words: A description for readers without pictures.
        discs: The discs as (x, y, radius); empty for a planet drawn as hexes.
        path: The outlines of its hexes as an SVG path; empty for a planet drawn as a disc.
        label_x: The x of the label.
        label_y: The y of the label.
    """

    name: str
    words: str
    discs: tuple[tuple[int, int, int], ...]
    path: str
    label_x: int
    label_y: int


class Rocks(msgspec.Struct, frozen=True):
    """A hex with asteroids.

    Attributes:
        hex: The hex.
        x: The x of its centre.
        y: The y of its centre.
        path: Its outline as an SVG path.
        rocks: The rocks in it as an SVG path.
    """

    hex: str
    x: int
    y: int
    path: str
    rocks: str


class Tie(msgspec.Struct, frozen=True):
    """A tractor link drawn as a line on the map.

    The line goes from (``x1``, ``y1``), the unit with the beam, to (``x2``, ``y2``), the unit it holds. ``place``
    is the index of the holding side, which selects the colour. ``words`` describes the link.
    """

    x1: int
    y1: int
    x2: int
    y2: int
    place: int
    words: str


def globe(unit: UnitStatus, centre: Centre) -> Globe:
    """Return the drawing of a planet; ``centre`` is a function that returns the center of a hex.

    A planet of one hex, or of a hex with its six neighbours, is drawn as one disc. Any other planet is drawn as the
    outlines of its hexes.
    """
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
    """Return the drawings of the hexes with asteroids, one for each of the given hexes."""
    found = []
    for hex in hexes:
        x, y = centre(hex)
        shape = ROCKS[(int(hex[:2]) + 2 * int(hex[2:])) % len(ROCKS)]
        found.append(Rocks(hex, x, y, _outline(x, y), f"M{x} {y}{shape}"))
    return tuple(found)


def _outline(x: int, y: int) -> str:
    return f"M{x - 30} {y}l15-26h30l15 26-15 26h-30z"


def ties(
    holds: Sequence[TractorHold], units: Sequence[UnitStatus], places: dict[str, int], spot: Spot
) -> tuple[Tie, ...]:
    """Return a line for each tractor link between two units on the map."""
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


class Box(msgspec.Struct, frozen=True):
    """A rectangle on the map that labels should avoid, in drawing units.

    ``cost`` is the cost of covering one square unit of it.
    """

    left: int
    top: int
    right: int
    bottom: int
    cost: int


class Clutter:
    """The rectangles that labels should avoid.

    They are indexed by square patches of the map, so that even a map with large fleets is drawn fast.
    """

    PATCH = 120

    def __init__(self) -> None:
        self._boxes: dict[tuple[int, int], list[Box]] = {}

    def add(self, box: Box) -> None:
        """Add a rectangle that later labels should avoid."""
        for patch in self._patches(box):
            self._boxes.setdefault(patch, []).append(box)

    def cost(self, box: Box) -> int:
        """Return the cost of placing a label in the given rectangle; 0 means that it covers nothing.

        For each rectangle that it overlaps, the cost is the shared area times that rectangle's own cost.
        """
        left, top, right, bottom = box.left, box.top, box.right, box.bottom
        found, boxes = 0, self._boxes
        for patch in self._patches(box):
            for other in boxes.get(patch, ()):
                if other.left < right and left < other.right and other.top < bottom and top < other.bottom:
                    wide = min(right, other.right) - max(left, other.left)
                    found += other.cost * wide * (min(bottom, other.bottom) - max(top, other.top))
        return found

    def _patches(self, box: Box) -> Sequence[tuple[int, int]]:
        x, y = box.left // self.PATCH, box.top // self.PATCH
        wide, high = box.right // self.PATCH + 1, box.bottom // self.PATCH + 1
        if x + 1 == wide and y + 1 == high:  # most rectangles are within one patch
            return ((x, y),)
        return [(column, row) for column in range(x, wide) for row in range(y, high)]


def label(
    counters: Sequence[MapCounter], beads: Sequence[Bead], size: tuple[int, int], others: Sequence[Box] = ()
) -> tuple[MapCounter, ...]:
    """Return the counters, each with a position for its label: right, left, below or above the counter.

    Of the four positions, the one with the lowest cost (:meth:`Clutter.cost`) is used. ``others`` are further
    rectangles that labels should avoid.
    """
    taken = Clutter()
    for other in others:
        taken.add(other)
    for bead in beads:
        taken.add(Box(bead.x - 9, bead.y - 9, bead.x + 9, bead.y + 9, 1))
    for counter in counters:
        reach = 28 * counter.size // 100
        taken.add(Box(counter.x - reach, counter.y - reach, counter.x + reach, counter.y + reach, 4))
    placed = []
    for counter in sorted(counters, key=lambda c: (c.unit.small, c.unit.name)):
        reach = 33 * counter.size // 100
        wide = min(len(counter.unit.name) * (8 if counter.unit.small else 10), size[0])
        best: tuple[int, int, int, str, Box] | None = None
        for x, y, anchor in (
            (counter.x + reach, counter.y + 5, "start"),
            (counter.x - reach, counter.y + 5, "end"),
            (counter.x, counter.y + reach + 14, "middle"),
            (counter.x, counter.y - reach - 5, "middle"),
        ):
            left = {"start": x, "end": x - wide, "middle": x - wide // 2}[anchor]
            box = Box(left, y - 14, left + wide, y + 4, 6)
            outside = max(0, -left) + max(0, left + wide - size[0]) + max(0, y - size[1]) + max(0, 14 - y)
            cost = outside * 1000 + taken.cost(box)
            if best is None or cost < best[0]:
                best = (cost, x, y, anchor, box)
            if not cost:
                break
        assert best is not None
        taken.add(best[4])
        placed.append(msgspec.structs.replace(counter, label_x=best[1], label_y=best[2], anchor=best[3]))
    return tuple(placed)


_Spot = Callable[[str, str], tuple[int, int]]

HALF_WIDTH = 30
HALF_HEIGHT = 26
COLUMN = 45
MARGIN = 8
TURN = {facing: 60 * steps for steps, facing in enumerate("ABCDEF")}

# Drawing offsets of units that share a hex, by the number of units placed there before.
SLOTS = ((-11, -7), (11, 7), (11, -7), (-11, 7), (0, -13), (0, 13))

SIZES = {"seeker": 50, "shuttle": 60}
"""Drawn size of seeking weapons and shuttles, in percent of the size of a ship."""

CROWD = 24
LAST_MOVES = 5
"""Number of latest track points drawn per seeking weapon when the map has more than :data:`CROWD` of them.

The movement table of the report still lists all points.
"""

LARGE = 1500
"""Number of hexes above which only the part of the map with units or terrain is drawn."""
ROUND = 5
"""Margin in hexes around the part that is drawn of a large map."""
NEAR = 1
"""Margin in hexes when only the surroundings of the turn's movement are drawn."""

FEW_RANGES = 3
"""Number of pairs of enemy ships above which no range lines are drawn."""

# The six sides of a hex as lines (x1, y1, x2, y2), slightly inside the hex; the first is shield #1 (D3.1).
SHIELDS = (
    (-12, -23, 12, -23),
    (14, -22, 26, -1),
    (26, 1, 14, 22),
    (12, 23, -12, 23),
    (-14, 22, -26, 1),
    (-26, -1, -14, -22),
)


class Bead(msgspec.Struct, frozen=True):
    """A mark on a unit's track, at the position of the unit after an impulse.

    Attributes:
        x: The x in drawing units.
        y: The y in drawing units.
        impulse: The impulse.
        at: The hex and facing of the unit as text.
    """

    x: int
    y: int
    impulse: int
    at: str


class TrackPath(msgspec.Struct, frozen=True):
    """The drawing of the track of one unit.

    Attributes:
        unit: The unit.
        place: The index of its side, which selects the colour.
        seeker: Whether the unit is small, so that its path is drawn as dots.
        path: The track as an SVG path.
        first: The starting point.
        beads: The marks after the starting point.
    """

    unit: str
    place: int
    seeker: bool
    path: str
    first: Bead
    beads: tuple[Bead, ...]


class ShieldSide(msgspec.Struct, frozen=True):
    """One shield drawn as a line beside a counter, from (``x1``, ``y1``) to (``x2``, ``y2``).

    ``number`` is the number of the shield. ``now`` and ``start`` are its boxes now and at the start of the game.
    ``width`` is the drawn width of the line; 0 means that the shield is down.
    """

    x1: int
    y1: int
    x2: int
    y2: int
    number: int
    now: int
    start: int
    width: int


class MapCounter(msgspec.Struct, frozen=True):
    """A unit drawn on the map.

    Attributes:
        unit: The unit.
        place: The index of its side, which selects colour and shape.
        x: The x of its centre.
        y: The y of its centre.
        turn: The rotation in degrees.
        size: The drawn size in percent; smaller if several units share the hex.
        shields: Its shields.
        label_x: The x of the label.
        label_y: The y of the label.
        anchor: The SVG text anchor of the label.
        whole: The size that the counter has if the unit is alone in its hex.
        slots: For the replay, the hexes that the unit shared, each with the counter's offset from the hex center,
            such as ``1409:11,-7 1410:-11,7``.
    """

    unit: UnitStatus
    place: int
    x: int
    y: int
    turn: int
    size: int
    shields: tuple[ShieldSide, ...]
    label_x: int
    label_y: int
    anchor: str
    whole: int = 100
    slots: str = ""


class FireLine(msgspec.Struct, frozen=True):
    """A line of fire from one unit to another, from (``x1``, ``y1``) to (``x2``, ``y2``).

    ``place`` is the index of the firing side, which selects the color. ``words`` describes the fire, ``step`` is the
    step of the impulse in which it happened, and ``points`` the damage scored. ``turn`` is set only if the map shows
    the fire of several turns. ``arms`` holds a letter for each weapon, as in
    :class:`~pbem.reports.view.model.ShotGroup`.
    """

    x1: int
    y1: int
    x2: int
    y2: int
    place: int
    impulse: int
    words: str
    arms: str
    step: str = ""
    points: int = 0
    turn: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def told_at(self) -> tuple[int, int]:
        """Position of the number of points scored: on the line, nearer to the target."""
        return (self.x1 + 3 * self.x2) // 4, (self.y1 + 3 * self.y2) // 4 + 5


class RangeLine(msgspec.Struct, frozen=True):
    """The range between two ships, drawn as a line with a number beside its middle.

    The line goes from ``unit`` at (``x1``, ``y1``) to ``other`` at (``x2``, ``y2``). ``range`` is the number, in
    hexes.
    """

    unit: str
    other: str
    x1: int
    y1: int
    x2: int
    y2: int
    range: int

    @property
    def told_at(self) -> tuple[int, int]:
        """Position of the number that gives the range: the middle of the line."""
        return (self.x1 + self.x2) // 2, (self.y1 + self.y2) // 2 + 5


class Chart(msgspec.Struct, frozen=True):
    """The drawn map of one view. All lengths are in drawing units.

    To keep emailed maps small, the grid strokes of one column are stored once and repeated.

    Attributes:
        width: The width.
        height: The height.
        grid: The grid strokes that are not repeated, as an SVG path.
        column: The grid strokes of one column, as an SVG path.
        columns: The offsets at which to repeat ``column``.
        numbers: The hex numbers with their positions.
        ways: The tracks.
        shots: The lines of fire.
        counters: The units in play.
        wrecks: The units that left play in the turn shown, for the static map.
        planets: The planets.
        rocks: The hexes with asteroids.
        ties: The tractor links.
        part: The first and the last hex drawn, if only a part of the map is drawn; otherwise empty.
        ghosts: The same units as ``wrecks``, as counters for the replay.
        spans: The ranges between ships.
    """

    width: int
    height: int
    grid: str
    column: str
    columns: tuple[tuple[int, int], ...]
    numbers: tuple[tuple[int, int, str], ...]
    ways: tuple[TrackPath, ...]
    shots: tuple[FireLine, ...]
    counters: tuple[MapCounter, ...]
    wrecks: tuple[MapCounter, ...]
    planets: tuple[Globe, ...] = ()
    rocks: tuple[Rocks, ...] = ()
    ties: tuple[Tie, ...] = ()
    part: tuple[str, str] = ("", "")
    ghosts: tuple[MapCounter, ...] = ()
    spans: tuple[RangeLine, ...] = ()

    @property
    def numbered(self) -> str:
        """Parameters from which the page's script writes all hex numbers; this keeps the page small."""
        (x, y, first), (*_, last) = self.numbers[0], self.numbers[-1]
        (column, row), (last_column, last_row) = _numbers(first), _numbers(last)
        beside = _hex(column + 1, row)
        next_to = next((there for _, there, hex in self.numbers if hex == beside), y)
        lower = (column if next_to < y else column + 1) % 2
        return " ".join(map(str, (column, row, last_column, last_row, x, y, COLUMN, ROW, lower)))

    @property
    def halves(self) -> Halves:
        """Text fragments that form all hex numbers in a place where scripts cannot run, such as an email."""
        (_, _, first), (*_, last) = self.numbers[0], self.numbers[-1]
        rows = _numbers(last)[1] - _numbers(first)[1] + 1
        return Halves(columns=self.numbers[::rows], rows=self.numbers[:rows])


class Halves(msgspec.Struct, frozen=True):
    """The hex numbers of the first row and the first column, split into column digits and row digits.

    The column digits (left half of a number) repeat in every row. The row digits (right half) repeat in every
    column. Numbers are sorted by column.
    """

    columns: tuple[tuple[int, int, str], ...]
    rows: tuple[tuple[int, int, str], ...]


class Sheet(msgspec.Struct, frozen=True):
    """A rectangular hex map from hex ``first`` to hex ``last`` (column, row), and its geometry.

    With ``grid`` set to ``even``, even columns are drawn half a hex lower than odd columns.
    """

    first: tuple[int, int]
    last: tuple[int, int]
    grid: str

    @classmethod
    def of(cls, map: tuple[str, str], grid: str) -> Sheet:
        """Return the sheet of a map, given its first and its last hex."""
        (a, b), (c, d) = _numbers(map[0]), _numbers(map[1])
        return cls((min(a, c), min(b, d)), (max(a, c), max(b, d)), grid)

    def part(self, hexes: Iterable[str], round: int = ROUND) -> Sheet:
        """Return the smallest part of this sheet with all given hexes and a margin of ``round`` hexes."""
        columns, rows = zip(*map(_numbers, set(hexes)), strict=True)
        (a, b), (c, d) = self.first, self.last
        first = max(a, min(*columns, c) - round), max(b, min(*rows, d) - round)
        return Sheet(first, (min(c, max(*columns, a) + round), min(d, max(*rows, b) + round)), self.grid)

    @property
    def count(self) -> int:
        """Number of hexes on the sheet."""
        return (self.last[0] - self.first[0] + 1) * (self.last[1] - self.first[1] + 1)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the sheet in drawing units."""
        columns, rows = self.last[0] - self.first[0], self.last[1] - self.first[1]
        return 2 * (HALF_WIDTH + MARGIN) + COLUMN * columns, 2 * MARGIN + ROW * (rows + 1) + HALF_HEIGHT

    def centre(self, hex: str) -> tuple[int, int]:
        """Return the centre of a hex in drawing units; the hex may be outside the map."""
        column, row = _numbers(hex)
        lower = lowered(column, self.grid)
        x = MARGIN + HALF_WIDTH + COLUMN * (column - self.first[0])
        y = MARGIN + HALF_HEIGHT + ROW * (row - self.first[1]) + (HALF_HEIGHT if lower else 0)
        return x, y

    def hexes(self) -> Iterable[str]:
        """Yield all hexes of the sheet, column by column."""
        for column in range(self.first[0], self.last[0] + 1):
            for row in range(self.first[1], self.last[1] + 1):
                yield _hex(column, row)

    def outline(self) -> str:
        """Return the hex sides at the left and right map edge that :meth:`inner` leaves out, as an SVG path.

        These are the lower left sides of the hexes in the first column, and the lower right sides of the hexes in
        the last column.
        """
        (first, top), last = self.first, self.last[0]
        down = range(self.last[1] - top)
        left, right = self.centre(_hex(first, top)), self.centre(_hex(last, top))
        return (
            f"M{left[0] - HALF_WIDTH} {left[1]}l15 26" + "m-15 26l15 26" * len(down)
            + f"M{right[0] + HALF_WIDTH} {right[1]}l-15 26" + "m15 26l-15 26" * len(down)
        )  # fmt: skip

    def inner(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return the grid strokes of the first column, and the offsets at which to repeat them."""
        columns = range(self.first[0], self.last[0] + 1)
        x, y = self.centre(_hex(columns[0], self.first[1]))
        places = [self.centre(_hex(column, self.first[1])) for column in columns]
        return self._strokes(columns[0]), tuple((there - x, down - y) for there, down in places)

    def _strokes(self, column: int) -> str:
        """Return one column's grid strokes: the upper sides of every hex, and the last hex's lower sides."""
        strokes = []
        for row in range(self.first[1], self.last[1] + 1):
            x, y = self.centre(_hex(column, row))
            strokes.append(f"M{x - HALF_WIDTH} {y}l15-26h30l15 26")
        return "".join(strokes) + "l-15 26h-30z"


class _Paper(msgspec.Struct, frozen=True):
    """The empty map on which a :class:`Chart` is drawn: hex grid and hex numbers."""

    grid: str
    column: str
    columns: tuple[tuple[int, int], ...]
    numbers: tuple[tuple[int, int, str], ...]


@lru_cache(maxsize=16)
def _paper(sheet: Sheet) -> _Paper:
    numbers = tuple((*_above(sheet.centre(hex)), hex) for hex in sheet.hexes())
    return _Paper(sheet.outline(), *sheet.inner(), numbers)


@cache
def _numbers(hex: str) -> tuple[int, int]:
    return int(hex[:2]), int(hex[2:4])


def chart(view: ReportView, *, near: bool = False) -> Chart:
    """Return the drawn map of a view: grid, tracks and fire of the turn shown, and all units in play.

    With ``near``, only the part of the map in which units are or moved is drawn.
    """
    whole = Sheet.of(view.map, view.grid)
    sheet = _shown(view, whole, near)
    size = width, height = sheet.size
    paper = _paper(sheet)
    slots = _slots(view.tracks, view.units)
    shifts = _shifts(slots)
    places = {player.side: player.place for player in view.players}

    def spot(unit: str, hex: str) -> tuple[int, int]:
        x, y = sheet.centre(hex)
        dx, dy = slots.get((unit, hex), (0, 0))
        return x + dx, y + dy

    crowded = sum(track.seeker for track in view.tracks) > CROWD
    ways = _ways(view.tracks, places, spot, LAST_MOVES if crowded else 0)
    shots = tuple(
        _line(shot, places.get(shot.side, 0), spot(shot.unit, shot.from_hex), spot(shot.target, shot.to_hex))
        for shot in view.shots
    )
    standing = {unit.name: unit for unit in view.units if not unit.gone}
    counters = [unit for unit in standing.values() if unit.kind != "planet"]
    planets = tuple(globe(unit, sheet.centre) for unit in standing.values() if unit.kind == "planet")
    spans = _spans(view, standing, spot)
    in_the_way = _printed(planets, shots, spans, view.shown)
    lost = [_last_seen(track) for track in _lost(view, standing) if not (crowded and track.seeker)]
    left = {unit.name: unit for unit in view.units if unit.gone}
    ghosts = [left.get(track.unit) or _last_seen(track) for track in view.tracks if track.unit not in standing]
    beads = [bead for way in ways for bead in way.beads]
    named = label(
        [_counter(u, places.get(u.side, 0), spot, shifts) for u in (*counters, *lost)], beads, size, in_the_way
    )
    return Chart(
        width=width,
        height=height,
        grid=paper.grid,
        column=paper.column,
        columns=paper.columns,
        numbers=paper.numbers,
        ways=ways,
        shots=shots,
        counters=tuple(one for one in named if one.unit.name in standing),
        wrecks=tuple(one for one in named if one.unit.name not in standing),
        planets=planets,
        rocks=rocks(view.asteroids, sheet.centre),
        ties=ties(view.holds, view.units, places, spot),
        part=("", "") if sheet == whole else (_hex(*sheet.first), _hex(*sheet.last)),
        ghosts=tuple(_counter(u, places.get(u.side, 0), spot, shifts) for u in ghosts),
        spans=spans,
    )


def _printed(planets: Sequence[Globe], shots: Sequence[FireLine], spans: Sequence[RangeLine], turn: int) -> list[Box]:
    """Return the rectangles that printed names and numbers cover; only fire in ``turn`` has numbers."""
    return [
        *(_box_of(planet) for planet in planets),
        *(_number(shot.told_at, shot.points) for shot in shots if shot.points and shot.turn in (msgspec.UNSET, turn)),
        *(_number(span.told_at, span.range) for span in spans),
    ]


def _shown(view: ReportView, whole: Sheet, near: bool) -> Sheet:
    """Return the part of the map to draw: the whole map, or only the part in use if the map is large."""
    hexes = list(busy(view)) if near else []
    if hexes:
        return whole.part(hexes, NEAR)
    return whole.part(_places(view)) if whole.count > LARGE and view.units else whole


def _lost(view: ReportView, standing: Container[str]) -> Iterator[Track]:
    """Return the tracks of units that are no longer in play, without shuttles that landed on their ship."""
    home = {said.units[0] for said in view.said if said.kind == "shuttle_landed" and said.units}
    return (track for track in view.tracks if track.unit not in standing and track.unit not in home)


def _places(view: ReportView) -> Iterable[str]:
    """Yield every hex that holds a unit or asteroids, or that a unit passed through in the turn shown."""
    for unit in view.units:
        yield unit.hex
        yield from unit.hexes
    yield from (point.hex for track in view.tracks for point in track.points)
    yield from view.asteroids


def busy(view: ReportView) -> Iterable[str]:
    """Yield every hex that a unit occupies or passed through in the turn shown."""
    for unit in view.units:
        if not unit.gone:
            yield unit.hex
            yield from unit.hexes
    yield from (point.hex for track in view.tracks for point in track.points)


def _hex(column: int, row: int) -> str:
    return f"{column:02d}{row:02d}"


def _spans(view: ReportView, standing: dict[str, UnitStatus], spot: _Spot) -> tuple[RangeLine, ...]:
    """Return range lines between ships; none if there are more than :data:`FEW_RANGES` pairs of ships."""
    pairs = [b for b in view.bearings if all(standing[n].kind == "ship" for n in (b.unit, b.other) if n in standing)]
    pairs = [b for b in pairs if b.unit in standing and b.other in standing]
    return tuple(
        RangeLine(b.unit, b.other, *spot(b.unit, standing[b.unit].hex), *spot(b.other, standing[b.other].hex), b.range)
        for b in (pairs if len(pairs) <= FEW_RANGES else ())
    )


def _box_of(planet: Globe) -> Box:
    """Return the rectangle that the printed name of a planet covers."""
    half = 5 * len(planet.name)
    return Box(planet.label_x - half, planet.label_y - 14, planet.label_x + half, planet.label_y + 4, 6)


def _number(at: tuple[int, int], number: int) -> Box:
    """Return the rectangle that a number beside a line covers."""
    half = 5 * len(str(number))
    return Box(at[0] - half, at[1] - 12, at[0] + half, at[1] + 2, 6)


def _above(centre: tuple[int, int]) -> tuple[int, int]:
    return centre[0], centre[1] - 15


def _slots(tracks: Iterable[Track], units: Iterable[UnitStatus]) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the drawing offsets of units in shared hexes from the hex centers, by unit name and hex.

    A hex is shared if several units were in it at any time in the turn shown.
    """
    visitors: dict[str, set[tuple[bool, str]]] = {}
    for track in tracks:
        for point in track.points:
            visitors.setdefault(point.hex, set()).add((track.seeker, track.unit))
    for unit in units:
        if not unit.gone and unit.kind != "planet":
            visitors.setdefault(unit.hex, set()).add((unit.small, unit.name))
    return {
        (name, hex): SLOTS[slot % len(SLOTS)]
        for hex, names in visitors.items()
        if len(names) > 1
        for slot, (_, name) in enumerate(sorted(names))
    }


def _last_seen(track: Track) -> UnitStatus:
    """Return the status of a unit that left play, placed at the last point of its track."""
    end = track.points[-1]
    return UnitStatus(
        name=track.unit,
        side=track.side,
        seeker=track.seeker,
        kind=track.kind,
        type="",
        hex=end.hex,
        facing=end.facing,
        speed=0,
        gone="left play",
    )


def _ways(tracks: Iterable[Track], places: dict[str, int], spot: _Spot, most: int) -> tuple[TrackPath, ...]:
    """Return the drawings of all tracks with at least one move.

    ``places`` maps sides to their indexes. ``most`` limits the tracks of small units as in :func:`_way`.
    """
    return tuple(
        _way(track, places.get(track.side, 0), spot, most if track.seeker else 0)
        for track in tracks
        if len(track.points) > 1
    )


def _way(track: Track, place: int, spot: _Spot, most: int) -> TrackPath:
    """Return the drawing of a track, or only of its latest ``most`` points (0: all points).

    ``place`` is the index of the unit's side, which selects the colour.
    """
    beads = [Bead(*spot(track.unit, point.hex), point.impulse, point.at) for point in track.points[-most:]]
    path = "M" + "L".join(f"{bead.x} {bead.y}" for bead in beads)
    return TrackPath(track.unit, place, track.seeker, path, beads[0], tuple(beads[1:]))


def _line(shot: ShotGroup, place: int, start: tuple[int, int], end: tuple[int, int]) -> FireLine:
    """Return a line of fire, shifted sideways so that fire in the opposite direction stays visible.

    ``place`` is the index of the firing side, which selects the colour.
    """
    aside = 6 * (place % 4) - 3
    dx, dy = (aside, 0) if abs(end[0] - start[0]) <= abs(end[1] - start[1]) else (0, aside)
    came_to = sentences.points(shot.points) if shot.points else "no hit"
    when = f"turn {shot.turn}, impulse {shot.impulse}" if shot.turn else f"impulse {shot.impulse}"
    told = f"{when}: {shot.unit} fires {', '.join(shot.weapons)} at {shot.target}, {came_to}"
    (x1, y1), (x2, y2) = ((x + dx, y + dy) for x, y in (start, end))
    return FireLine(x1, y1, x2, y2, place, shot.impulse, told, shot.arms, shot.step, shot.points, shot.turn)


def _shifts(slots: dict[tuple[str, str], tuple[int, int]]) -> dict[str, dict[str, tuple[int, int]]]:
    """Return the drawing offsets of units in shared hexes as a dict of unit name to hex to offset."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for (name, hex), aside in sorted(slots.items()):
        found.setdefault(name, {})[hex] = aside
    return found


def _counter(unit: UnitStatus, place: int, spot: _Spot, shifts: dict[str, dict[str, tuple[int, int]]]) -> MapCounter:
    x, y = spot(unit.name, unit.hex)
    aside = shifts.get(unit.name, {})
    shared = unit.hex in aside
    shields = tuple(
        ShieldSide(*SHIELDS[index], index + 1, now, start, _width(now, start))
        for index, (now, start) in enumerate(unit.shields)
    )
    whole = SIZES.get(unit.kind, 100)
    size = whole * (75 if shared else 100) // 100
    told = " ".join(f"{hex}:{dx},{dy}" for hex, (dx, dy) in aside.items())
    return MapCounter(unit, place, x, y, TURN.get(unit.facing, 0), size, shields, x, y, "middle", whole, told)


def _width(now: int, start: int) -> int:
    """Return the drawn width of a shield's line: 1 to 6 by the share of boxes left, or 0 if the shield is down."""
    return 0 if now <= 0 else 1 + (5 * now) // max(start, now)
