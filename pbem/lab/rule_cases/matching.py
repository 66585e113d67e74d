"""Comparing what happened with what a case expects: events as plain tables, every field written out."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from pbem.engine import events as ev
from pbem.engine.events import Record

PROSE = ("reason", "why", "meaning", "condition", "order", "text", "failed")
"""Fields that hold sentences: an expectation names words that must occur in them, in any letter case."""

SECRECY = ("event", "only", "shown")
"""What an expectation may name besides an event's own fields."""


@cache
def event_types() -> dict[str, type[ev.Event]]:
    """Every type of event by its name in the log."""
    found = {str(kind.__struct_config__.tag): kind for kind in typing.get_args(ev.AnyEvent)}
    return dict(sorted(found.items()))


def field_names(event: str) -> tuple[str, ...]:
    """The fields of a type of event, the moment first."""
    return event_types()[event].__struct_encode_fields__


def written_out(value: Any) -> Any:
    """A value as in the log, with no field left out because it has its default."""
    if isinstance(value, msgspec.Struct):
        named = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
        table = {written: written_out(getattr(value, name)) for written, name in named}
        config = value.__struct_config__
        return {config.tag_field: config.tag, **table} if config.tag_field else table
    if isinstance(value, Mapping):
        return {key: written_out(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [written_out(item) for item in value]
    return value


def told(record: Record) -> dict[str, Any]:
    """The event of a record as a table; ``only`` is the side that alone may know it, ``shown`` what others see."""
    table: dict[str, Any] = written_out(record.event)
    return {**table, "only": record.only, "shown": written_out(record.shown)}


def wrong_pattern(pattern: Mapping[str, Any]) -> list[str]:
    """What no event can ever satisfy: an unknown event or field. A misspelt ``absent`` would always pass."""
    event = pattern.get("event")
    known = event_types()
    if event is None:
        fields = {name for kind in known for name in field_names(kind)} | {*SECRECY}
        said = ["event: is missing; say which event."] if set(pattern) <= {"turn", "impulse", "step"} else []
        return said + [f"{key}: is no field of any event{_near(key, fields)}." for key in pattern if key not in fields]
    if event not in known:
        return [f"event: there is no event {event!r}{_near(str(event), known)}."]
    fields = {*field_names(event), *SECRECY}
    return [f"{key}: {event} has no such field{_near(key, fields)}." for key in pattern if key not in fields]


def _near(word: str, known: typing.Iterable[str]) -> str:
    close = difflib.get_close_matches(word, sorted(known), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def matches(wanted: Any, found: Any, field: str = "") -> bool:
    """Whether ``found`` is what a case wants: tables need only agree in what is wanted, lists in everything."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            key in found and matches(item, found[key], key) for key, item in wanted.items()
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(wanted) == len(found)
            and all(matches(w, f) for w, f in zip(wanted, found, strict=True))
        )
    if isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    if field in PROSE and isinstance(wanted, str) and isinstance(found, str) and wanted:
        return wanted.casefold() in found.casefold()
    return bool(wanted == found)


def unmet(expected: Sequence[Mapping[str, Any]], happened: Sequence[dict[str, Any]]) -> list[str]:
    """The expectations that were not met in their order, each with what came nearest."""
    said: list[str] = []
    start = 0
    for number, wanted in enumerate(expected, start=1):
        place = next((n for n in range(start, len(happened)) if matches(wanted, happened[n])), None)
        if place is not None:
            start = place + 1
            continue
        earlier = next((n for n in range(start) if matches(wanted, happened[n])), None)
        late = "" if earlier is None else " (it happened, but before the expectation above it was met)"
        said.append(f"expected {number}, did not happen{late}: {_line(wanted)}")
        said += [f"    instead: {line}" for line in _nearest(wanted, happened)]
    return said


def unwanted(absent: Sequence[Mapping[str, Any]], happened: Sequence[dict[str, Any]]) -> list[str]:
    """What must not happen, and did."""
    return [
        f"must not happen: {_line(wanted)}\n    but did: {_line(event)}"
        for wanted in absent
        for event in happened
        if matches(wanted, event)
    ]


def _nearest(wanted: Mapping[str, Any], happened: Sequence[dict[str, Any]]) -> Iterator[str]:
    def agreeing(event: dict[str, Any]) -> int:
        same = sum(1 for key, item in wanted.items() if key in event and matches(item, event[key], key))
        return same + (3 if event["event"] == wanted.get("event") else 0)

    scores = sorted(((agreeing(event), -number) for number, event in enumerate(happened)), reverse=True)
    for score, negative in scores[:4]:
        if score > 0:
            yield _line(happened[-negative])


def _line(table: Mapping[str, Any]) -> str:
    """An event on one line; long values and what has no value are left out."""
    shown = []
    for key, value in table.items():
        if value in ("", None, [], {}) and value is not False:
            continue
        text = str(value)
        shown.append(f"{key}={text if len(text) <= 90 else text[:87] + '...'}")
    return " ".join(shown)
