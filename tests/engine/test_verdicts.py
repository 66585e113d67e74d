"""What the check says of single lines, word for word: the files of tests/engine/verdicts/, read top to bottom.

A file begins as a rule case does, in TOML: the units, and perhaps the orders of a turn, with which it is played to the
break of the ``side`` that is asked; ``players`` are the sides of a scenario that have one. Then, below ``===`` and a
heading, ``|`` a form to fill in, and below it each line (``>``) that is put in the place of ``@``, with all that is
said of it: ``legal``, ``depends``, the fault with its code, rule and place, notes, what of it no longer acts in full,
and the hexes that are foreseen.

    python tests/engine/test_verdicts.py      writes anew what is said; read it before you keep it
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine.checking.check import CheckResult  # noqa: E402
from pbem.errors import Fault  # noqa: E402
from tests.engine.situations import Asked, asked  # noqa: E402

FILES = sorted(Path(__file__).with_name("verdicts").glob("*.txt"))
MANY = " // "
"""Between the lines of orders that are checked together."""


def told_of(fault: Fault) -> str:
    rule = f" ({fault.rule})" if fault.rule else ""
    return f"{fault.code} {fault.line}:{fault.column}: {fault.text}{rule}"


def said(situation: Asked, form: str, line: str) -> Iterator[str]:
    """What is said of a line in its form, beyond what is said of the form alone."""
    place = next(number for number, each in enumerate(form.split("\n"), start=1) if "@" in each)
    indent = form.split("\n")[place - 1].partition("@")[0]
    lines = line.split(MANY)
    found = situation.about(form.replace("@", ("\n" + indent).join(lines)))
    if isinstance(found, tuple):
        yield from map(told_of, found)
        return
    bare = situation.about("\n".join(each for each in form.split("\n") if "@" not in each))
    bare = bare if isinstance(bare, CheckResult) else CheckResult()
    known = {(fault.code, fault.text) for fault in bare.faults}
    yield from (told_of(fault) for fault in found.faults if (fault.code, fault.text) not in known)
    for note in found.lines:
        if place <= note.line < place + len(lines):
            which = f"{note.line - place + 1}. " if len(lines) > 1 else ""
            yield f"{which}{note.verdict}{': ' if note.why else ''}{note.why}"
    yield from (f"note: {each}" for each in found.notes if each not in bare.notes)
    for (unit, text), why in found.stale.items():
        yield f"no more in full: {unit}: {text}: {why}"
    for name, path in found.plots.items():
        if path and bare.plots.get(name) != path:
            yield f"course of {name}: " + " ".join(f"{impulse}:{code}:{at}" for impulse, code, at in path)


def written(text: str) -> str:
    """A file as it should be: every line with what is said of it."""
    head, _, rest = text.partition("===")
    situation = asked(head)
    parts: list[str] = []
    form = ""
    for line in f"==={rest}".split("\n"):
        if line.startswith("==="):
            parts += ["", line] if parts else [line]
            form = ""
        elif line.startswith("|"):
            parts.append(line)
            form += line.removeprefix("|").removeprefix(" ") + "\n"
        elif line.startswith(">"):
            parts.append(line)
            parts += [f"    {each}" for each in said(situation, form, line.removeprefix(">").strip())]
    return head + "\n".join(parts) + "\n"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_line_is_told_what_is_kept(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.split("\n") == written(text).split("\n")


if __name__ == "__main__":
    for file in FILES:
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
