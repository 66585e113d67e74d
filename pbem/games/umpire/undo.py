"""Take play back to an earlier request for orders.

The log records that play was taken back. Nothing in the log is rewritten, and new play gets new dice.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from pbem.engine.events import HouseRuled, Record, Undone
from pbem.engine.log import effective, fold_records, played
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.answers import answered_by_form, in_force_from, kept_names, laid_aside
from pbem.games.storage.files import read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.publish import publish
from pbem.games.umpire.decree import standing, verify_words
from pbem.reports.html.public import players_of


class TakenBack(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an undo: the request that is in force again, and the number of log records undone.

    ``laid_aside`` are the order files that became older versions. House rules that were made after that request
    stay in force; they are recorded again.
    """

    asked: Request
    records: int
    laid_aside: tuple[str, ...]


def undo(game: GameFolder, *, turn: int = 0, request: int = 0, reason: str = "", by: str = "") -> TakenBack:
    """Take the game back to an earlier request (by default the last one played), which all sides must answer again.

    Order files that answered this request or a later one become older versions. ``by`` is the side that the umpire
    plays, if the umpire is also a player.

    Raises:
        GameError: Nothing was played, or the request was not played.
    """
    records = game.effective()
    target = played_request(records, turn, request)
    verify_words({"--reason": reason}, players_of(records))
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
        by=by,
    )
    first = Record(n=len(game.records()) + 1, event=event)
    written = [first, *told_again(records, kept, first)]
    asked = state.request
    aside = laid_aside(game, in_force_from(game, asked))
    game.carry_out("undo", {asked.turn: written}, aside)
    publish(game)
    return TakenBack(asked=asked, records=sum(r.n > target.n for r in records), laid_aside=kept_names(aside))


def last_asked(game: GameFolder, sides: Collection[str]) -> Request | None:
    """Return the last request that was played and that one of ``sides`` had to answer, or ``None``.

    A file with both the energy form and orders (SOP) also answers the second request of the turn. The side did not
    have to answer that request, so it is not returned.
    """
    found: Request | None = None
    before: Request | None = None
    for _, asked, _ in played(game.effective()):
        if any(side in asked.sides and not answered_by_form(game, before, asked, side) for side in sides):
            found = asked
        before = asked
    return found


def orders_taken_back(game: GameFolder, side: str) -> str:
    """Return the orders that a side had given for the request in force before play was taken back to it.

    The result is empty if the last thing that happened was not an undo, or if the side had sent no orders.
    """
    request = game.state().request
    last = next((one.event for one in reversed(game.records()) if not isinstance(one.event, HouseRuled)), None)
    if request is None or not isinstance(last, Undone):
        return ""
    earlier = [one for one in game.versions(request.turn, side, request.number) if one.version]
    newest = max(earlier, key=lambda one: one.version, default=None)
    return read_order_file(newest.path) if newest else ""


def told_again(records: Sequence[Record], kept: Sequence[Record], undone: Record) -> list[Record]:
    """Return new log records that repeat the house rules in ``records``, so that they stay in force after an undo.

    ``undone`` is the record of the undo. ``kept`` are the records that the undo does not take back.
    """
    now, then = standing(records), standing(kept)
    changed = [record for number, record in now.items() if number not in then]
    withdrawn = [record for number, record in then.items() if number not in now]
    again: list[Record] = []
    for record in (*changed, *withdrawn):
        assert isinstance(record.event, HouseRuled)
        place = {"turn": undone.event.turn, "impulse": undone.event.impulse, "step": undone.event.step}
        event = msgspec.structs.replace(record.event, **place, withdrawn=record in withdrawn)
        again.append(Record(n=undone.n + 1 + len(again), event=event, only=record.only))
    return again


def played_request(records: list[Record], turn: int, request: int) -> Record:
    """Return the last log record before the play that answered a request.

    Without a turn and number, it is the request played last.

    Raises:
        GameError: No such request has been played.
    """
    ends = {(asked.turn, asked.number): records[place - 1] for place, asked, _ in played(records)}
    if not ends:
        raise GameError.saying("nothing-played", "there is nothing to take back: nothing has been played yet")
    if not turn and not request:
        return list(ends.values())[-1]
    wanted = next((key for key in ends if key == (turn or max(ends)[0], request or 1)), None)
    if wanted is None:
        known = ", ".join(f"{one[0]}.r{one[1]}" for one in ends)
        raise GameError.saying(
            "no-such-request",
            f"request {request or 1} of turn {turn or max(ends)[0]} has not been played; these have: {known}",
        )
    return ends[wanted]
