"""Replay a game from its terms, its secret and its orders, and compare every record and die with its log."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from pbem.engine import log
from pbem.engine.dice import RecordingDice, ScriptedDice, last_skipped_segment
from pbem.engine.events import ACTS, DicePassed, OrdersFiled, Record, Reran, SegmentBegan, Undone
from pbem.engine.log import fold_records
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import State
from pbem.errors import Fault, GameError
from pbem.games.answers import normal_form
from pbem.games.proof.seals import cut, in_force, texts_of
from pbem.games.resolve import opening, segment
from pbem.games.storage.files import BACK, read_bytes, read_order_file, sweep, write_bytes
from pbem.games.storage.folder import GameFolder, lost_records, turn_name
from pbem.games.storage.players import VersionSpan, elsewhere, version_spans
from pbem.games.storage.publish import is_published, publish_all, reports_folder
from pbem.games.storage.terms import terms_text
from pbem.games.umpire.decree import follow


class ReplayedSegment(msgspec.Struct, frozen=True, kw_only=True):
    """A segment as replayed: the request answered, the orders in force by side, and every roll.

    ``rolls`` maps labels to (faces, number). ``last`` is the number of its last record. In a rerun ``kept`` are the
    segments whose dice are used again, and ``of`` maps each label to the segment of its die. ``older`` marks a
    segment played by earlier rules; it is not replayed, so its rolls are unknown.
    """

    segment: int
    turn: int
    request: int
    beacon: str
    orders: dict[str, str]
    rolls: dict[str, tuple[int, int]]
    last: int
    kept: tuple[int, ...] = ()
    of: dict[str, int] = {}
    older: bool = False


class Replay:
    """Replays a game and compares it with its log.

    ``stretches`` are the segments found equal so far. Segments that another version played (``elsewhere``) may
    differ. Such a difference is noted in ``other``, and the replay continues from the log.
    """

    def __init__(
        self,
        game: GameFolder,
        records: Sequence[Record],
        progress: Callable[[int, int], object] | None = None,
        elsewhere: Collection[int] = (),
    ) -> None:
        self.game = game
        self.elsewhere = elsewhere
        self.other: list[Fault] = []
        self.records = records
        self.progress = progress
        self.segments = 0
        self.passed = 0
        self.kept: list[Record] = []
        self.stretches: list[ReplayedSegment] = []

    def run(self) -> Iterator[Fault]:
        """Yield the first difference only, because later ones would follow from it."""
        first, *rest = cut(self.records)
        difference = self._compare(first, opening(self.game.terms))
        if difference and 1 in self.elsewhere:
            self.other.append(difference)
        elif difference:
            yield difference
            return
        state = fold_records(first)
        self.kept = list(first)
        older = _by_older_rules(self.records)
        for number, stretch in enumerate(rest):
            if self.progress is not None:
                self.progress(number, len(rest))
            if isinstance(stretch[0].event, ACTS):
                wrong = self._goes_back(stretch[0]) or self._passes(stretch[0], state)
                wrong = wrong or self._compare(stretch, self._umpires(stretch[0], state))
                if wrong:
                    yield wrong
                    return
                self.kept = log.effective([*self.kept, *stretch])
                state = fold_records(self.kept)
                continue
            self.segments += 1
            if stretch[0].n in older:
                self.passed += 1
                self._note(stretch, state, older=True)
            elif fault := self.difference(stretch, state):
                if state.segment + 1 not in self.elsewhere:
                    yield fault
                    return
                self.other.append(fault)
            self.kept += stretch
            state = fold_records(stretch, state)

    def _goes_back(self, act: Record) -> Fault | None:
        """Return a fault unless an undo or rerun goes back over whole segments that count.

        The dice that a rerun keeps must be those of the first of these segments.
        """
        event = act.event
        if not isinstance(event, Undone | Reran):
            return None
        pairs = zip(self.kept, self.kept[1:], strict=False)
        if not any(one.n == event.to and isinstance(next_.event, SegmentBegan) for one, next_ in pairs):
            return self._fault(act, f"it goes back to record {event.to}, with which no segment was about to begin")
        if isinstance(event, Reran):
            played = [r.event.segment for r in self.kept if r.n > event.to and isinstance(r.event, SegmentBegan)]
            if list(event.kept) != played[: len(event.kept)]:
                return self._fault(act, "the segments whose dice it keeps are not those that are taken back, in order")
            repeated = [r.event for r in self.records if r.n > act.n and isinstance(r.event, SegmentBegan)]
            repeated = repeated[: event.through - event.segment]
            if len(repeated) < event.through - event.segment or any(one.kept != event.kept for one in repeated):
                return self._fault(act, f"play is not repeated with the dice kept through segment {event.through}")
        return None

    def _passes(self, act: Record, state: State) -> Fault | None:
        """Return a fault unless dice links are skipped exactly as far as needed, and once before a segment.

        Otherwise a host could choose the dice.
        """
        event = act.event
        if not isinstance(event, DicePassed):
            return None
        if event.segment != last_skipped_segment(state.segment, event.told):
            return self._fault(act, f"it passes over links up to segment {event.segment}, which is not where it has to")
        if event.fresh and event.told:
            return self._fault(act, "it draws new salts though it is known which segments were told")
        before = (r.event for r in reversed(self.records) if r.n < act.n)
        if isinstance(next((e for e in before if isinstance(e, SegmentBegan | DicePassed)), None), DicePassed):
            return self._fault(act, "links were passed over before, and nothing was played since")
        return None

    def _umpires(self, act: Record, state: State) -> list[Record]:
        """Return the records that an action of the umpire should have: its event and the consequences."""
        if isinstance(act.event, Undone | Reran | DicePassed):
            return [act]
        table = Resolution(fold_records([act], state), self.game.scenario(), ScriptedDice(), {})
        follow(table, act.event)
        return [act, *table.records]

    def difference(self, stretch: Sequence[Record], state: State) -> Fault | None:
        """Replay one segment from the orders on record, and return the first difference."""
        texts = texts_of(stretch)
        owing = [side for side in state.request.sides if side not in texts] if state.request else []
        if state.request is None or owing:
            return self._fault(stretch[0], f"a segment begins here without orders from {', '.join(owing) or 'anybody'}")
        began = stretch[0].event
        assert isinstance(began, SegmentBegan)
        if fault := self._beacon(began):
            return self._fault(stretch[0], fault)
        heard: list[RecordingDice] = []
        try:
            earlier = [record for record in self.records if record.n < stretch[0].n]
            again, _ = segment(self.game, state, texts, earlier, beacon=began.beacon, heard=heard)
        except GameError as error:
            return error.faults[0]
        if different := self._compare(stretch, again):
            return different
        self._note(stretch, state, rolls=heard[0].rolls, of=heard[0].of)
        return None

    def _note(
        self,
        stretch: Sequence[Record],
        state: State,
        *,
        rolls: dict[str, tuple[int, int]] | None = None,
        of: dict[str, int] | None = None,
        older: bool = False,
    ) -> None:
        request, began = state.request, stretch[0].event
        assert request is not None
        assert isinstance(began, SegmentBegan)
        self.stretches.append(
            ReplayedSegment(
                segment=state.segment + 1,
                turn=request.turn,
                request=request.number,
                beacon=began.beacon,
                orders=dict(sorted(in_force(state, texts_of(stretch)).items())),
                rolls=rolls or {},
                last=stretch[-1].n,
                kept=began.kept,
                of=of or {},
                older=older,
            )
        )

    def _beacon(self, began: SegmentBegan) -> str:
        """Return what is wrong with the beacon value of a segment, or ``""``."""
        value = began.beacon
        if not self.game.terms.dice.beacon:
            return "the dice of this game take no beacon, and this segment has one" if value else ""
        if began.kept:
            return "this segment keeps the dice of others, and has a beacon of its own" if value else ""
        found = re.fullmatch(r"([1-9][0-9]{0,15}):[0-9a-f]{64}", value)
        if found is None:
            return "the value of the beacon is missing or is none"
        earlier = [int(one.beacon.partition(":")[0]) for one in self.stretches if one.beacon]
        if earlier and int(found[1]) <= max(earlier):
            return f"round {found[1]} of the beacon is not later than that of the segment before"
        return ""

    def _compare(self, logged: Sequence[Record], again: Sequence[Record]) -> Fault | None:
        for old, new in zip(logged, again, strict=False):
            one, other = (log.encode_records([record]).decode() for record in (old, new))
            if one != other:
                return self._fault(old, _difference(one, other))
        if len(logged) != len(again):
            last = logged[-1] if logged else again[0]
            return self._fault(last, f"the log has {len(logged)} records where the replay has {len(again)}")
        return None

    def _fault(self, record: Record, text: str) -> Fault:
        event = record.event
        tag = type(event).__struct_config__.tag
        return Fault(
            code="replay-differs",
            text=f"record {record.n} ({tag}, {event.turn}.{event.impulse} {event.step}): {text}",
            file=file_of(self.game, record.n),
        )


def _difference(logged: str, again: str) -> str:
    """Return the part of two records around the first character that differs, as a sentence."""
    pairs = enumerate(zip(logged + " ", again + " ", strict=False))
    place = next(n for n, (a, b) in pairs if a != b)
    around = slice(max(0, place - 24), place + 24)
    return f"the log has …{logged[around].strip()}…, the replay …{again[around].strip()}…"


def _by_older_rules(records: Sequence[Record]) -> frozenset[int]:
    """Return the numbers of records played by earlier rules and then rerun; they do not replay any more."""
    acts = [record for record in records if isinstance(record.event, Reran)]
    return frozenset(
        n for act in acts if isinstance(act.event, Reran) and act.event.newer for n in range(act.event.to + 1, act.n)
    )


def file_of(game: GameFolder, n: int) -> str:
    """Return the path of the log file that contains record ``n``, relative to the game folder."""
    files = game.log_files()
    turn = next((turn for turn in sorted(files) if any(record.n == n for record in files[turn])), 0)
    return f"{turn_name(turn)}/events.jsonl"


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a replay.

    Attributes:
        records: Number of records.
        segments: Number of segments.
        dice: Number of records with a die roll.
        record: Differences in what was played.
        derived: Differences in files that can be made again.
        repaired: Files that were written again.
        passed: Number of segments that were not replayed: played by earlier rules, then rerun by the umpire.
        repeated: Number of segments played with the dice of earlier ones.
        restored: Places where a backup was restored and dice links were skipped.
        versions: The versions that played the game.
        other: Differences in play of another version: the first one of each segment.
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
        """Everything that is still wrong."""
        return (*self.record, *self.other, *self.stale)

    @property
    def stale(self) -> tuple[Fault, ...]:
        """Faults only in derived files, unless they were repaired."""
        return () if self.repaired else self.derived


def verify(game: GameFolder, *, repair: bool = False, progress: Callable[[int, int], object] | None = None) -> Verified:
    """Replay the whole game and compare everything with its log.

    ``repair`` writes state files and reports again; the log itself is never changed. ``progress`` receives the
    number of segments done and their total number.

    Raises:
        GameError: The log, ``game.toml`` or the secret cannot be read, or the game is a clone.
    """
    if game.terms.clone:
        text = (
            f"this is no game but a clone, of {game.terms.clone}: its dice are its own, what it holds of that game's "
            "play cannot be verified here, and nothing in it counts there"
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
    """Return the number of the first record after everything written by another version."""
    last, theirs = 0, 1 in foreign
    for record in records:
        if isinstance(record.event, SegmentBegan):
            theirs = record.event.segment in foreign
        last = record.n if theirs else last
    return last + 1


def dice_in(records: Sequence[Record]) -> int:
    """Return the number of records with a die roll."""
    return sum(bool(getattr(record.event, "roll", "")) for record in records)


def restored_in(records: Sequence[Record]) -> tuple[DicePassed, ...]:
    """Return the events at which links of the dice chain were skipped."""
    return tuple(record.event for record in records if isinstance(record.event, DicePassed))


def repeated_in(records: Sequence[Record]) -> int:
    """Return the number of segments played with the dice of earlier ones."""
    return sum(isinstance(record.event, SegmentBegan) and bool(record.event.kept) for record in records)


# --- the record ------------------------------------------------------------------------------------------------------


def _lost_records(game: GameFolder) -> Iterator[Fault]:
    """Yield a fault for each log file that has fewer records than its state file was made from."""
    for turn, records in game.log_files().items():
        file = game.state_file(turn)
        if not file.is_file():
            continue
        with suppress(GameError):  # a damaged state file is told further down
            known = log.decode_state(read_bytes(file), str(file)).records
            if known > records[-1].n:
                yield lost_records(records[-1].n, known, f"{turn_name(turn)}/events.jsonl")


def as_written(game: GameFolder, ours: int = 1) -> Iterator[Fault]:
    """Yield a fault where ``game.toml`` or the log is not written exactly as pbem writes it.

    Other programs might not read what this one tolerates. Records before number ``ours`` come from another version,
    which may write fewer fields.
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
                code="log-damaged", text="this record is not written as a log is", file=name, line=line or len(found)
            )
    try:
        unknown = sorted(game.terms.sides.keys() - {side.name for side in game.scenario().sides})
    except GameError:
        unknown = []  # what is wrong with a scenario is told when the game is played again
    for side in unknown:
        text = f"{side} is no side of this scenario; nobody may change this file"
        yield Fault(code="terms-changed", text=text, file="game.toml")
    # Options that came later are not in a game.toml that is older.
    ahead = iter(terms_text(game.terms).split("\n"))
    text = read_bytes(game.path / "game.toml").decode("utf-8", errors="replace")
    said = text.replace("\r\n", "\n").split("\n")  # an editor of Windows kept it; nothing in it is another
    if wrong := next((n for n, line in enumerate(said, start=1) if line not in ahead), 0):
        text = f"{said[wrong - 1].strip()[:60]!r} is not what stands here in a game.toml; nobody may change it"
        yield Fault(code="terms-changed", text=text, file="game.toml", line=wrong)


def order_files(game: GameFolder, records: Sequence[Record]) -> Iterator[Fault]:
    """Yield a fault for recorded orders that match none of the order files."""
    for record in records:
        event = record.event
        if not isinstance(event, OrdersFiled):
            continue
        turn = _asked_in(game, record.n)
        files = game.versions(turn, event.side, event.request)
        name = f"{turn_name(turn)}/orders/{event.side}.r{event.request}.orders"
        if not files:
            yield Fault(code="orders-missing", text=f"this order file was played, and is missing; {BACK}", file=name)
        elif not any(_says(file.path, event, game) for file in files):
            yield Fault(
                code="orders-changed", text="this order file is not what was played (no version of it is)", file=name
            )


def _asked_in(game: GameFolder, n: int) -> int:
    return int(file_of(game, n).partition("/")[0])


def _says(path: Path, event: OrdersFiled, game: GameFolder) -> bool:
    return normal_form(read_order_file(path), event.side, game.terms.name) == event.text


# --- what is made from the record ------------------------------------------------------------------------------------


def _derived(game: GameFolder) -> Iterator[Fault]:
    for turn, records in game.log_files().items():
        if not records:
            continue
        file = game.state_file(turn)
        name = f"{turn_name(turn)}/state.json"
        if not file.is_file():
            yield Fault(code="state-missing", text="this state file is missing", file=name)
        elif read_bytes(file) != log.encode_state(game.state_after(turn)):
            yield Fault(code="state-differs", text="this state file is not what the log makes today", file=name)
    state = fold_records(game.effective())
    folder = reports_folder(game, state)
    if not is_published(folder):
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
