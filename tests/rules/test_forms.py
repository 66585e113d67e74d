"""Whole energy forms: everything that is told of a form, held at once against forms.txt (B3.0).

A section of that file is a ship, the form, and behind ``--`` what comes of it: a line for each result that is not
nothing, for each line of the form with points, for the form in orders, for each note and each fault.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from pbem.data import charts
from pbem.data.terms import Fuse, Purpose, WeaponState
from pbem.rules import energy_form
from pbem.rules.energy_form import Allotment, Plant, ShipFacts
from pbem.rules.science import Probe
from pbem.rules.shuttles import SuicideArming as Bomb
from pbem.rules.weapons import Tube

FORMS = Path(__file__).with_name("forms.txt")


class Line(NamedTuple):
    """An entry as the order reader hands it over."""

    item: str
    parts: tuple[tuple[str, Fraction], ...]
    verb: str
    shield: int
    line: int
    column: int


def tube(name: str, kind: str, charge: WeaponState = WeaponState.NONE, turns: int = 0, working: bool = True) -> Tube:
    return Tube(name=name, kind=kind, charge=charge, armed_turns=turns, working=working)


NONE, ARMING, ARMED, ROLLING = WeaponState.NONE, WeaponState.ARMING, WeaponState.ARMED, WeaponState.ROLLING
STANDARD = charts.level("standard")
CADET: dict[str, Any] = {"acceleration": 8, "multiple": 1, "max_speed": 16, "prior_speed": 16}
FED = ShipFacts(
    **CADET,
    plant=Plant(warp=16, impulse=2, apr=2, batteries=2, battery_boxes=2),
    tubes=(tube("PHOT A", "photon"), tube("PHOT B", "photon")),
    capacity=3.0,
    shields=(16, 12, 10, 10, 10, 1),
    full_shields=(16, 12, 10, 10, 10, 12),
)
CA = ShipFacts(
    level="standard",
    plant=Plant(warp=30, impulse=4, apr=2, batteries=3, battery_boxes=4),
    prior_speed=20,
    acceleration=STANDARD.acceleration,
    multiple=STANDARD.multiple,
    max_speed=31,
    capacity=8.0,
    capacitor=1.5,
    tubes=(tube("PHOT A", "photon", ARMING, 1), tube("PHOT B", "photon", ARMED, 2), tube("PHOT C", "photon")),
    shields=(28, 24, 20, 20, 0, 23),
    full_shields=(30, 24, 20, 20, 20, 24),
    damage_control=(4, 4, 2, 2, 2, 0),
    boxes={"tractor": 2, "tran": 6, "probe": 2},
    probes_left={"A": 5, "B": 1},
    hangar=("A", "C"),
)
LIGHT = replace(
    CA, move_cost=Fraction(2, 3), plant=Plant(warp=20, impulse=3, batteries=1, battery_boxes=3), prior_speed=3,
    tubes=(), capacitor=0.0,
)  # fmt: skip
SHIPS = {
    "bare": ShipFacts(**CADET, plant=Plant(), shields=(0,) * 6, full_shields=(1,) * 6, damage_control=(1,)),
    "fed": FED,
    "d6": replace(
        FED,
        tubes=(
            tube("DISR A", "disruptor"), tube("DISR B", "disruptor"),
            tube("DRONE 1", "drone_rack"), tube("PH 1", "ph2"),
        ),
        capacity=4.0,
    ),
    "overfull": replace(FED, capacitor=3.5),
    "unreinforced": replace(FED, reinforcement=False),
    "cadet with systems": replace(FED, boxes={"tran": 1}, hangar=("A",), cloak=4),
    "ca": CA,
    "weak ca": replace(CA, plant=Plant(warp=5, impulse=1, apr=1, batteries=1, battery_boxes=4)),
    "full ca": replace(CA, plant=replace(CA.plant, batteries=4)),
    "scenario 12": replace(CA, level="scenario 12", move_cost=Fraction(1, 2)),
    "no boxes": replace(CA, boxes={}, hangar=()),
    "boxes not asked": replace(CA, boxes=None),
    "at its best": replace(CA, prior_speed=0, acceleration=2, multiple=1),
    "stopped": replace(CA, max_speed=0),
    "light": LIGHT,
    "light, stopped": replace(LIGHT, max_speed=0),
    "light, at most 2": replace(LIGHT, max_speed=2),
    "light, at most 3": replace(LIGHT, max_speed=3),
    "light, little warp": replace(LIGHT, plant=Plant(warp=1, impulse=2)),
    "without engines": replace(CA, plant=Plant()),
    "little": replace(FED, plant=Plant(warp=2, batteries=1, battery_boxes=2), tubes=()),
    "weak scenario 12": replace(CA, level="scenario 12", plant=Plant(warp=2)),
    "towing": replace(CA, tow_cost=Fraction(1, 3)),
    "light, towing": replace(LIGHT, tow_cost=Fraction(1, 3), prior_speed=20),
    "fine": replace(
        LIGHT, fractional=True, capacity=5.0, plant=Plant(warp=20, batteries=2, battery_boxes=4,
        battery_part=Fraction(1, 3)),
    ),
    "fine, little warp": replace(LIGHT, fractional=True, plant=Plant(warp=4, impulse=1)),
    "eagle": replace(
        CA,
        cloak=6,
        tubes=(
            tube("PLAS A", "plasmaS"), tube("PLAS B", "plasmaS", ARMING, 1), tube("PLAS C", "plasmaS", ARMING, 2),
            tube("PLAS D", "plasmaS", ROLLING, 2), tube("PLAS E", "plasmaS", ARMED, 3),
            tube("PLAS F", "plasmaR", ARMED, 3), tube("PLAS G", "plasmaG", ARMING, 1, working=False),
        ),
    ),
    "in the middle": replace(
        CA,
        tubes=(tube("PHOT A", "photon", ARMED, 2, working=False), tube("DRONE 1", "drone_rack")),
        probes={"A": Probe(Purpose.INFORMATION, 1), "B": Probe()},
        bombs={"A": Bomb((3,), Fuse.ARMING), "C": Bomb((), Fuse.UNUSABLE)},
    ),
    "armed": replace(
        CA,
        probes={"A": Probe(Purpose.WEAPON, 1), "B": Probe(Purpose.INFORMATION, 2)},
        bombs={"A": Bomb((1, 2), Fuse.ARMING), "C": Bomb((3, 3, 3), Fuse.ARMED)},
    ),
}  # fmt: skip


def entry(text: str, number: int) -> Line:
    """``PHOT A: 2 WARP + 1``, ``PHOT A HOLD``, ``REINFORCE #1: 3``, ``SHIELDS``."""
    item, _, points = text.partition(":")
    shield = re.search(r" #(\d+)", item)
    verb = re.search(r" (HOLD|EJECT)", item)
    parts = [part.split() for part in points.split("+") if part.strip()]
    return Line(
        re.sub(r" (#\d+|HOLD|EJECT)", "", item),
        tuple((part[1] if len(part) > 1 else "", Fraction(part[0])) for part in parts),
        verb[1] if verb else "",
        int(shield[1]) if shield else 0,
        number,
        number % 3 + 1,
    )


TOLD = (
    "speed", "motion", "tactical", "sublight", "weapons", "capacitor", "batteries", "battery_part", "general",
    "specific", "repairing", "other", "tractors", "transporters", "cloak", "probes", "bombs", "unpaid",
    "powered",
)  # fmt: skip
"""The order in which the kept texts tell what a form does to a ship."""


def told(done: Allotment) -> list[str]:
    """Everything an allotment says."""
    assert {*done.__struct_fields__} == {*TOLD, "balance", "exact", "lines", "chosen", "notes", "faults"}
    said = []
    for field in TOLD:
        value = getattr(done, field)
        if value and any(_seen(value)):
            said.append(f"{field} {_plain(value)}")
    exact = done.exact or [Fraction(row.amount) for row in done.balance]
    for row, points in zip(done.balance, exact, strict=True):
        if row.amount or row.source or points:
            also = f" = {points}" if points != row.amount else ""
            said.append(f"{row.number}. {row.label} {row.amount}{also}{f' ({row.source})' if row.source else ''}")
    said.append(f"nothing on {' '.join(str(row.number) for row in done.balance if not row.amount)}")
    said += [f"> {order}{' *' if order in done.chosen else ''}" for order in done.lines]
    said += [f"* {order}" for order in done.chosen if order not in done.lines]
    said += [f"! {note}" for note in done.notes]
    said += [f"{each.line}:{each.column} {each.code}: {each.text} ({each.rule})" for each in done.faults]
    return said


def _seen(value: object) -> list[object]:
    return list(value) if isinstance(value, tuple | dict) else [value]


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_plain(each)}" for key, each in value.items())
    if isinstance(value, tuple):
        return " ".join(_plain(each) or "-" for each in value) or "-"
    return str(value.value if hasattr(value, "value") else value)


def sections() -> list[tuple[str, list[str], list[str]]]:
    found = []
    for part in re.split(r"\n\n+", FORMS.read_text(encoding="utf-8").strip()):
        lines = [line for line in part.splitlines() if not line.startswith("#")]
        if lines:
            at = lines.index("--")
            found.append((lines[0].removeprefix("ship: "), lines[1:at], lines[at + 1 :]))
    return found


@pytest.mark.parametrize(("ship", "form", "comes"), sections())
def test_all_that_comes_of_a_form(ship: str, form: list[str], comes: list[str]) -> None:
    lines = [entry(text, number) for number, text in enumerate(form, start=1)]
    assert told(energy_form.allot(lines, SHIPS[ship])) == comes


if __name__ == "__main__":
    parts = [FORMS.read_text(encoding="utf-8").partition("\n")[0]]
    for ship, form, _ in sections():
        lines = [entry(text, number) for number, text in enumerate(form, start=1)]
        parts.append("\n".join([f"ship: {ship}", *form, "--", *told(energy_form.allot(lines, SHIPS[ship]))]))
    FORMS.write_text("\n\n".join(parts) + "\n", encoding="utf-8", newline="\n")
