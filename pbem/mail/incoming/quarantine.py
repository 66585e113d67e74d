"""Letters that are put aside: what the umpire is told of them, and the player they seem to come from. Of what they say
nothing is repeated: whoever can send mail can have it say anything.
"""

from __future__ import annotations

from pathlib import Path

from pbem.games.typed import typed
from pbem.mail.incoming.letters import Letter
from pbem.mail.replies.receipts import paragraphs, wrapped
from pbem.mail.replies.replies import Reply, letter_key, to_umpire
from pbem.mail.seats import Games, Unknown, address_of, player_addresses, subject_for, without_tokens


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


def to_owner(letter: Letter, games: Games, found: Unknown) -> tuple[Reply, ...]:
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
