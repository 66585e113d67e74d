"""A second core for a command: a copy of its process makes one thing that will be asked for later, and ends.

Nothing hangs on it: where there is no such copy, or nothing came of it, whoever asks makes the thing himself, and it
has the same bytes.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PIECE = 1 << 16


def spare() -> bool:
    """Whether this process may be copied and the copy would have a core: a system that copies processes without
    breaking what its libraries hold, and no other threads, whose locks nobody would ever release.
    """
    return sys.platform == "linux" and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1


@contextmanager
def beside(make: Callable[[], bytes]) -> Iterator[Callable[[], bytes]]:
    """Within this, ``make`` is at work in a copy of the process, which may open nothing and print nothing. What is
    handed out waits for it and tells what came of it, nothing where it failed.
    """
    try:
        out, into = os.pipe()
    except OSError:
        yield bytes
        return
    try:
        copy = os.fork()
    except OSError:
        os.close(out)
        os.close(into)
        yield bytes
        return
    if not copy:
        _make(make, out, into)
    os.close(into)
    found: list[bytes] = []

    def made() -> bytes:
        if not found:
            found.append(_all_of(out))
        return found[0]

    try:
        yield made
    finally:
        os.close(out)  # a copy that still writes is told so, and ends
        with suppress(OSError):
            os.waitpid(copy, 0)


def _make(make: Callable[[], bytes], out: int, into: int) -> None:
    """What the copy does, and nothing else: no handler, no buffer of the process that was copied may run in it."""
    try:
        os.close(out)  # else nobody would tell it that nobody reads
        made = make()
        told = len(made).to_bytes(8, "big") + made
        while told:
            told = told[os.write(into, told) :]
    finally:
        os._exit(0)


def _all_of(out: int) -> bytes:
    """What the copy wrote, if it came to its end."""
    pieces = []
    with suppress(OSError):
        while piece := os.read(out, PIECE):
            pieces.append(piece)
    told = b"".join(pieces)
    whole = int.from_bytes(told[:8], "big") == len(told) - 8
    return told[8:] if whole else b""
