"""Read saves and logs, examine the position, and write them again.

>>> save = read_save("turn3.vsav")                                         # doctest: +SKIP
>>> [(piece.name, piece.map, piece.x, piece.y) for piece in save.pieces]   # doctest: +SKIP
[("Cruiser A (NCC-1701)", 'Tactical Map', 552, 392)]

A :class:`TableState` runs the commands of a save or the steps of a log. If a component sent a command twice, the
last one counts, as in VASSAL. VASSAL identifies players by passwords. A :class:`Save` has no passwords in its
public fields, but they stay in the command text, which is written back as it was read. :func:`remarks` lists
everything that VASSAL will add to a save, and everything that this package does not compute.
"""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace
from typing import TypeAlias

from vassal.bounds import MOST_DIRECTORY, MOST_ENTRIES, MOST_MOVED, MOST_PIECES, MOST_SAVED, Definitions, beyond
from vassal.container.archive import Archive, Metadata, read_metadata, write_archive
from vassal.container.obfuscation import DEFAULT_KEY, obfuscated, reveal
from vassal.errors import CommandError, PieceError, SaveError, VassalError
from vassal.module.module import Module
from vassal.pieces.containers import Deck, Stack
from vassal.pieces.piece import Piece, join_levels, split_states, split_types
from vassal.pieces.traits import Layer
from vassal.text import commands, leaves
from vassal.text.expressions import constant
from vassal.text.sequence import dataclass, plain_note

__all__ = [
    "DelayedNote",
    "PlayerEntry",
    "PrivateNotes",
    "Save",
    "StackOnTable",
    "TablePiece",
    "TableState",
    "read_save",
    "read_text",
    "remarks",
    "with_tree",
]


MAX_LOG_DEPTH = 50


Spot: TypeAlias = tuple[str | None, int, int]


@dataclasses.dataclass(slots=True)
class Holder:
    """A stack or deck in the game, with the ids of its pieces.

    Attributes:
        piece: The stack or deck itself.
        map: The map's name; ``None`` if it is on no map.
        x: The x coordinate, in pixels of the map.
        y: The y coordinate, in pixels of the map.
        members: The ids of the pieces in it, from bottom to top.
    """

    piece: Piece
    map: str | None
    x: int
    y: int
    members: list[str]


@dataclasses.dataclass(slots=True)
class PlacedCounter:
    """A counter in the game.

    Attributes:
        piece: The counter.
        map: The map's name; ``None`` if it is on no map.
        x: The x coordinate, in pixels of the map.
        y: The y coordinate, in pixels of the map.
        holder: The id of the stack or deck that holds it; ``None`` if it is not in a stack or deck.
    """

    piece: Piece
    map: str | None
    x: int
    y: int
    holder: str | None = None


@dataclasses.dataclass
class TableState:
    """The state of a VASSAL game; the method :meth:`run` changes it.

    The dicts keep the order in which things were added.

    Attributes:
        counters: The counters by piece id.
        holders: The stacks and decks by piece id.
        players: The players by password.
        boards: The boards of each map, by the map's name.
        properties: The values of global properties, by container (module, map or zone) and name.
        notes: The scenario notes, in the stored form.
        public_notes: The public notes, in the stored form.
        private_notes: The private notes by the owner's password.
        secret_notes: The delayed notes by the owner's password and the name of the note.
        turns: The state of each turn tracker, by its name.
        extensions: The version of each extension in use, by its name.
        chat: The lines of the chat.
        set_up: Whether the save already has the pieces that the module sets up.
        began: Whether the command that begins a saved game was run.
        ended: Whether the command that ends a saved game was run.
        faults: Errors that VASSAL would report, as sentences.
    """

    counters: dict[str, PlacedCounter] = field(default_factory=dict)
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
        """Run all commands of a command tree, and return the texts of the log steps in it, in order.

        The log steps themselves are not run.
        """
        steps = []
        for leaf in commands.leaves(node):
            if not leaf.text:
                continue
            command = leaf.command
            if isinstance(command, leaves.AddPiece):  # the most common kind
                self._add(command)
            elif isinstance(command, leaves.Log):
                steps.append(command.text)
            elif not isinstance(command, leaves.Unknown):
                self.run_one(command)
        return steps

    def run_step(self, text: str, depth: int = 0) -> None:
        """Run the commands of one step of a log."""
        if depth > MAX_LOG_DEPTH:
            raise CommandError(f"log steps are nested more than {MAX_LOG_DEPTH} deep")
        for below in self.run(commands.parse(text, "a log step")):
            self.run_step(below, depth + 1)

    def run_one(self, command: leaves.AnyLeaf) -> None:  # noqa: C901 - one case a kind
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
            self._remove(piece_id)  # a second piece with the same id replaces the first
        if piece.plan.is_container:
            self._hold(piece_id, piece)
        else:
            self.counters[piece_id] = PlacedCounter(piece, map_name, x, y)

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
            # The pieces of a stack are at the position of the stack.
            standing.holder, standing.map, standing.x, standing.y = holder_id, holder.map, holder.x, holder.y

    def _leave(self, members: set[str]) -> None:
        """Remove counters from the stacks that hold them, updating each stack once."""
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
        """Remove a counter from its stack. If the piece is a stack, release the pieces in it instead.

        A stack that becomes empty is removed from the game; a deck stays.
        """
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
            # Only the traits that this step changes are set; other changes, such as a new position, stay.
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


SAVED_GAME = "savedGame"
MAX_SAVE = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A counter in a save.

    Attributes:
        id: Its piece id.
        piece: The piece with its traits.
        map: The map's name; ``None`` if the counter is on no map.
        x: The x coordinate, in pixels of the map.
        y: The y coordinate, in pixels of the map.
        stack: The id of its stack or deck; ``None`` if it is not in a stack or deck.
        stack_index: Its index in the stack or deck; 0 is the lowest.
    """

    id: str
    piece: Piece
    map: str | None
    x: int
    y: int
    stack: str | None = None
    stack_index: int | None = None

    @property
    def name(self) -> str:
        """The name of the counter as its owner sees it, with labels and layers."""
        return self.piece.name

    @property
    def gpid(self) -> str:
        """The id of the palette entry from which the counter came."""
        return self.piece.gpid


@dataclass(frozen=True, slots=True)
class StackOnTable:
    """A stack or a deck in a save.

    Attributes:
        id: Its piece id.
        map: The map's name; ``None`` if it is on no map.
        x: The x coordinate, in pixels of the map.
        y: The y coordinate, in pixels of the map.
        members: The ids of the pieces in it, from bottom to top.
        deck: The deck's name; ``None`` for a stack.
    """

    id: str
    map: str | None
    x: int
    y: int
    members: tuple[str, ...]
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """A player in the roster of a save."""

    name: str
    side: str


@dataclass(frozen=True, slots=True)
class PrivateNotes:
    """The private notes of one player in a save.

    ``owner`` is the player's name, empty if the roster does not have the player.
    """

    owner: str
    text: str


@dataclass(frozen=True, slots=True)
class DelayedNote:
    """A delayed note, which its owner can reveal later.

    Attributes:
        name: The name of the note.
        owner: The owner's name.
        hidden: Whether the text is still secret.
        text: The text.
        date: The date of the note as VASSAL stores it.
        side: The owner's side; empty if the roster does not have the player.
    """

    name: str
    owner: str
    hidden: bool
    text: str
    date: str
    side: str = ""


@dataclass(frozen=True)
class Save:
    """A save as it was read; the object is immutable, and methods that change it return a new save.

    Attributes:
        file: The name of the file, for messages.
        tree: The commands of the save.
        entries: The entries of the zip file: name and content.
        saved_by: The metadata of the save.
        module: The metadata of the module that is stored in the save.
        pieces: The counters.
        stacks: The stacks and decks.
        players: The roster of players.
        boards: The boards of each map, by the map's name.
        properties: The values of global properties, by container (module, map or zone) and name.
        notes: The scenario notes.
        public_notes: The public notes.
        private_notes: The private notes of each player.
        delayed_notes: The delayed notes.
        turns: The state of each turn tracker, by its name.
        extensions: The version of each extension in use, by its name.
        chat: The lines of the chat.
        log: The steps of the log, as command texts; empty for a file that is not a log.
        faults: Errors that VASSAL would report, as sentences.
    """

    file: str
    tree: commands.Node = field(repr=False)
    entries: tuple[tuple[str, bytes], ...] = field(repr=False, default=())
    saved_by: Metadata = field(default_factory=Metadata)
    module: Metadata = field(default_factory=Metadata)
    pieces: tuple[TablePiece, ...] = ()
    stacks: tuple[StackOnTable, ...] = ()
    players: tuple[PlayerEntry, ...] = ()
    boards: dict[str, tuple[leaves.BoardChoice, ...]] = field(default_factory=dict)
    properties: dict[tuple[str, str], str] = field(default_factory=dict)
    notes: str = ""
    public_notes: str = ""
    private_notes: tuple[PrivateNotes, ...] = ()
    delayed_notes: tuple[DelayedNote, ...] = ()
    turns: dict[str, str] = field(default_factory=dict)
    extensions: dict[str, str] = field(default_factory=dict)
    chat: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    set_up: bool = False
    """Whether the save already has the pieces that the module sets up at the start of a game.

    If not, VASSAL sets them up again when it opens the file.
    """

    @property
    def text(self) -> str:
        """The clear text of the save, including passwords, as :meth:`write` writes it."""
        return commands.encode(self.tree)

    def piece(self, piece_id: str) -> TablePiece:
        """Return the counter with this piece id.

        Raises:
            SaveError: There is no such piece.
        """
        for piece in self.pieces:
            if piece.id == piece_id:
                return piece
        raise SaveError(f"{self.file}: there is no piece with the id {piece_id!r}")

    def played(self) -> Save:
        """Return the save with the position after all steps of the log. The text of the file stays the same."""
        table, log = _run(self.tree, self.file)
        with _named(self.file):
            for step in log:
                table.run_step(step)
        return _picture(self, table, ())

    def write(self, path: str | os.PathLike[str], key: int = DEFAULT_KEY) -> None:
        """Write the save to a file; entries of the zip file other than the commands are written as they were read."""
        saved = obfuscated(self.text, key)
        entries = self.entries
        if not any(name == SAVED_GAME for name, _ in entries):
            entries = ((SAVED_GAME, b""), *entries)
        write_archive(path, [(name, saved if name == SAVED_GAME else data) for name, data in entries])


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the clear text of a save or log, with passwords.

    Raises:
        VassalError: The file cannot be read.
    """
    with _opened(path) as archive:
        return _clear_text(archive)


def _opened(path: str | os.PathLike[str]) -> Archive:
    return Archive(path, MAX_SAVE, MOST_ENTRIES, MOST_DIRECTORY)


def _clear_text(archive: Archive) -> str:
    if not archive.has(SAVED_GAME):
        raise SaveError(f"{archive.name}: not a VASSAL save or log, because there is no {SAVED_GAME!r} in it")
    text = reveal(archive.read_checked(SAVED_GAME, MOST_SAVED), archive.name)
    if wrong := beyond(text):
        raise SaveError(f"{archive.name}: {wrong}; no game needs so much")
    return text


def read_save(path: str | os.PathLike[str]) -> Save:
    """Read a save, or a log at its start (see :meth:`Save.played` for its end).

    ``faults`` of the result lists everything that VASSAL would load with a warning, one sentence for each.

    Raises:
        VassalError: VASSAL would not load the file.
    """
    with _opened(path) as archive:
        text = _clear_text(archive)
        faults: list[str] = []
        saved_by, module = (_metadata(archive, name, faults) for name in ("savedata", "moduledata"))
        entries = tuple(
            (name, b"" if name == SAVED_GAME else archive.read(name)) for name in dict.fromkeys(archive.names())
        )
        file = archive.name
    tree = commands.parse(text, file)
    del text  # free memory; the tree has everything
    table, log = _run(tree, file)
    table.faults[:0] = faults
    return _picture(Save(file, tree, entries, saved_by, module), table, tuple(log))


def with_tree(save: Save, tree: commands.Node) -> Save:
    """Return the same save with another tree of commands."""
    table, log = _run(tree, save.file)
    return _picture(replace(save, tree=tree), table, tuple(log))


def _metadata(archive: Archive, name: str, faults: list[str]) -> Metadata:
    try:
        return read_metadata(archive, name)
    except VassalError as error:
        faults.append(str(error))
        return Metadata()


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Add the name of the file to errors that occur while this context is open."""
    try:
        yield
    except (PieceError, SaveError) as error:
        raise type(error)(f"{file}: {error}") from None


def _run(tree: commands.Node, file: str) -> tuple[TableState, list[str]]:
    table = TableState()
    with _named(file):
        log = table.run(tree)
    if not table.ended:
        raise SaveError(f"{file}: the saved game never ends (no end_save command), so VASSAL would not start it")
    return table, log


def _picture(save: Save, table: TableState, log: tuple[str, ...]) -> Save:
    names = {password: player.name for password, player in table.players.items()}
    sides = {password: player.side for password, player in table.players.items()}
    faults = [f"{save.file}: {fault}" for fault in table.faults if not fault.startswith(save.file)]
    faults += [fault for fault in table.faults if fault.startswith(save.file)]
    indexes = {member: index for holder in table.holders.values() for index, member in enumerate(holder.members)}
    pieces = []
    for piece_id, standing in table.counters.items():
        where = standing.map, standing.x, standing.y
        fault = standing.piece.fault
        if fault:
            faults.append(f"{save.file}: the piece {piece_id} ({standing.piece.basic_name!r}): {fault}")
        pieces.append(TablePiece(piece_id, standing.piece, *where, standing.holder, indexes.get(piece_id)))
    stacks = [
        StackOnTable(stack_id, holder.map, holder.x, holder.y, tuple(holder.members), _deck_name(holder.piece))
        for stack_id, holder in table.holders.items()
    ]
    return replace(
        save,
        pieces=tuple(pieces),
        stacks=tuple(stacks),
        players=tuple(PlayerEntry(player.name, player.side) for player in table.players.values()),
        boards=dict(table.boards),
        properties=dict(table.properties),
        notes=plain_note(table.notes),
        public_notes=plain_note(table.public_notes),
        private_notes=tuple(
            PrivateNotes(names.get(note.owner, ""), plain_note(note.text)) for note in table.private_notes.values()
        ),
        delayed_notes=tuple(
            DelayedNote(
                *(note.name, note.handle, note.hidden, plain_note(note.text), note.date), sides.get(note.owner, "")
            )
            for note in table.secret_notes.values()
        ),
        turns=dict(table.turns),
        extensions=dict(table.extensions),
        chat=tuple(table.chat),
        log=log,
        faults=tuple(dict.fromkeys(faults)),
        set_up=table.set_up,
    )


def _deck_name(piece: Piece) -> str | None:
    core = piece.core
    return core.name if isinstance(core, Deck) else None


def remarks(save: Save, module: Module | None = None) -> tuple[str, ...]:
    """Return remarks on a save, one sentence each.

    They say what VASSAL will add, and what this package does not compute.

    With *module*, the remarks also say which stacks and decks the module sets up, if any.
    """
    return (*_set_up_again(save, module), *_not_merged(save, module), *_not_reckoned(save))


def _set_up_again(save: Save, module: Module | None) -> Iterator[str]:
    if save.set_up:
        return
    if module is None:
        yield "the save has no SETUP_STACK: VASSAL will lay out again whatever the module itself sets up"
        return
    names = [set_up.name for game_map in module.maps for set_up in game_map.set_ups]
    if names:
        yield f"the save has no SETUP_STACK: VASSAL will lay out again what the module itself sets up ({_some(names)})"


def _not_merged(save: Save, module: Module | None) -> Iterator[str]:
    if module is not None:
        known = {extension.name for extension in module.extensions}
        if missing := [name for name in save.extensions if name not in known]:
            yield f"the save was made with extensions that are not at hand: {_some(missing)}"


def _not_reckoned(save: Save) -> Iterator[str]:
    counts: Counter[str] = Counter()
    for alike, number in Counter(piece.piece.type for piece in save.pieces).items():
        if "calcProp;" in alike:
            counts["calculated"] += number
    for piece in save.pieces:
        inner = piece.piece
        if inner.plan.followers and any(layer.follows_expression for layer in inner.all(Layer)):
            counts["layers"] += 1
        written = [label for label in inner.labels if label.is_expression] if "{" in inner.state else []
        if written and any(constant(label.text, inner.known) is None for label in written):
            counts["labels"] += 1
    if counts["calculated"]:
        yield f"calculated properties are not reckoned: {_have_some(counts['calculated'])}"
    if counts["layers"]:
        some = _have_some(counts["layers"])
        yield f"layers that follow an expression are shown at the level last stored: {some}"
    if counts["labels"]:
        some = _have_some(counts["labels"])
        yield f"labels that are expressions, and no constant ones, are shown as they are written: {some}"
    decks = [stack.deck for stack in save.stacks if stack.deck is not None]
    if decks:
        yield f"properties that count the cards of a deck, all or by expression, are not reckoned: {_some(decks)}"


def _have_some(count: int) -> str:
    return "1 counter has some" if count == 1 else f"{count} counters have some"


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
