"""What a choice of DAMAGE can decide, held against the procedures themselves: a box is offered in a category if and
only if naming it there changes which box some point destroys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import NamedTuple

import pytest

from pbem.data import charts
from pbem.data.ships import ShipClass, ship_class
from pbem.orders.model import DamageChoice
from pbem.rules import internal_damage
from pbem.rules.damage_choices import choosable, decides
from pbem.rules.internal_damage import free_boxes, standard_box

CATEGORIES = (*internal_damage.CATEGORIES, "ANY")


class Weapon(NamedTuple):
    kind: str
    working: bool = True
    charge: str = ""
    ammo: int = 0
    fired: int | None = None


Outcome = tuple[str, ...]
Procedure = Callable[[dict[str, int], dict[str, Weapon], list[DamageChoice]], Outcome]


def free(how: str, edition: str) -> Procedure:
    def procedure(boxes: dict[str, int], weapons: dict[str, Weapon], choices: list[DamageChoice]) -> Outcome:
        if how == "scenario 4":
            return tuple(hit.box for hit in internal_damage.scenario_4_boxes(3, boxes, weapons, choices))
        return tuple(hit.box for hit in free_boxes(3, boxes, weapons, choices, edition))

    return procedure


def cadet(edition: str) -> Procedure:
    def procedure(boxes: dict[str, int], weapons: dict[str, Weapon], choices: list[DamageChoice]) -> Outcome:
        return tuple(internal_damage.cadet_box(die, boxes, weapons, choices, edition).box for die in range(1, 7))

    return procedure


def standard(boxes: dict[str, int], weapons: dict[str, Weapon], choices: list[DamageChoice]) -> Outcome:
    arcs, toward = dict.fromkeys(weapons, "360"), frozenset(charts.arcs().six)
    rolls = range(2, 13)
    return tuple(standard_box(roll, boxes, weapons, arcs, toward, choices=choices, aboard=1).hit.box for roll in rolls)


PROCEDURES: dict[tuple[str, str], Procedure] = {
    ("scenario 2", "printed"): free("scenario 2", "printed"),
    ("scenario 2", "module"): free("scenario 2", "module"),
    ("scenario 4", "printed"): free("scenario 4", "printed"),
    ("cadet dac", "printed"): cadet("printed"),
    ("cadet dac", "module"): cadet("module"),
    ("standard dac", "printed"): standard,
}


def remains(kind: ShipClass) -> Iterator[tuple[dict[str, int], dict[str, Weapon]]]:
    """The whole ship, and what is left of it when two systems are left, for every two."""
    kinds = {spec.name: Weapon(spec.kind) for spec in kind.weapons}
    yield dict(kind.boxes), kinds
    for pair in combinations([*kind.boxes, *kinds], 2):
        systems, arms = [box for box in pair if box in kind.boxes], [box for box in pair if box in kinds]
        yield {box: int(box in systems) * 3 for box in kind.boxes}, {box: kinds[box] for box in arms}


def deciding(kind: ShipClass, procedure: Procedure) -> dict[str, set[str]]:
    """For each category the boxes that change an outcome when they are named in it."""
    found: dict[str, set[str]] = {category: set() for category in CATEGORIES}
    for boxes, weapons in remains(kind):
        plain = procedure(boxes, weapons, [])
        there = [*(box for box, count in boxes.items() if count), *weapons]
        for category in CATEGORIES:
            for box in there:
                for place in ("FIRST", "LAST"):
                    choice = DamageChoice(category=category, items=(box.upper(),), place=place, line=0)
                    if box.upper() not in found[category] and procedure(boxes, weapons, [choice]) != plain:
                        found[category].add(box.upper())
    return {category: boxes for category, boxes in found.items() if boxes}


@pytest.mark.parametrize(("how", "edition"), PROCEDURES)
def test_what_is_offered_is_what_decides(how: str, edition: str) -> None:
    kind = ship_class("std_kli_d7" if how == "standard dac" else "kli_cadet_d6")
    systems, weapons = list(kind.boxes), [spec.name for spec in kind.weapons]
    offered = choosable(how, edition, systems, weapons, {})
    assert {category: set(boxes) for category, boxes in offered.items()} == deciding(kind, PROCEDURES[how, edition])


def test_boxes_with_letters_are_offered_one_by_one() -> None:
    offered = choosable("standard dac", "printed", ["shuttle", "tractor"], [], {"shuttle": "AC", "tractor": "AB"})
    assert offered["OTHER"] == ["SHUTTLE A", "SHUTTLE C", "TRACTOR A", "TRACTOR B"]
    assert "OTHER" not in choosable("standard dac", "printed", ["shuttle", "tractor"], [], {"shuttle": "A"})


def test_a_freighter_has_no_choice() -> None:
    assert choosable("track", "printed", ["warp left", "warp right"], ["PH 1", "PH 2"], {}) == {}


def test_a_choice_decides_by_any_of_its_names() -> None:
    assert decides(("LAB", "WARP"), ["WARP LEFT", "WARP RIGHT"])
    assert decides((), []), "the default order is always there"
    assert not decides(("LAB",), ["WARP LEFT", "WARP RIGHT"])
    assert not decides(("TRACTOR",), ["TRACTOR A", "TRACTOR B"]), "the bare name says nothing of which beam lets go"
