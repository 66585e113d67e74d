"""Administrative shuttles (J1.0, J2.0). Suicide shuttles have their own module: :mod:`pbem.rules.suicide_shuttles`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.fire import verify_rate
from pbem.rules.impulse_chart import quarter
from pbem.rules.leave import whether

CRIPPLED, DESTROYED = "crippled", "destroyed"


# --- moving and being hit ---------------------------------------------------------------------------------


def condition(damage: int) -> str:
    """What so many points of damage made of a shuttle: ``""``, ``crippled`` or ``destroyed`` (J1.32, J1.33)."""
    chart = charts.shuttles()
    if damage >= chart.destroyed:
        return DESTROYED
    return CRIPPLED if damage >= chart.crippled else ""


def full_speed() -> int:
    """The maximum speed of a whole one (J1.21)."""
    return charts.shuttles().speed


def fastest(damage: int) -> int:
    """Its maximum speed with so much damage (J1.21, J1.33)."""
    return charts.shuttles().crippled_speed if condition(damage) else full_speed()


def speed_after(speed: int, damage: int) -> int:
    """Its speed once it has suffered so much damage in all: a crippled one slows at once, a destroyed one is gone."""
    return 0 if condition(damage) == DESTROYED else min(speed, fastest(damage))


def acceleration() -> int:
    """Hexes a turn it may gain at the start of a turn: half of its maximum, rounded up (J1.22)."""
    return -(-full_speed() // 2)


def verify_speed(speed: int, prior: int, damage: int) -> None:
    """Raises :class:`NotAllowed` unless it may fly this turn at a speed, after so many hexes last turn.

    ``shuttle-speed`` (J1.21), ``shuttle-acceleration`` (J1.22). It may slow down by any amount.
    """
    if not 0 <= speed <= fastest(damage):
        raise NotAllowed("shuttle-speed", f"speed {speed} is not 0 to {fastest(damage)}", "J1.21")
    if speed > prior + acceleration():
        most = prior + acceleration()
        raise NotAllowed("shuttle-acceleration", f"speed {speed} after {prior} is too fast: {most} at most", "J1.22")


can_fly_at = whether(verify_speed)


def default_speed(prior: int, damage: int) -> int:
    """Its speed when its owner announces none: the fastest it may go (J1.21)."""
    return min(fastest(damage), prior + acceleration())


def verify_shot_at_shuttle(range: int, landed: bool = False) -> None:
    """Raises :class:`NotAllowed`: ``shuttle-range`` for direct fire from too far off (J1.35), ``shuttle-landed`` while
    it stands on a planet (P2.0).
    """
    if landed:
        raise NotAllowed("shuttle-landed", "a shuttle on a planet cannot be hit", "P2.0")
    if range > (reach := charts.shuttles().fire_range):
        raise NotAllowed("shuttle-range", f"{range} hexes are too far to fire at a shuttle, {reach} at most", "J1.35")


def verify_shuttle_fire(
    *, name: str, fired: int | None, launched: int, moment: int, impulses: int, suicide: bool = False
) -> None:
    """Raises :class:`NotAllowed` unless it may fire its phaser now (J2.213).

    It bears in all directions and needs no energy (J1.1, J1.31). ``fired`` is the moment of its last shot. Codes:
    ``unmanned`` (J2.22), ``just-launched``, ``already-fired``, ``quarter-turn``.
    """
    if suicide:
        raise NotAllowed("unmanned", f"{name} has nobody on board to fire", "J2.22")
    if moment - launched < (wait := quarter(impulses)):
        raise NotAllowed(
            "just-launched", f"{name} was launched {moment - launched} impulses ago, {wait} must pass", "J2.213"
        )
    verify_rate(name, fired, moment, impulses, "J2.213")


def verify_load(crew: int, parties: int) -> None:
    """Raises :class:`NotAllowed` (``shuttle-full``) unless it can carry this: one crew unit or two parties (J2.211)."""
    chart = charts.shuttles()
    if (crew and parties) or crew > chart.crew or parties > chart.parties:
        raise NotAllowed(
            "shuttle-full",
            f"a shuttle carries {chart.crew} crew unit or {chart.parties} boarding parties, "
            f"not {crew} and {parties} together",
            "J2.211",
        )


can_carry = whether(verify_load)


# --- the bay ----------------------------------------------------------------------------------------------


class Bay(NamedTuple):
    """The shuttle boxes of a ship: how many are left, how many shuttles they hold, when one was last used (J1.4)."""

    boxes: int
    aboard: int
    last_used: int | None = None

    @property
    def empty(self) -> int:
        return self.boxes - self.aboard


def verify_bay(bay: Bay, moment: int) -> None:
    """Raises :class:`NotAllowed` (``bay-busy``): one launch or recovery in any two consecutive impulses (J1.5)."""
    wait = charts.shuttles().interval
    if bay.last_used is not None and moment - bay.last_used < wait:
        ago = moment - bay.last_used
        raise NotAllowed("bay-busy", f"the shuttle bay was used {ago} impulses ago, {wait} must pass", "J1.5")


def verify_launch(bay: Bay, moment: int, speed: int, ready: bool = True) -> None:
    """Raises :class:`NotAllowed` unless a shuttle may be launched now, in any direction (J1.5).

    ``speed`` any up to its maximum (J1.22); ``ready`` is false for one that is not usable this turn (J2.221). Codes:
    ``no-shuttle``, ``shuttle-not-ready``, ``bay-busy``, ``shuttle-speed``.
    """
    if bay.aboard < 1:
        raise NotAllowed("no-shuttle", "there is no shuttle on board", "J1.4")
    if not ready:
        raise NotAllowed("shuttle-not-ready", "that shuttle cannot be used this turn", "J2.221")
    verify_bay(bay, moment)
    if not 0 <= speed <= full_speed():
        raise NotAllowed("shuttle-speed", f"speed {speed} is not 0 to {full_speed()}", "J1.21")


def verify_land(
    bay: Bay, moment: int, *, same_hex: bool, ship_speed: int, damage: int, friendly: bool = True,
    manned: bool = True,
) -> None:  # fmt: skip
    """Raises :class:`NotAllowed` unless a shuttle may land aboard by itself (J1.61).

    Codes: ``unmanned`` (J1.61), ``enemy-ship`` (J1.63), ``not-same-hex``, ``ship-too-fast``, ``no-empty-box``,
    ``bay-busy``. The maximum of a crippled shuttle is what it can still fly.
    """
    if not manned:
        raise NotAllowed("unmanned", "a suicide shuttle cannot land", "J1.61")
    if not friendly:
        raise NotAllowed("enemy-ship", "a shuttle cannot land on an enemy ship", "J1.63")
    if not same_hex:
        raise NotAllowed("not-same-hex", "the shuttle is not in the hex of the ship", "J1.61")
    most = fastest(damage) * charts.shuttles().landing
    if ship_speed > most:
        raise NotAllowed("ship-too-fast", f"at speed {ship_speed} no shuttle can land, {most} at most", "J1.61")
    _verify_box(bay, moment, "J1.61")


def verify_recover(
    bay: Bay, moment: int, *, range: int, ship_speed: int, attached: int | None, damage: int,
    friendly: bool = True, manned: bool = True,
) -> None:  # fmt: skip
    """Raises :class:`NotAllowed` unless a tractor beam may pull a shuttle aboard now (J1.62, J1.621).

    ``attached`` is the moment the beam took hold, ``None`` without a beam; one impulse later at the earliest.
    Codes: ``unmanned``, ``enemy-shuttle``, ``not-held``, ``just-attached``, ``tractor-range``, ``ship-too-fast``,
    ``no-empty-box``, ``bay-busy``.
    """
    if not manned:
        raise NotAllowed("unmanned", "a suicide shuttle cannot be recovered", "J1.61")
    if not friendly:
        raise NotAllowed("enemy-shuttle", "an enemy shuttle cannot be pulled aboard", "J1.62")
    if attached is None:
        raise NotAllowed("not-held", "no tractor beam holds the shuttle", "J1.62")
    if moment <= attached:
        raise NotAllowed("just-attached", "the beam took hold this impulse; it pulls on the next", "J1.621")
    reach = charts.tractors().range
    if range > reach:
        raise NotAllowed("tractor-range", f"{range} hexes are beyond the reach of a tractor beam, {reach}", "J1.621")
    most = fastest(damage) * charts.shuttles().recovery
    if ship_speed > most:
        raise NotAllowed("ship-too-fast", f"at speed {ship_speed} no shuttle is hauled aboard, {most} at most", "J1.62")
    _verify_box(bay, moment, "J1.62")


def _verify_box(bay: Bay, moment: int, rule: str) -> None:
    if bay.empty < 1:
        raise NotAllowed("no-empty-box", f"all {bay.boxes} shuttle boxes are taken", rule)
    verify_bay(bay, moment)


def shuttles_at_start(boxes: Mapping[str, int]) -> int:
    """Shuttles a ship has on board at the start of a scenario: one in each shuttle box (J2.0)."""
    return boxes.get("shuttle", 0)
