"""The content of the game page for one side: map, replay, ship displays, log, and order form data.

The report and the order form that are mailed are two files. The game page of the web server shows the content of
both around one map. This module collects the data for the template of that page. They come from the side's own view
of the log, so the page contains nothing that its reader may not know. A spectator's page of a game has the same
content.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import msgspec
from markupsafe import Markup

from pbem.ai.presets import OfferedPreset, offered_presets
from pbem.data.scenarios import Scenario
from pbem.engine.events import Record
from pbem.reports.form.form import embedded as embedded_form, form_data
from pbem.reports.html import compact
from pbem.reports.html.page import ImpulseEvents, allowed, built_script, data_of_page, embedded, moments
from pbem.reports.html.site import ALONE, Around, SiteLink, TurnEntry, page_of_club, player_file, stands
from pbem.reports.map.drawing import Chart, chart
from pbem.reports.map.ssd import Display, display, film_displays
from pbem.reports.text import sentences
from pbem.reports.view.build import build_replay, known_state
from pbem.reports.view.model import ReportView

_ALL_OF_A_FORM = (compact.ENERGY, compact.COURSES)


class Board(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the game page for one side.

    Attributes:
        view: What the side may see. It covers the last turn that was played, or all turns of a finished game.
        chart: The drawing of the map.
        displays: The drawings of the ships' displays, by name of the ship.
        moments: The events of the turn, grouped by impulse.
        film: The replay data as JSON for a script element.
        along: The changes of the displays during the replay, as JSON for a script element.
        form: The order form data as JSON for a script element; empty if the side owes no orders.
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


def board_of(records: Iterable[Record], side: str, scenario: Scenario, draft: str = "") -> Board:
    """Return the content of the game page for a side.

    Args:
        records: The log.
        side: The side; ``""`` means spectators, whose replay covers all turns.
        scenario: The scenario.
        draft: The draft of the side's orders; empty if it owes none.
    """
    records = tuple(records)
    view, changes = build_replay(records, side, scenario=scenario, whole=not side)
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
        chart=msgspec.structs.replace(drawn, ways=()) if view.over or not side else drawn,
        displays=displays,
        moments=moments(view),
        film=Markup(embedded(view)),
        along=Markup(data_of_page(msgspec.json.encode(film_displays(view, displays, changes)))),
        form=Markup(form),
        presets=Markup(data_of_page(msgspec.json.encode(presets))),
        place=view.place_of(side) % 4 if side else 0,
    )


def names_of(board: Board) -> dict[str, Any]:
    """Return a dict of the variables that the templates of the game page use."""
    return {
        "board": board,
        "view": board.view,
        "chart": board.chart,
        "displays": board.displays,
        "moments": board.moments,
        "words": sentences,
        "plays": bool(board.view.side),
        "around": None,
    }


def watched_page(
    board: Board,
    title: str,
    turns: Sequence[TurnEntry],
    files: Sequence[tuple[str, str]],
    around: Around = ALONE,
    whole: str = "",
) -> str:
    """Return a game's index page as HTML: map, replay of all turns, and links to reports.

    Args:
        board: The content of the page, as a spectator sees it.
        title: The title of the page.
        turns: The turns that have a page.
        files: Names and descriptions of the files of the game record.
        around: Links to other pages of the site.
        whole: Link to the replay of all turns, or empty.
    """
    view = board.view
    told = [(turn, list(these)) for turn, these in groupby(board.moments, lambda moment: moment.turn)]
    people = {player.player for player in view.players if not player.robot}
    script = built_script("watch")
    return page_of_club(
        "site.html.j2",
        *("effects.css", "orders.css", "play/game.css", "watch.css"),
        **names_of(board),
        title=title,
        turns=turns,
        files=files,
        home=f"{around.home}index.html" if around.home else "",
        links=[SiteLink(link.title, around.home + link.address) for link in around.links],
        pages={name: around.home + player_file(name) for name in people if name and around.home},
        replay=whole,
        stands=stands(view),
        turns_told=told,
        script=Markup(script),
        script_hash=Markup(allowed(script)),
    )
