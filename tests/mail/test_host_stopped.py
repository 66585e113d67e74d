"""A host whose machine stops anywhere, two hosts on one folder, and the way from an empty folder to sent mail."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail import store
from pbem.mail.host.round import host_round
from pbem.mail.transport.sources import Maildir

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, SHIPPED, Hosted, asked, command, environment
else:
    from post_hosted import ADDRESSES, SHIPPED, Hosted, asked, command, environment


def killed_game(hosted: Hosted, kills: int, seed: int) -> int:
    """Play the duel by `pbem host --once`, which is killed at random moments; returns how often it was. When it has
    been killed often enough, the rounds that are left are played in this process.

    Every letter is posted once, before its round, and never again.
    """
    rng = random.Random(seed)
    killed = 0
    longest = 1.0
    for _ in range(60):
        while killed < kills:
            started = time.monotonic()
            process = subprocess.Popen(
                command(hosted), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            if rng.random() < 0.8:
                try:
                    process.wait(rng.uniform(0.15, longest))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    killed += 1
                    continue
            code = process.wait()
            longest = min(3.0, max(0.3, time.monotonic() - started))
            assert code == 0
            break
        else:
            host_round(hosted.folder, lambda: datetime.now(UTC), source=Maildir(hosted.folder / "Maildir"))
        if hosted.over():
            return killed
        for side in ADDRESSES:
            if text := hosted.scripted(side):
                hosted.post(hosted.letter(side, text))
    raise AssertionError("the game does not end")


@pytest.mark.slow
@pytest.mark.parametrize(("kills", "seed"), [(int(os.environ.get("PBEM_KILLS", "12")), 1)])
def test_a_host_that_is_killed_loses_nothing_and_counts_nothing_twice(tmp_path: Path, kills: int, seed: int) -> None:
    hosted = Hosted(tmp_path / "host")
    for attempt in range(40):
        done = killed_game(hosted, kills, seed + attempt)
        kills -= done
        check_unharmed(hosted)
        if kills <= 0:
            break
        hosted = Hosted(tmp_path / f"host{attempt}")
    assert kills <= 0


@pytest.mark.slow
def test_a_host_killed_a_few_times_in_its_first_rounds_plays_on(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    rng = random.Random(7)
    for number in range(3):
        for _ in range(2):
            process = subprocess.Popen(
                command(hosted), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                process.wait(rng.uniform(0.2, 0.8))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        subprocess.run(command(hosted), env=environment(), check=True, stdout=subprocess.DEVNULL)
        if number < 2:
            for side in ADDRESSES:
                hosted.post(hosted.letter(side, hosted.scripted(side)))
    check_unharmed(hosted)
    assert (hosted.game / "01" / "r3").is_dir()


def check_unharmed(hosted: Hosted) -> None:
    """No letter lost or counted twice, no turn half done, the shipped record so far, one mail of each kind."""
    logs = hosted.logs()
    assert all(SHIPPED[turn].startswith(text) for turn, text in logs.items())
    with opened(hosted.game) as game:
        assert not verify(game).faults
    with store.opened(hosted.folder / "mail") as journal:
        assert sum(entry.done == "orders" for _, entry in journal.emails()) == hosted.posted
    assert not list((hosted.folder / "Maildir" / "new").iterdir())
    assert not list(hosted.game.glob("*/orders/*.v1.orders")), "no orders were filed twice"
    waiting = [path.name for path in (hosted.folder / "mail" / "outbox" / "waiting").glob("*.eml")]
    count = {kind: sum(name.startswith(f"{kind}.") for name in waiting) for kind in ("invitation", "sitrep", "receipt")}
    # The first mail is invitation and sitrep in one.
    assert count == {"invitation": 2, "sitrep": 2 * (len(asked(hosted)) - 1), "receipt": hosted.posted}
    assert not list(hosted.folder.rglob("*.tmp"))


# --- the door --------------------------------------------------------------------------------------------------------


def pbem(*arguments: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "pbem", *map(str, arguments)]
    return subprocess.run(line, env=environment(), capture_output=True, encoding="utf-8", check=False)


@pytest.mark.slow
def test_from_an_empty_folder_to_mail_at_a_real_server(tmp_path: Path) -> None:
    controller = pytest.importorskip("aiosmtpd.controller", reason="aiosmtpd is not installed")
    handlers = pytest.importorskip("aiosmtpd.handlers")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    folder, box = tmp_path / "club", tmp_path / "sink"
    assert pbem("host", "init", folder).returncode == 0
    settings = (folder / "host.toml").read_text(encoding="utf-8")
    settings = (
        settings.replace("@example.org", "@club.example")
        .replace('host = ""', 'host = "127.0.0.1"')
        .replace("port = 587", f"port = {port}")
    )
    (folder / "host.toml").write_text(settings.replace('"starttls" ', '"none"     '), encoding="utf-8")
    players = [f"--player={side}={address}" for side, address in ADDRESSES.items()]
    assert pbem("new", "5", folder / "games" / "duel01", *players).returncode == 0
    refused = pbem("doctor", folder)
    assert refused.returncode == 1 and "does not answer" in refused.stdout
    running = controller.Controller(handlers.Mailbox(str(box)), hostname="127.0.0.1", port=port)
    running.start()
    try:
        examined = pbem("doctor", folder)
        assert (examined.returncode, examined.stderr) == (0, ""), examined.stdout
        assert pbem("host", "invite", folder / "games" / "duel01").returncode == 0
        first = pbem("host", folder, "--once")
        assert (first.returncode, first.stderr) == (0, "") and "2 mails sent" in first.stdout
        assert pbem("host", folder, "--once").stdout == ""
    finally:
        running.stop()
    mails = [message_from_bytes(path.read_bytes(), policy=default) for path in (box / "new").iterdir()]
    assert sorted(str(mail["To"]) for mail in mails) == sorted(ADDRESSES.values())
    assert pbem("pause", folder / "games" / "duel01").returncode == 0
    assert pbem("pause", folder / "games" / "duel01").returncode == 1
    assert pbem("resume", folder / "games" / "duel01").returncode == 0
    replaced = pbem("host", "replace", folder / "games" / "duel01", "klingon", "koloth@example.org")
    assert replaced.returncode == 0


@pytest.mark.slow
def test_two_hosts_on_one_folder_do_no_harm(tmp_path: Path) -> None:
    hosted = Hosted(tmp_path / "host")
    for side in ADDRESSES:
        hosted.post(hosted.letter(side, hosted.scripted(side)))
    running = [
        subprocess.Popen(command(hosted), env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(3)
    ]
    assert {process.wait() for process in running} <= {0, 1}
    hosted.round()
    assert (hosted.game / "01" / "r2").is_dir()
    assert sum(path.name.startswith("invitation.") for path in (hosted.folder / "mail/outbox/sent").iterdir()) == 2
