"""Shields as transporter beams find them: down, lowered, or in the way (G8.2)."""

from __future__ import annotations

import msgspec

from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import AnyUnit, Ship, State
from pbem.engine.steps.firing import shield_hit
from pbem.engine.steps.geometry import boundary, faced, shield_up, struck_shield
from pbem.errors import NotAllowed
from pbem.rules import standing, transporters as law

replace = msgspec.structs.replace

GENERAL = "general"
"""What stands for the general reinforcement among the shields that are lowered."""


def stops(ship: Ship, shield: int) -> int:
    """Boxes of a shield in a beam's way: none of one that is down or lowered, or of shields that were not paid for."""
    return shield_up(ship, shield) if standing.shields_active(ship.unpaid) else 0


def general_up(ship: Ship) -> int:
    """General reinforcement in a beam's way (G8.23)."""
    return 0 if GENERAL in ship.lowered or not standing.shields_active(ship.unpaid) else ship.general


def _candidates(state: State, target: Ship, ship: Ship) -> tuple[int, ...]:
    """The shields of the target, one of which must be down: on a junction either, if it is a friend (G8.24), else the
    one that direct fire would hit (D3.41), as far as that is certain.
    """
    shown = faced(state, target, ship)
    if len(shown) == 1 or not state.enemies(ship.side, target.side):
        return shown
    settled = boundary(state, target, ship)
    if settled is not None:
        return (settled,)
    if state.options.boundary == "die":
        return shown
    return (struck_shield(state, target, ship),)


def verify_target_open(state: State, ship: Ship, target: AnyUnit) -> None:
    """Raises :class:`NotAllowed` (``target-shield-up``) where everybody can see that the target's shield is up; of a
    ship of its own a side knows besides whether shields are paid for.
    """
    up = stops if target.side == ship.side else shield_up
    if isinstance(target, Ship) and all(up(target, shield) for shield in _candidates(state, target, ship)):
        raise NotAllowed("target-shield-up", f"it waits until the shield {target.name} shows is down", "G8.21")


def failure(table: Table, ship: Ship, target: AnyUnit) -> str:
    """Why a beam fails at the other end (G8.21, G8.23), or an empty string; a planet has no shields."""
    if not isinstance(target, Ship):
        return ""
    if table.state.enemies(ship.side, target.side):
        boxes = stops(target, shield_hit(table, ship, target))
    else:
        boxes = min(stops(target, shield) for shield in faced(table.state, target, ship))
    return law.fails(target_shield_boxes=boxes, target_general=general_up(target))


def raise_shields(table: Table) -> None:
    """Shields that were lowered a quarter of a turn ago are up again (G8.22): as this step begins, in which they were
    lowered then.
    """
    state = table.state
    for ship in state.ships():
        for name, since in sorted(ship.lowered.items()):
            shield = 0 if name == GENERAL else int(name.removeprefix("#"))
            if law.can_raise(shield=shield, dropped=since, moment=table.moment, impulses=state.impulses):
                table.tell(ev.ShieldRaised(unit=ship.name, shield=shield, rule="G8.22"))
