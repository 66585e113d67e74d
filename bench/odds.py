"""What a duel hangs on: `python bench/odds.py [GAMES]` plays #5 by doctrines drawn for each turn, notes the position as
each turn begins and who won, and fits the chance to win to it (logistic regression). It prints the points of the
measure `odds` in pbem/data/doctrines.toml, as hundredths of the logarithm of the odds.

Doctrines are those a captain may choose; a side keeps to one of them in half of its turns, so that games differ in
style. 600 games take less than a minute, and the same number gives the same figures on every machine.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.data.doctrines import Measure
    from pbem.data.scenarios import Scenario
    from pbem.engine.state import State

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SCENARIO, SIDES = "5", ("federation", "klingon")
FITTED = ("box", "phaser", "heavy", "rack", "loaded", "shield", "seeker", "facing")
GAMES, TURNS, STEPS = 600, 16, 10
RIDGE = 1.0
"""What holds weights near nothing of which the games say little."""


def played(number: int, setting: Scenario) -> tuple[list[State], State]:
    """The positions as the turns of one game began, and its end."""
    import pbem
    from pbem.ai.order_writer import lines_for
    from pbem.ai.robot import commanders
    from pbem.data.doctrines import doctrines
    from pbem.engine.dice import SegmentDice
    from pbem.engine.legal.trial import as_order_file
    from pbem.engine.play.resolve import Filed, resolve

    file, draw = doctrines(), random.Random(f"odds {number}")
    may = [file.doctrine(name) for name in file.level("captain").plans]
    habit = {side: draw.choice(may) for side in SIDES}
    dice = SegmentDice(f"odds {number}".encode())
    state, begun, plans = pbem.Game.new(SCENARIO, {}, seed=str(number)).state, [], dict(habit)
    while not state.over and state.request is not None and state.request.turn <= TURNS:
        if state.request.impulse == 0 and state.request.form != "SOP":
            plans = {side: draw.choice((habit[side], draw.choice(may))) for side in SIDES}
            begun.append(state)
        sides = state.request.sides
        texts = {side: as_order_file("", lines_for(state, setting, side, plans[side]))[0] for side in sides}
        filed = {side: Filed(text=text.lstrip("\n")) for side, text in texts.items()}
        state = resolve(state, setting, filed, dice, robots=commanders(setting)).state
    return begun, state


def fitted(rows: Sequence[Sequence[float]], won: Sequence[bool]) -> list[float]:
    """The weights by which rows say best who won (Newton's method); the first of each row is 1."""
    weights = [0.0] * len(rows[0])
    size = range(len(weights))
    for _ in range(STEPS):
        slope = [-RIDGE * weight for weight in weights]
        bend = [[RIDGE * (i == j) for j in size] for i in size]
        for row, result in zip(rows, won, strict=True):
            chance = chance_of(row, weights)
            for i in size:
                slope[i] += (result - chance) * row[i]
                for j in size:
                    bend[i][j] += chance * (1 - chance) * row[i] * row[j]
        weights = [weight + step for weight, step in zip(weights, solved(bend, slope), strict=True)]
    return weights


def chance_of(row: Sequence[float], weights: Sequence[float]) -> float:
    return (1 + math.tanh(sum(a * b for a, b in zip(row, weights, strict=True)) / 2)) / 2


def solved(matrix: list[list[float]], right: list[float]) -> list[float]:
    """The solution of a system of linear equations (elimination)."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i, row in enumerate(rows):
        for other in rows[i + 1 :]:
            part = other[i] / row[i]
            other[i:] = [a - part * b for a, b in zip(other[i:], row[i:], strict=True)]
    found = [0.0] * len(rows)
    for i in reversed(range(len(rows))):
        found[i] = (rows[i][-1] - sum(rows[i][j] * found[j] for j in range(i + 1, len(rows)))) / rows[i][i]
    return found


def alone(field: str) -> Measure:
    """A measure in which one thing counts; two points, as half of what is loaded may count."""
    from msgspec.structs import replace

    from pbem.data.doctrines import doctrines

    odds = doctrines().measure("odds")
    return replace(odds, **{**dict.fromkeys((*FITTED, "ship", "down", "curve"), 0), field: 2})


def main(games: int) -> None:
    from pbem.ai.evaluation import points
    from pbem.data.scenarios import scenario

    setting, side = scenario(SCENARIO), SIDES[0]
    measures = [alone(field) for field in FITTED]
    rows: list[list[float]] = []
    won: list[bool] = []
    for number in range(games):
        begun, end = played(number, setting)
        if end.over:
            rows += [[1, *(points(one, setting, side, each) / 2 for each in measures)] for one in begun]
            won += [any(one.side == side and "victory" in one.result for one in end.outcome)] * len(begun)
    weights = fitted(rows, won)
    for field, weight in zip(FITTED, weights[1:], strict=True):
        print(f"{field} = {round(100 * weight)}")
    chances = [chance_of(row, weights) for row in rows]
    right = sum((chance > 0.5) is result for chance, result in zip(chances, won, strict=True))
    print(f"# {len(rows)} positions of {games} games; {round(100 * right / len(rows))} of 100 are called right")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else GAMES)
