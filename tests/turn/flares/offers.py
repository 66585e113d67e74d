"""What could be ordered of flares."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.state import AnyUnit, Request, Ship, State
from pbem.offers.acts import Act, foes
from pbem.offers.fields import Json, numbered
from pbem.orders.writer import name_text
from pbem.rules.energy_terms import ShipFacts
from pbem.values.words import FormKind
from tests.turn.flares import law


def acts(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """At every enemy."""
    for other in others:
        if state.enemies(ship.side, other.side):
            yield Act("Flares", f"FLARE {name_text(other.name)}", other.name)


def fields(state: State, facts: ShipFacts, ship: Ship) -> Iterator[Json | None]:
    """The entry of the energy form."""
    yield numbered(facts, "FLARE", "Flares", "no flares (X1.1)", law.MOST)


def entries(state: State, ship: Ship) -> Iterator[tuple[str, str]]:
    """What the draft of an energy form says."""
    yield f"FLARE {law.MOST}", "(X1.1)"


def orders(state: State, request: Request, ship: Ship) -> Iterator[tuple[str, str]]:
    """What the draft of orders says, once there is energy."""
    if request.form == FormKind.SOP and ship.powered.get("flares"):
        for foe in foes(state, ship.side)[:1]:
            yield f"FLARE {name_text(foe.name)}", f"as soon as it is within {law.REACH} hexes (X1.3)"
