"""Use a public beacon, which publishes unpredictable random values at fixed times, for the dice.

Without a beacon, a host who also plays could vary their own orders until they like the resulting dice. In games with
a beacon (scheme 2), play does not start when the last orders arrive. Instead the orders are sealed: they can no
longer change, and everybody gets the hashes of the orders and the number of a future round of the beacon. The value
of that round becomes part of the key of the dice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.seals import seals_of
from pbem.games.storage.files import json_in, keep, read_bytes

if TYPE_CHECKING:
    from pbem.games.storage.folder import GameFolder

GENESIS, PERIOD = 1692803367, 3
"""Unix time of round 1 of the beacon (drand's network quicknet), and seconds between rounds."""

MARGIN = timedelta(minutes=2)
"""Minimum time between sealing orders and the beacon round, so that the hashes reach players first."""


STILL_TO_COME = "the round is still to come"


class Beacon(Protocol):
    """The interface of a client that has a clock and asks the public beacon for values."""

    def now(self) -> datetime:
        """Return the current time by the clock of this client."""
        ...

    def value(self, number: int) -> str:
        """Return the random value of a beacon round as 64 hex digits.

        Raises:
            GameError: The value is not available; the error says why.
        """
        ...


class GivenValue:
    """A substitute for the beacon client; its value was entered by the umpire for the announced round."""

    def __init__(self, game: GameFolder, now: Callable[[], datetime], value: str, number: int = 0) -> None:
        """Check the entered value and store it.

        ``number`` is the round to which the value belongs; 0 means the announced round.

        Raises:
            GameError: The game does not use a beacon, no round or another round was announced, the time of the round
                has not come yet, or the value is not valid.
        """
        self.now = now
        self._value = value.strip().casefold()
        if re.fullmatch(r"[0-9a-f]{96}", self._value):
            self._value = hashlib.sha256(bytes.fromhex(self._value)).hexdigest()
        verify_value(self._value)
        if not game.terms.dice.beacon:
            raise GameError.saying(
                "no-beacon", "leave out --beacon: the dice of this game do not use one", file="--beacon"
            )
        sealing = sealing_of(game)
        if sealing is None:
            text = "run `pbem resolve` first: it seals the orders and says which round they wait for"
            raise GameError.saying("not-sealed", text, file="--beacon")
        if number not in (0, sealing.round):
            text = f"the orders wait for round {sealing.round}, not {number}"
            raise GameError.saying("beacon-round", text, file="--round")
        if now() < sealing.due:
            text = f"wait: round {sealing.round} is published at {sealing.due:%Y-%m-%d %H:%M:%S} UTC"
            raise GameError.saying("beacon-round", text, file="--beacon")

    def value(self, number: int) -> str:
        """Return the value that the umpire entered."""
        return self._value


class Sealing(msgspec.Struct, frozen=True, kw_only=True):
    """A record of sealed orders, i.e. orders that can no longer change.

    Attributes:
        segment: The number of the segment in which they will be played.
        turn: The turn of the request that they answer.
        request: The number of that request.
        round: The round of the public beacon from which the dice will come.
        seals: The hash of each side's orders.
    """

    segment: int
    turn: int
    request: int
    round: int
    seals: dict[str, str]

    @property
    def due(self) -> datetime:
        """The time at which the value of the beacon round is published."""
        return round_time(self.round)


def sealed_lines(game: str, sealing: Sealing) -> list[str]:
    """Return the text lines that tell players that orders are sealed.

    ``pbem verify --sent`` and the proof page parse these lines.
    """
    lines = [
        f"Dice of {game}, scheme 2",
        f"Segment {sealing.segment}: request {sealing.request} of turn {sealing.turn}",
        f"  awaits round {sealing.round} of the beacon",
    ]
    for side, seal in sorted(sealing.seals.items()):
        lines += [f"  orders of {side}", f"              {seal}"]
    return lines


def round_time(number: int) -> datetime:
    """Return the time at which the value of a beacon round is published."""
    return datetime.fromtimestamp(GENESIS + (number - 1) * PERIOD, UTC)


def first_round_after(moment: datetime) -> int:
    """Return the number of the first beacon round whose value is published after ``moment``."""
    return max(1, (int(moment.timestamp()) - GENESIS) // PERIOD + 2)


def sealing_of(game: GameFolder) -> Sealing | None:
    """Return the record of sealed orders for the request in force, or ``None`` if they are not sealed.

    Raises:
        GameError: The file is damaged.
    """
    request = game.state().request
    if request is None or not game.terms.dice.beacon:
        return None
    file = _file(game, request)
    if not file.is_file():
        return None
    found = json_in(read_bytes(file), Sealing, "sealing-damaged", "the sealed orders are damaged", file)
    # A file from before an undo belongs to another segment.
    return found if found.segment == game.state().segment + 1 else None


def seal(game: GameFolder, texts: Mapping[str, str], beacon: Beacon | None, known: int = 0) -> Sealing:
    """Seal a complete set of answers, and return the record of it.

    If the answers are already sealed, the record on file is returned; otherwise a new record names a future round
    of the beacon. ``known`` is the round with which the same answers were played before a backup was restored (0:
    none).

    Raises:
        GameError: The answers differ from those that were sealed, or there is no beacon client.
    """
    state, request = game.state(), game.state().request
    assert request is not None
    seals = dict(sorted(seals_of(game.dice(), state, texts).items()))
    found = sealing_of(game)
    if found is not None:
        if found.seals != seals:
            other = next(side for side in seals if found.seals.get(side) != seals[side])
            text = (
                f"restore the orders of {other} or take the game back with `pbem undo`: "
                f"they have changed since they were sealed for round {found.round} of the beacon"
            )
            raise GameError.saying(
                "seal-broken", text, file=f"{request.turn:02}/orders/{other}.r{request.number}.orders"
            )
        return found
    if beacon is None:
        raise GameError.saying(
            "no-beacon",
            "give the value with --beacon: this game's dice need a public beacon, and none can be reached here",
        )
    made = Sealing(
        segment=state.segment + 1,
        turn=request.turn,
        request=request.number,
        round=known or first_round_after(beacon.now() + MARGIN),
        seals=seals,
    )
    keep(_file(game, request), made, indent=True)
    return made


def _file(game: GameFolder, request: Request) -> Path:
    return game.path / f"{request.turn:02}" / f"sealed.r{request.number}.json"


def draw(sealing: Sealing, beacon: Beacon | None) -> tuple[str, str]:
    """Return (beacon value for sealed orders, ``""``), or (``""``, reason) if the value is not known yet.

    The value has the form ``ROUND:HEX`` and becomes part of the dice key.
    """
    if beacon is None:
        return "", "no beacon can be asked here"
    if beacon.now() < sealing.due:
        return "", STILL_TO_COME
    try:
        value = beacon.value(sealing.round)
    except GameError as error:
        return "", "; ".join(fault.text for fault in error.faults)
    verify_value(value)
    return f"{sealing.round}:{value}", ""


def verify_value(value: str) -> None:
    """Check that a beacon value consists of 64 lower-case hex digits (32 bytes).

    Raises:
        GameError: The value has another form.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", value):
        raise GameError.saying(
            "beacon-value", f"give the beacon's value as 64 hex digits (or its signature, 96), not {value[:99]!r}"
        )
