"""Boarding party combat and the capture of ships (D7.0), and mutiny on Klingon ships (G6.0).

Boarding parties are squads that fight aboard a ship. Combat is resolved at the end of a turn, for each ship with
boarding parties of both sides aboard. ``holders`` are the boarding parties of the ship's owner, ``raiders`` those
of the enemy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.data import charts
from pbem.errors import NotAllowed


class Decks(NamedTuple):
    """The boarding parties of both sides aboard one ship, and its control stations.

    Attributes:
        holders: Parties of the side that holds the ship.
        raiders: Parties of the side that boarded it.
        stations: Number of control stations.
        taken: Number of control stations that the raiders hold.
    """

    holders: int
    raiders: int
    stations: int
    taken: int = 0

    @property
    def captured(self) -> bool:
        """True if the enemy has captured the ship (D7.0, step 5).

        The ship is captured if the enemy holds all control stations and has parties aboard to use them. If all
        control stations are destroyed, the ship is captured when none of the owner's parties is left.
        """
        return self.raiders > 0 and self.taken >= self.stations and (self.stations > 0 or self.holders == 0)


class Fought(NamedTuple):
    """The result of one round of combat between boarding parties.

    Attributes:
        by_holders: Casualty points that the holders of the ship scored.
        by_raiders: Casualty points that the raiders scored.
        decks: The situation afterwards.
    """

    by_holders: int
    by_raiders: int
    decks: Decks


def control_stations(boxes: Mapping[str, int], stations: int | None = None) -> int:
    """Return the number of control stations left on a ship (D7.0, step 5).

    They are its undestroyed bridge, emergency bridge and auxiliary control boxes. ``boxes`` are the ship's undestroyed
    boxes by system. ``stations`` is the number for a ship without an SSD, such as a freighter; then ``boxes`` is
    ignored.
    """
    return sum(boxes.get(box, 0) for box in charts.boarding().stations) if stations is None else stations


def groups(parties: int) -> tuple[int, ...]:
    """Return the sizes of the groups into which a side divides its boarding parties (D7.0, step 2).

    A side makes as many full groups as possible, and one smaller group of the rest. Each group rolls one die.
    """
    most = max(charts.boarding().parties)
    rest = parties % most
    return (most,) * (parties // most) + ((rest,) if rest else ())


def casualties(parties: int, dice: Sequence[int]) -> int:
    """Return the casualty points that a side scores in one round (D7.0, steps 3 and 4).

    ``parties`` is the number of its boarding parties, ``dice`` has one die for each of its groups (:func:`groups`).

    Raises:
        ValueError: The numbers of dice and groups differ.
    """
    sizes = groups(parties)
    if len(dice) != len(sizes):
        raise ValueError(f"{parties} boarding parties are {len(sizes)} groups and need as many dice, not {len(dice)}")
    chart = charts.boarding()
    return sum(chart.casualties[die - 1][chart.parties.index(size)] for die, size in zip(dice, sizes, strict=True))


def is_fought(decks: Decks) -> bool:
    """Return whether there is boarding party combat on this ship at the end of a turn.

    Our interpretation where the rules are silent: parties of one side alone also act if the other side holds
    control stations. Otherwise a ship could not be taken, or taken back, once one side has no parties left.
    """
    if decks.raiders and decks.holders:
        return True
    return decks.taken < decks.stations if decks.raiders else decks.holders > 0 and decks.taken > 0


def fight(decks: Decks, holders_dice: Sequence[int], raiders_dice: Sequence[int]) -> Fought:
    """Return the result of one round of boarding party combat (D7.0, steps 4 and 5).

    Both sides attack at once. Casualty points that remain after the last enemy party is lost take control stations. The
    raiders take those of the owner. Our interpretation where the rules are silent: the holders take back stations that
    were lost before this round. A destroyed station cannot be held, so ``decks.stations`` must be the current number
    (:func:`control_stations`).

    Args:
        decks: The situation before the round.
        holders_dice: The dice of the side that holds the ship, one for each group of its parties.
        raiders_dice: The dice of the side that boarded it, one for each group of its parties.

    Raises:
        ValueError: The numbers of dice and groups differ.
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
    """Check that a ship is not captured, so that its weapons can be fired (D7.0, step 6).

    The codes of a captured ship still lock its weapons. ``name`` is the ship's name, for the message.

    Raises:
        NotAllowed: The ship is captured (fault code ``captured``).
    """
    if captured:
        raise NotAllowed("captured", f"{name}: the weapons of a captured ship cannot be fired", "D7.0")


def can_mutiny(race: str, stations: int) -> bool:
    """Return whether the crew of a ship may mutiny at all, given its race and its security boxes.

    ``stations`` is the number of security boxes (stations) of the undamaged ship. A ship without any never
    mutinies.
    """
    return race in charts.mutiny().races and stations > 0


def rolls_at_once(stations_before: int, stations_after: int) -> bool:
    """Return whether a die for mutiny is rolled at once (G6.2).

    It is rolled when the last security station of a ship is destroyed. The arguments are the numbers of security
    stations before and after the damage.
    """
    return stations_before > 0 and stations_after == 0


def rolls_at_turn_end(race: str, stations: int, stations_left: int, staged: bool) -> bool:
    """Return whether a die for mutiny is rolled at the end of a turn (G6.2, G6.24).

    The die is rolled if no security station is left (``stations_left``) and no mutiny has happened yet
    (``staged``). ``stations`` is the number on the undamaged ship. As the rule is written, a ship that rolled
    during the turn rolls again at its end.
    """
    return can_mutiny(race, stations) and stations_left == 0 and not staged


def modifier(enemy_parties: int, control_boxes: int) -> int:
    """Return the number by which both dice for a mutiny are changed (G6.22, G6.23).

    The number makes a mutiny more likely: it is subtracted from the first die and added to the second.
    ``enemy_parties`` is the number of enemy boarding parties aboard. ``control_boxes`` is the number of bridge,
    emergency bridge and auxiliary control boxes left.
    """
    chart = charts.mutiny()
    return enemy_parties // chart.parties + (0 if control_boxes else chart.lost_control)


def occurs(die: int, modifier: int = 0) -> bool:
    """Return whether the crew mutinies, given the first die (G6.2).

    ``modifier`` is the number that :func:`modifier` returns; it makes a mutiny more likely.
    """
    return die - modifier <= charts.mutiny().occurs


def succeeds(die: int, modifier: int = 0) -> bool:
    """Return whether a mutiny that broke out succeeds, given its second die (G6.2, G6.24).

    ``modifier`` is the number that :func:`modifier` returns. If the mutiny fails, the crew never mutinies again.
    """
    chart = charts.mutiny()
    return min(chart.die, die + modifier) >= chart.succeeds


def verify_obeys(name: str, mutinous: bool) -> None:
    """Check that a ship obeys its player: a mutinous ship may not move or fire.

    Raises:
        NotAllowed: The ship is in mutiny (fault code ``mutiny``).
    """
    if mutinous:
        raise NotAllowed("mutiny", f"the crew of {name} has mutinied, and the ship obeys nobody", "G6.32")


def aftermath(loyal_klingons: int) -> str:
    """Return the state of a ship after a successful mutiny: ``captured`` or ``mutinous``.

    ``loyal_klingons`` is the number of other Klingon ships left. If there are none, the mutinous ship is ``captured``
    and the scenario ends (G6.33). Otherwise it is ``mutinous``: the game continues, and the winner gets the ship at the
    end (G6.34).
    """
    return "mutinous" if loyal_klingons else "captured"
