"""Verifiable dice: every player can check each roll, and nobody, not even the host, can choose a roll.

Every roll has a label, ``turn.impulse.step unit system n`` (``1.5.fire A PH1 1``), and is computed as HMAC(segment key,
label). So the order in which rolls are made does not change them, and a roll that cannot matter is not made.

A *segment* is a stretch of play between two requests for orders; each has its own key. A *hash chain* is a series of
hashes in which each is the hash of the hash before it; each hash is called a *link*. The key of a segment is HMAC(the
segment's link, salted hashes of all sides' orders for the segment). The host publishes the last link before any orders
are written, and the orders are fixed before the segment's link is revealed.

There are two schemes; game.toml has the number of the scheme that a game uses. In scheme 1 the salts of sealed (hashed)
orders are derived only from the host's secret. In scheme 2 they are derived from a second hash chain, whose last link
is published too, so that a host cannot try salts until the dice suit the host. In scheme 2 the value of a drand beacon
(a public random value) may be mixed into the key too. docs/dice.md describes both schemes for authors of a verifier.
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
"""The numbers of the known dice schemes.

New games use the last one. Games started from a seed, which anybody can replay, use the first.
"""

BEACONS = ("", "drand")
"""Names of the public random sources (beacons) whose values may go into the keys of scheme 2.

``drand`` is its network quicknet.
"""

CHAIN_LENGTH = 4096
"""The number of links (hashes) in a game's hash chain; each segment of play between two requests uses one."""

BLOCK = 64
"""The number of hash-chain links in a block; after links were skipped, play resumes at the first link of a block.

So nobody can choose which link comes next.
"""

UNHEARD = 32
"""The number of segments that may have been played since a backup, if the host cannot tell.

A segment is the play between two requests for orders. Players may know the dice of these segments, so after a restore
the hash-chain links of that many segments are skipped.
"""

CHAIN_PIECE = 256
"""The number of hash-chain links that are computed and cached together.

The chain is used from its end to its start. Without the cache, most of the chain would be computed again for every
segment.
"""


PAIR = regex(r"(.* DAC\d)([ab])( \d+)")
"""Pattern of the labels of two dice that are added, as on the standard damage chart (D4.21)."""


class Dice(Protocol):
    """Protocol of dice: an object that returns a number for the label of a roll."""

    def roll(self, label: str, sides: int = 6) -> int:
        """Return a number from 1 to ``sides``; the same label always gives the same number."""
        ...


class SegmentDice:
    """The real dice of one segment (the play between two requests), computed as HMAC-SHA256(key, label).

    Random values that would make some faces more likely than others are rejected. ``segment`` is the number of the
    segment (default 0), for callers that must know which segment's dice were used.
    """

    def __init__(self, key: bytes, segment: int = 0) -> None:
        self._key = key
        self.segment = segment

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the number, from 1 to ``sides``, for the label of a roll."""
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
    """Dice whose numbers are given by a rule case (a test of a rule), by label or as a list.

    The numbers of the list are used in the order of the rolls. ``after``, if given, are other dice, used for the rolls
    that the case does not give. For two dice that are added, ``DAC1a`` and ``DAC1b``, the case may give the sum under
    ``DAC1``. The number 1 at the end of a label may be omitted. ``asked`` lists the label and the number of each roll
    made. ``used`` contains those labels of the case whose numbers were used.
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
            LookupError: The case gives no number for the label, or a number that is not on the die.
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
        """Return the label under which the rule case gives the number of this roll, and mark it as used.

        The result is empty if the case gives no number.
        """
        named = next((each for each in (label, label.removesuffix(" 1")) if each in self._by_label), "")
        if named:
            self.used.add(named)
        return named

    @property
    def left_over(self) -> int:
        """The number of rolls in the list that were never used."""
        return len(self._rolls)


def _pair(label: str) -> tuple[str, bool]:
    """Return the label for the sum of two added dice, and whether ``label`` is for the first of them.

    For the label of a single die the result is ``("", False)``.
    """
    which = PAIR.fullmatch(label)
    return (which[1] + which[3], which[2] == "a") if which else ("", False)


def label(turn: int, impulse: int, step: str, unit: str, system: str, n: int = 1) -> str:
    """Return the label of a roll, such as ``1.5.fire A PH1 1``.

    Blanks in ``system`` are removed (``PH1``, ``PHOTA``, ``DAC``).
    """
    return f"{turn}.{impulse}.{step} {unit} {system.replace(' ', '')} {n}"


# --- the committed chain ---------------------------------------------------------------------------------------------


def chain_link(secret: bytes, index: int) -> bytes:
    """Return link number ``index`` of the hash chain that is computed from a secret.

    Link 0 is a hash of the secret, and each later link is the hash of the previous link. The last link is published as
    the host's commitment to the dice.
    """
    return _chain(secret, index // CHAIN_PIECE)[index % CHAIN_PIECE]


@lru_cache(maxsize=64)
def _chain(secret: bytes, piece: int) -> list[bytes]:
    """Return piece number ``piece`` of a hash chain: a list of ``CHAIN_PIECE`` successive links.

    The result is cached, because neighbouring links are used one after the other.
    """
    link = hashlib.sha256(b"pbem dice chain 1|" + secret).digest()
    if piece:
        link = hashlib.sha256(_chain(secret, piece - 1)[-1]).digest()
    links = [link]
    while len(links) < CHAIN_PIECE:
        links.append(hashlib.sha256(links[-1]).digest())
    return links


def hashed(link: bytes) -> bytes:
    """Return the hash of a chain link, i.e. the next link of the chain.

    For the link that segment 1 uses, the result is the published commitment.
    """
    return hashlib.sha256(link).digest()


def commitment(secret: bytes, length: int = CHAIN_LENGTH) -> str:
    """Return the last link of the dice chain in hex.

    The host publishes this value in game.toml before any orders exist, and so is committed to the dice.
    """
    return chain_link(secret, length).hex()


def link_for(segment: int, length: int = CHAIN_LENGTH) -> int:
    """Return the index of the hash-chain link that a segment of play uses; segments count from 1.

    Segments use the chain from its end to its start. So from a revealed link players can compute only links that were
    already used.

    Raises:
        ValueError: The segment is beyond the end of the chain.
    """
    if not 1 <= segment <= length:
        raise ValueError(f"segment {segment} is beyond the {length} links of this game's dice chain")
    return length - segment


def last_skipped_segment(segment: int, reported: int) -> int:
    """Return the number of the last segment to skip after a game was restored from a backup.

    The next segment then uses a hash-chain link that nobody has seen.

    Args:
        segment: The number of the last segment in the restored log.
        reported: The number of the last segment whose results were sent to players; 0 if nobody knows.
    """
    least = reported if reported > segment else segment + UNHEARD
    return -(-least // BLOCK) * BLOCK


def salt(secret: bytes, turn: int, request: int, side: str, segment: int, word: str = "") -> bytes:
    """Return the salt of a side's orders.

    A salt is a byte string that is hashed together with the orders, so that nobody can guess the orders from the hash.
    The side learns the salt together with the hash-chain link of the segment; all others learn it when the game is
    over. ``secret`` is the host's secret (scheme 1) or the segment's link of the salt chain (scheme 2). ``word`` is the
    secret word of :func:`word_of`, if any.
    """
    text = f"salt|{turn}|{request}|{side}|{segment}{f'|{word}' if word else ''}"
    return hmac.new(secret, text.encode(), hashlib.sha256).digest()


class Fresh(NamedTuple):
    """A new secret word (random value) of the host.

    ``word`` (64 hex digits) is mixed into the salts of all segments after segment number ``after``.
    """

    after: int
    word: str


def word_of(fresh: Iterable[Fresh], segment: int) -> str:
    """Return the secret word that is mixed into the salts of a segment.

    ``fresh`` are all secret words of the game. The result is the latest word that applies to the segment, or ``""`` if
    there is none.
    """
    return max((one for one in fresh if one.after < segment), default=Fresh(0, "")).word


def committed(word: str) -> str:
    """Return the hash of a secret word of the host, in hex.

    The log contains the hash so that nobody can change the word later.
    """
    return hashlib.sha256(bytes.fromhex(word)).hexdigest()


def log_key(secret: bytes, segment: int) -> bytes:
    """Return the key that encodes the log digest (a hash of all log records) in reports to players.

    If the digest were not encoded, players could test guesses about records that they may not see. ``secret`` is
    explained at :func:`salt`.
    """
    return hmac.new(secret, f"log|{segment}".encode(), hashlib.sha256).digest()


def next_log_digest(before: bytes, line: bytes) -> bytes:
    """Return the digest (hash) of the log after one more record, computed from the digest before it.

    ``line`` is the record as a line of JSON, without the newline character.
    """
    return hashlib.sha256(before + hashlib.sha256(line).digest()).digest()


def keyed_log_digest(running: bytes, key: bytes) -> str:
    """Return the log digest as reports to players print it: encoded with a key, in hex.

    ``running`` is the digest before encoding, a hash of all records so far.
    """
    return hmac.new(key, running, hashlib.sha256).hexdigest()


def sealed(orders: str, salted_with: bytes) -> str:
    """Return the salted hash of a side's orders, in hex, which fixes the orders without revealing them.

    ``orders`` is the text of the orders in normal form (standard spelling).
    """
    return hashlib.sha256(salted_with + orders.encode()).hexdigest()


def segment_key(
    link: bytes, game: str, segment: int, seals: Iterable[tuple[str, str]], *, scheme: int = 1, beacon: str = ""
) -> bytes:
    """Return the key from which all dice of a segment (the play between two requests) are computed.

    The key is made from the segment's hash-chain link and from each side's name and sealed orders, sorted by name.
    In scheme 2 the drand value (``ROUND:HEX``, a public random value) is added if the game uses it.
    """
    parts = [f"pbem dice {scheme}", game, str(segment), *(f"{side}={seal}" for side, seal in sorted(seals))]
    if beacon:
        parts.append(f"beacon={beacon}")
    return hmac.new(link, "|".join(parts).encode(), hashlib.sha256).digest()


# --- who knows the links ---------------------------------------------------------------------------------------------


class KeySource(Protocol):
    """Protocol of an object that gives the hash-chain links, salts and log keys of a game.

    The host knows all of these values. Everybody else knows only those of the segments already played.
    """

    scheme: int

    def link(self, segment: int) -> bytes:
        """Return the link (hash) of the dice chain that a segment uses.

        Raises:
            ValueError: The segment is beyond the end of the chain.
        """
        ...

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """Return the salt of a side's orders; see the function :func:`salt`."""
        ...

    def log_key(self, segment: int) -> bytes:
        """Return the key that encodes the log digest in reports; see the function :func:`log_key`."""
        ...


def secret_of(seed: str) -> bytes:
    """Return the host's secret derived from a game's seed. The same seed and orders give the same dice."""
    return hashlib.sha256(f"pbem seed|{seed}".encode()).digest()


class Secret:
    """The host's secret and the methods that derive every chain link, salt and log key from it.

    Even links of segments that are not yet played can be derived.
    """

    def __init__(self, secret: bytes, scheme: int = 1, length: int = CHAIN_LENGTH, fresh: Sequence[Fresh] = ()) -> None:
        self.scheme = scheme
        self.length = length
        self.fresh = tuple(fresh)
        self._secret = secret
        self._salts = hmac.new(secret, b"pbem salts", hashlib.sha256).digest()

    @property
    def commitment(self) -> str:
        """The last link of the dice chain in hex, which is published."""
        return commitment(self._secret, self.length)

    @property
    def salt_commitment(self) -> str:
        """The last link of the salt chain in hex, which is published.

        The result is empty in scheme 1, which has no salt chain.
        """
        return commitment(self._salts, self.length) if self.scheme > 1 else ""

    def link(self, segment: int) -> bytes:
        """Return the link (hash) of the dice chain that a segment of play uses."""
        return chain_link(self._secret, link_for(segment, self.length))

    def salt_link(self, segment: int) -> bytes:
        """Return the secret from which the salts of a segment's sealed orders are made.

        In scheme 2 this is a link of the salt chain, in scheme 1 the host's secret itself.
        """
        return chain_link(self._salts, link_for(segment, self.length)) if self.scheme > 1 else self._secret

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """Return the salt of a side's orders in a segment."""
        return salt(self.salt_link(segment), turn, request, side, segment, word_of(self.fresh, segment))

    def log_key(self, segment: int) -> bytes:
        """Return the key that encodes the log digest in the reports of a segment."""
        return log_key(self.salt_link(segment), segment)


class RecordingDice:
    """Dice that pass every roll on to other dice and record it.

    ``rolls`` is a dict of label to (faces, number). If the other dice are :class:`KeptDice` (for repeated play), ``of``
    is a dict of label to the number of the segment whose dice gave the roll; otherwise ``of`` is empty. A segment is
    the play between two requests for orders.
    """

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self.rolls: dict[str, tuple[int, int]] = {}
        self.of: dict[str, int] = {}

    def roll(self, label: str, sides: int = 6) -> int:
        """Roll the wrapped dice for a label, record the result, and return it."""
        die = self._dice.roll(label, sides)
        self.rolls[label] = (sides, die)
        if isinstance(found := self._dice, KeptDice):
            while isinstance(found, KeptDice):
                found = found.those_of(label)
            if isinstance(found, SegmentDice):
                self.of[label] = found.segment
        return die


def preview_key(game: str, text: str) -> bytes:
    """Return a dice key for a preview, in which a player tries out orders.

    The key is independent of the game's real dice and reveals nothing about them.
    """
    return hashlib.sha256(f"pbem preview|{game}|{text}".encode()).digest()


# --- play that is repeated -------------------------------------------------------------------------------------------


class DiceSpan(NamedTuple):
    """A part of the game, with the dice that apply in it.

    The part lasts from ``begin`` (included) to ``end`` (not included). Both are points in the game as :func:`place`
    returns them: (turn, impulse, number of the step).
    """

    begin: tuple[int, int, int]
    end: tuple[int, int, int]
    dice: Dice


ENDLESS = (1 << 30, 0, 0)
"""A point in the game later than all others, used as the end of the last :class:`DiceSpan`."""


def place(turn: int, impulse: int, step: str) -> tuple[int, int, int]:
    """Return a point in the game as a tuple (turn, impulse, number of the step).

    Such tuples sort in the order of play.

    Raises:
        KeyError: The step is unknown.
    """
    return turn, impulse, ORDER[step]


class KeptDice:
    """Dice for play that is repeated, in which the earlier rolls must have the same results again.

    If a roll's turn, impulse and step are within one of ``spans``, the dice of that span are used, otherwise the
    ``own`` dice.
    """

    def __init__(self, own: Dice, spans: Sequence[DiceSpan]) -> None:
        self._own = own
        self._spans = tuple(spans)

    def roll(self, label: str, sides: int = 6) -> int:
        """Return the number for a label.

        The dice are those that apply at the turn, impulse and step in the label.
        """
        return self.those_of(label).roll(label, sides)

    def those_of(self, label: str) -> Dice:
        """Return the dice that apply at the turn, impulse and step in a label."""
        turn, impulse, step = label.partition(" ")[0].split(".", 2)
        now = place(int(turn), int(impulse), step)
        return next((span.dice for span in self._spans if span.begin <= now < span.end), self._own)
