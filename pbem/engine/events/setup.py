"""Events of the course of a game: setup, orders, requests, turns and the end."""

# Annotations are not put off: see pbem/engine/state.py.

from collections import Counter

import msgspec

from pbem.data.terms import StepName, WeaponState
from pbem.engine.changes import OF_ONE_TURN, put_unit, ship_of
from pbem.engine.events.base import Event, Notice
from pbem.engine.options import Options
from pbem.engine.state import AnyUnit, Outcome, Planet, Position, Request, Ship, Shuttle, Side, StandingOrders, State

replace = msgspec.structs.replace


class GameStarted(Event, frozen=True, kw_only=True, tag="game_started"):
    """The scenario is set up.

    ``map`` is its first and last hex, ``asteroids`` the hexes with asteroids (P3.0).

    ``figures`` lists what the custom figures of this game replace (``ship rom_cadet_ca``); ``figures_hash`` is the
    hash of their files.
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
        """Return the state with the game's data set."""
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
    """A unit is placed on the map: at the start of the scenario, or later as a reinforcement (scenario #8)."""

    unit: AnyUnit

    def apply(self, state: State) -> State:
        """Return the state with the unit added."""
        unit = self.unit
        if not unit.track:
            unit = replace(unit, track=(Position(0, unit.hex, unit.facing),))
        if isinstance(unit, Planet) and unit.name not in state.worlds:
            state = replace(state, worlds=(*state.worlds, unit.name))
        return put_unit(state, unit)


class OrdersFiled(Event, frozen=True, kw_only=True, tag="orders_filed"):
    """A side's orders come into force, in normal form; others see only that they did.

    ``sealed`` is the salted hash of the orders. ``continued`` orders are the ones in force before, unchanged
    (CONTINUE): what was already flown and spent stays so.
    """

    side: str
    request: int
    form: str = ""
    sealed: str = ""
    text: str = ""
    continued: bool = False

    def apply(self, state: State) -> State:
        """Return the state with these orders in force."""
        before = state.standing.get(self.side)
        if self.continued and before is not None:
            standing = replace(before, request=self.request)
        else:
            standing = StandingOrders(text=self.text, request=self.request)
        return replace(state, standing={**state.standing, self.side: standing})


class SegmentBegan(Event, frozen=True, kw_only=True, tag="segment_began"):
    """The start of a segment of play with its own dice.

    ``segment`` is its number, ``link`` the index of the link it uses from the committed dice chain.

    In games with a public beacon, ``beacon`` is the value that went into its key, as ``ROUND:HEX``. Where play is
    repeated with the same dice, ``kept`` are the earlier segments whose keys still apply to the moments they
    covered (:class:`~pbem.engine.events.umpire.Reran`).
    """

    segment: int
    link: int
    beacon: str = ""
    kept: tuple[int, ...] = ()

    def apply(self, state: State) -> State:
        """Return the state in the new segment, without a request."""
        return replace(state, segment=self.segment, request=None)


class TurnBegan(Event, frozen=True, kw_only=True, tag="turn_began"):
    """The start of a new turn: reinforcement and unused energy are gone, weapons may fire again (B3.0, E1.5)."""

    def apply(self, state: State) -> State:
        """Return the state without what lasts for one turn only.

        Reinforcement (D3.34) and disruptor energy (E3.2) are gone; the last speed is remembered. Units that share a
        hex keep their tracks, because rules look at where they were before they met, which may be turns ago.
        """
        # Units in one hex are judged by where they stood before they met, turns ago perhaps (D3.42).
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
                    reinforcement=(0,) * 6,
                    general=0,
                    repairing={},
                    allotted=(),
                    weapons=weapons,
                    marks=() if unit.robot and unit.in_play else unit.marks,
                    unpaid=(),
                    tactical=0,
                    sublight=False,
                    cloak_paid=False,
                    tractors=(),
                    transporters=0,
                    move_warp=0.0,
                    move_impulse=0,
                    paid_speed=0,
                    towing=0,
                    powered={},
                    **OF_ONE_TURN,
                )
            elif isinstance(unit, Shuttle):
                unit = replace(unit, prior_speed=unit.speed)
            unit = replace(unit, towed=()) if unit.towed else unit
            units[name] = unit if together[unit.hex] > 1 else replace(unit, track=unit.track[-1:])
        return replace(state, units=units)


class Requested(Event, frozen=True, kw_only=True, tag="requested"):
    """The engine asks for orders."""

    request: Request

    def apply(self, state: State) -> State:
        """Return the state with the request set."""
        return replace(state, request=self.request, last_request=self.request)


class Stopped(Event, frozen=True, kw_only=True, tag="stopped"):
    """Play stops between steps; ``next_impulse`` and ``next_step`` say where it goes on."""

    next_impulse: int
    next_step: StepName

    def apply(self, state: State) -> State:
        """Return the state at the impulse and step where play goes on."""
        return replace(state, impulse=self.next_impulse, step=self.next_step)


class Broke(Notice, frozen=True, kw_only=True, tag="broke"):
    """A break of a side became true.

    It is secret: ``condition`` is the side's own line, and the others see only that the side had a break.
    """

    side: str
    condition: str = ""
    line: int = 0


class OrderTold(Event, frozen=True, kw_only=True, tag="order_told"):
    """The result of one order line, for its owner.

    ``result`` is ``acted``, ``did not act``, ``disarmed``, ``flown as F`` …; ``reason`` says why. ``spent`` orders
    will not act again.
    """

    side: str
    unit: str
    line: int
    order: str
    result: str
    reason: str = ""
    spent: bool = False

    def apply(self, state: State) -> State:
        """Return the state in which a spent order cannot act again."""
        standing = state.standing.get(self.side)
        if not self.spent or standing is None or self.line in standing.spent:
            return state
        acted = (*standing.acted, self.line) if self.result == "acted" else standing.acted
        spent = replace(standing, spent=tuple(sorted({*standing.spent, self.line})), acted=acted)
        return replace(state, standing={**state.standing, self.side: spent})


class Chose(Notice, frozen=True, kw_only=True, tag="chose"):
    """A choice that the engine made for a side, written as the order the player could have given.

    Such choices are defaults, sources of energy, and damage.
    """

    side: str
    unit: str
    order: str
    reason: str = ""


class Marked(Event, frozen=True, kw_only=True, tag="marked"):
    """A fact that a scenario defines about a unit becomes true (``crew rescued``)."""

    unit: str
    mark: str

    def apply(self, state: State) -> State:
        """Return the state with the mark added to the ship."""
        unit = ship_of(state, self.unit)
        return state if unit is None else put_unit(state, replace(unit, marks=(*unit.marks, self.mark)))


class TurnEnded(Notice, frozen=True, kw_only=True, tag="turn_ended"):
    """The turn is over."""


class Conceded(Event, frozen=True, kw_only=True, tag="conceded"):
    """A side gives up the game, and its units leave it (CONCEDE)."""

    side: str

    def apply(self, state: State) -> State:
        """Return the state without the side's boarding parties aboard other ships.

        They would otherwise capture ships for a side that has left (D7.0).
        """
        for ship in state.ships():
            if self.side in ship.boarders:
                boarders = {side: count for side, count in ship.boarders.items() if side != self.side}
                state = put_unit(state, replace(ship, boarders=boarders))
        return state


class GameEnded(Event, frozen=True, kw_only=True, tag="game_ended"):
    """The scenario is over; ``outcome`` is the result of each side."""

    outcome: tuple[Outcome, ...]

    def apply(self, state: State) -> State:
        """Return the state with the outcome set and no request."""
        return replace(state, outcome=self.outcome, over=True, request=None)
