"""How long a mail server may take: for a whole dialogue, not only for its next byte.

A server that sends a line now and then for ever keeps every single wait short. So a watch stands beside each dialogue
and hangs up when its time is over; whoever waits then learns that the connection has ended.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

HERE: Final = ("localhost", "127.0.0.1", "::1")
"""Servers on this machine, to which a password may go in the open."""
SLOWEST: Final = 10_000
"""Bytes a second: what a mail may take to come or go beside the time for the dialogue."""


class Watch:
    """Hangs up a connection that takes too long. ``over`` says whether it did."""

    def __init__(self) -> None:
        self.over = False
        self._line: socket.socket | None = None

    def hold(self, line: socket.socket) -> socket.socket:
        """The connection that is watched, from its first byte on."""
        self.release()
        # TLS takes the socket out of the hands that made it; a second handle stays ours.
        self._line = line.dup()
        return line

    def release(self) -> None:
        """Let go of the connection: it ends when nobody holds it any more."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    @contextmanager
    def limit(self, seconds: float) -> Iterator[None]:
        """So long may take what is done here, all together."""
        timer = threading.Timer(seconds, self._hang_up)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _hang_up(self) -> None:
        self.over = True
        line = self._line
        if line is not None:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
