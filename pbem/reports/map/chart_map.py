"""Geometry of the drawn map (C1.2): hexes, tracks, counters and their labels, in whole units of an SVG drawing.

Hexes stand on a flat side, so that facing A is up. A hex is 60 units wide and 52 high; all coordinates are
whole numbers, so that the same view draws the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from functools import cache, lru_cache

import msgspec

from pbem.reports.map.chart_ground import Globe, Rocks, Tie, globe, rocks, ties
from pbem.reports.map.chart_labels import Box, label
from pbem.reports.text import phrases
from pbem.reports.view.view import Shot, Track, Unit, View
from pbem.rules.hexes import lowered

_Spot = Callable[[str, str], tuple[int, int]]

HALF_WIDTH = 30
HALF_HEIGHT = 26
COLUMN = 45
ROW = 52
MARGIN = 8
TURN = {facing: 60 * steps for steps, facing in enumerate("ABCDEF")}

# Where units that share a hex are drawn, by how many went before them in it.
SLOTS = ((-11, -7), (11, 7), (11, -7), (-11, 7), (0, -13), (0, 13))

SIZES = {"seeker": 50, "shuttle": 60}
"""How large small units are drawn, in percent."""

CROWD = 24
LAST_MOVES = 5
"""With more seeking weapons than the crowd, only their last moves are drawn; the movement table has them all."""

LARGE = 1500
"""With more hexes than this only the part of the map is drawn where anything is."""
ROUND = 5
"""So many hexes are drawn round that part."""
NEAR = 1
"""So many where only the neighbourhood of the turn's doings is wanted."""

FEW_RANGES = 3
"""With more pairs of enemies than this no ranges are drawn."""

# The six sides of a hex as lines (x1, y1, x2, y2), shield #1 ahead (D3.1), drawn a little inside.
SHIELDS = (
    (-12, -23, 12, -23),
    (14, -22, 26, -1),
    (26, 1, 14, 22),
    (12, 23, -12, 23),
    (-14, 22, -26, 1),
    (-26, -1, -14, -22),
)


class Bead(msgspec.Struct, frozen=True):
    """A mark on a track: where the unit stood after ``impulse``."""

    x: int
    y: int
    impulse: int
    at: str


class Way(msgspec.Struct, frozen=True):
    """The track of one unit: an SVG path and its beads; ``first`` is where it began."""

    unit: str
    place: int
    seeker: bool
    path: str
    first: Bead
    beads: tuple[Bead, ...]


class ShieldSide(msgspec.Struct, frozen=True):
    """One shield round a counter: its line, how many boxes are left of how many, and its width as drawn (0 = down)."""

    x1: int
    y1: int
    x2: int
    y2: int
    number: int
    now: int
    start: int
    width: int


class Counter(msgspec.Struct, frozen=True):
    """A unit on the map: centre, rotation in degrees, size in percent, and its label.

    ``whole`` is its size in a hex of its own;
    ``slots`` tells the replay how far from the middle it stands in hexes it shared: ``1409:11,-7 1410:-11,7``.
    """

    unit: Unit
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


class Line(msgspec.Struct, frozen=True):
    """Fire from one unit at another, and the points it scored; ``turn`` where shots are of several."""

    x1: int
    y1: int
    x2: int
    y2: int
    place: int
    impulse: int
    words: str
    step: str = ""
    points: int = 0
    turn: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def told_at(self) -> tuple[int, int]:
        """Where the points stand: on the line, nearer to the target."""
        return (self.x1 + 3 * self.x2) // 4, (self.y1 + 3 * self.y2) // 4 + 5


class Span(msgspec.Struct, frozen=True):
    """The range between two ships, as a line and a number beside its middle."""

    unit: str
    other: str
    x1: int
    y1: int
    x2: int
    y2: int
    range: int

    @property
    def told_at(self) -> tuple[int, int]:
        """Where the range stands: in the middle."""
        return (self.x1 + self.x2) // 2, (self.y1 + self.y2) // 2 + 5


class Chart(msgspec.Struct, frozen=True):
    """The drawing: size, grid, hex numbers with their places, and everything on the map.

    ``column`` are the strokes of one column, to be drawn again at each place in ``columns``, and ``grid`` those that
    are in none: maps travel by mail.
    ``part`` is the first and last hex drawn of a large map, empty where it is drawn whole.
    ``ghosts`` are units that left play in the turn, for the replay; the map at rest shows them as ``wrecks``.
    """

    width: int
    height: int
    grid: str
    column: str
    columns: tuple[tuple[int, int], ...]
    numbers: tuple[tuple[int, int, str], ...]
    ways: tuple[Way, ...]
    shots: tuple[Line, ...]
    counters: tuple[Counter, ...]
    wrecks: tuple[Counter, ...]
    planets: tuple[Globe, ...] = ()
    rocks: tuple[Rocks, ...] = ()
    ties: tuple[Tie, ...] = ()
    part: tuple[str, str] = ("", "")
    ghosts: tuple[Counter, ...] = ()
    spans: tuple[Span, ...] = ()

    @property
    def numbered(self) -> str:
        """How the numbers go on from the first one: the script of a page writes them, so that they need not travel."""
        (x, y, first), (*_, last) = self.numbers[0], self.numbers[-1]
        (column, row), (last_column, last_row) = _numbers(first), _numbers(last)
        beside = _hex(column + 1, row)
        next_to = next((there for _, there, hex in self.numbers if hex == beside), y)
        lower = (column if next_to < y else column + 1) % 2
        return " ".join(map(str, (column, row, last_column, last_row, x, y, COLUMN, ROW, lower)))

    @property
    def halves(self) -> Halves:
        """What the numbers are put together of where no script writes them."""
        (_, _, first), (*_, last) = self.numbers[0], self.numbers[-1]
        rows = _numbers(last)[1] - _numbers(first)[1] + 1
        return Halves(columns=self.numbers[::rows], rows=self.numbers[:rows])


class Halves(msgspec.Struct, frozen=True):
    """The numbers of the first row, of which the left halves stand in every row, and those of the first column, whose
    right halves stand in every column; all of them go column by column.
    """

    columns: tuple[tuple[int, int, str], ...]
    rows: tuple[tuple[int, int, str], ...]


class Sheet(msgspec.Struct, frozen=True):
    """A map of hexes ``first`` to ``last`` with one column parity: ``even`` = even columns half a hex lower."""

    first: tuple[int, int]
    last: tuple[int, int]
    grid: str

    @classmethod
    def of(cls, map: tuple[str, str], grid: str) -> Sheet:
        """The sheet of a map's first and last hex."""
        (a, b), (c, d) = _numbers(map[0]), _numbers(map[1])
        return cls((min(a, c), min(b, d)), (max(a, c), max(b, d)), grid)

    def part(self, hexes: Iterable[str], round: int = ROUND) -> Sheet:
        """The part of the sheet round these hexes."""
        columns, rows = zip(*map(_numbers, set(hexes)), strict=True)
        (a, b), (c, d) = self.first, self.last
        first = max(a, min(*columns, c) - round), max(b, min(*rows, d) - round)
        return Sheet(first, (min(c, max(*columns, a) + round), min(d, max(*rows, b) + round)), self.grid)

    @property
    def count(self) -> int:
        """How many hexes it has."""
        return (self.last[0] - self.first[0] + 1) * (self.last[1] - self.first[1] + 1)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in units."""
        columns, rows = self.last[0] - self.first[0], self.last[1] - self.first[1]
        return 2 * (HALF_WIDTH + MARGIN) + COLUMN * columns, 2 * MARGIN + ROW * (rows + 1) + HALF_HEIGHT

    def centre(self, hex: str) -> tuple[int, int]:
        """The middle of a hex, on the map or off it."""
        column, row = _numbers(hex)
        lower = lowered(column, self.grid)
        x = MARGIN + HALF_WIDTH + COLUMN * (column - self.first[0])
        y = MARGIN + HALF_HEIGHT + ROW * (row - self.first[1]) + (HALF_HEIGHT if lower else 0)
        return x, y

    def hexes(self) -> Iterable[str]:
        """All hexes, column by column."""
        for column in range(self.first[0], self.last[0] + 1):
            for row in range(self.first[1], self.last[1] + 1):
                yield _hex(column, row)

    def outline(self) -> str:
        """What no column draws, as an SVG path: the lower left sides of the first one's hexes, and the lower right ones
        of the last one's.
        """
        (first, top), last = self.first, self.last[0]
        down = range(self.last[1] - top)
        left, right = self.centre(_hex(first, top)), self.centre(_hex(last, top))
        return (
            f"M{left[0] - HALF_WIDTH} {left[1]}l15 26" + "m-15 26l15 26" * len(down)
            + f"M{right[0] + HALF_WIDTH} {right[1]}l-15 26" + "m15 26l-15 26" * len(down)
        )  # fmt: skip

    def inner(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The strokes of the first column, and how far from there each column is."""
        columns = range(self.first[0], self.last[0] + 1)
        x, y = self.centre(_hex(columns[0], self.first[1]))
        places = [self.centre(_hex(column, self.first[1])) for column in columns]
        return self._strokes(columns[0]), tuple((there - x, down - y) for there, down in places)

    def _strokes(self, column: int) -> str:
        """The upper sides of every hex of a column, and the lower ones of the last."""
        strokes = []
        for row in range(self.first[1], self.last[1] + 1):
            x, y = self.centre(_hex(column, row))
            strokes.append(f"M{x - HALF_WIDTH} {y}l15-26h30l15 26")
        return "".join(strokes) + "l-15 26h-30z"


class _Paper(msgspec.Struct, frozen=True):
    """What is on a sheet before anything is put on it, as in :class:`Chart`."""

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


def chart(view: View, *, near: bool = False) -> Chart:
    """The map of a view: grid, tracks of the turn shown, fire, and every unit in play; with ``near`` the part of it
    where anything was done.
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
    ways = tuple(
        _way(track, places.get(track.side, 0), spot, LAST_MOVES if crowded and track.seeker else 0)
        for track in view.tracks
        if len(track.points) > 1
    )
    shots = tuple(
        _line(shot, places.get(shot.side, 0), spot(shot.unit, shot.from_hex), spot(shot.target, shot.to_hex))
        for shot in view.shots
    )
    standing = {unit.name: unit for unit in view.units if not unit.gone}
    counters = [unit for unit in standing.values() if unit.kind != "planet"]
    planets = tuple(globe(unit, sheet.centre) for unit in standing.values() if unit.kind == "planet")
    spans = _spans(view, standing, spot)
    in_the_way = [
        *(_box_of(planet) for planet in planets),
        *(
            _number(shot.told_at, shot.points)
            for shot in shots
            if shot.points and shot.turn in (msgspec.UNSET, view.shown)
        ),
        *(_number(span.told_at, span.range) for span in spans),
    ]
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


def _shown(view: View, whole: Sheet, near: bool) -> Sheet:
    """The part of the map that is drawn: of a large one where anything is or was."""
    hexes = list(busy(view)) if near else []
    if hexes:
        return whole.part(hexes, NEAR)
    return whole.part(_places(view)) if whole.count > LARGE and view.units else whole


def _lost(view: View, standing: Container[str]) -> Iterator[Track]:
    """The ways of what is no more; a shuttle that is back aboard its ship is no wreck."""
    home = {said.units[0] for said in view.said if said.kind == "shuttle_landed" and said.units}
    return (track for track in view.tracks if track.unit not in standing and track.unit not in home)


def _places(view: View) -> Iterable[str]:
    """Every hex in which there is or was something."""
    for unit in view.units:
        yield unit.hex
        yield from unit.hexes
    yield from (point.hex for track in view.tracks for point in track.points)
    yield from view.asteroids


def busy(view: View) -> Iterable[str]:
    """Every hex that is held or was flown through in the turn shown."""
    for unit in view.units:
        if not unit.gone:
            yield unit.hex
            yield from unit.hexes
    yield from (point.hex for track in view.tracks for point in track.points)


def _hex(column: int, row: int) -> str:
    return f"{column:02d}{row:02d}"


def _spans(view: View, standing: dict[str, Unit], spot: _Spot) -> tuple[Span, ...]:
    """Ranges between ships as lines, where they are few enough to be read."""
    pairs = [b for b in view.bearings if all(standing[n].kind == "ship" for n in (b.unit, b.other) if n in standing)]
    pairs = [b for b in pairs if b.unit in standing and b.other in standing]
    return tuple(
        Span(b.unit, b.other, *spot(b.unit, standing[b.unit].hex), *spot(b.other, standing[b.other].hex), b.range)
        for b in (pairs if len(pairs) <= FEW_RANGES else ())
    )


def _box_of(planet: Globe) -> Box:
    """The place of a planet's name."""
    half = 5 * len(planet.name)
    return Box(planet.label_x - half, planet.label_y - 14, planet.label_x + half, planet.label_y + 4, 6)


def _number(at: tuple[int, int], number: int) -> Box:
    """The place of a number that stands on a line."""
    half = 5 * len(str(number))
    return Box(at[0] - half, at[1] - 12, at[0] + half, at[1] + 2, 6)


def _above(centre: tuple[int, int]) -> tuple[int, int]:
    return centre[0], centre[1] - 15


def _slots(tracks: Iterable[Track], units: Iterable[Unit]) -> dict[tuple[str, str], tuple[int, int]]:
    """How far from its middle each unit is drawn in a hex that several units shared in the turn."""
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


def _last_seen(track: Track) -> Unit:
    """A unit that is no longer in play, where its track ends."""
    end = track.points[-1]
    return Unit(
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


def _way(track: Track, place: int, spot: _Spot, most: int) -> Way:
    """A track; of ``most`` points at the end only, if that is not 0."""
    beads = [Bead(*spot(track.unit, point.hex), point.impulse, point.at) for point in track.points[-most:]]
    path = "M" + "L".join(f"{bead.x} {bead.y}" for bead in beads)
    return Way(track.unit, place, track.seeker, path, beads[0], tuple(beads[1:]))


def _line(shot: Shot, place: int, start: tuple[int, int], end: tuple[int, int]) -> Line:
    """A line of fire, a little to the side of the line of whoever fires back."""
    aside = 6 * (place % 4) - 3
    dx, dy = (aside, 0) if abs(end[0] - start[0]) <= abs(end[1] - start[1]) else (0, aside)
    came_to = phrases.points(shot.points) if shot.points else "no hit"
    when = f"turn {shot.turn}, impulse {shot.impulse}" if shot.turn else f"impulse {shot.impulse}"
    told = f"{when}: {shot.unit} fires {', '.join(shot.weapons)} at {shot.target}, {came_to}"
    (x1, y1), (x2, y2) = ((x + dx, y + dy) for x, y in (start, end))
    return Line(x1, y1, x2, y2, place, shot.impulse, told, shot.step, shot.points, shot.turn)


def _shifts(slots: dict[tuple[str, str], tuple[int, int]]) -> dict[str, dict[str, tuple[int, int]]]:
    """Where units stand aside: by unit, by hex."""
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for (name, hex), aside in sorted(slots.items()):
        found.setdefault(name, {})[hex] = aside
    return found


def _counter(unit: Unit, place: int, spot: _Spot, shifts: dict[str, dict[str, tuple[int, int]]]) -> Counter:
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
    return Counter(unit, place, x, y, TURN.get(unit.facing, 0), size, shields, x, y, "middle", whole, told)


def _width(now: int, start: int) -> int:
    """A shield's line: 1 to 6 wide by the part of it that is left; 0 where it is down."""
    return 0 if now <= 0 else 1 + (5 * now) // max(start, now)
