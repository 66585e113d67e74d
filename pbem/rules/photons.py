"""Photon torpedoes (E4.0)."""

from __future__ import annotations

from pbem.data import charts


def photon_hits(range_: int, die: int) -> bool:
    """Whether a torpedo hits: the die (1 to 6, modified) at the effective range (E4.12)."""
    chart = charts.hit_table("photon")
    column = chart.column(range_)
    return column is not None and die <= chart.hit[column]


def photon_damage() -> int:
    """Points of a hit, the same at all ranges (E4.13)."""
    return max(charts.hit_table("photon").damage)


def arming_energy() -> tuple[int, ...]:
    """Warp energy of each of the consecutive turns of arming (E4.21, E4.23)."""
    return charts.hit_table("photon").arming


def holding_energy() -> int:
    """Energy, any source, to keep an armed torpedo for a turn (E4.22)."""
    return charts.hit_table("photon").hold
