"""The mistakes that are put in: each kind where it belongs, and in the function where it stands."""

from __future__ import annotations

import ast
import gc
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.mutants import inside, run
from tests.mutants.mistakes import drawn, in_data, in_source
from tests.mutants.run import ROOMS, ROOT, equivalent, files_of, room_of, standing

SOURCE = """\
from math import ceil

LIMIT = 3


class Rack:
    def left(self, used: int = 0, *, all_: bool = True) -> int:
        if used < LIMIT and not all_:
            return LIMIT - used
        return sorted([ceil(used / 2), 7], reverse=True)[0]


def some(found: list[int]) -> bool:
    \"\"\"Whether any is there.\"\"\"
    found.append(1)
    return any(each > 0 for each in found)
"""


def test_each_kind_is_made_where_it_belongs(tmp_path: Path) -> None:
    file = tmp_path / "rack.py"
    file.write_text(SOURCE, encoding="utf-8")
    made = {(one.line, one.kind, one.text) for one in in_source(file, "rack.py")}
    assert {
        (3, "number", "4"),
        (7, "yes-no", "False"),
        (8, "bound", "(used) <= (LIMIT)"),
        (8, "and-or", "((used < LIMIT) or (not all_))"),
        (8, "part dropped", "((used < LIMIT))"),
        (8, "not dropped", "(all_)"),
        (8, "never", "False"),
        (9, "plus-minus", "((LIMIT) + (used))"),
        (9, "early end", "pass"),
        (10, "opposite", "floor"),
        (10, "sorting", "list([ceil(used / 2), 7])"),
        (10, "keyword left out", "sorted([ceil(used / 2), 7])"),
        (10, "first-last", "-1"),
        (15, "call dropped", "pass"),
        (16, "opposite", "all"),
        (16, "bound", "(each) >= (0)"),
    } <= made
    for one in in_source(file, "rack.py"):
        ast.parse(one.applied(SOURCE))


def test_what_changes_no_answer_is_no_mistake(tmp_path: Path) -> None:
    """How many answers are remembered, how long a name nobody reads is, a default that is said aloud."""
    file = tmp_path / "rack.py"
    file.write_text(
        "@lru_cache(maxsize=16)\ndef paired(one, other):\n"
        "    return zip(one, other, strict=False), token_hex(4), list(zip(one, [2], strict=True))\n",
        encoding="utf-8",
    )
    assert {(one.kind, one.text) for one in in_source(file, "rack.py")} == {
        ("number", "1"),
        ("number", "3"),
        ("yes-no", "False"),
        ("keyword left out", "zip(one, [2])"),
        ("early end", "pass"),
    }


def test_a_mistake_is_made_in_the_function_it_stands_in(tmp_path: Path) -> None:
    file = tmp_path / "rack.py"
    file.write_text(SOURCE, encoding="utf-8")
    stands = {(one.line, one.kind): inside.function_of(one, SOURCE) for one in in_source(file, "rack.py")}
    assert stands[3, "number"] is None and stands[7, "yes-no"] is None
    assert stands[8, "bound"] == stands[10, "first-last"] == ("Rack.left", 7)
    assert stands[16, "opposite"] == ("some", 13)
    (bound,) = [one for one in in_source(file, "rack.py") if (one.line, one.kind) == (16, "bound")]
    code = inside.changed(bound, SOURCE, file, ("some", 13))
    space: dict[str, object] = {}
    exec(compile(SOURCE, str(file), "exec"), space)
    some: Any = space["some"]
    assert some([-1, 0])
    assert code.co_qualname == "some" and code != some.__code__


def test_what_is_called_while_a_module_is_read_needs_a_process_of_its_own(tmp_path: Path) -> None:
    source = (
        "def made():\n    return deeper() + 1\n\n\ndef deeper():\n    return 2\n\n\n"
        "def later():\n    return made() - 3\n\n\nclass Table:\n    rows = made()\n"
    )
    file = tmp_path / "tables.py"
    file.write_text(source, encoding="utf-8")
    places = {one.line: inside.function_of(one, source) for one in in_source(file, "tables.py")}
    assert places == {2: None, 6: None, 10: ("later", 9)}


def test_a_seed_draws_the_same_mistakes_and_no_two_in_a_line() -> None:
    path = ROOT / "pbem" / "rules" / "internal_damage.py"
    found = in_source(path, "pbem/rules/internal_damage.py")
    once, again = (drawn(found, 20, random.Random("7"), ROOT) for _ in range(2))
    assert once == again != drawn(found, 20, random.Random("8"), ROOT)
    assert len({one.line for one in once}) == 20


def test_figures_are_changed_by_one_and_words_never(tmp_path: Path) -> None:
    file = tmp_path / "chart.toml"
    file.write_text('title = "3 rows"\nrows = [0, 12]  # 5\nname = "DRONE 1"\n', encoding="utf-8")
    assert [(one.was, one.text) for one in in_data(file, "chart.toml")] == [("0", "1"), ("12", "13"), ("12", "11")]


def test_every_module_of_the_rooms_is_in_one_of_them() -> None:
    for room in ROOMS:
        assert files_of(room)
        assert {room_of(path.relative_to(ROOT).as_posix()) for path in files_of(room)} == {room}


def test_what_is_said_to_change_nothing_has_a_reason_and_is_one_mistake_that_can_be_made() -> None:
    assert not [name for name, why in equivalent().items() if len(why) <= 20]
    gone = sorted(equivalent().keys() - standing())
    assert not gone, "`python -m tests.refresh --only lists` takes out what is gone"


def test_what_is_gone_is_taken_out_and_what_moved_is_named_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, rack = tmp_path / "equivalent.txt", tmp_path / "rack.py"
    rack.write_text(SOURCE, encoding="utf-8")
    stays, moved = in_source(rack, "rack.py")[:2]
    was = moved.lasting().replace("rack.py: ", "old.py: Once.", 1)
    told = (
        "# head\n",
        f"{stays.lasting()} | nobody asks\n",
        f"{was} | nor here\n",
        "old.py: f: x: y | it was here once\n",
    )
    file.write_text("".join(told), encoding="utf-8")
    monkeypatch.setattr(run, "EQUIVALENT", file)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "ROOMS", ("all",))
    monkeypatch.setattr(run, "files_of", lambda room: [rack])
    run.drop_stale()
    assert file.read_text(encoding="utf-8") == "".join((*told[:2], f"{moved.lasting()} | nor here\n"))


def test_the_name_of_a_mistake_holds_no_other_one(tmp_path: Path) -> None:
    """What is excused in one place must be found out in the next, and be known after lines were put before it."""
    file = tmp_path / "rack.py"
    file.write_text(SOURCE, encoding="utf-8")
    names = [one.lasting() for one in in_source(file, "rack.py")]
    assert len(set(names)) == len(names)
    assert (
        "rack.py: Rack.left: first-last: '0' -> '-1' in 'return sorted([ceil(used / 2), 7], reverse=True)[¦0]'" in names
    )
    file.write_text(f"import re\n\n\n{SOURCE}", encoding="utf-8")
    assert [one.lasting() for one in in_source(file, "rack.py")] == names


def test_figures_are_named_by_their_tables_and_keys(tmp_path: Path) -> None:
    file = tmp_path / "chart.toml"
    file.write_text("one = 1\n\n[[beams.rows]]\nhits = [\n    4,\n]\nlast = 0\n", encoding="utf-8")
    assert [one.where for one in in_data(file, "chart.toml")] == [
        *("one", "one"),
        *("beams.rows.hits", "beams.rows.hits"),
        "beams.rows.last",
    ]


def test_what_is_reached_is_known_by_the_text_of_its_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs, the file changed between them and once more since: each run's lines by its own text, and of a test that
    was watched twice only the second run.
    """
    coverage = pytest.importorskip("coverage")
    monkeypatch.setattr(run, "KEEP", tmp_path)
    monkeypatch.setattr(run, "ROOT", tmp_path)
    (tmp_path / "pbem").mkdir()
    path = tmp_path / "pbem" / "rack.py"
    for number, text, reached in (
        (0, "a\nb\nc\n", {"tests/old.py::one": [1, 3], "tests/both.py::two": [2]}),
        (1, "new\na\nb\nc\n", {"tests/both.py::two": [4]}),
    ):
        path.write_text(text, encoding="utf-8")
        folder = tmp_path / "reach" / f"{number:03}"
        folder.mkdir(parents=True)
        told = {"root": str(tmp_path), "texts": {"pbem/rack.py": text}}
        (folder / "sources.json").write_text(json.dumps(told), encoding="utf-8")
        (folder / "1.times.json").write_text(json.dumps(dict.fromkeys(reached, 0.1)), encoding="utf-8")
        data = coverage.CoverageData(basename=str(folder / "1.cover"))
        for test, lines in reached.items():
            data.set_context(test)
            data.add_lines({str(path): lines})
        data.write()
        data.close()
    path.write_text("new\na\nchanged\nc\n", encoding="utf-8")
    found = run.Reach({"pbem/rack.py"}).lines["pbem/rack.py"]
    assert {line: tests for line, tests in found.items() if tests} == {
        2: {"tests/old.py::one"},
        4: {"tests/old.py::one", "tests/both.py::two"},
    }


def test_functions_are_found_though_what_was_there_after_collecting_is_frozen() -> None:
    """tests/conftest.py takes what the tests begin with out of sight of the look for garbage."""
    name = "pbem/rules/internal_damage.py"
    source = (ROOT / name).read_text(encoding="utf-8")
    mistake, place = next(
        (one, place) for one in in_source(ROOT / name, name) if (place := inside.function_of(one, source))
    )
    gc.freeze()
    tries = inside.Tries(ROOT, [inside.Task(mistake, (), 1)], 1, lambda task, found: None)
    assert tries._live()[str(ROOT / name), place]
