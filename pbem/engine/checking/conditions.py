"""Find conditions that can never be true, or are true only when their order is impossible.

Examples: ``IF x DESTROYED THEN FIRE ALL AT x``, ``RANGE x <= 3 AND RANGE x >= 5``, ``IF ENEMY DRONE WITHIN 3 THEN GUIDE
IT LEFT``. A condition is split into *ways*: combinations of parts that make it true. OR gives several ways; AND joins
parts into one way. For each way the module collects what each unit must be: destroyed or in play, and with which range,
speed and so on. A condition is reported only if it is impossible whatever happens in the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Final

import msgspec

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.terms import impulses_in_words
from pbem.engine.checking.units import named_in
from pbem.engine.conditions.kinds import MEANINGS, asks_target
from pbem.engine.conditions.notes import WayNotes, Who
from pbem.engine.state import AnyUnit, Request, Ship, State
from pbem.orders import model as om
from pbem.rules.direct_fire import is_direct_fire, is_heavy, is_phaser, max_range, min_range
from pbem.util import only, several

_MOST_WAYS: Final = 64
"""Maximum number of ways to make a condition true; a condition with more ways is not examined."""
_SMALL: Final = ("drone", "plasma", "seeker")

Way = tuple[tuple[om.SimpleCondition, bool], ...]
"""One way in which a condition can be true: its parts, each paired with a truth value.

The value is ``False`` if the part is negated (NOT), otherwise ``True``.
"""


class WayVerdict(msgspec.Struct, frozen=True):
    """The verdict on one way, i.e. one combination of parts that makes a condition true.

    ``why`` is the reason why this combination can never occur, or empty if it can. ``it`` is the unit that the word IT
    means when the combination occurs.
    """

    why: str = ""
    it: Who | None = None


def never_holds(state: State, request: Request, me: AnyUnit, condition: om.Condition) -> str:
    """Return why a condition cannot be true in any impulse of a request; empty if it can be true.

    ``me`` is the unit whose order contains the condition.
    """
    return _common_reason([_WayExaminer(state, request, me).verdict(way) for way in _ways(condition)])


def never_meets(state: State, request: Request, me: AnyUnit, line: om.Order | om.Reaction | om.Tac) -> str:
    """Return why an order line can never be carried out, or an empty string if it may be carried out.

    There are two possible reasons. The first: the condition of the line is never true in the line's impulses. The
    second: the condition is true only when the order is impossible for its unit, e.g. because that unit is destroyed.
    """
    return _common_reason([*_verdicts(state, request, me, line)])


def surely_it(state: State, request: Request, me: AnyUnit, order: om.Order) -> AnyUnit | None:
    """Return the only unit that IT or EACH can mean when the condition of an order is true.

    The result is ``None`` if IT or EACH may mean different units, depending on how play goes.
    """
    its_units = [verdict.it for verdict in _verdicts(state, request, me, order) if not verdict.why]
    units = {who.unit.name: who.unit for who in its_units if who is not None and who.unit is not None}
    return only([*units.values()]) if all(who is not None and who.unit is not None for who in its_units) else None


def aimed_at(activity: om.Activity) -> list[om.UnitRef]:
    """Return the references (names, IT, NEAREST …) by which an activity says on which units it acts."""
    return [activity.who] if isinstance(activity, om.Guide) else named_in(activity)


def _common_reason(ways: Sequence[WayVerdict]) -> str:
    return ways[0].why if all(verdict.why for verdict in ways) else ""


def _verdicts(
    state: State, request: Request, me: AnyUnit, line: om.Order | om.Reaction | om.Tac
) -> Iterator[WayVerdict]:
    at = request.through if isinstance(line, om.Order) and line.last else line.at
    does = line.does if isinstance(line, om.Order) else ()
    steered = line.pilot.unit if isinstance(line, om.Reaction) and line.pilot is not None else None
    for way in [()] if line.condition is None else _ways(line.condition):
        yield _WayExaminer(state, request, me, at).verdict(way, does, steered)


def _ways(condition: om.Condition, truth: bool = True) -> list[Way]:
    """Return the ways (combinations of parts) in which a condition may be true.

    With ``truth`` false, return the ways in which the condition may be false. If there are too many ways, the result is
    one empty way, which excludes nothing.
    """
    match condition:
        case om.Negation(of=part):
            return _ways(part, not truth)
        case om.All(of=parts) | om.AnyOf(of=parts):
            each = [_ways(part, truth) for part in parts]
            if isinstance(condition, om.All) != truth:
                found = [way for ways in each for way in ways]
            elif prod(map(len, each)) > _MOST_WAYS:
                return [()]
            else:
                found = [tuple(one for way in chosen for one in way) for chosen in product(*each)]
            return found if len(found) <= _MOST_WAYS else [()]
        case om.SimpleCondition():
            return [((condition, truth),)]
    raise AssertionError(f"{type(condition).__name__} is no condition")


class _WayExaminer(WayNotes):
    """The examination of one way to make a condition true.

    A way is a combination of parts of the condition that makes the whole condition true. The object collects what the
    way requires of each unit, and judges whether this is possible.
    """

    def verdict(self, way: Way, does: Sequence[om.Activity] = (), steered: om.UnitRef | None = None) -> WayVerdict:
        """Return the verdict on one way (combination of parts) to make the condition of an order true.

        ``does`` are the activities of the order. ``steered`` is the unit that a pilot order names as its goal.
        """
        self._collect(way, does)
        reason = self.never or self._impulse() or next(filter(None, map(self._contradiction, [*self.met.values()])), "")
        if reason:
            return WayVerdict(f"its condition can never hold: {reason}", self.it)
        why = next(filter(None, (self._undoable(activity) for activity in does)), "")
        if steered is not None and steered.how not in ("hex", "edge") and (who := self.who(steered)).destroyed:
            why = _no_more(who)
        return WayVerdict(f"it can never act: {why}" if why else "", self.it)

    def _collect(self, way: Way, does: Sequence[om.Activity]) -> None:
        """Record the requirements of all parts of a way; parts about the target of the order come last."""
        of_target = [part for part in way if asks_target(part[0])]
        for part, truth in way:
            if (part, truth) not in of_target:
                MEANINGS[type(part)].possible(part, truth, self)
        refs = [ref for activity in does for ref in aimed_at(activity)]
        self.target = self.who(refs[0]) if refs else None
        for part, truth in of_target:
            MEANINGS[type(part)].possible(part, truth, self)

    # --- what is impossible ---

    def _impulse(self) -> str:
        if not self.tests or any(all(test.met_by(one) for test in self.tests) for one in self.impulses):
            return ""
        tests = " and ".join(map(_text, self.tests))
        if self.at is not None:
            return f"impulse {self.at} is not {tests}"
        first, last = self.impulses[0], self.impulses[-1]
        none = "none of them is" if last > first else "that is not"
        return f"these orders cover {impulses_in_words(first, last)}, and {none} {tests}"

    def _contradiction(self, who: Who) -> str:
        """Return the reason why the requirements for one unit can never all be true at once.

        The result is empty if all requirements can be true together.
        """
        if who.destroyed and who.in_play:
            return f"{who.destroyed} and {who.in_play} cannot both be true: a destroyed unit is out of play"
        if who.never:
            return who.never
        if who.myself and who.destroyed:
            return f"a destroyed {self.me.name} has no more orders"
        for what, tests in who.numbers.items():
            if who.myself and what in ("RANGE", "WITHIN", "IN"):
                return f"{self.me.name} cannot use {what} of itself"
            most, parts = self._most(who, what), self._parts(what)
            scaled = [msgspec.structs.replace(test, value=test.value * parts) for test in tests]
            if not _possible(scaled, None if most is None else most * parts):
                of = "" if who.myself else f" of {who.called}"
                return f"{what}{of} is never {' and '.join(map(_text, tests))}"
        return ""

    def _most(self, who: Who, what: str) -> int | None:
        """Return the highest possible value of a unit's SPEED or other number; ``None`` if there is no limit."""
        ship = who.ship
        if what == "SPEED":  # one hex an impulse; for ships one less in turns of 32 impulses (C1.4, C1.42)
            return self.state.impulses if ship is None else charts.turn_length(self.state.impulses).ship
        if ship is None:
            return None
        if what.startswith("#"):
            return ship_class(ship.ship).shields[int(what[1]) - 1]
        if what.startswith("AMMO"):
            spec = ship_class(ship.ship).named.get(what.removeprefix("AMMO "))
            return spec.ammo if spec is not None else None
        return ship_class(ship.ship).boxes.get("battery", 0) if what == "BATTERIES" else None

    def _parts(self, what: str) -> int:
        """Return 2 for a quantity that may include half points, such as CAPACITOR, otherwise 1.

        ``what`` names the quantity. Values in comparisons are multiplied by the result, so that half points become
        whole numbers. With fractional accounting batteries store any part of a point; here they are treated as if they
        stored halves (E2.1, B3.2).
        """
        return 2 if what == "CAPACITOR" or (what == "BATTERIES" and self.state.options.fractional) else 1

    def _undoable(self, activity: om.Activity) -> str:
        """Return why an activity is impossible whenever the condition is true, or an empty string."""
        me = self.met.get(self.me.name)
        if me is not None and me.cloaked and isinstance(activity, om.Fire | om.Launch):
            return f"{self.me.name} cannot use weapons while it is CLOAKED (G13.0)"
        if me is not None and (reason := _without_stores(activity, me)):
            return reason
        for who in map(self.who, aimed_at(activity)):
            if who.destroyed:
                return _no_more(who)
            if isinstance(activity, om.Guide) and who.foe:
                return f"{who.called} is the enemy's; guide your own, one like KD/1 or several like KD/*"
            reason = _out_of_reach(activity, who, self.me) or _of_no_use(activity, who, self.me)
            if reason:
                return reason
        return ""


def _no_more(who: Who) -> str:
    return f"{who.destroyed} is true only when {who.called} is gone, and then the order has no target"


def _text(test: om.Compare) -> str:
    return test.text


def _possible(tests: Iterable[om.Compare], most: int | None) -> bool:
    """Return whether some whole number from 0 to ``most`` satisfies all comparisons."""
    low, high, never = 0, most, set[int]()
    for test in tests:
        value = test.value
        if test.op in (">", ">=", "="):
            low = max(low, value + (test.op == ">"))
        if test.op in ("<", "<=", "="):
            below = value - (test.op == "<")
            high = below if high is None else min(high, below)
        if test.op == "!=":
            never.add(value)
    while low in never:
        low += 1
    return high is None or low <= high


def _between(tests: Iterable[om.Compare], low: int, high: int) -> bool:
    """Return whether at least one range from ``low`` to ``high`` hexes satisfies all comparisons."""
    return _possible([*tests, om.Compare(op=">=", value=low), om.Compare(op="<=", value=high)], None)


def _without_stores(activity: om.Activity, me: Who) -> str:
    """Return the reason why the ship lacks energy or ammunition for an activity.

    The result is empty if she may have enough at some time when the condition of the order is true.
    """
    match activity:
        case om.Launch(weapon=weapon):
            what, wanted = f"AMMO {weapon}", "a drone is left to launch"
        case om.Reserve() | om.Reinforce():
            what, wanted = "BATTERIES", "a battery has a charge to give"
        case _:
            return ""
    tests = me.numbers.get(what, [])
    if _possible([*tests, om.Compare(op=">=", value=1)], None):
        return ""
    return f"its condition needs {what} {' and '.join(map(_text, tests))}, but it acts only while {wanted}"


def _out_of_reach(activity: om.Activity, who: Who, me: AnyUnit) -> str:
    """Return the reason why no weapon of an order reaches its target.

    The result is empty if some weapon reaches the target at a range that the condition of the order allows.
    """
    tests = who.numbers.get("RANGE", [])
    if not tests:
        return ""
    needed = f"a range of {' and '.join(map(_text, tests))} to {who.called}"
    match activity:
        case om.Fire() if who.shuttle:
            far = charts.shuttles().fire_range
            return _beyond(tests, far, f"weapons can fire at shuttles from {several(far, 'hex', 'hexes')}", needed)
        case om.Fire() if isinstance(me, Ship):
            reach = [(name, *_reach(name, me)) for name in _weapons(activity, me)]
            if reach and not any(_between(tests, low, high) for _, low, high in reach):
                name, low, high = reach[0]
                return f"{name} fires at ranges from {low} to {high}, but the condition needs {needed}"
        case om.Tractor():
            return _beyond(
                tests,
                charts.tractors().range,
                f"tractor beams reach {several(charts.tractors().range, 'hex', 'hexes')}",
                needed,
            )
        case om.Transport():
            reach_ = charts.transporters().range
            return _beyond(tests, reach_, f"transporters reach {several(reach_, 'hex', 'hexes')}", needed)
        case om.LaunchProbe():
            return _beyond(
                tests, charts.probes().range, f"probes reach {several(charts.probes().range, 'hex', 'hexes')}", needed
            )
    return ""


def _beyond(tests: Iterable[om.Compare], reach: int, limit: str, needed: str) -> str:
    return "" if _between(tests, 0, reach) else f"{limit} at most, but the condition needs {needed}"


def _reach(weapon: str, ship: Ship) -> tuple[int, int]:
    spec = ship_class(ship.ship).named[weapon]
    return min_range(spec.kind), max_range(spec.kind, spec.max_range)


def _weapons(fire: om.Fire, ship: Ship) -> Iterator[str]:
    """Yield the SSD names of the ship's weapons that a FIRE order selects."""
    named_ = {name: spec.kind for name, spec in ship_class(ship.ship).named.items() if is_direct_fire(spec.kind)}
    for wanted in fire.weapons:
        group, _, kind = wanted.partition(" ")
        if group == "HEAVY":
            yield from (name for name, each in named_.items() if is_heavy(each))
        elif group == "ALL":
            yield from (name for name in named_ if not kind or name.split()[0] == kind)
        elif wanted in named_:
            yield wanted


def _of_no_use(activity: om.Activity, who: Who, me: AnyUnit) -> str:
    """Return why an activity never has an effect on this type of unit, or an empty string if it may."""
    match activity:
        case om.Fire() if who.plasma and isinstance(me, Ship):
            meant = [*_weapons(activity, me)]
            kinds = ship_class(me.ship).named
            if meant and not any(is_phaser(kinds[name].kind) for name in meant):
                return f"{who.called} is a plasma torpedo; only phasers harm one (FP1.6)"
        case om.Launch() | om.LaunchShuttle() if who.plasma:
            return f"{who.called} is a plasma torpedo; seeking weapons cannot attack one (FD1.3)"
        case om.Tractor() if who.plasma:
            return f"{who.called} is a plasma torpedo; no tractor beam holds one (G7.26)"
        case om.Transport() if who.what in _SMALL:
            return f"{who.called} is a seeking weapon; nobody can be beamed to one (G8.11)"
        case om.LaunchProbe() if who.what in (*_SMALL, "shuttle"):
            return f"{who.called} is not a ship or monster; probes are only for those (G5.3)"
    return ""
