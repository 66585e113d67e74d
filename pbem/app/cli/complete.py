"""What a shell offers while a command line is typed: scenarios, ships, charts, rules, and the sides of a game.

Each is given what stands there so far, and what was typed before it in ``ctx``. A completion never fails and never
speaks: what cannot be read offers nothing, and the shell then offers files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeAlias

import typer

Words: TypeAlias = Iterator[tuple[str, str]]
"""Words with what they stand for; shells that can show that do."""
P = ParamSpec("P")


def _offered(words: Callable[P, Words]) -> Callable[P, list[tuple[str, str]]]:
    """Those of the words that begin like what is typed; what was found before anything went wrong counts."""

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
    """Numbers of scenarios, with their titles."""
    from pbem.data.scenarios import scenario, scenario_keys

    for key in scenario_keys():
        yield key, scenario(key).title


@_offered
def ships(incomplete: str) -> Words:
    """Keys of ship classes, with their names."""
    from pbem.data.ships import ship_class, ship_keys

    for key in ship_keys():
        yield key, ship_class(key).name


@_offered
def charts(incomplete: str) -> Words:
    """Keys of charts, with their titles."""
    from pbem.data.files import keys, read_toml

    for key in keys("chart"):
        yield key, str(read_toml("chart", key)[0].get("title", ""))


@_offered
def rules(incomplete: str) -> Words:
    """Numbers of rules, with their titles; before the first letter the chapters."""
    from pbem.data.citations import chapters
    from pbem.data.rulebook import rulebook

    for chapter in chapters():
        yield chapter.name, chapter.about
    if incomplete:
        # One number may be two rules, for cadets and in the standard game.
        yield from {rule.number.partition(" ")[0]: rule.title for rule in rulebook().rule}.items()


def _typed(ctx: typer.Context, name: str) -> str:
    """The first argument of the command, known by its name; behind an option that waits for its value it has not been
    given that yet.
    """
    return str(ctx.params.get(name) or next(iter(ctx.args), ""))


@_offered
def sides(ctx: typer.Context, incomplete: str) -> Words:
    """The sides of the game that the command names."""
    from pbem.games.storage.opening import opened

    if game := _typed(ctx, "game"):
        with opened(Path(game)) as folder:
            for side in folder.state().sides.values():
                yield side.name, side.player


@_offered
def readers(ctx: typer.Context, incomplete: str) -> Words:
    """The sides of the game and the umpire."""
    yield "umpire", "sees everything"
    yield from sides(ctx=ctx, incomplete=incomplete)


@_offered
def players(ctx: typer.Context, incomplete: str) -> Words:
    """``SIDE=`` for every side of the scenario that is to be played, and ``SIDE=robot``."""
    from pbem.data.scenarios import scenario

    for side in scenario(_typed(ctx, "scenario")).sides:
        yield f"{side.name}=", side.role or side.race
        if side.robot != "no":
            yield f"{side.name}=robot", "played by the robot"
        yield from _levels(side.name)


@_offered
def captains(ctx: typer.Context, incomplete: str) -> Words:
    """``SIDE=`` with every captain that may command it in the laboratory."""
    from pbem.data.scenarios import scenario

    for side in scenario(_typed(ctx, "scenario")).sides:
        if side.robot != "must":
            yield from _levels(side.name)
            yield f"{side.name}=random", "orders anything that is legal"
            if side.robot != "no":
                yield f"{side.name}=robot", "flies by the printed rules"


@_offered
def levels(incomplete: str) -> Words:
    """The levels of computer captains."""
    from pbem.data.doctrines import doctrines

    for level in doctrines().levels:
        yield level.name, level.told


def _levels(side: str) -> Words:
    from pbem.data.doctrines import doctrines

    for level in doctrines().levels:
        yield f"{side}={level.name}", level.told


@_offered
def ship_choices(ctx: typer.Context, incomplete: str) -> Words:
    """``UNIT=CLASS`` for the ships of the scenario: first the unit, then the class."""
    from pbem.data.scenarios import scenario

    which, equals, _ = incomplete.partition("=")
    if equals:
        yield from ((f"{which}={key}", name) for key, name in ships(incomplete=""))
        return
    for unit in scenario(_typed(ctx, "scenario")).units:
        yield f"{unit.name}=", f"{unit.side}: {unit.ship}"


@_offered
def optional_units(ctx: typer.Context, incomplete: str) -> Words:
    """The units of the scenario that take part if asked for."""
    from pbem.data.scenarios import scenario

    for unit in scenario(_typed(ctx, "scenario")).units:
        if unit.optional:
            yield unit.name, f"{unit.side}: {unit.ship}"


@_offered
def topics(incomplete: str) -> Words:
    """Pages of the guides, with a sentence on each."""
    from pbem.reports.text.guide import pages

    for name, page in pages().items():
        yield name, page.about
