"""A game folder: where its files are, what stands in them, and the one moment at which play is committed.

The log (``NN/events.jsonl``, NN = the turn of the request that was answered, 00 the set-up) and the order
files are the game. ``NN/state.json``, always the state after the last record of its folder, and the
reports are made from the log; a command that was stopped half-way leaves at worst some of those behind,
and the next one writes them anew. What the umpire does may change several of these files: it happens at the
moment its plan stands in the folder (:mod:`pbem.games.storage.transaction`).

One command at a time works on a game; a second one waits a little, then says who is at work.

The operating system holds the lock for the process, so a command that is killed leaves nothing behind
that would keep others out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine import dice, log
from pbem.engine.dice import Fresh, Secret, Source, committed
from pbem.engine.events import DicePassed, Record
from pbem.engine.log import fold_records
from pbem.engine.state import State
from pbem.errors import Fault, GameError
from pbem.games.storage.files import BACK, cannot, in_the_log, make_folder, perhaps, read_bytes, read_kept, write_bytes
from pbem.games.storage.terms import Terms, scenario_of
from pbem.games.storage.transaction import carry_out
from pbem.util import regex

WORDS = "fresh.json"
_WORD = regex(r"[0-9a-f]{64}")
_OWN = ("figures", "ships", "scenarios")
_TURN_FOLDER = regex(r"\d\d\d?")
_ORDER_FILE = regex(r"(?P<side>.+)\.r(?P<number>\d+)(\.v(?P<version>\d+))?\.orders")


class OrderFile(msgspec.Struct, frozen=True, kw_only=True):
    """An order file as it was sent. ``version`` 0 is the one in force, 1, 2 … are earlier ones."""

    path: Path
    turn: int
    side: str
    number: int
    version: int


def turn_name(turn: int) -> str:
    """The folder of a turn: ``01``."""
    return f"{turn:02}"


def lost_records(last: int, known: int, file: str) -> Fault:
    """What is told where a state file was made from more records than the log has."""
    text = (
        f"the event log ends with record {last}, and its state file was made from {known}: records are missing; {BACK}"
    )
    return Fault(code="log-damaged", text=text, file=file)


class GameFolder:
    """An opened game folder. Get one from :func:`opened`; nothing is written but by the methods that say
    so.
    """

    def __init__(self, path: Path, terms: Terms, revealed: Source | None = None) -> None:
        """``revealed`` are the links of an archive, which has no secret."""
        self.path = path
        self.terms = terms
        self._source = revealed
        self._files: dict[int, list[Record]] | None = None
        self._whole: tuple[Record, ...] | None = None
        self._effective: tuple[Record, ...] | None = None
        self._state: State | None = None
        self._scenario: Scenario | None = None
        self.renewed = 0
        """How many records the log had when whoever holds the lock saw to it that all that is made of it is there."""
        self.mended: tuple[str, ...] = ()
        """What was written anew when the folder was opened, since a command had been stopped before."""

    # --- what was agreed ---

    def scenario(self) -> Scenario:
        """The game's scenario, with the teams of game.toml. Raises :class:`GameError`."""
        if self._scenario is None:
            self._scenario = scenario_of(self.terms)
        return self._scenario

    def own_files(self) -> list[Path]:
        """The files of the game's own that are looked up while it is played: figures, ships, scenarios."""
        folders = [self.path / name for name in _OWN]
        return [path for folder in folders if folder.is_dir() for path in sorted(folder.glob("*.toml"))]

    def secret(self) -> bytes:
        """The secret of the dice. Raises :class:`GameError` if it is missing or is not the one committed
        to.
        """
        file = self.path / "secret" / "dice.secret"
        if not file.is_file():
            text = f"the secret of the dice is missing; without it this game cannot go on: {BACK}"
            if (self.path / "proof.json").is_file():
                text = (
                    "this is an archive that was unpacked: `pbem verify` reads the file itself that ends in .pbem.zip"
                )
            raise GameError.saying("no-secret", text, file=str(file))
        try:
            secret = bytes.fromhex(read_bytes(file).decode("ascii").strip())
        except ValueError as error:
            raise GameError.saying("secret-damaged", "the secret of the dice is damaged", file=str(file)) from error
        terms = self.terms.dice
        self.verify_scheme()
        known = dice.Secret(secret, terms.scheme, terms.length)
        if known.commitment != terms.commitment or known.salt_commitment != terms.salts:
            text = "the secret of the dice is not the one committed to in game.toml"
            raise GameError.saying("dice-commitment", text, file=str(file))
        return secret

    def verify_scheme(self) -> None:
        """Raises :class:`GameError` where the game's dice are of a kind not known here."""
        terms = self.terms.dice
        if terms.scheme not in dice.SCHEMES or terms.length != dice.CHAIN_LENGTH:
            text = f"dice scheme {terms.scheme} with {terms.length} links is not known here"
            raise GameError.saying("dice-scheme", text, file=str(self.path / "game.toml"))
        if terms.scheme == 1 and (terms.salts or terms.beacon):
            text = "dice scheme 1 knows neither salts nor a beacon"
            raise GameError.saying("dice-scheme", text, file=str(self.path / "game.toml"))

    def dice(self) -> Source:
        """What the keys of the game's dice are made of. Raises :class:`GameError` like :meth:`secret`, and where a word
        that the log commits to is missing.
        """
        if self._source is None:
            self._source = Secret(self.secret(), self.terms.dice.scheme, self.terms.dice.length)
        if isinstance(self._source, Secret) and self._source.fresh != (fresh := self._fresh()):
            self._source = Secret(self.secret(), self.terms.dice.scheme, self.terms.dice.length, fresh)
        return self._source

    def words_file(self) -> Path:
        """The file of the secret words that were drawn after a backup was put back."""
        return self.path / "secret" / WORDS

    def _fresh(self) -> tuple[Fresh, ...]:
        """The secret words that the log commits to, and after which segment each counts."""
        try:
            passed = [record.event for record in self.records() if isinstance(record.event, DicePassed)]
        except GameError:
            return ()  # whoever reads the log says what is wrong with it
        found = [one for one in passed if one.fresh]
        if not found:
            return ()
        kept = read_kept(self.words_file(), list[str]) or ()
        words = {committed(word): word for word in kept if _WORD.fullmatch(word)}
        if any(one.fresh not in words for one in found):
            text = f"a secret word of the dice is missing; without it this game cannot go on: {BACK}"
            raise GameError.saying("no-secret", text, file=str(self.words_file()))
        return tuple(Fresh(one.segment, words[one.fresh]) for one in found)

    # --- the log ---

    def turns(self) -> list[int]:
        """The turns that have a folder, 0 for the set-up."""
        with os.scandir(self.path) as entries:  # which says what is a folder without asking for each
            return sorted(int(one.name) for one in entries if _TURN_FOLDER.fullmatch(one.name) and one.is_dir())

    def log_file(self, turn: int) -> Path:
        return self.path / turn_name(turn) / "events.jsonl"

    def state_file(self, turn: int) -> Path:
        return self.path / turn_name(turn) / "state.json"

    def log_files(self) -> dict[int, list[Record]]:
        """The records of each turn's log file. Raises :class:`GameError` where one is damaged or records
        are missing.
        """
        if self._files is None:
            try:
                files = {
                    turn: log.decode_records(read_bytes(self.log_file(turn)), str(self.log_file(turn)))
                    for turn in self.turns()
                    if self.log_file(turn).is_file()
                }
            except GameError as error:
                told = [
                    msgspec.structs.replace(one, text=f"{one.text}; {BACK}") if one.line else one
                    for one in error.faults
                ]
                raise GameError(*told) from error
            found = sorted(record.n for records in files.values() for record in records)
            gap = next((place for place, n in enumerate(found, start=1) if n != place), 0)
            if gap or not found:
                bare = [turn for turn in range(max(files, default=1)) if turn not in files]
                where = f" (no {turn_name(bare[0])}/events.jsonl is there)" if bare else ""
                text = f"record {gap or 1} of the event log is missing or stands twice{where}"
                raise GameError.saying("log-damaged", f"{text}; {BACK}", file=str(self.path))
            for turn in self.turns():
                # A log is always written before the state that is made from it.
                if not files.get(turn) and self.state_file(turn).is_file():
                    text = "this event log is missing or empty, and the state file beside it shows that it was not"
                    file = self.log_file(turn)
                    raise GameError.saying("log-damaged", text + (perhaps(file) or f"; {BACK}"), file=str(file))
            self._files = files
        return self._files

    def records(self) -> list[Record]:
        """The whole log in order, records that were taken back included."""
        if self._whole is None:
            files = self.log_files().values()
            self._whole = tuple(sorted((record for records in files for record in records), key=lambda r: r.n))
        return list(self._whole)

    def effective(self) -> list[Record]:
        """The records that count."""
        if self._effective is None:
            self._effective = tuple(log.effective(self.records()))
        return list(self._effective)

    def last_folder(self) -> int:
        """The turn whose log file holds the last record."""
        files = self.log_files()
        return max((turn for turn in files if files[turn]), key=lambda turn: files[turn][-1].n)

    # --- the state ---

    def state(self) -> State:
        """Where the game stands. Raises :class:`GameError` for a damaged state file; one left behind is
        passed over.
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
        """Write the state file anew where it is not what the log makes, as one of another version may be; whether it
        was so. Only the log says from where play goes on.
        """
        before = log.encode_state(self.state())
        self._state = fold_records(self.effective())
        differs = log.encode_state(self._state) != before
        if differs:
            self.write_state()
        return differs

    def state_is_behind(self) -> bool:
        """Whether a state file must be written anew from the log: a command was stopped before it could."""
        return bool(self._turns_behind())

    def _turns_behind(self) -> list[int]:
        """The turns whose state files were made from fewer records than their logs have."""
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
                continue  # nobody plays on from it, and `pbem verify` tells of it
            if known < records[-1].n:
                found.append(turn)
        return found

    def state_after(self, turn: int) -> State:
        """The state that belongs into a turn's folder: the one after its last record."""
        last = self.log_files()[turn][-1].n
        return fold_records(log.effective([record for record in self.records() if record.n <= last]))

    def write_state(self) -> None:
        """Write the state files that are behind the log they are derived from, and the present one."""
        last = self.last_folder()
        for turn in self._turns_behind():
            if turn != last:
                write_bytes(self.state_file(turn), log.encode_state(self.state_after(turn)), private=True)
        write_bytes(self.state_file(last), log.encode_state(self.state()), private=True)

    # --- playing on ---

    def commit(self, turn: int, records: Sequence[Record], state: State) -> None:
        """Add records to the log of ``turn``. Replacing that one file is the moment it has happened."""
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
        """Add records to the logs of several turns and change order files
        (:class:`pbem.games.storage.transaction.Act`), for the command ``what``: all of it at one moment, or nothing.
        """
        carry_out(self.path, what, len(self.records()), records, orders)
        self._files = self._whole = self._effective = self._state = None
        with in_the_log(self.path):
            self.write_state()

    def supposing(self, turn: int, records: Sequence[Record], state: State) -> GameFolder:
        """The game as it would be with these records; nothing is written."""
        supposed = GameFolder(self.path, self.terms, self._source)
        supposed._files = {**self.log_files(), turn: [*self.log_files().get(turn, ()), *records]}
        supposed._state = state
        return supposed

    # --- order files ---

    def orders_folder(self, turn: int) -> Path:
        return self.path / turn_name(turn) / "orders"

    def order_file(self, turn: int, side: str, number: int, version: int = 0) -> Path:
        """The file of a side's answer to a request; ``version`` 1, 2 … are earlier ones, 0 the one in
        force.
        """
        middle = f".v{version}" if version else ""
        return self.orders_folder(turn) / f"{side}.r{number}{middle}.orders"

    def order_files(self, turn: int) -> list[OrderFile]:
        """All order files of a turn, by side, request and version."""
        folder = self.orders_folder(turn)
        found = []
        for path in folder.iterdir() if folder.is_dir() else ():
            match = _ORDER_FILE.fullmatch(path.name)
            if match:
                number, version = int(match["number"]), int(match["version"] or 0)
                found.append(OrderFile(path=path, turn=turn, side=match["side"], number=number, version=version))
        return sorted(found, key=lambda file: (file.side, file.number, file.version))

    def versions(self, turn: int, side: str, number: int) -> list[OrderFile]:
        """A side's order files for one request, the one in force (if any) first."""
        return [file for file in self.order_files(turn) if (file.side, file.number) == (side, number)]

    # --- reports ---

    def request_folder(self, turn: int, number: int) -> Path:
        return self.path / turn_name(turn) / f"r{number}"

    def final_folder(self, turn: int) -> Path:
        return self.path / turn_name(turn) / "final"


PATIENCE = 5.0
"""Seconds a command waits for another one to finish."""
MODE = 0o600
"""Of the lock's file, like all in that folder."""


@contextmanager
def locked(folder: Path, what: str, patience: float | None = None) -> Iterator[None]:
    """Keep a game folder to oneself; who else has it is waited for ``patience`` seconds (None: :data:`PATIENCE`).
    Raises :class:`GameError` naming who holds it, or that it cannot be written.
    """
    from filelock import FileLock, Timeout

    # Locks are no part of the game: they lie in the folder that is never shown or sent.
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
            "game-locked", f"{_holder(who)} is at work on this game; nothing was changed, try again", file=str(folder)
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
