"""axe-core finds no fault in any page: the report as a player, the umpire and a spectator get it, and a game's site."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pbem.games.proof.archive import contents
from pbem.games.site import set_public, write_sites
from pbem.games.storage.opening import opened
from pbem.lab.selfplay.tally import lab_page
from pbem.reports.html.page import sitrep_html
from pbem.reports.html.site import tournament_page
from pbem.reports.view.build import build_view
from tests import axe
from tests.lab.test_lab import DUEL, tried

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]


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
        proof = contents(game)["proof.html"].decode("utf-8")
    results = [("", DUEL, [tried(0), tried(1, first="klingon")])]
    rows = (("", "Player", "Points"), ("1.", "Ann", "3"), ("2.", "Bob", "0"))
    shipped = ROOT / "turns" / "duel01"
    for kind, text in {
        "proof": proof,
        "lab": lab_page("Encounter", results),
        "tournament": tournament_page(
            "Open", "Round 2 of 3.", rows, "", [(1, [[("Ann", "player"), (" beats Bob", "")]])]
        ),
        "orders": (shipped / "02/r3/klingon/orders.html").read_text(encoding="utf-8"),
        "whole": (shipped / "05/final/klingon/replay.html").read_text(encoding="utf-8"),
        "player": sitrep_html(build_view(duels.duel(), "klingon"), "GAME duel01\nEND\n"),
        "umpire": sitrep_html(build_view(records, "umpire", turn=4)),
        "raid": sitrep_html(build_view(raids.raid(), "federation")),
        "ended": sitrep_html(build_view(records, "federation")),
    }.items():
        (folder / f"{kind}.html").write_text(text, encoding="utf-8", newline="\n")
    return folder


DESK, PHONE = (1200, "light"), (390, "dark")


KINDS = (
    "player.html", "umpire.html", "raid.html", "ended.html", "whole.html", "proof.html", "lab.html", "tournament.html",
    "site/duel01/replay.html", "site/index.html", "site/duel01/index.html", "site/duel01/turn-02.html",
    "site/duel01/secrets-05.html", "site/rescue01/index.html", "site/rescue01/turn-02.html",
)  # fmt: skip


def opened_page(browser: Any, width: int, scheme: str) -> Any:
    size = {"width": width, "height": 900}
    return browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)


@pytest.mark.parametrize(
    ("kind", "how"),
    [
        *((kind, DESK) for kind in KINDS),
        *((kind, PHONE) for kind in ("player.html", "site/duel01/index.html", "site/duel01/replay.html", "proof.html")),
    ],
)
def test_axe_finds_nothing(browser: Any, pages: Path, kind: str, how: tuple[int, str]) -> None:
    page = opened_page(browser, *how)
    page.goto((pages / kind).as_uri())
    assert axe.faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= how[0]
    page.close()


@pytest.mark.parametrize("how", [DESK, PHONE])
def test_axe_finds_nothing_in_a_form_with_all_of_it_open(browser: Any, pages: Path, how: tuple[int, str]) -> None:
    """In the middle of a turn: a course sketched for the enemy, a shot being made, every fold open, a fault told."""
    page = opened_page(browser, *how)
    page.goto((pages / "orders.html").as_uri())
    page.locator("html[data-form=ready]").wait_for()
    page.select_option("#foe", index=1)
    page.fill("#foe0-codes", "2F")
    page.check("[id^=u0-fire-][type=checkbox]:not(:disabled) >> nth=0")
    page.fill("#u0-codes", "9L")
    page.click("#load")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    page.locator("#verdict.bad").wait_for()
    assert axe.faults(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= how[0]
    page.close()


def test_axe_would_find_something(browser: Any) -> None:
    page = opened_page(browser, *DESK)
    page.set_content("<main><img src='x.png'><button></button></main>")
    assert len(axe.faults(page)) >= 2
    page.close()
