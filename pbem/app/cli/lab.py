"""The commands case, report-bug, chances, lab and soak.

They run rule cases, report rules that were played wrongly, show deciding turns, and play self-play and random games.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.app.cli import complete
from pbem.app.cli.output import (
    FAULTY,
    Json,
    arg,
    columns,
    counted,
    link,
    opened,
    opt,
    pairs,
    print_json,
    progress,
    refusal,
    say,
    spelled,
)
from pbem.util import several

if TYPE_CHECKING:
    from pbem.lab.random_games.run import RandomGameResult, RandomGameTotals
    from pbem.lab.selfplay.match import SelfPlayResult
    from pbem.lab.selfplay.tally import Bounds


def case(
    files: Annotated[list[Path], arg("FILE…", "Case files, or folders of case files.")],
    exact: Annotated[bool, opt("Be strict: each case must give every die and expect every fault.", "--exact")] = False,
    json: Json = False,
) -> None:
    """Run rule cases; print one line for each, and what differed."""
    from pbem.lab.rule_cases.play import run_files

    missing = [file for file in files if not file.exists()]
    if missing:
        raise refusal("no-such-file", "there is no such case file or folder", file=str(missing[0]))
    empty = [file for file in files if file.is_dir() and not any(file.rglob("*.toml"))]
    if empty:
        raise refusal("no-cases", "there is no case file (.toml) in this folder", file=str(empty[0]))
    with progress("running cases") as show_progress:
        results = run_files(files, exact=exact, progress=show_progress)
    lines = []
    for result in results:
        lines.append(f"{'ok  ' if result.passed else 'FAIL'}  {result.name}")
        lines += [f"        {difference}" for difference in result.differences]
    failed = sum(not result.passed for result in results)
    lines.append(f"{several(len(results), 'case')}, {failed or 'none'} failed.")
    say({"cases": results, "failed": failed}, "\n".join(lines), json=json)
    if failed:
        raise typer.Exit(FAULTY)


def report_bug(
    game: Annotated[Path, arg("GAME", "The game's folder.")],
    to: Annotated[
        Path | None, opt("Where to write it; otherwise GAME-bug.zip here.", "--to", metavar="FILE", readable=False)
    ] = None,
    side: Annotated[
        str, opt("Report only what this side has seen. Required while the game is running.", metavar="SIDE")
    ] = "",
    turn: Annotated[int, opt("The turn; otherwise the last one that was played.", min=0)] = 0,
    rule: Annotated[str, opt("The number of the rule, if you know it, like E1.2.", metavar="NUMBER")] = "",
    json: Json = False,
) -> None:
    """Pack a report about a rule that was played wrongly: the game and a rule case, without names and secrets."""
    from pbem.games.storage.files import write_bytes
    from pbem.lab.rule_cases.bug_report import bug_report

    with opened(game) as folder, progress("packing"):
        wanted = spelled(side, folder.terms.sides) if side else ""
        found = bug_report(folder, side=wanted, turn=turn, rule=rule)
        file = to or Path(f"{folder.terms.name}-bug.zip")
    write_bytes(file, found.data)
    what = f"what {found.side} has seen" if found.side else "the whole game, with its archive"
    lines = [
        f"{link(file)}: {', '.join(found.files)}.",
        f"It holds {what}, and turn {found.turn} as a rule case.",
        "It holds no names, addresses, game tokens, dice secret, or orders that were not played.",
        "Say in case.toml which rule was played wrongly and what it says, then attach the file to your report.",
    ]
    if not found.whole:
        lines.insert(2, "Some orders of that turn are left out of the case; it says which.")
    data = {"file": file, "bytes": len(found.data), "files": found.files, "turn": found.turn, "side": found.side}
    say({**data, "whole": found.whole}, "\n".join(lines), json=json)


def chances(
    game: Annotated[Path, arg("GAME", "The game's folder.")],
    captain: Annotated[
        str, opt("The level of the computer players: ensign, captain, commodore.", "--captain", offer=complete.levels)
    ] = "ensign",
    games: Annotated[int, opt("How many games to play from the beginning of each turn.", "--games", "-n", min=1)] = 20,
    json: Json = False,
) -> None:
    """Show how each side's chance of winning changed from turn to turn, and which turns decided a finished game."""
    from pbem.games.storage.players import by_computer, players
    from pbem.lab.selfplay.match import verify_captain
    from pbem.lab.selfplay.run import chance_lines, moments, swings

    verify_captain(captain)
    with opened(game) as folder, progress("playing on"):
        state = folder.state()
        people = [side for side, player in players(folder.path, folder.terms).items() if not by_computer(player)]
        if not state.over and len(people) > 1:
            text = "wait until the game is over: its chances would help one side against another"
            raise refusal("game-goes-on", text, file=str(game))
        records, setting, key = folder.effective(), folder.scenario(), folder.terms.scenario
        found = moments(records, setting, key=key, level=captain, games=games)
    results = {one.side: one.result for one in state.outcome}
    decided = swings(found, results) if state.over else []
    if json:
        turns = [
            {"turn": one.turn, "games": one.games, "won": one.won, "rates": {s: one.rate(s)._asdict() for s in one.won}}
            for one in found
        ]
        print_json({"turns": turns, "decided": [one._asdict() for one in decided]})
        return
    typer.echo("\n".join(chance_lines(found, decided)))


def lab(
    scenario: Annotated[str, arg("SCENARIO", "Its number, or a version like 8-cadet.", offer=complete.scenarios)],
    captain: Annotated[
        list[str] | None,
        opt(
            "Who plays a side: a level (default: captain), random or robot.",
            "--captain",
            "-c",
            metavar="SIDE=WHO",
            offer=complete.captains,
        ),
    ] = None,
    games: Annotated[int, opt("How many games.", "--games", "-n", min=1)] = 100,
    swap: Annotated[bool, opt("Swap sides in every other game.", "--swap")] = False,
    ship: Annotated[list[str] | None, opt("Use another class for a ship.", "--ship", metavar="SHIP=CLASS")] = None,
    unit: Annotated[list[str] | None, opt("Add an optional ship.", "--unit", metavar="SHIP")] = None,
    option: Annotated[list[str] | None, opt("Set an option, as in pbem new.", "--option", metavar="NAME=WORD")] = None,
    vary: Annotated[
        str,
        opt("Play once for each of several values of one option or ship, and compare.", "--set", metavar="NAME=A,B"),
    ] = "",
    sprt: Annotated[
        str,
        opt(
            "Stop as soon as a sequential test (SPRT) decides between a win rate of LOW % and HIGH %.",
            "--sprt",
            metavar="LOW,HIGH",
        ),
    ] = "",
    seed: Annotated[str, opt("The random seed; the same seed plays the same games.", "--seed")] = "1",
    turns: Annotated[int, opt("End a game after this turn, and judge it.", "--turns", min=1)] = 25,
    out: Annotated[Path | None, opt("Store the games in this file, and continue from it.", "--out")] = None,
    page: Annotated[Path | None, opt("Write a page with plots.", "--page", metavar="FILE.html")] = None,
    processes: Annotated[int, opt("The number of games played at the same time.", "--processes", "-p", min=1)] = 1,
    cluster: Annotated[str, opt("Use the dask cluster with this scheduler.", "--cluster", metavar="ADDRESS")] = "",
    json: Json = False,
) -> None:
    """Play many games of a scenario with computer players, and show who won how often.

    It also shows the margin of error.
    """
    from pbem.games.storage.files import write_text
    from pbem.lab.selfplay.match import Match, setting_of, verified
    from pbem.lab.selfplay.run import run
    from pbem.lab.selfplay.tally import figures, lab_page, result_lines

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
        found = run(
            checked, games, file=file, processes=processes, cluster=cluster, told=_with_game_progress, bounds=bounds
        )
        results.append((name, checked, found))
    title = setting_of(match.scenario).title
    if json:
        print_json({"matches": [figures(name, one, found) for name, one, found in results]})
    for name, one, found in () if json else results:
        if name:
            typer.echo(f"{vary.partition('=')[0]} = {name}")
        typer.echo("\n".join(result_lines(one, title, found, bounds)))
    if page is not None:  # last, so that the results are printed even if the page cannot be written
        write_text(page, lab_page(title, results, bounds))


def _varied(match: Any, vary: str) -> list[tuple[str, Any]]:
    """Return the matches to play, each with its value of the varied option or ship.

    If nothing is varied, it is the match itself with an empty value.
    """
    from msgspec.structs import replace

    if not vary:
        return [("", match)]
    name, _, words = vary.partition("=")
    if not words:
        raise typer.BadParameter("name an option and its values: --set reveal=speeds,none", param_hint="--set")
    field = "options" if name in _options() else "ships"
    return [
        (word, replace(match, **{field: {**getattr(match, field), name: word}})) for word in words.split(",") if word
    ]


def _bounds(words: str) -> Bounds | None:
    """Return the two chances to win, from 0 to 1, between which a sequential test decides.

    ``words`` has the chances as percentages, such as ``75,85``. Return ``None`` if it is empty.
    """
    from pbem.lab.selfplay.tally import Bounds

    if not words:
        return None
    low, _, high = words.partition(",")
    if not (len(words) < 9 and low.isdecimal() and high.isdecimal() and 0 < int(low) < int(high) < 100):
        raise typer.BadParameter("give two numbers from 0 to 100, the lower one first: 75,85", param_hint="--sprt")
    return Bounds(int(low) / 100, int(high) / 100)


def _options() -> tuple[str, ...]:
    from pbem.engine.options import Options

    return Options.__struct_fields__


def _with_game_progress(games: Iterator[SelfPlayResult], count: int) -> Iterator[SelfPlayResult]:
    yield from counted(games, count, "playing")


LOGGED = 250
"""Number of games between two progress lines if stderr is not a terminal."""

WORST = 10
"""Maximum number of failures that are printed as text; ``--json`` prints all."""


def soak(
    games: Annotated[int, opt("How many games.", "--games", "-n", min=1)] = 100,
    seed: Annotated[int, opt("The number of the run; the same run plays the same games.", "--seed", min=0)] = 1,
    scenario: Annotated[
        list[str] | None,
        opt("Play only this scenario; can be repeated.", "--scenario", "-s", offer=complete.scenarios),
    ] = None,
    processes: Annotated[int, opt("The number of games played at the same time.", "--processes", "-p", min=1)] = 1,
    turns: Annotated[int, opt("End a game after this turn, and judge it.", "--turns", min=1)] = 25,
    minutes: Annotated[float | None, opt("Begin no more games after this many minutes.", "--minutes", min=0)] = None,
    only: Annotated[list[str] | None, opt("Play only this game again, like 5-1-17; can be repeated.", "--only")] = None,
    write: Annotated[Path | None, opt("With --only: write the game to this empty folder.", "--write")] = None,
    json: Json = False,
) -> None:
    """Play random games of every scenario and ship with random legal orders, and report what went wrong."""
    from pbem.lab.random_games.play import deal
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
    tally = tallied(
        _with_soak_progress(play_all(wanted, processes=processes, turns=turns, seconds=seconds), len(wanted))
    )
    if json:
        print_json({**_figures(tally), "failures": tally.failures})
    else:
        typer.echo(_tally_text(tally, turns))
    if tally.failures:
        raise typer.Exit(FAULTY)


def _scenarios(chosen: list[str] | None) -> list[str]:
    from pbem.lab.random_games.play import playable

    can = playable()
    wanted = [one.removeprefix("#") for one in chosen or can]
    for one in wanted:
        if one not in can:
            text = f"{one!r} must be a scenario that can be played: {', '.join(can)}"
            raise typer.BadParameter(text, param_hint="--scenario")
    return wanted


def _write(keys: list[str], folder: Path, turns: int, *, json: bool) -> None:
    """Write one random game as a game folder, as far as the game can be played."""
    from pbem.lab.random_games.run import write

    if len(keys) != 1:
        raise typer.BadParameter("name one game to write with --only", param_hint="--write")
    written = write(keys[0], folder, turns)
    text = f"Game {keys[0]}: {several(written.files, 'order file')} in {written.folder}."
    say(written, f"{text}\nIt stopped: {written.stopped}" if written.stopped else text, json=json)
    if written.stopped:
        raise typer.Exit(FAULTY)


def _with_soak_progress(games: Iterable[RandomGameResult], count: int) -> Iterator[RandomGameResult]:
    """Yield the results of random games, and show a progress bar.

    Without a terminal, print a line from time to time.
    """
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


def _logged(games: Iterable[RandomGameResult], count: int) -> Iterator[RandomGameResult]:
    failed, began = 0, time.perf_counter()
    for number, game in enumerate(games, start=1):
        failed += game.end == "failed"
        if number % LOGGED == 0:
            rate = number / (time.perf_counter() - began)
            typer.echo(f"{number} of {count} games, {failed} failed, {rate:.1f} a second", err=True)
        yield game


def _figures(tally: RandomGameTotals) -> dict[str, object]:
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


def _tally_text(tally: RandomGameTotals, turns: int) -> str:
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
