"""Boarding party combat, and the capture of ships (D7.0).

Fought at the end of a turn for each ship that has parties of both sides aboard. Boarding parties are counted by side;
``holders`` are the owner's, ``raiders`` the enemy's.

Security stations and mutiny on Klingon ships (G6.0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.data import charts
from pbem.errors import NotAllowed


class Decks(NamedTuple):
    """Who is aboard: parties of the owner and of the enemy, control stations, and how many of these the enemy holds."""

    holders: int
    raiders: int
    stations: int
    taken: int = 0

    @property
    def captured(self) -> bool:
        """All control stations are the enemy's, and some of his are there to use them (D7.0, step 5).

        Of a ship whose control stations are all destroyed: none of the owner's parties is left.
        """
        return self.raiders > 0 and self.taken >= self.stations and (self.stations > 0 or self.holders == 0)


class Fought(NamedTuple):
    """A round of combat: casualties scored by each side, and the ship afterwards."""

    by_holders: int
    by_raiders: int
    decks: Decks


def control_stations(boxes: Mapping[str, int], stations: int | None = None) -> int:
    """The control stations of a ship: undestroyed bridge, emergency bridge and auxiliary control boxes (D7.0, step 5).

    ``stations`` is the number of a ship without an SSD, such as a freighter.
    """
    return sum(boxes.get(box, 0) for box in charts.boarding().stations) if stations is None else stations


def groups(parties: int) -> tuple[int, ...]:
    """The groups a side divides into: as many full ones as it can, and the rest (D7.0, step 2). One die for each."""
    most = max(charts.boarding().parties)
    rest = parties % most
    return (most,) * (parties // most) + ((rest,) if rest else ())


def casualties(parties: int, dice: Sequence[int]) -> int:
    """Casualty points a side scores, with a die for each of its groups (D7.0, steps 3 and 4).

    Raises ``ValueError`` unless there are as many dice as groups.
    """
    sizes = groups(parties)
    if len(dice) != len(sizes):
        raise ValueError(f"{parties} boarding parties are {len(sizes)} groups and need as many dice, not {len(dice)}")
    chart = charts.boarding()
    return sum(chart.casualties[die - 1][chart.parties.index(size)] for die, size in zip(dice, sizes, strict=True))


def is_fought(decks: Decks) -> bool:
    """Whether there is anything to resolve at the end of a turn.

    Reading: besides parties of both sides, parties of one side alone also act while the other holds control stations,
    or a ship could neither be taken nor taken back once one side is gone.
    """
    if decks.raiders and decks.holders:
        return True
    return decks.taken < decks.stations if decks.raiders else decks.holders > 0 and decks.taken > 0


def fight(decks: Decks, holders_dice: Sequence[int], raiders_dice: Sequence[int]) -> Fought:
    """One round of boarding party combat; both sides attack at once (D7.0, steps 4 and 5).

    Points beyond the last enemy party take control stations: the raiders' those of the owner, and (reading) the
    holders' those that were taken before this round. Destroyed stations can no longer be held by anybody: pass
    :func:`control_stations` of now. Raises ``ValueError`` unless there is a die for each group.
    """
    by_holders = casualties(decks.holders, holders_dice)
    by_raiders = casualties(decks.raiders, raiders_dice)
    held = min(decks.taken, decks.stations)
    seized = min(max(0, by_raiders - decks.holders), decks.stations - held)
    freed = min(max(0, by_holders - decks.raiders), held)
    after = Decks(
        holders=max(0, decks.holders - by_raiders),
        raiders=max(0, decks.raiders - by_holders),
        stations=decks.stations,
        taken=held + seized - freed,
    )
    return Fought(by_holders, by_raiders, after)


def verify_weapons(name: str, captured: bool) -> None:
    """Raises :class:`NotAllowed` (``captured``) for a weapon of a captured ship: its codes hold (D7.0, step 6)."""
    if captured:
        raise NotAllowed("captured", f"{name}: the weapons of a captured ship cannot be fired", "D7.0")


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
