"""State paths: how a case names a part of a unit, to set it at the start and to look at it at the end.

Numbers are always what is left: boxes, drones, charged batteries.
"""

from __future__ import annotations

from typing import Any

import msgspec

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.game.state import AnyUnit, Seeker, Ship, State
from pbem.rules.plasma import plasma_type

replace = msgspec.structs.replace

SHIP_PATHS = {
    "at": "hex and facing, `1616F`",
    "hex": "the hex",
    "facing": "the facing, A to F",
    "gone": "empty while in play, else how it left: `destroyed`, `disengaged`, `left the map`",
    "speed": "hexes it moves this turn; in `state`, the speed at which a side without orders flies",
    "prior speed": "the speed of the turn before (B3.0, line 14)",
    "since turn": "hexes counted for the turn mode (C3.4)",
    "since slip": "hexes counted for the slip mode (C4.1)",
    "shield 1": "boxes left on a shield, 1 to 6 (D3.1)",
    "warp left": "boxes left of a system, by its name in the ship's file: `warp left`, `warp right`, `impulse`, `apr`, "
    "`battery`, `hull`, `bridge`, `lab`, `tran`, `shuttle`, `excess` …",
    "PH 1": "a weapon by its name on the SSD (`photon A`, `disr B`, `drone 1` do as well): `destroyed`, `armed`, "
    "`arming`, `powered` (a disruptor with its energy for this turn), `unarmed` (a heavy weapon without), `working` "
    "(phasers and racks); a number is the drones left in a rack",
    "fired PH 1": "turn and impulse of a weapon's last shot or launch, `1.15`; empty for never (E1.5)",
    "capacitor": "points in the phaser capacitor (H6.0)",
    "batteries": "charged batteries (B3.0, line 5)",
    "internals": "internal points scored on it so far; only at the end",
    "general": "points of general reinforcement left this turn (D3.341); only at the end",
    "reinforcement 1": "points of specific reinforcement left on a shield (D3.342); only at the end",
    "marks": "a scenario's own facts about the ship, as a list; only at the end",
}
"""State paths of ships, with an example of each form."""

DRONE_PATHS = {
    "at": "hex and facing",
    "hex": "the hex",
    "facing": "the facing, A to F",
    "gone": "empty while in play, else `destroyed`, `exploded` or `removed`",
    "damage": "points it has taken (FD1.54)",
    "since turn": "hexes moved since its last turn (F2.0)",
    "came from": "the hex it approaches from (D3.4)",
    "target": "the unit it seeks; only at the end",
    "launcher": "the ship that guides it; only at the end",
    "speed": "hexes it moves a turn; only at the end",
    "warhead": "points it scores (FD1.6, FP1.5)",
    "travelled": "hexes a plasma torpedo has flown (FP1.5); only at the end",
    "endurance": "turn and impulse at whose end it is removed, `4.4` (FD1.4)",
}
"""State paths of drones."""

GAME_PATHS = {
    "turn": "the turn being played",
    "impulse": "the impulse play has come to",
    "step": "the step that would be played next",
    "over": "whether the scenario is decided",
    "request": "the form of the orders asked for now: `EAF`, `SOP`, `FULL`; empty if none are",
    "result federation": "a side's result in the scenario's words; empty while there is none",
}
"""Paths of `[final.game]`."""


class NoPath(ValueError):
    """A path that means nothing for this unit; says what would."""


def moment_text(moment: int | None, impulses: int) -> str:
    """``1.15`` for impulse 15 of turn 1, empty for never."""
    return "" if moment is None else f"{(moment - 1) // impulses + 1}.{(moment - 1) % impulses + 1}"


def moment_of(text: str, impulses: int) -> int:
    """The moment ``"turn.impulse"`` names. Raises :class:`NoPath`."""
    turn, _, impulse = text.partition(".")
    if not (turn.isdigit() and impulse.isdigit() and 1 <= int(impulse) <= impulses):
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
    common = {"at": unit.at, "hex": unit.hex, "facing": unit.facing, "gone": unit.gone, "speed": unit.speed}
    if path in common:
        return common[path]
    if isinstance(unit, Ship):
        return look_ship(state, unit, path, wanted)
    return look_drone(state, unit, path) if isinstance(unit, Seeker) else look_other(unit, path)


OTHER_PATHS = (
    "damage", "since turn", "crew", "parties", "landed", "target", "bomb", "information", "method", "needed",
)  # fmt: skip
"""State paths of a shuttle, a monster or a planet; each has those that make sense for it."""


def look_other(unit: AnyUnit, path: str) -> Any:
    """The value of a path of a shuttle, a monster or a planet."""
    field = {"since turn": "straight"}.get(path, path)
    if path not in OTHER_PATHS or not hasattr(unit, field):
        raise NoPath(f"{path!r} is no state path of {unit.name}; there are {', '.join(OTHER_PATHS)}")
    return getattr(unit, field)


def look_drone(state: State, unit: Seeker, path: str) -> Any:
    """The value of a path of a drone."""
    found = {
        "damage": unit.damage,
        "since turn": unit.straight,
        "came from": unit.came_from,
        "target": unit.target,
        "launcher": unit.launcher,
        "warhead": unit.warhead,
        "travelled": unit.travelled,
        "endurance": moment_text(unit.endurance, state.impulses),
    }
    if path not in found:
        raise NoPath(f"{path!r} is no state path of a drone; there are {', '.join(DRONE_PATHS)}")
    return found[path]


def look_ship(state: State, unit: Ship, path: str, wanted: Any) -> Any:
    """The value of a path of a ship."""
    plain = {
        "prior speed": unit.prior_speed,
        "since turn": unit.since_turn,
        "since slip": unit.since_slip,
        "capacitor": unit.capacitor,
        "batteries": unit.batteries,
        "internals": unit.internals,
        "general": unit.general,
        "marks": list(unit.marks),
        "parties": unit.parties,
        "taken": unit.taken,
        "side": unit.side,
        "captured from": unit.captured_from,
        "mutiny": unit.mutiny,
        "passengers": unit.passengers,
        "hangar": list(unit.hangar),
        "transported": unit.transported,
        "lowered": sorted(unit.lowered),
        "holds": [link.target for link in state.held_by(unit.name)],
    }
    if path in plain:
        return plain[path]
    first, _, rest = path.partition(" ")
    if first == "boarders":
        return unit.boarders.get(rest, 0)
    if first in ("shield", "reinforcement") and rest in ("1", "2", "3", "4", "5", "6"):
        return (unit.shields if first == "shield" else unit.reinforcement)[int(rest) - 1]
    if path in unit.boxes:
        return unit.boxes[path]
    if first == "fired" and (name := weapon_name(unit, rest)):
        return moment_text(unit.weapons[name].fired, state.impulses)
    if name := weapon_name(unit, path):
        return _weapon(unit, name, wanted)
    raise NoPath(_unknown(unit, path))


def _weapon(unit: Ship, name: str, wanted: Any) -> Any:
    weapon = unit.weapons[name]
    if isinstance(wanted, int):
        return weapon.ammo
    if not weapon.working:
        return "destroyed"
    return weapon.charge or ("unarmed" if charts.weapon_kinds()[weapon.kind].heavy else "working")


def _unknown(unit: Ship, path: str) -> str:
    boxes = ", ".join([*ship_class(unit.ship).boxes, *unit.weapons])
    return f"{path!r} is no state path of {unit.name}; its boxes are {boxes}, and see docs/cases.md"


def look_at_game(state: State, path: str) -> Any:
    """The value of a path of ``[final.game]``. Raises :class:`NoPath`."""
    first, _, rest = path.partition(" ")
    if first == "result":
        return next((outcome.result for outcome in state.outcome if outcome.side == rest), "")
    found = {
        "turn": state.turn,
        "impulse": state.impulse,
        "step": state.step,
        "over": state.over,
        "request": state.request.form if state.request else "",
    }
    if path not in found:
        raise NoPath(f"{path!r} is no path of the game; there are {', '.join(GAME_PATHS)}")
    return found[path]


# --- setting ---------------------------------------------------------------------------------------------------------


def put_ship(unit: Ship, path: str, value: Any, impulses: int) -> Ship:
    """The ship with a path set. Raises :class:`NoPath`."""
    first, _, rest = path.partition(" ")
    if path in ("since turn", "since slip", "batteries", "speed"):
        return replace(unit, **{path.replace(" ", "_"): _count(path, value)})
    if path == "capacitor":
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NoPath("capacitor takes a number of points")
        return replace(unit, capacitor=float(value))
    if first == "shield" and rest in ("1", "2", "3", "4", "5", "6"):
        boxes = list(unit.shields)
        boxes[int(rest) - 1] = _count(path, value, most=boxes[int(rest) - 1])
        return replace(unit, shields=tuple(boxes))
    if path in unit.boxes:
        left = {**unit.boxes, path: _count(path, value, most=unit.boxes[path])}
        batteries = min(unit.batteries, left.get("battery", unit.batteries))
        return replace(unit, boxes=left, batteries=batteries)
    if first == "fired" and (name := weapon_name(unit, rest)):
        fired = replace(unit.weapons[name], fired=moment_of(str(value), impulses))
        return replace(unit, weapons={**unit.weapons, name: fired})
    if name := weapon_name(unit, path):
        return replace(unit, weapons={**unit.weapons, name: _set_weapon(unit, name, value)})
    raise NoPath(_unknown(unit, path))


def _set_weapon(unit: Ship, name: str, value: Any) -> Any:
    weapon = unit.weapons[name]
    match value:
        case "destroyed":
            return replace(weapon, working=False, charge="", ammo=0)
        case "armed" | "arming" if weapon.kind == "photon":
            return replace(weapon, charge=value, armed_turns=2 if value == "armed" else 1)
        case "armed" | "arming" if charts.weapon_kinds()[weapon.kind].family == "plasma":
            turns = len(charts.plasma()[plasma_type(weapon.kind)].arming)
            return replace(weapon, charge=value, armed_turns=turns if value == "armed" else 1)
        case int() if weapon.kind == "drone_rack" and not isinstance(value, bool):
            return replace(weapon, ammo=_count(name, value))
        case _:
            raise NoPath(
                f"{name} cannot be {value!r} at the start; a weapon may be destroyed, a torpedo armed or arming, "
                "and a rack is given the number of drones left"
            )


def put_drone(unit: Seeker, path: str, value: Any, impulses: int) -> Seeker:
    """The drone with a path set. Raises :class:`NoPath`."""
    match path:
        case "damage" | "warhead":
            return replace(unit, **{path: _count(path, value)})
        case "since turn":
            return replace(unit, straight=_count(path, value))
        case "came from":
            return replace(unit, came_from=str(value))
        case "endurance":
            return replace(unit, endurance=moment_of(str(value), impulses))
        case _:
            raise NoPath(
                f"{path!r} cannot be set for a drone; there are damage, warhead, since turn, came from, endurance"
            )


def _count(path: str, value: Any, most: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0 or (most is not None and value > most):
        limit = "" if most is None else f", {most} at most"
        raise NoPath(f"{path} takes a whole number of 0 or more{limit}, not {value!r}")
    return value
