"""The cloaking device in play (G13.0): by the turn at Cadet level, by the impulse at graduate level."""

from __future__ import annotations

from pbem.data.scenarios import Scenario
from pbem.data.ships import ship_class
from pbem.data.words import CloakState
from pbem.engine import events as ev
from pbem.engine.play.resolution import Table
from pbem.engine.state import Ship, State
from pbem.errors import NotAllowed
from pbem.orders.model import Cloak, Uncloak
from pbem.rules.cloak import OPEN, Veil, cadet_veil, start_of_turn, veil, verify_cloak, verify_uncloak
from pbem.rules.impulse_chart import impulse_of, turn_of
from pbem.rules.terrain import reveals_cloaked


def veil_of(state: State, ship: Ship) -> Veil:
    """What a ship's cloak does at this moment: to fire at it, to its own weapons, to seeking weapons."""
    if not ship.cloak:
        return OPEN
    return veil_at(ship, state.moment, state.impulses)


def veil_at(ship: Ship, moment: int, impulses: int) -> Veil:
    """The same at another moment, if nothing is announced until then. Asteroids take the benefits of a cloak for an
    impulse, and leave its restrictions (P3.0).
    """
    if not ship.cloak:
        return OPEN
    now = _veil_of_the_device(ship, moment, impulses)
    if ship.exposed is not None and reveals_cloaked(moment - ship.exposed):
        return OPEN._replace(silent=now.silent)
    return now


def _veil_of_the_device(ship: Ship, moment: int, impulses: int) -> Veil:
    if ship.cloak == CloakState.CLOAKED:
        return cadet_veil(True, True, impulse_of(moment, impulses))
    if ship.cloak == CloakState.UNCLOAKED:
        just_out = turn_of(moment, impulses) == turn_of(ship.cloak_since, impulses)
        return cadet_veil(False, just_out, impulse_of(moment, impulses))
    return veil(ship.cloak, ship.cloak_since, moment)


def has_cloak(scenario: Scenario, ship: Ship) -> bool:
    """Whether a ship has the device and the scenario uses it."""
    return cloak_cost(scenario, ship) is not None


def cloak_cost(scenario: Scenario, ship: Ship) -> int | None:
    """What the ship's device costs a turn (G13.32); ``None`` without the device, or where it is not used."""
    used = scenario.uses("cadet cloak") or scenario.uses("cloak")
    return ship_class(ship.ship).cloak if used else None


def at_start_of_turn(scenario: Scenario, ship: Ship, *, paid: bool, first: int) -> tuple[CloakState, int]:
    """Status and since of a ship's cloak as a turn begins; ``first`` is the moment of its first impulse.

    At Cadet level energy decides for the whole turn (G13.1C); at graduate level a ship fades in that does not pay on.
    """
    if not has_cloak(scenario, ship):
        return ship.cloak, ship.cloak_since
    if not scenario.uses("cadet cloak"):
        return start_of_turn(ship.cloak, ship.cloak_since, paid, first)
    if paid:
        return CloakState.CLOAKED, first
    return (CloakState.UNCLOAKED, first) if ship.cloak == CloakState.CLOAKED else (ship.cloak, ship.cloak_since)


def announce_cloaks(table: Table) -> None:
    """After energy allocation it is said which ships are cloaked this turn, or come out of their cloak (G13.1C)."""
    for ship in table.state.ships():
        if not has_cloak(table.scenario, ship):
            continue
        status, since = at_start_of_turn(table.scenario, ship, paid=ship.cloak_paid, first=table.moment + 1)
        if (status, since) != (ship.cloak, ship.cloak_since):
            table.tell(ev.Cloaked(unit=ship.name, status=status, rule="G13.1"))


def cloak_and_uncloak(table: Table) -> None:
    """Ships announce that they cloak or uncloak (G13.0), one announcement a ship and impulse."""
    if not table.scenario.uses("cloak"):
        return
    before = table.state
    for ship in before.ships():
        if ship.side not in table.captains or not has_cloak(table.scenario, ship):
            continue
        announced = False
        for intent in table.captain(ship).intends(table, ship, before, (Cloak, Uncloak)):
            if announced:
                table.failed(ship, intent.order, "a ship announces one thing an impulse (G13.0)")
                continue
            said = next(does for does in intent.order.does if isinstance(does, Cloak | Uncloak))
            try:
                verify_announcement(before, table.ship(ship.name), said)
            except NotAllowed as refused:
                table.failed(ship, intent.order, str(refused))
                continue
            status = CloakState.CLOAKING if isinstance(said, Cloak) else CloakState.UNCLOAKING
            table.tell(ev.Cloaked(unit=ship.name, status=status, rule="G13.0"))
            table.acted(ship, intent.order)
            announced = True


def verify_announcement(state: State, ship: Ship, announced: Cloak | Uncloak) -> None:
    """Raises :class:`NotAllowed` unless the ship may announce this now (G13.0)."""
    moment = state.moment
    if isinstance(announced, Cloak):
        verify_cloak(
            paid=ship.cloak_paid, status=ship.cloak, since=ship.cloak_since, moment=moment, impulses=state.impulses
        )
    else:
        verify_uncloak(status=ship.cloak, since=ship.cloak_since, moment=moment, impulses=state.impulses)
