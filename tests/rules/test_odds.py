"""Odds against a second and naive version, against every throw of the engine's dice, and against sampled volleys."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import sqrt
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

from pbem.data import charts
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.data.terms import WeaponState
from pbem.engine import events as ev
from pbem.engine.dice import ScriptedDice, SegmentDice
from pbem.engine.on_file import altered
from pbem.engine.play.resolution import Commander, Intent, Resolution
from pbem.engine.play.setup import new_ship
from pbem.engine.state import Ship, State
from pbem.engine.steps import science
from pbem.engine.steps.firing import aim_of, declare, kind_of, verify_shot
from pbem.errors import NotAllowed
from pbem.orders.model import Fire, Order, UnitRef
from pbem.reports.view.statistics import percent, tenths
from pbem.rules.direct_fire import FACES, AimedShot, Odds, scores, shot, volley
from pbem.rules.shields import absorb

replace = msgspec.structs.replace

KINDS = sorted(kind for kind in charts.weapon_kinds() if scores(kind))
AIMS = st.builds(AimedShot, st.sampled_from(KINDS), st.integers(0, 40), st.integers(0, 80), st.integers(-2, 3))


@given(st.lists(AIMS, max_size=5), st.integers(0, 30))
@settings(deadline=None, max_examples=60)
def test_a_volley_is_the_sum_of_all_its_throws(aims: list[AimedShot], certain: int) -> None:
    """The convolution, by writing down every throw."""
    found = volley(aims, certain)
    faces = [[shot(aim, die).points for die in FACES] for aim in aims]
    naive = Counter(certain + sum(throw) for throw in itertools.product(*faces))
    assert {points: ways for points, ways in enumerate(found.ways) if ways} == naive
    assert found.all == 6 ** len(aims)


@given(st.lists(AIMS, max_size=25), st.integers(0, 30), st.integers(0, 40), st.integers(0, 5), st.integers(0, 5))
@settings(deadline=None, max_examples=60)
def test_chances_add_up_and_means_are_linear(
    aims: list[AimedShot], certain: int, boxes: int, general: int, specific: int
) -> None:
    found = volley(aims, certain)
    assert sum(found.chance(points) for points in range(len(found.ways))) == 1
    assert found.mean == certain + sum(volley([aim]).mean for aim in aims)
    assert found.tail == tuple(found.at_least(points) for points in range(len(found.ways)))
    assert found.at_least(0) == 1
    assert found.at_least(len(found.ways)) == found.chance(-1) == 0
    inside = found.inside(boxes, general, specific)
    assert sum(inside.ways) == inside.all == found.all
    stopped = boxes + general + (specific if boxes else 0)
    assert inside.at_least(1) == found.at_least(stopped + 1)
    assert found.breaks(boxes, general, specific) == (found.at_least(stopped) if boxes else 1)
    for n, ways in enumerate(found.ways):
        assert not ways or absorb(n, general, specific, boxes).internals < len(inside.ways)


def test_what_is_not_certain_is_never_told_as_certain() -> None:
    told = [percent(Fraction(part, 1000)) for part in (0, 4, 5, 214, 994, 996, 1000)]
    assert told[:3] == ["0 %", "less than 1 %", "1 %"]
    assert told[3:] == ["21 %", "99 %", "more than 99 %", "100 %"]
    assert [tenths(Fraction(n, 100)) for n in (0, 4, 5, 1125, -5, -4)] == ["0.0", "0.0", "0.1", "11.3", "-0.1", "0.0"]


# --- the engine ------------------------------------------------------------------------------------------------------

ARMED = {"photon": WeaponState.ARMED, "disruptor": WeaponState.ARMED, "fusion": WeaponState.ARMED}
SHIPS = ("std_fed_ca_cth", "std_kli_d7", "std_hyd_rn", "std_kzi_cs", "fed_cadet_ca", "kli_cadet_d6")


class Gunner(Commander):
    """Fires the weapons he is given, all at once."""

    def __init__(self, weapons: tuple[str, ...]) -> None:
        aim = UnitRef(how="name", name="target")
        fire = Fire(weapons=weapons, target=aim)
        self.order = Order(line=1, column=1, does=(fire,))

    def intends(self, table: Resolution, ship: Any, before: State, doing: Any) -> list[Intent]:
        return [Intent(order=self.order)] if ship.name == "firer" and doing is Fire else []


def duel(key: str, reach: int, locked: bool, facing: str = "A") -> State:
    """A ship of a class with everything armed, and a target so many hexes ahead."""
    firer = new_ship(ship_class(key), name="firer", side="ours", hex="1040", facing=facing)
    weapons = {name: replace(box, charge=ARMED.get(box.kind, box.charge)) for name, box in firer.weapons.items()}
    firer = altered(firer, weapons=weapons, capacitor=50.0, lock_on=locked)
    target = new_ship(ship_class("kli_cadet_d6"), name="target", side="theirs", hex=f"10{40 - reach:02}", facing="D")
    return State(turn=1, impulse=1, units={"firer": firer, "target": target})


def bearing(state: State) -> tuple[str, ...]:
    """The weapons that may be fired now."""
    firer, target = state.units["firer"], state.units["target"]
    assert isinstance(firer, Ship)
    found = []
    for weapon in firer.weapons:
        try:
            verify_shot(state, firer, weapon, target)
        except NotAllowed:
            continue
        found.append(weapon)
    return tuple(found)


def played(state: State, weapons: tuple[str, ...], dice: Any) -> int:
    """What the engine scores with a volley."""
    captains: dict[str, Any] = {"ours": Gunner(weapons), "theirs": Commander()}
    table = Resolution(state, scenario("5"), dice, captains)
    declare(table)
    fired = [record.event for record in table.records if isinstance(record.event, ev.Fired)]
    assert len(fired) == len(weapons)
    return sum(shot.points for shot in fired)


def reckoned(state: State, weapons: tuple[str, ...]) -> Odds:
    firer, target = state.units["firer"], state.units["target"]
    assert isinstance(firer, Ship)
    return volley(aim_of(state, firer, weapon, target, True) for weapon in weapons)


def scenes(ranges: tuple[int, ...], facings: str = "AD") -> Iterator[tuple[State, tuple[str, ...]]]:
    for key, reach, locked, facing in itertools.product(SHIPS, ranges, (True, False), facings):
        state = duel(key, reach, locked, facing)
        yield state, bearing(state)


def test_every_face_of_every_weapon_in_the_engine() -> None:
    """One weapon of each kind at many ranges, with lock-on and without: the engine with each face, one after the
    other, scores what the odds say, and no kind is left out.
    """
    seen = set()
    for state, weapons in scenes((0, 1, 2, 4, 5, 8, 12, 20, 30)):
        firer = state.units["firer"]
        assert isinstance(firer, Ship)
        for weapon in {kind_of(firer, weapon): weapon for weapon in weapons}.values():
            points = Counter(played(state, (weapon,), ScriptedDice([die])) for die in FACES)
            found = reckoned(state, (weapon,))
            assert {n: ways for n, ways in enumerate(found.ways) if ways} == points
            seen.add(kind_of(firer, weapon))
    assert seen == {kind for kind in KINDS if charts.weapon_kinds()[kind].family != "probe"}


@pytest.mark.parametrize("reach", [0, 1, 3, 6, 7])
def test_every_face_of_a_probe_in_the_engine(reach: int) -> None:
    state = duel("std_fed_ca_cth", reach, True)
    firer, target = state.units["firer"], state.units["target"]
    assert isinstance(firer, Ship)
    points: Counter[int] = Counter()
    for die in FACES:
        table = Resolution(state, scenario("5"), ScriptedDice([die]), {})
        science._fire(table, firer, "A", target, 1)
        points[sum(r.event.points for r in table.records if isinstance(r.event, ev.Fired))] += 1
    found = volley([AimedShot("probe", reach, reach)])
    assert {n: ways for n, ways in enumerate(found.ways) if ways} == points


def test_every_throw_of_a_mixed_volley_in_the_engine() -> None:
    state = duel("std_fed_ca_cth", 4, True)
    weapons = tuple(w for w in bearing(state) if w.startswith("PHOT"))[:2] + bearing(state)[:1]
    throws = Counter(played(state, weapons, ScriptedDice(dice)) for dice in itertools.product(FACES, repeat=3))
    found = reckoned(state, weapons)
    assert {n: ways for n, ways in enumerate(found.ways) if ways} == throws


@pytest.mark.slow
def test_sampled_volleys_of_the_engine_are_as_the_odds_say() -> None:
    """Thirty mixed volleys with the dice of play, seeds fixed: every chance of at least so much is within four and a
    half standard errors, and three volleys for totals too rare for those. ``PBEM_VOLLEYS=1000000`` plays so many.
    """
    random, sampled, worst = Random(17), int(os.environ.get("PBEM_VOLLEYS", "12000")) // 30, 0.0
    mixed = [(state, weapons) for state, weapons in scenes((2, 3, 5, 8, 12)) if len(weapons) > 2]
    for number, (state, bear) in enumerate(random.sample(mixed, 30)):
        weapons = tuple(random.sample(bear, random.randint(2, len(bear))))
        found = reckoned(state, weapons)
        scored = [played(state, weapons, SegmentDice(b"odds %d %d" % (number, trial))) for trial in range(sampled)]
        for points in range(1, len(found.ways)):
            chance = float(found.at_least(points))
            error = sqrt(chance * (1 - chance) / sampled)
            off = abs(sum(n >= points for n in scored) / sampled - chance)
            assert off <= 4.5 * error + 3 / sampled, (weapons, points)
            worst = max(worst, off / error if chance * sampled > 9 and error else 0)
    assert worst > 1, "nothing was compared"
