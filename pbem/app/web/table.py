"""The table of an evening: games in a folder of the user's, who sits at them, and what becomes of orders.

It knows nothing of browsers. Everything is done by the umpire's desk, so that a game begun here is a game like any
other: ``pbem verify``, ``report`` and ``undo`` work on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from pbem.app.web.course import ROBOT, open_sides
from pbem.app.web.papers import checked, paper
from pbem.data.doctrines import doctrines
from pbem.data.scenarios import Scenario, scenario
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.computer_sides import USUAL
from pbem.games.create import new
from pbem.games.play import resolve
from pbem.games.status import Status, status
from pbem.games.storage.files import cannot, make_folder
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import by_computer, captain_of
from pbem.games.storage.publish import PROOF
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.undo import last_asked, orders_taken_back, undo
from pbem.patterns import regex
from pbem.reports.draft.drafts import draft_for
from pbem.reports.html.site import came_to

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


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A game as who sits at it needs it: where it stands, whom the people at the keyboard play (``people``) and which
    of these owe orders (``owing``).
    """

    now: Status
    people: tuple[str, ...]
    owing: tuple[str, ...]


class Sheet(msgspec.Struct, frozen=True, kw_only=True):
    """What the page of one side shows beside the status of the game.

    ``draft`` is the draft of the orders the side owes. ``again`` holds the orders it sent for the same request before
    Undo took them back. ``back`` is the request that Undo leads to, None if no person was asked before. ``records`` is
    the length of the log: an Undo from a page that shows an older one is refused.
    """

    draft: str
    again: str
    back: Request | None
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

    def look(self, name: str) -> Seen:
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
            if state.request is None or side not in state.request.sides:
                return ""
            return draft_for(state, game.scenario(), state.request, side)

    def sheet(self, name: str, side: str) -> Sheet:
        """Return what the page of a side shows beside the status. Raises :class:`GameError`."""
        owes = side in self.look(name).owing
        draft = self.draft(name, side) if owes else ""
        with opened(self.path(name)) as game:
            again = orders_taken_back(game, side) if owes else ""
            return Sheet(draft=draft, again=again, back=last_asked(game, people(game)), records=len(game.records()))

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
        resolve(game)


def _seen(game: GameFolder) -> Seen:
    now, mine = status(game), people(game)
    owing = tuple(side for side in now.owing if side in mine)
    return Seen(now=now, people=mine, owing=owing)


def _is_game(path: Path) -> bool:
    return (path / "game.toml").is_file()


def _last_touched(path: Path) -> int:
    """When a game was last played, by its newest log."""
    return max((file.stat().st_mtime_ns for file in path.glob("*/events.jsonl")), default=0)
