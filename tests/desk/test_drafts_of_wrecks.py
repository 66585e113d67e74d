"""Drafts for ships of which little is left: nothing is offered that cannot be had."""

from __future__ import annotations

from pbem.desk.drafts import draft_for
from tests.turn.situations import asked

ENEMY = """
[[unit]]
side = "klingon"
ship = "std_kli_d7"
name = "Des"
at = "1003D"
"""


def draft(ship: str, state: str) -> str:
    """A draft for a new turn, of a side whose one ship is in such a state: as one line, without signs of remarks."""
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
    assert found.state.request is not None
    text = draft_for(found.state, found.setting, found.state.request, "federation")
    return " ".join(text.replace("##", "").split())


def test_a_ship_without_power_is_offered_nothing_to_pay() -> None:
    text = draft("std_fed_ca_cth", '"warp left" = 0, "warp right" = 0, impulse = 0, apr = 0, battery = 0')
    assert "without power nothing can be paid" in text
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
