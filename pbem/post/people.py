"""players.toml of a club: a person, written once for all games.

A game goes on naming its players as it did (``Ann <ann@example.org>``, or the key of a person); whoever is found in
this file by that is written to, and may write, as the file says. So a new address is written in one place, and the
game's own files stay as they are.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Final

import msgspec

from pbem.data.files import NotToml, build, parse_toml
from pbem.desk.files import read_bytes
from pbem.faults import Fault, GameError
from pbem.post.clock import days_in

FILE: Final = "players.toml"
FORMAT: Final = 1
KEY: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_ADDRESS: Final = re.compile(r"[^\s@<>,;:\"()]+@[A-Za-z0-9.-]+")


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody who plays. Mail goes to ``mail``; he may write from there and from the addresses of ``writes``. ``was``
    are addresses games may still name him by, from which he no longer writes. ``away`` are days.
    """

    mail: str
    name: str = ""
    writes: tuple[str, ...] = ()
    was: tuple[str, ...] = ()
    away: tuple[str, ...] = ()

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
        the one of that name. ``None`` where that is nobody here.
        """
        if (one := self.people.get(player.strip().casefold())) is not None:
            return one
        known = [p for a in _ADDRESS.findall(player) for p in self.by_address.get(a.lower(), ())]
        meant = list({id(person): person for person in known}.values())
        if len(meant) > 1:
            name = player.partition("<")[0].strip(' "').casefold()
            meant = [person for person in meant if name and person.name.casefold() == name]
        return meant[0] if len(meant) == 1 else None

    def shares(self, person: Person) -> bool:
        """Whether somebody else gets his mail at the same address."""
        return any(one is not person and one.mail.lower() == person.mail.lower() for one in self.people.values())


def read_people(club: Path) -> People:
    """The people of a club; nobody where it has no such file. Raises :class:`GameError` with all that is wrong."""
    file = club / FILE
    if not file.is_file():
        return People()
    return _people(read_bytes(file), str(file))


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
    said = []
    for key, person in found.people.items():
        if not KEY.fullmatch(key) or key == "robot":
            said.append(f"people.{key}: a key is of small letters, digits, _ and -, and robot is none")
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
