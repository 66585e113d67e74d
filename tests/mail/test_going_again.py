"""What waits, what is kept of it, and which mails go again, with which deadline."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.mail.replies.reply import PLAYED, Until, as_of, rewritten
from pbem.mail.settings import Host
from pbem.mail.transport.outbox import Later, Outbox
from pbem.mail.transport.smtp import Watch
from tests.mail.replies import reply

if TYPE_CHECKING:
    pass
else:
    pass


NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def test_a_watch_that_was_in_time_waits_no_longer() -> None:
    watch = Watch()
    with watch.limit(3600):
        (timer,) = (each for each in threading.enumerate() if isinstance(each, threading.Timer))
        assert timer.daemon
    timer.join(30)
    assert not timer.is_alive() and not watch.over


def test_a_watch_lets_go_of_the_line_before() -> None:
    watch = Watch()
    watch._hang_up()
    assert watch.over, "with nothing in its hands it has nothing to hang up"
    watch = Watch()
    lines = [socket.socketpair() for _ in range(2)]
    for mine, _ in lines:
        assert watch.hold(mine) is mine
    lines[0][0].close()
    lines[0][1].settimeout(10)
    assert lines[0][1].recv(1) == b"", "nobody holds the first any more"
    watch._hang_up()
    lines[1][1].settimeout(10)
    assert lines[1][1].recv(1) == b"" and watch.over
    watch.release()
    watch.release()
    for pair in lines:
        for one in pair:
            one.close()


UNTIL = Until(asking=(1, 1, 0), standing="owes", words="Until noon.", game="duel", side="a", asks=True)


class Busy:
    """Takes nothing now."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        raise Later("451 busy")


@dataclass
class Carrier:
    """Keeps what it is handed."""

    mails: list[bytes]

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails.append(mail)


def test_a_mail_that_perhaps_went_out_goes_as_it_was_unless_its_deadline_changed(tmp_path: Path) -> None:
    """The machine stopped while it was handed over."""
    host = Host(format=1, orders="orders@host.example")
    for words, same in (("Until noon.", True), ("Until one.", False)):
        outbox, carrier = Outbox(tmp_path / words[6:9], host), Carrier([])
        assert outbox.refused() == []
        path = outbox.put(reply("k", until=UNTIL))
        assert path is not None and outbox.refused() == []
        kept = outbox.sending / path.name
        kept.parent.mkdir()
        kept.write_bytes(b"Date: yesterday\r\nSubject: S\r\n\r\nUntil noon.\r\n")
        asked: list[str] = []

        def refresh(until: Until, refused: str, words: str = words, asked: list[str] = asked) -> str:
            assert until == UNTIL
            asked.append(refused)
            return words

        outbox.deliver(carrier, NOW, refresh=refresh)
        (mail,) = carrier.mails
        assert mail.startswith(b"Date: yesterday\r\n" if same else b"Date: Mon, 01 Mar 2027 12:00:00 +0000\r\n")
        assert words.encode() in mail and asked == [""] and not kept.exists()
        assert (outbox.sent / path.name).read_bytes() == mail


def test_what_went_out_before_a_folder_was_put_back_is_not_sent_again(tmp_path: Path) -> None:
    outbox, carrier = Outbox(tmp_path, Host(format=1, orders="orders@host.example")), Carrier([])
    first, second = outbox.put(reply("a")), outbox.put(reply("b"))
    assert first is not None and second is not None
    raw = first.read_bytes()
    outbox.deliver(Busy(), NOW)
    assert outbox.trial(first) is not None and len(outbox.refused()) == 0
    outbox.went(first.name)
    outbox.went("unknown.eml")
    assert (outbox.sent / first.name).read_bytes() == raw and outbox.trial(first) is None
    assert outbox.counted() == (1, 0) and outbox.put(reply("a")) is None
    done = outbox.deliver(carrier, NOW + timedelta(minutes=1))
    assert (done.sent, done.waiting, len(carrier.mails)) == ((second.name,), 0, 1)


def test_which_deadlines_are_told_by_mails_that_were_refused(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path, Host(format=1, orders="orders@host.example"))
    assert outbox.put(reply("a", until=UNTIL)) and outbox.put(reply("b"))
    assert outbox.refused() == [], "they were not tried yet"
    outbox.deliver(Busy(), NOW)
    assert [one.until for one in outbox.refused()] == [UNTIL]
    damaged = outbox.put(reply("c", until=UNTIL))
    assert damaged is not None
    damaged.with_suffix(".json").write_bytes(b"{}")
    damaged.unlink()
    assert [one.until for one in outbox.refused()] == [UNTIL]


def test_a_page_says_the_new_deadline_in_the_place_of_the_old_one_and_nothing_else() -> None:
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = "s"
    mail.set_content("First.\n\nAsked. It is\nup & at noon.  More.\n\nLast  line.\n", cte="8bit")
    page = "<p>Asked.  It is\n up &amp; at noon.\n  More.</p>\n<pre>a   b</pre>\n"
    mail.add_alternative(page, subtype="html")
    mail.add_attachment("It is up & at noon.\r\n\r\nx   y\r\n", filename="a.txt")
    mail.add_attachment(b"It is up & at noon.", "application", "octet-stream", filename="b.bin")
    found = message_from_bytes(rewritten(bytes(mail), [("It is up & at noon.", "It was at <one>.")]), policy=default)
    texts = [one.get_payload(decode=True) for one in found.walk() if not one.is_multipart()]
    assert texts == [
        b"First.\r\n\r\nAsked. It was at <one>. More.\r\n\r\nLast  line.\r\n",
        b"<p>Asked.  It was at &lt;one&gt;.\r\n  More.</p>\r\n<pre>a   b</pre>\r\n",
        b"It was at <one>.\r\n\r\nx   y\r\n",
        b"It is up & at noon.",
    ]


def test_what_holds_until_orders_are_played_is_left_out_of_a_mail_that_goes_later() -> None:
    mail = EmailMessage(policy=SMTP)
    mail.set_content(
        "On file.\nIt is due at noon.\n\n| GAME a\n\nUntil it is played you may\nsend more.\n\nsha256:\n  ab\n",
        cte="8bit",
    )
    until = Until(
        asking=(1, 1, 0),
        standing="answered",
        words="It is due at noon.",
        meanwhile="Until it is played you may send more.",
    )

    def said(words: str) -> str:
        return str(message_from_bytes(as_of(bytes(mail), until, words), policy=default).get_content()).replace("\r", "")

    assert said(PLAYED) == f"On file. {PLAYED}\n\n| GAME a\n\nsha256:\n  ab\n"
    assert "Until it is played you may\nsend more." in said("It is due at one.")
