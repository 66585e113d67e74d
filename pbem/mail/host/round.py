"""A round of the host: one pass over all games of a club. It fetches and answers emails, plays, and sends reports.

A round can be interrupted at any step, and the next round repeats that step. Orders are stored before their email
is recorded as handled. Play of a segment (the stretch between two requests for orders) takes effect when one file
is replaced. Each email has a key and enters the outbox once. A problem with one game, email or server goes to the
umpire and does not stop the others.

This module contains the order of the steps. Incoming email is in :mod:`pbem.mail.host.receive`, a single game in
:mod:`pbem.mail.host.play`, late players in :mod:`pbem.mail.host.lateness`, and problems in
:mod:`pbem.mail.host.trouble`. :mod:`pbem.mail.host.clock_faults` makes sure that a wrong clock makes nobody late.
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
from pbem.mail import emails, umpires
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
from pbem.mail.host.trouble import Troubles, tell_elsewhere, verify_database, verify_people
from pbem.mail.host.unreachable import UnreachablePlayers
from pbem.mail.host.workers import Job, Workers, Working, side_by_side
from pbem.mail.people import Roll, read_people
from pbem.mail.replies import announce
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Seat, games_in
from pbem.mail.settings import Host, games_under, read_host
from pbem.mail.store import opened as database
from pbem.mail.transport.outbox import MAIL, Carrier, Delivery, Refusal, open_outbox
from pbem.mail.transport.smtp import SmtpCarrier
from pbem.mail.transport.sources import Source, lies_within

T = TypeVar("T")
Now = Callable[[], datetime]
"""Type of a function that returns the current time. Only the caller of a round reads the machine's clock."""
Beyond = Callable[[Path, datetime, Sequence[str]], Iterable[str]]
"""Type of a function that continues a club's tournaments and returns the names of the games it created.

Its arguments are the club's folder, the time, and the names of the games that are over.
"""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one round of the host: what it did.

    Attributes:
        letters: What was done with each email received.
        games: What happened in each game, by name.
        made: Names of games created for tournaments.
        put: How many emails were put into the outbox.
        delivery: Which emails were sent.
        troubles: The problems found.
        news: The problems that were not reported yet today.
        stopped: Whether too many players were late at once, so that nothing was done for them.
        halted: Whether the round did nothing at all.
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
    """Do one round (one pass over all games) for a club's folder, and return what it did.

    A problem with one game or with the mail server is reported in ``troubles``, and the round continues. If the
    folder may lack work done for its club, the round only tells the umpire (``halted``). If another host is at work
    on the folder, this one waits for the lock.

    Args:
        folder: The club's folder.
        now: Returns the current time.
        source: The mailbox from which emails are fetched; without it none are.
        carrier: Sends the emails; without it they stay in the outbox.
        anyway: Act for late players even if too many are late at once, and trust the machine's clock.
        beacon: The public beacon for games whose dice use one; by default drand.
        state: The folder in which this account records what was done (:mod:`pbem.mail.host.backup`).
        restored: The umpire confirms that this folder is a backup and that the host shall continue with it.
        workers: Run the jobs that play and write reports; by default this process does.
        beyond: Continues the club's tournaments.
        up: How long the machine has been running, if it says so.

    Raises:
        GameError: The host's settings are wrong, or another host is at work on the folder.
    """
    host = read_host(folder)
    with locked(folder, "host"), database(folder / MAIL):
        with suppress(OSError):
            sweep(folder / MAIL)
        try:
            verify_here(folder, host.deadlines.zone)
            verify_database(folder, host, now(), carrier)
            verify_people(folder, host, now(), carrier)
            apart = Apart(folder, state, restored=restored) if state is not None else None
            if apart is not None:
                apart.outside = not lies_within(source, folder)
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
    """A round of the host in progress: the settings, the games with their players, and the helper objects."""

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
        """Read which player has which side in all games.

        This is done at the start of the round, and again after an email that may have changed it.
        """
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
        """Handle a sitrep that asks for orders and that the recipient's server did not accept.

        If the player still has this address, the time for the answer has not begun. If not, the address is recorded
        as unreachable.
        """
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
        """Do all steps of the round in order, and return its result."""
        self.workers.begin()
        self.workers.said.clear()
        self._renew_logins()
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
        kept = self.troubles.kept("what is known of the games")
        with kept, database(self.folder / MAIL) as store, store.transaction():
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
        for file, why in emails.failures(self.folder):
            text = emails.sentence("own_email_broken", file=f"{emails.OWN_FOLDER}/{file}", why=why)
            self.troubles.tell(text, f"email {file} {why}")
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

    def _renew_logins(self) -> None:
        """Renew the log-ins of the mail servers that would end soon."""
        for server in (self.source, self.carrier):
            if isinstance(server, Source | SmtpCarrier):
                with self.troubles.kept("the log-in"):
                    server.keep_logged_in()

    def _show(self) -> None:
        """Write the pages of the club's site for public games that changed."""
        target = self.folder / self.host.site
        looked = self.playing.looked_at
        done = showing.renew(self.folder, target, self.host.site_url, self.folders, looked, self.host.name)
        for fault in done.faults if done is not None else ():
            self.troubles.tell(f"the club's site: {fault}", f"site {fault}")

    def say(self, reply: Reply) -> Path | None:
        """Put an email into the outbox; return its file, or ``None`` if it was put there before."""
        path = self.outbox.put(reply)
        self.put += path is not None
        return path

    def _umpire_of(self, game: str) -> tuple[str, str]:
        """Return the address of a game's umpire, and the token that lets the umpire rule by email.

        The token is empty if the host receives no email.
        """
        folder = self.folder / "games" / game
        one = umpires.umpire_of(self.folder, folder, self.host.umpire, tuple(self.games.by_folder.get(folder, ())))
        may = self.source is not None and bool(one.addresses) and folder in self.games.by_folder
        return one.to, umpires.token_for(self.games.post, game) if may else ""

    def seats(self, game: GameFolder) -> list[Seat]:
        """Return the seats of a game, i.e. its sides that are played by email."""
        return self.games.by_folder.get(game.path, [])

    def thread(self, game: GameFolder, seat: Seat) -> announce.Thread:
        """Return the email thread with a player about a game; it contains the Message-ID of its first email."""
        root = self.outbox.message_id(announce.thread_key(game, seat))
        return announce.Thread(self.games, seat, root, game.terms.dice.commitment)

    def at_work(self, folder: Path) -> AbstractContextManager[GameFolder]:
        """Return a context manager that opens a game and locks it, so that no other command works on it."""
        return opened(folder, lock="host", umpire_late=True)

    def safely(self, folder: Path, work: Callable[[GameFolder], T]) -> T | None:
        """Call the function ``work`` with a game, and return its result.

        If that fails, tell the umpire and return ``None``, so that the other games go on.
        """
        with self.troubles.kept(folder.name, game=folder.name), self.at_work(folder) as game:
            return work(game)
        return None

    def worked(self, jobs: Iterable[Job[T]]) -> list[tuple[Path, T | None]]:
        """Do the same work on many games, and return the results; a failure in one game does not affect the others.

        The games' jobs are shared among the workers.
        """
        return side_by_side(self.workers, ((folder, self._within(folder, work)) for folder, work in jobs))

    def _within(self, folder: Path, work: Callable[[GameFolder], Working[T]]) -> Working[T | None]:
        with self.troubles.kept(folder.name, game=folder.name), self.at_work(folder) as game:
            return (yield from work(game))
        return None

    def _look_at_all(self) -> list[Late]:
        """Handle all games in which something may have happened, and return the sides that are too late."""
        rests = {folder: self.resting.find(folder, self.now()) for folder in self.folders}
        rests |= self.worked((folder, self.playing.play) for folder, rest in rests.items() if rest is None)
        self.over |= {folder for folder, rest in rests.items() if rest is not None and not rest.waits}
        return self.lateness.late(rests)
