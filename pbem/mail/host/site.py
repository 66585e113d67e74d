"""Update the club's web pages at the end of a round, for the public games that changed.

The fact ``site`` of the club's database stores the index entry of each game and a hash of the files its pages were made
from. The fact ``site-owed`` lists games still to be written, so that the next round continues after an interruption.
Unchanged games are not read. The pages of tournaments are copied without changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

import pbem
from pbem.games.site import LADDER, LISTED, MARK, TOURNAMENTS, Site, renew_sites
from pbem.games.storage.files import FileIdentity, file_identities
from pbem.games.storage.players import NAMES, TENURES
from pbem.mail.store import keep_fact, read_fact
from pbem.mail.transport.outbox import MAIL
from pbem.reports.html.site import GameLine

SHOWN: Final = "site"
OWED: Final = "site-owed"
LINES: Final = 4
"""Version of the format of index entries; entries of an earlier version are made again."""


class ShownSite(msgspec.Struct, frozen=True, kw_only=True):
    """What the present pages of the club's site were made from.

    Attributes:
        made: The target folder, web address and version of the program for which this is valid.
        lines: The index entry of each game.
        marks: For each game, a hash of the files its pages were made from.
    """

    made: str = ""
    lines: dict[str, GameLine] = {}
    marks: dict[str, str] = {}


def known_site(club: Path) -> ShownSite:
    """Return a record of what the pages of a club's site were made from; empty if no site was written."""
    return read_fact(club / MAIL, SHOWN, ShownSite) or ShownSite()


class _Owed(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of the club's site that must still be written.

    Attributes:
        made: The target folder, web address and version of the program for which this is valid.
        games: The number of games.
        tables: A hash of the tournaments' pages.
        owed: The games whose pages must still be written.
    """

    made: str = ""
    games: int = 0
    tables: str = ""
    owed: tuple[str, ...] = ()


def renew(
    club: Path, target: Path, url: str, games: Sequence[Path], opened: Iterable[Path], name: str = ""
) -> Site | None:
    """Update the pages of a club's site for games that changed; return the result.

    The result is ``None`` if no page had to be updated.

    Args:
        club: The club's folder.
        target: The folder of the site.
        url: The web address of the site, for feeds.
        games: The folders of all games.
        opened: The games that this round of the host opened.
        name: The name of the club.

    Raises:
        GameError: The site cannot be written.
    """
    post, made = club / MAIL, f"{pbem.__version__} {LINES} {target.resolve()} {url} {name}"
    owed = read_fact(post, OWED, _Owed) or _Owed()
    names = {game.name for game in games}
    todo = {game.name for game in opened} & names | {*owed.owed}
    tables = pages_of_tournaments(club)
    anew = (owed.made, owed.games, owed.tables) != (made, len(games), tables) or not (target / LISTED).is_file()
    if not todo and not anew:
        return None
    shown = known_site(club)
    if shown.made != made or not (target / LISTED).is_file():
        shown = ShownSite(made=made)
    now = {game.name: mark_of(game) for game in games if game.name in todo or game.name not in shown.marks}
    changed = {name for name, mark in now.items() if shown.marks.get(name) != mark}
    if not changed and not anew:
        return None
    keep_fact(post, OWED, _Owed(made=made, games=len(games), tables=owed.tables, owed=tuple(sorted(changed))))
    same = {name: line for name, line in shown.lines.items() if name in names - changed}
    site, lines = renew_sites(club, target, same, url, club=name)
    kept = {name: mark for name, mark in {**shown.marks, **now}.items() if name in names}
    keep_fact(post, SHOWN, ShownSite(made=made, lines=lines, marks=kept))
    keep_fact(post, OWED, _Owed(made=made, games=len(games), tables=tables))
    return site


def mark_of(game: Path) -> str:
    """Return a hash of the files from which a game's pages are made."""
    logs = sorted(path.relative_to(game).as_posix() for path in game.glob("[0-9][0-9]*/events.jsonl"))
    return _hashed(file_identities(str(game), [MARK, f"secret/{TENURES}", f"secret/{NAMES}", *logs]))


def pages_of_tournaments(club: Path) -> str:
    """Return a hash of the pages of tournaments and ladder; ``""`` if there are none."""
    pages = sorted(f"{TOURNAMENTS}/{file.name}" for file in (club / TOURNAMENTS).glob("*.html"))
    pages += [LADDER] if (club / LADDER).is_file() else []
    return _hashed(file_identities(str(club), pages)) if pages else ""


def _hashed(identities: Sequence[FileIdentity]) -> str:
    return hashlib.sha256(repr(identities).encode("utf-8", "surrogatepass")).hexdigest()[:20]
