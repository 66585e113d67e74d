"""What was made once and kept is used by the program that made it alone, and is never needed."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbem.data import cache as keeping, files
from pbem.data.charts import races
from pbem.vassal_bridge import positions

ROOT = Path(__file__).resolve().parents[1]
SHIP = "pbem/data/ships/cadet/fed_cadet_ca.toml"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of three files."""
    place = tmp_path / "program"
    for name, text in (("pbem/__init__.py", "version = 1"), (SHIP, "hull = 4"), ("vassal/save.py", "")):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written just now count as old ones."""
    monkeypatch.setattr(keeping, "SETTLED_NS", -(10**10))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where things are kept, empty."""
    found = tmp_path / "kept" / "this program"
    monkeypatch.setattr(keeping, "_folder", lambda: found)
    return found


class Maker:
    """Makes a thing and counts how often it was asked to."""

    def __init__(self, thing: object = None) -> None:
        self.thing, self.asked = thing or {"a": [1, "ö"]}, 0

    def __call__(self) -> object:
        self.asked += 1
        return self.thing

    def kept(self) -> object:
        return keeping.cached("thing", self, lambda thing: json.dumps(thing).encode(), json.loads)


def bigger(place: Path) -> None:
    (place / SHIP).write_text("hull = 44", encoding="utf-8")


def same_size_and_time(place: Path) -> None:
    was = (place / SHIP).stat()
    (place / SHIP).write_text("hull = 5", encoding="utf-8")
    os.utime(place / SHIP, ns=(was.st_atime_ns, was.st_mtime_ns))


def another_version(place: Path) -> None:
    (place / "pbem/__init__.py").write_text("version = 2", encoding="utf-8")


def one_more(place: Path) -> None:
    (place / SHIP).with_name("another.toml").write_text("", encoding="utf-8")


def one_less(place: Path) -> None:
    (place / SHIP).unlink()


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("change", [bigger, same_size_and_time, another_version, one_more, one_less])
def test_a_program_of_other_files_has_another_mark(program: Path, change: Callable[[Path], None]) -> None:
    before = keeping.program_fingerprint(program)
    assert before and keeping.program_fingerprint(program) == before
    change(program)
    assert keeping.program_fingerprint(program) != before


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("change", [bigger, same_size_and_time, another_version, one_more, one_less])
def test_so_it_has_where_no_time_tells(
    program: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "TIMES_TELL", False)
    before = keeping.program_fingerprint(program)
    assert before and keeping.program_fingerprint(program) == before
    change(program)
    assert keeping.program_fingerprint(program) != before


def test_where_no_time_tells_data_are_read_and_sources_are_not(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    real = Path.read_bytes

    def noted(path: Path) -> bytes:
        read.append(path.suffix)
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    monkeypatch.setattr(keeping, "TIMES_TELL", False)
    keeping.program_fingerprint(program)
    assert ".toml" in read and ".py" not in read


@pytest.mark.usefixtures("settled")
def test_another_place_or_python_has_another_mark(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = keeping.program_fingerprint(program)
    shutil.copytree(program, program.with_name("copy"))
    assert keeping.program_fingerprint(program.with_name("copy")) != before
    monkeypatch.setattr("sys.version", "3.99")
    assert keeping.program_fingerprint(program) != before


@pytest.mark.skipif(os.name != "posix", reason="elsewhere files are read for it")
def test_a_program_that_changes_just_now_has_no_mark(program: Path) -> None:
    assert keeping.program_fingerprint(program) == ""


def test_a_place_without_a_program_has_no_mark(tmp_path: Path) -> None:
    assert keeping.program_fingerprint(tmp_path) == ""


def test_a_thing_is_made_once(folder: Path) -> None:
    maker = Maker()
    assert maker.kept() == maker.kept() == maker.thing
    assert maker.asked == 1
    assert [path.name for path in folder.iterdir()] == ["thing"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: b"",
        lambda whole: whole[:20],
        lambda whole: whole[:-1],
        lambda whole: whole[:-1] + b"\0",
        lambda whole: bytes(32) + whole[32:],
    ],
)
def test_a_damaged_file_is_made_anew(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    maker = Maker()
    maker.kept()
    whole = (folder / "thing").read_bytes()
    (folder / "thing").write_bytes(damage(whole))
    assert maker.kept() == maker.thing
    assert maker.asked == 2
    assert (folder / "thing").read_bytes() == whole


def test_what_cannot_be_read_any_more_is_made_anew(folder: Path) -> None:
    maker = Maker()
    keeping.cached("thing", maker, lambda _: b"no json", lambda body: maker.thing)
    assert (folder / "thing").is_file()
    assert maker.kept() == maker.thing
    assert maker.asked == 2


def test_what_does_not_come_back_as_it_was_is_not_kept(folder: Path) -> None:
    maker = Maker((1, 2))  # a tuple comes back as a list
    assert maker.kept() == maker.kept() == (1, 2)
    assert maker.asked == 2
    assert not folder.exists()


def test_where_nothing_can_be_written_everything_is_made(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_text("a file where the folder should be", encoding="utf-8")
    maker = Maker()
    assert maker.kept() == maker.kept() == maker.thing
    monkeypatch.setattr(keeping, "_folder", lambda: None)
    assert maker.kept() == maker.thing
    assert maker.asked == 3


def test_many_at_the_same_time_find_it_whole_or_not_at_all(folder: Path) -> None:
    thing = {"long": "x" * 200_000}
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: Maker(thing).kept(), range(40)))
    assert all(one == thing for one in found)
    assert [path.name for path in folder.iterdir()] == ["thing"], "and nothing half written is left"


@pytest.mark.usefixtures("settled")
def test_where_no_time_tells_a_file_changed_and_changed_back_leaves_nothing_wrong(
    program: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "TIMES_TELL", False)
    monkeypatch.setattr(keeping, "PROGRAM", program / "pbem")
    monkeypatch.setattr(keeping, "_marked", {})
    here = folder.with_name(keeping.program_fingerprint(program))
    monkeypatch.setattr(keeping, "_folder", lambda: here)
    ship = program / SHIP

    def text(of: Path | None) -> str:
        return keeping.cached(f"ship-{of is None}", lambda: ship.read_text("utf-8"), str.encode, bytes.decode, of=of)

    for of in (ship, None):
        ship.write_text("hull = 9", encoding="utf-8")
        assert text(of) == "hull = 9"
        ship.write_text("hull = 4", encoding="utf-8")
        assert keeping.program_fingerprint(program) == here.name
        assert text(of) == "hull = 4"
        ship.write_text("hull = 9", encoding="utf-8")
        assert text(of) == "hull = 4", "it was kept"
        ship.write_text("hull = 4", encoding="utf-8")


def of_a_new_process(home: Path, **language: str) -> subprocess.Popen[bytes]:
    """A program of its own that reads every data file, and tells a digest of what it read and how often it made one."""
    told = """
import hashlib, sys
from pbem.data import cache as keeping, files
keeping.SETTLED_NS = -10**10
made = []
real, files.parsed_file = files.parsed_file, lambda *given: made.append(given) or real(*given)
found = [files.read_toml(kind, key) for kind in files.FOLDERS for key in files.keys(kind)]
print(hashlib.sha256(ascii(found).encode()).hexdigest(), bool(made))
"""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHONUTF8"))}
    env = {**ours, **language, "XDG_CACHE_HOME": str(home), "LOCALAPPDATA": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", told], env=env, cwd=home, stdout=subprocess.PIPE)


def told_by(process: subprocess.Popen[bytes]) -> tuple[str, str]:
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    digest, made = said.decode("ascii").split()
    return digest, made


@pytest.mark.slow
def test_what_was_made_under_another_language_of_the_system_is_the_same(tmp_path: Path) -> None:
    languages = ({"LC_ALL": "C", "PYTHONUTF8": "0"}, {"LC_ALL": "C.UTF-8", "PYTHONUTF8": "0"}, {"PYTHONUTF8": "1"})
    alone = []
    for number, language in enumerate(languages):
        (tmp_path / str(number)).mkdir()
        alone.append(told_by(of_a_new_process(tmp_path / str(number), **language)))
    assert {made for _, made in alone} == {"True"} and len({digest for digest, _ in alone}) == 1
    # What the first made, the others take as it is.
    for language in languages[1:]:
        assert told_by(of_a_new_process(tmp_path / "0", **language)) == (alone[0][0], "False")


@pytest.mark.slow
def test_two_processes_that_make_it_at_the_same_moment_make_the_same(tmp_path: Path) -> None:
    both = [of_a_new_process(tmp_path) for _ in range(2)]
    found = [told_by(process) for process in both]
    assert found[0][0] == found[1][0] and "True" in {made for _, made in found}
    assert told_by(of_a_new_process(tmp_path)) == (found[0][0], "False")
    assert not [path for path in tmp_path.rglob("*") if path.suffix == ".new"], "nothing half written is left"


def test_what_old_programs_kept_goes(folder: Path) -> None:
    for age in range(6):
        old = folder.with_name(f"old{age}")
        old.mkdir(parents=True)
        (old / "thing").write_bytes(b"")
        os.utime(old, (10**9 - age, 10**9 - age))
    Maker().kept()
    assert sorted(path.name for path in folder.parent.iterdir()) == ["old0", "old1", "old2", folder.name]


def test_what_is_made_of_a_text_is_kept_for_that_text(folder: Path) -> None:
    asked = []

    def louder(text: str) -> str:
        asked.append(text)
        return text.upper()

    for _ in range(2):
        again = keeping.cached_texts(louder)
        assert [again("ä"), again("b"), again("b")] == ["Ä", "B", "B"]
    assert asked == ["ä", "b"]


def test_a_text_of_the_program_is_made_once_and_kept_under_its_name(folder: Path) -> None:
    asked = []

    def bones() -> str:
        asked.append(1)
        return "ä"

    for _ in range(2):  # as in two processes
        again = keeping.cached_text(bones)
        assert [again(), again()] == ["ä", "ä"]
    assert len(asked) == 1
    assert (folder / "bones").is_file()


@pytest.mark.usefixtures("folder")
def test_data_files_come_back_as_they_are_written() -> None:
    for kind in files.FOLDERS:
        for key in files.keys(kind):
            made, kept = files.read_toml(kind, key), files.read_toml(kind, key)
            assert repr(made) == repr(kept), "whole numbers stay whole, and everything in its order"


@pytest.mark.usefixtures("folder")
def test_a_file_of_ones_own_is_read_each_time(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    for hull in ("4", "5"):
        own.write_text(f"hull = {hull}", encoding="utf-8")
        assert files.read_toml("ship", own)[0] == {"hull": int(hull)}


def test_the_counters_of_the_companion_module_come_back_and_nothing_else_does() -> None:
    made = positions._made()
    assert positions._read(pickle.dumps(made, protocol=5)) == made
    for other in (os.getcwd, races, Path()):
        with pytest.raises(pickle.UnpicklingError):
            positions._read(pickle.dumps(other))
    for module, name in (
        ("vassal.container.archive", "Path"),
        ("vassal.container.archive", "BytesIO"),
        ("vassal.cli", "Path"),
    ):
        imported = getattr(importlib.import_module(module), name, None)
        assert name != "Path" or imported is Path
        with pytest.raises(pickle.UnpicklingError):  # a class that a module of vassal only imports
            positions._read(f"c{module}\n{name}\n.".encode())


def test_the_folder_is_that_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert keeping.cache_folder() == tmp_path / "x/pbem/kept"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert keeping.cache_folder() == tmp_path / "local/pbem/kept"
    monkeypatch.delenv("LOCALAPPDATA")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    found = keeping.cache_folder()
    assert found is not None and found.is_relative_to(tmp_path)
