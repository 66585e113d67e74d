"""What a host did, kept apart from its folder too: by that a folder is known that is older than what was done.

A backup of yesterday holds yesterday's journal: today's letters, which the mailbox holds as read, would never come
again, and turns whose sitreps were sent would be played anew. And where a club moved to another machine, a host that
still runs on the old one answers half of the letters. So every round in which something happened is counted in
the folder (``mail/host.json``); in the mailbox, which all copies of a folder share (:mod:`pbem.post.marks`); and in a
file of this account (under ``$XDG_STATE_HOME/pbem``), with what was sent and which letters were taken in. A folder that
has counted less than one of these, or another round under the same number, knows less than was done.

Both also tell which segments of play were told, and a digest of the answers they were played with: of dice that players
have seen the backup's host has to know (:mod:`pbem.desk.told_dice`).
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.desk.files import keep, read_kept, write_text
from pbem.desk.folder import GameFolder
from pbem.desk.told_dice import Played, played_in
from pbem.desk.typed import typed
from pbem.faults import GameError
from pbem.post.clock import written as told
from pbem.post.marks import Mark, here, read, written
from pbem.values.counts import several

FILE, LIST = "host.json", "restored.txt"
KEPT: Final = timedelta(days=30)
MARKED: Final = 150
"""So many stretches of play are told by the mark in the mailbox, each a line of some 30 letters."""


class Elsewhere(GameError):
    """This folder knows less than was done for its club: it was restored, or another host is at work."""


class Counted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A host's own name, how many rounds it has done in which something happened, and the word of the last of them;
    how many segments of each game were told.
    """

    host: str
    count: int = 0
    word: str = ""
    where: str = ""
    segments: dict[str, int] = {}


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One of those rounds: its number, when it was, the mails that went out and the letters that came in; the stretches
    of play that were told then (``None``: by a version that did not note them).
    """

    count: int
    at: datetime
    sent: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()
    played: tuple[str, ...] | None = None


def state_folder() -> Path:
    """Where this account keeps what programs remember."""
    home = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".local" / "state") / "pbem"


class Apart:
    """The count of a host's folder and what is kept apart from it. ``restored``: the umpire knows that this folder is
    an older one, and the one to go on with; ``lost`` is whether it is older, ``sent`` which mails are known to have
    gone out since.
    """

    def __init__(self, folder: Path, state: Path, *, restored: bool = False) -> None:
        self.folder, self.restored = folder, restored
        self.lost, self.sent = False, frozenset[str]()
        self.moved = False
        self.fresh: dict[str, list[Played]] = {}
        self.since: dict[str, list[Played]] = {}
        self.counted = read_kept(folder / "mail" / FILE, Counted) or Counted(host=secrets.token_hex(8))
        self.file = state / f"{self.counted.host}.json"
        self.deeds = read_kept(self.file, list[Deed]) or []
        self._heard = self.counted.count

    @property
    def sure(self) -> bool:
        """Whether all that was played since the backup stands in ``since``, by the game's name."""
        return self._heard >= self.counted.count

    def told(self, game: GameFolder) -> None:
        """A game was looked at: what was played of it, and not noted yet, is told now."""
        name, now = game.path.name, game.state().segment
        if now > (before := self.counted.segments.get(name, 0)):
            self.fresh[name] = list(played_in(game.records(), before))

    def check(self) -> None:
        """Raises :class:`Elsewhere` where more was done on this machine than this folder knows."""
        lost = [deed for deed in self.deeds if deed.count > self.counted.count]
        if not lost:
            return
        lines = ["Mails that were sent since, and are not known here:"]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {name}" for deed in lost for name in deed.sent]
        lines += ["", "Letters that were taken in since:"]
        lines += [f"  {deed.at:%Y-%m-%d %H:%M} UTC  {letter}" for deed in lost for letter in deed.letters]
        write_text(self.folder / "mail" / LIST, "\n".join(lines) + "\n", private=True)
        if self.restored:
            self.sent = frozenset(name for deed in lost for name in deed.sent)
            for deed in lost:
                self._played_since(deed.count - 1, deed.count, deed.played)
            self._go_on_from(lost[-1].count)
            return
        mails, letters = sum(len(deed.sent) for deed in lost), sum(len(deed.letters) for deed in lost)
        text = (
            f"this folder is older than what was done here: {several(mails, 'mail was', 'mails were')} sent and "
            f"{several(letters, 'letter')} taken in since (mail/{LIST} lists them), by this folder before it was "
            "restored, or by a copy of it. Nothing is done. Where it is the one to go on with, "
            f"`{self._again()}` reads those letters again"
        )
        raise Elsewhere.saying("restored", text, file=str(self.folder))

    def look(self, marks: Iterable[str]) -> None:
        """Raises :class:`Elsewhere` where a mark in the mailbox tells of a round that this folder does not know."""
        mine = [mark for text in marks if (mark := read(text)) is not None and mark.host == self.counted.host]
        for mark in sorted(mine, key=lambda mark: mark.count):
            if mark.count < self.counted.count or (mark.count, mark.word) == (self.counted.count, self.counted.word):
                continue
            if self.restored:
                self._played_since(mark.since, mark.count, mark.played)
                self._go_on_from(mark.count)
                continue
            text = (
                f"this folder does not know what was done for this club last: the mailbox says that {mark.where} did a "
                f"round on {told(mark.at, 'UTC')}. Either another host is at work there, or this folder is a backup of "
                "before. Nothing is done. Stop the other one, if there is one; where this is the one to go on with, "
                f"`{self._again()}` reads again what came since"
            )
            raise Elsewhere.saying("elsewhere", text, file=str(self.folder))
        # Whoever still runs the folder this one was copied from is to notice it before a letter comes.
        self.moved = bool(mine) and self.counted.where not in ("", here(self.folder))

    def _again(self) -> str:
        return f"pbem host {typed(self.folder)} --once --restored"

    def _played_since(self, since: int, count: int, played: tuple[str, ...] | None) -> None:
        """Take in what was played after round ``since``, through round ``count``; ``None`` where that is not known."""
        for line in played or ():
            game, segment, answers, value = line.rsplit(" ", 3)
            one = Played(segment=int(segment), answers=answers, round=int(value))
            self.since.setdefault(game, []).append(one)
        if played is not None and since <= self._heard:
            self._heard = max(count, self._heard)

    def _go_on_from(self, count: int) -> None:
        self.lost = True
        self.counted = msgspec.structs.replace(self.counted, count=max(count, self.counted.count))

    def add(self, at: datetime, sent: tuple[str, ...], letters: tuple[str, ...]) -> str:
        """Count a round in which something happened: in the folder first, as a host that is stopped in between has
        counted more there, and that is no harm. Returns the mark for the mailbox.
        """
        place = here(self.folder)
        last = {name: max(one.segment for one in found) for name, found in self.fresh.items() if found}
        counted = msgspec.structs.replace(
            self.counted, count=self.counted.count + 1, word=secrets.token_hex(8), where=place,
            segments={**self.counted.segments, **last},
        )  # fmt: skip
        keep(self.folder / "mail" / FILE, counted)
        self.counted = counted
        played = [
            f"{name} {one.segment} {one.answers} {one.round}" for name, found in self.fresh.items() for one in found
        ]
        self.fresh = {}
        deed = Deed(count=counted.count, at=at, sent=sent, letters=letters, played=tuple(played))
        self.deeds = [*(one for one in self.deeds if at - one.at < KEPT), deed]
        keep(self.file, self.deeds)
        since, last_played = self._lately()
        return written(
            Mark(
                host=counted.host,
                count=counted.count,
                word=counted.word,
                where=place,
                at=at,
                since=since,
                played=last_played,
            )
        )

    def _lately(self) -> tuple[int, tuple[str, ...] | None]:
        """So much of what was told last as a mark holds, and after which round that was."""
        found: tuple[str, ...] = ()
        since = self.counted.count
        for deed in reversed(self.deeds):
            if deed.count != since or deed.played is None or len(found) + len(deed.played) > MARKED:
                break
            found, since = (*deed.played, *found), deed.count - 1
        return (since, found) if since < self.counted.count else (0, None)
