"""Where tests have their folders: in memory, where the system has a place for that and room in it.

The quick part alone leaves 47,000 files of 700 megabytes, at which nobody looks. On a disk an eighth of its time went
there, and more of it was waited: each file that takes the place of another is written out before it does.

All folders of a run, those of ``tempfile`` and of the processes that tests start too, are in one that goes with it, and
what a test had goes when it has passed. Where one failed its folder stays to be looked at, until the next run. Who says
where folders are to be (``--basetemp``, ``TMPDIR``) has them there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PLACE = Path("/dev/shm")
"""Linux has a folder in memory here."""

WANTED = 2 << 30
"""So many bytes must be free in it, and in memory. The quick part was seen to use 48 megabytes, the slow tests of the
commands, the games, the clubs and the browser 380.
"""

NAMED = "pbem-tests-"
"""What the folder of a run is called, before the number of its process."""


def in_memory(place: Path = PLACE) -> Path | None:
    """A new folder for all folders of this run, which from now on are made there; nothing where they go to a disk."""
    if "TMPDIR" in os.environ or not has_room(place):
        return None
    swept(place)
    folder = place / f"{NAMED}{os.getpid()}"
    try:
        folder.mkdir(mode=0o700)
    except OSError:
        return None
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None  # it is asked for anew
    return folder


def has_room(place: Path, *, memory: Path = Path("/proc/meminfo")) -> bool:
    """Whether a folder in memory is there, has room, and programs in it may be started."""
    try:
        told = os.statvfs(place)
        lines = memory.read_text(encoding="ascii").splitlines()
    except (AttributeError, OSError):  # Windows has no statvfs
        return False
    free = next((int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")), 0)
    runs = not told.f_flag & os.ST_NOEXEC
    return runs and os.access(place, os.W_OK) and min(free, told.f_bavail * told.f_frsize) >= WANTED


def swept(place: Path) -> None:
    """Takes away what runs have left whose process is gone."""
    for folder in place.glob(f"{NAMED}*"):
        try:
            os.kill(int(folder.name.removeprefix(NAMED)), 0)
        except ProcessLookupError:
            shutil.rmtree(folder, ignore_errors=True)
        except (OSError, ValueError):
            continue


def done(folder: Path, *, passed: bool) -> None:
    """The run is over: its folder goes, but for what is to be looked at."""
    if passed:
        with suppress(OSError):
            shutil.rmtree(folder)
