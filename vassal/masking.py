"""Takes players' passwords out of what is printed. VASSAL calls them ids and writes them in clear.

Passwords stand in the roster, in the owner of private and delayed notes, in the mover of a logged move, in
the list of those who allow unmasking, and as the owner of pieces a player has hidden or masked.
"""

from __future__ import annotations

from dataclasses import replace

from vassal import commands, leaves
from vassal.bounds import Definitions
from vassal.errors import LossyTextError
from vassal.levels import join_levels
from vassal.pieces import Piece
from vassal.trait import Trait
from vassal.traits import Invisible, Mask

__all__ = ["MASK", "mask_passwords"]

MASK = "***"
MAX_DEPTH = 50


def mask_passwords(node: commands.Node) -> commands.Node:
    """The same commands with every password replaced by ``***``."""
    types: dict[str, str] = {}
    _collect_types(node, types, Definitions(), 0)
    return _mask_tree(node, types, 0)


def _collect_types(node: commands.Node, types: dict[str, str], known: Definitions, depth: int) -> None:
    """Only a piece's type says which level of its state is an owner; a later change has but its id."""
    for leaf in commands.leaves(node):
        if leaf.text.startswith("+/") and isinstance(command := leaf.command, leaves.AddPiece):
            known.add(command.type)
            types[command.id or ""] = command.type
        elif leaf.text.startswith("LOG") and isinstance(command := leaf.command, leaves.Log) and depth < MAX_DEPTH:
            _collect_types(commands.parse(command.text, "a log step"), types, known, depth + 1)


def _mask_tree(node: commands.Node, types: dict[str, str], depth: int) -> commands.Node:
    def masked(leaf: commands.Leaf) -> commands.Leaf:
        command = leaf.command
        if isinstance(command, leaves.Log):
            below = commands.parse(command.text, "a log step") if depth < MAX_DEPTH else commands.Leaf(MASK)
            text = _encode(_mask_tree(below, types, depth + 1))
            return leaf if text == command.text else commands.Leaf(command.prefix + text)
        new = _masked(command, types)
        return leaf if new is command else commands.Leaf(_encode_leaf(new))

    return commands.replace(node, masked)


def _encode(node: commands.Node) -> str:
    try:
        return commands.encode(node)
    except LossyTextError:  # it was lossy before: there is no exact text to give
        return MASK


def _encode_leaf(command: leaves.AnyLeaf) -> str:
    try:
        return command.encode()
    except LossyTextError:
        return getattr(command, "prefix", "") + MASK


def _masked(command: leaves.AnyLeaf, types: dict[str, str]) -> leaves.AnyLeaf:
    match command:
        case leaves.Player(id=password) | leaves.PlayerLeaves(id=password) if password:
            return replace(command, id=MASK)
        case leaves.PrivateNote() | leaves.SecretNote():
            return replace(command, owner=MASK)
        case leaves.MovePiece(player=password) if password:
            return replace(command, player=MASK)
        case leaves.Unmask(ids=ids):
            masked = tuple(token if token in ("", "null") else MASK for token in ids)
            return command if masked == ids else leaves.Unmask(masked)
        case leaves.AddPiece(type=kind, state=state):
            masked_state = _masked_state(kind, state)
            return command if masked_state == state else replace(command, state=masked_state)
        case leaves.ChangePiece(id=piece_id, state=state, old_state=old):
            if piece_id not in types:
                return replace(command, state=MASK, old_state=None if old is None else MASK)
            kind = types[piece_id]
            new_old = None if old is None else _masked_state(kind, old)
            return replace(command, state=_masked_state(kind, state), old_state=new_old)
        case _:
            return command


def _masked_state(kind: str, state: str) -> str:
    if not any(word in kind for word in ("hide;", "obs;", "restrict;")):
        return state
    traits = Piece(kind, state).traits
    masked = [_masked_owner(trait) for trait in traits]
    if all(new is old for new, old in zip(masked, traits, strict=True)):
        return state
    return join_levels([trait.state or "" for trait in masked])


def _masked_owner(trait: Trait) -> Trait:
    if isinstance(trait, Invisible | Mask) and trait.owner and trait.owner_is_password:
        return trait.with_owner(MASK)
    if trait.kind == "restrict" and trait.state and not trait.field(1).startswith(("side:", "sides:")):
        return trait.with_state(MASK)
    return trait
