"""Every order stands in its owner's report with what became of it, also one that did nothing all turn."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from pbem.engine import events as ev
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.reports.view.tables import _idle_results
from tests.engine.world import rich

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
        resolve_game(game)
    (sitrep,) = (tmp_path / "duel").glob("02/*/klingon/sitrep.txt")
    lines = [line.strip() for line in sitrep.read_text(encoding="utf-8").splitlines()]
    told = {line.partition(" ")[2].strip(): after for line, after in pairwise(lines)}
    idle = "-> impulse 32: did not act: its condition did not come true"
    assert told["IF RANGE Constellation <= 1 THEN R"] == idle
    assert told["IF RANGE Constellation <= 2 THEN FIRE PH 1 AT Constellation"] == idle
    assert told["RESERVE UP TO 2 TO #4"] == "-> impulse 32: did not act: there was nothing for it to act on"
    assert told["AT 5 LAUNCH DRONE 1 AT Constellation"] == "-> impulse 5: acted: KD/1 launched"


TEXT = """SHIP Des
PLOT 4F
  IF RANGE Con <= 1 THEN R
DO
  GUIDE KD/* LEFT
  AT 5 FIRE PH 1 AT Con AND GUIDE KD/* LEFT
  AT 6 FIRE PH 2 AT Con
  LAST FIRE PH 3 AT Con
  FIRE PH 4 AT Wreck
  IF RANGE Con <= 1 THEN FIRE PH 5 AT Con
"""


@pytest.mark.parametrize(("over", "turn", "impulse", "told"), [
    (True, 2, 5, {
        3: "its condition did not come true", 6: "there was nothing for it to act on",
        7: "the game was over before its moment", 8: "the game was over before its moment",
        9: "Wreck: destroyed", 10: "its condition did not come true",
    }),
    (False, 3, 0, {
        3: "its condition did not come true", 6: "there was nothing for it to act on",
        7: "there was nothing for it to act on", 8: "there was nothing for it to act on",
        9: "Wreck: destroyed", 10: "its condition did not come true",
    }),
    (False, 2, 0, {}), (False, 2, 9, {}), (False, 3, 1, {}),
])  # fmt: skip
def test_why_each_order_did_nothing(over: bool, turn: int, impulse: int, told: dict[int, str]) -> None:
    """Only GUIDE does its work unseen: of it alone nothing is said. Nothing is said either before the turn is over, nor
    of a line of which something was told.
    """
    state = rich()
    assert state.request is not None and (state.turn, state.impulse) == (2, 5)
    request = replace(state.request, turn=turn, impulse=impulse)
    state = replace(state, over=over, request=request if not over else None, impulse=5 if over else impulse)
    filed = ev.OrdersFiled(turn=2, impulse=0, side="klingon", request=1, text=TEXT)
    found = _idle_results(filed, set(), state)
    assert {said.line: said.reason for said, _ in found} == told
    assert {said.impulse for said, _ in found} <= {5 if over else 16}
    assert all(said.result == ("disarmed" if said.line == 9 else "did not act") and said.spent for said, _ in found)
    assert [said.line for said, _ in _idle_results(filed, {3, 8}, state)] == [
        line for line in told if line not in (3, 8)
    ]
