"""The log of a host: a line for each email, game and delivery, with ids and without secrets."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.storage.opening import opened
from pbem.mail import event_log
from pbem.mail.incoming.ledger import held
from pbem.mail.seats import token_of
from pbem.mail.umpires import token_for

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, Hosted, answer
else:
    from post_hosted import ADDRESSES, Hosted, answer

WORDS = "Nobody else reads this"


@pytest.fixture(autouse=True)
def silent_again() -> Iterator[None]:
    yield
    for logger in (event_log._LINES, event_log._EVENTS):
        logger.handlers.clear()
        logger.setLevel(0)


def played(hosted: Hosted) -> None:
    """Much of what can happen: orders, commands, faults, bounces, strangers, and a token where a Message-ID stands."""
    hosted.round()
    for _ in range(3):
        answer(hosted, *ADDRESSES)
        hosted.round()
    token = token_of(hosted.game, "klingon")
    hosted.post(hosted.letter("klingon", "AWAY tomorrow"))
    hosted.post(hosted.letter("klingon", f"MESSAGE TO federation\n{WORDS}\nEND MESSAGE\n"))
    hosted.post(hosted.letter("klingon", "GAME duel01 TURN 1\nSHIP Destruction\nPLOT 99Q\nEND\n"))
    raw = hosted.letter("federation", "STATUS")
    hosted.post(raw.replace(b"Message-ID: <", b"Message-ID: <TOKEN " + token.encode() + b"@x> <"))
    hosted.post(raw.replace(b"Message-ID: <", b"Message-ID: <" + token.encode() + b"."))
    hosted.post(hosted.letter("klingon", "STATUS", sender="mallory@example.org"))
    hosted.post(b'From: a@b.example\r\nSubject: x\r\n\r\nGAME "" TURN 1\r\n')
    hosted.post(b"From: MAILER-DAEMON@x.example\r\nX-Failed-Recipients: kor@example.org\r\nSubject: no\r\n\r\nno\r\n")
    hosted.round()


def secrets_of(hosted: Hosted) -> set[str]:
    """What no log may hold: tokens, the secret of the dice, addresses, words and orders of players."""
    with opened(hosted.game) as game:
        dice = game.secret()
    found = {token_of(hosted.game, side) for side in ADDRESSES} | {dice.hex(), dice.hex()[:16]}
    found |= {token_for(hosted.folder / "mail", "duel01"), *ADDRESSES.values(), "mallory@", WORDS}
    for file in hosted.game.glob("*/orders/*.orders"):
        found |= {line.strip() for line in file.read_text("utf-8").splitlines() if len(line.strip()) > 8}
    return found


def test_a_line_for_each_email_game_and_delivery_and_no_secret(
    hosted: Hosted, capsys: pytest.CaptureFixture[str]
) -> None:
    event_log.begin("json")
    played(hosted)
    text = capsys.readouterr().out
    lines: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines()]
    events = Counter(str(line["event"]) for line in lines)
    assert events["email"] == hosted.posted and events["game"] >= 3
    assert events["delivery"] == len(hosted.sink.mails)
    emails = [line for line in lines if line["event"] == "email"]
    assert all(line["digest"] and line["done"] for line in emails)
    with held(hosted.folder / "mail") as ledger:
        assert all((entry := ledger.find(line["digest"])) and entry.done == line["done"] for line in emails)
    assert Counter(line["done"] for line in emails) >= Counter({"orders": 5, "command": 3, "fault": 1, "bounce": 1})
    game = next(line for line in lines if line["event"] == "game")
    assert (game["game"], game["what"], game["turn"], game["request"]) == ("duel01", "played", 1, 1)
    delivery = next(line for line in lines if line["event"] == "delivery")
    assert delivery["outcome"] == "sent" and len(delivery["delivery"]) == 32 and delivery["game"] == "duel01"
    secrets = secrets_of(hosted)
    assert len(secrets) > 20 and [secret for secret in secrets if secret.casefold() in text.casefold()] == []


def test_as_text_people_see_what_they_saw(hosted: Hosted) -> None:
    run = ["host", str(hosted.folder), "--once"]
    done = CliRunner().invoke(app, run)
    assert done.output.endswith("UTC  2 mails written. 2 mails wait in mail/outbox/waiting.\n"), done.output
    for more in ([], ["--log-format", "text"]):
        assert CliRunner().invoke(app, [*run, *more]).output == ""
    assert CliRunner().invoke(app, [*run, "--log-format", "json"]).output == ""
    answer(hosted, *ADDRESSES)
    found = CliRunner().invoke(app, [*run, "--log-format", "json"]).output
    events = [json.loads(line)["event"] for line in found.splitlines()]
    assert Counter(events) == {"email": 2, "game": 1, "round": 1}
    refused = CliRunner().invoke(app, [*run, "--log-format", "xml"])
    assert refused.exit_code == 2 and "use text or json" in " ".join(refused.output.split())
    assert CliRunner().invoke(app, [*run, "--log-format", "json", "--json"]).exit_code == 2
