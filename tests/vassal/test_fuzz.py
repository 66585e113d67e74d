"""Mangled files: every one is read, or refused with one sentence; nothing else ever happens."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from vassal.container.obfuscation import mask_passwords
from vassal.dump import dump_module, dump_save
from vassal.errors import VassalError
from vassal.module.module import Module, read_module
from vassal.save import read_save, read_text
from vassal.text import commands

DATA = Path(__file__).parent / "data"
SAVES = ["hexspace-full-3.7.26.vlog", "hexspace-afterlog-3.7.26.vsav", "hexspace-written-by-3.2.17.vsav"]


@cache
def clear(name: str) -> str:
    return read_text(DATA / name)


@cache
def space() -> Module:
    return read_module(DATA / "HexSpaceTest.vmod")


@cache
def build_file() -> str:
    with zipfile.ZipFile(DATA / "HexSpaceTest.vmod") as archive:
        return archive.read("buildFile.xml").decode("utf-8")


# What is put in where something was cut out: the characters that mean something, and numbers out of all bounds.
scraps = st.sampled_from(
    ["", "\x1b", "\t", "\\", "'", "/", ";", "|", "~", ",", "-1", "9" * 30, "null", "\n", "$", "x" * 50]
)
cuts = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), scraps), min_size=1, max_size=6)


def mangled(text: str, wounds: list[tuple[float, int, str]]) -> str:
    for where, length, scrap in wounds:
        place = int(where * len(text))
        text = text[:place] + scrap + text[place + length :]
    return text


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAVES), cuts)
def test_mangled_saves(scratch: Path, name: str, wounds: list[tuple[float, int, str]]) -> None:
    text = mangled(clear(name), wounds)
    tree = commands.parse(text)
    assert commands.encode(tree) == text
    path = scratch / name
    try:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("savedGame", text)
        save = read_save(path)
        assert save.text == text
        json.dumps(dump_save(save, space()))
        json.dumps(dump_save(save.played(), space()))
        commands.encode(mask_passwords(tree))
    except VassalError as error:
        assert "\n" not in str(error).strip()
    finally:
        path.unlink(missing_ok=True)


@settings(max_examples=60, deadline=None)
@given(cuts)
def test_mangled_modules(scratch: Path, wounds: list[tuple[float, int, str]]) -> None:
    path = scratch / "mangled.vmod"
    try:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("buildFile.xml", mangled(build_file(), wounds))
        module = read_module(path)
        json.dumps(dump_module(module))
        for game_map in module.maps:
            layout = game_map.layout()
            layout.location((100, 100))
            layout.snap((100, 100))
    except VassalError as error:
        assert "\n" not in str(error).strip()
    finally:
        path.unlink(missing_ok=True)
