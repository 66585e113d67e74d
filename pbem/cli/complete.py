"""What a shell offers while a command line is typed: scenarios, ships, charts, rules, and the sides of a game.

Each is given what stands there so far, and what was typed before it in ``ctx``. A completion never fails and never
speaks: what cannot be read offers nothing, and the shell then offers files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

import typer

Offered: TypeAlias = list[tuple[str, str]]
"""Words with what they stand for; shells that can show that do."""


def _offer(pairs: Callable[[], Iterable[tuple[str, str]]], incomplete: str) -> Offered:
    from pbem.faults import GameError

    begun = incomplete.casefold()
    found: Offered = []
    with suppress(GameError, OSError, ValueError):
        for word, help in pairs():
            if word.casefold().startswith(begun):
                found.append((word, help))
    return found  # what was found before anything went wrong counts


def scenarios(incomplete: str) -> Offered:
    """Numbers of scenarios, with their titles."""
    return _offer(_scenarios, incomplete.removeprefix("#"))


def _scenarios() -> Iterator[tuple[str, str]]:
    from pbem.data.scenarios import scenario, scenario_keys

    for key in scenario_keys():
        yield key, scenario(key).title


def ships(incomplete: str) -> Offered:
    """Keys of ship classes, with their names."""
    return _offer(_ships, incomplete)


def _ships() -> Iterator[tuple[str, str]]:
    from pbem.data.ships import ship_class, ship_keys

    for key in ship_keys():
        yield key, ship_class(key).name


def charts(incomplete: str) -> Offered:
    """Keys of charts, with their titles."""

    def titled() -> Iterator[tuple[str, str]]:
        from pbem.data.files import keys, read_toml

        for key in keys("chart"):
            yield key, str(read_toml("chart", key)[0].get("title", ""))

    return _offer(titled, incomplete)


def rules(incomplete: str) -> Offered:
    """Numbers of rules, with their titles; before the first letter the chapters."""

    def numbered() -> Iterator[tuple[str, str]]:
        from pbem.cases.applied import chapters
        from pbem.data.rulebook import rulebook

        for chapter in chapters():
            yield chapter.name, chapter.about
        if incomplete:
            # One number may be two rules, for cadets and in the standard game.
            titles = {rule.number.partition(" ")[0]: rule.title for rule in rulebook().rule}
            yield from titles.items()

    return _offer(numbered, incomplete)


def _typed(ctx: typer.Context, name: str) -> str:
    """The first argument of the command, known by its name; behind an option that waits for its value it has not been
    given that yet.
    """
    return str(ctx.params.get(name) or next(iter(ctx.args), ""))


def sides(ctx: typer.Context, incomplete: str) -> Offered:
    """The sides of the game that the command names."""
    return _offer(lambda: _sides(ctx), incomplete)


def readers(ctx: typer.Context, incomplete: str) -> Offered:
    """The sides of the game and the umpire."""

    def known() -> Iterator[tuple[str, str]]:
        yield "umpire", "sees everything"
        yield from _sides(ctx)

    return _offer(known, incomplete)


def _sides(ctx: typer.Context) -> list[tuple[str, str]]:
    from pbem.desk.opened import opened

    game = _typed(ctx, "game")
    if not game:
        return []
    with opened(Path(game)) as folder:
        return [(side.name, side.player) for side in folder.state().sides.values()]


def players(ctx: typer.Context, incomplete: str) -> Offered:
    """``SIDE=`` for every side of the scenario that is to be played, and ``SIDE=robot``."""

    def wanted() -> Iterator[tuple[str, str]]:
        from pbem.data.scenarios import scenario

        for side in scenario(_typed(ctx, "scenario")).sides:
            yield f"{side.name}=", side.role or side.race
            if side.robot != "no":
                yield f"{side.name}=robot", "played by the robot"

    return _offer(wanted, incomplete)


def ship_choices(ctx: typer.Context, incomplete: str) -> Offered:
    """``UNIT=CLASS`` for the ships of the scenario: first the unit, then the class."""
    which, equals, _ = incomplete.partition("=")

    def wanted() -> Iterator[tuple[str, str]]:
        from pbem.data.scenarios import scenario

        if equals:
            for key, name in _ships():
                yield f"{which}={key}", name
            return
        for unit in scenario(_typed(ctx, "scenario")).units:
            yield f"{unit.name}=", f"{unit.side}: {unit.ship}"

    return _offer(wanted, incomplete)


def optional_units(ctx: typer.Context, incomplete: str) -> Offered:
    """The units of the scenario that take part if asked for."""

    def wanted() -> Iterator[tuple[str, str]]:
        from pbem.data.scenarios import scenario

        for unit in scenario(_typed(ctx, "scenario")).units:
            if unit.optional:
                yield unit.name, f"{unit.side}: {unit.ship}"

    return _offer(wanted, incomplete)
