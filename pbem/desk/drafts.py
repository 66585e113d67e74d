"""The order file a player is sent to fill in, from what the game knows of his ships."""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ShipClass, ship_class
from pbem.game.state import Request, Ship, State, Weapon
from pbem.orders.draft import DraftShip, DraftWeapon, draft, trim
from pbem.orders.reader import read_orders
from pbem.rules import disruptors, photons
from pbem.rules.capacitor import capacity
from pbem.rules.impulse_chart import moves
from pbem.turn.captain import resolve_names
from pbem.turn.check_activities import is_over


def draft_for(state: State, scenario: Scenario, request: Request, side: str) -> str:
    """A side's draft for a request: its old orders without what is done, or hints for a new form."""
    standing = state.standing.get(side)
    old = None
    # A new turn begins with new orders; a rebid with what is left of the old ones.
    if standing is not None and request.form == "SOP":
        read = resolve_names(read_orders(standing.text, header=False).orders, state, side)
        left = trim(read, flown=standing.flown, spent=standing.spent, impulse=request.impulse)
        old = left if any(unit.plot or unit.do or unit.breaks or unit.damage for unit in left.units) else None
    return draft(
        game=state.game,
        turn=request.turn,
        side=side,
        reply=request.number,
        form=request.form,
        ships=[
            _ship(state, scenario, request, ship) for ship in state.ships() if ship.side == side and not ship.immobile
        ],
        standing=old,
        impulse=request.impulse,
        through=request.through,
        enemies=[ship.name for ship in state.ships() if state.enemies(side, ship.side) and not ship.untouchable],
    )


def _ship(state: State, scenario: Scenario, request: Request, ship: Ship) -> DraftShip:
    boxes, kind = ship.boxes, ship_class(ship.ship)
    warp = sum(count for name, count in boxes.items() if name.startswith("warp"))
    sources = (("warp", warp), ("impulse", boxes.get("impulse", 0)), ("APR", boxes.get("apr", 0)))
    new_turn = request.form != "SOP"
    prior = ship.speed if new_turn else ship.prior_speed
    first = max(1, request.impulse) + is_over(state, request, "move")
    ahead = sum(moves(ship.speed, impulse, state.impulses) for impulse in range(first, request.through + 1))
    return DraftShip(
        name=ship.name,
        class_name=ship.class_name,
        position=ship.at,
        power=tuple((source, points) for source, points in sources if points),
        batteries=(ship.batteries, boxes.get("battery", 0)),
        capacitor=(ship.capacitor, capacity(ship.weapons)),
        weapons=tuple(_weapon(kind, name, weapon) for name, weapon in sorted(ship.weapons.items()) if weapon.working),
        prior_speed=prior,
        top_speed=min(scenario.max_speed, prior + scenario.acceleration) if new_turn else None,
        speed=None if new_turn else ship.speed,
        hexes=None if new_turn else ahead,
    )


def _weapon(kind: ShipClass, name: str, weapon: Weapon) -> DraftWeapon:
    state = {"": "", "arming": "arming, one more turn", "armed": "armed", "powered": "has its energy"}[weapon.charge]
    energy = ""
    if weapon.kind == "photon":
        turns = photons.arming_energy()
        energy = "HOLD" if weapon.charge == "armed" else f"{turns[min(weapon.armed_turns, len(turns) - 1)]} WARP"
        state = state or "not armed"
    elif weapon.kind == "disruptor":
        energy = str(disruptors.disruptor_energy())
    elif weapon.kind == "drone_rack":
        state = f"{weapon.ammo} drones left"
    return DraftWeapon(name=name, state=state, arc=kind.arc(name), energy=energy, launches=weapon.kind == "drone_rack")
