"""A side's orders beside what became of them, line by line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from pbem.data.words import FormKind
from pbem.engine import events as ev
from pbem.engine.checking.check_never import holds_already
from pbem.engine.fold import fold
from pbem.engine.state import Shuttle, State
from pbem.orders import model as om
from pbem.orders.reader import read_orders
from pbem.patterns import regex
from pbem.reports.view import view
from pbem.reports.view.seen import Seen

replace = msgspec.structs.replace

STOOD = "it was so when these orders began, and a break waits for what becomes true"
BROKE, WAITS, NEVER = "broke", "waits", "did not act"
"""What became of a break that came true, of an order of which there is nothing to tell yet, and of one of which there
never was.
"""


def orders_told(later: Sequence[Seen], before: State, state: State, side: str) -> tuple[view.OrderSet, ...]:
    """The orders the reader gave for the turn shown, with what became of each line and why."""
    sets: list[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]] = []
    places: list[int] = []
    for place, item in enumerate(later):
        event = item.event
        if isinstance(event, ev.OrdersFiled) and side in (event.side, ev.UMPIRE):
            if event.continued:
                # CONTINUE stands for the orders in force before it.
                standing = before.standing.get(event.side)
                old = next(
                    (f.text for f, _ in reversed(sets) if f.side == event.side), standing.text if standing else ""
                )
                event = replace(event, text=old or event.text)
            sets.append((event, []))
            places.append(place)
        elif isinstance(event, ev.Broke) and event.line:
            # A break that came true is told beside its line like any other order.
            broke = ev.OrderTold(
                turn=event.turn, impulse=event.impulse, step=event.step, side=event.side, unit="",
                line=event.line, order="", result=BROKE,
            )  # fmt: skip
            _tell(sets, broke, item.fresh)
        elif isinstance(event, ev.OrderTold):
            _tell(sets, event, item.fresh)
    latest = {filed.side: number for number, (filed, _) in enumerate(sets) if filed.form != FormKind.EAF}
    found = []
    for number, (filed, told) in enumerate(sets):
        last = latest.get(filed.side) == number
        idle = _idle(filed, _lines_told(sets[: number + 1], filed.side), state) if last else []
        spent = _spent_before(sets, number)
        after = next((n for n in range(number + 1, len(sets)) if sets[n][0].side == filed.side), None)
        if after is not None and sets[after][0].continued:
            # They go on (CONTINUE): what becomes of what still waits is told there.
            spent |= frozenset(range(1, filed.text.count("\n") + 2))
        orders = _order_set(filed, [*told, *idle], spent, state, in_force=last and not state.over)
        # Others stood for them before the last report, and that told what became of them.
        ended = after is not None and not later[places[after]].fresh
        orders = replace(orders, past=ended and not any(fresh for _, fresh in told))
        began = [item.event for item in later[: places[number] + 1]]
        found.append(_with_breaks_that_stood(orders, filed, partial(fold, began, before)))
    return tuple(found)


def _with_breaks_that_stood(orders: view.OrderSet, filed: ev.OrdersFiled, began: Callable[[], State]) -> view.OrderSet:
    """The orders; of breaks that were true when they ``began``, and so did not become true, that is said."""
    silent = {line.line for line in orders.lines if line.silent}
    units = _units(filed) if silent else ()
    breaks = [(unit.unit, line) for unit in units for line in unit.breaks if line.line in silent]
    if not breaks:
        return orders
    state = began()
    stood = {line.line for unit, line in breaks if holds_already(state, unit, line)}
    lines = (replace(line, why=STOOD) if line.line in stood else line for line in orders.lines)
    return replace(orders, lines=tuple(lines)) if stood else orders


def _units(filed: ev.OrdersFiled) -> tuple[om.UnitOrders, ...]:
    """The orders by unit; they were read like this as they were played, and need not be read again."""
    return read_orders(filed.text, header=False).orders.units


def _lines_told(sets: Sequence[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]], side: str) -> set[int]:
    """The lines of the last of these orders of which something was told, now or before they were continued."""
    lines: set[int] = set()
    for filed, told in reversed([it for it in sets if it[0].side == side]):
        lines |= {event.line for event, _ in told}
        if not filed.continued:
            break
    return lines


def _idle(filed: ev.OrdersFiled, told: set[int], state: State) -> list[tuple[ev.OrderTold, bool]]:
    """What is said, once their turn is over, of orders that did nothing: no event tells of them."""
    asked = state.request
    begins = asked is not None and asked.impulse == 0 and asked.turn > filed.turn
    if not (state.over or begins):
        return []
    found: list[tuple[ev.OrderTold, bool]] = []
    for block in _units(filed):
        reactions = block.plot.reactions if block.plot else ()
        tacs = block.plot.tacs if block.plot else ()
        doing = [order for order in block.do if not all(isinstance(it, om.Guide) for it in order.does)]
        for line in (*reactions, *tacs, *doing):
            if line.line in told:
                continue
            gone = _gone_target(line, state)
            why = gone or _why_idle(line, state)
            result = "disarmed" if gone else "did not act"
            at = state.impulses if not state.over else state.impulse
            said = ev.OrderTold(
                turn=filed.turn, impulse=at, side=filed.side, unit=block.unit, line=line.line, order=line.text,
                result=result, reason=why, spent=True,
            )  # fmt: skip
            found.append((said, True))
    return found


def _why_idle(line: om.Line, state: State) -> str:
    moment = getattr(line, "at", None)
    later = getattr(line, "last", False) or (moment is not None and moment > state.impulse)
    if state.over and later:
        return "the game was over before its moment"
    waited = getattr(line, "condition", None) is not None
    return "its condition did not come true" if waited else "there was nothing for it to act on"


def _gone_target(line: om.Line, state: State) -> str:
    """That the unit an order is aimed at is out of play, in words; empty if it is not."""
    for activity in getattr(line, "does", ()):
        ref = getattr(activity, "target", None)
        if isinstance(ref, om.UnitRef) and ref.how == "name":
            for name, unit in state.units.items():
                if name.casefold() == ref.name.casefold() and unit.gone:
                    return f"{name}: {unit.gone}"
    return ""


def _spent_before(
    sets: Sequence[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]], number: int
) -> frozenset[int]:
    """The lines of unchanged orders (CONTINUE) that were spent before they were given anew: they stay so."""
    side, spent = sets[number][0].side, set[int]()
    while number >= 0 and sets[number][0].continued:
        number = next((n for n in reversed(range(number)) if sets[n][0].side == side), -1)
        if number >= 0:
            spent |= {event.line for event, _ in sets[number][1] if event.spent}
    return frozenset(spent)


def _tell(
    sets: Sequence[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]], told: ev.OrderTold, fresh: bool
) -> None:
    """Put what is told of an order to the orders its side gave last."""
    for filed, those in reversed(sets):
        if filed.side == told.side:
            those.append((told, fresh))
            return


def _waiting(lines: Sequence[str]) -> frozenset[int]:
    """The lines of orders in normal form that wait for a moment: those of DO and of BREAK, and what stands below a
    plot.
    """
    found: set[int] = set()
    heading = ""
    for number, text in enumerate(lines, start=1):
        if not text.startswith(" "):
            heading = text.split(" ", 1)[0]
        elif heading in ("DO", "BREAK", "PLOT", "COURSE"):
            found.add(number)
    return frozenset(found)


def _of_the_gone(lines: Sequence[str], state: State) -> frozenset[int]:
    """The lines of blocks whose unit is out of play, or a shuttle that was sent as a bomb (J2.22): nothing of them
    is in force any more.
    """
    found: set[int] = set()
    gone = False
    for number, text in enumerate(lines, start=1):
        word, _, name = text.partition(" ")
        if word in ("SHIP", "SHUTTLE"):
            unit = state.units.get(name.strip().strip('"'))
            gone = unit is not None and (not unit.in_play or (isinstance(unit, Shuttle) and bool(unit.target)))
        elif gone:
            found.add(number)
    return frozenset(found)


_MOMENT = regex(r"\s*(?:AT (\d+) |TAC [LR] AT (\d+)$)")


def _is_past(text: str, filed: ev.OrdersFiled, state: State) -> bool:
    """Whether the impulse that a line in normal form names has been played, so that it waits for nothing."""
    named = _MOMENT.match(text)
    return named is not None and (filed.turn, int(named[1] or named[2])) < (state.turn, state.impulse)


def _order_set(
    filed: ev.OrdersFiled,
    told: Sequence[tuple[ev.OrderTold, bool]],
    spent: frozenset[int],
    state: State,
    *,
    in_force: bool,
) -> view.OrderSet:
    lines = filed.text.split("\n")
    waiting = _waiting(lines) - spent if filed.form != FormKind.EAF else frozenset[int]()
    gone = _of_the_gone(lines, state)
    asked = state.request
    running = in_force and (asked is None or asked.turn == filed.turn)
    by_line: dict[int, list[view.Told]] = {}
    more: list[view.Told] = []
    for event, fresh in told:
        this = view.Told(
            turn=event.turn,
            impulse=event.impulse,
            unit=event.unit,
            result=event.result,
            reason=event.reason,
            order=event.order,
            rule=event.rule,
            fresh=fresh,
        )
        if 1 <= event.line <= len(lines) and lines[event.line - 1].strip():
            by_line.setdefault(event.line, []).append(this)
        else:
            more.append(this)
    return view.OrderSet(
        side=filed.side,
        turn=filed.turn,
        request=filed.request,
        form=filed.form,
        continued=filed.continued,
        in_force=in_force,
        lines=tuple(
            view.OrderLine(
                line=number,
                text=text.rstrip(),
                told=tuple(by_line.get(number, ())),
                silent=""
                if number not in waiting or number in by_line
                else WAITS
                if running and number not in gone and not _is_past(text, filed, state)
                else NEVER,
            )
            for number, text in enumerate(lines, start=1)
            if text.strip()
        ),
        more=tuple(more),
    )
