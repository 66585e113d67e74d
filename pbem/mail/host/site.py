"""The club's site, written by its host: at the end of a round the pages of public games in which something changed.

``mail/site.json`` keeps the line of each game in the index and a mark of what its pages were made from (log, site.toml,
who plays), ``mail/site-owed.json`` which games are still to be written: a round that is cut off, or that cannot write
there, leaves them to the next. What nobody changed is neither read nor written; tournaments' pages are copied as they
are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import msgspec

import pbem
from pbem.games.site import LISTED, MARK, TOURNAMENTS, Site, renew_sites
from pbem.games.storage.files import FileIdentity, file_identities, keep, read_kept
from pbem.games.storage.players import NAMES, TENURES
from pbem.mail.transport.outbox import MAIL
from pbem.reports.html.site import GameLine

FILE: Final = "site.json"
OWED: Final = "site-owed.json"
LINES: Final = 3
"""Counts what a line of the index has been able to tell: lines of an earlier time are made anew."""


class _Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What the site was made from, for one place, address and version of the program."""

    made: str = ""
    lines: dict[str, GameLine] = {}
    marks: dict[str, str] = {}


class _Owed(msgspec.Struct, frozen=True, kw_only=True):
    """Games that were not yet written, how many games there were, and for which place, address and version; and a mark
    of the tournaments' pages.
    """

    made: str = ""
    games: int = 0
    tables: str = ""
    owed: tuple[str, ...] = ()


def renew(
    club: Path, target: Path, url: str, games: Sequence[Path], opened: Iterable[Path], name: str = ""
) -> Site | None:
    """Write the site of a club's ``games`` in ``target`` anew, as far as those changed that were ``opened`` in this
    round; ``name`` is the club's. ``None`` where there was nothing to do. Raises :class:`GameError` where it cannot be
    written.
    """
    post, made = club / MAIL, f"{pbem.__version__} {LINES} {target.resolve()} {url} {name}"
    owed = read_kept(post / OWED, _Owed) or _Owed()
    names = {game.name for game in games}
    todo = {game.name for game in opened} & names | {*owed.owed}
    tables = pages_of_tournaments(club)
    anew = (owed.made, owed.games, owed.tables) != (made, len(games), tables) or not (target / LISTED).is_file()
    if not todo and not anew:
        return None
    known = read_kept(post / FILE, _Shown) or _Shown()
    if known.made != made or not (target / LISTED).is_file():
        known = _Shown(made=made)
    now = {game.name: _mark(game) for game in games if game.name in todo or game.name not in known.marks}
    changed = {name for name, mark in now.items() if known.marks.get(name) != mark}
    if not changed and not anew:
        return None
    keep(post / OWED, _Owed(made=made, games=len(games), tables=owed.tables, owed=tuple(sorted(changed))))
    same = {name: line for name, line in known.lines.items() if name in names - changed}
    site, lines = renew_sites(club, target, same, url, club=name)
    kept = {name: mark for name, mark in {**known.marks, **now}.items() if name in names}
    keep(post / FILE, _Shown(made=made, lines=lines, marks=kept))
    keep(post / OWED, _Owed(made=made, games=len(games), tables=tables))
    return site


def _mark(game: Path) -> str:
    """What a game's pages are made from."""
    logs = sorted(path.relative_to(game).as_posix() for path in game.glob("[0-9][0-9]*/events.jsonl"))
    return _hashed(file_identities(str(game), [MARK, f"secret/{TENURES}", f"secret/{NAMES}", *logs]))


def pages_of_tournaments(club: Path) -> str:
    """What the tournaments' pages are now; empty where there are none."""
    folder = club / TOURNAMENTS
    pages = sorted(file.name for file in folder.glob("*.html"))
    return _hashed(file_identities(str(folder), pages)) if pages else ""


def _hashed(found: Sequence[FileIdentity]) -> str:
    return hashlib.sha256(repr(found).encode("utf-8", "surrogatepass")).hexdigest()[:20]
