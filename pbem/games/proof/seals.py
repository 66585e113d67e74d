"""Sealed orders: what of every side goes into the key of a segment's dice.

Play that is repeated with the dice kept: which segments' keys hold, and for which moments (:class:`Reran`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from pbem.engine import dice, log
from pbem.engine.events import ACTS, OrdersFiled, Record, Reran, SegmentBegan, Undone
from pbem.engine.log import fold_records
from pbem.engine.play.resolve import Filed
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.answers import CONTINUE


def in_force(state: State, texts: Mapping[str, str]) -> dict[str, str]:
    """Every side's orders for the coming segment: new answers, and the standing ones of CONTINUE and of
    sides not asked.
    """
    standing = {side: orders.text for side, orders in state.standing.items()}
    return {**standing, **{side: text for side, text in texts.items() if text != CONTINUE}}


def seals_of(source: dice.Source, state: State, texts: Mapping[str, str]) -> dict[str, str]:
    """The salted hash of every side's orders for the segment that answers the request in force, in hex by side."""
    request = state.request
    assert request is not None
    number = state.segment + 1
    return {
        side: dice.sealed(text, source.salt(request.turn, request.number, side, number))
        for side, text in in_force(state, texts).items()
    }


def sealed_orders(
    source: dice.Source, state: State, texts: Mapping[str, str], beacon: str = ""
) -> tuple[dict[str, Filed], bytes]:
    """The answers as they are filed, and the key of the dice that follows from them."""
    number = state.segment + 1
    try:
        link = source.link(number)
    except ValueError as error:
        raise GameError.saying("dice-spent", f"{error}; the game cannot go on") from error
    seals = seals_of(source, state, texts)
    key = dice.segment_key(link, state.game, number, sorted(seals.items()), scheme=source.scheme, beacon=beacon)
    return {side: Filed(text=text, sealed=seals[side]) for side, text in texts.items()}, key


Place = tuple[int, int, int]
"""A place in the sequence of play: turn, impulse, number of the step."""


class Stretch(msgspec.Struct, frozen=True, kw_only=True):
    """A segment as it was played: the state it began from and ended in, its orders, and the segments whose dice it
    kept itself.
    """

    number: int
    before: State
    after: State
    texts: dict[str, str]
    beacon: str
    kept: tuple[int, ...]


def kept_by(records: Sequence[Record], number: int) -> tuple[int, ...]:
    """The segments whose dice the segment ``number`` keeps, if the umpire has play repeated there; ``records`` are
    those that count.
    """
    for record in reversed(records):
        event = record.event
        if isinstance(event, Undone):
            return ()  # orders are asked for anew, of players who know those dice
        if isinstance(event, Reran) and event.segment < number <= event.through:
            return event.kept
    return ()


def cut(records: Sequence[Record]) -> list[list[Record]]:
    """The log in stretches: the set-up, then each segment and each act of the umpire."""
    found: list[list[Record]] = [[]]
    for record in records:
        if isinstance(record.event, (SegmentBegan, *ACTS)):
            found.append([])
        found[-1].append(record)
    return found


def texts_of(stretch: Sequence[Record]) -> dict[str, str]:
    """The orders a segment was played with, by side."""
    return {record.event.side: record.event.text for record in stretch if isinstance(record.event, OrdersFiled)}


def stretches(records: Sequence[Record]) -> dict[int, Stretch]:
    """Every segment of a log, those taken back too, by number."""
    found: dict[int, Stretch] = {}
    state, so_far = State(), list[Record]()
    for part in cut(sorted(records, key=lambda record: record.n)):
        before, began = state, part[0].event if part else None
        so_far += part
        if isinstance(began, Undone | Reran):
            so_far = log.effective(so_far)
            state = fold_records(so_far)
        else:
            state = fold_records(part, state)
        if isinstance(began, SegmentBegan):
            found[began.segment] = Stretch(
                number=began.segment, before=before, after=state, texts=texts_of(part), beacon=began.beacon,
                kept=began.kept,
            )  # fmt: skip
    return found


def kept_dice(source: dice.Source, records: Sequence[Record], kept: Sequence[int], own: dice.Dice) -> dice.Dice:
    """The dice of a segment that keeps those of others: theirs at the moments they covered, else its ``own``."""
    played = stretches(records)

    def dice_of(number: int) -> dice.Dice:
        one = played[number]
        _, key = sealed_orders(source, one.before, one.texts, one.beacon)
        return _spanned(dice.SegmentDice(key, number), one.kept)

    def _spanned(own: dice.Dice, kept: Sequence[int]) -> dice.Dice:
        spans = [dice.Span(place_of(played[n].before), place_of(played[n].after), dice_of(n)) for n in kept]
        return dice.KeptDice(own, spans) if spans else own

    return _spanned(own, kept)


def place_of(state: State) -> Place:
    """Where play goes on from a request: behind everything in a game that is over."""
    if state.request is None:
        return dice.ENDLESS
    if state.request.turn != state.turn:
        return (state.request.turn, 0, 0)
    return dice.place(state.turn, state.impulse, state.step)
