"""Summary of a finished game: the ships' fates, the weapons' results, and the decisive impulses.

It is made from the events that the reader sees. Fire, damage and losses are visible to all sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec

from pbem.engine import events as ev
from pbem.engine.log import apply
from pbem.engine.state import Monster, Seeker, Ship, State
from pbem.reports.view.headline import hurt_by, hurt_told, left_told
from pbem.reports.view.model import Deciding, Ending, Fate, Gun
from pbem.reports.view.reader_log import VisibleEvent
from pbem.reports.view.statistics import aim_of, tenths
from pbem.rules.direct_fire import expected

FEW = 4
"""Maximum number of impulses that are listed as decisive."""
LOSS = 1000
"""Weight of a ship that leaves play, in damage points, when decisive impulses are chosen; it outweighs any volley.

An internal hit has the weight of :data:`INSIDE` (three) shield boxes.
"""
INSIDE = 3


class _Count(msgspec.Struct):
    side: str
    fired: int = 0
    hit: int = 0
    points: int = 0
    expected: Fraction | None = None


def ending(seen: Sequence[VisibleEvent]) -> Ending:
    """Return the summary of a finished game, from all events that its reader may see."""
    state = State()
    start: dict[str, Ship] = {}
    guns: dict[tuple[str, str], _Count] = {}
    from_: dict[str, tuple[str, str]] = {}  # by seeking weapon: the unit that launched it, and its kind
    for item in seen:
        event = item.event
        match event:
            case ev.UnitPlaced(placed=Ship() as ship):
                start[ship.name] = ship
            case ev.UnitPlaced(unit=Seeker() as seeker):  # in flight when the game began; counted for its side
                from_[seeker.name] = seeker.side, seeker.weapon
                guns.setdefault(from_[seeker.name], _Count(seeker.side)).fired += 1
            case ev.Launched(unit=name, seeker=seeker):
                from_[seeker.name] = name, seeker.weapon
                _count(guns, name, seeker.weapon, state).fired += 1
            case ev.Impact(unit=name, points=points) if name in from_:
                count = _count(guns, *from_[name], state)
                count.hit += 1
                count.points += points
            case ev.Fired():
                count = _count(guns, event.unit, event.weapon, state)
                count.fired += 1
                count.hit += event.points > 0
                count.points += event.points
                count.expected = (count.expected or Fraction(0)) + expected([aim_of(event, state.units)])
        state = apply(state, event)
    return Ending(
        fates=tuple(_fates(state, start, guns)),
        guns=tuple(
            Gun(
                unit=unit, side=count.side, weapon=weapon, fired=count.fired, hit=count.hit, points=count.points,
                expected="" if count.expected is None else tenths(count.expected),
            )
            for (unit, weapon), count in sorted(guns.items(), key=lambda item: _order(state, item[1].side, *item[0]))
        ),
        deciding=deciding(seen),
    )  # fmt: skip


def deciding(seen: Sequence[VisibleEvent]) -> tuple[Deciding, ...]:
    """Return the impulses that decided a game, at most :data:`FEW`, in the order of play.

    Impulses in which ships or monsters left play are chosen first, then those with the most damage.
    """
    found: list[tuple[int, Deciding]] = []
    state = State()
    for turn, impulse, these in _by_moment(seen):
        before = state
        for item in these:
            state = apply(state, item.event)
        hurt = hurt_by([item.event for item in these], state)
        told = [*left_told(before, state, ()), *hurt_told(hurt, "took")]
        weight = LOSS * len(_gone(before, state)) + sum(boxes + INSIDE * inside for boxes, inside in hurt.values())
        if turn and told:
            found.append((weight, Deciding(turn=turn, impulse=impulse, words=f"{'; '.join(told)}.")))
    most = sorted(found, key=lambda one: (-one[0], one[1].turn, one[1].impulse))[:FEW]
    return tuple(sorted((one for _, one in most), key=lambda one: (one.turn, one.impulse)))


def _by_moment(seen: Sequence[VisibleEvent]) -> Iterator[tuple[int, int, list[VisibleEvent]]]:
    """Yield the events grouped by impulse, as (turn, impulse, events)."""
    these: list[VisibleEvent] = []
    for item in seen:
        if these and (item.event.turn, item.event.impulse) != (these[0].event.turn, these[0].event.impulse):
            yield these[0].event.turn, these[0].event.impulse, these
            these = []
        these.append(item)
    if these:
        yield these[0].event.turn, these[0].event.impulse, these


def _gone(before: State, now: State) -> list[str]:
    """Return the names of ships and monsters in play in the state ``before`` but not in the later ``now``."""
    return [
        name
        for name, unit in now.units.items()
        if isinstance(unit, Ship | Monster) and unit.gone and name in before.units and not before.units[name].gone
    ]


def _count(guns: dict[tuple[str, str], _Count], unit: str, weapon: str, state: State) -> _Count:
    """Return the entry in which the results of a weapon are counted; create it if needed.

    The weapon belongs to the side that owned its ship when it was first used.
    """
    known = state.units.get(unit)
    side = known.side if known is not None else ""
    return guns.setdefault((unit, weapon), _Count(side))


def _order(state: State, side: str, unit: str, weapon: str) -> tuple[int, str, str]:
    return list(state.sides).index(side) if side in state.sides else len(state.sides), unit, weapon


def _fates(state: State, start: dict[str, Ship], guns: dict[tuple[str, str], _Count]) -> Iterator[Fate]:
    ships = [unit for unit in state.units.values() if isinstance(unit, Ship) and not unit.terms.immobile]
    for ship in sorted(ships, key=lambda one: _order(state, (start.get(one.name) or one).side, one.name, "")):
        first = start.get(ship.name, ship)
        yield Fate(
            unit=ship.name,
            side=first.side,
            gone=ship.gone or ("" if ship.belongs_to(first.side) else f"captured by {ship.side}"),
            shields=(sum(ship.shields), sum(first.shields)),
            internals=ship.internals,
            scored=sum(count.points for (unit, _), count in guns.items() if unit == ship.name),
        )
