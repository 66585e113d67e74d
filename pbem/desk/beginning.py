"""How a game begins, by its terms alone."""

from __future__ import annotations

from pbem.desk import roster
from pbem.desk.terms import Terms
from pbem.game.events import Record
from pbem.turn.setup import set_up


def opening(terms: Terms) -> list[Record]:
    """The records every game with these terms begins with."""
    played = set_up(
        roster.scenario_of(terms),
        terms.name,
        players={side: seat.player for side, seat in terms.sides.items()},
        options=terms.options,
        ships=terms.ships,
        extra=terms.units,
        facings=terms.facings,
        key=terms.scenario,
        grid=terms.grid,
    )
    return played.records
