"""The complete report for one reader: text sitrep, HTML page, and the email that contains both."""

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
from pbem.reports.view.model import PlayerMessage, Proof, ReportView

if TYPE_CHECKING:
    from pbem.data.scenarios import Scenario
    from pbem.reports.mail.mime import Attachment


class RenderedReport(msgspec.Struct, frozen=True, kw_only=True):
    """The report for one reader, before it is put into an email: view, text and HTML page."""

    view: ReportView
    text: str
    html: str


def render_report(
    records: Iterable[Record],
    side: str,
    *,
    turn: int | None = None,
    draft: str = "",
    proof: Proof | None = None,
    scenario: Scenario | None = None,
    words: tuple[PlayerMessage, ...] = (),
) -> RenderedReport:
    """Return the report for ``side`` after ``records``, as text and HTML page.

    The same arguments always give the same bytes.

    Args:
        records: The event log.
        side: The reader.
        turn: If given, report the state at the end of this turn instead of the present state.
        draft: The order draft to show in the page.
        proof: The values that the host discloses to prove the dice.
        scenario: The scenario, for the part about the mission; without it that part is left out.
        words: Messages from other players.
    """
    view = report_view(records, side, turn=turn, proof=proof, scenario=scenario, words=words)
    return RenderedReport(view=view, text=sitrep_text(view), html=sitrep_html(view, draft))


def report_view(
    records: Iterable[Record],
    side: str,
    *,
    turn: int | None = None,
    proof: Proof | None = None,
    scenario: Scenario | None = None,
    words: tuple[PlayerMessage, ...] = (),
) -> ReportView:
    """Return the view from which :func:`render_report` makes the report, with the same arguments."""
    return msgspec.structs.replace(build_view(records, side, turn=turn, proof=proof, scenario=scenario), words=words)


def report_email(
    made: RenderedReport,
    *,
    to: str = "",
    sender: str = "",
    draft: str = "",
    draft_name: str = "",
    enclosed: Iterable[Attachment] = (),
) -> bytes:
    """Return an email with a finished report, as bytes.

    The result depends only on the arguments. The exception is the map picture, which also depends on the version of
    resvg.

    Args:
        made: The report.
        to: The receiver's address, or empty.
        sender: The sender's address, or empty.
        draft: The order draft to attach, or empty.
        draft_name: File name of the draft; by default the reader's name with ``.orders``.
        enclosed: Further attachments.
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
