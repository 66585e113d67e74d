"""A club's web pages, where players read reports and send orders after opening a personal link.

:class:`Club` does the work and does not use HTTP. Each text that a player sends is turned into an email, and is then
processed by :mod:`pbem.mail.incoming.intake`. So orders by web and by email are equal, and the last ones count. The
next round of the host (one pass over all games) plays the turn; a wake-up makes that round begin at once.

:func:`clubhouse` is the web application. A personal link sets a cookie. Each request looks for its game only among the
sides that this player plays, so nobody can reach another player's page. The addresses contain no secrets.
"""

from __future__ import annotations

import secrets
import time
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from pbem.app.web.answers import (
    Answering,
    Form,
    Gate,
    board_of_game,
    checked,
    framed_page,
    handed,
    has_save,
    kept_page,
    page,
    paper,
    plain_text,
    result_of,
    static,
    to,
    wants_json,
)
from pbem.app.web.showing import GameCard, Showing
from pbem.errors import GameError
from pbem.games.answers import answers
from pbem.games.proof.beacon import sealing_of
from pbem.games.site import INDEX, ClubPages
from pbem.games.status import Status, status
from pbem.games.storage.files import read_bytes, read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.publish import PROOF, reports_folder
from pbem.games.submit import Receipt
from pbem.games.vassal_files import POSITIONS, replotted
from pbem.mail.host.deadlines import Standing
from pbem.mail.host.idle import Seating
from pbem.mail.host.trouble import read_heartbeat
from pbem.mail.incoming.intake import Taken, Waits, outbox_of, take_in
from pbem.mail.incoming.ledger import held
from pbem.mail.incoming.message import TOKEN_HEADER, one_line
from pbem.mail.replies.announce import due_words, published
from pbem.mail.seats import LOGIN_PATH, Games, Seat, host_games
from pbem.mail.settings import Host, games_under, read_host
from pbem.mail.web_keys import Guest, guest, ring
from pbem.reports.draft.draft import draft_for
from pbem.reports.html.board import Board, names_of
from pbem.reports.html.page import WHOLE, dated
from pbem.reports.html.site import GameLine

PATIENCE: Final = 15.0
"""Maximum time in seconds that a player's message waits while the host is working on the game."""
AGAIN: Final = 0.2
LONGEST: Final = 20_000
"""Maximum number of characters in a message to people or to the host."""
REFUSED: Final = frozenset(("fault", "quarantine", "trouble"))
"""Results of processing an email that mean that nothing was stored."""


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A row of a player's list of games: a game, and the side that they play in it.

    Attributes:
        game: The name of the game.
        side: The side that the player plays.
        now: The status of the game; ``None`` if it cannot be opened.
        standing: Whether the side owes orders, has sent them, or need not send any.
        due: The deadline as text.
        why: Why the game cannot be opened; empty if it can.
        card: Further facts that the list of games shows.
    """

    game: str
    side: str
    now: Status | None = None
    standing: Standing = "not asked"
    due: str = ""
    why: str = ""
    card: GameCard = GameCard()

    @property
    def waits(self) -> bool:
        """Whether the game is waiting for this player's orders."""
        return self.now is not None and not self.now.over and self.standing == "owes"


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier report of a side: the name of its folder (``2.3``), and a text with its turn and request."""

    name: str
    moment: str


class ClubGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game as the player of one side sees it.

    Attributes:
        place: The game and side, with its status.
        draft: The draft of the orders; empty if none are owed.
        filed: The orders that the side has sent for the current request, if any.
        sealed: Whether these orders can no longer be changed.
        reports: Earlier reports, the newest first.
        others: The other sides, each with its player.
        save: Whether there is a VASSAL save of the positions.
        stamp: A text that changes whenever a part of the game was played (:func:`stamp`).
    """

    place: Place
    draft: str = ""
    filed: str = ""
    sealed: bool = False
    reports: tuple[Report, ...] = ()
    others: tuple[tuple[str, str], ...] = ()
    save: bool = False
    stamp: str = ""


class SendResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of sending orders or a message: whether it was accepted, and the replies.

    The player also gets the replies by email.
    """

    taken: bool
    answers: tuple[str, ...] = ()


class Club:
    """The games in a host's folder, limited to what each player may see."""

    def __init__(self, folder: Path) -> None:
        """Open the host's folder.

        Raises:
            GameError: The folder is not a host's, or its host.toml has no ``web`` address.
        """
        self.folder = folder
        self.showing = Showing(folder)
        if not self.host().web:
            said = 'write a line like web = "https://sfb.example.org" in host.toml: it has no web address'
            raise GameError.saying("web-address", said, file=str(folder / "host.toml"))

    def host(self) -> Host:
        """Return the current settings of the host."""
        return read_host(self.folder)

    def games(self) -> Games:
        """Return all games with their present players.

        The games are read again at each call, so that a replaced player loses access at once.
        """
        host, home = self.host(), self.folder / "games"
        under = games_under(home) if home.is_dir() else ([], [])
        seated = Seating(self.folder, under[0]).of
        return host_games(self.folder, host, datetime.now(UTC), under=under, seated=seated)

    def guest(self, key: str) -> Guest | None:
        """Return the player who has this secret key, or ``None`` if nobody has it."""
        return guest(self.games(), key)

    def places(self, player: Guest) -> list[Place]:
        """Return all games of a player: games that wait for their orders come first, finished games last."""
        lines, pages = self.showing.lines(), self.showing.pages()
        found = [self._with_card(seat, _place(seat), lines, pages) for seat in player.seats]
        found.sort(key=lambda one: (not one.waits, one.now is not None and one.now.over, one.game, one.side))
        return found

    def _with_card(self, seat: Seat, place: Place, lines: dict[str, GameLine], pages: ClubPages) -> Place:
        if place.now is None:
            return place
        try:
            card = self.showing.card(seat.folder, seat.side, place.now, lines, pages)
        except Exception:  # as in :func:`_place`: show the rest to the player
            return place
        return msgspec.structs.replace(place, card=card)

    def card(self, seat: Seat, place: Place) -> GameCard:
        """Return the card of a game: facts and links that lead from its page to other pages of the club."""
        return self._with_card(seat, place, self.showing.lines(), self.showing.pages()).card

    def place(self, seat: Seat) -> Place:
        """Return the summary of a game for the player of a side."""
        return _place(seat)

    def seat(self, player: Guest, game: str, side: str) -> Seat:
        """Return a player's seat in a game, i.e. the game, the side and its player.

        Raises:
            GameError: The player does not play this side. The error does not reveal whether the game exists.
        """
        for seat in player.seats:
            if (seat.game, seat.side) == (game, side):
                return seat
        raise GameError.saying("no-game", "you do not play this side")

    def look(self, seat: Seat) -> ClubGame:
        """Return a game as the player of a side sees it.

        Raises:
            GameError: The game cannot be opened.
        """
        place = _place(seat)
        if place.now is None:
            raise GameError.saying("game-in-trouble", f"{seat.game}: {place.why}")
        with opened(seat.folder) as game:
            state = game.state()
            asked = state.request is not None and state.request.asks(seat.side)
            sealing = sealing_of(game) if asked else None
            drafted = draft_for(state, game.scenario(), state.request, seat.side) if asked and state.request else ""
            return ClubGame(
                place=place,
                draft=drafted,
                filed=_filed(game, seat.side) if asked else "",
                sealed=sealing is not None,
                reports=_reports(game, seat.side),
                others=tuple((one.side, one.player) for one in place.now.sides if one.side != seat.side),
                save=has_save(game),
                stamp=stamp(place.now),
            )

    def board(self, seat: Seat, draft: str) -> Board:
        """Return the data of the game page for the player of a side.

        ``draft`` is the draft of the orders; it is empty if no orders can be sent.

        Raises:
            GameError: The game cannot be opened.
        """
        with opened(seat.folder) as game:
            return board_of_game(game, seat.side, draft)

    def page(self, seat: Seat, what: str) -> bytes:
        """Return a file of a side, like :func:`pbem.app.web.answers.paper`, with the deadline in a report.

        Args:
            seat: The seat of the side's player.
            what: ``report``, ``form``, ``positions.vsav`` or, if the game is over, ``replay.html`` or ``proof.html``.

        Raises:
            GameError: The game has no such file now.
        """
        with opened(seat.folder) as game:
            found = paper(game, seat.side, what)
        if what != "report":
            return found
        words = due_words(seat.folder, datetime.now(UTC), _place(seat).standing)
        return dated(found.decode("utf-8"), words).encode("utf-8") if words else found

    def earlier(self, seat: Seat, name: str) -> tuple[bytes, bool]:
        """Return an earlier report of a side, and whether it is an HTML page.

        An old report may have been reduced to its text. ``name`` is the name of the report's folder, such as ``2.3``.

        Raises:
            GameError: There is no such report.
        """
        with opened(seat.folder) as game:
            for folder in published(game):
                if _name_of(folder) == name:
                    page = folder / seat.side / "sitrep.html"
                    whole = page.is_file()
                    return read_bytes(page if whole else folder / seat.side / "sitrep.txt"), whole
        raise GameError.saying("no-page", "there is no such report")

    def check(self, seat: Seat, text: str) -> Receipt:
        """Check a side's orders and return the receipt; nothing is stored.

        Raises:
            GameError: The orders have faults; all of them are listed.
        """
        with opened(seat.folder) as game:
            return checked(game, seat.side, text)

    def tried(self, seat: Seat, save: bytes, name: str, text: str) -> tuple[str, tuple[str, ...]]:
        """Return orders with movement plots from a VASSAL save or log added, and remarks; nothing is stored.

        Args:
            seat: The seat of the side's player.
            save: The bytes of the VASSAL file.
            name: The file's name.
            text: The orders so far.

        Raises:
            GameError: The file holds no plots, or the rules forbid them.
        """
        with opened(seat.folder) as game:
            return replotted(game, seat.side, save, name, text)

    def send(self, seat: Seat, text: str, nonce: str) -> SendResult:
        """Store a side's orders, and return the result.

        ``nonce`` identifies one click on the send button. If the same nonce arrives again, the orders are not stored
        again.

        Raises:
            GameError: The orders have faults; all of them are listed, and nothing was stored.
        """
        self.check(seat, text)
        return self._hand_in(seat, f"{seat.game}: orders of {seat.side}", text, nonce)

    def write(self, seat: Seat, to: str, text: str, nonce: str) -> SendResult:
        """Send a message to ``UMPIRE``, ``ALL`` or a side, or an email command to ``HOST``; return the result.

        Raises:
            GameError: The text is empty, or there is no such addressee.
        """
        words = text.strip()[:LONGEST]
        if not words:
            raise GameError.saying("empty", "write something first: your message is empty")
        if to == HOST:
            return self._hand_in(seat, f"{seat.game}: a letter of {seat.side}", words, nonce)
        if to not in ("UMPIRE", "ALL", *self._sides(seat)):
            raise GameError.saying("unknown-side", "nobody in this game has that name")
        kept = "\n".join(line for line in words.split("\n") if line.strip().upper() != "END MESSAGE")
        return self._hand_in(seat, f"{seat.game}: a word", f"MESSAGE TO {to}\n{kept}\nEND MESSAGE\n", nonce)

    def _sides(self, seat: Seat) -> list[str]:
        with opened(seat.folder) as game:
            return [name for name in game.state().sides if name != seat.side]

    def _hand_in(self, seat: Seat, subject: str, text: str, nonce: str) -> SendResult:
        """Process a text as if it had come by email, and return the result; wait while the host uses the game.

        Raises:
            GameError: The game is still locked after :data:`PATIENCE` seconds, or the text cannot be processed.
        """
        raw = _letter(seat, subject, text, nonce)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                taken = self._taken(raw)
                break
            except GameError as error:
                locked = isinstance(error, Waits) or all(one.code == "game-locked" for one in error.faults)
                if not locked or time.monotonic() > until:
                    raise
                time.sleep(AGAIN)
        ring(self.folder)
        return _said(taken, seat)

    def _taken(self, raw: bytes) -> Taken:
        games = self.games()
        put = outbox_of(self.folder, games)
        with held(games.post, PATIENCE) as ledger:
            return take_in(raw, games, ledger, put, due=_due)


HOST: Final = "HOST"
_MEDIA: Final = {"html": "text/html; charset=utf-8", "json": "application/json"}
"""Media types of the site's files, by the ends of their names; all others are texts."""


def stamp(now: Status) -> str:
    """Return a short text that changes whenever orders are requested or a part of the game is played.

    It tells players nothing that they do not already know.
    """
    asked = f"{now.request.turn}.{now.request.number}" if now.request is not None else "none"
    return f"{asked} {now.turn}.{now.impulse} {'over' if now.over else 'on'}"


def _place(seat: Seat) -> Place:
    try:
        with opened(seat.folder) as game:
            now = status(game)
    except Exception:  # the host's round reports the error to the umpire; its text may name files
        return Place(game=seat.game, side=seat.side, why="it cannot be shown now")
    own = next((one for one in now.sides if one.side == seat.side), None)
    asked = own is not None and own.asked
    standing: Standing = "not asked" if own is None or not asked else "answered" if own.answered else "owes"
    words = "" if now.over else due_words(seat.folder, datetime.now(UTC), standing)
    return Place(game=seat.game, side=seat.side, now=now, standing=standing, due=words)


def _due(seat: Seat, standing: Standing) -> str:
    return due_words(seat.folder, datetime.now(UTC), standing)


def _filed(game: GameFolder, side: str) -> str:
    """Return the text of the orders that a side has sent for the current request; empty if there are none."""
    found = answers(game)[0].get(side)
    return read_order_file(game.path / found.file) if found is not None else ""


def _reports(game: GameFolder, side: str) -> tuple[Report, ...]:
    """Return a side's reports before the current one, the newest first."""
    now = reports_folder(game)
    found = []
    for folder in published(game):
        if folder != now and (folder / side).is_dir():
            name = _name_of(folder)
            found.append(Report(name=name, moment=f"turn {name.replace('.', ', request ')}"))
    return tuple(reversed(found))


def _name_of(folder: Path) -> str:
    """Return the folder name of a report: ``2.3`` for the report of request 3 in turn 2."""
    return f"{folder.parent.name}.{folder.name.removeprefix('r')}"


def _letter(seat: Seat, subject: str, text: str, nonce: str) -> bytes:
    """Return a text that a player sent on the web page as the bytes of an email.

    The email has no date, so that sending the same text again gives the same email.
    """
    message = EmailMessage(policy=SMTP)
    message["From"] = seat.addresses[0]
    message["Subject"] = one_line(subject)
    message["Message-ID"] = f"<{seat.game}.{seat.side}.{nonce}@door.invalid>"
    message[TOKEN_HEADER] = seat.token
    message.set_content(text, charset="utf-8", cte="base64")
    return bytes(message)


def _said(taken: Taken, seat: Seat) -> SendResult:
    """Return the result of a sent text with the replies to the sender; replies to others are left out."""
    if taken.again:
        return SendResult(taken=taken.entry.done not in REFUSED, answers=("This was counted before.",))
    replies = [one.text for one in taken.replies if (one.game, one.side) == (seat.game, seat.side)]
    if taken.entry.done == "quarantine":
        replies = ["It was not taken; the umpire has been told."]
    return SendResult(taken=taken.entry.done not in REFUSED, answers=tuple(replies))


COOKIE, COOKIE_OVER_TLS = "pbem-club", "__Host-pbem-club"
"""Names of the cookie with a player's key: without TLS, and over TLS.

The prefix of the second name makes sure that no other host can set the cookie.
"""
BY_LINK = "link"
"""Value of the field ``from`` if a link was opened, rather than a key typed in."""
HEALTH = "/healthz"
"""Path at which a monitoring program asks whether the host is running.

The answer contains nothing else.
"""
FRESH = timedelta(hours=1)
"""A running host does a round at least this often. A round of many games may take minutes."""
KEPT = 180 * 86_400
"""Time in seconds for which a browser keeps the cookie (180 days)."""


def clubhouse(folder: Path, local_hosts: frozenset[str]) -> ASGIApp:
    """Return the web application of a club.

    It answers requests for the address in host.toml. For tests on this machine, it also answers requests for the hosts
    in ``local_hosts`` (such as ``127.0.0.1:8643``).

    Raises:
        GameError: The folder is not a host's, or its host.toml has no ``web`` address.
    """
    club = Club(folder)
    web = urlsplit(club.host().web)
    at = _At(club, secure=web.scheme == "https")
    house = Starlette(
        routes=[
            Route("/", at.asks(at.start)),
            Route(LOGIN_PATH, at.asks(at.way_in)),
            Route(LOGIN_PATH, at.asks(at.come_in), methods=["POST"]),
            Route("/out", at.asks(at.go_out), methods=["POST"]),
            Route("/game/{game}/{side}", at.asks(at.game)),
            Route("/game/{game}/{side}/check", at.asks(at.check), methods=["POST"]),
            Route("/game/{game}/{side}/tried", at.asks(at.tried), methods=["POST"]),
            Route("/game/{game}/{side}/send", at.asks(at.send, alone=False), methods=["POST"]),
            Route("/game/{game}/{side}/write", at.asks(at.write, alone=False), methods=["POST"]),
            Route("/game/{game}/{side}/stamp", at.asks(at.stamp)),
            Route("/game/{game}/{side}/earlier/{name}", at.asks(at.earlier)),
            Route("/game/{game}/{side}/{what}", at.asks(at.frame)),
            Route("/site/{path:path}", at.asks(at.site)),
            Route("/static/{name}", static),
            Route(HEALTH, at.asks(at.health, alone=False)),
        ]
    )
    origins = {f"{web.scheme}://{web.netloc}", *(f"http://{one}" for one in local_hosts)}
    return Gate(house, hosts=frozenset({web.netloc, *local_hosts}), origins=frozenset(origins))


class _At(Answering):
    """The request handlers of the club's web pages."""

    def __init__(self, club: Club, *, secure: bool) -> None:
        super().__init__()
        self.club, self.secure = club, secure
        # The result of the last sending of each side, for the page that is shown next.
        self.said: dict[tuple[str, str], tuple[str, SendResult]] = {}

    def _guest(self, request: Request) -> Guest:
        """Return the player who makes the request, found by the cookie.

        Raises:
            GameError: The cookie is missing or unknown.
        """
        found = self._known(request)
        if found is None:
            raise GameError.saying("closed", "open the link in your emails: it leads to your own page")
        return found

    def _known(self, request: Request) -> Guest | None:
        """Return the player whose cookie comes with a request, or ``None`` if there is none."""
        return self.club.guest(request.cookies.get(self._cookie(request), ""))

    def _cookie(self, request: Request) -> str:
        return COOKIE_OVER_TLS if self._over_tls(request) else COOKIE

    def _seat(self, request: Request) -> Seat:
        return self.club.seat(self._guest(request), request.path_params["game"], request.path_params["side"])

    def _refused(self, request: Request, error: GameError) -> Response:
        if any(fault.code == "closed" for fault in error.faults):
            if wants_json(request):
                return JSONResponse({"faults": msgspec.to_builtins(list(error.faults)), "receipts": []}, 403)
            return self._way_in(403)
        return super()._refused(request, error)

    def back(self, request: Request) -> str:
        """Return the address of the page of the game in the request, or ``/`` if it has none."""
        return _address(request.path_params) if "game" in request.path_params else "/"

    # --- in and out ---------------------------------------------------------------------------------------------------

    def way_in(self, request: Request, form: Form) -> Response:
        """Show the page that a personal link opens; its script submits the key, i.e. the part after ``#``."""
        return kept_page(request, self._way_in())

    def _way_in(self, code: int = 200, **names: object) -> Response:
        """Return the page that asks for a key, or asks whether the personal link that was opened is one's own."""
        known = {"wrong": False, "whose": None, "now": None, "key": "", **names}
        return page("play/in.html.j2", code, name=self.club.host().name, **known)

    def come_in(self, request: Request, form: Form) -> Response:
        """Accept a secret key, or a whole personal link, and set the cookie.

        Another person may have given this player a link. So a link is accepted only if the browser already belongs to
        the same player, or the player says that the link is theirs.
        """
        key = form.get("key", "").strip().rpartition("#")[2]
        who, now = self.club.guest(key), self._known(request)
        if who is None:
            return self._way_in(403, wrong=True)
        if form.get("from") == BY_LINK and (now is None or now.person != who.person):
            return self._way_in(whose=who, now=now, key=key)
        done = to("/")
        secure = self._over_tls(request)
        done.set_cookie(
            self._cookie(request), key, max_age=KEPT, httponly=True, samesite="lax", path="/", secure=secure
        )
        return done

    def go_out(self, request: Request, form: Form) -> Response:
        """Log the player out: delete the cookie, and everything the player entered but did not send."""
        done = to(LOGIN_PATH)
        done.headers["Clear-Site-Data"] = '"storage"'
        done.delete_cookie(self._cookie(request), path="/", secure=self._over_tls(request), httponly=True)
        return done

    def health(self, request: Request, form: Form) -> Response:
        """Answer with HTTP status 200 if the host has done a round in the last hour, else with 503."""
        heartbeat = read_heartbeat(self.club.folder)
        last = heartbeat.done or heartbeat.at
        alive = last is not None and abs(datetime.now(UTC) - last) < FRESH
        return plain_text("ok", 200) if alive else plain_text("no round lately", 503)

    def _over_tls(self, request: Request) -> bool:
        """Return whether the cookie can be restricted to TLS.

        For requests made on the machine itself it cannot.
        """
        return self.secure and request.headers.get("host", "") == urlsplit(self.club.host().web).netloc

    # --- games --------------------------------------------------------------------------------------------------------

    def start(self, request: Request, form: Form) -> Response:
        """Show the player's list of games."""
        who = self._guest(request)
        places, links = self.club.places(who), self.club.showing.links()
        return page("play/house.html.j2", name=self.club.host().name, who=who, places=places, links=links)

    def site(self, request: Request, form: Form) -> Response:
        """Show a page of the club's site to a person who plays in the club."""
        self._guest(request)
        path = request.path_params["path"] or INDEX
        media = _MEDIA.get(path.rpartition(".")[2], "text/plain; charset=utf-8")
        return framed_page(self.club.showing.file(path), media)

    def game(self, request: Request, form: Form) -> Response:
        """Show the page of a side: the board, and the plan if orders can be sent."""
        seat = self._seat(request)
        seen = self.club.look(seat)
        stamp_then, result = self.said.get((seat.game, seat.side), ("", None))
        return self._page(seat, seen, said=result if stamp_then == seen.stamp else None)

    def _page(
        self, seat: Seat, seen: ClubGame, code: int = 200, *, said: SendResult | None = None, draft: str = "",
        error: GameError | None = None,
    ) -> Response:  # fmt: skip
        faults = error.faults if error is not None else ()
        now = seen.place.now
        asked = seen.place.standing != "not asked" and not seen.sealed and now is not None and not now.over
        board = self.club.board(seat, (seen.filed or seen.draft) if asked else "")
        return page(
            "play/seat.html.j2", code, seat=seat, seen=seen, said=said, faults=faults, draft=draft or seen.draft,
            address=_address({"game": seat.game, "side": seat.side}), nonce=secrets.token_hex(8), asked=asked,
            owes=asked, card=self.club.card(seat, seen.place), **names_of(board),
        )  # fmt: skip

    def frame(self, request: Request, form: Form) -> Response:
        """Send a file of a side: report, form, whole game, proof, or the VASSAL save."""
        what = request.path_params["what"]
        what = "report" if what == "sitrep.html" else what  # the page of the whole game links to it by this name
        if what not in ("report", "form", WHOLE, PROOF, POSITIONS):
            raise GameError.saying("no-page", "there is no such page")
        seat = self._seat(request)
        found = self.club.page(seat, what)
        if what == POSITIONS:
            return handed(found, f"{seat.game}.vsav")
        return kept_page(request, framed_page(found)) if what == PROOF else framed_page(found)

    def earlier(self, request: Request, form: Form) -> Response:
        """Show an earlier report."""
        text, whole = self.club.earlier(self._seat(request), request.path_params["name"])
        return framed_page(text) if whole else framed_page(text, "text/plain; charset=utf-8")

    def stamp(self, request: Request, form: Form) -> Response:
        """Return the game's stamp as JSON; by it the page's script notices that a part of the game was played."""
        place = self.club.place(self._seat(request))
        return JSONResponse({"stamp": stamp(place.now) if place.now is not None else ""})

    # --- sending ------------------------------------------------------------------------------------------------------

    def check(self, request: Request, form: Form) -> Response:
        """Return the result of an order check as JSON, as ``pbem check --json`` prints it."""
        return result_of(partial(self.club.check, self._seat(request), form.get("orders", "")))

    def tried(self, request: Request, form: Form) -> Response:
        """Return the submitted orders with the plots of a VASSAL save or log added, as JSON.

        The VASSAL file is in the form field ``save``, encoded as base64.
        """
        try:
            save = b64decode(form.get("save", ""), validate=True)
        except ValueError:
            raise GameError.saying("save", "this is not a VASSAL file") from None
        name = form.get("name", "")[:80] or "your save"
        orders, said = self.club.tried(self._seat(request), save, name, form.get("orders", ""))
        return JSONResponse({"orders": orders, "said": said, "faults": []})

    def send(self, request: Request, form: Form) -> Response:
        """Store orders; the response is JSON for the page's script, and a page otherwise."""
        seat, text = self._seat(request), form.get("orders", "")
        try:
            return self._answered(request, seat, self.club.send(seat, text, _nonce(form)))
        except GameError as error:
            if wants_json(request):
                raise
            return self._page(seat, self.club.look(seat), 409, draft=text, error=error)

    def write(self, request: Request, form: Form) -> Response:
        """Send a message to people, or an email command to the host."""
        seat = self._seat(request)
        result = self.club.write(seat, form.get("to", HOST), form.get("text", ""), _nonce(form))
        return self._answered(request, seat, result)

    def _answered(self, request: Request, seat: Seat, result: SendResult) -> Response:
        place = self.club.place(seat)
        if place.now is not None:
            self.said[seat.game, seat.side] = (stamp(place.now), result)
        address = f"{_address({'game': seat.game, 'side': seat.side})}?sent"
        return JSONResponse({"next": address}) if wants_json(request) else to(address)


def _nonce(form: Form) -> str:
    """Return the identifier of one click on the send button, or a new one if the form has none.

    It has only characters that are allowed in a Message-ID.
    """
    return "".join(char for char in form.get("nonce", "")[:64] if char.isascii() and char.isalnum()) or (
        secrets.token_hex(8)
    )


def _address(names: dict[str, str]) -> str:
    return f"/game/{quote(names['game'])}/{quote(names['side'])}"
