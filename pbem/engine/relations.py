"""Relations between units and sides: ships that can fight, sides still in the battle, allies.

:meth:`pbem.engine.state.State.enemies` says which sides are enemies. The functions here also look at the condition
of the units.
"""

from __future__ import annotations

from pbem.data.terms import UnitFate
from pbem.engine.state import Ship, State


def can_fight(ship: Ship) -> bool:
    """Return whether a ship can fight.

    A wreck cannot, nor a ship in mutiny (G6.32), nor a captured ship, whose codes lock its weapons (D7.0).
    """
    return ship.obeys and not ship.captured_from


def fighting_ships(state: State, side: str) -> list[Ship]:
    """Return the ships of a side that are in play and can fight."""
    return [ship for ship in state.ships() if ship.side == side and can_fight(ship)]


def awaited(state: State, side: str) -> bool:
    """Return whether a ship of a side is still to arrive (scenario #8), so that the side has not lost yet."""
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    return any(ship.lost_by == side and ship.gone == UnitFate.NOT_YET and not ship.immobile for ship in ships)


def goes_on(state: State, side: str) -> bool:
    """Return whether a side is still in the battle: it has a ship that can fight, or one still to arrive."""
    return bool(fighting_ships(state, side)) or awaited(state, side)


def allied(state: State, side: str, other: str) -> bool:
    """Return whether two sides are the same or on one team; ``False`` if one of them is empty."""
    return bool(side) and bool(other) and not state.enemies(side, other)


def team(state: State, side: str) -> list[str]:
    """Return a side and its allies in alphabetical order; an empty list if ``side`` is empty."""
    return [name for name in sorted(state.sides) if allied(state, name, side)]
