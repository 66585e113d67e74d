"""Tactical maneuvers in play (C5.0): the last movement of an impulse (C1.3)."""

from __future__ import annotations

from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Ship, State
from pbem.errors import NotAllowed
from pbem.rules import hexes
from pbem.rules.tactical import SUBLIGHT, WARP, verify_tac


def maneuver(table: Table) -> None:
    """Every ship that paid for maneuvers makes the next one its captain ordered, as soon as it is his to make; a
    freighter in tow none (G7.4).
    """
    before = table.state
    for ship in before.ships():
        if not (ship.tactical or ship.sublight):
            continue
        held = before.holders(ship.name)
        for order in table.captain(ship).tacs(table, ship, before):
            if held:
                off = f"{ship.name} is in tow of {held[0].ship}, its engines are shut down (G7.4)"
                table.tac_failed(ship, order, off)
                continue
            kind = kind_to_use(before, ship)
            if isinstance(kind, NotAllowed):
                table.tac_failed(ship, order, str(kind))
                continue
            facing = hexes.turn_facing(ship.facing, 1 if order.way == "R" else -1)
            table.tell(ev.Maneuvered(unit=ship.name, at=ship.hex + facing, kind=kind, rule="C5.0"))
            table.tac_made(ship, order)
            break


def kind_to_use(state: State, ship: Ship) -> str | NotAllowed:
    """Which maneuver a ship has in hand in this impulse, or why none.

    An earned warp maneuver comes first, since it may be lost (C5.232).
    """
    refused: NotAllowed | None = None
    for kind, paid in ((WARP, ship.tactical > 0), (SUBLIGHT, ship.sublight)):
        if not paid:
            continue
        try:
            verify_tac(
                kind,
                impulse=state.impulse,
                impulses=state.impulses,
                maneuvers=ship.tactical,
                used=ship.tacs,
                sublight=ship.sublight,
                sublight_used=ship.sublight_used,
            )
        except NotAllowed as reason:
            refused = refused or reason
            continue
        return kind
    return refused or NotAllowed("tac-not-paid", "the energy form pays for no maneuver", "C5.0")
