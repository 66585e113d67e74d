"""Which words are orders, and what a fault takes out of a corrected draft."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.errors import Fault
from pbem.games.create import new
from pbem.mail.incoming.extract import Part, chosen_text
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.answer import attend
from pbem.mail.replies.receipts import BLOCK, MARK, LeftOut, _written, left_out
from pbem.mail.seats import games_in, token_of

if TYPE_CHECKING:
    pass
else:
    pass


def part(text: str, name: str = "", mime: str = "text/plain") -> Part:
    return Part(name=name, mime=mime, attached=bool(name), text=text)


def test_a_file_is_read_for_orders_and_never_for_a_command() -> None:
    found = chosen_text([part("STATUS\n", "a.txt")], "x")
    assert (found.kind, found.command, found.text, found.source, found.faults) == ("empty", "", "", "", ())
    found = chosen_text([part("hello\n", "a.txt"), part("HELP\n")], "x")
    assert (found.kind, found.command, found.source, found.text) == ("command", "HELP", "the body", "HELP\n")
    found = chosen_text([part("Hi\nSHIP x\nPLOT F\n", "b.txt"), part("hello\n")], "x")
    assert (found.kind, found.source, found.text) == ("orders", "b.txt", "\nSHIP x\nPLOT F\n")
    found = chosen_text([part("hello\n"), part("notes of mine\n", "b.TXT")], "x")
    assert (found.kind, found.text, found.said, found.faults) == ("empty", "hello\n", "hello", ())


DRAFT = tuple(
    """GAME x TURN 1 SIDE a REPLY 1
SHIP A  AT 0101 SPEED 9
ENERGY  9
  SPEED 12
PLOT 4F
  SL
DO FIRE
  IF RANGE <= 4 THEN
    FIRE ALL
SHUTTLE s
COURSE F
DO
  AT 1 LAND
DAMAGE
SHIP B
BREAK RANGE <= 8
END
""".splitlines()
)


@pytest.mark.parametrize(
    ("line", "code", "tried", "out"),
    [
        (2, "no-unit", (), LeftOut(lines=tuple(range(1, 9)), why=BLOCK)),
        (10, "no-unit", (), LeftOut(lines=tuple(range(9, 14)), why=BLOCK)),
        (15, "no-unit", (), LeftOut(lines=(14, 15), why=BLOCK)),
        (2, "x", (), LeftOut(shorter=((1, "SHIP A"),))),
        (2, "x", (1,), LeftOut(lines=tuple(range(1, 9)), why=BLOCK)),
        (3, "x", (), LeftOut(shorter=((2, "ENERGY"),))),
        (3, "x", (2,), LeftOut(lines=(2, 3), why=BLOCK)),
        (4, "x", (), LeftOut(lines=(3,))),
        (5, "x", (), LeftOut(lines=(4,))),
        (6, "x", (), LeftOut(lines=(5,))),
        (7, "x", (), LeftOut(shorter=((6, "DO"),))),
        (7, "x", (6,), LeftOut(lines=(6, 7, 8), why=BLOCK)),
        (8, "x", (), LeftOut(lines=(7, 8))),
        (10, "x", (), LeftOut(lines=(9, 10, 11, 12), why=BLOCK)),
        (14, "x", (), LeftOut(lines=(13,), why=BLOCK)),
        (15, "x", (), LeftOut(lines=(14, 15), why=BLOCK)),
        (16, "x", (), LeftOut(shorter=((15, "BREAK"),))),
        (2, "energy-missing", (), LeftOut()), (2, "ship-missing", (), LeftOut()),
    ],
)  # fmt: skip
def test_what_a_fault_takes_out_of_a_draft(line: int, code: str, tried: tuple[int, ...], out: LeftOut) -> None:
    assert left_out(DRAFT, Fault(code=code, text="t", line=line), frozenset(tried)) == out


def test_reasons_in_a_draft_are_cut_and_folded_so_that_no_program_folds_them() -> None:
    said = "-".join(["word"] * 5) + " " + " ".join(map(str, range(1000, 1300)))
    for mark, text in (
        ("STILL WRONG: ", _written(["GAME", "DO"], 0, {}, [said], {})),
        ("^ ", _written(["GAME", "DO"], 0, {1: [said]}, [], {})),
    ):
        whole = f"{mark}{said}"[:600]
        assert not whole.endswith(" ")
        lines = [line for line in text.split("\n") if line.startswith("## ") and line != MARK]
        assert all(len(line) <= 70 for line in lines) and lines[0].startswith(f"## {mark}word-word-word-word-word 1000")
        assert all(line.startswith("##   1") for line in lines[1:])
        assert " ".join(line[2:].strip() for line in lines) == whole


def test_weapons_alone_have_nothing_to_preview(tmp_path: Path) -> None:
    """Scenario #2 with a second player: where his drones fly is not his to know."""
    new("2", tmp_path / "duel", players={"drones": "bob@example.org"}, seed="parts")
    games = games_in(tmp_path / "duel")
    text = f"TOKEN {token_of(tmp_path / 'duel', 'drones')}\nPREVIEW\n\nGAME duel TURN 1 SIDE drones REPLY 1\nEND\n"
    (answer,) = attend(read_letter(f"From: bob@example.org\nSubject: PREVIEW\n\n{text}".encode()), games).replies
    assert "This is what the orders you sent would do." in answer.text
    assert "YOUR SHIPS ALONE" not in answer.text
    assert answer.text.endswith("each flies by the special rule of F2.0.\n")
