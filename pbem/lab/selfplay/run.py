"""Play many self-play games at the same time, in processes of this machine or on a dask cluster.

Each result is written to a file when its game ends. An interrupted run continues where it stopped, and no game is lost
if a worker fails.

The module also estimates each side's chance to win at the beginning of each turn of a finished game. To do so, it
lets computer players continue the game many times from that point. So the estimate depends on their skill, and
assumes that both sides play like them. The dice of the real game matter only because they led to these positions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from importlib import import_module
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.events import Record, Requested
from pbem.engine.log import apply
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.storage.files import write_bytes
from pbem.lab.selfplay.match import Match, SelfPlayGame, SelfPlayResult, carried, mark_of, play
from pbem.lab.selfplay.tally import Bounds, Rate, outcome, sequential, wilson
from pbem.util import install_command, several

MOST = 3
"""Maximum number of turns that are listed as decisive."""


class TurnChances(NamedTuple):
    """Each side's chance to win at the beginning of a turn.

    Attributes:
        turn: The turn.
        won: How many continuations each side won.
        games: Number of continuations played.
    """

    turn: int
    won: dict[str, int]
    games: int

    def rate(self, side: str) -> Rate:
        """Return the share of continuations that a side won, with its confidence interval."""
        return wilson(self.won[side], self.games)


class Swing(NamedTuple):
    """A change of a side's chance to win during one turn.

    Attributes:
        turn: The turn.
        side: The side.
        before: Its chance at the beginning of the turn, in percent.
        after: Its chance at the end of the turn, in percent.
    """

    turn: int
    side: str
    before: int
    after: int


def moments(
    records: Sequence[Record], setting: Scenario, *, key: str, level: str, games: int, seed: str = "chances"
) -> list[TurnChances]:
    """Return the chances of all sides to win at the beginning of each turn of a game.

    Args:
        records: All log records of the game that are in effect, i.e. not undone. Its dice are not used.
        setting: The scenario.
        key: Key of the scenario.
        level: Level of the computer players that continue the game.
        games: Number of continuations from each turn.
        seed: Seed of the dice for the continuations.
    """
    sides = {side.name: level for side in setting.sides if side.robot != "must"}
    found = []
    for turn, begun in _beginnings(records):
        match = Match(scenario=key, captains=sides, seed=f"{seed} {turn}", turns=turn + 15)
        won = dict.fromkeys(sides, 0)
        for number in range(games):
            played = SelfPlayGame(match, number, begun)
            while played.goes_on:
                played.step()
            for one in played.state.outcome:
                if one.side in won and outcome(one.result) == "won":
                    won[one.side] += 1
        found.append(TurnChances(turn, won, games))
    return found


def _beginnings(records: Sequence[Record]) -> list[tuple[int, Sequence[Record]]]:
    """Return each turn with the log records up to the first request for orders of the turn."""
    found: dict[int, Sequence[Record]] = {}
    state = State()
    for place, record in enumerate(records, start=1):
        state = apply(state, record.event)
        if isinstance(record.event, Requested) and record.event.request.impulse == 0:
            found.setdefault(record.event.request.turn, records[:place])
    return list(found.items())


def swings(chances: Sequence[TurnChances], results: dict[str, str]) -> list[Swing]:
    """Return the turns in which the winner's chance to win changed most, the largest change first.

    Only changes larger than the confidence intervals are returned, at most one for each turn, and at most
    :data:`MOST` in total. If nobody won, the chances of all sides are considered. The last turn is compared with the
    result of the game.
    """
    winners = [side for side, result in results.items() if outcome(result) == "won"]
    changes = []
    for place, moment in enumerate(chances):
        for side in (side for side in moment.won if side in winners or not winners):
            before = moment.rate(side)
            if place + 1 < len(chances):
                after = chances[place + 1].rate(side)
            else:
                end = 1.0 if outcome(results.get(side, "")) == "won" else 0.0
                after = Rate(end, end, end)
            if before.high < after.low or after.high < before.low:
                changes.append(Swing(moment.turn, side, round(100 * before.part), round(100 * after.part)))
    changes.sort(key=lambda one: (-abs(one.after - one.before), one.turn, one.side))
    named: dict[int, Swing] = {}
    for change in changes:
        named.setdefault(change.turn, change)
    return list(named.values())[:MOST]


def chance_lines(chances: Sequence[TurnChances], decided: Sequence[Swing]) -> list[str]:
    """Return the chances at the beginning of each turn and the decisive turns, as lines of text."""
    lines = (
        [f"The chance to win as each turn began, by {several(chances[0].games, 'game')} from there:"] if chances else []
    )
    for moment in chances:
        parts = []
        for side in moment.won:
            rate = moment.rate(side)
            within = f"({100 * rate.low:.0f} to {100 * rate.high:.0f})"
            parts.append(f"{side} {100 * rate.part:3.0f} % {within:<11} {'#' * round(20 * rate.part):<20}")
        lines.append(f"  turn {moment.turn:>2}  " + "  ".join(parts).rstrip())
    lines += [f"  turn {one.turn} took {one.side} from {one.before} to {one.after} %" for one in decided]
    if chances:
        lines.append("In brackets: the interval, right in 95 of 100 trials. Changes within it are not named.")
    return lines


AHEAD = 3
"""Number of games queued for each worker, so that none is idle."""

BREAKS = 5
"""Number of times that the pool of processes may break down before the run gives up."""


class GamesFileHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a file of self-play games: the match to which the games belong, and its hash."""

    lab: str
    match: Match


def played(
    match: Match, numbers: Iterable[int], *, processes: int = 1, cluster: str = ""
) -> Generator[SelfPlayResult, None, None]:
    """Play the games with these numbers in a match, and yield each result when its game ends.

    The results come in any order.

    Raises:
        GameError: The cluster cannot be reached.
    """
    if processes == 1 and not cluster:
        yield from (play(match, number) for number in numbers)
        return
    data = msgspec.json.encode(match)
    owed = deque(numbers)
    for _ in range(BREAKS):
        with _executor(processes, cluster) as (executor, width):
            out: dict[Future[bytes], int] = {}
            try:
                while owed or out:
                    while owed and len(out) < AHEAD * width:
                        number = owed.popleft()
                        out[executor.submit(carried, data, number)] = number
                    done, _ = wait(out, return_when=FIRST_COMPLETED)
                    for future in done:
                        found = future.result()
                        del out[future]
                        yield msgspec.json.decode(found, type=SelfPlayResult)
                return
            except BrokenExecutor:  # a process was killed; its games are played again
                owed.extendleft(out.values())
    raise GameError.saying("no-workers", "the playing processes keep ending; check whether there is enough memory")


@contextmanager
def _executor(processes: int, cluster: str) -> Iterator[tuple[Executor, int]]:
    """Yield an executor and the number of games that it runs at the same time."""
    if not cluster:
        pool = ProcessPoolExecutor(max_workers=processes, mp_context=get_context("spawn"))
        try:
            yield pool, processes
        except (KeyboardInterrupt, GeneratorExit):
            for worker in active_children():  # otherwise this process would wait for their games
                worker.terminate()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return
    try:
        client: Any = import_module("distributed").Client(cluster, timeout=5, set_as_default=False)
    except ImportError as error:
        raise GameError.saying(
            "no-cluster", f"install the library distributed, which a cluster needs: {install_command('distributed')}"
        ) from error
    except Exception as error:
        raise GameError.saying("no-cluster", f"the cluster at {cluster} does not answer: {error}") from error
    try:
        width = sum(client.nthreads().values())
        if not width:
            raise GameError.saying("no-cluster", f"the cluster at {cluster} has no workers")
        yield client.get_executor(pure=False, retries=10), width
    finally:
        client.close()


def run(
    match: Match,
    games: int,
    *,
    file: Path | None = None,
    processes: int = 1,
    cluster: str = "",
    told: Callable[[Iterator[SelfPlayResult], int], Iterator[SelfPlayResult]] | None = None,
    bounds: Bounds | None = None,
) -> list[SelfPlayResult]:
    """Play the games of a match, and return all results by game number.

    Args:
        match: The match.
        games: Number of games wanted.
        file: A file to which each new result is appended when its game ends. Games already in it are not played
            again.
        processes: Number of processes to use.
        cluster: Address of a dask cluster to use; empty for none.
        told: A function that wraps the iterator of results, for example with a progress bar. It is also given the
            number of games still to play.
        bounds: If given, play stops as soon as the sequential test with these bounds is decided.

    Raises:
        GameError: The file belongs to another match, or the cluster cannot be reached.
    """
    known = {one.number: one for one in read_games(match, file)} if file is not None else {}
    missing = [number for number in range(games) if number not in known]

    def decided() -> int:
        decision, count = sequential(bounds, match, list(known.values())) if bounds is not None else ("", 0)
        return count if decision else 0

    with closing(played(match, missing, processes=processes, cluster=cluster)) as playing:
        coming: Iterator[SelfPlayResult] = told(playing, len(missing)) if told is not None else playing
        while not decided() and (one := next(coming, None)) is not None:
            known[one.number] = one
            if file is not None:
                with file.open("ab") as stream:
                    stream.write(msgspec.json.encode(one) + b"\n")
    # The number of workers determines which games were played after the deciding one, so those are left out.
    return [known[number] for number in sorted(known) if number < (decided() or games)]


def read_games(match: Match, file: Path) -> list[SelfPlayResult]:
    """Return the results in a file of self-play games, by number; create the file if it does not exist.

    An incomplete last line is ignored.

    Raises:
        GameError: The file belongs to another match, contains something else, or cannot be used.
    """
    head = msgspec.json.encode(GamesFileHeader(lab=mark_of(match), match=match), order="deterministic") + b"\n"
    try:
        data = file.read_bytes() if file.exists() else b""
        if head.startswith(data) and data != head:  # there is no file, or its first line is incomplete
            write_bytes(file, head)
            return []
    except OSError as error:
        raise GameError.saying("no-file", f"{file} cannot be used: {error.strerror or error}") from error
    whole = data[: data.rfind(b"\n") + 1]
    first, *lines = whole.split(b"\n")
    try:
        header = msgspec.json.decode(first, type=GamesFileHeader)
        games = [msgspec.json.decode(line, type=SelfPlayResult) for line in lines if line]
    except msgspec.MsgspecError as error:
        text = f"{file} has no games of pbem lab; name another file ({error})"
        raise GameError.saying("no-lab-file", text) from error
    if header.lab != mark_of(match):
        raise GameError.saying("other-match", f"{file} has games of another match; name another file")
    if whole != data:  # cut the incomplete line off, now that the file is known to be ours
        write_bytes(file, whole)
    return games
