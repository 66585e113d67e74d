"""The ladder of a club: what people have shown in the games that are over, by openskill's Plackett-Luce model.

It is worked out anew from all results, so nothing is kept that could be wrong; a result that the umpire changes counts
as it is now. Why openskill: it is kept, needs nothing else, and counts teams of any size and draws as they are.
Glicko-2 knows no teams and wants a season's games at once; the library ``glicko2`` 2.1.0 takes the rating where the
rule has the deviation, so that the same games change people otherwise who stand a thousand points further up.

How a game ended, for whom: what ladders and tournaments count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

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
from pbem.util import fetching


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A game that is over: who fought together (their keys in players.toml, or their names), the best first, and the
    place of each team, from 0; those level have the same. ``asked`` is when its last orders were asked for.
    """

    game: str
    teams: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]
    scenario: str = ""
    asked: datetime | None = None


def points(sides: Mapping[str, str], outcome: Iterable[Outcome]) -> dict[str, int]:
    """What two people have of a game between them, in halves, by the results of their sides."""
    worths = {one.side: worth(one.result) for one in outcome}
    (one, mine), (two, theirs) = sides.items()
    lead = worths.get(one, 0) - worths.get(two, 0)
    return {mine: 1 + (lead > 0) - (lead < 0), theirs: 1 + (lead < 0) - (lead > 0)}


def results(club: Path) -> tuple[list[Result], list[Fault]]:
    """All games of a club that are over and were fought between people, in the order in which they ended, so far as
    that is known: in that in which their last orders were asked for; and what is wrong with games that cannot be read.
    Raises :class:`GameError` where the club itself cannot be.
    """
    people = read_people(club)
    found, faults = list[Result](), list[Fault]()
    for folder in game_folders(club):
        try:
            with opened(folder) as game:
                state, who = game.state(), players(folder, game.terms)
            asked = read_clock(folder).asked
        except GameError as error:
            faults += error.faults
            continue
        one = result_of(
            state, {side: called(player, people) for side, player in who.items() if not by_computer(player)}
        )
        if one is not None:
            found.append(msgspec.structs.replace(one, game=folder.name, asked=asked))
    return sorted(found, key=lambda one: (one.asked is not None, one.asked or 0, one.game)), faults


def result_of(state: State, who: Mapping[str, str]) -> Result | None:
    """How a game ended between the people who have its sides; ``None`` where it did not, or nobody fought anybody."""
    if not state.over:
        return None
    worths = {one.side: worth(one.result) for one in state.outcome}
    teams: dict[str, dict[str, int]] = {}
    for side, person in who.items():
        if person and side in worths:
            theirs = teams.setdefault(state.team_of(side), {})
            theirs[person] = max(theirs.get(person, worths[side]), worths[side])
    seen = [person for theirs in teams.values() for person in theirs]
    if len(teams) < 2 or len(seen) != len(set(seen)):
        return None
    best = {team: max(theirs.values()) for team, theirs in teams.items()}
    ranked = sorted(teams, key=lambda team: (-best[team], team))
    places = {value: place for place, value in enumerate(sorted({*best.values()}, reverse=True))}
    return Result(
        game=state.game,
        scenario=state.scenario,
        teams=tuple(tuple(sorted(teams[team])) for team in ranked),
        places=tuple(places[best[team]] for team in ranked),
    )


def called(player: str, people: People) -> str:
    """By what somebody is counted: his key in players.toml, else his name, else his address."""
    person = people.find(player)
    return people.key_of(person) if person is not None else name_of(player) or player.strip().casefold()


class Rung(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a ladder. ``points`` are what somebody has shown for sure: his ``skill`` less three times the
    ``doubt``; who has not played yet has 0.
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


def ladder(results: Iterable[Result], ranks: Mapping[str, float] | None = None) -> list[Rung]:
    """Everybody who has finished a game, the best first, rounded to tenths. ``ranks`` are names with the points from
    which on somebody has them. Raises :class:`GameError` where openskill is not installed.
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
    """The highest rank whose points somebody has; empty where there is none."""
    reached = [(least, name) for name, least in ranks.items() if points >= least]
    return max(reached)[1] if reached else ""


def rated(games: Sequence[Result]) -> dict[str, tuple[float, float]]:
    """Skill and doubt of everybody, by the games in their order."""
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
        text = f"ratings need openskill, which is not installed: {fetching('openskill', extra='club')}"
        raise GameError.saying("no-library", text) from error
    return PlackettLuce()
