"""Test orders before they are offered or sent, so that the check never refuses them later.

:class:`OrderTester` checks lines of DO, BREAK or DAMAGE together with given energy entries, with
:func:`pbem.engine.checking.check.check`. It puts many lines into one order file, because each check of a file takes as
much time as a dozen lines do, and caches the results. :func:`without_refused_lines` checks whole order files that a
program writes, and removes the lines that are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import msgspec
from msgspec.structs import replace

from pbem.data.scenarios import Scenario
from pbem.engine.checking.check import check, faults_in
from pbem.engine.state import Request, Ship, Shuttle, State
from pbem.errors import MORE, Fault
from pbem.orders import writer
from pbem.orders.blocks import MOST_OF_A_UNIT
from pbem.orders.reader import read_orders
from pbem.orders.writer import name_text, write_orders

SOMEBODY = "NEAREST ENEMY SHIP"
"""A word that the check always accepts as the name of a target."""

AT_ONCE = MOST_OF_A_UNIT
"""Maximum number of lines tested in one order file; the parser reports a fault if there are more."""


class OrderTester:
    """An object that tests order lines for one unit in answer to one request.

    ``form`` says whether the unit's block has an energy form.
    """

    def __init__(self, state: State, scenario: Scenario, request: Request, unit: Ship | Shuttle, form: bool) -> None:
        self.state, self.scenario, self.request, self.unit, self.form = state, scenario, request, unit, form
        self._known: dict[tuple[str, ...], dict[tuple[str, str], str]] = {}

    def refusals(self, lines: Sequence[str], *, section: str = "DO", energy: Sequence[str] = ()) -> dict[str, str]:
        """Return a dict of each refused line to the reason and the rule number.

        ``energy`` are the entries of the energy form to assume, if the request asks for one.
        """
        self.try_together({section: lines}, energy)
        known = self._known[tuple(energy)]
        return {line: why for line in lines if (why := known[section, line])}

    def try_together(self, lines: Mapping[str, Sequence[str]], energy: Sequence[str] = ()) -> None:
        """Test lines of several sections together with the same energy entries, and cache the results."""
        known = self._known.setdefault(tuple(energy), {})
        new = [key for section, some in lines.items() for line in some if (key := (section, line)) not in known]
        new = list(dict.fromkeys(new))
        for start in range(0, len(new), AT_ONCE):
            some = new[start : start + AT_ONCE]
            known |= dict.fromkeys(some, "") | self._try(some, energy)

    def _rows(self, energy: Sequence[str] = ()) -> list[str]:
        """Return the lines at the start of every order file to be tested: header, energy form and so on."""
        head = "SHUTTLE" if isinstance(self.unit, Shuttle) else "SHIP"
        form = ["ENERGY", *(f"  {entry}" for entry in energy)] if self.form else []
        return ["GAME g", f"{head} {writer.name_text(self.unit.name)}", *form]

    def _read(self, rows: Sequence[str]) -> tuple[Sequence[Fault], bool]:
        """Return the faults of an order file, and whether these are all of its faults."""
        reading = read_orders("\n".join([*rows, "END", ""]))
        if reading.faults:
            return reading.faults, False
        faults = faults_in(self.state, self.scenario, self.request, self.unit.side, reading.orders)
        return faults, MORE not in {fault.code for fault in faults}

    def _try(self, lines: Sequence[tuple[str, str]], energy: Sequence[str]) -> dict[tuple[str, str], str]:
        """Return a dict of each refused (section, line) pair to the reason of the refusal.

        ``lines`` are the (section, line) pairs to test; pairs of the same section must be consecutive.
        """
        rows, places = self._rows(energy), {}
        for section, some in groupby(lines, key=itemgetter(0)):
            rows.append(section)
            for key in some:
                rows.append(f"  {key[1]}")
                places[len(rows)] = key
        faults, told_all = self._read(rows)
        refused: dict[tuple[str, str], str] = {}
        for fault in faults:
            if fault.line in places:
                refused.setdefault(places[fault.line], fault.sentence)
        if refused and not told_all:
            # Lines that cannot be read hide faults in other lines, and only the first of many faults are reported. So
            # test the remaining lines again.
            refused |= self._try([key for key in lines if key not in refused], energy)
        return refused

    def plot_faults(self, codes: str) -> dict[str, str]:
        """Return the faults of a plot, as a dict of fault code to reason and rule number."""
        rows = [*self._rows(), f"PLOT {codes}"]
        return {fault.code: fault.sentence for fault in self._read(rows)[0] if fault.line == len(rows)}


FALLBACK = "TOWARD NEAREST SHIP"
"""A plot that is always legal, because it steers by other units instead of fixed codes."""

MENDING = 12
"""Maximum number of rounds in which faulty lines are removed and the remaining orders are checked again."""


class OrdersRefused(Exception):
    """Raised if orders are still refused after every line with a fault was removed."""

    def __init__(self, text: str, faults: Iterable[Fault]) -> None:
        self.text, self.faults = text, tuple(faults)
        super().__init__("; ".join(str(fault) for fault in self.faults))


class ProgramOrders(msgspec.Struct, frozen=True, kw_only=True):
    """The orders that a program sends, and how many lines were removed from them and why.

    ``sent`` is the order file and ``text`` its normal form. ``lines`` is the number of lines that the program
    wanted to send. ``refused`` counts the faults of the removed lines, by code.
    """

    sent: str
    text: str
    lines: int = 0
    refused: dict[str, int] = {}


class SectionLine(msgspec.Struct, frozen=True):
    """A line of orders, with the unit (``ship``) and the section to which the line belongs.

    ``boat`` is true if the unit is a shuttle.
    """

    ship: str
    section: str
    text: str
    boat: bool = False


def without_refused_lines(
    state: State, scenario: Scenario, side: str, head: str, lines: list[SectionLine]
) -> ProgramOrders:
    """Return the given orders without the lines that the check refuses.

    The orders are checked, every refused line is removed, and the rest is checked again. ``head`` is the first line
    (the header) of the order file.

    Raises:
        OrdersRefused: The remaining orders are still refused.
    """
    request = state.request
    assert request is not None
    refused: Counter[str] = Counter()
    count = sum(bool(line.text) for line in lines)
    for _ in range(MENDING):
        text, places = as_order_file(head, lines)
        reading = read_orders(text)
        orders = replace(reading.orders, side=side, game=state.game)
        faults = reading.faults or check(state, scenario, request, side, orders).faults
        if not faults:
            return ProgramOrders(
                sent=text, text=write_orders(orders), lines=count, refused=dict(sorted(refused.items()))
            )
        refused.update(fault.code for fault in faults)
        kept = _without(lines, places, {fault.line for fault in faults}, scenario)
        if kept == lines:
            break
        lines = kept
    raise OrdersRefused(text, faults)


def _without(
    lines: list[SectionLine], places: dict[int, SectionLine], wrong: set[int], scenario: Scenario
) -> list[SectionLine]:
    """Return the orders without the lines that have faults.

    If any line of a plot is faulty, the whole plot is replaced by a plot that is always legal. ``places`` is a dict of
    line number to line; ``wrong`` contains the numbers of the lines with faults.
    """
    bad = [places[number] for number in wrong if number in places]
    plotless = {line.ship for line in bad if line.section == "PLOT" and not line.text}
    kept: list[SectionLine] = []
    for line in lines:
        if line.section == "PLOT" and line.ship in plotless:
            plot = SectionLine(line.ship, "PLOT", _last_resort(line.ship, scenario), line.boat)
            if plot.text and plot not in kept:
                kept.append(plot)
        elif not line.text or line not in bad:
            kept.append(line)
    return kept


def _last_resort(ship: str, scenario: Scenario) -> str:
    """Return a plot that is always legal, to replace a faulty plot.

    The plot steers by other units. For a ship with a fixed course the plot is LEAVE MAP if it may leave the map,
    otherwise empty.
    """
    unit = next((unit for unit in scenario.units if unit.name == ship and unit.script), None)
    if unit is None:
        return FALLBACK
    return "" if scenario.keeps_on_map(unit.side) else "LEAVE MAP"


def as_order_file(head: str, lines: list[SectionLine]) -> tuple[str, dict[int, SectionLine]]:
    """Return the text of an order file, and a dict of line number to the order line with that number.

    A heading is a :class:`SectionLine` without text.
    """
    out, places = [head], {}
    ship = section = ""
    for line in lines:
        if line.ship != ship:
            ship, section = line.ship, ""
            out.append(f"{'SHUTTLE' if line.boat else 'SHIP'} {name_text(ship)}")
            places[len(out)] = SectionLine(ship, "", "", line.boat)
        if line.section != section:
            section = line.section
            out.append(section)
            places[len(out)] = SectionLine(ship, section, "", line.boat)
        if line.text:
            out.append(f"  {line.text}")
            places[len(out)] = line
    return "\n".join([*out, "END", ""]), places
