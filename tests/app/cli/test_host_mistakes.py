"""Mistakes of hosts at the command line: each answer says what is wrong and what to write instead.

Those in settings and emails are in ``tests/mail/beginners.toml``.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

HOST = 'format = 1\norders = "orders@club.example"\numpire = "umpire@club.example"\n'
PEOPLE = (
    'format = 1\n[people.ann]\nname = "Ann Lee"\nmail = "ann@example.org"\n'
    '[people.bob]\nname = "Bob"\nmail = "bob@example.org"\n'
)
DUEL = "club/games/duel01"
CUP = ("host", "tournament", "club", "cup")
NEW = (*CUP, "--new", "swiss", "--people", "ann,bob")

MISTAKES = {
    "a side in the plural": (
        ("new", "5", "club/games/d2", "--player", "klingons=ann", "--player", "federation=bob"),
        "no side 'klingons'; its sides are federation, klingon",
    ),
    "an unknown player": (
        ("new", "5", "club/games/d2", "--player", "klingon=ann", "--player", "federation=bobb"),
        "did you mean bob?",
    ),
    "a missing player": (
        ("new", "5", "club/games/d2", "--player", "klingon=ann"),
        "--player federation=ADDRESS (or federation=robot)",
    ),
    "a player without a side": (("new", "5", "d2", "--player", "ann"), "must look like SIDE=WHO"),
    "an unknown scenario": (("new", "55", "club/games/d2", "--player", "klingon=ann"), "`pbem scenarios` lists them"),
    "another side replaced": (
        ("host", "replace", DUEL, "klingons", "cay@example.org"),
        "no side 'klingons'; the sides are federation, klingon",
    ),
    "a length of time": (("host", "extend", DUEL, "2d", "--reason", "ill"), "like '3 days'"),
    "an absence": (("host", "player", "club", "ann", "--away", "2d"), "'5 days'"),
    "an unknown person": (("host", "player", "club", "dora", "--away", "2 days"), "there are ann, bob"),
    "a club where a game is meant": (("status", "club"), "this folder is a club; name one of its games"),
    "a game where a club is meant": (("host", "status", DUEL), "name the club's folder (the one with host.toml)"),
    "a wrong ship": (
        ("override", DUEL, "Destroyer shield 3 = 4", "--reason", "x"),
        "the units in play are Constellation, Destruction",
    ),
    "too strong a shield": (
        ("override", DUEL, "Destruction shield 3 = 40", "--reason", "x"),
        "8 or less, not 40 (D3.1)",
    ),
    "a change without a value": (
        ("override", DUEL, "Destruction shield 3", "--reason", "x"),
        'write a change like "Constellation shield 3 = 12"',
    ),
    "no reason": (("override", DUEL, "Destruction shield 3 = 4"), "give a reason"),
    "an unknown kind": ((*CUP, "--new", "swis"), "'swiss', 'round robin' and 'knock-out'"),
    "an unknown entrant": ((*CUP, "--new", "swiss", "--people", "ann,dora"), "there are ann, bob"),
    "one entrant": ((*CUP, "--new", "swiss", "--people", "ann"), "needs 2 at least"),
    "a scenario for one": ((*NEW, "--scenario", "2"), "is not a scenario for two"),
    "a time in short": ((*NEW, "--time", "2d"), "is not a length of time like '60 days'"),
    "a tournament that there is not": (CUP, "begin one with --new KIND"),
}
"""For each mistake the command, and words of the answer that say what to write instead."""


@pytest.fixture
def club(pbem: Run, tmp_path: Path) -> Path:
    """A club with two people and a duel."""
    assert pbem("host", "init", "club").returncode == 0
    (tmp_path / "club" / "host.toml").write_text(HOST, encoding="utf-8")
    (tmp_path / "club" / "players.toml").write_text(PEOPLE, encoding="utf-8")
    assert pbem("new", "5", DUEL, "--player", "klingon=ann", "--player", "federation=bob").returncode == 0
    return tmp_path / "club"


@pytest.mark.usefixtures("club")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_of_a_host_is_answered_with_what_to_write(pbem: Run, mistake: str) -> None:
    command, words = MISTAKES[mistake]
    done = pbem(*command)
    assert done.returncode in (1, 2) and not done.stdout, (done.stdout, done.stderr)
    assert words in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("auto = ", "auot = ", "auot: is not a known field; did you mean auto?"),
        ('"swiss"', '"swis"', "did you mean 'swiss'?"),
        ('"ann"', '"dora"', "'dora' is not a key in players.toml; there are ann, bob"),
        ("format = 1\n", "", "no line `format = 1`"),
    ],
)
def test_a_slip_in_the_file_of_a_tournament_is_named(
    pbem: Run, club: Path, before: str, after: str, words: str
) -> None:
    assert pbem(*NEW).returncode == 0
    file = club / "tournaments" / "cup.toml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    done = pbem(*CUP)
    assert done.returncode == 1 and words in " ".join(done.stderr.split()), done.stderr
