"""Saves and logs: read one, look at the table, write it again, all as far as a player would see it.

>>> save = read_save("turn3.vsav")                                         # doctest: +SKIP
>>> [(piece.name, piece.map, piece.x, piece.y) for piece in save.pieces]   # doctest: +SKIP
[("Cruiser A (NCC-1701)", 'Tactical Map', 552, 392)]

VASSAL knows players by their passwords. A :class:`Save` has none of them in its public fields; they stay in
the command text, which is written back as it was read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field, replace

from vassal import commands, leaves
from vassal.archive import Archive, Metadata, read_metadata, write_archive
from vassal.bounds import MOST_DIRECTORY, MOST_ENTRIES, MOST_SAVED, beyond
from vassal.containers import Deck
from vassal.errors import PieceError, SaveError, VassalError
from vassal.lazy import dataclass
from vassal.obfuscation import DEFAULT_KEY, obfuscated, reveal
from vassal.pieces import Piece
from vassal.table import Table
from vassal.texts import plain_note

__all__ = [
    "DelayedNote",
    "PlayerEntry",
    "PrivateNotes",
    "Save",
    "StackOnTable",
    "TablePiece",
    "read_save",
    "read_text",
    "with_tree",
]

SAVED_GAME = "savedGame"
MAX_SAVE = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class TablePiece:
    """A counter on the table.

    ``map`` is ``None`` off the map; ``x`` and ``y`` are pixels of the map; ``stack`` is the id of the stack
    or deck it is in and ``stack_index`` its place there, 0 the lowest.
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
        """The name as its owner sees it, with labels and layers."""
        return self.piece.name

    @property
    def gpid(self) -> str:
        """The palette slot it came from."""
        return self.piece.gpid


@dataclass(frozen=True, slots=True)
class StackOnTable:
    """A stack or a deck; ``deck`` is the deck's name, ``None`` for a stack."""

    id: str
    map: str | None
    x: int
    y: int
    members: tuple[str, ...]
    deck: str | None = None


@dataclass(frozen=True, slots=True)
class PlayerEntry:
    """A player of the roster."""

    name: str
    side: str


@dataclass(frozen=True, slots=True)
class PrivateNotes:
    """A player's private notes. ``owner`` is his name, empty where the roster doesn't know him."""

    owner: str
    text: str


@dataclass(frozen=True, slots=True)
class DelayedNote:
    """A delayed note; its text is secret until ``hidden`` is false. ``side`` is its owner's, empty where the roster
    doesn't know him.
    """

    name: str
    owner: str
    hidden: bool
    text: str
    date: str
    side: str = ""


@dataclass(frozen=True)
class Save:
    """A save as it was read. Nothing in it changes; what changes something gives a new one."""

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
    """Whether the module's own pieces are in it already; if not, VASSAL lays them out again when it opens the file."""

    @property
    def text(self) -> str:
        """The clear text of the file, passwords and all: what :meth:`write` writes."""
        return commands.encode(self.tree)

    def piece(self, piece_id: str) -> TablePiece:
        """The piece with that id. Raises :class:`~vassal.errors.SaveError`."""
        for piece in self.pieces:
            if piece.id == piece_id:
                return piece
        raise SaveError(f"{self.file}: there is no piece with the id {piece_id!r}")

    def played(self) -> Save:
        """The table after all steps of the log. The file's text stays the same."""
        table, log = _run(self.tree, self.file)
        with _named(self.file):
            for step in log:
                table.run_step(step)
        return _picture(self, table, ())

    def write(self, path: str | os.PathLike[str], key: int = DEFAULT_KEY) -> None:
        """Write the save; every other entry of the file it was read from is written unchanged."""
        saved = obfuscated(self.text, key)
        entries = self.entries
        if not any(name == SAVED_GAME for name, _ in entries):
            entries = ((SAVED_GAME, b""), *entries)
        write_archive(path, [(name, saved if name == SAVED_GAME else data) for name, data in entries])


def read_text(path: str | os.PathLike[str]) -> str:
    """The clear text of a save or log, with its passwords. Raises :class:`~vassal.errors.VassalError`."""
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
    """Read a save or a log; of a log, the table before its first step (see :meth:`Save.played`).

    Raises :class:`~vassal.errors.VassalError` for what VASSAL would not load. What it would load with a
    warning is in ``faults``, one sentence each.
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
    del text  # the tree holds it all
    table, log = _run(tree, file)
    table.faults[:0] = faults
    return _picture(Save(file, tree, entries, saved_by, module), table, tuple(log))


def with_tree(save: Save, tree: commands.Node) -> Save:
    """The same file with other commands."""
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
    """Within this, faults of the table say of which file they are."""
    try:
        yield
    except (PieceError, SaveError) as error:
        raise type(error)(f"{file}: {error}") from None


def _run(tree: commands.Node, file: str) -> tuple[Table, list[str]]:
    table = Table()
    with _named(file):
        log = table.run(tree)
    if not table.ended:
        raise SaveError(f"{file}: the saved game never ends (no end_save command), so VASSAL would not start it")
    return table, log


def _picture(save: Save, table: Table, log: tuple[str, ...]) -> Save:
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
