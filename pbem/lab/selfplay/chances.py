"""Where a game that is over was decided: the chance to win as each turn began, by games captains play on from there.

It is an estimate of captains who know their trade no better than they do, and of what followed had both played like
them; the dice that fell count only through what they left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.counts import several
from pbem.data.scenarios import Scenario
from pbem.engine.events import Record, Requested
from pbem.engine.fold import apply
from pbem.engine.state import State
from pbem.lab.selfplay.match import Match, Played
from pbem.lab.selfplay.tally import Rate, outcome, wilson

MOST = 3
"""So many turns are named as those that decided a game."""


class Moment(NamedTuple):
    """The beginning of a turn, and how many of so many games each side won from there."""

    turn: int
    won: dict[str, int]
    games: int

    def rate(self, side: str) -> Rate:
        return wilson(self.won[side], self.games)


class Swing(NamedTuple):
    """A turn in which a side's chance changed, from and to, in games of a hundred."""

    turn: int
    side: str
    before: int
    after: int


def moments(
    records: Sequence[Record], setting: Scenario, *, key: str, level: str, games: int, seed: str = "chances"
) -> list[Moment]:
    """The chances of all sides as each turn of a game began. ``records`` are all that are in force, ``key`` is the
    scenario's; nothing of the game's own dice is used.
    """
    sides = {side.name: level for side in setting.sides if side.robot != "must"}
    found = []
    for turn, begun in _beginnings(records):
        match = Match(scenario=key, captains=sides, seed=f"{seed} {turn}", turns=turn + 15)
        won = dict.fromkeys(sides, 0)
        for number in range(games):
            played = Played(match, number, begun)
            while played.goes_on:
                played.step()
            for one in played.state.outcome:
                if one.side in won and outcome(one.result) == "won":
                    won[one.side] += 1
        found.append(Moment(turn, won, games))
    return found


def _beginnings(records: Sequence[Record]) -> list[tuple[int, Sequence[Record]]]:
    """The records up to the request that begins each turn."""
    found: dict[int, Sequence[Record]] = {}
    state = State()
    for place, record in enumerate(records, start=1):
        state = apply(state, record.event)
        if isinstance(record.event, Requested) and record.event.request.impulse == 0:
            found.setdefault(record.event.request.turn, records[:place])
    return list(found.items())


def swings(found: Sequence[Moment], results: dict[str, str]) -> list[Swing]:
    """The turns in which the chance of who won changed most (of all, where nobody did), the greatest change first.

    A change is left out where the intervals of before and after touch: so many games cannot tell it from chance. The
    last turn leads to how the game ended.
    """
    winners = [side for side, result in results.items() if outcome(result) == "won"]
    changes = []
    for place, moment in enumerate(found):
        for side in (side for side in moment.won if side in winners or not winners):
            before = moment.rate(side)
            if place + 1 < len(found):
                after = found[place + 1].rate(side)
            else:
                end = 1.0 if outcome(results.get(side, "")) == "won" else 0.0
                after = Rate(end, end, end)
            if before.high < after.low or after.high < before.low:
                changes.append(Swing(moment.turn, side, round(100 * before.part), round(100 * after.part)))
    changes.sort(key=lambda one: (-abs(one.after - one.before), one.turn, one.side))
    named: dict[int, Swing] = {}
    for change in changes:
        named.setdefault(change.turn, change)
    return list(named.values())[:MOST]


def told(found: Sequence[Moment], decided: Sequence[Swing]) -> list[str]:
    """The curve with its intervals, and the turns that decided it, in plain lines."""
    lines = [f"The chance to win as each turn began, by {several(found[0].games, 'game')} from there:"] if found else []
    for moment in found:
        parts = []
        for side in moment.won:
            rate = moment.rate(side)
            within = f"({100 * rate.low:.0f} to {100 * rate.high:.0f})"
            parts.append(f"{side} {100 * rate.part:3.0f} % {within:<11} {'#' * round(20 * rate.part):<20}")
        lines.append(f"  turn {moment.turn:>2}  " + "  ".join(parts).rstrip())
    lines += [f"  turn {one.turn} took {one.side} from {one.before} to {one.after} %" for one in decided]
    if found:
        lines.append("In brackets: the interval, right in 95 of 100 trials. Changes within it are not named.")
    return lines
