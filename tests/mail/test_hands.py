"""To whom the errands of a round are given, and what becomes of those whom somebody loses: with executors and a cluster
that do at once what they are told to.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor, Future
from contextvars import ContextVar, copy_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pbem.errors import GameError
from pbem.games.resolve import OtherVersion
from pbem.mail.host import workers as hands
from pbem.mail.host.workers import FEW, Ticket, Workers, in_short, side_by_side

GAME: ContextVar[str] = ContextVar("game", default="")


class Errand:
    """Stands for an errand: its name says what comes of it."""

    def __init__(self, name: str, *, moves: bool = True) -> None:
        self.name, self.moves = name, moves


class Pool(Executor):
    """Does what it is given at once, or as ``how`` says of it."""

    def __init__(self, how: Callable[[bytes], bytes]) -> None:
        self.how, self.given, self.down = how, list[bytes](), list[tuple[bool, bool]]()

    def submit(self, fn: Any, /, *given: Any, **more: Any) -> Future[Any]:
        self.given.append(given[0])
        found: Future[Any] = Future()
        try:
            found.set_result(self.how(given[0]))
        except LookupError:
            raise RuntimeError("takes nothing") from None
        except Exception as error:
            found.set_exception(error)
        return found

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self.down.append((wait, cancel_futures))


def there(data: bytes) -> bytes:
    return b"there " + data


def breaks(data: bytes) -> bytes:
    raise OSError("it broke")


def takes_nothing(data: bytes) -> bytes:
    raise LookupError


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Pool]:
    """The pools that were begun, each as the next of ``ways`` has it."""
    pools: list[Pool] = []

    def begin(processes: int) -> Pool:
        pools.append(Pool(WAYS[min(len(pools), len(WAYS) - 1)]))
        return pools[-1]

    def unpacked(data: bytes) -> Any:
        if data == b"there refused":
            raise GameError.saying("x", "it cannot be")
        if data == b"there other":
            raise OtherVersion("pbem 0.0.1")
        return data.decode()

    monkeypatch.setattr(hands, "_begun", begin)
    monkeypatch.setattr(hands, "packed", lambda errand: errand.name.encode())
    monkeypatch.setattr(hands, "unpacked", unpacked)
    monkeypatch.setattr(hands, "run", lambda errand: f"here {errand.name}{GAME.get()}")
    monkeypatch.setattr(hands, "fingerprint", lambda: "this pbem")
    WAYS[:] = [there]
    return pools


WAYS: list[Callable[[bytes], bytes]] = [there]


def handed_in(workers: Workers, *names: str, moves: bool = True) -> list[Ticket]:
    return [workers.hand_in(cast(Any, Errand(name, moves=moves)), copy_context()) for name in names]


def fetched(workers: Workers, tickets: list[Ticket]) -> list[object]:
    return [what(workers, ticket) for ticket in tickets]


def what(workers: Workers, ticket: Ticket) -> object:
    """What came of an errand, which is no :class:`Done` here."""
    return workers.fetch(ticket)


def test_processes_are_begun_once_a_few_errands_wait_and_do_all_that_may_move(begun: list[Pool]) -> None:
    workers = Workers(2)
    (stays,) = handed_in(workers, "s", moves=False)
    tickets = handed_in(workers, *"ab"[: FEW - 2])
    assert not begun, "it is not worth it yet"
    tickets += handed_in(workers, "b", "c")
    assert [pool.given for pool in begun] == [[b"a", b"b", b"c"]] and stays.future is None
    assert fetched(workers, [stays, *tickets]) == ["here s", "there a", "there b", "there c"] and not workers.said
    (late,) = handed_in(workers, "d")
    assert begun[0].given[-1] == b"d" and what(workers, late) == "there d", "they are there, and stay"
    with workers:
        pass
    assert begun[0].down == [(False, True)] and workers._pool is None
    alone = Workers(1)
    assert fetched(alone, handed_in(alone, *"abcd")) == [f"here {name}" for name in "abcd"] and len(begun) == 1


def test_an_errand_is_done_here_for_its_own_game(begun: list[Pool]) -> None:
    workers, context = Workers(1), copy_context()
    context.run(GAME.set, " of g1")
    ticket = workers.hand_in(cast(Any, Errand("a")), context)
    assert what(workers, ticket) == "here a of g1" and workers._out == []


def test_what_a_process_that_ended_had_to_do_is_done_by_others_and_in_the_end_here(begun: list[Pool]) -> None:
    workers = Workers(2)
    WAYS[:] = [breaks, there]
    assert fetched(workers, handed_in(workers, *"abc")) == ["there a", "there b", "there c"]
    said = "a process that plays and writes reports ended (OSError: it broke); its work was done again"
    assert workers.said == [said] and [pool.given for pool in begun] == [[b"a", b"b", b"c"]] * 2
    assert begun[0].down == [(False, True)] and begun[1].down == []
    workers.close()
    workers.begin()
    WAYS[:] = [breaks]
    assert fetched(workers, handed_in(workers, *"abc")) == ["here a", "here b", "here c"]
    assert workers.said == [said] * 3 and len(begun) == 4, "twice in a round, and then no more"
    assert fetched(workers, handed_in(workers, *"abc")) == ["here a", "here b", "here c"] and len(begun) == 4
    workers.begin()
    WAYS[:] = [there]
    assert fetched(workers, handed_in(workers, *"abc")) == ["there a", "there b", "there c"], "a new round"


def test_who_takes_nothing_or_is_of_another_version_is_left(begun: list[Pool]) -> None:
    workers = Workers(2)
    WAYS[:] = [takes_nothing]
    assert fetched(workers, handed_in(workers, *"abc")) == ["here a", "here b", "here c"]
    assert workers.said[0] == (
        "a process that plays and writes reports ended (RuntimeError: takes nothing); its work was done again"
    )
    workers = Workers(2)
    WAYS[:] = [there]
    tickets = handed_in(workers, "other", "refused", "c")
    assert what(workers, tickets[0]) == "here other" and len(workers.said) == 2
    assert workers.said[0] == (
        "a process that plays and writes reports ended (its workers have another version: pbem 0.0.1; here it is this "
        "pbem); its work was done again"
    )
    assert what(workers, tickets[2]) == "here c"
    workers = Workers(2)
    tickets = handed_in(workers, "a", "refused", "c")
    with pytest.raises(GameError, match="it cannot be"):
        workers.fetch(tickets[1])
    assert fetched(workers, [tickets[0], tickets[2]]) == ["there a", "there c"] and workers.said == []
    assert workers._out == [], "what was fetched is out of hand, whatever came of it"


class Client:
    """A cluster of two workers with three threads, that does as it is told."""

    def __init__(self, address: str, *, timeout: float, set_as_default: bool) -> None:
        assert (address, set_as_default) == ("tcp://there:1", False) and timeout == hands.GONE
        self.status, self.closed, self.versions = "running", list[float](), {"w1": "this pbem"}
        self.threads = dict(THREADS)
        CLIENTS.append(self)

    def nthreads(self) -> dict[str, int]:
        return self.threads

    def get_executor(self, *, pure: bool) -> Pool:
        assert not pure, "the same errand may have to be done twice"
        self.pool = Pool(WAYS[0])
        return self.pool

    def run(self, what: object) -> dict[str, str]:
        return self.versions

    def close(self, timeout: float) -> None:
        self.closed.append(timeout)


CLIENTS: list[Client] = []
THREADS = {"w1": 1, "w2": 2}


@pytest.fixture
def cluster(begun: list[Pool], monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    CLIENTS.clear()
    monkeypatch.setattr(
        hands, "import_module", lambda name: SimpleNamespace(Client=Client) if name == "distributed" else 1
    )
    with Workers(2, "tcp://there:1") as workers:
        yield workers


def test_a_cluster_is_given_even_a_single_errand(cluster: Workers, begun: list[Pool]) -> None:
    (one,) = handed_in(cluster, "a")
    assert (one.by, what(cluster, one)) == ("tcp://there:1", "there a") and not begun
    handed_in(cluster, "b")
    assert len(CLIENTS) == 1, "it is asked for once"
    cluster.close()
    assert CLIENTS[0].closed == [1]


def test_how_many_errands_are_handed_in_before_the_first_is_fetched(cluster: Workers) -> None:
    assert [Workers(n).width for n in (1, 2, 3)] == [1, 5, 7]
    assert cluster.width == 8, "it is not known yet how many workers it has"
    cluster._threads = 5
    assert cluster.width == 10
    cluster._lame = True
    assert cluster.width == 5, "that of the processes here"
    cluster._lame, cluster.processes = False, 9
    assert cluster.width == 18


def test_a_cluster_that_does_nothing_is_left_for_a_round(cluster: Workers, begun: list[Pool]) -> None:
    WAYS[:] = [breaks]
    tickets = handed_in(cluster, *"abc")
    WAYS[:] = [there]
    assert fetched(cluster, tickets) == ["there a", "there b", "there c"], "by processes of this machine"
    assert cluster.said == [
        "the cluster at tcp://there:1 is not used in this round (OSError: it broke). Processes on this machine do its "
        "work, and the next round will try the cluster again"
    ]
    assert CLIENTS[0].closed == [1] and [ticket.by for ticket in tickets] == ["processes"] * 3
    fetched(cluster, handed_in(cluster, "d"))
    assert len(CLIENTS) == 1
    cluster.begin()
    assert fetched(cluster, handed_in(cluster, "d")) == ["there d"] and len(CLIENTS) == 2 and len(cluster.said) == 1


def test_a_cluster_without_workers_is_none(
    cluster: Workers, begun: list[Pool], monkeypatch: pytest.MonkeyPatch
) -> None:
    THREADS.clear()
    try:
        assert fetched(cluster, handed_in(cluster, *"ab")) == ["here a", "here b"]
        assert "(RuntimeError: it has no workers)" in cluster.said[0] and len(cluster.said) == 1
        with pytest.raises(RuntimeError, match="it has no workers"):
            cluster.look()
    finally:
        THREADS.update({"w1": 1, "w2": 2})
    assert cluster.look() == 3 and CLIENTS[-1].closed == [1] and cluster._client is None
    real = Client.run
    monkeypatch.setattr(Client, "run", lambda self, what: {**real(self, what), "w2": "pbem 9", "w3": "pbem 8"})
    with pytest.raises(RuntimeError, match="its workers have another version: pbem 8; here it is this pbem"):
        cluster.look()


@pytest.mark.parametrize(("status", "threads", "lives"), [
    ("running", {"w": 1}, True), ("running", {}, False), ("closed", {"w": 1}, False), ("running", None, False),
])  # fmt: skip
def test_whether_a_cluster_lives(cluster: Workers, status: str, threads: Any, lives: bool) -> None:
    def nthreads() -> Any:
        if threads is None:
            raise OSError
        return threads

    cluster._client = SimpleNamespace(status=status, nthreads=nthreads, close=lambda timeout: None)
    assert cluster._lives() is lives


def test_a_cluster_that_is_gone_while_it_is_waited_for_is_not_waited_for_long(
    cluster: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that comes back in time is."""
    for back, gone in ((None, True), (4.0, False)):
        clock = SimpleNamespace(now=100.0)
        clock.monotonic = lambda clock=clock: clock.now
        monkeypatch.setattr(hands, "time", clock)
        monkeypatch.setattr(
            cluster, "_lives", lambda back=back, clock=clock: back is not None and clock.now > 100 + back
        )

        def result(timeout: float, clock: Any = clock) -> bytes:
            clock.now += timeout
            if clock.now < 120:
                raise TimeoutError
            return b"done"

        ticket = Ticket(cast(Any, Errand("a")), copy_context())
        ticket.future, ticket.by = cast(Any, SimpleNamespace(result=result)), "tcp://there:1"
        if gone:
            with pytest.raises(ConnectionError, match="neither scheduler nor workers"):
                cluster._waited(ticket)
            assert hands.GONE < clock.now - 100 < hands.GONE + 3
        else:
            assert cluster._waited(ticket) == b"done"


def test_the_same_workers_as_long_as_the_settings_are_the_same(begun: list[Pool]) -> None:
    workers = Workers(2)
    handed_in(workers, *"abc")
    assert workers.as_wanted(2, "") is workers and begun[0].down == []
    others = workers.as_wanted(3, "")
    assert others is not workers and others.processes == 3 and begun[0].down == [(False, True)]
    assert others.as_wanted(3, "tcp://there:1").cluster == "tcp://there:1"


def test_many_games_are_worked_on_side_by_side_and_written_in_their_order(begun: list[Pool]) -> None:
    """What goes wrong with the errand of one is that game's trouble; all are closed in the end."""
    closed: list[str] = []
    most = [0]
    now: set[str] = set()

    def working(name: str, errands: int) -> Generator[Errand, str, list[str]]:
        GAME.set(name)
        now.add(name)
        most[0] = max(most[0], len(now))
        told: list[str] = []
        try:
            for number in range(errands):
                try:
                    told.append((yield Errand("refused" if name == "bad" else f"{name}{number}")))
                except GameError as error:
                    told.append(error.faults[0].text)
                assert GAME.get() == name
            return told
        finally:
            now.discard(name)
            closed.append(name)

    jobs = {"none": 0, "one": 1, "bad": 1, "two": 2, "x": 1, "y": 1, "z": 1}
    workers = Workers(2)
    found = side_by_side(workers, [(Path(name), cast(Any, working(name, many))) for name, many in jobs.items()])
    assert dict(found) == {
        Path("none"): [], Path("one"): ["there one0"], Path("bad"): ["it cannot be"],
        Path("two"): ["there two0", "there two1"],
        **{Path(name): [f"there {name}0"] for name in "xyz"},
    }  # fmt: skip
    assert [path.name for path, _ in found] == ["none", "one", "bad", "x", "y", "z", "two"]
    assert most[0] == workers.width and not now and sorted(closed) == sorted(jobs)


@pytest.mark.parametrize(
    ("can", "way"), [(("fork", "spawn"), "spawn"), (("spawn", "forkserver", "fork"), "forkserver")]
)
def test_processes_are_forked_from_one_that_has_everything_ready_where_the_system_can(
    monkeypatch: pytest.MonkeyPatch, can: tuple[str, ...], way: str
) -> None:
    ready: list[list[str]] = []
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: list(can))
    monkeypatch.setattr(
        multiprocessing, "get_context", lambda name: SimpleNamespace(name=name, set_forkserver_preload=ready.append)
    )
    monkeypatch.setattr(hands, "ProcessPoolExecutor", lambda many, context, **begins: (many, context.name, begins))
    seldom = {"initializer": gc.set_threshold, "initargs": gc.get_threshold()}
    assert cast(Any, hands._begun(3)) == (3, way, seldom)
    assert ready == ([["pbem.games.warm"]] if way == "forkserver" else [])


def test_the_cores_this_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {1, 5, 7} if process == 0 else set(), raising=False)
    assert (Workers(0).processes, Workers(2).processes, Workers().processes) == (3, 2, 1)
    monkeypatch.delattr(os, "sched_getaffinity")
    for count, cores in ((4, 4), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert Workers(0).processes == cores


@pytest.mark.parametrize(("error", "said"), [
    (ValueError("x"), "ValueError: x"), (ValueError(), "ValueError"), (OSError("there is: "), "OSError: there is"),
    (RuntimeError("y" * 400), f"RuntimeError: {'y' * 286}"),
])  # fmt: skip
def test_what_went_wrong_with_somebody_is_told_in_one_line(error: Exception, said: str) -> None:
    assert in_short(error) == said and len(in_short(error)) <= 300
