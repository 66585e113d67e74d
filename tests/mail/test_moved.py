"""A club that moved to another machine while its old host runs on: both share the mailbox, and only one goes on."""

from __future__ import annotations

import imaplib
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened

if TYPE_CHECKING:
    from tests.mail.world import Asked, Club, Player, World

ANN, KOR = "ann@example.org", "kor@example.org"


class Moved:
    """A club on two machines: ``old`` and ``new``, each with its own account."""

    def __init__(self, mail: ModuleType, world: World, folder: Path) -> None:
        self.mail, self.world, self.folder = mail, world, folder
        self.old: Club = mail.Club(world, folder / "old")
        new("5", self.old.folder / "games" / "duel", players={"federation": ANN, "klingon": KOR}, seed="moved")
        self.players: list[Player] = [mail.Player(world, address, self.draft) for address in (ANN, KOR)]
        self.on_old()
        shutil.copytree(self.old.folder, folder / "new")
        self.new: Club = mail.Club.__new__(mail.Club)
        self.new.world, self.new.folder, self.new.orders = world, folder / "new", mail.HOST

    @staticmethod
    def draft(asked: Asked) -> str:
        return str(asked.draft)

    def on_old(self, *, restored: bool = False) -> list[str]:
        return self.told(self.old.round(self.folder / "state of old", restored=restored).troubles)

    def on_new(self, *, restored: bool = False) -> list[str]:
        return self.told(self.new.round(self.folder / "state of new", restored=restored).troubles)

    def told(self, troubles: tuple[str, ...]) -> list[str]:
        self.world.now += timedelta(minutes=1)
        return [one for one in troubles if "this folder is behind: the mailbox shows that" in one]

    def answer(self, which: int) -> None:
        self.players[which].read()
        assert self.players[which].answer()

    def receipts(self, which: int) -> int:
        self.players[which].read()
        return sum("receipt" in str(one["Subject"]) for one in self.players[which].mails)


@pytest.fixture(params=["folder", pytest.param("imap", marks=pytest.mark.slow)])
def moved(mailworld: ModuleType, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Moved]:
    imap = request.param == "imap"
    if imap and not mailworld.has_imap():
        pytest.skip("needs pymap, an IMAP server in Python")
    people = [mailworld.HOST, mailworld.UMPIRE, ANN, KOR]
    with mailworld.World(tmp_path / "boxes", people, imap=imap) as world:
        world.now = world.now.replace(year=2020)  # the servers' clocks are those of this machine
        yield Moved(mailworld, world, tmp_path)


def test_the_old_host_stops_as_soon_as_the_new_one_has_done_a_round(moved: Moved) -> None:
    assert moved.on_new() == []
    said = moved.on_old()
    assert len(said) == 1 and str(moved.new.folder) in said[0] and "Stop the other host" in said[0]
    moved.answer(0)
    assert moved.on_old() and not moved.receipts(0)
    assert moved.on_new() == [] and moved.receipts(0) == 1
    notes = [one for one in moved.world.fetch(moved.mail.UMPIRE) if "a host does nothing" in str(one["Subject"])]
    assert len(notes) == 1 and str(moved.old.folder) in str(notes[0]["Subject"])
    assert moved.on_new() == [] and moved.on_old()


def test_the_new_one_that_comes_late_reads_again_what_the_old_one_took(moved: Moved) -> None:
    moved.answer(0)
    assert moved.on_old() == [] and moved.receipts(0) == 1
    moved.answer(1)
    assert moved.on_old() == []
    assert len(moved.on_new()) == 1 and not (moved.new.folder / "games" / "duel" / "01" / "r2").exists()
    assert moved.on_new(restored=True) == []
    logs = [(club.folder / "games" / "duel" / "01" / "events.jsonl").read_bytes() for club in (moved.old, moved.new)]
    assert logs[0] == logs[1], "the same orders are the same play"
    assert len(moved.on_old()) == 1
    moved.answer(0)
    assert moved.on_new() == [] and len(moved.on_old()) == 1
    with opened(moved.new.folder / "games" / "duel") as game:
        assert not verify(game).faults


def test_the_mailbox_holds_one_mark(moved: Moved) -> None:
    if not moved.world.imap:
        assert len(list(moved.world.boxes[moved.mail.HOST].glob("*.mark"))) == 1
        return
    for _ in range(2):
        moved.answer(0)
        moved.answer(1)
        moved.on_old()
    with imaplib.IMAP4("127.0.0.1", moved.world.imap_port, timeout=30) as box:
        box.login("orders", moved.mail.PASSWORD)
        box.select()
        assert len(box.uid("SEARCH", "FLAGGED")[1][0].split()) == 1
