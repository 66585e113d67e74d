"""An email that cannot be read is put aside with its cause; everything behind it is handled."""

from __future__ import annotations

import mailbox
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.host.doctor import examine
from pbem.mail.incoming import message
from pbem.mail.incoming.intake import MOST_EMPTY, accept, take_in
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games
from pbem.mail.transport.sources import Mbox
from pbem.orders.mail_text import text_of
from pbem.orders.messages import messages_in

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, words
else:
    from post_hosted import Hosted, words

Write = Callable[..., bytes]
EMPTY_NAME = b'From: eve@evil.example\r\nSubject: hi\r\nMessage-ID: <c1@x>\r\n\r\nGAME "" TURN 1\r\n'


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every email whose text says BOOM meets a mistake of ours while it is read."""
    inner: Callable[..., Any] = message.__dict__["chosen_text"]

    def broken(parts: list[Any], subject: str) -> Any:
        if any("BOOM" in part.text for part in parts):
            raise RecursionError("of BOOM")
        return inner(parts, subject)

    monkeypatch.setattr(message, "chosen_text", broken)


def test_a_header_with_an_empty_name_is_read() -> None:
    assert read_letter(EMPTY_NAME).kind == "orders"
    assert read_letter(EMPTY_NAME.replace(b"GAME", b"\r\nSHIP x\r\nEND\r\nGAME")).kind == "orders"


def test_a_message_whose_first_word_is_cut_in_two_is_read() -> None:
    assert messages_in([" " * 194 + "UMPIRES"])[0].text == "S"
    assert messages_in(["UMPIRE " + "x" * 500])[0].text == "x" * 500


def test_half_a_character_is_replaced() -> None:
    assert text_of(b"a +2AA- b", "utf-7") == "a \ufffd b"
    raw = b"From: eve@x.org\r\nContent-Type: text/plain; charset=utf-7\r\n\r\nhello +2AA- there\r\n"
    assert read_letter(raw).said == "hello \ufffd there"


@pytest.mark.usefixtures("breaking")
def test_whatever_goes_wrong_the_headers_and_the_cause_are_known() -> None:
    raw = b"From: Ann <ann@example.org>\r\nSubject: s TOKEN abcdefgh\r\nMessage-ID: <1@x>\r\n\r\nBOOM\r\n"
    found = read_letter(raw)
    assert (found.kind, found.sender, found.message_id) == ("unread", "ann@example.org", "<1@x>")
    assert found.unread.startswith("reading it failed (RecursionError in test_unread.py, line ")
    assert "BOOM" not in found.unread, "what an email says is not repeated"
    assert (
        read_letter(b"Received: by x\r\n" + raw).digest
        == found.digest
        != read_letter(raw.replace(b"1@x", b"2@x")).digest
    )
    assert read_letter(raw.replace(b"\r\n\r\n", b"\r\nPrecedence: bulk\r\n\r\n")).kind == "auto"


@pytest.mark.usefixtures("breaking")
def test_a_round_puts_it_aside_and_handles_what_lies_behind_it(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(EMPTY_NAME)
    hosted.post(EMPTY_NAME.replace(b'GAME "" TURN 1', b"BOOM").replace(b"<c1@x>", b"<c2@x>"))
    hosted.post(hosted.letter("federation", "BOOM\n"))
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon")))
    done = hosted.round()
    assert list(done.letters) == ["quarantine", "quarantine", "empty", "orders"] and not done.troubles
    assert not list((hosted.folder / "Maildir" / "new").iterdir())
    (told,) = hosted.sent_to("umpire")
    said = " ".join(words(told).split())
    assert "because reading it failed (RecursionError in test_unread.py, line" in said
    assert "eve@evil.example" in said and "kept as" in said and "BOOM" not in said
    (answer,) = (one for one in hosted.sent_to("federation") if "not read" in str(one["Subject"]))
    assert " ".join(words(answer).split()).startswith(
        "Nothing was filed or changed. Write a new email that contains only your orders"
    )
    assert len(list((hosted.folder / "mail" / "quarantine").glob("*.eml"))) == 3
    assert list(hosted.round().letters) == []
    (found,) = (one for one in examine(hosted.folder) if one.what == "emails")
    assert not found.right and found.said.startswith("2 emails were put aside, as reading it failed (RecursionError in")
    assert "pbem mail read" in found.said and ".eml" in found.said


@pytest.mark.usefixtures("breaking")
def test_a_player_is_answered_a_few_times_and_the_umpire_cannot_let_it_in(games: Games, write: Write) -> None:
    answers: list[Reply] = []

    def put(reply: Reply) -> Path | None:
        answers.append(reply)
        return None

    for number in range(MOST_EMPTY + 2):
        taken = take_in(write("federation", text=f"BOOM {number}"), games, Ledger(games.post), put)
        assert taken.entry.done == "empty" and taken.entry.file
    assert [one.to for one in answers].count("ann@example.org") == MOST_EMPTY
    with pytest.raises(GameError, match="cannot be accepted now: reading it failed"):
        accept(Path(taken.entry.file), games, put)


@pytest.mark.usefixtures("breaking")
def test_an_answer_that_cannot_be_written_costs_one_email(games: Games, write: Write) -> None:
    """What fails behind the reader: the outbox."""

    def put(reply: Reply) -> Path | None:
        if reply.to == "ann@example.org":
            raise ValueError("no such header")
        return None

    assert take_in(write("federation", "STATUS"), games, Ledger(games.post), put).entry.done == "trouble"
    stranger = write("federation", "STATUS", sender="eve@x.org")
    ledger = Ledger(games.post)
    assert take_in(stranger, games, ledger, lambda _: None).entry.done == "quarantine"


def test_an_mbox_gives_the_emails_behind_one_it_cannot_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, inner = tmp_path / "box", mailbox.mbox.get_bytes
    file.write_bytes(b"".join(b"From x\nSubject: %d\n\nSTATUS\n\n" % number for number in range(3)))

    def broken(box: mailbox.mbox, key: str, from_: bool = False) -> bytes:
        if int(key) == 1:
            raise UnicodeDecodeError("ascii", b"\xff", 0, 1, "no")
        return inner(box, key, from_)

    monkeypatch.setattr(mailbox.mbox, "get_bytes", broken)
    source = Mbox(file)
    assert [key for key, _ in source.fetch()] == ["0", "2"]
    assert source.missed()[0].startswith(f"email 1 of {file} cannot be read: UnicodeDecodeError")


@pytest.mark.usefixtures("breaking")
def test_the_command_that_reads_an_email_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(EMPTY_NAME.replace(b'GAME "" TURN 1', b"BOOM"))
    (tmp_path / "b.eml").write_bytes(EMPTY_NAME)
    done = CliRunner().invoke(app, ["mail", "read", str(tmp_path / "a.eml"), str(tmp_path / "b.eml")])
    assert done.exit_code == 0 and done.exception is None
    assert "an email that was not read" in done.stdout and "reading it failed (RecursionError in" in done.stdout
