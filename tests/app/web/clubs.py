"""A club with a door, of which the tests are made."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.games.create import new
from pbem.mail.web_keys import key_of
from pbem.vassal_bridge.companion.module import MAP
from pbem.vassal_bridge.positions import companion
from tests.app.web.asking import Asker
from vassal.pieces.piece import Look
from vassal.save import read_save
from vassal.write import Change, update

if TYPE_CHECKING:
    from pbem.app.web.server import ClubServer

WEB = "https://sfb.example.org"
HOST = f'format = 1\norders = "orders@host.example"\numpire = "umpire@host.example"\nweb = "{WEB}"\n'
HOST += '[inbox]\nkind = "folder"\npath = "mail/in"\n'
PEOPLE = 'format = 1\n[people.ann]\nname = "Ann"\nmail = "ann@example.org"\n[people.bob]\nmail = "bob@example.org"\n'


def begun(folder: Path) -> Path:
    """A club with a duel of Ann, who has a key, and Bob."""
    (folder / "games").mkdir(parents=True)
    (folder / "host.toml").write_text(HOST, encoding="utf-8")
    (folder / "players.toml").write_text(PEOPLE, encoding="utf-8")
    new("5", folder / "games" / "duel", players={"federation": "ann", "klingon": "bob"}, seed="door")
    return folder


def free_duel(folder: Path) -> Path:
    """A duel of the two whose energy and orders are asked for in one; the save of its opening."""
    players = {"federation": "ann", "klingon": "bob"}
    new("5", folder / "games" / "free", players=players, options={"reveal": "none"}, seed="free")
    return folder / "games" / "free" / "01" / "positions.vsav"


def tried(save: Path, unit: str, hex: str, facing: int) -> bytes:
    """A save as a player makes it who has moved a counter on his table; ``facing`` in steps from A."""
    before, table = read_save(save), companion().map(MAP)
    change = Change(Look(facing=facing), at=table.layout(before.boards.get(MAP) or None).pixel(hex))
    made = save.with_name("tried.vsav")
    update(before, {f"pbem-{unit}": change}).write(made)
    found = made.read_bytes()
    made.unlink()
    return found


@contextmanager
def opened_door(folder: Path) -> Iterator[ClubServer]:
    from pbem.app.web.server import ClubServer

    one = ClubServer(folder)
    thread = threading.Thread(target=one.run, daemon=True)
    thread.start()
    try:
        yield one
    finally:
        one.stop()
        thread.join(20)


def key(folder: Path, person: str) -> str:
    return key_of(folder / "mail", person)


def asker(door: ClubServer, folder: Path, person: str) -> Asker:
    return Asker(door.port, f"pbem-club={key(folder, person)}")
