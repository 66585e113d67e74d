"""Each email command in a round that is killed at any file operation and at any statement of the database.

The next rounds must do what was left, so that nothing is lost and nothing is done or answered twice: games, database
and emails are compared with those of a round that nothing cut off.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pbem.games.storage.opening import opened
from pbem.mail.commands import EMAIL_COMMANDS
from pbem.mail.commands.seats import offer
from pbem.mail.seats import ALPHABET, LENGTH
from tests.cuts import ALL, cut_at, operations, places

if TYPE_CHECKING:
    from tests.mail.hosted import START, Hosted, answer
else:
    from post_hosted import START, Hosted, answer

ORDERS = "the orders of the shipped game"
CODE = "the code that came to the new address"
CASES: dict[str, tuple[str, ...]] = {
    "STATUS": ("STATUS",),
    "DRAFT": ("DRAFT",),
    "PREVIEW": (f"PREVIEW\n\n{ORDERS}",),
    "WITHDRAW": (ORDERS, "WITHDRAW"),
    "WAIT": ("WAIT",),
    "WAIT OFF": ("WAIT", "WAIT OFF"),
    "WAIT with orders": (f"WAIT\n\n{ORDERS}",),
    "RESEND": ("RESEND",),
    "AWAY": ("AWAY tomorrow",),
    "AWAY OFF": ("AWAY tomorrow", "AWAY OFF"),
    "EXTEND": ("EXTEND 1 day",),
    "ADDRESS": ("ADDRESS new@example.org",),
    "ADDRESS CODE": ("ADDRESS new@example.org", CODE),
    "DRAW": ("DRAW",),
    "DRAW OFF": ("DRAW", "DRAW OFF"),
    "RESIGN": ("RESIGN duel01 YES",),
    "TAKE": ("TAKE other klingon",),
    "WATCH": ("WATCH other",),
    "UNWATCH": ("WATCH other", "UNWATCH other"),
    "STANDINGS": ("STANDINGS",),
    "HELP": ("HELP",),
    "a message": ("MESSAGE TO klingon\nGood luck!\nEND MESSAGE\n\nSTATUS",),
}
"""The emails of a player for each command; a round takes each in, and the round with the last one is cut."""
SPREAD = 3
"""How many cuts of a command are made unless PBEM_CUTS asks for all."""
VARIES = re.compile(r"(?m)^Date: .*$|\s+The\s+same\s+orders\s+were\s+already\s+on\s+file\.")
"""What may be different: the time, and that a receipt says that the orders were filed before the kill."""
TOKEN = re.compile(rf"[{ALPHABET}]{{{LENGTH}}}")


def test_each_command_is_cut() -> None:
    assert {one.word for one in EMAIL_COMMANDS} <= {name.split()[0] for name in CASES}


class World(NamedTuple):
    """A club in front of the round with an email, and what is there after rounds that nothing cut off."""

    start: Path
    done: tuple[str, ...]
    whole: dict[str, object]


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A club in which second orders are wanted in one game, and a side of another, public game is vacant."""
    hosted = Hosted(tmp_path_factory.mktemp("cut") / "club")
    other = hosted.folder / "games" / "other"
    shutil.copytree(hosted.game, other)
    terms = other / "game.toml"
    text = terms.read_text("utf-8").replace('name = "duel01"', 'name = "other"')
    terms.write_text(text.replace("ann@", "pat@").replace("kor@", "tal@"), "utf-8")
    (other / "site.toml").write_text("format = 1\npublic = true\n", "utf-8")
    with opened(other, lock="test") as game:
        offer(game, "klingon")
    hosted.round()
    answer(hosted, "federation", "klingon")
    hosted.round()
    return hosted.folder


def copied(folder: Path, target: Path) -> Hosted:
    shutil.copytree(folder, target)
    hosted = Hosted.__new__(Hosted)
    hosted.__init__(target / "none")  # type: ignore[misc]
    shutil.rmtree(target / "none")
    hosted.folder, hosted.game, hosted.now = target, target / "games" / "duel01", START + timedelta(minutes=1)
    hosted.posted = len([*(target / "Maildir").glob("*/*")]) + 10
    return hosted


def post(hosted: Hosted, text: str) -> None:
    """Put an email of the player of federation into the inbox."""
    if text == CODE:
        (code,) = (found for to, mail in hosted.sink.mails if to == "new@example.org" for found in codes(mail))
        text = f"ADDRESS CODE {code}"
    if ORDERS in text:
        text = text.replace(ORDERS, hosted.scripted("federation"))
    hosted.post(hosted.letter("federation", text))


def codes(mail: bytes) -> list[str]:
    return re.findall(rf"ADDRESS CODE (\w{{{LENGTH}}})", mail.decode("latin-1").replace("=\r\n", ""))


@pytest.fixture(scope="module")
def worlds(club: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, World]:
    class Worlds(dict[str, World]):
        def __missing__(self, name: str) -> World:
            folder = tmp_path_factory.mktemp("world")
            hosted = copied(club, folder / "start")
            *before, last = CASES[name]
            for text in before:
                post(hosted, text)
                assert hosted.round().troubles == ()
            post(hosted, last)
            counted = copied(hosted.folder, folder / "count")
            done = operations(counted.round, under=counted.folder)
            end = next(n for n, what in enumerate(done) if re.match(r"(rename|replace) Maildir/cur", what))
            undisturbed = copied(hosted.folder, folder / "whole")
            letters = rounds(undisturbed)
            assert letters == ["orders" if "orders" in name else "command"], letters
            self[name] = World(hosted.folder, tuple(done[: end + 2]), state(undisturbed))
            return self[name]

    return Worlds()


def rounds(hosted: Hosted) -> list[str]:
    """Do three rounds at one time, and return what was done with emails."""
    return [letter for _ in range(3) for letter in hosted.round().letters]


def state(hosted: Hosted) -> dict[str, object]:
    """What must be the same whatever was cut: the games, the database, the inbox, and the emails that were sent."""
    tokens: dict[str, str] = {}

    def named(text: str) -> str:
        """Replace random tokens by numbers, in the order in which they appear."""
        return TOKEN.sub(lambda found: tokens.setdefault(found[0], f"token{len(tokens)}"), text)

    found: dict[str, object] = {}
    for path in sorted(hosted.folder.glob("games/**/*")):
        if path.is_file() and path.suffix not in (".lock", ".tmp") and path.name != "tokens.json":
            found[path.relative_to(hosted.folder).as_posix()] = named(path.read_bytes().decode("latin-1"))
    with closing(sqlite3.connect(hosted.folder / "mail" / "club.db")) as database:
        for table, columns in (
            ("facts", "name, value"), ("emails", "*"), ("answers", "*"), ("streaks", "*"), ("trials", "*"),
            ("failures", "*"), ("sent", "name, reader, subject"),
        ):  # fmt: skip
            where = "WHERE name NOT IN ('resting', 'seats', 'rounds')" if table == "facts" else ""
            rows = database.execute(f"SELECT {columns} FROM {table} {where} ORDER BY 1").fetchall()
            found[table] = named(repr(rows))
    found["inbox"] = [path.name for path in (hosted.folder / "Maildir" / "new").iterdir()]
    found["waiting"] = [path.name for path in (hosted.folder / "mail" / "outbox").glob("[ws][ae]*ing/*.eml")]
    mails = sorted((to, named(mail.decode("latin-1").replace("=\r\n", ""))) for to, mail in hosted.sink.mails)
    found["emails"] = Counter((to, " ".join(VARIES.sub("", mail).split())) for to, mail in mails)
    return found


QUICK = ("WITHDRAW", "AWAY", "TAKE")


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in CASES]
)
def test_a_command_that_is_killed_anywhere_is_done_and_answered_once(
    name: str, worlds: dict[str, World], tmp_path: Path
) -> None:
    world = worlds[name]
    for n in places(len(world.done), None if ALL else SPREAD):
        hosted = copied(world.start, tmp_path / str(n))
        with cut_at(n, under=hosted.folder) as cut:
            hosted.round()
        assert cut.fell, world.done[n]
        rounds(hosted)
        now, what = state(hosted), f"{name}, {n} of {len(world.done)}: {world.done[n]}"
        assert now.keys() == world.whole.keys(), (what, now.keys() ^ world.whole.keys())
        for key, wanted in world.whole.items():
            assert now[key] == wanted, (what, key)
        shutil.rmtree(hosted.folder)
