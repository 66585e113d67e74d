"""Remove players' email addresses from game records before they are published.

The module finds addresses in texts in all usual spellings. It makes a copy of the log without addresses, and a copy
with only the records that one side may read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from pbem.engine import events as ev
from pbem.engine.log import decode_records, encode_records
from pbem.util import regex

replace = msgspec.structs.replace

ADDRESS = regex(
    # a quotation mark before the address is not part of it
    r"(?:\"[^\"@]{0,64}\"|[^\s<>()\[\],;:\"'@][^\s<>()\[\],;:\"@]{0,64})@"
    r"(?:\[[^\s\[\]]+\]|[^\s<>()\[\],;:\"'@]+)"
)
HIDDEN = "(address)"
"""Text that replaces an email address which a player or the umpire wrote into a text."""


def addresses(texts: Iterable[str]) -> frozenset[str]:
    """Return every email address in the given texts, such as ``Ann Smith <ann@example.org>``."""
    return frozenset(found for text in texts for found in ADDRESS.findall(text))


def name_of(player: str) -> str:
    """Return the name in a player's entry without the address: ``Ann Smith``; empty if there is no name."""
    name = ADDRESS.sub(" ", player)
    for pattern in _spellings(addresses([player])):
        name = pattern.sub(" ", name)
    return " ".join(re.sub(r"[<>()\"]", " ", name).split()).strip(" ,")


def names_an_address(text: str, players: Iterable[str]) -> bool:
    """Return whether a text has any email address, or a given player's address in any spelling."""
    return any(pattern.search(text) for pattern in (ADDRESS, *_spellings(addresses(players))))


_SIGNS = {
    "@": r"\s*[\[({]\s*(?:at|@)\s*[\])}]\s*|\s+at\s+|&commat;",
    ".": r"\s*[\[({]\s*(?:dot|punkt|\.)\s*[\])}]\s*|\s+(?:dot|punkt)\s+|&period;",
}
"""Ways in which people and pages write the characters ``@`` and ``.`` of an address to hide it from programs."""


def _spellings(known: Iterable[str]) -> list[re.Pattern[str]]:
    """Return patterns that find the given addresses in every readable spelling.

    Every letter may be written as a percent code, an HTML entity or in quoted-printable. The characters ``@`` and
    ``.`` may be written as words, and the domain in either form of an international domain name. The longest address
    comes first, because a shorter address may be the end of it.
    """
    forms: set[str] = set()
    for address in known:
        user, _, domain = address.rpartition("@")
        forms.add(address)
        with suppress(UnicodeError):
            forms.add(f"{user}@{domain.encode('idna').decode('ascii')}")
        with suppress(UnicodeError):
            forms.add(f"{user}@{domain.encode('ascii').decode('idna')}")
    return [
        re.compile("".join(_spelled(sign) for sign in form), re.IGNORECASE)
        for form in sorted(forms, key=lambda form: (-len(form), form))
    ]


def _spelled(sign: str) -> str:
    code = ord(sign)
    ways = [re.escape(sign), f"&#0*{code};?", f"&#x0*{code:x};?"]
    ways += ["".join(f"{mark}{byte:02x}" for byte in sign.encode()) for mark in "%="]
    return f"(?:{'|'.join([*ways, *([_SIGNS[sign]] if sign in _SIGNS else [])])})"


def players_of(records: Sequence[ev.Record]) -> tuple[str, ...]:
    """Return the players of all sides, as the log names them."""
    return tuple(
        side.player for record in records if isinstance(record.event, ev.GameStarted) for side in record.event.sides
    )


def without_addresses(
    records: Sequence[ev.Record], known: Iterable[str] = (), names: Mapping[str, str] | None = None
) -> list[ev.Record]:
    """Return a copy of the log with names in place of players' addresses.

    Addresses in players' texts are removed.

    Args:
        records: The log.
        known: Texts with more addresses to hide; these addresses are hidden in every spelling.
        names: Players' names by side, to use instead of those in the log.
    """
    patterns = [*_spellings(addresses([*players_of(records), *known])), ADDRESS]

    def hide(value: Any) -> Any:
        if isinstance(value, str):
            for pattern in patterns if "@" in value else patterns[:-1]:
                value = pattern.sub(HIDDEN, value)
            return value
        if isinstance(value, dict):
            return {key: hide(item) for key, item in value.items()}
        return [hide(item) for item in value] if isinstance(value, list) else value

    lines = [
        msgspec.json.decode(line) for line in encode_records([_named(r, names or {}) for r in records]).splitlines()
    ]
    return decode_records(b"".join(msgspec.json.encode(hide(line)) + b"\n" for line in lines))


def _named(record: ev.Record, names: Mapping[str, str]) -> ev.Record:
    event = record.event
    if not isinstance(event, ev.GameStarted):
        return record
    sides = tuple(
        side if side.robot else replace(side, player=name_of(names.get(side.name, side.player))) for side in event.sides
    )
    return replace(record, event=replace(event, sides=sides))


def seen_records(records: Iterable[ev.Record], side: str) -> list[ev.Record]:
    """Return the part of the log that a side (``""``: spectators) may read.

    The records are renumbered, because missing numbers would show how much was hidden.
    """
    found: list[ev.Record] = []
    numbers: list[int] = []
    for record in records:
        event = ev.seen_by(record, side)
        if event is None:
            continue
        if isinstance(event, ev.Undone):
            event = replace(event, to=sum(number <= event.to for number in numbers))
        elif isinstance(event, ev.GameStarted) and side != ev.UMPIRE:
            # An automatic break of one side is as secret as the side's other breaks.
            common = tuple(auto for auto in event.options.autobreaks if auto.side in ("all", side))
            event = replace(event, options=replace(event.options, autobreaks=common))
        numbers.append(record.n)
        found.append(ev.Record(n=len(found) + 1, event=event))
    return found
