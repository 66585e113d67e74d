"""Reads one command of a save; what other components wrote stays unknown."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from sys import intern

from vassal import sequence
from vassal.leaves import (
    AddPiece,
    AnyLeaf,
    BeginSave,
    BoardChoice,
    BoardPicker,
    ChangePiece,
    Chat,
    EndSave,
    Extension,
    GlobalProperty,
    Log,
    MovePiece,
    MutableProperty,
    Notes,
    Player,
    PlayerLeaves,
    PrivateNote,
    PublicNotes,
    RemovePiece,
    SecretNote,
    SetupStack,
    Turn,
    Unknown,
    Unmask,
)  # fmt: skip
from vassal.levels import MAX_KEPT
from vassal.texts import number

__all__ = ["read_leaf"]

TAB = "\t"


def _null(token: str) -> str | None:
    return None if token == "null" else token


def read_leaf(text: str) -> AnyLeaf:
    """The typed form of one command; :class:`Unknown` for what other components wrote. Never fails."""
    if text.startswith("+/"):
        return _add(text)
    for prefix, read in _BY_FIRST.get(text[:1], ()):
        if text.startswith(prefix):
            return read(text[len(prefix) :]) or Unknown(text)
    head, found, _ = text.partition("BoardPicker\t")
    if (found and TAB not in head) or (text.endswith("BoardPicker") and TAB not in text):
        return _board_picker(text)
    return Unknown(text)


def _add(text: str) -> AnyLeaf:
    """A piece. Thousands share one definition: it is read and kept once, and looked up without being compared."""
    first, last = text.find("/", 2), text.rfind("/")
    # Where neither id nor state holds a slash or is quoted, what stands between them is the definition as written.
    if 2 < first < last <= first + MAX_KEPT and text[last - 1] != "\\" and text[first - 1] != "\\" and text[2] != "'":
        kind = _definition(text[first + 1 : last])
        if kind is not None and not text.startswith("'", last + 1):
            return AddPiece.read(_null(text[2:first]), kind, text[last + 1 :])
    tokens = sequence.decode(text[2:], "/")
    return AddPiece(_null(tokens[0]), intern(tokens[1]), tokens[2]) if len(tokens) > 2 else Unknown(text)


@lru_cache(maxsize=8192)
def _definition(written: str) -> str | None:
    """The one token that a text holds; none where it holds more."""
    tokens = sequence.decode(written, "/")
    return intern(tokens[0]) if len(tokens) == 1 else None


def _change(rest: str) -> ChangePiece | None:
    tokens = sequence.decode(rest, "/")
    if len(tokens) < 2:
        return None
    return ChangePiece(tokens[0], tokens[1], tokens[2] if len(tokens) > 2 else None)


def _move(rest: str) -> MovePiece | None:
    t = sequence.decode(rest, "/")
    if len(t) < 5:
        return None
    t += ["null", "0", "0", "null", ""][len(t) - 5 :]
    there = (_null(t[5]), number(t[6]), number(t[7]), _null(t[8]))
    return MovePiece(t[0], _null(t[1]), number(t[2]), number(t[3]), _null(t[4]), *there, t[9])


def _board_picker(text: str) -> BoardPicker:
    tokens = sequence.decode(text, TAB)
    boards = []
    for index in range(1, len(tokens) - 2, 3):
        name = tokens[index]
        turned = name.endswith("/rev")
        cell = (number(tokens[index + 1]), number(tokens[index + 2]))
        boards.append(BoardChoice(name.removesuffix("/rev"), *cell, turned))
    return BoardPicker(tokens[0].removesuffix("BoardPicker"), tuple(boards))


def _secret(rest: str) -> SecretNote:
    name, owner, hidden, text, date, handle, *_ = sequence.decode_padded(rest, TAB, 6)
    return SecretNote(name, owner, hidden == "true", text, date, handle)


def _private(rest: str) -> PrivateNote:
    owner, text, *_ = sequence.decode_padded(rest, TAB, 2)
    return PrivateNote(owner, text)


def _player(rest: str) -> Player:
    password, name, side, *_ = sequence.decode_padded(rest, TAB, 3)
    return Player(password, name, side)


def _global_property(rest: str) -> GlobalProperty:
    name, value, container, *_ = sequence.decode_padded(rest, ";", 3)
    return GlobalProperty(name, value, container)


def _mutable_property(rest: str) -> MutableProperty:
    name, old, new, container, *_ = sequence.decode_padded(rest, TAB, 4)
    return MutableProperty(name, old, new, container)


def _turn(rest: str) -> Turn | None:
    tracker, found, state = rest.partition(TAB)
    return Turn(tracker, state) if found else None


def _extension(rest: str) -> Extension:
    name, version, *_ = sequence.decode_padded(rest, TAB, 2)
    return Extension(name, version)


_READERS: tuple[tuple[str, Callable[[str], AnyLeaf | None]], ...] = (
    ("D/", _change),
    ("M/", _move),
    ("-/", RemovePiece),
    ("LOG\t", Log),
    ("CHAT", Chat),
    ("PLAYER\t", _player),
    ("PYREMOVE\t", PlayerLeaves),
    ("UNMASK\t", lambda rest: Unmask(tuple(sequence.decode(rest, TAB)))),
    ("NOTES\t", Notes),
    ("PNOTES\t", PublicNotes),
    ("PNOTE\t", _private),
    ("SNOTE\t", _secret),
    ("SETUP_STACK", lambda rest: SetupStack()),
    ("GlobalProperty\t;", _global_property),
    ("MutableProperty\t", _mutable_property),
    ("TURN", _turn),
    ("EXT\t", _extension),
    ("begin_save", lambda rest: None if rest else BeginSave()),
    ("end_save", lambda rest: None if rest else EndSave()),
)
_BY_FIRST = {one[0][0]: tuple(each for each in _READERS if each[0][0] == one[0][0]) for one in _READERS}
"""The same by their first character: a text of another one is told at once."""
