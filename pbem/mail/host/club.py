"""Define what a round of the host works with, and queue its emails.

A round is one pass of the host over all games of a club. :class:`HostedClub` is data: a function that changes who
plays, or what is known about the time, returns a new one. All parts of a round get it as an argument
(:mod:`~pbem.mail.host.receive`, :mod:`~pbem.mail.host.play`, :mod:`~pbem.mail.host.lateness`). They return or yield
:class:`~pbem.mail.replies.reply.Outgoing`, and :func:`queue` puts these emails into the outbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import msgspec

from pbem.errors import GameError
from pbem.games.answers import answers
from pbem.games.proof.beacon import Beacon
from pbem.games.resolve import Happening
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.mail import umpires
from pbem.mail.commands.spectators import Watching
from pbem.mail.commands.time import Absence
from pbem.mail.host.backup import CopyCheck
from pbem.mail.host.clocks import Clock, Hour, SentNotices, Up
from pbem.mail.host.deadlines import Rule, Times
from pbem.mail.host.idle import Resting, Seating
from pbem.mail.host.trouble import Troubles, UnreachablePlayers
from pbem.mail.host.workers import Job, Workers, Working, side_by_side
from pbem.mail.people import Roll
from pbem.mail.replies import announce
from pbem.mail.replies.reply import Outgoing
from pbem.mail.seats import Games, Seat, host_games
from pbem.mail.settings import Host
from pbem.mail.transport.outbox import Carrier, Outbox, open_outbox
from pbem.mail.transport.sources import Source

T = TypeVar("T")
Now = Callable[[], datetime]
"""Type of a function that returns the current time.

Only the caller of a round reads the machine's clock.
"""
Beyond = Callable[[Path, datetime, Sequence[str]], Iterable[str]]
"""Type of a function that continues a club's tournaments and returns the names of games it created.

Its arguments are the club's folder, the time, and the names of the games that are over.
"""


class RoundLog(msgspec.Struct, kw_only=True):
    """What a round of the host has done so far; it grows during the round.

    Attributes:
        happened: The events of each game, by the name of the game.
        opened: The folders of the games that were opened.
    """

    happened: dict[str, list[Happening]] = {}
    opened: set[Path] = set()


class HostedClub(msgspec.Struct, frozen=True, kw_only=True):
    """The data of one round of the host (pass over all games): the club, its games and players, the time.

    Attributes:
        folder: The club's folder.
        host: The settings of its host.toml.
        now: Returns the current time.
        source, carrier, anyway, beacon, beyond, up, workers: Options of the round, as in
            :class:`pbem.mail.host.round.RoundOptions`.
        copy_check: Detects whether the folder is an old copy of the club (:mod:`pbem.mail.host.backup`).
        restoring: Whether this round continues from a backup that was restored.
        folders: The folders of all games.
        broken: Game folders that cannot be read, each as (name, reason).
        last: The time of the last round.
        before: When the email was last known to work, in case it does not work now.
        hour: What the round knows about the time, and which time counts for no deadline.
        games: All seats (sides played by email).
        outbox: The outbox, which knows the address for answers of each seat.
        seating: Cache of the seats.
        resting: Cache of the games in which nothing is due.
        unreachable: The addresses that email does not reach.
        held_up: Games with a player whose mail server has not accepted the sitrep that asks for orders.
        over: Games that need no further action by anybody; only games that this round has checked are in it.
        roll: The people of players.toml.
        absent: Who is away, and when.
        watching: The spectators; ``None`` if they are not known.
        troubles: The problems that were found, and the notices to umpires.
        log: What the round has done so far.
    """

    folder: Path
    host: Host
    now: Now
    source: Source | None
    carrier: Carrier | None
    anyway: bool
    beacon: Beacon
    beyond: Beyond | None
    up: Up | None
    workers: Workers
    copy_check: CopyCheck | None
    folders: tuple[Path, ...]
    broken: tuple[tuple[str, str], ...]
    last: datetime | None
    before: datetime
    hour: Hour
    games: Games
    outbox: Outbox
    seating: Seating
    resting: Resting
    unreachable: UnreachablePlayers
    troubles: Troubles
    log: RoundLog
    restoring: bool = False
    held_up: frozenset[Path] = frozenset()
    over: frozenset[Path] = frozenset()
    roll: Roll = Roll()
    absent: tuple[Absence, ...] = ()
    watching: Watching | None = None


class Seated(msgspec.Struct, frozen=True, kw_only=True):
    """Which player has which side in all games of a club, with the caches and the outbox made from that."""

    games: Games
    outbox: Outbox
    seating: Seating
    resting: Resting


def read_seats(
    folder: Path, host: Host, now: datetime, folders: Sequence[Path], broken: Sequence[tuple[str, str]], drift: int
) -> Seated:
    """Read which player has which side in all games of a club.

    Args:
        folder: The club's folder.
        host: Its settings.
        now: The time.
        folders: The folders of its games.
        broken: Game folders that cannot be read, each as (name, reason).
        drift: The time that is excluded from all deadlines, in seconds.
    """
    seating = Seating(folder, folders)
    under = (list(folders), list(broken)) if (folder / "games").is_dir() else None
    games = host_games(folder, host, now, under=under, seated=seating.of)
    resting = Resting(folder, folders, drift, seating)
    return Seated(games=games, outbox=open_outbox(folder, host, games), seating=seating, resting=resting)


def seated(club: HostedClub) -> HostedClub:
    """Return the club with its seats (sides played by email) read again.

    This is needed after an email that may have changed who plays.
    """
    drift = club.hour.rounds.drift
    changed = read_seats(club.folder, club.host, club.now(), club.folders, club.broken, drift)
    changed.outbox.queued = club.outbox.queued
    if club.restoring and club.copy_check is not None:
        changed.outbox.sent_since = club.copy_check.sent
    return msgspec.structs.replace(club, **msgspec.structs.asdict(changed))


class HostedGame(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A game in a round of the host, after it was played as far as the orders on file allow.

    Attributes:
        game: The open and locked game.
        seats: Its sides that are played by email.
        rule: Its deadline rule.
        clock: Its clock.
        found: The deadlines of its current request for orders; ``None`` if there is no request.
        known: The keys of the emails that were put into the outbox before; it grows as emails are queued.
    """

    game: GameFolder
    seats: list[Seat]
    rule: Rule
    clock: Clock
    found: Times | None
    known: set[str]

    @cached_property
    def answered(self) -> frozenset[str]:
        """The sides whose orders for the current request are on file."""
        return frozenset(answers(self.game)[0])


def seats_of(club: HostedClub, game: GameFolder) -> list[Seat]:
    """Return the seats of a game: its sides that are played by email."""
    return club.games.by_folder.get(game.path, [])


def thread(club: HostedClub, game: GameFolder, seat: Seat) -> announce.Thread:
    """Return the email thread with a player about a game, which begins with the player's first email."""
    root = club.outbox.message_id(announce.thread_key(game, seat))
    return announce.Thread(club.games, seat, root, game.terms.dice.commitment)


# --- emails ----------------------------------------------------------------------------------------------------------


def queue(club: HostedClub, notices: SentNotices, outgoing: Iterable[Outgoing]) -> None:
    """Put the emails about a game into the outbox, and record their keys in the game's folder.

    They are queued one by one, as ``outgoing`` yields them. So if an email cannot be made, the emails before it are
    still sent. The caller must hold the game's lock. ``notices`` is the game's record of such keys.
    """
    for one in outgoing:
        notices.queue(one, club.outbox.put)
        for notice in one.notices:
            club.troubles.tell(notice)


def tell_umpires(club: HostedClub) -> None:
    """Put the notices to umpires that were collected so far into the outbox, as one email per umpire."""
    for reply in club.troubles.emails(club.host.umpire, lambda game: _umpire_of(club, game)):
        try:
            club.outbox.put(reply)
        except (GameError, OSError) as error:
            # For example, a full disk has no room for the email that reports the full disk.
            club.troubles.now.append(f"the umpire could not be told: {error}")


def _umpire_of(club: HostedClub, game: str) -> tuple[str, str]:
    """Return the address of a game's umpire, and the token that lets the umpire rule by email.

    The token is empty if the host receives no email.
    """
    folder = club.folder / "games" / game
    umpire = umpires.umpire_of(club.folder, folder, club.host.umpire, tuple(club.games.by_folder.get(folder, ())))
    may = club.source is not None and bool(umpire.addresses) and folder in club.games.by_folder
    return umpire.to, umpires.token_for(club.games.post, game) if may else ""


# --- work on games ---------------------------------------------------------------------------------------------------


def at_work(folder: Path) -> AbstractContextManager[GameFolder]:
    """Return a context manager that opens a game and locks it, so that no other command changes it."""
    return opened(folder, lock="host", umpire_late=True)


def safely(club: HostedClub, folder: Path, work: Callable[[GameFolder], T]) -> T | None:
    """Open and lock a game, call the function ``work`` with it, and return the result.

    If that fails, the umpire is informed and the result is ``None``, so that the other games go on.
    """
    with club.troubles.kept(folder.name, game=folder.name), at_work(folder) as game:
        return work(game)
    return None


def worked(club: HostedClub, jobs: Iterable[Job[T]]) -> list[tuple[Path, T | None]]:
    """Do work on many games at once; return (folder, result) for each game, with ``None`` after a failure.

    The games' jobs are shared among the workers. A failure in one game is reported to the umpire and does not affect
    the others.
    """
    return side_by_side(club.workers, ((folder, _within(club, folder, work)) for folder, work in jobs))


def _within(club: HostedClub, folder: Path, work: Callable[[GameFolder], Working[T]]) -> Working[T | None]:
    with club.troubles.kept(folder.name, game=folder.name), at_work(folder) as game:
        return (yield from work(game))
    return None
