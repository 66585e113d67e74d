"""How lucky a volley was, and a side over the game: what was rolled, against the odds of the same shots.

A shot's record says all that its odds hang on, and everybody sees it; the longest range of a ship's own weapon stands
on its display. So a page tells by odds nothing that its reader could not have reckoned himself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from pbem.data import charts
from pbem.engine import events as ev
from pbem.engine.state import AnyUnit, Ship
from pbem.engine.steps.firing import limit_of
from pbem.errors import GameError
from pbem.orders.freehand import named
from pbem.reports.view.odds import of_hundred, tenths
from pbem.reports.view.view_replay import Fortune, Luck
from pbem.rules.odds import Aim, Odds, expected, scores, volley


class Volley(NamedTuple):
    """All that one side fires at one shield of a unit in one step, misses included. ``side`` is who commanded the
    firing ship then; a unit of no side stands for itself.
    """

    turn: int
    impulse: int
    side: str
    unit: str
    shield: int
    aims: tuple[Aim, ...]
    points: int


def volleys(events: Iterable[ev.AnyEvent], units: Mapping[str, AnyUnit]) -> tuple[Volley, ...]:
    """Every volley of a game's events, from its first; ``units`` are those there have been."""
    fired: dict[tuple[int, int, str, str, str, int], list[ev.Fired]] = {}
    sides: dict[str, str] = {}
    for event in events:
        match event:
            case ev.Fired() if event.die and scores(event.kind):
                side = sides.get(event.unit) or event.unit
                key = event.turn, event.impulse, event.step, side, event.target, event.shield
                fired.setdefault(key, []).append(event)
            case ev.UnitPlaced(unit=unit) | ev.ShuttleLaunched(shuttle=unit):
                sides[unit.name] = unit.side
            case ev.Captured(unit=name, side=side):
                sides[name] = side
    return tuple(
        Volley(
            turn, impulse, side, unit, shield, tuple(aim_of(shot, units) for shot in shots),
            sum(shot.points for shot in shots),
        )
        for (turn, impulse, _, side, unit, shield), shots in fired.items()
    )  # fmt: skip


def aim_of(shot: ev.Fired, units: Mapping[str, AnyUnit]) -> Aim:
    """What the effect of a shot that was fired hung on beside its die."""
    unit, limit = units.get(shot.unit), None
    if isinstance(unit, Ship) and shot.weapon in unit.weapons and charts.weapon_kinds()[shot.kind].chart:
        with suppress(GameError):  # its class is no longer there; a page is made all the same
            limit = limit_of(unit, shot.weapon)
    return Aim(shot.kind, shot.range, shot.effective, shot.modifier, limit)


def lucks(found: Iterable[Volley]) -> tuple[Luck, ...]:
    """Volleys as they are told."""
    labels = {kind: name for name, kind in named().items()}
    return tuple(_luck(each, labels) for each in found)


def _luck(found: Volley, labels: Mapping[str, str]) -> Luck:
    expected_in_words, chance = _in_words(volley(found.aims), found.points)
    kinds = Counter(labels.get(aim.kind, aim.kind.upper()) for aim in found.aims)
    return Luck(
        turn=found.turn,
        impulse=found.impulse,
        side=found.side,
        unit=found.unit,
        shield=found.shield,
        weapons=", ".join(f"{many} {kind}" for kind, many in kinds.items()),
        points=found.points,
        expected=expected_in_words,
        chance=chance,
    )


@lru_cache(maxsize=1024)
def _in_words(odds: Odds, points: int) -> tuple[str, str]:
    """What is to be expected of a volley, and the chance of so many points or more; all sides read the same."""
    return tenths(odds.mean), of_hundred(odds.at_least(points))


def fortunes(found: Iterable[Volley]) -> tuple[Fortune, ...]:
    """What the weapons of each side that fired have scored in all, against what was to be expected."""
    rolled: Counter[str] = Counter()
    aims: dict[str, list[Aim]] = {}
    for each in found:
        rolled[each.side] += each.points
        aims.setdefault(each.side, []).extend(each.aims)
    means = {side: expected(aimed) for side, aimed in sorted(aims.items())}
    return tuple(
        Fortune(side=side, points=rolled[side], expected=tenths(mean), luck=_signed(rolled[side] - mean))
        for side, mean in means.items()
    )


def _signed(value: Fraction) -> str:
    told = tenths(value)
    return told if told.startswith("-") or told == "0.0" else f"+{told}"
