"""A stretch of play as the invariants see it: every event with the state just before it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from pbem.engine import events as ev
from pbem.engine.events import Record
from pbem.engine.fold import apply
from pbem.engine.state import Ship, State
from pbem.lab.random_games.games import Stretch


class Walk:
    """One fold through a stretch, kept for all invariants: ``steps`` are the states before each record, ``end`` is
    the last.
    """

    def __init__(self, stretch: Stretch) -> None:
        self.stretch, self.before, self.after = stretch, stretch.before, stretch.after
        self.setting = stretch.setting
        self.steps: list[tuple[State, Record]] = []
        state = stretch.before
        for record in stretch.records:
            self.steps.append((state, record))
            state = apply(state, record.event)
        self.end = state

    def events(self) -> Iterator[tuple[State, ev.AnyEvent]]:
        """Every event and the state just before it."""
        return ((state, record.event) for state, record in self.steps)

    @cached_property
    def happened(self) -> list[ev.AnyEvent]:
        """The events alone."""
        return [record.event for _, record in self.steps]

    @cached_property
    def doomed(self) -> set[str]:
        """Units destroyed in the stretch."""
        return {event.unit for event in self.happened if isinstance(event, ev.Destroyed)}

    @cached_property
    def captured(self) -> set[str]:
        """Ships captured in the stretch (D7.0)."""
        return {event.unit for event in self.happened if isinstance(event, ev.Captured)}


def ships_of(state: State) -> list[Ship]:
    """All ships, in play or not."""
    return [unit for unit in state.units.values() if isinstance(unit, Ship)]
