"""The page of a whole game: the replay of all turns, the decisive impulses, and all events.

Like the report, the page contains only what its reader may know. An email contains at most one such page.
"""

from __future__ import annotations

from itertools import groupby

import msgspec
from markupsafe import Markup

from pbem.data.cache import cached_text
from pbem.reports.html.compact import squeezed_css
from pbem.reports.html.page import (
    SCRIPT,
    SCRIPT_HASH,
    SCRIPTED,
    STYLE,
    STYLE_HASH,
    allowed,
    built_script,
    embedded,
    ending_style,
    finished,
    moments,
    named_by,
    part_of_page,
    report_style,
)
from pbem.reports.html.templates import environment
from pbem.reports.map.damage_chart import toll_charts
from pbem.reports.map.drawing import chart
from pbem.reports.text import sentences
from pbem.reports.view.model import ReportView


@cached_text
def whole_style() -> str:
    """Return the style sheet of the whole-game page: the report page's style sheet with additions."""
    return report_style() + ending_style() + squeezed_css(part_of_page("whole.css"))


@cached_text
def whole_script() -> str:
    """Return the script of the whole-game page: the report page's script, extended for several turns."""
    return built_script("whole")


@cached_text
def _named_of_whole() -> str:
    return named_by(whole_style(), whole_script())


def whole_html(
    view: ReportView, home: str = "sitrep.html", back: str = "The last report", *, record: bool = False
) -> str:
    """Return the whole-game page for a view of all turns; the same view always gives the same text.

    The view comes from :func:`pbem.reports.view.build.build_whole`. If nothing was played, the page shows only the
    map.

    Args:
        view: The view.
        home: The page to which this page links back.
        back: The text of that link.
        record: Whether the archive and the proof page are in the parent folder; if so, the page links to them.
    """
    told = [(turn, list(these)) for turn, these in groupby(moments(view), lambda moment: moment.turn)]
    drawn = msgspec.structs.replace(chart(view), ways=())
    page = (
        environment()
        .get_template("whole.html.j2")
        .render(
            view=view,
            style=STYLE,
            style_hash=STYLE_HASH,
            script=SCRIPT,
            script_hash=SCRIPT_HASH,
            scripted=SCRIPTED,
            scripted_hash=Markup(allowed(SCRIPTED)),
            home=home,
            back=back,
            replay="",
            record=record,
            chart=drawn,
            tolls=toll_charts(view.tolls),
            whole=sorted({frame.turn for frame in view.replay}),
            told=told,
            words=sentences,
            plays=view.plays,
            around=None,
            data=Markup(embedded(view)),
        )
    )
    return finished(page, whole_style(), whole_script(), _named_of_whole())
