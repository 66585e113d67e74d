"""Whether a condition of the order language holds, and for which units.

A condition sees finished steps only: the state as its step of the impulse began, and the shots, launches and
damage since
that step of the impulse before (``pulses``), so that each is seen once. A movement condition sees the state just before
its unit moves (C1.3). A break is asked after each step about what happened in it. See docs/orders.md.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from unicodedata import normalize

import msgspec

from pbem.data.terms import Gone, PulseKind
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
    """What a condition is asked about: the state seen, who asks (``None`` for auto-breaks; a seeking weapon that no
    ship guides asks for itself), what just happened.

    ``target`` is the unit named in the same order; ``aim`` is ``it`` or ``each`` where that order names its target so:
    what is asked of the target is then asked of the units the rest of the condition holds for. ``coming`` are the
    internals of the volley in a reserve window, for ``me``.

    ``moving`` is set where a break is asked while units of this impulse may still move: CLOSING then leaves it out.
    """

    state: State
    me: Commanded | Seeker | None = None
    pulses: Sequence[Pulse] = ()
    target: str = ""
    aim: str = ""
    coming: int | None = None
    moving: bool = False


class Held(msgspec.Struct, frozen=True):
    """The answer, and the units it held for (nearest first), which IT and EACH stand for. ``its`` is ``None``
    if it named none.
    """

    true: bool
    its: tuple[str, ...] | None = None


NO = Held(False)
YES = Held(True)


def named(state: State, name: str, among: Iterable[AnyUnit] | None = None) -> list[AnyUnit]:
    """Units a player may mean by a name: the unit's own, or race and class (``KLIN D6``, ``D6``). More than one is
    ambiguous.
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
    """The units a pattern fits (``KD/*``), gone or not."""
    wanted = normalize("NFC", pattern).casefold()
    return [u for u in state.units.values() if fnmatch.fnmatchcase(normalize("NFC", u.name).casefold(), wanted)]


def units_of(ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None = None, *, gone: bool = False) -> list[AnyUnit]:
    """The units a reference stands for, nearest to me first, then by name; out of play only where ``gone`` says so."""
    found = _candidates(ref, scene, its, gone)
    if ref.how not in ("it", "each"):
        found = _nearest_first(found, scene)
    return found[:1] if ref.how in ("it", "nearest") else found


def targets_of(ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None = None) -> list[AnyUnit]:
    """The units an order may be aimed at: those its reference stands for but whoever gave it, of whom ANY would be the
    nearest.
    """
    me = scene.me.name if scene.me is not None else ""
    return [unit for unit in units_of(ref, scene, its) if unit.name != me]


def unit_named(ref: om.UnitRef, scene: Scene) -> AnyUnit | None:
    """The one unit in play that a reference calls by its name, or ME: all that can be known of a target before its
    moment.
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
    """The same in no particular order (IT and EACH keep theirs): a big fleet is sorted only after it was sifted. Where
    nobody farther than ``reach`` from me matters, some who are farther may be left out.
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
        team = state.team_of(me.side)
        friends = {name for name, side in state.sides.items() if side.team == team} | {me.side, ""}
        found = [u for u in _around(scene, gone, reach) if u.side not in friends and not _spared(u, me.side)]
    what = ref.what
    return [u for u in found if (gone or not u.gone) and (not what or _is_a(u, what))]


def _around(scene: Scene, gone: bool, reach: int | None) -> Iterable[AnyUnit]:
    """Those among whom to look: in a small ``reach`` only who stands there, else everybody."""
    state, me = scene.state, scene.me
    if gone:
        return state.units.values()
    if reach is None or me is None or 3 * reach * (reach + 1) >= len(state.units):
        return state.in_play()
    return (unit for hex in hexes.within(me.hex, reach, hexes.ALL, state.grid) for unit in state.in_hex(hex))


def _spared(unit: AnyUnit, side: str) -> bool:
    """Whether the scenario never lets a side fire at a unit (#4, #8): ENEMY and NEAREST do not mean it."""
    return isinstance(unit, Ship) and (unit.untouchable or side in unit.spared_by)


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
    """``value op number``."""
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


def holds(condition: om.Condition, scene: Scene, its: tuple[str, ...] | None = None) -> Held:
    """Whether ``condition`` holds in ``scene``. AND hands the units found so far on to its next part; OR adds them up,
    nearest first.
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
            return Held(True, its)
        case om.AnyOf(of=parts):
            answers = [holds(part, scene, its) for part in parts]
            found = [name for answer in answers if answer.true for name in answer.its or ()]
            met = [scene.state.units[name] for name in dict.fromkeys(found)]
            return Held(any(a.true for a in answers), tuple(u.name for u in _nearest_first(met, scene)) or its)
        case om.Negation(of=part):
            return Held(not holds(part, scene, its).true, its)
        case om.Impulse(test=test):
            return Held(compare(scene.state.impulse, test), its)
        case om.Armed(weapons=weapons):
            me, now = scene.me, scene.state
            return Held(isinstance(me, Ship) and all(_armed(me, name, now) for name in weapons), its)
        case om.Own(what=what, test=test, weapon=weapon):
            return Held(isinstance(scene.me, Ship) and compare(_own(scene.me, what, weapon), test), its)
        case _:
            raise AssertionError(f"{type(condition).__name__} is no condition")


def _about_units(condition: om.Condition, ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None) -> Held:
    """Conditions that name units: true if they hold for at least one of them, and those are what IT means
    afterwards.
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
    return Held(True, its if ref.how in ("me", "target") else tuple(unit.name for unit in met))


def asks_target(condition: om.Condition) -> bool:
    """Whether something is asked of the target of the same order (RANGE <= 4)."""
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
    """What is asked of where two units stand to each other; of a planet its nearest hex counts."""
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
    """Whether a launch counts for ``LAUNCHES what``: anything, a SEEKER, or a kind of unit."""
    kinds = {"": ("",), "SEEKER": ("drone", "plasma", "suicide")}.get(what, (what.lower(),))
    return launch.kind.startswith(kinds)


def _fires_a(shot: Pulse, what: str) -> bool:
    """Whether a shot counts for ``FIRES what``: anything, HEAVY, or a kind of weapon by its name on the SSD."""
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
            return unit.gone == Gone.DESTROYED
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
    """Whether the range to me fell when it last changed in this turn; false before it changed at all.

    That holds while nobody moves, and for a quarter turn of impulses in which somebody moves and the range stays the
    same. Nothing before the launch of either counts.
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
    """The hexes a unit fills when it stands in ``hex_``: of a planet all, and that one of any other."""
    return unit.hexes if isinstance(unit, Planet) and unit.hexes else (hex_,)


def _armed(me: Ship, name: str, state: State) -> bool:
    """A weapon of mine could fire as far as energy goes: armed, powered, or a phaser with enough in the capacitor; a
    phaser-G also while it has shots left of those it paid for (E2.1), and a plasma tube that was shot away while it may
    still launch what it had armed (FP1.7).
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
