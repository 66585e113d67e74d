"""The headline of a report: one sentence on the fate of the reader's ships, and at most four numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.state import AnyUnit, Monster, Seeker, Ship, Shuttle, State
from pbem.reports.text import sentences
from pbem.reports.view.model import Headline, Number
from pbem.rules.hexes import distance
from pbem.util import several

FEW = 2
"""Maximum number of ships that the headline names; if there are more, it gives only their number."""


def headline(before: State, now: State, mine: Collection[str], news: Sequence[ev.AnyEvent]) -> Headline | None:
    """Return the headline on what happened to the reader's ships (``mine``) between two states.

    ``news`` are the events between the states. The result is ``None`` if the reader has no ship yet, for example the
    defender in scenario #8, whose ship arrives later. It is also ``None`` if no time has passed and nobody was hurt.
    """
    ours = [
        name
        for name, unit in now.units.items()
        if isinstance(unit, Ship) and name in mine and name in before.units and not unit.terms.immobile
        if unit.gone != UnitFate.NOT_YET
    ]
    hurt = hurt_by(news, now)
    taken = {name: points for name, points in hurt.items() if name in mine}
    given = {name: points for name, points in hurt.items() if _team(now, name) not in {_team(now, own) for own in mine}}
    small = _small(news, now, {_team(now, own) for own in mine})
    if not ours or (not (hurt or small) and before.stands == now.stands):
        return None
    return Headline(
        words=_sentence(before, now, mine, taken, given, small),
        numbers=tuple(_numbers(before, now, ours, taken, [*map(sum, given.values()), *small.values()])),
    )


Hurt = dict[str, tuple[int, int]]
"""Damage to each ship or monster by name: shield boxes, and internals (for a monster, its damage points)."""


def hurt_by(news: Iterable[ev.AnyEvent], now: State) -> Hurt:
    """Return the damage that the given events did to ships and monsters that exist in the state ``now``."""
    found: Hurt = {}
    for event in news:
        match event:
            case ev.Damaged(unit=name, boxes=boxes, internals=inside):
                pass
            case ev.UnitDamaged(unit=name, points=inside):
                boxes = 0
            case _:
                continue
        if isinstance(now.units.get(name), Ship | Monster) and boxes + inside:
            had = found.get(name, (0, 0))
            found[name] = had[0] + boxes, had[1] + inside
    return found


def _small(news: Iterable[ev.AnyEvent], now: State, ours: Collection[str]) -> dict[str, int]:
    """Return the damage points scored on seeking weapons and shuttles of teams other than ``ours``."""
    found: dict[str, int] = {}
    for event in news:
        if (
            isinstance(event, ev.SeekerDamaged | ev.UnitDamaged)
            and isinstance(now.units.get(event.unit), Seeker | Shuttle)
            and _team(now, event.unit) not in ours
        ):
            found[event.unit] = found.get(event.unit, 0) + event.points
    return found


def _shot_down(small: Iterable[str], now: State) -> Iterator[str]:
    gone = [now.units[name] for name in small if now.units[name].gone == UnitFate.DESTROYED]
    if gone:
        kinds = Counter(map(_kind, gone))
        down = sentences.listed([several(count, kind) for kind, count in sorted(kinds.items())])
        yield f"{down} {'was' if len(gone) == 1 else 'were'} shot down"


def _kind(unit: AnyUnit) -> str:
    torpedo = isinstance(unit, Seeker) and bool(unit.torpedo)
    return "torpedo" if torpedo else "drone" if isinstance(unit, Seeker) else "shuttle"


def _sentence(
    before: State, now: State, mine: Collection[str], taken: Hurt, given: Hurt, small: Collection[str]
) -> str:
    """Return the headline's sentence: losses, then damage taken and given, or that nobody was hurt.

    ``mine`` are the reader's ships. ``taken`` is the damage to these ships, and ``given`` the damage to enemies.
    ``small`` are the seeking weapons and shuttles that were hit.
    """
    parts = [*left_told(before, now, mine), *hurt_told(taken, "took"), *hurt_told(given, "was hit for")]
    parts += _shot_down(small, now)
    return f"{'; '.join(parts)}." if parts else "Nobody was hurt."


def left_told(before: State, now: State, mine: Collection[str]) -> Iterator[str]:
    """Yield clauses that say how ships and monsters left play between two states.

    The reader's ships (``mine``) come first.
    """
    ways: dict[str, list[str]] = {}
    for name, unit in sorted(now.units.items(), key=lambda item: (item[0] not in mine, item[0])):
        old = before.units.get(name)
        if isinstance(unit, Ship | Monster) and unit.gone and old is not None and not old.gone:
            ways.setdefault(unit.gone, []).append(name)
    for way, names in ways.items():
        yield f"{_named(names)} {'is' if len(names) == 1 else 'are'} out of play ({way})"


def hurt_told(hurt: Hurt, verb: str) -> Iterator[str]:
    """Yield a clause on each ship's damage, or one for all if there are more than :data:`FEW`.

    ``verb`` is ``took`` or ``was hit for``.
    """
    if len(hurt) > FEW:
        boxes, inside = (sum(each) for each in zip(*hurt.values(), strict=True))
        many = "were hit for" if verb == "was hit for" else verb
        yield f"{several(len(hurt), 'ship')} {many} {_points(boxes, inside)}"
        return
    for name, (boxes, inside) in sorted(hurt.items()):
        yield f"{name} {verb} {_points(boxes, inside)}"


def _points(boxes: int, inside: int) -> str:
    if not boxes:
        return f"{sentences.points(inside)} inside"
    return f"{sentences.points(boxes)} on the shields" + (f" and {inside} inside" if inside else "")


def _named(names: Sequence[str]) -> str:
    return sentences.listed(names) if len(names) <= FEW else several(len(names), "ship")


def _team(state: State, name: str) -> str:
    """Return the team of the side that a unit belongs to; allied sides have the same team."""
    side = state.units[name].side if name in state.units else ""
    return state.sides[side].team or side if side in state.sides else side


def _numbers(before: State, now: State, ours: Sequence[str], taken: Hurt, given: Iterable[int]) -> Iterator[Number]:
    was, left = (sum(sum(ship.shields) for ship in _afloat(state, ours)) for state in (before, now))
    yield Number(what="shield boxes left", now=left, was=was, good=(left > was) - (left < was))
    inside = sum(inside for _, inside in taken.values())
    yield Number(what="hits inside", now=inside, was=0, good=-1 if inside else 0)
    scored = sum(given)
    yield Number(what="points scored", now=scored, was=0, good=1 if scored else 0)
    then, range_ = _nearest(before, ours), _nearest(now, ours)
    if range_ is not None:
        yield Number(what="range to the nearest enemy", now=range_, was=range_ if then is None else then)


def _ships(state: State, names: Sequence[str]) -> list[Ship]:
    return [unit for name in names if isinstance(unit := state.units.get(name), Ship) and unit.in_play]


def _afloat(state: State, names: Sequence[str]) -> list[Ship]:
    """Return the ships whose shields still count: those in play and those that escaped.

    The summary of a finished game counts ships in the same way.
    """
    ships = [unit for name in names if isinstance(unit := state.units.get(name), Ship)]
    return [
        ship for ship in ships if ship.in_play or ship.gone in (UnitFate.DISENGAGED, UnitFate.LEFT, UnitFate.CONCEDED)
    ]


def _nearest(state: State, ours: Sequence[str]) -> int | None:
    """Return the range (D1.4) in hexes between the reader's ships and the nearest enemy ship or monster.

    The result is ``None`` if there is no such pair.
    """
    found = [
        distance(ship.hex, other.hex, state.grid)
        for ship in _ships(state, ours)
        for name, other in state.units.items()
        if isinstance(other, Ship | Monster) and other.in_play and _team(state, name) != _team(state, ship.name)
    ]
    return min(found, default=None)
