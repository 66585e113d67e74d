"""What follows where life support, fire control or shields were not paid (B3.0, lines 7, 8 and 11).

``unpaid`` are the items of the form that were left without energy, as :class:`pbem.rules.energy.Allotment` names
them. Fire control is the business of :mod:`pbem.rules.sensors`.
"""

from __future__ import annotations

from collections.abc import Collection

LIFE_SUPPORT, FIRE_CONTROL, SHIELDS = "LIFE SUPPORT", "FIRE CONTROL", "SHIELDS"


def crew_lives(unpaid: Collection[str]) -> bool:
    """Whether the crew lives; without life support it perishes at once (B3.0, line 7).

    Reading: a ship without a crew is out of the game and counts as destroyed, with what D4.41 says of its drones.
    """
    return LIFE_SUPPORT not in unpaid


def fire_control(unpaid: Collection[str]) -> bool:
    """Whether fire control has energy (B3.0, line 8, D6.1)."""
    return FIRE_CONTROL not in unpaid


def shields_active(unpaid: Collection[str]) -> bool:
    """Whether shield boxes block damage this turn (B3.0, line 11). Without, nothing reinforces them either (D3.34)."""
    return SHIELDS not in unpaid


def consequences(unpaid: Collection[str]) -> tuple[str, ...]:
    """What the player should know of the lines he left unpaid, a sentence each, in the order of the form."""
    said = {
        LIFE_SUPPORT: "life support is not paid: the whole crew perishes and the ship is lost (B3.0, line 7)",
        FIRE_CONTROL: "fire control is not paid: no weapon fires, nothing is locked on this turn (B3.0, line 8, D6.1)",
        SHIELDS: "shields are not paid: no shield stops anything this turn (B3.0, line 11)",
    }
    return tuple(sentence for item, sentence in said.items() if item in unpaid)
