"""ADDRESS: a player has his mail sent elsewhere, in all his games of the club.

What he asks for is told at both addresses, and takes effect when the code that only the new one was sent comes back. It
is written into ``mail/addresses.json`` (:class:`pbem.mail.people.Move`), over which players.toml stands: neither that
nor any game's file is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import keep
from pbem.mail.incoming.letters import Letter
from pbem.mail.people import MOVES, Move, is_address, read_moves, read_people
from pbem.mail.replies.receipts import paragraphs, wrapped
from pbem.mail.replies.replies import Reply, letter_key
from pbem.mail.seats import Games, Seat, new_token, player_addresses
from pbem.mail.settings import read_host

if TYPE_CHECKING:
    from pbem.mail.replies.answer import Attendant

_CODE: Final = "CODE "
LASTS: Final = timedelta(days=30)
"""So long a code that was sent out may come back."""
MOST: Final = 3
"""So many codes are sent out for one player meanwhile: nobody's mailbox is filled by us."""


def address(desk: Attendant) -> Reply:
    """A player asks for his mail to go elsewhere: the code goes there, what happens is told him here."""
    games, seat = desk.games, desk.seat
    if games.club is None or games.now is None:
        return desk.reply("command", "nothing was changed", ["No host knows your address: tell your umpire."])
    said = desk.letter.argument
    if wrong := _refused(desk, said):
        return desk.reply("fault", "your address is as it was", paragraphs(f"{wrong} Nothing was changed."))
    new, old = said.lower(), seat.addresses[0]
    known = read_moves(games.post)
    found = next((one for one in known if one.cause == desk.letter.digest), None)
    if found is None:
        since = [one for one in known if (one.old, one.person) == (old, seat.person) and _open(one, games.now)]
        if len(since) >= MOST:
            text = (
                f"{len(since)} codes were sent out for you and none came back. MESSAGE TO UMPIRE reaches your umpire."
            )
            return desk.reply("fault", "your address is as it was", [wrapped(text)])
        found = Move(old=old, new=new, person=seat.person, code=new_token(), cause=desk.letter.digest, asked=games.now)
        keep(games.post / MOVES, (*known, found), indent=True)
    desk.also.append(_code_for(desk.letter, games, found))
    lines = paragraphs(
        f"You want your mail to go to {new}: {_games(games, seat, desk.letter.sender)}. A code was sent there. When it "
        f"comes back your mail goes there, and letters from {old} count no more; until then all stays as it is.",
    )
    return desk.reply("command", "a code was sent to your new address", lines)


def _refused(desk: Attendant, said: str) -> str:
    """Why nobody's address is changed by this."""
    games = desk.games
    assert games.club is not None
    if not read_host(games.club).letters.address:
        return "In this club the umpire knows who lives where: MESSAGE TO UMPIRE reaches him."
    if said.startswith(_CODE):
        return "No such code was sent out, or it was too long ago."
    if not is_address(said):
        return "ADDRESS new@example.org has your mail sent there, in all your games here."
    if said.lower() == desk.seat.addresses[0]:
        return "Your mail goes there."
    if said.lower() in (*player_addresses(games.umpire), *player_addresses(games.orders)):
        return f"{said.lower()} is an address of the club itself."
    return ""


def to_come(games: Games) -> frozenset[str]:
    """The addresses codes were sent to that have not come back: letters from there may lie before the one that brings
    it.
    """
    if games.club is None or (now := games.now) is None:
        return frozenset()
    return frozenset(one.new for one in read_moves(games.post) if _open(one, now))


def _open(move: Move, now: datetime) -> bool:
    return not move.done and move.asked is not None and now - move.asked < LASTS


def _games(games: Games, seat: Seat, sender: str) -> str:
    return ", ".join(dict.fromkeys(one.game for one in games.of_person(seat, sender)))


def _key(letter: Letter, what: str) -> str:
    return letter_key(letter.digest, what)


def _code_for(letter: Letter, games: Games, move: Move) -> Reply:
    lines = paragraphs(
        f"{move.old} plays Star Fleet Battles by mail here, and wants that mail sent to this address from now on. If "
        "that is you, answer with this line, as the subject or first in the mail:",
        [f"  ADDRESS CODE {move.code}"],
        "If you know nothing of it, do nothing: no more mail comes.",
    )
    subject = "pbem: shall your mail come here?"
    return Reply(to=move.new, subject=subject, text="\n".join(lines) + "\n", kind="command", key=_key(letter, "code"))


def confirmed(letter: Letter, games: Games) -> tuple[Seat, tuple[Reply, ...]] | None:
    """What is answered to a letter that brings a code back, and a seat of who sent it; ``None`` for any other letter.
    From now on his mail goes there; it is so once, however often the letter comes.
    """
    if games.club is None or games.now is None or letter.command != "ADDRESS":
        return None
    code = letter.argument.removeprefix(_CODE).strip().lower() if letter.argument.startswith(_CODE) else ""
    known = read_moves(games.post)
    move = next((one for one in known if code and one.code == code), None)
    if move is None or letter.sender not in (move.new, move.old) or not (move.done or _open(move, games.now)):
        return None
    seats = [one for one in games.seats if one.is_of(move.old, move.person) or one.is_of(move.new, move.person)]
    if not seats:
        return None
    if not move.done:
        done = msgspec.structs.replace(move, done=games.now)
        keep(games.post / MOVES, [done if one is move else one for one in known], indent=True)
    key = [_key(letter, to) for to in (move.new, move.old)]
    return seats[0], _told(move, seats, games, key, "as was asked for by a letter from here", letter)


def _told(
    move: Move, seats: list[Seat], games: Games, keys: list[str], why: str, letter: Letter | None = None
) -> tuple[Reply, ...]:
    """Both addresses are told; ``why`` is for the old one."""
    theirs = ", ".join(sorted({one.game for one in seats}))
    said = {
        move.new: f"Your mail goes to {move.new} from now on, in {theirs}. Write from there: letters from {move.old} "
        "count no more. Your tokens are what they were; your last report comes once more.",
        move.old: f"Mail for {theirs} goes to {move.new} from now on, {why}. If that is wrong, write to "
        f"{games.umpire or 'your umpire'}.",
    }
    return tuple(
        Reply(
            to=to, subject="pbem: a new address", text=wrapped(text) + "\n", kind="command", key=key,
            in_reply_to=letter.message_id if letter is not None and to == letter.sender else "",
        )
        for key, (to, text) in zip(keys, said.items(), strict=True)
    )  # fmt: skip


def somebody(club: Path, games: Games, who: str) -> tuple[str, str, list[Seat]]:
    """Whom an umpire means by an address, his former one too, or a key or name of players.toml: his key there (``""``
    where he stands not in it), where his mail goes, and his seats. Raises :class:`GameError` where that is nobody, or
    more than one.
    """
    people = read_people(club)
    known = people.meant(who)
    (wanted,) = people.now([" ".join(who.split()).casefold()])
    seats = [one for one in games.seats if one.person in known or (not one.person and wanted in one.addresses)]
    if len(known) > 1 or not (known or seats):
        text = f"{who!r} is {'more than one person' if known else 'nobody'} here: give an address, or a key"
        raise GameError.saying("address", text, file=str(club))
    return *next(((key, person.mail.lower()) for key, person in known.items()), ("", wanted)), seats


def move_by_hand(club: Path, games: Games, who: str, new: str, now: datetime) -> Move:
    """The umpire has the mail of :func:`somebody` sent elsewhere; :func:`tell` says so to both addresses. Given again,
    it is the move that was decided before and is not told yet. Raises :class:`GameError`.
    """
    if not is_address(new):
        raise GameError.saying("address", f"{new!r} is no bare mail address like ann@example.org", file=str(club))
    key, old, _ = somebody(club, games, who)
    known = read_moves(games.post)
    stopped = next((one for one in known if one.untold and (one.new, one.person) == (new.lower(), key)), None)
    if stopped is not None and new.lower() == old:
        return stopped
    if old == new.lower():
        raise GameError.saying("address", f"mail of {who} goes to {old} already", file=str(club))
    cause = f"umpire {now.isoformat()}"
    move = Move(old=old, new=new.lower(), person=key, code="", cause=cause, done=now, untold=True)
    keep(games.post / MOVES, (*known, move), indent=True)  # from here on it is decided
    return move


def tell(games: Games, put: Callable[[Reply], object]) -> None:
    """Put the letters on all moves that the umpire decided and nobody was told of into the outbox. However often this
    is cut off, each goes once. The caller holds the lock of the journal.
    """
    known = read_moves(games.post)
    untold = [move for move in known if move.untold]
    for move in untold:
        seats = [one for one in games.seats if one.is_of(move.old, move.person) or one.is_of(move.new, move.person)]
        keys = [letter_key(move.cause, move.old, move.new, to) for to in ("new", "old")]
        for letter in _told(move, seats, games, keys, "as your umpire has it"):
            put(letter)
    if untold:
        keep(games.post / MOVES, [msgspec.structs.replace(one, untold=False) for one in known], indent=True)
