"""The traits that give a piece's position: the core of every piece, and stacks and decks."""

from __future__ import annotations

from typing import Self, TypeAlias

from vassal.pieces.trait import Trait
from vassal.text import sequence
from vassal.text.fields import ALL, NAME, TEXT, WHOLE, Form, Kind, StateField, TypeField
from vassal.text.sequence import number

__all__ = ["Core", "Deck", "Place", "Stack"]

Place: TypeAlias = tuple[str | None, tuple[int, int]]


class _PlacedTrait(Trait):
    """Base class of the traits that store the position of a piece."""

    map = StateField(0, NAME)
    """The map that the piece is on, ``None`` if it is on no map."""
    _x = StateField(1, WHOLE)
    _y = StateField(2, WHOLE)

    @property
    def position(self) -> tuple[int, int]:
        """The position of the piece, in pixels of the map."""
        return self._x, self._y

    @property
    def place(self) -> Place:
        """The map that the piece is on, and the pixel there."""
        return self.map, self.position


class Core(_PlacedTrait):
    """``piece;``: the innermost trait of every counter, with its image, its name and its position."""

    prefix = "piece;"
    form = Form(";", blank="null;0;0")

    image = TypeField(3, TEXT)
    """The file name of the image."""
    name = TypeField(4, TEXT)
    """The basic name of the piece, without the additions of other traits."""
    gpid = StateField(3, TEXT)
    """The id of the palette entry from which the piece came, empty if unknown."""
    _properties = StateField(4, ALL)
    """The number of the piece's own properties, then the name and the value of each."""

    def at(self, map_name: str | None, x: int, y: int) -> Self:
        """Return the core at pixel *x*, *y* of *map_name*; the rest of its state stays unchanged."""
        return self.with_fields(map=map_name, _x=x, _y=y)

    def born(self, gpid: str, unique_id: str) -> Self:
        """Return the core of a new piece made from the palette entry *gpid*, with *unique_id* as its original id."""
        return self.with_fields(gpid=gpid, _properties=("1", "UniqueID", unique_id))


class Stack(_PlacedTrait):
    """``stack``: pieces on one spot, the lowest first."""

    prefix = "stack"
    form = Form(";", blank="null")

    _rest = StateField(3, ALL)
    """The ids of the pieces, and the visual layer behind ``@@``."""

    @property
    def position(self) -> tuple[int, int]:
        """The position of the stack, in pixels of the map."""
        if self.map is None and not (len(self._tokens) > 2 and self._tokens[2].lstrip("-").isdecimal()):
            return 0, 0
        return self._x, self._y

    @property
    def layer(self) -> int | None:
        """The visual layer of the stack; ``None`` if the file does not give a layer."""
        last = self._tokens[-1]
        return number(last[2:], -1) if last.startswith("@@") else None

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of the pieces in the stack, bottom to top."""
        # Older versions omit the position of a stack that is on no map.
        bare = self.map is None and self._tokens[1:3] != ["0", "0"]
        return tuple(member for member in self._tokens[1 if bare else 3 :] if not member.startswith("@@"))

    @classmethod
    def of(cls, map_name: str | None, x: int, y: int, members: tuple[str, ...], layer: int | None = None) -> Self:
        """Return a stack of *members* at a pixel of a map.

        *members* are piece ids, the lowest first. *layer* is the visual layer of the stack; with ``None``, no layer
        is stored.
        """
        tail = [] if layer is None else [f"@@{layer}"]
        return cls("stack", "").with_fields(map=map_name, _x=x, _y=y, _rest=(*members, *tail))


_CARDS: Kind[tuple[str, ...]] = Kind(
    lambda token: tuple(card for card in sequence.decode(token, ",") if card),
    lambda cards: sequence.encode(cards, ","),
)


class Deck(_PlacedTrait):
    """``deck;``: a stack with a fixed position."""

    prefix = "deck;"
    form = Form(";", blank="null")

    name = TypeField(13, TEXT)
    """The deck's name."""
    members = StateField(4, _CARDS)
    """The ids of the pieces in the deck, bottom to top."""

    def with_members(self, members: tuple[str, ...]) -> Self:
        """Return the same deck with *members* as its pieces."""
        return self.with_fields(members=members)
