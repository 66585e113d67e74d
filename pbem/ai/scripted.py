"""Freighters nobody commands: each goes its way and fires its phaser once a turn, on an impulse of its own
(scenario #3).
"""

from __future__ import annotations

from collections.abc import Callable

from pbem.ai.captain import RobotCaptain, can_fire, quarry
from pbem.data.scenarios import Scenario, ScenarioUnit
from pbem.engine.play.resolution import Captain, Doing, Intent, Steer, Table
from pbem.engine.state import AnyUnit, Commanded, Ship, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.geometry import range_between
from pbem.engine.steps.helm import come_about, verify_code
from pbem.orders import model as om
from pbem.rules import hexes, ties
from pbem.rules.direct_fire import is_phaser


def captains(scenario: Scenario) -> Callable[[str], Captain]:
    """Who commands a side that has no player: the scenario's script for its ships, else the robot."""

    def captain(side: str) -> Captain:
        scripted = any(unit.script for unit in scenario.units if unit.side == side)
        return ScriptedCaptain(side, scenario) if scripted else RobotCaptain(side)

    return captain


class ScriptedCaptain(RobotCaptain):
    """Commands the ships of a side by the script the scenario gives each; one without a script flies straight on."""

    def __init__(self, side: str, scenario: Scenario) -> None:
        super().__init__(side)
        self.units = {unit.name: unit for unit in scenario.units if unit.side == side}
        self.leaves = scenario.side(side).leaving != "forbidden"

    def allot(self, table: Table, ship: Ship, before: State) -> None:
        """The speed of the script, or what damage has left of it; a prize keeps its own."""
        if ship.captured_from:
            engineering.hold_speed(table, ship)
        else:
            engineering.ready(table, ship, None)

    def may_leave(self, ship: Commanded) -> bool:
        """Getting away is what it is there for (#3), unless the scenario keeps it on the map (#8)."""
        return self.leaves

    def steer(self, table: Table, ship: Commanded, before: State) -> Steer:
        """Straight ahead, and from the column of the script on by turns of 60 degrees to its new direction."""
        unit = self.units.get(ship.name)
        script = unit.script if unit else None
        if not isinstance(ship, Ship) or unit is None or script is None:
            return Steer(code="F")
        if not script.turns_at or not _reached(ship, unit, script.turns_at):
            return Steer(code="F")
        steps = hexes.relative(ship.facing, script.turns_to)
        code = come_about(steps) if steps else "F"
        return Steer(code=code if verify_code(before, ship, code) is None else "F")

    def intends(self, table: Table, ship: Commanded, before: State, doing: Doing) -> list[Intent]:
        """Every phaser once a turn, on the impulse of the script: at the nearest drone sent at the ship that it bears
        on, else at the nearest enemy ship.
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
    """Whether the ship is in the column or past it, as seen from where it began."""
    start, here, there = int(unit.hex[:2]), int(ship.hex[:2]), int(column)
    return start <= there <= here or start >= there >= here


def _targets(state: State, ship: Ship) -> list[AnyUnit]:
    drones = [seeker for seeker in state.seekers() if seeker.target == ship.name]
    enemy = quarry(state, ship)
    found: list[AnyUnit] = sorted(drones, key=lambda one: (range_between(state, ship, one), ties.of_names(one.name)))
    return [*found, *([enemy] if enemy else [])]
