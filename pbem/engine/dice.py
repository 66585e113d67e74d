"""Dice that anybody can check and nobody can choose.

Every roll has a label, ``turn.impulse.step unit system n`` (``1.5.fire A PH1 1``), and is HMAC(segment key,
label), so rolls do
not depend on the order they are asked for and one that cannot matter is never drawn. The segment key is HMAC(link of a
committed hash chain, salted hashes of all sides' orders for that segment): the host committed to the link before the
orders were written, and the orders are in the key before the link is known.

The number of the scheme stands in game.toml. In scheme 1 the salts of sealed orders come from the host's secret alone;
in scheme 2 they come from a second committed chain, so that a host cannot try salts until the dice please him, and the
value of a public beacon may be mixed into the key. Where nobody knows which links were told, a new secret word goes
into the salts (:class:`Fresh`). docs/proof.md describes both schemes for whoever writes a verifier.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from pbem.engine.step_names import ORDER
from pbem.util import regex

SCHEMES = (1, 2)
"""The schemes that are known here; new games get the last one, games that anybody can make again the first."""

BEACONS = ("", "drand")
"""Public beacons whose values may go into the keys of scheme 2: ``drand`` is the network quicknet."""

CHAIN_LENGTH = 4096
"""Links of a game's chain; each segment of play uses one."""

BLOCK = 64
"""Where links are passed over, play goes on with the first of so many: so nobody may choose among the links to come."""

UNHEARD = 32
"""So many segments may have been told since a backup whose host does not know how many there were."""

CHAIN_PIECE = 256
"""Links that are worked out together: the chain is walked back, and most of it would be hashed for every segment."""


PAIR = regex(r"(.* DAC\d)([ab])( \d+)")
"""The labels of the two dice of the standard damage chart (D4.21)."""


class Dice(Protocol):
    """Whatever answers for a labelled die."""

    def roll(self, label: str, sides: int = 6) -> int:
        """1 to ``sides``; the same label gives the same number."""
        ...


class SegmentDice:
    """The dice of one segment: HMAC-SHA256(key, label), rejection sampled so that every face is equally likely.

    ``segment`` is its number where it matters whose dice they are.
    """

    def __init__(self, key: bytes, segment: int = 0) -> None:
        self._key = key
        self.segment = segment

    def roll(self, label: str, sides: int = 6) -> int:
        # 64-bit words of successive digests; words above the largest multiple of `sides` would favour low faces.
        limit = (1 << 64) // sides * sides
        block = 0
        while True:
            digest = hmac.digest(self._key, f"{label}|{block}".encode(), "sha256")
            for offset in range(0, len(digest), 8):
                word = int.from_bytes(digest[offset : offset + 8], "big")
                if word < limit:
                    return word % sides + 1
            block += 1


class ScriptedDice:
    """Dice a rule case gives: by label, or as a list in the order asked for; then, if told so, others.

    Of two dice that are added, ``DAC1a`` and ``DAC1b``, the sum may be given under ``DAC1``. The number 1 at the end of
    a label may be left out.
    """

    def __init__(
        self, rolls: Sequence[int] = (), by_label: Mapping[str, int] | None = None, after: Dice | None = None
    ) -> None:
        self._rolls = list(rolls)
        self._by_label = dict(by_label or {})
        self._after = after
        self.asked: list[tuple[str, int]] = []
        self.used: set[str] = set()

    def roll(self, label: str, sides: int = 6) -> int:
        pair, first = _pair(label)
        given, both = self._given(label), self._given(pair)
        if given:
            die = self._by_label[given]
        elif both:
            first_die = max(1, self._by_label[both] - sides)
            die = first_die if first else self._by_label[both] - first_die
        elif self._rolls:
            die = self._rolls.pop(0)
        elif self._after is not None:
            die = self._after.roll(label, sides)
        else:
            raise LookupError(f"the case gives no die for {label!r}")
        if not 1 <= die <= sides:
            two = "; two dice are rolled there one after the other, not their sum" if pair else ""
            raise LookupError(f"{die} is no face of a {sides}-sided die for {label!r}{two}")
        self.asked.append((label, die))
        return die

    def _given(self, label: str) -> str:
        """The label under which the case gives a die, and notes that it was asked for; empty if it does not."""
        named = next((each for each in (label, label.removesuffix(" 1")) if each in self._by_label), "")
        if named:
            self.used.add(named)
        return named

    @property
    def left_over(self) -> int:
        """Rolls of the list nobody asked for."""
        return len(self._rolls)


def _pair(label: str) -> tuple[str, bool]:
    """Of one of two dice that are added, the label of their sum, and whether it is the first; else nothing."""
    which = PAIR.fullmatch(label)
    return (which[1] + which[3], which[2] == "a") if which else ("", False)


def label(turn: int, impulse: int, step: str, unit: str, system: str, n: int = 1) -> str:
    """The label of a roll. ``system`` is written without blanks (``PH1``, ``PHOTA``, ``DAC``)."""
    return f"{turn}.{impulse}.{step} {unit} {system.replace(' ', '')} {n}"


# --- the committed chain ---------------------------------------------------------------------------------------------


def chain_link(secret: bytes, index: int) -> bytes:
    """Link ``index`` of the chain whose far end is committed: link 0 is the seed, each next one the hash of it."""
    return _chain(secret, index // CHAIN_PIECE)[index % CHAIN_PIECE]


@lru_cache(maxsize=64)
def _chain(secret: bytes, piece: int) -> list[bytes]:
    """So many links of the chain in a row; they are used one by one, and always walked back to."""
    link = hashlib.sha256(b"pbem dice chain 1|" + secret).digest()
    if piece:
        link = hashlib.sha256(_chain(secret, piece - 1)[-1]).digest()
    links = [link]
    while len(links) < CHAIN_PIECE:
        links.append(hashlib.sha256(links[-1]).digest())
    return links


def hashed(link: bytes) -> bytes:
    """The next link of a chain; of the link of segment 1, the commitment."""
    return hashlib.sha256(link).digest()


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


def passed_over(segment: int, told: int) -> int:
    """The last segment whose link is passed over where ``segment`` is the last in the log and players were told of
    those up to ``told`` (0: nobody knows), so that the next one has a link nobody has seen.
    """
    least = told if told > segment else segment + UNHEARD
    return -(-least // BLOCK) * BLOCK


def salt(secret: bytes, turn: int, request: int, side: str, segment: int, word: str = "") -> bytes:
    """The salt of a side's sealed orders; its owner learns it with the link, all others when the game is over.

    ``secret`` is the host's (scheme 1), or the segment's link of the salt chain (scheme 2). ``word`` is the word of the
    last :class:`Fresh` before the segment.
    """
    text = f"salt|{turn}|{request}|{side}|{segment}{f'|{word}' if word else ''}"
    return hmac.new(secret, text.encode(), hashlib.sha256).digest()


class Fresh(NamedTuple):
    """A new secret word (64 hex digits) that goes into the salts of all segments after number ``after``."""

    after: int
    word: str


def word_of(fresh: Iterable[Fresh], segment: int) -> str:
    """The word that goes into the salts of a segment; empty where none was drawn before it."""
    return max((one for one in fresh if one.after < segment), default=Fresh(0, "")).word


def committed(word: str) -> str:
    """The hash by which a word is committed to, in hex."""
    return hashlib.sha256(bytes.fromhex(word)).hexdigest()


def log_key(secret: bytes, segment: int) -> bytes:
    """The key under which sitreps tell the digest of the log. Without it a digest would let anybody try out what may
    stand in the records he may not see. ``secret`` as for :func:`salt`.
    """
    return hmac.new(secret, f"log|{segment}".encode(), hashlib.sha256).digest()


def linked(before: bytes, line: bytes) -> bytes:
    """The running digest of the log after one more record (its line of JSON, without the line end)."""
    return hashlib.sha256(before + hashlib.sha256(line).digest()).digest()


def told_log(running: bytes, key: bytes) -> str:
    """The running digest as sitreps tell it, in hex."""
    return hmac.new(key, running, hashlib.sha256).hexdigest()


def sealed(orders: str, salted_with: bytes) -> str:
    """Salted hash of a side's orders in normal form, in hex."""
    return hashlib.sha256(salted_with + orders.encode()).hexdigest()


def segment_key(
    link: bytes, game: str, segment: int, seals: Iterable[tuple[str, str]], *, scheme: int = 1, beacon: str = ""
) -> bytes:
    """The key of a segment's dice, from the link and every side's (name, sealed orders), in the order of names; in
    scheme 2 also from the beacon's value (``ROUND:HEX``) where the game takes one.
    """
    parts = [f"pbem dice {scheme}", game, str(segment), *(f"{side}={seal}" for side, seal in sorted(seals))]
    if beacon:
        parts.append(f"beacon={beacon}")
    return hmac.new(link, "|".join(parts).encode(), hashlib.sha256).digest()


# --- who knows the links ---------------------------------------------------------------------------------------------


class Source(Protocol):
    """What the keys of a game are made of, as far as it is known: all of it to the host, what was played to others."""

    scheme: int

    def link(self, segment: int) -> bytes:
        """The link of the dice chain a segment uses. Raises ``ValueError`` beyond the chain's end."""
        ...

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """The salt of a side's orders (:func:`salt`)."""
        ...

    def log_key(self, segment: int) -> bytes:
        """The key of the log's digest (:func:`log_key`)."""
        ...


def secret_of(seed: str) -> bytes:
    """The host's secret of a game begun with a seed, by which it can be played again from the start."""
    return hashlib.sha256(f"pbem seed|{seed}".encode()).digest()


class Secret:
    """The host's secret: whoever has it knows every link, those of segments not yet played too."""

    def __init__(self, secret: bytes, scheme: int = 1, length: int = CHAIN_LENGTH, fresh: Sequence[Fresh] = ()) -> None:
        self.scheme = scheme
        self.length = length
        self.fresh = tuple(fresh)
        self._secret = secret
        self._salts = hmac.new(secret, b"pbem salts", hashlib.sha256).digest()

    @property
    def commitment(self) -> str:
        """The end of the dice chain, in hex."""
        return commitment(self._secret, self.length)

    @property
    def salt_commitment(self) -> str:
        """The end of the salt chain, in hex; empty in scheme 1, which has none."""
        return commitment(self._salts, self.length) if self.scheme > 1 else ""

    def link(self, segment: int) -> bytes:
        return chain_link(self._secret, link_for(segment, self.length))

    def salt_link(self, segment: int) -> bytes:
        """What a segment's salts are made of: a link of the salt chain, or (scheme 1) the secret itself."""
        return chain_link(self._salts, link_for(segment, self.length)) if self.scheme > 1 else self._secret

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        return salt(self.salt_link(segment), turn, request, side, segment, word_of(self.fresh, segment))

    def log_key(self, segment: int) -> bytes:
        return log_key(self.salt_link(segment), segment)


class Heard:
    """Dice that remember what they were asked for: (label, faces, number), each label once. ``of`` says whose dice they
    were where play was repeated with kept ones: the number of the segment, by label.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.rolls: dict[str, tuple[int, int]] = {}
        self.of: dict[str, int] = {}

    def roll(self, label: str, sides: int = 6) -> int:
        die = self._dice.roll(label, sides)
        self.rolls[label] = (sides, die)
        if isinstance(found := self._dice, KeptDice):
            while isinstance(found, KeptDice):
                found = found.those_of(label)
            if isinstance(found, SegmentDice):
                self.of[label] = found.segment
        return die


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
        return self.those_of(label).roll(label, sides)

    def those_of(self, label: str) -> Dice:
        """The dice that show what is rolled under a label."""
        turn, impulse, step = label.partition(" ")[0].split(".", 2)
        now = place(int(turn), int(impulse), step)
        return next((span.dice for span in self._spans if span.begin <= now < span.end), self._own)
