"""What one shot of a direct-fire weapon does, whatever the weapon: a phaser (E2.4), a disruptor (E3.0), a photon
torpedo (E4.1), by its chart (E1.3).
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.data import charts
from pbem.data.files import Sourced
from pbem.data.weapon_charts import DamageTable, HitTable, Ranged
from pbem.errors import NotAllowed

DIRECT = ("phaser", "torpedo")
"""Families of weapons that are fired in the Fire Direct-Fire Weapons step (E1.0)."""


class Shot(NamedTuple):
    """Whether it hit (a phaser that scores no points did not), and the points scored."""

    hit: bool
    points: int


def is_phaser(kind: str) -> bool:
    """Whether the weapon draws on the phaser capacitor (H6.0)."""
    return charts.weapon_kinds()[kind].family == "phaser"


def is_heavy(kind: str) -> bool:
    """Whether it is a heavy weapon: photon, disruptor, plasma, fusion …, not a phaser or a drone rack."""
    return charts.weapon_kinds()[kind].heavy


def is_direct_fire(kind: str) -> bool:
    """Whether it is fired in the Fire Direct-Fire Weapons step (E1.0)."""
    return charts.weapon_kinds()[kind].family in DIRECT


def max_range(kind: str, limit: int | None = None) -> int:
    """The longest true range in hexes, by its chart and the limit of the ship's own weapon if there is one (E3.32)."""
    return _farthest(charts.chart(charts.weapon_kinds()[kind].chart), limit)


def _farthest(chart: Sourced, limit: int | None) -> int:
    reach = _reach(chart)
    return reach if limit is None else min(reach, limit)


def _reach(chart: Sourced) -> int:
    return chart.max_range if isinstance(chart, HitTable) else chart.reach if isinstance(chart, Ranged) else 0


def min_range(kind: str) -> int:
    """The shortest true range in hexes at which it may fire (E3.32, E4.14)."""
    return _nearest(charts.chart(charts.weapon_kinds()[kind].chart))


def _nearest(chart: Sourced) -> int:
    return chart.min_range if isinstance(chart, HitTable | DamageTable) else 0


def verify_range(kind: str, range_: int, limit: int | None = None, name: str = "") -> None:
    """Raises :class:`NotAllowed` ``too-close`` or ``out-of-range``; ``limit`` is the ship's own maximum, if any."""
    weapon, who = charts.weapon_kinds()[kind], f"{name}: " if name else ""
    chart = charts.chart(weapon.chart)
    nearest, farthest = _nearest(chart), _farthest(chart, limit)
    if range_ < nearest:
        text = f"{who}range {range_} is less than the minimum of {nearest}"
        raise NotAllowed("too-close", text, weapon.range_rule)
    if range_ > farthest:
        text = f"{who}range {range_} is more than the maximum of {farthest}"
        raise NotAllowed("out-of-range", text, weapon.range_rule)


def drone_modifier(kind: str) -> int:
    """What is added to the die when this kind of weapon fires at a drone (FD1.51, FD1.52)."""
    key = charts.weapon_kinds()[kind].chart
    chart = charts.chart(key) if key else None
    return chart.drone_modifier if isinstance(chart, HitTable | DamageTable) else 0


def direct_fire(kind: str, range_: int, effective: int, die: int, modifier: int = 0, limit: int | None = None) -> Shot:
    """The result of a shot: true range, effective range (D1.4), die (1 to 6), and what is added to it.

    Hits are read at the effective range (E3.3, E4.12), the points of a hit at the true one (E3.31, E4.13); phasers
    score by effective range alone. A modified die beyond the chart is a miss, and so is an effective range beyond the
    weapon's maximum or the ship's own ``limit``: no column of the chart is that weapon's there (D6.123, E3.32). Raises
    ``ValueError`` for weapons that are no direct-fire weapons.
    """
    weapon = charts.weapon_kinds()[kind]
    if weapon.family not in DIRECT:
        raise ValueError(f"{kind} is no direct-fire weapon (E1.0)")
    chart = charts.chart(weapon.chart)
    rolled = max(1, die + modifier)
    if limit is not None and effective > limit:
        return Shot(False, 0)
    if isinstance(chart, HitTable):
        here, there = chart.column(effective), chart.column(range_)
        hit = here is not None and effective <= chart.max_range and rolled <= chart.hit[here]
        return Shot(hit, chart.damage[there] if hit and there is not None else 0)
    assert isinstance(chart, DamageTable)
    column = chart.column(effective)
    points = 0 if column is None or rolled > len(chart.damage) else chart.damage[rolled - 1][column]
    return Shot(points > 0, points)
