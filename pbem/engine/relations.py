"""What units and sides are to each other; everybody who asks such a question asks it here.

Nobody compares ``unit.side`` by hand. The simple facts are methods of :mod:`pbem.engine.state`:

* whose a unit is: ``Unit.belongs_to``; for ships that change hands also ``Ship.is_prize``, ``Ship.was_lost_by`` and
  ``Ship.lost_by``, the side that had the ship first (D7.0);
* who is on whose side: ``State.team_of`` and ``State.enemies``;
* whether a unit takes part: ``Unit.in_play``, ``Unit.is_left`` (in play or still to come) and ``Ship.obeys``;
* who must write orders: ``Request.asks``.

The functions here combine these facts. Unless they say otherwise, they are about units in play and return them by
name. Beside them stand ``Resolution.has_captain``, ``Scenario.keeps_on_map`` (may its units leave the map?) and
``VictoryConditions.rescues`` (whom may a side rescue?), which depend on the play or on the scenario.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pbem.data.terms import Motion, UnitFate
from pbem.engine.state import AnyUnit, Planet, Seeker, Ship, Shuttle, State

U = TypeVar("U", bound=AnyUnit)

# --- sides and teams -------------------------------------------------------------------------------------------------


def allied(state: State, side: str, other: str) -> bool:
    """Return whether two sides are the same or on one team; ``False`` if one of them is empty."""
    return bool(side) and bool(other) and not state.enemies(side, other)


def team(state: State, side: str) -> list[str]:
    """Return a side and its allies in alphabetical order; an empty list if ``side`` is empty."""
    return [name for name in sorted(state.sides) if allied(state, name, side)]


def conceded(state: State, side: str) -> bool:
    """Whether a side has given up the game (CONCEDE)."""
    return any(unit.belongs_to(side) and unit.gone == UnitFate.CONCEDED for unit in state.units.values())


def sides_left(state: State) -> set[str]:
    """The sides of the units in play or still to come; planets are nobody's."""
    return {unit.side for unit in state.units.values() if unit.is_left and not isinstance(unit, Planet)}


# --- who commands what -----------------------------------------------------------------------------------------------


def ships_of(state: State, side: str) -> list[Ship]:
    """The ships of a side, wrecks and ships in mutiny included."""
    return [ship for ship in state.ships() if ship.belongs_to(side)]


def commanded_ships(state: State, side: str) -> list[Ship]:
    """The ships that carry out a side's orders: its own and its prizes, but no wreck and none in mutiny (G6.32)."""
    return [ship for ship in ships_of(state, side) if ship.obeys]


def manned_shuttles(state: State, side: str) -> list[Shuttle]:
    """The shuttles of a side with a crew, which takes orders (J1.0); a suicide shuttle has none (J2.22)."""
    return [shuttle for shuttle in state.shuttles() if shuttle.belongs_to(side) and not shuttle.target]


def unguided(state: State, side: str) -> list[Seeker]:
    """The homing weapons of a side that never had a ship to guide them (scenario #2).

    The player guides them. If a side lost its ships, even to boarders, its remaining weapons guide themselves
    (FP4.0); then the list is empty.
    """
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    if any(ship.belongs_to(side) or ship.was_lost_by(side) for ship in ships):
        return []
    return [weapon for weapon in state.seekers() if weapon.belongs_to(side) and weapon.motion == Motion.HOMING]


def takes_orders(state: State, side: str) -> bool:
    """Whether a side has a ship in play that can act, a manned shuttle (J1.0), or weapons to guide."""
    return bool(manned_shuttles(state, side) or commanded_ships(state, side) or unguided(state, side))


# --- who can fight ---------------------------------------------------------------------------------------------------


def is_wreck(unit: AnyUnit) -> bool:
    """Whether a unit is a ship that takes no part, because the scenario lets it neither move nor fire (#4)."""
    return isinstance(unit, Ship) and unit.immobile


def can_fight(ship: Ship) -> bool:
    """Whether a ship can fight: no wreck, not in mutiny (G6.32), and no prize, whose codes lock its weapons (D7.0)."""
    return ship.obeys and not ship.is_prize


def fighting_ships(state: State, side: str) -> list[Ship]:
    """A side's ships that can fight."""
    return [ship for ship in ships_of(state, side) if can_fight(ship)]


def awaited(state: State, side: str) -> bool:
    """Whether a ship of a side is still to come (scenario #8): the side has not lost yet."""
    return any(ship.gone == UnitFate.NOT_YET for ship in fleet(state, side))


def all_awaited(state: State, side: str) -> bool:
    """Whether all units of a side are still to come (scenario #8), so that no orders are due yet."""
    units = [unit for unit in state.units.values() if unit.belongs_to(side)]
    return bool(units) and all(unit.gone == UnitFate.NOT_YET for unit in units)


def goes_on(state: State, side: str) -> bool:
    """Whether a side still has a part in the fight: a ship that can fight, or one that is still to come."""
    return bool(fighting_ships(state, side)) or awaited(state, side)


# --- who began with a ship, and who has it now -----------------------------------------------------------------------

TOWED_OFF = "towed off by "
"""Beginning of the mark of a ship that was towed off the map (G7.32C)."""


def fleet(state: State, side: str) -> list[Ship]:
    """The ships that a side began with, in play or not, whoever controls them now; without wrecks."""
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    return sorted((ship for ship in ships if ship.lost_by == side and not ship.immobile), key=lambda ship: ship.name)


def towed_off_by(state: State, ship: Ship) -> str:
    """Return the side that controls the ship which towed a freighter off the map; empty if none did."""
    names = [mark.removeprefix(TOWED_OFF) for mark in ship.marks if mark.startswith(TOWED_OFF)]
    return next((state.units[name].side for name in names if name in state.units), "")


def beaten(state: State, ship: Ship) -> bool:
    """Whether a ship is lost to its side for good.

    That is so if it is destroyed, given up, captured (D7.0), in mutiny (G6.33), or towed off the map by an enemy
    (G7.31C).
    """
    if ship.gone in (UnitFate.DESTROYED, UnitFate.CONCEDED) or not can_fight(ship):
        return True
    return state.enemies(ship.side, towed_off_by(state, ship))


def prize_of(state: State, ship: Ship, side: str) -> bool:
    """Whether a freighter counts as taken by a side: given up, captured or towed off by it, not destroyed (#8)."""
    if ship.gone == UnitFate.DESTROYED:
        return False
    return ship.gone == UnitFate.CONCEDED or ship.belongs_to(side) or towed_off_by(state, ship) == side


# --- who is aboard ---------------------------------------------------------------------------------------------------


def enemy_parties(state: State, ship: Ship) -> int:
    """The number of boarding parties aboard a ship that fight those of its side (D7.0)."""
    return sum(count for side, count in ship.boarders.items() if state.enemies(ship.side, side))


def raiders_of(state: State, ship: Ship, side: str) -> int:
    """The number of boarding parties of a side and its allies that board a ship."""
    return sum(count for other, count in ship.boarders.items() if allied(state, side, other))


# --- who is a target -------------------------------------------------------------------------------------------------


def enemy_ships(state: State, side: str) -> list[Ship]:
    """The ships of a side's enemies, without wrecks."""
    return [ship for ship in state.ships() if state.enemies(side, ship.side) and not ship.immobile]


def touchable_enemies(state: State, side: str) -> list[Ship]:
    """The ships of a side's enemies to which something may be done, if only boarding.

    A ship at which this side alone may not fire (#8) is one of them.
    """
    return [ship for ship in state.ships() if state.enemies(side, ship.side) and not ship.untouchable]


def is_spared(unit: AnyUnit, side: str) -> bool:
    """Whether the scenario never lets a side fire at a unit: nobody may (#4), or this side may not (#8)."""
    return isinstance(unit, Ship) and (unit.untouchable or side in unit.spared_by)


def targets(state: State, side: str, units: Iterable[U]) -> list[U]:
    """Return those of some units at which a side may use its weapons: enemies that the scenario does not spare (E1.1).

    Whether a side is an enemy is asked once for all its units, because fleets are large.
    """
    found = list(units)
    hostile = {other for other in {unit.side for unit in found} if state.enemies(side, other)}
    return [unit for unit in found if unit.side in hostile and not is_spared(unit, side)]
