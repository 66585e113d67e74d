"""Find conditions that can never hold, and those that hold only when the order cannot be carried out.

Examples: ``IF x DESTROYED THEN FIRE ALL AT x``, ``RANGE x <= 3 AND RANGE x >= 5``, ``IF ENEMY DRONE WITHIN 3 THEN
GUIDE IT LEFT``. A condition is split into the ways in which it may hold: OR gives several ways, AND joins its
parts. For each way it is noted what it says about each unit: destroyed, in play, or which numbers. Only what is
impossible in every case is reported; nothing that depends on the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Final

import msgspec

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.spans import impulses_in_words
from pbem.engine.checking.units import named_in
from pbem.engine.play.conditions import asks_target, compare, named
from pbem.engine.state import AnyUnit, Request, Seeker, Ship, Shuttle, State
from pbem.engine.steps.plasma import is_plasma
from pbem.orders import model as om
from pbem.orders.names import target_text
from pbem.orders.writer import test_text
from pbem.rules.direct_fire import is_direct_fire, is_heavy, is_phaser, max_range, min_range
from pbem.rules.weapons import family
from pbem.util import only, several

_MOST_WAYS: Final = 64
"""Conditions that may hold in more ways than this are not examined."""
_SMALL: Final = ("drone", "plasma", "seeker")
_OPPOSITE: Final = {"<=": ">", ">": "<=", "<": ">=", ">=": "<", "=": "!=", "!=": "="}

Way = tuple[tuple[om.Condition, bool], ...]
"""Parts of a condition that hold together, each with ``True``, or ``False`` if it is negated (NOT)."""


class Who(msgspec.Struct, kw_only=True):
    """A unit that a way mentions, with what the way says about it.

    Attributes:
        called: How orders name it.
        unit: The unit, if only one can be meant.
        what: The kind of unit to which the reference is limited.
        foe: Whether it is certainly an enemy.
        myself: Whether it is the unit that has the order.
        destroyed: The words by which the way says that it is destroyed; empty if it does not.
        in_play: The words by which the way says that it is in play; empty if it does not.
        never: Why what the way says about it can never be true; empty if it can.
        numbers: The comparisons asked of it, by what is compared (RANGE, SPEED, a shield …).
    """

    called: str
    unit: AnyUnit | None = None
    what: str = ""
    foe: bool = False
    myself: bool = False
    destroyed: str = ""
    in_play: str = ""
    cloaked: bool = False
    hex: str = ""
    never: str = ""
    numbers: dict[str, list[om.Compare]] = {}

    def is_plasma(self) -> bool:
        """Return whether it is certainly a plasma torpedo."""
        return self.what == "plasma" or (isinstance(self.unit, Seeker) and self.unit.weapon == "plasma")


class WayVerdict(msgspec.Struct, frozen=True):
    """The verdict on one way: why it can never be (empty: it may), and the unit that IT means then."""

    why: str = ""
    it: Who | None = None


def never_holds(state: State, request: Request, me: AnyUnit, condition: om.Condition) -> str:
    """Return why a condition of ``me`` can hold in no impulse of a request; empty if it may hold."""
    return _of_all([_Reading(state, request, me).told(way) for way in _ways(condition)])


def never_meets(state: State, request: Request, me: AnyUnit, line: om.Order | om.Reaction | om.Tac) -> str:
    """Return why a line is never carried out, or an empty text if it may be.

    Its condition holds at no moment of the line, or only when nothing can be done to the unit it means.
    """
    return _of_all([*_read(state, request, me, line)])


def surely_it(state: State, request: Request, me: AnyUnit, order: om.Order) -> AnyUnit | None:
    """Return the one unit that IT and EACH mean whenever the condition of an order holds.

    ``None`` means that it is not known.
    """
    meant = [told.it for told in _read(state, request, me, order) if not told.why]
    units = {who.unit.name: who.unit for who in meant if who is not None and who.unit is not None}
    return only([*units.values()]) if all(who is not None and who.unit is not None for who in meant) else None


def aimed_at(activity: om.Activity) -> list[om.UnitRef]:
    """Return the units to which an activity does something."""
    return [activity.who] if isinstance(activity, om.Guide) else named_in(activity)


def _of_all(ways: Sequence[WayVerdict]) -> str:
    return ways[0].why if all(told.why for told in ways) else ""


def _read(state: State, request: Request, me: AnyUnit, line: om.Order | om.Reaction | om.Tac) -> Iterator[WayVerdict]:
    at = request.through if isinstance(line, om.Order) and line.last else line.at
    does = line.does if isinstance(line, om.Order) else ()
    steered = line.pilot.unit if isinstance(line, om.Reaction) and line.pilot is not None else None
    for way in [()] if line.condition is None else _ways(line.condition):
        yield _Reading(state, request, me, at).told(way, does, steered)


def _ways(condition: om.Condition, asked: bool = True) -> list[Way]:
    """Return the ways in which a condition may hold; if there are too many, one way that says nothing."""
    match condition:
        case om.Negation(of=part):
            return _ways(part, not asked)
        case om.All(of=parts) | om.AnyOf(of=parts):
            each = [_ways(part, asked) for part in parts]
            if isinstance(condition, om.All) != asked:
                found = [way for ways in each for way in ways]
            elif prod(map(len, each)) > _MOST_WAYS:
                return [()]
            else:
                found = [tuple(one for way in chosen for one in way) for chosen in product(*each)]
            return found if len(found) <= _MOST_WAYS else [()]
        case _:
            return [((condition, asked),)]


class _Reading:
    """Collects what one way says about every unit it names."""

    def __init__(self, state: State, request: Request, me: AnyUnit, at: int | None = None) -> None:
        self.state, self.me = state, me
        self.met: dict[str, Who] = {}
        self.it: Who | None = None
        self.impulses = range(max(1, request.impulse), request.through + 1) if at is None else range(at, at + 1)
        self.at = at
        self.tests: list[om.Compare] = []

    def told(self, way: Way, does: Sequence[om.Activity] = (), steered: om.UnitRef | None = None) -> WayVerdict:
        """Return the verdict on a way.

        ``does`` are the activities of the order, ``steered`` is the unit that a pilot order steers by.
        """
        of_target = [part for part in way if asks_target(part[0])]
        for part, asked in way:
            if (part, asked) not in of_target:
                self._note(part, asked, None)
        refs = [ref for activity in does for ref in aimed_at(activity)]
        target = self._who(refs[0]) if refs else None
        for part, asked in of_target:
            self._note(part, asked, target)
        said = self._impulse() or next(filter(None, map(self._contradiction, [*self.met.values()])), "")
        if said:
            return WayVerdict(f"its condition can never hold: {said}", self.it)
        why = next(filter(None, (self._undoable(activity) for activity in does)), "")
        if steered is not None and steered.how not in ("hex", "edge") and (who := self._who(steered)).destroyed:
            why = _no_more(who)
        return WayVerdict(f"it can never act: {why}" if why else "", self.it)

    # --- who is who ---

    def _who(self, ref: om.UnitRef) -> Who:
        """Return the entry for a reference.

        The same name is always the same unit; any other reference, like ENEMY, may mean a different one each time.
        """
        if ref.how in ("it", "each"):
            if self.it is None:
                self.it = Who(called=ref.how.upper())
            return self.it
        key = called = target_text(ref)
        unit = None
        if ref.how == "name":
            found = [self.state.units[ref.name]] if ref.name in self.state.units else named(self.state, ref.name)
            unit = only(found)
            key = called = unit.name if unit is not None else ref.name.upper()
        elif ref.how == "me":
            unit, key, called = self.me, self.me.name, "ME"
        else:
            key = f"{called} {len(self.met)}"
        if key not in self.met:
            self.met[key] = Who(
                called=called, unit=unit, what=ref.what, foe=ref.how in ("enemy", "nearest"),
                myself=unit is not None and unit.name == self.me.name,
            )  # fmt: skip
        return self.met[key]

    def _note(self, part: om.Condition, asked: bool, target: Who | None) -> None:
        if isinstance(part, om.Impulse):
            self.tests.append(part.test if asked else _not(part.test))
            return
        if isinstance(part, om.Own | om.Armed) and not isinstance(self.me, Ship):
            if asked:
                self._who(om.ME).never = f"{self.me.name} is no ship, and only ships have weapons and stores"
            return
        if isinstance(part, om.Own):
            if asked:
                what = " ".join(filter(None, (part.what.upper(), part.weapon)))
                self._who(om.ME).numbers.setdefault(what, []).append(part.test)
            return
        ref = om.subject(part)
        if ref is None:
            return
        if not asked:  # a NOT is true of who is out of play, too, and leaves nobody behind
            if isinstance(part, om.Became) and part.what == "DESTROYED" and ref.how in ("name", "me"):
                self._who(ref).in_play = "NOT DESTROYED"
            return
        who = target if ref.how == "target" and target is not None else self._who(ref)
        if ref.how not in ("me", "target", "it", "each"):
            self.it = who
        _say(part, who)

    # --- what cannot be ---

    def _impulse(self) -> str:
        if not self.tests or any(all(compare(one, test) for test in self.tests) for one in self.impulses):
            return ""
        tests = " and ".join(map(test_text, self.tests))
        if self.at is not None:
            return f"impulse {self.at} is not {tests}"
        first, last = self.impulses[0], self.impulses[-1]
        none = "none of them is" if last > first else "that is not"
        return f"these orders cover {impulses_in_words(first, last)}, and {none} {tests}"

    def _contradiction(self, who: Who) -> str:
        """Return why what the way says about a unit can never be true, or an empty text."""
        if who.destroyed and who.in_play:
            return f"{who.destroyed} and {who.in_play} exclude each other: who is destroyed is out of play"
        if who.never:
            return who.never
        if who.myself and who.destroyed:
            return f"the orders of {self.me.name} end with it"
        for what, tests in who.numbers.items():
            if who.myself and what in ("RANGE", "WITHIN", "IN"):
                return f"no {what} is asked of {self.me.name} itself"
            most, parts = self._most(who, what), self._parts(what)
            asked = [msgspec.structs.replace(test, value=test.value * parts) for test in tests]
            if not _possible(asked, None if most is None else most * parts):
                of = "" if who.myself else f" of {who.called}"
                return f"{what}{of} is never {' and '.join(map(test_text, tests))}"
        return ""

    def _most(self, who: Who, what: str) -> int | None:
        """Return the highest possible value of a number, or ``None`` if there is no limit."""
        ship = who.unit if isinstance(who.unit, Ship) else None
        if what == "SPEED":  # a hex an impulse; ships fly one less on the longest chart (C1.4, C1.42)
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
        """Return into how many parts a unit of a number is divided.

        A capacitor holds halves. With fractional accounting batteries hold any part of a point, for which a half is
        used here (E2.1, B3.2).
        """
        return 2 if what == "CAPACITOR" or (what == "BATTERIES" and self.state.options.fractional) else 1

    def _undoable(self, activity: om.Activity) -> str:
        """Return why an activity can never be done to the unit it means when the condition holds, or an empty text."""
        me = self.met.get(self.me.name)
        if me is not None and me.cloaked and isinstance(activity, om.Fire | om.Launch):
            return f"{self.me.name} uses no weapons while it is CLOAKED (G13.0)"
        if me is not None and (said := _without_stores(activity, me)):
            return said
        for who in map(self._who, aimed_at(activity)):
            if who.destroyed:
                return _no_more(who)
            if isinstance(activity, om.Guide) and who.foe:
                return f"{who.called} is of the enemy, and you guide your own: name one, like KD/1, or many, like KD/*"
            said = _out_of_reach(activity, who, self.me) or _of_no_use(activity, who, self.me)
            if said:
                return said
        return ""


def _no_more(who: Who) -> str:
    return f"{who.destroyed} holds only when {who.called} is no more, and then there is nothing to do it to"


def _say(part: om.Condition, who: Who) -> None:
    """Note what a part of a condition says about a unit."""
    who.never = who.never or _never_of(part, who)
    who.in_play = _ONLY_IN_PLAY.get(type(part), who.in_play)
    if (compared := _number_of(part)) is not None:
        what, test = compared
        who.numbers.setdefault(what, []).append(test)
    match part:
        case om.Became(what="DESTROYED"):
            who.destroyed = f"{who.called} DESTROYED"
        case om.Became(what="CLOSING" | "CLOAKED" as what):
            who.in_play = what
            who.cloaked = who.cloaked or what == "CLOAKED"
        case om.Reaches(hex=hex_):
            if who.hex not in ("", hex_):
                who.never = f"{who.called} cannot stand in {who.hex} and in {hex_}"
            who.hex = hex_


_ONLY_IN_PLAY: dict[type, str] = {
    om.Range: "RANGE",
    om.Within: "WITHIN",
    om.Speed: "SPEED",
    om.InArc: "IN",
    om.FacedShield: "FACED SHIELD",
    om.Launches: "LAUNCHES",
    om.Fires: "FIRES",
    om.Reaches: "REACHES",
}
"""Conditions that hold only of a unit in play, with the words that name them."""


def _number_of(part: om.Condition) -> tuple[str, om.Compare] | None:
    """Return what a part of a condition compares with a number, and the comparison; ``None`` if it compares none."""
    match part:
        case om.Range(test=test):
            return "RANGE", test
        case om.Within(hexes=hexes):
            return "RANGE", om.Compare(op="<=", value=hexes)
        case om.Speed(test=test):
            return "SPEED", test
        case om.ShieldIs(is_="boxes", number=number, test=test) if test is not None:
            return f"#{number}", test
        case om.Internals(test=test):
            return "INTERNALS", test
    return None


def _never_of(part: om.Condition, who: Who) -> str:
    """Return why a part of a condition is never true of this kind of unit, or an empty text."""
    ship = ship_class(who.unit.ship) if isinstance(who.unit, Ship) else None
    seeker = who.what in _SMALL or isinstance(who.unit, Seeker)
    shuttle = who.what == "shuttle" or isinstance(who.unit, Shuttle)
    match part:
        case om.ShieldIs() | om.FacedShield() if seeker or shuttle:
            return f"{who.called} has no shields"
        case om.Fires(what=what) if seeker or (shuttle and what not in ("", "PH")):
            return f"{who.called} FIRES {what}".rstrip() + ": it has no such weapon"
        case om.Launches() if seeker or shuttle:
            return f"{who.called} launches nothing"
        case om.Fires(what=what) if ship is not None and what:
            kinds = [spec for spec in ship.weapons if is_direct_fire(spec.kind)]
            if not any(is_heavy(spec.kind) if what == "HEAVY" else spec.name.split()[0] == what for spec in kinds):
                return f"{who.called} has no {what} to fire"
        case om.Launches(what=what) if ship is not None and what in ("DRONE", "PLASMA"):
            if not any(is_plasma(spec.kind) == (what == "PLASMA") for spec in ship.weapons if _launches(spec.kind)):
                return f"{who.called} has no {what} to launch"
    return ""


def _launches(kind: str) -> bool:
    return family(kind).launches


def _not(test: om.Compare) -> om.Compare:
    return om.Compare(op=_OPPOSITE[test.op], value=test.value)


def _possible(tests: Iterable[om.Compare], most: int | None) -> bool:
    """Return whether a whole number from 0 up to ``most`` meets all tests."""
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
    """Return whether a range from ``low`` to ``high`` hexes meets all tests."""
    return _possible([*tests, om.Compare(op=">=", value=low), om.Compare(op="<=", value=high)], None)


def _without_stores(activity: om.Activity, me: Who) -> str:
    """Return why the activity lacks stores whenever the condition holds, or an empty text."""
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
    return f"its condition asks for {what} {' and '.join(map(test_text, tests))}, and it acts only while {wanted}"


def _out_of_reach(activity: om.Activity, who: Who, me: AnyUnit) -> str:
    """Return why nothing reaches a unit at the ranges that the condition leaves, or an empty text."""
    tests = who.numbers.get("RANGE", [])
    if not tests:
        return ""
    asked = f"a range of {' and '.join(map(test_text, tests))} to {who.called}"
    match activity:
        case om.Fire() if who.what == "shuttle" or isinstance(who.unit, Shuttle):
            far = charts.shuttles().fire_range
            return _beyond(tests, far, f"shuttles are fired at from {several(far, 'hex', 'hexes')}", asked)
        case om.Fire() if isinstance(me, Ship):
            reach = [(name, *_reach(name, me)) for name in _weapons(activity, me)]
            if reach and not any(_between(tests, low, high) for _, low, high in reach):
                name, low, high = reach[0]
                return f"{name} fires at ranges from {low} to {high}, and the condition asks for {asked}"
        case om.Tractor():
            return _beyond(
                tests,
                charts.tractors().range,
                f"tractor beams reach {several(charts.tractors().range, 'hex', 'hexes')}",
                asked,
            )
        case om.Transport():
            reach_ = charts.transporters().range
            return _beyond(tests, reach_, f"transporters reach {several(reach_, 'hex', 'hexes')}", asked)
        case om.LaunchProbe():
            return _beyond(
                tests, charts.probes().range, f"probes reach {several(charts.probes().range, 'hex', 'hexes')}", asked
            )
    return ""


def _beyond(tests: Iterable[om.Compare], reach: int, said: str, asked: str) -> str:
    return "" if _between(tests, 0, reach) else f"{said} at most, and the condition asks for {asked}"


def _reach(weapon: str, ship: Ship) -> tuple[int, int]:
    spec = ship_class(ship.ship).named[weapon]
    return min_range(spec.kind), max_range(spec.kind, spec.max_range)


def _weapons(fire: om.Fire, ship: Ship) -> Iterator[str]:
    """Yield the weapons on the SSD that an order to fire means."""
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
    """Return why an activity does nothing to this kind of unit, or an empty text."""
    match activity:
        case om.Fire() if who.is_plasma() and isinstance(me, Ship):
            meant = [*_weapons(activity, me)]
            kinds = ship_class(me.ship).named
            if meant and not any(is_phaser(kinds[name].kind) for name in meant):
                return f"{who.called} is a plasma torpedo, and only phasers harm one (FP1.6)"
        case om.Launch() | om.LaunchShuttle() if who.is_plasma():
            return f"{who.called} is a plasma torpedo, and nothing seeks one (FD1.3)"
        case om.Tractor() if who.is_plasma():
            return f"{who.called} is a plasma torpedo, and no tractor beam holds one (G7.26)"
        case om.Transport() if who.what in _SMALL:
            return f"{who.called} is a seeking weapon, and nobody is beamed to one (G8.11)"
        case om.LaunchProbe() if who.what in (*_SMALL, "shuttle"):
            return f"{who.called} is no ship or monster, and probes are for these (G5.3)"
    return ""
