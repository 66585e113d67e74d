"""The server of an evening, bound to this machine: the table behind its door."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path

import uvicorn

from pbem.faults import GameError
from pbem.web.app import application
from pbem.web.door import Door
from pbem.web.table import Table

HERE = "127.0.0.1"
PORT = 8642
"""Taken if it is free: what a browser keeps of a form belongs to an address and its port."""


class Evening:
    """A server that is bound and not yet at work: ``address`` is what to open, with its key."""

    def __init__(self, folder: Path, port: int = 0) -> None:
        """``port`` 0 takes the usual one, or any if that is taken. Raises :class:`GameError` if it cannot be had."""
        self.socket = _bound(port)
        self.port: int = self.socket.getsockname()[1]
        self.key = secrets.token_urlsafe(24)
        hosts = frozenset({f"{HERE}:{self.port}", f"localhost:{self.port}"})
        self.app = Door(application(Table(folder)), self.key, hosts)
        config = uvicorn.Config(
            self.app, log_level="warning", access_log=False, server_header=False, date_header=False,
            timeout_keep_alive=10, limit_concurrency=64, h11_max_incomplete_event_size=16_384,
            timeout_graceful_shutdown=5, http="h11", ws="none", lifespan="off", proxy_headers=False,
        )  # fmt: skip
        self.server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        return f"http://{HERE}:{self.port}/?key={self.key}"

    def run(self) -> None:
        """Serve until somebody interrupts, or :meth:`stop`."""
        self.server.run(sockets=[self.socket])

    def stop(self) -> None:
        """End it, from another thread."""
        self.server.should_exit = True


def _bound(port: int) -> socket.socket:
    for wanted in (port,) if port else (PORT, 0):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((HERE, wanted))
            found.listen(64)  # a browser that is quicker than the server waits
        except OSError:
            found.close()
            continue
        return found
    raise GameError.saying("no-port", f"port {port} of this machine is not free; leave out --port, or name another")
