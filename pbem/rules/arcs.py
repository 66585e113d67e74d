"""Firing arcs (D2.0)."""

from __future__ import annotations

from functools import cache, lru_cache

from pbem.data import charts
from pbem.rules.hexes import EVEN, FACINGS, bearing


@cache
def arcs_of(arc: str) -> frozenset[str]:
    """The single arcs (``LF RF R RR LR L``) of a designation such as ``FA``, ``L+LR``.

    ``LR-L`` or ``360`` (D2.1, D2.2).

    Raises ``ValueError`` for a designation nobody knows.
    """
    chart = charts.arcs()
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


@lru_cache(maxsize=65536)
def arcs_holding(hex: str, facing: str, target_hex: str, grid: str = EVEN) -> frozenset[str]:
    """The single arcs of a unit that hold a hex: one, or two where it lies on the row between them (D2.1).

    Raises ``ValueError`` for the unit's own hex: the caller judges from the hexes of the impulse before
    (D3.42).
    """
    six = charts.arcs().six
    at = bearing(hex, target_hex, grid)
    step = (at.index - FACINGS.index(facing)) % 6
    return frozenset((six[step], six[step - 1])) if at.on_row else frozenset((six[step],))


def in_arc(hex: str, facing: str, target_hex: str, arc: str, grid: str = EVEN) -> bool:
    """Whether a weapon with this arc can be pointed at a hex; the rows that bound an arc belong to it (D2.1).

    Raises ``ValueError`` for the unit's own hex (D3.42).
    """
    return not arcs_of(arc).isdisjoint(arcs_holding(hex, facing, target_hex, grid))
