"""Situations for tests that look at one moment of play: as a rule case begins, and perhaps some orders on."""

from __future__ import annotations

import tomllib
from functools import cache

import msgspec

from pbem.data.scenarios import Scenario
from pbem.engine.checking.check import CheckResult, check
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.state import State
from pbem.errors import Fault
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import dice_for, opening, scenario_for
from pbem.orders.reader import read_orders


class Asked(msgspec.Struct, frozen=True):
    """The side whose orders are looked at, and the state it is asked in."""

    side: str
    setting: Scenario
    state: State

    def about(self, orders: str) -> CheckResult | tuple[Fault, ...]:
        """What is said of orders, or the faults of reading them."""
        reading = read_orders(orders, header=False)
        if reading.faults:
            return tuple(reading.faults)
        assert self.state.request is not None
        return check(self.state, self.setting, self.state.request, self.side, reading.orders)


@cache
def asked(head: str) -> Asked:
    """The situation a file begins with: before its first turn or, where there are orders, at the next request."""
    given = tomllib.loads(head)
    side, players = given.pop("side"), given.pop("players", ())
    case = msgspec.convert({"rule": "B2.0", "title": "t", "source": "s", **given}, Case)
    setting = scenario_for(case)
    named = {"turn": [{"orders": dict.fromkeys(players, "")}]} if players else {}
    state = opening(msgspec.convert({"rule": "B2.0", "title": "t", "source": "s", **given, **named}, Case), setting)
    if case.turn:
        answers = {name: Filed(text=text) for name, text in case.turn[0].orders.items()}
        for name, text in case.turn[0].orders.items():
            found = Asked(name, setting, state).about(text)
            assert isinstance(found, CheckResult) and not found.faults, getattr(found, "faults", found)
        state = resolve(state, setting, answers, dice_for(case, exact=False)).state
    assert state.request is not None and side in state.request.sides, state.request
    return Asked(side, setting, state)
