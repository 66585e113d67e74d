"""The pages of a site for spectators: the index of a game's turns, the index of a club's games, and tournaments.

The module also writes the RSS feed, the positions as JSON, and small position pictures, which
``templates/_small.svg.j2`` draws. The page of a single turn is the report page (:mod:`pbem.reports.html.page`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import unescape

import msgspec
from markupsafe import Markup

from pbem.engine.state import Ship, State
from pbem.reports.html.page import allowed, part_of_page
from pbem.reports.html.templates import environment
from pbem.reports.map.damage_chart import toll_charts
from pbem.reports.map.drawing import Chart, chart
from pbem.reports.text import sentences
from pbem.reports.view.model import EventSentence, ReportView, UnitStatus
from pbem.rules.hexes import EVEN, lowered
from pbem.util import regex

_ACROSS, _DOWN = 45, 52
"""Distances between the centres of neighbouring columns and of neighbouring rows, in drawing units as on maps."""
LEAST_WIDTH = 900
"""Minimum width of a small picture in drawing units, so that some map is visible even around a single unit."""


class MapMark(msgspec.Struct, frozen=True):
    """A unit drawn in a small picture of the positions.

    It has the coordinates of its centre, its rotation in degrees, the index of its side, and its kind (``ship``,
    ``drone``, ``monster``, ``planet``, ``rock``).
    """

    x: int
    y: int
    turn: int
    place: int
    kind: str


class Small(msgspec.Struct, frozen=True, kw_only=True):
    """A small picture of the positions: its marks, its SVG view box, and the size of the marks in percent."""

    marks: tuple[MapMark, ...]
    box: str
    size: int


def middle(hex: str, grid: str = EVEN) -> tuple[int, int]:
    """Return the coordinates of the centre of a hex in a small picture."""
    column, row = int(hex[:2]), int(hex[2:])
    return column * _ACROSS, row * _DOWN + (_DOWN // 2 if lowered(column, grid) else 0)


def turned(facing: str) -> int:
    """Return the rotation in degrees at which to draw a mark with this facing."""
    return 60 * "ABCDEF".index(facing)


def framed(marks: Sequence[MapMark]) -> Small:
    """Return a small picture that is twice as wide as high and large enough for all the given marks."""
    xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
    across, down = max(xs) - min(xs) + 4 * _ACROSS, max(ys) - min(ys) + 4 * _DOWN
    wide = max(LEAST_WIDTH, 5 * max(across, 2 * down) // 4)
    high = wide // 2
    left, top = (max(xs) + min(xs) - wide) // 2, (max(ys) + min(ys) - high) // 2
    return Small(marks=tuple(marks), box=f"{left} {top} {wide} {high}", size=max(100, wide // 6))


_KINDS = {"seeker": "drone", "shuttle": "drone", "monster": "monster", "ship": "ship"}


def of_view(view: ReportView) -> Small | None:
    """Return a small picture of all positions that the reader sees, or ``None`` if the map is empty."""
    place = {player.side: player.place % 4 for player in view.players}
    marks = [MapMark(*middle(hex, view.grid), 0, 0, "rock") for hex in view.asteroids]
    for unit in view.units:
        if unit.kind == "planet":
            marks += [MapMark(*middle(hex, view.grid), 0, 0, "planet") for hex in unit.hexes]
        elif unit.hex and unit.facing and not unit.gone:
            at, turn = middle(unit.hex, view.grid), turned(unit.facing)
            marks.append(MapMark(*at, turn, place.get(unit.side, 0), _KINDS[unit.kind]))
    return framed(marks) if marks else None


FORMAT = 1
_TITLE = regex(r"<title>([^<]*)</title>")


class TurnEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One turn in the index page of a game: the names of its files, and what happened in it.

    ``secrets`` is the page that shows all sides; it exists only after the game is over.
    """

    number: int
    page: str
    text: str
    positions: str
    secrets: str = ""
    told: tuple[EventSentence, ...] = ()
    damage: str = ""
    running: bool = False


class GameLine(msgspec.Struct, frozen=True, kw_only=True):
    """One game in the index page of all games: the folder of its site, its title, players and status.

    ``played`` is the day of the last play, if it is known. ``verdicts`` maps each side of a finished game to
    ``won``, ``drawn`` or ``lost``. ``robots`` are the sides that nobody plays.
    """

    name: str
    folder: str
    title: str
    players: tuple[tuple[str, str], ...]
    stands: str
    over: bool
    replay: bool = False
    scenario: str = ""
    played: str = ""
    came_to: str = ""
    verdicts: dict[str, str] = {}
    robots: tuple[str, ...] = ()
    small: Small | None = None


class Career(msgspec.Struct, frozen=True, kw_only=True):
    """The record of one player in the public games of a club: numbers of games won, drawn and lost."""

    player: str
    playing: int
    won: int
    drawn: int
    lost: int


def careers(games: Iterable[GameLine]) -> list[Career]:
    """Return the records of all players of the given games.

    They are sorted by most games won, then fewest lost, then most drawn, then by name.
    """
    tally: Counter[tuple[str, str]] = Counter()
    for game in games:
        for side, player in game.players:
            if player and side not in game.robots:
                tally[player, game.verdicts.get(side, "playing") if game.over else "playing"] += 1
    found = [
        Career(player=name, **{what: tally[name, what] for what in ("playing", "won", "drawn", "lost")})
        for name in {name for name, _ in tally}
    ]
    return sorted(found, key=lambda one: (-one.won, one.lost, -one.drawn, one.player))


TOLD = (
    "destroyed",
    "removed",
    "captured",
    "mutinied",
    "game_ended",
    "boarding_fought",
    "collided",
    "undone",
    "adjusted",
)
"""Event types that the index of a game lists one by one for each turn; damage is only summed up."""


def turn_in_short(view: ReportView) -> tuple[EventSentence, ...]:
    """Return sentences on the main public events of a turn: losses, captures, decisions."""
    return tuple(said for said in view.said if said.kind in TOLD and not said.private)


def damage_in_short(view: ReportView) -> str:
    """Return a sentence on the damage of a turn: ``federation took 20 points, klingon 19``.

    It is empty if nobody was hit.
    """
    hits = [(toll.side, toll.taken) for toll in view.tolls if toll.turn == view.shown and toll.taken]
    return sentences.listed([f"{side} took {sentences.points(taken)}" for side, taken in hits])


def stands(view: ReportView) -> str:
    """Return the status of a game in one sentence, for the index of games."""
    if view.over:
        ends = [sentences.because(f"{end.side} {end.result}", end.why) for end in view.outcome]
        return f"Over after turn {view.shown}: {'; '.join(ends) or 'no result'}."
    if view.owed is None:
        return f"Turn {view.turn}, impulse {view.impulse} of {view.impulses}."
    return f"Waits for orders of {sentences.listed(view.owed.sides)} for {view.owed.stretch}."


MANY = 4
"""Number of ships above which only their number is given, not their names."""


def came_to(state: State) -> str:
    """Return in one sentence what became of the ships of a game."""
    ships = [unit for unit in state.units.values() if isinstance(unit, Ship) and not unit.terms.immobile]
    if len(ships) > MANY:
        lost = sum(bool(ship.gone) for ship in ships)
        return f"{sentences.several(len(ships), 'ship')}, {lost} of them out of play."
    told = []
    for ship in sorted(ships, key=lambda ship: (list(state.sides).index(ship.side), ship.name)):
        left = f", {sentences.several(sum(ship.shields), 'shield box', 'shield boxes')} left" if not ship.gone else ""
        inside = f", {sentences.several(ship.internals, 'hit')} inside" if ship.internals else ""
        told.append(f"{ship.name} {ship.gone or 'in play'}{left}{inside}")
    return f"{'; '.join(told)}." if told else ""


def game_page(
    view: ReportView,
    title: str,
    turns: Sequence[TurnEntry],
    files: Sequence[tuple[str, str]],
    home: str = "",
    whole: str = "",
) -> str:
    """Return the index page of one game as HTML.

    Args:
        view: The game as a spectator sees it.
        title: The title of the page.
        turns: The turns that have a page.
        files: Names and descriptions of the files of the game record.
        home: Link to the index of all games, or empty.
        whole: Link to the replay of all turns, or empty.
    """
    drawn = chart(view)
    return _page(
        "site.html.j2",
        *(["ending.css"] if view.ending else []),
        view=view,
        box=part_with_all(drawn),
        title=title,
        turns=turns,
        files=files,
        home=home,
        replay=whole,
        record=False,
        stands=stands(view),
        chart=drawn,
        tolls=toll_charts(view.tolls),
        words=sentences,
    )


EDGE, LEAST = 110, (900, 480)
"""Margin around the part of a map in use, and the minimum size (width, height) of the part shown.

Both are in drawing units.
"""


def part_with_all(drawn: Chart) -> str:
    """Return the ``viewBox`` for an SVG drawing of a map that shows all units and tracks but not more than needed."""
    beads = [bead for way in drawn.ways for bead in (way.first, *way.beads)]
    spots = [(counter.x, counter.y) for counter in (*drawn.counters, *drawn.wrecks)]
    spots += [(bead.x, bead.y) for bead in beads] + [(rock.x, rock.y) for rock in drawn.rocks]
    spots += [(x, y) for planet in drawn.planets for x, y, _ in planet.discs]
    if not spots:
        return f"0 0 {drawn.width} {drawn.height}"
    parts = []
    for values, least, most in zip(zip(*spots, strict=True), LEAST, (drawn.width, drawn.height), strict=True):
        size = min(most, max(least, max(values) - min(values) + 2 * EDGE))
        parts.append((max(0, min(most - size, (min(values) + max(values) - size) // 2)), size))
    (left, wide), (top, high) = parts
    return f"{left} {top} {wide} {high}"


def games_page(games: Sequence[GameLine], tournaments: Mapping[str, str] | None = None, club: str = "") -> str:
    """Return the index page of a club as HTML: games (the latest played first), players and tournaments.

    ``tournaments`` maps the names of tournaments that have a page to their titles.
    """
    shown = sorted(games, key=lambda game: game.name)
    shown.sort(key=lambda game: game.played, reverse=True)
    return _page("games.html.j2", games=shown, players=careers(games), tournaments=tournaments or {}, club=club)


def tournament_page(
    title: str, stands: str, rows: Sequence[Sequence[str]], winner: str, rounds: Sequence[tuple[int, Sequence[str]]]
) -> str:
    """Return the page of a tournament as HTML.

    Args:
        title: The title of the tournament.
        stands: The status of the tournament in one sentence.
        rows: The table of results; the first row is the header.
        winner: The winner, or empty.
        rounds: For each round its number and its lines, one for each game.
    """
    return _page("tournament.html.j2", title=title, stands=stands, rows=rows, winner=winner, rounds=rounds)


def title_of(page: str) -> str:
    """Return the title of an HTML page that belongs to the site."""
    found = _TITLE.search(page)
    return unescape(found[1]) if found is not None else ""


def page_of_club(template: str, *more: str, **what: object) -> str:
    """Return a page in the style of the site, made from the template ``template`` and the variables in ``what``.

    ``more`` names further style sheets.
    """
    return _page(template, *more, **what)


def _page(template: str, *more: str, **what: object) -> str:
    """Return a page made from a template, with the style sheets of reports and sites, and those in ``more``."""
    style = "\n".join(part_of_page(name) for name in ("report.css", "site.css", *more))
    made = environment().get_template(template)
    return made.render(style=Markup(style), style_hash=Markup(allowed(style)), **what)


class Positions(msgspec.Struct, frozen=True, kw_only=True):
    """The positions at the end of a turn, as data for other programs."""

    format: int = FORMAT
    game: str
    scenario: str
    turn: int
    impulse: int
    map: tuple[str, str]
    grid: str
    units: tuple[dict[str, object], ...]
    asteroids: tuple[str, ...]


def positions(view: ReportView) -> bytes:
    """Return the positions in a view as JSON, for other programs."""
    found = Positions(
        game=view.game,
        scenario=view.scenario,
        turn=view.shown,
        impulse=view.impulse if view.turn == view.shown else view.impulses,
        map=view.map,
        grid=view.grid,
        units=tuple(_unit(unit) for unit in view.units),
        asteroids=view.asteroids,
    )
    return msgspec.json.format(msgspec.json.encode(found, order="deterministic"), indent=1) + b"\n"


def _unit(unit: UnitStatus) -> dict[str, object]:
    """Return the public data of a unit as a dict, without empty values."""
    known = {name: getattr(unit, name) for name in ("name", "side", "kind", "type", "hex", "facing", "gone", "hexes")}
    known["target"] = unit.target
    known["shields"] = [now for now, _ in unit.shields]
    known["marks"] = unit.marks
    return {**{name: value for name, value in known.items() if value}, "speed": unit.speed}


def feed(view: ReportView, turns: Sequence[TurnEntry], url: str) -> str:
    """Return an RSS feed with one entry per turn, newest first; ``url`` is the address of the site.

    The entries have no dates, because the log holds no clock times.
    """
    address = url.rstrip("/") + "/"
    return (
        environment()
        .get_template("feed.xml.j2")
        .render(view=view, turns=list(reversed(turns)), url=address, stands=stands(view))
    )
