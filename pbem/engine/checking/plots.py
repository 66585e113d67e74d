"""Check plots: reactions, tactical maneuvers, pilot orders, and the fixed courses of some freighters.

The module also finds shots that a planet blocks wherever the target may be (P2.0).
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data.scenarios import Scenario, Script
from pbem.data.terms import StepName
from pbem.engine.checking.outlook import Outlook, is_over, most_hexes, over_text
from pbem.engine.checking.units import check_units
from pbem.engine.conditions.scene import Scene, unit_named
from pbem.engine.state import AnyUnit, Commanded, Request, Ship, State
from pbem.errors import Fault
from pbem.orders import model as om
from pbem.rules import hexes, terrain
from pbem.rules.movement import moves


def script_of(scenario: Scenario, ship: Ship) -> Script | None:
    """Return the fixed course (script) of a freighter, or ``None`` if it has none or is captured."""
    found = (unit.script for unit in scenario.units if unit.name == ship.name)
    return None if ship.is_prize else next(found, None)


def check_script(state: State, scenario: Scenario, request: Request, ship: Ship, plot: om.Plot) -> Iterator[Fault]:
    """Check the plot of a freighter that has a fixed course, and yield the faults.

    The freighter flies straight ahead until it is captured. Its owner may turn it by 60 degrees at the start of a turn
    if the scenario allows this (#3).
    """
    script = script_of(scenario, ship)
    if script is None:
        return
    began = (request.turn - 1) * state.impulses
    # The first position of the track is no move: the ship was there before, or the umpire put it there.
    may_turn = script.player and not any(place.moment > began for place in ship.flown[1:])
    turns = ("F", "L", "R") if may_turn else ("F",)
    free = plot.course or plot.pilot or plot.reactions
    if free or any(code not in turns for code in plot.codes[:1]) or any(code != "F" for code in plot.codes[1:]):
        allowed = "; it may turn with its first hex of a turn: L or R, then F" if script.player else ""
        yield plot.wrong("scripted", f"{ship.name} goes straight ahead{allowed}", f"scenario #{scenario.number}")


def check_reaction(
    state: State, request: Request, ship: Commanded, reaction: om.Reaction, *, sure: int | None
) -> Iterator[Fault]:
    """Check a reaction, i.e. an order that changes the plot, and yield the faults (C1.3, C1.44).

    A reaction must be a single movement code, for an impulse in which the unit moves. ``sure`` is the last impulse in
    which the unit's speed is certain; after it the unit's own tractor beams may change the speed.
    """
    if len(reaction.codes) > 1:
        yield reaction.wrong(
            "one-code", "write one code for a reaction; write another reaction for the next hex", "C1.3"
        )
    first, last = max(1, request.impulse), request.through
    if reaction.at is not None and not first <= reaction.at <= last:
        yield reaction.wrong("impulse", f"impulse {reaction.at} is not among {first} to {last}", "C1.41")
    elif reaction.at is not None and reaction.at == request.impulse and is_over(state, request, _move_step(ship)):
        yield reaction.wrong("step-over", over_text(state, reaction.at), "B2.0")
    elif reaction.at is not None and ship.hex and not _may_move_in(state, ship, reaction.at, sure):
        text = f"{ship.name} does not move in impulse {reaction.at} at speed {ship.speed}"
        yield reaction.wrong("no-move", text, "C1.44")
    refs = [reaction.pilot.unit] if reaction.pilot else []
    yield from check_pilot(state, ship, reaction.pilot, reaction) if reaction.pilot else ()
    yield from check_units(state, ship, refs, reaction, reaction.condition)


def _move_step(unit: Commanded) -> StepName:
    return StepName.MOVE if isinstance(unit, Ship) else StepName.SHUTTLES


def _may_move_in(state: State, ship: Commanded, impulse: int, sure: int | None) -> bool:
    """Return whether the unit may move in an impulse.

    The unit may move if it is due to move by the impulse chart, or if its own tractor beams may have changed its speed
    by then.
    """
    return (sure is not None and impulse > sure) or moves(ship.speed, impulse, state.impulses)


def check_pilot(state: State, ship: Commanded, pilot: om.Pilot, line: om.SourceLine) -> Iterator[Fault]:
    """Check a pilot order, which names a goal to steer by, and yield the faults (C1.3).

    A hex named as the goal must be on the map (C1.1), and a unit cannot name itself as the goal.
    """
    goal = unit_named(pilot.unit, Scene(state=state, me=ship if ship.hex else None))
    if pilot.unit.how == "me" or (goal is not None and goal.name == ship.name):
        yield line.wrong(
            "own-side", f"{ship.name} cannot steer by its own position; name another unit, a hex or an edge", "C1.3"
        )
    if pilot.unit.how == "hex" and not hexes.on_map(pilot.unit.name, state.map):
        first, last = state.map
        text = f"{pilot.unit.name} is not on the map; its hexes are {first} to {last}"
        yield line.wrong("no-such-hex", text, "C1.1")


def check_tac(state: State, scenario: Scenario, request: Request, ship: Commanded, tac: om.Tac) -> Iterator[Fault]:
    """Check a tactical maneuver in a plot, and yield the faults (C5.0).

    The scenario must use tactical maneuvers. The ship must have paid for the maneuver, and its impulse must be one that
    these orders cover.
    """
    first, last = max(1, request.impulse), request.through
    if not scenario.uses("tac"):
        yield tac.wrong("not-used", "this scenario does not use tactical maneuvers", "C5.0")
    elif not isinstance(ship, Ship):
        yield tac.wrong("tac-not-paid", f"{ship.name} is a shuttle; only ships make tactical maneuvers", "C5.0")
    elif not (ship.power.tactical or ship.power.sublight):
        yield tac.wrong(
            "tac-not-paid", f"pay for TAC on the energy form of {ship.name}: it has no tactical maneuver", "C5.0"
        )
    elif tac.at is not None and not first <= tac.at <= last:
        text = f"impulse {tac.at} is not among {first} to {last}; these orders cover only those"
        yield tac.wrong("impulse", text, "C1.41")
    elif tac.at is not None and tac.at == request.impulse and is_over(state, request, StepName.TAC):
        yield tac.wrong("step-over", over_text(state, tac.at), "B2.0")
    else:
        yield from check_units(state, ship, [], tac, tac.condition)


FAR = 3
"""Number of hexes; a target that can move farther is never certain to be behind a planet."""


def verify_line(outlook: Outlook, order: om.Order, target: AnyUnit | None) -> None:
    """Raise an error if a planet blocks every possible line of fire of an order (P2.0).

    The possible lines of fire go to all hexes that the target can reach by the impulse of the order. The check is made
    only for an impulse in which the ship's own position is certain. In games with tractor beams any unit may be towed;
    then only the position in the first impulse is certain, and only while no unit is held.

    Raises:
        NotAllowed: The planet blocks the line of fire to each of these hexes.
    """
    state = outlook.state
    impulse = order.at
    if target is None or impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return
    if not state.planets or state.links or (outlook.scenario.uses("tractors") and impulse > outlook.first):
        return
    here = outlook.at[impulse][0]
    steps = most_hexes(outlook, target, impulse)
    if steps > FAR or not terrain.blocked(here, target.hex, state.planets, state.grid):
        return
    around = hexes.within(target.hex, steps, state.map, state.grid)
    if all(terrain.blocked(here, there, state.planets, state.grid) for there in around):
        terrain.verify_line_of_fire(here, target.hex, state.planets, state.grid)
