"""Who plays which game, from one file: the games' own are read again where one of them has changed.

A host of a thousand games would otherwise read three thousand small files in every round to know whose letters it may
answer. ``mail/seats.json`` keeps what was read, with marks of the files that say who plays (``who.SEATED_BY``): which
file, when written, how long. A mark that differs is read anew, so only the marks have to be right. It holds tokens, as
``mail/outbox`` does, and is for the host's own account only.

Games in which nothing happened since the last round: known by the marks of their files, and not opened again.

A host of a thousand games would otherwise read a thousand logs every minute. ``mail/resting.json`` keeps what a round
found out of each game, with a mark (which file, when written, how long) of everything that round looked at, and the
moment at which something is to be done though nobody did anything: a reminder, the end of grace. Where the file is
missing or a mark differs, the game is opened as ever; so only the mark has to be right.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

import pbem
from pbem.games.storage.files import FileIdentity, file_identities, keep, read_kept
from pbem.mail.people import FILE as PEOPLE, MOVES
from pbem.mail.seats import SEATED_BY, Seat, seats
from pbem.util import regex

SEATS_FILE: Final = "seats.json"


class _Sat(msgspec.Struct, frozen=True, array_like=True):
    """A seat without its folder, which may be moved."""

    game: str
    side: str
    addresses: tuple[str, ...]
    token: str
    tenure: int
    name: str
    shared: bool
    person: str


_VERSION: Final = f"{pbem.__version__} {len(_Sat.__struct_fields__)}"


class _Kept(msgspec.Struct, frozen=True):
    mark: list[FileIdentity]
    seats: tuple[_Sat, ...]


class _Index(msgspec.Struct, frozen=True):
    version: str
    games: dict[str, _Kept]


class Seating:
    """The seats of a host's games; what was read is kept by :meth:`write`."""

    def __init__(self, folder: Path, games: Iterable[Path]) -> None:
        self.file = folder / "mail" / SEATS_FILE
        # Before the seats are read: whoever is replaced meanwhile is found the next time.
        people = file_identities(str(folder), [PEOPLE, f"mail/{MOVES}"])
        self.marks = {game.name: [*file_identities(str(game), SEATED_BY), *people] for game in games}
        found = read_kept(self.file, _Index)
        self._known = found.games if found is not None and found.version == _VERSION else {}
        self._changed = found is None or found.version != _VERSION or not self._known.keys() <= self.marks.keys()

    def of(self, game: Path) -> list[Seat]:
        """The sides of a game that are played by mail (:func:`pbem.mail.seats.seats`, which raises)."""
        mark = self.marks.get(game.name)
        if mark is None:
            return seats(game)
        kept = self._known.get(game.name)
        if kept is None or kept.mark != mark:
            read = seats(game)
            sat = tuple(
                _Sat(one.game, one.side, one.addresses, one.token, one.tenure, one.name, one.shared, one.person)
                for one in read
            )
            self._known[game.name] = _Kept(mark, sat)
            self._changed = True
            return read
        return [
            Seat(
                game=one.game,
                folder=game,
                side=one.side,
                addresses=one.addresses,
                token=one.token,
                tenure=one.tenure,
                name=one.name,
                shared=one.shared,
                person=one.person,
            )
            for one in kept.seats
        ]

    def write(self) -> None:
        """Keep all this for the next round."""
        if self._changed:
            here = {name: kept for name, kept in self._known.items() if name in self.marks}
            keep(self.file, _Index(_VERSION, here))
            self._changed = False


RESTING_FILE: Final = "resting.json"
_TURN: Final = regex(r"\d\d\d?")
_LOOKED_AT: Final = ("mail/clock.json", "mail/said.txt", "mail/endings.json", "mail/vacant.json", "unfinished.json")
_OF_A_TURN: Final = ("events.jsonl", "state.json")
_RECENT: Final = 2
"""Turns whose order files may still be answers to something."""


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was left as it is until a moment (``None``: until somebody does something). ``waits`` are the sides
    of it that count as players of the host, ``owes`` those that owed orders then (to be told, nothing hangs on it),
    ``late`` those whose grace was over at ``final``, asked at ``asking``.
    """

    mark: str
    waits: tuple[str, ...] = ()
    owes: tuple[str, ...] = ()
    until: datetime | None = None
    late: tuple[str, ...] = ()
    asking: tuple[int, int, int] = (0, 0, 0)
    final: datetime | None = None


class Resting:
    """What is known of a host's games; read when a round begins, written when it ends. ``drift`` is that of the host's
    clock (:mod:`pbem.mail.host.clock_faults`).
    """

    def __init__(self, folder: Path, games: Iterable[Path], drift: int = 0, seating: Seating | None = None) -> None:
        self.file = folder / "mail" / RESTING_FILE
        self._settings, self._folder = file_identities(str(folder), ["host.toml", PEOPLE]), str(folder)
        self.drifted(drift)
        self._seated = (seating or Seating(folder, games)).marks
        self.known = read_kept(self.file, dict[str, Rest]) or {}
        self._before = dict(self.known)

    def drifted(self, drift: int) -> None:
        """Other settings, another version, a clock that was put right, somebody who is away: everything is looked at
        anew.
        """
        away = file_identities(self._folder, ["mail/absences.json"])
        self._house = f"{pbem.__version__} {drift} {self._settings} {away}"

    def find(self, game: Path, now: datetime) -> Rest | None:
        """What is known of a game, if it is still true."""
        rest = self.known.get(game.name)
        if rest is None or (rest.until is not None and rest.until <= now) or rest.mark != self._mark(game):
            return None
        return rest

    def keep(self, game: Path, rest: Rest) -> None:
        """Remember a game as it is now. Only for who holds its lock."""
        self.known[game.name] = msgspec.structs.replace(rest, mark=self._mark(game))

    def write(self) -> None:
        """Keep all this for the next round."""
        here = {name: rest for name, rest in self.known.items() if name in self._seated}
        if here != self._before:
            keep(self.file, here)

    def _mark(self, game: Path) -> str:
        said = f"{self._house} {self._seated.get(game.name)} {_all_marks(str(game))}"
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _all_marks(game: str) -> list[FileIdentity]:
    try:
        names = sorted(os.listdir(game))  # noqa: PTH208 (here, too, paths would take most of the time)
    except OSError:
        return []
    turns = [name for name in names if _TURN.fullmatch(name)]
    wanted = [name for name in names if name.endswith(".toml")]
    wanted += _LOOKED_AT
    for turn in turns:
        wanted += [f"{turn}/{name}" for name in _OF_A_TURN]
    for turn in turns[-_RECENT:]:
        with suppress(OSError):
            orders = sorted(os.listdir(f"{game}/{turn}/orders"))  # noqa: PTH208
            wanted += [f"{turn}/orders/{name}" for name in orders]
    return file_identities(game, wanted)
