"""Record of players whom email does not reach, because their address refused or returned it.

It is the fact ``unreachable`` of the club's database. An entry stays until an email from the player arrives or they
have a new address. A server that accepts an email proves nothing, because many return it later. A player with a new
address did not know that orders were wanted, so their deadline restarts
(:func:`pbem.mail.host.lateness.clock_after_moves`).
Therefore each entry also has the sides concerned.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from pbem.mail.host.deadlines import written
from pbem.mail.seats import Seat
from pbem.mail.store import keep_fact, read_fact

FACT: Final = "unreachable"


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """An address that email does not reach: since when, and what the mail system said.

    ``sides`` are pairs (game, side) whose email went there and has not gone to another address since.
    """

    since: datetime
    why: str
    sides: tuple[tuple[str, str], ...] = ()


class UnreachablePlayers:
    """The record of the addresses of a host's players that email does not reach."""

    def __init__(self, folder: Path) -> None:
        self.post = folder / "mail"
        self.before = read_fact(self.post, FACT, dict[str, Lost]) or {}
        self.known = dict(self.before)

    def lose(self, addresses: Iterable[str], why: str, now: datetime, seats: Iterable[Seat] = ()) -> None:
        """Record that emails to these addresses did not arrive.

        ``seats`` are the seats the emails were for, if these have other addresses by now.
        """
        sides = {(seat.game, seat.side) for seat in seats}
        for address in map(str.lower, addresses):
            lost = self.known.get(address, Lost(since=now, why=why))
            self.known[address] = msgspec.structs.replace(lost, sides=_in_order(sides.union(lost.sides)))

    def hear(self, address: str) -> None:
        """Delete the entry of an address, because an email from there has arrived."""
        self.known.pop(address.lower(), None)

    def elsewhere(self, seat: Seat) -> datetime | None:
        """Return since when email did not reach the player of a seat at a former address.

        It returns ``None`` if email reached them, or if they still have the address that failed.
        """
        one, to = (seat.game, seat.side), seat.addresses[0]
        return min(
            (lost.since for address, lost in self.known.items() if one in lost.sides and address != to), default=None
        )

    def settle(self, seat: Seat) -> None:
        """Record that a player's new address was taken into account, so that the deadline restarts only once."""
        one, to = (seat.game, seat.side), seat.addresses[0]
        for address, lost in self.known.items():
            if address != to:
                self.known[address] = msgspec.structs.replace(lost, sides=_in_order({*lost.sides} - {one}))

    def write(self, seats: Iterable[Seat], others: Iterable[str] = ()) -> None:
        """Save the entries that are still needed, and drop the others.

        An entry is needed if its address belongs to a player or is among the ``others``. It is also needed until
        the deadline of a side that had this address was restarted.
        """
        here, mine = set[tuple[str, str]](), dict[str, set[tuple[str, str]]]()
        for seat in seats:
            here.add((seat.game, seat.side))
            mine.setdefault(seat.addresses[0], set()).add((seat.game, seat.side))
            for address in seat.addresses[1:]:
                mine.setdefault(address, set())
        now = {
            address: msgspec.structs.replace(
                lost, sides=_in_order(here.intersection(lost.sides) | mine.get(address, set()))
            )
            for address, lost in self.known.items()
        }
        theirs = mine.keys() | {*others}
        self.known = {address: lost for address, lost in now.items() if address in theirs or lost.sides}
        if self.known != self.before:
            keep_fact(self.post, FACT, self.known)

    def told(self, seats: Iterable[Seat], zone: str) -> list[str]:
        """Return a sentence for each address that email does not reach; it names the sides and games concerned."""
        return [text for _, text in self.told_by_address(seats, zone)]

    def told_by_address(self, seats: Iterable[Seat], zone: str) -> list[tuple[str, str]]:
        """Return pairs of an address that email does not reach and the sentence about it, as in :meth:`told`."""
        found: list[tuple[str, str]] = []
        places: dict[str, list[str]] = {}
        for seat in seats:
            for address in seat.addresses:
                places.setdefault(address, []).append(f"{seat.side} in {seat.game}")
        for address, lost in sorted(self.known.items()):
            if address in places:
                whose = ", ".join(places[address])
                text = f"No mail reaches {address} ({whose}) since {written(lost.since, zone)}: {lost.why}"
                found.append((address, text))
        return found


def _in_order(sides: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(sides))
