"""Random terrain: planets and asteroids strewn over the map of a scenario that knows them (P2.0, P3.0)."""

from __future__ import annotations

import random
from collections.abc import Sequence

from pbem.data.files import locate
from pbem.data.scenarios import Scenario, Terrain, scenario
from pbem.rules import hexes

CLEAR = 2
"""Hexes that stay free around everything that is placed; a ship needs room to begin with."""

PLANETS, FIELDS = 2, 2
"""The most planets and fields of asteroids that are added."""

FIELD = 12
"""The most hexes of a field."""


def some_terrain(rng: random.Random, setting: Scenario) -> tuple[Terrain, ...]:
    """Planets of one hex or three, and fields of asteroids, clear of all units and of each other."""
    taken = [unit.hex for unit in setting.units] + [monster.hex for monster in setting.monsters]
    taken += [hex_ for each in setting.terrain for hex_ in each.hexes]
    found: list[Terrain] = []
    for number in range(1, rng.randint(0, PLANETS) + 1):
        first = _free(rng, setting, taken)
        more = [hexes.neighbour(first, way) for way in ("AB" if rng.random() < 0.3 else "")]
        found.append(Terrain(kind="planet", name=f"Planet {number}", hexes=(first, *more)))
        taken += found[-1].hexes
    for number in range(1, rng.randint(0, FIELDS) + 1):
        field = {_free(rng, setting, taken)}
        for _ in range(rng.randint(0, FIELD - 1)):
            there = hexes.neighbour(rng.choice(sorted(field)), rng.choice("ABCDEF"))
            if _is_free(setting, taken, there):
                field.add(there)
        found.append(Terrain(kind="asteroids", name=f"field {number}", hexes=tuple(sorted(field))))
    return tuple(found)


def _is_free(setting: Scenario, taken: Sequence[str], hex_: str) -> bool:
    inside = all(hexes.on_map(hexes.neighbour(hex_, way), setting.map) for way in "ABCDEF")
    return inside and all(hexes.distance(hex_, other, hexes.EVEN) > CLEAR for other in taken)


def _free(rng: random.Random, setting: Scenario, taken: Sequence[str]) -> str:
    """A hex away from the edges and from what is taken."""
    first, last = setting.map
    while True:
        column = rng.randint(int(first[:2]), int(last[:2]))
        found = f"{column:02}{rng.randint(int(first[2:]), int(last[2:])):02}"
        if _is_free(setting, taken, found):
            return found


def as_file(number: str, added: Sequence[Terrain], monster: str) -> str:
    """The text of the scenario's own file with this terrain added, and another monster if one is named."""
    text = locate("scenario", number).read_text(encoding="utf-8")
    for shipped in scenario(number).monsters if monster else ():
        text = text.replace(f'kind = "{shipped.kind}"', f'kind = "{monster}"')
    blocks = [
        f'\n[[terrain]]\nkind = "{each.kind}"\nname = "{each.name}"\nhexes = {list(each.hexes)}\n'.replace("'", '"')
        for each in added
    ]
    return text + "".join(blocks)
