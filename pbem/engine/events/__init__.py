"""All event types of a game, and the log record.

State, reports, replay and saves are computed from the log alone. Each event says when it happened (turn, impulse, step
of the sequence of play) and by which rule. :meth:`Event.apply` returns the state after it; a :class:`Notice` changes
nothing. Events are also applied to what one side knows. So an event may not assume that the state contains a unit, or
that a side has seen what only another side may see.

The :class:`Record` of a secret event names in ``only`` the side that may see it. The event that the other sides see
instead is recorded at the same time in ``shown``, so that reports need not hide anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from pbem.engine.events.base import Event as Event, Notice as Notice
from pbem.engine.events.energy import (
    EnergyAllotted as EnergyAllotted,
    LockedOn as LockedOn,
    Readied as Readied,
    Repaired as Repaired,
    ReserveSpent as ReserveSpent,
    RobotReadied as RobotReadied,
    SpeedAnnounced as SpeedAnnounced,
)
from pbem.engine.events.movement import (
    Cloaked as Cloaked,
    Guided as Guided,
    Maneuvered as Maneuvered,
    Moved as Moved,
    Turned as Turned,
)
from pbem.engine.events.setup import (
    Broke as Broke,
    Chose as Chose,
    Conceded as Conceded,
    GameEnded as GameEnded,
    GameStarted as GameStarted,
    Marked as Marked,
    OrdersFiled as OrdersFiled,
    OrderTold as OrderTold,
    Requested as Requested,
    SegmentBegan as SegmentBegan,
    Stopped as Stopped,
    TurnBegan as TurnBegan,
    TurnEnded as TurnEnded,
    UnitPlaced as UnitPlaced,
)
from pbem.engine.events.systems import (
    Attacked as Attacked,
    Boarded as Boarded,
    BoardingFought as BoardingFought,
    Captured as Captured,
    Collided as Collided,
    Learned as Learned,
    MethodFound as MethodFound,
    Mutinied as Mutinied,
    ProbeLaunched as ProbeLaunched,
    Released as Released,
    ShieldLowered as ShieldLowered,
    ShieldRaised as ShieldRaised,
    ShuttleLanded as ShuttleLanded,
    ShuttleLaunched as ShuttleLaunched,
    TakenOver as TakenOver,
    Towed as Towed,
    Tractored as Tractored,
    Transported as Transported,
    UnitDamaged as UnitDamaged,
)
from pbem.engine.events.umpire import (
    ACTS as ACTS,
    Adjusted as Adjusted,
    Decided as Decided,
    DicePassed as DicePassed,
    HouseRuled as HouseRuled,
    OptionsRuled as OptionsRuled,
    Reran as Reran,
    Ruled as Ruled,
    Undone as Undone,
)
from pbem.engine.events.weapons import (
    Damaged as Damaged,
    Destroyed as Destroyed,
    Fired as Fired,
    Impact as Impact,
    InternalHit as InternalHit,
    Launched as Launched,
    Removed as Removed,
    Rolled as Rolled,
    SeekerDamaged as SeekerDamaged,
    Struck as Struck,
    Volley as Volley,
)


def kinds(of: type[Event] = Event) -> Iterator[type[Event]]:
    """Yield all event classes, without the base class :class:`Notice`."""
    for kind in of.__subclasses__():
        if kind is not Notice:
            yield kind
        yield from kinds(kind)


if TYPE_CHECKING:
    AnyEvent: TypeAlias = Event
else:
    AnyEvent = reduce(or_, kinds())


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One record of the log: an event and its number ``n``, which counts from 1 over the whole game.

    ``only`` is the side that may see ``event``; if empty, everybody may. ``shown`` is the event that the other
    sides see instead, if any.
    """

    n: int
    event: AnyEvent
    only: str = ""
    shown: AnyEvent | None = None


UMPIRE = "umpire"
"""The name used for a reader who may see everything, such as the umpire."""


def seen_by(record: Record, side: str) -> AnyEvent | None:
    """Return the event of a record as ``side`` may see it; ``None`` if the side may not see it at all.

    For spectators ``side`` is ``""``.
    """
    if not record.only or side in (record.only, UMPIRE):
        return record.event
    return record.shown
