"""Find legal order lines that can never act, and forecast the damage from the shots of an order.

Lines that can never act do no harm, and games in progress contain them, so they are reported and not refused. Forecasts
are made before it is known when and from where the weapons will fire. Everything is computed from one side's view of
the state, so it reveals nothing that the side does not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
from msgspec.structs import replace

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import StepName, impulses_in_words
from pbem.engine import events as ev
from pbem.engine.checking.conditions import never_holds, never_meets
from pbem.engine.checking.outlook import Outlook, is_over
from pbem.engine.conditions.kinds import at_impulse, holds
from pbem.engine.conditions.scene import Scene, targets_of, units_of
from pbem.engine.log import apply
from pbem.engine.state import AnyUnit, Commanded, Request, Ship, Shuttle, State
from pbem.engine.steps.damage import choosable_boxes, procedure
from pbem.engine.steps.firing import SHUTTLE_WEAPON, aim_of, kind_of, limit_of, shots_of, weapons_named
from pbem.engine.steps.geometry import faced, range_between, shield_up
from pbem.engine.steps.launching import drones_launched, spec_of
from pbem.engine.steps.movement import kind_to_use
from pbem.errors import NotAllowed
from pbem.orders import model as om
from pbem.orders.model import Fire, Orders
from pbem.orders.names import UnitRef
from pbem.rules import power, ties
from pbem.rules.damage_choices import FREE, decides
from pbem.rules.direct_fire import AimedShot, Odds, max_range, scores, verify_range, volley
from pbem.rules.drones import verify_ship_limit
from pbem.rules.weapons import family, shots
from pbem.util import several


def never_acts(outlook: Outlook, order: om.Order) -> str:
    """Return why a DO order can do nothing in the rest of the turn; empty if the order may act."""
    return (
        launches_no_more(outlook, order)
        or lowers_nothing(outlook.ship, order)
        or wants_twice(outlook.ship, order)
        or never_meets(outlook.state, outlook.request, outlook.ship, order)
    )


def decides_nothing(outlook: Outlook, choice: om.DamageChoice) -> str:
    """Return why a DAMAGE line has no effect; empty if the line may have an effect (D4.0, D4.223).

    A DAMAGE line chooses which box of the ship a hit destroys.
    """
    boxes = choosable_boxes(outlook.state, outlook.scenario, outlook.ship)
    if decides(choice.items, boxes.get(choice.category, ())):
        return ""
    hit = "hit" if choice.category == "ANY" else f"{choice.category} hit"
    items = " or ".join(choice.items)
    hint = ""
    if procedure(outlook.scenario, outlook.ship) in FREE and decides(choice.items, boxes.get("ANY", ())):
        hint = f"; for points that may go anywhere write ANY {', '.join(choice.items)} {choice.place}"
    return f"it decides nothing: in this game no {hit} leaves a choice about {items}{hint} (D4.223)"


def named_too_often(ship: Ship, order: om.Order) -> str:
    """Return a remark if a FIRE order names a weapon more often than it may fire (E1.5, E2.23).

    The limit is the number of shots that the weapon has per turn. The result is empty if the order stays within the
    limit.
    """
    for does in order.does:
        if not isinstance(does, om.Fire):
            continue
        for weapon in dict.fromkeys(does.weapons):
            most = shots(ship.weapons[weapon].kind) if weapon in ship.weapons else 0
            if most and does.weapons.count(weapon) > most:
                times = "once" if most == 1 else f"{most} times"
                return f"{weapon} is named {does.weapons.count(weapon)} times and fires {times} a turn (E1.5)"
    return ""


def launches_no_more(outlook: Outlook, order: om.Order) -> str:
    """Return why an order can launch no more drones in the rest of the turn; empty if it can.

    The reason is that all launches that the SSD allows in a turn have been made (FD4.21).
    """
    ship = outlook.ship
    racks = {name for name, box in ship.weapons.items() if family(box.kind).ammunition}
    if outlook.state.turn != outlook.request.turn or not any(
        isinstance(does, om.Launch) and does.weapon in racks for does in order.does
    ):
        return ""
    try:
        verify_ship_limit(drones_launched(outlook.state, ship), ship_class(ship.ship).drone_limit)
    except NotAllowed as refused:
        return f"it can launch nothing: {refused}"
    return ""


def lowers_nothing(ship: Ship, order: om.Order) -> str:
    """Return why LOWER GENERAL has no effect; empty if the order may have an effect.

    The order has no effect if the ship has no general reinforcement. Only the energy form can provide general
    reinforcement (D3.341, H7.2).
    """
    general = any(isinstance(does, om.LowerShield) and does.general for does in order.does)
    if general and not ship.power.general:
        return f"it can lower nothing: {ship.name} has no general reinforcement (G8.23)"
    return ""


def wants_twice(ship: Ship, order: om.Order) -> str:
    """Return why activities joined by AND can never be done together; empty if they can.

    Activities conflict if they need two shots or launches from a weapon that has only one per turn (E1.5, FD1.1), or
    more drone launches than the ship may make (FD4.21).
    """
    fires = [set(does.weapons) for does in order.does if isinstance(does, om.Fire) and not does.one_of]
    launches = [does.weapon for does in order.does if isinstance(does, om.Launch)]
    wanted = [*(weapon for weapons in fires for weapon in sorted(weapons)), *launches]
    single = (name for name in wanted if name in ship.weapons and shots(ship.weapons[name].kind) == 1)
    twice = next((name for name in single if wanted.count(name) > 1), "")
    if twice:
        return f"it can never act: AND joins all of it or nothing, and {twice} is used once a turn (E1.5)"
    racks = [name for name in launches if name in ship.weapons and family(ship.weapons[name].kind).ammunition]
    limit = ship_class(ship.ship).drone_limit
    if limit and len(racks) > limit:
        drones = several(limit, "drone", "drones")
        return f"it can never act: AND joins all of it or nothing, and {ship.name} launches {drones} a turn (FD4.21)"
    return ""


def never_breaks(state: State, request: Request, line: om.Break, asks: str = "") -> str:
    """Return why a break can never stop play, or an empty string if it can.

    A break is a condition on which play stops for new orders; only the impulses that these orders cover are considered.
    If ``asks`` names the unit of the break, a text is also returned for a condition that is already true now, because
    it must become false before it can stop play.
    """
    first, last = max(1, request.impulse), request.through
    if not any(_may_hold(line.condition, impulse) for impulse in range(first, last + 1)):
        return f"it can never break: these orders cover {impulses_in_words(first, last)}"
    if at_impulse(line.condition, first) is not None:
        here = (state.turn, state.impulse) == (request.turn, request.impulse)
        was = state.impulse if here and is_over(state, request, StepName.MOVE) else state.impulse - here
        seen = (was, *range(was + 1 if here else first, last + 1))
        looks = [at_impulse(line.condition, impulse) for impulse in seen]
        if not any(now and not before for before, now in pairwise(looks)):
            return "it can never break: that is so already, and a break waits for what becomes true"
    me = state.units.get(asks)
    if me is not None and (why := never_holds(state, request, me, line.condition)):
        return f"it can never break: {why.removeprefix('its condition can never hold: ')}"
    if asks and holds_already(state, asks, line):
        return "on its becoming true anew: that is so already, and a break waits for what becomes true"
    return ""


def holds_already(state: State, unit: str, line: om.Break) -> bool:
    """Return whether the condition of a unit's break is true now.

    A break is a condition on which play stops. A condition that is true already must first become false before the
    break can stop play. Shots, launches and damage are ignored. For a condition about the impulse number the result is
    false, because the same impulse number occurs again in the next turn.
    """
    me = state.units.get(unit)
    if not isinstance(me, Ship) or not me.in_play or _asks_impulse(line.condition):
        return False
    return holds(line.condition, Scene(state=state, me=me)).true


def _asks_impulse(condition: om.Condition) -> bool:
    return any(at_impulse(part, 1) is not None for part in om.parts(condition))


def _may_hold(condition: om.Condition, impulse: int) -> bool:
    """Return whether a condition can be true in a given impulse.

    Only the parts of the condition about the impulse number are considered.
    """
    match condition:
        case om.All(of=parts):
            return all(_may_hold(part, impulse) for part in parts)
        case om.AnyOf(of=parts):
            return any(_may_hold(part, impulse) for part in parts)
        case om.Negation(of=part):
            return at_impulse(part, impulse) is not True
        case _:
            return at_impulse(condition, impulse) is not False


def never_reacts(state: State, request: Request, ship: Commanded, reaction: om.Reaction) -> str:
    """Return why a unit's reaction can never act; empty if it can.

    A reaction is an order that changes the plot of the unit.
    """
    if isinstance(ship, Ship) and not (ship.speed or ship.power.speed):
        return f"it can never act: {ship.name} has speed 0 this turn"
    return never_meets(state, request, ship, reaction)


def never_made(state: State, request: Request, ship: Ship, tacs: Sequence[om.Tac]) -> dict[int, str]:
    """Return the reasons why ordered tactical maneuvers can never be made, by line number.

    A maneuver is reported only if none is available in the impulse that the order names, even if every order that has
    no impulse or has a condition makes no maneuver (C5.232).
    """
    state = replace(state, units={**state.units, ship.name: ship}, turn=request.turn)
    found: dict[int, str] = {}
    plain = [tac for tac in tacs if tac.at is not None and not tac.every and tac.condition is None]
    asked = [tac for tac in tacs if tac.at is not None and (tac.every or tac.condition is not None)]
    for tac in sorted((*plain, *asked), key=lambda tac: (tac.at or 0, tac in asked)):
        impulse = tac.at or 0
        now = state.units[ship.name]
        assert isinstance(now, Ship)
        kind = kind_to_use(replace(state, impulse=impulse), now)
        if isinstance(kind, NotAllowed):
            found[tac.line] = f"it can never be made: {kind}"
        elif tac in plain:
            made = ev.Maneuvered(unit=ship.name, at=ship.at, kind=kind, turn=state.turn, impulse=impulse)
            state = apply(state, made)
    return found


class Protection(msgspec.Struct, frozen=True, kw_only=True):
    """What protects one side of a ship from damage, as far as the reader of the state may know it.

    Attributes:
        number: The number of the shield.
        boxes: The boxes of the shield that would stop damage now.
        general: Points of general reinforcement; 0 if the reader may not know them.
        specific: Points of specific reinforcement; 0 if the reader may not know them.
    """

    number: int
    boxes: int
    general: int = 0
    specific: int = 0


class Prospect(msgspec.Struct, frozen=True, kw_only=True):
    """The forecast of the damage by one FIRE activity of an order.

    Attributes:
        line: The line of the order.
        text: The text of the activity.
        unit: The unit that fires.
        target: The target.
        weapons: The weapons that fire.
        range: The range now, in hexes.
        odds: The odds at this range.
        stop: The shield and reinforcement that protect the target on the side facing the firing unit now.
        by_range: The odds at every range at which any of the weapons may fire and can score damage. Lock-on, scanners,
            cloak and asteroids are taken as they are now.
    """

    line: int
    text: str
    unit: str
    target: str
    weapons: tuple[str, ...]
    range: int
    odds: Odds
    stop: Protection | None = None
    by_range: tuple[tuple[int, Odds], ...] = ()


def prospects(state: State, scenario: Scenario, orders: Orders) -> tuple[tuple[Prospect, ...], tuple[str, ...]]:
    """Return a forecast for every FIRE activity in a side's orders, and remarks where there is none.

    The remarks say why an activity has no forecast. ``state`` is the game as the side itself sees it.
    """
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
                    # The target is not known before the condition is true; assume the nearest enemy.
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
    """Return whether the unit's weapon works and is of a type that is fired by rolling a die.

    Raises:
        NotAllowed: The ship has no such weapon.
    """
    if not isinstance(unit, Ship):
        return weapon == SHUTTLE_WEAPON
    return scores(spec_of(unit, weapon).kind) and unit.weapons[weapon].working and shots_of(unit, weapon) > 0


def _aims(
    state: State, unit: Commanded, target: AnyUnit, weapons: tuple[str, ...], penalty: bool, true: int
) -> Iterator[AimedShot]:
    """Yield the values that decide how likely each of these weapons is to hit at one range.

    :func:`~pbem.engine.steps.firing.aim_of` explains the values. ``true`` is the range in hexes. Weapons that may not
    fire at that range are left out (E1.3, E3.32, E4.14).
    """
    for weapon in weapons:
        try:
            verify_range(kind_of(unit, weapon), true, limit_of(unit, weapon))
        except NotAllowed:
            continue
        yield aim_of(state, unit, weapon, target, penalty, true)


def _stop(state: State, unit: Commanded, target: AnyUnit) -> Protection | None:
    if not isinstance(target, Ship) or target.hex == unit.hex:
        return None
    number = min(faced(state, target, unit), key=ties.of_shields)
    if not power.shields_active(target.power.unpaid):
        return Protection(number=number, boxes=0)
    general = 0 if "general" in target.lowered else target.power.general
    return Protection(
        number=number, boxes=shield_up(target, number), general=general, specific=target.power.reinforcement[number - 1]
    )
