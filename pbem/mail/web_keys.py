"""The bell of a host: who hands something in beside the mail rings it, and the next round begins at once.

Who is let in at a club's door on the web: each person has a link of his own, that stands in his mails.

The key in a link stands behind its ``#``: browsers send that to no server, so it is in no log of a proxy, and programs
that try the links of mails learn nothing. Keys are made from the club's own; ``mail/door.json`` counts how often
somebody was given another. Where a backup is put back everybody gets another: of those that were given since, or
revoked, the backup knows nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import keep, read_kept, write_text
from pbem.mail.seats import DOOR, DOOR_KEY, Games, Seat
from pbem.mail.umpires import derived

WAKE_FILE: Final = "bell"


def ring(folder: Path) -> None:
    """Ask the host of a folder for a round. Where nobody hears it, the next round comes in its time."""
    with suppress(Exception):
        write_text(folder / "mail" / WAKE_FILE, "", private=True)


def heard(folder: Path) -> int:
    """When the bell was rung last; another number than before means that it was rung since."""
    try:
        return (folder / "mail" / WAKE_FILE).stat().st_mtime_ns
    except OSError:
        return 0


KEYS_FILE: Final = "door.json"


class Doors(msgspec.Struct, frozen=True, kw_only=True):
    """How often each person was given another key; a word that is another one since a backup was put back, and which
    one that was ``about``.
    """

    renewed: dict[str, int] = {}
    word: str = ""
    about: str = ""


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who was let in: his key in players.toml, or else his address; and the sides he plays."""

    person: str
    seats: tuple[Seat, ...]

    @property
    def name(self) -> str:
        """How he is called."""
        return next((seat.name for seat in self.seats if seat.name), self.person)


def person_of(seat: Seat) -> str:
    """Who plays a side, for the door: his key in players.toml, or else his address."""
    return seat.person or seat.addresses[0]


def key_of(post: Path, person: str) -> str:
    """The key of a person; ``post`` is the folder of the club's post."""
    known = read_kept(post / KEYS_FILE, Doors) or Doors()
    again = f" {known.word}" if known.word else ""
    return derived(post, f"door {known.renewed.get(person, 0)}{again} {person}", DOOR_KEY)


def renew(post: Path, person: str) -> None:
    """Give a person another key; the old one opens nothing any more."""
    known = read_kept(post / KEYS_FILE, Doors) or Doors()
    renewed = {**known.renewed, person: known.renewed.get(person, 0) + 1}
    keep(post / KEYS_FILE, msgspec.structs.replace(known, renewed=renewed), indent=True)


def renew_all(post: Path, about: str = "") -> None:
    """Give everybody another key, once for the same backup: none that was given before opens anything any more."""
    known = read_kept(post / KEYS_FILE, Doors) or Doors()
    if not about or known.about != about:
        keep(post / KEYS_FILE, msgspec.structs.replace(known, word=secrets.token_hex(8), about=about), indent=True)


def guests(seats: Iterable[Seat]) -> dict[str, Guest]:
    """Everybody who plays, by :func:`person_of`."""
    found: dict[str, list[Seat]] = {}
    for seat in seats:
        found.setdefault(person_of(seat), []).append(seat)
    return {
        person: Guest(person=person, seats=tuple(sorted(theirs, key=lambda one: (one.game, one.side))))
        for person, theirs in sorted(found.items())
    }


def guest(games: Games, key: str) -> Guest | None:
    """Whose key it is. How long the search takes says nothing of any key."""
    wanted = hashlib.sha256(key.encode("utf-8", "replace")).digest()
    known = {
        hashlib.sha256(key_of(games.post, person).encode()).digest(): one for person, one in guests(games.seats).items()
    }
    return known.get(wanted)


def link(web: str, post: Path, person: str) -> str:
    """The address that leads a person in by the door at ``web``; ``""`` where the club has none."""
    return f"{web.rstrip('/')}{DOOR}#{key_of(post, person)}" if web else ""


def link_of(games: Games, seat: Seat) -> str:
    """The same for the player of a side."""
    return link(games.web, games.post, person_of(seat))
