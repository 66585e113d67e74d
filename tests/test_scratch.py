"""Folders of tests in memory: only where there is room, and nothing stays there but what is to be looked at."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import scratch


def told(folder: Path, kilobytes: int) -> Path:
    """What a system says of its memory."""
    file = folder / "meminfo"
    file.write_text(f"MemTotal: 99999999 kB\nMemAvailable: {kilobytes} kB\n", encoding="ascii")
    return file


def room_in(place: Path, monkeypatch: pytest.MonkeyPatch, *, wanted: int = 0) -> None:
    """Any folder is one with room for them."""
    monkeypatch.setenv("TMPDIR", "")  # so that it is put back, whatever it was
    monkeypatch.delenv("TMPDIR")
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    monkeypatch.setattr(scratch, "WANTED", wanted)
    monkeypatch.setattr(scratch, "has_room", lambda place: place.is_dir())


needs_memory = pytest.mark.skipif(not Path("/proc/meminfo").is_file(), reason="Linux alone says what memory it has")


@needs_memory
def test_they_are_in_memory_where_it_and_the_folder_have_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "WANTED", 4 << 20)
    assert scratch.has_room(tmp_path, memory=told(tmp_path, 4096))
    assert not scratch.has_room(tmp_path, memory=told(tmp_path, 4095))
    assert not scratch.has_room(tmp_path, memory=tmp_path / "nothing")
    assert not scratch.has_room(tmp_path / "nothing", memory=told(tmp_path, 4096))
    monkeypatch.setattr(scratch, "WANTED", 1 << 60)
    assert not scratch.has_room(tmp_path, memory=told(tmp_path, 1 << 60))


def test_all_folders_of_a_run_are_in_one_that_goes_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room_in(tmp_path, monkeypatch)
    folder = scratch.in_memory(tmp_path)
    assert folder is not None and folder.parent == tmp_path
    monkeypatch.setattr(tempfile, "tempdir", None)
    inside = Path(tempfile.mkdtemp())
    assert inside.parent == folder == Path(os.environ["TMPDIR"])
    scratch.done(folder, passed=False)
    assert inside.is_dir()
    scratch.done(folder, passed=True)
    assert not folder.exists()


def test_who_says_where_has_them_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room_in(tmp_path, monkeypatch)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert scratch.in_memory(tmp_path) is None and not list(tmp_path.iterdir())
    monkeypatch.delenv("TMPDIR")
    assert scratch.in_memory(tmp_path / "nothing") is None and "TMPDIR" not in os.environ


@pytest.mark.skipif(os.name == "nt", reason="no folder in memory there")
def test_what_a_run_left_goes_when_its_process_is_gone(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-S", "-c", ""])
    gone.wait()
    left, at_work, other = (tmp_path / f"{scratch.NAMED}{name}" for name in (gone.pid, os.getpid(), "mine"))
    for folder in (left, at_work, other):
        (folder / "sub").mkdir(parents=True)
    scratch.swept(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([at_work, other])
