"""The header of orders: written, known and read back, whatever a game is called."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from pbem.games.storage.terms import verify_name
from pbem.orders import vocabulary as words
from pbem.orders.header import (
    Header,
    answer_line,
    field_columns,
    has_fields,
    header_line,
    is_header,
    names_game,
    order_sets,
)
from pbem.orders.mail_text import order_text
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders

NAMES = sorted(
    {word for word in words.KEYWORDS if re.fullmatch(r"[A-Z0-9_-]+", word)}
    | {*words.HEADINGS, *words.FORMS, *words.FACINGS, *words.CODES, *words.ARCS, *words.KINDS, *words.WEAPONS}
    | {"REQUEST", "TOKEN", "HELP", "MESSAGE", "UMPIRE", "STATUS", "NEAREST", "robot"}
    | {"0", "1", "16", "007", "2026", "9999", "1-2", "3F", "2815C", "r2", "E", "1e5", "a", "x-", "duel_01"}
)
"""What would be read as something else, and is yet a fair name of a game."""


class Asked:
    """A request for orders."""

    def __init__(self, form: str) -> None:
        self.turn, self.number, self.form = 2, 3, form


@pytest.mark.slow
@pytest.mark.parametrize("cased", [str.upper, str.lower])
def test_a_game_may_have_any_name(cased: Callable[[str], str]) -> None:
    """Written, it is a header, and reads back as that name; typed without quotes as well."""
    assert len(NAMES) > 200
    for name in NAMES:
        comes_back(cased(name))


def comes_back(name: str) -> None:
    verify_name(name)
    for form in ("EAF", "SOP", "FULL"):
        for gap in (" ", "  "):
            line = answer_line(name, "klingon", Asked(form), gap=gap)
            assert is_header(line) and has_fields(line)
            reading = read_orders(f"{line}\nSHIP Hood\nPLOT 2F\nEND\n")
            orders = reading.orders
            assert (reading.faults, orders.game, orders.side) == ((), name, "klingon")
            assert (orders.turn, orders.reply, orders.form) == (2, 3, form if form != "FULL" else "")
            assert write_orders(read_orders(write_orders(orders)).orders) == write_orders(orders)
            assert order_text(f"Hello!\n> {line}\n> END\n").strip().startswith("GAME")
    assert read_orders(f"GAME {name} TURN 2 SIDE klingon REPLY 3\nCONTINUE\n").orders.game == name
    for alone in (header_line(Header(game=name)), f"GAME {name}"):
        assert names_game(alone) and is_header(alone)
        assert read_orders(f"{alone}\nCONCEDE\n").orders.game == name
    assert is_header(f"{header_line(Header(game=name))} TOKEN abc123")
    columns = field_columns(header_line(Header(game=name, turn=2, side=name, reply=3)))
    line = header_line(Header(game=name, turn=2, side=name, reply=3))
    assert columns == {
        "GAME": 1, "TURN": line.index(" TURN 2") + 2,
        "SIDE": line.index(" SIDE ") + 2, "REPLY": line.rindex("REPLY") + 1,
    }  # fmt: skip


def test_how_the_line_is_written() -> None:
    assert answer_line("g", "k", Asked("SOP")) == "GAME g TURN 2 SIDE k REPLY 3 FORM SOP"
    assert answer_line("g", "k", Asked("FULL"), gap="  ") == "GAME g  TURN 2  SIDE k  REPLY 3"
    assert header_line(Header(game="g")) == "GAME g"
    assert header_line(Header(game="g", turn=0, reply=0), "\t") == "GAME g\tTURN 0\tREPLY 0"
    assert header_line(Header(side="k", form="EAF")) == "SIDE k FORM EAF"


def test_what_is_known_as_a_header() -> None:
    for line in ("GAME g TURN", "  game: g side x", "GAME g x FORM", "GAME g\tREPLY 1", "GAME " + "x" * 488 + " TURN"):
        assert has_fields(line) and is_header(line) and not names_game(line), line
    for line in ("GAME TURN", "GAMES g TURN 2", "GAME gTURN 2", "x GAME g TURN 2", "GAME " + "x" * 495 + " TURN"):
        assert not has_fields(line), line
    for line in ("GAME g", ' game: "a b"', "GAME g # mine", "GAME g;", "GAME:g"):
        assert names_game(line) and is_header(line) and not has_fields(line), line
    for line in ("GAME", "GAME a b", "GAME #", 'GAME "a', "a GAME g"):
        assert not names_game(line) and not is_header(line), line
    assert is_header("GAME g TOKEN abc") and not is_header("GAME TOKEN abc") and not is_header("GAME g TOKENS")
    assert field_columns("GAME g TURN 2 TURN 3") == {"GAME": 1, "TURN": 8}
    assert field_columns('GAME "x') == {} and field_columns("x y") == {}
    assert field_columns("GAME = turn TURN 2 SIDE = SIDE FORM EAF") == {"GAME": 1, "TURN": 13, "SIDE": 20, "FORM": 32}


@pytest.mark.slow
@given(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}", fullmatch=True))
def test_whatever_may_be_a_name_comes_back(name: str) -> None:
    verify_name(name)
    reading = read_orders(header_line(Header(game=name, turn=1, side="orion", reply=1)) + "\nCONTINUE\nEND\n")
    assert (reading.faults, reading.orders.game) == ((), name)


def test_a_side_named_like_a_field_is_quoted_as_well() -> None:
    line = header_line(Header(game="g", turn=1, side="reply", reply=4))
    assert line == 'GAME g TURN 1 SIDE "reply" REPLY 4'
    assert read_orders(f"{line}\nCONTINUE\n").orders.side == "reply"


def test_a_name_that_is_missing_is_still_told() -> None:
    for text in ("GAME TURN 2 SIDE klingon REPLY 1\nSHIP Hood", "GAME x TURN 2 SIDE REPLY 1\nSHIP Hood"):
        assert [fault.code for fault in read_orders(text).faults] == ["expected"]


def test_a_file_may_hold_the_orders_of_several_sides() -> None:
    first, second = "GAME g SIDE a\nSHIP X\nEND\n", "\n# his\nGAME g SIDE b\nSHIP Y\nEND\n"
    assert order_sets(first) == [(0, first)]
    assert order_sets(first + second) == [
        (0, "GAME g SIDE a\nSHIP X\nEND\n\n# his"),
        (5, "GAME g SIDE b\nSHIP Y\nEND\n"),
    ]


def test_an_older_letter_behind_end_stays_a_letter() -> None:
    text = "GAME g SIDE a\nSHIP X\nEND\n\nOn Monday you wrote:\nGAME g SIDE a\nEND\n"
    assert order_sets(text) == [(0, text)]


def test_what_stands_below_the_orders_of_a_side_never_takes_their_place() -> None:
    """It may be the old draft, which a mail program put there without a word."""
    mine = "# mine\nGAME g SIDE a\nSHIP X\nEND\n\n"
    assert order_sets(mine + "GAME g SIDE A REPLY 1\nSHIP X\nEND\n") == [
        (0, mine + "GAME g SIDE A REPLY 1\nSHIP X\nEND\n")
    ]
    both = order_sets(mine + "GAME g SIDE b\nEND\nGAME g SIDE a\nEND\n")
    assert len(order_sets("GAME g SIDE:a\nEND\nGAME g\nSIDE\nEND\nGAME: g SIDE: b\nEND\n")) == 3
    assert [above for above, _ in both] == [0, 5] and both[1][1].endswith("GAME g SIDE a\nEND\n")
