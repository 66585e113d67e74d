"""Look-ups of the rules on plasma torpedoes, cloaks, systems, shuttles, terrain and monsters (see :mod:`asks`)."""

from __future__ import annotations

from fractions import Fraction

from pbem.data.ships import ship_class
from pbem.data.words import CloakState
from pbem.errors import NotAllowed
from pbem.lab.rule_cases.lookups import Answer, law, lookup, why_not
from pbem.rules import (
    cloak,
    labs,
    monsters,
    plasma,
    probes,
    sensors,
    shuttles,
    suicide_shuttles,
    terrain,
    tractors,
    transporters,
)
from pbem.rules.lines import line as line_of_fire

# --- plasma torpedoes and cloaks --------------------------------------------------------------------------

law(
    "plasma strength",
    plasma.warhead,
    "Warhead of a plasma torpedo (plasmaS ...) after so many hexes and points of phaser damage (FP1.5, FP1.6).",
    type="kind",
)
law("plasma endurance", plasma.endurance, "Hexes after which a plasma torpedo is spent (FP1.4).", type="kind")
law(
    "plasma feedback",
    plasma.feedback,
    "Feedback of a torpedo launched and striking in one hex (FP1.8).",
    warhead="points",
)


@lookup("plasma facings")
def plasma_facings(*, ship: str, weapon: str, facing: str) -> list[str]:
    """Facings in which a tube (PLAS A) of a ship with this facing launches (FP3.1, FP3.2)."""
    spec = ship_class(ship).weapon(weapon)
    return list(plasma.launch_facings(facing, spec.mount, spec.arc))


@lookup("plasma targets")
def plasma_targets(*, ship: str, weapon: str) -> str:
    """The arc in which a tube's target must be at launch (FP3.1, FP3.2)."""
    spec = ship_class(ship).weapon(weapon)
    return plasma.target_arc(spec.mount, spec.arc)


@lookup("plasma after destruction")
def plasma_after_destruction(*, destroyed: int, impulses: int) -> list[int]:
    """Turn and impulse until which a tube destroyed at this impulse of turn 1 may still launch (FP1.7)."""
    last = plasma.last_moment(destroyed, impulses)
    return [(last - 1) // impulses + 1, (last - 1) % impulses + 1]


@lookup("cloaked range")
def cloaked_range(*, range: int) -> int:
    """Effective range to a fully cloaked ship, scanners whole (G13.34C)."""
    return sensors.effective_range(range, hidden=True)


@lookup("cloak")
def cloak_at(*, status: str, since: int, impulse: int) -> dict[str, Answer]:
    """Hexes added, enemies' lock-on, weapons silent, hidden: a cloak announced at one impulse, at another (G13.0)."""
    return cloak.veil(CloakState(status), since, impulse)._asdict()


law("seeker on cloaked", cloak.seeking_points, "Points a seeking weapon scores on a cloaked ship (G13.34C).")


# --- systems ----------------------------------------------------------------------------------------------


@lookup("towing speed")
def towing_speed(*, warp: int, impulse: int, freighters: int, move_cost: str = "1") -> int:
    """Speed with so much warp and impulse energy and so many freighters in tow (G7.4)."""
    return tractors.towing_speed(warp, impulse, Fraction(move_cost), freighters)


@lookup("may tractor")
def may_tractor(*, kind: str, range: int, own: bool = False) -> str:
    """Why a tractor beam may not hold such a unit, as a code, or empty (G7.26, G7.31C, G7.32C)."""
    return why_not(lambda: tractors.verify_hold(target=kind, kind=kind, own=own, range=range))


@lookup("transporter energy")
def transporter_energy(*, transporters_used: int, fractional: bool = False) -> str:
    """Energy for so many transporters, as 1 or 2/5 (G8.13)."""
    return str(transporters.energy_for(transporters_used, fractional))


@lookup("information")
def information(*, die: int, range: int, labs_working: int = 1) -> int:
    """Information gathered by so many labs (G4.1)."""
    return labs.each_lab(die, range) * labs_working


law("probe hits", probes.hits, "Whether a probe used as a weapon hits (G5.34).", range="effective_range")


@lookup("shuttle")
def shuttle(*, damage: int, speed: int = 6) -> list[Answer]:
    """Condition and speed of a shuttle flying at a speed after so much damage (J1.32, J1.33)."""
    return [shuttles.condition(damage), shuttles.speed_after(speed, damage)]


@lookup("shuttle speed")
def shuttle_speed(*, speed: int, prior: int, damage: int = 0) -> str:
    """Why a shuttle may not fly at a speed after another, as a code, or empty (J1.21, J1.22)."""
    return why_not(lambda: shuttles.verify_speed(speed, prior, damage))


@lookup("suicide shuttle")
def suicide_shuttle(*, energy: list[int], level: str = "cadet") -> list[Answer]:
    """State and warhead of a suicide shuttle after so much energy by turn, or what is wrong (J2.22)."""
    state = suicide_shuttles.NOT_ARMED
    for points in energy:
        try:
            state = suicide_shuttles.arm(state, points, level)
        except NotAllowed as refused:
            return [refused.code, 0]
    return [state.state, suicide_shuttles.warhead(state.energy)]


# --- terrain and monsters ---------------------------------------------------------------------------------


@lookup("line")
def line(*, a: str, b: str, grid: str = "even") -> dict[str, Answer]:
    """Hexes a line of fire goes through, and pairs of hexes along whose edge it runs (P2.0)."""
    found = line_of_fire(a, b, grid)
    return {"through": list(found.through), "edges": [list(pair) for pair in found.edges]}


law("planet blocks", terrain.blocked, "Whether planets stop a line of fire (P2.0).")
law("asteroid damage", terrain.asteroid_damage, "Points scored by asteroids on a unit that enters them (P3.0).")
law("asteroid modifier", terrain.fire_modifier, "What asteroids in a line of fire add to the die (P3.0).")


@lookup("monster move")
def monster_move(
    *, at: str, toward: str, die: int = 1, kind: str = "planet_killer", straight: int = 1, grid: str = "even"
) -> str:
    """Hex and facing of a monster at 0101C after its move toward a hex (scenario #11)."""
    moved = monsters.choose(monsters.choices(kind, at[:4], at[4:], straight, toward, grid), die)
    return moved.hex + moved.facing


@lookup("monster attack")
def monster_attack(*, die: int, kind: str = "planet_killer", cadet: bool = False) -> int:
    """Points of a monster's attack, halved for Cadet ships (scenario #11)."""
    return monsters.attack(kind, die, cadet)
