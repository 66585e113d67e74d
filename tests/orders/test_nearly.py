"""A line that lacks one word, or has one misspelt, is told with the line as it may stand instead."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.orders import cursor
from pbem.orders.reader import read_orders


@pytest.mark.parametrize(
    ("section", "typed", "said", "fits"),
    [
        ("DO", "when range <= 5 fire PH 2 at Hood  # now", 'THEN is missing before "fire"',
         "when range <= 5 THEN fire PH 2 at Hood  # now"),
        ("DO", "FIRE PH 1 Hood", 'AT is missing before "Hood"', "FIRE PH 1 AT Hood"),
        ("DO", "CLOAK; RESERVE 2 #1", 'TO is missing before "#1"', "CLOAK; RESERVE 2 TO #1"),
        ("DO", "FIER ALL AT Hood", "did you mean FIRE?", "FIRE ALL AT Hood"),
        ("DO", "FIRE ALL AT Hood IF Hood CLOSNIG", "did you mean CLOSING", "FIRE ALL AT Hood IF Hood CLOSING"),
        ("DO", "FIRE PH 1 AT Hood RANGE <= 4", 'IF is missing before "RANGE"', "FIRE PH 1 AT Hood IF RANGE <= 4"),
        ("PLOT", "IF RANGE Hood <= 3 R", 'THEN is missing before "R"', "IF RANGE Hood <= 3 THEN R"),
        ("PLOT", "AWAY Hood", 'FROM is missing before "Hood"', "AWAY FROM Hood"),
        ("PLOT", "LEAVE", "MAP is expected", "LEAVE MAP"),
        ("ENERGY", "PHASORS 3", "did you mean PHASERS?", "PHASERS 3"),
        ("ENERGY", "Shield 1 reinforce 3  # ours", "its name, then its points: REINFORCE #1 WITH 3",
         "REINFORCE #1 WITH 3  # ours"),
        ("ENERGY", "Reinforce 3 on shield #2", "REINFORCE #2 WITH 3", "REINFORCE #2 WITH 3"),
        ("ENERGY", "Shield #4 5 warp", "REINFORCE #4 WITH 5 WARP", "REINFORCE #4 WITH 5 WARP"),
        ("ENERGY", "5 points of power to phasers", "PHASERS 5", "PHASERS 5"),
        ("ENERGY", "PHOT 2 WARP A", "PHOT A 2 WARP", "PHOT A 2 WARP"),
        ("ENERGY", "Phasers 2 please", "PHASERS 2", "PHASERS 2"),
        ("ENERGY", "speed 12, phasers 2, PHOT A,B 2 EACH", "with ; between them",
         "speed 12; phasers 2; PHOT A,B 2 EACH"),
        ("ENERGY", "PHOT A 2, PHOT B 2", "with ; between them, not with a comma", "PHOT A 2; PHOT B 2"),
        ("ENERGY", "phasers 3 phot a 2 speed 9  # all", "or with ; between", "phasers 3; phot a 2; speed 9  # all"),
        ("ENERGY", "SPEED 9, PHASERS 3 PHOT A,B 2 EACH", "or with ; between", "SPEED 9; PHASERS 3; PHOT A,B 2 EACH"),
        ("DO", "AT 8 FIRE PH 1 AT Hood AT 9 CLOAK", "or with ; between them", "AT 8 FIRE PH 1 AT Hood; AT 9 CLOAK"),
        ("DO", "FIRE PH 1 AT Hood, LAUNCH DRONE 1 AT Hood", "not with a comma",
         "FIRE PH 1 AT Hood; LAUNCH DRONE 1 AT Hood"),
        ("DO", "1. AT 9 FIRE ALL AT Hood", "orders have no numbers before them: AT 9 FIRE ALL AT Hood",
         "AT 9 FIRE ALL AT Hood"),
        ("DO", "(2) LAST FIRE ALL AT Hood #", "orders have no numbers before them", "LAST FIRE ALL AT Hood #"),
        ("BREAK", "b) RANGE Hood <= 8", "orders have no numbers before them", "RANGE Hood <= 8"),
        ("ENERGY", "1. PHASERS 2", "orders have no numbers before them", "PHASERS 2"),
        ("PLOT", "1) TOWARD Hood", "orders have no numbers before them", "TOWARD Hood"),
        ("DO", "AT 9 FIRE PH 1 AT Hood,", "a comma says that more", "AT 9 FIRE PH 1 AT Hood"),
        ("DO", "FIRE PH 1, PH 2, AT Hood  # both", "a comma says that more", "FIRE PH 1, PH 2 AT Hood  # both"),
        ("ENERGY", "PHASERS 2,", "a comma says that more", "PHASERS 2"),
        ("DAMAGE", "WEAPON PH 1 FIRST,", "a comma says that more", "WEAPON PH 1 FIRST"),
    ],
)  # fmt: skip
def test_the_line_that_was_nearly_written(section: str, typed: str, said: str, fits: str) -> None:
    faults = read_orders(f"SHIP Ark\n{section}\n  {typed}\n", header=False).faults
    assert len(faults) == 1 and said in faults[0].text
    assert faults[0].fits == f"  {fits}"
    assert not read_orders(f"SHIP Ark\n{section}\n{faults[0].fits}\n", header=False).faults


@pytest.mark.parametrize("heading", ["DO", "DO AT 9"])
def test_an_order_on_the_line_of_its_heading(heading: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\n{heading} FIRE PH 1 Hood\n", header=False).faults
    assert fault.fits == f"{heading} FIRE PH 1 AT Hood"


@pytest.mark.parametrize(
    ("section", "typed"),
    [
        ("DO", "BEAM 3 BP Hood"),  # TO or FROM
        ("ENERGY", "reinforce 3 5"),  # which is the shield
        ("ENERGY", "Shields on"),
        ("ENERGY", "14. TAC"),  # a line of the form that was left empty
        ("ENERGY", "to the power of"),
        ("ENERGY", "PHASERS 2 WARP 3"),
        ("DO", "FIRE PH 1 AT Hood CLOAK"),  # AND, or another line
        ("DO", "AT 8 FIRE PH 1 AT Hood, LAUNCH DRONE 1 AT Hood"),  # at 8, or at once
        ("BREAK", "RANGE Hood <= 8 INTERNALS"),  # both, or either
        ("DO", "PH 1 AT Hood"),
        ("DO", "FIRE PH 1 ATHood"),
        ("BREAK", "RANGE Hood 8"),
        ("BREAK", "Hood"),
        ("PLOT", "F F G R"),  # no unit to steer for
        ("IF", "#1 THEN CLOAK"),
    ],
)
def test_where_more_than_one_thing_may_be_meant_none_is_offered(section: str, typed: str) -> None:
    faults = read_orders(f"SHIP Ark\n{section}\n  {typed}\n", header=False).faults
    assert faults and not any(fault.fits for fault in faults)


@pytest.mark.parametrize("name", ["Ann", "merci", "Kor"])
@pytest.mark.parametrize("last", ["DO\n  FIRE PH 1 AT Hood", "PLOT 8F", "BREAK\n  ME DAMAGED", "ENERGY\n  PHASERS 2"])
def test_who_signs_orders_without_an_end_is_told_where_names_stand(last: str, name: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\n{last}\n\n{name}\n\n", header=False).faults
    assert fault.text.endswith("; orders end with END, and a name stands below it")
    assert fault.fits == "END"
    # A word within the orders is none of a name.
    for text in (f"SHIP Ark\n{last}\n{name}\n", f"SHIP Ark\n{last}\n\n{name}\nSHIP Hood\n"):
        (fault,) = read_orders(text, header=False).faults
        assert not fault.fits


@pytest.mark.parametrize("section", ["ENERGY", "PLOT", "DO", "BREAK", "DAMAGE"])
def test_words_to_somebody_are_told_where_they_belong(section: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\n{section}\n  Hello there, my friend\n", header=False).faults
    assert fault.text.endswith("a comment begins with #") and "MESSAGE TO" in fault.text
    assert not fault.fits and "did you mean" not in fault.text


@pytest.mark.parametrize("typed", ["turn left at impulse 5", "reply to his fire"])
def test_a_word_of_the_header_in_plain_words_is_no_second_header(typed: str) -> None:
    (fault,) = read_orders(f"GAME g TURN 2\nSHIP Ark\nDO\n  {typed}\n").faults
    assert fault.code != "header-twice" and fault.line == 4
    (fault,) = read_orders("GAME g TURN 2\nSHIP Ark\nDO\nTURN 3\n").faults
    assert fault.code == "header-twice"


@pytest.mark.parametrize(
    ("section", "typed", "belongs"),
    [("DO", "PHASERS 3", "ENERGY"), ("DO", "RANGE Hood <= 5", "BREAK"), ("DO", "WEAPON PH 1 FIRST", "DAMAGE")],
)
def test_an_order_of_another_section_is_told_where_it_stands(section: str, typed: str, belongs: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\n{section}\n  {typed}\n", header=False).faults
    assert fault.text.endswith(f"; that stands below {belongs}") and not fault.fits


def test_orders_on_one_line_of_which_one_alone_says_when_are_asked_for_their_moments() -> None:
    (fault,) = read_orders("SHIP Ark\nDO\n  AT 8 CLOAK, UNCLOAK\n", header=False).faults
    assert fault.text.endswith("not with a comma, each with its moment")


def test_a_speed_in_halves_is_told_that_it_is_a_whole_number() -> None:
    (fault,) = read_orders("SHIP Ark\nENERGY\n  SPEED 9.5\n", header=False).faults
    assert fault.text == 'expected a speed, found "9.5"; use a whole number'


def test_the_word_behind_a_drone_is_what_is_wrong() -> None:
    (fault,) = read_orders("SHIP Ark\nBREAK\n  DRONE HITS\n", header=False).faults
    assert 'found "HITS"' in fault.text and "WITHIN" in fault.text


@pytest.mark.parametrize(
    ("section", "typed", "said"),
    [
        ("DO", "1. FIRE ALL AT Hood", "is 1 the place in a list, or the impulse? Leave it out, or write AT 1"),
        ("PLOT", "2. L", "the codes of a plot have no numbers before them"),
        ("ENERGY", "Cheers", "to write to somebody, put MESSAGE TO"),
        ("DO", "Good luck", "to write to somebody, put MESSAGE TO"),
        ("BREAK", "Cheers, Ann", "to write to somebody, put MESSAGE TO"),
    ],
)
def test_what_may_mean_two_things_or_is_no_order_is_told_and_not_mended(section: str, typed: str, said: str) -> None:
    (fault,) = read_orders(f"SHIP Ark\n{section}\n  {typed}\n", header=False).faults
    assert said in fault.text and "did you mean" not in fault.text
    assert fault.fits == ""


@pytest.mark.parametrize(
    "typed",
    ["Hood x A 3 FIRE WARP 12 RESERVE", "PHASERS 2 " * 9 + "foo 2", "SPEED 8 PHASERS 3 PHOT A 2 PHOT B 2 bananas 3"],
)
def test_what_is_only_tried_is_not_put_in_words(typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line is tried in dozens of ways; the words most like a misspelt one are looked for where they are told."""
    asked = list[str]()
    true = cursor.likely_word

    def meant(text: str, expected: Sequence[str]) -> str:
        asked.append(text)
        return true(text, expected)

    monkeypatch.setattr(cursor, "likely_word", meant)
    (fault,) = read_orders(f"SHIP Ark\nENERGY\n  {typed}\n", header=False).faults
    assert fault.code in ("expected", "unknown-word") and len(asked) < 4
