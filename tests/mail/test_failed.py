"""Mails that could not be sent: who did not get them and why, what the umpire may do, and when nobody needs them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.mail.host.operate import move_address
from pbem.mail.host.overview import overview
from pbem.mail.store import opened
from pbem.mail.transport.outbox import Failure, Refused, Sent, failure_sentences, stale

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, Sink
else:
    from post_hosted import Hosted, Sink

KOR, NEW = "kor@example.org", "kor@work.example"


class Shut(Sink):
    """Nothing goes to Kor's old address."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if to == KOR:
            raise Refused("550 no such mailbox")
        super().send(sender, to, mail)


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    """A host two of whose mails to Kor failed."""
    one = Hosted(tmp_path / "host")
    one.sink = Shut()
    one.round()
    one.post(one.letter("klingon", "STATUS"))
    one.round()
    assert len(names(one, "failed")) == 2
    return one


def names(hosted: Hosted, folder: str) -> list[str]:
    return sorted(path.name for path in (hosted.folder / "mail" / "outbox" / folder).glob("*.eml"))


def did(*line: str) -> str:
    done = CliRunner().invoke(app, ["mail", "failed", *line])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def test_status_and_doctor_name_the_reader_and_the_reason(hosted: Hosted) -> None:
    said = f"2 mails to {KOR} could not be sent: 550 no such mailbox"
    (need,) = (one for one in overview(hosted.folder, hosted.now).needs if "could not be sent" in one.text)
    assert need.text == said and need.commands == (
        f"pbem mail failed {hosted.folder} {KOR} --again",
        f"pbem mail failed {hosted.folder} {KOR} --give-up",
    )
    assert said in CliRunner().invoke(app, ["doctor", str(hosted.folder)]).output
    shown = did(str(hosted.folder))
    assert f"To {KOR}: 550 no such mailbox" in shown and all(name in shown for name in names(hosted, "failed"))


def test_they_are_sent_again_once(hosted: Hosted) -> None:
    before = names(hosted, "failed")
    hosted.sink = Sink()
    with pytest.raises(GameError, match="there is no failed email to bob"):
        did(str(hosted.folder), "bob", "--again")
    assert f"2 mails to be tried again by the next round: `pbem host {hosted.folder} --once`." in did(
        str(hosted.folder), KOR.upper(), "--again"
    )
    hosted.round()
    hosted.round()
    assert len(hosted.sent_to("klingon")) == 2 and not list((hosted.folder / "mail/outbox/failed").iterdir())
    assert "No email has failed." in did(str(hosted.folder))
    # A copy of one that went out is not sent a second time, packed or not.
    box = hosted.folder / "mail" / "outbox"
    whole = (box / "sent" / before[0]).read_bytes()
    for packed in (False, True):
        (box / "failed" / before[0]).write_bytes(whole)
        if packed:
            (box / "sent" / before[0]).unlink()
            (box / "sent" / "packed.txt").write_text(f"{before[0]}\n")
        assert "1 mail had gone out after all" in did(str(hosted.folder), "--again")
        hosted.round()
        assert len(hosted.sent_to("klingon")) == 2
        (box / "given-up" / before[0]).unlink()


def test_they_are_laid_aside_with_their_reasons(hosted: Hosted) -> None:
    first, second = names(hosted, "failed")
    told_of = json.loads(did(str(hosted.folder), first, "--give-up", "--json"))
    assert [one["file"] for one in told_of["failed"]] == [first] and names(hosted, "failed") == [second]
    assert "1 mail laid aside" in did(str(hosted.folder), "--give-up")
    assert names(hosted, "given-up") == [first, second]
    with opened(hosted.folder / "mail") as store:
        assert store.failure(first) == "550 no such mailbox"
    assert not [one for one in overview(hosted.folder, hosted.now).needs if "could not be sent" in one.text]
    hosted.sink = Sink()
    hosted.round()
    assert hosted.sent_to("klingon") == [], "they are not written anew"
    assert CliRunner().invoke(app, ["mail", "failed", str(hosted.folder), "--again", "--give-up"]).exit_code == 2


def test_who_has_another_address_and_his_report_needs_them_no_more(hosted: Hosted) -> None:
    before = names(hosted, "failed")
    notices = len(hosted.sent_to("umpire"))
    move_address(hosted.folder, KOR, NEW, hosted.now)
    hosted.later(days=2)  # the old address is told, too: that it cannot be is no news
    reports = [name for name in names(hosted, "sent") if name.startswith(("sitrep.duel01.k", "invitation.duel01.k"))]
    assert len(reports) == 1
    assert names(hosted, "failed") == [] and len(names(hosted, "given-up")) == 3
    assert set(before) < set(names(hosted, "given-up"))
    assert not [one for one in hosted.sent_to("umpire")[notices:] if "could not be sent" in str(one["Subject"])]
    hosted.round()
    assert len(names(hosted, "given-up")) == 3


def failure(name: str, reader: str, written: int) -> Failure:
    about = ".".join(name.split(".")[1:3])
    return Failure(path=Path(name), reader=reader, why="550", about=about, written=written)


def test_only_a_later_report_at_the_address_of_now_makes_a_mail_needless() -> None:
    game, other = failure("reminder.g.a.1.eml", "Old@x", 10), failure("receipt.h.a.2.eml", "old@x", 10)
    word = failure("command...3.eml", "old@x", 10)
    mails, moved = [game, other, word], {"old@x": "mid@x", "mid@x": "new@x"}

    def given_up(reports: list[Sent], addresses: dict[str, str], moves: dict[str, str] = moved) -> list[Failure]:
        return list(stale(mails, reports, addresses, moves))

    def went(about: str, reader: str, at: int) -> Sent:
        return Sent(about=about, reader=reader, at=at)

    here = {"g.a": "new@x", "h.a": "new@x"}
    assert given_up([], here) == []
    assert given_up([went("g.a", "new@x", 9)], here) == [], "written before it"
    assert given_up([went("g.a", "old@x", 11)], here) == [], "at the address that is dead"
    assert given_up([went("g.a", "NEW@x", 11)], here) == [game, word], "that of another game did not go"
    assert given_up([went("g.a", "new@x", 11)], {**here, "h.a": "old@x"}) == [game], "the address is still his"
    elsewhere = {**here, "k.a": "new@x"}
    assert given_up([went("k.a", "new@x", 11)], elsewhere) == [word], "told by where he moved"
    assert given_up([went("k.a", "new@x", 11)], {"k.a": "new@x"}) == mails, "the games are no longer here"
    assert given_up([went("k.a", "new@x", 11)], {"k.a": "new@x"}, {"old@x": "mid@x", "mid@x": "old@x"}) == []


def test_while_nobody_has_moved_no_report_is_looked_at() -> None:
    def reports() -> Iterator[Sent]:
        raise AssertionError("a day of reports would be read each minute")
        yield

    mails = [failure("reminder.g.a.1.eml", "Ann@x", 10), failure("command...2.eml", "ann@x", 10)]
    assert list(stale(mails, reports(), {"g.a": "ann@x"}, {})) == []


def test_many_readers_are_counted() -> None:
    found = failure_sentences([failure(f"a.b.c.{n}.eml", f"p{n}@x" if n else "", n) for n in range(8)])
    assert [who for who, _ in found] == ["nobody", "p1@x", "p2@x", "p3@x", "p4@x", ""]
    assert found[-1][1] == "Mails to 3 more readers could not be sent"


def test_old_ones_go_with_the_mails_that_failed(hosted: Hosted) -> None:
    did(str(hosted.folder), "--give-up")
    for path in (hosted.folder / "mail" / "outbox" / "given-up").iterdir():
        os.utime(path, (0, 0))
    assert CliRunner().invoke(app, ["host", "tidy", str(hosted.folder), "--keep", "60 days"]).exit_code == 0
    assert names(hosted, "given-up") == []
