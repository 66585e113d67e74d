"""Store the correspondence of a club in one SQLite database, ``mail/club.db``.

The database records which emails were handled and with which answers, what was sent, and the small records of the
host, such as absences and the times of its rounds (*facts*). The state of a game is in its folder, not here. So a
change is written to the game folder first, and then to the database in one transaction. After an interruption the next
round repeats the rest.

Reading methods return plain values. Writes happen in :meth:`Store.transaction`: afterwards all of them are on the disk,
or none. A database from :func:`opened` is only open while a command runs, so between commands the one file is complete
and can be copied. Emails that wait to be sent, emails in quarantine, and ``status.json`` are files, because people read
them.

An earlier version kept the same records in small files. The first access imports them in the transaction that
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
"""Fault codes of a database that cannot be used until a person acts."""
BEFORE: Final = "before-club-db"
"""Folder to which the files of an earlier version are moved, once the database has their content."""
MOVING: Final = "files to move"
"""Name of the fact that records that files of an earlier version were imported but not yet moved."""
STOP_FILE: Final = "addresses.json"
STOP: Final = b"""\
{"to whom it may concern": "A newer version of pbem keeps the correspondence of this club in mail/club.db.",
 "this file": "It stops an earlier version, which would know no email, no absence and no address. Update pbem."}
"""
"""Content of a file that makes an earlier program version stop before it does anything in this club."""

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
        file: The quarantine file that contains the email, if any.
        why: The reason for what was done, for the umpire.
        subject: The subject, for the umpire; only if the email is in quarantine.
        same: A hash that is equal for emails with equal content.
        lost: For a bounce: addresses of players to which delivery failed.
        at: When it was handled, in ISO format; empty if the time was not recorded.
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
    """How many of a side's latest emails in a row were alike, to detect that a machine sends them.

    Only emails with the right token count, because anybody can forge an address.

    Attributes:
        done: What was done with the latest email.
        done_so: How many of the latest emails in a row had that result.
        same: The hash of the content of the latest email.
        said_so: How many of the latest emails in a row had that content.
        idle: How many of the latest emails in a row brought no new orders.
        sha256: The hash of the last orders filed.
    """

    done: str = ""
    done_so: int = 0
    same: str = ""
    said_so: int = 0
    idle: int = 0
    sha256: str = ""

    def after(self, entry: EmailRecord) -> LetterStreak:
        """Return the streak that includes one more email."""
        fresh = bool(entry.sha256) and entry.sha256 != self.sha256
        return LetterStreak(
            entry.done, self.done_so * (self.done == entry.done) + 1,
            entry.same, self.said_so * (self.same == entry.same) + 1,
            0 if fresh else self.idle + 1, entry.sha256 or self.sha256,
        )  # fmt: skip


FAILURES_TOLD: Final = "failures told"
"""Name of the fact that records when the umpire was informed of emails that could not be sent."""
DIGEST: Final = "digest"
"""Name of the fact that holds a :class:`DigestProgress`."""


class DigestProgress(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How much of the journal of incoming emails was reported to the umpire in digests.

    Attributes:
        told: The number of the last entry that was reported.
        at: When that entry was reported; ``None`` before the first digest.
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
    """The age of the database, to detect that it is older than the games, for example from a backup.

    Attributes:
        host: The random name of the host.
        count: The number of the last round of the host in which something changed.
        word: The random word of that round.
    """

    host: str
    count: int = 0
    word: str = ""


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """The delivery attempts of a waiting email.

    ``tries`` is the number of attempts, ``first`` the time of the first attempt, ``next`` the time of the next attempt,
    and ``why`` the last error.
    """

    tries: int
    first: datetime
    next: datetime
    why: str


class SentEmail(msgspec.Struct, frozen=True, kw_only=True):
    """An email that a server accepted.

    ``name`` is its file name, ``reader`` its recipient, ``at`` the time in ISO format.
    """

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
"""For each version of the tables, from 0 on: the SQL statements that change it into the next version."""

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
    """The database of one mail folder, open in one thread; use :func:`opened` to get one.

    The first write creates the file. Before that, queries return nothing. ``users`` counts how many callers use it.
    """

    def __init__(self, post: Path) -> None:
        self.post, self.file = post, post / FILE
        self.users = self._depth = 0
        self._connection: sqlite3.Connection | None = None

    # --- facts: small records by name ---

    def raw(self, name: str) -> bytes | None:
        """Return the value of a fact (small named record) as JSON; ``None`` if there is none."""
        row = self.row("SELECT value FROM facts WHERE name = ?", name)
        return str(row[0]).encode() if row is not None else None

    def fact(self, name: str, kind: type[Made]) -> Made | None:
        """Return the value of a fact (small named record); ``None`` if there is none of this type."""
        data = self.raw(name)
        with suppress(ValueError, RecursionError):
            return msgspec.json.decode(data, type=kind) if data is not None else None
        return None

    def keep(self, name: str, value: object) -> None:
        """Store the value of a fact (small named record); a changed value increments its version number."""
        text = msgspec.json.encode(value).decode()
        if (before := self.raw(name)) is None or before.decode() != text:
            with self.transaction():
                self.write(
                    "INSERT INTO facts VALUES (?, ?, 1) "
                    "ON CONFLICT (name) DO UPDATE SET value = excluded.value, version = version + 1",
                    name, text,
                )  # fmt: skip

    def identity(self, name: str) -> list[FileIdentity]:
        """Return the name and version of a fact (small named record), to detect changes.

        They have the form of a file's identity. The list is empty if there is no such fact.
        """
        row = self.row("SELECT version FROM facts WHERE name = ?", name)
        return [(name, int(row[0]), 0, 0)] if row is not None else []

    # --- the journal of emails ---

    def emails(self, after: int = 0, until: int | None = None) -> Iterator[tuple[int, EmailRecord]]:
        """Yield (number, entry) for entries of the email journal, in order.

        Args:
            after: The number before the first entry.
            until: The number of the last entry; the last one of the journal if ``None``.
        """
        last = until if until is not None else self.last_email()
        for row in self.rows(
            f"SELECT number, {_COLUMNS} FROM emails WHERE number > ? AND number <= ? ORDER BY number", after, last
        ):
            yield int(row[0]), self._entry(row)

    def last_email(self) -> int:
        """Return the number of the last entry of the email journal; 0 if there is none."""
        row = self.row("SELECT coalesce(max(number), 0) FROM emails")
        return int(row[0]) if row is not None else 0

    def email(self, digest: str) -> EmailRecord | None:
        """Return the last journal entry of the email with this digest, or ``None``."""
        row = self.row(f"SELECT number, {_COLUMNS} FROM emails WHERE digest = ? ORDER BY number DESC LIMIT 1", digest)
        return self._entry(row) if row is not None else None

    def done_with(self, digest: str) -> str:
        """Return what was last done with the email with this digest; empty if it was not handled yet."""
        row = self.row("SELECT done FROM emails WHERE digest = ? ORDER BY number DESC LIMIT 1", digest)
        return str(row[0]) if row is not None else ""

    def streak(self, game: str, side: str) -> LetterStreak:
        """Return how many of a side's latest emails in a row were alike."""
        row = self.row(
            "SELECT done, done_so, same, said_so, idle, sha256 FROM streaks WHERE game = ? AND side = ?", game, side
        )
        return LetterStreak() if row is None else msgspec.convert(row, LetterStreak)

    def add_email(self, entry: EmailRecord) -> None:
        """Add an email with the keys of its answers to the journal, and update the streak of its side."""
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
        fields: dict[str, object] = dict(zip(_COLUMNS.split(", "), values, strict=True))
        fields["lost"] = msgspec.json.decode(str(fields["lost"]))
        fields["replies"] = [
            one[0] for one in self.rows("SELECT key FROM answers WHERE email = ? ORDER BY place", number)
        ]
        return msgspec.convert(fields, EmailRecord)

    # --- the outbox: emails by their file names ---

    def trial(self, name: str) -> Trial | None:
        """Return the delivery attempts of the waiting email with this file name; ``None`` if there were none."""
        row = self.row("SELECT tries, first, next, why FROM trials WHERE name = ?", name)
        return _trial(row) if row is not None else None

    def trials(self) -> dict[str, Trial]:
        """Return the delivery attempts of waiting emails, as a dict of file name to attempts, sorted by name."""
        found = self.rows("SELECT name, tries, first, next, why FROM trials ORDER BY name")
        return {str(name): _trial(tuple(row)) for name, *row in found}

    def keep_trial(self, name: str, trial: Trial | None) -> None:
        """Store the delivery attempts of a waiting email; ``None`` deletes them."""
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
        """Return why the email with this file name could not be sent; empty if no failure is recorded."""
        row = self.row("SELECT why FROM failures WHERE name = ?", name)
        return str(row[0]) if row is not None else ""

    def keep_failure(self, name: str, why: str) -> None:
        """Store why an email could not be sent; ``""`` deletes the record."""
        if self.failure(name) != why:
            with self.transaction():
                self.write("DELETE FROM failures WHERE name = ?", name)
                if why:
                    self.write("INSERT INTO failures VALUES (?, ?)", name, _plain(why))

    def add_sent(self, emails: Iterable[SentEmail]) -> None:
        """Record emails that a server accepted, and delete their delivery attempts and failures.

        An email that is recorded already is not changed.
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
        """Return the emails that servers accepted, in the order of sending."""
        found = self.rows("SELECT name, reader, subject, at FROM sent ORDER BY number")
        return [SentEmail(name=str(one[0]), reader=str(one[1]), subject=str(one[2]), at=str(one[3])) for one in found]

    # --- statements ---

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit everything written in this context at once, or nothing after an error.

        A transaction inside another is part of it. Other processes cannot write from the first write until the end.

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
        """Return the rows of a query; an empty list if there is no database yet."""
        connection = self._opened(create=False)
        if connection is None:
            return []
        try:
            return connection.execute(sql, values).fetchall()
        except (OSError, sqlite3.Error):
            with _understood(self.file, "read"):
                raise

    def row(self, sql: str, *values: SqlValue) -> tuple[SqlValue, ...] | None:
        """Return the first row of a query; ``None`` if it has none."""
        rows = self.rows(sql, *values)
        return rows[0] if rows else None

    def write(self, sql: str, *values: SqlValue) -> int:
        """Execute one SQL statement within a transaction, and return the number of the inserted row, or 0."""
        assert self._depth, "a write needs a transaction"
        return self._do(self._begun(), sql, *values).lastrowid or 0

    def _begun(self) -> sqlite3.Connection:
        """Return the connection, with a transaction started."""
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
        """Return the connection, opened if necessary.

        Return ``None`` if there is no database, no file of an earlier version, and ``create`` is false.
        """
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
        """Migrate the tables to the current version, and import the files of an earlier version.

        Raises:
            GameError: A newer version of the program wrote the database, or a file cannot be imported.
        """
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
        """Import the files of an earlier version into the empty tables.

        Raises:
            GameError: A file that must not be lost is damaged, or a file cannot be read.
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
        known = [(0, 0)]  # (end of line in bytes, entry number): an earlier version recorded its progress in bytes
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
        """Import a file of an earlier outbox: an email's delivery attempts, or why it could not be sent."""
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
    """Open the database of a mail folder for this context, or use it if this thread already has it open.

    Raises:
        GameError: The database is damaged, is of a newer version, is used by another process for too long, or cannot be
            written. Then nothing was changed.
    """
    stores: dict[tuple[int, str], Store] = _OPEN.__dict__.setdefault("stores", {})
    key = os.getpid(), os.path.abspath(post)  # noqa: PTH100 (quicker); a connection must not be used after a fork
    store = stores.get(key)
    if store is None:
        store = stores[key] = Store(post)
    store.users += 1
    try:
        yield store
    finally:
        store.users -= 1
        if not store.users:
            stores.pop(key, None)
            store.close()


def read_fact(post: Path, name: str, kind: type[Made]) -> Made | None:
    """Return a fact (small named record) of a mail folder; ``None`` if there is none of this type."""
    with opened(post) as store:
        return store.fact(name, kind)


def keep_fact(post: Path, name: str, value: object) -> None:
    """Store a fact (small named record) of a mail folder, in a transaction of its own if none is open."""
    with opened(post) as store:
        store.keep(name, value)


def list_of(post: Path, name: str, kind: type[Made]) -> tuple[Made, ...]:
    """Return a fact (small named record) that is a list and must not be lost, such as ``absences``.

    The result is empty if there is none.

    Raises:
        GameError: The stored value is not such a list.
    """
    with opened(post) as store:
        data = store.raw(name)
    try:
        return msgspec.json.decode(data, type=tuple[kind, ...]) if data is not None else ()  # type: ignore[valid-type]
    except (ValueError, RecursionError) as error:
        code, damaged = _STRICT[name]
        raise GameError.saying(code, f"{damaged}: {error}", file=str(post / FILE)) from error


def identity(post: Path, name: str) -> list[FileIdentity]:
    """Return the name and version of a fact (small named record) of a mail folder, to detect changes.

    They have the form of a file's identity.
    """
    with opened(post) as store:
        return store.identity(name)


def copy_facts(post: Path, target: Path) -> None:
    """Copy the facts (small named records) of a mail folder to the mail folder of a copied club.

    The journal of emails is not copied.
    """
    with opened(post) as old, opened(target) as new, new.transaction():
        for name, value in old.rows("SELECT name, value FROM facts WHERE name NOT IN (?, ?)", DIGEST, MOVING):
            new.keep(str(name), msgspec.Raw(str(value).encode()))


def copy(post: Path, target: Path) -> bool:
    """Copy the database of a mail folder to the file ``target``; return whether there is a database.

    SQLite's backup makes the copy, so it is complete even if another process writes meanwhile.

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
    """Check the database of a mail folder and return a sentence about it, for ``pbem doctor``.

    Raises:
        GameError: The database is damaged or cannot be used.
    """
    if not (post / FILE).exists():
        return f"mail/{FILE} is made by the first round"
    with opened(post) as store:
        faults = [str(row[0]) for row in store.rows("PRAGMA integrity_check(5)") if row[0] != "ok"]
        faults += [f"a row of {row[0]} belongs to none of {row[2]}" for row in store.rows("PRAGMA foreign_key_check")]
        if faults:
            raise _damaged(store.file, "; ".join(faults[:5]))
        mode = store.row("PRAGMA journal_mode")
        count = store.row("SELECT count(*) FROM emails")
    assert mode is not None and count is not None
    return f"mail/{FILE} is sound: {several(int(count[0]), 'email')}, journal mode {str(mode[0]).upper()}"


# --- details ---


def _connected(post: Path) -> sqlite3.Connection:
    """Return a connection to the database file; create the file, for the host's own account only.

    If the file system has no shared memory, a write-ahead log is merged into the file first.
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
    """Set the journal mode to a write-ahead log, or to ``DELETE`` if the file system has no shared memory."""
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.OperationalError as error:
        if _code(error) not in _NO_SHARED_MEMORY:
            raise
        connection.execute("PRAGMA journal_mode = DELETE")


_NO_SHARED_MEMORY: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PROTOCOL)
"""Error codes of SQLite when it cannot use a write-ahead log."""


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _trial(row: tuple[SqlValue, ...]) -> Trial:
    tries, first, then, why = row
    return msgspec.convert({"tries": tries, "first": first, "next": then, "why": why}, Trial)


def _plain(text: str) -> str:
    """Return a text with ``?`` for each lone surrogate, because the database cannot store lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _old_files(post: Path) -> Iterator[Path]:
    """Yield the files of an earlier version in a mail folder, which the database replaces."""
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
    """Move a file of an earlier version to ``before-club-db/``; never replace a file there."""
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
    """Return the primary error code of an SQLite error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _damaged(file: Path, why: str) -> GameError:
    text = (
        f"the club's correspondence is damaged ({why}). Nothing was changed; restore the club from a backup with "
        "`pbem host restore`"
    )
    return GameError.saying("store-damaged", text, file=str(file))


@contextmanager
def _understood(file: Path, do: str) -> Iterator[None]:
    """Convert errors of SQLite in this context to a :class:`GameError` with one sentence.

    ``do`` is the verb for that sentence, ``read`` or ``write``.
    """
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
