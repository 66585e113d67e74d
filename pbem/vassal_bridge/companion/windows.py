"""The windows beside the map: for each race one with the SSDs of its ships, which everybody may see (D4.1), and one
with papers that are its own player's alone.
"""

from __future__ import annotations

from pbem.data import charts
from pbem.engine.state import Ship, State
from pbem.vassal_bridge.companion.ssd_plan import WIDE
from pbem.vassal_bridge.companion.traits import named
from vassal.module.grid import Point
from vassal.pieces.pieces import Piece
from vassal.pieces.trait import Trait
from vassal.text import sequence

NOBODY = "civilian"
"""The race that no player of the module is: its ships have SSDs and no papers."""

MODERATOR = "Moderator"

SSD_BOARD, PAPER_BOARD = "SSDs", "Papers"
GAP, HIGH = 14, 590
"""Between sheets, and the height of the highest."""
ACROSS, DOWN = 3, 6
"""Sheets side by side and one below the other: more ships than these a side has in no scenario."""
PAPER, SPACE_COLOUR = "243,245,248", "201,209,222"


def ssd_window(race: str) -> str:
    """The name of a race's window of SSDs."""
    return f"{charts.races()[race].name} SSDs"


def show_key(race: str) -> str:
    """The key that shows a race's window of SSDs."""
    return named(f"show {ssd_window(race)}")


OPEN_KEY = "68,650"
"""Ctrl+Alt+D."""
_OPENS = "opens the SSDs"


def open_command(race: str) -> Trait:
    """The menu entry of a ship's counter that shows the window in which the SSDs of a race lie."""
    return Trait(sequence.encode(["globalhotkey", "Open SSD", OPEN_KEY, show_key(race), _OPENS], ";"))


def with_window_of(piece: Piece, race: str) -> Piece:
    """A ship's counter whose menu shows that race's window; a counter without such an entry stays as it is."""
    wanted = open_command(race)
    traits = [wanted if trait.kind == "globalhotkey" and trait.field(4) == _OPENS else trait for trait in piece.traits]
    return Piece.of(traits) if wanted in traits and wanted not in piece.traits else piece


def paper_window(race: str) -> str:
    """The name of a race's window of papers."""
    return f"{charts.races()[race].name} papers"


def owners(race: str) -> tuple[str, str]:
    """The players of the module that see a race's papers."""
    return charts.races()[race].name, MODERATOR


def players() -> tuple[str, ...]:
    """The races that players of the module may be."""
    return tuple(race for race in charts.races() if race != NOBODY)


ROOMS = ((1, 1), (2, 1), (3, 1), (3, 2), (ACROSS, DOWN))
"""How many sheets the boards of a window have room for, side by side and one below the other. VASSAL makes a window as
large as its board, so a game takes the smallest that will do; the last is that of a window of which nothing is said.
"""


def board_name(base: str, across: int, down: int) -> str:
    """What the board with room for so many sheets is called; ``base`` is that of the largest."""
    return base if (across, down) == ROOMS[-1] else f"{base} {across * down}"


def board_sizes(base: str) -> dict[str, tuple[int, int]]:
    """The boards of a window by name, the largest first, with their sizes in pixels."""
    return {
        board_name(base, across, down): (GAP + across * (WIDE + GAP), GAP + down * (HIGH + GAP))
        for across, down in reversed(ROOMS)
    }


def board_for(base: str, sheets: int) -> str:
    """The smallest board on which so many sheets have their places."""
    across, down = next((room for room in ROOMS if room[0] * room[1] >= sheets), ROOMS[-1])
    return board_name(base, across, down)


def boards(state: State) -> dict[str, str]:
    """The board of each window in a game, for all ships that are in it or are to come."""
    found = places(state)
    counts = dict.fromkeys(charts.races(), 0)
    for unit in state.units.values():
        if isinstance(unit, Ship):
            counts[race_of(unit)] = max(counts[race_of(unit)], found[unit.name] + 1)
    chosen = {ssd_window(race): board_for(SSD_BOARD, count) for race, count in counts.items()}
    return chosen | {paper_window(race): board_for(PAPER_BOARD, counts[race]) for race in players()}


def race_of(ship: Ship) -> str:
    """In whose windows a ship's sheets lie: those of the side that had it first, if that is called like a race."""
    side = ship.captured_from or ship.side
    return side if side in charts.races() else ship.race


def places(state: State) -> dict[str, int]:
    """The place of each ship's sheets in its windows, from 0. Ships that are gone keep theirs, and no other moves."""
    counted: dict[str, int] = {}
    found = {}
    for unit in state.units.values():
        if isinstance(unit, Ship):
            race = race_of(unit)
            found[unit.name] = counted.setdefault(race, 0)
            counted[race] += 1
    return found


def spot(place: int, high: int) -> Point | None:
    """Where the middle of a sheet lies that is so high; nowhere where the board is full."""
    down, across = divmod(place, ACROSS)
    if down >= DOWN:
        return None
    return GAP + across * (WIDE + GAP) + WIDE // 2, GAP + down * (HIGH + GAP) + high // 2
