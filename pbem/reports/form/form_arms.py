"""Weapons of the order form page: arcs, hit chances, who may be shot at, and when (D2.0, E1.0, FD1.0, FP1.0)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pbem.data.ships import ship_class
from pbem.data.words import Motion, StepName
from pbem.engine.legal.bench import SOMEBODY, Bench
from pbem.engine.legal.energy_fields import best_energy
from pbem.engine.legal.unit import uses
from pbem.engine.state import AnyUnit, Monster, Planet, Seeker, Ship, Shuttle, State, Weapon
from pbem.engine.steps.firing import SHUTTLE_WEAPON, kind_of
from pbem.engine.steps.sensing import scanner_factor
from pbem.orders import writer
from pbem.reports.form.energy import refused_unpaid
from pbem.reports.form.form_sight import Sight
from pbem.rules import arcs
from pbem.rules.arming import family
from pbem.rules.direct_fire import is_direct_fire, is_phaser, max_range, min_range
from pbem.rules.phasers import phaser_cost

Json = dict[str, Any]


def targets(state: State, side: str) -> list[Json]:
    """Everything on the map that may be named: where it is, whose, and how orders write it."""
    found = []
    for unit in state.in_play():
        if not unit.hex:
            continue
        found.append(
            {
                "name": unit.name,
                "say": writer.name_text(unit.name),
                "hex": unit.hex,
                "facing": "" if isinstance(unit, Planet) else unit.facing,
                "speed": 0 if _still(unit) else unit.speed,
                "still": _still(unit),
                "kind": _kind(unit),
                "mine": unit.side == side,
                "enemy": state.enemies(side, unit.side),
                "shields": list(unit.shields) if isinstance(unit, Ship) else [],
                "hexes": list(unit.hexes) if isinstance(unit, Planet) else [],
                **_known_way(unit),
            }
        )
    return found


def _known_way(unit: AnyUnit) -> Json:
    """Of what has one speed that is known at all times: ``sure`` is the step in which it moves, ``straight`` whether it
    never turns, as the practice drones of scenario #1.
    """
    if not isinstance(unit, Seeker | Monster):
        return {}
    straight = isinstance(unit, Seeker) and unit.motion == Motion.STRAIGHT
    return {
        "sure": StepName.SEEK if isinstance(unit, Seeker) else StepName.MONSTERS,
        **({"straight": True} if straight else {}),
    }


def _still(unit: AnyUnit) -> bool:
    return isinstance(unit, Planet) or (isinstance(unit, Ship) and unit.immobile)


def _kind(unit: AnyUnit) -> str:
    match unit:
        case Ship():
            return "ship"
        case Seeker():
            return unit.weapon
        case Shuttle():
            return "shuttle"
        case Monster():
            return "monster"
        case Planet():
            return "planet"


def weapons(bench: Bench, ship: Ship, prey: Sequence[Json], energy: Json | None, through: Sight) -> list[Json]:
    """Every weapon box that works, with what the check says of its use until the orders end."""
    kind = ship_class(ship.ship)
    names = [name for _, name in uses(ship)]
    specs = {spec.name: spec for spec in kind.weapons}
    scanner = scanner_factor(ship)
    found = []
    from_battery = _from_battery(ship)
    no_battery = bench.refusals(list(from_battery.values()), energy=best_energy(energy["fields"] if energy else ()))
    for name in names:
        spec, box = specs[name], ship.weapons[name]
        direct = is_direct_fire(spec.kind)
        found.append(
            {
                "name": name,
                "arc": spec.arc,
                "arcs": sorted(arcs.arcs_of(spec.arc)) if spec.arc else [],
                "verb": "FIRE" if direct else "LAUNCH",
                "cost": phaser_cost(spec.kind) if is_phaser(spec.kind) else 0,
                "least": min_range(spec.kind) if direct else 0,
                "most": max_range(spec.kind, spec.max_range) if direct else 0,
                **(through.of(spec.kind, scanner, spec.max_range) if direct else {"table": []}),
                "state": _state(box, direct),
                "battery": name in from_battery and from_battery[name] not in no_battery,
            }
        )
    _judge(bench, found, prey, energy)
    return found


def _from_battery(ship: Ship) -> dict[str, str]:
    """The order by which each phaser fires with what a battery holds (E2.1, H6.2)."""
    return {
        name: f"FIRE {name} AT {SOMEBODY} WITH BATTERY" for _, name in uses(ship) if is_phaser(ship.weapons[name].kind)
    }


def questions(unit: Ship | Shuttle) -> list[str]:
    """The lines of DO by which weapons are first tried, whatever the form says."""
    plain = [f"{verb} {name} AT {SOMEBODY}" for verb, name in uses(unit)]
    return plain + (list(_from_battery(unit).values()) if isinstance(unit, Ship) else [])


def _state(box: Weapon, direct: bool) -> str:
    if family(box.kind).ammunition:
        return f"{box.ammo} drone{'' if box.ammo == 1 else 's'}"
    if family(box.kind).turns:
        return {"": "", "powered": "ready", "rolling": "rolling delay"}.get(box.charge, box.charge)
    return ""


def line(weapon: Json, who: str = SOMEBODY, at: str = "") -> str:
    """The order that uses a weapon."""
    return f"{at}{weapon['verb']} {weapon['name']} AT {who}"


def _judge(bench: Bench, found: list[Json], prey: Sequence[Json], energy: Json | None) -> None:
    """Adds to each weapon: which choices of the form let it fire, why it cannot, and where and when it may not."""
    best = best_energy(energy["fields"] if energy else ())

    plain = [line(weapon) for weapon in found]
    with_energy = bench.refusals(plain, energy=best)
    without = bench.refusals(plain) if energy else with_energy
    for weapon in found:
        weapon["idle"] = with_energy.get(line(weapon), "")
        weapon["needs"] = "" if weapon["idle"] else without.get(line(weapon), "")
    if energy:
        _ready_by(bench, found, energy)
    unpaid = refused_unpaid(bench, plain, energy)
    for weapon in found:
        weapon["unpaid"] = unpaid.get(line(weapon), {})
    able = [weapon for weapon in found if not weapon["idle"]]
    first, last = max(1, bench.request.impulse), bench.request.through
    at_each = {weapon["name"]: {each["name"]: line(weapon, each["say"]) for each in prey} for weapon in able}
    at_ends = [line(weapon, at=f"AT {at} ") for weapon in able for at in (first, last)]
    bench.try_together({"DO": [*(text for lines in at_each.values() for text in lines.values()), *at_ends]}, best)
    for weapon in able:
        lines = at_each[weapon["name"]]
        refused = bench.refusals(list(lines.values()), energy=best)
        weapon["not"] = {name: refused[text] for name, text in lines.items() if text in refused}
    ends = _closed(bench, able, (first, last), best)
    # What holds in the first and in the last impulse holds between them: a weapon rests, then it is ready.
    changing = [weapon for weapon in able if ends[weapon["name"]]]
    between = _closed(bench, changing, range(first + 1, last), best)
    for weapon in changing:
        weapon["closed"] = ends[weapon["name"]] | between[weapon["name"]]


def _closed(bench: Bench, able: list[Json], impulses: Iterable[int], best: list[str]) -> dict[str, Json]:
    """For each weapon the impulses in which it may not be used, and why."""
    lines = {(weapon["name"], at): line(weapon, at=f"AT {at} ") for weapon in able for at in impulses}
    refused = bench.refusals(list(lines.values()), energy=best)
    found: dict[str, Json] = {weapon["name"]: {} for weapon in able}
    for (name, at), text in lines.items():
        if text in refused:
            found[name][str(at)] = refused[text]
    return found


def _ready_by(bench: Bench, found: list[Json], energy: Json) -> None:
    """Marks each choice of line 10 by which its weapon may be used; all weapons with so many choices at once."""
    fields = {field["id"]: field for field in energy["fields"]}
    mine = [weapon for weapon in found if weapon["name"] in fields and not weapon["idle"]]
    longest = max((len(fields[weapon["name"]]["options"]) for weapon in mine), default=0)
    for place in range(longest):
        these = [weapon for weapon in mine if place < len(fields[weapon["name"]]["options"])]
        chosen = {weapon["name"]: fields[weapon["name"]]["options"][place] for weapon in these}
        entries = [option["text"] for option in chosen.values() if option["text"]]
        refused = bench.refusals([line(weapon) for weapon in these], energy=entries)
        for weapon in these:
            chosen[weapon["name"]]["uses"] = line(weapon) not in refused


def shuttle_weapon(bench: Bench, shuttle: Shuttle, prey: Sequence[Json], through: Sight) -> list[Json]:
    """The phaser of a shuttle (J1.31)."""
    kind = kind_of(shuttle, SHUTTLE_WEAPON)
    weapon: Json = {
        "name": SHUTTLE_WEAPON,
        "arc": "360",
        "arcs": sorted(arcs.arcs_of("360")),
        "verb": "FIRE",
        "cost": 0,
        "least": min_range(kind),
        "most": max_range(kind),
        **through.of(kind, 0, None),
        "state": "",
    }
    _judge(bench, [weapon], prey, None)
    return [weapon]
