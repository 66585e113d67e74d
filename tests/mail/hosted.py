"""A host with the shipped duel, and what its tests ask of it; :mod:`conftest` makes it known as ``post_hosted``."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import sqlite3
import sys
import tempfile
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pbem.engine import log
from pbem.games import create
from pbem.games.segments import opening
from pbem.games.status import status
from pbem.games.storage.files import write_bytes
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish
from pbem.mail.host.clocks import Up
from pbem.mail.host.club import HostedClub, RoundLog
from pbem.mail.host.round import Round, host_round
from pbem.mail.seats import token_of
from pbem.mail.transport.sources import Maildir
from tests import remembered

DUEL = next(folder for folder in create.shipped_games() if folder.name == "duel01")
ADDRESSES = {"federation": "ann@example.org", "klingon": "kor@example.org"}
START = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)

SETTINGS = """\
format = 1
name = "Test"
orders = "orders@host.example"
umpire = "umpire@host.example"
[inbox]
kind = "maildir"
path = "Maildir"
[smtp]
host = "{host}"
port = {port}
security = "none"
[deadlines]
within = "2 days"
remind = ["1 day"]
grace = "12 hours"
late = "{late}"
"""


class Sink:
    """A carrier that keeps what it is handed; ``lose`` says what to do with the next mail instead."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails.append((to, mail))


@cache
def _new_game() -> Path:
    """The shipped duel as nobody has answered yet, of which every host gets a copy."""
    folder = Path(tempfile.mkdtemp(prefix="hosted-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    create._copy_terms(DUEL, folder / "duel01")
    with opened(folder / "duel01") as game:
        write_bytes(game.log_file(0), log.encode_records(opening(game.terms)))
        game.write_state()
        with remembered.real_pages():
            publish(game)
    return folder / "duel01"


class Hosted:
    """A host with the shipped duel, its players, and a clock that is set by hand."""

    def __init__(self, folder: Path, *, late: str = "wait", port: int = 0) -> None:
        self.folder, self.now, self.sink = folder, START, Sink()
        self.game = folder / "games" / "duel01"
        self.posted = 0
        self.true: datetime | None = None
        """What time it is, where the machine says how long it is up whatever its clock says."""
        for name in ("new", "cur", "tmp"):
            (folder / "Maildir" / name).mkdir(parents=True)
        settings = SETTINGS.format(late=late, host="127.0.0.1" if port else "", port=port)
        (folder / "host.toml").write_text(settings, encoding="utf-8")
        shutil.copytree(_new_game(), self.game)

    def round(self, *, anyway: bool = False) -> Round:
        source = Maildir(self.folder / "Maildir")
        up = Up(seconds=int(self.true.timestamp())) if self.true is not None else None
        return host_round(self.folder, lambda: self.now, source=source, carrier=self.sink, anyway=anyway, up=up)

    def later(self, **gone: float) -> None:
        """Time passes, with a round now and then, as it does where a host is at work."""
        end = self.now + timedelta(**gone)
        while end - self.now > timedelta(days=1):
            self.now += timedelta(days=1)
            self.round()
        self.now = end - timedelta(minutes=30)
        self.round()
        self.now = end

    def post(self, raw: bytes) -> None:
        """A letter comes in."""
        self.posted += 1
        (self.folder / "Maildir" / "new" / f"{self.posted:06}.test").write_bytes(raw)

    def letter(self, side: str, text: str, *, html: bool = False, token: str = "", sender: str = "") -> bytes:
        message = EmailMessage(policy=SMTP)
        message["From"] = sender or ADDRESSES[side]
        message["To"] = "orders@host.example"
        message["Subject"] = f"Re: duel01 SITREP TOKEN {token or token_of(self.game, side)}"
        message["Message-ID"] = f"<{side}.{self.posted}@example.org>"
        message["Date"] = "Mon, 01 Mar 2027 12:00:00 +0000"
        if html:
            lines = "".join(f"<div>{line.replace('<', '&lt;') or '<br>'}</div>\n" for line in text.split("\n"))
            message.set_content(f"<html><body>{lines}</body></html>", subtype="html")
        else:
            message.set_content(text)
        return bytes(message)

    def scripted(self, side: str) -> str:
        """What the player of the shipped game sent for the request in force; empty if nothing is asked of him."""
        with opened(self.game) as game:
            now = status(game)
        if now.request is None or side not in now.owing:
            return ""
        file = DUEL / f"{now.request.turn:02}" / "orders" / f"{side}.r{now.request.number}.orders"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def over(self) -> bool:
        with opened(self.game) as game:
            return game.state().over

    def logs(self) -> dict[str, bytes]:
        return {path.parent.name: path.read_bytes() for path in sorted(self.game.glob("*/events.jsonl"))}

    def sent_to(self, side: str) -> list[EmailMessage]:
        address = ADDRESSES.get(side, f"{side}@host.example")
        found = [taken_apart(mail) for to, mail in self.sink.mails if to == address]
        assert all(isinstance(one, EmailMessage) for one in found)
        return found


@lru_cache(maxsize=200)
def taken_apart(mail: bytes) -> EmailMessage:
    """A mail as the library reads it: looked at only, since the next who asks for it gets the same."""
    return message_from_bytes(mail, policy=default)


def club_with(**known: Any) -> HostedClub:
    """What a round works with, of which only some values are known; the others are not looked at."""
    fields = {name: None for name in HostedClub.__struct_fields__ if name not in ("held_up", "over", "restoring")}
    return HostedClub(**{**fields, "log": RoundLog(), **known})


SHIPPED = {path.parent.name: path.read_bytes() for path in sorted(DUEL.glob("*/events.jsonl"))}


def database(post: Path, *without: str) -> str:
    """What the database of a mail folder has, as SQL; some facts may be left out."""
    with closing(sqlite3.connect(post / "club.db")) as found:
        lines = [line for line in found.iterdump() if not any(f"VALUES('{name}'" in line for name in without)]
    return "\n".join(lines)


def words(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def subjects(messages: list[EmailMessage]) -> list[str]:
    return [re.sub(r" TOKEN \w+$", "", str(one["Subject"])) for one in messages]


def asked(hosted: Hosted) -> list[Path]:
    """Every folder of reports of the game."""
    return [path for path in hosted.game.glob("*/*") if (path / "umpire").is_dir()]


def answer(hosted: Hosted, *sides: str) -> None:
    for side in sides:
        hosted.post(hosted.letter(side, hosted.scripted(side)))


def command(hosted: Hosted) -> list[str]:
    return [sys.executable, "-m", "pbem", "host", str(hosted.folder), "--once"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "PYTHONDONTWRITEBYTECODE": "1"}
