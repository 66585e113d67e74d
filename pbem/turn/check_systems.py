"""Checking orders for the ships' systems: tractors, transporters, shuttles, probes.

What a system can never do is refused by the module that plays it; here stands which system an order is for, and
whether the scenario has it at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data.scenarios import Chapter
from pbem.faults import Fault, NotAllowed
from pbem.orders import model as om
from pbem.turn import check_bays, science, tractors, transporters
from pbem.turn.outlook import Outlook

SYSTEMS: dict[type, tuple[Chapter, str, str]] = {
    om.Tractor: ("tractors", "tractor beams", "G7.0"),
    om.Release: ("tractors", "tractor beams", "G7.0"),
    om.LowerShield: ("transporters", "lowered shields", "G8.22"),
    om.Transport: ("transporters", "transporters", "G8.0"),
    om.LaunchShuttle: ("shuttles", "shuttles", "J1.0"),
    om.Recover: ("shuttles", "shuttles", "J1.0"),
    om.Land: ("shuttles", "shuttles", "J1.0"),
    om.LaunchProbe: ("probes", "probes", "G5.0"),
}
"""The chapter of the handbook that a scenario must use for an activity, what that is called, and its rule."""


def check_system(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of a system's order the rules can never allow. Raises :class:`NotAllowed` or yields faults."""
    chapter, what, rule = SYSTEMS[type(activity)]
    if not outlook.scenario.uses(chapter):
        raise NotAllowed("not-used", f"{what} are not used in this scenario", rule)
    if chapter == "tractors":
        yield from tractors.check(outlook, order, activity)
    elif chapter == "transporters":
        yield from transporters.check(outlook, order, activity)
    elif chapter == "shuttles":
        yield from check_bays.check(outlook, order, activity)
    else:
        yield from science.check(outlook, order, activity)
