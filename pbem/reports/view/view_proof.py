"""What a sitrep reveals of the dice: links, hashes and the reader's own salts, so that he can hold the host to them."""

from __future__ import annotations

import msgspec


class SegmentProof(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of play that is over: the request it answered, the link it used, and the hash of each side's orders.

    ``salt`` is the reader's own, empty for who wrote no orders; ``log`` the digest of the log as it then was;
    ``beacon`` the public beacon's value, ``ROUND:HEX``, where the game takes one; ``taken_back`` says that it does not
    count any more. All else in hex.
    """

    segment: int
    turn: int
    request: int
    link: str
    log: str
    seals: tuple[tuple[str, str], ...]
    salt: str = ""
    beacon: str = ""
    taken_back: bool = False


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What the host committed to before the game began, and the segments of the turn shown."""

    scheme: int
    commitment: str
    salts: str = ""
    beacon: str = ""
    segments: tuple[SegmentProof, ...] = ()
