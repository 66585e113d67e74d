"""How scenarios are decided, by kind of victory (:class:`pbem.data.scenarios.Victory`)."""

from __future__ import annotations

from pbem.game import events as ev
from pbem.game.state import AnyUnit, Outcome, Seeker, Ship, State
from pbem.rules import mutiny
from pbem.turn import rescue
from pbem.turn.damage import in_play
from pbem.turn.monster_hunt import hunt
from pbem.turn.table import Table
from pbem.turn.torpedoes import is_torpedo
from pbem.values.words import Gone, MutinyState


def judge(table: Table, *, last: bool = False) -> None:
    """End the scenario when it is decided; asked at the end of every impulse, and ``last`` at that of a turn."""
    if table.state.over:
        return
    outcome = verdict(table, last=last)
    if outcome:
        table.tell(ev.GameEnded(outcome=tuple(outcome), rule=f"scenario #{table.scenario.number}"))


def verdict(table: Table, *, last: bool = False) -> list[Outcome]:
    """What each side made of the scenario, or nothing while it goes on; ``last`` says that the turn is over."""
    state = table.state
    sides = sorted(name for name in state.sides if any(_fights(state, name)))
    fighting = {state.team_of(side) for side in sides if in_play(state, side) or _awaited(state, side)}
    victory = table.scenario.victory
    if victory.kind != "duel" and (given_up := _given_up(state, {victory.side, victory.rescuer})):
        return given_up
    if victory.kind == "dakota":
        return _dakota(table, sides, victory.rescuer, victory.mark)
    if victory.kind in ("drill", "survive", "raid", "piracy", "rescue", "monster"):
        return _graded(table, last)
    if victory.kind == "none" or len(fighting) > 1 or not sides or _revenge(state):
        return []
    return [_duel(state, side, sides) for side in sides]


def _given_up(state: State, tasked: set[str]) -> list[Outcome]:
    """Where a team has conceded whose task the scenario is (``tasked``: a side or a ship of its), or all teams but one
    have: they lose, and the others win. Duels are judged by who is left.
    """
    lost = {side.team for name, side in state.sides.items() if state.conceded(name)}
    if not lost:
        return []
    left = [unit for unit in state.units.values() if unit.gone in (Gone.IN_PLAY, Gone.NOT_YET) and not _idle(unit)]
    lost -= {state.team_of(unit.side) for unit in left}
    teams = {side.team for side in state.sides.values()}
    tasks = {state.team_of(unit.side) for name, unit in state.units.items() if name in tasked or unit.side in tasked}
    if not lost or (len(teams - lost) > 1 and not lost & tasks):
        return []
    why = f"{' and '.join(name for name in sorted(state.sides) if state.conceded(name))} conceded"
    return [
        Outcome(side=name, result="defeat" if side.team in lost else "victory", why=why)
        for name, side in sorted(state.sides.items())
    ]


def _idle(unit: AnyUnit) -> bool:
    """Whether a unit has no part in the fight: SS Dakota stays where she lies."""
    return isinstance(unit, Ship) and unit.immobile


def _revenge(state: State) -> bool:
    """Whether a plasma torpedo still hunts a ship, whatever became of the one that launched it (D4.42)."""
    hunted = (state.units.get(seeker.target) for seeker in state.seekers() if is_torpedo(seeker))
    return any(isinstance(unit, Ship) and unit.in_play for unit in hunted)


def _fights(state: State, side: str) -> list[Ship]:
    """The ships a side came with, by name, whoever has them now."""
    ships = (unit for unit in state.units.values() if isinstance(unit, Ship))
    return sorted((ship for ship in ships if ship.lost_by == side and not ship.immobile), key=lambda ship: ship.name)


def _awaited(state: State, side: str) -> bool:
    """Whether a side's ships are still to come (scenario #8): it has not lost yet."""
    return any(ship.gone == Gone.NOT_YET for ship in _fights(state, side))


def _beaten(ship: Ship) -> bool:
    """Whether a ship is lost for good to its side: destroyed, given up, captured (D7.0) or in mutiny (G6.33)."""
    return ship.gone in (Gone.DESTROYED, Gone.CONCEDED) or bool(ship.captured_from) or ship.mutiny == MutinyState.STAGED


def _fate(state: State, side: str) -> str:
    """How a side's ships ended: in play, beaten (all of them), or disengaged."""
    if in_play(state, side) or _awaited(state, side):
        return "in play"
    if state.conceded(side):
        return "beaten"
    ships = _fights(state, side)
    return "beaten" if ships and all(_beaten(ship) for ship in ships) else "disengaged"


def _losses(state: State, side: str) -> str:
    """How a beaten side lost its ships, in words: ``were destroyed``, else ship by ship."""
    if state.conceded(side):
        return "it conceded"
    ships = _fights(state, side)
    if all(ship.gone == Gone.DESTROYED for ship in ships):
        return "its ships were destroyed"
    return " and ".join(f"{ship.name} {_how_lost(ship)}" for ship in ships)


def _duel(state: State, side: str, sides: list[str]) -> Outcome:
    """Beaten loses; disengaging is a draw for him and a tactical victory for the other; both beaten, both lose (#5)."""
    mine = _fate(state, side)
    enemies = {other: _fate(state, other) for other in sides if state.enemies(side, other)}
    if mine == "beaten":
        also = " as were all its enemies" if enemies and all(fate == "beaten" for fate in enemies.values()) else ""
        return Outcome(side=side, result="defeat", why=f"{_losses(state, side)}{also}")
    if mine == "disengaged":
        return Outcome(side=side, result="draw", why="its ships disengaged")
    if any(fate == "disengaged" for fate in enemies.values()):
        return Outcome(side=side, result="tactical victory", why=f"the enemy disengaged{_spoils(state, side)}")
    if all(ship.gone == Gone.DESTROYED for other in enemies for ship in _fights(state, other)):
        return Outcome(side=side, result="victory", why="the enemy was destroyed")
    fates = [
        [f"{other} conceded"] if state.conceded(other) else [f"{s.name} {_how_lost(s)}" for s in _fights(state, other)]
        for other in sorted(enemies)
    ]
    lost = " and ".join(fate for each in fates for fate in each)
    return Outcome(side=side, result="victory", why=f"{lost}{_spoils(state, side)}")


def _spoils(state: State, side: str) -> str:
    """The ships in mutiny that the winner gets at the end (G6.33, G6.34)."""
    ships = [ship for ship in state.ships() if ship.mutiny == MutinyState.STAGED and state.enemies(side, ship.side)]
    loyal = any(in_play(state, ship.side) for ship in ships)
    how = "captured" if any(mutiny.aftermath(loyal) == "captured" for _ in ships) else "the winner's"
    named = " and ".join(ship.name for ship in ships)
    return f"; {named} {'is' if len(ships) == 1 else 'are'} {how}" if ships else ""


def opposite(result: str) -> str:
    """What a graded result means to the other side: a decisive victory is a decisive defeat; a draw is one to both."""
    head, _, last = result.rpartition(" ")
    return f"{head} {OPPOSITE.get(last, last)}".strip()


OPPOSITE = {"victory": "defeat", "defeat": "victory"}
"""The last word of a graded result, to the other side; any other is the same for both."""


def _graded(table: Table, last: bool) -> list[Outcome]:
    """Everything but duels (#1 to #3, #8, #9, #11): one side's result, by how much it got done."""
    state, victory = table.state, table.scenario.victory
    decided = _decided(table, last)
    if decided is None:
        return []
    count, why = decided
    mine = victory.grade(count)
    team = state.team_of(victory.side)
    return [
        Outcome(side=name, result=mine if state.team_of(name) == team else opposite(mine), why=why)
        for name in sorted(state.sides)
    ]


def _decided(table: Table, last: bool) -> tuple[int, str] | None:
    """The count that is graded, and why; nothing while the scenario goes on."""
    match table.scenario.victory.kind:
        case "drill":
            return _drill(table)
        case "survive":
            return _survive(table)
        case "raid":
            return _raid(table)
        case "piracy":
            return _piracy(table, last)
        case "rescue":
            return rescue.verdict(table, last)
        case _:
            return hunt(table)


def _ships_gone(table: Table) -> str:
    """How the graded side lost its ships, in words; empty while it has one."""
    side = table.scenario.victory.side
    if in_play(table.state, side):
        return ""
    return " and ".join(f"{ship.name} {_how_lost(ship)}" for ship in _fights(table.state, side))


def _how_lost(ship: Ship) -> str:
    """``was destroyed``, ``was captured``, ``mutinied``, ``disengaged``, ``left the map``."""
    if ship.gone == Gone.DESTROYED:
        return "was destroyed"
    if ship.captured_from:
        return f"was captured by {ship.side}"
    return "mutinied" if ship.mutiny == MutinyState.STAGED else ship.gone


def _drill(table: Table) -> tuple[int, str] | None:
    """Practice drones shot down; it is over when none is left, one has escaped or the ship is gone (#1)."""
    drones = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
    shot = sum(drone.gone == Gone.DESTROYED for drone in drones)
    escaped = sorted(drone.name for drone in drones if drone.gone and drone.gone != Gone.DESTROYED)
    lost = _ships_gone(table)
    if not lost and not escaped and any(drone.in_play for drone in drones):
        return None
    tally = f"{shot} of {len(drones)} drones shot down"
    ends = [lost, f"{' and '.join(escaped)} escaped" if escaped else ""]
    return shot, "; ".join([tally, *(end for end in ends if end)])


def _survive(table: Table) -> tuple[int, str] | None:
    """Seeking weapons that are gone, while the ship is there (#2)."""
    seekers = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
    if lost := _ships_gone(table):
        return 0, lost
    if any(seeker.in_play for seeker in seekers):
        return None
    return len(seekers), f"all {len(seekers)} drones are gone"


def _raid(table: Table) -> tuple[int, str] | None:
    """Ships of the convoy destroyed; over when none is left, one has got away, or the raider is gone (#3)."""
    convoy = [table.state.units[name] for name in table.scenario.victory.targets if name in table.state.units]
    if lost := _ships_gone(table):
        return 0, lost
    sunk = sum(ship.gone == Gone.DESTROYED for ship in convoy)
    away = [ship.name for ship in convoy if ship.gone not in (Gone.IN_PLAY, Gone.DESTROYED)]
    if not away and sunk < len(convoy):
        return None
    tally = f"{sunk} of {len(convoy)} ships of the convoy destroyed"
    return sunk, f"{tally}; {' and '.join(away)} got away" if away else tally


TOWED_OFF = "towed off by "
"""How the mark begins of a ship that was towed off the map (G7.32C)."""


def _piracy(table: Table, last: bool) -> tuple[int, str] | None:
    """Freighters captured or towed off the map, once the pirate is away with them (#8).

    Readings: to be captured is enough, whether the prize has left the map by then or not; a freighter destroyed or
    taken back does not count; a pirate lost, or still there when the last turn ends, has nothing of his prizes.
    """
    state, victory = table.state, table.scenario.victory
    pirates = in_play(state, victory.side)
    if pirates and not (last and table.turn >= victory.last_turn):
        return None
    if pirates:
        names = " and ".join(ship.name for ship in pirates)
        return 0, f"{names} counts as destroyed: still on the map at the end of turn {victory.last_turn}"
    if any(_beaten(ship) for ship in _fights(state, victory.side)):
        return 0, _ships_gone(table)
    taken = [name for name in victory.targets if _prize(state, name, victory.side)]
    tally = f"{len(taken)} of {len(victory.targets)} freighters captured or towed off"
    return len(taken), f"{tally}: {', '.join(taken)}" if taken else tally


def _prize(state: State, name: str, side: str) -> bool:
    ship = state.units.get(name)
    if not isinstance(ship, Ship) or ship.gone == Gone.DESTROYED:
        return False
    return not state.enemies(side, ship.side) or any(mark.startswith(TOWED_OFF) for mark in ship.marks)


def _dakota(table: Table, sides: list[str], rescuer: str, mark: str) -> list[Outcome]:
    """The rescuer must bring the crew out by its exit; the others win if he does not (#4)."""
    ship = table.state.units.get(rescuer)
    if not isinstance(ship, Ship):
        return []
    foes = [s for s in table.state.ships() if table.state.enemies(ship.side, s.side) and not s.immobile]
    if ship.in_play and (foes or mark not in ship.marks):
        return []
    home = ship.gone and ship.gone != Gone.DESTROYED
    if (home or ship.in_play) and mark in ship.marks:
        mine, theirs, why = "victory", "defeat", f"{rescuer} brought the crew out"
    elif home:
        mine, theirs, why = "defeat", "draw", f"{rescuer} left without the crew"
    else:
        mine, theirs, why = "defeat", "victory", f"{rescuer} was destroyed"
    team = table.state.team_of(ship.side)
    return [Outcome(side=side, result=mine if table.state.team_of(side) == team else theirs, why=why) for side in sides]
