"""Setting up a scenario: the first records of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pbem.data import charts
from pbem.data.scenarios import Scenario, ScenarioSeeker, ScenarioUnit
from pbem.data.ships import ShipClass, WeaponSpec, ship_class
from pbem.faults import GameError
from pbem.game import events as ev
from pbem.game.options import Options
from pbem.game.state import Seeker, Ship, Side, State, Weapon
from pbem.rules import drones, hexes
from pbem.rules.capacitor import capacity
from pbem.rules.plasma import armed_at_start, plasma_type
from pbem.rules.sensors import track_boxes
from pbem.turn.resolve import Played, asked_sides, opening_form, request_at
from pbem.turn.table import Table
from pbem.turn.torpedoes import is_plasma


def new_ship(
    kind: ShipClass,
    *,
    name: str,
    side: str,
    hex: str,
    facing: str,
    prior_speed: int = 0,
    full_capacitor: bool = False,
    robot: bool = False,
    immobile: bool = False,
    untouchable: bool = False,
    invulnerable: bool = False,
    disabled: tuple[str, ...] = (),
) -> Ship:
    """An undamaged ship of a class: batteries charged (B3.0), turn modes fulfilled (C3.43), weapons unarmed."""
    weapons = {spec.name: _box(spec) for spec in kind.weapons}
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
        capacitor=capacity(weapons) if full_capacitor else 0.0,
        batteries=kind.boxes.get("battery", 0),
        robot=robot,
        immobile=immobile,
        untouchable=untouchable,
        invulnerable=invulnerable,
        disabled=disabled,
    )


def _box(spec: WeaponSpec) -> Weapon:
    """A weapon box at the start: unarmed, but for torpedoes that begin armed and held (FP1.23)."""
    box = Weapon(kind=spec.kind, ammo=spec.ammo)
    if is_plasma(spec.kind) and armed_at_start(spec.kind):
        turns = len(charts.plasma()[plasma_type(spec.kind)].arming)
        return msgspec.structs.replace(box, charge="armed", armed_turns=turns)
    return box


def class_words(kind: ShipClass) -> str:
    """Race and class as the field writes them: ``KLIN D6``."""
    return f"{charts.races()[kind.race].abbreviation} {kind.class_name}"


PLAYED = ("energy", "seeking", "sideslip", "reinforcement", "reserve", "damage control", "lock-on", "tac",
          "cadet cloak", "cloak")  # fmt: skip
"""Chapters of the handbook that scenarios may use."""


def unplayed(scenario: Scenario) -> str:
    """What of a scenario cannot be played yet, in words; empty if all of it can."""
    chapters = [chapter for chapter in scenario.chapters if chapter not in PLAYED]
    if chapters:
        return ", ".join(chapters)
    if scenario.victory.kind not in ("duel", "dakota", "none", "drill", "survive", "raid"):
        return f"victory by {scenario.victory.kind}"
    return ""


def set_up(
    scenario: Scenario,
    game: str,
    *,
    players: Mapping[str, str],
    options: Options | None = None,
    ships: Mapping[str, str] | None = None,
    extra: Sequence[str] = (),
    key: str = "",
    grid: str = "even",
) -> Played:
    """The opening of a game: sides, units, and the first request for orders.

    ``players`` gives each side a name or address, or ``robot``; ``ships`` another ship class by role or unit
    name; ``extra`` names
    optional units that take part; ``key`` is how the state names a scenario that is not a shipped one. Raises
    :class:`GameError` naming what does not fit the scenario.
    """
    missing = unplayed(scenario)
    if missing:
        raise GameError.saying(
            "not-played-yet", f"scenario #{scenario.number} cannot be played yet: it needs {missing}"
        )
    options = _as_played(scenario, options or Options())
    sides = tuple(_side(scenario, side.name, players) for side in scenario.sides)
    table = Table(State(game=game), scenario, _NoDice(), {})
    table.turn, table.impulse, table.step = 0, 0, ""
    table.tell(
        ev.GameStarted(
            game=game,
            scenario=key or scenario.number,
            level=scenario.level,
            impulses=scenario.impulses,
            map=scenario.map,
            grid=grid,
            options=options,
            sides=tuple(sorted(sides, key=lambda side: side.name)),
            rule=f"scenario #{scenario.number}",
        )
    )
    chosen = dict(ships or {})
    full = (scenario.capacitors or options.capacitor) == "full"
    by_name = {side.name: side for side in sides}
    for unit in sorted(scenario.units, key=lambda unit: unit.name):
        if unit.optional and unit.name not in extra:
            continue
        key = _chosen_class(scenario, unit, chosen)
        table.tell(
            ev.UnitPlaced(
                unit=new_ship(
                    ship_class(key),
                    name=unit.name,
                    side=unit.side,
                    hex=unit.hex,
                    facing=unit.facing,
                    prior_speed=unit.prior_speed,
                    full_capacitor=full,
                    robot=by_name[unit.side].robot and not unit.immobile,
                    immobile=unit.immobile,
                    untouchable=unit.untouchable,
                    invulnerable=unit.invulnerable,
                    disabled=unit.disabled,
                ),
                rule=f"scenario #{scenario.number}",
            )
        )
    unknown = sorted(
        set(chosen) - {unit.name for unit in scenario.units} - {side.role for side in scenario.sides} - set(by_name)
    )
    if unknown:
        raise GameError.saying(
            "unknown-role", f"scenario #{scenario.number} has no ship, side or role {', '.join(unknown)}"
        )
    for seeker in scenario.seekers:
        table.tell(ev.UnitPlaced(unit=_seeker(scenario, seeker, grid), rule=f"scenario #{scenario.number}"))
    form = opening_form(table.state, scenario)
    table.tell(ev.Requested(request=request_at(table.state, 1, 0, "the game begins", form, asked_sides(table.state))))
    return Played(records=table.records, state=table.state)


def _as_played(scenario: Scenario, options: Options) -> Options:
    """The options of a game, without those on chapters of the handbook that the scenario does not use."""
    return msgspec.structs.replace(
        options,
        sideslip=options.sideslip and scenario.uses("sideslip"),
        reinforcement=options.reinforcement and scenario.uses("reinforcement"),
    )


def _seeker(scenario: Scenario, placed: ScenarioSeeker, grid: str) -> Seeker:
    """A drone that is on the map when the scenario begins; like a ship it starts with its turn mode fulfilled
    (C3.43).
    """
    return Seeker(
        name=placed.name,
        side=placed.side,
        race=scenario.side(placed.side).race,
        hex=placed.hex,
        facing=placed.facing,
        speed=drones.drone_speed(scenario.impulses),
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
    robot = player.casefold() == "robot" or described.robot == "must"
    if player and described.robot == "must" and player.casefold() != "robot":
        text = f"{name} is played by the engine in scenario #{scenario.number}; {player} cannot play it"
        raise GameError.saying("robot-only", text)
    if robot and described.robot == "no":
        raise GameError.saying("no-robot", f"{name} cannot be played by the robot in scenario #{scenario.number}")
    return Side(name=name, team=described.team, player="robot" if robot else player, robot=robot)


def _chosen_class(scenario: Scenario, unit: ScenarioUnit, chosen: Mapping[str, str]) -> str:
    """The class a unit gets: by its own name, its side's role or its side, else the scenario's."""
    role = scenario.side(unit.side).role
    for wanted in (unit.name, role, unit.side):
        if wanted and wanted in chosen and not unit.immobile:
            if unit.choices and chosen[wanted] not in unit.choices:
                may = " or ".join(unit.choices)
                text = f"{unit.name} may be {may} in scenario #{scenario.number}, not {chosen[wanted]}"
                raise GameError.saying("ship-choice", text)
            return chosen[wanted]
    return unit.ship


class _NoDice:
    """Setting up rolls nothing."""

    def roll(self, label: str, sides: int = 6) -> int:
        raise AssertionError(f"no die is rolled while setting up ({label})")
