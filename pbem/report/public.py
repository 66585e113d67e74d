"""The record without the players' addresses: what may stand where strangers read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pbem.game import events as ev
from pbem.game.log import decode_records, encode_records

replace = msgspec.structs.replace

ADDRESS = re.compile(r"[^\s<>()\[\],;:\"']+@[^\s<>()\[\],;:\"']+")
HIDDEN = "(address)"
"""What stands where somebody wrote a player's address into a text of his own."""


def addresses(texts: Iterable[str]) -> frozenset[str]:
    """Every mail address in texts such as ``Ann Smith <ann@example.org>``."""
    return frozenset(found for text in texts for found in ADDRESS.findall(text))


def name_of(player: str) -> str:
    """A player's name without his address: ``Ann Smith``; empty where there is no name but the address."""
    return " ".join(re.sub(r"[<>()\"]", " ", ADDRESS.sub(" ", player)).split())


def players_of(records: Sequence[ev.Record]) -> tuple[str, ...]:
    """Everything the log says of who plays."""
    return tuple(
        side.player for record in records if isinstance(record.event, ev.GameStarted) for side in record.event.sides
    )


def without_addresses(
    records: Sequence[ev.Record], known: Iterable[str] = (), names: Mapping[str, str] | None = None
) -> list[ev.Record]:
    """The same log with names in place of the players' addresses, wherever they stand.

    ``known`` are further addresses to hide; ``names`` are the players' names by side, where the log's are not wanted.
    """
    hidden = addresses([*players_of(records), *known])
    named = [_named(record, names or {}) for record in records]
    if not hidden:
        return named
    text = encode_records(named).decode("utf-8")
    # The longest first: one address may be the end of another.
    for address in sorted(hidden, key=lambda one: (-len(one), one)):
        written = msgspec.json.encode(address).decode("utf-8")[1:-1]
        text = re.sub(re.escape(written), HIDDEN, text, flags=re.IGNORECASE)
    return decode_records(text.encode("utf-8"))


def _named(record: ev.Record, names: Mapping[str, str]) -> ev.Record:
    event = record.event
    if not isinstance(event, ev.GameStarted):
        return record
    sides = tuple(
        side if side.robot else replace(side, player=name_of(names.get(side.name, side.player))) for side in event.sides
    )
    return replace(record, event=replace(event, sides=sides))


def seen_records(records: Iterable[ev.Record], side: str) -> list[ev.Record]:
    """The log as a side (``""``: spectators) may read it: numbered anew, since gaps would tell what was hidden."""
    found: list[ev.Record] = []
    numbers: list[int] = []
    for record in records:
        event = ev.seen_by(record, side)
        if event is None:
            continue
        if isinstance(event, ev.Undone):
            event = replace(event, to=sum(number <= event.to for number in numbers))
        elif isinstance(event, ev.GameStarted) and side != ev.UMPIRE:
            # An automatic break that one side agreed with the umpire is as secret as its other breaks.
            common = tuple(auto for auto in event.options.autobreaks if auto.side in ("all", side))
            event = replace(event, options=replace(event.options, autobreaks=common))
        numbers.append(record.n)
        found.append(ev.Record(n=len(found) + 1, event=event))
    return found
