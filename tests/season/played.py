"""A season of a club as its volunteer would see it: games of all scenarios, people as they are, real SMTP and IMAP.

    python -m tests.season.played --games 25 --weeks 11 --imap FOLDER

Everybody knows only what his mail tells him, and answers when he has time; some are late, one quits, one moves, one
is ill, two share a mailbox. Mail breaks, the machine is off for a week, yesterday comes back out of a backup, the club
moves to another folder. What must hold is in :class:`Found`; nothing here is looked at while it is played.
"""

from __future__ import annotations

import argparse
import email.utils
import hashlib
import random
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from pathlib import Path
from typing import Any, NamedTuple

from pbem.club.actors import Actor, Asking, Which, orders_for
from pbem.desk.create import new
from pbem.desk.opened import opened
from pbem.desk.players import players
from pbem.desk.verify import verify
from pbem.faults import GameError
from pbem.post import calls, replacing, timetable
from pbem.post.backup import backup, restore
from pbem.post.host import Round
from pbem.soak.games import deal, key_for, playable
from tests.post import world as mail

STEP = timedelta(hours=6)
WITHIN = timedelta(days=2)
"""What the settings of :mod:`tests.post.world` give a player."""


class Sent(NamedTuple):
    """A letter that somebody sent: to which request it answers, if to one."""

    identity: str
    at: datetime
    about: Which | None
    in_time: bool


class Person(Actor):
    """Somebody with a mailbox: how long he takes (hours at least and at most), and whether he is there at all."""

    def __init__(self, season: Season, name: str, hours: tuple[int, int]) -> None:
        super().__init__(name, f"{name}@club.example")
        self.season, self.hours = season, hours
        self.sent: list[Sent] = []

    def takes(self, asking: Asking) -> datetime:
        return asking.came + timedelta(hours=self.season.rng.randint(*self.hours))

    def fetch(self) -> None:
        world = self.season.world
        if not self.gone and any((world.boxes[self.address] / "new").iterdir()):
            self.read(world.fetch(self.address), world.now)

    def answer(self) -> None:
        for asking, when in self.due(self.season.world.now):
            orders = orders_for(self.season.host / "games" / asking.game, asking)
            client = self.season.rng.choice(mail.CLIENTS)
            player: Any = self
            letter = client(player, mail.Asked(asking.mail, asking.turn, asking.number, asking.draft), orders)
            self.post(letter, asking.which, in_time=when - asking.came <= WITHIN)

    def letter(self, asked: mail.Asked) -> EmailMessage:
        return self.blank(f"Re: {asked.mail['Subject']}", asked.mail)

    def blank(self, subject: str, before: EmailMessage | None = None) -> EmailMessage:
        message = EmailMessage(policy=SMTP)
        message["From"] = self.address
        message["To"] = str(before["Reply-To"] or before["From"]) if before is not None else mail.HOST
        message["Subject"] = subject
        message["Date"] = email.utils.format_datetime(self.season.world.now)
        message["Message-ID"] = f"<{len(self.sent)}.{self.address}>"
        if before is not None:
            message["In-Reply-To"] = str(before["Message-ID"])
        return message

    def say(self, subject: str, text: str = "") -> None:
        """A letter that answers nothing."""
        letter = self.blank(subject)
        letter.set_content(text or f"{subject}\n")
        self.post(letter)

    def post(self, letter: EmailMessage, about: Which | None = None, *, in_time: bool = True) -> None:
        self.sent.append(Sent(str(letter["Message-ID"]), self.season.world.now, about, in_time))
        self.season.world.send(self.address, bytes(letter))


class Found:
    """What came of a season. Lists hold what ought not to have happened, in words."""

    def __init__(self) -> None:
        self.letters = self.mails = self.turns = self.games_over = 0
        self.lost: list[str] = []
        self.of_lost_games: list[str] = []
        self.twice: list[str] = []
        self.held_though_punctual: list[str] = []
        self.past: list[str] = []
        self.differs: list[str] = []
        self.to_umpire: Counter[str] = Counter()
        self.by_hand: list[str] = []
        self.megabytes = 0.0

    def text(self) -> str:
        rows = [f"{self.letters} letters in, {self.mails} mails out, {self.turns} turns, {self.games_over} games over"]
        rows += [f"the club's folder: {self.megabytes:.0f} MB", "to the umpire:"]
        rows += [f"  {count:4} {what}" for what, count in self.to_umpire.most_common()]
        rows += ["by his hand:", *(f"  {what}" for what in self.by_hand)]
        for what in ("lost", "of_lost_games", "twice", "held_though_punctual", "past", "differs"):
            found = getattr(self, what)
            rows += [f"{what}: {len(found)}", *(f"  {one}" for one in found[:20])]
        return "\n".join(rows)


_DEADLINE = re.compile(r"[Tt]he deadline is \w+ (\d+ \w+ \d+, \d+:\d+)")


class Season:
    """A club of ``games`` games that is hosted for ``weeks`` weeks."""

    def __init__(self, folder: Path, *, games: int, weeks: int, people: int, imap: bool, seed: int = 1) -> None:
        self.folder, self.weeks, self.rng = folder, weeks, random.Random(seed)
        self.people = [Person(self, f"p{n:02}", self._habits(n)) for n in range(1, people + 1)]
        boxes = [mail.HOST, mail.UMPIRE, "spam@elsewhere.example", *(one.address for one in self.people)]
        self.world = mail.World(folder / "boxes", boxes, imap=imap)
        self.world.now = self.world.now.replace(year=2020)  # mail servers date letters by this machine's clock
        self.games, self.made, self.found = games, 0, Found()
        self.answers: set[str] = set()
        self.came: dict[str, list[str]] = {}
        self.troubles: list[str] = []
        self.copies: Counter[tuple[str, str]] = Counter()

    def _habits(self, number: int) -> tuple[int, int]:
        """Most answer within a day and a half; every fifth needs up to three days."""
        return (6, 72) if number % 5 == 0 else (1, 36)

    # --- the club ---

    def play(self) -> Found:
        with self.world:
            self.club = mail.Club(self.world, self.folder / "club", late="hold")
            steps = self.weeks * 7 * 4
            planned = self._planned(steps)
            for number in range(steps):
                for act in planned.get(number, ()):
                    act()
                if number % 28 == 0 and number < 0.8 * steps:
                    self._begin()
                self._round()
                self.world.machines()
                self._count()
                for one in self.people:
                    one.fetch()
                for one in self.people:
                    one.answer()
                self.world.now += STEP
            for _ in range(4):  # whoever wrote last is answered
                self._round()
                self._count()
                self.world.now += STEP
        self._judge()
        return self.found

    def _begin(self) -> None:
        """So many games as there ought to be going on; a new one where one is over."""
        scenarios = playable()
        going = sum(not self._is_over(path) for path in (self.host / "games").iterdir())
        for number in range(self.made, self.made + self.games - going):
            dealt = deal(key_for(scenarios[number % len(scenarios)], 7, number))
            there = [one.address for one in self.people if not one.gone]
            seats = {side: there[(3 * number + place) % len(there)] for place, side in enumerate(dealt.players)}
            new(dealt.shipped, self.host / "games" / f"g{number + 1:02}", players=seats, seed=f"season {number}")
            self.made += 1

    @staticmethod
    def _is_over(path: Path) -> bool:
        with opened(path) as game:
            return game.state().over

    @property
    def host(self) -> Path:
        return self.club.folder

    def game(self, number: int) -> Path:
        return self.host / "games" / f"g{number:02}"

    def _round(self) -> None:
        if self.off:
            return
        try:
            done: Round = self.club.round(self.folder / "account", restored=self.restored)
        except (GameError, OSError) as error:
            self.troubles.append(str(error))
            return
        self.restored = False
        self.troubles += [str(one) for one in done.troubles]

    off = False
    restored = False
    """Whether the umpire has said that the folder he put back is the one to go on with."""

    # --- what happens ---

    def _planned(self, steps: int) -> dict[int, list[Callable[[], object]]]:
        """The events of the season, spread over it."""
        people, planned = self.people, dict[int, list[Callable[[], object]]]()

        def at(part: float, act: Callable[[], object]) -> None:
            planned.setdefault(int(part * steps), []).append(act)

        def by_hand(what: str, act: Callable[[], object]) -> Callable[[], object]:
            def done() -> None:
                self.found.by_hand.append(what)
                act()

            return done

        def now() -> datetime:
            return self.world.now

        at(0.03, lambda: people[2].say("a question", "GAME g01\nSHIP Nobody\nFIRE ALL AT Everybody\nEND\n"))
        at(0.05, lambda: people[6].say(f"AWAY {now():%Y-%m-%d} to {now() + timedelta(days=4):%Y-%m-%d}"))
        at(0.08, lambda: people[7].say("EXTEND 1 day"))
        at(0.10, lambda: self.world.full.add(people[3].address))
        at(0.12, lambda: self.world.full.discard(people[3].address))
        at(0.15, self._autoresponders)
        at(0.18, self._spam)
        at(0.20, by_hand("pause a game", lambda: timetable.pause(self.game(2), now(), "the umpire thinks")))
        at(0.23, by_hand("resume it", lambda: timetable.resume(self.game(2), now())))
        at(0.26, by_hand("more time for all", lambda: calls.extend(self.host, "1 day", now(), "a fair", every=True)))
        at(0.30, lambda: setattr(people[8], "gone", True))
        at(
            0.36,
            by_hand("a substitute for who quit", lambda: self._replace(people[8], people[9])),
        )
        at(0.40, lambda: setattr(self, "off", True))
        at(0.49, lambda: setattr(self, "off", False))
        at(0.58, lambda: self.world.refused.add(mail.HOST))
        at(0.62, lambda: self.world.refused.clear())
        at(0.72, by_hand("a backup", self._backup))
        at(0.72 + 4 / steps, by_hand("restored, a day later", self._restore))
        at(0.80, by_hand("moved to another folder", self._move))
        at(0.86, lambda: people[1].say("STATUS"))
        return planned

    def _autoresponders(self) -> None:
        def away(one: mail.Passed) -> bytes:
            letter = EmailMessage(policy=SMTP)
            letter["From"], letter["To"] = one.to, one.sender
            letter["Subject"], letter["Message-ID"] = "Out of office", f"<{hashlib.sha256(one.raw).hexdigest()[:20]}@x>"
            letter["Auto-Submitted"] = "auto-replied"
            letter.set_content("I am on a ship.\n")
            return bytes(letter)

        self.world.answering[self.people[10].address] = away

    def _spam(self) -> None:
        for number in range(3):
            letter = EmailMessage(policy=SMTP)
            letter["From"], letter["To"], letter["Subject"] = "spam@elsewhere.example", mail.HOST, "You won"
            letter["Message-ID"] = f"<{number}@elsewhere.example>"
            letter.set_content("Click here.\n")
            self.world.send("spam@elsewhere.example", bytes(letter))

    def _replace(self, before: Person, after: Person) -> None:
        for path in sorted((self.host / "games").iterdir()):
            with opened(path, lock="test") as game:
                if game.state().over:
                    continue
                for side, player in players(path, game.terms).items():
                    if before.address in player:
                        replacing.replace(game, side, after.address, self.world.now)

    def _backup(self) -> None:
        backup(self.host, self.folder / "club.tar.gz")

    def _restore(self) -> None:
        restore(self.folder / "club.tar.gz", self.host, self.world.now)
        self._round()  # which does nothing, and says why
        self.restored = True

    def _move(self) -> None:
        there = self.folder / "elsewhere"
        shutil.copytree(self.host, there)
        self.club.folder = there

    # --- what came of it ---

    def _count(self) -> None:
        """Look at what the server passed on since, and forget it."""
        passed, self.world.passed = self.world.passed, []
        for one in passed:
            to = mail.bare(one.to)
            if to == mail.HOST:
                self.found.letters += 1
                continue
            if mail.bare(one.sender) != mail.HOST:
                continue
            self.found.mails += 1
            message = message_from_bytes(one.raw, policy=default)
            assert isinstance(message, EmailMessage)
            self.answers.update(str(message[header] or "") for header in ("In-Reply-To",))
            self.answers.update(str(message["References"] or "").split())
            which = f"{to} {message['Message-ID']}"
            self.came.setdefault(which, []).append(f"{self.world.now} {message['Subject']}")
            if to == mail.UMPIRE:
                self.found.to_umpire[re.sub(r"\b(g\d\d|p\d\d\S*|\d[\d.:]*)", "…", str(message["Subject"]))] += 1
            body = message.get_body(("plain",))
            words = str(body.get_content()) if body is not None else ""
            self.copies[to, hashlib.sha256(f"{message['Subject']}\n{words}".encode()).hexdigest()] += 1
            for due in _DEADLINE.findall(" ".join(words.split())):
                if datetime.strptime(due, "%d %b %Y, %H:%M").replace(tzinfo=self.world.now.tzinfo) <= self.world.now:
                    self.found.past.append(f"{to}: {message['Subject']} names {due} at {self.world.now}")

    def _judge(self) -> None:
        found = self.found
        for person in self.people:
            for one in person.sent:
                if one.identity not in self.answers and one.about:
                    # A game that was begun after the backup went with the restore: letters to it are put aside, and
                    # the umpire is told of each.
                    there = (self.host / "games" / one.about[0]).is_dir()
                    (found.lost if there else found.of_lost_games).append(f"{one.identity} of {one.at}")
        found.twice += [f"{key}: {', '.join(came)}" for key, came in self.came.items() if len(came) > 1]
        punctual = {one.about: one for person in self.people for one in person.sent if one.about and one.in_time}
        for path in sorted((self.host / "games").iterdir()):
            with opened(path) as game:
                found.turns += game.state().turn
                found.games_over += game.state().over
                found.differs += [f"{path.name}: {fault.text}" for fault in verify(game).faults]
            for file in path.glob("*/orders/*.orders"):
                side, _, number = file.stem.rpartition(".r")
                which = (path.name, int(file.parent.parent.name), side, int(number))
                if "Filed by the host" in file.read_text(encoding="utf-8") and which in punctual:
                    found.held_though_punctual.append(f"{which}: answered {punctual[which].at}")
        size = sum(file.stat().st_size for file in self.host.rglob("*") if file.is_file())
        found.megabytes = size / 1e6


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=25)
    parser.add_argument("--weeks", type=int, default=11)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--imap", action="store_true", help="fetch mail by IMAP, not from the folder it lies in")
    given = parser.parse_args(arguments)
    season = Season(
        given.folder, games=given.games, weeks=given.weeks, people=given.people, imap=given.imap, seed=given.seed
    )
    print(season.play().text())
    for trouble, count in Counter(season.troubles).most_common(20):
        print(f"trouble {count}: {trouble[:300]}")


if __name__ == "__main__":
    main(sys.argv[1:])
