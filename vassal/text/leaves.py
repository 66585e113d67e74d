"""The commands of a save as typed objects; ``.encode()`` returns the text of a command.

VASSAL identifies players by their passwords, in clear, and calls them ids. The ``owner`` and ``player`` fields
below hold such passwords; :mod:`vassal.container.obfuscation` removes them from anything that is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from vassal.errors import PieceError
from vassal.pieces.piece import Piece
from vassal.text import sequence
from vassal.text.sequence import dataclass, reckoned, setter

TAB = "\t"


def _or_null(value: str | int | None) -> str:
    return "null" if value is None else str(value)


class _Read:
    """Base of :class:`AddPiece`: holds the piece, so that it is read only once."""

    __slots__ = ("piece",)

    piece: Piece

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            return reckoned(self, name, _RECKONED)


_RECKONED: dict[str, Callable[[AddPiece], Piece]] = {"piece": lambda command: Piece(command.type, command.state)}
_put_piece = setter(_Read, "piece")


@dataclass(frozen=True, slots=True)
class AddPiece(_Read):
    """A command that adds a piece, a stack or a deck to the game. ``id`` is ``None`` if VASSAL should choose one."""

    prefix: ClassVar[str] = "+/"
    id: str | None
    type: str
    state: str

    @classmethod
    def read(cls, id: str | None, type: str, state: str) -> AddPiece:
        """Return a command for a piece that has already been read.

        Reading early is fast, which matters because a big save has tens of thousands of pieces. Errors of the piece
        are not raised here, but when the piece is used.
        """
        command, piece = cls(id, type, state), Piece(type, state)
        with suppress(PieceError):
            piece.read()
        _put_piece(command, piece)
        return command

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([_or_null(self.id), self.type, self.state], "/")


@dataclass(frozen=True, slots=True)
class RemovePiece:
    """A command that removes a piece from the game."""

    prefix: ClassVar[str] = "-/"
    id: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.id


@dataclass(frozen=True, slots=True)
class ChangePiece:
    """A command that gives a piece a new state. With ``old_state``, only traits that differ between the two change."""

    prefix: ClassVar[str] = "D/"
    id: str
    state: str
    old_state: str | None = None

    def encode(self) -> str:
        """Return the text of the command."""
        tokens = [self.id, self.state] if self.old_state is None else [self.id, self.state, self.old_state]
        return self.prefix + sequence.encode(tokens, "/")


@dataclass(frozen=True, slots=True)
class MovePiece:
    """A command that moves a piece to a pixel of a map, above the piece ``under``.

    ``player`` is the password of the player who moves it.
    """

    prefix: ClassVar[str] = "M/"
    id: str
    map: str | None
    x: int
    y: int
    under: str | None
    old_map: str | None
    old_x: int
    old_y: int
    old_under: str | None
    player: str

    def encode(self) -> str:
        """Return the text of the command."""
        here = [self.id, _or_null(self.map), str(self.x), str(self.y), _or_null(self.under)]
        there = [_or_null(self.old_map), str(self.old_x), str(self.old_y), _or_null(self.old_under)]
        return self.prefix + sequence.encode([*here, *there, self.player], "/")


@dataclass(frozen=True, slots=True)
class Chat:
    """A command that writes a line into the chat window."""

    prefix: ClassVar[str] = "CHAT"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class Player:
    """A command that adds a player to the roster. ``id`` is the player's password."""

    prefix: ClassVar[str] = "PLAYER\t"
    id: str
    name: str
    side: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.id, self.name, self.side], TAB)


@dataclass(frozen=True, slots=True)
class PlayerLeaves:
    """A command that removes a player from the roster. ``id`` is the player's password."""

    prefix: ClassVar[str] = "PYREMOVE\t"
    id: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.id


@dataclass(frozen=True, slots=True)
class Unmask:
    """A command that lists the players who let others unmask their pieces, by password."""

    prefix: ClassVar[str] = "UNMASK\t"
    ids: tuple[str, ...]

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode(self.ids, TAB)


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A board in use on a map, and its cell in the map's rows and columns of boards."""

    name: str
    column: int = 0
    row: int = 0
    reversed: bool = False


@dataclass(frozen=True, slots=True)
class BoardPicker:
    """A command that sets the boards in use on a map."""

    map: str
    boards: tuple[BoardChoice, ...]

    def encode(self) -> str:
        """Return the text of the command."""
        tokens = [f"{self.map}BoardPicker"]
        for board in self.boards:
            tokens += [board.name + ("/rev" if board.reversed else ""), str(board.column), str(board.row)]
        return sequence.encode(tokens, TAB)


@dataclass(frozen=True, slots=True)
class Notes:
    """A command that sets the scenario notes.

    ``text`` is the stored form (see :func:`~vassal.text.sequence.plain_note`).
    """

    prefix: ClassVar[str] = "NOTES\t"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class PublicNotes:
    """A command that sets the public notes. ``text`` is the stored form."""

    prefix: ClassVar[str] = "PNOTES\t"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class PrivateNote:
    """A command that sets a player's private notes. ``owner`` is the player's password."""

    prefix: ClassVar[str] = "PNOTE\t"
    owner: str
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.owner, self.text], TAB)


@dataclass(frozen=True, slots=True)
class SecretNote:
    """A command that sets a delayed note. ``handle`` is the player's name.

    To reveal the note, the command is sent again with ``hidden`` false.
    """

    prefix: ClassVar[str] = "SNOTE\t"
    name: str
    owner: str
    hidden: bool
    text: str
    date: str = ""
    handle: str = ""

    def encode(self) -> str:
        """Return the text of the command."""
        hidden = "true" if self.hidden else "false"
        tokens = [self.name, self.owner, hidden, self.text, self.date, self.handle]
        return self.prefix + sequence.encode(tokens, TAB)


@dataclass(frozen=True, slots=True)
class SetupStack:
    """A command that says that the game is not new.

    VASSAL then does not set up the module's own stacks and decks again.
    """

    prefix: ClassVar[str] = "SETUP_STACK\t"

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class GlobalProperty:
    """A command that sets a property of the module (``container`` is ``Module``), a map or a zone (``map:zone``)."""

    prefix: ClassVar[str] = "GlobalProperty\t;"
    name: str
    value: str
    container: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.name, self.value, self.container], ";")


@dataclass(frozen=True, slots=True)
class MutableProperty:
    """A command that changes a global property during play."""

    prefix: ClassVar[str] = "MutableProperty\t"
    name: str
    old: str
    new: str
    container: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.name, self.old, self.new, self.container], TAB)


@dataclass(frozen=True, slots=True)
class Turn:
    """A command that sets the state of a turn tracker. ``tracker`` is ``TurnTracker0`` and so on."""

    prefix: ClassVar[str] = "TURN"
    tracker: str
    state: str

    def encode(self) -> str:
        """Return the text of the command."""
        return f"{self.prefix}{self.tracker}\t{self.state}"


@dataclass(frozen=True, slots=True)
class Log:
    """A command that holds one step of a log. ``text`` is its command text, for :func:`vassal.text.commands.parse`."""

    prefix: ClassVar[str] = "LOG\t"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class Extension:
    """A command that names a module extension that was in use."""

    prefix: ClassVar[str] = "EXT\t"
    name: str
    version: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.name, self.version], TAB)


@dataclass(frozen=True, slots=True)
class BeginSave:
    """The first command of a save: it closes the game that is open."""

    prefix: ClassVar[str] = "begin_save"

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class EndSave:
    """The last command of a save: it starts the game. Without it no game starts."""

    prefix: ClassVar[str] = "end_save"

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class Unknown:
    """A command that this package does not understand. It is kept unchanged."""

    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.text


AnyLeaf: TypeAlias = (
    AddPiece
    | RemovePiece
    | ChangePiece
    | MovePiece
    | Chat
    | Player
    | PlayerLeaves
    | Unmask
    | BoardPicker
    | Notes
    | PublicNotes
    | PrivateNote
    | SecretNote
    | SetupStack
    | GlobalProperty
    | MutableProperty
    | Turn
    | Log
    | Extension
    | BeginSave
    | EndSave
    | Unknown
)
