"""Local games in the browser: the games in the user's folder, and the web application.

:class:`Table` creates, plays and undoes games of the course (:mod:`pbem.app.web.course`), and does not use HTTP. It
uses the functions of :mod:`pbem.games`, so ``pbem verify``, ``report`` and ``undo`` work on its games as on any other.
:mod:`pbem.app.web.results` determines the results.

:func:`application` is the web application. It shows a game's pages in frames, byte for byte as they are emailed, and
adds the button that sends orders. If several people share the keyboard, only the pages of one side are shown at a
time. The pages of other sides are refused until the players have changed seats (:class:`Seats`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.app.web import results
from pbem.app.web.answers import (
    Answering,
    Form,
    Pages,
    board_of_game,
    checked,
    framed_page,
    kept_page,
    page,
    result_of,
    static,
    to,
    wants_json,
)
from pbem.app.web.course import course, lesson, seats
from pbem.app.web.thinking import Thinking
from pbem.data.scenarios import Scenario, scenario
from pbem.engine.state import Request as OrdersRequest
from pbem.errors import GameError
from pbem.games.computer_sides import USUAL, CaptainsOrders, captains_orders
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.status import Status, status
from pbem.games.storage.files import cannot, make_folder
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import by_computer
from pbem.games.storage.publish import PROOF
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.undo import last_asked, orders_taken_back, undo
from pbem.reports.draft.draft import draft_for
from pbem.reports.html.board import Board, names_of
from pbem.reports.html.page import WHOLE
from pbem.reports.html.site import Small, came_to, of_view
from pbem.reports.view.build import build_view
from pbem.util import regex

_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_WORDS = regex(r"[^a-z0-9]+")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the list of games.

    Attributes:
        name: The name of the game's folder.
        now: The status of the game; ``None`` if it cannot be opened.
        people: The sides that are played at the keyboard.
        why: Why the game cannot be opened; empty if it can.
        ships: A text about what happened to the ships, if the game is over.
    """

    name: str
    now: Status | None = None
    people: tuple[str, ...] = ()
    why: str = ""
    ships: str = ""


class GoingGame(msgspec.Struct, frozen=True, kw_only=True):
    """The unfinished game that was played last, as the start page shows it.

    Attributes:
        name: The name of the game's folder.
        now: The status of the game.
        side: The side of the person at the keyboard; empty if there are several people.
        against: A text that names their opponents.
        owing: The sides of people that owe orders.
        small: A small picture of the positions; ``None`` if the map is empty.
        mine: The number of the color in which the picture shows the side.
    """

    name: str
    now: Status
    side: str
    against: str
    owing: tuple[str, ...]
    small: Small | None
    mine: int


class StartPage(msgspec.Struct, frozen=True, kw_only=True):
    """The data of the start page.

    Attributes:
        going: The game to continue; ``None`` if there is none.
        cards: The scenarios of the course.
        games: All other games, the most recently played first.
    """

    going: GoingGame | None
    cards: tuple[results.CourseCard, ...]
    games: tuple[Listed, ...]

    @property
    def stars(self) -> tuple[int, int]:
        """The number of stars won in the whole course, and the number of stars that can be won."""
        won = sum(card.best.stars for card in self.cards if card.best is not None)
        return won, sum(card.lesson.most_stars for card in self.cards)


class LocalGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game as the people at the keyboard see it.

    Attributes:
        now: The status of the game.
        people: The sides that they play.
        owing: The sides in ``people`` that owe orders.
    """

    now: Status
    people: tuple[str, ...]
    owing: tuple[str, ...]


class SidePage(msgspec.Struct, frozen=True, kw_only=True):
    """The data that the page of one side shows in addition to the status of the game.

    Attributes:
        draft: The draft of the orders that the side owes; empty if it owes none.
        again: The orders that the side had sent for the current request before Undo took them back.
        back: The request to which Undo returns; ``None`` if no person was asked for orders before.
        records: The number of records in the log. An Undo from a page that shows an older number is refused.
    """

    draft: str
    again: str
    back: OrdersRequest | None
    records: int


class Advice(msgspec.Struct, frozen=True, kw_only=True):
    """Orders that a computer player suggests to the user, and a short text about the plan behind them."""

    orders: str
    why: str


class Table:
    """The local games in one folder; the methods create, play and undo them.

    With ``thinking``, computer players decide in another process while the person plans. Without it, they decide when
    the person has sent orders. The game is the same either way. Playing writes no reports
    (:class:`pbem.app.web.answers.Pages`).
    """

    def __init__(self, folder: Path, thinking: Thinking | None = None) -> None:
        self.folder = folder
        self._thinking, self._pages = thinking, Pages()
        self._over: dict[Path, tuple[int, Listed]] = {}  # finished games, each with the time of its newest log

    def _captain(self) -> CaptainsOrders:
        return captains_orders if self._thinking is None else self._thinking.orders

    def _think_ahead(self, game: GameFolder) -> None:
        if self._thinking is not None:
            self._thinking.ahead(game)

    def games(self) -> list[Listed]:
        """Return all games of the folder, the most recently played first.

        Raises:
            GameError: The folder cannot be read.
        """
        if not self.folder.is_dir():
            return []
        try:
            found = [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name) and _is_game(path)]
            touched = {path: _last_touched(path) for path in found}
        except OSError as error:
            raise cannot("read", self.folder, error) from error
        return [self._listed(path, touched[path]) for path in sorted(found, key=lambda one: (-touched[one], one.name))]

    def _listed(self, path: Path, touched: int) -> Listed:
        if path in self._over and self._over[path][0] == touched:
            return self._over[path][1]
        try:
            with opened(path) as game:
                now = status(game)
                ships = came_to(game.state()) if now.over else ""
                found = Listed(name=path.name, now=now, people=people(game), ships=ships)
        except GameError as error:
            return Listed(name=path.name, why=str(error))
        if now.over:
            self._over[path] = touched, found
        return found

    def start(self) -> StartPage:
        """Return the data of the start page: the game to continue, the course, and earlier games.

        Raises:
            GameError: The folder cannot be read.
        """
        games, lessons = self.games(), course()
        best: dict[str, results.BestResult] = {}
        for one in games:
            played = results.lesson_of(lessons, one.now.scenario) if one.now is not None else None
            found = results.result_of(one.now, one.people, scenario(one.now.scenario)) if one.now and played else None
            if played is not None and found is not None:
                best[played.setting.number] = results.better(found, best.get(played.setting.number))
        going = next((one for one in games if one.now is not None and not one.now.over and one.people), None)
        return StartPage(
            going=self._going(going) if going is not None else None,
            cards=tuple(results.cards_of(lessons, best)),
            games=tuple(one for one in games if one is not going),
        )

    def _going(self, listed: Listed) -> GoingGame:
        assert listed.now is not None
        side = listed.people[0] if len(listed.people) == 1 else ""
        with opened(self.path(listed.name)) as game:
            view = build_view(game.effective(), side, scenario=game.scenario(), replay=False)
            others = results.enemies(game.scenario(), results.players_of(listed.now), side) if side else []
            return GoingGame(
                name=listed.name,
                now=listed.now,
                side=side,
                against=results.in_a_few_words(others),
                owing=tuple(one for one in listed.now.owing if one in listed.people),
                small=of_view(view),
                mine=view.place_of(side) % 4 if side else 0,
            )

    def result(self, name: str) -> results.GameResult:
        """Return the result of a finished game, for the banner above the board.

        Raises:
            GameError: The game cannot be opened.
        """
        with opened(self.path(name)) as game:
            now, ships = status(game), came_to(game.state())
            return results.game_result(now, people(game), ships, game.scenario(), course(), game.terms.ships)

    def path(self, name: str) -> Path:
        """Return the folder of a game, given its name.

        Raises:
            GameError: There is no game of this name.
        """
        path = self.folder / name
        if not _NAME.fullmatch(name) or not _is_game(path):
            raise GameError.saying("no-game", f"there is no game {name[:60]!r} here")
        return path

    def begin(self, key: str, side: str, *, against: str = "", ships: Mapping[str, str] | None = None) -> str:
        """Create a game of a scenario in which the user plays ``side``, and return the game's name.

        Args:
            key: The key of the scenario (``4``, ``8-cadet``).
            side: The side that the user plays.
            against: Who plays the other sides (:func:`seats`).
            ships: The chosen ship classes by ship name.

        Raises:
            GameError: The scenario, side, opponent or a class is unknown, or the game cannot be created.
        """
        setting = scenario(key)
        make_folder(self.folder, private=True)
        name = self._free_name(setting)
        new(key, self.folder / name, players=seats(setting, side, against), ships=ships or {})
        return name

    def _free_name(self, setting: Scenario) -> str:
        """Return a name for a new game: ``battle-drill-1``, or the same name with the next free number."""
        words = _WORDS.sub("-", setting.title.casefold()).strip("-")[:30]
        numbers = (f"{words}-{n}" for n in range(1, 10_000))
        return next(name for name in numbers if not (self.folder / name).exists())

    def look(self, name: str) -> LocalGame:
        """Return a game as the people at the keyboard see it.

        If play was interrupted, it is first continued until a person is asked for orders or the game is over.
        """
        path = self.path(name)
        with opened(path) as game:
            seen = _seen(game)
            if seen.now.over or seen.owing:
                self._think_ahead(game)
                return seen
        with opened(path, lock="play", reports_late=True) as game:
            play_on(game, self._captain())
            self._think_ahead(game)
            return _seen(game)

    def page(self, name: str, side: str, what: str) -> bytes:
        """Return the report or order form of a side, byte for byte as it would be published.

        ``what`` is ``report``, ``form`` or, if the game is over, ``replay.html`` (the page of the whole game).

        Raises:
            GameError: The game has no such page now.
        """
        with opened(self.path(name)) as game:
            return self._pages.page(game, side, what)

    def proof(self, name: str) -> bytes:
        """Return the page that proves every die roll of a finished game.

        Raises:
            GameError: The game has no such page now.
        """
        with opened(self.path(name)) as game:
            return self._pages.page(game, "everybody", PROOF)

    def draft(self, name: str, side: str) -> str:
        """Return the draft of the orders that a side owes; empty if it owes none."""
        with opened(self.path(name)) as game:
            state = game.state()
            if state.request is None or not state.request.asks(side):
                return ""
            return draft_for(state, game.scenario(), state.request, side)

    def sheet(self, name: str, side: str) -> SidePage:
        """Return the data that the page of a side shows in addition to the status of the game.

        Raises:
            GameError: The game cannot be opened.
        """
        owes = side in self.look(name).owing
        draft = self.draft(name, side) if owes else ""
        with opened(self.path(name)) as game:
            again = orders_taken_back(game, side) if owes else ""
            return SidePage(draft=draft, again=again, back=last_asked(game, people(game)), records=len(game.records()))

    def board(self, name: str, side: str, draft: str) -> Board:
        """Return the data of the game page for a side.

        ``draft`` is the draft of the side's orders, empty if it owes none.

        Raises:
            GameError: The game cannot be opened.
        """
        with opened(self.path(name)) as game:
            return board_of_game(game, side, draft)

    def advice(self, name: str, side: str) -> Advice:
        """Return the orders that a computer player would give for a side now; nothing is stored.

        Raises:
            GameError: The side owes no orders.
        """
        with opened(self.path(name)) as game:
            request = game.state().request
            if request is None or not request.asks(side):
                raise GameError.saying("nothing-asked", f"{side} does not owe orders now")
            head, _, orders = captains_orders(game, side, USUAL).partition("\n")
        return Advice(orders=orders, why=head.partition(": ")[2])

    def check(self, name: str, side: str, text: str) -> Receipt:
        """Check a side's orders and return the receipt; nothing is stored.

        Raises:
            GameError: The orders have faults; all of them are listed.
        """
        with opened(self.path(name)) as game:
            receipt = checked(game, side, text)
            if self._thinking is not None:
                self._thinking.suppose(game, side, text)
            return receipt

    def send(self, name: str, side: str, text: str) -> Receipt:
        """Store a side's orders, play until a person must give new orders, and return the receipt.

        Raises:
            GameError: The orders have faults (all are listed), or the request was already played. Then nothing was
                stored.
        """
        with opened(self.path(name), lock="play", reports_late=True) as game:
            checked(game, side, text)
            receipt = submit(game, text, "")
            play_on(game, self._captain())
            self._think_ahead(game)
        return receipt

    def undo(self, name: str, side: str, records: str = "") -> None:
        """Take play back to the last request for orders to a person at this keyboard.

        The log records the undo, and when that part is played again, it gets new dice. Play goes on only when a person
        has sent orders.

        Args:
            name: The name of the game.
            side: The side whose player asks for it.
            records: The number of log records that the page showed, so that a second click takes back nothing more.

        Raises:
            GameError: The log has another number of records now, or no person was asked before.
        """
        with opened(self.path(name), lock="undo", reports_late=True) as game:
            if records not in ("", str(len(game.records()))):
                text = "load this page again: the game has moved on, so nothing was taken back"
                raise GameError.saying("old-page", text)
            asked = last_asked(game, people(game))
            if asked is None:
                raise GameError.saying("nothing-played", "nothing was taken back: nobody here has sent orders yet")
            undo(game, turn=asked.turn, request=asked.number, reason=f"taken back at the table by {side}")


def people(game: GameFolder) -> tuple[str, ...]:
    """Return the sides of a game that are played by people at the keyboard."""
    return tuple(one.name for one in game.state().sides.values() if not by_computer(one.player))


def play_on(game: GameFolder, captain: CaptainsOrders = captains_orders) -> None:
    """Play until a person at the keyboard must give orders or the game is over.

    ``captain`` gives the orders of computer players, when all people have answered.

    Raises:
        GameError: The dice of the game wait for a beacon, which local games do not support.
    """
    while True:
        now = status(game)
        own_sides = people(game)
        if now.over or any(side in own_sides for side in now.owing):
            return
        if now.sealing is not None:
            raise GameError.saying("orders-sealed", "play this game with `pbem resolve`: its dice wait for a beacon")
        resolve_game(game, captain=captain)


def _seen(game: GameFolder) -> LocalGame:
    now, own_sides = status(game), people(game)
    owing = tuple(side for side in now.owing if side in own_sides)
    return LocalGame(now=now, people=own_sides, owing=owing)


def _is_game(path: Path) -> bool:
    return (path / "game.toml").is_file()


def _last_touched(path: Path) -> int:
    """Return when a game was last played: the time of its newest log in nanoseconds, or 0 without a log."""
    return max((file.stat().st_mtime_ns for file in path.glob("*/events.jsonl")), default=0)


class Seats:
    """Remembers for each game which side's player is at the keyboard now.

    Nothing is recorded until a player says which side they play. The records are kept in memory only, so after a
    restart every player must say it again.
    """

    def __init__(self) -> None:
        self._taken: dict[str, str] = {}

    def take(self, game: str, side: str) -> None:
        """Record that the player of this side is at the keyboard."""
        self._taken[game] = side

    def leave(self, game: str) -> None:
        """Record that nobody is at the keyboard of this game."""
        self._taken.pop(game, None)

    def at(self, game: str, seen: LocalGame) -> str:
        """Return the side whose pages may be shown now; empty if nobody has said who is at the keyboard.

        If only one side is played at the keyboard, it is that side.
        """
        if len(seen.people) == 1:
            return seen.people[0]
        taken = self._taken.get(game, "")
        return taken if taken in seen.people else ""


def application(table: Table) -> Starlette:
    """Return the web application for a folder of local games.

    It trusts every request, because :class:`pbem.app.web.answers.KeyGate` lets only requests with the key pass.
    """
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
            Route("/game/{game}/{side}/advice", at.asks(at.advice), methods=["POST"]),
            Route("/game/{game}/{side}/send", at.asks(at.send), methods=["POST"]),
            Route("/game/{game}/{side}/{what}", at.asks(at.frame)),
            Route("/static/{name}", static),
        ]
    )


class _At(Answering):
    """The request handlers of the pages for local games."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table, self.seats = table, Seats()

    def back(self, request: Request) -> str:
        return f"/game/{quote(request.path_params['game'])}" if "game" in request.path_params else "/"

    # --- the course ---------------------------------------------------------------------------------------------------

    def start(self, request: Request, form: Form) -> Response:
        """Show the course and the games in the folder."""
        return page("play/start.html.j2", start=self.table.start(), folder=str(self.table.folder))

    def briefing(self, request: Request, form: Form) -> Response:
        """Show one scenario: its briefing, and the choices before the game starts."""
        found = lesson(request.path_params["number"])
        if found is None:
            raise GameError.saying("no-page", "there is no such scenario in the course")
        return kept_page(request, page("play/briefing.html.j2", lesson=found))

    def begin(self, request: Request, form: Form) -> Response:
        """Create a game and redirect to it."""
        ships = {key[5:]: value for key, value in form.items() if key.startswith("ship:") and value}
        version, against = form.get("version", ""), form.get("against", "")
        if results.lesson_of(course(), version) is None:
            raise GameError.saying("unknown-scenario", "choose a scenario of the course; it has no such number")
        name = self.table.begin(version, form.get("side", ""), against=against, ships=ships)
        return to(f"/game/{name}")

    # --- a game -------------------------------------------------------------------------------------------------------

    def game(self, request: Request, form: Form) -> Response:
        """Show the page of a side with board and form, or ask who is at the keyboard if that is unknown."""
        name = request.path_params["game"]
        seen = self.table.look(name)
        side = self.seats.at(name, seen)
        if not side:
            return page("play/curtain.html.j2", game=name, seen=seen)
        sheet = self.table.sheet(name, side)
        draft = sheet.again or sheet.draft
        return self._game_page(name, seen, side, sheet, draft)

    def _game_page(
        self, name: str, seen: LocalGame, side: str, sheet: SidePage, draft: str, refused: GameError | None = None
    ) -> Response:
        """Return the page of a game for the side at the keyboard.

        ``refused`` is the error if the side's orders were refused.
        """
        board = self.table.board(name, side, sheet.draft)
        return page(
            "play/game.html.j2",
            409 if refused else 200,
            game=name,
            seen=seen,
            side=side,
            sheet=sheet,
            draft=draft,
            faults=refused.faults if refused else (),
            result=self.table.result(name) if seen.now.over else None,
            **names_of(board),
        )

    def sit(self, request: Request, form: Form) -> Response:
        """Record which side the person at the keyboard plays."""
        name, side = request.path_params["game"], form.get("side", "")
        seen = self.table.look(name)
        if side not in seen.people:
            raise GameError.saying("wrong-side", "nobody here plays that side")
        self.seats.take(name, side)
        return to(f"/game/{name}")

    def curtain(self, request: Request, form: Form) -> Response:
        """Hide the pages of the game until the next player has said who they are."""
        self.seats.leave(request.path_params["game"])
        return to(f"/game/{request.path_params['game']}")

    def undo(self, request: Request, form: Form) -> Response:
        """Take play back to the last request for orders to a person at this keyboard."""
        name = request.path_params["game"]
        self.table.undo(name, self._seated(request), form.get("records", ""))
        return self._next(name, "undone")

    def frame(self, request: Request, form: Form) -> Response:
        """Send a page of the side that is at the keyboard, exactly as it is emailed."""
        what = request.path_params["what"]
        what = "report" if what == "sitrep.html" else what  # the page of the whole game links to it by this name
        if what not in ("report", "form", WHOLE):
            raise GameError.saying("no-page", "there is no such page")
        side = self._seated(request, request.path_params["side"])
        return framed_page(self.table.page(request.path_params["game"], side, what))

    def proof(self, request: Request, form: Form) -> Response:
        """Send the page that proves the dice of a finished game; the game's reports link to this page."""
        return kept_page(request, framed_page(self.table.proof(request.path_params["game"])))

    def check(self, request: Request, form: Form) -> Response:
        """Return the result of an order check as JSON, as ``pbem check --json`` prints it."""
        side = self._seated(request, request.path_params["side"])
        return result_of(partial(self.table.check, request.path_params["game"], side, form.get("orders", "")))

    def advice(self, request: Request, form: Form) -> Response:
        """Return, as JSON, the orders that a computer player would give for the side at the keyboard."""
        side = self._seated(request, request.path_params["side"])
        found = self.table.advice(request.path_params["game"], side)
        return JSONResponse({"faults": [], "orders": found.orders, "said": [found.why]})

    def send(self, request: Request, form: Form) -> Response:
        """Store orders and play on; the response is JSON for the page's script, and a page otherwise."""
        name, text = request.path_params["game"], form.get("orders", "")
        side = self._seated(request, request.path_params["side"])
        try:
            self.table.send(name, side, text)
        except GameError as error:
            if wants_json(request):
                raise
            seen = self.table.look(name)
            sheet = self.table.sheet(name, side)
            return self._game_page(name, seen, side, sheet, text if side in seen.owing else "", error)
        done = self._next(name)
        return JSONResponse({"next": done.headers["location"]}) if wants_json(request) else done

    def _next(self, name: str, what: str = "played") -> Response:
        """Redirect to the page of the game; ``what`` is a note for the page that says what was done.

        If several people share the keyboard, the next player must then say who they are.
        """
        if len(self.table.look(name).people) > 1:
            self.seats.leave(name)
        return to(f"/game/{name}?{what}")

    def _seated(self, request: Request, side: str = "") -> str:
        """Return the side whose player is at the keyboard.

        Raises:
            GameError: Nobody is at the keyboard, or it is not ``side`` (if that is given).
        """
        name = request.path_params["game"]
        seated = self.seats.at(name, self.table.look(name))
        if not seated or side not in ("", seated):
            raise GameError.saying("wrong-side", "it is another player's turn at the keyboard")
        return seated
