"""A bounce says whose it is; doctor does not call an untouched host.toml right."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.storage.opening import opened
from pbem.mail.commands.seats import replace
from pbem.mail.host.clocks import due_of, pause, read_clock, resume, start
from pbem.mail.host.doctor import examine
from pbem.mail.host.lateness import clock_after_moves, rounds_of
from pbem.mail.host.operate import move_address
from pbem.mail.host.round import begun
from pbem.mail.host.trouble import UnreachablePlayers
from pbem.mail.settings import INITIAL, game_rule, read_host
from pbem.mail.transport.outbox import Later, Refused

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, Sink, taken_apart, words
else:
    from post_hosted import Hosted, Sink, taken_apart, words

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


class Greylisting(Sink):
    """Kor's server takes nothing for now."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if to == "kor@example.org":
            raise Later("451 try again")
        super().send(sender, to, mail)


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
    assert "an email to kor@example.org (klingon in duel01) came back: perhaps nothing reaches them" in said


def told(hosted: Hosted) -> list[bool]:
    """Whether status of the club, status of the game and doctor say that Kor cannot be reached."""
    line = "No email has reached kor@example.org (klingon in duel01) since Mon 1 Mar 2027, 12:00"
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
    assert not UnreachablePlayers(hosted.folder).known


def due(hosted: Hosted) -> datetime:
    """When the answers are due, as the host sees it now."""
    found = due_of(hosted.game, hosted.now)
    assert found is not None
    return found[0].due


ANEW = "An email to klingon bounced, and the player now has a new address"


def by_hand(hosted: Hosted) -> None:
    move_address(hosted.folder, "kor@example.org", "kor@work.example", hosted.now)


def by_players_toml(hosted: Hosted) -> None:
    text = 'format = 1\n[people.kor]\nname = "Kor"\nmail = "kor@work.example"\nwas = ["kor@example.org"]\n'
    (hosted.folder / "players.toml").write_text(text, encoding="utf-8")


def by_letter(hosted: Hosted) -> None:
    hosted.post(hosted.letter("klingon", "ADDRESS kor@work.example"))
    hosted.round()
    text = next(mail for to, mail in reversed(hosted.sink.mails) if to == "kor@work.example").decode()
    (code,) = re.findall(r"ADDRESS CODE \w+", text)
    hosted.post(hosted.letter("klingon", code, sender="kor@work.example"))


def by_replacing(hosted: Hosted) -> None:
    with opened(hosted.game, lock="test") as game:
        replace(game, "klingon", "kor@work.example", hosted.now)


@pytest.mark.parametrize(
    ("move_him", "told"),
    [
        (by_hand, 1),
        *(
            pytest.param(way, times, marks=pytest.mark.slow)
            for way, times in ((by_players_toml, 1), (by_letter, 1), (by_replacing, 0))
        ),
    ],
    ids=("by hand", "by players.toml", "by letter", "by replacing him"),
)
def test_who_knew_nothing_of_a_request_has_its_whole_time_at_his_new_address(
    tmp_path: Path, move_him: Callable[[Hosted], None], told: int
) -> None:
    """Mail to him came back; half an hour before the deadline it is known where he lives now. Who takes his side over
    has all the time anyhow, and is not given it twice.
    """
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.post(BOUNCE)
    hosted.round()
    hosted.later(hours=47)
    move_him(hosted)
    hosted.round()
    assert due(hosted) == hosted.now + timedelta(days=2)
    hosted.later(hours=1)
    mails = [" ".join(words(one).split()) for one in hosted.sent_to("federation")]
    assert sum(ANEW in mail for mail in mails) == told
    his = [" ".join(words(taken_apart(mail)).split()) for to, mail in hosted.sink.mails if to == "kor@work.example"]
    assert sum(ANEW in mail for mail in his) == told, "his report says it, and no notice besides"
    hosted.later(hours=46)
    hosted.round(anyway=True)
    assert not list(hosted.game.glob("*/orders/klingon.*")), "nobody answered for him"
    hosted.later(hours=14)
    hosted.round(anyway=True)
    assert list(hosted.game.glob("*/orders/klingon.*")), "his time is over, and grace"


@pytest.mark.slow
def test_a_sitrep_no_server_took_holds_nobody_up_once_it_goes_elsewhere(tmp_path: Path) -> None:
    """While his server says *later* his time has not begun; with another address it begins there, once."""
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.sink = Greylisting()
    hosted.round()
    hosted.later(days=3)
    by_hand(hosted)
    for _ in range(3):
        hosted.round()
        assert due(hosted) == hosted.now + timedelta(days=2)
        hosted.sink.mails.clear()
    hosted.later(hours=61)
    hosted.round(anyway=True)
    assert list(hosted.game.glob("*/orders/klingon.*")), "the old mail, which still waits, holds nobody up"


@pytest.mark.slow
def test_while_a_game_stands_still_nobodys_time_begins(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.post(BOUNCE)
    hosted.later(hours=47)
    with opened(hosted.game, lock="test"):
        pause(hosted.game, hosted.now)
    by_hand(hosted)
    hosted.later(days=3)
    with opened(hosted.game, lock="test"):
        resume(hosted.game, hosted.now)
    hosted.round()
    assert due(hosted) == hosted.now + timedelta(days=2)


@pytest.mark.parametrize("stands_still", [True, False])
def test_a_new_address_is_acted_upon_only_while_time_runs(tmp_path: Path, stands_still: bool) -> None:
    """A clock that stands still is left as it is, and that mail had failed is known when it goes on."""
    hosted = Hosted(tmp_path / "host")
    club = begun(hosted.folder, read_host(hosted.folder), lambda: hosted.now)
    with opened(hosted.game, lock="test") as game:
        start(game, hosted.now, rounds_of(club))
        if stands_still:
            pause(hosted.game, hosted.now)
        clock = read_clock(hosted.game)
        (seat,) = (it for it in club.games.seats if it.side == "klingon")
        club.unreachable.lose(("old@x.example",), "550", hosted.now, [seat])
        hosted.now += timedelta(hours=30)
        after = clock_after_moves(club, game, [seat], game_rule(club.host, hosted.game), clock)
    assert ((after == clock), (club.unreachable.elsewhere(seat) is not None)) == (stands_still, stands_still)


def test_whose_mail_comes_has_no_more_time_for_moving(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.later(hours=47)
    move_address(hosted.folder, "kor@example.org", "kor@work.example", hosted.now)
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
