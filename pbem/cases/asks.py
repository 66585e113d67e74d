"""Look-ups of the rules by name, for rule cases (``[[ask]]``): keyword arguments in, a plain JSON value out.

``ASKS`` maps each name to its function; the first line of a function's docstring is its line in the
documentation. Arguments a case leaves out take the default shown in the signature; ``grid`` is ``even`` or
``odd``.
"""

from __future__ import annotations

import difflib
import inspect
from fractions import Fraction
from typing import Any

from pbem.cases import asks_combat, asks_systems, asks_units
from pbem.cases.lookups import ASKS, Answer, law, lookup, why_not
from pbem.cases.volleys import undamaged, volley
from pbem.data import charts
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.rules import (
    arcs,
    capacitor,
    direct_fire,
    drones,
    energy,
    fire,
    hexes,
    impulse_chart,
    phasers,
    repair,
    seeking,
    shields,
    sideslip,
    turning,
)
from pbem.values.words import WeaponState

__all__ = ["ASKS", "ask", "asks_combat", "asks_systems", "asks_units"]
# the three neighbours are imported so that their look-ups are entered too


def ask(function: str, **given: Any) -> Answer:
    """Answer a look-up. Raises ``ValueError`` naming an unknown function, argument or kind of weapon."""
    if function not in ASKS:
        near = difflib.get_close_matches(function, ASKS, n=3) or sorted(ASKS)
        words = "did you mean" if len(near) < len(ASKS) else "there are"
        raise ValueError(f"there is no look-up {function!r}; {words} {', '.join(near)}")
    called = ASKS[function]
    known = inspect.signature(called).parameters
    wrong = [name for name in given if name not in known]
    missing = [name for name, it in known.items() if it.default is it.empty and name not in given]
    if wrong or missing:
        text = "; ".join(
            [*(f"{name!r} is none of its arguments" for name in wrong), *(f"{name!r} is missing" for name in missing)]
        )
        raise ValueError(f"{function}: {text}; it takes {', '.join(known)}")
    if isinstance(given.get("type"), str):
        given["type"] = weapon_kind(given["type"])
    return called(**given)


def weapon_kind(said: str) -> str:
    """The kind of weapon a name means: ``ph1`` for ``ph-1``, ``phaser-1`` or ``PH 1``; others as they are."""
    kinds = {kind.casefold(): kind for kind in charts.weapon_kinds()}
    plain = said.casefold().replace("-", "").replace(" ", "").replace("_", "").replace("phaser", "ph")
    plain = {"phiii": "ph3", "phii": "ph2", "phi": "ph1"}.get(plain, plain)
    return kinds.get(plain, said)


# --- geometry ---------------------------------------------------------------------------------------------

law("distance", hexes.distance, "True range between two hexes (D1.4).")
law("neighbour", hexes.neighbour, "The hex next to a hex in a facing A to F (C1.2).")
law(
    "direction",
    hexes.direction_to,
    "The facing that leads from hex a into the adjacent hex b; nothing if they are not adjacent (C1.2).",
)
law("hex after", turning.enter, "Hex and facing after one step F, L, R, SL or SR (C3.1, C4.2).")
law("arcs", arcs.arcs_of, "The single arcs of a designation, in alphabetical order (D2.1, D2.2).")
law("in arc", arcs.in_arc, "Whether a weapon with this arc bears on a hex (D2.1).", target="target_hex")
law(
    "shield faced",
    shields.faced_shields,
    "The shield a line of fire from a hex crosses, or the two whose junction it meets (D3.4, D3.41).",
    source="source_hex",
)


@lookup("boundary shield")
def boundary_shield(
    *, target: str, target_speed: int, firer: str, firer_speed: int, impulse: int, impulses: int, grid: str = "even"
) -> int | None:
    """The shield a line of fire enters, by D3.41 at junctions (nothing if undecided); units as 1708C."""
    return shields.boundary_shield(
        (target[:4], target[4:], target_speed), (firer[:4], firer[4:], firer_speed), impulse, impulses, grid
    )


# --- movement ---------------------------------------------------------------------------------------------

law("moves", impulse_chart.moves, "Whether a speed moves in an impulse of a turn of 8, 16 or 32 (C1.44).")
law("impulses of", impulse_chart.impulses_of, "The impulses in which a speed moves (C1.44).")
law("hex number", impulse_chart.hex_number, "The hexes a speed has moved by the end of an impulse (C1.44).")
law("quarter turn", impulse_chart.quarter, "Impulses in a quarter turn (E1.5).")
law("maximum speed", impulse_chart.max_speed, "Maximum speed of ships, or the speed of seeking weapons (C1.42).")


@lookup("turn mode")
def turn_mode(*, speed: int, ship: str = "", letter: str = "") -> int:
    """Turn mode of a ship (by key) or of a letter of the chart at a speed (C3.3)."""
    modes = ship_class(ship).turn_modes if ship else charts.turn_modes().classes[letter]
    return turning.turn_mode(modes, speed)


@lookup("counts after")
def counts_after(*, codes: list[str], since_turn: int = 99, since_slip: int = 99) -> list[int]:
    """Hexes counted for turn mode and slip mode after a number of steps (C3.4, C4.3)."""
    for code in codes:
        since_turn, since_slip = sideslip.after_step(code, since_turn, since_slip)
    return [since_turn, since_slip]


@lookup("seeker steps")
def seeker_steps(*, at: str, target: str, straight: int = 1, grid: str = "even") -> list[str]:
    """The hexes a seeking weapon at 1109E may enter, as 1009E, ahead, left, right (F2.0)."""
    return [hex + facing for _, hex, facing in seeking.legal_steps(at[:4], at[4:], straight, target, grid)]


@lookup("seeker step")
def seeker_step(*, at: str, target: str, straight: int = 1, grid: str = "even", way: str = "") -> str:
    """The hex a seeking weapon enters with GUIDE LEFT, RIGHT, STRAIGHT, or unguided (F2.0, special rule)."""
    _, hex, facing = seeking.choose_step(at[:4], at[4:], straight, target, grid, way)
    return hex + facing


law(
    "launch facings",
    drones.launch_facings,
    "The facings in which a drone may be launched at a hex (FD1.2).",
    target="target_hex",
)


@lookup("drone endurance")
def drone_endurance(*, turn: int, impulse: int, impulses: int, level: str = "cadet") -> list[int]:
    """Turn and impulse at whose end a drone launched then is removed (FD1.4)."""
    end = drones.endurance((turn - 1) * impulses + impulse, impulses, level)
    return [impulse_chart.turn_of(end, impulses), impulse_chart.impulse_of(end, impulses)]


@lookup("drone")
def drone(*, level: str = "cadet") -> list[int]:
    """Warhead of a drone and the damage that destroys it (FD1.54, FD1.6)."""
    return [drones.warhead(level), drones.toughness(level)]


# --- fire -------------------------------------------------------------------------------------------------


@lookup("phaser damage")
def phaser_damage(*, type: str, range: int, die: int) -> int:
    """Points of a phaser (ph1, ph2, ph3, phG) at an effective range (E2.4)."""
    if not direct_fire.is_phaser(type):
        raise ValueError(f"{type} is no phaser")
    return shot(type=type, range=range, die=die)


law("phaser energy", phasers.phaser_cost, "Energy of one shot of a phaser (E2.1).", type="kind")


@lookup("photon hits")
def photon_hits(*, range: int, die: int) -> bool:
    """Whether a photon torpedo hits (E4.12)."""
    return direct_fire.direct_fire("photon", range, range, die).hit


@lookup("photon damage")
def photon_damage() -> int:
    """Points of a photon torpedo that hits (E4.13)."""
    return shot(type="photon", range=direct_fire.min_range("photon"), die=1)


@lookup("disruptor hits")
def disruptor_hits(*, range: int, die: int) -> bool:
    """Whether a disruptor bolt hits at an effective range (E3.3)."""
    return direct_fire.direct_fire("disruptor", range, range, die).hit


@lookup("disruptor damage")
def disruptor_damage(*, range: int) -> int:
    """Points of a disruptor bolt that hits at a true range (E3.31)."""
    return shot(type="disruptor", range=range, die=1)


@lookup("shot")
def shot(
    *, type: str, range: int, die: int, effective: int | None = None, target: str = "ship", max_range: int | None = None
) -> int:
    """Points of one shot at a ship or drone, modifier included (E1.3, E3.31, FD1.52); max_range: the ship's own, if
    it has one (E3.32)."""
    modifier = direct_fire.drone_modifier(type) if target == "drone" else 0
    far = range if effective is None else effective
    return direct_fire.direct_fire(type, range, far, die, modifier, max_range).points


@lookup("may fire")
def may_fire(
    *,
    type: str,
    range: int,
    charge: str = "",
    energy: float = 0.0,
    in_arc: bool = True,
    working: bool = True,
    max_range: int | None = None,
    fired: list[int] | None = None,
    turn: int = 1,
    impulse: int = 1,
    impulses: int = 16,
) -> str:
    """Why a weapon may not fire, as a code, or empty; fired: turn and impulse of its last shot (E1.2, E1.5)."""
    return why_not(
        lambda: fire.verify_fire(
            kind=type,
            name=type,
            working=working,
            charge=WeaponState(charge),
            fired=None if fired is None else (fired[0] - 1) * impulses + fired[1],
            moment=(turn - 1) * impulses + impulse,
            impulses=impulses,
            range=range,
            max_range=max_range,
            in_arc=in_arc,
            energy=energy,
        )
    )


# --- damage and energy ------------------------------------------------------------------------------------


@lookup("absorb")
def absorb(*, points: int, boxes: int, general: int = 0, specific: int = 0) -> dict[str, int]:
    """Where a volley goes: general, specific reinforcement, boxes, internals (D3.21, D3.34)."""
    return shields.absorb(points, general, specific, boxes)._asdict()


@lookup("damage column")
def damage_column(*, die: int, column: str, chart: str = "printed") -> str:
    """The category in a column of the Cadet damage chart (D4.21 cadet)."""
    dac = charts.cadet_dac().module if chart == "module" else charts.cadet_dac().printed
    return dac.rows[die - 1][dac.columns.index(column)]


@lookup("first hits")
def first_hits(*, ship: str, dice: list[int], chart: str = "printed") -> list[str]:
    """The boxes a volley destroys on an undamaged ship by the default procedure (D4.22, D4.223)."""
    return volley("cadet dac", ship, len(dice), dice=dice, chart=chart)


@lookup("total power")
def total_power(*, ship: str) -> int:
    """Line 4 of the form of an undamaged ship (B3.0)."""
    return energy.plant_of(ship_class(ship).boxes).total


@lookup("capacity")
def capacity(*, ship: str) -> float:
    """What the phaser capacitor of an undamaged ship holds (H6.0)."""
    return capacitor.capacity(undamaged(ship).weapons)


@lookup("movement cost")
def movement_cost(*, hexes: int, move_cost: str = "1") -> int:
    """Warp energy for so many hexes, rounded up (C2.12)."""
    return energy.warp_for(hexes, Fraction(move_cost))


law("general reinforcement", shields.general_for, "Points of general reinforcement for so much energy (D3.341).")
law("boxes repaired", repair.boxes_repaired, "Shield boxes repaired by so much energy (D9.2).")


@lookup("boxes")
def boxes(*, ship: str, system: str) -> int:
    """Boxes of a system on an SSD; shields as shield 1 to shield 6."""
    kind = ship_class(ship)
    if system.startswith("shield "):
        return kind.shields[int(system.split()[1]) - 1]
    return kind.boxes.get(system, 0)


@lookup("start")
def start(*, scenario_number: str, unit: str) -> str:
    """Hex and facing of a unit at the start of a scenario."""
    found = scenario(scenario_number).unit(unit)
    return found.hex + found.facing
