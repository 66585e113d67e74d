"""Regular expressions at the top of a module, compiled when one is first asked.

A command asks a third of the patterns it loads; to compile them all would be a tenth of its time.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


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
