"""A process that ends with its command: nothing is lost that it wrote, or that had to be done at its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FULL = Path("/dev/full")

PROGRAM = """
import atexit, sys, threading, time
from pbem.app.cli import run_and_leave

class Kept:
    def __del__(self):
        print("taken apart")

kept = Kept()

def command():
    atexit.register(print, "closed up")
    threading.Thread(target=lambda: (time.sleep(0.05), print("worked on"))).start()
    print("done", "and told" * 1000)
    {end}

run_and_leave(command)
"""
SAID = ["done " + "and told" * 1000, "worked on", "closed up"]


def run(end: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", PROGRAM.format(end=end)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)


@pytest.mark.parametrize(("end", "code"), [("pass", 0), ("sys.exit()", 0), ("sys.exit(2)", 2)])
def test_a_process_goes_when_its_command_and_all_that_closes_up_is_done(end: str, code: int) -> None:
    done = run(end)
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (code, SAID, "")


def test_what_was_not_foreseen_is_told_as_python_tells_it() -> None:
    done = run("raise RuntimeError('a mistake of ours')")
    assert done.returncode == 1 and done.stdout.splitlines()[: len(SAID)] == SAID
    assert done.stderr.startswith("Traceback") and "RuntimeError: a mistake of ours" in done.stderr
    done = run("sys.exit('words')")
    assert done.returncode == 1 and done.stderr == "words\n"


@pytest.mark.skipif(not FULL.exists(), reason="there is no full disk to write to")
def test_what_cannot_be_written_is_no_success() -> None:
    words = [sys.executable, "-c", PROGRAM.format(end="pass")]
    with FULL.open("w") as full:
        done = subprocess.run(words, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert done.returncode and "No space left" in done.stderr
    with FULL.open("w") as full:
        assert subprocess.run(words, cwd=ROOT, stdout=full, stderr=full, check=False).returncode


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
@pytest.mark.parametrize("command", ["soak --games 5000 --processes 2", "lab 5 --games 500 --processes 2"])
def test_who_is_told_to_end_ends_the_processes_that_play_for_it(command: str, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "pbem", *command.split()], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as begun:  # fmt: skip
        children = Path(f"/proc/{begun.pid}/task/{begun.pid}/children")
        workers: list[str] = []
        while len(workers) < 2 and begun.poll() is None:
            workers = children.read_text(encoding="ascii").split()
            time.sleep(0.1)
        assert len(workers) >= 2, "games are being played"
        begun.terminate()
        _, said = begun.communicate()
    assert begun.returncode == -signal.SIGTERM and b"Traceback" not in said
    while any(_lives(number) for number in workers):  # a test that hangs here has found that somebody stays
        time.sleep(0.1)


def _lives(number: str) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
