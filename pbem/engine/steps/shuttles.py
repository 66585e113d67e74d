"""Shuttles: speed and movement (J1.2), and the shuttle bays.

In the bay step shuttles are recovered, land and are launched, in this order (J1.5, J1.6, P2.0). Suicide shuttles
are in :mod:`pbem.engine.steps.seekers`.
"""

from __future__ import annotations

from string import ascii_uppercase

from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.conditions.scene import Scene, named, targets_of
from pbem.engine.play.resolution import Intent, Resolution, replace
from pbem.engine.state import AnyUnit, Planet, Ship, Shuttle, State
from pbem.engine.steps import seekers
from pbem.engine.steps.geometry import range_between
from pbem.engine.steps.guidance import behind, caught, launched, nearest_facing, next_name
from pbem.engine.steps.launching import launch_line
from pbem.engine.steps.movement import UnitMove, due_to_move, fly, settle
from pbem.engine.steps.plasma import straightest
from pbem.engine.steps.steering import entered
from pbem.engine.victory import victory_conditions
from pbem.errors import NotAllowed
from pbem.orders import model as om
from pbem.rules import hexes, seeking, shuttles, ties
from pbem.rules.shuttles import can_fly_at, default_speed, warhead
from pbem.rules.terrain import verify_land_on_planet

WAITS = ("not-same-hex", "no-planet", "not-held", "just-attached", "bay-busy", "no-unit", "shuttle-landed")
"""Codes of refusals that are temporary.

An order without an impulse waits until such a refusal no longer applies.
"""


def work_bays(table: Resolution) -> None:
    """Play the bay step: recover shuttles, land others, launch others.

    At the end of the step, people on a planet board shuttles there, if the scenario allows this.
    """
    before = table.state
    for ship in before.ships():
        for intent in table.captain(ship).intends(table, ship, before, om.Recover):
            _recover(table, ship, intent)
    for shuttle in before.shuttles():
        if not shuttle.target:
            for intent in table.captain(shuttle).intends(table, shuttle, before, om.Land):
                _land(table, shuttle.name, intent)
    for ship in before.ships():
        for intent in table.captain(ship).intends(table, ship, before, om.LaunchShuttle):
            _launch(table, ship, before, intent)
    victory_conditions(table.scenario).in_bays(table)


def bay_of(ship: Ship) -> shuttles.ShuttleBay:
    """Return the boxes of a ship's shuttle bay and the shuttles in them (J1.4)."""
    return shuttles.ShuttleBay(ship.boxes.get("shuttle", 0), len(ship.hangar), ship.bay_used)


def free_box(ship: Ship, letter: str) -> str:
    """Return the letter of the box that a returning shuttle takes.

    The box is the shuttle's old box if that is free, otherwise the first free box.
    """
    return letter if letter and letter not in ship.hangar else next(a for a in ascii_uppercase if a not in ship.hangar)


def _failed(table: Resolution, unit: Ship | Shuttle, order: om.Order, refused: NotAllowed) -> None:
    if order.at is not None or order.last or refused.code not in WAITS:
        table.failed(unit, order, str(refused))


# --- coming back -----------------------------------------------------------------------------------------------------


def _recover(table: Resolution, ship: Ship, intent: Intent) -> None:
    wanted = next(does.shuttle for does in intent.order.does if isinstance(does, om.Recover))
    try:
        shuttle = _shuttle_named(table.state, wanted)
        verify_recovery(table.state, table.ship(ship.name), shuttle)
    except NotAllowed as refused:
        _failed(table, ship, intent.order, refused)
        return
    letter = free_box(table.ship(ship.name), shuttle.letter)
    table.tell(ev.ShuttleLanded(unit=shuttle.name, on=ship.name, how="pulled aboard", letter=letter, rule="J1.62"))
    table.acted(ship, intent.order, f"{shuttle.name} pulled aboard")


def _shuttle_named(state: State, name: str) -> Shuttle:
    found = [unit for unit in named(state, name) if isinstance(unit, Shuttle) and unit.in_play]
    if len(found) != 1:
        raise NotAllowed("no-unit", f"there is no shuttle {name} on the map", "J1.62")
    return found[0]


def verify_recovery(state: State, ship: Ship, shuttle: Shuttle) -> None:
    """Check that the ship may now pull aboard a shuttle that its tractor beam holds (J1.62).

    For an enemy shuttle, this is the only reason that the refusal names, so that nothing else is revealed (J2.222).

    Raises:
        NotAllowed: The ship may not recover the shuttle.
    """
    friendly = not state.enemies(ship.side, shuttle.side)
    shuttles.verify_recover(
        bay_of(ship),
        state.moment,
        range=range_between(state, ship, shuttle),
        ship_speed=state.pace(ship),
        attached=min((link.since for link in state.holders(shuttle.name) if link.ship == ship.name), default=None),
        damage=shuttle.damage,
        friendly=friendly,
        manned=not (friendly and shuttle.target),
    )


def _land(table: Resolution, name: str, intent: Intent) -> None:
    shuttle = table.state.units[name]
    if not isinstance(shuttle, Shuttle) or not shuttle.in_play:
        return
    wanted = next(does.on for does in intent.order.does if isinstance(does, om.Land))
    try:
        on = _landing_place(table.state, shuttle, wanted)
        if on.name == shuttle.launcher and _just_out(shuttle, intent.order):
            return
        verify_landing(table.state, shuttle, on)
    except NotAllowed as refused:
        _failed(table, shuttle, intent.order, refused)
        return
    letter, rule = (free_box(on, shuttle.letter), "J1.61") if isinstance(on, Ship) else ("", "P2.0")
    table.tell(ev.ShuttleLanded(unit=name, on=on.name, how="landed", letter=letter, rule=rule))
    table.acted(shuttle, intent.order, f"landed on {on.name}")


def _just_out(shuttle: Shuttle, order: om.Order) -> bool:
    """Return whether a LAND order must wait because its shuttle has not moved since its launch.

    A LAND order that has neither an impulse nor a condition is meant for the shuttle's return, not for its launch.
    """
    return shuttle.straight == 0 and order.at is None and not order.last and order.condition is None


def _landing_place(state: State, shuttle: Shuttle, wanted: str) -> AnyUnit:
    """Return the ship or planet on which a LAND order lets the shuttle land.

    If the order names none, it is the planet in the shuttle's hex, or a ship of the shuttle's side in that hex.

    Raises:
        NotAllowed: There is no such ship or planet.
    """
    if wanted:
        found: list[AnyUnit] = [unit for unit in named(state, wanted) if unit.in_play]
    else:
        here = [unit for unit in state.in_play() if unit.belongs_to(shuttle.side) and unit.hex == shuttle.hex]
        lands = [unit for unit in state.in_play() if isinstance(unit, Planet) and shuttle.hex in unit.hexes]
        found = [*lands, *(unit for unit in here if isinstance(unit, Ship))]
        found = found[:1]
    if len(found) != 1:
        raise NotAllowed("no-unit", f"there is no {wanted or 'planet or ship'} to land on", "J1.61")
    return found[0]


def verify_landing(state: State, shuttle: Shuttle, on: AnyUnit) -> None:
    """Check that a manned shuttle may land on a ship or a planet now (J1.61, P2.0).

    Raises:
        NotAllowed: The shuttle may not land there.
    """
    if shuttle.landed:
        raise NotAllowed("shuttle-landed", f"{shuttle.name} has already landed on {shuttle.landed}", "P2.0")
    if holders := state.holders(shuttle.name):
        raise NotAllowed("held", f"a tractor beam of {holders[0].ship} holds {shuttle.name}", "J1.621")
    if isinstance(on, Planet):
        verify_land_on_planet("shuttle", shuttle.hex, on.hexes)
        return
    if not isinstance(on, Ship):
        raise NotAllowed("no-landing-place", f"a shuttle can land only on ships and planets, not on {on.name}", "J1.61")
    shuttles.verify_land(
        bay_of(on),
        state.moment,
        same_hex=on.hex == shuttle.hex,
        ship_speed=state.pace(on),
        damage=shuttle.damage,
        friendly=not state.enemies(shuttle.side, on.side),
        manned=not shuttle.target,
    )


# --- launching -------------------------------------------------------------------------------------------------------


def _launch(table: Resolution, ship: Ship, before: State, intent: Intent) -> None:
    order = next(does for does in intent.order.does if isinstance(does, om.LaunchShuttle))
    now = table.ship(ship.name)
    name = next_name(table.state, now)
    speed = table.captain(ship).shuttle_speed(name) if order.target is None else None
    try:
        target = _target(before, ship, intent, order)
        event = prepared(table.state, now, order, target, name, shuttles.full_speed() if speed is None else speed)
    except NotAllowed as refused:
        _failed(table, ship, intent.order, refused)
        return
    # The other sides must not see whether the shuttle is manned (J2.222).
    disguised = replace(event.shuttle, target="", bomb=0)
    table.secret(ship.side, event, replace(event, shuttle=disguised))
    if not order.direction:
        aimed = om.UnitRef(how="name", name=target.name) if target is not None else None
        written = replace(order, direction=event.shuttle.facing, target=aimed)
        chose = ev.Chose(
            side=ship.side, unit=ship.name, order=written.text, reason="no direction was given", rule="J1.5"
        )
        table.secret(ship.side, chose)
    table.acted(ship, intent.order, f"{name} launched")


def _target(before: State, ship: Ship, intent: Intent, order: om.LaunchShuttle) -> AnyUnit | None:
    if order.target is None:
        return None
    found = targets_of(order.target, Scene(state=before, me=ship), intent.its)
    if not found:
        raise NotAllowed("no-target", "there is no such target in play", "J2.22")
    return found[0]


def prepared(
    state: State, ship: Ship, order: om.LaunchShuttle, target: AnyUnit | None, name: str, speed: int
) -> ev.ShuttleLaunched:
    """Check a launch of a shuttle against every rule, and return the event of the launch.

    The rules are J1.5, J2.211 and J2.221. ``target`` is the target of a suicide shuttle, ``None`` for a manned shuttle.

    Raises:
        NotAllowed: A rule forbids the launch.
    """
    letter, bomb = order.shuttle, ship.power.bombs.get(order.shuttle)
    shuttles.verify_launch(bay_of(ship), state.moment, speed)
    verify_aboard(ship, letter)
    # A shuttle that has a bomb, or was disarmed this turn, cannot be launched otherwise (J2.221).
    if target is None:
        shuttles.verify_launch(bay_of(ship), state.moment, speed, ready=bomb is None or not bomb.state)
    else:
        seekers.verify_sending(state, ship, letter, target)
    crew, parties = (order.count if order.what == what else 0 for what in ("CREW", "BP"))
    verify_people(ship, crew, parties)
    last = flown_before(state, ship, letter)
    damage = last.damage if last is not None else 0
    facing = order.direction or _default_facing(state, ship, target)
    shuttle = Shuttle(
        **launched(state, ship, name, facing),
        speed=min(speed, shuttles.fastest(damage)),
        letter=letter,
        damage=damage,
        fired=last.fired if last is not None else None,
        crew=crew,
        parties=parties,
        target=target.name if target is not None else "",
        bomb=warhead(bomb.energy) if bomb is not None else 0,
    )
    return ev.ShuttleLaunched(unit=ship.name, letter=letter, shuttle=shuttle, rule="J1.5")


def flown_before(state: State, ship: Ship, letter: str) -> Shuttle | None:
    """Return the shuttle in the box with the given letter, as it was at the end of its last flight.

    A shuttle aboard a ship keeps its damage (J1.32) and the time of its last shot (J2.213). The result is ``None`` if
    the shuttle has not flown before.
    """
    flights = (u for u in state.units.values() if isinstance(u, Shuttle) and u.gone == UnitFate.LANDED)
    here = [u for u in flights if (u.launcher, u.letter) == (ship.name, letter)]
    return max(here, key=lambda u: u.launched, default=None)


def verify_aboard(ship: Ship, letter: str) -> None:
    """Check that the shuttle with the given letter is aboard the ship, in its box (J1.4).

    Raises:
        NotAllowed: The shuttle is not aboard.
    """
    if letter not in ship.hangar:
        aboard = " and ".join(ship.hangar)
        others = f"; {aboard} {'are' if len(ship.hangar) > 1 else 'is'}" if aboard else ""
        raise NotAllowed("no-shuttle", f"shuttle {letter} of {ship.name} is not aboard{others}", "J1.4")


def verify_people(ship: Ship, crew: int, parties: int) -> None:
    """Check that a shuttle can carry the people of a launch order (J2.211).

    ``crew`` is the number of crew units, which must be among the ship's passengers; ``parties`` is the number of
    boarding parties.

    Raises:
        NotAllowed: The shuttle cannot carry them, or they are not aboard.
    """
    shuttles.verify_load(crew, parties)
    if crew > ship.people.passengers:
        raise NotAllowed(
            "no-crew", f"{ship.name} has only {ship.people.passengers} passengers aboard, not {crew}", "J2.211"
        )
    if parties > ship.people.parties:
        raise NotAllowed(
            "no-parties", f"{ship.name} has {ship.people.parties} boarding parties, not {parties}", "J2.211"
        )


def _default_facing(state: State, ship: Ship, target: AnyUnit | None) -> str:
    """Return a shuttle's launch facing if the order names none: the ship's, or toward the target.

    The shuttle must first fly one hex straight ahead (J1.23). So facings that lead off the map are avoided, and for a
    suicide shuttle also facings into a planet.
    """
    if target is None:
        return nearest_facing(state, ship, hexes.FACINGS, ship.facing, ties.of_turns_about, kind="shuttle")
    wanted = straightest(launch_line(state, ship, target), state.grid, ship.facing)
    return nearest_facing(state, ship, hexes.FACINGS, wanted, ties.of_turns_about, kind=seekers.KIND)


def move(table: Resolution) -> None:
    """Move all shuttles, slower ones first; shuttles of equal speed move at the same time (C1.3).

    Suicide shuttles follow their target (J2.22).

    If a suicide shuttle hunts another shuttle of the same speed, it moves toward the hex that the other shuttle enters
    (F2.1). A slower hunter that has struck its target keeps the target in place (F2.2). Apart from this, manned and
    suicide shuttles move in the order of their names, so that the order reveals nothing.
    """
    due = [shuttle for shuttle in table.state.shuttles() if due_to_move(table.state, shuttle, table.impulse)]
    for speed in sorted({shuttle.speed for shuttle in due}):
        before = table.state
        group = [
            before.units[shuttle.name] for shuttle in due if shuttle.speed == speed and not caught(before, shuttle)
        ]
        _move_group(table, [unit for unit in group if isinstance(unit, Shuttle) and unit.in_play], before)


def _move_group(table: Resolution, group: list[Shuttle], before: State) -> None:
    """Move shuttles of equal speed; ``before`` is the state before any of them moves."""
    courses = {
        shuttle.name: course
        for shuttle in group
        if not shuttle.target and (course := _steered(table, shuttle, before)) is not None
    }
    heading = {
        name: entered(before, before.units[name], course.code)[0] for name, course in courses.items() if not course.ends
    }
    steps = _hunts(table, [shuttle for shuttle in group if shuttle.target], before, heading)
    for shuttle in group:
        if shuttle.name in steps:
            seekers.fly(table, shuttle, before, steps[shuttle.name])
        elif shuttle.name in courses:
            fly(table, shuttle, courses[shuttle.name])


def _steered(table: Resolution, shuttle: Shuttle, before: State) -> UnitMove | None:
    """Return the next move of a manned shuttle, or ``None`` if it stays on its planet."""
    steer = table.captain(shuttle).steer(table, shuttle, before)
    if steer.code:
        return settle(table, shuttle, steer)
    for saying in steer.sayings:
        table.say(shuttle, saying)
    return None


def _hunts(table: Resolution, bombs: list[Shuttle], before: State, heading: dict[str, str]) -> dict[str, seeking.Step]:
    """Return the next moves of the suicide shuttles of one speed, by name.

    Shuttles that stay where they are have no move in the result. If a suicide shuttle hunts another suicide shuttle,
    the move of the target is decided first. If two of them hunt each other, the first by name flies into the hex of the
    other (F2.5). ``heading`` is a dict of shuttles to the hexes that they enter; this function adds the new moves to
    it.
    """
    due = {bomb.name: bomb for bomb in bombs if bomb.in_play}
    steps: dict[str, seeking.Step] = {}
    hunts = {name: bomb.target for name, bomb in due.items()}
    for name in sorted(due, key=lambda each: (behind(each, hunts), ties.of_names(each))):
        bomb = due[name]
        step = seekers.next_step(bomb, before, heading, table.captain(bomb).guides(table, bomb, before))
        if step is not None:
            steps[name] = step
            heading[name] = step[1]
    return steps


def announce(table: Resolution) -> None:
    """Announce the speed for the turn of every shuttle on the map (J1.21).

    A shuttle that stays on a planet has speed 0.
    """
    for shuttle in table.state.shuttles():
        speed = default_speed(shuttle.prior_speed, shuttle.damage)
        if not shuttle.target:
            wanted = table.captain(shuttle).shuttle_speed(shuttle.name, bool(shuttle.landed))
            if wanted is not None and can_fly_at(wanted, shuttle.prior_speed, shuttle.damage):
                speed = wanted
        table.tell(ev.SpeedAnnounced(unit=shuttle.name, speed=speed, rule="J1.21"))
