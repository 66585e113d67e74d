"""What the game page shows of a game to one side: map, film, displays, log and the data of the order form.

The report and the order form that are mailed are two files. The game page of the web server shows both around one
map. This module collects what its template needs. Like the mailed pages, it comes from the side's own view of the
log, so the page holds nothing that its reader may not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from markupsafe import Markup

from pbem.ai.presets import OfferedPreset, offered_presets
from pbem.data.scenarios import Scenario
from pbem.engine.events import Record
from pbem.reports.form.form import embedded as embedded_form, form_data
from pbem.reports.html import compact
from pbem.reports.html.film_displays import embedded_displays, film_displays
from pbem.reports.html.page import ImpulseEvents, data_of_page, embedded, moments
from pbem.reports.map.drawing import Chart, chart
from pbem.reports.map.ssd import Display, display
from pbem.reports.text import sentences
from pbem.reports.view.build import build_film, known_state
from pbem.reports.view.model import ReportView

_ALL_OF_A_FORM = (compact.ENERGY, compact.COURSES)


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """What the game page shows of a game to one side.

    Attributes:
        view: The view of the side: the last turn that was played, or all turns of a finished game.
        chart: The drawing of the map.
        displays: The drawing of each ship's display, by the name of the ship.
        moments: The events of the turn, by impulse.
        film: The data of the film as JSON for a script element.
        along: What changes on the displays along the film, as JSON for a script element.
        form: The data of the order form as JSON for a script element; empty if the side owes no orders.
        presets: Usual energy forms for each ship that needs one, as JSON for a script element.
        place: The number of the side's colour and shape, from 0 to 3.
    """

    view: ReportView
    chart: Chart
    displays: Mapping[str, Display]
    moments: list[ImpulseEvents]
    film: Markup
    along: Markup
    form: Markup
    presets: Markup
    place: int


def board_of(records: Iterable[Record], side: str, scenario: Scenario, draft: str) -> Board:
    """Return what the game page shows to a side; ``draft`` is the draft of its orders, empty if it owes none."""
    records = tuple(records)
    view, changes = build_film(records, side, scenario=scenario)
    displays = {ssd.unit: display(ssd) for ssd in view.ssds}
    drawn = chart(view)
    form = ""
    presets: dict[str, list[OfferedPreset]] = {}
    if draft:
        state = known_state(records, side, scenario=scenario)
        data = form_data(state, scenario, side, drawn, draft)
        form = embedded_form(compact.written(data, _ALL_OF_A_FORM))
        assert state.request is not None
        presets = offered_presets(state, scenario, state.request, side)
    return Board(
        view=view,
        chart=msgspec.structs.replace(drawn, ways=()) if view.over else drawn,
        displays=displays,
        moments=moments(view),
        film=Markup(embedded(view)),
        along=embedded_displays(film_displays(view, displays, changes)),
        form=Markup(form),
        presets=Markup(data_of_page(msgspec.json.encode(presets))),
        place=view.place_of(side) % 4,
    )


def names_of(board: Board) -> dict[str, Any]:
    """Return the names that the templates of the game page use, with their values."""
    return {
        "board": board,
        "view": board.view,
        "chart": board.chart,
        "displays": board.displays,
        "moments": board.moments,
        "words": sentences,
        "plays": True,
        "around": None,
    }
