"""The sitrep as a mail: text first and complete, a short HTML summary with a picture of the map, the rest attached.

Nothing in it comes from the clock or the machine: date, identity and boundaries are derived from the game, so that the
same game always writes the same mail.
"""

from __future__ import annotations

import hashlib
import re
from base64 import encodebytes
from binascii import a2b_base64, a2b_qp, b2a_qp
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, cast

from pbem.game.events import UMPIRE
from pbem.report import words
from pbem.report.sitrep import section, wrap
from pbem.report.templates import environment
from pbem.report.view import Said, Unit, View

if TYPE_CHECKING:
    from email.message import EmailMessage, MIMEPart

    from markupsafe import Markup

SUMMARY_LIMIT = 80_000
"""The most the summary may weigh in bytes: some mail programs cut off what is longer."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""Mails are dated from here: a day a turn, a minute an impulse, a second a request."""


FORM = "orders.html"
"""The order form among what is attached."""
GRAVE = ("out of play", "captured", "lost inside")
"""Changes of a ship that nothing brings back."""
MOST_SAID = (120, 90, 60, 45, 30, 15, 6, 0)
"""How much of a story the summary tells, sentence by sentence; less where it would be too long."""


class Attachment(NamedTuple):
    """A file to send along: its name, what it holds (text goes as UTF-8), and its kind, ``text/plain`` by default."""

    name: str
    content: str | bytes
    subtype: str = "plain"
    maintype: str = "text"

    @property
    def data(self) -> bytes:
        return self.content.encode("utf-8") if isinstance(self.content, str) else self.content


class Picture(NamedTuple):
    """The map as a PNG: the Content-ID by which the summary shows it, its width in pixels of the screen, its words."""

    cid: str
    png: bytes
    width: int
    words: str
    name: str = "map.png"


class Story(NamedTuple):
    """Sentences to be told: the first ones, how many are left out after them and between which moments, the last."""

    first: tuple[Said, ...]
    left_out: int
    gap: str
    last: tuple[Said, ...]


def picture_of(view: View) -> Picture | None:
    """The part of the map where anything was done; nothing where no picture can be drawn on this machine."""
    from pbem.report.picture import map_words, png_in_mail

    png, width = png_in_mail(view)
    return Picture(f"map.{_identity(view)}@pbem.invalid", png, width, map_words(view)) if png else None


def story(view: View, most: int) -> Story:
    """What happened since the last sitrep in at most ``most`` sentences: of a long story the middle is left out, since
    the last moments are what orders are written for.
    """
    told = view.since
    if len(told) <= most:
        return Story(told, 0, "", ())
    before = most // 3
    after = most - before
    middle = told[before : len(told) - after]
    moments = sorted((said.turn, said.impulse) for said in middle)
    first, last = (f"{turn}.{impulse}" for turn, impulse in (moments[0], moments[-1]))
    gap = first if first == last else f"{first} to {last}"
    return Story(told[:before], len(middle), gap, told[len(told) - after :])


def mail_summary(view: View, picture: Picture | None = None, attachments: Iterable[Attachment] = ()) -> str:
    """The HTML inside the mail, in ASCII and at most :data:`SUMMARY_LIMIT` bytes: where it would be longer, the middle
    of the story and the ends of tables are left out, and it says so.
    """
    template = environment().get_template("mail.html.j2")
    large = [unit for unit in view.units if not unit.small]
    small = [unit for unit in view.units if unit.small and not unit.gone]
    enclosed = [(attachment.name, about(attachment.name)) for attachment in attachments]
    form = any(name == FORM for name, _ in enclosed)
    for most in MOST_SAID:
        summary = template.render(
            view=view,
            words=words,
            picture=picture,
            story=story(view, most),
            most=most // 2,
            large=large,
            small=small,
            tone=_tone,
            notes=_notes,
            enclosed=enclosed,
            steps=_steps(form=form),
            failed=view.failed(),
            changed=view.changes if view.owed is None or view.since else (),
            grave=GRAVE,
        )
        ascii_only = summary.encode("ascii", "xmlcharrefreplace").decode("ascii")
        if len(ascii_only) <= SUMMARY_LIMIT:
            break
    return ascii_only


def _steps(*, form: bool) -> tuple[Markup, ...]:
    """What a player does to answer, in three steps, the first thing he reads."""
    from markupsafe import Markup

    if not form:
        return (
            Markup("Open the <b>attached draft</b> of your orders with any editor."),
            Markup("Change what you like: lines that begin with # are hints."),
            Markup("<b>Answer this mail</b> with its text."),
        )
    return (
        Markup(f"Open the attached <b>{FORM}</b> in a browser and choose your orders."),
        Markup("Press <b>Copy</b> there."),
        Markup("<b>Answer this mail</b>: paste, and send."),
    )


def _tone(now: int, start: int) -> str:
    """How a shield is doing: ``full``, ``hit`` or ``down``."""
    return "down" if now <= 0 else "full" if now >= start else "hit"


def _notes(unit: Unit) -> str:
    """What else is known of a unit, as beside its name in the text."""
    target = f"target {unit.target}" if unit.target else ""
    until = f"until {unit.last_impulse}" if unit.last_impulse else ""
    return ", ".join(note for note in (target, *unit.marks, until) if note)


def mail_text(text: str, attachments: Iterable[Attachment]) -> str:
    """The text of the mail: the sitrep, and below it what is attached, at most 78 columns wide."""
    lines = [line for one in attachments for line in wrap(about(one.name), f"  {one.name:<22}  ", " " * 26)]
    if not lines:
        return text
    return text + "\n" + "\n".join(section("ATTACHED", lines)) + "\n"


def about(name: str) -> str:
    """What an attached file is, told by its name."""
    if name == "sitrep.html":
        return "the whole report with its map and replay; opens in any browser"
    if name == FORM:
        return "your orders as a page to fill in; opens in any browser"
    if name.endswith(".orders"):
        return "your orders, drafted: edit them and send them back"
    if name.endswith(".vsav"):
        return "the counters on the table, for VASSAL with the module that `pbem module` writes"
    return "a file"


def sitrep_mail(
    view: View,
    *,
    to: str = "",
    sender: str = "",
    text: str,
    html_summary: str,
    picture: Picture | None = None,
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
        pictures=[(picture.cid, picture.name, picture.png)] if picture else [],
        attachments=attachments,
    )


def composed(
    identity: str,
    headers: Iterable[tuple[str, object]],
    *,
    text: str,
    html_summary: str = "",
    pictures: Iterable[tuple[str, str, bytes]] = (),
    attachments: Iterable[Attachment] = (),
) -> bytes:
    """A mail as bytes: the text, its HTML summary if there is one, and what is attached; headers in the order given.

    ``pictures`` are PNG files that the summary shows: Content-ID, file name, content.

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
        summary = message.get_body(("html",))
        assert isinstance(summary, EmailMessage)
        for cid, name, png in pictures:
            summary.add_related(
                png, maintype="image", subtype="png", cid=f"<{cid}>", filename=one_line(name), disposition="inline"
            )
    bodies: list[bytes] = []
    for attachment in attachments:
        # As bytes: text would have its line ends changed, and the page allows its style by the style's hash.
        kind = attachment.maintype
        message.add_attachment(
            b"",
            maintype=kind,
            subtype=attachment.subtype,
            params={"charset": "utf-8"} if kind == "text" else {},
            filename=one_line(attachment.name),
        )
        part = cast("list[MIMEPart]", message.get_payload())[-1]
        bodies.append(_carried(part, attachment.data, as_text=kind == "text"))
        part.set_payload(f"{_STANDS_FOR}{len(bodies) - 1}=")
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        # A line in the text cannot be this boundary: all parts are encoded, and "=_" is no quoted-printable.
        part.set_boundary(f"=_{identity}_{number}")
    # What is attached is put in when the rest is whole: the library goes through every line of it several times.
    pieces = bytes(message).split(f"\r\n{_STANDS_FOR}".encode("ascii"))
    whole = [pieces[0]]
    for number, (piece, body) in enumerate(zip(pieces[1:], bodies, strict=True)):
        whole += [b"\r\n", body.replace(b"\n", b"\r\n"), piece.removeprefix(f"{number}=".encode("ascii"))]
    return b"".join(whole)


_STANDS_FOR = "=_pbem attached "
"""Begins a line that no encoded text can have."""


def _carried(part: MIMEPart, data: bytes, *, as_text: bool) -> bytes:
    """The content of an attachment as it travels: quoted-printable where that is shorter, as a page then weighs a tenth
    more than it has signs, and a third more as base64.
    """
    if as_text:
        coded = b2a_qp(data, istext=False)
        if len(coded) * 3 < len(data) * 4:
            del part["Content-Transfer-Encoding"]
            part["Content-Transfer-Encoding"] = "quoted-printable"
            return coded
    return encodebytes(data)


def taken_apart(mail: bytes) -> tuple[EmailMessage, list[bytes]]:
    """A mail that :func:`composed` made: without what is attached, and the contents of that in their order. The library
    would go through every line of them. Raises ``ValueError`` for a mail that was made otherwise.
    """
    from email import message_from_bytes
    from email.message import EmailMessage
    from email.policy import default

    head = mail.partition(b"\r\n\r\n")[0]
    found = _BOUNDARY.search(head)
    pieces = mail.split(b"\r\n--" + found[1]) if found is not None else [mail]
    contents: list[bytes] = []
    for number, piece in enumerate(pieces[1:], start=1):
        lines, empty, body = piece.partition(b"\r\n\r\n")
        if b"\r\nContent-Disposition: attachment" in lines:
            coded = b"\r\nContent-Transfer-Encoding: quoted-printable" in lines
            contents.append(a2b_qp(body) if coded else a2b_base64(body))
            pieces[number] = lines + empty
    message = message_from_bytes((b"\r\n--" + found[1]).join(pieces) if found is not None else mail, policy=default)
    assert isinstance(message, EmailMessage)
    if contents and len(contents) != sum(1 for _ in message.iter_attachments()):
        raise ValueError("this mail is not one of ours")
    return message, contents


_BOUNDARY = re.compile(rb'^Content-Type: multipart/mixed;\s*boundary="([^"]+)"', re.MULTILINE)


def _identity(view: View) -> str:
    number = view.owed.number if view.owed else 0
    return identity_of(view.game, view.turn, view.impulse, number, view.reader, view.records, view.taken_back)


def identity_of(game: str, turn: int, impulse: int, request: int, reader: str, records: int, segments: int = 0) -> str:
    """A word of its own for every sitrep: game, turn, request (0 when the game is over) and reader, how many records it
    tells of; or a hash where these hold other signs.

    ``segments`` is how many stretches were played where some were taken back: players' records are counted as they see
    them, and other play may have as many. The umpire's are not, so his word does without.
    """
    word = f"{game}.{turn}.{impulse}.r{request}.{reader}.n{records}"
    if segments and reader != UMPIRE:
        word += f".s{segments}"
    if re.fullmatch(r"[A-Za-z0-9.-]{1,40}", word):
        return word
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _date(view: View) -> str:
    from email.utils import format_datetime

    number = view.owed.number if view.owed else 0
    turns = timedelta(days=min(view.turn, 10_000), minutes=view.impulse, seconds=min(number, 59))
    return format_datetime(EPOCH + turns)


@lru_cache(maxsize=1024)
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
