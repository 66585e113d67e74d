"""State paths: how rule cases and the umpire name a part of a unit, here to look at it (to set it: :mod:`.setting`).

Numbers are always what is left: boxes, drones, charged batteries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pbem.data import charts
from pbem.data.words import Gone, Purpose
from pbem.engine.spelling import near, path_as_meant, state_paths
from pbem.engine.state import AnyUnit, ProbeBox, Seeker, Ship, State
from pbem.rules.probes import arming_energy

Found = TypeVar("Found")


def paths_for(kind: str) -> dict[str, str]:
    """What each path of a ``ship``, of a ``drone``, of ``small`` units (shuttles, monsters and planets; each has those
    that make sense for it) and of the ``game`` says, with an example of each form.
    """
    return state_paths()[kind]


class NoPath(ValueError):
    """A path that means nothing for this unit, or a value it cannot have; says what would."""


class UnknownPath(NoPath):
    """A path that means nothing for this unit, however it is spelled."""


def quoted(value: object) -> str:
    """A value that does not fit, as its writer wrote it: yes and no without quotation marks, words with them."""
    return ("yes" if value else "no") if isinstance(value, bool) else repr(value)


def moment_text(moment: int | None, impulses: int) -> str:
    """``1.15`` for impulse 15 of turn 1, empty for never."""
    return "" if moment is None else f"{(moment - 1) // impulses + 1}.{(moment - 1) % impulses + 1}"


def moment_of(text: str, impulses: int) -> int:
    """The moment ``"turn.impulse"`` names. Raises :class:`NoPath`."""
    turn, _, impulse = text.partition(".")
    written = len(text) < 12 and turn.isdecimal() and impulse.isdecimal()
    if not (written and 1 <= int(impulse) <= impulses):
        raise NoPath(f"{text!r} is no turn and impulse like 1.15")
    return (int(turn) - 1) * impulses + int(impulse)


def weapon_name(ship: Ship, path: str) -> str:
    """The weapon box a path means (``photon a`` for ``PHOT A``), empty if none."""
    words = path.upper().split()
    for name in ship.weapons:
        kind = ship.weapons[name].kind
        label, _, box = name.rpartition(" ")
        family = charts.weapon_kinds()[kind].family
        spellings = {label, kind.upper(), family.upper(), kind.upper().partition("_")[0]}
        if len(words) == 2 and words[1] == box and words[0] in spellings:
            return name
    return ""


# --- looking ---------------------------------------------------------------------------------------------------------


def look(state: State, unit: AnyUnit, path: str, wanted: Any = None) -> Any:
    """The value of a path. Raises :class:`NoPath`. ``wanted`` tells whether a rack is asked for its drones."""
    return as_meant(path, lambda spelled: _look(state, unit, spelled, wanted))


def as_meant(path: str, use: Callable[[str], Found]) -> Found:
    """What ``use`` makes of a path as it is written, or else of what its spelling means. Raises :class:`NoPath`."""
    try:
        return use(path)
    except UnknownPath:
        meant = path_as_meant(path)
        if meant == path:
            raise
        try:
            return use(meant)
        except UnknownPath:
            pass
        raise


def _look(state: State, unit: AnyUnit, path: str, wanted: Any) -> Any:
    common = {
        "at": unit.at,
        "hex": unit.hex,
        "facing": unit.facing,
        "gone": unit.gone,
        "destroyed": unit.gone == Gone.DESTROYED,
        "speed": unit.speed,
    }
    if path in common:
        return common[path]
    if path == "held by":
        return sorted(link.ship for link in state.holders(unit.name))
    if isinstance(unit, Ship):
        return look_ship(state, unit, path, wanted)
    return look_drone(state, unit, path) if isinstance(unit, Seeker) else look_other(state, unit, path)


FIELDS = {
    "since turn": "straight",
    "came from": "came_from",
    "prior speed": "prior_speed",
    "attacked by": "attacked_by",
}  # fmt: skip
"""Paths of shuttles, monsters and planets that the state calls otherwise."""


def look_other(state: State, unit: AnyUnit, path: str) -> Any:
    """The value of a path of a shuttle, a monster or a planet."""
    field = FIELDS.get(path, path)
    if path not in (*paths_for("small"), "prior speed") or not hasattr(unit, field):
        raise UnknownPath(f"{path!r} is no state path of {unit.name}; there are {', '.join(paths_of(unit))}")
    value = getattr(unit, field)
    return moment_text(value, state.impulses) if field == "fired" else value


def paths_of(unit: AnyUnit) -> list[str]:
    """The paths that a shuttle, a monster or a planet has."""
    return [path for path in paths_for("small") if path == "held by" or hasattr(unit, FIELDS.get(path, path))]


def look_drone(state: State, unit: Seeker, path: str) -> Any:
    """The value of a path of a drone."""
    if path not in paths_for("drone"):
        raise UnknownPath(f"{path!r} is no state path of a drone; there are {', '.join(paths_for('drone'))}")
    if path == "endurance":
        return moment_text(unit.endurance or None, state.impulses)
    return getattr(unit, FIELDS.get(path, path))


def look_ship(state: State, unit: Ship, path: str, wanted: Any) -> Any:
    """The value of a path of a ship."""
    special: dict[str, Any] = {
        "batteries": float(unit.stored) if unit.battery_part else unit.batteries,
        "lowered": sorted(unit.lowered),
        "holds": [link.target for link in state.held_by(unit.name)],
        "bay used": moment_text(unit.bay_used, state.impulses),
    }
    if path in special:
        return special[path]
    if path in paths_for("ship") and hasattr(unit, field := path.replace(" ", "_")):
        value = getattr(unit, field)
        return list(value) if isinstance(value, tuple) else value
    first, _, rest = path.partition(" ")
    match first:
        case "boarders":
            return unit.boarders.get(rest, 0)
        case "holds":
            return next((link.target for link in state.held_by(unit.name) if link.beam == rest.upper()), "")
        case "lowered":
            return moment_text(unit.lowered.get(rest), state.impulses)
        case "repairing" if rest in "123456":
            return unit.repairing.get(f"#{rest}", 0)
        case "suicide" if rest.upper() in (*unit.hangar, *unit.bombs):
            return unit.bombs[rest.upper()].state if rest.upper() in unit.bombs else ""
        case "probe" if rest.upper() in unit.probes:
            return _probe(unit.probes[rest.upper()], wanted)
    if first in ("shield", "reinforcement") and rest in ("1", "2", "3", "4", "5", "6"):
        return (unit.shields if first == "shield" else unit.reinforcement)[int(rest) - 1]
    if path in unit.boxes:
        return unit.boxes[path]
    if first == "fired" and (name := weapon_name(unit, rest)):
        return moment_text(unit.weapons[name].fired, state.impulses)
    if name := weapon_name(unit, path):
        return _weapon(unit, name, wanted)
    raise UnknownPath(unknown(unit, path))


def _probe(box: ProbeBox, wanted: Any) -> Any:
    if isinstance(wanted, int):
        return box.left
    if not box.purpose:
        return ""
    armed = "armed" if box.turns >= len(arming_energy(box.purpose)) else "arming"
    return f"{armed} weapon" if box.purpose == Purpose.WEAPON else armed


def _weapon(unit: Ship, name: str, wanted: Any) -> Any:
    weapon = unit.weapons[name]
    if isinstance(wanted, int):
        return weapon.ammo
    if not weapon.working:
        return "destroyed"
    return weapon.charge or ("unarmed" if charts.weapon_kinds()[weapon.kind].heavy else "working")


def unknown(unit: Ship, path: str) -> str:
    """The sentence about a path that a ship does not have."""
    boxes = [*unit.boxes, *unit.weapons]
    hint = near(path_as_meant(path), [*boxes, *paths_for("ship")]).replace("?", "? It has") or "; there are"
    return f"{path!r} is no state path of {unit.name}{hint} {', '.join(boxes)}, and see `pbem help cases`"


def look_at_game(state: State, path: str) -> Any:
    """The value of a path of ``[final.game]``. Raises :class:`NoPath`."""
    first, _, rest = path.partition(" ")
    if first == "result":
        return next((outcome.result for outcome in state.outcome if outcome.side == rest), "")
    if path not in paths_for("game"):
        raise NoPath(f"{path!r} is no path of the game; there are {', '.join(paths_for('game'))}")
    if path == "request":
        return state.request.form if state.request else ""
    value = getattr(state, path)
    return list(value) if isinstance(value, tuple) else value
