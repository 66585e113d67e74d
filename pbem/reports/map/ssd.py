"""Geometry of a ship's display, drawn box by box as on her SSD (ship systems display).

Remaining boxes, boxes lost this turn, and boxes lost earlier look different. Shields surround the ship
with #1 at the top; weapons and the bridge are at the front, warp engines at both sides, and other power aft. All
coordinates are whole numbers, so that the same display gives the same bytes.

A display is drawn once. During the replay, the page's script changes the drawing; :func:`film_displays` returns the
changes for each frame.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from pbem.data.ships import COMMAND, LEFT, POWER, RIGHT
from pbem.reports.view.model import Boxes, DisplayChange, DisplayWeapon, Frame, ReportView, ShipDisplay

WIDTH = 368
PITCH = 10
SIZE = 8
LABEL = 12
"""Height of a line of text above boxes, in drawing units."""
LETTER = 5
MARGIN = 12
EDGE = 56
"""Width of the area for shields at each side of the display, in drawing units."""

AHEAD = 16
"""Maximum number of boxes in a row of shields #1 and #4.

The shields at the sides are :data:`BESIDE` (three) boxes wide.
"""
BESIDE = 3

ENGINES = {LEFT: EDGE + 14, RIGHT: WIDTH - EDGE - 34}


class DisplayLabel(msgspec.Struct, frozen=True):
    """A label in the drawing of a display: its position, its text, and the SVG text ``anchor``."""

    x: int
    y: int
    text: str
    anchor: str = "middle"


class WeaponSymbol(msgspec.Struct, frozen=True):
    """The box of a weapon in the drawing of a display, wide enough for the weapon's name.

    ``x`` and ``y`` are the position of the box and ``width`` its width. ``state`` is ``left``, ``new`` (lost this
    turn) or ``old`` (lost earlier).
    """

    x: int
    y: int
    width: int
    name: str
    state: str


class DisplayBlock(msgspec.Struct, frozen=True, array_like=True):
    """The position of the boxes of one shield or system in the drawing of a display.

    It has the position of the first box, the number of columns, and the number of boxes at the start of the game.
    """

    name: str
    x: int
    y: int
    columns: int
    start: int


class Display(msgspec.Struct, frozen=True):
    """The drawing of a ship's display. All lengths are in drawing units, and all drawings are SVG paths.

    Each row of remaining boxes is drawn as a wide dashed line through their centers, which starts one unit before
    the first box. The style sheet defines the dashes.

    Attributes:
        width: The width.
        height: The height.
        hull: The outline around the systems.
        left: The remaining boxes.
        new: The boxes lost this turn.
        old: The boxes lost earlier.
        new_cross: The crosses over the boxes lost this turn.
        old_cross: The strokes over the boxes lost earlier.
        labels: The labels; each belongs to the block with the same index in ``blocks``.
        mounts: The weapons.
        blocks: The positions of the shields and systems in the drawing.
    """

    width: int
    height: int
    hull: str
    left: str
    new: str
    old: str
    new_cross: str
    old_cross: str
    labels: tuple[DisplayLabel, ...]
    mounts: tuple[WeaponSymbol, ...]
    blocks: tuple[DisplayBlock, ...]


class _Sheet:
    """The drawing of a display under construction."""

    def __init__(self) -> None:
        self.boxes: dict[str, list[tuple[int, int]]] = {"left": [], "new": [], "old": []}
        self.labels: list[DisplayLabel] = []
        self.mounts: list[WeaponSymbol] = []
        self.blocks: list[DisplayBlock] = []

    def block(self, box: Boxes, x: int, y: int, columns: int) -> int:
        """Add boxes row by row, beginning at (x, y), and return the height of the block."""
        self.blocks.append(DisplayBlock(box.name, x, y, columns, box.start))
        for number in range(box.start):
            state = "left" if number < box.now else "new" if number < box.before else "old"
            self.boxes[state].append((x + PITCH * (number % columns), y + PITCH * (number // columns)))
        return height(box, columns)

    def rows(self, state: str) -> str:
        """Return an SVG path in which each row of adjacent boxes with this ``state`` is one line.

        Drawing rows instead of boxes keeps emailed pages small.
        """
        lines: list[list[int]] = []
        for x, y in self.boxes[state]:
            if lines and lines[-1][1] == y and lines[-1][0] + PITCH * lines[-1][2] == x:
                lines[-1][2] += 1
            else:
                lines.append([x, y, 1])
        return "".join(f"M{x - 1} {y + SIZE // 2}h{PITCH * count}" for x, y, count in lines)

    def path(self, state: str) -> str:
        return "".join(f"M{x} {y}h{SIZE}v{SIZE}h-{SIZE}z" for x, y in self.boxes[state])

    def crosses(self, state: str, both: bool) -> str:
        back = f"m0-{SIZE}l-{SIZE} {SIZE}" if both else ""
        return "".join(f"M{x} {y}l{SIZE} {SIZE}{back}" for x, y in self.boxes[state])


def height(box: Boxes, columns: int) -> int:
    """Return the height of a block of boxes in drawing units."""
    return PITCH * -(-box.start // columns)


def display(ssd: ShipDisplay) -> Display:
    """Return the drawing of a ship's display."""
    sheet = _Sheet()
    shields = list(ssd.shields)
    top = LABEL + _across(sheet, shields[0], LABEL, above=True) + 4 if shields else 4
    # The height is that of the shields at the sides, or that of the systems inside if that is more.
    least = 2 * LABEL + sum(max(height(box, BESIDE) for box in pair) for pair in _sides(shields)) + PITCH
    bottom = max(top + least, _inside(sheet, ssd, top + 8) + 4)
    middle = top + (bottom - top) // 2
    for box, x, y in zip(
        shields[1:3] + shields[4:6],
        (WIDTH - MARGIN - 28, WIDTH - MARGIN - 28, MARGIN, MARGIN),
        (top + LABEL, middle + LABEL, middle + LABEL, top + LABEL),
        strict=False,
    ):
        sheet.labels.append(DisplayLabel(x + 14, y - 4, f"{box.name} {box.now}/{box.start}"))
        sheet.block(box, x, y, BESIDE)
    end = bottom + 8
    if len(shields) > 3:
        end += _across(sheet, shields[3], end, above=False)
    return Display(
        width=WIDTH,
        height=end + 4,
        hull=_hull(top, bottom),
        left=sheet.rows("left"),
        new=sheet.path("new"),
        old=sheet.path("old"),
        new_cross=sheet.crosses("new", both=True),
        old_cross=sheet.crosses("old", both=False),
        labels=tuple(sheet.labels),
        mounts=tuple(sheet.mounts),
        blocks=tuple(sheet.blocks),
    )


def _sides(shields: Sequence[Boxes]) -> Iterator[Sequence[Boxes]]:
    """Yield the four side shields in pairs: the forward pair, then the rear pair."""
    if len(shields) == 6:
        yield from ((shields[1], shields[5]), (shields[2], shields[4]))


def _across(sheet: _Sheet, box: Boxes, y: int, *, above: bool) -> int:
    """Draw shield #1 or #4 as rows across the middle, with its label outside; return the total height."""
    columns = min(AHEAD, max(1, box.start))
    x = WIDTH // 2 - columns * PITCH // 2
    high = sheet.block(box, x, y + (4 if above else 0), columns)
    sheet.labels.append(DisplayLabel(WIDTH // 2, y if above else y + high + 9, f"{box.name} {box.now}/{box.start}"))
    return high + (4 if above else LABEL)


def _hull(top: int, bottom: int) -> str:
    """Return the outline around the ship's systems as an SVG path, pointed at the front."""
    left, right = EDGE, WIDTH - EDGE
    bow = f"M{left} {top + 26}l26-26H{right - 26}l26 26"
    return f"{bow}V{bottom - 12}l-12 12H{left + 12}l-12-12Z"


def _inside(sheet: _Sheet, ssd: ShipDisplay, y: int) -> int:
    """Draw weapons, then bridge and other systems between the engines, then power.

    Return the y coordinate of the lower end.
    """
    y = _weapons(sheet, ssd.weapons, y)
    engines = [box for box in ssd.systems if box.name in ENGINES]
    command = [box for box in ssd.systems if box.name in COMMAND]
    power = [box for box in ssd.systems if box.name in POWER]
    rest = [box for box in ssd.systems if box not in (*engines, *command, *power)]
    begin = y + 4
    for box in engines:
        x = ENGINES[box.name]
        sheet.labels.append(DisplayLabel(x + 9, begin + 8, f"warp {box.now}/{box.start}"))
        sheet.block(box, x, begin + LABEL, 2)
    room = (EDGE + 46, WIDTH - EDGE - 46) if engines else (EDGE + 10, WIDTH - EDGE - 10)
    y = begin
    for group in (command, rest, power):
        y = _flow(sheet, group, y, *room)
    return max([y, *(begin + LABEL + height(box, 2) for box in engines)]) + 4


def _weapons(sheet: _Sheet, weapons: Sequence[DisplayWeapon], y: int) -> int:
    """Draw the weapons in centered rows, and return the y coordinate of the lower end."""
    room = WIDTH - 2 * EDGE - 56
    rows: list[list[tuple[DisplayWeapon, int]]] = [[]]
    for weapon in weapons:
        wide = 8 + 6 * len(weapon.name)
        if rows[-1] and sum(other + 4 for _, other in rows[-1]) + wide > room:
            rows.append([])
        rows[-1].append((weapon, wide))
    for row in rows:
        x = WIDTH // 2 - sum(wide + 4 for _, wide in row) // 2 + 2
        for weapon, wide in row:
            state = "left" if weapon.working else "new" if weapon.lost_now else "old"
            sheet.mounts.append(WeaponSymbol(x, y, wide, weapon.name, state))
            x += wide + 4
        y += 19 if row else 0
    return y


def _flow(sheet: _Sheet, group: Sequence[Boxes], y: int, left: int, right: int) -> int:
    """Draw systems side by side, each below its name; return the y coordinate of the lower end.

    ``left`` and ``right`` are the x coordinates between which the systems are drawn.
    """
    rows: list[list[tuple[Boxes, int, int]]] = [[]]
    for box in group:
        columns = min(box.start, 8)
        wide = max(PITCH * columns, LETTER * len(_named(box)) + 6)
        if rows[-1] and sum(other + 8 for _, _, other in rows[-1]) + wide > right - left:
            rows.append([])
        rows[-1].append((box, columns, wide))
    for row in rows:
        x = (left + right) // 2 - sum(wide + 8 for _, _, wide in row) // 2 + 4
        for box, columns, wide in row:
            sheet.labels.append(DisplayLabel(x + wide // 2, y + 8, _named(box)))
            sheet.block(box, x + (wide - PITCH * columns) // 2 + 1, y + LABEL, columns)
            x += wide + 8
        y += max((LABEL + height(box, columns) + 4 for box, columns, _ in row), default=0)
    return y


def _named(box: Boxes) -> str:
    return f"{box.name} {box.now}/{box.start}"


class FilmShip(msgspec.Struct, frozen=True, kw_only=True):
    """A ship in the replay: whether the reader owns it, its side's color number, and its boxes."""

    mine: bool
    place: int
    blocks: tuple[DisplayBlock, ...]


class FilmDisplays(msgspec.Struct, frozen=True, kw_only=True):
    """The displays of all ships and their changes during the replay.

    ``begins`` has the number of the first frame of each impulse. ``changes`` has one entry for each frame with
    changes, in order.
    """

    ships: dict[str, FilmShip]
    begins: tuple[int, ...]
    changes: tuple[DisplayChange, ...]


def film_displays(view: ReportView, drawn: Mapping[str, Display], changes: Iterable[DisplayChange]) -> FilmDisplays:
    """Return the displays of all ships and their changes during the replay.

    ``drawn`` maps names of ships to the drawings of their displays.
    """
    mine = {unit.name for unit in view.units if unit.mine}
    return FilmDisplays(
        ships={
            ssd.unit: FilmShip(mine=ssd.unit in mine, place=view.place_of(ssd.side) % 4, blocks=drawn[ssd.unit].blocks)
            for ssd in view.ssds
        },
        begins=_first_frames(view.replay),
        changes=tuple(change for change in changes if change.unit in drawn),
    )


def _first_frames(frames: tuple[Frame, ...]) -> tuple[int, ...]:
    """Return, for each impulse of the replay, the number of its first frame."""
    moments = [(frame.turn, frame.impulse) for frame in frames]
    return tuple(k for k, moment in enumerate(moments) if not k or moments[k - 1] != moment)
