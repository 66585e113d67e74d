"""Players whom mail does not reach: their address refused it, or it came back. ``mail/unreachable.json`` of a host
remembers that until a letter of theirs comes or they have another address. That a server takes mail says nothing: many
send it back later. Who has another address then knew nothing of what is asked of him: his time for it begins when the
host first sees that (:meth:`pbem.mail.host.play.Playing.play`), so it is remembered whose mail it was.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from pbem.games.storage.files import keep, read_kept
from pbem.mail.host.deadlines import written
from pbem.mail.seats import Seat

FILE: Final = "unreachable.json"


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """Since when mail does not reach an address, and what the mail system said of it. ``sides`` are those (game, side)
    whose mail went there, until it is seen that it goes elsewhere.
    """

    since: datetime
    why: str
    sides: tuple[tuple[str, str], ...] = ()


class UnreachablePlayers:
    """What is known of the addresses of a host's players."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "mail" / FILE
        self.before = read_kept(self.file, dict[str, Lost]) or {}
        self.known = dict(self.before)

    def lose(self, addresses: Iterable[str], why: str, now: datetime, seats: Iterable[Seat] = ()) -> None:
        """Mail to these addresses did not arrive; ``seats`` are those it was for, where they have other ones now."""
        sides = {(seat.game, seat.side) for seat in seats}
        for address in map(str.lower, addresses):
            lost = self.known.get(address, Lost(since=now, why=why))
            self.known[address] = msgspec.structs.replace(lost, sides=_in_order(sides.union(lost.sides)))

    def hear(self, address: str) -> None:
        """A letter of a player came from there."""
        self.known.pop(address.lower(), None)

    def elsewhere(self, seat: Seat) -> datetime | None:
        """Since when mail did not reach a player who has another address now; ``None`` where it did, or still does
        not.
        """
        one, to = (seat.game, seat.side), seat.addresses[0]
        return min(
            (lost.since for address, lost in self.known.items() if one in lost.sides and address != to), default=None
        )

    def settle(self, seat: Seat) -> None:
        """It was seen that a player has another address."""
        one, to = (seat.game, seat.side), seat.addresses[0]
        for address, lost in self.known.items():
            if address != to:
                self.known[address] = msgspec.structs.replace(lost, sides=_in_order({*lost.sides} - {one}))

    def write(self, seats: Iterable[Seat], others: Iterable[str] = ()) -> None:
        """Keep what is known of addresses that are still somebody's: a player's, or of those ``others``; and of those
        that are no longer while a side's time for what is asked did not begin anew.
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
            keep(self.file, self.known)

    def told(self, seats: Iterable[Seat], zone: str) -> list[str]:
        """A sentence for each address mail does not reach, with the games and sides it is for."""
        return [text for _, text in self.told_by_address(seats, zone)]

    def told_by_address(self, seats: Iterable[Seat], zone: str) -> list[tuple[str, str]]:
        """The addresses mail does not reach, each with its sentence."""
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
