"""A sample of the random tables of tests/vassal_bridge/scatter.py, and that its comparison can fail."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pbem.lab.random_games.play import deal, opening
from pbem.vassal_bridge.export import export_game
from pbem.vassal_bridge.import_positions import import_positions
from pbem.vassal_bridge.positions import companion
from pbem.vassal_bridge.propose import propose
from pbem.vassal_bridge.scene import public_state
from pbem.vassal_bridge.update import update_save
from tests.vassal_bridge.scatter import (
    ROOT,
    Tally,
    _Player,
    foreign_modules,
    keys,
    theirs,
    try_game,
    wrong,
    wrong_update,
)
from vassal.save import SAVED_GAME, read_save
from vassal.write import Change, update

QUICK = 5


@pytest.mark.parametrize("key", list(keys(QUICK, 5)))
def test_what_players_do_to_counters_comes_back_and_nothing_else(key: str) -> None:
    tally = Tally()
    try_game(key, tally, foreign_modules())
    assert tally.faults == []
    assert tally.tables > 0


@pytest.mark.slow
def test_what_players_do_in_more_games() -> None:
    tally = Tally()
    for key in keys(120, 6):
        try_game(key, tally, foreign_modules())
    assert tally.faults == []
    acts = {"to", "faces", "cloned", "deleted", "called", "on", "away", "beside", "back", "replaced", "at", "stranger:"}
    assert acts <= tally.acts.keys()


def test_an_act_that_is_not_noted_is_seen() -> None:
    """The comparison is no tautology: each kind of hidden act is told."""
    state = public_state(opening(deal("5-1-3")).records)
    module = companion()
    binding = propose(state, module)
    save = export_game(state, module, binding).save
    ship = next(iter(state.ships()))
    layout = module.map(binding.map).layout(save.boards[binding.map])

    def said(after: object) -> str:
        player = _Player(random.Random(1), state, save, module, binding)
        player.done.save = after  # type: ignore[assignment]
        return " ".join(wrong(player.done, state, import_positions(state, player.done.save, module, binding)))

    assert said(save) == ""
    assert f"{ship.name} is as it was" in said(update(save, {f"pbem-{ship.name}": Change(at=layout.pixel("0909"))}))
    assert f"{ship.name} is as it was" in said(update(save, remove=[f"pbem-{ship.name}"]))
    player = _Player(random.Random(1), state, save, module, binding)
    player.stranger()
    assert "are none of the game" in said(player.done.save)
    assert list(wrong_update(player.done, state, module, binding)) == []


SAVES = sorted(path.name for path in (ROOT / "tests" / "vassal" / "data").glob("hexspace*.vsav"))


@pytest.mark.parametrize("name", SAVES)
@pytest.mark.parametrize("key", ["5-1-3", "3-1-4"])
def test_a_save_that_vassal_wrote_keeps_every_byte_that_is_not_ours(tmp_path: Path, name: str, key: str) -> None:
    """Whatever release wrote it: commands, the other entries of the file, in their order; also on the disk."""
    module, state = foreign_modules()[0], public_state(opening(deal(key)).records)
    before = read_save(ROOT / "tests" / "vassal" / "data" / name)
    after = update_save(state, before, module).save
    assert theirs(before, after) == theirs(after, before) != []
    after.write(tmp_path / "new.vsav")
    again = read_save(tmp_path / "new.vsav")
    others = [entry for entry in before.entries if entry[0] != SAVED_GAME]
    assert [entry for entry in again.entries if entry[0] != SAVED_GAME] == others != []
    assert again.text == after.text != before.text
    assert again.players == before.players and again.notes == before.notes
