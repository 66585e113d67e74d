"""A message that names its reader is passed on, however many unclear emails came before it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pbem.mail.incoming import intake
from pbem.mail.incoming.intake import MOST_EMPTY
from pbem.orders.messages import MOST_MESSAGES

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, subjects, words
else:
    from post_hosted import Hosted, subjects, words


def write(hosted: Hosted, text: str) -> None:
    hosted.post(hosted.letter("federation", text))
    hosted.round()


def copies(hosted: Hosted) -> list[str]:
    """What players wrote, as the umpire has it."""
    return [words(one) for one in hosted.sent_to("umpire") if "federation writes" in str(one["Subject"])]


@pytest.mark.parametrize("text", ["MESSAGE TO UMPIRE\nI am stuck\nEND MESSAGE\n", "UMPIRE: I am stuck\n"])
def test_the_umpire_is_reached_after_unclear_emails(hosted: Hosted, text: str) -> None:
    hosted.round()
    for number in range(MOST_EMPTY + 2):
        write(hosted, f"Well, I do not know, said {'x' * number}\n")
    before = len(hosted.sent_to("federation"))
    write(hosted, text)
    assert "I am stuck" in copies(hosted)[-1]
    answer = hosted.sent_to("federation")[before]
    assert "Your message has been passed on to the umpire." in words(answer)
    # And the unclear ones that were not answered are in the umpire's list.
    hosted.now += timedelta(days=1)
    hosted.round()
    told = "\n".join(words(one) for one in hosted.sent_to("umpire") if "put aside" in str(one["Subject"]))
    assert " ".join(told.split()).count("one of many without orders from") == 2


def test_only_messages_count_against_their_limit(hosted: Hosted) -> None:
    """Each of these asks something beside a command, so all are read and none is one of many without orders."""
    hosted.round()
    for number in range(MOST_MESSAGES + 1):
        write(hosted, f"STATUS\n\nMay I ask something, {'x' * number}?\n")
    last = words(hosted.sent_to("federation")[-1])
    assert "put a line MESSAGE TO UMPIRE before your words" in " ".join(last.split())
    for number in range(MOST_MESSAGES + 1):
        write(hosted, f"MESSAGE TO UMPIRE\nI resign {'x' * number}\nEND MESSAGE\n")
        said = words(hosted.sent_to("federation")[-1])
        assert ("Your message has been passed on to the umpire." in said) == (number < MOST_MESSAGES)
    assert "5 are the most for one request" in " ".join(said.split())
    assert len(copies(hosted)) == 2 * MOST_MESSAGES


def test_who_sends_many_emails_without_new_orders_is_heard_too(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "MOST_IDLE", 3)
    hosted.round()
    for number in range(5):
        write(hosted, f"HELP{' ' * number}\n")
    write(hosted, "MESSAGE TO UMPIRE\nI am stuck\nEND MESSAGE\n")
    assert "I am stuck" in copies(hosted)[-1]
    assert not [one for one in subjects(hosted.sent_to("federation")) if "your message" in one]


def test_no_two_emails_have_one_message_id(hosted: Hosted) -> None:
    hosted.round()
    for text in ("MESSAGE TO UMPIRE\nHello\nEND MESSAGE\n", "MESSAGE TO ALL\nHello\nEND MESSAGE\n", "I wonder.\n"):
        write(hosted, text)
    everyone = [one for who in ("umpire", "federation", "klingon") for one in hosted.sent_to(who)]
    names = [str(one["Message-ID"]) for one in everyone]
    assert len(names) >= 8 and len(set(names)) == len(names)
