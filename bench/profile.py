"""Where the time goes: `python bench/profile.py NAME` runs a piece of work under cProfile and prints its dearest calls.

    python bench/profile.py idle      # a round of a host of 1,000 games in which nothing happened
    python bench/profile.py letters   # 200 letters with orders taken in, nothing played
    python bench/profile.py play      # 20 turns played, rendered and mailed
    python bench/profile.py play --by tottime --lines 60

Seconds are those of the processor. cProfile makes many small calls look dearer than they are: what is gained is
measured by bench/host.py.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# This file has the name of a part of the library, which cProfile looks for.
sys.path[:1] = [str(ROOT)]

Work = Callable[[], object]


def host_of(folder: Path, games: int, letters: int) -> Work:
    """A round of a host at work, with so many letters in its mailbox; each time it is called, one more."""
    from bench import host as bench
    from pbem.post.host import host_round
    from pbem.post.mailbox import Maildir

    if not (folder / "host.toml").exists():
        bench.prepared(folder, games, letters)
    sink, now = bench.Sink(), bench.SEND + timedelta(hours=1)
    one = lambda: host_round(folder, lambda: now, source=Maildir(folder / "Maildir"), carrier=sink)  # noqa: E731
    for _ in range(2):
        one()
    for path in sorted((folder / "later").iterdir()):
        path.rename(folder / "Maildir" / "new" / f"{path.name}.bench")
    return one


def idle(folder: Path) -> Work:
    return host_of(folder, 1000, 0)


def letters(folder: Path) -> Work:
    """Letters alone: a round is cut off before it plays."""
    from pbem.post.host import HostRound

    HostRound._look_at = lambda self, folder: None  # type: ignore[method-assign]
    return host_of(folder, 400, 200)


def play(folder: Path) -> Work:
    return host_of(folder, 80, 40)


NAMES: dict[str, Callable[[Path], Work]] = {"idle": idle, "letters": letters, "play": play}


def main() -> None:
    import cProfile
    import pstats

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=sorted(NAMES))
    parser.add_argument("--by", default="cumtime", help="cumtime, tottime, ncalls")
    parser.add_argument("--lines", type=int, default=45)
    parser.add_argument("--folder", type=Path, help="work there, and leave it (prepared already, if it is)")
    wanted = parser.parse_args()
    folder = wanted.folder or Path(tempfile.mkdtemp(prefix="pbem-profile-"))
    try:
        work, profile = NAMES[wanted.name](folder), cProfile.Profile(time.process_time)
        profile.runcall(work)
        pstats.Stats(profile).sort_stats(wanted.by).print_stats(wanted.lines)
    finally:
        if wanted.folder is None:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
