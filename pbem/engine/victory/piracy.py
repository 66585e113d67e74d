"""Piracy (scenario #8): freighters are taken, and the pirate gets away with them."""

from __future__ import annotations

from pbem.data.words import Gone
from pbem.engine.play.resolution import Table
from pbem.engine.relations import fighting_ships, team
from pbem.engine.state import Ship, State
from pbem.engine.steps.tractor_links import towed_off_by
from pbem.engine.victory.kind import Graded, beaten, fleet, how_lost


class Piracy(Graded):
    """Freighters captured or towed off the map, once the pirate is away with them (#8).

    Readings: to be captured is enough, whether the prize has left the map by then or not, and so is to be given up by a
    side that concedes while its friends play on; a freighter destroyed or taken back does not count; a pirate lost, or
    still there when the last turn ends, has nothing of his prizes, but an ally who is away has his own.
    """

    calm = True

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        state, victory = table.state, self.victory
        if self.able(state) and not (last and 0 < victory.last_turn <= table.turn):
            return None
        pirates = team(state, victory.side)
        late = [ship for side in pirates for ship in fighting_ships(state, side)]
        lost = [ship for side in pirates for ship in fleet(state, side) if beaten(state, ship)]
        losers = {ship.lost_by for ship in (*late, *lost)}
        away = [side for side in pirates if fleet(state, side) and side not in losers]
        fates = [f"{ship.name} {how_lost(ship)}" for side in pirates if side in losers for ship in fleet(state, side)]
        if late:
            names = " and ".join(ship.name for ship in late)
            fates = [f"{names} counts as destroyed: still on the map at the end of turn {victory.last_turn}"]
        if not away:
            return 0, " and ".join(fates)
        taken = [name for name in victory.targets if any(_prize(state, name, side) for side in away)]
        given_up = any(state.units[name].gone == Gone.CONCEDED for name in taken)
        how = "captured, towed off or given up" if given_up else "captured or towed off"
        tally = "; ".join([*fates, f"{len(taken)} of {len(victory.targets)} freighters {how}"])
        return len(taken), f"{tally}: {', '.join(taken)}" if taken else tally

    def garrisoned(self, ship: Ship) -> bool:
        """The freighters are, until they are captured; whoever commands them."""
        return ship.name in self.victory.targets and not ship.captured_from

    def prey(self, state: State, ship: Ship) -> list[str]:
        loot = [state.units[name] for name in self.victory.targets]
        taken = [unit.name for unit in loot if unit.in_play and state.enemies(ship.side, unit.side)]
        return taken if self.tasked(state, ship.side) else []


def _prize(state: State, name: str, side: str) -> bool:
    """Whether a freighter is a prize of a side: given up, captured or towed off by it."""
    ship = state.units.get(name)
    if not isinstance(ship, Ship) or ship.gone == Gone.DESTROYED:
        return False
    return ship.gone == Gone.CONCEDED or side in (ship.side, towed_off_by(state, ship))
