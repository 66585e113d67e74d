"""A public beacon's value in the dice: orders are sealed first, and take the value of a round that is still to come.

The host alone could try his own orders until the dice please him. So in games that take a beacon (scheme 2) nothing is
played when the last orders come in: they are sealed, the hashes and the number of a future round of the beacon are
told to everybody, and the value of that round, which nobody knows yet, goes into the key of the dice.
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
"""Unix time of round 1 of drand's network quicknet, and seconds between rounds."""

MARGIN = timedelta(minutes=2)
"""How long after the sealing the round comes: time for the hashes to reach the players before it."""


STILL_TO_COME = "the round is still to come"


class Beacon(Protocol):
    """Whoever knows the time and may know a round's value."""

    def now(self) -> datetime:
        """What time it is."""
        ...

    def value(self, number: int) -> str:
        """The randomness of a round, 64 hex digits. Raises :class:`GameError` saying why it cannot be had."""
        ...


class GivenValue:
    """A value the umpire gives by hand: for the round that was told, once it can be known."""

    def __init__(self, game: GameFolder, now: Callable[[], datetime], value: str, number: int = 0) -> None:
        """Raises :class:`GameError` where the game takes no beacon, has told of no round yet or of another, or the
        value is none. ``number`` 0 stands for the round that was told.
        """
        self.now = now
        self._value = value.strip().casefold()
        if re.fullmatch(r"[0-9a-f]{96}", self._value):
            self._value = hashlib.sha256(bytes.fromhex(self._value)).hexdigest()
        verify_value(self._value)
        if not game.terms.dice.beacon:
            raise GameError.saying("no-beacon", "the dice of this game take no beacon", file="--beacon")
        sealing = sealing_of(game)
        if sealing is None:
            text = "no orders are sealed yet; `pbem resolve` seals them and says which round they wait for"
            raise GameError.saying("not-sealed", text, file="--beacon")
        if number not in (0, sealing.round):
            text = f"the round told is {sealing.round}, not {number}"
            raise GameError.saying("beacon-round", text, file="--round")
        if now() < sealing.due:
            text = f"round {sealing.round} is published at {sealing.due:%Y-%m-%d %H:%M:%S} UTC, and not before"
            raise GameError.saying("beacon-round", text, file="--beacon")

    def value(self, number: int) -> str:
        return self._value


class Sealing(msgspec.Struct, frozen=True, kw_only=True):
    """Orders that are sealed: the hash of each side's, and the round their dice wait for."""

    segment: int
    turn: int
    request: int
    round: int
    seals: dict[str, str]

    @property
    def due(self) -> datetime:
        """When the round's value is published."""
        return round_time(self.round)


def sealed_lines(game: str, sealing: Sealing) -> list[str]:
    """What players are told of sealed orders, as `pbem verify --sent` and the proof page read it again."""
    lines = [
        f"Dice of {game}, scheme 2",
        f"Segment {sealing.segment}: request {sealing.request} of turn {sealing.turn}",
        f"  awaits round {sealing.round} of the beacon",
    ]
    for side, seal in sorted(sealing.seals.items()):
        lines += [f"  orders of {side}", f"              {seal}"]
    return lines


def round_time(number: int) -> datetime:
    """When a round is published."""
    return datetime.fromtimestamp(GENESIS + (number - 1) * PERIOD, UTC)


def first_round_after(moment: datetime) -> int:
    """The first round that is published later than ``moment``."""
    return max(1, (int(moment.timestamp()) - GENESIS) // PERIOD + 2)


def sealing_of(game: GameFolder) -> Sealing | None:
    """The sealing of the request in force, if its orders are sealed. Raises :class:`GameError` for a damaged file."""
    request = game.state().request
    if request is None or not game.terms.dice.beacon:
        return None
    file = _file(game, request)
    if not file.is_file():
        return None
    found = json_in(read_bytes(file), Sealing, "sealing-damaged", "the sealed orders are damaged", file)
    # One of before an undo is of another segment.
    return found if found.segment == game.state().segment + 1 else None


def seal(game: GameFolder, texts: Mapping[str, str], beacon: Beacon | None, known: int = 0) -> Sealing:
    """The sealing of these answers, which are all there: the one on file, or a new one for a round to come; for the
    round ``known`` where they were played with it before a backup was put back.

    Raises :class:`GameError` where the files are no longer those that were sealed, or nobody knows the time.
    """
    state, request = game.state(), game.state().request
    assert request is not None
    seals = dict(sorted(seals_of(game.dice(), state, texts).items()))
    found = sealing_of(game)
    if found is not None:
        if found.seals != seals:
            other = next(side for side in seals if found.seals.get(side) != seals[side])
            text = (
                f"the orders of {other} are not those that were sealed for round {found.round} of the beacon; put the "
                "file back as it was, or take the game back with `pbem undo`"
            )
            raise GameError.saying(
                "seal-broken", text, file=f"{request.turn:02}/orders/{other}.r{request.number}.orders"
            )
        return found
    if beacon is None:
        raise GameError.saying("no-beacon", "the dice of this game take a public beacon, and none can be asked here")
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
    """The value of the sealing's round as it goes into the key (``ROUND:HEX``), or nothing and why not yet."""
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
    """A round's randomness is 32 bytes in small hex digits. Raises :class:`GameError`."""
    if not re.fullmatch(r"[0-9a-f]{64}", value):
        raise GameError.saying(
            "beacon-value", f"a beacon's value is 64 hex digits (or its signature, 96), not {value[:99]!r}"
        )
