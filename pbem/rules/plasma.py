"""Plasma torpedoes: their flight, strength, feedback and launch (FP1.0 to FP4.0).

The arming of plasma torpedoes by the energy form is in :mod:`pbem.rules.weapons`.
"""

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
    """Return the type of torpedo that a kind of plasma tube launches: ``S`` for ``plasmaS``.

    Raises:
        ValueError: The weapon is no plasma tube.
    """
    if (found := charts.weapon_kinds().get(kind)) is None or found.family != "plasma":
        raise ValueError(f"{kind} is no plasma torpedo tube")
    return kind.removeprefix("plasma")


# --- the torpedo on its way -------------------------------------------------------------------------------


def endurance(kind: str) -> int:
    """Return the number of hexes that a torpedo of this type can fly before it is spent (FP1.4)."""
    return charts.plasma()[plasma_type(kind)].hexes[-1]


def strength(kind: str, travelled: int) -> int:
    """Return the strength of a torpedo after flying this many hexes (FP1.5).

    Damage by phasers is not subtracted. The strength is 0 when the torpedo is spent.
    """
    chart = charts.plasma()[plasma_type(kind)]
    for hexes, points in zip(chart.hexes, chart.strength, strict=True):
        if travelled <= hexes:
            return points
    return 0


def warhead(kind: str, travelled: int, phaser_points: int = 0) -> int:
    """Return the points of damage that a torpedo would score if it hit now (FP1.5, FP1.6).

    All phaser damage to the torpedo is added up; every two points of it reduce the warhead by one. At 0 the torpedo
    is removed.
    """
    return max(0, strength(kind, travelled) - phaser_points // charts.plasma_chart().phaser_points)


def plasma_speed(impulses: int) -> int:
    """Return the speed of plasma torpedoes in hexes a turn (FP1.4)."""
    return max_speed(impulses, seeker=True)


def verify_shot_at_plasma(kind: str) -> None:
    """Check that a weapon fired at a plasma torpedo is a phaser (FP1.6, FD1.3).

    No other weapon can hurt a plasma torpedo.

    Raises:
        NotAllowed: The weapon is not a phaser (fault code ``only-phasers``).
    """
    if not is_phaser(kind):
        raise NotAllowed("only-phasers", "only phasers harm a plasma torpedo", "FP1.6")


def feedback(points: int) -> int:
    """Return the damage points to the ship whose torpedo hits in the hex of the launch (FP1.8).

    They are a quarter of the torpedo's ``points``, with halves rounded up. They hit the shield that faces the target.
    """
    return floor(points * charts.plasma_chart().feedback + Fraction(1, 2))


def feeds_back(*, launched_in: str, target_then: str, target_moved: bool, launcher_moved: bool = False) -> bool:
    """Return whether a torpedo that hits also damages the ship that launched it (FP1.8).

    It does if the torpedo was launched in its target's hex and the target has not left that hex since. Our
    interpretation where the rules are silent: one edition demands the same of the launching ship, so both must have
    stayed in the hex.

    Args:
        launched_in: The hex in which the torpedo was launched.
        target_then: The hex of the target at that time.
        target_moved: Whether the target has moved since.
        launcher_moved: Whether the launching ship has moved since.
    """
    return launched_in == target_then and not target_moved and not launcher_moved


# --- launching --------------------------------------------------------------------------------------------


def tube(mount: str, arc: str) -> PlasmaTube:
    """Return the figures of a plasma launcher, given its mount and its arc on the SSD (FP3.1, FP3.2).

    The mount is ``fixed`` or ``swivel``; the arc matters only for a swivel.

    Raises:
        ValueError: There is no swivel with that arc.
    """
    chart = charts.plasma_chart()
    if mount != "swivel":
        return chart.fixed
    if arc not in chart.swivel:
        raise ValueError(f"{arc!r} is no arc of a swivel: {', '.join(chart.swivel)}")
    return chart.swivel[arc]


def target_arc(mount: str, arc: str) -> str:
    """Return the arc of the launching ship in which the target must be at launch (FP3.1, FP3.2)."""
    return tube(mount, arc).targets


def launch_facings(facing: str, mount: str, arc: str) -> tuple[str, ...]:
    """Return the facings in which a ship with this facing may launch a torpedo (FP3.1, FP3.2)."""
    return tuple(turn_facing(facing, direction - 1) for direction in tube(mount, arc).directions)


def last_moment(destroyed: int, impulses: int) -> int:
    """Return the last time at which a destroyed tube may still launch the armed torpedo in it (FP1.7).

    It is a quarter turn after the tube was destroyed. Times are in impulses from the start of the game.
    """
    return destroyed + quarter(impulses)


def verify_launch(  # noqa: PLR0913 - each is a plain fact
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
    """Check that a plasma tube may launch its torpedo now.

    Args:
        name: The name of the tube, for messages.
        charge: How ready the tube is (:class:`~pbem.data.terms.WeaponState`).
        moment: The present time, in impulses from the start of the game.
        impulses: Impulses in a turn.
        facing: The facing in which the torpedo would be placed.
        ship_facing: The facing of the ship.
        mount: How the tube is fitted, ``fixed`` or ``swivel``.
        arc: Its arc on the SSD.
        target_in_arc: Whether the target is in the arc of :func:`target_arc`.
        destroyed: The time the tube was destroyed, if it was.
        lock_on: Whether the ship has a lock-on.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``weapon-destroyed`` (FP1.7), ``not-armed``
            (FP1.21), ``no-lock-on`` (D6.121), ``out-of-arc`` or ``launch-direction`` (FP3.1, FP3.2).
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
        raise NotAllowed("no-lock-on", "seeking weapons cannot be launched without a lock-on", "D6.121")
    rule = "FP3.2" if mount == "swivel" else "FP3.1"
    if not target_in_arc:
        raise NotAllowed("out-of-arc", f"the target is not in the {target_arc(mount, arc)} arc of {name}", rule)
    legal = launch_facings(ship_facing, mount, arc)
    if facing not in legal:
        raise NotAllowed("launch-direction", f"{name} launches in direction {', '.join(legal)}, not {facing}", rule)
