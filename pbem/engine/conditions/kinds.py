"""The meaning of each kind of condition: when it is true, and what must be so for it to become true.

A condition depends on finished steps only. It is evaluated with the state at the start of its step, and with the pulses
(shots, launches and damage) since the same step of the previous impulse, so that it sees each pulse once. A condition
for movement is evaluated with the state just before its unit moves (C1.3). The condition of a break (on which play
stops for new orders) is evaluated after each step, with the pulses of that step. See docs/orders.md.

Each kind of :mod:`pbem.orders.conditions` has one class here, registered by :func:`meaning_of`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, Generic, TypeVar

import msgspec

from pbem.data.ships import ship_class
from pbem.data.terms import PulseKind, UnitFate
from pbem.engine.conditions.notes import WayNotes, Who
from pbem.engine.conditions.scene import Scene, candidates, nearest_first, units_of
from pbem.engine.state import AnyUnit, Commanded, Planet, Pulse, Seeker, Ship, Shuttle, State
from pbem.engine.steps.geometry import bears, near_side, position_before, range_between, shield_up, struck_shield
from pbem.engine.steps.plasma import is_plasma, outlived
from pbem.engine.steps.sensors import veil_of
from pbem.orders import conditions
from pbem.orders.names import ME, Compare, UnitRef
from pbem.rules import hexes
from pbem.rules.direct_fire import is_direct_fire, is_heavy, is_phaser, shots_fired
from pbem.rules.movement import quarter
from pbem.rules.weapons import family, phaser_cost, shots

C = TypeVar("C", bound=conditions.SimpleCondition)

_OPPOSITE: Final = {"<=": ">", ">": "<=", "<": ">=", ">=": "<", "=": "!=", "!=": "="}


class ConditionResult(msgspec.Struct, frozen=True):
    """The result of evaluating a condition: whether it is true, and for which units.

    ``its`` are the names of these units, nearest first; the words IT and EACH refer to them. It is ``None`` if the
    condition names no units.
    """

    true: bool
    its: tuple[str, ...] | None = None


NO = ConditionResult(False)
YES = ConditionResult(True)


class ConditionMeaning(ABC, Generic[C]):
    """Base class for the meaning of one kind of condition.

    A subclass says whether a condition of its kind is true now, and what must be the case in the game when it is true.
    """

    @abstractmethod
    def holds(self, condition: C, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the condition is true in the scene, and for which units.

        ``its`` are the units for which all parts that precede this condition in an AND are true.
        """

    @abstractmethod
    def possible(self, condition: C, true: bool, notes: WayNotes) -> None:
        """Record in the notes what must be the case in the game if the condition is true.

        If ``true`` is false, a NOT precedes the condition, and the notes record what must be the case if it is false.
        """

    def at_impulse(self, condition: C, impulse: int) -> bool | None:
        """Return whether the condition is true in a given impulse.

        The result is ``None`` if the impulse number alone does not decide it.
        """
        return None

    def is_same_for_all(self, condition: C) -> bool:
        """Return whether the result is the same whichever unit's order contains the condition."""
        return False


MEANINGS: Final[dict[type[conditions.SimpleCondition], ConditionMeaning[Any]]] = {}
"""Dict of each kind of condition to the object that gives its meaning."""

M = TypeVar("M", bound=ConditionMeaning[Any])


def meaning_of(kind: type[conditions.SimpleCondition]) -> Callable[[type[M]], type[M]]:
    """Return a decorator that registers a class as the meaning of a kind of condition."""

    def register(meaning: type[M]) -> type[M]:
        MEANINGS[kind] = meaning()
        return meaning

    return register


def holds(condition: conditions.Condition, scene: Scene, its: tuple[str, ...] | None = None) -> ConditionResult:
    """Return whether ``condition`` is true in ``scene``, and for which units.

    AND passes the units found so far on to its next part. OR combines the units of all its parts, nearest first.
    """
    match condition:
        case conditions.SimpleCondition():
            return MEANINGS[type(condition)].holds(condition, scene, its)
        case conditions.All(of=parts):
            # Evaluate parts about the target last, because other parts decide which units IT and EACH mean.
            for part in sorted(parts, key=asks_target) if scene.aim else parts:
                answer = holds(part, scene, its)
                if not answer.true:
                    return NO
                its = its if answer.its is None else answer.its
            return ConditionResult(True, its)
        case conditions.AnyOf(of=parts):
            answers = [holds(part, scene, its) for part in parts]
            found = [name for answer in answers if answer.true for name in answer.its or ()]
            met = [scene.state.units[name] for name in dict.fromkeys(found)]
            return ConditionResult(
                any(a.true for a in answers), tuple(u.name for u in nearest_first(met, scene)) or its
            )
        case conditions.Negation(of=part):
            return ConditionResult(not holds(part, scene, its).true, its)
        case _:
            raise AssertionError(f"{type(condition).__name__} is no condition")


def asks_target(condition: conditions.Condition) -> bool:
    """Return whether a condition names no unit (``RANGE <= 4``) and so is about the order's target."""
    return any(ref is not None and ref.how == "target" for ref in map(conditions.subject, conditions.parts(condition)))


def at_impulse(condition: conditions.Condition, impulse: int) -> bool | None:
    """Return whether a simple condition is true in a given impulse.

    The result is ``None`` if the number of the impulse alone does not decide it.
    """
    if not isinstance(condition, conditions.SimpleCondition):
        return None
    return MEANINGS[type(condition)].at_impulse(condition, impulse)


# --- conditions about units -------------------------------------------------------------------------------------------


class UnitMeaning(ConditionMeaning[C]):
    """Base class for conditions that name units and are true if they are true for one of these units.

    The word IT in the order then means the units for which the condition is true. If ``gone`` is set, the condition may
    also be true for units out of play. If ``just_now`` is set, it asks what units did in the step just finished.
    ``in_play`` is the keyword of the condition (for messages) if the condition is true only for a unit in play,
    otherwise empty.
    """

    gone: ClassVar[bool] = False
    just_now: ClassVar[bool] = False
    in_play: ClassVar[str] = ""

    @abstractmethod
    def is_true_of(self, condition: C, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the condition is true for the given unit."""

    def reach(self, condition: C) -> int | None:
        """Return the distance in hexes beyond which the condition cannot be true for any unit.

        The result is ``None`` if there is no limit.
        """
        return None

    def holds(self, condition: C, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the condition is true for at least one unit that it names, and for which units."""
        if self.just_now and not scene.pulses:
            return NO
        ref: UnitRef = getattr(condition, condition.about)
        if ref.how == "target" and scene.aim:
            ref = UnitRef(how=scene.aim)
        if ref.how in ("it", "nearest"):
            met = [
                unit for unit in units_of(ref, scene, its, gone=self.gone) if self.is_true_of(condition, unit, scene)
            ]
        else:
            near = candidates(ref, scene, its, self.gone, self.reach(condition))
            met = [unit for unit in near if self.is_true_of(condition, unit, scene)]
            met = met if ref.how == "each" else nearest_first(met, scene)
        if not met:
            return NO
        return ConditionResult(True, its if ref.how in ("me", "target") else tuple([unit.name for unit in met]))

    def possible(self, condition: C, true: bool, notes: WayNotes) -> None:
        """Record in the notes what must be true of the unit that the condition names.

        After NOT little can be recorded, because the whole is also true if the unit is out of play. IT then means no
        unit.
        """
        ref: UnitRef = getattr(condition, condition.about)
        if not true:
            self.deny(condition, ref, notes)
            return
        who = notes.target if ref.how == "target" and notes.target is not None else notes.who(ref)
        if ref.how not in ("me", "target", "it", "each"):
            notes.it = who
        who.never = who.never or self.why_never(condition, who)
        who.in_play = self.in_play or who.in_play
        self.state_of(condition, who)

    def state_of(self, condition: C, who: Who) -> None:
        """Record in the notes what a unit must be, besides in play, for the condition to be true."""
        return

    def deny(self, condition: C, ref: UnitRef, notes: WayNotes) -> None:
        """Record in the notes what must be true of the named unit if the condition is false.

        This method is called for a condition after NOT.
        """
        return

    def why_never(self, condition: C, who: Who) -> str:
        """Return why the condition can never be true for this type of unit, or an empty string if it can."""
        return ""

    def is_same_for_all(self, condition: C) -> bool:
        """Return whether the condition refers to the same units whichever unit's order contains it."""
        ref: UnitRef = getattr(condition, condition.about)
        return ref.how in ("any", "name")


class BetweenMeaning(UnitMeaning[C]):
    """Base class for conditions about two units: the unit with the order and another unit.

    The distance to a planet is measured to the planet's hex nearest to the unit with the order.
    """

    @abstractmethod
    def is_true_between(self, condition: C, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the condition is true for ``me``, the unit with the order, and another unit."""

    def is_true_of(self, condition: C, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the condition is true for a unit; it is never true for the unit with the order."""
        me, state = scene.me, scene.state
        if me is None or unit.name == me.name:
            return False
        return self.is_true_between(condition, me, near_side(state, me, unit), state)

    def is_same_for_all(self, condition: C) -> bool:
        """Return false, because the result depends on the unit that has the order."""
        return False


@meaning_of(conditions.Range)
class RangeMeaning(BetweenMeaning[conditions.Range]):
    """The condition RANGE: compares the range to a unit with a number (D1.4)."""

    in_play = "RANGE"

    def is_true_between(self, condition: conditions.Range, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the range in hexes satisfies the comparison."""
        return condition.test.met_by(range_between(state, me, unit))

    def state_of(self, condition: conditions.Range, who: Who) -> None:
        """Record in the notes that the range to the unit must satisfy the comparison."""
        who.compared("RANGE", condition.test)


@meaning_of(conditions.Within)
class WithinMeaning(BetweenMeaning[conditions.Within]):
    """The condition WITHIN: a unit is within a number of hexes."""

    in_play = "WITHIN"

    def is_true_between(
        self, condition: conditions.Within, me: Commanded | Seeker, unit: AnyUnit, state: State
    ) -> bool:
        """Return whether the range is at most the number of hexes in the condition."""
        return range_between(state, me, unit) <= condition.hexes

    def reach(self, condition: conditions.Within) -> int | None:
        """Return the number of hexes in the condition."""
        return condition.hexes

    def state_of(self, condition: conditions.Within, who: Who) -> None:
        """Record in the notes that the range to the unit must not exceed the number of hexes."""
        who.compared("RANGE", Compare(op="<=", value=condition.hexes))


@meaning_of(conditions.InArc)
class InArcMeaning(BetweenMeaning[conditions.InArc]):
    """The condition IN: a unit is inside an arc (D2.0)."""

    in_play = "IN"

    def is_true_between(self, condition: conditions.InArc, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the other unit is inside the arc."""
        return bears(state, me, unit, condition.arc)


@meaning_of(conditions.FacedShield)
class FacedShieldMeaning(BetweenMeaning[conditions.FacedShield]):
    """The condition FACED SHIELD: compares the boxes of the shield that a shot would hit now (D3.41)."""

    in_play = "FACED SHIELD"

    def is_true_between(
        self, condition: conditions.FacedShield, me: Commanded | Seeker, unit: AnyUnit, state: State
    ) -> bool:
        """Return whether the number of boxes of the shield that a shot would hit satisfies the comparison."""
        if not isinstance(unit, Ship):
            return False
        stops = shield_up(unit, struck_shield(state, unit, me))
        return stops == 0 if condition.is_ == "down" else condition.test is not None and condition.test.met_by(stops)

    def why_never(self, condition: conditions.FacedShield, who: Who) -> str:
        """Return the reason why the condition is never true of a unit that is no ship, or an empty text.

        The reason is that only ships have shields.
        """
        return f"{who.called} has no shields" if who.seeker or who.shuttle else ""


@meaning_of(conditions.ShieldIs)
class ShieldIsMeaning(UnitMeaning[conditions.ShieldIs]):
    """The condition about one numbered shield of a ship, #1 to #6."""

    gone = True

    def is_true_of(self, condition: conditions.ShieldIs, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the shield is down, was hit, or has the number of boxes that the condition asks for."""
        if not isinstance(unit, Ship):
            return False
        left = unit.shields[condition.number - 1]
        match condition.is_:
            case "down":
                return left == 0 or f"#{condition.number}" in unit.lowered
            case "hit":
                return any(
                    p.what == PulseKind.DAMAGED and p.unit == unit.name and p.shield == condition.number
                    for p in scene.pulses
                )
            case _:
                return condition.test is not None and condition.test.met_by(left)

    def state_of(self, condition: conditions.ShieldIs, who: Who) -> None:
        """Record in the notes that the number of the shield's boxes must satisfy the comparison."""
        if condition.is_ == "boxes" and condition.test is not None:
            who.compared(f"#{condition.number}", condition.test)

    def why_never(self, condition: conditions.ShieldIs, who: Who) -> str:
        """Return the reason why the condition is never true of a unit that is no ship, or an empty text.

        The reason is that only ships have shields.
        """
        return f"{who.called} has no shields" if who.seeker or who.shuttle else ""


@meaning_of(conditions.Speed)
class SpeedMeaning(UnitMeaning[conditions.Speed]):
    """The condition SPEED: compares the speed of a unit with a number."""

    in_play = "SPEED"

    def is_true_of(self, condition: conditions.Speed, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit's speed satisfies the comparison."""
        return condition.test.met_by(unit.speed)

    def state_of(self, condition: conditions.Speed, who: Who) -> None:
        """Record in the notes that the unit's speed must satisfy the comparison."""
        who.compared("SPEED", condition.test)


@meaning_of(conditions.Internals)
class InternalsMeaning(UnitMeaning[conditions.Internals]):
    """The condition INTERNALS: compares the internal damage points of a unit with a number.

    In a RESERVE order it compares the internal damage of the volley that is about to be scored.
    """

    gone = True

    def is_true_of(self, condition: conditions.Internals, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the internal damage points satisfy the comparison."""
        return condition.test.met_by(_internals(unit, scene))

    def state_of(self, condition: conditions.Internals, who: Who) -> None:
        """Record in the notes that the unit's internal damage points must satisfy the comparison."""
        who.compared("INTERNALS", condition.test)


def _internals(unit: AnyUnit, scene: Scene) -> int:
    if scene.coming is not None and scene.me is not None and unit.name == scene.me.name:
        return scene.coming
    return sum(p.internals for p in scene.pulses if p.unit == unit.name)


@meaning_of(conditions.Became)
class BecameMeaning(UnitMeaning[conditions.Became]):
    """The conditions DESTROYED, DAMAGED, CLOAKED and CLOSING."""

    gone = True

    def is_true_of(self, condition: conditions.Became, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit is, or has just become, what the condition says."""
        match condition.what:
            case "DESTROYED":
                return unit.gone == UnitFate.DESTROYED
            case "DAMAGED":
                return any(
                    p.what == PulseKind.DAMAGED and p.unit == unit.name and p.boxes + p.internals > 0
                    for p in scene.pulses
                )
            case "CLOSING":
                return unit.in_play and scene.me is not None and unit.name != scene.me.name and _closing(unit, scene)
            case "CLOAKED":
                return isinstance(unit, Ship) and unit.in_play and veil_of(scene.state, unit).hidden
            case _:
                raise KeyError(condition.what)

    def state_of(self, condition: conditions.Became, who: Who) -> None:
        """Record in the notes that the unit is destroyed, or that it is in play."""
        if condition.what == "DESTROYED":
            who.destroyed = f"{who.called} DESTROYED"
        elif condition.what in ("CLOSING", "CLOAKED"):
            who.in_play = condition.what
            who.cloaked = who.cloaked or condition.what == "CLOAKED"

    def deny(self, condition: conditions.Became, ref: UnitRef, notes: WayNotes) -> None:
        """Record in the notes that the unit is in play, for the condition NOT DESTROYED."""
        if condition.what == "DESTROYED" and ref.how in ("name", "me"):
            notes.who(ref).in_play = "NOT DESTROYED"

    def is_same_for_all(self, condition: conditions.Became) -> bool:
        """Return whether the result is the same whichever unit's order contains the condition.

        For CLOSING the result differs, because it is about the distance to the unit with the order.
        """
        return condition.what != "CLOSING" and super().is_same_for_all(condition)


def _closing(unit: AnyUnit, scene: Scene) -> bool:
    """Return whether the last change of the range between a unit and ``me`` made it smaller.

    ``me`` is the unit with the order. Only recent moves of this turn count: at most as many as a quarter turn has
    impulses.
    """
    state, me = scene.state, scene.me
    assert me is not None
    turn_began = (state.turn - 1) * state.impulses
    counts_from = max([turn_began, *(u.launched for u in (me, unit) if isinstance(u, Seeker | Shuttle))])
    until = state.moment if scene.moving else state.moment + 1

    def between(before: int) -> int:
        a, b = position_before(me, before), position_before(unit, before)
        return min(hexes.distance(a.hex, hex_, state.grid) for hex_ in _hexes(unit, b.hex))

    now = between(until)
    moments = {p.moment for p in (*me.track, *unit.track) if counts_from < p.moment < until}
    latest = sorted(moments, reverse=True)[: quarter(state.impulses)]
    earlier = (between(moment) for moment in latest)
    return next((was > now for was in earlier if was != now), False)


def _hexes(unit: AnyUnit, hex_: str) -> Sequence[str]:
    """Return the hexes that a unit occupies if it is in ``hex_``.

    A planet may occupy several hexes, every other unit occupies one.
    """
    return unit.hexes if isinstance(unit, Planet) and unit.hexes else (hex_,)


@meaning_of(conditions.Launches)
class LaunchesMeaning(UnitMeaning[conditions.Launches]):
    """The condition LAUNCHES: a unit has just launched something."""

    just_now = True
    in_play = "LAUNCHES"

    def is_true_of(self, condition: conditions.Launches, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit has just launched what the condition asks for."""
        return any(
            p.what == PulseKind.LAUNCHED and p.unit == unit.name and _is_launch(p, condition.what) for p in scene.pulses
        )

    def why_never(self, condition: conditions.Launches, who: Who) -> str:
        """Return why the unit can launch nothing that the condition asks for, or an empty string if it can."""
        if who.seeker or who.shuttle:
            return f"{who.called} launches nothing"
        if who.ship is not None and condition.what in ("DRONE", "PLASMA"):
            kinds = [spec.kind for spec in ship_class(who.ship.ship).weapons if family(spec.kind).launches]
            if not any(is_plasma(kind) == (condition.what == "PLASMA") for kind in kinds):
                return f"{who.called} has no {condition.what} to launch"
        return ""


def _is_launch(launch: Pulse, what: str) -> bool:
    """Return whether a launch is one that the condition ``LAUNCHES what`` asks for.

    ``what`` is ``SEEKER``, one type of unit, or empty for any launch.
    """
    kinds = {"": ("",), "SEEKER": ("drone", "plasma", "suicide")}.get(what, (what.lower(),))
    return launch.kind.startswith(kinds)


@meaning_of(conditions.Fires)
class FiresMeaning(UnitMeaning[conditions.Fires]):
    """The condition FIRES: a unit has just fired a weapon."""

    just_now = True
    in_play = "FIRES"

    def is_true_of(self, condition: conditions.Fires, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit has just fired what the condition asks for."""
        return any(
            p.what == PulseKind.FIRED and p.unit == unit.name and _fires_a(p, condition.what) for p in scene.pulses
        )

    def why_never(self, condition: conditions.Fires, who: Who) -> str:
        """Return why the unit can fire nothing that the condition asks for, or an empty string if it can."""
        what = condition.what
        if who.seeker or (who.shuttle and what not in ("", "PH")):
            return f"{who.called} FIRES {what}".rstrip() + ": it has no such weapon"
        if who.ship is not None and what:
            specs = [spec for spec in ship_class(who.ship.ship).weapons if is_direct_fire(spec.kind)]
            if not any(is_heavy(spec.kind) if what == "HEAVY" else spec.name.split()[0] == what for spec in specs):
                return f"{who.called} has no {what} to fire"
        return ""


def _fires_a(shot: Pulse, what: str) -> bool:
    """Return whether a shot is one that the condition ``FIRES what`` asks for.

    ``what`` is ``HEAVY``, the first word of a weapon's name on the SSD, such as ``PH``, or empty for any shot.
    """
    if not what:
        return True
    if what == "HEAVY":
        return is_heavy(shot.kind)
    return shot.weapon.split()[0] == what


@meaning_of(conditions.Reaches)
class ReachesMeaning(UnitMeaning[conditions.Reaches]):
    """The condition REACHES: a unit is in the named hex."""

    in_play = "REACHES"

    def is_true_of(self, condition: conditions.Reaches, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit is in the hex."""
        return unit.hex == condition.hex

    def state_of(self, condition: conditions.Reaches, who: Who) -> None:
        """Record in the notes that the unit must be in the hex."""
        if who.hex not in ("", condition.hex):
            who.never = f"{who.called} cannot stand in {who.hex} and in {condition.hex}"
        who.hex = condition.hex


# --- conditions about the time and about my own ship ------------------------------------------------------------------


@meaning_of(conditions.Impulse)
class ImpulseMeaning(ConditionMeaning[conditions.Impulse]):
    """The condition IMPULSE: compares the number of the present impulse with a number."""

    def holds(self, condition: conditions.Impulse, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the present impulse satisfies the comparison."""
        return ConditionResult(condition.test.met_by(scene.state.impulse), its)

    def possible(self, condition: conditions.Impulse, true: bool, notes: WayNotes) -> None:
        """Record in the notes that the impulse must satisfy the comparison, or must not if ``true`` is false."""
        notes.tests.append(
            condition.test if true else Compare(op=_OPPOSITE[condition.test.op], value=condition.test.value)
        )

    def at_impulse(self, condition: conditions.Impulse, impulse: int) -> bool | None:
        """Return whether the given impulse satisfies the comparison."""
        return condition.test.met_by(impulse)

    def is_same_for_all(self, condition: conditions.Impulse) -> bool:
        """Return true, because the impulse is the same for all units."""
        return True


def _of_a_ship(notes: WayNotes, true: bool) -> bool:
    """Return whether the unit with the order is a ship.

    If it is not a ship, the notes record that the condition is never true, because only ships have weapons and stores.
    If ``true`` is false, a NOT precedes the condition, and nothing is recorded.
    """
    if isinstance(notes.me, Ship):
        return True
    if true:
        notes.who(ME).never = f"{notes.me.name} is no ship, and only ships have weapons and stores"
    return False


@meaning_of(conditions.Armed)
class ArmedMeaning(ConditionMeaning[conditions.Armed]):
    """The condition ARMED: weapons of the unit with the order are ready to fire."""

    def holds(self, condition: conditions.Armed, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether all weapons that the condition names are ready to fire."""
        me, now = scene.me, scene.state
        return ConditionResult(isinstance(me, Ship) and all(_armed(me, name, now) for name in condition.weapons), its)

    def possible(self, condition: conditions.Armed, true: bool, notes: WayNotes) -> None:
        """Record in the notes that the condition is never true for a unit that is not a ship."""
        _of_a_ship(notes, true)


def _armed(me: Ship, name: str, state: State) -> bool:
    """Return whether a weapon of the ship ``me`` is ready to fire.

    A weapon is ready if it is armed or powered, or if the phaser capacitor has the energy for it. A phaser-G is also
    ready while it has shots left that are already paid for (E2.1). A destroyed plasma tube is ready while it may still
    launch the torpedo that it had armed (FP1.7).
    """
    weapon = me.weapons.get(name)
    if weapon is None or not (weapon.working or outlived(weapon, state.moment, state.impulses)):
        return False
    if is_phaser(weapon.kind):
        fired = shots_fired(weapon.fired, weapon.shots, state.moment, state.impulses)
        return me.power.capacitor >= phaser_cost(weapon.kind) or 0 < fired < shots(weapon.kind)
    return family(weapon.kind).loaded(weapon.charge, weapon.ammo)


@meaning_of(conditions.Own)
class OwnMeaning(ConditionMeaning[conditions.Own]):
    """The conditions BATTERIES, CAPACITOR and AMMO, which are about the ship that has the order.

    They compare the charge of her batteries or capacitor, or the number of drones left in a rack, with a number.
    """

    def holds(self, condition: conditions.Own, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the charge or the number of drones that the condition names satisfies the comparison."""
        me = scene.me
        return ConditionResult(
            isinstance(me, Ship) and condition.test.met_by(_own(me, condition.what, condition.weapon)), its
        )

    def possible(self, condition: conditions.Own, true: bool, notes: WayNotes) -> None:
        """Record in the notes that the ship's charge or number of drones must satisfy the comparison."""
        if _of_a_ship(notes, true) and true:
            what = " ".join(filter(None, (condition.what.upper(), condition.weapon)))
            notes.who(ME).compared(what, condition.test)


def _own(me: Ship, what: str, weapon: str) -> float:
    match what:
        case "batteries":
            return float(me.power.stored)
        case "capacitor":
            return me.power.capacitor
        case _:
            return me.weapons[weapon].ammo if weapon in me.weapons else 0
