"""The database of the correspondence: all or nothing, one sentence for what is wrong, older clubs taken over."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pbem.errors import GameError
from pbem.games.storage.files import json_in
from pbem.mail import store as database
from pbem.mail.host import doctor
from pbem.mail.incoming.ledger import notice_key, tell
from pbem.mail.people import Move
from pbem.mail.replies.reply import Reply
from pbem.mail.store import (
    BEFORE,
    FILE,
    MOVING,
    SCHEMA,
    STOP,
    STOP_FILE,
    EmailRecord,
    SentEmail,
    Trial,
    keep_fact,
    opened,
    read_fact,
)
from tests.cuts import ALL, cut_at, operations, places
from tests.nobody_elses import private

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def dump(post: Path) -> list[str]:
    """The rows and tables of a database, as SQL."""
    with closing(sqlite3.connect(post / FILE)) as found:
        return list(found.iterdump())


def files(post: Path) -> dict[str, bytes]:
    return {path.relative_to(post).as_posix(): path.read_bytes() for path in post.rglob("*") if path.is_file()}


def fill(post: Path) -> None:
    """Some of everything."""
    with opened(post) as store, store.transaction():
        store.keep("absences", [])
        store.add_email(EmailRecord(digest="d", done="orders", game="g", side="s", replies=("k",), sha256="x"))
        store.keep_trial("a.eml", Trial(tries=1, first=NOW, next=NOW, why="451 later"))
        store.keep_failure("b.eml", "550 gone")
        store.add_sent([SentEmail(name="c.eml", reader="ann@example.org", subject="S", at=NOW.isoformat())])


def test_what_is_written_is_read_and_at_rest_there_is_one_file(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        assert store.raw("rounds") is None and store.email("d") is None and not store.sent()
    assert not files(tmp_path), "a reader makes no database"
    fill(tmp_path)
    fill(tmp_path)
    assert set(files(tmp_path)) == {FILE} and private(tmp_path / FILE)
    with opened(tmp_path) as store, opened(tmp_path) as same:
        assert same is store
        assert [(number, one.done, one.replies) for number, one in store.emails()] == [
            (1, "orders", ("k",)), (2, "orders", ("k",))
        ]  # fmt: skip
        assert (
            list(store.emails(1)) == list(store.emails())[1:] and list(store.emails(0, 1)) == list(store.emails())[:1]
        )
        assert store.trials() == {"a.eml": Trial(tries=1, first=NOW, next=NOW, why="451 later")}
        assert (store.failure("b.eml"), store.failure("a.eml"), len(store.sent())) == ("550 gone", "", 1)
        assert store.streak("g", "s").done_so == 2 and store.identity("absences") == [("absences", 1, 0, 0)]
        store.keep("absences", [1])
        assert store.identity("absences") == [("absences", 2, 0, 0)] and store.fact("absences", dict[str, int]) is None
        store.keep_trial("a.eml", None)
        store.keep_failure("b.eml", "")
        assert not store.trials() and not store.failure("b.eml")


def test_an_error_within_a_transaction_undoes_all_of_it(tmp_path: Path) -> None:
    fill(tmp_path)
    before = dump(tmp_path)
    with opened(tmp_path) as store:
        with pytest.raises(ValueError, match="mine"), store.transaction():
            store.keep("a", 1)
            with store.transaction():
                store.keep("b", 1)
            raise ValueError("mine")
        assert dump(tmp_path) == before
        with pytest.raises(AssertionError, match="needs a transaction"):
            store.write("DELETE FROM facts")
        store.keep("c", 1)
    assert read_fact(tmp_path, "c", int) == 1 and read_fact(tmp_path, "b", int) is None


def one_sentence(work: Callable[[], object]) -> str:
    with pytest.raises(GameError) as wrong:
        work()
    (fault,) = wrong.value.faults
    assert "\n" not in fault.text and "Traceback" not in fault.text
    return f"{fault.code}: {fault.text}"


@pytest.mark.parametrize("damage", ["no database", "a page", "empty header"])
def test_a_damaged_database_is_told_in_one_sentence_and_left_as_it_is(tmp_path: Path, damage: str) -> None:
    fill(tmp_path)
    file = tmp_path / FILE
    data = bytearray(file.read_bytes())
    if damage == "no database":
        data = bytearray(b"What is this? " * 200)
    elif damage == "a page":
        for page in range(1, len(data) // 4096):
            data[page * 4096 : page * 4096 + 100] = b"\xff" * 100
    else:
        data[:100] = bytes(100)
    file.write_bytes(data)
    works: tuple[Callable[[], object], ...] = (
        lambda: read_fact(tmp_path, "absences", list[int]), lambda: keep_fact(tmp_path, "absences", [1]),
        lambda: database.examine(tmp_path),
    )  # fmt: skip
    for work in works:
        said = one_sentence(work)
        assert said.startswith("store-damaged: the club's correspondence is damaged (") and "pbem host restore" in said
    assert file.read_bytes() == data


def test_the_examination_finds_rows_that_belong_to_nothing(tmp_path: Path) -> None:
    assert database.examine(tmp_path) == "mail/club.db is made by the first round"
    fill(tmp_path)
    assert database.examine(tmp_path) == "mail/club.db is sound: 1 email, journal mode WAL"
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as found:
        found.execute("INSERT INTO answers VALUES (7, 0, 'k')")
    assert "a row of answers belongs to none of emails" in one_sentence(lambda: database.examine(tmp_path))


def test_a_newer_version_s_database_is_not_touched(tmp_path: Path) -> None:
    fill(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as found:
        found.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    before = files(tmp_path)
    works: tuple[Callable[[], object], ...] = (
        lambda: read_fact(tmp_path, "a", int), lambda: keep_fact(tmp_path, "a", 1)
    )  # fmt: skip
    for work in works:
        said = one_sentence(work)
        assert said == (
            "store-newer: update pbem: a newer version used this club last. Its correspondence has format 2, and this "
            "version reads format 1. Nothing was changed"
        )
    assert files(tmp_path) == before


def test_a_full_disk_in_the_middle_of_a_migration_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    before = dump(tmp_path)
    more = tuple(f"CREATE TABLE more{number} (name TEXT)" for number in range(30))
    monkeypatch.setattr(database, "_MIGRATIONS", (*database._MIGRATIONS, more))
    monkeypatch.setattr(database, "SCHEMA", 2)
    with monkeypatch.context() as full:
        real = database._configured

        def small(connection: sqlite3.Connection) -> sqlite3.Connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages + 3}")
            return real(connection)

        full.setattr(database, "_configured", small)
        said = one_sentence(lambda: keep_fact(tmp_path, "a", 1))
        assert said == "unwritable: cannot write this: database or disk is full; nothing was changed"
    assert dump(tmp_path) == before
    keep_fact(tmp_path, "a", 1)
    with closing(sqlite3.connect(tmp_path / FILE)) as found:
        assert found.execute("PRAGMA user_version").fetchone() == (2,)
        assert len(list(found.execute("SELECT * FROM sqlite_master WHERE name LIKE 'more%'"))) == 30


def test_who_waits_too_long_for_another_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path)
    monkeypatch.setattr(database, "PATIENCE", 0.01)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert read_fact(tmp_path, "absences", list[int]) == [], "reading goes on"
        said = one_sentence(lambda: keep_fact(tmp_path, "absences", [1]))
        assert said == ("game-locked: try again: another command is changing the club's emails; nothing was changed")
        other.execute("ROLLBACK")
    keep_fact(tmp_path, "absences", [1])


def test_a_database_that_may_not_be_written_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path)
    before, real = dump(tmp_path), database._configured

    def read_only(connection: sqlite3.Connection) -> sqlite3.Connection:
        real(connection).execute("PRAGMA query_only = ON")
        return connection

    monkeypatch.setattr(database, "_configured", read_only)
    assert read_fact(tmp_path, "absences", list[int]) == []
    assert one_sentence(lambda: keep_fact(tmp_path, "a", 1)).startswith(
        "no-permission: there is no permission to write"
    )
    assert dump(tmp_path) == before


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert one_sentence(lambda: keep_fact(tmp_path / "file", "a", 1)).startswith("unwritable: cannot write this: ")
    (tmp_path / FILE).mkdir()
    assert one_sentence(lambda: keep_fact(tmp_path, "a", 1)).startswith("is-a-folder: ")


@pytest.mark.skipif(os.name == "nt", reason="the way of locking is another one there")
def test_without_shared_memory_a_rollback_journal_serves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for a folder that had a write-ahead log before it came there."""

    def connect(file: Path) -> sqlite3.Connection:
        way = f"{file.absolute().as_uri()}?vfs=unix-dotfile"
        return sqlite3.connect(way, uri=True, timeout=1, isolation_level=None)

    fill(tmp_path / "logged")
    monkeypatch.setattr(database, "_connect", connect)
    fill(tmp_path / "new")
    fill(tmp_path / "logged")
    for name, count in (("new", "1 email"), ("logged", "2 emails")):
        assert database.examine(tmp_path / name) == f"mail/club.db is sound: {count}, journal mode DELETE"
        assert set(files(tmp_path / name)) == {FILE}


def test_a_copy_is_whole_whatever_the_log_has(tmp_path: Path) -> None:
    assert not database.copy(tmp_path / "post", tmp_path / "nothing.db")
    fill(tmp_path / "post")
    with closing(sqlite3.connect(tmp_path / "post" / FILE)):  # as long as somebody reads, the log stays
        with closing(sqlite3.connect(tmp_path / "post" / FILE)) as reader:
            reader.execute("SELECT * FROM facts").fetchall()
            keep_fact(tmp_path / "post", "a", 1)
            (tmp_path / "copied").mkdir()
            assert database.copy(tmp_path / "post", tmp_path / "copied" / FILE)
        assert set(files(tmp_path / "copied")) == {FILE} and private(tmp_path / "copied" / FILE)
        assert dump(tmp_path / "copied") == dump(tmp_path / "post")


# --- a kill at every statement, and a log that is cut off ------------------------------------------------------------


def by_steps(post: Path, number: int) -> None:
    """One more email with all that goes with it, in three transactions."""
    with opened(post) as store:
        store.keep("step", number)
        with store.transaction():
            store.add_email(EmailRecord(digest=str(number), done="orders", game="g", side="s", replies=("k1", "k2")))
            store.keep("digest", {"told": number})
        store.keep_trial(f"{number}.eml", Trial(tries=number, first=NOW, next=NOW, why="w"))


@contextmanager
def counted(kill_at: int | None, seen: list[str]) -> Iterator[None]:
    """Count statements by SQLite's trace callback; at number ``kill_at`` the process ends at once."""
    real = database._connect

    def traced(sql: str) -> None:
        if len(seen) == kill_at:
            os._exit(7)
        seen.append(sql)

    def connect(file: Path) -> sqlite3.Connection:
        connection = real(file)
        connection.set_trace_callback(traced)
        return connection

    database._connect = connect
    try:
        yield
    finally:
        database._connect = real


def killed(at: int, work: Callable[..., object], *args: object) -> bool:
    """Do the work in a process of its own that ends at its statement ``at``; whether it came to that."""
    child = os.fork()
    if not child:
        with counted(at, []):
            try:
                work(*args)
            except BaseException:
                os._exit(1)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 7)
    return code == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("first", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_process_killed_at_any_statement_leaves_whole_transactions(tmp_path: Path, first: bool) -> None:
    start = tmp_path / "start"
    start.mkdir()
    if not first:
        by_steps(start, 1)
    number = 1 if first else 2
    whole = shutil.copytree(start, tmp_path / "whole")
    seen: list[str] = []
    with counted(None, seen):
        by_steps(whole, number)
    assert sum(sql.startswith("COMMIT") for sql in seen) == (4 if first else 3)
    for at in range(len(seen)):
        post = shutil.copytree(start, tmp_path / str(at))
        assert killed(at, by_steps, post, number), seen[at]
        done = sum(sql.startswith("COMMIT") for sql in seen[:at]) - first
        with opened(post) as store:
            has = (
                store.fact("step", int),
                store.last_email(),
                store.fact("digest", dict[str, int]),
                len(store.trials()),
            )
            rows = len(store.rows("SELECT * FROM answers")), store.streak("g", "s").done_so
        before = number - 1
        assert has[0] == (number if done >= 1 else before or None), seen[at]
        assert has[1:3] == ((number, {"told": number}) if done >= 2 else (before, {"told": before} if before else None))
        assert rows == (2 * has[1], has[1]) and has[3] == (number if done >= 3 else before)
        assert database.examine(post).startswith("mail/club.db is ")
        shutil.rmtree(post)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_log_that_is_cut_off_at_any_frame_has_whole_transactions(tmp_path: Path) -> None:
    """As after a power cut: what a lost frame belongs to is lost as a whole, and nothing before it."""
    post = tmp_path / "post"

    def leave() -> None:
        with opened(post) as store:
            store.keep("ready", True)
            for number in (1, 2, 3):
                by_steps(post, number)
            os._exit(7)

    assert killed(10**9, leave)
    log = (post / f"{FILE}-wal").read_bytes()
    frame = 24 + 4096
    frames = (len(log) - 32) // frame
    assert frames > 9
    found: list[tuple[Any, ...]] = []
    for number in range(frames + 1):
        for more in (0, 100):  # the next frame is not there, or is there by half
            copy = shutil.copytree(post, tmp_path / f"{number} {more}")
            (copy / f"{FILE}-shm").unlink()
            with (copy / f"{FILE}-wal").open("r+b") as file:
                file.truncate(32 + number * frame + more)
            with opened(copy) as store:
                last, told = store.last_email(), store.fact("digest", dict[str, int]) or {}
                found.append((store.fact("step", int) or 0, last, len(store.trials())))
                assert told == ({"told": last} if last else {}) and len(store.rows("SELECT * FROM answers")) == 2 * last
            assert "is damaged" not in database.examine(copy)
            shutil.rmtree(copy)
    assert found == sorted(found) and found[0] == (0, 0, 0) and found[-2] == (3, 3, 3)
    assert all(step - 1 <= trials <= last <= step for step, last, trials in found)


# --- clubs of earlier versions ---------------------------------------------------------------------------------------


def old_files(post: Path) -> None:
    """What an earlier version left."""
    entries = [
        EmailRecord(
            digest="a", done="quarantine", replies=(notice_key("a"),), sender="e@x", why="w", file="quarantine/a.eml"
        ),
        EmailRecord(digest="b", done="orders", game="g", side="s", sha256="1", replies=("k1", "k2"), lost=("z@x",)),
        EmailRecord(
            digest="c", done="quarantine", replies=(notice_key("c"),), sender="e@x", why="w", file="quarantine/c.eml"
        ),
        EmailRecord(digest="d", done="fault", game="g", side="s"),
    ]
    lines = [msgspec.json.encode(one) + b"\n" for one in entries]
    written = {
        "letters.jsonl": b"".join(lines) + b'{"digest": "torn',
        "digest.json": msgspec.json.encode({"format": 1, "told": len(lines[0]), "at": NOW, "telling": 0}),
        "absences.json": b'[\n {"who": "ann@x", "days": ["2027-03-02", "2027-03-03"], "cause": "c"}\n]\n',
        "addresses.json": b'[{"old": "a@x", "new": "b@x", "code": "", "cause": "u"}]\n',
        "rounds.json": b'{"drift": 5}\n',
        "resting.json": b"{damaged",
        "outbox/failed.json": msgspec.json.encode({"ann@x": NOW}),
        "outbox/waiting/w.eml": b"To: ann@x\r\n\r\n",
        "outbox/waiting/w.json": msgspec.json.encode(Trial(tries=2, first=NOW, next=NOW, why="451")),
        "outbox/failed/f.eml": b"To: ann@x\r\n\r\n",
        "outbox/failed/f.txt": b"550 gone\n",
        "outbox/given-up/g.txt": b"551 moved\n",
        "quarantine/a.eml": b"a",
        "quarantine/a.txt": b"why",
        "status.json": b"{}",
        "umpire.json": b'{"key": "00"}',
    }
    for name, data in written.items():
        (post / name).parent.mkdir(parents=True, exist_ok=True)
        (post / name).write_bytes(data)


STAY = {
    "outbox/waiting/w.eml",
    "outbox/failed/f.eml",
    "quarantine/a.eml",
    "quarantine/a.txt",
    "status.json",
    "umpire.json",
}


def check_taken_over(post: Path, before: dict[str, bytes]) -> None:
    now = files(post)
    assert {name: data for name, data in now.items() if name in STAY} == {name: before[name] for name in STAY}
    kept = {name: data for name, data in before.items() if name not in STAY}
    assert {name: data for name, data in now.items() if name.startswith(BEFORE)} == {
        f"{BEFORE}/{name}": data for name, data in kept.items()
    }
    assert set(now) == STAY | {f"{BEFORE}/{name}" for name in kept} | {FILE}
    with opened(post) as store:
        assert [(one.digest, one.done, one.replies, one.lost) for _, one in store.emails()] == [
            ("a", "quarantine", (notice_key("a"),), ()), ("b", "orders", ("k1", "k2"), ("z@x",)),
            ("c", "quarantine", (notice_key("c"),), ()), ("d", "fault", (), ()),
        ]  # fmt: skip
        assert store.streak("g", "s") == ("fault", 1, "", 2, 1, "1")
        assert store.fact("rounds", dict[str, int]) == {"drift": 5} and store.raw("resting") is None
        assert store.raw("absences") == b'[{"who":"ann@x","days":["2027-03-02","2027-03-03"],"cause":"c"}]'
        assert [one.why for one in store.trials().values()] == ["451"] and list(store.trials()) == ["w.eml"]
        assert (store.failure("f.eml"), store.failure("g.eml")) == ("550 gone", "551 moved")
        assert store.fact(database.FAILURES_TOLD, dict[str, datetime]) == {"ann@x": NOW} and store.raw(MOVING) is None
    told: list[Reply] = []
    tell(shutil.copytree(post, post.with_name(f"{post.name} told")), "u@x", "UTC", NOW.replace(day=3), told.append)
    assert [one.subject for one in told] == ["pbem: an email was put aside"] and "c.eml" in told[0].text


def test_the_files_of_an_earlier_version_are_taken_over_by_whoever_comes_first(tmp_path: Path) -> None:
    works: dict[str, Callable[[Path], object]] = {
        "read": lambda post: read_fact(post, "rounds", dict[str, int]),
        "write": lambda post: keep_fact(post, "rounds", {"drift": 5}),
        "look": lambda post: list(opened_and_read(post)),
    }
    for name, work in works.items():
        post = tmp_path / name
        old_files(post)
        before = files(post)
        work(post)
        check_taken_over(post, before)
        again = files(post)
        work(post)
        assert {name: data for name, data in files(post).items() if name != FILE} == {
            name: data for name, data in again.items() if name != FILE
        }


def opened_and_read(post: Path) -> Iterator[EmailRecord]:
    with opened(post) as store:
        yield from (one for _, one in store.emails())


EVERY = [pytest.param(True, marks=pytest.mark.slow, id="all"), pytest.param(False, id="some")]


@pytest.mark.parametrize("every", EVERY)
def test_taking_over_may_be_cut_off_anywhere(tmp_path: Path, every: bool) -> None:
    old_files(tmp_path / "old")
    before = files(tmp_path / "old")

    def work(post: Path) -> None:
        read_fact(post, "rounds", dict[str, int])

    whole = shutil.copytree(tmp_path / "old", tmp_path / "whole")
    done = operations(lambda: work(whole), under=whole)
    assert sum(one.startswith("replace ") for one in done) == len(before) - len(STAY)
    for how in ("killed", "refused"):
        for n in range(len(done)) if every else places(len(done), 3):
            post = shutil.copytree(tmp_path / "old", tmp_path / f"{how} {n}")
            with cut_at(n, under=post, how=how) as cut:
                try:
                    work(post)
                except GameError as error:
                    assert how == "refused" and len(error.faults) == 1
            assert cut.fell
            if n <= done.index(next(one for one in done if one.startswith("COMMIT"))):
                assert {name: data for name, data in files(post).items() if not name.startswith(FILE)} == before, done[
                    n
                ]
            work(post)
            check_taken_over(post, before)


@pytest.mark.parametrize("name", ["absences", "addresses", "watching"])
def test_a_damaged_file_that_must_not_be_lost_stops_the_takeover(tmp_path: Path, name: str) -> None:
    old_files(tmp_path)
    (tmp_path / f"{name}.json").write_bytes(b"[{")
    before = files(tmp_path)
    said = one_sentence(lambda: read_fact(tmp_path, "rounds", dict[str, int]))
    assert said.startswith(f"{name}-damaged: what is known of ")
    now = files(tmp_path)
    assert {one: data for one, data in now.items() if one != FILE} == before
    (tmp_path / f"{name}.json").write_bytes(before.get(f"{name}.json", b"[]").replace(b"[{", b"[]"))
    read_fact(tmp_path, "rounds", dict[str, int])
    assert not (tmp_path / "letters.jsonl").exists()


@pytest.mark.slow
def test_two_processes_take_over_once(tmp_path: Path) -> None:
    old_files(tmp_path / "post")
    before = files(tmp_path / "post")
    script = (
        "import sys; from pathlib import Path; from pbem.mail.store import read_fact; "
        "read_fact(Path(sys.argv[1]), 'rounds', dict)"
    )
    home = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-c", script, str(tmp_path / "post")]
    running = [subprocess.Popen(command, env={**os.environ, "PYTHONPATH": home}) for _ in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0]
    check_taken_over(tmp_path / "post", before)


# --- what `pbem doctor` says of the place ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "wrong"),
    [("club", ""), ("Dropbox (Ann)/club", "synchronised"), ("OneDrive - Fleet/club", "synchronised"),
     ("my Dropbox notes/club", ""), ("share/club", "network share")],
)  # fmt: skip
def test_a_club_in_a_synchronised_folder_or_on_a_share_is_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, wrong: str
) -> None:
    here = str(tmp_path.resolve()).replace(" ", "\\040")
    mounts = f"/dev/sda / ext4 rw 0 0\nserver:/x {here}/share nfs4 rw 0 0\nserver:/y {here}/shared nfs4 rw 0 0\n"
    monkeypatch.setattr(doctor, "_mounts", lambda: mounts)
    (tmp_path / path).mkdir(parents=True)
    if wrong:
        assert wrong in one_sentence(lambda: doctor._place(tmp_path / path))
    else:
        assert "on a disk of this machine" in doctor._place(tmp_path / path)
    assert doctor.file_system(tmp_path, "") == ""


@pytest.mark.parametrize("wrong", ["damaged", "newer"])
def test_the_umpire_is_told_once_a_day_and_nothing_else_is_done(tmp_path: Path, wrong: str) -> None:
    hosted = Hosted(tmp_path / "host")
    hosted.round()
    post, mails = hosted.folder / "mail", len(hosted.sink.mails)
    good = (post / FILE).read_bytes()
    if wrong == "damaged":
        (post / FILE).write_bytes(b"This is no database. " * 100)
    else:
        with closing(sqlite3.connect(post / FILE)) as found:
            found.execute("PRAGMA user_version = 99")
    bad, logs = (post / FILE).read_bytes(), hosted.logs()
    answer(hosted, "federation", "klingon")
    for hours in (0, 1, 25):
        hosted.now += timedelta(hours=hours)
        with pytest.raises(GameError, match=f"store-{wrong}"):
            hosted.round()
    assert (post / FILE).read_bytes() == bad and hosted.logs() == logs
    told = [(to, str(message_from_bytes(raw)["Subject"])) for to, raw in hosted.sink.mails[mails:]]
    assert told == [("umpire@host.example", "pbem: the host has stopped: mail/club.db cannot be used")] * 2
    (post / FILE).write_bytes(good)
    hosted.round()
    assert hosted.logs() != logs, "the answers lay in the inbox"


def test_an_earlier_version_does_nothing_in_a_club_with_a_database(tmp_path: Path) -> None:
    """It reads changes of address first, and says no round is done; nothing of the database is lost."""
    hosted = Hosted(tmp_path / "host")
    post = hosted.folder / "mail"
    hosted.round()
    before = dump(post)
    assert (post / STOP_FILE).read_bytes() == STOP and private(post / STOP_FILE)
    with pytest.raises(GameError, match="addresses-damaged"):  # as that version does
        json_in(
            (post / STOP_FILE).read_bytes(), tuple[Move, ...], "addresses-damaged", "it is damaged", post / STOP_FILE
        )
    (post / FILE).unlink()
    assert read_fact(post, "rounds", dict[str, int]) is None and not (post / FILE).exists(), "it is no old file"
    keep_fact(post, "x", 1)
    assert (post / STOP_FILE).read_bytes() == STOP and not (post / BEFORE).exists() and before


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_round_whose_process_is_killed_at_any_statement_is_finished_by_the_next(tmp_path: Path) -> None:
    """Two answers, a question and a stranger's letter are in the inbox; nothing is lost or doubled."""
    start = Hosted(tmp_path / "start")
    start.round()
    start.now += timedelta(minutes=1)
    answer(start, "federation", "klingon")
    start.post(start.letter("federation", "AWAY 2027-03-05"))
    start.post(start.letter("klingon", "STATUS", token="x" * 14))

    def copied(name: str) -> Hosted:
        one = Hosted.__new__(Hosted)
        one.__dict__.update(start.__dict__)
        one.folder = Path(shutil.copytree(start.folder, tmp_path / name))
        one.game = one.folder / "games" / "duel01"
        return one

    def found(one: Hosted) -> tuple[object, ...]:
        with opened(one.folder / "mail") as store:
            emails = sorted((mail.digest, mail.done, mail.replies, mail.sha256) for _, mail in store.emails())
            sent = sorted((mail.name, mail.reader, mail.subject) for mail in store.sent())
            rest = store.fact("absences", list[Any]), store.rows("SELECT * FROM streaks ORDER BY game, side")
        outbox = one.folder / "mail" / "outbox"
        files = sorted(path.relative_to(outbox).as_posix() for path in outbox.rglob("*.eml"))
        return one.logs(), emails, sent, rest, files, list((one.folder / "Maildir" / "new").iterdir())

    whole, seen = copied("whole"), list[str]()
    with counted(None, seen):
        whole.round()
    whole.round()
    wanted = found(whole)
    assert len(seen) > 100 and sum(sql.startswith("COMMIT") for sql in seen) > 6
    for at in places(len(seen), None if ALL else 24):
        one = copied(str(at))
        assert killed(at, one.round), seen[at]
        for _ in range(2):
            one.round()
        assert found(one) == wanted, f"{at}: {seen[at]}"
        shutil.rmtree(one.folder)
