"""Commands that are told to be typed: a shell finds in them the very words they are made of."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from pbem.util import typed

ROOT = Path(__file__).resolve().parents[2]
WORDS = ["club", "C:\\club\\games\\duel01", "C:\\My Games\\duel (1)", "club/games/duel 2", "ann@example.org", "2 days"]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_is_one_word_wherever_it_is_typed(word: str) -> None:
    on_windows = typed(word, windows=True)
    assert "'" not in on_windows, "the command prompt takes these for letters"
    assert on_windows.strip('"') == word and (on_windows[0] == '"') == (" " in word)
    assert shlex.split(typed(word, windows=False)) == [word]
    if os.name == "nt":
        said = subprocess.run(f"echo {typed(word)}", shell=True, capture_output=True, text=True, check=True)
        assert said.stdout.strip().strip('"') == word


def test_no_command_of_a_text_has_single_quotes() -> None:
    """What stands in guides and mails is typed on Windows, too: there they are no quotes."""
    command = re.compile(r"pbem (?:host|mail|new|check|submit|verify|resolve|export)\b[^`\n{]* '[^'`\n]*'")
    texts = [*ROOT.glob("docs/*.md"), ROOT / "README.md", *ROOT.glob("pbem/**/*.py"), *ROOT.glob("templates/**/*.j2")]
    told = [(path.name, found[0]) for path in texts for found in command.finditer(path.read_text(encoding="utf-8"))]
    assert not told
