"""The charts, typed and read once each when first asked for."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import TypeVar

import msgspec

from pbem.data.combat_charts import Boarding, Maneuvers, Mutiny, Sensors, StandardDac
from pbem.data.files import Confidence, Sourced, build, keys, own_figures, read_toml, refuse
from pbem.data.system_charts import Asteroids, Cloak, Labs, Monsters, Probes, Shuttles, Tractors, Transporters

Chart = TypeVar("Chart", bound=Sourced)


class Ranged(Sourced, frozen=True, kw_only=True):
    """A chart with range brackets (first and last hex, both included)."""

    brackets: tuple[tuple[int, int], ...]

    def column(self, range_: int) -> int | None:
        """The bracket a range falls into, ``None`` beyond the chart."""
        for number, (low, high) in enumerate(self.brackets):
            if low <= range_ <= high:
                return number
        return None

    @property
    def reach(self) -> int:
        """The longest range on the chart, in hexes."""
        return self.brackets[-1][1]


class DamageTable(Ranged, frozen=True, kw_only=True):
    """Points by die (rows, from 1) and range bracket (columns). ``energy`` is what one shot costs."""

    energy: float
    damage: tuple[tuple[int, ...], ...]
    drone_modifier: int = 0
    min_range: int = 0


class HitTable(Ranged, frozen=True, kw_only=True):
    """Highest die that hits (0: cannot) and points of a hit, by range bracket.

    ``arming`` is the warp energy of each consecutive turn (empty for weapons armed within the turn, which
    cost ``energy``); ``hold`` the energy to keep an armed one; ``drone_modifier`` is added to the die
    against drones (FD1.52).
    """

    hit: tuple[int, ...]
    damage: tuple[int, ...]
    min_range: int
    max_range: int
    energy: int = 0
    arming: tuple[int, ...] = ()
    hold: int = 0
    drone_modifier: int = 0


class PlasmaType(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A plasma torpedo: strength up to and including so many hexes travelled; energy by turn.

    ``hold`` ``None``: cannot be held. ``armed_at_start``: scenarios begin with it armed and held (FP1.23).
    """

    hexes: tuple[int, ...]
    strength: tuple[int, ...]
    arming: tuple[int, ...] = ()
    hold: int | None = None
    armed_at_start: bool = False
    confidence: Confidence = "cross-checked"


class PlasmaTube(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A launcher: directions relative to the ship (1 ahead, clockwise to 6), arc its target must be in (FP3.0)."""

    directions: tuple[int, ...]
    targets: str


class Plasma(Sourced, frozen=True, kw_only=True):
    """``phaser_points`` that take one point of strength (FP1.6), ``feedback`` as a part of the warhead (FP1.8).

    ``fixed`` and ``swivel`` launchers, swivels by the arc the SSD gives them (FP3.1, FP3.2).
    """

    types: dict[str, PlasmaType]
    phaser_points: int
    feedback: Fraction
    fixed: PlasmaTube
    swivel: dict[str, PlasmaTube]


class WeaponKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of weapon: its label on the SSD (``PH``), family, chart, rule, and whether it is a heavy weapon.

    ``energy`` replaces the chart's energy for one shot where it differs (the phaser-G); ``shots`` how often it fires
    in a turn for that energy (E1.5). ``rank`` orders the types of a weapon by power (D4.322).
    """

    label: str
    family: str
    chart: str = ""
    rule: str
    heavy: bool = False
    energy: float | None = None
    shots: int = 1
    rank: int = 0


class WeaponKinds(Sourced, frozen=True, kw_only=True):
    kinds: dict[str, WeaponKind]


class TurnLength(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A turn of so many impulses.

    Maximum speeds of ships and seeking weapons, and impulses in a quarter turn.
    """

    impulses: int
    ship: int
    seeker: int
    quarter: int


class Impulses(Sourced, frozen=True, kw_only=True):
    turns: tuple[TurnLength, ...]


class TurnModes(Sourced, frozen=True, kw_only=True):
    """Highest speed of turn mode 1, 2, 3 … for each class of ship.

    ``seeking`` is the mode of seeking weapons.
    """

    seeking: int
    classes: dict[str, tuple[int, ...]]


class Dac(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A damage allocation chart: names of its columns, and for each die the categories from left to right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class CadetDac(Sourced, frozen=True, kw_only=True):
    printed: Dac
    module: Dac
    categories: dict[str, tuple[str, ...]]


class Arcs(Sourced, frozen=True, kw_only=True):
    """The six arcs clockwise from dead ahead (D2.1), and what the short names combine (D2.2)."""

    six: tuple[str, ...]
    combined: dict[str, tuple[str, ...]]


class Race(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``initial`` begins the designations of small units (``KD/1``).

    ``abbreviation`` names the race in orders (``KLIN D6``).
    """

    name: str
    initial: str
    abbreviation: str


class Races(Sourced, frozen=True, kw_only=True):
    races: dict[str, Race]


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a level of the game costs a turn (lines 7, 8, 11), its drones and its limit of acceleration.

    Of drones: warhead, damage that destroys, turns. A ship may go ``acceleration`` hexes faster than the turn before,
    or so many times as fast (line 14). ``graduate``: lines 17 to 19 and tactical maneuvers are used.
    """

    life_support: int
    fire_control: int
    shields: int
    drone_warhead: int
    drone_toughness: int
    drone_endurance: int
    acceleration: int
    multiple: int
    graduate: bool


class Costs(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Energy costs of every level: impulse points that may move a ship; energy for a general point.

    For a shield box; for a beam.
    """

    impulse_movement: int
    general_per_point: int
    repair_per_box: int
    tractor: int


class Levels(Sourced, frozen=True, kw_only=True):
    levels: dict[str, Level]
    costs: Costs


KINDS: dict[str, type[Sourced]] = {
    "arcs": Arcs,
    "asteroids": Asteroids,
    "boarding": Boarding,
    "cadet_dac": CadetDac,
    "cloak": Cloak,
    "disruptor": HitTable,
    "fusion": DamageTable,
    "impulses": Impulses,
    "labs": Labs,
    "levels": Levels,
    "maneuvers": Maneuvers,
    "monsters": Monsters,
    "mutiny": Mutiny,
    "phaser1": DamageTable,
    "phaser2": DamageTable,
    "phaser3": DamageTable,
    "photon": HitTable,
    "plasma": Plasma,
    "probes": Probes,
    "races": Races,
    "sensors": Sensors,
    "shuttles": Shuttles,
    "standard_dac": StandardDac,
    "tractors": Tractors,
    "transporters": Transporters,
    "turn_modes": TurnModes,
    "weapons": WeaponKinds,
}


def chart_keys() -> tuple[str, ...]:
    """The keys of all charts."""
    return keys("chart")


def chart(key: str) -> Sourced:
    """A chart by its key. Raises :class:`GameError` for an unknown key or a spoilt file."""
    return _read(key, own_figures().token)


@cache
def _read(key: str, token: str) -> Sourced:
    """``token`` tells charts with figures of one's own from those that are shipped."""
    from pbem.data.chart_checks import wrong  # which knows the types above

    raw, name = read_toml("chart", key)
    found = build(KINDS[key], raw, name)
    refuse(name, *wrong(found))
    return found


def _typed(key: str, kind: type[Chart]) -> Chart:
    found = chart(key)
    assert isinstance(found, kind)
    return found


def damage_table(key: str) -> DamageTable:
    """``phaser1``, ``phaser2``, ``phaser3`` or ``fusion``."""
    return _typed(key, DamageTable)


def hit_table(key: str) -> HitTable:
    """``photon`` or ``disruptor``."""
    return _typed(key, HitTable)


def weapon_kinds() -> dict[str, WeaponKind]:
    """All kinds of weapon by key: ``ph1`` … ``photon``, ``disruptor``, ``drone_rack`` …"""
    return _typed("weapons", WeaponKinds).kinds


def arcs() -> Arcs:
    return _typed("arcs", Arcs)


def races() -> dict[str, Race]:
    """All races by key (``federation``, ``klingon`` … ``civilian``)."""
    return _typed("races", Races).races


def levels() -> Levels:
    return _typed("levels", Levels)


def level(name: str) -> Level:
    """``cadet`` or ``standard``."""
    return levels().levels[name]


def turn_length(impulses: int) -> TurnLength:
    """The turn of 8, 16 or 32 impulses. Raises ``ValueError`` for another number."""
    for found in _typed("impulses", Impulses).turns:
        if found.impulses == impulses:
            return found
    raise ValueError(f"a turn has 8, 16 or 32 impulses, not {impulses} (C1.41)")


def turn_modes() -> TurnModes:
    return _typed("turn_modes", TurnModes)


def cadet_dac() -> CadetDac:
    return _typed("cadet_dac", CadetDac)


def standard_dac() -> StandardDac:
    return _typed("standard_dac", StandardDac)


def plasma() -> dict[str, PlasmaType]:
    """Plasma torpedoes by type: ``R``, ``S``, ``G``, ``F``, ``M``, ``D``."""
    return _typed("plasma", Plasma).types


def plasma_chart() -> Plasma:
    """Launchers, phaser hits and feedback of plasma torpedoes."""
    return _typed("plasma", Plasma)


def cloak() -> Cloak:
    return _typed("cloak", Cloak)


def tractors() -> Tractors:
    return _typed("tractors", Tractors)


def transporters() -> Transporters:
    return _typed("transporters", Transporters)


def labs() -> Labs:
    return _typed("labs", Labs)


def probes() -> Probes:
    return _typed("probes", Probes)


def shuttles() -> Shuttles:
    return _typed("shuttles", Shuttles)


def asteroids() -> Asteroids:
    return _typed("asteroids", Asteroids)


def monsters() -> Monsters:
    return _typed("monsters", Monsters)


def boarding() -> Boarding:
    return _typed("boarding", Boarding)


def sensors() -> Sensors:
    return _typed("sensors", Sensors)


def mutiny() -> Mutiny:
    return _typed("mutiny", Mutiny)


def maneuvers() -> Maneuvers:
    return _typed("maneuvers", Maneuvers)
