"""A weapon that is armed over several turns is data: a chart, an entry among the kinds, its boxes on a ship.

It stands in a folder of the test's own and is drafted, offered, armed, fired, told, ruled on and verified as any is.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.data import charts, files, scenarios, ships
from pbem.data.ships import ship_class
from pbem.engine import events as ev, rulings
from pbem.engine.state import Ship
from pbem.engine.state_paths import NoPath
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import check, submit
from pbem.orders import vocabulary as words
from pbem.rules import weapons

pytestmark = pytest.mark.usefixtures("pages")

KIND = """
[kinds.lance]
label = "LANC"
family = "torpedo"
arming = "turns"
rule = "E1.3"
energy_rule = "E1.2"
chart = "lance"
heavy = true
rank = 2
"""
CHART = """
title = "Lance"
source = "made for a test"
confidence = "designed"
brackets = [[0, 30]]
hit = [6]
damage = [7]
min_range = 0
max_range = 30
arming = [1, 2, 3]
armed_with = ""
hold = 1
"""
PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
OPTIONS = {"reveal": "none", "autobreaks": "none"}


@pytest.fixture
def game(tmp_path: Path) -> Iterator[Path]:
    """Three turns of a duel of a cruiser with lances; the shipped data lie beside the test's own."""
    data = tmp_path / "data"
    shutil.copytree(files.HERE, data, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (data / "charts" / "lance.toml").write_text(CHART, encoding="utf-8")
    kinds = data / "charts" / "weapons.toml"
    head, mark, tail = kinds.read_text(encoding="utf-8").partition("[confidence_of]")
    kinds.write_text(head + KIND + mark + tail, encoding="utf-8")
    ship = data / "ships" / "cadet" / "fed_cadet_ca.toml"
    ship.write_text(ship.read_text(encoding="utf-8").replace('kind = "photon"', 'kind = "lance"'), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "HERE", data)
        forget()
        new("5", tmp_path / "lances", players=PLAYERS, options=OPTIONS, seed="lances")
        yield tmp_path / "lances"
    forget()


def forget() -> None:
    """What is kept of files that were read."""
    for kept in (
        files.keys,
        files.is_key,
        charts._read,
        ships._read,
        scenarios._shipped,
        weapons._family,
        words._charted,
    ):
        kept.cache_clear()


def turn(game: Path, number: int, energy: str, do: str = "") -> list[ev.AnyEvent]:
    """A turn is played: the cruiser stays where it is, the other side stays too."""
    with opened(game) as folder:
        before = len(folder.records())
        for side, ship, form, orders in (
            ("federation", "Constellation", energy, do), ("klingon", "Destruction", "SPEED 0", "")
        ):  # fmt: skip
            text = f"GAME lances TURN {number} SIDE {side} REPLY 1\nSHIP {ship}\nENERGY\n{form}\n{orders}END\n"
            submit(folder, text, f"{side}.txt")
        resolve_game(folder)
        return [record.event for record in folder.records()[before:]]


def read(game: Path, number: int, name: str) -> str:
    """What the cruiser's side has after a turn."""
    (found,) = game.glob(f"{number + 1:02}/r1/federation/{name}")
    return found.read_text(encoding="utf-8")


@pytest.mark.slow
def test_it_is_drafted_offered_armed_fired_told_ruled_on_and_verified(game: Path) -> None:
    assert "LANC A" in ship_class("fed_cadet_ca").weapons[3].name
    opening = read(game, 0, "orders.draft")
    assert re.search(r"LANC A 1\b(?! WARP)", opening), "it is offered its first point, from any source"
    assert "not armed; that takes three turns" in opening
    with opened(game) as folder, pytest.raises(GameError, match="LANC A takes 1 points a turn, not 2"):
        wrong = "GAME lances TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\nLANC A 2\nEND\n"
        check(folder, wrong, "f")

    turn(game, 1, "LANC A 1 APR")
    assert "arming, two more turns" in read(game, 1, "orders.draft")
    assert re.search(r"LANC A 2\b", read(game, 1, "orders.draft"))
    assert '"name":"LANC A"' in read(game, 1, "orders.html").replace('": "', '":"')
    assert re.search(r"LANC A +\S* *arming, 1 turn of arming", read(game, 1, "sitrep.txt"))

    turn(game, 2, "LANC A 2 IMPULSE")
    assert "arming, one more turn" in read(game, 2, "orders.draft")

    happened = turn(game, 3, "LANC A 3", "DO\nAT 4 FIRE LANC A AT Destruction\n")
    (shot,) = [event for event in happened if isinstance(event, ev.Fired)]
    assert (shot.kind, shot.hit, shot.points, shot.weapon) == ("lance", True, 7, "LANC A")
    assert "LANC A" in read(game, 3, "sitrep.txt")

    with opened(game) as folder:
        state = folder.state()
        armed = rulings.set_path(state, "Constellation", "LANC B", "armed").units["Constellation"]
        assert isinstance(armed, Ship) and armed.weapons["LANC B"].armed_turns == 3
        with pytest.raises(NoPath, match="armed, arming, unarmed"):
            rulings.set_path(state, "Constellation", "LANC B", "powered")
        assert verify(folder).faults == ()
