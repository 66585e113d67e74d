"""Statistics of many self-play games: how often each commander won, and which weapons scored damage.

Shares have confidence intervals. The module also makes the HTML page of results, with plots of damage by weapon, by
range and by doctrine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log, sqrt
from typing import Any, NamedTuple

from pbem.lab.selfplay.match import Match, SelfPlayResult
from pbem.reports.html.site import page_of_club
from pbem.util import several

Z = 1.959964
"""Quantile of the normal distribution for 95 % confidence intervals (Wilson)."""


class Rate(NamedTuple):
    """A share, with Wilson's 95 % confidence interval.

    Attributes:
        part: The share, from 0 to 1.
        low: Lower end of the interval.
        high: Upper end of the interval.
    """

    part: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.part:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def wilson(count: int, total: int) -> Rate:
    """Return the share ``count`` / ``total`` with its 95 % confidence interval.

    The interval is 0 to 1 if ``total`` is 0.
    """
    if not total:
        return Rate(0.0, 0.0, 1.0)
    part, square = count / total, Z * Z
    middle = (part + square / (2 * total)) / (1 + square / total)
    half = Z * sqrt(part * (1 - part) / total + square / (4 * total * total)) / (1 + square / total)
    return Rate(part, max(0.0, middle - half), min(1.0, middle + half))


def outcome(result: str) -> str:
    """Return ``won``, ``drawn`` or ``lost`` for the result of a side in the scenario's words.

    A game that was stopped at the turn limit has no result; do not call this function for it.
    """
    if "victory" in result:
        return "won"
    return "lost" if "defeat" in result else "drawn"


class Bounds(NamedTuple):
    """The two hypotheses of a sequential test about the first commander's chance to win.

    The test accepts the wrong hypothesis in 5 of 100 cases.

    Attributes:
        low: The lower chance to win, from 0 to 1.
        high: The higher chance to win, from 0 to 1.
    """

    low: float
    high: float


ERROR = 0.05


def sequential(bounds: Bounds, match: Match, games: Sequence[SelfPlayResult]) -> tuple[str, int]:
    """Decide by Wald's sequential test whether the first commander's chance to win is ``low`` or ``high``.

    Games are taken in the order of their numbers. A game that the first commander did not win counts as lost.

    Returns:
        ``high``, ``low`` or ``""`` (undecided), and the number of games after which it was decided.
    """
    first, ratio = next(iter(match.captains.values())), 0.0
    won, missed = log(bounds.high / bounds.low), log((1 - bounds.high) / (1 - bounds.low))
    edge = log((1 - ERROR) / ERROR)
    for count, game in enumerate(sorted(games, key=lambda one: one.number), start=1):
        if count != game.number + 1:
            break  # a game before this one is still being played
        side = next(side for side, who in game.captains.items() if who == first)
        ratio += won if outcome(game.results.get(side, "")) == "won" else missed
        if abs(ratio) >= edge:
            return ("high" if ratio > 0 else "low"), count
    return "", len(games)


def verdict(bounds: Bounds | None, match: Match, games: Sequence[SelfPlayResult]) -> str:
    """Return the result of the sequential test as a sentence, or ``""`` if ``bounds`` is ``None``."""
    if bounds is None:
        return ""
    first = next(iter(match.captains.values()))
    decision, count = sequential(bounds, match, games)
    asked = f"{first} wins {100 * bounds.high:.0f} % rather than {100 * bounds.low:.0f} %"
    if not decision:
        return f"A sequential test cannot say yet whether {asked}."
    holds = "holds" if decision == "high" else "does not hold"
    return (
        f"A sequential test says after {several(count, 'game')}, with an error of 5 in 100, that this {holds}: {asked}."
    )


class CommanderRow(NamedTuple):
    """The results of one commander on one side, as a row of a table.

    Attributes:
        captain: The commander.
        side: The side; empty for all sides together.
        games: Number of games.
        won: Number of games won.
        drawn: Number of games drawn.
        lost: Number of games lost.
        called: Number of games stopped at the turn limit.
    """

    captain: str
    side: str
    games: int
    won: int
    drawn: int
    lost: int
    called: int

    @property
    def rate(self) -> Rate:
        """The share of games that the commander won, with its confidence interval."""
        return wilson(self.won, self.games)


def rows(match: Match, games: Sequence[SelfPlayResult]) -> list[CommanderRow]:
    """Return a row of results for each commander on each side.

    A commander who played several sides also gets a row for all of these sides together.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for game in games:
        for side, who in game.captains.items():
            came = "called" if game.end == "called" else outcome(game.results.get(side, ""))
            for place in ((who, side), (who, "")):
                counts.setdefault(place, Counter())[came] += 1
    found = []
    for who in dict.fromkeys(match.captains.values()):
        sides = [side for captain, side in counts if captain == who and side]
        for side in [*sides, *([""] if len(sides) > 1 else [])]:
            of = counts[who, side]
            found.append(CommanderRow(who, side, of.total(), of["won"], of["drawn"], of["lost"], of["called"]))
    return found


class Sum(NamedTuple):
    """Totals over all games of a match, except who won.

    Attributes:
        turns: Average number of turns of a game.
        damage: Points of damage scored by each commander, by kind of weapon.
        ranges: Points of damage scored by direct fire, by true range in hexes.
        luck: For each commander, the points scored by volleys and the points expected from the odds.
        plans: How often each commander chose each doctrine.
        refused: How many order lines commanders removed before handing in orders, by fault code.
        illegal: Number of faults in orders that were handed in.
        resigned: How often a commander found no legal orders.
    """

    turns: float
    damage: dict[str, dict[str, int]]
    ranges: dict[int, int]
    luck: dict[str, tuple[int, float]]
    plans: dict[str, dict[str, int]]
    refused: dict[str, int]
    illegal: int
    resigned: int


def summed(games: Sequence[SelfPlayResult]) -> Sum:
    """Return the totals over the games of a match."""
    damage: dict[str, Counter[str]] = {}
    ranges: Counter[int] = Counter()
    scored: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    plans: dict[str, Counter[str]] = {}
    refused: Counter[str] = Counter()
    for game in games:
        for side, kinds in game.damage.items():
            damage.setdefault(game.captains.get(side, side), Counter()).update(kinds)
        for side, chosen in game.plans.items():
            plans.setdefault(game.captains[side], Counter()).update(chosen)
        for side, points in game.scored.items():
            scored[game.captains.get(side, side)] += points
            expected[game.captains.get(side, side)] += game.expected[side]
        ranges.update(game.ranges)
        refused.update(game.refused)
    return Sum(
        turns=sum(game.turns for game in games) / max(1, len(games)),
        damage={who: dict(found.most_common()) for who, found in damage.items() if found},
        ranges=dict(sorted(ranges.items())),
        luck={who: (scored[who], expected[who] / 1000) for who in sorted(scored)},
        plans={who: dict(found.most_common()) for who, found in plans.items() if found},
        refused=dict(sorted(refused.items())),
        illegal=sum(len(game.illegal) for game in games),
        resigned=sum(len(game.resigned) for game in games),
    )


def result_lines(match: Match, title: str, games: Sequence[SelfPlayResult], bounds: Bounds | None = None) -> list[str]:
    """Return the results of a match as lines of text.

    ``title`` is the title of the scenario. With ``bounds``, the result of the sequential test is included.
    """
    summary = summed(games)
    swapped = ", sides swapped" if match.swap else ""
    lines = [f"#{match.scenario} {title}: {several(len(games), 'game')}{swapped}, {summary.turns:.1f} turns each"]
    for row in rows(match, games):
        place = f"as {row.side}" if row.side else "on both sides"
        lines.append(
            f"  {row.captain:<10} {place:<16} won {row.won:>5} of {row.games:>5}: {row.rate}"
            f"  drawn {row.drawn}, lost {row.lost}, called {row.called}"
        )
    for who, kinds in summary.damage.items():
        parts = ", ".join(f"{kind} {points / max(1, len(games)):.1f}" for kind, points in kinds.items())
        lines.append(f"  {who} scored by game: {parts}")
    for who, (points, mean) in summary.luck.items():
        lines.append(f"  {who} rolled {points} points where {mean:.1f} were expected ({points - mean:+.1f})")
    for who, chosen in summary.plans.items():
        lines.append(f"  {who} chose " + ", ".join(f"{name} {count}" for name, count in chosen.items()))
    lines.append(f"  {legal(summary)}")
    return [*lines, f"  {verdict(bounds, match, games)}"] if bounds is not None else lines


def legal(summary: Sum) -> str:
    """Return a sentence that says whether all orders of the commanders in a match were legal."""
    if summary.illegal or summary.resigned:
        orders = several(summary.illegal, "order was", "orders were")
        sentence = f"{orders} refused, {several(summary.resigned, 'computer player')} found nothing legal"
    else:
        sentence = "no order was refused"
    if taken_out := sum(summary.refused.values()):
        lines = several(taken_out, "line that was", "lines that were")
        sentence += f"; computer players took {lines} not legal out of their orders before they sent them"
    return sentence


def figures(name: str, match: Match, games: Sequence[SelfPlayResult]) -> dict[str, Any]:
    """Return the results of a match as plain data; ``name`` is the value of the setting that was varied."""
    found = summed(games)
    return {
        "name": name,
        "match": match,
        "games": len(games),
        "rows": [{**row._asdict(), "rate": row.rate._asdict()} for row in rows(match, games)],
        **found._asdict(),
        "ranges": {str(range): points for range, points in found.ranges.items()},
    }


def lab_page(
    title: str, results: Iterable[tuple[str, Match, Sequence[SelfPlayResult]]], bounds: Bounds | None = None
) -> str:
    """Return an HTML page of self-play results that needs no other files.

    ``results`` has an entry for each value of the setting that was varied: the value (``""`` if none was varied), the
    match, and its games.
    """
    return page_of_club("lab.html.j2", "lab.css", title=title, matches=[_shown(*one, bounds) for one in results])


def _shown(name: str, match: Match, games: Sequence[SelfPlayResult], bounds: Bounds | None) -> dict[str, Any]:
    found = summed(games)
    return {
        "name": name,
        "scenario": match.scenario,
        "swap": match.swap,
        "games": max(1, len(games)),
        "rows": rows(match, games),
        "sum": found,
        "verdict": verdict(bounds, match, games),
        "legal": f"{legal(found).capitalize()}.",
        "most_points": max((points for kinds in found.damage.values() for points in kinds.values()), default=1),
        "most_at": max(found.ranges.values(), default=1),
        "most_plans": max((count for plans in found.plans.values() for count in plans.values()), default=1),
    }
