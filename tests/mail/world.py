"""A small world of mail: a real SMTP server, a mailbox for everybody on a real IMAP server, and people who write.

The host sends by SMTP; the server puts each mail into its reader's mailbox, or refuses it. Players fetch theirs, read
the drafts in them, and answer as their mail programs would; their letters go by the same server to the host, which
fetches them by IMAP (pymap, in a process of its own) or, where that is not installed, from the Maildir they lie in.
Time is set by hand.
"""

from __future__ import annotations

import email.utils
import imaplib
import importlib.util
import os
import re
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from pbem.games.storage.opening import opened
from pbem.mail.host.clocks import Up
from pbem.mail.host.round import Round, host_round
from pbem.mail.settings import read_host
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.passwords import IMAP_PASSWORD as IN_PASSWORD
from pbem.mail.transport.smtp import SmtpCarrier

PASSWORD = "pass word"
START = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
HOST, UMPIRE = "orders@host.example", "umpire@host.example"
PYMAP = "import sys; sys.argv = ['pymap', *sys.argv[1:]]; from pymap.main import main; main()"

SETTINGS = """\
format = 1
name = "Test"
orders = "{orders}"
umpire = "{umpire}"
[inbox]
{inbox}
[smtp]
host = "127.0.0.1"
port = {port}
security = "none"
[deadlines]
within = "2 days"
remind = ["1 day"]
grace = "12 hours"
late = "{late}"
"""


def has_imap() -> bool:
    """Whether there is an IMAP server to be had."""
    return importlib.util.find_spec("pymap") is not None and sys.platform != "win32"


def free_port() -> int:
    """A port nobody listens at."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Passed(NamedTuple):
    """A mail that went through the server."""

    sender: str
    to: str
    raw: bytes


class World:
    """The servers, the mailboxes and the clock. ``imap`` says whether mail is fetched from the IMAP server."""

    def __init__(self, folder: Path, addresses: Iterable[str], *, imap: bool) -> None:
        self.folder, self.now, self.imap = folder, START, imap
        self.passed: list[Passed] = []
        self.answering: dict[str, Callable[[Passed], bytes | None]] = {}
        """By address: what a machine there answers to a mail (``None``: nothing)."""
        self.refused: set[str] = set()
        """Senders the server takes nothing from."""
        self.full: set[str] = set()
        """Readers whose mailbox takes nothing now."""
        self.unknown: set[str] = set()
        """Readers whom the server does not know now."""
        self._arrived: list[Passed] = []
        self._count = 0
        self.boxes = {}
        for address in addresses:
            box = folder / address.partition("@")[0]
            for part in ("new", "cur", "tmp"):
                (box / part).mkdir(parents=True)
            self.boxes[address] = box
        self._controller: Any = None
        self._pymap: subprocess.Popen[bytes] | None = None
        self._lines: dict[str, imaplib.IMAP4] = {}
        self.smtp_port = self.imap_port = 0

    # --- servers ---

    def __enter__(self) -> World:
        from aiosmtpd.controller import Controller

        self.smtp_port = free_port()
        self._controller = Controller(_Server(self), hostname="127.0.0.1", port=self.smtp_port)
        self._controller.start()
        self._variable = os.environ.get(IN_PASSWORD)
        os.environ[IN_PASSWORD] = PASSWORD
        if self.imap:
            self._start_imap()
        return self

    def __exit__(self, *of_an_error: object) -> None:
        self._controller.stop()
        for line in self._lines.values():
            with suppress(OSError, imaplib.IMAP4.error):
                line.logout()
        del os.environ[IN_PASSWORD]
        if self._variable is not None:
            os.environ[IN_PASSWORD] = self._variable
        if self._pymap is not None:
            self._pymap.kill()
            self._pymap.wait()

    def _start_imap(self) -> None:
        kept = _hashed(PASSWORD)
        users = [box.name for box in self.boxes.values()]
        passwd = "".join(f"{user}::1000:::{user}:\n" for user in users)
        (self.folder / "pymap-etc-passwd").write_text(passwd, encoding="ascii")
        shadow = "".join(f"{user}:{kept}:::::::\n" for user in users)
        (self.folder / "pymap-etc-shadow").write_text(shadow, encoding="ascii")
        self.imap_port = free_port()
        line = ["--host", "127.0.0.1", "--port", str(self.imap_port), "--no-tls", "maildir", str(self.folder)]
        self._pymap = subprocess.Popen([sys.executable, "-c", PYMAP, *line], stderr=subprocess.DEVNULL)
        for _ in range(400):
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.imap_port), 1):
                return
            time.sleep(0.05)
        raise AssertionError("the IMAP server does not come up")

    # --- mail ---

    def send(self, sender: str, raw: bytes, to: str = HOST) -> None:
        """A letter on its way, by SMTP."""
        with smtplib.SMTP("127.0.0.1", self.smtp_port, timeout=30) as server:
            server.sendmail(sender, [to], raw)

    def delivered(self, sender: str, to: str, raw: bytes) -> None:
        """What the server does with a mail it took: its own lines above it, and into the mailbox."""
        self._count += 1
        self.passed.append(Passed(sender, to, raw))
        self._arrived.append(self.passed[-1])
        above = f"Return-Path: <{sender}>\r\nDelivered-To: {to}\r\nReceived: by mx.example; no. {self._count}\r\n"
        name = f"{int(self.now.timestamp())}.{self._count:06}.mx"
        box = self.boxes[bare(to)]
        (box / "tmp" / name).write_bytes(above.encode() + raw)
        os.utime(box / "tmp" / name, (self.now.timestamp(), self.now.timestamp()))  # IMAP's date of a letter
        (box / "tmp" / name).rename(box / "new" / name)

    def machines(self) -> int:
        """Let those who answer by themselves answer what has arrived since; returns how many mails that made."""
        waiting, self._arrived = self._arrived, []
        made = 0
        for one in waiting:
            machine = self.answering.get(bare(one.to))
            raw = machine(one) if machine is not None else None
            if raw is not None and one.sender:
                self.send("" if raw.startswith(b"From: MAILER-DAEMON") else bare(one.to), raw, to=one.sender)
                made += 1
        return made

    def fetch(self, address: str) -> list[EmailMessage]:
        """The new mails in somebody's mailbox, which he has then: an IMAP mailbox is empty afterwards."""
        box = self.boxes[address]
        if self.imap:
            raw = _emptied(self._line(box.name))
        else:
            raw = []
            for path in sorted((box / "new").iterdir()):
                raw.append(path.read_bytes())
                path.rename(box / "cur" / f"{path.name}{'!' if os.name == 'nt' else ':'}2,S")
        found = [message_from_bytes(one, policy=default) for one in raw]
        assert all(isinstance(one, EmailMessage) for one in found)
        return found

    def _line(self, user: str) -> imaplib.IMAP4:
        """A connection to the IMAP server, which is kept."""
        if user not in self._lines:
            self._lines[user] = line = imaplib.IMAP4("127.0.0.1", self.imap_port, timeout=300)
            line.login(user, PASSWORD)
        return self._lines[user]

    def housekeeping(self, address: str) -> None:
        """What other servers do by themselves: pymap forgets letters that are gone when it is asked to, and looks for
        each of them on every occasion until then.
        """
        if self.imap:
            line = self._line(self.boxes[address].name)
            line.select()
            line.check()


def bare(address: str) -> str:
    """An address without its tag: ``orders+TOKEN@host.example`` is delivered to ``orders@host.example``."""
    return re.sub(r"\+[^@]*@", "@", address)


class _Server:
    """What the SMTP server does: mail for addresses of this world is delivered, other mail refused."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def handle_MAIL(
        self, server: object, session: object, envelope: Any, address: str, options: list[str]
    ) -> str:
        if address in self.world.refused:
            return "550 5.7.1 no mail from there"
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return "250 OK"

    async def handle_RCPT(self, server: object, session: object, envelope: Any, address: str, options: object) -> str:
        if bare(address) not in self.world.boxes or bare(address) in self.world.unknown:
            return "550 5.1.1 no such mailbox"
        if bare(address) in self.world.full:
            return "452 4.2.2 mailbox full"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:
        for to in envelope.rcpt_tos:
            self.world.delivered(envelope.mail_from, to, envelope.content)
        return "250 OK"


def _hashed(password: str) -> str:
    """A password as pymap wants it."""
    try:
        from passlib.context import CryptContext  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        from pysasl.hashing import BuiltinHash  # type: ignore[import-not-found, unused-ignore]

        return str(BuiltinHash(rounds=1000).hash(password))
    return str(CryptContext(["pbkdf2_sha256"]).hash(password))


def _emptied(line: imaplib.IMAP4) -> list[bytes]:
    """All mails of a mailbox, which are removed from it: a server that looks through whole mailboxes stays quick."""
    _, count = line.select()
    if not int(count[0] or b"0"):
        return []
    _, parts = line.uid("FETCH", "1:*", "(BODY.PEEK[])")
    found = [part[1] for part in parts if isinstance(part, tuple)]
    assert len(found) == int(count[0] or b"0")
    line.uid("STORE", "1:*", "+FLAGS.SILENT", r"(\Deleted)")
    line.expunge()
    line.check()
    return found


# --- the host --------------------------------------------------------------------------------------------------------


class Club:
    """A host of this world, with its folder; :meth:`round` is what ``pbem host --once`` does, at the world's time."""

    def __init__(
        self,
        world: World,
        folder: Path,
        *,
        late: str = "wait",
        orders: str = HOST,
        umpire: str = UMPIRE,
        done: str = "",
    ) -> None:
        """``done`` is the mailbox that done letters are moved to, where mail is fetched by IMAP."""
        self.world, self.folder, self.orders = world, folder, orders
        user = world.boxes[orders].name
        if world.imap:
            inbox = f'kind = "imap"\nhost = "127.0.0.1"\nport = {world.imap_port}\nuser = "{user}"\nsecurity = "none"'
            inbox += f'\ndone = "{done}"' if done else ""
        else:
            inbox = f"kind = \"maildir\"\npath = '{world.boxes[orders]}'"
        (folder / "games").mkdir(parents=True)
        text = SETTINGS.format(inbox=inbox, port=world.smtp_port, late=late, orders=orders, umpire=umpire)
        (folder / "host.toml").write_text(text, encoding="utf-8")

    def round(self, state: Path | None = None, *, restored: bool = False, up: Up | None = None) -> Round:
        """``state`` is where the account that runs this host keeps what it did; ``up`` is what his machine says."""
        host = read_host(self.folder)
        with SmtpCarrier(host.smtp) as carrier:
            source = open_source(host.inbox, self.folder)
            return host_round(
                self.folder,
                lambda: self.world.now,
                source=source,
                carrier=carrier,
                state=state,
                restored=restored,
                up=up,
            )

    def over(self) -> bool:
        """Whether every game here has ended."""
        for path in (self.folder / "games").iterdir():
            with opened(path) as game:
                if not game.state().over:
                    return False
        return True


# --- players ---------------------------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """What a player reads in the draft that a mail brings him."""

    mail: EmailMessage
    turn: int
    number: int
    draft: str


Client = Callable[["Player", Asked, str], EmailMessage]
_HEAD = re.compile(r"GAME \S+\s+TURN (\d+)\s+SIDE \S+\s+REPLY (\d+)")


class Player:
    """Somebody who knows of the game only what his mail tells him. ``orders`` is what he would order at a request."""

    def __init__(
        self, world: World, address: str, orders: Callable[[Asked], str], clients: Iterable[Client] = ()
    ) -> None:
        self.world, self.address, self.orders = world, address, orders
        self.clients = tuple(clients) or (plain,)
        self.mails: list[EmailMessage] = []
        self.asked: Asked | None = None
        self.sent: list[EmailMessage] = []
        self.idle = False
        """A player who is away reads his mail and answers nothing."""
        self._done: set[tuple[int, int]] = set()

    def read(self) -> None:
        """Fetch the mail and look what is wanted."""
        for mail in self.world.fetch(self.address):
            self.mails.append(mail)
            for part in mail.iter_attachments():
                if (part.get_filename() or "").endswith(".orders"):
                    draft = str(part.get_content())
                    head = _HEAD.search(draft)
                    assert head is not None, draft[:200]
                    self.asked = Asked(mail, int(head[1]), int(head[2]), draft)

    @property
    def owes(self) -> bool:
        """Whether something is wanted that he has not answered."""
        return self.asked is not None and (self.asked.turn, self.asked.number) not in self._done

    def answer(self) -> bool:
        """Answer what is wanted, once; whether there was something."""
        asked = self.asked
        if asked is None or self.idle or not self.owes:
            return False
        self._done.add((asked.turn, asked.number))
        client = self.clients[len(self._done) % len(self.clients)]
        self.post(client(self, asked, self.orders(asked)))
        return True

    def post(self, letter: EmailMessage, sender: str = "") -> None:
        """Send a letter, from somewhere else if need be."""
        self.sent.append(letter)
        self.world.send(sender or self.address, bytes(letter))

    def letter(self, asked: Asked) -> EmailMessage:
        """An answer to a mail, still empty: its headers are what every mail program makes."""
        message = EmailMessage(policy=SMTP)
        message["From"] = self.address
        message["To"] = str(asked.mail["Reply-To"] or asked.mail["From"])
        message["Subject"] = f"Re: {asked.mail['Subject']}"
        message["Date"] = email.utils.format_datetime(self.world.now)
        message["Message-ID"] = f"<{len(self.sent)}.{self.address}>"
        message["In-Reply-To"] = str(asked.mail["Message-ID"])
        message["References"] = f"{asked.mail['References'] or ''} {asked.mail['Message-ID']}".strip()
        return message


def words(mail: EmailMessage) -> str:
    """The text of a mail as its reader sees it."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def everything(raw: bytes) -> str:
    """All that a mail holds: its bytes as they are, and every part as it is read."""
    pieces = [raw]
    for part in message_from_bytes(raw).walk():
        content = part.get_payload(decode=True)
        pieces += [content] if isinstance(content, bytes) else []
    return " ".join(b"\n".join(pieces).decode("utf-8", "replace").split())


def plain(player: Player, asked: Asked, orders: str) -> EmailMessage:
    """Text, typed by hand."""
    letter = player.letter(asked)
    letter.set_content(orders)
    return letter


def page(player: Player, asked: Asked, orders: str) -> EmailMessage:
    """A page and nothing else, as a phone sends it."""
    lines = "".join(
        f'<p class="MsoNormal">{escape(line).replace("  ", "&nbsp; ") or "<br>"}</p>\n' for line in orders.split("\n")
    )
    letter = player.letter(asked)
    letter.set_content(f"<html><head><style>p {{margin: 0}}</style></head><body>{lines}</body></html>", subtype="html")
    return letter


def quoting(player: Player, asked: Asked, orders: str) -> EmailMessage:
    """The orders above the whole report they answer."""
    quoted = "\n".join(f"> {line}".rstrip() for line in words(asked.mail).split("\n"))
    letter = player.letter(asked)
    letter.set_content(f"Here we go.\n\n{orders}\n\nOn Mon, 1 Mar 2027 at 12:00, Test <{HOST}> wrote:\n{quoted}\n")
    return letter


def attaching(player: Player, asked: Asked, orders: str) -> EmailMessage:
    """The draft filled in and attached."""
    letter = player.letter(asked)
    letter.set_content("My orders are attached.\n\n-- \nSent from the bridge\n")
    letter.add_attachment(orders.encode(), maintype="application", subtype="octet-stream", filename="my.orders")
    return letter


def windows(player: Player, asked: Asked, orders: str) -> EmailMessage:
    """In the letters of Windows, with a greeting, no-break spaces and long dashes."""
    letter = player.letter(asked)
    text = f"Grüße – hier meine Befehle:\n\n{orders}\n".replace("  ", "\xa0 ")
    letter.set_content(text, charset="windows-1252", cte="8bit")
    return letter


CLIENTS: tuple[Client, ...] = (plain, page, quoting, attaching, windows)


def play(
    world: World,
    club: Club,
    players: Mapping[str, Player],
    *,
    between: Callable[[int], None] = lambda number: None,
    rounds: int = 120,
) -> None:
    """Rounds of the host, with everybody reading and answering in between, until the games are over."""
    for number in range(rounds):
        done = club.round()
        assert not done.troubles, done.troubles
        world.machines()
        for player in players.values():
            player.read()
        if club.over():
            return
        between(number)
        for player in players.values():
            player.answer()
        world.now += timedelta(hours=3)
    raise AssertionError("the game does not end")
