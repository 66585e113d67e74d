"""Drones (FD1.0, FD4.21)."""

from __future__ import annotations

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules import ties
from pbem.rules.direct_fire import verify_rate
from pbem.rules.hexes import EVEN, FACINGS, bearing, in_arc
from pbem.rules.movement import max_speed

ARC = "FA"
"""The arc of the drone that must hold its target at launch (FD1.2)."""


def verify_launch(
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
    """Raises :class:`NotAllowed` unless this rack may launch a drone now.

    ``fired`` is the moment of the rack's last launch; ``launched_this_turn`` counts the ship's launches and
    ``ship_limit`` what it may (FD4.21); ``controlled`` its drones on the map and ``control_limit`` how many
    it can guide (D6.132); ``target_in_fa`` says whether the drone's FA arc would hold the target. Codes:
    ``weapon-destroyed``, ``no-ammo``, ``already-fired``, ``quarter-turn``, ``launch-limit``,
    ``control-limit``, ``out-of-arc``.
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
    """Raises :class:`NotAllowed` (``launch-limit``) once a ship has launched all that its SSD allows in a turn, from
    whichever racks (FD4.21).
    """
    if launched_this_turn >= ship_limit:
        raise NotAllowed(
            "launch-limit", f"the ship has launched {launched_this_turn} of {ship_limit} drones this turn", "FD4.21"
        )


def launch_facings(hex: str, target_hex: str, grid: str = EVEN) -> tuple[str, ...]:
    """The facings in which a drone launched in ``hex`` has its target in its FA arc (FD1.2).

    All six in the target's hex.
    """
    if hex == target_hex:
        return tuple(FACINGS)
    return tuple(facing for facing in FACINGS if in_arc(hex, facing, target_hex, ARC, grid))


def default_facing(hex: str, target_hex: str, grid: str = EVEN, otherwise: str = "A") -> str:
    """The facing that points straightest at the target; of two equal ones the left one.

    In the target's own hex there is none: ``otherwise`` (the launching ship's facing).
    """
    if hex == target_hex:
        return otherwise
    at = bearing(hex, target_hex, grid)
    right = at.nearer > 0 or (not at.nearer and ties.of_codes("R") < ties.of_codes("L"))
    return FACINGS[(at.index + right) % 6]


def endurance(launched: int, impulses: int, level: str) -> int:
    """The moment at whose end a drone launched at moment ``launched`` is removed (FD1.4)."""
    return launched + charts.level(level).drone_endurance * impulses


def warhead(level: str) -> int:
    """Points a drone scores (FD1.6): ``cadet`` or ``standard``."""
    return charts.level(level).drone_warhead


def toughness(level: str) -> int:
    """Points that destroy a drone (FD1.54)."""
    return charts.level(level).drone_toughness


def drone_speed(impulses: int) -> int:
    """The speed of drones (C1.42)."""
    return max_speed(impulses, seeker=True)
