"""A captain's energy form (B3.0): what his doctrine pays for first, then as much of the rest as there is power for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pbem.data.doctrines import Doctrine
from pbem.data.scenarios import Scenario
from pbem.game.state import Ship, State
from pbem.offers.fields import line_of, read_entries, unpaid
from pbem.orders.model import EnergyLine
from pbem.rules import arming
from pbem.rules.acceleration import top_speed
from pbem.rules.energy import Allotment, allot
from pbem.rules.energy_terms import ShipFacts, as_text
from pbem.turn.allocation import facts_for
from pbem.values.words import WeaponState

ARMING = (2, 1, 3, 4, 5)
"""Points that may be a turn of arming (E3.2, E4.2, FP1.2), those first that most weapons take."""


class Form:
    """A form as it grows: an entry that can no longer be paid is left out."""

    def __init__(self, facts: ShipFacts) -> None:
        self.facts = facts
        self.entries: list[EnergyLine] = list(unpaid(facts))
        self.texts = [f"{entry.item} 0" for entry in self.entries]
        self.outcome = allot(self.entries, facts)

    def add(self, text: str, entries: Iterable[EnergyLine]) -> bool:
        """Put an entry on the form if it is legal together with those that stand there."""
        tried = [*self.entries, *entries]
        outcome = allot(tried, self.facts)
        if outcome.faults:
            return False
        self.entries, self.outcome = tried, outcome
        self.texts.append(text)
        return True

    def spare(self) -> int:
        """Points of this turn's power that nothing has been given, batteries apart."""
        amounts = {line.number: line.amount for line in self.outcome.balance}
        used = sum(line.amount for line in self.outcome.balance if 7 <= line.number <= 19)
        return int(amounts.get(4, 0) - used)


def energy_form(
    state: State,
    scenario: Scenario,
    ship: Ship,
    doctrine: Doctrine,
    *,
    extra: Sequence[str] = (),
    shield: int = 1,
    speed: int | None = None,
) -> tuple[list[str], Allotment]:
    """A legal form, line by line as orders, and what comes of it. ``extra`` entries are paid before all
    others; ``speed`` is one that was announced and must be paid;
    what is left goes into batteries, damage control and the ``shield`` that will be turned to the enemy.
    """
    form = Form(facts_for(state, scenario, ship))
    if extra:
        for text, entries in read_entries(extra).items():
            form.add(text, entries)
    if speed is not None:
        form.add(f"SPEED {speed}", [line_of("SPEED", speed)])
        _arm(form)
    elif doctrine.power == "arms":
        _arm(form)
        _move(form, doctrine.speed)
    else:
        _move(form, doctrine.speed)
        _arm(form)
    _rest(form, shield)
    return form.texts, form.outcome


def _arm(form: Form) -> None:
    """Heavy weapons and then phasers, all of them or as many as go."""
    facts = form.facts
    for tube in facts.tubes:
        if not tube.working or not arming.family(tube.kind).turns:
            continue
        if tube.charge == WeaponState.ARMED:
            form.add(f"{tube.name} HOLD", [line_of(tube.name, verb="HOLD")])
            continue
        for points in ARMING:
            if form.add(f"{tube.name} {points}", [line_of(tube.name, points)]):
                break
    room = Fraction(facts.capacity) - Fraction(facts.capacitor)
    for halves in dict.fromkeys((int(2 * room), 2 * int(room), int(room), 2)):
        wish = Fraction(halves, 2)
        if 0 < wish <= room and form.add(f"PHASERS {as_text(wish)}", [line_of("PHASERS", wish)]):
            break


def _move(form: Form, hundredths: int) -> None:
    """The highest speed up to the one wished for that the form still pays."""
    facts = form.facts
    fastest = min(facts.max_speed, top_speed(facts.prior_speed, facts.acceleration, facts.multiple))
    low, high = 0, max(0, min(fastest, -(-facts.max_speed * hundredths // 100)))
    middle = high  # mostly all of it can be paid
    while low < high:
        if _goes(form, middle):
            low = middle
        else:
            high = middle - 1
        middle = (low + high + 1) // 2
    if low:
        form.add(f"SPEED {low}", [line_of("SPEED", low)])


def _goes(form: Form, speed: int) -> bool:
    """Whether the form could pay a speed without touching its batteries."""
    outcome = allot([*form.entries, line_of("SPEED", speed)], form.facts)
    return not outcome.faults and not _discharged(outcome)


def _discharged(outcome: Allotment) -> bool:
    return any(line.number == 21 and line.amount for line in outcome.balance)


def _rest(form: Form, shield: int) -> None:
    """Batteries first, since their power may go anywhere later; then repairs, then the shield that is in front."""
    facts = form.facts
    room = facts.plant.battery_boxes - int(facts.plant.stored)
    _most(form, "RECHARGE", min(room, form.spare()))
    damaged = [n for n in range(1, 7) if facts.shields[n - 1] < facts.full_shields[n - 1]]
    if damaged and facts.damcon and form.spare() >= 2:
        worst = max(damaged, key=lambda n: (facts.full_shields[n - 1] - facts.shields[n - 1], n == shield, -n))
        points = min(facts.damcon, form.spare()) // 2 * 2
        form.add(f"REPAIR #{worst} WITH {points}", [line_of("REPAIR", points, shield=worst)])
    if facts.reinforcement and facts.shields[shield - 1]:
        spare = form.spare()
        if spare > 0:
            form.add(f"REINFORCE #{shield} WITH {spare}", [line_of("REINFORCE", spare, shield=shield)])


def _most(form: Form, item: str, points: int) -> None:
    for less in range(points, 0, -1):
        if form.add(f"{item} {less}", [line_of(item, less)]):
            return
