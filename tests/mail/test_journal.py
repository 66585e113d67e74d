"""The journal of letters: what is written down once, what is put aside, what a side's last letters share."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.mail.incoming.ledger import MOST_ASIDE, Ledger
from pbem.mail.store import EmailRecord, LetterStreak, opened
from tests.nobody_elses import private


def test_what_the_last_letters_of_a_side_had_in_common(tmp_path: Path) -> None:
    rows = []
    for number, (done, same, sha, side) in enumerate(
        (
            ("orders", "a", "1", "x"), ("orders", "a", "1", "x"), ("orders", "b", "2", "x"), ("fault", "b", "", "x"),
            ("fault", "b", "", "x"), ("quarantine", "b", "", "x"), ("fault", "c", "", "y"), ("fault", "c", "", ""),
            ("orders", "c", "2", "x"), ("orders", "c", "3", "x"),
        )
    ):  # fmt: skip
        entry = EmailRecord(digest=str(number), done=done, same=same, sha256=sha, game="g", side=side)  # type: ignore[arg-type]
        Ledger(tmp_path).add(entry)
        rows.append(tuple(Ledger(tmp_path).row("g", "x")))
    assert rows == [
        ("orders", 1, "a", 1, 0, "1"), ("orders", 2, "a", 2, 1, "1"), ("orders", 3, "b", 1, 0, "2"),
        ("fault", 1, "b", 2, 1, "2"), ("fault", 2, "b", 3, 2, "2"), ("fault", 2, "b", 3, 2, "2"),
        ("fault", 2, "b", 3, 2, "2"), ("fault", 2, "b", 3, 2, "2"), ("orders", 1, "c", 1, 3, "2"),
        ("orders", 2, "c", 2, 0, "3"),
    ]  # fmt: skip
    assert Ledger(tmp_path).row("g", "z") == LetterStreak("", 0, "", 0, 0, "") and private(tmp_path / "club.db")


def test_a_letter_is_written_down_once_unless_it_was_put_aside(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for done, let_in in (("quarantine", False), ("orders", False), ("fault", False), ("command", True)):
        ledger.add(EmailRecord(digest="d", done=done), let_in=let_in)  # type: ignore[arg-type]
    Ledger(tmp_path).add(EmailRecord(digest="e", done="empty", replies=("k1", "k2"), lost=("a@x", "\ud800"), at="2027"))
    with opened(tmp_path) as store:
        found = [one for _, one in store.emails()]
    assert [one.done for one in found] == ["quarantine", "orders", "command", "empty"]
    assert found[-1] == EmailRecord(digest="e", done="empty", replies=("k1", "k2"), lost=("a@x", "?"), at="2027")
    assert [(one.digest, one.done) for one in Ledger(tmp_path).entries()] == [("d", "command"), ("e", "empty")]


def test_so_many_letters_are_put_aside_and_of_players_twice_as_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.mail.incoming.ledger.MOST_ASIDE", 2)
    monkeypatch.setattr("pbem.mail.incoming.ledger.MOST_BYTES", 10)
    ledger = Ledger(tmp_path)
    assert ledger.put_aside(b"12345", "a" * 64, "why a") == f"quarantine/{'a' * 24}.eml"
    assert ledger.put_aside(b"123456", "b", "w") == "" and ledger.put_aside(b"12345", "b", "w") == "quarantine/b.eml"
    assert ledger.put_aside(b"", "c", "w") == "" and ledger.put_aside(b"", "b", "new") == "quarantine/b.eml"
    assert (tmp_path / "quarantine/b.txt").read_text() == "new\n" and private(tmp_path / "quarantine/b.eml")
    for again in (ledger, Ledger(tmp_path)):
        again.put_aside(b"1", "c", "w", known=True)
    assert ledger.put_aside(b"1", "d", "w", known=True) and not ledger.put_aside(b"1", "e", "w", known=True)
    assert len(list((tmp_path / "quarantine").glob("*.eml"))) == 4 and MOST_ASIDE == 1000
    ledger.taken_back("quarantine/b.eml")
    ledger.taken_back("quarantine/nothing.eml")
    assert sorted(path.name for path in (tmp_path / "accepted").iterdir()) == ["b.eml", "b.txt"]
