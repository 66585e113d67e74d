"""What the post refuses, each whole as it is told, with the file it is about: ``refused.txt``."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pbem.errors import GameError
from pbem.games.storage.opening import opened
from pbem.mail import people, seats as who, settings, umpires
from pbem.mail.commands import seats, umpire
from pbem.mail.host import backup, clocks as timetable, operate, service, tidy
from pbem.mail.incoming import intake
from pbem.mail.transport import passwords
from pbem.mail.transport.inbox import open_source
from pbem.mail.transport.sources import Mbox, read_file

if TYPE_CHECKING:
    from tests.mail.hosted import START, Hosted
else:
    from post_hosted import START, Hosted

DAY = timedelta(days=1)
TOML = {
    "no text": b"\xff",
    "no TOML": b"format = ",
    "empty": b"\n",
    "of no format": b"a = 1\n",
    "of another": b"format = 2\n",
}


def test_every_refusal_names_what_it_is_about(
    hosted: Hosted, tmp_path: Path, as_kept: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    club, game, here = hosted.folder, hosted.game, tmp_path
    told = ["# What the post refuses, as it is told."]

    def refused(title: str, call: Callable[[], object]) -> None:
        with pytest.raises(GameError) as error:
            call()
        told.extend(["", f"=== {title}"])
        told.extend(plain(str(fault).replace(str(here), "DIR").replace("\\", "/")) for fault in error.value.faults)

    for name in ("empty", "lonely/duel", "moved"):
        (here / name).mkdir(parents=True)
    (here / "file").write_bytes(b"x")
    (here / "lonely/duel/game.toml").write_bytes((game / "game.toml").read_bytes())
    with tarfile.open(here / "strange.tar.gz", "w:gz") as tar:
        tar.add(here / "file", "club/../file")
        tar.add(here / "file", "elsewhere/file")
    with tarfile.open(here / "other.tar.gz", "w:gz") as tar:
        tar.add(here / "file", "club/file")
    monkeypatch.setattr(passwords, "password", lambda *given: passwords.Password("", "nowhere"))
    monkeypatch.setattr("pbem.mail.transport.imap.password", lambda *given: passwords.Password("", "nowhere"))

    # Settings, in whichever file.
    refused("a host that is no folder", lambda: settings.read_host(here / "none"))
    refused("a host that is a game", lambda: settings.read_host(game))
    refused("a host that is an empty folder", lambda: settings.read_host(here / "empty"))
    for how, data in TOML.items():
        (here / "empty" / "host.toml").write_bytes(data)
        (here / "empty" / "players.toml").write_bytes(data)
        refused(f"a host.toml {how}", lambda: settings.read_host(here / "empty"))
        refused(f"a players.toml {how}", lambda: people.read_people(here / "empty"))
    wrong = '[people.Ann]\nmail = "ann"\nname = "A;B"\naway = ["x"]\n\n[people.robot]\nmail = "r@example.org"\n'
    (here / "empty" / "players.toml").write_text(f"format = 1\n{wrong}", encoding="utf-8")
    refused("people who cannot be", lambda: people.read_people(here / "empty"))
    odd = (
        'orders = "x"\numpire = "y"\nweb = "z"\nkeep = "k"\nworkers = 999\ncluster = "c"\nfigures = "\\t"\nsite = "."\n'
    )
    (here / "empty" / "host.toml").write_text(f'format = 1\n{odd}[letters]\naway = "a"\n', encoding="utf-8")
    refused("a host that cannot be", lambda: settings.read_host(here / "empty"))
    refused("games under a file", lambda: settings.games_under(here / "file"))
    (game / "post.toml").write_text('format = 1\numpire = "nobody"\n', encoding="utf-8")
    refused("an umpire who is nobody", lambda: umpires.umpire_of(club, game, "u@host.example"))
    (game / "post.toml").unlink()

    # Mailboxes.
    for kind, more in (("folder", {}), ("mbox", {"path": "a\tb"}), ("maildir", {"path": "x", "z": 1, "a": 2})):
        refused(f"an inbox {kind} with {more}", lambda: open_source({"kind": kind, **more}, here))  # noqa: B023
    refused("an inbox with a home of nobody", lambda: open_source({"kind": "mbox", "path": "~nobody-here/x"}, here))
    refused("an inbox with more than a pipe", lambda: open_source({"kind": "pipe", "path": "x"}, here))
    refused("an inbox of no kind", lambda: open_source({"path": "x"}, here))
    imap: dict[str, Any] = {"kind": "imap", "host": "imap.example.org", "user": "ann"}
    refused("an inbox in the open", lambda: open_source({**imap, "security": "none"}, here))
    refused("an inbox with a port that is none", lambda: open_source({**imap, "port": "x"}, here))
    refused("an inbox without a password", lambda: [*open_source(imap, here).fetch()])
    for kind in ("folder", "maildir"):
        refused(f"a {kind} that is not there", lambda: [*open_source({"kind": kind, "path": "no"}, here).fetch()])  # noqa: B023
    refused("an mbox that is not there", lambda: [*Mbox(here / "none").fetch()])
    refused("an mbox that cannot be read", lambda: unreadable(here / "file", monkeypatch))
    refused("a letter that is not there", lambda: read_file(here / "none"))
    refused("a letter that is a folder", lambda: read_file(here / "empty"))

    # A club, packed and brought back.
    refused("a backup within", lambda: backup.backup(club, club / "mail" / "x.tar.gz"))
    refused("a backup over a file", lambda: backup.backup(club, here / "file"))
    refused("a backup of a game", lambda: backup.backup(game, here / "x.tar.gz"))
    refused("a backup that is not there", lambda: backup.restore(here / "none", here / "back", START))
    refused("a backup that is none", lambda: backup.restore(here / "file", here / "back", START))
    refused("a backup of something strange", lambda: backup.restore(here / "strange.tar.gz", here / "back", START))
    refused("a backup of something else", lambda: backup.restore(here / "other.tar.gz", here / "back", START))
    refused("a club that stays and was not moved", lambda: operate.stay(club))
    operate.move_club(club, here / "packed.tar.gz", START)
    refused("a club that is moved twice", lambda: operate.move_club(club, here / "packed-2.tar.gz", START))
    refused("a club that moved", lambda: operate.verify_here(club, "Europe/Berlin"))
    operate.stay(club)
    refused("a club kept for no time", lambda: tidy.tidy(club, START, "a while"))
    (club / "host.toml").write_text(
        (club / "host.toml").read_text("utf-8").replace("[inbox]", 'keep = ""\n[inbox]'), "utf-8"
    )
    refused("a club kept for ever", lambda: tidy.tidy(club, START))
    at = service.HostProgram(folder=here, program=("pb\nem",), begin=here, home=here, config=here)
    refused("a service with a sign that none has", lambda: service.service("cron", at))

    # What the umpire asks for.
    refused("more time, who knows how long", lambda: operate.extend(game, "a bit", START, "x"))
    refused("more time without a reason", lambda: operate.extend(game, "2 days", START, " "))
    refused("more time for a reason of two lines", lambda: operate.extend(game, "2 days", START, "a\nb"))
    refused("more time for somebody in a game", lambda: operate.extend(game, "2 days", START, "x", player="ann"))
    refused("more time for everybody in a game", lambda: operate.extend(game, "2 days", START, "x", every=True))
    refused("more time for nobody of a club", lambda: operate.extend(club, "2 days", START, "x"))
    refused("more time for two of a club", lambda: operate.extend(club, "2 days", START, "x", player="a", every=True))
    refused("more time where no host is", lambda: operate.extend(here / "lonely/duel", "2 days", START, "x"))
    with opened(game, lock="test") as one:
        refused("more time for what is not asked", lambda: timetable.extended(one, DAY, START, GROUNDS))
        timetable.start(one, START)
    refused("more time until yesterday", lambda: operate.extend(game, "until 2027-02-01", START, "x"))
    refused("more time until before it is due", lambda: operate.extend(game, "until 2027-03-01", START, "x"))
    refused("an invitation to a game of nobody", lambda: operate.invite(here / "lonely/duel", START))
    refused("somebody away who is nobody", lambda: operate.away(club, "zoe", "5 days", START))
    refused(
        "somebody away in the past", lambda: operate.away(club, "kor@example.org", "2026-01-01 to 2026-01-05", START)
    )
    refused("somebody away some day", lambda: operate.away(club, "kor@example.org", "some day", START))
    refused("mail of nobody", lambda: operate.move_address(club, "zoe", "zoe@example.org", START))
    refused("mail to nowhere", lambda: operate.move_address(club, "kor@example.org", "Kor <kor@example.org>", START))
    refused("mail to where it goes", lambda: operate.move_address(club, "kor@example.org", "KOR@example.org", START))
    with opened(here / "lonely/duel") as one:
        refused("an offer where no host is", lambda: operate.vacate(one, "klingon"))
    with opened(game, lock="test") as one:
        for side in ("x", ""):
            refused(f"another player of {side!r}", lambda: seats.replace(one, side, "a@example.org", START))  # noqa: B023
            refused(f"an offer of {side!r}", lambda: seats.offer(one, side))  # noqa: B023
        refused("a player who is nobody", lambda: seats.replace(one, "KLINGON", "zoe", START))
    timetable.pause(game, START)
    refused("a pause in a pause", lambda: timetable.pause(game, START))
    timetable.resume(game, START)
    refused("going on while it goes on", lambda: timetable.resume(game, START))
    for lines in (
        ("PAUSE", "UNDO"),
        ("UNDO", "RULE it stands"),
        ("EXTEND 2 x",),
        ("UNDO 1.2.3",),
        ("RESUME 5",),
        ("EXTEND 2 days",),
    ):
        refused(f"a letter of {lines}", lambda: umpire.act_of(lines))  # noqa: B023

    # Whose letter it is.
    refused("games of no folder", lambda: who.games_in(here / "none"))
    refused("games of a folder with none", lambda: who.games_in(here / "moved"))
    refused("players nobody can write to", lambda: who.verify_players(club, {"klingon": "zoe", "gorn": "Bo"}))
    (game / "secret" / "tokens.json").write_bytes(b'{"format": 2, "tokens": {}}')
    refused("tokens of another format", lambda: who.ensure_tokens(game))
    (game / "secret" / "tokens.json").write_bytes(b"{")
    refused("tokens that are none", lambda: who.ensure_tokens(game))
    (game / "secret" / "tokens.json").unlink()
    (here / "letter.eml").write_bytes(b"From: zoe@example.org\nSubject: hello\n\nhello\n")
    refused("a letter of nobody", lambda: intake.accept(here / "letter.eml", intake.games_of(club), print))
    as_kept("refused.txt", "\n".join(told) + "\n")


def plain(text: str) -> str:
    """Without what libraries and systems say in their own words."""
    return re.sub(
        r"(valid TOML|cannot be read|are damaged|correct \[inbox\] in host\.toml|cannot read this): .*", r"\1: …", text
    )


GROUNDS = timetable.Grounds(cause="c", reason="r")


def unreadable(file: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    def broken(*given: object, **more: object) -> object:
        raise OSError("no such luck")

    with monkeypatch.context() as patch:
        patch.setattr("mailbox.mbox", broken)
        return [*Mbox(file).fetch()]
