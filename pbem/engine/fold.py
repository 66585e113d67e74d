"""State is a fold over events: ``apply(state, event)`` for each, and nothing else ever changes a state.

The same fold over one side's view of the log gives what that side knows; so no event may assume that it has seen
what only another side may see.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pbem.engine import events as ev
from pbem.engine.state import State

replace = msgspec.structs.replace


def fold(events: Iterable[ev.AnyEvent], state: State | None = None) -> State:
    """The state after ``events``, from an empty one or from ``state``."""
    state = State() if state is None else state
    for event in events:
        state = apply(state, event)
    return state


def fold_records(records: Iterable[ev.Record], state: State | None = None) -> State:
    """The umpire's state after a log, with the number of records folded in."""
    state = State() if state is None else state
    for record in records:
        state = replace(apply(state, record.event), records=record.n)
    return state


def apply(state: State, event: ev.AnyEvent) -> State:
    """The state after one event."""
    if (state.turn, state.impulse, state.step) != (event.turn, event.impulse, event.step):
        state = replace(state, turn=event.turn, impulse=event.impulse, step=event.step)
    return event.apply(state)
