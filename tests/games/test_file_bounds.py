"""Files and folders at their bounds: for whom they are, how long a name, how large, what the system refuses."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbem.errors import GameError
from pbem.games.answers import _header_places
from pbem.games.storage.files import (
    cannot,
    decode_orders,
    in_the_log,
    is_device,
    is_held,
    make_folder,
    read_bytes,
    read_order_file,
    remove,
    write_bytes,
)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_files_and_folders_are_for_whom_they_are_for(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_bytes(tmp_path / "a/b/open", b"x")
        write_bytes(tmp_path / "s/t/secret", b"x", private=True)
        make_folder(tmp_path / "u/v")
        (tmp_path / "s/t/secret").chmod(0o644)
        write_bytes(tmp_path / "s/t/secret", b"y", private=True)
    finally:
        os.umask(before)
    modes = {p.relative_to(tmp_path).as_posix(): stat.S_IMODE(p.stat().st_mode) for p in tmp_path.rglob("*")}
    assert modes == {
        "a": 0o755, "a/b": 0o755, "a/b/open": 0o644, "s": 0o700, "s/t": 0o700, "s/t/secret": 0o600, "u": 0o755,
        "u/v": 0o755,
    }  # fmt: skip


def test_the_longest_name_of_a_file_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    write_bytes(path, b"1")
    write_bytes(path, b"2")
    assert read_bytes(path) == b"2" and [p.name for p in tmp_path.iterdir()] == [path.name]
    remove(path)
    remove(path)
    assert not list(tmp_path.iterdir())


def test_what_the_system_refuses_in_plain_words(tmp_path: Path) -> None:
    file = tmp_path / "f"
    found = [
        (fault.code, fault.text.partition(":")[0].partition(",")[0].partition(". Give your account")[0], fault.file)
        for do, path, error in (
            ("read", file, FileNotFoundError(2, "x")), ("write", file, IsADirectoryError(21, "x")),
            ("read", tmp_path, PermissionError(13, "x")), ("write", tmp_path, PermissionError(13, "x")),
            ("read", file, PermissionError(13, "x")), ("read", file, OSError(5, "broken")),
            ("write", file, OSError("full")),
        )
        for fault in cannot(do, path, error).faults
    ]  # fmt: skip
    if os.name != "nt":
        assert found == [
            ("no-such-file", "there is no such file or folder", str(file)),
            ("is-a-folder", "name a file here; this is a folder", str(file)),
            ("is-a-folder", "name a file here; this is a folder", str(tmp_path)),
            ("no-permission", "there is no permission to write this; it is as it was", str(tmp_path)),
            ("no-permission", "there is no permission to read this; it is as it was", str(file)),
            ("unreadable", "cannot read this", str(file)), ("unwritable", "cannot write this", str(file)),
        ]  # fmt: skip


def test_an_order_file_of_so_many_bytes_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.games.storage.files.LARGEST_ORDER_FILE", 10)
    file = tmp_path / "f.orders"
    file.write_bytes(b"a\r\nb\rc\n678")
    assert read_order_file(file) == "a\nb\nc\n678"
    file.write_bytes(b"x" * 12)
    for path, name, code, said in (
        (file, "my name", "file-too-long", "the file has 12 bytes; the most is 10"),
        (tmp_path, "", "is-a-folder", "name a file here; this is a folder"),
        (tmp_path / "x", "", "no-such-file", "there is no such file"),
    ):
        with pytest.raises(GameError, match=said) as wrong:
            read_order_file(path, name)
        assert [(fault.code, fault.file) for fault in wrong.value.faults] == [(code, name or str(path))]
    with pytest.raises(GameError, match="not-text"):
        decode_orders(b"GAME\0\0\0", "x")
    names = ("con", "NUL.txt", "com1", "lpt9.a.b", "com", "console", "com10", "a.con")
    assert [name for name in names if is_device(name)] == ["con", "NUL.txt", "com1", "lpt9.a.b"]


@pytest.mark.parametrize("system", ["nt", "posix"])
def test_only_a_refusal_that_windows_gives_may_pass(monkeypatch: pytest.MonkeyPatch, system: str) -> None:
    other, told = FileNotFoundError(2, "gone"), PermissionError(13, "held")
    told.winerror = other.winerror = 32  # type: ignore[attr-defined, unused-ignore]
    found = [is_held(told), is_held(other)]
    monkeypatch.setattr("pbem.games.storage.files.os", SimpleNamespace(name=system))
    found += [is_held(PermissionError(13, "held")), is_held(FileNotFoundError(2, "gone"))]
    assert found == [True, False, system == "nt", False]


def test_what_stands_below_the_first_block_is_no_header() -> None:
    text = "Hello\n\nGAME duel TURN 1\nSIDE klingon\n\nSHIP Destruction\nREPLY 2\nGAME other\n"
    assert _header_places(text) == {"GAME": (3, 1), "TURN": (3, 11), "SIDE": (4, 1)}
    assert _header_places("GAME duel\nCONTINUE\nREPLY 2\n") == {"GAME": (1, 1)}


def test_what_follows_the_log_and_cannot_be_written_is_told_with_its_place(tmp_path: Path) -> None:
    full = cannot("write", tmp_path / "x", OSError(28, "no room"))
    with pytest.raises(GameError) as error, in_the_log(tmp_path):
        raise full
    first, late = error.value.faults
    assert first == full.faults[0] and (late.code, late.file) == ("reports-late", str(tmp_path))
    assert "is done and in the log" in late.text
    for other in (error.value, GameError.saying("no-such-game", "x")):
        with pytest.raises(GameError) as same, in_the_log(tmp_path / "again"):
            raise other
        assert same.value is other
