"""What units are to each other: who can fight, and on whose side.

:meth:`pbem.engine.state.State.enemies` says which sides are enemies; here stands what hangs on a unit's condition too.
"""

from __future__ import annotations

from pbem.data.terms import UnitFate
from pbem.engine.state import Ship, State


def can_fight(ship: Ship) -> bool:
    """Whether a ship can fight: no wreck, not in mutiny (G6.32), and no prize, whose codes lock its weapons (D7.0)."""
    return ship.obeys and not ship.captured_from


def fighting_ships(state: State, side: str) -> list[Ship]:
    """A side's ships in play that can fight, by name."""
    return [ship for ship in state.ships() if ship.side == side and can_fight(ship)]


def awaited(state: State, side: str) -> bool:
    """Whether a ship of a side is still to come (scenario #8): the side has not lost yet."""
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    return any(ship.lost_by == side and ship.gone == UnitFate.NOT_YET and not ship.immobile for ship in ships)


def goes_on(state: State, side: str) -> bool:
    """Whether a side still has a part in the fight: a ship that can fight, or one that is still to come."""
    return bool(fighting_ships(state, side)) or awaited(state, side)


def allied(state: State, side: str, other: str) -> bool:
    """Whether two sides are one, or of one team; nobody is allied with no side at all."""
    return bool(side) and bool(other) and not state.enemies(side, other)


def team(state: State, side: str) -> list[str]:
    """A side and its allies, by name; nobody for no side at all."""
    return [name for name in sorted(state.sides) if allied(state, name, side)]
