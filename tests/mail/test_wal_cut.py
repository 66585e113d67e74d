"""The write-ahead log of the database cut off at any frame after a round, as in a copy of the folder or on a bad disk.

The files of the club are those of the end of the round, so the database is older than they are. The host notices it or
goes on, and then nothing is lost and nothing is told twice with different words.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.commands.time import read_absences
from pbem.mail.host.round import Round, host_round
from pbem.mail.transport.sources import Maildir
from tests.cuts import ALL, places

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer

HEADER, FRAME = 32, 24
"""Sizes in bytes of the header of a write-ahead log and of a frame's header (sqlite.org/fileformat2.html)."""
SPREAD = 6


class Club(Hosted):
    """A host whose rounds are known to its account, too."""

    def go(self, *, restored: bool = False) -> Round:
        source = Maildir(self.folder / "Maildir")
        state = self.folder.parent / "state"
        return host_round(
            self.folder, lambda: self.now, source=source, carrier=self.sink, state=state, restored=restored
        )

    def post(self, raw: bytes) -> None:
        super().post(raw)
        for path in (self.folder / "Maildir" / "new").iterdir():
            os.utime(path, (self.now.timestamp(), self.now.timestamp()))  # by which the host reads them again

    def play_on(self) -> int:
        """Do three rounds, with the umpire's word where it is needed; return how often it was."""
        needed = 0
        for _ in range(3):
            self.now += timedelta(minutes=1)
            if self.go().halted:
                needed += 1
                assert not self.go(restored=True).halted
        return needed

    def copy(self, target: Path) -> Club:
        """Return a copy of this club and of its account, in another place."""
        shutil.copytree(self.folder.parent, target, ignore=shutil.ignore_patterns("*-shm"))
        club = Club.__new__(Club)
        club.__dict__ |= {**self.__dict__, "folder": target / "club", "game": target / "club" / "games" / "duel01"}
        club.sink = type(self.sink)()
        club.sink.mails = list(self.sink.mails)
        return club


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Club, Club]:
    """A club after a round with orders and commands, with its write-ahead log; and the same club three rounds later."""
    club = Club(tmp_path_factory.mktemp("wal") / "club")
    club.go()
    answer(club, "federation", "klingon")
    club.post(club.letter("federation", "AWAY 10 to 12 March 2027"))
    club.post(club.letter("klingon", "DRAW"))
    club.post(club.letter("klingon", "ADDRESS new@example.org"))
    club.post(club.letter("federation", "HELP", token="x" * 14))
    club.now += timedelta(minutes=1)
    with closing(sqlite3.connect(club.folder / "mail" / "club.db")) as other:  # so the log is not folded in at the end
        other.execute("SELECT count(*) FROM facts").fetchall()
        assert club.go().troubles == ()
        cut = club.copy(tmp_path_factory.mktemp("cut") / "world")
    assert club.play_on() == 0
    return cut, club


def frames(wal: Path) -> Iterator[int]:
    """Yield the sizes of a write-ahead log with none of its frames, half a frame, one frame, and so on."""
    data = wal.read_bytes()
    step = FRAME + int.from_bytes(data[8:12], "big")
    yield 0
    for end in range(HEADER, len(data) + 1, step):
        yield end
        if end < len(data):
            yield end + step // 2


def said(club: Club) -> dict[str, set[str]]:
    """Return what each email said that was sent, by its key."""
    found: dict[str, set[str]] = {}
    for to, mail in club.sink.mails:
        text = re.sub(r"(?m)^Date: .*$", "", mail.decode("latin-1"))
        found.setdefault(f"{to} {message_from_bytes(mail)['X-PBEM-Key']}", set()).add(text)
    return found


def test_a_write_ahead_log_may_end_at_any_frame(world: tuple[Club, Club], tmp_path: Path) -> None:
    start, whole = world
    wanted, sizes = said(whole), list(frames(start.folder / "mail" / "club.db-wal"))
    assert len(sizes) > 40, "the round wrote into the log"
    halts = 0
    for n in places(len(sizes), None if ALL else SPREAD):
        club = start.copy(tmp_path / str(n) / "world")
        with (club.folder / "mail" / "club.db-wal").open("r+b") as wal:
            wal.truncate(sizes[n])
        halts += club.play_on()
        what = f"{n} of {len(sizes)}"
        told = said(club)
        assert wanted.keys() <= told.keys(), what
        assert {key: texts for key, texts in told.items() if len(texts) > 1} == {}, what
        assert club.logs() == whole.logs(), what
        with opened(club.game) as game:
            assert not verify(game).faults, what
        assert [str(one.days) for one in read_absences(club.folder / "mail")] == ["2027-03-10 to 2027-03-12"], what
        assert (club.game / "mail" / "endings.json").is_file(), what
        assert not list((club.folder / "Maildir" / "new").iterdir()), what
        shutil.rmtree(club.folder.parent)
    assert halts, "a database that is older than the files is noticed"
