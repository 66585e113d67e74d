"""The energy form as it is told: line by line with its sums, and as orders in normal form (B3.0)."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.data.energy_form import DISCHARGED, FIRST_SPENT, LABELS, OPTIONAL, TOTAL, WEAPONS
from pbem.rules.energy_payment import Charge
from pbem.rules.energy_terms import STANDING, Plant, Points


def ledger(plant: Plant, charges: Sequence[Charge], discharged: Points) -> list[tuple[int, str, Points, str]]:
    """Every line of the form: its number, what it is for, points, and where they come from."""
    rows: list[tuple[int, Points]] = [
        (1, plant.warp), (2, plant.impulse), (3, plant.apr), (4, plant.total),
        (5, plant.stored), (6, plant.battery_boxes - plant.stored),
    ]  # fmt: skip
    lines: list[tuple[int, str, Points, str]] = [(number, LABELS[number], amount, "") for number, amount in rows]
    for number in range(FIRST_SPENT, TOTAL):
        here = [charge for charge in charges if charge.number == number]
        lines += [(number, c.label, c.amount, c.told_sources if c.paid else "") for c in here]
        if not here and number < OPTIONAL:
            lines.append((number, LABELS[number], 0, ""))
    lines.append((TOTAL, LABELS[TOTAL], sum(charge.amount for charge in charges), ""))
    lines.append((DISCHARGED, LABELS[DISCHARGED], discharged, ""))
    return lines


def normal_form(charges: Sequence[Charge], ejected: Sequence[str], unpaid: Sequence[str]) -> tuple[str, ...]:
    """The form as orders, in the order of its lines; ``ejected`` weapons stand on line 10."""
    numbered = [(charge.number, charge.order) for charge in charges if charge.amount]
    numbered += [(WEAPONS, order) for order in ejected]
    numbered += [(STANDING[item], f"{item} 0") for item in unpaid]
    return tuple(text for _, text in sorted(numbered, key=lambda pair: pair[0]))
