"""Games in which nothing happened since the last round: known by the marks of their files, and not opened again.

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
from pbem.games.storage.files import Mark, keep, marks, read_kept
from pbem.mail.host.seating import Seating
from pbem.mail.people import FILE as PEOPLE
from pbem.patterns import regex

FILE: Final = "resting.json"
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
        self.file = folder / "mail" / FILE
        self._settings, self._folder = marks(str(folder), ["host.toml", PEOPLE]), str(folder)
        self.drifted(drift)
        self._seated = (seating or Seating(folder, games)).marks
        self.known = read_kept(self.file, dict[str, Rest]) or {}
        self._before = dict(self.known)

    def drifted(self, drift: int) -> None:
        """Other settings, another version, a clock that was put right, somebody who is away: everything is looked at
        anew.
        """
        away = marks(self._folder, ["mail/absences.json"])
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


def _all_marks(game: str) -> list[Mark]:
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
    return marks(game, wanted)
