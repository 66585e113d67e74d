"""Determine the umpire of a game, and recognize the umpire's emails.

The umpire is the person whom the game's post.toml names. If it names nobody, the umpire is the person whose entry in
players.toml lists the game, otherwise the club's umpire. An umpire may play in the game too; the players are then
informed.

An umpire's email is recognized by two things together, as with players: the address, and a token from the notices to
the umpire. The token is made from the game's name with a secret key of the club (``mail/umpire.json``).
So the token can be checked without reading any game.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import keep, read_kept
from pbem.mail.incoming.message import Letter
from pbem.mail.people import read_people
from pbem.mail.seats import ALPHABET, LENGTH, Games, Seat, UnknownSender, player_addresses, seats, tokens_in
from pbem.mail.settings import GAME_FILE, host_of, read_host, umpire_named
from pbem.util import regex

FILE: Final = "umpire.json"
RULING_FILE: Final = "ruling.json"
"""The file, in the folder ``mail`` of a game, with the ruling that was shown to the umpire last."""
_WORD: Final = regex(r"[\w-]+")


class Umpire(msgspec.Struct, frozen=True, kw_only=True):
    """The umpire of a game.

    Attributes:
        to: The address to which the umpire's email is sent, perhaps with a name.
        addresses: The addresses from which the umpire may write.
        plays: The side the umpire plays in this game; ``""`` for none.
    """

    to: str = ""
    addresses: tuple[str, ...] = ()
    plays: str = ""


class _Key(msgspec.Struct, frozen=True, kw_only=True):
    key: str


def umpire_of(club: Path, game: Path, default: str, theirs: tuple[Seat, ...] | None = None) -> Umpire:
    """Return the umpire of a game in a club.

    Args:
        club: The club's folder.
        game: The game's folder.
        default: The club's umpire.
        theirs: The seats of the game; read from the game if ``None``.

    Raises:
        GameError: If post.toml or players.toml cannot be used.
    """
    people = read_people(club)
    named = umpire_named(game) or people.umpire_of(game.name) or default
    person = people.find(named)
    addresses = person.addresses if person is not None else player_addresses(named)
    if not addresses and named == default:
        return Umpire()
    if not addresses:
        text = f"umpire = {named!r} is neither an email address nor a key in players.toml"
        raise GameError.saying("address", text, file=str(game / GAME_FILE))
    to = f"{person.name} <{person.mail}>" if person is not None and person.name else addresses[0]
    seated = seats(game) if theirs is None else theirs
    return Umpire(to=to if person is not None else named, addresses=addresses, plays=_side_of(addresses, seated))


def by_address(to: str, theirs: tuple[Seat, ...]) -> Umpire:
    """Return the umpire of a game, made from the umpire's address alone.

    ``theirs`` are the game's seats (sides played by email); they show whether the umpire plays too.
    """
    return Umpire(to=to, plays=_side_of(player_addresses(to), theirs))


def _side_of(addresses: tuple[str, ...], seated: Sequence[Seat]) -> str:
    return next((seat.side for seat in seated if set(addresses) & set(seat.addresses)), "")


def plays(game: Path) -> str:
    """Return the side that the umpire of a hosted game plays; ``""`` if there is none.

    It is also ``""`` if the game belongs to no host.
    """
    club = host_of(game)
    return umpire_of(club, game.absolute(), read_host(club).umpire).plays if club is not None else ""


def token_for(post: Path, game: str) -> str:
    """Return the token by which the umpire of a game is recognized; ``post`` is the club's mail folder."""
    return derived(post, game)


def derived(post: Path, what: str, length: int = LENGTH) -> str:
    """Return a secret word of ``length`` characters (at most 32), derived from the text ``what``.

    In a club the same text always gives the same word. It is made with the club's secret key, which is created if
    it is missing. ``post`` is the club's mail folder.
    """
    return _token(_key(post), what, length)


def _key(post: Path, *, make: bool = True) -> str:
    stored = read_kept(post / FILE, _Key)
    if stored is None and make:
        stored = _Key(key=new_key())
        keep(post / FILE, stored)
    return stored.key if stored is not None else ""


def new_key() -> str:
    """Return a new random secret key for a club, in hexadecimal.

    Umpires' tokens and web keys are derived from it.
    """
    return secrets.token_hex(32)


def _token(key: str, game: str, length: int = LENGTH) -> str:
    made = hmac.digest(bytes.fromhex(key), f"umpire|{game}".encode(), "sha256")
    return "".join(ALPHABET[byte % len(ALPHABET)] for byte in made[:length])


def umpire_in(games: Games, seat: Seat) -> Umpire:
    """Return the umpire of a seat's game.

    If ``post.toml`` or ``players.toml`` has an error, this is the club's umpire; ``pbem doctor`` reports the error.
    """
    seated = tuple(games.by_folder.get(seat.folder, ()))
    if games.club is not None:
        with suppress(GameError):  # the email must be handled even if the umpire's settings are faulty
            return umpire_of(games.club, seat.folder, games.umpire, seated)
    return by_address(games.umpire, seated)


def umpire_with_token(letter: Letter, games: Games) -> tuple[Path, Umpire] | UnknownSender | None:
    """Return the game folder and the umpire whose token is in an email.

    Return :class:`UnknownSender` if the email has such a token and was sent from another address. Return ``None``
    if it has no umpire's token.
    """
    words = tokens_in(letter)
    if games.club is None or not words or not (key := _key(games.post, make=False)):
        return None
    hashes = {hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest() for word in words}
    for folder, theirs in games.by_folder.items():
        if hashlib.sha256(_token(key, folder.name).encode()).digest() not in hashes:
            continue
        umpire = umpire_of(games.club, folder, games.umpire, tuple(theirs))
        if letter.sender in umpire.addresses:
            return folder, umpire
        sender = letter.sender or "nobody, or more than one"
        return UnknownSender(
            why=f"it has the token of the umpire of {folder.name}, but was sent from {sender}", game=folder.name
        )
    return None


def named_in(letter: Letter, games: Games) -> tuple[Path, Umpire] | None:
    """Return game folder and umpire, if an email's subject names a game whose umpire is the sender.

    Return ``None`` otherwise.
    """
    if games.club is None or not letter.sender:
        return None
    words = {word.casefold() for word in _WORD.findall(letter.subject)}
    for folder, theirs in games.by_folder.items():
        if folder.name.casefold() in words:
            with suppress(GameError):  # pbem doctor reports errors in post.toml
                umpire = umpire_of(games.club, folder, games.umpire, tuple(theirs))
                if letter.sender in umpire.addresses:
                    return folder, umpire
    return None
