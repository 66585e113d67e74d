"""The pages of a web site for spectators: indexes of turns and of games, players, and tournaments.

The module also writes the RSS feed, the positions as JSON, and small position pictures, which
``templates/_small.svg.j2`` draws. The page of a single turn is the report page (:mod:`pbem.reports.html.page`).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape, unescape

import msgspec
from markupsafe import Markup

from pbem.engine.state import Ship, State
from pbem.reports.html.page import allowed, part_of_page
from pbem.reports.html.templates import environment
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

    The mark has the coordinates of its center, its rotation in degrees, the index of its side, and its kind
    (``ship``, ``drone``, ``monster``, ``planet``, ``rock``).
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
    """Return a small picture of all units that the reader sees, or ``None`` if the map is empty."""
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

    ``secrets`` is the name of the page that shows the knowledge of all sides; it exists only after the game is over.
    """

    number: int
    page: str
    text: str
    positions: str
    secrets: str = ""
    told: tuple[EventSentence, ...] = ()
    damage: str = ""
    running: bool = False


class SiteLink(msgspec.Struct, frozen=True):
    """A link to another page of a site: its title, and its address as seen from the site's folder."""

    title: str
    address: str


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """Links from the page of a game to other pages of a club's site.

    ``home`` is the path from the game's folder to the site's folder, such as ``../``; it is empty for a site of one
    game. ``links`` are links to the game's tournaments and the ladder.
    """

    home: str = ""
    links: tuple[SiteLink, ...] = ()


ALONE = Around()


class GameLine(msgspec.Struct, frozen=True, kw_only=True):
    """One game in the index page of all games: the folder of its site, its title, players and status.

    ``stands`` is the status in one sentence, and ``came_to`` a sentence on what became of the ships. ``played`` is the
    day of the last play, if it is known. ``verdicts`` maps each side of a finished game to ``won``, ``drawn`` or
    ``lost``. ``robots`` are the sides without a player. ``around`` has the links from the game's page to other pages.
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
    around: Around = ALONE


class Career(msgspec.Struct, frozen=True, kw_only=True):
    """One player's record in the public games of a club: the numbers of games won, drawn and lost."""

    player: str
    playing: int
    won: int
    drawn: int
    lost: int

    def is_on(self, game: GameLine, side: str) -> bool:
        """Return whether the player plays a side of a game."""
        return (side, self.player) in game.players and side not in game.robots


def careers(games: Iterable[GameLine]) -> list[Career]:
    """Return the records of all players of the given games.

    The players with most games won come first, then those with fewest lost, then those with most drawn. Players with
    equal records are sorted by name.
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

    The result is empty if nobody was hit.
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


PLAYERS = "players"
"""Name of the folder of a site with a page for each player."""
LADDER = "ladder.html"
"""File name of the ladder in the folder of a site."""


def player_key(name: str) -> str:
    """Return the id of a player's page: letters of the player's name, and a hash of the whole name."""
    letters = "".join(char for char in name.casefold() if char.isascii() and char.isalnum())[:20]
    return f"{letters or 'player'}-{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:6]}"


def player_file(name: str) -> str:
    """Return the address of a player's page, as seen from the site's folder."""
    return f"{PLAYERS}/{player_key(name)}.html"


def games_page(
    games: Sequence[GameLine], tournaments: Mapping[str, str] | None = None, club: str = "", *, ladder: bool = False,
    mine: str = "",
) -> str:  # fmt: skip
    """Return the index page of a club as HTML: games (the latest played first), players and tournaments.

    Args:
        games: The index entries of the games.
        tournaments: The titles of those tournaments that have a page, by name of the tournament.
        club: The name of the club.
        ladder: Whether the site has a page with the ladder.
        mine: Link to the reader's own games; empty if there is none.
    """
    return _page(
        "games.html.j2",
        mine=mine,
        games=_latest_first(games),
        players=careers(games),
        tournaments=tournaments or {},
        club=club,
        ladder=LADDER if ladder else "",
        player_file=player_file,
    )


def _latest_first(games: Iterable[GameLine]) -> list[GameLine]:
    shown = sorted(games, key=lambda game: game.name)
    return sorted(shown, key=lambda game: game.played, reverse=True)


def player_page(one: Career, games: Iterable[GameLine], ladder: str = "") -> str:
    """Return the page of a player as HTML: the player's record, games and tournaments.

    Args:
        one: The player's record.
        games: The index entries of all games of the site.
        ladder: Link to the player's row of the ladder as seen from the site's folder, or empty.
    """
    mine = [game for game in games if any(one.is_on(game, side) for side, _ in game.players)]
    links = dict.fromkeys(link for game in mine for link in game.around.links if link.address != LADDER)
    return _page(
        "player.html.j2",
        one=one,
        games=_latest_first(mine),
        tournaments=list(links),
        ladder=ladder,
        player_file=player_file,
    )


TextLine = Sequence[tuple[str, str]]
"""Type of a line of a tournament's page: texts, each with what it names: ``game``, ``player``, or nothing."""


def tournament_page(
    title: str,
    stands: str,
    rows: Sequence[Sequence[str]],
    winner: str,
    rounds: Sequence[tuple[int, Sequence[TextLine]]],
) -> str:
    """Return the page of a tournament as HTML.

    Links to games and players have no target yet; the caller fills it in.

    Args:
        title: The title of the tournament.
        stands: The status of the tournament in one sentence.
        rows: The table of results; the first row is the header, and the second cell of a row is a player.
        winner: The winner, or empty.
        rounds: For each round, its number and a line for each game.
    """
    return _page("tournament.html.j2", title=title, stands=stands, rows=rows, winner=winner, rounds=rounds)


def links_around(links: Iterable[SiteLink], home: str) -> str:
    """Return links to pages of the site as HTML; ``home`` is the path to the site's folder, such as ``../``."""
    items = [f'<li><a href="{escape(home + link.address)}">{escape(link.title)}</a></li>' for link in links]
    return f'<nav class="around" aria-label="Around"><ul>{"".join(items)}</ul></nav>' if items else ""


class LadderRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the ladder: place, player, rank, points, and the numbers of games won, drawn and lost."""

    place: int
    player: str
    rank: str
    points: float
    won: int
    drawn: int
    lost: int


def ladder_page(rows: Sequence[LadderRow], club: str = "") -> str:
    """Return the page of a club's ladder as HTML.

    Links to players have no target yet; the caller fills it in.
    """
    return _page("ladder.html.j2", rows=rows, club=club, player_key=player_key)


def title_of(page: str) -> str:
    """Return the title of an HTML page that belongs to the site."""
    found = _TITLE.search(page)
    return unescape(found[1]) if found is not None else ""


def page_of_club(template: str, *more: str, **what: object) -> str:
    """Return a page in the style of the site, made from ``template`` with the variables in ``what``.

    ``more`` names further style sheets.
    """
    return _page(template, *more, **what)


def _page(template: str, *more: str, **what: object) -> str:
    """Return a page made from a template.

    The page has the style sheets of reports and of sites, and the style sheets named in ``more``.
    """
    style = "\n".join(part_of_page(name) for name in ("report.css", "site.css", *more))
    made = environment().get_template(template)
    return made.render(style=Markup(style), style_hash=Markup(allowed(style)), **what)


class Positions(msgspec.Struct, frozen=True, kw_only=True):
    """The positions of all units at the end of a turn, as data for other programs."""

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
    """Return the positions of the units in a view as JSON, for other programs."""
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
