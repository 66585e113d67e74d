"""Event classes for acts of the umpire between two requests for orders.

The umpire may undo or repeat play, make rulings and house rules, and end the game. No rule number applies to these
acts, so each event gives a reason instead. ``by`` is the side that the umpire plays, if the umpire plays one.
"""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

import msgspec

from pbem.engine import rulings
from pbem.engine.changes import put_unit
from pbem.engine.events.base import Event, Notice
from pbem.engine.options import Options
from pbem.engine.state import Outcome, Position, Request, Shuttle, State
from pbem.engine.state_paths import NoPath

replace = msgspec.structs.replace


class Undone(Event, frozen=True, kw_only=True, tag="undone"):
    """Event: the umpire cancelled all play after a certain record of the log.

    Records after number ``to`` no longer count, but stay in the log. ``segment`` is the number of dice segments used so
    far, including those cancelled. A segment is the play between two requests for orders. The number ensures that no
    link (hash) of the dice chain is used twice.
    """

    to: int
    reason: str
    segment: int
    by: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the number of dice segments used."""
        return replace(state, segment=max(state.segment, self.segment))


class Reran(Event, frozen=True, kw_only=True, tag="reran"):
    """Event: the umpire had play repeated with the same dice.

    Records after number ``to`` no longer count, as with :class:`Undone`. A segment is the play between two requests for
    orders; the segments after ``segment`` up to ``through`` are the repetition. ``kept`` are the earlier segments whose
    dice keys are used again. A die rolled in a part of the game that one of these segments covered uses the key of that
    segment; any other die uses the key of the new segment. ``newer`` is true if the program's rules were corrected
    since the earlier play, which would have a different result now and is therefore not replayed. ``since`` describes
    in words the request with which the repetition begins.
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
        """Return the state with the number of dice segments used."""
        return replace(state, segment=max(state.segment, self.segment))


class DicePassed(Event, frozen=True, kw_only=True, tag="dice_passed"):
    """Event: a backup of the game was restored, and links of the dice chain are skipped.

    Play after the restored backup may go differently than it did the first time. The links up to that of ``segment``
    are skipped, because players know the dice made from them. ``told`` is the number of the last segment that players
    are known to have seen; 0 if unknown.
    """

    segment: int
    told: int = 0
    why: str = ""
    fresh: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the number of dice segments used."""
        return replace(state, segment=max(state.segment, self.segment))


class Adjusted(Event, frozen=True, kw_only=True, tag="adjusted"):
    """Event: the umpire moved a unit to a hex and facing, with the reason.

    The change of position is logged, but does not count as movement.
    """

    unit: str
    at: str
    why: str
    by: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the unit at its new position.

        The track (recorded positions) of the unit starts again there. Its hex counts for turn mode and slip mode do not
        change.
        """
        unit = state.units.get(self.unit)
        if unit is None:
            return state
        here = Position(self.moment(state), self.at[:4], self.at[4:])
        lifted = {"landed": ""} if isinstance(unit, Shuttle) and here.hex != unit.hex else {}
        return put_unit(state, replace(unit, hex=here.hex, facing=here.facing, track=(here,), **lifted))


class Ruled(Event, frozen=True, kw_only=True, tag="ruled"):
    """Event: the umpire set one property of a unit, with the reason; ``was`` is the earlier value.

    ``path`` names the property in the notation of rule cases. If the property is secret, the other sides see only that
    a ruling about the unit was made, without path and reason.
    """

    unit: str
    path: str = ""
    value: str | int | float | bool = ""
    was: str | int | float | bool = ""
    why: str = ""
    by: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the property set.

        If the state is the view of a side that may not know the property, it is returned unchanged.
        """
        if self.unit not in state.units:
            return state
        try:
            return rulings.set_path(state, self.unit, self.path, self.value)
        except NoPath:
            return state  # the reader may not know the path, or does not know this part of the unit


class OptionsRuled(Event, frozen=True, kw_only=True, tag="options_ruled"):
    """Event: the umpire changed options of the game from now on.

    ``changed`` holds the new values by key, ``options`` all options. ``request`` is the open request for orders if
    the new options change it.
    """

    changed: dict[str, str]
    options: Options
    why: str
    request: Request | None = None
    by: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the options and the request set."""
        request = self.request or state.request
        return replace(state, options=self.options, request=request, last_request=self.request or state.last_request)


class HouseRuled(Notice, frozen=True, kw_only=True, tag="house_ruled"):
    """Event: the umpire wrote a house rule that applies from now on.

    If ``withdrawn`` is true, the rule no longer applies.
    """

    number: int
    text: str
    why: str = ""
    withdrawn: bool = False
    by: str = ""


class Decided(Event, frozen=True, kw_only=True, tag="decided"):
    """Event: the umpire ended the game with this outcome.

    With an empty ``outcome``, a game that the umpire had ended goes on.
    """

    outcome: tuple[Outcome, ...]
    why: str
    by: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the game over, or with the last request for orders open again."""
        if self.outcome:
            return replace(state, outcome=self.outcome, over=True, request=None)
        return rulings.adjust_request(replace(state, outcome=(), over=False, request=state.last_request))


ACTS = (Undone, Reran, DicePassed, Adjusted, Ruled, OptionsRuled, HouseRuled, Decided)
"""All types of events that the umpire causes."""
