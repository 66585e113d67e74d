"""A whole game by mail: two players who answer what they are sent, a Maildir in, a real SMTP server out.

The players send the orders of the shipped duel, so its record must come out, byte for byte, whatever else arrives.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path

import pytest

from pbem.desk import demo
from pbem.desk.create import opening
from pbem.desk.files import write_bytes
from pbem.desk.folder import opened
from pbem.desk.publish import publish
from pbem.desk.status import status
from pbem.desk.undo import undo
from pbem.desk.verify import verify
from pbem.faults import GameError
from pbem.game import log
from pbem.post import calls, timetable
from pbem.post.host import Round, host_round
from pbem.post.mailbox import Maildir
from pbem.post.who import token_of

DUEL = next(folder for folder in demo.shipped_games() if folder.name == "duel01")
ADDRESSES = {"federation": "ann@example.org", "klingon": "kor@example.org"}
START = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)

SETTINGS = """\
format = 1
name = "Test"
orders = "orders@host.example"
umpire = "umpire@host.example"
[inbox]
kind = "maildir"
path = "Maildir"
[smtp]
host = "{host}"
port = {port}
security = "none"
[deadlines]
within = "2 days"
remind = ["1 day"]
grace = "12 hours"
late = "{late}"
"""


class Sink:
    """A carrier that keeps what it is handed; ``lose`` says what to do with the next mail instead."""

    def __init__(self) -> None:
        self.mails: list[tuple[str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.mails.append((to, mail))


class Hosted:
    """A host with the shipped duel, its players, and a clock that is set by hand."""

    def __init__(self, folder: Path, *, late: str = "wait", port: int = 0) -> None:
        self.folder, self.now, self.sink = folder, START, Sink()
        self.game = folder / "games" / "duel01"
        self.posted = 0
        for name in ("new", "cur", "tmp"):
            (folder / "Maildir" / name).mkdir(parents=True)
        settings = SETTINGS.format(late=late, host="127.0.0.1" if port else "", port=port)
        (folder / "host.toml").write_text(settings, encoding="utf-8")
        demo._copy_terms(DUEL, self.game)
        with opened(self.game) as game:
            write_bytes(game.log_file(0), log.encode_records(opening(game.terms)))
            game.write_state()
            publish(game)

    def round(self, **how: bool) -> Round:
        source = Maildir(self.folder / "Maildir")
        return host_round(self.folder, lambda: self.now, source=source, carrier=self.sink, **how)

    def post(self, raw: bytes) -> None:
        """A letter comes in."""
        self.posted += 1
        (self.folder / "Maildir" / "new" / f"{self.posted:06}.test").write_bytes(raw)

    def letter(self, side: str, text: str, *, html: bool = False, token: str = "", sender: str = "") -> bytes:
        message = EmailMessage(policy=SMTP)
        message["From"] = sender or ADDRESSES[side]
        message["To"] = "orders@host.example"
        message["Subject"] = f"Re: duel01 SITREP TOKEN {token or token_of(self.game, side)}"
        message["Message-ID"] = f"<{side}.{self.posted}@example.org>"
        message["Date"] = "Mon, 01 Mar 2027 12:00:00 +0000"
        if html:
            lines = "".join(f"<div>{line.replace('<', '&lt;') or '<br>'}</div>\n" for line in text.split("\n"))
            message.set_content(f"<html><body>{lines}</body></html>", subtype="html")
        else:
            message.set_content(text)
        return bytes(message)

    def scripted(self, side: str) -> str:
        """What the player of the shipped game sent for the request in force; empty if nothing is asked of him."""
        with opened(self.game) as game:
            now = status(game)
        if now.request is None or side not in now.owing:
            return ""
        file = DUEL / f"{now.request.turn:02}" / "orders" / f"{side}.r{now.request.number}.orders"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    def over(self) -> bool:
        with opened(self.game) as game:
            return game.state().over

    def logs(self) -> dict[str, bytes]:
        return {path.parent.name: path.read_bytes() for path in sorted(self.game.glob("*/events.jsonl"))}

    def sent_to(self, side: str) -> list[EmailMessage]:
        address = ADDRESSES.get(side, f"{side}@host.example")
        found = [message_from_bytes(mail, policy=default) for to, mail in self.sink.mails if to == address]
        assert all(isinstance(one, EmailMessage) for one in found)
        return found


SHIPPED = {path.parent.name: path.read_bytes() for path in sorted(DUEL.glob("*/events.jsonl"))}


def words(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def subjects(messages: list[EmailMessage]) -> list[str]:
    return [re.sub(r" TOKEN \w+$", "", str(one["Subject"])) for one in messages]


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    return Hosted(tmp_path / "host")


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


def test_the_record_is_the_shipped_one_whatever_else_arrives(disturbed: Hosted) -> None:
    assert disturbed.logs() == SHIPPED
    with opened(disturbed.game) as game:
        assert not verify(game).faults


def test_everybody_gets_everything_once_from_the_invitation_to_the_last_sitrep(disturbed: Hosted) -> None:
    for side in ADDRESSES:
        mails = disturbed.sent_to(side)
        assert subjects(mails)[0].endswith(f"you play {side}")
        assert subjects(mails)[-1].endswith("SITREP") and "game is over" in words(mails[-1]).lower()
        sitreps = [one for one in mails if "SITREP" in str(one["Subject"])]
        assert len({str(one["Message-ID"]) for one in sitreps}) == len(sitreps) == len(asked(disturbed))
        assert all(one["Date"] and one["Auto-Submitted"] and one["X-PBEM-Key"] for one in mails)
        assert len({str(one["References"]).split()[0] for one in sitreps}) == 1, "one thread"
    assert disturbed.round().put == 0, "nothing more is to be said"


def test_what_is_not_in_order_is_told_to_whom_it_concerns(disturbed: Hosted) -> None:
    faults = [one for one in disturbed.sent_to("klingon") if "faults" in str(one["Subject"])]
    assert len(faults) == 1 and "kirk" in words(faults[0]).lower()
    assert any("orders are missing" in one for side in ADDRESSES for one in subjects(disturbed.sent_to(side)))
    assert [one for one in subjects(disturbed.sent_to("umpire")) if "put aside" in one] == [
        "pbem: 2 letters were put aside"
    ]
    assert {to for to, _ in disturbed.sink.mails} == {*ADDRESSES.values(), "umpire@host.example"}


def asked(hosted: Hosted) -> list[Path]:
    """Every folder of reports of the game."""
    return [path for path in hosted.game.glob("*/*") if (path / "umpire").is_dir()]


# --- who is late -----------------------------------------------------------------------------------------------------


def answer(hosted: Hosted, *sides: str) -> None:
    for side in sides:
        hosted.post(hosted.letter(side, hosted.scripted(side)))


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
    hosted.now += timedelta(days=2, hours=11)
    hosted.round()
    assert not (hosted.game / "01" / "r2").is_dir(), "grace is not over"
    hosted.now += timedelta(hours=2)
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


def test_a_game_waits_where_that_was_agreed_and_the_umpire_hears_of_it_once(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation")
    hosted.now += timedelta(days=4)
    hosted.round()
    hosted.round()
    assert [words(one) for one in hosted.sent_to("umpire")] == [
        "duel01 waits for klingon: the deadline has passed, and grace too.\n"
    ]
    answer(hosted, "klingon")
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()


def test_if_most_players_are_late_nothing_is_done_for_them(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host", late="hold")
    hosted.round()
    hosted.now += timedelta(days=4)
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


def test_wait_keeps_play_back_until_the_deadline(hosted: Hosted) -> None:
    hosted.round()
    answer(hosted, "federation")
    hosted.post(hosted.letter("klingon", "WAIT\n\n" + hosted.scripted("klingon")))
    hosted.round()
    assert not (hosted.game / "01" / "r2").is_dir()
    hosted.now += timedelta(days=2)
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()


def test_a_side_can_be_given_to_another_player(hosted: Hosted) -> None:
    hosted.round()
    before = token_of(hosted.game, "klingon")
    with opened(hosted.game, lock="test") as game:
        assert calls.replace(game, "KLINGON", "Ko <koloth@example.org>") == "klingon"
    hosted.round()
    new = [one for one in hosted.sink.mails if one[0] == "koloth@example.org"]
    assert [str(message_from_bytes(mail)["Subject"]).split(" TOKEN")[0] for _, mail in new] == [
        "duel01: you play klingon", "duel01 1.0 SITREP",
    ]  # fmt: skip
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


def test_no_side_is_sent_what_another_wrote(disturbed: Hosted) -> None:
    ships = {"federation": "constellation", "klingon": "destruction"}
    for side, other in (("federation", "klingon"), ("klingon", "federation")):
        said = [plain(mail) for to, mail in disturbed.sink.mails if to == ADDRESSES[side]]
        hidden = secrets_of(disturbed, other) - secrets_of(disturbed, side) - BOTH_SAY
        assert len(hidden) > 40
        assert not {secret for one in said for secret in hidden if secret in one}
        assert not any(f"{ships[other]} allots its energy" in one for one in said)
        assert any(f"{ships[side]} allots its energy" in one for one in said), "the search finds what is there"
        assert any(secret in one for one in said for secret in secrets_of(disturbed, side))


# --- a machine that stops --------------------------------------------------------------------------------------------


def command(hosted: Hosted) -> list[str]:
    return [sys.executable, "-m", "pbem", "host", str(hosted.folder), "--once"]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2]), "PYTHONDONTWRITEBYTECODE": "1"}


def killed_game(hosted: Hosted, kills: int, seed: int) -> int:
    """Play the duel by `pbem host --once`, which is killed at random moments; returns how often it was.

    Every letter is posted once, before its round, and never again.
    """
    rng = random.Random(seed)
    killed = 0
    longest = 1.0
    for _ in range(60):
        while True:
            started = time.monotonic()
            process = subprocess.Popen(
                command(hosted), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            if killed < kills and rng.random() < 0.8:
                try:
                    process.wait(rng.uniform(0.15, longest))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    killed += 1
                    continue
            code = process.wait()
            longest = min(3.0, max(0.3, time.monotonic() - started))
            assert code == 0
            break
        if hosted.over():
            return killed
        for side in ADDRESSES:
            if text := hosted.scripted(side):
                hosted.post(hosted.letter(side, text))
    raise AssertionError("the game does not end")


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "seed"), [(int(os.environ.get("PBEM_KILLS", "12")), 1)])
def test_a_host_that_is_killed_loses_nothing_and_counts_nothing_twice(tmp_path: Path, kills: int, seed: int) -> None:
    hosted = Hosted(tmp_path / "host")
    for attempt in range(40):
        done = killed_game(hosted, kills, seed + attempt)
        kills -= done
        check_unharmed(hosted)
        if kills <= 0:
            break
        hosted = Hosted(tmp_path / f"host{attempt}")
    assert kills <= 0


@pytest.mark.slow
def test_a_host_killed_a_few_times_in_its_first_rounds_plays_on(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    rng = random.Random(7)
    for number in range(3):
        for _ in range(2):
            process = subprocess.Popen(
                command(hosted), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                process.wait(rng.uniform(0.2, 0.8))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        subprocess.run(command(hosted), env=environment(), check=True, stdout=subprocess.DEVNULL)
        if number < 2:
            for side in ADDRESSES:
                hosted.post(hosted.letter(side, hosted.scripted(side)))
    check_unharmed(hosted)
    assert (hosted.game / "01" / "r3").is_dir()


def check_unharmed(hosted: Hosted) -> None:
    """No letter lost or counted twice, no turn half done, the shipped record so far, one mail of each kind."""
    logs = hosted.logs()
    assert all(SHIPPED[turn].startswith(text) for turn, text in logs.items())
    with opened(hosted.game) as game:
        assert not verify(game).faults
    journal = (hosted.folder / "mail" / "letters.jsonl").read_text(encoding="utf-8").split("\n")
    assert sum('"done":"orders"' in line for line in journal) == hosted.posted
    assert not list((hosted.folder / "Maildir" / "new").iterdir())
    assert not list(hosted.game.glob("*/orders/*.v1.orders")), "no orders were filed twice"
    waiting = [path.name for path in (hosted.folder / "mail" / "outbox" / "waiting").glob("*.eml")]
    count = {kind: sum(name.startswith(f"{kind}.") for name in waiting) for kind in ("invitation", "sitrep", "receipt")}
    assert count == {"invitation": 2, "sitrep": 2 * len(asked(hosted)), "receipt": hosted.posted}
    assert not list(hosted.folder.rglob("*.tmp"))


# --- the door --------------------------------------------------------------------------------------------------------


def pbem(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pbem", *map(str, arguments)]
    return subprocess.run(line, env=environment(), capture_output=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_from_an_empty_folder_to_mail_at_a_real_server(tmp_path: Path) -> None:
    controller = pytest.importorskip("aiosmtpd.controller", reason="aiosmtpd is not installed")
    handlers = pytest.importorskip("aiosmtpd.handlers")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    folder, box = tmp_path / "club", tmp_path / "sink"
    assert pbem("host", "init", folder).returncode == 0
    settings = (folder / "host.toml").read_text(encoding="utf-8")
    settings = settings.replace('host = ""', 'host = "127.0.0.1"').replace("port = 587", f"port = {port}")
    (folder / "host.toml").write_text(settings.replace('"starttls" ', '"none"     '), encoding="utf-8")
    players = [f"--player={side}={address}" for side, address in ADDRESSES.items()]
    assert pbem("new", "5", folder / "games" / "duel01", *players).returncode == 0
    refused = pbem("doctor", folder)
    assert refused.returncode == 1 and "does not answer" in refused.stdout
    running = controller.Controller(handlers.Mailbox(str(box)), hostname="127.0.0.1", port=port)
    running.start()
    try:
        examined = pbem("doctor", folder)
        assert (examined.returncode, examined.stderr) == (0, ""), examined.stdout
        assert pbem("host", "invite", folder / "games" / "duel01").returncode == 0
        first = pbem("host", folder, "--once")
        assert (first.returncode, first.stderr) == (0, "") and "4 mails sent" in first.stdout
        assert pbem("host", folder, "--once").stdout == "Nothing to do.\n"
    finally:
        running.stop()
    mails = [message_from_bytes(path.read_bytes(), policy=default) for path in (box / "new").iterdir()]
    assert sorted(str(mail["To"]) for mail in mails) == sorted([*ADDRESSES.values()] * 2)
    assert pbem("pause", folder / "games" / "duel01").returncode == 0
    assert pbem("pause", folder / "games" / "duel01").returncode == 1
    assert pbem("resume", folder / "games" / "duel01").returncode == 0
    replaced = pbem("host", "replace", folder / "games" / "duel01", "klingon", "koloth@example.org")
    assert replaced.returncode == 0


def test_two_hosts_on_one_folder_do_no_harm(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    for side in ADDRESSES:
        hosted.post(hosted.letter(side, hosted.scripted(side)))
    running = [
        subprocess.Popen(command(hosted), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(3)
    ]
    assert {process.wait() for process in running} <= {0, 1}
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()
    assert sum(path.name.startswith("sitrep.") for path in (hosted.folder / "mail/outbox/sent").iterdir()) == 2


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
    assert sum("umpire is wanted" in one for one in subjects(hosted.sent_to("umpire"))) == 1


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
