"""The bell of a host: who hands something in beside the mail rings it, and the next round begins at once."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from pbem.games.storage.files import write_text

FILE: Final = "bell"


def ring(folder: Path) -> None:
    """Ask the host of a folder for a round. Where nobody hears it, the next round comes in its time."""
    with suppress(Exception):
        write_text(folder / "mail" / FILE, "", private=True)


def heard(folder: Path) -> int:
    """When the bell was rung last; another number than before means that it was rung since."""
    try:
        return (folder / "mail" / FILE).stat().st_mtime_ns
    except OSError:
        return 0
