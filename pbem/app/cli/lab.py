"""lab: many games of computer captains, and how surely who wins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli import complete
from pbem.app.cli.drawing import counted
from pbem.app.cli.output import Json, arg, opt, pairs, print_json

if TYPE_CHECKING:
    from pbem.lab.selfplay.match import Tried
    from pbem.lab.selfplay.tally import Bounds


def lab(
    scenario: Annotated[str, arg("SCENARIO", "Its number, or a version like 8-cadet.", offer=complete.scenarios)],
    captain: Annotated[
        list[str] | None,
        opt(
            "Who commands a side: a level, random or robot; captain where nothing is said.",
            "--captain",
            "-c",
            metavar="SIDE=WHO",
            offer=complete.captains,
        ),
    ] = None,
    games: Annotated[int, opt("How many games.", "--games", "-n", min=1)] = 100,
    swap: Annotated[bool, opt("The two captains change sides in every second game.", "--swap")] = False,
    ship: Annotated[list[str] | None, opt("Another class for a ship or role.", "--ship", metavar="SHIP=CLASS")] = None,
    unit: Annotated[list[str] | None, opt("An optional ship that takes part.", "--unit", metavar="SHIP")] = None,
    option: Annotated[list[str] | None, opt("As pbem new takes them.", "--option", metavar="NAME=WORD")] = None,
    vary: Annotated[
        str,
        opt("Play it once for each of several words of one option or ship, and compare.", "--set", metavar="NAME=A,B"),
    ] = "",
    sprt: Annotated[
        str,
        opt(
            "Stop when it is clear whether the first captain wins HIGH of 100 games rather than LOW.",
            "--sprt",
            metavar="LOW,HIGH",
        ),
    ] = "",
    seed: Annotated[str, opt("The same seed plays the same games.", "--seed")] = "1",
    turns: Annotated[int, opt("A game that has not ended by then is called.", "--turns", min=1)] = 25,
    out: Annotated[Path | None, opt("Keep the games in this file, line by line; go on from it.", "--out")] = None,
    page: Annotated[Path | None, opt("Write a page with plots.", "--page", metavar="FILE.html")] = None,
    processes: Annotated[int, opt("Games played side by side.", "--processes", "-p", min=1)] = 1,
    cluster: Annotated[str, opt("A dask cluster's scheduler plays them.", "--cluster", metavar="TCP://")] = "",
    json: Json = False,
) -> None:
    """Play many games of a scenario with computer captains, and say who won how often, and how surely."""
    from pbem.games.storage.files import write_text
    from pbem.lab.selfplay.match import Match, setting_of, verified
    from pbem.lab.selfplay.page import lab_page
    from pbem.lab.selfplay.run import run
    from pbem.lab.selfplay.tally import figures, told

    match = Match(
        scenario=scenario.removeprefix("#"),
        captains=pairs(captain or (), "--captain"),
        swap=swap,
        ships=pairs(ship or (), "--ship"),
        units=tuple(unit or ()),
        options=pairs(option or (), "--option"),
        seed=seed,
        turns=turns,
    )
    bounds = _bounds(sprt)
    results = []
    for name, one in _varied(match, vary):
        checked = verified(one)
        file = out if out is None or not name else out.with_name(f"{out.stem}-{name}{out.suffix}")
        found = run(checked, games, file=file, processes=processes, cluster=cluster, told=_shown, bounds=bounds)
        results.append((name, checked, found))
    title = setting_of(match.scenario).title
    if json:
        print_json({"matches": [figures(name, one, found) for name, one, found in results]})
    for name, one, found in () if json else results:
        if name:
            typer.echo(f"{vary.partition('=')[0]} = {name}")
        typer.echo("\n".join(told(one, title, found, bounds)))
    if page is not None:  # last: what hours were played for is told whether or not a page can be written
        write_text(page, lab_page(title, results, bounds))


def _varied(match: Any, vary: str) -> list[tuple[str, Any]]:
    """The match itself, or one for each word of what is varied."""
    from msgspec.structs import replace

    if not vary:
        return [("", match)]
    name, _, words = vary.partition("=")
    if not words:
        raise typer.BadParameter("say what is varied, and how: --set reveal=speeds,none", param_hint="--set")
    field = "options" if name in _options() else "ships"
    return [
        (word, replace(match, **{field: {**getattr(match, field), name: word}})) for word in words.split(",") if word
    ]


def _bounds(words: str) -> Bounds | None:
    """``75,85`` as the two parts a sequential test tells from each other."""
    from pbem.lab.selfplay.tally import Bounds

    if not words:
        return None
    low, _, high = words.partition(",")
    if not (len(words) < 9 and low.isdecimal() and high.isdecimal() and 0 < int(low) < int(high) < 100):
        raise typer.BadParameter("two whole numbers between 0 and 100, the lower one first: 75,85", param_hint="--sprt")
    return Bounds(int(low) / 100, int(high) / 100)


def _options() -> tuple[str, ...]:
    from pbem.engine.options import Options

    return Options.__struct_fields__


def _shown(games: Iterator[Tried], count: int) -> Iterator[Tried]:
    yield from counted(games, count, "playing")
