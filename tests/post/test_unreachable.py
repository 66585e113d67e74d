"""A bounce says whose it is; doctor does not call an untouched host.toml right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pbem.post.doctor import examine
from pbem.post.settings import INITIAL

if TYPE_CHECKING:
    from tests.post.hosted import Hosted, words
else:
    from post_hosted import Hosted, words

BOUNCE = b"""\
From: MAILER-DAEMON@mx.example\r
To: orders@host.example\r
Message-ID: <bounce@mx.example>\r
Subject: Undelivered\r
X-Failed-Recipients: kor@example.org\r
\r
No such user.\r
"""


def test_a_bounce_tells_game_and_side(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    hosted.post(BOUNCE)
    hosted.round()
    said = " ".join(words(hosted.sent_to("umpire")[-1]).split())
    assert "mail to kor@example.org (klingon in duel01) came back: perhaps nothing reaches them" in said


def test_doctor_says_no_to_the_addresses_of_the_example(tmp_path: Path) -> None:
    (tmp_path / "host.toml").write_text(INITIAL, encoding="utf-8")
    first = examine(tmp_path)[0]
    assert not first.right and "orders@example.org, umpire@example.org" in first.said
    (tmp_path / "host.toml").write_text(INITIAL.replace("@example.org", "@club.example"), encoding="utf-8")
    assert examine(tmp_path)[0].right
