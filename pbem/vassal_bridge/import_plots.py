"""Read orders and movement plots from a player's own VASSAL file.

Orders come from the delayed notes of the save (:func:`orders_in_notes`). VASSAL writes the notes of all players into
every file, and anybody who looks into the file can read them. So this module reads only the notes of the side that
sent the file. It reports only the number of notes of other sides.

Plots come from moved counters (:func:`tried_out`): from the difference between two saves, or hex by hex from a log.
Each plot has the movement codes from hex to hex and the rules that it breaks. This module stores nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from pbem.data.terms import FormKind, impulses_in_words
from pbem.engine.state import Commanded, Ship, State
from pbem.engine.steps.steering import CODES, entered, since_turn, verify_code
from pbem.errors import Fault, GameError
from pbem.orders.header import Header, header_line
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders
from pbem.rules import hexes, movement
from pbem.rules.movement import hex_number
from pbem.util import several
from pbem.vassal_bridge.binding import Binding, facing_of
from pbem.vassal_bridge.import_positions import check_module, match_counters, read_file, read_steps
from pbem.vassal_bridge.notes import moment_in
from pbem.vassal_bridge.positions import module_for
from pbem.vassal_bridge.propose import propose
from vassal.errors import VassalError
from vassal.save import TableState
from vassal.text import leaves

if TYPE_CHECKING:
    from vassal.log import StepLog
    from vassal.module.module import Module
    from vassal.pieces.piece import Piece
    from vassal.save import DelayedNote, Save, TablePiece


class NoteOrders(msgspec.Struct, frozen=True, kw_only=True):
    """Orders found in a delayed note of a save.

    Attributes:
        note: The name of the note.
        hidden: Whether VASSAL still hides the note.
        text: The note as it would be filed.
        orders: The same orders in normal form.
        faults: The faults in the parts that could not be read.
    """

    note: str
    hidden: bool
    text: str
    orders: str
    faults: tuple[Fault, ...] = ()


class FoundNotes(msgspec.Struct, frozen=True, kw_only=True):
    """The delayed notes that were found in a save.

    Attributes:
        orders: The orders in the notes of the side.
        others: The names of the side's notes without orders.
        not_mine: The number of notes of other sides.
    """

    orders: tuple[NoteOrders, ...] = ()
    others: tuple[str, ...] = ()
    not_mine: int = 0


def orders_in_notes(
    notes: Sequence[DelayedNote], side: str, sides: Collection[str], header: Header, file: str = ""
) -> FoundNotes:
    """Return the orders in the delayed notes of ``side``.

    A note belongs to the side if the save's roster of players says so. If the roster has no side of that name, the
    note's own header must name the side. A note without a header gets ``header``. ``sides`` are the sides of the
    roster, and ``file`` is the file's name for error messages.
    """
    orders: list[NoteOrders] = []
    others: list[str] = []
    not_mine = 0
    for note in notes:
        read = read_orders(note.text, file=f"{file}, note {note.name!r}")
        if note.side.casefold() != side.casefold() and (
            note.side.casefold() in {one.casefold() for one in sides} or read.orders.side.casefold() != side.casefold()
        ):
            not_mine += 1
            continue
        text, added = note.text, 0
        if not (read.orders.game or read.orders.side):
            text, added = f"{header_line(header)}\n{note.text}", 1
            read = read_orders(text, file=f"{file}, note {note.name!r}")
        if not (read.orders.units or read.orders.alone):
            others.append(note.name)
            continue
        orders.append(
            NoteOrders(
                note=note.name,
                hidden=note.hidden,
                text=text,
                orders=write_orders(read.orders),
                faults=tuple(replace(fault, line=max(0, fault.line - added)) for fault in read.faults),
            )
        )
    return FoundNotes(orders=tuple(orders), others=tuple(others), not_mine=not_mine)


DETOUR = 7
"""How many hexes longer than the straight distance a route may be.

This is enough for a full turn at the lower turn modes.
"""

MOST_HEXES = 64
"""Counters that were moved further than this many hexes get no plot.

No unit moves so far in a turn (C1.42).
"""

LONGEST_MODE = 9
"""The largest turn mode, in hexes."""


class CounterStop(NamedTuple):
    """A hex on the route of a counter, and the facings that the counter had there, in order."""

    hex: str
    facings: tuple[str, ...]


class CounterRoute(NamedTuple):
    """The route of a counter: its hex and facing at the start, and the hexes where it was seen afterwards."""

    start: str
    stops: tuple[CounterStop, ...]


class Plotted(msgspec.Struct, frozen=True, kw_only=True):
    """The movement plot of one unit.

    Attributes:
        unit: The unit.
        side: Its side.
        shuttle: Whether it is a shuttle.
        start: Hex and facing at the start.
        end: Hex and facing at the end.
        speed: The speed in hexes a turn.
        codes: The movement codes, one for each hex.
        path: For each code, the code and the hex and facing that it leads to.
        remarks: Warnings.
        faults: The rules that the plot breaks, and the hexes in which it breaks them.
    """

    unit: str
    side: str
    shuttle: bool
    start: str
    end: str
    speed: int
    codes: tuple[str, ...] = ()
    path: tuple[tuple[str, str], ...] = ()
    remarks: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def plots(state: State, routes: Mapping[str, CounterRoute], *, side: str = "") -> tuple[Plotted, ...]:
    """Return the movement plots of all units that take orders and were moved, sorted by name.

    ``routes`` maps unit names to the routes of their counters. With ``side``, only units of that side get a plot.
    """
    units = [state.units.get(name) for name in sorted(routes)]
    commanded = [unit for unit in units if isinstance(unit, Commanded) and (not side or unit.belongs_to(side))]
    return tuple(plot_of(state, unit, routes[unit.name]) for unit in commanded if routes[unit.name].stops)


def plot_of(state: State, unit: Commanded, route: CounterRoute) -> Plotted:
    """Return the movement plot of ``unit`` along the route ``route``.

    Of all routes through the hexes the shortest is used. Of equally short routes, the route that breaks the fewest
    rules is used; of these, the straightest. The rules for turns depend on the announced speed. If no speed is
    announced yet, they depend on the speed that the length of the plot requires.
    """
    moved_unit = replace(unit, hex=route.start[:4], facing=route.start[4:])
    *_, last = route.stops
    faced = last.facings[-1]
    near = _distance(state, moved_unit.hex, route.stops) <= MOST_HEXES
    codes = _codes(state, moved_unit, route.stops) if near else None
    if codes and _is_new(state):
        moved_unit = replace(moved_unit, speed=len(codes))
        codes = _codes(state, moved_unit, route.stops)
    path, faults = _flown(state, moved_unit, codes or ())
    end = path[-1][1] if path else moved_unit.at
    return Plotted(
        unit=unit.name,
        side=unit.side,
        shuttle=not isinstance(unit, Ship),
        start=route.start,
        end=end,
        speed=moved_unit.speed,
        codes=codes or (),
        path=path,
        remarks=tuple(_remarks(state, unit, route, moved_unit, codes, end, faced)),
        faults=faults,
    )


def _remarks(
    state: State,
    unit: Commanded,
    route: CounterRoute,
    moved_unit: Commanded,
    codes: Sequence[str] | None,
    end: str,
    faced: str,
) -> Iterator[str]:
    if route.start != unit.at:
        yield f"it begins at {route.start}, but in the game it is at {unit.at}"
    if all(stop.hex == moved_unit.hex for stop in route.stops):
        turned = f"it turned in its hex from {moved_unit.facing} to {faced}"
        yield f"{turned}: only a tactical maneuver (TAC) does that (C5.0)"
        return
    least = _distance(state, moved_unit.hex, route.stops)
    if least > MOST_HEXES:
        yield f"it was moved {least} hexes, farther than any unit moves in a turn (C1.42)"
        return
    if codes is None:
        yield f"no way was found through {', '.join(stop.hex for stop in route.stops)}"
        return
    if end[4:] != faced:
        yield f"it faces {faced} in the end, but a unit turns only when it moves (C3.1): the plot ends at {end}"
    if len(codes) > least:
        yield f"a unit only moves ahead (C3.1), so a distance of {least} takes {several(len(codes), 'hex', 'hexes')}"
    yield from _about_length(state, moved_unit, len(codes))


def _codes(state: State, unit: Commanded, stops: Sequence[CounterStop]) -> tuple[str, ...] | None:
    """Return the movement codes through all stops, to the last facing seen at the last stop, or ``None``.

    If another facing seen at the last stop gives a shorter route, the codes lead to that facing. ``None`` means that
    no route was found.
    """
    *passed, last = stops
    codes = _shortest(state, unit, (*passed, last._replace(facings=last.facings[-1:])))
    if len(set(last.facings)) > 1:
        other = _shortest(state, unit, stops)
        if other is not None and (codes is None or len(other) < len(codes)):
            return other
    return codes


def _is_new(state: State) -> bool:
    """Return whether the plot is for a turn for which no speeds are announced yet."""
    request = state.request
    return request is not None and request.impulse == 0 and request.form != FormKind.SOP


def _about_length(state: State, unit: Commanded, length: int) -> Iterator[str]:
    request = state.request
    if request is None or not length:
        return
    if _is_new(state):
        yield f"this many hexes need SPEED {length}"
        return
    first = max(1, request.impulse)
    flown = hex_number(unit.speed, first - 1, state.impulses)
    room = hex_number(unit.speed, request.through, state.impulses) - flown
    if length > room:
        span = impulses_in_words(first, request.through)
        yield f"speed {unit.speed} makes {several(room, 'hex', 'hexes')} in {span}, and this is {length} (C1.4)"


def _flown(
    state: State, unit: Commanded, codes: Sequence[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[Fault, ...]]:
    """Return the path that the codes describe, hex by hex, and a fault for each code that is forbidden."""
    path, faults = [], []
    for number, code in enumerate(codes, start=1):
        refused = verify_code(state, unit, code)
        if refused is not None:
            text = f"hex {number} ({code}) from {unit.at}, speed {unit.speed}: {refused.text}"
            faults.append(Fault(code=refused.code, text=text, rule=refused.rule))
        unit = _stepped(state, unit, code)
        path.append((code, unit.at))
    return tuple(path), tuple(faults)


def _stepped(state: State, unit: Commanded, code: str) -> Commanded:
    hex_, facing = entered(state, unit, code)
    slipped = unit.since_slip if isinstance(unit, Ship) else 0
    turned, slipped = movement.after_step(code, since_turn(unit), slipped)
    if isinstance(unit, Ship):
        return replace(unit, hex=hex_, facing=facing, since_turn=turned, since_slip=slipped)
    return replace(unit, hex=hex_, facing=facing, straight=turned)


def _shortest(state: State, unit: Commanded, stops: Sequence[CounterStop]) -> tuple[str, ...] | None:
    """Return the movement codes of the best route through all stops, or ``None`` if there is none.

    Routes are compared by number of hexes, then by rules broken, then by how unlikely the facings at the stops are,
    and finally by the number of turns and sideslips.
    """
    least = _distance(state, unit.hex, stops)
    if not least:
        return () if unit.facing in stops[-1].facings else None
    heap: list[tuple[tuple[int, int, int, int], tuple[int, ...]]] = [((least, 0, 0, 0), ())]
    reached: dict[tuple[int, ...], tuple[int, Commanded]] = {(): (0, unit)}
    done: set[tuple[object, ...]] = set()
    while heap:
        (_, broken, strange, bent), way = heappop(heap)
        passed, now = reached.pop(way)
        if passed == len(stops):
            return tuple(CODES[number] for number in way)
        slipped = now.since_slip if isinstance(now, Ship) else 0
        key = (passed, now.hex, now.facing, min(since_turn(now), LONGEST_MODE), min(slipped, movement.SLIP_MODE))
        if key in done:
            continue
        done.add(key)
        for number, code in enumerate(CODES):
            moved = _stepped(state, now, code)
            stop = stops[passed]
            arrives = moved.hex == stop.hex and (passed < len(stops) - 1 or moved.facing in stop.facings)
            ahead = passed + arrives
            length = len(way) + 1 + _distance(state, moved.hex, stops[ahead:])
            if length > least + DETOUR or not hexes.on_map(moved.hex, state.map):
                continue
            illegal = verify_code(state, now, code) is not None
            odd = _oddness(moved.facing, stop) if arrives else 0
            reached[*way, number] = (ahead, moved)
            heappush(heap, ((length, broken + illegal, strange + odd, bent + (code != "F")), (*way, number)))
    return None


def _oddness(facing: str, stop: CounterStop) -> int:
    """Return how unlikely it is that a counter left a stop with this facing, from 0 (likely) to 2.

    0 means that the counter arrived with the facing, 1 that the counter had the facing later at the stop, and 2 that
    it never had the facing there. Most players turn a counter before they move it on; some turn it after the move.
    """
    if facing == stop.facings[0]:
        return 0
    return 1 if facing in stop.facings else 2


def _distance(state: State, hex_: str, stops: Sequence[CounterStop]) -> int:
    """Return the length in hexes of the shortest path from ``hex_`` through all stops in order."""
    places = [hex_, *(stop.hex for stop in stops)]
    return sum(hexes.distance(one, other, state.grid) for one, other in pairwise(places))


def ways_to(
    state: State, after: Save, module: Module, binding: Binding, before: Save | None = None
) -> dict[str, CounterRoute]:
    """Return the route of the counter of every unit that takes orders, by unit name, from a save.

    A route leads from the counter's place in ``before`` (or else from the unit's place in the game) to its place in
    ``after``. Units without a counter are left out.
    """
    ends = _places(state, after, module, binding)
    begins = _places(state, before, module, binding) if before is not None else {}
    found = {}
    for name, end in ends.items():
        start = begins.get(name, state.units[name].at)
        stops = (CounterStop(end[:4], (end[4:],)),) if end != start else ()
        found[name] = CounterRoute(start, stops)
    return found


def ways_in_log(state: State, log: StepLog, module: Module, binding: Binding) -> dict[str, CounterRoute]:
    """Return the route of the counter of every unit that takes orders, by unit name, from a log.

    The routes go hex by hex, as the steps of the log move the counters. Steps that were undone are not part of a
    route.
    """
    check_module(log.start, module, "import")
    place = _Places(log.start, module, binding, state)
    counters = {name: piece.id for name, piece in _counters(state, log.start, module, binding).items()}
    starts = _places(state, log.start, module, binding)
    table = TableState()
    table.run(log.start.tree)
    seen: dict[str, list[CounterStop]] = {
        name: [CounterStop(start[:4], (start[4:],))] for name, start in starts.items()
    }
    taking_back = False
    for command in (command for step in log.steps for command in step.commands):
        if isinstance(command, leaves.Unknown) and command.text.startswith("UNDO\t"):
            taking_back = command.text == "UNDO\ttrue"
            continue
        table.run_one(command)
        if not isinstance(command, leaves.MovePiece | leaves.ChangePiece):
            continue
        for name, stops in seen.items():
            counter = table.counters.get(counters[name])
            if counter is None or counter.map != binding.map:
                continue
            where = place.of((counter.x, counter.y), counter.piece)
            _see(stops, where, taking_back=taking_back)
    return {
        name: CounterRoute(starts[name], tuple(stops[1:]) or _turned(stops[0], starts[name]))
        for name, stops in seen.items()
    }


def _see(stops: list[CounterStop], where: str, *, taking_back: bool) -> None:
    """Add the present hex and facing of a counter to its stops.

    With ``taking_back`` the present move undoes an earlier one, so the last stop is removed if the counter is back at
    the stop before it.
    """
    hex_, facing = where[:4], where[4:]
    if not hex_ or not facing:
        return
    if taking_back and len(stops) > 1 and stops[-2].hex == hex_:
        stops.pop()
    last = stops[-1]
    if last.hex != hex_:
        stops.append(CounterStop(hex_, (facing,)))
    elif last.facings[-1] != facing:
        stops[-1] = CounterStop(hex_, (*last.facings, facing))


def _turned(stop: CounterStop, start: str) -> tuple[CounterStop, ...]:
    """Return the stops of a counter that was turned in its hex but not moved; empty if it was not turned."""
    return (stop,) if stop.facings[-1] != start[4:] else ()


def _places(state: State, save: Save, module: Module, binding: Binding) -> dict[str, str]:
    """Return hex and facing of each unit's counter, by unit name.

    A counter that shows no facing gets the facing that its unit has in the game.
    """
    check_module(save, module, "import")
    place = _Places(save, module, binding, state)
    found = {}
    for name, piece in _counters(state, save, module, binding).items():
        where = place.of((piece.x, piece.y), piece.piece)
        if where:
            found[name] = where if len(where) > 4 else where + state.units[name].facing
    return found


def _counters(state: State, save: Save, module: Module, binding: Binding) -> dict[str, TablePiece]:
    """Return the counter on the map of each unit that takes orders, by unit name."""
    units = [unit for unit in state.in_play() if isinstance(unit, Commanded)]
    found = match_counters(state, units, save.pieces, binding, module).found
    return {name: piece for name, piece in found.items() if piece.map == binding.map}


class _Places:
    """Converts the pixel positions of counters in a save to hexes and facings of the game."""

    def __init__(self, save: Save, module: Module, binding: Binding, state: State) -> None:
        self.state, self.binding = state, binding
        try:
            layout = binding.map_of(module).layout(save.boards.get(binding.map) or None)
        except VassalError as error:
            raise GameError.saying("import", str(error), file=save.file) from error
        self.hexmap = binding.hexmap(layout)

    def of(self, at: tuple[int, int], piece: Piece) -> str:
        """Return hex and facing of a counter (``1810B``), or empty text if the counter is off the game's map.

        ``at`` is its position in pixels. The facing is left out if the counter shows none.
        """
        hex_ = self.hexmap.location(at)
        if len(hex_) != 4 or not hex_.isdecimal() or not hexes.on_map(hex_, self.state.map):
            return ""
        return hex_ + self.hexmap.facing_of(facing_of(piece, self.binding.facing, self.binding.first_facing))


class TriedOut(NamedTuple):
    """The movement plots that were read from counters that a player moved.

    Attributes:
        plots: The plots.
        unseen: The names of the side's units that have no counter.
        faults: The rules that plots break, or a fault that says that no counter belongs to this game.
    """

    plots: tuple[Plotted, ...]
    unseen: tuple[str, ...]
    faults: tuple[Fault, ...]

    @property
    def codes(self) -> dict[str, tuple[str, ...]]:
        """The movement codes of each unit that moved, by unit name."""
        return {one.unit: one.codes for one in self.plots if one.codes}


def tried_out(
    state: State, side: str, module: Module, binding: Binding, after: Path, before: Path | None = None
) -> TriedOut:
    """Return the movement plots of the counters that ``side`` moved; an empty ``side`` means all sides.

    Args:
        state: The game's state.
        side: The side whose units are plotted.
        module: The module of the files.
        binding: The game's binding to the module.
        after: The player's save, or their log, which is read hex by hex.
        before: A save to start from. Without it counters start where their units are in the game.

    Raises:
        GameError: A file cannot be read.
    """
    log = read_steps(after) if before is None else None
    if log is not None:
        _check_moment(state, log.start, after)
    if log is not None and log.steps:
        ways = ways_in_log(state, log, module, binding)
    else:
        save = log.start if log is not None else read_file(after)  # a log without steps is used as a save
        ways = ways_to(state, save, module, binding, read_file(before) if before is not None else None)
    found = plots(state, ways, side=side)
    faults = [fault for one in found for fault in one.faults]
    own = [unit.name for unit in state.in_play() if isinstance(unit, Commanded) and (not side or unit.belongs_to(side))]
    if own and not any(name in ways for name in own):
        text = "no counter of this game's ships or shuttles is on its map"
        faults.append(Fault(code="counter", text=text, file=str(after)))
    return TriedOut(found, tuple(name for name in own if name not in ways), tuple(faults))


def _check_moment(state: State, save: Save, file: Path) -> None:
    """Check that a save was made for the present turn and impulse.

    The difference between a save of another time and the present positions is not a movement of the ships.

    Raises:
        GameError: The save was made for another time.
    """
    found = moment_in(save.public_notes)
    now = (state.turn, state.impulse)
    if state.request is not None:  # when a turn begins, the state still shows the turn before
        now = (state.request.turn, state.request.impulse)
    if found is None or found[0] != state.game or found[1:] in (now, (state.turn, state.impulse)):
        return
    text = (
        f"move your counters in a save of {now[0]}.{now[1]}, where {state.game} is now: this one is of"
        f" {found[1]}.{found[2]} (pbem export --onto updates a save)"
    )
    raise GameError.saying("other-moment", text, file=str(file))


def tried_at_home(state: State, side: str, binding: Binding | None, after: Path) -> TriedOut:
    """Return the movement plots from a save or log that a player made from positions sent by this program.

    The file is read with the module named in ``binding`` if that module still exists, else with the companion module.

    Raises:
        GameError: The file cannot be read, or belongs to another game or time.
    """
    module, known = module_for(binding)
    return tried_out(state, side, module, known or propose(state, module), after)
