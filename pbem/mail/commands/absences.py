"""Who is away, and when: told by a player's letter, once for all games of the club (``mail/absences.json``).

An absence moves no deadline by itself: the host lets its days not count for a request that wants an answer of somebody
who is away (:func:`pbem.mail.host.clocks.adopt`), and tells everybody in that game.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import json_in, keep, read_bytes
from pbem.mail.host.deadlines import Days, days_in
from pbem.mail.people import People
from pbem.mail.seats import Seat

FILE: Final = "absences.json"


class Absence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Days on which somebody, known by an address of his, is away; ``cause`` is the letter that said so. ``person`` is
    his key in players.toml: others may have that address, too.
    """

    who: str
    days: Days
    cause: str
    person: str = ""

    def is_of(self, seat: Seat) -> bool:
        """Whether it is that of who plays a side."""
        return seat.is_of(self.who, self.person)


def read_absences(post: Path) -> tuple[Absence, ...]:
    """What was told to a club. Raises :class:`GameError` where the file is damaged."""
    file = post / FILE
    if not file.is_file():
        return ()
    said = "what is known of players who are away is damaged"
    return json_in(read_bytes(file), tuple[Absence, ...], "absences-damaged", said, file)


def absences_of(people: People) -> tuple[Absence, ...]:
    """What players.toml says of people who are away."""
    return tuple(
        Absence(who=person.addresses[0], days=days, cause="players.toml", person=key)
        for key, person in people.people.items()
        for text in person.away
        if (days := days_in(text)) is not None
    )


def add_absence(post: Path, absence: Absence) -> None:
    """Write an absence down; one of the same cause is known already. Only for who takes in the club's letters."""
    known = read_absences(post)
    if all(one.cause != absence.cause for one in known):
        keep(post / FILE, (*known, absence), indent=True)


def end_absences(post: Path, of: Callable[[Absence], bool], today: date) -> int:
    """Somebody is back: from ``today`` on his absences count no more. Returns how many there were. Only for who takes
    in the club's letters.
    """
    known, left = read_absences(post), list[Absence]()
    ended = [one for one in known if of(one) and one.days.last >= today]
    for one in known:
        if one not in ended:
            left.append(one)
        elif one.days.first < today:
            left.append(msgspec.structs.replace(one, days=Days(one.days.first, today - timedelta(days=1))))
    if ended:
        keep(post / FILE, left, indent=True)
    return len(ended)
