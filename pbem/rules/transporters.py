"""Transporters (G8.0), and shields lowered for them."""

from __future__ import annotations

from fractions import Fraction

from pbem.data import charts
from pbem.errors import NotAllowed
from pbem.rules.leave import whether
from pbem.rules.movement import quarter


def energy_for(transporters: int, fractional: bool = False) -> Fraction:
    """Energy to operate so many transporters for a turn: a point for each five or part of five (G8.13).

    With fractional accounting one fifth each.
    """
    exact = Fraction(transporters, charts.transporters().per_energy)
    return exact if fractional else Fraction(-(-exact.numerator // exact.denominator))


def operated(energy: Fraction | int, working: int, fractional: bool = False) -> int:
    """How many of a ship's working transporters so much energy operates (G8.13)."""
    paid = energy if fractional else int(energy)
    return min(working, int(paid * charts.transporters().per_energy))


def carried(transporters: int) -> int:
    """Boarding parties, or crew units, so many transporters move in one action (G8.13)."""
    return transporters * charts.transporters().parties


def needed(people: int) -> int:
    """Transporters that move so many people in one action (G8.13)."""
    return -(-people // carried(1))


# --- the way through the shields --------------------------------------------------------------------------


def verify_drop(*, shield: int, lowered: bool) -> None:
    """Raises :class:`NotAllowed` (``shield-lowered``) for a shield that is lowered already (G8.22); 0 is the general
    reinforcement (G8.23).
    """
    if lowered and not shield:
        raise NotAllowed("shield-lowered", "the general reinforcement is lowered already", "G8.23")
    if lowered:
        raise NotAllowed("shield-lowered", f"shield #{shield} is lowered already", "G8.22")


def earliest_raise(dropped: int, impulses: int) -> int:
    """The first moment at which a lowered shield may be raised again: a quarter turn later (G8.22)."""
    return dropped + quarter(impulses)


def verify_raise(*, shield: int, dropped: int | None, moment: int, impulses: int) -> None:
    """Raises :class:`NotAllowed`: ``shield-up`` or ``quarter-turn`` (G8.22). ``dropped``: when it was lowered."""
    if dropped is None:
        raise NotAllowed("shield-up", f"shield #{shield} is not lowered", "G8.22")
    if moment < earliest_raise(dropped, impulses):
        raise NotAllowed(
            "quarter-turn",
            f"shield #{shield} was lowered {moment - dropped} impulses ago and stays so for {quarter(impulses)}",
            "G8.22",
        )


can_raise = whether(verify_raise)


# --- an action --------------------------------------------------------------------------------------------


def verify_transport(
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
    """Raises :class:`NotAllowed` unless a ship may use so many transporters now.

    ``used`` are those used this turn, ``powered`` those its energy operates (:func:`operated`); ``own_general`` what
    is left of its own general reinforcement; ``enemy_cargo`` whether people or things of the enemy would be moved,
    ``permitted`` whether he agrees. Codes: ``no-transporter`` (G8.12), ``transporter-used`` (G8.11),
    ``transporter-unpowered`` (G8.13), ``transporter-range`` (G8.14), ``transporter-enemy`` (G8.15),
    ``own-shield-up`` (G8.21), ``own-reinforcement`` (G8.23).

    The shields of the other ship are no matter of leave: through them the attempt simply fails (:func:`fails`).
    """
    if wanted < 1 or wanted > working:
        raise NotAllowed("no-transporter", f"the ship has {working} working transporters, not {wanted}", "G8.12")
    if used + wanted > working:
        left = max(0, working - used)
        raise NotAllowed("transporter-used", f"{left} of {working} transporters were not used yet this turn", "G8.11")
    if used + wanted > powered:
        raise NotAllowed(
            "transporter-unpowered",
            f"the energy operates {powered} transporters, {used} of which were used; {wanted} more are too many",
            "G8.13",
        )
    reach = charts.transporters().range
    if range > reach:
        raise NotAllowed("transporter-range", f"{range} hexes are beyond the reach of transporters, {reach}", "G8.14")
    if enemy_cargo and not permitted:
        raise NotAllowed(
            "transporter-enemy", "the enemy's people and things cannot be beamed against his will", "G8.15"
        )
    if not own_shield_down:
        raise NotAllowed("own-shield-up", "the ship's own shield on the line is up: lower it first", "G8.21")
    if own_general > 0:
        raise NotAllowed(
            "own-reinforcement", f"the ship's own general reinforcement of {own_general} blocks the beam", "G8.23"
        )


def fails(*, target_shield_boxes: int, target_general: int, lowered: bool = False) -> str:
    """Why an attempt to beam to a ship fails, or an empty string: its shield on the line, or general reinforcement.

    Nobody is lost, but the transporters count as used (G8.21, G8.23). General reinforcement blocks even through a
    shield that is down or lowered.
    """
    if target_general > 0:
        return "general reinforcement blocks the beam (G8.23)"  # how much of it there is stays secret
    if target_shield_boxes > 0 and not lowered:
        return "the shield is up (G8.21)"
    return ""
