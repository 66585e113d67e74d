"""The pages of a club's site lead to each other: games, players, tournaments and the ladder, and to nothing secret."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

import pytest
from lxml import html
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.games.site import set_public
from pbem.reports.html.site import player_file
from tests.club.linked import linked_club, rounds

pytest.importorskip("openskill")


@pytest.fixture(scope="module", autouse=True)
def _pages(pages: None) -> None:
    """These tests look at pages."""


@pytest.fixture(scope="module")
def club(once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The club and its site; it is only looked at."""
    return once("linked", lambda folder: void(linked_club(folder))) / "club"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The club and its site, to be changed."""
    return linked_club(tmp_path)


def void(_: object) -> None:
    """Take a result and return none."""


def crawled(web: Path) -> dict[str, set[str]]:
    """Follow all links from the index; return the pages that each page leads to, by their paths in the site."""
    found: dict[str, set[str]] = {}
    waiting = ["index.html"]
    ids: dict[str, set[str]] = {}
    named: list[tuple[str, str, str]] = []
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        assert (web / path).is_file(), path
        found[path] = set()
        if not path.endswith(".html"):
            continue
        page = html.fromstring((web / path).read_text(encoding="utf-8"))
        ids[path] = {str(one) for one in page.xpath("//@id")}
        for link in page.xpath("//a/@href"):
            file, _, place = str(link).partition("#")
            assert not re.match(r"[a-z]+:|/", file), f"{path}: {link}"
            to = path if not file else resolved(path, unquote(file))
            found[path].add(to)
            waiting.append(to)
            if place:
                named.append((path, to, place))
    assert [one for one in named if one[2] not in ids[one[1]]] == []
    return found


def resolved(path: str, link: str) -> str:
    """Return where a link of a page leads, as a path in the site."""
    parts = list(PurePosixPath(path).parent.parts)
    for part in PurePosixPath(link).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


ANN, KOR = player_file("Ann"), player_file("Kor")


def game_of(web: Path) -> str:
    """Return the name of the tournament's game that is over."""
    return next(path.parent.name for path in web.glob("cup-1-*/index.html"))


def test_every_page_leads_to_all_others_that_belong_to_it(club: Path) -> None:
    web = club.parent / "web"
    found = crawled(web)
    cup, game = "tournaments/cup.html", f"{game_of(web)}/index.html"
    assert {"duel01/index.html", game, cup, "ladder.html", ANN, KOR} <= found["index.html"]
    assert {game, "ladder.html", ANN, KOR, "index.html"} <= found[cup]
    assert {cup, "ladder.html", ANN, KOR, "index.html"} <= found[game]
    assert {"duel01/index.html", game, cup, "ladder.html", "index.html"} <= found[ANN]
    assert {cup, ANN, KOR, "index.html"} <= found["ladder.html"]
    assert "tournaments/cup.html" not in found["duel01/index.html"], "it is no game of the cup"
    assert "ladder.html" not in found["ladder.html"] and cup not in found[cup], "no page leads to itself"
    assert set(found) == {path.relative_to(web).as_posix() for path in web.rglob("*") if path.is_file()} - {"site.json"}


def test_the_site_names_no_private_game_and_no_player_of_one(club: Path) -> None:
    web = club.parent / "web"
    everything = "\n".join(path.read_text(encoding="utf-8") for path in web.rglob("*") if path.is_file())
    assert "hush" not in everything.lower() and "example.org" not in everything
    assert "<!-- around" not in everything and "<a data-" not in everything
    assert player_file("Ben") not in everything, "who plays in no public game has no page"
    assert ">Ben<" not in (web / "ladder.html").read_text("utf-8"), "nor do private games count"


def test_the_ladder_calls_people_as_the_site_does(own: Path) -> None:
    web = own.parent / "web"
    game = game_of(web)
    with (own / "games" / game / "site.toml").open("a", encoding="utf-8") as file:
        file.write('[names]\nfederation = "Captain & Co"\n')
    found = CliRunner().invoke(app, ["site", str(own), str(web)])
    assert found.exit_code == 0, found.output
    ladder = html.fromstring((web / "ladder.html").read_text("utf-8"))
    assert "Captain & Co" in [str(name) for name in ladder.xpath("//th[@scope='row']//text()")]
    links = [str(link) for link in ladder.xpath("//th[@scope='row']/a/@href")]
    assert player_file("Captain & Co") in links
    crawled(web)


def test_a_ladder_that_counts_nothing_goes_and_comes_again(own: Path) -> None:
    web = own.parent / "web"
    game = own / "games" / game_of(web)
    set_public(game, False)
    rounds(own)
    assert not (web / "ladder.html").exists() and not (own / "mail" / "ladder.html").exists()
    found = crawled(web)
    assert "ladder.html" not in found["index.html"] | found["duel01/index.html"]
    assert f"{game.name}/index.html" not in found["tournaments/cup.html"]
    set_public(game, True)
    rounds(own)
    assert {"ladder.html", "tournaments/cup.html"} <= crawled(web)[f"{game.name}/index.html"]


def test_without_the_library_there_is_a_site_and_no_ladder(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    done = CliRunner().invoke(app, ["site", str(own), str(own.parent / "web")])
    assert done.exit_code == 0, done.output
    assert "ladder.html" not in crawled(own.parent / "web")


def test_a_round_that_finds_nothing_new_writes_no_page(own: Path) -> None:
    web = own.parent / "web"
    before = {path: path.stat().st_mtime_ns for path in web.rglob("*")}
    rounds(own)
    assert {path: path.stat().st_mtime_ns for path in web.rglob("*")} == before
