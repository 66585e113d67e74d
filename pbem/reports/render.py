"""Everything a reader gets: the text sitrep and the page, and the mail that holds both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from pbem.engine.events import Record
from pbem.reports.html.page import sitrep_html
from pbem.reports.mail.mime import Attachment
from pbem.reports.mail.sitrep_mail import mail_summary, mail_text, picture_of, sitrep_mail
from pbem.reports.text.sitrep import sitrep_text
from pbem.reports.view.build import build_view
from pbem.reports.view.model import Proof, View, Word

if TYPE_CHECKING:
    from pbem.data.scenarios import Scenario
    from pbem.reports.mail.mime import Attachment


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """A reader's report before it is mailed."""

    view: View
    text: str
    html: str


def written(
    records: Iterable[Record],
    side: str,
    *,
    turn: int | None = None,
    draft: str = "",
    proof: Proof | None = None,
    scenario: Scenario | None = None,
    words: tuple[Word, ...] = (),
) -> Written:
    """The report of ``side`` after ``records`` as text and page.

    ``turn`` asks for the report as it stood when that turn ended. ``draft`` is the orders draft to show; ``proof`` is
    what is revealed of the dice, ``scenario`` says what the game is about, ``words`` what others wrote to the reader.
    Pure: same records, same bytes.
    """
    view = msgspec.structs.replace(build_view(records, side, turn=turn, proof=proof, scenario=scenario), words=words)
    return Written(view=view, text=sitrep_text(view), html=sitrep_html(view, draft))


def mailed(
    made: Written,
    *,
    to: str = "",
    sender: str = "",
    draft: str = "",
    draft_name: str = "",
    enclosed: Iterable[Attachment] = (),
) -> bytes:
    """The mail of a report that is written. ``to`` and ``sender`` are mail addresses or empty; ``draft`` is attached
    under ``draft_name``; ``enclosed`` goes with it besides. Pure (of the map's picture: with the same version of
    resvg).
    """
    view = made.view
    attachments = [Attachment("sitrep.html", made.html, "html")]
    if draft:
        attachments.append(Attachment(draft_name or f"{view.reader}.orders", draft))
    attachments += enclosed
    picture = picture_of(view)
    return sitrep_mail(
        view,
        to=to,
        sender=sender,
        text=mail_text(made.text, attachments),
        html_summary=mail_summary(view, picture, attachments),
        picture=picture,
        attachments=attachments,
    )
