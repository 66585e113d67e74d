"""Practice (scenario #1): drones that fly straight are shot down."""

from __future__ import annotations

from pbem.data.words import Gone
from pbem.engine.play.resolution import Table
from pbem.engine.state import Seeker
from pbem.engine.victory.kind import Graded


class Drill(Graded):
    """Practice drones shot down; it is over when none is left, one has escaped or the ship is gone (#1)."""

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        drones = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
        shot = sum(drone.gone == Gone.DESTROYED for drone in drones)
        escaped = sorted(drone.name for drone in drones if drone.gone and drone.gone != Gone.DESTROYED)
        lost = self.ships_gone(table.state)
        if not lost and not escaped and any(drone.in_play for drone in drones):
            return None
        tally = f"{shot} of {len(drones)} drones shot down"
        ends = [lost, f"{' and '.join(escaped)} escaped" if escaped else ""]
        return shot, "; ".join([tally, *(end for end in ends if end)])
