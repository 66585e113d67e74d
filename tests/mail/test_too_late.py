"""Orders that come after their request was played: one sentence says so, and what is asked now lies beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, words


def _told(hosted: Hosted, text: str) -> tuple[str, str, list[str]]:
    """Subject, text and files of what klingon is answered."""
    before = len(hosted.sink.mails)
    hosted.later(hours=1)
    hosted.post(hosted.letter("klingon", text))
    hosted.round()
    mails = hosted.sent_to("klingon")[-1:] if len(hosted.sink.mails) > before else []
    assert mails, "no answer"
    files = [part.get_filename() or "" for part in mails[0].iter_attachments()]
    return str(mails[0]["Subject"]), " ".join(words(mails[0]).split()), files


@pytest.fixture
def played(hosted: Hosted) -> tuple[Hosted, str]:
    """A host whose energy forms have been played, and that of klingon."""
    hosted.round()
    form = hosted.scripted("klingon")
    answer(hosted, *ADDRESSES)
    hosted.round()
    return hosted, form


def test_an_energy_form_that_comes_too_late(played: tuple[Hosted, str]) -> None:
    hosted, form = played
    subject, text, files = _told(hosted, form.replace("spd 13", "spd 12"))
    assert "too late" in subject
    assert "this energy form is for request 1 of turn 1, which was played before this email came" in text
    assert "the energy stays allocated until its turn ends" in text
    assert "You owe orders (SOP) for turn 1, impulses 1 to 16, REPLY 2." in text
    assert files == ["klingon.r2.orders"] and "CORRECTED DRAFT" not in text and "#" not in text


def test_the_very_form_that_was_played_is_told_so(played: tuple[Hosted, str]) -> None:
    hosted, form = played
    subject, text, _ = _told(hosted, form)
    assert "these orders have been played" in subject
    assert "request 1 of turn 1 was played with exactly these orders, so nothing is lost" in text


def test_orders_of_the_kind_that_is_asked_for_now_come_back_with_its_line(played: tuple[Hosted, str]) -> None:
    hosted, _ = played
    moved = "GAME duel01 TURN 1 SIDE klingon REPLY 1\nSHIP Destruction\nPLOT 3F\nEND\n"
    _, text, files = _told(hosted, moved)
    assert "CORRECTED DRAFT" in text and "REPLY 2 FORM SOP" in text and files == ["klingon.r2.orders"]


def test_late_orders_of_whom_nothing_is_asked(played: tuple[Hosted, str]) -> None:
    hosted, _ = played
    orders = hosted.scripted("klingon")
    answer(hosted, *ADDRESSES)
    hosted.round()
    _, text, files = _told(hosted, orders.replace("at 3", "at 4"))
    assert "these orders are for request 2 of turn 1, which was played" in text
    assert (
        "No orders are wanted from you now. They are wanted from federation." in text and not files and "[" not in text
    )
