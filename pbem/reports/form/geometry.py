"""Lookup tables for the order form: arcs and shields, impulses, turn modes (C1.2, C1.44, C3.0, C4.0).

The rules modules compute the tables, so the page's script contains no movement rules. The script itself computes
only ranges and bearings on the grid (``templates/src/geometry/hex.ts``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.engine.state import Commanded, Planet, Ship, State
from pbem.engine.steps.steering import turn_mode, verify_code
from pbem.errors import NotAllowed
from pbem.reports.map.drawing import COLUMN, HALF_HEIGHT, HALF_WIDTH, MARGIN, ROW, Chart
from pbem.rules import hexes, movement, shields, terrain
from pbem.rules.movement import max_speed, moves

replace = msgspec.structs.replace
Json = dict[str, Any]

_MIDDLE = "5050"


def geometry(state: State, chart: Chart) -> Json:
    """Return the geometry of the map as a dict of tables, such as the arcs for each bearing of a target.

    The keys are:

    * ``first``, ``last``: the first and the last hex of the map as [column, row];
    * ``drawn``: the first hex of the part of the map that is drawn;
    * ``units``: dimensions of the drawing;
    * ``lower``: the columns that are half a hex lower: 0 for the even columns, 1 for the odd ones;
    * ``codes``: the direction and new facing for each plot code from facing A;
    * ``arcs``, ``shields``: the arcs that contain a target and the shields that it faces, by its bearing from facing A;
    * ``closed``: hexes that ships may not enter;
    * ``rocks``, ``adds``: asteroid hexes and their effect on fire, if there are any.
    """
    (first_column, first_row), (last_column, last_row) = map(hexes.parse_hex, state.map)
    drawn = chart.part[0] or hexes.hex_name(first_column, first_row)
    return {
        "first": [first_column, first_row],
        "last": [last_column, last_row],
        "drawn": list(hexes.parse_hex(drawn)),
        "units": [HALF_WIDTH, HALF_HEIGHT, COLUMN, ROW, MARGIN],
        "lower": 0 if state.grid == hexes.EVEN else 1,
        "codes": {code: _code(code) for code in movement.CODES},
        "arcs": [sorted(hexes.arcs_holding(_MIDDLE, "A", at, state.grid)) for at in _examples(state.grid)],
        "shields": [shields.faced_shields(_MIDDLE, "A", at, state.grid) for at in _examples(state.grid)],
        "closed": _closed(state),
        **(_asteroids(state) if state.asteroids else {}),
    }


def _asteroids(state: State) -> Json:
    """Return the asteroid hexes, and the die modifiers by number of these hexes in a line of fire (P3.0)."""
    return {"rocks": list(state.asteroids), "adds": [list(each) for each in charts.asteroids().fire]}


def _code(code: str) -> list[int]:
    """Return what a plot code does to a ship with facing A: the direction of its move and its new facing.

    Both are counted in sixths of a circle, clockwise from A.
    """
    there, faced = movement.enter(_MIDDLE, "A", code)
    moved = hexes.direction_to(_MIDDLE, there)
    assert moved is not None
    return [hexes.FACINGS.index(moved), hexes.FACINGS.index(faced)]


def bearing_number(a: str, b: str, grid: str) -> int:
    """Return the bearing of hex ``b`` from hex ``a`` as a number from 0 to 23, or 24 for the same hex.

    The six hex rows that start at ``a``, clockwise from direction A, have four numbers each: on the row, nearer to
    this row than to the next one, halfway between both, and nearer to the next one.
    """
    if a == b:
        return 24
    at = hexes.bearing(a, b, grid)
    return at.index * 4 + (0 if at.on_row else at.nearer + 2)


@cache
def _examples(grid: str) -> tuple[str, ...]:
    """Return one hex for each of the 24 bearings from the hex ``_MIDDLE``."""
    found: dict[int, str] = {}
    for column in range(40, 61):
        for row in range(40, 61):
            there = hexes.hex_name(column, row)
            found.setdefault(bearing_number(_MIDDLE, there, grid), there)
    return tuple(found[number] for number in range(24))


def _closed(state: State) -> Json:
    """Return the hexes that a ship may not enter, each with the reason (P2.0)."""
    found: Json = {}
    for planet in state.in_play():
        for hex in planet.hexes if isinstance(planet, Planet) else ():
            try:
                terrain.verify_enter("ship", hex, state.planets)
            except NotAllowed as refused:
                found[hex] = str(refused)
    return found


def impulses(state: State, scenario: Scenario) -> list[str]:
    """Return, for every speed, a string such as ``0101…`` in which ``1`` marks the impulses of movement (C1.44)."""
    most = max(scenario.max_speed, max_speed(state.impulses), max_speed(state.impulses, True), charts.shuttles().speed)
    count = range(1, state.impulses + 1)
    return ["".join("1" if moves(speed, each, state.impulses) else "0" for each in count) for speed in range(most + 1)]


class Helm:
    """The turn modes and slip modes of one game as tables for the order form; equal tables are shared."""

    def __init__(self, state: State) -> None:
        self.state = replace(state, worlds=())  # without planets, so that the tables do not depend on positions
        self.tables: Json = {}

    def of(self, unit: Commanded, top: int) -> Json:
        """Return data on how a unit may move: its present state, and movement tables for speeds up to ``top``.

        In the result, ``tables`` and ``modes`` are lists by speed: the names of movement tables in :attr:`tables`,
        and the turn modes. ``turned`` is the number of hexes moved since the last turn, ``slipped`` since the last
        sideslip.
        """
        modes = [turn_mode(replace(unit, speed=speed)) for speed in range(top + 1)]
        kind = "ship" if isinstance(unit, Ship) else "shuttle"
        for mode in set(modes):
            if f"{kind} {mode}" not in self.tables:
                self.tables[f"{kind} {mode}"] = self._table(replace(unit, speed=modes.index(mode)), mode)
        turned = unit.since_turn if isinstance(unit, Ship) else unit.straight
        slipped = unit.since_slip if isinstance(unit, Ship) else movement.SLIP_MODE
        return {
            "tables": [f"{kind} {mode}" for mode in modes],
            "modes": modes,
            "turned": turned,
            "slipped": min(slipped, movement.SLIP_MODE),
        }

    def _table(self, unit: Commanded, mode: int) -> Json:
        """Return a movement table with one row per state ``turned * slips + slipped``.

        A row has an entry for each plot code: the state after the move, or the reason why the code is illegal.
        """
        slips = movement.SLIP_MODE + 1
        rows: list[list[int | str]] = []
        for turned in range(mode + 1):
            for slipped in range(slips):
                row: list[int | str] = []
                for code in movement.CODES:
                    refused = verify_code(self.state, _counted(unit, turned, slipped), code)
                    if refused is not None:
                        row.append(str(refused))
                        continue
                    after = movement.after_step(code, turned, slipped)
                    row.append(min(after[0], mode) * slips + min(after[1], movement.SLIP_MODE))
                rows.append(row)
        return {"mode": mode, "slips": slips, "rows": rows}


def _counted(unit: Commanded, turned: int, slipped: int) -> Commanded:
    if isinstance(unit, Ship):
        return replace(unit, since_turn=turned, since_slip=slipped)
    return replace(unit, straight=turned)
