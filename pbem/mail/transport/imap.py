"""Fetch emails from an IMAP server.

No email is deleted: emails that were handled are marked as read or moved to another mailbox. If the server does not
deliver an email, or the connection breaks while it is fetched, the umpire is notified and the next emails are fetched
anyway. Each wait is limited in time, and no answer longer than the longest allowed email is read.

A login by OAuth may expire at any time. The connection is then made again with a renewed token, and no email is
skipped.
"""

from __future__ import annotations

import imaplib
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from typing import Any, Final, Literal

import msgspec

from pbem.errors import GameError
from pbem.mail.host.backup import HEADER, as_mail, read
from pbem.mail.incoming.extract import LARGEST_LETTER, MOST_HEADER_BYTES
from pbem.mail.transport.oauth import NOBODY, OAUTH, LogIn, OAuthLogin, discreet, mechanism, only_oauth, sasl, set_up
from pbem.mail.transport.passwords import IMAP_PASSWORD, password, refused
from pbem.mail.transport.smtp import HERE, SLOWEST, Watch, distrust
from pbem.mail.transport.sources import Source
from pbem.util import MONTHS, regex

_SIZE: Final = regex(rb"RFC822\.SIZE (\d+)")
_AGAIN: Final = 20
"""How many times the connection is made in one fetch; after that the fetch ends."""
_SLACK: Final = 1_000_000
"""Bytes by which an answer of the server may exceed the longest allowed email, for lines it adds."""
_UID: Final = regex(rb"[0-9]{1,10}")
_ATOM: Final = regex(r"[^\s\"\\(){%*]+")
_MOST_FLAGGED: Final = 20
"""Maximum number of flagged emails that are searched for the marks of hosts.

Marks are notes of hosts (:mod:`pbem.mail.host.backup`). There must be a limit because people flag emails too.
"""
_SENSELESS: Final = (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError)
"""Exceptions that the IMAP library raises if a server's answer makes no sense."""
_ELSEWHERE: Final = "done"
_NOT_NOW: Final = "[UNAVAILABLE]"
"""Code with which a server answers that it cannot check user name and password at present (RFC 5530)."""
_NO_PASSWORDS: Final = "LOGINDISABLED"
_NO_TOKENS: Final = 'it takes no OAuth tokens (it offers {}): set login = "password" in [inbox]'
_ENDED: Final = ("EXPIRE", "AUTHENTICATIONFAILED", "NOT CONNECTED")
"""Parts of the answers with which servers refuse commands after a token has expired.

Other servers disconnect instead.
"""
_NO_LOGIN: Final = (
    "set security to tls in [inbox], or allow passwords on the server: it takes none over this connection "
    f"({_NO_PASSWORDS}), and none was sent"
)
_PORTS: Final = {"tls": 993, "starttls": 143, "none": 143}


class Account(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of an IMAP mailbox: an ``[inbox]`` of host.toml with the kind imap.

    Attributes:
        host: The server.
        user: The user name.
        port: The port; 0 means the usual one for ``security``.
        security: How the connection is encrypted; ``none`` is allowed only for a server on this machine.
        mailbox: The mailbox that is read.
        done: The mailbox to which handled emails are moved. If it is empty they are marked as read instead,
            so nobody else should read the mailbox.
        login: Whether ``user`` logs in by a password or by OAuth.
        timeout: Seconds for each step of the dialogue.
    """

    host: str
    user: str
    port: int = 0
    security: Literal["tls", "starttls", "none"] = "tls"
    mailbox: str = "INBOX"
    done: str = ""
    login: LogIn = "password"
    timeout: float = 60.0


def imap_source(settings: Mapping[str, Any], login: OAuthLogin = NOBODY) -> Imap:
    """Return the IMAP mailbox that an ``[inbox]`` of host.toml describes.

    Raises:
        GameError: If the settings are invalid, or would send the password unencrypted to another machine.
    """
    try:
        account = msgspec.convert(dict(settings), Account)
    except msgspec.ValidationError as error:
        raise GameError.saying("inbox", f"correct [inbox] in host.toml: {error}", file="[inbox]") from error
    if account.security == "none" and account.host not in HERE:
        warning = f"set security to tls or starttls: otherwise the password is sent to {account.host} unencrypted"
        raise GameError.saying("inbox", warning, file="[inbox]")
    return Imap(account, login)


class _NotTaken(Exception):
    """Error: the server did not accept the access token; the text is the server's message."""


class Imap(Source):
    """A mailbox on an IMAP server, from which a host fetches its emails.

    The connection stays open while emails are fetched, and :meth:`done` uses it.
    """

    def __init__(self, account: Account, login: OAuthLogin = NOBODY) -> None:
        super().__init__()
        self.account, self.login = account, login
        self._server: imaplib.IMAP4 | None = None
        self._validity = ""
        self._can: frozenset[str] = frozenset()
        self._readonly = False
        self._marked: frozenset[str] = frozenset()
        self._watch = Watch()

    def keep_logged_in(self) -> None:
        """Renew a login by OAuth that would expire soon."""
        if self.account.login == OAUTH:
            self.login.renew()

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        """Yield (key, bytes) for each email that was not handled yet; the key is ``UIDVALIDITY.UID``.

        If the connection breaks while an email is fetched, the connection is made again and that email is skipped.
        After a login by OAuth the email is fetched once more before it is skipped, because the token may have expired.
        """
        tried, again = set[str](), set[str]()
        with _saying(self.account):
            for _ in range(_AGAIN):
                at: str | None = None  # None: not connected; "": connected; else the UID of the email being fetched
                try:
                    with self._connected() as server:
                        at = ""
                        if self.guard is not None:
                            self.show(self._marks(server).values())
                        yield from self._done_since(server, tried)
                        for uid in self._uids(server):
                            if uid in tried:
                                continue
                            tried.add(at := uid)
                            raw = self._letter_or_miss(server, uid)
                            at = ""
                            if raw is not None:
                                yield f"{self._validity}.{uid}", raw
                    return
                except (imaplib.IMAP4.abort, OSError) as error:
                    if self.account.login == OAUTH and at is not None and at not in again:
                        again.add(at)
                        tried.discard(at)
                    elif not at:
                        raise
                    else:
                        self.miss(f"the connection broke at email {at} of {self.account.mailbox}: {_plain(error)}")

    def _uids(self, server: imaplib.IMAP4) -> list[str]:
        """Return the UIDs (the server's numbers) of the emails to fetch, oldest first."""
        # If handled emails are moved away, an email that was opened in another program is still to be handled.
        wanted = self._search(server, "ALL" if self.account.done else "UNSEEN")
        if self.since is not None and not self.account.done:
            wanted = sorted({*wanted, *self._search(server, "SINCE", _day(self.since))}, key=int)
        return [uid for uid in wanted if uid not in self._marked]

    def _search(self, server: imaplib.IMAP4, *wanted: str) -> list[str]:
        answer = self._asked(server.uid, "SEARCH", *wanted)
        words = b" ".join(_flat(answer)).split()
        uids = [word for word in words if _UID.fullmatch(word)]
        if len(uids) < len(words):
            self.miss(f"{self.account.host} answers a search for emails with something that is not a list")
        return [uid.decode("ascii") for uid in sorted(uids, key=int)]

    def _done_since(self, server: imaplib.IMAP4, tried: set[str]) -> Iterator[tuple[str, bytes]]:
        """Yield emails that were handled since the time ``since``, from the mailbox to which they were moved.

        They are read again after a backup was restored. :meth:`done` ignores their keys.
        """
        if self.since is None or not self.account.done or "" in tried:
            return
        tried.add("")
        if not self._asked(server.list, '""', _quoted(self.account.done)):
            return  # nothing was done yet
        self._asked(server.select, _quoted(self.account.done), True)
        for uid in self._search(server, "SINCE", _day(self.since)):
            raw = self._letter_or_miss(server, uid)
            if raw is not None:
                yield f"{_ELSEWHERE}.{uid}", raw
        self._open(server)

    def _marks(self, server: imaplib.IMAP4) -> dict[str, str]:
        """Return the marks of hosts (:mod:`pbem.mail.host.backup`) in the open mailbox, as a dict by UID.

        Marks are flagged emails, so that the server need not search all emails for them.
        """
        marks: dict[str, str] = {}
        with suppress(imaplib.IMAP4.error):
            for uid in self._search(server, "FLAGGED")[-_MOST_FLAGGED:]:
                answer = self._asked(server.uid, "FETCH", uid, f"(BODY.PEEK[HEADER.FIELDS ({HEADER})])")
                head = next((part[1] for part in answer if isinstance(part, tuple) and len(part) == 2), b"")
                name, _, text = head.decode("ascii", "replace").partition(":")
                if name.strip().casefold() == HEADER.casefold():
                    marks[uid] = " ".join(text.split())
        self._marked = frozenset(marks)
        return marks

    def leave(self, host: str, mark: str) -> None:
        """Store a host's mark as an email, and delete that host's earlier marks.

        A mark is a note about the host's last round (:mod:`pbem.mail.host.backup`). Failures are ignored, and a
        read-only mailbox gets no mark.
        """
        with suppress(GameError), _saying(self.account), self._connected() as server:
            before = self._marks(server)
            if self._readonly:
                return
            mail = as_mail(mark, self.account.user)
            self._asked(server.append, _quoted(self.account.mailbox), r"(\Seen \Flagged)", "", mail)
            for uid, text in before.items():
                earlier = read(text)
                if earlier is not None and earlier.host == host:
                    with self._watch.limit(self.account.timeout):
                        self._delete(server, uid)

    def _letter_or_miss(self, server: imaplib.IMAP4, uid: str) -> bytes | None:
        try:
            raw = self._letter(server, uid)
        except imaplib.IMAP4.abort:
            raise
        except OSError:
            raise
        except Exception as error:  # any fault of this email must not keep the next ones from being fetched
            self.miss(f"{self.account.host} does not give email {uid} of {self.account.mailbox}: {_plain(error)}")
            return None
        if raw is None:
            self.miss(f"{self.account.host} gives nothing for email {uid} of {self.account.mailbox}")
        return raw

    def done(self, key: str) -> None:
        """Record on the server that an email was handled: mark it as read, or move it.

        If the connection was lost since it was fetched, nothing happens. The email is then fetched again, and the
        journal recognizes it.
        """
        connection = self._server
        with _saying(self.account):
            try:
                self._done(key, connection)
            except (imaplib.IMAP4.error, OSError):
                if self.account.login != OAUTH or connection is None:
                    raise
                self._done(key, None)

    def _done(self, key: str, connection: imaplib.IMAP4 | None) -> None:
        """Do the work of :meth:`done` over ``connection``, or over a new connection if that is ``None``."""
        validity, _, uid = key.partition(".")
        with nullcontext(connection) if connection is not None else self._connected() as server:
            if validity == self._validity and not self._readonly:
                with self._watch.limit(self.account.timeout):
                    self._put_away(server, uid)

    def _put_away(self, server: imaplib.IMAP4, uid: str) -> None:
        _answer(server.uid("STORE", uid, "+FLAGS.SILENT", r"(\Seen)"))
        if not self.account.done:
            return
        moves, target = "MOVE" in self._can, _quoted(self.account.done)
        word = "MOVE" if moves else "COPY"
        try:
            _answer(server.uid(word, uid, target))
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            # The mailbox is created for the first handled email, and not in each round: some servers dislike that.
            server.create(target)
            _answer(server.uid(word, uid, target))
        if not moves:
            self._delete(server, uid)

    def _delete(self, server: imaplib.IMAP4, uid: str) -> None:
        _answer(server.uid("STORE", uid, "+FLAGS.SILENT", r"(\Deleted)"))
        _answer(server.uid("EXPUNGE", uid) if "UIDPLUS" in self._can else server.expunge())

    def _asked(self, ask: Callable[..., tuple[str, list[Any]]], *what: Any, patience: float = 0) -> list[Any]:
        """Send a command to the server and return the data of its answer, within the time limit.

        ``patience`` is the limit in seconds, by default the account's ``timeout``. An answer other than OK raises an
        IMAP error.
        """
        with self._watch.limit(patience or self.account.timeout):
            try:
                return _answer(ask(*what))
            except imaplib.IMAP4.error as error:
                if self._has_ended(error):
                    raise imaplib.IMAP4.abort(_plain(error)) from None
                raise

    def _has_ended(self, error: imaplib.IMAP4.error) -> bool:
        """Return whether a command was refused because the token of a login by OAuth has expired."""
        said = _plain(error).upper()
        return self.account.login == OAUTH and any(part in said for part in _ENDED)

    def _letter(self, server: imaplib.IMAP4, uid: str) -> bytes | None:
        """Return the bytes of an email without marking it as read.

        If it is far too long, only its headers are fetched. They are padded beyond the longest allowed size, so
        that the email is later treated as too long.
        """
        patience = self.account.timeout
        size = _SIZE.search(b" ".join(_flat(self._asked(server.uid, "FETCH", uid, "(RFC822.SIZE)"))))
        part = "BODY.PEEK[]"
        if size and (len(size[1]) > 12 or int(size[1]) > LARGEST_LETTER):
            part = f"BODY.PEEK[HEADER]<0.{MOST_HEADER_BYTES}>"
        elif size:
            patience += int(size[1]) / SLOWEST
        for part_found in self._asked(server.uid, "FETCH", uid, f"({part})", patience=patience):
            if isinstance(part_found, tuple) and len(part_found) == 2 and isinstance(part_found[1], bytes):
                # A truncated email is padded beyond the limit, so that the parser reads only its headers.
                return part_found[1] if part == "BODY.PEEK[]" else part_found[1].ljust(LARGEST_LETTER + 1, b"\n")
        return None

    @contextmanager
    def _connected(self) -> Iterator[imaplib.IMAP4]:
        server, watch = self._logged_in()
        try:
            self._server = server
            yield server
        finally:
            self._server = None
            self._leave(server, watch)

    def _logged_in(self) -> tuple[imaplib.IMAP4, Watch]:
        """Return a connection that is logged in and has the mailbox open, with its time limit."""
        account = self.account
        if account.login == OAUTH:
            return self._logged_in_by_oauth()
        secret = password(IMAP_PASSWORD, account.host, account.user)
        if not secret.text:
            said = f"there is no password for {account.user} at {account.host}: {secret.source}"
            raise GameError.saying("no-password", said, file="[inbox]")
        return self._connect(lambda server: self._enter_by_password(server, secret.text, secret.source))

    def _logged_in_by_oauth(self) -> tuple[imaplib.IMAP4, Watch]:
        """Return a connection that is logged in by OAuth and has the mailbox open, with its time limit.

        An access token that the server does not accept is renewed once.
        """
        access = self.login.access("")
        with suppress(_NotTaken):
            return self._connect(lambda server: self._enter_by_oauth(server, access))
        renewed = self.login.access(access)
        try:
            return self._connect(lambda server: self._enter_by_oauth(server, renewed))
        except _NotTaken as error:
            user, command = self.account.user, self.login.command
            said = f"{user} may not log in by OAuth; `{command}` logs in again. It says: {error}"
            raise _refused(self.account, said) from None

    def _connect(self, enter: Callable[[imaplib.IMAP4], None]) -> tuple[imaplib.IMAP4, Watch]:
        account = self.account
        watch = self._watch = Watch()
        server: imaplib.IMAP4 | None = None
        try:
            with watch.limit(account.timeout):
                if account.security == "tls":
                    server = _Tls(watch, account.host, self._port, account.timeout, ssl.create_default_context())
                else:
                    server = _Bounded(watch, account.host, self._port, account.timeout)
                if account.security == "starttls":
                    server.starttls(ssl.create_default_context())
                enter(server)
                try:
                    # Many servers list their capabilities only after the login.
                    can = b" ".join(_flat(_answer(server.capability()))).decode("ascii", "replace").upper()
                    self._can = frozenset(can.split())
                    self._open(server)
                except imaplib.IMAP4.error as error:
                    if self._has_ended(error):
                        raise _NotTaken(_plain(error)) from None
                    raise
        except BaseException:
            self._leave(server, watch)
            raise
        return server, watch

    @property
    def _port(self) -> int:
        return self.account.port or _PORTS[self.account.security]

    def _leave(self, server: imaplib.IMAP4 | None, watch: Watch) -> None:
        if server is not None:
            with suppress(OSError, imaplib.IMAP4.error), watch.limit(self.account.timeout):
                server.logout()
        watch.release()

    def _offered(self, server: imaplib.IMAP4) -> bool:
        """Record the server's ways to log in (``offers``), and return whether it accepts passwords."""
        can = [word.upper() for word in server.capabilities]
        self.offers = tuple(dict.fromkeys(word.removeprefix("AUTH=") for word in can if word.startswith("AUTH=")))
        return _NO_PASSWORDS not in can

    def _enter_by_password(self, server: imaplib.IMAP4, text: str, source: str) -> None:
        account = self.account
        wants = set_up("inbox", self.login.command)
        if not self._offered(server):  # a password may not even be offered (RFC 9051, 6.2.3)
            raise _refused(account, wants if only_oauth(self.offers) else _NO_LOGIN)
        try:
            # The library quotes only the password, not the user name.
            server.login(account.user if _ATOM.fullmatch(account.user) else _quoted(account.user), text)
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error as error:
            if _NOT_NOW in (answer := _plain(error)).upper():
                raise
            raise _refused(account, wants if only_oauth(self.offers) else refused(source, answer)) from error

    def _enter_by_oauth(self, server: imaplib.IMAP4, access: str) -> None:
        account = self.account
        self._offered(server)
        how = mechanism(self.offers)
        if not how:
            raise _refused(account, _NO_TOKENS.format(", ".join(self.offers) or "none"))
        first, then = sasl(how, account.user, access, account.host, self._port)
        answers = iter([first])
        try:
            server.authenticate(how, lambda _: next(answers, then).encode())
        except imaplib.IMAP4.error as error:
            answer = discreet(_plain(error), access, first)
            if isinstance(error, imaplib.IMAP4.abort) or _NOT_NOW in answer.upper():
                raise type(error)(answer) from None
            raise _NotTaken(answer) from None

    def _open(self, server: imaplib.IMAP4) -> None:
        account, self._readonly = self.account, False
        try:
            _answer(server.select(_quoted(account.mailbox)))
        except imaplib.IMAP4.readonly:
            # Its emails are still handled only once, because the journal has them.
            self._readonly = True
            self.miss(f"{account.mailbox} is read-only: emails that were received cannot be marked as read there")
            _answer(server.select(_quoted(account.mailbox), readonly=True))
        validity = server.untagged_responses.get("UIDVALIDITY") or [b"0"]
        self._validity = validity[0].decode("ascii", "replace") if isinstance(validity[0], bytes) else "0"


class _Bounded(imaplib.IMAP4):
    """An IMAP connection with a limit on its total time and on the length of answers."""

    def __init__(self, watch: Watch, host: str, port: int, timeout: float) -> None:
        self.watch = watch
        super().__init__(host, port, timeout)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        return self.watch.hold(socket.create_connection((self.host, self.port), timeout))

    def read(self, size: int) -> bytes:
        if size > LARGEST_LETTER + _SLACK:
            raise self.abort(f"an answer of {size} bytes")
        return super().read(size)


class _Tls(_Bounded, imaplib.IMAP4_SSL):
    """An IMAP connection encrypted by TLS from the start, with limited time and length of answers.

    The time limit includes the TLS handshake.
    """

    def __init__(self, watch: Watch, host: str, port: int, timeout: float, context: ssl.SSLContext) -> None:
        self.watch = watch
        imaplib.IMAP4_SSL.__init__(self, host, port, ssl_context=context, timeout=timeout)

    def _create_socket(self, timeout: float | None) -> socket.socket:
        line: socket.socket = self.ssl_context.wrap_socket(super()._create_socket(timeout), server_hostname=self.host)
        return line


def _day(moment: datetime) -> str:
    """Return a date in the format of IMAP, with English month names."""
    return f"{moment.day}-{MONTHS[moment.month - 1]}-{moment.year}"


def _quoted(name: str) -> str:
    """Return a mailbox name as a quoted string for an IMAP command.

    Characters outside ASCII must already be in the modified UTF-7 of IMAP.
    """
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _answer(answer: tuple[str, list[Any]]) -> list[Any]:
    """Return the data of a server's answer; raise an IMAP error if it is not OK."""
    word, data = answer
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
    """Convert a server's refusals and network errors in this context to a :class:`GameError`.

    Its text is one sentence and does not contain the password.
    """
    try:
        yield
    except (imaplib.IMAP4.error, OSError, *_SENSELESS) as error:
        if isinstance(error, ssl.SSLCertVerificationError):
            text = f"there is no safe connection to {account.host}: {distrust(error)}"
        elif isinstance(error, imaplib.IMAP4.error):
            raise _refused(account, _plain(error)) from error
        elif isinstance(error, OSError):
            text = f"the mail server {account.host} cannot be reached: {error.strerror or error}"
        else:
            text = f"the mail server {account.host} sent an answer that pbem cannot read: {_plain(error)}"
        raise GameError.saying("no-mailbox", text, file="[inbox]") from error


def _plain(error: BaseException) -> str:
    """Return the text of an error as one line.

    The library gives a server's message as bytes; this function decodes them.
    """
    words = error.args[0] if len(error.args) == 1 else ""
    text = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(error)
    return " ".join(text.split())[:200] or type(error).__name__


def _refused(account: Account, reason: str) -> GameError:
    return GameError.saying("no-mailbox", f"the mail server {account.host} refuses: {reason}", file="[inbox]")
