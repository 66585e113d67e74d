"""Where an order ends: lines that go on, comments a mail program broke, and how much is read at all."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, strategies as st

from pbem.orders.lexer import MAX_LINE, NARROWEST, Statement, statements, wrapped_comments
from pbem.orders.reader import MOST_CHARACTERS, MOST_FAULTS, MOST_LINES, MOST_ORDERS, read_orders


def test_an_order_that_was_read_before_stands_where_it_stands_now() -> None:
    lines = [
        "DO",
        "  FIRE PH 1 AT x",
        "BREAK",
        "  ME DAMAGED",
        "DAMAGE",
        "  WEAPON PH 1 FIRST",
        "DO",
        "  FIER PH 1 AT x",
    ]
    for above in range(3):
        read = read_orders("\n".join(["SHIP a", *[""] * above, *(" " * above + line for line in lines)]), header=False)
        (unit,) = read.orders.units
        found = [(line.line, line.column, line.text) for line in (*unit.do, *unit.breaks, *unit.damage)]
        assert found == [
            (3 + above, 3 + above, "FIRE PH 1 AT x"),
            (5 + above, 3 + above, "ME DAMAGED"),
            (7 + above, 3 + above, "WEAPON PH 1 FIRST"),
        ]
        assert [(fault.line, fault.column) for fault in read.faults] == [(9 + above, 3 + above)]
    quoted = read_orders('SHIP a\nDO\n\n  FIRE PH 1 AT "x', header=False).faults
    assert [(fault.code, fault.line, fault.column) for fault in quoted] == [("unclosed-quote", 4, 16)]


WORDS = re.findall(
    r"\S+",
    """SHIP SHUTTLE ENERGY PLOT DO BREAK DAMAGE END IF WHEN THEN AT EVERY AND OR NOT FIRE LAUNCH PH 1 A B , ; # ( ) = <
    RANGE WITHIN IT ME NEAREST ENEMY SEEKER #1 UP TO RESERVE FIRST OTHER WEAPON TOWARD AWAY KEEP 8F R TAC LEAVE MAP
    GUIDE DAMAGED CLOSING WITH HOLD ALL 0101 . - 2.5 Hood""",
)


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=5), min_size=1, max_size=4))
@example([["BREAK", ",", "WHEN"]])
@example([["IF"]])
def test_no_words_are_beyond_the_reader(lines: list[list[str]]) -> None:
    read = read_orders("SHIP Hood\n" + "\n".join(map(" ".join, lines)), header=False)
    assert all(1 <= fault.line <= len(lines) + 1 for fault in read.faults if fault.line)


def cut(text: str) -> list[str]:
    """The orders of a text, each on one line; a heading bears a star, what cannot be read is its code."""
    found = []
    for one in statements(text):
        if isinstance(one, Statement):
            found.append(" ".join(token.text for token in one.tokens) + ("" if one.heads else " ;"))
        else:
            found.append(f"! {one.code} {one.line}:{one.column}")
    return found


@pytest.mark.parametrize(
    ("text", "orders"),
    [
        # An indentation of two and more below the first order of the section goes on; one is a slip of the hand.
        ("DO\n  a\n    b", ["DO", "a b"]),
        ("DO\n  a\n   b", ["DO", "a", "b"]),
        ("DO\n  a\n  b", ["DO", "a", "b"]),
        ("DO\n  a\n b\n   c\n    d", ["DO", "a", "b", "c d"]),
        ("DO\na\n  b\nc", ["DO", "a b", "c"]),
        ("  a\n    b\nPLOT\n    c\n      d\n    e", ["a b", "PLOT", "c d", "e"]),
        ("    a", ["a"]),
        ("DO CLOAK\n      x", ["DO CLOAK", "x"]),
        # Words that cannot begin an order, and that cannot end one.
        ("a\nAND b", ["a AND b"]), ("a\nOR b", ["a OR b"]), ("a\nTHEN b", ["a THEN b"]), ("a\nNOT b", ["a", "NOT b"]),
        ("a\nIF b", ["a", "IF b"]), ("a\n<= 4", ["a <= 4"]), ("a\n, b", ["a , b"]), ("a\n+ b", ["a + b"]),
        ("a\n) b", ["a ) b"]), ("a\n( b", ["a", "( b"]), ("a\n& b", ["a & b"]),
        ("a AND\nb", ["a AND b"]), ("a OR\nb", ["a OR b"]), ("a THEN\nb", ["a THEN b"]), ("a NOT\nb", ["a NOT b"]),
        ("a IF\nb", ["a IF b"]), ("a <=\n4", ["a <= 4"]), ("a ,\nb", ["a , b"]), ("a +\nb", ["a + b"]),
        ("a (\nb", ["a ( b"]), ("a )\nb", ["a )", "b"]), ("a EVERY\nb", ["a EVERY", "b"]), ("a ;\nb", ["a", "b"]),
        # A heading goes on only as the subject of a condition.
        ("a AND\nPLOT F", ["a AND", "PLOT F"]), ("a AND\nSHIP x", ["a AND", "SHIP x"]),
        ("a AND\nSHIP WITHIN 3", ["a AND SHIP WITHIN 3"]), ("a AND\nSHUTTLE IN FA", ["a AND SHUTTLE IN FA"]),
        ("a AND\nBREAK OF x", ["a AND BREAK OF x"]), ("a AND\nENERGY OF x", ["a AND ENERGY OF x"]),
        ("a AND\nPLOT OF x", ["a AND", "PLOT OF x"]), ("a\nSHIP WITHIN 3", ["a", "SHIP WITHIN 3"]),
        ("a <=\nSHIP WITHIN 3", ["a <=", "SHIP WITHIN 3"]), ("a AND\nSHIP", ["a AND", "SHIP"]),
        ("  a ENEMY\n    SHIP AT b", ["a ENEMY SHIP AT b"]), ("  a ENEMY\n    SHIP", ["a ENEMY SHIP"]),
        ("  a NEAREST\n    SHUTTLE AT b", ["a NEAREST SHUTTLE AT b"]), ("  a EACH\n    SHIP", ["a EACH SHIP"]),
        ("  a ENEMY\n    SHIP Hood", ["a ENEMY", "SHIP Hood"]), ("  a ENEMY\n  SHIP AT b", ["a ENEMY", "SHIP AT b"]),
        ("  a ENEMY\n    BREAK AT b", ["a ENEMY", "BREAK AT b"]), ("  a x\n    SHIP AT b", ["a x", "SHIP AT b"]),
        ("END x\n    a", ["END x", "a"]), ("CONTINUE\n    a", ["CONTINUE", "a"]),
        # Empty lines and comments are nothing between.
        ("a AND\n\n  # words\nb", ["a AND b"]), ("  a\n\n    b", ["a b"]),
        # Orders on one line.
        ("a; b ;c;", ["a", "b ;", "c ;"]), (";;a", ["a ;"]), (" ; ", []), ("a\n; b", ["a", "b ;"]),
        ("SHIP x; PLOT F", ["SHIP x", "PLOT F ;"]),
        # Words.
        ("a:b", ["a b"]), ("#3x # 3", ["#3 x"]), ("a#b", ["a"]), ("'a b' c'd 'e'f", ["a b c'd 'e'f"]),
        ('"a ""b"" c"d', ['a "b" c d']), ("a<=b=<c=>d==e!=f<>g", ["a <= b <= c >= d = e != f != g"]),
        ("a&b|c!d", ["a & b | c ! d"]), ("a\tb\x0bc", ["a b c"]),
        # What cannot be cut into words ends the order above, and no other is the worse for it.
        ('a AND\nx "y\nb', ["a AND", "! unclosed-quote 2:3", "b"]), ('a\nx ""\nb', ["a", "! empty-name 2:3", "b"]),
    ],
)  # fmt: skip
def test_where_an_order_ends(text: str, orders: list[str]) -> None:
    assert cut(text) == orders


def test_a_line_and_an_order_may_be_so_long_and_no_longer() -> None:
    assert cut("x" * MAX_LINE) == ["x" * MAX_LINE]
    assert cut("x" * (MAX_LINE + 1)) == ["! line-too-long 1:1"]
    words = "a " * (MAX_LINE // 2 - 1)
    assert cut(f"{words}\n  {words}\n  b b") == [(words + words + "b b")]
    assert cut(f"{words}\n  {words}\n  b b b\n    c\nd") == ["! line-too-long 1:1", "d"]


@pytest.mark.parametrize(
    ("above", "line", "asked"),
    [
        ("F " + "# " + "c" * 56, "CLOAK now", False),  # 60 columns, but CLOAK would have gone into the line
        ("F " + "# " + "c" * 59, "FIRE x", False),  # 63 and a blank and FIRE make 68
        ("F " + "# " + "c" * 60, "FIRE x", True),
        ("F " + "# " + "c" * 56, "UNCLOAK x", False),  # 60 + 1 + 7 = 68
        ("F " + "# " + "c" * 56, "DISENGAGE", True),
        ("F " + "# " + "c" * 55, "DISENGAGE", False),  # 59 columns
        ("F " + "# " + "c" * 60, " FIRE x", False),
        ("F " + "# " + "c" * 60, "", False),
        ("F " + "# " + "c" * 60, "# FIRE x", False),
        ("F " + "# " + "c" * 60, "SHIP x", False),
        ("F " + "# " + "c" * 60, "MOVEMENT 3F", False),
        ("F #3 " + "c" * 60, "FIRE x", False),
        ('F "# ' + "c" * 60 + '"', "FIRE x", False),
        ("F " + "c" * 60, "FIRE x", False),
    ],
)
def test_what_may_be_the_end_of_a_comment_is_asked_about(above: str, line: str, asked: bool) -> None:
    found = list(wrapped_comments(["", above, line, "CLOAK"]))
    assert [(one.code, one.line, one.column, one.family) for one in found] == (
        [("wrapped-comment", 3, 1, "ambiguous")] if asked else []
    )
    assert NARROWEST == 68
    told = read_orders(f"SHIP a\nDO\n{above}\n{line}", header=False).faults
    assert ("wrapped-comment" in [one.code for one in told]) == asked


def test_so_much_is_read_and_no_more() -> None:
    assert (MOST_CHARACTERS, MOST_LINES, MOST_FAULTS, MOST_ORDERS, MAX_LINE) == (1_000_000, 20_000, 50, 5_000, 2_000)
    head = "GAME g\n"
    assert read_orders(head + "SHIP a" + " " * (MOST_CHARACTERS - len(head) - 6)).faults == ()
    assert [f.code for f in read_orders(head + " " * (MOST_CHARACTERS - len(head) + 1)).faults] == ["file-too-long"]
    assert read_orders("GAME g\nCONTINUE" + "\n" * (MOST_LINES - 1)).faults == ()
    assert [f.code for f in read_orders("GAME g\nCONTINUE" + "\n" * MOST_LINES).faults] == ["file-too-long"]


def test_so_many_faults_are_told_and_no_more() -> None:
    lines = [f"#{n} DOWN" for n in range(10, 10 + MOST_FAULTS)]
    text = "GAME g\nSHIP a\nBREAK\n"
    found = read_orders(text + "\n".join(lines[:-1]) + "\nIMPULSE 8")
    assert [f.code for f in found.faults] == ["no-such-shield"] * (MOST_FAULTS - 1)
    assert [one.text for one in found.orders.units[0].breaks] == ["IMPULSE 8"]
    full = read_orders(text + "\n".join(lines) + "\nIMPULSE 8")
    assert [f.code for f in full.faults] == ["no-such-shield"] * MOST_FAULTS + ["more-faults"]
    assert (full.faults[-1].line, full.faults[-1].column) == (3 + MOST_FAULTS, 1)
    assert full.orders.units[0].breaks == ()


def test_so_many_orders_are_read_and_no_more() -> None:
    ships = [f"SHIP s{n}\nBREAK\n" + "IMPULSE 8\n" * 98 for n in range(MOST_ORDERS // 100)]
    text = "GAME g\n" + "".join(ships).removesuffix("IMPULSE 8\n" * 2)
    assert read_orders(text).faults == ()
    full = read_orders(text + "IMPULSE 8\nIMPULSE 9\n")
    assert [f.code for f in full.faults] == ["too-many-orders"]
    assert {one.text for one in full.orders.units[-1].breaks} == {"IMPULSE 8"}


def test_faults_stand_in_the_order_of_the_lines() -> None:
    """A comment that may be broken is found first, and told where it stands."""
    text = f"GAME g TURN x\nSHIP a\nDO\nFIER\nCLOAK {'# ' + 'c' * 60}\nUNCLOAK\nFIER AT x; FIER\n"
    told = [(fault.line, fault.column, fault.code) for fault in read_orders(text, file="a.orders").faults]
    assert told == sorted(told) and [line for line, _, _ in told] == [1, 4, 6, 7, 7]
