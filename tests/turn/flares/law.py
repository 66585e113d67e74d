"""The law of flares: a point each, two a turn; whom they dazzle, and how long."""

from __future__ import annotations

from pbem.faults import NotAllowed
from pbem.rules.energy_terms import Entry, Powered, ShipFacts, Systems, points_of, whole

MOST, LASTS, REACH = 2, 8, 40


def power(entry: Entry, facts: ShipFacts) -> Powered:
    """``FLARE 2``: so many flares this turn."""
    points = whole(entry, "X1.1")
    if points > MOST:
        raise NotAllowed("flares-too-many", f"FLARE {points}: a ship burns {MOST} flares a turn", "X1.1")
    return Powered(points_of(entry), Systems(powered={"flares": points}))


ENERGY = {"FLARE": power}


def verify_flare(*, target: str, own: bool, range: int, powered: int, used: int) -> None:
    """Raises :class:`NotAllowed` unless a flare may be burnt at something now."""
    if own:
        raise NotAllowed("flare-own", f"{target} is one's own: it would be dazzled", "X1.2")
    if used >= powered:
        raise NotAllowed("flare-unpowered", f"{powered} flares have energy, and {used} are burnt", "X1.1")
    if range > REACH:
        raise NotAllowed("flare-range", f"{target} is {range} hexes away, a flare is seen at {REACH}", "X1.3")


def dazzled(since: tuple[int, ...] | None, moment: int) -> int:
    """For how many more impulses a ship is dazzled that was so at some moment."""
    return max(0, LASTS - moment + max(since)) if since else 0
