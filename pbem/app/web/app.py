"""The application that browsers talk to: which address shows what, and who may see it.

Pages of a game are those that are mailed, byte for byte, in frames; the page around them has the button that sends.
A game at which several people share the keyboard shows one side at a time: whoever sits there has taken the seat, and
the pages of all others are refused until a curtain has been drawn between (:class:`Seats`).
"""

from __future__ import annotations

from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.app.web.answers import Answering, Form, framed, page, static, to, wants_json
from pbem.app.web.course import course, lesson
from pbem.app.web.table import Seen, Table
from pbem.data.doctrines import doctrines
from pbem.errors import GameError
from pbem.reports.html.page import WHOLE


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


def application(table: Table) -> Starlette:
    """The application of a table. It trusts whoever reaches it: :mod:`pbem.app.web.door` lets nobody else in."""
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
            Route("/static/{name}", static),
        ]
    )


class _At(Answering):
    """What each address of the table does."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table, self.seats = table, Seats()

    def back(self, request: Request) -> str:
        return f"/game/{quote(request.path_params['game'])}" if "game" in request.path_params else "/"

    # --- the course ---------------------------------------------------------------------------------------------------

    def start(self, request: Request, form: Form) -> Response:
        """The course, and the games that were begun."""
        games = self.table.games()
        return page("play/start.html.j2", course=course(), games=games, folder=str(self.table.folder))

    def briefing(self, request: Request, form: Form) -> Response:
        """One scenario: its briefing, and what is to be chosen."""
        found = lesson(request.path_params["number"])
        if found is None:
            raise GameError.saying("no-page", "there is no such scenario in the course")
        return page("play/briefing.html.j2", lesson=found, levels=doctrines().levels)

    def begin(self, request: Request, form: Form) -> Response:
        """Sets a game up and goes there."""
        ships = {key[5:]: value for key, value in form.items() if key.startswith("ship:") and value}
        against = form.get("against", "")
        name = self.table.begin(form.get("version", ""), form.get("side", ""), against=against, ships=ships)
        return to(f"/game/{name}")

    # --- a game -------------------------------------------------------------------------------------------------------

    def game(self, request: Request, form: Form) -> Response:
        """The page around report and form; the curtain where nobody has said who sits here."""
        name = request.path_params["game"]
        seen = self.table.look(name)
        side = self.seats.at(name, seen)
        if not side:
            return page("play/curtain.html.j2", game=name, seen=seen)
        sheet = self.table.sheet(name, side)
        draft = sheet.again or sheet.draft
        return page("play/game.html.j2", game=name, seen=seen, side=side, sheet=sheet, draft=draft, faults=(), sent="")

    def sit(self, request: Request, form: Form) -> Response:
        """Somebody says who he is."""
        name, side = request.path_params["game"], form.get("side", "")
        seen = self.table.look(name)
        if side not in seen.people:
            raise GameError.saying("wrong-side", "nobody at this keyboard plays that side")
        self.seats.take(name, side)
        return to(f"/game/{name}")

    def curtain(self, request: Request, form: Form) -> Response:
        """Draws the curtain."""
        self.seats.leave(request.path_params["game"])
        return to(f"/game/{request.path_params['game']}")

    def undo(self, request: Request, form: Form) -> Response:
        """Takes play back to the last request that somebody here was asked."""
        name = request.path_params["game"]
        self.table.undo(name, self._seated(request), form.get("records", ""))
        return self._next(name, "undone")

    def frame(self, request: Request, form: Form) -> Response:
        """A page of the side that sits here, as it is mailed."""
        what = request.path_params["what"]
        what = "report" if what == "sitrep.html" else what  # as the page of the whole game leads back to it
        if what not in ("report", "form", WHOLE):
            raise GameError.saying("no-page", "there is no such page")
        side = self._seated(request, request.path_params["side"])
        return framed(self.table.page(request.path_params["game"], side, what))

    def proof(self, request: Request, form: Form) -> Response:
        """The proof of a game that is over, to which its reports lead."""
        return framed(self.table.proof(request.path_params["game"]))

    def check(self, request: Request, form: Form) -> Response:
        """What ``pbem check --json`` prints."""
        side = self._seated(request, request.path_params["side"])
        receipt = self.table.check(request.path_params["game"], side, form.get("orders", ""))
        return JSONResponse({"receipts": [msgspec.to_builtins(receipt)], "faults": []})

    def send(self, request: Request, form: Form) -> Response:
        """Files orders and plays on; from a page without its script the answer is a page too."""
        name, text = request.path_params["game"], form.get("orders", "")
        side = self._seated(request, request.path_params["side"])
        try:
            self.table.send(name, side, text)
        except GameError as error:
            if wants_json(request):
                raise
            seen = self.table.look(name)
            more = {"draft": text if side in seen.owing else "", "faults": error.faults, "sent": text}
            sheet = self.table.sheet(name, side)
            return page("play/game.html.j2", 409, game=name, seen=seen, side=side, sheet=sheet, **more)
        done = self._next(name)
        return JSONResponse({"next": done.headers["location"]}) if wants_json(request) else done

    def _next(self, name: str, what: str = "played") -> Response:
        """Where play goes on, with ``what`` was done: whoever shares the keyboard leaves their seat."""
        if len(self.table.look(name).people) > 1:
            self.seats.leave(name)
        return to(f"/game/{name}?{what}")

    def _seated(self, request: Request, side: str = "") -> str:
        """The side that sits at the game; it must be ``side``, if one is named. Raises :class:`GameError`."""
        name = request.path_params["game"]
        seated = self.seats.at(name, self.table.look(name))
        if not seated or side not in ("", seated):
            raise GameError.saying("wrong-side", "somebody else sits at the keyboard now")
        return seated
