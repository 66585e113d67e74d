"""How a game begins, and one segment of play, from answers to a request to the next one: a matter of terms, state,
orders, dice and log.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.ai.scripted import captains
from pbem.data.scenarios import Scenario
from pbem.engine import dice
from pbem.engine.events import Record
from pbem.engine.log import effective
from pbem.engine.play.resolve import resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import State
from pbem.games.proof.kept_dice import kept_by, kept_dice
from pbem.games.proof.seals import sealed_orders
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.roster import scenario_of
from pbem.games.storage.terms import Terms


def opening(terms: Terms) -> list[Record]:
    """The records every game with these terms begins with."""
    played = set_up(
        scenario_of(terms),
        terms.name,
        players={side: seat.player for side, seat in terms.sides.items()},
        options=terms.options,
        ships=terms.ships,
        extra=terms.units,
        facings=terms.facings,
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
    heard: list[dice.Heard] | None = None,
) -> tuple[list[Record], State]:
    """Play from the request in force with these answers in normal form; a pure matter of state, orders, dice and log.

    ``earlier`` is the whole log before it (that of the game, if none is given): it says whether the umpire has play
    repeated here with the dice kept. ``heard`` is given the dice, which then know what was rolled.
    """
    before = game.records() if earlier is None else earlier
    kept = kept_by(effective(before), state.segment + 1)
    return play_segment(
        game.scenario(), game.dice(), state, texts, beacon=beacon, heard=heard, kept=kept, earlier=before
    )


def play_segment(
    scenario: Scenario,
    source: dice.Source,
    state: State,
    texts: Mapping[str, str],
    *,
    beacon: str = "",
    heard: list[dice.Heard] | None = None,
    kept: tuple[int, ...] = (),
    earlier: Sequence[Record] = (),
) -> tuple[list[Record], State]:
    """The same for a game that is in no folder: random games are played with the dice they would have in one."""
    filed, key = sealed_orders(source, state, texts, beacon)
    rolled: dice.Dice = dice.SegmentDice(key, state.segment + 1)
    if kept:
        rolled = kept_dice(source, earlier, kept, rolled)
    if heard is not None:
        rolled = dice.Heard(rolled)
        heard.append(rolled)
    played = resolve(state, scenario, filed, rolled, robots=captains(scenario), beacon=beacon, kept=kept)
    return played.records, played.state
