"""The application that browsers talk to: which address shows what, and who may see it.

Pages of a game are those that are mailed, byte for byte, in frames; the page around them has the button that sends.
A game at which several people share the keyboard shows one side at a time: whoever sits there has taken the seat, and
the pages of all others are refused until a curtain has been drawn between (:class:`Seats`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, quote

import msgspec
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from pbem.data.doctrines import doctrines
from pbem.faults import GameError
from pbem.report.page import WHOLE, part_of_page
from pbem.report.templates import environment
from pbem.web.course import course, lesson
from pbem.web.table import Seen, Table

LARGEST = 262_144
"""Bytes a request may have: orders of a fleet are a tenth of it."""
PATIENCE = 20.0
"""Seconds in which all of a request must have arrived."""

_STYLES = {"table.css": ("report.css", "play/table.css")}
_SCRIPTS = {"table.js": ("play/table.js",)}

Handler = Callable[[Request], Awaitable[Response]]


class Seats:
    """Who sits at the keyboard, game by game: nobody until somebody has said who he is. Kept in memory alone: after a
    new start the curtain is drawn.
    """

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}

    def take(self, game: str, side: str) -> None:
        self._taken[game] = side

    def leave(self, game: str) -> None:
        self._taken.pop(game, None)

    def at(self, game: str, seen: Seen) -> str:
        """The side whose pages may be shown now: the only one that is played here, or who has taken the seat."""
        if len(seen.people) == 1:
            return seen.people[0]
        taken = self._taken.get(game, "")
        return taken if taken in seen.people else ""


class _TooLarge(Exception):
    """A request with more bytes than any orders have."""


def application(table: Table) -> Starlette:
    """The application of a table. It trusts whoever reaches it: :mod:`pbem.web.door` lets nobody else in."""
    at = _At(table)
    return Starlette(
        routes=[
            Route("/", at.asks(at.start)),
            Route("/course/{number}", at.asks(at.briefing)),
            Route("/begin", at.asks(at.begin), methods=["POST"]),
            Route("/game/{game}", at.asks(at.game)),
            Route("/game/{game}/sit", at.asks(at.sit), methods=["POST"]),
            Route("/game/{game}/curtain", at.asks(at.curtain), methods=["POST"]),
            Route("/game/{game}/undo", at.asks(at.undo), methods=["POST"]),
            Route("/game/{game}/proof.html", at.asks(at.proof)),
            Route("/game/{game}/{side}/check", at.asks(at.check), methods=["POST"]),
            Route("/game/{game}/{side}/send", at.asks(at.send), methods=["POST"]),
            Route("/game/{game}/{side}/{what}", at.asks(at.frame)),
            Route("/static/{name}", at.static),
        ]
    )


class _At:
    """What each address does. One request at a time works on games: they are files, and turns are played at once."""

    def __init__(self, table: Table) -> None:
        self.table, self.seats, self._one = table, Seats(), Lock()

    def asks(self, what: Callable[[Request, dict[str, str]], Response]) -> Handler:
        """A handler that reads the request's form, works in a thread of its own, and tells faults as a page."""

        async def handler(request: Request) -> Response:
            try:
                form = await _form_of(request)
                return await run_in_threadpool(partial(self._alone, what, request, form))
            except _TooLarge:
                return _plain("more than any orders have: nothing was read of it", 413)
            except TimeoutError:
                return _plain("the rest of the request did not come", 408)
            except GameError as error:
                return self._refused(request, error)

        return handler

    def _alone(self, what: Callable[[Request, dict[str, str]], Response], request: Request, form: Any) -> Response:
        with self._one:
            return what(request, form)

    def _refused(self, request: Request, error: GameError) -> Response:
        missing = any(fault.code in ("no-game", "no-page") for fault in error.faults)
        if _wants_json(request):
            return JSONResponse({"faults": msgspec.to_builtins(list(error.faults)), "receipts": []}, 409)
        back = f"/game/{quote(request.path_params['game'])}" if "game" in request.path_params and not missing else "/"
        return _page("play/refused.html.j2", 404 if missing else 409, faults=error.faults, back=back)

    # --- the course ---------------------------------------------------------------------------------------------------

    def start(self, request: Request, form: dict[str, str]) -> Response:
        """The course, and the games that were begun."""
        games = self.table.games()
        return _page("play/start.html.j2", course=course(), games=games, folder=str(self.table.folder))

    def briefing(self, request: Request, form: dict[str, str]) -> Response:
        """One scenario: its briefing, and what is to be chosen."""
        found = lesson(request.path_params["number"])
        if found is None:
            raise GameError.saying("no-page", "there is no such scenario in the course")
        return _page("play/briefing.html.j2", lesson=found, levels=doctrines().levels)

    def begin(self, request: Request, form: dict[str, str]) -> Response:
        """Sets a game up and goes there."""
        ships = {key[5:]: value for key, value in form.items() if key.startswith("ship:") and value}
        against = form.get("against", "")
        name = self.table.begin(form.get("version", ""), form.get("side", ""), against=against, ships=ships)
        return _to(f"/game/{name}")

    # --- a game -------------------------------------------------------------------------------------------------------

    def game(self, request: Request, form: dict[str, str]) -> Response:
        """The page around report and form; the curtain where nobody has said who sits here."""
        name = request.path_params["game"]
        seen = self.table.look(name)
        side = self.seats.at(name, seen)
        if not side:
            return _page("play/curtain.html.j2", game=name, seen=seen)
        draft = self.table.draft(name, side) if side in seen.owing else ""
        return _page("play/game.html.j2", game=name, seen=seen, side=side, draft=draft, faults=(), sent="")

    def sit(self, request: Request, form: dict[str, str]) -> Response:
        """Somebody says who he is."""
        name, side = request.path_params["game"], form.get("side", "")
        seen = self.table.look(name)
        if side not in seen.people:
            raise GameError.saying("wrong-side", "nobody at this keyboard plays that side")
        self.seats.take(name, side)
        return _to(f"/game/{name}")

    def curtain(self, request: Request, form: dict[str, str]) -> Response:
        """Draws the curtain."""
        self.seats.leave(request.path_params["game"])
        return _to(f"/game/{request.path_params['game']}")

    def undo(self, request: Request, form: dict[str, str]) -> Response:
        """Takes the last stretch of play back."""
        name = request.path_params["game"]
        self.table.undo(name, self._seated(request))
        return self._next(name)

    def frame(self, request: Request, form: dict[str, str]) -> Response:
        """A page of the side that sits here, as it is mailed."""
        what = request.path_params["what"]
        what = "report" if what == "sitrep.html" else what  # as the page of the whole game leads back to it
        if what not in ("report", "form", WHOLE):
            raise GameError.saying("no-page", "there is no such page")
        side = self._seated(request, request.path_params["side"])
        page = self.table.page(request.path_params["game"], side, what)
        return Response(page, media_type="text/html; charset=utf-8", headers={_POLICY: _FRAMED})

    def proof(self, request: Request, form: dict[str, str]) -> Response:
        """The proof of a game that is over, to which its reports lead."""
        page = self.table.proof(request.path_params["game"])
        return Response(page, media_type="text/html; charset=utf-8", headers={_POLICY: _FRAMED})

    def check(self, request: Request, form: dict[str, str]) -> Response:
        """What ``pbem check --json`` prints."""
        side = self._seated(request, request.path_params["side"])
        receipt = self.table.check(request.path_params["game"], side, form.get("orders", ""))
        return JSONResponse({"receipts": [msgspec.to_builtins(receipt)], "faults": []})

    def send(self, request: Request, form: dict[str, str]) -> Response:
        """Files orders and plays on; from a page without its script the answer is a page too."""
        name, text = request.path_params["game"], form.get("orders", "")
        side = self._seated(request, request.path_params["side"])
        try:
            self.table.send(name, side, text)
        except GameError as error:
            if _wants_json(request):
                raise
            seen = self.table.look(name)
            more = {"draft": text if side in seen.owing else "", "faults": error.faults, "sent": text}
            return _page("play/game.html.j2", 409, game=name, seen=seen, side=side, **more)
        done = self._next(name)
        return JSONResponse({"next": done.headers["location"]}) if _wants_json(request) else done

    def _next(self, name: str) -> Response:
        """Where play goes on: whoever shares the keyboard leaves his seat."""
        if len(self.table.look(name).people) > 1:
            self.seats.leave(name)
        return _to(f"/game/{name}?played")

    def _seated(self, request: Request, side: str = "") -> str:
        """The side that sits at the game; it must be ``side``, if one is named. Raises :class:`GameError`."""
        name = request.path_params["game"]
        seated = self.seats.at(name, self.table.look(name))
        if not seated or side not in ("", seated):
            raise GameError.saying("wrong-side", "somebody else sits at the keyboard now")
        return seated

    async def static(self, request: Request) -> Response:
        """Style and script of the pages around."""
        name = request.path_params["name"]
        for kinds, media in ((_STYLES, "text/css; charset=utf-8"), (_SCRIPTS, "text/javascript; charset=utf-8")):
            if name in kinds:
                return Response("\n".join(part_of_page(part) for part in kinds[name]), media_type=media)
        return _plain("there is no such file", 404)


_POLICY = "Content-Security-Policy"
_OWN = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_FRAMED = "frame-ancestors 'self'"
"""The rest of what a mailed page may do it says itself."""


async def _form_of(request: Request) -> dict[str, str]:
    """The fields of a request, each once, as far as they can be read. Raises if there is too much of it, or if the
    rest of it does not come.
    """
    if request.method != "POST":
        return {}
    length = request.headers.get("content-length", "0")
    if not length.isdigit() or int(length) > LARGEST:
        raise _TooLarge
    body = b""
    async with asyncio.timeout(PATIENCE):
        async for part in request.stream():
            body += part
            if len(body) > LARGEST:
                raise _TooLarge
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=64)
    return {key: values[-1].replace("\r\n", "\n") for key, values in fields.items()}


def _wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def _page(template: str, code: int = 200, **names: Any) -> Response:
    text = environment().get_template(template).render(**names)
    return Response(text, code, media_type="text/html; charset=utf-8", headers={_POLICY: _OWN})


def _plain(text: str, code: int) -> Response:
    return Response(f"{text}\n", code, media_type="text/plain; charset=utf-8", headers={_POLICY: _OWN})


def _to(address: str) -> Response:
    return RedirectResponse(address, 303)
