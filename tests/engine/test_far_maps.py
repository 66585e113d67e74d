"""Maps as large as names of hexes allow: a ship at their edge is checked and leaves like any other (C1.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.data.scenarios import scenario
from pbem.errors import GameError
from pbem.games import create
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit

FAR = """\
number = "far"
title = "Far"
level = "cadet"
impulses = 16
map = ["9090", "{last}"]
source = "test"
confidence = "designed"
[victory]
kind = "duel"
[[sides]]
name = "federation"
team = "federation"
race = "federation"
[[sides]]
name = "klingon"
team = "klingon"
race = "klingon"
[[units]]
ship = "fed_cadet_ca"
name = "Edge"
side = "federation"
hex = "{last}"
facing = "C"
prior_speed = 8
[[units]]
ship = "kli_cadet_d6"
name = "Far"
side = "klingon"
hex = "9090"
facing = "A"
prior_speed = 8
"""


def test_beyond_column_98_nothing_has_a_name(tmp_path: Path) -> None:
    file = tmp_path / "far.toml"
    file.write_text(FAR.format(last="9999"), encoding="utf-8")
    with pytest.raises(GameError, match=r"map\[1\]: 9999 is too far"):
        scenario(str(file))


def test_a_ship_in_the_last_hex_is_checked_and_may_leave(tmp_path: Path) -> None:
    file, game = tmp_path / "far.toml", tmp_path / "far"
    file.write_text(FAR.format(last="9898"), encoding="utf-8")
    people = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    create.new(str(file), game, players=people, seed="far", options={"reveal": "none"})
    with opened(game) as folder:
        for side, name in (("federation", "Edge"), ("klingon", "Far")):
            text = f"GAME far TURN 1 SIDE {side} REPLY 1\nSHIP {name}\nPLOT F\n  LEAVE MAP\nEND\n"
            submit(folder, text, f"{side}.orders")
        resolve_game(folder)
        assert {unit.gone for unit in folder.state().units.values()} == {"disengaged"}
