"""What each page of a site leads to and is made of, as it stands in ``around.txt``: the pages are not drawn."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.engine.log import fold_records, played
from pbem.games import site
from pbem.games.create import shipped_games
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.reports.html.site import Around

DUEL = next(one for one in shipped_games() if one.name == "duel01")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was asked of those who make pages."""
    said: list[str] = []

    def sitrep_html(view: Any, around: Any = None) -> str:
        said.append(f"page of {seen(view)}: {shown(around) if around is not None else 'alone'}")
        return "page"

    def sitrep_text(view: Any) -> str:
        return f"text of {seen(view)}"

    def whole_html(view: Any, home: str, title: str) -> str:
        said.append(f"whole game: {home}, {title}, {seen(view)}")
        return "whole"

    def watched_page(board: Any, title: str, turns: list[Any], record: list[Any], around: Any, whole: str) -> str:
        said.append(f"index of {seen(board.view)}: {title}, home {around.home!r}, whole {whole!r}")
        said.extend(f"  turn {shown(one, 'told', 'damage')}, {len(one.told)} told" for one in turns)
        said.extend(f"  record {name}: {what}" for name, what in record)
        return "index"

    def feed(now: Any, turns: list[Any], url: str) -> str:
        said.append(f"feed of {seen(now)} at {url}: {[one.number for one in turns]}")
        return "feed"

    monkeypatch.setattr("pbem.reports.html.page.sitrep_html", sitrep_html)
    monkeypatch.setattr("pbem.reports.text.sitrep.sitrep_text", sitrep_text)
    monkeypatch.setattr("pbem.reports.html.whole_game.whole_html", whole_html)
    monkeypatch.setattr("pbem.reports.html.board.watched_page", watched_page)
    monkeypatch.setattr("pbem.reports.html.site.feed", feed)
    monkeypatch.setattr(
        "pbem.vassal_bridge.files.save_bytes", lambda records, module, binding: f"{module} {binding.name}".encode()
    )
    return said


def seen(view: Any) -> str:
    asks = "asks" if view.owed is not None else "asks nothing"
    return f"{view.game} for {view.side or 'everybody'} at {view.turn}.{view.impulse}, {asks}"


def shown(what: Any, *leave: str) -> str:
    fields = {key: value for key, value in msgspec.structs.asdict(what).items() if key not in leave}
    return ", ".join(f"{key} {value!r}" for key, value in fields.items() if value not in ("", False))


def as_it_was(game: GameFolder, turn: int) -> GameFolder:
    """The game while the second request of a turn was asked."""
    records = game.effective()
    place = next(place for place, asked, _ in played(records) if (asked.turn, asked.number) == (turn, 2))
    then = GameFolder(game.path, game.terms)
    then._files = {0: records[:place]}
    then._state = fold_records(records[:place])
    return then


def test_every_page_leads_to_those_around_it(
    tmp_path: Path, told: list[str], as_kept: Callable[[str, str], None]
) -> None:
    folder = Path(shutil.copytree(DUEL, tmp_path / "duel01"))
    with opened(folder) as game:
        for title, one, more in (
            ("over", game, {"url": "https://x.org/g", "around": Around(home="../")}),
            ("in turn 2", as_it_was(game, 2), {"module": Path("m.vmod")}),
            ("in turn 1", as_it_was(game, 1), {}),
        ):
            told += ["", f"=== {title}"]
            files = site.game_files(one, **more)
            told += [f"file {name}: {short(data)}" for name, data in files.items()]
            line = site.site_line(one)
            told += [f"line {shown(line, 'small', 'around')}"]
            ended = site.public_report(one)
            told += [f"told of {shown(ended, 'digest')}" if ended is not None else "nothing is told yet"]
    as_kept("around.txt", "\n".join(["# What the pages of a site lead to.", *told]) + "\n")


def short(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    return text if len(text) < 70 else f"{text.count(chr(10))} lines"
