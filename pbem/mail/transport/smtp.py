"""Send emails by SMTP, encrypted unless the server runs on this machine.

:class:`Watch` limits the total time of a dialogue with a mail server; it is also used for IMAP. A limit for each
single wait would not be enough, since a server that sends a line now and then never exceeds it. :func:`distrust`
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

from pbem.mail.settings import Smtp
from pbem.mail.transport.outbox import Later, Refused, Unreachable
from pbem.mail.transport.passwords import SMTP_PASSWORD, password, refused

HERE: Final = ("localhost", "127.0.0.1", "::1")
"""Host names of this machine; a password may be sent to it unencrypted."""
SLOWEST: Final = 10_000
"""Slowest accepted transfer, in bytes per second. A longer email gets more time accordingly."""


class Watch:
    """Closes a network connection if a dialogue takes too long; ``over`` says whether that happened."""

    def __init__(self) -> None:
        self.over = False
        self._line: socket.socket | None = None

    def hold(self, line: socket.socket) -> socket.socket:
        """Start to watch a connection, from its first byte on, and return the connection."""
        self.release()
        # TLS takes the socket out of the hands that made it; a second handle stays ours.
        self._line = line.dup()
        return line

    def release(self) -> None:
        """Stop watching the connection. It is closed once no other code uses it."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """Context manager: if the code in its block takes longer than ``seconds``, close the connection."""
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
    """Return why the encrypted connection to a server could not be made, as a clause.

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
"""SMTP codes from this number on are permanent errors; those from 400 to below it are temporary."""


class SmtpCarrier:
    """Sends emails through an SMTP server.

    The connection is opened for the first email and used for all emails of a round of the host.
    """

    def __init__(self, smtp: Smtp) -> None:
        self.smtp = smtp
        self._server: smtplib.SMTP | None = None
        self._watch = Watch()

    def __enter__(self) -> SmtpCarrier:
        return self

    def __exit__(self, *of_an_error: object) -> None:
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError), self._watch.limit(self.smtp.timeout):
                self._server.quit()
            self._drop()

    def send(self, sender: str, to: str, mail: bytes) -> None:
        """Send one email.

        Raises:
            Refused: If the server will never accept it.
            Later: If the server does not accept it now.
            Unreachable: If nothing can be sent now.
        """
        server = self.connect()
        try:
            with self._watch.limit(self.smtp.timeout + len(mail) / SLOWEST):
                server.sendmail(sender, [to], mail)
        except smtplib.SMTPRecipientsRefused as error:
            code, said = next(iter(error.recipients.values()))
            raise _refusal(code, said, f"{to} was refused") from error
        except smtplib.SMTPSenderRefused as error:
            self._drop()
            raise Unreachable(f"{self.smtp.host} sends nothing from {sender}: {_said(error.smtp_error)}") from error
        except smtplib.SMTPResponseException as error:
            raise _refusal(error.smtp_code, error.smtp_error, "the mail was refused") from error
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise Unreachable(f"the connection to {self.smtp.host} broke: {self._why(error)}") from error

    def _why(self, error: Exception) -> str:
        return f"it took longer than {self.smtp.timeout:g} seconds" if self._watch.over else str(error)

    def connect(self) -> smtplib.SMTP:
        """Return the connection to the server, logged in; open it if necessary.

        Raises:
            Unreachable: If that fails, with the reason.
        """
        if self._server is not None:
            return self._server
        smtp = self.smtp
        server: smtplib.SMTP | None = None
        where = f"{smtp.host}, port {smtp.port}"
        try:
            self._watch = Watch()
            with self._watch.limit(smtp.timeout):
                kind = _Tls if smtp.security == "tls" else _Plain
                server = kind(self._watch, smtp.host, smtp.port, smtp.timeout)
                if smtp.security == "starttls":
                    server.starttls(context=ssl.create_default_context())
                server.ehlo_or_helo_if_needed()
                self._log_in(server)
        except (Unreachable, smtplib.SMTPException, OSError) as error:
            self._close(server)
            if isinstance(error, Unreachable):
                raise
            if isinstance(error, smtplib.SMTPNotSupportedError):
                text = f"{where}: {error}; is security = {smtp.security!r} right for this port?"
            elif isinstance(error, ssl.SSLError):
                text = f"{where}: no safe connection: {distrust(error)}"
            else:
                text = f"{where} does not answer: {self._why(error)}"
            raise Unreachable(text) from error
        self._server = server
        return server

    def _log_in(self, server: smtplib.SMTP) -> None:
        if not self.smtp.user:
            return
        if self.smtp.security == "none" and self.smtp.host not in HERE:
            raise Unreachable("a password is only sent over an encrypted connection: set security to starttls or tls")
        found = password(SMTP_PASSWORD, self.smtp.host, self.smtp.user)
        if not found.text:
            raise Unreachable(f"there is no password for {self.smtp.user}: {found.source}")
        try:
            server.login(self.smtp.user, found.text)
        except smtplib.SMTPAuthenticationError as error:
            said = _said(error.smtp_error)
            if error.smtp_code >= _FOREVER:
                said = refused(found.source, said)
            raise Unreachable(
                f"{self.smtp.host} does not accept {self.smtp.user} with this password: {said}"
            ) from error

    def _close(self, server: smtplib.SMTP | None) -> None:
        if server is not None:
            server.close()
        self._watch.release()

    def _drop(self) -> None:
        self._close(self._server)
        self._server = None


class _Plain(smtplib.SMTP):
    """An SMTP connection with a limit on its total time, which counts from its first byte."""

    def __init__(self, watch: Watch, host: str, port: int, timeout: float, **more: Any) -> None:
        self.watch = watch
        super().__init__(host, port, timeout=timeout, **more)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self.watch.hold(socket.create_connection((host, port), timeout))


class _Tls(smtplib.SMTP_SSL, _Plain):
    """Like :class:`_Plain`, but encrypted (TLS) from the start; the time limit includes the handshake."""

    def __init__(self, watch: Watch, host: str, port: int, timeout: float) -> None:
        self.watch = watch
        smtplib.SMTP_SSL.__init__(self, host, port, timeout=timeout, context=ssl.create_default_context())


def _refusal(code: int, said: bytes | str, what: str) -> Exception:
    text = f"{what}: {code} {_said(said)}"
    return Refused(text) if code >= _FOREVER else Later(text)


def _said(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return " ".join(text.split())
