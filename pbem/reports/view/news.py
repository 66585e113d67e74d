"""What happened since the reader's last sitrep, in short."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from pbem.engine import events as ev
from pbem.reports.text import words
from pbem.reports.view import view
from pbem.reports.view.seen import Seen, said_of

replace = msgspec.structs.replace

NEWS = (
    ev.Broke, ev.SpeedAnnounced, ev.Launched, ev.Impact, ev.Damaged, ev.Destroyed, ev.Removed, ev.Marked, ev.Repaired,
    ev.Conceded, ev.GameEnded, *ev.ACTS, ev.ShieldLowered, ev.Transported,
    ev.BoardingFought, ev.Captured, ev.Mutinied, ev.ShuttleLaunched, ev.ShuttleLanded, ev.Boarded, ev.ProbeLaunched,
    ev.Learned, ev.MethodFound, ev.Attacked, ev.UnitDamaged, ev.Collided,
    ev.Tractored, ev.Released,
)  # fmt: skip
"""What the summary at the top tells one by one; fire and movement are summed up there."""
_ACTS, _OTHERS = frozenset(ev.ACTS), frozenset(NEWS) - frozenset(ev.ACTS)


def since_last_sitrep(seen: Sequence[Seen], ships: Collection[str]) -> tuple[view.Said, ...]:
    """What the umpire did, movement in one line a ship (``ships`` are their names), fire in one line a target, the
    rest as it stands.
    """
    fresh = [item for item in seen if item.fresh]
    moves: dict[str, list[Seen]] = {}
    for item in fresh:
        if isinstance(item.event, ev.Moved) and item.event.unit in ships:
            moves.setdefault(item.event.unit, []).append(item)
    towed: dict[tuple[str, str], list[Seen]] = {}
    for item in fresh:
        if isinstance(item.event, ev.Towed):
            towed.setdefault((item.event.unit, item.event.by), []).append(item)
    # The umpire's word first: without it the rest may not be understood.
    acts = [said_of(item) for item in fresh if type(item.event) in _ACTS]
    told: list[view.Said] = []
    for (unit, by), items in sorted(towed.items()):
        last = items[-1]
        assert isinstance(last.event, ev.Towed)
        hexes = words.several(len(items), "hex", "hexes")
        told.append(replace(said_of(last), text=f"{by} tows {unit} {hexes}, to {last.event.at}.", die=None))
    for unit, items in sorted(moves.items()):
        last = items[-1]
        assert isinstance(last.event, ev.Moved)
        hexes = words.several(len(items), "hex", "hexes")
        told.append(replace(said_of(last), text=f"{unit} moves {hexes}, to {last.event.at}.", die=None))
    shots: dict[tuple[int, int, str, str], list[ev.Fired]] = {}
    for item in fresh:
        if isinstance(item.event, ev.Fired):
            shots.setdefault(_aim(item.event), []).append(item.event)
    for item in fresh:
        event = item.event
        if isinstance(event, ev.Fired):
            volley = shots[_aim(event)]
            if event is volley[0]:
                told.append(_fire_in_short(item, volley))
        elif type(event) in _OTHERS and not _idle(event):
            told.append(said_of(item))
    # A ship's movement stands where it ended, before what was done in that impulse.
    return (*acts, *sorted(told, key=lambda said: (said.turn, said.impulse)))


def _idle(event: ev.AnyEvent) -> bool:
    """What left everything as it was: damage that a reinforcement took, a die against which nobody mutinied."""
    match event:
        case ev.Damaged():
            return not (event.boxes or event.internals)
        case ev.Mutinied():
            return event.result == "none"
        case ev.Collided():
            return not event.points
    return False


def _aim(event: ev.Fired) -> tuple[int, int, str, str]:
    return event.turn, event.impulse, event.unit, event.target


def _fire_in_short(item: Seen, volley: Sequence[ev.Fired]) -> view.Said:
    scored = sum(e.points for e in volley)
    weapons = words.listed([e.weapon for e in volley])
    result = words.points(scored) if scored else "no hit"
    text = f"{volley[0].unit} fires {weapons} at {volley[0].target}, range {volley[0].range}: {result}."
    return replace(said_of(item), text=text, die=None)
