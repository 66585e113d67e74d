"""The commands of a save as typed objects: ``.decode(text)`` reads one, ``.encode()`` returns its text.

A class declares its prefix, how its text is divided (``form``) and its fields; :mod:`vassal.text.fields` does the rest.

VASSAL identifies players by their passwords, stores these as clear text, and calls them ids. The ``owner`` and
``player`` fields below hold such passwords; :mod:`vassal.container.obfuscation` removes them from anything that is
printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from sys import intern
from typing import TYPE_CHECKING, Annotated, TypeAlias

from vassal.errors import PieceError
from vassal.pieces.piece import Piece
from vassal.text.fields import Command, Form, Kind, OrLeftOut, OrNull, Tail
from vassal.text.sequence import dataclass, number, reckoned, setter

TAB = "\t"
SLASHES, TABS = Form("/"), Form(TAB)

Definition: TypeAlias = Annotated[str, Kind(intern)]
"""The definition of a piece. Thousands of pieces share one, so each is stored once."""


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
class AddPiece(Command, _Read):
    """A command that adds a piece, a stack or a deck to the game. ``id`` is ``None`` if VASSAL should choose one."""

    prefix = "+/"
    form = SLASHES
    least = 3
    id: OrNull
    type: Definition
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


@dataclass(frozen=True, slots=True)
class RemovePiece(Command):
    """A command that removes a piece from the game."""

    prefix = "-/"
    id: str


@dataclass(frozen=True, slots=True)
class ChangePiece(Command):
    """A command that gives a piece a new state.

    With ``old_state``, only traits that differ between the two states change.
    """

    prefix = "D/"
    form = SLASHES
    least = 2
    id: str
    state: str
    old_state: OrLeftOut = None


@dataclass(frozen=True, slots=True)
class MovePiece(Command):
    """A command that moves a piece.

    Attributes:
        id: The piece.
        map: The map it moves to; ``None`` for no map.
        x: The x coordinate, in pixels of that map.
        y: The y coordinate, in pixels of that map.
        under: The piece below it at the new place; ``None`` if there is none.
        old_map: The map before the move.
        old_x: The x coordinate before the move.
        old_y: The y coordinate before the move.
        old_under: The piece that was below it before the move.
        player: The password of the player who moves it.
    """

    prefix = "M/"
    form = SLASHES
    least = 5
    id: str
    map: OrNull
    x: int
    y: int
    under: OrNull
    old_map: OrNull
    old_x: int
    old_y: int
    old_under: OrNull
    player: str


@dataclass(frozen=True, slots=True)
class Chat(Command):
    """A command that writes a line into the chat window."""

    prefix = "CHAT"
    text: str


@dataclass(frozen=True, slots=True)
class Player(Command):
    """A command that adds a player to the roster.

    ``id`` is the player's password, ``name`` the player's name, and ``side`` the side that the player chose.
    """

    prefix = "PLAYER\t"
    form = TABS
    id: str
    name: str
    side: str


@dataclass(frozen=True, slots=True)
class PlayerLeaves(Command):
    """A command that removes a player from the roster. ``id`` is the player's password."""

    prefix = "PYREMOVE\t"
    id: str


@dataclass(frozen=True, slots=True)
class Unmask(Command):
    """A command that lists the players who let others unmask their pieces, by password."""

    prefix = "UNMASK\t"
    form = TABS
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A board in use on a map.

    Attributes:
        name: Name of the board.
        column: Its column among the map's boards, from 0.
        row: Its row among the map's boards, from 0.
        reversed: Whether the board is turned by 180 degrees.
    """

    name: str
    column: int = 0
    row: int = 0
    reversed: bool = False


PICKER = "BoardPicker"


def _read_boards(tokens: Sequence[str]) -> tuple[BoardChoice, ...]:
    groups = zip(tokens[::3], tokens[1::3], tokens[2::3], strict=False)
    return tuple(
        BoardChoice(name.removesuffix("/rev"), number(column), number(row), name.endswith("/rev"))
        for name, column, row in groups
    )


def _write_boards(boards: tuple[BoardChoice, ...]) -> list[str]:
    groups = ((one.name + ("/rev" if one.reversed else ""), str(one.column), str(one.row)) for one in boards)
    return [token for tokens in groups for token in tokens]


Picker: TypeAlias = Annotated[str, Kind(lambda token: token.removesuffix(PICKER), lambda name: f"{name}{PICKER}")]
"""The name of a map; the file stores the name of the map's component (``BoardPicker``) instead."""
Boards: TypeAlias = Annotated[tuple[BoardChoice, ...], Tail(_read_boards, _write_boards)]


@dataclass(frozen=True, slots=True)
class BoardPicker(Command):
    """A command that sets the boards in use on a map."""

    form = TABS
    map: Picker
    boards: Boards


@dataclass(frozen=True, slots=True)
class Notes(Command):
    """A command that sets the scenario notes.

    ``text`` is the stored form (see :func:`~vassal.text.sequence.plain_note`).
    """

    prefix = "NOTES\t"
    text: str


@dataclass(frozen=True, slots=True)
class PublicNotes(Command):
    """A command that sets the public notes. ``text`` is the stored form."""

    prefix = "PNOTES\t"
    text: str


@dataclass(frozen=True, slots=True)
class PrivateNote(Command):
    """A command that sets a player's private notes. ``owner`` is the player's password."""

    prefix = "PNOTE\t"
    form = TABS
    owner: str
    text: str


@dataclass(frozen=True, slots=True)
class SecretNote(Command):
    """A command that sets a delayed note, which its owner can reveal later.

    To reveal the note, the command is sent again with ``hidden`` false.

    Attributes:
        name: The name of the note.
        owner: The owner's password.
        hidden: Whether the text is still secret.
        text: The text in its stored form.
        date: The date of the note as VASSAL stores it.
        handle: The owner's name.
    """

    prefix = "SNOTE\t"
    form = TABS
    name: str
    owner: str
    hidden: bool
    text: str
    date: str = ""
    handle: str = ""


@dataclass(frozen=True, slots=True)
class SetupStack(Command):
    """A command that says that the game is not new.

    VASSAL then does not set up the module's own stacks and decks again.
    """

    prefix = "SETUP_STACK\t"
    begins = "SETUP_STACK"


@dataclass(frozen=True, slots=True)
class GlobalProperty(Command):
    """A command that sets a property of the module (``container`` is ``Module``), a map or a zone (``map:zone``)."""

    prefix = "GlobalProperty\t;"
    form = Form(";")
    name: str
    value: str
    container: str


@dataclass(frozen=True, slots=True)
class MutableProperty(Command):
    """A command that changes a global property during play.

    Attributes:
        name: Name of the property.
        old: The value before.
        new: The value after.
        container: The module, map or zone that the property belongs to.
    """

    prefix = "MutableProperty\t"
    form = TABS
    name: str
    old: str
    new: str
    container: str


@dataclass(frozen=True, slots=True)
class Turn(Command):
    """A command that sets the state of a turn tracker. ``tracker`` is ``TurnTracker0`` and so on."""

    prefix = "TURN"
    form = Form(TAB, unquoted=2)
    least = 2
    tracker: str
    state: str


@dataclass(frozen=True, slots=True)
class Log(Command):
    """A command that holds one step of a log. ``text`` is its command text, for :func:`vassal.text.commands.parse`."""

    prefix = "LOG\t"
    text: str


@dataclass(frozen=True, slots=True)
class Extension(Command):
    """A command that names a module extension that was in use when the save was written."""

    prefix = "EXT\t"
    form = TABS
    name: str
    version: str


@dataclass(frozen=True, slots=True)
class BeginSave(Command):
    """The first command of a save: it closes the game that is open."""

    prefix = "begin_save"


@dataclass(frozen=True, slots=True)
class EndSave(Command):
    """The last command of a save: it starts the game. Without it no game starts."""

    prefix = "end_save"


@dataclass(frozen=True, slots=True)
class Unknown(Command):
    """A command that this package does not understand. It is kept unchanged."""

    text: str


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
