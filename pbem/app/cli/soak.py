"""soak: thousands of random games, to see that nothing breaks."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import FAULTY, Json, columns, opt, print_json, say
from pbem.counts import several

if TYPE_CHECKING:
    from pbem.lab.random_games.run import Played, Tally

LOGGED = 250
"""Games after which a line is written where stderr is a file."""

WORST = 10
"""Failures told in words; --json has them all."""


def soak(
    games: Annotated[int, opt("How many games.", "--games", "-n", min=1)] = 100,
    seed: Annotated[int, opt("The run; the same run plays the same games.", "--seed", min=0)] = 1,
    scenario: Annotated[
        list[str] | None,
        opt("Only this scenario; may be given more than once.", "--scenario", "-s", offer=complete.scenarios),
    ] = None,
    processes: Annotated[int, opt("Games played side by side.", "--processes", "-p", min=1)] = 1,
    turns: Annotated[int, opt("A game that has not ended by then is called.", "--turns", min=1)] = 25,
    minutes: Annotated[float | None, opt("Begin no game after so many minutes.", "--minutes", min=0)] = None,
    only: Annotated[list[str] | None, opt("Play just this game again, like 5-1-17; may be repeated.", "--only")] = None,
    write: Annotated[Path | None, opt("With --only: write the game into this empty folder.", "--write")] = None,
    json: Json = False,
) -> None:
    """Play random games of every scenario and ship with random legal orders, and say what broke."""
    from pbem.lab.random_games.games import deal
    from pbem.lab.random_games.run import keys, soak as play_all, tallied

    wanted = list(only or keys(_scenarios(scenario), games, seed))
    for key in only or ():
        try:
            deal(key)
        except ValueError as error:
            raise typer.BadParameter(str(error), param_hint="--only") from error
    if write is not None:
        _write(wanted, write, turns, json=json)
        return
    seconds = inf if minutes is None else 60 * minutes
    tally = tallied(_shown(play_all(wanted, processes=processes, turns=turns, seconds=seconds), len(wanted)))
    if json:
        print_json({**_figures(tally), "failures": tally.failures})
    else:
        typer.echo(_told(tally, turns))
    if tally.failures:
        raise typer.Exit(FAULTY)


def _scenarios(chosen: list[str] | None) -> list[str]:
    from pbem.lab.random_games.games import playable

    can = playable()
    wanted = [one.removeprefix("#") for one in chosen or can]
    for one in wanted:
        if one not in can:
            text = f"{one!r} is none of the scenarios that can be played: {', '.join(can)}"
            raise typer.BadParameter(text, param_hint="--scenario")
    return wanted


def _write(keys: list[str], folder: Path, turns: int, *, json: bool) -> None:
    """Write one game as a game folder, as far as it can be played."""
    from pbem.lab.random_games.write import write

    if len(keys) != 1:
        raise typer.BadParameter("name the one game to write with --only", param_hint="--write")
    written = write(keys[0], folder, turns)
    told = f"Game {keys[0]}: {several(written.files, 'order file')} in {written.folder}."
    say(written, f"{told}\nIt stopped: {written.stopped}" if written.stopped else told, json=json)
    if written.stopped:
        raise typer.Exit(FAULTY)


def _shown(games: Iterable[Played], count: int) -> Iterator[Played]:
    """The games as they come, with a progress bar for people; now and then a line where nobody looks."""
    if not sys.stderr.isatty():
        yield from _logged(games, count)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    row = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*row, console=Console(stderr=True), transient=True) as progress:
        task, failed = progress.add_task("playing", total=count), 0
        for game in games:
            failed += game.end == "failed"
            progress.update(task, advance=1, description=f"{failed} failed" if failed else "playing")
            yield game


def _logged(games: Iterable[Played], count: int) -> Iterator[Played]:
    failed, began = 0, time.perf_counter()
    for number, game in enumerate(games, start=1):
        failed += game.end == "failed"
        if number % LOGGED == 0:
            rate = number / (time.perf_counter() - began)
            typer.echo(f"{number} of {count} games, {failed} failed, {rate:.1f} a second", err=True)
        yield game


def _figures(tally: Tally) -> dict[str, object]:
    return {
        "games": tally.games,
        "seconds": round(tally.seconds, 1),
        "turns": tally.turns,
        "requests": tally.requests,
        "records": tally.records,
        "lines": tally.lines,
        "scenarios": tally.ends,
        "refused": tally.refused,
    }


def _told(tally: Tally, turns: int) -> str:
    did = several(tally.games, "game"), several(tally.turns, "turn"), several(tally.requests, "request")
    out = [
        f"{', '.join(did)}, {several(tally.records, 'record')} in {tally.seconds:.0f} s ({tally.rate:.1f} games a "
        "second)."
    ]
    out += columns(
        (f"#{number}", *(f"{ends[end]} {end}" for end in ("ended", "called", "failed")))
        for number, ends in tally.ends.items()
    )
    if any(ends["called"] for ends in tally.ends.values()):
        out.append(f"Games that had not ended after turn {turns} were called.")
    refused = sum(tally.refused.values())
    out.append(f"{several(tally.lines, 'line')} of orders; {several(refused, 'was', 'were')} refused and taken out.")
    out += columns((code, str(count)) for code, count in tally.refused.items())
    for game in tally.failures[:WORST]:
        out += ["", f"FAILED {game.key} in turn {game.turns}: pbem soak --only {game.key} --write DIR"]
        out += [f"  {breach}" for breach in game.breaches[:5]]
        out += [f"  {line}" for line in game.trace.rstrip().split("\n")[-6:] if line]
    if len(tally.failures) > WORST:
        out.append(f"… and {len(tally.failures) - WORST} more; --json tells all.")
    out.append("Nothing broke." if not tally.failures else f"{several(len(tally.failures), 'game')} failed.")
    return "\n".join(out)
