"""What the umpire does between two requests: play taken back or played again, rulings, house rules, the end by ruling.

No rule decides these, so each says why; and ``by``, the side its umpire plays himself, where he does.
"""

# Annotations are not put off: see pbem/engine/state.py.

import msgspec

from pbem.engine import rulings
from pbem.engine.changes import put
from pbem.engine.events.base import Event, Notice
from pbem.engine.options import Options
from pbem.engine.state import Outcome, Position, Request, Shuttle, State
from pbem.engine.state_paths import NoPath

replace = msgspec.structs.replace


class Undone(Event, frozen=True, kw_only=True, tag="undone"):
    """The umpire took play back: records after ``to`` no longer count; they stay in the log.

    ``segment`` is the number of dice segments used so far, those taken back included: no link is used twice.
    """

    to: int
    reason: str
    segment: int
    by: str = ""

    def apply(self, state: State) -> State:
        return replace(state, segment=max(state.segment, self.segment))


class Reran(Event, frozen=True, kw_only=True, tag="reran"):
    """The umpire had play repeated: records after ``to`` no longer count, as with ``undone``, and the dice are kept.

    The segments after ``segment`` up to ``through`` are the repetition. A die whose moment one of the segments ``kept``
    covered is rolled with the key of that segment, any other with the new segment's own. ``newer`` says that the
    rules have been mended since: what was played before would come out otherwise now, and is not replayed. ``since`` is
    the request it begins with, in words.
    """

    to: int
    reason: str
    segment: int
    through: int
    kept: tuple[int, ...]
    since: str
    newer: bool = False
    by: str = ""

    def apply(self, state: State) -> State:
        return replace(state, segment=max(state.segment, self.segment))


class DicePassed(Event, frozen=True, kw_only=True, tag="dice_passed"):
    """A backup of the game was put back, and play goes on otherwise than it went since: the links of the dice chain
    that were told are passed over, up to that of ``segment``.

    ``told`` is the last segment that players are known to have been told of; 0 where nobody knows. Then ``fresh`` is
    the hash of a new secret word, which goes into the salts of all segments that follow.
    """

    segment: int
    told: int = 0
    why: str = ""
    fresh: str = ""

    def apply(self, state: State) -> State:
        return replace(state, segment=max(state.segment, self.segment))


class Adjusted(Event, frozen=True, kw_only=True, tag="adjusted"):
    """The umpire put a unit elsewhere: hex and facing, and why. Not played, but logged."""

    unit: str
    at: str
    why: str
    by: str = ""

    def apply(self, state: State) -> State:
        """The track begins anew, turn modes are what they were."""
        unit = state.units.get(self.unit)
        if unit is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        lifted = {"landed": ""} if isinstance(unit, Shuttle) and here.hex != unit.hex else {}
        return put(state, replace(unit, hex=here.hex, facing=here.facing, track=(here,), **lifted))


class Ruled(Event, frozen=True, kw_only=True, tag="ruled"):
    """The umpire set a part of a unit (``path`` as in the rule cases' state paths), which was something else, and why.

    Of what only its owner may know the others see that there was a ruling about the unit: no path, no reason.
    """

    unit: str
    path: str = ""
    value: str | int | float | bool = ""
    was: str | int | float | bool = ""
    why: str = ""
    by: str = ""

    def apply(self, state: State) -> State:
        if self.unit not in state.units:
            return state
        try:
            return rulings.put(state, self.unit, self.path, self.value)
        except NoPath:
            return state  # a reader who is not told of which part, or does not know that part of the unit


class OptionsRuled(Event, frozen=True, kw_only=True, tag="options_ruled"):
    """The umpire changed options of the game from now on (``changed``: key and value); ``options`` are all of them.

    ``request`` is the request in force where it now asks for something else.
    """

    changed: dict[str, str]
    options: Options
    why: str
    request: Request | None = None
    by: str = ""

    def apply(self, state: State) -> State:
        request = self.request or state.request
        return replace(state, options=self.options, request=request, last_request=self.request or state.last_request)


class HouseRuled(Notice, frozen=True, kw_only=True, tag="house_ruled"):
    """The umpire made a ruling in words, which stands from now on; or, ``withdrawn``, one no longer stands."""

    number: int
    text: str
    why: str = ""
    withdrawn: bool = False
    by: str = ""


class Decided(Event, frozen=True, kw_only=True, tag="decided"):
    """The umpire ended the game with this outcome; without one, a game he had ended goes on."""

    outcome: tuple[Outcome, ...]
    why: str
    by: str = ""

    def apply(self, state: State) -> State:
        if self.outcome:
            return replace(state, outcome=self.outcome, over=True, request=None)
        return rulings.asked_anew(replace(state, outcome=(), over=False, request=state.last_request))


ACTS = (Undone, Reran, DicePassed, Adjusted, Ruled, OptionsRuled, HouseRuled, Decided)
"""All of them."""
