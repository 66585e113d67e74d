"""How much of a save or a module is read: every limit with its reason, checked before the work begins.

Anybody may have made such a file. Within these limits a save is read, or refused, in some tenths of a second; real
games have a few thousand counters and some thousand steps. The checks of a text only count characters in it.
"""

from __future__ import annotations

from typing import Final

from vassal.errors import SaveError

__all__ = ["Definitions", "beyond"]

MOST_SAVED: Final = 48 * 1024**2
"""Bytes of a save's text as it stands in the file, where two digits stand for each byte."""
MOST_TEXT: Final = 24_000_000
"""Characters of a save's text; 6,000 counters with 17 traits each have 3,000,000."""
MOST_COMMANDS: Final = 30_000
"""Commands in a save, those of all steps of a log included; each takes some ten microseconds."""
MOST_TABS: Final = 600_000
"""Tabs in a save: they stand between traits, boards and fields, and each ends something that is read."""
MOST_PIECES: Final = 15_000
"""Counters and stacks that are added, changes of them included."""
MOST_TRAITS: Final = 50_000
"""Traits of all different definitions; counters of one definition cost little more than one."""
MOST_MOVED: Final = 300_000
"""Members of stacks that are gone through; looking one up in a stack of 16 counts as one."""
MOST_ENTRIES: Final = 1_000
MOST_DIRECTORY: Final = 200_000
"""Files in a save's archive, and the bytes of their list; VASSAL writes three files."""
MOST_METADATA: Final = 200_000
"""Bytes of what a save or a module says of itself."""
MOST_ELEMENTS: Final = 200_000
"""Signs ``<`` in a build file, of which every element has one or two."""
MOST_PALETTE: Final = 50_000
"""Folders and entries of a module's palette; those in a window within a window count for both."""


def beyond(text: str) -> str:
    """Which limit the text of a save exceeds, as a clause (``it has more than 30000 commands``); empty for none."""
    if len(text) > MOST_TEXT:
        return f"its text has {len(text)} characters, more than {MOST_TEXT}"
    if text.count("\x1b") >= MOST_COMMANDS or text.count("LOG\t") > MOST_COMMANDS:
        return f"it has more than {MOST_COMMANDS} commands"
    if text.count("\t") > MOST_TABS:
        return f"it has more than {MOST_TABS} tabs, which separate traits, boards and fields"
    return ""


class Definitions:
    """The different definitions of counters in a save, and how many traits they have together."""

    __slots__ = ("_seen", "_traits")

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._traits = 0

    def add(self, definition: str) -> None:
        """Count a definition that is new. Raises :class:`~vassal.errors.SaveError` where they are too many."""
        if definition not in self._seen:
            self._seen.add(definition)
            self._traits += definition.count("\t") + 1
            if self._traits > MOST_TRAITS:
                raise SaveError(f"its different counters have more than {MOST_TRAITS} traits together")
