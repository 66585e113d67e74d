"""Direct fire is declared (E1.1): every captain decides on the state as the step begins, nobody sees what
another fires.
"""

from __future__ import annotations

import math

import msgspec

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.faults import NotAllowed
from pbem.game import events as ev
from pbem.game.state import AnyUnit, Seeker, Ship, State
from pbem.orders.model import Fire
from pbem.rules import standing
from pbem.rules.cloak import verify_not_silent
from pbem.rules.direct_fire import direct_fire, drone_modifier, is_direct_fire, is_heavy, is_phaser
from pbem.rules.fire import verify_fire
from pbem.rules.phasers import phaser_cost
from pbem.rules.plasma import verify_shot_at_plasma
from pbem.rules.sensors import verify_fire_control
from pbem.turn import science
from pbem.turn.cloaking import veil_of
from pbem.turn.conditions import Scene, units_of
from pbem.turn.launching import spec_of, verify_target, verify_used
from pbem.turn.sensing import effective_range
from pbem.turn.sight import bears, boundary, faced, range_between
from pbem.turn.table import Intent, Table, replace
from pbem.turn.torpedoes import is_torpedo


class Shot(msgspec.Struct, frozen=True, kw_only=True):
    """A weapon that fires in this step, at whom, and who pays: ``capacitor``, ``allotted`` or ``reserve`` (H7.2)."""

    weapon: str
    target: str
    energy: str


class Magazine:
    """What a ship has left to fire with within one step; orders take from it in the order they are listed."""

    def __init__(self, ship: Ship) -> None:
        self.capacitor = ship.capacitor
        self.batteries = ship.batteries
        self.used: set[str] = set()

    def copy(self) -> Magazine:
        other = Magazine.__new__(Magazine)
        other.capacitor, other.batteries, other.used = self.capacitor, self.batteries, set(self.used)
        return other


def declare(table: Table) -> None:
    """All fire of the impulse: declared by everybody, then rolled, ship by ship in the order of their names."""
    before = table.state
    science.launch_probes(table)
    declared = [(ship, shot) for ship in before.ships() for shot in _shots_of(table, ship, before)]
    shields_hit: dict[tuple[str, str], int] = {}
    for ship, shot in declared:
        target = before.units[shot.target]
        line = (ship.name, shot.target)
        if line not in shields_hit:
            shields_hit[line] = shield_hit(table, ship, target)
        _roll(table, ship, shot, target, shields_hit[line])


def _shots_of(table: Table, ship: Ship, before: State) -> list[Shot]:
    magazine = Magazine(ship)
    shots: list[Shot] = []
    for intent in table.captain(ship).intends(table, ship, before, Fire):
        trial, fired, reasons = magazine.copy(), [], []
        for activity in intent.order.does:
            if not isinstance(activity, Fire):
                continue
            more, why = _one_order(before, ship, trial, intent, activity, table.scenario.drone_penalty)
            fired += more
            reasons += why
            if len(intent.order.does) > 1 and (why or not more):
                # Joined by AND: all of it or nothing.
                fired, trial = [], magazine
                break
        magazine = trial
        shots += fired
        if fired:
            names = ", ".join(f"{shot.weapon} at {shot.target}" for shot in fired)
            table.acted(ship, intent.order, "; ".join([f"fired {names}", *reasons]))
        else:
            table.failed(ship, intent.order, "; ".join(reasons) or "no weapon bears")
    return shots


def _one_order(
    before: State, ship: Ship, magazine: Magazine, intent: Intent, order: Fire, penalty: bool
) -> tuple[list[Shot], list[str]]:
    """What one FIRE makes of its weapons and targets: the shots, and why the others were not fired."""
    targets = units_of(order.target, Scene(state=before, me=ship), intent.its)
    if not targets:
        return [], ["there is no such target in play"]
    shots: list[Shot] = []
    reasons: list[str] = []
    sweeping = order.one_of or order.target.how == "each"
    for target in targets if order.target.how == "each" else targets[:1]:
        for weapon in _weapons_named(ship, order):
            listed = weapon in order.weapons
            if weapon in magazine.used:
                if listed and not sweeping:
                    reasons.append(f"{weapon} was taken by an order listed before")
                continue
            try:
                shot = verify_shot(before, ship, weapon, target, magazine, reserve=order.reserve)
                if not listed and not worth_firing(before, ship, weapon, target, penalty):
                    continue
            except NotAllowed as refused:
                if listed:
                    reasons.append(str(refused))
                continue
            _take(ship, magazine, shot)
            shots.append(shot)
            if sweeping:
                reasons.clear()
                break
    return shots, list(dict.fromkeys(reasons))


def _take(ship: Ship, magazine: Magazine, shot: Shot) -> None:
    magazine.used.add(shot.weapon)
    kind = ship.weapons[shot.weapon].kind
    if shot.energy == "capacitor":
        magazine.capacitor -= phaser_cost(kind)
    elif shot.energy == "reserve":
        magazine.batteries -= reserve_cost(kind)


def _weapons_named(ship: Ship, order: Fire) -> list[str]:
    """The weapon boxes a FIRE order means, in its order; ALL and HEAVY stand for boxes in the order of the SSD."""
    names: list[str] = []
    for name in order.weapons:
        words = name.split()
        if name in ship.weapons or words[0] not in ("ALL", "HEAVY"):
            names.append(name)
            continue
        for box in (spec.name for spec in ship_class(ship.ship).weapons):
            kind = ship.weapons[box].kind
            if kind == "drone_rack" or not ship.weapons[box].working:
                continue
            if (words[0] == "HEAVY" and is_heavy(kind)) or (
                words[0] == "ALL" and box.split()[0] in (words[1:] or [box.split()[0]])
            ):
                names.append(box)
    return list(dict.fromkeys(names))


def verify_shot(
    state: State, ship: Ship, weapon: str, target: AnyUnit, magazine: Magazine | None = None, *, reserve: bool = False
) -> Shot:
    """The shot, if every rule allows it on this state; else :class:`NotAllowed` with the rule and values (E1.2,
    E1.5, D2.0).
    """
    magazine = magazine or Magazine(ship)
    spec = spec_of(ship, weapon)
    if not is_direct_fire(spec.kind):
        raise NotAllowed("not-direct-fire", f"{weapon} is no direct-fire weapon", "D1.3")
    verify_target(state, ship, target, "E1.1")
    verify_used(ship, weapon)
    if is_torpedo(target):
        verify_shot_at_plasma(spec.kind)
    verify_fire_control(ship.name, standing.fire_control(ship.unpaid))
    verify_not_silent(veil_of(state, ship), ship.name)
    box = ship.weapons[weapon]
    source, energy = energy_for(spec.kind, box.charge, magazine, reserve and state.options.reinforcement)
    verify_fire(
        kind=spec.kind,
        name=weapon,
        working=box.working,
        charge="powered" if source == "reserve" and not is_phaser(spec.kind) else box.charge,
        fired=box.fired,
        moment=state.moment,
        impulses=state.impulses,
        range=range_between(state, ship, target),
        max_range=spec.max_range,
        in_arc=bears(state, ship, target, spec.arc),
        energy=energy,
    )
    return Shot(weapon=weapon, target=target.name, energy=source)


def energy_for(kind: str, charge: str, magazine: Magazine, reserve: bool) -> tuple[str, float]:
    """Where a weapon's energy comes from, and how much is there: the capacitor first (H6.1), reserve power if
    allowed (H7.2).
    """
    if is_phaser(kind):
        if magazine.capacitor >= phaser_cost(kind) or not reserve:
            return "capacitor", magazine.capacitor
        return "reserve", float(magazine.batteries)
    if not charge and reserve and 0 < reserve_cost(kind) <= magazine.batteries:
        return "reserve", 0.0
    return "allotted", 0.0


def worth_firing(state: State, ship: Ship, weapon: str, target: AnyUnit, penalty: bool = True) -> bool:
    """Whether any die could score at this range: ALL does not waste a weapon that cannot."""
    kind = ship.weapons[weapon].kind
    reach, effective = range_between(state, ship, target), effective_range(state, ship, target)
    modifier = _die_modifier(kind, target, penalty)
    return any(direct_fire(kind, reach, effective, die, modifier).points > 0 for die in range(1, 7))


def _die_modifier(kind: str, target: AnyUnit, penalty: bool) -> int:
    """What is added to the die: photons and disruptors find it hard to hit drones (FD1.52), if the scenario has it."""
    return drone_modifier(kind) if penalty and isinstance(target, Seeker) and target.weapon == "drone" else 0


def _rule_of(kind: str) -> str:
    """The rule by which a kind of weapon is resolved."""
    return "E2.4" if is_phaser(kind) else {"disruptor": "E3.3", "photon": "E4.12"}.get(kind, "E1.3")


def reserve_cost(kind: str) -> int:
    """Batteries that firing a weapon takes in the middle of a turn (H7.2): phasers and weapons armed in one
    turn; 0 = none can.
    """
    if is_phaser(kind):
        return math.ceil(phaser_cost(kind))
    chart = charts.chart(charts.weapon_kinds()[kind].chart)
    return int(getattr(chart, "energy", 0)) if kind != "photon" else 0


def shield_hit(table: Table, ship: AnyUnit, target: AnyUnit) -> int:
    """The shield the line of fire crosses (D3.4); a boundary is settled by D3.41 and, failing that, by the
    game's option.
    """
    if not isinstance(target, Ship):
        return 0
    shown = faced(table.state, target, ship)
    if len(shown) == 1:
        return shown[0]
    settled = boundary(table.state, target, ship)
    if settled is not None:
        return settled
    first, second = sorted(shown)
    if table.state.options.boundary == "die":
        roll, die = table.roll(target.name, f"boundary-{ship.name}")
        shield = first if die % 2 else second
        table.tell(
            ev.Rolled(
                unit=target.name, roll=roll, die=die, meaning=f"line of fire strikes shield #{shield}", rule="D3.41"
            )
        )
        return shield
    return first if target.shields[first - 1] >= target.shields[second - 1] else second


def _roll(table: Table, ship: Ship, shot: Shot, target: AnyUnit, shield: int) -> None:
    """One die for the weapon (E1.1), its effect from its chart at this range (E1.3)."""
    kind = ship.weapons[shot.weapon].kind
    reach, effective = range_between(table.state, ship, target), effective_range(table.state, ship, target)
    modifier = _die_modifier(kind, target, table.scenario.drone_penalty)
    roll, die = table.roll(ship.name, shot.weapon)
    effect = direct_fire(kind, reach, effective, die, modifier)
    if shot.energy == "reserve":
        table.secret(
            ship.side,
            ev.ReserveSpent(unit=ship.name, points=reserve_cost(kind), purpose=shot.weapon, rule="H7.2"),
        )
    fired = ev.Fired(
        unit=ship.name,
        weapon=shot.weapon,
        kind=kind,
        target=target.name,
        range=reach,
        effective=effective,
        roll=roll,
        die=die,
        modifier=modifier,
        hit=effect.hit,
        points=effect.points,
        shield=shield,
        rule=_rule_of(kind),
    )
    # Who paid is the owner's secret: batteries and capacitor are not shown to anybody (H6, H7).
    table.secret(ship.side, replace(fired, energy=shot.energy), fired)
