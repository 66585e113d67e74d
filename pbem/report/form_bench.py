"""Trying orders out before they are offered: the order form page offers nothing that the engine's check refuses.

A bench puts lines of DO, BREAK or DAMAGE, under energy forms of its own making, to :func:`pbem.turn.check.check`, many
at once, and hands back what the check says of each line.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.data.scenarios import Scenario
from pbem.faults import MORE
from pbem.game.state import Request, Ship, Shuttle, State
from pbem.orders import writer
from pbem.orders.reader import read_orders
from pbem.turn.check import check

AT_ONCE = 400
"""Lines tried in one file: the reader takes so many at most without complaint."""


class Bench:
    """What one side may order one of its units, in answer to one request."""

    def __init__(self, state: State, scenario: Scenario, request: Request, unit: Ship | Shuttle, form: bool) -> None:
        self.state, self.scenario, self.request, self.unit, self.form = state, scenario, request, unit, form

    def refusals(self, lines: Sequence[str], *, section: str = "DO", energy: Sequence[str] = ()) -> dict[str, str]:
        """Of these lines the ones that are refused, each with the sentence and the rule.

        ``energy`` are entries of the form that stands above them, where one is asked for.
        """
        refused: dict[str, str] = {}
        for start in range(0, len(lines), AT_ONCE):
            refused |= self._try(lines[start : start + AT_ONCE], section, energy)
        return refused

    def _try(self, lines: Sequence[str], section: str, energy: Sequence[str]) -> dict[str, str]:
        head = "SHUTTLE" if isinstance(self.unit, Shuttle) else "SHIP"
        rows = ["GAME g", f"{head} {writer.name_text(self.unit.name)}"]
        if self.form:
            rows += ["ENERGY", *(f"  {entry}" for entry in energy)]
        rows.append(section)
        first = len(rows) + 1
        rows += [f"  {line}" for line in lines]
        reading = read_orders("\n".join([*rows, "END", ""]))
        faults = reading.faults
        if not faults:
            faults = check(self.state, self.scenario, self.request, self.unit.side, reading.orders).faults
        refused: dict[str, str] = {}
        for fault in faults:
            if 0 <= fault.line - first < len(lines):
                text = f"{fault.text} ({fault.rule})" if fault.rule else fault.text
                refused.setdefault(lines[fault.line - first], text)
        told_all = not reading.faults and MORE not in {fault.code for fault in faults}
        if refused and not told_all:
            # What cannot be read keeps the lines beside it from being looked at; and of many faults only the first are
            # told.
            refused |= self._try([line for line in lines if line not in refused], section, energy)
        return refused

    def plot_faults(self, codes: str) -> dict[str, str]:
        """What the check has against a plot: codes of faults, each with its sentence and rule."""
        head = "SHUTTLE" if isinstance(self.unit, Shuttle) else "SHIP"
        energy = "ENERGY\n" if self.form else ""
        text = f"GAME g\n{head} {writer.name_text(self.unit.name)}\n{energy}PLOT {codes}\nEND\n"
        orders = read_orders(text).orders
        faults = check(self.state, self.scenario, self.request, self.unit.side, orders).faults
        return {fault.code: f"{fault.text} ({fault.rule})" for fault in faults}
