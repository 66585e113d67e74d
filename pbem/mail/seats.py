"""Who may write for a side: the token of that side and the address of its player must agree.

A token is a word only the host and the player know; it stands in the address the player writes to
(``orders+TOKEN@example.org``), in the subject or on the GAME line (``TOKEN abc``). An address alone is no proof, as
anybody can write any; a token alone may have been seen by somebody it was forwarded to.
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
from pbem.mail.settings import broken_by, games_under
from pbem.orders.mail_text import order_text
from pbem.orders.reader import read_orders
from pbem.util import regex

FORMAT: Final = 1
FILE: Final = "tokens.json"
SEATED_BY: Final = ("game.toml", f"secret/{FILE}", f"secret/{PLAYERS}", f"secret/{TENURES}")
"""The files of a game that say who plays it."""
ALPHABET: Final = "abcdefghjkmnpqrstvwxyz23456789"
LENGTH: Final = 14
DOOR: Final = "/in"
"""The address of a club's door that takes a key, which stands behind its ``#`` (:mod:`pbem.mail.web_keys`)."""
DOOR_KEY: Final = 26
"""Letters of such a key."""
_LINK: Final = regex(rf"{DOOR}#[a-z0-9]{{{DOOR_KEY}}}")
_TOKEN: Final = regex(r"\bTOKEN[\s:=]+([A-Za-z0-9]{6,64})\b", re.IGNORECASE)
_PLAYER: Final = regex(r"(?<![^\s@<>,;:\"()])[^\s@<>,;:\"()]++@[A-Za-z0-9.-]+")


class Tokens(msgspec.Struct, frozen=True, kw_only=True):
    """``secret/tokens.json``: the token of each side a person plays."""

    format: int
    tokens: dict[str, str]


class Seat(msgspec.Struct, frozen=True, kw_only=True):
    """A side of a game somebody plays by mail: who, from which addresses, with which token. ``tenure`` is how often the
    side was given another player before him; ``name`` stands in the To of his mails. Where two have their mail
    ``shared`` the subject says for which side one is. ``person`` is his key in players.toml.
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
        """Whether this is a seat of who has an address; of two who share it only that ``person``, where it is known who
        both are.
        """
        return address in self.addresses and (not person or self.person in ("", person))

    @property
    def to(self) -> str:
        """Where his mail goes, with his name where players.toml has one."""
        return f"{self.name} <{self.addresses[0]}>" if self.name else self.addresses[0]


class Games(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The games a letter may be for. ``umpire`` is the address notices go to; ``post`` the folder of the post's files.

    ``orders`` is the address players write to; with ``tags`` each to one of his own, with his token in it. ``web`` is
    the address of the club's door in the web, where it has one.
    ``club`` is the folder of the host whose games they are, ``now`` what time it is there, where one keeps the time.
    ``broken`` are folders that look like games and cannot be read, with the reason.
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
        """Where the player of a token writes to: the host's address, with the token if everybody has one of his own."""
        name, _, domain = self.orders.partition("@")
        return f"{name}+{token}@{domain}" if self.tags and domain else self.orders

    @cached_property
    def by_folder(self) -> dict[Path, list[Seat]]:
        """The seats of each game."""
        found: dict[Path, list[Seat]] = {}
        for seat in self.seats:
            found.setdefault(seat.folder, []).append(seat)
        return found

    @cached_property
    def by_token(self) -> dict[bytes, list[Seat]]:
        """The seats by the hash of their token: how long a search takes then says nothing of any token."""
        found: dict[bytes, list[Seat]] = {}
        for seat in self.seats:
            found.setdefault(_hashed(seat.token), []).append(seat)
        return found

    def of_token(self, token: str) -> list[Seat]:
        """The seats of a token."""
        return self.by_token.get(_hashed(token), [])

    def of_person(self, seat: Seat, sender: str) -> list[Seat]:
        """All seats of who writes from ``sender`` for a seat, game by game. Who shares his address is another person
        where players.toml knows both.
        """
        found = [one for one in self.seats if one.is_of(sender, seat.person)]
        return sorted(found or [seat], key=lambda one: (one.game, one.side))

    @cached_property
    def token_of_side(self) -> dict[tuple[str, str], str]:
        """The token of a game's side."""
        return {(seat.game, seat.side): seat.token for seat in reversed(self.seats)}


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The one seat a letter is written for."""

    seat: Seat


class UnknownSender(msgspec.Struct, frozen=True, kw_only=True):
    """A letter nobody here may answer, with the reason for the umpire. ``game`` where a token named one. ``owner`` is a
    seat of the player whose address or token it has, ``stolen`` that it is the token: perhaps he wrote it.
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
    """The games of a host folder (those under ``games/``), or the one game a folder is. Makes tokens where there
    are none yet. ``under`` is what :func:`games_under` said of it, where that is known; ``seated`` tells the seats of a
    game instead of :func:`seats`. Raises :class:`GameError` if it is neither.
    """
    if (folder / "game.toml").is_file():
        return Games(
            seats=tuple(seats(folder)), post=folder / "secret" / "mail", umpire=umpire, orders=orders, tags=tags
        )
    home = folder / "games" if (folder / "games").is_dir() else folder
    if not home.is_dir():
        raise GameError.saying("no-game", "there is no such folder of games", file=str(folder))
    found: list[Seat] = []
    folders, unreadable = under or games_under(home)
    broken = list(unreadable)
    if not folders and not (folder / "host.toml").is_file():
        said = "this folder is neither a game nor a host's: it has no game.toml, and no games under games/"
        raise GameError.saying("no-game", said, file=str(folder))
    for path in folders:
        try:
            found += (seated or seats)(path)
        except Exception as error:
            if isinstance(error, GameError) and any(fault.code == "game-locked" for fault in error.faults):
                # Its players would be taken for strangers.
                raise
            # Whatever else is wrong with one game, the letters of the others are read.
            broken.append((path.name, broken_by(error)))
    post = folder / "mail"
    return Games(seats=tuple(found), post=post, umpire=umpire, orders=orders, tags=tags, web=web, broken=tuple(broken))


def seats(folder: Path) -> list[Seat]:
    """The sides of a game that are played by mail."""
    terms = read_terms(read_bytes(folder / "game.toml"), str(folder / "game.toml"))
    people = read_people(folder.absolute().parent.parent)
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
    """From where the player of each side may write, none for who has no address: what players.toml says of him, else
    what the game itself does.
    """
    return {
        side: person.addresses if (person := people.find(player)) is not None else people.now(player_addresses(player))
        for side, player in written.items()
    }


def out_of_reach(people: Roll, written: Mapping[str, str]) -> dict[str, str]:
    """What a game says of the players of those sides whom nobody can write to, though no computer plays them."""
    known = addresses(people, written)
    return {side: one for side, one in written.items() if one.strip() and not by_computer(one) and not known[side]}


def verify_players(club: Path, written: Mapping[str, str]) -> None:
    """Whether everybody who is to play in a club can be written to. Raises :class:`GameError` that says who cannot."""
    people = read_people(club)
    faults = []
    for side, one in out_of_reach(people, written).items():
        close = get_close_matches(one.strip().casefold(), sorted(people.people), n=1)
        hint = f"; did you mean {close[0]}?" if close else ""
        text = f"{one!r} ({side}) is no mail address, and no key or name in players.toml of this club{hint}"
        faults.append(Fault(code="address", text=text, file=str(club)))
    if faults:
        raise GameError(*faults)


def player_addresses(player: str) -> tuple[str, ...]:
    """The addresses in what game.toml says of a player: ``Ann <ann@example.org>``; several are divided by commas."""
    return tuple(dict.fromkeys(found.lower() for found in _PLAYER.findall(player)))


def ensure_tokens(folder: Path, terms: Terms | None = None) -> dict[str, str]:
    """The token of each side a person plays; sides that have none yet are given one."""
    terms = terms or read_terms(read_bytes(folder / "game.toml"), str(folder / "game.toml"))
    people = sorted(side for side, seat in terms.sides.items() if seat.player and not by_computer(seat.player))
    known = _read(folder)
    if all(side in known for side in people):
        return known
    with locked(folder, "mail"):
        known = _read(folder)
        return _write(folder, {**{side: new_token() for side in people}, **known})


def renew_token(game: GameFolder, side: str, token: str = "") -> str:
    """A new ``token`` (without it one is made) for a side whose old one was seen by others. Only for who holds the lock
    of the game.
    """
    known = _read(game.path)
    return _write(game.path, {**known, side: token or new_token()})[side]


def token_of(folder: Path, side: str) -> str:
    """A side's token; it goes to that side's player and nobody else."""
    return ensure_tokens(folder).get(side, "")


def new_token() -> str:
    """A word nobody guesses, of letters and digits that are not mistaken for one another."""
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
    """A draft with the player's token on a line before it, so that what comes back is known as his.

    What stands before the GAME line is no order, so the file may also be given to ``pbem check``.
    """
    return f"TOKEN {token}\n{draft}"


def draft_for_mail(games: Games, seat: Seat, number: int, draft: str) -> tuple[str, str, bytes]:
    """A player's draft for the request ``number`` as a file of a mail, that is known as his when it comes back."""
    return f"{seat.side}.r{number}.orders", "text/plain", known_as(games, seat, draft).encode("utf-8", "replace")


def known_as(games: Games, seat: Seat, draft: str) -> str:
    """A draft with the player's token, unless that is in the address he writes to."""
    return draft if games.tags else with_token(draft, seat.token)


def address_of(games: Games, seat: Seat) -> str:
    """Where a player writes to."""
    return games.address(seat.token)


def subject_for(games: Games, seat: Seat, subject: str) -> str:
    """A subject to which a player's plain answer is known as his: with his token, unless that is in the address."""
    subject = f"{subject} ({seat.side})" if seat.shared else subject
    return subject if games.tags else f"{subject} TOKEN {seat.token}"


def tokens_in(letter: Letter) -> tuple[str, ...]:
    """Every word in a letter that may be a token, in small letters."""
    found = [tag for address in letter.to if (tag := address.partition("@")[0].partition("+")[2])]
    found += [part for tag in list(found) for part in re.split(r"[+._=-]", tag)]
    found += letter.tokens
    found += _TOKEN.findall(letter.subject)
    found += _TOKEN.findall(letter.text[:200_000])[:10]
    return tuple(dict.fromkeys(word.lower() for word in found if word))[:50]


def without_tokens(text: str) -> str:
    """A text without its tokens and what opens the club's door, every line where it was: they go into no file and no
    answer.
    """
    text = _LINK.sub(DOOR, text) if "#" in text else text
    return "\n".join(_TOKEN.sub("", line).rstrip() if "oken" in line.lower() else line for line in text.split("\n"))


def who(letter: Letter, games: Games) -> Known | UnknownSender:
    """Whose letter it is. An ``UnknownSender`` is shown to the umpire and its owner; its sender is told nothing."""
    words = tokens_in(letter)
    meant = list(dict.fromkeys(seat for word in words for seat in games.of_token(word)))
    if not letter.sender:
        return UnknownSender(why="it has no sender, or more than one", game=_one_game(meant))
    if not meant:
        theirs = sorted((seat for seat in games.seats if letter.sender in seat.addresses), key=lambda one: one.game)
        if not theirs:
            return UnknownSender(why=f"{letter.sender} is no player here, and the letter has no token of a player")
        what = "a token that is not theirs" if words else "no token"
        named = ", ".join(dict.fromkeys(seat.game for seat in theirs))
        return UnknownSender(
            why=f"it has the address of a player of {named}, and {what}", owner=_meant_by(letter, theirs)
        )
    seats = [seat for seat in meant if letter.sender in seat.addresses]
    if not seats:
        said = "; ".join(f"the token of {seat.side} in {seat.game}" for seat in meant)
        why = f"it has {said}, but was sent from {letter.sender}"
        return UnknownSender(why=why, game=_one_game(meant), owner=meant[0], stolen=True)
    if len(seats) > 1:
        # Somebody who plays twice quotes both tokens sooner or later; then the header decides.
        game, side = headed(letter.text)
        if game:
            seats = [seat for seat in seats if seat.game.casefold() == game]
        if side and len(seats) > 1:
            seats = [seat for seat in seats if seat.side.casefold() == side]
    if len(seats) != 1:
        return UnknownSender(why="it has the tokens of more than one side", game=_one_game(seats))
    return Known(seat=seats[0])


def _meant_by(letter: Letter, theirs: Sequence[Seat]) -> Seat:
    """The seat that a player's letter without a token seems to be for: that of the game it names, else the first."""
    game, side = headed(letter.text)
    words = {word.casefold() for word in _WORD.findall(letter.subject)}
    for named in ((game, side), (game, "")):
        for seat in theirs:
            if game and named in ((seat.game.casefold(), seat.side.casefold()), (seat.game.casefold(), "")):
                return seat
    return next((seat for seat in theirs if not game and seat.game.casefold() in words), theirs[0])


_WORD: Final = regex(r"[\w-]+")


def names_seat(text: str, seat: Seat) -> bool:
    """Whether the header of orders names this game and side."""
    return headed(text) == (seat.game.casefold(), seat.side.casefold())


def headed(text: str) -> tuple[str, str]:
    """The game and the side that the header of orders names, in small letters."""
    lines = [line for line in order_text(text).split("\n", _ABOVE_ORDERS)[:_ABOVE_ORDERS] if line]
    orders = read_orders("\n".join(lines[:_HEADER_LINES])).orders
    return orders.game.casefold(), orders.side.casefold()


_HEADER_LINES: Final = 6
"""Lines over which a header may go."""
_ABOVE_ORDERS: Final = 2_500


def _hashed(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _one_game(seats: Iterable[Seat]) -> str:
    names = {seat.game for seat in seats}
    return names.pop() if len(names) == 1 else ""
