"""What could be ordered of a unit in answer to the request in force: chess's list of legal moves, for this game.

Each offer is legal by itself, as far as can be known before the turn is played; orders for a system that takes energy
say so. Whether all that somebody picks goes together (power, two orders for one weapon) the check of the whole says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.words import FormKind
from pbem.engine.checking.shuttles import prior_speed
from pbem.engine.legal.acts import IT, acts_of, guidance, in_sight
from pbem.engine.legal.bench import Bench
from pbem.engine.legal.energy_fields import best_energy, fields_of, payable
from pbem.engine.state import Request, Ship, Shuttle, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import facts_for
from pbem.engine.steps.firing import SHUTTLE_WEAPON
from pbem.errors import GameError
from pbem.orders.writer import name_text
from pbem.rules import shuttles, turning
from pbem.rules.direct_fire import is_direct_fire

SECTIONS = ("", "ENERGY", "PLOT", "DO")
"""Where an offer stands in the block of its unit; a speed that is announced stands above all sections."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """One thing a unit could be ordered.

    ``unit`` heads the block (``shuttle`` says which kind of heading); it is empty for what stands above all blocks
    (GUIDE of a side without ships). ``section`` is ``""`` (``SPEED 6`` of a unit without an energy form), ``ENERGY``,
    ``PLOT`` or ``DO``; ``text`` is the order as players write it, ``target`` the unit it names, if any. ``needs`` says
    in one sentence what is amiss while the energy form pays nothing for it, and is empty where nothing is.
    """

    unit: str
    section: str
    text: str
    target: str = ""
    needs: str = ""
    shuttle: bool = False

    def at(self, impulse: int) -> Offer:
        """The same order of DO in one impulse alone (C1.41)."""
        return msgspec.structs.replace(self, text=f"AT {impulse} {self.text}")

    def when(self, condition: str) -> Offer:
        """The same order of DO under a condition: ``RANGE Destruction <= 4``."""
        return msgspec.structs.replace(self, text=f"IF {condition} THEN {self.text}")


class Speeds(msgspec.Struct, frozen=True):
    """The speeds a unit without an energy form may announce as a turn begins: 0 to ``top``, ``now`` if it says
    nothing; where the speed is ``fixed``, ``top`` alone.
    """

    top: int
    now: int
    fixed: bool = False


def commanded(state: State, request: Request, side: str) -> list[Ship | Shuttle]:
    """The units a side writes a block for: ships that obey, and manned shuttles where more than energy is asked for."""
    ships = [ship for ship in state.ships() if ship.side == side and ship.obeys]
    boats = [boat for boat in state.shuttles() if boat.side == side and not boat.target]
    return [*ships, *(boats if request.form != FormKind.EAF else ())]


def asks_energy(scenario: Scenario, request: Request, unit: Ship | Shuttle) -> bool:
    """Whether a unit's block holds an energy form (B3.0)."""
    return request.form != FormKind.SOP and isinstance(unit, Ship) and engineering.has_form(scenario, unit)


def speeds(state: State, scenario: Scenario, request: Request, unit: Ship | Shuttle) -> Speeds | None:
    """What a unit may announce; ``None`` in the course of a turn, and for a ship whose energy form says its speed."""
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
    if fixed is not None and not unit.captured_from:
        return Speeds(ready.speed, ready.speed, fixed=True)
    return Speeds(engineering.slowed(unit, scenario.max_speed) if fixed is None else fixed, ready.speed)


def offers_to(state: State, scenario: Scenario, side: str) -> Iterator[Offer]:
    """Everything that could be ordered by a side: of its weapons that no ship guides (F2.0), and of each unit.

    ``state`` may be what the side sees: nothing is asked of it that the side may not know. Raises :class:`GameError`
    where nothing is asked of that side.
    """
    request = state.request
    if request is None or state.over or side not in request.sides:
        raise GameError.saying("not-asked", f"no orders are asked of {side!r} now")
    for weapon in state.unguided(side):
        yield from (Offer(unit="", section="DO", text=act.text) for act in guidance([weapon]))
    for unit in commanded(state, request, side):
        yield from offers(state, scenario, unit)


def offers(state: State, scenario: Scenario, unit: Ship | Shuttle) -> Iterator[Offer]:
    """Everything that could be ordered of a unit whose side is asked, section by section."""
    request = state.request
    assert request is not None
    fields, form = [], list[str]()
    if isinstance(unit, Ship) and asks_energy(scenario, request, unit):
        facts = facts_for(state, scenario, unit)
        fields = [field for field in fields_of(state, scenario, facts, unit) if field]
        form = list(payable(facts, fields))
    bench = Bench(state, scenario, request, unit, bool(fields))
    may = speeds(state, scenario, request, unit)
    if may:
        yield from _in(unit, "", (f"SPEED {hexes}" for hexes in range(may.top if may.fixed else 0, may.top + 1)))
    yield from _in(unit, "ENERGY", form)
    if request.form != FormKind.EAF:
        yield from _in(unit, "PLOT", (way for way in ways(state, unit) if not bench.plot_faults(way)))
        yield from _doing(bench, best_energy(fields))


def _in(unit: Ship | Shuttle, section: str, texts: Iterable[str]) -> Iterator[Offer]:
    for text in texts:
        yield Offer(unit=unit.name, section=section, text=text, shuttle=isinstance(unit, Shuttle))


def ways(state: State, unit: Ship | Shuttle) -> Iterator[str]:
    """Plots of one word, and ways to steer by each unit in sight (C1.3)."""
    yield from turning.CODES
    for other in in_sight(state):
        if other.name != unit.name:
            yield f"TOWARD {name_text(other.name)}"
            yield f"AWAY FROM {name_text(other.name)}"
    yield "LEAVE MAP"


def uses(unit: Ship | Shuttle) -> Iterator[tuple[str, str]]:
    """The weapons that are not destroyed, each with the verb that uses it."""
    if isinstance(unit, Shuttle):
        yield "FIRE", SHUTTLE_WEAPON
        return
    for name, box in sorted(unit.weapons.items()):
        if box.working or box.destroyed is not None:  # a tube just hit may still launch (FP1.7)
            yield "FIRE" if is_direct_fire(box.kind) else "LAUNCH", name


def _doing(bench: Bench, paying: Sequence[str]) -> Iterator[Offer]:
    """Orders of DO: weapons at everybody, then all else; an order about IT has no sense without its condition."""
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
