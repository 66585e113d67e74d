"""The hook with which commands are cut off: it sees every operation, and stops at the one it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.storage.files import write_bytes
from tests.cuts import REFUSED, cut_at, operations


def test_each_operation_is_seen_and_can_be_the_last(tmp_path: Path) -> None:
    def work() -> None:
        write_bytes(tmp_path / "game" / "a.txt", b"whole")

    done = operations(work, under=tmp_path / "game")
    assert [line.partition(" ")[0] for line in done][-3:] == ["fsync", "replace", "fsync"]
    assert done[-2].endswith(" a.txt") and done[-1] == "fsync ", "the folder itself"
    (tmp_path / "game" / "a.txt").write_bytes(b"old")
    count = len(operations(work, under=tmp_path / "game"))
    for n in range(count):
        (tmp_path / "game" / "a.txt").write_bytes(b"old")
        with cut_at(n, under=tmp_path) as cut:
            work()
        assert cut.fell and len(cut.done) == n
        assert (tmp_path / "game" / "a.txt").read_bytes() == (b"whole" if n == count - 1 else b"old")
    with cut_at(count, under=tmp_path) as cut:
        work()
    assert not cut.fell and (tmp_path / "game" / "a.txt").read_bytes() == b"whole"


def test_a_kill_lets_nobody_tidy_up_and_a_refusal_does(tmp_path: Path) -> None:
    with cut_at(1, under=tmp_path):
        write_bytes(tmp_path / "a.txt", b"whole")
    assert len(list(tmp_path.iterdir())) == 1, "the temporary file stays"
    next(tmp_path.iterdir()).unlink()
    with pytest.raises(GameError, match="No space"), cut_at(1, under=tmp_path, how=REFUSED):
        write_bytes(tmp_path / "a.txt", b"whole")
    assert not list(tmp_path.iterdir())
