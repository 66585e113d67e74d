"""Everything two players of a duel can be answered, letter by letter and word by word, as correspondence.txt has it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from pbem.data.terms import FormKind
from pbem.games.proof.beacon import Sealing
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, players
from pbem.mail import seats as tokens
from pbem.mail.commands.seats import offer
from pbem.mail.host.clocks import Clock
from pbem.mail.host.deadlines import Rule, Standing, times
from pbem.mail.incoming.message import read_letter
from pbem.mail.replies import announce
from pbem.mail.replies.announce import deadline_words
from pbem.mail.replies.answer import Answered, attend
from pbem.mail.replies.reply import Reply
from pbem.mail.seats import Games, Seat, games_in

pytestmark = pytest.mark.usefixtures("pages")

ADDRESSES = {"federation": "ann@example.org", "klingon": "bob@example.org"}
NOON = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
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
        *(("File", f"{name} {mime}" + _begins(mime, data)) for name, mime, data in reply.attachments),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields if value) + f"\n{text}\n"


def _begins(mime: str, data: bytes) -> str:
    return f", begins {data[:60].decode()!r}" if mime.startswith("text/") else ""


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
                resolve_game(game)
            yield "======== PLAY GOES ON\n"
            continue
        subject, text = written
        token = next(seat.token for seat in games.seats if seat.side == side)
        yield f"======== {side}: {subject}\n"
        yield "".join(f"< {line}\n" for line in text.splitlines()[:3])
        raw = letter(side, subject, text, number, token=token)
        answered = attend(read_letter(raw), games, due=due)
        yield outcome(answered, folder)


@pytest.fixture
def games(duel: Path) -> Games:
    return games_in(duel, umpire="The Umpire <umpire@host.example>", orders="orders@host.example")


def test_every_answer_is_as_it_was(games: Games, as_kept: Callable[[str, str], None]) -> None:
    as_kept("correspondence.txt", "\n".join(correspondence(games)))


def test_what_comes_of_letters_of_others_is_as_it_was(games: Games, as_kept: Callable[[str, str], None]) -> None:
    as_kept("strangers.txt", "\n".join(to_the_umpire(games)))


WISHES = (
    "AWAY", "AWAY 2027-07-01 to 2027-07-14", "AWAY OFF", "EXTEND 1 day", "DRAW", "DRAW OFF", "RESIGN", "RESIGN duel",
    "TAKE duel02 klingon", "WATCH", "WATCH duel02", "UNWATCH duel02", "ADDRESS new@example.org", "STANDINGS",
)  # fmt: skip
"""What only a host can do."""


def test_what_a_game_without_a_host_answers_to_wishes_is_as_it_was(
    games: Games, as_kept: Callable[[str, str], None]
) -> None:
    as_kept("wishes-alone.txt", "\n".join(correspondence(games, [("federation", wish, "") for wish in WISHES])))


HOST = """format = 1
name = "Test"
orders = "orders@host.example"
umpire = "umpire@host.example"
[letters]
extensions = 2
extend = "3 days"
away = "14 days"
[deadlines]
within = "2 days"
"""
TO_A_CLUB: tuple[tuple[str, ...], ...] = (
    *(("federation", wish, "") for wish in WISHES),
    ("federation", "AWAY", ""),
    ("federation", "AWAY 2027-07-01 to 2027-07-05", ""),
    ("federation", "AWAY 2027-08-01 to 2027-08-02", ""),
    ("federation", "AWAY", ""),
    ("klingon", "AWAY", ""),
    ("federation", "AWAY 2027-08-02 to 2027-08-01", ""),
    ("federation", "AWAY until 2027-02-01", ""),
    ("federation", "AWAY 15 days", ""),
    ("federation", "AWAY some days", ""),
    ("federation", "AWAY OFF", ""),
    ("federation", "AWAY OFF", ""),
    ("federation", "EXTEND", ""),
    ("federation", "EXTEND 4 days", ""),
    ("federation", "EXTEND 1 hour", ""),
    ("klingon", "EXTEND 3 days", ""),
    ("federation", "TAKE", ""),
    ("federation", "TAKE duel", ""),
    ("federation", "WATCH duel", ""),
    ("federation", "WATCH ALL", ""),
    ("federation", "WATCH", ""),
    ("federation", "UNWATCH duel", ""),
    ("federation", "UNWATCH ALL", ""),
    ("federation", "UNWATCH", ""),
    ("federation", "ADDRESS", ""),
    ("federation", "ADDRESS Ann", ""),
    ("federation", "ADDRESS ann@example.org", ""),
    ("klingon", "DRAW", ""),
    ("federation", "RESIGN dual", ""),
    ("klingon", "Re: duel 1.0 SITREP", "CONCEDE\n"),
    ("federation", "orders", EAF),
    ("play",),
    ("klingon", "DRAW", ""),
    ("klingon", "RESIGN duel", ""),
    ("klingon", "EXTEND 1 day", ""),
    ("klingon", "AWAY 2 days", ""),
)


def test_what_a_club_answers_to_wishes_is_as_it_was(
    duel: Path, tmp_path: Path, as_kept: Callable[[str, str], None]
) -> None:
    club = tmp_path / "club"
    (club / "games").mkdir(parents=True)
    (club / "host.toml").write_text(HOST, encoding="utf-8")
    duel.rename(club / "games" / "duel")
    found = games_in(club, umpire="umpire@host.example", orders="orders@host.example")
    hosted = msgspec.structs.replace(found, club=club, now=NOON)
    text = "\n".join(correspondence(hosted, TO_A_CLUB))
    as_kept("wishes.txt", re.sub(r"(?<=CODE )\w+", "[code]", text.replace(str(tmp_path), "[home]")))


def test_who_plays_in_a_game_takes_over_no_other_side_of_it(duel: Path, tmp_path: Path) -> None:
    club = tmp_path / "club"
    (club / "games").mkdir(parents=True)
    (club / "host.toml").write_text(HOST, encoding="utf-8")
    folder = duel.rename(club / "games" / "duel")
    with opened(folder) as game:
        offer(game, "klingon")
    found = msgspec.structs.replace(games_in(club, umpire="u@x.example", orders="o@x.example"), club=club, now=NOON)
    asked = [("federation", "TAKE", ""), ("federation", "TAKE duel klingon", ""), ("federation", "TAKE duel", "")]
    answers = " ".join("".join(correspondence(found, asked)).split())
    assert answers.count("You play in it. Nothing was changed.") == 2
    assert "TAKE GAME SIDE takes over a side that is open. Open are: duel klingon." in answers
    with opened(folder) as game:
        assert players(folder, game.terms)["klingon"] == "bob@example.org"


def test_answers_to_who_has_his_own_address_are_as_they_were(games: Games, as_kept: Callable[[str, str], None]) -> None:
    mine = tuple(seat for seat in games.seats if seat.side == "federation")
    first = (("federation", "HELP", ""), ("federation", "DRAFT", ""), ("federation", "orders", FAULTY))
    tags = msgspec.structs.replace(games, tags=True, seats=mine)
    as_kept("tagged.txt", "\n".join(correspondence(tags, first)))


# --- what the host says unasked --------------------------------------------------------------------------------------

RULES = (
    Rule(),
    Rule(within="2 days", at="18:00", days=("mon", "thu"), grace="0 hours", late="hold", zone="Europe/Berlin"),
    Rule(within="1 week", at="06:00", late="last orders"),
    Rule(days=("sun",), late="robot"),
)


def announced(games: Games) -> Iterator[Reply]:
    """Every kind of letter, for one or both players."""
    ann, bob = games.seats
    again = msgspec.structs.replace(ann, tenure=2)
    with opened(ann.folder) as game:
        request = game.state().request
        assert request is not None
        report = announce.published(game)[-1]
        for number, seat in enumerate((ann, bob, again)):
            asking = (1, number, 0)
            to = announce.Thread(games, seat, "<root@x>", game.terms.dice.commitment)
            yield announce.reminder(game, to, due(seat, "owes"), number=number, asking=asking)
            other = announce.Thread(games, seat, "<root@x>", "c")
            yield announce.filed_for(other, request, KLINGON, asking=asking)
            yield announce.put_back(to, "Mon 1 Mar 2027", number)
        sop = msgspec.structs.replace(request, form=FormKind.SOP, impulse=5, number=3)
        yield announce.filed_for(announce.Thread(games, ann, "", "c"), sop, "GAME x\n\nEND\n\n", asking=(1, 3, 2))
        tenure = Tenure(side="klingon", before="bob@example.org", player="joe@example.org", at=NOON, turn=3)
        to = announce.Thread(games, ann, "<root@x>", game.terms.dice.commitment)
        for words in ("", due(ann, "not asked")):
            yield announce.player_changed(game, to, tenure, 1, words)
        yield announce.player_thanked(game, tenure, "bob@example.org", 1)
        seals = {"klingon": "ab" * 32, "federation": "cd" * 32}
        sealing = Sealing(turn=1, request=2, segment=3, round=77_000_000, seals=seals)
        yield announce.orders_sealed(announce.Thread(games, bob, "<root@x>", "c"), sealing)
        for rule in RULES:
            above = announce.above_sitrep(game, ann, "The deadline is near.", Clock())
            yield announce.first_mail(game, games, ann, report, rule, above)
        yield announce.sitrep(game, games, bob, report, announce.Above(notes=("A note.", "Two.")), "<root@x>")


def test_everything_the_host_says_unasked_is_as_it_was(duel: Path, as_kept: Callable[[str, str], None]) -> None:
    games = games_in(duel, umpire="umpire@host.example", orders="orders@host.example")
    tags = msgspec.structs.replace(games, tags=True)
    found = []
    for title, those in (("", games), ("EACH HAS HIS OWN ADDRESS", tags), ("NO ADDRESS", games_in(duel))):
        for number, reply in enumerate(announced(those)):
            if title and number not in (0, 1, 13, 14):
                continue
            # A key is what names a letter: the same for the same letter, another for any other.
            key = re.sub(r"[0-9a-f]{64}|<[^>]*>", "[...]", reply.key)
            html = re.sub(r"\s+", " ", reply.html.partition("A note")[0][-300:]) if "A note" in reply.html else ""
            found.append(f"======== {title}\nKey: {key}\n{told(reply, duel)}{html}")
    as_kept("announced.txt", "\n".join(found))


def test_deadlines_as_they_are_told(as_kept: Callable[[str, str], None]) -> None:
    found = []
    for rule in RULES:
        when = times(rule, NOON)
        for now in (NOON, when.due - timedelta(seconds=1), when.due, when.final + timedelta(days=1)):
            for standing in get_args(Standing):
                found.append(f"{now:%d %H:%M} {standing}: {deadline_words(when, rule, now, standing)}")
    as_kept("deadlines.txt", "\n".join(found) + "\n")
