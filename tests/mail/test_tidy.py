"""A club's folder is made light of what can be made again; nothing that counts goes, and no mail goes out twice."""

from __future__ import annotations

import os
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.host.tidy import tidy

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer


@pytest.fixture
def played(tmp_path: Path) -> Hosted:
    """Three requests were answered, each a day after the other."""
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    for _ in range(3):
        hosted.now += timedelta(days=1)
        answer(hosted, "federation", "klingon")
        hosted.round()
    aged(hosted, timedelta(days=2))
    hosted.now += timedelta(days=3)
    hosted.round()
    return hosted


def aged(hosted: Hosted, by: timedelta) -> None:
    """All files are as old as the clock of the test has it."""
    moment = (hosted.now - by).timestamp()
    for path in hosted.folder.rglob("*"):
        if path.is_file():
            os.utime(path, (moment, moment))


def files(hosted: Hosted) -> dict[str, bytes]:
    found = (path for path in hosted.folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(hosted.folder).as_posix(): path.read_bytes() for path in found}


def test_what_can_be_made_again_goes_and_comes_when_it_is_wanted(played: Hosted) -> None:
    before, sink = files(played), len(played.sink.mails)
    shown = tidy(played.folder, played.now, "60 days", dry=True)
    assert files(played) == before
    made = tidy(played.folder, played.now, "60 days")
    after = files(played)
    assert (made.reports, made.packed[0], made.old) == (shown.reports, shown.packed[0], (0, 0))
    size, was = (sum(map(len, found.values())) for found in (after, before))
    assert made.freed > was // 2 and abs(was - size - made.freed) < 10_000  # but for the list of what was packed
    kept = ("events.jsonl", ".orders", "state.json", "game.toml", "said.txt", "sitrep.txt", ".secret")
    assert all(after[name] == data for name, data in before.items() if name.endswith(kept) or "Maildir" in name)
    with opened(played.game) as game:
        assert verify(game).faults == ()
        request = game.state().request
        assert request is not None
        now = f"{request.turn:02}/r{request.number}/"
    assert all(after[name] == data for name, data in before.items() if now in name)

    # Nothing is sent again, and no report is made anew; but who asks for one gets it as it was.
    again = tidy(played.folder, played.now, "60 days")
    assert again.freed == 0
    played.now += timedelta(hours=1)
    played.round()
    assert len(played.sink.mails) == sink and tidy(played.folder, played.now, "60 days", dry=True).freed == 0
    played.post(played.letter("klingon", "RESEND 1.2\n"))
    played.round()
    [mail] = played.sent_to("klingon")[-1:]
    page = next(part for part in mail.iter_attachments() if part.get_filename() == "sitrep.html")
    assert str(page.get_content()).replace("\r\n", "\n").encode() == before["games/duel01/01/r2/klingon/sitrep.html"]


def test_old_mails_go_after_their_time_and_are_still_not_sent_again(played: Hosted) -> None:
    gone = played.game / "01/r1/klingon"  # somebody has taken a mail away: the rest is made light all the same
    (gone / "mail.eml").unlink()
    tidy(played.folder, played.now, "60 days")
    aside = played.folder / "mail/quarantine/spam.eml"
    aside.parent.mkdir()
    aside.write_text("spam", encoding="utf-8")
    assert sorted(path.name for path in gone.iterdir()) == ["sitrep.txt"]
    assert not (played.game / "01/r2/klingon/sitrep.html").exists()
    [pack] = (played.folder / "mail/outbox/sent").glob("*.tar.xz")
    os.utime(aside, (played.now.timestamp(),) * 2)
    played.now += timedelta(days=59)
    assert tidy(played.folder, played.now, "60 days").old == (0, 0) and aside.is_file()
    played.now += timedelta(days=2)
    assert tidy(played.folder, played.now, "60 days").old[0] == 2 and not pack.exists() and not aside.exists()
    played.round()
    names = [message_from_bytes(mail)["Message-ID"] for _, mail in played.sink.mails]
    assert len(names) == len(set(names)) > 10


def test_a_host_tidies_once_a_day_where_he_is_told_to(played: Hosted) -> None:
    file = played.folder / "host.toml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("[inbox]", 'keep = "90 days"\n[inbox]', 1), encoding="utf-8")
    played.round()
    assert tidy(played.folder, played.now, dry=True).freed == 0
    assert list((played.folder / "mail/outbox/sent").glob("*.tar.xz"))
    file.write_text(text.replace("[inbox]", 'keep = "for ever"\n[inbox]', 1), encoding="utf-8")
    with pytest.raises(GameError, match="write keep as a length of time"):
        played.round()


def test_a_club_without_a_time_is_left_alone(played: Hosted) -> None:
    with pytest.raises(GameError, match=r"host\.toml has no `keep`"):
        tidy(played.folder, played.now)
