"""Make a replay log: a VASSAL log file whose steps show one turn of the game event by event.

The log begins with the positions at the start of the turn. Each press of VASSAL's Step button shows the next event.
The replay log is made from the game's log as a spectator sees it, so it cannot contain secrets. Counters are moved,
turned, added and removed with the commands that VASSAL itself would log. Events and their dice appear in the chat
window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby
from typing import TYPE_CHECKING, NamedTuple

from pbem.engine import events as ev
from pbem.engine.log import apply, effective, fold
from pbem.engine.state import AnyUnit, State
from pbem.errors import GameError
from pbem.reports.text.sentences import rule_of, sentence, words_for
from pbem.vassal_bridge.binding import Binding
from pbem.vassal_bridge.export import export_game
from pbem.vassal_bridge.notes import sitrep_notes
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import BoundMap, PlannedCounter, counters_of, left_out, piece_id, trackers, turn_marker_id
from pbem.vassal_bridge.sheets import sheet_ids, sheets_of
from vassal.errors import VassalError
from vassal.pieces.containers import Stack
from vassal.text.leaves import AddPiece, ChangePiece, Chat, MovePiece, PublicNotes, RemovePiece, Turn
from vassal.text.sequence import stored_note

if TYPE_CHECKING:
    from vassal.log import StepLog
    from vassal.module.grids import Point
    from vassal.module.module import Module
    from vassal.pieces.piece import Look, Piece
    from vassal.save import Save
    from vassal.text.leaves import AnyLeaf

HARM = (ev.Volley, ev.ReserveSpent, ev.Damaged, ev.InternalHit, ev.SeekerDamaged, ev.UnitDamaged)
"""Types of event that one volley causes at one unit. The replay log shows them in one step."""

Step = list["AnyLeaf"]


class ReplayLog(NamedTuple):
    """A replay log, the binding that was used, the game and turn that it shows, and the units left out.

    ``left_out`` has one sentence for each unit that could not be placed on the map.
    """

    log: StepLog
    binding: Binding
    game: str
    turn: int
    left_out: tuple[str, ...]


def make_replay_log(
    records: Sequence[ev.Record], module: Module, binding: Binding | None = None, *, turn: int = 0, impulse: int = 0
) -> ReplayLog:
    """Return the replay log of one turn.

    Args:
        records: The game's log records.
        module: The VASSAL module to make the log for.
        binding: The game's binding to the module. Without it one is proposed.
        turn: The turn to show. 0 means the last turn with an event.
        impulse: The first impulse to show.

    Raises:
        GameError: The turn has not been played, or a counter is missing.
    """
    from vassal.log import log_of_steps

    effective_log = effective(records)
    events = [event for record in effective_log if (event := ev.seen_by(record, "")) is not None]
    shown = turn or max((event.turn for event in events), default=0)
    cut = next((n for n, e in enumerate(events) if e.turn == shown and e.impulse >= impulse), None)
    if cut is None or shown < 1:
        if shown < 1:
            raise GameError.saying("no-such-turn", "no turn has been played yet, so there is nothing to show")
        when = f"impulse {impulse} of turn {shown}" if impulse else f"turn {shown}"
        raise GameError.saying("no-such-turn", f"{when} has not been played, so there is nothing to show")
    after = next((n for n, e in enumerate(events) if n > cut and e.turn > shown), len(events))
    start, later = fold(events[:cut]), events[cut:after]
    binding = binding or propose(fold(events), module)
    opening = export_game(start, module, binding)
    notes = sitrep_notes(effective_log, shown if after < len(events) else None)
    try:
        camera = _ReplayRecorder(opening.save, module, binding, start)
        steps = [*camera.steps(later), camera.last(notes)]
        log = log_of_steps(opening.save, steps)
        log.save()  # raises an error if a step cannot be written
    except VassalError as error:
        raise GameError.saying("export", str(error)) from error
    return ReplayLog(
        log, binding, start.game, shown, tuple(dict.fromkeys((*opening.left_out, *camera.left_out.values())))
    )


class _ReplayRecorder:
    """The VASSAL position while a replay log is made; its methods yield the commands that change it."""

    def __init__(self, save: Save, module: Module, binding: Binding, state: State) -> None:
        self.state = state
        layout = binding.map_of(module).layout(save.boards.get(binding.map) or None)
        self.table = BoundMap(module, binding, binding.hexmap(layout))
        self.map = self.table.hexmap.name
        self.pieces: dict[str, Piece] = {piece.id: piece.piece for piece in save.pieces}
        self.looks: dict[str, Look] = {}
        self.stacks: dict[Point, list[str]] = {
            (stack.x, stack.y): list(stack.members) for stack in save.stacks if stack.map == self.map
        }
        numbers = [int(stack.id) for stack in save.stacks if stack.id.isdecimal() and len(stack.id) < 19]
        self.ids = count(max(numbers, default=0) + 1)
        self.turns = dict(save.turns)
        self.told = (0, -1)
        self.left_out: dict[str, str] = {}

    def steps(self, events: Iterable[ev.AnyEvent]) -> Iterator[Step]:
        """Yield the steps of the replay log, each for one press of the Step button.

        Events that change nothing visible and have no line of chat make no step.
        """
        single = count()
        for _, together in groupby(events, lambda event: _belongs(event, single)):
            before = self.state
            lines: list[AnyLeaf] = []
            for event in together:
                self.state = apply(self.state, event)
                lines += _chat_lines(event)
            step = [*self._changed(before, self.state), *lines]
            if not step:
                continue
            moment = (self.state.turn, self.state.impulse)
            if moment != self.told:
                self.told = moment
                yield [*self._tracked(), _chat(_headline(*moment))]
            yield [*self._tracked(), *step]

    def last(self, notes: str) -> Step:
        """Return the last step of the replay log.

        It sets the impulse tracker and the public notes as they would be in a VASSAL save at the end of the replay.
        """
        return [*self._tracked(), PublicNotes(stored_note(notes)), _chat("The end of this replay.")]

    def _tracked(self) -> Step:
        now = trackers(self.state, self.table.module)
        found: Step = [Turn(tracker, state) for tracker, state in now.items() if self.turns.get(tracker) != state]
        self.turns.update(now)
        return found

    def _changed(self, before: State, after: State) -> Iterator[AnyLeaf]:
        """Yield VASSAL commands for every unit that differs between two states of the game."""
        names = sorted(before.units.keys() | after.units.keys())
        changed = [name for name in names if before.units.get(name) is not after.units.get(name)]
        for name in changed:
            unit = after.units.get(name)
            wanted = self._wanted(unit, after)
            for gone in (turn_marker_id(name), piece_id(unit or before.units[name]), *sheet_ids(name)):
                if gone in self.pieces and not any(counter.id == gone for counter in wanted):
                    self._leave(gone)
                    del self.pieces[gone]
                    yield RemovePiece(gone)
            for counter in wanted:
                yield from self._set(counter) if counter.id in self.pieces else self._add(counter)

    def _wanted(self, unit: AnyUnit | None, state: State) -> list[PlannedCounter]:
        if unit is None or not unit.in_play:
            return []
        if why := left_out(unit, self.table):
            self.left_out.setdefault(unit.name, why)
        return [*counters_of(unit, self.table), *sheets_of(unit, state, self.table)]

    def _set(self, counter: PlannedCounter) -> Iterator[AnyLeaf]:
        """Yield the VASSAL commands that bring a counter up to date.

        Facing and labels change before the position, because a ship turns in its hex before it leaves the hex
        (C3.1).
        """
        old = self.pieces[counter.id]
        look = counter.look(old)
        piece = old if self.looks.get(counter.id) == look else look.apply(old)
        self.looks[counter.id] = look
        if piece != old:
            yield ChangePiece(counter.id, piece.state, old.state)
        self.pieces[counter.id] = piece
        if (piece.map, piece.position) != (counter.map, counter.spot):
            yield from self._move(counter.id, counter.map, counter.spot)

    def _add(self, counter: PlannedCounter) -> Iterator[AnyLeaf]:
        """Yield the VASSAL commands that add a counter.

        These are the commands that VASSAL logs when a counter is dragged from the palette. The counter appears off the
        map and is then moved onto it.
        """
        piece = counter.look(counter.slot.piece).apply(counter.slot.piece)
        piece = piece.born(counter.slot.gpid, counter.id).at(None, 0, 0)
        self.pieces[counter.id] = piece
        yield AddPiece(counter.id, piece.type, piece.state)
        yield from self._move(counter.id, counter.map, counter.spot)

    def _move(self, piece_id: str, window: str, spot: Point) -> Iterator[AnyLeaf]:
        """Yield the VASSAL commands that move a counter.

        These are the commands that VASSAL logs for a drag: a move onto the pieces on that spot, or a move and a new
        stack.
        """
        piece = self.pieces[piece_id]
        (map_name, (x, y)), below = piece.place, self._leave(piece_id)
        self.pieces[piece_id] = piece.at(window, *spot)
        stack = None if piece.never_stacks else self.stacks.get(spot)
        under = stack[-1] if stack else None
        yield MovePiece(piece_id, window, *spot, under, map_name, x, y, below, "")
        if stack:
            stack.append(piece_id)
        elif not piece.never_stacks:
            yield from self._stack(piece_id)

    def _stack(self, piece_id: str) -> Iterator[AnyLeaf]:
        spot = self.pieces[piece_id].position
        self.stacks[spot] = [piece_id]
        stack = Stack.of(self.map, *spot, (piece_id,))
        yield AddPiece(str(next(self.ids)), stack.type, stack.state or "")

    def _leave(self, piece_id: str) -> str | None:
        """Take a counter out of its stack, and return the id of the piece below it; ``None`` if there is none."""
        spot = self.pieces[piece_id].position
        members = self.stacks.get(spot, [])
        if piece_id not in members:
            return None
        place = members.index(piece_id)
        members.remove(piece_id)
        if not members:
            del self.stacks[spot]
        return members[place - 1] if place else None


def _belongs(event: ev.AnyEvent, single: Iterator[int]) -> tuple[object, ...]:
    """Return a key by which events are grouped; consecutive events with the same key make one step.

    One step shows a unit's turn and move, one ship's shots at one target, or the effects of one volley on one unit.
    The key of any other event contains a number from ``single``, so that the event gets a step of its own.
    """
    moment = (event.turn, event.impulse, event.step)
    match event:
        case ev.Turned() | ev.Moved() | ev.Towed() | ev.Maneuvered():
            return (*moment, "move", event.unit)
        case ev.Fired():
            return (*moment, "fire", event.unit, event.target)
        case ev.SpeedAnnounced() | ev.LockedOn() | ev.RobotReadied():
            return (*moment, "ready")
        case ev.UnitPlaced():
            return (*moment, "set up")
    return (*moment, "harm", event.unit) if isinstance(event, HARM) else (*moment, next(single))


def _chat_lines(event: ev.AnyEvent) -> Step:
    """Return a list with the chat line for an event; empty if the event has no chat line.

    An event has a chat line if reports show the event, or if it says which orders the game is waiting for.
    """
    shown = words_for(event).place in ("activity", "move") or isinstance(event, ev.Requested)
    if not shown:
        return []
    rule = rule_of(event)
    return [_chat(sentence(event) + (f" ({rule})" if rule else ""))]


def _headline(turn: int, impulse: int) -> str:
    return f"--- Turn {turn}, {f'impulse {impulse}' if impulse else 'before the first impulse'} ---"


def _chat(text: str) -> AnyLeaf:
    """Return a chat line in the form that VASSAL uses for its own reports."""
    return Chat(f"* {text}")
