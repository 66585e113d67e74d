"""Flares in play: what can never be obeyed, and what happens at the end of an impulse."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.faults import Fault, NotAllowed
from pbem.game.state import AnyUnit, Ship, State
from pbem.orders import model as om
from pbem.turn.conditions import Scene, units_of
from pbem.turn.outlook import Outlook, least_range
from pbem.turn.sight import range_between
from pbem.turn.table import Table
from pbem.values.words import StepName
from tests.turn.flares import law
from tests.turn.flares.events import Flared, used
from tests.turn.flares.orders import Flare


def check(outlook: Outlook, order: om.Order, activity: om.Activity) -> Iterator[Fault]:
    """What no impulse can mend."""
    assert isinstance(activity, Flare)
    ship, state = outlook.ship, outlook.state
    units = units_of(activity.target, Scene(state=state, me=ship))
    if activity.target.how == "name" and len(units) == 1:
        law.verify_flare(
            target=units[0].name,
            own=not state.enemies(ship.side, units[0].side),
            range=least_range(outlook, order.at, units[0]),
            powered=ship.powered.get("flares", 0),
            used=0,
        )
    yield from ()


def burn(table: Table) -> None:
    """Flares are burnt, all on the state as the step begins."""
    before = table.state
    for ship, intent in table.ordered(before, Flare):
        try:
            for activity in intent.order.does:
                assert isinstance(activity, Flare)
                _burn(table, before, ship, units_of(activity.target, Scene(state=before, me=ship), intent.its))
        except NotAllowed as refused:
            table.failed(ship, intent.order, str(refused))
        else:
            table.acted(ship, intent.order, "the flare burns")


def _burn(table: Table, before: State, ship: Ship, targets: list[AnyUnit]) -> None:
    if not targets:
        raise NotAllowed("no-target", "there is no such target in play", "X1.0")
    law.verify_flare(
        target=targets[0].name,
        own=not before.enemies(ship.side, targets[0].side),
        range=range_between(before, ship, targets[0]),
        powered=ship.powered.get("flares", 0),
        used=len(used(table.state, ship.name)),
    )
    table.tell(Flared(unit=ship.name, target=targets[0].name, rule="X1.0"))


def is_dazzled(state: State, unit: AnyUnit) -> bool:
    """Whether a unit is DAZZLED."""
    return isinstance(unit, Ship) and unit.in_play and bool(law.dazzled(unit.own.get("dazzled"), state.moment))


CHECKS = {Flare: ("flares", "X1.0", check)}
PLAYS = {StepName.END: burn}
STATES = {"DAZZLED": is_dazzled}
