"""Who does a host's errands, with executors that say what they are told to; and the file of who plays which game."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextvars import copy_context
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from pbem.errors import GameError
from pbem.games.resolve import OtherVersion
from pbem.mail.host import doctor, idle, workers
from pbem.mail.host.doctor import Finding
from pbem.mail.host.idle import SEATS, Seating
from pbem.mail.host.workers import Ticket, Workers
from pbem.mail.people import Roll
from pbem.mail.seats import Seat
from pbem.mail.settings import Host
from pbem.mail.store import identity, keep_fact, opened as database
from pbem.mail.transport.outbox import Unreachable

SCHEDULER = "tcp://there:8786"


class Executor:
    """Keeps what it is handed; each errand ends as ``ends`` says: with bytes, an error, or not at all (``None``)."""

    def __init__(self, *ends: bytes | Exception | None) -> None:
        self.ends, self.taken, self.shut = list(ends), list[bytes](), list[dict[str, bool]]()

    def submit(self, how: object, data: bytes) -> Future[bytes]:
        self.taken.append(data)
        end = self.ends.pop(0) if self.ends else b"done " + data
        future: Future[bytes] = Future()
        if isinstance(end, OverflowError):
            raise end  # it takes no more
        if isinstance(end, Exception):
            future.set_exception(end)
        elif end is not None:
            future.set_result(end)
        return future

    def shutdown(self, **how: bool) -> None:
        self.shut.append(how)


class Client:
    """A cluster's."""

    def __init__(self, there: Executor, threads: dict[str, int]) -> None:
        self.there, self.threads, self.status, self.closed = there, threads, "running", 0
        self.versions = {"a": "here", "b": "here"}
        self.asked: list[object] = []

    def __call__(self, address: str, **how: object) -> Client:
        self.asked.append((address, how))
        return self

    def nthreads(self) -> dict[str, int]:
        return self.threads

    def get_executor(self, *, pure: bool) -> Executor:
        self.asked.append(pure)
        return self.there

    def run(self, what: object) -> dict[str, str]:
        assert callable(what)
        return self.versions

    def close(self, timeout: int) -> None:
        self.closed += timeout


def unpacked(data: bytes) -> str:
    if data == b"other":
        raise OtherVersion("9.9")
    if data == b"wrong":
        raise GameError.saying("x", "a damaged game")
    return data.decode()


@pytest.fixture(autouse=True)
def errands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "packed", lambda errand: errand.name.encode())
    monkeypatch.setattr(workers, "unpacked", unpacked)
    monkeypatch.setattr(workers, "run", lambda errand: f"here {errand.name}")
    monkeypatch.setattr(workers, "fingerprint", lambda: "here")


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[Executor]:
    """The processes that are begun, one after the other."""
    waiting: list[Executor] = []
    begun: list[int] = []

    def begin(processes: int) -> Executor:
        begun.append(processes)
        return waiting[len(begun) - 1]

    monkeypatch.setattr(workers, "_begun", begin)
    return waiting


def cluster(monkeypatch: pytest.MonkeyPatch, *ends: bytes | Exception | None, threads: int = 5) -> Client:
    found = Client(Executor(*ends), {"a": threads - 3, "b": 3} if threads else {})
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=found))
    return found


def given(those: Workers, *names: str, moves: bool = True) -> list[Ticket]:
    return [
        those.hand_in(SimpleNamespace(name=name, moves=moves), copy_context())  # type: ignore[arg-type]
        for name in names
    ]


def fetched(those: Workers, tickets: list[Ticket]) -> list[object]:
    return [those.fetch(one) for one in tickets]


def test_alone_everything_is_done_here(pools: list[Executor]) -> None:
    with Workers() as those:
        tickets = given(those, *"abcd")
        assert fetched(those, tickets) == ["here a", "here b", "here c", "here d"]
        assert (those.width, those.said, those._out) == (1, [], [])
        assert those.as_wanted(1, "") is those and those.as_wanted(2, "").processes == 2
    assert Workers(0).processes == len(workers._cores()) >= 1 and Workers(3).width == 7


def test_few_errands_are_worth_no_processes_and_some_cannot_leave(pools: list[Executor]) -> None:
    pools.append(Executor())
    those = Workers(3)
    first = given(those, "a", "b")
    assert [one.future for one in first] == [None, None]
    stays = given(those, "s", moves=False)
    assert pools[0].taken == []
    last = given(those, "c")
    assert pools[0].taken == [b"a", b"b", b"c"] and {one.by for one in (*first, *last)} == {"processes"}
    given(those, "d")
    assert pools[0].taken == [b"a", b"b", b"c", b"d"], "each once"
    assert fetched(those, [*first, *stays, *last]) == ["done a", "done b", "here s", "done c"]
    those.close()
    assert pools[0].shut == [{"wait": False, "cancel_futures": True}] and those._pool is None
    those.close()
    assert len(pools[0].shut) == 1


def test_what_a_process_took_with_it_is_done_again_and_after_a_second_one_here(pools: list[Executor]) -> None:
    pools += [Executor(b"done a", ValueError("it broke")), Executor(KeyError("k")), Executor()]
    those = Workers(2)
    tickets = given(those, *"abc")
    assert fetched(those, tickets[:1]) == ["done a"]
    assert fetched(those, tickets[1:]) == ["here b", "here c"]
    assert [pool.taken for pool in pools] == [[b"a", b"b", b"c"], [b"b", b"c"], []]
    said = "a process that plays and writes reports ended ({}); its work was done again"
    assert those.said == [said.format("ValueError: it broke"), said.format("KeyError: 'k'")]
    assert fetched(those, given(those, *"xyz")) == ["here x", "here y", "here z"]
    those.begin()
    assert fetched(those, given(those, *"xyz")) == ["done x", "done y", "done z"], "a new round"


def test_a_fault_of_the_game_is_no_fault_of_who_plays_it(pools: list[Executor]) -> None:
    pools.append(Executor(b"wrong"))
    those = Workers(2)
    tickets = given(those, *"abc")
    with pytest.raises(GameError, match="a damaged game"):
        those.fetch(tickets[0])
    assert fetched(those, tickets[1:]) == ["done b", "done c"] and (those.said, those._out) == ([], [])


LEFT = (
    f"the cluster at {SCHEDULER} is not used in this round ({{}}). Processes on this machine do its work, and "
    "the next round will try the cluster again"
)


def test_a_cluster_takes_each_errand_at_once(monkeypatch: pytest.MonkeyPatch, pools: list[Executor]) -> None:
    client = cluster(monkeypatch)
    those = Workers(1, SCHEDULER)
    assert those.width == 8
    tickets = given(those, "a")
    assert client.there.taken == [b"a"] and (tickets[0].by, those.width) == (SCHEDULER, 10)
    assert fetched(those, [*tickets, *given(those, "b")]) == ["done a", "done b"]
    assert client.asked == [(SCHEDULER, {"timeout": 5.0, "set_as_default": False}), False], "it is called once"
    assert those.as_wanted(1, SCHEDULER) is those
    assert those.as_wanted(1, "") is not those and client.closed == 1
    assert Workers(9, SCHEDULER).width == 18


@pytest.mark.parametrize(
    ("ends", "threads", "why"),
    [
        ((), 0, "RuntimeError: it has no workers"),
        ((b"other",), 5, "its workers have another version: 9.9; here it is here"),
        ((ValueError("x" * 400),), 5, "ValueError: " + "x" * 288), ((OverflowError(),), 5, "OverflowError"),
    ],
)  # fmt: skip
def test_a_cluster_that_cannot_is_left_for_this_round(
    monkeypatch: pytest.MonkeyPatch, pools: list[Executor], ends: tuple[bytes | Exception, ...], threads: int, why: str
) -> None:
    client = cluster(monkeypatch, *ends, threads=threads)
    pools.append(Executor())
    those = Workers(2, SCHEDULER)
    done = fetched(those, given(those, "a"))
    assert those.said == [LEFT.format(why)] and client.closed == 1 and those.width == 5
    assert done == [("here a" if why in ("RuntimeError: it has no workers", "OverflowError") else "done a")]
    those.said.clear()
    assert fetched(those, given(those, *"xyz")) == ["done x", "done y", "done z"] and those.said == []
    assert pools[0].taken[-3:] == [b"x", b"y", b"z"]
    client.threads = {"a": 1}
    those.begin()
    assert fetched(those, given(those, "b")) == ["done b"] and client.there.taken[-1] == b"b"


def test_without_the_library_there_is_no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    those = Workers(1, SCHEDULER)
    assert fetched(those, given(those, "a")) == ["here a"]
    (said,) = those.said
    assert said.startswith(f"the cluster at {SCHEDULER} is not used in this round (ModuleNotFoundError: ")


@pytest.mark.parametrize(
    ("by", "lives", "seconds", "why"),
    [
        (SCHEDULER, True, 301, "an errand was not done in 300 seconds"),
        ("processes", True, 301, "an errand was not done in 300 seconds"),
        (SCHEDULER, False, 6, "it has neither scheduler nor workers any more"),
        ("processes", False, 301, "an errand was not done in 300 seconds"),
    ],
)  # fmt: skip
def test_how_long_an_errand_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, by: str, lives: bool, seconds: int, why: str
) -> None:
    """The clock goes a second each time somebody looks at it."""
    clock = count()
    last = [0]

    def monotonic() -> int:
        last[0] = next(clock)
        return last[0]

    monkeypatch.setattr(workers, "time", SimpleNamespace(monotonic=monotonic))
    monkeypatch.setattr(workers, "_LOOK", 0.0)
    those = Workers(1, SCHEDULER)
    those._client = cluster(monkeypatch)
    those._client.threads = {"a": 1} if lives else {}
    ticket = Ticket(SimpleNamespace(), copy_context())  # type: ignore[arg-type]
    ticket.future, ticket.by = Future(), by
    with pytest.raises((TimeoutError, ConnectionError)) as told:
        those._waited(ticket)
    assert (str(told.value), last[0]) == (why, seconds)
    those._client.status = "closed"
    assert not those._lives()


def test_the_doctor_asks_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    host = Host(format=1, orders="o@x.org", cluster=SCHEDULER)
    client = cluster(monkeypatch)
    assert doctor._cluster(host) == f"{SCHEDULER}: 5 errands at a time" and client.closed == 1
    client.versions["b"] = "8.8"
    for change, said in (
        ({}, f"{SCHEDULER} cannot be used: RuntimeError: its workers have another version: 8.8; here it is here"),
        ({"threads": {}}, f"{SCHEDULER} cannot be used: RuntimeError: it has no workers"),
        (None, "a cluster takes the library distributed: `pip install distributed`"),
    ):
        if change is None:
            monkeypatch.setitem(sys.modules, "distributed", None)
        else:
            vars(client).update(change)
        with pytest.raises(GameError) as told:
            doctor._cluster(host)
        assert [one.text for one in told.value.faults] == [said]
    assert client.closed == 3


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "fine"), (GameError.saying("x", "one"), "one"), (Unreachable("no net"), "no net"),
        (PermissionError(13, "Permission denied"), "Permission denied"), (OSError("odd"), "odd"),
    ],
)  # fmt: skip
def test_what_the_doctor_finds(error: Exception | None, said: str) -> None:
    def attempt() -> str:
        if error is not None:
            raise error
        return "fine"

    assert doctor._tried("it", attempt) == Finding(what="it", right=error is None, said=said)


# --- who plays which game --------------------------------------------------------------------------------------------


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], list[str]]]:
    """Whose files were read since this was asked for last."""
    names: list[str] = []

    def seats(folder: Path, club: Callable[[], Roll] | None = None) -> list[Seat]:
        names.append(folder.name)
        address = (folder / "game.toml").read_text()
        return [Seat(game=folder.name, folder=folder, side="a", addresses=(address,), token="t", tenure=2)]

    def since() -> list[str]:
        found = names.copy()
        names.clear()
        return found

    monkeypatch.setattr(idle, "seats", seats)
    yield since


def test_who_plays_is_read_again_only_where_a_file_has_changed(tmp_path: Path, read: Callable[[], list[str]]) -> None:
    games = [tmp_path / "games" / name for name in ("one", "two")]
    for game in games:
        game.mkdir(parents=True)
        (game / "game.toml").write_text(f"{game.name}@x.org")

    def seen(*of: Path) -> list[Seat]:
        found = Seating(tmp_path, games)
        seats = [seat for game in of for seat in found.of(game)]
        found.write()
        return seats

    def written() -> bytes:
        with database(tmp_path / "mail") as store:
            return store.raw(SEATS) or b""

    def seat(game: Path, address: str) -> Seat:
        return Seat(game=game.name, folder=game, side="a", addresses=(address,), token="t", tenure=2)

    both = [seat(games[0], "one@x.org"), seat(games[1], "two@x.org")]
    assert seen(*games) == both and read() == ["one", "two"]
    before = identity(tmp_path / "mail", SEATS)
    assert seen(*games) == both and read() == []
    assert identity(tmp_path / "mail", SEATS) == before != [], "not written again"
    (games[0] / "secret").mkdir()
    (games[0] / "secret" / "players.json").write_text("x")
    assert seen(*games) == both and read() == ["one"]
    (games[1] / "game.toml").write_text("another@x.org")
    assert seen(*games) == [both[0], seat(games[1], "another@x.org")] and read() == ["two"]
    third = tmp_path / "three"
    third.mkdir()
    (third / "game.toml").write_text("three@x.org")
    assert seen(third) == [seat(third, "three@x.org")] and read() == ["three"], "none of this host's"
    gone = games.pop()
    assert seen(games[0]) == both[:1] and read() == [] and b"another" not in written()
    games.append(gone)
    assert seen(gone) == [seat(gone, "another@x.org")] and read() == ["two"]
    keep_fact(tmp_path / "mail", SEATS, msgspec.Raw(written().replace(b'"version":"', b'"version":"0')))
    assert len(seen(*games)) == 2 and read() == ["one", "two"], "another version may have read them otherwise"
