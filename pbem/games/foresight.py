"""Find out in advance what computer players will decide, by playing on from orders that are not sent yet.

Computer players decide from what their side sees, with dice of their own. So what they will decide is known as soon
as the log is known that they decide on. For the request in force that is the present log. For requests within the
same turn that ask nobody else, it is the log after the orders that a person is about to send.

Nothing is written, and nothing of the play is kept, only the decisions. Each is kept under the digest of the log on
which it was made (:func:`decision_key`). If play takes another course, its digests differ and no decision is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from pbem.engine.dice import Fresh, Secret
from pbem.engine.events import Record
from pbem.engine.log import effective, fold_records
from pbem.errors import GameError
from pbem.games.answers import judged_on
from pbem.games.computer_sides import CaptainsTask, computer_players, view_of_side
from pbem.games.segments import play_segment
from pbem.games.storage.folder import GameFolder, log_digest
from pbem.games.storage.terms import Terms, scenario_of

MOST_REQUESTS: Final = 12
"""Maximum number of requests for which decisions are made at a time."""


class Supposition(msgspec.Struct, frozen=True, kw_only=True):
    """A game, and orders for the request in force that may be sent, with all that is needed to play on from them.

    Attributes:
        terms: The terms of the game.
        log: The whole log.
        computers: The name of the level of each computer player, by side.
        orders: Orders as they may be sent, by side.
        secret: The secret of the dice; empty if no side but those of computer players has orders.
        fresh: The secret words that were drawn after a restore.
    """

    terms: Terms
    log: list[Record]
    computers: dict[str, str]
    orders: dict[str, str] = {}
    secret: bytes = b""
    fresh: tuple[Fresh, ...] = ()


Decide = Callable[[bytes, CaptainsTask], str]
"""Type of a function that makes a decision, which has this key, and returns the orders."""


class NoMoreWanted(Exception):
    """Raised by a :data:`Decide` function to end :func:`decide_ahead`."""


def supposition(game: GameFolder, orders: dict[str, str] | None = None) -> Supposition:
    """Return a game as a :class:`Supposition`; ``orders`` are those that people may send, by side."""
    terms, computers = game.terms, {side: level.name for side, level in computer_players(game).items()}
    if not orders:
        return Supposition(terms=terms, log=game.records(), computers=computers)
    source = game.dice()
    fresh = source.fresh if isinstance(source, Secret) else ()
    return Supposition(
        terms=terms, log=game.records(), computers=computers, orders=orders, secret=game.secret(), fresh=fresh
    )


def decision_key(digest: bytes, side: str, level: str) -> bytes:
    """Return the key of the decision of a computer player; ``digest`` is that of the log (:func:`log_digest`)."""
    return hashlib.sha256(msgspec.msgpack.encode((digest, side, level))).digest()


def decide_ahead(supposed: Supposition, decide: Decide) -> None:
    """Make the decisions of computer players for the request in force, and play on as far as the orders lead.

    Play ends where a person must give orders that are not known.
    """
    scenario, terms, computers = scenario_of(supposed.terms), supposed.terms, supposed.computers
    records, orders = list(supposed.log), dict(supposed.orders)
    state = fold_records(effective(records))
    for _ in range(MOST_REQUESTS):
        request = state.request
        if state.over or request is None:
            return
        try:
            _decide_for_one(records, terms, {s: computers[s] for s in request.sides if s in computers}, orders, decide)
        except NoMoreWanted:
            return
        if not supposed.secret or any(side not in orders for side in request.sides):
            return
        answers = {side: judged_on(state, scenario, orders[side], "") for side in request.sides}
        if any(one.faults for one in answers.values()):
            return
        source = Secret(supposed.secret, terms.dice.scheme, terms.dice.length, supposed.fresh)
        try:
            played, state = play_segment(scenario, source, state, {side: one.text for side, one in answers.items()})
        except GameError:
            return
        records += played
        orders = {}


def _decide_for_one(
    records: Sequence[Record], terms: Terms, computers: dict[str, str], orders: dict[str, str], decide: Decide
) -> None:
    """Add the orders of computer players that answer one request to ``orders``, unless they are there."""
    digest = log_digest(terms, records)
    for side, level in sorted(computers.items()):
        if side not in orders:
            view = view_of_side(effective(records), side)
            task = CaptainsTask(view=view, terms=terms, side=side, level=level)
            orders[side] = decide(decision_key(digest, side, level), task)
