"""The helm: which codes a ship may fly now, and the code a pilot order or a course asks for (C3, C4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.engine.state import NO_HEXES, AnyUnit, Commanded, Ship, State
from pbem.errors import NotAllowed
from pbem.orders.model import Pilot
from pbem.rules import arcs, hexes, shields, sideslip, terrain, ties, turning

CODES = turning.CODES

PLACES = ("hex", "edge")
"""How orders name a place to steer by."""

WITHOUT_SLIPS = tuple(code for code in CODES if code not in turning.SLIPS)

COME_ABOUT = 6
"""Turns of 60 degrees that bring a ship round to its old course: room for as many keeps it on the map."""


def turn_mode(unit: Commanded) -> int:
    """The turn mode of a ship at its speed (C3.3), or of a shuttle at any (J1.23)."""
    if not isinstance(unit, Ship):
        return charts.shuttles().turn_mode
    return turning.turn_mode(ship_class(unit.ship).turn_modes, unit.speed)


def since_turn(unit: Commanded) -> int:
    """Hexes moved since the last turn (C3.4)."""
    return unit.since_turn if isinstance(unit, Ship) else unit.straight


def verify_code(state: State, unit: Commanded, code: str) -> NotAllowed | None:
    """Why the unit may not fly ``code`` in its next hex, or ``None`` if it may."""
    try:
        if code in ("L", "R"):
            turning.verify_turn(since_turn(unit), turn_mode(unit))
        elif code in ("SL", "SR"):
            if not isinstance(unit, Ship):
                raise NotAllowed("no-sideslip", f"{unit.name} is a shuttle, and only ships sideslip", "J1.2")
            if not state.options.sideslip:
                raise NotAllowed("no-sideslip", "sideslips are not used in this game", "C4.0")
            sideslip.verify_slip(unit.since_slip)
        if isinstance(unit, Ship):
            terrain.verify_enter("ship", entered(state, unit, code)[0], state.planets)
    except NotAllowed as refused:
        return refused
    return None


def entered(state: State, unit: AnyUnit, code: str) -> tuple[str, str]:
    """Hex and facing after flying ``code``."""
    return turning.enter(unit.hex, unit.facing, code, state.grid)


def stays(state: State, unit: Commanded, code: str) -> bool:
    """Whether the hex that ``code`` leads to is on the map and no planet that a ship would crash into (P2.0)."""
    hex_ = entered(state, unit, code)[0]
    return hexes.on_map(hex_, state.map) and (not isinstance(unit, Ship) or hex_ not in state.planets)


def legal_codes(state: State, unit: Commanded) -> list[str]:
    """Codes the unit may fly that keep it on the map, those first that are preferred among equals."""
    return list(_legal_codes(*_placed(state, unit), ties.of_codes))


@lru_cache(maxsize=65536)
def _legal_codes(
    hex: str, facing: str, turned: int, slipped: int, room: _Room, place: Callable[[str], int]
) -> tuple[str, ...]:
    """The codes that may be flown and lead into the room, in the order of their ``place``."""
    return tuple(
        code
        for code in sorted(room.codes, key=place)
        if (code not in turning.TURNS or turning.can_turn(turned, room.mode))
        and (code not in turning.SLIPS or sideslip.can_slip(slipped))
        and room.holds(turning.enter(hex, facing, code, room.grid)[0])
    )


def keeps_room(state: State, ship: Commanded, code: str, codes: tuple[str, ...] = CODES) -> bool:
    """Whether the ship can stay on the map after flying ``code``: it has room left to come about, flying ``codes`` as
    its turn mode and slip mode allow.
    """
    return bool(with_room(state, ship, (code,), codes))


def with_room(state: State, ship: Commanded, ways: Sequence[str], codes: tuple[str, ...] = CODES) -> list[str]:
    """Those of some codes after which the ship can stay on the map (:func:`keeps_room`)."""
    hex_, facing, turned, slipped, room = _placed(state, ship, codes)
    return [code for code in ways if _has_room(hex_, facing, code, turned, slipped, room)]


def _placed(state: State, unit: Commanded, codes: tuple[str, ...] = CODES) -> tuple[str, str, int, int, _Room]:
    """All that where a unit may fly hangs on: hex, facing, the hexes since its last turn and slip as far as they
    matter, and the room it has.
    """
    mode = turn_mode(unit)
    if not isinstance(unit, Ship):
        closed, turned, slipped = NO_HEXES, min(unit.straight, mode), 0
    else:
        closed, turned, slipped = state.planets, min(unit.since_turn, mode), min(unit.since_slip, sideslip.SLIP_MODE)
    if not state.options.sideslip or not isinstance(unit, Ship):
        codes = WITHOUT_SLIPS if codes is CODES else tuple(each for each in codes if each not in turning.SLIPS)
    return unit.hex, unit.facing, turned, slipped, _Room(mode, codes, state.map, state.grid, closed)


class _Room(NamedTuple):
    """Where a unit can be, and how it may move there."""

    mode: int
    codes: tuple[str, ...]
    map: tuple[str, str]
    grid: str
    closed: frozenset[str]

    def holds(self, hex: str) -> bool:
        return hexes.on_map(hex, self.map) and hex not in self.closed


@lru_cache(maxsize=65536)
def _has_room(hex: str, facing: str, code: str, turned: int, slipped: int, room: _Room) -> bool:
    """Whether a unit that flies ``code`` from here stays in the room and can come about in it; ``turned`` and
    ``slipped`` are the hexes since its last turn and slip, as far as they matter.
    """
    there, faced = turning.enter(hex, facing, code, room.grid)
    after = sideslip.after_step(code, turned, slipped)
    counts = min(after[0], room.mode), min(after[1], sideslip.SLIP_MODE)
    return room.holds(there) and _can_stay(there, faced, counts, COME_ABOUT * room.mode, room)


@lru_cache(maxsize=65536)
def _can_stay(hex: str, facing: str, counts: tuple[int, int], left: int, room: _Room) -> bool:
    """Whether some course of ``left`` hexes stays in the room; ``counts`` are the hexes since the last turn and
    slip.
    """
    if not left:
        return True
    for code in room.codes:
        if code in turning.TURNS and not turning.can_turn(counts[0], room.mode):
            continue
        if code in turning.SLIPS and not sideslip.can_slip(counts[1]):
            continue
        there, faced = turning.enter(hex, facing, code, room.grid)
        if not room.holds(there):
            continue
        turned, slipped = sideslip.after_step(code, *counts)
        after = min(turned, room.mode), min(slipped, sideslip.SLIP_MODE)
        if _can_stay(there, faced, after, left - 1, room):
            return True
    return False


def code_for_course(ship: Commanded, course: Sequence[tuple[int, str]], flown: int) -> tuple[str, bool]:
    """The next code of an absolute plot, and whether it brings the ship onto the wanted direction (and so uses
    up the hex).
    """
    directions = [direction for hexes_, direction in course for _ in range(hexes_)]
    steps = hexes.relative(ship.facing, directions[flown])
    if steps == 0:
        return "F", True
    return come_about(steps), steps in (1, 5)


def come_about(steps: int) -> str:
    """The turn toward a direction so many sixths of a circle clockwise (C1.41)."""
    shortest = {1: "R", 2: "R", 4: "L", 5: "L"}
    return shortest.get(steps) or min(turning.TURNS, key=ties.of_turns_about)


def pilot_code(state: State, ship: Commanded, pilot: Pilot, goal: str, leaving: bool = False) -> str:
    """The code that serves a pilot order best one hex ahead and does not lead into a corner of the map from which no
    legal move comes back; among equals that of :func:`pbem.rules.ties.of_codes`.

    ``goal`` is the hex steered by (of an edge, nothing). A unit that may leave the map (``leaving``) does, where that
    takes it away from what it flees or over the edge it steers for.
    """
    edge = pilot.unit.name if pilot.unit.how == "edge" else ""
    if leaving and (edge or pilot.how == "away"):
        free = [code for code in CODES if verify_code(state, ship, code) is None] or ["F"]
        codes = tuple(sorted(free, key=ties.of_codes))
    else:
        codes = _roomy_codes(*_placed(state, ship), ties.of_codes)
    if len(codes) == 1:
        return codes[0]
    wish = _Wish(pilot.how, edge, "" if edge else goal, pilot.shield, pilot.arc, pilot.low, pilot.high)
    return _served_best(ship.hex, ship.facing, codes, wish, state.map, state.grid)


@lru_cache(maxsize=65536)
def _roomy_codes(
    hex: str, facing: str, turned: int, slipped: int, room: _Room, place: Callable[[str], int]
) -> tuple[str, ...]:
    """Of the legal codes those after which the unit can stay in the room, if there are any; ahead, if none is legal."""
    legal = _legal_codes(hex, facing, turned, slipped, room, place) or ("F",)
    return tuple(code for code in legal if _has_room(hex, facing, code, turned, slipped, room)) or legal


class _Wish(NamedTuple):
    """What a pilot order asks for, without the unit it steers by: the ``edge`` of the map or the ``goal``, a hex."""

    how: str
    edge: str
    goal: str
    shield: int
    arc: str
    low: int
    high: int


@lru_cache(maxsize=65536)
def _served_best(hex: str, facing: str, codes: tuple[str, ...], wish: _Wish, map: tuple[str, str], grid: str) -> str:
    """The first of those codes that serve a pilot order best from here."""
    edge, goal = wish.edge, wish.goal

    def score(code: str) -> tuple[float, float]:
        hex_, faced = turning.enter(hex, facing, code, grid)
        if edge:
            gap = hexes.to_edge(hex_, edge, map, grid)
            turns = abs((hexes.relative(faced, edge) + 3) % 6 - 3)
            return (gap, turns) if wish.how == "toward" else (-gap, -turns)
        gap = hexes.distance(hex_, goal, grid)
        off = off_bow(hex_, faced, goal, grid)
        match wish.how:
            case "away":
                return -gap, -off
            case "keep shield":
                if hex_ == goal:
                    return 1, 0
                shown = shields.faced_shields(hex_, faced, goal, grid)
                return min(abs((wish.shield - n + 3) % 6 - 3) for n in shown), gap
            case "keep arc":
                inside = hex_ != goal and arcs.in_arc(hex_, faced, goal, wish.arc, grid)
                return 0 if inside else 1, gap
            case "keep range":
                return max(wish.low - gap, gap - wish.high, 0), off
            case _:
                return gap, off

    return min(codes, key=score)


def off_bow(hex_: str, facing: str, target: str, grid: str) -> float:
    """How many sixths of a circle the target lies off the bow, half steps between rows; 0 straight ahead."""
    if hex_ == target:
        return 0
    bearing = hexes.bearing(hex_, target, grid)
    clockwise = (bearing.index - hexes.FACINGS.index(facing)) % 6 + (0 if bearing.on_row else 0.5)
    return min(clockwise, 6 - clockwise)
