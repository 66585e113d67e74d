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

from pbem.data import charts
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class
from pbem.lab.rule_cases import asks_combat, asks_systems, asks_units, asks_weapons
from pbem.lab.rule_cases.lookups import ASKS, Answer, law, lookup
from pbem.lab.rule_cases.volleys import undamaged, volley
from pbem.rules import (
    arcs,
    capacitor,
    drones,
    energy,
    hexes,
    impulse_chart,
    repair,
    seeking,
    shields,
    sideslip,
    turning,
)

__all__ = ["ASKS", "ask", "asks_combat", "asks_systems", "asks_units", "asks_weapons"]
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
