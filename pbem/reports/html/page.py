"""The report page: one self-contained HTML file, which players open first.

The module also has functions for other pages: for style sheets and scripts with their security hashes, for the data
of scripts, and for the last steps that make a page suitable for email.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection
from functools import lru_cache
from html import escape
from pathlib import Path

import msgspec
from markupsafe import Markup

from pbem.data.cache import cached_text
from pbem.engine.step_names import TITLES
from pbem.reports.html.compact import (
    css_in_lines,
    in_ascii,
    json_in_lines,
    lean_html,
    named_in,
    needed_css,
    squeezed_css,
    travelling,
    words_in,
)
from pbem.reports.html.templates import environment, templates_folder
from pbem.reports.map.damage_chart import toll_charts
from pbem.reports.map.drawing import chart
from pbem.reports.map.ssd import display
from pbem.reports.text import sentences
from pbem.reports.text.sitrep import proof_lines
from pbem.reports.view.model import EventSentence, Point, ReplayData, ReportView, Track
from pbem.util import regex


class StepEvents(msgspec.Struct, frozen=True):
    """One step of an impulse in the report page.

    It has a name, a title, a short line for each move, and its other events.
    """

    step: str
    title: str
    moves: tuple[EventSentence, ...]
    said: tuple[EventSentence, ...]


class ImpulseEvents(msgspec.Struct, frozen=True):
    """One impulse in which something happened, with its steps.

    ``anchor`` is the id of its place in the page (``t2.i7``), and ``replay`` the link to this impulse in the
    replay.
    """

    turn: int
    impulse: int
    anchor: str
    replay: str
    fresh: bool
    parts: tuple[StepEvents, ...]


class GridRow(msgspec.Struct, frozen=True):
    """One row of the movement table: the impulse, and one point (or ``None``) for each track."""

    impulse: int
    cells: tuple[Point | None, ...]


class PageLinks(msgspec.Struct, frozen=True, kw_only=True):
    """The links from a report page to other pages of a site.

    ``home`` links to the page of the game, ``before`` and ``after`` link to the previous and the next turn.
    ``other`` links to the same turn as another reader sees it, and ``otherwise`` describes that page. ``running`` is
    false if the turn is complete.
    """

    home: str
    before: str = ""
    after: str = ""
    other: str = ""
    otherwise: str = ""
    running: bool = False


WHOLE = "replay.html"
"""File name of the page with the replay of the whole game (:mod:`pbem.reports.html.whole_game`).

The page is in the folder of the last report and on the site.
"""


def anchor(turn: int, impulse: int) -> str:
    """Return the id that marks an impulse in a page, such as ``t2.i7``."""
    return f"t{turn}.i{impulse}"


def moments(view: ReportView) -> list[ImpulseEvents]:
    """Return the events of the turn shown, grouped by impulse and step.

    Events that other tables show are left out.
    """
    found: list[ImpulseEvents] = []
    told = [said for said in view.said if said.place in ("activity", "move") and said.kind != "turned"]
    by_moment: dict[tuple[int, int], list[EventSentence]] = {}
    for said in told:
        by_moment.setdefault((said.turn, said.impulse), []).append(said)
    for (turn, impulse), these in by_moment.items():
        parts = []
        for step in dict.fromkeys(said.step for said in these):
            inside = [said for said in these if said.step == step]
            parts.append(
                StepEvents(
                    step,
                    TITLES.get(step, step),
                    tuple(said for said in inside if said.place == "move"),
                    tuple(said for said in inside if said.place != "move"),
                )
            )
        fresh = any(said.fresh for said in these)
        found.append(ImpulseEvents(turn, impulse, anchor(turn, impulse), f"t{turn}i{impulse}", fresh, tuple(parts)))
    return found


def grid(tracks: tuple[Track, ...]) -> list[GridRow]:
    """Return the rows of the turn's movement table; row 0 has the positions at the start of the turn."""
    by_track = [{point.impulse: point for point in track.points} for track in tracks]
    last = max((impulse for cells in by_track for impulse in cells), default=-1)
    return [GridRow(row, tuple(cells.get(row) for cells in by_track)) for row in range(last + 1)]


def embedded(view: ReportView) -> str:
    """Return the data for the replay script as JSON for a script element.

    The data are the frames, the titles of their steps, and the hexes of planets. The script reads the sentences
    about events from the page itself, which keeps emailed pages small.
    """
    mine = next((unit.name for unit in view.units if unit.mine and not unit.gone), "")
    planets = {unit.name: unit.hex for unit in view.units if unit.kind == "planet"}
    steps = {frame.step: TITLES[frame.step] for frame in view.replay if frame.step in TITLES}
    data = ReplayData(mine=mine, planets=planets, replay=view.replay, shown=view.shown, steps=steps)
    return data_of_page(msgspec.json.encode(data, order="deterministic"))


def script_safe(text: str) -> str:
    """Return JSON with ``<``, ``>`` and ``&`` escaped, so that it can be placed inside a script element."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def data_of_page(encoded: bytes) -> str:
    """Return JSON data as ASCII for a script element, in lines short enough for email."""
    return json_in_lines(in_ascii(script_safe(encoded.decode("utf-8"))))


STYLE_HASH, STYLE, SCRIPT_HASH, SCRIPT = (Markup(f"\1{n}\2") for n in range(4))
"""Placeholders in a page for its style and script; they are filled in when the needed style rules are known.

They contain control characters that no text of a game contains.
"""

SCRIPTED = Markup("document.documentElement.classList.add('with-script')")
"""A short script at the start of a page that marks the page as one where scripts run.

Drawings for readers without scripts are then not laid out at all.
"""


def finished(page: str, style: str, script: str, named: str) -> str:
    """Return a page with its script and the needed style rules inserted, in a form suitable for email.

    ``named`` are the words of the script that may be CSS class or id names (:func:`named_by`).
    """
    page = lean_html(page)
    needed = css_in_lines(needed_css(style, page, named))
    for place, text in ((STYLE_HASH, allowed(needed)), (SCRIPT_HASH, allowed(script))):
        page = page.replace(place, text, 1)
    page = travelling(page)
    # Style and script are already in short ASCII lines, and they are most of the page.
    for place, text in ((STYLE, needed), (SCRIPT, script)):
        page = page.replace(place, text, 1)
    return page


def named_by(style: str, script: str) -> str:
    """Return the words of a script that may be CSS class or id names, separated by spaces."""
    return " ".join(sorted(named_in(style) & words_in(script)))


DEADLINE = regex(r"<!-- deadline (.*?)@(.*?) -->")
"""Placeholder in a page or an email for the deadline and the words around it."""


def dated(page: str, said: str) -> str:
    """Return a page or HTML email with the deadline, as worded in ``said``, inserted at its placeholders.

    Only a game's host knows the deadline. If ``said`` is empty, the placeholders are removed.
    """
    return DEADLINE.sub(lambda found: f"{found[1]}{escape(said)}{found[2]}" if said else "", page)


def part_of_page(name: str, *, without: Collection[str] = ()) -> str:
    """Return a style sheet or script from the templates, without comments and indentation.

    ``without`` names sections of a style sheet to leave out; a section begins with a comment of exactly this text.
    """
    file = templates_folder() / name
    at = file.stat()
    return _part(file, (at.st_mtime_ns, at.st_size), tuple(without))


def built_script(name: str) -> str:
    """Return the script of a page, which esbuild bundles from ``templates/src`` into ``templates/built/NAME.js``."""
    return (templates_folder() / "built" / f"{name}.js").read_text(encoding="utf-8").strip()


@lru_cache(maxsize=128)
def _part(file: Path, _at: tuple[int, int], without: tuple[str, ...]) -> str:
    text = file.read_text(encoding="utf-8")
    for part in without:
        text, found, rest = text.partition(f"/* {part} */")
        assert found, part
        text += rest[rest.index("/*") :]
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


@lru_cache(maxsize=64)
def allowed(text: str) -> str:
    """Return the hash for a page's security policy that permits exactly this style sheet or script."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii") + "'"


@cached_text
def report_style() -> str:
    """Return the style sheet of the report page."""
    return squeezed_css(f"{part_of_page('report.css')}\n{part_of_page('print.css')}")


@cached_text
def ending_style() -> str:
    """Return the additional style rules for a page that shows how a game ended."""
    return squeezed_css(part_of_page("ending.css"))


@cached_text
def report_script() -> str:
    """Return the script of the report page."""
    return built_script("report")


@cached_text
def _named() -> str:
    return named_by(report_style() + ending_style(), report_script())


def sitrep_html(view: ReportView, draft: str = "", around: PageLinks | None = None) -> str:
    """Return the whole report of one reader as an HTML page; the same view always gives the same text.

    The page needs no network and no other files, and is readable without its script.

    Args:
        view: What the reader sees.
        draft: The draft of the orders that the reader owes; empty if they owe none.
        around: Links to other pages, if the page is part of a site.
    """
    style = report_style() + (ending_style() if view.ending else "")
    told = moments(view)
    page = (
        environment()
        .get_template("report.html.j2")
        .render(
            view=view,
            style=STYLE,
            style_hash=STYLE_HASH,
            script=SCRIPT,
            script_hash=SCRIPT_HASH,
            scripted=SCRIPTED,
            scripted_hash=Markup(allowed(SCRIPTED)),
            draft=draft,
            around=around,
            chart=chart(view),
            displays={ssd.unit: display(ssd) for ssd in view.ssds},
            tolls=toll_charts(view.tolls),
            moments=told,
            told_at={moment.anchor for moment in told},
            grid=grid(view.tracks),
            words=sentences,
            anchor=anchor,
            proof="\n".join(proof_lines(view.game, view.proof)) if view.proof else "",
            plays=view.plays,
            replay=WHOLE if view.over and (view.side or around) else "",
            record=bool(view.over and view.side and around is None),
            data=Markup(embedded(view)),
        )
    )
    return finished(page, style, report_script(), _named())
