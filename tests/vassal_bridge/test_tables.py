"""What stands on the table in the scenes of tests/reports, compared with what is kept (tests/vassal_bridge/kept)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests import kept

HERE = Path(__file__).parent


def _tables() -> ModuleType:
    if "tabletop_tables" in sys.modules:
        return sys.modules["tabletop_tables"]
    spec = importlib.util.spec_from_file_location("tabletop_tables", HERE / "tables.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tabletop_tables"] = module
    spec.loader.exec_module(module)
    return module


tables = _tables()


@pytest.fixture(scope="module", autouse=True)
def _companion(companion_file: Path) -> None:
    tables.given[:] = [companion_file]


@pytest.mark.parametrize("name", list(tables.TEXTS))
def test_the_table_comes_out_the_same(name: str) -> None:
    found = kept.difference(tables.KEPT / f"{name}{kept.ENDING}", "\n".join(tables.TEXTS[name]()) + "\n")
    assert not found, f"python tests/vassal_bridge/tables.py writes them anew; review the difference:\n{found}"


def test_nothing_is_kept_that_is_not_compared() -> None:
    assert sorted(path.name.removesuffix(kept.ENDING) for path in tables.KEPT.iterdir()) == sorted(tables.TEXTS)
