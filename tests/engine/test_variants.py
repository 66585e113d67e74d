"""Other versions of the scenarios: each is set up, is known by its key wherever a game is moved, and differs from the
scenario in what it says and in nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pbem.data.scenarios import scenario, variant_keys, varied
from pbem.engine.state import Ship
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened


@pytest.mark.parametrize("key", variant_keys())
def test_a_variant_is_set_up_and_keeps_its_key(key: str, tmp_path: Path) -> None:
    setting = scenario(key)
    assert setting.key == key
    assert setting.title != scenario(setting.number).title
    new(key, tmp_path / "game", players={}, seed=key)
    with opened(tmp_path / "game") as game:
        state = game.state()
        assert state.scenario == game.terms.scenario == key
        assert {unit.name for unit in setting.units if not unit.optional} <= set(state.units)
        assert verify(game).faults == ()
        sitrep = next(tmp_path.rglob("umpire/sitrep.txt")).read_text(encoding="utf-8")
    assert f"scenario #{setting.number}, {setting.title}," in " ".join(sitrep.split())


def test_a_variant_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(GameError, match="slow-ship, slow-drones"):
        scenario("2-fast")
    with pytest.raises(GameError, match="has no variants"):
        scenario("5-fast")


def test_half_shields_are_half_of_each_shield(tmp_path: Path) -> None:
    whole: dict[str, tuple[int, ...]] = {}
    half: dict[str, tuple[int, ...]] = {}
    for key, ships in (("12", whole), ("12-half-shields", half)):
        new(key, tmp_path / key, players={}, seed=key)
        with opened(tmp_path / key) as game:
            ships.update({s.name: s.shields for s in game.state().units.values() if isinstance(s, Ship)})
    assert half["War"] == tuple(boxes // 2 for boxes in whole["War"])
    assert half["Constellation"] == whole["Constellation"]
    assert half.keys() == whole.keys() == {"Constellation", "War", "Fire"}


def test_named_things_are_changed_added_and_left_out() -> None:
    raw: dict[str, Any] = {
        "title": "one",
        "units": [{"name": "A", "hex": "0101"}, {"name": "B", "hex": "0202"}],
        "victory": {"x": 1, "y": 2},
    }
    changes = {
        "title": "two",
        "units": [{"name": "A", "hex": "0303"}, {"name": "C", "hex": "0404"}],
        "victory": {"y": 3},
    }
    assert varied(raw, {**changes, "without": ["B"]}) == {
        "title": "two",
        "units": [{"name": "A", "hex": "0303"}, {"name": "C", "hex": "0404"}],
        "victory": {"x": 1, "y": 3},
    }
    assert raw["title"] == "one"
