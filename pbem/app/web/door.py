"""The doors of the applications: who is let in.

Host and Origin are looked at, since other pages in the same browser, and names that lead here by a trick, can reach a
server, too. The table of an evening is open on this machine alone. The address that is opened first bears a key; the
browser keeps it as a cookie, and from then on no address has it, so that it stands in no log and no history but the
first line.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

Headers = list[tuple[str, str]]
"""The headers of a request: names in small letters, and what they say."""
_ALWAYS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


_ON = '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><a href="/">The table</a>\n'


class Gate:
    """Lets through what was asked at one of ``hosts`` (``127.0.0.1:8642``) and written from one of ``origins``
    (``http://127.0.0.1:8642``); who may see what is for the application to know.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], origins: frozenset[str]) -> None:
        self._app, self._hosts, self._origins = app, hosts, origins

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

        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        await (self.answer(scope, headers) or self._app)(scope, receive, safely)

    def answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered at the door; nothing for who may come in."""
        named = [value for name, value in headers if name == "host"]
        if len(named) != 1 or named[0] not in self._hosts:
            return closed("this is not the address of the table")
        own = [value in self._origins for name, value in headers if name == "origin"]
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return closed("pages are only read and sent", 405)
        if not all(own) or (scope["method"] == "POST" and not own):
            return closed("orders come from the pages of the table alone")
        return None


class Door(Gate):
    """A gate of one key: lets in who has it, at one of ``hosts``."""

    def __init__(self, app: ASGIApp, key: str, hosts: frozenset[str]) -> None:
        super().__init__(app, hosts=hosts, origins=frozenset(f"http://{host}" for host in hosts))
        self._key = key
        self._cookie = "pbem-" + min(hosts).rpartition(":")[2]

    def answer(self, scope: Scope, headers: Headers) -> Response | None:
        """What is answered at the door; nothing for who may come in."""
        refused = super().answer(scope, headers)
        if refused is not None:
            return refused
        if scope["method"] == "GET" and scope["path"] == "/":
            for given in parse_qs(scope["query_string"].decode("latin-1")).get("key", [])[:1]:
                if self._is_key(given):
                    # From a file, the browser would not bring the cookie along: it goes on from a page of ours.
                    far = ("sec-fetch-site", "cross-site") in headers
                    answer = Response(_ON, media_type="text/html") if far else RedirectResponse("/", 303)
                    answer.set_cookie(self._cookie, self._key, httponly=True, samesite="strict", path="/")
                    return answer
        if not any(self._is_key(given) for given in self._keys(headers)):
            return closed("open the table with the address that `pbem play` names: it has the key")
        return None

    def _keys(self, headers: Headers) -> list[str]:
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


def closed(text: str, code: int = 403) -> Response:
    """One sentence for who is not let in."""
    return Response(f"{text}\n", code, media_type="text/plain; charset=utf-8")
