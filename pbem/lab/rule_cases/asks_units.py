"""Look-ups of what a ship may do with its tubes, probes, beams, transporters and shuttles (see :mod:`asks`)."""

from __future__ import annotations

from fractions import Fraction

from pbem.data import charts
from pbem.data.ships import ship_class
from pbem.data.words import Purpose
from pbem.lab.rule_cases.lookups import law, lookup, why_not
from pbem.rules import labs, plasma, probes, shuttles, tactical, tractors, transporters


@lookup("plasma energy")
def plasma_energy(*, type: str) -> list[int]:
    """Energy of each turn of arming a torpedo and, if it can be held, of a turn of holding it (FP1.22, FP2.0)."""
    found = charts.plasma()[plasma.plasma_type(type)]
    return [*found.arming, *([] if found.hold is None else [found.hold])]


@lookup("cloak cost")
def cloak_cost(*, ship: str) -> int | None:
    """Energy of a turn under cloak; nothing for a ship that cannot cloak (G13.32C)."""
    return ship_class(ship).cloak


@lookup("maneuver energy")
def maneuver_energy(*, maneuvers: int, move_cost: str = "1") -> str:
    """Warp energy for so many maneuvers on the spot (C5.22)."""
    return str(tactical.warp_energy(maneuvers, Fraction(move_cost)))


@lookup("may pay for maneuvers")
def may_pay_for_maneuvers(*, warp: int = 0, sublight: int = 0, hexes: int = 0) -> str:
    """Why a form may not pay for so many maneuvers on the spot, as a code, or empty (C5.11, C5.22)."""
    return why_not(lambda: tactical.verify_paid(warp=warp, sublight=sublight, hexes=hexes))


# --- labs and probes --------------------------------------------------------------------------------------


@lookup("learnt")
def learnt(*, ship: str, die: int, range: int, shuttles_at: list[int] | None = None, cloaked: bool = False) -> int:
    """Information an undamaged ship and its shuttles gather of a monster in a turn (G4.1, G4.3, J2.212)."""
    return labs.information(die, range, ship_class(ship).boxes, shuttles_at or (), cloaked)


law(
    "probe energy",
    probes.arming_energy,
    "Energy of each turn of arming a probe for information or as a weapon (G5.2, G5.32).",
)


@lookup("probe yield")
def probe_yield(*, purpose: str) -> int:
    """What a probe gathers (information), or the points it scores (weapon) (G5.2, G5.31)."""
    return probes.warhead() if purpose == Purpose.WEAPON else probes.information()


@lookup("may launch a probe")
def may_launch_a_probe(
    *,
    purpose: str,
    range: int = 1,
    turns: int = 2,
    left: int = 5,
    ahead: bool = True,
    crippled: bool = False,
    outnumbered: bool = False,
    directed: bool = False,
) -> str:
    """Why a probe armed for so many turns may not be launched, as a code, or empty (G5.11, G5.3, G5.33)."""
    ready = probes.Probe(Purpose(purpose), turns)
    if purpose == Purpose.INFORMATION:
        return why_not(lambda: probes.verify_information(ready=ready, left=left, range=range))
    return why_not(
        lambda: probes.verify_weapon(
            ready=ready, left=left, range=range, ahead=ahead, crippled=crippled, outnumbered=outnumbered,
            directed=directed,
        )
    )  # fmt: skip


# --- beams and transporters -------------------------------------------------------------------------------

law("tractor energy", tractors.energy_for, "Energy for so many tractor beams (G7.15).")


@lookup("may use a beam")
def may_use_a_beam(
    *, beam: str = "A", working: int = 2, powered: int = 2, used: int = 0, released: int = 0, moment: int, impulses: int
) -> str:
    """Why a tractor beam may not be attached, as a code, or empty; moments count from the game's first impulse, 0 is
    never (G7.13, G7.15).
    """
    return why_not(
        lambda: tractors.verify_beam(
            beam=beam, working=working, powered=powered, used=used, linked=False, released=released or None,
            moment=moment, impulses=impulses,
        )
    )  # fmt: skip


@lookup("may transport")
def may_transport(
    *, wanted: int = 1, working: int = 3, used: int = 0, powered: int = 5, range: int = 1, shield_down: bool = True
) -> str:
    """Why so many transporters may not be used now, as a code, or empty (G8.11 to G8.21)."""
    return why_not(
        lambda: transporters.verify_transport(
            wanted=wanted, working=working, used=used, powered=powered, range=range, own_shield_down=shield_down
        )
    )


law(
    "parties carried",
    transporters.carried,
    "Boarding parties moved by so many transporters in one action (G8.13).",
    transporters_used="transporters",
)


@lookup("may raise a shield")
def may_raise_a_shield(*, dropped: int, moment: int, impulses: int) -> str:
    """Why a lowered shield may not be raised again, as a code, or empty (G8.22)."""
    return why_not(lambda: transporters.verify_raise(shield=1, dropped=dropped, moment=moment, impulses=impulses))


# --- shuttles ---------------------------------------------------------------------------------------------

law(
    "may shoot a shuttle",
    shuttles.verify_shot_at_shuttle,
    "Why direct fire may not be aimed at a shuttle, as a code, or empty (J1.35, P2.0).",
)


@lookup("may launch a shuttle")
def may_launch_a_shuttle(*, moment: int, last_used: int = 0, speed: int = 6, aboard: int = 1, boxes: int = 2) -> str:
    """Why a shuttle may not be launched, as a code, or empty; ``last_used`` the bay's last moment of use (J1.5)."""
    bay = shuttles.Bay(boxes, aboard, last_used or None)
    return why_not(lambda: shuttles.verify_launch(bay, moment, speed))


@lookup("may recover a shuttle")
def may_recover_a_shuttle(
    *, ship_speed: int, range: int = 1, attached: int = 1, moment: int = 2, boxes: int = 1
) -> str:
    """Why a tractor beam may not pull a shuttle aboard, as a code, or empty (J1.62, J1.621)."""
    bay = shuttles.Bay(boxes, 0)
    return why_not(
        lambda: shuttles.verify_recover(bay, moment, range=range, ship_speed=ship_speed, attached=attached, damage=0)
    )


@lookup("shuttle may fire")
def shuttle_may_fire(*, moment: int, launched: int, impulses: int, fired: int = 0) -> str:
    """Why a shuttle may not fire its phaser, as a code, or empty; 0 is never (J2.213)."""
    return why_not(
        lambda: shuttles.verify_shuttle_fire(
            name="it", fired=fired or None, launched=launched, moment=moment, impulses=impulses
        )
    )
