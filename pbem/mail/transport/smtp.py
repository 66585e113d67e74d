"""The server that takes mail away: SMTP, encrypted unless it runs on this machine."""

from __future__ import annotations

import smtplib
import socket
import ssl
from contextlib import suppress
from typing import Any

from pbem.mail.settings import Smtp
from pbem.mail.transport.outbox import Later, Refused, Unreachable
from pbem.mail.transport.passwords import SMTP_PASSWORD, password, refused
from pbem.mail.transport.patience import HERE, SLOWEST, Watch
from pbem.mail.transport.trust import distrust

_FOREVER = 500
"""SMTP codes from here on are final, those from 400 on are not."""


class SmtpCarrier:
    """A connection that is made when the first mail is to go and serves for all of a round."""

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
        """Hand one mail over. Raises :class:`Refused`, :class:`Later` or :class:`Unreachable`."""
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
        """The server, logged in. Raises :class:`Unreachable` with the reason in plain words."""
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
    """A connection under watch from its first byte on."""

    def __init__(self, watch: Watch, host: str, port: int, timeout: float, **more: Any) -> None:
        self.watch = watch
        super().__init__(host, port, timeout=timeout, **more)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        return self.watch.hold(socket.create_connection((host, port), timeout))


class _Tls(smtplib.SMTP_SSL, _Plain):
    """The same with TLS from the beginning; the handshake is watched too."""

    def __init__(self, watch: Watch, host: str, port: int, timeout: float) -> None:
        self.watch = watch
        smtplib.SMTP_SSL.__init__(self, host, port, timeout=timeout, context=ssl.create_default_context())


def _refusal(code: int, said: bytes | str, what: str) -> Exception:
    text = f"{what}: {code} {_said(said)}"
    return Refused(text) if code >= _FOREVER else Later(text)


def _said(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return " ".join(text.split())
