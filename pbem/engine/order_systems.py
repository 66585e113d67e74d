"""For each ship system, how its orders are checked and which orders forms and drafts offer.

The module that plays the orders for a system registers the system in :data:`SYSTEMS`. The order check, the order form
and the draft find it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from pbem.data.scenarios import Chapter, Scenario
from pbem.engine.checking.outlook import Outlook
from pbem.engine.state import AnyUnit, Request, Ship, State
from pbem.errors import Fault, NotAllowed
from pbem.orders import model as om
from pbem.orders.activities import VERBS


class CandidateOrder(msgspec.Struct, frozen=True):
    """A candidate for one line of DO, not yet checked by the rules.

    ``kind`` is the group in which the order is listed, ``text`` its text. ``names`` is the unit that the order names,
    if any.
    """

    kind: str
    text: str
    names: str = ""


Hint = tuple[str, str]
"""An order line to offer in the draft, and a remark on it."""


def _nothing(*facts: object) -> Iterator[CandidateOrder]:
    """Yield nothing; used for systems for which no candidate orders are listed."""
    yield from ()


def _no_hints(*facts: object) -> Iterator[Hint]:
    """Yield nothing; used for systems that offer no lines in the draft."""
    yield from ()


class System(NamedTuple):
    """A ship system, with the functions that the engine needs for orders that use the system.

    Attributes:
        chapter: The handbook chapter that a scenario must use for the system to exist; ``None`` if it always exists.
        called: The name of the system in messages.
        rule: The rule number of the system.
        check: The function that yields the faults of an order for the system that can never be legal.
        offers: The function that yields candidate orders of a ship; its last argument are all other units on the map.
        drafts: The function that yields lines to offer in a ship's draft.
    """

    chapter: Chapter | None
    called: str
    rule: str
    check: Callable[[Outlook, om.Order, om.Activity], Iterator[Fault]]
    offers: Callable[[State, Ship, list[AnyUnit]], Iterator[CandidateOrder]] = _nothing
    drafts: Callable[[State, Request, Ship], Iterator[Hint]] = _no_hints


SYSTEMS: dict[type[om.Activity], System] = {}
"""Dict of each kind of order to the system that it is for."""


def systems_of(scenario: Scenario) -> Iterator[System]:
    """Yield the systems that a scenario uses, each once, in the order of the verbs of the order language."""
    for system in dict.fromkeys(SYSTEMS[kind] for kind in VERBS.values() if kind in SYSTEMS):
        if system.chapter is None or scenario.uses(system.chapter):
            yield system


def check_system(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """Yield the faults of an order for a system that can never be legal.

    Raises:
        NotAllowed: A rule forbids the order.
    """
    system = SYSTEMS[type(activity)]
    if system.chapter and not outlook.scenario.uses(system.chapter):
        raise NotAllowed("not-used", f"this scenario does not use {system.called}", system.rule)
    yield from system.check(outlook, order, activity)
