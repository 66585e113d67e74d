"""The command ``vassal``, as a shell runs it."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

FULL = Path("/dev/full")


def run(*arguments: str | Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "vassal", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        cwd=Path(__file__).parents[2],
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_dump(data: Path) -> None:
    code, out, err = run("dump", data / "hexspace-full-3.7.26.vsav", "--module", data / "HexSpaceTest.vmod", "--json")
    assert (code, err) == (0, "")
    engine = json.loads((data / "hexspace-full-3.7.26.vsav.dump.json").read_text(encoding="utf-8"))
    for mine, its in zip(json.loads(out)["pieces"], engine["pieces"], strict=True):
        assert {key: its[key] for key in mine} == mine
    code, out, _ = run("dump", data / "hexspace-full-3.7.26.vlog", "--log", "--module", data / "HexSpaceTest.vmod")
    assert code == 0
    assert "Cruiser A (damaged) (NCC changed): 1308 on Tactical Map, 180 degrees" in out


@pytest.mark.slow
def test_no_command_prints_a_password(data: Path) -> None:
    for name in ("hexspace-full-3.7.26.vlog", "hexspace-afterlog-3.7.26.vsav"):
        for arguments in (("dump", "--json"), ("dump",), ("text",)):
            code, out, err = run(arguments[0], data / name, *arguments[1:])
            assert code == 0
            assert "oracle" not in out + err
            assert "Oracle" in out


def test_text_shows_all_commands(data: Path) -> None:
    code, out, _ = run("text", data / "hexspace-full-3.7.26.vlog")
    assert code == 0
    lines = out.splitlines()
    assert "PLAYER\t***\tOracle\tAlpha" in lines
    assert "LOG\tM/1795207336172/Tactical Map/600/420/null/Tactical Map/552/392/null/***" in lines
    masked = [line for line in lines if line.startswith("LOG\tD/1795207336177/")]
    assert len(masked) == 2
    assert "***;|0" in masked[1]  # the mask's owner; the label beside it is still there
    assert "IKV 'Kro'" in masked[1]


@pytest.mark.slow
def test_module_and_locate(data: Path) -> None:
    module = data / "HexSpaceTest.vmod"
    code, out, _ = run("module", module, "--json")
    assert code == 0
    found = json.loads(out)
    assert [slot["entryName"] for slot in found["palette"][0]["folders"][0]["slots"]][:2] == ["Cruiser A", "Cruiser B"]
    assert found["maps"][0]["boards"][0]["grid"]["dx"] == 48.0
    assert run("module", module)[1].startswith("Hex Space Test 1.0")
    assert run("locate", module, "--map", "Tactical Map", "--hex", "0812")[1] == "0812 = 360,672 on Tactical Map\n"
    code, out, _ = run("locate", module, "--map", "Tactical Map", "361", "670", "--json")
    assert json.loads(out) == {
        "map": "Tactical Map", "x": 361, "y": 670, "board": "Space", "zone": "", "location": "0812",
        "snap": [360, 672],
    }  # fmt: skip


def test_diff(data: Path) -> None:
    saves = (data / "hexspace-full-3.7.26.vsav", data / "hexspace-afterlog-3.7.26.vsav")
    code, out, _ = run("diff", *saves, "--module", data / "HexSpaceTest.vmod")
    assert code == 0
    assert "Drone appeared at 0302 (Tactical Map)" in out
    assert run("diff", saves[0], saves[0]) == (0, "", "")
    assert json.loads(run("diff", *saves, "--json")[1])[0]["kind"] == "moved"


@pytest.mark.parametrize(
    "arguments",
    [["dump"], ["nonsense"], ["locate", "x.vmod"], ["locate", "x.vmod", "1", "2", "--hex", "0812"], ["dump", "a", "b"]],
)
def test_wrong_usage_is_exit_code_2(arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err


def test_faults_are_one_sentence_and_exit_code_1(data: Path, tmp_path: Path) -> None:
    assert run("dump", tmp_path / "no.vsav") == (1, "", f"{tmp_path / 'no.vsav'}: there is no such file\n")
    code, out, err = run("dump", data / "HexSpaceTest.vmod")
    assert (code, out) == (1, "")
    assert err == "HexSpaceTest.vmod: not a VASSAL save or log, because there is no 'savedGame' in it\n"
    strange = tmp_path / "strange.vsav"
    with zipfile.ZipFile(strange, "w") as archive:
        archive.writestr(
            "savedGame",
            "begin_save\x1b+/1/piece;;;a.png;Ä\ud83d/Nowhere;1;2\x1bend_save".encode("utf-8", "surrogatepass"),
        )
    code, out, err = run("dump", strange, "--module", data / "HexSpaceTest.vmod", "--json")
    assert code == 1
    assert json.loads(out)["pieces"][0]["map"] == "Nowhere"
    assert err.count("\n") == 1
    assert "is on the map 'Nowhere'" in err


@pytest.mark.skipif(not FULL.exists(), reason="a disk that is always full is Linux's")
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_is_told_in_one_sentence(data: Path, more: list[str]) -> None:
    line = [sys.executable, "-m", "vassal", "dump", str(data / "hexspace-full-3.7.26.vsav"), *more]
    with FULL.open("wb") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "No space left on device" in done.stderr


def test_the_package_is_light_until_used() -> None:
    code = (
        "import sys; before = set(sys.modules); import vassal; "
        "heavy = {'lxml', 'typer', 'zipfile', 'vassal.save'} & (set(sys.modules) - before); "
        "vassal.read_save; print(sorted(heavy), 'vassal.save' in sys.modules, 'lxml' in sys.modules); "
        "print(all(getattr(vassal, name) is not None for name in vassal.__all__), len(vassal.__all__) > 15)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True,
                          cwd=Path(__file__).parents[2])  # fmt: skip
    assert done.stdout == "[] True False\nTrue True\n"
