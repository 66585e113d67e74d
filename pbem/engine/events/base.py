"""What every event has in common."""

# Annotations are not put off here (nor in state.py): msgspec would read each of them from its text, for every event.

from typing import TypedDict, Unpack

import msgspec

from pbem.data.terms import PulseKind, StepName
from pbem.engine.state import Pulse, State


def _tag(name: str) -> str:
    """``SpeedAnnounced`` -> ``speed_announced``."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class OfPulse(TypedDict, total=False):
    """What a :class:`Pulse` may say beyond its unit."""

    weapon: str
    kind: str
    shield: int
    boxes: int
    internals: int


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event", tag=_tag):
    """What every event has: turn, impulse (0 = energy allocation), step, and the rule it follows."""

    turn: int = 0
    impulse: int = 0
    step: StepName = StepName.NONE
    rule: str = ""

    def moment(self, state: State) -> int:
        """Impulses since the start of the game at which it happened."""
        return (self.turn - 1) * state.impulses + self.impulse

    def in_its_turn(self, state: State) -> int:
        """The moment as it counts for what may be done once a turn: what happens before the first impulse of a turn
        belongs to that turn, and not to the last impulse of the one before.
        """
        return (self.turn - 1) * state.impulses + max(1, self.impulse)

    def apply(self, state: State) -> State:
        """What it does to a state."""
        raise NotImplementedError

    def pulse(self, state: State, what: PulseKind, unit: str, **more: Unpack[OfPulse]) -> State:
        """Remember a shot, launch or damage for the conditions that may ask about it: within an impulse, or until a
        ship's next move.
        """
        moment = self.moment(state)
        began = (self.turn - 1) * state.impulses
        kept = tuple(pulse for pulse in state.recent if pulse.moment >= min(moment - 1, began + 1))
        pulse = Pulse(moment=moment, step=self.step, what=what, unit=unit, **more)
        return msgspec.structs.replace(state, recent=(*kept, pulse))


class Notice(Event, frozen=True, kw_only=True):
    """An event that only tells something: the state stays as it is."""

    def apply(self, state: State) -> State:
        return state
