"""How a piece shall look and where it shall be: the part that a writer and an update have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from vassal.errors import PieceError
from vassal.pieces.pieces import Piece
from vassal.text.lazy import dataclass

__all__ = ["Look"]


@dataclass(frozen=True, slots=True)
class Look:
    """What of a piece is to be set; everything left out stays as it is.

    ``facing`` is a facing index from 0, clockwise; ``degrees`` is the clockwise angle instead (it must be a
    facing). ``rotator`` names the trait to turn where there are several. ``label`` goes to the first label,
    ``labels`` to labels by property name. ``layers`` has signed levels by layer name: 2 shows level 2, -2
    hides it. ``properties`` sets dynamic properties, markers and fields of property sheets. ``rests`` takes the mark of
    having moved and the points of its trail from a piece that has them.
    """

    facing: int | None = None
    degrees: float | None = None
    rotator: str | None = None
    label: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    layers: Mapping[str, int] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    rests: bool = False

    def apply(self, piece: Piece) -> Piece:
        """*piece* with this look. Raises :class:`~vassal.errors.PieceError` for a trait it doesn't have."""
        if self.facing is not None and self.degrees is not None:
            raise PieceError(f"the piece {piece.name!r}: give a facing or degrees, not both")
        if self.facing is not None:
            piece = piece.turned(self.facing, self.rotator)
        if self.degrees is not None:
            piece = piece.turned_to(self.degrees, self.rotator)
        if self.label is not None:
            piece = piece.labelled(self.label)
        for property_name, text in self.labels.items():
            piece = piece.labelled(text, property_name)
        if self.layers:
            piece = piece.at_levels(self.layers)
        if self.properties:
            piece = piece.with_properties(self.properties)
        return piece.rested() if self.rests else piece
