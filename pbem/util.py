"""Small helpers: plurals, shell commands, month names, lazy regular expressions, identity keys.

This module contains nothing about the game itself.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from operator import is_
from pathlib import Path
from shlex import quote
from typing import Any, AnyStr, Final, TypeVar, cast


def several(count: int, one: str, many: str = "") -> str:
    """Return a number with its noun in the singular or plural: ``1 box``, ``3 boxes``.

    ``many`` is the plural; without it an ``s`` is added to ``one``.
    """
    return f"{count} {one if count == 1 else many or one + 's'}"


def install_command(*libraries: str, extra: str = "", commands: bool = False) -> str:
    """Return the shell command with which the user installs optional libraries for this program.

    If pipx installed the program, the command is ``pipx inject``, because such a program cannot see other
    libraries. With ``commands``, it also makes the shell commands of those libraries available. Otherwise the
    command uses pip, and ``extra`` names the extra of this package that installs the libraries.
    """
    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return f"pipx inject {'--include-apps ' * commands}pbem {' '.join(libraries)}"
    return f"pip install 'pbem[{extra}]'" if extra else f"pip install {' '.join(libraries)}"


NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTHS: Final = tuple(name[:3] for name in NAMES)
"""The English three-letter names of the months, whatever the locale, as in ``Wed 5 May 2027``."""


T = TypeVar("T")


def only(found: Sequence[T]) -> T | None:
    """Return the item of a sequence that has exactly one item, otherwise ``None``.

    Callers use it so that they never pick one of several items by chance.
    """
    match found:
        case [one]:
            return one
    return None


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled only when it is first used.

    This makes commands start faster: a command uses only a third of the patterns it loads. An invalid pattern
    therefore raises its error at the first use.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


class _Pattern:
    """A pattern that compiles on first use and has the methods of ``re.Pattern``."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pickle and copy ask before anything is there
            raise AttributeError(name)
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


class IdentityKey:
    """A cache key made of objects; two keys are equal only if they hold the very same objects.

    Keys are compared by identity (``is``) and hashed by ``id``, so that large objects are never compared by
    content.
    """

    def __init__(self, *things: Any) -> None:
        self.things = things

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, IdentityKey)
            and len(self.things) == len(other.things)
            and all(map(is_, self.things, other.things))
        )

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.things)))


_BARE: Final = regex(r"[\w:./\\~@-]+")
"""Pattern for words in which no Windows shell finds a special character."""


def typed(word: object, *, windows: bool = os.name == "nt") -> str:
    """Return a path or name quoted for use in a shell command.

    On Windows (``windows``) only double quotes are used, because the command prompt there does not understand
    single quotes and backslashes.
    """
    text = str(word)
    if not windows:
        return quote(text)
    return text if _BARE.fullmatch(text) else f'"{text}"'
