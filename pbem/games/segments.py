"""Compute the first records of a game, and play single segments, from the given input alone.

A segment is the play from one request for orders to the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.ai.robot import commanders
from pbem.data.scenarios import Scenario
from pbem.engine import dice
from pbem.engine.events import Record
from pbem.engine.log import effective
from pbem.engine.play.resolve import DiceOrigin, resolve
from pbem.engine.play.setup import UnitChoices, set_up
from pbem.engine.state import State
from pbem.games.proof.seals import kept_by, kept_dice, sealed_orders
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.terms import Terms, scenario_of


def opening(terms: Terms) -> list[Record]:
    """Return the first log records of a game with these terms; equal terms give equal records."""
    played = set_up(
        scenario_of(terms),
        terms.name,
        players={side: seat.player for side, seat in terms.sides.items()},
        options=terms.options,
        choices=UnitChoices(ships=terms.ships, extra=terms.units, facings=terms.facings),
        key=terms.scenario,
        grid=terms.grid,
    )
    return played.records


def segment(
    game: GameFolder,
    state: State,
    texts: Mapping[str, str],
    earlier: Sequence[Record] | None = None,
    *,
    beacon: str = "",
    heard: list[dice.RecordingDice] | None = None,
) -> tuple[list[Record], State]:
    """Play one segment from the request in force, and return its log records and the state after it.

    The result depends only on state, orders, dice and log.

    Args:
        game: The opened game.
        state: The state at the request.
        texts: Answers in normal form, by side.
        earlier: The whole log before this segment; by default that of the game. The log says whether this segment is
            a rerun that uses earlier dice again.
        beacon: Value of the public beacon, for dice that use one.
        heard: If given, the dice object is appended to this list; after play that object knows every roll.
    """
    before = game.records() if earlier is None else earlier
    kept = kept_by(effective(before), state.segment + 1)
    return play_segment(
        game.scenario(), game.dice(), state, texts, beacon=beacon, heard=heard, kept=kept, earlier=before
    )


def play_segment(
    scenario: Scenario,
    source: dice.KeySource,
    state: State,
    texts: Mapping[str, str],
    *,
    beacon: str = "",
    heard: list[dice.RecordingDice] | None = None,
    kept: tuple[int, ...] = (),
    earlier: Sequence[Record] = (),
) -> tuple[list[Record], State]:
    """Play one segment like :func:`segment`, for a game without a folder, such as a random game.

    Args:
        scenario: The scenario.
        source: The source of the dice keys.
        state: The state at the request.
        texts: Answers in normal form, by side.
        beacon: Value of the public beacon, for dice that use one.
        heard: If given, the dice object is appended to this list; after play that object knows every roll.
        kept: The segments whose dice are used again in a rerun.
        earlier: The log that contains these segments.
    """
    filed, key = sealed_orders(source, state, texts, beacon)
    rolled: dice.Dice = dice.SegmentDice(key, state.segment + 1)
    if kept:
        rolled = kept_dice(source, earlier, kept, rolled)
    if heard is not None:
        rolled = dice.RecordingDice(rolled)
        heard.append(rolled)
    origin = DiceOrigin(beacon, kept)
    played = resolve(state, scenario, filed, rolled, robots=commanders(scenario), origin=origin)
    return played.records, played.state
