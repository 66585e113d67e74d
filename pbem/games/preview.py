"""Preview of a side's orders, and the odds of the shots in them.

The preview plays the orders on the real engine, but with only the side's own ships on the map. It therefore reveals
nothing about other sides. For the same reason, a break (a condition on which play stops) that depends on other sides
never happens in a preview. The dice of a preview are derived from the orders alone and say nothing about the game's
dice. The odds are computed only from information that the side has.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind, UnitFate
from pbem.engine import dice, events as ev
from pbem.engine.checking.never import Prospect, prospects
from pbem.engine.events import seen_by
from pbem.engine.log import fold
from pbem.engine.state import AnyUnit, Planet, Ship, Shuttle, State
from pbem.errors import GameError
from pbem.games.answers import CONTINUE, rest_of, side_named
from pbem.games.storage.folder import GameFolder
from pbem.orders.reader import read_orders


def odds_of(game: GameFolder, text: str, file: str) -> tuple[str, tuple[Prospect, ...], tuple[str, ...]]:
    """Return the odds of each FIRE order in an order file, computed from what its side knows.

    Returns:
        The side whose orders these are, the odds of each shot, and sentences about shots that cannot be assessed.

    Raises:
        GameError: The orders cannot be read, or they name no side of the game.
    """
    reading = read_orders(text, file=file)
    if reading.faults:
        raise GameError(*reading.faults)
    side = side_named(game.state(), reading.orders.side)
    if not side:
        said = f"write a SIDE of {game.state().game} in the header: {', '.join(game.state().sides)}"
        raise GameError.saying("wrong-side", said, file=file)
    known = (seen_by(record, side) for record in game.effective())
    state = fold(event for event in known if event is not None)
    found, unsaid = prospects(state, game.scenario(), reading.orders)
    return side, found, unsaid


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a preview of orders.

    ``tracks`` are the courses of the units, as (unit, ((impulse, hex and facing), …)). ``told`` has a pair (impulse,
    sentence) for each other event.
    """

    tracks: tuple[tuple[str, tuple[tuple[int, str], ...]], ...] = ()
    told: tuple[tuple[int, str], ...] = ()


def preview(state: State, scenario: Scenario, side: str, text: str) -> Preview:
    """Play the orders of ``side`` against the request in force, with only its own ships on the map.

    ``text`` is the side's answer in normal form.
    """
    from pbem.ai.robot import commanders
    from pbem.engine.play.resolve import Filed, resolve
    from pbem.reports.text import sentences

    lonely = alone(state, side)
    if lonely.request is None or (text == CONTINUE and side not in lonely.standing):
        return Preview()
    key = dice.preview_key(state.game, text)
    played = resolve(lonely, scenario, {side: Filed(text=text)}, dice.SegmentDice(key), robots=commanders(scenario))
    records, after = played.records, played.state
    if lonely.request.form == FormKind.EAF and after.request is not None:
        # If the file also contains orders (SOP), these are played after the energy form.
        rest = rest_of(text)
        if rest:
            after = alone(after, side)
            second = resolve(
                after, scenario, {side: Filed(text=rest)}, dice.SegmentDice(key), robots=commanders(scenario)
            )
            records = [*records, *second.records]
    tracks: dict[str, dict[int, str]] = {}
    told: list[tuple[int, str]] = []
    for record in records:
        event = ev.seen_by(record, side)
        if isinstance(event, ev.Moved):
            tracks.setdefault(event.unit, {})[event.impulse] = event.at
        elif isinstance(event, ev.OrderTold | ev.Broke | ev.GameEnded) or event is None:
            pass  # these events only concern orders and other sides, so the preview leaves them out
        elif sentences.words_for(event).place != "log":
            told.append((event.impulse, sentences.sentence(event)))
    return Preview(
        tracks=tuple((unit, tuple(sorted(track.items()))) for unit, track in sorted(tracks.items())), told=tuple(told)
    )


def alone(state: State, side: str) -> State:
    """Return a copy of the game state in which only the ships and shuttles of ``side`` are active.

    Other ships count as not yet arrived. All seeking weapons and other shuttles are removed, including the side's
    own seeking weapons, because the position of their target may be secret. The setting for announcing speeds
    before orders stays as in the real game, although it depends on which sides play.
    """
    from pbem.engine.play.resolve import reveals_speeds

    units: dict[str, AnyUnit] = {}
    for name, unit in state.units.items():
        if isinstance(unit, Planet) or (unit.belongs_to(side) and isinstance(unit, Ship | Shuttle)):
            units[name] = unit
        elif isinstance(unit, Ship):
            units[name] = replace(unit, gone=UnitFate.NOT_YET)
    mine = {name for name, unit in units.items() if unit.belongs_to(side)}
    return replace(
        state,
        units=units,
        links=tuple(link for link in state.links if {link.ship, link.target} <= mine),
        standing={name: orders for name, orders in state.standing.items() if name == side},
        recent=(),
        options=replace(state.options, reveal="speeds" if reveals_speeds(state) else "none"),
        request=replace(state.request, sides=(side,)) if state.request else None,
    )
