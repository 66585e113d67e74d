"""Write orders as text in normal form, which reads back as the same orders.

Keywords are in capitals, names as given, one order a line. The sections come in this order: SPEED, ENERGY, PLOT,
DO, BREAK, DAMAGE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby

from pbem.orders import model as om
from pbem.orders.header import header_line
from pbem.orders.names import name_text as name_text, target_text, weapons_text as weapons_text


def write_orders(orders: om.Orders) -> str:
    """Return a whole order file in normal form, ending in END."""
    blocks = [header_line(orders), orders.alone, *("\n".join(unit_lines(unit)) for unit in orders.units), "END"]
    return "\n\n".join(filter(None, blocks)) + "\n"


def unit_lines(unit: om.UnitOrders) -> Iterator[str]:
    """Yield the lines of the block of a ship or shuttle.

    The orders that a side gives above all blocks, without a unit, have no heading.
    """
    if unit.unit:
        yield unit_text(unit)
    if unit.speed is not None:
        yield f"SPEED {unit.speed}"
    if unit.energy is not None:
        yield "ENERGY"
        yield from (f"  {energy_text(line)}" for line in unit.energy)
    if unit.plot is not None:
        yield plot_text(unit.plot)
        yield from (f"  {reaction_text(reaction)}" for reaction in unit.plot.reactions)
        yield from (f"  {tac_text(tac)}" for tac in unit.plot.tacs)
    if unit.do:
        yield "DO"
        yield from (f"  {order_text(order)}" for order in unit.do)
    if unit.breaks:
        yield "BREAK"
        yield from (f"  {one.condition.text}" for one in unit.breaks)
    if unit.damage:
        yield "DAMAGE"
        yield from (f"  {damage_text(choice)}" for choice in unit.damage)


def unit_text(unit: om.UnitOrders) -> str:
    """Return the heading line of a block, such as ``SHIP Destruction``.

    Return ``""`` for orders that a side gives above all blocks.
    """
    if not unit.unit:
        return ""
    position = f" AT {unit.position}" if unit.position else ""
    return f"{'SHUTTLE' if unit.shuttle else 'SHIP'} {name_text(unit.unit)}{position}"


# --- energy ---------------------------------------------------------------------------------------------


def points_text(points: Fraction) -> str:
    """Return energy points as text: ``2``, ``2.5``, or ``1/3`` if no short decimal is exact."""
    if points.denominator == 1:
        return str(points.numerator)
    thousandths = points * 1000
    if thousandths.denominator == 1:
        whole, part = divmod(thousandths.numerator, 1000)
        return f"{whole}.{part:03}".rstrip("0")
    return f"{points.numerator}/{points.denominator}"


def energy_text(line: om.EnergyLine) -> str:
    """Return an entry of the energy form as text: ``PHOT A 2 WARP``, ``REINFORCE #1 WITH 2``."""
    parts = " + ".join(f"{points_text(points)} {source}".rstrip() for source, points in line.parts)
    with_ = "WITH" if line.shield and parts else ""
    return " ".join(p for p in (line.item, f"#{line.shield}" if line.shield else "", line.verb, with_, parts) if p)


# --- movement -------------------------------------------------------------------------------------------


def codes_text(codes: Iterable[str]) -> str:
    """Return plot codes as one text, with repeated ones counted: ``2F R 3F``."""
    runs = [(code, len(list(run))) for code, run in groupby(codes)]
    return " ".join(
        f"{min(count - start, 99)}{code}" if count - start > 1 else code
        for code, count in runs
        for start in range(0, count, 99)
    )


def pilot_text(pilot: om.Pilot) -> str:
    """Return a rule to steer by as text: ``KEEP #1 TO Constellation``, ``AWAY FROM IT IF SEEKER WITHIN 3``."""
    while_ = "" if pilot.condition is None else f" IF {pilot.condition.text}"
    return _steering_text(pilot) + while_


def _steering_text(pilot: om.Pilot) -> str:
    unit = target_text(pilot.unit)
    match pilot.how:
        case "toward":
            return f"TOWARD {unit}"
        case "away":
            return f"AWAY FROM {unit}"
        case "keep shield":
            return f"KEEP #{pilot.shield} TO {unit}"
        case "keep arc":
            return f"KEEP {unit} IN {pilot.arc}"
        case _:
            return f"KEEP {unit} AT RANGE {pilot.low} TO {pilot.high}"


def plot_text(plot: om.Plot) -> str:
    """Return the first line of a plot as text.

    Its reactions and tactical maneuvers are on lines of their own (:func:`reaction_text`, :func:`tac_text`).
    """
    legs = " ".join(f"{hexes}{direction}" for hexes, direction in plot.course)
    parts = (
        "COURSE" if plot.course else "PLOT",
        legs or codes_text(plot.codes),
        pilot_text(plot.pilot) if plot.pilot else "",
        "LEAVE MAP" if plot.leave_map else "",
    )
    return " ".join(part for part in parts if part)


def reaction_text(reaction: om.Reaction) -> str:
    """Return a reaction of a plot as text: ``AT 7 IF RANGE Constellation <= 3 THEN R``."""
    doing = pilot_text(reaction.pilot) if reaction.pilot else codes_text(reaction.codes)
    return _when(reaction.at, False, reaction.every, reaction.condition) + doing


def tac_text(tac: om.Tac) -> str:
    """Return a tactical maneuver as text: ``TAC R AT 9``, ``IF RANGE Constellation <= 9 THEN TAC R``."""
    if tac.condition is not None or tac.every:
        return _when(tac.at, False, tac.every, tac.condition) + f"TAC {tac.way}"
    return f"TAC {tac.way}" + ("" if tac.at is None else f" AT {tac.at}")


# --- activities -----------------------------------------------------------------------------------------


def order_text(order: om.Order) -> str:
    """Return an order of the DO section as text: ``AT 9 IF RANGE <= 4 THEN FIRE DISR A,B AT Constellation``."""
    doing = " AND ".join(activity.text for activity in order.does)
    return _when(order.at, order.last, order.every, order.condition) + doing


def _when(at: int | None, last: bool, every: bool, condition: om.Condition | None) -> str:
    parts = (
        f"AT {at}" if at is not None else "",
        "LAST" if last else "",
        "EVERY" if every else "",
        f"IF {condition.text} THEN" if condition is not None else "",
    )
    return "".join(f"{part} " for part in parts if part)


def damage_text(choice: om.DamageChoice) -> str:
    """Return a damage choice as text: ``WEAPON PH 4, DRONE 1 FIRST``."""
    if not choice.items:
        return choice.category + (" LAST" if choice.place == "LAST" else "")
    return f"{choice.category} {', '.join(choice.items)} {choice.place}"
