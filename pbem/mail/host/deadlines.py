"""Compute deadlines: when an answer is due, when to remind the player, and when the grace period ends.

All functions calculate with times that the caller passes in; none reads a clock. Times are in UTC. A rule has its
own time zone, so that 18:00 in Berlin stays 18:00 when summer time begins. The stored data about a game's deadlines
is in :mod:`pbem.mail.host.clocks`.
"""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import count
from typing import Literal

import msgspec

from pbem.errors import Fault
from pbem.util import MONTHS, NAMES, install_command, regex

Late = Literal["wait", "hold", "last orders", "robot", "captain"]

_SPAN = regex(r"(?<!\d)(?P<count>\d{1,9})\s*+(?P<unit>week|day|hour|minute)s?", re.IGNORECASE)
_ONE, _TWO = regex(r"\b(?:an?|one)\b", re.IGNORECASE), regex(r"\btwo\b", re.IGNORECASE)
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_SECONDS = {"week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60}
_HOURS = 24


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The rule for deadlines: the ``[deadlines]`` section of host.toml, or of a game's own post.toml.

    Lengths of time are texts such as ``3 days``.

    Attributes:
        zone: Time zone of ``at``, ``days`` and ``holidays``, for example ``Europe/Berlin``.
        within: Time for an answer, counted from the request for orders.
        at: Time of day to which the deadline is postponed; empty for none.
        days: Weekdays on which a deadline may be; empty for all.
        remind: How long before the deadline reminders are sent.
        grace: Time after the deadline before the host acts for a late player.
        late: What the host does for late players after the grace period.
        stop: Share of the host's players (0 to 1). If more are late at once, nothing is done for them, because the
            email has probably failed.
        holidays: Days that do not count towards any deadline, for example ``2027-12-24 to 2028-01-01``.
        nag: Interval of further reminders after the deadline, in a game that waits for late players.
    """

    zone: str = "UTC"
    within: str = "3 days"
    at: str = ""
    days: tuple[str, ...] = ()
    remind: tuple[str, ...] = ("1 day",)
    grace: str = "12 hours"
    late: Late = "wait"
    stop: float = 0.5
    holidays: tuple[str, ...] = ()
    nag: str = "1 day"


class Days(msgspec.Struct, frozen=True, order=True):
    """A range of whole days, from ``first`` to ``last`` inclusive, such as an absence or a holiday."""

    first: date
    last: date

    def __str__(self) -> str:
        return f"{self.first} to {self.last}" if self.last > self.first else f"{self.first}"


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """The times of one request for orders, in UTC.

    Attributes:
        reminders: When reminders are due. The last one is at the deadline itself if there is a grace period.
        due: The deadline.
        final: The end of the grace period.
    """

    reminders: tuple[datetime, ...]
    due: datetime
    final: datetime


def rule_faults(rule: Rule, file: str = "") -> list[Fault]:
    """Return faults for all mistakes in a deadline rule; ``file`` is the file they are in."""
    faults = []

    def wrong(field: str, said: str) -> None:
        faults.append(Fault(code="deadline-rule", text=f"{field}: {said}", file=file))

    if _zone(rule.zone) is None:
        wrong("zone", _no_zone(rule.zone))
    for field, texts in (
        ("within", (rule.within,)),
        ("grace", (rule.grace,)),
        ("remind", rule.remind),
        ("nag", (rule.nag,)),
    ):
        for text in texts:
            if span(text) is None:
                wrong(field, f"write a length of time, like '3 days' or '1 day 12 hours', not {text!r}")
    if rule.at and _time(rule.at) is None:
        wrong("at", f"write a time of day, like 18:00, not {rule.at!r}")
    for day in rule.days:
        if day[:3].casefold() not in _DAYS:
            wrong("days", f"write a day of the week, not {day!r}")
    for text in rule.holidays:
        if days_in(text) is None:
            wrong("holidays", f"write days like '2027-12-24 to 2028-01-01' (a year at most), not {text!r}")
    if not 0 <= rule.stop <= 1:
        wrong("stop", f"write stop as a fraction from 0 to 1, not {rule.stop}")
    return faults


def span(text: str) -> timedelta | None:
    """Return the length of time in a text like ``3 days``, ``1 day 12 hours`` or ``0 hours``.

    Return ``None`` for any other text, and for more than 1000 days.
    """
    text = _ONE.sub("1", _TWO.sub("2", text))
    pieces = list(_SPAN.finditer(text))
    rest = re.sub(r"[\s,]|and", "", _SPAN.sub("", text))
    if not pieces or rest:
        return None
    seconds = sum(int(piece["count"]) * _SECONDS[piece["unit"].lower()] for piece in pieces)
    return timedelta(seconds=seconds) if seconds <= 1000 * _SECONDS["day"] else None


def _meant(text: str) -> timedelta:
    """Return the length of time in a text such as ``3 days`` from a rule that has no mistakes."""
    length = span(text)
    assert length is not None
    return length


_MONTH = "|".join(f"{short}(?:{name[3:]})?" if name[3:] else short for short, name in zip(MONTHS, NAMES, strict=True))
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?\.?"
_NAMED = rf"(?:{_NUMBER}\s+(?:of\s+)?(?:{_MONTH})\.?|(?:{_MONTH})\.?\s+{_NUMBER})(?:,?\s+\d{{4}})?"
_DATE = rf"\d{{4}}-\d\d?-\d\d?|{_NAMED}"
_TO = r"(?:to|until|till|through|bis|-|–)"
_DOTTED = r"\d{1,2}\.\s?\d{1,2}(?:\.(?:\s?\d{4})?)?"
_ALL_DOTTED = regex(
    rf"(?:from\s+)?(?:{_DOTTED}(?:\s*{_TO}\s*{_DOTTED})?|\d{{1,2}}\.?\s*{_TO}\s*{_DOTTED})", re.IGNORECASE
)
"""Regular expression for dates with the day first and a dot after each number: ``10.3. - 20.3.``."""
_DATES = regex(
    rf"(?:from\s+)?(?:(?P<one>{_DATE})(?:\s*{_TO}\s*(?P<last>{_DATE}|{_NUMBER}))?"
    rf"|(?P<number>{_NUMBER})\s*{_TO}\s*(?P<until>{_NAMED}))",
    re.IGNORECASE,
)
_YEAR = timedelta(days=366)
A_DAY = rf"(?:from\s+)?(?:\d|(?:{_MONTH})\.?\s+\d)"
"""Regular expression for the beginning of a date: its day, or its month and day."""


def days_in(text: str, today: date | None = None) -> Days | None:
    """Return the days in a text like ``2027-12-24 to 2028-01-01``; ``None`` if the text is something else.

    ``24 December to 1 January``, ``Dec 24-31`` and a single day are accepted too. A date without a year means the
    next such date from ``today`` on. More than a year gives ``None`` too.
    """
    text = text.strip()
    if _ALL_DOTTED.fullmatch(text):
        text = re.sub(r"(\d{1,2})\.\s?(\d{1,2})\b\.?", _named, text)
    match = _DATES.fullmatch(text.strip())
    if match is None:
        return None
    one, other = match["one"] or match["number"], match["last"] or match["until"] or match["one"]
    month = _month_in(one) or _month_in(other)
    try:
        first_day = _day(one, month, None) if _has_year(one) else None
        last = _day(other, month, first_day or today)
        if first_day is not None or one == other:
            first = first_day or last
        elif not _month_in(one):  # the only month in the text applies to both dates
            first = date(last.year, last.month, *map(int, re.findall(r"\d+", one)))
        else:
            first = _day(one, month, last, back=True)
    except ValueError:
        return None
    return Days(first, last) if timedelta() <= last - first <= _YEAR else None


def _named(dotted: re.Match[str]) -> str:
    """Return a date such as ``10.3.`` as text with the name of the month: ``10 March``."""
    month = int(dotted[2])
    return f"{dotted[1]} {NAMES[month - 1] if 0 < month <= len(NAMES) else month} "


def _month_in(text: str) -> int:
    """Return the month in a text as 1 to 12; 0 if the text has none."""
    match = re.search(_MONTH, text, re.IGNORECASE)
    return [one.casefold() for one in MONTHS].index(match[0][:3].casefold()) + 1 if match else 0


def _has_year(text: str) -> bool:
    return re.search(r"\d{4}", text) is not None


def _day(text: str, month: int, since: date | None, *, back: bool = False) -> date:
    """Return the date in a text.

    Args:
        text: The text.
        month: The month of a date without a month.
        since: A date without a year is the first such date from this day on.
        back: Whether it is instead the last such date up to ``since``.

    Raises:
        ValueError: The text has no such date.
    """
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if "-" in text:
        return date(*numbers)
    month = _month_in(text) or month
    if _has_year(text):
        day, year = numbers
        return date(year, month, day)
    if since is None:
        raise ValueError(text)
    day = numbers[0]
    step = -1 if back else 1
    years = (since.year + step * n for n in range(9))
    days = (date(year, month, day) for year in years if (month, day) != (2, 29) or isleap(year))
    return next(there for there in days if (there <= since if back else there >= since))


_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SOON = rf"(?:(?:on\s+)?(?:today|tomorrow|{_WEEKDAY}))"
SOON = regex(rf"(?:from\s+)?({_SOON})(?:\s*{_TO}\s*({_SOON}|{_DATE}))?|next\s+week", re.IGNORECASE)
"""Regular expression for days relative to today: ``tomorrow``, ``Monday to Friday``, ``next week``."""


def soon(text: str, today: date) -> Days | None:
    """Return the days in a text such as ``tomorrow`` or ``Monday to Friday``; ``None`` for other texts.

    The function accepts the texts that :data:`SOON` matches. The name of today's weekday means today.
    """
    match = SOON.fullmatch(text.strip())
    if match is None:
        return None
    if match[1] is None:
        first = today + timedelta(days=7 - today.weekday())
        return Days(first, first + timedelta(days=6))
    first = _soon(match[1], today, today)
    if match[2] is None:
        return Days(first, first)
    if re.fullmatch(_SOON, match[2], re.IGNORECASE):
        last = _soon(match[2], today, first)
        return Days(first, last) if first <= last else None
    there = days_in(match[2], first)
    return Days(first, there.last) if there is not None and first <= there.last <= first + _YEAR else None


def _soon(word: str, today: date, since: date) -> date:
    """Return the date for the word "today", "tomorrow" or a weekday.

    A weekday is the first such day from ``since`` on.
    """
    word = word.lower().removeprefix("on").strip()
    if word in ("today", "tomorrow"):
        return today + timedelta(days=word == "tomorrow")
    return since + timedelta(days=(_DAYS.index(word[:3]) - since.weekday()) % 7)


UNTIL = regex(rf"(?:until|till|to)\s+({_DATE}|tomorrow|{_WEEKDAY})", re.IGNORECASE)
"""Regular expression for the last day of a period: ``until 2027-07-14``, ``until Sunday``."""


def last_day(text: str, today: date) -> date | None:
    """Return the date in a text like ``until 2027-07-14``; ``None`` for other texts and past dates.

    ``until 14 July``, ``until tomorrow`` and ``until Sunday`` are accepted too. A weekday means the next day of
    that name after today.
    """
    if (match := UNTIL.fullmatch(text.strip())) is None:
        return None
    word = match[1].lower()
    if word == "tomorrow":
        return today + timedelta(days=1)
    if word[:3] in _DAYS:
        return today + timedelta(days=(_DAYS.index(word[:3]) - today.weekday() - 1) % 7 + 1)
    days = days_in(word, today)
    return days.last if days is not None and days.last >= today else None


def times(
    rule: Rule,
    asked: datetime,
    held: timedelta = timedelta(),
    *,
    away: Iterable[Days] = (),
    extended: timedelta = timedelta(),
) -> Times:
    """Return the deadline of a request for orders, its reminders, and the end of the grace period.

    Holidays and the days in ``away`` do not count. If the rule has a time of day, the deadline is moved to that
    time, but never to an earlier one.

    Args:
        rule: The deadline rule; it must have no mistakes.
        asked: When the request was sent.
        held: How long the game was paused since then.
        away: Days on which somebody who owes an answer is away.
        extended: Extra time, by local time in the rule's zone.
    """
    within, grace, *ahead = map(_meant, (rule.within, rule.grace, *rule.remind))
    gaps = _gaps(rule, away)
    asked = asked.astimezone(UTC)
    due = _allowed(rule, _beyond(gaps, asked, asked + within + held), gaps)
    if extended:
        there = due.astimezone(_clocks(rule.zone)) + extended
        due = _allowed(rule, _beyond(gaps, due, there.astimezone(UTC)), gaps)
    before = sorted({due - long for long in ahead})
    reminders = [moment for moment in before if asked < moment < due]
    if grace:
        reminders.append(due)
    return Times(reminders=tuple(reminders), due=due, final=_beyond(gaps, due, due + grace))


def uncounted(rule: Rule, begin: datetime, end: datetime, *, away: Iterable[Days] = (), before: datetime) -> timedelta:
    """Return how much of a period does not count, because of holidays and the days in ``away``.

    Only holidays and absences that begin before the time ``before`` are considered.
    """
    inside = ((max(first, begin), min(after, end)) for first, after in _gaps(rule, away) if first < before)
    return sum((there - here for here, there in inside if here < there), timedelta())


Gaps = list[tuple[datetime, datetime]]
"""Type of the periods that do not count towards a deadline: a sorted list of pairs (begin, end).

No two of them overlap or touch.
"""


def _gaps(rule: Rule, away: Iterable[Days]) -> Gaps:
    holidays = [days for text in rule.holidays if (days := days_in(text)) is not None]
    gaps: Gaps = []
    for stretch in sorted({*holidays, *away}):
        begin, end = bounds(stretch, rule.zone)
        if gaps and begin <= gaps[-1][1]:
            begin, end = gaps[-1][0], max(end, gaps.pop()[1])
        gaps.append((begin, end))
    return gaps


def bounds(days: Days, zone: str) -> tuple[datetime, datetime]:
    """Return when a range of days begins and ends in a time zone, as two times in UTC."""
    there = _clocks(zone)
    first, after = (datetime.combine(day, time(), there) for day in (days.first, days.last + timedelta(days=1)))
    return first.astimezone(UTC), after.astimezone(UTC)


def local_day(moment: datetime, zone: str) -> date:
    """Return the date of a time in a time zone."""
    return moment.astimezone(_clocks(zone)).date()


def _beyond(gaps: Gaps, begin: datetime, end: datetime) -> datetime:
    """Return the end of a period, moved later by all uncounted time within it (``gaps``)."""
    for first, after in gaps:
        if first < end and after > begin:
            end += after - max(first, begin)
    return end


def _allowed(rule: Rule, moment: datetime, gaps: Gaps) -> datetime:
    """Return the first possible deadline from ``moment`` on.

    It has the rule's time of day and an allowed weekday, and is not in a period that does not count (``gaps``).
    """
    due = _rounded(rule, moment)
    for first, after in gaps:
        if first < due < after:
            due = _rounded(rule, after)
    return due


def passed(deadlines: Times, now: datetime) -> int:
    """Return how many of a request's reminders are due by ``now``."""
    return sum(moment <= now for moment in deadlines.reminders)


MOST_NAGS = 14
"""Maximum number of reminders to a late player after the grace period; then the umpire must act."""


def nags(rule: Rule, deadlines: Times, now: datetime) -> tuple[int, datetime | None]:
    """Return the number of reminders after the deadline that are due by ``now``, and the time of the next.

    Only a game that waits for late players sends such reminders; the first is sent when the grace period is over. The
    time is ``None`` if no further reminder follows.
    """
    every = span(rule.nag)
    if rule.late != "wait" or not every:
        return 0, None
    # The first one is due at the end of the grace period.
    done = max(0, (now - deadlines.due) // every) if now >= deadlines.final else 0
    following = max(deadlines.due + (done + 1) * every, deadlines.final)
    return min(done, MOST_NAGS), following if done < MOST_NAGS else None


def written(moment: datetime, zone: str) -> str:
    """Return a time as text: ``Wed 5 May 2027, 18:00 (Europe/Berlin)``, in English in every locale."""
    there = moment.astimezone(_clocks(zone))
    day = f"{_DAYS[there.weekday()].title()} {there.day} {MONTHS[there.month - 1]} {there.year}"
    return f"{day}, {there.hour:02}:{there.minute:02} ({zone})"


def too_many(rule: Rule, late: int, players: int) -> bool:
    """Return whether so many of a host's players are late at once that the email has probably failed.

    One late player alone is never too many.
    """
    return late > 1 and late > rule.stop * players


def _rounded(rule: Rule, moment: datetime) -> datetime:
    """Return the first time from ``moment`` on with the rule's time of day and an allowed weekday."""
    wanted = _time(rule.at) if rule.at else None
    days = {_DAYS.index(day[:3].casefold()) for day in rule.days} or set(range(len(_DAYS)))
    zone = _clocks(rule.zone)
    local = moment.astimezone(zone)
    following = (local.date() + timedelta(days=ahead) for ahead in count())
    # A local time that summer time skips becomes the time after the change.
    allowed = (datetime.combine(day, wanted or local.time(), zone) for day in following if day.weekday() in days)
    return next(there for each in allowed if (there := each.astimezone(UTC)) >= moment)


def _time(text: str) -> time | None:
    match = re.fullmatch(r"(\d{1,2}):(\d\d)", text.strip())
    if match is None or int(match[1]) >= _HOURS or int(match[2]) >= _SECONDS["minute"]:
        return None
    return time(int(match[1]), int(match[2]))


def _no_zone(name: str) -> str:
    """Return the error message for an unknown time zone, or for a system without time zone data."""
    from zoneinfo import available_timezones

    if available_timezones():
        return f"no time zone {name!r} is known here; zones are called like Europe/Berlin"
    return (
        f"this system has no time zones, and {name!r} needs them: `{install_command('tzdata')}`, or its package tzdata"
    )


def _clocks(name: str) -> tzinfo:
    """Return the time zone with this name; UTC if the name is unknown."""
    return _zone(name) or UTC


def _zone(name: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo

    if name == "UTC":
        return UTC
    with suppress(KeyError, ValueError, OSError):
        return ZoneInfo(name)
    return None


Standing = Literal["owes", "answered", "not asked"]
"""Whether a side owes orders that the game waits for, has sent them, or is not asked for any."""
