"""Drafts at the breaks of random games, handed back as they are, beside CONTINUE. As a command::

python -m tests.lab.redrafts --run 3 --drafts 1000
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from pbem.ai.robot import commanders
from pbem.engine import events as ev
from pbem.engine.checking.check import check
from pbem.engine.dice import Secret, SegmentDice
from pbem.engine.events import Record
from pbem.engine.log import encode_records
from pbem.engine.play.resolve import resolve
from pbem.engine.state import State
from pbem.games.answers import normal_form
from pbem.games.proof.seals import sealed_orders
from pbem.lab.random_games.play import CONTINUE, RandomSegment, deal, key_for, opening, playable, stretches
from pbem.orders.reader import read_orders
from pbem.reports.draft.draft import draft_for

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
        kept: list[list[bytes]] = []
        for side in request.sides:
            if stretch.before.standing.get(side) is not None:
                kept = kept or played(stretch, stretch.before, all_continue(stretch.before))
                yield f"{key}, request {request.number}, {side}", wrong(stretch, side, kept)


def all_continue(state: State) -> dict[str, str]:
    """CONTINUE from everybody who is asked and has orders in force."""
    assert state.request is not None
    return {side: CONTINUE if state.standing.get(side) else "" for side in state.request.sides}


def wrong(stretch: RandomSegment, side: str, kept: Sequence[list[bytes]]) -> list[str]:
    """What a side's draft, handed back as it is, does that CONTINUE, which plays as ``kept``, would not."""
    state, setting = stretch.before, stretch.setting
    request = state.request
    assert request is not None
    sent = draft_for(state, setting, request, side)
    read = read_orders(sent)
    faults = read.faults or check(state, setting, request, side, read.orders).faults
    if faults:
        return [f"refused: {fault}" for fault in faults]
    again = played(stretch, state, {**all_continue(state), side: normal_form(sent, side, state.game)})
    for number, (one, other) in enumerate(zip(kept, again, strict=False)):
        if one != other:
            line = next((pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]), (one[-1:], other[-1:]))
            return [f"stretch {number + 1}: {line[0]!r} became {line[1]!r}", sent]
    return [] if len(kept) == len(again) else ["it stops at another moment"]


def played(stretch: RandomSegment, state: State, texts: dict[str, str]) -> list[list[bytes]]:
    """Play on with these answers, and with CONTINUE for all that is asked afterwards, until the turn is over."""
    found = []
    answers = {side: answer.text for side, answer in stretch.answers.items()}
    _, key = sealed_orders(Secret(stretch.deal.secret), state, answers)
    for _ in range(SEGMENTS):
        filed, _ = sealed_orders(Secret(stretch.deal.secret), state, texts)
        done = resolve(state, stretch.setting, filed, SegmentDice(key), robots=commanders(stretch.setting))
        found.append(told(done.records))
        state = done.state
        if state.over or state.request is None or state.request.impulse == 0 or state.request.form != "SOP":
            break
        texts = all_continue(state)
    return found


def main(arguments: Sequence[str]) -> int:
    """Hand so many drafts back, scenario by scenario; tell which did not do what CONTINUE does."""
    asked = argparse.ArgumentParser(prog="python -m tests.lab.redrafts", description=main.__doc__)
    asked.add_argument("--run", type=int, default=1)
    asked.add_argument("--drafts", type=int, default=1000)
    wanted = asked.parse_args(arguments)
    game = seen = different = 0
    while seen < wanted.drafts:
        number = playable()[game % len(playable())]
        for who, found in drafts(key_for(number, wanted.run, game // len(playable())), turns=6):
            seen += 1
            different += bool(found)
            for line in [who, *found] if found else []:
                print(line, flush=True)
            if seen % 100 == 0:
                print(f"{seen} drafts so far", file=sys.stderr, flush=True)
        game += 1
    print(f"{seen} drafts of {game} games: {different} refused or played otherwise")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
