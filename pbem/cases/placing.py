"""The units of a case, put on the map as it says."""

from __future__ import annotations

import msgspec

from pbem.cases.form import Case, CaseUnit
from pbem.data import charts
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.game.paths import NoPath, moment_of
from pbem.game.setting import put_drone, put_other, put_ship
from pbem.game.state import AnyUnit, Link, Monster, Planet, Position, Seeker, Ship, Shuttle, State
from pbem.rules import drones, hexes, plasma
from pbem.rules.monsters import information_needed, monster
from pbem.turn.launching import drone_level
from pbem.turn.setup import new_ship

replace = msgspec.structs.replace

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
    for path, value in unit.state.items():
        if path != "speed" and not path.startswith(HOLDS):
            ship = put_ship(ship, path, value, state.impulses)
    return ship


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


def _behind(unit: CaseUnit, state: State) -> str:
    """The hex behind a unit, from which it is taken to have come."""
    return hexes.neighbour(unit.at[:4], hexes.turn_facing(unit.at[4], 3), state.grid)


def _drone(unit: CaseUnit, state: State, case: Case) -> Seeker:
    launched = _launched(unit, state, case)
    if unit.target not in state.units:
        raise NoPath(f"its target {unit.target!r} is none of the units")
    launcher = state.units.get(unit.launcher)
    level = drone_level(state, launcher) if isinstance(launcher, Ship) else state.level
    drone = Seeker(
        name=unit.name,
        side=unit.side,
        race=launcher.race if launcher else "klingon",
        hex=unit.at[:4],
        facing=unit.at[4],
        speed=drones.drone_speed(state.impulses),
        track=_track(unit, launched),
        weapon="drone",
        target=unit.target,
        launcher=unit.launcher,
        launched=launched,
        endurance=drones.endurance(launched, state.impulses, level),
        came_from=_behind(unit, state),
        straight=1,
        toughness=drones.toughness(level),
        warhead=drones.warhead(level),
    )
    for path, value in unit.state.items():
        drone = put_drone(drone, path, value, state.impulses)
    return drone


def _torpedo(unit: CaseUnit, state: State, case: Case) -> Seeker:
    """A plasma torpedo in flight; its ``damage`` are points scored by phasers, its warhead follows (FP1.5, FP1.6)."""
    if unit.target not in state.units:
        raise NoPath(f"its target {unit.target!r} is none of the units")
    launcher = state.units.get(unit.launcher)
    launched = _launched(unit, state, case)
    torpedo = Seeker(
        name=unit.name,
        side=unit.side,
        race=launcher.race if launcher else "romulan",
        hex=unit.at[:4],
        facing=unit.at[4],
        speed=plasma.plasma_speed(state.impulses),
        track=_track(unit, launched),
        weapon="plasma",
        torpedo=_type_of_torpedo(unit, launcher),
        target=unit.target,
        launcher=unit.launcher,
        launched=launched,
        endurance=0,
        came_from=_behind(unit, state),
        straight=1,
        launched_in=launcher.hex if launcher and launcher.hex == unit.at[:4] else "",
    )
    for path, value in unit.state.items():
        torpedo = put_drone(torpedo, path, value, state.impulses)
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
    for what, name in (("target", unit.target), ("launcher", unit.launcher)):
        if name and name not in state.units:
            raise NoPath(f"its {what} {name!r} is none of the units")
    launcher = state.units.get(unit.launcher)
    launched = _launched(unit, state, case)
    shuttle = Shuttle(
        name=unit.name,
        side=unit.side,
        race=launcher.race if launcher else "federation",
        hex=unit.at[:4],
        facing=unit.at[4],
        speed=unit.prior_speed,
        prior_speed=unit.prior_speed,
        track=_track(unit, launched),
        launcher=unit.launcher,
        launched=launched,
        letter=unit.letter,
        came_from=_behind(unit, state),
        straight=1,
        target=unit.target,
    )
    for path, value in unit.state.items():
        changed = put_other(shuttle, path, value, state.impulses)
        assert isinstance(changed, Shuttle)
        shuttle = changed
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
        name=unit.name,
        side=unit.side,
        race="civilian",
        hex=unit.at[:4],
        facing=unit.at[4],
        speed=kind.speed,
        track=_track(unit, _begin(state, case)),
        monster=unit.monster,
        goal=unit.target,
        straight=kind.turn_mode,
        needed=information_needed(),
    )
    for path, value in unit.state.items():
        changed = put_other(placed, path, value, state.impulses)
        assert isinstance(changed, Monster)
        placed = changed
    return placed


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
    for path, value in unit.state.items():
        changed = put_other(placed, path, value, state.impulses)
        assert isinstance(changed, Planet)
        placed = changed
    return placed
