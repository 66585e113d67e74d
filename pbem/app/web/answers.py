"""What every application here does alike: it reads a request's form within bounds, works on games one request at a time
and in a thread of its own, and answers with pages that may do nothing but what they are for.

The doors of the applications: who is let in.

Host and Origin are looked at, since other pages in the same browser, and names that lead here by a trick, can reach a
server, too. The table of an evening is open on this machine alone. The address that is opened first bears a key; the
browser keeps it as a cookie, and from then on no address has it, so that it stands in no log and no history but the
first line.

What the table of an evening and a club's door show and take alike: a side's papers, and the check of its orders.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qs, quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pbem.errors import GameError
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.papers import FORM
from pbem.games.storage.publish import PROOF, reports_folder, write_form, write_whole
from pbem.games.submit import Receipt, check
from pbem.games.vassal_files import LATE, POSITIONS
from pbem.reports.draft.draft import draft_for
from pbem.reports.html.page import WHOLE, part_of_page
from pbem.reports.html.templates import environment

LARGEST = 262_144
"""Bytes a request may have: orders of a fleet are a tenth of it."""
PATIENCE = 20.0
"""Seconds in which all of a request must have arrived."""
POLICY = "Content-Security-Policy"
FRAMED = "frame-ancestors 'self'"
"""The rest of what a mailed page may do it says itself."""
_OWN = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_STYLES = {"table.css": ("report.css", "play/table.css")}
_SCRIPTS = {"table.js": ("play/table.js",), "in.js": ("play/in.js",)}

_NO_CHOICE = ("unknown-opponent",)
"""Faults of a request that no page of ours sends."""
Form = dict[str, str]
"""The fields of a request, each once."""
Handler = Callable[[Request], Awaitable[Response]]
Does = Callable[[Request, Form], Response]


class _TooLarge(Exception):
    """A request with more bytes than any orders have."""


class Answering:
    """What the addresses of an application do. One request at a time works on games: they are files."""

    def __init__(self) -> None:
        self._one = Lock()

    def asks(self, what: Does, *, alone: bool = True) -> Handler:
        """A handler that reads the request's form, works in a thread of its own, and tells faults as a page; not
        ``alone`` where it may have to wait for others.
        """

        async def handler(request: Request) -> Response:
            try:
                form = await _form_of(request)
                does = partial(self._alone, what) if alone else what
                return await run_in_threadpool(does, request, form)
            except _TooLarge:
                return plain("more than any orders have: nothing was read of it", 413)
            except TimeoutError:
                return plain("the rest of the request did not come", 408)
            except ClientDisconnect:  # who asked is gone and reads no answer; nothing was done
                return plain("the rest of the request did not come", 400)
            except GameError as error:
                return self._refused(request, error)

        return handler

    def _alone(self, what: Does, request: Request, form: Form) -> Response:
        with self._one:
            return what(request, form)

    def _refused(self, request: Request, error: GameError) -> Response:
        missing = any(fault.code in ("no-game", "no-page") for fault in error.faults)
        if wants_json(request):
            return JSONResponse({"faults": msgspec.to_builtins(list(error.faults)), "receipts": []}, 409)
        back = "/" if missing else self.back(request)
        code = 404 if missing else 400 if any(fault.code in _NO_CHOICE for fault in error.faults) else 409
        return page("play/refused.html.j2", code, faults=error.faults, back=back)

    def back(self, request: Request) -> str:
        """Where somebody goes on to whom something was refused."""
        return "/"


async def static(request: Request) -> Response:
    """Style and scripts of the pages around."""
    name = request.path_params["name"]
    for kinds, media in ((_STYLES, "text/css; charset=utf-8"), (_SCRIPTS, "text/javascript; charset=utf-8")):
        if name in kinds:
            return Response("\n".join(part_of_page(part) for part in kinds[name]), media_type=media)
    return plain("there is no such file", 404)


async def _form_of(request: Request) -> Form:
    """The fields of a request as far as they can be read. Raises if there is too much of it, or if the rest of it does
    not come.
    """
    if request.method != "POST":
        return {}
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 9 or int(length) > LARGEST:
        raise _TooLarge
    body = b""
    async with asyncio.timeout(PATIENCE):
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                raise _TooLarge
    try:
        fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=64)
    except ValueError as error:  # more fields than any page has
        raise _TooLarge from error
    return {key: values[-1].replace("\r\n", "\n") for key, values in fields.items()}


def wants_json(request: Request) -> bool:
    """Whether a script asks, and no person."""
    return "application/json" in request.headers.get("accept", "")


def page(template: str, code: int = 200, **names: Any) -> Response:
    """A page around those that are mailed."""
    text = environment().get_template(template).render(**names)
    return Response(text, code, media_type="text/html; charset=utf-8", headers={POLICY: _OWN})


def framed_page(mailed: bytes, media: str = "text/html; charset=utf-8") -> Response:
    """A page as it is mailed, to be shown in a frame."""
    return Response(mailed, media_type=media, headers={POLICY: FRAMED})


def handed(file: bytes, name: str) -> Response:
    """A file to be kept under a name."""
    headers = {POLICY: _OWN, "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(file, media_type="application/octet-stream", headers=headers)


def plain(text: str, code: int) -> Response:
    """One sentence."""
    return Response(f"{text}\n", code, media_type="text/plain; charset=utf-8", headers={POLICY: _OWN})


def to(address: str) -> Response:
    """Leads a browser on."""
    return RedirectResponse(address, 303)


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


FILES: Final = {"report": "sitrep.html", "form": FORM, WHOLE: WHOLE}
"""The papers of a side, and the files they are; beside them ``proof.html`` and ``positions.vsav`` are everybody's."""


def paper(game: GameFolder, side: str, what: str) -> bytes:
    """The report (``report``) or order form (``form``) that a side is sent, byte for byte, or the whole game
    (``replay.html``) or the proof (``proof.html``) of one that is over; or the positions for VASSAL
    (``positions.vsav``). What an earlier version did not write is made. Raises :class:`GameError` where there is none
    now.
    """
    folder, state = reports_folder(game), game.state()
    everybodys = {PROOF: folder / PROOF, POSITIONS: folder.parent / POSITIONS}
    file = everybodys.get(what) or folder / side / FILES[what]
    if not file.is_file():
        if what == "form" and state.request is not None and state.request.asks(side):
            write_form(game, side, draft_for(state, game.scenario(), state.request, side))
        elif what == WHOLE and state.over:
            file = write_whole(game, side)
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise GameError.saying("no-page", f"there is no {what} of {side} now") from None


def has_save(game: GameFolder) -> bool:
    """Whether there is a save of the positions as they are: a module may have no counter for a unit."""
    folder = reports_folder(game).parent
    return (folder / POSITIONS).is_file() and not (folder / LATE).is_file()


def checked(game: GameFolder, side: str, text: str) -> Receipt:
    """What orders would amount to; nothing is filed. Raises :class:`GameError` with every fault, and for orders of
    another side: they are no business of who plays this one.
    """
    receipt = check(game, text, "")
    if receipt.side != side:
        raise GameError.saying("wrong-side", f"these are orders of {receipt.side}, not of {side}")
    return receipt
