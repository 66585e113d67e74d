"""Send emails by SMTP, encrypted unless the server runs on this machine.

:class:`Watch` limits the total time of a dialogue with a mail server; it is also used for IMAP. A limit for each
single wait would not be enough, since a server that sends single lines slowly never exceeds it. :func:`distrust`
explains why a server's certificate is not trusted.
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from pbem.errors import GameError
from pbem.mail.settings import Smtp
from pbem.mail.transport.oauth import NOBODY, OAUTH, OAuthLogin, discreet, mechanism, only_oauth, sasl, set_up
from pbem.mail.transport.outbox import Later, Refused, Unreachable
from pbem.mail.transport.passwords import SMTP_PASSWORD, password, refused

HERE: Final = ("localhost", "127.0.0.1", "::1")
"""Host names of this machine; a password may be sent to it unencrypted."""
SLOWEST: Final = 10_000
"""Slowest accepted transfer, in bytes per second; the time limit for an email grows with its length."""


class Watch:
    """Closes a network connection if a dialogue takes too long.

    ``over`` is true if that happened.
    """

    def __init__(self) -> None:
        self.over = False
        self._line: socket.socket | None = None

    def hold(self, line: socket.socket) -> socket.socket:
        """Start to watch a connection, before its first byte, and return the connection."""
        self.release()
        # TLS takes the socket over and closes the original; a duplicate stays usable here.
        self._line = line.dup()
        return line

    def release(self) -> None:
        """Stop watching the connection. It is closed once no other code uses it."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Close the connection if the code in this context takes longer than ``seconds``."""
        timer = threading.Timer(seconds, self._hang_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _hang_up(self) -> None:
        self.over = True
        line = self._line
        if line is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)


_NO_ISSUER: Final = (19, 20, 21)
"""OpenSSL's codes for a certificate chain with an unknown issuer.

Usually this Python installation lacks the root certificates.
"""


def distrust(error: ssl.SSLError) -> str:
    """Return, as a clause, why the encrypted connection to a server could not be made.

    If this Python installation lacks root certificates, the text says how to install them.
    """
    if not isinstance(error, ssl.SSLCertVerificationError):
        return str(error.reason or error)
    why = f"its certificate is not to be trusted: {error.verify_message}"
    if error.verify_code not in _NO_ISSUER:
        return why
    if sys.platform == "darwin":
        return f"{why}. If browsers trust it, run Install Certificates.command in the folder of this Python"
    return f"{why}. If browsers trust it, this Python lacks the certificates to compare with: install ca-certificates"


_FOREVER = 500
"""SMTP codes from this number on are permanent errors; codes from 400 to 499 are temporary errors."""


_ENDED: Final = (421, 430, 454, 530, 535, 538)
"""SMTP codes with which servers refuse a sender whose token has expired."""


_LONGEST_COMMAND: Final = 490


class _NotTaken(Exception):
    """Error: the server did not accept the access token; the text is the server's message."""


class SmtpCarrier:
    """Sends emails through an SMTP server.

    The connection is opened for the first email and used for all emails of a round of the host. ``login`` provides the
    access tokens if the settings use OAuth. ``offers`` are the server's login mechanisms, known after connecting.
    """

    def __init__(self, smtp: Smtp, login: OAuthLogin = NOBODY) -> None:
        self.smtp, self.login = smtp, login
        self.offers: tuple[str, ...] = ()
        self._server: _Plain | None = None
        self._watch = Watch()

    def __enter__(self) -> SmtpCarrier:
        return self

    def __exit__(self, *of_an_error: object) -> None:
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError), self._watch.limit(self.smtp.timeout):
                self._server.quit()
            self._drop()

    def keep_logged_in(self) -> None:
        """Renew a login by OAuth that would expire soon.

        Raises:
            GameError: It cannot be renewed.
        """
        if self.smtp.user and self.smtp.login == OAUTH:
            self.login.renew()

    def send(self, sender: str, to: str, mail: bytes) -> None:
        """Send one email.

        If the token of a login by OAuth expired, the connection is made again.

        Raises:
            Refused: If the server will never accept it.
            Later: If the server does not accept it now.
            Unreachable: If nothing can be sent now.
        """
        for last in (self.smtp.login != OAUTH, True):
            server = self.connect()
            server.begun = False
            try:
                with self._watch.limit(self.smtp.timeout + len(mail) / SLOWEST):
                    server.sendmail(sender, [to], mail)
                return
            except (smtplib.SMTPException, OSError) as error:
                if last or server.begun or not _has_ended(error):
                    raise self._failure(error, sender, to) from error
                self._drop()

    def _failure(self, error: Exception, sender: str, to: str) -> Exception:
        """Return the error to raise after an email was not accepted; close a connection that is unusable.

        ``sender`` and ``to`` are the addresses of the email.
        """
        if isinstance(error, smtplib.SMTPRecipientsRefused):
            code, answer = next(iter(error.recipients.values()))
            return _refusal(code, answer, f"{to} was refused")
        if isinstance(error, smtplib.SMTPResponseException) and not isinstance(error, smtplib.SMTPSenderRefused):
            return _refusal(error.smtp_code, error.smtp_error, "the email was refused")
        self._drop()
        if isinstance(error, smtplib.SMTPSenderRefused):
            return Unreachable(f"{self.smtp.host} sends nothing from {sender}: {_said(error.smtp_error)}")
        return Unreachable(f"the connection to {self.smtp.host} broke: {self._why(error)}")

    def _why(self, error: Exception) -> str:
        return f"it took longer than {self.smtp.timeout:g} seconds" if self._watch.over else str(error)

    def connect(self) -> _Plain:
        """Return the connection to the server, logged in; open it if necessary.

        An access token that the server does not accept is renewed once.

        Raises:
            Unreachable: The connection or the login fails; the text is the reason.
        """
        if self._server is None:
            self._server = self._open_by_oauth() if self.smtp.user and self.smtp.login == OAUTH else self._open()
        return self._server

    def _open_by_oauth(self) -> _Plain:
        access = self._access("")
        with suppress(_NotTaken):
            return self._open(access)
        try:
            return self._open(self._access(access))
        except _NotTaken as error:
            said = f"{self.smtp.user} may not log in to {self.smtp.host} by OAuth"
            raise Unreachable(f"{said}; `{self.login.command}` logs in again. It says: {error}") from None

    def _access(self, stale: str) -> str:
        try:
            return self.login.access(stale)
        except GameError as error:
            raise Unreachable("; ".join(fault.text for fault in error.faults)) from None

    def _open(self, access: str = "") -> _Plain:
        """Return a new connection, logged in by the access token, else by the password, or not at all.

        Without a user in the settings, no login is needed.

        Raises:
            Unreachable: The connection or the login by password fails.
            _NotTaken: The server does not accept the access token.
        """
        smtp = self.smtp
        server: _Plain | None = None
        where = f"{smtp.host}, port {smtp.port}"
        try:
            self._watch = Watch()
            with self._watch.limit(smtp.timeout):
                kind = _Tls if smtp.security == "tls" else _Plain
                server = kind(self._watch, smtp.host, smtp.port, smtp.timeout)
                if smtp.security == "starttls":
                    server.starttls(context=ssl.create_default_context())
                server.ehlo_or_helo_if_needed()
                self.offers = tuple(dict.fromkeys(server.esmtp_features.get("auth", "").upper().split()))
                self._log_in(server, access)
        except (Unreachable, _NotTaken, smtplib.SMTPException, OSError) as error:
            self._close(server)
            if isinstance(error, Unreachable | _NotTaken):
                raise
            if isinstance(error, smtplib.SMTPNotSupportedError):
                text = f"{where}: {error}; is security = {smtp.security!r} right for this port?"
            elif isinstance(error, ssl.SSLError):
                text = f"{where}: no safe connection: {distrust(error)}"
            else:
                text = f"{where} does not answer: {self._why(error)}"
            raise Unreachable(text) from error
        return server

    def _log_in(self, server: smtplib.SMTP, access: str) -> None:
        if not self.smtp.user:
            return
        if self.smtp.security == "none" and self.smtp.host not in HERE:
            raise Unreachable("a password is only sent over an encrypted connection: set security to starttls or tls")
        if access:
            self._show_token(server, access)
            return
        if only_oauth(self.offers):
            raise Unreachable(f"{self.smtp.host}: {set_up('smtp', self.login.command)}")
        stored = password(SMTP_PASSWORD, self.smtp.host, self.smtp.user)
        if not stored.text:
            raise Unreachable(f"there is no password for {self.smtp.user}: {stored.source}")
        try:
            server.login(self.smtp.user, stored.text)
        except smtplib.SMTPAuthenticationError as error:
            answer = _said(error.smtp_error)
            if error.smtp_code >= _FOREVER:
                answer = refused(stored.source, answer)
            raise Unreachable(
                f"{self.smtp.host} does not accept {self.smtp.user} with this password: {answer}"
            ) from error

    def _show_token(self, server: smtplib.SMTP, access: str) -> None:
        smtp, how = self.smtp, mechanism(self.offers)
        if not how:
            offers = ", ".join(self.offers) or "none"
            said = f'{smtp.host} takes no OAuth tokens (it offers {offers}): set login = "password" in [smtp]'
            raise Unreachable(said)
        first, then = sasl(how, smtp.user, access, smtp.host, smtp.port)
        answers = iter([first])
        # A long token may not be part of the command (RFC 4954, 4).
        short = len(how) + len(first) * 4 / 3 < _LONGEST_COMMAND
        try:
            server.auth(how, lambda _=None: next(answers, then), initial_response_ok=short)
        except smtplib.SMTPAuthenticationError as error:
            said = discreet(_said(error.smtp_error), access, first)
            if error.smtp_code < _FOREVER:
                raise Unreachable(f"{smtp.host} does not accept {smtp.user} now: {said}") from None
            raise _NotTaken(said) from None

    def _close(self, server: smtplib.SMTP | None) -> None:
        if server is not None:
            server.close()
        self._watch.release()

    def _drop(self) -> None:
        self._close(self._server)
        self._server = None


class _Plain(smtplib.SMTP):
    """An SMTP connection with a limit on its total time, connecting included."""

    begun = False
    """Whether the text of an email may have been sent."""

    def __init__(self, watch: Watch, host: str, port: int, timeout: float, **more: Any) -> None:
        self.watch = watch
        super().__init__(host, port, timeout=timeout, **more)

    def data(self, msg: Any) -> tuple[int, bytes]:
        """Send the text of an email."""
        self.begun = True
        return super().data(msg)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self.watch.hold(socket.create_connection((host, port), timeout))


class _Tls(smtplib.SMTP_SSL, _Plain):
    """An SMTP connection encrypted by TLS from the start, with a limit on its total time.

    The time limit includes the TLS handshake.
    """

    def __init__(self, watch: Watch, host: str, port: int, timeout: float) -> None:
        self.watch = watch
        smtplib.SMTP_SSL.__init__(self, host, port, timeout=timeout, context=ssl.create_default_context())


def _has_ended(error: Exception) -> bool:
    """Return whether an error before the text of an email was sent may mean that the token has expired."""
    if isinstance(error, smtplib.SMTPSenderRefused):
        return error.smtp_code in _ENDED
    # All errors of the library are subclasses of OSError.
    return isinstance(error, smtplib.SMTPServerDisconnected) or not isinstance(error, smtplib.SMTPException)


def _refusal(code: int, answer: bytes | str, what: str) -> Exception:
    text = f"{what}: {code} {_said(answer)}"
    return Refused(text) if code >= _FOREVER else Later(text)


def _said(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join(text.split())
