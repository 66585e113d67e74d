"""What could be ordered of tractor beams, and what of it the draft and the energy form offer."""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_uppercase

from pbem.chapters.tractors.law import stands_for
from pbem.chapters.tractors.links import as_law, is_freighter
from pbem.data import charts
from pbem.game.state import AnyUnit, Monster, Request, Seeker, Ship, Shuttle, State
from pbem.offers.acts import IT, Act
from pbem.offers.fields import Json, line_of, one
from pbem.orders.writer import name_text
from pbem.rules.energy_terms import ShipFacts
from pbem.values.words import FormKind


def worth_holding(state: State, ship: Ship) -> list[AnyUnit]:
    """What the rules let a beam hold: freighters, monsters, shuttles, and the enemy's drones (G7.32)."""
    return [
        unit
        for unit in state.in_play()
        if isinstance(unit, Monster | Shuttle)
        or (is_freighter(unit) and unit.name != ship.name)
        or (isinstance(unit, Seeker) and not unit.torpedo and state.enemies(ship.side, unit.side))
    ]


def beams(ship: Ship) -> str:
    """The letters of its tractor beams that work."""
    return ascii_uppercase[: ship.boxes.get("tractor", 0)]


def _held(state: State, ship: Ship) -> dict[str, str]:
    """What a ship holds, by the letters of the entries that pay on for it (G7.34)."""
    paid = stands_for(as_law(state.held_by(ship.name)), ship.boxes.get("tractor", 0))
    return {letter: link.target for letter, link in paid.items()}


def acts(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Every beam at everybody, and what is held let go (G7.0)."""
    prize = [*((name_text(other.name), other.name) for other in others), ("NEAREST ENEMY DRONE", ""), (IT, "")]
    for beam in beams(ship):
        yield from (Act("Tractor beams", f"TRACTOR {said} WITH {beam}", name) for said, name in prize)
    yield from releases(state, ship)


def releases(state: State, ship: Ship) -> Iterator[Act]:
    for link in state.held_by(ship.name):
        yield Act("Tractor beams", f"RELEASE {link.beam}", link.target)


def fields(state: State, facts: ShipFacts, ship: Ship) -> Iterator[Json]:
    """The entries of the energy form, a beam each."""
    held = _held(state, ship)
    for letter in beams(ship):
        none = f"it lets go of {held[letter]} (G7.33)" if letter in held else "the beam has no energy (G7.15)"
        yield one(facts, line_of(f"TRACTOR {letter}"), f"Tractor {letter}", none)


def entries(state: State, ship: Ship) -> Iterator[tuple[str, str]]:
    """What the draft of an energy form says: beams that hold something, and one more."""
    held = _held(state, ship)
    for beam in [*filter(held.get, beams(ship)), *[b for b in beams(ship) if b not in held][:1]]:
        yield f"TRACTOR {beam}", f"or it lets go of {held[beam]} (G7.33)" if beam in held else "(G7.15)"


def orders(state: State, request: Request, ship: Ship) -> Iterator[tuple[str, str]]:
    """What the draft of orders says: to let go of what is held, and to hold something once there is energy."""
    yield from ((act.text, f"it holds {act.names} (G7.33)") for act in releases(state, ship))
    free = [beam for beam in ship.tractors if beam not in ship.beams_used]
    if request.form == FormKind.SOP and free:
        reach = charts.tractors().range
        within = f"{reach} hex{'' if reach == 1 else 'es'}"
        yield f"TRACTOR {_prey(state, ship)} WITH {free[0]}", f"as soon as it is within {within} (G7.3)"


def _prey(state: State, ship: Ship) -> str:
    """Something a beam may hold: a freighter, a monster, else whatever drone comes near (G7.32)."""
    found = [unit for unit in worth_holding(state, ship) if isinstance(unit, Ship | Monster)]
    return name_text(min(found, key=lambda unit: isinstance(unit, Monster)).name) if found else "NEAREST ENEMY DRONE"
