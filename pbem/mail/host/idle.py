"""Cache seats and idle games, so that a host need not read thousands of files in each round.

:class:`Seating` remembers which player has which side of each game (the fact ``seats`` of the club's database), and
:class:`Resting` games in which nothing is due (``resting``). Both compare the identity of the files they depend on
(inode, time, length). They read a game again if a file has changed or the cache is missing.
"""

from __future__ import annotations

import hashlib
import marshal
import os
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

import pbem
from pbem.games.storage.files import FileIdentity, file_identities
from pbem.mail.commands.time import ABSENCES
from pbem.mail.people import FILE as PEOPLE, MOVES, Roll, read_people
from pbem.mail.seats import SEATED_BY, Seat, seats
from pbem.mail.store import identity, keep_fact, read_fact
from pbem.util import regex

SEATS: Final = "seats"


class _Sat(msgspec.Struct, frozen=True, array_like=True):
    """A seat (a side played by email) as stored in the cache, without the path of its game.

    The path is left out because the folder may be moved.
    """

    game: str
    side: str
    addresses: tuple[str, ...]
    token: str
    tenure: int
    name: str
    shared: bool
    person: str


def _sat(seat: Seat) -> _Sat:
    fields = msgspec.structs.asdict(seat)
    del fields["folder"]
    return _Sat(**fields)


_VERSION: Final = f"{pbem.__version__} {len(_Sat.__struct_fields__)}"


class _Kept(msgspec.Struct, frozen=True):
    mark: list[FileIdentity]
    seats: tuple[_Sat, ...]


class _Index(msgspec.Struct, frozen=True):
    version: str
    games: dict[str, _Kept]


class Seating:
    """Cache of the seats (sides played by email) of a host's games; :meth:`write` saves it."""

    def __init__(self, folder: Path, games: Iterable[Path]) -> None:
        self.post = folder / "mail"
        self._roll: Roll | None = None
        # Before the seats are read, so that a change in between is noticed the next time.
        people = [*file_identities(str(folder), [PEOPLE]), *identity(self.post, MOVES)]
        self.marks = {game.name: [*file_identities(str(game), SEATED_BY), *people] for game in games}
        stored = read_fact(self.post, SEATS, _Index)
        self._known = stored.games if stored is not None and stored.version == _VERSION else {}
        self._changed = stored is None or stored.version != _VERSION or not self._known.keys() <= self.marks.keys()

    def of(self, game: Path) -> list[Seat]:
        """Return the seats of a game (its sides that are played by email), from the cache if possible.

        This raises the same errors as :func:`pbem.mail.seats.seats`.
        """
        mark = self.marks.get(game.name)
        if mark is None:
            return seats(game)
        kept = self._known.get(game.name)
        if kept is None or kept.mark != mark:
            read = seats(game, self._people)
            self._known[game.name] = _Kept(mark, tuple(map(_sat, read)))
            self._changed = True
            return read
        return [
            Seat(
                folder=game, game=one.game, side=one.side, addresses=one.addresses, token=one.token, tenure=one.tenure,
                name=one.name, shared=one.shared, person=one.person,
            )
            for one in kept.seats
        ]  # fmt: skip

    def _people(self) -> Roll:
        """Return the people of the club, which are read once for all games."""
        if self._roll is None:
            self._roll = read_people(self.post.parent)
        return self._roll

    def write(self) -> None:
        """Save the seats (sides played by email) for the next round."""
        if self._changed:
            here = {name: kept for name, kept in self._known.items() if name in self.marks}
            keep_fact(self.post, SEATS, _Index(_VERSION, here))
            self._changed = False


RESTING: Final = "resting"
_TURN: Final = regex(r"\d\d\d?")
_LOOKED_AT: Final = ("mail/clock.json", "mail/said.txt", "mail/endings.json", "mail/vacant.json")
_OF_THE_GAME: Final = "unfinished.json"
_OF_A_TURN: Final = ("events.jsonl", "state.json")
_RECENT: Final = 2
"""Number of latest turns whose order files are checked for changes.

Older files cannot answer a request.
"""


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """The stored state of a game in which nothing is due until some time or until a file changes.

    Attributes:
        mark: A hash of the files that this state depends on.
        waits: The sides played by email; empty once the game is over.
        owes: The sides that owed orders; this is only for information.
        until: When something is due without a change of files; ``None`` for never.
        late: The sides whose grace period ended at ``final``.
        asking: The request that they have not answered: its turn, its number, and the segment before it.
        final: When their grace period ended.
    """

    mark: str
    waits: tuple[str, ...] = ()
    owes: tuple[str, ...] = ()
    until: datetime | None = None
    late: tuple[str, ...] = ()
    asking: tuple[int, int, int] = (0, 0, 0)
    final: datetime | None = None


class Resting:
    """Cache of the games of a host in which nothing is due.

    It is read at the start of a round and written at its end. ``drift`` is the time excluded from all deadlines, in
    seconds (:mod:`pbem.mail.host.clocks`).
    """

    def __init__(self, folder: Path, games: Iterable[Path], drift: int = 0, seating: Seating | None = None) -> None:
        self.post = folder / "mail"
        self._settings = file_identities(str(folder), ["host.toml", PEOPLE])
        self.drifted(drift)
        self._seated = (seating or Seating(folder, games)).marks
        self.known = read_fact(self.post, RESTING, dict[str, Rest]) or {}
        self._before = dict(self.known)

    def drifted(self, drift: int) -> None:
        """Set the present ``drift`` (seconds excluded from deadlines), and note the players' absences.

        Entries made with other values, other settings or another version of the program are ignored from now on.
        """
        away = identity(self.post, ABSENCES)
        self._house = f"{pbem.__version__} {drift} {self._settings} {away}\n".encode(errors="surrogatepass")

    def find(self, game: Path, now: datetime) -> Rest | None:
        """Return the state of a game in which nothing is due; ``None`` if the game must be opened."""
        rest = self.known.get(name := game.name)
        if rest is None or (rest.until is not None and rest.until <= now) or rest.mark != self._mark(game, name):
            return None
        return rest

    def keep(self, game: Path, rest: Rest) -> None:
        """Store the state of a game in memory; :meth:`write` saves it. The caller must hold the game's lock."""
        self.known[game.name] = msgspec.structs.replace(rest, mark=self._mark(game, game.name))

    def write(self) -> None:
        """Save the states of all games for the next round."""
        here = {name: rest for name, rest in self.known.items() if name in self._seated}
        if here != self._before:
            keep_fact(self.post, RESTING, here)

    def _mark(self, game: Path, name: str) -> str:
        marks = self._house, self._seated.get(name), _all_marks(str(game))
        return hashlib.sha256(marshal.dumps(marks, 0)).hexdigest()  # 0: the same for equal values


def _all_marks(game: str) -> list[FileIdentity]:
    try:
        names = sorted(os.listdir(game))  # noqa: PTH208 (Path objects would take most of the time)
    except OSError:
        return []
    turns = [name for name in names if _TURN.fullmatch(name)]
    # The identity of game.toml is among those of the seats.
    wanted = [name for name in names if (name.endswith(".toml") and name != "game.toml") or name == _OF_THE_GAME]
    wanted += _LOOKED_AT
    for turn in turns:
        wanted += [f"{turn}/{name}" for name in _OF_A_TURN]
    for turn in turns[-_RECENT:]:
        with suppress(OSError):
            orders = sorted(os.listdir(f"{game}/{turn}/orders"))  # noqa: PTH208
            wanted += [f"{turn}/orders/{name}" for name in orders]
    return file_identities(game, wanted)
