"""Write saves: update an existing one (:func:`update`), or make a new one (:class:`SaveWriter`).

An update moves, turns, labels, adds or removes pieces and corrects the stacks that they leave and join. Everything
else in the save stays byte for byte as it was. Stacks that gain a piece are written again at the end, because
VASSAL needs members before their stack.

A new save is made from a module's palette in the simplest form that VASSAL loads, one flat list of commands:

>>> writer = SaveWriter(read_module("HexSpaceTest.vmod"))                          # doctest: +SKIP
>>> writer.add("Cruiser A", "Tactical Map", location="0812", facing=3)             # doctest: +SKIP
'1'
>>> writer.write("turn1.vsav")                                                     # doctest: +SKIP

A new save contains no players. So everybody who opens it chooses a side, and nothing in it depends on a password.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from vassal.container.archive import metadata_xml
from vassal.container.obfuscation import DEFAULT_KEY
from vassal.errors import SaveError
from vassal.module.boards import MapLayout
from vassal.module.grids import Point
from vassal.module.module import Module, Slot
from vassal.pieces.containers import Deck, Stack
from vassal.pieces.piece import Look, Piece
from vassal.save import SAVED_GAME, Save, with_tree
from vassal.text import commands, leaves
from vassal.text.sequence import dataclass, stored_note

__all__ = ["Change", "NewPiece", "SaveWriter", "update"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a piece: a new look, a new position, or both.

    ``at`` is a pixel of ``map``, or of the piece's present map if ``map`` is ``None``.
    """

    look: Look = field(default_factory=Look)
    at: Point | None = None
    map: str | None = None
    piece: Piece | None = None


@dataclass(frozen=True, slots=True)
class NewPiece:
    """A counter to be added from a palette slot.

    Attributes:
        slot: The palette entry.
        map: The name of the map.
        at: The pixel of the map.
        look: The look that the counter gets.
        id: The piece id; ``None`` for the next free number.
    """

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
    """Return the save with changes applied; nothing is applied if one of them fails.

    Args:
        save: The save to update. It is not changed itself.
        changes: Changes by piece id.
        add: Pieces to add.
        remove: Ids of pieces to remove.
        notes: The new scenario notes. ``None`` keeps the old ones.
        public_notes: The new public notes. ``None`` keeps the old ones.
        turns: New states of turn trackers, by tracker id.
        boards: Boards for maps for which the save chooses none.

    Raises:
        VassalError: A change is not possible. Examples are an id that is not in the save, and a log, whose steps
            would no longer fit.
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
        while str(self.last_id) in self.ids:  # the caller may have chosen this number as an id
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
        """Return a function that takes a command of the save and returns its updated form."""
        last: dict[str, commands.Leaf] = {}
        for leaf in commands.leaves(self.save.tree):
            if leaf.text.startswith("+/") and isinstance(command := leaf.command, leaves.AddPiece) and command.id:
                last[command.id] = leaf

        def edit(leaf: commands.Leaf) -> commands.Leaf | None:
            if not leaf.text.startswith(("+/", "D/", "M/", "-/")):
                return leaf
            command = leaf.command
            if isinstance(command, leaves.AddPiece):
                return self._edited_piece(leaf, command, is_last=last.get(command.id or "") is leaf)
            # Old changes of a piece are dropped: the piece itself is written with all of them applied.
            touched = getattr(command, "id", None)
            return None if touched in self.pieces or touched in self.removed else leaf

        return edit

    def _edited_piece(self, leaf: commands.Leaf, command: leaves.AddPiece, *, is_last: bool) -> commands.Leaf | None:
        """Return the command that adds a piece or stack, with all changes applied, or ``None`` to leave it out.

        ``is_last`` says that no later command adds a piece with the same id.
        """
        if command.id in self.removed:
            return None
        if command.id in self.pieces and is_last:
            piece = self.pieces[command.id]
            return commands.Leaf(leaves.AddPiece(command.id, piece.type, piece.state).encode())
        stack = self.stacks.get(command.id or "")
        if stack is None or not (stack.lost or stack.gained):
            return leaf
        if command.id in self.decks:
            return _with_members(leaf, command, tuple(stack.members))
        if stack.gained or not stack.members or not is_last:
            return None
        return _with_members(leaf, command, tuple(stack.members))


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
    """Return whether a command is the one that chooses the boards of one of these maps."""
    return "BoardPicker" in leaf.text and isinstance(one := leaf.command, leaves.BoardPicker) and one.map in maps


def _is_end(leaf: commands.Leaf) -> bool:
    return leaf.text == "end_save"


def _with_note(
    tree: commands.Node, kind: type[leaves.Notes] | type[leaves.PublicNotes], text: str | None
) -> commands.Node:
    """Return the command tree with every copy of a note replaced, or with the note added if there is none.

    All copies matter, because VASSAL writes notes twice.
    """
    if text is None:
        return tree
    new = commands.Leaf(kind(stored_note(text)).encode())
    if any(isinstance(leaf.command, kind) for leaf in commands.leaves(tree)):
        return commands.replace(tree, lambda leaf: new if isinstance(leaf.command, kind) else leaf)
    return commands.insert_before(tree, _is_end, [new])


def _with_turn(tree: commands.Node, turn: leaves.Turn) -> commands.Node:
    """Return the command tree with the state of a turn tracker replaced, or added if the file has none."""
    new = commands.Leaf(turn.encode())

    def same(leaf: commands.Leaf) -> bool:
        return isinstance(command := leaf.command, leaves.Turn) and command.tracker == turn.tracker

    if any(same(leaf) for leaf in commands.leaves(tree)):
        return commands.replace(tree, lambda leaf: new if same(leaf) and leaf.text != new.text else leaf)
    return commands.insert_before(tree, _is_end, [new])


# The VASSAL version to write if the module does not name one.
FALLBACK_VASSAL = "3.7.0"


@dataclass(frozen=True, slots=True)
class _Placed:
    id: str
    piece: Piece
    map: str
    point: Point


class SaveWriter:
    """Collects counters and settings for a new save; the same calls in the same order give the same text.

    *boards* chooses boards by map name; other maps get the module's own choice. With *keep_set_up* VASSAL places
    the module's own stacks and decks when the save is opened, as in a new game; by default it does not. ``turns``
    has the states of turn trackers by id (``TurnTracker0`` and so on); other trackers start at the beginning.
    """

    def __init__(
        self,
        module: Module,
        boards: Mapping[str, Iterable[leaves.BoardChoice]] | None = None,
        *,
        first_id: int = 1,
        keep_set_up: bool = False,
    ) -> None:
        self.module = module
        self.notes = ""
        self.public_notes = ""
        self.description = ""
        self.turns: dict[str, str] = {}
        self.keep_set_up = keep_set_up
        self._next_id = first_id
        self._placed: list[_Placed] = []
        self._taken: set[str] = set()
        self._properties: dict[tuple[str, str], str] = {}
        self._choices: dict[str, tuple[leaves.BoardChoice, ...]] = {}
        self._layouts: dict[str, MapLayout] = {}
        for name, choices in (boards or {}).items():
            self._choices[module.map(name).name] = tuple(choices)
        for game_map in module.maps:
            chosen = self._choices.get(game_map.name, game_map.usual_boards)
            self._choices[game_map.name] = chosen
            self._layouts[game_map.name] = game_map.layout(chosen)

    def layout(self, map_name: str) -> MapLayout:
        """Return the map of that name with its boards in place."""
        return self._layouts[self.module.map(map_name).name]

    def add(  # noqa: PLR0913 - part of the public API
        self,
        slot: Slot | str,
        map_name: str,
        *,
        at: Point | None = None,
        location: str | None = None,
        board: str | None = None,
        look: Look | None = None,
        piece_id: str | None = None,
        facing: int | None = None,
        label: str | None = None,
    ) -> str:
        """Put a counter on a map, and return its piece id.

        Pieces on one spot make one stack; the first piece added is at the bottom. Either *at* or *location* must be
        given.

        Args:
            slot: The palette entry, or its name.
            map_name: The name of the map.
            at: The pixel of the map.
            location: The name of the location, in whose center the counter is put.
            board: The name of the board to which the location belongs, if the map has several.
            look: The look that the counter gets.
            piece_id: The piece id; by default a free one.
            facing: The facing, as in *look*.
            label: The text of the label, as in *look*.

        Raises:
            VassalError: The counter cannot be added; the writer is then unchanged.
        """
        found = self.module.slot(slot) if isinstance(slot, str) else slot
        game_map = self.module.map(map_name)
        layout = self._layouts[game_map.name]
        if not layout.boards:
            raise SaveError(f"the map {game_map.name!r} has no boards in use; choose some for it")
        if (at is None) == (location is None):
            raise SaveError(f"the piece {found.name!r} needs a pixel or a location on the map {game_map.name!r}")
        point = layout.pixel(location, board) if location is not None else at
        assert point is not None
        new_id = self._fresh_id() if piece_id is None else piece_id
        if not new_id or new_id in self._taken or new_id == "null":
            raise SaveError(f"the piece {found.name!r} cannot have the id {new_id!r}: it is taken or no id")
        piece = look.apply(found.piece) if look is not None else found.piece
        piece = Look(facing=facing, label=label).apply(piece)
        piece = piece.born(found.gpid, new_id).at(game_map.name, *point)
        self._taken.add(new_id)
        self._placed.append(_Placed(new_id, piece, game_map.name, point))
        return new_id

    def set_property(self, name: str, value: str, container: str = "Module") -> None:
        """Set a global property of the module or of a map."""
        self._properties[container, name] = value

    def _fresh_id(self) -> str:
        while str(self._next_id) in self._taken:
            self._next_id += 1
        return str(self._next_id)

    def _stacks(self) -> Iterable[leaves.AddPiece]:
        spots: dict[tuple[str, Point], list[str]] = {}
        for placed in self._placed:
            if not placed.piece.never_stacks:
                spots.setdefault((placed.map, placed.point), []).append(placed.id)
        taken = set(self._taken)
        number = self._next_id
        for (map_name, (x, y)), members in spots.items():
            while str(number) in taken:
                number += 1
            taken.add(str(number))
            stack = Stack.of(map_name, x, y, tuple(members))
            yield leaves.AddPiece(str(number), stack.type, stack.state or "")

    def commands(self) -> list[leaves.AnyLeaf]:
        """Return the commands of the save in order, pieces before the stacks that hold them."""
        found: list[leaves.AnyLeaf] = [leaves.BeginSave()]
        found += [leaves.AddPiece(placed.id, placed.piece.type, placed.piece.state) for placed in self._placed]
        found += self._stacks()
        for (container, name), value in self._properties.items():
            found.append(leaves.GlobalProperty(name, value, container))
        found += [leaves.BoardPicker(name, choices) for name, choices in self._choices.items() if choices]
        if not self.keep_set_up:
            found.append(leaves.SetupStack())
        found += self.module.extensions  # VASSAL then warns a user who lacks one of them
        found.append(leaves.Notes(stored_note(self.notes)))
        found.append(leaves.PublicNotes(stored_note(self.public_notes)))
        found += [leaves.Turn(tracker, state) for tracker, state in self.turns.items()]
        found.append(leaves.EndSave())
        return found

    def save(self, file: str = "new save", *, read: bool = True) -> Save:
        """Return the save.

        With *read* false the result has its commands but none of its pieces; that is enough to write it.

        Raises:
            LossyTextError: VASSAL would misread a text in it.
        """
        tree = commands.group(command.encode() for command in self.commands())
        module = self.module
        vassal = module.vassal or FALLBACK_VASSAL
        module_data = module.module_data or metadata_xml(module.version, vassal, module.description, module.name)
        entries = (
            (SAVED_GAME, b""),
            ("savedata", metadata_xml(module.version, vassal, self.description)),
            ("moduledata", module_data),
        )
        commands.encode(tree)  # raises an error here, rather than while the file is written
        return with_tree(Save(file, tree, entries), tree) if read else Save(file, tree, entries)

    def write(self, path: str | os.PathLike[str], key: int = DEFAULT_KEY) -> None:
        """Write the save to *path*; an existing file is replaced in one step."""
        self.save().write(path, key)
