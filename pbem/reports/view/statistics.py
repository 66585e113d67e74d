"""Odds, luck and damage as numbers and text.

The module converts exact fractions to text and rounds them only once, so that the command, the page and other
programs show equal values. It compares volleys with their odds, and lists damage given and taken by turn. Luck
reveals no secret: the log record of a shot contains everything on which its odds depend, and all sides see that
record. The maximum range of a ship's weapon is on the ship's public display.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Any, NamedTuple

from pbem.data import charts
from pbem.engine import events as ev
from pbem.engine.state import AnyUnit, Monster, Ship, State
from pbem.engine.steps.firing import limit_of
from pbem.errors import GameError
from pbem.orders.freehand import free_hand_names
from pbem.reports.view.model import Fortune, Luck, Toll
from pbem.reports.view.reader_log import VisibleEvent
from pbem.rules.direct_fire import AimedShot, Odds, expected, scores, volley


def tenths(value: Fraction) -> str:
    """Return a number as text with one decimal place, such as ``11.2``; ties are rounded away from zero."""
    whole = floor(abs(value) * 10 + Fraction(1, 2))
    return f"{'-' if value < 0 and whole else ''}{whole // 10}.{whole % 10}"


def percent(chance: Fraction) -> str:
    """Return a probability as text: ``21 %``; only exactly 0 and 1 become ``0 %`` and ``100 %``."""
    if chance in (0, 1):
        return "100 %" if chance else "0 %"
    near = floor(chance * 100 + Fraction(1, 2))
    return "less than 1 %" if not near else "more than 99 %" if near == 100 else f"{near} %"


def figures(odds: Odds, boxes: int | None = None, general: int = 0, specific: int = 0) -> dict[str, Any]:
    """Return odds as a dict of plain numbers.

    The dict has the average, and for each possible total the chance of exactly that total and of at least that
    total. If ``boxes`` is given, the dict also has the odds against a shield with that many boxes: the chance that
    the shield goes down, and the distribution of internal damage. Chances are floats, each rounded once from a
    fraction.

    Args:
        odds: The distribution of points.
        boxes: Boxes of the shield; ``None`` to leave the shield out.
        general: Points of general reinforcement.
        specific: Points of specific reinforcement.
    """
    found: dict[str, Any] = {"mean": float(odds.mean), "expected": tenths(odds.mean), "totals": _totals(odds)}
    if boxes is not None:
        inside = odds.inside(boxes, general, specific)
        found["shield"] = {
            "boxes": boxes,
            "general": general,
            "specific": specific,
            "down": float(odds.breaks(boxes, general, specific)),
            "internals": {"mean": float(inside.mean), "expected": tenths(inside.mean), "totals": _totals(inside)},
        }
    return found


def _totals(odds: Odds) -> list[dict[str, float]]:
    tail = odds.tail
    return [
        {"points": points, "chance": float(odds.chance(points)), "at_least": float(tail[points])}
        for points, ways in enumerate(odds.ways)
        if ways
    ]


BAR = 30
"""Length in characters of the longest bar in a text chart of odds."""


def odds_lines(odds: Odds, boxes: int | None = None, general: int = 0, specific: int = 0) -> list[str]:
    """Return odds as lines of text.

    The lines are a sentence about the total, a sentence about the shield (if ``boxes`` is given), and a row with a
    bar for each possible total. ``general`` and ``specific`` are points of reinforcement of the shield.
    """
    lines = [f"average {tenths(odds.mean)} points, at most {len(odds.ways) - 1}"]
    if boxes is not None:
        inside = odds.inside(boxes, general, specific)
        behind = f" and {general + specific} of reinforcement" if general + specific else ""
        lines.append(
            f"shield of {boxes}{behind}: down {percent(odds.breaks(boxes, general, specific))}; "
            f"internals {percent(inside.at_least(1))}, {tenths(inside.mean)} on average"
        )
    lines.append("POINTS  EXACTLY  AT LEAST")
    most, tail = max(odds.ways), odds.tail
    for points, ways in enumerate(odds.ways):
        if ways:
            exactly, or_more = tenths(odds.chance(points) * 100), tenths(tail[points] * 100)
            lines.append(f"{points:>6}  {exactly:>6}%  {or_more:>7}%  {'#' * -(-BAR * ways // most)}")
    return lines


def by_range(found: tuple[tuple[int, Odds], ...]) -> list[tuple[int, int, Odds]]:
    """Return odds by range as (first range, last range, odds); adjacent ranges with equal odds are merged."""
    bands: list[tuple[int, int, Odds]] = []
    for true, odds in found:
        if bands and bands[-1][1] == true - 1 and bands[-1][2] == odds:
            bands[-1] = (bands[-1][0], true, odds)
        else:
            bands.append((true, true, odds))
    return bands


class FiredVolley(NamedTuple):
    """All shots by one side at one shield of a unit in one step, including those that missed.

    Attributes:
        turn: The turn.
        impulse: The impulse.
        side: The side that owned the firing ship at that moment. A unit without a side counts as its own side.
        unit: The target.
        shield: The number of the shield.
        aims: The shots, with everything on which their odds depend.
        points: Damage points scored.
    """

    turn: int
    impulse: int
    side: str
    unit: str
    shield: int
    aims: tuple[AimedShot, ...]
    points: int


def volleys(events: Iterable[ev.AnyEvent], units: Mapping[str, AnyUnit]) -> tuple[FiredVolley, ...]:
    """Return every volley of direct fire in the events of a game, in order.

    ``events`` must begin with the first event of the game. ``units`` maps names to all units that ever existed.
    """
    fired: dict[tuple[int, int, str, str, str, int], list[ev.Fired]] = {}
    sides: dict[str, str] = {}
    for event in events:
        match event:
            case ev.Fired() if event.die and scores(event.kind):
                side = sides.get(event.unit) or event.unit
                key = event.turn, event.impulse, event.step, side, event.target, event.shield
                fired.setdefault(key, []).append(event)
            case ev.UnitPlaced(placed=unit) | ev.ShuttleLaunched(shuttle=unit):
                sides[unit.name] = unit.side
            case ev.Captured(unit=name, side=side):
                sides[name] = side
    return tuple(
        FiredVolley(
            turn, impulse, side, unit, shield, tuple(aim_of(shot, units) for shot in shots),
            sum(shot.points for shot in shots),
        )
        for (turn, impulse, _, side, unit, shield), shots in fired.items()
    )  # fmt: skip


def aim_of(shot: ev.Fired, units: Mapping[str, AnyUnit]) -> AimedShot:
    """Return everything on which the odds of a fired shot depended, such as weapon and range."""
    unit, limit = units.get(shot.unit), None
    if isinstance(unit, Ship) and shot.weapon in unit.weapons and charts.weapon_kinds()[shot.kind].chart:
        with suppress(GameError):  # without its ship class file, the page is made without this limit
            limit = limit_of(unit, shot.weapon)
    return AimedShot(shot.kind, shot.range, shot.effective, shot.modifier, limit)


def lucks(found: Iterable[FiredVolley]) -> tuple[Luck, ...]:
    """Return the luck of each of these volleys, in the form that reports show."""
    labels = {kind: name for name, kind in free_hand_names().items()}
    return tuple(_luck(each, labels) for each in found)


def _luck(found: FiredVolley, labels: Mapping[str, str]) -> Luck:
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
    """Return two texts: the average score of a volley, and the chance to score at least ``points``."""
    return tenths(odds.mean), percent(odds.at_least(points))


def fortunes(found: Iterable[FiredVolley]) -> tuple[Fortune, ...]:
    """Return, for each side, the total points that its weapons scored, compared with the average."""
    rolled: Counter[str] = Counter()
    aims: dict[str, list[AimedShot]] = {}
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


Tally = Counter[tuple[str, int, str]]
"""Damage points by side, turn and kind (``given``, ``reinforcement``, ``shields``, ``internals``)."""


def tolls(seen: Sequence[VisibleEvent], state: State, side: str, last: int) -> tuple[Toll, ...]:
    """Return the damage that every side gave and took in each of turns 1 to ``last``, ``side`` first.

    A unit's damage counts for the side with which it first appeared, even if it was captured later. The result is
    empty if nobody was hit.
    """
    tally: Tally = Counter()
    owners: dict[str, str] = {}
    for item in seen:
        match item.event:
            case ev.UnitPlaced(placed=unit) | ev.Launched(seeker=unit) | ev.ShuttleLaunched(shuttle=unit):
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
