"""The table: what is in the game once the commands of a save, or the steps of a log, have been run.

Commands that a component sent twice count once, and the last one wins, as in VASSAL itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from vassal import commands, leaves
from vassal.bounds import MOST_MOVED, MOST_PIECES, Definitions
from vassal.containers import Deck, Stack
from vassal.errors import CommandError, PieceError, SaveError
from vassal.levels import join_levels, split_states, split_types
from vassal.pieces import Piece

__all__ = ["Table"]

MAX_LOG_DEPTH = 50


Spot: TypeAlias = tuple[str | None, int, int]


@dataclass(slots=True)
class Holder:
    """A stack or a deck on the table and the ids of what is in it, bottom to top."""

    piece: Piece
    map: str | None
    x: int
    y: int
    members: list[str]


@dataclass(slots=True)
class Standing:
    """A counter on the table. ``holder`` is the id of the stack or deck it is in."""

    piece: Piece
    map: str | None
    x: int
    y: int
    holder: str | None = None


@dataclass
class Table:
    """The state of a game; :meth:`run` changes it. Dictionaries keep the order in which things came into the
    game.
    """

    counters: dict[str, Standing] = field(default_factory=dict)
    holders: dict[str, Holder] = field(default_factory=dict)
    players: dict[str, leaves.Player] = field(default_factory=dict)
    boards: dict[str, tuple[leaves.BoardChoice, ...]] = field(default_factory=dict)
    properties: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: str = ""
    public_notes: str = ""
    private_notes: dict[str, leaves.PrivateNote] = field(default_factory=dict)
    secret_notes: dict[tuple[str, str], leaves.SecretNote] = field(default_factory=dict)
    turns: dict[str, str] = field(default_factory=dict)
    extensions: dict[str, str] = field(default_factory=dict)
    chat: list[str] = field(default_factory=list)
    set_up: bool = False
    began: bool = False
    ended: bool = False
    faults: list[str] = field(default_factory=list)
    _next_id: int = 1
    _spots: dict[Spot, dict[str, None]] = field(default_factory=dict)  # the holders on each spot, in order
    _definitions: Definitions = field(default_factory=Definitions)
    _pieces: int = 0
    _moved: int = 0

    def run(self, node: commands.Node) -> list[str]:
        """Run all commands of *node*; log steps are not run but returned as texts, in order."""
        steps = []
        for leaf in commands.leaves(node):
            if not leaf.text:
                continue
            command = leaf.command
            if isinstance(command, leaves.AddPiece):  # nearly all of them
                self._add(command)
            elif isinstance(command, leaves.Log):
                steps.append(command.text)
            elif not isinstance(command, leaves.Unknown):
                self.run_one(command)
        return steps

    def run_step(self, text: str, depth: int = 0) -> None:
        """Run one step of a log."""
        if depth > MAX_LOG_DEPTH:
            raise CommandError(f"log steps are nested more than {MAX_LOG_DEPTH} deep")
        for below in self.run(commands.parse(text, "a log step")):
            self.run_step(below, depth + 1)

    def run_one(self, command: leaves.AnyLeaf) -> None:
        """Run one command."""
        match command:
            case leaves.AddPiece():
                self._add(command)
            case leaves.RemovePiece(id=piece_id):
                self._remove(piece_id)
            case leaves.ChangePiece():
                self._change(command)
            case leaves.MovePiece():
                self._move(command)
            case leaves.Chat(text=text):
                self.chat.append(text)
            case leaves.Player(id=password):
                self.players[password] = command
            case leaves.PlayerLeaves(id=password):
                self.players.pop(password, None)
            case leaves.BoardPicker(map=map_name, boards=boards):
                self.boards[map_name] = boards
            case leaves.GlobalProperty(name=name, value=value, container=container):
                self.properties[container, name] = value
            case leaves.MutableProperty(name=name, new=new, container=container):
                self.properties[container, name] = new
            case leaves.Notes(text=text):
                self.notes = text
            case leaves.PublicNotes(text=text):
                self.public_notes = text
            case leaves.PrivateNote(owner=owner):
                self.private_notes[owner] = command
            case leaves.SecretNote(name=name, owner=owner):
                self.secret_notes[owner, name] = command
            case leaves.Turn(tracker=tracker, state=state):
                self.turns[tracker] = state
            case leaves.Extension(name=name, version=version):
                self.extensions[name] = version
            case leaves.SetupStack():
                self.set_up = True
            case leaves.BeginSave():
                self.began = True
            case leaves.EndSave():
                self.ended = True
            case _:
                pass

    def _fresh_id(self) -> str:
        while str(self._next_id) in self.counters or str(self._next_id) in self.holders:
            self._next_id += 1
        return str(self._next_id)

    def _count_piece(self) -> None:
        self._pieces += 1
        if self._pieces > MOST_PIECES:
            raise SaveError(f"more than {MOST_PIECES} counters and stacks are added or changed in it")

    def _count_members(self, count: int) -> None:
        self._moved += count
        if self._moved > MOST_MOVED:
            raise SaveError("its counters are put into stacks and taken out of them too often for their number")

    def _add(self, command: leaves.AddPiece) -> None:
        self._count_piece()
        self._definitions.add(command.type)
        piece = command.piece
        piece_id = self._fresh_id() if command.id is None else command.id
        try:
            map_name, (x, y) = piece.place
        except PieceError as error:
            raise PieceError(f"the piece {piece_id}: {error}") from None
        if piece_id in self.counters or piece_id in self.holders:
            self._remove(piece_id)  # the second of two pieces with one id takes the first one's place
        if piece.plan.is_container:
            self._hold(piece_id, piece)
        else:
            self.counters[piece_id] = Standing(piece, map_name, x, y)

    def _hold(self, holder_id: str, piece: Piece) -> None:
        core = piece.core
        members: tuple[str, ...] = core.members if isinstance(core, Stack | Deck) else ()
        self._count_members(len(members))
        present = [member for member in dict.fromkeys(members) if member in self.counters]
        for member in members:
            if member not in self.counters:
                self.faults.append(f"the stack {holder_id} names the piece {member}, which is not in the game")
        if (before := self.holders.get(holder_id)) is not None:
            self._count_members(len(before.members))
            for member in before.members:
                self.counters[member].holder = None
        self._leave({member for member in present if self.counters[member].holder is not None})
        map_name, (x, y) = piece.place
        holder = Holder(piece, map_name, x, y, present)
        self._stand(holder_id, holder)
        for member in present:
            standing = self.counters[member]
            # Where the stack is, there its pieces are.
            standing.holder, standing.map, standing.x, standing.y = holder_id, holder.map, holder.x, holder.y

    def _leave(self, members: set[str]) -> None:
        """Take counters out of their stacks, each stack gone through once."""
        for holder_id in {self.counters[member].holder for member in members}:
            if holder_id is not None and (holder := self.holders.get(holder_id)) is not None:
                self._count_members(len(holder.members))
                holder.members = [member for member in holder.members if member not in members]
                self._drop_if_empty(holder_id)
        for member in members:
            self.counters[member].holder = None

    def _stand(self, holder_id: str, holder: Holder) -> None:
        self._lift(holder_id)
        self.holders[holder_id] = holder
        self._spots.setdefault((holder.map, holder.x, holder.y), {})[holder_id] = None

    def _lift(self, holder_id: str) -> None:
        holder = self.holders.get(holder_id)
        if holder is not None:
            self._spots[holder.map, holder.x, holder.y].pop(holder_id)

    def _drop_if_empty(self, holder_id: str) -> None:
        holder = self.holders[holder_id]
        if not holder.members and not isinstance(holder.piece.core, Deck):
            self._lift(holder_id)
            del self.holders[holder_id]

    def _remove(self, piece_id: str) -> None:
        self._detach(piece_id)
        self.counters.pop(piece_id, None)
        self._lift(piece_id)
        self.holders.pop(piece_id, None)

    def _detach(self, piece_id: str) -> None:
        """Take a counter out of its stack, or scatter a stack; an emptied stack (not a deck) is gone."""
        standing = self.counters.get(piece_id)
        if standing is not None and standing.holder is not None:
            holder = self.holders[standing.holder]
            self._count_members(len(holder.members) // 16)
            holder.members.remove(piece_id)
            self._drop_if_empty(standing.holder)
            standing.holder = None
        elif piece_id in self.holders:
            self._count_members(len(self.holders[piece_id].members))
            for member in self.holders[piece_id].members:
                self.counters[member].holder = None

    def _change(self, command: leaves.ChangePiece) -> None:
        self._count_piece()
        standing = self.counters.get(command.id)
        if standing is None:
            if command.id in self.holders:
                holder = self.holders[command.id]
                self._hold(command.id, Piece(holder.piece.type, command.state))
            return
        state, moved = command.state, True
        if command.old_state is not None:
            # Only what the step changed is set; what others changed in between, the place above all, stays.
            levels = len(split_types(standing.piece.type))
            split = [split_states(text, levels) for text in (state, command.old_state, standing.piece.state)]
            states = [now if new == old else new for new, old, now in zip(*split, strict=True)]
            state, moved = join_levels([text or "" for text in states]), split[0][-1] != split[1][-1]
        standing.piece = Piece(standing.piece.type, state)
        if standing.holder is None and moved:
            standing.map, (standing.x, standing.y) = standing.piece.map, standing.piece.position

    def _move(self, command: leaves.MovePiece) -> None:
        if command.id in self.holders:
            holder = self.holders[command.id]
            self._lift(command.id)
            self._count_members(len(holder.members))
            holder.map, holder.x, holder.y = command.map, command.x, command.y
            self._spots.setdefault((holder.map, holder.x, holder.y), {})[command.id] = None
            for member in holder.members:
                self._place(member, command)
        elif command.id in self.counters:
            self._detach(command.id)
            self._place(command.id, command)
            self._join(command)

    def _place(self, piece_id: str, command: leaves.MovePiece) -> None:
        standing = self.counters[piece_id]
        standing.map, standing.x, standing.y = command.map, command.x, command.y

    def _join(self, command: leaves.MovePiece) -> None:
        standing = self.counters[command.id]
        if standing.piece.never_stacks:
            return
        for holder_id in self._spots.get((command.map, command.x, command.y), ()):
            members = self.holders[holder_id].members
            self._count_members(len(members) // 8)
            index = members.index(command.under) + 1 if command.under in members else 0
            members.insert(index, command.id)
            standing.holder = holder_id
            return
