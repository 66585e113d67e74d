"""Setting up a scenario: the first records of a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.data import charts
from pbem.data.scenarios import Scenario, ScenarioUnit
from pbem.data.ships import ShipClass, ship_class
from pbem.faults import GameError
from pbem.game import events as ev
from pbem.game.options import Options
from pbem.game.state import Ship, Side, State, Weapon
from pbem.rules.capacitor import capacity
from pbem.turn.resolve import Played, asked_sides, request_at, reveals_speeds
from pbem.turn.table import Table


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
) -> Ship:
    """An undamaged ship of a class: batteries charged (B3.0), turn modes fulfilled (C3.43), weapons unarmed."""
    weapons = {spec.name: Weapon(kind=spec.kind, ammo=spec.ammo) for spec in kind.weapons}
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
        boxes=dict(sorted(kind.boxes.items())),
        weapons=dict(sorted(weapons.items())),
        capacitor=capacity(weapons) if full_capacitor else 0.0,
        batteries=kind.boxes.get("battery", 0),
        robot=robot,
        immobile=immobile,
        untouchable=untouchable,
    )


def class_words(kind: ShipClass) -> str:
    """Race and class as the field writes them: ``KLIN D6``."""
    return f"{charts.races()[kind.race].abbreviation} {kind.class_name}"


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
    options = options or Options()
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
    form = "EAF" if reveals_speeds(table.state) else "FULL"
    table.tell(ev.Requested(request=request_at(table.state, 1, 0, "the game begins", form, asked_sides(table.state))))
    return Played(records=table.records, state=table.state)


def _side(scenario: Scenario, name: str, players: Mapping[str, str]) -> Side:
    described = scenario.side(name)
    player = players.get(name, "")
    robot = player.casefold() == "robot"
    if robot and described.robot == "no":
        raise GameError.saying("no-robot", f"{name} cannot be played by the robot in scenario #{scenario.number}")
    return Side(name=name, team=described.team, player="robot" if robot else player, robot=robot)


def _chosen_class(scenario: Scenario, unit: ScenarioUnit, chosen: Mapping[str, str]) -> str:
    """The class a unit gets: by its own name, its side's role or its side, else the scenario's."""
    role = scenario.side(unit.side).role
    for wanted in (unit.name, role, unit.side):
        if wanted and wanted in chosen and not unit.immobile:
            return chosen[wanted]
    return unit.ship


class _NoDice:
    """Setting up rolls nothing."""

    def roll(self, label: str, sides: int = 6) -> int:
        raise AssertionError(f"no die is rolled while setting up ({label})")
