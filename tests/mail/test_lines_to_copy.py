"""Lines that a reader copies out of a mail: they are never broken, and what copying makes of them is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings, strategies as st

from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.mail.commands.umpire import TO_DO, Ruling, word_in
from pbem.mail.emails import _COPIED, WIDTH, wrapped
from pbem.mail.host import clocks as timetable
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.reply import Reply
from pbem.mail.umpires import Umpire

if TYPE_CHECKING:
    from tests.mail.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

ROOT = Path(__file__).resolve().parents[2]
COPIED = (
    "`pbem host player /srv/club kor --mail ADDRESS`", "TAKE duel01 klingon", "UNWATCH duel01", "DO IT f3vsk5",
    "TOKEN abcdefghjkmnpq", "ADDRESS CODE abcdefghjkmnpq", "MESSAGE TO UMPIRE", "END MESSAGE", "AWAY until 14 July",
    "AWAY 2027-07-01 to 2027-07-14", "EXTEND 1 day", "RESEND 2.3", '"MESSAGE TO federation, and more of it"',
    "`pbem override 'club of ours/games/a-game-with-a-long-name' --result federation=draw --reason \"so it is\"`",
)  # fmt: skip
WORDS = st.lists(
    st.sampled_from([letter * length for letter in ("a", "b,", "c.") for length in range(1, 9)]), max_size=40
)


@given(before=WORDS, copied=st.sampled_from(COPIED), end=st.sampled_from(("", ".", ":", ",")), after=WORDS,
       indent=st.sampled_from(("", "  ")))  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_what_may_be_copied_stands_in_one_line(
    before: list[str], copied: str, end: str, after: list[str], indent: str
) -> None:
    text = " ".join([*before, f"{copied}{end}", *after])
    found = wrapped(text, indent)
    assert found.split() == text.split(), "no word is lost or changed"
    lines = found.split("\n")
    assert [line for line in lines if copied in line], found
    assert all(len(line) <= WIDTH or line.strip() == f"{copied}{end}" for line in lines), found


def test_no_line_of_the_mails_that_are_shown_in_the_guide_is_broken() -> None:
    text = (ROOT / "docs" / "play-by-mail.md").read_text("utf-8")
    paragraphs = re.split(r"\n\s*\n", "\n\n".join(re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)))
    found = 0
    for paragraph in paragraphs:
        lines = [line.strip() for line in paragraph.split("\n")]
        for copied in _COPIED.finditer(" ".join(lines)):
            found += 1
            assert [line for line in lines if copied[0] in line], f"{copied[0]}\n\n{paragraph}"
    assert found > 2


# --- rulings by mail --------------------------------------------------------------------------------------------------

UMPIRE = Umpire(to="umpire@host.example", addresses=("umpire@host.example",))
RULE = "RULE Constellation shield 1 = 3\nREASON a slip"


@pytest.fixture
def game(tmp_path: Path) -> Iterator[GameFolder]:
    hosted = Hosted(tmp_path / "host")
    with opened(hosted.game, lock="test") as found:
        timetable.start(found, START)
        yield found


def rule(game: GameFolder, text: str) -> Reply | None:
    mail = f"From: {UMPIRE.to}\nSubject: x\nMessage-ID: <{text.encode().hex()}@x.example>\n\n{text}\n"
    return Ruling(read_letter(mail.encode(), person=True), game, UMPIRE, "token", "key", START + timedelta(1)).attend()


def title(reply: Reply | None) -> str:
    return reply.subject.removeprefix("duel01: ").removesuffix(" TOKEN token") if reply is not None else ""


def line_of(reply: Reply | None) -> str:
    """The line that has a ruling done: short, by itself, and below the sentence that says so."""
    assert reply is not None
    lines = reply.text.split("\n")
    [line] = [line for line in lines if "DO IT" in line]
    assert re.fullmatch(r"    DO IT [a-z0-9]{6}", line) and lines[lines.index(line) - 1] == TO_DO, reply.text
    return line.strip()


@pytest.mark.parametrize(
    "copied",
    [
        "{}",
        '"{}"',
        '"{broken}"',
        "{broken}",
        "\u201c{}\u201d",
        "* {} *",
        "do it {word}",
        "Yes:\n{}\n",
        "{}.",
        "  {}\n\nAnn",
    ],
)
def test_the_line_is_read_however_it_was_copied(game: GameFolder, copied: str) -> None:
    line = line_of(rule(game, RULE))
    word = line.split()[-1]
    sent = copied.format(line, word=word, broken=f"DO IT\n{word}")
    before = len(game.records())
    assert title(rule(game, sent)) == "your ruling was carried out" and len(game.records()) == before + 1


def test_a_line_that_is_quoted_without_a_mark_does_nothing(game: GameFolder) -> None:
    shown = rule(game, RULE)
    assert shown is not None
    before = len(game.records())
    for sent in (f"Thank you\n\n{TO_DO}\n    {line_of(shown)}", f"> {line_of(shown)}"):
        rule(game, sent)
        assert len(game.records()) == before


UNCLEAR = (
    "DO IT", "Do it!", "do it: now or never", "Rule Constellation shield 1 to 3", "Extend it by two days, please",
    "pause", "Undo the last turn", "result: a draw",
)  # fmt: skip


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_seems_to_rule_and_cannot_be_read_is_answered(game: GameFolder, text: str) -> None:
    before = len(game.records())
    reply = rule(game, text)
    assert title(reply) == "no ruling was read" and reply is not None and "To make a ruling, reply" in reply.text
    assert "DO IT" not in reply.text.replace(text, "") and len(game.records()) == before
    shown = rule(game, RULE)
    for unclear in (text, "Yes, please", "OK"):
        assert line_of(rule(game, unclear)) == line_of(shown), "what waits is told with it"
    assert line_of(rule(game, "DO IT abcdef")) == line_of(shown)
    assert rule(game, "Thank you. I shall look at it.") is None and len(game.records()) == before


def test_lines_beside_the_word_are_not_dropped_without_a_word(game: GameFolder) -> None:
    line = line_of(rule(game, RULE))
    reply = rule(game, f"{line}\nRULE Constellation shield 2 = 4\nREASON another slip\n")
    assert title(reply) == "your ruling was carried out" and reply is not None
    assert "We ignored the other lines of your email." in reply.text


def test_no_line_is_a_word_in_a_long_letter() -> None:
    assert word_in("\n".join(["DO IT"] * 20_000)) == "" and word_in('"DO IT\n\nf3vsk5"') == "f3vsk5"
