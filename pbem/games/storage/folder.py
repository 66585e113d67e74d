"""A game folder: find and read its files, and commit play to it.

The log and the order files define the game. The log is in files ``NN/events.jsonl``, where NN is the turn of the
request that was answered; 00 contains the set-up. Everything else is derived from the log: the reports, and
``NN/state.json``, the state after the last record in that folder. An interrupted command can only leave derived
files out of date, and the next command writes them again. Actions of the umpire may change several files; a
:class:`Transaction` makes them atomic.

Only one command at a time works on a game. A second command waits a few seconds; then its error names the command
that holds the lock. If a command is killed, the operating system releases its lock.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine import dice, log
from pbem.engine.dice import Fresh, KeySource, Secret, committed
from pbem.engine.events import DicePassed, Record
from pbem.engine.log import fold_records
from pbem.engine.state import State
from pbem.errors import Fault, GameError
from pbem.games.storage.files import (
    BACK,
    cannot,
    in_the_log,
    json_in,
    make_folder,
    perhaps,
    read_bytes,
    read_kept,
    remove,
    write_bytes,
)
from pbem.games.storage.terms import Terms, scenario_of
from pbem.util import regex

UNFINISHED: Final = "unfinished.json"
"""Name of the file in the game folder that describes a transaction while it is being carried out."""
UNFINISHED_FORMAT: Final = 1
_TURN = regex(r"\d\d\d?")
_ORDERS = regex(r"\d\d\d?/orders/[^/\\]+\.orders")


class Transaction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A description of all changes that one command (``what``) makes to a game.

    ``records`` are the new log records, which follow record ``after``, by turn folder. ``orders`` maps paths of order
    files, relative to the game folder, to their new content; ``None`` deletes a file.
    """

    format: int
    what: str
    after: int
    records: dict[str, tuple[Record, ...]]
    orders: dict[str, bytes | None] = {}


def carry_out(
    folder: Path, what: str, after: int, records: Mapping[int, Sequence[Record]], orders: Mapping[str, bytes | None]
) -> None:
    """Make several changes to a game in one transaction; the caller must hold the game's lock.

    Args:
        folder: The folder of the game.
        what: The command that makes the changes.
        after: The number of the last log record before the new ones.
        records: The new log records by turn.
        orders: The new content of order files by path, relative to the game folder; ``None`` deletes a file.

    Raises:
        GameError: A file cannot be written. The error says whether the transaction took effect.
    """
    by_folder = {f"{turn:02}": tuple(found) for turn, found in records.items()}
    act = Transaction(format=UNFINISHED_FORMAT, what=what, after=after, records=by_folder, orders=dict(orders))
    # This write decides: from here on the transaction counts as done.
    write_bytes(folder / UNFINISHED, msgspec.json.encode(act, order="deterministic") + b"\n", private=True)
    finish(folder)


def unfinished(folder: Path) -> bool:
    """Return whether a game folder contains a transaction that was interrupted."""
    return (folder / UNFINISHED).is_file()


def finish(folder: Path) -> None:
    """Finish an interrupted transaction in a game folder; the caller must hold the game's lock.

    This function may itself be interrupted and repeated any number of times, with the same result.

    Raises:
        GameError: A file cannot be read or written.
    """
    act = _read(folder / UNFINISHED)
    try:
        for turn, records in act.records.items():
            file = folder / turn / "events.jsonl"
            before = log.decode_records(read_bytes(file), str(file)) if file.is_file() else []
            whole = [*(record for record in before if record.n <= act.after), *records]
            if whole != before:
                write_bytes(file, log.encode_records(whole), private=True)
        for name, data in sorted(act.orders.items(), key=lambda pair: pair[1] is None):
            file = folder / name
            if data is None:
                remove(file)
            elif not file.is_file() or read_bytes(file) != data:
                write_bytes(file, data, private=True)
        remove(folder / UNFINISHED)
    except GameError as error:
        text = f"the {act.what} is in the log; the next command finishes it as soon as its files can be written"
        raise GameError(*error.faults, Fault(code="unfinished", text=text, file=str(folder))) from error


def _read(file: Path) -> Transaction:
    act = json_in(read_bytes(file), Transaction, "act-damaged", "this file cannot be read", file)
    if act.format != UNFINISHED_FORMAT:
        text = f"the unfinished command has format {act.format}; this version reads format {UNFINISHED_FORMAT}"
        raise GameError.saying("format", text, file=str(file))
    wrong = [name for name in act.records if not _TURN.fullmatch(name)]
    wrong += [name for name in act.orders if not _ORDERS.fullmatch(name)]
    if wrong:
        raise GameError.saying("act-damaged", f"{wrong[0][:80]!r} is not a file that belongs to a game", file=str(file))
    return act


WORDS = "fresh.json"
_WORD = regex(r"[0-9a-f]{64}")
_OWN = ("figures", "ships", "scenarios")
_TURN_FOLDER = regex(r"\d\d\d?")
_ORDER_FILE = regex(r"(?P<side>.+)\.r(?P<number>\d+)(\.v(?P<version>\d+))?\.orders")


class OrderFile(msgspec.Struct, frozen=True, kw_only=True):
    """An order file as it was sent.

    Attributes:
        path: The path of the file.
        turn: The turn of the request that it answers.
        side: The side.
        number: The number of that request.
        version: 0 for the file in force; 1, 2 … for earlier versions of it.
    """

    path: Path
    turn: int
    side: str
    number: int
    version: int


def turn_name(turn: int) -> str:
    """Return the name of the folder for a turn, such as ``01``."""
    return f"{turn:02}"


def log_digest(terms: Terms, records: Sequence[Record]) -> bytes:
    """Return a digest of a game's terms and whole log; any difference in them changes the digest."""
    both = hashlib.sha256(msgspec.msgpack.encode(terms))
    both.update(msgspec.msgpack.encode(records))
    return both.digest()


def lost_records(last: int, known: int, file: str) -> Fault:
    """Return the fault for a log that lost records, i.e. has fewer records than its state file says."""
    text = (
        f"the event log ends with record {last}, and its state file was made from {known}: records are missing; {BACK}"
    )
    return Fault(code="log-damaged", text=text, file=file)


class GameFolder:
    """An opened game folder, as :func:`pbem.games.storage.opening.opened` provides it.

    Methods do not write files unless their docstring says so.
    """

    def __init__(self, path: Path, terms: Terms, revealed: KeySource | None = None) -> None:
        """Store the path and the terms of a game; nothing is read.

        ``revealed`` is the source of dice keys for an archive. An archive does not contain the secret, but only the
        links that were used.
        """
        self.path = path
        self.terms = terms
        self._source = revealed
        self._files: dict[int, list[Record]] | None = None
        self._whole: tuple[Record, ...] | None = None
        self._effective: tuple[Record, ...] | None = None
        self._state: State | None = None
        self._scenario: Scenario | None = None
        self.renewed = 0
        """Number of log records when a command with the lock last checked the derived files."""
        self.mended: tuple[str, ...] = ()
        """Files that were written again on opening because an earlier command was interrupted."""
        self.reports_late = False
        """Whether commands on this object leave the reports to a later command
        (:func:`pbem.games.storage.publish.leave`)."""
        self.umpire_late = False
        """Whether commands on this object leave the umpire's page to the command that shows it
        (:func:`pbem.games.storage.publish.write_umpires_page`)."""

    # --- terms, secret and dice ---

    def scenario(self) -> Scenario:
        """Return the game's scenario, with the teams from ``game.toml``.

        Raises:
            GameError: The scenario cannot be read.
        """
        if self._scenario is None:
            self._scenario = scenario_of(self.terms)
        return self._scenario

    def own_files(self) -> list[Path]:
        """Return the game's own figures, ships and scenarios that are used during play, by path."""
        folders = [self.path / name for name in _OWN]
        return [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.toml"))]

    def secret(self) -> bytes:
        """Return the secret of the dice.

        Raises:
            GameError: The secret is missing, damaged, or does not match the commitment in ``game.toml``.
        """
        file = self.path / "secret" / "dice.secret"
        if not file.is_file():
            text = f"{BACK}: the secret of its dice is missing, and the game cannot go on without it"
            if (self.path / "proof.json").is_file():
                text = "verify the .pbem.zip file itself; this is an unpacked archive"
            raise GameError.saying("no-secret", text, file=str(file))
        try:
            secret = bytes.fromhex(read_bytes(file).decode("ascii").strip())
        except ValueError as error:
            raise GameError.saying("secret-damaged", "the secret of the dice is damaged", file=str(file)) from error
        terms = self.terms.dice
        self.verify_scheme()
        known = dice.Secret(secret, terms.scheme, terms.length)
        if known.commitment != terms.commitment or known.salt_commitment != terms.salts:
            text = "the secret of the dice does not match the commitment in game.toml"
            raise GameError.saying("dice-commitment", text, file=str(file))
        return secret

    def verify_scheme(self) -> None:
        """Check that this version of the program knows the game's dice scheme.

        Raises:
            GameError: The scheme is unknown.
        """
        terms = self.terms.dice
        if terms.scheme not in dice.SCHEMES or terms.length != dice.CHAIN_LENGTH:
            text = f"dice scheme {terms.scheme} with {terms.length} links is unknown in this version"
            raise GameError.saying("dice-scheme", text, file=str(self.path / "game.toml"))
        if terms.scheme == 1 and (terms.salts or terms.beacon):
            text = "dice scheme 1 has no salts and no beacon"
            raise GameError.saying("dice-scheme", text, file=str(self.path / "game.toml"))

    def dice(self) -> KeySource:
        """Return the source of the dice keys of all segments.

        Raises:
            GameError: The secret is missing or damaged, as in :meth:`secret`.
        """
        if self._source is None:
            self._source = Secret(self.secret(), self.terms.dice.scheme, self.terms.dice.length)
        if isinstance(self._source, Secret) and self._source.fresh != (fresh := self._fresh()):
            self._source = Secret(self.secret(), self.terms.dice.scheme, self.terms.dice.length, fresh)
        return self._source

    def words_file(self) -> Path:
        """Return the path of the file with the secret words that were drawn after a backup was restored."""
        return self.path / "secret" / WORDS

    def _fresh(self) -> tuple[Fresh, ...]:
        """Return the secret words drawn after a restore, each with the segment after which the word applies.

        Only words that the log commits to are returned.
        """
        try:
            passed = [record.event for record in self.records() if isinstance(record.event, DicePassed)]
        except GameError:
            return ()  # functions that read the log report its faults
        found = [one for one in passed if one.fresh]
        if not found:
            return ()
        kept = read_kept(self.words_file(), list[str]) or ()
        words = {committed(word): word for word in kept if _WORD.fullmatch(word)}
        if any(one.fresh not in words for one in found):
            text = f"{BACK}: one of the secrets of its dice is missing, and the game cannot go on without it"
            raise GameError.saying("no-secret", text, file=str(self.words_file()))
        return tuple(Fresh(one.segment, words[one.fresh]) for one in found)

    # --- the log ---

    def turns(self) -> list[int]:
        """Return the numbers of the turns that have a folder; 0 is the set-up."""
        with os.scandir(self.path) as entries:  # scandir says which entries are folders without a system call for each
            return sorted(int(one.name) for one in entries if _TURN_FOLDER.fullmatch(one.name) and one.is_dir())

    def log_file(self, turn: int) -> Path:
        """Return the path of a turn's log file."""
        return self.path / turn_name(turn) / "events.jsonl"

    def state_file(self, turn: int) -> Path:
        """Return the path of a turn's state file."""
        return self.path / turn_name(turn) / "state.json"

    def log_files(self) -> dict[int, list[Record]]:
        """Return the log as a dict of turn to the records in its file.

        Raises:
            GameError: A log file is damaged, or records are missing.
        """
        if self._files is None:
            turns = self.turns()
            try:
                files = {
                    turn: log.decode_records(read_bytes(file), str(file))
                    for turn, file in ((turn, self.log_file(turn)) for turn in turns)
                    if file.is_file()
                }
            except GameError as error:
                told = [
                    msgspec.structs.replace(one, text=f"{one.text}; {BACK}") if one.line else one
                    for one in error.faults
                ]
                raise GameError(*told) from error
            self._verify_numbers(files)
            for turn in turns:
                # The log is always written before the state that is computed from it.
                if not files.get(turn) and self.state_file(turn).is_file():
                    text = "this event log is missing or empty, but the state file beside it shows that it had records"
                    file = self.log_file(turn)
                    raise GameError.saying("log-damaged", text + (perhaps(file) or f"; {BACK}"), file=str(file))
            self._files = files
        return self._files

    def _verify_numbers(self, files: Mapping[int, Sequence[Record]]) -> None:
        """Check that the log, given as records by turn, has every record exactly once, from number 1 on.

        Raises:
            GameError: A record is missing, or occurs twice.
        """
        found = sorted(record.n for records in files.values() for record in records)
        gap = next((place for place, n in enumerate(found, start=1) if n != place), 0)
        if gap or not found:
            bare = [turn for turn in range(max(files, default=1)) if turn not in files]
            where = f" (no {turn_name(bare[0])}/events.jsonl is there)" if bare else ""
            text = f"record {gap or 1} of the event log is missing or is there twice{where}"
            raise GameError.saying("log-damaged", text + f"; {BACK}", file=str(self.path))

    def records(self) -> list[Record]:
        """Return the whole log in order, including records that were taken back."""
        if self._whole is None:
            files = self.log_files().values()
            self._whole = tuple(sorted((record for records in files for record in records), key=lambda r: r.n))
        return list(self._whole)

    def effective(self) -> list[Record]:
        """Return the log records without those that were taken back."""
        if self._effective is None:
            self._effective = tuple(log.effective(self.records()))
        return list(self._effective)

    def last_folder(self) -> int:
        """Return the turn whose log file contains the last record of the log."""
        files = self.log_files()
        return max((turn for turn in files if files[turn]), key=lambda turn: files[turn][-1].n)

    # --- the state ---

    def state(self) -> State:
        """Return the present state of the game; a state file that is out of date is ignored.

        Raises:
            GameError: The state file is damaged.
        """
        if self._state is None:
            file = self.state_file(self.last_folder())
            last = len(self.records())
            state = log.decode_state(read_bytes(file), str(file)) if file.is_file() else None
            if state is not None and state.records > last:
                raise GameError(lost_records(last, state.records, str(self.log_file(self.last_folder()))))
            self._state = state if state is not None and state.records == last else fold_records(self.effective())
        return self._state

    def set_right(self) -> bool:
        """Write the state file again if it differs from the state in the log; return whether it differed.

        A difference is possible if another version of pbem wrote the file. Only the log decides how play continues.
        """
        before = log.encode_state(self.state())
        self._state = fold_records(self.effective())
        differs = log.encode_state(self._state) != before
        if differs:
            self.write_state()
        return differs

    def state_is_behind(self) -> bool:
        """Return whether any state file is out of date because a command was interrupted."""
        return bool(self._turns_behind())

    def _turns_behind(self) -> list[int]:
        """Return the turns whose state file was made from fewer records than their log has."""
        found, last = [], self.last_folder()
        for turn, records in self.log_files().items():
            file = self.state_file(turn)
            if not records:
                continue
            known = 0
            try:
                known = log.records_of_state(read_bytes(file), str(file)) if file.is_file() else 0
            except GameError:
                if turn == last:
                    raise
                continue  # play does not continue from this state, and `pbem verify` reports the fault
            if known < records[-1].n:
                found.append(turn)
        return found

    def state_after(self, turn: int) -> State:
        """Return the state after the last record in the folder of a turn."""
        last = self.log_files()[turn][-1].n
        return fold_records(log.effective([record for record in self.records() if record.n <= last]))

    def write_state(self) -> None:
        """Write the state file of the last turn, and those of earlier turns that are out of date."""
        last = self.last_folder()
        for turn in self._turns_behind():
            if turn != last:
                write_bytes(self.state_file(turn), log.encode_state(self.state_after(turn)), private=True)
        write_bytes(self.state_file(last), log.encode_state(self.state()), private=True)

    # --- commits ---

    def commit(self, turn: int, records: Sequence[Record], state: State) -> None:
        """Append records to the log of ``turn``, and write the state file.

        The play counts as committed as soon as the log file is replaced.

        Raises:
            GameError: A file cannot be written.
        """
        files = self.log_files()
        whole = [*files.get(turn, ()), *records]
        write_bytes(self.log_file(turn), log.encode_records(whole), private=True)
        files[turn] = whole
        self._whole = self._effective = None
        self._state = state
        with in_the_log(self.path):
            self.write_state()

    def carry_out(
        self, what: str, records: Mapping[int, Sequence[Record]], orders: Mapping[str, bytes | None] = {}
    ) -> None:
        """Append records to several log files and change order files, all in one transaction.

        ``what`` names the command that makes the changes. ``records`` are the new records by turn; ``orders`` maps
        paths of order files to their new content, or to ``None`` if a file is to be deleted. See
        :class:`pbem.games.storage.folder.Transaction`.
        """
        carry_out(self.path, what, len(self.records()), records, orders)
        self._files = self._whole = self._effective = self._state = None
        with in_the_log(self.path):
            self.write_state()

    def supposing(self, turn: int, records: Sequence[Record], state: State) -> GameFolder:
        """Return the opened game as it would be with these additional log records; nothing is written."""
        supposed = GameFolder(self.path, self.terms, self._source)
        supposed._files = {**self.log_files(), turn: [*self.log_files().get(turn, ()), *records]}
        supposed._state = state
        return supposed

    # --- order files ---

    def orders_folder(self, turn: int) -> Path:
        """Return the path of the folder with a turn's order files."""
        return self.path / turn_name(turn) / "orders"

    def order_file(self, turn: int, side: str, number: int, version: int = 0) -> Path:
        """Return the path of a side's order file for a request.

        ``version`` 0 is the file in force, and 1, 2 … are earlier versions.
        """
        middle = f".v{version}" if version else ""
        return self.orders_folder(turn) / f"{side}.r{number}{middle}.orders"

    def order_files(self, turn: int) -> list[OrderFile]:
        """Return all order files of a turn, sorted by side, request and version."""
        folder = self.orders_folder(turn)
        found = []
        for path in folder.iterdir() if folder.is_dir() else ():
            match = _ORDER_FILE.fullmatch(path.name)
            if match:
                number, version = int(match["number"]), int(match["version"] or 0)
                found.append(OrderFile(path=path, turn=turn, side=match["side"], number=number, version=version))
        return sorted(found, key=lambda file: (file.side, file.number, file.version))

    def versions(self, turn: int, side: str, number: int) -> list[OrderFile]:
        """Return all versions of a side's order file for one request; the one in force, if any, comes first."""
        return [file for file in self.order_files(turn) if (file.side, file.number) == (side, number)]

    # --- reports ---

    def request_folder(self, turn: int, number: int) -> Path:
        """Return the path of the folder with the reports on a request."""
        return self.path / turn_name(turn) / f"r{number}"

    def final_folder(self, turn: int) -> Path:
        """Return the path of the folder with the final reports, which is in the folder of the last turn."""
        return self.path / turn_name(turn) / "final"


PATIENCE = 5.0
"""Seconds that a command waits for another command to finish its work on the same game."""
MODE = 0o600
"""File permissions of the lock file; all files in that folder have them."""


@contextmanager
def locked(folder: Path, what: str, patience: float | None = None) -> Iterator[None]:
    """Within this context, hold the lock of a game folder, so that no other command works on the game.

    ``what`` names the command that takes the lock. ``patience`` is the number of seconds to wait while another
    command holds it (``None``: :data:`PATIENCE`).

    Raises:
        GameError: Another command still holds the lock (the error names it), or the lock file cannot be written.
    """
    from filelock import FileLock, Timeout

    # Lock files are not part of the game. They are in the folder that is never shown or sent.
    secret = folder / "secret"
    who = secret / "holder.lock"
    try:
        make_folder(secret, private=True)
        os.close(os.open(secret / "game.lock", os.O_WRONLY | os.O_CREAT, MODE))
    except OSError as error:
        raise cannot("write", folder, error) from error
    lock = FileLock(secret / "game.lock", mode=MODE)
    try:
        lock.acquire(timeout=PATIENCE if patience is None else patience, poll_interval=0.05)
    except Timeout:
        raise GameError.saying(
            "game-locked", f"{_holder(who)} is using this game; nothing was changed, so try again", file=str(folder)
        ) from None
    except OSError as error:
        raise cannot("write", folder, error) from error
    try:
        with suppress(OSError):
            who.write_text(f"`pbem {what}` (process {os.getpid()})\n", encoding="utf-8", newline="\n")
        yield
    finally:
        with suppress(OSError):
            who.unlink(missing_ok=True)
        lock.release()


def _holder(who: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        said = who.read_text(encoding="utf-8").strip()
        if said:
            return said
    return "another command"
