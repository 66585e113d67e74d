"""What the host does where something seldom happens: an address that comes back, links in a club's folder, a keyring
that does not answer, a clock of a game that is over.
"""

from __future__ import annotations

import os
import stat
import sys
import tarfile
from datetime import date, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import msgspec
import pytest

from pbem.data.terms import FormKind, StepName
from pbem.engine.events import Requested
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.status import status
from pbem.games.storage.files import keep, write_bytes
from pbem.games.storage.opening import opened
from pbem.games.storage.players import CLOCK, FOLDER, note_names, note_version
from pbem.mail import emails, settings
from pbem.mail.commands import dispatch, endings, seats as addresses, seats as replacing, time, umpire
from pbem.mail.host import clocks as timetable, doctor, operate, tidy
from pbem.mail.host.backup import MOVED, backup
from pbem.mail.host.deadlines import days_in
from pbem.mail.host.idle import Rest
from pbem.mail.host.overview import _row
from pbem.mail.host.trouble import UnreachablePlayers
from pbem.mail.incoming.intake import games_of
from pbem.mail.incoming.message import Letter, read_letter
from pbem.mail.people import MOVES, Move, read_moves
from pbem.mail.replies import announce
from pbem.mail.replies.answer import _ruled, answer_player
from pbem.mail.replies.conversation import Conversation
from pbem.mail.seats import Games, Seat
from pbem.mail.settings import read_host
from pbem.mail.store import keep_fact, opened as database
from pbem.mail.transport import passwords
from pbem.mail.transport.outbox import open_outbox
from pbem.mail.transport.passwords import Wanted

if TYPE_CHECKING:
    from tests.mail.conftest import Write
    from tests.mail.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

    Write = Any

ANN, NEW = "ann@example.org", "new@example.org"


# --- addresses ---


@pytest.mark.parametrize(("change", "answered"), [
    ({}, True), ({"old": "zoe@example.org", "new": "zoe@example.com"}, False), ({"code": "x"}, False),
    ({"asked": START - timedelta(days=60)}, False), ({"asked": START - timedelta(days=30)}, False),
    ({"asked": START - timedelta(days=30, seconds=-1)}, True),
    ({"asked": START - timedelta(days=60), "done": START}, True),
])  # fmt: skip
def test_a_code_that_comes_back_moves_the_mail_of_who_plays_here(
    hosted: Hosted, change: dict[str, Any], answered: bool
) -> None:
    games = msgspec.structs.replace(games_of(hosted.folder, START), club=hosted.folder, now=START)
    move = Move(**{"old": ANN, "new": NEW, "code": "abc", "cause": "c", "asked": START, **change})
    keep_fact(games.post, MOVES, [move])
    letter = Letter(kind="command", digest="d", sender=move.new, text="", command="ADDRESS", argument="CODE ABC")
    found = addresses.confirmed(letter, games)
    assert (found is not None) == answered
    if found is not None:
        assert found[0].side == "federation" and [one.to for one in found[1]] == [NEW, ANN]
    (kept,) = read_moves(games.post)
    assert kept.done == (START if answered else None)
    for other in ({"command": "STATUS"}, {"argument": "CODE"}, {"argument": "ABC"}, {"sender": "zoe@example.org"}):
        assert addresses.confirmed(msgspec.structs.replace(letter, **other), games) is None
    assert addresses.confirmed(letter, msgspec.structs.replace(games, now=None)) is None


def test_what_is_kept_for_people_to_look_into_stands_in_lines(hosted: Hosted, tmp_path: Path) -> None:
    """Of a club and of a game: whoever wonders what the host knows opens these files."""
    club, game, post = hosted.folder, hosted.game, hosted.folder / "mail"
    days = days_in("2027-03-05")
    assert days is not None
    with opened(game, lock="test") as one:
        timetable.start(one, START)
        note_version(one, 1, "0.0.1")
        replacing.replace(one, "klingon", "zoe@example.org", START)
    operate.move_address(club, ANN, NEW, START)
    for cause in "ab":
        time.add_absence(post, time.Absence(who=cause, days=days, cause=cause))
    written = {
        game: [f"{FOLDER}/{CLOCK}", "versions.json"],
        game / "secret": ["tokens.json", "tenures.json", "players.json", "names.json"],
    }
    note_names(game, {"zoe@example.org": "Zoe"})
    endings.forget(game, "klingon")
    for folder, names in written.items():
        for name in names:
            lines = (folder / name).read_text(encoding="utf-8").split("\n")
            assert len(lines) > 3 and lines[1].startswith(" ") and lines[-1] == "", name
    time.end_absences(post, lambda one: one.who == "a", date(2027, 3, 1))
    assert len(time.read_absences(post)) == 1
    operate.move_club(club, tmp_path / "packed.tar.gz", START)
    assert (club / MOVED).read_text(encoding="utf-8").startswith("{\n ")


def test_an_address_somebody_also_writes_from_is_kept_as_out_of_reach(tmp_path: Path) -> None:
    """Mail to it came back, and no side's time hangs on it: as long as it is somebody's it is told."""
    seats = [Seat(game="duel", folder=tmp_path, side="gorn", addresses=("a@x.org", "b@x.org"), token="t")]
    for others, left in (((), {"a@x.org", "b@x.org"}), (("c@x.org",), {"a@x.org", "b@x.org", "c@x.org"})):
        known = UnreachablePlayers(tmp_path)
        known.lose(("A@x.org", "b@x.org", "c@x.org"), "no such user", START)
        known.write(seats, others)
        assert set(known.known) == left == set(UnreachablePlayers(tmp_path).known)
        assert known.known["a@x.org"].sides == (("duel", "gorn"),) and known.known["b@x.org"].sides == ()
        assert len(known.told(seats, "UTC")) == 2


def test_a_game_that_is_over_stands_last_and_as_over(hosted: Hosted) -> None:
    host = read_host(hosted.folder)
    row = _row(hosted.game, host, Rest(mark=""), timetable.NEVER, START)
    assert (row.name, row.says, row.stands, row.due) == ("duel01", "over", "over", None)
    row = _row(hosted.game, host, None, timetable.NEVER, START)
    assert (row.says, row.stands) == ("nothing is asked yet", "")


def test_what_was_asked_for_twice_is_done_once(hosted: Hosted) -> None:
    letter = Letter(kind="orders", digest="d", sender=ANN, text="")
    with opened(hosted.game, lock="test") as game:
        timetable.start(game, START)
        ruling = umpire.Ruling(letter, game, cast(Any, SimpleNamespace(plays="")), "t", "k", START)
        for act, paused in (("RESUME", False), ("PAUSE", True), ("PAUSE", True), ("RESUME", False), ("RESUME", False)):
            ruling._carry_out(umpire.Act(act=act, reason="r"), "w")
            assert (timetable.read_clock(hosted.game).paused is not None) == paused
        due = [timetable.due_of(hosted.game, START)]
        for _ in range(2):
            ruling._carry_out(umpire.Act(act="EXTEND", said="2 days", reason="r"), "w")
            due.append(timetable.due_of(hosted.game, START))
    assert due[1] == due[2] and due[0] is not None and due[1] is not None
    assert due[1][0].due - due[0][0].due == timedelta(days=2)


def test_a_letter_of_an_umpire_that_rules_nothing_says_so_in_the_journal_alone(hosted: Hosted) -> None:
    games = msgspec.structs.replace(games_of(hosted.folder, START), now=START)
    letter = Letter(kind="orders", digest="d", sender=ANN, text="Thank you!\n")
    done = _ruled(letter, games, hosted.game, cast(Any, SimpleNamespace(plays="")))
    assert (done.done, done.game, done.side, done.why, done.replies) == (
        "empty", "duel01", "", "it is the umpire's, and rules nothing", ()
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_mails_that_are_given_up_are_nobody_elses(hosted: Hosted) -> None:
    outbox = open_outbox(hosted.folder, read_host(hosted.folder), Games(seats=(), post=hosted.folder / "mail"))
    write_bytes(outbox.failed / "a.b.c.eml", b"To: zoe@example.org\r\n\r\nx", private=True)
    with database(outbox.post) as store:
        store.keep_failure("a.b.c.eml", "no such user")
    (one,) = outbox.failures()
    assert (one.reader, one.why, one.about) == ("zoe@example.org", "no such user", "b.c")
    outbox.give_up(one)
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in outbox.given_up.iterdir()} == {
        "a.b.c.eml": 0o600
    }  # fmt: skip
    assert stat.S_IMODE(outbox.given_up.stat().st_mode) == 0o700 and outbox.failures() == []


def test_for_whom_the_host_filed_is_told_of_the_request_before_this_one(tmp_path: Path) -> None:
    """Of a game that is over, of its last."""
    asked = [
        Request(number=number, turn=1, impulse=0, form=FormKind.EAF, sides=("gorn", "klingon"), through=16)
        for number in (1, 2, 3)
    ]

    def told(requests: list[Request], now: Request | None) -> list[str]:
        log: Any = [
            SimpleNamespace(event=Requested(turn=1, impulse=0, step=StepName.MOVE, request=one)) for one in requests
        ]
        game: Any = SimpleNamespace(
            effective=lambda: log, state=lambda: SimpleNamespace(request=now),
            order_file=lambda turn, side, number: tmp_path / f"{turn}.{side}.{number}",
        )  # fmt: skip
        return announce.filed_by_host(game)

    for number in (1, 2, 3):
        (tmp_path / f"1.gorn.{number}").write_text(f"# {announce.BY_HOST} ({number})\nGAME\n", encoding="utf-8")
        (tmp_path / f"1.klingon.{number}").write_text(f"GAME\n# {announce.BY_HOST}\n", encoding="utf-8")
    assert told(asked, asked[2]) == [f"gorn: no orders came for request 2 of turn 1. {announce.BY_HOST} (2)"]
    assert told(asked, None) == [f"gorn: no orders came for request 3 of turn 1. {announce.BY_HOST} (3)"]
    assert told(asked[:1], asked[0]) == [] == told([], None)
    assert len(told(asked[:1], None)) == 1


# --- folders ---


@pytest.mark.skipif(os.name == "nt", reason="links take a right there that few have")
def test_links_in_a_club_are_left_out_of_its_backup_and_told(hosted: Hosted, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "theirs.txt").write_bytes(b"x")
    (hosted.folder / "link").symlink_to(tmp_path / "else")
    (hosted.folder / "dangling").symlink_to(tmp_path / "nowhere")
    (hosted.folder / "to-a-file").symlink_to(tmp_path / "else" / "theirs.txt")
    for name in ("x.lock", "y.tmp", "z.txt"):
        (hosted.folder / "mail" / name).parent.mkdir(exist_ok=True)
        (hosted.folder / "mail" / name).write_bytes(b"z")
    made = backup(hosted.folder, tmp_path / "b.tar.gz")
    assert sorted(made.left_out) == [str(hosted.folder / "dangling"), str(hosted.folder / "link")]
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        names = {one.name: one for one in tar.getmembers()}
    assert made.files == sum(one.isreg() for one in names.values())
    assert names["club/to-a-file"].isreg() and "club/mail/z.txt" in names and "club/games/duel01/game.toml" in names
    assert not [name for name in names if name.endswith((".lock", ".tmp")) or "theirs" in name or "link" in name]


def test_games_whose_names_cannot_be_written_are_told_and_the_others_found(
    hosted: Hosted, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = hosted.folder / "games"
    real = settings._is_file

    def look(path: str) -> bool:
        if "sealed" in path:
            raise PermissionError(13, "Permission denied", path)
        return "odd" in path or real(path)

    monkeypatch.setattr(settings, "_is_file", look)
    monkeypatch.setattr(os, "listdir", lambda folder: ["sealed", "odd\udcff", "duel01", "none"])
    found, broken = settings.games_under(home)
    assert [path.name for path in found] == ["duel01"]
    assert broken == [
        ("odd\\udcff", "a name or a file in it is not UTF-8 text"),
        ("sealed", f"Permission denied: {home / 'sealed' / 'game.toml'}"),
    ]


def test_a_game_that_cannot_be_opened_keeps_no_other_from_being_tidied(hosted: Hosted) -> None:
    (hosted.folder / "games" / "broken").mkdir()
    (hosted.folder / "games" / "broken" / "game.toml").write_bytes(b"format = 9\n")
    done = tidy.tidy(hosted.folder, START, "60 days")
    assert done.troubles == ("broken: this game has format 9; this version reads format 1",) and done.freed == 0


def test_an_outbox_that_cannot_be_put_in_order_says_so_once(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = open_outbox(hosted.folder, read_host(hosted.folder), Games(seats=(), post=hosted.folder / "mail"))

    def full() -> None:
        raise OSError(28, "No space left on device", "sent")

    monkeypatch.setattr(outbox, "_gather", full)
    done = outbox.deliver(None, START)
    assert done.trouble == "No space left on device: sent" and done.reached is None and done.waiting == 0


def test_who_watches_what_is_not_there_is_told_by_the_doctor(hosted: Hosted, monkeypatch: pytest.MonkeyPatch) -> None:
    said = ["ann watches nothing", "bob neither"]
    monkeypatch.setattr(doctor, "watched_wrongly", lambda folder, names, people: said if names == ["duel01"] else [])
    assert [(one.what, one.right, one.said) for one in doctor._watched(hosted.folder)] == [
        ("spectators", False, one) for one in said
    ]
    (hosted.folder / "players.toml").write_bytes(b"\xff")
    assert [*doctor._watched(hosted.folder)] == []


# --- passwords ---


def test_where_a_password_was_looked_for_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("PBEM_X", raising=False)
    wanted = Wanted("PBEM_X", "mail.example.org", "ann")
    ring_line = "keyring set 'pbem mail.example.org' ann"
    how = f"write PBEM_X='…' into {tmp_path / passwords.FILE}, or put it into the keyring: {ring_line}"
    kept: dict[tuple[str, str], str | None] = {}
    ring = SimpleNamespace(get_password=lambda service, user: kept.get((service, user)))
    monkeypatch.setattr(passwords, "import_module", lambda name: ring)
    assert passwords.password(*wanted) == ("", f"set the variable PBEM_X, {how}")
    assert passwords.for_service(wanted) == ("", how) and passwords.lacking([wanted]) == [wanted]
    kept["pbem mail.example.org", "ann"] = "secret"
    assert passwords.password(*wanted) == passwords.for_service(wanted) == ("secret", "the keyring")
    assert passwords.lacking([wanted]) == [] and passwords.whence(wanted) == "the keyring"
    monkeypatch.setenv("PBEM_X", "mine")
    assert passwords.password(*wanted) == ("mine", "the variable PBEM_X")
    there = "the variable PBEM_X in this shell; a service takes another one, that of the keyring"
    assert passwords.whence(wanted) == there
    kept.clear()
    assert passwords.whence(wanted) == "the variable PBEM_X, only in this shell: a service will not have it"

    def locked(service: str, user: str) -> str:
        raise RuntimeError("it is  locked\n" + "x" * 200)

    ring.get_password = locked
    said = passwords.for_service(wanted).source
    assert said == f"{how} (the keyring does not answer: it is locked {'x' * 87})"
    (tmp_path / passwords.FILE).write_text("PBEM_X=$other\n", encoding="utf-8")
    assert passwords.for_service(wanted).source.startswith(
        f"{how} (line 1 of {tmp_path / passwords.FILE} is not of the form"
    )
    monkeypatch.setattr(passwords, "_of_account", lambda variable: "theirs")
    assert passwords.for_service(wanted) == ("theirs", "the variable PBEM_X of your account")

    def none(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(passwords, "import_module", none)
    assert passwords._needs_keyring().startswith(" (it needs: ")
    assert passwords._without_shell(wanted, "").source.count("it needs: ") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there a file has no such modes")
def test_what_somebody_is_told_who_has_a_service_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr(passwords, "import_module", lambda name: SimpleNamespace(get_password=lambda *given: None))
    file = tmp_path / passwords.FILE
    one, other = Wanted("PBEM_X", "in.example.org", "ann"), Wanted("PBEM_Y", "out.example.org", "bob")
    assert [*passwords.how_for_service([])] == []
    assert [*passwords.how_for_service([one])] == [
        "A service does not see the variables of this shell, and finds no password for ann at in.example.org.",
        f"Write into {file}, a file that only you may read (chmod 600 {file}):", "    PBEM_X='…'",
        "or put it into the keyring:", "    keyring set 'pbem in.example.org' ann",
    ]  # fmt: skip
    said = [*passwords.how_for_service([one, other])]
    assert said[0].endswith("finds no password for ann at in.example.org nor for bob at out.example.org.")
    assert said[4] == "or put them into the keyring:" and len(said) == 7
    write_bytes(file, b"PBEM_X='x'\nPBEM_Y='y'\n", private=True)
    assert [*passwords.how_for_service([one, other])] == [] == passwords.lacking([one, other])
    file.chmod(0o640)
    assert [*passwords.how_for_service([one])] == [f"Mend this: others may read {file}: chmod 600 {file}."]
    file.chmod(0o600)
    file.write_text(f"{passwords.SMTP_PASSWORD}=$x\n", encoding="utf-8")
    assert passwords.file_trouble().startswith(f"line 1 of {file} is not of the form {passwords.SMTP_PASSWORD}=")


# --- a game that is over, or asks nothing ---


def test_who_is_asked_nothing_waits_for_nothing_and_takes_nothing_back(
    duel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(duel, lock="test") as game:
        state = game.state()
        dispatch.set_wait(game, "klingon", wait=True)
        assert dispatch.waiting(game) == ("klingon",)
        game._state = msgspec.structs.replace(state, request=None, over=True)
        dispatch.set_wait(game, "klingon", wait=False)
        assert dispatch.waiting(game) == () and not dispatch.withdraw_orders(game, "klingon")
        game._state = state
        assert dispatch.waiting(game) == ("klingon",), "what was asked for stands"
        dispatch.set_wait(game, "klingon", wait=False)
        assert dispatch.waiting(game) == () and not dispatch.withdraw_orders(game, "klingon")


def test_other_games_are_told_as_they_stand_or_cannot_be_looked_at(
    duel: Path, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = games.seats[0]
    real = status
    monkeypatch.setattr(dispatch, "look", lambda game: msgspec.structs.replace(real(game), request=None))
    assert dispatch._in_short(seat, None) == "the game is over."
    monkeypatch.setattr(dispatch, "look", real)
    assert dispatch._in_short(seat, None).startswith("turn 1, impulse 0; you owe ")
    assert dispatch._in_short(msgspec.structs.replace(seat, side="gorn"), None).endswith(
        "no orders are wanted from you."
    )
    (duel / "game.toml").unlink()
    assert dispatch._in_short(seat, None) == "it cannot be shown now."


def test_orders_that_are_sealed_are_not_taken_back(
    duel: Path, games: Games, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    (seat,) = (one for one in games.seats if one.side == "klingon")
    letter = read_letter(write("klingon", "WITHDRAW"))
    monkeypatch.setattr(dispatch, "sealing_of", lambda game: object())
    monkeypatch.setattr(dispatch, "withdraw_orders", lambda game, side: pytest.fail("it was"))
    with opened(duel, lock="test") as game:
        (reply,) = answer_player(Conversation(letter, games, seat, game)).replies
    assert "nothing to take back" in reply.subject and "All orders are in and sealed" in reply.text


def test_a_course_that_cannot_be_played_alone_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    desk: Any = SimpleNamespace(
        game=SimpleNamespace(state=lambda: 1, scenario=lambda: 2), seat=SimpleNamespace(side="klingon")
    )
    played: list[Any] = [KeyError("x"), SimpleNamespace(tracks=(), told=())]
    played.append(SimpleNamespace(tracks=(("Raider", ((1, "0101A"), (3, "0102A"))),), told=((3, "It turns."),)))

    def preview(*given: Any) -> Any:
        assert given == (1, 2, "klingon", "CONTINUE")
        found = played.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr("pbem.games.preview.preview", preview)
    nothing: dict[str, emails.Value] = {"tracks": [], "events": []}
    assert dispatch._alone(desk, "CONTINUE") == nothing == dispatch._alone(desk, "CONTINUE")
    some: dict[str, emails.Value] = {
        "what": "this",
        "notes": [],
        "orders": [],
        "doubtful": [],
        "checked": False,
        "energy": [],
        "courses": [],
    }
    said = emails.render("preview", None, **some, order_notes=[], **dispatch._alone(desk, "CONTINUE")).text
    said = said.partition("YOUR SHIPS ALONE ON THE MAP\nThis trial")[2]
    assert said.endswith("\n  Raider, impulse and hex: 1: 0101A, 3: 0102A\n  impulse 3: It turns.")


def test_what_was_agreed_on_ends_with_who_agreed(duel: Path) -> None:
    keep(duel / "mail" / endings.FILE, endings.Endings(draw=("gorn", "klingon"), resign=("gorn",)))
    endings.forget(duel, "romulan")
    assert endings.read_endings(duel) == endings.Endings(draw=("gorn", "klingon"), resign=("gorn",))
    endings.forget(duel, "gorn")
    assert endings.read_endings(duel) == endings.Endings(draw=("klingon",))
    endings.forget(duel, "klingon")
    assert endings.read_endings(duel) == endings.Endings() and not (duel / "mail" / endings.FILE).exists()


def test_days_away_count_while_the_clock_runs(hosted: Hosted) -> None:
    """Each that begins before the time is over moves its end, and by that perhaps the next one in."""
    host = read_host(hosted.folder)
    days = [days_in(f"2027-03-0{first} to 2027-03-0{last}") for first, last in ((2, 2), (4, 5), (9, 9))]
    away = [timetable.Away(side="klingon", days=one) for one in days if one is not None]
    with opened(hosted.game, lock="test") as game:
        rounds = timetable._rounds_of(hosted.game)
        assert timetable.adopt(game, away, START, host.deadlines, rounds) == timetable.Clock(), "nothing is asked yet"
        timetable.start(game, START)
        clock = timetable.adopt(game, away, START, host.deadlines, rounds)
        assert clock.away == (away[0], away[1]) and timetable.read_clock(hosted.game) == clock
        assert timetable.adopt(game, away, START, host.deadlines, rounds) == clock, "once"
        assert timetable.adopt(game, [], START, host.deadlines, rounds) == clock


def test_a_rule_of_a_game_that_is_broken_is_told_where_it_is_asked_for(hosted: Hosted) -> None:
    (hosted.game / "post.toml").write_text('format = 1\n[deadlines]\nwithin = "soon"\n', encoding="utf-8")
    with pytest.raises(GameError, match="within"):
        settings.game_rule(read_host(hosted.folder), hosted.game)
    (hosted.game / "post.toml").write_text('format = 1\n[deadlines]\nwithin = "9 days"\n', encoding="utf-8")
    rule = settings.game_rule(read_host(hosted.folder), hosted.game)
    assert (rule.within, rule.grace) == ("9 days", "12 hours"), "the rest is the host's"
    assert cast(Any, settings.passwords_wanted(read_host(hosted.folder))) == []
    host = msgspec.structs.replace(
        read_host(hosted.folder),
        inbox={"kind": "imap", "host": "in.example.org", "user": "ann"},
        smtp=settings.Smtp(host="out.example.org", user="bob"),
    )
    assert settings.passwords_wanted(host) == [
        (passwords.SMTP_PASSWORD, "out.example.org", "bob"), (passwords.IMAP_PASSWORD, "in.example.org", "ann")
    ]  # fmt: skip
