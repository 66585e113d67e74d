"""The base classes of all events."""

# No `from __future__ import annotations` here: msgspec would have to parse the annotations of every event.

from typing import TypedDict, Unpack

import msgspec

from pbem.data.terms import PulseKind, StepName
from pbem.engine.state import Pulse, State


def _tag(name: str) -> str:
    """Return the tag of an event type in the log: ``SpeedAnnounced`` becomes ``speed_announced``."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class OfPulse(TypedDict, total=False):
    """The optional fields of a :class:`Pulse`, beyond the fields that every pulse has."""

    weapon: str
    kind: str
    shield: int
    boxes: int
    internals: int


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event", tag=_tag):
    """Base class of all events; it stores turn, impulse, step, and the number of the rule applied.

    Impulse 0 is energy allocation.
    """

    turn: int = 0
    impulse: int = 0
    step: StepName = StepName.NONE
    rule: str = ""

    def moment(self, state: State) -> int:
        """Return the moment of the event: impulses since the start of the game."""
        return (self.turn - 1) * state.impulses + self.impulse

    def in_its_turn(self, state: State) -> int:
        """Return the time of the event in impulses since the start of the game, never before its own turn.

        Use this time for actions that are allowed once per turn. An event before impulse 1 of a turn gets the time of
        impulse 1, whereas :meth:`moment` would return the time of the last impulse of the previous turn.
        """
        return (self.turn - 1) * state.impulses + max(1, self.impulse)

    def apply(self, state: State) -> State:
        """Return the state after the event has changed it."""
        raise NotImplementedError

    def pulse(self, state: State, what: PulseKind, unit: str, **more: Unpack[OfPulse]) -> State:
        """Return the state with a new pulse added: a shot, a launch or damage, for conditions of orders.

        Conditions may ask about a pulse for one impulse, or until a ship's next move. ``what`` says whether it is a
        shot, a launch or damage; ``unit`` is the unit that fired, launched or was damaged.
        """
        moment = self.moment(state)
        began = (self.turn - 1) * state.impulses
        kept = tuple(pulse for pulse in state.recent if pulse.moment >= min(moment - 1, began + 1))
        pulse = Pulse(moment=moment, step=self.step, what=what, unit=unit, **more)
        return msgspec.structs.replace(state, recent=(*kept, pulse))


class Notice(Event, frozen=True, kw_only=True):
    """Base class of events that only report something and do not change the state."""

    def apply(self, state: State) -> State:
        """Return the state unchanged."""
        return state
