"""The orders and keys from which the dice of a segment are computed, and the dice of reruns.

A segment is the play from one request for orders to the next. Its dice key depends on the hashes of all orders in
it. In a rerun (:class:`pbem.engine.events.Reran`), earlier keys are used again; this module finds these keys and the
part of play for which each is used.
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
    """Return a dict of side to the orders that are in force in the next segment of play.

    These are the new answers. For sides that answered CONTINUE or were not asked, they are the present orders.
    """
    standing = {side: orders.text for side, orders in state.standing.items()}
    return {**standing, **{side: text for side, text in texts.items() if text != CONTINUE}}


def seals_of(source: dice.KeySource, state: State, texts: Mapping[str, str]) -> dict[str, str]:
    """Return a dict of side to the salted hash (hex) of the orders in force in the next segment of play."""
    request = state.request
    assert request is not None
    number = state.segment + 1
    return {
        side: dice.sealed(text, source.salt(request.turn, request.number, side, number))
        for side, text in in_force(state, texts).items()
    }


def sealed_orders(
    source: dice.KeySource, state: State, texts: Mapping[str, str], beacon: str = ""
) -> tuple[dict[str, Filed], bytes]:
    """Return the answers in the form in which the log stores them, and the dice key that they determine.

    Args:
        source: The source of the links of the dice chain.
        state: The state before the segment.
        texts: The answers in normal form, by side.
        beacon: The value of the public beacon, for dice that use one.

    Raises:
        GameError: All links of the dice chain are used.
    """
    number = state.segment + 1
    try:
        link = source.link(number)
    except ValueError as error:
        raise GameError.saying("dice-spent", f"{error}; the game cannot go on") from error
    seals = seals_of(source, state, texts)
    key = dice.segment_key(link, state.game, number, sorted(seals.items()), scheme=source.scheme, beacon=beacon)
    return {side: Filed(text=text, sealed=seals[side]) for side, text in texts.items()}, key


SequencePlace = tuple[int, int, int]
"""A point in the sequence of play, as turn, impulse and number of the step."""


class LoggedSegment(msgspec.Struct, frozen=True, kw_only=True):
    """One segment of play, i.e. the play from one request for orders to the next, as recorded in the log.

    Attributes:
        number: Number of the segment.
        before: The state before it.
        after: The state after it.
        texts: The orders with which it was played, by side.
        beacon: The value of the public beacon that was used; empty if none was.
        kept: The numbers of the segments whose dice it used again.
    """

    number: int
    before: State
    after: State
    texts: dict[str, str]
    beacon: str
    kept: tuple[int, ...]


def kept_by(records: Sequence[Record], number: int) -> tuple[int, ...]:
    """Return the segments whose dice segment ``number`` uses again, because the umpire ordered a rerun.

    A segment is the play between two requests for orders. ``records`` is the log without records that were taken back.
    The result is empty if there was no such rerun.
    """
    for record in reversed(records):
        event = record.event
        if isinstance(event, Undone):
            return ()  # new orders are requested, from players who know those dice
        if isinstance(event, Reran) and event.segment < number <= event.through:
            return event.kept
    return ()


def cut(records: Sequence[Record]) -> list[list[Record]]:
    """Return the log in parts: the set-up, then each segment of play and each action of the umpire."""
    found: list[list[Record]] = [[]]
    for record in records:
        if isinstance(record.event, (SegmentBegan, *ACTS)):
            found.append([])
        found[-1].append(record)
    return found


def texts_of(stretch: Sequence[Record]) -> dict[str, str]:
    """Return the orders with which a segment was played, as a dict by side; ``stretch`` are its log records."""
    return {record.event.side: record.event.text for record in stretch if isinstance(record.event, OrdersFiled)}


def logged_segments(records: Sequence[Record]) -> dict[int, LoggedSegment]:
    """Return all segments in a log as a dict by number, including those that were taken back."""
    found: dict[int, LoggedSegment] = {}
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
            found[began.segment] = LoggedSegment(
                number=began.segment, before=before, after=state, texts=texts_of(part), beacon=began.beacon,
                kept=began.kept,
            )  # fmt: skip
    return found


def kept_dice(source: dice.KeySource, records: Sequence[Record], kept: Sequence[int], own: dice.Dice) -> dice.Dice:
    """Return the dice of a segment in a rerun.

    For points of play that the earlier segments (``kept``) reached, the earlier dice are used. For all other points,
    the dice ``own`` are used.
    """
    played = logged_segments(records)

    def dice_of(number: int) -> dice.Dice:
        one = played[number]
        _, key = sealed_orders(source, one.before, one.texts, one.beacon)
        return _spanned(dice.SegmentDice(key, number), one.kept)

    def _spanned(own: dice.Dice, kept: Sequence[int]) -> dice.Dice:
        spans = [dice.DiceSpan(place_of(played[n].before), place_of(played[n].after), dice_of(n)) for n in kept]
        return dice.KeptDice(own, spans) if spans else own

    return _spanned(own, kept)


def place_of(state: State) -> SequencePlace:
    """Return the point in the sequence of play from which a game continues.

    For a finished game the result is a point after all others.
    """
    if state.request is None:
        return dice.ENDLESS
    if state.request.turn != state.turn:
        return (state.request.turn, 0, 0)
    return dice.place(state.turn, state.impulse, state.step)
