"""A state in which there is something of everything, and what changes of it in words."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from typing import Any

import msgspec

from pbem.data.terms import CloakState, FormKind, Fuse, Motion, PulseKind, Purpose, StepName, UnitFate, WeaponState
from pbem.engine.on_file import altered, unit_on_file
from pbem.engine.state import (
    AnyUnit,
    Bomb,
    Link,
    Monster,
    Planet,
    Position,
    ProbeBox,
    Pulse,
    Request,
    Seeker,
    Ship,
    Shuttle,
    Side,
    StandingOrders,
    State,
    Weapon,
)
from pbem.lab.rule_cases.format import Case
from pbem.lab.rule_cases.play import opening, scenario_for

replace = msgspec.structs.replace

SHIPS = {
    "Con": ("federation", "std_fed_ca_cth", "1204C"),
    "Des": ("klingon", "std_kli_d7", "1206A"),
    "Kestrel": ("romulan", "std_rom_kr", "2010D"),
    "Gorn": ("gorn", "std_gorn_ca", "0505B"),
    "Hood": ("robot", "fed_cadet_ca", "1204F"),
    "Bird": ("romulan", "rom_cadet_ca", "2222A"),
    "Wreck": ("klingon", "std_kli_d7", "0101A"),
}


@cache
def rich() -> State:
    """Turn 2, impulse 5 of 16, direct fire: moment 21."""
    units = [{"side": side, "ship": key, "name": name, "at": at} for name, (side, key, at) in SHIPS.items()]
    head = {"rule": "B2.0", "title": "t", "source": "s", "level": "standard", "impulses": 16, "map": ["0101", "3030"]}
    state = opening(case := msgspec.convert({**head, "unit": units}, Case), scenario_for(case))
    ships = {name: unit for name, unit in state.units.items() if isinstance(unit, Ship)}
    found: dict[str, AnyUnit] = {**state.units, **_small()}
    found["Con"] = _con(ships["Con"])
    found["Des"] = altered(
        ships["Des"],
        weapons=_weapons(ships["Des"], {
            "DISR A": {"charge": WeaponState.POWERED}, "DISR B": {"charge": WeaponState.POWERED, "fired": 4},
            "DRONE 1": {"ammo": 3, "fired": 3}, "DRONE 2": {"ammo": 0},
        }),
        capacitor=0.5, batteries=3, speed=8, tactical=1, towing=1, side="klingon", parties=10,
        tractors=("A",), beams_used=("B", "C", "D", "E"), captured_from="", spared_by=("gorn",), passengers=2,
    )  # fmt: skip
    found["Gorn"] = altered(
        ships["Gorn"],
        weapons=_weapons(ships["Gorn"], {
            "PLAS A": {"charge": WeaponState.ARMED, "armed_turns": 3},
            "PLAS B": {"charge": WeaponState.ARMING, "armed_turns": 2},
        }),
        side="federation", captured_from="gorn", boarders={"gorn": 3, "klingon": 1}, parties=2, released={"B": 9},
        lowered={"#6": 20}, cloak_paid=True,
    )  # fmt: skip
    found["Kestrel"] = altered(
        ships["Kestrel"], cloak=CloakState.CLOAKING, cloak_since=18, exposed=17, marks=("seen",), immobile=False,
        weapons=_weapons(ships["Kestrel"], {
            "PLAS A": {"working": False, "charge": WeaponState.ARMED, "armed_turns": 3, "destroyed": 20},
        }),
    )  # fmt: skip
    found["Hood"] = altered(
        ships["Hood"], robot=True, speed=9, parties=5,
        marks=("alert", "angry"), mutiny="put down", disabled=("PHOT A",),
        track=(Position(17, "1203", "D"), Position(20, "1204", "F")),
    )  # fmt: skip
    found["Wreck"] = altered(
        ships["Wreck"], gone=UnitFate.DESTROYED, batteries=0, capacitor=0.0, robot=True, marks=("sunk",)
    )
    sides = {
        "federation": Side(name="federation", team="allies", player="Ada"),
        "gorn": Side(name="gorn", team="allies"),
        "klingon": Side(name="klingon", team="empire", player="Bob"),
        "robot": Side(name="robot", team="robot", robot=True),
        "romulan": Side(name="romulan", team="romulan"),
    }
    request = Request(
        number=2, turn=2, impulse=5, form=FormKind.SOP, sides=("federation", "klingon"), through=16, reason="a break"
    )
    return replace(
        state,
        game="duel01", scenario="4", level="standard", sides=sides, records=77, segment=4, turn=2, impulse=5,
        step=StepName.FIRE, units=found, serials={"KD": 3, "FS": 2, "GP": 1}, request=request, last_request=request,
        standing={
            "federation": StandingOrders(
                text="SHIP Con", request=2, flown={"Con": 4, "FS/1": 1}, spent=(3, 9), acted=(9,)
            ),
            "klingon": StandingOrders(text="SHIP Des", request=1),
        },
        recent=(
            Pulse(moment=16, step=StepName.FIRE, what=PulseKind.FIRED, unit="Des", weapon="PH 1", kind="ph2"),
            Pulse(moment=17, step=StepName.IMPACT, what=PulseKind.DAMAGED, unit="Con", shield=1, boxes=2, internals=1),
            Pulse(moment=20, step=StepName.LAUNCH, what=PulseKind.LAUNCHED, unit="Des", weapon="DRONE 1", kind="drone"),
            Pulse(moment=21, step=StepName.SEEK, what=PulseKind.DAMAGED, unit="KD/1", boxes=1),
        ),
        links=(
            Link(ship="Con", beam="B", target="Des", since=18),
            Link(ship="Des", beam="A", target="FS/1", since=19),
            Link(ship="Con", beam="A", target="KD/1", since=20),
            Link(ship="Gorn", beam="A", target="Des", since=20),
            Link(ship="Ghost", beam="A", target="Eater", since=20),
        ),
        asteroids=("0707",), worlds=("Moon",),
    )  # fmt: skip


def _con(ship: Ship) -> Ship:
    return altered(
        ship,
        speed=12, prior_speed=8, since_turn=3, since_slip=1, shields=(30, 24, 20, 0, 5, 24),
        track=(Position(16, "1201", "D"), Position(18, "1202", "D"), Position(21, "1204", "C")),
        weapons=_weapons(ship, {
            "PHOT A": {"charge": WeaponState.ARMED, "armed_turns": 2},
            "PHOT B": {"charge": WeaponState.ARMING, "armed_turns": 1},
            "PHOT C": {"charge": WeaponState.ARMED, "armed_turns": 2, "fired": 4},
            "PHOT D": {"working": False},
            "PH 1": {"fired": 5, "shots": 1},
            "PH 2": {"fired": 18, "shots": 1},
            "PH 3": {"working": False},
        }),
        capacitor=7.0, batteries=2, battery_part="1/2", reinforcement=(1, 0, 2, 0, 0, 3), general=2,
        boxes={**ship.boxes, "battery": 3},
        repairing={"#2": 2}, allotted=("PHASERS 2",), internals=4, marks=("brave",), lock_on=False, unpaid=("7",),
        tactical=1, sublight=True, tacs=(2,), sublight_used=3, cloak_paid=True, tractors=("A", "B"), beams_used=("B",),
        released={"C": 12}, transporters=2, transported=1, lowered={"#3": 19, "general": 20},
        hangar=("A", "B", "C", "D"), bay_used=9,
        bombs={"A": Bomb(energy=(3, 2), state=Fuse.ARMING), "D": Bomb(energy=(1, 1, 1), state=Fuse.ARMED)},
        probes={"A": ProbeBox(purpose=Purpose.WEAPON, turns=1, left=4), "B": ProbeBox(left=1)},
        move_warp=12.0, move_impulse=1, paid_speed=13, towing=1, parties=6, taken=1,
        boarders={"klingon": 2, "romulan": 2}, passengers=3,
    )  # fmt: skip


def _weapons(ship: Ship, changed: dict[str, dict[str, Any]]) -> dict[str, Weapon]:
    return {name: replace(weapon, **changed.get(name, {})) for name, weapon in ship.weapons.items()}


def _small() -> dict[str, AnyUnit]:
    drone = Seeker(
        name="KD/1", side="klingon", race="KLIN", hex="1205", facing="A", speed=8, weapon="drone", target="Con",
        launcher="Des", launched=19, endurance=51, came_from="1206", straight=1, damage=1, toughness=4, warhead=12,
        launched_in="1206", track=(Position(19, "1206", "A"), Position(21, "1205", "A")),
    )  # fmt: skip
    torpedo = Seeker(
        name="GP/1", side="gorn", race="GORN", hex="0606", facing="C", speed=32, weapon="plasma", target="Des",
        launcher="Gorn", launched=15, endurance=0, came_from="0505", straight=2, damage=3, warhead=29, travelled=9,
        launched_in="0505", torpedo="plasmaS", track=(Position(20, "0606", "C"),),
    )  # fmt: skip
    dumb = replace(drone, name="KD/2", motion=Motion.STRAIGHT, hex="0909", launcher="", side="klingon")
    boat = Shuttle(
        name="FS/1", side="federation", race="FED", hex="1306", facing="B", speed=6, prior_speed=5, launcher="Con",
        launched=10, letter="E", came_from="1307", straight=3, damage=2, fired=11, crew=2, parties=1, target="Des",
        bomb=9, track=(Position(14, "1307", "B"), Position(20, "1306", "B")),
    )  # fmt: skip
    landed = Shuttle(
        name="KS/1", side="klingon", race="KLIN", hex="2512", facing="A", launcher="Des", launched=8, letter="B",
        landed="Moon", crew=1, track=(Position(12, "2512", "A"),),
    )  # fmt: skip
    eater = Monster(
        name="Eater", side="", race="", hex="2020", facing="A", speed=6, monster="planet_killer", goal="Moon",
        straight=2, damage=50, attacked_by="Con", information=90, needed=100, track=(Position(17, "2020", "A"),),
    )  # fmt: skip
    moon = Planet(
        name="Moon", side="", race="", hex="2512", facing="A", hexes=("2512", "2511"), damage=7, crew=4,
        track=(Position(0, "2512", "A"),),
    )  # fmt: skip
    return {unit.name: unit for unit in (drone, torpedo, dumb, boat, landed, eater, moon)}


# --- what changed ----------------------------------------------------------------------------------------------------


def differences(before: State, after: State) -> list[str]:
    """Every part of the state that is not what it was, a line each: ``units Con speed: 12 -> 4``.

    Of lists what is gone and what came, each with its place (from 0).
    """
    return list(_compared(before, after, ""))


def _compared(old: Any, new: Any, where: str) -> Iterator[str]:
    old, new = (unit_on_file(each) if isinstance(each, Ship) else each for each in (old, new))
    if isinstance(old, msgspec.Struct) and type(old) is type(new):
        for name in old.__struct_fields__:
            yield from _compared(getattr(old, name), getattr(new, name), f"{where} {name}")
    elif isinstance(old, dict) and isinstance(new, dict):
        both = {**old, **new}
        if list(new) != [key for key in both if key in new]:
            yield f"{where.strip()}: in the order {', '.join(new)}"
        for key in both:
            yield from _compared(old.get(key), new.get(key), f"{where} {key}")
    elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
        parts = list(_exchanged([_short(each) for each in old], [_short(each) for each in new]))
        if parts:
            yield f"{where.strip()}: {', '.join(parts)}"
    elif old != new or type(old) is not type(new):
        yield f"{where.strip()}: {_short(old)} -> {_short(new)}"


def _exchanged(old: list[str], new: list[str]) -> Iterator[str]:
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"without {at}: {old[at]}" for at in range(old_from, old_to))
            yield from (f"with {at}: {new[at]}" for at in range(new_from, new_to))


def _short(value: Any) -> str:
    return msgspec.json.encode(value).decode()
