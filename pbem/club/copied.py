"""A copy of a club that may be played with: what a host needs of it, and settings that are others than the club's."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from pbem.data.files import NotToml, parse_toml
from pbem.desk.files import make_folder, read_toml_file, write_text
from pbem.desk.site import TOURNAMENTS
from pbem.desk.terms import read_terms
from pbem.faults import GameError
from pbem.post.people import FILE as PEOPLE
from pbem.post.settings import FILE as HOST_FILE, game_folders, read_host

MOVED: Final = "moved.json"
"""What says that a club goes on elsewhere; its rehearsal goes on."""
LEFT: Final = ("*.html", "*.vsav", "*.zip", "*.tmp", "*.lock")
"""Files of a game nobody looks at in a rehearsal."""


def with_settings(file: Path, settings: Mapping[str, str]) -> None:
    """Change keys like ``deadlines.late`` in the copy's host.toml; a value is TOML, or else a text."""
    raw = parse_toml(read_toml_file(file).decode("utf-8"))
    for key, typed in settings.items():
        *tables, last = key.split(".")
        there = raw
        for table in tables:
            there = there.setdefault(table, {})
            if not isinstance(there, dict):
                raise GameError.saying("setting", f"{key}: {table} is no table of host.toml", file="--set")
        try:
            there[last] = parse_toml(f"value = {typed}")["value"]
        except NotToml:
            there[last] = typed
    # JSON of texts, numbers and lists is TOML; tables come last.
    plain = [f"{key} = {_as_toml(value)}\n" for key, value in raw.items() if not isinstance(value, dict)]
    tables = [
        f"[{name}]\n" + "".join(f"{key} = {_as_toml(value)}\n" for key, value in inner.items())
        for name, inner in raw.items()
        if isinstance(inner, dict)
    ]
    write_text(file, "".join((*plain, *tables)))


def _as_toml(value: object) -> str:
    return msgspec.json.encode(value).decode()


def copied(club: Path, folder: Path) -> tuple[str, ...]:
    """Copy what a host needs of a club, but for its mailboxes; returns games that are left out, as their dice wait for
    a public beacon. Raises :class:`GameError` where the folder is no club.
    """
    host = read_host(club)
    make_folder(folder / "games")
    make_folder(folder / "mail")
    for name in (HOST_FILE, PEOPLE):
        if (club / name).is_file():
            shutil.copy2(club / name, folder / name)
    if (club / TOURNAMENTS).is_dir():
        shutil.copytree(club / TOURNAMENTS, folder / TOURNAMENTS)
    if host.figures and not Path(host.figures).is_absolute() and (club / host.figures).is_dir():
        shutil.copytree(club / host.figures, folder / host.figures)
    for file in sorted((club / "mail").glob("*.json")):
        if file.name != MOVED:
            shutil.copy2(file, folder / "mail" / file.name)
    left = []
    for game in game_folders(club):
        if read_terms(read_toml_file(game / "game.toml"), str(game)).dice.beacon:
            left.append(game.name)
            continue
        shutil.copytree(game, folder / "games" / game.name, ignore=shutil.ignore_patterns(*LEFT))
    return tuple(left)
