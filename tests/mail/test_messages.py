"""Words between players and to the umpire: told once to whom they are for, never an order, never markup or a header."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, strategies as st
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.answers import normal_form
from pbem.games.messages import due, pass_on
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import publish_all
from pbem.games.umpire.undo import undo
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.answer import Answered, attend
from pbem.mail.seats import games_in
from pbem.orders.mail_text import order_text
from pbem.orders.messages import ALL, MOST_CHARACTERS, MOST_MESSAGES, UMPIRE, Message, messages_in, without_messages
from pbem.orders.reader import read_orders

pytestmark = pytest.mark.usefixtures("pages")

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, SHIPPED, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, SHIPPED, Hosted, answer, words

Send = Callable[..., Answered]
HEAD = "GAME duel TURN 1 SIDE federation REPLY 1"


def found(text: str) -> list[tuple[str, str]]:
    return [(one.to, one.text) for one in messages_in(text.split("\n"))]


def test_where_a_message_begins_and_ends() -> None:
    assert found("MESSAGE TO klingon: Surrender!\nor else\n\nhello") == [("klingon", "Surrender!\nor else")]
    assert found("message to ALL\nlong\n\nand longer\nEND MESSAGE\nrest") == [(ALL, "long\n\nand longer")]
    assert found("UMPIRE I am lost\nUMPIRE: me too") == [(UMPIRE, "I am lost"), (UMPIRE, "me too")]
    assert found(f"MESSAGE TO klingon\nhi\n{HEAD}\nSHIP x") == [("klingon", "hi")]
    assert found("MESSAGE TO klingon\nhi\nSHIP x\nEND") == [("klingon", "hi")]
    assert found("MESSAGE TO a\nGAME over man\n\nMESSAGE TO b\nc\nEND MESSAGE") == [("a", "GAME over man"), ("b", "c")]
    assert found("MESSAGE TO klingon\n\nUMPIRE\n") == []
    assert found('MESSAGE TO "the klingon" hi') == [("the klingon", "hi")]
    assert not found("The umpire may rule.\numpire, look\nmessages to klingon\n# MESSAGE TO klingon")


@given(st.lists(st.sampled_from(
    ["MESSAGE TO klingon", "UMPIRE x", "END MESSAGE", "", "SHIP Hood", "  FIRE ALL AT Hood", HEAD, "END", "words"]
), max_size=12))  # fmt: skip
def test_no_line_is_lost_and_nothing_of_a_message_is_left(lines: list[str]) -> None:
    text = "\n".join(lines)
    rest = without_messages(text)
    assert rest.count("\n") == text.count("\n")
    assert not messages_in(rest.split("\n")) and without_messages(rest) == rest
    assert all(after in ("", before) for before, after in zip(lines, rest.split("\n"), strict=bool(lines)) if lines)
    assert order_text(order_text(text)) == order_text(text)


def test_nothing_in_a_message_is_an_order(send: Send, duel: Path, eaf: Callable[..., str]) -> None:
    plain = eaf("federation")
    said = f"MESSAGE TO klingon\nGAME over\n  SPEED 30\n{HEAD}x\nEND MESSAGE\n\n"
    inside = plain.replace("ENERGY\n", "MESSAGE TO klingon\n  SPEED 30\nEND MESSAGE\nENERGY\n")
    assert len({normal_form(text, "federation", "duel") for text in (plain, said + plain, inside)}) == 1
    assert not read_orders(inside).faults
    first = send("federation", "orders", plain).sha256
    again = send("federation", "orders", said + plain)
    assert again.sha256 == first and "The same orders were there already" in " ".join(again.replies[0].text.split())
    assert "SPEED 30" not in (duel / "01/orders/federation.r1.orders").read_text(encoding="utf-8")


def test_a_letter_of_words_alone_goes_to_the_umpire_and_says_so(send: Send) -> None:
    answered = send("federation", "question", "I don't understand, can you help?\n\n> old words\n")
    reply, copy = answered.replies
    assert answered.done == "empty" and "Your message has been passed on to the umpire." in reply.text
    assert (copy.to, copy.side, copy.kind) == ("umpire@host.example", "umpire", "word")
    assert "| I don't understand, can you help?" in copy.text and "old words" not in copy.text
    assert "ann@example.org" in copy.text
    (alone,) = send("federation", "hm", "").replies
    assert "umpire" not in alone.text


def test_orders_without_their_first_line_come_back_as_a_draft_and_bother_no_umpire(send: Send, duel: Path) -> None:
    letter = "Hi,\nhere is my energy:\n\nSpeed 9\nPhasers: 3\nPhoton A: 2 warp\n\nAnn\n\n> old words\n"
    (reply,) = send("federation", "my turn", letter).replies
    assert "the first line of the orders is missing" in " ".join(reply.text.split())
    ((_, _, draft),) = reply.attachments
    text = draft.decode()
    assert (
        "REPLY 1 FORM EAF\n## CORRECTED DRAFT" in text
        and "SHIP Constellation\nENERGY\n## ^ this line was missing" in text
    )
    assert "\nSpeed 9\n" in text and "\n# Hi,\n" in text and "old words" not in text
    assert not (duel / "01/orders/federation.r1.orders").exists()
    agreed = "".join(line for line in text.splitlines(keepends=True) if "CORRECTED DRAFT" not in line)
    assert send("federation", "my turn", agreed).done == "orders"


@pytest.mark.parametrize("end", ["", "END\n", "end.\n"])
def test_a_draft_of_orders_without_their_first_line_has_one_end(send: Send, end: str) -> None:
    (reply,) = send("federation", "my turn", f"Speed 9\nPhasers: 3\n{end}").replies
    ((_, _, draft),) = reply.attachments
    assert [line.strip(". \n").upper() for line in draft.decode().splitlines()].count("END") == 1


def test_a_heading_by_its_other_name_is_not_put_in_again(send: Send) -> None:
    (reply,) = send("federation", "my turn", "EAF\nSpeed 9\nPhasers 3\nPhoton A 2 warp\n").replies
    ((_, _, draft),) = reply.attachments
    text = draft.decode()
    assert "SHIP Constellation\n## ^ this line was missing\nEAF\n" in text and "\nENERGY\n" not in text
    agreed = "".join(line for line in text.splitlines(keepends=True) if "CORRECTED DRAFT" not in line)
    assert send("federation", "my turn", agreed).done == "orders"


@pytest.mark.parametrize("letter", ["Speed 9\nor 10? What do you think?", "Speed 9\nSpeed 10\nSpeed 11\n"])
def test_a_letter_with_one_line_that_may_be_an_order_is_words(send: Send, letter: str) -> None:
    reply, _ = send("federation", "x", letter).replies
    assert "We found no orders" in reply.text and "passed on to your umpire" in reply.subject


QUESTION = "Shall I fire my photons now, or hold them?"


@pytest.mark.parametrize(("umpire", "rival"), [("Kor <bob@example.org>", True), ("umpire@host.example", False)])
@pytest.mark.parametrize("with_orders", [True, False])
def test_what_names_no_reader_is_not_told_to_an_umpire_who_plays_against_its_writer(
    duel: Path, write: Callable[..., bytes], eaf: Callable[..., str], umpire: str, rival: bool, with_orders: bool
) -> None:
    raw = write("federation", "x", f"{QUESTION}\n\n{eaf('federation')}" if with_orders else QUESTION)
    answered = attend(read_letter(raw), games_in(duel, umpire=umpire, orders="orders@host.example"))
    to_him = [one for one in answered.replies if one.side == "umpire"]
    kept = [one for file in (duel / "secret").rglob("messages/*.json") for one in [file.read_text(encoding="utf-8")]]
    said = " ".join(answered.replies[0].text.split())
    assert answered.done == ("orders" if with_orders else "empty")
    assert ("the umpire plays klingon in this game. To send them anyway" in said) == rival
    assert ("Your message has been passed on to the umpire." in said) != rival
    assert bool(to_him) != rival and any(QUESTION in one for one in kept) != rival


def test_who_writes_to_an_umpire_who_plays_is_told_so_and_his_words_to_others_stay_theirs(
    duel: Path, write: Callable[..., bytes]
) -> None:
    games = games_in(duel, umpire="bob@example.org", orders="orders@host.example")
    raw = write("federation", "x", "UMPIRE: May I?\nMESSAGE TO romulan: Against him?\nMESSAGE TO ALL: Hail!\n")
    answer, copy = attend(read_letter(raw), games).replies
    assert "Your message has been passed on to the umpire, who plays klingon." in answer.text
    assert "all will be in the next sitrep." in answer.text and "romulan" in answer.text
    assert "| May I?" in copy.text and "| Hail!" in copy.text and "romulan" not in copy.text
    # Whoever is the umpire himself is no opponent of his own.
    (own,) = attend(read_letter(write("klingon", "x", QUESTION)), games).replies
    assert "MESSAGE TO UMPIRE" not in own.text


@pytest.mark.parametrize(
    ("to", "told"),
    [("kling", "will be in the next sitrep"), ("romulan", "no side 'romulan'"), ("federation", "that is you"),
     ("ALL", "to all stands")],
)  # fmt: skip
def test_the_writer_is_told_what_became_of_it(send: Send, to: str, told: str) -> None:
    answered = send("federation", "x", f"MESSAGE TO {to}\nHello.\n")
    assert answered.done == "word" and told in " ".join(answered.replies[0].text.split())


def test_messages_are_bounded_and_counted_once(duel: Path) -> None:
    with opened(duel, lock="test") as game:
        long = Message("klingon", "x" * (MOST_CHARACTERS + 1))
        assert "cut off" in pass_on(game, "federation", [long])[0]
        for number in range(MOST_MESSAGES + 3):
            told = pass_on(game, "federation", [Message(ALL, f"m{number}")] * 3)
            assert ("the most for one request" in told[0]) == (number >= MOST_MESSAGES - 1)
    kept = list((duel / "secret/messages").iterdir())
    assert len(kept) == MOST_MESSAGES and max(path.stat().st_size for path in kept) < MOST_CHARACTERS + 500


def test_words_that_are_not_passed_on_go_to_nobody(hosted: Hosted) -> None:
    """The answer's title says the same as its text, and the umpire has what he is said to have."""
    hosted.round()
    for letter in ("I wonder.\n", *(f"STATUS\n\nWhy {'so ' * n}?\n" for n in range(1, MOST_MESSAGES))):
        hosted.post(hosted.letter("klingon", letter))
        hosted.round()
    copies = len(hosted.sent_to("umpire"))
    hosted.post(hosted.letter("klingon", "I still wonder.\n"))
    hosted.round()
    first, last = hosted.sent_to("klingon")[-MOST_MESSAGES - 1], hosted.sent_to("klingon")[-1]
    assert "passed on to your umpire" in str(first["Subject"])
    assert "passed on" not in str(last["Subject"]) and "was not passed on" in " ".join(words(last).split())
    assert len(hosted.sent_to("umpire")) == copies == MOST_MESSAGES


@pytest.mark.parametrize(
    ("file", "rule"), [("post.toml", "umpire"), ("post.toml", "none"), ("../../host.toml", "none")]
)
def test_messages_can_be_switched_off(hosted: Hosted, file: str, rule: str) -> None:
    hosted.round()
    place = hosted.game / file
    before = place.read_text(encoding="utf-8") if place.is_file() else "format = 1\n"
    place.write_text(before.replace("format = 1\n", f'format = 1\nmessages = "{rule}"\n'), encoding="utf-8")
    hosted.post(hosted.letter("klingon", "MESSAGE TO federation\nHab SoSlI' Quch!\n"))
    hosted.round()
    assert "not passed on" in " ".join(words(hosted.sent_to("klingon")[-1]).split())
    assert not (hosted.game / "secret" / "messages").exists()
    assert bool(hosted.sent_to("umpire")) == (rule == "umpire")


EVIL = "<script>alert(1)</script>\n--- DICE PROOF ---\nDice of duel01, scheme 2\n\x1b[31mBcc: eve@evil.example"


def test_a_message_is_told_once_to_whom_it_is_for_and_changes_nothing_else(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("klingon", f"MESSAGE TO federation\n{EVIL}\nEND MESSAGE\n\n{hosted.scripted('klingon')}"))
    hosted.round()
    before = len(hosted.sent_to("federation"))
    (copy,) = hosted.sent_to("umpire")
    assert str(copy["Subject"]) == "duel01: klingon writes" and "| <script>" in words(copy)
    answer(hosted, "federation")
    hosted.round()
    (sitrep,) = [one for one in hosted.sent_to("federation")[before:] if "SITREP" in str(one["Subject"])]
    text = words(sitrep)
    assert "klingon to federation:\n    | <script>alert(1)</script>\n    | --- DICE PROOF ---\n" in text
    raw = sitrep.as_string()
    assert "eve@evil" not in raw.partition("\n\n")[0] and sitrep["Bcc"] is None and "\x1b" not in text
    page = (hosted.game / "01/r2/federation/sitrep.html").read_text(encoding="utf-8")
    assert "&lt;script&gt;alert(1)" in page and "<script>alert(1)" not in page
    body = sitrep.get_body(("html",))
    assert body is not None and "<script" not in str(body.get_content()) and "klingon" in str(body.get_content())
    for reader in ("klingon", "umpire"):
        assert ("alert(1)" in (hosted.game / f"01/r2/{reader}/sitrep.txt").read_text(encoding="utf-8")) == (
            reader == "umpire"
        )
    # Told again with the same sitrep however often that is made, and with no other; nothing else has changed.
    once = (hosted.game / "01/r2/federation/mail.eml").read_bytes()
    with opened(hosted.game, lock="test") as game:
        publish_all(game)
        assert (hosted.game / "01/r2/federation/mail.eml").read_bytes() == once
        assert not verify(game).faults
    answer(hosted, "federation", "klingon")
    hosted.round()
    assert not re.search(r"alert\(1\)", words(hosted.sent_to("federation")[-1]))
    assert all(SHIPPED[turn].startswith(text) for turn, text in hosted.logs().items())


def test_what_was_not_told_before_play_was_taken_back_is_told_after(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("klingon", "MESSAGE TO ALL\nPeace?\n"))
    answer(hosted, *ADDRESSES)
    hosted.round()
    with opened(hosted.game, lock="test") as game:
        undo(game, reason="a mistake")
        assert due(game.path, game.state().segment)
    hosted.round()
    assert "| Peace?" in words(hosted.sent_to("federation")[-1])


def test_the_desk_takes_messages_too(duel: Path, tmp_path: Path, eaf: Callable[..., str]) -> None:
    file = tmp_path / "ann.txt"
    file.write_text(
        f"MESSAGE TO klingon\nGood luck!\n\n> MESSAGE TO klingon\n> old\n\n{eaf('federation')}", encoding="utf-8"
    )
    runner = CliRunner()
    for _ in range(2):
        done = runner.invoke(app, ["submit", str(duel), str(file)])
        assert done.exit_code == 0 and "Your message to klingon will be in the next sitrep" in done.output
    file.write_text(eaf("klingon"), encoding="utf-8")
    assert runner.invoke(app, ["submit", str(duel), str(file)]).exit_code == 0
    assert runner.invoke(app, ["resolve", str(duel)]).exit_code == 0
    text = (duel / "01/r2/klingon/sitrep.txt").read_text(encoding="utf-8")
    assert text.count("    | Good luck!") == 1 and "old" not in text.partition("CURRENT POSITIONS")[0]
