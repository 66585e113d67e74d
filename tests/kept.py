"""Texts that are kept whole: long ones that a person reads only where they changed.

    python -m tests.kept tests/reports/kept/page.txt.gz     prints them

Texts of one kind share a file, each below a line with its name, so that one change in all of them changes one file.
Files that end in ``.gz`` are packed.

That git shows what changed in them, line by line, takes one setting (.gitattributes names it):

    git config diff.kept.textconv "python -m tests.kept"
"""

from __future__ import annotations

import gzip
import re
import sys
from collections.abc import Mapping
from difflib import unified_diff
from pathlib import Path

ENDING = ".txt.gz"
MOST_LINES = 200
"""Of a difference so many lines are shown."""


HEAD = "######## "
"""Begins the line with the name of a part."""


def text_in(file: Path) -> str:
    """The text that is kept in a file; ``""`` where there is none."""
    if not file.is_file():
        return ""
    data = file.read_bytes()
    return (unpacked(data) if file.suffix == ".gz" else data).decode("utf-8")


def unpacked(data: bytes) -> bytes:
    """What is in a packed file."""
    return gzip.decompress(data)


def keep(file: Path, text: str) -> None:
    """Keep a text in a file, which stays as it is where it holds that text: others pack it to other bytes."""
    if not file.is_file() or text_in(file) != text:
        data = text.encode("utf-8")
        file.write_bytes(gzip.compress(data, 9, mtime=0) if file.suffix == ".gz" else data)


def parts_in(file: Path) -> dict[str, str]:
    """The texts that share a file, by name."""
    return parts_of(text_in(file))


def parts_of(text: str) -> dict[str, str]:
    """The texts that are one, by name; none if it has no such parts."""
    _, *found = re.split(rf"(?m)^{HEAD}(.+)\n", text)
    return dict(zip(found[::2], found[1::2], strict=True))


def keep_parts(file: Path, parts: Mapping[str, str], *, all_of_them: bool = True) -> None:
    """Keep texts that share a file, in the order of their names; others of the file stay if these are not all."""
    for name, text in parts.items():
        if not text.endswith("\n") or f"\n{HEAD}" in f"\n{text}":
            raise ValueError(f"{name} cannot share a file")
    wanted = {**({} if all_of_them else parts_in(file)), **parts}
    keep(file, "".join(f"{HEAD}{name}\n{wanted[name]}" for name in sorted(wanted)))


def difference(file: Path, text: str, part: str = "") -> str:
    """How a text differs from the one that is kept in a file or in a part of it, line by line; ``""`` if not."""
    return between(parts_in(file).get(part, "") if part else text_in(file), text, part or file.name)


def between(was: str, text: str, name: str) -> str:
    """How a text differs from the one that was kept, line by line; ``""`` if not at all."""
    if was == text:
        return ""
    lines = unified_diff(was.splitlines(), text.splitlines(), f"kept: {name}", "now", lineterm="", n=2)
    found = list(lines) or ["they differ in how their lines end"]
    more = [f"... and {len(found) - MOST_LINES} lines more"] if len(found) > MOST_LINES else []
    return "\n".join([*found[:MOST_LINES], *more])


if __name__ == "__main__":
    for named in sys.argv[1:]:
        sys.stdout.buffer.write(text_in(Path(named)).encode("utf-8"))
