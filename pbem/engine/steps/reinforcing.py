"""Shields are reinforced from batteries in the middle of a turn, before anything strikes them (H7.1).

Reading: it is done after all have moved, before the seeking weapons of the impulse strike; what strikes a shield in
that impulse or a later one of the turn finds it reinforced.
"""

from __future__ import annotations

from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Ship
from pbem.errors import NotAllowed
from pbem.orders.model import Reinforce
from pbem.rules import standing
from pbem.rules.reserve import SHIELD, verify_reserve


def reinforce(table: Table) -> None:
    """Every REINFORCE whose moment has come; what AND joins is done altogether or not at all. The batteries serve the
    orders as they are listed.
    """
    before = table.state
    for ship, intent in table.ordered(before, Reinforce):
        wanted = [one for one in intent.order.does if isinstance(one, Reinforce)]
        left = table.ship(ship.name).batteries
        try:
            for one in wanted:
                verify_reinforced(ship, one, left)
                left -= one.points
        except NotAllowed as refused:
            table.failed(ship, intent.order, str(refused))
            continue
        for one in wanted:
            spent = ev.ReserveSpent(unit=ship.name, points=one.points, purpose=f"#{one.shield}", rule="H7.1")
            table.secret(ship.side, spent)
        said = " and ".join(f"{one.points} of reserve power to shield #{one.shield}" for one in wanted)
        table.acted(ship, intent.order, f"{said}, until the end of the turn")


def verify_reinforced(ship: Ship, order: Reinforce, charged: int) -> None:
    """Raises :class:`NotAllowed` unless ``charged`` batteries may reinforce the shield an order names: it must be up,
    and they must hold all the points (H7.1, D3.34, D3.343).
    """
    number = order.shield
    if not standing.shields_active(ship.unpaid):
        text = f"{ship.name} did not pay for its shields, so none can be reinforced"
        raise NotAllowed("shields-inactive", text, "D3.34")
    if not ship.shields[number - 1] or f"#{number}" in ship.lowered:
        raise NotAllowed("shield-down", f"shield #{number} is down: nothing reinforces it", "D3.343")
    verify_reserve(SHIELD, points=order.points, stored=charged)
