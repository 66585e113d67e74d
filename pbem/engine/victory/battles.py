"""Victory conditions of battles: practice, duel, monster hunt, pursuit.

Practice: shoot down drones that fly straight ahead (scenario #1). Pursuit: escape the drones that follow until they are
gone (scenario #2). Duel: a side that is beaten loses, and a side that disengages gets a draw (scenario #5). Monster
hunt: the result depends on how much damage the planet has taken when the monster is stopped (scenario #11).
"""

from __future__ import annotations

from pbem.data.terms import MutinyState, UnitFate
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import beaten, can_fight, conceded, fighting_ships, fleet, goes_on
from pbem.engine.state import Monster, Outcome, Seeker, Ship, State
from pbem.engine.steps.plasma import is_torpedo
from pbem.engine.victory.kind import Graded, VictoryConditions, how_lost
from pbem.rules import boarding


class Drill(Graded):
    """Victory conditions of practice: the result depends on the number of drones shot down (#1).

    The scenario ends when no drone is left, a drone has escaped, or the ship is out of play.
    """

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the number of drones shot down and the reason why it is final.

        The result is ``None`` while practice goes on.
        """
        drones = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
        shot = sum(drone.gone == UnitFate.DESTROYED for drone in drones)
        escaped = sorted(drone.name for drone in drones if drone.gone and drone.gone != UnitFate.DESTROYED)
        lost = self.ships_gone(table.state)
        if not lost and not escaped and any(drone.in_play for drone in drones):
            return None
        tally = f"{shot} of {len(drones)} drones shot down"
        ends = [lost, f"{' and '.join(escaped)} escaped" if escaped else ""]
        return shot, "; ".join([tally, *(end for end in ends if end)])


class Duel(VictoryConditions):
    """Victory conditions of a duel.

    The duel is decided when only one team is left and no plasma torpedo is still flying at a ship.
    """

    announces, concedes = True, False

    def outcome(self, table: Resolution, last: bool) -> list[Outcome]:
        """Return the result of each side that had ships, or an empty list while the duel goes on."""
        state = table.state
        able = {state.team_of(ship.side) for ship in state.ships() if can_fight(ship)}
        if len(able) > 1:
            return []  # the usual case
        sides = sorted(name for name in state.sides if fleet(state, name))
        fighting = {state.team_of(side) for side in sides if goes_on(state, side)}
        if len(fighting) > 1 or not sides or _revenge(state):
            return []
        return [_judged(state, side, sides) for side in sides]


def _revenge(state: State) -> bool:
    """Return whether a plasma torpedo is still flying at a ship (D4.42).

    The torpedo counts even if its launcher is out of play. A torpedo does not count if its target is already lost to
    its side, e.g. captured (D7.0).
    """
    hunted = (state.units.get(seeker.target) for seeker in state.seekers() if is_torpedo(seeker))
    return any(isinstance(unit, Ship) and unit.in_play and not beaten(state, unit) for unit in hunted)


def _fate(state: State, side: str) -> str:
    """Return what became of a side's ships: ``in play``, ``beaten`` (all of them) or ``disengaged``."""
    if goes_on(state, side):
        return "in play"
    if conceded(state, side):
        return "beaten"
    ships = fleet(state, side)
    return "beaten" if ships and all(beaten(state, ship) for ship in ships) else "disengaged"


def _losses(state: State, side: str) -> str:
    """Return a text that says how a beaten side lost its ships.

    The text is "it conceded", "its ships were destroyed", or a list such as "Hood was captured and Kor left the map".
    """
    if conceded(state, side):
        return "it conceded"
    ships = fleet(state, side)
    if all(ship.gone == UnitFate.DESTROYED for ship in ships):
        return "its ships were destroyed"
    return " and ".join(f"{ship.name} {how_lost(ship)}" for ship in ships)


def _judged(state: State, side: str, sides: list[str]) -> Outcome:
    """Return the result of one side in a duel (#5).

    A beaten side loses; if both sides are beaten, both lose. A side that disengages gets a draw, and its enemy gets a
    tactical victory.
    """
    mine = _fate(state, side)
    enemies = {other: _fate(state, other) for other in sides if state.enemies(side, other)}
    if mine == "beaten":
        also = " as were all its enemies" if enemies and all(fate == "beaten" for fate in enemies.values()) else ""
        return Outcome(side=side, result="defeat", why=f"{_losses(state, side)}{also}")
    if mine == "disengaged":
        return Outcome(side=side, result="draw", why="its ships disengaged")
    if any(fate == "disengaged" for fate in enemies.values()):
        return Outcome(side=side, result="tactical victory", why=f"the enemy disengaged{_spoils(state, side)}")
    return Outcome(side=side, result="victory", why=_enemy_losses(state, side, sorted(enemies)))


def _enemy_losses(state: State, side: str, enemies: list[str]) -> str:
    """Return a text that says how the beaten enemies of a side lost their ships.

    The text also names the ships in mutiny that the given side gets (G6.33, G6.34).
    """
    if all(ship.gone == UnitFate.DESTROYED for enemy in enemies for ship in fleet(state, enemy)):
        return "the enemy was destroyed"
    fates: list[str] = []
    for enemy in enemies:
        if conceded(state, enemy):
            fates.append(f"{enemy} conceded")
        else:
            fates += [f"{ship.name} {how_lost(ship)}" for ship in fleet(state, enemy)]
    return f"{' and '.join(fates)}{_spoils(state, side)}"


def _spoils(state: State, side: str) -> str:
    """Return a text that names the ships in mutiny which the winner gets at the end (G6.33, G6.34)."""
    ships = [
        ship for ship in state.ships() if ship.people.mutiny == MutinyState.STAGED and state.enemies(side, ship.side)
    ]
    loyal = any(fighting_ships(state, ship.side) for ship in ships)
    how = "captured" if any(boarding.aftermath(loyal) == "captured" for _ in ships) else "the winner's"
    named = " and ".join(ship.name for ship in ships)
    return f"; {named} {'is' if len(ships) == 1 else 'are'} {how}" if ships else ""


class Hunt(Graded):
    """Victory conditions of a monster hunt.

    The result depends on the damage that the planet has taken when every monster is stopped. The hunt is lost if the
    planet is lost, or if the last ship is lost before the monster is stopped. Our interpretation where the rules are
    silent: a monster that turns out to be friendly counts as stopped, like a dead one. But if such a monster was
    attacked, the hunt is lost.
    """

    calm = True

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the damage to the planet and the reason why the hunt is over.

        The result is ``None`` while the hunt goes on.
        """
        state, victory = table.state, self.victory
        goal = state.units.get(victory.goal)
        suffered = int(getattr(goal, "damage", 0))
        lost = max((grade.least for grade in victory.grades), default=0)
        if goal is not None and not goal.in_play:
            return max(lost, suffered), f"{goal.name} was destroyed"
        monsters = [unit for _, unit in sorted(state.units.items()) if isinstance(unit, Monster)]
        if monsters and not any(monster.in_play for monster in monsters):
            wronged = [unit.name for unit in monsters if unit.gone == UnitFate.FRIENDLY and unit.damage]
            if wronged:
                return lost, f"{' and '.join(wronged)} was friendly, and had been attacked"
            ends = " and ".join(
                f"{unit.name} {'is' if unit.gone == UnitFate.FRIENDLY else 'was'} {unit.gone}" for unit in monsters
            )
            return suffered, f"{ends}; {suffered} points of damage to {victory.goal}" if goal is not None else ends
        if not self.able(state):
            return lost, f"{self.ships_gone(state)} before the monster was stopped"
        return None


class Survive(Graded):
    """Victory conditions of a pursuit (#2).

    The result depends on how many seeking weapons go out of play while the ship is still in play.
    """

    def decided(self, table: Resolution, last: bool) -> tuple[int, str] | None:
        """Return the number of seeking weapons out of play and the reason why it is final.

        The result is ``None`` during the pursuit.
        """
        seekers = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
        if lost := self.ships_gone(table.state):
            return 0, lost
        if any(seeker.in_play for seeker in seekers):
            return None
        return len(seekers), f"all {len(seekers)} drones are gone"
