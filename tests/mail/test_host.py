"""A whole game by mail: two players who answer what they are sent, a Maildir in, a real SMTP server out.

The players send the orders of the shipped duel, so its record must come out, byte for byte, whatever else arrives.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games import resolve
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.umpire.undo import undo
from pbem.mail.commands import seats
from pbem.mail.host import clocks as timetable
from pbem.mail.seats import token_of

pytestmark = pytest.mark.usefixtures("pages")

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, DUEL, SHIPPED, Hosted, answer, asked, subjects, words
else:
    from post_hosted import ADDRESSES, DUEL, SHIPPED, Hosted, answer, asked, subjects, words


def play_through(hosted: Hosted, *, disturb: Callable[[Hosted, int], None] = lambda hosted, turn: None) -> None:
    """Both players answer everything, a round after each pair of letters, until the game is over."""
    for number in range(100):
        hosted.round()
        if hosted.over():
            break
        disturb(hosted, number)
        for side in ADDRESSES:
            if text := hosted.scripted(side):
                hosted.post(hosted.letter(side, text))
        hosted.now += timedelta(hours=3)
    hosted.round()
    assert hosted.over()


def disturb(hosted: Hosted, number: int) -> None:
    """What arrives besides the letters of the game."""
    text = hosted.scripted("klingon")
    if number == 0:
        hosted.post(hosted.letter("klingon", text.replace("disr a 2", "disr a 2 kirk")))  # a broken form
    elif number == 1:
        hosted.post(hosted.letter("klingon", text, html=True))  # a page, and after it the same as text
    elif number == 2:
        hosted.now += timedelta(days=1, hours=2)  # late enough to be reminded
        hosted.round()
    elif number == 3:
        assert text
        hosted.post(hosted.letter("klingon", text, sender="eve@example.org"))  # the token from elsewhere
        hosted.post(hosted.letter("klingon", text, token="x" * 14))  # the address without the token
        hosted.round()
        assert hosted.scripted("klingon"), "nothing of that counted"
        raw = hosted.letter("klingon", text)
        hosted.post(raw)
        hosted.post(raw)  # twice the same


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Hosted:
    """A late player, a broken form, a page, a duplicate and forgeries: a whole game all the same."""
    hosted = Hosted(tmp_path_factory.mktemp("disturbed") / "host")
    play_through(hosted, disturb=disturb)
    return hosted


@pytest.mark.slow
def test_the_record_is_the_shipped_one_whatever_else_arrives(disturbed: Hosted) -> None:
    assert disturbed.logs() == SHIPPED
    with opened(disturbed.game) as game:
        assert not verify(game).faults


@pytest.mark.slow
def test_everybody_gets_everything_once_from_the_invitation_to_the_last_sitrep(disturbed: Hosted) -> None:
    for side in ADDRESSES:
        mails = disturbed.sent_to(side)
        assert subjects(mails)[0].endswith(f"you play {side}")
        assert subjects(mails)[-1].endswith("SITREP") and "game is over" in words(mails[-1]).lower()
        sitreps = [one for one in mails if "SITREP" in str(one["Subject"])]
        assert len({str(one["Message-ID"]) for one in sitreps}) == len(sitreps) == len(asked(disturbed))
        assert all(one["Date"] and one["Auto-Submitted"] and one["X-PBEM-Key"] for one in mails)
        first, *later = sitreps
        assert first is mails[0] and sum("you play" in one for one in subjects(mails)) == 1, "one first mail, not two"
        assert {str(one["References"]).split()[0] for one in later} == {str(first["Message-ID"])}, "one thread"
    assert disturbed.round().put == 0, "nothing more is to be said"


@pytest.mark.slow
def test_what_is_not_in_order_is_told_to_whom_it_concerns(disturbed: Hosted) -> None:
    faults = [one for one in disturbed.sent_to("klingon") if "faults" in str(one["Subject"])]
    assert len(faults) == 1 and "kirk" in words(faults[0]).lower()
    assert any("orders are missing" in one for side in ADDRESSES for one in subjects(disturbed.sent_to(side)))
    assert [one for one in subjects(disturbed.sent_to("umpire")) if "put aside" in one] == [
        "pbem: 2 emails were put aside"
    ]
    assert {to for to, _ in disturbed.sink.mails} == {*ADDRESSES.values(), "umpire@host.example"}


# --- who is late -----------------------------------------------------------------------------------------------------


def test_reminders_name_the_forms_that_are_missing_and_nobody_else(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation")
    hosted.now += timedelta(days=1)
    hosted.round()
    hosted.round()
    assert not [one for one in subjects(hosted.sent_to("federation")) if "missing" in one]
    (reminder,) = [one for one in hosted.sent_to("klingon") if "missing" in str(one["Subject"])]
    assert "EAF  Destruction  (turn 1, REPLY 1)" in words(reminder)
    assert "Wed 3 Mar 2027, 12:00 (UTC)" in words(reminder)
    assert [part.get_filename() for part in reminder.iter_attachments()] == ["klingon.r1.orders"]
    hosted.now += timedelta(days=1)
    hosted.round()
    assert sum("missing" in one for one in subjects(hosted.sent_to("klingon"))) == 2, "and once more at the deadline"


@pytest.mark.parametrize(("late", "speed"), [("hold", "SPEED 16"), ("robot", "DISR A 2"), ("last orders", "SPEED 16")])
def test_what_was_agreed_is_filed_for_who_is_late(tmp_path: Path, late: str, speed: str) -> None:
    hosted = Hosted(tmp_path / "host", late=late)
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=2, hours=11)
    hosted.round()
    assert not (hosted.game / "01" / "r2").is_dir(), "grace is not over"
    hosted.later(hours=2)
    hosted.round()
    filed = (hosted.game / "01" / "orders" / "klingon.r1.orders").read_text(encoding="utf-8")
    assert filed.startswith(f"# Filed by the host, as no orders came in time; agreed for this: {late}.")
    assert speed in filed
    (told,) = [one for one in hosted.sent_to("klingon") if "filed for you" in str(one["Subject"])]
    assert speed in words(told)
    for side in ADDRESSES:
        assert "klingon: no orders came for request 1 of turn 1." in words(hosted.sent_to(side)[-1])
    assert speed not in words(hosted.sent_to("federation")[-1])
    with opened(hosted.game) as game:
        assert not verify(game).faults


def test_the_umpire_hears_once_of_whom_no_legal_orders_can_be_written_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    monkeypatch.setattr("pbem.mail.host.round.stand_in", lambda *_: "")
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=2, hours=13)
    said = "No legal orders could be written for klingon in duel01; the game is waiting for them."
    for _ in range(2):
        assert hosted.round().troubles == (said,)
    assert [words(one).count(said) for one in hosted.sent_to("umpire")] == [1]
    answer(hosted, "klingon")
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()


def test_a_game_waits_where_that_was_agreed_and_the_umpire_hears_of_it_once(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation")
    hosted.later(days=4)
    hosted.round()
    hosted.round()
    [told] = [words(one) for one in hosted.sent_to("umpire")]
    assert told.startswith(
        "duel01 waits for klingon: the deadline and the grace period have passed. `pbem host extend "
    )
    answer(hosted, "klingon")
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()


def test_if_most_players_are_late_nothing_is_done_for_them(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.later(days=4)
    assert hosted.round().stopped and hosted.round().stopped
    assert ["2 of 2 players are late at once" in words(one) for one in hosted.sent_to("umpire")] == [True]
    assert not (hosted.game / "01" / "orders").is_dir()
    assert not hosted.round(anyway=True).stopped
    assert (hosted.game / "01" / "r2").is_dir()


def test_a_paused_game_stands_and_its_deadlines_come_later(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    timetable.pause(hosted.game, hosted.now)
    answer(hosted, "federation", "klingon")
    hosted.now += timedelta(days=10)
    assert hosted.round().letters == ("orders", "orders")
    assert not (hosted.game / "01" / "r2").is_dir()
    assert "paused" in words(hosted.sent_to("klingon")[-1])
    timetable.resume(hosted.game, hosted.now)
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()
    with pytest.raises(GameError):
        timetable.resume(hosted.game, hosted.now)


def test_a_paused_game_is_not_resolved_by_hand_either(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation", "klingon")
    timetable.pause(hosted.game, hosted.now, "Ann is at sea.")
    hosted.round()
    said = CliRunner().invoke(app, ["resolve", str(hosted.game)]).exception
    assert f"this game is paused (Ann is at sea); continue it with `pbem resume {hosted.game}`" in str(said)
    assert not (hosted.game / "01" / "r2").is_dir()
    timetable.resume(hosted.game, hosted.now)
    assert CliRunner().invoke(app, ["resolve", str(hosted.game)]).exit_code == 0
    assert (hosted.game / "01" / "r2").is_dir()


def test_captains_whom_nobody_stops_are_stopped_and_the_umpire_says_whether_they_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of them may circle each other for ever; each round of the host would have them play on."""
    hosted = Hosted(tmp_path / "host")
    monkeypatch.setattr(resolve, "ALONE", 1)
    circling = hosted.folder / "games" / "circling"
    new("5", circling, players={"federation": "ensign", "klingon": "ensign"}, seed="captains")
    turns = []
    for _ in range(2):
        done = hosted.round()
        with opened(circling) as game:
            turns.append(game.state().turn)
        assert [one.what for one in dict(done.games)["circling"]][-1] == "alone"
        assert [
            text for text in done.troubles if text.startswith("circling is paused, because only computer players have")
        ]
        hosted.now += timedelta(hours=1)
        assert not hosted.round().troubles
        with opened(circling) as game:
            assert game.state().turn == turns[-1]
        timetable.resume(circling, hosted.now)
    assert turns[1] == turns[0] + 1
    told = [words(mail) for mail in hosted.sent_to("umpire")]
    assert len([text for text in told if "circling is paused" in text]) == 2


def test_in_a_paused_game_nobody_is_reminded_or_late(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    timetable.pause(hosted.game, hosted.now)
    hosted.round()
    before = len(hosted.sink.mails)
    for _ in range(4):
        hosted.now += timedelta(days=1)
        done = hosted.round()
        assert not done.troubles and not done.put and not done.stopped
    assert len(hosted.sink.mails) == before and not list(hosted.game.glob("01/orders/*"))
    timetable.resume(hosted.game, hosted.now)
    hosted.now += timedelta(hours=25)
    hosted.round()
    assert [str(mail["Subject"]).split(" TOKEN")[0] for mail in hosted.sent_to("klingon")[1:]] == [
        "duel01: the game is paused", "duel01: the game continues", "duel01 1.0: orders are missing"
    ]  # fmt: skip
    assert "The deadline is Sun 7 Mar 2027, 12:00" in " ".join(words(hosted.sent_to("klingon")[-1]).split())


def test_wait_keeps_play_back_until_the_deadline(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation")
    hosted.post(hosted.letter("klingon", "WAIT\n\n" + hosted.scripted("klingon")))
    hosted.round()
    assert not (hosted.game / "01" / "r2").is_dir()
    hosted.later(days=2)
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()


def test_a_side_can_be_given_to_another_player(hosted: Hosted) -> None:
    hosted.round()
    before = token_of(hosted.game, "klingon")
    with opened(hosted.game, lock="test") as game:
        assert seats.replace(game, "KLINGON", "Ko <koloth@example.org>", hosted.now) == "klingon"
    hosted.round()
    new = [one for one in hosted.sink.mails if one[0] == "koloth@example.org"]
    assert [str(message_from_bytes(mail)["Subject"]).split(" TOKEN")[0] for _, mail in new] == [
        "duel01 1.0 SITREP: you play klingon"
    ]
    assert before.encode() not in b"".join(mail for _, mail in new)
    text = hosted.scripted("klingon")
    hosted.post(hosted.letter("klingon", text, token=before))
    hosted.round()
    assert hosted.scripted("klingon"), "the player who left has no say"
    hosted.post(hosted.letter("klingon", text, sender="koloth@example.org"))
    hosted.round()
    assert not hosted.scripted("klingon")


# --- secrecy ---------------------------------------------------------------------------------------------------------


def plain(mail: bytes) -> str:
    """Every byte a mail holds, as it is and as it is read."""
    message = message_from_bytes(mail)
    pieces = [mail.decode("utf-8", "replace")]
    for part in message.walk():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            pieces.append(content.decode("utf-8", "replace"))
    return " ".join("\n".join(pieces).split()).casefold()


def secrets_of(hosted: Hosted, side: str) -> set[str]:
    """A side's token, and the lines of its orders nobody else may see."""
    found = {token_of(hosted.game, side)}
    for file in DUEL.glob(f"*/orders/{side}.*.orders"):
        for line in file.read_text(encoding="utf-8").split("\n"):
            bare = " ".join(re.split(r" #(?!\d)", line.lstrip("> "))[0].split())
            if len(bare) >= 12 and not re.match(r"game |ship |shuttle |duel01 \S+ sitrep", bare.casefold()):
                found.add(bare.casefold())
    return found


BOTH_SAY = {
    "enemy launches seeker",  # a hint of every draft
    "break internals", "engine impulse last", "move 9 warp + 1 impulse", "reinforce #1 with 3",  # of their own ships
}  # fmt: skip


@pytest.mark.slow
def test_no_side_is_sent_what_another_wrote(disturbed: Hosted) -> None:
    ships = {"federation": "constellation", "klingon": "destruction"}
    for side, other in (("federation", "klingon"), ("klingon", "federation")):
        said = [plain(mail) for to, mail in disturbed.sink.mails if to == ADDRESSES[side]]
        hidden = secrets_of(disturbed, other) - secrets_of(disturbed, side) - BOTH_SAY
        assert len(hidden) > 40
        assert not {secret for one in said for secret in hidden if secret in one}
        assert not any(f"{ships[other]} allocates its energy" in one for one in said)
        assert any(f"{ships[side]} allocates its energy" in one for one in said), "the search finds what is there"
        assert any(secret in one for one in said for secret in secrets_of(disturbed, side))


def test_what_cannot_be_meant_in_host_toml_is_told_all_at_once(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    file = hosted.folder / "host.toml"
    text = file.read_text(encoding="utf-8").replace('"2 days"', '"soon"').replace('"orders@host', '"orders host')
    file.write_text(text, encoding="utf-8")
    with pytest.raises(GameError) as caught:
        hosted.round()
    assert [fault.code for fault in caught.value.faults] == ["deadline-rule", "address"]


def test_one_damaged_game_keeps_no_other_from_being_played(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    other = hosted.folder / "games" / "zz"
    shutil.copytree(hosted.game, other)
    toml = (other / "game.toml").read_text(encoding="utf-8")
    (other / "game.toml").write_text(toml.replace('"duel01"', '"zz"'), encoding="utf-8")
    (other / "01" / "r1" / "umpire" / "sitrep.txt").unlink()
    (other / "00" / "events.jsonl").write_text("{damaged\n", encoding="utf-8")
    answer(hosted, "federation", "klingon")
    done = hosted.round()
    assert any(trouble.startswith("zz:") for trouble in done.troubles)
    assert (hosted.game / "01" / "r2").is_dir()
    hosted.round()
    assert sum("umpire is needed" in one for one in subjects(hosted.sent_to("umpire"))) == 1


def test_play_that_is_taken_back_is_told_and_asked_for_anew(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation", "klingon")
    hosted.round()
    hosted.now += timedelta(days=1)
    with opened(hosted.game, lock="test") as game:
        undo(game, reason="a mistake of mine")
    before = len(hosted.sent_to("klingon"))
    hosted.round()
    (told,) = hosted.sent_to("klingon")[before:]
    assert "a mistake of mine" in words(told) and "The deadline is Thu 4 Mar 2027, 12:00" in words(told)


def test_who_sent_his_orders_with_the_form_is_not_told_that_they_are_wanted(hosted: Hosted) -> None:
    hosted.round()
    hosted.post(hosted.letter("klingon", hosted.scripted("klingon")))
    whole = "GAME duel01 TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 9\nPLOT 4F\nEND\n"
    hosted.post(hosted.letter("federation", whole))
    hosted.round()
    ann, kor = (words(hosted.sent_to(side)[-1]) for side in ("federation", "klingon"))
    assert "Your orders for this request are already on file" in " ".join(ann.split())
    assert "Your orders are wanted." in kor
    assert "on file already" not in kor


def test_the_order_form_opens_a_mail_by_which_its_player_is_known(hosted: Hosted) -> None:
    hosted.round()
    attached = {part.get_filename(): part for part in hosted.sent_to("klingon")[-1].iter_attachments()}
    page = attached["orders.html"].get_payload(decode=True)
    assert isinstance(page, bytes)
    found = re.search(rb'<script type="application/json" id="form">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    mail = json.loads(found[1])["mail"]
    assert mail["to"] == "orders@host.example"
    assert token_of(hosted.game, "klingon") in mail["subject"]
    assert token_of(hosted.game, "federation").encode() not in page
    letter = hosted.letter("klingon", hosted.scripted("klingon"))
    hosted.post(re.sub(rb"Subject: [^\r\n]*", b"Subject: " + mail["subject"].encode(), letter))
    hosted.round()
    assert not hosted.scripted("klingon"), "it counted"
