"""What a faulty line is told: stable code, place, family, and no other line the worse for it."""

from __future__ import annotations

import random
from time import process_time

import pytest

from pbem.errors import Fault
from pbem.orders.blocks import MOST_OF_A_UNIT
from pbem.orders.reader import MOST_FAULTS, MOST_ORDERS, read_orders


def faults_of(text: str) -> tuple[Fault, ...]:
    return read_orders("SHIP Hood\n" + text, header=False, file="my.orders").faults


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "family"),
    [
        ("DO\n  FIER ALL AT x", "unknown-word", 3, 3, "not understood"),
        ("DO\n  FIRE PH 1 TO x", "expected", 3, 13, "not understood"),
        ("DO\n  FIRE ALL AT", "incomplete", 3, 14, "not understood"),
        ("DO\n  FIRE ALL AT FIRE", "expected", 3, 15, "not understood"),
        ("DO\n  AT 0 CLOAK", "bad-number", 3, 6, "not understood"),
        ("DO\n  LOWER #7", "no-such-shield", 3, 9, "not understood"),
        ("DO\n  IF RANGE <= 3 THEN CLOAK", "no-target", 3, 6, "not understood"),
        ('DO\n  FIRE ALL AT "Ente', "unclosed-quote", 3, 15, "not understood"),
        ("DO\n  LAUNCH DRONE 1,2 AT x", "one-launch", 3, 10, "not understood"),
        ("DO\n  FIRE PH-1 AT x", "which-phaser", 3, 8, "ambiguous"),
        ("DO\n  FIRE PHOT AT x", "which-weapon", 3, 13, "ambiguous"),
        ("DO\n  FIRE PH 3-1 AT x", "bad-weapon-range", 3, 11, "not understood"),
        ("DO\n  IF x IN QQ THEN CLOAK", "no-such-arc", 3, 11, "not understood"),
        ("DO\n  AT 2 AT 3 CLOAK", "expected", 3, 8, "not understood"),
        ("PLOT F Q F", "expected", 2, 8, "not understood"),
        ("PLOT F\nPLOT R", "two-plots", 3, 1, "ambiguous"),
        ("PLOT F\nCOURSE 4A", "two-plots", 3, 1, "ambiguous"),
        ("PLOT TOWARD x\n  R", "codes-after-pilot", 3, 3, "ambiguous"),
        ("PLOT TOWARD x\n  TOWARD y", "two-pilots", 3, 10, "ambiguous"),
        ("ENERGY\n  PHOT A,B 2", "each-or-total", 3, 12, "ambiguous"),
        ("ENERGY\n  PHASERS 2,5", "bad-number", 3, 11, "ambiguous"),
        ("PLOT 4A 2B", "expected", 2, 6, "not understood"),
        ("BREAK AT 8", "expected", 2, 7, "not understood"),
        ("ENERGY\n  4 20", "computed-line", 3, 3, "not understood"),
        ("ENERGY\n  22 1", "no-such-line", 3, 3, "not understood"),
        ("ENERGY\n  9 RECHARGE 1", "which-line", 3, 5, "ambiguous"),
        ("ENERGY\n  PHASERS -2", "bad-number", 3, 11, "not understood"),
        ("BREAK\n  RANGE x 4", "expected", 3, 11, "not understood"),
        ("SHIP Hood", "unit-twice", 2, 1, "ambiguous"),
        ("GAME other TURN 3", "header-twice", 2, 1, "ambiguous"),
        ("CONTINUE", "continue-and-orders", 2, 1, "ambiguous"),
    ],
)
def test_code_place_and_family(text: str, code: str, line: int, column: int, family: str) -> None:
    (fault,) = faults_of(text)
    assert (fault.code, fault.line, fault.column, fault.family) == (code, line, column, family)
    assert str(fault).startswith(f"my.orders:{line}:{column}: {code}: ")
    assert "\n" not in str(fault)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("DO\n  FIRE PH 1 AT Big 7", 'put a name that contains a number in quotes: "Big 7"'),
        ("DO\n  FIRE PH 1 AT Big 7 8", 'put a name that contains a number in quotes: "Big 7 8"'),
        ("DO\n  FIRE PH 1 AT Old Big 7 8 x 9 AT", 'put a name that contains a number in quotes: "Old Big 7 8 x 9"'),
        ("DO\n  FIRE PHOT AT x", "write the number or letter of the PHOT, or ALL PHOT"),
        ("DO\n  LAUNCH DRONE AT x", "write the number or letter of the DRONE"),
        ("ENERGY\n  PHOT", "write the number or letter of the PHOT"),  # a line is for one of them
        # An AND before the subject of a condition joins no weapons.
        ("BREAK\n  PH 1 AND B WITHIN 3", 'expected ARMED, found "AND"'),
        # A word of one or two letters may be a slip for the one that is missing: nothing is put before it.
        ("DO\n  FIRE PH 1 BY y", 'expected AT or a weapon, like PH 1, found "BY"'),
        ("DO\n  FIRE PH 1 Big", 'the word AT is missing before "Big"'),
    ],
)
def test_what_is_said_of_numbers_in_names_and_of_weapons_without_one(text: str, says: str) -> None:
    (fault,) = faults_of(text)
    assert fault.text.endswith(says)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ENEMY ARMED", "arming"),
        ("PHOT A OF Constellation ARMED", "arming"),
        ("Constellation PHOT OVERLOADED", "arming"),
        ("ARMED PHOT A OF Constellation", "arming"),
        ("ENERGY OF Constellation > 3", "energy form"),
        ("BATTERIES OF Constellation > 0", "batteries"),
        ("Constellation CAPACITOR > 0", "capacitor"),
        ("AMMO OF Constellation > 0", "drones"),
        ("TARGET OF KD/1 = 4", "target of"),
        ("KD/1 TARGETS ME", "target of"),
        ("ENEMY BREAKS", "break conditions"),
        ("#1 REINFORCED", "reinforcement"),
    ],
)
def test_a_secret_of_the_enemy_is_refused_with_the_reason(text: str, reason: str) -> None:
    for place in (f"BREAK {text}", f"DO\n IF {text} THEN CLOAK", f"PLOT F\n IF NOT {text} THEN R"):
        (fault,) = faults_of(place)
        assert (fault.code, fault.family, fault.rule) == ("hidden-fact", "not allowed", "D4.1")
        assert reason in fault.text or "all sides know" in fault.text


@pytest.mark.parametrize(
    "text", ["ARMED PHOT A", "PHOT A ARMED", "BATTERIES >= 1", "CAPACITOR >= 1", "AMMO DRONE 1 >= 1"]
)
def test_a_break_may_not_read_even_my_own_secrets(text: str) -> None:
    (fault,) = faults_of(f"BREAK\n  #1 DOWN OR {text}")
    assert (fault.code, fault.family) == ("hidden-fact", "not allowed")
    assert "breaks can use only facts that all sides know" in fault.text
    assert faults_of(f"DO\n  IF {text} THEN CLOAK") == ()


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("DO\n FIER ALL AT x", "FIRE"),
        ("BRAEK\n #1 DOWN", "BREAK"),
        ("DO\n FIRE ALL AT x IF x CLOSNIG", "CLOSING"),
        ("ENERGY\n PHAZERS 2", "PHASERS"),
        ("PLOT TOWRD x", "TOWARD"),
        ("DO\n LANCH DRONE 1 AT x", "LAUNCH"),
        ("DO\n FIRE FOTON A AT x", "PHOT"),
        ("DO\n FIRE PHASSER 1 AT x", "PH"),
        ("DO\n LAUNCH DROEN 1 AT x", "DRONE"),
    ],
)
def test_did_you_mean(text: str, meant: str) -> None:
    assert any(f"did you mean {meant}" in fault.text for fault in faults_of(text))


def test_one_bad_line_never_hides_the_others() -> None:
    reading = read_orders(
        "SHIP Hood\nPLOT F Q\nDO\n  FIRE ALL AT x; FIRE; CLOAK\n  ???\n  UNCLOAK\nBREAK\n  #1 DOWN\n  #9 DOWN",
        header=False,
    )
    assert [(fault.line, fault.column) for fault in reading.faults] == [(2, 8), (4, 22), (5, 3), (9, 3)]
    assert [order.text for order in reading.orders.units[0].do] == ["FIRE ALL AT x", "CLOAK", "UNCLOAK"]
    assert [one.text for one in reading.orders.units[0].breaks] == ["#1 DOWN"]


def test_a_faulty_ship_line_does_not_hide_what_stands_below() -> None:
    reading = read_orders("SHIP\nPLOT F\nDO\n  FIRE\nSHIP Hood\nPLOT R", header=False)
    assert [(fault.code, fault.line) for fault in reading.faults] == [("incomplete", 1), ("incomplete", 4)]
    assert [unit.unit for unit in reading.orders.units] == ["Hood"]


def test_orders_without_a_ship_are_told_once() -> None:
    reading = read_orders("GAME duel01\nPLOT F\nDO\n  CLOAK\n")
    assert [(fault.code, fault.line) for fault in reading.faults] == [("no-unit", 2)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "no-orders"),
        ("\n# nothing\n", "no-orders"),
        ("SHIP Hood\nPLOT F", "no-header"),
        ("Hello,\nI am away.\n--\nBob", "no-header"),
    ],
)
def test_nothing_to_read(text: str, code: str) -> None:
    assert [fault.code for fault in read_orders(text).faults] == [code]


def test_a_header_field_said_twice() -> None:
    (fault,) = read_orders("GAME duel01 TURN 2\nTURN 3\nSHIP Hood").faults
    assert (fault.code, fault.choices) == ("header-twice", ("2", "3"))


def test_deep_nesting_and_long_lines_end_in_one_fault() -> None:
    assert [f.code for f in faults_of("BREAK " + "(" * 900 + "#1 DOWN" + ")" * 900)] == ["too-deep"]
    assert [f.code for f in faults_of("BREAK " + "NOT " * 400 + "#1 DOWN")] == ["too-deep"]
    assert [f.code for f in faults_of("BREAK " + "(" * 5000)] == ["line-too-long"]
    assert [f.code for f in faults_of("BREAK IMPULSE 3" + "\n OR IMPULSE 4" * 2000)] == ["line-too-long"]
    assert [f.code for f in faults_of("PLOT " + "99F " * 20)] == ["plot-too-long"]


@pytest.mark.slow
def test_noise_gives_a_bounded_number_of_faults() -> None:
    dice = random.Random(7)
    letters = 'abc XYZ 019 #;"()<>=,+-*/\\\n\n\t\x00é漢'
    noise = "".join(dice.choice(letters) for _ in range(900_000))
    for text in (
        noise,
        "GAME duel01 TURN 1\nSHIP Hood\n" + noise,
        "(" * 900_000,
        "\n" * 900_000,
        "GAME x\n" + "IF " * 200_000,
        "<div>" + "<!--" * 200_000,
        "<div " + '<a b="' * 100_000,
    ):
        reading = read_orders(text)
        assert 1 <= len(reading.faults) <= MOST_FAULTS + 1
        assert all(len(fault.text) < 300 for fault in reading.faults)
    assert read_orders("GAME duel01\n" + noise[:50_000]).faults[-1].code == "more-faults"
    assert [f.code for f in read_orders("x" * 1_000_001).faults] == ["file-too-long"]


def test_a_faulty_header_is_told_once() -> None:
    assert [f.code for f in read_orders("GAME duel01 TURN two SIDE klingon REPLY 1\nSHIP Hood").faults] == ["expected"]
    assert [f.code for f in read_orders("GAME " + "x" * 3000 + "\nSHIP Hood").faults] == ["line-too-long"]
    assert [f.code for f in read_orders("GAME TURN 2 SIDE klingon REPLY 1\nSHIP Hood").faults] == ["expected"]


@pytest.mark.parametrize("name", ["one", "Fire", "5", "all", "duel-1"])
def test_a_game_may_be_called_by_a_word_of_the_orders(name: str) -> None:
    reading = read_orders(f"GAME {name} TURN 2 SIDE klingon REPLY 1\nSHIP Hood")
    assert (reading.faults, reading.orders.game) == ((), name)
    quoted = read_orders(f'GAME "{name}" TURN 2 SIDE klingon REPLY 1\nSHIP Hood')
    assert quoted.orders.game == name


@pytest.mark.parametrize(
    ("text", "said", "choices"),
    [
        ("ENERGY\n  PHASERS 2,5", "2,5 can be a fraction or a sum: write 2.5 or 2 + 5", ()),
        ("ENERGY\n  PHASERS 1/2,5", "0.5,5 can be a sum: write 0.5 + 5", ()),
        ("ENERGY\n  PHOT A,B,C 2.5", "write EACH after 2.5 if each of these 3 weapons gets 2.5",
         ("PHOT A 2.5", "PHOT B 2.5", "PHOT C 2.5")),
        ("ENERGY\n  PHOT A,B 1 WARP + 1 APR", "if each of these 2 weapons gets 2", ("PHOT A 2", "PHOT B 2")),
        ("ENERGY\n  9 RECHARGE 1", "line 9 of the form is PHASERS", ("PHASERS", "RECHARGE")),
        ("ENERGY\n  7 FC 1", "line 7 of the form is LIFE SUPPORT", ("LIFE SUPPORT", "FIRE CONTROL")),
        ("DO\n  FIRE PH-2 AT x", "PH-2 can mean phaser number 2 or every phaser of type 2", ("PH 2", "ALL PH")),
        ("DO\n  FIRE DISR AT x", "write the number or letter of the DISR", ("ALL DISR",)),
        ("PLOT F\n  TOWARD x\n  KEEP #1 TO y", "TOWARD x already steers", ("TOWARD x", "KEEP #1 TO y")),
        ("PLOT TOWARD x\n  R", "write the codes before TOWARD x", ()),
    ("PLOT F\nPLOT R", "already has a plot at line 2", ()),
        ("SHIP hood", "hood already has orders at line 1", ()),
    ("BREAK AT 8", "write a condition for a break: IMPULSE 8", ("IMPULSE 8",)),
        ("PLOT 4A", "write COURSE before hexes", ("COURSE",)),
    ("DO\n  AT 100 CLOAK", "too large for an impulse; the most is 99", ()),
        ("PLOT " + "99F " * 4, "at most 300 codes", ()), ("DO\n  FIRE ALL AT FIRE", 'in quotes: "FIRE"', ("a target",)),
        ("ENERGY\n  TOTAL 4", "leave out TOTAL: the engine works it out", ()),
        ("CLOAK THEN", "expected AND, IF or the end", None),
    ],
)  # fmt: skip
def test_a_fault_says_what_to_write(text: str, said: str, choices: tuple[str, ...] | None) -> None:
    (fault,) = faults_of(text)
    assert said in fault.text and (choices is None or fault.choices == choices)


def test_the_text_that_two_lines_of_a_header_differ_by() -> None:
    (fault,) = read_orders("GAME a TURN 2\nTURN 3\nSHIP b").faults
    assert (fault.text, fault.choices) == ("TURN is 2 above but 3 here; keep one", ("2", "3"))


def test_a_file_has_a_most() -> None:
    """Of orders, of letters on a line, of hexes in a plot."""
    ship = "SHIP s{}\nDO\n" + "  CLOAK\n" * (MOST_OF_A_UNIT - 2)
    many = read_orders("".join(map(ship.format, range(MOST_ORDERS // MOST_OF_A_UNIT + 1))), header=False)
    assert [fault.code for fault in many.faults] == ["too-many-orders"]
    assert [fault.code for fault in faults_of("PLOT " + "99F " * 20)] == ["plot-too-long"]
    assert [fault.code for fault in faults_of("DO\n  FIRE ALL AT " + "x" * 5000)] == ["line-too-long"]


@pytest.mark.parametrize("section", ["DO\n  AT 3 FIRE PH 1 AT x", "BREAK\n  #1 DOWN", "PLOT F\n  IF #1 DOWN THEN L"])
def test_a_unit_has_so_many_orders_and_no_more(section: str) -> None:
    heading, _, line = section.partition("\n")
    text = "GAME g TURN 1 SIDE a REPLY 1\nSHIP s\n{}\nSHIP t\n{}\nEND\n"
    most = f"{heading}\n" + f"{line}\n" * MOST_OF_A_UNIT
    reading = read_orders(text.format(most, most))
    assert reading.faults == ()
    units = reading.orders.units
    reading = read_orders(text.format(most, f"{most}{line}\n"))
    assert [(one.code, one.line, one.column) for one in reading.faults] == [("too-many-orders", 207, 3)]
    assert f"at most {MOST_OF_A_UNIT} orders" in reading.faults[0].text
    assert [(len(u.do), len(u.breaks)) for u in reading.orders.units] == [(len(u.do), len(u.breaks)) for u in units]


@pytest.mark.parametrize("section", ["ENERGY", "PLOT F", "DO", "BREAK", "DAMAGE"])
@pytest.mark.parametrize(
    "line", ["a-" * 990, "a-" * 99, "FIRE AT " * 20, "a " * 58, "FIRE a-a " * 22, "x" * 1900, "if a-" * 28, "9" * 1990]
)
def test_fifty_faulty_lines_are_told_in_time_that_does_not_grow_with_their_square(section: str, line: str) -> None:
    text = f"SHIP a\n{section}\n" + f"  {line}\n" * 50
    started = process_time()
    assert read_orders(text, header=False).faults
    # It was 17 seconds for the first of these lines.
    assert process_time() - started < 2
