"""State paths: how rule cases and the umpire name a part of a unit, here to look at it (to set it: :mod:`.setting`).

Numbers are always what is left: boxes, drones, charged batteries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pbem.data import charts
from pbem.game.spelling import near, path_as_meant
from pbem.game.state import AnyUnit, ProbeBox, Seeker, Ship, State
from pbem.rules.probes import arming_energy
from pbem.values.words import Gone, Purpose

Found = TypeVar("Found")

SHIP_PATHS = {
    "at": "hex and facing, `1616F`",
    "hex": "the hex",
    "facing": "the facing, A to F",
    "gone": "empty while in play, else how it left: `destroyed`, `disengaged`, `left the map`",
    "destroyed": "whether it was destroyed; only at the end",
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
    "parties": "boarding parties of its own side aboard (D7.0)",
    "boarders klingon": "boarding parties of another side aboard (D7.0)",
    "taken": "control stations these hold (D7.0)",
    "side": "who commands it; only at the end",
    "captured from": "the side that lost it by capture, empty if none (D7.0)",
    "mutiny": "empty, `put down` or `staged` (G6.2)",
    "passengers": "crew units taken aboard (scenario #9)",
    "hangar": "the letters of the shuttles aboard (J2.0): a list at the end, `AB` in `state`",
    "bay used": "turn and impulse of the last launch or recovery, `1.15`; empty for never (J1.5)",
    "suicide A": "a shuttle being made a suicide shuttle (J2.221): empty, `arming`, `armed` or `unusable`; in `state` "
    "also the energy so far, turn by turn, `3 3`",
    "probe A": "a probe launcher: empty, `arming` or `armed`, with `weapon` behind it if as a weapon; a number is the "
    "probes left (G5.12, G5.2)",
    "lowered": "shields lowered, `#3` or `general`, as a list (G8.22); only at the end",
    "lowered #3": "turn and impulse since when it is lowered, empty if it is not; in `state` for `general` too",
    "holds": "what its tractor beams hold, as a list by beam (G7.3); only at the end",
    "holds A": "what that tractor beam holds, empty for nothing (G7.3)",
    "held by": "the ships whose tractor beams hold it, as a list; only at the end",
    "tractors": "beams with energy this turn, as a list (G7.15); only at the end",
    "transporters": "transporters with energy this turn (G8.13); only at the end",
    "transported": "how many of them were used this turn (G8.11); only at the end",
    "lock on": "whether the sensors locked on this turn (D6.11); only at the end",
    "cloak": "the cloaking device: empty, `cloaked`, `cloaking` (fading out, or under cloak), `uncloaking` (G13.0); "
    "in `state`, `cloaked`",
    "tactical": "warp maneuvers paid for this turn (C5.22); only at the end",
    "unpaid": "the lines without energy, as a list (B3.0); only at the end",
    "repairing 1": "energy to repair a shield this turn (D9.2); only at the end",
}
"""State paths of ships, with an example of each form."""

DRONE_PATHS = {
    "at": "hex and facing",
    "hex": "the hex",
    "facing": "the facing, A to F",
    "gone": "empty while in play, else `destroyed`, `exploded` or `removed`",
    "damage": "points it has taken (FD1.54, FP1.6)",
    "since turn": "hexes moved since its last turn (F2.0)",
    "came from": "the hex it approaches from (D3.4)",
    "target": "the unit it seeks; only at the end",
    "launcher": "the ship that guides it; only at the end",
    "speed": "hexes it moves a turn; only at the end",
    "warhead": "points it scores (FD1.6, FP1.5)",
    "travelled": "hexes a plasma torpedo has flown (FP1.5)",
    "endurance": "turn and impulse at whose end it is removed, `4.4`, empty for never (FD1.4)",
}
"""State paths of drones."""

SMALL_PATHS = {
    "at": "hex and facing",
    "hex": "the hex",
    "facing": "the facing, A to F",
    "gone": "empty while in play, else how it left: `destroyed`, `landed` (a shuttle aboard a ship) …",
    "speed": "hexes it moves this turn",
    "damage": "points it has taken (J1.32, scenario #11)",
    "since turn": "hexes a shuttle or monster moved since its last turn (J1.23)",
    "crew": "crew units a shuttle carries, or that wait on a planet (J2.211)",
    "parties": "boarding parties a shuttle carries (J2.211)",
    "landed": "the planet a shuttle stands on, empty in flight (P2.0)",
    "came from": "the hex a shuttle was in before",
    "fired": "turn and impulse of a shuttle's last shot, empty for never (J2.213)",
    "target": "what a suicide shuttle follows (J2.22); only at the end",
    "bomb": "points a suicide shuttle scores (J2.22)",
    "launcher": "the ship a shuttle came from; only at the end",
    "information": "points of information gathered about a monster (G4.1)",
    "needed": "at how many points a die is rolled (scenario #11)",
    "method": "the die that told how a monster is dealt with, 0 while it is not known",
    "goal": "the planet a monster is after; only at the end",
    "attacked by": "who last damaged a monster, empty for nobody",
    "held by": "the ships whose tractor beams hold it, as a list; only at the end",
}
"""State paths of shuttles, monsters and planets; each has those that make sense for it."""

GAME_PATHS = {
    "turn": "the turn being played",
    "impulse": "the impulse play has come to",
    "step": "the step that would be played next",
    "over": "whether the scenario is decided",
    "request": "the form of the orders asked for now: `EAF`, `SOP`, `FULL`; empty if none are",
    "asteroids": "the hexes with asteroids, as a list (P3.0)",
    "result federation": "a side's result in the scenario's words; empty while there is none",
}
"""Paths of `[final.game]`."""


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
    if path not in (*SMALL_PATHS, "prior speed") or not hasattr(unit, field):
        raise UnknownPath(f"{path!r} is no state path of {unit.name}; there are {', '.join(paths_of(unit))}")
    value = getattr(unit, field)
    return moment_text(value, state.impulses) if field == "fired" else value


def paths_of(unit: AnyUnit) -> list[str]:
    """The paths that a shuttle, a monster or a planet has."""
    return [path for path in SMALL_PATHS if path == "held by" or hasattr(unit, FIELDS.get(path, path))]


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
        "endurance": moment_text(unit.endurance or None, state.impulses),
    }
    if path not in found:
        raise UnknownPath(f"{path!r} is no state path of a drone; there are {', '.join(DRONE_PATHS)}")
    return found[path]


def look_ship(state: State, unit: Ship, path: str, wanted: Any) -> Any:
    """The value of a path of a ship."""
    plain = {
        "prior speed": unit.prior_speed,
        "since turn": unit.since_turn,
        "since slip": unit.since_slip,
        "capacitor": unit.capacitor,
        "batteries": float(unit.stored) if unit.battery_part else unit.batteries,
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
        "tractors": list(unit.tractors),
        "transporters": unit.transporters,
        "bay used": moment_text(unit.bay_used, state.impulses),
        "lock on": unit.lock_on,
        "cloak": unit.cloak,
        "tactical": unit.tactical,
        "unpaid": list(unit.unpaid),
    }
    if path in plain:
        return plain[path]
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
    hint = near(path_as_meant(path), [*boxes, *SHIP_PATHS]).replace("?", "? It has") or "; there are"
    return f"{path!r} is no state path of {unit.name}{hint} {', '.join(boxes)}, and see docs/cases.md"


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
        "asteroids": list(state.asteroids),
        "request": state.request.form if state.request else "",
    }
    if path not in found:
        raise NoPath(f"{path!r} is no path of the game; there are {', '.join(GAME_PATHS)}")
    return found[path]
