"""Everything two players of a duel can be answered, letter by letter and word by word, as correspondence.txt has it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

from pbem.desk.opened import opened
from pbem.desk.play import resolve
from pbem.post import who as tokens
from pbem.post.answering import Answered, Standing, attend
from pbem.post.letters import read_letter
from pbem.post.replies import Reply
from pbem.post.who import Games, Seat, games_in

ADDRESSES = {"federation": "ann@example.org", "klingon": "bob@example.org"}
DRAFT_SHOWN = 4
"""Lines of the form that are shown: what stands in forms is tested elsewhere."""

EAF = """GAME duel TURN 1 SIDE federation REPLY 1
SHIP Constellation
ENERGY
  SPEED 12
  PHASERS 2
  PHOT A 2 WARP
END
"""
KLINGON = """GAME duel TURN 1 SIDE klingon REPLY 1
SHIP Destruction
ENERGY
  SPEED 14
  PHASERS 2
  DISR A 2
END
"""
SOP = """GAME duel TURN 1 SIDE federation REPLY 2
SHIP Constellation
PLOT TOWARD Destruction
DO
  IF RANGE Destruction <= 4 THEN FIRE ALL PH AT Destruction
END
"""
KLINGON_SOP = """GAME duel TURN 1 SIDE klingon REPLY 2
SHIP Destruction
PLOT TOWARD Constellation
DO
  IF RANGE Constellation <= 4 THEN FIRE ALL AT Constellation
BREAK
  RANGE Constellation <= 8
END
"""
FAULTY = EAF.replace("PHASERS 2\n", "PHASERS 2\n  FOO 3\n  REINFORCE #9\n    WITH 2\n")
WORDS = """MESSAGE TO klingon
Will you fire, my friend? This line is as long as a line gets that somebody writes without a thought about its end.

Yours, Ann
END MESSAGE
MESSAGE TO ALL: Peace!
MESSAGE TO romulan: Anybody there?
UMPIRE: who wins?
"""

LETTERS: tuple[tuple[str, ...], ...] = (
    ("federation", "HELP", ""),
    ("federation", "STATUS", ""),
    ("federation", "DRAFT", ""),
    ("federation", "PREVIEW", ""),
    ("federation", "RESEND", ""),
    ("federation", "RESEND 7", ""),
    ("federation", "WITHDRAW", ""),
    ("federation", "Hello", "I am lost, and my token is lost.\n\nWhere do I begin?\n"),
    ("federation", "Hello", ""),
    ("federation", "Hello", WORDS),
    ("federation", "orders", FAULTY),
    ("federation", "orders", FAULTY.partition("\n")[2]),
    ("federation", "duel 1.1", EAF.partition("\n")[2]),
    ("federation", "orders", EAF.replace("SHIP", "## CORRECTED DRAFT\nSHIP")),
    ("federation", "orders", KLINGON),
    ("federation", "orders", EAF.replace("SPEED 12", "SPEED 30").replace("PHASERS 2", "PHASERS 4")),
    ("federation", "PREVIEW", FAULTY),
    ("federation", "PREVIEW", KLINGON),
    ("federation", "PREVIEW", "\n" + EAF),
    ("federation", "duel 1.0", EAF.partition("\n")[2]),
    ("federation", "orders", EAF),
    ("federation", "PREVIEW", ""),
    ("federation", "STATUS", EAF.replace("12", "13").replace("REPLY 1", "") + WORDS),
    ("federation", "orders", FAULTY.replace("  FOO 3\n", "")),
    ("federation", "WAIT", ""),
    ("federation", "STATUS", ""),
    ("klingon", "STATUS", ""),
    ("federation", "WITHDRAW", ""),
    ("federation", "WAIT OFF", EAF.replace("12", "11")),
    ("federation", "WAIT OFF", ""),
    ("klingon", "orders", KLINGON),
    ("klingon", "DRAFT", ""),
    ("play",),
    ("federation", "WITHDRAW", ""),
    ("federation", "orders", EAF),
    ("federation", "PREVIEW", SOP),
    ("federation", "orders", SOP),
    ("federation", "orders", SOP.replace("FIRE ALL PH", "FIRE PH 1").replace("DO\n", "DO\n  LAUNCH DRONE\n  IF\n")),
    ("klingon", "WAIT", KLINGON_SOP),
    ("klingon", "STATUS", ""),
    ("federation", "RESEND 1", ""),
    ("federation", "RESEND LAST", ""),
    ("play",),
    ("federation", "STATUS", ""),
    ("federation", "DRAFT", ""),
    ("federation", "WAIT", ""),
    ("federation", "WITHDRAW", ""),
    ("federation", "orders", "GAME duel TURN 1 SIDE federation REPLY 3\nCONTINUE\nEND\n"),
    ("klingon", "DRAFT", ""),
    ("klingon", "Re: duel 1.14 SITREP", "Well fought.\n\nCONCEDE\n"),
    ("play",),
    ("klingon", "STATUS", ""),
    ("klingon", "DRAFT", ""),
    ("klingon", "WAIT", ""),
    ("klingon", "WITHDRAW", ""),
    ("klingon", "PREVIEW", ""),
    ("klingon", "orders", KLINGON),
    ("klingon", "hello", "What now?\n"),
)
"""Whose letter, its subject and its text; or that play goes on."""


@pytest.fixture
def duel(tmp_path: Path, new_duel: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The duel, whose players have tokens that anybody may know."""
    made = iter(("aaaaaaaaaaaaaa", "bbbbbbbbbbbbbb"))
    monkeypatch.setattr(tokens, "new_token", lambda: next(made))
    yield Path(shutil.copytree(new_duel, tmp_path / "duel"))


def due(seat: Seat, standing: Standing) -> str:
    return f"The deadline of {seat.side}, which is {standing} here, is tomorrow."


def told(reply: Reply, folder: Path) -> str:
    """An answer as a text."""
    text = "".join(_short(reply.text, (folder / "01").glob("r*/*/sitrep.txt"))).rstrip("\n")
    fields = [
        ("To", reply.to),
        ("Subject", reply.subject),
        ("About", " ".join((reply.kind, reply.game, reply.side))),
        ("Answers", " ".join(one for one in (reply.in_reply_to, *reply.references) if one)),
        ("Until", msgspec.json.encode(reply.until).decode() if reply.until else ""),
        *(("File", f"{name} {mime}, begins {data[:60].decode()!r}") for name, mime, data in reply.attachments),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields if value) + f"\n{text}\n"


def _short(text: str, sitreps: Iterator[Path]) -> Iterator[str]:
    """A text without sitreps and the later lines of forms."""
    for file in sitreps:
        text = text.replace(
            file.read_text(encoding="utf-8").strip(), f"[{file.parent.parent.name} of {file.parent.name}]"
        )
    for block in re.split(r"((?:^\|.*\n)+)", text, flags=re.MULTILINE):
        lines = block.splitlines(keepends=True)
        if len(lines) > 40 and lines[0].startswith("|"):
            lines = [*lines[:DRAFT_SHOWN], "| ...\n"]
        yield from lines


def outcome(answered: Answered, folder: Path) -> str:
    said = [f"=> {answered.done}" + " aside" * answered.aside + f" {answered.why}".rstrip()]
    if answered.lost:
        said.append(f"lost: {', '.join(answered.lost)}")
    return "\n".join([*said, "", *(told(reply, folder) for reply in answered.replies)])


def letter(side: str, subject: str, text: str, number: int, *, token: str) -> bytes:
    head = f"From: {ADDRESSES[side]}\nTo: orders@host.example\nSubject: {subject}{token and f' TOKEN {token}'}\n"
    head += f"Message-ID: <{number}@x>\nIn-Reply-To: <sitrep@x>\nReferences: <first@x> <sitrep@x>\n"
    return f"{head}Content-Type: text/plain; charset=utf-8\n\n{text}".encode()


LOST = """From: MAILER-DAEMON@mx.example
To: orders@host.example
Message-ID: <lost@mx>
Date: Mon, 1 Mar 2027 12:00:00 +0000
Subject: Undelivered TOKEN aaaaaaaaaaaaaa
X-Failed-Recipients: bob@example.org, ann@example.org, umpire@host.example, eve@example.org

No such user.
"""
STRANGE = "From: {}\nTo: {}\nSubject: Re: duel TOKEN {}\nMessage-ID: <s@x>\nDate: today\n\nSTATUS\n"
OTHERS = (
    LOST,
    LOST.replace("bob@example.org, ann@example.org", "joe@example.org"),
    LOST.replace("MAILER-DAEMON@mx.example", "umpire@host.example"),
    STRANGE.format("eve@example.org", "orders@host.example", "bbbbbbbbbbbbbb"),
    STRANGE.format("bob@example.org", "orders@host.example", "aaaaaaaaaaaaaa"),
    STRANGE.format("ann@example.org", "orders@host.example", ""),
    STRANGE.format("ann@example.org, bob@example.org", "orders@host.example", "aaaaaaaaaaaaaa"),
    STRANGE.format("eve@example.org", "orders@host.example", ""),
    STRANGE.format("Umpire@host.example", "orders@host.example", ""),
    STRANGE.format("ann@example.org", "orders@host.example", "aaaaaaaaaaaaaa").replace("To:", "Precedence: bulk\nTo:"),
    STRANGE.format("ann@example.org", "orders@host.example", "aaaaaaaaaaaaaa").replace("To:", "X-PBEM-Key: x\nTo:"),
)
"""Letters of machines and strangers."""


def to_the_umpire(games: Games) -> Iterator[str]:
    """What comes of them."""
    home = str(games.post.absolute().parents[1])
    for text in OTHERS:
        yield "======== of others\n"
        yield "".join(f"< {line}\n" for line in text.splitlines())
        found = outcome(attend(read_letter(text.encode()), games, due=due), games.seats[0].folder)
        yield re.sub(r"[0-9a-f]{24}", "[digest]", found.replace(home, "[home]"))


def correspondence(games: Games, letters: Sequence[tuple[str, ...]] = LETTERS) -> Iterator[str]:
    folder = games.seats[0].folder
    for number, (side, *written) in enumerate(letters):
        if side == "play":
            with opened(folder) as game:
                resolve(game)
            yield "======== PLAY GOES ON\n"
            continue
        subject, text = written
        token = next(seat.token for seat in games.seats if seat.side == side)
        yield f"======== {side}: {subject}\n"
        yield "".join(f"< {line}\n" for line in text.splitlines()[:3])
        raw = letter(side, subject, text, number, token=token)
        answered = attend(read_letter(raw), games, due=due)
        yield outcome(answered, folder)


def test_every_answer_is_as_it_was(duel: Path, tmp_path: Path, as_kept: Callable[[str, str], None]) -> None:
    games = games_in(duel, umpire="The Umpire <umpire@host.example>", orders="orders@host.example")
    tags = msgspec.structs.replace(games, tags=True)
    kept = shutil.copytree(duel, tmp_path / "tags")
    mine = [seat for seat in games.seats if seat.side == "federation"]
    first = (("federation", "HELP", ""), ("federation", "DRAFT", ""), ("federation", "orders", FAULTY))
    seats = tuple(msgspec.structs.replace(seat, folder=kept) for seat in mine)
    others = correspondence(msgspec.structs.replace(tags, seats=seats), first)
    found = "\n".join((*to_the_umpire(games), "======== EACH HAS HIS OWN ADDRESS\n", *others, *correspondence(games)))
    as_kept("correspondence.txt", found)
