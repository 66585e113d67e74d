"""A ruling by letter, from its lines to the word that has it done, without a round of the host: what is overtaken, and
what an umpire may see who plays himself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.commands.umpire import Ruling
from pbem.mail.host import clocks as timetable
from pbem.mail.incoming.intake import games_of
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.replies.answer import attend
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, UnknownSender, token_of
from pbem.mail.umpires import RULING_FILE, Umpire, token_for, umpire_with_token
from pbem.orders.messages import ALL, UMPIRE as TO_UMPIRE

if TYPE_CHECKING:
    from tests.mail.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

UMPIRE = Umpire(to="umpire@host.example", addresses=("umpire@host.example",))
PLAYS = Umpire(to="kor@example.org", addresses=("kor@example.org",), plays="klingon")


@pytest.fixture
def game(tmp_path: Path) -> Iterator[GameFolder]:
    hosted = Hosted(tmp_path / "host")
    with opened(hosted.game, lock="test") as found:
        timetable.start(found, START)
        yield found


def rule(game: GameFolder, text: str, umpire: Umpire = UMPIRE, number: int = 0) -> tuple[str, str, str]:
    """The subject of the answer, its text in one line, and the word in it by which it is done."""
    mail = f"From: {umpire.to}\nSubject: x\nMessage-ID: <{number}{text.encode().hex()}@x.example>\n\n{text}\n"
    letter = read_letter(mail.encode(), person=True)
    reply = Ruling(letter, game, umpire, "token", "key", START + timedelta(hours=1)).attend()
    if reply is None:
        return "", "", ""
    assert (reply.to, reply.key, reply.game, reply.side) == (umpire.to, "key", "duel01", "umpire")
    said = " ".join(reply.text.split())
    word = re.search(r"nothing else: (DO IT \w+)", said)
    return reply.subject.removeprefix("duel01: ").removesuffix(" TOKEN token"), said, word[1] if word else ""


def test_what_was_overtaken_and_cannot_be_any_more_waits_no_longer(game: GameFolder) -> None:
    """Of units and of the clock: it is said why, and its word is a word for nothing."""
    meanwhile = Decree(changes=("Constellation shield 1 = 3",), reason="seen by another")
    for lines, overtake, why in (
        ("RULE Constellation shield 1 = 3\nREASON a slip", lambda: None, "is already 3"),
        ("PAUSE", lambda: timetable.pause(game.path, START, "ill"), "this game is already paused"),
    ):
        title, _, word = rule(game, lines)
        assert title == "what your ruling would do" and word
        override(game, meanwhile)
        meanwhile = Decree(ruling="No ramming")
        overtake()
        assert rule(game, word)[:1] == ("your ruling is not possible",) and why in rule(game, lines, number=1)[1]
        assert not (game.path / "mail" / RULING_FILE).exists()
        assert rule(game, word, number=2)[0] == "no such ruling"


def test_what_was_overtaken_and_can_still_be_is_shown_again_under_another_word(game: GameFolder) -> None:
    for lines in ("RULE Constellation shield 1 = 3\nREASON a slip", "PAUSE"):
        word = rule(game, lines)[2]
        override(game, Decree(ruling="No ramming"))
        before = len(game.records())
        title, said, again = rule(game, word)
        assert title == "what your ruling would do" and again not in ("", word)
        assert "The game has gone on since we showed you this ruling, so nothing was done." in said
        assert len(game.records()) == before and timetable.read_clock(game.path).paused is None
        assert rule(game, word, number=1)[0] == "no such ruling"
        for number in (2, 3):
            assert rule(game, again, number=number)[0] == "your ruling was carried out", (
                "said again it is not done again"
            )
        assert len(game.records()) == before + (lines != "PAUSE")
    assert timetable.read_clock(game.path).paused is not None


def test_a_letter_that_rules_nothing_has_no_answer(game: GameFolder) -> None:
    for text in ("Thank you!", "", "> RULE Constellation shield 1 = 3\n", "As I said:\n> DO IT abcdef"):
        assert rule(game, text) == ("", "", ""), text
    assert rule(game, "DO IT abcdef")[0] == "no such ruling"


def test_an_umpire_who_plays_is_shown_nothing_of_others(game: GameFolder) -> None:
    secret = "RULE Constellation batteries = 1\nREASON a slip"
    both = "RULE Constellation shield 1 = 3\nREASON a slip"
    title, said, word = rule(game, secret, PLAYS)
    assert (title, word) == ("your ruling is not possible", "") and "You play klingon in this game" in said
    assert rule(game, secret.replace("Constellation", "Destruction"), PLAYS)[0] == "what your ruling would do"
    for who, readers in ((PLAYS, ["klingon"]), (UMPIRE, ["federation", "klingon", "umpire"])):
        _, said, _ = rule(game, both, who)
        assert re.findall(r"--- (\w+), now", said) == readers


def test_an_umpire_who_plays_learns_nothing_by_trying(game: GameFolder) -> None:
    both = "RULE Constellation shield 1 = 3\nREASON a slip"
    full = "RULE Constellation batteries = 2\nREASON a slip"
    assert "this change cannot be made" in rule(game, full, PLAYS)[1]
    assert "is already 2" in rule(game, full)[1] and "batteries of Constellation" in rule(game, full)[1]
    assert rule(game, f"RULE Constellation batteries = 1\n{both}", PLAYS)[2] == "", "not even with what all may know"
    word = rule(game, both, PLAYS)[2]
    assert rule(game, word, PLAYS)[0] == "your ruling was carried out"
    assert getattr(game.records()[-1].event, "by", "") == "klingon"


def test_what_players_write_goes_to_an_umpire_who_plays_only_where_it_is_for_him(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    tokens = {side: token_of(hosted.game, side) for side in ("federation", "klingon")}
    letters = {
        side: read_letter(
            hosted.letter(side, f"MESSAGE TO ALL: Hi\nMESSAGE TO {other}: Ho\nUMPIRE: Psst\n", token=tokens[side])
        )
        for side, other in (("federation", "klingon"), ("klingon", "federation"))
    }

    def copies(letter: Letter, post: str = "") -> list[str]:
        """The lines of what the umpire gets that were written by a player."""
        (hosted.game / "post.toml").write_text(post, encoding="utf-8")
        found: list[Reply] = list(attend(letter, games_of(hosted.folder, START)).replies)
        copies = [one for one in found if one.kind == "word" and one.subject.endswith("writes")]
        return [line for one in copies for line in one.text.split("\n") if line[:3] in ("to ", "| H", "| P")]

    for side, letter in letters.items():
        other = next(one for one in letters if one != side)
        assert copies(letter) == ["to all:", "| Hi", f"to {other}:", "| Ho", "to you:", "| Psst"]
    plays = 'format = 1\numpire = "kor@example.org"\n'
    assert copies(letters["klingon"], plays) == [], "nobody is told what he wrote himself"
    assert copies(letters["federation"], plays) == ["to all:", "| Hi", "to klingon:", "| Ho", "to you:", "| Psst"]
    words = letters["federation"].words
    for to, head in ((TO_UMPIRE, "to you:"), (ALL, "to all:"), ("klingon", "to klingon:"), ("gorn", "")):
        alone = replace(letters["federation"], words=(replace(words[-1], to=to),))
        assert copies(alone, plays) == ([head, "| Psst"] if head else []), "what is for others is not for him"
    for post in ('format = 1\numpire = "nobody in the list"\n', "umpire = "):
        assert copies(letters["federation"], post)[:2] == ["to all:", "| Hi"], "the letter is read all the same"


def test_who_has_an_umpires_token_and_another_address_is_told_by_it(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    games = games_of(hosted.folder, START)
    mine = token_for(games.post, "duel01")

    def found(sender: str, token: str = mine, games: Games = games) -> object:
        mail = f"{sender}Subject: x TOKEN {token}\nMessage-ID: <1@x.example>\n\nPAUSE\n"
        return umpire_with_token(read_letter(mail.encode()), games)

    folder, who = hosted.game, "From: umpire@host.example\n"
    assert isinstance(both := found(who), tuple) and both[0] == folder and both[1].addresses == UMPIRE.addresses
    for sender, whom in (
        ("From: eve@x.example\n", "eve@x.example"), ("From: a@x.example, b@x.example\n", "nobody, or more than one"),
        ("", "nobody, or more than one"),
    ):  # fmt: skip
        one = found(sender)
        assert isinstance(one, UnknownSender) and one.game == "duel01"
        assert one.why == f"it has the token of the umpire of duel01, but was sent from {whom}"
    assert found(who, "abcdefghjkmnpq") is None and found(who, games=games_of(hosted.game)) is None


def test_what_cannot_be_is_told_in_the_words_of_letters(game: GameFolder) -> None:
    """An umpire who rules by mail has never seen the options of a command."""
    for lines, said in (
        ("RULE Constellation shield 3 = 2", "REASON: give a reason"),
        ("RESULT federation = draw\nREASON so", "RESULT: give a result for klingon"),
        ("OPTION sideslips = no\nREASON so", "OPTION: "),
        ("RULE Constellation shield 3 = 2\nFOR klingon\nREASON so", "FOR: use FOR only with HOUSE RULE"),
        ("RESUME", "duel01: this game is not paused"),
        ("PAUSE", "duel01: this game is already paused"),
    ):
        if lines == "PAUSE":
            timetable.pause(game.path, START, "ill")
        title, text, _ = rule(game, lines)
        assert title == "your ruling is not possible" and said in text and "--" not in text, text


def test_an_umpire_who_was_sent_nothing_yet_gets_the_mail_by_which_he_rules(tmp_path: Path) -> None:
    """His game goes on without trouble, so there is no notice that he could answer; he names it in his subject."""
    hosted = Hosted(tmp_path / "host")
    hosted.round()

    def sent(who: str, subject: str, text: str) -> list[str]:
        """The subjects of what the umpire is answered."""
        hosted.now += timedelta(hours=1)
        before = len(hosted.sent_to("umpire"))
        head = f"From: {who}\nTo: orders@host.example\nSubject: {subject}\nMessage-ID: <{hosted.posted}@x.example>"
        hosted.post(f"{head}\n\n{text}\n".encode())
        hosted.round()
        return [str(mail["Subject"]) for mail in hosted.sent_to("umpire")[before:]]

    [subject] = sent("umpire@host.example", "Re: duel01: klingon writes", "UNDO")
    assert subject.startswith("duel01: for its umpire TOKEN ")
    assert sent("umpire@host.example", "duel01", "UNDO") == [], "once a day"
    [tried] = sent("umpire@host.example", f"Re: {subject}", "PAUSE")
    assert tried.startswith("duel01: what your ruling would do TOKEN ")
    hosted.now += timedelta(days=1)
    assert not any("TOKEN" in one for one in sent("stranger@x.example", "duel01", "UNDO"))
