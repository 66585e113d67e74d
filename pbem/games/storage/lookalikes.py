"""Files that are not found because a program gave them another name: an editor that puts .txt behind it, a cloud that
keeps two versions apart, a download of the same name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

BACK: Final = "put the game's whole folder back from a copy"
"""What is done about a log of which something is missing: nothing can be made up for it."""


def lookalikes(file: Path) -> list[str]:
    """The files beside a place that may be what should lie there: ``game.toml.txt``, ``game (1).toml``,
    ``game-LAPTOP.toml``, in alphabetical order.
    """
    stem, ending = re.escape(file.stem), re.escape(file.suffix)
    like = re.compile(rf"{stem}(?:[ _(-][^/]*)?{ending}(?:\.\w+)?", re.IGNORECASE)
    if not file.parent.is_dir():
        return []
    return sorted(
        one.name
        for one in file.parent.iterdir()
        if one.name.casefold() != file.name.casefold() and like.fullmatch(one.name) and one.is_file()
    )


def perhaps(file: Path) -> str:
    """What is said of a missing file with another beside it that may be it; ``""`` where there is none."""
    found = lookalikes(file)
    return f"; {found[0]} lies there: if that is it, give it the name {file.name}" if found else ""
