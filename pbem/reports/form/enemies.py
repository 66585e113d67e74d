"""Data on enemy ships for the order form: movement and weapons (C1.44, C3.0, D2.0, E1.0).

The data contain only what the form's reader knows. The player can use them to sketch an enemy's course; the page
then shows for each impulse what both ships could do to each other. Such a sketch is not an order.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.engine.legal.acts import uses
from pbem.engine.relations import enemy_ships, ships_of
from pbem.engine.state import Request, Ship, State
from pbem.engine.steps.sensors import scanner_factor
from pbem.reports.form.geometry import Helm
from pbem.reports.form.weapons import Sight, is_blind, sight, veils
from pbem.rules import hexes
from pbem.rules.direct_fire import is_direct_fire, max_range, min_range

Json = dict[str, Any]


def foes(state: State, scenario: Scenario, request: Request, side: str, helm: Helm) -> tuple[list[Json], list[Json]]:
    """Return data on the enemy ships on the map that can move, and a list of the movement tables they use.

    A ship's ``hull`` is an index into the list of movement tables. ``guns`` are the direct-fire weapons, without
    those that the reader saw destroyed. Equal weapons form one entry with their number, arcs, ranges in hexes, and
    hit chances from :meth:`pbem.reports.form.weapons.Sight.of`. The reader cannot know whether the weapons are
    loaded. ``veils`` says how the ship's cloak may work, if it has one.

    Args:
        state: The game state as ``side`` may see it.
        scenario: The scenario.
        request: The request that the form answers.
        side: The side that fills in the form.
        helm: The turn mode tables of the form.
    """
    mine = ships_of(state, side)
    found: list[Json] = []
    hulls: list[Json] = []
    for ship in enemy_ships(state, side):
        if not ship.hex or not ship.facing:
            continue
        way = helm.of(ship, max(scenario.max_speed, ship.speed))
        hull = {"tables": way["tables"], "modes": way["modes"]}
        if hull not in hulls:
            hulls.append(hull)
        one = {"name": ship.name, "hull": hulls.index(hull), "turned": way["turned"], "slipped": way["slipped"]}
        hidden = veils(state, scenario, request, ship)
        guns = _guns(ship, sight(state, scenario, request, [ship], mine))
        blind = {"blind": charts.sensors().no_lock_on} if is_blind(request, ship) else {}
        found.append({**one, "guns": guns, **({"veils": hidden} if hidden else {}), **blind})
    return found, hulls


def _guns(ship: Ship, through: Sight) -> list[Json]:
    specs = {spec.name: spec for spec in ship_class(ship.ship).weapons}
    scanner = scanner_factor(ship)
    alike: dict[tuple[str, str, int | None], Json] = {}
    for _, name in uses(ship):
        spec = specs[name]
        if not is_direct_fire(spec.kind):
            continue
        gun = alike.setdefault(
            (spec.kind, spec.arc, spec.max_range),
            {
                "n": 0,
                "arcs": sorted(hexes.arcs_of(spec.arc)) if spec.arc else [],
                "least": min_range(spec.kind),
                "most": max_range(spec.kind, spec.max_range),
                **through.of(spec.kind, scanner, spec.max_range),
            },
        )
        gun["n"] += 1
    return list(alike.values())


def shared_charts(guns: Iterable[Json]) -> list[list[list[int]]]:
    """Return a list of the chance tables that these weapons use, each table once, to keep the form small.

    In the weapons themselves ``table`` and ``tables`` are replaced by indexes into the returned list.
    """
    written: dict[bytes, int] = {}

    def place(table: list[list[int]]) -> int:
        return written.setdefault(msgspec.json.encode(table), len(written))

    for gun in guns:
        gun["table"] = place(gun["table"])
        if "tables" in gun:
            gun["tables"] = {through: place(table) for through, table in gun["tables"].items()}
    return [msgspec.json.decode(text) for text in written]
