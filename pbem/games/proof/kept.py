"""What a player kept: the dice proof of sitreps and the commitment of an invitation, read again from the letters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import msgspec

from pbem.games.storage.files import read_bytes
from pbem.orders import charset
from pbem.patterns import regex

LARGEST = 30_000_000
"""Bytes of a letter that is read; a sitrep with its page has some hundred thousand."""

MOST_IN_MAILBOX = 20
"""So many times as many a file may have that holds all letters of a folder."""
READ = (".eml", ".txt", ".mbox")
"""Endings of the files that are read."""

_HEX = r"([0-9a-f]{64})"
_HEAD = regex(r"Dice of (\S+), scheme (\d+)")
_SEGMENT = regex(r"Segment (\d{1,9}): request (\d{1,9}) of turn (\d{1,9})")
_VALUE = regex(rf"(committed|salts|link|log|your salt)\s+{_HEX}")
_ALONE = regex(_HEX)
_ORDERS = regex(r"orders of (\S+)")
_BEACON = regex(r"beacon, round (\d+)")
_AWAITS = regex(r"awaits round (\d+) of the beacon")
_READER = regex(r"This sitrep is for (\S+)\.")
_INVITED = regex(r"You play (\S{1,100}) in ([^\s:]{1,100}+):")
_COMMITTED = regex(rf"dice are committed to:\s++{_HEX}\s++\(scheme\s++(\d{{1,9}})\)")


class Told(msgspec.Struct, frozen=True):
    """One thing a letter told: about which segment (0: the game), what it is called, whose, and its value."""

    segment: int
    what: str
    side: str
    value: str


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A letter that was kept: its file, the game it is about, who was meant, and what it told."""

    file: str
    game: str
    side: str
    told: tuple[Told, ...]


def kept_letters(kept: Path) -> Iterator[Kept]:
    """What the .eml, .txt and .mbox files in a folder and below tell, or a file of these. Letters without a dice proof
    are passed over.

    Raises :class:`GameError` where a file cannot be read.
    """
    for path in _files(kept):
        suffix = path.suffix.casefold()
        if suffix not in READ or path.stat().st_size > LARGEST * (MOST_IN_MAILBOX if suffix == ".mbox" else 1):
            continue
        name = path.relative_to(kept).as_posix() if path != kept else path.name
        data = read_bytes(path)
        letters = _in_mailbox(data) if suffix == ".mbox" else [data]
        for number, letter in enumerate(letters, start=1):
            file = f"{name}, letter {number}" if suffix == ".mbox" else name
            if (found := read_kept(text_of(letter, suffix), file)) is not None:
                yield found


def not_read(kept: Path) -> list[str]:
    """The files in a folder and below that are of a kind nobody reads here."""
    return [path.relative_to(kept).as_posix() for path in _files(kept) if path.suffix.casefold() not in READ]


def _files(kept: Path) -> list[Path]:
    return [kept] if kept.is_file() else [path for path in sorted(kept.rglob("*")) if path.is_file()]


def _in_mailbox(data: bytes) -> list[bytes]:
    """The letters of an mbox file: each stands below a line that begins with ``From``."""
    return [part.partition(b"\n")[2] for part in re.split(rb"(?m)(?:\A|(?<=\n))From (?=.*\d)", data)[1:]]


def text_of(data: bytes, suffix: str) -> str:
    """The plain text of a letter or text file."""
    if suffix == ".txt":
        return charset.text_of(data)
    message = message_from_bytes(data, policy=default)
    assert isinstance(message, EmailMessage)
    body = message.get_body(("plain",))
    content = body.get_payload(decode=True) if body is not None else b""
    return content.decode("utf-8", errors="replace") if isinstance(content, bytes) else ""


def read_kept(text: str, file: str) -> Kept | None:
    """The dice proof in a text, quoted or not; ``None`` where it has none."""
    lines = [re.sub(r"^(\s*>)+", "", line).strip() for line in text.replace("\r", "").split("\n")]
    told: list[Told] = []
    game, side, segment, named = "", "", 0, ("", "")
    for line in lines:
        if found := _READER.fullmatch(line):
            side = found[1]
        elif found := _HEAD.fullmatch(line):
            game, segment, named = found[1], 0, ("", "")
            told.append(Told(0, "scheme", "", found[2]))
        elif not game:
            pass  # what stands before the heading is no proof
        elif found := _SEGMENT.fullmatch(line):
            segment, named = int(found[1]), ("", "")
            told.append(Told(segment, "request", "", f"{found[3]}.{found[2]}"))
        elif found := _VALUE.fullmatch(line):
            told.append(Told(segment, found[1], side if found[1] == "your salt" else "", found[2]))
        elif found := _ORDERS.fullmatch(line):
            named = ("orders", found[1])
        elif found := _BEACON.fullmatch(line):
            named = ("beacon", found[1])
        elif found := _AWAITS.fullmatch(line):
            told.append(Told(segment, "round", "", found[1]))
        elif (found := _ALONE.fullmatch(line)) and named[0]:
            value = f"{named[1]}:{found[1]}" if named[0] == "beacon" else found[1]
            told.append(Told(segment, named[0], named[1] if named[0] == "orders" else "", value))
            named = ("", "")
    whole = "\n".join(lines)
    if not game and (invited := _INVITED.search(whole)) and (dice := _COMMITTED.search(whole, invited.end())):
        side, game = invited[1], invited[2]
        told = [Told(0, "scheme", "", dice[2]), Told(0, "committed", "", dice[1])]
    return Kept(file=file, game=game, side=side, told=tuple(told)) if game else None
