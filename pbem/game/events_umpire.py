"""What the umpire does between two requests: play taken back or played again, rulings, house rules, the end by ruling.

No rule decides these, so each says why. They are part of :mod:`pbem.game.events`, which is where to import them from.
"""

from __future__ import annotations

from pbem.game.event import Event
from pbem.game.options import Options
from pbem.game.state import Outcome, Request


class Undone(Event, frozen=True, kw_only=True):
    """The umpire took play back: records after ``to`` no longer count; they stay in the log.

    ``segment`` is the number of dice segments used so far, those taken back included: no link is used twice.
    """

    to: int
    reason: str
    segment: int


class Reran(Event, frozen=True, kw_only=True):
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


class Adjusted(Event, frozen=True, kw_only=True):
    """The umpire put a unit elsewhere: hex and facing, and why. Not played, but logged."""

    unit: str
    at: str
    why: str


class Ruled(Event, frozen=True, kw_only=True):
    """The umpire set a part of a unit (``path`` as in the rule cases' state paths), which was something else, and why.

    Of what only its owner may know the others see that there was a ruling about the unit: no path, no reason.
    """

    unit: str
    path: str = ""
    value: str | int | float | bool = ""
    was: str | int | float | bool = ""
    why: str = ""


class OptionsRuled(Event, frozen=True, kw_only=True):
    """The umpire changed options of the game from now on (``changed``: key and value); ``options`` are all of them.

    ``request`` is the request in force where it now asks for something else.
    """

    changed: dict[str, str]
    options: Options
    why: str
    request: Request | None = None


class HouseRuled(Event, frozen=True, kw_only=True):
    """The umpire made a ruling in words, which stands from now on; or, ``withdrawn``, one no longer stands."""

    number: int
    text: str
    why: str = ""
    withdrawn: bool = False


class Decided(Event, frozen=True, kw_only=True):
    """The umpire ended the game with this outcome; without one, a game he had ended goes on."""

    outcome: tuple[Outcome, ...]
    why: str


ACTS = (Undone, Reran, Adjusted, Ruled, OptionsRuled, HouseRuled, Decided)
"""All of them."""
