"""The map as terminal text: hexes with a flat side at the top (C1.2), units, facings, a legend.

Lines consist of pieces, each with a style, so that they can be printed plain or in colour. In ASCII mode, facings
are shown as letters instead of arrows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple

from pbem.reports.map.drawing import NEAR, Sheet, busy
from pbem.reports.text.sitrep import cut
from pbem.reports.view.model import ReportView, UnitStatus
from pbem.rules.hexes import lowered

Style = Literal["", "grid", "number", "rock", "planet", "s0", "s1", "s2", "s3", "way0", "way1", "way2", "way3"]

ARROWS = dict(zip("ABCDEF", "\u2191\u2197\u2198\u2193\u2199\u2196", strict=True))
INSIDE = (4, 3, 2)
"""Possible widths of a hex in characters; only in a hex of width four there is space for its number."""
PLAIN_WIDTH = 100
"""Width of the map in columns when the output is not a terminal."""


class StyledText(NamedTuple):
    """A piece of a text line together with its style."""

    text: str
    style: Style


Line = list[StyledText]


class _Hexes:
    """A text map under construction: one character and one style for every position."""

    def __init__(self, sheet: Sheet, inside: int) -> None:
        self.sheet, self.inside = sheet, inside
        (a, b), (c, d) = sheet.first, sheet.last
        self.rows = [
            [StyledText(" ", "")] * ((c - a + 1) * (inside + 1) + 1) for _ in range(2 * (d - b + 1) + 2)
        ]  # one row above the first hexes, one below the lowered ones

    def corner(self, hex: str) -> tuple[int, int]:
        """Return the line and column at which the upper left stroke of a hex is drawn."""
        column, row = int(hex[:2]), int(hex[2:4])
        lower = lowered(column, self.sheet.grid)
        return 1 + 2 * (row - self.sheet.first[1]) + lower, (column - self.sheet.first[0]) * (self.inside + 1)

    def put(self, line: int, column: int, text: str, style: Style) -> None:
        for place, letter in enumerate(text, start=column):
            self.rows[line][place] = StyledText(letter, style)

    def outline(self, hex: str) -> None:
        line, left = self.corner(hex)
        right = left + self.inside + 1
        self.put(line - 1, left + 1, "_" * self.inside, "grid")
        self.put(line, left, "/", "grid")
        self.put(line, right, "\\", "grid")
        self.put(line + 1, left, "\\" + "_" * self.inside + "/", "grid")

    def fill(self, hex: str, text: str, style: Style) -> None:
        """Write text centred in the upper half of a hex."""
        line, left = self.corner(hex)
        self.put(line, left + 1, text[: self.inside].center(self.inside), style)

    def number(self, hex: str, style: Style = "number") -> None:
        line, left = self.corner(hex)
        self.put(line + 1, left + 1, hex[:4], style)

    def lines(self) -> list[Line]:
        found = []
        for row in self.rows:
            line: Line = []
            for piece in row:
                if line and line[-1].style == piece.style:
                    line[-1] = StyledText(line[-1].text + piece.text, piece.style)
                else:
                    line.append(piece)
            if line and line[-1].style == "":
                line[-1] = StyledText(line[-1].text.rstrip(), "")
            found.append(line)
        return found


def text_map(view: ReportView, *, width: int = PLAIN_WIDTH, ascii_only: bool = False) -> list[Line]:
    """Return the map of a view as lines of styled text, followed by a legend of all units.

    The whole map is drawn if it fits into ``width`` columns with hex numbers. Otherwise only the part with units
    and movement is drawn. With ``ascii_only``, facings are letters instead of arrows.
    """
    sheet, inside = _fitting(view, width)
    drawn = _Hexes(sheet, inside)
    shown = set(sheet.hexes())
    for hex in sheet.hexes():
        drawn.outline(hex)
    if inside == INSIDE[0]:
        for hex in sheet.hexes():
            drawn.number(hex)
    _draw_background(drawn, shown, view, ascii_only=ascii_only)
    marks = _marks(view)
    for hex, units in _units_by_hex(view, shown).items():
        _draw_units(drawn, hex, units, marks, view, ascii_only=ascii_only)
    lines = drawn.lines()
    if inside != INSIDE[0]:
        lines = _bordered(lines, sheet, inside)
    return [*lines, [], *_legend(view, marks, sheet, width, ascii_only=ascii_only)]


def _draw_background(drawn: _Hexes, shown: Collection[str], view: ReportView, *, ascii_only: bool) -> None:
    """Draw asteroids, and marks in hexes through which units moved; units are drawn over them later."""
    asteroid = "." if ascii_only else "\u2219"
    for hex in view.asteroids:
        if hex in shown:
            drawn.fill(hex, asteroid if drawn.inside < 3 else ".:.", "rock")
    for track in view.tracks:
        for point in track.points:
            if point.hex in shown:
                drawn.fill(point.hex, "." if ascii_only else "\u00b7", _way(view, track.side))


def _units_by_hex(view: ReportView, shown: Collection[str]) -> dict[str, list[UnitStatus]]:
    """Return the units in each hex that is shown, in the order in which to draw them."""
    found: dict[str, list[UnitStatus]] = {}
    for unit in _units_in_order(view):
        for hex in unit.hexes or (unit.hex,):
            if hex in shown:
                found.setdefault(hex, []).append(unit)
    return found


def plain_text(lines: Iterable[Line]) -> str:
    """Return lines of styled text as one plain text without styles."""
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def _fitting(view: ReportView, width: int) -> tuple[Sheet, int]:
    whole = Sheet.of(view.map, view.grid)
    hexes = list(busy(view))
    sheets = [whole, whole.part(hexes, NEAR)] if hexes else [whole]
    for inside in INSIDE:
        for sheet in sheets if inside == INSIDE[0] else sheets[-1:]:
            if (sheet.last[0] - sheet.first[0] + 1) * (inside + 1) + 1 <= width - (0 if inside == INSIDE[0] else 3):
                return sheet, inside
    return sheets[-1], INSIDE[-1]


def _units_in_order(view: ReportView) -> list[UnitStatus]:
    """Return the units in play in the order of drawing: ships, other large units, small units, planets last."""
    rank = {"ship": 0, "monster": 1, "planet": 3}
    return sorted((unit for unit in view.units if not unit.gone), key=lambda unit: (rank.get(unit.kind, 2), unit.name))


def _marks(view: ReportView) -> dict[str, str]:
    """Return a dict of unit name to the letter that marks the unit on the map.

    A ship gets a capital letter of its name if one is free. Small units get small letters or digits.
    """
    found: dict[str, str] = {}
    large = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    small = list("abcdefghijklmnopqrstuvwxyz0123456789")
    for unit in _units_in_order(view):
        letters = small if unit.small else large
        own = [letter for letter in (unit.name.upper() if not unit.small else "") if letter in letters]
        mark = own[0] if own else letters[0] if letters else "*"
        if mark in letters:
            letters.remove(mark)
        found[unit.name] = mark
    return found


def _draw_units(
    drawn: _Hexes, hex: str, units: list[UnitStatus], marks: dict[str, str], view: ReportView, *, ascii_only: bool
) -> None:
    """Draw the units of one hex: letter and facing of as many units as fit, and the number of all others."""
    if units[0].kind == "planet":
        drawn.fill(hex, "(" + marks[units[0].name] + ")" if drawn.inside > 2 else marks[units[0].name], "planet")
        return
    units = [unit for unit in units if unit.kind != "planet"]
    words = [marks[unit.name] + _facing(unit, ascii_only=ascii_only) for unit in units]
    line, left = drawn.corner(hex)
    if len(words) == 1:
        drawn.fill(hex, words[0], _side(view, units[0].side))
    elif drawn.inside == INSIDE[0]:
        second = words[1] if len(words) == 2 else f"+{min(9, len(words) - 1)}"
        drawn.put(line, left + 1, words[0], _side(view, units[0].side))
        drawn.put(line, left + 3, second, _side(view, units[1].side) if len(words) == 2 else "")
    else:
        drawn.put(line, left + 1, words[0], _side(view, units[0].side))
        drawn.put(line + 1, left + 1, f"+{min(9, len(words) - 1)}", "")


def _facing(unit: UnitStatus, *, ascii_only: bool) -> str:
    return unit.facing if ascii_only else ARROWS.get(unit.facing, " ")


def _bordered(lines: list[Line], sheet: Sheet, inside: int) -> list[Line]:
    """Return the map with column numbers above and row numbers at the left.

    They are needed if the hexes are too small for hex numbers.
    """
    (a, b), (c, _) = sheet.first, sheet.last
    head = "   " + "".join(f" {column:02}".ljust(inside + 1) for column in range(a, c + 1))
    found: list[Line] = [[StyledText(head.rstrip(), "number")]]
    for place, line in enumerate(lines):
        row = b + (place - 1) // 2
        numbered = place % 2 == 1 and row <= sheet.last[1]
        found.append([StyledText(f"{row:02} " if numbered else "   ", "number"), *line])
    return found


def _legend(view: ReportView, marks: dict[str, str], sheet: Sheet, width: int, *, ascii_only: bool) -> list[Line]:
    lines: list[Line] = []
    name = max((len(unit.name) for unit in _units_in_order(view)), default=0)
    for unit in _units_in_order(view):
        speed = "" if unit.kind == "planet" else f"speed {unit.speed}"
        facing = f" {_facing(unit, ascii_only=False)}" if unit.kind != "planet" and not ascii_only else ""
        target = f"  target {unit.target}" if unit.target else ""
        kind = f"{unit.side} {unit.type}".strip()
        told = f" {cut(unit.name, 24).ljust(min(name, 24))}  {unit.at:<5}{facing}  {speed:<8}  {kind}{target}"
        lines.append(
            [StyledText(marks[unit.name], _side(view, unit.side)), StyledText(cut(told, max(1, width - 1)), "")]
        )
    if view.asteroids:
        lines.append([StyledText(".:.", "rock"), StyledText(" asteroids", "")])
    whole = Sheet.of(view.map, view.grid)
    if sheet != whole:
        (a, b), (c, d) = sheet.first, sheet.last
        part = f"hexes {a:02}{b:02}-{c:02}{d:02} of {view.map[0]}-{view.map[1]}"
        lines.append([StyledText(cut(part, width), "number")])
    return lines


def _side(view: ReportView, side: str) -> Style:
    if not side:
        return "planet"
    styles: tuple[Style, ...] = ("s0", "s1", "s2", "s3")
    return styles[view.place_of(side) % 4]


def _way(view: ReportView, side: str) -> Style:
    styles: tuple[Style, ...] = ("way0", "way1", "way2", "way3")
    return styles[view.place_of(side) % 4]
