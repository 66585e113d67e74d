"""What games look like, compared as whole texts with those that are kept (tests/reports/kept)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests import kept

HERE = Path(__file__).parent


def _scenes() -> ModuleType:
    if "report_scenes" in sys.modules:
        return sys.modules["report_scenes"]
    spec = importlib.util.spec_from_file_location("report_scenes", HERE / "scenes.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["report_scenes"] = module
    spec.loader.exec_module(module)
    return module


scenes = _scenes()


@pytest.mark.parametrize("name", scenes.NAMES)
def test_a_kept_text_comes_out_the_same(name: str) -> None:
    found = kept.difference(scenes.kept_in(name), scenes.text_of(name), name)
    assert not found, f"python tests/reports/scenes.py writes them anew; review the difference:\n{found}"


def test_nothing_is_kept_that_is_not_compared() -> None:
    assert sorted(name for path in scenes.KEPT.iterdir() for name in kept.parts_in(path)) == sorted(scenes.NAMES)
