"""Drones: their launch, speed, endurance and warhead (FD1.0, FD4.21).

:mod:`pbem.rules.seeking` contains the movement of drones and all other seeking weapons.
"""

from __future__ import annotations

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules import ties
from pbem.rules.direct_fire import verify_rate
from pbem.rules.hexes import EVEN, FACINGS, bearing, in_arc
from pbem.rules.movement import max_speed

ARC = "FA"
"""The arc of the drone in which its target must be at launch (FD1.2)."""


def verify_launch(  # noqa: PLR0913 - each is a plain fact
    *,
    name: str,
    working: bool,
    ammo: int,
    fired: int | None,
    moment: int,
    impulses: int,
    launched_this_turn: int,
    ship_limit: int,
    controlled: int,
    control_limit: int,
    target_in_fa: bool,
) -> None:
    """Check that a drone rack may launch a drone now.

    Args:
        name: The name of the rack, for messages.
        working: Whether the rack is not destroyed.
        ammo: The number of drones left in the rack.
        fired: The time of the rack's last launch, in impulses from the start of the game; ``None`` for never.
        moment: The present time, in impulses from the start of the game.
        impulses: The number of impulses in a turn.
        launched_this_turn: The number of drones that the whole ship has launched in this turn.
        ship_limit: The number of launches that the ship may make in a turn (FD4.21).
        controlled: The number of drones on the map that the ship guides.
        control_limit: How many drones the ship can guide (D6.132).
        target_in_fa: Whether the target would be in the drone's forward arc (FA).

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed``, ``no-ammo``,
            ``already-fired``, ``quarter-turn``, ``launch-limit``, ``control-limit`` or ``out-of-arc``.
    """
    if not working:
        raise NotAllowed("weapon-destroyed", f"{name} is destroyed", "FD1.1")
    if ammo < 1:
        raise NotAllowed("no-ammo", f"{name} has no drones left", "FD1.1")
    verify_rate(name, fired, moment, impulses, "FD1.1")
    verify_ship_limit(launched_this_turn, ship_limit)
    if controlled >= control_limit:
        raise NotAllowed(
            "control-limit", f"the ship guides {controlled} drones and can guide no more than {control_limit}", "D6.132"
        )
    if not target_in_fa:
        raise NotAllowed("out-of-arc", "the target would not be in the drone's FA arc", "FD1.2")


def verify_ship_limit(launched_this_turn: int, ship_limit: int) -> None:
    """Check that a ship may launch one more drone from any rack in this turn (FD4.21).

    Raises:
        NotAllowed: The ship has launched as many drones this turn as it may (fault code ``launch-limit``).
    """
    if launched_this_turn >= ship_limit:
        raise NotAllowed(
            "launch-limit", f"the ship has launched {launched_this_turn} of {ship_limit} drones this turn", "FD4.21"
        )


def launch_facings(hex: str, target_hex: str, grid: str = EVEN) -> tuple[str, ...]:
    """Return the facings in which a drone may be launched (FD1.2).

    The target must be in the forward arc (FA) of the drone. If the target is in the hex of the launch, all six facings
    are returned.
    """
    if hex == target_hex:
        return tuple(FACINGS)
    return tuple(facing for facing in FACINGS if in_arc(hex, facing, target_hex, ARC, grid))


def default_facing(hex: str, target_hex: str, grid: str = EVEN, otherwise: str = "A") -> str:
    """Return the facing for a new drone that points most directly at the target.

    If two facings are equally good, the left one is returned. If the target is in the hex of the launch, ``otherwise``
    (the facing of the launching ship) is returned.
    """
    if hex == target_hex:
        return otherwise
    at = bearing(hex, target_hex, grid)
    right = at.nearer > 0 or (not at.nearer and ties.of_codes("R") < ties.of_codes("L"))
    return FACINGS[(at.index + right) % 6]


def endurance(launched: int, impulses: int, level: str) -> int:
    """Return the time at which a drone is removed because its endurance ends (FD1.4).

    The drone is removed at the end of the returned impulse. Times are in impulses from the start of the game;
    ``launched`` is the time of the launch.
    """
    return launched + charts.level(level).drone_endurance * impulses


def warhead(level: str) -> int:
    """Return the points of damage that a drone scores at a level, ``cadet`` or ``standard`` (FD1.6)."""
    return charts.level(level).drone_warhead


def toughness(level: str) -> int:
    """Return the points of damage that destroy a drone at a level, ``cadet`` or ``standard`` (FD1.54)."""
    return charts.level(level).drone_toughness


def drone_speed(impulses: int) -> int:
    """Return the speed of drones in hexes per turn, given the number of impulses in a turn (C1.42)."""
    return max_speed(impulses, seeker=True)
