"""Declare the fields of commands and traits; the declaration determines how they are read and written.

A :class:`Kind` reads and writes the token of one field, and a :class:`Tail` all tokens from one index on. A
:class:`Form` divides a text into tokens. A command (:class:`Command`) declares its fields by its annotations, in the
order of the file. A trait (:class:`~vassal.pieces.trait.Trait`) declares them with their places: :class:`TypeField`
for its definition, :class:`StateField` for its state.

Later versions of VASSAL only append fields. So a field that a file leaves out has a value (``missing``), and further
tokens are kept where a state is written again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, Self, TypeAlias, TypeVar, get_type_hints

from vassal.text import sequence
from vassal.text.sequence import lazy, number

__all__ = [
    "ALL", "AS_IS", "FIRST", "FLAG", "NAME", "TEXT", "WHOLE", "Command", "Form", "Kind", "OrLeftOut", "OrNull",
    "StateField", "Tail", "TypeField", "listed", "whole",
]  # fmt: skip

T = TypeVar("T")


class Kind(Generic[T]):
    """The way in which a field is read from its token, and written as a token.

    ``missing`` is the token that is assumed for a field that the text leaves out.
    """

    __slots__ = ("missing", "read", "write")

    def __init__(self, read: Callable[[str], T], write: Callable[[T], str] = str, missing: str = "") -> None:
        self.read, self.write, self.missing = read, write, missing

    def take(self, tokens: Sequence[str], index: int) -> T:
        """Return the value of the field at *index*."""
        return self.read(tokens[index] if index < len(tokens) else self.missing)

    def set(self, tokens: list[str], index: int, value: T) -> None:
        """Write a value at *index* of the token list; missing tokens before it are added as empty ones."""
        tokens += [""] * (index + 1 - len(tokens))
        tokens[index] = self.write(value)


class Tail(Generic[T]):
    """The way in which the last field of a text is read and written.

    That field consists of all tokens from its index on.
    """

    __slots__ = ("read", "write")

    def __init__(self, read: Callable[[Sequence[str]], T], write: Callable[[T], list[str]]) -> None:
        self.read, self.write = read, write

    def take(self, tokens: Sequence[str], index: int) -> T:
        """Return the value of all tokens from *index* on."""
        return self.read(tokens[index:])

    def set(self, tokens: list[str], index: int, value: T) -> None:
        """Write a value in place of all tokens from *index* on."""
        tokens += [""] * (index - len(tokens))
        tokens[index:] = self.write(value)


def _same(token: str) -> str:
    return token


def _or_null(value: str | None) -> str:
    return "null" if value is None else str(value)


def whole(default: int = 0, least: int | None = None) -> Kind[int]:
    """Return the :class:`Kind` of a whole number.

    A token that is not a number gives *default*; a value below *least* is raised to *least*.
    """
    if least is None:
        return Kind(lambda token: number(token, default)) if default else Kind(number)
    return Kind(lambda token: max(least, number(token, default)))


def listed(separator: str) -> Kind[tuple[str, ...]]:
    """Return the :class:`Kind` of a field whose token is itself a list of tokens, joined with *separator*."""
    return Kind(
        lambda token: tuple(sequence.decode(token, separator)), lambda tokens: sequence.encode(tokens, separator)
    )


TEXT: Kind[str] = Kind(_same, _same)
WHOLE = whole()
FLAG: Kind[bool] = Kind(lambda token: token == "true", lambda value: "true" if value else "false")
NAME: Kind[str | None] = Kind(lambda token: None if token in ("", "null") else token, _or_null)
"""A name in the state of a trait; it is missing if the token is empty or ``null``."""
ALL: Tail[tuple[str, ...]] = Tail(tuple, list)
FIRST: Tail[str] = Tail(lambda tokens: tokens[0], lambda value: [value])
"""The first token as a text; anything after it is not stored."""

OrNull: TypeAlias = Annotated[str | None, Kind(lambda token: None if token == "null" else token, _or_null, "null")]
"""A text of a command that is ``None`` if the token is ``null``."""
OrLeftOut: TypeAlias = Annotated[
    str | None, Tail(lambda tokens: tokens[0] if tokens else None, lambda value: [] if value is None else [value])
]
"""The last text of a command; versions that do not know it, and commands without it, leave it out."""

_USUAL: dict[Any, Kind[Any] | Tail[Any]] = {str: TEXT, int: WHOLE, bool: FLAG, tuple[str, ...]: ALL}


class Form:
    """The way in which a text is divided into tokens.

    ``blank`` is read in place of an empty text. ``unquoted`` is the number of tokens of a text without quoting; the
    last token then holds all the remaining text.
    """

    __slots__ = ("blank", "separator", "unquoted")

    def __init__(self, separator: str, blank: str = "", unquoted: int = 0) -> None:
        self.separator, self.blank, self.unquoted = separator, blank, unquoted

    def split(self, text: str | None) -> list[str]:
        """Return the tokens of a text."""
        if self.unquoted:
            return (text or self.blank).split(self.separator, self.unquoted - 1)
        return sequence.decode(text or self.blank, self.separator)

    def join(self, tokens: list[str]) -> str:
        """Return the text made of these tokens.

        Raises:
            LossyTextError: VASSAL would read back different tokens.
        """
        return self.separator.join(tokens) if self.unquoted else sequence.encode(tokens, self.separator)


AS_IS = Form("\t", unquoted=1)
"""A text that is one field, as it stands."""


class _Layout:
    """The code that reads and writes the values of a kind of command, compiled from class annotations.

    The generated code is needed because a log has thousands of moves; a loop over the fields would take 50 % more
    time. The code is made only from the names in the class; nothing read from a file becomes part of it.
    """

    __slots__ = ("count", "missing", "read", "write")

    def __init__(self, kind: type) -> None:
        hints = get_type_hints(kind, include_extras=True)
        self.missing: list[str] = []
        known: dict[str, Any] = {}
        reads, writes = [], []
        for index, name in enumerate(kind.__match_args__):  # type: ignore[attr-defined]
            hint = hints[name]
            field = _USUAL[hint] if hint in _USUAL else hint.__metadata__[0]
            known |= {f"read{index}": field.read, f"write{index}": field.write}
            if isinstance(field, Tail):
                reads.append(f"read{index}(tokens[{index}:])")
                writes.append(f"*write{index}(command.{name})")
            else:
                self.missing.append(field.missing)
                reads.append(f"tokens[{index}]" if field is TEXT else f"read{index}(tokens[{index}])")
                writes.append(f"command.{name}" if field is TEXT else f"write{index}(command.{name})")
        self.count = len(reads)
        self.read: Callable[[Any, list[str]], Any] = eval(f"lambda kind, tokens: kind({', '.join(reads)})", known)
        self.write: Callable[[Any], list[str]] = eval(f"lambda command: [{', '.join(writes)}]", known)


_LAYOUTS: dict[type, _Layout] = {}


def _layout(kind: type) -> _Layout:
    found = _LAYOUTS.get(kind)
    if found is None:
        found = _LAYOUTS[kind] = _Layout(kind)
    return found


class Command:
    """Base class of all commands; its fields are the annotations of the class, in the order of the file."""

    __slots__ = ()

    prefix: ClassVar[str] = ""
    begins: ClassVar[str] = ""
    """The text that identifies a command without fields, whatever follows; empty if it is the prefix alone."""
    form: ClassVar[Form] = AS_IS
    least: ClassVar[int] = 0
    """Minimum number of tokens; a text with fewer is not this command."""

    if TYPE_CHECKING:

        def __init__(self, *values: Any) -> None: ...

    @classmethod
    def decode(cls, rest: str) -> Self | None:
        """Return the command from its text without the prefix; ``None`` if the text is not this command."""
        layout = _LAYOUTS.get(cls) or _layout(cls)
        if not layout.count:
            return cls() if cls.begins or not rest else None
        tokens = cls.form.split(rest)
        if len(tokens) < cls.least:
            return None
        tokens += layout.missing[len(tokens) :]
        found: Self = layout.read(cls, tokens)
        return found

    def encode(self) -> str:
        """Return the text of the command."""
        return self.prefix + self.form.join(_layout(type(self)).write(self))


class TypeField(lazy[T]):
    """A field of a trait's definition: its place after the word for the kind, and how it is read."""

    def __init__(self, index: int, kind: Kind[T]) -> None:
        super().__init__(lambda trait: kind.take(trait.fields, index))


class StateField(lazy[T]):
    """A field of a trait's state: its place in the state, and how it is read and written."""

    def __init__(self, index: int, kind: Kind[T] | Tail[T]) -> None:
        def found(trait: Any) -> T:
            if trait.form is AS_IS and isinstance(kind, Kind):
                return kind.read(trait.state or "")
            return kind.take(trait._tokens, index)

        super().__init__(found)
        self.index, self.kind = index, kind
