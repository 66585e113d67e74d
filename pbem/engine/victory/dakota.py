"""The crew of SS Dakota (scenario #4): her rescuer must bring it out by its exit."""

from __future__ import annotations

from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Outcome, Ship, State
from pbem.engine.victory.kind import Kind, fleet


class Dakota(Kind):
    """The rescuer must bring the crew out by its exit; the others win if he does not (#4)."""

    def outcome(self, table: Table, last: bool) -> list[Outcome]:
        state, rescuer, mark = table.state, self.victory.rescuer, self.victory.mark
        ship = state.units.get(rescuer)
        if not isinstance(ship, Ship):
            return []
        foes = [s for s in state.ships() if state.enemies(ship.side, s.side) and not s.immobile]
        if ship.in_play and (foes or mark not in ship.marks):
            return []
        home = ship.gone and ship.gone != Gone.DESTROYED
        if (home or ship.in_play) and mark in ship.marks:
            mine, theirs, why = "victory", "defeat", f"{rescuer} brought the crew out"
        elif home:
            mine, theirs, why = "defeat", "draw", f"{rescuer} left without the crew"
        else:
            mine, theirs, why = "defeat", "victory", f"{rescuer} was destroyed"
        return [
            Outcome(side=side, result=theirs if state.enemies(side, ship.side) else mine, why=why)
            for side in sorted(state.sides)
            if fleet(state, side)
        ]

    def moved(self, table: Table, ship: Ship) -> None:
        if ship.name != self.victory.rescuer or self.victory.mark in ship.marks:
            return
        rescued = table.state.units.get(self.victory.rescued)
        if rescued is not None and rescued.in_play and rescued.hex == ship.hex:
            table.tell(ev.Marked(unit=ship.name, mark=self.victory.mark, rule="scenario #4"))

    def toward(self, state: State, ship: Ship) -> list[str]:
        rescued = self.victory.rescued
        return [rescued] if ship.name == self.victory.rescuer and rescued in state.units else []
