"""The sitrep as an email: the complete text, a short HTML summary with a map picture, and attachments.

Nothing in the email comes from the clock or the machine. Date, identifier and boundaries are derived from the game,
so the same game always makes the same email.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from markupsafe import Markup

from pbem.engine.events import UMPIRE
from pbem.reports.html.templates import environment
from pbem.reports.mail.mime import Attachment, address_header, composed, one_line
from pbem.reports.text import sentences
from pbem.reports.text.sitrep import section, wrap
from pbem.reports.view.model import EventSentence, ReportView, UnitStatus
from pbem.util import MONTHS

SUMMARY_LIMIT = 80_000
"""Maximum size of the HTML summary in bytes; some mail programs cut longer ones."""

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""The date from which the dates of emails are computed.

Each turn adds a day, each impulse a minute, and each request for orders a second.
"""


FORM = "orders.html"
"""File name of the order form page among the attachments of an email."""
GRAVE = ("out of play", "captured", "lost inside")
"""Kinds of permanent changes of a ship, which the summary highlights."""
MOST_SAID = (120, 90, 60, 45, 30, 15, 6, 0)
"""Numbers of news sentences to try in the summary; if it is too long with one number, the next is tried."""


class MapPicture(NamedTuple):
    """The map as a PNG file for an email.

    The picture has the Content-ID by which the summary refers to it, its width in screen pixels, and a description
    for readers without pictures.
    """

    cid: str
    png: bytes
    width: int
    words: str
    name: str = "map.png"


class Story(NamedTuple):
    """The news in short form: first sentences, number of omitted sentences, and last sentences.

    ``gap`` gives the turn and impulse of the first and the last sentence that is left out.
    """

    first: tuple[EventSentence, ...]
    left_out: int
    gap: str
    last: tuple[EventSentence, ...]


def picture_of(view: ReportView) -> MapPicture | None:
    """Return a picture of the part of the map with units or movement, for an email.

    The result is ``None`` if this machine cannot draw pictures.
    """
    from pbem.reports.map.picture import map_words, png_in_mail

    png, width = png_in_mail(view)
    return MapPicture(f"map.{_identity(view)}@pbem.invalid", png, width, map_words(view)) if png else None


def story(view: ReportView, most: int) -> Story:
    """Return the news since the last sitrep in at most ``most`` sentences.

    If there are more, the middle is left out, because the latest events matter most for the next orders.
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


def mail_summary(view: ReportView, picture: MapPicture | None = None, attachments: Iterable[Attachment] = ()) -> str:
    """Return the HTML summary of a sitrep email, in ASCII and at most :data:`SUMMARY_LIMIT` bytes.

    If it would be longer, it leaves out the middle of the news and the ends of tables, and says so.
    """
    template = environment().get_template("mail.html.j2")
    large = [unit for unit in view.units if not unit.small]
    small = [unit for unit in view.units if unit.small and not unit.gone]
    enclosed = [(attachment.name, about(attachment.name)) for attachment in attachments]
    form = any(name == FORM for name, _ in enclosed)
    for most in MOST_SAID:
        summary = template.render(
            view=view,
            words=sentences,
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
    """Return HTML texts for the three steps by which a player answers; the email shows them first."""
    if not form:
        return (
            Markup("Open the <b>attached draft</b> of your orders with any editor."),
            Markup("Change what you like: lines that begin with # are hints."),
            Markup("<b>Answer this email</b> with its text."),
        )
    return (
        Markup(f"Open the attached <b>{FORM}</b> in a browser and choose your orders."),
        Markup("Press <b>Copy</b> there."),
        Markup("<b>Answer this email</b>: paste, and send."),
    )


def _tone(now: int, start: int) -> str:
    """Return the condition of a shield, which selects its colour: ``full``, ``hit`` or ``down``."""
    return "down" if now <= 0 else "full" if now >= start else "hit"


def _notes(unit: UnitStatus) -> str:
    """Return the remarks on a unit, worded as in the text sitrep."""
    target = f"target {unit.target}" if unit.target else ""
    until = f"until {unit.last_impulse}" if unit.last_impulse else ""
    return ", ".join(note for note in (target, *unit.marks, until) if note)


def mail_text(text: str, attachments: Iterable[Attachment]) -> str:
    """Return the plain text of the email: the sitrep and a list of the attachments, at most 78 columns wide."""
    lines = [line for one in attachments for line in wrap(about(one.name), f"  {one.name:<22}  ", " " * 26)]
    if not lines:
        return text
    return text + "\n" + "\n".join(section("ATTACHED", lines)) + "\n"


def about(name: str) -> str:
    """Return a description of the attached file with this name."""
    if name == "sitrep.html":
        return "the whole report with its map and replay; opens in any browser"
    if name == FORM:
        return "your orders as a page to fill in; opens in any browser"
    if name.endswith(".orders"):
        return "your orders, drafted: edit them and send them back"
    if name.endswith(".vsav"):
        return "the counters on the map, for VASSAL with the module that `pbem module` writes"
    return "a file"


def sitrep_mail(
    view: ReportView,
    *,
    to: str = "",
    sender: str = "",
    text: str,
    html_summary: str,
    picture: MapPicture | None = None,
    attachments: Iterable[Attachment] = (),
) -> bytes:
    """Return the sitrep email as bytes, ready to be sent or stored as ``.eml``.

    Control characters in names are removed, so that they cannot add headers.

    Args:
        view: What the reader may see.
        to: The receiver's address; without a valid address, the email has no To header.
        sender: The sender's address; without a valid address, the email has no From header.
        text: The plain text.
        html_summary: The summary as HTML, in ASCII.
        picture: The map picture that the summary shows, if any.
        attachments: The files to attach.
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


def _identity(view: ReportView) -> str:
    number = view.owed.number if view.owed else 0
    return identity_of(view.game, view.turn, view.impulse, number, view.reader, view.records, view.taken_back)


def identity_of(game: str, turn: int, impulse: int, request: int, reader: str, records: int, segments: int = 0) -> str:
    """Return a word that identifies the sitrep email of one reader, for its Message-ID.

    The word consists of game, turn, impulse, request number (0 if the game is over), reader and number of records.
    If these contain characters that the word may not have, the word is a hash of them.

    Args:
        game: The name of the game.
        turn: The turn.
        impulse: The impulse.
        request: The number of the request, or 0 if the game is over.
        reader: The side, or ``umpire``.
        records: How many log records the reader sees.
        segments: How many segments were played, if some were taken back; otherwise 0. After an undo, new play may
            give a player the same number of records as before, so this number is needed too. The umpire sees records
            that were taken back, too, so the umpire's word does not need it.
    """
    word = f"{game}.{turn}.{impulse}.r{request}.{reader}.n{records}"
    if segments and reader != UMPIRE:
        word += f".s{segments}"
    if re.fullmatch(r"[A-Za-z0-9.-]{1,40}", word):
        return word
    return hashlib.sha256(word.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _date(view: ReportView) -> str:
    number = view.owed.number if view.owed else 0
    turns = timedelta(days=min(view.turn, 10_000), minutes=view.impulse, seconds=min(number, 59))
    when = EPOCH + turns
    # The library's format without its slow import; strftime would use the system's language.
    return f"{_DAYS[when.weekday()]}, {when.day:02} {MONTHS[when.month - 1]} {when:%Y %H:%M:%S %z}"


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
