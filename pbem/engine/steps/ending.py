"""The end of an impulse and of a turn.

The module handles the endurance of seeking weapons, disengagement, repairs, reinforcements, and ships that leave the
map. Victory conditions are in :mod:`pbem.engine.victory`.
"""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.on_file import unit_on_file
from pbem.engine.play.resolution import Resolution, replace
from pbem.engine.state import Ship, State
from pbem.engine.steps import boarding, monsters, science, seekers, tractor_links as links
from pbem.engine.steps.guidance import remove_guided
from pbem.engine.steps.plasma import is_torpedo
from pbem.engine.victory import announces, judge as judge, verdict
from pbem.orders.model import Disengage
from pbem.rules import hexes, plasma
from pbem.rules.shields import after_repairs


def end_impulse(table: Resolution) -> None:
    """Carry out disengagements, remove expired seeking weapons, and end the game if it is decided."""
    before = table.state
    announced = list(table.ordered(before, Disengage))
    decided = bool(announced) and bool(verdict(table))
    for ship, intent in announced:
        if not may_disengage(table.scenario, ship.side):
            table.failed(ship, intent.order, "this scenario does not let the ship disengage")
            continue
        if decided:
            table.failed(ship, intent.order, "nobody is left to disengage from")
            continue
        if held := before.holders(ship.name):
            off = f"{ship.name} is in tow of {held[0].ship}: no speed breaks that link (G7.3)"
            table.failed(ship, intent.order, off)
            continue
        table.acted(ship, intent.order)
        links.let_go(table, ship.name, f"{ship.name} disengages", "G7.12")
        _remove(table, ship, UnitFate.DISENGAGED, "its captain announced disengagement")
    expire_seekers(table)
    seekers.expire(table)
    links.settle(table)
    judge(table)


def expire_seekers(table: Resolution) -> None:
    """Remove seeking weapons whose endurance is over or whose target is out of play.

    The endurance of a drone ends a number of turns after its launch, at the end of the impulse with the same number
    (FD1.4). The endurance of a plasma torpedo is a number of hexes flown (FP1.4).
    """
    for seeker in table.state.seekers():
        target = table.state.units.get(seeker.target)
        if seeker.endurance and table.moment >= seeker.endurance:
            table.tell(
                ev.Removed(unit=seeker.name, how=UnitFate.REMOVED, why="its endurance is exhausted", rule="FD1.4")
            )
        elif is_torpedo(seeker) and seeker.travelled >= plasma.endurance(seeker.torpedo):
            table.tell(
                ev.Removed(unit=seeker.name, how=UnitFate.REMOVED, why="its endurance is exhausted", rule="FP1.4")
            )
        elif target is not None and not target.in_play:
            gone = ev.Removed(
                unit=seeker.name, how=UnitFate.REMOVED, why=f"its target {target.name} is gone", rule="FD1.3"
            )
            if table.state.options.targets == "secret":
                table.secret(seeker.side, gone, replace(gone, why="its target is gone"))
            else:
                table.tell(gone)


def may_disengage(scenario: Scenario, side: str) -> bool:
    """Return whether a side's ships may announce that they disengage.

    They may if the scenario allows such announcements and counts leaving the map as disengagement for the side.
    """
    leaves = any(each.name == side and each.leaving == "disengaged" for each in scenario.sides)
    return leaves and announces(scenario)


def end_turn(table: Resolution) -> None:
    """Play the end of a turn.

    The sequence is: monsters attack, labs report, mutinies break out, boarding parties fight, damage control repairs
    shields (D9.2), the game ends if it is decided, reinforcements arrive.
    """
    monsters.attack(table)
    science.end_of_turn(table)
    monsters.find_methods(table)
    boarding.end_of_turn(table)
    boarding.fight(table)
    for ship in table.state.ships():
        repaired = after_repairs(ship.shields, ship_class(ship.ship).shields, ship.power.repairing)
        for number, (left, whole) in enumerate(zip(ship.shields, repaired, strict=True), start=1):
            if whole > left:
                table.tell(ev.Repaired(unit=ship.name, shield=number, boxes=whole - left, rule="D9.2"))
    judge(table, last=True)
    if table.state.over:
        return
    arrive(table)
    table.tell(ev.TurnEnded(rule="B2.0"))


def arrive(table: Resolution) -> None:
    """Put the reinforcements of the next turn on the map (scenario #8).

    This happens before energy is allotted for that turn.
    """
    due = {unit.name: unit for unit in table.scenario.units if unit.arrives == table.turn + 1}
    for name in sorted(due):
        ship = table.state.units.get(name)
        if ship is not None and ship.gone == UnitFate.NOT_YET:
            table.tell(
                ev.UnitPlaced(
                    unit=unit_on_file(replace(ship, gone=UnitFate.IN_PLAY)), rule=f"scenario #{table.scenario.number}"
                )
            )


# --- leaving ---------------------------------------------------------------------------------------------------------


def leave_map(table: Resolution, ship: Ship, into: str, *, forced: bool) -> None:
    """Remove a ship that flies off the map; ``into`` is the hex beyond the edge.

    By the rules of the scenario the ship has then disengaged, is destroyed, or has left by an exit. ``forced`` is true
    if the ship had no legal move that kept it on the map.
    """
    side = next((one for one in table.scenario.sides if ship.belongs_to(one.name)), None)
    why = "no legal move kept it on the map" if forced else "it flew off the map"
    if side is not None and ship.hex[:2] in side.exits and _beyond_column(into, table.state):
        links.take_along(table, ship.name)
        _remove(table, ship, UnitFate(side.exit_means), f"{why} by an exit, from {ship.hex}")
    elif side is not None and side.leaving == "destroyed":
        links.take_along(table, ship.name)
        table.tell(ev.Destroyed(unit=ship.name, rule=f"scenario #{table.scenario.number}"))
        remove_guided(table, ship.name)
    else:
        links.take_along(table, ship.name)
        _remove(table, ship, UnitFate.DISENGAGED, f"{why} from {ship.hex}")


def _beyond_column(into: str, state: State) -> bool:
    """Return whether a hex is beyond the first or last column of the map.

    The result is false for a hex that is only above or below the map.
    """
    column = hexes.parse_hex(into)[0]
    first, last = (int(corner[:2]) for corner in state.map)
    return not first <= column <= last


def _remove(table: Resolution, ship: Ship, how: UnitFate, why: str) -> None:
    table.tell(ev.Removed(unit=ship.name, how=how, why=why, rule=f"scenario #{table.scenario.number}"))
    remove_guided(table, ship.name)
