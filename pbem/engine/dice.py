"""Verifiable dice: anybody can check a roll and nobody can choose it.

Every roll has a label, ``turn.impulse.step unit system n`` (``1.5.fire A PH1 1``), and equals HMAC(segment key,
label). So rolls do not depend on the order in which they are made, and a roll that cannot matter is never made. The
segment key is HMAC(link of a committed hash chain, salted hashes of all sides' orders for that segment). The host
committed to the link before the orders were written, and the orders are in the key before the link is known.

The scheme number is in game.toml. In scheme 1 the salts of sealed orders come from the host's secret alone. In
scheme 2 they come from a second committed chain, so that a host cannot try salts until the dice suit the host; the
value of a public beacon may be mixed into the key too. docs/proof.md describes both schemes for authors of a
verifier.
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
"""Known dice schemes.

New games use the last one. Games begun from a seed, which anybody can replay, use the first.
"""

BEACONS = ("", "drand")
"""Public beacons whose values may go into the keys of scheme 2: ``drand`` is the network quicknet."""

CHAIN_LENGTH = 4096
"""Number of links in a game's chain. Each segment of play uses one."""

BLOCK = 64
"""Size of a block of links. After links were skipped, play resumes at the first link of a block.

So nobody can choose which link comes next.
"""

UNHEARD = 32
"""Number of segments assumed to have been reported since a backup if the host does not know the number."""

CHAIN_PIECE = 256
"""Number of links computed and cached together.

The chain is used from its end to its start, so without the cache every segment would hash most of the chain again.
"""


PAIR = regex(r"(.* DAC\d)([ab])( \d+)")
"""Pattern of the labels of the two dice of the standard damage chart (D4.21)."""


class Dice(Protocol):
    """Protocol of all dice: a source of numbers for labelled rolls."""

    def roll(self, label: str, sides: int = 6) -> int:
        """Return a number from 1 to ``sides``; the same label always gives the same number."""
        ...


class SegmentDice:
    """The dice of one segment: HMAC-SHA256(key, label), rejection sampled so that every face is equally likely.

    ``segment`` is the number of the segment, for callers that must know whose dice were used (default 0).
    """

    def __init__(self, key: bytes, segment: int = 0) -> None:
        self._key = key
        self.segment = segment

    def roll(self, label: str, sides: int = 6) -> int:
        # 64-bit words of successive digests; words above the largest multiple of `sides` would favour low faces.
        """Return the number for a label, from 1 to ``sides``."""
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
    """Dice given by a rule case: by label, or as a list used up in the order of the rolls.

    ``after``, if given, supplies the rolls that the case does not give. For two dice that are added, ``DAC1a`` and
    ``DAC1b``, the case may give the sum under ``DAC1``. The number 1 at the end of a label may be left out.
    ``asked`` lists the rolls made, ``used`` the labels of the case that were rolled.
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
        """Return the number that the case gives for a label.

        Raises:
            LookupError: The case gives no number for the label, or one that is no face of the die.
        """
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
        """Return the label under which the case gives a number, or an empty text; mark the label as used."""
        named = next((each for each in (label, label.removesuffix(" 1")) if each in self._by_label), "")
        if named:
            self.used.add(named)
        return named

    @property
    def left_over(self) -> int:
        """Number of rolls in the list that were never used."""
        return len(self._rolls)


def _pair(label: str) -> tuple[str, bool]:
    """Return the label of the sum of two added dice, and whether this die is the first.

    For any other label it returns ``("", False)``.
    """
    which = PAIR.fullmatch(label)
    return (which[1] + which[3], which[2] == "a") if which else ("", False)


def label(turn: int, impulse: int, step: str, unit: str, system: str, n: int = 1) -> str:
    """Return the label of a roll. Blanks in ``system`` are removed (``PH1``, ``PHOTA``, ``DAC``)."""
    return f"{turn}.{impulse}.{step} {unit} {system.replace(' ', '')} {n}"


# --- the committed chain ---------------------------------------------------------------------------------------------


def chain_link(secret: bytes, index: int) -> bytes:
    """Return link ``index`` of a hash chain: link 0 is the seed, each later link the hash of the one before.

    The far end of the chain is the published commitment.
    """
    return _chain(secret, index // CHAIN_PIECE)[index % CHAIN_PIECE]


@lru_cache(maxsize=64)
def _chain(secret: bytes, piece: int) -> list[bytes]:
    """Return one piece of the chain: ``CHAIN_PIECE`` links in a row.

    It is cached, because neighbouring links are used one after the other.
    """
    link = hashlib.sha256(b"pbem dice chain 1|" + secret).digest()
    if piece:
        link = hashlib.sha256(_chain(secret, piece - 1)[-1]).digest()
    links = [link]
    while len(links) < CHAIN_PIECE:
        links.append(hashlib.sha256(links[-1]).digest())
    return links


def hashed(link: bytes) -> bytes:
    """Return the next link of a chain. For the link of segment 1 that is the commitment."""
    return hashlib.sha256(link).digest()


def commitment(secret: bytes, length: int = CHAIN_LENGTH) -> str:
    """Return the last link of the hash chain in hex: the host's public commitment to the dice.

    It is written into game.toml before any orders exist.
    """
    return chain_link(secret, length).hex()


def link_for(segment: int, length: int = CHAIN_LENGTH) -> int:
    """Return the index of the link that segment 1, 2, … uses.

    Segments use the chain from its end to its start, so a revealed link only reveals links already used.

    Raises:
        ValueError: The segment is beyond the end of the chain.
    """
    if not 1 <= segment <= length:
        raise ValueError(f"segment {segment} is beyond the {length} links of this game's dice chain")
    return length - segment


def last_skipped_segment(segment: int, told: int) -> int:
    """Return the number of the last segment to skip, so that the next segment has a link nobody has seen.

    Args:
        segment: The last segment in the log.
        told: The last segment that players were told of; 0 if nobody knows.
    """
    least = told if told > segment else segment + UNHEARD
    return -(-least // BLOCK) * BLOCK


def salt(secret: bytes, turn: int, request: int, side: str, segment: int, word: str = "") -> bytes:
    """Return the salt of a side's sealed orders.

    The side learns it together with the link; all others learn it when the game is over. ``secret`` is the host's
    secret (scheme 1) or the segment's link of the salt chain (scheme 2).
    """
    text = f"salt|{turn}|{request}|{side}|{segment}{f'|{word}' if word else ''}"
    return hmac.new(secret, text.encode(), hashlib.sha256).digest()


class Fresh(NamedTuple):
    """A new secret word (64 hex digits) that goes into the salts of all segments after number ``after``."""

    after: int
    word: str


def word_of(fresh: Iterable[Fresh], segment: int) -> str:
    """Return the secret word in the salts of a segment; empty if no word was drawn before that segment.

    ``fresh`` are all words of the game; the latest word drawn before the segment counts.
    """
    return max((one for one in fresh if one.after < segment), default=Fresh(0, "")).word


def committed(word: str) -> str:
    """Return the hash of a secret word in hex, by which the log commits to the word."""
    return hashlib.sha256(bytes.fromhex(word)).hexdigest()


def log_key(secret: bytes, segment: int) -> bytes:
    """Return the key with which sitreps encode the digest of the log.

    Without a key anybody could test guesses about records they may not see. ``secret`` is as for :func:`salt`.
    """
    return hmac.new(secret, f"log|{segment}".encode(), hashlib.sha256).digest()


def next_log_digest(before: bytes, line: bytes) -> bytes:
    """Return the running digest of the log after one more record (its line of JSON, without the line end)."""
    return hashlib.sha256(before + hashlib.sha256(line).digest()).digest()


def keyed_log_digest(running: bytes, key: bytes) -> str:
    """Return the running digest in the keyed form that sitreps print, in hex."""
    return hmac.new(key, running, hashlib.sha256).hexdigest()


def sealed(orders: str, salted_with: bytes) -> str:
    """Return the salted hash of a side's orders in normal form, in hex."""
    return hashlib.sha256(salted_with + orders.encode()).hexdigest()


def segment_key(
    link: bytes, game: str, segment: int, seals: Iterable[tuple[str, str]], *, scheme: int = 1, beacon: str = ""
) -> bytes:
    """Return the key of a segment's dice.

    It is made from the link and every side's pair of name and sealed orders, sorted by name. In scheme 2 the
    beacon's value (``ROUND:HEX``) is added if the game uses a beacon.
    """
    parts = [f"pbem dice {scheme}", game, str(segment), *(f"{side}={seal}" for side, seal in sorted(seals))]
    if beacon:
        parts.append(f"beacon={beacon}")
    return hmac.new(link, "|".join(parts).encode(), hashlib.sha256).digest()


# --- who knows the links ---------------------------------------------------------------------------------------------


class KeySource(Protocol):
    """Protocol: access to the links, salts and log keys of a game.

    The host knows all of them, everybody else only those of the segments already played.
    """

    scheme: int

    def link(self, segment: int) -> bytes:
        """Return the link of the dice chain that a segment uses.

        Raises:
            ValueError: The segment is beyond the end of the chain.
        """
        ...

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """Return the salt of a side's orders (:func:`salt`)."""
        ...

    def log_key(self, segment: int) -> bytes:
        """Return the key of the log's digest (:func:`log_key`)."""
        ...


def secret_of(seed: str) -> bytes:
    """Return the host's secret of a game begun with a seed.

    With the same seed the game can be played again from the start.
    """
    return hashlib.sha256(f"pbem seed|{seed}".encode()).digest()


class Secret:
    """The host's secret, from which every link follows, including the links of segments not yet played."""

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
        """The end of the salt chain, in hex; empty in scheme 1, which has no salt chain."""
        return commitment(self._salts, self.length) if self.scheme > 1 else ""

    def link(self, segment: int) -> bytes:
        """Return the link of the dice chain that a segment uses."""
        return chain_link(self._secret, link_for(segment, self.length))

    def salt_link(self, segment: int) -> bytes:
        """Return the secret for a segment's salts.

        That is a link of the salt chain, or in scheme 1 the host's secret itself.
        """
        return chain_link(self._salts, link_for(segment, self.length)) if self.scheme > 1 else self._secret

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """Return the salt of a side's orders in a segment."""
        return salt(self.salt_link(segment), turn, request, side, segment, word_of(self.fresh, segment))

    def log_key(self, segment: int) -> bytes:
        """Return the key of the log's digest in a segment."""
        return log_key(self.salt_link(segment), segment)


class RecordingDice:
    """Dice that record every roll: label to (faces, number), each label once.

    ``of`` is filled when play is repeated with :class:`KeptDice`: label to the number of the segment whose dice
    were used.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.rolls: dict[str, tuple[int, int]] = {}
        self.of: dict[str, int] = {}

    def roll(self, label: str, sides: int = 6) -> int:
        """Roll the wrapped dice and record the result."""
        die = self._dice.roll(label, sides)
        self.rolls[label] = (sides, die)
        if isinstance(found := self._dice, KeptDice):
            while isinstance(found, KeptDice):
                found = found.those_of(label)
            if isinstance(found, SegmentDice):
                self.of[label] = found.segment
        return die


def preview_key(game: str, text: str) -> bytes:
    """Return the dice key for previews.

    It is independent of the game's real dice and reveals nothing about them.
    """
    return hashlib.sha256(f"pbem preview|{game}|{text}".encode()).digest()


# --- play that is repeated -------------------------------------------------------------------------------------------


class DiceSpan(NamedTuple):
    """A stretch of play with the dice it was played with, from ``begin`` up to but without ``end``.

    Both are tuples (turn, impulse, number of the step); see :func:`place`.
    """

    begin: tuple[int, int, int]
    end: tuple[int, int, int]
    dice: Dice


ENDLESS = (1 << 30, 0, 0)
"""A place after every other one; the end of the last stretch of a finished game."""


def place(turn: int, impulse: int, step: str) -> tuple[int, int, int]:
    """Return a step of an impulse as a sortable tuple: earlier steps compare smaller.

    Raises:
        KeyError: The step is unknown.
    """
    return turn, impulse, ORDER[step]


class KeptDice:
    """Dice for repeated play.

    At a moment within one of ``spans`` the dice of that span are used, at any other moment the ``own`` dice.
    """

    def __init__(self, own: Dice, spans: Sequence[DiceSpan]) -> None:
        self._own = own
        self._spans = tuple(spans)

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the number for a label, rolled with the dice for the label's moment."""
        return self.those_of(label).roll(label, sides)

    def those_of(self, label: str) -> Dice:
        """Return the dice for the moment in a label."""
        turn, impulse, step = label.partition(" ")[0].split(".", 2)
        now = place(int(turn), int(impulse), step)
        return next((span.dice for span in self._spans if span.begin <= now < span.end), self._own)
