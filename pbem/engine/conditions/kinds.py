"""The meaning of each kind of condition in play: whether it is true, and whether it can ever be true.

A condition depends on finished steps only: on the state at the start of its step, and on the shots, launches and damage
(``pulses``) since the same step of the impulse before, so that each pulse is seen once. A movement condition sees the
state just before its unit moves (C1.3). A break (a condition on which play stops for new orders) is evaluated after
each step about the events of that step. See docs/orders.md.

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
    """The result of a condition: whether it is true, and for which units.

    ``its`` are the names of these units (the words IT and EACH mean them), nearest first. It is ``None`` if the
    condition names no units.
    """

    true: bool
    its: tuple[str, ...] | None = None


NO = ConditionResult(False)
YES = ConditionResult(True)


class ConditionMeaning(ABC, Generic[C]):
    """Base class for the meaning of one kind of condition.

    A subclass says whether such a condition is true in the present situation, and what follows for the game if it is
    true.
    """

    @abstractmethod
    def holds(self, asked: C, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the condition is true in the scene, and for which units.

        ``asked`` is the condition. ``its`` are the units for which the parts before it, joined by AND, are true.
        """

    @abstractmethod
    def possible(self, asked: C, true: bool, notes: WayNotes) -> None:
        """Record in the notes what must be the case in the game if the condition is true.

        If ``true`` is false, a NOT precedes the condition, and the notes are about the condition being false.
        """

    def at_impulse(self, asked: C, impulse: int) -> bool | None:
        """Return whether the condition is true in a given impulse.

        The result is ``None`` if the impulse number alone does not decide it.
        """
        return None

    def is_same_for_all(self, asked: C) -> bool:
        """Return whether the condition gives the same result whichever unit it is evaluated for."""
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
    """Return whether a condition is about the target of the same order (``RANGE <= 4`` without a unit)."""
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
    """Base class for conditions that name units; one of these units is enough to make them true.

    The word IT in the order then means the units for which the condition is true. Conditions with ``gone`` may also be
    true of units out of play. Conditions with ``just_now`` ask what units did in the step just finished. ``in_play``
    are the words for a condition that is true only of a unit in play.
    """

    gone: ClassVar[bool] = False
    just_now: ClassVar[bool] = False
    in_play: ClassVar[str] = ""

    @abstractmethod
    def is_true_of(self, asked: C, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the condition is true of one unit."""

    def reach(self, asked: C) -> int | None:
        """Return the distance in hexes beyond which the condition is true of no unit.

        The result is ``None`` if there is no limit.
        """
        return None

    def holds(self, asked: C, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the condition is true of at least one unit that it names, and of which units."""
        if self.just_now and not scene.pulses:
            return NO
        ref: UnitRef = getattr(asked, asked.about)
        if ref.how == "target" and scene.aim:
            ref = UnitRef(how=scene.aim)
        if ref.how in ("it", "nearest"):
            met = [unit for unit in units_of(ref, scene, its, gone=self.gone) if self.is_true_of(asked, unit, scene)]
        else:
            near = candidates(ref, scene, its, self.gone, self.reach(asked))
            met = [unit for unit in near if self.is_true_of(asked, unit, scene)]
            met = met if ref.how == "each" else nearest_first(met, scene)
        if not met:
            return NO
        return ConditionResult(True, its if ref.how in ("me", "target") else tuple([unit.name for unit in met]))

    def possible(self, asked: C, true: bool, notes: WayNotes) -> None:
        """Record in the notes what the condition requires of its unit.

        A condition after NOT requires little, because it is also true if the unit is out of play; IT then means no
        unit.
        """
        ref: UnitRef = getattr(asked, asked.about)
        if not true:
            self.deny(asked, ref, notes)
            return
        who = notes.target if ref.how == "target" and notes.target is not None else notes.who(ref)
        if ref.how not in ("me", "target", "it", "each"):
            notes.it = who
        who.never = who.never or self.why_never(asked, who)
        who.in_play = self.in_play or who.in_play
        self.state_of(asked, who)

    def state_of(self, asked: C, who: Who) -> None:
        """Record in the notes what else must be true of a unit for which the condition is true."""
        return

    def deny(self, asked: C, ref: UnitRef, notes: WayNotes) -> None:
        """Record in the notes what must be true of the unit if the condition is false.

        This is needed for a condition after NOT.
        """
        return

    def why_never(self, asked: C, who: Who) -> str:
        """Return the reason why the condition is never true of this kind of unit, or an empty text."""
        return ""

    def is_same_for_all(self, asked: C) -> bool:
        """Return whether the condition names the same units whichever unit it is evaluated for."""
        ref: UnitRef = getattr(asked, asked.about)
        return ref.how in ("any", "name")


class BetweenMeaning(UnitMeaning[C]):
    """Base class for conditions about two units: the unit with the order and another unit.

    If the other unit is a planet, its hex nearest to the unit with the order counts.
    """

    @abstractmethod
    def is_true_between(self, asked: C, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the condition is true for ``me``, the unit with the order, and another unit."""

    def is_true_of(self, asked: C, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the condition is true of a unit; it is never true of the unit that has the order."""
        me, state = scene.me, scene.state
        if me is None or unit.name == me.name:
            return False
        return self.is_true_between(asked, me, near_side(state, me, unit), state)

    def is_same_for_all(self, asked: C) -> bool:
        """Return false, because the result depends on the unit that has the order."""
        return False


@meaning_of(conditions.Range)
class RangeMeaning(BetweenMeaning[conditions.Range]):
    """The condition RANGE: compares the range to a unit (D1.4)."""

    in_play = "RANGE"

    def is_true_between(self, asked: conditions.Range, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the range in hexes satisfies the comparison."""
        return asked.test.met_by(range_between(state, me, unit))

    def state_of(self, asked: conditions.Range, who: Who) -> None:
        """Record in the notes that the range to the unit must satisfy the comparison."""
        who.compared("RANGE", asked.test)


@meaning_of(conditions.Within)
class WithinMeaning(BetweenMeaning[conditions.Within]):
    """The condition WITHIN: a unit is within a number of hexes."""

    in_play = "WITHIN"

    def is_true_between(self, asked: conditions.Within, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the range is at most the number of hexes in the condition."""
        return range_between(state, me, unit) <= asked.hexes

    def reach(self, asked: conditions.Within) -> int | None:
        """Return the number of hexes in the condition."""
        return asked.hexes

    def state_of(self, asked: conditions.Within, who: Who) -> None:
        """Record in the notes that the range to the unit must not exceed the number of hexes."""
        who.compared("RANGE", Compare(op="<=", value=asked.hexes))


@meaning_of(conditions.InArc)
class InArcMeaning(BetweenMeaning[conditions.InArc]):
    """The condition IN: a unit is inside an arc (D2.0)."""

    in_play = "IN"

    def is_true_between(self, asked: conditions.InArc, me: Commanded | Seeker, unit: AnyUnit, state: State) -> bool:
        """Return whether the other unit is inside the arc."""
        return bears(state, me, unit, asked.arc)


@meaning_of(conditions.FacedShield)
class FacedShieldMeaning(BetweenMeaning[conditions.FacedShield]):
    """The condition FACED SHIELD: compares the shield of a unit that a shot would hit now (D3.41)."""

    in_play = "FACED SHIELD"

    def is_true_between(
        self, asked: conditions.FacedShield, me: Commanded | Seeker, unit: AnyUnit, state: State
    ) -> bool:
        """Return whether the boxes of the shield that a shot would hit satisfy the comparison."""
        if not isinstance(unit, Ship):
            return False
        stops = shield_up(unit, struck_shield(state, unit, me))
        return stops == 0 if asked.is_ == "down" else asked.test is not None and asked.test.met_by(stops)

    def why_never(self, asked: conditions.FacedShield, who: Who) -> str:
        """Return the reason why the condition is never true of a unit that is no ship, or an empty text.

        The reason is that only ships have shields.
        """
        return f"{who.called} has no shields" if who.seeker or who.shuttle else ""


@meaning_of(conditions.ShieldIs)
class ShieldIsMeaning(UnitMeaning[conditions.ShieldIs]):
    """The condition about a certain shield of a ship, #1 to #6."""

    gone = True

    def is_true_of(self, asked: conditions.ShieldIs, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the shield is down, was hit, or has the number of boxes that the condition asks for."""
        if not isinstance(unit, Ship):
            return False
        left = unit.shields[asked.number - 1]
        match asked.is_:
            case "down":
                return left == 0 or f"#{asked.number}" in unit.lowered
            case "hit":
                return any(
                    p.what == PulseKind.DAMAGED and p.unit == unit.name and p.shield == asked.number
                    for p in scene.pulses
                )
            case _:
                return asked.test is not None and asked.test.met_by(left)

    def state_of(self, asked: conditions.ShieldIs, who: Who) -> None:
        """Record in the notes that the unit's shield boxes must satisfy the comparison."""
        if asked.is_ == "boxes" and asked.test is not None:
            who.compared(f"#{asked.number}", asked.test)

    def why_never(self, asked: conditions.ShieldIs, who: Who) -> str:
        """Return the reason why the condition is never true of a unit that is no ship, or an empty text.

        The reason is that only ships have shields.
        """
        return f"{who.called} has no shields" if who.seeker or who.shuttle else ""


@meaning_of(conditions.Speed)
class SpeedMeaning(UnitMeaning[conditions.Speed]):
    """The condition SPEED: compares the speed of a unit."""

    in_play = "SPEED"

    def is_true_of(self, asked: conditions.Speed, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit's speed satisfies the comparison."""
        return asked.test.met_by(unit.speed)

    def state_of(self, asked: conditions.Speed, who: Who) -> None:
        """Record in the notes that the unit's speed must satisfy the comparison."""
        who.compared("SPEED", asked.test)


@meaning_of(conditions.Internals)
class InternalsMeaning(UnitMeaning[conditions.Internals]):
    """The condition INTERNALS: compares the internal damage points of a unit.

    In a RESERVE order these are the points of the volley that is about to be scored.
    """

    gone = True

    def is_true_of(self, asked: conditions.Internals, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the internal damage points satisfy the comparison."""
        return asked.test.met_by(_internals(unit, scene))

    def state_of(self, asked: conditions.Internals, who: Who) -> None:
        """Record in the notes that the unit's internal damage points must satisfy the comparison."""
        who.compared("INTERNALS", asked.test)


def _internals(unit: AnyUnit, scene: Scene) -> int:
    if scene.coming is not None and scene.me is not None and unit.name == scene.me.name:
        return scene.coming
    return sum(p.internals for p in scene.pulses if p.unit == unit.name)


@meaning_of(conditions.Became)
class BecameMeaning(UnitMeaning[conditions.Became]):
    """The conditions DESTROYED, DAMAGED, CLOAKED and CLOSING."""

    gone = True

    def is_true_of(self, asked: conditions.Became, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit is, or has just become, what the condition says."""
        match asked.what:
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
                raise KeyError(asked.what)

    def state_of(self, asked: conditions.Became, who: Who) -> None:
        """Record in the notes that the unit is destroyed, or that it is in play."""
        if asked.what == "DESTROYED":
            who.destroyed = f"{who.called} DESTROYED"
        elif asked.what in ("CLOSING", "CLOAKED"):
            who.in_play = asked.what
            who.cloaked = who.cloaked or asked.what == "CLOAKED"

    def deny(self, asked: conditions.Became, ref: UnitRef, notes: WayNotes) -> None:
        """Record in the notes that the unit is in play, for the condition NOT DESTROYED."""
        if asked.what == "DESTROYED" and ref.how in ("name", "me"):
            notes.who(ref).in_play = "NOT DESTROYED"

    def is_same_for_all(self, asked: conditions.Became) -> bool:
        """Return whether the condition gives the same result whichever unit it is evaluated for.

        CLOSING does not, because it also depends on the unit that has the order.
        """
        return asked.what != "CLOSING" and super().is_same_for_all(asked)


def _closing(unit: AnyUnit, scene: Scene) -> bool:
    """Return whether the range from a unit to ``me`` is smaller than it was before it last changed.

    ``me`` is the unit with the order. Only moves of this turn count, and of these at most as many as a quarter turn has
    impulses, the latest ones.
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

    These are all hexes of a planet, and one hex for other units.
    """
    return unit.hexes if isinstance(unit, Planet) and unit.hexes else (hex_,)


@meaning_of(conditions.Launches)
class LaunchesMeaning(UnitMeaning[conditions.Launches]):
    """The condition LAUNCHES: a unit has just launched something."""

    just_now = True
    in_play = "LAUNCHES"

    def is_true_of(self, asked: conditions.Launches, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit has just launched what the condition asks for."""
        return any(
            p.what == PulseKind.LAUNCHED and p.unit == unit.name and _is_launch(p, asked.what) for p in scene.pulses
        )

    def why_never(self, asked: conditions.Launches, who: Who) -> str:
        """Return the reason why the unit can launch nothing of this kind, or an empty text."""
        if who.seeker or who.shuttle:
            return f"{who.called} launches nothing"
        if who.ship is not None and asked.what in ("DRONE", "PLASMA"):
            kinds = [spec.kind for spec in ship_class(who.ship.ship).weapons if family(spec.kind).launches]
            if not any(is_plasma(kind) == (asked.what == "PLASMA") for kind in kinds):
                return f"{who.called} has no {asked.what} to launch"
        return ""


def _is_launch(launch: Pulse, what: str) -> bool:
    """Return whether a launch is one that the condition ``LAUNCHES what`` asks for.

    ``what`` is empty for any launch, ``SEEKER``, or one kind of unit.
    """
    kinds = {"": ("",), "SEEKER": ("drone", "plasma", "suicide")}.get(what, (what.lower(),))
    return launch.kind.startswith(kinds)


@meaning_of(conditions.Fires)
class FiresMeaning(UnitMeaning[conditions.Fires]):
    """The condition FIRES: a unit has just fired a weapon."""

    just_now = True
    in_play = "FIRES"

    def is_true_of(self, asked: conditions.Fires, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit has just fired what the condition asks for."""
        return any(p.what == PulseKind.FIRED and p.unit == unit.name and _fires_a(p, asked.what) for p in scene.pulses)

    def why_never(self, asked: conditions.Fires, who: Who) -> str:
        """Return the reason why the unit has no such weapon, or an empty text."""
        what = asked.what
        if who.seeker or (who.shuttle and what not in ("", "PH")):
            return f"{who.called} FIRES {what}".rstrip() + ": it has no such weapon"
        if who.ship is not None and what:
            specs = [spec for spec in ship_class(who.ship.ship).weapons if is_direct_fire(spec.kind)]
            if not any(is_heavy(spec.kind) if what == "HEAVY" else spec.name.split()[0] == what for spec in specs):
                return f"{who.called} has no {what} to fire"
        return ""


def _fires_a(shot: Pulse, what: str) -> bool:
    """Return whether a shot is one that the condition ``FIRES what`` asks for.

    ``what`` is empty for any shot, ``HEAVY``, or the first word of a weapon's name on the SSD, such as ``PH``.
    """
    if not what:
        return True
    if what == "HEAVY":
        return is_heavy(shot.kind)
    return shot.weapon.split()[0] == what


@meaning_of(conditions.Reaches)
class ReachesMeaning(UnitMeaning[conditions.Reaches]):
    """The condition REACHES: a unit is in a certain hex."""

    in_play = "REACHES"

    def is_true_of(self, asked: conditions.Reaches, unit: AnyUnit, scene: Scene) -> bool:
        """Return whether the unit is in the hex."""
        return unit.hex == asked.hex

    def state_of(self, asked: conditions.Reaches, who: Who) -> None:
        """Record in the notes that the unit must be in the hex."""
        if who.hex not in ("", asked.hex):
            who.never = f"{who.called} cannot stand in {who.hex} and in {asked.hex}"
        who.hex = asked.hex


# --- conditions about the time and about my own ship ------------------------------------------------------------------


@meaning_of(conditions.Impulse)
class ImpulseMeaning(ConditionMeaning[conditions.Impulse]):
    """The condition IMPULSE: compares the number of the present impulse."""

    def holds(self, asked: conditions.Impulse, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the present impulse satisfies the comparison."""
        return ConditionResult(asked.test.met_by(scene.state.impulse), its)

    def possible(self, asked: conditions.Impulse, true: bool, notes: WayNotes) -> None:
        """Record in the notes that the impulse must satisfy the comparison, or must not if ``true`` is false."""
        notes.tests.append(asked.test if true else Compare(op=_OPPOSITE[asked.test.op], value=asked.test.value))

    def at_impulse(self, asked: conditions.Impulse, impulse: int) -> bool | None:
        """Return whether the given impulse satisfies the comparison."""
        return asked.test.met_by(impulse)

    def is_same_for_all(self, asked: conditions.Impulse) -> bool:
        """Return true, because the impulse is the same for all units."""
        return True


def _of_a_ship(notes: WayNotes, true: bool) -> bool:
    """Return whether the unit with the order is a ship.

    If it is another unit, the notes record that the condition is never true, because only ships have weapons and
    stores. ``true`` is false if a NOT precedes the condition; then nothing is recorded.
    """
    if isinstance(notes.me, Ship):
        return True
    if true:
        notes.who(ME).never = f"{notes.me.name} is no ship, and only ships have weapons and stores"
    return False


@meaning_of(conditions.Armed)
class ArmedMeaning(ConditionMeaning[conditions.Armed]):
    """The condition ARMED: weapons of the unit with the order are ready to fire."""

    def holds(self, asked: conditions.Armed, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether all weapons of the condition are ready to fire."""
        me, now = scene.me, scene.state
        return ConditionResult(isinstance(me, Ship) and all(_armed(me, name, now) for name in asked.weapons), its)

    def possible(self, asked: conditions.Armed, true: bool, notes: WayNotes) -> None:
        """Record in the notes that the condition is never true of a unit that is no ship."""
        _of_a_ship(notes, true)


def _armed(me: Ship, name: str, state: State) -> bool:
    """Return whether a weapon of the ship ``me`` is ready to fire.

    It is ready if it is armed or powered, or if the capacitor can pay for it. A phaser-G is also ready while it has
    shots left that are already paid for (E2.1). A destroyed plasma tube is ready while it may still launch the torpedo
    that it had armed (FP1.7).
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

    They compare the charge of the ship's batteries or capacitor, or the drones left in a rack.
    """

    def holds(self, asked: conditions.Own, scene: Scene, its: tuple[str, ...] | None) -> ConditionResult:
        """Return whether the store, such as the batteries, satisfies the comparison."""
        me = scene.me
        return ConditionResult(isinstance(me, Ship) and asked.test.met_by(_own(me, asked.what, asked.weapon)), its)

    def possible(self, asked: conditions.Own, true: bool, notes: WayNotes) -> None:
        """Record in the notes that the store, such as the batteries, must satisfy the comparison."""
        if _of_a_ship(notes, true) and true:
            what = " ".join(filter(None, (asked.what.upper(), asked.weapon)))
            notes.who(ME).compared(what, asked.test)


def _own(me: Ship, what: str, weapon: str) -> float:
    match what:
        case "batteries":
            return float(me.power.stored)
        case "capacitor":
            return me.power.capacitor
        case _:
            return me.weapons[weapon].ammo if weapon in me.weapons else 0
