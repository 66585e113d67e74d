"""A duel played by mail, letters to it, and an outbox that is a list."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from pbem.games.create import new
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.answer import Answered, attend
from pbem.mail.seats import Games, games_in, token_of
from tests import remembered

PLAYERS = {"federation": "Ann <ann@example.org>", "klingon": "bob@example.org"}
ADDRESSES = {"federation": "ann@example.org", "klingon": "bob@example.org"}
ENERGY = {
    "federation": "SHIP Constellation\nENERGY\n  SPEED 12\n  PHASERS 2\n  PHOT A 2 WARP\nEND\n",
    "klingon": "SHIP Destruction\nENERGY\n  SPEED 14\n  PHASERS 2\n  DISR A 2\nEND\n",
}
LETTERS = Path(__file__).parent / "letters"


@pytest.fixture(scope="session")
def mailworld() -> ModuleType:
    """world.py: servers, mailboxes and people (test folders are no packages)."""
    pytest.importorskip("aiosmtpd", reason="needs aiosmtpd, an SMTP server in Python (pip install aiosmtpd)")
    if "post_world" not in sys.modules:
        spec = importlib.util.spec_from_file_location("post_world", Path(__file__).with_name("world.py"))
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["post_world"] = module
        spec.loader.exec_module(module)
    return sys.modules["post_world"]


@pytest.fixture(scope="session")
def new_duel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What :func:`duel` is a copy of."""
    folder = tmp_path_factory.mktemp("new") / "duel"
    with remembered.real_pages():
        new("5", folder, players=PLAYERS, seed="post tests")
    return folder


@pytest.fixture
def duel(tmp_path: Path, new_duel: Path) -> Path:
    """The folder of a new game between two humans: EAFs first, then speeds, then SOPs."""
    return Path(shutil.copytree(new_duel, tmp_path / "duel"))


@pytest.fixture
def games(duel: Path) -> Games:
    return games_in(duel, umpire="umpire@host.example", orders="orders@host.example")


if TYPE_CHECKING:
    from tests.mail.hosted import Hosted
else:
    # Test files are no package, so that those of different folders may share a name.
    spec = importlib.util.spec_from_file_location("post_hosted", Path(__file__).with_name("hosted.py"))
    sys.modules["post_hosted"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["post_hosted"])
    Hosted = sys.modules["post_hosted"].Hosted


@pytest.fixture
def hosted(tmp_path: Path) -> Hosted:
    """The shipped duel in the hands of a host."""
    return Hosted(tmp_path / "host")


Write = Callable[..., bytes]


@pytest.fixture
def write(duel: Path) -> Write:
    """A letter as a player would send it: ``write("klingon", "STATUS")``; with his token in the subject."""
    count = 0

    def letter(
        side: str, subject: str = "orders", text: str = "", *, token: str | None = None, sender: str = ""
    ) -> bytes:
        nonlocal count
        count += 1
        token = token_of(duel, side) if token is None else token
        subject += f" TOKEN {token}" if token else ""
        return (
            f"From: {sender or ADDRESSES[side]}\r\nTo: orders@host.example\r\nSubject: {subject}\r\n"
            f"Message-ID: <{count}.{side}@example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
        ).encode() + text.replace("\n", "\r\n").encode()

    return letter


@pytest.fixture
def send(games: Games, write: Write) -> Callable[..., Answered]:
    """Write a letter and have it attended to."""

    def go(side: str, subject: str = "orders", text: str = "", **more: str) -> Answered:
        return attend(read_letter(write(side, subject, text, **more)), games)

    return go


@pytest.fixture
def eaf() -> Callable[..., str]:
    """A side's energy form for turn 1."""
    return lambda side, body="": f"GAME duel TURN 1 SIDE {side} REPLY 1\n" + (body or ENERGY[side])
