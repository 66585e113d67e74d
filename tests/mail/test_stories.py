"""What a host's rounds do, told whole: every round, every mail that goes out, and what is kept from one to the next."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from pbem.games.storage.opening import opened
from pbem.mail import seats as who, umpires
from pbem.mail.commands import seats
from pbem.mail.host.clocks import pause, resume
from pbem.mail.host.round import Round, host_round
from pbem.mail.store import STOP_FILE, opened as database
from pbem.mail.transport.outbox import Later, Refused, Unreachable
from pbem.mail.transport.sources import Maildir

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, Sink, words
else:
    from post_hosted import Hosted, Sink, words

KEPT = ("host/mail/*.json", "host/mail/restored.txt", "host/games/*/mail/*", "state/*.json")
"""What a host keeps of its own."""
SHOWN = 8
"""Lines of a sitrep that are shown: those above it."""


class Post(Sink):
    """A carrier that says to each reader what it is told to; ``""`` is everybody."""

    def __init__(self) -> None:
        super().__init__()
        self.against: dict[str, Exception] = {}

    def send(self, sender: str, to: str, mail: bytes) -> None:
        if error := self.against.get(to) or self.against.get(""):
            raise error
        super().send(sender, to, mail)


class Story(Hosted):
    """A host whose rounds are told one by one."""

    def __init__(self, folder: Path, *, late: str = "wait") -> None:
        super().__init__(folder / "host", late=late)
        self.home, self.state = folder, folder / "state"
        self.sink: Post = Post()
        self.told: list[str] = []
        self.files: dict[Path, str] = {}
        self.done: set[Path] = set()
        self.shown = 0

    def round(self, *, anyway: bool = False, restored: bool = False) -> Round:
        done = host_round(
            self.folder, lambda: self.now, source=Maildir(self.folder / "Maildir"), carrier=self.sink, anyway=anyway,
            state=self.state, restored=restored,
        )  # fmt: skip
        for path in set((self.folder / "Maildir" / "cur").glob("*")) - self.done:
            os.utime(path, (self.now.timestamp(), self.now.timestamp()))  # it came when the story says
            self.done.add(path)
        self.tell(done)
        return done

    def after(self, what: str = "", **gone: float) -> None:
        """Time passes, then there is a round."""
        self.now += timedelta(**gone)
        self.told.append(f"======== {self.now:%a %d %H:%M}{what and f': {what}'}\n")
        self.round()

    def answered(self, *sides: str) -> None:
        for side in sides:
            self.post(self.letter(side, self.scripted(side)))

    def tell(self, done: Round) -> None:
        said = [f"letters {', '.join(done.letters)}"] * bool(done.letters)
        for name, happened in done.games:
            said += [f"{name}: {', '.join(f'{one.what} {one.turn}.{one.request}' for one in happened) or 'nothing'}"]
        said += [f"put {done.put}", f"trouble {list(done.troubles)}", f"news {list(done.news)}"]
        said += ["stopped"] * done.stopped + ["halted"] * done.halted
        delivery = msgspec.structs.asdict(done.delivery)
        said += [f"{name} {value}" for name, value in delivery.items() if value not in ((), 0, "", None)]
        self.told.append("".join(f"{line}\n" for line in said))
        for to, raw in self.sink.mails[self.shown :]:
            mail = message_from_bytes(raw, policy=default)
            assert isinstance(mail, EmailMessage)
            text = words(mail).rstrip()
            if "`pbem host" in text:  # it holds a path, which may be of any length
                text = " ".join(text.split())
            lines = text.split("\n")
            if any(line.startswith(("GAME ", "| GAME")) for line in lines) or len(lines) > 40:
                lines = lines[:SHOWN]
            names = [part.get_filename() or "" for part in mail.iter_attachments()]
            about = f"{mail['Subject']}{''.join(f' [{name}]' for name in names)}"
            self.told.append(f"-------- to {to}: {about}\n" + "".join(f"  {line}\n" for line in lines))
        self.shown = len(self.sink.mails)
        self.told += list(self.kept())

    def kept(self) -> Iterator[str]:
        """What is new in the files."""
        found = {path: path.read_text(encoding="utf-8") for form in KEPT for path in self.home.glob(form)}
        found = {path: text for path, text in found.items() if path.name != STOP_FILE} | self.in_database()
        for path in sorted({*found, *self.files}):
            name, now, before = path.relative_to(self.home).as_posix(), found.get(path), self.files.get(path, "")
            if now is None:
                yield f"-------- {name} is gone\n"
            elif now != before:
                yield f"-------- {name}\n" + "".join(_lines(path, before, now))
        self.files = found

    def in_database(self) -> dict[Path, str]:
        """What the database of the correspondence has, as if each table and each fact were a file."""
        post = self.folder / "mail"
        with database(post) as store:
            facts = store.rows("SELECT name, value FROM facts WHERE name NOT IN ('seats', 'generation')")
            emails = [msgspec.json.encode(one).decode() for _, one in store.emails()]
            trials = {name: msgspec.to_builtins(one) for name, one in store.trials().items()}
            failures = {str(name): why for name, why in store.rows("SELECT name, why FROM failures")}
        found = {f"{name}.json": str(value) for name, value in facts}
        found |= {"emails.jsonl": "\n".join(emails)} if emails else {}
        found |= {f"{name}.json": json.dumps(one) for name, one in (("trials", trials), ("failures", failures)) if one}
        return {post / "club.db" / name: text for name, text in found.items()}

    def text(self) -> str:
        """The story, without what is another each time."""
        text = "".join(self.told).replace(str(self.home.absolute()), "[home]")
        text = re.sub(r'("(?:word|mark)": ?)"[^"]*"', r'\1"..."', text)
        text = re.sub(r'("?where"?: )"machine:[^"]*"', r'\1"machine:[home]/host"', text)  # a long one is cut
        names: dict[str, str] = {}
        return re.sub(
            r"(?<![0-9a-z])[0-9a-f]{16,64}(?![0-9a-z])", lambda m: names.setdefault(m[0], f"#{len(names)}"), text
        )


def _lines(path: Path, before: str, now: str) -> Iterator[str]:
    """The lines of a file that are new; of what is kept in one, each thing on a line of its own."""
    if path.suffix == ".json":
        value: Any = json.loads(now)
        old = json.loads(before) if before else None
        if isinstance(value, dict):
            was = old if isinstance(old, dict) else {}
            yield from (f"  {key}: {json.dumps(one)}\n" for key, one in value.items() if was.get(key) != one)
            yield from (f"  {key} is gone\n" for key in was if key not in value)
            return
        yield from (f"  {json.dumps(one)}\n" for one in value if one not in (old or []))
        return
    known = set(before.split("\n"))
    yield from (f"  {line}\n" for line in now.split("\n") if line and line not in known)


pytestmark = pytest.mark.skipif(os.name == "nt", reason="paths are written otherwise there")


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tokens, hosts and machines are called the same each time."""
    number = count(1)
    for module in (who, seats):
        monkeypatch.setattr(module, "new_token", lambda: f"token{next(number)}")
    monkeypatch.setattr(umpires, "new_key", lambda: "00" * 32)
    monkeypatch.setattr("platform.node", lambda: "machine")


Keep = Callable[..., None]


def test_a_side_that_never_answers(tmp_path: Path, as_kept: Keep) -> None:
    """It is reminded, has grace, and what was agreed is filed for it."""
    story = Story(tmp_path, late="hold")
    story.after("the first round")
    story.answered("federation")
    story.post(story.letter("klingon", "STATUS\n"))
    story.after("one side answers", hours=1)
    story.after("a reminder", hours=23)
    story.after("the deadline", days=1)
    story.after("just before the end of grace", hours=11, minutes=59)
    story.after("grace is over", minutes=1)
    story.after("the next request", hours=20)
    story.after("its reminder", hours=20)
    as_kept("stories.txt", story.text(), "late")


@pytest.mark.parametrize("late", ["wait", "robot"])
def test_all_are_late(tmp_path: Path, as_kept: Keep, late: str) -> None:
    """Nothing is done for so many, but where the umpire says so, or where play waits anyway."""
    story = Story(tmp_path, late=late)
    story.after("the first round")
    for _ in range(2):
        story.after("nobody writes", hours=25)
    for _ in range(3):
        story.after("all are late", hours=12)
    story.told.append("======== that is right\n")
    story.round(anyway=True)
    story.after("an hour later", hours=1)
    as_kept("stories.txt", story.text(), f"all-late-{late}")


def test_a_pause_another_player_and_the_end(tmp_path: Path, as_kept: Keep) -> None:
    story = Story(tmp_path, late="hold")
    story.after("the first round")
    pause(story.game, story.now, "holidays")
    story.answered("klingon")
    story.after("paused", hours=20)
    resume(story.game, story.now)
    story.after("not paused", hours=1)
    with opened(story.game, lock="test") as game:
        seats.replace(game, "klingon", "Koloth <koloth@host.example>", story.now)
    story.after("another player", minutes=5)
    end = "GAME duel01 TURN 1 SIDE klingon REPLY 1\nCONCEDE\nEND\n\nMESSAGE TO federation: farewell\nEND MESSAGE\n"
    story.post(story.letter("klingon", end, sender="koloth@host.example"))
    story.post(story.letter("federation", "WAIT\n\n" + story.scripted("federation")))
    story.after("the last orders are here, and play waits", minutes=5)
    story.post(story.letter("federation", "WAIT OFF\n"))
    story.after("the end", minutes=5)
    story.post(story.letter("klingon", "STATUS\n", sender="koloth@host.example"))
    story.after("after the end", days=1)
    as_kept("stories.txt", story.text(), "end")


def test_a_post_that_does_not_work(tmp_path: Path, as_kept: Keep) -> None:
    """No inbox, then no server: that time counts for nobody."""
    story = Story(tmp_path, late="hold")
    box = story.folder / "Maildir"
    story.after("the first round")
    box.rename(tmp_path / "away")
    story.after("no inbox", hours=1)
    story.after("still none", hours=1)
    (tmp_path / "away").rename(box)
    story.answered("federation")
    story.sink.against[""] = Unreachable("no net")
    story.after("an inbox, but no server", minutes=30)
    story.after("still no server", hours=26)
    del story.sink.against[""]
    story.after("all is well", hours=1)
    box.rename(tmp_path / "away")
    story.sink.against[""] = Unreachable("no net")
    story.after("neither", hours=50)
    del story.sink.against[""]
    story.after("a server, but no inbox", minutes=5)
    (tmp_path / "away").rename(box)
    story.after("both", minutes=5)
    story.after("the deadline as it is now", hours=1)
    as_kept("stories.txt", story.text(), "post")


def test_a_mailbox_that_is_full_or_gone(tmp_path: Path, as_kept: Keep) -> None:
    """The time of a request begins when its sitrep is taken; who cannot be reached is remembered until he writes."""
    story = Story(tmp_path, late="hold")
    story.after("the first round")
    story.answered("federation", "klingon")
    story.sink.against["kor@example.org"] = Later("452 full")
    story.after("a full mailbox", hours=1)
    story.after("still full", days=1)
    story.answered("federation")
    del story.sink.against["kor@example.org"]
    story.after("no longer full", days=1, hours=1)
    story.sink.against["kor@example.org"] = Refused("550 gone")
    story.post(story.letter("klingon", "HELP\n"))
    story.after("a dead address", hours=1)
    story.after("a reminder nobody gets", days=1)
    del story.sink.against["kor@example.org"]
    story.post(story.letter("klingon", "Hello?\n"))
    story.after("he writes", hours=1)
    as_kept("stories.txt", story.text(), "full")


def test_a_clock_gone_mad_a_broken_game_and_a_stranger(tmp_path: Path, as_kept: Keep) -> None:
    story = Story(tmp_path, late="hold")
    story.after("the first round")
    story.after("days without a round", days=3)
    story.after("the clock goes back", days=-1)
    shutil.copytree(story.game, story.folder / "games" / "zz")
    (story.folder / "games" / "zz" / "game.toml").write_text("format = 99\n", encoding="utf-8")
    story.after("a broken game", hours=1)
    story.post(story.letter("klingon", "STATUS\n", sender="eve@example.org"))
    story.after("a stranger", days=1)
    bounce = "From: MAILER-DAEMON@mx.example\nMessage-ID: <b@mx>\nX-Failed-Recipients: kor@example.org\n\nNo.\n"
    story.post(bounce.encode())
    story.after("a bounce", hours=1)
    story.post(story.letter("klingon", "STATUS\n", token="wrong"))
    story.post(story.letter("klingon", "STATUS\n"))
    story.after("a player with a token that is none, and with his own", days=1)
    as_kept("stories.txt", story.text(), "mad")


def test_a_backup_that_is_put_back(tmp_path: Path, as_kept: Keep) -> None:
    """It stops, says so once a day, reads again, and goes on."""
    story = Story(tmp_path, late="hold")
    story.after("the first round")
    kept = shutil.copytree(story.folder, tmp_path / "backup")
    story.answered("federation", "klingon")
    story.after("both answer", hours=10)
    story.answered("federation")
    story.after("one side answers", hours=10)
    box = shutil.move(story.folder / "Maildir", tmp_path / "box")
    shutil.rmtree(story.folder)
    shutil.copytree(kept, story.folder)
    shutil.rmtree(story.folder / "Maildir")
    shutil.move(box, story.folder / "Maildir")
    story.after("an old folder", hours=1)
    story.after("the same", hours=1)
    story.after("the next day", days=1)
    story.told.append("======== it is the one to go on with\n")
    story.round(restored=True)
    story.after("all is well", hours=1)
    as_kept("stories.txt", story.text(), "backup")
