"""The cadet's course: what can be played, on which side and against whom, and a small picture of how it begins.

The table of an evening: games in a folder of the user's, who sits at them, and what becomes of orders.

It knows nothing of browsers. Everything is done by the umpire's desk, so that a game begun here is a game like any
other: ``pbem verify``, ``report`` and ``undo`` work on it.

The application that browsers talk to: which address shows what, and who may see it.

Pages of a game are those that are mailed, byte for byte, in frames; the page around them has the button that sends.
A game at which several people share the keyboard shows one side at a time: whoever sits there has taken the seat, and
the pages of all others are refused until a curtain has been drawn between (:class:`Seats`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from pbem.app.web.answers import Answering, Form, checked, framed_page, page, paper, static, to, wants_json
from pbem.data.doctrines import doctrines
from pbem.data.scenarios import Scenario, ScenarioSide, scenario, scenario_keys
from pbem.data.ships import ship_class
from pbem.engine.state import Request as OrdersRequest
from pbem.errors import GameError
from pbem.games.computer_sides import USUAL
from pbem.games.create import new
from pbem.games.resolve import resolve_game
from pbem.games.status import Status, status
from pbem.games.storage.files import cannot, make_folder
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import by_computer, captain_of
from pbem.games.storage.publish import PROOF
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.undo import last_asked, orders_taken_back, undo
from pbem.reports.draft.draft import draft_for
from pbem.reports.html.page import WHOLE
from pbem.reports.html.site import MapMark, Small, came_to, framed, middle, turned
from pbem.util import regex

ROBOT = "robot"
"""Who plays a side by the rules' own robot."""


class Choice(msgspec.Struct, frozen=True):
    """Classes among which the player of a ship may choose: the ship's name, its side, and class by key and name; the
    first is the one of the scenario.
    """

    unit: str
    side: str
    classes: tuple[tuple[str, str], ...]


class Version(msgspec.Struct, frozen=True):
    """A version of a scenario: its key and title."""

    key: str
    title: str


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario of the course. ``against`` says of each side that can be played whom the computer plays then;
    ``new`` are the parts of the handbook no scenario before it uses; ``small`` is the picture of how it begins.
    """

    setting: Scenario
    sides: tuple[ScenarioSide, ...]
    against: dict[str, str]
    versions: tuple[Version, ...]
    new: tuple[str, ...]
    choices: tuple[Choice, ...]
    small: Small

    @property
    def pair(self) -> bool:
        """Whether two people at one keyboard can play it."""
        return len(self.sides) > 1


def open_sides(setting: Scenario) -> list[ScenarioSide]:
    """The sides somebody may play."""
    return [side for side in setting.sides if side.robot != "must"]


def course() -> list[Lesson]:
    """All shipped scenarios in their order."""
    met: set[str] = set()
    found = []
    for key in scenario_keys():
        setting = scenario(key)
        if setting.variant:
            continue
        found.append(_lesson(setting, tuple(name for name in setting.chapters if name not in met)))
        met |= set(setting.chapters)
    return found


def lesson(number: str) -> Lesson | None:
    """The scenario of a number, if it is one of the course."""
    return next((one for one in course() if one.setting.number == number), None)


def _lesson(setting: Scenario, new: tuple[str, ...]) -> Lesson:
    sides = open_sides(setting)
    versions = [Version(f"{setting.number}-{name}", title) for name, title in setting.variants.items()]
    marks = tuple(_marks(setting))
    return Lesson(
        setting=setting,
        sides=tuple(sides),
        against={side.name: _opposed(setting, side.name) for side in sides},
        versions=(Version(setting.number, setting.title), *versions),
        new=new,
        choices=tuple(_choices(setting, {side.name for side in sides})),
        small=framed(marks),
    )


def _opposed(setting: Scenario, side: str) -> str:
    """Whom the computer plays where somebody has a side, in words: ``convoy (the printed robot)``."""
    others = [one for one in setting.sides if one.name != side]
    told = [f"{one.name} ({'a computer captain' if one.robot == 'no' else 'the printed robot'})" for one in others]
    return " and ".join(filter(None, (", ".join(told[:-1]), *told[-1:])))


def _choices(setting: Scenario, played: set[str]) -> list[Choice]:
    found = []
    for unit in setting.units:
        if unit.side in played and not unit.optional and len(unit.choices) > 1:
            keys = (unit.ship, *(key for key in unit.choices if key != unit.ship))
            found.append(Choice(unit.name, unit.side, tuple((key, ship_class(key).name) for key in keys)))
    return found


def _marks(setting: Scenario) -> list[MapMark]:
    place = {name: number % 4 for number, name in enumerate(sorted(side.name for side in setting.sides))}
    marks = [
        MapMark(*middle(hex), 0, 0, "planet" if ground.kind == "planet" else "rock")
        for ground in setting.terrain
        for hex in ground.hexes
    ]
    for kind, units in (("ship", setting.units), ("drone", setting.seekers), ("monster", setting.monsters)):
        for unit in units:
            if not (getattr(unit, "optional", False) or getattr(unit, "arrives", 0)):
                turn = turned(unit.facing)
                marks.append(MapMark(*middle(unit.hex), turn, place[unit.side], kind))
    return marks


COMPUTER = "computer"
"""The opponent as the book has it, in what a browser sends."""
YOU, FRIEND = "you", "a friend"
"""Who plays a side at the keyboard, as game.toml has it; the others are the robot of the rules (scenario #4) and
computer captains by their levels, whom the desk knows.
"""

_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_WORDS = regex(r"[^a-z0-9]+")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A game of the folder, as the list of games shows it; ``why`` it cannot be opened, if so. ``ships`` says of a game
    that is over what became of them.
    """

    name: str
    now: Status | None = None
    people: tuple[str, ...] = ()
    why: str = ""
    ships: str = ""


class LocalGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game as who sits at it needs it: where it stands, whom the people at the keyboard play (``people``) and which
    of these owe orders (``owing``).
    """

    now: Status
    people: tuple[str, ...]
    owing: tuple[str, ...]


class SidePage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page of one side shows beside the status of the game.

    ``draft`` is the draft of the orders the side owes. ``again`` holds the orders it sent for the same request before
    Undo took them back. ``back`` is the request that Undo leads to, None if no person was asked before. ``records`` is
    the length of the log: an Undo from a page that shows an older one is refused.
    """

    draft: str
    again: str
    back: OrdersRequest | None
    records: int


class Table:
    """The games of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def games(self) -> list[Listed]:
        """All games of the folder, those first that were touched last."""
        if not self.folder.is_dir():
            return []
        try:
            found = [path for path in self.folder.iterdir() if _NAME.fullmatch(path.name) and _is_game(path)]
            found.sort(key=lambda path: (-_last_touched(path), path.name))
        except OSError as error:
            raise cannot("read", self.folder, error) from error
        return [self._listed(path) for path in found]

    def _listed(self, path: Path) -> Listed:
        try:
            with opened(path) as game:
                now = status(game)
                ships = came_to(game.state()) if now.over else ""
                return Listed(name=path.name, now=now, people=people(game), ships=ships)
        except GameError as error:
            return Listed(name=path.name, why=str(error))

    def path(self, name: str) -> Path:
        """The folder of a game. Raises :class:`GameError` where there is none of this name here."""
        path = self.folder / name
        if not _NAME.fullmatch(name) or not _is_game(path):
            raise GameError.saying("no-game", f"there is no game {name[:60]!r} on this table")
        return path

    def begin(self, key: str, side: str, *, against: str = "", ships: Mapping[str, str] | None = None) -> str:
        """A new game of a scenario (``"4"``, ``"8-cadet"``) in which the user plays ``side``; all others that can be
        played are those of :func:`seats`. Returns its name. Raises :class:`GameError`.
        """
        setting = scenario(key)
        make_folder(self.folder, private=True)
        name = self._free_name(setting)
        new(key, self.folder / name, players=seats(setting, side, against), ships=ships or {})
        return name

    def _free_name(self, setting: Scenario) -> str:
        """``battle-drill-1``, or the next number that is free."""
        words = _WORDS.sub("-", setting.title.casefold()).strip("-")[:30]
        numbers = (f"{words}-{n}" for n in range(1, 10_000))
        return next(name for name in numbers if not (self.folder / name).exists())

    def look(self, name: str) -> LocalGame:
        """How a game stands; what was begun and cut off is finished first, so that somebody is asked or it is over."""
        path = self.path(name)
        with opened(path) as game:
            seen = _seen(game)
        if seen.now.over or seen.owing:
            return seen
        with opened(path, lock="play") as game:
            play_on(game)
            return _seen(game)

    def page(self, name: str, side: str, what: str) -> bytes:
        """The report (``report``) or order form (``form``) that a side is sent, byte for byte, or the whole game
        (``replay.html``) of one that is over. Raises :class:`GameError` where there is none now.
        """
        with opened(self.path(name)) as game:
            return paper(game, side, what)

    def proof(self, name: str) -> bytes:
        """The page that works out every die of a game that is over. Raises :class:`GameError` where there is none."""
        with opened(self.path(name)) as game:
            return paper(game, "everybody", PROOF)

    def draft(self, name: str, side: str) -> str:
        """The draft of the orders a side owes; empty where it owes none."""
        with opened(self.path(name)) as game:
            state = game.state()
            if state.request is None or not state.request.asks(side):
                return ""
            return draft_for(state, game.scenario(), state.request, side)

    def sheet(self, name: str, side: str) -> SidePage:
        """Return what the page of a side shows beside the status. Raises :class:`GameError`."""
        owes = side in self.look(name).owing
        draft = self.draft(name, side) if owes else ""
        with opened(self.path(name)) as game:
            again = orders_taken_back(game, side) if owes else ""
            return SidePage(draft=draft, again=again, back=last_asked(game, people(game)), records=len(game.records()))

    def check(self, name: str, side: str, text: str) -> Receipt:
        """What orders would amount to; nothing is filed. Raises :class:`GameError` with every fault."""
        with opened(self.path(name)) as game:
            return checked(game, side, text)

    def send(self, name: str, side: str, text: str) -> Receipt:
        """File a side's orders, and play on as far as the orders of all go. Raises :class:`GameError` with every
        fault; then nothing was filed. Orders of a request that was played already are refused as such.
        """
        with opened(self.path(name), lock="play") as game:
            checked(game, side, text)
            receipt = submit(game, text, "")
            play_on(game)
        return receipt

    def undo(self, name: str, side: str, records: str = "") -> None:
        """Take play back to the last request that a person at this keyboard was asked; the record says so, and what is
        played again gets new dice. Nothing is played until somebody sends orders.

        ``records`` is the length of the log that the page showed, so that a second click takes back no more. Raises
        :class:`GameError` if the log has another length now, or if no person was asked before.
        """
        with opened(self.path(name), lock="undo") as game:
            if records not in ("", str(len(game.records()))):
                text = "load this page again: the game has gone on since it was loaded, so nothing was taken back"
                raise GameError.saying("old-page", text)
            asked = last_asked(game, people(game))
            if asked is None:
                raise GameError.saying("nothing-played", "nothing was taken back: nobody here has sent orders yet")
            undo(game, turn=asked.turn, request=asked.number, reason=f"taken back at the table by {side}")


def seats(setting: Scenario, side: str, against: str = "") -> dict[str, str]:
    """Who plays each side that is not the robot's by the rules: ``against`` is ``friend`` for somebody at the same
    keyboard, the level of a computer captain, or (``computer``, or nothing) the robot where the rules have one, and
    captains where they have none. Raises :class:`GameError` where nobody may play ``side``, or ``against`` is nobody.
    """
    free = open_sides(setting)
    if side not in [one.name for one in free]:
        names = ", ".join(one.name for one in free)
        raise GameError.saying("unknown-side", f"nobody plays {side[:60]!r} in {setting.title}; there are {names}")
    if against == "friend":
        others = {one.name: FRIEND for one in free}
    elif captain_of(against) is not None:
        others = {one.name: against for one in free}
    elif against not in ("", COMPUTER):
        there = ", ".join((COMPUTER, "friend", *(level.name for level in doctrines().levels)))
        raise GameError.saying("unknown-opponent", f"nobody is called {against[:60]!r}; choose one of {there}")
    else:
        others = {one.name: ROBOT if one.robot != "no" else USUAL for one in free}
    return {**others, side: YOU}


def people(game: GameFolder) -> tuple[str, ...]:
    """The sides that are played at the keyboard."""
    return tuple(one.name for one in game.state().sides.values() if not by_computer(one.player))


def play_on(game: GameFolder) -> None:
    """Play until somebody at the keyboard is asked or the game is over; the desk has captains answer at once."""
    while True:
        now = status(game)
        mine = people(game)
        if now.over or any(side in mine for side in now.owing):
            return
        if now.sealing is not None:
            raise GameError.saying("orders-sealed", "a game whose dice wait for a beacon is not played at this table")
        resolve_game(game)


def _seen(game: GameFolder) -> LocalGame:
    now, mine = status(game), people(game)
    owing = tuple(side for side in now.owing if side in mine)
    return LocalGame(now=now, people=mine, owing=owing)


def _is_game(path: Path) -> bool:
    return (path / "game.toml").is_file()


def _last_touched(path: Path) -> int:
    """When a game was last played, by its newest log."""
    return max((file.stat().st_mtime_ns for file in path.glob("*/events.jsonl")), default=0)


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

    def at(self, game: str, seen: LocalGame) -> str:
        """The side whose pages may be shown now: the only one that is played here, or who has taken the seat."""
        if len(seen.people) == 1:
            return seen.people[0]
        taken = self._taken.get(game, "")
        return taken if taken in seen.people else ""


def application(table: Table) -> Starlette:
    """The application of a table. It trusts whoever reaches it: :mod:`pbem.app.web.answers` lets nobody else in."""
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
        return framed_page(self.table.page(request.path_params["game"], side, what))

    def proof(self, request: Request, form: Form) -> Response:
        """The proof of a game that is over, to which its reports lead."""
        return framed_page(self.table.proof(request.path_params["game"]))

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
