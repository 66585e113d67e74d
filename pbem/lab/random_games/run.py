"""Play many random games, check each against the invariants of the rules, and summarize the results.

A random game can also be written as a game folder, with the same settings, orders and dice.
"""

from __future__ import annotations

import signal
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice, takewhile
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from pbem.ai.robot import commanders
from pbem.engine.dice import Secret, SegmentDice
from pbem.engine.legal.trial import OrdersRefused
from pbem.engine.log import encode_records
from pbem.engine.play.resolve import resolve
from pbem.games.create import new
from pbem.games.proof.seals import sealed_orders
from pbem.games.resolve import resolve_game
from pbem.games.storage.files import write_text
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.lab.random_games.invariants import InvariantChecker, files_hold_what_was_played
from pbem.lab.random_games.orders import as_file
from pbem.lab.random_games.play import TURNS, RandomSegment, Walk, answers_for, deal, key_for, opening, stretches

AGAIN = 10
"""One segment of play out of this many is checked a second time.

It is then played with names in reverse order, written to files, and read back.
"""

WAITING = 4
"""Number of games in the queue of each process.

It keeps all processes busy, but leaves few games unfinished when the time is over.
"""

BREACHES = 20
"""Maximum number of violated invariants that are reported for one game.

A game ends with the segment of play in which the first violations occur.
"""


class RandomGameResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one random game.

    Attributes:
        key: Key of the game.
        end: ``ended`` (by its scenario), ``called`` (stopped after the last turn) or ``failed``.
        turns: Number of turns played.
        requests: Number of requests for orders.
        records: Number of log records.
        lines: Number of order lines.
        results: The result of each side, in the scenario's words.
        refused: How many order lines were refused and left out, by fault code.
        breaches: A sentence for each violated invariant.
        trace: The traceback of an exception; empty if there was none.
        orders: Orders that were refused as a whole; empty if there were none.
    """

    key: str
    end: str
    turns: int = 0
    requests: int = 0
    records: int = 0
    lines: int = 0
    results: dict[str, str] = {}
    refused: dict[str, int] = {}
    breaches: tuple[str, ...] = ()
    trace: str = ""
    orders: str = ""


class RandomGameTotals(msgspec.Struct, kw_only=True):
    """Totals over many random games.

    Attributes:
        games: Number of games.
        seconds: The time that the games took, in seconds.
        turns: Number of turns played.
        requests: Number of requests for orders.
        records: Number of log records.
        lines: Number of order lines.
        ends: How many games ended in which way, by scenario.
        refused: How many order lines were refused, by fault code.
        failures: The results of the games that failed.
    """

    games: int = 0
    seconds: float = 0.0
    turns: int = 0
    requests: int = 0
    records: int = 0
    lines: int = 0
    ends: dict[str, dict[str, int]] = {}
    refused: dict[str, int] = {}
    failures: list[RandomGameResult] = []

    def add(self, game: RandomGameResult) -> None:
        """Add the result of a game to the totals."""
        self.games += 1
        self.turns += game.turns
        self.requests += game.requests
        self.records += game.records
        self.lines += game.lines
        scenario = self.ends.setdefault(game.key.partition("-")[0], {"ended": 0, "called": 0, "failed": 0})
        scenario[game.end] += 1
        for code, count in game.refused.items():
            self.refused[code] = self.refused.get(code, 0) + count
        if game.end == "failed":
            self.failures.append(game)

    @property
    def rate(self) -> float:
        """Number of games played per second."""
        return self.games / self.seconds if self.seconds else 0.0


def play(key: str, turns: int = TURNS) -> RandomGameResult:
    """Play the random game with this key, check all invariants, and return the result.

    An exception becomes part of the result. ``turns`` is the number of the last turn that is played.
    """
    refused: Counter[str] = Counter()
    requests = records = lines = turn = 0
    breaches: list[str] = []
    results: dict[str, str] = {}
    end, trace, orders = "called", "", ""
    try:
        begun = opening(deal(key))
        watch = InvariantChecker(begun)
        for number, stretch in enumerate(stretches(begun, turns=turns)):
            requests += 1
            records, turn = stretch.after.records, stretch.after.turn
            for answer in stretch.answers.values():
                refused.update(answer.refused)
                lines += answer.lines
            breaches += list(watch.look(stretch))[:BREACHES]
            if number % AGAIN == 0:
                breaches += [*played_again(stretch), *files_hold_what_was_played(Walk(stretch))]
            if breaches:
                break
            if stretch.after.over:
                end, results = "ended", {one.side: one.result for one in stretch.after.outcome}
    except OrdersRefused as error:
        breaches, orders = [f"orders_are_legal: {error}"], error.text
    except Exception as error:  # any error fails this game only; the other games continue
        breaches, trace = [f"no_exception: {type(error).__name__}: {error}"], traceback.format_exc()
    return RandomGameResult(
        key=key,
        end="failed" if breaches else end,
        turns=turn,
        requests=requests,
        records=records,
        lines=lines,
        results=results,
        refused=dict(sorted(refused.items())),
        breaches=tuple(breaches),
        trace=trace,
        orders=orders,
    )


def played_again(stretch: RandomSegment) -> list[str]:
    """Play a segment a second time; return a list with an error if any byte of the log records differs.

    The second time, sides, units and answers are given in reverse order, which must change nothing. The list is empty
    if there is no difference.
    """
    answers = {side: one.text for side, one in stretch.answers.items()}
    filed, key = sealed_orders(Secret(stretch.deal.secret), stretch.before, answers)
    setting = stretch.setting
    mirrored = replace(setting, sides=setting.sides[::-1], units=setting.units[::-1])
    wanted = encode_records(stretch.records)

    def same(backwards: bool) -> bool:
        chosen = mirrored if backwards else setting
        given = dict(reversed(filed.items())) if backwards else filed
        played = resolve(stretch.before, chosen, given, SegmentDice(key), robots=commanders(chosen))
        return encode_records(played.records) == wanted

    if same(backwards=True):
        return []
    return ["the_mirror_is_the_same: named backwards it is another game" if same(backwards=False) else
            "the_same_bytes: played again it is another game"]  # fmt: skip


# --- many ------------------------------------------------------------------------------------------------------------


def keys(scenarios: Sequence[str], games: int, run: int) -> Iterator[str]:
    """Yield the keys of ``games`` random games of one run; the scenarios alternate."""
    yield from (key_for(scenarios[game % len(scenarios)], run, game // len(scenarios)) for game in range(games))


def soak(
    wanted: Iterable[str], *, processes: int = 1, turns: int = TURNS, seconds: float = inf
) -> Iterator[RandomGameResult]:
    """Play random games, and yield each result when its game ends.

    Args:
        wanted: The keys of the games.
        processes: The number of processes to use.
        turns: The number of the last turn that is played.
        seconds: The time in seconds after which no new game is begun.
    """
    until = time.perf_counter() + seconds
    keys = takewhile(lambda _: time.perf_counter() < until, wanted)
    if processes == 1:
        yield from (play(key, turns) for key in keys)
        return
    with ProcessPoolExecutor(max_workers=processes, initializer=leave_interrupts) as pool:
        playing = {pool.submit(play, key, turns) for key in islice(keys, WAITING * processes)}
        while playing:
            done, playing = wait(playing, return_when=FIRST_COMPLETED)
            playing |= {pool.submit(play, key, turns) for key in islice(keys, len(done))}
            yield from (future.result() for future in done)


def leave_interrupts() -> None:
    """Ignore Ctrl+C in a worker process; the main process handles it and ends the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def tallied(games: Iterable[RandomGameResult]) -> RandomGameTotals:
    """Return the totals over the results of many games, with their total time in seconds."""
    tally, began = RandomGameTotals(), time.perf_counter()
    for game in games:
        tally.add(game)
    tally.seconds = time.perf_counter() - began
    tally.ends = dict(sorted(tally.ends.items(), key=lambda item: int(item[0])))
    tally.refused = dict(sorted(tally.refused.items(), key=lambda item: (-item[1], item[0])))
    tally.failures.sort(key=lambda game: game.key)
    return tally


class WrittenGame(msgspec.Struct, frozen=True, kw_only=True):
    """A random game written as a game folder: its path and the number of order files.

    ``stopped`` is the error that stopped the game; empty if there was none.
    """

    folder: Path
    files: int
    stopped: str = ""


def write(key: str, folder: Path, turns: int = TURNS) -> WrittenGame:
    """Play the random game with this key and write it as a game folder.

    If the engine fails, the folder shows the game just before the failure, so that ``pbem resolve`` fails in the same
    way. Orders that are refused as a whole are written into the folder as ``refused.orders``.

    Raises:
        GameError: The folder is not empty.
    """
    dealt = deal(key)
    with TemporaryDirectory() as own:
        scenario = dealt.shipped
        if dealt.own:
            file = Path(own) / f"{dealt.scenario_key}.toml"
            write_text(file, as_file(dealt.number, dealt.terrain, dealt.monster))
            scenario = str(file)
        new(
            scenario,
            folder,
            players=dealt.players,
            ships=dealt.ships,
            options=dealt.options,
            units=dealt.units,
            facings=dealt.facings,
            name=key,
            grid=dealt.grid,
            seed=key,
        )
    files = 0
    while True:
        with opened(folder) as game:
            state, setting = game.state(), game.scenario()
            if state.over or state.request is None or state.request.turn > turns:
                return WrittenGame(folder=folder, files=files)
            try:
                for side, answer in answers_for(dealt, state, setting).items():
                    submit(game, answer.sent, f"{side}.orders")
                    files += 1
                resolve_game(game)
            except OrdersRefused as refused:
                write_text(folder / "refused.orders", refused.text)
                return WrittenGame(folder=folder, files=files, stopped=f"orders are refused: {refused}")
            except Exception as error:  # an error of the game in memory occurs here, too
                return WrittenGame(folder=folder, files=files, stopped=f"{type(error).__name__}: {error}")
