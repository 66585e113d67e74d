"""What makes kept texts anew knows what hangs on what, and says in words what changed."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests import kept, refresh
from tests.golden import held

ROOT = Path(__file__).resolve().parent.parent


def test_every_part_has_its_sources() -> None:
    for name, part in refresh.PARTS.items():
        for command in part.commands:
            if isinstance(command, str):
                module = command.startswith("-m ")
                script = ROOT / (command.split()[1].replace(".", "/") if module else command.split()[0])
                found = (script.with_suffix(".py"), script / "__main__.py") if module else (script,)
                assert any(path.is_file() for path in found), name
        assert [path for path in part.beside if not (ROOT / path).exists()] == [], name
        assert part.of in refresh.ROW


def test_every_package_stands_in_the_row() -> None:
    there = {path.parent.name for path in (ROOT / "pbem").glob("*/__init__.py")}
    assert there <= set(refresh.ROW)


@pytest.mark.parametrize(
    ("file", "some", "none"),
    [
        (
            "pbem/reports/text/sitrep.py",
            {"games", "wide", "scenes", "stories", "mails"},
            {"engine", "choices", "perft"},
        ),
        ("pbem/engine/check.py", {"games", "wide", "engine", "choices", "cases"}, {"perft", "orders", "readings"}),
        ("pbem/mail/replies/answer.py", {"stories", "mails", "refusals"}, {"games", "wide", "scenes", "engine"}),
        ("pbem/util.py", set(refresh.PARTS) - {"pages"}, set()),
        ("docs/dice.md", {"pages"}, {"games", "engine"}),
        ("README.md", set(), set(refresh.PARTS)),
    ],
)
def test_a_file_touches_what_is_made_of_it(file: str, some: set[str], none: set[str]) -> None:
    found = set(refresh.touched_by([file]))
    assert some <= found and not none & found


def test_it_says_what_changed() -> None:
    was = f"{kept.HEAD}one\na\n{kept.HEAD}two\nb\n"
    now = was.replace("b\n", "c\nd\n")
    before = {"tests/x.txt.gz": gzip.compress(was.encode()), "tests/gone.txt": b"", "tests/same.txt": b"s\n"}
    after = {"tests/x.txt.gz": gzip.compress(now.encode()), "tests/new.txt": b"1\n2\n", "tests/same.txt": b"s\n"}
    before["tests/files.sha256"] = b"11  s01/01/r1/a/sitrep.txt\n22  s02/game.toml\n"
    after["tests/files.sha256"] = b"12  s01/01/r1/a/sitrep.txt\n22  s02/game.toml\n"
    before["tests/wide.txt"] = b"head\n\n[1-77-0]\n1 ann.sitrep=aa log=bb\n"
    after["tests/wide.txt"] = b"head\n\n[1-77-0]\n1 ann.sitrep=ab log=bb\n"
    assert refresh.told(before, after) == [
        "tests/files.sha256: 1 of 2 digests differ: 1 sitrep.txt", "  in s01", "tests/gone.txt: gone",
        "tests/new.txt: new, 2 lines", "tests/wide.txt: 1 of 2 digests differ: 1 sitrep", "  in 1-77-0",
        "tests/x.txt.gz: 2 lines added, 1 removed", "  in two",
    ]  # fmt: skip
    assert refresh.told(before, before) == []


def test_a_game_that_came_out_otherwise_is_told_by_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held, "FILE", tmp_path / "files.sha256")
    monkeypatch.setattr(held, "STORIES", tmp_path / "stories.txt.gz")
    was = held.Held({"01/r1/klingon/sitrep.txt": "aa", "game.toml": "bb"}, "one\ntwo\n")
    held.keep({"s01": was, "s02": was})
    assert held.differences("s01", was) == ""
    now = held.Held({"01/r1/klingon/sitrep.txt": "ab", "02/events.jsonl": "cc"}, "one\nthree\n")
    told = held.differences("s01", now)
    assert "3 files differ" in told and "  01/r1/klingon/sitrep.txt\n" in told
    assert "  02/events.jsonl (new)\n" in told and "  game.toml (gone)\n" in told and "-two\n+three" in told
    held.keep({"s01": now})
    assert held.differences("s01", now) == held.differences("s02", was) == ""
