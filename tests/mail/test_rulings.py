"""Rulings by letter: the umpire answers a notice, sees what his lines would do, and has it done; nobody else can."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.engine.events import HouseRuled, Record, Ruled, Undone
from pbem.engine.state import Ship
from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.folder import locked
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.commands.umpire import act_of, decree_of, ruling_lines
from pbem.mail.host.clocks import due_of, read_clock, resume
from pbem.mail.host.doctor import examine
from pbem.mail.umpires import plays, token_for

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer, words
else:
    from post_hosted import ADDRESSES, Hosted, answer, words

UMPIRE = "umpire@host.example"
SIDES = {UMPIRE: "umpire", **{address: side for side, address in ADDRESSES.items()}}
RULE = "RULE Destruction shield 2 = 3\nREASON a volley was forgotten\n"


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    """A game that waits for both, beyond grace; its umpire was told."""
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=3)
    hosted.round()
    return hosted


def said(mail: EmailMessage | None) -> str:
    assert mail is not None
    return " ".join(words(mail).split())


def rule(hosted: Hosted, text: str, *, sender: str = UMPIRE, token: str = "") -> EmailMessage | None:
    """The umpire answers his last notice, quoting it; what he is answered."""
    notice = hosted.sent_to(SIDES[sender])[-1] if not token else None
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = sender, "orders@host.example"
    message["Subject"] = f"Re: {notice['Subject']}" if notice is not None else f"Re: a notice TOKEN {token}"
    message["Message-ID"] = f"<ruling.{hosted.posted}@example.org>"
    quoted = "\n".join(f"> {line}" for line in words(notice).split("\n")) if notice is not None else ""
    message.set_content(f"{text}\nOn Monday the host wrote:\n{quoted}\n")
    hosted.post(bytes(message))
    before = len(hosted.sink.mails)
    hosted.now += timedelta(minutes=1)
    hosted.round()
    to = [mail for mail in hosted.sent_to(SIDES[sender]) if "ruling" in str(mail["Subject"])]
    return to[-1] if len(hosted.sink.mails) > before and to else None


def word(mail: EmailMessage | None) -> str:
    assert mail is not None
    found = re.search(r"nothing else: (DO IT \w+)", said(mail))
    assert found is not None, said(mail)
    return found[1]


def shield(hosted: Hosted) -> int:
    with opened(hosted.game) as game:
        ship = game.state().units["Destruction"]
        assert isinstance(ship, Ship)
        return ship.shields[1]


def test_a_ruling_is_shown_and_then_done_and_told(hosted: Hosted) -> None:
    notice = hosted.sent_to("umpire")[-1]
    assert "duel01" in str(notice["Subject"]) and "To make a ruling, reply" in said(notice)
    before, logs = shield(hosted), hosted.logs()
    shown = rule(hosted, RULE)
    assert shown is not None and hosted.logs() == logs, "nothing is done yet"
    assert f"shield 2 of Destruction is 3 (was {before}): a volley was forgotten. (sent to all)" in said(shown)
    assert "+ 2 3" in said(shown) or "#2 3/" in said(shown), "the sitreps are shown as they would be"
    done = rule(hosted, word(shown))
    assert done is not None and "We carried out your ruling" in said(done) and shield(hosted) == 3
    for side in ADDRESSES:
        assert "The umpire rules: shield 2 of Destruction is 3" in said(hosted.sent_to(side)[-1])
    logs = hosted.logs()
    assert "No ruling is waiting" in said(rule(hosted, "DO IT abcdef") or notice) and hosted.logs() == logs
    again = rule(hosted, word(shown))  # the letter came twice, or the host stopped before it said so
    assert again is not None and "We carried out your ruling" in said(again) and hosted.logs() == logs
    with opened(hosted.game) as game:
        assert verify(game).faults == ()


def test_nobody_rules_but_the_umpire_with_his_token(hosted: Hosted) -> None:
    token = token_for(hosted.folder / "mail", "duel01")
    logs = hosted.logs()
    assert rule(hosted, RULE, sender="kor@example.org", token=token) is None
    assert rule(hosted, RULE, token="a" * 14) is None and hosted.logs() == logs
    aside = list((hosted.folder / "mail/quarantine").glob("*.eml"))
    assert len(aside) == 2
    # What only talks is not answered: his own mail must not bring on mail to him.
    count = len(hosted.sink.mails)
    assert rule(hosted, "Thank you. I shall look at it.\n", token=token) is None and len(hosted.sink.mails) == count


def test_a_ruling_that_cannot_be_says_why_and_one_that_is_overtaken_is_shown_again(hosted: Hosted) -> None:
    refused = rule(hosted, "RULE Destruction shield 9 = 3\nREASON why not\nWITHDRAW one\n")
    assert refused is not None and "is not possible" in str(refused["Subject"])
    assert "write the number of a house rule after WITHDRAW" in said(refused)
    shown = rule(hosted, RULE)
    answer(hosted, "klingon")
    hosted.round()
    logs = hosted.logs()
    again = rule(hosted, word(shown))
    assert again is not None and "The game has gone on since" in said(again) and hosted.logs() == logs
    assert word(again) != word(shown)
    rule(hosted, word(again))
    assert shield(hosted) == 3


@pytest.mark.slow
def test_a_game_has_an_umpire_of_its_own_and_one_who_plays_is_told_as_one(hosted: Hosted) -> None:
    (hosted.game / "post.toml").write_text('format = 1\numpire = "ann@example.org"\n', encoding="utf-8")
    assert plays(hosted.game) == "federation"
    hosted.later(days=2)
    hosted.round()
    notice = hosted.sent_to("federation")[-1]
    assert "the umpire is needed: duel01" in str(notice["Subject"])
    logs = hosted.logs()
    secret = rule(hosted, "RULE Destruction batteries = 1\nREASON I say so\n", sender=ADDRESSES["federation"])
    assert secret is not None and "so you cannot rule on facts that only another side may know" in said(secret)
    assert "was 2" not in said(secret) and hosted.logs() == logs
    public = rule(hosted, "RULE Destruction batteries = 1\nPUBLIC\nREASON I say so\n", sender=ADDRESSES["federation"])
    assert public is not None and "one side's secrets" in said(public) and "was 2" not in said(public)
    token = token_for(hosted.folder / "mail", "duel01")
    shown = rule(hosted, RULE, sender=ADDRESSES["federation"], token=token)
    assert shown is not None and "klingon, now" not in words(shown)
    rule(hosted, f"{word(shown)}\n", sender=ADDRESSES["federation"], token=token)
    with opened(hosted.game) as game:
        [ruled] = [record.event for record in game.records() if isinstance(record.event, Ruled)]
        assert ruled.by == "federation" and verify(game).faults == ()
    assert "The umpire, who plays federation, rules: shield 2" in said(hosted.sent_to("klingon")[-1])
    assert any(one.said.endswith("; its umpire plays federation") for one in examine(hosted.folder))
    # So it is by command.
    line = ["override", str(hosted.game), "--ruling", "Nobody rams anybody"]
    assert CliRunner().invoke(app, line).exit_code == 0
    (hosted.game / "post.toml").write_text('format = 1\numpire = "hans"\n', encoding="utf-8")
    assert any("neither an email address nor a key in" in one.said for one in examine(hosted.folder))
    with opened(hosted.game) as game:
        [house] = [record.event for record in game.records() if isinstance(record.event, HouseRuled)]
        assert house.by == "federation"


def test_what_an_umpire_is_told_in_a_round_is_one_letter(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    hosted.later(days=3)
    for name in ("alpha", "beta"):
        (hosted.folder / "games" / name).mkdir()
        (hosted.folder / "games" / name / "game.toml").write_text("format = 99\n", encoding="utf-8")
    count = len(hosted.sent_to("umpire"))
    hosted.round()
    letters = [mail for mail in hosted.sent_to("umpire")[count:] if "needed" in str(mail["Subject"])]
    without = [mail for mail in letters if "TOKEN" not in str(mail["Subject"])]
    assert len(without) == 1 and "alpha, beta" in str(without[0]["Subject"])
    assert "1. " in words(without[0]) and "2. " in words(without[0])


def test_lines_that_are_quoted_rule_nothing() -> None:
    text = "> RULE A hull = 1\nRULE B hull = 2\n  and more\nREASON yes\n\nOn Monday x wrote:\n> REASON no\n"
    assert ruling_lines(text) == ("RULE B hull = 2 and more", "REASON yes")
    assert ruling_lines("Rule nothing\nRULEBOOK is thick\nhouse\n") == ()


def test_the_umpire_stops_the_clock_and_gives_time_by_letter(hosted: Hosted) -> None:
    """Shown first, done once, told to the players; a word that was used does nothing again."""
    before = due_of(hosted.game, hosted.now)
    assert before is not None
    shown = rule(hosted, "EXTEND 2 days\nREASON the post was slow\n")
    assert "The new deadline of duel01 is" in said(shown) and due(hosted) == before[0].due
    done = rule(hosted, f"{word(shown)}\n")
    assert "We carried out your ruling" in said(done)
    later = due_of(hosted.game, hosted.now)
    assert later is not None and later[0].due >= hosted.now + timedelta(days=1, hours=23)
    assert "the post was slow" in said(hosted.sent_to("klingon")[-1])
    shown = rule(hosted, "PAUSE\nREASON Ann is ill\n")
    assert read_clock(hosted.game).paused is None
    pausing = word(shown)
    rule(hosted, f"{pausing}\n")
    assert read_clock(hosted.game).paused is not None
    assert all("Ann is ill" in said(hosted.sent_to(side)[-1]) for side in ADDRESSES)
    assert "already paused" in said(rule(hosted, "PAUSE\n"))
    rule(hosted, f"{word(rule(hosted, 'RESUME'))}\n")
    assert read_clock(hosted.game).paused is None
    assert "No ruling is waiting under the word" in said(rule(hosted, f"{pausing}\n"))
    assert due(hosted) >= later[0].due


def test_a_ruling_waits_while_its_game_is_worked_on(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.games.storage.folder.PATIENCE", 0.1)
    with locked(hosted.game, "resolve"):
        assert rule(hosted, "PAUSE") is None
        hosted.post(b"From: eve@x.example\r\nMessage-ID: <1@x.example>\r\n\r\nHello\r\n")
        done = hosted.round()
        assert done.letters == ("quarantine",) and not done.troubles, "it keeps no later email waiting"
    hosted.round()
    assert word(hosted.sent_to("umpire")[-1]).startswith("DO IT ")


def test_a_word_that_was_used_stops_no_clock_again(hosted: Hosted) -> None:
    pausing = word(rule(hosted, "PAUSE\n"))
    rule(hosted, f"{pausing}\n")
    with opened(hosted.game, lock="test"):
        resume(hosted.game, hosted.now)
    assert "We carried out your ruling" in said(rule(hosted, f"{pausing}\n"))
    assert read_clock(hosted.game).paused is None


def test_the_umpire_takes_play_back_by_letter(hosted: Hosted) -> None:
    answer(hosted, "klingon")
    hosted.now += timedelta(minutes=1)
    hosted.round()
    records = len(logged(hosted))
    shown = rule(hosted, "UNDO 1.1\nREASON the wrong form\n", token=token_for(hosted.folder / "mail", "duel01"))
    assert "Play goes back to request 1 of turn 1" in said(shown) and len(logged(hosted)) == records
    rule(hosted, f"{word(shown)}\n")
    event = logged(hosted)[-1].event
    assert isinstance(event, Undone) and event.reason == "the wrong form"
    assert "the wrong form" in said(hosted.sent_to("klingon")[-1])
    undone = len(logged(hosted))
    rule(hosted, f"{word(shown)}\n")
    assert len(logged(hosted)) == undone, "once"
    with opened(hosted.game) as game:
        assert not verify(game).faults


@pytest.mark.parametrize(
    ("said", "played"),
    [("UNDO", (0, 0)), ("UNDO 2", (2, 1)), ("UNDO 2.3", (2, 3)), ("UNDO 12.10", (12, 10)), ("UNDO 3.0", (3, 0))],
)
def test_what_play_goes_back_to(said: str, played: tuple[int, int]) -> None:
    act = act_of((said,))
    assert act is not None and act.request == played


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("PAUSE\nRULE Destruction shield 2 = 3\n", "in an email of its own"),
        ("EXTEND 2 days\n", "give a REASON"),
        ("EXTEND 2 fortnights\nREASON x\n", "write it like this: EXTEND 2 days"),
        ("UNDO 9.9\n", "nothing has been played yet"),
        ("RESUME\n", "is not paused"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is(hosted: Hosted, text: str, why: str) -> None:
    before = hosted.logs(), read_clock(hosted.game)
    told = said(rule(hosted, text))
    assert why in told and "DO IT" not in told, told
    assert (hosted.logs(), read_clock(hosted.game)) == before


def test_a_player_stops_no_clock(hosted: Hosted) -> None:
    """His own token is none of the umpire's, and the umpire's token from his address is nobody's."""
    rule(hosted, "PAUSE\n", sender=ADDRESSES["klingon"])
    rule(hosted, "PAUSE\n", sender=ADDRESSES["klingon"], token=token_for(hosted.folder / "mail", "duel01"))
    assert read_clock(hosted.game).paused is None
    assert not (hosted.game / "mail" / "ruling.json").exists()


def logged(hosted: Hosted) -> list[Record]:
    with opened(hosted.game) as game:
        return game.records()


def due(hosted: Hosted) -> datetime:
    found = due_of(hosted.game, hosted.now)
    assert found is not None
    return found[0].due


def test_a_game_that_the_umpire_ended_is_no_news_of_a_round(hosted: Hosted) -> None:
    with opened(hosted.game, lock="test") as game:
        override(game, Decree(reason="peace", result={"federation": "draw", "klingon": "draw"}))
    assert hosted.round().games == ()


def test_every_word_of_a_ruling_is_read_and_told_where_nothing_follows_it() -> None:
    lines = (
        "RULE Con shield 1 = 3", "RULE Des speed = 4", "OPTION boundary = die", "OPTION dac = printed",
        "HOUSE RULE: no fire in turn 1", "WITHDRAW 2", "RESULT federation = victory", "FOR klingon", "REASON: a slip",
        "REOPEN", "PUBLIC",
    )  # fmt: skip
    assert decree_of(lines) == Decree(
        changes=("Con shield 1 = 3", "Des speed = 4"), options={"boundary": "die", "dac": "printed"},
        ruling="no fire in turn 1", withdraw=2, result={"federation": "victory"}, to="klingon", reason="a slip",
        reopen=True, public=True,
    )  # fmt: skip
    wrong = ("OPTION boundary", "OPTION = die", "RESULT federation =", "WITHDRAW two", "RULE", "HOUSE RULE:", "REASON")
    with pytest.raises(GameError) as refused:
        decree_of((*wrong, "FOR", "REOPEN"), by="")
    assert [(fault.file, fault.text) for fault in refused.value.faults] == [
        ("OPTION boundary", "write NAME = VALUE after OPTION"),
        ("OPTION = die", "write NAME = VALUE after OPTION"),
        ("RESULT federation =", "write NAME = VALUE after RESULT"),
        ("WITHDRAW two", "write the number of a house rule after WITHDRAW"),
        *((word, f"write something after {word.strip(':')}") for word in ("RULE", "HOUSE RULE:", "REASON", "FOR")),
    ]
    with pytest.raises(GameError) as refused:
        decree_of(("PUBLIC",), by="klingon")
    assert refused.value.faults[0].code == "not-public"
    assert decree_of(("REOPEN",), by="klingon") == Decree(by="klingon", reopen=True)
    assert decree_of(("WITHDRAW 123456789",)) == Decree(withdraw=123_456_789)
    with pytest.raises(GameError, match="write the number of a house rule after WITHDRAW"):
        decree_of(("WITHDRAW 1234567890",))
