"""Victory conditions of scenarios with a task besides fighting: raid, SS Dakota, piracy, rescue.

Raid: destroy the ships of a convoy (scenario #3). Dakota: the rescuer must bring the crew of SS Dakota off the map
by the rescuer's exit (scenario #4). Piracy: take freighters and escape with them (scenario #8). Rescue: bring
people from a planet off the map (scenario #9).
"""

from __future__ import annotations

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import beaten, enemy_ships, fighting_ships, fleet, prize_of, team, towed_off_by
from pbem.engine.state import Outcome, Planet, Ship, Shuttle, State
from pbem.engine.victory.kind import Graded, VictoryConditions, how_lost
from pbem.rules.shuttles import can_carry


class Dakota(VictoryConditions):
    """Victory conditions of #4: the rescuer must bring the crew of SS Dakota off the map.

    The crew must leave the map by the rescuer's exit. Otherwise the other side wins.
    """

    def outcome(self, table: Resolution, last: bool) -> list[Outcome]:
        """Return the result of each side, or an empty list while the scenario goes on."""
        state, rescuer, mark = table.state, self.victory.rescuer, self.victory.mark
        ship = state.units.get(rescuer)
        if not isinstance(ship, Ship):
            return []
        if ship.in_play and (enemy_ships(state, ship.side) or mark not in ship.marks):
            return []
        home = ship.gone and ship.gone != UnitFate.DESTROYED
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

    def moved(self, table: Resolution, ship: Ship) -> None:
        """Mark the crew as taken aboard when the rescuer has entered the hex of SS Dakota."""
        if ship.name != self.victory.rescuer or self.victory.mark in ship.marks:
            return
        rescued = table.state.units.get(self.victory.rescued)
        if rescued is not None and rescued.in_play and rescued.hex == ship.hex:
            table.tell(ev.Marked(unit=ship.name, mark=self.victory.mark, rule="scenario #4"))

    def toward(self, state: State, ship: Ship) -> list[str]:
        """Return SS Dakota as the unit to which the rescuer should fly."""
        rescued = self.victory.rescued
        return [rescued] if ship.name == self.victory.rescuer and rescued in state.units else []


class Piracy(Graded):
    """Victory conditions of #8: the result depends on the number of freighters captured or towed off.

    The freighters are counted when the pirate has left the map. Our interpretation where the rules are silent: a
    captured freighter counts whether or not it has left the map by then. A freighter also counts if its side concedes
    while its allies play on. A freighter that is destroyed or taken back does not count. A pirate that is lost, or
    still on the map when the last turn ends, gets nothing for freighters taken.
    """

    calm = True

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the number of freighters taken, and the reason why that number is final.

        The result is ``None`` while the scenario goes on.
        """
        state, victory = table.state, self.victory
        if self.able(state) and not (last and 0 < victory.last_turn <= table.turn):
            return None
        pirates = team(state, victory.side)
        late = [ship for side in pirates for ship in fighting_ships(state, side)]
        lost = [ship for side in pirates for ship in fleet(state, side) if beaten(state, ship)]
        losers = {ship.lost_by for ship in (*late, *lost)}
        away = [side for side in pirates if fleet(state, side) and side not in losers]
        fates = self._fates(state, [side for side in pirates if side in losers], late)
        return self._freighters_taken(state, away, fates) if away else (0, " and ".join(fates))

    def _fates(self, state: State, losers: list[str], late: list[Ship]) -> list[str]:
        """Return texts about the pirates' ships that score nothing, because they are lost or ``late``."""
        if late:
            names = " and ".join(ship.name for ship in late)
            return [f"{names} counts as destroyed: still on the map at the end of turn {self.victory.last_turn}"]
        return [f"{ship.name} {how_lost(ship)}" for side in losers for ship in fleet(state, side)]

    def _freighters_taken(self, state: State, away: list[str], fates: list[str]) -> tuple[int, str]:
        """Return the number of freighters that the sides ``away`` have taken, and a text that lists them.

        ``away`` are the pirates that have left the map. ``fates`` are texts about the ships of other pirates, with
        which the returned text begins.
        """
        targets = self.victory.targets
        taken = [name for name in targets if any(_prize(state, name, side) for side in away)]
        given_up = any(state.units[name].gone == UnitFate.CONCEDED for name in taken)
        how = "captured, towed off or given up" if given_up else "captured or towed off"
        tally = "; ".join([*fates, f"{len(taken)} of {len(targets)} freighters {how}"])
        return len(taken), f"{tally}: {', '.join(taken)}" if taken else tally

    def garrisoned(self, ship: Ship) -> bool:
        """Return whether the ship is a freighter that has not been captured.

        The boarding parties of such a freighter stay aboard, whichever side commands the ship.
        """
        return ship.name in self.victory.targets and not ship.is_prize

    def prey(self, state: State, ship: Ship) -> list[str]:
        """Return the freighters that can still be taken, if the ship is a pirate."""
        loot = [state.units[name] for name in self.victory.targets]
        taken = [unit.name for unit in loot if unit.in_play and state.enemies(ship.side, unit.side)]
        return taken if self.tasked(state, ship.side) else []


def _prize(state: State, name: str, side: str) -> bool:
    """Return whether a freighter counts for a side.

    It counts if it was given up, or if the side captured it or towed it off the map.
    """
    ship = state.units.get(name)
    return isinstance(ship, Ship) and prize_of(state, ship, side)


class Raid(Graded):
    """Victory conditions of #3: the result depends on the number of convoy ships destroyed.

    The scenario ends when no convoy ship is left, a convoy ship has escaped, or the raider is out of play.
    """

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the number of ships destroyed, and the reason why that number is final.

        The result is ``None`` while the scenario goes on.
        """
        convoy = [table.state.units[name] for name in self.victory.targets if name in table.state.units]
        if lost := self.ships_gone(table.state):
            return 0, lost
        sunk = sum(ship.gone == UnitFate.DESTROYED for ship in convoy)
        away = [ship.name for ship in convoy if ship.gone not in (UnitFate.IN_PLAY, UnitFate.DESTROYED)]
        if not away and sunk < len(convoy):
            return None
        tally = f"{sunk} of {len(convoy)} ships of the convoy destroyed"
        return sunk, f"{tally}; {' and '.join(away)} got away" if away else tally


class Rescue(Graded):
    """Victory conditions of #9: the result depends on the number of crew units brought off the map.

    The scenario ends when the rescuers are out of play or captured, or after the last turn.
    """

    calm = True

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the number of crew units saved, and the reason why that number is final.

        The result is ``None`` while the scenario goes on.
        """
        state, victory = table.state, self.victory
        out_of_time = last and 0 < victory.last_turn <= table.turn
        able = self.able(state)
        ships = self._ships(state)
        away = [ship for ship in ships if self._is_away(state, ship)]
        saved = _saved(state, away)
        if able and not out_of_time and not (saved and _nobody_left(state, victory.goal)):
            return None
        listed = [ship for ship in ships if not (able and saved) or (ship in away and ship.people.passengers)]
        fates = " and ".join(f"{ship.name} {_fate(ship)}" for ship in sorted(listed, key=lambda ship: ship.name))
        if saved:
            return saved, f"{fates} with the survivors"
        if out_of_time and able:
            return 0, f"turn {table.turn} is over and the survivors are not off the map"
        return 0, f"{fates}; {_where(state, victory.goal)}"

    def _ships(self, state: State) -> list[Ship]:
        """Return the ships that the rescuers control or controlled before a capture, in play or not."""
        ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
        return [ship for ship in ships if any(self.rescues(state, side) for side in _sides(ship))]

    def _is_away(self, state: State, ship: Ship) -> bool:
        """Return whether a ship that the rescuers control has left the map."""
        return ship.gone in (UnitFate.DISENGAGED, UnitFate.LEFT) and self.rescues(state, ship.side)

    def in_bays(self, table: Resolution) -> None:
        """Let a crew unit that waits on the planet board a shuttle of the rescuers (J2.211).

        The shuttle must be manned, empty and on the planet. Our interpretation where the rules are silent: boarding
        needs no order, and happens at the end of the shuttle bay step. If several shuttles are there, the first by name
        takes the crew unit.
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
        """The name of the side that has the task to rescue the people of the planet."""
        return self.victory.side

    def rescues(self, state: State, side: str) -> bool:
        """Return whether a side or one of its allies has the task to rescue the people on the planet."""
        return self.tasked(state, side)

    def waiting(self, planet: str) -> int:
        """Return the number of crew units that wait on the planet at the start of the scenario."""
        return self.victory.count if planet == self.victory.goal else 0

    def prey(self, state: State, ship: Ship) -> list[str]:
        """Return, for rescuers, the planet while people wait on it; otherwise an empty list."""
        goal = state.units.get(self.victory.goal)
        return [goal.name] if self.tasked(state, ship.side) and isinstance(goal, Planet) and goal.crew else []


def _sides(ship: Ship) -> tuple[str, str]:
    return ship.side, ship.people.captured_from


def _fate(ship: Ship) -> str:
    if ship.is_prize:
        return "was captured"
    return "left the map" if ship.gone == UnitFate.DISENGAGED else how_lost(ship) or "is still there"


def _saved(state: State, away: list[Ship]) -> int:
    """Return the number of crew units in ships that left the map.

    Ships that an enemy towed off the map do not count.
    """
    return sum(ship.people.passengers for ship in away if not state.enemies(ship.side, towed_off_by(state, ship)))


def _nobody_left(state: State, goal: str) -> bool:
    """Return whether no survivors are left who could still be brought off the map.

    Survivors may be on the planet, in a shuttle or in a ship.
    """
    planet = state.units.get(goal)
    if isinstance(planet, Planet) and planet.crew:
        return False
    aboard = (ship.people.passengers for ship in state.ships())
    return not any(aboard) and not any(boat.crew for boat in state.shuttles())


def _where(state: State, goal: str) -> str:
    """Return a text that says where the survivors were at the end."""
    planet = state.units.get(goal)
    if isinstance(planet, Planet) and planet.crew:
        return f"the survivors are still on {goal}"
    for _, unit in sorted(state.units.items()):
        if isinstance(unit, Shuttle) and unit.in_play and unit.crew:
            return f"the survivors are still aboard {unit.name}"
    return "the survivors were not aboard"
