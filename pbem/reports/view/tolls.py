"""Damage given and taken, side by side and turn by turn, over the whole game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.engine import events as ev
from pbem.engine.state import Monster, Ship, State
from pbem.reports.view.seen import Seen
from pbem.reports.view.view_replay import Toll

Tally = Counter[tuple[str, int, str]]
"""Points by side, turn and where they went."""


def tolls(seen: Sequence[Seen], state: State, side: str, last: int) -> tuple[Toll, ...]:
    """What every side gave and took in turns 1 to ``last``, the reader's first.

    A unit's damage counts for the side it appeared with, whoever captured it later. Nothing where nobody was hit.
    """
    tally: Tally = Counter()
    owners: dict[str, str] = {}
    for item in seen:
        match item.event:
            case ev.UnitPlaced(unit=unit) | ev.Launched(seeker=unit) | ev.ShuttleLaunched(shuttle=unit):
                owners[unit.name] = unit.side
        _count(item.event, owners, state, tally)
    if not tally:
        return ()
    sides = sorted(state.sides, key=lambda one: one != side)
    return tuple(
        Toll(
            side=one,
            turn=turn,
            given=tally[one, turn, "given"],
            reinforcement=tally[one, turn, "reinforcement"],
            shields=tally[one, turn, "shields"],
            internals=tally[one, turn, "internals"],
        )
        for one in sides
        for turn in range(1, last + 1)
    )


def _count(event: ev.AnyEvent, owners: dict[str, str], state: State, tally: Tally) -> None:
    match event:
        case ev.Fired(unit=unit, target=target, points=points) | ev.Impact(unit=unit, target=target, points=points):
            if points and isinstance(state.units.get(target), Ship | Monster):
                tally[owners.get(unit, ""), event.turn, "given"] += points
        case ev.Damaged(unit=unit):
            side = owners.get(unit, "")
            for where, points in (
                ("reinforcement", event.general + event.specific),
                ("shields", event.boxes),
                ("internals", event.internals),
            ):
                if points:
                    tally[side, event.turn, where] += points
