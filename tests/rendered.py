"""A reader's whole report in one call, as pbem.games makes it in two: nothing of it is remembered (remembered.py)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from pbem.engine.events import Record
from pbem.reports.render import render_report, report_email
from pbem.reports.view.model import ReportView

OF_MAIL = ("to", "sender", "draft_name", "enclosed")


class Rendered(NamedTuple):
    """A reader's report. ``mail`` holds text and page."""

    view: ReportView
    text: str
    html: str
    mail: bytes


def render(records: Iterable[Record], side: str, *, draft: str = "", **more: Any) -> Rendered:
    """The report of ``side``; ``more`` goes to :func:`written`, or to :func:`mailed` where it is the mail's."""
    mail = {name: more.pop(name) for name in OF_MAIL if name in more}
    made = render_report(records, side, draft=draft, **more)
    return Rendered(made.view, made.text, made.html, report_email(made, draft=draft, **mail))
