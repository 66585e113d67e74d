"""Make a club's pages of public games, and a card for each game of the player who is logged in.

The pages of public games are the same as on the club's site (:mod:`pbem.games.site`), but are made when a browser asks
for them. So a club that writes no site has them, too. They show what everybody may know. A card of a player's own game
shows what their side may see.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Generic, TypeVar

import msgspec

from pbem.club.directing import ladder_shown
from pbem.errors import GameError
from pbem.games.site import (
    INDEX,
    ClubPages,
    club_files,
    game_files,
    pages_from_club,
    public_games,
    site_line,
)
from pbem.games.status import Status
from pbem.games.storage.opening import opened
from pbem.games.storage.players import by_computer, in_words, last_played
from pbem.mail.host.clocks import read_clock
from pbem.mail.host.site import mark_of
from pbem.mail.people import People, read_people
from pbem.mail.settings import read_host
from pbem.reports.html.public import name_of
from pbem.reports.html.site import LADDER, GameLine, SiteLink, Small, careers, of_view, player_file
from pbem.reports.text import sentences
from pbem.reports.view.build import build_view
from pbem.util import several

SITE: Final = "/site/"
"""Path of the pages of public games on the club's web server."""
MOST_GAMES, MOST_PICTURES = 8, 500
"""Two maximum numbers: of games whose pages are kept in memory, and of pictures that are kept."""

Kept = TypeVar("Kept")


class _Recent(Generic[Kept]):
    """A cache of the values used most recently, by key."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, Kept] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return the value for a key; if it is not stored, make it with ``make`` and store it."""
        if key not in self._values:
            self._values[key] = make()
        self._values.move_to_end(key)
        while len(self._values) > self._most:
            self._values.popitem(last=False)
        return self._values[key]


class SideOnCard(msgspec.Struct, frozen=True, kw_only=True):
    """A side on the card of a game: the side, its player's name, and the address of the player's page.

    The address is empty if the player has no page.
    """

    side: str
    player: str
    address: str = ""


class GameCard(msgspec.Struct, frozen=True, kw_only=True):
    """The data that the card of a player's game shows in addition to its status.

    Attributes:
        small: A small picture of the positions that the side sees; ``None`` if the map is empty.
        played: The day (UTC) on which the game was last played; empty if it is not known.
        waits: A sentence that says for whom the game waits, and for how long.
        sides: All sides with their players.
        links: The game's pages for spectators, and its tournaments.
        place: The color number of the player's side. That side is drawn in the first color, as on the board.
    """

    small: Small | None = None
    played: str = ""
    waits: str = ""
    sides: tuple[SideOnCard, ...] = ()
    links: tuple[SiteLink, ...] = ()
    place: int = 0


class Showing:
    """Makes the pages of a club's public games and the cards of all games, and caches them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: dict[str, tuple[str, GameLine]] = {}
        self._files: _Recent[dict[str, bytes]] = _Recent(MOST_GAMES)
        self._ladder: _Recent[str] = _Recent(1)
        self._pictures: _Recent[Small | None] = _Recent(MOST_PICTURES)

    def lines(self) -> dict[str, GameLine]:
        """Return the index entries of the public games, by folder; games that cannot be read are left out."""
        known, self._lines = self._lines, {}
        for folder in public_games(self._folder):
            mark = mark_of(folder)
            entry = known.get(folder.name)
            try:
                if entry is None or entry[0] != mark:
                    with opened(folder) as game:
                        entry = (mark, site_line(game))
            except Exception:  # the host's round reports the error to the umpire
                continue
            if all(entry[1].name != line.name for _, line in self._lines.values()):
                self._lines[folder.name] = entry
        pages = self.pages()
        return {
            name: msgspec.structs.replace(line, around=pages.around(line.name))
            for name, (_, line) in self._lines.items()
        }

    def pages(self) -> ClubPages:
        """Return the pages of tournaments and the ladder; the ladder uses the public games of :meth:`lines`."""
        ended = {name: (mark, line) for name, (mark, line) in self._lines.items() if line.over}
        lines = {name: line for name, (_, line) in ended.items()}
        host = read_host(self._folder)
        key = (tuple((name, mark) for name, (mark, _) in ended.items()), host.name, repr(host.ranks))
        ladder = self._ladder.get(key, lambda: ladder_shown(self._folder, lines))
        return msgspec.structs.replace(pages_from_club(self._folder), ladder=ladder.encode("utf-8"))

    def links(self) -> tuple[SiteLink, ...]:
        """Return links to the club's public pages: all games, tournaments and the ladder."""
        self.lines()
        found = [SiteLink(link.title, SITE + link.address) for link in self.pages().links()]
        return (SiteLink("Public games", SITE + INDEX), *found)

    def file(self, path: str) -> bytes:
        """Return a file of the club's site; ``path`` is its address below ``/site/``.

        Raises:
            GameError: There is no such file now.
        """
        lines = self.lines()
        first, _, rest = path.partition("/")
        name = next((name for name, line in lines.items() if line.name == first), "")
        if name and rest:
            line = lines[name]
            files = self._files.get((name, self._lines[name][0], line.around), lambda: self._made(name, line))
        else:
            files, rest = club_files(self.pages(), lines.values(), read_host(self._folder).name, "/"), path
        if rest not in files:
            raise GameError.saying("no-page", "there is no such page")
        return files[rest]

    def _made(self, name: str, line: GameLine) -> dict[str, bytes]:
        with opened(self._folder / "games" / name) as game:
            return game_files(game, around=line.around)

    def card(self, folder: Path, side: str, now: Status, lines: dict[str, GameLine], pages: ClubPages) -> GameCard:
        """Return the card of a game for the player of a side.

        Args:
            folder: The game's folder.
            side: The side.
            now: The status of the game.
            lines: The index entries of the public games.
            pages: The pages of public tournaments and the ladder.

        Raises:
            GameError: The game cannot be read.
        """
        line, names = lines.get(folder.name), _names(now, read_people(self._folder))
        people = {one.player for one in careers(lines.values())}
        shown = dict(line.players) if line is not None else {}

        def page_of(side: str) -> str:
            name = shown.get(side, "")
            return SITE + player_file(name) if name in people else ""

        links = [SiteLink("For spectators", f"{SITE}{line.name}/{INDEX}")] if line is not None else []
        around = [one for one in pages.links(now.game) if one.address != LADDER]
        return GameCard(
            small=self._pictures.get((folder, mark_of(folder), side), lambda: _picture(folder, side)),
            played=str(last_played(folder) or ""),
            waits=_waits(folder, now, side, names, datetime.now(UTC)),
            sides=tuple(
                SideOnCard(side=one.side, player=names[one.side], address=page_of(one.side)) for one in now.sides
            ),
            place=[one.side for one in now.sides].index(side) % 4,
            links=(*links, *(SiteLink(one.title, SITE + one.address) for one in around)),
        )


def _picture(folder: Path, side: str) -> Small | None:
    with opened(folder) as game:
        return of_view(build_view(game.effective(), side, scenario=game.scenario()))


def _names(now: Status, people: People) -> dict[str, str]:
    """Return the names of all sides' players without addresses, by side; a name is empty if it is unknown."""
    found = {}
    for one in now.sides:
        person = people.find(one.player)
        if one.robot or by_computer(one.player):
            found[one.side] = in_words("robot" if one.robot else one.player)
        elif person is not None:
            found[one.side] = person.name or people.key_of(person)
        else:
            found[one.side] = name_of(one.player)
    return found


def _waits(folder: Path, now: Status, side: str, names: dict[str, str], moment: datetime) -> str:
    """Return a sentence that says for whom a game waits, and for how long; empty if the game is over.

    ``moment`` is the present time, and ``names`` has the player's name of each side.
    """
    if now.over or now.request is None:
        return ""
    if not now.owing:
        return "It waits for its dice."
    others = [names[one] or one for one in now.owing if one != side]
    whom = sentences.listed([*(["you"] if side in now.owing else []), *others])
    clock = read_clock(folder)
    known = clock.asked is not None and clock.asking[:2] == (now.request.turn, now.request.number)
    since = _span(moment - clock.asked) if known and clock.asked is not None else ""
    return f"It has waited {since} for {whom}." if since else f"It waits for {whom}."


def _span(time: timedelta) -> str:
    """Return a duration in its largest unit, such as ``2 hours``; empty for less than a minute."""
    minutes = int(time.total_seconds() // 60)
    if minutes < 1:
        return ""
    if minutes < 60:
        return several(minutes, "minute")
    hours = minutes // 60
    return several(hours, "hour") if hours < 48 else several(hours // 24, "day")
