"""Checking orders against the terrain: a shot that a planet stops wherever its target can be (P2.0)."""

from __future__ import annotations

from pbem.engine.checking.outlook import Outlook, most_hexes
from pbem.engine.state import AnyUnit
from pbem.orders import model as om
from pbem.rules import hexes, terrain

FAR = 3
"""Hexes of possible movement beyond which a target is never sure to be behind a planet: the day will tell."""


def verify_line(outlook: Outlook, order: om.Order, target: AnyUnit | None) -> None:
    """Raises :class:`NotAllowed` where the line of fire is blocked to every hex the target can reach by then (P2.0).

    Only an impulse at which the ship's own place is certain tells anything; and while beams are in use anybody may be
    towed, so that then only the first impulse is certain, and only while nobody is held.
    """
    state = outlook.state
    impulse = order.at
    if target is None or impulse is None or impulse not in outlook.at or impulse > outlook.certain_until:
        return
    if not state.planets or state.links or (outlook.scenario.uses("tractors") and impulse > outlook.first):
        return
    here = outlook.at[impulse][0]
    steps = most_hexes(outlook, target, impulse)
    if steps > FAR or not terrain.blocked(here, target.hex, state.planets, state.grid):
        return
    around = hexes.within(target.hex, steps, state.map, state.grid)
    if all(terrain.blocked(here, there, state.planets, state.grid) for there in around):
        terrain.verify_line_of_fire(here, target.hex, state.planets, state.grid)
