"""The units of a case, put on the map as it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from pbem.data import charts
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.engine.paths import NoPath, moment_of
from pbem.engine.play.setup import new_ship
from pbem.engine.setting import put_drone, put_other, put_ship
from pbem.engine.state import AnyUnit, Link, Monster, Planet, Position, Seeker, Ship, Shuttle, State
from pbem.engine.steps.launching import drone_level
from pbem.lab.rule_cases.form import Case, CaseUnit
from pbem.rules import drones, hexes, plasma
from pbem.rules.monsters import information_needed, monster

replace = msgspec.structs.replace
Unit = TypeVar("Unit", Ship, Seeker, Shuttle, Monster, Planet)

ORDER = ("planet", "", "monster", "shuttle", "drone", "plasma")
"""The order in which kinds of unit are placed (``""``: ships): each may name those before it."""


HOLDS = "holds "
"""The path of what a tractor beam holds: a link stands in the state of the game, not in that of the ship."""


def links(units: tuple[CaseUnit, ...], state: State, case: Case) -> tuple[Link, ...]:
    """The tractor links there are when the case begins: ``"holds A" = "Des"`` in a ship's ``state`` (G7.3)."""
    found = []
    for unit in in_order(units):
        for path, target in unit.state.items():
            if path.startswith(HOLDS):
                if target not in state.units:
                    raise NoPath(f"{path}: {target!r} is none of the units")
                beam = path.removeprefix(HOLDS).upper()
                found.append(Link(ship=unit.name, beam=beam, target=str(target), since=_begin(state, case)))
    return tuple(sorted(found, key=lambda link: (link.ship, link.beam)))


def place(unit: CaseUnit, state: State, case: Case) -> AnyUnit:
    """A unit of a case in its first state. Raises :class:`NoPath` where the case cannot mean it."""
    match unit.ship:
        case "drone":
            return _drone(unit, state, case)
        case "plasma":
            return _torpedo(unit, state, case)
        case "shuttle":
            return _shuttle(unit, state, case)
        case "monster":
            return _monster(unit, state, case)
        case "planet":
            return _planet(unit, state)
        case _:
            return _ship(unit, state, case)


def _set(placed: Unit, put: Callable[[Unit, str, Any, int], AnyUnit], unit: CaseUnit, state: State) -> Unit:
    """A unit with the state paths of its case."""
    for path, value in unit.state.items():
        changed = put(placed, path, value, state.impulses)
        assert isinstance(changed, type(placed))
        placed = changed
    return placed


def in_order(units: tuple[CaseUnit, ...]) -> list[CaseUnit]:
    """Units as they are placed: by kind, then by name. Asteroids are no unit."""
    found = [unit for unit in units if unit.ship != "asteroids"]
    return sorted(found, key=lambda u: (ORDER.index(u.ship) if u.ship in ORDER else 1, u.name))


def asteroids(units: tuple[CaseUnit, ...]) -> tuple[str, ...]:
    """All hexes of asteroids of a case (P3.0)."""
    return tuple(sorted({hex for unit in units if unit.ship == "asteroids" for hex in hexes_of(unit)}))


def hexes_of(unit: CaseUnit) -> tuple[str, ...]:
    """The hexes of a planet or of asteroids: those listed, or the one it stands at."""
    return tuple(sorted(unit.hexes)) if unit.hexes else (unit.at[:4],)


def _ship(unit: CaseUnit, state: State, case: Case) -> Ship:
    ship = new_ship(
        ship_class(unit.ship),
        name=unit.name,
        side=unit.side,
        hex=unit.at[:4],
        facing=unit.at[4],
        prior_speed=unit.prior_speed,
        full_capacitor=state.options.capacitor == "full",
        robot=unit.side in case.robot and not unit.immobile,
        immobile=unit.immobile,
        untouchable=unit.untouchable,
        spared_by=_spared_by(unit.name, case),
    )
    ship = replace(ship, track=_track(unit, _begin(state, case)))
    told = {path: value for path, value in unit.state.items() if path != "speed" and not path.startswith(HOLDS)}
    return _set(ship, put_ship, replace(unit, state=told), state)


def _spared_by(name: str, case: Case) -> tuple[str, ...]:
    """The sides that a scenario never lets fire at its ship of this name (#8)."""
    units = scenario(case.scenario).units if case.scenario else ()
    return next((unit.spared_by for unit in units if unit.name == name), ())


def _begin(state: State, case: Case) -> int:
    """The moment before the case begins."""
    return (case.first_turn - 1) * state.impulses


def _launched(unit: CaseUnit, state: State, case: Case) -> int:
    return moment_of(unit.launched, state.impulses) if unit.launched else _begin(state, case)


def _track(unit: CaseUnit, moment: int) -> tuple[Position, ...]:
    return (Position(moment, unit.at[:4], unit.at[4:] or "A"),)


def _stands(unit: CaseUnit, moment: int) -> dict[str, Any]:
    """What every unit on the map has: whose it is and where it stands, since when."""
    return {
        "name": unit.name, "side": unit.side, "hex": unit.at[:4], "facing": unit.at[4], "track": _track(unit, moment),
    }  # fmt: skip


def _flies(unit: CaseUnit, state: State, case: Case, race: str) -> dict[str, Any]:
    """What all have that a ship has launched; ``race`` where it names none. It is taken to have come from the hex
    behind it.
    """
    launcher, launched = state.units.get(unit.launcher), _launched(unit, state, case)
    behind = hexes.neighbour(unit.at[:4], hexes.turn_facing(unit.at[4], 3), state.grid)
    return _stands(unit, launched) | {
        "race": launcher.race if launcher else race, "launcher": unit.launcher, "launched": launched,
        "target": unit.target, "came_from": behind, "straight": 1,
    }  # fmt: skip


def _verify_target(unit: CaseUnit, state: State, case: Case) -> None:
    """Its target is placed already, or will be: a weapon may hunt one that is named behind it (F2.5)."""
    if unit.target not in state.units and unit.target not in {other.name for other in case.unit}:
        raise NoPath(f"its target {unit.target!r} is none of the units")


def _drone(unit: CaseUnit, state: State, case: Case) -> Seeker:
    _verify_target(unit, state, case)
    launcher = state.units.get(unit.launcher)
    level = drone_level(state, launcher) if isinstance(launcher, Ship) else state.level
    drone = Seeker(
        **_flies(unit, state, case, "klingon"),
        speed=drones.drone_speed(state.impulses),
        weapon="drone",
        endurance=drones.endurance(_launched(unit, state, case), state.impulses, level),
        toughness=drones.toughness(level),
        warhead=drones.warhead(level),
    )
    return _set(drone, put_drone, unit, state)


def _torpedo(unit: CaseUnit, state: State, case: Case) -> Seeker:
    """A plasma torpedo in flight; its ``damage`` are points scored by phasers, its warhead follows (FP1.5, FP1.6)."""
    _verify_target(unit, state, case)
    launcher = state.units.get(unit.launcher)
    torpedo = Seeker(
        **_flies(unit, state, case, "romulan"),
        speed=plasma.plasma_speed(state.impulses),
        weapon="plasma",
        torpedo=_type_of_torpedo(unit, launcher),
        endurance=0,
        launched_in=launcher.hex if launcher and launcher.hex == unit.at[:4] else "",
    )
    torpedo = _set(torpedo, put_drone, unit, state)
    if "warhead" in unit.state:
        return torpedo
    return replace(torpedo, warhead=plasma.warhead(torpedo.torpedo, torpedo.travelled, torpedo.damage))


def _type_of_torpedo(unit: CaseUnit, launcher: AnyUnit | None) -> str:
    """The tube a torpedo came from (``plasmaS``): as the case says, else the launcher's first, else type S (FP1.11)."""
    tubes = [kind for kind, family in charts.weapon_kinds().items() if family.family == "plasma"]
    if unit.torpedo:
        wanted = unit.torpedo.casefold().removeprefix("plasma").strip(" -")
        found = next((tube for tube in tubes if tube.casefold() == f"plasma{wanted}"), "")
        if not found:
            raise NoPath(f"torpedo {unit.torpedo!r} is no type; there are {', '.join(sorted(tubes))}")
        return found
    carried = [box.kind for box in launcher.weapons.values()] if isinstance(launcher, Ship) else []
    return next((kind for kind in carried if kind in tubes), "plasmaS")


def _shuttle(unit: CaseUnit, state: State, case: Case) -> Shuttle:
    """A shuttle in flight, or on a planet (``landed``); with a ``target`` it is a suicide shuttle."""
    if unit.target:
        _verify_target(unit, state, case)
    if unit.launcher and unit.launcher not in state.units:
        raise NoPath(f"its launcher {unit.launcher!r} is none of the units")
    shuttle = Shuttle(
        **_flies(unit, state, case, "federation"),
        speed=unit.prior_speed,
        prior_speed=unit.prior_speed,
        letter=unit.letter,
    )
    shuttle = _set(shuttle, put_other, unit, state)
    if shuttle.landed and not isinstance(state.units.get(shuttle.landed), Planet):
        raise NoPath(f"it has landed on {shuttle.landed!r}, which is no planet of the case")
    return shuttle


def _monster(unit: CaseUnit, state: State, case: Case) -> Monster:
    """A monster of the chart; ``target`` is the planet it is after (scenario #11)."""
    try:
        kind = monster(unit.monster)
    except ValueError as unknown:
        raise NoPath(str(unknown)) from unknown
    if unit.target and not isinstance(state.units.get(unit.target), Planet):
        raise NoPath(f"its target {unit.target!r} is no planet of the case")
    placed = Monster(
        **_stands(unit, _begin(state, case)),
        race="civilian",
        speed=kind.speed,
        monster=unit.monster,
        goal=unit.target,
        straight=kind.turn_mode,
        needed=information_needed(),
    )
    return _set(placed, put_other, unit, state)


def _planet(unit: CaseUnit, state: State) -> Planet:
    covered = hexes_of(unit)
    first = unit.at[:4] or covered[0]
    placed = Planet(
        name=unit.name,
        side="",
        race="",
        hex=first,
        facing="A",
        hexes=covered,
        track=(Position(0, first, "A"),),
        crew=unit.crew,
    )
    return _set(placed, put_other, unit, state)
