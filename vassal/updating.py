"""Changes an existing save and leaves everything else in it, byte for byte, as it was.

Pieces are moved, turned, labelled, added or removed; the stacks they leave and join are kept right. Stacks
that gain a piece are written anew at the end, because VASSAL wants members before their stack.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field

from vassal.errors import SaveError
from vassal.module.grid import Point
from vassal.module.module import Slot
from vassal.pieces.containers import Deck, Stack
from vassal.pieces.look import Look
from vassal.pieces.pieces import Piece
from vassal.save import Save, with_tree
from vassal.text import commands, leaves
from vassal.text.lazy import dataclass
from vassal.text.texts import stored_note

__all__ = ["Change", "NewPiece", "update"]


@dataclass(frozen=True, slots=True)
class Change:
    """What happens to a piece: a new look, a new place (``at``, on ``map`` or on its own map), or both. With ``piece``,
    that one takes its place first, where the old one lies.
    """

    look: Look = field(default_factory=Look)
    at: Point | None = None
    map: str | None = None
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class NewPiece:
    """A counter to be added from a palette slot; without an ``id`` it gets the next free number."""

    slot: Slot
    map: str
    at: Point
    look: Look = field(default_factory=Look)
    id: str | None = None


@dataclass(slots=True)
class _Stack:
    map: str | None
    point: Point
    members: list[str]
    lost: bool = False
    gained: bool = False
    is_new: bool = False


def update(
    save: Save,
    changes: Mapping[str, Change] | None = None,
    *,
    add: Sequence[NewPiece] = (),
    remove: Collection[str] = (),
    notes: str | None = None,
    public_notes: str | None = None,
    turns: Mapping[str, str] | None = None,
    boards: Mapping[str, Sequence[leaves.BoardChoice]] | None = None,
) -> Save:
    """The save with *changes* by piece id, pieces added and removed, and notes and states of turn trackers (by id)
    replaced where given. ``boards`` are chosen for the maps named, whatever the save has there.

    Raises :class:`~vassal.errors.VassalError`, for instance for an id that is not in the save, or for a log
    (its steps would no longer fit). Nothing is half done.
    """
    if save.log:
        raise SaveError(f"{save.file}: a log of {len(save.log)} steps cannot be updated; save the game first")
    return _Update(save, dict(changes or {}), tuple(add), tuple(remove)).run(
        notes, public_notes, turns or {}, boards or {}
    )


class _Update:
    def __init__(
        self, save: Save, changes: dict[str, Change], add: tuple[NewPiece, ...], remove: tuple[str, ...]
    ) -> None:
        self.save = save
        self.changes = changes
        self.removed = set(remove)
        self.added = add
        self.present = {piece.id: piece for piece in save.pieces}
        self.stacks = {stack.id: _Stack(stack.map, (stack.x, stack.y), list(stack.members)) for stack in save.stacks}
        self.decks = {stack.id for stack in save.stacks if stack.deck is not None}
        self.ids = set(self.present) | set(self.stacks)
        numbers = [int(known) for known in self.ids if known.isascii() and known.isdecimal() and len(known) < 19]
        self.last_id = max(numbers, default=0)
        self.spots: dict[tuple[str | None, Point], list[str]] = {}
        for stack_id, stack in self.stacks.items():
            if stack_id not in self.decks:
                self.spots.setdefault((stack.map, stack.point), []).append(stack_id)
        self.pieces: dict[str, Piece] = {}  # changed pieces by id
        self.new: list[leaves.AddPiece] = []

    def run(
        self,
        notes: str | None,
        public_notes: str | None,
        turns: Mapping[str, str],
        boards: Mapping[str, Sequence[leaves.BoardChoice]],
    ) -> Save:
        for piece_id in (*self.changes, *self.removed):
            if piece_id not in self.present:
                raise SaveError(f"{self.save.file}: there is no piece with the id {piece_id!r}")
        for piece_id in self.changes.keys() & self.removed:
            raise SaveError(f"{self.save.file}: the piece {piece_id!r} is both changed and removed")
        for piece_id in sorted(self.removed):
            self._leave(piece_id)
        for piece_id, change in self.changes.items():
            self._change(piece_id, change)
        for new in self.added:
            self._add(new)
        tree = commands.replace(self.save.tree, self._editor())
        tree = _with_note(tree, leaves.Notes, notes)
        tree = _with_note(tree, leaves.PublicNotes, public_notes)
        for tracker, state in turns.items():
            tree = _with_turn(tree, leaves.Turn(tracker, state))
        chosen = [leaves.BoardPicker(name, tuple(some)) for name, some in boards.items() if some]
        if maps := {one.map for one in chosen}:
            tree = commands.replace(tree, lambda leaf: None if _picks(leaf, maps) else leaf)
        tail = [leaf.encode() for leaf in (*self.new, *self._stack_leaves())]
        tail += [leaf.encode() for leaf in chosen]
        tree = commands.insert_before(tree, _is_end, [commands.Leaf(text) for text in tail])
        commands.encode(tree)
        return with_tree(self.save, tree)

    def _fresh_id(self) -> str:
        self.last_id += 1
        while str(self.last_id) in self.ids:  # an id of the caller's own may be the next number
            self.last_id += 1
        return str(self.last_id)

    def _change(self, piece_id: str, change: Change) -> None:
        old = self.present[piece_id]
        piece = change.look.apply(old.piece if change.piece is None else change.piece)
        if change.at is not None or change.map is not None:
            map_name = old.map if change.map is None else change.map
            point = (old.x, old.y) if change.at is None else change.at
            piece = piece.at(map_name, *point)
            if (map_name, point) != (old.map, (old.x, old.y)):
                self._leave(piece_id)
                self._join(piece_id, piece, map_name, point)
        if piece != old.piece:
            self.pieces[piece_id] = piece

    def _add(self, new: NewPiece) -> None:
        piece_id = self._fresh_id() if new.id is None else new.id
        if not piece_id or piece_id in self.ids - self.removed or piece_id == "null":
            raise SaveError(f"{self.save.file}: a new piece cannot have the id {piece_id!r}: it is taken or no id")
        self.ids.add(piece_id)
        piece = new.look.apply(new.slot.piece).born(new.slot.gpid, piece_id).at(new.map, *new.at)
        self.new.append(leaves.AddPiece(piece_id, piece.type, piece.state))
        self._join(piece_id, piece, new.map, new.at)

    def _leave(self, piece_id: str) -> None:
        holder = self.stacks.get(self.present[piece_id].stack or "")
        if holder is not None and piece_id in holder.members:
            holder.members.remove(piece_id)
            holder.lost = True

    def _join(self, piece_id: str, piece: Piece, map_name: str | None, point: Point) -> None:
        if piece.never_stacks or map_name is None:
            return
        for stack_id in self.spots.get((map_name, point), ()):
            stack = self.stacks[stack_id]
            if stack.members:
                stack.members.append(piece_id)
                stack.gained = True
                return
        fresh = self._fresh_id()
        self.stacks[fresh] = _Stack(map_name, point, [piece_id], gained=True, is_new=True)
        self.spots.setdefault((map_name, point), []).append(fresh)

    def _stack_leaves(self) -> Iterator[leaves.AddPiece]:
        gained = {stack_id for stack_id, stack in self.stacks.items() if stack.gained and not stack.is_new}
        layers = self._layers(gained) if gained else {}
        for stack_id, stack in self.stacks.items():
            if stack.gained and stack.members:
                layer = None if stack.is_new else layers.get(stack_id)
                written = Stack.of(stack.map, *stack.point, tuple(stack.members), layer)
                yield leaves.AddPiece(stack_id, written.type, written.state or "")

    def _layers(self, wanted: set[str]) -> dict[str, int | None]:
        found: dict[str, int | None] = {}
        for leaf in commands.leaves(self.save.tree):
            command = leaf.command
            if isinstance(command, leaves.AddPiece) and command.id in wanted:
                core = command.piece.core
                found[command.id] = core.layer if isinstance(core, Stack) else None
        return found

    def _editor(self) -> Callable[[commands.Leaf], commands.Leaf | None]:
        last: dict[str, commands.Leaf] = {}
        for leaf in commands.leaves(self.save.tree):
            if leaf.text.startswith("+/") and isinstance(command := leaf.command, leaves.AddPiece) and command.id:
                last[command.id] = leaf

        def edit(leaf: commands.Leaf) -> commands.Leaf | None:
            if not leaf.text.startswith(("+/", "D/", "M/", "-/")):
                return leaf
            command = leaf.command
            if not isinstance(command, leaves.AddPiece):
                # The piece below is written with all such changes in it already.
                touched = getattr(command, "id", None)
                return None if touched in self.pieces or touched in self.removed else leaf
            if command.id in self.removed:
                return None
            if command.id in self.pieces and last.get(command.id) is leaf:
                piece = self.pieces[command.id]
                return commands.Leaf(leaves.AddPiece(command.id, piece.type, piece.state).encode())
            stack = self.stacks.get(command.id or "")
            if stack is None or not (stack.lost or stack.gained):
                return leaf
            if command.id in self.decks:
                return _with_members(leaf, command, tuple(stack.members))
            if stack.gained or not stack.members or last.get(command.id or "") is not leaf:
                return None
            return _with_members(leaf, command, tuple(stack.members))

        return edit


def _with_members(leaf: commands.Leaf, command: leaves.AddPiece, members: tuple[str, ...]) -> commands.Leaf:
    core = command.piece.core
    if isinstance(core, Deck):
        state = core.with_members(members).state
    elif isinstance(core, Stack):
        state = Stack.of(core.map, *core.position, members, core.layer).state
    else:
        return leaf
    return commands.Leaf(leaves.AddPiece(command.id, command.type, state or "").encode())


def _picks(leaf: commands.Leaf, maps: Collection[str]) -> bool:
    """Whether a command chooses the boards of one of these maps."""
    return "BoardPicker" in leaf.text and isinstance(one := leaf.command, leaves.BoardPicker) and one.map in maps


def _is_end(leaf: commands.Leaf) -> bool:
    return leaf.text == "end_save"


def _with_note(
    tree: commands.Node, kind: type[leaves.Notes] | type[leaves.PublicNotes], text: str | None
) -> commands.Node:
    """Every copy of the note replaced (VASSAL writes it twice), or one added where there is none."""
    if text is None:
        return tree
    new = commands.Leaf(kind(stored_note(text)).encode())
    if any(isinstance(leaf.command, kind) for leaf in commands.leaves(tree)):
        return commands.replace(tree, lambda leaf: new if isinstance(leaf.command, kind) else leaf)
    return commands.insert_before(tree, _is_end, [new])


def _with_turn(tree: commands.Node, turn: leaves.Turn) -> commands.Node:
    """The tracker's state replaced, or added where the file says nothing of it."""
    new = commands.Leaf(turn.encode())

    def same(leaf: commands.Leaf) -> bool:
        return isinstance(command := leaf.command, leaves.Turn) and command.tracker == turn.tracker

    if any(same(leaf) for leaf in commands.leaves(tree)):
        return commands.replace(tree, lambda leaf: new if same(leaf) and leaf.text != new.text else leaf)
    return commands.insert_before(tree, _is_end, [new])
