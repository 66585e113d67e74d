"""Victory: how scenarios are won and lost.

Each set of victory conditions (:class:`pbem.data.scenarios.Victory`) has its own class.
"""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import conceded, is_wreck
from pbem.engine.state import Outcome, State
from pbem.engine.victory.battles import Drill, Duel, Hunt, Survive
from pbem.engine.victory.kind import VictoryConditions
from pbem.engine.victory.tasks import Dakota, Piracy, Raid, Rescue

KINDS: dict[str, type[VictoryConditions]] = {
    "duel": Duel, "dakota": Dakota, "none": VictoryConditions, "drill": Drill, "survive": Survive, "raid": Raid,
    "piracy": Piracy,
    "rescue": Rescue, "monster": Hunt,
}  # fmt: skip
"""Dict of the word that scenarios use for a kind of victory to its class."""


def victory_conditions(scenario: Scenario) -> VictoryConditions:
    """Return the object that decides when a scenario ends and who wins.

    The object is an instance of the class for the scenario's victory conditions.
    """
    return KINDS[scenario.victory.kind](scenario.victory)


def announces(scenario: Scenario) -> bool:
    """Return whether ships may disengage anywhere on the map by announcing it.

    If not, ships can disengage only by leaving the map.
    """
    return victory_conditions(scenario).announces if scenario.disengagement is None else scenario.disengagement


def judge(table: Resolution, *, last: bool = False) -> None:
    """End the game if the scenario is decided.

    The function is called at the end of every impulse, and at the end of a turn with ``last`` true.
    """
    if table.state.over:
        return
    outcome = verdict(table, last=last)
    if outcome:
        table.tell(ev.GameEnded(outcome=tuple(outcome), rule=f"scenario #{table.scenario.number}"))


def verdict(table: Resolution, *, last: bool = False) -> list[Outcome]:
    """Return the result of each side, or an empty list while the scenario goes on.

    ``last`` is true at the end of a turn.
    """
    decided, victory = victory_conditions(table.scenario), table.scenario.victory
    given_up = _given_up(table.state, {victory.side, victory.rescuer}) if decided.concedes else []
    return given_up or decided.outcome(table, last)


def _given_up(state: State, tasked: set[str]) -> list[Outcome]:
    """Return the results if the scenario ends because teams conceded, otherwise an empty list.

    The scenario ends if the team that has the scenario's task has conceded, or if all teams but one have conceded.
    ``tasked`` contains the name of a side or a ship of the team that has the task. The teams that conceded lose and the
    others win. In duels the result depends on the ships that are left instead.
    """
    lost = {side.team for name, side in state.sides.items() if conceded(state, name)}
    if not lost:
        return []
    left = [unit for unit in state.units.values() if unit.is_left and not is_wreck(unit)]
    lost -= {state.team_of(unit.side) for unit in left}
    teams = {side.team for side in state.sides.values()}
    if not lost or (len(teams - lost) > 1 and not lost & _teams_of(state, tasked)):
        return []
    why = f"{' and '.join(name for name in sorted(state.sides) if conceded(state, name))} conceded"
    return [
        Outcome(side=name, result="defeat" if side.team in lost else "victory", why=why)
        for name, side in sorted(state.sides.items())
    ]


def _teams_of(state: State, names: set[str]) -> set[str]:
    """Return the teams of the named units and sides; teams without units are left out."""
    return {
        state.team_of(unit.side)
        for unit in state.units.values()
        if any(unit.name == name or unit.belongs_to(name) for name in names)
    }
