"""Text in whatever bytes people's programs send, and what else they put into orders."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from pbem.errors import GameError
from pbem.games.storage.files import decode_orders
from pbem.orders.mail_text import no_plain_text, order_text, text_of
from pbem.orders.reader import read_orders

SAID = "GAME duel # Königsberg — „they“ fire\n"
LABELS = ["", "us-ascii", "iso-8859-1", "ISO_8859-1", "utf-8", "windows-1252", "no-such-set", "idna", "\0"]
HEAD = "GAME duel TURN 1 SIDE federation REPLY 1 FORM SOP\n"


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"])
def test_text_is_read_whatever_is_said_of_it(encoding: str, label: str) -> None:
    wide = "GAME duel # Konigsberg\n" if encoding in ("utf-16-le", "utf-16-be") else SAID
    assert text_of(wide.encode(encoding), label) == wide


@pytest.mark.parametrize(
    ("label", "text"),
    [("koi8-r", "Привет"), ("iso-8859-2", "Łódź"), ("iso-8859-15", "5 €"), ("shift_jis", "日本"),
     ("iso-2022-jp", "日本"), ("utf-7", "Grüße"), ("utf-16", "Łódź 日本"), ("iso-8859-5", "Привет")],
)  # fmt: skip
def test_what_is_said_counts_where_the_bytes_do_not_tell(label: str, text: str) -> None:
    assert text_of(text.encode(label), label) == text


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60), st.sampled_from([*LABELS, "utf-16", "utf-7", "hz", "unicode_escape", "base64", "undefined"])
)
def test_no_bytes_are_too_strange(data: bytes, label: str) -> None:
    assert isinstance(text_of(data, label), str)


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff"), max_size=60),
    st.sampled_from(LABELS),
)
def test_what_is_utf_8_is_read_as_that(text: str, label: str) -> None:
    assert text_of(text.encode(), label) == text


def test_bytes_that_windows_1252_does_not_use_make_no_file_unreadable() -> None:
    said = decode_orders(b"GAME duel\nSHIP X # \x81\x8d\x8f\x90\x9d \xfc\n", "o.txt")
    assert said.startswith("GAME duel\nSHIP X # ") and said.endswith("ü\n")


@pytest.mark.parametrize(
    ("data", "what"),
    [(b"{\\rtf1\\ansi GAME duel}", "is RTF"), (b"PK\x03\x04\x14\0", "Word"), (b"%PDF-1.4\n", "PDF"),
     (b"\xd0\xcf\x11\xe0\xa1\xb1", "Word"), (b"\x78\x9f\x3e\x22\x01", "Outlook")],
)  # fmt: skip
def test_a_file_that_is_no_plain_text_is_one_fault_that_says_what_it_is(data: bytes, what: str) -> None:
    assert what in no_plain_text(data)
    with pytest.raises(GameError) as told:
        decode_orders(data, "orders.txt")
    (fault,) = told.value.faults
    assert fault.code == "not-text" and what in fault.text


@pytest.mark.parametrize(
    "below",
    ["Sent from my iPhone", "[Sent from Yahoo Mail for iPhone]", "Get Outlook for iOS<https://example.org>",
     "Von meinem iPhone gesendet", "Gesendet von Mail für Windows", "Envoyé de mon iPhone",
     "This e-mail (including any attachments) is confidential and may\nbe privileged. If you are not its reader\ngo.",
     "CONFIDENTIALITY NOTICE: this is for\nits reader only.", "DISCLAIMER\nThe views are mine.",
     "Diese E-Mail enthält vertrauliche Informationen.\nBitte löschen Sie sie."],
)  # fmt: skip
def test_what_telephones_and_offices_put_below_is_no_order(below: str) -> None:
    orders = f"{HEAD}SHIP Constellation\nPLOT 9F\n"
    plain, dressed = read_orders(orders + "END\n"), read_orders(f"{orders}END\n\n{below}\n")
    assert dressed == plain
    without_end = read_orders(f"{orders}\n{below}\n")
    assert without_end.faults == read_orders(orders).faults
    assert without_end.orders.units == plain.orders.units


def test_orders_below_such_a_line_are_not_lost() -> None:
    said = f"{HEAD}SHIP A\nPLOT 9F\nSent from my iPhone\nSHIP B\nPLOT 9F\nEND\n"
    assert [unit.unit for unit in read_orders(said).orders.units] == ["A", "B"]
    said = f"{HEAD}SHIP A\nPLOT 9F\nDISCLAIMER\nSHIP B\nPLOT 9F\nEND\n"
    assert [unit.unit for unit in read_orders(said).orders.units] == ["A", "B"]


@pytest.mark.parametrize("bullet", ["-", "•", "·", "◦"])
def test_bullets_before_orders_are_blanks(bullet: str) -> None:
    orders = f"{HEAD}SHIP Constellation\nPLOT 9F\nDO\n  AT 3 FIRE PH 1\n    AT Destruction\n  AT 4 DROP SHIELD\nEND\n"
    lines = [f"{bullet} {line[2:]}" if line.startswith("  AT") else line for line in orders.split("\n")]
    listed = "\n".join(lines)
    assert listed != orders and read_orders(listed) == read_orders(orders)
    assert order_text(order_text(listed)) == order_text(listed)


def test_the_line_ends_of_some_editors_are_line_ends() -> None:
    orders = f"{HEAD}SHIP Constellation\nPLOT 9F\nEND\n"
    for end in ("\u2028", "\u2029", "\r", "\r\n"):
        assert read_orders(orders.replace("\n", end)) == read_orders(orders)
