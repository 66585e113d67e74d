"""Access to the charts: one function for each chart, which reads and checks the chart's file on first use.

The types are in :mod:`pbem.data.chart_types`. If custom figures are in effect (a user's own figures, see
:mod:`pbem.data.house_figures`), they replace those of the shipped files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

import msgspec

from pbem.data.chart_types import (
    Arcs,
    Asteroids,
    Boarding,
    CadetDac,
    CloakChart,
    DamageTable,
    HitTable,
    Impulses,
    Labs,
    Level,
    Levels,
    Maneuvers,
    Monsters,
    Mutiny,
    Plasma,
    PlasmaType,
    Probes,
    Race,
    Races,
    Ranged,
    Sensors,
    Shuttles,
    StandardDac,
    Tractors,
    Transporters,
    TurnLength,
    TurnModes,
    WeaponKind,
    WeaponKinds,
)
from pbem.data.files import Sourced, build, keys, own_figures, read_toml, refuse

DIE = 6
_COUNTED = ("phaser_points", "general_per_point", "repair_per_box", "tractor", "per_energy", "scale", "die", "interval")
"""Names of fields that must not be 0, because they are divisors or costs that always apply."""
MOST = 999


def wrong(found: Sourced) -> list[str]:
    """Return the faults of a chart that type checking cannot find, one sentence each.

    Examples are a wrong number of rows or columns, and numbers out of range.
    """
    said = list(_wrong_numbers("", msgspec.to_builtins(found, enc_hook=float)))
    for field, rows, wide in _tables(found):
        table: tuple[tuple[object, ...], ...] = getattr(found, field)
        if len(table) != rows:
            said.append(f"{field}: needs {rows} rows, one for each die, not {len(table)}")
        said += [
            f"{field}[{n}]: needs {wide} numbers, not {len(row)}" for n, row in enumerate(table) if len(row) != wide
        ]
    for kind, faults in _FAULTS_OF_KIND:
        if isinstance(found, kind):
            said += faults(found)
    return said + list(_wrong_dacs(found))


def _wrong_hits(found: HitTable) -> Iterator[str]:
    """Yield a fault for each row of a hit table without exactly one number for each range bracket."""
    wide = len(found.brackets)
    for field, row in (("hit", found.hit), ("damage", found.damage)):
        if len(row) != wide:
            yield f"{field}: needs {wide} numbers, not {len(row)}"


def _wrong_turn_modes(found: TurnModes) -> Iterator[str]:
    """Yield a fault for each turn mode class whose speeds do not increase."""
    for name, speeds in found.classes.items():
        if list(speeds) != sorted(set(speeds)):
            yield f"classes.{name}: the speeds must rise"


def _wrong_plasma(found: Plasma) -> Iterator[str]:
    """Yield the faults of the plasma chart: distances that do not increase, or a missing strength."""
    for name, kind in found.types.items():
        if list(kind.hexes) != sorted(set(kind.hexes)):
            yield f"types.{name}.hexes: the hexes must rise"
        if len(kind.strength) != len(kind.hexes):
            yield f"types.{name}.strength: needs {len(kind.hexes)} numbers, not {len(kind.strength)}"


def _wrong_monsters(found: Monsters) -> Iterator[str]:
    """Yield the faults of the monster chart: tables without one row or number for each die result."""
    if len(found.method) != DIE:
        yield f"method: needs {DIE} rows, one for each die, not {len(found.method)}"
    for name, monster in found.kinds.items():
        if len(monster.damage) != DIE:
            yield f"kinds.{name}.damage: needs {DIE} numbers, not {len(monster.damage)}"


def _tables(found: Sourced) -> list[tuple[str, int, int]]:
    """Return the tables in a chart that have one row for each number on the die, as (field, rows, columns)."""
    if isinstance(found, DamageTable):
        return [("damage", DIE, len(found.brackets))]
    if isinstance(found, Boarding):
        return [("casualties", DIE, len(found.parties))]
    if isinstance(found, Labs):
        return [("information", DIE, len(found.ranges))]
    if isinstance(found, Asteroids):
        return [("damage", DIE, len(found.speeds))]
    return []


def _wrong_dacs(found: Sourced) -> Iterator[str]:
    """Yield the faults of a damage allocation chart (DAC).

    Every row must have an entry for each column. Every entry must be known, and the last entry of a row must be
    excess damage.
    """
    if isinstance(found, CadetDac):
        charted = [
            (f"{part}.rows", getattr(found, part), DIE, {*found.categories, "weapon"}) for part in ("printed", "module")
        ]
    elif isinstance(found, StandardDac):
        charted = [("rows", found, 11, set(found.systems))]
    else:
        return
    for place, dac, rows, known in charted:
        if len(dac.rows) != rows:
            yield f"{place}: needs {rows} rows, not {len(dac.rows)}"
        for number, row in enumerate(dac.rows):
            if len(row) != len(dac.columns):
                yield f"{place}[{number}]: needs {len(dac.columns)} entries, not {len(row)}"
            for entry in row:
                if entry.removesuffix("*") not in known:
                    yield f"{place}[{number}]: {entry!r} must be one of {', '.join(sorted(known))}"
            if row and row[-1].casefold() != "excess":
                yield f"{place}[{number}]: the last entry must be excess, not {row[-1]!r}"


def _wrong_brackets(field: str, brackets: tuple[tuple[int, int], ...]) -> Iterator[str]:
    after = 0
    for number, (low, high) in enumerate(brackets):
        if low != after or high < low:
            yield f"{field}[{number}]: {low} to {high} must begin with {after}"
        after = high + 1


_FAULTS_OF_KIND: tuple[tuple[type[Sourced], Callable[[Any], Iterable[str]]], ...] = (
    (HitTable, _wrong_hits),
    (Ranged, lambda found: _wrong_brackets("brackets", found.brackets)),
    (Asteroids, lambda found: _wrong_brackets("speeds", found.speeds)),
    (TurnModes, _wrong_turn_modes),
    (Plasma, _wrong_plasma),
    (Monsters, _wrong_monsters),
)
"""The check functions for one type of chart only, by that type."""


def _wrong_numbers(place: str, value: object) -> Iterator[str]:
    """Yield a fault for each number out of range (0 to :data:`MOST`).

    The number 0 is also a fault in a field of :data:`_COUNTED`.
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _wrong_numbers(f"{place}.{key}" if place else key, inner)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _wrong_numbers(f"{place}[{number}]", inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value <= MOST:
            yield f"{place}: {value} must be from 0 to {MOST}"
        elif not value and place.rpartition(".")[2] in _COUNTED:
            yield f"{place}: must not be 0"


Chart = TypeVar("Chart", bound=Sourced)


KINDS: dict[str, type[Sourced]] = {  # charts with other keys are those of direct-fire weapons
    "arcs": Arcs,
    "asteroids": Asteroids,
    "boarding": Boarding,
    "cadet_dac": CadetDac,
    "cloak": CloakChart,
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
    """Return the keys of all charts."""
    return keys("chart")


def chart(key: str) -> Sourced:
    """Return the chart with this key, as an object of its type in :mod:`pbem.data.chart_types`.

    Raises:
        GameError: The key is unknown or the file is faulty.
    """
    return _read(key, own_figures().token)


@cache
def _read(key: str, token: str) -> Sourced:
    """Read and check a chart; results are cached.

    ``token`` is only a part of the cache key. It identifies the custom figures (charts) in use.
    """
    raw, name = read_toml("chart", key)
    found = build(KINDS.get(key) or (HitTable if "hit" in raw else DamageTable), raw, name)
    refuse(name, *wrong(found))
    return found


def _typed(key: str, kind: type[Chart]) -> Chart:
    found = _read(key, own_figures().token)
    assert isinstance(found, kind)
    return found


def damage_table(key: str) -> DamageTable:
    """Return the damage chart of ``phaser1``, ``phaser2``, ``phaser3`` or ``fusion``."""
    return _typed(key, DamageTable)


def hit_table(key: str) -> HitTable:
    """Return the hit chart of ``photon`` or ``disruptor``."""
    return _typed(key, HitTable)


def weapons() -> WeaponKinds:
    """Return the chart of weapons; :func:`weapon_kinds` returns only the kinds in it."""
    return _typed("weapons", WeaponKinds)


def weapon_kinds() -> dict[str, WeaponKind]:
    """Return a dict of all kinds of weapon by key, such as ``ph1``, ``photon``, ``disruptor``, ``drone_rack``."""
    # `chart` would be too slow: this is called for every weapon in every impulse
    found = _read("weapons", own_figures().token)
    assert isinstance(found, WeaponKinds)
    return found.kinds


def arcs() -> Arcs:
    """Return the chart of firing arcs."""
    return _typed("arcs", Arcs)


def races() -> dict[str, Race]:
    """Return all races by key (``federation``, ``klingon`` … ``civilian``)."""
    return _typed("races", Races).races


def levels() -> Levels:
    """Return the chart of the levels of the game, with the costs that all levels share."""
    return _typed("levels", Levels)


def level(name: str) -> Level:
    """Return the data table for one level of the game, ``cadet`` or ``standard``."""
    return levels().levels[name]


def turn_length(impulses: int) -> TurnLength:
    """Return the data for a turn of 8, 16 or 32 impulses: maximum speeds and length of a quarter turn.

    Raises:
        ValueError: There is no turn with that number of impulses.
    """
    for found in _typed("impulses", Impulses).turns:
        if found.impulses == impulses:
            return found
    raise ValueError(f"a turn has 8, 16 or 32 impulses, not {impulses} (C1.41)")


def turn_modes() -> TurnModes:
    """Return the chart of turn modes, i.e. how far ships must move straight ahead between turns."""
    return _typed("turn_modes", TurnModes)


def cadet_dac() -> CadetDac:
    """Return the Cadet damage chart in both editions."""
    return _typed("cadet_dac", CadetDac)


def standard_dac() -> StandardDac:
    """Return the standard damage allocation chart."""
    # `chart` would be too slow: this is called for every point of internal damage
    found = _read("standard_dac", own_figures().token)
    assert isinstance(found, StandardDac)
    return found


def plasma() -> dict[str, PlasmaType]:
    """Return the plasma torpedoes by type: ``R``, ``S``, ``G``, ``F``, ``M``, ``D``."""
    return _typed("plasma", Plasma).types


def plasma_chart() -> Plasma:
    """Return the chart of plasma torpedoes: types, launchers, phaser hits and feedback."""
    return _typed("plasma", Plasma)


def cloak() -> CloakChart:
    """Return the data table for the cloaking device."""
    return _typed("cloak", CloakChart)


def tractors() -> Tractors:
    """Return the data table for tractor beams."""
    return _typed("tractors", Tractors)


def transporters() -> Transporters:
    """Return the data table for transporters."""
    return _typed("transporters", Transporters)


def labs() -> Labs:
    """Return the chart of laboratories."""
    return _typed("labs", Labs)


def probes() -> Probes:
    """Return the data table for probes."""
    return _typed("probes", Probes)


def shuttles() -> Shuttles:
    """Return the data table for shuttles."""
    return _typed("shuttles", Shuttles)


def asteroids() -> Asteroids:
    """Return the chart of asteroids."""
    return _typed("asteroids", Asteroids)


def monsters() -> Monsters:
    """Return the chart of monsters."""
    return _typed("monsters", Monsters)


def boarding() -> Boarding:
    """Return the chart of boarding party combat."""
    return _typed("boarding", Boarding)


def sensors() -> Sensors:
    """Return the data table for sensors and lock-on."""
    return _typed("sensors", Sensors)


def mutiny() -> Mutiny:
    """Return the data table for mutinies."""
    return _typed("mutiny", Mutiny)


def maneuvers() -> Maneuvers:
    """Return the data table for tactical maneuvers."""
    return _typed("maneuvers", Maneuvers)
