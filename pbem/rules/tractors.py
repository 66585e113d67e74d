"""Tractor beams (G7.0): holding freighters, drones and shuttles, and what towing costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from string import ascii_uppercase
from typing import NamedTuple

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.hexes import EVEN, direction_to, neighbour
from pbem.rules.movement import turn_of
from pbem.rules.power import Entry, Powered, ShipFacts, Systems, letter_of, points_of, whole

FREIGHTER = "freighter"


class Link(NamedTuple):
    """A tractor link: the ship that holds, the letter of its beam (``A`` …), and what it holds."""

    ship: str
    beam: str
    target: str


def energy_for(beams: int) -> int:
    """Energy to operate so many beams for a turn (G7.15)."""
    return beams * charts.levels().costs.tractor


# --- making and losing a link -----------------------------------------------------------------------------


def verify_beam(
    *, beam: str, working: int, powered: int, used: int, linked: bool, released: int | None, moment: int, impulses: int
) -> None:
    """Raises :class:`NotAllowed` unless this beam of a ship may be attached to something now.

    ``beam`` is its letter; ``working`` are the tractor boxes left, ``powered`` the beams the energy operates this
    turn and ``used`` how many of these it has used; ``linked`` whether this one holds something, ``released`` the
    moment of its last release. Codes: ``no-tractor`` (G7.34), ``tractor-unpowered`` (G7.15), ``tractor-busy``,
    ``tractor-used`` and ``tractor-reuse`` (G7.13).
    """
    if beam not in tuple(ascii_uppercase[:working]):
        raise NotAllowed("no-tractor", f"the ship has {working} working tractor beams, there is no {beam}", "G7.34")
    if linked:
        raise NotAllowed("tractor-busy", f"tractor beam {beam} holds something already", "G7.13")
    if used >= powered:
        raise NotAllowed(
            "tractor-unpowered", f"of the tractor beams {powered} have energy, and {used} are used", "G7.15"
        )
    if released is None:
        return
    if turn_of(released, impulses) == turn_of(moment, impulses):
        raise NotAllowed("tractor-used", f"tractor beam {beam} was released this turn", "G7.13")
    wait = charts.tractors().reuse
    if moment - released < wait:
        ago = moment - released
        raise NotAllowed(
            "tractor-reuse", f"tractor beam {beam} was released {ago} impulses ago, {wait} must pass", "G7.13"
        )


def rests(released: int, moment: int, impulses: int) -> bool:
    """Whether a beam that was let go at a moment can not be used again yet at another (G7.13)."""
    return turn_of(released, impulses) == turn_of(moment, impulses) or moment - released < charts.tractors().reuse


def verify_hold(*, target: str, kind: str, own: bool, range: int, landed: bool = False) -> None:
    """Raises :class:`NotAllowed` unless something may be held at this range.

    ``kind`` is ``freighter``, ``ship``, ``drone``, ``plasma``, ``shuttle``, ``suicide shuttle`` or ``monster``;
    ``own`` whether it is of the same side; ``landed`` whether it stands on a planet. Codes: ``tractor-plasma``
    (G7.26), ``tractor-own-seeker``, ``tractor-target`` (G7.32C), ``tractor-range`` (G7.31C), ``tractor-landed``.
    """
    chart = charts.tractors()
    if kind == "plasma":
        raise NotAllowed("tractor-plasma", "a plasma torpedo cannot be held by a tractor beam", "G7.26")
    if kind not in chart.holds:
        raise NotAllowed(
            "tractor-target", f"{target}: tractor beams hold no {kind}, only {', '.join(chart.holds)}", "G7.32"
        )
    if own and kind not in chart.holds_own:
        raise NotAllowed("tractor-own-seeker", f"{target} is one's own: the beam would cost it its tracking", "G7.32")
    if landed:
        raise NotAllowed("tractor-landed", f"{target} is on the planet, where no beam reaches it", "P2.0")
    if range > chart.range:
        raise NotAllowed(
            "tractor-range", f"{target} is {range} hexes away, a tractor beam reaches {chart.range}", "G7.31"
        )


def stands_for(held: Collection[Link], working: int) -> dict[str, Link]:
    """The link of a ship that each entry of its form pays on: TRACTOR A that of beam A. A link whose letter is beyond
    the ``working`` boxes, since one was destroyed, has the first letter that is free (G7.34).
    """
    letters = ascii_uppercase[:working]
    found = {link.beam: link for link in held if link.beam in letters}
    free = (letter for letter in letters if letter not in found)
    return found | dict(zip(free, sorted(link for link in held if link.beam not in letters), strict=False))


def start_of_turn(
    links: Iterable[Link], powered: Mapping[str, int], named: Mapping[str, Collection[str]] | None = None
) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
    """The links kept when a turn begins, and those that end.

    Each ship pays for so many beams (``powered``, by ship); its links beyond that end: first those its form does
    not name (``named``: the beams by which they hold), then the last letters (G7.3, G7.33).
    """
    kept, ended = list[Link](), list[Link]()
    for link in sorted(links, key=lambda link: (link.ship, link.beam not in (named or {}).get(link.ship, ()), link)):
        held = sum(1 for other in kept if other.ship == link.ship)
        (kept if link.ship in powered and held < powered[link.ship] else ended).append(link)
    return tuple(kept), tuple(ended)


def to_release(
    links: Iterable[Link], ship: str, working: int, first: Sequence[str] = (), last: Sequence[str] = ()
) -> tuple[Link, ...]:
    """The links a ship must give up when tractor boxes were destroyed and fewer work than it has links (G7.34).

    The owner names beams to give up ``first``, or ``last``; without a word the last letters go.
    """
    mine = [link for link in links if link.ship == ship]
    order = {beam: number for number, beam in enumerate(first, start=-len(first))}
    order |= {beam: number for number, beam in enumerate(reversed(last), start=1) if beam not in order}
    mine.sort(key=lambda link: link.beam, reverse=True)
    mine.sort(key=lambda link: order.get(link.beam, 0))
    return tuple(mine[: max(0, len(mine) - working)])


def loses_tracking(kind: str, own: bool) -> bool:
    """Whether a drone caught by a beam is removed: by a beam of its own side it loses its target (G7.52)."""
    return own and kind in ("drone", "suicide shuttle")


# --- what a link does -------------------------------------------------------------------------------------


def towed_cost(move_cost: Fraction, freighters: int) -> Fraction:
    """Movement cost of a ship with so many freighters in tow (G7.4)."""
    return move_cost + freighters * charts.tractors().towing


def towing_speed(warp: Fraction | int, impulse: int, move_cost: Fraction, freighters: int) -> int:
    """The speed from so much warp and impulse energy for movement, with so many freighters in tow (G7.4).

    It holds from the moment of the link, and without them again when they are let go (G7.33). Reading: what remains
    of the division is lost.
    """
    return int(warp / towed_cost(move_cost, freighters)) + impulse


def follow(held: str, moved_from: str, moved_to: str, grid: str = EVEN) -> str:
    """The hex a held unit is in after its holder moved one hex: it keeps a parallel course (G7.31C).

    A holder that turns on the spot does not swing it round: same hex in, same hex out.
    """
    way = direction_to(moved_from, moved_to, grid)
    return held if way is None else neighbour(held, way, grid)


def can_strike(held: bool) -> bool:
    """Whether a seeking weapon can hit anything: not while a beam holds it (G7.27, G7.32C)."""
    return not held


# --- its entry of the energy form -------------------------------------------------------------------------


def power(entry: Entry, facts: ShipFacts) -> Powered:
    """``TRACTOR A``: one beam for this turn (G7.15)."""
    letter, cost = letter_of(entry, facts, "tractor", "tractor beam", "G7.15"), energy_for(1)
    points = whole(entry, "G7.15") if entry.parts else cost
    if points not in (0, cost):
        raise NotAllowed("tractor-amount", f"a tractor beam takes {cost} point, not {points}", "G7.15")
    return Powered(points_of(entry) if entry.parts else {"": cost}, Systems(tractors=(letter,) if points else ()))
