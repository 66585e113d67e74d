"""What an order comes to in its step of the impulse, word for word: the files of tests/engine/steps/.

Below ``===``, who orders, the step and a heading stand the facts (``+``) in which the situation differs from the one of
tests/engine/world.py, then each order (``>``), perhaps behind ``?`` with more facts, and below it what its owner is
told and all that happens. A fact is a field of a unit (``Con.speed=4``), a box or a part of it (``Con.boxes.tran=0``,
``Con.weapons.PHOT A.fired=4``), or a beam that holds something since a moment (``Con A FS/1 20``); without one of these
no beam holds anything. The moment is 21, the fifth impulse of turn 2.

    python tests/engine/test_steps.py      writes anew what comes of them; read it before you keep it
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.data.terms import StepName  # noqa: E402
from pbem.engine import events as ev  # noqa: E402
from pbem.engine.dice import SegmentDice  # noqa: E402
from pbem.engine.events import Record  # noqa: E402
from pbem.engine.on_file import altered, value_of  # noqa: E402
from pbem.engine.play.order_executor import OrdersCommander  # noqa: E402
from pbem.engine.play.resolution import Commander, Resolution  # noqa: E402
from pbem.engine.state import AnyUnit, Link, Ship, State  # noqa: E402
from pbem.engine.steps import sequence  # noqa: E402
from pbem.orders.reader import read_orders  # noqa: E402
from tests.engine.test_nobody_at_the_helm import setting  # noqa: E402
from tests.engine.world import rich  # noqa: E402

FILES = sorted(Path(__file__).with_name("steps").glob("*.txt"))
WHEN = ("event", "turn", "impulse", "step", "rule")
replace = msgspec.structs.replace


def held(unit: AnyUnit, field: str) -> Any:
    """The value of a field of a unit, in whatever part of a ship it stands."""
    return value_of(unit, field) if isinstance(unit, Ship) else getattr(unit, field)


def changed(state: State, facts: Sequence[str]) -> State:
    """The situation with these facts in it."""
    links = []
    for fact in facts:
        path, equals, value = fact.partition("=")
        if not equals:
            ship, beam, target, since = fact.split()
            links.append(Link(ship=ship, beam=beam, target=target, since=int(since)))
            continue
        name, field, *part = path.split(".")
        unit, now = state.units[name], ast.literal_eval(value)
        if len(part) > 1:
            now = altered(held(unit, field)[part[0]], **{part[1]: now})
        if part:
            now = {**held(unit, field), part[0]: now}
        state = replace(state, units={**state.units, name: altered(unit, **{field: now})})
    return replace(state, links=tuple(links))


def happened(record: Record) -> str:
    """An event in a line: what, to or by whom, and all that it says."""
    told: dict[str, Any] = msgspec.to_builtins(record.event)
    seen: dict[str, Any] = msgspec.to_builtins(record.shown) if record.shown is not None else {}
    parts = [f"{key} {value}" for key, value in told.items() if key not in WHEN]
    secret = f" (only {record.only})" if record.only else ""
    hidden = [key for key in told if key not in WHEN and seen.get(key) != told[key]] if seen else []
    others = f"; to others {', '.join(f'{key} {seen.get(key)}' for key in hidden)}" if hidden else ""
    return f"{type(record.event).__name__}{secret}: {', '.join(parts)}{others}"


def comes_of(who: str, step: str, order: str, facts: Sequence[str]) -> Iterator[str]:
    """What the owner is told, and what happens: nothing else is ordered by anybody."""
    state = changed(rich(), facts)
    side = state.units[who].side
    heading = "SHUTTLE" if who.partition("/")[2] else "SHIP"
    reading = read_orders(f'{heading} "{who}"\n{order.replace(" // ", chr(10))}\n', header=False)
    assert not reading.faults, reading.faults
    standing = {**state.standing, side: replace(state.standing["federation"], spent=(), acted=(), flown={})}
    captains: dict[str, Commander] = {name: Commander() for name in state.sides}
    captains[side] = OrdersCommander(side, reading.orders)
    on = Resolution(replace(state, standing=standing), setting(), SegmentDice(b"steps"), captains)
    on.step = StepName(step)
    sequence.BY_NAME[on.step].play(on)
    for record in on.records:
        if isinstance(record.event, ev.OrderTold):
            yield f"{record.event.result}{': ' * bool(record.event.reason)}{record.event.reason}"
        else:
            yield happened(record)


def written(text: str) -> str:
    """A file as it should be: every order with what comes of it."""
    parts: list[str] = []
    who = step = ""
    facts: list[str] = []
    for line in text.split("\n"):
        if line.startswith("==="):
            who, step = line.split()[1:3]
            facts = []
            parts += ["", line] if parts else [line]
        elif line.startswith("+"):
            facts += line.removeprefix("+").strip().split("; ")
            parts.append(line)
        elif line.startswith(">"):
            order, _, more = line.removeprefix(">").strip().partition(" ? ")
            found = comes_of(who, step, order, [*facts, *filter(None, more.split("; "))])
            parts += [line, *(f"    {each}" for each in found)]
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_order_comes_to_what_is_kept(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.split("\n") == written(text).split("\n")


if __name__ == "__main__":
    for file in FILES:
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
