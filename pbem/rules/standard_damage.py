"""Internal damage by the standard damage allocation chart (D4.0, graduate version).

A volley is scored point by point: armor first (D4.12), then two dice for each point and the first entry of that row,
from left to right, of which the ship has a box left (D4.222). What counts by the volley (entries used once, every
third phaser) is in its :class:`Tally`. The boxes of the special function tracks stand among the ship's other boxes, as
``sensor``, ``scanner`` and ``damcon``; what they are then worth says :mod:`pbem.rules.sensors`.

Where an entry leaves a choice, the owner's choices and the default procedure of :mod:`pbem.rules.damage` decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from pbem.data import charts
from pbem.data.combat_charts import DacSystem, StandardDac
from pbem.rules import damage, ties
from pbem.rules.arcs import arcs_holding, combined
from pbem.rules.damage import Choice, Hit, Ssd, WeaponBox
from pbem.rules.hexes import EVEN

LOWEST = 2
"""The lowest sum of two dice: the first row of the chart."""

ARMOR = "armor"
OCCUPIED = "AnyWeapon"
"""The entry by which a shuttle box is hit only with the shuttle in it (D4.324)."""


class Tally(NamedTuple):
    """What a volley has done so far: ``used`` entries that count once, as (row, column) of the chart (D4.31), and how
    many ``hits`` of each entry with a stronger type it has scored (D4.322). A new volley begins with none.
    """

    used: frozenset[tuple[int, int]] = frozenset()
    hits: tuple[tuple[str, int], ...] = ()


NEW_VOLLEY = Tally()


class Scored(NamedTuple):
    """The box a point destroys, and the tally for the volley's next point."""

    hit: Hit
    tally: Tally


class Part(NamedTuple):
    """What one unit adds to a volley: its name, its points, and the ship's single arcs it struck from (D4.321)."""

    source: str
    points: int
    arcs: frozenset[str]


# --- where a volley comes from ----------------------------------------------------------------------------


def direction(hex: str, facing: str, source_hex: str, grid: str = EVEN) -> frozenset[str]:
    """The ship's single arcs a volley comes from; phasers that fire there can be hit (D4.321).

    ``source_hex`` is the firing unit's, or the one a seeking weapon came from. Raises ``ValueError`` for the ship's
    own hex: there the positions of the impulse before count (D3.42).
    """
    return arcs_holding(hex, facing, source_hex, grid)


def shield_direction(shield: int) -> frozenset[str]:
    """The two arcs that meet before a shield, for damage that comes from no unit, as from asteroids (D4.321)."""
    six = charts.arcs().six
    return frozenset((six[shield - 1], six[shield - 2]))


def directions(parts: Iterable[Part], internals: int) -> tuple[frozenset[str], ...]:
    """Where each internal point of a volley from several units comes from (D4.34).

    The heaviest part is resolved first; of equals the one whose name comes first. Reading: what the shield stops
    belongs to the volley too, so it stops the points resolved first. Raises ``ValueError`` for more internals than
    points.
    """
    each = sorted(parts, key=lambda part: (-part.points, ties.of_names(part.source)))
    points = [part.arcs for part in each for _ in range(part.points)]
    if internals > len(points):
        raise ValueError(f"{internals} internal points of a volley of {len(points)}")
    return tuple(points[len(points) - internals :])


# --- armor ------------------------------------------------------------------------------------------------


def armor_hits(points: int, boxes: Mapping[str, int]) -> list[Hit]:
    """What armor takes of a volley's internal points; only what is left goes to the chart (D4.12)."""
    return [Hit("armor", "", ARMOR)] * min(points, boxes[ARMOR]) if ARMOR in boxes else []


# --- the chart --------------------------------------------------------------------------------------------


def standard_box(
    roll: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, WeaponBox],
    arcs: Mapping[str, str],
    toward: frozenset[str],
    tally: Tally = NEW_VOLLEY,
    choices: Sequence[Choice] = (),
    since: int | None = None,
    aboard: int = 0,
) -> Scored:
    """The box one point destroys: ``roll`` is the sum of two dice (D4.21 standard, D4.222, D4.31 to D4.354).

    ``boxes`` are the undestroyed boxes by system, ``weapons`` by name with their firing ``arcs``; ``toward`` the arcs
    the point came from (:func:`direction`); ``since`` the moment this turn began; ``aboard`` how many shuttles are in
    their boxes. An excess hit with no excess box left destroys the ship (D4.4): ``Hit.box`` is empty.
    """
    chart = charts.standard_dac()
    ssd, used = Ssd(boxes, weapons, since), tally.used
    for column, (name, once, system) in enumerate(_entries(chart)[roll - LOWEST]):
        if used and (roll, column) in used:
            continue
        found = _candidates(name, system, ssd, arcs, toward, tally, choices, aboard)
        if found:
            box, choice = damage.pick(system.choice, found, choices)
            if once or system.ranked:
                tally = _noted(tally, name, system, (roll, column) if once else None)
            return Scored(Hit(name, chart.columns[column], box, choice), tally)
    return Scored(Hit(chart.rows[roll - LOWEST][-1], chart.columns[-1], ""), tally)


class _Entry(NamedTuple):
    """An entry of the chart: its name, whether it counts once in a volley (``*``, D4.31), what it is scored on."""

    name: str
    once: bool
    system: DacSystem


@cache
def _entries(chart: StandardDac) -> tuple[tuple[_Entry, ...], ...]:
    """The entries of each row, from left to right."""
    return tuple(
        tuple(_Entry(name := entry.rstrip("*"), entry.endswith("*"), chart.systems[name]) for entry in row)
        for row in chart.rows
    )


def _candidates(
    name: str,
    system: DacSystem,
    ssd: Ssd,
    arcs: Mapping[str, str],
    toward: frozenset[str],
    tally: Tally,
    choices: Sequence[Choice],
    aboard: int,
) -> list[str]:
    """The boxes an entry can be scored on, in the order in which the default procedure takes them."""
    boxes, families = ssd.boxes, system.families
    if not families:
        left = [box for box in system.boxes if boxes.get(box, 0) > system.residual]
        return sorted(left, key=lambda box: -boxes[box]) if system.any else left[:1]
    kinds, chart = charts.weapon_kinds(), charts.arcs()
    found = [
        box
        for box, weapon in ssd.weapons.items()
        if weapon.working
        and kinds[weapon.kind].family in families
        and (not system.bearing or not toward.isdisjoint(combined(arcs[box], chart)))
    ]
    found = damage.by_worth(found, ssd)
    if system.ranked and (_hits(tally, name) + 1) % system.ranked == 0:
        found = _stronger(found, ssd)
    if system.shuttle and aboard and boxes.get("shuttle") and _wanted("shuttle", choices):
        found.append("shuttle")
    return found


def _stronger(found: Sequence[str], ssd: Ssd) -> list[str]:
    """Those of a stronger type than the weakest among them; all, where they are of one type (D4.322)."""
    kinds = charts.weapon_kinds()
    rank = {box: kinds[ssd.weapons[box].kind].rank for box in found}
    stronger = [box for box in found if rank[box] > min(rank.values())]
    return stronger or list(found)


def _wanted(box: str, choices: Sequence[Choice]) -> bool:
    """Whether the owner asked that a box go first among weapons."""
    return any(
        damage.speaks_of(choice, "weapon")
        and choice.place.upper() == "FIRST"
        and any(damage.names_box(item, box) for item in choice.items)
        for choice in choices
    )


def _noted(tally: Tally, name: str, system: DacSystem, place: tuple[int, int] | None) -> Tally:
    used = tally.used | {place} if place else tally.used
    if not system.ranked:
        return Tally(used, tally.hits)
    hits = dict(tally.hits)
    hits[name] = hits.get(name, 0) + 1
    return Tally(used, tuple(sorted(hits.items())))


def _hits(tally: Tally, name: str) -> int:
    return dict(tally.hits).get(name, 0)
