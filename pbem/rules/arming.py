"""Energy for weapons that are armed one by one: disruptors, photon and plasma torpedoes (E3.2, E4.2.

FP1.2).
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import msgspec

from pbem.data import charts
from pbem.data.weapon_charts import DamageTable, HitTable
from pbem.faults import NotAllowed
from pbem.values.words import WeaponState

UNDER_WAY = (WeaponState.ARMING, WeaponState.ROLLING)
"""Charges of a weapon whose arming is not complete."""


class Readied(NamedTuple):
    """What a weapon is ready for: ``""``, ``arming``, ``armed`` or ``powered`` (this turn only).

    Or ``rolling``: a plasma torpedo one turn short, which took its rolling delay this turn (FP1.22).

    Turns of energy it holds.
    """

    charge: WeaponState
    armed_turns: int


class Tube(msgspec.Struct, frozen=True, kw_only=True):
    """A weapon as the form finds it: name, kind, whether it works, and its charge from the turn before."""

    name: str
    kind: str
    working: bool = True
    charge: WeaponState = WeaponState.NONE
    armed_turns: int = 0


class Arming(NamedTuple):
    """What an entry does: the weapon afterwards, the energy it takes, and whether that must be warp power."""

    readied: Readied
    energy: int
    warp_only: bool = False


def arm(tube: Tube, points: Fraction, verb: str = "", sources: tuple[str, ...] = ()) -> Arming:
    """Work out one entry of line 10: so many points, or ``HOLD`` or ``EJECT``.

    ``sources`` as far as the player named them.

    Raises :class:`NotAllowed`: ``weapon-destroyed``, ``photon-arming``, ``photon-not-warp``,
    ``hold-not-armed``, ``nothing-to-eject``, ``disruptor-amount``, ``plasma-arming``, ``no-energy-needed``.
    """
    if not tube.working and (points or verb):
        raise NotAllowed("weapon-destroyed", f"{tube.name} is destroyed", "E1.2")
    family = charts.weapon_kinds()[tube.kind].family
    if family == "plasma":
        return _plasma(tube, points, verb)
    if turns_to_arm(tube.kind) > 1:
        return _over_turns(tube, points, verb, sources)
    if verb:
        raise NotAllowed("hold-not-armed", f"{tube.name} cannot {verb.lower()}: its energy lasts for one turn", "E3.2")
    if family == "torpedo":
        return _single_turn(tube, points)
    raise NotAllowed("no-energy-needed", f"{tube.name} takes no energy", "FD1.2")


def takes_energy(kind: str) -> bool:
    """Whether a kind of weapon has an entry of its own on line 10: heavy weapons, not phasers or racks."""
    return charts.weapon_kinds()[kind].family in ("torpedo", "plasma")


def turns_to_arm(kind: str) -> int:
    """In how many turns of energy a kind of weapon is ready: 1 for those that fire with the energy of the turn
    (disruptors, fusion beams, E3.2), more for photon and plasma torpedoes (E4.21, FP1.21), 0 for what has no entry on
    line 10 (phasers, racks).
    """
    weapon = charts.weapon_kinds()[kind]
    if weapon.family == "plasma":
        return len(charts.plasma()[kind.removeprefix("plasma")].arming)
    if weapon.family != "torpedo":
        return 0
    chart = charts.chart(weapon.chart)
    return max(1, len(chart.arming)) if isinstance(chart, HitTable) else 1


def ready_to_fire(kind: str, charge: WeaponState) -> bool:
    """Whether a direct-fire weapon has what its own box must hold: a phaser nothing, its energy is in the capacitor
    (H6.0); a torpedo of two turns that it is armed; any other its energy of this turn (E1.2).
    """
    turns = turns_to_arm(kind)
    return not turns or charge == WeaponState.ARMED or (turns == 1 and charge == WeaponState.POWERED)


def lost(tube: Tube) -> str:
    """What happens to a weapon that gets no energy this turn, as a sentence; empty if nothing does."""
    if turns_to_arm(tube.kind) < 2:
        return ""
    rule = "FP1.22" if charts.weapon_kinds()[tube.kind].family == "plasma" else "E4.22"
    if tube.charge == WeaponState.ARMED:
        return f"{tube.name} is ejected: it was not held ({rule})"
    return f"{tube.name} is lost: its arming was not completed ({rule})" if tube.charge in UNDER_WAY else ""


def turn_energy(kind: str) -> int:
    """Energy, any source, with which a weapon of one turn fires this turn (E3.2, E1.2)."""
    chart = charts.chart(charts.weapon_kinds()[kind].chart)
    assert isinstance(chart, HitTable | DamageTable)
    return int(chart.energy)


def _single_turn(tube: Tube, points: Fraction) -> Arming:
    cost = turn_energy(tube.kind)
    if points not in (0, cost):
        rule = charts.weapon_kinds()[tube.kind].energy_rule
        raise NotAllowed(f"{tube.kind}-amount", f"{tube.name} takes {cost} points or none, not {points}", rule)
    return Arming(Readied(WeaponState.POWERED if points else WeaponState.NONE, 0), int(points))


def _over_turns(tube: Tube, points: Fraction, verb: str, sources: tuple[str, ...]) -> Arming:
    kind = charts.weapon_kinds()[tube.kind]
    chart = charts.hit_table(kind.chart)
    if verb:
        return _eject(tube, points, "E4.22") if verb == "EJECT" else _hold(tube, points, chart.hold, "E4.22")
    if not points:
        return Arming(Readied(WeaponState.NONE, 0), 0)
    if tube.charge == WeaponState.ARMED:
        raise NotAllowed(f"{tube.kind}-arming", f"{tube.name} is armed already: HOLD or EJECT it", "E4.22")
    done = tube.armed_turns if tube.charge == WeaponState.ARMING else 0
    due = chart.arming[done]
    if points != due:
        text = f"{tube.name} takes {due} points of warp power a turn, not {points}"
        raise NotAllowed(f"{tube.kind}-arming", text, kind.energy_rule)
    if bad := [source for source in sources if source != "WARP"]:
        raise NotAllowed(f"{tube.kind}-not-warp", f"{tube.name} is armed with warp power, not {bad[0]}", "E4.23")
    done += 1
    return Arming(
        Readied(WeaponState.ARMED if done >= len(chart.arming) else WeaponState.ARMING, done), due, warp_only=True
    )


def _plasma(tube: Tube, points: Fraction, verb: str) -> Arming:
    torpedo = charts.plasma()[tube.kind.removeprefix("plasma")]
    if verb:
        if verb == "EJECT":
            return _eject(tube, points, "FP1.22")
        if torpedo.hold is None:
            raise NotAllowed("hold-not-armed", f"{tube.name} cannot be held", "FP2.0")
        return _hold(tube, points, torpedo.hold, "FP1.22")
    if not points:
        return Arming(Readied(WeaponState.NONE, 0), 0)
    if tube.charge == WeaponState.ARMED:
        raise NotAllowed("plasma-arming", f"{tube.name} is armed already: HOLD or EJECT it", "FP1.22")
    done, turns = (tube.armed_turns if tube.charge in UNDER_WAY else 0), torpedo.arming
    if points == turns[done]:
        done += 1
        return Arming(Readied(WeaponState.ARMED if done == len(turns) else WeaponState.ARMING, done), int(points))
    if done == len(turns) - 1 and points == turns[done - 1]:
        return Arming(Readied(WeaponState.ROLLING, done), int(points))
    raise NotAllowed("plasma-arming", f"{tube.name} takes {turns[done]} points this turn, not {points}", "FP1.22")


def _eject(tube: Tube, points: Fraction, rule: str) -> Arming:
    if not tube.charge:
        raise NotAllowed("nothing-to-eject", f"{tube.name} holds no torpedo to eject", rule)
    if points:
        raise NotAllowed("photon-arming", f"{tube.name}: ejecting takes no energy", rule)
    return Arming(Readied(WeaponState.NONE, 0), 0)


def _hold(tube: Tube, points: Fraction, hold: int, rule: str) -> Arming:
    if tube.charge != WeaponState.ARMED:
        what = "is only half armed" if tube.charge else "is not armed"
        raise NotAllowed("hold-not-armed", f"{tube.name} {what} and cannot be held", rule)
    if points not in (0, hold):
        raise NotAllowed("photon-arming", f"{tube.name}: holding takes {hold} points, not {points}", rule)
    return Arming(Readied(WeaponState.ARMED, tube.armed_turns), hold)
