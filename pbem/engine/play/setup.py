"""Set up a scenario: create its units and write the first records of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import msgspec

from pbem.data import charts
from pbem.data.files import own_figures
from pbem.data.house_figures import replaced_data
from pbem.data.scenarios import Scenario, ScenarioMonster, ScenarioSeeker, ScenarioUnit, Terrain
from pbem.data.ships import ShipClass, WeaponSpec, ship_class
from pbem.data.terms import StepName, UnitFate
from pbem.engine import events as ev
from pbem.engine.on_file import altered, unit_on_file
from pbem.engine.options import Options
from pbem.engine.play.resolution import Resolution
from pbem.engine.play.resolve import ResolutionResult, asked_sides, opening_form, request_at
from pbem.engine.state import Monster, PeopleAboard, Planet, Power, ProbeBox, Seeker, Ship, Side, State, Weapon
from pbem.engine.victory import victory_conditions
from pbem.errors import GameError
from pbem.rules import drones, hexes
from pbem.rules.monsters import information_needed, monster
from pbem.rules.power import capacity
from pbem.rules.sensors import track_boxes
from pbem.rules.shuttles import shuttles_at_start
from pbem.rules.weapons import family


def new_ship(
    kind: ShipClass,
    *,
    name: str,
    side: str,
    hex: str,
    facing: str,
    prior_speed: int = 0,
    full_capacitor: bool = False,
    parties: int | None = None,
) -> Ship:
    """Return an undamaged ship of a class.

    Batteries are charged (B3.0), weapons are unarmed, and the ship may turn or sideslip with its first move (C3.43).
    There is a shuttle in each shuttle box (J2.0), and the probe launchers are full (G5.12).

    Args:
        kind: The class.
        name: The name of the ship.
        side: The side that owns the ship.
        hex: The hex.
        facing: The facing.
        prior_speed: The speed in the previous turn.
        full_capacitor: Whether the phaser capacitor is full; otherwise it is empty.
        parties: The number of boarding parties aboard; by default the number that the class has.
    """
    weapons = {spec.name: _box(spec) for spec in kind.weapons}
    launchers = ascii_uppercase[: kind.boxes.get("probe", 0)]
    return Ship(
        name=name,
        side=side,
        race=kind.race,
        hex=hex,
        facing=facing,
        speed=prior_speed,
        ship=kind.key,
        class_name=class_words(kind),
        prior_speed=prior_speed,
        shields=kind.shields,
        boxes=dict(sorted({**kind.boxes, **track_boxes(kind.tracks)}.items())),
        weapons=dict(sorted(weapons.items())),
        hangar=tuple(ascii_uppercase[: shuttles_at_start(kind.boxes)]),
        power=Power(
            capacitor=capacity(weapons) if full_capacitor else 0.0,
            batteries=kind.boxes.get("battery", 0),
            probes={letter: ProbeBox(left=charts.probes().carried) for letter in launchers},
        ),
        people=PeopleAboard(parties=(kind.boarding_parties or 0) if parties is None else parties),
    )


def _box(spec: WeaponSpec) -> Weapon:
    """Return a weapon box at the start of a game.

    The weapon is unarmed, except for torpedoes that begin the game armed and held (FP1.23).
    """
    return Weapon(kind=spec.kind, ammo=spec.ammo, **family(spec.kind).at_set_up()._asdict())


def class_words(kind: ShipClass) -> str:
    """Return race and class of a ship type as players write them: ``KLIN D6``."""
    return f"{charts.races()[kind.race].abbreviation} {kind.class_name}"


class UnitChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The choices of the players about the units of a scenario.

    Attributes:
        ships: Ship classes that replace those of the scenario, by the name of a role, a unit or a side.
        extra: The optional units that take part.
        facings: The facings chosen for ships whose facing is free (scenario #11).
    """

    ships: Mapping[str, str] = {}
    extra: Sequence[str] = ()
    facings: Mapping[str, str] = {}


NO_CHOICES = UnitChoices()


def set_up(
    scenario: Scenario,
    game: str,
    *,
    players: Mapping[str, str],
    options: Options | None = None,
    choices: UnitChoices = NO_CHOICES,
    key: str = "",
    grid: str = "even",
) -> ResolutionResult:
    """Return the first records and the first state of a game.

    The records create the sides, the units, and the first request for orders.

    Args:
        scenario: The scenario to play.
        game: The name of the game.
        players: For each side the name or address of its player, or ``robot`` for a computer player.
        options: The options of the game; default options if omitted.
        choices: The choices about the units.
        key: The key under which the state names a scenario that is not shipped with the program.
        grid: The kind of hex grid.

    Raises:
        GameError: A choice does not fit the scenario; the error names it.
    """
    options = as_played(scenario, options or Options())
    sides = tuple(_side(scenario, side.name, players) for side in scenario.sides)
    table = Resolution(State(game=game), scenario, _NoDice(), {})
    table.turn, table.impulse, table.step = 0, 0, StepName.NONE
    table.tell(
        ev.GameStarted(
            game=game,
            scenario=key or scenario.key,
            level=scenario.level,
            impulses=scenario.impulses,
            map=scenario.map,
            grid=grid,
            options=options,
            sides=tuple(sorted(sides, key=lambda side: side.name)),
            asteroids=tuple(sorted(scenario.hexes("asteroids"))),
            figures=replaced_data(own_figures()),
            figures_hash=own_figures().token,
            rule=f"scenario #{scenario.number}",
        )
    )
    _verify_facings(scenario, choices.facings)
    for unit in sorted(scenario.units, key=lambda unit: unit.name):
        if not unit.optional or unit.name in choices.extra:
            _place(table, unit, choices)
    unknown = sorted(
        set(choices.ships)
        - {unit.name for unit in scenario.units}
        - {side.role for side in scenario.sides}
        - {side.name for side in sides}
    )
    if unknown:
        raise GameError.saying(
            "unknown-role", f"scenario #{scenario.number} has no ship, side or role {', '.join(unknown)}"
        )
    for seeker in scenario.seekers:
        table.tell(ev.UnitPlaced(unit=_seeker(scenario, seeker, grid), rule=f"scenario #{scenario.number}"))
    for planet in (terrain for terrain in scenario.terrain if terrain.kind == "planet"):
        table.tell(ev.UnitPlaced(unit=_planet(scenario, planet), rule="P2.0"))
    for placed in scenario.monsters:
        table.tell(ev.UnitPlaced(unit=_monster(scenario, placed), rule=f"scenario #{scenario.number}"))
    form = opening_form(table.state, scenario)
    table.tell(ev.Requested(request=request_at(table.state, 1, 0, "the game begins", form, asked_sides(table.state))))
    return ResolutionResult(records=table.records, state=table.state)


def _verify_facings(scenario: Scenario, facings: Mapping[str, str]) -> None:
    """Check that facings are valid and chosen only for ships whose facing is free (scenario #11).

    Raises:
        GameError: A choice is not allowed.
    """
    free = [unit.name for unit in scenario.units if unit.free_facing]
    for name, facing in sorted(facings.items()):
        if name not in free:
            may = f"only {' and '.join(free)} can" if free else "no ship can"
            text = f"{name} cannot choose its facing in scenario #{scenario.number}: {may}"
            raise GameError.saying("fixed-facing", text)
        if facing not in hexes.FACINGS:
            text = f"{facing!r} is not a facing for {name}; use {hexes.FACINGS[0]} to {hexes.FACINGS[-1]}"
            raise GameError.saying("direction", text)


def _place(table: Resolution, unit: ScenarioUnit, choices: UnitChoices) -> None:
    """Put a ship of the scenario on the map, with the class and facing chosen for it."""
    scenario, options = table.scenario, table.state.options
    ship = new_ship(
        ship_class(_chosen_class(scenario, unit, choices.ships)),
        name=unit.name,
        side=unit.side,
        hex=unit.hex,
        facing=choices.facings.get(unit.name, unit.facing),
        prior_speed=unit.prior_speed,
        full_capacitor=(scenario.capacitors or options.capacitor) == "full",
        parties=unit.parties,
    )
    ship = altered(
        ship,
        shields=tuple(int(boxes * unit.shields) for boxes in ship.shields),
        robot=table.state.sides[unit.side].robot and not unit.immobile,
        immobile=unit.immobile,
        untouchable=unit.untouchable,
        spared_by=unit.spared_by,
        invulnerable=unit.invulnerable,
        disabled=unit.disabled,
        gone=UnitFate.NOT_YET if unit.arrives else UnitFate.IN_PLAY,
    )
    table.tell(ev.UnitPlaced(unit=unit_on_file(ship), rule=f"scenario #{scenario.number}"))


def _planet(scenario: Scenario, terrain: Terrain) -> Planet:
    """Return a planet, which belongs to no side.

    People to be rescued may wait on it (scenario #9).
    """
    waiting = victory_conditions(scenario).waiting(terrain.name)
    first = terrain.hexes[0]
    return Planet(name=terrain.name, side="", race="", hex=first, facing="A", hexes=terrain.hexes, crew=waiting)


def _monster(scenario: Scenario, placed: ScenarioMonster) -> Monster:
    """Return a monster at its place in the scenario (scenario #11)."""
    kind = monster(placed.kind)
    return Monster(
        name=placed.name,
        side=placed.side,
        race=scenario.side(placed.side).race,
        hex=placed.hex,
        facing=placed.facing,
        speed=kind.speed,
        monster=placed.kind,
        goal=placed.goal,
        straight=kind.turn_mode,
        needed=information_needed(),
    )


def as_played(scenario: Scenario, options: Options) -> Options:
    """Return the options of a game, without those that the scenario does not use.

    An option that needs a chapter of the handbook is switched off if the scenario does not use that chapter.
    """
    return msgspec.structs.replace(
        options,
        sideslip=options.sideslip and scenario.uses("sideslip"),
        reinforcement=options.reinforcement and scenario.uses("reinforcement"),
    )


def _seeker(scenario: Scenario, placed: ScenarioSeeker, grid: str) -> Seeker:
    """Return a drone that is already on the map when the scenario begins.

    The drone may turn with its first move, as a ship may, because its turn mode counts as satisfied (C3.43).
    """
    return Seeker(
        name=placed.name,
        side=placed.side,
        race=scenario.side(placed.side).race,
        hex=placed.hex,
        facing=placed.facing,
        speed=placed.speed or drones.drone_speed(scenario.impulses),
        weapon="drone",
        target=placed.target,
        launcher="",
        launched=0,
        endurance=0 if placed.endless else drones.endurance(0, scenario.impulses, scenario.level),
        came_from=hexes.neighbour(placed.hex, hexes.turn_facing(placed.facing, 3), grid),
        straight=charts.turn_modes().seeking,
        toughness=drones.toughness(scenario.level),
        warhead=0 if placed.harmless else drones.warhead(scenario.level),
        motion=placed.motion,
    )


def _side(scenario: Scenario, name: str, players: Mapping[str, str]) -> Side:
    described = scenario.side(name)
    player = players.get(name, "")
    robot = player.casefold() == "robot" or described.robot == "must" or (described.robot == "unless" and not player)
    if player and described.robot == "must" and player.casefold() != "robot":
        text = f"{name} is played by the engine in scenario #{scenario.number}; {player} cannot play it"
        raise GameError.saying("robot-only", text)
    if robot and described.robot == "no":
        raise GameError.saying("no-robot", f"{name} cannot be played by the robot in scenario #{scenario.number}")
    return Side(name=name, team=described.team, player="robot" if robot else player, robot=robot)


def _chosen_class(scenario: Scenario, unit: ScenarioUnit, chosen: Mapping[str, str]) -> str:
    """Return the ship class of a unit.

    The class is the one chosen for the unit's name, role or side, otherwise the class in the scenario.

    Raises:
        GameError: The scenario does not allow the choice.
    """
    role = scenario.side(unit.side).role
    for wanted in (unit.name, role, unit.side):
        if wanted and wanted in chosen and not unit.immobile:
            if unit.choices and chosen[wanted] not in unit.choices:
                may = " or ".join(unit.choices)
                text = f"{unit.name} can be {may} in scenario #{scenario.number}, not {chosen[wanted]}"
                raise GameError.saying("ship-choice", text)
            return chosen[wanted]
    return unit.ship


class _NoDice:
    """Dice that raise an error when rolled, because setting up a game requires no rolls."""

    def roll(self, label: str, sides: int = 6) -> int:
        raise AssertionError(f"no die is rolled while setting up ({label})")
