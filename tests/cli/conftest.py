"""The ``pbem`` command as a process of its own, and a duel to use it on."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """As a user's: compiled once, whatever the machine that tests is told, but not into the checkout."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    cache = str(tmp_path_factory.mktemp("pycache"))
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "random", "PYTHONPYCACHEPREFIX": cache}


@pytest.fixture
def start(tmp_path: Path, environment: dict[str, str]) -> Callable[..., subprocess.Popen[str]]:
    """Start ``pbem …`` without waiting for it."""

    def begin(*arguments: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "pbem", *map(str, arguments)],
            cwd=tmp_path, env=environment, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return begin


@pytest.fixture
def pbem(start: Callable[..., subprocess.Popen[str]]) -> Run:
    """Run ``pbem …`` in the test's folder. Whatever happens, there is no traceback."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        with start(*arguments) as process:
            out, err = process.communicate(timeout=120)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    return run


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    """A new duel with one mail a turn; lies in the folder ``pbem`` is run in."""
    from pbem.desk.create import new

    folder = tmp_path / "duel"
    new(
        "5", folder, players={"federation": "ann@example.org", "klingon": "bob@example.org"},
        options={"reveal": "none", "autobreaks": "none"}, seed="cli tests",
    )  # fmt: skip
    return folder


@pytest.fixture
def answers(tmp_path: Path) -> list[str]:
    """Both sides' orders for the first turn of the duel."""
    files = {
        "ann.txt": "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 3\n"
        "PLOT TOWARD Destruction\nDO\n  IF RANGE Destruction <= 4 THEN FIRE ALL PH AT Destruction\nEND\n",
        "bob.txt": "GAME duel TURN 1 SIDE klingon REPLY 1\nSHIP Destruction\nENERGY\n  SPEED 14\n  DISR A 2; DISR B 2\n"
        "PLOT TOWARD Constellation\nDO\n  IF RANGE Constellation <= 4 THEN FIRE ALL AT Constellation\nEND\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    return sorted(files)


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, bytes]]:
    """Every file of a folder, without the lock."""

    def take(folder: Path) -> dict[str, bytes]:
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".lock"
        }

    return take
