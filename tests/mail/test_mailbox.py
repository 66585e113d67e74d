"""Letters from folders, Maildirs, mboxes and pipes; none is lost, none counts twice, wherever a host is stopped."""

from __future__ import annotations

import mailbox
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.errors import GameError
from pbem.games.storage.folder import locked
from pbem.mail.incoming.intake import MOST_EMPTY, eml_outbox, take_in, take_in_all
from pbem.mail.incoming.ledger import Ledger
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, games_in, token_of
from pbem.mail.store import EmailRecord
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.sources import EmlFolder, Maildir, Mbox, Source

Write = Callable[..., bytes]
Eaf = Callable[..., str]


def folder_of(path: Path, letters: list[bytes]) -> Source:
    path.mkdir()
    for number, raw in enumerate(letters):
        (path / f"{number:03}.eml").write_bytes(raw)
    return EmlFolder(path)


def maildir_of(path: Path, letters: list[bytes]) -> Source:
    mailbox.Maildir(path, create=True)
    for number, raw in enumerate(letters):
        # As a mail server does it, on every system: the library writes the line ends and names of its own.
        (path / "new" / f"{1_700_000_000 + number}.M1P1.host").write_bytes(raw)
    return Maildir(path)


def mbox_of(path: Path, letters: list[bytes]) -> Source:
    box = mailbox.mbox(path, create=True)
    for raw in letters:
        box.add(raw)
    box.close()
    return Mbox(path)


MAKERS = [folder_of, maildir_of, mbox_of]
Maker = Callable[[Path, list[bytes]], Source]


class Outbox:
    """Letters that went out, by key; stops the host after a number of them."""

    def __init__(self, stop: int = 0) -> None:
        self.letters: dict[str, Reply] = {}
        self.stop = stop

    def put(self, reply: Reply) -> None:
        self.letters[reply.key] = reply
        if len(self.letters) == self.stop:
            self.stop = 0
            raise KeyboardInterrupt


@pytest.mark.parametrize("maker", MAKERS)
def test_letters_are_taken_once(maker: Maker, tmp_path: Path, games: Games, write: Write, eaf: Eaf) -> None:
    letters = [write("federation", "orders", eaf("federation")), write("klingon", "STATUS"), b"\xff\x00 spam", b""]
    source = maker(tmp_path / "in", letters[:3])
    outbox = Outbox()
    first = list(take_in_all(source, games, outbox.put))
    assert sorted(one.entry.done for one in first) == ["command", "orders", "quarantine"]
    sent = dict(outbox.letters)
    assert all(one.again for one in take_in_all(source, games, outbox.put))
    assert outbox.letters == sent
    if maker is not mbox_of:
        assert list(source.fetch()) == []


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("stop", [1, 2, 3])
def test_a_host_that_is_stopped_loses_nothing_and_answers_once(
    maker: Maker, stop: int, tmp_path: Path, games: Games, write: Write, eaf: Eaf, duel: Path
) -> None:
    letters = [
        write("federation", "orders", eaf("federation")),
        write("klingon", "orders", eaf("klingon")),
        write("klingon", "STATUS"),
    ]
    source = maker(tmp_path / "in", letters)
    outbox = Outbox(stop)
    with pytest.raises(KeyboardInterrupt):
        list(take_in_all(source, games, outbox.put))
    list(take_in_all(source, games, outbox.put))
    assert sorted(reply.kind for reply in outbox.letters.values()) == ["command", "receipt", "receipt"]
    assert sorted(path.name for path in (duel / "01/orders").iterdir()) == ["federation.r1.orders", "klingon.r1.orders"]
    assert len(Ledger(games.post).entries()) == 3


def test_a_letter_waits_while_its_game_is_worked_on(
    tmp_path: Path, games: Games, write: Write, duel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = folder_of(tmp_path / "in", [write("federation", "STATUS")])
    monkeypatch.setattr("pbem.games.storage.folder.PATIENCE", 0.1)
    with locked(duel, "resolve"):
        assert list(take_in_all(source, games, Outbox().put)) == []
        assert len(list(source.fetch())) == 1
    (taken,) = take_in_all(source, games, Outbox().put)
    assert taken.entry.done == "command"


def test_two_letters_with_one_message_id_both_count(games: Games, write: Write, eaf: Eaf) -> None:
    """Whoever guesses the id of a player's next letter cannot have it taken for one that came before."""
    ledger, outbox = Ledger(games.post), Outbox()
    real = write("federation", "orders", eaf("federation"))
    forged = real.replace(b"TOKEN", b"NO")
    assert take_in(forged, games, ledger, outbox.put).entry.done == "quarantine"
    assert take_in(real, games, ledger, outbox.put).entry.done == "orders"


def test_a_machine_that_does_not_say_so_is_answered_a_few_times_only(games: Games, write: Write) -> None:
    ledger, outbox = Ledger(games.post), Outbox()
    for number in range(MOST_EMPTY + 3):
        take_in(write("federation", "I am away", f"Since day {number}."), games, ledger, outbox.put)
    assert sum(reply.to == "ann@example.org" for reply in outbox.letters.values()) == MOST_EMPTY


def test_a_mistake_of_ours_costs_one_letter(
    tmp_path: Path, games: Games, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Reply:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("pbem.mail.commands.dispatch.COMMANDS", {"STATUS": broken, "HELP": broken})
    outbox = Outbox()
    source = folder_of(tmp_path / "in", [write("federation", "STATUS"), write("federation", "hello")])
    done = [one.entry.done for one in take_in_all(source, games, outbox.put)]
    assert done == ["trouble", "empty"]
    told = [reply.to for reply in outbox.letters.values()]
    assert told == ["ann@example.org", "umpire@host.example", "ann@example.org"], "the player hears of it too"


# --- the journal -----------------------------------------------------------------------------------------------------


def test_a_torn_line_of_an_old_journal_counts_for_nothing(tmp_path: Path) -> None:
    one, two = (EmailRecord(digest=name, done="orders") for name in ("one", "two"))
    whole = msgspec.json.encode(one) + b"\n"
    for cut in range(1, len(whole)):
        post = tmp_path / str(cut)
        post.mkdir()
        (post / "letters.jsonl").write_bytes(whole + whole.replace(b'"one"', b'"six"')[:cut])
        Ledger(post).add(two)
        assert [entry.digest for entry in Ledger(post).entries() if entry.digest != "six"] == ["one", "two"]


def test_what_is_put_aside_can_be_looked_at(games: Games) -> None:
    ledger = Ledger(games.post)
    taken = take_in(b"From: eve@evil.example\r\n\r\nHello?", games, ledger, Outbox().put)
    assert (games.post / taken.entry.file).read_bytes().endswith(b"Hello?")
    assert "not the address of a player here" in (games.post / taken.entry.file).with_suffix(".txt").read_text()


# --- settings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"kind": "pigeon"},
        {"kind": "folder"},
        {"kind": "folder", "path": "in", "user": "x"},
        {"kind": "imap"},
        {"kind": "imap", "host": "mail.example.org", "user": "x", "security": "none"},
        {"kind": "imap", "host": "mail.example.org", "user": "x", "password": "in the open"},
    ],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(GameError, match="inbox"):
        open_source(settings, tmp_path)


def test_a_folder_of_letters_keeps_done_ones(tmp_path: Path) -> None:
    source = open_source({"kind": "folder", "path": "in"}, tmp_path)
    with pytest.raises(GameError, match="make this folder for incoming emails"):
        list(source.fetch())
    (tmp_path / "in" / "done").mkdir(parents=True)
    (tmp_path / "in" / "done" / "a.eml").write_bytes(b"older")
    (tmp_path / "in" / "a.eml").write_bytes(b"newer")
    for key, _ in source.fetch():
        source.done(key)
        source.done(key)
    assert {path.read_bytes() for path in (tmp_path / "in" / "done").iterdir()} == {b"older", b"newer"}


# --- a host of several games -----------------------------------------------------------------------------------------


def test_a_letter_finds_its_game_by_its_token(tmp_path: Path) -> None:
    from pbem.games.create import new

    for name in ("one", "two"):
        new("5", tmp_path / "games" / name, players={"federation": "ann@example.org", "klingon": "ann@example.org"})
    (tmp_path / "games" / "three").mkdir()
    (tmp_path / "games" / "three" / "game.toml").write_text("nonsense")
    games = games_in(tmp_path)
    assert len(games.seats) == 4 and games.broken[0][0] == "three"
    token = token_of(tmp_path / "games" / "two", "klingon")
    raw = f"From: ann@example.org\r\nTo: orders+{token.upper()}@host.example\r\nSubject: STATUS\r\n\r\n".encode()
    taken = take_in(raw, games, Ledger(games.post), eml_outbox(games.post / "outbox"))
    assert (taken.entry.game, taken.entry.side) == ("two", "klingon")
    assert [path.suffix for path in (games.post / "outbox").iterdir()] == [".eml"]


# --- the commands ----------------------------------------------------------------------------------------------------


def run(*arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    root = str(Path(__file__).resolve().parents[2])
    command = [sys.executable, "-m", "pbem", "mail", *map(str, arguments)]
    done = subprocess.run(command, input=stdin, capture_output=True, cwd=root, timeout=120)
    assert b"Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.slow
def test_a_letter_through_a_pipe(duel: Path, write: Write, eaf: Eaf) -> None:
    raw = b"From ann@example.org Fri Nov 20 10:00:00 2026\n" + write("federation", "orders", eaf("federation"))
    first = run("answer", duel, stdin=raw)
    assert first.returncode == 0 and b"federation in duel: filed" in first.stdout, first
    assert b"before" in run("answer", duel, stdin=raw).stdout
    (mail,) = (duel / "secret/mail/outbox").iterdir()
    assert read_letter(mail.read_bytes()).kind == "own"


def test_a_pipe_is_asked_to_come_again(duel: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = write("federation", "STATUS")
    monkeypatch.setattr("pbem.games.storage.folder.PATIENCE", 0.1)
    with locked(duel, "resolve"):
        done = CliRunner().invoke(app, ["mail", "answer", str(duel)], input=raw)
    assert done.exit_code == 75


def test_how_a_letter_is_understood(tmp_path: Path, write: Write) -> None:
    (tmp_path / "a.eml").write_bytes(write("klingon", "RESEND 3"))
    said = run("read", tmp_path / "a.eml").stdout.decode()
    assert "bob@example.org" in said and "a command: RESEND 3" in said
    assert b'"kind": "command"' in run("read", tmp_path / "a.eml", "--json").stdout
    assert run("read", tmp_path / "none.eml").returncode == 1
