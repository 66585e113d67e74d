"""Drafts at the breaks of random games, handed back as they are, beside CONTINUE."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pbem.desk.answers import normal_form
from pbem.desk.drafts import draft_for
from pbem.desk.play import sealed_orders
from pbem.game import events as ev
from pbem.game.dice import Secret, SegmentDice
from pbem.game.events import Record
from pbem.game.log import encode_records
from pbem.game.state import State
from pbem.orders.reader import read_orders
from pbem.robot.scripted import captains
from pbem.soak.captain import CONTINUE
from pbem.soak.games import Stretch, deal, opening, stretches
from pbem.turn.check import check
from pbem.turn.resolve import resolve

SEGMENTS = 8
"""Stretches of play that are compared after each draft, until the turn is over."""

_CODE = re.compile(r" \(code \d+ of the plot\)")


def told(records: Iterable[Record]) -> list[bytes]:
    """The log, but for the orders that were filed and the lines on which they stand."""
    found = []
    for record in records:
        event = record.event
        if isinstance(event, ev.OrdersFiled):
            continue
        if isinstance(event, ev.Broke | ev.OrderTold):
            event = msgspec.structs.replace(event, line=0)
        if isinstance(event, ev.OrderTold):
            event = msgspec.structs.replace(event, order=_CODE.sub("", event.order))
        found.append(encode_records([msgspec.structs.replace(record, event=event)]))
    return found


def drafts(key: str, turns: int) -> Iterator[tuple[str, list[str]]]:
    """Every draft at a break of the game of a key that repeats orders in force: who and when, and what is wrong."""
    for stretch in stretches(opening(deal(key)), turns=turns):
        request = stretch.before.request
        if request is None or request.form != "SOP" or request.impulse == 0:
            continue
        for side in request.sides:
            if stretch.before.standing.get(side) is not None:
                yield f"{key}, request {request.number}, {side}", wrong(stretch, side)


def wrong(stretch: Stretch, side: str) -> list[str]:
    """What a side's draft, handed back as it is, does that CONTINUE would not."""
    state, setting = stretch.before, stretch.setting
    request = state.request
    assert request is not None
    sent = draft_for(state, setting, request, side)
    read = read_orders(sent)
    faults = read.faults or check(state, setting, request, side, read.orders).faults
    if faults:
        return [f"refused: {fault}" for fault in faults]
    on = dict.fromkeys(request.sides, CONTINUE)
    on = {each: CONTINUE if state.standing.get(each) else "" for each in on}
    kept = played(stretch, state, on)
    again = played(stretch, state, {**on, side: normal_form(sent, side, state.game)})
    for number, (one, other) in enumerate(zip(kept, again, strict=False)):
        if one != other:
            line = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), (one[-1:], other[-1:]))
            return [f"stretch {number + 1}: {line[0]!r} became {line[1]!r}", sent]
    return [] if len(kept) == len(again) else ["it stops at another moment"]


def played(stretch: Stretch, state: State, texts: dict[str, str]) -> Sequence[list[bytes]]:
    """Play on with these answers, and with CONTINUE for all that is asked afterwards, until the turn is over."""
    found = []
    answers = {side: answer.text for side, answer in stretch.answers.items()}
    _, key = sealed_orders(Secret(stretch.deal.secret), state, answers)
    for _ in range(SEGMENTS):
        filed, _ = sealed_orders(Secret(stretch.deal.secret), state, texts)
        done = resolve(state, stretch.setting, filed, SegmentDice(key), robots=captains(stretch.setting))
        found.append(told(done.records))
        state = done.state
        if state.over or state.request is None or state.request.impulse == 0 or state.request.form != "SOP":
            break
        texts = {side: CONTINUE if state.standing.get(side) else "" for side in state.request.sides}
    return found
