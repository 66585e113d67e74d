"""All orders that a unit may be given in answer to the current request.

The list corresponds to a list of legal moves in chess. The first functions yield candidates: all activities of a unit
except the use of its weapons, in groups, not yet checked by the rules. :func:`offers` then keeps the candidates that
are legal if each is considered alone, as far as can be known before the turn is played
(:mod:`pbem.engine.legal.trial`). An offered order says whether its system needs energy. Whether several orders are
possible together (total energy, two orders for one weapon) is known only after a check of the whole order file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from pbem.data.scenarios import Chapter, Scenario
from pbem.data.terms import FormKind
from pbem.engine.checking.shuttles import prior_speed
from pbem.engine.legal.energy_fields import best_energy, fields_of, payable
from pbem.engine.legal.trial import OrderTester
from pbem.engine.order_systems import CandidateOrder, systems_of
from pbem.engine.relations import commanded_ships, manned_shuttles, unguided
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import facts_for
from pbem.engine.steps.firing import SHUTTLE_WEAPON
from pbem.engine.steps.tractor_links import beam_letters, is_freighter
from pbem.errors import GameError
from pbem.orders import vocabulary as words
from pbem.orders.writer import name_text
from pbem.rules import movement, shuttles
from pbem.rules.direct_fire import is_direct_fire

IT = "IT"
"""The word IT in orders: the unit for which the condition of the order is true."""

LEAVING = "Leave the battle"
"""The group of orders by which a ship leaves the battle."""

MOST_PARTIES = 5
"""Maximum number of boarding parties in one offered order; to send more, the player writes a second order."""

MOST_RESERVE = 4
"""Maximum points of reserve power offered for one shield."""


def in_sight(state: State) -> list[AnyUnit]:
    """Return the units on the map that orders may name as targets."""
    return [unit for unit in state.in_play() if unit.hex]


def quarry(state: State, side: str) -> list[Monster]:
    """Return the enemy monsters for which no way to defeat them is known yet (scenario #11)."""
    return [one for one in state.monsters() if state.enemies(side, one.side) and not one.method]


def acts_of(state: State, scenario: Scenario, unit: Ship | Shuttle) -> Iterator[CandidateOrder]:
    """Yield all candidate orders of a unit, except those that use its weapons."""
    others = [other for other in in_sight(state) if other.name != unit.name]
    if isinstance(unit, Shuttle):
        yield from landings(others)
        return
    yield from cloaks(state, unit, others)
    for chapter, offered in ACTS:
        if chapter is None or scenario.uses(chapter):
            yield from offered(state, unit, others)
    for system in systems_of(scenario):
        yield from system.offers(state, unit, others)


def landings(others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate orders that land a shuttle on each planet and ship (J1.61, P2.0)."""
    for other in others:
        if isinstance(other, Planet | Ship):
            yield CandidateOrder("Land", f"LAND ON {name_text(other.name)}", other.name)


def worth_holding(state: State, ship: Ship) -> list[AnyUnit]:
    """Return the units that a ship's tractor beam may hold (G7.32).

    The units are freighters, monsters, shuttles and enemy drones, at any distance.
    """
    return [
        unit
        for unit in state.in_play()
        if isinstance(unit, Monster | Shuttle)
        or (is_freighter(unit) and unit.name != ship.name)
        or (isinstance(unit, Seeker) and not unit.torpedo and state.enemies(ship.side, unit.side))
    ]


def tractor_acts(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate orders that use each tractor beam on each unit or release held units (G7.0)."""
    targets = [*((name_text(other.name), other.name) for other in others), ("NEAREST ENEMY DRONE", ""), (IT, "")]
    for beam in beam_letters(ship):
        yield from (CandidateOrder("Tractor beams", f"TRACTOR {target} WITH {beam}", name) for target, name in targets)
    yield from releases(state, ship)


def releases(state: State, ship: Ship) -> Iterator[CandidateOrder]:
    """Yield candidate orders that release the units held by the ship's tractor beams."""
    for link in state.held_by(ship.name):
        yield CandidateOrder("Tractor beams", f"RELEASE {link.beam}", link.target)


def transports(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate orders for transporters and lowered shields (G8.0).

    The transporters send boarding parties to enemies, and move crew units to and from all units.
    """
    for enemy in others:
        if state.enemies(ship.side, enemy.side):
            name = name_text(enemy.name)
            for count in range(1, 1 + min(MOST_PARTIES, ship.people.parties)):
                order = f"TRANSPORT {count} BP TO {name}"
                yield CandidateOrder("Transporters", f"LOWER SHIELD TO {name} AND {order}", enemy.name)
                yield CandidateOrder("Transporters", order, enemy.name)
    for other in others:
        name = name_text(other.name)
        for what in ("1 CREW FROM", "1 CREW TO", "1 BP FROM"):
            yield CandidateOrder("Transporters", f"TRANSPORT {what} {name}", other.name)
    yield from (CandidateOrder("Shields", f"LOWER SHIELD #{shield}") for shield in range(1, 7))
    yield from (CandidateOrder("Shields", f"LOWER SHIELD TO {name_text(other.name)}", other.name) for other in others)
    yield CandidateOrder("Shields", "LOWER GENERAL")


def shuttle_acts(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate orders that launch or recover shuttles (J1.5, J1.6, J2.22).

    Shuttles are launched with people aboard, or as suicide shuttles.
    """
    for letter in ship.hangar:
        order = f"LAUNCH SHUTTLE {letter} DIR"
        yield from (CandidateOrder("Shuttles", f"{order} {facing}") for facing in words.FACINGS)
        yield from (CandidateOrder("Shuttles", f"{order} {ship.facing} WITH {load}") for load in ("2 BP", "1 CREW"))
        for enemy in others:
            if state.enemies(ship.side, enemy.side):
                yield CandidateOrder("Shuttles", f"LAUNCH SUICIDE {letter} AT {name_text(enemy.name)}", enemy.name)
    for other in others:
        if isinstance(other, Shuttle) and other.belongs_to(ship.side):
            yield CandidateOrder("Shuttles", f"RECOVER {name_text(other.name)}", other.name)


def cloaks(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield the candidate orders CLOAK and UNCLOAK."""
    yield from (CandidateOrder("Cloak", verb) for verb in ("CLOAK", "UNCLOAK"))


def probes(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate orders to launch a probe from each launcher at each enemy (G5.0)."""
    for letter in sorted(ship.power.probes):
        for enemy in others:
            if state.enemies(ship.side, enemy.side):
                yield CandidateOrder("Probes", f"PROBE {letter} AT {name_text(enemy.name)}", enemy.name)


def departure(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield the candidate order DISENGAGE."""
    yield CandidateOrder(LEAVING, "DISENGAGE")


def own_guidance(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate GUIDE orders for all seeking weapons of the ship's side."""
    yield from guidance(seeker for seeker in state.seekers() if seeker.belongs_to(ship.side))


def guidance(weapons: Iterable[Seeker]) -> Iterator[CandidateOrder]:
    """Yield candidate GUIDE orders for seeking weapons (F2.0).

    A GUIDE order decides which of two equally near hexes the weapon enters.
    """
    for weapon in weapons:
        for way in ("LEFT", "RIGHT", "STRAIGHT"):
            yield CandidateOrder("Guide seeking weapons", f"GUIDE {name_text(weapon.name)} {way}", weapon.name)


def reserves(state: State, ship: Ship, others: list[AnyUnit]) -> Iterator[CandidateOrder]:
    """Yield candidate orders that use battery energy for the ship's shields (H7.1, H7.2)."""
    for shield in range(1, 7) if state.options.reinforcement else ():
        for points in range(1, 1 + min(MOST_RESERVE, ship.power.batteries)):
            yield CandidateOrder("Reserve power", f"RESERVE UP TO {points} TO #{shield}")
            yield CandidateOrder("Reserve power", f"REINFORCE #{shield} WITH {points}")


ACTS: list[tuple[Chapter | None, Callable[[State, Ship, list[AnyUnit]], Iterator[CandidateOrder]]]] = [
    ("tractors", tractor_acts),
    ("transporters", transports), ("shuttles", shuttle_acts), ("probes", probes),
    (None, reserves), (None, own_guidance), (None, departure),
]  # fmt: skip
"""Functions that yield candidate orders of a ship.

Each is paired with the handbook chapter that the scenario must use, or with ``None`` if it needs no chapter.
"""


SECTIONS = ("", "ENERGY", "PLOT", "DO")
"""Sections of a unit's block in which an order can be offered; an announced speed is above all sections."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One order that a unit may be given.

    ``unit`` names the unit in whose block the order is written; ``shuttle`` is true if that unit is a shuttle. ``unit``
    is empty for an order above all blocks (GUIDE of a side without ships). ``section`` is ``""`` (``SPEED 6`` of a unit
    without an energy form), ``ENERGY``, ``PLOT`` or ``DO``. ``text`` is the order as players write it; ``target`` is
    the unit that the order names, if any. ``needs`` is a sentence that explains why the order is illegal unless the
    energy form pays for it; it is empty if the order needs no energy.
    """

    unit: str
    section: str
    text: str
    target: str = ""
    needs: str = ""
    shuttle: bool = False

    def at(self, impulse: int) -> Offer:
        """Return a copy of this DO order that acts only in the given impulse (C1.41)."""
        return msgspec.structs.replace(self, text=f"AT {impulse} {self.text}")

    def when(self, condition: str) -> Offer:
        """Return a copy of this DO order with a condition added, such as ``RANGE Destruction <= 4``."""
        return msgspec.structs.replace(self, text=f"IF {condition} THEN {self.text}")


class Speeds(msgspec.Struct, frozen=True):
    """The speeds that a unit without an energy form may announce at the start of a turn.

    The speeds range from 0 to ``top`` hexes per turn. ``now`` is the unit's speed if it announces none. If
    ``fixed`` is true, only ``top`` is allowed.
    """

    top: int
    now: int
    fixed: bool = False


def commanded(state: State, request: Request, side: str) -> list[Ship | Shuttle]:
    """Return the units for which a side writes a block of orders.

    The units are ships that obey orders, and also manned shuttles if the request is for more than energy forms.
    """
    boats = manned_shuttles(state, side) if request.form != FormKind.EAF else ()
    return [*commanded_ships(state, side), *boats]


def asks_energy(scenario: Scenario, request: Request, unit: Ship | Shuttle) -> bool:
    """Return whether the request asks for an energy form of this unit (B3.0)."""
    return request.form != FormKind.SOP and isinstance(unit, Ship) and engineering.has_form(scenario, unit)


def speeds(state: State, scenario: Scenario, request: Request, unit: Ship | Shuttle) -> Speeds | None:
    """Return the speeds that a unit may announce at the start of a turn.

    The result is ``None`` if the orders begin during a turn, or if the speed is set by an energy form.
    """
    if request.impulse > 0:
        return None
    if isinstance(unit, Shuttle):
        prior = prior_speed(state, request, unit)
        top = min(shuttles.fastest(unit.damage), prior + shuttles.acceleration())
        return Speeds(top, 0 if unit.landed else shuttles.default_speed(prior, unit.damage))
    if engineering.has_form(scenario, unit):
        return None
    fixed = engineering.fixed_speed(unit, scenario)
    ready = engineering.readied(unit, scenario, request.turn)
    if fixed is not None and not unit.is_prize:
        return Speeds(ready.speed, ready.speed, fixed=True)
    return Speeds(engineering.slowed(unit, scenario.max_speed) if fixed is None else fixed, ready.speed)


def offers_to(state: State, scenario: Scenario, side: str) -> Iterator[Offer]:
    """Yield every order that a side may give to its units.

    Orders for its seeking weapons without a ship are included (F2.0). ``state`` may be the game as the side itself sees
    it, because nothing else is read.

    Raises:
        GameError: ``not-asked`` if no orders are requested from the side.
    """
    request = state.request
    if request is None or state.over or not request.asks(side):
        raise GameError.saying("not-asked", f"the game is not waiting for orders of {side!r} now")
    for weapon in unguided(state, side):
        yield from (Offer(unit="", section="DO", text=act.text) for act in guidance([weapon]))
    for unit in commanded(state, request, side):
        yield from offers(state, scenario, unit)


def offers(state: State, scenario: Scenario, unit: Ship | Shuttle) -> Iterator[Offer]:
    """Yield every order that may be given to one unit, sorted by section of the order file.

    The unit must belong to a side that must answer the open request.
    """
    request = state.request
    assert request is not None
    fields, form = [], list[str]()
    if isinstance(unit, Ship) and asks_energy(scenario, request, unit):
        facts = facts_for(state, scenario, unit)
        fields = [field for field in fields_of(state, scenario, facts, unit) if field]
        form = list(payable(facts, fields))
    bench = OrderTester(state, scenario, request, unit, bool(fields))
    may = speeds(state, scenario, request, unit)
    if may:
        yield from _in(unit, "", (f"SPEED {hexes}" for hexes in range(may.top if may.fixed else 0, may.top + 1)))
    yield from _in(unit, "ENERGY", form)
    if request.form != FormKind.EAF:
        yield from _in(unit, "PLOT", (way for way in plot_choices(state, unit) if not bench.plot_faults(way)))
        yield from _doing(bench, best_energy(fields))


def _in(unit: Ship | Shuttle, section: str, texts: Iterable[str]) -> Iterator[Offer]:
    for text in texts:
        yield Offer(unit=unit.name, section=section, text=text, shuttle=isinstance(unit, Shuttle))


def plot_choices(state: State, unit: Ship | Shuttle) -> Iterator[str]:
    """Yield short plots: each single code, TOWARD and AWAY FROM each unit, and LEAVE MAP (C1.3)."""
    yield from movement.CODES
    for other in in_sight(state):
        if other.name != unit.name:
            yield f"TOWARD {name_text(other.name)}"
            yield f"AWAY FROM {name_text(other.name)}"
    yield "LEAVE MAP"


def uses(unit: Ship | Shuttle) -> Iterator[tuple[str, str]]:
    """Yield a pair (verb, weapon) for each undestroyed weapon; the verb is ``FIRE`` or ``LAUNCH``.

    A destroyed plasma tube that may still launch its torpedo is included.
    """
    if isinstance(unit, Shuttle):
        yield "FIRE", SHUTTLE_WEAPON
        return
    for name, box in sorted(unit.weapons.items()):
        if box.working or box.destroyed is not None:  # a tube that was just destroyed may still launch (FP1.7)
            yield "FIRE" if is_direct_fire(box.kind) else "LAUNCH", name


def _doing(bench: OrderTester, paying: Sequence[str]) -> Iterator[Offer]:
    """Yield the legal DO orders of a unit.

    FIRE and LAUNCH orders for each weapon at each unit come first, then all other activities. ``paying`` are the
    energy-form entries that power all systems. Orders with the target IT are left out, because they have no meaning
    without a condition.
    """
    unit, state = bench.unit, bench.state
    others = [other.name for other in in_sight(state) if other.name != unit.name]
    tried = {f"{verb} {weapon} AT {name_text(name)}": name for verb, weapon in uses(unit) for name in others} | {
        act.text: act.names for act in acts_of(state, bench.scenario, unit) if IT not in act.text.split()
    }
    refused = bench.refusals(list(tried), energy=paying)
    bare = bench.refusals(list(tried)) if paying else refused
    for text, name in tried.items():
        if text not in refused:
            yield Offer(
                unit=unit.name,
                section="DO",
                text=text,
                target=name,
                needs=bare.get(text, ""),
                shuttle=isinstance(unit, Shuttle),
            )
