"""Your club: one letter a week to the umpire, in good weeks too, so that silence never means that nobody looks.

``mail/weekly.json`` says since when the week counts. The letter is named after that moment: a host that is stopped
before it is written down finds the letter in its outbox and puts no second one there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.counts import several
from pbem.games.storage.files import keep, read_kept
from pbem.mail.host.apart import Deed
from pbem.mail.host.deadlines import written
from pbem.mail.host.overview import Overview, in_words, overview
from pbem.mail.replies.receipts import wrapped
from pbem.mail.replies.replies import Reply, to_umpire
from pbem.mail.settings import Host

FILE: Final = "weekly.json"
WEEK: Final = timedelta(days=7)


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """Since when the week counts of which the next letter tells."""

    since: datetime
    format: int = 1


def tell(folder: Path, host: Host, now: datetime, deeds: Iterable[Deed], put: Callable[[Reply], object]) -> None:
    """Put the letter into the outbox if a week is over. ``deeds`` are the rounds in which something happened."""
    file = folder / "mail" / FILE
    week = read_kept(file, Week)
    if week is None or now < week.since:  # the first week begins now, or the clock was put back
        keep(file, Week(since=now))
        return
    if now - week.since < WEEK:
        return
    if host.umpire:
        done = [deed for deed in deeds if week.since < deed.at <= now]
        put(letter(folder, host, week.since, done, overview(folder, now)))
    # On the same day of the week as before, however long the host was off.
    keep(file, Week(since=week.since + (now - week.since) // WEEK * WEEK))


def letter(folder: Path, host: Host, since: datetime, done: list[Deed], found: Overview) -> Reply:
    """What the umpire is told of a week."""
    zone = host.deadlines.zone
    sent, came = sum(len(deed.sent) for deed in done), sum(len(deed.letters) for deed in done)
    watched = sum(name.startswith("watch.") for deed in done for name in deed.sent)
    needs = len(found.needs)
    wants = "Nothing needs you" if not needs else f"{several(needs, 'thing needs', 'things need')} you"
    mails = several(sent - watched, "mail") + (f", and {watched} to spectators," if watched else "")
    lines = [wrapped(f"Since {written(since, zone)}: {several(came, 'letter')} came in and {mails} went out. {wants}.")]
    lines += ["", *in_words(found, zone), ""]
    lines += [f"{row.name}: {row.says}" for row in found.games] or ["There is no game yet."]
    name = f" ({host.name})" if host.name else ""
    subject = f"pbem: your club{name}: {wants[0].lower()}{wants[1:]}"
    return to_umpire(host.umpire, subject, "\n".join(lines), f"your club {since.isoformat()}", page="season")
