"""The log through one reader's eyes: which events he sees, which are news to him, and how each is told."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.engine import events as ev
from pbem.reports.text import words
from pbem.reports.view import view


class Seen(msgspec.Struct, frozen=True):
    """One event as its reader sees it: its number, the one side that may know it, and whether it is news to him."""

    n: int
    event: ev.AnyEvent
    private: str
    fresh: bool


def seen_by(records: Sequence[ev.Record], side: str, turn: int | None) -> list[Seen]:
    """The reader's form of every record; what happened since the last sitrep but one request ago is news to him."""
    seen: list[Seen] = []
    for record in records:
        event = ev.seen_by(record, side)
        if event is not None and (turn is None or event.turn <= turn):
            # Of a move or a shot only the plot and the energy are hidden, which no sentence tells.
            told_all = isinstance(event, ev.Moved | ev.Fired)
            private = record.only if event is record.event and not told_all else ""
            # Gaps in the numbers would tell how much was hidden in between.
            number = record.n if side == ev.UMPIRE else len(seen) + 1
            seen.append(Seen(number, event, private, False))
    if not side:
        # A spectator had no sitrep: what he has not heard yet is the turn he looks at.
        shown = turn_shown(seen)
        return [msgspec.structs.replace(item, fresh=item.event.turn >= shown) for item in seen]
    asked = [place for place, item in enumerate(seen) if isinstance(item.event, ev.Requested)]
    if asked and not any(words.words_for(item.event).place != "log" for item in seen[asked[-1] :]):
        asked.pop()
    news_from = min(_told_with_acts(seen, asked[-1] + 1 if asked else 0), _repeated_from(seen))
    return [*seen[:news_from], *(Seen(item.n, item.event, item.private, True) for item in seen[news_from:])]


def _told_with_acts(seen: Sequence[Seen], start: int) -> int:
    """Where the news begin that begin with a request. What the umpire did before it was answered was told by a sitrep
    of its own: where play went on since, only that is news. That dice were passed over is told with the play itself.
    """
    plays = ev.SegmentBegan | ev.DicePassed
    began = next((place for place in range(start, len(seen)) if isinstance(seen[place].event, plays)), start)
    return began if any(isinstance(item.event, ev.ACTS) for item in seen[start:began]) else start


def _repeated_from(seen: Sequence[Seen]) -> int:
    """Where the umpire had play repeated, if nothing has been played beyond that: all of it is news then."""
    for place in reversed(range(len(seen))):
        event = seen[place].event
        if isinstance(event, ev.Reran):
            played = [item.event.segment for item in seen[place:] if isinstance(item.event, ev.SegmentBegan)]
            return place if all(segment <= event.through for segment in played) else len(seen)
    return len(seen)


def turn_shown(seen: Sequence[Seen]) -> int:
    """The turn the tables tell of: the last one in which anything happened."""
    return max((s.event.turn for s in seen if words.words_for(s.event).place != "log"), default=0) or max(
        (s.event.turn for s in seen), default=0
    )


def said_of(item: Seen) -> view.Said:
    """An event as reports tell it."""
    event = item.event
    rule = words.rule_of(event)
    dice = tuple(
        view.Die(label=label, die=die, meaning=meaning, rule=rule, turn=event.turn, impulse=event.impulse)
        for label, die, meaning in words.dice(event)
    )
    return view.Said(
        n=item.n,
        turn=event.turn,
        impulse=event.impulse,
        step=event.step,
        kind=_kind(event),
        place=words.words_for(event).place,
        text=words.sentence(event),
        rule=rule,
        units=words.units_in(event),
        fresh=item.fresh,
        private=item.private,
        die=dice[0] if dice else None,
        more_dice=dice[1:],
    )


def _kind(event: ev.AnyEvent) -> str:
    tag = type(event).__struct_config__.tag
    return str(tag)
