"""Fixtures of the tests of ``vassal``: the files in ``data/``, made for this project.

``data/*.dump.json`` is what VASSAL 3.7.26 itself says of a save; ``*.sample.jsonl`` are samples of long lists of
answers it gave. The whole lists are read from the folder named by the environment variable PBEM_SHARED, where set.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from vassal.module.module import Module, read_module

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with the fixture files."""
    return DATA


@pytest.fixture(scope="session")
def space() -> Module:
    """A module with a hex map, a map of regions and a zoned map."""
    return read_module(DATA / "HexSpaceTest.vmod")


@pytest.fixture(scope="session")
def zoo() -> Module:
    """A module with 41 hex grids, each with other settings."""
    return read_module(DATA / "GridZoo.vmod")


@pytest.fixture(scope="session")
def vectors() -> Callable[[str], list[Any]]:
    """Reads a list of answers: the whole one where it is at hand, else the sample."""

    def read(name: str, whole: bool = False) -> list[Any]:
        path = DATA / f"{name}.sample.jsonl"
        if whole:
            shared = os.environ.get("PBEM_SHARED")
            if not shared:
                pytest.skip("PBEM_SHARED does not name a folder with the whole lists of vectors")
            path = Path(shared) / "vassal" / "vectors" / f"{name}.jsonl"
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]

    return read


@pytest.fixture(scope="session")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the files of a whole test run (hypothesis cannot have one for each example)."""
    return tmp_path_factory.mktemp("scratch")
