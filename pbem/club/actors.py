"""People who play a club's games in a rehearsal or a test: they read what their mail asks, and answer in their time.

What they order is what random captains would (:mod:`pbem.lab.random_games.captain`); they know no more of a game than
that it is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from random import Random
from typing import NamedTuple

from pbem.engine.legal.mending import Refused
from pbem.errors import GameError
from pbem.games.storage.opening import opened
from pbem.lab.random_games.captain import LAST, WEARY, answer
from pbem.patterns import regex

_ASKED = regex(r"GAME (\S+)\s+TURN (\d+)\s+SIDE (\S+)\s+REPLY (\d+)")

Which = tuple[str, int, str, int]
"""An answer that is wanted: game, turn, side, and the number of the request."""


class Asking(NamedTuple):
    """What a draft asks, when it came, and the mail it came with."""

    game: str
    turn: int
    side: str
    number: int
    draft: str
    came: datetime
    mail: EmailMessage

    @property
    def which(self) -> Which:
        return self.game, self.turn, self.side, self.number


def asked_in(draft: str) -> Which | None:
    """Which answer a draft asks for."""
    head = _ASKED.search(draft)
    return (head[1], int(head[2]), head[3], int(head[4])) if head is not None else None


def askings(mail: EmailMessage, came: datetime) -> Iterator[Asking]:
    """What the drafts in a mail ask."""
    for part in mail.iter_attachments():
        if (part.get_filename() or "").endswith(".orders"):
            draft = str(part.get_content())
            if (which := asked_in(draft)) is not None:
                yield Asking(*which, draft, came, mail)


class Actor:
    """Somebody with a mailbox, who may be ``gone``. Whoever makes one says how long he takes (:meth:`takes`)."""

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = name, address
        self.wants: dict[Which, tuple[Asking, datetime]] = {}
        self.answered: set[Which] = set()
        self.gone = False

    def takes(self, asking: Asking) -> datetime:
        """When he will answer."""
        raise NotImplementedError

    def read(self, mails: Iterable[EmailMessage], now: datetime) -> None:
        """Look what is asked that was not asked before."""
        for mail in mails:
            for asking in askings(mail, now):
                if asking.which not in self.answered and asking.which not in self.wants:
                    self.wants[asking.which] = (asking, self.takes(asking))

    def due(self, now: datetime) -> Iterator[tuple[Asking, datetime]]:
        """What he answers now, and since when he wanted to."""
        for which, (asking, when) in list(self.wants.items()):
            if when <= now and not self.gone:
                del self.wants[which]
                self.answered.add(which)
                yield asking, when


def orders_for(game: Path, asking: Asking, weary: tuple[int, int] = (WEARY, LAST), breaks: float = 0.45) -> str:
    """What somebody orders: as a random captain would, or the draft as it came where play has gone on."""
    try:
        with opened(game) as folder:
            state, scenario = folder.state(), folder.scenario()
    except GameError:
        return asking.draft
    request = state.request
    if request is None or (request.turn, request.number) != (asking.turn, asking.number):
        return asking.draft
    rng = Random(f"{asking.which}")
    try:
        return answer(rng, state, scenario, asking.side, weary=weary, breaks=breaks).sent
    except Refused:
        return asking.draft
