"""What is to be sent: once, with an identity of its own, whatever the server says and wherever the machine stops."""

from __future__ import annotations

import re
import shlex
import socket
import ssl
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest

from pbem.games.storage.opening import opened
from pbem.games.storage.publish import reports_folder
from pbem.mail.replies.announce import Above, sitrep
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games
from pbem.mail.settings import Host, Smtp
from pbem.mail.transport.outbox import PATIENCE, Later, Outbox, Refused, Unreachable, chosen
from pbem.mail.transport.passwords import SMTP_PASSWORD
from pbem.mail.transport.smtp import SmtpCarrier
from pbem.reports.html.page import dated

pytestmark = pytest.mark.usefixtures("pages")

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
HOST = Host(format=1, orders="orders@host.example", umpire="umpire@host.example", name="Club, the <best>")


class Carrier:
    """Says to each mail what it is told to; an exception is raised, anything else is a yes."""

    def __init__(self, *answers: Exception) -> None:
        self.answers = list(answers)
        self.taken: list[tuple[str, str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if self.answers:
            raise self.answers.pop(0)
        self.taken.append((sender, to, mail))


@pytest.fixture
def outbox(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "outbox", HOST)


def letter(key: str = "k", **more: Any) -> Reply:
    fields: dict[str, Any] = {
        "to": "ann@example.org", "subject": "duel01 2.9 SITREP", "text": "Hello\n", "kind": "sitrep", "game": "duel01",
        "side": "federation", "key": key,
    }  # fmt: skip
    return Reply(**{**fields, **more})


def read(mail: bytes) -> EmailMessage:
    message = message_from_bytes(mail, policy=default)
    assert isinstance(message, EmailMessage)
    return message


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_a_letter_is_put_once_and_its_mail_is_always_the_same(outbox: Outbox, tmp_path: Path) -> None:
    path = outbox.put(letter())
    assert path is not None and path.name.startswith("sitrep.duel01.federation.")
    assert outbox.put(letter()) is None and outbox.put(letter(text="other words, same key\n")) is None
    assert names(outbox.waiting) == [path.name]
    assert path.read_bytes() == Outbox(tmp_path / "elsewhere", HOST).mail(letter())
    assert b"\nDate:" not in path.read_bytes()


def test_a_sitrep_goes_out_as_it_was_rendered_with_its_picture_beside_the_summary(
    outbox: Outbox, duel: Path, games: Games
) -> None:
    with opened(duel) as game:
        seat = next(seat for seat in games.seats if seat.side == "klingon")
        reply = sitrep(game, games, seat, reports_folder(game), Above(until="The deadline is near."), "<root@x>")
    stored = read((duel / "01/r1/klingon/mail.eml").read_bytes())
    sent = read(outbox.mail(reply))
    assert [part.get_content_type() for part in sent.walk()] == [part.get_content_type() for part in stored.walk()]
    one, other = ([part["Content-ID"] for part in mail.walk() if part["Content-ID"]] for mail in (stored, sent))
    assert one == other
    summary = sent.get_body(("html",))
    assert summary is not None and "The deadline is near." in summary.get_content()
    for cid in other:
        assert f'src="cid:{str(cid).strip("<>")}"' in summary.get_content()
    attached = {part.get_filename(): part.get_payload(decode=True) for part in sent.iter_attachments()}
    assert list(attached) == ["sitrep.html", "klingon.r1.orders", "orders.html", "positions.vsav"]
    assert attached["positions.vsav"] == (duel / "01/positions.vsav").read_bytes()
    page = (duel / "01/r1/klingon/sitrep.html").read_text(encoding="utf-8")
    content = attached["sitrep.html"]
    assert isinstance(content, bytes)
    there = content.replace(b"\r\n", b"\n")  # a page travels as it is, with the line ends of mail
    assert there == dated(page, "The deadline is near.").encode()
    for name in ("sitrep.html", "orders.html"):
        assert b'<p class="deadline">The deadline is near.</p>' in attached[name], "he who knows it tells it everywhere"
    text = sent.get_body(("plain",))
    assert text is not None and "The deadline is near." in text.get_content()
    assert outbox.mail(reply).isascii() and max(map(len, outbox.mail(reply).split(b"\r\n"))) <= 998


def test_what_stands_in_a_mail(outbox: Outbox) -> None:
    reply = letter(
        html="<p>Übersicht</p>", in_reply_to="<a@b>", references=("<root@x>", "not an id"),
        attachments=(
            ("sitrep.html", "text/html", "<p>ö</p>".encode()),
            ("duel.vsav", "application/octet-stream", b"\0PK"),
            ("x\r\ny.bin", "message/rfc822", b"From: x"),
        ),
    )  # fmt: skip
    message = read(outbox.mail(reply))
    assert [address.addr_spec for address in message["From"].addresses] == ["orders@host.example"]
    assert (message["To"], message["Reply-To"]) == ("ann@example.org", "orders@host.example")
    assert message["Subject"] == "duel01 2.9 SITREP"
    assert message["Message-ID"] == outbox.message_id("k") and str(message["Message-ID"]).endswith("@host.example>")
    assert (message["In-Reply-To"], message["References"]) == ("<a@b>", "<root@x> <a@b>")
    assert message["Auto-Submitted"] == "auto-replied"
    text, page = message.get_body(("plain",)), message.get_body(("html",))
    assert text is not None and text.get_content().strip() == "Hello"
    assert page is not None and "&#220;bersicht" in page.get_content()
    attached = {part.get_filename(): part.get_payload(decode=True) for part in message.iter_attachments()}
    assert attached == {"sitrep.html": "<p>ö</p>".encode(), "duel.vsav": b"\0PK", "x y.bin": b"From: x"}


def test_a_summary_that_some_programs_would_cut_is_left_out(outbox: Outbox) -> None:
    assert read(outbox.mail(letter(html="x" * 80_001))).get_body(("html",)) is None


def test_no_word_of_a_letter_adds_a_header_or_a_reader(outbox: Outbox) -> None:
    evil = "x\r\nBcc: eve@example.org"
    message = read(outbox.mail(letter(to=f"Bob {evil} <bob@example.org>", subject=evil, in_reply_to=evil)))
    assert message["Bcc"] is None and message["In-Reply-To"] is None
    assert [address.addr_spec for address in message["To"].addresses] == ["bob@example.org"]


def test_letters_without_an_address_go_to_the_umpire(outbox: Outbox) -> None:
    assert read(outbox.mail(letter(to="", side="umpire")))["To"] == "umpire@host.example"


def test_players_answer_to_their_own_address_where_there_are_such(tmp_path: Path) -> None:
    outbox = Outbox(tmp_path, HOST, lambda reply: f"orders+{reply.side}@host.example")
    assert read(outbox.mail(letter()))["Reply-To"] == "orders+federation@host.example"


# --- sending ---------------------------------------------------------------------------------------------------------


def test_what_was_sent_is_kept_with_its_date_and_never_sent_again(outbox: Outbox) -> None:
    outbox.put(letter())
    carrier = Carrier()
    assert len(outbox.deliver(carrier, NOW).sent) == 1
    ((sender, to, mail),) = carrier.taken
    assert (sender, to) == ("orders@host.example", "ann@example.org")
    assert read(mail)["Date"] == "Mon, 01 Mar 2027 12:00:00 +0000"
    assert names(outbox.waiting) == [] and (outbox.sent / names(outbox.sent)[0]).read_bytes() == mail
    assert outbox.put(letter()) is None
    assert not outbox.deliver(carrier, NOW).sent and len(carrier.taken) == 1


def test_without_a_server_mails_stay_where_they_are(outbox: Outbox) -> None:
    outbox.put(letter())
    assert outbox.deliver(None, NOW).waiting == 1
    assert len(names(outbox.waiting)) == 1


def test_a_refusal_for_now_is_tried_again_later_and_later(outbox: Outbox) -> None:
    outbox.put(letter())
    now, waits = NOW, []
    for _ in range(4):
        assert outbox.deliver(Carrier(Later("451 greylisted")), now).later
        trial = outbox.trial(next(outbox.waiting.glob("*.eml")))
        assert trial is not None and trial.why == "451 greylisted"
        waits.append(trial.next - now)
        assert not outbox.due(trial.next - timedelta(seconds=1))
        now = trial.next
    assert waits == sorted(set(waits))
    assert outbox.deliver(Carrier(), now).sent and names(outbox.waiting) == []


def test_a_mail_nobody_takes_for_days_has_failed_but_not_because_of_our_own_server(outbox: Outbox) -> None:
    outbox.put(letter())
    outbox.deliver(Carrier(Unreachable("no net")), NOW)
    outbox.deliver(Carrier(Unreachable("no net")), NOW + 2 * PATIENCE)
    assert not names(outbox.failed)
    outbox.deliver(Carrier(Later("451")), NOW + 3 * PATIENCE)
    assert len(names(outbox.failed)) == 1


def test_a_mail_that_is_refused_for_good_is_told_to_the_umpire_once(outbox: Outbox) -> None:
    outbox.put(letter())
    assert outbox.deliver(Carrier(Refused("550 no such user")), NOW).failed
    assert len(names(outbox.failed)) == 1
    carrier = Carrier()
    outbox.deliver(carrier, NOW)
    outbox.deliver(carrier, NOW)
    ((_, to, mail),) = carrier.taken
    assert to == "umpire@host.example" and b"550 no such user" in mail
    outbox.put(letter("notice", to="", side="umpire"))
    outbox.deliver(Carrier(Refused("550 nor this")), NOW)
    assert not outbox.deliver(carrier, NOW).sent, "no notice about a notice"


def test_one_mail_that_is_refused_keeps_no_other_back_and_a_broken_line_all(outbox: Outbox) -> None:
    for key in "abc":
        outbox.put(letter(key))
    done = outbox.deliver(Carrier(Refused("550")), NOW)
    assert (len(done.failed), len(done.sent)) == (1, 2)
    for key in "de":
        outbox.put(letter(key))
    done = outbox.deliver(Carrier(Unreachable("cut")), NOW)
    assert (done.sent, done.trouble) == ((), "cut")


def test_mail_to_nobody_fails_and_says_why(outbox: Outbox) -> None:
    outbox.put(letter(to="ann"))
    assert outbox.deliver(None, NOW).failed
    assert [one.why for one in outbox.failures()] == ["there is no address to send it to"]


def test_each_notice_of_failed_mails_names_commands_for_these_alone(outbox: Outbox) -> None:
    readers = {"a": "ann", "b": "bob", "c": "Bob@example.org", "d": "cid@example.org"}
    for key, to in readers.items():
        outbox.put(letter(key, to=to))
    carrier = Carrier(Refused("550 no"), Refused("550 no"))
    outbox.deliver(carrier, NOW)
    outbox.deliver(carrier, NOW)
    failures = outbox.failures()
    notices = [str(read(mail).get_content()) for _, to, mail in carrier.taken if to == HOST.umpire]
    for text in notices:
        lies = {one for one in failures if one.path.name in text}
        said = re.findall(r"pbem mail failed (.+) --(again|give-up)", text)
        assert [what for _, what in said] == ["again", "give-up"], text
        for line, _ in said:
            club, *who = shlex.split(line)
            assert club == str(outbox.club) and {*chosen(failures, *who)} == lies != {*failures}, text
    assert sum(one.path.name in text for one in failures for text in notices) == len(failures)


def test_stopped_after_it_was_written_down_a_mail_is_not_sent_again(outbox: Outbox) -> None:
    path = outbox.put(letter())
    assert path is not None
    mail = path.read_bytes()
    outbox.deliver(Carrier(), NOW)
    path.write_bytes(mail)  # as if the machine had stopped before it was taken away
    carrier = Carrier()
    outbox.deliver(carrier, NOW)
    assert not carrier.taken and names(outbox.waiting) == []


def test_stopped_before_it_was_written_down_the_same_mail_goes_again(outbox: Outbox) -> None:
    class Stopping(Carrier):
        def send(self, sender: str, to: str, mail: bytes) -> None:
            super().send(sender, to, mail)
            raise KeyboardInterrupt

    outbox.put(letter())
    stopping, carrier = Stopping(), Carrier()
    with pytest.raises(KeyboardInterrupt):
        outbox.deliver(stopping, NOW)
    outbox.deliver(carrier, NOW)
    assert read(stopping.taken[0][2])["Message-ID"] == read(carrier.taken[0][2])["Message-ID"]


# --- a real server ---------------------------------------------------------------------------------------------------


class Server:
    """What a real SMTP server was told; it refuses some readers."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, options: Any) -> str:
        if address.startswith("gone"):
            return "550 no such user"
        if address.startswith("busy"):
            return "451 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.mails.append(envelope.content)
        return "250 OK"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.fixture
def server() -> Iterator[tuple[Server, int]]:
    controller = pytest.importorskip("aiosmtpd.controller", reason="aiosmtpd is not installed")
    handler, port = Server(), free_port()
    running = controller.Controller(handler, hostname="127.0.0.1", port=port)
    running.start()
    yield handler, port
    running.stop()


def test_a_real_server_takes_refuses_and_puts_off(outbox: Outbox, server: tuple[Server, int]) -> None:
    handler, port = server
    for name in ("ann", "gone", "busy"):
        outbox.put(letter(name, to=f"{name}@example.org", text="ä" * 2000 + "\n.\n"))
    with SmtpCarrier(Smtp(host="127.0.0.1", port=port, security="none")) as carrier:
        done = outbox.deliver(carrier, NOW)
    assert (len(done.sent), len(done.failed), len(done.later)) == (1, 1, 1)
    (mail,) = handler.mails
    body = read(mail).get_body(("plain",))
    assert body is not None and body.get_content().replace("\r\n", "\n") == "ä" * 2000 + "\n.\n"


def test_no_server_and_no_encryption_are_told_in_plain_words(server: tuple[Server, int]) -> None:
    with pytest.raises(Unreachable, match="does not answer"):
        SmtpCarrier(Smtp(host="127.0.0.1", port=free_port(), security="none")).connect()
    with pytest.raises(Unreachable, match="is security = 'starttls' right"):
        SmtpCarrier(Smtp(host="127.0.0.1", port=server[1], security="starttls")).connect()
    with pytest.raises(Unreachable, match="only sent over an encrypted connection"):
        SmtpCarrier(Smtp(host="0.0.0.0", port=server[1], security="none", user="ann")).connect()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate for localhost that this machine trusts for as long as the test runs."""
    command = [
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-keyout", str(tmp_path / "key"), "-out", str(tmp_path / "cert"),
    ]  # fmt: skip
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"openssl cannot make a certificate: {error}")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    return context


@pytest.mark.filterwarnings("ignore:Requiring AUTH")  # without STARTTLS, inside a line that is encrypted already
@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_the_password_goes_over_an_encrypted_line_from_the_environment(
    outbox: Outbox, certificate: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, security: Any
) -> None:
    controller = pytest.importorskip("aiosmtpd.controller", reason="aiosmtpd is not installed")
    smtp = pytest.importorskip("aiosmtpd.smtp")
    handler, port = Server(), free_port()

    def log_in(server: Any, session: Any, envelope: Any, mechanism: str, data: Any) -> Any:
        right = (data.login, data.password) == (b"ann", b"right")
        return smtp.AuthResult(success=right, handled=right)

    more: dict[str, Any] = {"authenticator": log_in, "auth_required": True}
    if security == "tls":
        more |= {"ssl_context": certificate, "auth_require_tls": False}
    else:
        more |= {"tls_context": certificate, "require_starttls": True}
    running = controller.Controller(handler, hostname="localhost", port=port, **more)
    running.start()
    settings = Smtp(host="localhost", port=port, security=security, user="ann", timeout=10.0)
    try:
        outbox.put(letter())
        monkeypatch.delenv(SMTP_PASSWORD, raising=False)
        with pytest.raises(Unreachable, match="there is no password"):
            SmtpCarrier(settings).connect()
        monkeypatch.setenv(SMTP_PASSWORD, "wrong")
        with pytest.raises(Unreachable, match="does not accept ann"):
            SmtpCarrier(settings).connect()
        monkeypatch.setenv(SMTP_PASSWORD, "right")
        with SmtpCarrier(settings) as carrier:
            assert outbox.deliver(carrier, NOW).sent
        monkeypatch.delenv("SSL_CERT_FILE")
        with pytest.raises(Unreachable, match="no safe connection"):
            SmtpCarrier(settings).connect()
    finally:
        running.stop()
    assert len(handler.mails) == 1


class Picky(Carrier):
    """Refuses one reader's mail and takes all other."""

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if to == "ann@example.org":
            raise Refused("550 no such user")
        super().send(sender, to, mail)


def test_mails_to_one_reader_that_fail_are_one_notice_a_day(outbox: Outbox) -> None:
    carrier = Picky()
    for hours, count in ((0, 3), (2, 2), (25, 1), (26, 0)):
        for number in range(count):
            outbox.put(letter(f"{hours} {number}"))
        assert len(outbox.deliver(carrier, NOW + timedelta(hours=hours)).failed) == count
        outbox.deliver(carrier, NOW + timedelta(hours=hours))
    told = [mail for _, to, mail in carrier.taken if to == "umpire@host.example"]
    assert [b"3 emails to ann@example.org" in told[0], b"3 emails to ann@example.org" in told[1]] == [True, True]
    assert len(told) == 2, "three at first, and the three of the day after it together"
