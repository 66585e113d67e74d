"""Slips of the keyboard: every line of ``said.txt`` with one letter, word or sign wrong, and what comes of it.

A slip must never be read as an order that its writer did not mean without a word being said, and the word must help:
what is read, where the fault stands and what is guessed at are kept whole in ``slips.txt.gz`` (:mod:`tests.kept`),
for a person to read where they change. ``python -m tests.orders.test_slips`` writes them anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

from tests.kept import difference, keep
from tests.orders.test_said import BEFORE, SAID, read_as
from tests.orders.test_told import told

FILE = Path(__file__).with_name("slips.txt.gz")
NEAR = dict(zip("qwertyuiopasdfghjklzxcvbnm1234567890", "wqrewuyipoaadgfhjkkxzcbvmn2143658709", strict=True))
"""A key beside each."""


def slips(typed: str) -> Iterator[str]:
    """Half of the kinds, at a place that the line itself decides."""
    words = re.findall(r"\w+|[^\w\s]", typed)
    if not words:
        return
    chosen = crc32(typed.encode("utf-8"))
    at = chosen % len(words)
    word, place = words[at], chosen // 7 % len(words[at])
    near = NEAR.get(word[place].lower(), word[place])
    one_wrong = word[:place] + (near.upper() if word[place].isupper() else near) + word[place + 1 :]

    def line(*others: str) -> str:
        return " ".join([*words[:at], *filter(None, others), *words[at + 1 :]])

    yield line(one_wrong)
    yield line(word[:place] + word[place + 1 :])
    yield line(word[:place] + word[place : place + 2][::-1] + word[place + 2 :])
    yield line()
    yield line(word, word)
    yield line(word, ",")
    yield line("(", word)
    if at + 1 < len(words):
        yield " ".join([*words[:at], words[at + 1], word, *words[at + 2 :]])
        yield " ".join([*words[:at], word + words[at + 1], *words[at + 2 :]])
    yield " ".join(words[: at + 1])


def of_section(section: str) -> Iterator[str]:
    known = {typed for typed, _ in SAID[section]}
    made = (
        slip
        for typed, _ in SAID[section]
        for kind, slip in enumerate(slips(typed))
        if crc32(typed.encode("utf-8")) >> kind & 1
    )
    for typed in dict.fromkeys(made):
        if typed not in known:
            try:
                read = read_as(section, typed)
            except (AssertionError, IndexError):
                read = "another kind of line"
            yield (
                f"{typed} -> {read}" if not read.startswith("!") else f"{typed}\n  " + "\n  ".join(told(section, typed))
            )


def everything() -> str:
    return "\n".join(f"## {section}\n" + "\n".join(of_section(section)) for section in BEFORE) + "\n"


def test_what_comes_of_a_slip_is_as_it_was() -> None:
    assert not difference(FILE, everything())


if __name__ == "__main__":
    keep(FILE, everything())
