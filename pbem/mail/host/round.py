"""The host's round: fetch, check, answer, resolve, render, send, remind, for all games of a folder.

Every step may be stopped anywhere and is done again by the next round: orders are filed before their letter is
written into the journal, a turn is played by the replacement of one file, and every letter has a key by which it is
put into the outbox once. One round at a time works on a folder; a second host waits and then says so.

What is wrong with one game, one letter or one server is told to the umpire and keeps no other from its turn; and no
clock makes anybody late who is not (:mod:`pbem.mail.host.clock_faults`).

Here is the order in which a round goes. What comes in with it is :mod:`pbem.mail.host.receive`, what is done with a
game :mod:`pbem.mail.host.play`, who is held late :mod:`pbem.mail.host.lateness`, what goes wrong
:mod:`pbem.mail.host.trouble`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec

from pbem.errors import GameError
from pbem.games.proof.beacon import Beacon
from pbem.games.resolve import Happening
from pbem.games.storage.files import sweep
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.opening import opened
from pbem.mail import umpires
from pbem.mail.commands import seats as replacing
from pbem.mail.commands.spectators import Watching
from pbem.mail.commands.time import Absence, absences_of, read_absences
from pbem.mail.host import clocks as timetable, overview, site as showing, tidy
from pbem.mail.host.backup import Apart, Elsewhere
from pbem.mail.host.clock_faults import Up, hour, read_rounds, write_rounds
from pbem.mail.host.drand import Drand
from pbem.mail.host.idle import Resting, Seating
from pbem.mail.host.lateness import Late, Lateness
from pbem.mail.host.operate import verify_here
from pbem.mail.host.play import Playing
from pbem.mail.host.receive import Receiving
from pbem.mail.host.restore import Restore
from pbem.mail.host.trouble import Troubles, tell_elsewhere, verify_people
from pbem.mail.host.unreachable import UnreachablePlayers
from pbem.mail.host.workers import Job, Workers, Working, side_by_side
from pbem.mail.people import Roll, read_people
from pbem.mail.replies import announce
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Seat, games_in
from pbem.mail.settings import Host, games_under, read_host
from pbem.mail.transport.outbox import MAIL, Carrier, Delivery, Refusal, open_outbox
from pbem.mail.transport.sources import Source, lies_within

T = TypeVar("T")
Now = Callable[[], datetime]
"""What time it is; only the door asks the machine."""
Beyond = Callable[[Path, datetime, Sequence[str]], Iterable[str]]
"""Goes on with a club's tournaments: is told which games are over, and returns the names of games it made."""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """What a round did: letters taken in (what was done with each), what happened in each game, games that were
    ``made`` for tournaments, what was put out, and what is not in order; ``news`` is what of it was not told yet
    today. ``stopped`` where too many were late at once, ``halted`` where nothing was done at all.
    """

    letters: tuple[str, ...] = ()
    games: tuple[tuple[str, tuple[Happening, ...]], ...] = ()
    made: tuple[str, ...] = ()
    put: int = 0
    delivery: Delivery = Delivery()
    troubles: tuple[str, ...] = ()
    news: tuple[str, ...] = ()
    stopped: bool = False
    halted: bool = False


def host_round(
    folder: Path,
    now: Now,
    *,
    source: Source | None = None,
    carrier: Carrier | None = None,
    anyway: bool = False,
    beacon: Beacon | None = None,
    state: Path | None = None,
    restored: bool = False,
    workers: Workers | None = None,
    beyond: Beyond | None = None,
    up: Up | None = None,
) -> Round:
    """One round. ``anyway`` does for the late what was agreed even if most players are late at once; ``beacon`` is
    asked in games whose dice take one (drand, where none is given). In ``state`` is kept apart what was done
    (:mod:`pbem.mail.host.backup`); ``restored``: the umpire knows that this folder is an older one. ``workers``
    play and write the reports; without them it is done here. ``beyond`` is what a club does beyond its games.
    ``up`` is for how long the machine is up, if it says so.

    Raises :class:`GameError` where the host's settings cannot be used or another host is at work on the folder;
    what is wrong with one game or with the mail server is told in ``troubles``, and the rest goes on. A folder that
    knows less than was done for its club does nothing but tell its umpire (``halted``).
    """
    host = read_host(folder)
    with locked(folder, "host"):
        with suppress(OSError):
            sweep(folder / MAIL)
        apart = Apart(folder, state, restored=restored) if state is not None else None
        if apart is not None:
            apart.outside = not lies_within(source, folder)
        try:
            verify_here(folder, host.deadlines.zone)
            verify_people(folder, host, now(), carrier)
            if apart is not None:
                apart.check()
            one = HostRound(
                folder, host, now, source, carrier, anyway, beacon or Drand(now), apart, workers, beyond, up
            )
            done = one.run()
        except Elsewhere as error:
            text, times = tell_elsewhere(folder, host, now(), carrier, error)
            return Round(troubles=(text,), news=(text,) if times else (), halted=True)
        taken = one.receiving.taken
        if apart is not None and (done.delivery.sent or taken or done.put or apart.lost or apart.moved):
            with suppress(GameError, OSError):  # a home that cannot be written stops no post
                mark = apart.add(now(), done.delivery.sent, tuple(taken))
                if source is not None:
                    source.leave(apart.counted.host, mark)
        return done


class HostRound:
    """A round while it is done."""

    def __init__(
        self,
        folder: Path,
        host: Host,
        now: Now,
        source: Source | None,
        carrier: Carrier | None,
        anyway: bool,
        beacon: Beacon,
        apart: Apart | None = None,
        workers: Workers | None = None,
        beyond: Beyond | None = None,
        up: Up | None = None,
    ) -> None:
        self.folder, self.host, self.now, self.beacon, self.apart = folder, host, now, beacon, apart
        self.source, self.carrier, self.anyway, self.zone = source, carrier, anyway, host.deadlines.zone
        self.beyond, self.up, self.workers = beyond, up, workers or Workers()
        self.troubles = Troubles(folder, now(), host.umpire, self.say, self._umpire_of)
        known = read_rounds(folder)
        self.last = known.last
        this = hour(known, now(), up=up, anyway=anyway)
        before = now() if this.said or known.last is None else min(known.last, now())
        self.lateness = Lateness(self, this, before)
        home = folder / "games"
        self.under = games_under(home) if home.is_dir() else None
        self.folders = self.under[0] if self.under is not None else []
        # Where a backup was put back: the mails that went out since, whoever is seated meanwhile.
        self.sent_since = frozenset[str]()
        # A command that gives a side another player was stopped: before it is known who plays.
        replacing.finish_all(self.folders, lambda game: self.troubles.kept(game.name, game=game.name))
        self.seat_all()
        self.receiving = Receiving(self)
        self.playing = Playing(self)
        self.restore = Restore(self, apart) if apart is not None else None
        self.unreachable = UnreachablePlayers(folder)
        self.watching: Watching | None = None
        self.absent: tuple[Absence, ...] = ()
        self.roll = Roll()
        self.put = 0
        # Games in which nobody has anything to do any more, as far as this round has looked.
        self.over: set[Path] = set()
        # Games of which somebody's server has not taken the sitrep that asks.
        self.held_up: set[Path] = set()
        for one in self.outbox.refused():
            self._not_taken(one)

    def seat_all(self) -> None:
        """Who plays what: when the round begins, and again where a letter may have changed it."""
        host = self.host
        self.seating = Seating(self.folder, self.folders)
        self.resting = Resting(self.folder, self.folders, self.lateness.hour.rounds.drift, self.seating)
        found = games_in(
            self.folder, umpire=host.umpire, orders=host.orders, tags=host.tags, web=host.web, under=self.under,
            seated=self.seating.of,
        )  # fmt: skip
        self.games = msgspec.structs.replace(found, club=self.folder, now=self.now())
        self.homes = {(seat.game, seat.side): seat.folder for seat in self.games.seats}
        self.outbox = open_outbox(self.folder, host, self.games)
        self.outbox.sent_since = self.sent_since

    def _not_taken(self, refusal: Refusal) -> None:
        """A server has not taken a sitrep that asks; perhaps of somebody who has another address now."""
        until, game = refusal.until, self.homes.get((refusal.until.game, refusal.until.side))
        if game is None or not until.asks:
            return
        (seat,) = (one for one in self.games.by_folder[game] if one.side == until.side)
        if refusal.reader == seat.addresses[0]:
            self.held_up.add(game)
            return
        with self.troubles.kept(game.name, game=game.name):
            if timetable.read_clock(game).asking == until.asking:
                self.unreachable.lose((refusal.reader,), refusal.why, refusal.since, [seat])

    def run(self) -> Round:
        self.workers.begin()
        self.workers.said.clear()
        said = self.lateness.hour
        restore = self.restore
        if restore is not None:
            restore.begin()
        letters = self.receiving.receive()
        if restore is not None:
            restore.settle()
        if any(one.startswith("command") for one in letters):
            with self.troubles.kept("who plays"):
                self.seat_all()
        with self.troubles.kept("who is away"):
            self.roll = read_people(self.folder)
            self.absent = (*read_absences(self.games.post), *absences_of(self.roll))
            self.resting.drifted(self.lateness.hour.rounds.drift)
        with self.troubles.kept("who watches"):
            self.watching = Watching(self.folder, self.games, self.roll)
        if said.said and not (restore is not None and restore.going_on):
            self.troubles.tell(said.said, f"clock {said.rounds}")
        late = self._look_at_all()
        stopped = self.lateness.answer_for(late)
        for one in dict.fromkeys(self.workers.said):
            self.troubles.tell(one, f"workers {one[:60]}")
        if self.host.site:  # before it is known which games rest: one whose pages are owed is looked at again
            with self.troubles.kept("the club's site"):
                self._show()
        with self.troubles.kept("what is known of the games"):
            self.seating.write()
            self.resting.write()
            write_rounds(self.folder, self.lateness.hour.rounds)
        made: list[str] = []
        pages = showing.pages_of_tournaments(self.folder) if self.host.site else ""
        with self.troubles.kept("the tournaments"):
            if self.beyond is not None:
                made += self.beyond(self.folder, self.now(), [folder.name for folder in self.over])
        if self.host.site and showing.pages_of_tournaments(self.folder) != pages:
            with self.troubles.kept("the club's site"):
                self._show()
        self.troubles.gathered()
        delivery = Delivery()
        if self.apart is not None:
            with suppress(GameError, OSError):  # a home that cannot be written stops no post
                self.apart.tell(self.now())
        with self.troubles.kept("the outbox"):
            moment = self.now()
            delivery = self.outbox.deliver(
                self.carrier, moment, refresh=lambda until, refused: self.lateness.fresh(until, moment, refused)
            )
            self.lateness.heard(delivery, moment, read=self.receiving.read)
            for reader, why in self.outbox.unreached.items():
                self.unreachable.lose((reader,), why, moment)
            if self.watching is not None:
                self.unreachable.write(self.games.seats, self.watching.addresses)
        if delivery.trouble:
            self.troubles.note(f"mail could not be sent: {delivery.trouble}", "mail could not be sent")
        self.troubles.gathered()  # what was found since goes with the next round
        with self.troubles.kept("the heartbeat"):
            self.troubles.told.write(*self.outbox.counted())
        with self.troubles.kept("the letter of the week"):  # which tells what this round found, and goes with the next
            deeds = self.apart.deeds if self.apart is not None else ()
            overview.tell(self.folder, self.host, self.now(), deeds, self.say)
        if self.host.keep:
            with self.troubles.kept("tidying up"):
                tidy.daily(self.folder, self.now(), self.host.keep, self.safely)
        return Round(
            letters=tuple(letters),
            games=tuple((name, tuple(done)) for name, done in sorted(self.playing.happened.items())),
            made=tuple(made),
            put=self.put,
            delivery=delivery,
            troubles=tuple(self.troubles.now),
            news=tuple(self.troubles.news),
            stopped=stopped,
        )

    def _show(self) -> None:
        """Write the pages of public games that changed."""
        target = self.folder / self.host.site
        looked = self.playing.looked_at
        done = showing.renew(self.folder, target, self.host.site_url, self.folders, looked, self.host.name)
        for fault in done.faults if done is not None else ():
            self.troubles.tell(f"the club's site: {fault}", f"site {fault}")

    def say(self, reply: Reply) -> Path | None:
        """Put a letter into the outbox."""
        path = self.outbox.put(reply)
        self.put += path is not None
        return path

    def _umpire_of(self, game: str) -> tuple[str, str]:
        """Where the umpire of a game gets his mail, and the token by which he rules; none where nobody reads mail."""
        folder = self.folder / "games" / game
        one = umpires.umpire_of(self.folder, folder, self.host.umpire, tuple(self.games.by_folder.get(folder, ())))
        may = self.source is not None and bool(one.addresses) and folder in self.games.by_folder
        return one.to, umpires.token_for(self.games.post, game) if may else ""

    def seats(self, game: GameFolder) -> list[Seat]:
        """Who plays a game by mail."""
        return self.games.by_folder.get(game.path, [])

    def thread(self, game: GameFolder, seat: Seat) -> announce.Thread:
        """A player's thread of a game, with the Message-ID of the letter it began with."""
        root = self.outbox.message_id(announce.thread_key(game, seat))
        return announce.Thread(self.games, seat, root, game.terms.dice.commitment)

    def at_work(self, folder: Path) -> AbstractContextManager[GameFolder]:
        """A game, locked: the host works on none that is not its own alone."""
        return opened(folder, lock="host")

    def safely(self, folder: Path, work: Callable[[GameFolder], T]) -> T | None:
        """Do something with a game; one game's trouble keeps no other from being played."""
        with self.troubles.kept(folder.name, game=folder.name), self.at_work(folder) as game:
            return work(game)
        return None

    def worked(self, jobs: Iterable[Job[T]]) -> list[tuple[Path, T | None]]:
        """:meth:`safely` for many games, which share the workers."""
        return side_by_side(self.workers, ((folder, self._within(folder, work)) for folder, work in jobs))

    def _within(self, folder: Path, work: Callable[[GameFolder], Working[T]]) -> Working[T | None]:
        with self.troubles.kept(folder.name, game=folder.name), self.at_work(folder) as game:
            return (yield from work(game))
        return None

    def _look_at_all(self) -> list[Late]:
        """Play all games on in which something can have happened; returns who is too late."""
        rests = {folder: self.resting.find(folder, self.now()) for folder in self.folders}
        rests |= self.worked((folder, self.playing.play) for folder, rest in rests.items() if rest is None)
        self.over |= {folder for folder, rest in rests.items() if rest is not None and not rest.waits}
        return self.lateness.late(rests)
