"""Limits on the size of saves and modules, which are checked before any other work.

The limits are needed because such a file may come from anybody. Within these limits, a save is read or refused in
some tenths of a second. Real games have a few thousand counters and some thousand steps. To check a text, the module
only counts characters in it.
"""

from __future__ import annotations

from typing import Final

from vassal.errors import SaveError

__all__ = ["Definitions", "beyond"]

MOST_SAVED: Final = 48 * 1024**2
"""Maximum size of a save's text in its file, in bytes; the file stores each byte as two digits."""
MOST_TEXT: Final = 24_000_000
"""Maximum length of a save's text in characters; 6,000 counters with 17 traits each have 3,000,000."""
MOST_COMMANDS: Final = 30_000
"""Maximum number of commands in a save, including the commands in all steps of a log.

Each takes some ten microseconds to read.
"""
MOST_TABS: Final = 600_000
"""Maximum number of tab characters in a save.

Tabs separate traits, boards and fields, so their number limits how many of these are read.
"""
MOST_PIECES: Final = 15_000
"""Maximum number of counters and stacks that a save adds; changes of counters and stacks are counted too."""
MOST_TRAITS: Final = 50_000
"""Maximum number of traits in all different counter definitions of a save.

Further counters with the same definition cost little more than one.
"""
MOST_MOVED: Final = 300_000
"""Maximum number of stack members that are searched when pieces move; a search in a stack of 16 counts as one."""
MOST_ENTRIES: Final = 1_000
MOST_DIRECTORY: Final = 200_000
"""Maximum number of files in a save's archive, and maximum size in bytes of the archive's list of files.

VASSAL writes three files.
"""
MOST_METADATA: Final = 200_000
"""Maximum size in bytes of the metadata of a save or module."""
MOST_ELEMENTS: Final = 200_000
"""Maximum number of ``<`` characters in a build file; every element has one or two."""
MOST_PALETTE: Final = 50_000
"""Maximum number of folders and entries in a module's palette.

A folder or entry in a window within a window counts for both windows.
"""


def beyond(text: str) -> str:
    """Return a text on the limit that a save's text exceeds, such as ``it has more than 30000 commands``.

    The result is empty if the text exceeds no limit.
    """
    if len(text) > MOST_TEXT:
        return f"its text has {len(text)} characters, more than {MOST_TEXT}"
    if text.count("\x1b") >= MOST_COMMANDS or text.count("LOG\t") > MOST_COMMANDS:
        return f"it has more than {MOST_COMMANDS} commands"
    if text.count("\t") > MOST_TABS:
        return f"it has more than {MOST_TABS} tabs, which separate traits, boards and fields"
    return ""


class Definitions:
    """The set of counter definitions in a save, with the total number of their traits."""

    __slots__ = ("_seen", "_traits")

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._traits = 0

    def add(self, definition: str) -> None:
        """Add a definition and count its traits, unless it was added before.

        Raises:
            SaveError: The definitions have too many traits in total.
        """
        if definition not in self._seen:
            self._seen.add(definition)
            self._traits += definition.count("\t") + 1
            if self._traits > MOST_TRAITS:
                raise SaveError(f"its different counters have more than {MOST_TRAITS} traits together")
