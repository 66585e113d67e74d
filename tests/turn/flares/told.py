"""How flares are told."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.game.state import Ship, State
from pbem.report.phrases import Words
from pbem.report.view import Fact
from pbem.values.counts import several
from tests.turn.flares import law
from tests.turn.flares.events import Flared

WORDS = {Flared: Words("activity", "X1.0", lambda e: f"{e.unit} dazzles {e.target} with a flare.", ("unit", "target"))}
NEWS = (Flared,)


def facts(ship: Ship, state: State) -> Iterator[Fact]:
    """What everybody sees."""
    if left := law.dazzled(ship.own.get("dazzled"), state.moment):
        yield Fact(what="dazzled", words=f"for {several(left, 'impulse')} more", rule="X1.3")


def secrets(ship: Ship) -> Iterator[Fact]:
    """What its owner knows."""
    if ship.powered.get("flares"):
        yield Fact(what="flares with energy", words=str(ship.powered["flares"]), rule="X1.1")
