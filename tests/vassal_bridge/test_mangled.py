"""Mangled modules and saves of others at the table: each is looked at and laid out, or refused with one sentence."""

from __future__ import annotations

import random
import zipfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from pbem.engine.state import State
from pbem.errors import GameError
from pbem.lab.random_games.play import deal, opening
from pbem.vassal_bridge.binding import binding_text, read_binding
from pbem.vassal_bridge.export import export_game, open_module, write_save
from pbem.vassal_bridge.import_plots import tried_out
from pbem.vassal_bridge.import_positions import import_positions, open_save
from pbem.vassal_bridge.propose import propose, survey
from pbem.vassal_bridge.scene import public_state
from pbem.vassal_bridge.update import update_save
from tests.vassal.fuzz.run import mutated
from tests.vassal_bridge.foreign import MADE
from vassal.save import read_text

pytestmark = pytest.mark.slow

FILES = 150
"""So many of each kind are tried."""


@cache
def game() -> State:
    return public_state(opening(deal("8-1-2")).records)


@pytest.mark.parametrize("name", MADE)
def test_a_mangled_module_is_looked_at_or_refused(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(MADE[name](tmp_path / "whole.vmod")) as archive:
        whole = archive.read("buildFile.xml")
    chance = random.Random(name)
    for _ in range(FILES):
        path = _packed(tmp_path / "mangled.vmod", "buildFile.xml", mutated(whole, [whole], chance))
        with suppress(GameError):
            module = open_module(path)
            found = survey(module)
            if found.map.choices:
                assert read_binding(binding_text(found.binding()), "vassal.toml") == found.binding()
            done = export_game(game(), module)
            write_save(done.save, tmp_path / "made.vsav")
            assert import_positions(game(), open_save(tmp_path / "made.vsav"), module, done.binding).moved == ()


@pytest.mark.parametrize("name", MADE)
def test_a_mangled_save_is_compared_and_brought_up_to_date_or_refused(name: str, tmp_path: Path) -> None:
    module = open_module(MADE[name](tmp_path / "whole.vmod"))
    binding = propose(game(), module)
    write_save(export_game(game(), module, binding).save, tmp_path / "whole.vsav")
    whole = read_text(tmp_path / "whole.vsav").encode()
    chance = random.Random(name)
    for _ in range(FILES):
        path = _packed(tmp_path / "mangled.vsav", "savedGame", mutated(whole, [whole], chance))
        with suppress(GameError):
            save = open_save(path)
            import_positions(game(), save, module, binding)
            write_save(update_save(game(), save, module, binding).save, tmp_path / "made.vsav")
        with suppress(GameError):
            tried_out(game(), "", module, binding, path)


def _packed(path: Path, member: str, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, data)
    return path
