"""A preview plays one side's ships alone: what others do or hide changes nothing in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pbem.data.terms import FormKind, UnitFate
from pbem.engine.events import OrdersFiled, Record, SegmentBegan
from pbem.engine.log import fold_records
from pbem.engine.on_file import altered
from pbem.engine.state import Ship, State
from pbem.games.answers import judged_on
from pbem.games.create import new
from pbem.games.preview import Preview, alone, preview
from pbem.games.storage.opening import opened
from pbem.games.submit import check

TURNS = Path(__file__).resolve().parents[2] / "turns"


def moments(records: list[Record]) -> list[tuple[State, list[OrdersFiled]]]:
    """Every request of a game with its answers."""
    begins = [place for place, record in enumerate(records) if isinstance(record.event, SegmentBegan)]
    found = []
    for place, following in zip(begins, [*begins[1:], len(records)], strict=True):
        filed = [r.event for r in records[place:following] if isinstance(r.event, OrdersFiled)]
        found.append((fold_records(records[:place]), filed))
    return found


@pytest.mark.parametrize("name", ["duel01", "rescue01"])
def test_every_answer_of_an_example_game_can_be_previewed(name: str) -> None:
    with opened(TURNS / name) as game:
        scenario = game.scenario()
        flown = 0
        for state, filed in moments(game.effective()):
            for answer in filed:
                found = preview(state, scenario, answer.side, answer.text)
                mine = {unit.name for unit in state.units.values() if unit.side == answer.side}
                assert {unit for unit, _ in found.tracks} <= mine
                assert found == preview(state, scenario, answer.side, answer.text)
                flown += len(found.tracks)
        assert flown > 3


def test_what_others_hide_changes_nothing() -> None:
    with opened(TURNS / "duel01") as game:
        scenario = game.scenario()
        for state, filed in moments(game.effective()):
            for answer in filed:
                others = {
                    name: altered(unit, capacitor=0, batteries=0, speed=3, weapons={})
                    for name, unit in state.units.items()
                    if isinstance(unit, Ship) and unit.side != answer.side
                }
                standing = {side: orders for side, orders in state.standing.items() if side == answer.side}
                changed = msgspec.structs.replace(state, units={**state.units, **others}, standing=standing)
                assert preview(changed, scenario, answer.side, answer.text) == preview(
                    state, scenario, answer.side, answer.text
                )


def test_a_file_with_both_forms_is_flown_too(duel: Path, orders: Callable[..., str]) -> None:
    both = orders("klingon", "FULL").replace("PLOT TOWARD Constellation", "PLOT 14F")
    with opened(duel) as game:
        found = preview(game.state(), game.scenario(), "klingon", check(game, both, "").orders)
    ((unit, track),) = found.tracks
    assert unit == "Destruction" and len(track) == 14


def test_an_energy_form_flies_nothing_before_speeds_are_announced_whoever_plays(tmp_path: Path) -> None:
    """Where a robot plays too they are announced only while two players are there (scenario #8)."""
    players = {"orion": "a@x.example", "defender": "b@x.example", "convoy": "robot"}
    new("8", tmp_path / "raid", players=players, seed="preview")
    with opened(tmp_path / "raid") as game:
        state, scenario = game.state(), game.scenario()
    assert state.request is not None and state.request.form == FormKind.FULL
    come = msgspec.structs.replace(state.units["Defender"], gone=UnitFate.IN_PLAY, hex="2010", facing="A")
    both = msgspec.structs.replace(
        state,
        units={**state.units, "Defender": come},
        request=msgspec.structs.replace(state.request, form=FormKind.EAF, sides=("defender", "orion")),
    )
    head = 'SHIP "Orion Raider"\nENERGY\n  SPEED 4\n'
    flown = []
    for now in (state, both):
        for plot in ("", "PLOT 4F\n"):
            text = f"GAME raid TURN 1 SIDE orion REPLY 1\n{head}{plot}END\n"
            judged = judged_on(now, scenario, text, "")
            assert not judged.faults
            flown.append([len(track) for _, track in preview(now, scenario, "orion", judged.text).tracks])
    assert flown == [[2], [2], [], [2]], "half a turn is played"


def test_nobody_else_is_there() -> None:
    with opened(TURNS / "duel01") as game:
        for state, _ in moments(game.effective()):
            lonely = alone(state, "klingon")
            assert {unit.side for unit in lonely.units.values() if unit.in_play} <= {"klingon"}
            assert set(lonely.standing) <= {"klingon"}


def test_a_preview_of_conceding_names_no_winner(duel: Path) -> None:
    with opened(duel) as game:
        text = f"GAME {game.terms.name} TURN 1 SIDE klingon REPLY 1\n\nCONCEDE\n\nEND\n"
        told = [sentence for _, sentence in preview(game.state(), game.scenario(), "klingon", text).told]
    assert told[0] == "klingon concedes and gives the game up."
    assert not any("victory" in sentence for sentence in told)


def test_drones_without_a_ship_have_no_preview(tmp_path: Path) -> None:
    """Scenario #2: what they do follows from where their target flies."""
    new("2", tmp_path / "duel", players={"drones": "bob@example.org"}, seed="preview")
    with opened(tmp_path / "duel") as game:
        text = 'GAME duel TURN 1 SIDE "drones" REPLY 1\n\nDO\n  GUIDE "Drone A" LEFT\n\nEND\n'
        assert preview(game.state(), game.scenario(), "drones", text) == Preview()
