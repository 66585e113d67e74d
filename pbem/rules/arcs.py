"""Firing arcs (D2.0)."""

from __future__ import annotations

from functools import cache

from pbem.data import charts
from pbem.data.core_charts import Arcs
from pbem.rules.hexes import EVEN, FACINGS, bearing


def arcs_of(arc: str) -> frozenset[str]:
    """The single arcs (``LF RF R RR LR L``) of a designation: ``FA``, ``L+LR``, ``LR-L`` or ``360`` (D2.1, D2.2).

    Raises ``ValueError`` for a designation nobody knows.
    """
    return combined(arc, charts.arcs())


@cache
def combined(arc: str, chart: Arcs) -> frozenset[str]:
    """The same by a chart at hand."""
    found: set[str] = set()
    for part in arc.upper().replace("-", "+").split("+"):
        name = part.strip()
        if name in chart.six:
            found.add(name)
        elif name in chart.combined:
            found.update(chart.combined[name])
        else:
            raise ValueError(
                f"{arc!r} is no firing arc: {name!r} is none of {', '.join((*chart.six, *chart.combined))}"
            )
    return frozenset(found)


def arcs_holding(hex: str, facing: str, target_hex: str, grid: str = EVEN) -> frozenset[str]:
    """The single arcs of a unit that hold a hex: one, or two where it lies on the row between them (D2.1).

    Raises ``ValueError`` for the unit's own hex: the caller judges from the hexes of the impulse before
    (D3.42).
    """
    at = bearing(hex, target_hex, grid)
    return _at_step((at.index - FACINGS.index(facing)) % 6, at.on_row, charts.arcs())


@cache
def _at_step(step: int, on_row: bool, chart: Arcs) -> frozenset[str]:
    """The arc so many sixths of a circle clockwise from dead ahead, on a row with the one before it."""
    return frozenset((chart.six[step], chart.six[step - 1])) if on_row else frozenset((chart.six[step],))


def in_arc(hex: str, facing: str, target_hex: str, arc: str, grid: str = EVEN) -> bool:
    """Whether a weapon with this arc can be pointed at a hex; the rows that bound an arc belong to it (D2.1).

    Raises ``ValueError`` for the unit's own hex (D3.42).
    """
    return not arcs_of(arc).isdisjoint(arcs_holding(hex, facing, target_hex, grid))
