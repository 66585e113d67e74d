"""Security stations and mutiny on Klingon ships (G6.0)."""

from __future__ import annotations

from pbem.data import charts
from pbem.errors import NotAllowed


def can_mutiny(race: str, stations: int) -> bool:
    """Whether the crew of such a ship may mutiny at all; ``stations`` are the security boxes of the undamaged ship."""
    return race in charts.mutiny().races and stations > 0


def rolls_at_once(stations_before: int, stations_after: int) -> bool:
    """Whether the last security station has just been knocked out: a die is rolled immediately (G6.2)."""
    return stations_before > 0 and stations_after == 0


def rolls_at_turn_end(race: str, stations: int, stations_left: int, staged: bool) -> bool:
    """Whether a die is rolled at the end of a turn: no station is left and no mutiny was staged yet (G6.2, G6.24).

    As written, a ship that rolled during the turn rolls again at its end.
    """
    return can_mutiny(race, stations) and stations_left == 0 and not staged


def modifier(enemy_parties: int, control_boxes: int) -> int:
    """What makes a mutiny likelier: subtracted from the first die and added to the second (G6.22, G6.23).

    ``enemy_parties`` are the boarding parties of the Klingons' enemies aboard; ``control_boxes`` the bridge, emergency
    bridge and auxiliary control boxes left.
    """
    chart = charts.mutiny()
    return enemy_parties // chart.parties + (0 if control_boxes else chart.lost_control)


def occurs(die: int, modifier: int = 0) -> bool:
    """Whether the crew mutinies (G6.2)."""
    return die - modifier <= charts.mutiny().occurs


def succeeds(die: int, modifier: int = 0) -> bool:
    """Whether a mutiny succeeds, by its second die; else it is put down and there is never another (G6.2, G6.24)."""
    chart = charts.mutiny()
    return min(chart.die, die + modifier) >= chart.succeeds


def verify_obeys(name: str, mutinous: bool) -> None:
    """Raises :class:`NotAllowed` (``mutiny``) for anything a mutinous ship is told to do: it cannot move or fire."""
    if mutinous:
        raise NotAllowed("mutiny", f"{name} is in the hands of its crew and obeys nobody", "G6.32")


def aftermath(loyal_klingons: int) -> str:
    """What a successful mutiny means: ``captured`` if no other Klingon ship is left, and the scenario is over (G6.33).

    Else ``mutinous``: play goes on, and the winner gains the ship at the end (G6.34).
    """
    return "mutinous" if loyal_klingons else "captured"
