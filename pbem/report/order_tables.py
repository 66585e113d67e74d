"""A side's orders beside what became of them, line by line."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.game import events as ev
from pbem.game.state import State
from pbem.report import view
from pbem.report.seen import Seen

replace = msgspec.structs.replace


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
        elif isinstance(event, ev.OrderTold):
            for filed, told in reversed(sets):
                if filed.side == event.side:
                    told.append((event, item.fresh))
                    break
    latest = {filed.side: number for number, (filed, _) in enumerate(sets) if filed.form != "EAF"}
    return tuple(
        _order_set(filed, told, in_force=latest.get(filed.side) == number and not state.over)
        for number, (filed, told) in enumerate(sets)
    )


def _order_set(filed: ev.OrdersFiled, told: Sequence[tuple[ev.OrderTold, bool]], *, in_force: bool) -> view.OrderSet:
    lines = filed.text.split("\n")
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
            view.OrderLine(line=number, text=text.rstrip(), told=tuple(by_line.get(number, ())))
            for number, text in enumerate(lines, start=1)
            if text.strip()
        ),
        more=tuple(more),
    )
