"""A backup of yesterday does not play today anew without a word."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from pbem.engine.events import DicePassed
from pbem.games.create import new
from pbem.games.proof.restored import CLUB_PUT_BACK, PlayedSegment
from pbem.games.proof.verify_game import verify
from pbem.games.storage.files import keep
from pbem.games.storage.opening import opened
from pbem.mail.host.backup import CopyCheck, Counted, PutBack, as_mail, read
from pbem.mail.host.clocks import due_of
from pbem.mail.host.doctor import examine
from pbem.mail.host.round import Round, host_round
from pbem.mail.transport.sources import Maildir
from tests.cuts import cut_at, operations

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer, words
else:
    from post_hosted import Hosted, answer, words

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


def go(hosted: Hosted, state: Path, *, restored: bool = False) -> Round:
    source = Maildir(hosted.folder / "Maildir")
    return host_round(
        hosted.folder, lambda: hosted.now, source=source, carrier=hosted.sink, state=state, restored=restored
    )


def put_back(hosted: Hosted, backup: Path) -> None:
    """Yesterday comes back; the mailbox is that of today."""
    box = backup.with_name("mailbox")
    shutil.move(hosted.folder / "Maildir", box)
    shutil.rmtree(hosted.folder)
    shutil.copytree(backup, hosted.folder)
    shutil.rmtree(hosted.folder / "Maildir")
    shutil.move(box, hosted.folder / "Maildir")


def at_the_hour(hosted: Hosted) -> None:
    """The letters that are done came when the clock of the test says."""
    for path in (hosted.folder / "Maildir" / "cur").iterdir():
        os.utime(path, (hosted.now.timestamp(), hosted.now.timestamp()))


def without_mark(hosted: Hosted) -> None:
    for path in (hosted.folder / "Maildir").glob("*.mark"):
        path.unlink()


@pytest.mark.parametrize("by", ["hand", "command"])
@pytest.mark.parametrize("known", ["here", "mailbox"])
def test_a_restored_folder_stops_and_then_reads_again_what_came_since(tmp_path: Path, known: str, by: str) -> None:
    hosted, state = Hosted(tmp_path / "host", late="hold"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")
    for number in range(3):  # three requests are answered, one after the other
        hosted.now += timedelta(hours=14)
        if number == 1:  # one is played only as a letter without orders comes
            hosted.post(hosted.letter("klingon", "WAIT\n"))
        answer(hosted, "federation", "klingon")
        if number == 1:
            go(hosted, state)
            hosted.post(hosted.letter("klingon", "WAIT OFF\n"))
        hosted.now += timedelta(hours=1)
        go(hosted, state)
    at_the_hour(hosted)
    logs, mails = hosted.logs(), len(hosted.sink.mails)
    put_back(hosted, tmp_path / "backup")
    assert hosted.logs() != logs
    if by == "command":
        keep(hosted.folder / CLUB_PUT_BACK, PutBack(at=hosted.now))
    if known == "here":
        without_mark(hosted)
    else:
        state = tmp_path / "the state of another machine"
    said = "this club was restored from a backup" if by == "command" else "or this folder is an earlier backup"
    if known == "here":
        said = "14 emails were sent and 8 emails received since"
    for count in range(2):
        done = go(hosted, state)
        assert done.halted and len(done.news) == (not count) and not done.letters
        assert said in done.troubles[0] and "--restored" in done.troubles[0]
    assert "the host has stopped" in str(hosted.sent_to("umpire")[-1]["Subject"])
    assert len(hosted.sink.mails) == mails + 1, "the umpire is told once, and nothing else goes out"
    assert any("--restored" in one.said for one in examine(hosted.folder, state) if not one.right)
    if known == "here":
        told = (hosted.folder / "mail" / "restored.txt").read_text(encoding="utf-8")
        assert "sitrep.duel01.klingon." in told and "from kor@example.org (orders duel01 klingon)" in told

    done = go(hosted, state, restored=True)
    assert len(done.letters) == 8 and hosted.logs() == logs, "the same orders in the same order are the same play"
    names = [str(message_from_bytes(mail)["Message-ID"]) for _, mail in hosted.sink.mails]
    if known == "here":
        assert len(names) == len(set(names)), "no mail goes twice"
    mine = [one for one in hosted.sent_to("klingon") if str(one["Subject"]).startswith("duel01: a backup was restored")]
    assert len(mine) == 1 and "Nobody is late because of this" in " ".join(words(mine[0]).split())
    # The time that was lost counts for nobody.
    with opened(hosted.game) as game:
        found = due_of(game.path)
    assert found is not None and found[0].due > hosted.now + timedelta(days=1, hours=23)
    assert go(hosted, state).troubles == ()


def test_who_was_reminded_before_a_backup_is_told_the_new_deadline_by_a_mail_of_its_own(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host", late="hold"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")

    def reminded() -> list[tuple[str, str]]:
        letters = [one for one in hosted.sent_to("klingon") if "orders are missing" in str(one["Subject"])]
        return [(str(one["Message-ID"]), " ".join(words(one).split())) for one in letters]

    def wait() -> None:
        for _ in range(4):
            hosted.now += timedelta(hours=9)
            go(hosted, state)

    wait()
    (before,) = reminded()
    put_back(hosted, tmp_path / "backup")
    go(hosted, state, restored=True)
    assert reminded() == [before], "there is time again"
    wait()
    first, second = reminded()
    assert first == before and second[0] != before[0] and second[1] != before[1]


def test_a_copy_on_the_same_machine_is_noticed(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "copy")
    answer(hosted, "federation")
    go(hosted, state)
    hosted.folder = tmp_path / "copy"
    assert "a copy of it did this" in go(hosted, state).troubles[0]


@pytest.mark.parametrize("known", ["here", "mailbox", "outside", "nowhere"])
def test_orders_that_differ_after_a_backup_get_dice_nobody_has_seen(tmp_path: Path, known: str) -> None:
    hosted, state = Hosted(tmp_path / "host", late="hold"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")
    for _ in range(3):
        hosted.now += timedelta(hours=15)
        answer(hosted, "federation", "klingon")
        go(hosted, state)
    at_the_hour(hosted)
    box = hosted.folder / "Maildir"
    if known == "nowhere":  # a host of an earlier version did not note what was played
        for path in box.glob("*.mark"):
            told = msgspec.json.decode(path.read_bytes())
            path.write_bytes(msgspec.json.encode({**told, "since": 0, "played": None}))
    if known != "nowhere":  # nothing is left of what came, and somebody thinks again
        for path in (box / "cur").iterdir():
            path.unlink()
    put_back(hosted, tmp_path / "backup")
    if known != "here":
        state = tmp_path / "the state of another machine"
    if known == "outside":
        shutil.move(box, tmp_path / "the mailbox of all")
        box.symlink_to(tmp_path / "the mailbox of all")
    go(hosted, state, restored=True)
    if known != "nowhere":
        answer(hosted, "federation")
        hosted.post(hosted.letter("klingon", hosted.scripted("klingon").replace("spd 13", "spd 12")))
        hosted.now += timedelta(hours=1)
        go(hosted, state)
    with opened(hosted.game) as game:
        passed = [one.event for one in game.records() if isinstance(one.event, DicePassed)]
        # A mailbox within the folder may be as old as that is: what it tells may not be all.
        wanted = [(3, 64, False)] if known in ("here", "outside") else [(0, 64, True)]
        assert [(one.told, one.segment, bool(one.fresh)) for one in passed] == wanted
        assert verify(game).faults == ()
    told = [" ".join(words(one).split()) for one in hosted.sent_to("klingon")]
    assert any("the links up to segment 64 are passed over" in one for one in told)


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["RESIGN triangle YES", "DRAW"])
def test_letters_that_end_a_game_do_so_before_the_next_one_is_read_again(tmp_path: Path, ends: str) -> None:
    """Who gives up among three is asked no more, and after a draw nobody is: what came later is what it was."""
    hosted, state = Hosted(tmp_path / "host", late="hold"), tmp_path / "state"
    shutil.rmtree(hosted.game)
    hosted.game = hosted.folder / "games" / "triangle"
    people = {side: f"{side}@example.org" for side in ("federation", "klingon", "romulan")}
    new(str(Path(__file__).with_name("triangle.toml")), hosted.game, players=people, seed="three")
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "backup")

    resigned = ("romulan",) if ends != "DRAW" else ()

    def write(side: str, text: str) -> None:
        hosted.post(hosted.letter(side, text, sender=people[side]))

    for number in (1, 2):
        for side in resigned or people:
            write(side, ends)
        hosted.now += timedelta(hours=1)
        if number == 1:
            go(hosted, state)
        for side, ship in (("federation", "Constellation"), ("klingon", "Destruction"), ("romulan", "Hawk")):
            if side in resigned:
                continue
            said = "ENERGY\n  SPEED 8\n" if number == 1 else "PLOT 8F\n"
            form = " FORM EAF" if number == 1 else ""
            write(side, f"GAME triangle TURN 1 SIDE {side} REPLY {number}{form}\nSHIP {ship}\n{said}END\n")
        hosted.now += timedelta(hours=1)
        go(hosted, state)
    at_the_hour(hosted)
    logs = hosted.logs()
    with opened(hosted.game) as game:
        assert game.state().over == (ends == "DRAW")
    put_back(hosted, tmp_path / "backup")
    go(hosted, state, restored=True)
    assert hosted.logs() == logs


def test_a_mark_tells_what_was_played_last_and_since_when(tmp_path: Path) -> None:
    copy_check = CopyCheck(tmp_path / "club", tmp_path / "state")
    text = ""
    for number in range(1, 41):
        played = [PlayedSegment(segment=5 * number + one, answers="0123456789abcdef") for one in range(5)]
        copy_check.fresh = {"a-tournament-of-the-north-round-1": played}
        text = copy_check.add(NOW, (), ())
    raw = as_mail(text, "orders@host.example")
    told = message_from_bytes(raw)["X-PBEM-Mark"]
    mark = read(" ".join(told.split()))  # as it comes back from a server, in lines
    assert mark is not None and mark.played is not None
    assert (mark.count, mark.since, len(mark.played)) == (40, 10, 150) and max(map(len, raw.split(b"\r\n"))) < 998
    assert mark.played[-1] == "a-tournament-of-the-north-round-1 204 0123456789abcdef 0"

    # A backup of after round 20 knows all that was played since from it; one of round 5 does not.
    for count, sure in ((20, True), (5, False)):
        old = CopyCheck(tmp_path / f"club {count}", tmp_path / "nothing", restored=True)
        old.counted = Counted(host=mark.host, count=count)
        old._heard = count
        old.look((text,))
        assert old.lost and old.sure is sure and len(old.since["a-tournament-of-the-north-round-1"]) == 150


@pytest.mark.parametrize("part", ["the database", "its log", "all but the database", "no database"])
def test_a_folder_of_which_a_part_was_put_back_stops_and_asks(tmp_path: Path, part: str) -> None:
    hosted, state = Hosted(tmp_path / "host", late="hold"), tmp_path / "state"
    go(hosted, state)
    shutil.copytree(hosted.folder, tmp_path / "before")
    hosted.now += timedelta(hours=15)
    answer(hosted, "federation", "klingon")
    if part == "its log":  # somebody reads while the folder is copied, so the log is not folded in
        with closing(sqlite3.connect(hosted.folder / "mail" / "club.db")) as reader:
            reader.execute("SELECT * FROM facts").fetchall()
            go(hosted, state)
            shutil.copytree(hosted.folder, tmp_path / "copy")
        assert (tmp_path / "copy" / "mail" / "club.db-wal").stat().st_size > 0
        for path in (tmp_path / "copy" / "mail").glob("club.db-*"):
            path.unlink()
        shutil.rmtree(hosted.folder)
        shutil.copytree(tmp_path / "copy", hosted.folder)
    else:
        go(hosted, state)
        database, old = hosted.folder / "mail" / "club.db", tmp_path / "before" / "mail" / "club.db"
        if part == "no database":
            database.unlink()
        elif part == "the database":
            shutil.copyfile(old, database)
        else:
            shutil.copyfile(database, old)
            put_back(hosted, tmp_path / "before")
            shutil.rmtree(state)  # nobody else knows of the round
            without_mark(hosted)
    logs = hosted.logs()
    for _ in range(2):
        done = go(hosted, state)
        assert done.halted and "--restored" in done.troubles[0], done
    if part != "all but the database":
        assert "mail/club.db is older than the rest" in done.troubles[0]
    assert hosted.logs() == logs
    assert not go(hosted, state, restored=True).halted
    hosted.now += timedelta(hours=1)
    answer(hosted, "federation", "klingon")
    assert not go(hosted, state).halted
    with opened(hosted.game) as game:
        assert verify(game).faults == ()
        passed = [one.event for one in game.records() if isinstance(one.event, DicePassed)]
    assert passed, "nobody knows which dice the players know, so all are new ones"


def test_a_host_that_stops_while_it_counts_a_round_goes_on(tmp_path: Path) -> None:
    hosted, state = Hosted(tmp_path / "host"), tmp_path / "state"
    go(hosted, state)
    kept = hosted.folder, tmp_path / "start"
    shutil.copytree(*kept)

    def count(folder: Path) -> None:
        CopyCheck(folder, state.with_name("counting")).add(NOW, (), ())

    shutil.copytree(hosted.folder, tmp_path / "whole")
    done = operations(lambda: count(tmp_path / "whole"), under=tmp_path / "whole")
    assert any(one.startswith("COMMIT") for one in done) and sum("host.json" in one for one in done) > 1
    for n in range(len(done)):
        folder = Path(shutil.copytree(tmp_path / "start", tmp_path / f"cut {n}"))
        with cut_at(n, under=folder) as cut:
            count(folder)
        assert cut.fell and not CopyCheck(folder, state).parted, done[n]
        count(folder)
        assert not CopyCheck(folder, state).parted, done[n]
