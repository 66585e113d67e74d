"""What people write who say it otherwise than the orders do: the answer shows it in their words, and no other thing."""

from __future__ import annotations

import pytest

from pbem.errors import Fault
from pbem.orders.lexer import tokens_of
from pbem.orders.reader import read_orders
from pbem.orders.suggestions import empty_order, needless, not_here, paraphrased
from pbem.orders.writer import unit_lines

SAID = [
    ("DO", "fire disr a at con at 9", "AT 9 fire disr a at con"),
    ("DO", "fire ph 1-3 at con, on impulse 9", "AT 9 fire ph 1-3 at con"),
    ("DO", "fire ph 1 at con at 9 if range <= 4", "AT 9 fire ph 1 at con if range <= 4"),
    ("DO", "at impulse 9, fire ph 1 at con", "AT 9 fire ph 1 at con"),
    ("DO", "imp 9 cloak", "AT 9 cloak"),
    ("DO", "last impulse fire all at con", "LAST fire all at con"),
    ("DO", "fire all at con on the last impulse", "LAST fire all at con"),
    ("DO", "at 4-8 fire all at con", "IF IMPULSE >= 4 AND IMPULSE <= 8 THEN fire all at con"),
    ("DO", "from 4 to 8 fire all at con", "IF IMPULSE >= 4 AND IMPULSE <= 8 THEN fire all at con"),
    ("DO", "at 4 or 5 cloak", "IF IMPULSE 4 OR IMPULSE 5 THEN cloak"),
    ("DO", "if impulse 4 to 8 then cloak", "if IMPULSE >= 4 AND IMPULSE <= 8 then cloak"),
    ("DO", "each impulse fire ph 1 at con", "EVERY fire ph 1 at con"),
    ("DO", "fire everything at con", "fire ALL at con"),
    ("DO", "shoot all weapons at con", "shoot ALL at con"),
    ("DO", "fire at con", "fire ALL AT con"),
    ("DO", "fire at con with disr a, ph 1", "fire disr a, ph 1 AT con"),
    ("DO", "fire ph 1 into con", "fire ph 1 AT con"),
    ("DO", "fire ph 1 at con as soon as range <= 3", "fire ph 1 at con IF range <= 3"),
    ("DO", "release all", "RELEASE"),
    ("DO", "reserve power 2 to #1", "RESERVE UP TO 2 TO #1"),
    ("DO", "if range to con is 4 or less fire ph 1 at con", "if range con <= 4 THEN fire ph 1 at con"),
    ("DO", "if range con is less than 5 then cloak", "if range con < 5 then cloak"),
    ("DO", "if range con is at least 5 then cloak", "if range con >= 5 then cloak"),
    ("DO", "if range con is more than 5 then cloak", "if range con > 5 then cloak"),
    ("DO", "if range con is 5 then cloak", "if range con = 5 then cloak"),
    ("DO", "if con is within range 4 then cloak", "if con is WITHIN 4 then cloak"),
    ("DO", "if the enemy within 4 then cloak", "if enemy within 4 then cloak"),
    ("DO", "if con's #1 is down then cloak", "if #1 OF con down then cloak"),
    ("DO", "if con shield 3 <= 2 then cloak", "if #3 OF con <= 2 then cloak"),
    ("DO", "if my #1 down then cloak", "if #1 down then cloak"),
    ("DO", "if the Old Con speed > 10 then cloak", "if SPEED the Old Con > 10 then cloak"),
    ("DO", "if facing shield of con <= 4 then cloak", "if FACED SHIELD of con <= 4 then cloak"),
    ("DO", "if con is in my fa arc then cloak", "if con is in my fa then cloak"),
    ("DO", "if damaged then cloak", "if ME DAMAGED then cloak"),
    ("BREAK", "impulse 8 and 16", "IMPULSE 8 OR IMPULSE 16"),
    ("BREAK", "enemy range 8", "enemy WITHIN 8"),
    ("BREAK", "any enemy within 8", "ENEMY within 8"),
    ("BREAK", "a drone within 2", "drone within 2"),
    ("BREAK", "range con <= 8 hexes", "range con <= 8"),
    ("BREAK", "shield #1 drops below 5", "shield #1 < 5"),
    ("BREAK", "enemy launch", "enemy LAUNCHES"),
    ("BREAK", "con uncloaks", "NOT con CLOAKED"),
    ("BREAK", "con cloaks", "con CLOAKED"),
    ("BREAK", "internal damage", "INTERNALS"),
    ("PLOT", "8 hexes forward", "8F"),
    ("PLOT", "forward 4 then turn right", "4F R"),
    ("PLOT", "straight ahead 4, turn left, ahead", "4F L F"),
    ("PLOT", "f8", "8F"),
    ("PLOT", "8 x F", "8F"),
    ("PLOT", "f-f-r-f", "F F R F"),
    ("PLOT", "sideslip left", "SL"),
    ("PLOT", "follow con", "TOWARD con"),
    ("PLOT", "toward hex 1214", "TOWARD 1214"),
    ("PLOT", "keep at range 4 to 8 of con", "KEEP con AT RANGE 4 TO 8"),
    ("PLOT", "keep con at 4", "KEEP con AT RANGE 4"),
    ("PLOT", "if con within 3 then turn right", "if con within 3 THEN r"),
    ("ENERGY", "Move 9 hexes", "SPEED 9"),
    ("ENERGY", "phasers = 3", "phasers 3"),
    ("ENERGY", "phasers - 3", "phasers 3"),
    ("ENERGY", "phasers 3 pts", "phasers 3"),
    ("ENERGY", "speed 12 (11 warp + 1 impulse)", "speed 12"),
    ("ENERGY", "#1 +3", "REINFORCE #1 WITH 3"),
    ("ENERGY", "speed nine", "speed 9"),
    ("ENERGY", "phasers two points", "phasers 2 points"),
    ("ENERGY", "phot a 2, b 2", "phot a,b 2 EACH"),
    ("ENERGY", "phot a 2 warp and b 2 warp", "phot a,b 2 warp EACH"),
    ("DO", "fire all ph at con at range 4", "fire all ph at con IF RANGE <= 4"),
    ("DO", "fire ph 1 at con when in range 4", "fire ph 1 at con when RANGE <= 4"),
    ("DAMAGE", "phasers last", "WEAPON phasers last"),
    ("DAMAGE", "warp engines last", "ENGINE warp last"),
    ("DAMAGE", "labs first", "OTHER labs first"),
]


def faults_of(section: str, typed: str) -> tuple[Fault, ...]:
    return read_orders(f"SHIP Ark\n{section}\n  {typed}\n", header=False).faults


@pytest.mark.parametrize(("section", "typed", "written"), SAID)
def test_it_is_told_in_the_words_of_the_orders(section: str, typed: str, written: str) -> None:
    (fault,) = faults_of(section, typed)
    assert fault.text.endswith(f"; orders say it so: {written}") and fault.fits == f"  {written}"
    assert not faults_of(section, written)


@pytest.mark.parametrize(
    ("section", "typed"),
    [
        ("PLOT", "8 f"), ("PLOT", "1. F"), ("PLOT", "3 r"), ("PLOT", "2 turn right"), ("PLOT", "sideslip"),
        ("PLOT", "4 4 f"), ("PLOT", "0 forward"), ("PLOT", "forward to glory"),
        ("BREAK", "range con 8"), ("BREAK", "enemy fires at me"), ("BREAK", "the"), ("BREAK", "shield down"),
        ("DO", "fire at"), ("DO", "at 9"), ("DO", "if range 4 then cloak"),
        ("DO", 'fire ph 1 at "the con" at 9'),
        ("ENERGY", "Move 9 hexes at warp"), ("ENERGY", "phasers = all"),
        ("DAMAGE", "bridge first"),
    ],
)  # fmt: skip
def test_where_it_may_mean_something_else_nothing_is_offered(section: str, typed: str) -> None:
    found = faults_of(section, typed)
    assert found and not any(fault.fits for fault in found)


@pytest.mark.parametrize(
    ("section", "typed", "what"),
    [
        ("ENERGY", "HET 5", "no high energy turns"), ("ENERGY", "ECM 2", "no electronic warfare"),
        ("ENERGY", "erratic maneuvers 6", "no erratic maneuvers"), ("ENERGY", "wild weasel A", "no wild weasels"),
        ("ENERGY", "PHOT A 4 OVERLOAD", "no overloaded weapons"), ("PLOT", "HET R", "no high energy turns"),
        ("DO", "launch scatter-pack A", "no scatter packs"), ("DO", "lay mine", "no mines"),
    ],
)  # fmt: skip
def test_what_the_handbook_has_not(section: str, typed: str, what: str) -> None:
    (fault,) = faults_of(section, typed)
    assert fault.text.endswith(f"the Cadet Training Handbook has {what}") and not fault.fits


@pytest.mark.parametrize(
    ("section", "typed", "said"),
    [
        ("DO", "raise shields", "comes up by itself"), ("DO", "Raise shield #1", "comes up by itself"),
        ("DO", "hold fire", "hold their fire"), ("DO", "go ahead", "straight ahead by itself"),
        ("DO", "board Dakota", "TRANSPORT 2 BP TO"),
        ("BREAK", "none", "nothing is written"), ("BREAK", "no breaks", "nothing is written"),
        ("DAMAGE", "default", "nothing is written"), ("ENERGY", "-", "nothing is written"),
        ("BREAK", "  damage", "write INTERNALS, ME DAMAGED or #1 HIT for a break on damage"),
        ("BREAK", "enemy fires at me", "FIRES is true no matter who the target is"),
        ("BREAK", "range con 8", "write <= 8 for at most 8"),
        ("ENERGY", "shields on", "SHIELDS is paid by default, so you can leave it out"),
        ("ENERGY", "TRACTOR 2", "write TRACTOR B or TRACTOR A,B"),
        ("ENERGY", "TRACTOR 12", "write TRACTOR L or TRACTOR A,B and so on"),
        ("ENERGY", "PROBE 1", "like PROBE A 1"),
        ("ENERGY", "PROBE A", "the order stops where a number of points is expected"),
        ("ENERGY", "disruptors 2 each", "on line 10 of the form, like DISR A,B 2 EACH"),
    ],
)  # fmt: skip
def test_what_needs_no_order_or_another_one(section: str, typed: str, said: str) -> None:
    (fault,) = faults_of(section, typed)
    assert said in fault.text


def test_damage_control_is_an_entry_of_the_form_and_begins_no_section() -> None:
    reading = read_orders("SHIP Ark\nENERGY\n  DAMAGE CONTROL #3 WITH 2\n  SPEED 8\nDAMAGE\n  HULL\n", header=False)
    assert not reading.faults
    assert [*unit_lines(reading.orders.units[0])][1:] == [
        "ENERGY", "  REPAIR #3 WITH 2", "  SPEED 8", "DAMAGE", "  HULL",
    ]  # fmt: skip


def test_damage_at_the_edge_of_the_line_is_its_heading() -> None:
    reading = read_orders("SHIP Ark\nBREAK\n  #1 DOWN\nDAMAGE\n  HULL\n", header=False)
    assert not reading.faults and len(reading.orders.units[0].damage) == 1


def test_where_nothing_can_be_said_instead_an_empty_text_is_given() -> None:
    assert paraphrased("nonsense of any kind", "DO", lambda _: False) == ""
    assert paraphrased("x" * 201, "DO", lambda _: True) == ""
    line = tokens_of("FIRE ALL AT x")
    assert needless(line) == empty_order(line, "DO") == not_here(line, 0) == ""
