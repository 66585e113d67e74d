"""Write the energy form of a ship that a computer player commands (B3.0).

The form first pays for what the doctrine wants. The power that is left then goes into batteries, repairs and
shields.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache

import msgspec

from pbem.data.doctrines import Doctrine, EnergyPreset
from pbem.data.files import own_figures
from pbem.data.scenarios import Scenario
from pbem.engine.legal.energy_fields import line_of, read_entries, unpaid
from pbem.engine.state import Ship, State
from pbem.engine.steps.energy import facts_for
from pbem.orders.model import EnergyLine
from pbem.rules import weapons
from pbem.rules.energy_form import Allotment, allot
from pbem.rules.power import ShipFacts, as_text

SHARE_OF_SHIELDS = 60
"""Share of the power, in percent, that a preset which begins with the shields spends on general reinforcement."""


def opposite_shield(shield: int) -> int:
    """Return the number of the shield on the opposite side of the ship: 4 for 1, 5 for 2 (D3.11)."""
    return (shield + 2) % 6 + 1


class FormBuilder:
    """An energy form under construction; it accepts only entries that the ship can still pay for."""

    def __init__(self, facts: ShipFacts) -> None:
        self.facts = facts
        self.entries: list[EnergyLine] = list(unpaid(facts))
        self.texts = [f"{entry.item} 0" for entry in self.entries]
        self.outcome = allot(self.entries, facts)

    def add(self, text: str, entries: Iterable[EnergyLine]) -> bool:
        """Add an entry if the form stays legal with it; return True if it was added.

        ``text`` is the order line, and ``entries`` are the form entries that the line stands for.
        """
        tried = [*self.entries, *entries]
        outcome = allot(tried, self.facts)
        if outcome.faults:
            return False
        self.entries, self.outcome = tried, outcome
        self.texts.append(text)
        return True

    def spare(self) -> int:
        """Return how many points of this turn's power, without batteries, are not allocated yet."""
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
    near: bool = True,
) -> tuple[list[str], Allotment]:
    """Return a legal energy form for a ship, as order lines, and the resulting power allotment.

    The form pays for what the doctrine (way to fight) wants. Power that is left goes into batteries, damage control
    and one shield.

    Args:
        state: The state of the game.
        scenario: The scenario.
        ship: The ship.
        doctrine: The doctrine to follow.
        extra: Order lines to pay for before all others.
        shield: Number of the shield that the ship will turn to the enemy (1 to 6).
        speed: The speed in hexes per turn that the ship has already announced and must pay for, if any.
        near: Whether an enemy is near. If so, torpedoes that cannot be held are completed; otherwise they are rolled,
            i.e. put into rolling delay (FP1.22).
    """
    asked = FormInputs(
        facts=facts_for(state, scenario, ship), power=doctrine.power, wish=doctrine.speed, extra=tuple(extra),
        shield=shield, speed=speed, near=near, token=own_figures().token,
    )  # fmt: skip
    texts, outcome = _filled_form(asked)
    return list(texts), outcome


def preset_form(
    state: State, scenario: Scenario, ship: Ship, preset: EnergyPreset, *, ahead: int
) -> tuple[list[str], Allotment]:
    """Return a legal energy form that follows a preset, as order lines, and the allotment that results.

    A preset is a common way to spend a turn's energy. ``ahead`` is the number of the shield that the ship will turn to
    the enemy (1 to 6).
    """
    form = FormBuilder(facts_for(state, scenario, ship))
    if preset.power == "shields":
        _most(form, "GENERAL", form.spare() * SHARE_OF_SHIELDS // 100)
    _arm_and_move(form, preset.power, preset.speed, preset.near)
    _rest(form, opposite_shield(ahead) if preset.shield == "behind" else ahead)
    return form.texts, form.outcome


class FormInputs(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that an energy form depends on; used as a cache key.

    While a computer player looks ahead, it needs the same few forms many times.

    Attributes:
        facts: The facts about the ship that the form depends on.
        power: What the form pays for first, ``arms`` or ``speed``.
        wish: The wanted speed, as a percentage of the highest speed.
        extra: Entries to pay for before all others.
        shield: The number of the shield that the ship will turn to the enemy.
        speed: The speed that the ship has announced, in hexes per turn; ``None`` if it has announced none.
        near: Whether an enemy is near, so that torpedoes that cannot be held are completed.
        token: Identifies the custom figures (charts) in use.
    """

    facts: ShipFacts
    power: str
    wish: int
    extra: tuple[str, ...]
    shield: int
    speed: int | None
    near: bool
    token: str

    def __hash__(self) -> int:
        return hash((self.facts, self.power, self.wish))


@lru_cache(maxsize=1024)
def _filled_form(asked: FormInputs) -> tuple[tuple[str, ...], Allotment]:
    form = FormBuilder(asked.facts)
    if asked.extra:
        for text, entries in read_entries(asked.extra).items():
            form.add(text, entries)
    if asked.speed is not None:
        form.add(f"SPEED {asked.speed}", [line_of("SPEED", asked.speed)])
        _arm(form, asked.near)
    else:
        _arm_and_move(form, asked.power, asked.wish, asked.near)
    _rest(form, asked.shield)
    return tuple(form.texts), form.outcome


def _arm_and_move(form: FormBuilder, power: str, hundredths: int, near: bool) -> None:
    """Add entries for weapons and speed to a form; if ``power`` is ``speed``, pay for the speed first.

    ``hundredths`` is the wanted speed, in percent of the ship's maximum speed. ``near`` says whether an enemy is near.
    """
    if power == "speed":
        _move(form, hundredths)
        _arm(form, near)
    else:
        _arm(form, near)
        _move(form, hundredths)


def _arm(form: FormBuilder, near: bool) -> None:
    """Add entries that arm the heavy weapons, then charge the phaser capacitor as far as the power allows."""
    facts = form.facts
    for tube in facts.tubes:
        kind = weapons.family(tube.kind)
        if not tube.working or not kind.turns:
            continue
        ways = kind.ways(tube.charge, tube.armed_turns)
        for text in (f"{tube.name} {way}" for way in (ways if near else ways[::-1])):
            if form.add(text, read_entries([text])[text]):
                break
    room = Fraction(facts.capacity) - Fraction(facts.capacitor)
    for halves in dict.fromkeys((int(2 * room), 2 * int(room), int(room), 2)):
        wish = Fraction(halves, 2)
        if 0 < wish <= room and form.add(f"PHASERS {as_text(wish)}", [line_of("PHASERS", wish)]):
            break


def _move(form: FormBuilder, hundredths: int) -> None:
    """Add the highest speed that the form can still pay for, up to the speed that the doctrine wants.

    ``hundredths`` is the speed that the doctrine (way to fight) wants, in percent of the ship's maximum speed.
    """
    facts = form.facts
    fastest = facts.fastest
    low, high = 0, max(0, min(fastest, -(-facts.max_speed * hundredths // 100)))
    bought = int(form.spare() / facts.hex_cost) if facts.hex_cost else high
    likely = [bought + 1, min(bought, high)]  # usually only the power that is left limits the speed
    while low < high:
        middle = likely.pop() if likely and low < likely[-1] <= high else (low + high + 1) // 2
        if _goes(form, middle):
            low = middle
        else:
            high = middle - 1
    if low:
        form.add(f"SPEED {low}", [line_of("SPEED", low)])


def _goes(form: FormBuilder, speed: int) -> bool:
    """Return whether the form can pay for this speed (hexes per turn) without battery power."""
    outcome = allot([*form.entries, line_of("SPEED", speed)], form.facts)
    return not outcome.faults and not _discharged(outcome)


def _discharged(outcome: Allotment) -> bool:
    return any(line.number == 21 and line.amount for line in outcome.balance)


def _rest(form: FormBuilder, shield: int) -> None:
    """Spend the power that is left: on batteries, then repairs, then reinforcement of shield ``shield``.

    Batteries come first because their power has many uses later.
    """
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


def _most(form: FormBuilder, item: str, points: int) -> None:
    for less in range(points, 0, -1):
        if form.add(f"{item} {less}", [line_of(item, less)]):
            return
