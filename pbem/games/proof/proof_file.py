"""proof.json of an archive: everything a verifier needs that is not in the log, in a form any program can read."""

from __future__ import annotations

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import in_lines, json_in

FORMAT = 1


class SealedOrders(msgspec.Struct, frozen=True, kw_only=True):
    """A side's orders in force in a segment, in normal form, with their salt and salted hash in hex."""

    side: str
    salt: str
    sealed: str
    text: str


class ProvenRoll(msgspec.Struct, frozen=True, array_like=True):
    """A roll that was made: label, faces of the die, number rolled."""

    label: str
    faces: int
    die: int


class ProvenSegment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A segment of play: the request it answered, its link of the chain, all orders, all rolls in the order made.

    ``last`` is the number of its last record; ``log`` the digest of the log up to there under ``log_key``, as it
    stood in the sitreps. Where the umpire had play repeated, ``kept`` are the segments whose dice hold here, and ``of``
    says of each roll whose key it was made with; ``older`` marks a segment played by older rules, which has no rolls
    here since it is not played again.
    """

    segment: int
    turn: int
    request: int
    link: str
    beacon: str
    orders: tuple[SealedOrders, ...]
    log_key: str
    log: str
    last: int
    rolls: tuple[ProvenRoll, ...]
    kept: tuple[int, ...] = ()
    of: dict[str, int] = {}
    older: bool = False


class ProofFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A proof.json. ``salt_link`` is the link of the salt chain the last segment used; empty in scheme 1. ``played_by``
    says in words who played a side, where that is more than game.toml says; it has no part in the proof. ``fresh`` are
    the secret words that were drawn where a backup was put back, in the order of the log.
    """

    format: int
    game: str
    scheme: int
    length: int
    commitment: str
    salts: str
    salt_link: str
    beacon: str
    segments: tuple[ProvenSegment, ...]
    played_by: dict[str, str] = {}
    fresh: tuple[str, ...] = ()


def encode(proof: ProofFile) -> bytes:
    """The file's bytes, indented for whoever looks into it."""
    return in_lines(msgspec.json.encode(proof, order="deterministic"))


def decode(data: bytes, file: str) -> ProofFile:
    """Reads a proof.json. Raises :class:`GameError` where it is none."""
    proof = json_in(data, ProofFile, "proof-damaged", "this file cannot be read", file)
    if proof.format != FORMAT:
        text = f"proof format {proof.format} is not known here ({FORMAT} is)"
        raise GameError.saying("format", text, file=file)
    return proof


class Revealed:
    """The links and salts an archive reveals, in place of the host's secret."""

    def __init__(self, proof: ProofFile) -> None:
        self.scheme = proof.scheme
        self._segments = {one.segment: one for one in proof.segments}

    def link(self, segment: int) -> bytes:
        return bytes.fromhex(self._of(segment).link)

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """The salt as it is told; whether it is the one committed to is checked apart."""
        for one in self._of(segment).orders:
            if one.side == side:
                return bytes.fromhex(one.salt)
        raise _lacks(f"no salt for the orders of {side} in segment {segment}")

    def log_key(self, segment: int) -> bytes:
        return bytes.fromhex(self._of(segment).log_key)

    def _of(self, segment: int) -> ProvenSegment:
        if segment not in self._segments:
            raise _lacks(f"no link for segment {segment}")
        return self._segments[segment]


def _lacks(what: str) -> GameError:
    return GameError.saying("proof-incomplete", f"the archive reveals {what}", file="proof.json")
