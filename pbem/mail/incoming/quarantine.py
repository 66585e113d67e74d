"""Notices about emails that were put aside (stored for the umpire): to the umpire, and to the player concerned.

A notice to a player never repeats the text of such an email, since a stranger could put anything into it.

The umpire gets one digest a day, or at once if a game is in trouble. Single notices about spam would hide what
needs attention. The digest is made from the journal of incoming emails, and the fact ``digest`` of the database says
up to where the journal was reported. A digest is recorded there before it is put into the outbox. So a host that is
stopped in between writes the same one again, which the outbox recognizes.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.submit import typed
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.ledger import LET_IN
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.receipts import paragraphs, wrapped
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, UnknownSender, address_of, player_addresses, subject_for, without_tokens
from pbem.mail.store import DIGEST, DigestProgress, Entry, opened


def notice(letter: Letter, games: Games, why: str) -> tuple[Reply, ...]:
    """Return the email that tells the umpire that an email was put aside.

    It does not repeat the text of that email; the umpire can open the file.
    """
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
    """Return the email that tells a player of a rejected email with their address or token, at most once a day.

    It goes to the player's known address. It contains nothing that the writer of the email could choose, except the
    writer's address if the email had the right token. Another player's address is never shown.
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
    """Return the absolute path of an email that was put aside."""
    return str(post.absolute() / name)


def accept_line(post: Path, name: str) -> str:
    """Return the shell command with which the umpire accepts an email that was put aside, ready to paste."""
    home = post.absolute().parent
    folder = home.parent if home.name == "secret" else home
    return f"pbem mail accept {typed(folder)} {name}"


def notice_key(digest: str) -> str:
    """Return the key of the umpire's notice about an email.

    If the journal lists this key among the answers to an email, the digest must mention that email.
    """
    return letter_key(digest, "umpire")


def bare(address: str) -> str:
    """Return the address in ``The Umpire <umpire@example.org>``, in lower case; ``""`` if there is none."""
    return next(iter(player_addresses(address)), "")


EVERY: Final = timedelta(days=1)
_MOST: Final = 30
"""Maximum number of groups in a digest; the emails of a group have the same sender and the same reason."""


_SHOWN: Final = 5
"""Maximum number of emails of one group for which the digest shows the command that accepts them."""


def tell(post: Path, umpire: str, zone: str, now: datetime, put: Callable[[Reply], object]) -> None:
    """Put the umpire's digest of emails that were put aside into the outbox, if it is due.

    Args:
        post: The folder for email files.
        umpire: The umpire's address; without it no digest is written.
        zone: The time zone in which times are shown.
        now: The time.
        put: Puts a reply into the outbox.
    """
    with opened(post) as store:
        told = store.fact(DIGEST, DigestProgress) or DigestProgress()  # better told twice than not at all
        end = told.telling or store.last_email()
        if end <= told.told:
            return
        entries = [one for _, one in store.emails(told.told, end) if notice_key(one.digest) in one.replies]
        if entries and not told.telling:
            urgent = any(entry.done == "trouble" for entry in entries)
            if not urgent and told.at is not None and now - told.at < EVERY:
                return
            told = msgspec.structs.replace(told, telling=end, key=f"put aside {told.told} {end}")
            store.keep(DIGEST, told)
        if entries and umpire:
            put(_digest(post, entries, umpire, zone, told))
        store.keep(DIGEST, DigestProgress(told=end, at=now if entries else told.at))


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
    return to_umpire(umpire, subject, "\n".join(lines), f"{told.key} {entries[0].digest}", page="players-change")
