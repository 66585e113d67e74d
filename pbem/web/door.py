"""The door of the application: who is let in.

It is open on this machine alone. The address that is opened first bears a key; the browser keeps it as a cookie, and
from then on no address has it, so that it stands in no log and no history but the first line. Host and Origin are
looked at, since other pages in the same browser, and names that lead here by a trick, can reach 127.0.0.1 too.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ALWAYS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Door:
    """Lets in who has the key, at one of ``hosts`` (``127.0.0.1:8642``), and writes from nowhere else."""

    def __init__(self, app: ASGIApp, key: str, hosts: frozenset[str]) -> None:
        self._app, self._key, self._hosts = app, key, hosts
        self._cookie = "pbem-" + min(hosts).rpartition(":")[2]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no other kind of connection is answered

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.lower().encode(), text.encode()) for name, text in _ALWAYS.items()]
            await send(message)

        await (self._answer(scope) or self._app)(scope, receive, safely)

    def _answer(self, scope: Scope) -> Response | None:
        """What is answered at the door; nothing for who may come in."""
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        named = [value for name, value in headers if name == "host"]
        if len(named) != 1 or named[0] not in self._hosts:
            return _closed("this is not the address of the table")
        origins = [value for name, value in headers if name == "origin"]
        own = [origin in {f"http://{host}" for host in self._hosts} for origin in origins]
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return _closed("pages are only read and sent", 405)
        if not all(own) or (scope["method"] == "POST" and not own):
            return _closed("orders come from the pages of the table alone")
        if scope["method"] == "GET" and scope["path"] == "/":
            for given in parse_qs(scope["query_string"].decode("latin-1")).get("key", [])[:1]:
                if self._is_key(given):
                    answer = RedirectResponse("/", 303)
                    answer.set_cookie(self._cookie, self._key, httponly=True, samesite="strict", path="/")
                    return answer
        if not any(self._is_key(given) for given in self._keys(headers)):
            return _closed("open the table with the address that `pbem play` names: it has the key")
        return None

    def _keys(self, headers: list[tuple[str, str]]) -> list[str]:
        found = []
        for name, value in headers:
            if name == "cookie":
                try:
                    cookie = SimpleCookie(value).get(self._cookie)
                except CookieError:
                    continue
                found += [cookie.value] if cookie is not None else []
        return found

    def _is_key(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._key.encode())


def _closed(text: str, code: int = 403) -> Response:
    return Response(f"{text}\n", code, media_type="text/plain; charset=utf-8")
