"""Find out which boxes an owner's damage choices can affect (D4.0, D4.21, D4.223, D4.3).

A damage choice is an order that says which boxes of a ship are destroyed first or last. Which boxes can be chosen
depends on the damage procedure. :func:`pbem.rules.internal_damage.speaks_of` says to which damage points a choice
applies. Code that offers or explains choices must use this module, so that it never offers a choice without an effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.data import charts
from pbem.rules.internal_damage import ANY, BRIDGE, CATEGORIES, HULL, OTHER, SPARE, WARP, names_box, speaks_of

LAST_HITS = "BRIDGE"
"""The name of the category for bridge and security boxes, which are the last column of the VASSAL module's chart.

Orders cannot name this category; only a choice for ``ANY`` covers it.
"""

FREE = ("scenario 2", "scenario 3", "scenario 4")
"""Damage procedures without a chart, in which most points may destroy any box (D4.0)."""

BY_LETTER = ("shuttle", "tractor")
"""Systems whose boxes damage choices may name one by one, such as ``SHUTTLE B`` (D4.325, G7.34)."""


def choosable(
    procedure: str,
    edition: str,
    systems: Iterable[str],
    weapons: Sequence[str],
    letters: Mapping[str, Sequence[str]],
) -> dict[str, list[str]]:
    """Return the boxes among which the owner of a ship can choose, as a dict by category.

    Categories in which the owner has no choice are left out.

    Args:
        procedure: ``scenario 2``, ``scenario 3``, ``scenario 4``, ``cadet dac``, ``standard dac``, or ``track``, which
            leaves no choice.
        edition: ``printed`` or ``module``: the edition of the rules.
        systems: The names of the systems on the ship's SSD.
        weapons: The names of the weapons on the ship's SSD.
        letters: A dict of system (shuttle or tractor beam) to the letters that orders may name.
    """
    there = {*systems, *weapons}
    points: dict[str, list[str]] = {}
    for point, boxes in _by_procedure(procedure, edition, weapons).items():
        left = [box.upper() for box in _lettered(boxes, letters) if _on_ssd(box, there)]
        if len(left) > 1:
            points[point] = left
    found = {
        category: [*dict.fromkeys(box for point in points if speaks_of(category, point) for box in points[point])]
        for category in (*CATEGORIES, ANY)
    }
    return {category: boxes for category, boxes in found.items() if boxes}


def decides(items: Sequence[str], boxes: Sequence[str]) -> bool:
    """Return whether a damage choice has an effect.

    It has an effect if it names at least one box that a hit in its category can destroy. ``items`` are the names in the
    choice; ``boxes`` are the boxes that :func:`choosable` returns for its category. A choice without items asks for the
    default order and always has an effect.
    """
    return not items or any(_names(item, box) for item in items for box in boxes)


def _names(item: str, box: str) -> bool:
    """Return whether an item of a damage choice names this box.

    If the box has a letter, the item must contain that letter.
    """
    if box.split()[0].lower() in BY_LETTER and " " in box:
        return item.upper() == box  # the bare name does not say which letter is meant
    return names_box(item, box)


def _by_procedure(procedure: str, edition: str, weapons: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the boxes that a damage procedure lets the owner choose, by category, for any SSD.

    A system whose boxes have letters is listed with its name alone (``shuttle``) and also as ``shuttle *``, which means
    one box with any letter. In procedures without a chart, the key ``ANY`` has the boxes for damage points that may
    destroy any box.
    """
    arms = tuple(weapons)
    if procedure == "track":
        return {}
    if procedure in FREE:
        anything = ("excess", *HULL, "security", *SPARE, *OTHER, "shuttle *", "impulse", *WARP)
        if procedure == "scenario 4":
            return {ANY: (*arms, *anything), "WEAPON": arms, "ENGINE": WARP}
        if edition == "module":
            return {ANY: (*arms, *anything, "bridge")}
        return {ANY: (*arms, *(box for box in anything if box not in BRIDGE)), "WEAPON": arms}
    if procedure == "standard dac":
        shuttles, beams = ("shuttle", "shuttle *"), ("tractor *",)
        return {
            "WEAPON": (*arms, *shuttles),
            "ENGINE": WARP,
            "OTHER": ("shuttle *", *beams),
        }
    listed = charts.cadet_dac().categories
    engine, hull = (*WARP, "impulse"), tuple(box for box in HULL if box in listed["hull"])
    other = (*(box for box in OTHER if box in listed["other"]), "shuttle *")
    last = BRIDGE if edition == "module" else ()
    return {"WEAPON": arms, "ENGINE": engine, "OTHER": other, "HULL": hull, LAST_HITS: last}


def _lettered(boxes: Sequence[str], letters: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the boxes with each entry like ``shuttle *`` replaced by one entry for each letter.

    An entry like ``shuttle *`` is removed if the ship has only one box with a letter in that system.
    """
    found: list[str] = []
    for box in boxes:
        name = box.removesuffix(" *")
        if name == box:
            found.append(box)
        elif len(letters.get(name, ())) > 1:
            found += [f"{name} {letter}" for letter in letters[name]]
    return found


def _on_ssd(box: str, there: set[str]) -> bool:
    """Return whether a box is on the ship's SSD; for ``shuttle B`` the system ``shuttle`` is enough.

    ``there`` are the names of all systems and weapons on the SSD.
    """
    return box in there or (box.split()[0] in BY_LETTER and box.split()[0] in there)
