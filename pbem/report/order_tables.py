"""A side's orders beside what became of them, line by line."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.game import events as ev
from pbem.game.state import State
from pbem.report import view
from pbem.report.seen import Seen

replace = msgspec.structs.replace

BROKE, WAITS, NEVER = "broke", "waits", "did not act"
"""What became of a break that came true, of an order of which there is nothing to tell yet, and of one of which there
never was.
"""


def orders_told(later: Sequence[Seen], before: State, state: State, side: str) -> tuple[view.OrderSet, ...]:
    """The orders the reader gave for the turn shown, with what became of each line and why."""
    sets: list[tuple[ev.OrdersFiled, list[tuple[ev.OrderTold, bool]]]] = []
    for item in later:
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
        elif isinstance(event, ev.Broke) and event.line:
            # A break that came true is told beside its line like any other order.
            broke = ev.OrderTold(
                turn=event.turn, impulse=event.impulse, step=event.step, side=event.side, unit="",
                line=event.line, order="", result=BROKE,
            )  # fmt: skip
            _tell(sets, broke, item.fresh)
        elif isinstance(event, ev.OrderTold):
            _tell(sets, event, item.fresh)
    latest = {filed.side: number for number, (filed, _) in enumerate(sets) if filed.form != "EAF"}
    return tuple(
        _order_set(
            filed, told, _spent_before(sets, number), state,
            in_force=latest.get(filed.side) == number and not state.over,
        )
        for number, (filed, told) in enumerate(sets)
    )  # fmt: skip


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
    """The lines of orders in normal form that wait for a moment: those of DO and of BREAK, and reactions of a plot."""
    found: set[int] = set()
    heading = ""
    for number, text in enumerate(lines, start=1):
        if not text.startswith(" "):
            heading = text.split(" ", 1)[0]
        elif heading in ("DO", "BREAK") or (heading in ("PLOT", "COURSE") and " THEN " in text):
            found.add(number)
    return frozenset(found)


def _order_set(
    filed: ev.OrdersFiled,
    told: Sequence[tuple[ev.OrderTold, bool]],
    spent: frozenset[int],
    state: State,
    *,
    in_force: bool,
) -> view.OrderSet:
    lines = filed.text.split("\n")
    waiting = _waiting(lines) - spent if filed.form != "EAF" else frozenset[int]()
    asked = state.request
    running = in_force and (asked is None or asked.turn == filed.turn)
    by_line: dict[int, list[view.Told]] = {}
    more: list[view.Told] = []
    for event, fresh in told:
        this = view.Told(
            turn=event.turn,
            impulse=event.impulse,
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
                silent="" if number not in waiting or number in by_line else WAITS if running else NEVER,
            )
            for number, text in enumerate(lines, start=1)
            if text.strip()
        ),
        more=tuple(more),
    )
