"""Situations by the hundred, reckoned a second time from the words of the rules and by other means: the map as a plane
with angles instead of hex numbers, ships as points that fly about on it, the damage chart as a row to walk along. Every
seed is another few situations, always the same.
"""

from __future__ import annotations

import random
from cmath import phase, rect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import degrees, pi, radians, sqrt
from typing import Any

import msgspec
import pytest

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.engine import events as ev
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import dice_for, play

IMPULSES = 32
WIDTH = sqrt(3) / 2
"""From one column to the next, where the hex ahead is one away."""
TURN_MODE_C = ((4, 1), (9, 2), (14, 3), (20, 4), (27, 5))
"""Up to which speed a ship of class C needs how many hexes straight ahead (C3.3)."""
WAYS = {"F": (0, 0), "L": (-1, -1), "R": (1, 1), "SL": (-1, 0), "SR": (1, 0)}
"""By how much a step of the plot, and the facing after it, lie to the right of the facing before (C3.1, C4.2)."""


# --- the map as a plane ----------------------------------------------------------------------------------------------


def point(hex: str) -> complex:
    """The center of a hex; A is up the imaginary axis. Even columns lie half a hex lower (C1.2)."""
    column, row = int(hex[:2]), int(hex[2:])
    return complex(column * WIDTH, -row - (column % 2 == 0) / 2)


def hex_at(place: complex) -> str:
    column = round(place.real / WIDTH)
    return f"{column:02d}{round(-place.imag - (column % 2 == 0) / 2):02d}"


def beside(hex: str, facing: int) -> str:
    """The next hex in a direction, 0 for A to 5 for F."""
    return hex_at(point(hex) + rect(1, radians(90 - 60 * facing)))


def hexes_between(a: str, b: str) -> int:
    """The range (D1.4): columns first, each of which brings half a row."""
    way = point(b) - point(a)
    columns = abs(way.real) / WIDTH
    return round(max(columns, columns / 2 + abs(way.imag)))


def angle(from_hex: str, facing: int, to_hex: str) -> float:
    """Degrees to the right of straight ahead."""
    return (90 - degrees(phase(point(to_hex) - point(from_hex))) - 60 * facing) % 360


def apart(one: float, other: float) -> float:
    """How far one angle lies to the right of another, from -180 to 180."""
    return (one - other + 180) % 360 - 180


def moves_in(speed: int, impulse: int) -> bool:
    """The impulse chart (C1.44): by an impulse a unit has moved its share of the turn."""
    return speed * impulse // IMPULSES > speed * (impulse - 1) // IMPULSES


@dataclass
class Flier:
    """A ship of class C that is flown about at random, by the rules of turning and slipping (C3.0, C4.0)."""

    hex: str
    facing: int
    speed: int
    straight: int = 99
    unslipped: int = 99
    codes: list[str] = field(default_factory=list)
    code: str = ""

    def __post_init__(self) -> None:
        self.start = self.at

    @property
    def at(self) -> str:
        return f"{self.hex}{'ABCDEF'[self.facing]}"

    def allowed(self) -> list[str]:
        mode = next(hexes for speed, hexes in TURN_MODE_C if self.speed <= speed)
        turns = ["L", "R"] if self.straight >= mode else []
        return ["F", *turns, *(["SL", "SR"] if self.unslipped else [])]

    def after(self, code: str) -> tuple[str, int]:
        step, turn = WAYS[code]
        return beside(self.hex, (self.facing + step) % 6), (self.facing + turn) % 6

    def fly(self, code: str) -> None:
        self.hex, self.facing = self.after(code)
        self.straight = 1 if code in "LR" else self.straight + 1
        self.unslipped = 0 if code.startswith("S") else 1
        self.code = code
        self.codes.append(code)

    def orders(self, name: str, rest: Iterable[str] = ()) -> str:
        plot = [f"PLOT {' '.join(self.codes)}"] if self.codes else []
        return "\n".join([f"SHIP {name}", "ENERGY", f"  SPEED {self.speed}", *plot, *rest])


def played(units: Sequence[Mapping[str, Any]], orders: Mapping[str, str], **more: Any) -> list[ev.Event]:
    """The events of a turn between Standard ships on a map without edges near."""
    head = {"rule": "B2.0", "title": "t", "source": "s", "level": "standard", "map": ["0101", "8080"]}
    case = msgspec.convert({**head, "impulses": IMPULSES, "unit": units, "turn": [{"orders": orders}], **more}, Case)
    outcome = play(case, dice_for(case, exact=False))
    assert outcome.refused is None, (units, orders)
    return [record.event for record in outcome.records]


def ship(side: str, name: str, at: str, **state: Any) -> dict[str, Any]:
    return {"side": side, "ship": "std_kzi_cs", "name": name, "at": at, "prior_speed": 21, "state": state}


# --- fire between ships that move (D1.4, D3.4, D3.41, D3.42) ----------------------------------------------------------


def struck(hex: str, facing: int, from_hex: str) -> list[int]:
    """The shields that a line of fire meets: one, or the two of a junction (D3.4)."""
    line = angle(hex, facing, from_hex)
    return [shield for shield in range(1, 7) if abs(apart(line, 60 * (shield - 1))) < 30.001]


def shield_hit(target: tuple[str, int], firer: tuple[str, int], moves: tuple[bool, bool], boxes: Sequence[int]) -> int:
    """The shield hit; along a junction whoever moves next goes one hex ahead, and the line swings to one (D3.41)."""
    two = struck(*target, firer[0])
    if len(two) == 1:
        return two[0]
    target_hex, firer_hex = (
        beside(*place) if moving else place[0] for place, moving in zip((target, firer), moves, strict=True)
    )
    if target_hex != firer_hex:
        before, after = angle(*target, firer[0]), angle(target_hex, target[1], firer_hex)
        swing = apart(after, before)
        if 0.001 < abs(swing) < 179.999:
            side = before + (30 if swing > 0 else -30)
            return round(side / 60) % 6 + 1
    return max(two, key=lambda shield: (boxes[shield - 1], -shield))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_fire_between_ships_that_move(seed: int) -> None:
    chance = random.Random(seed)
    junctions = 0
    for _ in range(12):
        far = rect(chance.choice([1, 2, 4, 6]), chance.random() * 2 * pi)
        speeds = [0, 0, 4, 6, 8, 16, 21]
        fliers = {
            name: Flier(hex_at(place), chance.randrange(6), chance.choice(speeds))
            for name, place in (("Ada", point("4040")), ("Bea", point("4040") + far))
        }
        other = {"Ada": "Bea", "Bea": "Ada"}
        if len({flier.hex for flier in fliers.values()}) == 1:
            continue
        boxes = {name: [24, 22, 22, 22, 22, 22] for name in fliers}
        for spent in boxes.values():
            spent[chance.randrange(6)] -= chance.randint(1, 9)
        units = [
            ship(name, name, flier.at, capacitor=7, **{f"shield {n}": left for n, left in enumerate(boxes[name], 1)})
            for name, flier in fliers.items()
        ]
        shots = {(name, weapon): chance.randint(1, IMPULSES) for name in fliers for weapon in ("PH 7", "PH 8")}
        expected: dict[tuple[int, str, str], tuple[int, tuple[str, int], tuple[str, int], tuple[bool, bool]]] = {}
        met: dict[str, tuple[str, int]] = {}
        for impulse in range(1, IMPULSES + 1):
            moving = {name: flier for name, flier in fliers.items() if moves_in(flier.speed, impulse)}
            codes = {}
            for name, flier in moving.items():
                goal = fliers[other[name]].hex
                ranges = {code: hexes_between(flier.after(code)[0], goal) for code in flier.allowed()}
                codes[name] = min(ranges, key=lambda code: ranges[code] + chance.random() * 1.5)
            for name, code in codes.items():
                moving[name].fly(code)
            if fliers["Ada"].hex != fliers["Bea"].hex:  # in one hex they are judged from where they last were apart
                met = {name: (flier.hex, flier.facing) for name, flier in fliers.items()}
            for (name, weapon), when in shots.items():
                enemy = other[name]
                range_ = hexes_between(fliers[name].hex, fliers[enemy].hex)
                if when == impulse and range_ <= 15:
                    later = range(impulse + 1, IMPULSES + 1)
                    two = [tuple(moves_in(fliers[one].speed, at) for one in (enemy, name)) for at in later]
                    target_moves, firer_moves = next((moves for moves in two if any(moves)), (False, False))
                    expected[impulse, name, weapon] = (
                        range_, met[enemy], met[name], (target_moves, firer_moves),
                    )  # fmt: skip
        orders = {
            name: flier.orders(
                name,
                ["DO", *(f"  AT {shots[name, weapon]} FIRE {weapon} AT {other[name]}" for weapon in ("PH 7", "PH 8"))]
                if all((shots[name, weapon], name, weapon) in expected for weapon in ("PH 7", "PH 8"))
                else (),
            )
            for name, flier in fliers.items()
        }
        told = 0
        for event in played(units, orders):
            if isinstance(event, ev.Fired):
                range_, target, firer, moves = expected[event.impulse, event.unit, event.weapon]
                junctions += len(struck(*target, firer[0])) == 2
                want = shield_hit(target, firer, moves, boxes[event.target])
                assert (event.range, event.shield) == (range_, want), (units, orders, event)
                told += 1
            elif isinstance(event, ev.Damaged):
                boxes[event.unit][event.shield - 1] -= event.boxes
        assert told == sum(text.count("FIRE") for text in orders.values()), (units, orders)
    assert junctions


# --- drones (F2.0, F2.1, D3.4) ----------------------------------------------------------------------------------------


@dataclass
class Drone:
    hex: str
    facing: int
    straight: int

    def next(self, goal: str) -> tuple[str, int, int]:
        """Nearer if it can, else no farther, else as it can; ahead before left before right, but not ahead for ever."""
        ways = {"F": self.facing}
        if self.straight:
            ways |= {"L": (self.facing - 1) % 6, "R": (self.facing + 1) % 6}
        ranges = {code: hexes_between(beside(self.hex, facing), goal) for code, facing in ways.items()}
        code = min(ranges, key=lambda code: ranges[code])
        if ranges[code] > hexes_between(self.hex, goal) and len(ways) > 1:
            code = "L" if ranges["L"] <= ranges["R"] or ranges["F"] < ranges["R"] else "R"
        facing = ways[code]
        return beside(self.hex, facing), facing, 1 if code != "F" else self.straight + 1


SHIELD_AHEAD = {"F": 1, "L": 1, "R": 1, "SL": 6, "SR": 2}
"""The shield with which a ship meets what stands in the hex it enters (F2.1)."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_drones_after_a_ship_that_flies_about(seed: int) -> None:
    chance = random.Random(seed)
    impacts = 0
    for _ in range(12):
        flier = Flier("4040", chance.randrange(6), chance.choice([0, 4, 8, 12, 16, 21]))
        places = {rect(chance.randint(2, 9), chance.random() * 2 * pi) for _ in range(2)}
        drones = {
            f"KD/{number}": Drone(hex_at(point("4040") + place), chance.randrange(6), chance.choice([0, 1, 5]))
            for number, place in enumerate(sorted(places, key=abs), start=1)
        }
        if any(drone.hex == flier.hex for drone in drones.values()):
            continue
        units = [ship("federation", "Con", flier.at), ship("klingon", "Des", "0101A")]
        units += [
            {
                "side": "klingon", "ship": "drone", "name": name, "at": f"{drone.hex}{'ABCDEF'[drone.facing]}",
                "target": "Con", "launcher": "Des", "state": {"since turn": drone.straight},
            }
            for name, drone in drones.items()
        ]  # fmt: skip
        expected: dict[str, tuple[int, int]] = {}
        for impulse in range(1, IMPULSES + 1):
            if moves_in(flier.speed, impulse):
                flier.fly(chance.choice(["F", "F", *flier.allowed()]))
            for name, drone in drones.items():
                if name in expected:
                    continue
                if drone.hex == flier.hex:
                    expected[name] = impulse, SHIELD_AHEAD[flier.code]
                    continue
                came_from = drone.hex
                drone.hex, drone.facing, drone.straight = drone.next(flier.hex)
                if drone.hex == flier.hex:
                    expected[name] = impulse, round(angle(flier.hex, flier.facing, came_from) / 60) % 6 + 1
        found = {
            event.unit: (event.impulse, event.shield)
            for event in played(units, {"federation": flier.orders("Con")})
            if isinstance(event, ev.Impact)
        }
        assert found == expected, (units, flier.codes)
        impacts += len(expected)
    assert impacts


# --- the Standard damage chart (D4.21 standard, D4.31, D4.32, D4.33) --------------------------------------------------

SEXTANTS = ("RF", "R", "RR", "LR", "L", "LF")
"""The firing arcs clockwise from straight ahead; what comes in on shield n comes along the row between two (D2.1)."""
ONE_BOX = {
    "Bridge": "bridge", "EmerBridge": "emer", "AuxCon": "aux", "LWarp": "warp left", "RWarp": "warp right",
    "CWarp": "warp center", "Trans": "tran", "Tractor": "tractor", "Shuttle": "shuttle", "Lab": "lab",
    "Impulse": "impulse", "APR": "apr", "Battery": "battery", "Probe": "probe", "Cargo": "cargo", "Excess": "excess",
}  # fmt: skip
FIRST_OF = {
    "FlagBridge": ("flag", "security"),
    "FHull": ("hull fore", "hull center"),
    "AHull": ("hull aft", "hull center"),
}
TRACKS = {"Sensor": "sensor", "Scanner": "scanner", "DamCon": "damcon"}
STRENGTH = ("ph3", "ph2", "ph1", "phG")
BOLTS, TORPEDOES = ("photon", "disruptor", "fusion"), ("plasmaR", "plasmaS", "plasmaG", "plasmaF")


@dataclass
class Wreck:
    """A ship's boxes and weapons, and which of them an entry of the chart can be scored on."""

    boxes: dict[str, int]
    weapons: dict[str, tuple[str, frozenset[str]]]
    towards: frozenset[str]

    def targets(self, entry: str) -> set[str]:
        if box := ONE_BOX.get(entry):
            return {box} if self.boxes.get(box) else set()
        if entry in TRACKS:
            return {TRACKS[entry]} if self.boxes[TRACKS[entry]] > 1 else set()
        if entry in FIRST_OF:
            return {*[box for box in FIRST_OF[entry] if self.boxes.get(box)][:1]}
        if entry == "AnyWarp":
            return {box for box in ("warp left", "warp right", "warp center") if self.boxes.get(box)}
        kinds = {
            "Phaser": STRENGTH, "Torp": BOLTS + TORPEDOES, "Drone": ("drone_rack",),
            "AnyWeapon": (*STRENGTH, *BOLTS, *TORPEDOES, "drone_rack", "esg"),
        }[entry]  # fmt: skip
        armed = {name: arcs for name, (kind, arcs) in self.weapons.items() if kind in kinds}
        return {name for name, arcs in armed.items() if entry != "Phaser" or arcs & self.towards}

    def lose(self, box: str) -> None:
        if box in self.weapons:
            del self.weapons[box]
        else:
            self.boxes[box] -= 1


@pytest.mark.slow
@pytest.mark.parametrize("key", [
    "std_fed_ca_cth", "std_kli_d7", "std_kzi_cs", "std_ori_cr", "std_lyr_ca", "std_gorn_ca", "std_rom_kr", "std_hyd_rn",
    "std_tho_ca",
])  # fmt: skip
def test_where_internal_points_go(key: str) -> None:
    chance = random.Random(key)
    built = ship_class(key)
    rows = charts.standard_dac().rows
    types = {weapon.kind for weapon in built.weapons if weapon.kind in STRENGTH}
    for _ in range(12):
        shield = chance.randint(1, 6)
        whole = {**built.boxes, **{track: len(built.tracks[track]) for track in TRACKS.values()}}
        lost = {
            box: chance.randint(box in TRACKS.values(), most)
            for box, most in whole.items()
            if box != "excess" and chance.random() < 0.45
        }
        dice = [(chance.randint(1, 6), chance.randint(1, 6)) for _ in range(chance.randint(2, 14))]
        labels = {
            f"1.1.resolve Con DAC{shield}{letter} {number}": die
            for number, two in enumerate(dice, start=1)
            for letter, die in zip("ab", two, strict=True)
        }
        unit = {
            "side": "federation", "ship": key, "name": "Con", "at": "4040A", "state": {f"shield {shield}": 0, **lost},
        }  # fmt: skip
        strike = {"unit": "Con", "impulse": 1, "shield": shield, "points": len(dice)}
        events = played([unit], {}, strike=[strike], dice=labels, stop=1)
        wreck = Wreck(
            {**whole, **lost},
            {weapon.name: (weapon.kind, single_arcs(weapon.arc)) for weapon in built.weapons},
            frozenset((SEXTANTS[shield - 2], SEXTANTS[shield - 1])),
        )
        used: set[tuple[int, int]] = set()
        phasers = 0
        hits = [event for event in events if isinstance(event, ev.InternalHit)]
        for hit, two in zip(hits, dice, strict=False):
            row = rows[sum(two) - 2]
            column, entry = next(
                (column, entry.rstrip("*"))
                for column, entry in enumerate(row)
                if (sum(two), column) not in used and (entry == "Excess" or wreck.targets(entry.rstrip("*")))
            )
            used |= {(sum(two), column)} if row[column].endswith("*") else set()
            box = hit.box if hit.box in wreck.weapons else hit.box.lower()
            assert (hit.column, box in wreck.targets(entry)) == ("ABCDEFGHIJKLM"[column], True), (unit, dice, hit)
            if entry == "Phaser":
                phasers += 1
                if phasers % 3 == 0 and len(types) > 1:
                    strongest = max(STRENGTH.index(wreck.weapons[name][0]) for name in wreck.targets(entry))
                    assert STRENGTH.index(wreck.weapons[box][0]) == strongest, (unit, dice, hit)
            wreck.lose(box)
        assert len(hits) == len(dice) or any(isinstance(event, ev.Destroyed) for event in events)


def single_arcs(designation: str) -> frozenset[str]:
    """The single arcs of a designation such as ``FA+L`` (D2.2)."""
    combined = {
        "FA": "LF RF", "FX": "L LF RF R", "RA": "LR RR", "RX": "L LR RR R", "LS": "LF L LR", "RS": "RF R RR",
        "360": " ".join(SEXTANTS),
    }  # fmt: skip
    return frozenset(arc for part in designation.split("+") for arc in combined.get(part, part).split())
