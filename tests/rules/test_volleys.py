"""Whole volleys against a second version of the rules on internal damage, written from their text (D4.0).

Ships in many states, owners with and without wishes: every point with its category, its column, the box and the order
that would have chosen it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.rules import internal_damage, sensors, shuttles
from pbem.rules.hexes import arcs_of
from pbem.rules.internal_damage import Hit, HittableWeapon

SINCE = 33
STRENGTH = {"ph3": 1, "phG": 1, "ph2": 2, "ph1": 3}
RANK = {"ph3": 1, "ph2": 2, "ph1": 3, "phG": 4, "photon": 3, "disruptor": 2, "fusion": 1, "drone_rack": 0, "esg": 0,
        "plasmaF": 4, "plasmaG": 5, "plasmaS": 6, "plasmaR": 7}  # fmt: skip


class Box(NamedTuple):
    kind: str
    working: bool = True
    charge: str = ""
    ammo: int = 0
    fired: int | None = None


class Choice(NamedTuple):
    category: str
    items: tuple[str, ...]
    place: str


class Ship:
    """What is left of a ship, and what its owner wishes."""

    def __init__(self, key: str, dice: random.Random) -> None:
        kind = ship_class(key)
        full = {**kind.boxes, **sensors.track_boxes(kind.tracks)}
        self.boxes = {box: dice.choice((0, 1, count)) for box, count in full.items()}
        self.weapons = {
            spec.name: Box(
                spec.kind,
                dice.random() < 0.9,
                dice.choice(("", "armed")) if spec.kind not in STRENGTH and spec.kind != "drone_rack" else "",
                dice.choice((0, 1, 4)) if spec.kind == "drone_rack" else 0,
                dice.choice((None, SINCE - 1, SINCE, SINCE + 3)),
            )
            for spec in kind.weapons
        }
        self.arcs = {spec.name: spec.arc for spec in kind.weapons}
        self.wishes = tuple(self._wish(dice) for _ in range(dice.choice((0, 0, 1, 2))))

    def _wish(self, dice: random.Random) -> Choice:
        some = [*self.weapons, *(box.upper() for box in self.boxes), "PH", "ALL WARP", "HEAVY", "WARP"]
        category = dice.choice(("WEAPON", "ENGINE", "OTHER", "HULL", "any"))
        return Choice(category, tuple(dice.sample(some, 4)), dice.choice(("FIRST", "LAST", "first")))


def meant(item: str) -> tuple[str, ...]:
    """The words of a wish, without ALL."""
    return tuple(word for word in item.split() if word != "ALL")


def is_meant(item: str, box: str) -> bool:
    words = tuple(box.upper().split())
    if item == "HEAVY":
        return words[0] in ("PHOT", "DISR", "FUS", "PLAS", "ESG")
    return set(meant(item)) == set(words) or meant(item) == words[:1]


def least(box: Box) -> tuple[int, int]:
    """How little an owner misses a weapon: the rungs of the ladder."""
    phaser = box.kind in STRENGTH
    strength = STRENGTH.get(box.kind, 0)
    if box.kind == "drone_rack" and not box.ammo:
        return 0, 0
    if box.fired is not None and box.fired >= SINCE:
        return 1, strength
    if phaser:
        return 3, strength
    if box.kind == "drone_rack":
        return 4, 0
    return (5 if box.charge else 2), 0


def by_worth(weapons: dict[str, Box]) -> list[str]:
    def place(name: str) -> tuple[tuple[int, int], str, int, str]:
        label, number = name.split()
        return least(weapons[name]), label, int(number) if number.isdigit() else 0, number

    return sorted((name for name, box in weapons.items() if box.working), key=place)


def chosen(category: str, boxes: list[str], wishes: tuple[Choice, ...]) -> tuple[str, str]:
    """What the owner would have destroyed, or the default, then told as the order that says so."""
    about = [wish for wish in wishes if wish.category in (category.upper(), "any")]
    for wish in about:
        for item in wish.items if wish.place != "LAST" else ():
            for box in boxes:
                if is_meant(item, box):
                    return box, ""
    spared = [item for wish in about if wish.place == "LAST" for item in wish.items]
    free = [box for box in boxes if not any(is_meant(item, box) for item in spared)]
    if not free:
        first = next(item for item in spared if any(is_meant(item, box) for box in boxes))
        free = [box for box in boxes if is_meant(first, box)]
        free = [box for box in free if not any(is_meant(item, box) for item in spared[: spared.index(first)])]
    word = category.upper() if category in ("weapon", "engine", "other", "hull") else "ANY"
    return free[0], f"{word} {free[0].upper()} FIRST" if len(free) > 1 else ""


def strike(box: str, boxes: dict[str, int], weapons: dict[str, Box]) -> None:
    if box in weapons:
        del weapons[box]
    elif box:
        boxes[box] -= 1


def left_of(boxes: dict[str, int], *names: str) -> list[str]:
    return [name for name in names if boxes.get(name, 0) > 0]


def engines(boxes: dict[str, int]) -> list[str]:
    warp = left_of(boxes, "warp left", "warp right", "warp center")
    return [*sorted(warp, key=lambda name: -boxes[name]), *left_of(boxes, "impulse")]


HULL = ("cargo", "hull center", "hull aft", "hull fore", "hull")
OTHER = ("lab", "shuttle", "tran", "battery", "apr")


def cadet(dice: list[int], ship: Ship, edition: str) -> Iterator[Hit]:
    boxes, weapons = dict(ship.boxes), dict(ship.weapons)
    chart = charts.cadet_dac().module if edition == "module" else charts.cadet_dac().printed
    for die in dice:
        for column, category in zip(chart.columns, chart.rows[die - 1], strict=True):
            found = {
                "weapon": by_worth(weapons), "engine": engines(boxes), "hull": left_of(boxes, *HULL),
                "other": left_of(boxes, *OTHER), "bridge": left_of(boxes, "security", "bridge"),
                "excess": left_of(boxes, "excess"),
            }[category]  # fmt: skip
            if found:
                hit = Hit(category, column, *chosen(category, found, ship.wishes))
                break
        else:
            hit = Hit("excess", chart.columns[-1], "")
        yield hit
        if not hit.box:
            return
        strike(hit.box, boxes, weapons)


def expendable(boxes: dict[str, int]) -> list[str]:
    some = ("security", "tractor", "probe", "flag", "aux", "emer", "armor")
    return left_of(boxes, "excess", *HULL, *some, *OTHER, "impulse")


def scenario_4(points: int, ship: Ship, robot: bool) -> Iterator[Hit]:
    boxes, weapons = dict(ship.boxes), dict(ship.weapons)
    for number in range(1, points + 1):
        guns, warp, rest = by_worth(weapons), [box for box in engines(boxes) if box != "impulse"], expendable(boxes)
        if number == 1 and guns:
            category, found = "weapon", guns
        elif number == 2 and warp:
            category, found = "engine", warp
        elif robot:
            category, found = "any", rest or warp or guns
        else:
            category, found = "any", rest + warp + guns
        hit = Hit(category, "", *chosen(category, found, ship.wishes)) if found else Hit("any", "", "")
        yield hit
        if not found:
            return
        strike(hit.box, boxes, weapons)


def free(points: int, ship: Ship, edition: str) -> Iterator[Hit]:
    boxes, weapons = dict(ship.boxes), dict(ship.weapons)

    def anything() -> list[str]:
        rest = [box for box in expendable(boxes) if box != "security"]
        last = left_of(boxes, "security", "bridge") if edition == "module" else []
        return rest + [box for box in engines(boxes) if box != "impulse"] + by_worth(weapons) + last

    for number in range(1, points + 1):
        first = number == 1 and edition == "printed" and bool(by_worth(weapons))
        if found := by_worth(weapons) if first else anything():
            category = "weapon" if first else "any"
            yield (hit := Hit(category, "", *chosen(category, found, ship.wishes)))
            strike(hit.box, boxes, weapons)
    if not anything():
        yield Hit("any", "", "")


SHOWS = {1: {"RF", "LF"}, 2: {"RF", "R"}, 3: {"R", "RR"}, 4: {"RR", "LR"}, 5: {"LR", "L"}, 6: {"L", "LF"}}
"""The arcs that meet before each shield."""


def standard(rolls: list[int], ship: Ship, shields: list[int], aboard: int) -> Iterator[Hit]:
    chart, kinds = charts.standard_dac(), charts.weapon_kinds()
    boxes, weapons = dict(ship.boxes), dict(ship.weapons)
    used: set[tuple[int, int]] = set()
    hits: dict[str, int] = {}
    shuttle_first = any(
        wish.category in ("WEAPON", "any") and wish.place != "LAST" and "SHUTTLE" in wish.items for wish in ship.wishes
    )
    for roll, shield in zip(rolls, shields, strict=True):
        hit = Hit("Excess", "M", "")
        for column, entry in enumerate(chart.rows[roll - 2]):
            name, system = entry.rstrip("*"), chart.systems[entry.rstrip("*")]
            if (roll, column) in used:
                continue
            if system.families:
                found = [box for box in by_worth(weapons) if kinds[weapons[box].kind].family in system.families]
                if name == "Phaser":
                    found = [box for box in found if SHOWS[shield] & arcs_of(ship.arcs[box])]
                if name in ("Phaser", "Torp", "Drone") and hits.get(name, 0) % 3 == 2:
                    low = min((RANK[weapons[box].kind] for box in found), default=0)
                    found = [box for box in found if RANK[weapons[box].kind] > low] or found
                if name == "AnyWeapon" and aboard and boxes.get("shuttle", 0) and shuttle_first:
                    found = [*found, "shuttle"]
            else:
                spared = 1 if name in ("Sensor", "Scanner", "DamCon") else 0
                found = [box for box in system.boxes if boxes.get(box, 0) > spared]
                found = [box for box in engines(boxes) if box in found] if name == "AnyWarp" else found[:1]
            if found:
                box, told = chosen(system.choice, found, ship.wishes) if system.choice else (found[0], "")
                hit = Hit(name, chart.columns[column], box, told)
                used |= {(roll, column)} if entry.endswith("*") else set()
                hits[name] = hits.get(name, 0) + 1
                break
        yield hit
        if not hit.box:
            return
        if hit.box == "shuttle" and aboard and (hit.category == "AnyWeapon" or aboard >= boxes["shuttle"]):
            aboard -= 1
        strike(hit.box, boxes, weapons)


CADETS = ("fed_cadet_ca", "kli_cadet_d6", "kzi_cadet_ca", "rom_cadet_ca")
STANDARDS = ("std_fed_ca_cth", "std_kli_d7", "std_rom_we", "std_kzi_cs", "std_ori_cr", "std_lyr_ca", "std_gorn_ca")


@pytest.mark.parametrize("key", CADETS)
def test_volleys_by_the_cadet_chart_and_without_one(key: str) -> None:
    dice = random.Random(key)
    for _ in range(15):
        ship, points = Ship(key, dice), dice.randint(0, 40)
        rolls = [dice.randint(1, 6) for _ in range(points)]
        for edition in ("printed", "module"):
            # the volley is not asked when weapons fired: the chart of one point is
            left, hits = dict(ship.boxes), list[Hit]()
            weapons: dict[str, HittableWeapon] = {**ship.weapons}
            for die in rolls:
                hits.append(internal_damage.cadet_box(die, left, weapons, ship.wishes, edition, SINCE))
                if hits[-1].destroys_ship:
                    break
                internal_damage.strike_out(hits[-1].box, left, weapons)
            assert hits == list(cadet(rolls, ship, edition))
            found = internal_damage.free_boxes(points, ship.boxes, ship.weapons, ship.wishes, edition, SINCE)
            assert found == list(free(points, ship, edition))
        for robot in (False, True):
            found = internal_damage.scenario_4_boxes(points, ship.boxes, ship.weapons, ship.wishes, robot, SINCE)
            assert found == list(scenario_4(points, ship, robot))


def point_by_point(
    rolls: list[int], ship: Ship, toward: frozenset[str] | list[frozenset[str]], aboard: int
) -> list[Hit]:
    """A volley as it is played: each box, and the shuttle in it, is gone before the next dice."""
    left, tally, hits = dict(ship.boxes), internal_damage.NEW_VOLLEY, list[Hit]()
    weapons: dict[str, HittableWeapon] = {**ship.weapons}
    for number, roll in enumerate(rolls):
        where = toward if isinstance(toward, frozenset) else toward[number]
        hit, tally = internal_damage.standard_box(
            roll, left, weapons, ship.arcs, where, tally, ship.wishes, SINCE, aboard
        )
        hits.append(hit)
        if hit.destroys_ship:
            break
        if hit.box == "shuttle" and aboard and (hit.category == internal_damage.OCCUPIED or aboard >= left["shuttle"]):
            aboard -= 1
        internal_damage.strike_out(hit.box, left, weapons)
    return hits


@pytest.mark.parametrize("key", STANDARDS)
def test_volleys_by_the_standard_chart(key: str) -> None:
    dice = random.Random(key)
    for _ in range(40):
        ship, points = Ship(key, dice), dice.randint(0, 40)
        rolls = [dice.randint(1, 6) + dice.randint(1, 6) for _ in range(points)]
        shields = [dice.randint(1, 6) for _ in range(points)]
        aboard = dice.randint(0, 2)
        shuttle = Choice(dice.choice(("WEAPON", "any", "HULL")), ("SHUTTLE",), dice.choice(("FIRST", "LAST")))
        ship.wishes = (*ship.wishes, shuttle)[dice.randint(0, 1) :]
        toward = [internal_damage.shield_direction(shield) for shield in shields]
        found = point_by_point(rolls, ship, toward, aboard)
        assert found == list(standard(rolls, ship, shields, aboard))


def test_shuttles_as_any_weapon() -> None:
    """Where nothing else is left: shuttle boxes, with and without shuttles in them, beside two weapons (D4.324)."""
    dice = random.Random(324)
    for _ in range(400):
        ship = Ship("std_fed_ca_cth", dice)
        ship.boxes = {"shuttle": dice.randint(0, 3), "excess": dice.randint(0, 2)}
        ship.weapons = {name: Box("ph1") for name in ("PH 1", "PH 7")[: dice.randint(0, 2)]}
        ship.wishes = tuple(
            Choice(
                dice.choice(("WEAPON", "any", "HULL")),
                tuple(dice.sample(("SHUTTLE", "PH 1", "PHOT A"), dice.randint(1, 2))),
                dice.choice(("FIRST", "FIRST", "LAST")),
            )
            for _ in range(dice.randint(0, 2))
        )
        aboard = dice.randint(0, ship.boxes["shuttle"] + 1)
        rolls = [dice.choice((5, 6, 9, 9, 9)) for _ in range(6)]
        toward = internal_damage.shield_direction(4)
        found = point_by_point(rolls, ship, toward, aboard)
        assert found == list(standard(rolls, ship, [4] * 6, aboard)), (ship.boxes, ship.wishes, aboard, rolls)


# --- which shuttle box --------------------------------------------------------------------------------------------


def gone(category: str, wishes: list[Choice], boxes: int, aboard: tuple[str, ...], occupied: bool) -> tuple[str, bool]:
    """The letter of the box that is hit, and whether the owner said so (D4.325, D4.324)."""
    empty = boxes > len(aboard) and not occupied
    about = [wish for wish in wishes if wish.category in (category.upper(), "ANY")]
    for letter in (item[-1] for wish in about if wish.place == "FIRST" for item in wish.items if item != "LAB"):
        if letter in aboard:
            return letter, True
        if empty:
            return "", True
    spared = [item[-1] for wish in about if wish.place == "LAST" for item in wish.items if item != "LAB"]
    if not empty and not aboard:
        return "", False
    if empty and all(letter in aboard for letter in spared):
        return "", bool(spared)
    free = [letter for letter in aboard if letter not in spared]
    return (free[0] if free else "" if empty else aboard[0]), bool(spared)


def test_which_shuttle_goes_with_its_box() -> None:
    dice = random.Random(325)
    items = ("SHUTTLE A", "SHUTTLE B", "SHUTTLE C", "LAB")
    for _ in range(1500):
        wishes = [
            Choice(dice.choice(("OTHER", "ANY", "HULL")), tuple(dice.sample(items, 2)), dice.choice(("FIRST", "LAST")))
            for _ in range(dice.randint(0, 2))
        ]
        aboard = tuple(dice.sample("CBA", dice.randint(0, 3)))
        boxes = len(aboard) + dice.randint(0, 1)
        occupied, category = dice.random() < 0.3, dice.choice(("OTHER", "Other", "any"))
        bay = shuttles.BayBoxes(boxes, aboard)
        assert bay.empty == boxes - len(aboard)
        found = shuttles.struck(category, wishes, bay, occupied=occupied)
        assert found == gone(category, wishes, boxes, aboard, occupied), (wishes, bay, occupied)


def test_what_a_lettered_box_means_for_the_next_hit() -> None:
    """``SHUTTLE B`` is the system while that box is there to go first, or while all that are left are spared."""
    first, last = Choice("OTHER", ("SHUTTLE B", "LAB", "shuttle a"), "FIRST"), Choice("OTHER", ("SHUTTLE B",), "LAST")
    plain = Choice("OTHER", ("SHUTTLE", "LAB"), "FIRST")

    def told(boxes: int, *aboard: str) -> list[tuple[str, ...]]:
        return [each.items for each in shuttles.unlettered((first, last, plain), shuttles.BayBoxes(boxes, aboard))]

    assert told(2, "B", "C") == [("SHUTTLE", "LAB"), plain.items]
    assert told(1, "C") == [("LAB",), plain.items]
    assert told(2, "C") == [("SHUTTLE", "LAB"), plain.items]
    assert told(1, "B") == [("SHUTTLE", "LAB"), ("SHUTTLE",), plain.items]
    assert told(2, "B") == [("SHUTTLE", "LAB"), plain.items]
    assert told(1) == [("SHUTTLE", "LAB"), ("SHUTTLE",), plain.items]
    all_spared = Choice("ANY", ("SHUTTLE A", "SHUTTLE B", "LAB"), "last")
    spared = shuttles.unlettered((all_spared,), shuttles.BayBoxes(2, ("A", "B")))
    assert [(each.category, each.items, each.place) for each in spared] == [("ANY", ("SHUTTLE", "LAB"), "last")]
    spared = shuttles.unlettered((all_spared,), shuttles.BayBoxes(3, ("A", "B")))
    assert [(each.category, each.items, each.place) for each in spared] == [("ANY", ("LAB",), "last")]
    assert [shuttles.letter_of(item) for item in ("SHUTTLE B", "shuttle b", "SHUTTLE", "LAB B", "A B C")] == [
        "B", "B", "", "", "",
    ]  # fmt: skip
    assert shuttles.BayBoxes(1, ("A", "B")).empty == 0
