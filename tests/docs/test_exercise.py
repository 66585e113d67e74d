"""The exercise of ARCHITECTURE.md is done as it stands there: every block goes where its first line says, and the case
that it ends with passes.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from pbem.data import files
from pbem.lab.rule_cases import run_file
from tests.engine.test_weapon_of_ones_own import forget

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```toml\n# (?P<path>[^\s,]+)(?:, (?P<where>[^\n]+))?\n(?P<text>.*?)^```$", re.M | re.S)


def test_a_phaser_4_in_twenty_minutes(tmp_path: Path) -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("## An exercise for newcomers")[2]
    blocks = list(BLOCK.finditer(section.partition("\n## ")[0]))
    assert len(blocks) == 4
    shutil.copytree(files.HERE, tmp_path / "pbem" / "data", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for block in blocks:
        path, where, text = tmp_path / block["path"], block["where"], block["text"]
        before = path.read_text(encoding="utf-8") if where else ""
        assert where or not path.exists(), f"{block['path']} is there already"
        head, mark, tail = before.partition("[confidence_of]" if where == "above [confidence_of]" else "\0")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{head}\n{text}\n{mark}{tail}", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "HERE", tmp_path / "pbem" / "data")
        forget()
        results = run_file(path)
    forget()
    assert [(result.passed, result.differences) for result in results] == [(True, ())]
