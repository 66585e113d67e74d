"""Evaluate conditions of the order language: whether one holds, and for which units.

A condition sees finished steps only: the state as its step of the impulse began, and the shots, launches and damage
since that step of the impulse before (``pulses``), so that each is seen once. A movement condition sees the state
just before its unit moves (C1.3). A break is evaluated after each step about what happened in it. See
docs/orders.md.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from unicodedata import normalize

import msgspec

from pbem.data.terms import PulseKind, UnitFate
from pbem.engine.relations import targets
from pbem.engine.state import AnyUnit, Commanded, Monster, Planet, Pulse, Seeker, Ship, Shuttle, State
from pbem.engine.steps.geometry import bears, near_side, position_before, range_between, shield_up, struck_shield
from pbem.engine.steps.plasma import outlived
from pbem.engine.steps.sensors import veil_of
from pbem.orders import model as om
from pbem.rules import hexes, ties
from pbem.rules.direct_fire import is_heavy, is_phaser, shots_fired
from pbem.rules.movement import quarter
from pbem.rules.weapons import family, phaser_cost, shots
from pbem.util import only


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """The context in which a condition is evaluated.

    Attributes:
        state: The state that the condition sees.
        me: The unit that asks; ``None`` for auto-breaks. A seeking weapon without a guiding ship asks for itself.
        pulses: What just happened.
        target: The name of the target of the same order.
        aim: ``it`` or ``each`` if the order names its target so. A question about the target is then a question
            about the units for which the rest of the condition holds.
        coming: The internal damage that is about to hit ``me``, while reserve power may still be used.
    """

    state: State
    me: Commanded | Seeker | None = None
    pulses: Sequence[Pulse] = ()
    target: str = ""
    aim: str = ""
    coming: int | None = None
    moving: bool = False


class ConditionResult(msgspec.Struct, frozen=True):
    """The result of a condition: whether it holds, and for which units (IT and EACH), nearest first.

    ``its`` is ``None`` if the condition named no units.
    """

    true: bool
    its: tuple[str, ...] | None = None


NO = ConditionResult(False)
YES = ConditionResult(True)


def named(state: State, name: str, among: Iterable[AnyUnit] | None = None) -> list[AnyUnit]:
    """Return the units that a player may mean by a name.

    It may be a unit's own name, or race and class (``KLIN D6``, ``D6``).

    More than one result means that the name is ambiguous.
    """
    units = [u for _, u in sorted(state.units.items())] if among is None else list(among)
    wanted = " ".join(normalize("NFC", name).casefold().split())
    exact = [u for u in units if normalize("NFC", u.name).casefold() == wanted]
    if exact:
        return exact
    if wanted == "monster":
        return [u for u in units if isinstance(u, Monster)]
    classes = [(u, u.class_name.casefold()) for u in units if isinstance(u, Ship)]
    return [u for u, words in classes if wanted in (words, words.partition(" ")[2])]


def fitting(state: State, pattern: str) -> list[AnyUnit]:
    """Return the units whose names match a pattern (``KD/*``), in play or not."""
    wanted = normalize("NFC", pattern).casefold()
    return [u for u in state.units.values() if fnmatch.fnmatchcase(normalize("NFC", u.name).casefold(), wanted)]


def units_of(ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None = None, *, gone: bool = False) -> list[AnyUnit]:
    """Return the units a reference stands for, nearest to me first, then by name.

    Units out of play are included only if ``gone`` is true.
    """
    found = _candidates(ref, scene, its, gone)
    if ref.how not in ("it", "each"):
        found = _nearest_first(found, scene)
    return found[:1] if ref.how in ("it", "nearest") else found


def targets_of(ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None = None) -> list[AnyUnit]:
    """Return the units at which an order may be aimed.

    These are the units its reference stands for, without the unit that gave the order.

    Without that exception ANY would mean the unit itself, because it is always the nearest.
    """
    me = scene.me.name if scene.me is not None else ""
    return [unit for unit in units_of(ref, scene, its) if unit.name != me]


def unit_named(ref: om.UnitRef, scene: Scene) -> AnyUnit | None:
    """Return the one unit in play that a reference names directly, or ME; else ``None``.

    Before the moment of the order nothing more can be known about its target.
    """
    return only(units_of(ref, scene)) if ref.how in ("name", "me") else None


def _nearest_first(units: list[AnyUnit], scene: Scene) -> list[AnyUnit]:
    if len(units) < 2:
        return units
    me, grid = scene.me, scene.state.grid
    if me is None:
        return sorted(units, key=lambda u: ties.of_names(u.name))
    return sorted(units, key=lambda u: (hexes.distance(me.hex, u.hex, grid), ties.of_names(u.name)))


def _candidates(
    ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None, gone: bool, reach: int | None = None
) -> list[AnyUnit]:
    """Return the units a reference may stand for, not sorted except for IT and EACH.

    A big fleet is sorted only after it was filtered.

    ``reach`` is a distance in hexes from me beyond which units do not matter; some of those may be left out.
    """
    state, me = scene.state, scene.me
    if ref.how == "name" and ref.name in state.units:
        found = [state.units[ref.name]]
    elif ref.how == "name":
        found = named(state, ref.name)
    elif ref.how == "pattern":
        found = fitting(state, ref.name)
    elif ref.how in ("it", "each"):
        found = [state.units[name] for name in its or () if name in state.units]
    elif ref.how in ("hex", "edge"):
        found = []
    elif ref.how == "target":
        found = [state.units[scene.target]] if scene.target in state.units else []
    elif ref.how == "any":
        found = [u for u in _around(scene, gone, reach) if not isinstance(u, Planet)]
    elif me is None:
        found = []
    elif ref.how == "me":
        found = [state.units[me.name]]
    else:
        found = targets(state, me.side, _around(scene, gone, reach))
    what = ref.what
    return [u for u in found if (gone or not u.gone) and (not what or _is_a(u, what))]


def _around(scene: Scene, gone: bool, reach: int | None) -> Iterable[AnyUnit]:
    """Return the units to search: those within ``reach`` hexes of me if that is a small area, else all."""
    state, me = scene.state, scene.me
    if gone:
        return state.units.values()
    if reach is None or me is None or 3 * reach * (reach + 1) >= len(state.units):
        return state.in_play()
    return (unit for hex in hexes.within(me.hex, reach, hexes.ALL, state.grid) for unit in state.in_hex(hex))


def _is_a(unit: AnyUnit, what: str) -> bool:
    match what:
        case "ship":
            return isinstance(unit, Ship)
        case "seeker":
            return isinstance(unit, Seeker)
        case "shuttle":
            return isinstance(unit, Shuttle)
        case _:
            return isinstance(unit, Seeker) and unit.weapon == what


def compare(value: float, test: om.Compare) -> bool:
    """Return whether ``value op number`` is true for a comparison."""
    match test.op:
        case "<=":
            return value <= test.value
        case "<":
            return value < test.value
        case ">=":
            return value >= test.value
        case ">":
            return value > test.value
        case "!=":
            return value != test.value
        case _:
            return value == test.value


def holds(condition: om.Condition, scene: Scene, its: tuple[str, ...] | None = None) -> ConditionResult:
    """Return whether ``condition`` holds in ``scene``, and for which units.

    AND passes the units found so far on to its next part. OR combines the units of all its parts, nearest first.
    """
    ref = om.subject(condition)
    if ref is not None:  # most are
        return _about_units(condition, ref, scene, its)
    match condition:
        case om.All(of=parts):
            # Who IT and EACH are is known once the parts that name units were asked.
            for part in sorted(parts, key=asks_target) if scene.aim else parts:
                answer = holds(part, scene, its)
                if not answer.true:
                    return NO
                its = its if answer.its is None else answer.its
            return ConditionResult(True, its)
        case om.AnyOf(of=parts):
            answers = [holds(part, scene, its) for part in parts]
            found = [name for answer in answers if answer.true for name in answer.its or ()]
            met = [scene.state.units[name] for name in dict.fromkeys(found)]
            return ConditionResult(
                any(a.true for a in answers), tuple(u.name for u in _nearest_first(met, scene)) or its
            )
        case om.Negation(of=part):
            return ConditionResult(not holds(part, scene, its).true, its)
        case om.Impulse(test=test):
            return ConditionResult(compare(scene.state.impulse, test), its)
        case om.Armed(weapons=weapons):
            me, now = scene.me, scene.state
            return ConditionResult(isinstance(me, Ship) and all(_armed(me, name, now) for name in weapons), its)
        case om.Own(what=what, test=test, weapon=weapon):
            return ConditionResult(isinstance(scene.me, Ship) and compare(_own(scene.me, what, weapon), test), its)
        case _:
            raise AssertionError(f"{type(condition).__name__} is no condition")


def _about_units(
    condition: om.Condition, ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None
) -> ConditionResult:
    """Evaluate a condition that names units: it holds if it is true of at least one of them.

    IT then means the units for which it is true.
    """
    if not scene.pulses and isinstance(condition, (om.Fires, om.Launches)):
        return NO  # nobody did anything
    gone = isinstance(condition, (om.Became, om.Internals, om.ShieldIs))
    if ref.how == "target" and scene.aim:
        ref = om.UnitRef(how=scene.aim)
    if ref.how in ("it", "nearest"):
        met = [unit for unit in units_of(ref, scene, its, gone=gone) if _true_of(condition, unit, scene)]
    else:
        reach = condition.hexes if isinstance(condition, om.Within) else None
        met = [unit for unit in _candidates(ref, scene, its, gone, reach) if _true_of(condition, unit, scene)]
        met = met if ref.how == "each" else _nearest_first(met, scene)
    if not met:
        return NO
    return ConditionResult(True, its if ref.how in ("me", "target") else tuple(unit.name for unit in met))


def asks_target(condition: om.Condition) -> bool:
    """Return whether a condition asks about the target of the same order (RANGE <= 4)."""
    match condition:
        case om.All(of=parts) | om.AnyOf(of=parts):
            return any(asks_target(part) for part in parts)
        case om.Negation(of=part):
            return asks_target(part)
        case _:
            ref = om.subject(condition)
            return ref is not None and ref.how == "target"


def _true_of(condition: om.Condition, unit: AnyUnit, scene: Scene) -> bool:
    state, me = scene.state, scene.me
    match condition:
        case om.Range() | om.Within() | om.InArc() | om.FacedShield():
            return me is not None and unit.name != me.name and _between(condition, me, unit, state)
        case om.ShieldIs():
            return isinstance(unit, Ship) and _shield(condition, unit, scene)
        case om.Speed(test=test):
            return compare(unit.speed, test)
        case om.Internals(test=test):
            return compare(_internals(unit, scene), test)
        case om.Became(what=what):
            return _became(what, unit, scene)
        case om.Launches(what=what):
            return any(
                p.what == PulseKind.LAUNCHED and p.unit == unit.name and _is_launch(p, what) for p in scene.pulses
            )
        case om.Fires(what=what):
            return any(p.what == PulseKind.FIRED and p.unit == unit.name and _fires_a(p, what) for p in scene.pulses)
        case om.Reaches(hex=hex_):
            return unit.hex == hex_
        case _:
            return False


def _between(
    condition: om.Range | om.Within | om.InArc | om.FacedShield, me: Commanded | Seeker, unit: AnyUnit, state: State
) -> bool:
    """Evaluate a condition about the relative position of two units; for a planet its nearest hex counts."""
    unit = near_side(state, me, unit)
    match condition:
        case om.Range(test=test):
            return compare(range_between(state, me, unit), test)
        case om.Within(hexes=reach):
            return range_between(state, me, unit) <= reach
        case om.InArc(arc=arc):
            return bears(state, me, unit, arc)
        case om.FacedShield(is_=is_, test=test):
            if not isinstance(unit, Ship):
                return False
            stops = shield_up(unit, struck_shield(state, unit, me))
            return stops == 0 if is_ == "down" else test is not None and compare(stops, test)


def _is_launch(launch: Pulse, what: str) -> bool:
    """Return whether a launch matches ``LAUNCHES what``: anything, a SEEKER, or one kind of unit."""
    kinds = {"": ("",), "SEEKER": ("drone", "plasma", "suicide")}.get(what, (what.lower(),))
    return launch.kind.startswith(kinds)


def _fires_a(shot: Pulse, what: str) -> bool:
    """Return whether a shot matches ``FIRES what``: anything, HEAVY, or a weapon name of the SSD."""
    if not what:
        return True
    if what == "HEAVY":
        return is_heavy(shot.kind)
    return shot.weapon.split()[0] == what


def _shield(condition: om.ShieldIs, unit: Ship, scene: Scene) -> bool:
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
            return condition.test is not None and compare(left, condition.test)


def _internals(unit: AnyUnit, scene: Scene) -> int:
    if scene.coming is not None and scene.me is not None and unit.name == scene.me.name:
        return scene.coming
    return sum(p.internals for p in scene.pulses if p.unit == unit.name)


def _became(what: str, unit: AnyUnit, scene: Scene) -> bool:
    match what:
        case "DESTROYED":
            return unit.gone == UnitFate.DESTROYED
        case "DAMAGED":
            return any(
                p.what == PulseKind.DAMAGED and p.unit == unit.name and p.boxes + p.internals > 0 for p in scene.pulses
            )
        case "CLOSING":
            return unit.in_play and scene.me is not None and unit.name != scene.me.name and _closing(unit, scene)
        case "CLOAKED":
            return isinstance(unit, Ship) and unit.in_play and veil_of(scene.state, unit).hidden
        case _:
            raise KeyError(what)


def _closing(unit: AnyUnit, scene: Scene) -> bool:
    """Return whether the range to me is smaller than it was before this impulse's movement."""
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
    """Return the hexes that a unit fills if it is in ``hex_``: all hexes of a planet, one for other units."""
    return unit.hexes if isinstance(unit, Planet) and unit.hexes else (hex_,)


def _armed(me: Ship, name: str, state: State) -> bool:
    """Return whether a weapon of mine is ready to fire: armed or powered, or the capacitor can pay.

    A phaser-G also counts while it has shots left of those already paid for (E2.1). So does a destroyed plasma tube
    while it may still launch the torpedo it had armed (FP1.7).
    """
    weapon = me.weapons.get(name)
    if weapon is None or not (weapon.working or outlived(weapon, state.moment, state.impulses)):
        return False
    if is_phaser(weapon.kind):
        fired = shots_fired(weapon.fired, weapon.shots, state.moment, state.impulses)
        return me.capacitor >= phaser_cost(weapon.kind) or 0 < fired < shots(weapon.kind)
    return family(weapon.kind).loaded(weapon.charge, weapon.ammo)


def _own(me: Ship, what: str, weapon: str) -> float:
    match what:
        case "batteries":
            return float(me.stored)
        case "capacitor":
            return me.capacitor
        case _:
            return me.weapons[weapon].ammo if weapon in me.weapons else 0
