"""Direct fire is resolved, and what any damage does (D3, D4, H7.2).

Everything that strikes in one step is counted before any of it is scored: volleys first, then each owner's reserve
power, then reinforcement, shields and internals of every target, then what is destroyed. So a ship that dies in a step
has fired in it (E1.0), and nothing depends on which target is listed first.

Shields are reinforced from batteries in the middle of a turn, before anything strikes them (H7.1).

Reading: it is done after all have moved, before the seeking weapons of the impulse strike; what strikes a shield in
that impulse or a later one of the turn finds it reinforced.

Internal damage of standard ships in play: armor, then two dice a point on the standard chart (D4.12, D4.2
standard).
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
from pbem.engine.play.resolution import Intent, Table, replace
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


def reinforce(table: Table) -> None:
    """Every REINFORCE whose moment has come; what AND joins is done altogether or not at all. The batteries serve the
    orders as they are listed.
    """
    before = table.state
    for ship, intent in table.ordered(before, Reinforce):
        wanted = [one for one in intent.order.does if isinstance(one, Reinforce)]
        left = table.ship(ship.name).batteries
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
        said = " and ".join(f"{one.points} of reserve power to shield #{one.shield}" for one in wanted)
        table.acted(ship, intent.order, f"{said}, until the end of the turn")


def verify_reinforced(ship: Ship, order: Reinforce, charged: int) -> None:
    """Raises :class:`NotAllowed` unless ``charged`` batteries may reinforce the shield an order names: it must be up,
    and they must hold all the points (H7.1, D3.34, D3.343).
    """
    number = order.shield
    if not power.shields_active(ship.unpaid):
        text = f"{ship.name} did not pay for its shields, so none can be reinforced"
        raise NotAllowed("shields-inactive", text, "D3.34")
    if not ship.shields[number - 1] or f"#{number}" in ship.lowered:
        raise NotAllowed("shield-down", f"shield #{number} is down: nothing reinforces it", "D3.343")
    verify_reserve(SHIELD, points=order.points, stored=charged)


class Line(NamedTuple):
    """Along what a blow came: where the ship it strikes stood and how it faced, and the hex the blow came from."""

    hex: str
    facing: str
    source: str


class Source(NamedTuple):
    """What one unit adds to a volley: its name, empty for damage from outside, its points, and the line along which
    they came, where that is another than its line of fire now.
    """

    unit: str
    points: int
    line: Line | None = None


def standard_hits(
    table: Table, name: str, shield: int, points: int, sources: Sequence[Source], choices: Sequence[DamageChoice]
) -> Iterator[tuple[Hit, str, int]]:
    """The boxes of one volley's internals with the labels and sum of their dice; each is gone before the next
    is asked.
    """
    state, ship = table.state, table.ship(name)
    parts = [internal_damage.Part(source.unit, source.points, _arcs(state, ship, shield, source)) for source in sources]
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
            shuttles.meant(choices, bay_of(ship)),
            since,
            len(ship.hangar),
        )
        yield hit, " + ".join(labels), sum(dice)


def bay_of(ship: Ship) -> shuttles.BayBoxes:
    """A ship's shuttle boxes; the shuttles in the order in which the default procedure takes them (J1.4, J2.221)."""
    states = {letter: bomb.state for letter, bomb in ship.bombs.items()}
    worth = {
        letter: (states.get(letter) == Fuse.ARMED, bool(states.get(letter)), -ord(letter)) for letter in ship.hangar
    }
    return shuttles.BayBoxes(ship.boxes.get("shuttle", 0), tuple(sorted(ship.hangar, key=worth.__getitem__)))


def _arcs(state: State, ship: Ship, shield: int, source: Source) -> frozenset[str]:
    """The ship's arcs a part of the volley came from (D4.321): along the line that decided which shield a seeking
    weapon or its feedback struck, the line of fire, or, for damage from no unit, those before the shield.
    """
    if source.line is not None:
        return internal_damage.direction(*source.line, state.grid)
    unit = state.units.get(source.unit)
    if unit is None:
        return internal_damage.shield_direction(shield)
    here, there = standpoints(state, ship, unit)
    return internal_damage.direction(here.hex, here.facing, there.hex, state.grid)


class Blow(msgspec.Struct, frozen=True, kw_only=True):
    """Points that strike a unit in this step: on which shield (0 for units without), from what, and along which
    ``line``, where that is not the line of fire (a seeking weapon's approach, a torpedo's feedback).
    """

    target: str
    shield: int
    points: int
    source: str
    line: Line | None = None


def resolve_fire(table: Table) -> None:
    """Score the fire declared in this impulse (E1.0)."""
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


def resolve_volleys(table: Table, blows: list[Blow]) -> None:
    """All damage of one step, on every target at once."""
    if not blows:
        links.settle(table)
        return
    before = table.state
    volleys: dict[tuple[str, int], list[Blow]] = defaultdict(list)
    for blow in blows:
        struck = table.state.units[blow.target]
        if isinstance(struck, Ship) and struck.invulnerable:
            continue
        volleys[blow.target, blow.shield].append(blow)
    doomed: list[str] = []
    for (name, shield), parts in _by_turns(volleys):
        if isinstance(table.state.units[name], Ship):
            _announce(table, name, shield, parts)
    for name in sorted({name for name, _ in volleys}):
        unit = table.state.units[name]
        if isinstance(unit, Ship):
            striking = {shield: _points(parts) for (struck, shield), parts in volleys.items() if struck == name}
            _reserve_window(table, unit, {shield: striking[shield] for shield in sorted(striking, key=ties.of_shields)})
    for (name, shield), parts in _by_turns(volleys):
        unit = table.state.units[name]
        if isinstance(unit, Ship):
            if name not in doomed and _score(table, name, shield, parts):
                doomed.append(name)
        elif unit.in_play and _score_elsewhere(table, unit, parts):
            doomed.append(name)
    # Drones first: one that was shot down is destroyed, whatever becomes of the ship that guides it.
    for name in sorted(doomed, key=lambda name: (isinstance(table.state.units[name], Ship), name)):
        destroy(table, name)
    links.settle(table)
    boarding.at_once(table, before, {name for name, _ in volleys})


def _by_turns(volleys: dict[tuple[str, int], list[Blow]]) -> list[tuple[tuple[str, int], list[Blow]]]:
    """The volleys of a step in the order in which they are scored: ship by ship, shield by shield (D4.22)."""
    return sorted(volleys.items(), key=lambda volley: (volley[0][0], ties.of_shields(volley[0][1])))


def _points(parts: list[Blow]) -> int:
    return sum(blow.points for blow in parts)


def _announce(table: Table, name: str, shield: int, parts: list[Blow]) -> None:
    """The volley and who scored it, the heaviest first (D4.22, D4.34)."""
    by_source: dict[str, int] = defaultdict(int)
    for blow in parts:
        by_source[blow.source] += blow.points
    sources = tuple(sorted(by_source, key=lambda source: (-by_source[source], ties.of_names(source))))
    table.tell(ev.Volley(unit=name, shield=shield, points=_points(parts), sources=sources, rule="D4.22"))


def _reserve_window(table: Table, ship: Ship, volleys: dict[int, int]) -> None:
    """The owner's standing RESERVE orders see all volleys of the step before any is scored (H7.2): the points that
    strike each shield. Each order acts once, in the order listed, whichever shield it is for. A shield that is down or
    lowered takes none (D3.343), nor does any of a ship that did not pay for its shields (D3.34).
    """
    if not table.state.options.reinforcement or ship.side not in table.captains:
        return
    heard: set[tuple[int, int]] = set()
    while (ship := table.ship(ship.name)).batteries >= 1:
        offers: list[tuple[Intent, int, int, int]] = []
        general = _general_now(ship)
        for shield, points in volleys.items():
            split = _split(ship, shield, points, general)
            general -= split.general  # what stops this volley is not there for the next (D3.341)
            for intent, most in table.captain(ship).reserves(table, ship, shield, split.internals):
                if _place(intent) not in heard and split.boxes + split.internals and shield_up(ship, shield):
                    offers.append((intent, most, shield, split.boxes + split.internals))
        if not offers:
            return
        intent, most, shield, striking = min(offers, key=lambda offer: _place(offer[0]))
        heard.add(_place(intent))
        if not power.shields_active(ship.unpaid):
            table.failed(ship, intent.order, "shields that are not activated cannot be reinforced (D3.34)")
            continue
        spent = min(most, ship.batteries, striking)
        table.secret(ship.side, ev.ReserveSpent(unit=ship.name, points=spent, purpose=f"#{shield}", rule="H7.2"))
        table.acted(ship, intent.order, f"{spent} of reserve power to shield #{shield}")


def _place(intent: Intent) -> tuple[int, int]:
    """Where an order is listed."""
    return intent.order.line, intent.order.column


def _general_now(ship: Ship) -> int:
    """General reinforcement that stops something: none while it is lowered, or the shields are off (G8.23, D3.34)."""
    return ship.general if "general" not in ship.lowered and power.shields_active(ship.unpaid) else 0


def _split(ship: Ship, shield: int, points: int, general: int) -> Absorbed:
    """What would become of a volley on a shield, with so much general reinforcement left for it. A ship that did not
    pay for its shields has none this turn, and no reinforcement either (D3.34); what reinforces a lowered shield stands
    in front of nothing (G8.22, D3.343).
    """
    up = shield_up(ship, shield) if power.shields_active(ship.unpaid) else 0
    return absorb(points, general, ship.reinforcement[shield - 1] if up else 0, up)


def _score(table: Table, name: str, shield: int, parts: list[Blow]) -> bool:
    """Reinforcement, shield, internals of one volley (D3.3411, D3.21, D4.2); whether the ship is destroyed."""
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


def _internals(table: Table, name: str, shield: int, points: int, parts: list[Blow]) -> bool:
    """Distribute internal damage by the ship's procedure; whether it destroyed the ship (D4.2, D4.4)."""
    kind = ship_class(table.ship(name).ship)
    if kind.damage == "track":
        return _on_track(table, name, kind, points)
    by_chart = not procedure(table.scenario, table.ship(name)).startswith("scenario")
    scored: list[internal_damage.Hit] = []
    for number, (hit, roll, die) in enumerate(_hits(table, name, shield, points, parts), start=1):
        if hit.destroys_ship:
            return True
        told = ev.InternalHit(
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
            hit = _tell_shuttle(table, table.ship(name), hit, told)
        else:
            table.tell(told)
        scored.append(hit)
    _tell_choices(table, name, scored)
    return False


def _used_box(table: Table, box: str, name: str) -> str:
    """Of beams and transporters the owner marks first one that has done its work for this turn (D4.223, G7.13, G8.11):
    the letter of a beam that was let go, ``yes`` of a transporter, else empty.
    """
    ship = table.ship(name)
    if box == "tran":
        return "yes" if ship.transported else ""
    if box != "tractor":
        return ""
    now = turn_of(table.moment, table.state.impulses)
    idle = {
        *ship.beams_used,
        *(beam for beam, when in ship.released.items() if turn_of(when, table.state.impulses) == now),
    }
    return min(idle - {link.beam for link in table.state.held_by(name)}, default="")


def _tell_shuttle(table: Table, ship: Ship, hit: internal_damage.Hit, told: ev.InternalHit) -> internal_damage.Hit:
    """A shuttle box is hit, the owner's choice which (D4.325, J1.4). Others see that a box is gone and how many
    shuttles are left, not which: the letters would tell them what is being armed (J2.222). Returns the hit with the
    order by which the owner could have chosen.
    """
    occupied, bay = hit.category == OCCUPIED, bay_of(ship)
    category = "any" if hit.category == "any" else "weapon" if occupied else "other"
    letter, chosen = shuttles.struck(category, choices_of(table, ship), bay, occupied=occupied)
    expected = hangar_after(ship, bay.boxes - 1, occupied)
    if letter and expected != tuple(each for each in ship.hangar if each != letter):
        hidden = "?" if len(expected) == len(ship.hangar) else ""
        table.secret(ship.side, replace(told, shuttle=letter), replace(told, shuttle=hidden))
    else:
        table.tell(told)
    if chosen or not table.scenario.uses("shuttles") or not letter or len(bay.aboard) == 1:
        return hit
    said = "ANY" if category == "any" else category.upper()
    return hit._replace(choice=f"{said} {shuttles.BOX} {letter} FIRST")


def choices_of(table: Table, ship: Ship) -> tuple[DamageChoice, ...]:
    """What the owner would have destroyed first and last (D4.223)."""
    return table.captain(ship).damage_choices(ship) if ship.side in table.captains else ()


def choosable_boxes(state: State, scenario: Scenario, ship: Ship) -> dict[str, list[str]]:
    """For each category of DAMAGE the boxes among which its owner has a choice in this game (D4.223)."""
    kind = ship_class(ship.ship)
    how = "track" if kind.damage == "track" else procedure(scenario, ship)
    beams = kind.boxes.get("tractor", 0) if scenario.uses("tractors") else 0
    letters = {"shuttle": LETTERS[: kind.boxes.get("shuttle", 0)], "tractor": LETTERS[:beams]}
    weapons = [spec.name for spec in kind.weapons]
    return damage_choices.choosable(how, state.options.dac, kind.boxes, weapons, letters)


def procedure(scenario: Scenario, ship: Ship) -> str:
    """The damage procedure for a ship: the scenario's, or the Cadet chart for a Cadet ship in #12 (D4.21)."""
    terms = scenario.cadet_ships
    return terms.damage if terms and ship_class(ship.ship).level == "cadet" else scenario.damage


def _hits(
    table: Table, name: str, shield: int, points: int, parts: list[Blow]
) -> Iterator[tuple[internal_damage.Hit, str, int]]:
    """The boxes of one volley's internals, each with its die where the chart is used; each is gone before the
    next is asked.
    """
    ship = table.ship(name)
    orders = choices_of(table, ship)
    choices = shuttles.meant(orders, bay_of(ship))
    since = (table.turn - 1) * table.state.impulses + 1
    how = procedure(table.scenario, ship)
    if how == "scenario 4":
        for hit in internal_damage.scenario_4_boxes(points, ship.boxes, ship.weapons, choices, ship.robot, since):
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
        choices = shuttles.meant(orders, bay_of(ship))
        yield (
            internal_damage.cadet_box(die, ship.boxes, ship.weapons, choices, table.state.options.dac, since),
            roll,
            die,
        )


def _sources(table: Table, parts: list[Blow]) -> list[Source]:
    """What each unit adds to a volley, all its shots together: the unit that did most is resolved first (D4.34)."""
    of: dict[str, list[Blow]] = defaultdict(list)
    for blow in parts:
        of[blow.source if blow.source in table.state.units else ""].append(blow)
    return [Source(unit, _points(blows), blows[0].line) for unit, blows in of.items()]


def _on_track(table: Table, name: str, kind: ShipClass, points: int) -> bool:
    """A freighter's damage track (scenario #3): what its thresholds say. Maneuvers and tow stay as they are."""
    ship = table.ship(name)
    for effect in internal_damage.track_effects(ship.internals - points, points, kind.thresholds):
        if effect == "destroyed":
            return True
        if effect.startswith("speed "):
            speed = min(ship.speed, int(effect.split()[1]))
            table.tell(
                ev.SpeedAnnounced(
                    unit=name, speed=speed, tactical=ship.tactical, towing=ship.towing, rule="scenario #3"
                )
            )
        for box, weapon in sorted(ship.weapons.items()):
            if effect.startswith("phaser") and is_phaser(weapon.kind) and weapon.working:
                table.tell(ev.InternalHit(unit=name, number=1, box=box, category="track", rule="scenario #3"))
    return False


def _tell_choices(table: Table, name: str, scored: list[internal_damage.Hit]) -> None:
    """Where the default procedure chose the box, say the order by which the owner could have."""
    ship = table.ship(name)
    for order in dict.fromkeys(hit.choice for hit in scored if hit.choice):
        table.secret(
            ship.side,
            ev.Chose(side=ship.side, unit=name, order=order, reason="default damage procedure", rule="D4.223"),
        )


def _score_elsewhere(table: Table, unit: Seeker | Shuttle | Monster | Planet, parts: list[Blow]) -> bool:
    """Points on what has no SSD: a seeking weapon, a shuttle (J1.32), a monster, a planet; whether that destroys it."""
    if isinstance(unit, Seeker):
        return _score_on_seeker(table, unit, _points(parts))
    total = unit.damage + _points(parts)
    rule = "J1.32" if isinstance(unit, Shuttle) else "scenario #11"
    by = min(parts, key=lambda blow: (-blow.points, ties.of_names(blow.source))).source
    table.tell(ev.UnitDamaged(unit=unit.name, points=_points(parts), total=total, by=by, rule=rule))
    if isinstance(unit, Shuttle):
        _slow_down(table, unit, total)
        return shuttles.condition(total) == shuttles.DESTROYED
    if isinstance(unit, Planet):  # what a planet can bear depends on the monster: pbem.engine.steps.monsters
        return False
    found = monsters.method(unit.method) if unit.method else None
    return monsters.dies(unit.monster, found, damage=total)


def _slow_down(table: Table, shuttle: Shuttle, damage: int) -> None:
    """A crippled shuttle slows at once to what it can still fly (J1.33)."""
    speed = shuttles.speed_after(shuttle.speed, damage)
    if shuttles.condition(damage) == shuttles.CRIPPLED and speed < shuttle.speed:
        table.tell(ev.SpeedAnnounced(unit=shuttle.name, speed=speed, rule="J1.33"))


def _score_on_seeker(table: Table, seeker: Seeker, points: int) -> bool:
    """Points on a drone add up until they destroy it (FD1.54); those on a plasma torpedo weaken it (FP1.6)."""
    total = seeker.damage + points
    if seeker.torpedo:
        table.tell(ev.SeekerDamaged(unit=seeker.name, points=points, total=total, rule="FP1.6"))
        left = table.state.units[seeker.name]
        return isinstance(left, Seeker) and left.warhead < 1
    table.tell(ev.SeekerDamaged(unit=seeker.name, points=points, total=total, rule="FD1.54"))
    return total >= seeker.toughness


def destroy(table: Table, name: str, rule: str = "") -> None:
    """A unit is gone (D4.41), and with a ship the drones it guided."""
    unit = table.state.units[name]
    if not rule and isinstance(unit, Seeker):
        rule = "FP1.6" if unit.torpedo else "FD1.54"
    if not rule and isinstance(unit, Monster | Planet):
        rule = "scenario #11"
    table.tell(ev.Destroyed(unit=name, rule=rule or "D4.4"))
    remove_guided(table, name)
