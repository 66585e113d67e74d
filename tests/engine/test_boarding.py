"""Boarding party combat (D7.0) and mutiny (G6.0) at the close of a turn and within it, with scripted dice."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from pbem.ai.robot import commanders
from pbem.data.scenarios import scenario
from pbem.data.terms import StepName
from pbem.engine import events as ev
from pbem.engine.checking.check import check
from pbem.engine.log import fold
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import AnyUnit, Seeker, Ship, State
from pbem.engine.steps import boarding
from pbem.orders.reader import read_orders

replace = msgspec.structs.replace
PLAYABLE = ("energy", "seeking", "cloak", "lock-on", "boarding", "sideslip", "tac", "reinforcement", "reserve",
            "damage control", "mutiny")  # fmt: skip
TEN = replace(scenario("10"), chapters=PLAYABLE)


class Dice:
    """Threes, but for what a test says of labels that contain some words; what was rolled is kept."""

    def __init__(self, rolls: Mapping[str, int] | None = None) -> None:
        self.rolls, self.asked = dict(rolls or {}), list[str]()

    def roll(self, label: str, sides: int = 6) -> int:
        self.asked.append(label)
        return next((die for part, die in self.rolls.items() if part in label), 3)


def opening(**changes: dict[str, object]) -> State:
    """The opening of #10 with fields of ships changed by side."""
    state = set_up(TEN, "boarding", players={"federation": "a@example.org", "klingon": "b@example.org"}).state
    for side, fields in changes.items():
        ship = of_side(state, side)
        boxes = {**ship.boxes, **fields.pop("boxes", {})}  # type: ignore[dict-item]
        state = replace(state, units={**state.units, ship.name: altered(ship, boxes=boxes, **fields)})
    return state


def of_side(state: State, side: str) -> Ship:
    return next(ship for ship in state.units.values() if isinstance(ship, Ship) and ship.side == side)


def at_close(state: State, dice: Dice) -> Resolution:
    """A table at the close of turn 1."""
    table = Resolution(replace(state, turn=1, impulse=32, step=StepName.CLOSE), TEN, dice, {})
    table.turn, table.impulse, table.step = 1, 32, StepName.CLOSE
    return table


def told(table: Resolution, kind: type[ev.Event]) -> list[ev.Event]:
    return [record.event for record in table.records if isinstance(record.event, kind)]


# --- boarding (D7.0) -------------------------------------------------------------------------------------------------


def test_the_example_of_fourteen_klingons_and_eight_of_the_federation() -> None:
    state = opening(federation={"parties": 8, "boarders": {"klingon": 14}})
    name = of_side(state, "federation").name
    dice = Dice({"BOARD-federation": 5, "BOARD-klingon 1": 3, "BOARD-klingon 2": 2})
    table = at_close(state, dice)
    boarding.fight(table)
    ship = table.ship(name)
    assert (ship.people.parties, ship.people.boarders, ship.people.taken, ship.side) == (
        4,
        {"klingon": 10},
        0,
        "federation",
    )
    assert len(dice.asked) == 3
    (fought,) = told(table, ev.BoardingFought)
    assert isinstance(fought, ev.BoardingFought)
    assert (fought.by_holders, fought.by_raiders, fought.stations) == (4, 4, 6)
    assert (fought.holders_dice, fought.raiders_dice) == ((5,), (3, 2))


def test_nobody_rolls_where_nobody_has_boarded() -> None:
    table = at_close(opening(), dice := Dice())
    boarding.fight(table)
    assert (table.records, dice.asked) == ([], [])


def test_control_stations_are_taken_one_by_one_and_kept() -> None:
    state = opening(federation={"parties": 1, "boarders": {"klingon": 10}, "taken": 1})
    table = at_close(state, Dice({"BOARD-klingon": 3, "BOARD-federation": 1}))
    boarding.fight(table)
    ship = of_side(table.state, "federation")
    assert (ship.people.parties, ship.people.taken, ship.people.boarders, ship.people.captured_from) == (
        0,
        3,
        {"klingon": 10},
        "",
    )


def test_a_starship_is_captured_with_its_secrets() -> None:
    state = opening(federation={"parties": 0, "boarders": {"klingon": 10}, "capacitor": 3.0, "batteries": 2})
    name = of_side(state, "federation").name
    table = at_close(state, Dice({"BOARD-klingon": 6}))
    boarding.fight(table)
    ship = table.ship(name)
    assert (ship.side, ship.people.captured_from, ship.people.parties, ship.people.boarders, ship.people.taken) == (
        "klingon", "federation", 10, {}, 0,
    )  # fmt: skip
    taken = [record for record in table.records if isinstance(record.event, ev.TakenOver)]
    assert [(r.only, r.shown) for r in taken] == [("klingon", None)]
    stranger = altered(state.units[name], capacitor=0.0, batteries=5)
    view = fold(
        (event for r in table.records if (event := ev.seen_by(r, "klingon")) is not None),
        replace(state, units={**state.units, name: stranger}),
    )
    known = view.units[name]
    assert isinstance(known, Ship) and (known.power.capacitor, known.power.batteries) == (3.0, 2)


def test_not_before_every_station_is_taken() -> None:
    state = opening(federation={"parties": 0, "boarders": {"klingon": 9}})
    table = at_close(state, Dice({"BOARD-klingon": 5}))
    boarding.fight(table)
    ship = of_side(table.state, "federation")
    assert (ship.side, ship.people.taken) == ("federation", 5)


def test_the_owner_frees_his_stations() -> None:
    state = opening(federation={"parties": 5, "boarders": {}, "taken": 3})
    table = at_close(state, Dice({"BOARD-federation": 4}))
    boarding.fight(table)
    assert of_side(table.state, "federation").people.taken == 1


def test_a_wreck_without_stations_falls_to_whoever_is_left() -> None:
    state = opening(federation={"parties": 0, "boarders": {"klingon": 1}, "boxes": {"bridge": 0, "emer": 0, "aux": 0}})
    name = of_side(state, "federation").name
    table = at_close(state, Dice())
    boarding.fight(table)
    assert table.ship(name).side == "klingon"
    assert told(table, ev.BoardingFought) == []


def test_the_loser_fights_on_below_decks() -> None:
    """The last control station of the owner was shot away, his parties were not."""
    boxes = {"bridge": 1, "emer": 0, "aux": 0}
    state = opening(federation={"parties": 9, "boarders": {"klingon": 9}, "taken": 1, "boxes": boxes})
    name = of_side(state, "federation").name
    table = at_close(state, Dice({"BOARD": 2}))
    boarding.fight(table)
    ship = table.ship(name)
    assert (ship.side, ship.people.parties, ship.people.boarders) == ("klingon", 7, {"federation": 7})


def test_drones_of_a_captured_ship_are_lost() -> None:
    state = opening(klingon={"parties": 0, "boarders": {"federation": 10}})
    ship = of_side(state, "klingon")
    drone = Seeker(
        name="KD/1", side="klingon", race="klingon", hex="1010", facing="A", weapon="drone", endurance=99,
        target=of_side(state, "federation").name, launcher=ship.name, launched=1, came_from="1011",
    )  # fmt: skip
    units: dict[str, AnyUnit] = {**state.units, "KD/1": drone}
    table = at_close(replace(state, units=units), Dice({"BOARD-federation": 6}))
    boarding.fight(table)
    assert table.ship(ship.name).side == "federation"
    assert table.state.units["KD/1"].gone == "removed"


def play(state: State, orders: Mapping[str, str], dice: Dice | None = None) -> State:
    """One stretch of play."""
    request = state.request
    assert request is not None
    answers = {side: Filed(text=orders.get(side, "")) for side in request.sides}
    return resolve(state, TEN, answers, dice or Dice(), robots=commanders(TEN)).state


def energy(state: State, side: str, *more: str) -> str:
    """An empty form for every ship a side commands, and what else it orders."""
    ships = [ship.name for ship in state.ships() if ship.side == side]
    return "\n".join([*(f"SHIP {name}\nENERGY" for name in ships), *more, ""])


def turn(state: State, dice: Dice | None = None) -> State:
    """A whole turn of empty forms."""
    now = state.turn
    request = state.request
    assert request is not None
    number = request.turn
    while (request := state.request) is not None and request.turn == number:
        form = request.form != "SOP"
        state = play(state, {side: energy(state, side) if form else "" for side in request.sides}, dice)
        assert state.turn >= now
    return state


def test_a_captured_starship_fills_out_its_captors_form() -> None:
    """Its capture ends the duel; as one of two it goes on, so a third ship stays here."""
    state = opening(federation={"parties": 0, "boarders": {"klingon": 10}})
    ship = of_side(state, "federation")
    spare = altered(ship, name="Spare", hex="2010", boarders={}, parties=5)
    state = turn(replace(state, units={**state.units, "Spare": spare}), Dice({"BOARD-klingon": 6}))
    assert not state.over and state.request is not None and state.request.turn == 2
    prize = state.units[ship.name]
    assert prize.side == "klingon"
    sheet = read_orders(energy(state, "klingon"), header=False).orders
    assert check(state, TEN, state.request, "klingon", sheet).faults == ()
    missing = read_orders(f"SHIP {of_side(state, 'klingon').name}\nENERGY\n", header=False).orders
    faults = check(state, TEN, state.request, "klingon", missing).faults
    assert [fault.code for fault in faults] == ["ship-missing"]
    state = turn(state)
    assert state.turn == 2 and state.units[ship.name].side == "klingon"


def test_to_be_captured_is_to_lose_the_duel() -> None:
    state = turn(opening(federation={"parties": 0, "boarders": {"klingon": 10}}), Dice({"BOARD-klingon": 6}))
    assert state.over
    assert {one.side: one.result for one in state.outcome} == {"federation": "defeat", "klingon": "victory"}
    assert "captured by klingon" in state.outcome[0].why


def test_the_old_owner_learns_nothing_more_of_his_ship() -> None:
    """Neither by a report of the new owner's form nor by a break he wrote for the ship before he lost it."""
    state = opening(federation={"parties": 0, "boarders": {"klingon": 10}})
    ship = of_side(state, "federation")
    spare = altered(ship, name="Spare", hex="2010", boarders={}, parties=5)
    state = turn(replace(state, units={**state.units, "Spare": spare}), Dice({"BOARD-klingon": 6}))
    request = state.request
    assert request is not None
    answers = {side: Filed(text=energy(state, side)) for side in request.sides}
    done = resolve(state, TEN, answers, Dice(), robots=commanders(TEN))
    forms = [r for r in done.records if isinstance(r.event, ev.EnergyAllotted) and r.event.unit == ship.name]
    assert [(record.only, record.shown) for record in forms] == [("klingon", None)]
    spared = [r for r in done.records if isinstance(r.event, ev.EnergyAllotted) and r.event.unit == "Spare"]
    assert [record.only for record in spared] == ["federation"]


# --- mutiny (G6.0) ---------------------------------------------------------------------------------------------------

LOST = {"boxes": {"security": 0}}


@pytest.mark.parametrize(
    ("dice", "result"),
    [
        ({"MUTINY 1": 2}, ""),
        ({"MUTINY 1": 1, "MUTINY 2": 3}, "put down"),
        ({"MUTINY 1": 1, "MUTINY 2": 4}, "staged"),
    ],
)
def test_the_crew_decides_at_the_end_of_the_turn(dice: dict[str, int], result: str) -> None:
    table = at_close(opening(klingon=dict(LOST)), Dice(dice))
    boarding.end_of_turn(table)
    assert of_side(table.state, "klingon").people.mutiny == result
    (rolled,) = told(table, ev.Mutinied)
    assert isinstance(rolled, ev.Mutinied) and rolled.result == (result or "none")


def test_not_with_a_security_station_nor_on_other_ships_nor_again() -> None:
    for state in (
        opening(klingon={"boxes": {"security": 1}}),
        opening(klingon={"boxes": {"security": 0}, "mutiny": "put down"}),
        opening(klingon={"boxes": {"security": 0}, "mutiny": "staged"}),
        opening(federation={"boxes": {"security": 0, "flag": 0}}),
        opening(klingon={"boxes": {"security": 0}, "captured_from": "federation"}),
    ):
        table = at_close(state, dice := Dice())
        boarding.end_of_turn(table)
        assert (table.records, dice.asked) == ([], [])


def test_enemies_aboard_and_lost_control_make_it_likelier() -> None:
    boxes = {"security": 0, "bridge": 0, "emer": 0, "aux": 0}
    state = opening(klingon={"boxes": boxes, "boarders": {"federation": 4}})
    table = at_close(state, Dice({"MUTINY 1": 3, "MUTINY 2": 2}))
    boarding.end_of_turn(table)
    assert of_side(table.state, "klingon").people.mutiny == "staged"


def test_at_once_when_the_last_station_goes_and_the_ship_stops() -> None:
    """Damage in impulse 5 takes the last station; the ship stops, its orders do nothing."""
    state = opening(klingon={"boxes": {"security": 1}, "shields": (0,) * 6})
    ship, foe = of_side(state, "klingon"), of_side(state, "federation")
    spare = replace(ship, name="Spare", hex="2010", boxes={**ship.boxes, "security": 2})
    state = replace(state, units={**state.units, "Spare": spare})
    request = state.request
    assert request is not None
    forms = {side: energy(state, side) for side in request.sides}
    forms["klingon"] = f"SHIP {ship.name}\nENERGY\n  SPEED 16\n  PHASERS 4\nSHIP Spare\nENERGY\n"
    dice = Dice({"MUTINY 1": 1, "MUTINY 2": 6, "DAC": 1})  # two ones: bridge, then flag bridge (G6.1)
    strikes = {(1, 5): [(ship.name, 1, 3)]}
    state = resolve(state, TEN, {s: Filed(text=t) for s, t in forms.items()}, dice, strikes=strikes).state
    at: str | None = None
    while state.request is not None and state.request.turn == 1:
        orders = f"SHIP {ship.name}\nPLOT 16F\nDO\n  LAST FIRE ALL AT {foe.name}\n"
        answers = {side: Filed(text=orders if side == "klingon" else "") for side in state.request.sides}
        done = resolve(state, TEN, answers, dice, strikes=strikes)
        for record in done.records:
            event = record.event
            if isinstance(event, ev.Mutinied):
                at = f"{event.impulse} {event.step}"
            assert not (at and isinstance(event, ev.Moved | ev.Fired) and event.unit == ship.name)
        state = done.state
    mutinous = state.units[ship.name]
    assert isinstance(mutinous, Ship)
    assert (at, mutinous.people.mutiny, mutinous.speed) == ("5 resolve", "staged", 0)
    assert not state.over and state.request is not None
    sheet = read_orders(f"SHIP {ship.name}\nENERGY\nSHIP Spare\nENERGY\n", header=False).orders
    assert [fault.code for fault in check(state, TEN, state.request, "klingon", sheet).faults] == ["mutiny"]
    alone = read_orders("SHIP Spare\nENERGY\n", header=False).orders
    assert check(state, TEN, state.request, "klingon", alone).faults == ()


def test_the_last_klingon_ship_in_mutiny_ends_the_scenario() -> None:
    state = turn(opening(klingon=dict(LOST)), Dice({"MUTINY 1": 1, "MUTINY 2": 6}))
    assert state.over
    outcome = {one.side: one for one in state.outcome}
    assert (outcome["klingon"].result, outcome["federation"].result) == ("defeat", "victory")
    assert "mutinied" in outcome["klingon"].why
