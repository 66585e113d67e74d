"""Words of a command that somebody is told to type: quoted as his shell wants it, where they must be."""

from __future__ import annotations

import os
from shlex import quote
from typing import Final

from pbem.patterns import regex

_BARE: Final = regex(r"[\w:./\\~@-]+")
"""What no shell of Windows takes for anything but itself."""


def typed(word: object, *, windows: bool = os.name == "nt") -> str:
    """A path or a name as it stands in a command. Single quotes, and backslashes that need some, are those of other
    systems: the command prompt of Windows hands them on as they are.
    """
    text = str(word)
    if not windows:
        return quote(text)
    return text if _BARE.fullmatch(text) else f'"{text}"'
