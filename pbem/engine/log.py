"""Encode the event log as text (one record per line, JSON, UTF-8) and compute states from it.

The same records always encode to the same bytes. To compute a state, :func:`apply` is called for each event of the log;
nothing else ever changes a state. Applied to the events that one side may see, the same computation gives the state as
that side knows it. So an event may not rely on facts that only another side can see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import msgspec
from msgspec.structs import replace

from pbem.engine import events as ev
from pbem.engine.events import Record, Requested, Reran, SegmentBegan, Undone
from pbem.engine.on_file import StateOnFile, state_from_file, state_on_file
from pbem.engine.state import Request, State
from pbem.errors import GameError


def fold(events: Iterable[ev.AnyEvent], state: State | None = None) -> State:
    """Return the state after all ``events`` are applied, starting from ``state`` or from an empty state."""
    state = State() if state is None else state
    for event in events:
        state = apply(state, event)
    return state


def fold_records(records: Iterable[ev.Record], state: State | None = None) -> State:
    """Return the complete state, as the umpire sees it, after the records of a log.

    The field ``records`` of the state is the number of the last record.
    """
    state = State() if state is None else state
    for record in records:
        state = replace(apply(state, record.event), records=record.n)
    return state


def apply(state: State, event: ev.AnyEvent) -> State:
    """Return the state after one event is applied.

    Turn, impulse and step of the state are set to the values in the event.
    """
    if (state.turn, state.impulse, state.step) != (event.turn, event.impulse, event.step):
        state = replace(state, turn=event.turn, impulse=event.impulse, step=event.step)
    return event.apply(state)


_encoder = msgspec.json.Encoder(order="deterministic")


@cache
def _record_decoder() -> msgspec.json.Decoder[Record]:
    return msgspec.json.Decoder(Record)


@cache
def _state_decoder() -> msgspec.json.Decoder[StateOnFile]:
    return msgspec.json.Decoder(StateOnFile)


def encode_records(records: Iterable[Record]) -> bytes:
    """Return records as the bytes of a log file."""
    return b"".join(_encoder.encode(record) + b"\n" for record in records)


def decode_records(data: bytes, file: str = "events.jsonl") -> list[Record]:
    """Return the records that the bytes of a log file contain.

    Raises:
        GameError: A line cannot be read; the error names the file and the line.
    """
    records = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line:
            continue
        try:
            records.append(_record_decoder().decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise GameError.saying(
                "log-damaged", f"this record cannot be read: {error}", file=file, line=number
            ) from error
    return records


def encode_state(state: State) -> bytes:
    """Return a state as the bytes of a state file, indented so that an umpire can read it."""
    return msgspec.json.format(_encoder.encode(state_on_file(state)), indent=1) + b"\n"


def decode_state(data: bytes, file: str = "state.json") -> State:
    """Return the state that the bytes of a state file contain.

    Raises:
        GameError: The file is damaged or has an unknown format; the error says at which place.
    """
    try:
        state = state_from_file(_state_decoder().decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise GameError.saying(
            "state-damaged",
            f"this state file cannot be read: {error}; `pbem verify --repair` makes it again from the event log",
            file=file,
        ) from error
    if state.format != 1:
        raise GameError.saying(
            "format", f"state format {state.format} is unknown; this version reads format 1", file=file
        )
    return state


class _Counted(msgspec.Struct):
    records: int


_counted = msgspec.json.Decoder(_Counted)


def records_of_state(data: bytes, file: str = "state.json") -> int:
    """Return the number of log records that a state file was made from, without decoding the whole file.

    Raises:
        GameError: The file is damaged.
    """
    try:
        return _counted.decode(data).records
    except (msgspec.DecodeError, UnicodeDecodeError):
        return decode_state(data, file).records


def effective(records: Sequence[Record]) -> list[Record]:
    """Return the records that still count, i.e. all except those that the umpire cancelled.

    An :class:`Undone` or :class:`Reran` event names a record by its number; all later records up to that event are
    cancelled.
    """
    kept: list[Record] = []
    for record in sorted(records, key=lambda record: record.n):
        if isinstance(record.event, Undone | Reran):
            kept = [earlier for earlier in kept if earlier.n <= record.event.to]
        kept.append(record)
    return kept


def played(records: Sequence[Record]) -> Iterator[tuple[int, Request, SegmentBegan]]:
    """Yield each request for orders that was answered and played.

    Each item has three parts: the index in ``records`` at which play after the request begins, the request itself, and
    the event that marks this beginning.
    """
    asked: Request | None = None
    for place, record in enumerate(records):
        if isinstance(record.event, Requested):
            asked = record.event.request
        elif isinstance(record.event, SegmentBegan) and asked is not None:
            yield place, asked, record.event
