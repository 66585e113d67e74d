"""How a counter shows which way it faces: by a trait that turns it, or by a layer with a picture for each direction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pbem.rules.hexes import FACINGS

if TYPE_CHECKING:
    from vassal.pieces.pieces import Piece
    from vassal.pieces.traits import Layer, Rotator

SIXTH = 60
"""One facing of the map is a sixth of a circle (C1.2), in degrees."""

TURNING = {"facing", "face", "heading", "direction", "dir", "rotate", "rotation", "turn", "orientation", "course"}
"""Words in the names of layers that show a facing."""

_COMPASS = {"n": 0, "nne": 30, "ne": 60, "e": 90, "se": 120, "sse": 150, "s": 180, "ssw": 210, "sw": 240, "w": 270}
_COMPASS |= {"nw": 300, "nnw": 330, "north": 0, "northeast": 60, "southeast": 120, "south": 180, "southwest": 240}
_COMPASS |= {"northwest": 300}


class Heading(NamedTuple):
    """The trait that shows a facing: its name, and what it is. ``degrees`` are those of each level of a layer, none for
    a trait that turns the counter itself; ``sure`` is false where the levels say nothing of directions.
    """

    name: str
    about: str
    degrees: tuple[int, ...] = ()
    sure: bool = True

    @property
    def is_layer(self) -> bool:
        return bool(self.degrees)


def heading_of(piece: Piece, name: str = "", first: str = "A") -> Heading | None:
    """How a counter faces; with ``name``, by the trait of that name if it has one. The first level of a layer that says
    nothing of directions shows ``first``. ``None`` for a counter that does not turn.
    """
    rotators = [turns for turns in piece.rotators if turns.facings == 1 or turns.facings % 6 == 0]
    layers = [layer for layer in piece.layers if not layer.follows]
    if name:
        rotators = [turns for turns in rotators if turns.name == name] or rotators
        named = [layer for layer in layers if layer.name == name]
        if named and not any(turns.name == name for turns in rotators):
            return _by_layer(named[0], first, named=True)
    if rotators:
        return _by_turning(rotators[0])
    found = [heading for layer in layers if (heading := _by_layer(layer, first)) is not None]
    return next((heading for heading in found if heading.sure), found[0] if found else None)


def could_be(piece: Piece) -> list[Heading]:
    """All traits of a counter that could show its facing, the likeliest first."""
    best = heading_of(piece)
    if best is None:
        return []
    others: list[Heading] = [
        _by_turning(turns) for turns in piece.rotators if turns.facings == 1 or turns.facings % 6 == 0
    ]
    others += [found for layer in piece.layers if (found := _by_layer(layer, "A")) is not None and not layer.follows]
    return [best, *(other for other in others if other.name != best.name)]


def level_for(heading: Heading, facing: str) -> int:
    """The level of a layer that shows a facing, from 1; 0 if none does."""
    wanted = FACINGS.index(facing) * SIXTH
    return heading.degrees.index(wanted) + 1 if wanted in heading.degrees else 0


def facing_of(piece: Piece, name: str = "", first: str = "A") -> str:
    """The facing a counter shows, ``""`` if it has none or stands between two. Of several traits that turn it the first
    one that stands on a side of the hex.
    """
    heading = heading_of(piece, name, first)
    if heading is not None and heading.is_layer:
        layer = next(layer for layer in piece.layers if layer.name == heading.name)
        return _facing(heading.degrees[layer.level - 1]) if layer.active else ""
    rotators = sorted(piece.rotators, key=lambda turns: heading is not None and turns.name != heading.name)
    shown = (_facing(round(turns.degrees if turns.facings > 1 else -turns.angle) % 360) for turns in rotators)
    return next(filter(None, shown), "")


def _facing(degrees: int) -> str:
    return FACINGS[degrees // SIXTH] if degrees % SIXTH == 0 else ""


def _by_turning(turns: Rotator) -> Heading:
    free = turns.facings == 1
    return Heading(turns.name, "turns to any angle" if free else f"turns to {turns.facings} directions")


def _by_layer(layer: Layer, first: str, *, named: bool = False) -> Heading | None:
    """A layer of 6, 12 or 24 pictures (or one more, none of a direction) that says a direction for each; or, if it is
    called so, that has them in their order.
    """
    count = len(layer.images)
    if count not in (6, 12, 24):
        return None
    step = 360 // count
    called_so = named or bool({*re.findall(r"[a-z]+", layer.name.casefold())} & TURNING)
    for texts in (layer.names, layer.images):
        degrees = _directions(texts, count) or (_numbered(texts, count) if called_so else None)
        if degrees is not None:
            return Heading(layer.name, f"shows {count} directions, a picture for each", degrees)
    if not called_so:
        return None
    begin = FACINGS.index(first) * SIXTH
    ordered = tuple((begin + step * level) % 360 for level in range(count))
    about = f"has {count} pictures, the first one taken for {first}"
    return Heading(layer.name, about, ordered, sure=named)


def _directions(texts: tuple[str, ...], count: int) -> tuple[int, ...] | None:
    """The degrees that so many texts mean, where each means another of ``count`` directions."""
    if len(texts) != count or not all(texts):
        return None
    before, after = _same_beginning(texts), _same_beginning([text[::-1] for text in texts])
    differing = [text[before : len(text) - after] for text in texts]
    circle = [360 // count * step for step in range(count)]
    for reading in (_letter, _compass, _degrees):
        for parts in (texts, differing):
            found = [value for part in parts if (value := reading(part)) is not None]
            if sorted(found) == circle:
                return tuple(found)
    return None


def _numbered(texts: Sequence[str], count: int) -> tuple[int, ...] | None:
    """The degrees of levels that are numbered in their order, in a layer that is called after a facing."""
    numbers = [re.findall(r"\d+", text) for text in texts]
    steps = [int(found[-1]) for found in numbers if found and len(found[-1]) < 4]
    for begin in (1, 0):  # ship1 to ship6, or ship0 to ship5
        if sorted(steps) == list(range(begin, begin + count)):
            return tuple((step - begin) * 360 // count for step in steps)
    return None


def _same_beginning(texts: Sequence[str]) -> int:
    """With how many characters all texts begin."""
    shortest = min(texts, key=len)
    return next((n for n in range(len(shortest)) if len({text[: n + 1] for text in texts}) > 1), len(shortest))


def _letter(text: str) -> int | None:
    found = re.findall(r"(?<![A-Za-z])([A-Fa-f])(?![A-Za-z])", text)
    return FACINGS.index(found[-1].upper()) * SIXTH if found else None


def _compass(text: str) -> int | None:
    found = [word for word in re.findall(r"[a-z]+", text.casefold()) if word in _COMPASS]
    return _COMPASS[found[-1]] if found else None


def _degrees(text: str) -> int | None:
    found = re.findall(r"\d+", text)
    return int(found[-1]) if found and len(found[-1]) < 4 else None
