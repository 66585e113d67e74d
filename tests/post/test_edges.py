"""Small parts of the post at their edges: values in tables, and whole letters, journals and findings compared."""

from __future__ import annotations

import json
import ssl
import stat
import sys
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.faults import GameError
from pbem.orders.messages import ALL, Message
from pbem.post import timetable, trust
from pbem.post.digest import tell
from pbem.post.headers import ids, one_line
from pbem.post.heartbeat import AGAIN, Heartbeat, Told, Trouble, read_heartbeat
from pbem.post.inbox import open_source
from pbem.post.intake import _seat_of, eml, to_players
from pbem.post.ledger import MOST_ASIDE, Entry, Ledger, Row
from pbem.post.letters import LARGEST_TEXT, Letter, read_letter, text_of_mail
from pbem.post.outbox import BACK_OFF, PATIENCE, TOLD, Later, Outbox, Refused, Unreachable as NoServer, bare
from pbem.post.replies import Reply
from pbem.post.rounds import Rounds
from pbem.post.settings import Host, broken_by, games_under, host_of, printable, read_host
from pbem.post.unreachable import Unreachable
from pbem.post.who import Games, Seat

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
HOST = Host(format=1, orders="orders@host.example", umpire="The Umpire <umpire@host.example>", name="Club")


def private(path: Path) -> bool:
    return sys.platform == "win32" or stat.S_IMODE(path.stat().st_mode) == 0o600


# --- the outbox ------------------------------------------------------------------------------------------------------


class Carrier:
    """Says to each mail what it is told to, then yes."""

    def __init__(self, *answers: Exception) -> None:
        self.answers, self.taken = list(answers), list[tuple[str, str, bytes]]()

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if self.answers:
            raise self.answers.pop(0)
        self.taken.append((sender, to, mail))


def letter(key: str = "k", **more: Any) -> Reply:
    fields: dict[str, Any] = {
        "to": "Ann <Ann@example.org>", "subject": "S", "text": "Hello\n", "kind": "sitrep", "game": "my duel",
        "key": key,
    }  # fmt: skip
    return Reply(**{**fields, "side": "federation", **more})


def test_how_long_a_mail_waits_after_each_refusal(tmp_path: Path) -> None:
    outbox, now, waits = Outbox(tmp_path / "outbox", HOST), NOW, list[timedelta]()
    path = outbox.put(letter())
    assert path is not None and private(path) and outbox.trial(path) is None and outbox.counted() == (1, 0)
    assert path.name.startswith("sitrep.my_duel.federation.")
    while now - NOW < PATIENCE:
        done = outbox.deliver(Carrier(Later(f"not now {len(waits)}")), now)
        assert (done.sent, done.failed, done.later, done.waiting) == ((), (), (path.name,), 1)
        assert (done.trouble, done.reached) == ("", True)
        trial = outbox.trial(path)
        assert trial is not None and private(path.with_suffix(".json"))
        assert (trial.tries, trial.first, trial.why) == (len(waits) + 1, NOW, f"not now {len(waits)}")
        waits.append(trial.next - now)
        assert outbox.due(trial.next - timedelta(seconds=1)) == [] and outbox.due(trial.next) == [path]
        now = trial.next
    assert waits == [*BACK_OFF, *[BACK_OFF[-1]] * (len(waits) - len(BACK_OFF))]
    done = outbox.deliver(Carrier(Later("451 at last")), now)
    assert (done.failed, done.later, done.reached) == ((path.name,), (), True)
    note = (outbox.failed / path.name).with_suffix(".txt")
    assert note.read_text() == "no server took it in 5 days; at last: 451 at last\n" and private(note)
    assert outbox.unreached == {"ann@example.org": "451 at last"} and outbox.counted() == (1, 1)


def test_while_no_server_is_reached_every_mail_is_tried_again_soon_and_none_fails(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "outbox", HOST)
    first, second = outbox.put(letter("a")), outbox.put(letter("b", to="bob@example.org"))
    assert first is not None and second is not None
    for days in range(0, 30, 3):
        now = NOW + timedelta(days=days)
        carrier = Carrier(NoServer("no net"))
        done = outbox.deliver(carrier, now)
        assert (done.sent, done.failed, len(done.later), done.waiting) == ((), (), 1, 2), "and no other is tried"
        assert (done.trouble, done.reached, carrier.taken) == ("no net", False, [])
        trial = outbox.trial(outbox.waiting / done.later[0])
        assert trial is not None and trial.next - now == BACK_OFF[0]
    assert outbox.unreached == {}
    assert outbox.deliver(None, NOW).reached is None


@pytest.mark.parametrize(
    ("answers", "reached"),
    [((), True), ((Refused("550 gone"),), True), ((Later("451 later"),), True), ((NoServer("no net"),), False),
     ((Refused("550 gone"), NoServer("no net")), False)],
)  # fmt: skip
def test_whether_a_server_was_reached_is_what_a_server_said(
    tmp_path: Path, answers: tuple[Exception, ...], reached: bool
) -> None:
    outbox = Outbox(tmp_path / "outbox", HOST)
    outbox.put(letter("a"))
    outbox.put(letter("b", to="bob@example.org"))
    assert outbox.deliver(Carrier(*answers), NOW).reached is reached
    assert Outbox(tmp_path / "none", HOST).deliver(Carrier(), NOW).reached is None, "nothing was to be sent"
    nobody = Outbox(tmp_path / "nobody", HOST)
    nobody.put(letter("c", to="nobody"))
    done = nobody.deliver(None, NOW)
    assert (len(done.failed), done.reached) == (1, None), "no server was asked"


def test_the_umpire_reads_which_mails_failed_and_what_to_do(tmp_path: Path) -> None:
    outbox, carrier = Outbox(tmp_path / "outbox", HOST), Carrier()
    names = [path.name for key in "ab" if (path := outbox.put(letter(key)))]
    (outbox.waiting / sorted(names)[0]).touch()
    outbox.deliver(Carrier(Refused("550 gone"), Refused("551 moved")), NOW)
    outbox.deliver(carrier, NOW)
    texts = [message_from_bytes(mail, policy=default) for _, _, mail in carrier.taken]
    assert [(str(one["To"]), str(one["Subject"])) for one in texts] == [(HOST.umpire, "A mail could not be sent")]
    why = outbox._note_on(outbox.failed / sorted(names)[-1]).read_text().strip()
    body = texts[0].get_body(("plain",))
    assert body is not None and body.get_content().replace("\r\n", "\n") == (
        f"2 mails to Ann@example.org could not be sent:\n\n  {why}\n\nThey lie here:\n\n"
        f"  mail/outbox/failed/{sorted(names)[0]}\n  mail/outbox/failed/{sorted(names)[1]}\n\n"
        "The first line has all mails to this address tried again, each with the\n"
        "deadline that is true then; the second lays them aside:\n\n"
        f"    pbem mail failed {tmp_path.parent} Ann@example.org --again\n"
        f"    pbem mail failed {tmp_path.parent} Ann@example.org --give-up\n\n"
        "If he gets another address, nothing is to be done: his last report goes\nthere.\n"
    )
    told = json.loads((tmp_path / "outbox" / "failed.json").read_bytes())
    assert set(told) == {"Ann@example.org", *names} and private(tmp_path / "outbox" / "failed.json")
    third = outbox.put(letter("c"))
    assert third is not None
    for now in (NOW + timedelta(hours=1), NOW + TOLD - timedelta(seconds=1)):
        outbox.deliver(Carrier(Refused("552")), now)
    assert outbox.counted() == (0, 3), "within a day it is not told again"
    outbox.deliver(carrier, NOW + TOLD)
    outbox.deliver(carrier, NOW + TOLD)
    assert b"A mail to Ann@example.org could not be sent:\r\n\r\n  552\r\n\r\nIt lies in" in carrier.taken[-1][2]
    assert len(carrier.taken) == 2


@pytest.mark.parametrize(
    ("address", "found"),
    [("Ann <ann@example.org>", "ann@example.org"), ("ann@example.org", "ann@example.org"), ("", ""), ("ann", "")],
)
def test_the_address_alone(address: str, found: str) -> None:
    assert bare(address) == found


# --- what the umpire is told -----------------------------------------------------------------------------------------


def test_a_trouble_is_told_at_once_each_day_and_when_the_clock_goes_back(tmp_path: Path) -> None:
    said = []
    for hours in (0, 0, 1, 23.9, 24, 25, 20, 44, 44.5):
        told = Told(tmp_path, NOW + timedelta(hours=hours))
        said.append((hours, told.again("net", "no net"), told.again("late", "late", calm=True)))
        told.write(2, 1)
    assert said == [
        (0, 1, 1), (0, 0, 0), (1, 0, 0), (23.9, 0, 0), (24, 2, 2), (25, 0, 0), (20, 3, 3), (44, 4, 4), (44.5, 0, 0),
    ]  # fmt: skip
    end = NOW + timedelta(hours=44.5)
    kept = {
        key: Trouble(text=text, first=NOW, seen=end, told=NOW + timedelta(hours=44), times=4, calm=key == "late")
        for key, text in (("late", "late"), ("net", "no net"))
    }
    found = read_heartbeat(tmp_path)
    assert found == Heartbeat(at=end, troubles=kept, waiting=2, failed=1) and private(tmp_path / "mail/status.json")
    assert [one.text for one in found.now()] == ["no net"] and [one.text for one in found.late()] == ["late"]


def test_a_trouble_that_was_away_begins_anew_and_is_forgotten_after_a_month(tmp_path: Path) -> None:
    def round_at(days: float, *keys: str, done: bool = True) -> Heartbeat:
        told = Told(tmp_path, NOW + timedelta(days=days))
        for key in keys:
            told.again(key, key)
        told.write(0, 0, done=done)
        return read_heartbeat(tmp_path)

    round_at(0, "a", "b")
    round_at(0.1, "b")
    found = round_at(0.2, "a", "b")
    assert [(one.text, one.first) for one in found.now()] == [("b", NOW), ("a", NOW + timedelta(days=0.2))]
    assert found.done is None and round_at(0.3, done=False).done == NOW + timedelta(days=0.2)
    assert round_at(0.4, done=False).done == NOW + timedelta(days=0.2) and round_at(0.5).done is None
    assert sorted(round_at(30.1).troubles) == ["a", "b"] and round_at(30.2).troubles == {}
    (tmp_path / "mail/status.json").write_bytes(b"{")
    assert read_heartbeat(tmp_path) == Heartbeat() and timedelta(days=1) == AGAIN


def aside(post: Path, *entries: Entry) -> None:
    ledger = Ledger(post)
    for entry in entries:
        ledger.add(entry)


def test_the_digest_of_letters_put_aside_word_by_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.post.digest.notice_key", lambda digest: f"told {digest}")
    kinds = (
        ("a", "quarantine", "eve@example.org", "quarantine/a.eml"), ("b", "quarantine", "eve@example.org", ""),
        ("c", "bounce", "", "quarantine/c.eml"), ("d", "trouble", "ann@example.org", "quarantine/d.eml"),
        *((f"e{n}", "quarantine", "joe@example.org", f"quarantine/e{n}.eml") for n in range(7)),
    )  # fmt: skip
    aside(
        tmp_path,
        *(
            Entry(digest=name, done=done, sender=sender, why=f"it is {done}", replies=(f"told {name}",),  # type: ignore[arg-type]
                  subject=f"about {name}", file=file)
            for name, done, sender, file in kinds
        ),
        Entry(digest="x", done="orders", sender="ann@example.org", replies=("k",)),
    )  # fmt: skip
    letters: list[Reply] = []
    tell(tmp_path, "umpire@host.example", "UTC", NOW, letters.append)
    (found,) = letters
    accept = f"pbem mail accept {tmp_path.parent} quarantine"
    assert (found.subject, found.to, found.kind) == ("pbem: 11 letters were put aside", "umpire@host.example", "notice")
    assert found.text.replace(str(tmp_path.parent), str(tmp_path.parent)) == (
        "11 letters were put aside. Senders are told nothing, but for players whose\n"
        "game is in trouble; a player whose address or token a letter has hears of it\n"
        "at his own address, once a day.\n\n"
        "  from     eve@example.org (2 letters)\n  subject  about b\n  because  it is quarantine\n"
        f"  kept as  nothing: {tmp_path / 'quarantine'} is full; empty it\n"
        f"  let in   {accept}/a.eml\n\n"
        "  from     (nobody, or more than one)\n  subject  about c\n  because  it is bounce\n"
        f"  kept as  {tmp_path / 'quarantine/c.eml'}\n\n"
        "  from     ann@example.org\n  subject  about d\n  because  it is trouble\n"
        f"  kept as  {tmp_path / 'quarantine/d.eml'}\n  let in   {accept}/d.eml\n\n"
        "  from     joe@example.org (7 letters)\n  subject  about e6\n  because  it is quarantine\n"
        f"  kept as  {tmp_path / 'quarantine/e6.eml'}\n"
        + "".join(f"  let in   {accept}/e{n}.eml\n" for n in range(2, 7))
        + "\nA letter of a player that should count is let in by its line above. Where\n"
        "neither its token nor its address says whose it is, add --game NAME --side\nSIDE.\n\n"
        "More: `pbem help players-change`.\n"
    )
    size = (tmp_path / "letters.jsonl").stat().st_size
    kept = json.loads((tmp_path / "digest.json").read_bytes())
    assert kept == {"format": 1, "told": size, "at": "2027-03-01T12:00:00Z", "telling": 0}
    (tmp_path / "letters.jsonl").write_bytes(b"")
    tell(tmp_path, "umpire@host.example", "UTC", NOW, letters.append)
    assert json.loads((tmp_path / "digest.json").read_bytes())["told"] == 0 and len(letters) == 1
    aside(tmp_path, Entry(digest="z", done="quarantine", why="x", replies=("told z",)))
    tell(tmp_path, "umpire@host.example", "UTC", NOW + timedelta(days=1), letters.append)
    assert letters[-1].text.startswith(
        "A letter was put aside since Mon 1 Mar 2027, 12:00 (UTC). Senders are told\n"
        "nothing; a player whose address or token a letter has hears of it at his own\n"
        "address, once a day.\n"
    )


def test_players_are_written_to_and_the_umpire_is_told_by_the_digest() -> None:
    taken: list[Reply] = []
    put = to_players(lambda reply: taken.append(reply))
    for kind in ("notice", "receipt"):
        for side in ("umpire", "klingon"):
            put(letter(kind=kind, side=side))
    assert [(one.kind, one.side) for one in taken] == [
        ("notice", "klingon"),
        ("receipt", "umpire"),
        ("receipt", "klingon"),
    ]


# --- the journal -----------------------------------------------------------------------------------------------------


def test_what_the_last_letters_of_a_side_had_in_common(tmp_path: Path) -> None:
    rows = []
    for number, (done, same, sha, side) in enumerate(
        (
            ("orders", "a", "1", "x"), ("orders", "a", "1", "x"), ("orders", "b", "2", "x"), ("fault", "b", "", "x"),
            ("fault", "b", "", "x"), ("quarantine", "b", "", "x"), ("fault", "c", "", "y"), ("fault", "c", "", ""),
            ("orders", "c", "2", "x"), ("orders", "c", "3", "x"),
        )
    ):  # fmt: skip
        entry = Entry(digest=str(number), done=done, same=same, sha256=sha, game="g", side=side)  # type: ignore[arg-type]
        aside(tmp_path, entry)
        rows.append(tuple(Ledger(tmp_path).row("g", "x")))
    assert rows == [
        ("orders", 1, "a", 1, 0, "1"), ("orders", 2, "a", 2, 1, "1"), ("orders", 3, "b", 1, 0, "2"),
        ("fault", 1, "b", 2, 1, "2"), ("fault", 2, "b", 3, 2, "2"), ("fault", 2, "b", 3, 2, "2"),
        ("fault", 2, "b", 3, 2, "2"), ("fault", 2, "b", 3, 2, "2"), ("orders", 1, "c", 1, 3, "2"),
        ("orders", 2, "c", 2, 0, "3"),
    ]  # fmt: skip
    assert Ledger(tmp_path).row("g", "z") == Row("", 0, "", 0, 0, "") and private(tmp_path / "letters.jsonl")


def test_a_letter_is_written_down_once_unless_it_was_put_aside(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for done, let_in in (("quarantine", False), ("orders", False), ("fault", False), ("command", True)):
        ledger.add(Entry(digest="d", done=done), let_in=let_in)  # type: ignore[arg-type]
    with (tmp_path / "letters.jsonl").open("ab") as file:
        file.write(b'{"digest": "torn')
    again = Ledger(tmp_path)
    again.add(Entry(digest="e", done="empty"))
    lines = (tmp_path / "letters.jsonl").read_bytes().split(b"\n")
    found = [msgspec.json.decode(line)["done"] for line in (*lines[:3], lines[4])]
    assert found == ["quarantine", "orders", "command", "empty"] and lines[3] == b'{"digest": "torn' and lines[5] == b""
    assert [(one.digest, one.done) for one in Ledger(tmp_path).entries()] == [("d", "command"), ("e", "empty")]


def test_so_many_letters_are_put_aside_and_of_players_twice_as_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbem.post.ledger.MOST_ASIDE", 2)
    monkeypatch.setattr("pbem.post.ledger.MOST_BYTES", 10)
    ledger = Ledger(tmp_path)
    assert ledger.put_aside(b"12345", "a" * 64, "why a") == f"quarantine/{'a' * 24}.eml"
    assert ledger.put_aside(b"123456", "b", "w") == "" and ledger.put_aside(b"12345", "b", "w") == "quarantine/b.eml"
    assert ledger.put_aside(b"", "c", "w") == "" and ledger.put_aside(b"", "b", "new") == "quarantine/b.eml"
    assert (tmp_path / "quarantine/b.txt").read_text() == "new\n" and private(tmp_path / "quarantine/b.eml")
    for again in (ledger, Ledger(tmp_path)):
        again.put_aside(b"1", "c", "w", known=True)
    assert ledger.put_aside(b"1", "d", "w", known=True) and not ledger.put_aside(b"1", "e", "w", known=True)
    assert len(list((tmp_path / "quarantine").glob("*.eml"))) == 4 and MOST_ASIDE == 1000
    ledger.taken_back("quarantine/b.eml")
    ledger.taken_back("quarantine/nothing.eml")
    assert sorted(path.name for path in (tmp_path / "accepted").iterdir()) == ["b.eml", "b.txt"]


# --- letters ---------------------------------------------------------------------------------------------------------

HEAD = "From: ann@example.org\r\nTo: orders@host.example\r\n"


@pytest.mark.parametrize(
    ("header", "kind"),
    [("Subject: Automatic reply: x\r\nX-Auto-Response-Suppress: All", "auto"),
     ("X-Auto-Response-Suppress: All", "command"),
     ("Subject: auto: x\r\nX-Auto-Response-Suppress: ALL", "auto"), ("Subject: Automatic reply: x", "command"),
     ("Subject: auto: x\r\nX-Auto-Response-Suppress: DR", "command"), ("Precedence: first-class", "command"),
     *((f"Precedence: {word}", "auto") for word in ("bulk", " Junk ", "list", "auto_reply")),
     ("Auto-Submitted: no", "command"), ("Auto-Submitted: No; x", "command"), ("Auto-Submitted: auto-replied", "auto"),
     *((f"{name}: x", "auto") for name in ("X-Autoreply", "X-Autorespond", "X-Autoresponder", "X-AutoReply-From",
       "X-Mail-Autoreply", "List-Id", "List-Unsubscribe", "Feedback-ID", "X-Loop")),
     ("Return-Path: <>", "bounce"), ("Return-Path: <ann@example.org>", "command"), ("X-Failed-Recipients: x", "bounce"),
     ("Message-ID: <a@pbem.invalid>", "own"), ("X-PBEM-Key: x", "own"), ("X-PBEM-Key: x\r\nReturn-Path: <>", "own"),
     ("Message-ID: <a@pbem.invalid.example>", "command")],
)  # fmt: skip
def test_who_wrote_a_letter_by_one_header(header: str, kind: str) -> None:
    raw = f"{HEAD}{header}\r\n\r\nSTATUS\r\n".encode()
    assert read_letter(raw).kind == kind and read_letter(raw, person=True).kind == "command"


@pytest.mark.parametrize(
    ("sender", "kind"),
    [("no-reply@x.example", "auto"), ("noreply+7@x.example", "auto"), ("donotreply@x.example", "auto"),
     ("bounce-5@x.example", "auto"), ("bounces=a@x.example", "auto"), ("noreplying@x.example", "command"),
     ("MAILER-DAEMON@x.example", "bounce"), ("Mailer-Daemon <x@y.example>", "bounce"),
     ("postmaster@x.example", "bounce"),
     ("The Postmaster <x@y.example>", "command")],
)  # fmt: skip
def test_who_wrote_a_letter_by_its_sender(sender: str, kind: str) -> None:
    assert read_letter(f"From: {sender}\r\n\r\nSTATUS\r\n".encode()).kind == kind


def test_a_letter_field_by_field() -> None:
    raw = (
        f"{HEAD}Cc: =?utf-8?q?B=C3=B6b?= <Bob@Example.org>, x@y.example\r\nDelivered-To: orders+tag@host.example\r\n"
        "Message-ID: <1@x> <2@x>\r\nSubject: Re:\r\n =?utf-8?q?gr=C3=BCn?=\r\nDate: today\r\nIn-Reply-To: <b@x>\r\n"
        "References: <a@x> <b@x> not <c@x>\r\nX-PBEM-Token: one two three four five\r\n\r\n"
        "Hello\r\nMESSAGE TO ALL: Hi\r\nGAME duel TURN 1 SIDE federation REPLY 1\r\nSHIP x\r\nEND\r\n"
    ).encode()
    found = read_letter(raw)
    assert msgspec.structs.replace(found, digest="") == Letter(
        kind="orders", digest="", message_id="<1@x>", sender="ann@example.org",
        to=("orders@host.example", "bob@example.org", "x@y.example", "orders+tag@host.example"), subject="Re: grün",
        date="today", text="Hello\n\nGAME duel TURN 1 SIDE federation REPLY 1\nSHIP x\nEND\n", source="the body",
        references=("<b@x>", "<a@x>", "<c@x>"), tokens=("one", "two", "three", "four"), size=len(raw),
        words=(Message(ALL, "Hi"),),
    )  # fmt: skip


def test_what_names_a_letter() -> None:
    """Whatever its writer said is in its digest; what was added on its way is not."""
    first = f"{HEAD}Message-ID: <1@x>\r\nSubject: s\r\nDate: d\r\n\r\nSTATUS\r\nMESSAGE TO ALL: Hi\r\n"
    others = {
        read_letter(first.replace(old, new).encode()).digest
        for old, new in (
            ("", ""), ("<1@x>", "<2@x>"), ("ann@", "bob@"), (": s", ": t"), (": d", ": e"), ("STATUS", "DRAFT"),
            ("Hi", "Ho"), ("TO ALL", "TO klingon"), ("\r\nDate", "\r\nX-Loop: x\r\nDate"),
        )
    }  # fmt: skip
    assert len(others) == 9 and read_letter(f"Received: x\r\n{first}".encode()).digest in others
    bare_ones = [read_letter(f"{HEAD}\r\n{body}".encode()).digest for body in ("", " \r\n", " \r\n")]
    assert bare_ones[0] != bare_ones[1] == bare_ones[2], "without an id or a text its bytes name it"
    named = [read_letter(f"{HEAD}Message-ID: <1@x>\r\n\r\n{body}".encode()).digest for body in ("", " \r\n")]
    assert named[0] == named[1]


def test_a_saved_mail_is_read_for_its_orders_and_words() -> None:
    orders = "GAME x TURN 1 SIDE a REPLY 1\r\nSHIP z\r\nEND\r\n"
    mail = f"{HEAD}MIME-Version: 1.0\r\n\r\n{orders}MESSAGE TO ALL: Hi\r\nUMPIRE: Ho\r\n"
    assert text_of_mail(mail.encode()) == (
        "GAME x TURN 1 SIDE a REPLY 1\nSHIP z\nEND\n\n\n\nMESSAGE TO ALL\nHi\nEND MESSAGE\n"
        "MESSAGE TO UMPIRE\nHo\nEND MESSAGE"
    )
    assert text_of_mail(mail.replace("MIME-Version", "X-Version").encode()) == ""
    assert text_of_mail(f"{HEAD}MIME-Version: 1.0\r\n\r\nHello.\r\n".encode()) == ""
    assert text_of_mail(f"GAME x\n{mail}".encode()) == ""


def test_what_is_too_long_is_left_unread_and_no_byte_before() -> None:
    orders = "GAME x TURN 1 SIDE a REPLY 1\nSHIP z\nEND\n"
    for more, kind in ((0, "orders"), (1, "empty")):
        body = orders + "x" * (LARGEST_TEXT - len(orders) + more)
        found = read_letter(f"{HEAD}\n{body}".replace("\r\n", "\n").encode())
        said = (f"a text of {LARGEST_TEXT + 1} bytes was left unread; {LARGEST_TEXT} is the most",)
        assert (found.kind, found.faults) == (kind, said * more)


def test_a_reply_as_a_mail_of_its_own(tmp_path: Path) -> None:
    reply = letter(
        "0123", html="<p>x", in_reply_to="<a@x>", references=("<a@x>", "<b\r\n@x>"), to="ann@example.org",
        attachments=(("a.txt", "text/plain", b"hi"), ("b", "odd", b"\0")), subject="a\r\nBcc: eve",
    )  # fmt: skip
    mail = message_from_bytes(eml(reply, "orders@host.example"), policy=default)
    assert {name: str(mail[name]) for name in mail if name not in ("Content-Type", "MIME-Version")} == {
        "From": "orders@host.example", "To": "ann@example.org", "Subject": "a Bcc: eve",
        "Message-ID": "<0123@pbem.invalid>", "Auto-Submitted": "auto-replied", "X-PBEM-Key": "0123",
        "In-Reply-To": "<a@x>", "References": "<a@x> <b @x>",
    }  # fmt: skip
    parts = [(one.get_content_type(), one.get_filename()) for one in mail.walk() if not one.is_multipart()]
    assert parts == [("text/plain", None), ("text/html", None), ("text/plain", "a.txt"), ("odd/octet-stream", "b")]
    plain = message_from_bytes(eml(letter("4", to="")), policy=default)
    assert set(plain.keys()) >= {"Subject"} and not {"From", "To", "In-Reply-To", "References"} & set(plain.keys())
    assert plain["Auto-Submitted"] == "auto-generated" and plain.get_content_type() == "text/plain"


def test_headers_are_bounded() -> None:
    assert one_line("a\tb\x00c  d\n") == "a b c d" and len(one_line("x" * 2000)) == 1000
    assert ids(" ".join(f"<{n}@x>" for n in range(60))) == tuple(f"<{n}@x>" for n in range(50))
    assert ids("<a b@x> <ä@x> <c@x>") == ("<c@x>",)


# --- whose letter the umpire lets in ---------------------------------------------------------------------------------

A, B, C, D = (
    Seat(game=game, folder=Path(game), side=side, addresses=(address,), token=token)
    for game, side, address, token in (
        ("one", "federation", "ann@example.org", "aaaaaaa"), ("one", "klingon", "bob@example.org", "bbbbbbb"),
        ("two", "federation", "ann@example.org", "ccccccc"), ("two", "klingon", "joe@example.org", "ddddddd"),
    )
)  # fmt: skip
GAMES = Games(seats=(A, B, C, D), post=Path("post"))


@pytest.mark.parametrize(
    ("sender", "tokens", "text", "game", "side", "seat"),
    [
        ("ann@example.org", "aaaaaaa", "", "", "", A), ("ann@example.org", "ccccccc", "", "", "", C),
        ("bob@example.org", "", "", "", "", B), ("eve@x.example", "ddddddd", "", "", "", D),
        ("ann@example.org", "ddddddd", "", "", "", D), ("ann@example.org", "", "", "", "", None),
        ("ann@example.org", "", "GAME two SIDE federation", "", "", C), ("ann@example.org", "", "", "TWO", "", C),
        ("ann@example.org", "", "", "", "klingon", None), ("eve@x.example", "", "", "", "", None),
        ("eve@x.example", "", "", "one", "Klingon", B), ("eve@x.example", "", "", "one", "", None),
        ("eve@x.example", "", "GAME one SIDE klingon", "one", "", B),
        ("eve@x.example", "", "GAME one SIDE klingon", "", "", None),
        ("eve@x.example", "aaaaaaa TOKEN ddddddd", "GAME two SIDE klingon", "", "", D),
        ("eve@x.example", "aaaaaaa TOKEN ddddddd", "", "", "", None),
        ("ann@example.org", "aaaaaaa TOKEN ccccccc", "GAME two SIDE federation", "", "", C),
        ("ann@example.org", "aaaaaaa TOKEN ccccccc", "", "one", "", A), ("bob@example.org", "", "", "two", "", None),
    ],
)  # fmt: skip
def test_whose_letter_the_umpire_lets_in(
    sender: str, tokens: str, text: str, game: str, side: str, seat: Seat | None
) -> None:
    body = f"{text} TURN 1 REPLY 1\nSHIP x\nEND\n" if text else "STATUS\n"
    found = read_letter(f"From: {sender}\nSubject: x{tokens and f' TOKEN {tokens}'}\n\n{body}".encode())
    if seat is None:
        with pytest.raises(GameError, match="nothing says whose letter this is; add one of: --game ") as wrong:
            _seat_of(found, GAMES, game, side)
        offered = wrong.value.faults[0].text.partition("one of: ")[2].split(", ")
        theirs = [one for one in GAMES.seats if sender in one.addresses] or GAMES.seats
        assert offered == sorted(f"--game {one.game} --side {one.side}" for one in theirs)
    else:
        assert _seat_of(found, GAMES, game, side) == seat


# --- settings, clocks, addresses -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("", ["format: this file is empty; this version reads format 1"]),
        ('name = "x"', ["format: this file has no line `format = 1`; this version reads format 1"]),
        ("format = 2", ["format: this file has format 2; this version reads format 1"]),
        ('format = 1\norders = "x"\numpire = "y"\nfigures = "a\\u0007"\n[deadlines]\nzone = "Mars"', [
            "deadline-rule: zone: no time zone 'Mars' is known here; zones are called like Europe/Berlin",
            "address: orders = 'x' is no mail address", "address: umpire = 'y' is no mail address",
            "no-such-folder: figures = 'a\\x07' holds a sign that no path has: ",
        ]),
        ('format = 1\norders = ""', ["address: orders = '' is no mail address"]),
        ('format = 1\norders = "a@b.example"', []),
    ],
)  # fmt: skip
def test_what_is_wrong_with_the_settings_of_a_host(tmp_path: Path, text: str, faults: list[str]) -> None:
    (tmp_path / "host.toml").write_text(text, encoding="utf-8")
    if not faults:
        assert read_host(tmp_path) == Host(format=1, orders="a@b.example")
        return
    with pytest.raises(GameError) as wrong:
        read_host(tmp_path)
    found = [(f"{one.code}: {one.text}", one.file) for one in wrong.value.faults]
    assert len(found) == len(faults) and all(one.startswith(said) for (one, _), said in zip(found, faults, strict=True))
    assert {file for _, file in found} == {str(tmp_path / "host.toml")}


def test_where_there_are_no_settings_and_what_games_there_are(tmp_path: Path) -> None:
    for folder, said in ((tmp_path, "this folder is no host"), (tmp_path / "x", "there is neither such a folder")):
        with pytest.raises(GameError, match=said):
            read_host(folder)
    (tmp_path / "host.toml").touch()
    for name in ("b", "a", "c"):
        (tmp_path / "games" / name).mkdir(parents=True)
    for name in ("b", "a"):
        (tmp_path / "games" / name / "game.toml").touch()
    assert games_under(tmp_path / "games") == ([tmp_path / "games/a", tmp_path / "games/b"], [])
    assert host_of(tmp_path / "games/a") == tmp_path and host_of(tmp_path) is None
    with pytest.raises(GameError):
        games_under(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (GameError.saying("a", "one"), "one"),
        (RecursionError(), "something in it is nested more deeply than can be read"),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "x"), "a name or a file in it is not UTF-8 text"),
        (FileNotFoundError(2, "No such file", "x.toml"), "No such file: x.toml"), (OSError("odd"), "odd"),
        (PermissionError(13, "No"), "No"), (KeyError("k"), "KeyError: 'k'"),
        (ValueError("\udcff"), "ValueError: \\udcff"),
    ],
)  # fmt: skip
def test_what_kept_a_game_from_being_worked_on(error: Exception, said: str) -> None:
    assert broken_by(error) == said and printable("ä") == "ä"


def test_a_pause_holds_the_clock_and_only_for_as_long_as_it_counts(tmp_path: Path) -> None:
    game = tmp_path / "games" / "x"
    for asked, paused, resumed, held in ((0, 5, 12, 7), (5, 2, 12, 7), (0, 5, 3, 0), (None, 5, 12, 0)):
        moment = NOW + timedelta(seconds=asked) if asked is not None else None
        timetable.write_clock(game, timetable.Clock(asked=moment, held=100))
        with pytest.raises(GameError, match="this game is not paused"):
            timetable.resume(game, NOW)
        timetable.pause(game, NOW + timedelta(seconds=paused), "tea")
        kept = timetable.read_clock(game)
        assert (kept.paused, kept.reason, kept.asked) == (NOW + timedelta(seconds=paused), "tea", moment)
        with pytest.raises(GameError, match="this game is paused already"):
            timetable.pause(game, NOW)
        after = timetable.resume(game, NOW + timedelta(seconds=resumed))
        assert after == timetable.Clock(asked=moment, held=100 + held) == timetable.read_clock(game)
    assert private(game / "mail/clock.json")
    (game / "mail/clock.json").write_bytes(b"{")
    with pytest.raises(GameError, match="the game's clock is damaged"):
        timetable.read_clock(game)


def test_what_was_said_is_kept_once_and_in_order(tmp_path: Path) -> None:
    said = timetable.Said(tmp_path)
    assert said.new
    said.add("b", "a")
    file = tmp_path / "mail" / "said.txt"
    assert file.read_text() == "a\nb\n" and private(file) and not said.new
    file.unlink()
    said.add("a")
    assert not file.exists(), "what is known is not written again"
    said.add("a", "c")
    assert file.read_text() == "a\nb\nc\n" and timetable.Said(tmp_path).known == {"a", "b", "c"}


def test_time_that_does_not_count_is_of_one_host_only() -> None:
    rounds = Rounds(began=NOW, drift=50, ill=NOW)
    assert [rounds.since(began, 20) for began in (None, NOW, NOW + timedelta(1))] == [
        timedelta(seconds=30), timedelta(seconds=30), timedelta(),
    ]  # fmt: skip
    assert rounds.at(NOW + timedelta(minutes=10)).drift == 650 and rounds.at(NOW + timedelta(seconds=599)) == rounds
    assert Rounds(drift=5).at(NOW) == Rounds(drift=5)


def test_addresses_that_no_mail_reaches(tmp_path: Path) -> None:
    lost = Unreachable(tmp_path)
    lost.lose(["Ann@example.org", "old@example.org", "bob@example.org"], "550 gone", NOW)
    lost.lose(["ann@example.org"], "551 later", NOW + timedelta(1))
    lost.hear("BOB@example.org")
    lost.hear("nobody@example.org")
    assert lost.told([A, B, C], "UTC") == [
        "No mail reaches ann@example.org (federation in one, federation in two) since Mon 1 Mar 2027, 12:00 (UTC): "
        "550 gone"
    ]
    lost.write([A, B])
    file = tmp_path / "mail" / "unreachable.json"
    assert set(json.loads(file.read_bytes())) == {"ann@example.org"} and private(file)
    file.unlink()
    again = Unreachable(tmp_path)
    again.write([A])
    assert again.known == {} and not file.exists()


@pytest.mark.parametrize(
    ("settings", "said"),
    [({}, "the kind of an inbox is folder, maildir, mbox, imap or pipe, not ''"),
     ({"kind": "folder"}, "an inbox of kind folder needs a path"),
     ({"kind": "mbox", "path": 3}, "kind mbox needs a path"),
     ({"kind": "maildir", "path": "x", "b": 1, "a": 2}, "an inbox of kind maildir has no a, b"),
     ({"kind": "pipe", "path": "x"}, "an inbox of kind pipe has no path"),
     ({"kind": "folder", "path": "a\x07"}, "holds a sign that no path has")],
)  # fmt: skip
def test_an_inbox_that_cannot_be_meant(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(GameError, match=said):
        open_source(settings, Path())


@pytest.mark.parametrize(
    ("code", "platform", "more"),
    [(18, "linux", ""), (19, "linux", "install ca-certificates"), (20, "darwin", "run Install Certificates.command"),
     (21, "win32", "install ca-certificates"), (22, "darwin", "")],
)  # fmt: skip
def test_why_a_server_is_not_trusted(code: int, platform: str, more: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    error = ssl.SSLCertVerificationError(1, "no")
    error.verify_code, error.verify_message = code, "self-signed"
    why = trust.distrust(error)
    assert why.startswith("its certificate is not to be trusted: self-signed") and (more in why) == (
        ". If" in why or not more
    )
    for reason, said in (("WRONG_VERSION", "WRONG_VERSION"), ("", str(ssl.SSLError(1, "broken")))):
        other = ssl.SSLError(1, "broken")
        other.reason = reason
        assert trust.distrust(other) == said
