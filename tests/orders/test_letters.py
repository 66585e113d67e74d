r"""Whole letters, as they come in the mail, and all that is read of them: ``letters.txt``.

Between lines of ``~`` stand a letter (``\u00a0`` and the like for what cannot be seen), ``----->`` and what it says:
its lines that count with their numbers, its faults, its header, and every order with its place, whole. A first line
``(no header)`` is for what a rule case holds. ``python -m tests.orders.test_letters`` writes what is said anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pbem.orders.mail_text import order_text
from pbem.orders.reader import read_orders
from tests.orders.test_told import fault_text

FILE = Path(__file__).with_name("letters.txt")
RULE = "~~~~~~~~"
BELOW = "----->"
BARE = "(no header)\n"


def letters() -> dict[str, tuple[str, str]]:
    """Of each letter, by its title, what stands in it and what it says."""
    found = {}
    for part in FILE.read_text(encoding="utf-8").split(f"{RULE} ")[1:]:
        title, _, rest = part.partition("\n")
        raw, _, said = rest.partition(f"{BELOW}\n")
        assert title not in found, title
        found[title] = raw, said
    return found


def says(raw: str) -> str:
    bare = raw.startswith(BARE)
    text = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), raw.removeprefix(BARE))
    reading = read_orders(text, header=not bare)
    cleaned = order_text(text, header=not bare)
    assert cleaned.count("\n") == text.count("\n") or "<" in text
    orders = reading.orders
    lines = [f"{number:3} | {line}" for number, line in enumerate(cleaned.split("\n"), start=1) if line]
    lines += [f"! {fault_text(fault)}" for fault in reading.faults]
    lines.append(f"= {value(msgspec.structs.replace(orders, units=()))}")
    lines += [each for block in orders.units for each in unit(block)]
    return "".join(f"{line}\n" for line in lines)


def unit(orders: Any) -> Iterator[str]:
    """A block: its head, then a line each for what stands in it."""
    several = {name: getattr(orders, name) or () for name in ("energy", "do", "breaks", "damage")}
    plot = orders.plot
    yield "= " + value(msgspec.structs.replace(orders, do=(), breaks=(), damage=(), energy=None, plot=None))
    if plot is not None:
        several |= {"reactions": plot.reactions, "tacs": plot.tacs}
        yield f"  plot {value(msgspec.structs.replace(plot, reactions=(), tacs=()))}"
    yield from (f"  {name} {value(each)}" for name, parts in several.items() for each in parts)


def value(thing: Any) -> str:
    """A value with all that is not as it is anyway."""
    if isinstance(thing, msgspec.Struct):
        usual = dict(zip(thing.__struct_fields__[::-1], thing.__struct_defaults__[::-1], strict=False))
        said = {name: getattr(thing, name) for name in thing.__struct_fields__}
        parts = [f"{name}={value(each)}" for name, each in said.items() if name not in usual or each != usual[name]]
        return f"{type(thing).__name__}({', '.join(parts)})"
    if isinstance(thing, tuple) and len(thing) > 9 and len({*thing}) == 1:
        return f"({len(thing)} times {value(thing[0])})"
    if isinstance(thing, tuple):
        return f"({', '.join(map(value, thing))})"
    return str(thing) if isinstance(thing, Fraction) else repr(thing)


@pytest.mark.parametrize("title", letters())
def test_a_letter_says_what_it_says(title: str) -> None:
    raw, said = letters()[title]
    assert says(raw) == said


if __name__ == "__main__":
    parts = [f"{RULE} {title}\n{raw}{BELOW}\n{says(raw)}" for title, (raw, _) in letters().items()]
    FILE.write_text("".join(parts), encoding="utf-8")
