"""Decide for which side of which game an email may give orders, by its sender and a token.

A seat is a side of a game that somebody plays by email. The email must come from the player's address and contain
the token of the side. A token is a word that only the host and the player know. It may be in the address to which
the email goes (``orders+TOKEN@example.org``), in the subject or on the GAME line (``TOKEN abc``). An address alone
proves nothing, since anybody can forge it. A token alone may have been seen by somebody who got a forwarded email.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import Fault, GameError
from pbem.games.storage.files import json_in, keep, read_bytes
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.players import PLAYERS_FILE as PLAYERS, TENURES, by_computer, players, tenures
from pbem.games.storage.terms import Terms, read_terms
from pbem.mail.incoming.message import Letter
from pbem.mail.people import Roll, read_people
from pbem.mail.settings import Host, broken_by, games_under
from pbem.orders.mail_text import order_text
from pbem.orders.reader import read_header
from pbem.util import regex

FORMAT: Final = 1
FILE: Final = "tokens.json"
SEATED_BY: Final = ("game.toml", f"secret/{FILE}", f"secret/{PLAYERS}", f"secret/{TENURES}")
"""Names of the files of a game that decide who plays it."""
ALPHABET: Final = "abcdefghjkmnpqrstvwxyz23456789"
LENGTH: Final = 14
LOGIN_PATH: Final = "/in"
"""Path on the club's web server for personal links; the player's web key follows after ``#``.

See :mod:`pbem.mail.web_keys`.
"""
KEY_LENGTH: Final = 26
"""Length of a web key (the secret in a player's personal link), in characters."""
_LINK: Final = regex(rf"{LOGIN_PATH}#[a-z0-9]{{{KEY_LENGTH}}}")
_TOKEN: Final = regex(r"\bTOKEN[\s:=]+([A-Za-z0-9]{6,64})\b", re.IGNORECASE)
_PLAYER: Final = regex(r"(?<![^\s@<>,;:\"()])[^\s@<>,;:\"()]++@[A-Za-z0-9.-]+")


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of ``secret/tokens.json``: for each side that a person plays, its token."""

    format: int
    tokens: dict[str, str]


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A side of a game that somebody plays by email.

    Attributes:
        game: The name of the game.
        folder: The folder of the game.
        side: The side.
        addresses: Where the player may write from; email goes to the first.
        token: The player's token.
        tenure: How often the side has changed players so far.
        name: The player's name in the ``To`` header of emails; empty if it is unknown.
        shared: Whether somebody else gets email at the same address. Subjects then name the side.
        person: The player's key in players.toml; empty if they are not in it.
    """

    game: str
    folder: Path
    side: str
    addresses: tuple[str, ...]
    token: str
    tenure: int = 0
    name: str = ""
    shared: bool = False
    person: str = ""

    def is_of(self, address: str, person: str = "") -> bool:
        """Return whether the player of this seat (side played by email) is the person with this address.

        If two people share the address and both are in players.toml, their key ``person`` decides.
        """
        return address in self.addresses and (not person or self.person in ("", person))

    @property
    def to(self) -> str:
        """The player's address for the ``To`` header of an email, with their name if it is known."""
        return f"{self.name} <{self.addresses[0]}>" if self.name else self.addresses[0]


class Games(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """All games of a host that incoming emails may concern, with the settings for handling emails.

    Attributes:
        seats: All sides that are played by email.
        post: The folder for email files.
        umpire: The address to which notices for the umpire are sent.
        orders: The address that players write to.
        tags: Whether each player writes to a separate address with their token in it.
        web: The URL of the club's web server; empty if there is none.
        broken: Game folders that cannot be read, each as (name, reason).
        club: The host's folder that contains the games; ``None`` without a host.
        now: The time; ``None`` if no deadlines apply.
    """

    seats: tuple[Seat, ...]
    post: Path
    umpire: str = ""
    orders: str = ""
    tags: bool = False
    web: str = ""
    broken: tuple[tuple[str, str], ...] = ()
    club: Path | None = None
    now: datetime | None = None

    def address(self, token: str) -> str:
        """Return the address to which the player with this token writes.

        This is the host's address, with the token in it if ``tags`` is set.
        """
        name, _, domain = self.orders.partition("@")
        return f"{name}+{token}@{domain}" if self.tags and domain else self.orders

    @cached_property
    def by_folder(self) -> dict[Path, list[Seat]]:
        """The seats (sides played by email) of each game, as a dict with the game's folder as key."""
        by_folder: dict[Path, list[Seat]] = {}
        for seat in self.seats:
            by_folder.setdefault(seat.folder, []).append(seat)
        return by_folder

    @cached_property
    def by_token(self) -> dict[bytes, list[Seat]]:
        """The seats (sides played by email), as a dict with the hash of their token as key.

        The hash is used so that the time of a search reveals nothing about a token.
        """
        by_token: dict[bytes, list[Seat]] = {}
        for seat in self.seats:
            by_token.setdefault(_hashed(seat.token), []).append(seat)
        return by_token

    def of_token(self, token: str) -> list[Seat]:
        """Return the seats that have this token."""
        return self.by_token.get(_hashed(token), [])

    def of_person(self, seat: Seat, sender: str) -> list[Seat]:
        """Return all seats of the player of ``seat`` who writes from ``sender``, sorted by game and side.

        If another person in players.toml shares the address, that person's seats are left out. The result has at least
        ``seat``.
        """
        theirs = [one for one in self.seats if one.is_of(sender, seat.person)]
        return sorted(theirs or [seat], key=lambda one: (one.game, one.side))

    @cached_property
    def token_of_side(self) -> dict[tuple[str, str], str]:
        """The players' tokens, as a dict with (game, side) as key."""
        return {(seat.game, seat.side): seat.token for seat in reversed(self.seats)}

    @cached_property
    def folder_of_side(self) -> dict[tuple[str, str], Path]:
        """The folders of the games, as a dict with (game, side) as key."""
        return {(seat.game, seat.side): seat.folder for seat in self.seats}


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The result of :func:`who` for a recognized email: the seat that the email is for.

    A seat is a side of a game that somebody plays by email.
    """

    seat: Seat


class UnknownSender(msgspec.Struct, frozen=True, kw_only=True):
    """The result of :func:`who` for an email that belongs to no seat.

    Attributes:
        why: The reason, for the umpire, as a clause ("it has no sender, or more than one").
        game: The game to which a token in the email belongs, if any.
        owner: The seat of the player with this address or this token, who perhaps wrote the email.
        stolen: Whether the email has that player's token but comes from another address.
    """

    why: str
    game: str = ""
    owner: Seat | None = None
    stolen: bool = False


def games_in(
    folder: Path,
    *,
    umpire: str = "",
    orders: str = "",
    tags: bool = False,
    web: str = "",
    under: tuple[list[Path], list[tuple[str, str]]] | None = None,
    seated: Callable[[Path], list[Seat]] | None = None,
) -> Games:
    """Return the games of a host (under ``games/``), or a single game, with their seats.

    A seat is a side played by email. Sides that have no token yet get one. A game that cannot be read is listed in
    ``broken``.

    Args:
        folder: The folder of a host or of a game.
        umpire: The address to which notices for the umpire are sent.
        orders: The address that players write to.
        tags: Whether each player writes to a separate address with their token in it.
        web: The URL of the club's web server.
        under: The result of :func:`games_under`, if the caller has it.
        seated: Function that returns the seats of a game, in place of :func:`seats`.

    Raises:
        GameError: If the folder is neither a host's nor a game's, or if one of the games is locked.
    """
    if (folder / "game.toml").is_file():
        return Games(
            seats=tuple(seats(folder)), post=folder / "secret" / "mail", umpire=umpire, orders=orders, tags=tags
        )
    home = folder / "games" if (folder / "games").is_dir() else folder
    if not home.is_dir():
        raise GameError.saying("no-game", "there is no such folder", file=str(folder))
    all_seats: list[Seat] = []
    folders, unreadable = under or games_under(home)
    broken = list(unreadable)
    if not folders and not (folder / "host.toml").is_file():
        missing = "name a game's folder or a host's: this one has no game.toml, and no games under games/"
        raise GameError.saying("no-game", missing, file=str(folder))
    for path in folders:
        try:
            all_seats += (seated or seats)(path)
        except Exception as error:
            if isinstance(error, GameError) and any(fault.code == "game-locked" for fault in error.faults):
                # Without this game's seats, its players would be treated as strangers.
                raise
            # Any other fault of one game must not keep emails for the other games from being read.
            broken.append((path.name, broken_by(error)))
    post = folder / "mail"
    return Games(
        seats=tuple(all_seats), post=post, umpire=umpire, orders=orders, tags=tags, web=web, broken=tuple(broken)
    )


def host_games(
    folder: Path,
    host: Host,
    now: datetime | None = None,
    *,
    under: tuple[list[Path], list[tuple[str, str]]] | None = None,
    seated: Callable[[Path], list[Seat]] | None = None,
) -> Games:
    """Return the games of a host with their seats and the host's settings for emails.

    ``now`` is the time for deadlines; without it no deadlines apply. ``under`` and ``seated`` are as in
    :func:`games_in`.
    """
    games = games_in(
        folder, umpire=host.umpire, orders=host.orders, tags=host.tags, web=host.web, under=under, seated=seated
    )
    return msgspec.structs.replace(games, club=folder, now=now)


def seats(folder: Path, club: Callable[[], Roll] | None = None) -> list[Seat]:
    """Return the seats of a game: its sides that are played by email. Sides without a token get one.

    ``club`` returns the people of the game's club; without it, they are read.
    """
    terms = read_terms(read_bytes(folder / "game.toml"), str(folder / "game.toml"))
    people = club() if club is not None else read_people(folder.absolute().parent.parent)
    written = players(folder, terms)
    persons = {side: people.find(player) for side, player in written.items() if player and not by_computer(player)}
    wanted = {side: known for side, known in addresses(people, written).items() if known}
    tokens = ensure_tokens(folder, terms) if wanted else {}
    changed = [one.side for one in tenures(folder)] if wanted else []
    return [
        Seat(
            game=terms.name, folder=folder, side=side, addresses=known, token=tokens[side], tenure=changed.count(side),
            name=person.name if (person := persons.get(side)) is not None else "",
            shared=person is not None and people.shares(person),
            person=people.key_of(person) if person is not None else "",
        )
        for side, known in wanted.items()
    ]  # fmt: skip


def addresses(people: Roll, written: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return for each side the addresses from which its player may write, in lower case.

    They come from players.toml, else from ``written``, the game's text about the player of each side. A player without
    an address has an empty tuple.
    """
    return {
        side: person.addresses if (person := people.find(player)) is not None else people.now(player_addresses(player))
        for side, player in written.items()
    }


def out_of_reach(people: Roll, written: Mapping[str, str]) -> dict[str, str]:
    """Return the human players without an email address, as a dict of side to player.

    A player is the text by which the game names them, as in ``written``.
    """
    reachable = addresses(people, written)
    return {side: one for side, one in written.items() if one.strip() and not by_computer(one) and not reachable[side]}


def verify_players(club: Path, written: Mapping[str, str]) -> None:
    """Check that all human players of a new game in a club have an email address.

    Args:
        club: The club's folder.
        written: For each side, the text by which the game names its player.

    Raises:
        GameError: With one fault for each player without an address.
    """
    people = read_people(club)
    faults = []
    for side, one in out_of_reach(people, written).items():
        close = get_close_matches(one.strip().casefold(), sorted(people.people), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        text = f"{one!r} ({side}) is neither an email address nor a key or name in the club's players.toml{hint}"
        faults.append(Fault(code="address", text=text, file=str(club)))
    if faults:
        raise GameError(*faults)


def player_addresses(player: str) -> tuple[str, ...]:
    """Return the email addresses in a game's text about a player, in lower case.

    The text is like ``Ann <ann@example.org>``. Commas separate several addresses.
    """
    return tuple(dict.fromkeys(found.lower() for found in _PLAYER.findall(player)))


def ensure_tokens(folder: Path, terms: Terms | None = None) -> dict[str, str]:
    """Return the tokens of a game, as a dict of side to token; create and save missing ones.

    All sides that people play have a token.
    """
    terms = terms or read_terms(read_bytes(folder / "game.toml"), str(folder / "game.toml"))
    people = sorted(side for side, seat in terms.sides.items() if seat.player and not by_computer(seat.player))
    tokens = _read(folder)
    if all(side in tokens for side in people):
        return tokens
    with locked(folder, "mail"):
        tokens = _read(folder)
        return _write(folder, {**{side: new_token() for side in people}, **tokens})


def renew_token(game: GameFolder, side: str, token: str = "") -> str:
    """Replace the token of a side, because others have seen it, and return the new token.

    A random one is created if ``token`` is empty. The caller must hold the game's lock.
    """
    tokens = _read(game.path)
    return _write(game.path, {**tokens, side: token or new_token()})[side]


def token_of(folder: Path, side: str) -> str:
    """Return the token of a side, created if it is missing; ``""`` if no person plays the side.

    A token is secret: it may only be sent to that side's player.
    """
    return ensure_tokens(folder).get(side, "")


def new_token() -> str:
    """Return a random token: 14 letters and digits that are hard to confuse."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def _read(folder: Path) -> dict[str, str]:
    file = folder / "secret" / FILE
    if not file.is_file():
        return {}
    kept = json_in(read_bytes(file), Tokens, "tokens-damaged", "the players' tokens are damaged", file)
    if kept.format != FORMAT:
        said = f"the players' tokens have format {kept.format}; this version reads format {FORMAT}"
        raise GameError.saying("format", said, file=str(file))
    return dict(kept.tokens)


def _write(folder: Path, tokens: dict[str, str]) -> dict[str, str]:
    keep(folder / "secret" / FILE, Tokens(format=FORMAT, tokens=dict(sorted(tokens.items()))), indent=True)
    return tokens


def with_token(draft: str, token: str) -> str:
    """Return an order draft with the player's token on a line above it.

    The token identifies the player when the draft comes back. Text above the GAME line is not an order, so ``pbem
    check`` accepts the file too.
    """
    return f"TOKEN {token}\n{draft}"


def draft_for_mail(games: Games, seat: Seat, number: int, draft: str) -> tuple[str, str, bytes]:
    """Return a player's order draft as an email attachment: file name, MIME type and content.

    The draft contains the player's token, unless the player's answer goes to an address that contains it.

    Args:
        games: The games, with the settings for emails.
        seat: The player's seat.
        number: The number of the request for orders; it is part of the file name.
        draft: The text of the draft.
    """
    return f"{seat.side}.r{number}.orders", "text/plain", known_as(games, seat, draft).encode("utf-8", "replace")


def known_as(games: Games, seat: Seat, draft: str) -> str:
    """Return an order draft with the player's token, so that the returned draft identifies the player.

    The token is left out if it is in the address the player writes to.
    """
    return draft if games.tags else with_token(draft, seat.token)


def address_of(games: Games, seat: Seat) -> str:
    """Return the address that the player of a seat writes to."""
    return games.address(seat.token)


def subject_for(games: Games, seat: Seat, subject: str) -> str:
    """Return an email subject with the player's token added, so that the player's reply is recognized.

    The token is left out if it is in the address the player writes to. If two players share an address, the side is
    added.
    """
    subject = f"{subject} ({seat.side})" if seat.shared else subject
    return subject if games.tags else f"{subject} TOKEN {seat.token}"


def tokens_in(letter: Letter) -> tuple[str, ...]:
    """Return the words in an email that may be tokens, in lower case, at most 50.

    They come from the recipients' addresses, the subject and TOKEN lines of the text.
    """
    words = [tag for address in letter.to if (tag := address.partition("@")[0].partition("+")[2])]
    words += [part for tag in list(words) for part in re.split(r"[+._=-]", tag)]
    words += letter.tokens
    words += _TOKEN.findall(letter.subject)
    words += _TOKEN.findall(letter.text[:200_000])[:10]
    return tuple(dict.fromkeys(word.lower() for word in words if word))[:50]


def without_tokens(text: str) -> str:
    """Return a text without tokens and web keys, so that no file and no answer contains these secrets.

    The number of lines stays the same.
    """
    text = _LINK.sub(LOGIN_PATH, text) if "#" in text else text
    return "\n".join(_TOKEN.sub("", line).rstrip() if "oken" in line.lower() else line for line in text.split("\n"))


def who(letter: Letter, games: Games) -> Known | UnknownSender:
    """Return the seat that an email is for, or the reason why the email belongs to no seat.

    An :class:`UnknownSender` is reported to the umpire and to the owner of the address or token, never to the sender.
    """
    words = tokens_in(letter)
    meant = list(dict.fromkeys(seat for word in words for seat in games.of_token(word)))
    if not letter.sender:
        return UnknownSender(why="it has no sender, or more than one", game=_one_game(meant))
    if not meant:
        return _without_token(letter, games, other=bool(words))
    seats = [seat for seat in meant if letter.sender in seat.addresses]
    if not seats:
        tokens = "; ".join(f"the token of {seat.side} in {seat.game}" for seat in meant)
        why = f"it has {tokens}, but was sent from {letter.sender}"
        return UnknownSender(why=why, game=_one_game(meant), owner=meant[0], stolen=True)
    if len(seats) > 1:
        # A player with two seats may quote both tokens; then the header of the orders decides.
        game, side = headed(letter.text)
        if game:
            seats = [seat for seat in seats if seat.game.casefold() == game]
        if side and len(seats) > 1:
            seats = [seat for seat in seats if seat.side.casefold() == side]
    if len(seats) != 1:
        return UnknownSender(why="it has the tokens of more than one side", game=_one_game(seats))
    return Known(seat=seats[0])


def _without_token(letter: Letter, games: Games, *, other: bool) -> UnknownSender:
    """Return why an email without a player's token belongs to no seat.

    ``other`` says whether the email has a word that looks like a token.
    """
    theirs = sorted((seat for seat in games.seats if letter.sender in seat.addresses), key=lambda one: one.game)
    if not theirs:
        return UnknownSender(
            why=f"{letter.sender} is not the address of a player here, and the email has no player's token"
        )
    what = "a token that is not theirs" if other else "no token"
    named = ", ".join(dict.fromkeys(seat.game for seat in theirs))
    return UnknownSender(
        why=f"it came from the address of a player of {named} but has {what}", owner=_meant_by(letter, theirs)
    )


def _meant_by(letter: Letter, theirs: Sequence[Seat]) -> Seat:
    """Return the one of a player's seats that an email without a token is probably for.

    It is the seat in the game that the orders or the subject name, else the player's first seat.
    """
    game, side = headed(letter.text)
    words = {word.casefold() for word in _WORD.findall(letter.subject)}
    for named in ((game, side), (game, "")):
        for seat in theirs:
            if game and named in ((seat.game.casefold(), seat.side.casefold()), (seat.game.casefold(), "")):
                return seat
    return next((seat for seat in theirs if not game and seat.game.casefold() in words), theirs[0])


_WORD: Final = regex(r"[\w-]+")


def names_seat(text: str, seat: Seat) -> bool:
    """Return whether the header of some orders (``GAME … SIDE …``) names the game and side of this seat."""
    return headed(text) == (seat.game.casefold(), seat.side.casefold())


def headed(text: str) -> tuple[str, str]:
    """Return the game and the side in the header of orders, in lower case; ``""`` if one is missing."""
    lines = [line for line in order_text(text).split("\n", _ABOVE_ORDERS)[:_ABOVE_ORDERS] if line]
    game, side = read_header("\n".join(lines[:_HEADER_LINES]))
    return game.casefold(), side.casefold()


_HEADER_LINES: Final = 6
"""Maximum number of lines over which the header of orders may extend."""
_ABOVE_ORDERS: Final = 2_500
"""Maximum number of lines in which the header of orders is looked for."""


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _one_game(seats: Iterable[Seat]) -> str:
    names = {seat.game for seat in seats}
    return names.pop() if len(names) == 1 else ""
