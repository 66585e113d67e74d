"""Relations between units and sides: allies, enemies, ships that can fight, sides still playing.

Other modules must ask these questions here or with the methods of :mod:`pbem.engine.state`; they must not compare
``unit.side`` directly. The simple facts are methods of the state:

* the owner of a unit: ``Unit.belongs_to``; for ships that change hands also ``Ship.is_prize``, ``Ship.was_lost_by`` and
  ``Ship.lost_by``, the side that had the ship first (D7.0);
* the teams: ``State.team_of`` and ``State.enemies``;
* whether a unit takes part: ``Unit.in_play``, ``Unit.is_left`` (in play or still to arrive) and ``Ship.obeys``;
* the sides that must write orders: ``Request.asks``.

The functions here combine these facts. Unless their docstrings say otherwise, they are about units in play and return
them sorted by name. Related questions that depend on the play or on the scenario are methods elsewhere:
``Resolution.has_captain``, ``Scenario.keeps_on_map`` (may its units leave the map?) and ``VictoryConditions.rescues``
(may a side rescue people?).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pbem.data.terms import Motion, UnitFate
from pbem.engine.state import AnyUnit, Planet, Seeker, Ship, Shuttle, State

U = TypeVar("U", bound=AnyUnit)

# --- sides and teams -------------------------------------------------------------------------------------------------


def allied(state: State, side: str, other: str) -> bool:
    """Return whether two sides are the same or on one team; ``False`` if a name is empty."""
    return bool(side) and bool(other) and not state.enemies(side, other)


def team(state: State, side: str) -> list[str]:
    """Return a side and its allies in alphabetical order; an empty list if ``side`` is empty."""
    return [name for name in sorted(state.sides) if allied(state, name, side)]


def conceded(state: State, side: str) -> bool:
    """Return whether a side has given up the game (CONCEDE)."""
    return any(unit.belongs_to(side) and unit.gone == UnitFate.CONCEDED for unit in state.units.values())


def sides_left(state: State) -> set[str]:
    """Return the names of the sides that have units in play or still to arrive; planets belong to no side."""
    return {unit.side for unit in state.units.values() if unit.is_left and not isinstance(unit, Planet)}


# --- who commands what -----------------------------------------------------------------------------------------------


def ships_of(state: State, side: str) -> list[Ship]:
    """Return the ships of a side that are in play.

    Ships in mutiny and wrecks (ships that neither move nor fire) are included.
    """
    return [ship for ship in state.ships() if ship.belongs_to(side)]


def commanded_ships(state: State, side: str) -> list[Ship]:
    """Return the ships that carry out a side's orders.

    The result contains the side's own ships and ships it has captured, but no wrecks and no ships in mutiny (G6.32).
    """
    return [ship for ship in ships_of(state, side) if ship.obeys]


def manned_shuttles(state: State, side: str) -> list[Shuttle]:
    """Return the manned shuttles of a side, which take orders (J1.0).

    A suicide shuttle has no crew and is not included (J2.22).
    """
    return [shuttle for shuttle in state.shuttles() if shuttle.belongs_to(side) and not shuttle.target]


def unguided(state: State, side: str) -> list[Seeker]:
    """Return the homing weapons of a side that never had a ship to guide them (scenario #2).

    The player guides these weapons with orders. For a side that has or had ships the list is empty. If a side lost
    all its ships, even to boarders, its remaining weapons guide themselves (FP4.0).
    """
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    if any(ship.belongs_to(side) or ship.was_lost_by(side) for ship in ships):
        return []
    return [weapon for weapon in state.seekers() if weapon.belongs_to(side) and weapon.motion == Motion.HOMING]


def takes_orders(state: State, side: str) -> bool:
    """Return whether a side still has a unit to which it can give orders.

    Such a unit is a ship in play that can act, a manned shuttle (J1.0), or a seeking weapon that the player guides.
    """
    return bool(manned_shuttles(state, side) or commanded_ships(state, side) or unguided(state, side))


# --- who can fight ---------------------------------------------------------------------------------------------------


def is_wreck(unit: AnyUnit) -> bool:
    """Return whether a unit is a wreck: a ship that the scenario lets neither move nor fire (#4)."""
    return isinstance(unit, Ship) and unit.terms.immobile


def can_fight(ship: Ship) -> bool:
    """Return whether a ship can fight.

    Wrecks and ships in mutiny (G6.32) cannot fight. Captured ships cannot fight either, because codes lock their
    weapons (D7.0).
    """
    return ship.obeys and not ship.is_prize


def fighting_ships(state: State, side: str) -> list[Ship]:
    """Return the ships of a side that are in play and can fight."""
    return [ship for ship in ships_of(state, side) if can_fight(ship)]


def awaited(state: State, side: str) -> bool:
    """Return whether a ship of a side is still to arrive (scenario #8).

    Such a side has not lost yet.
    """
    return any(ship.gone == UnitFate.NOT_YET for ship in fleet(state, side))


def all_awaited(state: State, side: str) -> bool:
    """Return whether all units of a side are still to arrive (scenario #8).

    Such a side need not give orders yet.
    """
    units = [unit for unit in state.units.values() if unit.belongs_to(side)]
    return bool(units) and all(unit.gone == UnitFate.NOT_YET for unit in units)


def goes_on(state: State, side: str) -> bool:
    """Return whether a side still takes part in the battle.

    It takes part as long as it has a ship that can fight, or a ship that is still to arrive.
    """
    return bool(fighting_ships(state, side)) or awaited(state, side)


# --- who began with a ship, and who has it now -----------------------------------------------------------------------

TOWED_OFF = "towed off by "
"""The first words of the mark (a recorded fact) on a ship that was towed off the map (G7.32C)."""


def fleet(state: State, side: str) -> list[Ship]:
    """Return the ships that a side had at the start, in play or not, whichever side controls them now.

    Wrecks (ships that neither move nor fire) are left out.
    """
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    return sorted(
        (ship for ship in ships if ship.lost_by == side and not ship.terms.immobile), key=lambda ship: ship.name
    )


def towed_off_by(state: State, ship: Ship) -> str:
    """Return the side that controls the ship which towed a given freighter off the map.

    The result is empty if the freighter was not towed off the map.
    """
    names = [mark.removeprefix(TOWED_OFF) for mark in ship.marks if mark.startswith(TOWED_OFF)]
    return next((state.units[name].side for name in names if name in state.units), "")


def beaten(state: State, ship: Ship) -> bool:
    """Return whether a ship is lost to its side for good.

    A ship is lost if it is destroyed, given up, captured (D7.0), in mutiny (G6.33), or towed off the map by an
    enemy (G7.31C).
    """
    if ship.gone in (UnitFate.DESTROYED, UnitFate.CONCEDED) or not can_fight(ship):
        return True
    return state.enemies(ship.side, towed_off_by(state, ship))


def prize_of(state: State, ship: Ship, side: str) -> bool:
    """Return whether a freighter counts as taken by a given side (#8).

    A freighter that is destroyed never counts. Otherwise it counts if it was given up, or if this side captured it
    or towed it off the map.
    """
    if ship.gone == UnitFate.DESTROYED:
        return False
    return ship.gone == UnitFate.CONCEDED or ship.belongs_to(side) or towed_off_by(state, ship) == side


# --- who is aboard ---------------------------------------------------------------------------------------------------


def enemy_parties(state: State, ship: Ship) -> int:
    """Return the number of boarding parties aboard a ship that fight against the ship's owner (D7.0)."""
    return sum(count for side, count in ship.people.boarders.items() if state.enemies(ship.side, side))


def raiders_of(state: State, ship: Ship, side: str) -> int:
    """Return the number of boarding parties of a side and its allies aboard another side's ship."""
    return sum(count for other, count in ship.people.boarders.items() if allied(state, side, other))


# --- who is a target -------------------------------------------------------------------------------------------------


def enemy_ships(state: State, side: str) -> list[Ship]:
    """Return the ships of a side's enemies, without wrecks (ships that neither move nor fire)."""
    return [ship for ship in state.ships() if state.enemies(side, ship.side) and not ship.terms.immobile]


def touchable_enemies(state: State, side: str) -> list[Ship]:
    """Return the enemy ships on which the scenario allows a side at least one kind of action.

    Boarding is an example of such an action. A ship at which this side may not fire, but other sides may (#8), is
    included.
    """
    return [ship for ship in state.ships() if state.enemies(side, ship.side) and not ship.terms.untouchable]


def is_spared(unit: AnyUnit, side: str) -> bool:
    """Return whether the scenario forbids a side to fire at a unit.

    Either no side may fire at the unit (#4), or this side may not fire at it (#8).
    """
    return isinstance(unit, Ship) and (unit.terms.untouchable or side in unit.terms.spared_by)


def targets(state: State, side: str, units: Iterable[U]) -> list[U]:
    """Select the units from a list at which a side may use its weapons (E1.1).

    The result contains the enemy units that the scenario lets the side attack. For speed, the function checks only once
    for each side whether it is an enemy.
    """
    found = list(units)
    hostile = {other for other in {unit.side for unit in found} if state.enemies(side, other)}
    return [unit for unit in found if unit.side in hostile and not is_spared(unit, side)]
