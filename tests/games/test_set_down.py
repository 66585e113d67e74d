"""Counters set down elsewhere, and new players whose file cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.data.terms import FormKind, UnitFate
from pbem.engine.events import Adjusted
from pbem.errors import GameError
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import PLAYERS_FILE, TENURES, replaced, tenures
from pbem.games.umpire.decree import reposition
from pbem.games.umpire.limits import place_faults


def test_units_are_set_down_in_the_order_of_their_names_or_not_at_all(game: GameFolder) -> None:
    state = game.state()
    wrong = {"Zeta": "1010A", "Constellation": "1010", "Destruction": "0000A"}
    with pytest.raises(GameError) as refused:
        reposition(game, wrong, source="t.vsav")
    assert [(fault.code, fault.text.split()[0], fault.file) for fault in refused.value.faults] == [
        ("bad-position", "Constellation", "t.vsav"), ("bad-position", "Destruction", "t.vsav"),
        ("unknown-unit", "Zeta", "t.vsav"),
    ]  # fmt: skip
    assert game.state() == state and reposition(game, {}, source="t.vsav") == 0
    before = len(game.records())
    assert reposition(game, {"Destruction": "1112B", "Constellation": "1011C"}, source="t.vsav") == 2
    found = [(record.n - before, record.event) for record in game.records()[before:]]
    why = "taken from t.vsav"
    assert found == [
        (n, Adjusted(turn=state.turn, impulse=state.impulse, step=state.step, unit=unit, at=at, why=why))
        for n, unit, at in ((1, "Constellation", "1011C"), (2, "Destruction", "1112B"))
    ]
    for at in ("1011", "1011G", "10A1B", "1011AA", "9911A", ""):
        assert [fault.code for fault in place_faults(state, "Destruction", at, "")] == ["bad-position"], at
    assert state.request is not None and state.request.form == FormKind.EAF
    ship = state.units["Destruction"]
    for unit, codes in ((ship, []), (replace(ship, gone=UnitFate.DESTROYED), ["unknown-unit"])):
        now = replace(state, units={**state.units, "Destruction": unit})
        assert [fault.code for fault in place_faults(now, "Destruction", "1011A", "")] == codes


def test_new_players_that_cannot_be_read_are_told_at_their_file(tmp_path: Path) -> None:
    assert replaced(tmp_path) == {} and tenures(tmp_path) == []
    (tmp_path / "secret").mkdir()
    for name in (PLAYERS_FILE, TENURES):
        (tmp_path / "secret" / name).write_text("{", encoding="utf-8")
    with pytest.raises(GameError) as refused:
        replaced(tmp_path)
    [fault] = refused.value.faults
    assert (fault.code, fault.file) == ("players-damaged", str(tmp_path / "secret" / PLAYERS_FILE))
    assert fault.text.startswith("the new players are damaged: ") and tenures(tmp_path) == []
