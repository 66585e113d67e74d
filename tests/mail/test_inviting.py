"""The first mail of a game: one and not two, whoever writes it, and whatever is cut off."""

from __future__ import annotations

from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.mail.host import operate
from pbem.mail.host.clocks import SentNotices
from pbem.mail.replies import announce
from pbem.mail.seats import seats

pytestmark = pytest.mark.usefixtures("pages")

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted
else:
    from post_hosted import Hosted

ADDRESSES = {"federation": "ann@example.org", "klingon": "kor@example.org"}


def text(mail: EmailMessage) -> str:
    found = mail.get_body(("plain",))
    assert found is not None
    return " ".join(str(found.get_content()).split())


def summary(mail: EmailMessage) -> str:
    found = mail.get_body(("html",))
    assert found is not None
    return " ".join(str(found.get_content()).split())


def subjects(hosted: Hosted, side: str) -> list[str]:
    return [str(one["Subject"]).split(" TOKEN")[0] for one in hosted.sent_to(side)]


def test_the_first_mail_invites_and_carries_sitrep_and_form(hosted: Hosted) -> None:
    hosted.round()
    hosted.round()
    for side in ADDRESSES:
        (mail,) = hosted.sent_to(side)
        assert subjects(hosted, side) == [f"duel01 1.0 SITREP: you play {side}"]
        names = [part.get_filename() for part in mail.iter_attachments()]
        assert names == ["sitrep.html", f"{side}.r1.orders", "orders.html", "positions.vsav"]
        for words in (text(mail), summary(mail)):
            assert f"You play {side} in duel01" in words and "with TOKEN" in words
            assert "The deadline is Wed 3 Mar 2027, 12:00 (UTC)." in words
            assert "Two cruisers on patrol run into each other" in words and "If this is new to you:" in words
        for part in mail.iter_attachments():
            if str(part.get_filename()).endswith(".html"):
                assert '<p class="deadline">The deadline is Wed 3 Mar' in str(part.get_content())


def test_an_invitation_written_by_hand_is_the_first_mail_and_no_other_follows(hosted: Hosted) -> None:
    assert operate.invite(hosted.game, hosted.now) == ["federation", "klingon"]
    assert operate.invite(hosted.game, hosted.now) == []
    hosted.round()
    for side in ADDRESSES:
        assert subjects(hosted, side) == [f"duel01 1.0 SITREP: you play {side}"]
        assert "The deadline is Wed 3 Mar 2027, 12:00 (UTC)." in text(hosted.sent_to(side)[0])
    (hosted.game / "mail" / "said.txt").unlink()
    hosted.round()
    assert all(len(hosted.sent_to(side)) == 1 for side in ADDRESSES), "the outbox remembers too"


def play_on_by_hand(hosted: Hosted) -> None:
    texts = {side: hosted.scripted(side) for side in ADDRESSES}
    with opened(hosted.game, lock="test") as game:
        for side, orders in texts.items():
            submit(game, orders, f"{side}.orders")
        resolve_game(game)


def test_who_invites_is_told_that_nothing_was_sent_yet(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hosted.folder.parent)
    line = ["host", "invite", str(hosted.game.relative_to(hosted.folder.parent))]
    sends = f"`pbem host {hosted.folder.name} --once` sends them."
    assert CliRunner().invoke(app, line).output == f"Written to federation and klingon, not sent yet: {sends}\n"
    assert "All players are already invited." in CliRunner().invoke(app, line).output and not hosted.sink.mails


def test_what_was_played_after_the_invitation_is_told_too(hosted: Hosted) -> None:
    operate.invite(hosted.game, hosted.now)
    play_on_by_hand(hosted)
    hosted.round()
    for side in ADDRESSES:
        assert subjects(hosted, side) == [f"duel01 1.0 SITREP: you play {side}", "duel01 1.1 SITREP"]


class CutError(BaseException):
    """The machine stopped."""


@pytest.mark.parametrize("moved", [False, True], ids=["nothing happens between", "the game moves on between"])
@pytest.mark.parametrize("cut", ["before the mail", "after the mail"])
def test_whoever_was_cut_off_gets_every_sitrep_once(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch, cut: str, moved: bool
) -> None:
    add, first = SentNotices.add, announce.first_mail

    def stopped_writing(said: SentNotices, *keys: str) -> None:
        if any(key.startswith("invitation ") for key in keys):
            raise CutError
        add(said, *keys)

    def stopped_making(*what: object) -> object:
        raise CutError

    with monkeypatch.context() as patch:
        if cut == "after the mail":
            patch.setattr(SentNotices, "add", stopped_writing)
        else:
            patch.setattr(announce, "first_mail", stopped_making)
        with pytest.raises(CutError):
            hosted.round()
    assert announce.first_mail is first
    if moved:
        play_on_by_hand(hosted)
    hosted.round()
    hosted.round()
    for side in ADDRESSES:
        told = subjects(hosted, side)
        assert sum("you play" in one for one in told) == 1, told
        # Never lost; the last report is told to all, whichever came with the invitation.
        assert any("1.1 SITREP" in one for one in told) == moved, told
        assert len(told) == len(set(told))


def test_an_older_game_is_not_invited_again(hosted: Hosted) -> None:
    players = seats(hosted.game)
    with opened(hosted.game, lock="test") as game:
        folder = announce.published(game)[-1]
        said = SentNotices(hosted.game)
        for seat in players:
            name = announce.sitrep_id(folder, seat.side)
            said.add(announce.thread_key(game, seat), announce.sitrep_key(name, seat))
    hosted.round()
    assert not hosted.sink.mails, "what an earlier version of the host said counts"
