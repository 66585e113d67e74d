"""Tractor links: the events that end them, and the effect of towing on a ship's speed (G7.3, G7.4).

A tractor link is the connection between a ship's tractor beam and the unit that it holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from string import ascii_uppercase

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.terms import UnitFate
from pbem.engine import events as ev
from pbem.engine.play.resolution import Resolution
from pbem.engine.relations import TOWED_OFF
from pbem.engine.state import AnyUnit, Link, Monster, Planet, Seeker, Ship, Shuttle, State
from pbem.engine.steps.engineer import slowed
from pbem.engine.steps.geometry import range_between
from pbem.engine.steps.guidance import remove_guided
from pbem.rules import tractors as law
from pbem.rules.internal_damage import wished

FREIGHTERS = "civilian"
"""The race of the ships that may be towed: freighters (G7.32C)."""

EXACT = 1000
"""Largest denominator of a fraction of movement energy, used to restore the exact fraction from a float."""


def is_freighter(unit: AnyUnit) -> bool:
    """Return whether a unit is a freighter, whichever side commands it now."""
    return isinstance(unit, Ship) and ship_class(unit.ship).race == FREIGHTERS


def kind_of(unit: AnyUnit) -> str:
    """Return the type of a unit, as the tractor beam rules name it (G7.32C)."""
    match unit:
        case Ship():
            return law.FREIGHTER if is_freighter(unit) else "ship"
        case Seeker():
            return unit.weapon
        case Shuttle():
            return "suicide shuttle" if unit.target or unit.bomb else "shuttle"
        case Monster():
            return "monster"
        case Planet():
            return "planet"


def may_be_towed(unit: AnyUnit) -> bool:
    """Return whether a beam may move a unit (G7.31C, scenario #11).

    A beam may move every unit that it may hold, except monsters.
    """
    return kind_of(unit) in charts.tractors().holds and not isinstance(unit, Monster)


def as_law(links: tuple[Link, ...] | list[Link]) -> tuple[law.BeamLink, ...]:
    """Return tractor links converted to the type that :mod:`pbem.rules.tractors` uses.

    A link connects a beam with the unit that it holds.
    """
    return tuple(law.BeamLink(link.ship, link.beam, link.target) for link in links)


# --- speed -----------------------------------------------------------------------------------------------------------


def beam_letters(ship: Ship) -> str:
    """Return the letters of a ship's working tractor beams."""
    return ascii_uppercase[: ship.boxes.get("tractor", 0)]


def held_by_beam(state: State, ship: Ship) -> dict[str, str]:
    """Return the names of the held units, by the letter of the TRACTOR entry that pays for each (G7.34).

    TRACTOR entries are lines of the energy form. The letter of an entry may differ from the letter of the beam that it
    pays for.
    """
    paid = law.paid_links(as_law(state.held_by(ship.name)), ship.boxes.get("tractor", 0))
    return {letter: link.target for letter, link in paid.items()}


def freighters_in_tow(state: State, ship: str) -> int:
    """Return the number of freighters that a ship tows."""
    return freighters_behind(state, ship, (link.target for link in state.held_by(ship)))


def freighters_behind(state: State, ship: str, held: Iterable[str]) -> int:
    """Return the number of freighters that a ship tows if its own beams hold the units ``held``.

    A freighter that two beams hold counts once. Units that a freighter in tow holds with its own beams are towed as
    well (G7.4, G7.31C).
    """
    found, left = {ship}, [*held]
    while left:
        name = left.pop()
        if name not in found and name in state.units and is_freighter(state.units[name]):
            found.add(name)
            left += _held(state, name)
    return len(found) - 1


def speed_in_tow(ship: Ship, freighters: int) -> int:
    """Return the speed that a ship's movement energy gives while it tows a number of freighters (G7.4).

    If the ship tows none, the result is the speed paid for, limited by the damage track. A ship without an energy form
    keeps its speed, and a ship stopped by mutineers keeps speed 0 (G6.32).
    """
    if not ship.power.speed or not ship.obeys:
        return ship.speed
    paid = slowed(ship, ship.power.speed)
    if not freighters:
        return paid
    warp = Fraction(ship.power.move_warp).limit_denominator(EXACT)
    towed = law.towing_speed(warp, ship.power.move_impulse, ship_class(ship.ship).move_cost, freighters)
    return min(paid, towed)


def speed_announced(state: State, ship: Ship, rule: str) -> ev.SpeedAnnounced:
    """Return the event that announces the speed of a ship while it tows its present freighters."""
    towing = freighters_in_tow(state, ship.name)
    speed = speed_in_tow(ship, towing) if towing or ship.towing else ship.speed
    return ev.SpeedAnnounced(unit=ship.name, speed=speed, tactical=ship.power.tactical, towing=towing, rule=rule)


def settle(table: Resolution) -> None:
    """End tractor links that can no longer exist, and announce changed speeds.

    A beam whose box is destroyed releases its target (G7.34). So does a beam whose target is out of reach: a monster,
    because beams cannot stop or move monsters (scenario #11), or a unit that the umpire moved. If a ship has taken a
    freighter in tow or lost it, the ship's speed changes at once (G7.4, G7.33). The function is called after everything
    that may end links.
    """
    if not table.state.links and not any(ship.towing for ship in table.state.ships()):
        return
    for ship in table.state.ships():
        held = table.state.held_by(ship.name)
        first, last = _given_up(table, ship, "FIRST"), _given_up(table, ship, "LAST")
        losses = law.to_release(as_law(held), ship.name, ship.boxes.get("tractor", 0), first, last)
        for lost in losses:
            release(table, lost, "no working tractor beam is left for it", "G7.34")
        if losses and len(losses) < len(held) and not (first or last):
            order = f"OTHER {', '.join(f'{BEAM} {lost.beam}' for lost in losses)} FIRST"
            chosen = ev.Chose(
                side=ship.side, unit=ship.name, order=order, reason="the last letters let go", rule="G7.34"
            )
            table.secret(ship.side, chosen)
        for link in table.state.held_by(ship.name):
            target = table.state.units[link.target]
            if range_between(table.state, ship, target) > charts.tractors().range:
                release(table, link, f"{target.name} is out of its reach", "G7.31C")
    for ship in table.state.ships():
        if freighters_in_tow(table.state, ship.name) != ship.towing:
            table.tell(speed_announced(table.state, ship, rule="G7.4"))


BEAM = "TRACTOR"
"""The first word of a tractor beam's name in a DAMAGE order: ``TRACTOR A``."""


def _given_up(table: Resolution, ship: Ship, place: str) -> tuple[str, ...]:
    """Return the letters of the beams that the ship's player chose to lose FIRST or LAST (G7.34).

    The choice says which beams are destroyed before or after the others when tractor boxes are hit.
    """
    named = [item.split() for item in wished(table.damage_choices(ship), "other", place)]
    return tuple(words[1] for words in named if words[0] == BEAM and len(words) > 1)


# --- ends ------------------------------------------------------------------------------------------------------------


def release(table: Resolution, link: Link | law.BeamLink, why: str, rule: str) -> None:
    """End one tractor link; its beam cannot be used again in this turn (G7.13).

    ``why`` is the reason and ``rule`` the rule number, for the log.
    """
    table.tell(ev.Released(unit=link.ship, beam=link.beam, target=link.target, why=why, rule=rule))


def let_go(table: Resolution, ship: str, why: str, rule: str) -> None:
    """End all tractor links of a ship to the units that it holds.

    ``why`` is the reason and ``rule`` the rule number, for the log.
    """
    for link in table.state.held_by(ship):
        release(table, link, why, rule)


def take_along(table: Resolution, ship: str) -> None:
    """Remove the units that a ship holds when the ship leaves the map (G7.31C, scenario #8).

    Monsters are not removed; they stay on the map.
    """
    _off_with(table, _held(table.state, ship), ship)


def _held(state: State, ship: str) -> list[str]:
    return sorted({link.target for link in state.held_by(ship)})


def _off_with(table: Resolution, names: list[str], by: str) -> None:
    for name in names:
        if table.state.units[name].in_play and may_be_towed(table.state.units[name]):
            off_the_map(table, name, by)


def off_the_map(table: Resolution, name: str, by: str) -> None:
    """Remove a held unit that is towed off the map, together with the units that it holds itself.

    If the unit is a freighter, it is marked as towed off, because it counts as captured (scenario #8). Drones that the
    unit guides are lost (D4.41).
    """
    along = _held(table.state, name)
    if is_freighter(table.state.units[name]):
        table.tell(ev.Marked(unit=name, mark=f"{TOWED_OFF}{by}", rule="G7.31C"))
    how = UnitFate.REMOVED if isinstance(table.state.units[name], Seeker) else UnitFate.LEFT
    table.tell(ev.Removed(unit=name, how=how, why=f"towed off the map by {by}", rule="G7.31C"))
    remove_guided(table, name)
    _off_with(table, along, by)
