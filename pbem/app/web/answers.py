"""What every application here does alike: it reads a request's form within bounds, works on games one request at a time
and in a thread of its own, and answers with pages that may do nothing but what they are for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, quote

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from pbem.errors import GameError
from pbem.reports.html.page import part_of_page
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


def framed(mailed: bytes, media: str = "text/html; charset=utf-8") -> Response:
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
