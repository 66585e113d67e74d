"""Many games of a match, over an executor: processes of this machine, or a dask cluster.

Each game is written down as it ends, so a run that was cut off goes on where it was; a worker that dies costs time and
no game.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import closing, contextmanager
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import write_bytes
from pbem.lab.selfplay.match import Match, Tried, carried, mark_of, play
from pbem.lab.selfplay.tally import Bounds, sequential
from pbem.libraries import fetching

AHEAD = 3
"""Games that wait for each worker: enough that none is idle."""

BREAKS = 5
"""So many pools of processes may break before the run gives up."""


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line of a file of games: which match they are of."""

    lab: str
    match: Match


def played(
    match: Match, numbers: Iterable[int], *, processes: int = 1, cluster: str = ""
) -> Generator[Tried, None, None]:
    """Play the games of these numbers; each is told as soon as it is over, in whatever order that is. Raises
    :class:`GameError` where a cluster cannot be reached.
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
                        yield msgspec.json.decode(found, type=Tried)
                return
            except BrokenExecutor:  # a process was killed; the games it had are played again
                owed.extendleft(out.values())
    raise GameError.saying("no-workers", "processes that play end again and again; is there too little memory?")


@contextmanager
def _executor(processes: int, cluster: str) -> Iterator[tuple[Executor, int]]:
    """Whoever plays, and how many games at a time."""
    if not cluster:
        pool = ProcessPoolExecutor(max_workers=processes, mp_context=get_context("spawn"))
        try:
            yield pool, processes
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return
    try:
        client: Any = import_module("distributed").Client(cluster, timeout=5, set_as_default=False)
    except ImportError as error:
        raise GameError.saying(
            "no-cluster", f"a cluster takes the library distributed: {fetching('distributed')}"
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
    told: Callable[[Iterator[Tried], int], Iterator[Tried]] | None = None,
    bounds: Bounds | None = None,
) -> list[Tried]:
    """All games of a match, those of the file first, by number. New ones are written to it line by line as they end;
    ``told`` sees them on their way (a progress bar); with ``bounds`` no more are played than the sequential test needs.
    Raises :class:`GameError` where the file is of another match.
    """
    known = {one.number: one for one in kept(match, file)} if file is not None else {}
    missing = [number for number in range(games) if number not in known]

    def decided() -> int:
        said, count = sequential(bounds, match, list(known.values())) if bounds is not None else ("", 0)
        return count if said else 0

    with closing(played(match, missing, processes=processes, cluster=cluster)) as playing:
        coming: Iterator[Tried] = told(playing, len(missing)) if told is not None else playing
        while not decided() and (one := next(coming, None)) is not None:
            known[one.number] = one
            if file is not None:
                with file.open("ab") as stream:
                    stream.write(msgspec.json.encode(one) + b"\n")
    # What was played beyond the game that decided it hangs on the number of workers.
    return [known[number] for number in sorted(known) if number < (decided() or games)]


def kept(match: Match, file: Path) -> list[Tried]:
    """The games of a file, which is begun if it is not there. A line that was cut off does not count. Raises
    :class:`GameError` where it is of another match, or no such file.
    """
    head = msgspec.json.encode(Header(lab=mark_of(match), match=match), order="deterministic") + b"\n"
    try:
        data = file.read_bytes() if file.exists() else b""
        if head.startswith(data) and data != head:  # none, or one that was cut off as it was begun
            write_bytes(file, head)
            return []
    except OSError as error:
        raise GameError.saying("no-file", f"{file} cannot be used: {error.strerror or error}") from error
    whole = data[: data.rfind(b"\n") + 1]
    first, *lines = whole.split(b"\n")
    try:
        header = msgspec.json.decode(first, type=Header)
        games = [msgspec.json.decode(line, type=Tried) for line in lines if line]
    except msgspec.MsgspecError as error:
        text = f"{file} holds no games of the laboratory; name another file ({error})"
        raise GameError.saying("no-lab-file", text) from error
    if header.lab != mark_of(match):
        raise GameError.saying("other-match", f"{file} holds games of another match; name another file")
    if whole != data:  # only now is it known that the file is ours
        write_bytes(file, whole)
    return games
