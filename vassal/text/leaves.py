"""The commands of a save in typed form; ``.encode()`` gives the text of one.

Passwords: VASSAL identifies players by their password, in clear, and calls it an id. ``owner`` and ``player``
fields below hold such passwords; :mod:`vassal.container.obfuscation` takes them out of anything that is printed.
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
    """The piece, kept, so that it is read but once however often the command is run."""

    __slots__ = ("piece",)

    piece: Piece

    if not TYPE_CHECKING:

        def __getattr__(self, name):
            return reckoned(self, name, _RECKONED)


_RECKONED: dict[str, Callable[[AddPiece], Piece]] = {"piece": lambda command: Piece(command.type, command.state)}
_put_piece = setter(_Read, "piece")


@dataclass(frozen=True, slots=True)
class AddPiece(_Read):
    """Puts a piece, a stack or a deck into the game; ``id`` is ``None`` where VASSAL shall choose one."""

    prefix: ClassVar[str] = "+/"
    id: str | None
    type: str
    state: str

    @classmethod
    def read(cls, id: str | None, type: str, state: str) -> AddPiece:
        """One whose piece is read already: a big save has tens of thousands, and each of them is put on the table.

        What is wrong with the piece is told when it is asked for.
        """
        command, piece = cls(id, type, state), Piece(type, state)
        with suppress(PieceError):
            piece.read()
        _put_piece(command, piece)
        return command

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + sequence.encode([_or_null(self.id), self.type, self.state], "/")


@dataclass(frozen=True, slots=True)
class RemovePiece:
    """Takes a piece out of the game."""

    prefix: ClassVar[str] = "-/"
    id: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + self.id


@dataclass(frozen=True, slots=True)
class ChangePiece:
    """Gives a piece a new state; with ``old_state`` only the traits in which the two differ are set."""

    prefix: ClassVar[str] = "D/"
    id: str
    state: str
    old_state: str | None = None

    def encode(self) -> str:
        """The text of the command."""
        tokens = [self.id, self.state] if self.old_state is None else [self.id, self.state, self.old_state]
        return self.prefix + sequence.encode(tokens, "/")


@dataclass(frozen=True, slots=True)
class MovePiece:
    """Moves a piece to a pixel of a map, under or over another; ``player`` is the mover's password."""

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
        """The text of the command."""
        here = [self.id, _or_null(self.map), str(self.x), str(self.y), _or_null(self.under)]
        there = [_or_null(self.old_map), str(self.old_x), str(self.old_y), _or_null(self.old_under)]
        return self.prefix + sequence.encode([*here, *there, self.player], "/")


@dataclass(frozen=True, slots=True)
class Chat:
    """A line in the chat window."""

    prefix: ClassVar[str] = "CHAT"
    text: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class Player:
    """A roster entry; ``id`` is the player's password."""

    prefix: ClassVar[str] = "PLAYER\t"
    id: str
    name: str
    side: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + sequence.encode([self.id, self.name, self.side], TAB)


@dataclass(frozen=True, slots=True)
class PlayerLeaves:
    """Strikes a player off the roster; ``id`` is the password."""

    prefix: ClassVar[str] = "PYREMOVE\t"
    id: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + self.id


@dataclass(frozen=True, slots=True)
class Unmask:
    """Who lets others unmask his pieces; the ids are passwords."""

    prefix: ClassVar[str] = "UNMASK\t"
    ids: tuple[str, ...]

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + sequence.encode(self.ids, TAB)


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A board in use and its cell in the map's table of boards."""

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
        """The text of the command."""
        tokens = [f"{self.map}BoardPicker"]
        for board in self.boards:
            tokens += [board.name + ("/rev" if board.reversed else ""), str(board.column), str(board.row)]
        return sequence.encode(tokens, TAB)


@dataclass(frozen=True, slots=True)
class Notes:
    """The scenario notes; ``text`` as it stands in the file (see :func:`plain_note`)."""

    prefix: ClassVar[str] = "NOTES\t"
    text: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class PublicNotes:
    """The public notes; ``text`` as it stands in the file."""

    prefix: ClassVar[str] = "PNOTES\t"
    text: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class PrivateNote:
    """A player's private notes; ``owner`` is his password."""

    prefix: ClassVar[str] = "PNOTE\t"
    owner: str
    text: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + sequence.encode([self.owner, self.text], TAB)


@dataclass(frozen=True, slots=True)
class SecretNote:
    """A delayed note; revealing one sends it again with ``hidden`` false. ``handle`` is the player's name."""

    prefix: ClassVar[str] = "SNOTE\t"
    name: str
    owner: str
    hidden: bool
    text: str
    date: str = ""
    handle: str = ""

    def encode(self) -> str:
        """The text of the command."""
        hidden = "true" if self.hidden else "false"
        tokens = [self.name, self.owner, hidden, self.text, self.date, self.handle]
        return self.prefix + sequence.encode(tokens, TAB)


@dataclass(frozen=True, slots=True)
class SetupStack:
    """Says that the game is not new: VASSAL then does not set up the module's own stacks and decks again."""

    prefix: ClassVar[str] = "SETUP_STACK\t"

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class GlobalProperty:
    """The value of a property of the module (``container`` is ``Module``), a map or a zone (``map:zone``)."""

    prefix: ClassVar[str] = "GlobalProperty\t;"
    name: str
    value: str
    container: str

    def encode(self) -> str:
        """The text of the command."""
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
        """The text of the command."""
        return self.prefix + sequence.encode([self.name, self.old, self.new, self.container], TAB)


@dataclass(frozen=True, slots=True)
class Turn:
    """The state of a turn tracker; ``tracker`` is ``TurnTracker0`` and so on."""

    prefix: ClassVar[str] = "TURN"
    tracker: str
    state: str

    def encode(self) -> str:
        """The text of the command."""
        return f"{self.prefix}{self.tracker}\t{self.state}"


@dataclass(frozen=True, slots=True)
class Log:
    """A step of a log; ``text`` is the command text of the step, for :func:`vassal.text.commands.parse`."""

    prefix: ClassVar[str] = "LOG\t"
    text: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + self.text


@dataclass(frozen=True, slots=True)
class Extension:
    """An extension of the module that was in use."""

    prefix: ClassVar[str] = "EXT\t"
    name: str
    version: str

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix + sequence.encode([self.name, self.version], TAB)


@dataclass(frozen=True, slots=True)
class BeginSave:
    """Closes the game that is open."""

    prefix: ClassVar[str] = "begin_save"

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class EndSave:
    """Starts the game; nothing starts without it."""

    prefix: ClassVar[str] = "end_save"

    def encode(self) -> str:
        """The text of the command."""
        return self.prefix


@dataclass(frozen=True, slots=True)
class Unknown:
    """A command this package doesn't read: kept as it is."""

    text: str

    def encode(self) -> str:
        """The text of the command."""
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
