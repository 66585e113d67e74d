"""Sealed orders: what of every side goes into the key of a segment's dice."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine import dice
from pbem.engine.play.resolve import Filed
from pbem.engine.state import State
from pbem.errors import GameError
from pbem.games.answers import CONTINUE


def in_force(state: State, texts: Mapping[str, str]) -> dict[str, str]:
    """Every side's orders for the coming segment: new answers, and the standing ones of CONTINUE and of
    sides not asked.
    """
    standing = {side: orders.text for side, orders in state.standing.items()}
    return {**standing, **{side: text for side, text in texts.items() if text != CONTINUE}}


def seals_of(source: dice.Source, state: State, texts: Mapping[str, str]) -> dict[str, str]:
    """The salted hash of every side's orders for the segment that answers the request in force, in hex by side."""
    request = state.request
    assert request is not None
    number = state.segment + 1
    return {
        side: dice.sealed(text, source.salt(request.turn, request.number, side, number))
        for side, text in in_force(state, texts).items()
    }


def sealed_orders(
    source: dice.Source, state: State, texts: Mapping[str, str], beacon: str = ""
) -> tuple[dict[str, Filed], bytes]:
    """The answers as they are filed, and the key of the dice that follows from them."""
    number = state.segment + 1
    try:
        link = source.link(number)
    except ValueError as error:
        raise GameError.saying("dice-spent", f"{error}; the game cannot go on") from error
    seals = seals_of(source, state, texts)
    key = dice.segment_key(link, state.game, number, sorted(seals.items()), scheme=source.scheme, beacon=beacon)
    return {side: Filed(text=text, sealed=seals[side]) for side, text in texts.items()}, key
