"""What mail does to orders, undone."""

from __future__ import annotations

from time import process_time
from unicodedata import category

import pytest
from hypothesis import given, strategies as st

from pbem.orders.mail_text import html_to_text, order_text, own_lines, page_text, without_left_overs
from pbem.orders.messages import MOST_CHARACTERS, MOST_LINES, cut_to_limits, messages_in, without_messages
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


def lines_of(text: str) -> list[str]:
    """What is left of a text that is mailed, without the empty lines."""
    return [line for line in order_text(text).split("\n") if line]


HEADER = "GAME duel01 TURN 2 SIDE klingon REPLY 1"
OWN = [HEADER, "SHIP Mine", "PLOT 2F"]
ATTRIBUTIONS = [
    "On Monday, the umpire wrote:", "Ann Wong wrote:", "Am Montag, 1. M\u00e4rz 2027 schrieb Ann:",
    "Le 1 mars 2027 Ann a \u00e9crit :",
    "On Mon, 1 Mar 2027 at 12:00, the umpire of this game\n<umpire@example.org> wrote:",
    "Am Mo., 1. M\u00e4rz 2027 um 12:00 Uhr schrieb Anna Maria von und zu\nHohen <umpire@example.org>:",
    "On Monday 1 March 2027 the umpire of all games that there are in\nthe world <umpire@example.org> wrote:",
    "El lun, 1 mar 2027 Ann escribi\u00f3:",
    "Op ma 1 mrt. 2027 om 12:00 schreef Ann:", "Den 1 mars 2027 skrev Ann:", "Il giorno 1 marzo 2027 Ann ha scritto:",
]  # fmt: skip


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
@pytest.mark.parametrize("gap", ["\n", "\n>\n", "\n\n"])
def test_an_answer_above_the_mail_it_quotes(attribution: str, gap: str) -> None:
    old = f"> Hello klingon,\n>\n> {HEADER}\n> SHIP Old\n> PLOT 9F\n> END\n"
    assert lines_of("\n".join(OWN) + f"\n\n{attribution}{gap}{old}\nmore words\n") == OWN
    assert lines_of("\n".join(OWN) + f"\n\n{old}") == OWN


def test_what_is_no_attribution_is_the_players_own() -> None:
    old = f"> {HEADER}\n> SHIP Old\n"
    for last in ("TAC L:", "On x:", "SHIP wrote", "wrote:x"):
        assert lines_of("\n".join([*OWN, last]) + f"\n{old}") == [*OWN, last]
    # An order that begins with ON is no first half of one.
    on = "ON 9 FIRE PH 1, 2 AT x IF ME REACHES 1214"
    assert lines_of("\n".join([*OWN, "DO", on, "Ann wrote:"]) + f"\n{old}") == [*OWN, "DO", on]
    # Nor is a dated line of one's own, with another behind it, if nothing there ends as an attribution does.
    away = "On 1 March 2027 I was away\nPLOT 3F"
    assert lines_of("\n".join([*OWN, away]) + f"\n{old}") == [*OWN, *away.split("\n")]
    # Two lines above is as far as an attribution reaches.
    three = "On Monday the umpire of this game\n<umpire@example.org>\nwrote:"
    assert lines_of("\n".join(OWN) + f"\n{three}\n{old}") == [*OWN, *three.split("\n")]


def test_what_is_quoted_is_the_orders_where_nothing_of_ones_own_stands_above() -> None:
    quoted = [f"> {line}" for line in OWN]
    assert lines_of("\n".join(quoted)) == OWN
    # A header alone above the draft does not throw the draft away, nor do empty lines.
    assert lines_of("\n".join([HEADER, "", *quoted])) == [HEADER, *OWN]
    # Lines quoted one by one within one's own are one's own.
    assert lines_of(f"{HEADER}\n> SHIP Mine\nPLOT 2F") == OWN
    # One's own header counts before one that is quoted above it, and a full one before GAME alone.
    assert lines_of("\n".join([f"> {HEADER}", "> SHIP Old", *OWN])) == OWN
    assert lines_of("\n".join(["GAME duel01", "SHIP Other", *OWN])) == OWN
    assert lines_of("\n".join(["Hello", "GAME duel01", "SHIP Mine"])) == ["GAME duel01", "SHIP Mine"]
    assert lines_of("\n".join(["> GAME duel01", "GAME duel02", "SHIP Mine"])) == ["GAME duel02", "SHIP Mine"]
    # Without any header nothing is thrown away.
    assert lines_of("Hello\nSHIP Mine\n> PLOT 2F") == ["Hello", "SHIP Mine", "PLOT 2F"]
    assert order_text(f"Hello\n{HEADER}", header=False) == f"Hello\n{HEADER}"


@pytest.mark.parametrize(
    "end",
    ["--", "-- ", "----Original Message----", "-----original message-----", "  ---- Forwarded Message ----", "_" * 20,
     "END", "end", "  End.", "END;", "END # of it", "END;x", "END. x", "END OF ORDERS", "End orders.",
     "-- END --", "*** END OF ORDERS ***"],
)  # fmt: skip
def test_where_the_orders_end(end: str) -> None:
    left = lines_of("\n".join([*OWN, end, "SHIP Other", "PLOT 9F"]))
    assert left[:3] == OWN and not any("Other" in line or "9F" in line for line in left)
    assert [line.strip().upper()[:3] for line in left[3:]] == (["END"] if "END" in end.upper() else [])


@pytest.mark.parametrize(
    "going_on",
    [
        "---",
        "- -",
        " --",
        "---Original Message---",
        "_" * 19,
        "END x",
        "ENDE",
        "THE END",
        "END OF TURN",
        "END OF",
        "ORIGINAL MESSAGE",
    ],
)
def test_where_they_do_not(going_on: str) -> None:
    assert lines_of("\n".join([*OWN, going_on, "SHIP Other"]))[-1] == "SHIP Other"


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("> a", "a"), (">a", "a"), (">> a", "a"), ("> > a", "a"), (">\ta", "      a"), (">  a", " a"),
        (">= 4", ">= 4"),
        ("> >= 4", ">= 4"), (">>= 4", ">= 4"), ("x > 4", "x > 4"), ("  > a", "  > a"),
        ("- CLOAK", "  CLOAK"), ("  \u2022 CLOAK", "    CLOAK"), ("-CLOAK", "-CLOAK"), ("- 3", "- 3"),
        ("* CLOAK", "  CLOAK"), ("* WITHIN 3", "* WITHIN 3"), ("*CLOAK", "*CLOAK"), ("o\tCLOAK", "        CLOAK"),
        ("o CLOAK", "o CLOAK"), ("o\tWITHIN 3", "o       WITHIN 3"), ("\u25cb CLOAK", "  CLOAK"),
        ("*DO*", "DO"), ("  **PLOT**: 8F", "  PLOT: 8F"), ("_SHIP Hood_", "SHIP Hood"),
        ("*Hood* WITHIN 3", "*Hood* WITHIN 3"),
        ("GUIDE KD/* LEFT", "GUIDE KD/* LEFT"), ("*KD/1 LEFT", "*KD/1 LEFT"),
        ("RANGE x &lt;= 4", "RANGE x <= 4"), ("RANGE x &gt; 4", "RANGE x > 4"), ("x&nbsp;y &amp; z", "x y &amp; z"),
        ("a\tb", "a       b"), ("a  ", "a"), ("a\u00a0b\u2003c", "a b c"), ("a\u200bb\u00ad", "ab"),
        ("\u201ca\u201d \u2018b\u2019", "\"a\" 'b'"),
        ("a\u2013b\u2014c\u2212d", "a-b-c-d"), ("\u2264 \u2265 \u2260 \u00bd \u2026 \u2044", "<= >= != .5 ... /"),
        ("\uff26\uff11", "F1"),
        ("u\u0308", "\u00fc"), ("a\x00b\x1fc\x7fd\x9fe", "a b c d e"), ("a\ud800b", "a\ufffdb"),
        ("a=20b =3D 4", "a b = 4"), ("=E2=80=9Ca=E2=80=9D =3D", '"a" ='), ("a=FCb =3D", "a\u00fcb ="),
        ("a =3D 4 = 5", "a =3D 4 = 5"),
        ("RANGE <= 4", "RANGE <= 4"), ("a=4F", "a=4F"), ("a=3", "a=3"),
    ],
)  # fmt: skip
def test_what_a_line_becomes(typed: str, read: str) -> None:
    assert order_text(typed, header=False) == read
    assert order_text(f"x\r\n{typed}\ry\u2028z", header=False) == f"x\n{read}\ny\nz"


def test_every_control_character_is_read_as_a_space_but_those_that_part_words_and_lines() -> None:
    controls = [chr(code) for code in range(160) if category(chr(code)) == "Cc"]
    for sign in controls:
        if sign not in "\t\n\r\x85":
            assert order_text(f"a{sign}b", header=False) == "a b", hex(ord(sign))


def test_long_lines_of_quoted_printable_are_joined_and_counted() -> None:
    long = "F" * 72
    assert order_text(f"{long}=\nR=\nL\nF", header=False) == f"{long}RL\n\n\nF"
    assert order_text(f"{long}=\nR=", header=False) == f"{long}\nR"
    assert order_text(f"{'F' * 75}=\nR", header=False) == "F" * 75 + "R\n"
    for kept in (f"{'F' * 71}=\nR", f"{'F' * 76}=\nR", f"{'F' * 72}<=\nR", f"{'F' * 72}==\nR"):
        assert order_text(kept, header=False) == kept


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo\n"), ("<div>one</div>two", "one\ntwo\n"), ("<p>one<p>two", "one\ntwo\n"),
        ("one<br>two<br/><br>three", "one\ntwo\n\nthree\n"), ("<li>one<li>two", "one\ntwo\n"),
        ("<tr><td>one</td><td>two</td></tr>", "  one  two\n"), ("<tr><th>one<td>two", "  one  two\n"),
        ("a <b>b</b>c <i>d</i>", "a bc d\n"), ("a\n   b\t c", "a b c\n"), ("<p>  a", "a\n"),
        ("a&nbsp;&nbsp;b", "a  b\n"),
        ("&lt;= &amp; &gt; &#35;1 &bogus;", "<= & > #1 &bogus;\n"), ("a < b > c", "a < b > c\n"),
        ("a <3 b", "a <3 b\n"),
        ("<!-- x -->a<!-- y\n -->b", "ab\n"), ("<!---->a", "a\n"), ("a<!-->b-->c", "ac\n"), ("a<!-- b", "a<!-- b\n"),
        ("<!-- <p>x</p> --><p>a", "a\n"), ("a<!-- x --><!-- y -->", "a\n"),
        ("<style>p {}</style>a<script>b</script>c", "ac\n"), ("<head><title>x</title>y</head>a", "a\n"),
        ("</style>a", "a\n"), ("<style><style>x</style>y</style>a", "a\n"),
        ("<style>x</style></style>a<style>y", "a\n"),
        ("<pre>a\n  b\r\nc</pre>  d  e", "a\n  b\nc\nd e\n"), ("<pre>a</pre></pre>\n\nb  c", "a\nb c\n"),
        ("<PRE>a  b</PRE>", "a  b\n"), ("<!DOCTYPE html><?xml x?>a", "a\n"), ("<o:p>a</o:p>", "a\n"),
        ("<a href=x>b</a>", "b\n"),
        ("\n<p>\n\n</p>\n", "\n"), ("<p>a</p>\n \n<p>b</p>", "a\nb\n"),
    ],
)  # fmt: skip
def test_a_page_as_its_reader_sees_it(html: str, shown: str) -> None:
    assert html_to_text(html) == shown


@pytest.mark.parametrize(
    "start",
    ["<html>", "<!DOCTYPE HTML>", "<!-- x -->", "<!--[if mso]>-->", " \n<div>", "\ufeff<p>", "<body>", "<span>",
     "<table>", "<head></head>", "<pre>"],
)  # fmt: skip
def test_how_a_page_begins(start: str) -> None:
    assert order_text(f"{start}a&lt;b<br>c", header=False).strip() == "a<b\nc"


def test_how_a_page_does_not_begin() -> None:
    for start in ("<b>", "x <p>", "<", "<preface>", "<paragraph>"):
        assert order_text(f"{start}a<br>b", header=False) == f"{start}a<br>b"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("MESSAGE TO a: b", [("a", "b")]), ("MESSAGE TO a b", [("a", "b")]), ("MESSAGE TO a\nb\n\nc", [("a", "b")]),
        ("MESSAGE TO a\n\nb\nEND MESSAGE\nc", [("a", "b")]), ("message to ALL hi\nend message.", [("*", "hi")]),
        ("MESSAGE TO all: x", [("*", "x")]), ("MESSAGE TO Umpire: x", [("", "x")]), ("UMPIRE, x", [("", "x")]),
        ("umpire: x", [("", "x")]), ("umpire x", []), ("Umpire x", []), ("UMPIRES x", []), ("  UMPIRE x", [("", "x")]),
        ("MESSAGE TO a\n  b  \n   c", [("a", "b\n   c")]), ("MESSAGE TO a\nb\nUMPIRE c", [("a", "b"), ("", "c")]),
        ("MESSAGE TO a\nb\n\nc\nUMPIRE d\nEND MESSAGE", [("a", "b"), ("", "d")]),
        ("MESSAGE TO a\nb\nSHIP x\nc\nEND MESSAGE\nd", [("a", "b\nSHIP x\nc")]),
        ("MESSAGE TO a\nb\nEND\nc", [("a", "b")]), ("MESSAGE TO a\nb\nEND of it\nc", [("a", "b\nEND of it\nc")]),
        ("MESSAGE TO a\nb\nGAME g TURN 2\nc", [("a", "b")]), ("MESSAGE TO a\nb\nGAME g\nc", [("a", "b")]),
        ("MESSAGE TO a\nb\nSHIP\nc", [("a", "b\nSHIP\nc")]), ("MESSAGE TO a\nb\x07c", [("a", "b c")]),
        ("x\nMESSAGE TO a\n\nb", []), ("MESSAGE TO\na", []),
        ("MESSAGE TO " + "a" * 60 + " b", [("a" * 60, "b")]),
    ],
)  # fmt: skip
def test_words_to_people(typed: str, found: list[tuple[str, str]]) -> None:
    assert [(one.to, one.text) for one in messages_in(typed.split("\n"))] == found
    left = [line for line in without_messages(typed).split("\n") if line]
    assert all(text not in left for _, text in found)


def test_where_the_orders_go_on_behind_words_to_people() -> None:
    def left(text: str) -> str:
        rest = without_messages(text)
        assert rest.count("\n") == text.count("\n")
        return "/".join(line for line in rest.split("\n") if line)

    assert left("a\nMESSAGE TO x\nb\n\nc") == "a/c"
    assert left("a\nMESSAGE TO x\nb\nEND MESSAGE\nc") == "a/c"
    assert left("a\nMESSAGE TO x b\nSHIP c\nd") == "a/SHIP c/d"
    assert left("a\nMESSAGE TO x b") == "a"
    assert left("a\nMESSAGE TO x\nb\nUMPIRE c\n\nd") == "a/d"
    assert left("a\nMESSAGE TO x\n\nb\nUMPIRE c\nEND MESSAGE\nd") == "a/b/d"


def test_a_message_may_be_so_long_and_no_longer() -> None:
    assert cut_to_limits("x" * MOST_CHARACTERS) == ("x" * MOST_CHARACTERS, False)
    assert cut_to_limits("x" * (MOST_CHARACTERS + 1)) == ("x" * MOST_CHARACTERS + "\n[cut off here]", True)
    assert cut_to_limits("\n".join("x" * MOST_LINES)) == ("\n".join("x" * MOST_LINES), False)
    assert cut_to_limits("\n".join("x" * MOST_LINES) + "\nx") == (
        "\n".join("x" * MOST_LINES) + "\n[cut off here]",
        True,
    )
    assert (MOST_CHARACTERS, MOST_LINES) == (2_000, 40)


@pytest.mark.parametrize(
    "line",
    [
        " " * 64_000 + "x", "\t" * 4_000 + "x", " " * 30_000 + "---" + " " * 30_000 + "x",
        "END" + " " * 64_000 + "x", "END " + " " * 30_000 + "-" + " " * 30_000 + "x",
    ],
)  # fmt: skip
def test_a_long_line_of_blanks_takes_no_long_time(line: str) -> None:
    plain = line.replace("\t", " ")
    started = process_time()
    assert order_text(line) == plain
    assert order_text(PLAIN.replace("BREAK", line)) == PLAIN.replace("BREAK", plain).rstrip() + "\n"
    # Squared with the length of the line it would be 3 to 35 seconds.
    assert process_time() - started < 1


@pytest.mark.parametrize(
    "text",
    [
        "This message is confidential\n" * 15_000, "GAME" + ":" * 400_000, "GAME:::::::\n" * 30_000,
        "<" + "a" * 300_000, "<div>" * 60_000, "<blockquote>" * 30_000, "<!--" * 70_000, "<p>" + "&amp" * 70_000,
        "<html>" + "<pre>" * 60_000, "=3D" * 90_000 + "=\n" * 1_000, "a\u0323\u0301" * 90_000, "\u0301" * 300_000,
        "> " * 150_000 + "x", ">" * 300_000, "- " * 20_000 + "a", "o   " * 30_000 + "a",
        "| GAME x TURN 1\n" * 9_000, "wrote " * 50_000,
        "On " + "20" * 150_000 + "\n> x", "MESSAGE TO a\n" * 20_000, "MESSAGE TO a\n\n" + "b\n" * 19_000,
        "END MESSAGE" + " " * 300_000 + "x", "*" + "a" * 300_000, "x\r" * 100_000, ("\t" * 15_000 + "x\n") * 20,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_any_text_is_read_in_time_that_grows_with_its_length(text: str) -> None:
    for read in (order_text, html_to_text, page_text, own_lines, without_left_overs):
        started = process_time()
        read(text)
        assert process_time() - started < 2.5, read
