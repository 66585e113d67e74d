"""Victory over a monster: what the planet has suffered when it is stopped (scenario #11)."""

from __future__ import annotations

from pbem.data.words import Gone
from pbem.engine.play.resolution import Table
from pbem.engine.state import Monster
from pbem.engine.victory.kind import Graded


class Hunt(Graded):
    """Damage to the planet once every monster is stopped; lost with the planet, or with the last ship
    of the hunters and their allies before that.

    Reading: a monster that turns out to be friendly is stopped as well as a dead one; but it was wrong to harm it.
    """

    calm = True

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        state, victory = table.state, self.victory
        goal = state.units.get(victory.goal)
        suffered = int(getattr(goal, "damage", 0))
        lost = max((grade.least for grade in victory.grades), default=0)
        if goal is not None and not goal.in_play:
            return max(lost, suffered), f"{goal.name} was destroyed"
        monsters = [unit for _, unit in sorted(state.units.items()) if isinstance(unit, Monster)]
        if monsters and not any(monster.in_play for monster in monsters):
            wronged = [unit.name for unit in monsters if unit.gone == Gone.FRIENDLY and unit.damage]
            if wronged:
                return lost, f"{' and '.join(wronged)} was friendly, and had been attacked"
            ends = " and ".join(
                f"{unit.name} {'is' if unit.gone == Gone.FRIENDLY else 'was'} {unit.gone}" for unit in monsters
            )
            return suffered, f"{ends}; {suffered} points of damage to {victory.goal}" if goal is not None else ends
        if not self.able(state):
            return lost, f"{self.ships_gone(state)} before the monster was stopped"
        return None
