"""A bounce says whose it is; doctor does not call an untouched host.toml right."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.cli.app import app
from pbem.desk.opened import opened
from pbem.post.calls import move
from pbem.post.doctor import examine
from pbem.post.outbox import Refused
from pbem.post.replacing import replace
from pbem.post.settings import INITIAL
from pbem.post.unreachable import Unreachable

if TYPE_CHECKING:
    from tests.post.hosted import Hosted, Sink, words
else:
    from post_hosted import Hosted, Sink, words

BOUNCE = b"""\
From: MAILER-DAEMON@mx.example\r
To: orders@host.example\r
Message-ID: <bounce@mx.example>\r
Subject: Undelivered\r
X-Failed-Recipients: kor@example.org\r
\r
No such user.\r
"""


LATE = b"""\
From: MAILER-DAEMON@mx.example\r
To: orders@host.example\r
Message-ID: <late@mx.example>\r
Content-Type: multipart/report; report-type=delivery-status; boundary=b\r
\r
--b\r
Content-Type: message/delivery-status\r
\r
Reporting-MTA: dns; mx.example\r
\r
Final-Recipient: rfc822; kor@example.org\r
Action: delayed\r
\r
--b--\r
"""


class Full(Sink):
    """Nothing goes to Kor."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if to == "kor@example.org":
            raise Refused("550 no such mailbox")
        super().send(sender, to, mail)


def test_a_bounce_tells_game_and_side(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    hosted.post(BOUNCE)
    hosted.round()
    said = " ".join(words(hosted.sent_to("umpire")[-1]).split())
    assert "mail to kor@example.org (klingon in duel01) came back: perhaps nothing reaches them" in said


def told(hosted: Hosted) -> list[bool]:
    """Whether status of the club, status of the game and doctor say that Kor cannot be reached."""
    line = "No mail reaches kor@example.org (klingon in duel01) since Mon 1 Mar 2027, 12:00"
    runner, said = CliRunner(), []
    for words in (["host", "status", str(hosted.folder)], ["status", str(hosted.game)], ["doctor", str(hosted.folder)]):
        said.append(line in " ".join(runner.invoke(app, words).output.split()))
    return said


def test_who_cannot_be_reached_is_shown_until_a_letter_of_his_comes(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    assert told(hosted) == [False] * 3
    hosted.post(LATE)
    hosted.round()
    assert told(hosted) == [False] * 3, "it is only late"
    hosted.post(BOUNCE)
    hosted.round()
    hosted.now += timedelta(days=1)
    hosted.post(hosted.letter("klingon", "STATUS", sender="mallory@example.org"))
    assert hosted.round().troubles == () and told(hosted) == [True] * 3
    hosted.post(hosted.letter("klingon", "STATUS"))
    hosted.round()
    assert told(hosted) == [False] * 3


@pytest.mark.slow
def test_who_cannot_be_reached_has_another_address(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    hosted.sink = Full()
    hosted.post(hosted.letter("klingon", "STATUS"))
    hosted.round()
    assert told(hosted) == [True] * 3
    with opened(hosted.game, lock="test") as game:
        replace(game, "klingon", "kor@work.example", hosted.now)
    assert told(hosted) == [False] * 3
    hosted.round()
    assert not Unreachable(hosted.folder).known


def test_who_knew_nothing_of_a_request_has_its_whole_time_at_his_new_address(tmp_path: Path) -> None:
    """Mail to him came back; half an hour before the deadline the umpire learns where he lives now."""
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.post(BOUNCE)
    hosted.round()
    hosted.later(hours=47)
    move(hosted.folder, "kor@example.org", "kor@work.example", hosted.now)
    hosted.round()
    mails = [" ".join(words(one).split()) for one in hosted.sent_to("federation")]
    assert sum("Mail to klingon came back, and goes to another address now." in mail for mail in mails) == 1
    hosted.later(hours=47)
    hosted.round(anyway=True)
    assert not list(hosted.game.glob("*/orders/klingon.*")), "nobody answered for him"
    hosted.later(hours=14)
    hosted.round(anyway=True)
    assert list(hosted.game.glob("*/orders/klingon.*")), "his time is over, and grace"


def test_whose_mail_comes_has_no_more_time_for_moving(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.later(hours=47)
    move(hosted.folder, "kor@example.org", "kor@work.example", hosted.now)
    hosted.later(hours=14)
    hosted.round(anyway=True)
    assert list(hosted.game.glob("*/orders/klingon.*"))


def test_a_failed_mail_that_is_moved_back_tells_the_deadline_as_it_is_then(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    well, hosted.sink = hosted.sink, Full()
    hosted.round()
    box = hosted.folder / "mail" / "outbox"
    (failed,) = box.joinpath("failed").glob("*klingon*.eml")
    hosted.sink = well
    hosted.later(days=14)
    failed.rename(box / "waiting" / failed.name)
    hosted.round()
    said = " ".join(words(hosted.sent_to("klingon")[-1]).split())
    assert "The deadline is Wed 17 Mar 2027, 12:00" in said and "3 Mar" not in said, said[:600]
    assert not list(box.joinpath("failed").iterdir())


def test_doctor_says_no_to_the_addresses_of_the_example(tmp_path: Path) -> None:
    (tmp_path / "host.toml").write_text(INITIAL, encoding="utf-8")
    first = examine(tmp_path)[0]
    assert not first.right and "orders@example.org, umpire@example.org" in first.said
    (tmp_path / "host.toml").write_text(INITIAL.replace("@example.org", "@club.example"), encoding="utf-8")
    assert examine(tmp_path)[0].right
