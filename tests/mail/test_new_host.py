"""What somebody who had only the docs stumbled over when he hosted a club for the first time."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, replace_player
from pbem.mail.host.operate import invite
from pbem.mail.incoming.extract import command_hints

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, START, Hosted, subjects, words
else:
    from post_hosted import ADDRESSES, START, Hosted, subjects, words

PEOPLE = """\
format = 1
[people.ann]
name = "Ann Lee"
mail = "ann@example.org"
[people.kor]
name = "Kor"
mail = "kor@example.org"
"""


def pbem(*line: object) -> str:
    """What a command says, or why it was not done."""
    done = CliRunner().invoke(app, [str(word) for word in line])
    return str(done.exception) if done.exit_code and not done.output.strip() else done.output


def test_nobody_plays_in_a_club_who_cannot_be_written_to(hosted: Hosted) -> None:
    (hosted.folder / "players.toml").write_text(PEOPLE, encoding="utf-8")
    game = hosted.folder / "games" / "two"
    said = pbem("new", 5, game, "--player", "federation=anne", "--player", "klingon=kor")
    assert (
        "'anne' (federation) is neither an email address" in said and "did you mean ann?" in said and not game.exists()
    )
    for good in ("ann", "Ann Lee", "Ann <ann@elsewhere.example>", "captain"):
        folder = hosted.folder / "games" / f"game{len(good)}"
        pbem("new", 5, folder, "--player", f"federation={good}", "--player", "klingon=kor")
        assert (folder / "game.toml").is_file(), good
    assert (hosted.folder.parent / "home").exists() is False
    pbem("new", 5, hosted.folder.parent / "home", "--player", "federation=anne")
    assert (hosted.folder.parent / "home" / "game.toml").is_file(), "whom one plays with at home has no address"


def test_an_invitation_by_hand_has_the_words_of_the_club(hosted: Hosted) -> None:
    own = hosted.folder / "templates" / "emails" / "invitation.txt.j2"
    own.parent.mkdir(parents=True)
    own.write_text("Subject: Come aboard\n\nYou play {{ side }}.\n", encoding="utf-8")
    assert sorted(invite(hosted.game, START)) == ["federation", "klingon"]
    hosted.round()
    for side in ADDRESSES:
        (mail,) = hosted.sent_to(side)
        assert subjects([mail]) == ["Come aboard"] and words(mail).startswith(f"You play {side}.\n")


def test_the_umpire_hears_of_a_side_that_nobody_is_asked_for(hosted: Hosted) -> None:
    with opened(hosted.game, lock="test") as game:
        replace_player(game.path, Tenure(side="klingon", before="kor@example.org", player="kohr", at=START, turn=1))
    said = " ".join(hosted.round().troubles)
    assert "has no address for 'kohr', who plays klingon" in said
    assert "duel01 has no address for 'kohr'" in " ".join(pbem("host", "status", hosted.folder).split())


def test_what_the_umpire_answers_goes_to_the_player_and_what_does_not_is_told(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("klingon", "I have no time until Sunday."))
    hosted.round()
    (copy,) = (one for one in hosted.sent_to("umpire") if one["Subject"] == "duel01: klingon writes")
    assert copy["Reply-To"] == ADDRESSES["klingon"]
    assert 'pbem host extend host/games/duel01 "2 days" --reason TEXT' in words(copy)
    day = START + timedelta(days=14)
    assert f'pbem host player host kor@example.org --away "until {day:%Y-%m-%d}"' in words(copy)
    assert "away" in pbem("host", "player", hosted.folder, "kor@example.org", "--away", f"until {day:%Y-%m-%d}")
    answer = hosted.sent_to("klingon")[-1]
    assert "passed on to your umpire" in answer["Subject"] and "AWAY until Sunday" in " ".join(words(answer).split())
    assert answer["Reply-To"] == "orders@host.example"
    lost = EmailMessage(policy=SMTP)
    lost["From"], lost["To"], lost["Subject"] = "umpire@host.example", "orders@host.example", "Re: duel01"
    lost["Message-ID"] = "<lost@host.example>"
    lost.set_content("No problem, Kor.")
    for _ in range(3):  # once, whatever his mail program says to that
        hosted.post(bytes(lost))
        hosted.round()
        lost.replace_header("Message-ID", f"<lost{hosted.posted}@host.example>")
    told = [words(one) for one in hosted.sent_to("umpire") if "put aside" in one["Subject"]]
    assert len(told) == 1 and "To write to a player, use the player's own address" in " ".join(told[0].split())


@pytest.mark.parametrize("by", ["a round", "host invite"])
def test_an_invitation_names_players_by_their_names(hosted: Hosted, by: str) -> None:
    (hosted.folder / "players.toml").write_text(PEOPLE, encoding="utf-8")
    game = hosted.folder / "games" / "named"
    pbem("new", 5, game, "--player", "federation=ann", "--player", "klingon=kor")
    if by == "host invite":
        invite(game, hosted.now)
    hosted.round()
    (mail,) = (one for one in hosted.sent_to("klingon") if "named" in str(one["Subject"]))
    assert "  federation: Ann Lee\n  klingon: Kor\n" in words(mail), subjects([mail])


def test_for_a_dead_address_the_same_person_elsewhere_is_offered_first(hosted: Hosted, tmp_path: Path) -> None:
    hosted.round()
    hosted.post(
        b"From: MAILER-DAEMON@mx.example\r\nTo: orders@host.example\r\nMessage-ID: <b@mx.example>\r\n"
        b"Subject: Undelivered\r\nX-Failed-Recipients: kor@example.org\r\n\r\nNo such user.\r\n"
    )
    hosted.round()
    said = pbem("host", "status", hosted.folder)
    first, second = f"pbem host player {hosted.folder} kor@example.org --mail ADDRESS", "pbem host replace "
    assert 0 < said.find(first) < said.find(second)
    assert "WHO --mail ADDRESS` gives somebody another address" in " ".join(pbem("doctor", hosted.folder).split())


# --- and what a player did who knew nothing but his mails ------------------------------------------------------------


def test_orders_copied_with_the_bars_before_them_are_orders(hosted: Hosted) -> None:
    hosted.round()
    orders = hosted.scripted("klingon")
    barred = "".join(f"| {line}\n" if line else "|\n" for line in orders.rstrip("\n").split("\n"))
    hosted.post(hosted.letter("klingon", f"Here they are:\n\n{barred}\nBye\n"))
    hosted.round()
    assert "receipt for request 1" in hosted.sent_to("klingon")[-1]["Subject"]
    # In what is quoted they stand to be read, and nobody sends them by answering.
    quoted = "".join(f"> {line}\n" for line in barred.split("\n"))
    hosted.post(hosted.letter("federation", f"What is this?\n\nOn Monday you wrote:\n{quoted}"))
    hosted.round()
    assert "no orders found" in hosted.sent_to("federation")[-1]["Subject"]


def test_wait_above_orders_is_told_with_their_receipt(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("klingon", f"WAIT\n\n{hosted.scripted('klingon')}"))
    hosted.round()
    said = " ".join(words(hosted.sent_to("klingon")[-1]).split())
    assert "are on file" in said and "Request 1 is not played before its deadline" in said


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Please take my orders back, I made a mistake.", "WITHDRAW"),
        ("I will be away from Dec 4 to Dec 7.", "AWAY"),
        ("I give up... Can I offer a draw?", "DRAW"),
        ("I give up... Can I offer a draw?", "RESIGN"),
        ("HELP range 0", "HELP"),
        ("Continue, please", "CONTINUE"),
        ("Could I have more time?", "EXTEND"),
        ("Can you send me the form again?", "DRAFT"),
        ("status please", "STATUS"),
        ("When are my orders due?", "STATUS"),
        ("My new address is ann@work.example.", "ADDRESS ann@work.example"),
        ("I have a new email address", "ADDRESS new@example.org"),
    ],
)
def test_who_asks_in_his_own_words_is_told_the_command(text: str, command: str) -> None:
    assert any(re.match(rf"{command}\b", how) for how in command_hints(text))


def test_without_the_guides_help_is_named_with_a_word_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(topic: str) -> bool:
        raise GameError.saying("no-such-file", "there are no guides")

    monkeypatch.setattr("pbem.reports.text.guide.leads_to", missing)
    assert any(how.startswith("HELP orders ") for how in command_hints("How do I raise my shields?"))


def test_who_asks_in_his_own_words_hears_that_his_orders_stand(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon")))
    hosted.round()
    hosted.post(hosted.letter("klingon", "Please take my orders back."))
    hosted.round()
    said = words(hosted.sent_to("klingon")[-1])
    assert "Your orders for request 1 still count." in said
    assert "\n  WITHDRAW takes back your orders for this request\n" in said
