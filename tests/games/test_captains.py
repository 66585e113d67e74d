"""Sides of computer captains: their orders are filed like anybody's, and nobody writes to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.app.cli.play import _happened
from pbem.games import resolve
from pbem.games.computer_sides import captains_orders, computer_players
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.status import status
from pbem.games.storage.files import read_order_file
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, by_computer, captain_of, in_words, replace_player
from pbem.games.storage.publish import reports_folder
from pbem.games.submit import submit
from pbem.mail.host.stand_in import stand_in

DUEL = {"federation": "ann@example.org", "klingon": "Ensign"}


def test_a_captain_answers_whenever_he_is_asked_and_the_others_are_waited_for(tmp_path: Path) -> None:
    new("5", tmp_path / "duel", players=DUEL, seed="captains")
    with opened(tmp_path / "duel", lock="resolve") as game:
        assert list(computer_players(game)) == ["klingon"]
        first = resolve_game(game)
        assert [one.what for one in first] == ["waiting"] and first[0].owing == ("federation",)
        assert [one.side for one in status(game).sides if one.answered] == ["klingon"]
        filed = read_order_file(game.order_file(1, "klingon", 1))
        assert filed.startswith("# the ensign: close in and fire everything at four hexes\nGAME duel TURN 1")
        assert resolve_game(game)[0].what == "waiting"  # and files nothing twice
        assert len(game.versions(1, "klingon", 1)) == 1
        submit(
            game, "GAME duel TURN 1 SIDE federation REPLY 1 FORM EAF\nSHIP Constellation\nENERGY\nSPEED 9\nEND\n", ""
        )
        assert [one.what for one in resolve_game(game)] == ["played", "waiting"]
        told = (reports_folder(game) / "federation" / "sitrep.txt").read_text(encoding="utf-8")
        assert "the ensign:" not in told
        found = verify(game)
        assert (found.segments, found.faults) == (1, ())


@pytest.mark.slow
def test_two_captains_play_a_game_to_its_end(tmp_path: Path) -> None:
    new("3", tmp_path / "raid", players={"klingon": "brawler", "convoy": "ensign"}, seed="captains")
    with opened(tmp_path / "raid", lock="resolve") as game:
        done = resolve_game(game)
        assert done[-1].what == "over"
        found = verify(game)
        assert (found.segments, found.faults) == (len(done) - 1, ())


def test_captains_alone_stop_after_so_many_turns_and_go_on_when_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of them may circle each other for ever."""
    new("5", tmp_path / "duel", players=dict.fromkeys(DUEL, "ensign"), seed="captains")
    monkeypatch.setattr(resolve, "ALONE", 1)
    with opened(tmp_path / "duel", lock="resolve") as game:
        turns = []
        for _ in range(2):
            *played, last = resolve_game(game)
            assert {one.what for one in played} == {"played"}
            assert (last.what, last.owing) == ("alone", ("federation", "klingon"))
            assert last.asked == game.state().request
            turns.append(game.state().turn)
        assert turns == [turns[0], turns[0] + 1]
        assert _happened(tmp_path / "duel", last).startswith(
            f"The computer players have played 1 turn, to turn {turns[1]},"
        )


def test_a_player_may_be_followed_by_a_captain(tmp_path: Path) -> None:
    new("5", tmp_path / "duel", players={**DUEL, "klingon": "kor@example.org"}, seed="captains")
    replace_player(tmp_path / "duel", Tenure(side="klingon", before="kor@example.org", player="ensign", turn=1))
    with opened(tmp_path / "duel", lock="resolve") as game:
        assert resolve_game(game)[0].owing == ("federation",)


@pytest.mark.slow
def test_a_captain_stands_in_for_who_is_late(tmp_path: Path) -> None:
    new("5", tmp_path / "duel", players={**DUEL, "klingon": "kor@example.org"}, seed="captains")
    with opened(tmp_path / "duel", lock="submit") as game:
        text = stand_in(game, "klingon", "captain", "Too late.")
        assert text.startswith("# Too late.\n# the captain: ")
        assert submit(game, text, "").side == "klingon"
        assert captains_orders(game, "klingon", "captain") in text


@pytest.mark.parametrize(
    ("player", "computer", "words"),
    [
        ("captain", True, "a computer player (captain)"),
        ("Commodore", True, "a computer player (commodore)"),
        ("computer captain", True, "a computer player (captain)"),
        ("robot", True, "the robot"),
        ("ann@example.org", False, "ann@example.org"),
        ("Captain Ann <ann@example.org>", False, "Captain Ann <ann@example.org>"),
        ("", False, ""),
    ],
)
def test_who_is_a_computer(player: str, computer: bool, words: str) -> None:
    assert by_computer(player) is computer
    assert (captain_of(player) is not None) == (computer and player != "robot")
    assert in_words(player) == words
