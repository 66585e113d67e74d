"""Tractor beams (G7.0): holding freighters, drones and shuttles, and the cost of towing.

In this module a link is a tractor beam that holds a unit (:class:`BeamLink`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import NamedTuple

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, direction_to, neighbour
from pbem.rules.movement import turn_of
from pbem.rules.power import Powered, ShipFacts, Systems, WrittenEntry, letter_of, points_of, whole
from pbem.util import several

FREIGHTER = "freighter"


class BeamLink(NamedTuple):
    """A tractor beam that holds a unit.

    It has the name of the holding ship, the letter of the beam (``A`` …), and the name of the unit held.
    """

    ship: str
    beam: str
    target: str


def energy_for(beams: int) -> int:
    """Return the energy points that operating this many tractor beams for a turn costs (G7.15)."""
    return beams * charts.levels().costs.tractor


# --- making and losing a link -----------------------------------------------------------------------------


def verify_beam(
    *, beam: str, working: int, powered: int, used: int, linked: bool, released: int | None, moment: int, impulses: int
) -> None:
    """Check that a tractor beam of a ship may take hold of a unit now.

    Args:
        beam: The letter of the beam.
        working: The number of the ship's tractor boxes left.
        powered: The number of beams that have energy this turn.
        used: The number of powered beams that the ship has already used this turn.
        linked: Whether this beam holds a unit.
        released: The time this beam last released a unit, in impulses from the start of the game; ``None`` for never.
        moment: The present time, in the same count.
        impulses: Impulses in a turn.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-tractor`` (G7.34), ``tractor-unpowered``
            (G7.15), ``tractor-busy``, ``tractor-used`` or ``tractor-reuse`` (G7.13).
    """
    if beam not in tuple(ascii_uppercase[:working]):
        raise NotAllowed(
            "no-tractor", f"the ship has {working} working tractor beams; {beam} is not one of them", "G7.34"
        )
    if linked:
        raise NotAllowed("tractor-busy", f"tractor beam {beam} already holds something", "G7.13")
    if used >= powered:
        raise NotAllowed(
            "tractor-unpowered",
            f"{powered} of the tractor beams {'has' if powered == 1 else 'have'} energy, "
            f"and {used} of those {'is' if used == 1 else 'are'} in use",
            "G7.15",
        )
    if released is None:
        return
    if turn_of(released, impulses) == turn_of(moment, impulses):
        raise NotAllowed("tractor-used", f"tractor beam {beam} was released this turn", "G7.13")
    wait = charts.tractors().reuse
    if moment - released < wait:
        ago = moment - released
        raise NotAllowed(
            "tractor-reuse",
            f"tractor beam {beam} was released {several(ago, 'impulse')} ago; {wait} must pass before it is used again",
            "G7.13",
        )


def rests(released: int, moment: int, impulses: int) -> bool:
    """Return whether a beam that released its unit must still wait before it may be used again (G7.13).

    Both times are in impulses from the start of the game.
    """
    return turn_of(released, impulses) == turn_of(moment, impulses) or moment - released < charts.tractors().reuse


def verify_hold(*, target: str, kind: str, own: bool, range: int, landed: bool = False) -> None:
    """Check that a tractor beam may hold a unit of this kind at this range.

    ``kind`` is ``freighter``, ``ship``, ``drone``, ``plasma``, ``shuttle``, ``suicide shuttle`` or ``monster``.
    ``own`` says whether the unit belongs to the ship's side, ``landed`` whether it is on a planet.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``tractor-plasma`` (G7.26),
            ``tractor-own-seeker``, ``tractor-target`` (G7.32C), ``tractor-range`` (G7.31C) or ``tractor-landed``.
    """
    chart = charts.tractors()
    if kind == "plasma":
        raise NotAllowed("tractor-plasma", "a plasma torpedo cannot be held by a tractor beam", "G7.26")
    if kind not in chart.holds:
        raise NotAllowed(
            "tractor-target", f"{target}: tractor beams can hold only {', '.join(chart.holds)}, not a {kind}", "G7.32"
        )
    if own and kind not in chart.holds_own:
        raise NotAllowed(
            "tractor-own-seeker", f"{target} is your own; held by the beam, it would lose its target", "G7.32"
        )
    if landed:
        raise NotAllowed("tractor-landed", f"{target} is on the planet, where no beam reaches it", "P2.0")
    if range > chart.range:
        raise NotAllowed(
            "tractor-range", f"{target} is {range} hexes away, but a tractor beam reaches only {chart.range}", "G7.31"
        )


def paid_links(held: Collection[BeamLink], working: int) -> dict[str, BeamLink]:
    """Return the tractor links that the ``TRACTOR`` entries of an energy form pay for, by letter.

    A link is a beam that holds a unit. ``TRACTOR A`` pays for the link of beam A. After a loss of tractor boxes, only
    the first ``working`` letters can be used. A link whose letter is beyond them gets the first free letter (G7.34).
    """
    letters = ascii_uppercase[:working]
    found = {link.beam: link for link in held if link.beam in letters}
    free = (letter for letter in letters if letter not in found)
    return found | dict(zip(free, sorted(link for link in held if link.beam not in letters), strict=False))


def start_of_turn(
    links: Iterable[BeamLink], powered: Mapping[str, int], named: Mapping[str, Collection[str]] | None = None
) -> tuple[tuple[BeamLink, ...], tuple[BeamLink, ...]]:
    """Return the tractor links that continue as a turn begins, and those that end (G7.3, G7.33).

    A link is a beam that holds a unit. ``powered`` is the number of beams for which each ship pays. If a ship has more
    links than that, the others end: first links of beams that its form does not name, then links with the last letters.
    ``named`` are the beams named on the form, by ship.
    """
    kept, ended = list[BeamLink](), list[BeamLink]()
    for link in sorted(links, key=lambda link: (link.ship, link.beam not in (named or {}).get(link.ship, ()), link)):
        held = sum(1 for other in kept if other.ship == link.ship)
        (kept if link.ship in powered and held < powered[link.ship] else ended).append(link)
    return tuple(kept), tuple(ended)


def to_release(
    links: Iterable[BeamLink], ship: str, working: int, first: Sequence[str] = (), last: Sequence[str] = ()
) -> tuple[BeamLink, ...]:
    """Return the tractor links that a ship must release after the loss of tractor boxes (G7.34).

    A link is a beam that holds a unit. The ship has ``working`` tractor boxes left. The owner may name beams to
    release ``first`` or ``last``; otherwise the last letters are released.
    """
    mine = [link for link in links if link.ship == ship]
    order = {beam: number for number, beam in enumerate(first, start=-len(first))}
    order |= {beam: number for number, beam in enumerate(reversed(last), start=1) if beam not in order}
    mine.sort(key=lambda link: link.beam, reverse=True)
    mine.sort(key=lambda link: order.get(link.beam, 0))
    return tuple(mine[: max(0, len(mine) - working)])


def loses_tracking(kind: str, own: bool) -> bool:
    """Return whether a unit that a beam takes hold of must be removed from the map (G7.52).

    A drone or suicide shuttle is removed if the beam is of its own side, because it then loses its target.
    """
    return own and kind in ("drone", "suicide shuttle")


# --- what a link does -------------------------------------------------------------------------------------


def towed_cost(move_cost: Fraction, freighters: int) -> Fraction:
    """Return the movement cost of a ship with freighters in tow (G7.4).

    The cost is the warp power for each hex; ``move_cost`` is that of the ship alone.
    """
    return move_cost + freighters * charts.tractors().towing


def towing_speed(warp: Fraction | int, impulse: int, move_cost: Fraction, freighters: int) -> int:
    """Return the speed of a ship with freighters in tow, in hexes a turn (G7.4).

    It follows from the warp and impulse energy for movement. The ship has this speed as soon as a beam takes hold of a
    freighter, and its old speed again when it releases the freighters (G7.33). Our interpretation where the rules are
    silent: the remainder of the division is lost.
    """
    return int(warp / towed_cost(move_cost, freighters)) + impulse


def follow(held: str, moved_from: str, moved_to: str, grid: str = EVEN) -> str:
    """Return the new hex of a held unit after its holder moved one hex (G7.31C).

    The held unit moves in the same direction. If the holder only turns on the spot, the hex of the held unit does not
    change.
    """
    way = direction_to(moved_from, moved_to, grid)
    return held if way is None else neighbour(held, way, grid)


def can_strike(held: bool) -> bool:
    """Return whether a seeking weapon can hit its target (G7.27, G7.32C).

    It cannot while a tractor beam holds it. ``held`` says whether a beam holds the weapon.
    """
    return not held


# --- its entry of the energy form -------------------------------------------------------------------------


def power(entry: WrittenEntry, facts: ShipFacts) -> Powered:
    """Return the cost and effect of a ``TRACTOR A`` entry of the energy form (G7.15).

    The entry pays the energy for one beam this turn.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-such-box``, ``not-whole`` or
            ``tractor-amount``.
    """
    letter, cost = letter_of(entry, facts, "tractor", "tractor beam", "G7.15"), energy_for(1)
    points = whole(entry, "G7.15") if entry.parts else cost
    if points not in (0, cost):
        raise NotAllowed("tractor-amount", f"a tractor beam takes {cost} point, not {points}", "G7.15")
    return Powered(points_of(entry) if entry.parts else {"": cost}, Systems(tractors=(letter,) if points else ()))
