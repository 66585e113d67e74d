"""format=flowed, as Thunderbird and Apple Mail send it, and comments that other programs broke in two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.answer import Answered
from pbem.orders.mail_text import SIGNATURE, joined
from pbem.orders.reader import read_orders

LETTERS = Path(__file__).parent / "letters"
WIDTH = 72


def sent(text: str, *, delsp: bool = False) -> str:
    """A text as a mail program sends it: no line ends in a blank but those that go on; the last of a paragraph does
    not.
    """
    found = []
    for line in text.split("\n"):
        rest = line if line == SIGNATURE else line.rstrip(" ")
        while len(rest) > WIDTH and (cut := rest.rfind(" ", 1, WIDTH)) > 0 and rest[:cut].strip():
            found.append(rest[: cut + 1] + " " * delsp)
            rest = rest[cut + 1 :]
        found.append(rest)
    return "\n".join(f" {line}" if line.startswith((" ", ">", "From ")) else line for line in found)


WORDS = st.lists(st.text("abcdefgh>#-", min_size=1, max_size=12), max_size=30).map(" ".join)


@given(st.lists(st.builds(lambda depth, line: " " * depth + line, st.integers(0, 6), WORDS), max_size=6), st.booleans())
def test_what_was_typed_comes_out(lines: list[str], delsp: bool) -> None:
    typed = "\n".join(line.rstrip(" ") for line in lines)
    assert joined(sent(typed, delsp=delsp), delsp=delsp) == typed


def test_quoting_keeps_its_depth_and_a_signature_stands_alone() -> None:
    text = "> one \n> two\n>> three \n> four \nfive \n-- \nAnn \nWong\n"
    assert joined(text) == "> one two\n>> three\n> four\nfive\n-- \nAnn Wong\n"


@pytest.mark.parametrize("line", ["SHIP Hood", "END", "end.", "PLOT 4F", "DO", "GAME duel TURN 1", "BRK DOWN",
                                  "MESSAGE TO klingon", "END MESSAGE"])  # fmt: skip
def test_nothing_is_joined_to_what_begins_something_new(line: str) -> None:
    assert joined(f"  SPEED 9 \n{line}\n") == f" SPEED 9\n{line}\n"


@pytest.mark.parametrize("name", ["format_flowed", "format_flowed_apple"])
def test_letters_of_real_programs_are_read_as_they_were_typed(name: str) -> None:
    text = read_letter((LETTERS / f"{name}.eml").read_bytes()).text
    assert "\n# I would rather go slower this turn; but if the Klingon comes nearer than three hexes I could\n" in text
    assert (
        "\n  PHASERS 2   # both capacitors are to be full when he comes, whatever it costs us; ask me before\n" in text
    )
    assert not read_orders(text).faults


LONG = "  IF RANGE Destruction <= 2 AND INTERNALS > 0 AND IMPULSE >= 1 THEN FIRE PHOT A,B PH 1-3 AT Destruction"


@pytest.mark.parametrize("delsp", [False, True])
def test_an_order_longer_than_a_line_of_mail_can_be_mailed(delsp: bool) -> None:
    orders = f"GAME duel TURN 1 SIDE federation REPLY 2\nSHIP Constellation\nPLOT 9F\nDO\n{LONG}\nEND\n"
    more = "; delsp=yes" if delsp else ""
    letter = read_letter(
        f"From: a@example.org\r\nContent-Type: text/plain; format=flowed{more}\r\n\r\n".encode()
        + sent(orders, delsp=delsp).replace("\n", "\r\n").encode()
    )
    assert letter.text == orders
    assert not read_orders(letter.text).faults


COMMENT = "# not yet, and only if he comes nearer than three hexes to Hood:"
ORDERS = "GAME duel TURN 1 SIDE federation REPLY 2\nSHIP Constellation\nPLOT 9F\nDO\n{}END\n"


def asked(text: str) -> list[tuple[int, str]]:
    return [(fault.line, fault.family) for fault in read_orders(text).faults if fault.code == "wrapped-comment"]


def test_a_line_that_may_be_the_end_of_a_comment_is_asked_about() -> None:
    assert asked(ORDERS.format(f"{COMMENT}\nFIRE ALL PH AT Destruction\n")) == [(6, "ambiguous")]
    assert asked(ORDERS.format(f"  AT 9 SIDESLIP   {COMMENT}\nFIRE ALL PH AT Destruction\n")) == [(6, "ambiguous")]
    for text in (
        f"{COMMENT}\n  FIRE ALL PH AT Destruction\n",  # indented
        f"{COMMENT}\n\nFIRE ALL PH AT Destruction\n",  # an empty line between
        f"{COMMENT}\n# FIRE ALL PH AT Destruction\n",  # a comment
        f"{COMMENT}\nBREAK\n  INTERNALS\n",  # the next section
        f"{COMMENT[:55]}\nFIRE ALL PH AT Destruction\n",  # there was room for more
        f"{COMMENT[:62]}\nAT 9 FIRE ALL PH AT Destruction\n",
        "FIRE ALL PH AT Destruction WHEN IT IS AS NEAR AS IT EVER WILL BE #1\nFIRE PH 1 AT Destruction\n",  # a shield
    ):
        assert not asked(ORDERS.format(text)), text


def test_what_is_asked_about_is_not_filed(send: Callable[..., Answered], eaf: Callable[..., str]) -> None:
    body = f"SHIP Constellation\nENERGY\nSPEED 12\n{COMMENT}\nPHASERS 2\nEND\n"
    answered = send("federation", "orders", eaf("federation", body))
    assert answered.done == "fault" and "the end of the comment above that" in answered.replies[0].text.replace(
        "\n", " "
    )
    assert "# PHASERS 2" in answered.replies[0].text, "the draft takes it for a comment"
