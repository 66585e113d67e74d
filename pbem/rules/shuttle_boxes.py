"""Which shuttle box a hit destroys (D4.325, J1.4): the owner's choice, an empty box or one with its shuttle.

A damage choice may name a box by its letter (``OTHER SHUTTLE B FIRST``). Where nothing is said, the default procedure
takes an empty box, then the shuttle with the last letter; one that is being made a suicide shuttle goes last of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.rules.damage import Choice, speaks_of

BOX = "SHUTTLE"


class Bay(NamedTuple):
    """The undestroyed shuttle ``boxes``, and the letters of the shuttles in them, those the owner would miss least
    first.
    """

    boxes: int
    aboard: tuple[str, ...]

    @property
    def empty(self) -> int:
        """Boxes without a shuttle."""
        return max(0, self.boxes - len(self.aboard))


class Meant(NamedTuple):
    """A choice whose lettered boxes are told as the system they are of, or left out where they are gone."""

    category: str
    items: tuple[str, ...]
    place: str


def letter_of(item: str) -> str:
    """The letter of an item that names one shuttle box (``SHUTTLE B``), else empty."""
    words = item.upper().split()
    return words[1] if len(words) == 2 and words[0] == BOX else ""


def meant(choices: Sequence[Choice], bay: Bay) -> tuple[Choice, ...]:
    """The choices as :func:`pbem.rules.damage.pick` understands them, for the next hit.

    A lettered box that is to go first stands for the system while that box is there; one that is to go last, only
    when all boxes that are left are to be spared.
    """
    found: list[Choice] = []
    for choice in choices:
        spared = {letter_of(item) for item in choice.items} - {""}
        if not spared:
            found.append(choice)
            continue
        first = choice.place.upper() == "FIRST"
        items = [item for item in choice.items if not letter_of(item) or _stands(letter_of(item), spared, first, bay)]
        kept = tuple(dict.fromkeys(BOX if letter_of(item) else item for item in items))
        if kept:  # without items a choice would ask for the default order
            found.append(Meant(choice.category, kept, choice.place))
    return tuple(found)


def _stands(letter: str, spared: set[str], first: bool, bay: Bay) -> bool:
    if first:
        return _there(letter, bay)
    return spared.issuperset(bay.aboard) and (not bay.empty or bool(spared - {*bay.aboard}))


def _there(letter: str, bay: Bay) -> bool:
    """Whether the box of a letter is there: with its shuttle, or as one of the empty ones."""
    return letter in bay.aboard or bay.empty > 0


def struck(category: str, choices: Sequence[Choice], bay: Bay, *, occupied: bool = False) -> tuple[str, bool]:
    """The letter of the shuttle that a hit on a shuttle box destroys, empty for an empty box, and whether the owner
    chose it himself.

    ``category`` is that of the choices which are about this hit; ``occupied``: only a box with its shuttle can be hit
    (D4.324).
    """
    asked = [choice for choice in choices if speaks_of(choice, category)]
    named = {
        place: [letter_of(item) for choice in asked if choice.place.upper() == place for item in choice.items]
        for place in ("FIRST", "LAST")
    }
    for letter in filter(None, named["FIRST"]):
        if letter in bay.aboard:
            return letter, True
        if bay.empty and not occupied:
            return "", True
    last = [letter for letter in named["LAST"] if letter]
    boxes = [*([""] if bay.empty and not occupied else []), *bay.aboard]
    if not boxes:
        return "", False
    away = any(letter not in bay.aboard for letter in last)
    spared = [letter in last if letter else away for letter in boxes]
    return boxes[spared.index(False) if False in spared else 0], bool(last)
