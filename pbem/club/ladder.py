"""The ladder of a club: a ranking of its people by rating.

The ratings are computed by openskill's Plackett-Luce model, from all finished games each time. They are never stored,
so they cannot be out of date, even if the umpire changes the result of a game. openskill is used because it is
maintained, has no dependencies, and supports draws and teams of any size. Glicko-2 was rejected: it has no teams, and
needs the games of a whole season at once. The library ``glicko2`` 2.1.0 also uses the rating in place of the
deviation, so its changes depend on the level.

The module also reads the results of games; tournaments use them too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pbem.engine.outcomes import worth
from pbem.engine.state import Outcome, State
from pbem.errors import Fault, GameError
from pbem.games.storage.opening import opened
from pbem.games.storage.players import by_computer, players
from pbem.mail.host.clocks import read_clock
from pbem.mail.people import People, read_people
from pbem.mail.settings import game_folders
from pbem.reports.html.public import name_of
from pbem.util import install_command

if TYPE_CHECKING:
    from pbem.reports.html.site import GameLine


class GameResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a finished game, as the ladder needs it.

    Attributes:
        game: Name of the game.
        teams: The people who fought together, the best team first. A person is given by their key in players.toml, or
            else by name.
        places: The place of each team, counted from 0; tied teams share a place.
        scenario: Key of the scenario.
        asked: When the last request for orders was sent, or ``None`` if this is unknown.
    """

    game: str
    teams: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]
    scenario: str = ""
    asked: datetime | None = None


def points(sides: Mapping[str, str], outcome: Iterable[Outcome]) -> dict[str, int]:
    """Return the tournament points of the two players of a game, by player.

    ``sides`` has the player of each side. Points are counted in half points: a win is 2, a draw 1, a defeat 0.
    """
    worths = {one.side: worth(one.result) for one in outcome}
    (one, mine), (second, theirs) = sides.items()
    lead = worths.get(one, 0) - worths.get(second, 0)
    return {mine: 1 + (lead > 0) - (lead < 0), theirs: 1 + (lead < 0) - (lead > 0)}


def results(club: Path) -> tuple[list[GameResult], list[Fault]]:
    """Return all finished games between people, and the faults of games that cannot be read.

    The games are sorted by the time of their last request for orders, which is roughly the order in which they ended.
    Games for which this time is unknown come first.

    Raises:
        GameError: The club itself cannot be read.
    """
    people = read_people(club)
    return _results(game_folders(club), lambda folder, side, player: called(player, people))


def results_on_site(club: Path, lines: Mapping[str, GameLine]) -> list[GameResult]:
    """Return the finished games of a club's site, with the names of people as the site shows them.

    Games that cannot be read are left out; the host reports them.

    Args:
        club: The folder of the club.
        lines: The index entries of the site's games, by folder.
    """
    shown = {name: dict(line.players) for name, line in lines.items() if line.over}
    folders = [club / "games" / name for name in sorted(shown)]
    return _results(folders, lambda folder, side, player: shown[folder.name].get(side, ""))[0]


def _results(folders: Iterable[Path], name: Callable[[Path, str, str], str]) -> tuple[list[GameResult], list[Fault]]:
    """Return the finished games in some folders, sorted by time, and the faults of unreadable games.

    ``name`` returns the name to use for the player of a side; its arguments are game folder, side and player.
    """
    found, faults = list[GameResult](), list[Fault]()
    for folder in folders:
        try:
            with opened(folder) as game:
                state, who = game.state(), players(folder, game.terms)
            asked = read_clock(folder).asked
        except GameError as error:
            faults += error.faults
            continue
        one = result_of(
            state, {side: name(folder, side, player) for side, player in who.items() if not by_computer(player)}
        )
        if one is not None:
            found.append(msgspec.structs.replace(one, game=folder.name, asked=asked))
    return sorted(found, key=lambda one: (one.asked is not None, one.asked or 0, one.game)), faults


def result_of(state: State, people: Mapping[str, str]) -> GameResult | None:
    """Return the result of a game for the people who played it; ``people`` has the person of each side.

    The result is ``None`` if the game is not over, or if no two teams of people fought each other.
    """
    if not state.over:
        return None
    worths = {one.side: worth(one.result) for one in state.outcome}
    teams: dict[str, dict[str, int]] = {}
    for side, person in people.items():
        if person and side in worths:
            members = teams.setdefault(state.team_of(side), {})
            members[person] = max(members.get(person, worths[side]), worths[side])
    seen = [person for members in teams.values() for person in members]
    if len(teams) < 2 or len(seen) != len(set(seen)):
        return None
    best = {team: max(members.values()) for team, members in teams.items()}
    ranked = sorted(teams, key=lambda team: (-best[team], team))
    places = {value: place for place, value in enumerate(sorted({*best.values()}, reverse=True))}
    return GameResult(
        game=state.game,
        scenario=state.scenario,
        teams=tuple(tuple(sorted(teams[team])) for team in ranked),
        places=tuple(places[best[team]] for team in ranked),
    )


def called(player: str, people: People) -> str:
    """Return the name of a player on the ladder: the key in players.toml, else the name, else the address."""
    person = people.find(player)
    return people.key_of(person) if person is not None else name_of(player) or player.strip().casefold()


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the rating ladder: a person with their rating.

    Attributes:
        place: The place on the ladder, from 1.
        person: The person, as in :attr:`GameResult.teams`.
        points: The ``skill`` minus three times the ``doubt``. The person's real skill is almost certainly higher. A new
            person has 0.
        skill: The estimated skill.
        doubt: The standard deviation of the estimate.
        games: Number of finished games.
        won: Number of games won.
        drawn: Number of games drawn.
        lost: Number of games lost.
        rank: Name of the rank that the points reach; empty if there is none.
    """

    place: int
    person: str
    points: float
    skill: float
    doubt: float
    games: int
    won: int
    drawn: int
    lost: int
    rank: str = ""


def ladder(results: Iterable[GameResult], ranks: Mapping[str, float] | None = None) -> list[Rung]:
    """Return a row for each person with a finished game, best first. Ratings are rounded to tenths.

    Args:
        results: The finished games, in the order in which they ended.
        ranks: Names of ranks with the points that each needs.

    Raises:
        GameError: openskill is not installed.
    """
    games = list(results)
    skills = rated(games)
    tally: Counter[tuple[str, int]] = Counter()
    for game in games:
        for team, place in zip(game.teams, game.places, strict=True):
            others = [one for one in game.places if one != place]
            ended = 0 if not others else 1 if place < min(others) else -1 if place > min(others) else 0
            tally.update((person, ended) for person in team)
    rungs = []
    for person, (skill, doubt) in skills.items():
        won, drawn, lost = (tally[person, ended] for ended in (1, 0, -1))
        points = round(skill - 3 * doubt, 1) + 0.0  # no -0.0
        rungs.append(
            Rung(
                place=0,
                person=person,
                points=points,
                skill=round(skill, 1),
                doubt=round(doubt, 1),
                games=won + drawn + lost,
                won=won,
                drawn=drawn,
                lost=lost,
                rank=rank_of(points, ranks or {}),
            )
        )
    rungs.sort(key=lambda one: (-one.points, -one.skill, one.person))
    places: dict[tuple[float, float], int] = {}
    return [
        msgspec.structs.replace(one, place=places.setdefault((one.points, one.skill), n))
        for n, one in enumerate(rungs, start=1)
    ]


def rank_of(points: float, ranks: Mapping[str, float]) -> str:
    """Return the name of the highest rank that a person reaches with these points; empty if there is none."""
    reached = [(least, name) for name, least in ranks.items() if points >= least]
    return max(reached)[1] if reached else ""


def rated(games: Sequence[GameResult]) -> dict[str, tuple[float, float]]:
    """Return each person's estimated skill and its standard deviation, computed from the games in order."""
    if not games:
        return {}
    model = _model()
    known: dict[str, Any] = {}
    for game in games:
        teams = [[known.setdefault(person, model.rating()) for person in team] for team in game.teams]
        rated = model.rate(teams, ranks=[float(place) for place in game.places])
        for team, after in zip(game.teams, rated, strict=True):
            known.update(zip(team, after, strict=True))
    return {person: (one.mu, one.sigma) for person, one in known.items()}


def _model() -> Any:
    try:
        from openskill.models import PlackettLuce  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        text = f"install openskill, which ratings need: {install_command('openskill', extra='club')}"
        raise GameError.saying("no-library", text) from error
    return PlackettLuce()
