"""A system with an order of its own is one folder and one line (:mod:`pbem.chapters`).

The test's stands in ``flares`` beside this file. It is read, told back, refused, drafted, offered, played, asked by a
condition, told, replayed and verified by ``flares_at_play.py``, in a process of its own: what can happen in a game is
gathered as the program starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_system_is_one_folder_and_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.turn.flares_at_play", str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", errors="replace")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
