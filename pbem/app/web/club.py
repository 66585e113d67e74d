"""The door of a club: what each person may see of the games he plays, and what becomes of what he sends.

It knows nothing of browsers, and has no law of its own: what somebody sends is a letter like one that comes by mail,
taken in by the same hands (:mod:`pbem.mail.incoming.intake`), so orders by web and by mail are counted alike and the
last ones count. The host's next round plays; the bell has it begin at once.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Final

import msgspec

from pbem.app.web.papers import checked, has_save, paper
from pbem.errors import GameError
from pbem.games.answers import answers
from pbem.games.proof.beacon import sealing_of
from pbem.games.status import Status, status
from pbem.games.storage.files import read_bytes, read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import reports_folder
from pbem.games.submit import Receipt
from pbem.games.tried_out import replotted
from pbem.mail.bell import ring
from pbem.mail.door import Guest, guest
from pbem.mail.host.seating import Seating
from pbem.mail.incoming.headers import one_line
from pbem.mail.incoming.intake import Taken, Waits, outbox_of, take_in
from pbem.mail.incoming.ledger import held
from pbem.mail.incoming.letters import TOKEN_HEADER
from pbem.mail.replies.announcing import due_words, published
from pbem.mail.replies.answer import Standing
from pbem.mail.seats import Games, Seat, games_in
from pbem.mail.settings import Host, games_under, read_host
from pbem.reports.draft.drafts import draft_for
from pbem.reports.html.page import dated

PATIENCE: Final = 15.0
"""Seconds for which a letter waits while the host is at work on its game."""
AGAIN: Final = 0.2
LONGEST: Final = 20_000
"""Letters a word to people or to the host may have."""
REFUSED: Final = frozenset(("fault", "quarantine", "trouble"))
"""What was done with letters of which nothing was filed."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A side somebody plays, as the list of his games shows it: where the game stands, how he stands to what is asked
    in it, until when, and for whom it waits; ``why`` it cannot be opened, if so.
    """

    game: str
    side: str
    now: Status | None = None
    standing: Standing = "not asked"
    due: str = ""
    why: str = ""

    @property
    def waits(self) -> bool:
        """Whether it waits for orders of his."""
        return self.now is not None and not self.now.over and self.standing == "owes"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier report: the name of its folder, and its moment in words."""

    name: str
    moment: str


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A game as who plays a side of it needs it. ``filed`` are his orders on file for what is asked now, ``sealed``
    whether they can no longer be changed; ``others`` are the other sides and who plays them; ``save``: there is one of
    the positions for VASSAL; ``stamp`` is another one as soon as anything was played.
    """

    place: Place
    draft: str = ""
    filed: str = ""
    sealed: bool = False
    reports: tuple[Report, ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    save: bool = False
    stamp: str = ""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What came of something that was sent: whether it was taken, and the answers to it, as they are mailed."""

    taken: bool
    answers: tuple[str, ...] = ()


class Club:
    """The games of a host's folder, for those who play them."""

    def __init__(self, folder: Path) -> None:
        """Raises :class:`GameError` where the folder is no host's, or has no address of a door."""
        self.folder = folder
        if not self.host().web:
            said = 'host.toml has no line like web = "https://sfb.example.org", where the door is reached'
            raise GameError.saying("web-address", said, file=str(folder / "host.toml"))

    def host(self) -> Host:
        """The settings, as they are now."""
        return read_host(self.folder)

    def games(self) -> Games:
        """Who plays what, as it is now: somebody who was replaced is let in no more."""
        host, home = self.host(), self.folder / "games"
        under = games_under(home) if home.is_dir() else ([], [])
        found = games_in(
            self.folder, umpire=host.umpire, orders=host.orders, tags=host.tags, web=host.web, under=under,
            seated=Seating(self.folder, under[0]).of,
        )  # fmt: skip
        return msgspec.structs.replace(found, club=self.folder, now=datetime.now(UTC))

    def guest(self, key: str) -> Guest | None:
        """Whose key it is; ``None`` where it is nobody's."""
        return guest(self.games(), key)

    def places(self, who: Guest) -> list[Place]:
        """All games of somebody: those first that wait for him, those last that are over."""
        found = [_place(seat) for seat in who.seats]
        found.sort(key=lambda one: (not one.waits, one.now is not None and one.now.over, one.game, one.side))
        return found

    def place(self, seat: Seat) -> Place:
        """How a game stands for who plays a side of it, in short."""
        return _place(seat)

    def seat(self, who: Guest, game: str, side: str) -> Seat:
        """A side that somebody plays. Raises :class:`GameError` for any other: whether there is such a game is no
        business of his.
        """
        for seat in who.seats:
            if (seat.game, seat.side) == (game, side):
                return seat
        raise GameError.saying("no-game", "you play no such side here")

    def look(self, seat: Seat) -> Seen:
        """How a game stands for who plays a side of it."""
        place = _place(seat)
        if place.now is None:
            raise GameError.saying("game-in-trouble", f"{seat.game}: {place.why}")
        with opened(seat.folder) as game:
            state = game.state()
            asked = state.request is not None and seat.side in state.request.sides
            sealing = sealing_of(game) if asked else None
            drafted = draft_for(state, game.scenario(), state.request, seat.side) if asked and state.request else ""
            return Seen(
                place=place,
                draft=drafted,
                filed=_filed(game, seat.side) if asked else "",
                sealed=sealing is not None,
                reports=_reports(game, seat.side),
                others=tuple((one.side, one.player) for one in place.now.sides if one.side != seat.side),
                save=has_save(game),
                stamp=stamp(place.now),
            )

    def page(self, seat: Seat, what: str) -> bytes:
        """The report (``report``) or order form (``form``) of a side as it is mailed, the whole game (``replay.html``)
        or the proof (``proof.html``) of one that is over, or the positions for VASSAL (``positions.vsav``). Raises
        :class:`GameError` where there is none now.
        """
        with opened(seat.folder) as game:
            found = paper(game, seat.side, what)
        if what != "report":
            return found
        words = due_words(seat.folder, datetime.now(UTC), _place(seat).standing)
        return dated(found.decode("utf-8"), words).encode("utf-8") if words else found

    def earlier(self, seat: Seat, name: str) -> tuple[bytes, bool]:
        """An earlier report of a side by the ``name`` of its folder, and whether it is a page: of those that were
        tidied away the text is left. Raises :class:`GameError` where there is none.
        """
        with opened(seat.folder) as game:
            for folder in published(game):
                if _name_of(folder) == name:
                    page = folder / seat.side / "sitrep.html"
                    whole = page.is_file()
                    return read_bytes(page if whole else folder / seat.side / "sitrep.txt"), whole
        raise GameError.saying("no-page", "there is no such report")

    def check(self, seat: Seat, text: str) -> Receipt:
        """What orders would amount to; nothing is filed. Raises :class:`GameError` with every fault."""
        with opened(seat.folder) as game:
            return checked(game, seat.side, text)

    def tried(self, seat: Seat, save: bytes, name: str, text: str) -> tuple[str, tuple[str, ...]]:
        """The orders of ``text`` with the plots that a side's player tried out in a VASSAL save or log of his, and what
        is to be said of them; nothing is filed. Raises :class:`GameError` where there are none, or the rules forbid
        them.
        """
        with opened(seat.folder) as game:
            return replotted(game, seat.side, save, name, text)

    def send(self, seat: Seat, text: str, nonce: str) -> Said:
        """File a side's orders. ``nonce`` names this sending: what is sent again with the same is counted once. Raises
        :class:`GameError` with every fault; then nothing was filed.
        """
        self.check(seat, text)
        return self._hand_in(seat, f"{seat.game}: orders of {seat.side}", text, nonce)

    def write(self, seat: Seat, to: str, text: str, nonce: str) -> Said:
        """A word to ``UMPIRE``, ``ALL`` or a side; or, ``to`` the ``HOST``, a letter of its commands. Raises
        :class:`GameError` for what is none.
        """
        words = text.strip()[:LONGEST]
        if not words:
            raise GameError.saying("empty", "there is nothing in your letter")
        if to == HOST:
            return self._hand_in(seat, f"{seat.game}: a letter of {seat.side}", words, nonce)
        if to not in ("UMPIRE", "ALL", *self._sides(seat)):
            raise GameError.saying("unknown-side", "there is nobody of that name in the game")
        kept = "\n".join(line for line in words.split("\n") if line.strip().upper() != "END MESSAGE")
        return self._hand_in(seat, f"{seat.game}: a word", f"MESSAGE TO {to}\n{kept}\nEND MESSAGE\n", nonce)

    def _sides(self, seat: Seat) -> list[str]:
        with opened(seat.folder) as game:
            return [name for name in game.state().sides if name != seat.side]

    def _hand_in(self, seat: Seat, subject: str, text: str, nonce: str) -> Said:
        """Take a letter in as if it had come by mail; while the host is at work on its game it waits."""
        raw = _letter(seat, subject, text, nonce)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                taken = self._taken(raw)
                break
            except GameError as error:
                locked = isinstance(error, Waits) or all(one.code == "game-locked" for one in error.faults)
                if not locked or time.monotonic() > until:
                    raise
                time.sleep(AGAIN)
        ring(self.folder)
        return _said(taken, seat)

    def _taken(self, raw: bytes) -> Taken:
        games = self.games()
        put = outbox_of(self.folder, games)
        with held(games.post, PATIENCE) as ledger:
            return take_in(raw, games, ledger, put, due=_due)


HOST: Final = "HOST"


def stamp(now: Status) -> str:
    """What is another text as soon as something was asked or played; it says nothing that players do not know."""
    asked = f"{now.request.turn}.{now.request.number}" if now.request is not None else "none"
    return f"{asked} {now.turn}.{now.impulse} {'over' if now.over else 'on'}"


def _place(seat: Seat) -> Place:
    try:
        with opened(seat.folder) as game:
            now = status(game)
    except Exception:  # what is wrong is for the umpire, whom the host's round tells; it may name files
        return Place(game=seat.game, side=seat.side, why="it cannot be looked at now")
    mine = next((one for one in now.sides if one.side == seat.side), None)
    asked = mine is not None and mine.asked
    standing: Standing = "not asked" if mine is None or not asked else "answered" if mine.answered else "owes"
    words = "" if now.over else due_words(seat.folder, datetime.now(UTC), standing)
    return Place(game=seat.game, side=seat.side, now=now, standing=standing, due=words)


def _due(seat: Seat, standing: Standing) -> str:
    return due_words(seat.folder, datetime.now(UTC), standing)


def _filed(game: GameFolder, side: str) -> str:
    """A side's orders on file for the request in force."""
    found = answers(game)[0].get(side)
    return read_order_file(game.path / found.file) if found is not None else ""


def _reports(game: GameFolder, side: str) -> tuple[Report, ...]:
    """The reports before the one in force, the newest first."""
    now = reports_folder(game)
    found = []
    for folder in published(game):
        if folder != now and (folder / side).is_dir():
            name = _name_of(folder)
            found.append(Report(name=name, moment=f"turn {name.replace('.', ', request ')}"))
    return tuple(reversed(found))


def _name_of(folder: Path) -> str:
    """``2.3``: the report of request 3 of turn 2."""
    return f"{folder.parent.name}.{folder.name.removeprefix('r')}"


def _letter(seat: Seat, subject: str, text: str, nonce: str) -> bytes:
    """What was sent, as the letter it would be by mail. It has no date: sent again, it is the same letter."""
    message = EmailMessage(policy=SMTP)
    message["From"] = seat.addresses[0]
    message["Subject"] = one_line(subject)
    message["Message-ID"] = f"<{seat.game}.{seat.side}.{nonce}@door.invalid>"
    message[TOKEN_HEADER] = seat.token
    message.set_content(text, charset="utf-8", cte="base64")
    return bytes(message)


def _said(taken: Taken, seat: Seat) -> Said:
    """What its writer is told. Answers to others are none of his business."""
    if taken.again:
        return Said(taken=taken.entry.done not in REFUSED, answers=("This was counted before.",))
    mine = [one.text for one in taken.replies if (one.game, one.side) == (seat.game, seat.side)]
    if taken.entry.done == "quarantine":
        mine = ["It was not taken; the umpire has been told."]
    return Said(taken=taken.entry.done not in REFUSED, answers=tuple(mine))
