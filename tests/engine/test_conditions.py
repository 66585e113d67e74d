"""What conditions say at one moment, of everybody who may ask: the files of tests/engine/conditions/.

A file begins with a situation, as those of tests/engine/verdicts/ do, and ``asked``, the units that ask (``-`` is an
auto-break, which nobody asks). Below ``===`` and a heading stands each condition (``>``), perhaps of an order (behind
THEN), with the answers: of whom it is true, and the units it held for, which IT and EACH stand for.

    python tests/engine/test_conditions.py      writes the answers anew; read them before you keep them
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from pbem.engine.conditions.kinds import holds  # noqa: E402
from pbem.engine.conditions.scene import Scene, units_of  # noqa: E402
from pbem.engine.state import Planet, State  # noqa: E402
from pbem.orders import model as om  # noqa: E402
from pbem.orders.reader import read_orders  # noqa: E402
from tests.engine.situations import asked  # noqa: E402

FILES = sorted(Path(__file__).with_name("conditions").glob("*.txt"))


def order_of(text: str) -> om.Order:
    """An order with this condition: the one that stands behind it, or one without a target."""
    reading = read_orders(f"SHIP X\nDO\n  IF {text if ' THEN ' in text else f'{text} THEN CLOAK'}\n", header=False)
    assert not reading.faults, reading.faults
    (order,) = reading.orders.units[0].do
    return order


def answers(state: State, askers: list[str], text: str) -> Iterator[str]:
    """Of everybody for whom it is true: his name and the units it held for; then those his order is aimed at."""
    order = order_of(text)
    assert order.condition is not None
    aimed = next((ref for does in order.does if isinstance(ref := getattr(does, "target", None), om.UnitRef)), None)
    silent = []
    for name in askers:
        me = state.units.get(name)
        assert not isinstance(me, Planet)
        aim = aimed.how if aimed is not None and aimed.how in ("it", "each") else ""
        target = aimed.name if aimed is not None and aimed.how == "name" else ""
        scene = Scene(state=state, me=me, pulses=state.recent, target=target, aim=aim)  # type: ignore[arg-type]
        held = holds(order.condition, scene)
        if not held.true:
            silent.append(name)
            continue
        its = "" if held.its is None else f" ({', '.join(held.its)})"
        at = f" at {' '.join(unit.name for unit in units_of(aimed, scene, held.its))}" if aimed is not None else ""
        yield f"{name}: yes{its}{at}"
    if silent:
        yield f"{' '.join(silent)}: no"


def written(text: str) -> str:
    """A file as it should be."""
    head, _, rest = text.partition("===")
    given = tomllib.loads(head)
    state = asked("\n".join(line for line in head.split("\n") if not line.startswith("asked "))).state
    parts: list[str] = []
    for line in f"==={rest}".split("\n"):
        if line.startswith("==="):
            parts += ["", line] if parts else [line]
        elif line.startswith(">"):
            parts.append(line)
            parts += [f"    {each}" for each in answers(state, given["asked"], line.removeprefix(">").strip())]
    return head + "\n".join(parts) + "\n"


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_everybody_is_told_what_is_kept(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.split("\n") == written(text).split("\n")


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_the_order_in_which_the_state_keeps_its_units_changes_no_answer(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("===")
    state = asked("\n".join(line for line in head.split("\n") if not line.startswith("asked "))).state
    turned = msgspec.structs.replace(state, units=dict(sorted(state.units.items(), reverse=True)))
    for line in rest.split("\n"):
        if line.startswith(">"):
            condition = line.removeprefix(">").strip()
            askers = tomllib.loads(head)["asked"]
            assert list(answers(turned, askers, condition)) == list(answers(state, askers, condition)), condition


if __name__ == "__main__":
    for file in FILES:
        file.write_text(written(file.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
