"""What every event has in common. The events themselves: :mod:`pbem.game.events`."""

from __future__ import annotations

import msgspec

from pbem.values.words import StepName


def _tag(name: str) -> str:
    """``SpeedAnnounced`` -> ``speed_announced``."""
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="event", tag=_tag):
    """What every event has: turn, impulse (0 = energy allocation), step, and the rule it follows."""

    turn: int = 0
    impulse: int = 0
    step: StepName = StepName.NONE
    rule: str = ""
