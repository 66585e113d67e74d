"""Things counted in a sentence.

Libraries a part of the program needs and may lack: how they are had.

The names of the months, in English whatever the locale.

The one thing that is meant, where it is plain.

Regular expressions at the top of a module, compiled when one is first asked.

A command asks a third of the patterns it loads; to compile them all would be a tenth of its time.

Things by which something is kept for those who ask with the very same things again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from operator import is_
from pathlib import Path
from typing import Any, AnyStr, Final, TypeVar, cast


def several(count: int, one: str, many: str = "") -> str:
    """``1 box``, ``3 boxes``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def fetching(*libraries: str, extra: str = "", commands: bool = False) -> str:
    """The command that puts libraries beside this program; by pip they may be had as an ``extra`` of its own. A program
    that was installed by pipx sees only what is put beside it there, and a library's own ``commands`` are to be named.
    """
    if (Path(sys.prefix) / "pipx_metadata.json").is_file():
        return f"pipx inject {'--include-apps ' * commands}pbem {' '.join(libraries)}"
    return f"pip install 'pbem[{extra}]'" if extra else f"pip install {' '.join(libraries)}"


NAMES: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTHS: Final = tuple(name[:3] for name in NAMES)
"""As a date has them: ``Wed 5 May 2027``."""


T = TypeVar("T")


def only(found: Sequence[T]) -> T | None:
    """The one thing found; ``None`` where there are none or several, so that nobody picks one of them by chance."""
    match found:
        case [one]:
            return one
    return None


def regex(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` gives, but for a pattern that cannot be: that is told where it is first asked."""
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


class _Pattern:
    """Each of its methods is that of the compiled pattern from its first use on."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # pickle and copy ask before anything is there
            raise AttributeError(name)
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)
        return found


class Same:
    """Things that are those of another of these: the very same ones, which are not looked into."""

    def __init__(self, *things: Any) -> None:
        self.things = things

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Same)
            and len(self.things) == len(other.things)
            and all(map(is_, self.things, other.things))
        )

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.things)))
