"""Fetch random values from the public beacon drand, network quicknet.

Every three seconds drand publishes a random value that nobody can predict or choose. Values are fetched over HTTPS
from several mirrors. The signature of the network is not verified here, because that needs pairings on elliptic
curves. But anybody can ask any mirror for the same value again.
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final
from urllib.error import URLError

import msgspec

from pbem.errors import GameError
from pbem.mail.transport.smtp import distrust

CHAIN: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
MIRRORS: Final = ("https://api.drand.sh", "https://drand.cloudflare.com", "https://api2.drand.sh")
TIMEOUT: Final = 10.0
_LARGEST: Final = 10_000


class _Round(msgspec.Struct):
    round: int
    signature: str
    randomness: str = ""


class Drand:
    """Client of the drand beacon that asks the mirrors in turn.

    ``now`` returns the current time; ``timeout`` is the limit for each mirror in seconds.
    """

    def __init__(self, now: Callable[[], datetime], mirrors: Sequence[str] = MIRRORS, timeout: float = TIMEOUT) -> None:
        self.now = now
        self.mirrors = mirrors
        self.timeout = timeout

    def value(self, number: int) -> str:
        """Return the random value of a beacon round (its running number) as 64 hex digits.

        Raises:
            GameError: No mirror answered with the value; the text has the answer of each mirror.
        """
        said = []
        for mirror in self.mirrors:
            try:
                return randomness(self._asked(f"{mirror}/{CHAIN}/public/{number}"), number)
            except (URLError, OSError, ValueError) as error:
                why = getattr(error, "reason", "") or error
                why = distrust(why) if isinstance(why, ssl.SSLError) else why
                said.append(f"{mirror.partition('//')[2]}: {why}")
        text = f"round {number} of the beacon could not be fetched ({'; '.join(said)})"
        raise GameError.saying("beacon-silent", text)

    def _asked(self, address: str) -> bytes:
        from urllib.request import Request, urlopen

        with urlopen(Request(address, headers={"User-Agent": "pbem"}), timeout=self.timeout) as answer:
            data: bytes = answer.read(_LARGEST)
        return data


def randomness(answer: bytes, number: int) -> str:
    """Return the random value in a mirror's answer, as 64 hex digits.

    It is the SHA-256 of the signature of the beacon round.

    Raises:
        ValueError: The answer is not for the beacon round with this number.
    """
    try:
        found = msgspec.json.decode(answer, type=_Round)
        value = hashlib.sha256(bytes.fromhex(found.signature)).hexdigest()
    except (msgspec.MsgspecError, ValueError) as error:
        raise ValueError("its answer is no round of a beacon") from error
    if found.round != number:
        raise ValueError(f"it answered with round {found.round}")
    if found.randomness and found.randomness != value:
        raise ValueError("its value is not the hash of its signature")
    return value
