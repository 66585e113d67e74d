"""The HTTP servers: one for local games, bound to this machine, and one for a club's web pages."""

from __future__ import annotations

import asyncio
import secrets
import socket
import time
from collections import Counter
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from pbem.app.web.answers import PATIENCE, POLICY, REFUSAL_POLICY, KeyGate
from pbem.app.web.club import clubhouse
from pbem.app.web.evening import Table, application
from pbem.app.web.thinking import Thinking
from pbem.errors import GameError
from pbem.mail.event_log import note

HERE = "127.0.0.1"
PORT, CLUB_PORT = 8642, 8643
"""Default ports of the local server and the club's server; each is used if it is free.

A fixed port matters, because a browser stores unsent entries of a form by address and port.
"""


MOST_CONNECTIONS = 200
"""Maximum number of open connections.

If there are more, a connection that waits for its client is closed.
"""


class _Prompt(H11Protocol):
    """An HTTP connection that is closed if the headers of a request do not arrive in time.

    The limit is ``PATIENCE`` of :mod:`pbem.app.web.answers`, in seconds. If too many connections are open, the server
    closes one for whose client it waits: for a request, for the rest of a request, or until the client reads a
    response. It takes the address with the most such connections, and closes the connection of this address that has
    waited longest. So a client that opens many connections and sends nothing blocks only itself.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._cut: asyncio.TimerHandle | None = None
        self._since = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._since = time.monotonic()
        self._await_head()
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if _at_rest(self.cycle):
            self._await_head()
        else:
            self._forget()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._since = time.monotonic()
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Answer data that is not an HTTP request with status 400, and close the connection.

        The response has the Content-Security-Policy of all refusals.
        """
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Connection", "close"), (POLICY, REFUSAL_POLICY)]
        response = h11.Response(status_code=400, headers=headers, reason=b"Bad Request")
        for event in (response, h11.Data(data=msg.encode("ascii")), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _make_room(self) -> None:
        """Close the connection that has waited longest for its client, from the address with most of these.

        If none waits, close the newest connection of the address with the most connections.
        """
        every = [one for one in self.connections if isinstance(one, _Prompt)]
        waiting = [one for one in every if one is not self and one._waits()]
        most = Counter(one._address() for one in waiting or every)
        order = -1 if waiting else 1
        max(waiting or every, key=lambda one: (most[one._address()], order * one._since))._drop()

    def _waits(self) -> bool:
        """Return True if the server waits for the client, and False if the client waits for the server."""
        return _at_rest(self.cycle) or self.cycle.more_body

    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _drop(self) -> None:
        """Close the connection at once; data that the client has not read is lost."""
        self.connections.discard(self)
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _await_head(self) -> None:
        if self._cut is None:
            self._cut = self.loop.call_later(PATIENCE, self._too_late)

    def _too_late(self) -> None:
        self._cut = None
        if _at_rest(self.cycle):
            self._drop()

    def _forget(self) -> None:
        if self._cut is not None:
            self._cut.cancel()
            self._cut = None


def _at_rest(cycle: RequestResponseCycle | None) -> bool:
    """Return whether a connection has no request in progress.

    That is so before its first request, and when the response to a request is complete.
    """
    return cycle is None or cycle.response_complete


def _logged(app: ASGIApp) -> ASGIApp:
    """Return the application with a log record for each request: method, pattern of the path, and status.

    The path itself may contain a key that a person pasted, so it is not logged.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        status, began = 0, time.monotonic()

        async def sent(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await app(scope, receive, sent)
        finally:
            if scope["type"] == "http":
                known = scope.get("path_params") or {}
                names = {str(value): f"{{{name}}}" for name, value in known.items()}
                parts = [names.get(part, part) for part in scope["path"].split("/")] if "endpoint" in scope else []
                game, side = (str(known.get(name, "")) if status < 400 else "" for name in ("game", "side"))
                milliseconds = round(1000 * (time.monotonic() - began))
                note(
                    "request", method=scope["method"], path="/".join(parts), status=status, game=game, side=side,
                    ms=milliseconds,
                )  # fmt: skip

    return answer


class Served:
    """A web server whose socket is open; it answers requests when :meth:`run` is called."""

    def __init__(self, app: ASGIApp, bound: socket.socket) -> None:
        self.socket, self.app = bound, _logged(app)
        self.port: int = bound.getsockname()[1]
        config = uvicorn.Config(
            self.app, log_level="warning", access_log=False, server_header=False, date_header=False,
            timeout_keep_alive=10, h11_max_incomplete_event_size=16_384,
            timeout_graceful_shutdown=5, http=_Prompt, ws="none", lifespan="off", proxy_headers=False,
        )  # fmt: skip
        self.server = uvicorn.Server(config)

    def run(self) -> None:
        """Answer requests until Ctrl+C, or until :meth:`stop` is called."""
        self.server.run(sockets=[self.socket])

    def stop(self) -> None:
        """Stop the server; may be called from another thread."""
        self.server.should_exit = True


class Evening(Served):
    """The server for local games.

    ``address`` is the address to open in a browser, including the secret key.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        """Open the socket of the server for the games in ``folder``.

        Port 0 means the default port, or any free one if the default port is in use.

        Raises:
            GameError: The port is not free.
        """
        bound = _bound(HERE, port, PORT)
        self.key = secrets.token_urlsafe(24)
        self._thinking = Thinking()
        super().__init__(KeyGate(application(Table(folder, self._thinking)), self.key, _names(bound)), bound)

    def run(self) -> None:
        """Answer requests until Ctrl+C, or until :meth:`stop` is called.

        Then end the process in which computer players decide.
        """
        try:
            super().run()
        finally:
            self._thinking.close()

    @property
    def address(self) -> str:
        """The address to open in a browser, including the secret key."""
        return f"http://{HERE}:{self.port}/?key={self.key}"


class ClubServer(Served):
    """The server of a club's web pages, meant to run behind a proxy that provides TLS.

    It listens only on this machine, or on the network interface with the given ``address``.
    """

    def __init__(self, folder: Path, address: str = HERE, port: int = 0) -> None:
        """Open the socket of the server for the host's ``folder``.

        Port 0 means the default port, or any free one if the default port is in use.

        Raises:
            GameError: The port is not free, or the club has no web address in host.toml.
        """
        bound = _bound(address, port, CLUB_PORT)
        try:
            super().__init__(clubhouse(folder, _names(bound)), bound)
        except GameError:
            bound.close()
            raise


def _names(bound: socket.socket) -> frozenset[str]:
    """Return the host names with port by which a browser on this machine can reach the server."""
    port = bound.getsockname()[1]
    return frozenset({f"{HERE}:{port}", f"localhost:{port}"})


def _bound(address: str, port: int, usual: int) -> socket.socket:
    for wanted in (port,) if port else (usual, 0):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((address, wanted))
            found.listen(64)  # requests before the server starts wait
        except OSError:
            found.close()
            continue
        return found
    raise GameError.saying("no-port", f"port {port} of {address} is in use; leave out --port or name another")
