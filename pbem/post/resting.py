"""Games in which nothing happened since the last round: known by the marks of their files, and not opened again.

A host of a thousand games would otherwise read a thousand logs every minute. ``mail/resting.json`` keeps what a round
found out of each game, with a mark (which file, when written, how long) of everything that round looked at, and the
moment at which something is to be done though nobody did anything: a reminder, the end of grace. Where the file is
missing or a mark differs, the game is opened as ever; so only the mark has to be right.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

import pbem
from pbem.post.kept import keep, read_kept
from pbem.post.who import SEATED_BY

FILE: Final = "resting.json"
_TURN: Final = re.compile(r"\d\d\d?")
_LOOKED_AT: Final = ("mail/clock.json", "mail/said.txt", "unfinished.json")
_OF_A_TURN: Final = ("events.jsonl", "state.json")
_RECENT: Final = 2
"""Turns whose order files may still be answers to something."""


class Rest(msgspec.Struct, frozen=True, kw_only=True):
    """A game that was left as it is until a moment (``None``: until somebody does something). ``waits`` are the sides
    of it that count as players of the host, ``late`` those whose grace was over at ``final``, asked at ``asking``.
    """

    mark: str
    waits: tuple[str, ...] = ()
    until: datetime | None = None
    late: tuple[str, ...] = ()
    asking: tuple[int, int, int] = (0, 0, 0)
    final: datetime | None = None


class Resting:
    """What is known of a host's games; read when a round begins, written when it ends. ``drift`` is that of the host's
    clock (:mod:`pbem.post.rounds`).
    """

    def __init__(self, folder: Path, games: Iterable[Path], drift: int = 0) -> None:
        self.file = folder / "mail" / FILE
        self._settings = list(_marks(folder, ["host.toml"]))
        self.drifted(drift)
        # Before the seats are read: whoever is replaced meanwhile is found the next time.
        self._seated = {game.name: list(_marks(game, SEATED_BY)) for game in games}
        self.known = read_kept(self.file, dict[str, Rest]) or {}
        self._before = dict(self.known)

    def drifted(self, drift: int) -> None:
        """Other settings, another version, a clock that was put right: everything is looked at anew."""
        self._house = f"{pbem.__version__} {drift} {self._settings}"

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
        said = f"{self._house} {self._seated.get(game.name)} {list(_all_marks(game))}"
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _all_marks(game: Path) -> Iterator[tuple[str, int, int, int]]:
    try:
        names = sorted(entry.name for entry in os.scandir(game))
    except OSError:
        return
    turns = [name for name in names if _TURN.fullmatch(name)]
    yield from _marks(game, [name for name in names if name.endswith(".toml")])
    yield from _marks(game, _LOOKED_AT)
    for turn in turns:
        yield from _marks(game, [f"{turn}/{name}" for name in _OF_A_TURN])
    for turn in turns[-_RECENT:]:
        with suppress(OSError):
            orders = sorted(entry.name for entry in os.scandir(game / turn / "orders"))
            yield from _marks(game, [f"{turn}/orders/{name}" for name in orders])


def _marks(folder: Path, names: Iterable[str]) -> Iterator[tuple[str, int, int, int]]:
    """Files that are replaced are others: their inode tells, even within one tick of the clock."""
    for name in names:
        with suppress(OSError):
            found = os.stat(f"{folder}/{name}")  # noqa: PTH116 (half of the time goes into making paths)
            yield name, found.st_ino, found.st_mtime_ns, found.st_size
