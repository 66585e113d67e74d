"""Settings of new tournaments, written briefly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.club.tournament import FORMAT, Kind, TournamentPlan


def plan(kind: Kind, people: Sequence[str], scenarios: Sequence[str], **settings: Any) -> TournamentPlan:
    """Return the settings of a tournament of these people."""
    return TournamentPlan(format=FORMAT, kind=kind, people=tuple(people), scenarios=tuple(scenarios), **settings)
