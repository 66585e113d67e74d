"""What the post does where something seldom happens: headers nobody can read, links in a club's folder, a clock of a
game that is over, a keyring that does not answer.
"""

from __future__ import annotations

import base64
import hashlib
import imaplib
import os
import stat
import sys
import tarfile
from collections.abc import Iterator
from datetime import date, timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from pbem.desk.files import keep, read_kept, write_bytes
from pbem.desk.opened import opened
from pbem.desk.played import CLOCK, FOLDER
from pbem.desk.players import note_names
from pbem.desk.site import Mark, Told
from pbem.desk.status import status
from pbem.desk.versions import note_version
from pbem.faults import GameError
from pbem.game.events import Requested
from pbem.game.state import Request
from pbem.orders.charset import no_plain_text
from pbem.post import (
    absences,
    addresses,
    announcing,
    asks,
    calls,
    commands,
    digest,
    doctor,
    endings,
    headers,
    imap,
    intake,
    letters,
    move,
    passwords,
    replacing,
    rulings,
    settings,
    tidy,
    timetable,
    until,
    watching,
    wishes,
    wording,
)
from pbem.post.answering import Attendant, _ruled
from pbem.post.backup import MOVED, backup
from pbem.post.clock import days_in
from pbem.post.inbox import open_source
from pbem.post.intake import games_of
from pbem.post.ledger import FILE as JOURNAL
from pbem.post.letters import Letter, read_letter
from pbem.post.mailbox import Maildir, Mbox, OneLetter
from pbem.post.outbox import open_outbox
from pbem.post.overview import _row
from pbem.post.passwords import Wanted
from pbem.post.people import MOVES, Move, read_moves, read_people
from pbem.post.replies import Reply
from pbem.post.resting import Rest
from pbem.post.settings import read_host
from pbem.post.unreachable import Unreachable
from pbem.post.watching import Watcher
from pbem.post.who import Games, Seat
from pbem.values.words import FormKind, StepName

if TYPE_CHECKING:
    from tests.post.conftest import Write
    from tests.post.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

    Write = Any

ANN, NEW = "ann@example.org", "new@example.org"


# --- letters ---


class Unreadable(Message):
    """What the library raises where a header cannot be taken apart."""

    def get(self, name: str, failobj: Any = None) -> Any:
        if name == "Subject":
            raise IndexError(name)
        return super().get(name, failobj)

    def get_all(self, name: str, failobj: Any = None) -> Any:
        if name == "Cc":
            raise IndexError(name)
        return [f"{name}@example.org"]

    def get_param(self, *given: Any, **more: Any) -> Any:
        raise LookupError

    def get_content_charset(self, failobj: Any = None) -> Any:
        raise LookupError


def test_headers_that_cannot_be_read_are_none_and_hide_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    one = Unreadable()
    assert headers.header(one, "Subject") == "" and letters._says(one, "format") == ""
    assert headers.addresses(one, "To", "Cc", "From") == ("to@example.org", "from@example.org")
    one.set_payload("gr\u00fcn".encode(), "latin-1")
    assert letters._decoded(one, []) == "gr\u00fcn"

    class HeaderParseError(Exception):
        pass

    def fails(error: Exception) -> Any:
        def decode(value: str) -> Any:
            raise error

        return decode

    for error in (HeaderParseError("x"), ValueError("x"), RecursionError()):
        monkeypatch.setattr(headers, "decode_header", fails(error))
        assert headers.plain("=?utf-8?q?x?=") == "=?utf-8?q?x?="
    monkeypatch.setattr(headers, "decode_header", fails(OSError("x")))
    with pytest.raises(OSError, match="x"):
        headers.plain("x")


@pytest.mark.parametrize(("raw", "read"), [
    (b"x" * 4001, "x" * 4000), (b"=?utf-8?q?gr=C3=BCn?= =?utf-8?q?_blau?=", "gr\u00fcn blau"),
    (b"=?cp9999?q?gr=FCn?=", "gr\u00fcn"), (b"=?utf-8?q?gr=FCn?=", "gr\u00fcn"), (b"one\r\n two", "one two"),
    (b"a\x00b\x07  c", "a b c"),
])  # fmt: skip
def test_a_subject_is_one_line_of_plain_text(raw: bytes, read: str) -> None:
    subject = headers.header(message_from_bytes(b"Subject: " + raw + b"\n\n"), "Subject")
    assert headers.one_line(subject) == read[:1000] and len(headers.one_line("y" * 3000)) == 1000
    assert headers.header(Message(), "Subject") == ""


def test_a_letter_that_cannot_be_taken_apart_is_known_by_its_head(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(message: Message, faults: list[str]) -> Iterator[Any]:
        raise AttributeError
        yield

    monkeypatch.setattr(letters, "_parts", breaks)
    found = read_letter(f"From: {ANN}\nSubject: hello\nContent-Type: multipart/mixed\n\nbody".encode())
    assert (found.sender, found.subject, found.kind) == (ANN, "hello", "empty")
    assert found.faults == ("the letter could not be taken apart (AttributeError)",)


def test_letters_that_are_done_and_came_since_a_backup_are_fetched_again(tmp_path: Path) -> None:
    box = Maildir(tmp_path)
    for name in ("new", "cur"):
        (tmp_path / name).mkdir()
    moment = START.timestamp()
    for name, at in (("1.a:2,S", moment - 1), ("2.a:2,S", moment), ("3.a:2,RS", moment + 1), ("4.a:2,", moment - 9)):
        (tmp_path / "cur" / name).write_bytes(name.encode())
        os.utime(tmp_path / "cur" / name, (at, at))
    (tmp_path / "new" / "0.a").write_bytes(b"new")
    assert [raw for _, raw in box.fetch()] == [b"new", b"4.a:2,"]
    box.since = START
    assert [raw for _, raw in box.fetch()] == [b"new", b"2.a:2,S", b"3.a:2,RS", b"4.a:2,"]
    assert not box.came_since(tmp_path / "cur" / "gone") and not box.came_since(tmp_path / "cur")
    assert isinstance(open_source({"kind": "pipe"}, tmp_path), OneLetter)


def test_lines_that_rule_go_on_where_they_are_indented() -> None:
    text = (
        "Hello\n  there\nRULE Raider shield 1 = 3\n  and so on\n\tand on\nREASON It was\n  misread\n\n  no\nBye\n  x\n"
    )
    assert rulings.ruling_lines(text) == ("RULE Raider shield 1 = 3 and so on and on", "REASON It was misread")


def test_the_word_by_which_a_ruling_is_done_is_short_and_another_for_another_one() -> None:
    words = {rulings._word(hashlib.sha256(bytes([number])).hexdigest()) for number in range(200)}
    assert len(words) == 200 and {len(word) for word in words} == {6}
    assert all(rulings._DO_IT.fullmatch(f"DO IT {word}") for word in words)


def test_a_word_that_leads_to_no_page_is_no_topic() -> None:
    assert [wording._leads_to_a_page(said) for said in ("away", "nothing of the kind", "x" * 500)] == [
        True,
        False,
        False,
    ]


def test_the_words_of_a_mail_server_are_told_in_one_line() -> None:
    said: list[Any] = [b"it  is", (b"closed", None, b"now"), None, 7]
    assert [*imap._flat(said)] == [b"it  is", b"closed", b"now"]
    assert imap._answer(("OK", said)) == [said[0], said[1], 7]
    for data, told in ((said[:2], "it  is closed now"), ([], "NO"), ([None], "NO"), ([b"x" * 300], "x" * 200)):
        with pytest.raises(imaplib.IMAP4.error) as refused:
            imap._answer(("NO", data))
        assert str(refused.value) == told
    errors: tuple[tuple[Exception, str], ...] = (
        (OSError(2, "gone"), "[Errno 2] gone"), (ValueError(b"in  bytes"), "in bytes"), (ValueError(), "ValueError"),
        (ValueError("y" * 300), "y" * 200), (ValueError("a", "b"), "('a', 'b')"),
    )  # fmt: skip
    assert [imap._plain(error) for error, _ in errors] == [told for _, told in errors]


def test_a_file_of_orders_that_is_no_text_is_told_as_attached() -> None:
    """Whatever it is called; it is looked at where its name says orders."""
    head = (
        "Content-Type: application/octet-stream\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment; "
    )
    data = b"PK\x03\x04" + bytes(60)
    for name in ("a.orders", "a.bin"):
        raw = f'{head}filename="{name}"\n\n{base64.b64encode(data).decode()}\n'
        (part,) = letters._parts(message_from_bytes(raw.encode()), [])
        assert (part.name, part.attached, part.text, part.unread) == (name, True, "", no_plain_text(data))
        assert part.unread


def test_a_mail_of_files_is_the_same_bytes_each_time_in_lines_that_every_server_takes() -> None:
    page = b"<p>" + b"y" * 2000 + b"</p>"
    reply = Reply(
        kind="command", to=ANN, subject="s", text="gr\u00fcn " + "x" * 2000, html="<p>" + "gr\u00fcn " * 300,
        key="k", in_reply_to="<a@b>",
        references=("<c@d>", "<e@f>"), attachments=(("p.html", "text/html", page), ("odd", "application/", b"\x00")),
    )  # fmt: skip
    made = intake.eml(reply, "orders@host.example")
    assert made == intake.eml(reply, "orders@host.example") and max(map(len, made.split(b"\r\n"))) < 990
    message = message_from_bytes(made)
    parts = [part for part in message.walk() if not part.is_multipart()]
    assert [part.get_boundary() for part in message.walk() if part.is_multipart()] == ["=_k_0", "=_k_1"]
    assert [part.get_content_type() for part in parts] == [
        "text/plain", "text/html", "text/html", "application/octet-stream"
    ]  # fmt: skip
    assert [part["Content-Transfer-Encoding"] for part in parts[:2]] == ["quoted-printable"] * 2
    assert parts[2].get_payload(decode=True) == page and parts[2].get_filename() == "p.html"
    heads = {
        name: message[name] for name in ("From", "To", "Message-ID", "Auto-Submitted", "In-Reply-To", "References")
    }
    assert list(heads.values()) == [
        "orders@host.example", ANN, "<k@pbem.invalid>", "auto-replied", "<a@b>", "<c@d> <e@f>"
    ]  # fmt: skip


def test_what_spectators_are_told_is_made_once_and_named_for_each(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def told_of(game: object) -> Told:
        made.append(1)
        return Told(game="duel01", turn=2, over=True, digest="d", text="the turn", page=b"page")

    monkeypatch.setattr(watching, "told_of", told_of)
    monkeypatch.setattr(watching, "ended", lambda game: (2, "d"))
    monkeypatch.setattr(watching, "mark_of", lambda folder: Mark(format=1, public=True))
    one = watching.Watching(hosted.folder, games_of(hosted.folder), read_people(hosted.folder))
    one.watchers = tuple(Watcher(address=f"{who}@x.org", games=frozenset({"all"})) for who in "ab")
    put: list[Reply] = []
    with opened(hosted.game, lock="test") as game:
        for _ in range(2):
            one.tell(game, [], (), put.append)
    assert made == [1] and [reply.to for reply in put] == ["a@x.org", "b@x.org"], "once"
    assert len({reply.key for reply in put}) == 2 and all(" 2 d " in reply.key for reply in put)
    assert all(reply.subject.startswith("duel01: turn 2, as everybody may know it, the last TOKEN ") for reply in put)
    assert put[0].attachments == (("sitrep.html", "text/html", b"page"),) and put[0].text.endswith("\n\nthe turn")
    assert (put[0].kind, put[0].game, put[0].side) == ("watch", "duel01", watching.SIDE)


def test_a_spectator_is_answered_in_his_thread(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the last of what his letter was an answer to, and once: the same letter has the same answer."""
    (hosted.folder / "players.toml").write_text(
        'format = 1\n[people.zoe]\nname = "Zoe"\nmail = "zoe@example.org"\nwatches = ["all"]\n', encoding="utf-8"
    )
    games = msgspec.structs.replace(games_of(hosted.folder, START), club=hosted.folder)
    letter = Letter(
        kind="command", digest="d", sender="zoe@example.org", text="", command="UNWATCH", argument="ALL",
        references=tuple(f"<{n}@x>" for n in range(12)), message_id="<m@x>",
        tokens=(watching.token_for(games.post, "zoe@example.org"),),
    )  # fmt: skip
    answers = [watching.asked(letter, games) for _ in range(2)]
    assert answers[0] is not None and answers[0] == answers[1]
    (reply,) = answers[0]
    assert reply.references == (*(f"<{n}@x>" for n in range(2, 12)), "<m@x>") and reply.in_reply_to == "<m@x>"
    assert (reply.to, reply.side, reply.kind) == ("Zoe <zoe@example.org>", watching.SIDE, "command")
    assert len(reply.key) == 40 and reply.key != letter.digest and "You watch no game now." in reply.text
    assert len(watching.read_wishes(games.post)) == 1
    for other in ({"command": "STATUS"}, {"sender": "bob@example.org"}, {"tokens": ()}, {"sender": ""}):
        assert watching.asked(msgspec.structs.replace(letter, **other), games) is None
    assert watching.asked(letter, msgspec.structs.replace(games, club=None)) is None


def test_a_journal_that_was_begun_anew_is_told_from_there(tmp_path: Path) -> None:
    """What was being told of the old one is done with."""
    (tmp_path / JOURNAL).write_bytes(b"x" * 7)
    keep(tmp_path / digest.FILE, digest.Told(told=50, at=START, telling=90))
    digest.tell(tmp_path, "umpire@host.example", "UTC", START, lambda reply: pytest.fail("nothing is new"))
    kept = read_kept(tmp_path / digest.FILE, digest.Told)
    assert kept == digest.Told(told=7, at=START, telling=0)


def test_letters_of_a_mailbox_are_taken_by_number_and_done_ones_once(monkeypatch: pytest.MonkeyPatch) -> None:
    box = imap.Imap(imap.Account(host="in.example.org", user="ann"))
    there = {"UNSEEN": ["9", "10"], "ALL": ["3"], "SINCE": ["2", "10", "100"]}
    monkeypatch.setattr(box, "_search", lambda server, *wanted: there[wanted[0]])
    server: Any = SimpleNamespace(list="list", select="select")
    assert box._uids(server) == ["9", "10"]
    box.since, box._marked = START, frozenset({"9"})
    assert box._uids(server) == ["2", "10", "100"], "the mark of a host is no letter"
    assert [*box._done_since(server, set())] == [], "they are in the mailbox itself"
    box.account = imap.Account(host="in.example.org", user="ann", done="Done")
    box._marked = frozenset()
    assert box._uids(server) == ["3"]
    asked: list[tuple[Any, ...]] = []

    def ask(*given: Any, **more: Any) -> list[bytes]:
        asked.append(given)
        return [b"Done"]

    monkeypatch.setattr(box, "_asked", ask)
    monkeypatch.setattr(box, "_open", lambda server: asked.append(("open",)))
    monkeypatch.setattr(box, "_letter_or_miss", lambda server, uid: None if uid == "10" else uid.encode())
    tried: set[str] = set()
    taken = [*box._done_since(server, tried)]
    assert [raw for _, raw in taken] == [b"2", b"100"] and len({key for key, _ in taken}) == 2
    assert [one[0] for one in asked] == ["list", "select", "open"] and asked[1][2] is True, "it is only looked at"
    assert [*box._done_since(server, tried)] == [], "once"
    monkeypatch.setattr(box, "_asked", lambda *given, **more: [])
    assert [*box._done_since(server, set())] == [], "nothing was done yet"


def test_what_a_server_refuses_is_told_of_the_inbox() -> None:
    account = imap.Account(host="in.example.org", user="ann")
    for error, said in (
        (imaplib.IMAP4.error(b"no such  box"), "the mail server in.example.org refuses: no such box"),
        (OSError(111, "Connection refused"), "the mail server in.example.org cannot be reached: Connection refused"),
        (OSError("odd"), "the mail server in.example.org cannot be reached: odd"),
        (ValueError("x"), "the mail server in.example.org answers what cannot be understood: x"),
    ):
        with pytest.raises(GameError) as told, imap._saying(account):
            raise error
        assert [str(fault) for fault in told.value.faults] == [f"[inbox]: no-mailbox: {said}"]


def test_a_single_letter_shows_that_no_mark_of_a_host_is_there(tmp_path: Path) -> None:
    shown: list[tuple[str, ...]] = []
    (tmp_path / "one").write_bytes(b"From zoe@example.org Mon\nSubject: s\n\nx\n")
    letter = OneLetter(tmp_path / "one")
    letter.guard = shown.append
    assert [*letter.fetch()] == [("-", b"Subject: s\n\nx\n")] and shown == [()] and letter.left
    letter.done("-")
    assert not letter.left and letter.missed() == ()
    (tmp_path / "one").write_bytes(b" \n")
    assert [*letter.fetch()] == [] and not letter.left


def test_a_saved_mail_is_read_whoever_seems_to_have_written_it() -> None:
    """Somebody saved it and hands it in: a machine has not."""
    head = f"From: {ANN}\nTo: orders@host.example\nSubject: s\nMessage-ID: <m@x>\nAuto-Submitted: auto-generated\n"
    head += "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
    orders = "GAME duel TURN 1 SIDE klingon REPLY 1\nSHIP Destruction\nEND\n"
    told = letters.text_of_mail(f"{head}\n{orders}\nMESSAGE TO ALL\nHi\nEND MESSAGE\n".encode())
    assert told.startswith(orders.strip()) and told.endswith("MESSAGE TO ALL\nHi\nEND MESSAGE")
    assert letters.text_of_mail(f"{head}\nSTATUS please\n".encode()) == "" == letters.text_of_mail(orders.encode())


def test_the_name_of_a_letter_stays_what_it_is() -> None:
    """It is in file names and Message-IDs of clubs: another one would send all of it again."""
    reply = Reply(
        to=ANN, subject="s", text="t", kind="command", html="h", in_reply_to="<a@b>", references=("<c@d>",), game="g",
        side="klingon", attachments=(("n", "text/plain", b"x"),), pictures=(("p", "p.png", b"y"),),
    )  # fmt: skip
    assert reply.key == "99d6cca38005ebcf41c94d3f7fc1d53b2c45f9df"
    others = {"to": "x", "subject": "x", "text": "x", "html": "x", "in_reply_to": "x", "game": "x", "side": "x"}
    keys = {msgspec.structs.replace(reply, key="", **{field: value}).key for field, value in others.items()}
    assert len(keys | {reply.key}) == 8
    assert (
        Reply(to="", subject="ab", text="c", kind="notice").key
        != Reply(to="", subject="a", text="bc", kind="notice").key
    )


def test_who_is_away_until_today_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    days = [days_in(f"2027-03-0{day}") for day in (1, 2, 3)]
    known = [SimpleNamespace(days=one, is_of=lambda seat: True) for one in days]
    monkeypatch.setattr(absences, "read_absences", lambda post: known)
    desk: Any = SimpleNamespace(games=SimpleNamespace(post=None), seat=None)
    assert asks._known(desk, date(2027, 3, 2)) == f"You are away on {days[1]}, {days[2]}."
    assert asks._known(desk, date(2027, 3, 4)) == "You have told of no absence."


def test_an_mbox_is_locked_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a letter that is being delivered is read by halves; where nobody may lock, nobody writes."""
    (tmp_path / "box").write_bytes(b"From zoe Mon Mar  1 12:00:00 2027\nSubject: s\n\nx\n\n")
    locked: list[str] = []
    monkeypatch.setattr("mailbox.mbox.lock", lambda box: locked.append("lock"))
    assert [raw for _, raw in Mbox(tmp_path / "box").fetch()] == [b"Subject: s\n\nx\n"]
    assert locked == ["lock"]

    def nobody(box: object) -> None:
        raise OSError

    monkeypatch.setattr("mailbox.mbox.lock", nobody)
    assert len([*Mbox(tmp_path / "box").fetch()]) == 1


# --- addresses ---


@pytest.mark.parametrize(("change", "answered"), [
    ({}, True), ({"old": "zoe@example.org", "new": "zoe@example.com"}, False), ({"code": "x"}, False),
    ({"asked": START - timedelta(days=60)}, False), ({"asked": START - timedelta(days=30)}, False),
    ({"asked": START - timedelta(days=30, seconds=-1)}, True),
    ({"asked": START - timedelta(days=60), "done": START}, True),
])  # fmt: skip
def test_a_code_that_comes_back_moves_the_mail_of_who_plays_here(
    hosted: Hosted, change: dict[str, Any], answered: bool
) -> None:
    games = msgspec.structs.replace(games_of(hosted.folder, START), club=hosted.folder, now=START)
    move = Move(**{"old": ANN, "new": NEW, "code": "abc", "cause": "c", "asked": START, **change})
    keep(games.post / MOVES, [move])
    letter = Letter(kind="command", digest="d", sender=move.new, text="", command="ADDRESS", argument="CODE ABC")
    found = addresses.confirmed(letter, games)
    assert (found is not None) == answered
    if found is not None:
        assert found[0].side == "federation" and [one.to for one in found[1]] == [NEW, ANN]
    (kept,) = read_moves(games.post)
    assert kept.done == (START if answered else None)
    for other in ({"command": "STATUS"}, {"argument": "CODE"}, {"argument": "ABC"}, {"sender": "zoe@example.org"}):
        assert addresses.confirmed(msgspec.structs.replace(letter, **other), games) is None
    assert addresses.confirmed(letter, msgspec.structs.replace(games, now=None)) is None


def test_what_is_kept_for_people_to_look_into_stands_in_lines(hosted: Hosted, tmp_path: Path) -> None:
    """Of a club and of a game: whoever wonders what the host knows opens these files."""
    club, game, post = hosted.folder, hosted.game, hosted.folder / "mail"
    days = days_in("2027-03-05")
    assert days is not None
    with opened(game, lock="test") as one:
        timetable.start(one, START)
        note_version(one, 1, "0.0.1")
        replacing.replace(one, "klingon", "zoe@example.org", START)
    calls.move(club, ANN, NEW, START)
    for cause in "ab":
        absences.add_absence(post, absences.Absence(who=cause, days=days, cause=cause))
    written = {
        game: [f"{FOLDER}/{CLOCK}", "versions.json"],
        game / "secret": ["tokens.json", "tenures.json", "players.json", "names.json"],
        post: [absences.FILE, MOVES],
    }
    note_names(game, {"zoe@example.org": "Zoe"})
    endings.forget(game, "klingon")
    for folder, names in written.items():
        for name in names:
            lines = (folder / name).read_text(encoding="utf-8").split("\n")
            assert len(lines) > 3 and lines[1].startswith(" ") and lines[-1] == "", name
    absences.end_absences(post, lambda one: one.who == "a", date(2027, 3, 1))
    assert (post / absences.FILE).read_text(encoding="utf-8").count("\n") > 3
    move.move(club, tmp_path / "packed.tar.gz", START)
    assert (club / MOVED).read_text(encoding="utf-8").startswith("{\n ")


def test_an_address_somebody_also_writes_from_is_kept_as_out_of_reach(tmp_path: Path) -> None:
    """Mail to it came back, and no side's time hangs on it: as long as it is somebody's it is told."""
    seats = [Seat(game="duel", folder=tmp_path, side="gorn", addresses=("a@x.org", "b@x.org"), token="t")]
    for others, left in (((), {"a@x.org", "b@x.org"}), (("c@x.org",), {"a@x.org", "b@x.org", "c@x.org"})):
        known = Unreachable(tmp_path)
        known.lose(("A@x.org", "b@x.org", "c@x.org"), "no such user", START)
        known.write(seats, others)
        assert set(known.known) == left == set(Unreachable(tmp_path).known)
        assert known.known["a@x.org"].sides == (("duel", "gorn"),) and known.known["b@x.org"].sides == ()
        assert len(known.told(seats, "UTC")) == 2


def test_a_game_that_is_over_stands_last_and_as_over(hosted: Hosted) -> None:
    host = read_host(hosted.folder)
    row = _row(hosted.game, host, Rest(mark=""), timetable.NEVER, START)
    assert (row.name, row.says, row.stands, row.due) == ("duel01", "over", "over", None)
    row = _row(hosted.game, host, None, timetable.NEVER, START)
    assert (row.says, row.stands) == ("nothing is asked yet", "")


def test_what_was_asked_for_twice_is_done_once(hosted: Hosted) -> None:
    letter = Letter(kind="orders", digest="d", sender=ANN, text="")
    with opened(hosted.game, lock="test") as game:
        timetable.start(game, START)
        ruling = rulings.Ruling(letter, game, cast(Any, SimpleNamespace(plays="")), "t", "k", START)
        for act, paused in (("RESUME", False), ("PAUSE", True), ("PAUSE", True), ("RESUME", False), ("RESUME", False)):
            ruling._carry_out(rulings.Act(act=act, reason="r"), "w")
            assert (timetable.read_clock(hosted.game).paused is not None) == paused
        due = [timetable.due_of(hosted.game, START)]
        for _ in range(2):
            ruling._carry_out(rulings.Act(act="EXTEND", said="2 days", reason="r"), "w")
            due.append(timetable.due_of(hosted.game, START))
    assert due[1] == due[2] and due[0] is not None and due[1] is not None
    assert due[1][0].due - due[0][0].due == timedelta(days=2)


def test_a_letter_of_an_umpire_that_rules_nothing_says_so_in_the_journal_alone(hosted: Hosted) -> None:
    games = msgspec.structs.replace(games_of(hosted.folder, START), now=START)
    letter = Letter(kind="orders", digest="d", sender=ANN, text="Thank you!\n")
    done = _ruled(letter, games, hosted.game, cast(Any, SimpleNamespace(plays="")))
    assert (done.done, done.game, done.side, done.why, done.replies) == (
        "empty", "duel01", "", "it is the umpire's, and rules nothing", ()
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_mails_that_are_given_up_are_nobody_elses(hosted: Hosted) -> None:
    outbox = open_outbox(hosted.folder, read_host(hosted.folder), Games(seats=(), post=hosted.folder / "mail"))
    write_bytes(outbox.failed / "a.b.c.eml", b"To: zoe@example.org\r\n\r\nx", private=True)
    write_bytes(outbox.failed / "a.b.c.txt", b"no such user\n", private=True)
    (one,) = outbox.failures()
    assert (one.reader, one.why, one.about) == ("zoe@example.org", "no such user", "b.c")
    outbox.give_up(one)
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in outbox.given_up.iterdir()} == {
        "a.b.c.eml": 0o600, "a.b.c.txt": 0o600
    }  # fmt: skip
    assert stat.S_IMODE(outbox.given_up.stat().st_mode) == 0o700 and outbox.failures() == []


def test_for_whom_the_host_filed_is_told_of_the_request_before_this_one(tmp_path: Path) -> None:
    """Of a game that is over, of its last."""
    asked = [
        Request(number=number, turn=1, impulse=0, form=FormKind.EAF, sides=("gorn", "klingon"), through=16)
        for number in (1, 2, 3)
    ]

    def told(requests: list[Request], now: Request | None) -> list[str]:
        log: Any = [
            SimpleNamespace(event=Requested(turn=1, impulse=0, step=StepName.MOVE, request=one)) for one in requests
        ]
        game: Any = SimpleNamespace(
            effective=lambda: log, state=lambda: SimpleNamespace(request=now),
            order_file=lambda turn, side, number: tmp_path / f"{turn}.{side}.{number}",
        )  # fmt: skip
        return announcing.filed_by_host(game)

    for number in (1, 2, 3):
        (tmp_path / f"1.gorn.{number}").write_text(f"# {announcing.BY_HOST} ({number})\nGAME\n", encoding="utf-8")
        (tmp_path / f"1.klingon.{number}").write_text(f"GAME\n# {announcing.BY_HOST}\n", encoding="utf-8")
    assert told(asked, asked[2]) == [f"gorn: no orders came for request 2 of turn 1. {announcing.BY_HOST} (2)"]
    assert told(asked, None) == [f"gorn: no orders came for request 3 of turn 1. {announcing.BY_HOST} (3)"]
    assert told(asked[:1], asked[0]) == [] == told([], None)
    assert len(told(asked[:1], None)) == 1


# --- folders ---


@pytest.mark.skipif(os.name == "nt", reason="links take a right there that few have")
def test_links_in_a_club_are_left_out_of_its_backup_and_told(hosted: Hosted, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "theirs.txt").write_bytes(b"x")
    (hosted.folder / "link").symlink_to(tmp_path / "else")
    (hosted.folder / "dangling").symlink_to(tmp_path / "nowhere")
    (hosted.folder / "to-a-file").symlink_to(tmp_path / "else" / "theirs.txt")
    for name in ("x.lock", "y.tmp", "z.txt"):
        (hosted.folder / "mail" / name).parent.mkdir(exist_ok=True)
        (hosted.folder / "mail" / name).write_bytes(b"z")
    made = backup(hosted.folder, tmp_path / "b.tar.gz")
    assert sorted(made.left_out) == [str(hosted.folder / "dangling"), str(hosted.folder / "link")]
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        names = {one.name: one for one in tar.getmembers()}
    assert made.files == sum(one.isreg() for one in names.values())
    assert names["club/to-a-file"].isreg() and "club/mail/z.txt" in names and "club/games/duel01/game.toml" in names
    assert not [name for name in names if name.endswith((".lock", ".tmp")) or "theirs" in name or "link" in name]


def test_games_whose_names_cannot_be_written_are_told_and_the_others_found(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = hosted.folder / "games"
    real = settings._is_file

    def look(path: str) -> bool:
        if "sealed" in path:
            raise PermissionError(13, "Permission denied", path)
        return "odd" in path or real(path)

    monkeypatch.setattr(settings, "_is_file", look)
    monkeypatch.setattr(os, "listdir", lambda folder: ["sealed", "odd\udcff", "duel01", "none"])
    found, broken = settings.games_under(home)
    assert [path.name for path in found] == ["duel01"]
    assert broken == [
        ("odd\\udcff", "a name or a file in it is not UTF-8 text"),
        ("sealed", f"Permission denied: {home / 'sealed' / 'game.toml'}"),
    ]


def test_a_game_that_cannot_be_opened_keeps_no_other_from_being_tidied(hosted: Hosted) -> None:
    (hosted.folder / "games" / "broken").mkdir()
    (hosted.folder / "games" / "broken" / "game.toml").write_bytes(b"format = 9\n")
    done = tidy.tidy(hosted.folder, START, "60 days")
    assert done.troubles == ("broken: this game has format 9; this version plays format 1",) and done.freed == 0


def test_an_outbox_that_cannot_be_put_in_order_says_so_once(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = open_outbox(hosted.folder, read_host(hosted.folder), Games(seats=(), post=hosted.folder / "mail"))

    def full() -> None:
        raise OSError(28, "No space left on device", "sent")

    monkeypatch.setattr(outbox, "_gather", full)
    done = outbox.deliver(None, START)
    assert done.trouble == "No space left on device: sent" and done.reached is None and done.waiting == 0


def test_who_watches_what_is_not_there_is_told_by_the_doctor(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["ann watches nothing", "bob neither"]
    monkeypatch.setattr(doctor, "watched_wrongly", lambda folder, names, people: said if names == ["duel01"] else [])
    assert [(one.what, one.right, one.said) for one in doctor._watched(hosted.folder)] == [
        ("spectators", False, one) for one in said
    ]
    (hosted.folder / "players.toml").write_bytes(b"\xff")
    assert [*doctor._watched(hosted.folder)] == []


# --- mails that tell a deadline ---


def test_the_line_of_a_deadline_is_taken_off_a_mail_whatever_stands_in_it() -> None:
    told = until.Until(game="duel", side="gorn", asking=(1, 2, 3), words="by Monday", standing="open")
    mail = b"Subject: s\r\n\r\nbody\r\n"
    assert until.until_of(until.with_until(mail, told)) == (told, mail)
    assert until.until_of(mail) == (None, mail) and until.with_until(mail, None) == mail
    for broken in (b"{", b"[" * 100_000, b"", b'{"game":1}'):
        assert until.until_of(until.HEADER + broken + b"\r\n" + mail) == (None, mail), broken[:9]


def test_a_mail_whose_request_was_played_keeps_all_that_is_still_true() -> None:
    """What was good for as long as it was not played goes; where nothing was, no line of it is another one."""
    long = "A line that nobody has folded since it is somebody's own: " + "word " * 20
    body = f"{long}\r\n\r\nDue on  Monday.\r\n\r\nYou may send more.\r\n"
    mail = f"Subject: s\r\nContent-Type: text/plain\r\n\r\n{body}".encode()
    told = until.Until(asking=(1, 2, 3), standing="owes", words="Due on Monday.", meanwhile="You may send more.")

    def said(what: until.Until, words: str) -> list[str]:
        text = message_from_bytes(until.as_of(mail, what, words)).get_payload(decode=True)
        assert isinstance(text, bytes)
        return [line for line in text.decode().replace("\r\n", "\n").split("\n") if line]

    assert said(told, "Due on Tuesday.") == [long, "Due on Tuesday.", "You may send more."]
    assert said(told, until.PLAYED) == [long, until.PLAYED]
    bare = msgspec.structs.replace(told, meanwhile="")
    assert said(bare, until.PLAYED) == [long, until.PLAYED, "You may send more."]


# --- passwords ---


def test_where_a_password_was_looked_for_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("PBEM_X", raising=False)
    wanted = Wanted("PBEM_X", "mail.example.org", "ann")
    ring_line = "keyring set 'pbem mail.example.org' ann"
    how = f"write PBEM_X='…' into {tmp_path / passwords.FILE}, or put it into the keyring: {ring_line}"
    kept: dict[tuple[str, str], str | None] = {}
    ring = SimpleNamespace(get_password=lambda service, user: kept.get((service, user)))
    monkeypatch.setattr(passwords, "import_module", lambda name: ring)
    assert passwords.password(*wanted) == ("", f"set the variable PBEM_X, {how}")
    assert passwords.for_service(wanted) == ("", how) and passwords.lacking([wanted]) == [wanted]
    kept["pbem mail.example.org", "ann"] = "secret"
    assert passwords.password(*wanted) == passwords.for_service(wanted) == ("secret", "the keyring")
    assert passwords.lacking([wanted]) == [] and passwords.whence(wanted) == "the keyring"
    monkeypatch.setenv("PBEM_X", "mine")
    assert passwords.password(*wanted) == ("mine", "the variable PBEM_X")
    there = "the variable PBEM_X in this shell; a service takes another one, that of the keyring"
    assert passwords.whence(wanted) == there
    kept.clear()
    assert passwords.whence(wanted) == "the variable PBEM_X, only in this shell: a service will not have it"

    def locked(service: str, user: str) -> str:
        raise RuntimeError("it is  locked\n" + "x" * 200)

    ring.get_password = locked
    said = passwords.for_service(wanted).source
    assert said == f"{how} (the keyring does not answer: it is locked {'x' * 87})"
    (tmp_path / passwords.FILE).write_text("PBEM_X=$other\n", encoding="utf-8")
    assert passwords.for_service(wanted).source.startswith(
        f"{how} (line 1 of {tmp_path / passwords.FILE} is not of the form"
    )
    monkeypatch.setattr(passwords, "_of_account", lambda variable: "theirs")
    assert passwords.for_service(wanted) == ("theirs", "the variable PBEM_X of your account")

    def none(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(passwords, "import_module", none)
    assert passwords._needs_keyring().startswith(" (it needs: ")
    assert passwords._without_shell(wanted, "").source.count("it needs: ") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there a file has no such modes")
def test_what_somebody_is_told_who_has_a_service_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(passwords, "import_module", lambda name: SimpleNamespace(get_password=lambda *given: None))
    file = tmp_path / passwords.FILE
    one, other = Wanted("PBEM_X", "in.example.org", "ann"), Wanted("PBEM_Y", "out.example.org", "bob")
    assert [*passwords.how_for_service([])] == []
    assert [*passwords.how_for_service([one])] == [
        "A service does not see the variables of this shell, and finds no password for ann at in.example.org.",
        f"Write into {file}, a file that only you may read (chmod 600 {file}):", "    PBEM_X='…'",
        "or put it into the keyring:", "    keyring set 'pbem in.example.org' ann",
    ]  # fmt: skip
    said = [*passwords.how_for_service([one, other])]
    assert said[0].endswith("finds no password for ann at in.example.org nor for bob at out.example.org.")
    assert said[4] == "or put them into the keyring:" and len(said) == 7
    write_bytes(file, b"PBEM_X='x'\nPBEM_Y='y'\n", private=True)
    assert [*passwords.how_for_service([one, other])] == [] == passwords.lacking([one, other])
    file.chmod(0o640)
    assert [*passwords.how_for_service([one])] == [f"Mend this: others may read {file}: chmod 600 {file}."]
    file.chmod(0o600)
    file.write_text(f"{passwords.SMTP_PASSWORD}=$x\n", encoding="utf-8")
    assert passwords.file_trouble().startswith(f"line 1 of {file} is not of the form {passwords.SMTP_PASSWORD}=")


# --- a game that is over, or asks nothing ---


def test_who_is_asked_nothing_waits_for_nothing_and_takes_nothing_back(
    duel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(duel, lock="test") as game:
        state = game.state()
        wishes.set_wait(game, "klingon", wait=True)
        assert wishes.waiting(game) == ("klingon",)
        game._state = msgspec.structs.replace(state, request=None, over=True)
        wishes.set_wait(game, "klingon", wait=False)
        assert wishes.waiting(game) == () and not wishes.withdraw(game, "klingon")
        game._state = state
        assert wishes.waiting(game) == ("klingon",), "what was asked for stands"
        wishes.set_wait(game, "klingon", wait=False)
        assert wishes.waiting(game) == () and not wishes.withdraw(game, "klingon")


def test_other_games_are_told_as_they_stand_or_cannot_be_looked_at(
    duel: Path, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = games.seats[0]
    real = status
    monkeypatch.setattr(commands, "look", lambda game: msgspec.structs.replace(real(game), request=None))
    assert commands._in_short(seat, None) == "the game is over."
    monkeypatch.setattr(commands, "look", real)
    assert commands._in_short(seat, None).startswith("turn 1, impulse 0; you owe ")
    assert commands._in_short(msgspec.structs.replace(seat, side="gorn"), None).endswith("nothing is wanted from you.")
    (duel / "game.toml").unlink()
    assert commands._in_short(seat, None) == "it cannot be looked at now."


def test_orders_that_are_sealed_are_not_taken_back(
    duel: Path, games: Games, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seat,) = (one for one in games.seats if one.side == "klingon")
    letter = read_letter(write("klingon", "WITHDRAW"))
    monkeypatch.setattr(commands, "sealing_of", lambda game: object())
    monkeypatch.setattr(wishes, "withdraw", lambda game, side: pytest.fail("it was"))
    with opened(duel, lock="test") as game:
        (reply,) = Attendant(letter, games, seat, game, lambda *_: "").attend().replies
    assert "nothing to take back" in reply.subject and "All orders are in and sealed" in reply.text


def test_a_course_that_cannot_be_played_alone_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    desk: Any = SimpleNamespace(
        game=SimpleNamespace(state=lambda: 1, scenario=lambda: 2), seat=SimpleNamespace(side="klingon")
    )
    played: list[Any] = [KeyError("x"), SimpleNamespace(tracks=(), told=())]
    played.append(SimpleNamespace(tracks=(("Raider", ((1, "0101A"), (3, "0102A"))),), told=((3, "It turns."),)))

    def preview(*given: Any) -> Any:
        assert given == (1, 2, "klingon", "CONTINUE")
        found = played.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr("pbem.desk.preview.preview", preview)
    assert commands._alone(desk, "CONTINUE") == [] == commands._alone(desk, "CONTINUE")
    said = commands._alone(desk, "CONTINUE")
    assert said[0] == "IF NOBODY ELSE WERE THERE"
    assert said[2:] == ["  Raider, impulse and hex: 1: 0101A, 3: 0102A", "  impulse 3: It turns."]


def test_what_was_agreed_on_ends_with_who_agreed(duel: Path) -> None:
    keep(duel / "mail" / endings.FILE, endings.Endings(draw=("gorn", "klingon"), resign=("gorn",)))
    endings.forget(duel, "romulan")
    assert endings.read_endings(duel) == endings.Endings(draw=("gorn", "klingon"), resign=("gorn",))
    endings.forget(duel, "gorn")
    assert endings.read_endings(duel) == endings.Endings(draw=("klingon",))
    endings.forget(duel, "klingon")
    assert endings.read_endings(duel) == endings.Endings() and not (duel / "mail" / endings.FILE).exists()


def test_days_away_count_while_the_clock_runs(hosted: Hosted) -> None:
    """Each that begins before the time is over moves its end, and by that perhaps the next one in."""
    host = read_host(hosted.folder)
    days = [days_in(f"2027-03-0{first} to 2027-03-0{last}") for first, last in ((2, 2), (4, 5), (9, 9))]
    away = [timetable.Away(side="klingon", days=one) for one in days if one is not None]
    with opened(hosted.game, lock="test") as game:
        rounds = timetable._rounds_of(hosted.game)
        assert timetable.adopt(game, away, START, host.deadlines, rounds) == timetable.Clock(), "nothing is asked yet"
        timetable.start(game, START)
        clock = timetable.adopt(game, away, START, host.deadlines, rounds)
        assert clock.away == (away[0], away[1]) and timetable.read_clock(hosted.game) == clock
        assert timetable.adopt(game, away, START, host.deadlines, rounds) == clock, "once"
        assert timetable.adopt(game, [], START, host.deadlines, rounds) == clock


def test_a_rule_of_a_game_that_is_broken_is_told_where_it_is_asked_for(hosted: Hosted) -> None:
    (hosted.game / "post.toml").write_text('format = 1\n[deadlines]\nwithin = "soon"\n', encoding="utf-8")
    with pytest.raises(GameError, match="within"):
        settings.game_rule(read_host(hosted.folder), hosted.game)
    (hosted.game / "post.toml").write_text('format = 1\n[deadlines]\nwithin = "9 days"\n', encoding="utf-8")
    rule = settings.game_rule(read_host(hosted.folder), hosted.game)
    assert (rule.within, rule.grace) == ("9 days", "12 hours"), "the rest is the host's"
    assert cast(Any, settings.passwords_wanted(read_host(hosted.folder))) == []
    host = msgspec.structs.replace(
        read_host(hosted.folder),
        inbox={"kind": "imap", "host": "in.example.org", "user": "ann"},
        smtp=settings.Smtp(host="out.example.org", user="bob"),
    )
    assert settings.passwords_wanted(host) == [
        (passwords.SMTP_PASSWORD, "out.example.org", "bob"), (passwords.IMAP_PASSWORD, "in.example.org", "ann")
    ]  # fmt: skip
