"""The pictures of the guides: what makes them can be run, each is there, small, and shown by a guide."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"guide_{name}", ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_picture_is_made_small_and_shown() -> None:
    made = script("pictures")
    files = {path.name: path.stat().st_size for path in made.PICTURES.iterdir()}
    pages = [picture.name for picture in (*made.SHOWN, *made.AT_HOME, *made.AT_THE_CLUB)]
    assert sorted(files) == sorted(f"{name}.png" for name in (*pages, *script("tables").NAMES))
    assert [name for name, size in files.items() if size > made.LARGEST] == []
    said = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    assert [name for name in files if f"pictures/{name})" not in said] == []


@pytest.mark.slow
@pytest.mark.browser
def test_the_pictures_are_made_anew(pages: None, tmp_path: Path) -> None:
    """In another process, because playwright runs once in a process."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    pytest.importorskip("starlette", reason="the extra web is not installed")
    made = script("pictures")
    if made.chromium() is None:
        pytest.skip("no Chromium is installed")
    ran = subprocess.run(
        [sys.executable, ROOT / "docs" / "pictures.py", "--into", tmp_path],
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    names = [picture.name for picture in (*made.SHOWN, *made.AT_HOME, *made.AT_THE_CLUB)]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"{name}.png" for name in names)


@pytest.mark.slow
@pytest.mark.browser
def test_the_order_sheet_fits_on_one_sheet_of_paper(tmp_path: Path) -> None:
    """Two pages of A4, as the browser prints it."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    made = script("pictures")
    if made.chromium() is None:
        pytest.skip("no Chromium is installed")
    file, sheet = tmp_path / "sheet.pdf", ROOT / "docs" / "order-sheet.html"
    program = (
        "import sys; from playwright.sync_api import sync_playwright as play\n"
        "with play() as driver:\n"
        "    browser = driver.chromium.launch(executable_path=sys.argv[1], args=['--no-sandbox', '--disable-gpu'])\n"
        "    page = browser.new_page(); page.goto(sys.argv[2]); page.pdf(path=sys.argv[3], prefer_css_page_size=True)\n"
    )
    command = [sys.executable, "-c", program, made.chromium(), sheet.as_uri(), str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    assert len(re.findall(rb"/Type\s*/Page\b", file.read_bytes())) == 2


def test_the_orders_on_the_sheet_are_orders() -> None:
    from pbem.orders.reader import read_orders

    assert not read_orders(script("order_sheet").EXAMPLE).faults
