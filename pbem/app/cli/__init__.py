"""The ``pbem`` command line.

There is one module for each family of commands. A command imports what it needs only when it runs.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Callable

OBJECTS = 150_000
"""How many container objects are created before a garbage collection runs.

They take about 15 megabytes; a turn of a duel creates fewer.
"""


def main() -> None:
    """Run the command line as the only task of this process, and end the process."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _end_with_workers)
    run_and_leave(command)


def _end_with_workers(number: int, _frame: object) -> None:
    """Handle a signal that ends this process: end its worker processes first, then this process itself.

    ``number`` is the number of the signal.
    """
    processes = sys.modules.get("multiprocessing.process")
    for worker in processes.active_children() if processes is not None else ():
        worker.terminate()
    signal.signal(number, signal.SIG_DFL)
    signal.raise_signal(number)


def run_and_leave(command: Callable[[], None]) -> None:
    """Run ``command`` and the exit handlers, then end the process without Python's own cleanup.

    That cleanup frees all modules and objects one by one. It takes a twentieth of the time of a short command,
    while the operating system frees the memory at once. If the command ends with an error, Python ends the process
    as usual and reports it. If printed text cannot be written, the error is reported and the exit code is not 0.
    """
    code: object = None

    def leave() -> None:
        if not isinstance(code, int):
            return
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except (BrokenPipeError, ValueError):
            return
        except OSError as error:  # Python 3.11.2 reports nothing and ends with 0, since this flush emptied its buffer
            try:
                sys.stderr.write(f"OSError: {error}\n")
                sys.stderr.flush()
            finally:  # standard error may be the stream that is full
                os._exit(code or 1)
        os._exit(code)

    # The handler that is registered first runs last, after those of threads and temporary folders.
    atexit.register(leave)
    try:
        command()
        code = 0
    except SystemExit as ended:
        code = 0 if ended.code is None else ended.code
        raise


def command() -> None:
    """Run the command line, print the faults of an exception, and exit.

    Exit codes: 0 done, 1 the orders or the game have faults, 2 wrong usage.
    """
    # A command needs most of its objects until it ends. Frequent garbage collection would cost a tenth of its time.
    gc.set_threshold(OBJECTS)
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a character of a name must not stop the command. Files get UTF-8.
        if stream.isatty():
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        else:
            stream.reconfigure(encoding="utf-8", errors="replace", newline="\n")  # type: ignore[union-attr]

    from pbem.app.cli.commands import app

    try:
        app(prog_name="pbem")
    except BrokenPipeError:
        # The program that reads the output (`| head`) has closed the pipe.
        sys.stderr.close()
        sys.exit(1)
    except Exception as error:
        if not _print_faults_of(error):
            raise
        sys.exit(1)


def _print_faults_of(error: Exception) -> bool:
    """Print the faults of an exception, and return True.

    Return False, without printing, for an exception that has no faults; such an exception means a bug in this program.
    """
    from pbem.app.cli.output import tell_faults
    from pbem.errors import Fault, GameError

    if isinstance(error, GameError):
        tell_faults(error.faults)
        return True
    if isinstance(error, OSError):
        why = error.strerror or str(error)
        text = f"{why}; nothing more was done"
        tell_faults([Fault(code="file-trouble", text=text, file=str(error.filename or ""))])
        return True
    return False
