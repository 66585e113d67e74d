"""Piracy (scenario #8): freighters are taken, and the pirate gets away with them."""

from __future__ import annotations

from pbem.chapters.tractors.links import towed_off_by
from pbem.game.relations import fighting_ships
from pbem.game.state import Ship, State
from pbem.turn.table import Table
from pbem.turn.victory.kind import Graded, beaten, fleet
from pbem.values.words import Gone


class Piracy(Graded):
    """Freighters captured or towed off the map, once the pirate is away with them (#8).

    Readings: to be captured is enough, whether the prize has left the map by then or not, and so is to be given up by a
    side that concedes while its friends play on; a freighter destroyed or taken back does not count; a pirate lost, or
    still there when the last turn ends, has nothing of his prizes.
    """

    calm = True

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        state, victory = table.state, self.victory
        pirates = fighting_ships(state, victory.side)
        if pirates and not (last and 0 < victory.last_turn <= table.turn):
            return None
        if pirates:
            names = " and ".join(ship.name for ship in pirates)
            return 0, f"{names} counts as destroyed: still on the map at the end of turn {victory.last_turn}"
        if any(beaten(state, ship) for ship in fleet(state, victory.side)):
            return 0, self.ships_gone(table.state)
        taken = [name for name in victory.targets if _prize(state, name, victory.side)]
        given_up = any(state.units[name].gone == Gone.CONCEDED for name in taken)
        how = "captured, towed off or given up" if given_up else "captured or towed off"
        tally = f"{len(taken)} of {len(victory.targets)} freighters {how}"
        return len(taken), f"{tally}: {', '.join(taken)}" if taken else tally

    def garrisoned(self, ship: Ship) -> bool:
        """The freighters are, until they are captured; whoever commands them."""
        return ship.name in self.victory.targets and not ship.captured_from

    def prey(self, state: State, ship: Ship) -> list[str]:
        loot = [state.units[name] for name in self.victory.targets]
        taken = [unit.name for unit in loot if unit.in_play and state.enemies(ship.side, unit.side)]
        return taken if self._tasked(ship) else []


def _prize(state: State, name: str, side: str) -> bool:
    ship = state.units.get(name)
    if not isinstance(ship, Ship) or ship.gone == Gone.DESTROYED:
        return False
    towed_by = towed_off_by(state, ship)
    return (
        ship.gone == Gone.CONCEDED
        or not state.enemies(side, ship.side)
        or (bool(towed_by) and not state.enemies(side, towed_by))
    )
