"""The direct-fire step of an impulse (E1.1).

All shots are declared, checked against the rules and rolled. Every side decides based on the state at the start of the
step, so nobody sees what another side fires in the same step. Damage is scored in :mod:`pbem.engine.steps.damage`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from fractions import Fraction

import msgspec

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.terms import WeaponState
from pbem.engine import events as ev
from pbem.engine.conditions.scene import Scene, targets_of
from pbem.engine.play.resolution import Intent, Resolution, replace
from pbem.engine.state import AnyUnit, Commanded, Seeker, Ship, Shuttle, State
from pbem.engine.steps import science
from pbem.engine.steps.geometry import (
    asteroid_modifier,
    bears,
    boundary,
    faced,
    range_between,
    struck_shield,
    verify_line_of_fire,
)
from pbem.engine.steps.launching import spec_of, verify_target, verify_used
from pbem.engine.steps.plasma import is_torpedo
from pbem.engine.steps.sensors import effective_range, veil_of
from pbem.errors import NotAllowed
from pbem.orders.model import Fire
from pbem.rules import power, ties
from pbem.rules.direct_fire import (
    AimedShot,
    drone_modifier,
    faces,
    is_direct_fire,
    is_heavy,
    is_phaser,
    shots_fired,
    verify_aimed,
    verify_range,
    verify_rested,
)
from pbem.rules.plasma import verify_shot_at_plasma
from pbem.rules.power import log_points
from pbem.rules.sensors import verify_fire_control, verify_not_silent
from pbem.rules.shuttles import verify_shot_at_shuttle, verify_shuttle_fire
from pbem.rules.weapons import family, phaser_cost, shot_cost, shots

SHUTTLE_WEAPON = "PH 1"
"""The name of a shuttle's one weapon in orders and reports (J1.31)."""


NOTHING = Fraction(0)

WAITS = {
    "shuttle-range": "the shuttle is still too far (J1.35)",
    "just-launched": "the shuttle was launched too recently (J2.213)",
}
"""Dict of refusal code to a fixed text, for refusals whose details change every impulse.

An order may wait until it can act. With a fixed text the reason is reported only once, and not in every impulse.
"""


class DeclaredShot(msgspec.Struct, frozen=True, kw_only=True):
    """One shot that a unit fires in this step.

    Attributes:
        weapon: The name of the weapon box.
        target: The name of the target.
        energy: What pays for the shot: ``capacitor``, ``allotted`` or ``reserve`` (H7.2); empty for a shuttle.
        number: The number of this shot among the shots of its weapon in the step, from 1.
        points: The energy points that batteries give for this shot.
    """

    weapon: str
    target: str
    energy: str
    number: int = 1
    points: Fraction = Fraction(0)


class Magazine:
    """The energy that a unit can still use for shots in one step.

    FIRE orders use the energy in the sequence in which they are listed. A shuttle's phaser needs no energy (J1.1).
    ``stored`` is the energy in the batteries in points; ``drawn`` is the exact energy that the shots of this step take
    from them. If ``fractional`` is true, each shot costs its exact energy. Otherwise the total of all shots in a step
    is rounded up, as on a line of the energy form: two phaser-3 shots then cost one point together, and a single
    phaser-3 shot costs one point too (B3.2, E2.1).
    """

    def __init__(self, ship: Commanded, fractional: bool = False) -> None:
        self.capacitor = ship.power.capacitor if isinstance(ship, Ship) else 0.0
        self.stored = ship.power.stored if isinstance(ship, Ship) else Fraction(0)
        self.drawn = NOTHING
        self.fractional = fractional
        self.shots: defaultdict[str, int] = defaultdict(int)

    def copy(self) -> Magazine:
        """Return an independent copy, so that an order can be tried without using up energy."""
        other = Magazine.__new__(Magazine)
        other.__dict__.update(self.__dict__)
        other.shots = self.shots.copy()
        return other

    @property
    def reserve(self) -> Fraction:
        """The battery energy left for another shot, in points."""
        return self.stored - self.drawn

    def draw(self, cost: Fraction) -> Fraction:
        """Take ``cost`` points for a shot from the batteries; return the points that are actually taken.

        Without fractional accounting the result may be more or less than ``cost``, because the total of all shots in a
        step is rounded up.
        """
        before = self._given()
        self.drawn += cost
        return self._given() - before

    def _given(self) -> Fraction:
        return self.drawn if self.fractional else Fraction(math.ceil(self.drawn))


def declare(table: Resolution) -> None:
    """Declare and roll all fire of the impulse.

    All units declare their shots first. Then the shots are rolled, unit by unit, sorted by name.
    """
    before = table.state
    manned = [shuttle for shuttle in before.shuttles() if not shuttle.target]
    firers: list[Commanded] = sorted([*before.ships(), *manned], key=lambda unit: unit.name)
    shields_hit: dict[tuple[str, str], int] = {}

    def shield_of(ship: AnyUnit, target: AnyUnit) -> int:
        line = (ship.name, target.name)
        if line not in shields_hit:
            shields_hit[line] = shield_hit(table, ship, target)
        return shields_hit[line]

    science.launch_probes(table, shield_of)
    declared = [(ship, shot) for ship in firers for shot in _shots_of(table, ship, before)]
    for ship, shot in declared:
        target = before.units[shot.target]
        _roll(table, ship, shot, target, shield_of(ship, target))


def _shots_of(table: Resolution, ship: Commanded, before: State) -> list[DeclaredShot]:
    intents = table.captain(ship).intends(table, ship, before, Fire)
    if not intents:
        return []
    magazine = Magazine(ship, before.options.fractional)
    shots: list[DeclaredShot] = []
    known = _Known(before, ship)
    for intent in intents:
        trial, fired, reasons = magazine.copy(), [], []
        for activity in intent.order.does:
            if not isinstance(activity, Fire):
                continue
            more, why = _one_order(known, trial, intent, activity, table.scenario.drone_penalty)
            fired += more
            reasons += why
            if len(intent.order.does) > 1 and (why or not more):
                # Activities joined by AND: all of them act or none.
                fired, trial = [], magazine
                break
        magazine = trial
        shots += fired
        if fired:
            names = ", ".join(f"{shot.weapon} at {shot.target}" for shot in fired)
            reasons += _wasted(before, ship, fired, table.scenario.drone_penalty)
            table.acted(ship, intent.order, "; ".join([f"fired {names}", *reasons]))
        else:
            table.failed(ship, intent.order, "; ".join(reasons) or "no weapon bears")
    return shots


def _wasted(before: State, ship: Commanded, fired: list[DeclaredShot], penalty: bool) -> list[str]:
    """Return remarks for the player about weapons that fired although no die roll could score a hit.

    This happens when the loss of lock-on or the target's cloak makes the effective range too long (D1.4).
    """
    found: dict[str, str] = {}
    for shot in fired:
        target = before.units[shot.target]
        if not worth_firing(before, ship, shot.weapon, target, penalty):
            reach = effective_range(before, ship, target)
            found[shot.weapon] = f"no die of {shot.weapon} scores at effective range {reach}"
    return list(found.values())


class _Known:
    """A cache of the facts about the targets of one unit in one step.

    The cache saves time because many orders may check the same weapon against the same target.
    """

    def __init__(self, before: State, ship: Commanded) -> None:
        self.before, self.ship = before, ship
        self._sights: dict[str, TargetSight] = {}
        self._refused: dict[tuple[object, ...], NotAllowed] = {}
        self.idle: dict[tuple[object, ...], list[str]] = {}
        """Dict of an order, its units and the energy and shots left, to the reasons why no weapon fired."""

    def shot(self, weapon: str, target: AnyUnit, magazine: Magazine, order: Fire) -> DeclaredShot:
        """Return a shot if the rules allow it, as :func:`verify_shot` does.

        A refusal is cached, so that the same shot need not be checked again.

        Raises:
            NotAllowed: A rule forbids the shot.
        """
        drawn = magazine.drawn.as_integer_ratio()  # looking up a Fraction is slow, because its hash is
        left = magazine.capacitor, *drawn, magazine.shots.get(weapon, 0)
        asked = weapon, target.name, order.reserve, order.battery, *left
        if asked in self._refused:
            raise self._refused[asked]
        sight = self._sights.get(target.name)
        if sight is None:
            sight = self._sights[target.name] = TargetSight(self.before, self.ship, target)
        paid = {"reserve": order.reserve, "battery": order.battery}
        try:
            return verify_shot(self.before, self.ship, weapon, target, magazine, sight=sight, **paid)
        except NotAllowed as refused:
            self._refused[asked] = refused
            raise


def _one_order(
    known: _Known, magazine: Magazine, intent: Intent, order: Fire, penalty: bool
) -> tuple[list[DeclaredShot], list[str]]:
    """Return the shots that one FIRE order fires, and the reasons why its other weapons did not fire.

    If an equal order has fired nothing before, this order is not tried, unless energy or shots have been used in
    between. Trying many equal lines against many drones would take seconds.
    """
    waits = intent.order.at is None and not intent.order.last
    used = frozenset((weapon, shots) for weapon, shots in magazine.shots.items() if shots)
    asked = order, intent.its, waits, magazine.capacitor, magazine.drawn.as_integer_ratio(), used
    if asked not in known.idle:
        shots, reasons = _try_order(known, magazine, intent, order, penalty)
        if shots:
            return shots, reasons
        known.idle[asked] = reasons
    return [], [*known.idle[asked]]


def _try_order(
    known: _Known, magazine: Magazine, intent: Intent, order: Fire, penalty: bool
) -> tuple[list[DeclaredShot], list[str]]:
    """Return the shots that one FIRE order fires, and the reasons why its other weapons did not fire.

    Each weapon of the order is tried against each target of the order. :func:`_one_order` calls this function if the
    result is not known yet.
    """
    before, ship = known.before, known.ship
    targets = targets_of(order.target, Scene(state=before, me=ship), intent.its)
    if not targets:
        return [], ["there is no such target in play"]
    shots: list[DeclaredShot] = []
    reasons: list[str] = []
    sweeping = order.one_of or order.target.how == "each"
    weapons = weapons_named(ship, order)
    for target in targets if order.target.how == "each" else targets[:1]:
        for weapon in weapons:
            listed = weapon in order.weapons
            taken = magazine.shots.get(weapon, 0)
            if taken and taken >= shots_of(ship, weapon):
                if listed and not sweeping:
                    reasons.append(f"{weapon} is used by an earlier order")
                continue
            try:
                shot = known.shot(weapon, target, magazine, order)
                if not listed and not worth_firing(before, ship, weapon, target, penalty):
                    continue
            except NotAllowed as refused:
                if listed:
                    waits = intent.order.at is None and not intent.order.last
                    reasons.append(WAITS.get(refused.code, str(refused)) if waits else str(refused))
                continue
            shots.append(_take(before, ship, magazine, shot))
            if sweeping:
                reasons.clear()
                break
    return shots, list(dict.fromkeys(reasons))


def shots_of(unit: Commanded, weapon: str) -> int:
    """Return the number of times that a weapon may fire in one turn (E1.5).

    The number is 1, except for weapons like the phaser-G, which may fire several times, even in one impulse (E2.23).
    """
    return shots(kind_of(unit, weapon)) if not isinstance(unit, Ship) or weapon in unit.weapons else 1


def shots_now(state: State, ship: Commanded, weapon: str, magazine: Magazine | None = None) -> int:
    """Return the number of times that a weapon has already fired this turn (E2.23).

    Shots declared in the present step are included if ``magazine``, which counts them, is given.
    """
    if not isinstance(ship, Ship):
        return 0
    box = ship.weapons[weapon]
    here = magazine.shots[weapon] if magazine else 0
    return here + shots_fired(box.fired, box.shots, state.moment, state.impulses)


def _take(before: State, ship: Commanded, magazine: Magazine, shot: DeclaredShot) -> DeclaredShot:
    """Pay for a shot from the magazine, and return the shot with its payment recorded.

    The returned shot contains its number in the step and the points that batteries pay for it.
    """
    kind, points = kind_of(ship, shot.weapon), Fraction(0)
    if shot.energy == "capacitor":
        magazine.capacitor -= shot_cost(kind, shots_now(before, ship, shot.weapon, magazine))
    elif shot.energy == "reserve":
        points = magazine.draw(reserve_cost(kind))
    magazine.shots[shot.weapon] += 1
    return replace(shot, number=magazine.shots[shot.weapon], points=points)


def kind_of(unit: Commanded, weapon: str) -> str:
    """Return the weapon type of a weapon box on a unit, for example its phaser type.

    For a shuttle the result is the type of its only phaser (J1.31).
    """
    return unit.weapons[weapon].kind if isinstance(unit, Ship) else charts.shuttles().phaser


def weapons_named(ship: Commanded, order: Fire) -> list[str]:
    """Return the names of the weapon boxes that a FIRE order selects, in the sequence of the order.

    ALL and HEAVY are replaced by the boxes in SSD sequence. Each box is listed once, except that a phaser-G is listed
    as often as the order names it, but at most as often as it may fire in a turn (E2.23).
    """
    if not isinstance(ship, Ship):
        named = (SHUTTLE_WEAPON if name in ("ALL", "ALL PH") else name for name in order.weapons if name != "HEAVY")
        return list(dict.fromkeys(named))
    names: list[str] = []
    for name in order.weapons:
        words = name.split()
        if name in ship.weapons or words[0] not in ("ALL", "HEAVY"):
            names.append(name)
            continue
        for box in ship_class(ship.ship).named:
            kind = ship.weapons[box].kind
            if family(kind).ammunition or not ship.weapons[box].working:
                continue
            if (name == "HEAVY" and is_heavy(kind)) or (
                words[0] == "ALL" and box.split()[0] in (words[1:] or [box.split()[0]])
            ):
                names.append(box)
    if len(set(names)) == len(names):
        return names
    return [name for place, name in enumerate(names) if names[:place].count(name) < shots_of(ship, name)]


def verify_shot_at(state: State, firer: Commanded, kind: str, target: AnyUnit) -> None:
    """Check that this type of weapon may be fired at this type of target (E1.1, FP1.6, J1.35).

    Raises:
        NotAllowed: The rules forbid such a shot.
    """
    verify_target(state, firer, target, "E1.1")
    if isinstance(target, Shuttle):
        verify_shot_at_shuttle(range_between(state, firer, target), bool(target.landed))
    if is_torpedo(target):
        verify_shot_at_plasma(kind)


class TargetSight:
    """The facts about one target of a unit in one step, such as range, arc and line of fire.

    The facts are computed once for all weapons of the unit.
    """

    def __init__(self, state: State, firer: Commanded, target: AnyUnit) -> None:
        self.state, self.firer, self.target = state, firer, target
        self.range = range_between(state, firer, target)
        self._fair_game = self._clear = False
        self._arcs: dict[str, bool] = {}

    def verify_shot_at(self, kind: str) -> None:
        """Check that this type of weapon may be fired at the target.

        The function :func:`verify_shot_at` of this module makes the check. It is not called again for another type of
        weapon, unless only some types may be fired at this target.

        Raises:
            NotAllowed: The rules forbid such a shot.
        """
        if not self._fair_game or is_torpedo(self.target):
            verify_shot_at(self.state, self.firer, kind, self.target)
        self._fair_game = True

    def verify_clear(self) -> None:
        """Check that the unit is able to fire now and that no planet blocks the line of fire.

        Raises:
            NotAllowed: The unit cannot fire, or a planet blocks the line of fire.
        """
        if self._clear:
            return
        if isinstance(self.firer, Ship):
            verify_fire_control(self.firer.name, power.fire_control(self.firer.power.unpaid))
            verify_not_silent(veil_of(self.state, self.firer), self.firer.name)
        verify_line_of_fire(self.state, self.firer, self.target)
        self._clear = True

    def bears(self, arc: str) -> bool:
        """Return whether the target is inside this firing arc of the firing unit."""
        if arc not in self._arcs:
            self._arcs[arc] = bears(self.state, self.firer, self.target, arc)
        return self._arcs[arc]


def verify_phaser(state: State, shuttle: Shuttle, weapon: str, target: AnyUnit) -> DeclaredShot:
    """Check a shot of a shuttle's phaser against every rule, and return the shot (J1.31, J2.213).

    Our interpretation where the rules are silent: a shuttle that has landed on a planet does not fire, just as
    nothing can fire at it (P2.0).

    Raises:
        NotAllowed: A rule forbids the shot.
    """
    verify_shuttle_weapon(shuttle.name, weapon)
    kind = kind_of(shuttle, weapon)
    verify_shot_at(state, shuttle, kind, target)
    if shuttle.landed:
        raise NotAllowed("shuttle-landed", f"{shuttle.name} has landed on {shuttle.landed} and cannot fire", "P2.0")
    verify_line_of_fire(state, shuttle, target)
    verify_shuttle_fire(
        name=shuttle.name, fired=shuttle.fired, launched=shuttle.launched, moment=state.moment, impulses=state.impulses
    )
    verify_range(kind, range_between(state, shuttle, target), name=f"{SHUTTLE_WEAPON} of {shuttle.name}")
    return DeclaredShot(weapon=weapon, target=target.name, energy="")


def verify_shuttle_weapon(name: str, weapon: str) -> None:
    """Check that ``weapon`` is the name of a shuttle's only phaser (J1.31).

    Raises:
        NotAllowed: The shuttle has no weapon of that name.
    """
    if weapon != SHUTTLE_WEAPON:
        raise NotAllowed("no-such-weapon", f"{name} has one weapon, {SHUTTLE_WEAPON}", "J1.31")


def verify_shot(
    state: State,
    ship: Commanded,
    weapon: str,
    target: AnyUnit,
    magazine: Magazine | None = None,
    *,
    reserve: bool = False,
    battery: bool = False,
    sight: TargetSight | None = None,
) -> DeclaredShot:
    """Check a ship's shot against every rule, and return the shot (E1.2, E1.5, D2.0).

    Args:
        state: The state of the game.
        ship: The unit that fires.
        weapon: The name of the weapon.
        target: The target.
        magazine: The energy that the ship has left in this step; by default all its energy in ``state``.
        reserve: Whether batteries may pay for the shot.
        battery: Whether batteries must pay for a phaser even if the capacitor has enough energy.
        sight: The facts about the target, if they were already computed for another weapon.

    Raises:
        NotAllowed: A rule forbids the shot; the error names the rule and the values.
    """
    if not isinstance(ship, Ship):
        return verify_phaser(state, ship, weapon, target)
    magazine = magazine or Magazine(ship, state.options.fractional)
    spec = spec_of(ship, weapon)
    if not is_direct_fire(spec.kind):
        raise NotAllowed("not-direct-fire", f"{weapon} is not a direct-fire weapon", "D1.3")
    sight = sight or TargetSight(state, ship, target)
    sight.verify_shot_at(spec.kind)
    verify_used(ship, weapon)
    sight.verify_clear()
    box = ship.weapons[weapon]
    moment, impulses = state.moment, state.impulses
    fired = shots_now(state, ship, weapon, magazine)
    last, often = (moment, fired) if magazine.shots.get(weapon) else (box.fired, box.shots)
    # Check this before the arc, because most weapons that cannot fire have already fired.
    verify_rested(
        kind=spec.kind, name=weapon, working=box.working, fired=last, moment=moment, impulses=impulses, shots=often
    )
    used = state.options.reinforcement
    source, energy = energy_for(
        spec.kind, box.charge, magazine, (reserve or battery) and used, fired, battery=battery and used
    )
    verify_aimed(
        kind=spec.kind,
        name=weapon,
        charge=WeaponState.POWERED if source == "reserve" and not is_phaser(spec.kind) else box.charge,
        shots=fired,
        range=sight.range,
        max_range=spec.max_range,
        in_arc=sight.bears(spec.arc),
        energy=energy,
    )
    return DeclaredShot(weapon=weapon, target=target.name, energy=source)


def energy_for(
    kind: str, charge: str, magazine: Magazine, reserve: bool, fired: int = 0, *, battery: bool = False
) -> tuple[str, float]:
    """Return the source that pays for a shot, and the energy points that this source contains.

    Phasers use the capacitor first (H6.1), then reserve power (the batteries) if the order allows it (H7.2). If
    ``battery`` is true, they use reserve power only (H7.3). ``fired`` is the number of shots already fired in this
    turn.
    """
    if is_phaser(kind):
        cost = shot_cost(kind, fired)
        if not (battery and cost) and (magazine.capacitor >= cost or not reserve):
            return "capacitor", magazine.capacitor
        return "reserve", float(magazine.reserve)
    if not charge and reserve and 0 < reserve_cost(kind) <= magazine.reserve:
        return "reserve", 0.0
    return "allotted", 0.0


def worth_firing(state: State, ship: Commanded, weapon: str, target: AnyUnit, penalty: bool = True) -> bool:
    """Return whether at least one die result would score damage at this range.

    Weapons for which the result is false do not fire with an order for ALL weapons. ``penalty`` is true if the scenario
    uses the die modifier for fire at drones.
    """
    aim = aim_of(state, ship, weapon, target, penalty)
    return any(shot.points > 0 for shot in faces(aim))


def aim_of(
    state: State, ship: Commanded, weapon: str, target: AnyUnit, penalty: bool, true: int | None = None
) -> AimedShot:
    """Return the values that decide the result of a shot together with the die roll.

    ``penalty`` is true if the scenario uses the die modifier for fire at drones. ``true`` is the true range in hexes,
    if it is not the present range.
    """
    kind = kind_of(ship, weapon)
    return AimedShot(
        kind,
        range_between(state, ship, target) if true is None else true,
        effective_range(state, ship, target, true),
        _die_modifier(kind, target, penalty) + asteroid_modifier(state, ship, target),
        limit_of(ship, weapon),
    )


def limit_of(unit: Commanded, weapon: str) -> int | None:
    """Return the longest range of this weapon box in hexes, if the ship class limits it (E3.32).

    The result is ``None`` if there is no such limit.
    """
    return spec_of(unit, weapon).max_range if isinstance(unit, Ship) else None


def _die_modifier(kind: str, target: AnyUnit, penalty: bool) -> int:
    """Return the number added to the die of photons and disruptors fired at drones (FD1.52).

    The result is 0 for other targets, and in scenarios that do not use this modifier.
    """
    return drone_modifier(kind) if penalty and isinstance(target, Seeker) and target.weapon == "drone" else 0


def _rule_of(kind: str) -> str:
    """Return the number of the rule by which the result of a weapon type is decided."""
    return charts.weapon_kinds()[kind].rule


def reserve_cost(kind: str) -> Fraction:
    """Return the points of battery energy that a shot paid for during a turn costs (H7.2).

    Only phasers and weapons that can be armed in a single turn can be fired with battery energy. For other weapons the
    result is 0.
    """
    return Fraction(phaser_cost(kind) if is_phaser(kind) else family(kind).cost)


def shield_hit(table: Resolution, ship: AnyUnit, target: AnyUnit) -> int:
    """Return the number of the target's shield that a shot hits (D3.4); 0 for targets without shields.

    If the line of fire follows the boundary between two shields, rule D3.41 decides; if D3.41 gives no result, the game
    option ``boundary`` decides.
    """
    if not isinstance(target, Ship):
        return 0
    settled = boundary(table.state, target, ship)
    if settled is not None:
        return settled
    first, second = sorted(faced(table.state, target, ship), key=ties.of_shields)
    if table.state.options.boundary == "die":
        roll, die = table.roll(target.name, f"boundary-{ship.name}")
        shield = first if die % 2 else second
        table.tell(
            ev.Rolled(
                unit=target.name, roll=roll, die=die, meaning=f"line of fire strikes shield #{shield}", rule="D3.41"
            )
        )
        return shield
    return struck_shield(table.state, target, ship)


def _roll(table: Resolution, ship: Commanded, fires: DeclaredShot, target: AnyUnit, shield: int) -> None:
    """Roll the die of one declared shot (E1.1, E1.3) and record the result in the log.

    ``fires`` is the shot; ``shield`` is the number of the shield that the shot hits.
    """
    aim = aim_of(table.state, ship, fires.weapon, target, table.scenario.drone_penalty)
    roll, die = table.roll(ship.name, fires.weapon, fires.number)
    effect = faces(aim)[die - 1]
    if fires.points:
        spent = ev.ReserveSpent(unit=ship.name, points=log_points(fires.points), purpose=fires.weapon, rule="H7.2")
        table.secret(ship.side, spent)
    fired = ev.Fired(
        unit=ship.name,
        weapon=fires.weapon,
        kind=aim.kind,
        target=target.name,
        range=aim.range,
        effective=aim.effective,
        roll=roll,
        die=die,
        modifier=aim.modifier,
        hit=effect.hit,
        points=effect.points,
        shield=shield,
        rule=_rule_of(aim.kind),
    )
    if not fires.energy:
        table.tell(fired)
        return
    # Only the owner may know whether batteries or the capacitor paid (H6, H7).
    table.secret(ship.side, replace(fired, energy=fires.energy), fired)
