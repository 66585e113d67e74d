"""Drafts and trimmed orders."""

from __future__ import annotations

import re

import pytest

from pbem.orders import model as om
from pbem.orders.draft import DraftShip, DraftWeapon, _folded, draft, trim
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders

SHIPS = (
    DraftShip(
        name="Fire",
        class_name="KLIN D6",
        position="2215C",
        power=(("warp", 16), ("impulse", 2), ("APR", 2)),
        batteries=(1, 2),
        capacitor=(0, 4),
        weapons=(
            DraftWeapon(name="PH 1", arc="FX"),
            DraftWeapon(name="DISR A", arc="FA", energy="2"),
            DraftWeapon(name="DRONE 1", state="4 drones", launches=True),
        ),
        prior_speed=8,
        top_speed=16,
    ),
    DraftShip(name='Odd "one"\n#1 ; END', class_name="CA\nEND", speed=4, hexes=4),
)


def a_draft(form: str, standing: om.Orders | None = None) -> str:
    return draft(
        game="duel01",
        turn=2,
        side="klingon",
        reply=3,
        form=form,
        ships=SHIPS,
        standing=standing,
        impulse=1,
        through=16,
        enemies=("Bird of Prey",),
    )


@pytest.mark.parametrize("form", ["FULL", "EAF", "SOP"])
def test_an_unedited_draft_reads_without_a_fault(form: str) -> None:
    reading = read_orders(a_draft(form))
    assert [str(fault) for fault in reading.faults] == []
    orders = reading.orders
    assert (orders.game, orders.turn, orders.side, orders.reply) == ("duel01", 2, "klingon", 3)
    assert orders.form == ("" if form == "FULL" else form)
    assert [unit.unit for unit in orders.units] == ["Fire", 'Odd "one" #1 ; END']
    assert [unit.energy is not None for unit in orders.units] == [form != "SOP"] * 2
    assert [unit.plot is not None for unit in orders.units] == [form != "EAF"] * 2


@pytest.mark.parametrize("mark", ["  # ", "  #(?= )"])
@pytest.mark.parametrize("form", ["FULL", "EAF", "SOP"])
def test_every_hint_is_a_legal_line_once_its_mark_is_taken_away(form: str, mark: str) -> None:
    old = read_orders("SHIP Fire\nENERGY\n  PHASERS 2\nPLOT F\nDO\n  CLOAK\nBREAK\n  #1 DOWN", header=False).orders
    for text in (a_draft(form), a_draft(form, old)):
        filled_in, hints = re.subn(f"^{mark}", "  ", text, flags=re.MULTILINE)
        assert hints >= 4
        reading = read_orders(filled_in)
        assert [str(fault) for fault in reading.faults] == []
        assert sum(len(unit.do) + len(unit.energy or ()) for unit in reading.orders.units) >= 3


STANDING = """\
SHIP Fire
ENERGY
  PHASERS 2
PLOT 2F R 2F TOWARD x
  AT 2 IF #1 HIT THEN L
  AT 6 IF #1 HIT THEN R
  TAC L AT 3
DO
  AT 3 FIRE PH 1 AT x
  AT 4 FIRE PH 2 AT x
  FIRE PH 3 AT x
  EVERY IF SEEKER WITHIN 1 THEN FIRE PH 4 AT EACH
  LAST FIRE ALL AT x
BREAK
  #1 DOWN
SHUTTLE FS/1
PLOT F F F
"""


def standing() -> om.Orders:
    reading = read_orders(STANDING, header=False)
    assert reading.faults == ()
    return reading.orders


def test_trim_leaves_what_is_still_to_come() -> None:
    left = trim(standing(), flown={"FIRE": 3}, spent={11}, impulse=4)
    assert write_orders(left) == (
        'SHIP "Fire"\nPLOT 2F TOWARD x\n  AT 6 IF #1 HIT THEN R\nDO\n  AT 4 FIRE PH 2 AT x\n'
        "  EVERY IF ENEMY SEEKER WITHIN 1 THEN FIRE PH 4 AT EACH\n  LAST FIRE ALL AT x\nBREAK\n  #1 DOWN\n\n"
        "SHUTTLE FS/1\nPLOT 3F\n\nEND\n"
    )


def test_trim_at_energy_allocation_leaves_everything() -> None:
    assert write_orders(trim(standing(), flown={}, spent=(), impulse=0)) == write_orders(standing())


def test_trim_shortens_a_course() -> None:
    orders = read_orders("SHIP Hood\nCOURSE 4A 2B 1F", header=False).orders
    plot = trim(orders, flown={"Hood": 5}, impulse=6).units[0].plot
    assert plot is not None and plot.course == ((1, "B"), (1, "F")) and plot.text == "COURSE 1B 1F"


def test_a_pilot_that_took_the_helm_keeps_it() -> None:
    orders = read_orders("SHIP Hood\nPLOT 8F\n  IF SEEKER WITHIN 3 THEN AWAY FROM IT", header=False).orders
    plot = trim(orders, flown={"Hood": 2}, spent={3}, acted=(3,), impulse=5).units[0].plot
    assert plot is not None and plot.text == "PLOT AWAY FROM IT IF ENEMY SEEKER WITHIN 3" and plot.reactions == ()


@pytest.mark.parametrize("form", ["FULL", "EAF", "SOP"])
def test_a_draft_holds_the_orders_in_force(form: str) -> None:
    reading = read_orders(a_draft(form, standing()))
    assert [str(fault) for fault in reading.faults] == []
    fire = reading.orders.units[0]
    assert [line.text for line in fire.energy or ()] == ([] if form == "SOP" else ["PHASERS 2"])
    assert len(fire.do) == (0 if form == "EAF" else 5)
    assert [unit.unit for unit in reading.orders.units if unit.shuttle] == ([] if form == "EAF" else ["FS/1"])


def test_the_same_draft_twice_is_the_same_text() -> None:
    assert a_draft("FULL") == a_draft("FULL")


@pytest.mark.parametrize("form", ["FULL", "EAF", "SOP"])
def test_no_line_of_a_draft_is_folded_by_mail(form: str) -> None:
    long = "IF " + " AND ".join(f'RANGE "Bird of Prey" <= {n}' for n in range(9)) + ' THEN FIRE PH 1 AT "Bird of Prey"'
    orders = read_orders(f"SHIP Fire\nDO\n  {long}\n  CLOAK\n", header=False).orders
    text = a_draft(form, orders)
    assert max(map(len, text.splitlines())) <= 72
    reading = read_orders(text)
    assert reading.faults == ()
    assert [o.text for o in reading.orders.units[0].do] == ([] if form == "EAF" else [long, "CLOAK"])


def test_a_long_order_is_not_broken_before_a_heading_in_parentheses() -> None:
    text = 'IF ENEMY DRONE WITHIN 1 AND (#5 HIT OR "Freighter B" LAUNCHES SHUTTLE) THEN RESERVE UP TO 1 TO #3'
    folded = _folded(f"  {text}")
    assert "\n" in folded
    reading = read_orders(f"SHIP Hood\nDO\n{folded}", header=False)
    assert reading.faults == () and reading.orders.units[0].do[0].text == text
