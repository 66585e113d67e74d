"""Words for captains who order anything: units, weapons and conditions as the order language writes them.

Everything here is text. What a phrase may say is taken from docs/orders.md; whether the rules allow it is for
:mod:`pbem.engine.checking.check` to say.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TypeVar

from pbem.data import charts
from pbem.data.scenarios import Scenario
from pbem.engine.legal.acts import foes
from pbem.engine.legal.bench import SOMEBODY, Bench
from pbem.engine.legal.unit import uses
from pbem.engine.state import Request, Ship, State
from pbem.orders import vocabulary as words
from pbem.orders.writer import name_text, weapons_text
from pbem.rules.arming import family

T = TypeVar("T")

MAX_RANGE = 20
"""Hexes that conditions ask about; beyond that they hardly ever change."""

CONDITION_DEPTH = 2
"""How deep AND, OR, NOT and parentheses are nested."""


class Speaker:
    """Says random things about one ship's situation, below the energy form of its captain where one is asked for. The
    same ``rng`` on the same state says the same.
    """

    def __init__(
        self,
        rng: random.Random,
        state: State,
        scenario: Scenario,
        ship: Ship,
        request: Request,
        form: Sequence[str] | None = None,
    ) -> None:
        self._bench, self._form = Bench(state, scenario, request, ship, form is not None), form or ()
        self.rng, self.state, self.scenario, self.ship, self.request = rng, state, scenario, ship, request
        self.first, self.last = max(1, request.impulse), request.through
        self.enemies = [name_text(other.name) for other in foes(state, ship.side)]
        self.ships = [unit.name for unit in state.ships() if unit.name != ship.name]
        self.others = [name_text(unit.name) for unit in state.in_play() if unit.name != ship.name]
        self.drones = [name_text(s.name) for s in state.seekers() if state.enemies(ship.side, s.side)]
        bombs = [boat for boat in state.shuttles() if boat.target]
        self.own_seekers = [name_text(s.name) for s in (*state.seekers(), *bombs) if s.side == ship.side]

    # --- chance ---

    def one(self, *choices: str) -> str:
        """One of these words."""
        return self.rng.choice(choices)

    def chance(self, part: float) -> bool:
        """True in so large a part of all cases."""
        return self.rng.random() < part

    def handful(self, found: Sequence[T], most: int) -> list[T]:
        """So many of these at most, any of them."""
        return self.rng.sample(found, min(most, len(found)))

    def some(self, names: Sequence[str], most: int) -> list[str]:
        """1 to ``most`` of these, in the order given."""
        count = self.rng.randint(1, min(most, len(names)))
        return sorted(self.rng.sample(list(names), count), key=list(names).index)

    # --- units, impulses, weapons ---

    def enemy(self) -> str:
        """An enemy ship, by name where there is one."""
        if self.enemies and self.chance(0.7):
            return self.one(*self.enemies)
        return self.one("NEAREST", "NEAREST SHIP", "NEAREST ENEMY SHIP", "ENEMY SHIP")

    def target(self) -> str:
        """What weapons are fired at."""
        if self.drones and self.chance(0.3):
            return self.one(*self.drones, "NEAREST SEEKER", "NEAREST DRONE", "SEEKER")
        return self.enemy() if self.chance(0.9) else self.one("NEAREST", "ENEMY", "NEAREST SEEKER")

    def pattern(self, side: str = "") -> str:
        """Small units by their designation (KD/1, KD/*), there or not; ``side``: only what that side launches."""
        races = sorted({unit.race for unit in self.state.units.values() if unit.race and side in ("", unit.side)})
        initial = charts.races()[self.rng.choice(races)].initial
        return f"{initial}{self.one('D', 'D', 'P', 'S')}/{self.one('*', '*', '1', '2')}"

    def who(self, *, auto: bool = False) -> str:
        """Any unit a condition may ask about."""
        roll = self.rng.random()
        if self.others and roll < 0.45:
            return self.one(*self.others)
        if roll < 0.55:
            return self.pattern()
        groups = ("ENEMY", "ANY", "NEAREST", "ENEMY SHIP", "ANY SEEKER", "SEEKER", "DRONE", "PLASMA", "SHIP",
                  "NEAREST SEEKER", "ANY SHIP", "ENEMY PLASMA", "ENEMY DRONE")  # fmt: skip
        return self.one(*groups) if auto or roll < 0.95 else "ME"

    def impulse(self) -> int:
        """An impulse these orders cover."""
        return self.rng.randint(self.first, self.last)

    def legal(self, lines: Iterable[str]) -> list[str]:
        """Those of the lines that the check takes."""
        tried = list(lines)
        refused = self._bench.refusals(tried, energy=self._form)
        return [line for line in tried if line not in refused]

    @cached_property
    def usable(self) -> dict[str, list[str]]:
        """Weapons that may be used at some moment of these orders, by the verb that uses them: FIRE, LAUNCH."""
        lines = {f"{verb} {name} AT {SOMEBODY}": (verb, name) for verb, name in uses(self.ship)}
        found: dict[str, list[str]] = {"FIRE": [], "LAUNCH": []}
        for verb, name in (lines[line] for line in self.legal(lines)):
            found[verb].append(name)
        return found

    # --- conditions ---

    def when(self, activity: str, *, target: bool = True) -> str:
        """An activity with a moment, EVERY, a condition, or none of them."""
        head = self.one(f"AT {self.impulse()} ", "LAST ", "EVERY ", "", "", "")
        if self.chance(0.75):
            condition = self.condition(target=target)
            if self.chance(0.4):
                return f"{head}{activity} IF {condition}"
            return f"{head}IF {condition} THEN {activity}"
        return f"{head}{activity}"

    def condition(self, *, public: bool = False, target: bool = False, depth: int = CONDITION_DEPTH) -> str:
        """A condition of the whole vocabulary. ``public``: for a break; ``target``: the order names one."""
        roll = self.rng.random()
        if not depth or roll < 0.6:
            return self._plain(public, target)

        def inside() -> str:
            return self.condition(public=public, target=target, depth=depth - 1)

        if roll < 0.75:
            first = f"({inside()})" if self.chance(0.3) else self._plain(public, target)
            return f"{first} AND {inside()}"
        if roll < 0.9:
            return f"({inside()} OR {inside()})"
        return f"NOT ({inside()})"

    def _plain(self, public: bool, target: bool) -> str:
        kinds: list[Callable[[], str]] = [
            self._range, self._range, self._within, self._within, self._impulse, self._arc, self._shield, self._faced,
            self._speed, self._internals, self._became, self._launches, self._fires, self._reaches,
        ]  # fmt: skip
        if not public:
            kinds += [self._own, self._own]
        if target:
            kinds += [self._range_of_target]
        return self.rng.choice(kinds)()

    def test(self, most: int, *, least: int = 0) -> str:
        """``<= 4``."""
        return f"{self.one('<=', '<=', '<', '>', '>=', '=', '!=')} {self.rng.randint(least, most)}"

    def _range(self) -> str:
        return (
            f"RANGE {self.enemy()} <= {self.rng.randint(0, MAX_RANGE)}"
            if self.chance(0.7)
            else (f"RANGE {self.who(auto=True)} {self.test(MAX_RANGE)}")
        )

    def _range_of_target(self) -> str:
        return f"RANGE {self.test(MAX_RANGE)}" if self.chance(0.7) else f"FACED SHIELD {self.test(12)}"

    def _within(self) -> str:
        return f"{self.one('SEEKER', 'DRONE', 'ENEMY', 'ENEMY SHIP', 'PLASMA', 'ANY')} WITHIN {self.rng.randint(0, 6)}"

    def _impulse(self) -> str:
        number = self.rng.randint(1, self.state.impulses)
        return f"IMPULSE {self.one('', '>= ', '<= ', '> ', '!= ')}{number}"

    def _arc(self) -> str:
        arc = "+".join(self.some(words.ARCS, 2))
        return f"{self.who(auto=True)} IN {arc}"

    def _shield(self) -> str:
        number = self.rng.randint(1, 6)
        of = f" OF {self.who()}" if self.chance(0.5) else ""
        return f"#{number}{of} {self.one('HIT', 'DOWN', self.test(20))}"

    def _faced(self) -> str:
        return f"FACED SHIELD OF {self.enemy()} {self.one('DOWN', self.test(20))}"

    def _speed(self) -> str:
        return f"SPEED {self.who()} {self.test(self.scenario.max_speed)}"

    def _internals(self) -> str:
        of = f" OF {self.who()}" if self.chance(0.4) else ""
        return f"INTERNALS{of}{self.one('', f' > {self.rng.randint(0, 5)}')}"

    def _became(self) -> str:
        return f"{self.who()} {self.one('DESTROYED', 'DAMAGED', 'CLOAKED', 'CLOSING')}"

    def _launches(self) -> str:
        return f"{self.who()} LAUNCHES{self.one('', ' SEEKER', ' DRONE', ' PLASMA', ' SHUTTLE')}"

    def _fires(self) -> str:
        return f"{self.who()} FIRES{self.one('', ' HEAVY', ' PH', ' PHOT', ' DISR', ' PLAS')}"

    def _reaches(self) -> str:
        return f"{self.who()} REACHES {self.hex()}"

    def hex(self) -> str:
        """A hex of the map."""
        first, last = self.state.map
        column = self.rng.randint(int(first[:2]), int(last[:2]))
        return f"{column:02}{self.rng.randint(int(first[2:]), int(last[2:])):02}"

    def _own(self) -> str:
        weapons = sorted(self.ship.weapons)
        racks = [name for name in weapons if family(self.ship.weapons[name].kind).ammunition]
        said = [f"BATTERIES >= {self.rng.randint(0, 3)}", f"CAPACITOR >= {self.rng.randint(0, 6)}"]
        if weapons:
            said.append(f"ARMED {weapons_text(self.some(weapons, 3))}")
        if racks:
            said.append(f"AMMO {self.one(*racks)} {self.test(4)}")
        return self.one(*said)
