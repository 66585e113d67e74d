"""Stars, the best results of the course, and the games that can follow on a finished one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")

from msgspec.structs import replace

from pbem.app.web import results
from pbem.app.web.course import FRIEND, ROBOT, YOU, Lesson, course, open_sides, seats, skill_levels
from pbem.app.web.evening import Table
from pbem.data.scenarios import scenario
from pbem.engine.state import Outcome
from pbem.games.status import SideStatus, Status
from tests.app.web.test_door import Caller

if TYPE_CHECKING:
    from pbem.app.web.server import Evening

Start = Callable[[], "Evening"]
WON, LOST = ("victory", "decisive victory", "tactical victory", "marginal victory"), ("defeat", "draw", "")


@pytest.mark.parametrize(
    ("opponents", "wanted"),
    [
        (["robot"], 1), (["brawler"], 1), (["ensign"], 2), (["captain"], 2), (["computer captain"], 2),
        (["commodore"], 3), (["robot", "captain"], 2), (["ensign", "commodore"], 3), ([FRIEND], 1), ([], 1),
    ],
)  # fmt: skip
def test_stars_depend_on_the_opponent_and_are_given_for_victories_alone(opponents: list[str], wanted: int) -> None:
    assert [results.stars(result, opponents) for result in WON] == [wanted] * len(WON)
    assert [results.stars(result, opponents) for result in LOST] == [0] * len(LOST)


def test_cards_say_the_stars_that_a_victory_is_worth() -> None:
    lessons = course()
    assert [one.most_stars for one in lessons] == [1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 1, 3]
    for lesson in lessons:
        for one in lesson.opponents:
            for side in lesson.sides:
                players = seats(lesson.setting, side.name, one.key)
                others = results.enemies(lesson.setting, {**robots(lesson), **players}, side.name)
                assert one.stars in (0, results.stars("victory", others)), (lesson.setting.number, one.key)
        assert len({one.told for one in lesson.opponents}) == len(lesson.opponents)
        assert all(one.strength and len(one.told) <= 65 for one in lesson.opponents)


def robots(lesson: Lesson) -> dict[str, str]:
    return {side.name: ROBOT for side in lesson.setting.sides}


def status_of(key: str, side: str, against: str, result: str = "") -> Status:
    """The status of a game of the course; with a result for a side it is over."""
    setting = scenario(key)
    players = {one.name: ROBOT for one in setting.sides} | seats(setting, side, against)
    sides = tuple(SideStatus(side=n, player=p, robot=p == ROBOT, asked=False) for n, p in sorted(players.items()))
    teams = {one.name: one.team for one in setting.sides}
    opposite = {"victory": "defeat", "defeat": "victory"}.get(result, result)
    outcome = [(one.side, result if teams[one.side] == teams[side] else opposite) for one in sides]
    return Status(
        game="a", scenario=key, title=setting.title, turn=3, impulse=8, impulses=8, request=None, sides=sides,
        over=bool(result), outcome=tuple(Outcome(side=name, result=word, why="so") for name, word in outcome if result),
    )  # fmt: skip


def people_of(now: Status) -> tuple[str, ...]:
    return tuple(one.side for one in now.sides if one.player in (YOU, FRIEND))


def every_game() -> Iterator[tuple[str, str, str]]:
    for lesson in course():
        for version in lesson.versions:
            for side in open_sides(scenario(version.key)):
                for one in lesson.opponents:
                    yield version.key, side.name, one.key


def test_a_rematch_is_the_same_game_and_swapped_sides_are_the_other_ones() -> None:
    lessons = course()
    for key, side, against in every_game():
        now, setting = status_of(key, side, against, "defeat"), scenario(key)
        found = results.game_result(now, people_of(now), "", setting, lessons, {"Eagle": "rom-kr"})
        rematch, *others = found.offers
        assert (rematch.version, rematch.side, rematch.ships) == (key, side, {"Eagle": "rom-kr"})
        assert seats(setting, side, rematch.against) == seats(setting, side, against)
        assert bool(others) == (len(open_sides(setting)) > 1)
        for one in others:
            assert one.label == "Swap sides" or one.label.startswith("Harder: ")
            if one.label == "Swap sides":
                level = against if against != "computer" else one.against
                assert one.side != side and seats(setting, one.side, one.against) == seats(setting, one.side, level)
            else:
                before, after = (
                    max(harder_rank(player) for player in results.enemies(setting, seats(setting, side, key), side))
                    for key in (rematch.against, one.against)
                )
                assert after == before + 1 and one.side == side
        harder = any(one.label.startswith("Harder") for one in others)
        assert harder == (bool(others) and against not in ("friend", "commodore"))


def harder_rank(player: str) -> int:
    names = [level.name for level in skill_levels()]
    return names.index(player) if player in names else -1


def test_the_next_scenario_is_the_one_that_follows() -> None:
    found = [
        results.game_result(
            status_of(key, "federation", "", "victory"), ["federation"], "", scenario(key), course(), {}
        )
        for key in ("1", "2-slow-ship", "12")
    ]
    assert [one.next for one in found] == [("2", "Under Attack"), ("3", "Convoy Raid"), None]


def test_a_scenario_of_ones_own_has_a_result_and_no_stars() -> None:
    now = replace(status_of("5", "federation", "ensign", "victory"), scenario="my-own")
    found = results.game_result(now, ["federation"], "", scenario("5"), course(), {})
    assert (found.headline, found.offers, found.next, found.most) == ("Victory", (), None, 0)


@pytest.mark.parametrize(
    ("result", "headline", "verdict"),
    [("decisive victory", "Victory", "won"), ("draw", "Draw", "drawn"), ("defeat", "Defeat", "lost")],
)
def test_the_banner_says_what_the_person_s_side_came_to(result: str, headline: str, verdict: str) -> None:
    now = status_of("5", "klingon", "captain", result)
    found = results.game_result(now, ["klingon"], "Both in play.", scenario("5"), course(), {})
    assert (found.headline, found.verdict, found.stars) == (headline, verdict, 2 * (verdict == "won"))
    assert [(one.side, one.result, one.why) for one in found.outcome] == [("klingon", result, "so")]
    assert found.ships == "Both in play." and found.most == 3


def test_two_people_at_one_keyboard_are_both_named() -> None:
    now = status_of("5", "klingon", "friend", "victory")
    found = results.game_result(now, people_of(now), "", scenario("5"), course(), {})
    assert (found.headline, found.verdict, found.most) == ("Victory of klingon", "", 0)
    assert [one.side for one in found.outcome] == ["federation", "klingon"]
    drawn = status_of("5", "klingon", "friend", "draw")
    assert results.game_result(drawn, people_of(drawn), "", scenario("5"), course(), {}).headline == "Nobody won"


def test_the_best_result_counts_and_the_first_scenario_that_is_not_won_is_recommended() -> None:
    def found(against: str, result: str) -> results.BestResult:
        now = status_of("2", "federation", against, result)
        best = results.result_of(now, people_of(now), scenario("2"))
        assert best is not None
        return best

    best = None
    for against, result in (("computer", "defeat"), ("captain", "victory"), ("commodore", "defeat"), ("", "victory")):
        best = results.better(found(against, result), best)
    assert best == results.BestResult(stars=2, result="victory", against="a captain")
    cards = results.cards_of(course(), {"1": best, "2": found("", "defeat"), "3": best})
    assert [card.lesson.setting.number for card in cards if card.recommended] == ["2"]
    assert results.result_of(status_of("2", "federation", ""), ["federation"], scenario("2")) is None


def finished(table: Table, number: str, side: str, against: str = "") -> str:
    """A game that is played to its end by the drafts."""
    name = table.begin(number, side, against=against)
    while not (seen := table.look(name)).now.over:
        for one in seen.owing:
            table.send(name, one, table.draft(name, one))
    return name


def test_the_game_to_go_on_with_comes_first_then_the_course_then_earlier_games(evening: Start, tmp_path: Path) -> None:
    caller, table = Caller(evening()), Table(tmp_path / "games")
    first = caller.ask("/")[2]
    assert "Begin here · #1" in first and 'id="continue" href="/course/1"' in first and "Earlier games" not in first
    over = finished(table, "1", "federation")
    assert "Next scenario · #1" in caller.ask("/")[2], "it was lost"
    going = table.begin("5", "klingon", against="captain")
    for _ in range(7):
        table.begin("1", "federation")
    last = table.begin("5", "federation", against="friend")
    text = caller.ask("/")[2]
    assert (
        text.index(f'id="continue" href="/game/{last}"') < text.index('href="/course/1"') < text.index("Earlier games")
    )
    assert "Waiting for federation and klingon." in text and "two at one keyboard" in text
    earlier, more = text[text.index("Earlier games") :].split("<details", 1)
    assert len(re.findall('href="/game/', earlier)) == 6 and len(re.findall('href="/game/', more)) == 3
    assert "3 more games" in more and "defeat against the robot" in text
    for name in (over, going):
        assert f'href="/game/{name}"' in text
    (tmp_path / "games" / last / "game.toml").unlink()
    assert "against the robot" in caller.ask("/")[2]


def test_a_finished_game_that_is_taken_back_goes_on_in_the_list(tmp_path: Path) -> None:
    """What came of finished games is read once, and again after an Undo."""
    table = Table(tmp_path)
    name = finished(table, "1", "federation")
    for _ in range(2):
        [listed] = table.games()
        assert listed.now is not None and listed.now.over and listed.ships
    table.undo(name, "federation")
    for _ in range(2):
        going = table.start().going
        assert going is not None and going.name == name and not going.now.over
    while not (seen := table.look(name)).now.over:
        table.send(name, seen.owing[0], table.draft(name, seen.owing[0]))
    assert table.start().going is None and [one.name for one in table.start().games] == [name]


def test_the_banner_begins_the_next_game_as_its_buttons_say(evening: Start, tmp_path: Path) -> None:
    caller, table = Caller(evening()), Table(tmp_path / "games")
    name = finished(table, "2", "drones", "ensign")
    text = caller.ask(f"/game/{name}")[2]
    banner = text[text.index("<dialog") : text.index("</dialog>")]
    assert '<h2 id="h-result">Defeat</h2>' in banner and 'id="watch-whole"' in banner
    assert f'href="/game/{name}/proof.html"' in banner and 'href="/course/3"' in banner
    assert "all 8 drones are gone" in banner and "Constellation in play" in banner
    begun = []
    for form in re.findall(r'<form method="post" action="/begin">.*?</form>', banner):
        fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form))
        status, headers, _ = caller.ask("/begin", fields)
        assert status == 303
        now = table.look(headers["location"].removeprefix("/game/")).now
        begun.append((now.scenario, {one.side: one.player for one in now.sides}))
    assert begun == [
        ("2", {"drones": "you", "federation": "ensign"}),
        ("2", {"drones": "ensign", "federation": "you"}),
        ("2", {"drones": "you", "federation": "captain"}),
    ]


@pytest.mark.parametrize("version", ["9" * 10_000, "13", "", "../../x", "/etc/passwd", "5-none"])
def test_a_version_that_is_not_in_the_course_is_refused(evening: Start, tmp_path: Path, version: str) -> None:
    caller = Caller(evening())
    status, _, text = caller.ask("/begin", {"version": version, "side": "federation", "against": "computer"})
    assert status == 400 and "choose a scenario of the course" in text and len(text) < 2_000
    assert not (tmp_path / "games").exists()
