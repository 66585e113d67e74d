"""Which words of a letter are its orders, which a command, and which somebody else's."""

from __future__ import annotations

import pytest

from pbem.mail.incoming.extract import (
    Part,
    bare_subject,
    begins_orders,
    begins_with_header,
    chosen_text,
    command_in,
    has_orders,
    is_typed,
    typed,
)  # fmt: skip
from pbem.mail.incoming.message import read_letter
from pbem.orders.reader import read_orders

HEAD = "GAME duel TURN 1 SIDE federation REPLY 1"
ORDERS = f"{HEAD}\nSHIP Constellation\nPLOT 2F\n"
OLD = f"Hello,\n\n{HEAD}\nSHIP Old\nPLOT 9F\nEND\n"


def quoted(text: str, mark: str = "> ") -> str:
    return "".join(f"{mark}{line}".rstrip() + "\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "announced",
    ["On Mon, 1 Mar 2027 at 12:00, Ann wrote:", "On Mon, 1 Mar 2027 at 12:00, Ann Wong\n<ann@example.org> wrote:",
     "Am 01.03.2027 um 12:00 schrieb Ann:", "Am Mo., 1. M\u00e4rz 2027 um 12:00 schrieb Ann Wong\n<ann@example.org>:",
     "Le 1 mars 2027 \u00e0 12:00, Ann a \u00e9crit :", "El 1 mar 2027, Ann escribi\u00f3:",
     "Op 1 mrt. 2027 schreef Ann:",
     "Ann Wong wrote:"],
)  # fmt: skip
@pytest.mark.parametrize("old", [OLD, "Just words.\n"])
@pytest.mark.parametrize("gap", ["\n", "\n\n", "\n>\n"])
def test_orders_without_end_above_the_mail_that_is_answered(announced: str, old: str, gap: str) -> None:
    """However it is announced and quoted: nothing of it is an order, and nothing of it is told as a fault."""
    for below in (quoted(old), quoted(old, ">"), quoted(old, "Ann> ")):
        raw = f"From: ann@example.org\nContent-Type: text/plain; charset=utf-8\n\n{ORDERS}\n{announced}{gap}{below}"
        found = read_letter(raw.encode())
        assert found.kind == "orders" and [line for line in found.text.split("\n") if line] == ORDERS.split("\n")[:3]
        assert read_orders(found.text).faults == ()


def test_what_is_answered_line_by_line_keeps_ones_own_lines() -> None:
    text = (
        f"{ORDERS}\n> Will you fire?\nDO\n  FIRE ALL AT x\n\nBob wrote:\n> > Ann wrote:\n> > really?\n\nBREAK #1 DOWN\n"
    )
    (part,) = (Part(name="", mime="text/plain", attached=False, text=text),)
    found = chosen_text([part], "x")
    assert [line for line in found.text.split("\n") if line] == [
        *ORDERS.split("\n")[:3], "DO", "  FIRE ALL AT x", "BREAK #1 DOWN",
    ]  # fmt: skip
    assert len(found.text.split("\n")) == len(text.split("\n"))


@pytest.mark.parametrize(
    "announced",
    ["-----Original Message-----", "--- Forwarded message ---", "_" * 20, "From: Ann <ann@example.org>",
    "Von: ann@x.org",
     "-- Urspr\u00fcngliche Nachricht --", "On Monday Ann wrote:", "Ann wrote: "],
)  # fmt: skip
def test_what_stands_unquoted_below_such_a_line_is_the_old_mail(announced: str) -> None:
    text = f"My words.\n{announced}\n{OLD}"
    assert not is_typed(text) and typed(text) == text
    assert typed(f"{ORDERS}{announced}\n{OLD}").strip() == ORDERS.strip()
    assert begins_orders("SHIP x\n" + text) and not begins_orders(f"hi\n{announced}\nSHIP x\n")


def test_what_is_no_such_line() -> None:
    for line in ("From: nobody", "_" * 19, "-Original Message-", "I wrote this", "wrote"):
        assert is_typed(f"Hi\n{line}\n{ORDERS}"), line


def test_orders_that_are_all_quoted_must_have_their_end() -> None:
    assert has_orders(quoted(ORDERS + "END\n")) and not has_orders(quoted(ORDERS)) and has_orders(ORDERS)
    assert not has_orders("GAME over, man\nEND") and not has_orders("")


@pytest.mark.parametrize(
    ("subject", "text", "command"),
    [
        ("STATUS", "", ("STATUS", "")), ("Re: status", "", ("STATUS", "")), ("AW: [pbem] Status!", "", ("STATUS", "")),
        ("Fwd: RE: Help.", "", ("HELP", "")), ("RESEND 3", "", ("RESEND", "3")),
        ("resend: 2.3", "", ("RESEND", "2.3")),
        ("RESEND last", "", ("RESEND", "LAST")), ("WAIT off", "", ("WAIT", "OFF")), ("WAIT ON", "", ("WAIT", "ON")),
        ("STATUS TOKEN abcdef", "", ("STATUS", "")), ("RESEND 3 TOKEN=abc", "", ("RESEND", "3")),
        ("STATUS # x", "", ("STATUS", "")),
        ("hello", "DRAFT\nplease", ("DRAFT", "")), ("hello", "\n> STATUS\n\nWITHDRAW", ("WITHDRAW", "")),
        ("hello", "TOKEN abcdef\nPREVIEW", ("PREVIEW", "")), ("STATUS", "HELP", ("STATUS", "")),
        ("STATUS, please.", "", ("STATUS", "")), ("RESEND 3 please!", "", ("RESEND", "3")),
        ("RESEND 12345", "", None), ("RESEND 1.2.3", "", None), ("WAIT for me", "", None),
        ("HELPING", "", None), ("the STATUS", "", None), ("", "hi\nSTATUS", None), ("", "", None),
        ("DRAFTS", "", None), ("HELP away", "", ("HELP", "AWAY")), ("Re: help: turn mode", "", ("HELP", "TURN MODE")),
        ("STATUS away", "", None), ("Re: wait: turn mode", "", None), ("WITHDRAW orders", "", None),
        ("HELP me please", "", None), ("help with my plot", "", None),
    ],
)  # fmt: skip
def test_commands(subject: str, text: str, command: tuple[str, str] | None) -> None:
    assert command_in(subject, text) == command


@pytest.mark.parametrize(
    ("subject", "bare"),
    [("Re: x", "x"), ("RE[2]: x", "x"), ("AW: Re: Fwd: x", "x"), ("[list] Re: [a] x", "x"), ("x: Re: y", "x: Re: y"),
     ("Antw: x", "x"), ("Retry: x", "Retry: x"), ("[" + "a" * 41 + "] x", "[" + "a" * 41 + "] x")],
)  # fmt: skip
def test_what_mail_programs_put_before_a_subject(subject: str, bare: str) -> None:
    assert bare_subject(subject) == bare


def part(text: str, *, name: str = "", mime: str = "text/plain", unread: str = "") -> Part:
    return Part(name=name, mime=mime, attached=bool(name), text=text, unread=unread)


PAGE = "<html><p>" + HEAD + "<p>SHIP Page<blockquote>" + HEAD + "<p>SHIP Old</blockquote></html>"


@pytest.mark.parametrize(
    ("parts", "subject", "kind", "source", "holds"),
    [
        ([part(ORDERS)], "x", "orders", "the body", "Constellation"),
        ([part(PAGE, mime="text/html")], "x", "orders", "the page", "SHIP Page"),
        ([part(PAGE, mime="text/html"), part(ORDERS)], "x", "orders", "the body", "Constellation"),
        ([part(ORDERS), part(f"{HEAD}\nSHIP File\n", name="a.orders")], "x", "orders", "a.orders", "SHIP File"),
        ([part("hi"), part(f"{HEAD}\nSHIP File\n", name="a.dat")], "x", "orders", "a.dat", "SHIP File"),
        ([part("hi"), part("SHIP File\nPLOT F\n", name="a.txt")], "x", "orders", "a.txt", "SHIP File"),
        ([part("hi\n\nSHIP Body\nPLOT F\n"),
        part("SHIP File\n", name="a.txt")], "x", "orders", "the body", "SHIP Body"),
        ([part("hi"), part("SHIP File\n", name="a.dat")], "x", "empty", "the body", "hi"),
        ([part("hi"), part(PAGE, name="a.html", mime="text/html")], "x", "empty", "the body", "hi"),
        ([part("CONTINUE\n")], "x", "orders", "the body", "CONTINUE"),
        ([part("concede \n")], "x", "orders", "the body", "con"),
        ([part("We continue\n")], "x", "empty", "the body", "We"), ([part(" \n")], "x", "empty", "", ""),
        ([], "x", "empty", "", ""),
        ([part("")], "STATUS", "command", "the subject", ""),
        ([part("STATUS\n")], "x", "command", "the body", "STATUS"),
        ([part(ORDERS)], "PREVIEW", "command", "the body", "Constellation"),
        ([part(ORDERS)], "WAIT", "orders", "the body", "Constellation"),
        ([part(ORDERS)], "STATUS", "orders", "the body", "Constellation"),
        ([part(quoted(OLD))], "STATUS", "command", "the body", "> Hello"),
        ([part(quoted(OLD))], "Re: sitrep", "orders", "the body", "> Hello"),
        ([part("hi"), part(ORDERS, name="a.orders")], "STATUS", "orders", "a.orders", "Constellation"),
    ],
)  # fmt: skip
def test_which_part_is_read(parts: list[Part], subject: str, kind: str, source: str, holds: str) -> None:
    found = chosen_text(parts, subject)
    assert (found.kind, found.source) == (kind, source) and holds in found.text
    assert "SHIP Old" not in found.text or "> SHIP Old" in found.text
    word = subject if subject in ("STATUS", "PREVIEW", "WAIT") else "STATUS" if kind == "command" else ""
    assert found.command == (word if (kind, subject) != ("orders", "STATUS") else "")
    unread = kind == "empty" and any(one.name for one in parts)
    unread = unread or sum(HEAD in one.text and one.mime == "text/plain" for one in parts) > 1
    assert bool(found.faults) == (unread or (kind, subject) == ("orders", "STATUS"))


def test_what_is_said_of_files() -> None:
    two = [part(ORDERS, name="a.orders"), part(ORDERS, name="b.orders")]
    assert chosen_text(two, "x").faults == ("the email has 2 files of orders; a.orders was read",)
    doc = part("", name="A.DOCX", unread="is a Word file")
    assert chosen_text([part(ORDERS), doc], "x").faults == (
        "the attached file A.DOCX was not read, as it is a Word file",
    )
    assert chosen_text([part(ORDERS), part("", name="x.bin", unread="is odd")], "x").faults == ()
    many = [part("", name=f"{n}.bin", unread="is odd") for n in range(12)]
    assert len(chosen_text([part("hi"), *many], "x").faults) == 10
    saved = chosen_text([part("hi"), part("<p>", name="a.htm", mime="text/html")], "x").faults
    assert len(saved) == 1 and "saved page" in saved[0]


ONE, TWO = (f"GAME {game} TURN 1 SIDE {side} REPLY 1\nSHIP A\nEND\n" for game, side in (("a", "red"), ("b", "blue")))
MINE = ONE.replace("red", "blue")


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        (f"{ONE}\n{TWO}", ["blue in b"]), (f"Hi\n{ONE}TOKEN xyz\n{TWO}{TWO}{MINE}", ["blue in b", "blue in a"]),
        (ONE + ONE.replace("TURN 1", "TURN 2"), []), (f"{ONE}{quoted(TWO)}", []), (ONE + "GAME a TURN 1\nEND\n", []),
        (f"GAME a TURN 1\nSHIP A\nEND\n{ONE}{TWO}", ["blue in b"]), (f"{ONE}\nOn Monday Ann wrote:\n{quoted(TWO)}", []),
    ],
)  # fmt: skip
def test_orders_for_two_games_in_one_letter_are_not_passed_over_in_silence(text: str, unread: list[str]) -> None:
    found = chosen_text([part(text)], "x")
    end = "were not read: send them in an email of their own"
    assert found.faults == tuple(f"the orders for {one} {end}" for one in unread)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Hi,\n\n  AWAY 5 days\n\nAnn", "AWAY 5 days"), ("Dear all\nDRAW TOKEN abcdefgh", "DRAW "),
        ("Hello\nI shall draw it out and wait", ""), (f"Hello\n{quoted('STATUS')}", ""), ("Hi\n" * 90 + "STATUS", ""),
    ],
)  # fmt: skip
def test_a_command_below_a_greeting_is_not_passed_over_in_silence(text: str, line: str) -> None:
    found = chosen_text([part(text)], "Re: sitrep")
    said = f"the line {line!r} was passed over: a command is the subject, or the first line of an email"
    assert (found.kind, found.faults) == ("empty", (said,) if line else ())


def test_whether_a_file_holds_orders() -> None:
    for text in (ORDERS, f"\n\n  # mine\n{ORDERS}", f"## x\n{HEAD}"):
        assert begins_with_header(text)
    for text in ("", "# x", f"Hello\n{ORDERS}", "SHIP x", " " * 10_001 + ORDERS):
        assert not begins_with_header(text)
    assert begins_with_header(" " * (10_000 - len("GAME d")) + ORDERS)
    assert not begins_with_header(" " * (10_000 - len("GAME ")) + ORDERS)


def test_words_and_what_else_was_typed() -> None:
    found = chosen_text(
        [part(f"MESSAGE TO klingon: hi\n\n{ORDERS}"), part("<p>MESSAGE TO klingon: hi", mime="text/html")], "x"
    )
    assert (
        [(one.to, one.text) for one in found.words] == [("klingon", "hi")] and "hi" not in found.text and not found.said
    )
    assert [one.text for one in chosen_text([part("<p>UMPIRE: me", mime="text/html")], "x").words] == ["me"]
    assert chosen_text([part("> MESSAGE TO klingon: hi\n")], "x").words == ()
    lost = chosen_text([part("I am lost.\n\nOn Monday Ann wrote:\n> hello\n")], "x")
    assert (lost.kind, lost.said, lost.words) == ("empty", "I am lost.", ())


def test_quoted_printable_that_nobody_undid() -> None:
    for raw, read in {
        "a=20\nb": "a \nb", "IF RANGE =3D 4": "IF RANGE = 4",
        "a=C2=A0b": "a\u00a0b", "a=E2=80=9Cb": "a\u201cb", "a=A0b=FC": "a\u00a0b\u00fc",
        "a=20\nFI=\nRE": "a \nFIRE", "IF RANGE <=20": "IF RANGE <=20", "a =2 b": "a =2 b", "x >=3D": "x >=3D",
    }.items():  # fmt: skip
        assert chosen_text([part(raw)], "x").text == read
