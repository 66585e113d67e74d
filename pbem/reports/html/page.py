"""The report page: one file that needs nothing else, the thing players open first."""

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

from pbem.data.cache import kept_text
from pbem.engine.step_names import TITLES
from pbem.reports.html.compact import (
    css_in_lines,
    json_in_lines,
    lean_html,
    named_in,
    needed_css,
    squeezed_css,
    travelling,
    words_in,
)
from pbem.reports.html.lean_script import in_ascii, shortened_script
from pbem.reports.html.templates import environment, templates_folder
from pbem.reports.map.damage_chart import toll_charts
from pbem.reports.map.drawing import chart
from pbem.reports.map.ssd import display
from pbem.reports.text import sentences
from pbem.reports.text.sitrep import proof_lines
from pbem.reports.view.model import Point, Said, Track, View
from pbem.util import regex


class Part(msgspec.Struct, frozen=True):
    """One step of an impulse: its name and title, its moves told in short, and what else happened in it."""

    step: str
    title: str
    moves: tuple[Said, ...]
    said: tuple[Said, ...]


class Moment(msgspec.Struct, frozen=True):
    """An impulse in which something happened; ``anchor`` is its link (``t2.i7``), ``replay`` its link on the map."""

    turn: int
    impulse: int
    anchor: str
    replay: str
    fresh: bool
    parts: tuple[Part, ...]


class GridRow(msgspec.Struct, frozen=True):
    """A row of the movement table: the impulse and one point (or none) a track."""

    impulse: int
    cells: tuple[Point | None, ...]


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """Where a page of a site leads: to the game (``home``), the turns before and after, and the same turn as others see
    it (``other``, and ``otherwise`` what that is). ``running`` is false of turns that have been played to their end.
    """

    home: str
    before: str = ""
    after: str = ""
    other: str = ""
    otherwise: str = ""
    running: bool = False


WHOLE = "replay.html"
"""Where pages lead to the whole game: beside the last report, and on the site (:mod:`pbem.reports.html.whole_game`)."""


def anchor(turn: int, impulse: int) -> str:
    """The link of a moment: ``t2.i7``."""
    return f"t{turn}.i{impulse}"


def moments(view: View) -> list[Moment]:
    """The turn shown, impulse by impulse and step by step, without what has a table of its own."""
    found: list[Moment] = []
    told = [said for said in view.said if said.place in ("activity", "move") and said.kind != "turned"]
    by_moment: dict[tuple[int, int], list[Said]] = {}
    for said in told:
        by_moment.setdefault((said.turn, said.impulse), []).append(said)
    for (turn, impulse), these in by_moment.items():
        parts = []
        for step in dict.fromkeys(said.step for said in these):
            inside = [said for said in these if said.step == step]
            parts.append(
                Part(
                    step,
                    TITLES.get(step, step),
                    tuple(said for said in inside if said.place == "move"),
                    tuple(said for said in inside if said.place != "move"),
                )
            )
        fresh = any(said.fresh for said in these)
        found.append(Moment(turn, impulse, anchor(turn, impulse), f"t{turn}i{impulse}", fresh, tuple(parts)))
    return found


def grid(tracks: tuple[Track, ...]) -> list[GridRow]:
    """The movement table of the turn, impulse by unit; impulse 0 is where units began it."""
    by_track = [{point.impulse: point for point in track.points} for track in tracks]
    last = max((impulse for cells in by_track for impulse in cells), default=-1)
    return [GridRow(row, tuple(cells.get(row) for cells in by_track)) for row in range(last + 1)]


def embedded(view: View) -> str:
    """What the replay wants of a view, as JSON that can stand inside a script element: the frames, what their steps are
    called, and where planets are. What was said it reads off the page, which holds all the rest: pages travel by mail.
    """
    mine = next((unit.name for unit in view.units if unit.mine and not unit.gone), "")
    planets = {unit.name: unit.hex for unit in view.units if unit.kind == "planet"}
    steps = {frame.step: TITLES[frame.step] for frame in view.replay if frame.step in TITLES}
    data = {"shown": view.shown, "mine": mine, "planets": planets, "steps": steps, "replay": view.replay}
    return data_of_page(msgspec.json.encode(data, order="deterministic"))


def script_safe(text: str) -> str:
    """JSON that can stand inside a script element: no ``<``, ``>`` or ``&`` in it."""
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def data_of_page(encoded: bytes) -> str:
    """What a page's script reads: JSON inside a script element, as mail can carry it."""
    return json_in_lines(in_ascii(script_safe(encoded.decode("utf-8"))))


STYLE_HASH, STYLE, SCRIPT_HASH, SCRIPT = (Markup(f"\1{n}\2") for n in range(4))
"""Where a page's style and script are put in once it is known which rules it needs: what no game's text holds."""

SCRIPTED = Markup("document.documentElement.classList.add('with-script')")
"""The script with which a page begins: what is drawn for those without scripts alone is not laid out meanwhile."""


def finished(page: str, style: str, script: str, named: str) -> str:
    """A page with its script and with what it needs of a style, as mail can carry it. ``named`` are the words of the
    script that may name classes and ids (:func:`named_by`).
    """
    page = lean_html(page)
    needed = css_in_lines(needed_css(style, page, named))
    for place, text in ((STYLE_HASH, allowed(needed)), (SCRIPT_HASH, allowed(script))):
        page = page.replace(place, text, 1)
    page = travelling(page)
    # These two can travel as they are, and are most of the page.
    for place, text in ((STYLE, needed), (SCRIPT, script)):
        page = page.replace(place, text, 1)
    return page


def named_by(style: str, script: str) -> str:
    """The words of a script that may name classes and ids of a style."""
    return " ".join(sorted(named_in(style) & words_in(script)))


DEADLINE = regex(r"<!-- deadline (.*?)@(.*?) -->")
"""Where a page or a mail would say until when orders are wanted, and how it is said there."""


def dated(page: str, said: str) -> str:
    """A page or the HTML of a mail with the deadline in words wherever it has a place for it: for who plays with a
    host, who alone knows it. Without words the place is closed.
    """
    return DEADLINE.sub(lambda found: f"{found[1]}{escape(said)}{found[2]}" if said else "", page)


def part_of_page(name: str, *, without: Collection[str] = ()) -> str:
    """A style sheet or script among the templates, without what only its authors need, and of a style sheet ``without``
    the parts that begin with these remarks.
    """
    file = templates_folder() / name
    at = file.stat()
    return _part(file, (at.st_mtime_ns, at.st_size), tuple(without))


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
    """The hash by which the page's security policy allows this style or script and no other."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii") + "'"


@kept_text
def report_style() -> str:
    """The style of the report page."""
    return squeezed_css(f"{part_of_page('report.css')}\n{part_of_page('print.css')}")


@kept_text
def ending_style() -> str:
    """What the style of a page has besides that tells how a game ended."""
    return squeezed_css(part_of_page("ending.css"))


@kept_text
def report_script() -> str:
    """The script of the report page."""
    return shortened_script(f"{part_of_page('numbers.js')}\n{part_of_page('replay.js')}")


@kept_text
def _named() -> str:
    return named_by(report_style() + ending_style(), report_script())


def sitrep_html(view: View, draft: str = "", around: Around | None = None) -> str:
    """The whole report as one page: no network, nothing outside it, readable without its script. Same view, same text.

    ``draft`` is the draft of the orders the reader owes, if any; ``around`` are the links of a page of a site.
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
            plays=view.side in {player.side for player in view.players},
            replay=WHOLE if view.over and (view.side or around) else "",
            record=bool(view.over and view.side and around is None),
            data=Markup(embedded(view)),
        )
    )
    return finished(page, style, report_script(), _named())
