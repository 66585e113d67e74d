"""Who plays, draws and writes the reports of a round: this process, others of this machine, or a cluster's workers.

All of it goes through one ``concurrent.futures.Executor``. Errands (:mod:`pbem.games.resolve`) are pure, so that one
that is lost on its way is simply done again: a process that died, a cluster that is gone, another version there are
told to the umpire, and cost time but no turn. Only the host's own process writes journal, outbox and games.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor, TimeoutError as TooLong
from contextlib import ExitStack, suppress
from contextvars import Context, copy_context
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from pbem.errors import GameError
from pbem.games.resolve import OtherVersion, PlayJob, PlayJobResult, carried, fingerprint, packed, run, unpacked
from pbem.games.storage.folder import GameFolder

T = TypeVar("T")
Working = Generator[PlayJob, PlayJobResult, T]
"""Work on a game that hands out its errands, and is sent what came of each."""
Job = tuple[Path, Callable[[GameFolder], Working[T]]]
"""A game, and what is to be done with it."""

FEW: Final = 3
"""So many errands make it worth while to start processes, which takes as long as one of them."""
PATIENCE: Final = 300.0
"""Seconds after which an errand that was handed out counts as lost."""
GONE: Final = 5.0
"""Seconds in which a cluster may have neither scheduler nor workers."""
_LOOK: Final = 0.5
_LONGEST: Final = 300


def in_short(error: BaseException) -> str:
    """What went wrong with somebody who does errands, for one line."""
    return f"{type(error).__name__}: {error}".strip(": ")[:_LONGEST]


class Ticket:
    """An errand that was handed in: where it is being done now, and what came of it."""

    def __init__(self, errand: PlayJob, context: Context) -> None:
        self.errand, self.context = errand, context
        self.data = b""
        self.future: Future[bytes] | None = None
        self.by = ""


class Workers:
    """Does errands. ``processes`` of this machine (1: this one alone, 0: as many as it has cores), or of the dask
    cluster whose scheduler is at ``cluster``; they are begun when there is something to do, kept from round to round,
    and ended by :meth:`close`.
    """

    def __init__(self, processes: int = 1, cluster: str = "") -> None:
        self._wanted = processes, cluster
        self.processes = processes or len(_cores())
        self.cluster = cluster
        self.said: list[str] = []
        """What went wrong, for the umpire; whoever tells him empties it."""
        self._pool: ProcessPoolExecutor | None = None
        self._client: Any = None
        self._there: Executor | None = None
        self._threads = 0
        self._lame = False
        self._breaks = 0
        self._out: list[Ticket] = []

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def as_wanted(self, processes: int, cluster: str) -> Workers:
        """These, or others where the settings were changed."""
        if self._wanted == (processes, cluster):
            return self
        self.close()
        return Workers(processes, cluster)

    def begin(self) -> None:
        """A new round: what was out of reach in the last one is tried again."""
        self._lame, self._breaks = False, 0

    @property
    def width(self) -> int:
        """How many errands are to be handed in before the first one is fetched."""
        if self.cluster and not self._lame:
            return 2 * max(self._threads, self.processes, 4)
        return 1 if self.processes == 1 else 2 * self.processes + 1

    def hand_in(self, errand: PlayJob, context: Context) -> Ticket:
        """An errand that is to be done; ``context`` is where its game's own files are looked up, if it is done here."""
        ticket = Ticket(errand, context)
        self._out.append(ticket)
        if errand.moves and self._reach(len(self._out)):
            for one in self._out:
                if one.future is None and one.errand.moves:
                    self._send(one)
        return ticket

    def fetch(self, ticket: Ticket) -> PlayJobResult:
        """What came of an errand; it is waited for, or done here and now. Raises as :func:`pbem.games.resolve.run`."""
        try:
            while ticket.future is not None:
                try:
                    return unpacked(self._waited(ticket))
                except GameError:
                    raise
                except OtherVersion as error:
                    self._leave(ticket.by, f"its workers have another version: {error}; here it is {fingerprint()}")
                except (Exception, CancelledError) as error:
                    self._leave(ticket.by, in_short(error))
            return ticket.context.run(run, ticket.errand)
        finally:
            self._out.remove(ticket)

    def look(self) -> int:
        """How many errands the cluster does at a time. Raises whatever keeps it from doing any."""
        try:
            self._connect()
            other = self._client.run(fingerprint)
            if strange := sorted({one for one in other.values() if one != fingerprint()}):
                raise RuntimeError(f"its workers have another version: {strange[0]}; here it is {fingerprint()}")
            return self._threads
        finally:
            self._drop_cluster()

    def close(self) -> None:
        """End the processes, and the connection to the cluster."""
        self._drop_pool()
        self._drop_cluster()

    # --- where it is done ---

    def _reach(self, waiting: int) -> bool:
        """Whether there is somebody to send errands to, with so many ``waiting``."""
        if self.cluster and not self._lame:
            if self._there is None:
                try:
                    self._connect()
                except Exception as error:
                    self._leave(self.cluster, in_short(error))
            if self._there is not None:
                return True
        if self.processes == 1 or self._breaks > 1:
            return False
        if self._pool is None and waiting >= FEW:
            self._pool = _begun(self.processes)
        return self._pool is not None

    def _connect(self) -> None:
        client: Any = import_module("distributed").Client  # 44 MB of libraries that only a cluster needs
        self._client = client(self.cluster, timeout=GONE, set_as_default=False)
        threads = sum(self._client.nthreads().values())
        if not threads:
            raise RuntimeError("it has no workers")
        self._threads = threads
        self._there = self._client.get_executor(pure=False)

    def _send(self, ticket: Ticket) -> None:
        executor: Executor | None = self._there or self._pool
        ticket.by = self.cluster if self._there is not None else "processes"
        if executor is None:
            return
        ticket.data = ticket.data or packed(ticket.errand)
        try:
            ticket.future = executor.submit(carried, ticket.data)
        except Exception as error:
            self._leave(ticket.by, in_short(error))

    def _waited(self, ticket: Ticket) -> bytes:
        future = ticket.future
        assert future is not None
        began = seen = looked = time.monotonic()
        while True:
            with suppress(TooLong):
                return future.result(timeout=_LOOK)
            now = time.monotonic()
            if now - began > PATIENCE:
                raise TooLong(f"an errand was not done in {PATIENCE:.0f} seconds")
            if ticket.by == self.cluster and now - looked > 2 * _LOOK:
                looked = now
                if self._lives():
                    seen = time.monotonic()
                elif now - seen > GONE:
                    raise ConnectionError("it has neither scheduler nor workers any more")

    def _lives(self) -> bool:
        """Whether the cluster has a scheduler and workers."""
        with suppress(Exception):
            return self._client.status == "running" and bool(self._client.nthreads())
        return False

    def _leave(self, by: str, why: str) -> None:
        """Give somebody up for this round, and do elsewhere what he was to do."""
        if by == self.cluster:
            if not self._lame:
                self.said.append(
                    f"the cluster at {self.cluster} does nothing in this round ({why}); processes of this machine do "
                    "its work. It is asked again in the next round"
                )
            self._lame = True
            self._drop_cluster()
        elif self._pool is not None:
            self._breaks += 1
            self.said.append(f"a process that plays and writes reports ended ({why}); its work was done again")
            self._drop_pool()
        lost = [one for one in self._out if one.future is not None and one.by == by]
        for one in lost:
            one.future = None
        if lost and self._reach(max(FEW, len(lost))):
            for one in lost:
                self._send(one)

    def _drop_pool(self) -> None:
        if self._pool is not None:
            pool, self._pool = self._pool, None
            with suppress(Exception):
                pool.shutdown(wait=False, cancel_futures=True)

    def _drop_cluster(self) -> None:
        self._there = None
        if self._client is not None:
            client, self._client = self._client, None
            with suppress(Exception):
                client.close(timeout=1)


# --- many games at once ---


class _Open(Generic[T]):
    """A game that is being worked on while its errand is done."""

    def __init__(self, folder: Path, working: Working[T]) -> None:
        self.folder, self.working = folder, working
        self.context: Context = copy_context()  # of a game's own figures
        self.value: T | None = None
        self.ticket: Ticket | None = None

    def go_on(self, workers: Workers, how: Callable[..., PlayJob], *given: Any) -> bool:
        """Work on, to the next errand (which is handed in) or to the end; whether there is an errand."""
        try:
            errand = self.context.run(how, *given)
        except StopIteration as end:
            self.value = end.value
            return False
        self.ticket = workers.hand_in(errand, self.context)
        return True


def side_by_side(workers: Workers, working: Iterable[tuple[Path, Working[T]]]) -> list[tuple[Path, T | None]]:
    """Work on many games: while errands of some are done, others are opened, as many at once as keep the ``workers``
    busy; what came of them is written in the order in which they were handed in.
    """
    found: list[tuple[Path, T | None]] = []
    waiting: deque[_Open[T]] = deque()
    todo = iter(working)
    with ExitStack() as stack:

        def go_on(one: _Open[T], how: Callable[..., PlayJob], *given: Any) -> None:
            if one.go_on(workers, how, *given):
                waiting.append(one)
            else:
                found.append((one.folder, one.value))

        while True:
            while len(waiting) < workers.width and (job := next(todo, None)) is not None:
                one = _Open(*job)
                stack.callback(one.context.run, one.working.close)
                go_on(one, next, one.working)
            if not waiting:
                return found
            one = waiting.popleft()
            assert one.ticket is not None
            try:
                done = workers.fetch(one.ticket)
            except Exception as error:
                go_on(one, one.working.throw, error)
            else:
                go_on(one, one.working.send, done)


def _begun(processes: int) -> ProcessPoolExecutor:
    """Processes that have everything ready: forked from one that has, where the system can. They look for what could go
    as seldom as this one does.
    """
    way = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(way)
    if way == "forkserver":
        context.set_forkserver_preload(["pbem.games.warm"])
    return ProcessPoolExecutor(processes, context, initializer=gc.set_threshold, initargs=gc.get_threshold())


def _cores() -> Any:
    """The cores this process may use."""
    look: Callable[[int], Any] | None = getattr(os, "sched_getaffinity", None)
    return look(0) if look is not None else range(os.cpu_count() or 1)
