"""The application of a club's door: which address shows what, to whom.

Who comes with his link is given a cookie; from then on every address is looked up among the sides he plays, so there is
no address at which he could find another's page. Nothing in an address is a secret.
"""

from __future__ import annotations

import secrets
from base64 import b64decode
from pathlib import Path
from urllib.parse import quote, urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pbem.app.web.answers import Answering, Form, framed, handed, page, static, to, wants_json
from pbem.app.web.club import HOST, Club, Said, Seen, stamp
from pbem.app.web.door import Gate
from pbem.errors import GameError
from pbem.games.storage.publish import PROOF
from pbem.games.table import POSITIONS
from pbem.mail.door import Guest
from pbem.mail.seats import DOOR, Seat
from pbem.reports.html.page import WHOLE

COOKIE = "pbem-club"
KEPT = 180 * 86_400
"""Seconds for which a browser keeps the cookie."""


def clubhouse(folder: Path, here: frozenset[str]) -> ASGIApp:
    """The application of a club's door, that answers at the address in host.toml and, for who tries it on the machine
    itself, at those of ``here`` (``127.0.0.1:8643``). Raises :class:`GameError` where the club has no door.
    """
    club = Club(folder)
    web = urlsplit(club.host().web)
    at = _At(club, secure=web.scheme == "https")
    house = Starlette(
        routes=[
            Route("/", at.asks(at.start)),
            Route(DOOR, at.asks(at.way_in)),
            Route(DOOR, at.asks(at.come_in), methods=["POST"]),
            Route("/out", at.asks(at.go_out), methods=["POST"]),
            Route("/game/{game}/{side}", at.asks(at.game)),
            Route("/game/{game}/{side}/check", at.asks(at.check), methods=["POST"]),
            Route("/game/{game}/{side}/tried", at.asks(at.tried), methods=["POST"]),
            Route("/game/{game}/{side}/send", at.asks(at.send, alone=False), methods=["POST"]),
            Route("/game/{game}/{side}/write", at.asks(at.write, alone=False), methods=["POST"]),
            Route("/game/{game}/{side}/stamp", at.asks(at.stamp)),
            Route("/game/{game}/{side}/earlier/{name}", at.asks(at.earlier)),
            Route("/game/{game}/{side}/{what}", at.asks(at.frame)),
            Route("/static/{name}", static),
        ]
    )
    origins = {f"{web.scheme}://{web.netloc}", *(f"http://{one}" for one in here)}
    return Gate(house, hosts=frozenset({web.netloc, *here}), origins=frozenset(origins))


class _At(Answering):
    """What each address of the club does."""

    def __init__(self, club: Club, *, secure: bool) -> None:
        super().__init__()
        self.club, self.secure = club, secure
        # What came of what was sent last, side by side, for the page that is shown next.
        self.said: dict[tuple[str, str], tuple[str, Said]] = {}

    def _guest(self, request: Request) -> Guest:
        """Who asks. Raises :class:`GameError` for nobody we know."""
        found = self.club.guest(request.cookies.get(COOKIE, ""))
        if found is None:
            raise GameError.saying("closed", "open the link that stands in your mails: it leads to your own page")
        return found

    def _seat(self, request: Request) -> Seat:
        return self.club.seat(self._guest(request), request.path_params["game"], request.path_params["side"])

    def _refused(self, request: Request, error: GameError) -> Response:
        if any(fault.code == "closed" for fault in error.faults):
            if wants_json(request):
                return JSONResponse({"faults": msgspec.to_builtins(list(error.faults)), "receipts": []}, 403)
            return page("play/in.html.j2", 403, name=self.club.host().name, wrong=False)
        return super()._refused(request, error)

    def back(self, request: Request) -> str:
        """The page of the game that is meant."""
        return _address(request.path_params) if "game" in request.path_params else "/"

    # --- in and out ---------------------------------------------------------------------------------------------------

    def way_in(self, request: Request, form: Form) -> Response:
        """The page a link leads to: its script hands the key in that stands behind the ``#``."""
        return page("play/in.html.j2", name=self.club.host().name, wrong=False)

    def come_in(self, request: Request, form: Form) -> Response:
        """Takes a key, or a whole link, and gives the cookie."""
        key = form.get("key", "").strip().rpartition("#")[2]
        if self.club.guest(key) is None:
            return page("play/in.html.j2", 403, name=self.club.host().name, wrong=True)
        done = to("/")
        done.set_cookie(
            COOKIE, key, max_age=KEPT, httponly=True, samesite="lax", path="/", secure=self._over_tls(request)
        )
        return done

    def go_out(self, request: Request, form: Form) -> Response:
        """Forgets who sat here, and what he had entered and not sent."""
        done = to(DOOR)
        done.headers["Clear-Site-Data"] = '"storage"'
        done.delete_cookie(COOKIE, path="/")
        return done

    def _over_tls(self, request: Request) -> bool:
        """Whether the cookie may be asked to go over TLS alone: not by who tries the door on the machine itself."""
        return self.secure and request.headers.get("host", "") == urlsplit(self.club.host().web).netloc

    # --- games --------------------------------------------------------------------------------------------------------

    def start(self, request: Request, form: Form) -> Response:
        """All games of somebody."""
        who = self._guest(request)
        return page("play/house.html.j2", name=self.club.host().name, who=who, places=self.club.places(who))

    def game(self, request: Request, form: Form) -> Response:
        """The page around report and form of a side."""
        seat = self._seat(request)
        seen = self.club.look(seat)
        at, said = self.said.get((seat.game, seat.side), ("", None))
        return self._page(seat, seen, said=said if at == seen.stamp else None)

    def _page(
        self, seat: Seat, seen: Seen, code: int = 200, *, said: Said | None = None, draft: str = "",
        error: GameError | None = None,
    ) -> Response:  # fmt: skip
        faults = error.faults if error is not None else ()
        return page(
            "play/seat.html.j2", code, seat=seat, seen=seen, said=said, faults=faults, draft=draft or seen.draft,
            address=_address({"game": seat.game, "side": seat.side}), nonce=secrets.token_hex(8),
        )  # fmt: skip

    def frame(self, request: Request, form: Form) -> Response:
        """A page of a side, as it is mailed."""
        what = request.path_params["what"]
        what = "report" if what == "sitrep.html" else what  # as the page of the whole game leads back to it
        if what not in ("report", "form", WHOLE, PROOF, POSITIONS):
            raise GameError.saying("no-page", "there is no such page")
        seat = self._seat(request)
        found = self.club.page(seat, what)
        return handed(found, f"{seat.game}.vsav") if what == POSITIONS else framed(found)

    def earlier(self, request: Request, form: Form) -> Response:
        """A report from before."""
        text, whole = self.club.earlier(self._seat(request), request.path_params["name"])
        return framed(text) if whole else framed(text, "text/plain; charset=utf-8")

    def stamp(self, request: Request, form: Form) -> Response:
        """What changes when something was played."""
        place = self.club.place(self._seat(request))
        return JSONResponse({"stamp": stamp(place.now) if place.now is not None else ""})

    # --- letters ------------------------------------------------------------------------------------------------------

    def check(self, request: Request, form: Form) -> Response:
        """What ``pbem check --json`` prints."""
        receipt = self.club.check(self._seat(request), form.get("orders", ""))
        return JSONResponse({"receipts": [msgspec.to_builtins(receipt)], "faults": []})

    def tried(self, request: Request, form: Form) -> Response:
        """The orders of the form with the plots of a VASSAL save or log, which comes as base64."""
        try:
            save = b64decode(form.get("save", ""), validate=True)
        except ValueError:
            raise GameError.saying("save", "this is no file of VASSAL") from None
        name = form.get("name", "")[:80] or "your save"
        orders, said = self.club.tried(self._seat(request), save, name, form.get("orders", ""))
        return JSONResponse({"orders": orders, "said": said, "faults": []})

    def send(self, request: Request, form: Form) -> Response:
        """Files orders; from a page without its script the answer is a page too."""
        seat, text = self._seat(request), form.get("orders", "")
        try:
            return self._answered(request, seat, self.club.send(seat, text, _nonce(form)))
        except GameError as error:
            if wants_json(request):
                raise
            return self._page(seat, self.club.look(seat), 409, draft=text, error=error)

    def write(self, request: Request, form: Form) -> Response:
        """A word to people, or a letter to the host."""
        seat = self._seat(request)
        said = self.club.write(seat, form.get("to", HOST), form.get("text", ""), _nonce(form))
        return self._answered(request, seat, said)

    def _answered(self, request: Request, seat: Seat, said: Said) -> Response:
        place = self.club.place(seat)
        if place.now is not None:
            self.said[seat.game, seat.side] = (stamp(place.now), said)
        address = f"{_address({'game': seat.game, 'side': seat.side})}?sent"
        return JSONResponse({"next": address}) if wants_json(request) else to(address)


def _nonce(form: Form) -> str:
    """What names a sending: only signs that may stand in a Message-ID, and another one where there is none."""
    return "".join(char for char in form.get("nonce", "")[:64] if char.isascii() and char.isalnum()) or (
        secrets.token_hex(8)
    )


def _address(names: dict[str, str]) -> str:
    return f"/game/{quote(names['game'])}/{quote(names['side'])}"
