"""What the package makes of texts of VASSAL, compared as a whole with what is kept (tests/vassal/kept)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests import kept

HERE = Path(__file__).parent


def _readings() -> ModuleType:
    if "vassal_readings" in sys.modules:
        return sys.modules["vassal_readings"]
    spec = importlib.util.spec_from_file_location("vassal_readings", HERE / "readings.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["vassal_readings"] = module
    spec.loader.exec_module(module)
    return module


readings = _readings()


@pytest.mark.parametrize("name", list(readings.READINGS))
def test_what_is_read_comes_out_the_same(name: str) -> None:
    found = kept.difference(readings.KEPT / f"{name}{kept.ENDING}", "\n".join(readings.READINGS[name]()) + "\n")
    assert not found, f"python tests/vassal/readings.py writes them anew; review the difference:\n{found}"


def test_nothing_is_kept_that_is_not_compared() -> None:
    assert sorted(path.name.removesuffix(kept.ENDING) for path in readings.KEPT.iterdir()) == sorted(readings.READINGS)
