"""Answers, announcements and findings of the post, each compared whole."""

from __future__ import annotations

import hashlib
import json
import shutil
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.beacon import Sealing
from pbem.games.status import SideStatus
from pbem.games.storage.opening import opened
from pbem.mail import emails
from pbem.mail.commands import dispatch
from pbem.mail.emails import EmailText
from pbem.mail.host import clocks as timetable, doctor
from pbem.mail.host.clocks import ROUNDS, Hour, Rounds, read_rounds
from pbem.mail.host.deadlines import Rule, rule_faults, span
from pbem.mail.host.drand import Drand, randomness
from pbem.mail.host.lateness import _well, after_delivery, times_of
from pbem.mail.host.play import _sealed_orders
from pbem.mail.host.round import host_round
from pbem.mail.incoming import intake, ledger as journal
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.replies import announce, conversation as conversing
from pbem.mail.replies.announce import Above, sitrep
from pbem.mail.replies.answer import Answered, attend
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Outgoing, Reply, UmpireNotice, Until
from pbem.mail.seats import Games, Seat, games_in
from pbem.mail.settings import Host
from pbem.mail.store import DIGEST, DigestProgress, EmailRecord, keep_fact, read_fact
from pbem.mail.transport.imap import _day, _plain, _quoted
from pbem.mail.transport.outbox import Delivery, open_outbox
from pbem.mail.transport.sources import Maildir

if TYPE_CHECKING:
    from tests.mail.hosted import club_with
else:
    from post_hosted import club_with

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
SEAT = Seat(game="duel", folder=Path("duel"), side="federation", addresses=("ann@example.org",), token="aaaaaaa")
GAMES = Games(seats=(SEAT,), post=Path("post"), umpire="umpire@host.example", orders="orders@host.example")
HOST = Host(format=1, orders="orders@host.example")
ASKED = Request(number=3, turn=2, impulse=9, form=FormKind.SOP, sides=("klingon",), through=32)


# --- what stands above a sitrep, and the sitrep ----------------------------------------------------------------------


ABOVE: dict[str, emails.Value] = {
    "subject": "S", "notes": ("First & last.", "Second."), "asked": "Asked.", "deadline": "Until <noon>.", "page": "",
    "sitrep": ["a  b\n\n c\n"],
}  # fmt: skip
INVITED: dict[str, emails.Value] = ABOVE | {
    "side": "a", "game": "duel", "scenario": 5, "title": "O'Neil", "players": ["  a: one", "  b: two"],
    "address": "a@b", "orders": "", "token": "t", "mine": ("ann@example.org",), "within": "3 days", "at": "",
    "days": (), "zone": "UTC", "grace": "12 hours", "late": "wait", "commitment": "cc", "scheme": 1, "beacon": True,
}  # fmt: skip


def test_what_the_host_says_above_a_sitrep() -> None:
    said = emails.render("sitrep", None, **ABOVE)
    assert said == EmailText("S", "First & last.\n\nSecond.\n\nAsked. Until <noon>.\n\na  b\n\n c\n")
    bold = '<p style="margin:0 0 10px"><b>{}</b></p>\n'
    plain = '<p style="margin:0 0 8px">{}</p>\n'
    heading = '<h2 style="font-size:17px;line-height:1.3;margin:26px 0 8px">Who plays, and how to answer</h2>\n'
    notes = "".join(map(bold.format, ("First &amp; last.", "Second.")))
    assert emails.html_parts("sitrep", None, **ABOVE) == {"above": notes, "letter": ""}
    page = emails.html_parts("invitation", None, **INVITED)
    assert page["above"] == bold.format("You play a in duel: scenario #5, O&#x27;Neil.") + notes
    assert page["letter"].startswith(f"{heading}{plain.format('a: one<br>  b: two')}<p")
    assert page["letter"].count("</p>\n") == 5
    assert emails.render("invitation", None, **INVITED).text.startswith(
        "You play a in duel: scenario #5, O'Neil.\n\n  a:"
    )
    alone = dict.fromkeys(("notes", "sitrep"), ()) | dict.fromkeys(("subject", "page"), "")
    for asked, until, text in (("", "", ""), ("", "U.", "U."), ("A.", "", "A.")):
        assert emails.render("sitrep", None, **alone, asked=asked, deadline=until).text == text


PLACE = b"<!-- deadline by @. -->"


def rendered(folder: Path, side: str) -> None:
    """A mail as pbem.reports renders it: text, HTML with pictures, attachments of each kind."""
    mail = EmailMessage(policy=SMTP)
    mail["Subject"], mail["Message-ID"] = "S", "<one@x>"
    mail.set_content("Words\n")
    mail.add_alternative("<p><!-- above --></p>\n", subtype="html")
    page = list(mail.iter_parts())[1]
    assert isinstance(page, EmailMessage)
    page.add_related(b"PNG1", "image", "png", cid="<a@x>", filename="map.png")
    page.add_related(b"PNG2", "image", "png", cid="<b@x>")
    mail.add_attachment(b"GAME duel\n", "text", "plain", filename="federation.r1.orders")
    mail.add_attachment(PLACE, "text", "html", filename="sitrep.html")
    mail.add_attachment(PLACE, "text", "plain", filename="sitrep.txt")
    mail.add_attachment(b"odd", "application", "octet-stream")
    mail.add_attachment(b"picture", "image", "png", filename="not-in-the-text.png")
    (folder / side).mkdir(parents=True)
    (folder / side / "mail.eml").write_bytes(bytes(mail))


def test_a_sitrep_with_all_that_comes_along(duel: Path, tmp_path: Path) -> None:
    folder = tmp_path / "r1"
    rendered(folder, "federation")
    for name in ("b.vsav", "a.vsav", "federation/d.vsav", "federation/c.vsav", "duel-archive.zip"):
        (folder / name).write_bytes(name.encode())
    for tags in (False, True):
        games = Games(seats=(SEAT,), post=tmp_path, orders="orders@host.example", tags=tags)
        with opened(duel) as game:
            found = sitrep(game, games, SEAT, folder, Above(asked="Asked.", until="Now."), "<root@x>")
        draft, *others = found.attachments
        assert draft[:2] == ("federation.r1.orders", "text/plain")
        assert (b"aaaaaaa" in draft[2], draft[2] == b"GAME duel\n") == (not tags, tags)
        archived = [one for one in others if one[0].endswith(".zip")]
        assert [one for one in others if one not in archived] == [
            ("sitrep.html", "text/html", b"by Now.."), ("sitrep.txt", "text/plain", PLACE),
            ("attachment", "application/octet-stream", b"odd"), ("not-in-the-text.png", "image/png", b"picture"),
            ("c.vsav", "application/octet-stream", b"federation/c.vsav"),
            ("d.vsav", "application/octet-stream", b"federation/d.vsav"),
            ("a.vsav", "application/octet-stream", b"a.vsav"), ("b.vsav", "application/octet-stream", b"b.vsav"),
        ]  # fmt: skip
        assert found.pictures == (("a@x", "map.png", b"PNG1"), ("b@x", "picture.png", b"PNG2"))
        assert found.subject == ("S" if tags else "S TOKEN aaaaaaa")
        assert found.text.endswith("Asked. Now.\n\nWords\n")
        assert (found.key, found.references) == ("sitrep <one@x> ann@example.org", ("<root@x>",))
        assert found.until == Until(
            asking=(1, 1, 0), standing="owes", words="Now.", game="duel", side="federation", asks=True
        )


# --- answers ---------------------------------------------------------------------------------------------------------


def conversation_of(
    request: Request | None, letter: Letter, due: Callable[[Seat, str], str], seat: Seat = SEAT
) -> Conversation:
    state = SimpleNamespace(request=request, segment=7, stands=(2, 9), turn=4)
    nothing = SimpleNamespace(is_file=lambda: False)
    game: Any = SimpleNamespace(state=lambda: state, order_file=lambda *of: nothing)
    game.request_folder = lambda turn, number: (turn, number)
    return Conversation(letter, GAMES, seat, game, due)


def test_how_a_side_stands_to_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    letter = Letter(kind="command", digest="d", sender="ann@example.org")
    for side, on_file, standing in (
        ("federation", (), "not asked"), ("klingon", (), "owes"), ("klingon", ("klingon",), "answered"),
    ):  # fmt: skip
        monkeypatch.setattr(conversing, "answers", lambda game, on_file=on_file: (dict.fromkeys(on_file), ()))
        seat = Seat(game="duel", folder=Path("duel"), side=side, addresses=("x@y.example",), token="t")
        conversation = conversation_of(ASKED, letter, lambda seat, standing: f"{seat.side} {standing}", seat)
        words = f"{side} {standing}"
        assert conversation.deadline() == Until(
            asking=(2, 3, 7), standing=standing, words=words, game="duel", side=side
        )
        silent = conversation_of(ASKED, letter, lambda seat, standing: "", seat)
        assert silent.deadline() is None
    assert conversation_of(None, letter, lambda seat, standing: "never").deadline() is None


def test_who_is_not_asked_gets_no_draft_and_has_nothing_to_wait_for() -> None:
    letter = Letter(kind="command", digest="d", sender="ann@example.org", command="WAIT")
    for request, why in (
        (ASKED, "No orders are wanted from you now. Your earlier orders continue."),
        (None, "The game is over."),
    ):
        conversation = conversation_of(request, letter, lambda seat, standing: "")
        assert conversation.draft_file() == ()
        assert dispatch.draft(conversation).text == f"{why}\n"
        assert dispatch.wait(conversation).text == "No orders are wanted from you now.\n"


def test_what_an_answer_refers_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.mail.emails.render", lambda *name, **values: EmailText("title", "Line."))
    ids = tuple(f"<{number}@x>" for number in range(12))
    for own, references in (("<new@x>", (*ids[2:], "<new@x>")), (ids[5], ids[2:]), ("", ids[2:])):
        letter = Letter(kind="command", digest="d", sender="a@x.example", message_id=own, references=ids)
        conversation = conversation_of(ASKED, letter, lambda seat, standing: "")
        conversation = msgspec.structs.replace(conversation, told=("Your words are kept.",))
        assert conversation.answer("command", "name") == Reply(
            to="a@x.example", subject="duel 2.9: title TOKEN aaaaaaa", text="Line.\n\nYour words are kept.\n",
            kind="command", in_reply_to=own, references=references, game="duel", side="federation",
            key=hashlib.sha256(b"d command").hexdigest()[:40],
        )  # fmt: skip


def test_which_report_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatch, "reports_folder", lambda game: "last")
    for said, over, found in (
        ("", False, "last"), ("LAST", False, "last"), ("3", False, (2, 3)), ("3", True, (4, 3)), ("0", False, None),
        ("1.0", False, (1, 0)), ("2.3", True, (2, 3)), ("1", False, (2, 1)),
    ):  # fmt: skip
        letter = Letter(kind="command", digest="d", sender="a@x.example", command="RESEND", argument=said)
        conversation = conversation_of(None if over else ASKED, letter, lambda seat, standing: "")
        wanted: Any = found
        assert dispatch._reports(conversation) == wanted, (said, over)


@pytest.mark.parametrize(
    ("fields", "mine", "other"),
    [
        ({"robot": True, "asked": True}, *["played by the robot"] * 2),
        ({"asked": False, "answered": True}, *["no orders wanted now"] * 2),
        ({"asked": False, "arrives": 3}, *["arrives on turn 3"] * 2), ({"asked": True}, *["owes orders"] * 2),
        ({"asked": True, "answered": True}, "has answered with its energy form", "has answered"),
        ({"asked": True, "answered": True, "version": 1}, "has answered (version 1)", "has answered"),
    ],
)  # fmt: skip
def test_how_each_side_stands(fields: dict[str, Any], mine: str, other: str) -> None:
    side = SideStatus(**{"side": "klingon", "player": "x", "robot": False, **fields})
    assert (dispatch._stands(side, "klingon"), dispatch._stands(side, "federation")) == (mine, other)


def test_words_to_others_and_their_copy_for_the_umpire(duel: Path, write: Callable[..., bytes]) -> None:
    raw = write("federation", "x", "MESSAGE TO ALL: Hi\nMESSAGE TO klingon: Ho\nUMPIRE: Psst\n")
    silent = games_in(duel, orders="orders@host.example")
    (alone,) = attend(read_letter(raw), silent).replies
    assert (alone.to, alone.kind) == ("ann@example.org", "word"), "where there is no umpire nothing is written to him"
    found = attend(read_letter(raw), games_in(duel, umpire="umpire@host.example", orders="orders@host.example"))
    _, copy = found.replies
    assert (copy.to, copy.kind, copy.subject, copy.game) == (
        "umpire@host.example", "word", "duel: federation writes", "duel",
    )  # fmt: skip
    assert copy.text == (
        "ann@example.org (federation of duel) wrote:\n\nto all:\n| Hi\n\nto klingon:\n| Ho\n\nto you:\n| Psst\n\n"
        "We told federation: Your message to all will be in the next sitrep, and the\numpire reads it.\n"
        "We told federation: Your message to klingon will be in the next sitrep, and\nthe umpire reads it.\n"
        'We told federation: "Your message has been passed on to the umpire."\n\n'
        "If you reply to this email, your reply goes to ann@example.org; the host\ndoes not read it.\n"
    )
    assert copy.answers_to == "ann@example.org"


def test_which_letters_the_umpire_may_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "one.eml"
    file.write_bytes(b"From: ann@example.org\nSubject: STATUS TOKEN aaaaaaa\nMessage-ID: <1@x>\n\nSTATUS\n")
    said = read_letter(file.read_bytes()).digest
    answer, put = (
        conversation_of(None, Letter(kind="command", digest=said, sender="a@x.example"), lambda *of: ""),
        list[Reply](),
    )
    reply = answer.answer("command", "your-message")
    done = Answered(done="command", replies=(reply,), game="duel", side="federation")
    monkeypatch.setattr(intake, "attend", lambda letter, games, seat: done)
    take: Any = put.append
    for number, (before, sha256, again) in enumerate((
        (None, "", False), ("quarantine", "", False), ("trouble", "", False), ("empty", "", False), ("auto", "", False),
        ("trouble", "ab", True), ("orders", "ab", True), ("orders", "", True), ("command", "", True), ("own", "", True),
    )):  # fmt: skip
        games = Games(seats=(SEAT,), post=tmp_path / str(number))
        aside = games.post / "quarantine" / "one.eml"
        aside.parent.mkdir(parents=True)
        aside.touch()
        earlier: Any = before
        known = EmailRecord(digest=said, done=earlier, sha256=sha256, file="quarantine/one.eml") if before else None
        if known is not None:
            Ledger(games.post).add(known)
        put.clear()
        taken = intake.accept(file, games, take)
        entry = EmailRecord(
            digest=said, done="command", message_id="<1@x>", sender="ann@example.org", game="duel", side="federation",
            replies=(reply.key,), same=taken.entry.same,
        )  # fmt: skip
        assert taken == (
            intake.Taken(entry=known, again=True) if again and known else intake.Taken(entry=entry, replies=(reply,))
        ), (before, sha256)
        assert put == [] if again else put == [reply]
        assert Ledger(games.post).find(said) == taken.entry
        assert (games.post / "accepted" / "one.eml").exists() == (before is not None and not again) != aside.exists()
    for why, text in (("it waits", "it waits"), ("", "it is command")):
        monkeypatch.setattr(
            intake, "attend", lambda letter, games, seat, why=why: Answered(done="trouble", aside=True, why=why)
        )
        with pytest.raises(GameError) as wrong:
            intake.accept(file, Games(seats=(SEAT,), post=tmp_path / "new"), take)
        fault = wrong.value.faults[0]
        assert (fault.text, fault.file) == (f"this email cannot be accepted now: {text}", str(file))


# --- the host --------------------------------------------------------------------------------------------------------


def test_a_letter_that_comes_twice_is_counted_once(hosted: Any) -> None:
    raw = hosted.letter("federation", "STATUS\n")
    hosted.post(raw)
    hosted.post(raw)
    state = hosted.folder / "state"
    done = host_round(
        hosted.folder, lambda: NOW, source=Maildir(hosted.folder / "Maildir"), carrier=hosted.sink, state=state
    )
    assert (done.letters, done.stopped, done.halted) == (("command", "command (again)"), False, False)
    (deed,) = json.loads(next(state.glob("*.json")).read_bytes())
    assert deed["letters"] == ["<federation.0@example.org> from ann@example.org (command duel01 federation)"]


def test_time_without_post_is_told_if_it_counts_and_there_was_any() -> None:
    for ill, minutes, told in ((NOW, 30, True), (NOW, 5, False), (None, 30, False)):
        said: list[UmpireNotice] = []
        hour = Hour(rounds=Rounds(began=NOW, last=NOW, ill=ill, dumb=True, drift=40), sure=NOW)
        troubles = SimpleNamespace(tell=said.append)
        moment = NOW + timedelta(minutes=minutes)
        after = _well(club_with(hour=hour, host=HOST, troubles=troubles), moment)
        assert after.hour.rounds == Rounds(began=NOW, last=NOW, drift=40 + 60 * minutes * told)
        text = (
            f"Email did not work from Mon 1 Mar 2027, 12:00 (UTC) to Mon 1 Mar 2027, 12:{minutes:02} (UTC). This "
            "time does not count: all deadlines move later by it."
        )
        assert said == [UmpireNotice(text=text, key=f"outage {NOW} {moment}", trouble=False)] * told


def test_the_time_of_a_request_nobody_could_be_told_of_has_not_begun() -> None:
    hour = Hour(rounds=Rounds(began=NOW), sure=NOW)
    club = club_with(now=lambda: NOW, hour=hour, held_up=frozenset((Path("held"),)))
    rule, before = Rule(within="1 day"), NOW - timedelta(hours=5)
    for folder, asked, due in (
        ("free", None, None), ("held", None, None), ("free", before, before + timedelta(days=1)),
        ("held", before, NOW + timedelta(days=1)),
    ):  # fmt: skip
        found = times_of(club, Path(folder), timetable.Clock(asked=asked), rule)
        assert (found and found.due) == due, (folder, asked)


def test_all_are_told_of_sealed_orders_and_the_umpire_where_the_beacon_is_silent_for_an_hour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sealing = Sealing(segment=3, turn=1, request=2, round=5_000_000, seals={"federation": "a" * 64})
    dice = SimpleNamespace(commitment="c")
    game: Any = SimpleNamespace(path=Path("club/games/duel01"), terms=SimpleNamespace(name="Duel", dice=dice))
    one: Any = SimpleNamespace(game=game, seats=[SEAT, "other"])
    monkeypatch.setattr("pbem.mail.host.play.thread", lambda club, game, seat: seat)
    monkeypatch.setattr("pbem.mail.host.play.announce.orders_sealed", lambda thread, sealing: (thread, sealing))
    for found, late, notices in ((None, 9999, 0), (sealing, 3600, 0), (sealing, 3601, 1)):
        monkeypatch.setattr("pbem.mail.host.play.sealing_of", lambda game, found=found: found)
        now = sealing.due + timedelta(seconds=late)
        out = list(_sealed_orders(club_with(folder=Path("club"), now=lambda now=now: now), one))
        told = [notice for each in out for notice in each.notices]
        said: list[Any] = [reply for each in out for reply in each.replies]
        assert said == ([(SEAT, sealing), ("other", sealing)] if found else []) and len(told) == notices
    (notice,) = told
    assert "Enter the value by hand with `pbem resolve club/games/duel01 --beacon VALUE`." in notice.text
    assert (notice.key, notice.game, notice.trouble) == ("silent c 3 5000000", "Duel", True)


def test_what_the_delivery_of_a_round_tells_of_the_post(tmp_path: Path) -> None:
    last = NOW - timedelta(hours=1)
    well, dumb = Rounds(began=NOW, last=NOW), Rounds(began=NOW, last=NOW, ill=last, dumb=True)
    after = Rounds(began=NOW, last=NOW, drift=3600)
    still = Rounds(began=NOW, last=NOW, ill=last)
    for before, reached, waiting, read, wanted in (
        (well, None, 0, True, well), (well, True, 0, True, well), (well, True, 3, False, well),
        (well, False, 1, True, dumb), (dumb, False, 1, True, dumb), (dumb, None, 1, True, dumb),
        (dumb, None, 0, True, after), (dumb, True, 1, True, after), (dumb, True, 0, False, still),
        (still, True, 0, True, still), (still, False, 1, True, dumb),
    ):  # fmt: skip
        keep_fact(tmp_path / "mail", ROUNDS, None)
        troubles = SimpleNamespace(tell=lambda notice: None)
        hour = Hour(rounds=before, sure=NOW)
        club = club_with(folder=tmp_path, host=HOST, hour=hour, before=last, troubles=troubles)
        then = after_delivery(club, Delivery(reached=reached, waiting=waiting), NOW, read=read)
        assert then.hour == Hour(rounds=wanted, sure=NOW), (before, reached, waiting, read)
        assert read_rounds(tmp_path) == (wanted if wanted != before else Rounds())


# --- the beacon ------------------------------------------------------------------------------------------------------


class Asked(Drand):
    """A beacon whose mirrors say what they are told to."""

    def __init__(self, *said: bytes | Exception) -> None:
        super().__init__(lambda: NOW, mirrors=[f"https://m{number}.example" for number in range(len(said))])
        self.said, self.addresses = list(said), list[str]()

    def _asked(self, address: str) -> bytes:
        self.addresses.append(address)
        said = self.said.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def test_what_each_mirror_of_the_beacon_said() -> None:
    other = ssl.SSLError(1, "broken")
    other.reason = "WRONG_VERSION"
    beacon = Asked(OSError("odd"), URLError("no route"), URLError(other), ValueError("no round"))
    with pytest.raises(GameError) as wrong:
        beacon.value(5)
    assert wrong.value.faults[0].text == (
        "round 5 of the beacon could not be fetched (m0.example: odd; m1.example: no route; m2.example: "
        "WRONG_VERSION; m3.example: no round)"
    )
    value = hashlib.sha256(b"\xab").hexdigest()
    beacon = Asked(OSError("odd"), b'{"round": 5, "signature": "ab"}', ValueError("not asked"))
    assert beacon.value(5) == value
    chain = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
    assert beacon.addresses == [f"https://m{number}.example/{chain}/public/5" for number in (0, 1)]
    assert randomness(f'{{"round": 5, "signature": "ab", "randomness": "{value}"}}'.encode(), 5) == value
    for answer, why in (
        (b"no", "its answer is no round of a beacon"), (b'{"round": 5, "signature": "x"}', "its answer is no round"),
        (b'{"round": 4, "signature": "ab"}', "it answered with round 4"),
        (b'{"round": 5, "signature": "ab", "randomness": "0"}', "its value is not the hash of its signature"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            randomness(answer, 5)


# --- digest, clock, terms, words of a server -------------------------------------------------------------------------


def test_a_digest_that_was_cut_off_goes_out_at_once_as_it_was(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for name in ("eve1", "eve2"):
        key = journal.notice_key(name)
        ledger.add(
            EmailRecord(digest=name, done="quarantine", sender=f"{name}@x.example", why="no player", replies=(key,))
        )
    said = list[Reply]()
    keep_fact(tmp_path, DIGEST, DigestProgress(told=0, at=NOW - timedelta(hours=1), telling=1, key="put aside 0 1"))
    journal.tell(tmp_path, "umpire@host.example", "UTC", NOW, said.append)
    assert [one.subject for one in said] == ["pbem: an email was put aside"]
    assert "eve1@x.example" in said[0].text and "eve2" not in said[0].text
    assert read_fact(tmp_path, DIGEST, DigestProgress) == DigestProgress(told=1, at=NOW)
    for hours, told in ((23, 1), (24, 2), (25, 2)):
        journal.tell(tmp_path, "umpire@host.example", "UTC", NOW + timedelta(hours=hours), said.append)
        assert len(said) == told
    journal.tell(tmp_path, "umpire@host.example", "UTC", NOW + timedelta(hours=26), said.append)
    assert read_fact(tmp_path, DIGEST, DigestProgress) == DigestProgress(told=2, at=NOW + timedelta(hours=24))
    assert len(said) == 2


def test_rules_of_time_that_cannot_be_meant() -> None:
    rule = Rule(
        zone="Mars", within="soon", grace="3", remind=("1 day", "x"), at="24:00", days=("Mon", "tuesday", "Xday"),
        stop=1.5,
    )  # fmt: skip
    assert [(one.code, one.text, one.file) for one in rule_faults(rule, "f")] == [
        ("deadline-rule", text, "f")
        for text in (
            "zone: no time zone 'Mars' is known here; zones are called like Europe/Berlin",
            "within: write a length of time, like '3 days' or '1 day 12 hours', not 'soon'",
            "grace: write a length of time, like '3 days' or '1 day 12 hours', not '3'",
            "remind: write a length of time, like '3 days' or '1 day 12 hours', not 'x'",
            "at: write a time of day, like 18:00, not '24:00'", "days: write a day of the week, not 'Xday'",
            "stop: write stop as a fraction from 0 to 1, not 1.5",
        )
    ]  # fmt: skip
    assert [len(rule_faults(Rule(stop=stop))) for stop in (-0.1, 0, 0.5, 1, 1.1)] == [1, 0, 0, 0, 1]
    for at, fine in (("0:00", True), ("23:59", True), ("23:60", False), ("24:00", False), (" 7:05 ", True)):
        assert (not rule_faults(Rule(at=at))) == fine, at
    for text, found in (
        ("1 week, 2 days and 3 hours 4 minutes", timedelta(days=9, hours=3, minutes=4)), ("0 hours", timedelta()),
        ("1000 days", timedelta(days=1000)), ("1000 days 1 minute", None), ("", None), ("1 day x", None),
    ):  # fmt: skip
        assert span(text) == found, text


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Rule(), "3 days (UTC). If you are late, we remind you and wait 12 hours more; "
         "then the game waits."),
        (Rule(at="18:00", days=("mon", "fri"), zone="Europe/Berlin", grace="0 hours", late="hold"),
         "3 days; deadlines fall at 18:00 on mon, fri (Europe/Berlin). If you are late, we remind you; "
         "then your ships hold their course and their fire."),
        (Rule(days=("sun",), late="last orders"),
         "3 days; deadlines fall on sun (UTC). If you are late, we remind you and wait 12 hours more; "
         "then your last orders continue."),
        (Rule(at="9:00", late="robot"),
         "3 days; deadlines fall at 9:00 (UTC). If you are late, we remind you and wait 12 hours more; "
         "then stand-in orders are written for you."),
    ],
)  # fmt: skip
def test_what_was_agreed_about_time_in_words(rule: Rule, said: str) -> None:
    terms: dict[str, emails.Value] = {
        "within": rule.within, "at": rule.at, "days": rule.days, "zone": rule.zone, "late": rule.late,
        "grace": rule.grace if span(rule.grace) else "",
    }  # fmt: skip
    text = emails.render("invitation", None, **INVITED | terms).text
    assert f"Answer each report within {said}" in " ".join(text.split())


def test_words_to_and_of_a_mail_server() -> None:
    days = [_day(datetime(2027, month, 29 - month, tzinfo=UTC)) for month in range(1, 13)]
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
    assert days == [f"{28 - place}-{name}-2027" for place, name in enumerate(months)]
    assert _quoted('a "b" \\c') == '"a \\"b\\" \\\\c"'
    assert [_plain(ValueError(text)) for text in ("a \r\n b", "", "x" * 300)] == ["a b", "ValueError", "x" * 200]


# --- what is found wrong with a host ---------------------------------------------------------------------------------


def test_the_games_of_a_host_as_they_are_found(tmp_path: Path, new_duel: Path) -> None:
    host = Host(format=1, orders="orders@host.example")
    assert [(one.what, one.right, one.said) for one in doctor._games(tmp_path, host)] == [
        ("games", True, "there is no game yet: `pbem new` makes one under games/")
    ]
    for name in ("one", "two"):
        shutil.copytree(new_duel, tmp_path / "games" / name)
    (tmp_path / "games" / "zero").mkdir()
    (tmp_path / "games" / "zero" / "game.toml").write_text("x")
    (tmp_path / "games" / "one" / "post.toml").write_text('format = 1\n[deadlines]\nwithin = "5 days"\nlate = "hold"\n')
    one, two, zero = doctor._games(tmp_path, host)
    assert (one.what, one.right, one.said) == ("game one", True, "answers within 5 days, then hold")
    said = "games/one is called duel too: their emails could not be told apart"
    assert (two.what, two.right, two.said) == ("game two", False, said)
    assert (zero.what, zero.right) == ("game zero", False) and zero.said
    timetable.pause(tmp_path / "games" / "one", NOW)
    shutil.rmtree(tmp_path / "games" / "two")
    shutil.rmtree(tmp_path / "games" / "zero")
    (paused,) = doctor._games(tmp_path, host)
    assert (paused.right, paused.said) == (True, "paused")
    assert doctor._players(tmp_path, host) == "2 addresses in games; none is known to be dead"
    (tmp_path / "players.toml").write_text('format = 1\n[people.eve]\nmail = "eve@example.org"\n')
    said = "1 person in players.toml, 2 addresses in games; none is known to be dead"
    assert doctor._players(tmp_path, host) == said


def test_the_outbox_of_a_host_as_it_is_found(tmp_path: Path) -> None:
    host = Host(format=1, orders="orders@host.example")
    (tmp_path / "games").mkdir()
    (tmp_path / "host.toml").write_text('format = 1\norders = "orders@host.example"\n')
    assert doctor._outbox(tmp_path, host) == "0 emails wait to be sent"
    box = open_outbox(tmp_path, host, GAMES)
    for folder in (box.waiting, box.failed):
        folder.mkdir(parents=True, exist_ok=True)
    for name in ("a.eml", "b.eml", "c.txt"):
        (box.waiting / name).touch()
    assert doctor._outbox(tmp_path, host) == "2 emails wait to be sent"
    (box.failed / "a.eml").touch()
    (box.failed / "a.why").touch()
    with pytest.raises(GameError, match="doctor: 1 email to nobody could not be sent: the reason was lost"):
        doctor._outbox(tmp_path, host)


def test_the_inbox_of_a_host_as_it_is_found(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.eml").write_bytes(b"x")
    inbox = {"kind": "folder", "path": "in"}
    host = Host(format=1, orders="orders@host.example", inbox=inbox)
    assert doctor._inbox(tmp_path, host, None) == "folder: can be read, 1 email is waiting"
    assert doctor._inbox(tmp_path, host, tmp_path / "state") == "folder: can be read, 1 email is waiting"
    with pytest.raises(GameError, match=r"host.toml has no \[inbox\]: no email comes in"):
        doctor._inbox(tmp_path, Host(format=1, orders="orders@host.example"), None)


def test_of_a_game_that_is_new_here_only_the_last_report_is_sent(tmp_path: Path) -> None:
    other = Seat(game="duel", folder=Path("duel"), side="klingon", addresses=("bob@example.org",), token="bbbbbbb")
    folders = [tmp_path / "r1", tmp_path / "r2", tmp_path / "r3"]
    for folder in folders:
        for seat in (SEAT, other):
            (folder / seat.side).mkdir(parents=True)
            head = f"Subject: s\r\nmessage-id: <{folder.name}.{seat.side}@x>\r\n\r\nMessage-ID: <no@x>\r\n"
            (folder / seat.side / "mail.eml").write_bytes(head.encode())
    said = timetable.SentNotices(tmp_path)
    said.add(*announce.begin(said.known, folders, [SEAT, other]).keys)
    known = {"first", *(f"<{name}.{side}@x>" for name in ("r1", "r2") for side in ("federation", "klingon"))}
    assert timetable.SentNotices(tmp_path).known == known
    again = announce.begin(said.known, [*folders, folders[0]], [SEAT, other])
    assert again == Outgoing(), "an older game is not begun again"
