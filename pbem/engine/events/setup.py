"""Event classes for the course of a game: setup, filed orders, requests for orders, turns and the end."""

# No `from __future__ import annotations` here: see pbem/engine/state.py.

from collections import Counter

import msgspec

from pbem.data.terms import StepName, WeaponState
from pbem.engine.changes import put_unit, ship_of
from pbem.engine.events.base import Event, Notice
from pbem.engine.on_file import AnyUnitOnFile, altered, unit_from_file
from pbem.engine.options import Options
from pbem.engine.state import (
    AnyUnit,
    Outcome,
    Planet,
    Position,
    Request,
    Ship,
    Shuttle,
    Side,
    StandingOrders,
    State,
    ThisTurn,
)

replace = msgspec.structs.replace


class GameStarted(Event, frozen=True, kw_only=True, tag="game_started"):
    """Event: the scenario is set up.

    ``map`` is the first and last hex of the map, ``asteroids`` the hexes with asteroids (P3.0). ``figures`` lists the
    standard data that custom figures of this game replace (``ship rom_cadet_ca``); ``figures_hash`` is the hash of the
    custom files.
    """

    game: str
    scenario: str
    level: str
    impulses: int
    map: tuple[str, str]
    grid: str
    options: Options
    sides: tuple[Side, ...]
    asteroids: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    figures_hash: str = ""

    def apply(self, state: State) -> State:
        """Return the state with the basic data of the game set."""
        return replace(
            state,
            game=self.game,
            scenario=self.scenario,
            level=self.level,
            impulses=self.impulses,
            map=self.map,
            grid=self.grid,
            options=self.options,
            sides={side.name: side for side in sorted(self.sides, key=lambda side: side.name)},
            asteroids=self.asteroids,
        )


class UnitPlaced(Event, frozen=True, kw_only=True, tag="unit_placed"):
    """Event: a unit is placed on the map.

    Units are placed at the start of the scenario; reinforcements are placed later (scenario #8).
    """

    unit: AnyUnitOnFile

    @property
    def placed(self) -> AnyUnit:
        """The unit in the form that states use, whereas ``unit`` has the form that log files use."""
        return unit_from_file(self.unit)

    def apply(self, state: State) -> State:
        """Return the state with the unit added."""
        unit = self.placed
        if not unit.track:
            unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
        if isinstance(unit, Planet) and unit.name not in state.worlds:
            state = replace(state, worlds=(*state.worlds, unit.name))
        return put_unit(state, unit)


class OrdersFiled(Event, frozen=True, kw_only=True, tag="orders_filed"):
    """Event: a side's orders, in normal form (standard spelling), come into force.

    The other sides see only that orders were filed. ``sealed`` is the salted hash of the orders. If ``continued`` is
    true, the side keeps its previous orders unchanged (CONTINUE), and the record of which of them were already carried
    out is kept too.
    """

    side: str
    request: int
    form: str = ""
    sealed: str = ""
    text: str = ""
    continued: bool = False

    def apply(self, state: State) -> State:
        """Return the state with these orders in force for the side."""
        before = state.standing.get(self.side)
        if self.continued and before is not None:
            standing = replace(before, request=self.request)
        else:
            standing = StandingOrders(text=self.text, request=self.request)
        return replace(state, standing={**state.standing, self.side: standing})


class SegmentBegan(Event, frozen=True, kw_only=True, tag="segment_began"):
    """Event: a new segment begins, i.e. a stretch of play between two requests, with dice of its own.

    ``segment`` is its number; ``link`` is the index of the hash-chain link from which its dice are computed. In games
    with a public random beacon, ``beacon`` is the beacon value in the segment's key, as ``ROUND:HEX``. If play is
    repeated with the same dice, ``kept`` are the earlier segments whose keys still apply to the times that they covered
    (:class:`~pbem.engine.events.umpire.Reran`).
    """

    segment: int
    link: int
    beacon: str = ""
    kept: tuple[int, ...] = ()

    def apply(self, state: State) -> State:
        """Return the state in the new segment; the request for orders is no longer open."""
        return replace(state, segment=self.segment, request=None)


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """Event: a new turn starts (B3.0, E1.5).

    Shield reinforcement and unused energy are lost, and weapons may fire again.
    """

    def apply(self, state: State) -> State:
        """Return the state without everything that lasts for one turn only.

        Reinforcement (D3.34) and disruptor energy (E3.2) are removed, and the last speed is stored. Units that
        share a hex keep their tracks (positions of the turn). Some rules ask where such units were before they met,
        which may be turns ago.
        """
        # For units in one hex, their positions before they met count, even from earlier turns (D3.42).
        together = Counter(unit.hex for unit in state.in_play())
        units: dict[str, AnyUnit] = {}
        for name, unit in state.units.items():
            if isinstance(unit, Ship):
                weapons = {
                    key: replace(weapon, charge=WeaponState.NONE) if weapon.charge == WeaponState.POWERED else weapon
                    for key, weapon in unit.weapons.items()
                }
                unit = replace(
                    unit,
                    prior_speed=unit.speed,
                    weapons=weapons,
                    marks=() if unit.terms.robot and unit.in_play else unit.marks,
                    towing=0,
                    power=unit.power.at_next_turn(),
                    this_turn=ThisTurn(),
                )
            elif isinstance(unit, Shuttle):
                unit = replace(unit, prior_speed=unit.speed)
            unit = replace(unit, towed=()) if unit.towed else unit
            units[name] = unit if together[unit.hex] > 1 else replace(unit, track=unit.track[-1:])
        return replace(state, units=units)


class Requested(Event, frozen=True, kw_only=True, tag="requested"):
    """Event: the engine requests orders from one or more sides."""

    request: Request

    def apply(self, state: State) -> State:
        """Return the state with this request open."""
        return replace(state, request=self.request, last_request=self.request)


class Stopped(Event, frozen=True, kw_only=True, tag="stopped"):
    """Event: play stops between two steps; ``next_impulse`` and ``next_step`` say where it will go on."""

    next_impulse: int
    next_step: StepName

    def apply(self, state: State) -> State:
        """Return the state at the impulse and step where play goes on."""
        return replace(state, impulse=self.next_impulse, step=self.next_step)


class Broke(Notice, frozen=True, kw_only=True, tag="broke"):
    """Event: the condition of a side's break became true, so play stops for new orders from that side.

    The event is secret: ``condition`` is the side's own order line. The other sides see only that one of the side's
    breaks stopped play.
    """

    side: str
    condition: str = ""
    line: int = 0


class OrderTold(Event, frozen=True, kw_only=True, tag="order_told"):
    """Event: the result of one order line; only its owner sees it.

    ``result`` is ``acted``, ``did not act``, ``disarmed``, ``flown as F`` …; ``reason`` says why. If ``spent`` is true,
    the order will not act again.
    """

    side: str
    unit: str
    line: int
    order: str
    result: str
    reason: str = ""
    spent: bool = False

    def apply(self, state: State) -> State:
        """Return the state in which the order cannot act again, if it is spent."""
        standing = state.standing.get(self.side)
        if not self.spent or standing is None or self.line in standing.spent:
            return state
        acted = (*standing.acted, self.line) if self.result == "acted" else standing.acted
        spent = replace(standing, spent=tuple(sorted({*standing.spent, self.line})), acted=acted)
        return replace(state, standing={**state.standing, self.side: spent})


class Chose(Notice, frozen=True, kw_only=True, tag="chose"):
    """Event: the engine made a choice for a side.

    Examples are a default value, a source of energy, or a box lost to damage. ``order`` is the order line with which
    the player could have made the same choice.
    """

    side: str
    unit: str
    order: str
    reason: str = ""


class Marked(Event, frozen=True, kw_only=True, tag="marked"):
    """Event: a fact about a ship that the scenario defines becomes true.

    ``mark`` names the fact, such as ``crew rescued``.
    """

    unit: str
    mark: str

    def apply(self, state: State) -> State:
        """Return the state with the mark added to the ship."""
        unit = ship_of(state, self.unit)
        return state if unit is None else put_unit(state, replace(unit, marks=(*unit.marks, self.mark)))


class TurnEnded(Notice, frozen=True, kw_only=True, tag="turn_ended"):
    """Event: the turn is over."""


class Conceded(Event, frozen=True, kw_only=True, tag="conceded"):
    """Event: a side gives up the game and its units leave it (CONCEDE)."""

    side: str

    def apply(self, state: State) -> State:
        """Return the state without the conceding side's boarding parties aboard other ships.

        Otherwise these parties could capture ships for a side that has left the game (D7.0).
        """
        for ship in state.ships():
            if self.side in ship.people.boarders:
                boarders = {side: count for side, count in ship.people.boarders.items() if side != self.side}
                state = put_unit(state, altered(ship, boarders=boarders))
        return state


class GameEnded(Event, frozen=True, kw_only=True, tag="game_ended"):
    """Event: the scenario is over; ``outcome`` is the result of each side."""

    outcome: tuple[Outcome, ...]

    def apply(self, state: State) -> State:
        """Return the state with the outcome set and no open request for orders."""
        return replace(state, outcome=self.outcome, over=True, request=None)
