"""Orders line by line, as a program writes them: checked as a whole, and mended by leaving out what is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.checking.check import check
from pbem.engine.state import State
from pbem.errors import Fault
from pbem.orders.reader import read_orders
from pbem.orders.writer import name_text, write_orders

replace = msgspec.structs.replace

FALLBACK = "TOWARD NEAREST SHIP"
"""A plot that is always legal: it depends on others."""

MENDING = 12
"""How often faulty lines are taken out and the rest is checked again."""


class Refused(Exception):
    """Orders that are refused as a whole, though every faulty line was taken out."""

    def __init__(self, text: str, faults: Iterable[Fault]) -> None:
        self.text, self.faults = text, tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a captain sends: the file, its normal form, how many lines he wished for, and the codes of those he had to
    take out.
    """

    sent: str
    text: str
    lines: int = 0
    refused: dict[str, int] = {}


class Line(msgspec.Struct, frozen=True):
    """A line of orders: the unit and section it stands under; ``boat`` where the unit is a shuttle."""

    ship: str
    section: str
    text: str
    boat: bool = False


def mended(state: State, scenario: Scenario, side: str, head: str, lines: list[Line]) -> Answer:
    """Check the orders; take out every line that is refused, and check again. Raises :class:`Refused`."""
    request = state.request
    assert request is not None
    refused: Counter[str] = Counter()
    count = sum(bool(line.text) for line in lines)
    for _ in range(MENDING):
        text, places = laid_out(head, lines)
        reading = read_orders(text)
        orders = replace(reading.orders, side=side, game=state.game)
        faults = reading.faults or check(state, scenario, request, side, orders).faults
        if not faults:
            return Answer(sent=text, text=write_orders(orders), lines=count, refused=dict(sorted(refused.items())))
        refused.update(fault.code for fault in faults)
        kept = _without(lines, places, {fault.line for fault in faults}, scenario)
        if kept == lines:
            break
        lines = kept
    raise Refused(text, faults)


def _without(lines: list[Line], places: dict[int, Line], wrong: set[int], scenario: Scenario) -> list[Line]:
    """The orders without the faulty lines. A plot is refused as a whole, at its heading: another takes its place."""
    bad = [places[number] for number in wrong if number in places]
    plotless = {line.ship for line in bad if line.section == "PLOT" and not line.text}
    kept: list[Line] = []
    for line in lines:
        if line.section == "PLOT" and line.ship in plotless:
            plot = Line(line.ship, "PLOT", _last_resort(line.ship, scenario), line.boat)
            if plot.text and plot not in kept:
                kept.append(plot)
        elif not line.text or line not in bad:
            kept.append(line)
    return kept


def _last_resort(ship: str, scenario: Scenario) -> str:
    """A plot that is always legal: it depends on others, or leaves the map if it must; none where that is forbidden."""
    unit = next((unit for unit in scenario.units if unit.name == ship and unit.script), None)
    if unit is None:
        return FALLBACK
    return "" if scenario.side(unit.side).leaving == "forbidden" else "LEAVE MAP"


def laid_out(head: str, lines: list[Line]) -> tuple[str, dict[int, Line]]:
    """The orders as a file, and what stands on each line; a heading is a line without text."""
    out, places = [head], {}
    ship = section = ""
    for line in lines:
        if line.ship != ship:
            ship, section = line.ship, ""
            out.append(f"{'SHUTTLE' if line.boat else 'SHIP'} {name_text(ship)}")
            places[len(out)] = Line(ship, "", "", line.boat)
        if line.section != section:
            section = line.section
            out.append(section)
            places[len(out)] = Line(ship, section, "", line.boat)
        if line.text:
            out.append(f"  {line.text}")
            places[len(out)] = line
    return "\n".join([*out, "END", ""]), places
