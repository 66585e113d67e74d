"""Letters that bring nothing new, and the digest that tells of them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pbem.mail.incoming import intake, ledger as journal
from pbem.mail.incoming.ledger import Ledger, notice, notice_key
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.replies.answer import Answered
from pbem.mail.replies.conversation import no_deadline
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, Seat
from pbem.mail.store import DIGEST, DigestProgress, EmailRecord, LetterStreak, keep_fact
from tests.mail.replies import reply

if TYPE_CHECKING:
    pass
else:
    pass


NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
LAST_ANSWER = """
This is the third email in a row without orders and without a command.
We will not answer any more of them, but the umpire gets a list. We still answer
orders, commands and MESSAGE TO UMPIRE.
"""


@pytest.mark.parametrize(
    ("kind", "row", "sha256", "why"),
    [
        ("orders", LetterStreak(), "1", ""), ("orders", LetterStreak("orders", 99, "", 0, 29, "1"), "1", ""),
        ("orders", LetterStreak("orders", 99, "", 0, 30, "1"), "1",
         "ann@example.org has sent 30 letters without new orders; they are no longer answered"),
        ("orders", LetterStreak("orders", 99, "same", 99, 99, "1"), "2", ""),
        ("command", LetterStreak("command", 99, "same", 11, 11, "1"), "", ""),
        ("command", LetterStreak("command", 99, "same", 12, 12, "1"), "",
         "ann@example.org writes the same again and again; it is no longer answered"),
        ("command", LetterStreak("command", 99, "other", 12, 12, "1"), "", ""),
        ("empty", LetterStreak("empty", 2, "same", 2, 2, ""), "", ""),
        ("empty", LetterStreak("empty", 1, "same", 1, 1, ""), "", ""),
        ("empty", LetterStreak("empty", 3, "other", 1, 3, ""), "",
         "it is one of many without orders from ann@example.org; they are no longer answered"),
        ("empty", LetterStreak("fault", 3, "other", 1, 3, ""), "", ""),
        ("command", LetterStreak("empty", 3, "other", 1, 3, ""), "", ""),
    ],
)  # fmt: skip
def test_which_letters_are_no_longer_answered(
    monkeypatch: pytest.MonkeyPatch, kind: str, row: LetterStreak, sha256: str, why: str
) -> None:
    seat = Seat(game="one", folder=Path("one"), side="a", addresses=("ann@example.org",), token="aaaaaaaa")
    games = Games(seats=(seat,), post=Path("post"), umpire="u@x.org")
    letter = Letter(kind=kind, digest="d", sender="ann@example.org", tokens=("aaaaaaaa",), text="x")  # type: ignore[arg-type]
    said = Answered(done=kind, game="one", side="a", sha256=sha256, replies=(reply("k"),))  # type: ignore[arg-type]
    monkeypatch.setattr(intake, "attend", lambda letter, games, due: said)
    monkeypatch.setattr(intake, "_said", lambda letter: "same")
    ledger: Any = SimpleNamespace(row=lambda game, side: {("one", "a"): row}[game, side])
    found = intake._attended(letter, games, ledger, no_deadline, set())
    if not why:
        last = kind == row.done == "empty" and row.done_so == 2
        text = f"{said.replies[0].text}{LAST_ANSWER * last}"
        assert found == msgspec.structs.replace(said, replies=(msgspec.structs.replace(said.replies[0], text=text),))
        return
    told = notice(letter, games, why)
    assert found == msgspec.structs.replace(said, aside=True, why=why, replies=told)
    left = {"one"}
    if kind == "empty":
        assert intake._attended(letter, games, ledger, no_deadline, left).aside
    else:
        with pytest.raises(intake.Waits, match="an earlier email has to be answered first"):
            intake._attended(letter, games, ledger, no_deadline, left)


def test_what_letters_say_whenever_they_say_it() -> None:
    def said(raw: str) -> str:
        return intake._said(read_letter(f"From: ann@example.org\n{raw}".encode()))

    same = [said(f"Subject: Ticket {n}\nDate: {n}\n\n\n") for n in (1, 22)]
    assert same[0] == same[1] != said("Subject: Ticket x\n\n\n") and len(same[0]) == 16
    orders = "\nGAME x TURN 1 SIDE a REPLY 1\nSHIP z\nSPEED {}\nEND\n"
    assert said(f"Subject: a\n{orders.format(1)}") == said(f"Subject: b\n{orders.format(1)}")
    assert said(f"Subject: a\n{orders.format(1)}") != said(f"Subject: a\n{orders.format(2)}")
    assert said("Subject: RESEND 1\n\n\n") != said("Subject: RESEND 2\n\n\n")
    assert said("\nMESSAGE TO ALL: Hi 1\n") == said("\nMESSAGE TO ALL: Hi 2\n") != said("\nMESSAGE TO ALL: Ho\n")


def test_a_digest_tells_of_so_many_senders_and_of_so_many_letters_of_each(tmp_path: Path) -> None:
    ledger, said = Ledger(tmp_path), list[Reply]()
    for n in range(32):
        for again in range(1 + 6 * (n == 0)):
            name = f"d{n}.{again}"
            entry = EmailRecord(digest=name, done="quarantine", sender=f"s{n:02}@x.org", why="no player",
                          replies=(notice_key(name),), file=f"quarantine/{name}.eml", subject="s")  # fmt: skip
            ledger.add(entry)
    journal.tell(tmp_path, "", "UTC", NOW, said.append)
    assert not said, "there is no umpire"
    keep_fact(tmp_path, DIGEST, DigestProgress())
    journal.tell(tmp_path, "umpire@x.org", "UTC", NOW, said.append)
    text = said[0].text
    assert [f"s{n:02}@x.org" in text for n in range(32)] == [True] * 30 + [False] * 2
    shown = text.replace(f"kept as  {tmp_path / 'quarantine/d0.6.eml'}", "")
    assert [f"quarantine/d0.{n}.eml" in shown for n in range(7)] == [False] * 2 + [True] * 5
    assert "  from     s00@x.org (7 emails)\n" in text and "  from     s01@x.org\n" in text
    assert text.endswith(
        "\n\nThere are 2 more senders; all emails are in that folder.\n\nMore: `pbem help quarantine`.\n"
    )
    assert said[0].subject == "pbem: 38 emails were put aside"
