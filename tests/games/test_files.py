"""What lies in a game's folder is for whom it is for, from the moment it is there."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.storage import files
from pbem.games.storage.files import sweep, unsynced, write_all, write_bytes
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import Receipt
from pbem.games.umpire.undo import undo

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")


@pytest.fixture(params=[0o022, 0o002, 0o077, 0o000])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.parametrize("bad", [(), (0,), (2,), (1, 3)])
def test_where_files_are_waited_for_in_threads_a_disk_that_refuses_is_told(
    monkeypatch: pytest.MonkeyPatch, bad: tuple[int, ...]
) -> None:
    asked: list[int] = []

    def sync(handle: int) -> None:
        asked.append(handle)
        if handle in bad:
            raise OSError(errno.EIO, f"file {handle}")

    monkeypatch.setattr(files, "sync", sync)
    with pytest.raises(OSError, match="|".join(f"file {n}" for n in bad)) if bad else nullcontext():
        files._sync_in_threads(range(4))
    assert sorted(asked) == [0, 1, 2, 3]
    files._sync_in_threads(())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("there", [False, True])
def test_a_new_game_obeys_the_umask_and_keeps_to_itself_what_is_secret(tmp_path: Path, umask: int, there: bool) -> None:
    folder = tmp_path / "duel"
    if there:
        folder.mkdir()
    new("5", folder, players={"federation": "ann", "klingon": "bob"}, seed="modes")
    assert mode(folder) == 0o777 & ~umask
    for path in folder.rglob("*"):
        assert mode(path) == (0o700 if path.is_dir() else 0o600), path.relative_to(folder)


def test_orders_and_letters_are_nobody_else_s(at_break: GameFolder, send: Callable[..., Receipt], duel: Path) -> None:
    undo(at_break, reason="we begin anew")
    send("klingon")
    for path in duel.rglob("*"):
        assert mode(path) & 0o077 == 0, path.relative_to(duel)


def test_nobody_can_read_a_private_file_while_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the temporary file before it has its name."""
    seen: list[int] = []
    real = os.fsync

    def look(fd: int) -> None:
        if not stat.S_ISDIR(os.fstat(fd).st_mode):
            seen.extend(mode(path) for path in (tmp_path / "orders").iterdir())
        real(fd)

    monkeypatch.setattr(os, "fsync", look)
    write_bytes(tmp_path / "orders" / "a.orders", b"FIRE", private=True)
    assert seen == [0o600] and mode(tmp_path / "orders") == 0o700


def test_of_several_files_none_is_there_before_all_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = {tmp_path / "report" / f"{n}.txt": f"part {n}".encode() for n in range(12)}
    synced: list[int] = []

    def look(fd: int) -> None:
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            return
        assert not any(path.exists() for path in wanted)
        synced.append(os.fstat(fd).st_size)

    monkeypatch.setattr(os, "fsync", look)
    write_all(wanted)
    assert sorted(synced) == sorted(map(len, wanted.values()))
    assert {path: path.read_bytes() for path in (tmp_path / "report").iterdir()} == wanted


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_the_names_of_files_come_to_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder is synced once its files have their names, and so is the one in which a new folder is made. Where a file
    system cannot do that, the files are written all the same.
    """
    synced: list[tuple[str, list[str]]] = []

    def look(fd: int) -> None:
        folder = Path(f"/proc/self/fd/{fd}").readlink() if sys.platform == "linux" else None
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            names = sorted(path.name for path in folder.iterdir()) if folder is not None else []
            synced.append((folder.name if folder is not None else "", names))
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "fsync", look)
    write_all({tmp_path / "report" / name: b"x" for name in ("a.txt", "b.txt")})
    wanted = [(tmp_path.name, ["report"]), ("report", ["a.txt", "b.txt"])]
    assert len(synced) == 2 and (sys.platform != "linux" or synced == wanted)
    assert len(list((tmp_path / "report").iterdir())) == 2
    with unsynced():
        write_bytes(tmp_path / "c.txt", b"x")
    assert len(synced) == 2


def test_where_one_of_several_cannot_come_to_the_disk_all_are_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_bytes(b"before")

    def refuse(fd: int) -> None:
        if os.fstat(fd).st_size == len(b"much longer"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(GameError, match="No space"):
        write_all({old: b"after", new: b"much longer"})
    assert list(tmp_path.iterdir()) == [old] and old.read_bytes() == b"before"


def test_what_a_command_that_was_killed_left_behind_goes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every depth: what had been written by then, and not put in its place."""
    depths = (tmp_path, tmp_path / "01", tmp_path / "01" / "r2" / "umpire")
    stay = {folder / name for folder in depths for name in (".tmp", "a.tmp", ".a", ".tmp.a", "sitrep.txt")}
    stay -= {folder / ".tmp" for folder in depths}

    def die(path: Path, _: object) -> None:
        raise KeyboardInterrupt(str(path))

    for folder in depths:
        folder.mkdir(parents=True, exist_ok=True)
    for path in stay:
        path.write_bytes(b"whole")
    with monkeypatch.context() as killed:
        killed.setattr(Path, "unlink", lambda *_, **__: None)
        killed.setattr(Path, "replace", die)
        for folder in depths:
            with pytest.raises(KeyboardInterrupt):
                write_bytes(folder / "sitrep.txt", b"half of the")
    found = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert len(found - stay) == len(depths)
    sweep(tmp_path)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == stay


def test_a_long_name_has_room_for_its_temporary_one(tmp_path: Path) -> None:
    write_bytes(tmp_path / ("x" * 250), b"here")
    assert (tmp_path / ("x" * 250)).read_bytes() == b"here"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    came: list[bytes] = []
    reader = threading.Thread(target=lambda: came.append(pipe.read_bytes()))
    reader.start()
    write_bytes(pipe, b"a report")
    reader.join(10)
    assert came == [b"a report"] and pipe.is_fifo()


def test_a_terminal_is_written_to_and_no_file_put_in_its_place() -> None:
    pty = pytest.importorskip("pty", reason="the system has no such terminals")
    ours, theirs = pty.openpty()
    try:
        write_bytes(Path(os.ttyname(theirs)), b"a report")
        assert os.read(ours, 100) == b"a report"
    finally:
        os.close(ours)
        os.close(theirs)
