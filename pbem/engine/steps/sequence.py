"""The sequence of play (B2.0), as one list to read from top to bottom.

A turn has opening steps, then the steps of every impulse in order, then closing steps. Conditions of orders are
evaluated when their step begins. Breaks, i.e. conditions on which play stops for new orders, are checked after every
step, with two exceptions. Fire is declared and resolved without a stop in between, since its effects are determined
immediately after firing (E1.0). And breaks are not checked while energy forms are secret, because then there is nothing
to react to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

import msgspec

from pbem.data.scenarios import Chapter, Scenario
from pbem.data.terms import StepName
from pbem.engine.play.resolution import Resolution
from pbem.engine.step_names import NAMES
from pbem.engine.steps import (
    damage,
    ending,
    energy as allocation,
    firing,
    launching,
    monsters,
    movement,
    seekers,
    sensors,
    shuttles,
    terrain,
    tractors,
    transporters,
)


class PlayStep(msgspec.Struct, frozen=True, eq=False):
    """One step of play.

    Attributes:
        name: The step's name in the log (titles: :mod:`pbem.engine.step_names`).
        rule: The number of the rule that the step follows.
        play: The function that plays the step.
        stop: Whether play can stop after the step.
        chapters: Chapters of the handbook; the step exists only if the scenario uses one of them. If empty, the step
            always exists.
    """

    name: StepName
    rule: str
    play: Callable[[Resolution], None]
    stop: bool = True
    chapters: tuple[Chapter, ...] = ()


def _then(*parts: Callable[[Resolution], None]) -> Callable[[Resolution], None]:
    """Return a function that plays the given parts of a step, one after the other.

    Each part is a function.
    """

    def play(table: Resolution) -> None:
        for part in parts:
            part(table)

    return play


OPENING = (
    PlayStep(StepName.ENERGY, "B3.0", allocation.allot, stop=False),
    PlayStep(StepName.ANNOUNCE, "C1.43", allocation.announce),
    PlayStep(StepName.LOCK_ON, "D6.11", sensors.lock_on, chapters=("lock-on",)),
)

IMPULSE = (
    PlayStep(StepName.MONSTERS, "C1.3", monsters.move, chapters=("monster",)),
    PlayStep(StepName.MOVE, "C1.3", terrain.with_collisions(movement.move_ships)),
    PlayStep(StepName.SHUTTLES, "C1.3", terrain.with_collisions(shuttles.move), chapters=("shuttles",)),
    PlayStep(StepName.SEEK, "F2.0", terrain.with_collisions(seekers.move)),
    PlayStep(StepName.TAC, "C5.0", movement.maneuver, chapters=("tac",)),
    PlayStep(StepName.IMPACT, "F2.2", _then(damage.reinforce, seekers.impact, monsters.check_kills)),
    PlayStep(StepName.CLOAK, "G13.0", sensors.cloak_and_uncloak, chapters=("cloak",)),
    PlayStep(StepName.TRACTOR, "G7.0", monsters.check_kills, chapters=("tractors",)),
    PlayStep(StepName.LAUNCH, "FD1.2", launching.launch),
    PlayStep(StepName.TRANSPORT, "G8.0", transporters.operate, chapters=("transporters",)),
    PlayStep(StepName.BAY, "J1.5", shuttles.work_bays, chapters=("shuttles",)),
    PlayStep(StepName.FIRE, "E1.0", firing.declare, stop=False),
    PlayStep(StepName.RESOLVE, "E1.0", _then(damage.resolve_fire, monsters.check_kills)),
    PlayStep(StepName.END, "B2.0", ending.end_impulse),
)

CLOSE = (PlayStep(StepName.CLOSE, "B2.0", ending.end_turn),)

ALL = (*OPENING, *IMPULSE, *CLOSE)
BY_NAME = {step.name: step for step in ALL}


def _with(chapter: Chapter, plays: Callable[[Resolution], None], step: PlayStep) -> PlayStep:
    """Return a step with an additional part that is played first.

    The additional part is played only if the scenario uses the given chapter of the handbook.
    """

    def play(table: Resolution) -> None:
        if table.scenario.uses(chapter):
            plays(table)
        step.play(table)

    return msgspec.structs.replace(step, play=play)


BY_NAME[StepName.TRACTOR] = _with("tractors", tractors.operate, BY_NAME[StepName.TRACTOR])

assert tuple(BY_NAME) == NAMES, "pbem.engine.step_names names the steps of the log"


class StepOrder(msgspec.Struct, frozen=True, eq=False):
    """The steps of a turn in a scenario, and their order.

    ``onward`` maps each step to the following step, as if the turn had only one impulse.
    """

    opening: tuple[StepName, ...]
    impulse: tuple[StepName, ...]
    onward: dict[StepName, StepName]

    def after(self, impulse: int, step: StepName, impulses: int) -> tuple[int, StepName] | None:
        """Return the (impulse, step) that follows a step, or ``None`` when the turn is over."""
        if step == self.impulse[-1] and impulse < impulses:
            return impulse + 1, self.impulse[0]
        onward = self.onward.get(step)
        if onward is None:
            return None
        return (1 if step == self.opening[-1] else impulse), onward

    def before(self, step: StepName) -> StepName:
        """Return the step that is played before ``step`` in the same impulse.

        For the first step of an impulse, and for steps outside an impulse, the result is the last step of an impulse.
        """
        names = self.impulse
        return names[names.index(step) - 1] if step in names else names[-1]


def course(scenario: Scenario) -> StepOrder:
    """Return the steps that a turn has in a scenario."""
    return _course(scenario.chapters)


@cache
def _course(chapters: tuple[Chapter, ...]) -> StepOrder:
    opening, impulse, close = (
        tuple(step.name for step in part if not step.chapters or not set(step.chapters).isdisjoint(chapters))
        for part in (OPENING, IMPULSE, CLOSE)
    )
    return StepOrder(opening, impulse, dict(pairwise((*opening, *impulse, *close))))
