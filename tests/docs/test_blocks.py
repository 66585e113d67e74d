"""Every shell block of the guides works as it is printed, by a real shell; or it is said here why it cannot be run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ("hosting.md", "play-by-mail.md", "umpire.md")
CANNOT = {
    "pip install keyring": "needs the network and somebody who types a password",
    "pbem mail accept club": "names a letter of the umpire's own mail; tests/post/test_accept.py pastes such a line",
    "pbem export duel01": "needs a module of VASSAL that is not ours; tests/vassal does it with our own",
}
ENERGY = "GAME duel01  TURN 1  SIDE {side}  REPLY 1\nSHIP {ship}\nENERGY\n  SPEED 9\n  PHASERS 2\nEND\n"
SHIPS = {"ann": ("federation", "Constellation"), "bob": ("klingon", "Destruction")}


def blocks(name: str) -> list[str]:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    return re.findall(r"^```sh\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", GUIDES)
def test_a_block_of_commands_is_marked_as_one(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    unmarked = re.findall(r"^```\n((?:pbem|pip|keyring) .*)$", text, flags=re.MULTILINE)
    assert not unmarked
    for line in "\n".join(blocks(name)).split("\n"):
        assert not re.search(r"\S {2,}[^#\s]", line), f"a remark without #: {line}"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the blocks are for a POSIX shell")
@pytest.mark.parametrize("name", GUIDES)
def test_every_shell_block_works_as_printed(name: str, tmp_path: Path) -> None:
    shim = tmp_path / "bin" / "pbem"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pbem "$@"\n', encoding="utf-8")
    shim.chmod(0o755)
    path = f"{shim.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(tmp_path / "state")}
    work = tmp_path / "work"
    work.mkdir()
    for who, (side, ship) in SHIPS.items():
        (work / f"{who}.txt").write_text(ENERGY.format(side=side, ship=ship), encoding="utf-8")
    if name == "umpire.md":
        shutil.copytree(ROOT / "turns" / "duel01", work / "duel01")
        kor = (ROOT / "turns" / "duel01" / "02" / "orders" / "klingon.r2.orders").read_text(encoding="utf-8")
        (work / "kor.txt").write_text(kor, encoding="utf-8")
    for block in blocks(name):
        if any(block.startswith(first) for first in CANNOT):
            continue
        # What runs until it is stopped is run for a round.
        text = re.sub(r"^(pbem host club) +(#.*)?$", r"\1 --once", block, flags=re.MULTILINE)
        done = subprocess.run(
            ["sh", "-e", "-c", text], cwd=work, env=environment, capture_output=True, text=True, encoding="utf-8",
            timeout=180,
        )  # fmt: skip
        settings = work / "club" / "host.toml"
        if settings.is_file():  # "fill it in"
            text = settings.read_text(encoding="utf-8").replace("@example.org", "@club.example")
            settings.write_text(text, encoding="utf-8")
        assert done.returncode == 0, f"{text}\n{done.stdout[-2000:]}{done.stderr}"
