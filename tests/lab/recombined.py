"""Orders nobody would write: those of the rule cases with lines of other cases in between, words exchanged and numbers
changed; what is refused is left out, the rest is played. As a command::

    python -m tests.lab.recombined --tries 5000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from pbem.engine import events as ev
from pbem.lab.rule_cases.format import Case, read_case
from pbem.lab.rule_cases.play import CasePlay, UnplayableCase, dice_for, play
from pbem.orders.reader import read_orders
from pbem.orders.writer import write_orders

CASES = Path(__file__).parents[1] / "cases"
NUMBERS = ("0", "1", "2", "3", "4", "7", "8", "16", "31", "32")
MENDINGS = 12
"""After so many refusals orders are given up."""

replace = msgspec.structs.replace


class Stock(NamedTuple):
    """The played cases, and the lines of all their orders, with ``{0}`` for the first unit named and so on."""

    cases: tuple[Case, ...]
    lines: tuple[str, ...]


@cache
def stock() -> Stock:
    """Everything that is put together."""
    cases = [case for path in sorted(CASES.rglob("*.toml")) if (case := read_case(path)).played and case.turn]
    lines = [line for case in cases for text in _orders_of(case) for line in _nameless(case, text)]
    return Stock(tuple(cases), tuple(lines))


def _orders_of(case: Case) -> Iterator[str]:
    for turn in case.turn:
        yield from turn.orders.values()
        yield from (rebid.orders for rebid in turn.rebid)


def _nameless(case: Case, text: str) -> Iterator[str]:
    for line in filter(None, map(str.rstrip, text.splitlines())):
        for place, unit in enumerate(case.unit):
            line = re.sub(rf"\b{re.escape(unit.name)}\b", f"{{{place}}}", line) if unit.name else line
        yield line


def tried(number: int, seed: int) -> tuple[str, list[str]]:
    """One set of orders put together and played: which case it came from, and what is wrong."""
    chance = random.Random(f"{seed} {number}")
    case = chance.choice(stock().cases)
    names = [unit.name for unit in case.unit if unit.name] or ["Constellation"]
    turns = [
        replace(
            turn,
            orders={side: _changed(text, names, chance) for side, text in turn.orders.items()},
            rebid=[replace(rebid, orders=_changed(rebid.orders, names, chance)) for rebid in turn.rebid],
        )
        for turn in case.turn
    ]
    case = replace(case, turn=turns, dice={})
    for _ in range(MENDINGS):
        try:
            played = play(case, dice_for(case, exact=False))
        except UnplayableCase:
            return case.title, []
        if played.refused is None:
            return case.title, [*_about_texts(case), *_about_the_check(case, played)]
        mended = _without(played.refused.orders, {fault.line for fault in played.refused.faults})
        case = _with(case, played.refused.orders, mended)
    return case.title, []


def _changed(text: str, names: Sequence[str], chance: random.Random) -> str:
    """Orders with a few strange lines, doubled lines, exchanged words or other numbers."""
    lines = text.splitlines()
    for _ in range(chance.choice((1, 2, 3, 5))):
        at = chance.randrange(len(lines) + 1)
        match chance.randrange(6):
            case 0 | 1 | 2:
                lines.insert(at, chance.choice(stock().lines))
            case 3 if lines:
                lines.insert(at, chance.choice(lines))
            case 4 if at < len(lines):
                words, others = lines[at].split(" "), chance.choice(stock().lines).split(" ")
                words[chance.randrange(len(words))] = chance.choice(others)
                lines[at] = " ".join(words)
            case 5 if at < len(lines):
                lines[at] = re.sub(
                    r"\d+", lambda found: chance.choice(NUMBERS) if chance.random() < 0.4 else found[0], lines[at]
                )
            case _:
                pass
    return "".join(re.sub(r"\{(\d+)\}", lambda found: names[int(found[1]) % len(names)], line) + "\n" for line in lines)


def _without(text: str, refused: set[int]) -> str:
    """Orders without the lines that are refused; without any where no line is to blame."""
    if not refused - {0}:
        return ""
    return "".join(line + "\n" for place, line in enumerate(text.splitlines(), start=1) if place not in refused)


def _with(case: Case, old: str, new: str) -> Case:
    turns = [
        replace(
            turn,
            orders={side: new if text == old else text for side, text in turn.orders.items()},
            rebid=[replace(rebid, orders=new) if rebid.orders == old else rebid for rebid in turn.rebid],
        )
        for turn in case.turn
    ]
    return replace(case, turn=turns)


def _about_texts(case: Case) -> Iterator[str]:
    """Orders in normal form are read as they were written: so they are filed, and read again to be played."""
    for text in _orders_of(case):
        reading = read_orders(text, header=False)
        if reading.faults:
            continue  # orders of a break that never came
        normal = write_orders(reading.orders)
        again = read_orders(normal, header=False)
        if again.faults or write_orders(again.orders) != normal:
            yield f"the normal form is not read as it is written:\n{normal}{[str(fault) for fault in again.faults]}"


def _about_the_check(case: Case, played: CasePlay) -> Iterator[str]:
    """What it says can never act does not act. (A line that several sides or turns have is passed over.)"""
    written = Counter(note.text for checked in played.checked for note in checked.lines)
    never = {
        note.text: note.why
        for checked in played.checked
        for note in checked.lines
        if note.why.startswith("it can ") and written[note.text] == 1
    }
    for record in played.records:
        event = record.event
        if isinstance(event, ev.OrderTold) and event.result in ("acted", "broke") and event.order in never:
            yield f"{event.order!r}: {never[event.order]}; and in {event.turn}.{event.impulse} it {event.result}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    bad = 0
    for number in range(asked.tries):
        title, wrong = tried(number, asked.seed)
        bad += bool(wrong)
        for each in wrong:
            print(f"{number} ({title}): {each}")
    print(f"{asked.tries} sets of orders, {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
