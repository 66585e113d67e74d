"""The values that reports and archives disclose to prove that the dice were fair.

The dice of each segment of play (from one request for orders to the next) come from a link of a hash chain. The
link is disclosed by the sitrep that follows the segment, never before.

After a segment everybody may know its link (which discloses links of earlier segments only) and the hashes of all
orders. From these values anybody can compute the segment's dice key and any roll of the segment, including rolls
that were never made. This does no harm, because every die rolled in a game is public (tests/proof checks it). Two
things stay secret until the end of the game. The salts of other sides, with which a player could test guesses of
those sides' orders. The key of the log digest, with which a player could test guesses of events that the player
cannot see.

``proof.json`` in an archive contains everything else that a verifier needs besides the log, in a form that any
program can read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pbem.engine import dice, log
from pbem.engine.events import GameStarted, OrdersFiled, Record, Requested, Reran, SegmentBegan, Undone
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.seals import cut, in_force, logged_segments
from pbem.games.storage.files import in_lines, json_in
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import DiceTerms
from pbem.reports.view.model import Proof, SegmentProof


def proof_for(game: GameFolder, records: Sequence[Record], side: str) -> Proof | None:
    """Return the dice proof to print in one reader's report (see :func:`proofs`)."""
    return proofs(game, records)(side)


def proofs(game: GameFolder, records: Sequence[Record]) -> Callable[[str], Proof | None]:
    """Return a function from a side to the dice proof for the side's report (see :func:`proofs_from`)."""
    return proofs_from(game.terms.dice, source_of(game), game.records(), records)


def source_of(game: GameFolder) -> dice.KeySource | None:
    """Return the source of the game's dice keys; ``None`` if the secret cannot be used or the game is a clone."""
    if game.terms.clone:
        return None
    try:
        return game.dice()
    except GameError:
        return None


def proofs_from(
    terms: DiceTerms, source: dice.KeySource | None, log: Sequence[Record], records: Sequence[Record]
) -> Callable[[str], Proof | None]:
    """Return a function from a side to the dice proof for the side's report after ``records``.

    ``records`` is ``log`` without the records that were taken back. The proof covers the segments of the turn that the
    report shows. If ``source``, the source of dice keys, is ``None``, the returned function gives ``None`` for every
    side.
    """
    if source is None:
        return lambda side: None
    proof = Proof(scheme=terms.scheme, commitment=terms.commitment, salts=terms.salts, beacon=terms.beacon)
    found = _segments(records)
    last = records[-1].n if records else 0
    log_so_far = [record for record in log if record.n <= last]
    if not any(isinstance(record.event, SegmentBegan) for record in log_so_far):
        return lambda side: proof
    shown = [one for one in found if one.began.turn == found[-1].began.turn]
    digests = running_digests(log_so_far)
    if any(isinstance(record.event, Undone | Reran) for record in log_so_far):
        first = _first_disclosed(records, log_so_far, shown)
        counts = {one.began.segment: one for one in found}
        everything = _with_those_taken_back(log_so_far, counts)
        shown = [one for number, one in sorted(everything.items()) if number >= first]
    return lambda side: replace(proof, segments=tuple(_revealed(one, source, digests, side) for one in shown))


class _Segment(msgspec.Struct, frozen=True, kw_only=True):
    began: SegmentBegan
    request: Request
    orders: dict[str, str]
    taken_back: bool = False


def _first_disclosed(records: Sequence[Record], log_so_far: Sequence[Record], shown: Sequence[_Segment]) -> int:
    """Return the number of the first segment whose dice a report discloses.

    This is the first segment of the turn shown, or an earlier segment if a new rerun took that segment back. All
    later segments are disclosed too, so that no segment can be played and taken back in secret.
    """
    first = shown[0].began.segment if shown else 1
    last = shown[-1].began.segment if shown else 0
    for record in reversed(records):
        act = record.event
        if isinstance(act, Reran) and last <= act.through:
            taken = [
                r.event.segment for r in log_so_far if isinstance(r.event, SegmentBegan) and act.to < r.n < record.n
            ]
            return min([first, *taken])
        if isinstance(act, Undone | Reran):
            break
    return first


def _with_those_taken_back(log_so_far: Sequence[Record], counts: Mapping[int, _Segment]) -> dict[int, _Segment]:
    """Return all segments of the log as a dict by number, including those that were taken back.

    ``counts`` are the segments that were not taken back.
    """
    began = {r.event.segment: r.event for r in log_so_far if isinstance(r.event, SegmentBegan)}
    found = dict(counts)
    for number, one in logged_segments(log_so_far).items():
        request = one.before.request
        if number not in counts and request is not None:
            orders = dict(sorted(in_force(one.before, one.texts).items()))
            found[number] = _Segment(began=began[number], request=request, orders=orders, taken_back=True)
    return found


def _segments(records: Sequence[Record]) -> list[_Segment]:
    """Return the segments of play that were not taken back, each with the orders that were in force in it."""
    found: list[_Segment] = []
    standing: dict[str, str] = {}
    asked: Request | None = None
    for record in records:
        match record.event:
            case Requested(request=request):
                asked = request
            case SegmentBegan() as began:
                assert asked is not None
                found.append(_Segment(began=began, request=asked, orders={}))
            case OrdersFiled(side=side, text=text, continued=continued):
                if not (continued and side in standing):
                    standing[side] = text
            case _:
                continue
        if found and not isinstance(record.event, Requested):
            found[-1] = replace(found[-1], orders=dict(sorted(standing.items())))
    return found


def _revealed(one: _Segment, source: dice.KeySource, digests: dict[int, bytes], side: str) -> SegmentProof:
    number, turn, request = one.began.segment, one.request.turn, one.request.number
    seals = {who: dice.sealed(text, source.salt(turn, request, who, number)) for who, text in one.orders.items()}
    return SegmentProof(
        segment=number,
        turn=turn,
        request=request,
        link=source.link(number).hex(),
        log=dice.keyed_log_digest(digests[number], source.log_key(number)),
        seals=tuple(seals.items()),
        salt=source.salt(turn, request, side, number).hex() if side in seals else "",
        beacon=one.began.beacon,
        taken_back=one.taken_back,
    )


# --- the digest of the log -------------------------------------------------------------------------------------------


def running_digests(records: Sequence[Record]) -> dict[int, bytes]:
    """Return the digest of the log at the end of each segment, as a dict by segment number.

    Segments that were taken back are included. A segment ends before the next one, or before an action of the
    umpire.
    """
    digests: dict[int, bytes] = {}
    running = bytes(32)
    for stretch in cut(records):
        for line in lines_of(stretch):
            running = dice.next_log_digest(running, line)
        if isinstance(event := stretch[0].event, SegmentBegan):
            digests[event.segment] = running
    return digests


def lines_of(records: Sequence[Record]) -> list[bytes]:
    """Return the records as JSON lines for an archive, without the players' addresses."""
    return log.encode_records(without_addresses(record) for record in records).split(b"\n")[:-1]


def without_addresses(record: Record) -> Record:
    """Return a record without the players' addresses, which appear in the first record."""
    event = record.event
    if not isinstance(event, GameStarted):
        return record
    sides = tuple(replace(side, player=without_address(side.player)) for side in event.sides)
    return replace(record, event=replace(event, sides=sides))


def without_address(player: str) -> str:
    """Return a player's entry without the address: ``Ann`` for ``Ann <ann@example.org>``.

    For an address without a name, the result is ``""``.
    """
    name = player.partition("<")[0].strip(' "') if "@" in player else player
    return "" if "@" in name else name


FORMAT = 1


class SealedOrders(msgspec.Struct, frozen=True, kw_only=True):
    """The orders of one side in one segment.

    Attributes:
        side: The side.
        salt: The salt of the hash, in hex.
        sealed: The salted hash of the orders, in hex.
        text: The orders in normal form.
    """

    side: str
    salt: str
    sealed: str
    text: str


class ProvenRoll(msgspec.Struct, frozen=True, array_like=True):
    """One die roll: its label, the number of faces of the die, and the number rolled."""

    label: str
    faces: int
    die: int


class ProvenSegment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The data that a verifier needs about one segment of play (from one request to the next).

    It contains the request that was answered, the dice link, all orders, and all rolls in order. ``last`` is the
    number of the segment's last log record. ``log`` is the digest of the log up to that record under ``log_key``, as
    printed in the sitreps. In a rerun, ``kept`` are the segments whose dice are used again, and ``of`` maps each
    roll to the segment whose key produced it. ``older`` marks a segment played by earlier rules; it is not replayed
    and has no rolls here.
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
    """The content of the ``proof.json`` in an archive.

    Attributes:
        format: Version of the file format.
        game: Name of the game.
        scheme: Number of the method by which the dice are made.
        length: The number of links of the dice chain.
        commitment: The last link of the dice chain, in hex.
        salts: The last link of the salt chain, in hex; empty in scheme 1.
        salt_link: The link of the salt chain that the last segment used; empty in scheme 1.
        beacon: The public beacon whose values are used; empty if none is.
        segments: What a verifier needs to know about each segment.
        played_by: By side, a text that says who played it, if ``game.toml`` does not tell everything; not part of
            the proof.
        fresh: The secret words by which later salts were changed after a backup was restored.
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
    """Return the bytes of a ``proof.json``, indented for human readers."""
    return in_lines(msgspec.json.encode(proof, order="deterministic"))


def decode(data: bytes, file: str) -> ProofFile:
    """Return the content of a ``proof.json`` from its bytes.

    Raises:
        GameError: The file is damaged or has an unknown format.
    """
    proof = json_in(data, ProofFile, "proof-damaged", "this file cannot be read", file)
    if proof.format != FORMAT:
        text = f"proof format {proof.format} is unknown; this version reads format {FORMAT}"
        raise GameError.saying("format", text, file=file)
    return proof


class Revealed:
    """A source of dice keys that takes the links and salts from an archive, for use without the host's secret."""

    def __init__(self, proof: ProofFile) -> None:
        self.scheme = proof.scheme
        self._segments = {one.segment: one for one in proof.segments}

    def link(self, segment: int) -> bytes:
        """Return the link of the dice chain that the archive reveals for a segment of play."""
        return bytes.fromhex(self._of(segment).link)

    def salt(self, turn: int, request: int, side: str, segment: int) -> bytes:
        """Return the salt of a side's orders as the archive reveals it.

        Other code checks the salt against the commitment.
        """
        for one in self._of(segment).orders:
            if one.side == side:
                return bytes.fromhex(one.salt)
        raise _lacks(f"no salt for the orders of {side} in segment {segment}")

    def log_key(self, segment: int) -> bytes:
        """Return the key of the log digest of a segment as the archive reveals it."""
        return bytes.fromhex(self._of(segment).log_key)

    def _of(self, segment: int) -> ProvenSegment:
        if segment not in self._segments:
            raise _lacks(f"no link for segment {segment}")
        return self._segments[segment]


def _lacks(what: str) -> GameError:
    return GameError.saying("proof-incomplete", f"the archive is not complete: it has {what}", file="proof.json")
