"""The blocks of README and the guides: which there are, and pages told as a story, one command after the other."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "tests/windows/README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
RUN = ("sh", "toml", "orders", "python", "pycon")
"""Kinds of blocks that are run, read or checked."""
SHOWN = ("text", "sitrep")
"""Kinds that show what a program said or what somebody writes in a mail."""
_FENCE = re.compile(r"^([ \t]*)```(\w*)[ \t]*\n(.*?)^\1```[ \t]*$", re.DOTALL | re.MULTILINE)

CANNOT = {
    r"pipx? |keyring |for wheel in wheels": "tests/docs/test_installing.py fetches what these lines do",
    r"python3 run.py ": "tests/test_fresh_start.py starts the program so",
    r"dask ": "tests/mail/test_workers.py begins a cluster by these lines",
    r"PBEM_WINDOWS_PYTHON=": "tests/windows is what this line runs, where there is a Windows Python",
    r"pbem host (web|link) ": "tests/app/web/test_clubhouse.py opens a club's web pages by these lines",
    r"pbem host login ": "tests/mail/transport/test_login.py logs in to a server on this machine",
    r"export WINEPREFIX=|exec wine64": "tests/windows/test_windows.py starts a Windows Python so, where there is one",
}
"""Lines of shell blocks that are not run as a page's story is told: the test that does, or why none can."""


class Block(NamedTuple):
    """A block: its page, its number among all of the page, its kind and what stands in it."""

    page: str
    number: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.removeprefix('docs/')}-{self.number}"


def blocks(page: str, *kinds: str) -> list[Block]:
    """The blocks of a page, of these kinds alone if any are named."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [Block(page, number, fence[2], fence[3]) for number, fence in enumerate(_FENCE.finditer(text), 1)]
    return [block for block in found if not kinds or block.kind in kinds]


def lines(block: Block) -> list[str]:
    """The commands of a shell block, each whole and without its remark."""
    joined = re.sub(r" *\\\n\s*", " ", block.text)
    return [line for line in map(str.strip, joined.split("\n")) if line and not line.startswith("#")]


def why_not(line: str) -> str:
    """Why a command cannot be run as it stands; empty where it can."""
    return next((why for begins, why in CANNOT.items() if re.match(begins, line)), "")


def runs(block: Block) -> bool:
    """Whether anything of a block can be run."""
    return block.kind in RUN and (block.kind != "sh" or any(not why_not(line) for line in lines(block)))


def tell(
    page: str, work: Path, files: Mapping[int, str], patch: pytest.MonkeyPatch, before: Callable[[str], object] = str
) -> int:
    """Do in the folder ``work`` what a page says, in its order: commands are run as the door has them, and ``files``
    says by its number which block is saved as what. ``before`` is told each command. How many blocks were done.
    """
    patch.chdir(work)
    patch.setenv("XDG_STATE_HOME", str(work.parent / "state"))
    count = 0
    for block in blocks(page):
        if block.number in files:
            (work / files[block.number]).write_text(block.text, encoding="utf-8")
            count += 1
        if block.kind != "sh" or not runs(block):
            continue
        if _wants_a_shell(block):
            subprocess.run(["sh", "-e", "-c", block.text], cwd=work, check=True, capture_output=True)
        for line in () if _wants_a_shell(block) else lines(block):
            if not why_not(line):
                before(line)
                _do(line, page)
        count += 1
        settings = work / "club" / "host.toml"
        if settings.is_file():  # "fill it in"
            text = settings.read_text(encoding="utf-8").replace("@example.org", "@club.example")
            settings.write_text(text, encoding="utf-8")
    return count


def _wants_a_shell(block: Block) -> bool:
    """Whether a block is a little program (the certificates of a cluster), which is no use line by line."""
    return block.text.startswith("new=")


def _do(line: str, page: str) -> None:
    program, *words = shlex.split(line, comments=True)
    if program == "mkdir":
        Path(words[0]).mkdir()
        return
    assert program == "pbem", f"{page}: {line}"
    if words in (["host", "club"], ["host", "run", "club"]):  # what runs until it is stopped is run for a round
        words.append("--once")
    done = CliRunner().invoke(app, words, prog_name="pbem")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise AssertionError(f"{page}: {line}\n{done.output}") from done.exception
    assert done.exit_code == 0, f"{page}: {line}\n{done.output}"


if __name__ == "__main__":
    every = [block for page in PAGES for block in blocks(page) if block.kind in RUN]
    left = [(block, why_not(lines(block)[0])) for block in every if not runs(block)]
    elsewhere = sum(why.startswith("tests/") for _, why in left)
    said = f"{len(every) - len(left) + elsewhere} of {len(every)} blocks are run; {len(left) - elsewhere} cannot be"
    print(f"{said}. By tests of their own:")
    for block, why in left:
        print(f"  {block}: {why}")
