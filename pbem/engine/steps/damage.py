"""Score all damage of a step: volleys, reserve power, shields, internal damage (D3, D4, H7.2).

All damage of one step is collected before any of it is scored. The damage is grouped into volleys, and owners may use
reserve power. Then damage is scored on reinforcement, shields and the inside of every target, and at last units are
destroyed. So a ship that is destroyed in a step has still fired in the same step (E1.0), and the order of the targets
does not matter.

Players can also reinforce shields from batteries during a turn, before any damage is scored (H7.1). Our interpretation
where the rules are silent: this happens after all units have moved and before the seeking weapons of the impulse
strike. The reinforcement lasts for that impulse and the rest of the turn. Internal damage of standard ships: armor
first, then two dice per point on the standard chart (D4.12, D4.2 standard).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.ships import ShipClass, ship_class
from pbem.data.terms import Fuse
from pbem.engine import events as ev
from pbem.engine.changes import hangar_after
from pbem.engine.play.resolution import Intent, Resolution, replace
from pbem.engine.state import Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps import boarding, tractor_links as links
from pbem.engine.steps.geometry import shield_up, standpoints
from pbem.engine.steps.guidance import remove_guided as remove_guided
from pbem.errors import NotAllowed
from pbem.orders.model import DamageChoice, Reinforce
from pbem.rules import damage_choices, hexes, internal_damage, monsters, power, shuttles, ties
from pbem.rules.direct_fire import is_phaser
from pbem.rules.internal_damage import OCCUPIED, Hit
from pbem.rules.movement import turn_of
from pbem.rules.power import LETTERS, SHIELD, verify_reserve
from pbem.rules.shields import Absorbed, absorb


def reinforce(table: Resolution) -> None:
    """Carry out every REINFORCE order that acts in this impulse.

    Activities of one order that are joined by AND either all succeed or all fail. Orders use the batteries in the
    sequence in which they are listed.
    """
    before = table.state
    for ship, intent in table.ordered(before, Reinforce):
        wanted = [one for one in intent.order.does if isinstance(one, Reinforce)]
        left = table.ship(ship.name).power.batteries
        try:
            for one in wanted:
                verify_reinforced(ship, one, left)
                left -= one.points
        except NotAllowed as refused:
            table.failed(ship, intent.order, str(refused))
            continue
        for one in wanted:
            spent = ev.ReserveSpent(unit=ship.name, points=one.points, purpose=f"#{one.shield}", rule="H7.1")
            table.secret(ship.side, spent)
        spending = " and ".join(f"{one.points} of reserve power to shield #{one.shield}" for one in wanted)
        table.acted(ship, intent.order, f"{spending}, until the end of the turn")


def verify_reinforced(ship: Ship, order: Reinforce, charged: int) -> None:
    """Check that a REINFORCE order is allowed (H7.1, D3.34, D3.343).

    The shield must be up, and the batteries must have all the points that the order asks for. ``charged`` is the number
    of charged batteries.

    Raises:
        NotAllowed: The shield may not be reinforced.
    """
    number = order.shield
    if not power.shields_active(ship.power.unpaid):
        text = f"{ship.name} did not pay for its shields, so none can be reinforced"
        raise NotAllowed("shields-inactive", text, "D3.34")
    if not ship.shields[number - 1] or f"#{number}" in ship.lowered:
        raise NotAllowed("shield-down", f"shield #{number} is down and cannot be reinforced", "D3.343")
    verify_reserve(SHIELD, points=order.points, stored=charged)


class DamageLine(NamedTuple):
    """The line along which damage came to its target.

    ``hex`` and ``facing`` are the target's hex and facing; ``source`` is the hex from which the damage came.
    """

    hex: str
    facing: str
    source: str


class VolleySource(NamedTuple):
    """The part of a volley that comes from one unit.

    Attributes:
        unit: The name of the unit; empty for damage that no unit on the map caused.
        points: Points of damage.
        line: The line along which the damage came; ``None`` for the present line of fire.
    """

    unit: str
    points: int
    line: DamageLine | None = None


def standard_hits(
    table: Resolution,
    name: str,
    shield: int,
    points: int,
    sources: Sequence[VolleySource],
    choices: Sequence[DamageChoice],
) -> Iterator[tuple[Hit, str, int]]:
    """Yield the internal hits of one volley by the standard damage chart, one per damage point.

    Each item contains the hit, the labels of its two dice and their sum. The caller must destroy each box before it
    takes the next hit, because the next roll depends on the boxes left.
    """
    state, ship = table.state, table.ship(name)
    parts = [
        internal_damage.VolleyShare(source.unit, source.points, _arcs(state, ship, shield, source))
        for source in sources
    ]
    toward = internal_damage.directions(parts, points)
    arcs = {box: spec.arc for box, spec in ship_class(ship.ship).named.items()}
    since = (table.turn - 1) * state.impulses + 1
    armored = internal_damage.armor_hits(points, ship.boxes)
    for hit in armored:
        yield hit, "", 0
    tally = internal_damage.NEW_VOLLEY
    for number in range(len(armored), points):
        labels, dice = zip(*(table.roll(name, f"DAC{shield}{which}", number + 1) for which in "ab"), strict=True)
        ship = table.ship(name)
        hit, tally = internal_damage.standard_box(
            sum(dice),
            ship.boxes,
            ship.weapons,
            arcs,
            toward[number],
            tally,
            shuttles.unlettered(choices, bay_of(ship)),
            since,
            len(ship.hangar),
        )
        yield hit, " + ".join(labels), sum(dice)


def bay_of(ship: Ship) -> shuttles.BayBoxes:
    """Return a ship's shuttle boxes and the letters of the shuttles in them (J1.4, J2.221).

    The letters are in the order in which the shuttles are lost by default.
    """
    states = {letter: bomb.state for letter, bomb in ship.power.bombs.items()}
    worth = {
        letter: (states.get(letter) == Fuse.ARMED, bool(states.get(letter)), -ord(letter)) for letter in ship.hangar
    }
    return shuttles.BayBoxes(ship.boxes.get("shuttle", 0), tuple(sorted(ship.hangar, key=worth.__getitem__)))


def _arcs(state: State, ship: Ship, shield: int, source: VolleySource) -> frozenset[str]:
    """Return the arcs of the struck ship that contain the origin of one part of a volley (D4.321).

    For direct fire the line of fire determines the arcs; for a seeking weapon or the feedback of a torpedo, the line of
    its approach. Damage that no unit caused counts as coming from the arcs in front of the shield.
    """
    if source.line is not None:
        return internal_damage.direction(*source.line, state.grid)
    unit = state.units.get(source.unit)
    if unit is None:
        return internal_damage.shield_direction(shield)
    here, there = standpoints(state, ship, unit)
    return internal_damage.direction(here.hex, here.facing, there.hex, state.grid)


class Blow(msgspec.Struct, frozen=True, kw_only=True):
    """Points of damage that strike one shield of one unit in this step.

    Attributes:
        target: The unit struck.
        shield: The number of the shield; 0 for units without shields.
        points: Points of damage.
        source: The unit, or other cause, that the damage comes from.
        line: The line along which the damage comes, if it is not the line of fire, e.g. a seeking weapon's approach or
            a torpedo's feedback.
    """

    target: str
    shield: int
    points: int
    source: str
    line: DamageLine | None = None


def resolve_fire(table: Resolution) -> None:
    """Score the direct fire declared in this impulse (E1.0)."""
    blows = [
        Blow(target=shot.target, shield=shot.shield, points=shot.points, source=shot.unit)
        for shot in table.happened()
        if isinstance(shot, ev.Fired) and shot.points > 0
    ]
    strikes = table.strikes.get((table.turn, table.impulse), ())
    for unit, where, points in sorted(strikes, key=lambda strike: (strike[0], str(strike[1]), strike[2])):
        struck = table.state.units[unit]
        if struck.in_play:
            shield = where if isinstance(where, int) else hexes.relative(struck.facing, where) + 1
            table.tell(ev.Struck(unit=unit, shield=shield, points=points, rule="rule case"))
            blows.append(Blow(target=unit, shield=shield, points=points, source="a strike from outside"))
    resolve_volleys(table, blows)


def resolve_volleys(table: Resolution, blows: list[Blow]) -> None:
    """Score all damage of one step on all targets, then destroy the units that did not survive."""
    if not blows:
        links.settle(table)
        return
    before = table.state
    volleys = _volleys(before, blows)
    for (name, shield), parts in _by_turns(volleys):
        if isinstance(before.units[name], Ship):
            _announce(table, name, shield, parts)
    _reserve_windows(table, volleys)
    doomed = _scored(table, volleys)
    # Drones first: a drone that was shot down is destroyed, even if its ship is destroyed in the same step.
    for name in sorted(doomed, key=lambda name: (isinstance(table.state.units[name], Ship), name)):
        destroy(table, name)
    links.settle(table)
    boarding.at_once(table, before, {name for name, _ in volleys})


Volleys = dict[tuple[str, int], list[Blow]]
"""The damage of one step: dict of (name of the target, number of the shield) to the blows there."""


def _volleys(state: State, blows: list[Blow]) -> Volleys:
    """Return the blows of a step grouped by target and shield.

    Blows on ships that the scenario protects from all damage are left out.
    """
    volleys: Volleys = defaultdict(list)
    for blow in blows:
        struck = state.units[blow.target]
        if not (isinstance(struck, Ship) and struck.terms.invulnerable):
            volleys[blow.target, blow.shield].append(blow)
    return volleys


def _reserve_windows(table: Resolution, volleys: Volleys) -> None:
    """Let each struck ship use reserve power (its batteries) before any volley is scored (H7.2)."""
    for name in sorted({name for name, _ in volleys}):
        unit = table.state.units[name]
        if isinstance(unit, Ship):
            striking = {shield: _points(parts) for (struck, shield), parts in volleys.items() if struck == name}
            _reserve_window(table, unit, {shield: striking[shield] for shield in sorted(striking, key=ties.of_shields)})


def _scored(table: Resolution, volleys: Volleys) -> list[str]:
    """Score the volleys, and return the names of the units that they destroy."""
    doomed: list[str] = []
    for (name, shield), parts in _by_turns(volleys):
        unit = table.state.units[name]
        if isinstance(unit, Ship):
            if name not in doomed and _score(table, name, shield, parts):
                doomed.append(name)
        elif unit.in_play and _score_elsewhere(table, unit, parts):
            doomed.append(name)
    return doomed


def _by_turns(volleys: Volleys) -> list[tuple[tuple[str, int], list[Blow]]]:
    """Return the volleys of a step in the order in which they are scored (D4.22).

    The volleys are sorted by ship, then by shield.
    """
    return sorted(volleys.items(), key=lambda volley: (volley[0][0], ties.of_shields(volley[0][1])))


def _points(parts: list[Blow]) -> int:
    return sum(blow.points for blow in parts)


def _announce(table: Resolution, name: str, shield: int, parts: list[Blow]) -> None:
    """Report a volley with the units that caused it (D4.22, D4.34).

    The unit that caused the most points comes first.
    """
    by_source: dict[str, int] = defaultdict(int)
    for blow in parts:
        by_source[blow.source] += blow.points
    sources = tuple(sorted(by_source, key=lambda source: (-by_source[source], ties.of_names(source))))
    table.tell(ev.Volley(unit=name, shield=shield, points=_points(parts), sources=sources, rule="D4.22"))


def _reserve_window(table: Resolution, ship: Ship, volleys: dict[int, int]) -> None:
    """Carry out the RESERVE orders of a struck ship (H7.2).

    The ship's batteries strengthen shields after all volleys of the step are known and before damage is scored.
    ``volleys`` is a dict of struck shield to points. The orders act in the sequence listed, whichever shields they
    name, and each acts only once. A shield that is down or lowered cannot be strengthened (D3.343), nor can any shield
    of a ship that did not pay for its shields (D3.34).
    """
    if not table.state.options.reinforcement or not table.has_captain(ship):
        return
    done: set[tuple[int, int]] = set()
    while (ship := table.ship(ship.name)).power.batteries >= 1:
        offers: list[tuple[Intent, int, int, int]] = []
        general = _general_now(ship)
        for shield, points in volleys.items():
            split = _split(ship, shield, points, general)
            general -= split.general  # points that stop this volley cannot stop the next one (D3.341)
            for intent, most in table.captain(ship).reserves(table, ship, shield, split.internals):
                if _place(intent) not in done and split.boxes + split.internals and shield_up(ship, shield):
                    offers.append((intent, most, shield, split.boxes + split.internals))
        if not offers:
            return
        intent, most, shield, striking = min(offers, key=lambda offer: _place(offer[0]))
        done.add(_place(intent))
        if not power.shields_active(ship.power.unpaid):
            table.failed(ship, intent.order, "shields that are not activated cannot be reinforced (D3.34)")
            continue
        spent = min(most, ship.power.batteries, striking)
        table.secret(ship.side, ev.ReserveSpent(unit=ship.name, points=spent, purpose=f"#{shield}", rule="H7.2"))
        table.acted(ship, intent.order, f"{spent} of reserve power to shield #{shield}")


def _place(intent: Intent) -> tuple[int, int]:
    """Return the line and column of an order in the order file."""
    return intent.order.line, intent.order.column


def _general_now(ship: Ship) -> int:
    """Return the points of general reinforcement that can stop damage now.

    The result is 0 while general reinforcement is lowered or the shields are not paid for (G8.23, D3.34).
    """
    return ship.power.general if "general" not in ship.lowered and power.shields_active(ship.power.unpaid) else 0


def _split(ship: Ship, shield: int, points: int, general: int) -> Absorbed:
    """Return how many points of a volley reinforcement, shield boxes and the ship's inside would take.

    ``general`` is the number of points of general reinforcement left. A ship that did not pay for its shields has
    neither shields nor reinforcement this turn (D3.34). The reinforcement of a lowered shield stops nothing (G8.22,
    D3.343).
    """
    up = shield_up(ship, shield) if power.shields_active(ship.power.unpaid) else 0
    return absorb(points, general, ship.power.reinforcement[shield - 1] if up else 0, up)


def _score(table: Resolution, name: str, shield: int, parts: list[Blow]) -> bool:
    """Score one volley on a ship, and return whether the ship is destroyed (D3.3411, D3.21, D4.2).

    Reinforcement is used first, then shield boxes; the rest is internal damage.
    """
    ship = table.ship(name)
    left, split = ship.shields[shield - 1], _split(ship, shield, _points(parts), _general_now(ship))
    table.tell(
        ev.Damaged(
            unit=name,
            shield=shield,
            general=split.general,
            specific=split.specific,
            boxes=split.boxes,
            internals=split.internals,
            left=left - split.boxes,
            rule="D3.21",
        )
    )
    return _internals(table, name, shield, split.internals, parts) if split.internals else False


def _internals(table: Resolution, name: str, shield: int, points: int, parts: list[Blow]) -> bool:
    """Score internal damage on a ship, and return whether the ship is destroyed (D4.2, D4.4).

    :func:`procedure` says which damage procedure applies.
    """
    kind = ship_class(table.ship(name).ship)
    if kind.damage == "track":
        return _on_track(table, name, kind, points)
    by_chart = not procedure(table.scenario, table.ship(name)).startswith("scenario")
    scored: list[internal_damage.Hit] = []
    for number, (hit, roll, die) in enumerate(_hits(table, name, shield, points, parts), start=1):
        if hit.destroys_ship:
            return True
        event = ev.InternalHit(
            unit=name,
            number=number,
            box=hit.box,
            category=hit.category,
            column=hit.column,
            roll=roll,
            die=die,
            used=_used_box(table, hit.box, name),
            rule="D4.22" if by_chart else "D4.0",
        )
        if hit.box == "shuttle":
            hit = _tell_shuttle(table, table.ship(name), hit, event)
        else:
            table.tell(event)
        scored.append(hit)
    _tell_choices(table, name, scored)
    return False


def _used_box(table: Resolution, box: str, name: str) -> str:
    """Return a mark if a hit destroys a tractor beam or transporter that was already used this turn.

    The owner loses used boxes first (D4.223, G7.13, G8.11). The mark is the beam's letter, or ``yes`` for a
    transporter; it is empty if the lost box was not used.
    """
    ship = table.ship(name)
    if box == "tran":
        return "yes" if ship.this_turn.transported else ""
    if box != "tractor":
        return ""
    now = turn_of(table.moment, table.state.impulses)
    idle = {
        *ship.this_turn.beams_used,
        *(beam for beam, when in ship.released.items() if turn_of(when, table.state.impulses) == now),
    }
    return min(idle - {link.beam for link in table.state.held_by(name)}, default="")


def _tell_shuttle(
    table: Resolution, ship: Ship, hit: internal_damage.Hit, event: ev.InternalHit
) -> internal_damage.Hit:
    """Score a hit on a shuttle box, and return the hit with ``choice`` set.

    ``choice`` is the text of the DAMAGE order by which the owner could have chosen which shuttle is lost (D4.325,
    J1.4). It stays empty if an order did choose, or if there was no choice. The other sides see that a box is destroyed
    and how many shuttles are left, but not which shuttle was lost, because its letter could reveal what is being armed
    (J2.222).
    """
    occupied, bay = hit.category == OCCUPIED, bay_of(ship)
    category = "any" if hit.category == "any" else "weapon" if occupied else "other"
    letter, chosen = shuttles.struck(category, table.damage_choices(ship), bay, occupied=occupied)
    expected = hangar_after(ship, bay.boxes - 1, occupied)
    if letter and expected != tuple(each for each in ship.hangar if each != letter):
        hidden = "?" if len(expected) == len(ship.hangar) else ""
        table.secret(ship.side, replace(event, shuttle=letter), replace(event, shuttle=hidden))
    else:
        table.tell(event)
    if chosen or not table.scenario.uses("shuttles") or not letter or len(bay.aboard) == 1:
        return hit
    word = "ANY" if category == "any" else category.upper()
    return hit._replace(choice=f"{word} {shuttles.BOX} {letter} FIRST")


def choosable_boxes(state: State, scenario: Scenario, ship: Ship) -> dict[str, list[str]]:
    """Return the boxes from which the owner can choose by DAMAGE orders in this game (D4.223).

    The result is a dict of box category to the boxes in it, both as DAMAGE orders name them.
    """
    kind = ship_class(ship.ship)
    how = "track" if kind.damage == "track" else procedure(scenario, ship)
    beams = kind.boxes.get("tractor", 0) if scenario.uses("tractors") else 0
    letters = {"shuttle": LETTERS[: kind.boxes.get("shuttle", 0)], "tractor": LETTERS[:beams]}
    weapons = [spec.name for spec in kind.weapons]
    return damage_choices.choosable(how, state.options.dac, kind.boxes, weapons, letters)


def procedure(scenario: Scenario, ship: Ship) -> str:
    """Return the name of the damage procedure for a ship.

    The scenario defines the procedure. Cadet ships in scenario #12 use the Cadet chart (D4.21).
    """
    terms = scenario.cadet_ships
    return terms.damage if terms and ship_class(ship.ship).level == "cadet" else scenario.damage


def _hits(
    table: Resolution, name: str, shield: int, points: int, parts: list[Blow]
) -> Iterator[tuple[internal_damage.Hit, str, int]]:
    """Yield the internal hits of one volley, one per damage point.

    Each item contains the hit, the label of its die and the number rolled (empty and 0 if no chart is used). The caller
    must destroy each box before it takes the next hit.
    """
    ship = table.ship(name)
    orders = table.damage_choices(ship)
    choices = shuttles.unlettered(orders, bay_of(ship))
    since = (table.turn - 1) * table.state.impulses + 1
    how = procedure(table.scenario, ship)
    if how == "scenario 4":
        for hit in internal_damage.scenario_4_boxes(points, ship.boxes, ship.weapons, choices, ship.terms.robot, since):
            yield hit, "", 0
        return
    if how in ("scenario 2", "scenario 3"):
        edition = table.state.options.dac
        for hit in internal_damage.free_boxes(points, ship.boxes, ship.weapons, choices, edition, since):
            yield hit, "", 0
        return
    if how == "standard dac":
        yield from standard_hits(table, name, shield, points, _sources(table, parts), orders)
        return
    for number in range(1, points + 1):
        roll, die = table.roll(name, f"DAC{shield}", number)
        ship = table.ship(name)
        choices = shuttles.unlettered(orders, bay_of(ship))
        yield (
            internal_damage.cadet_box(die, ship.boxes, ship.weapons, choices, table.state.options.dac, since),
            roll,
            die,
        )


def _sources(table: Resolution, parts: list[Blow]) -> list[VolleySource]:
    """Return the parts of a volley, merged so that there is one for each unit that caused damage (D4.34).

    The points of all shots of a unit are added up.
    """
    of: dict[str, list[Blow]] = defaultdict(list)
    for blow in parts:
        of[blow.source if blow.source in table.state.units else ""].append(blow)
    return [VolleySource(unit, _points(blows), blows[0].line) for unit, blows in of.items()]


def _on_track(table: Resolution, name: str, kind: ShipClass, points: int) -> bool:
    """Score damage on a freighter's damage track, and return whether the ship is destroyed.

    When the damage reaches a threshold of the track, its effect is applied (scenario #3). Maneuvers and towing are not
    affected.
    """
    ship = table.ship(name)
    for effect in internal_damage.track_effects(ship.internals - points, points, kind.thresholds):
        if effect == "destroyed":
            return True
        if effect.startswith("speed "):
            speed = min(ship.speed, int(effect.split()[1]))
            table.tell(
                ev.SpeedAnnounced(
                    unit=name, speed=speed, tactical=ship.power.tactical, towing=ship.towing, rule="scenario #3"
                )
            )
        for box, weapon in sorted(ship.weapons.items()):
            if effect.startswith("phaser") and is_phaser(weapon.kind) and weapon.working:
                table.tell(ev.InternalHit(unit=name, number=1, box=box, category="track", rule="scenario #3"))
    return False


def _tell_choices(table: Resolution, name: str, scored: list[internal_damage.Hit]) -> None:
    """Tell the owner by which orders they could have chosen the boxes that were destroyed by default."""
    ship = table.ship(name)
    for order in dict.fromkeys(hit.choice for hit in scored if hit.choice):
        table.secret(
            ship.side,
            ev.Chose(side=ship.side, unit=name, order=order, reason="default damage procedure", rule="D4.223"),
        )


def _score_elsewhere(table: Resolution, unit: Seeker | Shuttle | Monster | Planet, parts: list[Blow]) -> bool:
    """Score damage on a unit without an SSD, and return whether the unit is destroyed.

    Such a unit is a seeking weapon, a shuttle (J1.32), a monster or a planet.
    """
    if isinstance(unit, Seeker):
        return _score_on_seeker(table, unit, _points(parts))
    total = unit.damage + _points(parts)
    rule = "J1.32" if isinstance(unit, Shuttle) else "scenario #11"
    by = min(parts, key=lambda blow: (-blow.points, ties.of_names(blow.source))).source
    table.tell(ev.UnitDamaged(unit=unit.name, points=_points(parts), total=total, by=by, rule=rule))
    if isinstance(unit, Shuttle):
        _slow_down(table, unit, total)
        return shuttles.condition(total) == shuttles.DESTROYED
    if isinstance(unit, Planet):  # pbem.engine.steps.monsters decides whether a planet is destroyed
        return False
    found = monsters.method(unit.method) if unit.method else None
    return monsters.dies(unit.monster, found, damage=total)


def _slow_down(table: Resolution, shuttle: Shuttle, damage: int) -> None:
    """Reduce the speed of a crippled shuttle at once to its new maximum (J1.33)."""
    speed = shuttles.speed_after(shuttle.speed, damage)
    if shuttles.condition(damage) == shuttles.CRIPPLED and speed < shuttle.speed:
        table.tell(ev.SpeedAnnounced(unit=shuttle.name, speed=speed, rule="J1.33"))


def _score_on_seeker(table: Resolution, seeker: Seeker, points: int) -> bool:
    """Score damage on a seeking weapon and return whether it is destroyed.

    Damage to a drone adds up until it destroys the drone (FD1.54). Damage to a plasma torpedo weakens it (FP1.6).
    """
    total = seeker.damage + points
    if seeker.torpedo:
        table.tell(ev.SeekerDamaged(unit=seeker.name, points=points, total=total, rule="FP1.6"))
        left = table.state.units[seeker.name]
        return isinstance(left, Seeker) and left.warhead < 1
    table.tell(ev.SeekerDamaged(unit=seeker.name, points=points, total=total, rule="FD1.54"))
    return total >= seeker.toughness


def destroy(table: Resolution, name: str, rule: str = "") -> None:
    """Destroy a unit (D4.41); if it is a ship, the drones that it guided are removed too.

    ``rule`` is the rule number for the log; by default it depends on the type of unit.
    """
    unit = table.state.units[name]
    if not rule and isinstance(unit, Seeker):
        rule = "FP1.6" if unit.torpedo else "FD1.54"
    if not rule and isinstance(unit, Monster | Planet):
        rule = "scenario #11"
    table.tell(ev.Destroyed(unit=name, rule=rule or "D4.4"))
    remove_guided(table, name)
