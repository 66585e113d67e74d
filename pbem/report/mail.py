"""The sitrep as a mail: text first and complete, a short HTML summary, the whole report and the orders draft attached.

Nothing in it comes from the clock or the machine: date, identity and boundaries are derived from the game, so that the
same game always writes the same mail.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from pbem.report import words
from pbem.report.templates import environment
from pbem.report.view import View

SUMMARY_LIMIT = 80_000
"""The most the summary may weigh in bytes: some mail programs cut off what is longer."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Mails are dated from here: a day a turn, a minute an impulse, a second a request."""


class Attachment(NamedTuple):
    """A file to send along: its name, what it holds (text goes as UTF-8), and its kind, ``text/plain`` by default."""

    name: str
    content: str | bytes
    subtype: str = "plain"
    maintype: str = "text"

    @property
    def data(self) -> bytes:
        return self.content.encode("utf-8") if isinstance(self.content, str) else self.content


def mail_summary(view: View) -> str:
    """The HTML inside the mail, in ASCII and at most :data:`SUMMARY_LIMIT` bytes: long tables are cut and say so."""
    template = environment().get_template("mail.html.j2")
    for most in (200, 60, 20, 5, 0):
        summary = template.render(view=view, words=words, most=most)
        ascii_only = summary.encode("ascii", "xmlcharrefreplace").decode("ascii")
        if len(ascii_only) <= SUMMARY_LIMIT:
            break
    return ascii_only


def sitrep_mail(
    view: View,
    *,
    to: str = "",
    sender: str = "",
    text: str,
    html_summary: str,
    attachments: Iterable[Attachment] = (),
) -> bytes:
    """The mail as bytes, ready to be sent or kept as ``.eml``. Without usable addresses it has no From and To.

    Names with line breaks or other control characters can add no header: they are taken out.
    """
    identity = _identity(view)
    return composed(
        identity[:40],
        (
            ("From", address_header(sender)),
            ("To", address_header(to)),
            ("Subject", one_line(view.subject)),
            ("Date", _date(view)),
            ("Message-ID", f"<{identity}@pbem.invalid>"),
            ("Auto-Submitted", "auto-generated"),
        ),
        text=text,
        html_summary=html_summary,
        attachments=attachments,
    )


def composed(
    identity: str,
    headers: Iterable[tuple[str, object]],
    *,
    text: str,
    html_summary: str = "",
    attachments: Iterable[Attachment] = (),
) -> bytes:
    """A mail as bytes: the text, its HTML summary if there is one, and what is attached; headers in the order given.

    ``identity`` makes the boundaries between the parts: letters, digits, ``.`` and ``-``, at most 40. Headers
    without a value are left out.
    """
    from email.message import EmailMessage
    from email.policy import SMTP

    message = EmailMessage(policy=SMTP)
    for header, value in headers:
        if value:
            message[header] = value
    message.set_content(text, charset="utf-8", cte="quoted-printable")
    if html_summary:
        message.add_alternative(html_summary, subtype="html", charset="us-ascii", cte="quoted-printable")
    for attachment in attachments:
        # As bytes: text would have its line ends changed, and the page allows its style by the style's hash.
        kind = attachment.maintype
        message.add_attachment(
            attachment.data,
            maintype=kind,
            subtype=attachment.subtype,
            params={"charset": "utf-8"} if kind == "text" else {},
            filename=one_line(attachment.name),
        )
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        # A line in the text cannot be this boundary: all parts are encoded, and "=_" is no quoted-printable.
        part.set_boundary(f"=_{identity}_{number}")
    return bytes(message)


def _identity(view: View) -> str:
    """A word of its own for every sitrep: game, turn, request and reader, or a hash where they hold other signs."""
    number = view.owed.number if view.owed else 0
    word = f"{view.game}.{view.turn}.{view.impulse}.r{number}.{view.reader}.n{view.records}"
    if re.fullmatch(r"[A-Za-z0-9.-]{1,40}", word):
        return word
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _date(view: View) -> str:
    from email.utils import format_datetime

    number = view.owed.number if view.owed else 0
    turns = timedelta(days=min(view.turn, 10_000), minutes=view.impulse, seconds=min(number, 59))
    return format_datetime(EPOCH + turns)


def address_header(text: str) -> object:
    """``Name <name@example.org>`` or the bare address, as a header may hold it; ``None`` where there is no address."""
    from email.headerregistry import Address

    found = re.fullmatch(r"(?:(.*)<)?([!#-'*+\--9=?A-Z^-~]+@[A-Za-z0-9.-]+)>?", one_line(text))
    if found is None:
        return None
    try:
        return Address(display_name=(found[1] or "").strip(' "'), addr_spec=found[2])
    except ValueError:
        return None


def one_line(value: str) -> str:
    """A header's text on one line."""
    return " ".join("".join(char if char.isprintable() else " " for char in value).split())
