"""Tractor beams and transporters in play, whatever is ordered: random raids on a convoy, played through by seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from pbem.ai.robot import commanders
from pbem.data.scenarios import Scenario, Victory, scenario
from pbem.engine import events as ev
from pbem.engine.checking.check import check
from pbem.engine.dice import SegmentDice
from pbem.engine.events import Record, seen_by
from pbem.engine.log import decode_records, encode_records, fold, fold_records
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import Request, Ship, State
from pbem.engine.steps import tractor_links as links
from pbem.orders.reader import read_orders
from pbem.rules import hexes

SEEDS = range(6)
TURNS = 3
PLACES = {"Orion Raider": "1110C", "Defender": "1310E", "Freighter A": "1109B", "Freighter B": "1211B",
          "Freighter C": "1210B", "Freighter D": "1112B"}  # fmt: skip


def raid(mirrored: bool = False) -> Scenario:
    """Scenario #8 with everybody in one place, without what other chapters bring."""
    shipped = scenario("8")
    units = [
        msgspec.structs.replace(
            unit,
            hex=PLACES[unit.name][:4],
            facing=PLACES[unit.name][4],
            arrives=0,
            prior_speed=min(8, unit.prior_speed),
        )
        for unit in shipped.units
    ]
    chapters = tuple(chapter for chapter in shipped.chapters if chapter != "boarding")
    sides = shipped.sides
    if mirrored:
        units, sides = units[::-1], sides[::-1]
    return msgspec.structs.replace(
        shipped, units=tuple(units), sides=sides, chapters=chapters, victory=Victory(kind="none")
    )


def some_energy(rng: random.Random) -> Iterator[str]:
    yield f"  SPEED {rng.randint(0, 8)}"
    yield f"  PHASERS {rng.randint(0, 2)}"
    yield from (f"  TRACTOR {beam}" for beam in "AB" if rng.random() < 0.7)
    if rng.random() < 0.7:
        yield "  TRANSPORTERS 1"
    if rng.random() < 0.3:
        yield f"  GENERAL {rng.randint(1, 4)}"


def some_orders(rng: random.Random, ship: Ship, others: list[str]) -> Iterator[str]:
    prey, other = rng.sample(others, 2)
    yield f"PLOT TOWARD {prey}" + rng.choice(["", " LEAVE MAP"])
    yield "DO"
    when = ["", f"AT {rng.randint(1, 16)} ", f"AT {rng.randint(1, 4)} ", "EVERY ", f"IF RANGE {prey} <= 1 THEN "]
    what = [
        f"TRACTOR {prey}", f"TRACTOR {other} WITH A", f"TRACTOR {prey} WITH B WITH RESERVE", "TRACTOR DRONE",
        f"TRACTOR {prey} AND TRACTOR {other}", "RELEASE", "RELEASE A", f"RELEASE AND TRACTOR {other} WITH B",
        f"LOWER SHIELD TO {prey}", f"LOWER SHIELD #{rng.randint(1, 6)}", "LOWER GENERAL",
        f"LOWER SHIELD TO {prey} AND TRANSPORT {rng.randint(1, 3)} BP TO {prey}",
        f"LOWER GENERAL AND LOWER SHIELD TO {other} AND TRANSPORT 1 BP FROM {other} WITH RESERVE",
        f"TRANSPORT 1 BP FROM {prey}", f"TRANSPORT {rng.randint(1, 3)} BP TO {other} WITH RESERVE",
    ]  # fmt: skip
    for activity in rng.sample(what, 9):
        yield f"  {rng.choice(when)}{activity}"
    yield "  EVERY IF DRONE WITHIN 1 THEN TRACTOR EACH"
    yield f"  IF IMPULSE >= {rng.randint(1, 16)} THEN LAUNCH DRONE 1 AT {prey}"
    yield f"  EVERY FIRE ALL AT NEAREST ENEMY SHIP IF RANGE <= {rng.randint(1, 3)}"
    yield f"  RESERVE UP TO 1 TO #{rng.randint(1, 6)}"


def orders_for(state: State, setting: Scenario, request: Request, side: str, seed: str) -> str:
    """Random orders, without the lines the check refuses."""
    rng = random.Random(f"{seed} {request.turn} {request.number} {side}")
    ship = next(ship for ship in state.ships() if ship.side == side)
    others = sorted(f'"{unit.name}"' for unit in state.ships() if unit.name != ship.name)
    lines = [f'SHIP "{ship.name}"']
    if request.form != "SOP":
        lines += ["ENERGY", *some_energy(rng)]
    lines += some_orders(rng, ship, others if len(others) > 1 else ['"Freighter A"', '"Freighter B"'])
    for _ in range(len(lines)):
        reading = read_orders("\n".join(lines), header=False)
        assert not reading.faults
        faults = check(state, setting, request, side, reading.orders).faults
        if not faults:
            break
        lines = [line for number, line in enumerate(lines, start=1) if number not in {fault.line for fault in faults}]
    return "\n".join(lines) + "\n"


@cache
def played(seed: str, mirrored: bool = False) -> tuple[list[Record], list[State]]:
    """The log of a raid, and the state after every record: played once, and only looked at."""
    setting = raid(mirrored)
    opening = set_up(setting, "raid", players={"convoy": "robot"}, options=Options(reveal="none", autobreaks=()))
    records, state, states = list(opening.records), opening.state, [opening.state]
    dice = SegmentDice(seed.encode())
    while not state.over and state.request is not None and state.request.turn <= TURNS:
        request = state.request
        answers = {
            side: Filed(text=orders_for(state, setting, request, side, seed))
            for side in (request.sides[::-1] if mirrored else request.sides)
        }
        if not answers:
            break
        done = resolve(state, setting, answers, dice, robots=commanders(setting))
        for record in done.records:
            state = fold_records([record], state)
            states.append(state)
        assert state == done.state
        records += done.records
    return records, states


@pytest.mark.parametrize("seed", SEEDS)
def test_links_hold_what_is_near_and_paid_for(seed: int) -> None:
    records, states = played(f"raid {seed}")
    assert any(isinstance(record.event, ev.Tractored) for record in records)
    for state in states:
        for link in state.links:
            holder, target = state.units[link.ship], state.units[link.target]
            assert isinstance(holder, Ship) and holder.in_play and target.in_play
            if state.step != "move":  # within the step, the holder moves first
                assert hexes.distance(holder.hex, target.hex, state.grid) <= 1
        for ship in state.ships():
            assert ship.this_turn.transported <= max(
                ship.power.transporters, ship.this_turn.transported if not ship.boxes.get("tran") else 0
            )
            assert (
                ship.power.batteries >= 0
                and ship.people.parties >= 0
                and all(n > 0 for n in ship.people.boarders.values())
            )
            if state.step in ("end", "close") and ship.power.speed:
                assert ship.speed == links.speed_in_tow(ship, links.freighters_in_tow(state, ship.name))
                assert len(state.held_by(ship.name)) <= ship.boxes.get("tractor", 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_side_folds_its_own_view(seed: int) -> None:
    """What others may see is enough for positions, links, speeds, shields and people; batteries stay secret."""
    records, states = played(f"raid {seed}")
    assert decode_records(encode_records(records)) == records
    last = states[-1]
    for side in ("orion", "defender", ""):
        seen = fold(event for record in records if (event := seen_by(record, side)) is not None)
        assert seen.links == last.links
        for name, unit in last.units.items():
            if not isinstance(unit, Ship):
                continue
            known = seen.units[name]
            assert isinstance(known, Ship)
            assert (known.at, known.speed, known.lowered, known.people.parties, known.people.boarders, known.gone) == (
                unit.at, unit.speed, unit.lowered, unit.people.parties, unit.people.boarders, unit.gone
            )  # fmt: skip
    for record in records:
        if isinstance(record.event, ev.ReserveSpent):
            assert record.only and record.shown is None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_sides_and_ships_changes_nothing(seed: int) -> None:
    def told(mirrored: bool) -> list[ev.AnyEvent]:
        kinds = (ev.GameStarted, ev.UnitPlaced, ev.OrdersFiled)
        return [one.event for one in played(f"raid {seed}", mirrored)[0] if not isinstance(one.event, kinds)]

    assert told(False) == told(True)
