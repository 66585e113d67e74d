"""The server that takes mail away: SMTP, encrypted unless it runs on this machine."""

from __future__ import annotations

import smtplib
import ssl
from contextlib import suppress

from pbem.post.outbox import Later, Refused, Unreachable
from pbem.post.settings import Smtp, smtp_password

_HERE = ("localhost", "127.0.0.1", "::1")
_FOREVER = 500
"""SMTP codes from here on are final, those from 400 on are not."""


class SmtpCarrier:
    """A connection that is made when the first mail is to go and serves for all of a round."""

    def __init__(self, smtp: Smtp) -> None:
        self.smtp = smtp
        self._server: smtplib.SMTP | None = None

    def __enter__(self) -> SmtpCarrier:
        return self

    def __exit__(self, *of_an_error: object) -> None:
        if self._server is not None:
            with suppress(smtplib.SMTPException, OSError):
                self._server.quit()
            self._server = None

    def send(self, sender: str, to: str, mail: bytes) -> None:
        """Hand one mail over. Raises :class:`Refused`, :class:`Later` or :class:`Unreachable`."""
        server = self.connect()
        try:
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
            raise Unreachable(f"the connection to {self.smtp.host} broke: {error}") from error

    def connect(self) -> smtplib.SMTP:
        """The server, logged in. Raises :class:`Unreachable` with the reason in plain words."""
        if self._server is not None:
            return self._server
        smtp = self.smtp
        server: smtplib.SMTP | None = None
        where = f"{smtp.host}, port {smtp.port}"
        try:
            if smtp.security == "tls":
                context = ssl.create_default_context()
                server = smtplib.SMTP_SSL(smtp.host, smtp.port, timeout=smtp.timeout, context=context)
            else:
                server = smtplib.SMTP(smtp.host, smtp.port, timeout=smtp.timeout)
            if smtp.security == "starttls":
                server.starttls(context=ssl.create_default_context())
            server.ehlo_or_helo_if_needed()
            self._log_in(server)
        except Unreachable:
            _close(server)
            raise
        except smtplib.SMTPNotSupportedError as error:
            _close(server)
            raise Unreachable(f"{where}: {error}; is security = {smtp.security!r} right for this port?") from error
        except smtplib.SMTPAuthenticationError as error:
            _close(server)
            text = f"{smtp.host} does not accept {smtp.user} with this password: {_said(error.smtp_error)}"
            raise Unreachable(text) from error
        except ssl.SSLError as error:
            _close(server)
            raise Unreachable(f"{where}: no safe connection: {error.reason or error}") from error
        except (smtplib.SMTPException, OSError) as error:
            _close(server)
            raise Unreachable(f"{where} does not answer: {error}") from error
        self._server = server
        return server

    def _log_in(self, server: smtplib.SMTP) -> None:
        if not self.smtp.user:
            return
        if self.smtp.security == "none" and self.smtp.host not in _HERE:
            raise Unreachable("a password is only sent over an encrypted connection: set security to starttls or tls")
        password = smtp_password(self.smtp)
        if not password.text:
            raise Unreachable(f"there is no password for {self.smtp.user}: {password.source}")
        server.login(self.smtp.user, password.text)

    def _drop(self) -> None:
        _close(self._server)
        self._server = None


def _close(server: smtplib.SMTP | None) -> None:
    if server is not None:
        server.close()


def _refusal(code: int, said: bytes | str, what: str) -> Exception:
    text = f"{what}: {code} {_said(said)}"
    return Refused(text) if code >= _FOREVER else Later(text)


def _said(said: bytes | str) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return " ".join(text.split())
