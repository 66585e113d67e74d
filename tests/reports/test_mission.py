"""What players are told a game is about: every scenario's briefing, for whom it is, and that text and HTML agree."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import Scenario, glossary, scenario, scenario_keys, variant_keys, words_for
from pbem.engine.events import UMPIRE, Record
from pbem.engine.play.setup import set_up
from pbem.errors import GameError
from pbem.reports.form.form import form_html
from pbem.reports.html.page import dated, sitrep_html
from pbem.reports.mail.sitrep_mail import mail_summary
from pbem.reports.text.sitrep import WIDTH, sitrep_text
from pbem.reports.view.build import build_view
from pbem.reports.view.mission import grades

ALL = [*scenario_keys(), *variant_keys()]


def plain(text: str) -> str:
    """The words of a text or a page, without marks and line breaks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


@pytest.mark.parametrize("key", ALL)
def test_every_side_a_human_may_play_has_a_briefing(key: str) -> None:
    found = scenario(key)
    for side in found.sides:
        if side.robot == "must":
            assert side.name not in found.briefing.sides
            continue
        words = f"{found.briefing.situation} {found.briefing.sides[side.name]}".split()
        assert 60 <= len(words) <= 150, (side.name, len(words))
    assert found.briefing.victory and found.briefing.first
    assert bool(grades(found)) == bool(found.victory.grades), "what is graded is said in figures"


@pytest.mark.parametrize("key", ALL)
def test_no_sentence_stands_twice_in_what_a_player_is_told(key: str) -> None:
    found = scenario(key)
    texts = [found.briefing.situation, *found.briefing.victory, found.briefing.first, *found.rules]
    told = [one.strip() for text in texts for one in re.split(r"(?<=[.:?])\s", text) if one.strip()]
    assert len(set(told)) == len(told)


def test_grades_are_told_by_what_they_count() -> None:
    assert grades(scenario("3")) == (
        "The result for klingon, by freighters destroyed before one gets away: 0 to 3 defeat, 4 or more victory. "
        "An enemy has the opposite."
    )
    assert "0 decisive victory, 1 to 49 victory, 50 to 199 marginal victory, 200 or more defeat" in grades(
        scenario("11")
    )
    assert grades(scenario("5")) == ""


Made = Callable[[str], tuple[Scenario, tuple[Record, ...]]]


@pytest.fixture(scope="module")
def game_of() -> Made:
    """A scenario and the log of a new game of it, by key or file."""

    @cache
    def made(key: str) -> tuple[Scenario, tuple[Record, ...]]:
        found = scenario(key)
        players = {side.name: "robot" if side.robot == "must" else f"{side.name}@example.org" for side in found.sides}
        return found, tuple(set_up(found, "game", players=players, key=key).records)

    return made


@pytest.mark.parametrize("key", ["4", "8", "9-exchanged"])
def test_a_side_is_told_its_own_part_and_no_other(key: str, game_of: Made) -> None:
    found, records = game_of(key)
    parts = found.briefing.sides
    for reader in (*(side.name for side in found.sides), UMPIRE, ""):
        view = build_view(records, reader, scenario=found)
        pages = [sitrep_text(view), sitrep_html(view), mail_summary(view)]
        if view.owed and view.owed.mine:
            pages.append(form_html(records, reader, found, ""))
        for page in map(plain, pages):
            assert found.briefing.situation in page and found.briefing.victory[0] in page
            told = {side for side, text in parts.items() if text in page}
            assert told == (set(parts) if reader == UMPIRE else {reader} & set(parts)), reader


def test_text_and_html_say_the_same_of_the_game(game_of: Made) -> None:
    found, records = game_of("4")
    view = build_view(records, "federation", scenario=found)
    text, html = plain(sitrep_text(view).replace("\n  - ", "\n")), plain(mail_summary(view))
    briefing = found.briefing
    for said in (briefing.situation, briefing.sides["federation"], *briefing.victory, *found.rules, briefing.first):
        assert " ".join(said.split()) in text and said in html
    assert "end a step of movement in her hex" in text, "how the crew is rescued"
    assert max(map(len, sitrep_text(view).splitlines())) <= WIDTH


def test_the_page_has_the_charts_of_the_weapons_that_are_there(game_of: Made) -> None:
    found, records = game_of("5")
    view = build_view(records, "klingon", scenario=found)
    assert view.mission is not None
    titles = [chart.title for chart in view.mission.charts]
    assert "Photon torpedo" in titles and "Disruptor bolt" in titles and "Fusion beam" not in titles
    photon = next(chart for chart in view.mission.charts if chart.title == "Photon torpedo")
    assert photon.head == ("range", "0-1", "2", "3-4", "5-8", "9-12", "13-30")
    assert photon.rows[0] == ("hits with", "-", "1-5", "1-4", "1-3", "1-2", "1")
    assert all(len(row) == len(chart.head) for chart in view.mission.charts for row in chart.rows)
    page = sitrep_html(view)
    assert all(title in page for title in titles)


def test_words_are_those_of_the_scenario() -> None:
    known = {word.word for word in glossary().words}
    first = {word.word for word in words_for(scenario("1").chapters)}
    assert "turn mode" in first and "general, specific reinforcement" not in first
    assert {"general, specific reinforcement", "TAC"} <= {word.word for word in words_for(scenario("10").chapters)}
    assert first < known
    chapters = {name for key in ALL for name in scenario(key).chapters}
    assert {name for word in glossary().words for name in word.chapters} <= chapters, "no word for no scenario"


def test_a_later_sitrep_points_to_the_first(game_of: Made) -> None:
    found, records = game_of("5")
    state = build_view(records, "klingon", scenario=found)
    assert state.mission is not None and state.mission.fresh
    later = replace(state, mission=replace(state.mission, fresh=False))
    text = sitrep_text(later)
    assert "WHAT THIS GAME IS ABOUT" not in text and "sitrep.html or your" in text
    assert found.briefing.situation not in plain(mail_summary(later))
    assert found.briefing.situation in plain(sitrep_html(later))


def test_a_users_own_scenario_may_do_without(tmp_path: Path, game_of: Made) -> None:
    file = Path(__file__).parents[2] / "pbem" / "data" / "scenarios" / "5.toml"
    text = file.read_text(encoding="utf-8")
    start, end = text.index("[briefing]"), text.index("[[sides]]")
    own = tmp_path / "own.toml"
    own.write_text(text[:start] + text[end:], encoding="utf-8")
    found, records = game_of(str(own))
    view = build_view(records, "klingon", scenario=found)
    told = view.mission
    assert told is not None and not told.situation and told.rules
    assert "Victory conditions" not in sitrep_text(view) and "Rules of this scenario" in sitrep_text(view)
    assert "Mission: Encounter" in plain(sitrep_html(view))
    own.write_text(text.replace("[briefing.sides]", "[briefing.sides]\nromulan = 'x'"), encoding="utf-8")
    with pytest.raises(GameError, match=r"briefing.sides.romulan: 'romulan' must be one of federation, klingon"):
        scenario(own)


def test_the_deadline_is_told_where_it_is_known(game_of: Made) -> None:
    found, records = game_of("5")
    view = build_view(records, "klingon", scenario=found)
    form = form_html(records, "klingon", found, "")
    for page in (sitrep_html(view), mail_summary(view), form):
        said = dated(page, "The deadline is <soon>.")
        assert "The deadline is &lt;soon&gt;." in said and "The deadline" not in plain(page)
        assert "<!-- deadline" not in dated(page, "")
