"""Folders that were copied half, or in which a program gave a file another name: what is told, and what to do."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.files import lookalikes
from pbem.games.storage.opening import opened
from pbem.mail.host.doctor import _misnamed
from pbem.mail.settings import read_host

BACK = "restore the game's whole folder from a copy"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The shipped duel, some turns of it."""
    shutil.copytree(Path(__file__).parents[2] / "turns" / "duel01", tmp_path / "half")
    return tmp_path / "half"


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("game.toml.txt", True), ("game (1).toml", True), ("game-LAPTOP-ANN.toml", True), ("Game - Copy.toml", True),
        ("game (Ann's conflicted copy 2027-03-01).toml", True), ("gamer.toml", False), ("game.json", False),
        ("my game.toml", False), (".game.toml.1234", False),
    ],
)  # fmt: skip
def test_which_names_are_nearly_that_of_a_file(tmp_path: Path, name: str, like: bool) -> None:
    (tmp_path / name).write_bytes(b"x")
    assert lookalikes(tmp_path / "game.toml") == [name] * like
    assert lookalikes(tmp_path / "nowhere" / "game.toml") == []


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (lambda game: (game / "game.toml").rename(game / "game.toml.txt"),
         "game.toml.txt is there: if that is the file, rename it game.toml"),
        (lambda game: (game / "game.toml").unlink(), f"{BACK}: this one has turns of a game, but no game.toml"),
        (lambda game: shutil.rmtree(game / "00"), f"(no 00/events.jsonl is there); {BACK}"),
        (lambda game: shutil.rmtree(game / "02"), f"(no 02/events.jsonl is there); {BACK}"),
        (lambda game: (game / "05/events.jsonl").rename(game / "05/events-LAPTOP.jsonl"),
         "events-LAPTOP.jsonl is there: if that is the file, rename it events.jsonl"),
        (lambda game: (game / "05/events.jsonl").write_bytes(b""), f"shows that it had records; {BACK}"),
        (lambda game: (game / "05/events.jsonl").write_bytes((game / "05/events.jsonl").read_bytes()[:-40]),
         f"was truncated; {BACK}"),
        (lambda game: (game / "05/events.jsonl").write_bytes(bytes(4000)), f"; {BACK}"),
    ],
)  # fmt: skip
def test_what_a_folder_that_is_not_whole_is_told(copied: Path, harm: Callable[[Path], object], told: str) -> None:
    harm(copied)
    with pytest.raises(GameError) as raised, opened(copied) as game:
        game.records()
    assert str(raised.value).endswith(told)


def test_order_files_that_are_gone_do_not_make_the_replay_another(copied: Path) -> None:
    shutil.rmtree(copied / "02" / "orders")
    with opened(copied) as game:
        found = verify(game).record
    assert found and {fault.code for fault in found} == {"orders-missing"} and found[0].text.endswith(BACK)


def test_a_file_that_an_editor_gave_another_ending_is_told(tmp_path: Path) -> None:
    for name in ("host.toml.txt", "players.toml.txt"):
        (tmp_path / name).write_text("format = 1\n", encoding="utf-8")
    with pytest.raises(GameError, match=r"host\.toml\.txt is there: if that is the file, rename it host\.toml"):
        read_host(tmp_path)
    (found,) = _misnamed(tmp_path)
    assert not found.right and found.said == "players.toml.txt is not read: give it the name players.toml"


def test_an_archive_that_was_unpacked_is_told_so(copied: Path) -> None:
    (copied / "proof.json").write_bytes(b"{}")
    shutil.rmtree(copied / "secret", ignore_errors=True)
    with pytest.raises(GameError, match="this is an unpacked archive"), opened(copied) as game:
        verify(game)
