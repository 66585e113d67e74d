"""Replay a game from its terms, its secret and its orders, and compare every record with its log."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import msgspec

from pbem.engine import log
from pbem.engine.dice import RecordingDice, ScriptedDice, last_skipped_segment
from pbem.engine.events import ACTS, DicePassed, Record, Reran, SegmentBegan, Undone
from pbem.engine.log import fold_records
from pbem.engine.play.resolution import Resolution
from pbem.engine.state import State
from pbem.engine.steps.guidance import follow_ruling
from pbem.errors import Fault, GameError
from pbem.games.proof.seals import cut, in_force, texts_of
from pbem.games.segments import opening, segment
from pbem.games.storage.folder import GameFolder, turn_name

WORDS = frozenset(("reason", "why", "meaning", "failed"))
"""Fields of log records with sentences of the program that played. Another version may word them otherwise."""


class ReplayedSegment(msgspec.Struct, frozen=True, kw_only=True):
    """The replay of one segment of play (from one request for orders to the next).

    It has the request that was answered, the orders in force by side, and every roll. ``rolls`` maps the label of
    each roll to (faces of the die, number rolled). ``last`` is the number of the segment's last log record. In a
    rerun, ``kept`` are the segments whose dice are used again, and ``of`` maps each label to the segment whose dice
    produced the roll. ``older`` marks a segment played by earlier rules; it is not replayed, so its rolls are
    unknown.
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
    """A replay of a game that compares every record with the log.

    ``stretches`` are the segments in which the log and the replay agree so far; a segment is the play between two
    requests for orders. ``elsewhere`` are the segments that another version of the program played. Their sentences
    (:data:`WORDS`) are not compared, and their other values may differ. Such a difference is recorded in ``other``,
    and the replay continues from the state in the log.
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
        """Replay the game, and yield the first difference between the replay and the log as a fault.

        Later differences would only be consequences of the first.
        """
        first, *rest = cut(self.records)
        difference = self._compare(first, opening(self.game.terms), words=1 not in self.elsewhere)
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
                wrong = self._undo_fault(stretch[0]) or self._skip_fault(stretch[0], state)
                words = state.segment not in self.elsewhere
                wrong = wrong or self._compare(stretch, self._records_of_act(stretch[0], state), words=words)
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

    def _undo_fault(self, act: Record) -> Fault | None:
        """Return a fault unless an undo or rerun in the log takes back whole segments of the effective log.

        The dice that a rerun uses again must be those of the first segment taken back.
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

    def _skip_fault(self, act: Record, state: State) -> Fault | None:
        """Return a fault if a log record that skips links of the dice chain breaks the rules for skipping.

        Links may be skipped exactly as far as needed, and only once before a segment. Otherwise a host could choose
        the dice.
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

    def _records_of_act(self, act: Record, state: State) -> list[Record]:
        """Return the log records that an action of the umpire must produce: its event and those after it."""
        if isinstance(act.event, Undone | Reran | DicePassed):
            return [act]
        table = Resolution(fold_records([act], state), self.game.scenario(), ScriptedDice(), {})
        follow_ruling(table, act.event)
        return [act, *table.records]

    def difference(self, stretch: Sequence[Record], state: State) -> Fault | None:
        """Replay one segment from its recorded orders; return the first difference from the log, or ``None``."""
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
        if different := self._compare(stretch, again, words=state.segment + 1 not in self.elsewhere):
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
        """Return a text that says what is wrong with a segment's public beacon value, or ``""`` if nothing is."""
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

    def _compare(self, logged: Sequence[Record], again: Sequence[Record], *, words: bool = True) -> Fault | None:
        for old, new in zip(logged, again, strict=False):
            one, other = (log.encode_records([record]).decode() for record in (old, new))
            if one != other and (words or without_words(one) != without_words(other)):
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


def without_words(line: str) -> Any:
    """Return the data of a log record without the fields that are sentences (:data:`WORDS`), at any depth."""

    def rest(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: rest(item) for key, item in value.items() if key not in WORDS}
        return [rest(item) for item in value] if isinstance(value, list) else value

    return rest(msgspec.json.decode(line))


def _difference(logged: str, again: str) -> str:
    """Return a sentence that quotes the part of two records where they first differ."""
    pairs = enumerate(zip(logged + " ", again + " ", strict=False))
    place = next(n for n, (a, b) in pairs if a != b)
    around = slice(max(0, place - 24), place + 24)
    return f"the log has …{logged[around].strip()}…, the replay …{again[around].strip()}…"


def _by_older_rules(records: Sequence[Record]) -> frozenset[int]:
    """Return the numbers of records that were played by earlier rules and later rerun; they cannot be replayed."""
    acts = [record for record in records if isinstance(record.event, Reran)]
    return frozenset(
        n for act in acts if isinstance(act.event, Reran) and act.event.newer for n in range(act.event.to + 1, act.n)
    )


def file_of(game: GameFolder, n: int) -> str:
    """Return the path of the log file that contains record ``n``, relative to the game folder."""
    files = game.log_files()
    turn = next((turn for turn in sorted(files) if any(record.n == n for record in files[turn])), 0)
    return f"{turn_name(turn)}/events.jsonl"
