"""A process that ends with its command: nothing is lost that it wrote, or that had to be done at its end."""

from __future__ import annotations

import subprocess
import sys
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
