"""The displays along the film are those of a view that ends with the frame, and hold nothing of others' secrets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest

from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.games.storage.opening import opened
from pbem.reports.html.board import board_of
from pbem.reports.map.ssd import FilmDisplays, display
from pbem.reports.text import sentences
from pbem.reports.view.build import build_view, build_whole
from tests.corpus import replay
from tests.reports.film_states import film_of, states

ROOT = Path(__file__).resolve().parents[2]
KEPT = ("2-captain-1", "3-commodore-1", "10-ensign-1", "11-ensign-1")
"""Games of several scenarios whose orders are kept."""


def shipped(game: str) -> list[Record]:
    with opened(ROOT / "turns" / game) as folder:
        return list(folder.effective())


def kept(game: str) -> list[Record]:
    return replay.played(replay.read(replay.GAMES / f"{game}.toml")).records


def cuts(records: Sequence[Record], side: str, first: int) -> Iterator[list[Record]]:
    """The log up to the end of each frame of a film that begins with turn ``first``."""
    step = (first, 0, "")
    for place, record in enumerate(records):
        event = ev.seen_by(record, side)
        if event is None or event.turn < first:
            continue
        now = (event.turn, event.impulse, event.step)
        if now != step and sentences.words_for(event).place in ("activity", "move"):
            yield list(records[:place])
            step = now
    yield list(records)


def check(records: Sequence[Record], side: str) -> None:
    """Compare the displays of each frame with those of a view that ends there."""
    view, film = film_of(records, side)
    first = view.replay[0].turn or view.shown
    ended = list(cuts(records, side, first))
    assert len(ended) == len(view.replay)
    before: dict[str, dict[str, Any]] = {}
    for cut, now in zip(ended, states(film, len(ended)), strict=True):
        if now == before:
            continue
        before, there = now, build_view(cut, side, replay=False)
        speeds = {unit.name: unit.speed for unit in there.units}
        assert set(now) == {ssd.unit for ssd in there.ssds}
        for ssd in there.ssds:
            state, ship = now[ssd.unit], film.ships[ssd.unit]
            assert (state["internals"], state["gone"]) == (ssd.internals, ssd.gone)
            assert state["speed"] == speeds[ssd.unit]
            for weapon in ssd.weapons:
                assert state["working"].get(weapon.name, True) == weapon.working
                assert state["words"].get(weapon.name, "") == weapon.words
            drawn = display(ssd)
            # How wide a label is, and with it the places of boxes beside it, depends on its numbers.
            assert [(b.name, b.columns, b.start) for b in drawn.blocks] == [
                (b.name, b.columns, b.start) for b in ship.blocks
            ]
            labels = [f"{_called(block.name)} {state['boxes'][block.name]}/{block.start}" for block in ship.blocks]
            assert labels == [label.text for label in drawn.labels]


def _called(name: str) -> str:
    return "warp" if name in ("warp left", "warp right") else name


@pytest.mark.parametrize("game", ["duel01", "rescue01"])
@pytest.mark.parametrize("side", ["federation", "klingon", "umpire", ""])
def test_displays_of_shipped_games_are_those_of_a_view_cut_off_at_the_frame(game: str, side: str) -> None:
    records = shipped(game)
    check(records, side)
    # A game that is not over shows its last turn alone.
    turns = [place for place, record in enumerate(records) if isinstance(record.event, ev.Requested)]
    check(records[: turns[len(turns) // 2] + 1], side)


@pytest.mark.parametrize("side", ["federation", "klingon", "umpire", ""])
def test_displays_of_games_made_by_hand_are_those_of_a_view_cut_off_at_the_frame(
    duels: ModuleType, raids: ModuleType, side: str
) -> None:
    for records in (duels.duel(), duels.ended(), raids.raid()):
        check(records, side)


@pytest.mark.slow
@pytest.mark.parametrize("game", KEPT)
def test_displays_of_kept_games_are_those_of_a_view_cut_off_at_the_frame(game: str) -> None:
    records = kept(game)
    for side in build_view(records, "").players:
        check(records, side.side)


def test_the_film_of_displays_ends_as_the_displays_are_drawn(duels: ModuleType) -> None:
    for records in (duels.duel(), duels.ended(), shipped("duel01"), shipped("rescue01")):
        view, film = film_of(records, "klingon")
        *_, last = states(film, len(view.replay))
        for ssd in view.ssds:
            assert all(last[ssd.unit]["boxes"][box.name] == box.now for box in (*ssd.shields, *ssd.systems))
        assert view == (build_whole(records, "klingon") if view.over else build_view(records, "klingon"))


def test_the_shipped_duel_shows_the_hit_that_downs_a_shield() -> None:
    records = shipped("duel01")
    view, film = film_of(records, "klingon")
    struck = [
        (frame.turn, frame.impulse, change.unit)
        for change in film.changes
        for frame in [view.replay[change.frame]]
        if change.now.boxes.get("#6") == 0 and change.now.working.get("PH 3") is False
    ]
    assert [moment[:2] for moment in struck] == [(2, 5)]


def test_impulses_begin_where_the_frames_say(duels: ModuleType) -> None:
    view, film = film_of(duels.ended(), "federation")
    moments = [(frame.turn, frame.impulse) for frame in view.replay]
    assert [moments[k] for k in film.begins] == list(dict.fromkeys(moments))
    assert film.begins[0] == 0


@pytest.mark.parametrize("game", ["duel01", "rescue01"])
def test_displays_hold_no_secret_of_the_enemy(game: str) -> None:
    """Without all that only the enemy may know the displays are the same, and no charge of his is told."""
    records = shipped(game)
    for side in ("federation", "klingon"):
        public = [
            Record(n=record.n, event=event) for record in records if (event := ev.seen_by(record, side)) is not None
        ]
        for end in (len(records), len(records) // 2):
            numbers = {record.n for record in records[:end]}
            view, film = film_of(records[:end], side)
            _, without = film_of([record for record in public if record.n in numbers], side)
            mine = {unit.name for unit in view.units if unit.mine}
            theirs = [change for change in film.changes if change.unit not in mine]
            assert theirs == [change for change in without.changes if change.unit not in mine]
            said = {words for change in theirs for words in change.now.words.values()}
            assert all(words == "destroyed" or words.startswith("fired ") for words in said)


def test_the_page_holds_the_displays_of_its_film(duels: ModuleType) -> None:
    with opened(ROOT / "turns" / "duel01") as folder:
        records, scenario = folder.effective(), folder.scenario()
    board = board_of(records, "klingon", scenario, "")
    film = msgspec.json.decode(str(board.along), type=FilmDisplays)
    assert set(film.ships) == set(board.displays)
    assert [name for name, ship in film.ships.items() if ship.mine] == ["Destruction"]
    assert len(str(board.along)) < 8_000
