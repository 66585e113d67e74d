"""The ladder of a club: what people have shown in the games that are over, by openskill's Plackett-Luce model.

It is worked out anew from all results, so nothing is kept that could be wrong; a result that the umpire changes counts
as it is now. Why openskill: it is kept, needs nothing else, and counts teams of any size and draws as they are.
Glicko-2 knows no teams and wants a season's games at once; the library ``glicko2`` 2.1.0 takes the rating where the
rule has the deviation, so that the same games change people otherwise who stand a thousand points further up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.club.results import Result
from pbem.errors import GameError
from pbem.libraries import fetching


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
