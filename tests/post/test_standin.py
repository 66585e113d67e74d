"""Orders for who sent none, where nothing was lost or nothing is left to order."""

from __future__ import annotations

from pathlib import Path

from pbem.desk.create import new
from pbem.desk.folder import opened
from pbem.desk.play import resolve
from pbem.desk.submit import submit
from pbem.post.standin import stand_in

WHY = "by the host"


def test_drones_that_no_ship_guides_need_no_orders(tmp_path: Path) -> None:
    """Scenario #2 with a second player who does not answer: his drones follow the special rule (F2.0)."""
    new("2", tmp_path / "duel", players={"drones": "bob@example.org"}, seed="standin")
    with opened(tmp_path / "duel") as game:
        for how in ("hold", "last orders", "robot"):
            submit(game, stand_in(game, "drones", how, WHY), "drones.orders")
        submit(game, "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nPLOT 8F\n", "federation.orders")
        resolve(game)
        assert game.state().turn == 1 and game.state().request is not None


def test_last_orders_go_on_without_the_lines_about_the_dead(tmp_path: Path) -> None:
    """A target that is gone would be refused in orders for a new turn."""
    text = """SHIP "{name}"
ENERGY
  PHASERS 1
PLOT TOWARD NEAREST SHIP
DO
  IF RANGE Destruction <= 1 THEN FIRE PH 1 AT Destruction
  {more}
"""
    options = {"reveal": "none", "autobreaks": "none"}
    players = {"federation": "ann@example.org", "klingon": "kor@example.org"}
    new("12", tmp_path / "four", players=players, options=options, ships={"War": "kli_cadet_d6"}, seed="standin")
    with opened(tmp_path / "four") as game:
        head = "GAME four TURN 1 SIDE {} REPLY 1 FORM FULL\n"
        mine = text.format(name="Constellation", more="FIRE PH 1 AT War IF RANGE <= 1").replace("Destruction", '"Fire"')
        submit(game, head.format("federation") + mine, "federation.orders")
        war = "SHIP War\nENERGY\nDO\n  AT 1 DISENGAGE\n"
        submit(game, head.format("klingon") + war + 'SHIP "Fire"\nENERGY\n', "klingon.orders")
        resolve(game)
        while (request := game.state().request) is not None and request.turn == 1:
            for side in request.sides:
                submit(game, f"GAME four TURN 1 SIDE {side} REPLY {request.number}\nCONTINUE\n", f"{side}.orders")
            resolve(game)
        again = stand_in(game, "federation", "last orders", WHY)
    assert "AT War" not in again
    assert 'FIRE PH 1 AT "Fire"' in again
