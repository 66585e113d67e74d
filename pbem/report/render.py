"""One call for everything a reader gets: the text sitrep, the page and the mail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from pbem.game.events import Record
from pbem.report.gather import build_view
from pbem.report.mail import mail_summary, mail_text, picture_of, sitrep_mail
from pbem.report.mime import Attachment
from pbem.report.page import sitrep_html
from pbem.report.sitrep import sitrep_text
from pbem.report.view import View, Word
from pbem.report.view_proof import Proof

if TYPE_CHECKING:
    from pbem.data.scenarios import Scenario
    from pbem.report.mime import Attachment


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """A reader's report. ``mail`` holds the other two."""

    view: View
    text: str
    html: str
    mail: bytes


def render(
    records: Iterable[Record],
    side: str,
    *,
    turn: int | None = None,
    to: str = "",
    sender: str = "",
    draft: str = "",
    draft_name: str = "",
    enclosed: Iterable[Attachment] = (),
    proof: Proof | None = None,
    scenario: Scenario | None = None,
    words: tuple[Word, ...] = (),
) -> Rendered:
    """The report of ``side`` (a side's name, ``umpire``, or ``""`` for spectators) after ``records``.

    ``turn`` asks for the report as it stood when that turn ended. ``to`` and ``sender`` are mail addresses or empty;
    ``draft`` is the orders draft to show and to attach, under ``draft_name``; ``enclosed`` goes with the mail besides;
    ``proof`` is what is revealed of the dice, ``scenario`` says what the game is about, ``words``
    what others wrote to the reader. Pure: same records, same bytes
    (of the map's picture: with the same version of resvg).
    """
    view = msgspec.structs.replace(build_view(records, side, turn=turn, proof=proof, scenario=scenario), words=words)
    text = sitrep_text(view)
    html = sitrep_html(view, draft)
    attachments = [Attachment("sitrep.html", html, "html")]
    if draft:
        attachments.append(Attachment(draft_name or f"{view.reader}.orders", draft))
    attachments += enclosed
    picture = picture_of(view)
    mail = sitrep_mail(
        view,
        to=to,
        sender=sender,
        text=mail_text(text, attachments),
        html_summary=mail_summary(view, picture, attachments),
        picture=picture,
        attachments=attachments,
    )
    return Rendered(view=view, text=text, html=html, mail=mail)
