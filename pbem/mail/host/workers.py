"""Run the jobs of a round of the host here, in other processes, or on a dask cluster.

A job plays one segment (play between two requests for orders) and writes its reports. All jobs go through one
``concurrent.futures.Executor``. A job (:mod:`pbem.games.resolve`) has no side effects. So if a job is lost, because a
process died, a cluster vanished or its workers had another version, it is run again. The umpire is informed, and only
time is lost. Only the host's own process writes the journal, the outbox and the games.
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
from pbem.mail import emails

T = TypeVar("T")
Working = Generator[PlayJob, PlayJobResult, T]
"""Type of a generator that works on one game: it yields jobs, and receives the result of each."""
Job = tuple[Path, Callable[[GameFolder], Working[T]]]
"""Type of a pair: a game's folder, and a function that returns the generator that works on the game."""

FEW: Final = 3
"""Number of waiting jobs from which other processes are started.

For fewer jobs that is not worthwhile, since starting takes as long as one job.
"""
PATIENCE: Final = 300.0
"""Seconds after which a job that was sent to another process is considered lost."""
GONE: Final = 5.0
"""Seconds without a scheduler or workers after which a cluster is given up."""
_LOOK: Final = 0.5
_LONGEST: Final = 300


def in_short(error: BaseException) -> str:
    """Return the message of an error as one line of text, at most 300 characters."""
    return f"{type(error).__name__}: {error}".strip(": ")[:_LONGEST]


class Ticket:
    """A job that a pool of workers has accepted, and where the job runs now."""

    def __init__(self, errand: PlayJob, context: Context) -> None:
        self.errand, self.context = errand, context
        self.data = b""
        self.future: Future[bytes] | None = None
        self.by = ""


class Workers:
    """A pool that runs jobs: in this process, in other processes, or on a dask cluster.

    ``processes`` is the number of processes on this machine (1: only this one, 0: one per core). ``cluster`` is the
    address of a dask scheduler; empty for none. Processes and connection are started when needed, kept between
    rounds, and ended by :meth:`close`.
    """

    def __init__(self, processes: int = 1, cluster: str = "") -> None:
        self._wanted = processes, cluster
        self.processes = processes or len(_cores())
        self.cluster = cluster
        self.said: list[str] = []
        """Messages about problems for the umpire; the caller that reports them empties the list."""
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
        """Return these workers, or new workers if the settings ask for other processes or another cluster."""
        if self._wanted == (processes, cluster):
            return self
        self.close()
        return Workers(processes, cluster)

    def begin(self) -> None:
        """Prepare for a new round of the host.

        A cluster or processes that failed in the last round may be used again.
        """
        self._lame, self._breaks = False, 0

    @property
    def width(self) -> int:
        """How many jobs should be started before waiting for the result of the first one."""
        if self.cluster and not self._lame:
            return 2 * max(self._threads, self.processes, 4)
        return 1 if self.processes == 1 else 2 * self.processes + 1

    def hand_in(self, errand: PlayJob, context: Context) -> Ticket:
        """Accept a job, and return a ticket with which :meth:`fetch` gets its result.

        If the job runs in this process, it runs in ``context``, which contains the game's custom figures.
        """
        ticket = Ticket(errand, context)
        self._out.append(ticket)
        if errand.moves and self._reach(len(self._out)):
            for one in self._out:
                if one.future is None and one.errand.moves:
                    self._send(one)
        return ticket

    def fetch(self, ticket: Ticket) -> PlayJobResult:
        """Return the result of a job: wait for it, or run it now in this process.

        This raises the same errors as :func:`pbem.games.resolve.run`.
        """
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
        """Test the dask cluster, and return how many jobs it runs at a time.

        Raises:
            Exception: Whatever prevents the cluster from running jobs, for example that its workers have another
                version of the program.
        """
        try:
            self._connect()
            other = self._client.run(fingerprint)
            if strange := sorted({one for one in other.values() if one != fingerprint()}):
                raise RuntimeError(f"its workers have another version: {strange[0]}; here it is {fingerprint()}")
            return self._threads
        finally:
            self._drop_cluster()

    def close(self) -> None:
        """End the processes and the connection to the cluster."""
        self._drop_pool()
        self._drop_cluster()

    # --- where it is done ---

    def _reach(self, waiting: int) -> bool:
        """Return whether jobs can run outside this process now.

        Connect to the cluster or start processes if needed. ``waiting`` is the number of jobs that wait.
        """
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
        """Return whether the cluster is connected and has workers."""
        with suppress(Exception):
            return self._client.status == "running" and bool(self._client.nthreads())
        return False

    def _leave(self, by: str, why: str) -> None:
        """Stop using the cluster or the processes after a failure, and run their jobs elsewhere.

        ``by`` says whether the cluster or the processes failed, and ``why`` is the reason. A cluster is not used again
        in this round. Processes are started again after one failure in a round, but not after two.
        """
        if by == self.cluster:
            if not self._lame:
                self.said.append(emails.sentence("cluster_fails", cluster=self.cluster, why=why))
            self._lame = True
            self._drop_cluster()
        elif self._pool is not None:
            self._breaks += 1
            self.said.append(emails.sentence("process_ended", why=why))
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
    """A game on which work goes on: its generator, and the ticket of the job that runs for it."""

    def __init__(self, folder: Path, working: Working[T]) -> None:
        self.folder, self.working = folder, working
        self.context: Context = copy_context()  # a game's custom figures are a context variable
        self.value: T | None = None
        self.ticket: Ticket | None = None

    def go_on(self, workers: Workers, how: Callable[..., PlayJob], *given: Any) -> bool:
        """Continue the game up to its next job, and start that job; return false if there is no further job.

        ``how`` continues the generator (``next``, ``send`` or ``throw``) with the arguments ``given``.
        """
        try:
            errand = self.context.run(how, *given)
        except StopIteration as end:
            self.value = end.value
            return False
        self.ticket = workers.hand_in(errand, self.context)
        return True


def side_by_side(workers: Workers, working: Iterable[tuple[Path, Working[T]]]) -> list[tuple[Path, T | None]]:
    """Work on many games at once; return each game's folder and result.

    While the jobs of some games run, further games are opened, as many as keep the ``workers`` busy. Results are
    processed in the order in which the jobs were started.
    """
    results: list[tuple[Path, T | None]] = []
    waiting: deque[_Open[T]] = deque()
    todo = iter(working)
    with ExitStack() as stack:

        def go_on(one: _Open[T], how: Callable[..., PlayJob], *given: Any) -> None:
            if one.go_on(workers, how, *given):
                waiting.append(one)
            else:
                results.append((one.folder, one.value))

        while True:
            while len(waiting) < workers.width and (job := next(todo, None)) is not None:
                one = _Open(*job)
                stack.callback(one.context.run, one.working.close)
                go_on(one, next, one.working)
            if not waiting:
                return results
            one = waiting.popleft()
            assert one.ticket is not None
            try:
                done = workers.fetch(one.ticket)
            except Exception as error:
                go_on(one, one.working.throw, error)
            else:
                go_on(one, one.working.send, done)


def _begun(processes: int) -> ProcessPoolExecutor:
    """Return a new pool of processes.

    They have the needed modules imported and the program's settings for garbage collection. The processes are forked
    from a prepared process if the system can do that.
    """
    way = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(way)
    if way == "forkserver":
        context.set_forkserver_preload(["pbem.games.warm"])
    return ProcessPoolExecutor(processes, context, initializer=gc.set_threshold, initargs=gc.get_threshold())


def _cores() -> Any:
    """Return the CPU cores that this process may use."""
    look: Callable[[int], Any] | None = getattr(os, "sched_getaffinity", None)
    return look(0) if look is not None else range(os.cpu_count() or 1)
