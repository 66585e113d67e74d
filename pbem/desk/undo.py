"""Taking play back: the log says so, nothing in it is rewritten, and what is played again gets new dice."""

from __future__ import annotations

import msgspec

from pbem.desk.aside import lay_aside_from
from pbem.desk.files import cannot
from pbem.desk.folder import GameFolder
from pbem.desk.publish import publish, retract
from pbem.faults import GameError
from pbem.game.events import Record, Requested, SegmentBegan, Undone
from pbem.game.fold import fold_records
from pbem.game.log import effective
from pbem.game.state import Request


class TakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """What an undo did: the request asked again, the records that no longer count, the order files laid
    aside.
    """

    asked: Request
    records: int
    laid_aside: tuple[str, ...]


def undo(game: GameFolder, *, turn: int = 0, request: int = 0, reason: str = "") -> TakenBack:
    """Take the game back to a request (by default the last one that was played), to be answered anew by all.

    The answers played since become older versions of their files. Raises :class:`GameError` if nothing
    was played, or that request was not.
    """
    records = game.effective()
    target = played_request(records, turn, request)
    kept = [record for record in records if record.n <= target.n]
    state = fold_records(effective(kept))
    assert state.request is not None
    now = game.state()
    event = Undone(
        turn=state.turn,
        impulse=state.impulse,
        step=state.step,
        to=target.n,
        reason=reason or f"the umpire took play back to request {state.request.number} of turn {state.request.turn}",
        segment=now.segment,
    )
    record = Record(n=len(game.records()) + 1, event=event)
    after = fold_records([record], state)
    asked = state.request
    # Reports first: if this is stopped here, those still due are written again from the log.
    try:
        retract(game, asked)
    except OSError as error:
        raise cannot("write", game.path, error) from error
    aside = lay_aside_from(game, asked)
    game.commit(asked.turn, [record], after)
    publish(game)
    return TakenBack(asked=asked, records=sum(r.n > target.n for r in records), laid_aside=aside)


def played_request(records: list[Record], turn: int, request: int) -> Record:
    """The record at which a request stood that was played: the last one before its segment began. Without a turn and
    number, of the request played last. Raises :class:`GameError`.
    """
    ends: dict[tuple[int, int], Record] = {}
    asked: Request | None = None
    before: Record | None = None
    for record in records:
        if isinstance(record.event, Requested):
            asked = record.event.request
        elif isinstance(record.event, SegmentBegan) and asked is not None and before is not None:
            ends[asked.turn, asked.number] = before
        before = record
    if not ends:
        raise GameError.saying("nothing-played", "nothing has been played yet that could be taken back")
    if not turn and not request:
        return list(ends.values())[-1]
    wanted = next((key for key in ends if key == (turn or max(ends)[0], request or 1)), None)
    if wanted is None:
        played = ", ".join(f"{one[0]}.r{one[1]}" for one in ends)
        raise GameError.saying(
            "no-such-request",
            f"request {request or 1} of turn {turn or max(ends)[0]} was not played; played: {played}",
        )
    return ends[wanted]
