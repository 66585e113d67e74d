"""The small parts of the language: names as they are written, messages to people, bounds, answers' headers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.engine.state import Request
from pbem.errors import Fault, GameError
from pbem.orders.cursor import Cursor
from pbem.orders.header import Header, answer_line, header_line, is_header
from pbem.orders.lexer import MAX_LINE, Misread, Statement, Token, quoted_word, statements, tokens_of
from pbem.orders.mail_text import attribution, html_to_text, is_broken, order_text
from pbem.orders.messages import (
    MOST_CHARACTERS,
    MOST_LINES,
    Message,
    cut_to_limits,
    message_ranges,
    messages_in,
    printable_text,
    without_messages,
)
from pbem.orders.names import name_text
from pbem.orders.reader import read_condition, read_orders


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Hood", "Hood"), ("  Old   Oak ", "Old Oak"), ("Old One", '"Old One"'), ("K'tinga", "K'tinga"),
        ("FS/1", "FS/1"), ("x-2", "x-2"), ("", '""'), ("2 Fast", '"2 Fast"'), ("a 2", '"a 2"'), ("-x", '"-x"'),
        ("Fire", '"Fire"'), ("of", '"of"'), ("KD/*", '"KD/*"'), ("Until Dawn", '"Until Dawn"'), ("F", '"F"'),
        ("sl", '"sl"'), ("A", '"A"'), ('a "b"', '"a ""b"""'), ("a#b", '"a#b"'), ("#1", '"#1"'), ("a;b", '"a;b"'),
        ("a, b", '"a, b"'), ("a:b", '"a:b"'), ("'Old'", '"\'Old\'"'), ("a(b)", '"a(b)"'),
        ("\u00dcber", "\u00dcber"), ("a" * 2001, f'"{"a" * 2001}"'),
    ],
)  # fmt: skip
def test_a_name_as_orders_write_it(name: str, written: str) -> None:
    assert name_text(name) == written


def test_a_word_in_a_message_is_never_longer_than_fits() -> None:
    assert (quoted_word("x" * 30), quoted_word("x" * 31)) == (f'"{"x" * 30}"', f'"{"x" * 29}\u2026"')


def test_the_header_of_an_answer() -> None:
    request = Request(number=3, turn=2, impulse=0, form=FormKind.EAF, sides=("b c",), through=16)
    assert answer_line("g", "b c", request) == 'GAME g TURN 2 SIDE "b c" REPLY 3 FORM EAF'
    assert answer_line("g", "bee", request, gap="  ") == "GAME g  TURN 2  SIDE bee  REPLY 3  FORM EAF"
    full = msgspec.structs.replace(request, form=FormKind.FULL)
    assert answer_line("g", "turn", full) == 'GAME g TURN 2 SIDE "turn" REPLY 3'
    assert header_line(Header(turn=0, reply=0)) == "TURN 0 REPLY 0" and header_line(Header(game="g")) == "GAME g"


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ("GAME g TURN 2", True), ("game: g side x", True), ("GAME g", True), ("GAME g # x", True), ('GAME "a b"', True),
        ("GAME g h", False), ("GAME g TOKEN x", True), ("GAME", False), ("GAMES g", False), ("x GAME g", False),
        ("GAME " + "g" * 490 + " TURN 2", True), ("GAME " + "g" * 491 + " TURN 2", False),
        ("GAME " + "g h " * 123 + "TURN 2", False), ("GAME g FORM", True), ("GAME g TURNS", False),
    ],
)  # fmt: skip
def test_which_line_is_a_header(line: str, known: bool) -> None:
    assert is_header(line) is known


# --- words and statements --------------------------------------------------------------------------------------------


def test_words_of_a_line_with_their_places() -> None:
    found = tokens_of('Fire:PH1 at \'Old One\' "a ""b""" #2 => & ! |x# rest', 7)
    assert found == [
        Token("word", "Fire", "FIRE", 7, 1), Token("word", "PH1", "", 7, 6), Token("word", "at", "AT", 7, 10),
        Token("quoted", "Old One", "", 7, 13), Token("quoted", 'a "b"', "", 7, 23), Token("shield", "#2", "", 7, 33),
        Token("operator", ">=", "", 7, 36), Token("word", "&", "AND", 7, 39), Token("mark", "!", "", 7, 41),
        Token("mark", "|", "", 7, 43), Token("word", "x", "", 7, 44),
    ]  # fmt: skip
    assert tokens_of("") == tokens_of(" \t: # x") == []
    assert len(tokens_of("x" * MAX_LINE)) == 1
    with pytest.raises(Misread) as told:
        tokens_of("x" * (MAX_LINE + 1), 3)
    assert told.value.told == Fault(
        code="line-too-long", text="shorten this line: it has 2001 characters, and the most is 2000", line=3, column=1,
        family="not understood",
    )  # fmt: skip


def cut_into(text: str) -> list[Any]:
    return [
        (" ".join(token.text for token in one.tokens), one.heads) if isinstance(one, Statement) else one.code
        for one in statements(text)
    ]


def test_statements_of_lines() -> None:
    assert cut_into("a; b ;; c;\n;\nd\n") == [("a", True), ("b", False), ("c", False), ("d", True)]
    assert cut_into('a\n"b\nc') == [("a", True), "unclosed-quote", ("c", True)]
    assert cut_into("a\n  b\n  c\n d") == [("a b c", True), ("d", True)]
    assert cut_into("DO\n a\n  b\n   c\n d") == [("DO", True), ("a", True), ("b c", True), ("d", True)]


def test_an_order_over_too_many_lines_is_told_once_and_dropped() -> None:
    many = "DO\n a\n" + "   b b b b\n" * 500
    assert cut_into(many + " c\n") == [("DO", True), "line-too-long", ("c", True)]
    fits = "DO\n a b b b\n" + "   b b b b\n" * 499
    assert len(cut_into(fits)) == 2 and cut_into(fits + "   c\n") == [("DO", True), "line-too-long"]
    (over,) = [one for one in statements(many) if isinstance(one, Fault)]
    assert (over.line, over.column, over.text) == (2, 2, "shorten this order: it has too many lines")


def test_a_cursor_at_its_end() -> None:
    cursor = Cursor(tokens_of('x "y"', 4))
    assert (cursor.word(), cursor.word(1), cursor.key(1), cursor.word(2), cursor.peek(2)) == ("X", "", "", "", None)
    cursor.at = 2
    with pytest.raises(Misread) as told:
        cursor.fail("A", "B", "c")
    fault = told.value.told
    assert (fault.line, fault.column, fault.choices) == (4, 6, ("A", "B", "c"))
    assert fault.text == "the order stops where A, B or c is expected"


# --- bounds ----------------------------------------------------------------------------------------------------------


def only(text: str, **how: Any) -> Fault:
    (fault,) = read_orders(text, header=False, file="f", **how).faults
    return fault


def test_how_much_a_file_may_hold() -> None:
    assert only("#" + "x" * 1_000_000) == Fault(
        code="file-too-long", text="shorten the file: it has 1000001 characters, and the most is 1000000", file="f",
        family="not understood",
    )  # fmt: skip
    assert only("\n" * 20_001) == Fault(
        code="file-too-long",
        text="shorten the file: it has 20002 lines, and the most is 20000",
        file="f",
        family="not understood",
    )
    assert only("\n" * 20_000).code == "no-orders"


def test_a_condition_alone() -> None:
    for text, column, code in (("", 1, "no-orders"), ("#1 DOWN x", 9, "expected"), ("BATTERIES > 1", 1, "hidden-fact")):
        with pytest.raises(GameError) as told:
            read_condition(text)
        (fault,) = told.value.faults
        assert (fault.line, fault.column, fault.code) == (1, column, code)
    assert read_condition("BATTERIES > 1", public=False) != read_condition("#1 DOWN")


# --- messages --------------------------------------------------------------------------------------------------------

LETTER = """GAME g TURN 2
MESSAGE TO "Old One": first
second

SHIP Hood
message to all
 shout
END MESSAGE.
DO
UMPIRE, a question
GAME g TURN 3
umpire: another?
SHIP x
MESSAGE TO umpire x
MESSAGE TO nobody
END MESSAGE
MESSAGE TO last a
b"""


def test_messages_among_lines() -> None:
    lines = LETTER.split("\n")
    assert list(message_ranges(lines)) == [(1, 3), (5, 8), (9, 10), (11, 12), (13, 14), (14, 16), (16, 18)]
    assert messages_in(lines) == (
        Message("Old One", "first\nsecond"), Message("*", "shout"), Message("", "a question"), Message("", "another?"),
        Message("", "x"), Message("last", "a\nb"),
    )  # fmt: skip
    left = without_messages(LETTER).split("\n")
    assert {number: line for number, line in enumerate(left) if line} == {
        0: "GAME g TURN 2", 4: "SHIP Hood", 8: "DO", 10: "GAME g TURN 3", 12: "SHIP x",
    }  # fmt: skip
    assert len(left) == len(lines)


def test_a_message_is_passed_on_in_lines_and_cut() -> None:
    assert printable_text("\n \n a\tb \u200b\n\n  c  \n \n") == "a b\n\n  c" and printable_text(" \n") == ""
    whole = "\n".join("x" * 49 for _ in range(MOST_LINES))
    assert len(whole) == MOST_CHARACTERS - 1 and cut_to_limits(whole) == (whole, False)
    assert cut_to_limits(whole + "y") == (whole + "y", False)
    assert cut_to_limits(whole + "yz") == (f"{whole}y\n[cut off here]", True)
    assert cut_to_limits("x\n" * MOST_LINES) == ("x\n" * (MOST_LINES - 1) + "x\n[cut off here]", True)


# --- mail ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "begins"),
    [
        (["DO", "Ann wrote:", "> x", "> GAME g TURN 1"], 1),
        (["DO", "", "> x", "", "> GAME g TURN 1"], 1),
        (["DO", "On Mon, 1 Mar 2027 at 12:00, Ann Wong", "<ann@x> wrote:", "", "> GAME g TURN 1"], 1),
        (["DO", "On Monday the third of March Ann Wong", "wrote:", "> GAME g TURN 1"], 1),
        (["DO", "  CLOAK", "BREAK:", "> GAME g TURN 1"], 3),
        (["> a", "> GAME g TURN 1"], 0),
        (["On 1 Mar 2027 Ann", "wrote:", "> GAME g TURN 1"], 0),
    ],
)
def test_where_the_mail_begins_that_is_answered(lines: list[str], begins: int) -> None:
    quoted = [line.startswith(">") for line in lines]
    assert attribution([line.lstrip("> ") for line in lines], quoted, len(lines) - 1) == begins


def test_an_attribution_that_a_mail_program_broke() -> None:
    assert is_broken("On Mon, 1 Mar 2027, Ann", "wrote:") and is_broken("Am 1. M\u00e4rz um 12:30", "schrieb Ann:")
    assert not is_broken("DO", "wrote:") and not is_broken("On 1 Mar 2027", "On 2 Mar 2027")


def test_a_page_in_lines() -> None:
    page = "<p>a  b\n c</p><p>d</p>e<br><br/>f<hr>g<ul><li>h</li><li>i</li></ul><table><tr><th>j<td>k</td></table>"
    assert html_to_text(page) == "a b c\nd\ne\n\nf\ng\nh\ni\n  j  k\n"
    assert html_to_text("<style>x</style>a<script>b</script></script>c<!-- d --><b>e</b> f<!-- g") == "ace f<!-- g\n"
    assert html_to_text("<pre>a  b\r\n\r\n  c</pre>\n d") == "a  b\n\n  c\n d\n".replace("\n d", "\nd")
    assert html_to_text("a<b> b</b><br> c<i> d </i><br> <br>e") == "a b\nc d\n\ne\n"
    assert html_to_text("&lt;=&nbsp;4 &amp; <i> x </i>") == "<= 4 &  x\n"


def test_lines_that_mail_puts_below() -> None:
    for line in ("Sent from my iPhone", "[Sent from my phone]", "Von meinem iPhone gesendet", "Virus-free. www.x"):
        assert order_text(f"GAME g TURN 1\n{line}\nDO\n") == "GAME g TURN 1\n\nDO\n"
        assert order_text(f"{line}\nDO\n", header=False) == f"{line}\nDO\n"


def test_an_order_below_the_energy_form_is_an_order_and_an_entry_of_the_form_an_entry() -> None:
    """Whoever leaves DO out is understood; CLOAK, TRACTOR and their like are entries where they stand in the form."""
    text = "SHIP Con\nENERGY\n  SPEED 4\n  CLOAK 6\n  LAUNCH DRONE 1 AT Des\nDO\n  CLOAK\n"
    reading = read_orders(text, header=False)
    assert reading.faults == ()
    (con,) = reading.orders.units
    assert [entry.item for entry in con.energy or ()] == ["SPEED", "CLOAK"]
    assert [order.text for order in con.do] == ["LAUNCH DRONE 1 AT Des", "CLOAK"]
    fire = read_orders("SHIP Con\nENERGY\n  FIRE PH 1 AT Des\n", header=False)
    assert ["begin a DO section first" in fault.text for fault in fire.faults] == [True]


@pytest.mark.parametrize(("weapons", "fired"), [
    ("PH 1-3", ("PH 1", "PH 2", "PH 3")), ("PH 1 TO 3", ("PH 1", "PH 2", "PH 3")), ("PH 1 THRU 2", ("PH 1", "PH 2")),
    ("PHOT A TO C", ("PHOT A", "PHOT B", "PHOT C")), ("PHOT A THROUGH B", ("PHOT A", "PHOT B")),
    ("PH 1 TO 2, 4", ("PH 1", "PH 2", "PH 4")), ("PH 1 - 3", ("PH 1", "PH 2", "PH 3")),
    ("PH 1 TO 2 PHOT A", ("PH 1", "PH 2", "PHOT A")), ("PH 1 TO C", None), ("PHOT A TO 3", None),
])  # fmt: skip
def test_weapons_from_one_to_another(weapons: str, fired: tuple[str, ...] | None) -> None:
    reading = read_orders(f"SHIP Con\nDO\n  FIRE {weapons} AT Des\n", header=False)
    if fired is None:
        assert reading.faults
    else:
        ((order,),) = (block.do for block in reading.orders.units)
        assert not reading.faults and [getattr(does, "weapons", ()) for does in order.does] == [fired]
