"""What a report reveals of the dice. A link is told with the sitrep that follows its segment, never before.

Of a segment that is over everybody may know the link (it gives away links of earlier segments, never of later ones)
and the hashes of all orders; so everybody can work out its key, and with it any roll of that segment, those too that
nobody made. That gives nothing away: every die this game rolls is told to all (tests/proof holds this). What stays
secret until the game is over are the salts of the others, without which nobody can try out what their orders were, and
the key of the log's digest, without which nobody can try out what happened unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from pbem.engine import dice, log
from pbem.engine.events import GameStarted, OrdersFiled, Record, Requested, Reran, SegmentBegan, Undone
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.kept_dice import cut, stretches
from pbem.games.proof.seals import in_force
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import DiceTerms
from pbem.reports.view.view_proof import Proof, SegmentProof

replace = msgspec.structs.replace


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
