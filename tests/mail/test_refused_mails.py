"""Mails that a server refuses: how long each waits, when it fails, what is read of it, and to whom mails go at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from pbem.mail.incoming.intake import eml, to_players
from pbem.mail.replies.reply import Reply
from pbem.mail.settings import Host
from pbem.mail.store import FAILURES_TOLD, read_fact
from pbem.mail.transport.outbox import BACK_OFF, PATIENCE, TOLD, Later, Outbox, Refused, Unreachable as NoServer, bare
from tests.nobody_elses import private

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


HOST = Host(format=1, orders="orders@host.example", umpire="The Umpire <umpire@host.example>", name="Club")


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
        assert trial is not None and private(tmp_path / "club.db")
        assert (trial.tries, trial.first, trial.why) == (len(waits) + 1, NOW, f"not now {len(waits)}")
        waits.append(trial.next - now)
        assert outbox.due(trial.next - timedelta(seconds=1)) == [] and outbox.due(trial.next) == [path]
        now = trial.next
    assert waits == [*BACK_OFF, *[BACK_OFF[-1]] * (len(waits) - len(BACK_OFF))]
    done = outbox.deliver(Carrier(Later("451 at last")), now)
    assert (done.failed, done.later, done.reached) == ((path.name,), (), True)
    assert [one.why for one in outbox.failures()] == ["no server took it in 5 days; at last: 451 at last"]
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
    assert [(str(one["To"]), str(one["Subject"])) for one in texts] == [(HOST.umpire, "An email could not be sent")]
    (why,) = (one.why for one in outbox.failures() if one.path.name == sorted(names)[-1])
    body = texts[0].get_body(("plain",))
    assert body is not None and body.get_content().replace("\r\n", "\n") == (
        f"2 emails to Ann@example.org could not be sent:\n\n  {why}\n\nThey are in these files:\n\n"
        f"  mail/outbox/failed/{sorted(names)[0]}\n  mail/outbox/failed/{sorted(names)[1]}\n\n"
        "The first command sends all failed emails to this address again, with\n"
        "up-to-date deadlines. The second discards them:\n\n"
        f"    pbem mail failed {tmp_path.parent} Ann@example.org --again\n"
        f"    pbem mail failed {tmp_path.parent} Ann@example.org --give-up\n\n"
        "If you give the player another address, you need to do nothing else: the\nlast report is sent there.\n"
    )
    told = read_fact(tmp_path, FAILURES_TOLD, dict[str, datetime])
    assert told is not None and set(told) == {"Ann@example.org", *names}
    third = outbox.put(letter("c"))
    assert third is not None
    for now in (NOW + timedelta(hours=1), NOW + TOLD - timedelta(seconds=1)):
        outbox.deliver(Carrier(Refused("552")), now)
    assert outbox.counted() == (0, 3), "within a day it is not told again"
    outbox.deliver(carrier, NOW + TOLD)
    outbox.deliver(carrier, NOW + TOLD)
    assert b"An email to Ann@example.org could not be sent:\r\n\r\n  552\r\n\r\nIt is in" in carrier.taken[-1][2]
    assert len(carrier.taken) == 2


@pytest.mark.parametrize(
    ("address", "found"),
    [("Ann <ann@example.org>", "ann@example.org"), ("ann@example.org", "ann@example.org"), ("", ""), ("ann", "")],
)
def test_the_address_alone(address: str, found: str) -> None:
    assert bare(address) == found


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
