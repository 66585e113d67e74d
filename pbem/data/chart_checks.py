"""What the types of a chart's fields cannot say: rows and columns that do not fit, numbers that cannot be."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from pbem.data.combat_charts import Boarding, StandardDac
from pbem.data.core_charts import CadetDac, TurnModes
from pbem.data.files import Sourced
from pbem.data.system_charts import Asteroids, Labs, Monsters
from pbem.data.weapon_charts import DamageTable, HitTable, Plasma, Ranged

DIE = 6
_COUNTED = ("phaser_points", "general_per_point", "repair_per_box", "tractor", "per_energy", "scale", "die", "interval")
"""Numbers that are divided by, or that something always costs: never 0."""
MOST = 999


def wrong(found: Sourced) -> list[str]:
    """What the types of the fields cannot say: rows and columns, numbers that cannot be."""
    said = list(_wrong_numbers("", msgspec.to_builtins(found, enc_hook=float)))
    for field, rows, wide in _tables(found):
        table: tuple[tuple[object, ...], ...] = getattr(found, field)
        if len(table) != rows:
            said.append(f"{field}: needs {rows} rows, one for each die, not {len(table)}")
        said += [
            f"{field}[{n}]: needs {wide} numbers, not {len(row)}" for n, row in enumerate(table) if len(row) != wide
        ]
    if isinstance(found, HitTable):
        wide = len(found.brackets)
        rows_ = (("hit", found.hit), ("damage", found.damage))
        said += [f"{field}: needs {wide} numbers, not {len(row)}" for field, row in rows_ if len(row) != wide]
    if isinstance(found, Ranged):
        said += _wrong_brackets("brackets", found.brackets)
    if isinstance(found, Asteroids):
        said += _wrong_brackets("speeds", found.speeds)
    if isinstance(found, TurnModes):
        said += [f"classes.{c}: the speeds must rise" for c, s in found.classes.items() if list(s) != sorted(set(s))]
    if isinstance(found, Plasma):
        for name, kind in found.types.items():
            if list(kind.hexes) != sorted(set(kind.hexes)):
                said.append(f"types.{name}.hexes: the hexes must rise")
            if len(kind.strength) != len(kind.hexes):
                said.append(f"types.{name}.strength: needs {len(kind.hexes)} numbers, not {len(kind.strength)}")
    if isinstance(found, Monsters):
        if len(found.method) != DIE:
            said.append(f"method: needs {DIE} rows, one for each die, not {len(found.method)}")
        for name, monster in found.kinds.items():
            if len(monster.damage) != DIE:
                said.append(f"kinds.{name}.damage: needs {DIE} numbers, not {len(monster.damage)}")
    return said + list(_wrong_dacs(found))


def _tables(found: Sourced) -> list[tuple[str, int, int]]:
    """Tables of numbers by die: field, rows, columns."""
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
    """Damage charts: every row as wide as the head, every entry known, the last one always there to be hit."""
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
                    yield f"{place}[{number}]: {entry!r} is none of {', '.join(sorted(known))}"
            if row and row[-1].casefold() != "excess":
                yield f"{place}[{number}]: the last entry is excess, not {row[-1]!r}"


def _wrong_brackets(field: str, brackets: tuple[tuple[int, int], ...]) -> Iterator[str]:
    after = 0
    for number, (low, high) in enumerate(brackets):
        if low != after or high < low:
            yield f"{field}[{number}]: {low} to {high} does not follow what goes before; it begins with {after}"
        after = high + 1


def _wrong_numbers(place: str, value: object) -> Iterator[str]:
    """Numbers below 0 or beyond what a page can show, and 0 where something is divided by it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _wrong_numbers(f"{place}.{key}" if place else key, inner)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from _wrong_numbers(f"{place}[{number}]", inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value <= MOST:
            yield f"{place}: {value} is not 0 to {MOST}"
        elif not value and place.rpartition(".")[2] in _COUNTED:
            yield f"{place}: 0 cannot be"
