"""What the umpire's acts do to the state: a part of :mod:`pbem.game.fold` (its branches are registered here)."""

from __future__ import annotations

import msgspec

from pbem.game import events as ev, rulings
from pbem.game.fold_systems import apply, moment_of, put
from pbem.game.paths import NoPath
from pbem.game.state import Position, Shuttle, State

replace = msgspec.structs.replace


@apply.register
def _(event: ev.Undone, state: State) -> State:
    return replace(state, segment=max(state.segment, event.segment))


@apply.register
def _(event: ev.Reran, state: State) -> State:
    return replace(state, segment=max(state.segment, event.segment))


@apply.register
def _(event: ev.Adjusted, state: State) -> State:
    """The track begins anew, turn modes are what they were."""
    unit = state.units.get(event.unit)
    if unit is None:
        return state
    here = Position(moment_of(state, event), event.at[:4], event.at[4:])
    lifted = {"landed": ""} if isinstance(unit, Shuttle) and here.hex != unit.hex else {}
    return put(state, replace(unit, hex=here.hex, facing=here.facing, track=(here,), **lifted))


@apply.register
def _(event: ev.Ruled, state: State) -> State:
    if event.unit not in state.units:
        return state
    try:
        return rulings.put(state, event.unit, event.path, event.value)
    except NoPath:
        return state  # a reader who is not told of which part, or does not know that part of the unit


@apply.register
def _(event: ev.OptionsRuled, state: State) -> State:
    request = event.request or state.request
    return replace(state, options=event.options, request=request, last_request=event.request or state.last_request)


@apply.register
def _(event: ev.Decided, state: State) -> State:
    if event.outcome:
        return replace(state, outcome=event.outcome, over=True, request=None)
    return rulings.asked_anew(replace(state, outcome=(), over=False, request=state.last_request))
