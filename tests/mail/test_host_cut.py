"""A host's round cut off at every file operation, lock and mail in turn: what is lost (nothing) and what goes twice.

Two players answer by mail from the invitation on; letters lie in a Maildir, mails go to a real SMTP server. One round
is cut; then the next rounds run, and all must be as if nothing had happened: the log, the state, the orders on file,
each letter answered, and everybody holding exactly the sitreps of what was played.
"""

from __future__ import annotations

import re
import shutil
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.mail.host.round import host_round
from pbem.mail.settings import Smtp
from pbem.mail.transport.smtp import SmtpCarrier
from pbem.mail.transport.sources import Maildir
from pbem.mail.umpires import RULING_FILE as RULING, token_for
from tests.cuts import REFUSED, Killed, cut_at, operations, places

if TYPE_CHECKING:
    from tests.mail.hosted import ADDRESSES, START, Hosted, answer
else:
    from post_hosted import ADDRESSES, START, Hosted, answer

SAMPLE = 3
"""Cuts of the quick part."""


class Mail(NamedTuple):
    """A mail as the server took it."""

    to: str
    raw: bytes

    @property
    def key(self) -> str:
        return str(message_from_bytes(self.raw)["X-PBEM-Key"])

    @property
    def kind(self) -> str:
        subject = str(message_from_bytes(self.raw)["Subject"])
        return re.sub(r" TOKEN \w+", "", subject)


class Server:
    """A real SMTP server that keeps what it takes."""

    def __init__(self) -> None:
        self.mails: list[Mail] = []

    async def handle_DATA(self, server: object, session: object, envelope: Any) -> str:
        self.mails += [Mail(to, bytes(envelope.content)) for to in envelope.rcpt_tos]
        return "250 OK"


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[Server, int]]:
    controller = pytest.importorskip("aiosmtpd.controller", reason="aiosmtpd is not installed")
    kept = Server()
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    running = controller.Controller(kept, hostname="127.0.0.1", port=port)
    running.start()
    try:
        yield kept, port
    finally:
        running.stop()


class Cut:
    """A carrier that is cut off at its mail number ``at``: before it is sent, or after the server's yes."""

    def __init__(self, port: int, at: int | None = None, *, after: bool = False) -> None:
        self.carrier = SmtpCarrier(Smtp(host="127.0.0.1", port=port, security="none"))
        self.at, self.after, self.sent = at, after, 0

    def send(self, sender: str, to: str, mail: bytes) -> None:
        mine = self.sent == self.at
        self.sent += 1
        if mine and not self.after:
            raise Killed("before the mail")
        self.carrier.send(sender, to, mail)
        if mine:
            raise Killed("after the server's yes")


def play(hosted: Hosted, port: int, cut: Cut | None = None) -> None:
    """One round; minutes pass before it."""
    carrier = cut or Cut(port)
    with carrier.carrier:
        host_round(hosted.folder, lambda: hosted.now, source=Maildir(hosted.folder / "Maildir"), carrier=carrier)


class Start(NamedTuple):
    """A host in front of a round: as a folder to be copied, and how to get a host of a copy."""

    folder: Path
    posted: int

    def copy(self, folder: Path) -> Hosted:
        shutil.copytree(self.folder, folder)
        hosted = Hosted.__new__(Hosted)
        hosted.folder, hosted.game, hosted.posted = folder, folder / "games" / "duel01", self.posted
        hosted.now = START_OF_ROUND + timedelta(minutes=1)
        return hosted


START_OF_ROUND = START


def before_first(tmp: Path, port: int) -> Start:
    """Nobody has been invited."""
    hosted = Hosted(tmp / "first")
    return Start(hosted.folder, 0)


def before_play(tmp: Path, port: int) -> Start:
    """Both energy forms, a question, a message and a letter without a token lie in the inbox."""
    hosted = Hosted(tmp / "play")
    hosted.now = START_OF_ROUND
    play(hosted, port)
    answer(hosted, *ADDRESSES)
    hosted.post(hosted.letter("klingon", "MESSAGE TO federation\nGood luck!\nEND MESSAGE\n"))
    hosted.post(hosted.letter("federation", "STATUS"))
    hosted.post(hosted.letter("federation", "Can you help me?"))
    hosted.post(hosted.letter("federation", "WITHDRAW", token="x" * 14))
    return Start(hosted.folder, hosted.posted)


def before_ruling(lines: str) -> Callable[[Path, int], Start]:
    """A request was played, the umpire was shown what his lines would do, and his DO IT lies in the inbox."""

    def make(tmp: Path, port: int) -> Start:
        hosted = Hosted(tmp / "ruling")
        hosted.now = START_OF_ROUND
        play(hosted, port)
        answer(hosted, *ADDRESSES)
        play(hosted, port)
        token = token_for(hosted.folder / "mail", "duel01")

        def rule(text: str) -> None:
            mail = EmailMessage(policy=SMTP)
            mail["From"], mail["To"] = "umpire@host.example", "orders@host.example"
            mail["Subject"], mail["Message-ID"] = f"Re: duel01 TOKEN {token}", f"<ruling.{hosted.posted}@host.example>"
            mail.set_content(text)
            hosted.post(bytes(mail))

        rule(lines)
        play(hosted, port)
        rule(f"DO IT {loads((hosted.game / 'mail' / RULING).read_bytes())['word']}\n")
        return Start(hosted.folder, hosted.posted)

    return make


RULINGS: dict[str, Callable[[Path, int], Start]] = {
    "rule": before_ruling("RULE Destruction shield 2 = 3\nREASON a volley was forgotten\n"),
    "undo": before_ruling("UNDO\nREASON an order was misread\n"),
}
STARTS: dict[str, Callable[[Path, int], Start]] = {"first": before_first, "play": before_play}


def held(hosted: Hosted) -> dict[str, bytes]:
    """What must be the same whatever was cut: logs, states, orders, messages and reports."""
    found: dict[str, bytes] = {}
    for pattern in ("0*/events.jsonl", "0*/state.json", "0*/orders/*", "0*/r*/*/*", "secret/messages/*"):
        found |= {p.relative_to(hosted.game).as_posix(): p.read_bytes() for p in hosted.game.glob(pattern)}
    return found


def told(mails: list[Mail], since: int) -> Counter[tuple[str, str, str]]:
    return Counter((mail.to, mail.kind, mail.key) for mail in mails[since:])


class Worlds(dict[str, "Undisturbed"]):
    """Rounds as they go where nothing is cut, each made when it is first asked for."""

    def __init__(self, folders: pytest.TempPathFactory, kept: Server, port: int) -> None:
        super().__init__()
        self.folders, self.kept, self.port = folders, kept, port

    def __missing__(self, name: str) -> Undisturbed:
        tmp, kept, port = self.folders.mktemp(name), self.kept, self.port
        start = {**STARTS, **RULINGS}[name](tmp, port)
        hosted = start.copy(tmp / "count")
        done = operations(lambda: play(hosted, port), under=hosted.folder)
        whole = start.copy(tmp / "plain")
        since = len(kept.mails)
        for _ in range(3):
            play(whole, port)
        self[name] = Undisturbed(start, tuple(done), held(whole), told(kept.mails, since))
        return self[name]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory, server: tuple[Server, int]) -> dict[str, Undisturbed]:
    return Worlds(tmp_path_factory, *server)


class Undisturbed(NamedTuple):
    """A round as it goes where nothing is cut: the operations on files, what is there then, and the mails."""

    start: Start
    done: tuple[str, ...]
    held: dict[str, bytes]
    told: Counter[tuple[str, str, str]]


def check(hosted: Hosted, whole: Undisturbed, server: Server, port: int, since: int, what: str) -> int:
    """Go on after the cut, and compare; how many mails went twice."""
    for minutes in (1, 2, 3):
        play(hosted, port)
        assert minutes  # the clock stands: a cut changes no time that is written down
    assert held(hosted) == whole.held, what
    with opened(hosted.game) as game:
        assert not verify(game).faults, what
    mails = told(server.mails, since)
    assert set(mails) == set(whole.told), what
    assert not list((hosted.folder / "Maildir" / "new").iterdir()), what
    assert not list((hosted.folder / "mail" / "outbox").glob("[ws][ae]*ing/*.eml")), what
    return sum(mails.values()) - sum(whole.told.values())


def some(count: int, every: bool) -> list[int]:
    """Numbers of cuts: those of the slow part, or a sample that is the same every time."""
    return places(count) if every else places(count, SAMPLE)


SLOW = [pytest.param(True, marks=pytest.mark.slow, id="all"), pytest.param(False, id="some")]


@pytest.mark.parametrize("every", SLOW)
@pytest.mark.parametrize("name", STARTS)
def test_a_round_that_is_killed_at_any_file_operation_loses_nothing(
    world: dict[str, Undisturbed], server: tuple[Server, int], tmp_path: Path, name: str, every: bool
) -> None:
    whole, (kept, port) = world[name], server
    for n in some(len(whole.done), every):
        hosted, since = whole.start.copy(tmp_path / str(n)), len(kept.mails)
        with cut_at(n, under=hosted.folder) as cut:
            play(hosted, port)
        assert cut.fell, whole.done[n]
        again = check(hosted, whole, kept, port, since, f"{n}: {whole.done[n]}")
        # Only between the server's yes and its mark: that is the moment at which the file in waiting/ goes.
        assert again == bool(re.match(r"unlink mail/outbox/waiting/.*\.eml$", whole.done[n])), whole.done[n]
        shutil.rmtree(hosted.folder)


@pytest.mark.slow
@pytest.mark.parametrize("name", RULINGS)
def test_what_the_umpire_has_done_by_mail_is_done_and_told_once(
    world: dict[str, Undisturbed], server: tuple[Server, int], tmp_path: Path, name: str
) -> None:
    """His DO IT is in a round that is killed at any file operation, or at any mail."""
    whole, (kept, port) = world[name], server
    told_of = Counter(kind.partition(":")[0] for _, kind, _ in whole.told)
    assert told_of["duel01"] == 1 and sum("SITREP" in kind for _, kind, _ in whole.told) == 2, "he, and both players"
    for n in places(len(whole.done)):
        hosted, since = whole.start.copy(tmp_path / str(n)), len(kept.mails)
        with cut_at(n, under=hosted.folder) as cut:
            play(hosted, port)
        assert cut.fell, whole.done[n]
        again = check(hosted, whole, kept, port, since, f"{n} of {len(whole.done)}: {whole.done[n]}")
        assert again == bool(re.match(r"unlink mail/outbox/waiting/.*\.eml$", whole.done[n])), whole.done[n]
        shutil.rmtree(hosted.folder)
    for n in range(sum(whole.told.values())):
        hosted, since = whole.start.copy(tmp_path / f"mail {n}"), len(kept.mails)
        with killed():
            play(hosted, port, Cut(port, n))
        assert check(hosted, whole, kept, port, since, f"mail {n}") == 0


@pytest.mark.parametrize("every", SLOW)
@pytest.mark.parametrize("name", STARTS)
def test_a_round_that_is_refused_any_file_operation_loses_nothing(
    world: dict[str, Undisturbed], server: tuple[Server, int], tmp_path: Path, name: str, every: bool
) -> None:
    """A full disk, a virus scanner: the system says no, once."""
    whole, (kept, port) = world[name], server
    for n in some(len(whole.done), every)[:: 1 if every else 2]:
        hosted, since = whole.start.copy(tmp_path / str(n)), len(kept.mails)
        with cut_at(n, under=hosted.folder, how=REFUSED):
            tolerant(hosted, port)
        check_after_refusal(hosted, whole, kept, port, since, f"{n}: {whole.done[n]}")
        shutil.rmtree(hosted.folder)


def tolerant(hosted: Hosted, port: int) -> None:
    """A round as the command does it: a refusal of the system ends it, with a sentence."""
    from pbem.errors import GameError

    try:
        play(hosted, port)
    except GameError as error:
        assert str(error)


def check_after_refusal(hosted: Hosted, whole: Undisturbed, server: Server, port: int, since: int, what: str) -> None:
    """As :func:`check`; but the umpire may have been told of the trouble, and players that their game is in it."""
    for _ in range(3):
        play(hosted, port)
    with opened(hosted.game) as game:
        assert not verify(game).faults, what
    mails = {one: many for one, many in told(server.mails, since).items() if "SITREP" in one[1] or "you play" in one[1]}
    wanted = {one: many for one, many in whole.told.items() if "SITREP" in one[1] or "you play" in one[1]}
    assert set(mails) == set(wanted), what
    twice = sum(mails.values()) - sum(wanted.values())
    assert twice <= bool(re.match(r"unlink mail/outbox/waiting/", whole.done[int(what.partition(":")[0])])), what
    for path in hosted.game.glob("0*/events.jsonl"):
        assert path.read_bytes() == whole.held[path.relative_to(hosted.game).as_posix()], what


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("every", SLOW)
@pytest.mark.parametrize("name", STARTS)
def test_a_round_that_is_killed_at_any_mail_sends_at_most_that_one_twice(
    world: dict[str, Undisturbed], server: tuple[Server, int], tmp_path: Path, name: str, every: bool,
    after: bool,
) -> None:  # fmt: skip
    whole, (kept, port) = world[name], server
    for n in some(sum(whole.told.values()), every)[:: 1 if every else 2]:
        hosted, since = whole.start.copy(tmp_path / f"{n}"), len(kept.mails)
        with killed():
            play(hosted, port, Cut(port, n, after=after))
        assert check(hosted, whole, kept, port, since, f"mail {n}") == after
        bodies = {mail.raw for mail in kept.mails[since:]}
        assert len(bodies) == sum(whole.told.values()), "what goes twice is byte for byte the same"


@contextmanager
def killed() -> Iterator[None]:
    with suppress(Killed):
        yield


LOCKS = ("pbem.mail.host.round.locked", "pbem.mail.incoming.intake.held", "pbem.games.storage.folder.locked")


@pytest.mark.slow
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("inside", [False, True])
def test_a_round_that_is_killed_at_any_lock_loses_nothing(
    world: dict[str, Undisturbed], server: tuple[Server, int], tmp_path: Path, lock: str, inside: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    import importlib

    whole, (kept, port) = world["play"], server
    module, _, function = lock.rpartition(".")
    real = getattr(importlib.import_module(module), function)
    hosted, since = whole.start.copy(tmp_path / "host"), len(kept.mails)

    @contextmanager
    def cut(*args: Any, **more: Any) -> Iterator[Any]:
        if not inside:
            raise Killed(lock)
        with real(*args, **more):
            raise Killed(lock)
        yield  # pragma: no cover

    with monkeypatch.context() as patch:
        patch.setattr(lock, cut)
        with killed():
            play(hosted, port)
    assert check(hosted, whole, kept, port, since, lock) == 0


def test_the_cuts_are_where_they_should_be(world: dict[str, Undisturbed]) -> None:
    """The sweep reaches every kind of thing a round does."""
    done = "\n".join(world["play"].done)
    for wanted in ("orders/", "events.jsonl", "state.json", "sitrep.txt", "said.txt", "clock.json", "outbox/waiting",
                   "outbox/sending", "outbox/sent", "Maildir/cur", "secret/messages", "quarantine",
                   "INSERT INTO emails", "INSERT INTO answers", "INSERT INTO facts", "INSERT OR IGNORE INTO sent",
                   "BEGIN", "COMMIT"):  # fmt: skip
        assert wanted in done, wanted
