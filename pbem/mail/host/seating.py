"""Who plays which game, from one file: the games' own are read again where one of them has changed.

A host of a thousand games would otherwise read three thousand small files in every round to know whose letters it may
answer. ``mail/seats.json`` keeps what was read, with marks of the files that say who plays (``who.SEATED_BY``): which
file, when written, how long. A mark that differs is read anew, so only the marks have to be right. It holds tokens, as
``mail/outbox`` does, and is for the host's own account only.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

import pbem
from pbem.games.storage.files import Mark, keep, marks, read_kept
from pbem.mail.people import FILE as PEOPLE, MOVES
from pbem.mail.seats import SEATED_BY, Seat, seats

FILE: Final = "seats.json"


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
    mark: list[Mark]
    seats: tuple[_Sat, ...]


class _Index(msgspec.Struct, frozen=True):
    version: str
    games: dict[str, _Kept]


class Seating:
    """The seats of a host's games; what was read is kept by :meth:`write`."""

    def __init__(self, folder: Path, games: Iterable[Path]) -> None:
        self.file = folder / "mail" / FILE
        # Before the seats are read: whoever is replaced meanwhile is found the next time.
        people = marks(str(folder), [PEOPLE, f"mail/{MOVES}"])
        self.marks = {game.name: [*marks(str(game), SEATED_BY), *people] for game in games}
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
