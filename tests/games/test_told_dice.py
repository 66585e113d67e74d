"""Dice that were told: which stretches there are, and what of them is known, kept and noted."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbem.engine import dice
from pbem.games.create import new
from pbem.games.proof.restored import FILE as TOLD_FILE, PlayedSegment, played_in, remember, told_dice
from pbem.games.proof.reveal import without_address
from pbem.games.proof.seals import logged_segments
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.terms import read_terms


def test_the_stretches_of_a_log_hang_on_its_numbers_and_not_on_the_order_of_the_list(after_turn_1: GameFolder) -> None:
    records = list(after_turn_1.records())
    mixed = list(records)
    Random(7).shuffle(mixed)
    found, again = logged_segments(records), logged_segments(mixed)
    assert list(found) == list(again) and len(found) > 2
    assert all(found[number] == again[number] for number in found)


def test_what_is_known_of_a_backup_is_noted_only_where_there_is_something(after_turn_1: GameFolder) -> None:
    state = after_turn_1.state()
    remember(after_turn_1, [PlayedSegment(segment=state.segment, answers="x")], sure=True, why="a backup")
    assert told_dice(after_turn_1) is None and not (after_turn_1.path / TOLD_FILE).exists()
    remember(after_turn_1, [PlayedSegment(segment=state.segment + 1, answers="x")], sure=True, why="a backup")
    found = told_dice(after_turn_1)
    assert found is not None and (found.through, found.sure) == (state.segment + 1, True)


@pytest.mark.parametrize(
    ("given", "scheme"),
    [
        ({}, dice.SCHEMES[-1]),
        ({"seed": "s"}, dice.SCHEMES[0]),
        ({"seed": "s", "options": {"beacon": "none"}}, dice.SCHEMES[0]),
        ({"seed": "s", "options": {"beacon": "drand"}}, dice.SCHEMES[-1]),
        ({"seed": "s", "scheme": dice.SCHEMES[-1]}, dice.SCHEMES[-1]),
        ({"scheme": dice.SCHEMES[0]}, dice.SCHEMES[0]),
    ],
)
def test_a_seed_has_the_first_scheme_of_dice_and_a_beacon_the_newest(
    tmp_path: Path, given: dict[str, Any], scheme: int
) -> None:
    assert len(set(dice.SCHEMES)) > 1
    new("5", tmp_path / "game", players={"klingon": "a"}, **given)
    assert read_terms((tmp_path / "game" / "game.toml").read_bytes(), "game.toml").dice.scheme == scheme


def test_how_a_segment_was_played_is_told_in_the_same_words_by_every_version() -> None:
    """Marks in mailboxes and what is kept of a backup were written by older ones."""
    with opened(Path(__file__).resolve().parents[2] / "turns" / "duel01") as game:
        first, *_, last = played_in(game.records(), 0)
    assert first == PlayedSegment(segment=1, answers="11a4d0290ff3f068")
    assert last == PlayedSegment(segment=18, answers="d7c05b6b28249f34")


@pytest.mark.parametrize(
    ("player", "name"),
    [("Ann <ann@example.org>", "Ann"), ('"Ann Lee" <ann@example.org>', "Ann Lee"), ("ann@example.org", ""),
     ("<ann@example.org>", ""), ("ann@example.org <ann@example.org>", ""), ("Ann", "Ann"), ("A < B", "A < B"),
     ("robot", "robot"), ("", "")],
)  # fmt: skip
def test_who_plays_is_told_without_his_address(player: str, name: str) -> None:
    assert without_address(player) == name
