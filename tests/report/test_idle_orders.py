"""Every order stands in its owner's report with what became of it, also one that did nothing all turn."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from pbem.desk.create import new
from pbem.desk.opened import opened
from pbem.desk.play import resolve
from pbem.desk.submit import submit

ORDERS = {
    "klingon": """GAME duel TURN 1 SIDE klingon REPLY 1
SHIP Destruction
ENERGY
  SPEED 12; PHASERS 1
PLOT 4F
  IF RANGE Constellation <= 1 THEN R
DO
  IF RANGE Constellation <= 2 THEN FIRE PH 1 AT Constellation
  RESERVE UP TO 2 TO #4
  AT 5 LAUNCH DRONE 1 AT Constellation
END
""",
    "federation": "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\nEND\n",
}


@pytest.mark.slow
def test_orders_that_did_nothing_are_told_when_the_turn_is_over(tmp_path: Path) -> None:
    options = {"reveal": "none", "period": "turn"}
    new("10", tmp_path / "duel", players={"federation": "ann", "klingon": "bob"}, options=options)
    with opened(tmp_path / "duel") as game:
        for side, text in ORDERS.items():
            submit(game, text, f"{side}.orders")
        resolve(game)
    (sitrep,) = (tmp_path / "duel").glob("02/*/klingon/sitrep.txt")
    lines = [line.strip() for line in sitrep.read_text(encoding="utf-8").splitlines()]
    told = {line.partition(" ")[2].strip(): after for line, after in pairwise(lines)}
    idle = "-> impulse 32: did not act: its condition did not come true"
    assert told["IF RANGE Constellation <= 1 THEN R"] == idle
    assert told["IF RANGE Constellation <= 2 THEN FIRE PH 1 AT Constellation"] == idle
    assert told["RESERVE UP TO 2 TO #4"] == "-> impulse 32: did not act: there was nothing for it to act on"
    assert told["AT 5 LAUNCH DRONE 1 AT Constellation"] == "-> impulse 5: acted: KD/1 launched"
