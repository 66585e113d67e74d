"""Write a side's orders from a doctrine.

A doctrine is a list of order templates with placeholders such as ``{enemy}``, called gaps. They are filled in for each
ship. An order line is left out if it needs something that the ship does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase

import msgspec

from pbem.ai.energy import energy_form
from pbem.data.doctrines import Doctrine, doctrines
from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import FormKind, Fuse
from pbem.engine.legal.acts import commanded, speeds
from pbem.engine.legal.trial import SectionLine
from pbem.engine.relations import is_wreck, targets
from pbem.engine.state import AnyUnit, Bomb, Monster, Planet, Request, Seeker, Ship, State
from pbem.engine.steps import engineer as engineering
from pbem.engine.steps.energy import as_allotted
from pbem.engine.steps.geometry import range_between
from pbem.engine.steps.monsters import DAMAGE, PROBE, SHUTTLE, TRACTOR
from pbem.engine.steps.plasma import outlived
from pbem.engine.steps.science import works
from pbem.engine.steps.sensors import cloak_cost
from pbem.orders.writer import name_text
from pbem.rules import monsters, ties, weapons as arming
from pbem.rules.direct_fire import is_direct_fire, is_phaser
from pbem.util import regex

_GAP = regex(r"\{([a-z]+)\}")
AHEAD = (1, 2, 6)
"""Numbers of the shields that a ship can turn to a unit it flies at."""


class Gaps(msgspec.Struct, frozen=True):
    """The values for the placeholders (gaps) in a doctrine's order lines, for one ship.

    ``of`` maps the name of a placeholder to its values. If a placeholder has several values, its line is written once
    for each.
    """

    of: dict[str, tuple[str, ...]]

    def filled(self, template: str) -> Iterator[str]:
        """Yield an order line with its placeholders filled in, once for each value of a placeholder.

        Nothing is yielded if a placeholder has no value because the ship lacks what it names.
        """
        names = _GAP.findall(template)
        if any(not self.of.get(name) for name in names):
            return
        many = [name for name in names if len(self.of[name]) > 1]
        count = len(self.of[many[0]]) if many else 1
        for place in range(count):
            line = template
            for name in names:
                values = self.of[name]
                line = line.replace("{" + name + "}", values[min(place, len(values) - 1)])
            yield line


def lines_for(
    state: State,
    scenario: Scenario,
    side: str,
    doctrine: Doctrine,
    *,
    speeds_announced: Mapping[str, int] | None = None,
    breaks: Sequence[str] = (),
) -> list[SectionLine]:
    """Return a side's answer to the current request: order lines that follow a doctrine, ship by ship.

    Args:
        state: The state of the game, as the side sees it.
        scenario: The scenario.
        side: The side that gives the orders.
        doctrine: The doctrine (way to fight) to follow.
        speeds_announced: The speed of each ship that has announced its speed. The ship's energy form must pay for
            exactly that speed.
        breaks: Templates of conditions on which play stops and the side is asked for new orders.
    """
    request = state.request
    assert request is not None
    announced = speeds_announced or {}
    found: list[SectionLine] = []
    for unit in commanded(state, request, side):
        if isinstance(unit, Ship):
            found += _block(state, scenario, request, unit, doctrine, announced.get(unit.name), breaks)
    return found


def _block(
    state: State,
    scenario: Scenario,
    request: Request,
    ship: Ship,
    doctrine: Doctrine,
    speed: int | None,
    breaks: Sequence[str],
) -> Iterator[SectionLine]:
    name = ship.name
    yield SectionLine(name, "", "")
    enemy = quarry(state, ship)
    gaps = gaps_for(state, scenario, ship, enemy)
    formless = not engineering.has_form(scenario, ship)
    if request.form != FormKind.SOP and not formless:
        shield = int(gaps.of["shield"][0])
        extra = [text for template in doctrine.energy for text in gaps.filled(template)]
        near = enemy is None or range_between(state, ship, enemy) <= doctrines().always.near
        form, outcome = energy_form(
            state, scenario, ship, doctrine, extra=extra, shield=shield, speed=speed, near=near and not doctrine.sparing
        )
        yield SectionLine(name, "ENERGY", "")
        yield from (SectionLine(name, "ENERGY", text) for text in form)
        gaps = gaps_for(state, scenario, as_allotted(state, ship, outcome), enemy)
    elif formless and request.impulse == 0:
        may = speeds(state, scenario, request, ship)
        if may is not None and not may.fixed:
            speed = may.top * doctrine.speed // 100
            yield SectionLine(name, "", f"SPEED {speed}")
        gaps = gaps_for(state, scenario, engineering.readied(ship, scenario, request.turn, speed), enemy)
    if request.form != FormKind.EAF:
        yield from (SectionLine(name, "PLOT", text) for text in _plot(state, scenario, ship, doctrine, gaps))
        yield from _after_plot(name, doctrine, gaps, breaks)


def _plot(state: State, scenario: Scenario, ship: Ship, doctrine: Doctrine, gaps: Gaps) -> Iterator[str]:
    """Yield the lines of a ship's movement plot that follows a doctrine (way to fight)."""
    leaving = not scenario.keeps_on_map(ship.side)
    if _scripted(scenario, ship):
        yield from ["LEAVE MAP"] * leaving
        return
    plot = [text for each in (doctrine.plot, *doctrine.reactions) for text in gaps.filled(each)]
    yield from plot or [f"AWAY FROM EDGE {_nearest_edge(state, ship)}"]  # no unit is left to steer by
    yield from ["LEAVE MAP"] * (leaving and doctrine.leave)


def _after_plot(name: str, doctrine: Doctrine, gaps: Gaps, breaks: Sequence[str]) -> Iterator[SectionLine]:
    """Yield a ship's lines for the sections DO, DAMAGE and BREAK, from a doctrine's templates."""
    always = doctrines().always
    do = (*always.do, *(() if doctrine.sparing else always.launch), *doctrine.do)
    for section, templates in (("DO", do), ("DAMAGE", always.damage), ("BREAK", breaks)):
        for template in templates:
            yield from (SectionLine(name, section, text) for text in gaps.filled(template))


def _scripted(scenario: Scenario, ship: Ship) -> bool:
    """Return whether the scenario has a script that steers the ship (scenario #3).

    The player of such a freighter can only order a turn of 60 degrees at the start of a turn.
    """
    return any(unit.name == ship.name and unit.script for unit in scenario.units)


def quarry(state: State, ship: Ship) -> AnyUnit | None:
    """Return the unit that a ship should attack, or ``None`` if there is none.

    The result is the nearest enemy ship that the ship may fight. If there is no such ship, it is the nearest monster,
    and if there is no monster, the nearest seeking weapon.
    """

    def wish(one: AnyUnit) -> tuple[object, ...]:
        kind = 0 if isinstance(one, Ship) else 1 if isinstance(one, Monster) else 2
        return kind, range_between(state, ship, one), ties.of_names(one.name)

    return min(enemies_of(state, ship), key=wish, default=None)


def enemies_of(state: State, ship: Ship) -> list[AnyUnit]:
    """Return the units that a ship may attack, without planets and wrecks."""
    return [
        unit
        for unit in targets(state, ship.side, state.in_play())
        if not isinstance(unit, Planet) and not is_wreck(unit)
    ]


def gaps_for(state: State, scenario: Scenario, ship: Ship, enemy: AnyUnit | None) -> Gaps:
    """Return the values for the placeholders of a doctrine, for this ship.

    ``enemy`` is the unit that the ship attacks; it is ``None`` if there is none.
    """
    foes = [unit for unit in enemies_of(state, ship) if isinstance(unit, Ship)]
    fleeing = [unit for unit in foes if unit.name in scenario.victory.targets]
    strength = {number: ship.shields[number - 1] for number in range(1, 7)}
    strongest = max(AHEAD, key=lambda number: (strength[number], -number))
    fresh = max(strength, key=lambda number: (strength[number], -number))
    cost = cloak_cost(scenario, ship)
    return Gaps(
        {
            **_units_for(state, scenario, ship, enemy, foes),
            **_weapons_of(state, ship),
            "shield": (str(strongest),),
            "fresh": (str(fresh),),
            "battery": tuple("123456") if scenario.uses("reserve") and ship.boxes.get("battery") else (),
            "way": (_way_out(state, scenario, ship),),
            "transporters": _one(str(min(ship.boxes.get("tran", 0), ship.people.parties) or "")),
            "hurt": _yes(sum(ship.boxes.values()) <= sum(ship_class(ship.ship).boxes.values()) // 3),
            "won": _yes(_has_won(state, scenario, ship, fleeing)),
            "cloak": _one("" if cost is None else str(cost)),
            "chased": _yes(any(state.enemies(ship.side, one.side) for one in state.seekers())),
            "half": (str(state.impulses // 2),),
            **_tow_of(state, ship, fleeing),
            **_known_of(ship, enemy),
        }
    )


def _yes(holds: bool) -> tuple[str, ...]:
    """Return the value of a placeholder that only says whether a fact is true; no value means false."""
    return _one("yes" if holds else "")


def _weapons_of(state: State, ship: Ship) -> dict[str, tuple[str, ...]]:
    """Return the placeholder values about the weapons that a ship can use now."""
    began = (state.turn - 1) * state.impulses
    ready = [spec.name for spec in ship_class(ship.ship).weapons if _usable(ship, spec.name, began)]
    kinds = {name: ship.weapons[name].kind for name in ready}
    phasers = [name for name in ready if is_phaser(kinds[name])]
    heavy = [name for name in ready if is_direct_fire(kinds[name]) and name not in phasers]
    launchers = [name for name in ready if arming.family(kinds[name]).launches]
    racks = [name for name in launchers if arming.family(kinds[name]).ammunition]
    outliving = [name for name, box in sorted(ship.weapons.items()) if outlived(box, state.moment + 1, state.impulses)]
    tubes = [name for name in launchers if name not in racks] + outliving
    return {
        "guns": _one(_named([*heavy, *phasers])),
        "heavy": _one(_named(heavy)),
        "phasers": _one(_named(phasers)),
        "rack": tuple(racks),
        "tube": tuple(tubes),
    }


def _units_for(
    state: State, scenario: Scenario, ship: Ship, enemy: AnyUnit | None, foes: Sequence[Ship]
) -> dict[str, tuple[str, ...]]:
    """Return the placeholder values that name other units; ``foes`` are the ships to attack."""
    fleeing = [unit for unit in foes if unit.name in scenario.victory.targets]
    hunter = min(
        (unit for unit in foes if unit.name not in scenario.victory.targets),
        key=lambda one: (range_between(state, ship, one), ties.of_names(one.name)),
        default=None,
    )
    goal = state.units.get(scenario.victory.goal or scenario.victory.rescued)
    target = "" if enemy is None else "NEAREST SEEKER" if isinstance(enemy, Seeker) else name_text(enemy.name)
    return {
        "enemy": _one(target),
        "hunter": _one(name_text(hunter.name) if hunter is not None else ""),
        "goal": _one(name_text(goal.name) if goal is not None else ""),
        "weakest": _one(name_text(_weakest(foes).name) if len(foes) > 1 else ""),
        "foremost": _one(name_text(_foremost(fleeing).name) if fleeing else ""),
        "prize": _one(name_text(_prize(state, ship, fleeing).name) if fleeing else ""),
    }


def _tow_of(state: State, ship: Ship, prey: Sequence[Ship]) -> dict[str, tuple[str, ...]]:
    """Return the placeholder values about towing: tractor beams to use, and freighters to tow.

    Freighters that nobody has boarded come first, because a boarded freighter may still be captured instead.
    """
    held = _held(state, ship)
    beams = ascii_uppercase[: min(ship.boxes.get("tractor", 0), len(prey))]
    free = sorted(
        (one for one in prey if one.name not in held and len(held) < len(beams)),
        key=lambda one: (
            one.people.boarders.get(ship.side, 0),
            range_between(state, ship, one),
            ties.of_names(one.name),
        ),
    )
    names = tuple(name_text(one.name) for one in free)
    return {"beams": _one(",".join(beams)), "loot": names, "haul": names[:1], "next": names[1:2] or names[:1]}


def _held(state: State, ship: Ship) -> set[str]:
    return {link.target for link in state.held_by(ship.name)}


def _known_of(ship: Ship, enemy: AnyUnit | None) -> dict[str, tuple[str, ...]]:
    """Return the placeholder values for means to study a monster and to stop it (scenario #11)."""
    monster = enemy if isinstance(enemy, Monster) else None
    wanted = monsters.method(monster.method).kind if monster is not None and monster.method else ""
    boat = launcher = ""
    if monster is not None:
        boats = [letter for letter in ship.hangar if ship.power.bombs.get(letter, Bomb()).state != Fuse.UNUSABLE]
        boat = min(boats, key=lambda letter: (letter not in ship.power.bombs, letter), default="")
        launcher = min(
            (letter for letter, box in ship.power.probes.items() if box.left and works(ship, letter)), default=""
        )
    return {
        "unknown": _one("yes" if monster is not None and not wanted else ""),
        "bomb": _one(boat),
        "ram": _one(boat if wanted == SHUTTLE else ""),
        "probe": _one(launcher),
        "dart": _one(launcher if wanted == PROBE else ""),
        "beam": _one("A" if wanted == TRACTOR and ship.boxes.get("tractor") else ""),
        "wound": _one("yes" if wanted == DAMAGE else ""),
    }


def _weakest(foes: Sequence[Ship]) -> Ship:
    """Return the ship with the fewest boxes left (shields count half); if equal, the first by name."""
    return min(foes, key=lambda one: (sum(one.shields) + 2 * sum(one.boxes.values()), ties.of_names(one.name)))


def _foremost(freighters: Sequence[Ship]) -> Ship:
    """Return the freighter that is nearest to the right edge of the map (scenario #3)."""
    return max(freighters, key=lambda one: (int(one.hex[:2]), one.name))


def _prize(state: State, ship: Ship, freighters: Sequence[Ship]) -> Ship:
    """Return the freighter to capture, with the most boarding parties of the ship's side aboard.

    If several freighters have equally many, a freighter with a shield down comes first, then the nearest freighter.
    """
    return min(
        freighters,
        key=lambda one: (-one.people.boarders.get(ship.side, 0), min(one.shields) > 0, range_between(state, ship, one)),
    )


def _has_won(state: State, scenario: Scenario, ship: Ship, prey: Sequence[Ship]) -> bool:
    """Return whether a ship has done its task (#4, #8, #9), so that it now only has to leave the map.

    In #8 the task is also done if no freighter is left, if all tractor beams are in use, or if time is running out.
    """
    victory = scenario.victory
    if victory.kind == "piracy":
        full = 0 < len(_held(state, ship)) >= min(ship.boxes.get("tractor", 0), len(prey))
        return not prey or full or 0 < victory.last_turn <= state.turn + 1
    return ship.people.passengers > 0 or (bool(victory.mark) and victory.mark in ship.marks)


def _way_out(state: State, scenario: Scenario, ship: Ship) -> str:
    """Return the map edge by which the ship may leave: A top, B right, D bottom, E left.

    If the scenario names no edge, the nearest edge is returned.
    """
    if exits := scenario.side(ship.side).exits:
        return "B" if exits[0] == state.map[1][:2] else "E"
    return _nearest_edge(state, ship)


def _nearest_edge(state: State, ship: Ship) -> str:
    first, last = state.map
    column, row = int(ship.hex[:2]), int(ship.hex[2:])
    away = {"A": row - int(first[2:]), "B": int(last[:2]) - column, "D": int(last[2:]) - row,
            "E": column - int(first[:2])}  # fmt: skip
    return min(away, key=lambda edge: (away[edge], edge))


def _usable(ship: Ship, name: str, began: int) -> bool:
    """Return whether a weapon works, is loaded and has not fired in this turn (E1.5).

    ``began`` is the moment at which the turn began, in impulses from the start of the game.
    """
    weapon = ship.weapons.get(name)
    if weapon is None or not weapon.working or name in ship.terms.disabled:
        return False
    if weapon.fired is not None and weapon.fired > began:
        return False
    return is_phaser(weapon.kind) or arming.family(weapon.kind).loaded(weapon.charge, weapon.ammo)


def _one(text: str) -> tuple[str, ...]:
    return (text,) if text else ()


def _named(weapons: list[str]) -> str:
    """Return a list of weapons in the short form that orders use, such as ``PHOT A,B PH 1,2``."""
    by_word: dict[str, list[str]] = {}
    for name in weapons:
        word, _, letter = name.rpartition(" ")
        by_word.setdefault(word, []).append(letter)
    return " ".join(f"{word} {','.join(letters)}" for word, letters in by_word.items())
