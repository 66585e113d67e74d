"""Make and recognize web keys for a club's web server, and wake up the host.

Each person gets a personal link in their emails, with a secret key after ``#``. Browsers do not send that part of a
link to a server. So no log of a proxy contains the key, and programs that follow the links of emails learn nothing.
Keys are derived from the club's secret key. The fact ``door`` counts how often somebody was given a new key. When
a backup is restored everybody gets a new one, because the backup does not know which keys were given or revoked
since.

If somebody sends orders through the web server, the host is woken, and its next round begins at once.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import write_text
from pbem.mail.seats import KEY_LENGTH, LOGIN_PATH, Games, Seat
from pbem.mail.store import keep_fact, read_fact
from pbem.mail.umpires import derived

WAKE_FILE: Final = "bell"


def ring(folder: Path) -> None:
    """Wake the host of a folder, so that it begins a round at once.

    If no host is waiting, the next round comes at its usual time. Errors are ignored.
    """
    with suppress(Exception):
        write_text(folder / "mail" / WAKE_FILE, "", private=True)


def last_woken(folder: Path) -> int:
    """Return the time at which the host was last woken, in nanoseconds since 1970; 0 if never.

    If two calls return different times, the host was woken in between.
    """
    try:
        return (folder / "mail" / WAKE_FILE).stat().st_mtime_ns
    except OSError:
        return 0


KEYS: Final = "door"


class WebKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The fact ``door`` of the club's database, from which everybody's web keys are derived.

    Attributes:
        renewed: For each person, how often they were given a new key.
        word: A random word that is replaced when a backup is restored, so that all keys change.
        about: The backup whose restoration last replaced the word.
    """

    renewed: dict[str, int] = {}
    word: str = ""
    about: str = ""


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """A person whom the web server recognized by a web key.

    ``person`` is their key in players.toml, or else their address; ``seats`` are the sides they play.
    """

    person: str
    seats: tuple[Seat, ...]

    @property
    def name(self) -> str:
        """The person's display name; without one, the key in players.toml or the address."""
        return next((seat.name for seat in self.seats if seat.name), self.person)


def person_of(seat: Seat) -> str:
    """Return the player's identifier for web keys: the key in players.toml, or else the address."""
    return seat.person or seat.addresses[0]


def key_of(post: Path, person: str) -> str:
    """Return the web key of a person; ``post`` is the club's mail folder."""
    keys = read_fact(post, KEYS, WebKeys) or WebKeys()
    again = f" {keys.word}" if keys.word else ""
    return derived(post, f"door {keys.renewed.get(person, 0)}{again} {person}", KEY_LENGTH)


def renew(post: Path, person: str) -> None:
    """Give a person a new web key; the old one no longer works. ``post`` is the club's mail folder."""
    keys = read_fact(post, KEYS, WebKeys) or WebKeys()
    renewed = {**keys.renewed, person: keys.renewed.get(person, 0) + 1}
    keep_fact(post, KEYS, msgspec.structs.replace(keys, renewed=renewed))


def renew_all(post: Path, about: str = "") -> None:
    """Give everybody a new web key; the old ones no longer work.

    If ``about`` names a backup, this happens at most once for that backup. ``post`` is the club's mail folder.
    """
    keys = read_fact(post, KEYS, WebKeys) or WebKeys()
    if not about or keys.about != about:
        keep_fact(post, KEYS, msgspec.structs.replace(keys, word=secrets.token_hex(8), about=about))


def guests(seats: Iterable[Seat]) -> dict[str, Guest]:
    """Return everybody who plays in the club, as a dict whose keys are results of :func:`person_of`."""
    seats_of: dict[str, list[Seat]] = {}
    for seat in seats:
        seats_of.setdefault(person_of(seat), []).append(seat)
    return {
        person: Guest(person=person, seats=tuple(sorted(theirs, key=lambda one: (one.game, one.side))))
        for person, theirs in sorted(seats_of.items())
    }


def guest(games: Games, key: str) -> Guest | None:
    """Return the person to whom a web key belongs; ``None`` if it is nobody's.

    The time of the search reveals nothing about any key.
    """
    wanted = hashlib.sha256(key.encode("utf-8", "replace")).digest()
    by_hash = {
        hashlib.sha256(key_of(games.post, person).encode()).digest(): one for person, one in guests(games.seats).items()
    }
    return by_hash.get(wanted)


def link(web: str, post: Path, person: str) -> str:
    """Return the personal link of a person at the web server ``web``; ``""`` if ``web`` is empty.

    ``post`` is the club's mail folder.
    """
    return f"{web.rstrip('/')}{LOGIN_PATH}#{key_of(post, person)}" if web else ""


def link_of(games: Games, seat: Seat) -> str:
    """Return the personal web link of the player of a seat; ``""`` if the club has no web server."""
    return link(games.web, games.post, person_of(seat))
