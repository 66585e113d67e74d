"""How players are called where others read it: by the name players.toml has, and never by an address.

The game keeps the name (``secret/names.json``): reports are made anew when somebody wants them, and who has left the
club has still played.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pbem.games.storage.players import by_computer, names, note_names, players, tenures
from pbem.games.storage.terms import Terms
from pbem.mail.people import People, read_people


def names_in(people: People, written: Iterable[str]) -> dict[str, str]:
    """The names of players of whom a game says ``written``, as far as they are known."""
    found = {one: people.find(one) for one in written if one and not by_computer(one)}
    return {one: person.name for one, person in found.items() if person is not None and person.name}


def names_for(game: Path, written: Iterable[str]) -> dict[str, str]:
    """The same of a game that lies, or will lie, in a club."""
    return names_in(read_people(game.absolute().parent.parent), written)


def remember_names(game: Path, terms: Terms, people: People | None = None) -> None:
    """Have a game know how its players are called. Only for who holds its lock."""
    people = people if people is not None else read_people(game.absolute().parent.parent)
    if not people.people:
        return
    changes = tenures(game)
    written = {*players(game, terms).values(), *(who for one in changes for who in (one.before, one.player))}
    known = names(game)
    if (now := {**known, **names_in(people, sorted(written))}) != known:
        note_names(game, now)
