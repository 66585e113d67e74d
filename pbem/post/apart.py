"""What a host did, kept apart from its folder too: by that a folder is known that is older than what was done.

A backup of yesterday holds yesterday's journal: today's letters, which the mailbox holds as read, would never come
again, and turns whose sitreps were sent would be played anew. And where a club moved to another machine, a host that
still runs on the old one answers half of the letters. So every round in which something happened is counted in
the folder (``mail/host.json``); in the mailbox, which all copies of a folder share (:mod:`pbem.post.marks`); and in a
file of this account (under ``$XDG_STATE_HOME/pbem``), with what was sent and which letters were taken in. A folder that
has counted less than one of these, or another round under the same number, knows less than was done.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from shlex import quote
from typing import Final

import msgspec

from pbem.desk.files import keep, read_kept, write_text
from pbem.faults import GameError
from pbem.post.clock import written as told
from pbem.post.marks import Mark, here, read, written

FILE, LIST = "host.json", "restored.txt"
KEPT: Final = timedelta(days=30)


class Elsewhere(GameError):
    """This folder knows less than was done for its club: it was restored, or another host is at work."""


class Counted(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A host's own name, how many rounds it has done in which something happened, and the word of the last of them."""

    host: str
    count: int = 0
    word: str = ""
    where: str = ""


class Deed(msgspec.Struct, frozen=True, kw_only=True):
    """One of those rounds: its number, when it was, the mails that went out and the letters that came in."""

    count: int
    at: datetime
    sent: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()


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
        self.counted = read_kept(folder / "mail" / FILE, Counted) or Counted(host=secrets.token_hex(8))
        self.file = state / f"{self.counted.host}.json"
        self.deeds = read_kept(self.file, list[Deed]) or []

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
            self._go_on_from(lost[-1].count)
            return
        mails, letters = sum(len(deed.sent) for deed in lost), sum(len(deed.letters) for deed in lost)
        text = (
            f"this folder is older than what was done here: {mails} mails were sent and {letters} letters taken in "
            f"since (mail/{LIST} lists them), by this folder before it was restored, or by a copy of it. Nothing is "
            f"done. Where it is the one to go on with, `{self._again()}` reads those letters again"
        )
        raise Elsewhere.saying("restored", text, file=str(self.folder))

    def look(self, marks: Iterable[str]) -> None:
        """Raises :class:`Elsewhere` where a mark in the mailbox tells of a round that this folder does not know."""
        mine = [mark for text in marks if (mark := read(text)) is not None and mark.host == self.counted.host]
        for mark in sorted(mine, key=lambda mark: mark.count):
            if mark.count < self.counted.count or (mark.count, mark.word) == (self.counted.count, self.counted.word):
                continue
            if self.restored:
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
        return f"pbem host {quote(str(self.folder))} --once --restored"

    def _go_on_from(self, count: int) -> None:
        self.lost = True
        self.counted = msgspec.structs.replace(self.counted, count=max(count, self.counted.count))

    def add(self, at: datetime, sent: tuple[str, ...], letters: tuple[str, ...]) -> str:
        """Count a round in which something happened: in the folder first, as a host that is stopped in between has
        counted more there, and that is no harm. Returns the mark for the mailbox.
        """
        place = here(self.folder)
        counted = msgspec.structs.replace(
            self.counted, count=self.counted.count + 1, word=secrets.token_hex(8), where=place
        )
        keep(self.folder / "mail" / FILE, counted)
        self.counted = counted
        deed = Deed(count=counted.count, at=at, sent=sent, letters=letters)
        self.deeds = [*(one for one in self.deeds if at - one.at < KEPT), deed]
        keep(self.file, self.deeds)
        return written(Mark(host=counted.host, count=counted.count, word=counted.word, where=place, at=at))
