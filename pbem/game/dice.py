"""Dice that anybody can check and nobody can choose.

Every roll has a label, ``turn.impulse.step unit system n`` (``1.5.fire A PH1 1``), and is HMAC(segment key,
label), so rolls do
not depend on the order they are asked for and one that cannot matter is never drawn. The segment key is HMAC(link of a
committed hash chain, salted hashes of all sides' orders for that segment): the host committed to the link before the
orders were written, and the orders are in the key before the link is known.

This is version 1 of the scheme; its number stands in game.toml.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from pbem.game.steps import ORDER

SCHEME = 1
CHAIN_LENGTH = 4096
"""Links of a game's chain; each segment of play uses one."""

CHAIN_PIECE = 256
"""Links that are worked out together: the chain is walked back, and most of it would be hashed for every segment."""


class Dice(Protocol):
    """Whatever answers for a labelled die."""

    def roll(self, label: str, sides: int = 6) -> int:
        """1 to ``sides``; the same label gives the same number."""
        ...


class SegmentDice:
    """The dice of one segment: HMAC-SHA256(key, label), rejection sampled so that every face is equally likely."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def roll(self, label: str, sides: int = 6) -> int:
        # 64-bit words of successive digests; words above the largest multiple of `sides` would favour low faces.
        limit = (1 << 64) // sides * sides
        block = 0
        while True:
            digest = hmac.new(self._key, f"{label}|{block}".encode(), hashlib.sha256).digest()
            for offset in range(0, len(digest), 8):
                word = int.from_bytes(digest[offset : offset + 8], "big")
                if word < limit:
                    return word % sides + 1
            block += 1


class ScriptedDice:
    """Dice a rule case gives: by label, or as a list in the order asked for; then, if told so, others."""

    def __init__(
        self, rolls: Sequence[int] = (), by_label: Mapping[str, int] | None = None, after: Dice | None = None
    ) -> None:
        self._rolls = list(rolls)
        self._by_label = dict(by_label or {})
        self._after = after
        self.asked: list[tuple[str, int]] = []

    def roll(self, label: str, sides: int = 6) -> int:
        if label in self._by_label:
            die = self._by_label[label]
        elif self._rolls:
            die = self._rolls.pop(0)
        elif self._after is not None:
            die = self._after.roll(label, sides)
        else:
            raise LookupError(f"the case gives no die for {label!r}")
        if not 1 <= die <= sides:
            raise LookupError(f"{die} is no face of a {sides}-sided die for {label!r}")
        self.asked.append((label, die))
        return die

    @property
    def left_over(self) -> int:
        """Rolls of the list nobody asked for."""
        return len(self._rolls)


def label(turn: int, impulse: int, step: str, unit: str, system: str, n: int = 1) -> str:
    """The label of a roll. ``system`` is written without blanks (``PH1``, ``PHOTA``, ``DAC``)."""
    return f"{turn}.{impulse}.{step} {unit} {system.replace(' ', '')} {n}"


# --- the committed chain ---------------------------------------------------------------------------------------------


def chain_link(secret: bytes, index: int) -> bytes:
    """Link ``index`` of the chain whose far end is committed: link 0 is the seed, each next one the hash of it."""
    return _chain(secret, index // CHAIN_PIECE)[index % CHAIN_PIECE]


@lru_cache(maxsize=32)
def _chain(secret: bytes, piece: int) -> list[bytes]:
    """So many links of the chain in a row; they are used one by one, and always walked back to."""
    link = hashlib.sha256(b"pbem dice chain 1|" + secret).digest()
    if piece:
        link = hashlib.sha256(_chain(secret, piece - 1)[-1]).digest()
    links = [link]
    while len(links) < CHAIN_PIECE:
        links.append(hashlib.sha256(links[-1]).digest())
    return links


def commitment(secret: bytes, length: int = CHAIN_LENGTH) -> str:
    """The published end of the chain, in hex; written into game.toml before any orders exist."""
    return chain_link(secret, length).hex()


def link_for(segment: int, length: int = CHAIN_LENGTH) -> int:
    """Which link segment 1, 2, … uses: the chain is walked back from its end, so a revealed link tells only
    older ones.
    """
    if not 1 <= segment <= length:
        raise ValueError(f"segment {segment} is beyond the {length} links of this game's dice chain")
    return length - segment


def salt(secret: bytes, turn: int, request: int, side: str, segment: int) -> bytes:
    """The salt of a side's sealed orders; it stays with the host until the link is revealed."""
    return hmac.new(secret, f"salt|{turn}|{request}|{side}|{segment}".encode(), hashlib.sha256).digest()


def sealed(orders: str, salted_with: bytes) -> str:
    """Salted hash of a side's orders in normal form, in hex."""
    return hashlib.sha256(salted_with + orders.encode()).hexdigest()


def segment_key(link: bytes, game: str, segment: int, seals: Iterable[tuple[str, str]]) -> bytes:
    """The key of a segment's dice, from the link and every side's (name, sealed orders), in the order of names."""
    message = "|".join([f"pbem dice {SCHEME}", game, str(segment), *(f"{side}={seal}" for side, seal in sorted(seals))])
    return hmac.new(link, message.encode(), hashlib.sha256).digest()


def preview_key(game: str, text: str) -> bytes:
    """Previews roll with a key of their own, which says nothing about the real one."""
    return hashlib.sha256(f"pbem preview|{game}|{text}".encode()).digest()


# --- play that is repeated -------------------------------------------------------------------------------------------


class Span(NamedTuple):
    """A stretch of play, from one place in the sequence of play until before another, and the dice it was played with.

    Places are (turn, impulse, number of the step); see :func:`place`.
    """

    begin: tuple[int, int, int]
    end: tuple[int, int, int]
    dice: Dice


ENDLESS = (1 << 30, 0, 0)
"""A place behind every other: where the play of a game that is over ends."""


def place(turn: int, impulse: int, step: str) -> tuple[int, int, int]:
    """A step of a turn's impulse, so that earlier ones are smaller. Raises ``KeyError`` for a step nobody knows."""
    return turn, impulse, ORDER[step]


class KeptDice:
    """Dice of play that is repeated: at a moment one of the ``spans`` covers, what that span's dice show for the same
    label; at any other its ``own``.
    """

    def __init__(self, own: Dice, spans: Sequence[Span]) -> None:
        self._own = own
        self._spans = tuple(spans)

    def roll(self, label: str, sides: int = 6) -> int:
        turn, impulse, step = label.partition(" ")[0].split(".", 2)
        now = place(int(turn), int(impulse), step)
        dice = next((span.dice for span in self._spans if span.begin <= now < span.end), self._own)
        return dice.roll(label, sides)
