"""The windows beside the map: for each race one with the SSDs of its ships, which everybody may see (D4.1), and one
with papers that are its own player's alone.
"""

from __future__ import annotations

from pbem.data import charts
from pbem.game.state import Ship, State
from pbem.tabletop.companion.ssd_plan import WIDE
from vassal.grid import Point

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


def paper_window(race: str) -> str:
    """The name of a race's window of papers."""
    return f"{charts.races()[race].name} papers"


def owners(race: str) -> tuple[str, str]:
    """The players of the module that see a race's papers."""
    return charts.races()[race].name, MODERATOR


def players() -> tuple[str, ...]:
    """The races that players of the module may be."""
    return tuple(race for race in charts.races() if race != NOBODY)


def board_size() -> tuple[int, int]:
    """The size of a window's board in pixels."""
    return GAP + ACROSS * (WIDE + GAP), GAP + DOWN * (HIGH + GAP)


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
