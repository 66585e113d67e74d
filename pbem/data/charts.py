"""The charts, typed and read once each when first asked for."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

from pbem.data.chart_checks import wrong
from pbem.data.combat_charts import Boarding, Maneuvers, Mutiny, Sensors, StandardDac
from pbem.data.core_charts import Arcs, CadetDac, Impulses, Level, Levels, Race, Races, TurnLength, TurnModes
from pbem.data.files import Sourced, build, keys, own_figures, read_toml, refuse
from pbem.data.system_charts import Asteroids, Cloak, Labs, Monsters, Probes, Shuttles, Tractors, Transporters
from pbem.data.weapon_charts import DamageTable, HitTable, Plasma, PlasmaType, WeaponKind, WeaponKinds

Chart = TypeVar("Chart", bound=Sourced)


KINDS: dict[str, type[Sourced]] = {  # any other is the chart of a direct-fire weapon
    "arcs": Arcs,
    "asteroids": Asteroids,
    "boarding": Boarding,
    "cadet_dac": CadetDac,
    "cloak": Cloak,
    "impulses": Impulses,
    "labs": Labs,
    "levels": Levels,
    "maneuvers": Maneuvers,
    "monsters": Monsters,
    "mutiny": Mutiny,
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
    raw, name = read_toml("chart", key)
    found = build(KINDS.get(key) or (HitTable if "hit" in raw else DamageTable), raw, name)
    refuse(name, *wrong(found))
    return found


def _typed(key: str, kind: type[Chart]) -> Chart:
    found = _read(key, own_figures().token)
    assert isinstance(found, kind)
    return found


def damage_table(key: str) -> DamageTable:
    """``phaser1``, ``phaser2``, ``phaser3`` or ``fusion``."""
    return _typed(key, DamageTable)


def hit_table(key: str) -> HitTable:
    """``photon`` or ``disruptor``."""
    return _typed(key, HitTable)


def weapons() -> WeaponKinds:
    """The chart of weapons: all their kinds (:func:`weapon_kinds`)."""
    return _typed("weapons", WeaponKinds)


def weapon_kinds() -> dict[str, WeaponKind]:
    """All kinds of weapon by key: ``ph1`` … ``photon``, ``disruptor``, ``drone_rack`` …"""
    found = _read("weapons", own_figures().token)  # asked for every weapon in every impulse
    assert isinstance(found, WeaponKinds)
    return found.kinds


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
    found = _read("standard_dac", own_figures().token)  # asked for every point of internal damage
    assert isinstance(found, StandardDac)
    return found


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
