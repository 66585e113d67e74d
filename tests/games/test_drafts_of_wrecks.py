"""Drafts for ships of which little is left: nothing is offered that cannot be had."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pbem.data.terms import WeaponState
from pbem.engine.state import Ship, Weapon
from pbem.reports.draft.draft import draft_for
from tests.engine.situations import asked

ENEMY = """
[[unit]]
side = "klingon"
ship = "std_kli_d7"
name = "Des"
at = "1003D"
"""


def draft(ship: str, state: str, **weapons: Weapon) -> str:
    """A draft for a new turn, of a side whose one ship is in such a state, with such weapons: as one line, without
    signs of remarks.
    """
    head = f"""side = "federation"
level = "standard"
impulses = 32

[[unit]]
side = "federation"
ship = "{ship}"
name = "Con"
at = "1010A"
prior_speed = 8
state = {{ {state} }}
{ENEMY}"""
    found = asked(head)
    con, request = found.state.units["Con"], found.state.request
    assert request is not None and isinstance(con, Ship)
    named = {name.replace("_", " "): box for name, box in weapons.items()}
    now = replace(found.state, units={**found.state.units, "Con": replace(con, weapons=con.weapons | named)})
    text = draft_for(now, found.setting, request, "federation")
    return " ".join(text.replace("##", "").split())


def test_a_ship_without_power_is_offered_nothing_to_pay() -> None:
    text = draft("std_fed_ca_cth", '"warp left" = 0, "warp right" = 0, impulse = 0, apr = 0, battery = 0')
    assert "there is no power, so nothing can be paid for" in text
    assert "SPEED" not in text and "choose" not in text and "PHASERS" not in text


def test_a_ship_with_batteries_alone_is_told_that_it_cannot_move() -> None:
    text = draft("std_fed_ca_cth", '"warp left" = 0, "warp right" = 0, impulse = 0, apr = 0')
    assert "there is no power to move" in text and "SPEED" not in text


def test_a_prize_is_told_once_that_its_weapons_are_locked_and_pays_for_none() -> None:
    text = draft("std_kli_d7", '"captured from" = "klingon"')
    assert text.count("locked") == 1
    assert "PHASERS" not in text and "DISR A 2" not in text and "# SPEED 8" in text


def test_weapons_of_a_draft_stand_in_the_order_of_their_numbers() -> None:
    text = draft("std_gorn_ca", "capacitor = 8")
    assert text.index("FIRE PH 9 ") < text.index("FIRE PH 10 ")


@pytest.mark.parametrize(("ago", "told"), [(2, True), (7, True), (8, False)])
def test_a_torpedo_whose_tube_is_shot_away_is_told_as_long_as_it_can_be_launched(ago: int, told: bool) -> None:
    """FP1.7: for a quarter of a turn, into the next one; ``ago`` counts from the end of the last turn."""
    lost = Weapon(kind="plasmaS", working=False, charge=WeaponState.ARMED, armed_turns=3, destroyed=-ago)
    text = draft("std_rom_kr", "capacitor = 7", PLAS_A=lost)
    assert (f"its tube is shot away, launch it by impulse {8 - ago} (FP1.7)" in text) is told
    assert ("LAUNCH PLAS A AT Des" in text) is told and "PLAS A HOLD" not in text


def test_of_a_prize_nothing_is_launched_by_a_tube_that_is_shot_away() -> None:
    lost = Weapon(kind="plasmaS", working=False, charge=WeaponState.ARMED, armed_turns=3, destroyed=-2)
    assert "LAUNCH PLAS A" not in draft("std_rom_kr", '"captured from" = "klingon"', PLAS_A=lost)
