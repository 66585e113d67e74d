"""Weapon data for the order form: arcs, hit chances, targets, impulses (D2.0, E1.0, FD1.0, FP1.0).

The module also covers everything that changes the range or the die roll of a shot: cloaks, a missing lock-on,
asteroids, and drones as small targets (D1.4, D6.123, G13.0, P3.0, FD1.52). The page gets a table of chances for
every combination of these, and data that say where and when each combination applies. The page's script contains no
rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby, product
from typing import Any, NamedTuple

import msgspec

from pbem.data import charts
from pbem.data.cache import cached
from pbem.data.files import own_figures
from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.terms import CloakState, Motion, StepName
from pbem.engine.legal.acts import uses
from pbem.engine.legal.energy_fields import best_energy
from pbem.engine.legal.trial import SOMEBODY, OrderTester
from pbem.engine.on_file import altered
from pbem.engine.relations import is_wreck
from pbem.engine.state import AnyUnit, Monster, Planet, Request, Seeker, Ship, Shuttle, State, Weapon
from pbem.engine.steps.firing import SHUTTLE_WEAPON, kind_of
from pbem.engine.steps.sensors import at_start_of_turn, has_cloak, scanner_factor, veil_at
from pbem.orders import writer
from pbem.reports.form.energy import refused_unpaid
from pbem.rules import hexes, sensors
from pbem.rules.direct_fire import AimedShot, drone_modifier, faces, is_direct_fire, is_phaser, max_range, min_range
from pbem.rules.sensors import Veil
from pbem.rules.weapons import family, phaser_cost

Json = dict[str, Any]


def veils(state: State, scenario: Scenario, request: Request, ship: Ship) -> list[Json]:
    """Return how a ship's cloak may change while the orders are in force, the most likely way first.

    The list is empty if none of the ways has an effect on fire. Each way is a dict:

    * ``say``: a description of the way;
    * ``paid``: whether it happens with or without energy for the device; missing if that does not matter;
    * ``at``: ranges of impulses as [last impulse, factor, hexes added, silent]. For fire at the ship, the true range
      is multiplied by the factor, and the hexes are added; ``silent`` is 1 if the ship may not use its own weapons.
    """
    ways = list(_ways(state, scenario, request, ship))
    found = [{**how, "at": _stretches(state, request, it)} for it, how in ways]
    return found if len(found) > 1 or any(each[1:] != [1, 0, 0] for one in found for each in one["at"]) else []


def _ways(state: State, scenario: Scenario, request: Request, ship: Ship) -> Iterable[tuple[Ship, Json]]:
    """Yield the ship in each state that its cloaking device may have, with the text for the page.

    Yield nothing for a ship without a cloaking device.
    """
    began = (request.turn - 1) * state.impulses
    first = began + max(1, request.impulse)
    if not has_cloak(scenario, ship):
        return
    if not request.impulse and (scenario.uses("cadet cloak") or ship.cloaking.state == CloakState.CLOAKING):
        hides = ship.cloaking.state in (CloakState.CLOAKED, CloakState.CLOAKING)
        for paid in (hides, not hides):
            status, since = at_start_of_turn(scenario, ship, paid=paid, first=first)
            say = "is under its cloak" if paid else "comes out of its cloak" if hides else "stays uncloaked"
            yield altered(ship, cloak=status, cloak_since=since), {"say": say, "paid": paid}
        return
    hidden = ship.cloaking.state in (CloakState.CLOAKED, CloakState.CLOAKING)
    yield ship, {"say": "stays under its cloak" if hidden else "stays uncloaked"}
    if scenario.uses("cloak"):
        other = CloakState.UNCLOAKING if hidden else CloakState.CLOAKING
        say = "fades in at once" if hidden else "fades out at once"
        yield altered(ship, cloak=other, cloak_since=first), {"say": say}


def _stretches(state: State, request: Request, ship: Ship) -> list[list[int]]:
    began = (request.turn - 1) * state.impulses
    impulses = range(max(1, request.impulse), request.through + 1)
    told = [(impulse, *_seen(veil_at(ship, began + impulse, state.impulses))) for impulse in impulses]
    return [[list(same)[-1][0], *what] for what, same in groupby(told, key=lambda one: one[1:])]


def _seen(veil: Veil) -> tuple[int, int, int]:
    """Return how a cloak affects fire, as (range factor, hexes added, whether the ship's own weapons are silent).

    Factor and hexes apply to fire at the cloaked ship.
    """

    def resolved(true: int) -> int:
        fading = 0 if veil.hidden else veil.addition
        return sensors.effective_range(true, locked=veil.lock_on, hidden=veil.hidden, fading=fading)

    return resolved(1) - resolved(0), resolved(0), int(veil.silent)


def is_blind(request: Request, ship: Ship) -> bool:
    """Return whether it is known that the ship has no lock-on in these impulses (D6.123)."""
    return request.impulse > 0 and not ship.this_turn.lock_on


class Through(NamedTuple):
    """A combination of the changes that circumstances make to a shot.

    The true range is multiplied by ``factor`` and increased by ``plus`` hexes; ``added`` is added to the die.
    """

    factor: int
    plus: int
    added: int


PLAIN = Through(1, 0, 0)


def chances(kind: str, scanner: int, limit: int | None, through: Through = PLAIN) -> list[list[int]]:
    """Return the chances of a weapon by true range in hexes.

    For each range there are two numbers: how many faces of the die hit, and the total of the points of all faces.
    Lock-on and scanners are included. The numbers are whole: the page adds them up and divides by six once, so that
    its odds equal those of ``pbem odds``.

    Args:
        kind: The kind of weapon.
        scanner: The scanner adjustment of the ship.
        limit: The ship's own limit on the range of the weapon in hexes, if any.
        through: What changes the shot.
    """
    return [[*row] for row in _chances(kind, scanner, limit, through, own_figures().token)]


@cache
def _chances(kind: str, scanner: int, limit: int | None, through: Through, token: str) -> list[list[int]]:
    """Return the same as :func:`chances`, from a cache.

    ``token`` distinguishes custom charts from the shipped charts. Only tables for shipped charts are also cached on
    disk.
    """
    if token:
        return _reckoned(kind, scanner, limit, through)
    encode, decode = msgspec.msgpack.encode, msgspec.msgpack.decode
    name = f"chances-{kind}-{scanner}-{limit}{'' if through == PLAIN else '-' + named(through).replace(' ', '-')}"
    return cached(name, lambda: _reckoned(kind, scanner, limit, through), encode, decode)


def _reckoned(kind: str, scanner: int, limit: int | None, through: Through) -> list[list[int]]:
    rows: list[list[int]] = []
    for range_ in range(max_range(kind, limit) + 1):
        if range_ < min_range(kind):
            rows.append([0, 0])
            continue
        far = range_ * through.factor + through.plus
        seen = sensors.effective_range(far, locked=True, scanner=scanner, hidden=False, fading=0)
        shots = faces(AimedShot(kind, range_, seen, through.added, limit))
        rows.append([sum(shot.hit for shot in shots), sum(shot.points for shot in shots)])
    return rows


def named(through: Through) -> str:
    """Return a :class:`Through` as a text of its three numbers, such as ``2 5 0``.

    The script of the page uses it as a key.
    """
    return f"{through.factor} {through.plus} {through.added}"


class Sight(NamedTuple):
    """Everything that may change the shots of one side's weapons at their targets.

    ``ranges`` are the possible pairs of factor and addition for the true range. ``added`` are the numbers that may
    be added to the die because of asteroids. ``small`` is true if there are drones that are hard to hit (FD1.52).
    """

    ranges: tuple[tuple[int, int], ...] = ((1, 0),)
    added: tuple[int, ...] = (0,)
    small: bool = False

    def of(self, kind: str, scanner: int, limit: int | None) -> Json:
        """Return the tables of chances for one weapon, as data for the page.

        ``table`` applies if nothing changes the shot. ``tables`` has a table for each possible combination of
        changes, by its key (:func:`named`). ``small`` is the number added to the die for shots at drones.
        """
        small = drone_modifier(kind) if self.small else 0
        ways = {Through(*seen, more + less) for seen, more, less in product(self.ranges, self.added, {0, small})}
        found: Json = {"table": chances(kind, scanner, limit)}
        if small:
            found["small"] = small
        if ways != {PLAIN}:
            found["tables"] = {named(way): chances(kind, scanner, limit, way) for way in sorted(ways - {PLAIN})}
        return found


def sight(
    state: State, scenario: Scenario, request: Request, firers: Iterable[Ship], targets: Iterable[AnyUnit]
) -> Sight:
    """Return the :class:`Sight` for shots by these ships at these targets."""
    targets = list(targets)
    hiding = [veil for ship in targets if isinstance(ship, Ship) for veil in veils(state, scenario, request, ship)]
    ranges = {(1, 0), *((each[1], each[2]) for veil in hiding for each in veil["at"])}
    if any(is_blind(request, ship) for ship in firers):
        ranges |= {(max(factor, charts.sensors().no_lock_on), plus) for factor, plus in ranges}
    drones = any(isinstance(unit, Seeker) and unit.weapon == "drone" for unit in targets)
    fire = charts.asteroids().fire if state.asteroids else []
    return Sight(tuple(sorted(ranges)), (0, *sorted({each[1] for each in fire})), drones and scenario.drone_penalty)


def targets(state: State, side: str) -> list[Json]:
    """Return every unit on the map that orders may name, with position, owner, shields, and its name in orders."""
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
                "mine": unit.belongs_to(side),
                "enemy": state.enemies(side, unit.side),
                "shields": list(unit.shields) if isinstance(unit, Ship) else [],
                "hexes": list(unit.hexes) if isinstance(unit, Planet) else [],
                **_known_way(unit),
            }
        )
    return found


def _known_way(unit: AnyUnit) -> Json:
    """Return what is known about a seeking weapon's or monster's movement; an empty dict for other units.

    The speed of these units never changes. ``sure`` is the step in which the unit moves. ``straight`` is true if it
    never turns, like the practice drones of scenario #1.
    """
    if not isinstance(unit, Seeker | Monster):
        return {}
    straight = isinstance(unit, Seeker) and unit.motion == Motion.STRAIGHT
    return {
        "sure": StepName.SEEK if isinstance(unit, Seeker) else StepName.MONSTERS,
        **({"straight": True} if straight else {}),
    }


def _still(unit: AnyUnit) -> bool:
    return isinstance(unit, Planet) or is_wreck(unit)


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


def weapons(bench: OrderTester, ship: Ship, prey: Sequence[Json], energy: Json | None, through: Sight) -> list[Json]:
    """Return form data on every working weapon of a ship, with the results of checking its use.

    The checks cover the time until the last impulse of the orders.
    """
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
                "arcs": sorted(hexes.arcs_of(spec.arc)) if spec.arc else [],
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
    """Return the order with which each phaser fires on battery power, by weapon name (E2.1, H6.2)."""
    return {
        name: f"FIRE {name} AT {SOMEBODY} WITH BATTERY" for _, name in uses(ship) if is_phaser(ship.weapons[name].kind)
    }


def questions(unit: Ship | Shuttle) -> list[str]:
    """Return the DO lines that first test the use of the unit's weapons, without the energy form."""
    plain = [f"{verb} {name} AT {SOMEBODY}" for verb, name in uses(unit)]
    return plain + (list(_from_battery(unit).values()) if isinstance(unit, Ship) else [])


def _state(box: Weapon, direct: bool) -> str:
    if family(box.kind).ammunition:
        return f"{box.ammo} drone{'' if box.ammo == 1 else 's'}"
    if family(box.kind).turns:
        return {"": "", "powered": "ready", "rolling": "rolling delay"}.get(box.charge, box.charge)
    return ""


def line(weapon: Json, who: str = SOMEBODY, at: str = "") -> str:
    """Return the order line that uses a weapon on the target ``who``.

    ``at`` may be a prefix such as ``AT 5`` with a space after it.
    """
    return f"{at}{weapon['verb']} {weapon['name']} AT {who}"


def _judge(bench: OrderTester, found: list[Json], prey: Sequence[Json], energy: Json | None) -> None:
    """Add the results of the check to each weapon.

    * ``idle``: why it cannot be used even with all energy; empty if it can;
    * ``needs``: why it cannot be used unless the form pays for it;
    * ``unpaid``: the reason by standing cost, if that cost is not paid;
    * ``not``: the reason by target it may not be used at;
    * ``closed``: the reason by impulse in which it may not be used.
    """
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
    _judge_able(bench, [weapon for weapon in found if not weapon["idle"]], prey, best)


def _judge_able(bench: OrderTester, able: list[Json], prey: Sequence[Json], best: list[str]) -> None:
    """Add ``not`` and ``closed`` (see :func:`_judge`) to weapons that can be used with the energy ``best``."""
    first, last = max(1, bench.request.impulse), bench.request.through
    at_each = {weapon["name"]: {each["name"]: line(weapon, each["say"]) for each in prey} for weapon in able}
    at_ends = [line(weapon, at=f"AT {at} ") for weapon in able for at in (first, last)]
    bench.try_together({"DO": [*(text for lines in at_each.values() for text in lines.values()), *at_ends]}, best)
    for weapon in able:
        lines = at_each[weapon["name"]]
        refused = bench.refusals(list(lines.values()), energy=best)
        weapon["not"] = {name: refused[text] for name, text in lines.items() if text in refused}
    ends = _closed(bench, able, (first, last), best)
    # A weapon becomes ready once and stays so: if the first and last impulse agree, all between agree too.
    changing = [weapon for weapon in able if ends[weapon["name"]]]
    between = _closed(bench, changing, range(first + 1, last), best)
    for weapon in changing:
        weapon["closed"] = ends[weapon["name"]] | between[weapon["name"]]


def _closed(bench: OrderTester, able: list[Json], impulses: Iterable[int], best: list[str]) -> dict[str, Json]:
    """Return, for each weapon, the impulses in which it may not be used and the reasons."""
    lines = {(weapon["name"], at): line(weapon, at=f"AT {at} ") for weapon in able for at in impulses}
    refused = bench.refusals(list(lines.values()), energy=best)
    found: dict[str, Json] = {weapon["name"]: {} for weapon in able}
    for (name, at), text in lines.items():
        if text in refused:
            found[name][str(at)] = refused[text]
    return found


def _ready_by(bench: OrderTester, found: list[Json], energy: Json) -> None:
    """Set ``uses`` in those choices of line 10 (arming) that make their weapon usable.

    All weapons are tested together: first with the first choice for each weapon, then with the second, and so on.
    """
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


def shuttle_weapon(bench: OrderTester, shuttle: Shuttle, prey: Sequence[Json], through: Sight) -> list[Json]:
    """Return a list with one weapon: the phaser of a shuttle (J1.31)."""
    kind = kind_of(shuttle, SHUTTLE_WEAPON)
    weapon: Json = {
        "name": SHUTTLE_WEAPON,
        "arc": "360",
        "arcs": sorted(hexes.arcs_of("360")),
        "verb": "FIRE",
        "cost": 0,
        "least": min_range(kind),
        "most": max_range(kind),
        **through.of(kind, 0, None),
        "state": "",
    }
    _judge(bench, [weapon], prey, None)
    return [weapon]
