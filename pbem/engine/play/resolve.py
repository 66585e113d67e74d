"""Play from one request for orders to the next.

:func:`resolve` is a pure function: the same state, orders and dice give the same log records, byte for byte. It
uses no files and no clock. Play stops only between steps, and the step at which it stopped is part of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from pbem.data.scenarios import Scenario
from pbem.data.terms import FormKind, StepName, UnitFate
from pbem.engine import events as ev
from pbem.engine.dice import Dice, link_for
from pbem.engine.events import Record
from pbem.engine.play import breaks, surrender
from pbem.engine.play.order_executor import OrdersCommander, resolve_names
from pbem.engine.play.periods import period_end, pulses_of
from pbem.engine.play.resolution import Commander, Resolution
from pbem.engine.relations import commanded_ships, takes_orders
from pbem.engine.state import Commanded, Request, Ship, State
from pbem.engine.steps import sequence
from pbem.orders import model as om
from pbem.orders.reader import read_condition, read_orders


class Filed(msgspec.Struct, frozen=True, kw_only=True):
    """A side's accepted answer to a request: its orders in standard spelling, and their salted hash."""

    text: str
    sealed: str = ""


class ResolutionResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a resolution: the log records written and the new state.

    ``state.request`` is the next request for orders, ``None`` if the game is over.
    """

    records: list[Record]
    state: State


class DiceOrigin(NamedTuple):
    """The source of a segment's dice, as the log records it.

    A segment is the play between two requests for orders. ``beacon`` is the drand value (a public random value) in the
    dice key; ``kept`` are the earlier segments whose dice are used again.
    """

    beacon: str = ""
    kept: tuple[int, ...] = ()


OWN_DICE = DiceOrigin()
"""The origin of ordinary dice: the segment has its own key, without a beacon value."""


def resolve(
    state: State,
    scenario: Scenario,
    answers: Mapping[str, Filed],
    dice: Dice,
    *,
    robots: Callable[[str], Commander] | None = None,
    strikes: Mapping[tuple[int, int], Sequence[tuple[str, int | str, int]]] | None = None,
    until: int | None = None,
    origin: DiceOrigin = OWN_DICE,
) -> ResolutionResult:
    """Play on from the open request to the next request for orders or the end of the game.

    The request ``state.request`` must have been answered by all its sides.

    Args:
        state: The state with an open request.
        scenario: The scenario of the game.
        answers: The answer of each side that the request names.
        dice: The dice of this segment of play.
        robots: A function that creates the commander of a computer player's side
            (:class:`pbem.ai.robot.RobotCommander`).
        strikes: Damage that a rule case (a test of a rule) inflicts.
        until: The impulse after which play stops without a request; used by rule cases.
        origin: The source of the dice, for the log.

    Raises:
        ValueError: No request is open, or an answer is missing.
        GameError: An answer is not legal. Orders are checked before they are filed, so an illegal answer means that the
            game files are damaged.
    """
    request = state.request
    if request is None:
        raise ValueError("no orders are asked for: the game is over or was never set up")
    missing = [side for side in request.sides if side not in answers]
    if missing:
        raise ValueError(f"no orders from {', '.join(missing)}")
    table = Resolution(state, scenario, dice, {}, strikes)
    table.turn, table.impulse = request.turn, state.impulse
    if table.turn != state.turn:
        table.impulse, table.step = 0, sequence.OPENING[0].name
    table.tell(
        ev.SegmentBegan(
            segment=state.segment + 1, link=link_for(state.segment + 1), beacon=origin.beacon, kept=origin.kept
        )
    )
    for side in sorted(request.sides):
        _file(table, side, request, answers[side])
    orders = _orders_in_force(table)
    table.captains = {side: _captain(table, side, orders, robots) for side in sorted(state.sides)}
    lookout = breaks.Lookout(table, orders, _autobreaks(state))
    _play(table, lookout, until, {side: orders[side] for side in sorted(request.sides) if side in orders})
    return ResolutionResult(records=table.records, state=table.state)


def _file(table: Resolution, side: str, request: Request, answer: Filed) -> None:
    continued = "CONTINUE" in answer.text.split("\n")
    event = ev.OrdersFiled(
        side=side,
        request=request.number,
        form=request.form,
        sealed=answer.sealed,
        text=answer.text,
        continued=continued,
    )
    shown = ev.OrdersFiled(side=side, request=request.number, form=request.form, sealed=answer.sealed)
    table.secret(side, event, shown)


def _orders_in_force(table: Resolution) -> dict[str, om.Orders]:
    return {
        side: resolve_names(_read(standing.text), table.state, side)
        for side, standing in sorted(table.state.standing.items())
    }


@lru_cache(maxsize=64)
def _read(text: str) -> om.Orders:
    """Parse orders that are in normal form (standard spelling).

    The result is cached, because orders stay in force for many resolutions.
    """
    return read_orders(text, header=False).orders


def _captain(
    table: Resolution, side: str, orders: dict[str, om.Orders], robots: Callable[[str], Commander] | None
) -> Commander:
    if not table.state.sides[side].robot:
        return OrdersCommander(side, orders.get(side, om.Orders()))
    if robots is None:
        raise ValueError(f"{side} is played by a robot, and none was given")
    return robots(side)


def _autobreaks(state: State) -> list[tuple[str, om.Condition, str]]:
    return [(auto.side, _condition(auto.when), auto.when) for auto in state.options.autobreaks]


@lru_cache(maxsize=64)
def _condition(text: str) -> om.Condition:
    """Parse the condition of an auto-break.

    The result is cached, because the condition applies for the whole game.
    """
    return read_condition(text)


# --- the clock -------------------------------------------------------------------------------------------------------


def _play(table: Resolution, lookout: breaks.Lookout, until: int | None, answers: dict[str, om.Orders]) -> None:
    """Play step by step until some side must give new orders or the game is over.

    An answer may be a single word such as CONCEDE instead of orders. Such answers take effect before anything else
    happens.
    """
    just_done: list[str] = []
    course = sequence.course(table.scenario)
    while True:
        step = sequence.BY_NAME[table.step]
        if step.name == sequence.OPENING[0].name:
            table.tell(ev.TurnBegan(rule="B2.0"))
        table.tick()
        if answers:
            surrender.play(table, answers)
            answers = {}
            if table.state.over:
                return
        step.play(table)
        if table.state.over:
            return
        just_done.append(step.name)
        onward = course.after(table.impulse, step.name, table.state.impulses)
        if onward is None:
            form = opening_form(table.state, table.scenario)
            _ask(
                table,
                turn=table.turn + 1,
                impulse=0,
                step=sequence.OPENING[0].name,
                reason="a new turn begins",
                form=form,
            )
            return
        if not step.stop:
            table.impulse, table.step = onward
            continue
        fired = lookout.look(table, pulses_of(table.state, *just_done)) if lookout.watches else []
        just_done = []
        if until is not None and step.name == sequence.IMPULSE[-1].name and table.impulse >= until:
            table.tell(ev.Stopped(next_impulse=onward[0], next_step=onward[1]))
            return
        leaving = breaks.ships_about_to_leave(table, onward[0]) if onward[1] == course.impulse[0] else []
        if _stops_here(table, course, step, onward, fired, leaving):
            return
        table.impulse, table.step = onward


def _stops_here(
    table: Resolution,
    course: sequence.StepOrder,
    step: sequence.PlayStep,
    onward: tuple[int, StepName],
    fired: list[breaks.WatchedBreak],
    leaving: list[Commanded],
) -> bool:
    """Make a request if some side must give new orders before the next step.

    Return whether a request was made. ``onward`` is the impulse and step to be played next. ``fired`` are the breaks
    whose condition became true, ``leaving`` the units that would leave the map without an order.
    """
    impulse, next_step = onward
    state = table.state
    after_opening = step.name == course.opening[-1]
    if after_opening and state.standing and _separate_forms(state, table.scenario):
        _ask(table, turn=table.turn, impulse=impulse, step=next_step, reason="speeds are announced", form=FormKind.SOP)
        return True
    if next_step == sequence.CLOSE[0].name:
        return False
    period_over = step.name == sequence.IMPULSE[-1].name and table.impulse == period_end(
        state.options, state.impulses, table.impulse
    )
    if table.impulse == state.impulses and next_step == sequence.IMPULSE[-1].name:
        # Only DISENGAGE can still act, and all sides are asked for the new turn next. So only a player's own break
        # stops play here, no auto-break.
        fired = [watch for watch in fired if watch.line]
    if not fired and not leaving and not period_over:
        return False
    sides, reason = breaks.tell(table, fired, leaving)
    if period_over:
        _ask(table, turn=table.turn, impulse=impulse, step=next_step, reason="the period is over", form=FormKind.SOP)
    else:
        _ask(table, turn=table.turn, impulse=impulse, step=next_step, reason=reason, form=FormKind.SOP, sides=sides)
    return True


def _separate_forms(state: State, scenario: Scenario) -> bool:
    """Return whether energy forms are requested first, and orders (SOPs) after speeds are announced."""
    return opening_form(state, scenario) == FormKind.EAF and bool(asked_sides(state))


def opening_form(state: State, scenario: Scenario) -> FormKind:
    """Return the form of answer requested at the start of a turn: energy form, orders (SOP) or both.

    The energy form is requested first or together with the orders. In scenarios without energy only orders are
    requested.
    """
    if not scenario.uses("energy"):
        return FormKind.SOP
    return FormKind.EAF if reveals_speeds(state) else FormKind.FULL


def reveals_speeds(state: State) -> bool:
    """Return whether speeds are announced before the other orders (SOPs) are written (option ``reveal``).

    By default they are announced first if two teams of human players are present, and not against computer players.
    """
    if state.options.reveal:
        return state.options.reveal == "speeds"
    return not any(side.robot for side in state.sides.values()) or len(_playing_teams(state)) > 1


def _playing_teams(state: State) -> set[str]:
    """Return the teams of human players whose ships have arrived (scenario #8).

    A team is included even if its ships were lost after they arrived.
    """
    here = {ship.lost_by for ship in state.units.values() if isinstance(ship, Ship) and ship.gone != UnitFate.NOT_YET}
    return {side.team for name, side in state.sides.items() if not side.robot and name in here}


def asked_sides(state: State, form: FormKind = FormKind.NONE) -> tuple[str, ...]:
    """Return the sides that must give orders for a request.

    The sides are those of human players with a ship in play that can act, a manned shuttle, or seeking weapons to
    guide. If only energy forms are requested, sides without a ship are left out, unless no side has a ship.
    """
    asked = tuple(name for name, side in sorted(state.sides.items()) if not side.robot and takes_orders(state, name))
    with_ships = tuple(name for name in asked if commanded_ships(state, name))
    return with_ships or asked if form == FormKind.EAF else asked


def _ask(
    table: Resolution,
    *,
    turn: int,
    impulse: int,
    step: StepName,
    reason: str,
    form: FormKind = FormKind.NONE,
    sides: tuple[str, ...] = (),
) -> None:
    """Stop play and write a request for orders to the log.

    After speeds are announced a request begins with impulse 1 at the earliest. Impulse 0 means that the energy forms of
    the turn must still be written.

    Args:
        table: The working state.
        turn: The turn that the orders are for.
        impulse: The first impulse that the orders are for.
        step: The step at which play will go on.
        reason: Why orders are requested.
        form: What is requested: energy form, orders or both.
        sides: The sides that are asked; by default all sides that must answer a request for this form.
    """
    begun = turn == table.turn
    first = max(1, impulse) if begun else impulse
    table.tell(ev.Requested(request=request_at(table.state, turn, first, reason, form, sides)))
    if not begun:
        return
    table.tell(ev.Stopped(next_impulse=impulse, next_step=step))


def request_at(state: State, turn: int, impulse: int, reason: str, form: FormKind, sides: tuple[str, ...]) -> Request:
    """Return the next request for orders, which begins at ``turn`` and ``impulse``.

    The number of a request counts from 1 within the turn. If ``form`` or ``sides`` is empty, the form or the sides are
    determined by the rules of the game.
    """
    if not form:
        form = FormKind.EAF if reveals_speeds(state) else FormKind.FULL
    last = state.last_request
    number = last.number + 1 if last is not None and last.turn == turn else 1
    through = period_end(state.options, state.impulses, max(1, impulse))
    return Request(
        number=number,
        turn=turn,
        impulse=impulse,
        form=form,
        sides=sides or asked_sides(state, form),
        through=state.impulses if form == FormKind.EAF else through,
        reason=reason,
    )
