"""Read players.toml: the people of a club, their current addresses, and the names shown to others.

A game names its players as ``Ann <ann@example.org>`` or by a key in players.toml. If the person is found in
players.toml, that file decides where their email goes and from where they may write. So a new address is entered
only there, and the game's files stay unchanged.

Others see a player by the name in players.toml, never by an address. The game stores the name
(``secret/names.json``), because reports may be created again after the person has left the club.
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
from pbem.errors import Fault, GameError
from pbem.games.storage.files import read_toml_file
from pbem.games.storage.players import by_computer, in_words, names, note_names, players, tenures
from pbem.games.storage.terms import Terms
from pbem.mail.host.deadlines import days_in
from pbem.mail.store import list_of
from pbem.util import only, regex

FILE: Final = "players.toml"
MOVES: Final = "addresses"
"""Name of the fact in the club's database that holds changes of address."""
FORMAT: Final = 1
KEY: Final = regex(r"[a-z0-9][a-z0-9_-]{0,39}")
_ADDRESS: Final = regex(r"(?<![^\s@<>,;:\"()])[^\s@<>,;:\"()]++@[A-Za-z0-9.-]+")


class Person(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person in players.toml.

    Attributes:
        mail: Where their email goes; they may also write from there.
        name: The name that others see.
        writes: Further addresses from which they may write.
        was: Former addresses by which games may still name them; they no longer write from these.
        away: Days on which they are away.
        umpires: Games whose umpire they are.
        watches: Games (or ``all``) whose turns they follow as a spectator.
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
        """All addresses from which the person may write, in lower case; email goes to the first."""
        return tuple(dict.fromkeys(one.lower() for one in (self.mail, *self.writes)))


class People(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """The contents of a players.toml: people by their keys."""

    format: int = FORMAT
    people: dict[str, Person] = {}

    @cached_property
    def by_address(self) -> dict[str, list[Person]]:
        """For each address in lower case, the people who have it or had it."""
        by_address: dict[str, list[Person]] = {}
        for person in self.people.values():
            for address in dict.fromkeys((*person.addresses, *map(str.lower, person.was))):
                by_address.setdefault(address, []).append(person)
        return by_address

    def find(self, player: str) -> Person | None:
        """Return the person whom a game names as a player; ``None`` if no person or several people match.

        Args:
            player: The text by which the game names the player: a key of players.toml, a text with one of the person's
                addresses, or a name. If several people share the address, the name in the text decides.
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
        """Return the people who match a key, a name or an address, as a dict of key to person.

        Former addresses count only if nothing else matches.
        """
        wanted = " ".join(who.split()).casefold()
        if not wanted:
            return {}
        people = self.people.items()
        matches = {key: one for key, one in people if wanted in (key, one.name.casefold(), *one.addresses)}
        return matches or {key: one for key, one in people if wanted in map(str.casefold, one.was)}

    def key_of(self, person: Person) -> str:
        """Return the key in players.toml of a person that :meth:`find` returned."""
        return next(key for key, one in self.people.items() if one is person)

    def umpire_of(self, game: str) -> str:
        """Return the key of the person whom players.toml lists as a game's umpire; empty if it lists nobody."""
        return next((key for key, one in self.people.items() if game in one.umpires), "")

    def shares(self, person: Person) -> bool:
        """Return whether somebody else gets email at the same address as this person."""
        return any(one is not person and one.mail.lower() == person.mail.lower() for one in self.people.values())


class Move(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A change of address: email for ``old`` goes to ``new``.

    Attributes:
        old: The former address.
        new: The new address.
        person: The key in players.toml; empty for somebody who is only known by their address.
        code: The confirmation code that was sent to the new address.
        cause: The email that asked for the change.
        asked: When the change was requested.
        done: When the code was sent back, so that the change applies; ``None`` before.
        untold: Whether the umpire decided the change and not all emails about it are in the outbox yet.
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
    """All people of a club with their current addresses.

    They are the people in players.toml after all confirmed changes of address. ``moved`` maps old to new addresses of
    people who are not in players.toml.
    """

    moved: dict[str, str] = {}

    def now(self, addresses: Iterable[str]) -> tuple[str, ...]:
        """Return the current addresses of a person not in players.toml, given their addresses in a game."""
        return tuple(dict.fromkeys(self.moved.get(one, one) for one in addresses))


def is_address(text: str) -> bool:
    """Return whether a text is a bare email address, without a name."""
    return _ADDRESS.fullmatch(text) is not None


def read_moves(post: Path) -> tuple[Move, ...]:
    """Return the changes of address in the club's database, whether confirmed or not.

    Raises:
        GameError: If the list in the database is damaged.
    """
    return list_of(post, MOVES, Move)


def read_people(club: Path) -> Roll:
    """Return the people of a club with their current addresses; empty if there is no players.toml.

    Raises:
        GameError: With all errors in players.toml, or if the changes of address in the database are damaged.
    """
    file = club / FILE
    people_read = _people(read_toml_file(file), str(file)) if file.is_file() else People()
    people, moved = dict(people_read.people), dict[str, str]()
    for move in sorted((one for one in read_moves(club / "mail") if one.done), key=lambda one: str(one.done)):
        theirs = [key for key, person in people.items() if person.mail.lower() == move.old]
        for key in theirs if not move.person else {move.person} & {*theirs}:
            person = people[key]
            people[key] = msgspec.structs.replace(person, mail=move.new, was=(*person.was, person.mail))
        if not move.person:
            moved = {old: move.new if new == move.old else new for old, new in moved.items()} | {move.old: move.new}
            moved.pop(move.new, None)  # the person returned to a former address
    return Roll(people=people, moved=moved)


def _people(data: bytes, file: str) -> People:
    try:
        raw = parse_toml(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise GameError.saying("not-utf8", "this file is not UTF-8 text", file=file) from error
    except NotToml as error:
        raise GameError.saying("not-toml", f"this file is not valid TOML: {error}", file=file) from error
    if raw.get("format") != FORMAT:
        raise GameError.saying("format", f"add the line `format = {FORMAT}`: this file has none", file=file)
    people: People = build(People, raw, file)
    faults = [Fault(code="person", text=text, file=file) for text in _wrong(people)]
    if faults:
        raise GameError(*faults)
    return people


def _wrong(people: People) -> list[str]:
    counted = Counter(game for one in people.people.values() for game in dict.fromkeys(one.umpires))
    faults = [f"{game} has {count} umpires; a game has one" for game, count in counted.items() if count > 1]
    for key, person in people.people.items():
        if not KEY.fullmatch(key):
            faults.append(f"people.{key}: a key is of small letters, digits, _ and -")
        elif by_computer(key):
            faults.append(f"people.{key}: this word means {in_words(key)}, so nobody can have it as a key")
        faults += [
            f"people.{key}: {address!r} is not a plain email address like ann@example.org"
            for address in (person.mail, *person.writes, *person.was)
            if not _ADDRESS.fullmatch(address)
        ]
        faults += [
            f"people.{key}.away: {text!r} is not like '2027-12-24 to 2028-01-01'"
            for text in person.away
            if days_in(text) is None
        ]
        if re.search(r'[<>"@,;:\\\n]', person.name):
            faults.append(f"people.{key}: the name {person.name!r} has a character that a name in an email cannot have")
    return faults


def names_in(people: People, written: Iterable[str]) -> dict[str, str]:
    """Return the names by which players are shown to others, as a dict of text to name.

    Each key is a text from ``written``, by which a game names a player; its value is the name to show. Players without
    a known name are left out.
    """
    persons = {one: people.find(one) for one in written if one and not by_computer(one)}
    return {one: person.name for one, person in persons.items() if person is not None and person.name}


def names_for(game: Path, written: Iterable[str]) -> dict[str, str]:
    """Return the names by which the players of a game in a club are shown to others, by player.

    Args:
        game: The game's folder in the club; it need not exist yet.
        written: The texts by which the game names its players; they are the keys of the result.
    """
    return names_in(read_people(game.absolute().parent.parent), written)


def remember_names(game: Path, terms: Terms, people: People | None = None) -> None:
    """Store the players' display names in the game's own files. The caller must hold the game's lock."""
    people = people if people is not None else read_people(game.absolute().parent.parent)
    if not people.people:
        return
    changes = tenures(game)
    written = {*players(game, terms).values(), *(who for one in changes for who in (one.before, one.player))}
    stored = names(game)
    if (now := {**stored, **names_in(people, sorted(written))}) != stored:
        note_names(game, now)
