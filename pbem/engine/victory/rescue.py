"""A rescue from a planet (scenario #9): people go aboard what has landed there, and who is saved in the end."""

from __future__ import annotations

from pbem.data.words import Gone
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Planet, Ship, Shuttle, State
from pbem.engine.steps.tractor_links import towed_off_by
from pbem.engine.victory.kind import Graded, how_lost
from pbem.rules.shuttles import can_carry


class Rescue(Graded):
    """Crew units brought off the map; decided when the rescuers are gone or captured, when nobody is left to be saved,
    or after the last turn (#9).

    Reading: the rescuers are a side and its allies, whoever of them fetches the people or brings them home.
    """

    calm = True

    def decided(self, table: Table, last: bool) -> tuple[int, str] | None:
        state, victory = table.state, self.victory
        out_of_time = last and 0 < victory.last_turn <= table.turn
        able = self.able(state)
        every = (unit for unit in state.units.values() if isinstance(unit, Ship))
        ships = [ship for ship in every if any(self.rescues(state, side) for side in _sides(ship))]
        gone = [ship for ship in ships if ship.gone in (Gone.DISENGAGED, Gone.LEFT)]
        away = [ship for ship in gone if self.rescues(state, ship.side)]
        saved = sum(ship.passengers for ship in away if not state.enemies(ship.side, towed_off_by(state, ship)))
        if able and not out_of_time and not (saved and _nobody_left(state, victory.goal)):
            return None
        told = [ship for ship in ships if not (able and saved) or (ship in away and ship.passengers)]
        fates = " and ".join(f"{ship.name} {_fate(ship)}" for ship in sorted(told, key=lambda ship: ship.name))
        if saved:
            return saved, f"{fates} with the survivors"
        if out_of_time and able:
            return 0, f"turn {table.turn} is over and the survivors are not off the map"
        return 0, f"{fates}; {_where(state, victory.goal)}"

    def in_bays(self, table: Table) -> None:
        """A crew unit that waits on a planet goes aboard an empty manned shuttle of its rescuers on it (J2.211).

        Reading: by itself, at the end of the step of the bay; of several shuttles the first by name takes it.
        """
        victory, state = self.victory, table.state
        for shuttle in state.shuttles():
            planet = table.state.units.get(shuttle.landed)
            if not isinstance(planet, Planet) or planet.name != victory.goal or not planet.crew:
                continue
            if shuttle.target or not self.rescues(state, shuttle.side):
                continue
            if can_carry(shuttle.crew + 1, shuttle.parties):
                table.tell(ev.Boarded(unit=shuttle.name, planet=planet.name, crew=1, rule="J2.211"))

    @property
    def rescuers(self) -> str:
        return self.victory.side

    def rescues(self, state: State, side: str) -> bool:
        return self.tasked(state, side)

    def waiting(self, planet: str) -> int:
        return self.victory.count if planet == self.victory.goal else 0

    def prey(self, state: State, ship: Ship) -> list[str]:
        goal = state.units.get(self.victory.goal)
        return [goal.name] if self.tasked(state, ship.side) and isinstance(goal, Planet) and goal.crew else []


def _sides(ship: Ship) -> tuple[str, str]:
    return ship.side, ship.captured_from


def _fate(ship: Ship) -> str:
    if ship.captured_from:
        return "was captured"
    return "left the map" if ship.gone == Gone.DISENGAGED else how_lost(ship) or "is still there"


def _nobody_left(state: State, goal: str) -> bool:
    """Whether no survivors are left that could still be brought off the map: on the planet, in a shuttle or a ship."""
    planet = state.units.get(goal)
    if isinstance(planet, Planet) and planet.crew:
        return False
    aboard = (ship.passengers for ship in state.ships())
    return not any(aboard) and not any(boat.crew for boat in state.shuttles())


def _where(state: State, goal: str) -> str:
    """Where the survivors were in the end, as far as it is worth a word."""
    planet = state.units.get(goal)
    if isinstance(planet, Planet) and planet.crew:
        return f"the survivors are still on {goal}"
    for _, unit in sorted(state.units.items()):
        if isinstance(unit, Shuttle) and unit.in_play and unit.crew:
            return f"the survivors are still aboard {unit.name}"
    return "the survivors were not aboard"
