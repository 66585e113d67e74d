"""What axe-core finds wrong with a page, in a browser."""

from __future__ import annotations

from importlib import resources
from typing import Any

import pytest

FOUND = """how => axe.run(document, {...how, resultTypes: ["violations"]}).then(run => run.violations.map(
  found => found.id + ": " + found.nodes.map(node => node.target.join(" ")).slice(0, 3).join("; ")))"""
"""Of what is as it should be axe tells but one place: to name all of them takes as long as to look for what is not."""


def faults(page: Any, *, frames: bool = True) -> list[str]:
    """Each rule that is broken, and where; ``frames`` whether what lies in frames is looked at too."""
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed (it is in .[dev])")
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    return list(page.evaluate(FOUND, {"iframes": frames}))
