"""Look-ups on damage, sensors, boarding, mutiny, tactical maneuvers and standard energy (see :mod:`asks`)."""

from __future__ import annotations

from fractions import Fraction

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.engine.steps.standard_internals import Line
from pbem.lab.rule_cases.lookups import Answer, law, lookup, why_not
from pbem.lab.rule_cases.volleys import volley
from pbem.rules import (
    acceleration,
    boarding,
    mutiny,
    phasers,
    repair,
    reserve,
    sensors,
    standard_damage,
    standing,
    tactical,
    transporters,
)
from pbem.rules.energy_terms import as_text

# --- damage -----------------------------------------------------------------------------------------------


@lookup("standard hits")
def standard_hits(
    *,
    ship: str,
    dice: list[int],
    hex: str = "",
    facing: str = "A",
    source: str = "",
    shield: int = 1,
    choices: list[str] | None = None,
    aboard: int = 0,
    grid: str = "even",
) -> list[str]:
    """The boxes a volley destroys on an undamaged ship by the standard chart: armor first, which takes no dice, then a
    box for each of the dice, sums of two (D4.2, D4.12). It comes from a hex, or through a shield; choices as
    "WEAPON PH 1 FIRST" (D4.223, D4.321).
    """
    armor = ship_class(ship).boxes.get(standard_damage.ARMOR, 0)
    both = [die for roll in dice for die in (max(1, roll - 6), min(6, roll - 1))]
    line = Line(hex, facing, source) if source else None
    return volley(
        "standard dac", ship, armor + len(dice), dice=both, shield=shield, line=line, choices=choices, aboard=aboard,
        grid=grid,
    )  # fmt: skip


@lookup("armor hits")
def armor_hits(*, ship: str, points: int, lost: int = 0) -> int:
    """How many internal points of a volley a ship's armor takes, having lost so much of it (D4.12)."""
    left = ship_class(ship).boxes.get(standard_damage.ARMOR, 0) - lost
    return len(standard_damage.armor_hits(points, {standard_damage.ARMOR: left}))


@lookup("free hits")
def free_hits(*, ship: str, points: int, edition: str = "printed", choices: list[str] | None = None) -> list[str]:
    """The boxes a volley destroys without a chart in scenarios #2 and #3; an empty one: the ship is lost (D4.0)."""
    return volley("scenario 2", ship, points, chart=edition, choices=choices)


@lookup("volley directions")
def volley_directions(*, points: list[int], internals: int) -> list[int]:
    """From which of several sources, by number from 1, each internal point of a volley comes (D4.34)."""
    parts = [standard_damage.Part(f"{n:03}", each, frozenset((str(n),))) for n, each in enumerate(points, start=1)]
    return [int(next(iter(arcs))) for arcs in standard_damage.directions(parts, internals)]


# --- sensors ----------------------------------------------------------------------------------------------


@lookup("sensor rating")
def sensor_rating(*, ship: str, lost: int = 0) -> int:
    """The sensor rating of a ship that has lost so many boxes of the track (D6.11, D4.33)."""
    track = ship_class(ship).tracks["sensor"]
    return sensors.sensor_rating(track, len(track) - lost)


@lookup("scanner factor")
def scanner_factor(*, ship: str, lost: int = 0) -> int:
    """The scanner adjustment of a ship that has lost so many boxes of the track (D6.21, D4.33)."""
    track = ship_class(ship).tracks["scanner"]
    return sensors.scanner_factor(track, len(track) - lost)


law("locks on", sensors.locks_on, "Whether a ship locks on (D6.11, D6.1).")
law(
    "effective range",
    sensors.effective_range,
    "The effective range from the true one (D6.123, D6.21, G13.34C).",
    range="true_range",
    cloaked="hidden",
)
law(
    "lost drones",
    sensors.lost_drones,
    "The drones a ship loses in the lock-on phase, of those it guides in order of launch (D6.122, D6.132).",
    most="",
)


# --- boarding and mutiny ----------------------------------------------------------------------------------

law(
    "casualties",
    boarding.casualties,
    "Casualty points of so many boarding parties, one die for each group of ten (D7.0).",
)


@lookup("boarding combat")
def boarding_combat(
    *, holders: int, raiders: int, holders_dice: list[int], raiders_dice: list[int], stations: int, taken: int = 0
) -> dict[str, Answer]:
    """A round of boarding combat: parties left, control stations in enemy hands, captured or not (D7.0)."""
    before = boarding.Decks(holders, raiders, stations, taken)
    after = boarding.fight(before, holders_dice, raiders_dice).decks
    return {
        "holders": after.holders, "raiders": after.raiders, "taken": after.taken, "captured": after.captured,
    }  # fmt: skip


@lookup("control stations")
def control_stations(*, ship: str) -> int:
    """Control stations of an undamaged ship (D7.0, step 5)."""
    kind = ship_class(ship)
    return boarding.control_stations(kind.boxes, kind.control_stations)


@lookup("mutiny occurs")
def mutiny_occurs(*, die: int, enemy_parties: int = 0, control_boxes: int = 1) -> bool:
    """Whether the crew of a Klingon ship without security stations mutinies (G6.2, G6.22, G6.23)."""
    return mutiny.occurs(die, mutiny.modifier(enemy_parties, control_boxes))


@lookup("mutiny succeeds")
def mutiny_succeeds(*, die: int, enemy_parties: int = 0, control_boxes: int = 1) -> bool:
    """Whether a mutiny that has broken out succeeds (G6.2, G6.22, G6.23)."""
    return mutiny.succeeds(die, mutiny.modifier(enemy_parties, control_boxes))


# --- tactical maneuvers -----------------------------------------------------------------------------------

law("tactical maneuvers", tactical.earned_in, "The impulses in which warp maneuvers are earned (C5.231).")
law(
    "may turn in place",
    tactical.verify_tac,
    "Why a warp or sublight maneuver may not be made, as a code, or empty (C5.0).",
)


# --- energy -----------------------------------------------------------------------------------------------


@lookup("top speed")
def top_speed(*, prior: int, level: str = "cadet") -> int:
    """The fastest a ship may go after a speed, as far as acceleration goes (B3.0, line 14)."""
    limits = charts.level(level)
    return acceleration.top_speed(prior, limits.acceleration, limits.multiple)


@lookup("exact cost")
def exact_cost(*, hexes: int = 0, move_cost: str = "1", ph3: int = 0, operated: int = 0) -> str:
    """Energy with fractional accounting for hexes, phaser-3 shots and transporters operated, as a fraction (B3.2)."""
    shots = ph3 * Fraction(phasers.phaser_cost("ph3"))
    return as_text(hexes * Fraction(move_cost) + shots + transporters.energy_for(operated, fractional=True))


@lookup("unpaid")
def unpaid(*, line: str) -> str:
    """What follows from LIFE SUPPORT, FIRE CONTROL or SHIELDS left unpaid (B3.0, lines 7, 8, 11)."""
    return " ".join(standing.consequences((line,)))


@lookup("capacitor after")
def capacitor_after(*, content: float, type: str, shots: int, before: int = 0) -> float:
    """What the capacitor holds after a phaser's shots, having fired some this turn before (H6.1, E2.1)."""
    drawn = sum(phasers.shot_cost(type, before + number) for number in range(shots))
    if drawn > content:
        raise ValueError(f"{drawn:g} points are needed, the capacitor holds {content:g} (H6.1)")
    return content - drawn


law("shots a turn", phasers.shots, "How often a weapon may fire in a turn (E1.5, E2.23).", type="kind")


@lookup("reserve power")
def reserve_power(*, use: str, points: int = 1, stored: int = 1, rolling: bool = False) -> str:
    """Why reserve power may not pay for shield, transporters, tractor, plasma, ph1 …, as a code, or empty (H7.2)."""
    return why_not(lambda: reserve.verify_reserve(use, points=points, stored=stored, rolling=rolling))


law("shields after repairs", repair.after_repairs, "Shields after the repairs of a turn's end (D9.2).")


@lookup("damage control rating")
def damage_control_rating(*, ship: str, lost: int = 0) -> int:
    """The damage control rating of a ship that has lost so many boxes of the track (D9.1, D4.33)."""
    track = ship_class(ship).tracks.get("damcon", ())
    return repair.rating(track, len(track) - lost)
