"""A line that a mail program broke behind a word no order ends with is put together again, and hides no other."""

from __future__ import annotations

import pytest

from pbem.orders.reader import read_orders


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("  IF RANGE Hood <= 4 THEN FIRE PH 1,2 AT", "Hood"),
        ("FIRE PH 1 AT", "ENEMY SHIP"),
        ("LOWER SHIELD TO", '"Old One" AND TRANSPORT 3 BP TO "Old One"'),
        ("FIRE PH 1 AT Hood IF Hood WITHIN", "4"),
        ("FIRE PH 1 AT Hood IF RANGE", "Hood <= 4"),
        ("RESERVE UP TO 2 TO", "#1"),
        ("AT", "9 CLOAK"),
        ("IF Hood IN", "FA THEN CLOAK"),
    ],
)
def test_a_name_or_a_figure_below_a_word_that_wants_it(first: str, second: str) -> None:
    reading = read_orders(f"SHIP Ark\nDO\n  CLOAK\n{first}\n{second}\n  UNCLOAK\n", header=False)
    assert not reading.faults, reading.faults
    whole = read_orders(f"SHIP Ark\nDO\n  CLOAK\n{first} {second}\n  UNCLOAK\n", header=False)
    assert [one.text for one in reading.orders.units[0].do] == [one.text for one in whole.orders.units[0].do]


def test_an_engine_ends_an_entry() -> None:
    text = "SHIP Ark\nENERGY\n  MOVE 11 WARP + 1 IMPULSE\n  GENERAL 2\n  PHASERS 2 APR\n  RECHARGE 1\n"
    reading = read_orders(text, header=False)
    assert not reading.faults and [one.line for one in reading.orders.units[0].energy or ()] == [3, 4, 5, 6]


@pytest.mark.parametrize("below", ["FIRE PH 2 AT Hood", "IF RANGE Hood <= 4 THEN CLOAK", "AT 9 CLOAK", "BREAK #1 DOWN"])
def test_an_order_below_an_unfinished_one_is_read_for_itself(below: str) -> None:
    reading = read_orders(f"SHIP Ark\nDO\n  FIRE PH 1 AT\n  {below}\n", header=False)
    assert [(fault.code, fault.line) for fault in reading.faults] == [("incomplete", 3)]
    (ark,) = reading.orders.units
    assert [one.line for one in (*ark.do, *ark.breaks)] == [4]


@pytest.mark.parametrize(
    "lines",
    [
        ("FIRE PH", "1-3 AT Hood"),
        ("AT 9 FIRE PH 1-3 DISR A,B", "AT Hood IF", "RANGE <= 4"),
        ("FIRE DISR", "A AT Hood"),
        ("AT 12 LAUNCH DRONE", "1 AT Hood"),
        ("FIRE PH 1 AT Hood WITH", "RESERVE"),
        ("LOWER", "SHIELD #1"),
        ("TRANSPORT 2", "BP TO Hood"),
        ("RESERVE", "UP TO", "2 TO", "#1"),
    ],
)
def test_lines_of_which_none_is_an_order_without_the_others(lines: tuple[str, ...]) -> None:
    broken = "\n".join(lines)
    reading = read_orders(f"SHIP Ark\nDO\n  CLOAK\n{broken}\n  UNCLOAK\n", header=False)
    assert not reading.faults, reading.faults
    whole = read_orders(f"SHIP Ark\nDO\n  CLOAK\n{' '.join(lines)}\n  UNCLOAK\n", header=False)
    assert [one.text for one in reading.orders.units[0].do] == [one.text for one in whole.orders.units[0].do]


@pytest.mark.parametrize("below", ["", "# a remark", "BREAK", "SHIP Old", "PLOT 1-3 AT Hood"])
def test_what_does_not_stand_right_below_is_not_read_with_it(below: str) -> None:
    reading = read_orders(f"SHIP Ark\nDO\n  FIRE PH\n{below}\n1-3 AT Hood\n", header=False)
    assert reading.faults[0].line == 3 and not reading.orders.units[0].do


def test_a_condition_below_a_whole_order_is_not_put_to_it() -> None:
    (fault,) = read_orders("SHIP Ark\nDO\nFIRE PH 1 AT Hood\nIF RANGE Hood <= 4\n", header=False).faults
    assert (fault.line, fault.code) == (4, "incomplete")
