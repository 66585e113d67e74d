"""Transporters, which move people between ships (G8.0), and the lowering of shields for them."""

from __future__ import annotations

from fractions import Fraction

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.leave import whether
from pbem.rules.movement import quarter
from pbem.util import several


def energy_for(transporters: int, fractional: bool = False) -> Fraction:
    """Return the energy points that operating this many transporters for a turn costs (G8.13).

    The cost is one point for each group of up to five transporters. With fractional accounting it is a fifth of a point
    for each transporter.
    """
    exact = Fraction(transporters, charts.transporters().per_energy)
    return exact if fractional else Fraction(-(-exact.numerator // exact.denominator))


def operated(energy: Fraction | int, working: int, fractional: bool = False) -> int:
    """Return how many of a ship's working transporters this much energy operates (G8.13).

    With ``fractional``, parts of an energy point count too.
    """
    paid = energy if fractional else int(energy)
    return min(working, int(paid * charts.transporters().per_energy))


def carried(transporters: int) -> int:
    """Return how many boarding parties or crew units these transporters move in one action (G8.13)."""
    return transporters * charts.transporters().parties


def needed(people: int) -> int:
    """Return how many transporters are needed to move this many people in one action (G8.13).

    ``people`` is a number of boarding parties or crew units.
    """
    return -(-people // carried(1))


# --- the way through the shields --------------------------------------------------------------------------


def verify_drop(*, shield: int, lowered: bool) -> None:
    """Check that a shield, or general reinforcement (``shield`` 0), is not lowered already (G8.22, G8.23).

    Raises:
        NotAllowed: The shield is lowered already (fault code ``shield-lowered``).
    """
    if lowered and not shield:
        raise NotAllowed("shield-lowered", "the general reinforcement is lowered already", "G8.23")
    if lowered:
        raise NotAllowed("shield-lowered", f"shield #{shield} is lowered already", "G8.22")


def earliest_raise(dropped: int, impulses: int) -> int:
    """Return the first time at which a lowered shield may be raised again (G8.22).

    It is a quarter turn after the lowering. Times are in impulses from the start of the game.
    """
    return dropped + quarter(impulses)


def verify_raise(*, shield: int, dropped: int | None, moment: int, impulses: int) -> None:
    """Check that a lowered shield may be raised now (G8.22).

    ``dropped`` is the time at which the shield was lowered, in impulses from the start of the game; ``None`` if it
    was not lowered.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``shield-up`` or ``quarter-turn``.
    """
    if dropped is None:
        raise NotAllowed("shield-up", f"shield #{shield} is not lowered", "G8.22")
    if moment < earliest_raise(dropped, impulses):
        raise NotAllowed(
            "quarter-turn",
            f"shield #{shield} was lowered {moment - dropped} impulses ago and stays down for {quarter(impulses)}",
            "G8.22",
        )


can_raise = whether(verify_raise)


# --- an action --------------------------------------------------------------------------------------------


def verify_transport(  # noqa: PLR0913 - each is a plain fact
    *,
    wanted: int,
    working: int,
    used: int,
    powered: int,
    range: int,
    own_shield_down: bool,
    own_general: int = 0,
    enemy_cargo: bool = False,
    permitted: bool = False,
) -> None:
    """Check that a ship may use this many transporters now.

    The shields of the other ship are not checked: if they are up, the attempt is allowed but fails (:func:`fails`).

    Args:
        wanted: The number of transporters to be used.
        working: The number of the ship's working transporters.
        used: Transporters used earlier in this turn.
        powered: Transporters that the energy operates (:func:`operated`).
        range: The range in hexes.
        own_shield_down: Whether the ship's own shield in the way is down or lowered.
        own_general: Points of the ship's own general reinforcement left.
        enemy_cargo: Whether enemy people or things would be moved.
        permitted: Whether the enemy agrees to that.

    Raises:
        NotAllowed: The rules forbid it, with one of these fault codes: ``no-transporter`` (G8.12), ``transporter-used``
            (G8.11), ``transporter-unpowered`` (G8.13), ``transporter-range`` (G8.14), ``transporter-enemy`` (G8.15),
            ``own-shield-up`` (G8.21) or ``own-reinforcement`` (G8.23).
    """
    if wanted < 1 or wanted > working:
        raise NotAllowed("no-transporter", f"the ship has {working} working transporters, not {wanted}", "G8.12")
    if used + wanted > working:
        left = max(0, working - used)
        raise NotAllowed(
            "transporter-used",
            f"only {left} of the {several(working, 'transporter')} {'is' if left == 1 else 'are'} left this turn",
            "G8.11",
        )
    if used + wanted > powered:
        raise NotAllowed(
            "transporter-unpowered",
            f"the energy pays for {several(powered, 'transporter')}, "
            f"and {used} {'has' if used == 1 else 'have'} been used; you asked for {wanted} more",
            "G8.13",
        )
    reach = charts.transporters().range
    if range > reach:
        raise NotAllowed(
            "transporter-range", f"range {range} is too far: transporters reach only {reach} hexes", "G8.14"
        )
    if enemy_cargo and not permitted:
        raise NotAllowed(
            "transporter-enemy", "you cannot transport the enemy's crew or cargo against the enemy's will", "G8.15"
        )
    if not own_shield_down:
        raise NotAllowed("own-shield-up", "the ship's own shield on the line is up: lower it first", "G8.21")
    if own_general > 0:
        raise NotAllowed(
            "own-reinforcement", f"the ship's own general reinforcement of {own_general} blocks the beam", "G8.23"
        )


def fails(*, target_shield_boxes: int, target_general: int, lowered: bool = False) -> str:
    """Return the reason why an attempt to beam people to or from another ship fails (G8.21, G8.23).

    The result is ``""`` if it succeeds. The reason is the shield in the way of the other ship, or its general
    reinforcement. General reinforcement blocks the beam even through a shield that is down or lowered. Nobody is lost
    when an attempt fails, but the transporters count as used.
    """
    if target_general > 0:
        return "general reinforcement blocks the beam (G8.23)"  # the number of points stays secret
    if target_shield_boxes > 0 and not lowered:
        return "the shield is up (G8.21)"
    return ""
