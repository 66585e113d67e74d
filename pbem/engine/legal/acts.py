"""Activities a unit could be ordered besides the use of its weapons: everything there is to name, in groups.

Whether the rules take an order now is not asked here: that is for :mod:`pbem.engine.legal.bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec

from pbem.data.scenarios import Chapter, Scenario
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.tractor_links import beam_letters, is_freighter
from pbem.orders import vocabulary as words
from pbem.orders.writer import name_text

IT = "IT"
"""The unit for which the condition before an order held."""

LEAVING = "Leave the battle"
"""The kind of what ends a battle for a ship."""

MOST_PARTIES = 5
"""Boarding parties that are offered for one order; more take a second one."""

MOST_RESERVE = 4
"""Points of reserve power that are offered for one shield."""


class Act(msgspec.Struct, frozen=True):
    """An order of one line of DO: what it is for, its text, and the unit it names, if any."""

    kind: str
    text: str
    names: str = ""


def in_sight(state: State) -> list[AnyUnit]:
    """Everything on the map that may be named."""
    return [unit for unit in state.in_play() if unit.hex]


def foes(state: State, side: str) -> list[Ship]:
    """Enemy ships that can be fought."""
    return [ship for ship in state.ships() if state.enemies(side, ship.side) and not ship.untouchable]


def quarry(state: State, side: str) -> list[Monster]:
    """Monsters of which not everything is known (scenario #11)."""
    return [one for one in state.monsters() if state.enemies(side, one.side) and not one.method]


def acts_of(state: State, scenario: Scenario, unit: Ship | Shuttle) -> Iterator[Act]:
    """Everything of this kind that could be ordered of a unit."""
    others = [other for other in in_sight(state) if other.name != unit.name]
    if isinstance(unit, Shuttle):
        yield from landings(others)
        return
    yield from cloaks(state, unit, others)
    for chapter, offered in ACTS:
        if chapter is None or scenario.uses(chapter):
            yield from offered(state, unit, others)


def landings(others: list[AnyUnit]) -> Iterator[Act]:
    """Where a shuttle may come down: planets and ships (J1.61, P2.0)."""
    for other in others:
        if isinstance(other, Planet | Ship):
            yield Act("Land", f"LAND ON {name_text(other.name)}", other.name)


def worth_holding(state: State, ship: Ship) -> list[AnyUnit]:
    """What the rules let a beam hold: freighters, monsters, shuttles, and the enemy's drones (G7.32)."""
    return [
        unit
        for unit in state.in_play()
        if isinstance(unit, Monster | Shuttle)
        or (is_freighter(unit) and unit.name != ship.name)
        or (isinstance(unit, Seeker) and not unit.torpedo and state.enemies(ship.side, unit.side))
    ]


def tractor_acts(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Every beam at everybody, and what is held let go (G7.0)."""
    prize = [*((name_text(other.name), other.name) for other in others), ("NEAREST ENEMY DRONE", ""), (IT, "")]
    for beam in beam_letters(ship):
        yield from (Act("Tractor beams", f"TRACTOR {said} WITH {beam}", name) for said, name in prize)
    yield from releases(state, ship)


def releases(state: State, ship: Ship) -> Iterator[Act]:
    for link in state.held_by(ship.name):
        yield Act("Tractor beams", f"RELEASE {link.beam}", link.target)


def transports(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Boarding parties to enemies, crews to and from everybody, and shields lowered for it (G8.0)."""
    for enemy in others:
        if state.enemies(ship.side, enemy.side):
            name = name_text(enemy.name)
            for count in range(1, 1 + min(MOST_PARTIES, ship.parties)):
                order = f"TRANSPORT {count} BP TO {name}"
                yield Act("Transporters", f"LOWER SHIELD TO {name} AND {order}", enemy.name)
                yield Act("Transporters", order, enemy.name)
    for other in others:
        name = name_text(other.name)
        for what in ("1 CREW FROM", "1 CREW TO", "1 BP FROM"):
            yield Act("Transporters", f"TRANSPORT {what} {name}", other.name)
    yield from (Act("Shields", f"LOWER SHIELD #{shield}") for shield in range(1, 7))
    yield from (Act("Shields", f"LOWER SHIELD TO {name_text(other.name)}", other.name) for other in others)
    yield Act("Shields", "LOWER GENERAL")


def bay(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Shuttles go out with people or bombs, and come back (J1.5, J1.6, J2.22)."""
    for letter in ship.hangar:
        order = f"LAUNCH SHUTTLE {letter} DIR"
        yield from (Act("Shuttles", f"{order} {facing}") for facing in words.FACINGS)
        yield from (Act("Shuttles", f"{order} {ship.facing} WITH {load}") for load in ("2 BP", "1 CREW"))
        for enemy in others:
            if state.enemies(ship.side, enemy.side):
                yield Act("Shuttles", f"LAUNCH SUICIDE {letter} AT {name_text(enemy.name)}", enemy.name)
    for other in others:
        if isinstance(other, Shuttle) and other.side == ship.side:
            yield Act("Shuttles", f"RECOVER {name_text(other.name)}", other.name)


def cloaks(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    yield from (Act("Cloak", verb) for verb in ("CLOAK", "UNCLOAK"))


def probes(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Every launcher at every enemy (G5.0)."""
    for letter in sorted(ship.probes):
        for enemy in others:
            if state.enemies(ship.side, enemy.side):
                yield Act("Probes", f"PROBE {letter} AT {name_text(enemy.name)}", enemy.name)


def departure(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    yield Act(LEAVING, "DISENGAGE")


def own_guidance(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Of all seeking weapons of its side."""
    yield from guidance(seeker for seeker in state.seekers() if seeker.side == ship.side)


def guidance(weapons: Iterable[Seeker]) -> Iterator[Act]:
    """Which of two hexes that are equally near a seeking weapon takes (F2.0)."""
    for weapon in weapons:
        for way in ("LEFT", "RIGHT", "STRAIGHT"):
            yield Act("Guide seeking weapons", f"GUIDE {name_text(weapon.name)} {way}", weapon.name)


def reserves(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[Act]:
    """Reserve power for its shields (H7.1, H7.2)."""
    for shield in range(1, 7) if state.options.reinforcement else ():
        for points in range(1, 1 + min(MOST_RESERVE, ship.batteries)):
            yield Act("Reserve power", f"RESERVE UP TO {points} TO #{shield}")
            yield Act("Reserve power", f"REINFORCE #{shield} WITH {points}")


ACTS: list[tuple[Chapter | None, Callable[[State, Ship, list[AnyUnit]], Iterator[Act]]]] = [
    ("tractors", tractor_acts),
    ("transporters", transports), ("shuttles", bay), ("probes", probes),
    (None, reserves), (None, own_guidance), (None, departure),
]  # fmt: skip
"""What a ship could be ordered, by the chapter of the handbook that a scenario must use for it, if any."""
