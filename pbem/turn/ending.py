"""The end of an impulse, of a turn and of the scenario: endurance, disengagement, leaving the map, victory."""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.game import events as ev
from pbem.game.state import NOT_YET, Outcome, Seeker, Ship, State
from pbem.orders.model import Simple
from pbem.rules import hexes, plasma
from pbem.rules.repair import boxes_repaired
from pbem.turn import boarders, crews, links, monsters, rescue, science, suicide
from pbem.turn.damage import in_play, remove_guided
from pbem.turn.monster_hunt import hunt
from pbem.turn.table import Table, replace
from pbem.turn.torpedoes import is_torpedo


def end_impulse(table: Table) -> None:
    """Announced disengagements, worn-out drones, and whether the scenario is decided."""
    before = table.state
    for ship in before.ships():
        if ship.side not in table.captains:
            continue
        for intent in table.captain(ship).intends(table, ship, before, Simple, ("DISENGAGE",)):
            if not may_disengage(table.scenario, ship.side):
                table.failed(ship, intent.order, "this scenario does not let the ship disengage")
                continue
            table.acted(ship, intent.order)
            links.let_go(table, ship.name, f"{ship.name} disengages", "G7.12")
            _remove(table, ship, "disengaged", "its captain announced disengagement")
    expire_seekers(table)
    suicide.expire(table)
    links.settle(table)
    judge(table)


def expire_seekers(table: Table) -> None:
    """Endurance runs out at the end of the impulse of launch, turns later (FD1.4), that of a plasma torpedo with the
    hexes it has flown (FP1.4); so does a weapon without a target.
    """
    for seeker in table.state.seekers():
        target = table.state.units.get(seeker.target)
        if seeker.endurance and table.moment >= seeker.endurance:
            table.tell(ev.Removed(unit=seeker.name, how="removed", why="its endurance is exhausted", rule="FD1.4"))
        elif is_torpedo(seeker) and seeker.travelled >= plasma.endurance(seeker.torpedo):
            table.tell(ev.Removed(unit=seeker.name, how="removed", why="its endurance is exhausted", rule="FP1.4"))
        elif target is not None and not target.in_play:
            gone = ev.Removed(unit=seeker.name, how="removed", why=f"its target {target.name} is gone", rule="FD1.3")
            if table.state.options.targets == "secret":
                table.secret(seeker.side, gone, replace(gone, why="its target is gone"))
            else:
                table.tell(gone)


def may_disengage(scenario: Scenario, side: str) -> bool:
    """Whether a side's ships may announce that they disengage: where leaving the map means just that, and it is not
    the task itself to get off it (scenario #9).
    """
    leaves = any(each.name == side and each.leaving == "disengaged" for each in scenario.sides)
    return leaves and scenario.victory.kind != "rescue"


def end_turn(table: Table) -> None:
    """Monsters attack, labs report, mutinies break out, boarding parties fight; damage control (D9.2); reinforcements
    arrive. The turn is over.
    """
    monsters.attack(table)
    science.end_of_turn(table)
    monsters.find_methods(table)
    crews.end_of_turn(table)
    boarders.fight(table)
    for ship in table.state.ships():
        for shield, points in sorted(ship.repairing.items()):
            number = int(shield.lstrip("#"))
            lost = ship_class(ship.ship).shields[number - 1] - ship.shields[number - 1]
            boxes = min(boxes_repaired(points), lost)
            if boxes:
                table.tell(ev.Repaired(unit=ship.name, shield=number, boxes=boxes, rule="D9.2"))
    judge(table, last=True)
    if table.state.over:
        return
    arrive(table)
    table.tell(ev.TurnEnded(rule="B2.0"))


def arrive(table: Table) -> None:
    """Reinforcements of the next turn are on the map before its energy is allotted (scenario #8)."""
    due = {unit.name: unit for unit in table.scenario.units if unit.arrives == table.turn + 1}
    for name in sorted(due):
        ship = table.state.units.get(name)
        if ship is not None and ship.gone == NOT_YET:
            table.tell(ev.UnitPlaced(unit=replace(ship, gone=""), rule=f"scenario #{table.scenario.number}"))


# --- leaving ---------------------------------------------------------------------------------------------------------


def leave_map(table: Table, ship: Ship, into: str, *, forced: bool) -> None:
    """A ship flies off the map ``into`` a hex beyond it: what that means is the scenario's (disengaged, destroyed,
    out by an exit).
    """
    side = table.scenario.side(ship.side) if ship.side in {s.name for s in table.scenario.sides} else None
    why = "no legal move kept it on the map" if forced else "it flew off the map"
    if side is not None and ship.hex[:2] in side.exits and _beyond_column(into, table.state):
        links.take_along(table, ship.name)
        _remove(table, ship, side.exit_means, f"{why} by an exit, from {ship.hex}")
    elif side is not None and side.leaving == "destroyed":
        table.tell(ev.Destroyed(unit=ship.name, rule=f"scenario #{table.scenario.number}"))
        remove_guided(table, ship.name)
    else:
        links.take_along(table, ship.name)
        _remove(table, ship, "disengaged", f"{why} from {ship.hex}")


def _beyond_column(into: str, state: State) -> bool:
    """Whether a hex lies beyond the first or last column of the map, and not merely above or below it."""
    column = hexes.parse_hex(into)[0]
    first, last = (int(corner[:2]) for corner in state.map)
    return not first <= column <= last


def _remove(table: Table, ship: Ship, how: str, why: str) -> None:
    table.tell(ev.Removed(unit=ship.name, how=how, why=why, rule=f"scenario #{table.scenario.number}"))
    remove_guided(table, ship.name)


# --- victory ---------------------------------------------------------------------------------------------------------


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
    fighting = {state.team_of(side) for side in sides if in_play(state, side)}
    victory = table.scenario.victory
    if victory.kind == "dakota":
        return _dakota(table, sides, victory.rescuer, victory.mark)
    if victory.kind in ("drill", "survive", "raid", "monster", "rescue"):
        return _graded(table, last)
    if victory.kind == "none" or len(fighting) > 1 or not sides or _revenge(state):
        return []
    return [_duel(state, side, sides) for side in sides]


def _revenge(state: State) -> bool:
    """Whether a plasma torpedo still hunts a ship, whatever became of the one that launched it (D4.42)."""
    hunted = (state.units.get(seeker.target) for seeker in state.seekers() if is_torpedo(seeker))
    return any(isinstance(unit, Ship) and unit.in_play for unit in hunted)


def _fights(state: State, side: str) -> list[Ship]:
    return [u for u in state.units.values() if isinstance(u, Ship) and u.side == side and not u.immobile]


def _fate(state: State, side: str) -> str:
    """How a side's ships ended: in play, destroyed (all of them), or disengaged."""
    if in_play(state, side):
        return "in play"
    ships = _fights(state, side)
    return "destroyed" if ships and all(ship.gone == "destroyed" for ship in ships) else "disengaged"


def _duel(state: State, side: str, sides: list[str]) -> Outcome:
    """Destroyed loses; disengaging is a draw for him and a tactical victory for the other; both destroyed, both
    lose (#5).
    """
    mine = _fate(state, side)
    enemies = [_fate(state, other) for other in sides if state.enemies(side, other)]
    if mine == "destroyed":
        also = " as were all its enemies" if enemies and all(fate == "destroyed" for fate in enemies) else ""
        return Outcome(side=side, result="defeat", why=f"its ships were destroyed{also}")
    if mine == "disengaged":
        return Outcome(side=side, result="draw", why="its ships disengaged")
    if any(fate == "disengaged" for fate in enemies):
        return Outcome(side=side, result="tactical victory", why="the enemy disengaged")
    return Outcome(side=side, result="victory", why="the enemy was destroyed")


OPPOSITE = {
    "victory": "defeat", "defeat": "victory",
    "decisive victory": "decisive defeat", "marginal victory": "marginal defeat",
}  # fmt: skip
"""What a graded result means to the other side; any other result is the same for both."""


def _graded(table: Table, last: bool = False) -> list[Outcome]:
    """The drill, the drones, the convoy and the rescue (#1 to #3, #9): one side's result, by how much it got done."""
    state, victory = table.state, table.scenario.victory
    if victory.kind == "rescue":
        decided = rescue.verdict(table, last)
    else:
        decided = {"drill": _drill, "survive": _survive, "raid": _raid, "monster": hunt}[victory.kind](table)
    if decided is None:
        return []
    count, why = decided
    mine = victory.grade(count)
    team = state.team_of(victory.side)
    return [
        Outcome(side=name, result=mine if state.team_of(name) == team else OPPOSITE.get(mine, mine), why=why)
        for name in sorted(state.sides)
    ]


def _ships_gone(table: Table) -> str:
    """How the graded side lost its ships, in words; empty while it has one."""
    side = table.scenario.victory.side
    if in_play(table.state, side):
        return ""
    return " and ".join(f"{ship.name} {_how_lost(ship)}" for ship in _fights(table.state, side))


def _how_lost(ship: Ship) -> str:
    """``was destroyed``, ``disengaged``, ``left the map``."""
    return f"was {ship.gone}" if ship.gone in ("destroyed", "captured") else ship.gone


def _drill(table: Table) -> tuple[int, str] | None:
    """Practice drones shot down; it is over when none is left, one has escaped or the ship is gone (#1)."""
    drones = [unit for unit in table.state.units.values() if isinstance(unit, Seeker)]
    shot = sum(drone.gone == "destroyed" for drone in drones)
    escaped = [drone.name for drone in drones if drone.gone and drone.gone != "destroyed"]
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
    sunk = sum(ship.gone == "destroyed" for ship in convoy)
    away = [ship.name for ship in convoy if ship.gone not in ("", "destroyed")]
    if not away and sunk < len(convoy):
        return None
    tally = f"{sunk} of {len(convoy)} ships of the convoy destroyed"
    return sunk, f"{tally}; {' and '.join(away)} got away" if away else tally


def _dakota(table: Table, sides: list[str], rescuer: str, mark: str) -> list[Outcome]:
    """The rescuer must bring the crew out by its exit; the others win if he does not (#4)."""
    ship = table.state.units.get(rescuer)
    if not isinstance(ship, Ship):
        return []
    foes = [s for s in table.state.ships() if table.state.enemies(ship.side, s.side) and not s.immobile]
    if ship.in_play and (foes or mark not in ship.marks):
        return []
    home = ship.gone and ship.gone != "destroyed"
    if (home or (ship.in_play and not foes)) and mark in ship.marks:
        mine, theirs, why = "victory", "defeat", f"{rescuer} brought the crew out"
    elif home:
        mine, theirs, why = "defeat", "draw", f"{rescuer} left without the crew"
    else:
        mine, theirs, why = "defeat", "victory", f"{rescuer} was destroyed"
    team = table.state.team_of(ship.side)
    return [Outcome(side=side, result=mine if table.state.team_of(side) == team else theirs, why=why) for side in sides]
