"""The event log as text: one record a line, JSON, UTF-8. Encoding the same records always gives the same bytes.

State is a fold over events: ``apply(state, event)`` for each, and nothing else ever changes a state.

The same fold over one side's view of the log gives what that side knows; so no event may assume that it has seen
what only another side may see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import msgspec
from msgspec.structs import replace

from pbem.engine import events as ev
from pbem.engine.events import Record, Requested, Reran, SegmentBegan, Undone
from pbem.engine.state import Request, State
from pbem.errors import GameError


def fold(events: Iterable[ev.AnyEvent], state: State | None = None) -> State:
    """The state after ``events``, from an empty one or from ``state``."""
    state = State() if state is None else state
    for event in events:
        state = apply(state, event)
    return state


def fold_records(records: Iterable[ev.Record], state: State | None = None) -> State:
    """The umpire's state after a log, with the number of records folded in."""
    state = State() if state is None else state
    for record in records:
        state = replace(apply(state, record.event), records=record.n)
    return state


def apply(state: State, event: ev.AnyEvent) -> State:
    """The state after one event."""
    if (state.turn, state.impulse, state.step) != (event.turn, event.impulse, event.step):
        state = replace(state, turn=event.turn, impulse=event.impulse, step=event.step)
    return event.apply(state)


_encoder = msgspec.json.Encoder(order="deterministic")


@cache
def _record_decoder() -> msgspec.json.Decoder[Record]:
    return msgspec.json.Decoder(Record)


@cache
def _state_decoder() -> msgspec.json.Decoder[State]:
    return msgspec.json.Decoder(State)


def encode_records(records: Iterable[Record]) -> bytes:
    """A log file's bytes."""
    return b"".join(_encoder.encode(record) + b"\n" for record in records)


def decode_records(data: bytes, file: str = "events.jsonl") -> list[Record]:
    """Read a log file; a line that cannot be read is named, nothing is guessed."""
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
    """A state file's bytes, indented so that an umpire can read it."""
    return msgspec.json.format(_encoder.encode(state), indent=1) + b"\n"


def decode_state(data: bytes, file: str = "state.json") -> State:
    """Read a state file; says where it is damaged."""
    try:
        state = _state_decoder().decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise GameError.saying(
            "state-damaged",
            f"this state file cannot be read: {error}; `pbem verify --repair` writes it anew from the event log",
            file=file,
        ) from error
    if state.format != 1:
        raise GameError.saying("format", f"state format {state.format} is not known here (1 is)", file=file)
    return state


class _Counted(msgspec.Struct):
    records: int


_counted = msgspec.json.Decoder(_Counted)


def records_of_state(data: bytes, file: str = "state.json") -> int:
    """How many records a state file was made from, without reading the whole of it; says where it is damaged."""
    try:
        return _counted.decode(data).records
    except (msgspec.DecodeError, UnicodeDecodeError):
        return decode_state(data, file).records


def effective(records: Sequence[Record]) -> list[Record]:
    """The records that still count: an :class:`Undone` or :class:`Reran` takes back all after the record it names."""
    kept: list[Record] = []
    for record in sorted(records, key=lambda record: record.n):
        if isinstance(record.event, Undone | Reran):
            kept = [earlier for earlier in kept if earlier.n <= record.event.to]
        kept.append(record)
    return kept


def played(records: Sequence[Record]) -> Iterator[tuple[int, Request, SegmentBegan]]:
    """Every request that was played: where in ``records`` its segment begins, the request, and how it begins."""
    asked: Request | None = None
    for place, record in enumerate(records):
        if isinstance(record.event, Requested):
            asked = record.event.request
        elif isinstance(record.event, SegmentBegan) and asked is not None:
            yield place, asked, record.event
