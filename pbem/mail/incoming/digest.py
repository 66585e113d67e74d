"""What was put aside, told to the umpire together: once a day, or at once where one of his games is in trouble.

Spam comes every hour; a notice for each letter of it would bury what needs a person. The journal of letters is the
list of what is to be told, ``mail/digest.json`` says how far it has been. A digest is announced there before it is
put into the outbox: a host that is stopped in between puts in the same one again, which is there already.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import keep, read_kept
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.ledger import FILE as JOURNAL, LET_IN, Entry, entries_in
from pbem.mail.incoming.quarantine import accept_line, kept_as, notice_key
from pbem.mail.replies.receipts import paragraphs, wrapped
from pbem.mail.replies.replies import Reply, to_umpire

FILE: Final = "digest.json"
EVERY: Final = timedelta(days=1)
_MOST: Final = 30
"""Senders of whom a digest tells one by one."""


_SHOWN: Final = 5
"""Letters of one sender, put aside for one reason, that are told one by one."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """How many bytes of the journal the umpire has been told of, when, and up to where the digest that is being put
    into the outbox goes.
    """

    format: int = 1
    told: int = 0
    at: datetime | None = None
    telling: int = 0


def tell(post: Path, umpire: str, zone: str, now: datetime, put: Callable[[Reply], object]) -> None:
    """Put the digest into the outbox if it is time for one. ``post`` is the folder of the post's files."""
    file = post / FILE
    told = read_kept(file, Told) or Told()  # better told twice than not at all
    journal = post / JOURNAL
    size = journal.stat().st_size if journal.is_file() else 0
    if size <= told.told:
        if size < told.told:  # somebody began a new journal
            keep(file, msgspec.structs.replace(told, told=size, telling=0))
        return
    end = told.telling or size
    entries = _between(journal, told.told, end)
    if entries and not told.telling:
        urgent = any(entry.done == "trouble" for entry in entries)
        if not urgent and told.at is not None and now - told.at < EVERY:
            return
        told = msgspec.structs.replace(told, telling=end)
        keep(file, told)
    if entries and umpire:
        put(_digest(post, entries, umpire, zone, told))
    keep(file, Told(told=end, at=now if entries else told.at))


def _between(journal: Path, begin: int, end: int) -> list[Entry]:
    """The letters of a stretch of the journal of which the umpire is to hear."""
    with journal.open("rb") as file:
        file.seek(begin)
        data = file.read(end - begin)
    return [entry for entry in entries_in(data) if notice_key(entry.digest) in entry.replies]


def _digest(post: Path, entries: list[Entry], umpire: str, zone: str, told: Told) -> Reply:
    groups: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.sender, entry.why), []).append(entry)
    count = "A letter was" if len(entries) == 1 else f"{len(entries)} letters were"
    since = f" since {written(told.at, zone)}" if told.at else ""
    trouble = any(entry.done == "trouble" for entry in entries)
    silence = "Senders are told nothing" + ", but for players whose game is in trouble" * trouble
    owners = "a player whose address or token a letter has hears of it at his own address, once a day"
    aside = kept_as(post, "quarantine")
    lines = [wrapped(f"{count} put aside{since}. {silence}; {owners}.")]
    for (sender, why), same in list(groups.items())[:_MOST]:
        last = same[-1]
        lines += [
            "",
            f"  from     {sender or '(nobody, or more than one)'}" + (f" ({len(same)} letters)" * (len(same) > 1)),
            f"  subject  {last.subject}",
            *wrapped(why, "           ").replace("           ", "  because  ", 1).split("\n"),
            f"  kept as  {kept_as(post, last.file) if last.file else f'nothing: {aside} is full; empty it'}",
            *(f"  let in   {accept_line(post, one.file)}" for one in same[-_SHOWN:] if one.file and one.done in LET_IN),
        ]
    said = (
        "A letter of a player that should count is let in by its line above. Where neither its token nor its address "
        "says whose it is, add --game NAME --side SIDE."
    )
    lines = paragraphs(
        lines,
        said if any(entry.file and entry.done in LET_IN for entry in entries) else "",
        f"And {len(groups) - _MOST} more senders: all letters lie there." if len(groups) > _MOST else "",
    )
    subject = f"pbem: {count[0].lower()}{count[1:]} put aside"
    key = f"put aside {told.told} {told.telling} {entries[0].digest}"
    return to_umpire(umpire, subject, "\n".join(lines), key, page="players-change")
