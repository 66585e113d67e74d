"""Texts that are kept whole and packed: long ones that a person reads only where they changed.

    python -m tests.kept tests/reports/kept/duel.page.klingon.txt.gz     prints them

That git shows what changed in them, line by line, takes one setting (.gitattributes names it):

    git config diff.kept.textconv "python -m tests.kept"
"""

from __future__ import annotations

import gzip
import sys
from difflib import unified_diff
from pathlib import Path

ENDING = ".txt.gz"
MOST_LINES = 200
"""Of a difference so many lines are shown."""


def text_in(file: Path) -> str:
    """The text that is kept in a file; ``""`` where there is none."""
    return gzip.decompress(file.read_bytes()).decode("utf-8") if file.is_file() else ""


def keep(file: Path, text: str) -> None:
    """Keep a text in a file, which stays as it is where it holds that text: others pack it to other bytes."""
    if not file.is_file() or text_in(file) != text:
        file.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def difference(file: Path, text: str) -> str:
    """How a text differs from the one that is kept, line by line; ``""`` where it does not."""
    was = text_in(file)
    if was == text:
        return ""
    lines = unified_diff(was.splitlines(), text.splitlines(), f"kept: {file.name}", "now", lineterm="", n=2)
    found = list(lines) or ["they differ in how their lines end"]
    more = [f"... and {len(found) - MOST_LINES} lines more"] if len(found) > MOST_LINES else []
    return "\n".join([*found[:MOST_LINES], *more])


if __name__ == "__main__":
    for named in sys.argv[1:]:
        sys.stdout.buffer.write(text_in(Path(named)).encode("utf-8"))
