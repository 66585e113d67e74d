"""Handle the email commands AWAY and EXTEND, by which players ask for more time.

A request within the club's limits is granted at once. One AWAY counts for all games of the club (the fact
``absences``). An absence alone does not move a deadline. If the absent player owes orders, the days of absence do not
count for that deadline (:func:`pbem.mail.host.clocks.adopt`). The answer to AWAY says the new deadline, and the host
tells the other players of that game.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.answers import answers
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.mail.emails import Value
from pbem.mail.host import clocks as timetable
from pbem.mail.host.deadlines import Days, days_in, last_day, local_day, soon, span
from pbem.mail.people import People, read_people
from pbem.mail.replies.conversation import Conversation
from pbem.mail.replies.reply import Reply, Until
from pbem.mail.seats import Seat
from pbem.mail.settings import Host, read_host
from pbem.mail.store import keep_fact, list_of
from pbem.util import several

ABSENCES: Final = "absences"


class Absence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Days on which a player is away.

    Attributes:
        who: One of the player's addresses.
        days: The days.
        cause: Digest of the email that reported the absence, or ``players.toml``.
        person: The player's key in players.toml, because several people may share the address.
    """

    who: str
    days: Days
    cause: str
    person: str = ""

    def is_of(self, seat: Seat) -> bool:
        """Return whether the absent person is the player of this seat (side played by email)."""
        return seat.is_of(self.who, self.person)


def read_absences(post: Path) -> tuple[Absence, ...]:
    """Return the absences that players reported by email.

    Raises:
        GameError: If the list in the database is damaged.
    """
    return list_of(post, ABSENCES, Absence)


def absences_of(people: People) -> tuple[Absence, ...]:
    """Return the absences listed in players.toml."""
    return tuple(
        Absence(who=person.addresses[0], days=days, cause="players.toml", person=key)
        for key, person in people.people.items()
        for text in person.away
        if (days := days_in(text)) is not None
    )


def add_absence(post: Path, absence: Absence) -> None:
    """Record an absence, unless one with the same cause is recorded already.

    Only the code that processes the club's incoming emails may call this.
    """
    absences = read_absences(post)
    if all(one.cause != absence.cause for one in absences):
        keep_fact(post, ABSENCES, (*absences, absence))


def end_absences(post: Path, of: Callable[[Absence], bool], today: date) -> int:
    """End a player's absences from ``today`` on, because they are back; return how many were ended.

    The function ``of`` returns whether an absence belongs to that player. Only the code that processes the club's
    incoming emails may call this.
    """
    absences, left = read_absences(post), list[Absence]()
    ended = [one for one in absences if of(one) and one.days.last >= today]
    for one in absences:
        if one not in ended:
            left.append(one)
        elif one.days.first < today:
            left.append(msgspec.structs.replace(one, days=Days(one.days.first, today - timedelta(days=1))))
    if ended:
        keep_fact(post, ABSENCES, left)
    return len(ended)


_YEAR: Final = timedelta(days=365)


def away(conversation: Conversation) -> Reply:
    """Answer AWAY: record days on which the player is away, in all games of the club; AWAY OFF ends them."""
    games, seat = conversation.games, conversation.seat
    if games.club is None or games.now is None:
        return conversation.answer("command", "no-host", command="AWAY")
    host, post = read_host(games.club), games.post
    today = local_day(games.now, host.deadlines.zone)
    argument = conversation.letter.argument
    if argument == "OFF":
        ended = end_absences(post, lambda one: one.is_of(seat), today)
        return conversation.answer_with_notes("command", "away-back", ended=bool(ended))
    if not argument:
        return conversation.answer("command", "away-when", away=_known(conversation, today))
    days = days_meant(argument, today)
    if days is None:
        return conversation.answer("fault", "away-unclear", said=repr(argument.lower()[:80]))
    if wrong := _too_long(conversation, host, days, today):
        return conversation.answer("fault", "away-refused", **wrong)
    gone = Absence(who=seat.addresses[0], days=days, cause=conversation.letter.digest, person=seat.person)
    mine = sorted({one.game for one in games.seats if gone.is_of(one)})
    deadlines, until = new_deadlines(conversation, gone)
    add_absence(post, gone)
    return conversation.answer(
        "command", "away", (), until, days=str(days), zone=host.deadlines.zone, games=mine, deadlines=deadlines
    )


def new_deadlines(conversation: Conversation, gone: Absence) -> tuple[list[str], Until | None]:
    """Move the deadlines of the games in which an absent player owes orders, and return the new ones.

    A game that is locked now is left to the host's next round, which moves its deadline and sends notices.

    Returns:
        The deadlines as sentences for the answer to AWAY, and the value by which the answer can be updated when it is
        sent; ``None`` if no deadline was moved. So the player gets no separate notice.
    """
    moved_words = list[tuple[Seat, str]]()
    for seat in (one for one in conversation.games.seats if gone.is_of(one)):
        if seat.folder == conversation.game.path:
            moved = _counted(conversation.game, seat, gone, conversation.games.now)
        else:
            moved = False
            with suppress(Exception), opened(seat.folder, lock="mail") as other:
                moved = _counted(other, seat, gone, conversation.games.now)
        if moved and (words := conversation.due(seat, "owes")):
            moved_words.append((seat, words))
    if [seat for seat, _ in moved_words] == [conversation.seat]:
        only = conversation.deadline()
        return ([only.words], only) if only is not None else ([], None)
    untils = [
        Until(
            asking=timetable.read_clock(seat.folder).asking, standing="owes", words=words, game=seat.game,
            side=seat.side, lead=_lead(seat),
        )
        for seat, words in moved_words
    ]  # fmt: skip
    until = msgspec.structs.replace(untils[0], others=tuple(untils[1:])) if untils else None
    return [f"{_lead(seat)}{words}" for seat, words in moved_words], until


def still_counts(conversation: Conversation) -> list[str]:
    """Return the player's days of absence that count for this game, after they withdrew their orders.

    Each item is one absence as text.
    """
    if conversation.games.club is None:
        return []
    absences = (*read_absences(conversation.games.post), *absences_of(read_people(conversation.games.club)))
    mine = [one for one in absences if one.is_of(conversation.seat)]
    return [
        str(one.days) for one in mine if _counted(conversation.game, conversation.seat, one, conversation.games.now)
    ]


def _lead(seat: Seat) -> str:
    return f"{seat.game} ({seat.side}): "


def _counted(game: GameFolder, seat: Seat, gone: Absence, now: datetime | None) -> bool:
    """Add a player's absence to the clock of a game; return whether its days count for orders they owe."""
    request = game.state().request
    if now is None or request is None or seat.side not in request.sides or seat.side in answers(game)[0]:
        return False
    away = timetable.Away(side=seat.side, days=gone.days, answered=True)
    clock = timetable.adopt_now(game, [away], now)
    return any((one.side, one.days) == (away.side, away.days) for one in clock.away)


def _known(conversation: Conversation, today: date) -> list[str]:
    absences = read_absences(conversation.games.post)
    return [str(one.days) for one in absences if one.is_of(conversation.seat) and one.days.last >= today]


def days_meant(text: str, today: date) -> Days | None:
    """Return the days of absence that a text names, counted from ``today``; ``None`` if it names none.

    The text may be like ``2027-07-01 to 2027-07-14``, ``1 to 14 July``, ``until 14 July``, ``until Sunday``, ``5
    days``, ``Monday to Friday`` and ``next week``.
    """
    if (days := days_in(text, today) or soon(text, today)) is not None:
        return days
    if (last := last_day(text, today)) is not None:
        return Days(today, last)
    long = span(text.upper().removeprefix("FOR "))
    return Days(today, today + long - timedelta(days=1)) if long is not None and long >= timedelta(days=1) else None


def _too_long(conversation: Conversation, host: Host, days: Days, today: date) -> dict[str, Value]:
    """Return why the club does not allow an absence, as template values; empty if the club allows it."""
    longest, a_year = span(host.letters.away), span(host.letters.yearly)
    long = _length(days)
    others = [
        _length(one.days)
        for one in read_absences(conversation.games.post)
        if one.is_of(conversation.seat)
        and one.cause != conversation.letter.digest
        and abs(one.days.first - days.first) < _YEAR
    ]
    if days.last < today:
        why = "past"
    elif longest is not None and long > longest:
        why = "long"
    elif a_year is not None and sum(others, long) > a_year:
        why = "year"
    else:
        return {}
    return {
        "why": why,
        "days": str(days),
        "length": several(long.days, "day"),
        "others": sum(others, timedelta()).days,
        "most": host.letters.away,
        "most_a_year": host.letters.yearly,
    }


def _length(days: Days) -> timedelta:
    return days.last - days.first + timedelta(days=1)


def extend(conversation: Conversation) -> Reply:
    """Answer EXTEND: give a player more time for the orders that are wanted now, within the club's limits."""
    games, seat = conversation.games, conversation.seat
    if games.club is None or games.now is None:
        return conversation.answer("command", "no-host", command="EXTEND")
    host = read_host(games.club)
    if conversation.asked is None:
        return conversation.answer("command", "extend-nothing")
    long, most = span(conversation.letter.argument.removeprefix("BY ")), span(host.letters.extend)
    if not long or most is None:
        return conversation.answer("fault", "extend-unclear", most=host.letters.extend)
    clock, cause = timetable.read_clock(conversation.game.path), f"letter {conversation.letter.digest}"
    before = [one for one in clock.extensions if one.side == seat.side and one.cause != cause]
    wrong = _not_extended(host, before, clock, long, most)
    if wrong:
        return conversation.answer(
            "fault",
            "extend-refused",
            why=wrong,
            most=host.letters.extend,
            times=several(len(before), "time"),
            most_times=host.letters.extensions,
        )
    timetable.extend(conversation.game, long, games.now, timetable.Grounds(cause=cause, side=seat.side))
    return conversation.answer_with_notes("command", "extended")


def _not_extended(
    host: Host, before: list[timetable.DeadlineExtension], clock: timetable.Clock, long: timedelta, most: timedelta
) -> str:
    """Return a keyword for the reason why the club does not allow an extension; ``""`` if it is allowed.

    Args:
        host: The host's settings.
        before: The side's earlier extensions in this game.
        clock: The clock of the game.
        long: The extension that the player asks for.
        most: The longest extension that the club allows.
    """
    if long > most:
        return "long"
    if any(one.asking == clock.asking for one in before):
        return "again"
    if len(before) >= host.letters.extensions:
        return "often"
    return ""


def absent(seats: list[Seat], absences: tuple[Absence, ...]) -> list[timetable.Away]:
    """Return the known absences of the players of these seats, each as a side and days."""
    return [timetable.Away(side=seat.side, days=one.days) for seat in seats for one in absences if one.is_of(seat)]
