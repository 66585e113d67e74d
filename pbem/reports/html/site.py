"""The pages of a game's site: an index of turns, and an index of games. A turn's own page is the report page.

A small picture of where units stand: of scenarios in the course, of games on a club's site. Marks in a view box,
drawn by ``templates/_small.svg.j2``.
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
from pbem.reports.view.model import Said, Unit, View
from pbem.rules.hexes import EVEN, lowered
from pbem.util import regex

_ACROSS, _DOWN = 45, 52
"""The middle of a column is so far from that of the next, that of a row from the row below, as maps are drawn."""
LEAST_WIDTH = 900
"""A picture is at least so wide: of one unit alone, too, it shows some map around."""


class Mark(msgspec.Struct, frozen=True):
    """A unit of the picture: its middle, the degrees it is turned, the place of its side, and what it is
    (``ship``, ``drone``, ``monster``, ``planet``, ``rock``).
    """

    x: int
    y: int
    turn: int
    place: int
    kind: str


class Small(msgspec.Struct, frozen=True, kw_only=True):
    """A picture: its marks, its view box, and how large marks are in it, in percent."""

    marks: tuple[Mark, ...]
    box: str
    size: int


def middle(hex: str, grid: str = EVEN) -> tuple[int, int]:
    """The middle of a hex in the picture."""
    column, row = int(hex[:2]), int(hex[2:])
    return column * _ACROSS, row * _DOWN + (_DOWN // 2 if lowered(column, grid) else 0)


def turned(facing: str) -> int:
    """Degrees by which a mark that faces so is turned."""
    return 60 * "ABCDEF".index(facing)


def framed(marks: Sequence[Mark]) -> Small:
    """The picture of these marks: wider than high, with all of them in it."""
    xs, ys = [mark.x for mark in marks], [mark.y for mark in marks]
    across, down = max(xs) - min(xs) + 4 * _ACROSS, max(ys) - min(ys) + 4 * _DOWN
    wide = max(LEAST_WIDTH, 5 * max(across, 2 * down) // 4)
    high = wide // 2
    left, top = (max(xs) + min(xs) - wide) // 2, (max(ys) + min(ys) - high) // 2
    return Small(marks=tuple(marks), box=f"{left} {top} {wide} {high}", size=max(100, wide // 6))


_KINDS = {"seeker": "drone", "shuttle": "drone", "monster": "monster", "ship": "ship"}


def of_view(view: View) -> Small | None:
    """Where everybody stands in a game, as its reader sees it; ``None`` of an empty map."""
    place = {player.side: player.place % 4 for player in view.players}
    marks = [Mark(*middle(hex, view.grid), 0, 0, "rock") for hex in view.asteroids]
    for unit in view.units:
        if unit.kind == "planet":
            marks += [Mark(*middle(hex, view.grid), 0, 0, "planet") for hex in unit.hexes]
        elif unit.hex and unit.facing and not unit.gone:
            at, turn = middle(unit.hex, view.grid), turned(unit.facing)
            marks.append(Mark(*at, turn, place.get(unit.side, 0), _KINDS[unit.kind]))
    return framed(marks) if marks else None


FORMAT = 1
_TITLE = regex(r"<title>([^<]*)</title>")


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn in the index: its files (``secrets`` is the page of all sides, once the game is over), and
    what happened.
    """

    number: int
    page: str
    text: str
    positions: str
    secrets: str = ""
    told: tuple[Said, ...] = ()
    damage: str = ""
    running: bool = False


class GameLine(msgspec.Struct, frozen=True, kw_only=True):
    """A game in the index of games: where its site lies, what it is, where it stands.

    ``played`` is the day it was last played on, where that is known; ``verdicts`` say of each side of a game that is
    over whether it ``won``, drew (``drawn``) or ``lost``; ``robots`` are the sides nobody plays.
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
    """What a player has in the public games of a club."""

    player: str
    playing: int
    won: int
    drawn: int
    lost: int


def careers(games: Iterable[GameLine]) -> list[Career]:
    """Everybody who plays or has played one of these games: who won most first, then who lost least, then by name."""
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
"""What an index tells of a turn one by one; damage is summed up."""


def turn_in_short(view: View) -> tuple[Said, ...]:
    """What a spectator hears of a turn first: what was lost, taken, decided."""
    return tuple(said for said in view.said if said.kind in TOLD and not said.private)


def damage_in_short(view: View) -> str:
    """``federation took 20 points, klingon 19``; empty where nobody was hit."""
    hits = [(toll.side, toll.taken) for toll in view.tolls if toll.turn == view.shown and toll.taken]
    return sentences.listed([f"{side} took {sentences.points(taken)}" for side, taken in hits])


def stands(view: View) -> str:
    """Where a game stands, in one sentence."""
    if view.over:
        ends = [sentences.because(f"{end.side} {end.result}", end.why) for end in view.outcome]
        return f"Over after turn {view.shown}: {'; '.join(ends) or 'no result'}."
    if view.owed is None:
        return f"Turn {view.turn}, impulse {view.impulse} of {view.impulses}."
    return f"Waits for orders of {sentences.listed(view.owed.sides)} for {view.owed.stretch}."


MANY = 4
"""Of more ships than this only their numbers are told."""


def came_to(state: State) -> str:
    """What became of the ships of a game, in one sentence."""
    ships = [unit for unit in state.units.values() if isinstance(unit, Ship) and not unit.immobile]
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
    view: View, title: str, turns: Sequence[Turn], files: Sequence[tuple[str, str]], home: str = "", whole: str = ""
) -> str:
    """The index of one game. ``files`` are the record's files and what each holds; ``home`` leads to all games,
    ``whole`` to the replay of all turns.
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
"""Room round the part of the map where anything is, and the least part drawn, in units of the map."""


def part_with_all(drawn: Chart) -> str:
    """The part of a drawn map where anything is or was, as the ``viewBox`` of an SVG drawing."""
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
    """The index of a club's games, those last played first, of its players, and of tournaments that have a page: their
    titles by name.
    """
    shown = sorted(games, key=lambda game: game.name)
    shown.sort(key=lambda game: game.played, reverse=True)
    return _page("games.html.j2", games=shown, players=careers(games), tournaments=tournaments or {}, club=club)


def tournament_page(
    title: str, stands: str, rows: Sequence[Sequence[str]], winner: str, rounds: Sequence[tuple[int, Sequence[str]]]
) -> str:
    """A tournament: where it stands, its table (the first of ``rows`` is the head), and its rounds, a line a game."""
    return _page("tournament.html.j2", title=title, stands=stands, rows=rows, winner=winner, rounds=rounds)


def title_of(page: str) -> str:
    """The title of a page of the site."""
    found = _TITLE.search(page)
    return unescape(found[1]) if found is not None else ""


def page_of_club(template: str, *more: str, **what: object) -> str:
    """A page in the style of the site that somebody else fills."""
    return _page(template, *more, **what)


def _page(template: str, *more: str, **what: object) -> str:
    """A page with the style of reports and sites, and ``more``."""
    style = "\n".join(part_of_page(name) for name in ("report.css", "site.css", *more))
    made = environment().get_template(template)
    return made.render(style=Markup(style), style_hash=Markup(allowed(style)), **what)


class Positions(msgspec.Struct, frozen=True, kw_only=True):
    """Where everybody stood when a turn ended, for programs."""

    format: int = FORMAT
    game: str
    scenario: str
    turn: int
    impulse: int
    map: tuple[str, str]
    grid: str
    units: tuple[dict[str, object], ...]
    asteroids: tuple[str, ...]


def positions(view: View) -> bytes:
    """A view's positions as JSON."""
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


def _unit(unit: Unit) -> dict[str, object]:
    """What everybody knows of a unit, without what is empty."""
    known = {name: getattr(unit, name) for name in ("name", "side", "kind", "type", "hex", "facing", "gone", "hexes")}
    known["target"] = unit.target
    known["shields"] = [now for now, _ in unit.shields]
    known["marks"] = unit.marks
    return {**{name: value for name, value in known.items() if value}, "speed": unit.speed}


def feed(view: View, turns: Sequence[Turn], url: str) -> str:
    """An RSS feed of the turns, newest first; ``url`` is where the site lies. Without dates: the log has no clock."""
    address = url.rstrip("/") + "/"
    return (
        environment()
        .get_template("feed.xml.j2")
        .render(view=view, turns=list(reversed(turns)), url=address, stands=stands(view))
    )
