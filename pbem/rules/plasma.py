"""Plasma torpedoes (FP1.0 to FP4.0). Their arming is an entry of the energy form: :mod:`pbem.rules.weapons`."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from pbem.data import charts
from pbem.data.chart_types import PlasmaTube
from pbem.data.terms import WeaponState
from pbem.errors import NotAllowed
from pbem.rules.direct_fire import is_phaser
from pbem.rules.hexes import turn_facing
from pbem.rules.movement import max_speed, quarter


def plasma_type(kind: str) -> str:
    """``plasmaS`` -> ``S``. Raises ``ValueError`` for a weapon that is no plasma tube."""
    if (found := charts.weapon_kinds().get(kind)) is None or found.family != "plasma":
        raise ValueError(f"{kind} is no plasma torpedo tube")
    return kind.removeprefix("plasma")


# --- the torpedo on its way -------------------------------------------------------------------------------


def endurance(kind: str) -> int:
    """Hexes after which a torpedo is spent (FP1.4)."""
    return charts.plasma()[plasma_type(kind)].hexes[-1]


def strength(kind: str, travelled: int) -> int:
    """Its strength after so many hexes, before any phaser hits; 0 when it is spent (FP1.5)."""
    chart = charts.plasma()[plasma_type(kind)]
    for hexes, points in zip(chart.hexes, chart.strength, strict=True):
        if travelled <= hexes:
            return points
    return 0


def warhead(kind: str, travelled: int, phaser_points: int = 0) -> int:
    """Points it scores now: every two points of all its phaser damage together take one (FP1.5, FP1.6).

    At 0 the torpedo is gone.
    """
    return max(0, strength(kind, travelled) - phaser_points // charts.plasma_chart().phaser_points)


def plasma_speed(impulses: int) -> int:
    """The speed of plasma torpedoes (FP1.4)."""
    return max_speed(impulses, seeker=True)


def verify_shot_at_plasma(kind: str) -> None:
    """Raises :class:`NotAllowed` (``only-phasers``) for any other weapon (FP1.6, FD1.3)."""
    if not is_phaser(kind):
        raise NotAllowed("only-phasers", "only phasers harm a plasma torpedo", "FP1.6")


def feedback(points: int) -> int:
    """Points the launching ship suffers when its torpedo of so many points strikes at once: a quarter, halves up.

    They strike its shield that faces the target (FP1.8).
    """
    return floor(points * charts.plasma_chart().feedback + Fraction(1, 2))


def feeds_back(*, launched_in: str, target_then: str, target_moved: bool, launcher_moved: bool = False) -> bool:
    """Whether a hit feeds back: launched in its target's hex, and the target has not moved to another since (FP1.8).

    Reading: one edition asks the same of the launching ship; both must have stayed.
    """
    return launched_in == target_then and not target_moved and not launcher_moved


# --- launching --------------------------------------------------------------------------------------------


def tube(mount: str, arc: str) -> PlasmaTube:
    """How a launcher works: ``fixed``, or ``swivel`` with the arc of the SSD (FP3.1, FP3.2).

    Raises ``ValueError`` for a swivel nobody knows.
    """
    chart = charts.plasma_chart()
    if mount != "swivel":
        return chart.fixed
    if arc not in chart.swivel:
        raise ValueError(f"{arc!r} is no arc of a swivel: {', '.join(chart.swivel)}")
    return chart.swivel[arc]


def target_arc(mount: str, arc: str) -> str:
    """The arc of the ship in which the target must be at launch (FP3.1, FP3.2)."""
    return tube(mount, arc).targets


def launch_facings(facing: str, mount: str, arc: str) -> tuple[str, ...]:
    """The facings a torpedo may be launched in, by a ship with this facing (FP3.1, FP3.2)."""
    return tuple(turn_facing(facing, direction - 1) for direction in tube(mount, arc).directions)


def last_moment(destroyed: int, impulses: int) -> int:
    """The last moment at which a destroyed tube may still launch what it had armed: a quarter turn later (FP1.7)."""
    return destroyed + quarter(impulses)


def verify_launch(
    *,
    name: str,
    charge: WeaponState,
    moment: int,
    impulses: int,
    facing: str,
    ship_facing: str,
    mount: str,
    arc: str,
    target_in_arc: bool,
    destroyed: int | None = None,
    lock_on: bool = True,
) -> None:
    """Raises :class:`NotAllowed` unless this tube may launch now.

    ``charge`` is the tube's, ``destroyed`` the moment it was destroyed, if it was; ``facing`` how the torpedo would
    be placed; ``target_in_arc`` whether :func:`target_arc` holds the target. Codes: ``weapon-destroyed`` (FP1.7),
    ``not-armed`` (FP1.21), ``no-lock-on`` (D6.121), ``out-of-arc``, ``launch-direction`` (FP3.1, FP3.2).
    """
    if charge != WeaponState.ARMED:
        how = "is still arming" if charge else "is not armed"
        raise NotAllowed("not-armed", f"{name} {how}", "FP1.21")
    if destroyed is not None and moment > last_moment(destroyed, impulses):
        ago = moment - destroyed
        raise NotAllowed(
            "weapon-destroyed",
            f"{name} was destroyed {ago} impulses ago; its torpedo could be launched for {quarter(impulses)}",
            "FP1.7",
        )
    if not lock_on:
        raise NotAllowed("no-lock-on", "without a lock-on no seeking weapon can be launched", "D6.121")
    rule = "FP3.2" if mount == "swivel" else "FP3.1"
    if not target_in_arc:
        raise NotAllowed("out-of-arc", f"the target is not in the {target_arc(mount, arc)} arc of {name}", rule)
    legal = launch_facings(ship_facing, mount, arc)
    if facing not in legal:
        raise NotAllowed("launch-direction", f"{name} launches in direction {', '.join(legal)}, not {facing}", rule)
