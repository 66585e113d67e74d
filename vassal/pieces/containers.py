"""The traits that give a piece's position: the core of every piece, and stacks and decks."""

from __future__ import annotations

from typing import Self, TypeAlias

from vassal.pieces.trait import Trait
from vassal.text import sequence
from vassal.text.sequence import lazy, number

__all__ = ["Core", "Deck", "Place", "Stack"]

Place: TypeAlias = tuple[str | None, tuple[int, int]]


class Core(Trait):
    """``piece;``: the innermost trait of every counter, with its image, its name and its position."""

    prefix = "piece;"

    @property
    def image(self) -> str:
        """The file name of the image."""
        return self.field(3)

    @property
    def name(self) -> str:
        """The basic name of the piece, without the additions of other traits."""
        return self.field(4)

    @lazy
    def _state(self) -> list[str]:
        return sequence.decode_padded(self.state or "null;0;0", ";", 3)

    @property
    def map(self) -> str | None:
        """The map that the piece is on, ``None`` if it is on no map."""
        return None if self._state[0] in ("", "null") else self._state[0]

    @property
    def position(self) -> tuple[int, int]:
        """The position of the piece, in pixels of the map."""
        return number(self._state[1]), number(self._state[2])

    @property
    def place(self) -> Place:
        """The map that the piece is on, and the pixel there."""
        name, x, y = self._state[:3]
        return None if name in ("", "null") else name, (number(x), number(y))

    @property
    def gpid(self) -> str:
        """The id of the palette entry from which the piece came, empty if unknown."""
        return self._state[3] if len(self._state) > 3 else ""

    def at(self, map_name: str | None, x: int, y: int) -> Self:
        """Return the core with its position at pixel *x*, *y* of *map_name*; the rest of the state stays."""
        place = ["null" if map_name is None else map_name, str(x), str(y)]
        return self.with_state(sequence.encode(place + self._state[3:], ";"))

    def born(self, gpid: str, unique_id: str) -> Self:
        """Return the core of a new piece from the palette entry *gpid*, with *unique_id* as its original id."""
        return self.with_state(sequence.encode([*self._state[:3], gpid, "1", "UniqueID", unique_id], ";"))


class Stack(Trait):
    """``stack``: pieces on one spot, the lowest first."""

    prefix = "stack"

    @lazy
    def _state(self) -> list[str]:
        return sequence.decode(self.state or "null", ";")

    @property
    def map(self) -> str | None:
        """The map that the stack is on, ``None`` if it is on no map."""
        return None if self._state[0] in ("", "null") else self._state[0]

    @property
    def position(self) -> tuple[int, int]:
        """The position of the stack, in pixels of the map."""
        if self.map is None and not (len(self._state) > 2 and self._state[2].lstrip("-").isdecimal()):
            return 0, 0
        x, y = (*self._state[1:3], "0", "0")[:2]
        return number(x), number(y)

    @property
    def place(self) -> Place:
        """The map that the stack is on, and the pixel there."""
        return self.map, self.position

    @property
    def layer(self) -> int | None:
        """The visual layer of the stack, ``None`` if the file does not give one."""
        last = self._state[-1]
        return number(last[2:], -1) if last.startswith("@@") else None

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of the pieces in the stack, bottom to top."""
        start = 3
        if self.map is None and (len(self._state) < 3 or self._state[1:3] != ["0", "0"]):
            start = 1  # older versions leave the position out where there is no map
        return tuple(member for member in self._state[start:] if not member.startswith("@@"))

    @classmethod
    def of(cls, map_name: str | None, x: int, y: int, members: tuple[str, ...], layer: int | None = None) -> Self:
        """Return a stack of *members* at a pixel of a map."""
        tail = [] if layer is None else [f"@@{layer}"]
        place = ["null" if map_name is None else map_name, str(x), str(y)]
        return cls("stack", sequence.encode([*place, *members, *tail], ";"))


class Deck(Trait):
    """``deck;``: a stack with a fixed position."""

    prefix = "deck;"

    @property
    def name(self) -> str:
        """The deck's name."""
        return self.field(13)

    @lazy
    def _state(self) -> list[str]:
        return sequence.decode_padded(self.state or "null", ";", 5)

    @property
    def map(self) -> str | None:
        """The map that the deck is on, ``None`` if it is on no map."""
        return None if self._state[0] in ("", "null") else self._state[0]

    @property
    def position(self) -> tuple[int, int]:
        """The position of the deck, in pixels of the map."""
        return number(self._state[1]), number(self._state[2])

    @property
    def place(self) -> Place:
        """The map that the deck is on, and the pixel there."""
        return self.map, self.position

    @property
    def members(self) -> tuple[str, ...]:
        """The ids of the pieces in the deck, bottom to top."""
        return tuple(member for member in sequence.decode(self._state[4], ",") if member)

    def with_members(self, members: tuple[str, ...]) -> Self:
        """Return the same deck with *members* as its pieces."""
        state = list(self._state)
        state[4] = sequence.encode(members, ",")
        return self.with_state(sequence.encode(state, ";"))
