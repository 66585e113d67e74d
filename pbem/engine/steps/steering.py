"""The movement codes that a unit may fly now, and the code that follows from a pilot order (C3, C4).

A movement code is one letter for one hex, such as F for straight ahead; SL and SR are sideslips. A pilot order names a
goal to steer by; a course is a list of directions. The module also makes the forecast of a plot: the hexes that the
unit will enter, as far as they do not depend on other units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.engine.relations import is_wreck
from pbem.engine.state import NO_HEXES, AnyUnit, Commanded, Ship, State
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.orders.model import Pilot
from pbem.rules import hexes, movement, shields, terrain, ties
from pbem.rules.movement import after_step, impulses_of, moves
from pbem.util import several

CODES = movement.CODES

PLACES = ("hex", "edge")
"""The kinds of references in pilot orders that name a place to steer by, not a unit."""

WITHOUT_SLIPS = tuple(code for code in CODES if code not in movement.SLIPS)

COME_ABOUT = 6
"""Number of 60-degree turns in a full circle; a ship that has room for a full circle can stay on the map."""


def turn_mode(unit: Commanded) -> int:
    """Return the turn mode of a unit, in hexes.

    The turn mode of a ship depends on its present speed (C3.3), that of a shuttle does not (J1.23).
    """
    if not isinstance(unit, Ship):
        return charts.shuttles().turn_mode
    return movement.turn_mode(ship_class(unit.ship).turn_modes, unit.speed)


def since_turn(unit: Commanded) -> int:
    """Return the number of hexes that a unit has moved since its last turn (C3.4)."""
    return unit.since_turn if isinstance(unit, Ship) else unit.straight


def verify_code(state: State, unit: Commanded, code: str) -> NotAllowed | None:
    """Return the reason why the unit may not fly ``code`` in its next hex, or ``None`` if it may."""
    try:
        if code in ("L", "R"):
            movement.verify_turn(since_turn(unit), turn_mode(unit))
        elif code in ("SL", "SR"):
            if not isinstance(unit, Ship):
                raise NotAllowed("no-sideslip", f"{unit.name} is a shuttle, and only ships sideslip", "J1.2")
            if not state.options.sideslip:
                raise NotAllowed("no-sideslip", "sideslips are not used in this game", "C4.0")
            movement.verify_slip(unit.since_slip)
        if isinstance(unit, Ship):
            terrain.verify_enter("ship", entered(state, unit, code)[0], state.planets)
    except NotAllowed as refused:
        return refused
    return None


def entered(state: State, unit: AnyUnit, code: str) -> tuple[str, str]:
    """Return the hex and facing that a unit has after it flies ``code``."""
    return movement.enter(unit.hex, unit.facing, code, state.grid)


def stays(state: State, unit: Commanded, code: str) -> bool:
    """Return whether a unit that flies ``code`` stays on the map and out of planets (P2.0).

    For units other than ships, planets are not considered.
    """
    hex_ = entered(state, unit, code)[0]
    return hexes.on_map(hex_, state.map) and (not isinstance(unit, Ship) or hex_ not in state.planets)


def legal_codes(state: State, unit: Commanded) -> list[str]:
    """Return the codes that a unit may fly next without leaving the map, the preferred ones first."""
    return list(_legal_codes(*_placed(state, unit), ties.of_codes))


@lru_cache(maxsize=65536)
def _legal_codes(
    hex: str, facing: str, turned: int, slipped: int, room: _Room, place: Callable[[str], int]
) -> tuple[str, ...]:
    """Return the legal codes from a hex and facing that lead to open hexes, in order of preference.

    ``place`` is the sort key of the codes. ``turned`` and ``slipped`` are the numbers of hexes moved since the last
    turn and the last sideslip.
    """
    return tuple(
        code
        for code in sorted(room.codes, key=place)
        if (code not in movement.TURNS or movement.can_turn(turned, room.mode))
        and (code not in movement.SLIPS or movement.can_slip(slipped))
        and room.holds(movement.enter(hex, facing, code, room.grid)[0])
    )


def keeps_room(state: State, ship: Commanded, code: str, codes: tuple[str, ...] = CODES) -> bool:
    """Return whether the unit, after it flies ``code``, can still avoid leaving the map.

    The unit must then have enough space to fly a full circle with the movement codes ``codes``, within its turn mode
    and slip mode.
    """
    return bool(with_room(state, ship, (code,), codes))


def with_room(state: State, ship: Commanded, ways: Sequence[str], codes: tuple[str, ...] = CODES) -> list[str]:
    """Return those codes of ``ways`` after which the unit can still avoid leaving the map.

    :func:`keeps_room` explains the test.
    """
    hex_, facing, turned, slipped, room = _placed(state, ship, codes)
    return [code for code in ways if _has_room(hex_, facing, code, turned, slipped, room)]


def _placed(state: State, unit: Commanded, codes: tuple[str, ...] = CODES) -> tuple[str, str, int, int, _Room]:
    """Return the values that decide where a unit may fly.

    The values are the hex, the facing, the numbers of hexes moved since the last turn and since the last sideslip, and
    the area open to the unit. Each number is limited to the value above which it makes no difference.
    """
    mode = turn_mode(unit)
    if not isinstance(unit, Ship):
        closed, turned, slipped = NO_HEXES, min(unit.straight, mode), 0
    else:
        closed, turned, slipped = state.planets, min(unit.since_turn, mode), min(unit.since_slip, movement.SLIP_MODE)
    if not state.options.sideslip or not isinstance(unit, Ship):
        codes = WITHOUT_SLIPS if codes is CODES else tuple(each for each in codes if each not in movement.SLIPS)
    return unit.hex, unit.facing, turned, slipped, _Room(mode, codes, state.map, state.grid, closed)


class _Room(NamedTuple):
    """The area open to a unit, i.e. the map without hexes that the unit must not enter.

    The object also contains the unit's turn mode and the movement codes that the unit may use.
    """

    mode: int
    codes: tuple[str, ...]
    map: tuple[str, str]
    grid: str
    closed: frozenset[str]

    def holds(self, hex: str) -> bool:
        """Return whether a hex is on the map and not closed to the unit."""
        return hexes.on_map(hex, self.map) and hex not in self.closed


@lru_cache(maxsize=65536)
def _has_room(hex: str, facing: str, code: str, turned: int, slipped: int, room: _Room) -> bool:
    """Return whether a unit that flies ``code`` stays in the open area and can fly a full circle there.

    ``turned`` and ``slipped`` are the numbers of hexes moved since the unit's last turn and sideslip, limited to the
    value above which they make no difference.
    """
    there, faced = movement.enter(hex, facing, code, room.grid)
    after = movement.after_step(code, turned, slipped)
    counts = min(after[0], room.mode), min(after[1], movement.SLIP_MODE)
    return room.holds(there) and _can_stay(there, faced, counts, COME_ABOUT * room.mode, room)


@lru_cache(maxsize=65536)
def _can_stay(hex: str, facing: str, counts: tuple[int, int], left: int, room: _Room) -> bool:
    """Return whether the unit can fly ``left`` more hexes on some course without leaving the open area.

    ``counts`` are the numbers of hexes moved since the last turn and the last sideslip.
    """
    if not left:
        return True
    for code in room.codes:
        if code in movement.TURNS and not movement.can_turn(counts[0], room.mode):
            continue
        if code in movement.SLIPS and not movement.can_slip(counts[1]):
            continue
        there, faced = movement.enter(hex, facing, code, room.grid)
        if not room.holds(there):
            continue
        turned, slipped = movement.after_step(code, *counts)
        after = min(turned, room.mode), min(slipped, movement.SLIP_MODE)
        if _can_stay(there, faced, after, left - 1, room):
            return True
    return False


def code_for_course(ship: Commanded, course: Sequence[tuple[int, str]], flown: int) -> tuple[str, bool]:
    """Return the next movement code of a course, and whether the code completes a hex of the course.

    ``course`` is a list of (hexes, direction); ``flown`` is the number of hexes flown. The code completes the next hex
    of the course if the ship then faces the direction of the course. Otherwise the code is only part of a longer turn.
    """
    directions = [direction for hexes_, direction in course for _ in range(hexes_)]
    steps = hexes.relative(ship.facing, directions[flown])
    if steps == 0:
        return "F", True
    return come_about(steps), steps in (1, 5)


def come_about(steps: int) -> str:
    """Return ``L`` or ``R``, whichever is the shorter turn toward a direction (C1.41).

    The direction is ``steps`` times 60 degrees clockwise.
    """
    shortest = {1: "R", 2: "R", 4: "L", 5: "L"}
    return shortest.get(steps) or min(movement.TURNS, key=ties.of_turns_about)


def pilot_code(state: State, ship: Commanded, pilot: Pilot, goal: str, leaving: bool = False) -> str:
    """Return the movement code that follows a pilot order best, looking one hex ahead.

    A pilot order names a goal to steer toward or away from. Codes into a corner of the map from which no legal move
    leads out are avoided. :func:`pbem.rules.ties.of_codes` decides between equally good codes. ``goal`` is the hex to
    steer by, empty for an edge of the map. If ``leaving`` is true, the unit may leave the map. It does so if the order
    is to flee or to steer for an edge, and the best code leads off the map.
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
    """Return the legal codes after which the unit can stay in the open area.

    If there are no such codes, all legal codes are returned; if no code is legal, straight ahead (F).
    """
    legal = _legal_codes(hex, facing, turned, slipped, room, place) or ("F",)
    return tuple(code for code in legal if _has_room(hex, facing, code, turned, slipped, room)) or legal


class _Wish(NamedTuple):
    """The aim of a pilot order.

    The aim is the hex ``goal`` (that of the unit which the order names) or an ``edge`` of the map.
    """

    how: str
    edge: str
    goal: str
    shield: int
    arc: str
    low: int
    high: int


@lru_cache(maxsize=65536)
def _served_best(hex: str, facing: str, codes: tuple[str, ...], wish: _Wish, map: tuple[str, str], grid: str) -> str:
    """Return the code that follows a pilot order best; if several are equally good, the first of them."""
    edge, goal = wish.edge, wish.goal

    def score(code: str) -> tuple[float, float]:
        hex_, faced = movement.enter(hex, facing, code, grid)
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
                inside = hex_ != goal and hexes.in_arc(hex_, faced, goal, wish.arc, grid)
                return 0 if inside else 1, gap
            case "keep range":
                return max(wish.low - gap, gap - wish.high, 0), off
            case _:
                return gap, off

    return min(codes, key=score)


def off_bow(hex_: str, facing: str, target: str, grid: str) -> float:
    """Return the angle between a unit's facing and a target, in units of 60 degrees.

    0 is straight ahead. The angle may be half a unit if the target is between two hex rows.
    """
    if hex_ == target:
        return 0
    bearing = hexes.bearing(hex_, target, grid)
    clockwise = (bearing.index - hexes.FACINGS.index(facing)) % 6 + (0 if bearing.on_row else 0.5)
    return min(clockwise, 6 - clockwise)


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """The predicted flight of a unit that follows a plot, hex by hex.

    Attributes:
        path: Tuples (impulse, code, hex and facing).
        at: The position after each impulse, for the impulses in which it is certain.
        certain_until: The last impulse in which the position does not depend on other units.
        notes: Remarks for the player.
        faults: Codes that the rules forbid.
    """

    path: tuple[tuple[int, str, str], ...] = ()
    at: dict[int, tuple[str, str]] = {}
    certain_until: int = 0
    notes: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def forecast(
    state: State,
    ship: Commanded,
    plot: om.Plot | None,
    *,
    first: int,
    through: int,
    moved: bool = False,
    tows: int | None = None,
    kept: bool = False,
) -> Forecast:
    """Return the predicted flight of a unit that follows a plot, with a fault for every forbidden code.

    If a tractor beam holds the unit, nothing is certain, because the ship that holds it decides where it will be.

    Args:
        state: The state from which the plot is flown.
        ship: The ship or shuttle.
        plot: The plot of the unit; ``None`` means straight ahead.
        first: The first impulse to predict.
        through: The last impulse to predict.
        moved: Whether the movement step of impulse ``first`` is over.
        tows: The first impulse in which the ship's own beams may change its speed (G7.4).
        kept: Whether the scenario forbids the unit's side to leave the map; then LEAVE MAP is not suggested to the
            player.
    """
    if holders := state.holders(ship.name):
        held = f"{ship.name} is held by {holders[0].ship}: it moves by itself only once it is let go (G7.31)"
        return Forecast(certain_until=first - 1, notes=(held,) if plot is not None else ())
    flight = _Flight(state, ship, plot or om.Plot(), first, through, moved=moved, kept=kept)
    return flight.flown_until(through if tows is None else tows)


class _Flight:
    """The computation of a :class:`Forecast`.

    The object flies the plot hex by hex until the result depends on other units.
    """

    def __init__(
        self, state: State, ship: Commanded, plot: om.Plot, first: int, through: int, *, moved: bool, kept: bool
    ) -> None:
        self.state, self.ship, self.plot = state, ship, plot
        self.first, self.through, self.moved, self.kept = first, through, moved, kept
        self.length = plot.length
        turns = [*(reaction.at for reaction in plot.reactions), *(tac.at for tac in plot.tacs)]
        self.reacts = min((impulse or first for impulse in turns), default=through + 1)
        self.path: list[tuple[int, str, str]] = []
        self.at: dict[int, tuple[str, str]] = {}
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.certain = through
        self.asked: tuple[int, str] | None = None

    @property
    def flown(self) -> int:
        """The number of hexes flown."""
        return len(self.path)

    def flown_until(self, tows: int) -> Forecast:
        """Return the forecast of the plot, up to the last impulse that is certain.

        After impulse ``tows`` the speed is no longer certain, because tractor beams may change it.
        """
        for impulse in range(self.first, self.through + 1):
            if impulse > tows:
                self._ends(impulse, "on the speed, and with it the course, depends on what you tow (G7.4)")
                break
            if impulse >= self.reacts:
                self._ends(impulse, "on the course depends on your reactions")
                break
            if self._moves_in(impulse) and not self._flies(impulse):
                break
            self.at[impulse] = (self.ship.hex, self.ship.facing)
        else:
            if self.length > self.flown:
                unused, makes = self.length - self.flown, several(self.flown, "hex", "hexes")
                idle = "code of the plot is" if unused == 1 else f"{unused} codes of the plot are"
                self.notes.append(f"the last {idle} not used: speed {self.ship.speed} makes {makes} here")
        if self.asked is not None and not self.faults:
            # A plot to a place from which the unit must leave the map is no fault, but play stops before that move.
            impulse, note = self.asked
            self.path = [step for step in self.path if step[0] < impulse]
            self.at = {when: place for when, place in self.at.items() if when < impulse}
            self.certain, self.notes = impulse - 1, [note]
        return Forecast(
            path=tuple(self.path),
            at=self.at,
            certain_until=self.certain,
            notes=tuple(self.notes),
            faults=tuple(self.faults),
        )

    def _ends(self, impulse: int, why: str) -> None:
        self._stops(impulse, f"from impulse {impulse} {why}")

    def _stops(self, impulse: int, note: str) -> None:
        """Record that the position is uncertain from this impulse on."""
        self.certain = impulse - 1
        self.notes.append(note)

    def _moves_in(self, impulse: int) -> bool:
        has_moved = self.moved and impulse == self.first
        return due(self.ship) and moves(self.ship.speed, impulse, self.state.impulses) and not has_moved

    def _flies(self, impulse: int) -> bool:
        """Fly one hex and return whether the forecast can go on after it."""
        code = self._code(impulse)
        if code is None or not self._may_enter(impulse, code) or not self._stays(impulse, code):
            return False
        hex_, facing = movement.enter(self.ship.hex, self.ship.facing, code, self.state.grid)
        self.ship = _stepped(self.ship, code, hex_, facing)
        self.path.append((impulse, code, self.ship.at))
        return True

    def _code(self, impulse: int) -> str | None:
        """Return the code for the next hex of the plot.

        The result is ``None`` if the course cannot be flown or depends on other units.
        """
        plot, ship = self.plot, self.ship
        if self.flown < self.length and plot.codes:
            return plot.codes[self.flown]
        if self.flown < self.length:
            code, arrives = code_for_course(ship, plot.course, self.flown)
            if arrives:
                return code
            text = f"turn at most 60 degrees: hex {self.flown + 1} of the course turns more from {ship.facing}"
            self.faults.append(plot.wrong("course", text, "C3.1"))
            return None
        if plot.pilot is None:
            return "F"
        if plot.pilot.unit.how in PLACES:
            place = plot.pilot.unit.name if plot.pilot.unit.how == "hex" else ""
            return pilot_code(self.state, ship, plot.pilot, place, plot.leave_map)
        self._ends(impulse, f"on the course depends on {plot.pilot.unit.name or 'the enemy'}")
        return None

    def _may_enter(self, impulse: int, code: str) -> bool:
        """Return whether the rules allow a movement code in the present position.

        If the code is forbidden, a fault is recorded, but only a note if the player will be asked for new orders before
        that move.
        """
        ship = self.ship
        refused = verify_code(self.state, ship, code)
        if refused is None:
            return True
        if refused.code == CRASH and not self._may_steer_clear():
            into = entered(self.state, ship, code)[0]
            asked = f"you will be asked before impulse {impulse}: ahead of {ship.at} is the planet in {into}"
            lost = f"no legal move of impulse {impulse} keeps {ship.name} at {ship.at} out of the planet in {into}"
            self._stops(impulse, asked if legal_codes(self.state, ship) else lost)
            return False
        where = f"code {self.flown + 1} ({code}) in impulse {impulse} at {ship.at}, speed {ship.speed}: "
        self.faults.append(self.plot.wrong(refused.code, where + refused.text, refused.rule))
        return False

    def _may_steer_clear(self) -> bool:
        """Return whether a movement into a planet must be reported as a fault of the orders.

        It is a fault if another code would avoid the planet, and either the plot itself or the first move leads into
        the planet.
        """
        return (self.flown < self.length or self.flown == 0) and bool(legal_codes(self.state, self.ship))

    def _stays(self, impulse: int, code: str) -> bool:
        """Return whether the unit stays on the map and out of planets if it flies this code.

        A note is added if the unit could no longer avoid leaving the map or hitting a planet afterwards.
        """
        state, ship = self.state, self.ship
        if not stays(state, ship, code):
            self.certain = impulse - 1
            if self.plot.leave_map:
                self.notes.append(f"leaves the map from {ship.hex} in impulse {impulse}")
            elif self.kept and not legal_codes(state, ship):
                self.notes.append(f"no legal move of impulse {impulse} keeps {ship.name} at {ship.at} on the map")
            elif self.flown < self.length or impulse == self._first_move():
                text = f"in impulse {impulse} {code} leads off the map from {ship.at}; write LEAVE MAP if you mean it"
                self.faults.append(self.plot.wrong("leaves-map", text, "C1.1"))
            else:
                self.notes.append(
                    f"you will be asked before impulse {impulse}: straight on leaves the map from {ship.hex}"
                )
            return False
        if not self.plot.leave_map and not keeps_room(state, ship, code):
            note = f"you will be asked before impulse {impulse}: {ship.at} leads straight {_where(state)}"
            if self.flown >= self.length:
                self._stops(impulse, note)
                return False
            if self.asked is None and any(keeps_room(state, ship, other) for other in legal_codes(state, ship)):
                self.asked = impulse, note
        return True

    def _first_move(self) -> int:
        """Return the first impulse in which the ship moves; 0 if it does not move."""
        due_in = impulses_of(self.ship.speed, self.state.impulses)
        return next((i for i in due_in if self.first + self.moved <= i <= self.through), 0)


CRASH = "planet-hex"
"""Code of the fault for a plot that leads into a planet."""


def due(unit: Commanded) -> bool:
    """Return whether a unit can move at all in this scenario, i.e. is not a wreck."""
    return not is_wreck(unit)


def _stepped(unit: Commanded, code: str, hex_: str, facing: str) -> Commanded:
    """Return a copy of the unit after it has moved one hex.

    The counts of hexes since the last turn and the last sideslip are updated.
    """
    if isinstance(unit, Ship):
        turned, slipped = after_step(code, unit.since_turn, unit.since_slip)
        return replace(unit, hex=hex_, facing=facing, since_turn=turned, since_slip=slipped)
    return replace(unit, hex=hex_, facing=facing, straight=after_step(code, unit.straight, 0)[0])


def _where(state: State) -> str:
    return "off the map or into the planet" if state.planets else "off the map"
