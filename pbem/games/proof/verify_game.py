"""Verify a game folder: replay the game, and compare its log, order files, states and reports with the replay."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from pbem.engine import log
from pbem.engine.events import DicePassed, OrdersFiled, Record, SegmentBegan
from pbem.engine.log import fold_records
from pbem.errors import Fault, GameError
from pbem.games.answers import normal_form
from pbem.games.proof.replay import Replay, file_of
from pbem.games.storage.files import BACK, read_bytes, read_order_file, sweep, write_bytes
from pbem.games.storage.folder import GameFolder, lost_records, turn_name
from pbem.games.storage.players import VersionSpan, elsewhere, version_spans
from pbem.games.storage.publish import is_left, is_published, publish_all, reports_folder
from pbem.games.storage.terms import terms_text


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """The result of verifying a game by a replay.

    A segment is the play from one request for orders to the next.

    Attributes:
        records: Number of log records.
        segments: Number of segments.
        dice: Number of log records with a die roll.
        record: Faults in the play itself: differences between the log and the replay.
        derived: Faults in files that can be written again from the log.
        repaired: Names of the files that were written again.
        passed: Number of segments that were not replayed, because they were played by earlier rules and later rerun
            by the umpire.
        repeated: Number of segments played with the dice of earlier segments.
        restored: Places where a backup was restored and links of the dice chain were skipped.
        versions: The versions of pbem that played the game.
        other: Differences in segments that another version of pbem played: the first difference in each such segment.
    """

    records: int
    segments: int
    dice: int
    record: tuple[Fault, ...]
    derived: tuple[Fault, ...] = ()
    repaired: tuple[str, ...] = ()
    passed: int
    repeated: int
    restored: tuple[DicePassed, ...]
    versions: tuple[VersionSpan, ...] = ()
    other: tuple[Fault, ...] = ()

    @property
    def faults(self) -> tuple[Fault, ...]:
        """All faults that were not repaired."""
        return (*self.record, *self.other, *self.stale)

    @property
    def stale(self) -> tuple[Fault, ...]:
        """The faults in files that can be written again from the log; empty if these files were repaired."""
        return () if self.repaired else self.derived


def verify(game: GameFolder, *, repair: bool = False, progress: Callable[[int, int], object] | None = None) -> Verified:
    """Replay the whole game, compare everything with its log, and return the result.

    ``repair`` writes state files and reports again if they differ; the log itself is never changed. ``progress``
    receives the number of segments done and their total number.

    Raises:
        GameError: The log, ``game.toml`` or the secret cannot be read, or the game is a clone.
    """
    if game.terms.clone:
        text = (
            f"verify the game itself: this is a clone of {game.terms.clone} with its own dice; "
            "nothing in it counts for that game or proves its play"
        )
        raise GameError.saying("clone", text, file=str(game.path))
    game.dice()
    records = game.records()
    foreign = elsewhere(game)
    replay = Replay(game, records, progress, foreign)
    ours = _first_of_ours(records, foreign)
    wrong = [*_lost_records(game), *as_written(game, ours), *replay.run(), *order_files(game, records)]
    derived = list(_derived(game))
    repaired: tuple[str, ...] = ()
    if repair and not wrong:
        repaired = tuple(_repair(game))
    return Verified(
        records=len(records),
        segments=replay.segments,
        dice=dice_in(records),
        record=tuple(wrong),
        derived=tuple(derived),
        repaired=repaired,
        passed=replay.passed,
        repeated=repeated_in(records),
        restored=restored_in(records),
        versions=version_spans(game),
        other=tuple(replay.other),
    )


def _first_of_ours(records: Sequence[Record], foreign: Collection[int]) -> int:
    """Return the number of the first log record after all records that another version of pbem wrote."""
    last, theirs = 0, 1 in foreign
    for record in records:
        if isinstance(record.event, SegmentBegan):
            theirs = record.event.segment in foreign
        last = record.n if theirs else last
    return last + 1


def dice_in(records: Sequence[Record]) -> int:
    """Return the number of log records that contain a die roll."""
    return sum(bool(getattr(record.event, "roll", "")) for record in records)


def restored_in(records: Sequence[Record]) -> tuple[DicePassed, ...]:
    """Return the events that record that links of the dice chain were skipped after a restore."""
    return tuple(record.event for record in records if isinstance(record.event, DicePassed))


def repeated_in(records: Sequence[Record]) -> int:
    """Return the number of segments that used the dice of earlier segments again."""
    return sum(isinstance(record.event, SegmentBegan) and bool(record.event.kept) for record in records)


# --- log and terms ---------------------------------------------------------------------------------------------------


def _lost_records(game: GameFolder) -> Iterator[Fault]:
    """Yield a fault for each log file that has fewer records than its state file was made from."""
    for turn, records in game.log_files().items():
        file = game.state_file(turn)
        if not file.is_file():
            continue
        with suppress(GameError):  # a damaged state file is reported below
            known = log.decode_state(read_bytes(file), str(file)).records
            if known > records[-1].n:
                yield lost_records(records[-1].n, known, f"{turn_name(turn)}/events.jsonl")


def as_written(game: GameFolder, ours: int = 1) -> Iterator[Fault]:
    """Yield a fault for each place where ``game.toml`` or the log is not written exactly as pbem does.

    Other programs might not be able to read deviations that this program tolerates. Records before number ``ours``
    come from another version, which may write fewer fields.
    """
    for turn, records in game.log_files().items():
        inside = sorted(records, key=lambda record: record.n)
        wanted = log.encode_records(inside).split(b"\n")
        found = read_bytes(game.log_file(turn)).split(b"\n")
        if len(wanted) == len(found):
            before = sum(record.n < ours for record in inside)
            found = [*wanted[:before], *found[before:]]
        if wanted != found:
            line = next((n for n, pair in enumerate(zip(wanted, found, strict=False), 1) if pair[0] != pair[1]), 0)
            name = f"{turn_name(turn)}/events.jsonl"
            yield Fault(
                code="log-damaged", text="this record is not written like a log", file=name, line=line or len(found)
            )
    try:
        unknown = sorted(game.terms.sides.keys() - {side.name for side in game.scenario().sides})
    except GameError:
        unknown = []  # faults of the scenario are reported by the replay
    for side in unknown:
        text = f"{side} is not a side of this scenario; game.toml must not be changed"
        yield Fault(code="terms-changed", text=text, file="game.toml")
    # An older game.toml does not contain options that were added later.
    ahead = iter(terms_text(game.terms).split("\n"))
    text = read_bytes(game.path / "game.toml").decode("utf-8", errors="replace")
    said = text.replace("\r\n", "\n").split("\n")  # Windows editors change line ends; this is no fault
    if wrong := next((n for n, line in enumerate(said, start=1) if line not in ahead), 0):
        text = f"{said[wrong - 1].strip()[:60]!r} does not belong here; game.toml must not be changed"
        yield Fault(code="terms-changed", text=text, file="game.toml", line=wrong)


def order_files(game: GameFolder, records: Sequence[Record]) -> Iterator[Fault]:
    """Yield a fault for each set of orders in the log that matches none of the order files."""
    for record in records:
        event = record.event
        if not isinstance(event, OrdersFiled):
            continue
        turn = _asked_in(game, record.n)
        files = game.versions(turn, event.side, event.request)
        name = f"{turn_name(turn)}/orders/{event.side}.r{event.request}.orders"
        if not files:
            yield Fault(code="orders-missing", text=f"this order file was played, but it is missing; {BACK}", file=name)
        elif not any(_says(file.path, event, game) for file in files):
            yield Fault(
                code="orders-changed",
                text="this order file differs from what was played, in all its versions",
                file=name,
            )


def _asked_in(game: GameFolder, n: int) -> int:
    return int(file_of(game, n).partition("/")[0])


def _says(path: Path, event: OrdersFiled, game: GameFolder) -> bool:
    return normal_form(read_order_file(path), event.side, game.terms.name) == event.text


# --- files made from the log -----------------------------------------------------------------------------------------


def _derived(game: GameFolder) -> Iterator[Fault]:
    for turn, records in game.log_files().items():
        if not records:
            continue
        file = game.state_file(turn)
        name = f"{turn_name(turn)}/state.json"
        if not file.is_file():
            yield Fault(code="state-missing", text="this state file is missing", file=name)
        elif read_bytes(file) != log.encode_state(game.state_after(turn)):
            yield Fault(code="state-differs", text="this state file differs from what the log gives", file=name)
    state = fold_records(game.effective())
    folder = reports_folder(game, state)
    if not is_published(folder) and not is_left(game):
        yield Fault(code="reports-missing", text="the reports of the request in force are missing", file=folder.name)


def _repair(game: GameFolder) -> Iterator[str]:
    sweep(game.path)
    for turn, records in game.log_files().items():
        if not records:
            continue
        data = log.encode_state(game.state_after(turn))
        file = game.state_file(turn)
        if not file.is_file() or read_bytes(file) != data:
            write_bytes(file, data, private=True)
            yield f"{turn_name(turn)}/state.json"
    publish_all(game)
    yield "the reports"
