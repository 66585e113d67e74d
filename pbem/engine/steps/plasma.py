"""Plasma torpedoes in play: launching them, and feedback on the ship that launched them (FP1.0)."""

from __future__ import annotations

from pbem.data import charts
from pbem.data.ships import WeaponSpec
from pbem.engine.state import AnyUnit, Seeker, Ship, State, Weapon
from pbem.engine.steps.geometry import bears
from pbem.engine.steps.guidance import launched, nearest_facing, next_name
from pbem.rules import drones, plasma, ties

PLASMA = "plasma"
"""The value of ``Seeker.weapon`` for a plasma torpedo."""


def is_plasma(kind: str) -> bool:
    """Return whether a weapon type is a plasma torpedo tube (FP1.11)."""
    return charts.weapon_kinds()[kind].family == "plasma"


def is_torpedo(unit: AnyUnit) -> bool:
    """Return whether a unit is a plasma torpedo on the map."""
    return isinstance(unit, Seeker) and unit.weapon == PLASMA


def outlived(box: Weapon, moment: int, impulses: int) -> bool:
    """Return whether a torpedo may still be launched although its tube was destroyed (FP1.7).

    ``moment`` is the time of the launch, in impulses since the start of the game.
    """
    return box.destroyed is not None and bool(box.charge) and moment <= plasma.last_moment(box.destroyed, impulses)


def verify_torpedo(
    state: State, ship: Ship, spec: WeaponSpec, box: Weapon, target: AnyUnit, straightest: str, direction: str = ""
) -> str:
    """Check the launch of a plasma torpedo; return the torpedo's facing (FP1.21, FP1.7, FP3.1, FP3.2).

    The facing is ``direction`` if the order names one, otherwise the possible facing nearest to ``straightest``, which
    points at the target.

    Raises:
        NotAllowed: The tube may not launch a torpedo now.
    """
    facings = plasma.launch_facings(ship.facing, spec.mount, spec.arc)
    facing = direction or nearest_facing(state, ship, facings, straightest, ties.of_codes)
    plasma.verify_launch(
        name=spec.name,
        charge=box.charge,
        moment=state.moment,
        impulses=state.impulses,
        facing=facing,
        ship_facing=ship.facing,
        mount=spec.mount,
        arc=spec.arc,
        target_in_arc=bears(state, ship, target, plasma.target_arc(spec.mount, spec.arc)),
        destroyed=box.destroyed,
        lock_on=ship.this_turn.lock_on,
    )
    return facing


def torpedo(state: State, ship: Ship, kind: str, target: AnyUnit, facing: str) -> Seeker:
    """Return a plasma torpedo as it is at the moment of its launch (FP3.0)."""
    return Seeker(
        **launched(state, ship, next_name(state, ship, "P"), facing),
        speed=plasma.plasma_speed(state.impulses),
        weapon=PLASMA,
        torpedo=kind,
        target=target.name,
        endurance=0,
        warhead=plasma.warhead(kind, 0),
        launched_in=ship.hex,
    )


def straightest(line: tuple[str, str], grid: str, otherwise: str) -> str:
    """Return the facing that points most directly from the first hex of a line to the second.

    If both are the same hex, ``otherwise`` is returned.
    """
    return drones.default_facing(*line, grid, otherwise)


def feedback_of(state: State, seeker: AnyUnit, target: AnyUnit) -> int:
    """Return the points of feedback damage to the ship that launched a torpedo (FP1.8).

    The result is 0 unless the torpedo hits its target in the hex of its launch.
    """
    if not isinstance(seeker, Seeker) or seeker.weapon != PLASMA:
        return 0
    launcher = state.units.get(seeker.launcher)
    if not isinstance(launcher, Ship) or not launcher.in_play:
        return 0
    back = plasma.feeds_back(
        launched_in=seeker.launched_in,
        target_then=_hex_at(target, seeker.launched),
        target_moved=_left(target, seeker),
        launcher_moved=_left(launcher, seeker),
    )
    return plasma.feedback(seeker.warhead) if back else 0


def _hex_at(unit: AnyUnit, moment: int) -> str:
    """Return the hex in which a unit was at a given time; empty if it was not on the map.

    ``moment`` is the time in impulses since the start of the game. It must be in this turn, or be the end of the
    previous turn.
    """
    stood = [position for position in unit.track if position.moment <= moment]
    return stood[-1].hex if stood else ""


def _left(unit: AnyUnit, seeker: Seeker) -> bool:
    """Return whether a unit has been in another hex since the launch of a torpedo."""
    since = [position.hex for position in unit.track if position.moment > seeker.launched]
    return unit.hex != seeker.launched_in or any(hex_ != seeker.launched_in for hex_ in since)
