"""players.toml of a club: a person, written once for all games.

A game goes on naming its players as it did (``Ann <ann@example.org>``, or the key of a person); whoever is found in
this file by that is written to, and may write, as the file says. So a new address is written in one place, and the
game's own files stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from pbem.data.files import NotToml, build, parse_toml
from pbem.desk.files import json_in, read_bytes, read_toml_file
from pbem.desk.players import by_computer, in_words
from pbem.faults import Fault, GameError
from pbem.post.clock import days_in
from pbem.values.only import only
from pbem.values.patterns import regex

FILE: Final = "players.toml"
MOVES: Final = "addresses.json"
"""In the folder of the club's post: what players said of new addresses."""
FORMAT: Final = 1
KEY: Final = regex(r"[a-z0-9][a-z0-9_-]{0,39}")
_ADDRESS: Final = regex(r"(?<![^\s@<>,;:\"()])[^\s@<>,;:\"()]++@[A-Za-z0-9.-]+")


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who plays. Mail goes to ``mail``; he may write from there and from the addresses of ``writes``. ``was``
    are addresses games may still name him by, from which he no longer writes. ``away`` are days, ``umpires`` the games
    whose umpire he is, ``watches`` those (or ``all``) whose turns he is told of as a spectator.
    """

    mail: str
    name: str = ""
    writes: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    umpires: tuple[str, ...] = ()
    watches: tuple[str, ...] = ()

    @property
    def addresses(self) -> tuple[str, ...]:
        """From where he may write; mail goes to the first."""
        return tuple(dict.fromkeys(one.lower() for one in (self.mail, *self.writes)))


class People(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A players.toml: people by their keys."""

    format: int = FORMAT
    people: dict[str, Person] = {}

    @cached_property
    def by_address(self) -> dict[str, list[Person]]:
        """Who has, or had, an address."""
        found: dict[str, list[Person]] = {}
        for person in self.people.values():
            for address in dict.fromkeys((*person.addresses, *map(str.lower, person.was))):
                found.setdefault(address, []).append(person)
        return found

    def find(self, player: str) -> Person | None:
        """Who is meant by what a game says of a player: his key; or one of his addresses, and of several who share it
        the one of that name; or, where there is no address, his name. ``None`` where that is nobody here, or more than
        one.
        """
        if (one := self.people.get(player.strip().casefold())) is not None:
            return one
        known = [p for a in _ADDRESS.findall(player) for p in self.by_address.get(a.lower(), ())]
        if not _ADDRESS.search(player):
            called = " ".join(player.split()).casefold()
            known = [person for person in self.people.values() if called and person.name.casefold() == called]
        meant = list({id(person): person for person in known}.values())
        if len(meant) > 1:
            name = player.partition("<")[0].strip(' "').casefold()
            meant = [person for person in meant if name and person.name.casefold() == name]
        return only(meant)

    def meant(self, who: str) -> dict[str, Person]:
        """Whom somebody means by a key, a name or an address; by one of an earlier time where nobody has it now."""
        wanted = " ".join(who.split()).casefold()
        if not wanted:
            return {}
        people = self.people.items()
        found = {key: one for key, one in people if wanted in (key, one.name.casefold(), *one.addresses)}
        return found or {key: one for key, one in people if wanted in map(str.casefold, one.was)}

    def key_of(self, person: Person) -> str:
        """The key of somebody of whom :meth:`find` told."""
        return next(key for key, one in self.people.items() if one is person)

    def umpire_of(self, game: str) -> str:
        """The key of the umpire of a game; empty where nobody here is."""
        return next((key for key, one in self.people.items() if game in one.umpires), "")

    def shares(self, person: Person) -> bool:
        """Whether somebody else gets his mail at the same address."""
        return any(one is not person and one.mail.lower() == person.mail.lower() for one in self.people.values())


class Move(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Mail that goes to ``old`` is to go to ``new``: that of a ``person`` of players.toml, or of who is only known by
    his address. It was ``asked`` for by the letter ``cause``, and is so since the code came back, ``done``. ``untold``:
    the umpire decided it, and the letters to both addresses are not all in the outbox yet.
    """

    old: str
    new: str
    person: str = ""
    code: str
    cause: str
    asked: datetime | None = None
    done: datetime | None = None
    untold: bool = False


class Roll(People, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The people of a club as mail reaches them: those of players.toml, and where others ``moved`` to."""

    moved: dict[str, str] = {}

    def now(self, addresses: Iterable[str]) -> tuple[str, ...]:
        """Where addresses of somebody who is not in players.toml are now."""
        return tuple(dict.fromkeys(self.moved.get(one, one) for one in addresses))


def is_address(text: str) -> bool:
    """Whether a text is a bare mail address."""
    return _ADDRESS.fullmatch(text) is not None


def read_moves(post: Path) -> tuple[Move, ...]:
    """The changes of address asked for by letter. Raises :class:`GameError` where the file is damaged."""
    file = post / MOVES
    if not file.is_file():
        return ()
    said = "what is known of new addresses is damaged"
    return json_in(read_bytes(file), tuple[Move, ...], "addresses-damaged", said, file)


def read_people(club: Path) -> Roll:
    """The people of a club; nobody where it has no such file. Raises :class:`GameError` with all that is wrong."""
    file = club / FILE
    found = _people(read_toml_file(file), str(file)) if file.is_file() else People()
    people, moved = dict(found.people), dict[str, str]()
    for move in sorted((one for one in read_moves(club / "mail") if one.done), key=lambda one: str(one.done)):
        theirs = [key for key, person in people.items() if person.mail.lower() == move.old]
        for key in theirs if not move.person else {move.person} & {*theirs}:
            person = people[key]
            people[key] = msgspec.structs.replace(person, mail=move.new, was=(*person.was, person.mail))
        if not move.person:
            moved = {old: move.new if new == move.old else new for old, new in moved.items()} | {move.old: move.new}
            moved.pop(move.new, None)  # he is back
    return Roll(people=people, moved=moved)


def _people(data: bytes, file: str) -> People:
    try:
        raw = parse_toml(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=file) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=file) from error
    if raw.get("format") != FORMAT:
        raise GameError.saying("format", f"this file has no line `format = {FORMAT}`", file=file)
    found: People = build(People, raw, file)
    faults = [Fault(code="person", text=text, file=file) for text in _wrong(found)]
    if faults:
        raise GameError(*faults)
    return found


def _wrong(found: People) -> list[str]:
    counted = Counter(game for one in found.people.values() for game in dict.fromkeys(one.umpires))
    said = [f"{game} has {count} umpires; a game has one" for game, count in counted.items() if count > 1]
    for key, person in found.people.items():
        if not KEY.fullmatch(key):
            said.append(f"people.{key}: a key is of small letters, digits, _ and -")
        elif by_computer(key):
            said.append(f"people.{key}: this word stands for {in_words(key)}, so nobody can have it as a key")
        said += [
            f"people.{key}: {address!r} is no bare mail address like ann@example.org"
            for address in (person.mail, *person.writes, *person.was)
            if not _ADDRESS.fullmatch(address)
        ]
        said += [
            f"people.{key}.away: {text!r} are no days like '2027-12-24 to 2028-01-01'"
            for text in person.away
            if days_in(text) is None
        ]
        if re.search(r'[<>"@,;:\\\n]', person.name):
            said.append(f"people.{key}: the name {person.name!r} has a sign that no name in a mail has")
    return said
