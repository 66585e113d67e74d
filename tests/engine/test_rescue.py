"""Shuttles on planets, and the rescue of scenario #9 (P2.0, J2.211)."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pbem.data.scenarios import scenario
from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.on_file import altered
from pbem.engine.state import Planet, Ship, State
from pbem.engine.steps.transporters import verify_cargo
from pbem.engine.victory import victory_conditions
from pbem.engine.victory.tasks import Rescue, _where
from pbem.errors import NotAllowed
from pbem.orders import model as om
from tests.engine.at_rigel import STAY, checked, codes, opening, play, put, replace, shuttle, to_turns_end, told, unit

TO_RIGEL = STAY["federation"] + "SHUTTLE FS/1\nPLOT TOWARD Rigel\nDO\n  LAND ON Rigel\n"


def test_a_shuttle_lands_takes_the_survivors_and_stays() -> None:
    played = play(shuttle(opening()), federation=TO_RIGEL)
    landed, boarded = told(played, ev.ShuttleLanded)[0], told(played, ev.Boarded)[0]
    assert isinstance(landed, ev.ShuttleLanded) and isinstance(boarded, ev.Boarded)
    assert (landed.on, landed.how, landed.impulse) == ("Rigel", "landed", 6)
    assert (boarded.unit, boarded.planet, boarded.crew, boarded.impulse, boarded.step) == ("FS/1", "Rigel", 1, 6, "bay")
    now = unit(played.state)
    assert (now.hex, now.landed, now.crew) == ("1508", "Rigel", 1)
    rigel = played.state.units["Rigel"]
    assert isinstance(rigel, Planet) and rigel.crew == 0


def test_a_full_shuttle_and_an_enemy_take_nobody_aboard() -> None:
    state = shuttle(opening(), landed="Rigel", hex="1508", parties=2, speed=0)
    state = shuttle(
        state, "KS/1", side="klingon", race="klingon", launcher="Destruction", landed="Rigel", hex="1508", speed=0
    )
    assert not told(play(state), ev.Boarded)


def test_without_orders_a_landed_shuttle_announces_no_speed_and_stays() -> None:
    state = to_turns_end(shuttle(opening(), landed="Rigel", hex="1508"))
    assert (unit(state).hex, unit(state).landed, unit(state).speed) == ("1508", "Rigel", 0)


def test_its_plot_takes_it_off_again() -> None:
    state = shuttle(opening(), landed="Rigel", hex="1508", speed=0, prior_speed=0)
    orders = STAY["federation"] + "SHUTTLE FS/1\nPLOT R 2F"
    played = play(state, federation=orders)
    assert (unit(played.state).speed, unit(played.state).landed) == (3, "")
    assert unit(played.state).hex != "1508"


def test_a_shuttle_on_a_planet_is_out_of_the_war() -> None:
    state = put(shuttle(opening(), landed="Rigel", hex="1508", speed=0), "Destruction", hex="1507", facing="D")
    state = put(state, "Destruction", capacitor=4.0)
    fire = "SHIP Destruction\nENERGY\nDO\n  IF IMPULSE 1 THEN FIRE PH 1 AT FS/1\n  AT 2 LAUNCH DRONE 1 AT FS/1\n"
    mine = STAY["federation"] + "SHUTTLE FS/1\nDO\n  AT 3 FIRE PH 1 AT Destruction\n"
    played = play(state, klingon=fire, federation=mine)
    assert not told(played, ev.Fired) and not told(played, ev.Launched)
    reasons = [event.reason for event in told(played, ev.OrderTold) if isinstance(event, ev.OrderTold)]
    assert len(reasons) == 3 and all("P2.0" in reason for reason in reasons)


def test_a_landing_on_the_ship_brings_the_survivors_aboard() -> None:
    state = shuttle(opening(), hex="1509", facing="D", crew=1)
    home = STAY["federation"] + "SHUTTLE FS/1\nPLOT F\nDO\n  LAND ON Constellation\n"
    state = to_turns_end(state, federation=home)
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    assert (unit(state).gone, ship.people.passengers, ship.hangar) == ("landed", 1, ("A", "B", "C", "D"))


def test_the_survivors_are_sent_away_again() -> None:
    state = put(opening(), "Constellation", passengers=1)
    orders = STAY["federation"] + "DO\n  AT 1 LAUNCH SHUTTLE B DIR A WITH 1 CREW\n"
    state = play(state, federation=orders).state
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    assert (unit(state).crew, unit(state).letter, ship.people.passengers) == (1, "B", 0)


LEAVE = "SHIP Constellation\nENERGY\n  SPEED 6\nPLOT 6F LEAVE MAP\n"


def result(state: State) -> dict[str, str]:
    return {outcome.side: outcome.result for outcome in state.outcome}


@pytest.mark.parametrize(("passengers", "federation"), [(1, "victory"), (0, "defeat")])
def test_whoever_leaves_with_the_survivors_wins(passengers: int, federation: str) -> None:
    state = put(opening(), "Constellation", hex="1501", facing="A", passengers=passengers)
    state = to_turns_end(state, federation=LEAVE)
    assert state.over
    opposite = {"victory": "defeat", "defeat": "victory"}[federation]
    assert result(state) == {"federation": federation, "klingon": opposite}


@pytest.mark.parametrize(
    ("ajax", "why"),
    [
        ({"gone": "destroyed"}, "Ajax was destroyed and Constellation left the map with the survivors"),
        ({"gone": "disengaged"}, "Ajax left the map and Constellation left the map with the survivors"),
        (
            {"captured_from": "federation", "side": "klingon", "gone": "left the map"},
            "Ajax was captured and Constellation left",
        ),
    ],
)
def test_of_several_ships_each_is_told_how_it_ended(ajax: dict[str, str], why: str) -> None:
    state = put(opening(), "Constellation", hex="1501", facing="A", passengers=1)
    other = altered(state.units["Constellation"], name="Ajax", hex="0808", **{"passengers": 0, **ajax})
    for units in ({**state.units, "Ajax": other}, {"Ajax": other, **state.units}):
        ended = to_turns_end(replace(state, units=units), federation=LEAVE)
        assert result(ended)["federation"] == "victory"
        assert why in ended.outcome[0].why


def test_survivors_aboard_a_shuttle_do_not_count() -> None:
    state = shuttle(put(opening(), "Constellation", hex="1501", facing="A"), crew=1)
    state = put(state, "Rigel", crew=0)
    state = to_turns_end(state, federation=LEAVE)
    assert result(state)["federation"] == "defeat"
    assert "FS/1" in state.outcome[0].why


def test_the_last_turn_ends_it() -> None:
    state = put(opening(), "Constellation", passengers=1)
    assert state.request is not None
    request = replace(state.request, turn=10)
    state = replace(state, turn=9, request=request, last_request=request)
    state = to_turns_end(state)
    assert state.over and result(state)["federation"] == "defeat"


def test_a_ship_that_leaves_on_the_last_turn_is_told_to_have_left() -> None:
    state = put(opening(), "Constellation", hex="1501", facing="A")
    assert state.request is not None
    request = replace(state.request, turn=10)
    state = to_turns_end(replace(state, turn=9, request=request, last_request=request), federation=LEAVE)
    assert result(state)["federation"] == "defeat"
    assert state.outcome[0].why == "Constellation left the map; the survivors are still on Rigel"


def test_a_lost_ship_loses_and_the_klingon_cannot_end_it_by_leaving() -> None:
    state = to_turns_end(opening(), klingon="SHIP Destruction\nENERGY\n  LIFE SUPPORT 0\n")
    assert not state.over
    state = to_turns_end(opening(), federation="SHIP Constellation\nENERGY\n  LIFE SUPPORT 0\n")
    assert result(state) == {"federation": "defeat", "klingon": "victory"}


def test_nobody_disengages_from_a_rescue() -> None:
    assert codes(checked(opening(), "federation", STAY["federation"] + "DO\n  AT 1 DISENGAGE\n")) == [
        "no-disengagement"
    ]


def test_of_several_shuttles_with_survivors_the_first_by_name_is_told() -> None:
    state = put(opening(), "Rigel", crew=0)
    for name in ("FS/3", "FS/2"):
        state = shuttle(state, name, crew=1)
    assert _where(state, "Rigel") == "the survivors are still aboard FS/2"
    assert _where(put(state, "Rigel", crew=1), "Rigel") == "the survivors are still on Rigel"
    assert _where(put(opening(), "Rigel", crew=0), "Rigel") == "the survivors were not aboard"


# --- allies of the rescuers ------------------------------------------------------------------------------------------


def test_an_ally_of_the_rescuers_is_a_rescuer_in_everything() -> None:
    """The three answers of one question: who may beam survivors aboard, who takes them by shuttle, who saves them."""
    state = opening()
    gorn = replace(state.sides["federation"], name="gorn", team=state.sides["federation"].team)
    state = replace(state, sides={**state.sides, "gorn": gorn})
    kind = victory_conditions(scenario("9"))
    assert [kind.rescues(state, side) for side in ("federation", "gorn", "klingon", "")] == [True, True, False, False]
    ship, rigel = state.units["Constellation"], state.units["Rigel"]
    assert isinstance(ship, Ship)
    ally = replace(ship, name="Gorn", side="gorn", hex=ship.hex)
    order = om.Transport(count=1, what="CREW", way="FROM", unit=om.UnitRef(how="name", name="Rigel"))
    verify_cargo(kind, state, ally, order, rigel)
    with pytest.raises(NotAllowed, match="do not go with klingon"):
        verify_cargo(kind, state, replace(ally, side="klingon"), order, rigel)


@pytest.mark.parametrize(("passengers", "said"), [(1, "with the survivors"), (0, "still on Rigel")])
def test_an_ally_brings_the_survivors_home(passengers: int, said: str) -> None:
    state = opening()
    gorn = replace(state.sides["federation"], name="gorn", team=state.sides["federation"].team)
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship)
    lost = replace(ship, gone=UnitFate.DESTROYED)
    ally = replace(ship, name="Gorn", side="gorn")
    state = replace(state, sides={**state.sides, "gorn": gorn}, units={**state.units, ship.name: lost, "Gorn": ally})
    kind = victory_conditions(scenario("9"))
    assert isinstance(kind, Rescue)
    here = SimpleNamespace(state=state, turn=2)
    assert kind.decided(here, last=True) is None, "an ally can still fetch them"  # type: ignore[arg-type]
    home = altered(ally, gone=UnitFate.LEFT, passengers=passengers)
    there = SimpleNamespace(state=replace(state, units={**state.units, "Gorn": home}), turn=2)
    decided = kind.decided(there, last=False)  # type: ignore[arg-type]
    assert decided is not None and decided[0] == passengers and said in decided[1]


def with_ally(**fate: object) -> State:
    """The opening of #9 with a Gorn ship on the rescuers' team."""
    state = opening()
    gorn = replace(state.sides["federation"], name="gorn")
    ally = altered(state.units["Constellation"], **{"name": "Gorn", "side": "gorn", **fate})
    return replace(state, sides={**state.sides, "gorn": gorn}, units={**state.units, "Gorn": ally})


HOME = {"gone": UnitFate.LEFT, "passengers": 1}
"""What became of a rescuer that brought a crew unit off the map."""


@pytest.mark.parametrize(
    ("waiting", "aboard", "rest", "over"),
    [
        (0, 0, {}, True),
        (1, 0, {}, False),
        (0, 1, {}, False),
        (0, 0, {"passengers": 1}, False),
        (0, 0, {"passengers": 1, "side": "klingon", "captured_from": "gorn"}, True),
    ],
)
def test_with_the_last_survivors_off_the_map_a_rescue_is_over(
    waiting: int, aboard: int, rest: dict[str, object], over: bool
) -> None:
    """Though an ally is still there: nobody is left whom he could save (#9). Of a prize with survivors aboard its team
    has the last ship lost, so the rescue is over too.
    """
    state = shuttle(with_ally(**rest), crew=aboard)
    state = put(put(state, "Rigel", crew=waiting), "Constellation", **HOME)
    kind = victory_conditions(scenario("9"))
    assert isinstance(kind, Rescue)
    decided = kind.decided(SimpleNamespace(state=state, turn=2), last=False)  # type: ignore[arg-type]
    assert (decided is not None) is over
    if not rest and over:
        assert decided == (1, "Constellation left the map with the survivors")


def test_a_rescue_without_survivors_goes_on_while_a_rescuer_is_there() -> None:
    """As the text says: until the ship has left, is lost, or ten turns are over."""
    state = put(with_ally(), "Rigel", crew=0)
    kind = victory_conditions(scenario("9"))
    assert isinstance(kind, Rescue)
    assert kind.decided(SimpleNamespace(state=state, turn=2), last=False) is None  # type: ignore[arg-type]


def test_an_ally_of_the_rescuers_is_after_the_survivors_too() -> None:
    """Whoever plays by chance, and a computer captain, go where the task of their team is."""
    state = with_ally()
    gorn, klingon = state.units["Gorn"], state.units["Destruction"]
    assert isinstance(gorn, Ship) and isinstance(klingon, Ship)
    kind = victory_conditions(scenario("9"))
    assert [kind.prey(state, ship) for ship in (gorn, klingon)] == [["Rigel"], []]
    assert victory_conditions(scenario("5")).tasked(state, "klingon"), "a duel is everybody's"
