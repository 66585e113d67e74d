"""The typed commands of a save; ``.encode()`` returns the text of one.

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
    """Holds the piece of an :class:`AddPiece`, so that it is read only once."""

    __slots__ = ("piece",)

    piece: Piece

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            return reckoned(self, name, _RECKONED)


_RECKONED: dict[str, Callable[[AddPiece], Piece]] = {"piece": lambda command: Piece(command.type, command.state)}
_put_piece = setter(_Read, "piece")


@dataclass(frozen=True, slots=True)
class AddPiece(_Read):
    """Adds a piece, a stack or a deck to the game. ``id`` is ``None`` if VASSAL should choose one."""

    prefix: ClassVar[str] = "+/"
    id: str | None
    type: str
    state: str

    @classmethod
    def read(cls, id: str | None, type: str, state: str) -> AddPiece:
        """Return a command whose piece has already been read.

        A big save has tens of thousands of pieces, and each is added to the position. Errors of the piece are not
        raised here, but when the piece is used.
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
    """Removes a piece from the game."""

    prefix: ClassVar[str] = "-/"
    id: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.id


@dataclass(frozen=True, slots=True)
class ChangePiece:
    """Gives a piece a new state. With ``old_state`` only traits that differ between the two change."""

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
    """Moves a piece to a pixel of a map, above the piece ``under``. ``player`` is the mover's password."""

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
    """A line in the chat window."""

    prefix: ClassVar[str] = "CHAT"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class Player:
    """A roster entry. ``id`` is the player's password."""

    prefix: ClassVar[str] = "PLAYER\t"
    id: str
    name: str
    side: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.id, self.name, self.side], TAB)


@dataclass(frozen=True, slots=True)
class PlayerLeaves:
    """Removes a player from the roster. ``id`` is the player's password."""

    prefix: ClassVar[str] = "PYREMOVE\t"
    id: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.id


@dataclass(frozen=True, slots=True)
class Unmask:
    """The players who let others unmask their pieces. The ids are passwords."""

    prefix: ClassVar[str] = "UNMASK\t"
    ids: tuple[str, ...]

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode(self.ids, TAB)


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A board in use, and its cell in the map's grid of boards."""

    name: str
    column: int = 0
    row: int = 0
    reversed: bool = False


@dataclass(frozen=True, slots=True)
class BoardPicker:
    """The boards in use on a map."""

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
    """The scenario notes. ``text`` is the stored form (see :func:`~vassal.text.sequence.plain_note`)."""

    prefix: ClassVar[str] = "NOTES\t"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class PublicNotes:
    """The public notes. ``text`` is the stored form."""

    prefix: ClassVar[str] = "PNOTES\t"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class PrivateNote:
    """A player's private notes. ``owner`` is the player's password."""

    prefix: ClassVar[str] = "PNOTE\t"
    owner: str
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.owner, self.text], TAB)


@dataclass(frozen=True, slots=True)
class SecretNote:
    """A delayed note. Revealing it sends it again with ``hidden`` false. ``handle`` is the player's name."""

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
    """Says that the game is not new, so VASSAL does not set up the module's own stacks and decks again."""

    prefix: ClassVar[str] = "SETUP_STACK\t"

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class GlobalProperty:
    """The value of a property of the module (``container`` is ``Module``), a map or a zone (``map:zone``)."""

    prefix: ClassVar[str] = "GlobalProperty\t;"
    name: str
    value: str
    container: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.name, self.value, self.container], ";")


@dataclass(frozen=True, slots=True)
class MutableProperty:
    """A change of a global property during play."""

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
    """The state of a turn tracker. ``tracker`` is ``TurnTracker0`` and so on."""

    prefix: ClassVar[str] = "TURN"
    tracker: str
    state: str

    def encode(self) -> str:
        """Return the text of the command."""
        return f"{self.prefix}{self.tracker}\t{self.state}"


@dataclass(frozen=True, slots=True)
class Log:
    """A step of a log. ``text`` is its command text, for :func:`vassal.text.commands.parse`."""

    prefix: ClassVar[str] = "LOG\t"
    text: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class Extension:
    """A module extension that was in use."""

    prefix: ClassVar[str] = "EXT\t"
    name: str
    version: str

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + sequence.encode([self.name, self.version], TAB)


@dataclass(frozen=True, slots=True)
class BeginSave:
    """Closes the game that is open."""

    prefix: ClassVar[str] = "begin_save"

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class EndSave:
    """Starts the game. Without this command no game starts."""

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
