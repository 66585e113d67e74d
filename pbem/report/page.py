"""The report page: one file that needs nothing else, the thing players open first."""

from __future__ import annotations

import base64
import hashlib
import re

import msgspec

from pbem.game.steps import TITLES
from pbem.report import words
from pbem.report.chart_map import chart
from pbem.report.templates import environment, templates_folder
from pbem.report.view import Point, Said, Track, View


class Part(msgspec.Struct, frozen=True):
    """One step of an impulse: its title, its moves told in short, and what else happened in it."""

    title: str
    moves: tuple[Said, ...]
    said: tuple[Said, ...]


class Moment(msgspec.Struct, frozen=True):
    """An impulse in which something happened; ``anchor`` is its link (``t2.i7``)."""

    impulse: int
    anchor: str
    fresh: bool
    parts: tuple[Part, ...]


class GridRow(msgspec.Struct, frozen=True):
    """A row of the movement table: the impulse and one point (or none) a track."""

    impulse: int
    cells: tuple[Point | None, ...]


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
                    TITLES.get(step, step),
                    tuple(said for said in inside if said.place == "move"),
                    tuple(said for said in inside if said.place != "move"),
                )
            )
        found.append(Moment(impulse, anchor(turn, impulse), any(s.fresh for s in these), tuple(parts)))
    return found


def grid(tracks: tuple[Track, ...]) -> list[GridRow]:
    """The movement table of the turn, impulse by unit; impulse 0 is where units began it."""
    by_track = [{point.impulse: point for point in track.points} for track in tracks]
    last = max((impulse for cells in by_track for impulse in cells), default=-1)
    return [GridRow(row, tuple(cells.get(row) for cells in by_track)) for row in range(last + 1)]


def embedded(view: View) -> str:
    """The view as JSON that can stand inside a script element: no ``<``, ``>`` or ``&`` in it."""
    text = msgspec.json.encode(view, order="deterministic").decode("utf-8")
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def stylesheet() -> str:
    """The page's style, without what only its authors need."""
    text = (templates_folder() / "report.css").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def style_hash(style: str) -> str:
    """The hash by which the page's security policy allows this style and no other."""
    return base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")


def sitrep_html(view: View) -> str:
    """The whole report as one page: no network, no script, nothing outside it. Same view, same text."""
    from markupsafe import Markup

    style = stylesheet()
    told = moments(view)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            view=view,
            style=Markup(style),
            style_hash=style_hash(style),
            chart=chart(view),
            moments=told,
            told_at={moment.anchor for moment in told},
            grid=grid(view.tracks),
            words=words,
            anchor=anchor,
            plays=view.side in {player.side for player in view.players},
            data=Markup(embedded(view)),
        )
    )
