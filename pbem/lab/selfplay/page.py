"""The laboratory's page: the table, and plots of what scored, at which ranges, by which doctrines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pbem.lab.selfplay.match import Match, Tried
from pbem.lab.selfplay.tally import Bounds, legal, rows, summed, verdict
from pbem.reports.html.site import page_of_club


def lab_page(title: str, results: Iterable[tuple[str, Match, Sequence[Tried]]], bounds: Bounds | None = None) -> str:
    """One HTML page that needs nothing else. ``results`` are matches by the word that was varied (empty: none was)."""
    return page_of_club("lab.html.j2", "lab.css", title=title, matches=[_shown(*one, bounds) for one in results])


def _shown(name: str, match: Match, games: Sequence[Tried], bounds: Bounds | None) -> dict[str, Any]:
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
