"""Internal damage (D4.0): which box each point destroys, and when a ship is lost.

There are three procedures: the Cadet damage chart, the procedures without a chart of scenarios #2, #3 and #4, and the
standard damage allocation chart (D4.0, graduate version).

The owner chooses among the boxes of the system that was hit (D4.223). Without a choice, the default order destroys
first what the owner would miss least:

* weapons: empty drone racks, weapons that fired this turn, heavy weapons without energy, phasers (weakest first),
  loaded racks, heavy weapons with energy; among equal weapons, the one with the lowest number or letter;
* engines: the warp engine with more boxes left (if equal, the left one), impulse engines last;
* hull: cargo, center, aft, forward;
* others: laboratory, shuttle (:mod:`pbem.rules.shuttles` says which box), transporter, battery (empty batteries first,
  B3.0, line 6), reactor.

In scenarios #2 and #3 the owner may choose any boxes. In the printed edition of these scenarios one weapon must be
destroyed in each volley, and bridge and security are never destroyed. The other edition has no such restrictions. In
both editions, a ship is destroyed with its last box.

By the standard chart, armor is hit first (D4.12). For each further point, two dice select a row of the chart. The
entries of the row are read from left to right, and the first entry for which the ship has a box left is hit (D4.222).
:class:`VolleyTally` counts what matters within a volley: entries that can be hit only once, and every third phaser hit.
The special function tracks (sensors, scanners, damage control) are counted as boxes ``sensor``, ``scanner`` and
``damcon``; :mod:`pbem.rules.sensors` says what their boxes are worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from pbem.data import charts
from pbem.data.chart_types import DacSystem, StandardDac
from pbem.data.files import own_figures
from pbem.data.ships import Threshold
from pbem.rules import ties
from pbem.rules.direct_fire import is_heavy, is_phaser
from pbem.rules.hexes import EVEN, arcs_holding, combined
from pbem.rules.weapons import family

WARP = ("warp left", "warp right", "warp center")
HULL = ("cargo", "hull center", "hull aft", "hull fore", "hull")
OTHER = ("lab", "shuttle", "tran", "battery", "apr")
BRIDGE = ("security", "bridge")
SPARE = ("tractor", "probe", "flag", "aux", "emer", "armor")
"""Systems that are not on the Cadet chart, and can be hit only by procedures without the chart."""

CATEGORIES = ("WEAPON", "ENGINE", "OTHER", "HULL")
"""The categories of a damage choice, besides ``ANY`` (D4.3)."""

ANY = "ANY"
"""The category of a damage choice for every point, and of a point that may destroy any box (D4.0)."""


class HittableWeapon(Protocol):
    """Interface of a weapon, with the properties that decide which weapon is destroyed first."""

    @property
    def kind(self) -> str:
        """The kind of the weapon, for example ``photon``."""

    @property
    def working(self) -> bool:
        """True if the weapon works, i.e. is not destroyed."""

    @property
    def charge(self) -> str:
        """How far the weapon is armed, for example ``armed``; empty if it has no energy."""

    @property
    def ammo(self) -> int:
        """The number of drones left in a rack; 0 for other weapons."""

    @property
    def fired(self) -> int | None:
        """The time of the last shot or launch; ``None`` before the first.

        Times are in impulses from the start of the game.
        """


class OwnerChoice(Protocol):
    """Interface of an owner's damage choice, i.e. boxes of a category to be destroyed first or last.

    The category is ``WEAPON``, ``ENGINE``, ``OTHER``, ``HULL`` or ``ANY``.
    """

    @property
    def category(self) -> str:
        """The category of boxes that the choice is about, or ``ANY``."""

    @property
    def items(self) -> tuple[str, ...]:
        """The names of the weapons and boxes chosen; empty for the default order of the category."""

    @property
    def place(self) -> str:
        """``FIRST`` or ``LAST``: whether the items are destroyed before or after others in the category."""


class Hit(NamedTuple):
    """The result of one internal damage point: category and column of the chart, and the box destroyed.

    Examples of a box are ``PH 2`` and ``warp left``. If ``box`` is empty, no box was left, and the ship is destroyed
    (D4.4). If the default order decided among several boxes, ``choice`` is the damage choice with which the owner could
    have selected this box; otherwise it is empty.
    """

    category: str
    column: str
    box: str
    choice: str = ""

    @property
    def destroys_ship(self) -> bool:
        """True if the point destroys the ship, because there was no box left to destroy."""
        return not self.box


class BoxesLeft(NamedTuple):
    """The undamaged boxes and weapons of a ship, and the time when the turn began.

    ``boxes`` is the number of boxes by system; ``weapons`` are the weapons by name. Weapons that fired at the time
    ``since`` or later count as fired this turn; if ``since`` is ``None``, no weapon does. Times are in impulses from
    the start of the game.
    """

    boxes: Mapping[str, int]
    weapons: Mapping[str, HittableWeapon]
    since: int | None = None


def cadet_box(
    die: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, HittableWeapon],
    choices: Sequence[OwnerChoice] = (),
    chart: str = "printed",
    since: int | None = None,
) -> Hit:
    """Return what one internal damage point destroys by the Cadet chart (D4.21 cadet, D4.222, D4.223).

    An excess hit with no excess box left destroys the ship (D4.4): ``Hit.box`` is empty.

    Args:
        die: The die rolled.
        boxes: The number of undestroyed boxes by system.
        weapons: The weapons by name.
        choices: The owner's damage choices.
        chart: The edition of the chart, ``printed`` or ``module``.
        since: The time this turn began (see :class:`BoxesLeft`).
    """
    return _by_chart(chart, die, BoxesLeft(boxes, weapons, since), choices)


def scenario_4_boxes(
    points: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, HittableWeapon],
    choices: Sequence[OwnerChoice] = (),
    robot: bool = False,
    since: int | None = None,
) -> list[Hit]:
    """Return the hits of a volley's internal damage points (D4.0, scenario #4).

    Scenario #4 uses no chart. The first point destroys a weapon, the second a warp engine box, if any is left. The
    other points destroy any box except the bridge. On a robot ship these points destroy warp engines and weapons only
    when no other box is left, and then warp engines first. A point for which no box is left destroys the ship;
    ``Hit.box`` of this last hit is empty.

    Args:
        points: The number of internal damage points.
        boxes: The boxes left, by system.
        weapons: The weapons by name.
        choices: The damage choices of the owner.
        robot: Whether the ship is a robot ship.
        since: Weapons that fired at this time or later count as fired this turn; if ``None``, no weapon does. Times are
            in impulses from the start of the game.
    """
    left, working, hits = dict(boxes), dict(weapons), list[Hit]()
    for number in range(1, points + 1):
        hits.append(_scenario_4(number, BoxesLeft(left, working, since), choices, robot))
        if hits[-1].destroys_ship:
            break
        strike_out(hits[-1].box, left, working)
    return hits


def track_effects(before: int, points: int, thresholds: Sequence[Threshold]) -> tuple[str, ...]:
    """Return the effects of new internal damage on a ship that has a damage track (scenario #3).

    ``points`` is the number of new damage points, ``before`` the number of earlier points.
    """
    return tuple(step.effect for step in thresholds if before < step.points <= before + points)


def track_speed(internals: int, thresholds: Sequence[Threshold]) -> int | None:
    """Return the highest speed, in hexes per turn, that a ship's damage track still allows (scenario #3).

    The result is ``None`` while the track does not slow the ship. ``internals`` is the number of internal damage
    points so far, and ``thresholds`` are the steps of the track.
    """
    passed = [step.effect.split() for step in thresholds if step.points <= internals]
    speeds = [int(words[1]) for words in passed if words[0] == "speed"]
    return min(speeds, default=None)


def _by_chart(chart: str, die: int, ssd: BoxesLeft, choices: Sequence[OwnerChoice]) -> Hit:
    """Return what one internal damage point destroys according to a given edition of the Cadet chart."""
    found = charts.cadet_dac()
    dac = found.module if chart == "module" else found.printed
    row = dac.rows[die - 1]
    for column, category in zip(dac.columns, row, strict=True):
        if boxes := candidates(category, ssd):
            box, choice = pick(category, boxes, choices)
            return Hit(category, column, box, choice)
    return Hit(row[-1], dac.columns[-1], "")


def _scenario_4(number: int, ssd: BoxesLeft, choices: Sequence[OwnerChoice], robot: bool) -> Hit:
    """Return what one internal damage point destroys under the procedure of :func:`scenario_4_boxes`.

    ``number`` is the number of the point in its volley, from 1.
    """
    weapons = candidates("weapon", ssd)
    engines = candidates("engine", ssd)
    warp = [box for box in engines if box != "impulse"]
    if number == 1 and weapons:
        box, choice = pick("weapon", weapons, choices)
        return Hit("weapon", "", box, choice)
    if number == 2 and warp:
        box, choice = pick("engine", warp, choices)
        return Hit("engine", "", box, choice)
    rest = expendable(ssd)
    boxes = (rest or warp or weapons) if robot else [*rest, *warp, *weapons]
    if not boxes:
        return Hit("any", "", "")
    box, choice = pick("any", boxes, choices)
    return Hit("any", "", box, choice)


def expendable(ssd: BoxesLeft) -> list[str]:
    """Return the systems that have boxes left, in the order in which they are destroyed by default.

    Bridge, warp engines and weapons are not included.
    """
    each = ("excess", *HULL, "security", *SPARE, *OTHER, "impulse")
    return [box for box in each if ssd.boxes.get(box)]


def strike_out(box: str, boxes: dict[str, int], weapons: dict[str, HittableWeapon]) -> None:
    """Remove one destroyed box from ``boxes`` or ``weapons``; the dicts are changed in place."""
    if box in weapons:
        del weapons[box]
    else:
        boxes[box] -= 1


def candidates(category: str, ssd: BoxesLeft) -> list[str]:
    """Return the boxes and weapons of a category that are left.

    The result is sorted in the order of destruction by default.
    """
    if category == "weapon":
        return by_worth([name for name, weapon in ssd.weapons.items() if weapon.working], ssd)
    left = {box: count for box, count in ssd.boxes.items() if count}
    if category == "engine":
        return [*sorted((box for box in WARP if box in left), key=lambda box: -left[box]), *({"impulse"} & left.keys())]
    listed = charts.cadet_dac().categories[category]
    return [box for box in (*HULL, *OTHER, *BRIDGE, "excess") if box in listed and box in left]


def by_worth(names: list[str], ssd: BoxesLeft) -> list[str]:
    """Return weapon names in the order in which the weapons are destroyed by default.

    The weapon that is least useful to the owner comes first; among equal weapons, the one with the lowest number or
    letter.
    """
    if len(names) < 2:
        return names
    token = own_figures().token
    return sorted(names, key=lambda name: (worth(ssd.weapons[name], ssd.since, token), natural(name)))


def worth(weapon: HittableWeapon, since: int | None, token: str) -> tuple[int, int]:
    """Return a sort key for a weapon; a lower key means that the weapon is less useful to the owner.

    The key is a pair: a number for the present usefulness of the weapon, and the strength of a phaser. A weapon counts
    as used this turn if it fired at the time ``since`` or later. ``token`` is only a part of a cache key. It identifies
    the custom figures (charts) in use.
    """
    kind = _valued(weapon.kind, token)
    if kind.ammunition and weapon.ammo < 1:
        return 0, kind.strength
    if since is not None and weapon.fired is not None and weapon.fired >= since:
        return 1, kind.strength
    if kind.heavy:
        return (5 if weapon.charge else 2), kind.strength
    return (3 if kind.phaser else 4), kind.strength


class _Valued(NamedTuple):
    """The properties of a weapon type that decide how useful such a weapon is to its owner.

    ``strength`` is the strength of a phaser; 0 for other weapons.
    """

    phaser: bool
    heavy: bool
    ammunition: bool
    strength: int


@cache
def _valued(kind: str, token: str) -> _Valued:
    """Return the properties of a weapon type that decide how useful such a weapon is.

    ``token`` is only a part of the cache key.
    """
    phaser = is_phaser(kind)
    strength = sum(map(sum, charts.damage_table(charts.weapon_kinds()[kind].chart).damage)) if phaser else 0
    return _Valued(phaser, is_heavy(kind), family(kind).ammunition, strength)


@cache
def natural(name: str) -> tuple[str, int, str]:
    """Return a sort key for weapon names by which ``PH 10`` comes after ``PH 2``."""
    label, _, number = name.rpartition(" ")
    return (label, int(number), "") if number.isdecimal() else (label, 0, number)


def speaks_of(category: str, point: str) -> bool:
    """Return whether damage choices for a category apply to a damage point of category ``point`` (D4.223).

    A point of category ``any`` may destroy any box (D4.0). Only choices for ``ANY`` apply to such a point, not
    choices for one category.
    """
    return category.upper() in (point.upper(), ANY)


def wished(choices: Sequence[OwnerChoice], point: str, place: str) -> list[str]:
    """Return the items that an owner wants to be destroyed first or last.

    ``place`` is ``FIRST`` or ``LAST``. ``point`` is the category of the damage point that is being resolved. The items
    are in the order in which the owner named them.
    """
    return [
        item
        for choice in choices
        if choice.place.upper() == place and speaks_of(choice.category, point)
        for item in choice.items
    ]


def pick(category: str, boxes: Sequence[str], choices: Sequence[OwnerChoice]) -> tuple[str, str]:
    """Return the box to destroy, and the damage choice with which the owner could have selected it.

    The owner's FIRST items are destroyed first, then others in the default order, then the owner's LAST items. The
    second value is ``""`` if a choice of the owner decided or if there was only one box.

    Args:
        category: The category of boxes in which the point falls.
        boxes: The boxes that can be hit, in the default order.
        choices: The damage choices of the owner.
    """
    if not choices:
        return boxes[0], _first(category, boxes[0]) if len(boxes) > 1 else ""
    for item in wished(choices, category, "FIRST"):
        for box in boxes:
            if names_box(item, box):
                return box, ""
    spared: dict[str, int] = {}
    for number, item in enumerate(wished(choices, category, "LAST")):
        for box in boxes:
            if names_box(item, box):
                spared.setdefault(box, number)
    free = [box for box in boxes if box not in spared]
    if not free:
        free = [box for box in boxes if spared[box] == min(spared.values())]
    return free[0], _first(category, free[0]) if len(free) > 1 else ""


def _first(category: str, box: str) -> str:
    """Return the text of the damage choice by which this box is destroyed first."""
    return f"{category.upper() if category.upper() in CATEGORIES else ANY} {box.upper()} FIRST"


def names_box(item: str, box: str) -> bool:
    """Return whether an item of a damage choice refers to this box.

    An item is a box (``PH 4``, ``WARP LEFT``), the first word of a box name with or without ALL (``WARP``, ``ALL PH``),
    or ``HEAVY``.
    """
    return _names_box(item, box, own_figures().token)


@lru_cache(maxsize=4096)
def _names_box(item: str, box: str, token: str) -> bool:
    """Compute the result of :func:`names_box`; results are cached.

    ``token`` is only a part of the cache key.
    """
    words, wanted = box.lower().split(), item.lower().split()
    if wanted[:1] == ["all"] and len(wanted) > 1:
        wanted = wanted[1:]
    if wanted == ["heavy"]:
        return words[0].upper() in {kind.label for kind in charts.weapon_kinds().values() if kind.heavy}
    return sorted(words) == sorted(wanted) or (len(wanted) == 1 and wanted[0] == words[0])


EDITIONS = ("printed", "module")


def free_boxes(
    points: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, HittableWeapon],
    choices: Sequence[OwnerChoice] = (),
    edition: str = "printed",
    since: int | None = None,
) -> list[Hit]:
    """Return the hits of a volley when the owner may choose any boxes (D4.0, scenarios #2 and #3).

    When the last box is destroyed, an additional ``Hit`` with an empty box is returned. It means that the ship is
    destroyed, and does not count as a point of the volley. Our interpretation where the rules are silent: in the
    printed edition the first point of a volley destroys a weapon, if one is left; the ammunition of drone racks does
    not count as boxes. The default order is excess damage, hull, other systems, warp engines, weapons. Security and
    bridge come last in the edition ``module``, and are never hit in the printed edition.

    Args:
        points: The number of internal damage points of the volley.
        boxes: The number of undestroyed boxes by system.
        weapons: The weapons by name.
        choices: The owner's damage choices.
        edition: ``printed`` or ``module``.
        since: The time this turn began (see :class:`BoxesLeft`).

    Raises:
        ValueError: There is no such edition.
    """
    if edition not in EDITIONS:
        raise ValueError(f"{edition!r} is no edition of scenario #2: {' or '.join(EDITIONS)}")
    left, working, hits = dict(boxes), dict(weapons), list[Hit]()
    for number in range(1, points + 1):
        ssd = BoxesLeft(left, working, since)
        first = candidates("weapon", ssd) if number == 1 and edition == "printed" else []
        found = first or _anything(ssd, edition)
        if not found:
            break
        category = "weapon" if first else "any"
        box, choice = pick(category, found, choices)
        hits.append(Hit(category, "", box, choice))
        strike_out(box, left, working)
    if is_destroyed(left, working, edition):
        hits.append(Hit("any", "", ""))
    return hits


def is_destroyed(boxes: Mapping[str, int], weapons: Mapping[str, HittableWeapon], edition: str = "printed") -> bool:
    """Return whether a ship is destroyed because every box is destroyed, including excess damage.

    In the printed edition bridge and security do not count.
    """
    return not _anything(BoxesLeft(boxes, weapons), edition)


def _anything(ssd: BoxesLeft, edition: str) -> list[str]:
    """Return all boxes and weapons that can be hit, in the order in which they are destroyed by default."""
    rest = [box for box in expendable(ssd) if box not in BRIDGE]
    engines = [box for box in candidates("engine", ssd) if box != "impulse"]
    last = [box for box in BRIDGE if edition == "module" and ssd.boxes.get(box)]
    return [*rest, *engines, *candidates("weapon", ssd), *last]


LOWEST = 2
"""The lowest sum of two dice; it selects the first row of the standard chart."""

ARMOR = "armor"
OCCUPIED = "AnyWeapon"
"""The entry of the standard chart that hits a shuttle box only if a shuttle is in it (D4.324)."""


class VolleyTally(NamedTuple):
    """The hits so far that affect later points of the same volley; empty at the start of a volley.

    Attributes:
        used: Chart entries already hit that can be used only once, as (row, column) (D4.31).
        hits: The number of hits so far on each entry for which some hits destroy a stronger type of weapon (D4.322).
    """

    used: frozenset[tuple[int, int]] = frozenset()
    hits: tuple[tuple[str, int], ...] = ()


NEW_VOLLEY = VolleyTally()


class Scored(NamedTuple):
    """The hit by one damage point, and the :class:`VolleyTally` to use for the next point of the volley."""

    hit: Hit
    tally: VolleyTally


class VolleyShare(NamedTuple):
    """The part of a volley that comes from one unit.

    Attributes:
        source: The name of the unit.
        points: The damage points from this unit.
        arcs: The single arcs of the target ship from which these points came (D4.321).
    """

    source: str
    points: int
    arcs: frozenset[str]


# --- where a volley comes from ----------------------------------------------------------------------------


def direction(hex: str, facing: str, source_hex: str, grid: str = EVEN) -> frozenset[str]:
    """Return the arcs of a ship from which a volley comes (D4.321).

    Only phasers that can fire into these arcs can be hit. ``source_hex`` is the hex of the firing unit, or the hex
    from which a seeking weapon came.

    Raises:
        ValueError: ``source_hex`` is the ship's own hex. In that case the positions in the previous impulse decide
            (D3.42).
    """
    return arcs_holding(hex, facing, source_hex, grid)


def shield_direction(shield: int) -> frozenset[str]:
    """Return the two arcs of a ship that meet in front of a shield (D4.321).

    Damage that no unit caused, e.g. by asteroids, counts as coming from these arcs.
    """
    six = charts.arcs().six
    return frozenset((six[shield - 1], six[shield - 2]))


def directions(parts: Iterable[VolleyShare], internals: int) -> tuple[frozenset[str], ...]:
    """Return, for each internal damage point of a volley, the arcs from which the point comes (D4.34).

    A volley may come from several units. The points of the unit that scored most are resolved first; if units scored
    equally many, they are resolved in the order of their names. Our interpretation where the rules are silent: the
    first points of the volley in this order are those that the shield stopped.

    Raises:
        ValueError: There are more internal damage points than points in the volley.
    """
    each = sorted(parts, key=lambda part: (-part.points, ties.of_names(part.source)))
    points = [part.arcs for part in each for _ in range(part.points)]
    if internals > len(points):
        raise ValueError(f"{internals} internal points of a volley of {len(points)}")
    return tuple(points[len(points) - internals :])


# --- armor ------------------------------------------------------------------------------------------------


def armor_hits(points: int, boxes: Mapping[str, int]) -> list[Hit]:
    """Return the hits on armor boxes by a volley's internal damage points (D4.12).

    Only points that armor does not absorb are resolved with the chart.
    """
    return [Hit("armor", "", ARMOR)] * min(points, boxes[ARMOR]) if ARMOR in boxes else []


# --- the chart --------------------------------------------------------------------------------------------


def standard_box(  # noqa: PLR0913 - each is a plain fact
    roll: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, HittableWeapon],
    arcs: Mapping[str, str],
    toward: frozenset[str],
    tally: VolleyTally = NEW_VOLLEY,
    choices: Sequence[OwnerChoice] = (),
    since: int | None = None,
    aboard: int = 0,
) -> Scored:
    """Return what one point destroys by the standard chart (D4.21 standard, D4.222, D4.31 to D4.354).

    An excess hit with no excess box left destroys the ship (D4.4): ``Hit.box`` is empty.

    Args:
        roll: The sum of two dice.
        boxes: The number of undestroyed boxes by system.
        weapons: The weapons by name.
        arcs: The firing arc of each weapon, by name.
        toward: The single arcs of the ship from which the point came (:func:`direction`).
        tally: The hits of the volley so far.
        choices: The owner's damage choices.
        since: The time this turn began (see :class:`BoxesLeft`).
        aboard: The number of shuttles in their boxes.
    """
    chart = charts.standard_dac()
    ssd, used = BoxesLeft(boxes, weapons, since), tally.used
    for column, (name, once, system) in enumerate(_entries(chart)[roll - LOWEST]):
        if used and (roll, column) in used:
            continue
        found = _candidates(name, system, ssd, arcs, toward, tally, choices, aboard)
        if found:
            box, choice = pick(system.choice, found, choices)
            if once or system.ranked:
                tally = _noted(tally, name, system, (roll, column) if once else None)
            return Scored(Hit(name, chart.columns[column], box, choice), tally)
    return Scored(Hit(chart.rows[roll - LOWEST][-1], chart.columns[-1], ""), tally)


class _Entry(NamedTuple):
    """An entry of the standard damage chart.

    The fields are its name, whether it can be hit only once per volley (D4.31), and the system that it hits.
    """

    name: str
    once: bool
    system: DacSystem


@cache
def _entries(chart: StandardDac) -> tuple[tuple[_Entry, ...], ...]:
    """Return the entries of each row of the chart, from left to right."""
    return tuple(
        tuple(_Entry(name := entry.rstrip("*"), entry.endswith("*"), chart.systems[name]) for entry in row)
        for row in chart.rows
    )


def _candidates(
    name: str,
    system: DacSystem,
    ssd: BoxesLeft,
    arcs: Mapping[str, str],
    toward: frozenset[str],
    tally: VolleyTally,
    choices: Sequence[OwnerChoice],
    aboard: int,
) -> list[str]:
    """Return the boxes that an entry of the standard damage chart can hit.

    The result is sorted in the order of destruction by default.
    """
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
    found = by_worth(found, ssd)
    if system.ranked and (_hits(tally, name) + 1) % system.ranked == 0:
        found = _stronger(found, ssd)
    if (
        system.shuttle
        and aboard
        and boxes.get("shuttle")
        and any(names_box(item, "shuttle") for item in wished(choices, "weapon", "FIRST"))
    ):
        found.append("shuttle")
    return found


def _stronger(found: Sequence[str], ssd: BoxesLeft) -> list[str]:
    """Return the weapons in ``found`` whose type is stronger than the weakest type in ``found`` (D4.322).

    If all weapons are of the same type, all of them are returned.
    """
    kinds = charts.weapon_kinds()
    rank = {box: kinds[ssd.weapons[box].kind].rank for box in found}
    stronger = [box for box in found if rank[box] > min(rank.values())]
    return stronger or list(found)


def _noted(tally: VolleyTally, name: str, system: DacSystem, place: tuple[int, int] | None) -> VolleyTally:
    """Return the tally of a volley after a hit on one entry of the chart.

    ``place`` is the (row, column) of an entry that can be used only once, otherwise ``None``.
    """
    used = tally.used | {place} if place else tally.used
    if not system.ranked:
        return VolleyTally(used, tally.hits)
    hits = dict(tally.hits)
    hits[name] = hits.get(name, 0) + 1
    return VolleyTally(used, tuple(sorted(hits.items())))


def _hits(tally: VolleyTally, name: str) -> int:
    """Return how many times an entry of the chart was already hit in this volley.

    The result is 0 for entries whose hits are not counted.
    """
    return dict(tally.hits).get(name, 0)
