"""Decode and encode the obfuscated text of a ``savedGame`` entry, and mask passwords in printed text.

There are three forms: ``!VCSK``, ``VOBS`` and clear text. None of them is encryption, because the key is in the
file. This module reads all three; it writes ``!VCSK``, because every release of VASSAL reads that form.

VASSAL stores players' passwords as clear text and calls them ids. They appear in the roster, as owners of private and
delayed notes, and as owners of hidden or masked pieces. Logged moves identify the player by password, and so does
the list of players who allow unmasking.
"""

from __future__ import annotations

import codecs
from binascii import hexlify, unhexlify
from collections.abc import Iterator
from dataclasses import replace

from vassal.bounds import Definitions
from vassal.errors import LossyTextError, ObfuscationError
from vassal.pieces.piece import Piece, join_levels
from vassal.pieces.trait import Trait
from vassal.pieces.traits import Invisible, Mask
from vassal.text import commands, leaves

__all__ = ["DEFAULT_KEY", "MASK", "mask_passwords", "obfuscate", "obfuscated", "reveal"]


MASK = "***"
MAX_DEPTH = 50


def mask_passwords(node: commands.Node) -> commands.Node:
    """Return the commands with every password replaced by ``***``."""
    types: dict[str, str] = {}
    _collect_types(node, types, Definitions(), 0)
    return _mask_tree(node, types, 0)


def _collect_types(node: commands.Node, types: dict[str, str], known: Definitions, depth: int) -> None:
    """Collect the types (trait definitions) of all pieces by piece id.

    The types are needed to find passwords in later changes of a piece: a change has only the piece's id, and only
    the type says which part of the new state is an owner.
    """
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
    except LossyTextError:  # the text of the file cannot be written exactly
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


HEX_HEADER = b"!VCSK"
RAW_HEADER = b"VOBS"

DEFAULT_KEY = 0x56
"""The key with which text is obfuscated by default. A fixed key makes the same text give the same bytes."""

CHUNK = 1 << 20

_HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")


def _xor(data: bytes, key: int) -> bytes:
    return data.translate(bytes(value ^ key for value in range(256)))


def reveal(data: bytes, source: str = "savedGame") -> str:
    """Return the clear text of a ``savedGame`` entry.

    Bytes that are not UTF-8 become surrogates, so that :func:`obfuscate` writes them back unchanged. *source* names
    the file in errors.

    Raises:
        ObfuscationError: The bytes have none of the known forms.
    """
    if data.startswith(HEX_HEADER):
        _check_hex(data, source)
        key = int(data[len(HEX_HEADER) : len(HEX_HEADER) + 2], 16)
        table = bytes(value ^ key for value in range(256))
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        hidden = memoryview(data)
        texts = []
        try:
            # In portions, because three copies of a big text at once would need most of the memory of a reader.
            for start in range(len(HEX_HEADER) + 2, len(data), 2 * CHUNK):
                texts.append(decoder.decode(unhexlify(hidden[start : start + 2 * CHUNK]).translate(table)))
        except ValueError:
            raise _no_hex(data, source) from None
        return "".join([*texts, decoder.decode(b"", True)])
    if data.startswith(RAW_HEADER):
        if len(data) == len(RAW_HEADER):
            raise ObfuscationError(f"{source}: the VOBS header is not followed by a key byte")
        clear = _xor(data[len(RAW_HEADER) + 1 :], data[len(RAW_HEADER)])
    else:
        clear = data
    return clear.decode("utf-8", "surrogateescape")


def obfuscate(text: str, key: int = DEFAULT_KEY) -> bytes:
    """Return the bytes of a ``savedGame`` entry for *text*, as ``!VCSK`` with *key* (0 to 255)."""
    return b"".join(obfuscated(text, key))


def obfuscated(text: str, key: int = DEFAULT_KEY) -> Iterator[bytes]:
    """Yield in parts the bytes that :func:`obfuscate` returns.

    All bytes at once would need twice the memory of the text.
    """
    if not 0 <= key <= 255:
        raise ObfuscationError(f"the key {key} is not in the range 0 to 255")
    yield HEX_HEADER + b"%02x" % key
    for start in range(0, len(text), CHUNK):
        try:
            chunk = text[start : start + CHUNK].encode("utf-8", "surrogateescape")
        except UnicodeEncodeError as error:
            raise LossyTextError(f"the text holds {error.object[error.start]!r}, which is not a character") from None
        yield hexlify(_xor(chunk, key))


def _check_hex(data: bytes, source: str) -> None:
    """Raise an error unless a key and pairs of hexadecimal digits follow the header."""
    count = len(data) - len(HEX_HEADER)
    if count % 2:
        raise ObfuscationError(f"{source}: the obfuscated text has an odd number of hexadecimal digits ({count})")
    if not count:
        raise ObfuscationError(f"{source}: the !VCSK header is not followed by a key of two hexadecimal digits")
    if not _HEX_DIGITS.issuperset(data[len(HEX_HEADER) : len(HEX_HEADER) + 2]):
        raise _no_hex(data, source)


def _no_hex(data: bytes, source: str) -> ObfuscationError:
    """Return the error that names the first byte that is not a hexadecimal digit."""
    place = len(HEX_HEADER)
    while data[place] in _HEX_DIGITS:
        place += 1
    return ObfuscationError(
        f"{source}: byte {place} of the obfuscated text is {data[place : place + 1]!r}, not a hexadecimal digit"
    )
