"""Checking orders for the ships' systems: tractors, transporters, shuttles, probes.

What a system can never do is refused by the module that plays it; here stands which system an order is for, and
whether the scenario has it at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from pbem.data.scenarios import Chapter
from pbem.engine.checking import check_bays
from pbem.engine.checking.outlook import Outlook
from pbem.engine.steps import science, tractors, transporters
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om


class System(NamedTuple):
    """The chapter of the handbook that a scenario must use for an activity (none: it is always there), what that is
    called, its rule, and what says of an order that it can never be obeyed.
    """

    chapter: Chapter | None
    called: str
    rule: str
    check: Callable[[Outlook, om.Order, om.Activity], Iterator[Fault]]


_BAY = System("shuttles", "shuttles", "J1.0", check_bays.check)
_BEAMS = System("tractors", "tractor beams", "G7.0", tractors.check)

SYSTEMS: dict[type, System] = {
    om.LowerShield: System("transporters", "lowered shields", "G8.22", transporters.check),
    om.Transport: System("transporters", "transporters", "G8.0", transporters.check),
    om.LaunchShuttle: _BAY, om.Recover: _BAY, om.Land: _BAY,
    om.LaunchProbe: System("probes", "probes", "G5.0", science.check),
    om.Tractor: _BEAMS, om.Release: _BEAMS,
}  # fmt: skip
"""What an activity belongs to."""


def check_system(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What of a system's order the rules can never allow. Raises :class:`NotAllowed` or yields faults."""
    system = SYSTEMS[type(activity)]
    if system.chapter and not outlook.scenario.uses(system.chapter):
        raise NotAllowed("not-used", f"{system.called} are not used in this scenario", system.rule)
    yield from system.check(outlook, order, activity)
