"""Internal damage (D4.0): which box each point destroys, with and without the chart, and when a ship is lost.

The owner chooses among the boxes of the system that was hit (D4.223). Where he left no choice, the default
procedure takes what he would miss least:

* weapons: empty drone racks, weapons that fired this turn, heavy weapons without energy, phasers (weakest
  first), loaded racks, heavy weapons with energy; of equals the one with the lowest number or letter;
* engines: the warp engine with more boxes left, the left one of equals, impulse last;
* hull: cargo, center, aft, forward;
* others: laboratory, shuttle, transporter, battery, reactor (of batteries the empty ones go first, B3.0,
  line 6; which shuttle box: :mod:`pbem.rules.shuttle_boxes`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple, Protocol

from pbem.data import charts
from pbem.data.files import own_figures
from pbem.data.ships import Threshold
from pbem.rules.arming import family
from pbem.rules.direct_fire import is_heavy, is_phaser

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

    An empty ``box`` means that there was none left: the ship is destroyed (D4.4). ``choice`` is the order
    by which the owner could have made the choice himself, where the default procedure made it for him.
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

    ``boxes`` are the undestroyed boxes by system, ``weapons`` by name; ``chart`` is ``printed`` or
    ``module``. An excess hit with no excess box left destroys the ship (D4.4): ``Hit.box`` is empty.
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

    The first point goes to a weapon, the second to a warp engine, if any is left; the rest anywhere but the
    bridge. Of a robot ship the rest spares warp engines and weapons until nothing else remains, then warp
    engines go first. One more point than there are boxes destroys the ship: the last ``Hit.box`` is empty.
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

    ``any`` is a point that may go anywhere (D4.0): a choice within one category says nothing of it, only ``ANY`` does.
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
