"""The host's round: fetch, check, answer, resolve, render, send, remind, for all games of a folder.

Every step may be stopped anywhere and is done again by the next round: orders are filed before their letter is
written into the journal, a turn is played by the replacement of one file, and every letter has a key by which it is
put into the outbox once. One round at a time works on a folder; a second host waits and then says so.

What is wrong with one game, one letter or one server is told to the umpire and keeps no other from its turn; and no
clock makes anybody late who is not (:mod:`pbem.post.rounds`).
"""

from __future__ import annotations

import platform
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from contextvars import Context, copy_context
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, Generic, TypeVar, cast

import msgspec

from pbem.desk.answers import answers
from pbem.desk.beacon import Beacon, sealing_of
from pbem.desk.errand import Done, Errand
from pbem.desk.files import sweep
from pbem.desk.folder import GameFolder
from pbem.desk.lock import locked
from pbem.desk.opened import opened
from pbem.desk.play import Happening, stretches
from pbem.desk.players import in_words, names, players, tenures
from pbem.desk.publish import save_is_late
from pbem.desk.submit import submit
from pbem.faults import GameError
from pbem.post import announcing, digest, endings, inviting, showing, tidy, timetable, umpires, vacancies, weekly
from pbem.post.absences import Absence, absences_of, read_absences
from pbem.post.answering import Standing
from pbem.post.apart import Apart, Elsewhere
from pbem.post.asks import absent
from pbem.post.clock import Rule, Times, nags, passed, too_many, written
from pbem.post.drand import Drand
from pbem.post.heartbeat import Told
from pbem.post.intake import Taken, take_in_all, to_players
from pbem.post.ledger import Entry
from pbem.post.mailbox import Source
from pbem.post.move import verify_here
from pbem.post.naming import remember_names
from pbem.post.outbox import FOLDER, MAIL, Carrier, Delivery, Outbox, open_outbox
from pbem.post.people import FILE as PEOPLE, Roll, read_people
from pbem.post.receipts import wrapped
from pbem.post.replies import Reply, to_umpire
from pbem.post.resting import Rest, Resting
from pbem.post.restore import Restore
from pbem.post.rounds import Rounds, Up, hour, read_rounds, write_rounds
from pbem.post.seating import Seating
from pbem.post.settings import Host, game_rule, games_under, read_host
from pbem.post.standin import stand_in
from pbem.post.trouble import Troubles
from pbem.post.unreachable import Unreachable
from pbem.post.until import PLAYED, Until
from pbem.post.watching import Watching
from pbem.post.who import Games, Seat, games_in, player_addresses
from pbem.post.wishes import waiting
from pbem.post.workers import Ticket, Workers

PATIENCE = timedelta(hours=1)
"""How long a beacon may be out of reach before the umpire is told."""

T = TypeVar("T")
Now = Callable[[], datetime]
"""What time it is; only the door asks the machine."""
Beyond = Callable[[Path, datetime, Sequence[str]], Iterable[str]]
"""Goes on with a club's tournaments: is told which games are over, and returns the names of games it made."""
Working = Generator[Errand, Done, T]
"""Work on a game that hands out its errands, and is sent what came of each."""
Job = tuple[Path, Callable[[GameFolder], Working[T]]]
"""A game, and what is to be done with it."""


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """Sides of a game whose grace is over, and what was agreed for them."""

    folder: Path
    sides: tuple[str, ...]
    rule: Rule
    asking: tuple[int, int, int]


class _Open(Generic[T]):
    """A game that is being worked on while its errand is done."""

    def __init__(self, folder: Path, working: Working[T]) -> None:
        self.folder, self.working = folder, working
        self.context: Context = copy_context()  # of a game's own figures
        self.value: T | None = None
        self.ticket: Ticket | None = None

    def go_on(self, workers: Workers, how: Callable[..., Errand], *given: Any) -> bool:
        """Work on, to the next errand (which is handed in) or to the end; whether there is an errand."""
        try:
            errand = self.context.run(how, *given)
        except StopIteration as end:
            self.value = end.value
            return False
        self.ticket = workers.hand_in(errand, self.context)
        return True


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
    (:mod:`pbem.post.apart`); ``restored``: the umpire knows that this folder is an older one. ``workers`` play and
    write the reports; without them it is done here. ``beyond`` is what a club does beyond its games. ``up`` is for how
    long the machine is up, if it says so.

    Raises :class:`GameError` where the host's settings cannot be used or another host is at work on the folder; what is
    wrong with one game or with the mail server is told in ``troubles``, and the rest goes on. A folder that knows less
    than was done for its club does nothing but tell its umpire (``halted``).
    """
    host = read_host(folder)
    with locked(folder, "host"):
        with suppress(OSError):
            sweep(folder / MAIL)
        apart = Apart(folder, state, restored=restored) if state is not None else None
        try:
            verify_here(folder, host.deadlines.zone)
            _verify_people(folder, host, now(), carrier)
            if apart is not None:
                apart.check()
            one = HostRound(
                folder, host, now, source, carrier, anyway, beacon or Drand(now), apart, workers, beyond, up
            )
            done = one.run()
        except Elsewhere as error:
            return _halted(folder, host, now(), carrier, error)
        if apart is not None and (done.delivery.sent or one.taken or done.put or apart.lost or apart.moved):
            with suppress(GameError, OSError):  # a home that cannot be written stops no post
                mark = apart.add(now(), done.delivery.sent, tuple(one.taken))
                if source is not None:
                    source.leave(apart.counted.host, mark)
        return done


def _halted(folder: Path, host: Host, now: datetime, carrier: Carrier | None, error: Elsewhere) -> Round:
    """What a host does that must do nothing: tell its umpire, once a day, and send nothing but that."""
    text = error.faults[0].text
    subject = f"pbem: a host does nothing ({platform.node() or 'unknown machine'}:{folder.absolute()})"
    said = f"{text[0].upper()}{text[1:]}."
    times = _tell_alone(folder, host, now, carrier, subject, said, text, code=error.faults[0].code, page="moving")
    return Round(troubles=(text,), news=(text,) if times else (), halted=True)


def _verify_people(folder: Path, host: Host, now: datetime, carrier: Carrier | None) -> None:
    """Raises :class:`GameError` with what is wrong in players.toml, by which players would be taken for strangers; the
    umpire is told.
    """
    try:
        read_people(folder)
    except GameError as error:
        text = "; ".join(str(fault) for fault in error.faults)
        subject, said = (
            f"pbem: no round is done: {PEOPLE} has a mistake",
            f"No round is done until this is mended: {text}",
        )
        _tell_alone(folder, host, now, carrier, subject, said, text, page="trouble")
        raise


def _tell_alone(
    folder: Path, host: Host, now: datetime, carrier: Carrier | None, subject: str, said: str, text: str, *,
    page: str, code: str = "",
) -> int:  # fmt: skip
    """Tell the umpire of what keeps rounds from being done, once a day, and send nothing but that; whether it was told
    now. ``code`` names the trouble, else its ``text``.
    """
    told = Told(folder, now)
    times = told.again(code or text, text)
    outbox = Outbox(folder / MAIL / FOLDER, host)
    if times and host.umpire:
        with suppress(GameError, OSError):
            letter = to_umpire(host.umpire, subject[:200], wrapped(said), f"halted {now} {text}", page=page)
            if (path := outbox.put(letter)) is not None:
                outbox.deliver(carrier, now, only=path)
    with suppress(GameError, OSError):
        told.write(*outbox.counted(), done=False)
    return times


def shown_path(club: Path, game: Path) -> str:
    """A game's folder as it stands in a command somebody may paste beside the club's folder."""
    return quote(f"{club.name or '.'}/{game.parent.name}/{game.name}")


def _named(entry: Entry) -> str:
    """A letter that was taken in, for who looks for it in the mailbox."""
    about = " ".join(filter(None, (entry.done, entry.game, entry.side)))
    return f"{entry.message_id or 'without a Message-ID'} from {entry.sender or 'nobody'} ({about})"


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
        self.up = up
        self.beyond, self.made = beyond, list[str]()
        self.workers = workers or Workers()
        self.folder, self.host, self.now, self.beacon, self.apart = folder, host, now, beacon, apart
        self.source, self.carrier, self.anyway, self.zone = source, carrier, anyway, host.deadlines.zone
        known = read_rounds(folder)
        self.last = known.last
        self.hour = hour(known, now(), up=up, anyway=anyway)
        # When the post was last known to work, if it does not now.
        self.before = now() if self.hour.said or known.last is None else min(known.last, now())
        home = folder / "games"
        self.under = games_under(home) if home.is_dir() else None
        self.folders = self.under[0] if self.under is not None else []
        self._seat_all()
        self.absent: tuple[Absence, ...] = ()
        self.roll = Roll()
        self.put = 0
        self.read = True
        self.troubles = Troubles(folder, now(), host.umpire, self.say, self._umpire_of)
        self.restore = Restore(self, apart) if apart is not None else None
        self.taken: list[str] = []
        self.unreachable = Unreachable(folder)
        self.watching: Watching | None = None
        self.happened: dict[str, list[Happening]] = {}
        self.people: set[tuple[str, str]] = set()
        self.looked_at: set[Path] = set()
        # Games in which nobody has anything to do any more, as far as this round has looked.
        self.over: set[Path] = set()
        self.held_up = {self.homes.get((one.game, one.side)) for one in self.outbox.refused() if one.asks}

    def _seat_all(self) -> None:
        """Who plays what: when the round begins, and again where a letter may have changed it."""
        host = self.host
        self.seating = Seating(self.folder, self.folders)
        self.resting = Resting(self.folder, self.folders, self.hour.rounds.drift, self.seating)
        found = games_in(
            self.folder, umpire=host.umpire, orders=host.orders, tags=host.tags, web=host.web, under=self.under,
            seated=self.seating.of,
        )  # fmt: skip
        self.games = msgspec.structs.replace(found, club=self.folder, now=self.now())
        self.homes = {(seat.game, seat.side): seat.folder for seat in self.games.seats}
        self.outbox = open_outbox(self.folder, host, self.games)

    def run(self) -> Round:
        self.workers.begin()
        self.workers.said.clear()
        said = self.hour
        restore = self.restore
        if restore is not None:
            restore.begin()
        letters = self._receive()
        if any(one.startswith("command") for one in letters):
            with self.troubles.kept("who plays"):
                self._seat_all()
        with self.troubles.kept("who is away"):
            self.roll = read_people(self.folder)
            self.absent = (*read_absences(self.games.post), *absences_of(self.roll))
            self.resting.drifted(self.hour.rounds.drift)
        with self.troubles.kept("who watches"):
            self.watching = Watching(self.folder, self.games, self.roll)
        if said.said and not (restore is not None and restore.going_on):
            self.troubles.tell(said.said, f"clock {said.rounds}")
        late = self._look_at_all()
        stopped = self._answer_for(late)
        for one in dict.fromkeys(self.workers.said):
            self.troubles.tell(one, f"workers {one[:60]}")
        if self.host.site:  # before it is known which games rest: one whose pages are owed is looked at again
            with self.troubles.kept("the club's site"):
                self._show()
        with self.troubles.kept("what is known of the games"):
            self.seating.write()
            self.resting.write()
            write_rounds(self.folder, self.hour.rounds)
        with self.troubles.kept("the tournaments"):
            if self.beyond is not None:
                self.made += self.beyond(self.folder, self.now(), [folder.name for folder in self.over])
        self.troubles.gathered()
        delivery = Delivery()
        with self.troubles.kept("the outbox"):
            moment = self.now()
            delivery = self.outbox.deliver(
                self.carrier, moment, refresh=lambda until, again: self._fresh(until, moment, again)
            )
            self._heard(delivery, moment)
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
            weekly.tell(self.folder, self.host, self.now(), deeds, self.say)
        if self.host.keep:
            with self.troubles.kept("tidying up"):
                tidy.daily(self.folder, self.now(), self.host.keep, self.safely)
        return Round(
            letters=tuple(letters),
            games=tuple((name, tuple(done)) for name, done in sorted(self.happened.items())),
            made=tuple(self.made),
            put=self.put,
            delivery=delivery,
            troubles=tuple(self.troubles.now),
            news=tuple(self.troubles.news),
            stopped=stopped,
        )

    def _show(self) -> None:
        """Write the pages of public games that changed."""
        target = self.folder / self.host.site
        done = showing.renew(self.folder, target, self.host.site_url, self.folders, self.looked_at)
        for fault in done.faults if done is not None else ():
            self.troubles.tell(f"the club's site: {fault}", f"site {fault}")

    # --- what comes in ---

    def _receive(self) -> list[str]:
        letters: list[str] = []
        if self.source is not None:
            self.read, left = False, set[str]()
            restore = self.restore
            self.source.guard = restore.look if restore is not None else None
            with self.troubles.kept("the inbox"):
                put = to_players(self.say)
                for taken in take_in_all(self.source, self.games, put, due=self._due, left=left, anew=self._anew):
                    again = restore if restore is not None and restore.going_on else None
                    if taken.again and again is not None:
                        continue  # one of those before the backup
                    self.taken += [] if taken.again else [_named(taken.entry)]
                    self._hear(taken)
                    letters.append(f"{taken.entry.done}{' (again)' * taken.again}")
                    if again is not None and taken.entry.done == "orders":
                        again.replay(taken.entry)
                self.read = True
            if left or not self.read:
                # Nobody is late whose letter may lie there unread.
                self.hour = self.hour.unsure()
            if not self.read:
                self.hour = self.hour.ill(self.before)
            elif self.hour.rounds.ill is not None and not self.hour.rounds.dumb:
                self._well(self.now())
            for why in self.source.missed():
                self.troubles.tell(f"the inbox: {why}", f"missed {why}")
        if self.hour.rounds.dumb:
            # Nobody is late who perhaps has not got what he was sent.
            self.hour = self.hour.unsure()
        with self.troubles.kept("what was put aside"):
            digest.tell(self.games.post, self.host.umpire, self.zone, self.now(), self.say)
        for name, why in self.games.broken:
            self.troubles.tell(f"the game {name} cannot be read: {why}", f"broken {name} {why}", game=name)
        return letters

    def _anew(self) -> Games:
        self._seat_all()
        return self.games

    def _hear(self, taken: Taken) -> None:
        entry = taken.entry
        if taken.again:
            return
        if entry.done == "bounce":
            self.unreachable.lose(entry.lost, "mail came back", self.now())
        elif entry.side and entry.done != "quarantine":
            self.unreachable.hear(entry.sender)

    def _due(self, seat: Seat, standing: Standing) -> str:
        """What a receipt says of the deadline."""
        rule, clock = game_rule(self.host, seat.folder), timetable.read_clock(seat.folder)
        if clock.paused is not None:
            return announcing.PAUSED
        found = self._times(seat.folder, clock, rule)
        return announcing.deadline(found, rule, self.now(), standing) if found else ""

    # --- time that counts for nobody ---

    @property
    def rounds(self) -> Rounds:
        """The count of time that counts for nobody, as it stands now."""
        return self.hour.rounds.at(self.now())

    def _times(self, folder: Path, clock: timetable.Clock, rule: Rule) -> Times | None:
        """When answers are due. The time of a request whose sitrep no server has taken yet has not begun."""
        if folder in self.held_up and clock.asked is not None:
            clock = clock.begun(clock.asking, self.now(), self.rounds)
        return clock.times(rule, self.rounds)

    def _fresh(self, until: Until, moment: datetime, again: bool) -> str:
        """The words on a deadline in a mail that goes now. Where it is a sitrep that a server refused before, the time
        of its request begins now.
        """
        folder = self.homes.get((until.game, until.side))
        if folder is None:
            return until.words
        if folder in self.over:
            return PLAYED
        rule, clock = game_rule(self.host, folder), timetable.read_clock(folder)
        if clock.paused is not None:
            return announcing.PAUSED
        if clock.asking != until.asking:
            return PLAYED
        rounds = self.hour.rounds.at(moment)
        if again and until.asks:
            with opened(folder, lock="host"):
                clock = timetable.write_clock(folder, clock.begun(clock.asking, moment, rounds))
        found = clock.times(rule, rounds)
        standing = cast("Standing", until.standing)
        return announcing.deadline(found, rule, moment, standing) if found is not None else until.words

    def _well(self, moment: datetime) -> None:
        before, self.hour = self.hour.rounds, self.hour.well(moment)
        if self.hour.rounds.drift == before.drift or before.ill is None:
            return
        self.resting.drifted(self.hour.rounds.drift)
        text = (
            f"The post did not work from {written(before.ill, self.zone)} to {written(moment, self.zone)}. That time "
            "counts for nobody: all deadlines come later by it."
        )
        self.troubles.tell(text, f"outage {before.ill} {moment}", trouble=False)

    def _heard(self, delivery: Delivery, moment: datetime) -> None:
        before = self.hour.rounds
        if delivery.reached is False:
            self.hour = self.hour.ill(self.before, dumb=True)
        elif before.dumb and (delivery.reached or not delivery.waiting):
            if self.read:
                self._well(moment)
            else:
                self.hour = msgspec.structs.replace(self.hour, rounds=msgspec.structs.replace(before, dumb=False))
        if self.hour.rounds != before:
            write_rounds(self.folder, self.hour.rounds)

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

    def thread(self, game: GameFolder, seat: Seat) -> announcing.Thread:
        """A player's thread of a game, with the Message-ID of the letter it began with."""
        root = self.outbox.message_id(announcing.thread_key(game, seat))
        return announcing.Thread(self.games, seat, root, game.terms.dice.commitment)

    def safely(self, folder: Path, work: Callable[[GameFolder], T]) -> T | None:
        """Do something with a game; one game's trouble keeps no other from being played."""
        with self.troubles.kept(folder.name, game=folder.name), opened(folder, lock="host") as game:
            return work(game)
        return None

    def worked(self, jobs: Iterable[Job[T]]) -> list[tuple[Path, T | None]]:
        """:meth:`safely` for many games: while errands of some are done, others are opened, as many at once as keep the
        workers busy; what came of them is written in the order in which they were handed in.
        """
        found: list[tuple[Path, T | None]] = []
        waiting: deque[_Open[T | None]] = deque()
        todo = iter(jobs)
        with ExitStack() as stack:

            def go_on(one: _Open[T | None], how: Callable[..., Errand], *given: Any) -> None:
                if one.go_on(self.workers, how, *given):
                    waiting.append(one)
                else:
                    found.append((one.folder, one.value))

            while True:
                while len(waiting) < self.workers.width and (job := next(todo, None)) is not None:
                    folder, work = job
                    one = _Open(folder, self._within(folder, work))
                    stack.callback(one.context.run, one.working.close)
                    go_on(one, next, one.working)
                if not waiting:
                    return found
                one = waiting.popleft()
                assert one.ticket is not None
                try:
                    done = self.workers.fetch(one.ticket)
                except Exception as error:
                    go_on(one, one.working.throw, error)
                else:
                    go_on(one, one.working.send, done)

    def _within(self, folder: Path, work: Callable[[GameFolder], Working[T]]) -> Working[T | None]:
        with self.troubles.kept(folder.name, game=folder.name), opened(folder, lock="host") as game:
            return (yield from work(game))
        return None

    # --- a game ---

    def _look_at_all(self) -> list[Late]:
        """Play all games on in which something can have happened; returns who is too late."""
        rests = {folder: self.resting.find(folder, self.now()) for folder in self.folders}
        rests |= self.worked((folder, self._play) for folder, rest in rests.items() if rest is None)
        return [late for folder, rest in rests.items() if rest is not None and (late := self._late(folder, rest))]

    def _late(self, folder: Path, rest: Rest) -> Late | None:
        """Who is too late in a game that was left as it is."""
        if not rest.waits:
            self.over.add(folder)
        self.people |= {(folder.name, side) for side in rest.waits}
        if not rest.late or rest.final is None or folder in self.held_up or not self.hour.passed(rest.final):
            return None
        with self.troubles.kept(folder.name, game=folder.name):
            return Late(folder=folder, sides=rest.late, rule=game_rule(self.host, folder), asking=rest.asking)
        return None

    def _play(self, game: GameFolder) -> Working[Rest]:
        """Play on, tell everybody, remind."""
        self.looked_at.add(game.path)
        rest = yield from self._go_on(game)
        if self.apart is not None:
            self.apart.told(game)
        if save_is_late(game):  # whoever holds the file may let go of it at any time, and changes nothing
            rest = msgspec.structs.replace(rest, until=self.now())
        self.resting.keep(game.path, rest)
        return rest

    def _go_on(self, game: GameFolder) -> Working[Rest]:
        """Until when nothing is to be done if nobody does anything, and whose grace is over."""
        rule = game_rule(self.host, game.path)
        remember_names(game.path, game.terms, self.roll)
        if endings.settle(game):
            self.happened.setdefault(game.terms.name, []).append(Happening(what="over"))
        clock = timetable.start(game, self.now(), self.rounds)
        if clock.paused is None:
            clock = yield from self.resolve(game, clock, rule)
        mine = self.seats(game)
        clock = self._let_be_away(game, mine, rule, clock)
        self._announce(game, mine, rule, clock)
        self._tell_moved(game, mine, rule, clock)
        self._tell_paused(game, mine, rule, clock)
        self._tell_draw(game, mine)
        self._tell_vacant(game, mine)
        self._tell_sealed(game, mine)
        if self.watching is not None:
            with self.troubles.kept(f"{game.terms.name}, as it is watched", game=game.terms.name):
                self.watching.tell(game, mine, self.unreachable.known, self.say)
        state = game.state()
        if state.over or state.request is None:
            return Rest(mark="")
        waits = tuple(seat.side for seat in mine)
        sealed = sealing_of(game) is not None  # the beacon may speak at any time, and changes no file
        found = self._times(game.path, clock, rule)
        if clock.paused is not None or found is None:
            return Rest(mark="", waits=waits, until=self.now() if sealed else None)
        answered, _ = answers(game)
        owing = tuple(side for side in state.request.sides if side not in answered)
        self._remind(game, [seat for seat in mine if seat.side in owing], rule, clock, found)
        _, nag = nags(rule, found, self.now())
        moments = (*found.reminders, found.due, found.final, *([nag] if nag is not None and owing else []))
        ahead = [moment for moment in moments if moment > self.now()]
        unsure = self.now() >= found.due and not self.hour.passed(found.due)
        if sealed or unsure or self.hour.sure is None:
            ahead = [self.now()]
        rest = Rest(mark="", waits=waits, owes=owing, until=min(ahead, default=None), asking=clock.asking)
        if not owing or self.now() < found.final:
            return rest
        self._nag(game, mine, owing, rule, clock, found)
        return msgspec.structs.replace(rest, late=owing, final=found.final)

    def _nag(
        self, game: GameFolder, mine: list[Seat], late: Sequence[str], rule: Rule, clock: timetable.Clock, found: Times
    ) -> None:
        """A game waits beyond grace: who is late is reminded once more, the others are told for whom it waits."""
        count, _ = nags(rule, found, self.now())
        if not count or not self.hour.passed(found.final) or game.path in self.held_up:
            return
        said, words = timetable.Said(game.path), announcing.deadline(found, rule, self.now())
        later = self._moved(clock)
        for seat in mine:
            to = self.thread(game, seat)
            if seat.side in late:
                number = len(found.reminders) + count
                reply = announcing.reminder(game, to, words, number=number, asking=clock.asking, later=later)
            else:
                since = written(found.due, rule.zone)
                reply = announcing.waits_for(game, to, late, since, asking=f"{clock.asking} {later}".rstrip())
            if reply.key not in said.known:
                self.say(reply)
                said.add(reply.key)

    def _tell_paused(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> None:
        """Everybody is told that the umpire has stopped the clock, and that it runs again."""
        said, now = timetable.Said(game.path), clock.paused.isoformat() if clock.paused is not None else ""
        before = {line.partition(" ")[2] for line in said.known if line.startswith("paused ")}
        if clock.paused is not None and now not in before:
            for seat in mine:
                since = written(clock.paused, rule.zone)
                self.say(announcing.game_paused(self.thread(game, seat), since, clock.reason, f"paused {now}"))
            said.add(f"paused {now}")
        found = self._times(game.path, clock, rule)
        for one in sorted(before - {now} - {line.partition(" ")[2] for line in said.known if line[:7] == "resumed"}):
            for seat, standing in self._standings(game, mine) if clock.paused is None else ():
                words = announcing.deadline(found, rule, self.now(), standing) if found is not None else ""
                self.say(announcing.game_resumed(game, self.thread(game, seat), words, standing, f"resumed {one}"))
            said.add(f"resumed {one}")

    def _tell_draw(self, game: GameFolder, mine: list[Seat]) -> None:
        """The others are told who agrees to a draw, and how they do: once a turn."""
        state, asked = game.state(), endings.read_endings(game.path)
        offered = [side for side in asked.draw if side in endings.left(state)]
        if not offered or state.over:
            return
        said = timetable.Said(game.path)
        for side in offered:
            mark = f"draw {side} {state.turn}"
            if mark in said.known:
                continue
            for seat in mine:
                if seat.side != side:
                    wanted = endings.wanted(state, asked)
                    self.say(announcing.draw_offered(self.thread(game, seat), side, wanted, state.turn))
            said.add(mark)

    def _tell_vacant(self, game: GameFolder, mine: list[Seat]) -> None:
        """Whoever plays here, in this game or another, is told once of a side that may be taken over."""
        if game.state().over:
            return
        for side in vacancies.vacant(game.path):
            said, about = timetable.Said(game.path), f"{side} {vacancies.times(game, side)}"
            if f"vacant {about}" in said.known:
                continue
            told = {one.to for one in mine}
            for seat in mine:
                if seat.side != side:
                    self.say(announcing.side_open(self.thread(game, seat), game.terms.name, side, about, takes=False))
            for seat in self.games.seats if self.host.letters.take else ():
                if seat.to not in told:
                    told.add(seat.to)
                    to = announcing.Thread(self.games, seat, "", game.terms.dice.commitment)
                    self.say(announcing.side_open(to, game.terms.name, side, about, takes=True))
            said.add(f"vacant {about}")

    def _let_be_away(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> timetable.Clock:
        """The clock of a request of which somebody who owes an answer is away."""
        request = game.state().request
        away = absent([seat for seat in mine if request is not None and seat.side in request.sides], self.absent)
        if not away or clock.paused is not None:
            return clock
        answered, _ = answers(game)
        away = [one for one in away if one.side not in answered]
        return timetable.adopt(game, away, self.now(), rule, self.rounds)

    def _standings(self, game: GameFolder, mine: list[Seat]) -> Iterator[tuple[Seat, Standing]]:
        """Who plays, and how they stand to the request in force; nobody where the game is over."""
        request = game.state().request
        if request is None:
            return
        answered, _ = answers(game)
        for seat in mine:
            asked: Standing = "answered" if seat.side in answered else "owes"
            yield seat, asked if seat.side in request.sides else "not asked"

    def _tell_moved(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> None:
        """Everybody is told of a deadline that is later than it was; who asked for that knows it."""
        request, found = game.state().request, self._times(game.path, clock, rule)
        moves = list(announcing.moves(clock))
        if not moves or request is None or found is None or clock.paused is not None:
            return
        said = timetable.Said(game.path)
        for cause, why, knows in moves:
            mark = f"moved {clock.asking} {cause}"
            if mark in said.known:
                continue
            for seat, standing in self._standings(game, mine):
                words = announcing.deadline(found, rule, self.now(), standing)
                if seat.side != knows:
                    self.say(announcing.deadline_moved(game, self.thread(game, seat), why, cause, words, standing))
            said.add(mark)

    def resolve(self, game: GameFolder, clock: timetable.Clock, rule: Rule) -> Working[timetable.Clock]:
        """Play while all answers are here and nobody has asked for his time; the clock of what is asked then."""
        found = self._times(game.path, clock, rule)
        state = game.state()
        early = found is not None and not self.hour.passed(found.due)
        if waiting(game) and early and state.request is not None:
            return clock
        happened = yield from stretches(game, self.beacon)
        done = [one for one in happened if one.what != "waiting"]
        if done and not state.over:
            self.happened.setdefault(game.terms.name, []).extend(done)
        return timetable.start(game, self.now(), self.rounds)

    def _announce(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> None:
        """Invitations, and every sitrep that was not sent yet; of a game that is new here only the last."""
        said = timetable.Said(game.path)
        folders = announcing.published(game)
        if not folders:
            return
        inviting.begin(said, folders, mine)
        found = self._times(game.path, clock, rule)
        self._tell_tenures(game, mine, said, rule, found)
        who_plays, called = sorted(players(game.path, game.terms).items()), names(game.path)
        named = [(side, called.get(who, in_words(who))) for side, who in who_plays]
        when = announcing.deadline(found, rule, self.now()) if found else ""
        for seat in mine:
            inviting.invite(said, game, self.games, seat, folders[-1], rule, named, when, self.say)
            for folder in folders:
                last = folder == folders[-1]
                name = announcing.sitrep_id(folder, seat.side)
                key = announcing.sitrep_key(folder, seat)
                if (key if last else name) in said.known:
                    continue
                above = announcing.above_sitrep(game, seat, when) if last else announcing.Above()
                self.say(announcing.sitrep(game, self.games, seat, folder, above, self.thread(game, seat).root))
                said.add(name, key)

    def _tell_tenures(
        self, game: GameFolder, mine: list[Seat], said: timetable.Said, rule: Rule, found: Times | None
    ) -> None:
        """Whoever plays on, and who was replaced, hears of a change of player; the new one is invited."""
        words = announcing.deadline(found, rule, self.now(), "not asked") if found and game.state().request else ""
        known = {address for seat in mine for address in seat.addresses}
        changes, called = tenures(game.path), names(game.path)
        for number, tenure in enumerate(changes, start=1):
            mark = f"tenure {number}"
            if mark in said.known:
                continue
            told = msgspec.structs.replace(
                tenure,
                before=called.get(tenure.before, tenure.before),
                player=called.get(tenure.player, tenure.player),
            )
            if number == len(changes):
                for seat in mine:
                    if seat.side != tenure.side:
                        self.say(announcing.player_changed(game, self.thread(game, seat), told, number, words))
            for address in self._addresses_of(tenure.before):
                if address not in known:
                    self.say(announcing.player_thanked(game, told, address, number))
            said.add(mark)

    def _addresses_of(self, player: str) -> tuple[str, ...]:
        """Where mail of a player goes."""
        person = self.roll.find(player)
        return (person.mail.lower(),) if person is not None else player_addresses(player)[:1]

    def _tell_sealed(self, game: GameFolder, mine: list[Seat]) -> None:
        """Everybody is told of orders that are sealed until the beacon speaks; the umpire, if it does not."""
        sealing = sealing_of(game)
        if sealing is None:
            return
        for seat in mine:
            self.say(announcing.orders_sealed(self.thread(game, seat), sealing))
        if self.now() > sealing.due + PATIENCE:
            text = (
                f"{game.terms.name} has waited for round {sealing.round} of the beacon drand since {sealing.due}. "
                f"`pbem resolve {game.path.name} --beacon VALUE` takes the value from you."
            )
            key = f"silent {game.terms.dice.commitment} {sealing.segment} {sealing.round}"
            self.troubles.tell(text, key, game=game.terms.name)

    def _moved(self, clock: timetable.Clock) -> str:
        """Which deadline of a request this is, where it was moved: what is said of it is no mail that went before, also
        not one that went with all that a backup does not know.
        """
        moved, lost = len(clock.extended) + len(clock.away), self.rounds.lost
        return " ".join([*([str(moved)] if moved else []), *([f"restored {lost}"] if lost else [])])

    def _remind(self, game: GameFolder, owing: list[Seat], rule: Rule, clock: timetable.Clock, found: Times) -> None:
        """The last reminder whose time has come, to those who owe orders."""
        number = passed(found, self.now())
        if not number or self.now() >= found.final or self.hour.sure is None:
            return
        said, words = timetable.Said(game.path), announcing.deadline(found, rule, self.now())
        for seat in owing:
            to = self.thread(game, seat)
            reply = announcing.reminder(game, to, words, number=number, asking=clock.asking, later=self._moved(clock))
            if reply.key not in said.known:
                self.say(reply)
                said.add(reply.key)

    # --- who is too late ---

    def _answer_for(self, late: list[Late]) -> bool:
        """Do what was agreed for those who are late; if too many are, only tell the umpire. Whether it was that."""
        missing = sum(len(one.sides) for one in late)
        if late and not self.anyway and too_many(self.host.deadlines, missing, len(self.people)):
            names = "; ".join(f"{one.folder.name}: {', '.join(one.sides)}" for one in late)
            text = (
                f"{missing} of {len(self.people)} players are late at once ({names}). Perhaps it is the mail that "
                "fails, so nothing was done for them. `pbem host DIR --once --anyway` does what was agreed."
            )
            self.troubles.tell(text, f"stopped {[(one.folder.name, one.asking, one.sides) for one in late]}")
            return True
        to_file: list[Job[None]] = []
        for one in late:
            if one.rule.late == "wait":
                path = shown_path(self.folder, one.folder)
                text = (
                    f"{one.folder.name} waits for {', '.join(one.sides)}: the deadline has passed, and grace too. "
                    f"`pbem host extend {path} '2 days' --reason TEXT` gives more time, `pbem host replace {path} "
                    f"{one.sides[0]} ADDRESS` another player, `pbem pause {path}` stops the clock."
                )
                self.troubles.tell(
                    text, f"late {one.folder.name} {one.asking} {one.sides}", calm=True, game=one.folder.name
                )
            else:
                to_file.append((one.folder, partial(self._file_for, late=one)))
        self.worked(to_file)
        return False

    def _file_for(self, game: GameFolder, late: Late) -> Working[None]:
        """File orders for the sides of a game that sent none, tell whom it concerns, and play on."""
        state, request, name = game.state(), game.state().request, game.terms.name
        asking, commitment = late.asking, game.terms.dice.commitment
        if request is None or (request.turn, request.number, state.segment) != asking:
            return  # pragma: no cover (nobody else works on it)
        for side in late.sides:
            why = f"{announcing.BY_HOST}, as no orders came in time; agreed for this: {late.rule.late}."
            orders = stand_in(game, side, late.rule.late, why)
            if not orders:
                text = f"No legal orders could be written for {side} in {name}; the game waits for them."
                self.troubles.tell(text, f"no stand-in {name} {asking} {side}", game=name)
                continue
            submit(game, orders, f"{side}.orders")
            for seat in self.seats(game):
                if seat.side == side:
                    self.say(announcing.filed_for(self.thread(game, seat), request, orders, asking=asking))
            text = f"No orders came from {side} in {name}; filed instead: {late.rule.late}."
            self.troubles.tell(text, f"filed for {commitment} {asking} {side}", trouble=False, game=name)
        yield from self._play(game)
