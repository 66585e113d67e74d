"""Who is asked, and whose orders answer: names of requests, headers, sides that nobody plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import scenario
from pbem.engine.log import played
from pbem.errors import GameError
from pbem.games.answers import answers, judge, kept_names, laid_aside
from pbem.games.create import _verify_choices, _verify_everybody
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.submit import Receipt
from pbem.games.umpire.undo import played_request
from pbem.games.vassal_files import asked, game_binding, header
from pbem.orders.header import Header, answer_to


def test_a_request_is_named_by_as_little_as_is_clear() -> None:
    """A number alone is of the last turn that was played, a turn alone its first request, neither what came last."""
    with opened(Path(__file__).resolve().parents[2] / "turns" / "duel01") as game:
        records = game.effective()
    asked = {(asked.turn, asked.number): records[place - 1] for place, asked, _ in played(records)}
    last = max(asked)[0]
    assert [played_request(records, 0, number) for number in (1, 2)] == [asked[last, 1], asked[last, 2]]
    assert [played_request(records, turn, 0) for turn in (1, 3, last)] == [asked[1, 1], asked[3, 1], asked[last, 1]]
    assert played_request(records, 0, 0) == asked[max(asked)] and played_request(records, 1, 4) == asked[1, 4]
    for turn, number in ((0, 9), (last + 1, 1), (0, 3)):
        with pytest.raises(GameError, match=r"1\.r1"):
            played_request(records, turn, number)


def test_of_several_that_are_not_the_scenarios_the_first_is_named() -> None:
    duel = scenario("5")
    for players, teams, units, said in (
        ({"gorn": "a", "orion": "b"}, {}, (), "has no side 'gorn'"),
        ({}, {"kzinti": "x", "lyran": "x"}, (), "has no side 'kzinti'"),
        ({"gorn": "a"}, {"kzinti": "x"}, (), "has no side 'gorn'"),
        ({}, {}, ("Enterprise", "Reliant"), "has no optional unit 'Enterprise'; it has no optional units"),
    ):
        with pytest.raises(GameError, match=said):
            _verify_choices(duel, players, teams, units)
    with pytest.raises(GameError, match="would be in team x: nobody is left to fight"):
        _verify_choices(duel, {}, {"federation": "x", "klingon": "x"}, ())
    _verify_choices(duel, {"klingon": "a"}, {"federation": "x"}, ())
    _verify_choices(replace(duel, sides=duel.sides[:1]), {}, {duel.sides[0].name: "x"}, ())  # whom nobody else opposes


def test_a_game_by_mail_is_told_of_every_side_that_nobody_plays() -> None:
    with pytest.raises(GameError) as error:
        _verify_everybody(scenario("5"), {"klingon": " "})
    assert error.value.faults[0].text == (
        "name a player for federation and klingon, because a hosted game writes to every side: "
        "--player federation=ADDRESS --player klingon=ADDRESS (or federation=robot)"
    )
    _verify_everybody(scenario("5"), {"federation": "a@x.example", "klingon": "robot"})


def test_orders_that_lie_where_those_of_another_side_belong_answer_nothing(
    game: GameFolder, send: Callable[..., Receipt]
) -> None:
    send("klingon")
    mine, other = game.order_file(1, "klingon", 1), game.order_file(1, "federation", 1)
    assert [*answers(game)[0]] == ["klingon"] and answers(game)[1] == ()
    mine.rename(other)
    found, faults = answers(game)
    assert found == {} and [(fault.code, fault.file) for fault in faults] == [("wrong-side", f"01/orders/{other.name}")]
    assert faults[0].text == "move this file: it has klingon's orders, but this is the place for federation's"


def test_the_header_of_who_is_not_asked_names_the_game_and_the_side_alone(
    game: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = game.state()
    assert state.request is not None
    for sides in (("klingon",), ("federation", "klingon"), ()):
        request = replace(state.request, sides=sides) if sides else None
        now = replace(state, request=request)
        monkeypatch.setattr(game, "state", lambda now=now: now)
        for side in state.sides:
            if request is not None and side in sides:
                assert asked(game, side) == request
                assert header(game, side) == answer_to("duel", side, request) != Header(game="duel", side=side)
            else:
                assert header(game, side) == Header(game="duel", side=side)
                with pytest.raises(GameError, match=f"the game is not waiting for {side} now"):
                    asked(game, side)


def test_orders_that_are_laid_aside_are_the_version_after_those_that_were(game: GameFolder) -> None:
    for kept in range(3):
        for version in range(1, kept + 1):
            game.order_file(1, "klingon", 1, version).parent.mkdir(parents=True, exist_ok=True)
            game.order_file(1, "klingon", 1, version).write_text(f"{version}", encoding="utf-8")
        now = game.order_file(1, "klingon", 1)
        now.parent.mkdir(parents=True, exist_ok=True)
        now.write_text("now", encoding="utf-8")
        (file,) = (one for one in game.order_files(1) if not one.version)
        aside = laid_aside(game, [file])
        assert aside == {f"01/orders/klingon.r1.v{kept + 1}.orders": b"now", "01/orders/klingon.r1.orders": None}
        assert kept_names(aside) == (f"01/orders/klingon.r1.v{kept + 1}.orders",)


def test_orders_without_a_header_and_a_table_that_is_no_text_are_told(game: GameFolder) -> None:
    (fault,) = judge(game, "SHIP Destruction\nENERGY\n  SPEED 8\nEND\n", "k.txt").faults
    assert (fault.code, fault.file) == ("no-header", "k.txt")
    assert (
        "begin the orders with the line GAME " in fault.text
        and " TURN 1 SIDE " in fault.text
        and "REPLY 1" in fault.text
    )
    (game.path / "vassal.toml").write_bytes(b"\xff")
    with pytest.raises(GameError, match=r"vassal\.toml: not-utf8"):
        game_binding(game.path)
