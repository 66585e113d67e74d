"""What a report reveals of the dice. A link is told with the sitrep that follows its segment, never before.

Of a segment that is over everybody may know the link (it gives away links of earlier segments, never of later ones)
and the hashes of all orders; so everybody can work out its key, and with it any roll of that segment, those too that
nobody made. That gives nothing away: every die this game rolls is told to all (tests/proof holds this). What stays
secret until the game is over are the salts of the others, without which nobody can try out what their orders were, and
the key of the log's digest, without which nobody can try out what happened unseen.

proof.json of an archive: everything a verifier needs that is not in the log, in a form any program can read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from pbem.engine import dice, log
from pbem.engine.events import GameStarted, OrdersFiled, Record, Requested, Reran, SegmentBegan, Undone
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.seals import cut, in_force, stretches
from pbem.games.storage.files import in_lines, json_in
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import DiceTerms
from pbem.reports.view.model import Proof, SegmentProof


def proof_for(game: GameFolder, records: Sequence[Record], side: str) -> Proof | None:
    """:func:`proofs` for one reader."""
    return proofs(game, records)(side)


def proofs(game: GameFolder, records: Sequence[Record]) -> Callable[[str], Proof | None]:
    """:func:`proofs_from` of a game's folder."""
    return proofs_from(game.terms.dice, source_of(game), game.records(), records)


def source_of(game: GameFolder) -> dice.Source | None:
    """What the game's dice are made of; ``None`` where the secret is not at hand, or would prove nothing."""
    if game.terms.clone:
        return None
    try:
        return game.dice()
    except GameError:
        return None


def proofs_from(
    terms: DiceTerms, source: dice.Source | None, log: Sequence[Record], records: Sequence[Record]
) -> Callable[[str], Proof | None]:
    """What each side is told of the dice after ``records`` (those that count of ``log``): the segments of the turn its
    tables show. ``None`` without a source: then nothing can be revealed.
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
        first = _told_from(records, log_so_far, shown)
        counts = {one.began.segment: one for one in found}
        everything = _with_those_taken_back(log_so_far, counts)
        shown = [one for number, one in sorted(everything.items()) if number >= first]
    return lambda side: replace(proof, segments=tuple(_revealed(one, source, digests, side) for one in shown))


class _Segment(msgspec.Struct, frozen=True, kw_only=True):
    began: SegmentBegan
    request: Request
    orders: dict[str, str]
    taken_back: bool = False


def _told_from(records: Sequence[Record], log_so_far: Sequence[Record], shown: Sequence[_Segment]) -> int:
    """The first segment that is told where play was taken back: of the turn shown, or of what a repetition that is news
    took back. From there on every segment is told, so that none can be played and taken back before anybody hears.
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
    """Every segment of the log by number: those that count as they are, the others as the log had them."""
    began = {r.event.segment: r.event for r in log_so_far if isinstance(r.event, SegmentBegan)}
    found = dict(counts)
    for number, one in stretches(log_so_far).items():
        request = one.before.request
        if number not in counts and request is not None:
            orders = dict(sorted(in_force(one.before, one.texts).items()))
            found[number] = _Segment(began=began[number], request=request, orders=orders, taken_back=True)
    return found


def _segments(records: Sequence[Record]) -> list[_Segment]:
    """The segments that count, with the orders in force in each."""
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


def _revealed(one: _Segment, source: dice.Source, digests: dict[int, bytes], side: str) -> SegmentProof:
    number, turn, request = one.began.segment, one.request.turn, one.request.number
    seals = {who: dice.sealed(text, source.salt(turn, request, who, number)) for who, text in one.orders.items()}
    return SegmentProof(
        segment=number,
        turn=turn,
        request=request,
        link=source.link(number).hex(),
        log=dice.told_log(digests[number], source.log_key(number)),
        seals=tuple(seals.items()),
        salt=source.salt(turn, request, side, number).hex() if side in seals else "",
        beacon=one.began.beacon,
        taken_back=one.taken_back,
    )


# --- the digest of the log -------------------------------------------------------------------------------------------


def running_digests(records: Sequence[Record]) -> dict[int, bytes]:
    """The running digest of the log after each segment, segments taken back included, by number of segment.

    A segment ends before the next one, or before an act of the umpire.
    """
    digests: dict[int, bytes] = {}
    running = bytes(32)
    for stretch in cut(records):
        for line in lines_of(stretch):
            running = dice.linked(running, line)
        if isinstance(event := stretch[0].event, SegmentBegan):
            digests[event.segment] = running
    return digests


def lines_of(records: Sequence[Record]) -> list[bytes]:
    """The records as an archive holds them, a line each: without the players' addresses."""
    return log.encode_records(without_addresses(record) for record in records).split(b"\n")[:-1]


def without_addresses(record: Record) -> Record:
    """The record that begins a game names the players; their addresses are nobody's business but the host's."""
    event = record.event
    if not isinstance(event, GameStarted):
        return record
    sides = tuple(replace(side, player=without_address(side.player)) for side in event.sides)
    return replace(record, event=replace(event, sides=sides))


def without_address(player: str) -> str:
    """``Ann <ann@example.org>`` as ``Ann``; a bare address as nothing."""
    name = player.partition("<")[0].strip(' "') if "@" in player else player
    return "" if "@" in name else name


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
