"""Write random orders as text: plots, activities, break conditions, damage choices and systems.

The phrases are those of docs/orders.md; :mod:`pbem.engine.checking.check` decides whether the rules allow them.
Movement uses all maneuvers (C1 to C5), and shuttles get orders too (J1.2, J2.213). Scenarios that use terrain get
random planets and asteroids (P2.0, P3.0). What a ship tries depends on the scenario: for example, freighters are
sometimes boarded (#8), survivors fetched (#9), and monsters studied (#11).
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

import msgspec

from pbem.data import charts
from pbem.data.files import locate
from pbem.data.scenarios import Scenario, ScenarioUnit, Terrain, scenario
from pbem.data.ships import ship_class
from pbem.engine.legal.acts import IT, LEAVING, acts_of, speeds, uses, worth_holding
from pbem.engine.legal.trial import FALLBACK, SOMEBODY, OrderTester
from pbem.engine.order_systems import CandidateOrder
from pbem.engine.relations import ships_of, touchable_enemies
from pbem.engine.state import Planet, Request, Ship, Shuttle, State
from pbem.engine.steps.guidance import next_name
from pbem.engine.steps.steering import CODES, entered, keeps_room, legal_codes
from pbem.engine.victory import announces, victory_conditions
from pbem.orders import vocabulary as words
from pbem.orders.writer import name_text, weapons_text
from pbem.rules import hexes
from pbem.rules.direct_fire import is_phaser
from pbem.rules.movement import SLIPS, after_step, moves
from pbem.rules.power import LETTERS
from pbem.rules.weapons import family

CLEAR = 2
"""Distance in hexes that new terrain keeps from everything else, because a ship needs room at the start."""

PLANETS, FIELDS = 2, 2
"""Maximum numbers of planets and of asteroid fields that are added."""

FIELD = 12
"""Maximum number of hexes in one asteroid field."""


def some_terrain(rng: random.Random, setting: Scenario) -> tuple[Terrain, ...]:
    """Return random asteroid fields and random planets of one or three hexes.

    Planets and asteroids are more than :data:`CLEAR` hexes away from units and from each other.
    """
    taken = [unit.hex for unit in setting.units] + [monster.hex for monster in setting.monsters]
    taken += [hex_ for each in setting.terrain for hex_ in each.hexes]
    found: list[Terrain] = []
    for number in range(1, rng.randint(0, PLANETS) + 1):
        first = _free(rng, setting, taken)
        more = [hexes.neighbour(first, way) for way in ("AB" if rng.random() < 0.3 else "")]
        found.append(Terrain(kind="planet", name=f"Planet {number}", hexes=(first, *more)))
        taken += found[-1].hexes
    for number in range(1, rng.randint(0, FIELDS) + 1):
        field = {_free(rng, setting, taken)}
        for _ in range(rng.randint(0, FIELD - 1)):
            there = hexes.neighbour(rng.choice(sorted(field)), rng.choice("ABCDEF"))
            if _is_free(setting, taken, there):
                field.add(there)
        found.append(Terrain(kind="asteroids", name=f"field {number}", hexes=tuple(sorted(field))))
    return tuple(found)


def _is_free(setting: Scenario, taken: Sequence[str], hex_: str) -> bool:
    inside = all(hexes.on_map(hexes.neighbour(hex_, way), setting.map) for way in "ABCDEF")
    return inside and all(hexes.distance(hex_, other, hexes.EVEN) > CLEAR for other in taken)


def _free(rng: random.Random, setting: Scenario, taken: Sequence[str]) -> str:
    """Return a random hex that is away from the edges of the map and from all hexes in ``taken``."""
    first, last = setting.map
    while True:
        column = rng.randint(int(first[:2]), int(last[:2]))
        found = f"{column:02}{rng.randint(int(first[2:]), int(last[2:])):02}"
        if _is_free(setting, taken, found):
            return found


def as_file(number: str, added: Sequence[Terrain], monster: str) -> str:
    """Return the file text of a shipped scenario with terrain added.

    ``number`` is the number of the scenario, and ``added`` the terrain. If ``monster`` is given, it replaces the
    monsters of the scenario.
    """
    text = locate("scenario", number).read_text(encoding="utf-8")
    for shipped in scenario(number).monsters if monster else ():
        text = text.replace(f'kind = "{shipped.kind}"', f'kind = "{monster}"')
    blocks = [
        f'\n[[terrain]]\nkind = "{each.kind}"\nname = "{each.name}"\nhexes = {list(each.hexes)}\n'.replace("'", '"')
        for each in added
    ]
    return text + "".join(blocks)


T = TypeVar("T")

MAX_RANGE = 20
"""Maximum range in hexes in random conditions. Conditions with larger ranges would hardly ever change."""

CONDITION_DEPTH = 2
"""Maximum depth of nested AND, OR, NOT and parentheses."""


class Speaker:
    """Makes random phrases of the order language that fit the present situation of one ship.

    If the ship must fill in an energy form, ``form`` is that form, and phrases must be legal together with it. The
    same ``rng`` and state give the same phrases.
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
        self._bench, self._form = OrderTester(state, scenario, request, ship, form is not None), form or ()
        self.rng, self.state, self.scenario, self.ship, self.request = rng, state, scenario, ship, request
        self.first, self.last = max(1, request.impulse), request.through
        self.enemies = [name_text(other.name) for other in touchable_enemies(state, ship.side)]
        self.ships = [unit.name for unit in state.ships() if unit.name != ship.name]
        self.others = [name_text(unit.name) for unit in state.in_play() if unit.name != ship.name]
        self.drones = [name_text(s.name) for s in state.seekers() if state.enemies(ship.side, s.side)]
        bombs = [boat for boat in state.shuttles() if boat.target]
        self.own_seekers = [name_text(s.name) for s in (*state.seekers(), *bombs) if s.belongs_to(ship.side)]

    # --- chance ---

    def one(self, *choices: str) -> str:
        """Return one of the given words at random."""
        return self.rng.choice(choices)

    def chance(self, part: float) -> bool:
        """Return True with probability ``part`` (0 to 1)."""
        return self.rng.random() < part

    def handful(self, items: Sequence[T], most: int) -> list[T]:
        """Return at most ``most`` of these items, chosen and ordered at random."""
        return self.rng.sample(items, min(most, len(items)))

    def some(self, names: Sequence[str], most: int) -> list[str]:
        """Return 1 to ``most`` of these names at random, in the given order."""
        count = self.rng.randint(1, min(most, len(names)))
        return sorted(self.rng.sample(list(names), count), key=list(names).index)

    # --- units, impulses, weapons ---

    def enemy(self) -> str:
        """Return a random reference to an enemy ship: usually its name, sometimes words like ``NEAREST SHIP``."""
        if self.enemies and self.chance(0.7):
            return self.one(*self.enemies)
        return self.one("NEAREST", "NEAREST SHIP", "NEAREST ENEMY SHIP", "ENEMY SHIP")

    def target(self) -> str:
        """Return a random reference to a target for weapons, such as a ship's name or ``NEAREST SEEKER``."""
        if self.drones and self.chance(0.3):
            return self.one(*self.drones, "NEAREST SEEKER", "NEAREST DRONE", "SEEKER")
        return self.enemy() if self.chance(0.9) else self.one("NEAREST", "ENEMY", "NEAREST SEEKER")

    def pattern(self, side: str = "") -> str:
        """Return a random name or pattern of drones, torpedoes or shuttles, such as ``KD/1`` or ``KD/*``.

        The units need not exist. With ``side``, the pattern matches units that this side could launch.
        """
        units = [unit for unit in self.state.units.values() if not side or unit.belongs_to(side)]
        races = sorted({unit.race for unit in units if unit.race})
        initial = charts.races()[self.rng.choice(races)].initial
        return f"{initial}{self.one('D', 'D', 'P', 'S')}/{self.one('*', '*', '1', '2')}"

    def who(self, *, auto: bool = False) -> str:
        """Return a random reference to a unit for use in a condition.

        With ``auto``, never return ``ME`` (the ship itself).
        """
        roll = self.rng.random()
        if self.others and roll < 0.45:
            return self.one(*self.others)
        if roll < 0.55:
            return self.pattern()
        groups = ("ENEMY", "ANY", "NEAREST", "ENEMY SHIP", "ANY SEEKER", "SEEKER", "DRONE", "PLASMA", "SHIP",
                  "NEAREST SEEKER", "ANY SHIP", "ENEMY PLASMA", "ENEMY DRONE")  # fmt: skip
        return self.one(*groups) if auto or roll < 0.95 else "ME"

    def impulse(self) -> int:
        """Return a random impulse of the period that these orders cover."""
        return self.rng.randint(self.first, self.last)

    def legal(self, lines: Iterable[str]) -> list[str]:
        """Return the order lines in ``lines`` that are legal."""
        tried = list(lines)
        refused = self._bench.refusals(tried, energy=self._form)
        return [line for line in tried if line not in refused]

    @cached_property
    def usable(self) -> dict[str, list[str]]:
        """Names of the weapons that the ship can use under these orders, by verb (``FIRE``, ``LAUNCH``)."""
        lines = {f"{verb} {name} AT {SOMEBODY}": (verb, name) for verb, name in uses(self.ship)}
        found: dict[str, list[str]] = {"FIRE": [], "LAUNCH": []}
        for verb, name in (lines[line] for line in self.legal(lines)):
            found[verb].append(name)
        return found

    # --- conditions ---

    def when(self, activity: str, *, target: bool = True) -> str:
        """Return an order line for an activity, with or without a time, ``EVERY`` and a condition.

        ``activity`` is the order, such as ``FIRE ALL AT Destruction``. ``target`` says whether the order names a
        target.
        """
        head = self.one(f"AT {self.impulse()} ", "LAST ", "EVERY ", "", "", "")
        if self.chance(0.75):
            condition = self.condition(target=target)
            if self.chance(0.4):
                return f"{head}{activity} IF {condition}"
            return f"{head}IF {condition} THEN {activity}"
        return f"{head}{activity}"

    def condition(self, *, public: bool = False, target: bool = False, depth: int = CONDITION_DEPTH) -> str:
        """Return a random condition, such as ``RANGE Destruction <= 8``.

        Args:
            public: Whether the condition may use public facts only, as required in break conditions.
            target: Whether the order names a target, to which the condition may refer.
            depth: Maximum depth of nested AND, OR, NOT and parentheses.
        """
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
        """Return a random comparison with a number between ``least`` and ``most``, such as ``<= 4``."""
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
        """Return a random hex of the map, such as ``1215``."""
        first, last = self.state.map
        column = self.rng.randint(int(first[:2]), int(last[:2]))
        return f"{column:02}{self.rng.randint(int(first[2:]), int(last[2:])):02}"

    def _own(self) -> str:
        weapons = sorted(self.ship.weapons)
        racks = [name for name in weapons if family(self.ship.weapons[name].kind).ammunition]
        conditions = [f"BATTERIES >= {self.rng.randint(0, 3)}", f"CAPACITOR >= {self.rng.randint(0, 6)}"]
        if weapons:
            conditions.append(f"ARMED {weapons_text(self.some(weapons, 3))}")
        if racks:
            conditions.append(f"AMMO {self.one(*racks)} {self.test(4)}")
        return self.one(*conditions)


WEIGHTS = {"F": 8, "L": 2, "R": 2, "SL": 1, "SR": 1}


def some_plot(say: Speaker, temper: str) -> Iterator[str]:
    """Yield the lines of a random movement plot for one ship.

    ``temper`` is the behavior of the ship: ``hunter`` (closes in), ``wild`` (moves at random), ``coward`` (moves away)
    or ``homesick`` (leaves the map).
    """
    scripted = next((unit for unit in say.scenario.units if unit.name == say.ship.name and unit.script), None)
    if scripted is not None and not say.ship.is_prize:
        yield _straight(say, scripted)
        return
    walk = _walk(say, say.rng.randint(0, 12)) if temper == "wild" or say.chance(0.35) else []
    if walk and not any(code in SLIPS for code in walk) and say.chance(0.2):
        yield "COURSE " + _course(say.ship, walk)
    else:
        yield f"{' '.join(walk)} {_pilot(say, temper)}".strip()
    if temper == "homesick" and not say.scenario.keeps_on_map(say.ship.side):
        yield f"AWAY FROM {say.enemy()}"
        yield "LEAVE MAP"
        return
    if say.scenario.side(say.ship.side).leaving != "forbidden" and say.chance(_chance_to_leave(say, temper)):
        yield "LEAVE MAP"
    for _ in range(say.rng.choice([0, 0, 1, 1, 2])):
        yield _reaction(say, temper)
    if say.ship.power.tactical or say.ship.power.sublight:
        yield from _tacs(say)


def _chance_to_leave(say: Speaker, temper: str) -> float:
    """Return the probability that the plot of a ship lets it leave the map (0 to 1)."""
    if say.ship.people.passengers or say.ship.is_prize or len(say.state.held_by(say.ship.name)) > 1:
        return 0.6
    if prey(say):
        return 0.1
    return 0.4 if temper == "coward" else 0.01


def _tacs(say: Speaker) -> Iterator[str]:
    """Yield plot lines for tactical maneuvers, some with a time or a condition (C5.0)."""
    for _ in range(say.rng.randint(1, 3)):
        tac = f"TAC {say.one('L', 'R')}" + (f" AT {say.impulse()}" if say.chance(0.5) else "")
        yield tac + (f" IF {say.condition()}" if say.chance(0.3) else "")


def _walk(say: Speaker, length: int) -> list[str]:
    """Return up to ``length`` random movement codes that the ship can fly without leaving the map."""
    ship, codes = say.ship, []
    for _ in range(length):
        legal = [code for code in legal_codes(say.state, ship) if keeps_room(say.state, ship, code)]
        if not legal:
            break
        code = say.rng.choices(legal, [WEIGHTS[code] for code in legal])[0]
        codes.append(code)
        ship = _flown(say, ship, code)
    return codes


def _flown(say: Speaker, ship: Ship, code: str) -> Ship:
    hex_, facing = entered(say.state, ship, code)
    since_turn, since_slip = after_step(code, ship.since_turn, ship.since_slip)
    return msgspec.structs.replace(ship, hex=hex_, facing=facing, since_turn=since_turn, since_slip=since_slip)


def _course(ship: Ship, walk: list[str]) -> str:
    """Return a path in the handbook's notation: numbers of hexes with directions, such as ``3A 2B``.

    ``walk`` has the movement codes of the path.
    """
    legs: list[tuple[int, str]] = []
    facing = "ABCDEF".index(ship.facing)
    for code in walk:
        facing = (facing + {"R": 1, "L": -1}.get(code, 0)) % 6
        if legs and legs[-1][1] == "ABCDEF"[facing]:
            legs[-1] = legs[-1][0] + 1, legs[-1][1]
        else:
            legs.append((1, "ABCDEF"[facing]))
    return " ".join(f"{hexes}{direction}" for hexes, direction in legs)


def _pilot(say: Speaker, temper: str) -> str:
    """Return a steering instruction, such as ``TOWARD NEAREST``, for the rest of a movement plot.

    Every plot has one, because flying straight ahead may lead off the map.
    """
    if say.ship.people.passengers and say.chance(0.8):
        return f"AWAY FROM {say.enemy()}"
    goals = victory_conditions(say.scenario).toward(say.state, say.ship)
    if goals and say.chance(0.6):
        return f"TOWARD {name_text(say.rng.choice(goals))}"
    if temper == "coward":
        return say.one(f"AWAY FROM {say.enemy()}", f"KEEP {say.enemy()} AT RANGE 12 TO 30", FALLBACK)
    if temper == "hunter" and say.chance(0.8):
        return f"TOWARD {say.target()}"
    low = say.rng.randint(0, 8)
    return say.one(
        f"TOWARD {say.target()}",
        f"AWAY FROM {say.enemy()}",
        f"KEEP #{say.rng.randint(1, 6)} TO {say.enemy()}",
        f"KEEP {say.enemy()} IN {say.one('FA', 'FX', 'RA', 'LS', 'RS', 'LF+RF', '360')}",
        f"KEEP {say.enemy()} AT RANGE {low} TO {low + say.rng.randint(0, 6)}",
    )


def _reaction(say: Speaker, temper: str) -> str:
    """Return a plot line that changes the movement if a condition is true, sometimes only at one impulse."""
    moving = [n for n in range(say.first, say.last + 1) if moves(say.ship.speed, n, say.state.impulses)]
    when = f"AT {say.rng.choice(moving)} " if moving and say.chance(0.3) else "EVERY " if say.chance(0.2) else ""
    what = say.one(*CODES, "L", "R") if say.chance(0.7) else _pilot(say, temper)
    if what in SLIPS and not say.state.options.sideslip:
        what = "F"
    return f"{when}IF {say.condition()} THEN {what}"


def _straight(say: Speaker, unit: ScenarioUnit) -> str:
    """Return the plot of a freighter with a scripted course (scenario #3).

    The freighter flies straight ahead, or makes one turn at the start of a game turn.
    """
    script = unit.script
    first = "F"
    if script is not None and script.player and say.request.impulse == 0 and say.chance(0.2):
        first = say.one(*(code for code in legal_codes(say.state, say.ship) if code in ("F", "L", "R")), "F")
    side = say.scenario.side(unit.side)
    leave = "" if side.leaving == "forbidden" else " LEAVE MAP"
    return f"{first} F F{leave}"


REACH = 5
"""Range in hexes up to which transporters work (G8.14) and shuttles are useful."""

RATES = {
    "Cloak": 0.7, "Tractor beams": 0.6, "Transporters": 0.6, "Shields": 0.08, "Probes": 0.8, "Reserve power": 2,
}  # fmt: skip
USUAL = 0.5
"""Probability with which a ship uses a system of a kind that :data:`RATES` does not list.

It does not apply to leaving the battle, which depends on the ship's behavior.
"""

HANDFUL = 6
"""Maximum number of possible orders of each kind to consider.

As many again are considered if they serve the purpose of the scenario.
"""


def prey(say: Speaker) -> list[str]:
    """Return the names of a ship's objectives, other than enemies.

    Objectives are freighters to capture, a planet with people, or a monster.
    """
    return victory_conditions(say.scenario).prey(say.state, say.ship)


def some_systems(say: Speaker) -> Iterator[str]:
    """Yield random legal order lines for a ship's systems."""
    wanted = {*prey(say), *(unit.name for unit in worth_holding(say.state, say.ship))}
    kinds: dict[str, list[CandidateOrder]] = {}
    for act in acts_of(say.state, say.scenario, say.ship):
        if act.kind != LEAVING:
            kinds.setdefault(act.kind, []).append(act)
    some = [
        act
        for acts in kinds.values()
        for act in (*say.handful([one for one in acts if one.names in wanted], HANDFUL), *say.handful(acts, HANDFUL))
    ]
    lines = {_dressed(say, act, act.names in wanted): act for act in some}
    legal = say.legal(lines)
    count = Counter(lines[line].kind for line in legal)
    for line in legal:
        kind = lines[line].kind
        if say.chance(RATES.get(kind, USUAL) * 2 / (1 + count[kind])):
            yield line


def _dressed(say: Speaker, act: CandidateOrder, wanted: bool) -> str:
    """Return a possible order as an order line, sometimes with reserve power, a time or a condition added.

    ``wanted`` says whether the order serves the purpose of the scenario.
    """
    text = act.text
    if text.startswith(("TRACTOR", "TRANSPORT", "LOWER SHIELD TO")) and say.state.options.reinforcement:
        text += " WITH RESERVE" if act.kind != "Shields" and say.chance(0.4) else ""
    if IT in text.split():
        return f"EVERY IF {say.one('DRONE', 'ENEMY SHUTTLE')} WITHIN 1 THEN {text}"
    if text.startswith(("RESERVE", "GUIDE", "RECOVER")):
        return text + (say.one("", " IF INTERNALS > 0") if text.startswith("RESERVE") else "")
    if text.startswith("TRACTOR") and wanted:
        return text
    if act.names and (wanted or say.chance(0.3)):
        near = f"IF RANGE {name_text(act.names)} <= {say.rng.randint(0, REACH)} THEN " if say.chance(0.5) else ""
        return near + text
    return say.when(text, target=bool(act.names))


ONE_OF_PHASERS = 4
"""Maximum number of phasers in an order ``FIRE ONE OF``."""


def some_activities(say: Speaker, temper: str) -> Iterator[str]:
    """Yield random order lines for the DO section of a ship.

    Every ship whose behavior is not ``wild`` gets a line to fire when an enemy is near.
    """
    weapons = say.usable["FIRE"]
    if temper != "wild":
        near = f"RANGE <= {say.rng.randint(1, 8)}"
        yield f"IF {near} THEN FIRE {say.one('ALL', 'ALL', 'HEAVY', 'ALL PH')} AT {say.enemy()}"
    for name in prey(say):
        if isinstance(say.state.units[name], Ship) and say.chance(0.6):
            goal = name_text(name)
            yield f"IF RANGE {goal} <= {say.rng.randint(0, 4)} AND FACED SHIELD OF {goal} > 0 THEN FIRE ALL AT {goal}"
    for _ in range(say.rng.randint(0, 3)):
        yield say.when(_fire(say, weapons))
    yield from _defence(say, weapons)
    yield from _launches(say)
    yield from some_systems(say)
    if say.own_seekers and say.chance(0.2):
        yield f"GUIDE {say.one(*say.own_seekers, say.pattern(say.ship.side))} {say.one('LEFT', 'RIGHT', 'STRAIGHT')}"
    leaving = say.scenario.side(say.ship.side).leaving
    leaves = leaving == "disengaged" and say.chance(0.1 if temper == "coward" else 0.004)
    if leaves and announces(say.scenario):
        yield say.when("DISENGAGE", target=False)


def _fire(say: Speaker, weapons: list[str]) -> str:
    reserve = " WITH RESERVE" if say.chance(0.2) else ""
    if not weapons or say.chance(0.4):
        return f"FIRE {say.one('ALL', 'HEAVY', 'ALL PH', 'ALL')} AT {say.target()}{reserve}"
    if say.chance(0.15) and len(weapons) > 1:
        two = say.rng.sample(weapons, 2)
        return " AND ".join(f"FIRE {weapon} AT {say.enemy()}" for weapon in two)
    some = say.some(weapons, 4)
    how = "ONE OF " if say.chance(0.2) else ""
    return f"FIRE {how}{weapons_text(some)} AT {say.enemy()}{reserve}"


def _defence(say: Speaker, weapons: list[str]) -> Iterator[str]:
    """Yield order lines to fire phasers at seeking weapons that come near.

    The target is ``IT`` (one of them) or ``EACH`` (all).
    """
    phasers = [name for name in weapons if is_phaser(say.ship.weapons[name].kind)]
    if phasers and say.chance(0.6):
        what = say.one("SEEKER", "DRONE", "PLASMA", "ENEMY SEEKER")
        fired = weapons_text(say.some(phasers, ONE_OF_PHASERS))
        who = say.one("EACH", "EACH", "IT")
        yield f"EVERY IF {what} WITHIN {say.rng.randint(0, 4)} THEN FIRE ONE OF {fired} AT {who}"


def _launches(say: Speaker) -> Iterator[str]:
    """Yield order lines that launch available drones and plasma torpedoes."""
    for name in say.usable["LAUNCH"]:
        if say.chance(0.6) and say.enemies:
            way = f" DIR {say.one(*'ABCDEF')}" if say.chance(0.2) else ""
            yield say.when(f"LAUNCH {name} AT {say.enemy()}{way}")


def some_breaks(say: Speaker) -> Iterator[str]:
    """Yield random break conditions, on which play stops and the side is asked for new orders.

    The conditions use public facts only.
    """
    for _ in range(say.rng.choice([0, 0, 1, 1, 2, 3])):
        yield say.condition(public=True)


def some_damage(say: Speaker) -> Iterator[str]:
    """Yield random damage choices, which say which boxes of the ship to destroy first or last (D4.223)."""
    kind = ship_class(say.ship.ship)
    names = sorted(spec.name for spec in kind.weapons)
    engines = [name.upper() for name in sorted(kind.boxes) if name.startswith("warp") or name in ("impulse", "apr")]
    others = [name for name in ("lab", "tran", "shuttle", "tractor", "probe", "battery") if kind.boxes.get(name)]
    lettered = [name for name in ("shuttle", "tractor") if kind.boxes.get(name)]
    for _ in range(say.rng.randint(0, 3)):
        place = say.one("FIRST", "LAST")
        match say.rng.randint(0, 3):
            case 2 if lettered and say.chance(0.3):
                system = say.one(*lettered)
                letters = [f"{system.upper()} {letter}" for letter in LETTERS[: kind.boxes[system]]]
                yield f"OTHER {', '.join(say.some(letters, 2))} {place}"
            case 0 if names:
                yield f"WEAPON {weapons_text(say.some(names, 3))} {place}"
            case 1 if engines:
                yield f"ENGINE {', '.join(say.some(engines, 2))} {place}"
            case 2 if others:
                yield f"OTHER {', '.join(word.upper() for word in say.some(others, 2))} {place}"
            case _:
                yield say.one("HULL", "ANY", "WEAPON", "ENGINE", "OTHER")


def coming(say: Speaker) -> str:
    """Return the name of the shuttle that a ship would launch next; ``""`` if it has no shuttle aboard."""
    return next_name(say.state, say.ship) if say.ship.hangar else ""


def some_speed(say: Speaker, shuttle: Shuttle | None) -> Iterator[str]:
    """Yield, in some cases, a line that announces the speed of a shuttle (J1.21).

    Nothing is yielded if an announcement is not allowed now: the speed of a shuttle in flight is announced at the
    start of a turn. If ``shuttle`` is ``None``, the line is for a shuttle that is not launched yet; it is always
    allowed.
    """
    if shuttle is None:
        if say.chance(0.5):
            yield f"SPEED {say.rng.randint(1, 6)}"
    elif (may := speeds(say.state, say.scenario, say.request, shuttle)) and say.chance(0.6):
        most = may.top
        yield f"SPEED {say.rng.choice([most, say.rng.randint(0, most)])}"


def some_way(say: Speaker, shuttle: Shuttle | None, goals: list[str]) -> Iterator[str]:
    """Yield the plot line of a shuttle: to a destination, toward or away from an enemy, or no line.

    ``shuttle`` is ``None`` for a shuttle that is not launched yet. ``goals`` are the names of possible destinations.
    """
    walk = " ".join(say.one("F", "F", "F", "R", "L") for _ in range(say.rng.randint(1, 4)))
    start = f"F {walk} " if say.chance(0.15) else ""
    if goals and say.chance(0.85):
        yield f"{start}TOWARD {name_text(goals[0])}"
    elif shuttle is not None and shuttle.landed and say.chance(0.5):
        return
    else:
        enemy = say.enemy()
        yield start + say.one(f"TOWARD {enemy}", f"AWAY FROM {enemy}", f"KEEP {enemy} AT RANGE 1 TO 4")


def some_goals(say: Speaker, shuttle: Shuttle | None) -> list[str]:
    """Return the names of possible destinations of a shuttle, the preferred one first.

    A shuttle with people aboard returns to its ship. Any other shuttle may also fly to an objective of its ship
    (:func:`prey`).
    """
    homes = [ship.name for ship in ships_of(say.state, say.ship.side) if ship.name == say.ship.name]
    if shuttle is not None and (shuttle.crew or shuttle.parties):
        return homes
    return [*prey(say), *homes] if say.chance(0.8) else homes


def some_doing(say: Speaker, shuttle: Shuttle | None, goals: list[str]) -> Iterator[str]:
    """Yield a shuttle's order lines to fire its phaser, and to land on planets or ships (J1.61, P2.0).

    ``goals`` are the names of possible destinations.
    """
    for _ in range(say.rng.randint(0, 2)):
        when = say.one("", f"AT {say.impulse()} ", "EVERY ")
        target = say.one(say.enemy(), "NEAREST DRONE", "NEAREST ENEMY SHUTTLE")
        yield f"{when}IF {say.condition(public=True)} THEN FIRE {say.one('PH 1', 'ALL')} AT {target}"
    for goal in goals[:2]:
        unit = say.state.units[goal]
        if isinstance(unit, Planet) or (isinstance(unit, Ship) and unit.belongs_to(say.ship.side)):
            away = "" if say.chance(0.8) else f" IF {say.condition(public=True)}"
            yield f"LAND ON {name_text(goal)}{away}"
    if say.chance(0.1):
        yield f"AT {say.impulse()} LAND"
