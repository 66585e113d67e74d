"""Mutiny on ships whose security stations are gone (G6.0)."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.data.ships import ship_class
from pbem.data.words import MutinyState
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Ship, State
from pbem.engine.steps.boarders import control_stations, enemy_parties
from pbem.engine.steps.guidance import remove_guided
from pbem.rules import mutiny

SECURITY = "security"
"""The box of a security station (G6.1)."""


def at_once(table: Table, before: State, struck: Iterable[str]) -> None:
    """A die for every ship whose last security station this step's damage has knocked out (G6.2)."""
    if not table.scenario.uses("mutiny"):
        return
    for name in sorted(set(struck)):
        was, ship = before.units[name], table.state.units[name]
        if not isinstance(was, Ship) or not isinstance(ship, Ship) or not ship.in_play:
            continue
        if _may(ship) and mutiny.rolls_at_once(was.boxes.get(SECURITY, 0), ship.boxes.get(SECURITY, 0)):
            _roll(table, ship)


def end_of_turn(table: Table) -> None:
    """Dice for mutiny at the end of a turn, as long as none was staged (G6.2)."""
    if not table.scenario.uses("mutiny"):
        return
    for ship in table.state.ships():
        built, left = ship_class(ship.ship).boxes.get(SECURITY, 0), ship.boxes.get(SECURITY, 0)
        if _may(ship) and mutiny.rolls_at_turn_end(ship.race, built, left, bool(ship.mutiny)):
            _roll(table, ship)


def _may(ship: Ship) -> bool:
    """Whether the crew could mutiny now. Reading: not on a captured ship, where it is not at its posts."""
    built = ship_class(ship.ship).boxes.get(SECURITY, 0)
    return mutiny.can_mutiny(ship.race, built) and not ship.mutiny and not ship.captured_from and not ship.immobile


def _roll(table: Table, ship: Ship) -> None:
    """Whether a mutiny breaks out, and whether it succeeds (G6.2); a ship whose crew has seized it stops (G6.32).

    Reading: nobody guides its drones any more, as nobody fires its weapons; they are lost as in D4.41.
    """
    likelier = mutiny.modifier(enemy_parties(table.state, ship), control_stations(ship))
    roll, die = table.roll(ship.name, "MUTINY")
    if not mutiny.occurs(die, likelier):
        table.tell(ev.Mutinied(unit=ship.name, roll=roll, die=die, result="none", rule="G6.2"))
        return
    second_roll, second = table.roll(ship.name, "MUTINY", 2)
    result = MutinyState.STAGED if mutiny.succeeds(second, likelier) else MutinyState.PUT_DOWN
    table.tell(
        ev.Mutinied(
            unit=ship.name, roll=roll, die=die, result=result, second_roll=second_roll, second=second, rule="G6.2"
        )
    )
    if result == MutinyState.STAGED:
        remove_guided(table, ship.name)
