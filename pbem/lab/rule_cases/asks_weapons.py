"""Look-ups of direct fire: what a weapon does at a range with a die, and whether it may be fired (see :mod:`asks`)."""

from __future__ import annotations

from pbem.data.words import WeaponState
from pbem.engine.paths import moment_of
from pbem.lab.rule_cases.lookups import law, lookup, why_not
from pbem.rules import direct_fire, fire, phasers


@lookup("phaser damage")
def phaser_damage(*, type: str, range: int, die: int) -> int:
    """Points of a phaser (ph1, ph2, ph3, phG) at an effective range (E2.4)."""
    if not direct_fire.is_phaser(type):
        raise ValueError(f"{type} is no phaser")
    return shot(type=type, range=range, die=die)


law("phaser energy", phasers.phaser_cost, "Energy of one shot of a phaser (E2.1).", type="kind")


@lookup("photon hits")
def photon_hits(*, range: int, die: int) -> bool:
    """Whether a photon torpedo hits (E4.12)."""
    return direct_fire.direct_fire("photon", range, range, die).hit


@lookup("photon damage")
def photon_damage() -> int:
    """Points of a photon torpedo that hits (E4.13)."""
    return shot(type="photon", range=direct_fire.min_range("photon"), die=1)


@lookup("disruptor hits")
def disruptor_hits(*, range: int, die: int) -> bool:
    """Whether a disruptor bolt hits at an effective range (E3.3)."""
    return direct_fire.direct_fire("disruptor", range, range, die).hit


@lookup("disruptor damage")
def disruptor_damage(*, range: int) -> int:
    """Points of a disruptor bolt that hits at a true range (E3.31)."""
    return shot(type="disruptor", range=range, die=1)


@lookup("shot")
def shot(
    *, type: str, range: int, die: int, effective: int | None = None, target: str = "ship", max_range: int | None = None
) -> int:
    """Points of one shot at a ship or drone, modifier included (E1.3, E3.31, FD1.52); max_range: the ship's own, if
    it has one (E3.32)."""
    modifier = direct_fire.drone_modifier(type) if target == "drone" else 0
    far = range if effective is None else effective
    return direct_fire.direct_fire(type, range, far, die, modifier, max_range).points


@lookup("may fire")
def may_fire(
    *,
    type: str,
    range: int,
    charge: str = "",
    energy: float = 0.0,
    in_arc: bool = True,
    working: bool = True,
    max_range: int | None = None,
    fired: list[int] | str | None = None,
    turn: int = 1,
    impulse: int = 1,
    impulses: int = 16,
) -> str:
    """Why a weapon may not fire, as a code, or empty; fired: turn and impulse of its last shot, "1.15" (E1.2, E1.5)."""
    last = fired if isinstance(fired, str) or fired is None else ".".join(map(str, fired))
    return why_not(
        lambda: fire.verify_fire(
            kind=type,
            name=type,
            working=working,
            charge=WeaponState(charge),
            fired=moment_of(last, impulses) if last else None,
            moment=(turn - 1) * impulses + impulse,
            impulses=impulses,
            range=range,
            max_range=max_range,
            in_arc=in_arc,
            energy=energy,
        )
    )
