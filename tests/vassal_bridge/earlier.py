"""Saves as an earlier version of this program wrote them."""

from __future__ import annotations

from vassal.pieces.piece import Piece
from vassal.pieces.trait import Trait
from vassal.pieces.traits import Label
from vassal.save import Save, with_tree
from vassal.text import commands, sequence
from vassal.text.leaves import AddPiece

MOST = 4
"""So many text labels without a key a counter may have: for each further one VASSAL takes twice the time."""


def keyless(piece: Piece) -> list[Label]:
    """The text labels of a counter that have no key."""
    return [label for label in piece.labels if not label.field(1)]


def with_keyless_papers(save: Save) -> Save:
    """The save with papers whose labels have no key, which VASSAL never finished loading."""

    def keyless_trait(trait: Trait) -> Trait:
        if not isinstance(trait, Label) or trait.field(2):
            return trait
        return Trait(sequence.encode([trait.kind, "", *trait.fields[2:]], ";"), trait.state)

    def older(leaf: commands.Leaf) -> commands.Leaf:
        command = leaf.command
        if not isinstance(command, AddPiece) or "Papers" not in command.piece.properties:
            return leaf
        piece = Piece.of(keyless_trait(trait) for trait in command.piece.traits)
        return commands.Leaf(AddPiece(command.id, piece.type, piece.state).encode())

    return with_tree(save, commands.replace(save.tree, older))
