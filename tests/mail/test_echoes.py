"""A letter of ours that comes back whole, quoted by a mail program that nobody here knows, files nothing; orders that
are copied out of it do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.mail.replies.answer import Answered
from pbem.orders.mail_text import ABOVE_SHOWN, own_lines

Send = Callable[..., Answered]
Eaf = Callable[..., str]

ANNOUNCED = {
    "Polish": "W dniu 3.03.2027 o 12:00, Test <orders@host.example> pisze:",
    "Swedish": "Den ons 3 mars 2027 kl 12:00 skrev Test <orders@host.example>:",
    "Japanese": "2027年3月3日(水) 12:00 Test <orders@host.example>:",
    "Russian": "ср, 3 мар. 2027 г. в 12:00, Test <orders@host.example>:",
    "Czech": "---------- Původní e-mail ----------\nOd: Test <orders@host.example>",
    "Swedish, a block": "Från: Test <orders@host.example>\nSkickat: den 3 mars 2027 12:00\nTill: Ann",
    "Japanese, a block": "差出人: Test <orders@host.example>\n送信日時: 2027年3月3日 12:00",
    "nothing": "",
    "a line": "--- Odpowiedź ---",
}
"""What mail programs put above the letter they quote without ``>``, in languages that have no entry of their own."""


@pytest.fixture
def mails(send: Send, eaf: Eaf) -> dict[str, str]:
    """Our letters that show orders, as a player of the federation has them in hand."""
    orders = eaf("federation")
    found = {"receipt of version 1": send("federation", "orders", orders).replies[0].text}
    found["receipt of version 2"] = send("federation", "orders", orders.replace("12", "13")).replies[0].text
    found["draft"] = send("federation", "DRAFT").replies[0].text
    found["preview"] = send("federation", "PREVIEW", orders.replace("12", "9")).replies[0].text
    found["corrected draft"] = send("federation", "orders", orders.replace("12", "20")).replies[0].text
    found["page"] = send("federation", "HELP mistakes").replies[0].text
    return found


@pytest.mark.parametrize("language", ANNOUNCED)
def test_what_is_quoted_whole_files_nothing(send: Send, duel: Path, mails: dict[str, str], language: str) -> None:
    file = duel / "01/orders/federation.r1.orders"
    before = file.read_text()
    for name, mail in mails.items():
        assert "| GAME" in mail or name == "page", name
        answered = send("federation", "Re: yours", f"May a ship turn twice?\n\n{ANNOUNCED[language]}\n{mail}")
        assert answered.done in ("empty", "word"), (name, answered)
    assert file.read_text() == before and not (duel / "01/orders/federation.r1.v2.orders").exists()


@pytest.mark.parametrize("language", [name for name, line in ANNOUNCED.items() if "@" in line])
def test_only_what_was_typed_above_it_is_passed_on(language: str, mails: dict[str, str]) -> None:
    letter = f"May a ship turn twice?\n\n{ANNOUNCED[language]}\n{mails['receipt of version 1']}"
    said = [line for line in own_lines(letter) if line.strip()]
    assert said[0] == "May a ship turn twice?" and not any("UNDERSTOOD" in line for line in said)


def test_orders_copied_with_their_bars_are_orders(send: Send, duel: Path, mails: dict[str, str]) -> None:
    block = "\n".join(line for line in mails["receipt of version 2"].split("\n") if line.startswith("|"))
    answered = send("federation", "orders", "Rather slower:\n\n" + block.replace("SPEED 13", "SPEED 11") + "\nThanks\n")
    assert answered.done == "orders"
    assert "SPEED 11" in (duel / "01/orders/federation.r1.orders").read_text()


def test_an_older_version_behind_bars_is_asked_about(send: Send, duel: Path, mails: dict[str, str]) -> None:
    block = "\n".join(line for line in mails["receipt of version 1"].split("\n") if line.startswith("|"))
    (reply,) = send("federation", "orders", f"Thank you.\n\n{block}\n").replies
    assert "these orders are your version 1" in " ".join(reply.text.split()) and "without the bars" in reply.text
    assert "SPEED 13" in (duel / "01/orders/federation.r1.orders").read_text()
    bare = "\n".join(line.removeprefix("|").removeprefix(" ") for line in block.split("\n"))
    assert send("federation", "orders", bare).done == "orders"
    assert "SPEED 12" in (duel / "01/orders/federation.r1.orders").read_text()


def test_the_draft_behind_bars_as_it_was_sent_is_asked_about(send: Send, mails: dict[str, str]) -> None:
    block = "\n".join(line for line in mails["draft"].split("\n") if line.startswith("|"))
    (reply,) = send("federation", "orders", f"Thank you.\n\n{block}\n").replies
    assert "the draft as it was sent to you" in " ".join(reply.text.split())


def test_what_is_on_file_already_does_no_harm(send: Send, duel: Path, mails: dict[str, str]) -> None:
    block = "\n".join(line for line in mails["receipt of version 2"].split("\n") if line.startswith("|"))
    assert send("federation", "orders", f"As before.\n\n{block}\n").done == "orders"
    assert "SPEED 13" in (duel / "01/orders/federation.r1.orders").read_text()


def test_every_letter_that_shows_orders_has_such_a_line_above_them(mails: dict[str, str]) -> None:
    for name, mail in mails.items():
        lines = [line for line in mail.split("\n") if line.strip()]
        above = next((lines[n - 1] for n, line in enumerate(lines) if n and line.startswith("| ")), "")
        assert name == "page" or above.endswith(ABOVE_SHOWN), (name, above)
