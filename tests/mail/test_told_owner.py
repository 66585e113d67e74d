"""A player hears, at his own address, of a letter in his name or with his token that counts for nothing."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.mail.seats import token_of

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, words
else:
    from post_hosted import ADDRESSES, Hosted, words

KOR = ADDRESSES["klingon"]


@pytest.fixture
def begun(tmp_path: Path) -> Hosted:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    return hosted


def since(hosted: Hosted, *raw: bytes) -> list[EmailMessage]:
    """What goes out for letters, but to the umpire."""
    hosted.sink.mails.clear()
    for one in raw:
        hosted.post(one)
    hosted.round()
    assert {to for to, _ in hosted.sink.mails} <= {*ADDRESSES.values(), "umpire@host.example"}
    return [mail for side in ADDRESSES for mail in hosted.sent_to(side)]


def test_a_letter_without_his_token_is_told_to_the_player_once_a_day(begun: Hosted) -> None:
    """The guide says AWAY in the subject; so he wrote a new mail with that subject, and waited."""
    letters = [begun.letter("klingon", text, token="none") for text in ("AWAY 5 days\n", "STATUS\n")]
    letters = [one.replace(b" TOKEN none", b"") for one in letters]
    [told] = since(begun, *letters)
    assert str(told["To"]) == KOR and f"TOKEN {token_of(begun.game, 'klingon')}" in str(told["Subject"])
    said = " ".join(words(told).split())
    assert "because it did not contain your game token." in said and "reply to one of our emails" in said
    begun.now += timedelta(hours=8)
    assert since(begun, begun.letter("klingon", "HELP\n", token="none")) == []
    begun.now += timedelta(hours=16)
    again = since(begun, begun.letter("klingon", "DRAFT\n", token="none"))
    assert ["was put aside" in str(mail["Subject"]) for mail in again].count(True) == 1


def test_a_letter_with_his_token_from_elsewhere_is_told_to_him_and_not_there(begun: Hosted) -> None:
    [told] = since(begun, begun.letter("klingon", "STATUS\n", sender="kor@work.example"))
    assert str(told["To"]) == KOR
    said = " ".join(words(told).split())
    assert "because it came from kor@work.example" in said and f"write from {KOR}, or ask the umpire" in said


def test_no_player_learns_the_address_of_another_by_it(begun: Hosted) -> None:
    other = ADDRESSES["federation"]
    [told] = since(begun, begun.letter("klingon", "STATUS\n", sender=other))
    assert str(told["To"]) == KOR and other not in words(told) and "because it came from another address" in words(told)


def test_strangers_and_machines_bring_no_mail_to_anybody(begun: Hosted) -> None:
    machine = b"Auto-Submitted: auto-replied\r\n" + begun.letter("klingon", "I am out.\n", token="none")
    assert since(begun, machine, begun.letter("klingon", "STATUS\n", sender="eve@evil.example", token="none")) == []
