"""The private sheet of each ship (called "Papers" in the module), and the windows beside the map.

A private sheet has lines for energy, weapons and units under way, and only the ship's own player sees it. Each line is
a field of a form in the counter's menu, so players can also write on the sheet. ``pbem export --side`` fills it in.

Each race has one window for SSDs, which everybody may see (D4.1), and one window for private sheets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pbem.data import charts
from pbem.engine.state import Ship, State
from pbem.vassal_bridge.companion import counters
from pbem.vassal_bridge.companion.counters import SvgPicture, TextLabel, named
from pbem.vassal_bridge.companion.drawings import outline, width
from pbem.vassal_bridge.companion.ssd import HEAD, WIDE
from vassal.module.grids import Point
from vassal.pieces.piece import Piece
from vassal.pieces.trait import Trait
from vassal.pieces.traits import Label
from vassal.text import sequence

NOBODY = "civilian"
"""A race that no player of the module can choose. Its ships have SSDs but no private sheets."""

MODERATOR = "Moderator"

SSD_BOARD, PAPER_BOARD = "SSDs", "Papers"
GAP, WINDOW_HEIGHT = 14, 590
"""Distance between sheets, and height of the highest sheet, in pixels."""
ACROSS, DOWN = 3, 6
"""Maximum numbers of columns and rows of sheets on a board. No side of a scenario has more ships than fit."""
PAPER, SPACE_COLOUR = "243,245,248", "201,209,222"


def ssd_window(race: str) -> str:
    """Return the name of a race's SSD window."""
    return f"{charts.races()[race].name} SSDs"


def show_key(race: str) -> str:
    """Return the name of the key that opens a race's window of SSDs."""
    return named(f"show {ssd_window(race)}")


OPEN_KEY = "68,650"
"""The key that opens the SSD window of a ship's counter, Ctrl+Alt+D."""
_OPENS = "opens the SSDs"


def open_command(race: str) -> Trait:
    """Return the trait with the menu command of a ship's counter that opens the SSD window of a race."""
    return Trait(sequence.encode(["globalhotkey", "Open SSD", OPEN_KEY, show_key(race), _OPENS], ";"))


def with_window_of(piece: Piece, race: str) -> Piece:
    """Return a ship's counter, changed so that its menu opens the SSD window of ``race``.

    A counter whose menu opens no SSD window is returned unchanged.
    """
    wanted = open_command(race)
    traits = [wanted if trait.kind == "globalhotkey" and trait.field(4) == _OPENS else trait for trait in piece.traits]
    return Piece.of(traits) if wanted in traits and wanted not in piece.traits else piece


def paper_window(race: str) -> str:
    """Return the name of a race's window for private sheets."""
    return f"{charts.races()[race].name} papers"


def owners(race: str) -> tuple[str, str]:
    """Return the sides (as players choose them in the module) that may see a race's private sheets."""
    return charts.races()[race].name, MODERATOR


def players() -> tuple[str, ...]:
    """Return the races that the module's players can choose."""
    return tuple(race for race in charts.races() if race != NOBODY)


ROOMS = ((1, 1), (2, 1), (3, 1), (3, 2), (ACROSS, DOWN))
"""Possible sizes of the boards in a window: number of sheets side by side, and number of sheets one below the other.

VASSAL makes a window as large as its board. So a game uses the smallest board with room for all its sheets. The
last size is used if nothing else is specified.
"""


def board_name(base: str, across: int, down: int) -> str:
    """Return the name of a board with this many columns and rows of sheets.

    The largest board has the name ``base``; in the names of the other boards, the number of sheets follows ``base``.
    """
    return base if (across, down) == ROOMS[-1] else f"{base} {across * down}"


def board_sizes(base: str) -> dict[str, tuple[int, int]]:
    """Return the boards of a sheet window with their sizes in pixels, by name, the largest first."""
    return {
        board_name(base, across, down): (GAP + across * (WIDE + GAP), GAP + down * (WINDOW_HEIGHT + GAP))
        for across, down in reversed(ROOMS)
    }


def board_for(base: str, sheets: int) -> str:
    """Return the name of the smallest board with room for this many sheets."""
    across, down = next((room for room in ROOMS if room[0] * room[1] >= sheets), ROOMS[-1])
    return board_name(base, across, down)


def boards(state: State) -> dict[str, str]:
    """Return the board for each sheet window of a game, with room for all present and later ships."""
    found = places(state)
    counts = dict.fromkeys(charts.races(), 0)
    for unit in state.units.values():
        if isinstance(unit, Ship):
            counts[race_of(unit)] = max(counts[race_of(unit)], found[unit.name] + 1)
    chosen = {ssd_window(race): board_for(SSD_BOARD, count) for race, count in counts.items()}
    return chosen | {paper_window(race): board_for(PAPER_BOARD, counts[race]) for race in players()}


def race_of(ship: Ship) -> str:
    """Return the race whose windows hold the sheets of a ship.

    This is the side that first owned the ship, if that side has the name of a race; otherwise it is the ship's race.
    """
    return ship.lost_by if ship.lost_by in charts.races() else ship.race


def places(state: State) -> dict[str, int]:
    """Return the index of each ship's sheets in the windows of the ship's race, from 0, by unit name.

    Ships that left the game keep their index, so that no other sheet moves.
    """
    counted: dict[str, int] = {}
    found = {}
    for unit in state.units.values():
        if isinstance(unit, Ship):
            race = race_of(unit)
            found[unit.name] = counted.setdefault(race, 0)
            counted[race] += 1
    return found


def spot(place: int, high: int) -> Point | None:
    """Return the centre of the sheet with index ``place`` and height ``high``, in pixels of the board.

    Sheets are counted row by row from 0. The result is ``None`` if the board has no room for the sheet.
    """
    down, across = divmod(place, ACROSS)
    if down >= DOWN:
        return None
    return GAP + across * (WIDE + GAP) + WIDE // 2, GAP + down * (WINDOW_HEIGHT + GAP) + high // 2


MARK = "Papers"
"""The property that a race's private sheets have; its value is the key of the race."""

SHIP_NAME, MOMENT = "UnitName", "Moment"
"""Names of two labels on a private sheet: the ship's name, and the turn and impulse that the sheet describes."""

LABEL_KEY = counters.named("write line")
"""A key for labels that nobody changes by a menu command.

Every label must have a key. Without one, VASSAL includes a label in the shape of its counter. Then each further
empty label doubles the time, so that 35 of them keep VASSAL busy for days.
"""

PITCH, PEN = 17, 11
"""Distance between lines, and height of the letters on them, in pixels."""
EDGE, SPLIT = 16, 8


@dataclass(frozen=True)
class LineBlock:
    """A block of lines on a private sheet, which is also a form in the counter's menu.

    ``title`` is the heading of the block and the menu command. ``key`` is the key that opens the form. ``lines`` is
    the number of lines. ``left``, ``wide`` and ``top`` are the left edge, width and upper edge of the block in
    pixels.
    """

    title: str
    key: str
    lines: int
    left: int
    wide: int
    top: int

    def field(self, line: int) -> str:
        """Return the name of the field for a line, counted from 1."""
        return f"{self.title} {line}"

    def fitted(self, texts: Iterable[str]) -> dict[str, str]:
        """Return the field values that show these texts, one text on each line.

        If there are more texts than lines, the last line holds all the remaining texts.
        """
        lines = [text.replace("\n", " ") for text in texts]
        if len(lines) > self.lines:
            lines = [*lines[: self.lines - 1], "; ".join(lines[self.lines - 1 :])]
        lines += [""] * (self.lines - len(lines))
        return {self.field(line): text for line, text in enumerate(lines, start=1)}


_HALF = WIDE // 2 - EDGE - SPLIT
_FIRST = HEAD + 22
ENERGY = LineBlock("Energy", "69,650", 18, EDGE, _HALF, _FIRST)
WEAPONS = LineBlock("Weapons", "87,650", 18, WIDE // 2 + SPLIT, _HALF, _FIRST)
FLYING = LineBlock("Under way", "85,650", 9, EDGE, WIDE - 2 * EDGE, _FIRST + 18 * PITCH + 24)
PARTS = (ENERGY, WEAPONS, FLYING)
HIGH = FLYING.top + FLYING.lines * PITCH + 10

PAGE, RULE, INK, SOFT = "#fbf8ee", "#d8cfb4", "#3a3220", "#6b5f42"
LABEL_COLOUR = "32,28,18"
"""The colour of labels, as VASSAL writes it."""


def picture() -> SvgPicture:
    """Return the drawing of an empty private sheet."""
    rules = "".join(
        f"M{part.left} {part.top + PITCH * (line + 1)}h{part.wide}" for part in PARTS for line in range(part.lines)
    )
    titles = "".join(outline(part.title, part.left + width(part.title, 7) / 2, part.top - 10, 7) for part in PARTS)
    head = outline("Papers", EDGE + width("Papers", 10) / 2, 14, 10)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}">'
        f'<rect width="{WIDE}" height="{HIGH}" fill="{PAGE}"/>'
        f'<rect x="0.5" y="0.5" width="{WIDE - 1}" height="{HIGH - 1}" fill="none" stroke="{RULE}"/>'
        f'<path d="{rules}" stroke="{RULE}"/>'
        f'<path d="{head}{titles}" fill="none" stroke="{SOFT}" stroke-width="1.2" stroke-linecap="round"'
        ' stroke-linejoin="round"/></svg>'
    )
    return SvgPicture(svg, WIDE, HIGH, sheet=True)


def prototype() -> tuple[Trait, ...]:
    """Return the traits that all private sheets share, outermost first, without the core."""
    name = (WIDE // 2 - EDGE, 12 - HIGH // 2)
    moment = (WIDE // 2 - EDGE, 32 - HIGH // 2)
    return (
        counters.SHEET,
        counters.DELETE,
        TextLabel(*name, "r", 15, LABEL_COLOUR, form="$pieceName$ ($label$)").trait(
            SHIP_NAME, f"label {SHIP_NAME}", key=counters.RENAME, command="Change Name"
        ),
        TextLabel(*moment, "r", 11, LABEL_COLOUR).trait(MOMENT, f"label {MOMENT}", key=LABEL_KEY),
        *(label for part in PARTS for label in _lines(part)),
        *(_form(part) for part in PARTS),
    )


def restricted(race: str) -> Trait:
    """Return a trait that lets only the owners of a race's private sheets change them."""
    return Trait(sequence.encode(["restrict", sequence.encode(owners(race), ","), "false", "true"], ";"), "")


def with_keys(piece: Piece) -> Piece:
    """Return a private sheet with a key added to each label; any other piece is returned unchanged.

    Private sheets made by earlier versions have labels without a key. VASSAL never finishes loading such sheets.
    """
    if "label;;" not in piece.type or MARK not in piece.properties:
        return piece
    return Piece.of(_with_key(trait) for trait in piece.traits)


def _with_key(trait: Trait) -> Trait:
    if not isinstance(trait, Label) or trait.field(1):
        return trait
    kind, _, *rest = trait.fields
    return Trait(sequence.encode([kind, LABEL_KEY, *rest], ";"), trait.state)


def _lines(part: LineBlock) -> Iterator[Trait]:
    for line in range(1, part.lines + 1):
        x, y = part.left + 3 - WIDE // 2, part.top + PITCH * (line - 1) + 1 - HIGH // 2
        field = part.field(line)
        name = f"Line {field}"
        yield TextLabel(x, y, "l", PEN, LABEL_COLOUR).trait(name, f"label {name}", key=LABEL_KEY, text=f"${field}$")


def _form(part: LineBlock) -> Trait:
    kinds = "~".join(f"0{part.field(line)}" for line in range(1, part.lines + 1))
    kinds += f"~{counters.form_width('What you write is seen by your side alone.')}"
    state = sequence.encode([""] * (part.lines + 1), "~")
    return Trait(f"propertysheet;{kinds};{part.title};;0;;;;{part.key};form {part.title}", state)
