"""What the shots of an order may score, before it is known when and from where they will be fired.

Everything is read from one side's state, which knows of the others what that side knows; so are the odds.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.play.conditions import Scene, targets_of, units_of
from pbem.engine.state import AnyUnit, Commanded, Ship, Shuttle, State
from pbem.engine.steps.firing import SHUTTLE_WEAPON, aim_of, kind_of, limit_of, shots_of, weapons_named
from pbem.engine.steps.geometry import faced, range_between, shield_up
from pbem.engine.steps.launching import spec_of
from pbem.errors import NotAllowed
from pbem.orders.model import Fire, Orders
from pbem.orders.refs import UnitRef
from pbem.rules import standing, ties
from pbem.rules.direct_fire import max_range, verify_range
from pbem.rules.odds import Aim, Odds, scores, volley


class Stop(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in front of a ship's inside on one side, as far as the reader knows: boxes and reinforcement."""

    number: int
    boxes: int
    general: int = 0
    specific: int = 0


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    """One FIRE of an order: ``line`` and ``text`` of it, who fires what at whom, the range now and the odds there.
    ``stop`` is the shield that faces the firer now. ``by_range`` are the odds at every range at which any of the
    weapons may be fired and can score, lock-on, scanners, cloak and asteroids as they are now.
    """

    line: int
    text: str
    unit: str
    target: str
    weapons: tuple[str, ...]
    range: int
    odds: Odds
    stop: Stop | None = None
    by_range: tuple[tuple[int, Odds], ...] = ()


def prospects(state: State, scenario: Scenario, orders: Orders) -> tuple[tuple[Prospect, ...], tuple[str, ...]]:
    """Every FIRE of a side's orders on its own view of the state, and in words those of which nothing can be said."""
    found: list[Prospect] = []
    unsaid: list[str] = []
    for block in orders.units:
        unit = state.units.get(block.unit)
        for order in block.do:
            for fire in order.does:
                if not isinstance(fire, Fire):
                    continue
                if not isinstance(unit, Ship | Shuttle) or not unit.in_play:
                    unsaid.append(f"line {order.line}: {block.unit} is not in play")
                    continue
                targets = targets_of(fire.target, Scene(state=state, me=unit))
                if not targets and fire.target.how in ("it", "each"):
                    # Whoever the condition will hold for: the nearest enemy stands for it.
                    nearest = UnitRef(how="nearest", what=fire.target.what)
                    targets = units_of(nearest, Scene(state=state, me=unit))
                if not targets:
                    unsaid.append(f"line {order.line}: {fire.text} has no target in play now")
                    continue
                try:
                    found.append(_prospect(state, unit, fire, targets[0], scenario.drone_penalty, order.line))
                except NotAllowed as refused:
                    unsaid.append(f"line {order.line}: {refused}")
    return tuple(found), tuple(unsaid)


def _prospect(state: State, unit: Commanded, fire: Fire, target: AnyUnit, penalty: bool, line: int) -> Prospect:
    weapons = tuple(weapon for weapon in weapons_named(unit, fire) if _fires(unit, weapon))
    if fire.one_of or fire.target.how == "each":
        weapons = weapons[:1]
    here = range_between(state, unit, target)
    reach = max((max_range(kind_of(unit, weapon), limit_of(unit, weapon)) for weapon in weapons), default=0)
    ranges = ((true, volley(_aims(state, unit, target, weapons, penalty, true))) for true in range(reach + 1))
    return Prospect(
        line=line,
        text=fire.text,
        unit=unit.name,
        target=target.name,
        weapons=weapons,
        range=here,
        odds=volley(_aims(state, unit, target, weapons, penalty, here)),
        stop=_stop(state, unit, target),
        by_range=tuple((true, odds) for true, odds in ranges if odds.mean),
    )


def _fires(unit: Commanded, weapon: str) -> bool:
    """Whether it is a weapon of the unit that works and takes a die to fire. Raises :class:`NotAllowed` for none."""
    if not isinstance(unit, Ship):
        return weapon == SHUTTLE_WEAPON
    return scores(spec_of(unit, weapon).kind) and unit.weapons[weapon].working and shots_of(unit, weapon) > 0


def _aims(
    state: State, unit: Commanded, target: AnyUnit, weapons: tuple[str, ...], penalty: bool, true: int
) -> Iterator[Aim]:
    """The shots at one range, without weapons that may not be fired there (E1.3, E3.32, E4.14)."""
    for weapon in weapons:
        try:
            verify_range(kind_of(unit, weapon), true, limit_of(unit, weapon))
        except NotAllowed:
            continue
        yield aim_of(state, unit, weapon, target, penalty, true)


def _stop(state: State, unit: Commanded, target: AnyUnit) -> Stop | None:
    if not isinstance(target, Ship) or target.hex == unit.hex:
        return None
    number = min(faced(state, target, unit), key=ties.of_shields)
    if not standing.shields_active(target.unpaid):
        return Stop(number=number, boxes=0)
    general = 0 if "general" in target.lowered else target.general
    return Stop(
        number=number, boxes=shield_up(target, number), general=general, specific=target.reinforcement[number - 1]
    )
