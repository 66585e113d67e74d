"""Disruptor bolts (E3.0)."""

from __future__ import annotations

from pbem.data import charts


def disruptor_hits(effective: int, die: int) -> bool:
    """Whether a bolt hits: the die (1 to 6, modified) at the effective range (E3.3)."""
    chart = charts.hit_table("disruptor")
    column = chart.column(effective)
    return column is not None and die <= chart.hit[column]


def disruptor_damage(range_: int) -> int:
    """Points of a hit at a true range (E3.31)."""
    chart = charts.hit_table("disruptor")
    column = chart.column(range_)
    return 0 if column is None else chart.damage[column]


def disruptor_energy() -> int:
    """Energy of one bolt, any source, for this turn only (E3.2)."""
    return charts.hit_table("disruptor").energy
