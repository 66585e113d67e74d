"""What mail does to orders, undone."""

from __future__ import annotations

from hypothesis import given, strategies as st

from pbem.orders.mail import html_to_text, order_text
from pbem.orders.reader import read_orders

PLAIN = """\
GAME duel01 TURN 2 SIDE klingon REPLY 1

SHIP "K'tinga"
PLOT 2F R
DO
  AT 9 FIRE DISR A,B PH 1-3 AT Constellation IF RANGE <= 4
BREAK
  #1 DOWN
END
"""


def same(damaged: str) -> None:
    """A damaged file reads as the plain one does."""
    reading = read_orders(damaged)
    assert [str(fault) for fault in reading.faults] == []
    plain = read_orders(PLAIN).orders
    assert [(u.unit, u.plot and u.plot.codes) for u in reading.orders.units] == [
        (u.unit, u.plot and u.plot.codes) for u in plain.units
    ]
    assert [o.text for u in reading.orders.units for o in u.do] == [o.text for u in plain.units for o in u.do]
    assert [b.text for u in reading.orders.units for b in u.breaks] == [b.text for u in plain.units for b in u.breaks]


def test_line_ends_spaces_and_marks() -> None:
    same(PLAIN.replace("\n", "\r\n"))
    same(PLAIN.replace("\n", "  \n"))
    same("\ufeff" + PLAIN.replace(" ", "\u00a0"))
    same(PLAIN.replace(" ", " \u200b"))
    same(PLAIN.replace('"', "\u201c", 1).replace('"', "\u201d").replace("'", "\u2019"))
    same(PLAIN.replace("1-3", "1\u20133"))
    same(PLAIN.replace("<=", "\u2264"))
    same(PLAIN.replace("  AT", "\tAT"))


def test_quoting() -> None:
    same("".join(f"> {line}\n" for line in PLAIN.splitlines()))
    same("".join(f">> {line}\n" for line in PLAIN.splitlines()))
    same("".join(f"> > {line}\n" for line in PLAIN.splitlines()))
    # The draft quoted, the player's own lines not.
    same("".join(("" if "FIRE" in line else "> ") + line + "\n" for line in PLAIN.splitlines()))


def test_what_stands_around_the_orders() -> None:
    same("Hello,\n\nhere are my orders. The game is hard!\n\n" + PLAIN + "\nSee you, SHIP ahoy\nGAME over\n")
    same(PLAIN.replace("END\n", "-- \nAnn\nSHIP of fools\n"))
    same("On Monday the umpire wrote:\n" + "".join(f"> {line}\n" for line in PLAIN.splitlines()))


def test_the_mail_that_is_answered_is_not_read() -> None:
    own = PLAIN.replace("END\n", "")
    old = "".join(f"> {line}\n" for line in PLAIN.replace("2F", "9F").splitlines())
    same(own + "\nOn Monday, the umpire wrote:\n" + old)
    same(own + "\nOn Monday, the umpire of this game <umpire@example.org>\nwrote:\n>\n" + old)
    same(own + "\n-----Original Message-----\nFrom: umpire\n\n" + old)
    same("The umpire wrote:\n" + old + "\n" + PLAIN)
    # A header of one's own above the quoted draft does not throw the draft away.
    header, _, rest = PLAIN.partition("\n")
    same(header + "\n" + "".join(f"> {line}\n" for line in (header + "\n" + rest).splitlines()))


def test_quoted_printable_pasted_as_it_travels() -> None:
    encoded = PLAIN.replace("=", "=3D").replace('"', "=E2=80=9C", 1).replace('"', "=E2=80=9D")
    same(encoded.replace("  AT 9 FIRE", "=C2=A0 AT 9 =\nFIRE"))
    damaged = PLAIN.replace("=", "=3D").replace("FIRE DISR", "FIRE=\n DISR").replace("#1 DOWN", "#1 =")
    assert [(f.line, f.code) for f in read_orders(damaged).faults] == [(9, "expected")]
    # Orders in which some = is none of its own are left alone.
    assert "RANGE =3D" in order_text("IF RANGE =3D\nIF RANGE = 4")


def test_lines_keep_their_numbers() -> None:
    text = "Dear umpire,\r\n\r\n" + PLAIN.replace("FIRE", "FIER")
    (fault,) = read_orders(text).faults
    assert fault.line == 8
    assert len(order_text(text).split("\n")) == len(text.split("\n"))


def test_html_mail() -> None:
    body = PLAIN.replace("<", "&lt;").replace("  ", "&nbsp; ")
    same("<html><head><style>p {color: red}</style></head><body>" + body.replace("\n", "<br>\n") + "</body></html>")
    same("<div>" + "".join(f"<div>{line or '<br>'}</div>" for line in body.splitlines()) + "</div>")
    same("<!DOCTYPE html><html><body><pre>" + body + "</pre></body></html>")


def test_html_to_text_shows_what_a_reader_sees() -> None:
    html = "<p>one\n  two&nbsp;three</p><script>alert(1)</script><p>&lt;b&gt;<b>four</b></p>"
    assert html_to_text(html) == "one two three\n<b>four\n"


@given(st.text(max_size=300))
def test_doing_it_twice_changes_nothing_and_keeps_the_lines(raw: str) -> None:
    once = order_text(raw, header=False)
    if not raw.lstrip("\ufeff").lstrip().startswith("<"):
        assert once.count("\n") == raw.replace("\r\n", "\n").replace("\r", "\n").count("\n")
        assert order_text(once, header=False) == once


def test_an_end_with_a_full_stop_ends() -> None:
    reading = read_orders(PLAIN.replace("END\n", "End.\n") + "\nGAME over\n")
    assert reading.faults == ()
