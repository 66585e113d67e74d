"""Shell completion of scenarios, ships, charts, rules, and the sides of a game.

Each function gets the text typed so far and, in ``ctx``, the arguments before it. Completion never fails and prints
nothing. If data cannot be read, a function offers no words, and the shell offers file names instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeAlias

import typer

Words: TypeAlias = Iterator[tuple[str, str]]
"""Type of the words that completion offers, each with a description that some shells show."""
P = ParamSpec("P")


def _offered(words: Callable[P, Words]) -> Callable[P, list[tuple[str, str]]]:
    """Make a completion function offer only words that begin with the typed text (a decorator).

    If an error occurs, the words found before the error are still offered.
    """

    @wraps(words)
    def offer(*args: P.args, **typed: P.kwargs) -> list[tuple[str, str]]:
        from pbem.errors import GameError

        begun, found = str(typed["incomplete"]).removeprefix("#").casefold(), []
        with suppress(GameError, OSError, ValueError):
            for word, help in words(*args, **typed):
                if word.casefold().startswith(begun):
                    found.append((word, help))
        return found

    return offer


@_offered
def scenarios(incomplete: str) -> Words:
    """Yield the numbers of scenarios with their titles."""
    from pbem.data.scenarios import scenario, scenario_keys

    for key in scenario_keys():
        yield key, scenario(key).title


@_offered
def ships(incomplete: str) -> Words:
    """Yield the keys of ship classes with their names."""
    from pbem.data.ships import ship_class, ship_keys

    for key in ship_keys():
        yield key, ship_class(key).name


@_offered
def charts(incomplete: str) -> Words:
    """Yield the keys of charts with their titles."""
    from pbem.data.files import keys, read_toml

    for key in keys("chart"):
        yield key, str(read_toml("chart", key)[0].get("title", ""))


@_offered
def rules(incomplete: str) -> Words:
    """Yield the chapters of rules and, once a character has been typed, the numbers of rules, with titles."""
    from pbem.data.citations import chapters
    from pbem.data.rulebook import rulebook

    for chapter in chapters():
        yield chapter.name, chapter.about
    if incomplete:
        # Two rules may have the same number, one for cadets and one for the standard game.
        yield from {rule.number.partition(" ")[0]: rule.title for rule in rulebook().rule}.items()


def _typed(ctx: typer.Context, name: str) -> str:
    """Return the first argument of the command as typed so far; ``name`` is the name of its parameter.

    If click has not assigned the argument to its parameter yet, the first unparsed argument is returned. This happens
    if an option before it still waits for its value.
    """
    return str(ctx.params.get(name) or next(iter(ctx.args), ""))


@_offered
def sides(ctx: typer.Context, incomplete: str) -> Words:
    """Yield the sides of the game whose folder was typed as an argument of the command."""
    from pbem.games.storage.opening import opened

    if game := _typed(ctx, "game"):
        with opened(Path(game)) as folder:
            for side in folder.state().sides.values():
                yield side.name, side.player


@_offered
def readers(ctx: typer.Context, incomplete: str) -> Words:
    """Yield the possible readers of a report: the sides of the game and the umpire."""
    yield "umpire", "sees everything"
    yield from sides(ctx=ctx, incomplete=incomplete)


@_offered
def players(ctx: typer.Context, incomplete: str) -> Words:
    """Yield ``SIDE=``, ``SIDE=robot`` and ``SIDE=LEVEL`` for every side of the scenario.

    ``LEVEL`` is a level of computer player.
    """
    from pbem.data.scenarios import scenario

    for side in scenario(_typed(ctx, "scenario")).sides:
        yield f"{side.name}=", side.role or side.race
        if side.robot != "no":
            yield f"{side.name}=robot", "played by the robot"
        yield from _levels(side.name)


@_offered
def captains(ctx: typer.Context, incomplete: str) -> Words:
    """Yield ``SIDE=NAME`` with every computer player that can command the side in ``pbem lab``."""
    from pbem.data.scenarios import scenario

    for side in scenario(_typed(ctx, "scenario")).sides:
        if side.robot != "must":
            yield from _levels(side.name)
            yield f"{side.name}=random", "orders anything that is legal"
            if side.robot != "no":
                yield f"{side.name}=robot", "flies by the printed rules"


@_offered
def levels(incomplete: str) -> Words:
    """Yield the levels of computer players."""
    from pbem.data.doctrines import doctrines

    for level in doctrines().levels:
        yield level.name, level.told


def _levels(side: str) -> Words:
    from pbem.data.doctrines import doctrines

    for level in doctrines().levels:
        yield f"{side}={level.name}", level.told


@_offered
def ship_choices(ctx: typer.Context, incomplete: str) -> Words:
    """Yield ``UNIT=CLASS`` for the ships of the scenario: units first, and after the ``=`` the classes."""
    from pbem.data.scenarios import scenario

    which, equals, _ = incomplete.partition("=")
    if equals:
        yield from ((f"{which}={key}", name) for key, name in ships(incomplete=""))
        return
    for unit in scenario(_typed(ctx, "scenario")).units:
        yield f"{unit.name}=", f"{unit.side}: {unit.ship}"


@_offered
def optional_units(ctx: typer.Context, incomplete: str) -> Words:
    """Yield the scenario's optional units."""
    from pbem.data.scenarios import scenario

    for unit in scenario(_typed(ctx, "scenario")).units:
        if unit.optional:
            yield unit.name, f"{unit.side}: {unit.ship}"


@_offered
def topics(incomplete: str) -> Words:
    """Yield the names of the guide pages, each with a sentence about the page."""
    from pbem.reports.text.guide import pages

    for name, page in pages().items():
        yield name, page.about
