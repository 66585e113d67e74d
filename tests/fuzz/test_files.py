"""A sample of mangled files of each kind: read, or refused with a sentence, in time; and what such files once found."""

from __future__ import annotations

import random
from pathlib import Path
from time import process_time

import pytest

from tests.fuzz.files import KINDS, MOST_SECONDS, Kind, mangled, run, tried


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_is_read_or_refused_in_time(kind: str, tmp_path: Path) -> None:
    found = run(kind, 200, 7, tmp_path)
    assert found.wrong == []


def busy() -> None:
    """Takes more CPU than a file may."""
    started = process_time()
    while process_time() - started < MOST_SECONDS + 0.1:
        pass


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    def read(data: bytes, folder: Path) -> None:
        int(data)

    kind = Kind(lambda: [b"1"], lambda: [b"2"], read)
    assert tried(kind, b"1", tmp_path)[0] == ""
    assert "ValueError" in tried(kind, b"x", tmp_path)[0]
    kind = kind._replace(read=lambda data, folder: None if data == b"1" else busy())
    assert tried(kind, b"2", tmp_path)[0].endswith("s of CPU")


def test_the_same_seed_makes_the_same_files() -> None:
    made = [[mangled([b"abc\ndef"], [b"x"], random.Random(seed)) for _ in range(20)] for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
