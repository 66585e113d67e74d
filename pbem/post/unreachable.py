"""Players whom mail does not reach: their address refused it, or it came back. ``mail/unreachable.json`` of a host
remembers that until a letter of theirs comes or they have another address. That a server takes mail says nothing: many
send it back later.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

from pbem.desk.files import keep, read_kept
from pbem.post.clock import written
from pbem.post.who import Seat

FILE: Final = "unreachable.json"


class Lost(msgspec.Struct, frozen=True, kw_only=True):
    """Since when mail does not reach an address, and what the mail system said of it."""

    since: datetime
    why: str


class Unreachable:
    """What is known of the addresses of a host's players."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "mail" / FILE
        self.before = read_kept(self.file, dict[str, Lost]) or {}
        self.known = dict(self.before)

    def lose(self, addresses: Iterable[str], why: str, now: datetime) -> None:
        """Mail to these addresses did not arrive."""
        for address in addresses:
            self.known.setdefault(address.lower(), Lost(since=now, why=why))

    def hear(self, address: str) -> None:
        """A letter of a player came from there."""
        self.known.pop(address.lower(), None)

    def write(self, seats: Iterable[Seat], others: Iterable[str] = ()) -> None:
        """Keep what is known of addresses that are still somebody's: a player's, or of those ``others``."""
        theirs = {address for seat in seats for address in seat.addresses} | {*others}
        self.known = {address: lost for address, lost in self.known.items() if address in theirs}
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
