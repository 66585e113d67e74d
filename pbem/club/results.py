"""How a game ended, for whom: what ladders and tournaments count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

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
