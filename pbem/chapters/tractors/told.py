"""How tractor beams are told: what they do, what they hold, and which of them have energy."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.chapters.tractors.events import Released, Towed, Tractored
from pbem.game.state import Ship, State
from pbem.report.phrases import Words, because, listed, moment
from pbem.report.view import Fact

WORDS = {
    Tractored: Words(
        "activity",
        "G7.3",
        lambda e: f"{e.unit} takes hold of {e.target} with tractor beam {e.beam}.",
        ("unit", "target"),
    ),
    Released: Words(
        "activity",
        "G7.33",
        lambda e: f"{because(f'Tractor beam {e.beam} of {e.unit} lets go of {e.target}', e.why)}.",
        ("unit", "target"),
    ),
    Towed: Words("move", "G7.31", lambda e: f"{e.unit} towed to {e.at} by {e.by}", ("unit", "by")),
}
NEWS = (Tractored, Released)


def facts(ship: Ship, state: State) -> Iterator[Fact]:
    """What a ship holds, and what holds it."""
    for link in state.held_by(ship.name):
        words = f"holds {link.target} since {moment(link.since, state)}"
        yield Fact(what=f"tractor {link.beam}", words=words, rule="G7.3")
    for link in state.holders(ship.name):
        yield Fact(what="held", words=f"by {link.ship}, tractor {link.beam}", rule="G7.3")


def secrets(ship: Ship) -> Iterator[Fact]:
    """What only its owner knows."""
    if ship.tractors:
        yield Fact(what="tractor beams with energy", words=listed(ship.tractors), rule="G7.15")
