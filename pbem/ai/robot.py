"""Command the robot ships of scenario #4 (robot rules 1 to 9) and the scripted freighters of #3.

A robot ship flies at a fixed speed and has no energy form; its weapons are reloaded every turn. At first it follows its
enemy like a seeking weapon. In the first impulse of the turn in which the enemy is within four hexes (the Primary Fire
Point), it fires all weapons that have the enemy in their arc. Then it turns to aim the other weapons.

A scripted freighter follows the course of its script, and fires its phasers once per turn in an impulse set by the
script.
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.data import charts
from pbem.data.scenarios import Scenario, ScenarioUnit
from pbem.data.ships import ship_class
from pbem.data.terms import CloakState
from pbem.engine import events as ev
from pbem.engine.play.resolution import Commander, Doing, Intent, Resolution, Steer, replace
from pbem.engine.relations import can_fight, targets
from pbem.engine.state import AnyUnit, Commanded, Seeker, Ship, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import ready_robot, robot_torpedo
from pbem.engine.steps.firing import verify_shot
from pbem.engine.steps.geometry import bears, range_between
from pbem.engine.steps.launching import verify_launch
from pbem.engine.steps.plasma import is_torpedo
from pbem.engine.steps.steering import come_about, entered, keeps_room, legal_codes, off_bow, turn_mode, verify_code
from pbem.errors import NotAllowed
from pbem.orders import model as om
from pbem.rules import hexes, movement, seeking, ties
from pbem.rules.direct_fire import is_direct_fire, is_phaser
from pbem.rules.movement import moves
from pbem.rules.weapons import family

PRIMARY_FIRE = "primary fire point"
"""Mark of a robot ship that has passed its Primary Fire Point this turn (rule 2). A new turn removes it."""

WAYS = ("F", "L", "R")
"""Movement codes that a robot ship uses (straight, left, right); it does not sideslip."""


class RobotCommander(Commander):
    """Chooses speed, movement, launches and fire for all ships of a robot side."""

    def __init__(self, side: str) -> None:
        self.side = side

    def allot(self, table: Resolution, ship: Ship, before: State) -> None:
        """Set the ship's speed for the turn and reload its weapons; a captured ship only keeps its speed."""
        if ship.is_prize:
            engineering.hold_speed(table, ship)
        else:
            ready_robot(table, ship)

    # --- rule 2 and 3: where to go ---

    def steer(self, table: Resolution, ship: Commanded, before: State) -> Steer:
        """Return the movement code that robot rules 2 to 4 call for (F straight on, L left, R right).

        If that code would sooner or later lead the ship off the map, the robot flies straight on instead. If that is
        not safe either, it makes the turn that leads nearest to the enemy.
        """
        codes = [code for code in legal_codes(before, ship) if code in WAYS]
        if not codes or not isinstance(ship, Ship):
            return Steer(code="F")
        if ship.is_prize:  # reading: a prize crew without a player holds its course
            return Steer(code="F")
        safe = [code for code in codes if keeps_room(before, ship, code, WAYS)] or codes
        enemy = quarry(before, ship)
        if hunter := _hunter(table.scenario, before, ship):
            return Steer(code=_flee(before, ship, hunter, safe))
        wish = "F" if enemy is None else self._wish(table, ship, enemy, before)
        if wish in safe:
            return Steer(code=wish)

        def away(code: str) -> tuple[bool, int]:
            hex_ = entered(before, ship, code)[0]
            return code != "F", 0 if enemy is None else hexes.distance(hex_, enemy.hex, before.grid)

        return Steer(code=min(safe, key=lambda code: (*away(code), ties.of_codes(code))))

    def _wish(self, table: Resolution, ship: Ship, enemy: Ship, before: State) -> str:
        if not _primary_past(ship):
            return _follow(before, ship, enemy)
        return self._bring_to_bear(table, ship, enemy, before)

    def _bring_to_bear(self, table: Resolution, ship: Ship, enemy: Ship, before: State) -> str:
        """Apply robot rule 3: return the turn after which more unfired weapons can aim at the enemy.

        The result is ``L`` (left), ``R`` (right) or ``F`` (no turn). A coin decides a tie.
        """
        if not movement.can_turn(ship.since_turn, turn_mode(ship)):
            return "F"
        left, right = _weapons_by_side(before, ship, enemy)
        if not left and not right:
            return "F"
        if len(left) != len(right):
            return "L" if len(left) > len(right) else "R"
        roll, die = table.roll(ship.name, "coin", sides=2)
        way = "L" if die == 1 else "R"
        meaning = f"turns {'left' if way == 'L' else 'right'} to bring its weapons to bear"
        table.tell(ev.Rolled(unit=ship.name, roll=roll, die=die, meaning=meaning, rule="robot 3"))
        return way

    # --- rules 2, 3, 5: what to fire and launch ---

    def intends(self, table: Resolution, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Return what the ship launches (robot rules 5 and 8) or fires (rules 2 and 3) in this step.

        ``doing`` is the type of activity in the step.
        """
        if not isinstance(ship, Ship) or not can_fight(ship):
            return []
        enemy = quarry(before, ship)
        if enemy is None:
            return _shoot_torpedoes(table, ship, before) if doing is om.Fire else []
        target = om.UnitRef(how="name", name=enemy.name)
        if doing is om.Launch:
            drone = self._launch(ship, enemy, before, target) if before.impulse == 1 else []
            return drone + self._launch_torpedo(ship, enemy, before, target)
        if doing is om.Fire:
            # Phasers that fire at a torpedo cannot fire at the enemy as well.
            return _shoot_torpedoes(table, ship, before) + self._fire(table, ship, enemy, before, target)
        return []

    def _launch(self, ship: Ship, enemy: Ship, before: State, target: om.UnitRef) -> list[Intent]:
        """Apply robot rule 5: return the launch of one drone on the first impulse of every turn.

        The list is empty if no launch is allowed.
        """
        for name, weapon in sorted(ship.weapons.items()):
            if not family(weapon.kind).ammunition:
                continue
            try:
                verify_launch(before, ship, name, enemy)
            except NotAllowed:
                continue
            return [_intent(om.Launch(weapon=name, target=target), "robot rule 5: launch a drone")]
        return []

    def _launch_torpedo(self, ship: Ship, enemy: Ship, before: State, target: om.UnitRef) -> list[Intent]:
        """Apply robot rule 8: return the launch of the plasma torpedo as soon as it is possible.

        The list is empty if no launch is possible.
        """
        name = robot_torpedo(before, ship)
        if not name:
            return []
        try:
            verify_launch(before, ship, name, enemy)
        except NotAllowed:
            return []
        return [_intent(om.Launch(weapon=name, target=target), "robot rule 8: launch a torpedo")]

    def _fire(self, table: Resolution, ship: Ship, enemy: Ship, before: State, target: om.UnitRef) -> list[Intent]:
        """Apply robot rules 2 and 3: return fire with every weapon that has the enemy in its arc.

        The ship holds its fire until the Primary Fire Point. After it, each weapon fires as soon as it can.
        """
        if not _primary_past(ship):
            if not (
                range_between(before, ship, enemy) <= table.scenario.robot_fire_range
                or before.impulse == before.impulses
                or _must_leave(before, enemy)
                or _just_uncloaked(before, enemy)
            ):
                return []
            table.tell(ev.Marked(unit=ship.name, mark=PRIMARY_FIRE, rule="robot 2"))
        bearing = tuple(name for name in _unfired(before, ship) if can_fire(before, ship, name, enemy))
        return [_intent(om.Fire(weapons=bearing, target=target), "robot rules 2 and 3: fire")] if bearing else []


def _just_uncloaked(state: State, enemy: Ship) -> bool:
    """Return whether the enemy finished uncloaking in this impulse (scenario #6)."""
    return enemy.cloaking.state == CloakState.UNCLOAKED and enemy.cloaking.since == state.moment


def _hunter(scenario: Scenario, state: State, ship: Ship) -> Seeker | None:
    """Return the nearest plasma torpedo that targets the ship, or ``None``; ties are broken by name.

    The result is always ``None`` outside scenario #6, because only there robots turn away from torpedoes and fire at
    them. In other scenarios robot rule 2 applies, and the ship follows its enemy.
    """
    if not scenario.robot_torpedo_range:
        return None
    hunters = [seeker for seeker in state.seekers() if is_torpedo(seeker) and seeker.target == ship.name]
    return min(hunters, key=lambda one: (range_between(state, ship, one), ties.of_names(one.name)), default=None)


def _flee(state: State, ship: Ship, hunter: Seeker, codes: list[str]) -> str:
    """Return the movement code that leads farthest away from a torpedo.

    If several codes lead equally far away, the result is the code after which the torpedo is farthest from the
    direction straight ahead of the ship.
    """

    def score(code: str) -> tuple[float, float, int]:
        hex_, facing = entered(state, ship, code)
        gap = hexes.distance(hex_, hunter.hex, state.grid)
        return -gap, -off_bow(hex_, facing, hunter.hex, state.grid), ties.of_codes(code)

    return min(codes, key=score)


def _shoot_torpedoes(table: Resolution, ship: Ship, before: State) -> list[Intent]:
    """Return fire at a nearby torpedo that targets the ship, with all phasers that can hit it (#6)."""
    hunter = _hunter(table.scenario, before, ship)
    if hunter is None or range_between(before, ship, hunter) > table.scenario.robot_torpedo_range:
        return []
    phasers = [name for name in _unfired(before, ship) if is_phaser(ship.weapons[name].kind)]
    bearing = tuple(name for name in phasers if can_fire(before, ship, name, hunter))
    target = om.UnitRef(how="name", name=hunter.name)
    return [_intent(om.Fire(weapons=bearing, target=target), "scenario #6: phasers at a torpedo")] if bearing else []


def quarry(state: State, ship: Ship) -> Ship | None:
    """Return the enemy ship to attack: the nearest ship that can fight; if none can, the nearest ship.

    Ties are broken by name. The result is ``None`` if there is no enemy ship.
    """
    enemies = [enemy for enemy in targets(state, ship.side, state.ships()) if not enemy.terms.immobile]

    def rank(enemy: Ship) -> tuple[bool, int, object]:
        return not can_fight(enemy), range_between(state, ship, enemy), ties.of_names(enemy.name)

    return min(enemies, key=rank, default=None)


def _intent(activity: om.Activity, text: str) -> Intent:
    return Intent(order=om.Order(does=(activity,), text=text))


def _primary_past(ship: Ship) -> bool:
    return PRIMARY_FIRE in ship.marks


def _unfired(state: State, ship: Ship) -> list[str]:
    """Return the names of the direct-fire weapons that are ready and have not fired this turn."""
    began = (state.turn - 1) * state.impulses
    names = [spec.name for spec in ship_class(ship.ship).weapons if is_direct_fire(spec.kind)]
    found = []
    for name in names:
        weapon = ship.weapons[name]
        ready = family(weapon.kind).ready(weapon.charge)
        if weapon.working and ready and (weapon.fired is None or weapon.fired <= began):
            found.append(name)
    return found


def can_fire(state: State, ship: Ship, weapon: str, enemy: AnyUnit) -> bool:
    """Return whether the ship may fire this weapon at this unit now."""
    try:
        verify_shot(state, ship, weapon, enemy)
    except NotAllowed:
        return False
    return True


def _weapons_by_side(state: State, ship: Ship, enemy: Ship) -> tuple[list[str], list[str]]:
    """Return two lists of unfired weapons: weapons to aim by a left turn, and by a right turn.

    A weapon is in the list of the direction in which fewer turns are needed to aim it, and in both lists if the number
    is the same. A weapon that already bears on the enemy is in neither list. Our interpretation where the rule is
    silent: this includes a weapon that bears but cannot fire yet (it fired less than a quarter turn ago, or the ship
    needs more room).
    """
    left: list[str] = []
    right: list[str] = []
    for name in _unfired(state, ship):
        if _can_bear(state, ship, name, enemy):
            continue
        turns: dict[int, int] = {}
        for way in (-1, 1):
            for count in (1, 2, 3):
                turned = replace(ship, facing=hexes.turn_facing(ship.facing, way * count))
                if _can_bear(state, turned, name, enemy):
                    turns[way] = count
                    break
        if not turns:
            continue
        best = min(turns.values())
        left += [name] if turns.get(-1) == best else []
        right += [name] if turns.get(1) == best else []
    return left, right


def _can_bear(state: State, ship: Ship, weapon: str, enemy: Ship) -> bool:
    return bears(state, ship, enemy, ship_class(ship.ship).arc(weapon))


def _follow(state: State, ship: Ship, enemy: Ship) -> str:
    """Return the movement code with which an unguided seeking weapon would follow the enemy (F2.0).

    The special rule for such weapons applies. The caller does not use the code if the ship's turn mode does not allow
    that turn yet.
    """
    if ship.hex == enemy.hex:
        return "F"
    straight = charts.turn_modes().seeking
    return seeking.default_step(ship.hex, ship.facing, straight, enemy.hex, state.grid, state.map, state.planets)[0]


# --- rule 3: the edge of the map ---


def _must_leave(state: State, enemy: Ship) -> bool:
    """Return whether every legal move in the next impulse takes the enemy off the map (robot rule 3).

    If the enemy does not move in the next impulse, the result is false.
    """
    following = state.impulse + 1
    if following > state.impulses or not moves(enemy.speed, following, state.impulses):
        return False
    return not legal_codes(state, enemy)


def commanders(scenario: Scenario) -> Callable[[str], Commander]:
    """Return a function that returns the commander of the ships of a side without a player.

    The function takes the name of the side. The commander follows the scenario's script if the side has one; otherwise
    it plays by the robot rules.
    """

    def captain(side: str) -> Commander:
        scripted = any(unit.script for unit in scenario.units_of(side))
        return ScriptedCommander(side, scenario) if scripted else RobotCommander(side)

    return captain


class ScriptedCommander(RobotCommander):
    """Commands ships by the scripts of the scenario; a ship without a script flies straight on."""

    def __init__(self, side: str, scenario: Scenario) -> None:
        super().__init__(side)
        self.units = {unit.name: unit for unit in scenario.units_of(side)}
        self.leaves = not scenario.keeps_on_map(side)

    def allot(self, table: Resolution, ship: Ship, before: State) -> None:
        """Set the ship's speed from the script, as far as damage allows; a captured ship keeps its speed."""
        if ship.is_prize:
            engineering.hold_speed(table, ship)
        else:
            engineering.ready(table, ship, None)

    def may_leave(self, ship: Commanded) -> bool:
        """Return whether the ship may leave the map. In #3 that is its aim; in #8 the scenario forbids it."""
        return self.leaves

    def steer(self, table: Resolution, ship: Commanded, before: State) -> Steer:
        """Return the movement code that the script gives for this move.

        The ship flies straight on until it reaches the map column in the script. Then it makes turns of 60 degrees
        until it has the direction that the script gives.
        """
        unit = self.units.get(ship.name)
        script = unit.script if unit else None
        if not isinstance(ship, Ship) or unit is None or script is None:
            return Steer(code="F")
        if not script.turns_at or not _reached(ship, unit, script.turns_at):
            return Steer(code="F")
        steps = hexes.relative(ship.facing, script.turns_to)
        code = come_about(steps) if steps else "F"
        return Steer(code=code if verify_code(before, ship, code) is None else "F")

    def intends(self, table: Resolution, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Return fire with every phaser that can hit, once per turn, in the impulse that the script gives.

        The target is the nearest drone that targets the ship; if there is none, the nearest enemy ship.
        """
        unit = self.units.get(ship.name)
        script = unit.script if unit else None
        if doing is not om.Fire or not isinstance(ship, Ship) or script is None or before.impulse != script.fires_on:
            return []
        phasers = [name for name, weapon in sorted(ship.weapons.items()) if is_phaser(weapon.kind)]
        for target in _targets(before, ship):
            ready = tuple(name for name in phasers if can_fire(before, ship, name, target))
            if ready:
                fire = om.Fire(weapons=ready, target=om.UnitRef(how="name", name=target.name))
                return [Intent(order=om.Order(does=(fire,), text="fire on its own impulse"))]
        return []


def _reached(ship: Ship, unit: ScenarioUnit, column: str) -> bool:
    """Return whether the ship has reached or passed a map column on its way from where it started."""
    start, here, there = int(unit.hex[:2]), int(ship.hex[:2]), int(column)
    return start <= there <= here or start >= there >= here


def _targets(state: State, ship: Ship) -> list[AnyUnit]:
    drones = [seeker for seeker in state.seekers() if seeker.target == ship.name]
    enemy = quarry(state, ship)
    found: list[AnyUnit] = sorted(drones, key=lambda one: (range_between(state, ship, one), ties.of_names(one.name)))
    return [*found, *([enemy] if enemy else [])]
