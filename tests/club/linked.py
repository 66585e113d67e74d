"""A club whose public pages lead to each other: games, players, a tournament and the ladder."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from pbem.club.directing import begin, direct, direct_all
from pbem.games.create import new, shipped_games
from pbem.games.site import set_public
from pbem.games.storage.opening import opened
from pbem.games.umpire.decree import Decree, override
from pbem.mail.host.round import host_round
from tests.club.plans import plan

NOW = datetime(2020, 3, 1, 12, 0, tzinfo=UTC)
SHIPPED = next(one for one in shipped_games() if one.name == "duel01")
HOST = """\
format = 1
name = "The Tuesday Club"
orders = "orders@host.example"
umpire = "umpire@host.example"
web = "https://sfb.example.org"
site = "../web"
[inbox]
kind = "folder"
path = "mail/in"
"""
PEOPLE = {"ann": "Ann", "kor": "Kor", "ben": "Ben", "zed": "Zed Hush"}


def linked_club(home: Path) -> Path:
    """Make the club and its site, which is in the folder ``web`` beside it; return the club's folder.

    ``duel01`` is in its third turn, and ``cup-1-1`` or ``cup-1-2`` is over. Nobody but its players may know of
    ``hush``.
    """
    club = home / "club"
    games = club / "games"
    (games / "duel01").mkdir(parents=True)
    shutil.copy(SHIPPED / "game.toml", games / "duel01")
    for turn in ("00", "01", "02"):
        shutil.copytree(SHIPPED / turn, games / "duel01" / turn)
    (club / "host.toml").write_text(HOST, encoding="utf-8")
    people = [f'[people.{key}]\nname = "{name}"\nmail = "{key}@example.org"\n' for key, name in PEOPLE.items()]
    (club / "players.toml").write_text("format = 1\n" + "".join(people), encoding="utf-8")
    begin(club, "cup", plan("round robin", ["ann", "kor", "ben"], ["5"], title="Spring cup", seed="x"))
    settings = club / "tournaments" / "cup.toml"
    settings.write_text(settings.read_text("utf-8").replace("public = false", "public = true"), encoding="utf-8")
    (first,) = direct(club, "cup", NOW).made
    ends(club, first)
    for name in ("duel01", first):
        set_public(games / name, True)
    new("5", games / "hush", players={"federation": "zed", "klingon": "ben"}, seed="h")
    ends(club, "hush")
    rounds(club)
    return club


def ends(club: Path, game: str) -> None:
    """Have the umpire end a game, which the federation wins."""
    with opened(club / "games" / game, lock="test") as one:
        override(one, Decree(reason="so it was", result={"federation": "victory", "klingon": "defeat"}))


def rounds(club: Path, moment: datetime = NOW) -> None:
    """Do two rounds of the host: the first sees what ended, the second shows all of it."""
    for _ in range(2):
        host_round(club, lambda: moment, beyond=direct_all)
