"""End the process quickly when its command is done."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable


def run_and_leave(command: Callable[[], None]) -> None:
    """Run ``command`` and the exit handlers, then end the process without Python's own cleanup.

    That cleanup frees all modules and objects one by one. It takes a twentieth of the time of a short command,
    while the operating system frees the memory at once. If the command ends with an error, or printed text cannot
    be written, Python ends the process as usual and reports it.
    """
    code: object = None

    def leave() -> None:
        if not isinstance(code, int):
            return
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except (OSError, ValueError):
            return
        os._exit(code)

    # What is entered first is done last: behind the threads, the temporary folders and whoever else has to close up.
    atexit.register(leave)
    try:
        command()
        code = 0
    except SystemExit as ended:
        code = 0 if ended.code is None else ended.code
        raise
