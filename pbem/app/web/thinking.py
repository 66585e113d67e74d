"""Decide the orders of computer players in another process, while the person plans.

A local game asks computer players for orders when the person has sent theirs. The decisions do not depend on the
person's orders, so :class:`Thinking` begins as soon as the request for orders is made. If the person has orders
checked, they will probably send them. Then this module also plays on from these orders and finds out what computer
players decide later in the same turn (:func:`decide_ahead`). Only the decisions of that play are kept.

Decisions are kept in memory only, because nobody may read them before they are filed. The key of a decision is a
digest of everything that the decision depends on. So a decision for a state that was taken back is never used, and a
decision that is missing is made again with the same result.

The other process gets its tasks through a pipe. It reads no game folder and writes no file. It ends as soon as this
process ends, even if this process is killed.
"""

from __future__ import annotations

import gc
import hashlib
import multiprocessing
import os
import signal
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeVar

import msgspec

from pbem.data.doctrines import SkillLevel
from pbem.engine.dice import Fresh, Secret
from pbem.engine.events import Record
from pbem.engine.log import effective, fold_records
from pbem.errors import GameError
from pbem.games.answers import judged_on
from pbem.games.computer_sides import CaptainsTask, captains_orders, computer_players, decided, view_of_side
from pbem.games.segments import play_segment
from pbem.games.storage.folder import GameFolder, log_digest
from pbem.games.storage.terms import Terms, scenario_of

MOST: Final = 256
"""Maximum number of decisions that are kept; the oldest are dropped."""
PAUSE: Final = 1.0
"""Seconds from a check of orders until they are played ahead, if no newer check comes."""


MOMENT: Final = 0.2
"""Seconds to wait until the other process begins a decision, if it is playing the same orders ahead."""

Kept = TypeVar("Kept")


MOST_REQUESTS: Final = 12
"""Maximum number of requests for which :func:`decide_ahead` makes decisions in one call."""


class Supposition(msgspec.Struct, frozen=True, kw_only=True):
    """A game, orders that people may send for the current request, and everything needed to play on.

    Attributes:
        terms: The terms of the game.
        log: The whole log.
        computers: The name of the level of each computer player, by side.
        orders: Orders that may be sent, by side.
        secret: The secret of the dice; empty if only computer players have orders.
        fresh: The secret words that were drawn after a restore.
    """

    terms: Terms
    log: list[Record]
    computers: dict[str, str]
    orders: dict[str, str] = {}
    secret: bytes = b""
    fresh: tuple[Fresh, ...] = ()


Decide = Callable[[bytes, CaptainsTask], str]
"""Type of a function that makes a computer player's decision and returns the orders."""


class NoMoreWanted(Exception):
    """Error that a :data:`Decide` function raises to stop :func:`decide_ahead`."""


def supposition(game: GameFolder, orders: dict[str, str] | None = None) -> Supposition:
    """Return a game as a :class:`Supposition`; ``orders`` are the orders that people may send, by side."""
    terms, computers = game.terms, {side: level.name for side, level in computer_players(game).items()}
    if not orders:
        return Supposition(terms=terms, log=game.records(), computers=computers)
    source = game.dice()
    fresh = source.fresh if isinstance(source, Secret) else ()
    return Supposition(
        terms=terms, log=game.records(), computers=computers, orders=orders, secret=game.secret(), fresh=fresh
    )


def decision_key(digest: bytes, side: str, level: str) -> bytes:
    """Return the key under which the decision of a computer player is stored.

    ``digest`` is the digest of the log (:func:`log_digest`).
    """
    return hashlib.sha256(msgspec.msgpack.encode((digest, side, level))).digest()


def decide_ahead(supposed: Supposition, decide: Decide) -> None:
    """Make the decisions of computer players for the current request, and play on while orders are known.

    ``decide`` makes one decision. Play ends when a person must give orders that are not known.
    """
    scenario, terms, computers = scenario_of(supposed.terms), supposed.terms, supposed.computers
    records, orders = list(supposed.log), dict(supposed.orders)
    state = fold_records(effective(records))
    for _ in range(MOST_REQUESTS):
        request = state.request
        if state.over or request is None:
            return
        try:
            _decide_for_one(records, terms, {s: computers[s] for s in request.sides if s in computers}, orders, decide)
        except NoMoreWanted:
            return
        if not supposed.secret or any(side not in orders for side in request.sides):
            return
        answers = {side: judged_on(state, scenario, orders[side], "") for side in request.sides}
        if any(one.faults for one in answers.values()):
            return
        source = Secret(supposed.secret, terms.dice.scheme, terms.dice.length, supposed.fresh)
        try:
            played, state = play_segment(scenario, source, state, {side: one.text for side, one in answers.items()})
        except GameError:
            return
        records += played
        orders = {}


def _decide_for_one(
    records: Sequence[Record], terms: Terms, computers: dict[str, str], orders: dict[str, str], decide: Decide
) -> None:
    """Add the missing orders of computer players for one request to ``orders``."""
    digest = log_digest(terms, records)
    for side, level in sorted(computers.items()):
        if side not in orders:
            view = view_of_side(effective(records), side)
            task = CaptainsTask(view=view, terms=terms, side=side, level=level)
            orders[side] = decide(decision_key(digest, side, level), task)


class OtherProcessFailed(Exception):
    """Error: the other process ended or could not decide; the caller then decides in this process."""


class _Job(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A task for the other process.

    Attributes:
        name: Identifies the task, so that it is done once.
        game: The folder of the game. A newer task for the same game replaces one that waits.
        supposed: What to decide.
        keys: The keys of the decisions for the current request, by side.
        after: When the task may begin, as a time of the monotonic clock.
    """

    name: bytes
    game: Path
    supposed: Supposition
    keys: dict[str, bytes]
    after: float = 0.0


class Thinking:
    """Makes decisions of computer players ahead of time, in one other process.

    The process is started for the first decision. :meth:`close` ends it.
    """

    def __init__(self) -> None:
        self._decisions: OrderedDict[bytes, Future[str]] = OrderedDict()
        self._known_jobs: OrderedDict[bytes, None] = OrderedDict()
        self._requests: dict[Path, _Job] = {}
        self._checked: dict[Path, _Job] = {}
        self._running: _Job | None = None
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None
        self._other: _OtherProcess | None = None
        self._closed = False

    def ahead(self, game: GameFolder) -> None:
        """Begin to decide for the computer players that must answer the current request; return at once."""
        self._begin(game, {}, self._requests)

    def suppose(self, game: GameFolder, side: str, orders: str) -> None:
        """Begin to decide what computer players do after a side's orders that were checked but not sent yet.

        Work begins after :data:`PAUSE` seconds, if no other orders for the game are checked by then.
        """
        self._begin(game, {side: orders}, self._checked)

    def orders(self, game: GameFolder, side: str, level: SkillLevel) -> str:
        """Return the orders of a computer player, like :func:`pbem.games.computer_sides.captains_orders`.

        A decision that is ready is returned at once. If the other process is making the decision, this method waits
        for it. All others are made in this process.
        """
        key = decision_key(log_digest(game.terms, game.records()), side, level.name)
        with self._change:
            if self._plays_ahead(game.path):
                self._change.wait_for(lambda: key in self._decisions or not self._plays_ahead(game.path), MOMENT)
            known = self._decisions.get(key)
            if known is None:  # the caller decides it now, so its task is not needed
                for queue in (self._requests, self._checked):
                    queue.pop(game.path, None)
        if known is not None:
            with suppress(OtherProcessFailed):
                return known.result()
        return captains_orders(game, side, level)

    def _plays_ahead(self, game: Path) -> bool:
        """Return whether the other process is playing on from orders for this game that were only checked."""
        running = self._running
        return running is not None and running.game == game and bool(running.supposed.orders)

    def close(self) -> None:
        """End the other process. Decisions that are not made yet are made in this process from now on."""
        with self._change:
            self._closed = True
            other, thread = self._other, self._thread
            self._change.notify_all()
        if other is not None:
            other.close()
        if thread is not None:
            thread.join()

    def _begin(self, game: GameFolder, orders: dict[str, str], queue: dict[Path, _Job]) -> None:
        """Put a task for a game into a queue, unless the same task was there before.

        A game with figures, ships or scenarios of its own is left out, because the other process does not read such
        files.
        """
        state = game.state()
        if self._closed or state.over or state.request is None:
            return
        computers = computer_players(game)
        if not computers or game.own_files():
            return
        digest = log_digest(game.terms, game.records())
        name = hashlib.sha256(msgspec.msgpack.encode((digest, orders))).digest()
        with self._change:
            asked = {side: level.name for side, level in computers.items() if state.request.asks(side)}
            keys = {side: decision_key(digest, side, level) for side, level in asked.items()}
            if name in self._known_jobs or (not orders and all(key in self._decisions for key in keys.values())):
                return
            _put_last(self._known_jobs, name, None)
            for replaced in (queue.get(game.path), self._running if self._plays_ahead(game.path) else None):
                if replaced is not None:
                    self._known_jobs.pop(replaced.name, None)
            after = time.monotonic() + PAUSE if orders else 0.0
            supposed = supposition(game, orders)
            queue[game.path] = _Job(name=name, game=game.path, supposed=supposed, keys=keys, after=after)
            if self._running is not None and self._running.supposed.orders and self._other is not None:
                self._other.hurry()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="thinking", daemon=True)
                self._thread.start()
            self._change.notify_all()

    def _work(self) -> None:
        """Send the tasks to the other process one by one, and store its decisions."""
        if hasattr(signal, "pthread_sigmask"):  # the other process inherits this: only this process handles Ctrl+C
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        while (job := self._next()) is not None:
            open_keys = set(job.keys.values())
            try:
                self._do(job, open_keys)
            except Exception as error:
                with self._change:
                    failed = OtherProcessFailed(f"{type(error).__name__}: {error}")
                    for key in open_keys:
                        if (known := self._decisions.pop(key, None)) is not None and not known.done():
                            known.set_exception(failed)
            finally:
                with self._change:
                    self._running = None
                    self._change.notify_all()

    def _next(self) -> _Job | None:
        """Wait for the next task and return it; ``None`` after :meth:`close`.

        The decisions for its request are marked as being made. Requests come before orders that were checked, and the
        latest task before earlier ones.
        """
        with self._change:
            while not self._closed:
                now = time.monotonic()
                for queue in (self._requests, self._checked):
                    for path, job in reversed(queue.items()):
                        if job.after <= now:
                            del queue[path]
                            self._running = job
                            for key in job.keys.values():
                                if key not in self._decisions:
                                    _put_last(self._decisions, key, Future())
                            return job
                waits = [job.after - now for job in self._checked.values()]
                self._change.wait(min(waits, default=None))
            return None

    def _do(self, job: _Job, open_keys: set[bytes]) -> None:
        """Let the other process do a task, and store its decisions.

        ``open_keys`` has the keys of the decisions that are being made; this method keeps it up to date.
        """
        with self._change:
            made = {side: self._decisions[key] for side, key in job.keys.items() if key in self._decisions}
            known = {side: one.result() for side, one in made.items() if one.done() and one.exception() is None}
            open_keys -= {job.keys[side] for side in known}
            if self._closed:
                raise OtherProcessFailed("closed")
            if not open_keys and not job.supposed.orders:
                return
            if self._other is None:
                self._other = _OtherProcess()
            other = self._other
        supposed = msgspec.structs.replace(job.supposed, orders={**job.supposed.orders, **known})
        try:
            for answer in other.ask(supposed):
                with self._change:
                    if answer.key not in self._decisions:
                        _put_last(self._decisions, answer.key, Future())
                    decision = self._decisions[answer.key]
                    open_keys.add(answer.key)
                    self._change.notify_all()
                    if answer.orders:
                        open_keys.discard(answer.key)
                        if not decision.done():
                            decision.set_result(answer.orders)
        except (OSError, EOFError):  # the process has ended; the next task starts another one
            with self._change:
                self._other = None
            other.close()
            raise
        if open_keys:
            raise OtherProcessFailed("it did not decide")


def _put_last(values: OrderedDict[bytes, Kept], key: bytes, value: Kept) -> None:
    """Store a value; drop the oldest ones if there are more than :data:`MOST`."""
    values[key] = value
    while len(values) > MOST:
        values.popitem(last=False)


class _OtherProcess:
    """A running process that makes decisions (:func:`_decide_all`), and the pipes to and from it."""

    def __init__(self) -> None:
        # A new process, not a copy: in a copy, locks that threads of this process hold would never be released.
        context = multiprocessing.get_context("spawn")
        tasks, self._tasks = context.Pipe(duplex=False)
        self._answers, answers = context.Pipe(duplex=False)
        started = context.Process(target=_decide_all, args=(tasks, answers, gc.get_threshold()), daemon=True)
        self.process: BaseProcess = started
        self._sending = threading.Lock()
        started.start()
        tasks.close()
        answers.close()

    def ask(self, supposed: Supposition) -> Iterable[_Answer]:
        """Send a task, and yield each decision twice: without orders when it is begun, and with orders.

        Raises:
            OtherProcessFailed: The other process could not decide.
            OSError, EOFError: The other process has ended.
        """
        with self._sending:
            self._tasks.send_bytes(msgspec.msgpack.encode(supposed))
        while (answer := msgspec.msgpack.decode(self._answers.recv_bytes(), type=_Answer)).key:
            yield answer
        if answer.failed:
            raise OtherProcessFailed(answer.failed)

    def hurry(self) -> None:
        """Tell the other process that another task is waiting.

        If the process is playing on from orders that were only checked, it ends its task after the present decision.
        """
        with suppress(OSError), self._sending:
            self._tasks.send_bytes(b"")

    def close(self) -> None:
        """End the process at once, even if it is working."""
        self.process.kill()
        self.process.join()


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the other process: a decision, or the end of a task if ``key`` is empty.

    ``failed`` says why a task failed; empty if it did not.
    """

    key: bytes = b""
    orders: str = ""
    failed: str = ""


def _decide_all(tasks: Connection, answers: Connection, threshold: Iterable[int]) -> None:
    """Do every task that comes through the pipe ``tasks``, until the pipe is closed.

    This function runs in the other process. Answers go into the pipe ``answers``.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*threshold)
    waiting: SimpleQueue[bytes] = SimpleQueue()
    checked = False

    def receive() -> None:
        try:
            while True:
                waiting.put(tasks.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)  # the main process has ended and will not read the answer

    def answer(**what: Any) -> None:
        answers.send_bytes(msgspec.msgpack.encode(_Answer(**what)))

    def decide(key: bytes, task: CaptainsTask) -> str:
        if checked and not waiting.empty():
            raise NoMoreWanted
        answer(key=key)
        orders = decided(task)
        answer(key=key, orders=orders)
        return orders

    threading.Thread(target=receive, daemon=True).start()
    while True:
        data = waiting.get()
        if not data:
            continue
        failed = ""
        try:
            supposed = msgspec.msgpack.decode(data, type=Supposition)
            checked = bool(supposed.secret)
            decide_ahead(supposed, decide)
        except Exception as error:
            failed = f"{type(error).__name__}: {error}"
        answer(failed=failed)
