"""Answers to a request that are a single word, such as CONCEDE, instead of orders.

Such answers take effect before anything else. With CONCEDE a side gives up the game: its units leave play, and the game
goes on without them or is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import is_wreck, sides_left
from pbem.engine.state import State
from pbem.engine.steps import tractor_links as links
from pbem.engine.victory import judge
from pbem.orders.model import Orders


def give_up(table: Resolution, sides: Sequence[str]) -> None:
    """Let sides concede: all units that they command leave play.

    Reinforcements that have not arrived yet are included. When the last human player of a team concedes, the team's
    computer players concede too, because nobody is left to direct them.
    """
    for side in sides:
        _leave(table, side)
    for side in _leaderless(table.state, {table.state.team_of(side) for side in sides}):
        _leave(table, side)
    links.settle(table)
    judge(table)


def _leave(table: Resolution, side: str) -> None:
    table.tell(ev.Conceded(side=side, rule=_rule(table)))
    for unit in sorted(table.state.units.values(), key=lambda unit: unit.name):
        if unit.belongs_to(side) and unit.is_left and not is_wreck(unit):
            table.tell(ev.Removed(unit=unit.name, how=UnitFate.CONCEDED, why=f"{side} gives up", rule=_rule(table)))


def _leaderless(state: State, teams: set[str]) -> list[str]:
    """Return the computer players of those given teams that have no human player left.

    Only computer players that still have units are returned.
    """
    left = sides_left(state) & state.sides.keys()
    led = {state.team_of(side) for side in left if not state.sides[side].robot}
    return sorted(side for side in left if state.team_of(side) in teams - led)


def _rule(table: Resolution) -> str:
    return f"scenario #{table.scenario.number}"


PLAYED: dict[str, Callable[[Resolution, Sequence[str]], None]] = {"CONCEDE": give_up}
"""Dict of each word that replaces orders to the function that carries it out.

:data:`pbem.orders.vocabulary.ALONE` explains the words.
"""


def play(table: Resolution, answers: Mapping[str, Orders]) -> None:
    """Carry out the answers that consist of a single word such as CONCEDE."""
    for word, done in PLAYED.items():
        if sides := [side for side, orders in answers.items() if orders.alone == word]:
            done(table, sides)
