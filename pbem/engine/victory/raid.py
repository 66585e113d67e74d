"""A raid on a convoy (scenario #3)."""

from __future__ import annotations

from pbem.data.words import Gone
from pbem.engine.play.resolution import Table
from pbem.engine.victory.kind import Graded


class Raid(Graded):
    """Ships of the convoy destroyed; over when none is left, one has got away, or the raider is gone (#3)."""

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        convoy = [table.state.units[name] for name in self.victory.targets if name in table.state.units]
        if lost := self.ships_gone(table.state):
            return 0, lost
        sunk = sum(ship.gone == Gone.DESTROYED for ship in convoy)
        away = [ship.name for ship in convoy if ship.gone not in (Gone.IN_PLAY, Gone.DESTROYED)]
        if not away and sunk < len(convoy):
            return None
        tally = f"{sunk} of {len(convoy)} ships of the convoy destroyed"
        return sunk, f"{tally}; {' and '.join(away)} got away" if away else tally
