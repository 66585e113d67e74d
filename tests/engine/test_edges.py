"""Small questions of play at their edges: landing, towing past planets, targets that are gone, the pirate's end."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import Scenario, scenario
from pbem.data.ships import ship_class
from pbem.data.terms import FormKind, UnitFate, WeaponState
from pbem.engine.checking.activities import may_come_back
from pbem.engine.checking.shuttles import _too_fast
from pbem.engine.checking.units import about_the_gone
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.events import Struck
from pbem.engine.legal.acts import worth_holding
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import UnitChoices, as_played, new_ship, set_up
from pbem.engine.relations import awaited
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State
from pbem.engine.steps import engineer as engineering, steering, transporters
from pbem.engine.steps.geometry import near_side
from pbem.engine.steps.shuttles import _just_out, verify_landing
from pbem.engine.steps.tractor_links import kind_of
from pbem.engine.victory import announces
from pbem.engine.victory.battles import Duel, _revenge
from pbem.engine.victory.tasks import Piracy
from pbem.errors import GameError, NotAllowed
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from pbem.rules import tractors as law
from tests.engine.world import rich


def order(text: str) -> om.Order:
    reading = read_orders(f"SHUTTLE FS/1\nDO\n  {text}\n", header=False)
    assert not reading.faults
    return reading.orders.units[0].do[0]


# --- shuttles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("LAND Con", True),
        ("AT 3 LAND Con", False),
        ("LAST LAND Con", False),
        ("IF RANGE Des <= 4 THEN LAND Con", False),
    ],
)
def test_an_order_to_land_without_a_moment_means_the_return(text: str, waits: bool) -> None:
    boat = rich().units["FS/1"]
    assert isinstance(boat, Shuttle)
    assert _just_out(replace(boat, straight=0), order(text)) is waits
    assert _just_out(replace(boat, straight=1), order(text)) is False


@pytest.mark.parametrize("name", ["KD/1", "Eater", "KS/1"])
def test_a_shuttle_lands_on_ships_and_planets_alone(name: str) -> None:
    state = rich()
    boat, on = state.units["FS/1"], state.units[name]
    assert isinstance(boat, Shuttle) and isinstance(on, Seeker | Monster | Shuttle)
    with pytest.raises(NotAllowed) as refused:
        verify_landing(replace(state, links=()), boat, replace(on, hex=boat.hex))
    assert (refused.value.code, str(refused.value)) == (
        "no-landing-place",
        f"a shuttle can land only on ships and planets, not on {name} (J1.61)",
    )


def test_of_a_planet_counts_the_hex_that_is_nearest() -> None:
    state = rich()
    ship, moon = state.units["Con"], state.units["Moon"]
    assert isinstance(ship, Ship) and isinstance(moon, Planet)
    assert near_side(state, ship, moon) == replace(moon, hex="2511")
    assert near_side(state, replace(ship, hex="2515"), moon) == moon
    assert near_side(state, ship, state.units["Des"]) is state.units["Des"]


# --- what is gone ----------------------------------------------------------------------------------------------------


def test_of_several_that_are_gone_the_first_by_name_is_told() -> None:
    state = rich()
    wreck = state.units["Wreck"]
    assert isinstance(wreck, Ship)
    state = replace(
        state,
        units={
            **{name: unit for name, unit in state.units.items() if name != "Des"},
            "Ajax": replace(wreck, name="Ajax", gone=UnitFate.NOT_YET),
            "Zulu": replace(wreck, name="Zulu", gone=UnitFate.DISENGAGED),
        },
    )
    fire = order("AT 3 FIRE PH 1 AT KLIN D7")

    def told(impulse: int) -> tuple[list[tuple[str, str, str]], str]:
        request = cast(Request, SimpleNamespace(impulse=impulse))
        faults, why = about_the_gone(state, request, fire)
        return [(fault.code, fault.text, fault.rule) for fault in faults], why

    assert told(0) == ([("gone", "Ajax is not yet there and cannot be a target", "E1.1")], "")
    assert told(1) == ([], "on Ajax, which is not yet there")


@pytest.mark.parametrize(
    ("boxes", "bomb", "side", "friend", "comes"),
    [
        (1, False, "federation", "", True),  # her own shuttle is on the map
        (0, False, "federation", "", False),  # and no box is left for it
        (1, True, "federation", "", False),  # it is a suicide shuttle
        (1, False, "klingon", "", False),  # it is the enemy's
        (1, True, "federation", "federation", True),  # another ship of hers has shuttles aboard
        (1, True, "federation", "klingon", False),  # only the enemy has
    ],
)
def test_what_may_yet_take_an_empty_shuttle_box(boxes: int, bomb: bool, side: str, friend: str, comes: bool) -> None:
    """J2.0: a box that is empty now is no reason to refuse an order for later if a shuttle may come aboard."""
    world = rich()
    boat, con = world.units["FS/1"], world.units["Con"]
    assert isinstance(boat, Shuttle) and isinstance(con, Ship)
    con = replace(con, boxes={**con.boxes, "shuttle": boxes}, hangar="A")
    boat = replace(boat, side=side, target="Des" if bomb else "")
    units: dict[str, AnyUnit] = {"Con": con, "FS/1": boat}
    if friend:
        units["Other"] = replace(con, name="Other", side=friend)
    assert may_come_back(replace(world, units=units), con) is comes


def test_nothing_is_played_where_nothing_is_asked() -> None:
    setting = scenario("5")
    state = set_up(setting, "done", players={}, options=Options()).state
    with pytest.raises(ValueError, match="no orders are asked for"):
        resolve(replace(state, request=None), setting, {}, ScriptedDice())


def test_a_side_whose_ships_are_still_to_come_has_not_lost() -> None:
    setting = scenario("5")
    state = set_up(setting, "late", players={}, options=Options()).state
    names = {ship.side: ship.name for ship in state.ships()}

    def ended(**gone: UnitFate) -> dict[str, str]:
        units = {
            **state.units,
            **{names[side]: replace(state.units[names[side]], gone=how) for side, how in gone.items()},
        }
        table = SimpleNamespace(state=replace(state, units=units), scenario=setting, turn=3)
        return {one.side: one.result for one in Duel(setting.victory).outcome(cast(Resolution, table), False)}

    assert ended(klingon=UnitFate.NOT_YET) == ended() == {}
    assert ended(klingon=UnitFate.NOT_YET, federation=UnitFate.DESTROYED) == ended(federation=UnitFate.DESTROYED)
    assert ended(klingon=UnitFate.DISENGAGED, federation=UnitFate.DESTROYED) != ended(federation=UnitFate.DESTROYED)


def test_one_of_several_is_enough_for_what_a_duel_waits_for() -> None:
    """A torpedo that still hunts somebody, a ship that is still to come, a ship in mutiny (D4.42, #8, G6.34)."""
    state = rich()
    torpedo = state.units["GP/1"]
    assert isinstance(torpedo, Seeker)
    for targets, hunts in (((), False), (("Con",), True), (("nobody",), False), (("Con", "nobody"), True)):
        torpedoes = {f"GP/{n}": replace(torpedo, name=f"GP/{n}", target=name) for n, name in enumerate(targets, 1)}
        rest: dict[str, AnyUnit] = {name: unit for name, unit in state.units.items() if not isinstance(unit, Seeker)}
        assert _revenge(replace(state, units={**rest, **torpedoes})) is hunts, targets
    con = state.units["Con"]
    for fates, comes in (
        ((UnitFate.IN_PLAY, UnitFate.IN_PLAY), False), ((UnitFate.NOT_YET, UnitFate.DESTROYED), True),
        ((UnitFate.DESTROYED, UnitFate.NOT_YET), True), ((UnitFate.DESTROYED, UnitFate.LEFT), False),
    ):  # fmt: skip
        ships = {f"Con {n}": replace(con, name=f"Con {n}", gone=gone) for n, gone in enumerate(fates)}
        rest = {name: unit for name, unit in state.units.items() if unit.side != con.side}
        assert awaited(replace(state, units={**rest, **ships}), con.side) is comes, fates


# --- the pirate (scenario #8) ----------------------------------------------------------------------------------------


def ends(
    *fates: tuple[str, dict[str, Any]], last: bool = False, turn: int = 3, holder: str = "orion"
) -> Sequence[object] | None:
    """The count of a raid by several pirates, each with what became of it; ``holder`` is the side with the prize. Sides
    that the scenario does not know are allies of the pirate's.
    """
    setting = scenario("8")
    state: State = set_up(setting, "pact", players={}, options=Options()).state
    raider = next(unit for unit in state.units.values() if unit.side == setting.victory.side)
    units = {name: unit for name, unit in state.units.items() if name != raider.name}
    for name, fate in fates:
        units[name] = altered(raider, name=name, **fate)
    prize = altered(units["Freighter A"], side=holder, captured_from="convoy", gone=UnitFate.LEFT)
    pirate = state.sides[setting.victory.side]
    allies = {unit.side: replace(pirate, name=unit.side) for unit in units.values() if unit.side not in state.sides}
    state = replace(state, units={**units, "Freighter A": prize}, turn=turn, sides={**state.sides, **allies})
    table = SimpleNamespace(state=state, scenario=setting, turn=turn)
    return Piracy(setting.victory).decided(cast(Resolution, table), last)


def test_one_pirate_that_is_lost_loses_the_prizes_of_all() -> None:
    away, lost = {"gone": UnitFate.DISENGAGED}, {"gone": UnitFate.DESTROYED}
    assert ends(("Ash", away), ("Birch", away)) == (1, "1 of 4 freighters captured or towed off: Freighter A")
    for one, other in ((away, lost), (lost, away), (lost, lost)):
        found = ends(("Ash", one), ("Birch", other))
        assert found is not None and found[0] == 0 and "destroyed" in str(found[1])
    assert ends(("Ash", {}), ("Birch", lost)) is None
    assert ends(("Ash", {}), ("Birch", {}), last=True) is None
    assert ends(("Ash", {}), ("Birch", {}), last=True, turn=12) == (
        0, "Ash and Birch counts as destroyed: still on the map at the end of turn 12",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("orion", "tholian", "holder", "found"),
    [
        ("away", "here", "orion", None),
        ("lost", "here", "orion", None),
        ("away", "coming", "orion", None),
        ("away", "away", "tholian", (1, "1 of 4 freighters captured or towed off: Freighter A")),
        ("lost", "away", "tholian", (1, "Ash was destroyed; 1 of 4 freighters captured or towed off: Freighter A")),
        ("lost", "away", "orion", (0, "Ash was destroyed; 0 of 4 freighters captured or towed off")),
        ("lost", "lost", "orion", (0, "Ash was destroyed and Birch was destroyed")),
    ],
)
def test_a_pirates_ally_keeps_the_raid_going_and_what_he_takes_himself(
    orion: str, tholian: str, holder: str, found: tuple[int, str] | None
) -> None:
    """A raid is over when no pirate of the team is left; one that is lost has nothing of his own prizes (#8)."""
    fates = {
        "away": UnitFate.DISENGAGED,
        "here": UnitFate.IN_PLAY,
        "lost": UnitFate.DESTROYED,
        "coming": UnitFate.NOT_YET,
    }
    mine, allys = {"gone": fates[orion]}, {"gone": fates[tholian], "side": "tholian"}
    assert ends(("Ash", mine), ("Birch", allys), holder=holder) == found


@pytest.mark.parametrize(("holder", "count"), [("orion", 1), ("tholian", 0)])
def test_a_pirates_ally_who_stays_too_long_loses_his_own_prizes(holder: str, count: int) -> None:
    away, here = {"gone": UnitFate.DISENGAGED}, {"side": "tholian"}
    found = ends(("Ash", away), ("Birch", here), last=True, turn=12, holder=holder)
    tally = f"{count} of 4 freighters captured or towed off{': Freighter A' * count}"
    assert found == (count, f"Birch counts as destroyed: still on the map at the end of turn 12; {tally}")


def test_a_freighter_that_an_ally_tows_off_is_his_prize() -> None:
    """So it does not count where he is lost, and the pirate has no part in it."""
    away, tholian = {"gone": UnitFate.DISENGAGED}, {"gone": UnitFate.DISENGAGED, "side": "tholian"}
    setting = scenario("8")
    for fate, count in ((UnitFate.DISENGAGED, 1), (UnitFate.DESTROYED, 0)):
        state: State = set_up(setting, "pact", players={}, options=Options()).state
        raider = state.units["Orion Raider"]
        ally = altered(raider, name="Birch", **{**tholian, "gone": fate})
        towed = replace(state.units["Freighter A"], gone=UnitFate.LEFT, marks=("towed off by Birch",))
        units = {**state.units, raider.name: altered(raider, **away), "Birch": ally, "Freighter A": towed}
        sides = {**state.sides, "tholian": replace(state.sides["orion"], name="tholian")}
        table = SimpleNamespace(state=replace(state, units=units, sides=sides), scenario=setting, turn=3)
        found = Piracy(setting.victory).decided(cast(Resolution, table), False)
        assert found is not None and found[0] == count, fate


# --- options of chapters that are not used ---------------------------------------------------------------------------


def test_an_option_counts_where_it_is_wished_and_the_scenario_has_its_chapter() -> None:
    with_, without = scenario("5"), replace(scenario("5"), chapters=())
    for name in ("sideslip", "reinforcement"):
        assert with_.uses(name) and not without.uses(name)
        for setting, wished in ((with_, True), (with_, False), (without, True), (without, False)):
            found = as_played(setting, replace(Options(), **{name: wished}))
            assert getattr(found, name) is (setting is with_ and wished), (name, wished)


def test_in_duels_captains_may_announce_that_they_disengage_and_elsewhere_where_the_scenario_says_so() -> None:
    """Scenarios #5 to #7, #10 and #12 end so; in the others who wants to get away has to fly there."""
    duels = {"5", "6", "7", "10", "12"}
    for number in map(str, range(1, 13)):
        setting = scenario(number)
        assert setting.disengagement is None
        assert announces(setting) is (number in duels), number
        for said in (True, False):
            assert announces(replace(setting, disengagement=said)) is said


def test_a_facing_that_is_none_is_told_which_there_are() -> None:
    """Scenario #11: the cruiser may face as it likes."""
    with pytest.raises(GameError) as refused:
        set_up(
            scenario("11"), "test", players={}, options=Options(), choices=UnitChoices(facings={"Constellation": "G"})
        )
    assert "'G' is not a facing for Constellation; use A to F" in str(refused.value)


def test_of_several_facings_that_cannot_be_chosen_the_first_by_name_is_told() -> None:
    """However they were given: scenario #5 lets nobody choose."""
    for names in (("Constellation", "Destruction"), ("Destruction", "Constellation")):
        with pytest.raises(GameError) as refused:
            set_up(
                scenario("5"),
                "test",
                players={},
                options=Options(),
                choices=UnitChoices(facings=dict.fromkeys(names, "A")),
            )
        assert "Constellation cannot choose its facing in scenario #5: no ship can" in str(refused.value)


def test_the_engineer_readies_what_fires_and_leaves_the_rest_as_it_is() -> None:
    """Scenarios without an energy form: a weapon the crew of a prize cannot use gets no energy (D7.0), a rack and a
    torpedo under way are not his to see to.
    """
    state, setting = rich(), scenario("3")
    des = state.units["Des"]
    gorn = state.units["Gorn"]
    assert isinstance(des, Ship) and isinstance(gorn, Ship)
    prize = altered(des, disabled=("DISR A", "DRONE 1", "PH 1"))
    done = engineering.readied(prize, setting, 3)
    assert done.weapons["DISR A"].charge == WeaponState.NONE and done.weapons["DISR B"].charge == WeaponState.POWERED
    assert [done.weapons[name] for name in ("DRONE 1", "PH 1")] == [des.weapons[name] for name in ("DRONE 1", "PH 1")]
    tubes = altered(gorn, disabled=("PLAS A",))
    assert engineering.readied(tubes, setting, 3).weapons == gorn.weapons


def test_what_is_offered_to_a_beam_is_what_the_law_lets_it_hold() -> None:
    """Of every kind of unit, one's own and others'; the own suicide shuttle is told apart by the law alone (G7.32)."""
    state = rich()
    for ship in state.ships():
        offered = {unit.name for unit in worth_holding(state, ship)}
        for unit in state.in_play():
            own = not state.enemies(ship.side, unit.side)
            if unit.side and unit.name != ship.name and not (own and kind_of(unit) == "suicide shuttle"):
                try:
                    law.verify_hold(target=unit.name, kind=kind_of(unit), own=own, range=1)
                except NotAllowed:
                    assert unit.name not in offered
                else:
                    assert unit.name in offered


@pytest.mark.parametrize(("impulse", "told"), [(0, False), (1, True), (2, True)])
def test_a_ship_that_is_too_fast_to_land_on_is_told_from_the_first_impulse_on(impulse: int, told: bool) -> None:
    """Before the turn its speed is not known yet (J1.61)."""
    state = rich()
    shuttle = next(shuttle for shuttle in state.shuttles() if not shuttle.target)
    fast = replace(state.units["Con"], speed=30)
    state = replace(state, units={**state.units, "Con": fast})
    request = Request(turn=2, impulse=impulse, through=16, number=1, sides=("federation",), form=FormKind.SOP)
    assert bool(_too_fast(state, request, shuttle, "Con")) == told


def test_a_ship_of_ones_own_may_have_no_batteries() -> None:
    kind = replace(ship_class("fed_cadet_ca"), boxes={})
    assert new_ship(kind, name="One", side="hydran", hex="0101", facing="A").power.batteries == 0


def begun() -> tuple[State, Scenario, dict[str, Filed]]:
    """The duel with forms and orders in one, and legal ones of both."""
    setting = scenario("5")
    state = set_up(setting, "begun", players={}, options=Options(reveal="none", autobreaks=())).state
    return state, setting, {side: Filed(text=f"SHIP {ship}\nENERGY\n  SPEED 4\n") for side, ship in SHIPS.items()}


SHIPS = {"federation": "Constellation", "klingon": "Destruction"}


def test_a_form_that_is_not_legal_is_never_played() -> None:
    """It was refused before it was filed: who finds it in a game has one that was tampered with."""
    state, setting, answers = begun()
    much = {**answers, "klingon": Filed(text="SHIP Destruction\nENERGY\n  SPEED 4\n  PHASERS 90\n")}
    with pytest.raises(GameError, match="PHASERS"):
        resolve(state, setting, much, ScriptedDice(after=SegmentDice(b"s")), until=1)


def test_what_is_gone_is_struck_no_more() -> None:
    setting = scenario("2")
    state = set_up(
        setting, "begun", players={"drones": "d", "federation": "f"}, options=Options(reveal="none", autobreaks=())
    ).state
    assert state.request is not None
    answers = dict.fromkeys(state.request.sides, Filed(text="")) | {
        "federation": Filed(text="SHIP Constellation\nENERGY\n  SPEED 4\n")
    }
    strikes = {(1, impulse): [("Drone A", 1, 9)] for impulse in (1, 2, 3)}
    played = resolve(state, setting, answers, ScriptedDice(after=SegmentDice(b"s")), strikes=strikes, until=4)
    assert [record.event.impulse for record in played.records if isinstance(record.event, Struck)] == [1]
    assert played.state.impulse == 5


@pytest.mark.parametrize(("used", "general", "refused"), [
    (True, False, False), (True, True, False), (False, False, False), (False, True, True),
])  # fmt: skip
def test_only_general_reinforcement_is_refused_where_none_is_used(used: bool, general: bool, refused: bool) -> None:
    """D3.34: a shield may be lowered in every game."""
    state = rich()
    ship = state.units["Con"]
    assert isinstance(ship, Ship)
    here = SimpleNamespace(ship=ship, state=replace(state, options=replace(state.options, reinforcement=used)))
    lower = om.LowerShield(shield=0 if general else 1, general=general)
    with pytest.raises(NotAllowed, match="this game does not use general reinforcement") if refused else nullcontext():
        assert list(transporters.check(cast(Any, here), om.Order(does=(lower,), text=""), lower)) == []


def test_a_shuttle_counts_the_hexes_it_flew_straight_on() -> None:
    boat = rich().units["FS/1"]
    assert isinstance(boat, Shuttle)
    for straight, code, after in ((0, "F", 1), (1, "F", 2), (5, "F", 6), (5, "R", 1), (5, "L", 1)):
        moved = steering._stepped(altered(boat, straight=straight), code, "0909", "B")
        assert isinstance(moved, Shuttle)
        assert (moved.hex, moved.facing, moved.straight) == ("0909", "B", after), (straight, code)
