"""Shared code of both web applications: reading requests, access checks, responses, a side's files.

:class:`Answering` reads the form of a request within limits of size and time, and runs the work in a thread, one
request at a time. Its pages have a strict Content-Security-Policy.

:class:`Gate` checks the Host and Origin headers. Without this check, other pages in the same browser, or other names
that resolve to this machine, could also reach a server. :class:`KeyGate` also requires a secret key, because only the
user of this machine may reach local games. The key is in the address that is opened first, and from then on in a
cookie. So it does not appear in later log or history entries.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from http.cookies import CookieError, SimpleCookie
from threading import Lock
from typing import Any, Final
from urllib.parse import parse_qs, quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pbem.errors import GameError
from pbem.games.proof.archive import contents
from pbem.games.storage.folder import GameFolder, log_digest
from pbem.games.storage.papers import FORM, ReportMaker, encoded
from pbem.games.storage.players import as_played, names, tenures
from pbem.games.storage.publish import PROOF, is_current, maker_now, reports_folder, write_form, write_whole
from pbem.games.submit import Receipt, check
from pbem.games.vassal_files import LATE, POSITIONS
from pbem.reports.draft.draft import draft_for
from pbem.reports.html.board import Board, board_of
from pbem.reports.html.page import WHOLE, built_script, part_of_page
from pbem.reports.html.templates import environment

LARGEST = 262_144
"""Maximum size of a request in bytes, about ten times the size of a fleet's orders."""
PATIENCE = 20.0
"""Maximum time in seconds for the whole request to arrive."""
POLICY = "Content-Security-Policy"
FRAMED = "frame-ancestors 'self'"
"""Content-Security-Policy for emailed pages shown in a frame.

The HTML of these pages contains the rest of their policy.
"""
_OWN = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
REFUSAL_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Content-Security-Policy of responses that are not pages: sentences, redirects, JSON, files to save."""
_STYLES = {
    "table.css": ("report.css", "play/table.css", "play/course.css"),
    "game.css": ("report.css", "orders.css", "effects.css", "play/game.css", "play/result.css"),
}
_SCRIPTS = {"in.js": "in", "game.js": "game"}

_NO_CHOICE = ("unknown-opponent", "unknown-scenario")
"""Fault codes of requests that no page of this application sends; the HTTP status is 400."""
Form = dict[str, str]
"""Type of the fields of a request, by name. If a field is repeated, the last value counts."""
Handler = Callable[[Request], Awaitable[Response]]
Does = Callable[[Request, Form], Response]


class _TooLarge(Exception):
    """Raised if a request has more bytes or fields than any of our pages sends."""


class Answering:
    """Base class for the request handlers of a web application.

    Games are files, so only one request at a time works on them.
    """

    def __init__(self) -> None:
        self._one = Lock()

    def asks(self, work: Does, *, alone: bool = True) -> Handler:
        """Return a request handler that reads the form, calls ``work`` in a thread, and reports faults.

        Faults are shown as a page, or as JSON if the request asks for it. With ``alone`` the call holds the
        application's lock. Pass ``alone=False`` for calls that may have to wait for other programs.
        """

        async def handler(request: Request) -> Response:
            try:
                form = await _form_of(request)
                does = partial(self._alone, work) if alone else work
                return await run_in_threadpool(does, request, form)
            except _TooLarge:
                return plain_text("nothing was read: this is larger than any orders", 413)
            except TimeoutError:
                return plain_text("the rest of the request did not arrive", 408)
            except ClientDisconnect:  # the client has disconnected and reads no answer; nothing was done
                return plain_text("the rest of the request did not arrive", 400)
            except GameError as error:
                return self._refused(request, error)

        return handler

    def _alone(self, work: Does, request: Request, form: Form) -> Response:
        with self._one:
            return work(request, form)

    def _refused(self, request: Request, error: GameError) -> Response:
        missing = any(fault.code in ("no-game", "no-page") for fault in error.faults)
        if wants_json(request):
            return JSONResponse({"faults": msgspec.to_builtins(list(error.faults)), "receipts": []}, 409)
        back = "/" if missing else self.back(request)
        code = 404 if missing else 400 if any(fault.code in _NO_CHOICE for fault in error.faults) else 409
        return page("play/refused.html.j2", code, faults=error.faults, back=back)

    def back(self, request: Request) -> str:
        """Return the address of the page to which the user can go after a request was refused."""
        return "/"


async def static(request: Request) -> Response:
    """Serve the style sheets and scripts of the application's own pages."""
    name = request.path_params["name"]
    if name in _STYLES:
        text, media = "\n".join(part_of_page(part) for part in _STYLES[name]), "text/css; charset=utf-8"
    elif name in _SCRIPTS:
        text, media = built_script(_SCRIPTS[name]), "text/javascript; charset=utf-8"
    else:
        return plain_text("there is no such file", 404)
    return kept_page(request, Response(text, media_type=media, headers={POLICY: REFUSAL_POLICY}))


def kept_page(request: Request, response: Response) -> Response:
    """Return a response that the browser may keep; the browser asks each time whether it has changed.

    If the browser already has this content, the response is empty and has status 304. Do not use this function for
    secrets of one side: such a page must not be stored anywhere. The ETag is a weak one, because the content may be
    sent compressed or not.
    """
    tag = f'"{hashlib.sha256(response.body).hexdigest()[:32]}"'
    headers = {"ETag": f"W/{tag}", "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or known == ["*"]:
        # A browser uses the policy of the latest response, so it must be that of the page.
        return Response(status_code=304, headers={**headers, POLICY: response.headers[POLICY]})
    response.headers.update({name: text for name, text in headers.items() if name != "Vary"})
    return response


async def _form_of(request: Request) -> Form:
    """Return the form fields of a POST request, or an empty dict for other methods.

    Bytes that are not UTF-8 are replaced.

    Raises:
        _TooLarge: The request has too many bytes or fields.
        TimeoutError: The rest of the request does not arrive in time.
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
    """Return whether a request asks for JSON, as the scripts of the pages do."""
    return "application/json" in request.headers.get("accept", "")


def page(template: str, code: int = 200, **names: Any) -> Response:
    """Return a response with one of the application's own pages, rendered from a template.

    ``code`` is the HTTP status, and ``names`` are the values for the template.
    """
    text = environment().get_template(template).render(**names)
    return Response(text, code, media_type="text/html; charset=utf-8", headers={POLICY: _OWN})


def framed_page(mailed: bytes, media: str = "text/html; charset=utf-8") -> Response:
    """Return a response with a page that players also get by email; the browser shows it in a frame."""
    return Response(mailed, media_type=media, headers={POLICY: FRAMED})


def handed(file: bytes, name: str) -> Response:
    """Return a response that the browser saves as a file named ``name``."""
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}
    return Response(file, media_type="application/octet-stream", headers=headers)


def plain_text(text: str, code: int) -> Response:
    """Return a response of one sentence of plain text; ``code`` is the HTTP status."""
    return Response(f"{text}\n", code, media_type="text/plain; charset=utf-8")


def to(address: str) -> Response:
    """Return a redirect to an address (HTTP status 303)."""
    return RedirectResponse(address, 303)


Headers = list[tuple[str, str]]
"""Type of the headers of a request, as pairs: the name in lower case, and the value."""
_ALWAYS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    POLICY: REFUSAL_POLICY,
}
"""Headers of every response, unless the response has its own text for one of them."""
SMALL, COMPRESSION = 1_000, 6
"""The size in bytes from which a response is compressed, and the level of compression (1 to 9)."""


_ON = '<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=/"><a href="/">The table</a>\n'


class Gate:
    """A wrapper around an application that passes on only requests with an allowed Host and Origin.

    Hosts look like ``127.0.0.1:8642`` and origins like ``http://127.0.0.1:8642``. POST requests must have an Origin
    header; other requests may leave it out. The wrapped application decides which person may see what.

    The wrapper adds the headers that every response has. It compresses responses if the browser accepts that. No page
    has a secret beside text that somebody else can choose, so the sizes of pages reveal nothing.
    """

    def __init__(self, app: ASGIApp, *, hosts: frozenset[str], origins: frozenset[str]) -> None:
        self._app = GZipMiddleware(app, minimum_size=SMALL, compresslevel=COMPRESSION)
        self._hosts, self._origins = hosts, origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # other kinds of connections are not supported

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, text in _ALWAYS.items():
                    headers.setdefault(name, text)
            await send(message)

        named = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        await (self.answer(scope, named) or self._app)(scope, receive, safely)

    def answer(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the response that refuses a request, or ``None`` if the request may pass.

        ``headers`` are the headers of the request.
        """
        named = [value for name, value in headers if name == "host"]
        if len(named) != 1 or named[0] not in self._hosts:
            return closed("this is not the address of this program")
        own = [value in self._origins for name, value in headers if name == "origin"]
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return closed("use GET or POST", 405)
        if not all(own) or (scope["method"] == "POST" and not own):
            return closed("send orders only from the pages of this program")
        return None


class KeyGate(Gate):
    """A :class:`Gate` that also requires a secret key, in the first address or in a cookie.

    The first request sets the cookie.
    """

    def __init__(self, app: ASGIApp, key: str, hosts: frozenset[str]) -> None:
        super().__init__(app, hosts=hosts, origins=frozenset(f"http://{host}" for host in hosts))
        self._key = key
        self._cookie = "pbem-" + min(hosts).rpartition(":")[2]

    def answer(self, scope: Scope, headers: Headers) -> Response | None:
        """Return a refusal, or the redirect that sets the cookie, or ``None`` if the request may pass."""
        refused = super().answer(scope, headers)
        if refused is not None:
            return refused
        if scope["method"] == "GET" and scope["path"] == "/":
            for given in parse_qs(scope["query_string"].decode("latin-1")).get("key", [])[:1]:
                if self._is_key(given):
                    # After a link in a file, a redirect would not send the cookie. A page of our own does.
                    far = ("sec-fetch-site", "cross-site") in headers
                    answer = Response(_ON, media_type="text/html") if far else RedirectResponse("/", 303)
                    answer.set_cookie(self._cookie, self._key, httponly=True, samesite="strict", path="/")
                    return answer
        if not any(self._is_key(given) for given in self._keys(headers)):
            return closed("open the address that `pbem play` shows: it has the key")
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
    """Return a response of one sentence that refuses a request, by default with HTTP status 403."""
    return Response(f"{text}\n", code, media_type="text/plain; charset=utf-8")


FILES: Final = {"report": "sitrep.html", "form": FORM, WHOLE: WHOLE}
"""File names of the pages of a side, by page.

``proof.html`` and ``positions.vsav`` are not listed, because they are the same for all sides.
"""


def paper(game: GameFolder, side: str, what: str) -> bytes:
    """Return a file of a side (report, form and so on) as bytes, exactly as it was published.

    An order form or whole-game page that an earlier version of the program did not write is made now.

    Args:
        game: The opened game.
        side: The side.
        what: ``report``, ``form``, ``positions.vsav`` (the positions for VASSAL) or, if the game is over,
            ``replay.html`` (the whole game) or ``proof.html`` (the proof of the dice).

    Raises:
        GameError: The game has no such file now.
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


MOST_PAGES: Final = 12
"""Maximum number of pages of local games that are kept in memory."""


class Pages:
    """Makes the pages of local games, and keeps the newest ones in memory.

    A local game writes no reports while it is played (:func:`pbem.games.storage.publish.leave`). So a page is made
    when a browser asks for it. If reports were written, because a command was used on the game, the written pages are
    returned, as :func:`paper` does. Both are the same, byte for byte.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[bytes, str, str], bytes] = OrderedDict()

    def page(self, game: GameFolder, side: str, what: str) -> bytes:
        """Return a page of a side as bytes.

        ``what`` is ``report``, ``form`` or, if the game is over, ``replay.html`` or ``proof.html``.

        Raises:
            GameError: The game has no such page now.
        """
        if is_current(game):
            return paper(game, side, what)
        key = log_digest(game.terms, game.records()), side, what
        if key not in self._made:
            self._made[key] = _made_page(game, side, what)
            while len(self._made) > MOST_PAGES:
                self._made.popitem(last=False)
        return self._made[key]


def _made_page(game: GameFolder, side: str, kind: str) -> bytes:
    state = game.state()
    reader = state.sides.get(side)
    has_reader = reader is not None and not reader.robot
    makers: dict[str, tuple[bool, Callable[[ReportMaker], bytes]]] = {
        "report": (has_reader, lambda maker: encoded(maker.report(side).html)),
        "form": (has_reader and state.request is not None and state.request.asks(side), lambda maker: maker.form(side)),
        WHOLE: (has_reader and state.over, lambda maker: maker.whole(side)),
        PROOF: (state.over, lambda maker: contents(game)[PROOF]),
    }
    exists, make = makers.get(kind, (False, None))
    if not exists or make is None:
        raise GameError.saying("no-page", f"there is no {kind} of {side} now")
    return make(maker_now(game))


def board_of_game(game: GameFolder, side: str, draft: str) -> Board:
    """Return the data of the game page for a side.

    ``draft`` is the draft of the side's orders, empty if it owes none. Players have the names that they have now.
    """
    state = game.state()
    records = as_played(tenures(game.path), game.effective(), state.stands[0], names(game.path))
    return board_of(records, side, game.scenario(), draft)


def has_save(game: GameFolder) -> bool:
    """Return whether a game has a VASSAL save of the current positions.

    It has none, for example, if the VASSAL module lacks a counter for a unit.
    """
    folder = reports_folder(game).parent
    return (folder / POSITIONS).is_file() and not (folder / LATE).is_file()


def result_of(check: Callable[[], Receipt]) -> Response:
    """Return the result of an order check as JSON, as ``pbem check --json`` prints it.

    Faults are a normal result, because a plan that is not finished has some. So the HTTP status is always 200; with
    another status, the browser would report an error in its console at every click.
    """
    try:
        receipts, faults = [msgspec.to_builtins(check())], []
    except GameError as error:
        receipts, faults = [], msgspec.to_builtins(list(error.faults))
    return JSONResponse({"receipts": receipts, "faults": faults})


def checked(game: GameFolder, side: str, text: str) -> Receipt:
    """Check a side's orders and return the receipt; nothing is stored.

    Raises:
        GameError: The orders have faults (all are listed), or belong to another side. The orders of another side must
            not be evaluated for this player.
    """
    receipt = check(game, text, "")
    if receipt.side != side:
        raise GameError.saying("wrong-side", f"these orders are {receipt.side}'s, not {side}'s")
    return receipt
