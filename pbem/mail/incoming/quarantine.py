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

from pbem.mail import emails
from pbem.mail.emails import wrapped
from pbem.mail.host.deadlines import written
from pbem.mail.incoming.ledger import LET_IN
from pbem.mail.incoming.message import Letter
from pbem.mail.replies.reply import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, UnknownSender, address_of, player_addresses, subject_for, without_tokens
from pbem.mail.store import DIGEST, DigestProgress, Entry, opened
from pbem.util import typed


def notice(letter: Letter, games: Games, why: str) -> tuple[Reply, ...]:
    """Return the email that tells the umpire that an email was put aside.

    It does not repeat the text of that email; the umpire can open the file.
    """
    name = f"quarantine/{letter.digest[:24]}.eml"
    said = emails.render(
        "put-aside",
        games.club,
        why=why,
        sender=letter.sender,
        subject=without_tokens(letter.subject)[:200],
        date=letter.date[:100],
        file=kept_as(games.post, name),
        accept=accept_line(games.post, name),
    )
    key = notice_key(letter.digest)
    return (to_umpire(games.umpire, said.subject, said.text, key, page="players-change"),)


def to_owner(letter: Letter, games: Games, found: UnknownSender) -> tuple[Reply, ...]:
    """Return the email that tells a player of a rejected email with their address or token, at most once a day.

    It goes to the player's known address. It contains nothing that the writer of the email could choose, except the
    writer's address if the email had the right token. Another player's address is never shown.
    """
    seat = found.owner
    if seat is None or games.now is None or seat.addresses[0] in (bare(games.umpire), bare(games.orders)):
        return ()
    day = f"{games.now:%Y-%m-%d}"
    others = any(letter.sender in one.addresses for one in games.seats)  # nobody learns another player's
    said = emails.render(
        "put-aside-owner",
        games.club,
        game=seat.game,
        stolen=found.stolen,
        sender=letter.sender if found.stolen and not others else "",
        mine=seat.addresses,
        address=address_of(games, seat) if games.tags else "",
        games=len({one.game for one in games.of_person(seat, letter.sender)}),
    )
    return (
        Reply(
            to=seat.to,
            subject=subject_for(games, seat, said.subject),
            text=f"{said.text}\n",
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
    shown = []
    for (sender, why), same in list(groups.items())[:_MOST]:
        last = same[-1]
        because = wrapped(why, "           ").replace("           ", "  because  ", 1)
        file = kept_as(post, last.file) if last.file else ""
        lines = [accept_line(post, one.file) for one in same[-_SHOWN:] if one.file and one.done in LET_IN]
        shown.append((sender, len(same), last.subject, [because], file, lines))
    said = emails.render(
        "put-aside-list",
        post.parent,
        letters=len(entries),
        since=written(told.at, zone) if told.at else "",
        trouble=any(entry.done == "trouble" for entry in entries),
        groups=shown,
        folder=kept_as(post, "quarantine"),
        can_accept=any(entry.file and entry.done in LET_IN for entry in entries),
        more=len(groups) - _MOST,
    )
    return to_umpire(umpire, said.subject, said.text, f"{told.key} {entries[0].digest}", page="players-change")
