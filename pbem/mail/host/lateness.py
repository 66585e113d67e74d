"""Handle deadlines in a round of the host: when answers are due, who gets reminders, and who is late.

Time in which the email did not work does not count. The date arithmetic is in :mod:`pbem.mail.host.deadlines`,
and the stored data about a game's deadlines is in :mod:`pbem.mail.host.clocks`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import cast

import msgspec

from pbem.games.answers import answers
from pbem.games.storage.folder import GameFolder
from pbem.mail import emails
from pbem.mail.commands.time import absent
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import Rounds, write_rounds
from pbem.mail.host.club import HostedClub, HostedGame, at_work, thread
from pbem.mail.host.deadlines import Rule, Standing, Times, nags, passed, written
from pbem.mail.host.idle import Rest
from pbem.mail.replies import announce
from pbem.mail.replies.reply import PLAYED, Outgoing, UmpireNotice, Until
from pbem.mail.seats import Seat
from pbem.mail.settings import game_rule
from pbem.mail.transport.outbox import Delivery

# --- time that counts for nobody -------------------------------------------------------------------------------------


def rounds_of(club: HostedClub) -> Rounds:
    """Return the host's record of time that does not count towards deadlines.

    It includes an outage of the email that continues now.
    """
    return club.hour.rounds.at(club.now())


def after_fetching(club: HostedClub, *, read: bool, left: bool) -> HostedClub:
    """Return the club with the effects of fetching emails on deadlines.

    If not all emails were read, nobody counts as late in this round, because orders may be among the rest.

    Args:
        club: The club.
        read: Whether the inbox could be read.
        left: Whether emails were left in it.
    """
    hour = club.hour if read and not left else club.hour.unsure()
    club = msgspec.structs.replace(club, hour=hour if read else hour.ill(club.before))
    well = read and club.hour.rounds.ill is not None and not club.hour.rounds.dumb
    return _well(club, club.now()) if well else club


def after_delivery(club: HostedClub, delivery: Delivery, moment: datetime, *, read: bool) -> HostedClub:
    """Return the club with the effects of sending emails on deadlines.

    Args:
        club: The club.
        delivery: The result of sending.
        moment: When the emails were sent.
        read: Whether the inbox could be read.
    """
    before, hour = club.hour.rounds, club.hour
    if delivery.reached is False:
        club = msgspec.structs.replace(club, hour=hour.ill(club.before, dumb=True))
    elif before.dumb and (delivery.reached or not delivery.waiting):
        still = msgspec.structs.replace(hour, rounds=msgspec.structs.replace(before, dumb=False))
        club = _well(club, moment) if read else msgspec.structs.replace(club, hour=still)
    if club.hour.rounds != before:
        write_rounds(club.folder, club.hour.rounds)
    return club


def _well(club: HostedClub, moment: datetime) -> HostedClub:
    """Record that the email works again since ``moment``, inform the umpire, and return the club.

    All deadlines are moved later by the length of the outage.
    """
    before, hour = club.hour.rounds, club.hour.well(moment)
    if hour.rounds.drift != before.drift and before.ill is not None:
        begin, end = (written(one, club.host.deadlines.zone) for one in (before.ill, moment))
        text = emails.sentence("outage", begin=begin, end=end)
        club.troubles.tell(UmpireNotice(text=text, key=f"outage {before.ill} {moment}", trouble=False))
    return msgspec.structs.replace(club, hour=hour)


# --- when answers are due --------------------------------------------------------------------------------------------


def times_of(club: HostedClub, folder: Path, clock: timetable.Clock, rule: Rule) -> Times | None:
    """Return the deadlines of a game's current request for orders; ``None`` if there is no request.

    As long as no mail server has accepted the sitrep with the request, the time to answer has not begun.
    """
    rounds = rounds_of(club)
    if folder in club.held_up and clock.asked is not None:
        clock = clock.begun(clock.asking, club.now(), rounds)
    return clock.times(rule, rounds)


def clock_with_absences(
    club: HostedClub, game: GameFolder, seats: list[Seat], rule: Rule, clock: timetable.Clock
) -> timetable.Clock:
    """Return the game's clock with the absences of players who owe orders; these days do not count.

    ``seats`` are the game's seats (sides played by email).
    """
    request = game.state().request
    away = absent([seat for seat in seats if request is not None and request.asks(seat.side)], club.absent)
    if clock.paused is not None:
        return clock
    owing = [one for one in away if one.side not in answers(game)[0]]
    return timetable.adopt(game, owing, club.now(), rule, rounds_of(club))


def clock_after_moves(
    club: HostedClub, game: GameFolder, seats: list[Seat], rule: Rule, clock: timetable.Clock
) -> timetable.Clock:
    """Return the game's clock after restarting the deadline of players whose email bounced.

    This is done for a player who now has a new address, since the request for orders did not reach them. It is done
    once for each failure of an address. All players are informed, as of any deadline that was moved. ``seats`` are the
    game's seats (sides played by email).
    """
    request = game.state().request
    if clock.paused is not None:
        return clock  # the game is paused, so there is no deadline to restart
    for seat in seats:
        if (since := club.unreachable.elsewhere(seat)) is None:
            continue
        if request is not None and request.asks(seat.side) and seat.side not in answers(game)[0]:
            clock = _begun_again(club, game, seat, rule, clock, since)
        club.unreachable.settle(seat)
    return clock


def _begun_again(
    club: HostedClub, game: GameFolder, seat: Seat, rule: Rule, clock: timetable.Clock, since: datetime
) -> timetable.Clock:
    """Return the game's clock with a new deadline for a player whose email failed since ``since``."""
    now, rounds = club.now(), rounds_of(club)
    before, anew = clock.times(rule, rounds), clock.begun(clock.asking, now, rounds).times(rule, rounds)
    if before is None or anew is None or anew.due <= before.due:
        return clock
    why = emails.sentence("begun_again", side=seat.side)
    grounds = timetable.Grounds(cause=f"came back {seat.side} {since}", reason=why, by_host=True)
    timetable.extend(game, anew.due - max(before.due, now), now, grounds)
    return timetable.read_clock(game.path)


def words_for_receipt(club: HostedClub, seat: Seat, standing: Standing) -> str:
    """Return the deadline of a seat (side played by email) as sentences for a receipt to its player."""
    rule, clock = game_rule(club.host, seat.folder), timetable.read_clock(seat.folder)
    if clock.paused is not None:
        return announce.PAUSED
    deadlines = times_of(club, seat.folder, clock, rule)
    return announce.deadline_words(deadlines, rule, club.now(), standing) if deadlines else ""


def words_when_sent(club: HostedClub, until: Until, moment: datetime, refused: str) -> str:
    """Return the deadline in its current wording, to replace the text in an email about to be sent.

    If the email is a sitrep that asks for orders, was refused before, and the side still has the address, the time for
    the orders begins now.

    Args:
        club: The club.
        until: The deadline that the email mentions.
        moment: The time.
        refused: The reader's address if a server has refused this email before, else ``""``.
    """
    folder = club.games.folder_of_side.get((until.game, until.side))
    if folder is None:
        return until.words
    if folder in club.over:
        return PLAYED
    rule, clock = game_rule(club.host, folder), timetable.read_clock(folder)
    if clock.paused is not None:
        return announce.PAUSED
    if clock.asking != until.asking:
        return PLAYED
    rounds, mine = club.hour.rounds.at(moment), club.games.by_folder.get(folder, [])
    if until.asks and any(one.side == until.side and one.addresses[0] == refused for one in mine):
        with at_work(folder):
            clock = timetable.write_clock(folder, clock.begun(clock.asking, moment, rounds))
    deadlines = clock.times(rule, rounds)
    standing = cast("Standing", until.standing)
    return announce.deadline_words(deadlines, rule, moment, standing) if deadlines is not None else until.words


# --- who is reminded -------------------------------------------------------------------------------------------------


def _moved(club: HostedClub, clock: timetable.Clock) -> str:
    """Return a text that differs each time a game's deadline was moved; empty if it was never moved.

    It is part of the key of a reminder, so that a moved deadline gets new reminders, also after a restored
    backup.
    """
    moved, lost = len(clock.extended) + len(clock.away), rounds_of(club).lost
    return " ".join([*([str(moved)] if moved else []), *([f"restored {lost}"] if lost else [])])


def reminders(club: HostedClub, one: HostedGame, owing: Sequence[str]) -> Iterator[Outgoing]:
    """Yield a reminder to each player who owes orders and is due for one.

    If several reminders are due, only the latest is sent.
    """
    assert one.found is not None
    now, number = club.now(), passed(one.found, club.now())
    if not number or now >= one.found.final or club.hour.sure is None:
        return
    words, later = announce.deadline_words(one.found, one.rule, now), _moved(club, one.clock)
    for seat in one.seats:
        if seat.side in owing:
            to = thread(club, one.game, seat)
            reply = announce.reminder(one.game, to, words, number=number, asking=one.clock.asking, later=later)
            if reply.key not in one.known:
                yield Outgoing(replies=(reply,), keys=(reply.key,))


def reminders_when_late(club: HostedClub, one: HostedGame, late: Sequence[str]) -> Iterator[Outgoing]:
    """Yield a further reminder to each late player, and a notice to the others that names the late sides."""
    assert one.found is not None
    count, _ = nags(one.rule, one.found, club.now())
    if not count or not club.hour.passed(one.found.final) or one.game.path in club.held_up:
        return
    words, asking = announce.deadline_words(one.found, one.rule, club.now()), one.clock.asking
    later, number = _moved(club, one.clock), len(one.found.reminders) + count
    for seat in one.seats:
        to = thread(club, one.game, seat)
        if seat.side in late:
            reply = announce.reminder(one.game, to, words, number=number, asking=asking, later=later)
        else:
            since = written(one.found.due, one.rule.zone)
            reply = announce.waits_for(one.game, to, late, since, asking=f"{asking} {later}".rstrip())
        if reply.key not in one.known:
            yield Outgoing(replies=(reply,), keys=(reply.key,))


# --- who is too late -------------------------------------------------------------------------------------------------


class Late(msgspec.Struct, frozen=True, kw_only=True):
    """The late sides of a game, after the grace period.

    Attributes:
        folder: The game's folder.
        sides: The late sides.
        rule: The game's deadline rule.
        asking: The request for orders that they did not answer: turn, number and segment.
    """

    folder: Path
    sides: tuple[str, ...]
    rule: Rule
    asking: tuple[int, int, int]


def late_sides(club: HostedClub, rests: Mapping[Path, Rest | None]) -> list[Late]:
    """Return the late sides of all games, one entry for each game that has some.

    ``rests`` is the state of each game after it was played.
    """
    found = []
    for folder, rest in rests.items():
        if rest is None or not rest.late or rest.final is None or folder in club.held_up:
            continue
        if club.hour.passed(rest.final):
            with club.troubles.kept(folder.name, game=folder.name):
                rule = game_rule(club.host, folder)
                found.append(Late(folder=folder, sides=rest.late, rule=rule, asking=rest.asking))
    return found
