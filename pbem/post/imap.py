"""Letters from an IMAP server. Nothing is deleted: done letters are marked as read, or moved to another mailbox."""

from __future__ import annotations

import imaplib
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal

import msgspec

from pbem.faults import GameError
from pbem.post.letters import LARGEST_LETTER
from pbem.post.mailbox import PASSWORD
from pbem.post.passwords import password

_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")
_PORTS: Final = {"tls": 993, "starttls": 143, "none": 143}


class Account(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An ``[inbox]`` of kind imap. ``done`` is the mailbox done letters are moved to; without it they are marked
    as read, so nobody else should read that mailbox. ``security`` ``none`` is for a server on this machine only.
    """

    host: str
    user: str
    port: int = 0
    security: Literal["tls", "starttls", "none"] = "tls"
    mailbox: str = "INBOX"
    done: str = ""
    timeout: float = 60.0


def imap_source(settings: Mapping[str, Any]) -> Imap:
    """The mailbox an ``[inbox]`` describes. Raises :class:`GameError` for what does not fit."""
    try:
        account = msgspec.convert(dict(settings), Account)
    except msgspec.ValidationError as error:
        raise GameError.saying("inbox", f"the inbox does not fit: {error}", file="[inbox]") from error
    if account.security == "none" and account.host not in _LOCAL:
        said = f"the password would go to {account.host} in the open; security is tls or starttls"
        raise GameError.saying("inbox", said, file="[inbox]")
    return Imap(account)


def imap_password(account: Account) -> str:
    """The password of the mailbox. Raises :class:`GameError` where there is none."""
    found = password(PASSWORD, account.host, account.user)
    if not found.text:
        said = f"there is no password for {account.user} at {account.host}: {found.source}"
        raise GameError.saying("no-password", said, file="[inbox]")
    return found.text


class Imap:
    """A mailbox on a server. A connection lasts as long as letters are fetched; ``done`` works in it."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self._server: imaplib.IMAP4 | None = None
        self._validity = ""
        self._can: frozenset[str] = frozenset()

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        with _saying(self.account), self._connected() as server:
            # Where done letters are moved away, one that somebody opened in another program still counts.
            wanted = "ALL" if self.account.done else "UNSEEN"
            found = _answer(server.uid("SEARCH", wanted))
            uids = b" ".join(part for part in found if isinstance(part, bytes)).split()
            for uid in sorted(uids, key=int):
                raw = self._letter(server, uid.decode("ascii"))
                if raw is not None:
                    yield f"{self._validity}.{uid.decode('ascii')}", raw

    def done(self, key: str) -> None:
        """Marks or moves a letter. After the connection was lost nothing is done: the letter comes again, and the
        journal knows it.
        """
        validity, _, uid = key.partition(".")
        server = self._server
        if server is None:
            with _saying(self.account), self._connected() as server:
                self._mark(server, validity, uid)
        else:
            with _saying(self.account):
                self._mark(server, validity, uid)

    def _mark(self, server: imaplib.IMAP4, validity: str, uid: str) -> None:
        if validity != self._validity:
            return
        _answer(server.uid("STORE", uid, "+FLAGS.SILENT", r"(\Seen)"))
        if not self.account.done:
            return
        target = _quoted(self.account.done)
        if "MOVE" in self._can:
            _answer(server.uid("MOVE", uid, target))
            return
        _answer(server.uid("COPY", uid, target))
        _answer(server.uid("STORE", uid, "+FLAGS.SILENT", r"(\Deleted)"))
        if "UIDPLUS" in self._can:
            _answer(server.uid("EXPUNGE", uid))
        else:
            _answer(server.expunge())

    def _letter(self, server: imaplib.IMAP4, uid: str) -> bytes | None:
        """A letter without marking it as read; of one that is far too long only its beginning."""
        told = b" ".join(part for part in _flat(_answer(server.uid("FETCH", uid, "(RFC822.SIZE)"))))
        size = _SIZE.search(told)
        part = "BODY.PEEK[]"
        if size and int(size[1]) > LARGEST_LETTER:
            part = "BODY.PEEK[HEADER]"
        for found in _answer(server.uid("FETCH", uid, f"({part})")):
            if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], bytes):
                # Only the headers are at hand: what they say of parts that did not come must not be believed.
                return found[1] if part == "BODY.PEEK[]" else found[1].ljust(LARGEST_LETTER + 1, b"\n")
        return None

    @contextmanager
    def _connected(self) -> Iterator[imaplib.IMAP4]:
        account = self.account
        secret = imap_password(account)
        port = account.port or _PORTS[account.security]
        context = ssl.create_default_context()
        if account.security == "tls":
            server: imaplib.IMAP4 = imaplib.IMAP4_SSL(account.host, port, ssl_context=context, timeout=account.timeout)
        else:
            server = imaplib.IMAP4(account.host, port, timeout=account.timeout)
        try:
            if account.security == "starttls":
                server.starttls(context)
            server.login(account.user, secret)
            # Many servers tell what they can only to those they know.
            self._can = frozenset(
                b" ".join(_flat(_answer(server.capability()))).decode("ascii", "replace").upper().split()
            )
            if account.done:
                # It may be there already; whether it is will be seen when a letter is moved.
                server.create(_quoted(account.done))
            _answer(server.select(_quoted(account.mailbox)))
            found = server.untagged_responses.get("UIDVALIDITY") or [b"0"]
            self._validity = found[0].decode("ascii", "replace") if isinstance(found[0], bytes) else "0"
            self._server = server
            yield server
        finally:
            self._server = None
            with suppress(OSError, imaplib.IMAP4.error):
                server.logout()


def _quoted(name: str) -> str:
    """A mailbox's name as a string of the protocol; other letters than ASCII in IMAP's own UTF-7."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _answer(said: tuple[str, list[Any]]) -> list[Any]:
    """What the server said, if it was yes."""
    word, data = said
    if word != "OK":
        raise imaplib.IMAP4.error(b" ".join(_flat(data)).decode("utf-8", "replace")[:200] or word)
    return [part for part in data if part is not None]


def _flat(data: list[Any]) -> Iterator[bytes]:
    for part in data:
        if isinstance(part, bytes):
            yield part
        elif isinstance(part, tuple):
            yield from (one for one in part if isinstance(one, bytes))


@contextmanager
def _saying(account: Account) -> Iterator[None]:
    """A server's refusals, and a network that is down, in one sentence without the password."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        said = f"the certificate of {account.host} is not to be trusted: {error.verify_message}"
        raise GameError.saying("no-mailbox", said, file="[inbox]") from error
    except imaplib.IMAP4.error as error:
        said = f"the mail server {account.host} refuses: {' '.join(str(error).split())[:200]}"
        raise GameError.saying("no-mailbox", said, file="[inbox]") from error
    except OSError as error:
        said = f"the mail server {account.host} cannot be reached: {error.strerror or error}"
        raise GameError.saying("no-mailbox", said, file="[inbox]") from error
