"""Texts that are kept packed are compared and shown as texts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests import kept

ROOT = Path(__file__).resolve().parents[1]


def test_a_text_comes_back_and_only_another_one_is_written(tmp_path: Path) -> None:
    file = tmp_path / f"a{kept.ENDING}"
    assert kept.text_in(file) == "" and kept.difference(file, "") == ""
    kept.keep(file, "ä\none\ntwo\n")
    assert kept.text_in(file) == "ä\none\ntwo\n" and kept.difference(file, "ä\none\ntwo\n") == ""
    packed = file.read_bytes()
    file.write_bytes(packed[:4] + b"\1\1\1\1" + packed[8:])  # packed at another time
    kept.keep(file, "ä\none\ntwo\n")
    assert file.read_bytes() != packed
    kept.keep(file, "ä\none\n")
    assert kept.text_in(file) == "ä\none\n"


def test_a_difference_is_shown_line_by_line(tmp_path: Path) -> None:
    file = tmp_path / f"a{kept.ENDING}"
    kept.keep(file, "".join(f"{line}\n" for line in range(1000)))
    found = kept.difference(file, "".join(f"{line + (line == 500)}\n" for line in range(1000))).split("\n")
    assert found[3:] == [" 498", " 499", "-500", "+501", " 501", " 502"]
    assert kept.difference(file, "none\n").endswith(" lines more")
    kept.keep(file, "one\n")
    assert kept.difference(file, "one")


def test_a_packed_text_is_printed() -> None:
    file = min((ROOT / "tests/reports/kept").iterdir())
    found = subprocess.run([sys.executable, "-m", "tests.kept", str(file)], cwd=ROOT, capture_output=True, check=True)
    assert found.stdout.decode("utf-8") == kept.text_in(file)
