"""axe-core finds no fault in any page: the report as a player, the umpire and a spectator get it, and a game's site."""

from __future__ import annotations

import shutil
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.desk.opened import opened
from pbem.desk.site import set_public, write_sites
from pbem.report.gather import build_view
from pbem.report.page import sitrep_html

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
RUN = """axe.run(document).then(run => run.violations.map(
  found => found.id + ": " + found.nodes.map(node => node.target.join(" ")).slice(0, 3).join("; ")))"""


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core's script, as the Python package that comes with `pip install -e .[dev]` holds it."""
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed (it is in .[dev])")
    return (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory, duels: ModuleType, raids: ModuleType) -> Path:
    """A folder of pages, of every kind one."""
    folder = tmp_path_factory.mktemp("axe")
    host = folder / "club"
    for name in ("duel01", "rescue01"):
        shutil.copytree(ROOT / "turns" / name, host / "games" / name)
        set_public(host / "games" / name, True)
    shutil.rmtree(host / "games" / "rescue01" / "03")  # one game is still being played
    write_sites(host, folder / "site")
    with opened(ROOT / "turns" / "duel01") as game:
        records = game.effective()
    for kind, text in {
        "player": sitrep_html(build_view(duels.duel(), "klingon"), "GAME duel01\nEND\n"),
        "umpire": sitrep_html(build_view(records, "umpire", turn=4)),
        "raid": sitrep_html(build_view(raids.raid(), "federation")),
        "ended": sitrep_html(build_view(records, "federation")),
    }.items():
        (folder / f"{kind}.html").write_text(text, encoding="utf-8", newline="\n")
    return folder


DESK, PHONE = (1200, "light"), (390, "dark")


KINDS = (
    "player.html", "umpire.html", "raid.html", "ended.html", "site/duel01/replay.html",
    "site/index.html", "site/duel01/index.html", "site/duel01/turn-02.html",
    "site/duel01/secrets-05.html", "site/rescue01/index.html", "site/rescue01/turn-02.html",
)  # fmt: skip


def opened_page(browser: Any, width: int, scheme: str) -> Any:
    size = {"width": width, "height": 900}
    return browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        *((kind, DESK) for kind in KINDS),
        *((kind, PHONE) for kind in ("player.html", "site/duel01/index.html", "site/duel01/replay.html")),
    ],
)
def test_axe_finds_nothing(browser: Any, pages: Path, axe: str, kind: str, how: tuple[int, str]) -> None:
    page = opened_page(browser, *how)
    page.goto((pages / kind).as_uri())
    page.evaluate(axe)
    assert page.evaluate(RUN) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= how[0]
    page.close()


def test_axe_would_find_something(browser: Any, axe: str) -> None:
    page = opened_page(browser, *DESK)
    page.set_content("<main><img src='x.png'><button></button></main>")
    page.evaluate(axe)
    assert len(page.evaluate(RUN)) >= 2
    page.close()
