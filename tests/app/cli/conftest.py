"""The ``pbem`` command, in this process and as one of its own, and a duel to use it on."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from pbem.app.cli import command
from tests.conftest import shared_by_all

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """As a user's: compiled once for all processes of a run, whatever the machine that tests is told, but not into the
    checkout.
    """
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    cache = sys.pycache_prefix or str(shared_by_all(tmp_path_factory) / "pycache")
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
def process(start: Callable[..., subprocess.Popen[str]]) -> Run:
    """Run ``pbem …`` in the test's folder as a process of its own. Whatever happens, there is no traceback."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        with start(*arguments) as begun:
            out, err = begun.communicate(timeout=120)
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(begun.args, begun.returncode, out, err)

    return run


@pytest.fixture
def pbem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``pbem …`` in the test's folder, from the door on (``pbem.app.cli.command``) but in this process: what takes
    long is to start one. An exception that would be a traceback fails the test.
    """
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        typed = ["pbem", *map(str, arguments)]
        monkeypatch.setattr(sys, "argv", typed)
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        code: object = 0
        with redirect_stdout(out), redirect_stderr(err):
            try:
                command()
            except SystemExit as ended:
                code = ended.code
        for stream in (out, err):
            stream.flush()
        said = [stream.buffer.getvalue().decode("utf-8") for stream in (out, err)]
        return subprocess.CompletedProcess(typed, 0 if code is None else int(str(code)), *said)

    return run


@pytest.fixture(scope="session")
def new_duel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new duel with one mail a turn, made once and copied by whoever plays it."""
    from pbem.games.create import new

    folder = tmp_path_factory.mktemp("new") / "duel"
    new(
        "5", folder, players={"federation": "ann@example.org", "klingon": "bob@example.org"},
        options={"reveal": "none", "autobreaks": "none"}, seed="cli tests",
    )  # fmt: skip
    return folder


@pytest.fixture
def duel(tmp_path: Path, new_duel: Path) -> Path:
    """A new duel with one mail a turn; lies in the folder ``pbem`` is run in."""
    return Path(shutil.copytree(new_duel, tmp_path / "duel"))


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
