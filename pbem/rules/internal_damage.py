"""Internal damage (D4.0): which box each point destroys, with and without the chart, and when a ship is lost.

The owner chooses among the boxes of the system that was hit (D4.223). Where he left no choice, the default
procedure takes what he would miss least:

* weapons: empty drone racks, weapons that fired this turn, heavy weapons without energy, phasers (weakest
  first), loaded racks, heavy weapons with energy; of equals the one with the lowest number or letter;
* engines: the warp engine with more boxes left, the left one of equals, impulse last;
* hull: cargo, center, aft, forward;
* others: laboratory, shuttle, transporter, battery, reactor (of batteries the empty ones go first, B3.0,
  line 6; which shuttle box: :mod:`pbem.rules.shuttles`).

Internal damage without a chart, in scenarios #2 and #3: the owner marks what he likes (D4.0).

Scenario #4 has a procedure of its own, in :mod:`pbem.rules.internal_damage`. The printed edition of scenario #2
asks for one weapon in each volley and spares bridge and security; so does scenario #3, which repeats its rule. The
other edition asks for nothing and spares nothing. Both take the last box for the end of the ship.

Internal damage by the standard damage allocation chart (D4.0, graduate version).

A volley is scored point by point: armor first (D4.12), then two dice for each point and the first entry of that
row, from left to right, of which the ship has a box left (D4.222). What counts by the volley (entries used once,
every third phaser) is in its :class:`Tally`. The boxes of the special function tracks stand among the ship's other
boxes, as ``sensor``, ``scanner`` and ``damcon``; what they are then worth says :mod:`pbem.rules.sensors`.

Where an entry leaves a choice, the owner's choices and the default procedure of :mod:`pbem.rules.internal_damage`
decide.
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
"""Systems the Cadet chart does not know; without the chart they can be hit."""

CATEGORIES = ("WEAPON", "ENGINE", "OTHER", "HULL")
"""What a choice may be about, besides ``ANY`` (D4.3)."""


class WeaponBox(Protocol):
    """What damage needs to know of a weapon."""

    @property
    def kind(self) -> str: ...
    @property
    def working(self) -> bool: ...
    @property
    def charge(self) -> str: ...
    @property
    def ammo(self) -> int: ...
    @property
    def fired(self) -> int | None: ...


class Choice(Protocol):
    """His choice: in a category (``WEAPON ENGINE OTHER HULL ANY``) these items ``FIRST`` or ``LAST``."""

    @property
    def category(self) -> str: ...
    @property
    def items(self) -> tuple[str, ...]: ...
    @property
    def place(self) -> str: ...


class Hit(NamedTuple):
    """One internal point: category of the chart, its column, and the box destroyed (``PH 2``, ``warp left``).

    An empty ``box`` means that there was none left: the ship is destroyed (D4.4). ``choice`` is the order by which
    the owner could have made the choice himself, where the default procedure made it for him.
    """

    category: str
    column: str
    box: str
    choice: str = ""

    @property
    def destroys_ship(self) -> bool:
        return not self.box


class Ssd(NamedTuple):
    """What is left of a ship: boxes by system, weapons by name, the moment this turn began.

    Weapons that fired at ``since`` or later count as fired this turn (``None``: not asked).
    """

    boxes: Mapping[str, int]
    weapons: Mapping[str, WeaponBox]
    since: int | None = None


def cadet_box(
    die: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, WeaponBox],
    choices: Sequence[Choice] = (),
    chart: str = "printed",
    since: int | None = None,
) -> Hit:
    """The box one internal point destroys, by the Cadet chart (D4.21 cadet, D4.222, D4.223).

    ``boxes`` are the undestroyed boxes by system, ``weapons`` by name; ``chart`` is ``printed`` or ``module``. An
    excess hit with no excess box left destroys the ship (D4.4): ``Hit.box`` is empty.
    """
    return _by_chart(chart, die, Ssd(boxes, weapons, since), choices)


def scenario_4_boxes(
    points: int,
    boxes: Mapping[str, int],
    weapons: Mapping[str, WeaponBox],
    choices: Sequence[Choice] = (),
    robot: bool = False,
    since: int | None = None,
) -> list[Hit]:
    """What a volley of so many points destroys without the chart (D4.0, scenario #4).

    The first point goes to a weapon, the second to a warp engine, if any is left; the rest anywhere but the bridge.
    Of a robot ship the rest spares warp engines and weapons until nothing else remains, then warp engines go first.
    One more point than there are boxes destroys the ship: the last ``Hit.box`` is empty.
    """
    left, working, hits = dict(boxes), dict(weapons), list[Hit]()
    for number in range(1, points + 1):
        hits.append(_scenario_4(number, Ssd(left, working, since), choices, robot))
        if hits[-1].destroys_ship:
            break
        strike_out(hits[-1].box, left, working)
    return hits


def track_effects(before: int, points: int, thresholds: Sequence[Threshold]) -> tuple[str, ...]:
    """What happens on a damage track when ``points`` internals are added to ``before`` (scenario #3)."""
    return tuple(step.effect for step in thresholds if before < step.points <= before + points)


def track_speed(internals: int, thresholds: Sequence[Threshold]) -> int | None:
    """The most hexes a turn a ship with so many internals on its damage track can still make (scenario #3), ``None``
    while the track does not slow it.
    """
    passed = [step.effect.split() for step in thresholds if step.points <= internals]
    speeds = [int(words[1]) for words in passed if words[0] == "speed"]
    return min(speeds, default=None)


def _by_chart(chart: str, die: int, ssd: Ssd, choices: Sequence[Choice]) -> Hit:
    found = charts.cadet_dac()
    dac = found.module if chart == "module" else found.printed
    row = dac.rows[die - 1]
    for column, category in zip(dac.columns, row, strict=True):
        if boxes := candidates(category, ssd):
            box, choice = pick(category, boxes, choices)
            return Hit(category, column, box, choice)
    return Hit(row[-1], dac.columns[-1], "")


def _scenario_4(number: int, ssd: Ssd, choices: Sequence[Choice], robot: bool) -> Hit:
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


def expendable(ssd: Ssd) -> list[str]:
    """All that is left but bridge, warp engines and weapons, in the order of the default procedure."""
    each = ("excess", *HULL, "security", *SPARE, *OTHER, "impulse")
    return [box for box in each if ssd.boxes.get(box)]


def strike_out(box: str, boxes: dict[str, int], weapons: dict[str, WeaponBox]) -> None:
    """Mark a box as destroyed, in dicts of the caller's own."""
    if box in weapons:
        del weapons[box]
    else:
        boxes[box] -= 1


def candidates(category: str, ssd: Ssd) -> list[str]:
    """What is left of a category, in the order in which the default procedure takes it."""
    if category == "weapon":
        return by_worth([name for name, weapon in ssd.weapons.items() if weapon.working], ssd)
    left = {box: count for box, count in ssd.boxes.items() if count}
    if category == "engine":
        return [*sorted((box for box in WARP if box in left), key=lambda box: -left[box]), *({"impulse"} & left.keys())]
    listed = charts.cadet_dac().categories[category]
    return [box for box in (*HULL, *OTHER, *BRIDGE, "excess") if box in listed and box in left]


def by_worth(names: list[str], ssd: Ssd) -> list[str]:
    """These weapons, those first that their owner would miss least; of equals the lowest number or letter."""
    if len(names) < 2:
        return names
    token = own_figures().token
    return sorted(names, key=lambda name: (worth(ssd.weapons[name], ssd.since, token), natural(name)))


def worth(weapon: WeaponBox, since: int | None, token: str) -> tuple[int, int]:
    """Sorts weapons by what their owner would miss least: a tier, and the strength of a phaser."""
    kind = _valued(weapon.kind, token)
    if kind.ammunition and weapon.ammo < 1:
        return 0, kind.strength
    if since is not None and weapon.fired is not None and weapon.fired >= since:
        return 1, kind.strength
    if kind.heavy:
        return (5 if weapon.charge else 2), kind.strength
    return (3 if kind.phaser else 4), kind.strength


class _Valued(NamedTuple):
    """What makes a kind of weapon worth more than another; ``strength`` is that of a phaser."""

    phaser: bool
    heavy: bool
    ammunition: bool
    strength: int


@cache
def _valued(kind: str, token: str) -> _Valued:
    phaser = is_phaser(kind)
    strength = sum(map(sum, charts.damage_table(charts.weapon_kinds()[kind].chart).damage)) if phaser else 0
    return _Valued(phaser, is_heavy(kind), family(kind).ammunition, strength)


@cache
def natural(name: str) -> tuple[str, int, str]:
    """Sorts ``PH 10`` behind ``PH 2``."""
    label, _, number = name.rpartition(" ")
    return (label, int(number), "") if number.isdecimal() else (label, 0, number)


def speaks_of(choice: Choice, category: str) -> bool:
    """Whether an owner's choice is about a point of a category (D4.223).

    ``any`` is a point that may go anywhere (D4.0): a choice within one category says nothing of it, only ``ANY``
    does.
    """
    return choice.category.upper() in (category.upper(), "ANY")


def pick(category: str, boxes: Sequence[str], choices: Sequence[Choice]) -> tuple[str, str]:
    """The box the owner would have destroyed: his FIRST items, then the default order, then his LAST items.

    With it the order that says the same, if he gave none that decides and there was more than one box.
    """
    if not choices:
        return boxes[0], _first(category, boxes[0]) if len(boxes) > 1 else ""
    asked = [choice for choice in choices if speaks_of(choice, category)]
    first = [item for choice in asked if choice.place.upper() == "FIRST" for item in choice.items]
    last = [item for choice in asked if choice.place.upper() == "LAST" for item in choice.items]
    for item in first:
        for box in boxes:
            if names_box(item, box):
                return box, ""
    spared: dict[str, int] = {}
    for number, item in enumerate(last):
        for box in boxes:
            if names_box(item, box):
                spared.setdefault(box, number)
    free = [box for box in boxes if box not in spared]
    if not free:
        free = [box for box in boxes if spared[box] == min(spared.values())]
    return free[0], _first(category, free[0]) if len(free) > 1 else ""


def _first(category: str, box: str) -> str:
    """The order that would have said the same."""
    return f"{category.upper() if category.upper() in CATEGORIES else 'ANY'} {box.upper()} FIRST"


def names_box(item: str, box: str) -> bool:
    """Whether an item of a damage choice means this box.

    ``PH 4``, ``WARP LEFT``, its first word with or without ALL (``WARP``, ``ALL PH``), or ``HEAVY``.
    """
    return _names_box(item, box, own_figures().token)


@lru_cache(maxsize=4096)
def _names_box(item: str, box: str, token: str) -> bool:
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
    weapons: Mapping[str, WeaponBox],
    choices: Sequence[Choice] = (),
    edition: str = "printed",
    since: int | None = None,
) -> list[Hit]:
    """What a volley of so many points destroys (D4.0, scenarios #2 and #3).

    ``edition`` is ``printed`` or ``module``. With the last box the ship is destroyed: one more ``Hit`` with an
    empty box says so, and it is no point of the volley. Reading: of the printed edition's volley it is the first
    point that takes a weapon, if one is left; the ammunition of drone racks is no box. The default procedure takes
    excess damage, hull, other systems, warp engines, weapons, and where they are not spared security and bridge.
    Raises ``ValueError`` for an unknown edition.
    """
    if edition not in EDITIONS:
        raise ValueError(f"{edition!r} is no edition of scenario #2: {' or '.join(EDITIONS)}")
    left, working, hits = dict(boxes), dict(weapons), list[Hit]()
    for number in range(1, points + 1):
        ssd = Ssd(left, working, since)
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


def is_destroyed(boxes: Mapping[str, int], weapons: Mapping[str, WeaponBox], edition: str = "printed") -> bool:
    """Whether every box is marked, excess damage included; in the printed edition all but bridge and security."""
    return not _anything(Ssd(boxes, weapons), edition)


def _anything(ssd: Ssd, edition: str) -> list[str]:
    """All boxes that can be hit, in the order in which the default procedure takes them."""
    rest = [box for box in expendable(ssd) if box not in BRIDGE]
    engines = [box for box in candidates("engine", ssd) if box != "impulse"]
    last = [box for box in BRIDGE if edition == "module" and ssd.boxes.get(box)]
    return [*rest, *engines, *candidates("weapon", ssd), *last]


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

    ``boxes`` are the undestroyed boxes by system, ``weapons`` by name with their firing ``arcs``; ``toward`` the
    arcs the point came from (:func:`direction`); ``since`` the moment this turn began; ``aboard`` how many shuttles
    are in their boxes. An excess hit with no excess box left destroys the ship (D4.4): ``Hit.box`` is empty.
    """
    chart = charts.standard_dac()
    ssd, used = Ssd(boxes, weapons, since), tally.used
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
    found = by_worth(found, ssd)
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
        speaks_of(choice, "weapon")
        and choice.place.upper() == "FIRST"
        and any(names_box(item, box) for item in choice.items)
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
