"""What the laboratory gets out of several cores: `python bench/lab.py [GAMES]` plays games of #5 by one and two
processes, sends tasks without a game to a dask cluster of this machine, and works out what a hundred cores would give.

The cluster (extra `cluster`) has its scheduler in this process, beside the laboratory that hands the tasks out: what a
task costs here is what no further worker can take off, and so the most a cluster can do. Times are those of the
processor, since other programs only ever add to others; how long a task is on its way is by the clock.

Nothing here is a test: times depend on the machine, the ratios less so.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.lab.selfplay.match import Match

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

GAMES, TASKS, ALONE, WORKERS, CORES = 40, 1000, 200, 2, 100


def match_of(who: str) -> Match:
    from pbem.lab.selfplay.match import Match, verified

    return verified(Match(scenario="5", captains=dict.fromkeys(("federation", "klingon"), who), seed="bench"))


def spent() -> float:
    """Seconds of the processor that this process and those it has ended took."""
    found = (getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in found)


def games(who: str, count: int, processes: int) -> tuple[float, float]:
    """Seconds of a game: of the processor, whoever took them, and by the clock."""
    from pbem.lab.selfplay.run import played

    begun, clock = spent(), time.perf_counter()
    for _ in played(match_of(who), range(count), processes=processes):
        pass
    passed = time.perf_counter() - clock
    for child in multiprocessing.active_children():
        child.join()
    return (spent() - begun) / count, passed / count


def nothing(data: bytes, number: int) -> bytes:
    """A task that is handed out as a game is, and plays none."""
    return data


def handed_out(executor: Executor, tasks: int, ahead: int, data: bytes) -> None:
    """Tasks as the laboratory hands them out: a few for each worker, and the next as soon as one is done."""
    out: set[Future[bytes]] = set()
    for number in range(tasks):
        if len(out) >= ahead:
            _, out = wait(out, return_when=FIRST_COMPLETED)
        out.add(executor.submit(nothing, data, number))
    wait(out)


@contextmanager
def cluster() -> Iterator[Any]:
    """A client of a cluster of this machine."""
    distributed: Any = import_module("distributed")
    with (
        distributed.LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as local,
        distributed.Client(local, set_as_default=False) as client,
    ):
        yield client


def overhead() -> tuple[float, float, float]:
    """Seconds of a task without a game: on its way there and back (median, by the clock), and of the processor here
    and in a worker.
    """
    import msgspec

    from pbem.lab.selfplay.run import AHEAD

    data = msgspec.json.encode(match_of("ensign"))
    with cluster() as client:
        executor = client.get_executor(pure=False, retries=10)
        executor.submit(nothing, data, 0).result()
        ways = []
        for number in range(ALONE):
            begun = time.perf_counter()
            executor.submit(nothing, data, number).result()
            ways.append(time.perf_counter() - begun)
        there = sum(client.run(time.process_time).values())
        here = time.process_time()
        handed_out(executor, TASKS, AHEAD * WORKERS, data)
        here = time.process_time() - here
        there = sum(client.run(time.process_time).values()) - there
    return median(ways), here / TASKS, there / TASKS


def main(count: int) -> None:
    measures_cluster = find_spec("distributed") is not None
    if not measures_cluster:
        print('The cluster is left out: pip install "pbem[cluster]" to measure it too (distributed is not installed).')
    found: dict[str, float] = {}
    for who, number, processes in (("ensign", count, 1), ("ensign", count, 2), ("captain", max(2, count // 10), 1)):
        cost, clock = games(who, number, processes)
        found.setdefault(who, cost)
        print(f"{who}, processes {processes}, games {number}: {1000 * cost:.0f} ms of the processor a game, "
              f"{processes / cost:.1f} games a second of {processes} cores, {1 / clock:.1f} by the clock")  # fmt: skip
    if not measures_cluster:
        return
    way, here, there = overhead()
    print(f"a task: {1000 * way:.1f} ms there and back; {1000 * here:.2f} ms of the processor here, "
          f"{1000 * there:.2f} ms in a worker")  # fmt: skip
    for who, cost in found.items():
        cores, most = CORES / (cost + there), 1 / here
        print(f"{CORES} cores, {who}: {min(cores, most):.0f} games a second "
              f"(the cores {cores:.0f}, the scheduler {most:.0f})")  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else GAMES)
