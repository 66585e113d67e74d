"""The correspondence of a club in one database, ``mail/club.db`` (SQLite, from the standard library).

The database records which emails were handled and with which answers, what was sent, and the small records of the
host, such as absences and the times of its rounds (*facts*). A game folder stays the truth of its game. So a change is
written to the game folder first, and then to the database in one transaction. After an interruption the next round
repeats the rest.

A reader gets values. Writes happen in :meth:`Store.transaction`; all of it is on the disk afterwards, or none. An
:func:`opened` database is open only while a command is at work, so at rest the one file is complete and can be copied.
Emails that wait to be sent, emails that were put aside, and ``status.json`` stay files, because people read them.

An earlier version kept the same things in small files. The first access takes them over in the transaction that
creates the tables, and only then moves them to ``before-club-db/``.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import (
    UNWRITABLE,
    FileIdentity,
    cannot,
    make_folder,
    patiently,
    waits_for_disk,
    write_bytes,
)
from pbem.util import several

Made = TypeVar("Made")
SqlValue = str | int
"""Type of the values in the tables; none is ``NULL``."""

FILE: Final = "club.db"
SCHEMA: Final = 1
"""Version of the tables, stored as ``PRAGMA user_version``."""
PATIENCE: Final = 30.0
"""Longest wait in seconds for another process that writes."""
DAMAGED, NEWER = "store-damaged", "store-newer"
"""Codes of the faults of a database that cannot be used until somebody acts."""
BEFORE: Final = "before-club-db"
"""Folder for the files of an earlier version, once the database has their content."""
MOVING: Final = "files to move"
"""Name of the fact that files of an earlier version were taken over and must still be moved."""
STOP_FILE: Final = "addresses.json"
STOP: Final = b"""\
{"to whom it may concern": "A newer version of pbem keeps the correspondence of this club in mail/club.db.",
 "this file": "It stops an earlier version, which would know no email, no absence and no address. Update pbem."}
"""
"""Content of a file that an earlier version reads first and cannot use, so that it does nothing in this club."""

Done = Literal["orders", "fault", "command", "quarantine", "bounce", "auto", "own", "empty", "trouble", "word"]


class EmailRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One email in the journal, and what was done with it.

    Attributes:
        digest: A hash that identifies the email.
        done: What was done.
        format: The version of the format.
        message_id: Its Message-ID.
        sender: Its sender's address.
        game: The game it was for, if known.
        side: The side it was for, if known.
        sha256: The hash of the orders that were filed.
        replies: The keys of the answers.
        file: The file in which it was put aside.
        why: The reason, for the umpire.
        subject: The subject, for the umpire; only if it was put aside.
        same: A hash that is equal for emails with equal content.
        lost: For a bounce: addresses of players to which delivery failed.
        at: When it was handled, in ISO format; empty if nobody said so.
    """

    digest: str
    done: Done
    format: int = 1
    message_id: str = ""
    sender: str = ""
    game: str = ""
    side: str = ""
    sha256: str = ""
    replies: tuple[str, ...] = ()
    file: str = ""
    why: str = ""
    subject: str = ""
    same: str = ""
    lost: tuple[str, ...] = ()
    at: str = ""


class LetterStreak(NamedTuple):
    """How many of a side's latest emails in a row were alike, to detect a sender that is a machine.

    Only emails with the right token count, because anybody can forge an address.

    Attributes:
        done: What was done with the latest one.
        done_so: How many in a row had that result.
        same: The hash of the content of the latest one.
        said_so: How many in a row had that content.
        idle: How many in a row brought no new orders.
        sha256: The hash of the last orders filed.
    """

    done: str = ""
    done_so: int = 0
    same: str = ""
    said_so: int = 0
    idle: int = 0
    sha256: str = ""

    def after(self, entry: EmailRecord) -> LetterStreak:
        """Return the streak with one more email."""
        fresh = bool(entry.sha256) and entry.sha256 != self.sha256
        return LetterStreak(
            entry.done, self.done_so * (self.done == entry.done) + 1,
            entry.same, self.said_so * (self.same == entry.same) + 1,
            0 if fresh else self.idle + 1, entry.sha256 or self.sha256,
        )  # fmt: skip


FAILURES_TOLD: Final = "failures told"
"""Name of the fact that holds when the umpire was told of emails that could not be sent."""
DIGEST: Final = "digest"
"""Name of the fact that holds a :class:`DigestProgress`."""


class DigestProgress(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Up to where the journal of incoming emails was reported to the umpire.

    Attributes:
        told: The number of the last entry that was reported.
        at: When that was; ``None`` before the first digest.
        telling: The last entry that the digest now being queued will cover; 0 if there is none.
        key: The beginning of the key of that digest.
    """

    told: int = 0
    at: datetime | None = None
    telling: int = 0
    key: str = ""


GENERATION: Final = "generation"
"""Name of the fact that holds the :class:`Generation`."""


class Generation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The last round of the host in which something happened, to notice a database that is older than the games.

    Attributes:
        host: The random name of the host.
        count: The number of the round.
        word: The random word of the round.
    """

    host: str
    count: int = 0
    word: str = ""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """The delivery attempts of a waiting email: their number, the first and the next time, and the last error."""

    tries: int
    first: datetime
    next: datetime
    why: str


class SentEmail(msgspec.Struct, frozen=True, kw_only=True):
    """An email that a server accepted: its file name, reader and subject, and when (ISO format)."""

    name: str
    reader: str
    subject: str
    at: str


_FIRST_TABLES: Final = (
    "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE emails (number INTEGER PRIMARY KEY, digest TEXT NOT NULL, done TEXT NOT NULL, message_id TEXT NOT "
    "NULL, sender TEXT NOT NULL, game TEXT NOT NULL, side TEXT NOT NULL, sha256 TEXT NOT NULL, file TEXT NOT NULL, why "
    "TEXT NOT NULL, subject TEXT NOT NULL, same TEXT NOT NULL, lost TEXT NOT NULL, at TEXT NOT NULL)",
    "CREATE INDEX emails_by_digest ON emails (digest)",
    "CREATE TABLE answers (email INTEGER NOT NULL REFERENCES emails (number), place INTEGER NOT NULL, key TEXT NOT "
    "NULL, PRIMARY KEY (email, place)) WITHOUT ROWID",
    "CREATE TABLE streaks (game TEXT NOT NULL, side TEXT NOT NULL, done TEXT NOT NULL, done_so INTEGER NOT NULL, same "
    "TEXT NOT NULL, said_so INTEGER NOT NULL, idle INTEGER NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (game, side)) "
    "WITHOUT ROWID",
    "CREATE TABLE sent (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, reader TEXT NOT NULL, subject TEXT NOT "
    "NULL, at TEXT NOT NULL)",
    "CREATE TABLE trials (name TEXT PRIMARY KEY, tries INTEGER NOT NULL, first TEXT NOT NULL, next TEXT NOT NULL, why "
    "TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE failures (name TEXT PRIMARY KEY, why TEXT NOT NULL) WITHOUT ROWID",
)
_MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (_FIRST_TABLES,)
"""The statements that lead from each version of the tables to the next one."""

_FACTS: Final = ("door", "resting", "rounds", "seats", "site", "site-owed", "tidied", "unreachable", "weekly")
"""Files of an earlier version that became facts of the same name; damaged ones count as missing."""
_STRICT: Final = {
    "absences": ("absences-damaged", "what is known of players who are away is damaged"),
    "addresses": ("addresses-damaged", "what is known of new addresses is damaged"),
    "watching": ("watching-damaged", "what is known of spectators is damaged"),
}
"""Files of an earlier version that must not be lost: the fault's code and text if one is damaged."""
_JOURNAL: Final = "letters.jsonl"
_COLUMNS: Final = "digest, done, message_id, sender, game, side, sha256, file, why, subject, same, lost, at"


class Store:
    """The database of one mail folder, open in one thread; :func:`opened` makes it.

    The file is created by the first write. Until then it has nothing. ``users`` counts who has it open.
    """

    def __init__(self, post: Path) -> None:
        self.post, self.file = post, post / FILE
        self.users = self._depth = 0
        self._connection: sqlite3.Connection | None = None

    # --- facts: small records by name ---

    def raw(self, name: str) -> bytes | None:
        """Return a fact as JSON; ``None`` if there is none."""
        row = self.row("SELECT value FROM facts WHERE name = ?", name)
        return str(row[0]).encode() if row is not None else None

    def fact(self, name: str, kind: type[Made]) -> Made | None:
        """Return a fact; ``None`` if there is none, or none of this kind."""
        data = self.raw(name)
        with suppress(ValueError, RecursionError):
            return msgspec.json.decode(data, type=kind) if data is not None else None
        return None

    def keep(self, name: str, value: object) -> None:
        """Store a fact; the version grows by one if the value changes."""
        text = msgspec.json.encode(value).decode()
        if (before := self.raw(name)) is None or before.decode() != text:
            with self.transaction():
                self.write(
                    "INSERT INTO facts VALUES (?, ?, 1) "
                    "ON CONFLICT (name) DO UPDATE SET value = excluded.value, version = version + 1",
                    name, text,
                )  # fmt: skip

    def identity(self, name: str) -> list[FileIdentity]:
        """Return what identifies the present value of a fact, to detect changes; it is like that of a file."""
        row = self.row("SELECT version FROM facts WHERE name = ?", name)
        return [(name, int(row[0]), 0, 0)] if row is not None else []

    # --- the journal of emails ---

    def emails(self, after: int = 0, until: int | None = None) -> Iterator[tuple[int, EmailRecord]]:
        """Yield the entries of the journal with their numbers, from number ``after`` + 1 on, in order."""
        last = until if until is not None else self.last_email()
        for row in self.rows(
            f"SELECT number, {_COLUMNS} FROM emails WHERE number > ? AND number <= ? ORDER BY number", after, last
        ):
            yield int(row[0]), self._entry(row)

    def last_email(self) -> int:
        """Return the number of the last entry of the journal; 0 if there is none."""
        row = self.row("SELECT coalesce(max(number), 0) FROM emails")
        return int(row[0]) if row is not None else 0

    def email(self, digest: str) -> EmailRecord | None:
        """Return the last entry of the email with this digest, or ``None``."""
        row = self.row(f"SELECT number, {_COLUMNS} FROM emails WHERE digest = ? ORDER BY number DESC LIMIT 1", digest)
        return self._entry(row) if row is not None else None

    def done_with(self, digest: str) -> str:
        """Return what was done last with the email with this digest; empty if it was not handled."""
        row = self.row("SELECT done FROM emails WHERE digest = ? ORDER BY number DESC LIMIT 1", digest)
        return str(row[0]) if row is not None else ""

    def streak(self, game: str, side: str) -> LetterStreak:
        """Return how many of a side's latest emails in a row were alike."""
        row = self.row(
            "SELECT done, done_so, same, said_so, idle, sha256 FROM streaks WHERE game = ? AND side = ?", game, side
        )
        return LetterStreak() if row is None else msgspec.convert(row, LetterStreak)

    def add_email(self, entry: EmailRecord) -> None:
        """Add an email with the keys of its answers to the journal, and count it for its side."""
        with self.transaction():
            texts = [_plain(getattr(entry, name)) for name in _COLUMNS.split(", ") if name != "lost"]
            texts.insert(-1, msgspec.json.encode([_plain(one) for one in entry.lost]).decode())
            marks = ", ".join("?" * len(texts))
            number = self.write(f"INSERT INTO emails ({_COLUMNS}) VALUES ({marks})", *texts)
            for place, key in enumerate(entry.replies):
                self.write("INSERT INTO answers VALUES (?, ?, ?)", number, place, _plain(key))
            if entry.side and entry.done != "quarantine":
                now = self.streak(_plain(entry.game), _plain(entry.side)).after(entry)
                marks = ", ".join("?" * (2 + len(now)))
                self.write(
                    f"INSERT OR REPLACE INTO streaks VALUES ({marks})", _plain(entry.game), _plain(entry.side), *now
                )

    def _entry(self, row: tuple[SqlValue, ...]) -> EmailRecord:
        number, *values = row
        known: dict[str, object] = dict(zip(_COLUMNS.split(", "), values, strict=True))
        known["lost"] = msgspec.json.decode(str(known["lost"]))
        known["replies"] = [
            one[0] for one in self.rows("SELECT key FROM answers WHERE email = ? ORDER BY place", number)
        ]
        return msgspec.convert(known, EmailRecord)

    # --- the outbox: emails by their file names ---

    def trial(self, name: str) -> Trial | None:
        """Return how often and when a waiting email was tried; ``None`` before the first attempt."""
        row = self.row("SELECT tries, first, next, why FROM trials WHERE name = ?", name)
        return _trial(row) if row is not None else None

    def trials(self) -> dict[str, Trial]:
        """Return the attempts of all waiting emails that were tried, by file name in alphabetical order."""
        found = self.rows("SELECT name, tries, first, next, why FROM trials ORDER BY name")
        return {str(name): _trial(tuple(row)) for name, *row in found}

    def keep_trial(self, name: str, trial: Trial | None) -> None:
        """Store the attempts of an email; with ``None`` forget them."""
        if trial is None and self.trial(name) is None:
            return
        with self.transaction():
            self.write("DELETE FROM trials WHERE name = ?", name)
            if trial is not None:
                first, then = trial.first.isoformat(), trial.next.isoformat()
                self.write(
                    "INSERT INTO trials VALUES (?, ?, ?, ?, ?)", name, trial.tries, first, then, _plain(trial.why)
                )

    def failure(self, name: str) -> str:
        """Return why an email could not be sent; empty if that is not known."""
        row = self.row("SELECT why FROM failures WHERE name = ?", name)
        return str(row[0]) if row is not None else ""

    def keep_failure(self, name: str, why: str) -> None:
        """Store why an email could not be sent; with ``""`` forget it."""
        if self.failure(name) != why:
            with self.transaction():
                self.write("DELETE FROM failures WHERE name = ?", name)
                if why:
                    self.write("INSERT INTO failures VALUES (?, ?)", name, _plain(why))

    def add_sent(self, emails: Iterable[SentEmail]) -> None:
        """Record emails that a server accepted, and forget earlier attempts.

        One that is recorded already stays as it is.
        """
        with self.transaction():
            tried = self.row("SELECT 1 FROM trials UNION ALL SELECT 1 FROM failures LIMIT 1") is not None
            for one in emails:
                if tried:
                    self.write("DELETE FROM trials WHERE name = ?", one.name)
                    self.write("DELETE FROM failures WHERE name = ?", one.name)
                self.write(
                    "INSERT OR IGNORE INTO sent (name, reader, subject, at) VALUES (?, ?, ?, ?)",
                    one.name, _plain(one.reader), _plain(one.subject), one.at,
                )  # fmt: skip

    def sent(self) -> list[SentEmail]:
        """Return the emails that servers accepted, in that order."""
        found = self.rows("SELECT name, reader, subject, at FROM sent ORDER BY number")
        return [SentEmail(name=str(one[0]), reader=str(one[1]), subject=str(one[2]), at=str(one[3])) for one in found]

    # --- statements ---

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do everything that is written in this context, or nothing; one within another is part of it.

        Other processes are locked out from the first write on.

        Raises:
            GameError: The disk is full, another process writes for too long, or the database cannot be used.
        """
        if self._depth:
            yield
            return
        connection = self._opened(create=True)
        assert connection is not None
        self._depth += 1
        try:
            yield
            if connection.in_transaction:
                self._do(connection, "COMMIT")
        finally:
            self._depth -= 1
            if connection.in_transaction:  # an error, also one of COMMIT
                with suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")

    def rows(self, sql: str, *values: SqlValue) -> list[tuple[SqlValue, ...]]:
        """Return the rows of a query; none if there is no database yet."""
        connection = self._opened(create=False)
        if connection is None:
            return []
        try:
            return connection.execute(sql, values).fetchall()
        except (OSError, sqlite3.Error):
            with _understood(self.file, "read"):
                raise

    def row(self, sql: str, *values: SqlValue) -> tuple[SqlValue, ...] | None:
        """Return the first row of a query, or ``None``."""
        found = self.rows(sql, *values)
        return found[0] if found else None

    def write(self, sql: str, *values: SqlValue) -> int:
        """Execute one statement within a transaction, and return the number of the row that it inserted, if any."""
        assert self._depth, "a write needs a transaction"
        return self._do(self._begun(), sql, *values).lastrowid or 0

    def _begun(self) -> sqlite3.Connection:
        """Return the connection, with its transaction begun."""
        connection = self._opened(create=True)
        assert connection is not None
        if not connection.in_transaction:
            self._do(connection, "BEGIN IMMEDIATE")
        return connection

    def _do(self, connection: sqlite3.Connection, sql: str, *values: SqlValue) -> sqlite3.Cursor:
        try:
            return connection.execute(sql, values)
        except (OSError, sqlite3.Error):
            with _understood(self.file, "write"):
                raise

    # --- opening, creating, taking over ---

    def close(self) -> None:
        """Close the database; the next access opens it again."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _opened(self, *, create: bool) -> sqlite3.Connection | None:
        """Return the connection; ``None`` if there is no database and nothing to make one of."""
        if self._connection is not None:
            return self._connection
        if not create and not self.file.exists() and not any(_old_files(self.post)):
            return None
        with _understood(self.file, "write"):
            self._connection = _connected(self.post)
            try:
                self._prepare(self._connection)
            except BaseException:
                self.close()
                raise
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Bring the tables to the present version, and take over the files of an earlier version."""
        if (version := _version(connection)) > SCHEMA:
            text = (
                f"update pbem: a newer version used this club last. Its correspondence has format {version}, and this "
                f"version reads format {SCHEMA}. Nothing was changed"
            )
            raise GameError.saying("store-newer", text, file=str(self.file))
        if version < SCHEMA:
            _use_log(connection)
            with self.transaction():
                version = _version(self._begun())  # another process may have been first
                for statements in _MIGRATIONS[version:]:
                    for sql in statements:
                        self.write(sql)
                if not version:
                    self._take_over()
                self.write(f"PRAGMA user_version = {SCHEMA}")
        if self.raw(MOVING) is not None:
            for path in _old_files(self.post):
                _put_aside(self.post, path)
            if (self.post.parent / "host.toml").is_file():
                write_bytes(self.post / STOP_FILE, STOP, private=True)
            with self.transaction():
                self.write("DELETE FROM facts WHERE name = ?", MOVING)

    def _take_over(self) -> None:
        """Read the files of an earlier version into the empty tables.

        Raises:
            GameError: A file that must not be lost is damaged, or one cannot be read.
        """
        earlier = any(_old_files(self.post))
        if earlier or (self.post.parent / "host.toml").is_file():
            self.keep(MOVING, True)
        if not earlier:
            return
        for name in (*_FACTS, *_STRICT):
            data = _content(self.post / f"{name}.json")
            data = None if data == STOP else data
            try:
                if data is not None:
                    self.keep(name, msgspec.Raw(msgspec.json.encode(msgspec.json.decode(data))))
            except (ValueError, RecursionError) as error:
                if name in _STRICT:
                    code, said = _STRICT[name]
                    raise GameError.saying(code, f"{said}: {error}", file=str(self.post / f"{name}.json")) from error
        known = [(0, 0)]  # where each line ends, by which an earlier version said how far the journal was reported
        for line in (_content(self.post / _JOURNAL) or b"").split(b"\n"):
            with suppress(ValueError, RecursionError):  # a line that was not written to its end
                self.add_email(msgspec.json.decode(line, type=EmailRecord))
            known.append((known[-1][0] + len(line) + 1, self.last_email()))
        with suppress(ValueError, RecursionError):
            old = msgspec.json.decode(_content(self.post / f"{DIGEST}.json") or b"", type=DigestProgress)
            told, telling = (max(number for end, number in known if end <= size) for size in (old.told, old.telling))
            key = f"put aside {old.told} {old.telling}" if old.telling else ""  # what is just being queued keeps it
            self.keep(DIGEST, msgspec.structs.replace(old, told=told, telling=telling, key=key))
        for path in _old_notes(self.post / "outbox"):
            self._take_over_note(path)
        with suppress(ValueError, RecursionError):  # the file stays, because games read it
            found = msgspec.json.decode(_content(self.post / "host.json") or b"", type=Generation)
            self.keep(GENERATION, found)

    def _take_over_note(self, path: Path) -> None:
        """Take over a file beside an email of the outbox: its attempts, or why it could not be sent."""
        data, name = _content(path) or b"", path.with_suffix(".eml").name
        with suppress(ValueError, RecursionError):
            if path.suffix == ".txt":
                self.keep_failure(name, data.decode("utf-8", "replace").strip())
            elif path.parent.name == "waiting":
                self.keep_trial(name, msgspec.json.decode(data, type=Trial))
            else:
                self.keep(FAILURES_TOLD, msgspec.json.decode(data, type=dict[str, datetime]))


_OPEN: Final = threading.local()


@contextmanager
def opened(post: Path) -> Iterator[Store]:
    """Open the database of a mail folder, or share it if this thread has it open already.

    Raises:
        GameError: With one sentence, if the database is damaged, is of a newer version, is used by another process for
            too long, or cannot be written. Then nothing was changed.
    """
    known: dict[tuple[int, str], Store] = _OPEN.__dict__.setdefault("stores", {})
    key = os.getpid(), os.path.abspath(post)  # noqa: PTH100 (quicker); a connection must not be used after a fork
    store = known.get(key)
    if store is None:
        store = known[key] = Store(post)
    store.users += 1
    try:
        yield store
    finally:
        store.users -= 1
        if not store.users:
            known.pop(key, None)
            store.close()


def read_fact(post: Path, name: str, kind: type[Made]) -> Made | None:
    """Return a fact of a mail folder; ``None`` if there is none, or none of this kind."""
    with opened(post) as store:
        return store.fact(name, kind)


def keep_fact(post: Path, name: str, value: object) -> None:
    """Store a fact of a mail folder, in a transaction of its own if none is open."""
    with opened(post) as store:
        store.keep(name, value)


def list_of(post: Path, name: str, kind: type[Made]) -> tuple[Made, ...]:
    """Return a fact that is a list and must not be lost, such as ``absences``; empty if there is none.

    Raises:
        GameError: It is no such list.
    """
    with opened(post) as store:
        data = store.raw(name)
    try:
        return msgspec.json.decode(data, type=tuple[kind, ...]) if data is not None else ()  # type: ignore[valid-type]
    except (ValueError, RecursionError) as error:
        code, damaged = _STRICT[name]
        raise GameError.saying(code, f"{damaged}: {error}", file=str(post / FILE)) from error


def identity(post: Path, name: str) -> list[FileIdentity]:
    """Return what identifies the present value of a fact of a mail folder, to detect changes."""
    with opened(post) as store:
        return store.identity(name)


def copy_facts(post: Path, target: Path) -> None:
    """Copy the facts of a mail folder to that of a copy of the club, which begins a journal of its own."""
    with opened(post) as old, opened(target) as new, new.transaction():
        for name, value in old.rows("SELECT name, value FROM facts WHERE name NOT IN (?, ?)", DIGEST, MOVING):
            new.keep(str(name), msgspec.Raw(str(value).encode()))


def copy(post: Path, target: Path) -> bool:
    """Copy the database of a mail folder to a file by SQLite's backup; return whether there is one.

    The copy is complete, whatever another process writes meanwhile.

    Raises:
        GameError: The database cannot be read, or the file cannot be written.
    """
    if not (post / FILE).exists():
        return False
    with opened(post) as store, _understood(target, "write"):
        connection = store._opened(create=False)
        assert connection is not None
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(target)) as other:
            connection.backup(other)
    return True


def examine(post: Path) -> str:
    """Return a sentence about the sound database of a mail folder, for ``pbem doctor``.

    Raises:
        GameError: The database is damaged or cannot be used.
    """
    if not (post / FILE).exists():
        return f"mail/{FILE} is made by the first round"
    with opened(post) as store:
        found = [str(row[0]) for row in store.rows("PRAGMA integrity_check(5)") if row[0] != "ok"]
        found += [f"a row of {row[0]} belongs to none of {row[2]}" for row in store.rows("PRAGMA foreign_key_check")]
        if found:
            raise _damaged(store.file, "; ".join(found[:5]))
        mode = store.row("PRAGMA journal_mode")
        count = store.row("SELECT count(*) FROM emails")
    assert mode is not None and count is not None
    return f"mail/{FILE} is sound: {several(int(count[0]), 'email')}, journal mode {str(mode[0]).upper()}"


# --- details ---


def _connected(post: Path) -> sqlite3.Connection:
    """Return a connection to the database file, which is created for the host's own account alone.

    Where a folder with a write-ahead log came to a file system without shared memory, the log is folded in.
    """
    try:
        make_folder(post, private=True)
        if not (post / FILE).exists():
            os.close(os.open(post / FILE, os.O_WRONLY | os.O_CREAT, 0o600))
    except OSError as error:
        raise cannot("write", post / FILE, error) from error
    connection = _connect(post / FILE)
    try:
        return _configured(connection)
    except sqlite3.OperationalError as error:
        connection.close()
        if _code(error) not in _NO_SHARED_MEMORY:
            raise
    with closing(_connect(post / FILE)) as alone:
        alone.execute("PRAGMA locking_mode = EXCLUSIVE")
        alone.execute("PRAGMA journal_mode = DELETE")
    return _configured(_connect(post / FILE))


def _connect(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=PATIENCE, isolation_level=None)


def _configured(connection: sqlite3.Connection) -> sqlite3.Connection:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA synchronous = {'FULL' if waits_for_disk() else 'OFF'}")
    connection.execute("PRAGMA fullfsync = ON")
    connection.execute("SELECT count(*) FROM sqlite_master")
    return connection


def _use_log(connection: sqlite3.Connection) -> None:
    """Use a write-ahead log, unless the file system has no shared memory (then SQLite says which mode it keeps)."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if _code(error) not in _NO_SHARED_MEMORY:
            raise
        connection.execute("PRAGMA journal_mode = DELETE")


_NO_SHARED_MEMORY: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL)
"""What SQLite says where a write-ahead log cannot be used."""


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _trial(row: tuple[SqlValue, ...]) -> Trial:
    tries, first, then, why = row
    return msgspec.convert({"tries": tries, "first": first, "next": then, "why": why}, Trial)


def _plain(text: str) -> str:
    """Return a text without single halves of surrogate pairs, which no database stores."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _old_files(post: Path) -> Iterator[Path]:
    """Yield the files of an earlier version in a mail folder."""
    for name in (_JOURNAL, *(f"{name}.json" for name in (DIGEST, *_FACTS, *_STRICT))):
        if (post / name).is_file() and not _stops(post / name):
            yield post / name
    yield from _old_notes(post / "outbox")


def _stops(path: Path) -> bool:
    return path.name == STOP_FILE and path.stat().st_size == len(STOP) and _content(path) == STOP


def _old_notes(outbox: Path) -> Iterator[Path]:
    """Yield the files that an earlier version wrote beside the emails of an outbox."""
    for folder, pattern in (("", "failed.json"), ("waiting", "*.json"), ("failed", "*.txt"), ("given-up", "*.txt")):
        if (outbox / folder).is_dir():
            yield from sorted((outbox / folder).glob(pattern))


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except OSError as error:
        raise cannot("read", path, error) from error


def _put_aside(post: Path, path: Path) -> None:
    """Move a file whose content the database has; a file that lies there already is never replaced."""
    target = post / BEFORE / path.relative_to(post)
    number = 2
    while target.exists():
        target, number = target.with_name(f"{path.name}.{number}"), number + 1
    try:
        make_folder(target.parent, private=True)
        with suppress(FileNotFoundError):  # another process moves them, too
            patiently(path.replace, target)
    except OSError as error:
        raise cannot("write", target, error) from error


def _code(error: sqlite3.Error) -> int:
    """Return the primary code of an error of SQLite."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _damaged(file: Path, why: str) -> GameError:
    text = (
        f"the club's correspondence is damaged ({why}). Nothing was changed; restore the club from a backup with "
        "`pbem host restore`"
    )
    return GameError.saying("store-damaged", text, file=str(file))


@contextmanager
def _understood(file: Path, do: str) -> Iterator[None]:
    """Change errors of SQLite in this context into faults of one sentence."""
    try:
        yield
    except OSError as error:
        raise cannot(do, file, error) from error
    except sqlite3.Error as error:
        code = _code(error)
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            text = "try again: another command is changing the club's emails; nothing was changed"
            raise GameError.saying("game-locked", text, file=str(file)) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise _damaged(file, str(error)) from error
        if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH):
            kind = IsADirectoryError if file.is_dir() else PermissionError
            raise cannot(do, file, kind(str(error))) from error
        if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            text = f"cannot {do} this: {error}; nothing was changed"
            raise GameError.saying(UNWRITABLE, text, file=str(file)) from error
        raise
