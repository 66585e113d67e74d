"""The helm: which codes a ship may fly now, and the code a pilot order or a course asks for (C3, C4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pbem.data.ships import ship_class
from pbem.faults import NotAllowed
from pbem.game.state import AnyUnit, Ship, State
from pbem.orders.model import Pilot
from pbem.rules import arcs, hexes, shields, sideslip, turning

CODES = ("F", "L", "R", "SL", "SR")
"""Movement codes in the order in which the engine prefers them where an order leaves it the choice."""

COME_ABOUT = 6
"""Turns of 60 degrees that bring a ship round to its old course: room for as many keeps it on the map."""


def turn_mode(ship: Ship) -> int:
    """The ship's turn mode at its speed (C3.3)."""
    return turning.turn_mode(ship_class(ship.ship).turn_modes, ship.speed)


def verify_code(state: State, ship: Ship, code: str) -> NotAllowed | None:
    """Why the ship may not fly ``code`` in its next hex, or ``None`` if it may."""
    try:
        if code in ("L", "R"):
            turning.verify_turn(ship.since_turn, turn_mode(ship))
        elif code in ("SL", "SR"):
            if not state.options.sideslip:
                raise NotAllowed("no-sideslip", "sideslips are not used in this game", "C4.0")
            sideslip.verify_slip(ship.since_slip)
    except NotAllowed as refused:
        return refused
    return None


def entered(state: State, ship: Ship, code: str) -> tuple[str, str]:
    """Hex and facing after flying ``code``."""
    return turning.enter(ship.hex, ship.facing, code, state.grid)


def stays(state: State, ship: Ship, code: str) -> bool:
    """Whether the hex that ``code`` leads to is on the map."""
    return hexes.on_map(entered(state, ship, code)[0], state.map)


def legal_codes(state: State, ship: Ship) -> list[str]:
    """Codes the ship may fly that keep it on the map, in the order of :data:`CODES`."""
    return [code for code in CODES if verify_code(state, ship, code) is None and stays(state, ship, code)]


def keeps_room(state: State, ship: Ship, code: str, codes: tuple[str, ...] = CODES) -> bool:
    """Whether the ship can stay on the map after flying ``code``: it has room left to come about, flying ``codes`` as
    its turn mode and slip mode allow.
    """
    hex_, facing = entered(state, ship, code)
    mode = turn_mode(ship)
    since_turn, since_slip = sideslip.after_step(code, ship.since_turn, ship.since_slip)
    if not state.options.sideslip:
        codes = tuple(each for each in codes if each not in turning.SLIPS)
    counts = min(since_turn, mode), min(since_slip, sideslip.SLIP_MODE)
    return hexes.on_map(hex_, state.map) and _can_stay(
        hex_, facing, counts, mode, COME_ABOUT * mode, codes, state.map, state.grid
    )


@lru_cache(maxsize=65536)
def _can_stay(
    hex: str,
    facing: str,
    counts: tuple[int, int],
    mode: int,
    left: int,
    codes: tuple[str, ...],
    map: tuple[str, str],
    grid: str,
) -> bool:
    """Whether some course of ``left`` hexes stays on the map; ``counts`` are the hexes since the last turn and slip."""
    if not left:
        return True
    for code in codes:
        if code in turning.TURNS and not turning.can_turn(counts[0], mode):
            continue
        if code in turning.SLIPS and not sideslip.can_slip(counts[1]):
            continue
        there, faced = turning.enter(hex, facing, code, grid)
        if not hexes.on_map(there, map):
            continue
        since_turn, since_slip = sideslip.after_step(code, *counts)
        after = min(since_turn, mode), min(since_slip, sideslip.SLIP_MODE)
        if _can_stay(there, faced, after, mode, left - 1, codes, map, grid):
            return True
    return False


def code_for_course(ship: Ship, course: Sequence[tuple[int, str]], flown: int) -> tuple[str, bool]:
    """The next code of an absolute plot, and whether it brings the ship onto the wanted direction (and so uses
    up the hex).
    """
    directions = [direction for hexes_, direction in course for _ in range(hexes_)]
    steps = hexes.relative(ship.facing, directions[flown])
    if steps == 0:
        return "F", True
    return ("R" if steps <= 3 else "L"), steps in (1, 5)


def pilot_code(state: State, ship: Ship, pilot: Pilot, quarry: AnyUnit) -> str:
    """The code that serves a pilot order best one hex ahead and does not lead into a corner of the map from which no
    legal move comes back; among equals the first of :data:`CODES`.
    """
    legal = legal_codes(state, ship) or ["F"]
    codes = [code for code in legal if keeps_room(state, ship, code)] or legal

    def score(code: str) -> tuple[float, float]:
        hex_, facing = entered(state, ship, code)
        gap = hexes.distance(hex_, quarry.hex, state.grid)
        off = off_bow(state, hex_, facing, quarry.hex)
        match pilot.how:
            case "away":
                return -gap, -off
            case "keep shield":
                if hex_ == quarry.hex:
                    return 1, 0
                shown = shields.faced_shields(hex_, facing, quarry.hex, state.grid)
                return min(abs((pilot.shield - n + 3) % 6 - 3) for n in shown), gap
            case "keep arc":
                inside = hex_ != quarry.hex and arcs.in_arc(hex_, facing, quarry.hex, pilot.arc, state.grid)
                return 0 if inside else 1, gap
            case "keep range":
                return max(pilot.low - gap, gap - pilot.high, 0), off
            case _:
                return gap, off

    return min(codes, key=lambda code: (*score(code), CODES.index(code)))


def off_bow(state: State, hex_: str, facing: str, target: str) -> float:
    """How many sixths of a circle the target lies off the bow, half steps between rows; 0 straight ahead."""
    if hex_ == target:
        return 0
    bearing = hexes.bearing(hex_, target, state.grid)
    clockwise = (bearing.index - hexes.FACINGS.index(facing)) % 6 + (0 if bearing.on_row else 0.5)
    return min(clockwise, 6 - clockwise)
