"""A pursuit (scenario #2): outlast the drones that follow."""

from __future__ import annotations

from pbem.engine.play.resolution import Table
from pbem.engine.state import Seeker
from pbem.engine.victory.kind import Graded


class Survive(Graded):
    """Seeking weapons that are gone, while the ship is there (#2)."""

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        seekers = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
        if lost := self.ships_gone(table.state):
            return 0, lost
        if any(seeker.in_play for seeker in seekers):
            return None
        return len(seekers), f"all {len(seekers)} drones are gone"
