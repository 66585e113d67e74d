"""The end of a game: what became of the ships, what every weapon did, and the impulses that decided it.

Made of what the reader sees; fire, damage and losses are seen by all.
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
from pbem.reports.view.reader_log import Seen
from pbem.reports.view.statistics import aim_of, tenths
from pbem.rules.direct_fire import expected

FEW = 4
"""So many impulses are told as those that decided the game."""
LOSS = 1000
"""A ship that leaves play weighs more than any volley; a hit inside as much as three boxes of a shield."""
INSIDE = 3


class _Count(msgspec.Struct):
    side: str
    fired: int = 0
    hit: int = 0
    points: int = 0
    expected: Fraction | None = None


def ending(seen: Sequence[Seen]) -> Ending:
    """What a game that is over came to, out of all that its reader saw."""
    state = State()
    start: dict[str, Ship] = {}
    guns: dict[tuple[str, str], _Count] = {}
    from_: dict[str, tuple[str, str]] = {}  # who launched a seeking weapon, and of what kind it is
    for item in seen:
        event = item.event
        match event:
            case ev.UnitPlaced(unit=Ship() as ship):
                start[ship.name] = ship
            case ev.UnitPlaced(unit=Seeker() as seeker):  # under way when the game began: its side has launched it
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


def deciding(seen: Sequence[Seen]) -> tuple[Deciding, ...]:
    """The impulses that decided a game, at most :data:`FEW`, in the order of play: those in which ships and monsters
    left play, then those in which most was scored.
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


def _by_moment(seen: Sequence[Seen]) -> Iterator[tuple[int, int, list[Seen]]]:
    """All that was seen, impulse by impulse."""
    these: list[Seen] = []
    for item in seen:
        if these and (item.event.turn, item.event.impulse) != (these[0].event.turn, these[0].event.impulse):
            yield these[0].event.turn, these[0].event.impulse, these
            these = []
        these.append(item)
    if these:
        yield these[0].event.turn, these[0].event.impulse, these


def _gone(before: State, now: State) -> list[str]:
    """Ships and monsters that left play in between."""
    return [
        name
        for name, unit in now.units.items()
        if isinstance(unit, Ship | Monster) and unit.gone and name in before.units and not before.units[name].gone
    ]


def _count(guns: dict[tuple[str, str], _Count], unit: str, weapon: str, state: State) -> _Count:
    """The count of a weapon; it belongs to the side that had its ship when it was used first."""
    known = state.units.get(unit)
    side = known.side if known is not None else ""
    return guns.setdefault((unit, weapon), _Count(side))


def _order(state: State, side: str, unit: str, weapon: str) -> tuple[int, str, str]:
    return list(state.sides).index(side) if side in state.sides else len(state.sides), unit, weapon


def _fates(state: State, start: dict[str, Ship], guns: dict[tuple[str, str], _Count]) -> Iterator[Fate]:
    ships = [unit for unit in state.units.values() if isinstance(unit, Ship) and not unit.immobile]
    for ship in sorted(ships, key=lambda one: _order(state, (start.get(one.name) or one).side, one.name, "")):
        first = start.get(ship.name, ship)
        yield Fate(
            unit=ship.name,
            side=first.side,
            gone=ship.gone or (f"captured by {ship.side}" if ship.side != first.side else ""),
            shields=(sum(ship.shields), sum(first.shields)),
            internals=ship.internals,
            scored=sum(count.points for (unit, _), count in guns.items() if unit == ship.name),
        )
