"""The mark a host leaves in the mailbox of its club: the one thing that two machines with copies of a folder share.

It says which host it is, how many rounds it has done in which something happened, and which of all copies did the last
of them. So a folder that was restored from a backup, and an old machine whose host runs on after a move, find that they
know less than was done (:mod:`pbem.mail.host.apart`).
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Final

import msgspec

from pbem.mail.incoming.letters import OWN_HEADER

HEADER: Final = "X-PBEM-Mark"
Guard = Callable[[tuple[str, ...]], None]
"""Is shown the marks in a mailbox before any letter is fetched from it, and raises where none is to be."""
_SUBJECT: Final = "pbem: the mark of this mailbox's host (leave it here)"
_WORDS: Final = """\
This mail was put here by pbem, which reads this mailbox for a club of games by
e-mail. By it two machines that run copies of the same club notice each other,
and a backup that was put back is known. It is replaced whenever something
happens. If you delete it, the next one comes by itself.
"""
_LONGEST: Final = 100


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The host's name, its count, a word nobody else knows for that round, and which machine and folder did it when;
    what was played after round ``since`` and told (``None``: not known).
    """

    host: str
    count: int
    word: str
    where: str
    at: datetime
    since: int = 0
    played: tuple[str, ...] | None = None


def here(folder: Path) -> str:
    """What names this machine and this folder on it."""
    return f"{platform.node()}:{folder.absolute()}"[:_LONGEST]


def written(mark: Mark) -> str:
    """A mark as one line of ASCII."""
    return json.dumps(msgspec.to_builtins(mark))


def read(text: str) -> Mark | None:
    """The mark in a line; none where it is no mark, or one of another version."""
    try:
        return msgspec.json.decode(text, type=Mark)
    except (ValueError, RecursionError):
        return None


def as_mail(text: str, user: str) -> bytes:
    """A mark as a mail, for a mailbox that holds mails only; it is known as our own if it is read as a letter."""
    mail = EmailMessage(policy=SMTP.clone(max_line_length=990))
    mail["From"] = mail["To"] = user if "@" in user else "pbem@pbem.invalid"
    mail["Subject"] = _SUBJECT
    mail[OWN_HEADER] = "mark"
    mail[HEADER] = text
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(_WORDS)
    return bytes(mail)


def file_name(host: str) -> str:
    """The file a host's mark lies in, in a mailbox that is a folder."""
    return f"pbem-{host[:32]}.mark"
