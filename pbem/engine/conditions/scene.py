"""The context in which a condition or an order is evaluated, and a search for the units it names."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from unicodedata import normalize

import msgspec

from pbem.engine.relations import targets
from pbem.engine.state import AnyUnit, Commanded, Monster, Planet, Pulse, Seeker, Ship, Shuttle, State
from pbem.orders import model as om
from pbem.rules import hexes, ties
from pbem.util import only


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """The context in which a condition is evaluated.

    Attributes:
        state: The state with which the condition is evaluated.
        me: The unit that has the order; ``None`` for auto-breaks (breaks set by the options of the game). For the
            orders of a seeking weapon that no ship guides, the weapon itself.
        pulses: The shots, launches and damage that just happened.
        target: The name of the target of the order that contains the condition.
        aim: ``it`` or ``each`` if the target of the order is IT or EACH. A part of the condition that is about the
            target then applies to the units for which the rest of the condition is true.
        coming: The internal damage that is about to hit ``me``, while reserve power may still be used.
        moving: Whether units may still move in this impulse.
    """

    state: State
    me: Commanded | Seeker | None = None
    pulses: Sequence[Pulse] = ()
    target: str = ""
    aim: str = ""
    coming: int | None = None
    moving: bool = False


def named(state: State, name: str, among: Iterable[AnyUnit] | None = None) -> list[AnyUnit]:
    """Return the units that a player may mean by a name.

    The name may be a unit's own name, or its class with or without the race (``KLIN D6``, ``D6``). If the result has
    more than one unit, the name is ambiguous.
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
    """Return the units whose names match a pattern (``KD/*``), including units that have left play."""
    wanted = normalize("NFC", pattern).casefold()
    return [u for u in state.units.values() if fnmatch.fnmatchcase(normalize("NFC", u.name).casefold(), wanted)]


def units_of(ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None = None, *, gone: bool = False) -> list[AnyUnit]:
    """Return the units that a reference means, nearest to ``me`` first, then by name.

    ``its`` are the names of the units that IT and EACH mean. Units out of play are included only if ``gone`` is true.
    """
    found = candidates(ref, scene, its, gone)
    if ref.how not in ("it", "each"):
        found = nearest_first(found, scene)
    return found[:1] if ref.how in ("it", "nearest") else found


def targets_of(ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None = None) -> list[AnyUnit]:
    """Return the units at which an order may be aimed, i.e. the units that its reference means.

    The unit with the order is left out. Otherwise ANY would always mean the unit itself, because no unit is nearer.
    ``its`` are the names of the units that IT and EACH mean.
    """
    me = scene.me.name if scene.me is not None else ""
    return [unit for unit in units_of(ref, scene, its) if unit.name != me]


def unit_named(ref: om.UnitRef, scene: Scene) -> AnyUnit | None:
    """Return the one unit in play that a reference names directly, or ``None``.

    ME is the unit with the order. For a reference such as NEAREST the result is ``None``, because the unit is not known
    before the order acts.
    """
    return only(units_of(ref, scene)) if ref.how in ("name", "me") else None


def nearest_first(units: list[AnyUnit], scene: Scene) -> list[AnyUnit]:
    """Return units sorted by their distance from ``me``, then by name; without ``me`` by name only."""
    if len(units) < 2:
        return units
    me, grid = scene.me, scene.state.grid
    if me is None:
        return sorted(units, key=lambda u: ties.of_names(u.name))
    return sorted(units, key=lambda u: (hexes.distance(me.hex, u.hex, grid), ties.of_names(u.name)))


def candidates(
    ref: om.UnitRef, scene: Scene, its: tuple[str, ...] | None, gone: bool, reach: int | None = None
) -> list[AnyUnit]:
    """Return the units that a reference may mean, in no particular order.

    Only for IT and EACH do the units have the sequence of ``its``. The caller sorts them, because a large fleet is
    sorted faster after it is filtered.

    Args:
        ref: The reference.
        scene: The situation.
        its: The names of the units that IT and EACH mean.
        gone: Whether units out of play are included.
        reach: Units farther than this many hexes from the unit with the order are not needed, and may be left out.
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
    """Return the units among which to search.

    The result contains only units within ``reach`` hexes of ``me`` if that area is small, otherwise all units.
    """
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
