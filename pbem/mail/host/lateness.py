"""Deadlines in a round of the host: who is reminded, who is late, and what is done for late players.

Time in which the email did not work counts for nobody. The date arithmetic is in :mod:`pbem.mail.host.deadlines`,
what is stored about a game's deadlines in :mod:`pbem.mail.host.clocks`, and the stand-in orders in
:mod:`pbem.mail.host.stand_in`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from pbem.games.answers import answers
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import submit
from pbem.mail import emails
from pbem.mail.commands.time import absent
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clock_faults import Hour, Rounds, write_rounds
from pbem.mail.host.deadlines import Rule, Standing, Times, deadline_words, nags, passed, too_many, written
from pbem.mail.host.idle import Rest
from pbem.mail.host.stand_in import stand_in
from pbem.mail.host.workers import Job, Working
from pbem.mail.replies import announce
from pbem.mail.replies.reply import PLAYED, Until
from pbem.mail.seats import Seat
from pbem.mail.settings import game_rule, shown_path
from pbem.mail.transport.outbox import Delivery

if TYPE_CHECKING:
    from pbem.mail.host.round import HostRound


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """The late sides of a game, after the grace period, with the request they did not answer and the deadline rule."""

    folder: Path
    sides: tuple[str, ...]
    rule: Rule
    asking: tuple[int, int, int]


class Lateness:
    """The part of the host's round (one pass over all games) that decides who is late.

    ``hour`` is what the round knows about the current time. ``before`` is when the email was last known to work, in
    case it does not work now.
    """

    def __init__(self, round: HostRound, hour: Hour, before: datetime) -> None:
        self.round, self.hour, self.before = round, hour, before
        self.host, self.now, self.zone = round.host, round.now, round.zone
        self.say, self.thread, self.seats, self.troubles = round.say, round.thread, round.seats, round.troubles
        self.people: set[tuple[str, str]] = set()  # (game, side): all of whom orders may be asked

    # --- time that counts for nobody ---

    @property
    def rounds(self) -> Rounds:
        """The host's record of time that counts for nobody; an outage of the email that still lasts is included."""
        return self.hour.rounds.at(self.now())

    def fetched(self, *, read: bool, left: bool) -> None:
        """Record the result of fetching emails: whether the inbox could be ``read``, and whether any were ``left`` in
        it.

        If not all emails were read, nobody counts as late in this round, because orders may be among the rest.
        """
        if left or not read:
            # Nobody is late whose letter may lie there unread.
            self.hour = self.hour.unsure()
        if not read:
            self.hour = self.hour.ill(self.before)
        elif self.hour.rounds.ill is not None and not self.hour.rounds.dumb:
            self._well(self.now())

    def unheard(self) -> None:
        """Count nobody as late while emails cannot be sent, because players may not have received the request for
        orders.
        """
        if self.hour.rounds.dumb:
            self.hour = self.hour.unsure()

    def heard(self, delivery: Delivery, moment: datetime, *, read: bool) -> None:
        """Record whether emails could be sent in this round; ``read`` says whether the inbox could be read."""
        before = self.hour.rounds
        if delivery.reached is False:
            self.hour = self.hour.ill(self.before, dumb=True)
        elif before.dumb and (delivery.reached or not delivery.waiting):
            if read:
                self._well(moment)
            else:
                self.hour = msgspec.structs.replace(self.hour, rounds=msgspec.structs.replace(before, dumb=False))
        if self.hour.rounds != before:
            write_rounds(self.round.folder, self.hour.rounds)

    def _well(self, moment: datetime) -> None:
        """Record that the email works again, move all deadlines later by the length of the outage, and tell the
        umpire.
        """
        before, self.hour = self.hour.rounds, self.hour.well(moment)
        if self.hour.rounds.drift == before.drift or before.ill is None:
            return
        self.round.resting.drifted(self.hour.rounds.drift)
        since, until = written(before.ill, self.zone), written(moment, self.zone)
        text = emails.sentence("outage", begin=since, end=until)
        self.troubles.tell(text, f"outage {before.ill} {moment}", trouble=False)

    # --- when answers are due ---

    def times(self, folder: Path, clock: timetable.Clock, rule: Rule) -> Times | None:
        """Return the deadlines of a game's current request for orders, or ``None`` if there is no request.

        As long as no mail server has accepted the sitrep with the request, its time has not begun.
        """
        if folder in self.round.held_up and clock.asked is not None:
            clock = clock.begun(clock.asking, self.now(), self.rounds)
        return clock.times(rule, self.rounds)

    def let_be_away(self, game: GameFolder, mine: list[Seat], rule: Rule, clock: timetable.Clock) -> timetable.Clock:
        """Return the game's clock with the absences of players who owe orders; days of absence do not count."""
        request = game.state().request
        away = absent([seat for seat in mine if request is not None and request.asks(seat.side)], self.round.absent)
        if clock.paused is not None:
            return clock
        owing = [one for one in away if one.side not in answers(game)[0]]
        return timetable.adopt(game, owing, self.now(), rule, self.rounds)

    def begin_anew(
        self, game: GameFolder, seat: Seat, rule: Rule, clock: timetable.Clock, since: datetime
    ) -> timetable.Clock:
        """Restart the deadline for a player whose email bounced at ``since`` and who now has a new address.

        The result is the game's new clock. All players are told, as for any deadline that was moved.
        """
        now = self.now()
        before = clock.times(rule, self.rounds)
        anew = clock.begun(clock.asking, now, self.rounds).times(rule, self.rounds)
        if before is None or anew is None or anew.due <= before.due:
            return clock
        why = emails.sentence("begun_again", side=seat.side)
        grounds = timetable.Grounds(cause=f"came back {seat.side} {since}", reason=why, by_host=True)
        timetable.extend(game, anew.due - max(before.due, now), now, grounds)
        return timetable.read_clock(game.path)

    def due(self, seat: Seat, standing: Standing) -> str:
        """Return the sentence about the deadline for a receipt to a player."""
        rule, clock = game_rule(self.host, seat.folder), timetable.read_clock(seat.folder)
        if clock.paused is not None:
            return announce.PAUSED
        found = self.times(seat.folder, clock, rule)
        return deadline_words(found, rule, self.now(), standing) if found else ""

    def fresh(self, until: Until, moment: datetime, refused: str) -> str:
        """Return the sentence about a deadline as it is now, to replace the one in an email about to be sent.

        ``refused`` is the reader's address if the server refused this email before. If the email is a sitrep that
        asks for orders, the time for them begins now. This holds only if the side still has the address.
        """
        folder = self.round.homes.get((until.game, until.side))
        if folder is None:
            return until.words
        if folder in self.round.over:
            return PLAYED
        rule, clock = game_rule(self.host, folder), timetable.read_clock(folder)
        if clock.paused is not None:
            return announce.PAUSED
        if clock.asking != until.asking:
            return PLAYED
        rounds = self.hour.rounds.at(moment)
        if until.asks and any(one.side == until.side and one.addresses[0] == refused for one in self._of(folder)):
            with self.round.at_work(folder):
                clock = timetable.write_clock(folder, clock.begun(clock.asking, moment, rounds))
        found = clock.times(rule, rounds)
        standing = cast("Standing", until.standing)
        return deadline_words(found, rule, moment, standing) if found is not None else until.words

    def _of(self, folder: Path) -> list[Seat]:
        return self.round.games.by_folder.get(folder, [])

    # --- who is reminded ---

    def moved(self, clock: timetable.Clock) -> str:
        """Return a text that differs each time a game's deadline was moved; empty if it never moved.

        It is part of the key of a reminder, so that a moved deadline gets new reminders, also after a restored
        backup.
        """
        moved, lost = len(clock.extended) + len(clock.away), self.rounds.lost
        return " ".join([*([str(moved)] if moved else []), *([f"restored {lost}"] if lost else [])])

    def remind(self, game: GameFolder, owing: list[Seat], rule: Rule, clock: timetable.Clock, found: Times) -> None:
        """Send a reminder to the players who owe orders, if one is due; if several are due, only the latest."""
        number = passed(found, self.now())
        if not number or self.now() >= found.final or self.hour.sure is None:
            return
        said, words = timetable.SentNotices(game.path), deadline_words(found, rule, self.now())
        for seat in owing:
            to = self.thread(game, seat)
            reply = announce.reminder(game, to, words, number=number, asking=clock.asking, later=self.moved(clock))
            if reply.key not in said.known:
                self.say(reply)
                said.add(reply.key)

    def nag(
        self, game: GameFolder, mine: list[Seat], late: Sequence[str], rule: Rule, clock: timetable.Clock, found: Times
    ) -> None:
        """Send late players a further reminder, and tell the others which sides the game waits for."""
        count, _ = nags(rule, found, self.now())
        if not count or not self.hour.passed(found.final) or game.path in self.round.held_up:
            return
        said, words = timetable.SentNotices(game.path), deadline_words(found, rule, self.now())
        later = self.moved(clock)
        for seat in mine:
            to = self.thread(game, seat)
            if seat.side in late:
                number = len(found.reminders) + count
                reply = announce.reminder(game, to, words, number=number, asking=clock.asking, later=later)
            else:
                since = written(found.due, rule.zone)
                reply = announce.waits_for(game, to, late, since, asking=f"{clock.asking} {later}".rstrip())
            if reply.key not in said.known:
                self.say(reply)
                said.add(reply.key)

    # --- who is too late ---

    def late(self, rests: dict[Path, Rest | None]) -> list[Late]:
        """Return the late sides of all games, one entry for each game."""
        return [late for folder, rest in rests.items() if rest is not None and (late := self._late(folder, rest))]

    def _late(self, folder: Path, rest: Rest) -> Late | None:
        self.people |= {(folder.name, side) for side in rest.waits}
        if not rest.late or rest.final is None or folder in self.round.held_up or not self.hour.passed(rest.final):
            return None
        with self.troubles.kept(folder.name, game=folder.name):
            return Late(folder=folder, sides=rest.late, rule=game_rule(self.host, folder), asking=rest.asking)
        return None

    def answer_for(self, late: list[Late]) -> bool:
        """Act for late players as the rule of their game says; return whether too many were late at once.

        If too many are late, the email may have failed. Then only the umpire is told, and nothing is done for the
        players.
        """
        missing = sum(len(one.sides) for one in late)
        if late and not self.round.anyway and too_many(self.host.deadlines, missing, len(self.people)):
            names = [f"{one.folder.name}: {', '.join(one.sides)}" for one in late]
            text = emails.sentence("many_late", late=missing, people=len(self.people), games=names)
            self.troubles.tell(text, f"stopped {[(one.folder.name, one.asking, one.sides) for one in late]}")
            return True
        to_file: list[Job[None]] = []
        for one in late:
            if one.rule.late == "wait":
                path = shown_path(self.round.folder, one.folder)
                text = emails.sentence("game_waits", game=one.folder.name, sides=one.sides, path=path)
                self.troubles.tell(
                    text, f"late {one.folder.name} {one.asking} {one.sides}", calm=True, game=one.folder.name
                )
            else:
                to_file.append((one.folder, partial(self._file_for, late=one)))
        self.round.worked(to_file)
        return False

    def _file_for(self, game: GameFolder, late: Late) -> Working[None]:
        """File stand-in orders for the late sides of a game, tell them and the umpire, and play on."""
        state, request, name = game.state(), game.state().request, game.terms.name
        asking, commitment = late.asking, game.terms.dice.commitment
        if request is None or (request.turn, request.number, state.segment) != asking:
            return  # pragma: no cover (nobody else works on it)
        for side in late.sides:
            why = f"{announce.BY_HOST}, as no orders came in time; agreed for this: {late.rule.late}."
            orders = stand_in(game, side, late.rule.late, why)
            if not orders:
                text = emails.sentence("no_stand_in", game=name, side=side)
                self.troubles.tell(text, f"no stand-in {name} {asking} {side}", game=name)
                continue
            submit(game, orders, f"{side}.orders")
            for seat in self.seats(game):
                if seat.side == side:
                    self.say(announce.filed_for(self.thread(game, seat), request, orders, asking=asking))
            text = emails.sentence("stand_in", game=name, side=side, late=late.rule.late)
            self.troubles.tell(text, f"filed for {commitment} {asking} {side}", trouble=False, game=name)
        yield from self.round.playing.play(game)
