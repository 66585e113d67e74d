"""Fifty players of twenty games, half by web and half by mail, with a real SMTP and a real IMAP server: every order is
counted once, whichever way it came, and nobody sees what is another's.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra web is not installed")
pytest.importorskip("uvicorn", reason="the extra web is not installed")
pytest.importorskip("aiosmtpd", reason="needs aiosmtpd")

from pbem.club.rehearsal import Actor, Asking, orders_for
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.incoming.ledger import Ledger
from tests.app.web.asking import Asker
from tests.mail import world as mail

pytestmark = pytest.mark.slow

GAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    **{f"raid{n:02}": ("8", ("orion", "convoy", "defender")) for n in range(10)},
    **{f"duel{n:02}": (("4", "5", "7", "9", "10")[n % 5], ("federation", "klingon")) for n in range(10)},
}
REQUESTS = 3


class Someone(Actor):
    """A player of one side; ``web`` whether he plays at the door."""

    def __init__(self, name: str, game: str, side: str, *, web: bool) -> None:
        super().__init__(name, f"{name}@club.example")
        self.game, self.side, self.web = game, side, web
        self.sent = 0

    def takes(self, asking: Asking) -> Any:
        return asking.came


@pytest.fixture
def world(tmp_path: Path) -> Iterator[mail.World]:
    (tmp_path / "boxes").mkdir()
    addresses = [mail.HOST, mail.UMPIRE, *(f"p{n:02}@club.example" for n in range(50))]
    with mail.World(tmp_path / "boxes", addresses, imap=mail.has_imap()) as found:
        yield found


@pytest.mark.skipif(sys.platform == "win32", reason="a Maildir's names are none of Windows'")
def test_fifty_players_by_web_and_mail(
    world: mail.World, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    from pbem.app.web.server import ClubServer

    caplog.set_level(logging.INFO)  # the mail server of the test tells all it hears on DEBUG
    host = mail.Club(world, tmp_path / "club")
    file = host.folder / "host.toml"
    file.write_text(
        file.read_text(encoding="utf-8").replace("format = 1", 'format = 1\nweb = "https://sfb.example.org"', 1),
        encoding="utf-8",
    )
    people: list[Someone] = []
    for game, (scenario, sides) in GAMES.items():
        seated = [Someone(f"p{len(people) + n:02}", game, side, web=n % 2 == 0) for n, side in enumerate(sides)]
        people += seated
        players = {one.side: one.address for one in seated}
        new(scenario, host.folder / "games" / game, players=players, seed=game)
    assert len(people) == 50 and len(GAMES) == 20

    door = ClubServer(host.folder)
    thread = threading.Thread(target=door.run, daemon=True)
    thread.start()
    try:
        keys = _keys_from(world, host, people)
        askers = {one.name: Asker(door.port, f"pbem-club={keys[one.name]}") for one in people}
        for _ in range(REQUESTS):
            _answer_all(world, host, people, askers)
            host.round()
            for one in people:
                one.read(world.fetch(one.address), world.now)
        _nobody_sees_another(people, askers)
    finally:
        door.stop()
        thread.join(20)

    counted = Counter((one.game, one.side) for one in Ledger(host.folder / "mail").entries() if one.done == "orders")
    assert counted == {(one.game, one.side): one.sent for one in people if one.sent}
    assert sum(counted.values()) >= 80  # the defender of #8 is asked only when his ships have come
    for game in GAMES:
        with opened(host.folder / "games" / game, lock="test") as folder:
            assert folder.state().segment >= REQUESTS and not verify(folder).faults
    out = "".join((caplog.text, *capfd.readouterr()))
    for one in people:
        assert keys[one.name] not in out


def _keys_from(world: mail.World, host: mail.Club, people: list[Someone]) -> dict[str, str]:
    """The first mails go out; each link is read where its player reads it."""
    host.round()
    found = {}
    for one in people:
        mails = world.fetch(one.address)
        one.read(mails, world.now)
        text = mail.words(mails[0])
        found[one.name] = text.split("https://sfb.example.org/in#", 1)[1].split()[0]
    assert len(set(found.values())) == 50
    return found


def _answer_all(world: mail.World, host: mail.Club, people: list[Someone], askers: dict[str, Asker]) -> None:
    """Those at the door all at once, while the others' mails are under way; some send by both ways."""
    by_web: list[tuple[Someone, str]] = []
    for number, one in enumerate(people):
        for asking, _ in one.due(world.now):
            orders = orders_for(host.folder / "games" / one.game, asking)
            one.sent += 1
            if one.web:
                by_web.append((one, orders))
            else:
                client = mail.CLIENTS[number % len(mail.CLIENTS)]
                writer: Any = _Writer(world, one)
                letter = client(writer, mail.Asked(asking.mail, asking.turn, asking.number, asking.draft), orders)
                world.send(one.address, bytes(letter))

    def send(what: tuple[Someone, str]) -> None:
        one, orders = what
        form = {"orders": orders, "nonce": f"{one.name}{one.sent}"}
        for _ in range(2):  # whoever presses twice has sent once
            status, _, text = askers[one.name].ask(f"/game/{one.game}/{one.side}/send", form)
            assert status == 303, text[-3000:]

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(send, by_web))


class _Writer(mail.Player):
    """Who writes letters for somebody of this test."""

    def __init__(self, world: mail.World, one: Someone) -> None:
        super().__init__(world, one.address, lambda asked: asked.draft)
        self.sent = [None] * one.sent  # type: ignore[list-item]


def _nobody_sees_another(people: list[Someone], askers: dict[str, Asker]) -> None:
    for number, one in enumerate(people):
        ask = askers[one.name].ask
        assert ask("/")[0] == 200
        assert ask(f"/game/{one.game}/{one.side}/report")[0] == 200
        other = people[(number + 1) % len(people)]
        third = people[(number + 7) % len(people)]
        for them in (other, third):
            for what in ("report", "form", "stamp", "replay.html", "proof.html", "earlier/01.1"):
                assert ask(f"/game/{them.game}/{them.side}/{what}")[0] == 404, (one.name, them.name, what)
        # His own page with another's name in the cookie is nobody's.
        guessed = Asker(askers[one.name].port, f"pbem-club={other.name}")
        assert guessed.ask(f"/game/{other.game}/{other.side}/report")[0] == 403
