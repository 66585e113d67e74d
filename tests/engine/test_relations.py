"""Relations between units and sides: whose, who commands, who can fight, whose prize, who is a target."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from pbem.data.terms import MutinyState, UnitFate
from pbem.engine import relations
from pbem.engine.on_file import altered
from pbem.engine.state import AnyUnit, Ship, State
from tests.engine.world import rich


def names(units: Iterable[AnyUnit]) -> list[str]:
    return [unit.name for unit in units]


def put(state: State, name: str, **changes: Any) -> State:
    return replace(state, units={**state.units, name: altered(state.units[name], **changes)})


def ship(state: State, name: str) -> Ship:
    found = state.units[name]
    assert isinstance(found, Ship)
    return found


def test_whose_a_unit_is() -> None:
    gorn, con = ship(rich(), "Gorn"), ship(rich(), "Con")
    assert gorn.belongs_to("federation") and not gorn.belongs_to("gorn")
    assert gorn.is_prize and gorn.was_lost_by("gorn") and gorn.lost_by == "gorn"
    assert not con.is_prize and not con.was_lost_by("federation") and con.lost_by == "federation"


@pytest.mark.parametrize(
    ("gone", "left"),
    [(UnitFate.IN_PLAY, True), (UnitFate.NOT_YET, True), (UnitFate.DISENGAGED, False), (UnitFate.DESTROYED, False)],
)
def test_which_units_are_left(gone: UnitFate, left: bool) -> None:
    state = put(rich(), "Hood", gone=gone)
    assert state.units["Hood"].is_left == left == ("robot" in relations.sides_left(state))


def test_allies_are_of_one_team() -> None:
    state = rich()
    assert relations.allied(state, "gorn", "federation") and not relations.allied(state, "gorn", "klingon")
    assert not relations.allied(state, "", "gorn") and not relations.allied(state, "gorn", "")
    assert relations.team(state, "gorn") == ["federation", "gorn"] and relations.team(state, "") == []


@pytest.mark.parametrize(
    ("changes", "has", "commands", "fights"),
    [
        ({}, True, True, True),
        ({"immobile": True}, True, False, False),
        ({"mutiny": MutinyState.STAGED}, True, False, False),
        ({"mutiny": MutinyState.STAGED, "captured_from": "romulan"}, True, True, False),
        ({"captured_from": "romulan"}, True, True, False),
        ({"gone": UnitFate.DISENGAGED}, False, False, False),
    ],
)
def test_which_ships_a_side_has_commands_and_fights_with(
    changes: dict[str, Any], has: bool, commands: bool, fights: bool
) -> None:
    state = put(rich(), "Des", **changes)
    found = (
        names(relations.ships_of(state, "klingon")),
        names(relations.commanded_ships(state, "klingon")),
        names(relations.fighting_ships(state, "klingon")),
    )
    assert found == (["Des"] * has, ["Des"] * commands, ["Des"] * fights)
    assert relations.is_wreck(state.units["Des"]) == ("immobile" in changes)


def test_a_suicide_shuttle_has_no_crew() -> None:
    state = rich()
    assert names(relations.manned_shuttles(state, "klingon")) == ["KS/1"]
    assert relations.manned_shuttles(state, "federation") == []  # FS/1 flies at Des
    assert names(relations.manned_shuttles(put(state, "FS/1", target=""), "federation")) == ["FS/1"]


def test_a_side_goes_on_with_a_ship_that_fights_or_is_to_come() -> None:
    state = rich()
    assert relations.goes_on(state, "klingon") and not relations.goes_on(state, "gorn")
    coming = put(state, "Des", gone=UnitFate.NOT_YET)
    assert relations.goes_on(coming, "klingon") and relations.awaited(coming, "klingon")
    assert not relations.all_awaited(coming, "klingon")  # KS/1 is there
    assert relations.all_awaited(put(coming, "Hood", gone=UnitFate.NOT_YET), "robot")


def test_whose_prize_a_ship_is() -> None:
    state = rich()
    assert names(relations.fleet(state, "gorn")) == ["Gorn"]
    assert names(relations.fleet(state, "klingon")) == ["Des", "Wreck"]
    assert relations.beaten(state, ship(state, "Gorn")) and not relations.beaten(state, ship(state, "Des"))
    towed = put(state, "Des", gone=UnitFate.LEFT, marks=(f"{relations.TOWED_OFF}Con",))
    assert relations.towed_off_by(towed, ship(towed, "Des")) == "federation"
    assert relations.beaten(towed, ship(towed, "Des"))
    assert [side for side in state.sides if relations.prize_of(towed, ship(towed, "Des"), side)] == [
        "federation",
        "klingon",
    ]
    assert not relations.prize_of(state, ship(state, "Wreck"), "klingon")


def test_who_is_aboard() -> None:
    gorn = ship(rich(), "Gorn")  # the federation's prize, with 3 parties of the gorn, its ally, and 1 klingon
    assert relations.enemy_parties(rich(), gorn) == 1
    assert relations.raiders_of(rich(), gorn, "federation") == 3 and relations.raiders_of(rich(), gorn, "klingon") == 1


@pytest.mark.parametrize(
    ("changes", "enemy", "touchable", "target"),
    [
        ({}, True, True, True),
        ({"immobile": True}, False, True, True),
        ({"untouchable": True}, True, False, False),
        ({"spared_by": ("federation",)}, True, True, False),
        ({"side": "gorn"}, False, False, False),
    ],
)
def test_which_enemies_may_be_boarded_and_fired_at(
    changes: dict[str, Any], enemy: bool, touchable: bool, target: bool
) -> None:
    state = put(rich(), "Des", **changes)
    assert ("Des" in names(relations.enemy_ships(state, "federation"))) == enemy
    assert ("Des" in names(relations.touchable_enemies(state, "federation"))) == touchable
    assert ("Des" in names(relations.targets(state, "federation", state.ships()))) == target


def test_small_units_of_the_enemy_are_targets_and_nobodys_are_not() -> None:
    state = rich()
    found = names(relations.targets(state, "federation", state.in_play()))
    assert found == [
        "Bird",
        "Des",
        "Hood",
        "KD/1",
        "KD/2",
        "KS/1",
        "Kestrel",
    ]
