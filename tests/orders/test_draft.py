"""Drafts and trimmed orders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pbem.orders import model as om
from pbem.orders.draft import DraftRequest, DraftShip, DraftWeapon, _folded, draft, trim
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
    DraftShip(name='Odd "one"\n#1 ; END', class_name="CA\nEND", speed=4, hexes=4, prior_speed=4),
)


def a_draft(form: str, standing: om.Orders | None = None) -> str:
    request = DraftRequest("duel01", 2, "klingon", 3, form, impulse=1, through=16)
    return draft(request, SHIPS, standing=standing, enemies=("Bird of Prey",))


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


def read(text: str) -> om.Orders:
    return read_orders(text, header=False).orders


FULL_OF_THINGS = DraftShip(
    name="Fire", class_name="KLIN  D6", position="2215C", power=(("warp", 16), ("impulse", 2)), batteries=(1, 2),
    capacitor=(0.5, 4), prior_speed=8, top_speed=16, cloak=8, quiet=2, cloak_orders=True, goal="Rigel IV",
    entries=(("TRACTOR A", "a beam"),), acts=(("RELEASE", "let go"),),
    weapons=(
        DraftWeapon(name="PH 1", arc="FX", state="3 left"),
        DraftWeapon(name="DISR A", arc="FA", energy="2", state="range 15, a long word of its state that does not fit"),
        DraftWeapon(name="DRONE 1", state="4 drones", launches=True),
        DraftWeapon(name="PH 2", idle="has fired: it may fire again in impulse 9 at the earliest, not before that"),
    ),
)  # fmt: skip
BARE = DraftShip(name="Hood", slips=False, speed=4, hexes=4, batteries=(2, 2), top_speed=9, prior_speed=3, form=False)
BOAT = DraftShip(name="FS/1", shuttle=True, top_speed=6, prior_speed=6)
OLD = """SHIP Fire
ENERGY
  PHASERS 2
PLOT 4F
  AT 6 R
DO
  AT 9 FIRE PH 1 AT x
  CLOAK
BREAK
  #1 DOWN
DAMAGE
  HULL
"""


def test_what_drafts_look_like() -> None:
    """Byte for byte, in drafts.txt: the first form, both forms, a rebid, and weapons that no ship guides."""
    old = read(OLD + "SHUTTLE KS/2\nSPEED 4\nPLOT F")
    stale = {("Fire", "CLOAK"): "it is   cloaked already", ("Hood", "CLOAK"): "no"}
    guides = read("DO\n GUIDE KD/1 LEFT\nSHIP Fire\nSPEED 4\nDO\n CLOAK")
    all_three, bird = (FULL_OF_THINGS, BARE, BOAT), ("Bird of Prey",)
    made = [
        draft(DraftRequest("g", 2, "klingon", 3, form, impulse, through), ships, **more)
        for form, impulse, through, ships, more in (
            ("EAF", 0, 16, all_three, {"enemies": bird}),
            ("FULL", 0, 16, all_three, {}),
            ("SOP", 9, 16, all_three, {"enemies": bird, "standing": old, "stale": stale}),
            ("SOP", 1, 8, (FULL_OF_THINGS,), {"standing": guides, "guided": (("KD/1", "at 0101"), ("At", ""))}),
            ("SOP", 1, 8, (), {"guided": (("KD/1", "at 0101"),)}),
        )
    ]  # fmt: skip
    wanted = Path(__file__).with_name("drafts.txt").read_text(encoding="utf-8").split("~~~~~~~~\n")
    assert made == wanted


def test_lines_are_folded_where_they_must_be_and_nowhere_else() -> None:
    for line in ("  " + "x" * 70, "PLOT " + "F " * 60):
        assert _folded(line) == line
    assert _folded("  " + "x" * 40 + " " + "y" * 30) == "  " + "x" * 40 + "\n      " + "y" * 30
    assert _folded("  " + "x" * 33 + " " + "y" * 31 + " zzzzz") == "  " + "x" * 33 + " " + "y" * 31 + "\n      zzzzz"
    assert _folded("  " + "x" * 33 + " " + "y" * 32 + " zzzzz") == "  " + "x" * 33 + "\n      " + "y" * 32 + " zzzzz"
    assert _folded('  a "' + "b c " * 18 + '" d') == '  a\n      "' + "b c " * 18 + '"\n      d'
    # SHIP would begin a block: the word before it goes along.
    assert _folded("  " + "x" * 60 + " ENEMY SHIP") == "  " + "x" * 60 + "\n      ENEMY SHIP"


def test_what_is_done_is_left_out_at_its_impulse() -> None:
    orders = read(
        "SHIP Hood AT 0101A\nSPEED 4\nENERGY\n  PHASERS 2\nPLOT 8F\n AT 3 R\n AT 4 L\n TAC R AT 3\n TAC L AT 4\n"
        "DO\n AT 3 CLOAK\n AT 4 CLOAK\n LAST CLOAK\nSHUTTLE FS/1\nSPEED 3\nCOURSE 4A 2B"
    )
    for impulse, left in ((0, 3), (1, 3), (3, 3), (4, 2), (5, 1)):
        hood, boat = trim(orders, flown={"hood": 2, "fs/1": 4}, impulse=impulse).units
        assert len(hood.do) == left and hood.plot is not None and boat.plot is not None
        assert (len(hood.plot.reactions), len(hood.plot.tacs)) == (left - 1, left - 1)
        assert (hood.speed, hood.energy is None) == ((4, False) if impulse < 1 else (None, True)) and not hood.position
        assert (boat.speed, boat.plot.course, boat.plot.text) == (3, ((2, "B"),), "COURSE 2B")
        assert (len(hood.plot.codes), hood.plot.text) == (6, "PLOT 6F")


def test_the_last_reaction_that_acted_has_the_helm() -> None:
    orders = read(
        "SHIP Hood\nPLOT 8F\n IF #1 HIT THEN TOWARD x\n IF #2 HIT THEN R\n"
        " EVERY IF ENEMY WITHIN 3 THEN AWAY FROM EACH\n IF x CLOSING THEN KEEP IT IN FA\n IF x CLOSING THEN TOWARD x"
    )
    for acted, steers in {
        (): "PLOT 8F", (3,): "PLOT TOWARD x", (4,): "PLOT 8F", (3, 4): "PLOT TOWARD x", (5, 3): "PLOT TOWARD x",
        (3, 5): "PLOT AWAY FROM EACH IF ENEMY WITHIN 3", (3, 5, 6): "PLOT KEEP IT IN FA IF x CLOSING",
        (6, 7): "PLOT TOWARD x", (99,): "PLOT 8F",
    }.items():  # fmt: skip
        plot = trim(orders, flown={}, acted=acted, impulse=3).units[0].plot
        assert plot is not None and plot.text == steers, acted


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
