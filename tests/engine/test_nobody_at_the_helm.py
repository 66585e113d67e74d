"""What is played where nobody says anything: captains who give no orders, robots' prizes, ships in mutiny, sides that
nobody commands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from pbem.ai.robot import RobotCommander, ScriptedCommander
from pbem.data.scenarios import Scenario, scenario
from pbem.data.terms import StepName, WeaponState
from pbem.engine import events as ev
from pbem.engine.dice import SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolution import Commander, MutinyCommander, Resolution, Steer
from pbem.engine.play.setup import set_up
from pbem.engine.state import Commanded, Ship, Shuttle, State
from pbem.engine.steps import energy as allocation, science, sensors, sequence, shuttles, tractors
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import scenario_for
from pbem.orders import model as om
from pbem.rules.hexes import neighbour
from tests.engine.world import SHIPS, rich


def setting() -> Scenario:
    """A scenario with all chapters, for the ships of the rich state."""
    units = [{"side": side, "ship": key, "name": name, "at": at} for name, (side, key, at) in SHIPS.items()]
    head = {"rule": "B2.0", "title": "t", "source": "s", "level": "standard", "impulses": 16, "map": ["0101", "3030"]}
    return scenario_for(msgspec.convert({**head, "unit": units}, Case))


def table(state: State | None = None, captain: Commander | None = None, *sides: str) -> Resolution:
    """Everybody's captain says nothing, or those of ``sides`` are this one."""
    state = rich() if state is None else state
    captains = {side: captain or Commander() for side in sides or state.sides}
    return Resolution(state, setting(), SegmentDice(b"calm"), captains)


def put(name: str, **changes: Any) -> State:
    state = rich()
    return replace(state, units={**state.units, name: altered(state.units[name], **changes)})


def ship(state: State, name: str) -> Ship:
    unit = state.units[name]
    assert isinstance(unit, Ship)
    return unit


def happened(on: Resolution, *kinds: str) -> list[ev.AnyEvent]:
    return [record.event for record in on.records if not kinds or type(record.event).__name__ in kinds]


# --- captains who say nothing ----------------------------------------------------------------------------------------

LET_GO = ["Released", "Released", "SpeedAnnounced", "SpeedAnnounced"]
"""Beams that hold what they no longer may, wherever a step looks at them: of rich() two are."""


@pytest.mark.parametrize(("step", "kinds"), [
    (StepName.ENERGY, []), (StepName.ANNOUNCE, [*LET_GO, *["SpeedAnnounced"] * 6, "Cloaked"]), (StepName.LOCK_ON, []),
    (StepName.MONSTERS, []), (StepName.MOVE, []), (StepName.SHUTTLES, []), (StepName.TAC, []),
    (StepName.SEEK, ["Moved", "Collided", "SeekerDamaged", *LET_GO]), (StepName.IMPACT, LET_GO),
    (StepName.CLOAK, []), (StepName.TRACTOR, LET_GO), (StepName.LAUNCH, []), (StepName.TRANSPORT, []),
    (StepName.BAY, []), (StepName.FIRE, []), (StepName.RESOLVE, LET_GO), (StepName.END, LET_GO),
])  # fmt: skip
def test_who_says_nothing_does_nothing(step: StepName, kinds: list[str]) -> None:
    """No launch, no shot, no beam, no maneuver: weapons fly on, beams end, speeds are announced."""
    on = table()
    sequence.BY_NAME[step].play(on)
    assert [type(event).__name__ for event in happened(on)] == kinds


@pytest.mark.parametrize("does", [sensors.cloak_and_uncloak, tractors.operate])
def test_ships_that_nobody_commands_are_passed_over(does: Any) -> None:
    on = table(None, None, "nobody")
    does(on)
    assert not happened(on, "OrderTold", "Cloaked", "Tractored")


def test_probes_of_a_side_that_nobody_commands_stay_where_they_are() -> None:
    on = table(None, None, "nobody")
    science.launch_probes(on, lambda one, other: 1)
    assert not happened(on)


@pytest.mark.parametrize(("landed", "speeds"), [("", {"FS/1": 6, "KS/1": 6}), ("Moon", {"FS/1": 6, "KS/1": 0})])
def test_a_shuttle_nobody_speaks_of_flies_as_the_rules_say_and_stays_where_it_landed(
    landed: str, speeds: dict[str, int]
) -> None:
    """J1.21: its speed of the turn before, and none on a planet."""
    state = put("KS/1", landed=landed, prior_speed=6)
    boat = state.units["FS/1"]
    on = table(replace(state, units={**state.units, "FS/1": replace(boat, target="", bomb=0, prior_speed=6, damage=0)}))
    shuttles.announce(on)
    assert {one.unit: one.speed for one in happened(on) if isinstance(one, ev.SpeedAnnounced)} == speeds


def test_a_captain_who_says_nothing() -> None:
    state = rich()
    on, con, captain = table(), ship(state, "Con"), Commander()
    assert captain.steer(on, con, state) == Steer(code="F")
    assert not captain.may_leave(con) and captain.may_intend(om.Fire)
    assert (captain.shuttle_speed("FS/1"), captain.shuttle_speed("FS/1", True)) == (None, 0)
    boat = state.units["FS/1"]
    assert isinstance(boat, Shuttle)
    assert [captain.intends(on, con, state, om.Fire), captain.tacs(on, con, state), captain.guides(on, boat, state),
            captain.reserves(on, con, 1, 9), captain.damage_choices(con)] == [[], [], "", [], ()]  # fmt: skip


class Busy(Commander):
    """Has orders for everything."""

    def steer(self, table: Resolution, ship: Commanded, before: State) -> Steer:
        return Steer(code="R")

    def may_leave(self, ship: Commanded) -> bool:
        return True

    def shuttle_speed(self, name: str, landed: bool = False) -> int | None:
        return 1 if landed else 5


def test_a_ship_in_mutiny_flies_straight_on_and_its_captains_boats_do_as_he_says() -> None:
    """G6.32: the ship does not hear him; what left it before does."""
    state = put("Con", mutiny="staged")
    on = table(state, Busy())
    con, mutineers = ship(state, "Con"), on.captain(state.units["Con"])
    assert isinstance(mutineers, MutinyCommander)
    assert mutineers.steer(on, con, state).code == "F" and not mutineers.may_leave(con)
    assert (mutineers.shuttle_speed("FS/1"), mutineers.shuttle_speed("FS/1", True)) == (5, 1)
    heard = on.captain(ship(state, "Des"))
    assert heard.steer(on, con, state).code == "R" and heard.may_leave(con)


# --- prizes of sides without a player (D7.0, step 6) -----------------------------------------------------------------


def robot(side: str) -> RobotCommander:
    return RobotCommander(side)


def script(side: str) -> RobotCommander:
    return ScriptedCommander(side, scenario("3"))


@pytest.mark.parametrize(("captain", "side"), [(robot, "robot"), (script, "convoy")])
def test_a_prize_that_nobody_plays_flies_on_as_it_did(captain: Callable[[str], RobotCommander], side: str) -> None:
    """Neither the speed of the robot's rules nor that of a script, and its weapons stay as they are."""
    state = put("Hood", side=side, captured_from="federation", speed=7)
    prize = altered(ship(state, "Hood"), capacitor=0.5)
    own = altered(prize, captured_from="")
    on = table(state, captain(side))
    captain(side).allot(on, prize, state)
    (event,) = happened(on)
    assert isinstance(event, ev.Readied)
    assert (event.unit, event.speed, event.weapons, event.capacitor) == ("Hood", 7, prize.weapons, 0.5)
    assert on.records[0].only == side
    assert captain(side).steer(on, prize, state).code == "F"
    if side == "robot":
        on = table(state, captain(side))
        captain(side).allot(on, own, state)
        (event,) = happened(on)
        assert isinstance(event, ev.RobotReadied) and event.speed != 7


@pytest.mark.parametrize(("impulse", "fires"), [(1, False), (2, True), (3, False)])
def test_a_scripted_ship_fires_on_its_impulse_if_a_weapon_bears(impulse: int, fires: bool) -> None:
    state = set_up(scenario("3"), "script", players={}, options=Options()).state
    ships = [one for one in scenario("3").units if one.script and one.script.fires_on == 2]
    mine = ship(state, ships[0].name)
    enemy = next(one for one in state.units.values() if isinstance(one, Ship) and one.side != mine.side)
    ahead = neighbour(mine.hex, mine.facing)
    captain = ScriptedCommander(mine.side, scenario("3"))

    def shots(target_hex: str, **changes: Any) -> list[str]:
        there = {
            mine.name: altered(mine, capacitor=4.0, **changes),
            enemy.name: altered(enemy, hex=target_hex),
        }
        now = replace(state, impulse=impulse, units={**state.units, **there})
        found = captain.intends(table(now, captain), ship(now, mine.name), now, om.Fire)
        assert isinstance(found, list)
        assert captain.intends(table(now, captain), ship(now, mine.name), now, om.Launch) == []
        return [one.order.does[0].target.name for one in found]  # type: ignore[attr-defined]

    assert shots(ahead) == ([enemy.name] if fires else [])
    lost = {name: replace(one, working=False) for name, one in mine.weapons.items()}
    assert shots(ahead, weapons=lost) == []


def test_a_shuttle_of_a_robot_flies_straight_on() -> None:
    """The robot's rules are about ships."""
    state = rich()
    on = table(state, RobotCommander("robot"))
    boat = state.units["FS/1"]
    assert isinstance(boat, Shuttle)
    assert RobotCommander("robot").steer(on, boat, state).code == "F"


def test_a_tube_that_was_destroyed_is_not_loaded_again() -> None:
    """Robot rules 1 and 6: what works is reloaded as the turn begins; what a lost tube held may leave it for a quarter
    turn yet (FP1.7).
    """
    state = put("Hood")
    hood = ship(state, "Hood")
    lost = replace(hood.weapons["PHOT A"], working=False, destroyed=20, charge=WeaponState.ARMED, armed_turns=2)
    hood = replace(hood, weapons={**hood.weapons, "PHOT A": lost})
    on = table(replace(state, units={**state.units, "Hood": hood}))
    allocation.ready_robot(on, hood)
    (event,) = happened(on)
    assert isinstance(event, ev.RobotReadied)
    assert event.weapons["PHOT A"] == lost
    assert event.weapons["PHOT B"].charge == WeaponState.ARMED
