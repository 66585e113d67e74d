"""A side's draft offers probes, where there is a monster to study (G5.2): entries of the form, and orders."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.data.scenarios import Scenario
from pbem.game.state import Request, Ship, State
from pbem.orders import writer
from pbem.rules import probes
from pbem.turn.science import works
from pbem.values.words import FormKind, Purpose

Hint = tuple[str, str]
"""An order, and what there is to say of it."""


def entries(state: State, scenario: Scenario, ship: Ship) -> tuple[Hint, ...]:
    """The point of energy for each launcher."""
    point = probes.arming_energy(Purpose.INFORMATION)[0]
    return tuple(
        (f"PROBE {letter} {point}", f"to study: {known}") for letter, known, _ in _ready(state, scenario, ship)
    )


def acts(state: State, scenario: Scenario, request: Request, ship: Ship) -> tuple[Hint, ...]:
    """Launches of those that are armed, or are with this turn's point where a form is asked for."""
    asked = int(request.form != FormKind.SOP)
    return tuple(
        (f"PROBE {letter} AT {_quarry(state, ship)}", "as soon as it can (G5.11)")
        for letter, _, missing in _ready(state, scenario, ship)
        if missing <= asked
    )


def _ready(state: State, scenario: Scenario, ship: Ship) -> Iterator[tuple[str, str, int]]:
    """Each launcher that can be used, how far it is armed in words, and the turns it still takes."""
    if not scenario.uses("probes") or not _quarry(state, ship):
        return
    turns = len(probes.arming_energy(Purpose.INFORMATION))
    for letter, box in sorted(ship.probes.items()):
        if box.left and works(ship, letter):
            done = min(box.turns, turns) if box.purpose == Purpose.INFORMATION else 0
            yield letter, f"{done} of {turns} turns, {box.left} left (G5.2)", turns - done


def _quarry(state: State, ship: Ship) -> str:
    """A monster of which not everything is known."""
    found = [m.name for m in state.monsters() if state.enemies(ship.side, m.side) and not m.method]
    return writer.name_text(found[0]) if found else ""
