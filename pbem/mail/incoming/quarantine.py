"""Letters that are put aside: what the umpire is told of them, and the player they seem to come from. Of what they say
nothing is repeated: whoever can send mail can have it say anything.

What was put aside, told to the umpire together: once a day, or at once where one of his games is in trouble.

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
from pbem.games.submit import typed
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.ledger import FILE as JOURNAL, LET_IN, Entry, entries_in
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.receipts import paragraphs, wrapped
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, UnknownSender, address_of, player_addresses, subject_for, without_tokens


def notice(letter: Letter, games: Games, why: str) -> tuple[Reply, ...]:
    """Tells the umpire of a letter that was put aside. What it says is not repeated: he can look at it."""
    text = [
        wrapped(f"A letter was put aside, because {why}. Its sender was told nothing."),
        "",
        f"  from     {letter.sender or '(nobody, or more than one)'}",
        f"  subject  {without_tokens(letter.subject)[:200]}",
        f"  date     {letter.date[:100]}",
        f"  kept as  {kept_as(games.post, f'quarantine/{letter.digest[:24]}.eml')}",
        f"  let in   {accept_line(games.post, f'quarantine/{letter.digest[:24]}.eml')}",
    ]
    key = notice_key(letter.digest)
    return (to_umpire(games.umpire, "pbem: a letter was put aside", "\n".join(text), key, page="players-change"),)


def to_owner(letter: Letter, games: Games, found: UnknownSender) -> tuple[Reply, ...]:
    """Tells a player of a letter in his name, or with his token, that counts for nothing: at his own address, once a
    day. Nothing is in it that whoever wrote the letter could choose but, where he has the token, his address; another
    player's is not.
    """
    seat = found.owner
    if seat is None or games.now is None or seat.addresses[0] in (bare(games.umpire), bare(games.orders)):
        return ()
    day = f"{games.now:%Y-%m-%d}"
    if found.stolen:
        others = any(letter.sender in one.addresses for one in games.seats)  # nobody learns another player's
        came = f"A letter with your token came from {'elsewhere' if others else letter.sender}"
        how = f"write from {' or '.join(seat.addresses)}, or have the umpire know that address, too"
        known = "your token"
    else:
        came = "A letter came from your address without your token"
        mine = {one.game for one in games.of_person(seat, letter.sender)}
        which = (
            f"a mail of the game it is for, as this one of {seat.game}"
            if len(mine) > 1
            else "one of the mails you get, as this one"
        )
        how = f"answer {which}: their subjects have it"
        if games.tags:
            how = f"write to {address_of(games, seat)}, as every answer to a mail of ours does"
        known = "your address"
    lines = paragraphs(
        f"{came}. It was put aside and counts for nothing, whatever it holds; the umpire is told of it.",
        f"If it is yours, send it again: {how}. If it is not, somebody uses {known}; your games are safe. You hear of "
        "such letters once a day at most.",
    )
    return (
        Reply(
            to=seat.to,
            subject=subject_for(games, seat, f"{seat.game}: a letter was put aside"),
            text="\n".join(lines) + "\n",
            kind="notice",
            game=seat.game,
            side=seat.side,
            key=letter_key(games.orders, seat.game, seat.side, seat.addresses[0], "aside", day),
        ),
    )


def kept_as(post: Path, name: str) -> str:
    """Where a letter lies that was put aside, in whatever folder somebody stands who is told it."""
    return str(post.absolute() / name)


def accept_line(post: Path, name: str) -> str:
    """The line by which the umpire lets a letter in that was put aside: it may be pasted as it is."""
    home = post.absolute().parent
    folder = home.parent if home.name == "secret" else home
    return f"pbem mail accept {typed(folder)} {name}"


def notice_key(digest: str) -> str:
    """The key of the notice on a letter: where it stands among the answers, the umpire is to hear of that letter."""
    return letter_key(digest, "umpire")


def bare(address: str) -> str:
    """The address in ``The Umpire <umpire@example.org>``, in small letters."""
    return next(iter(player_addresses(address)), "")


FILE: Final = "digest.json"
EVERY: Final = timedelta(days=1)
_MOST: Final = 30
"""Senders of whom a digest tells one by one."""


_SHOWN: Final = 5
"""Letters of one sender, put aside for one reason, that are told one by one."""


class DigestProgress(msgspec.Struct, frozen=True, kw_only=True):
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
    told = read_kept(file, DigestProgress) or DigestProgress()  # better told twice than not at all
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
    keep(file, DigestProgress(told=end, at=now if entries else told.at))


def _between(journal: Path, begin: int, end: int) -> list[Entry]:
    """The letters of a stretch of the journal of which the umpire is to hear."""
    with journal.open("rb") as file:
        file.seek(begin)
        data = file.read(end - begin)
    return [entry for entry in entries_in(data) if notice_key(entry.digest) in entry.replies]


def _digest(post: Path, entries: list[Entry], umpire: str, zone: str, told: DigestProgress) -> Reply:
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
