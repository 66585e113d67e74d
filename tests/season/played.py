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
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pbem.club.rehearsal import Actor, Asking, Which, orders_for
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.lab.random_games.play import deal, key_for, playable
from pbem.mail.host.clocks import Up
from pbem.mail.host.round import Round
from tests.mail import world as mail
from tests.season.events import DOMAIN, MORE_BOXES, OTHER, PLAYERS, SHARED, WORK, Events

STEP = timedelta(hours=6)
WITHIN = timedelta(days=2)
"""What the settings of :mod:`tests.mail.world` give a player."""
BEGINS = datetime(2020, 10, 19, 12, 0, tzinfo=UTC)
"""Eleven weeks from here hold the end of summer time, Christmas and New Year's Day."""
PARTS = 23
"""How many people the events name, p01 to p23: with fewer, mail would go to somebody who has no mailbox."""
ZONE = "Europe/Berlin"
CLUB = 'keep = "60 days"\n'
"""As a new club has it, beside what :mod:`tests.mail.world` writes."""
DEADLINES = f'zone = "{ZONE}"\nholidays = ["2020-12-25 to 2020-12-26"]\n'


class Sent(NamedTuple):
    """A letter that somebody sent: to which request it answers, if to one."""

    identity: str
    at: datetime
    about: Which | None
    in_time: bool


class Person(Actor):
    """Somebody with a mailbox: how long he takes (hours at least and at most), and whether he is there at all.

    He plays in the club of the season, or in the ``other`` one that is a guest of its servers.
    """

    def __init__(
        self, season: Season, name: str, hours: tuple[int, int], *, address: str = "", other: mail.Club | None = None
    ) -> None:
        shared = next(iter(SHARED)) if name in SHARED else name
        super().__init__(name, address or f"{shared}@{DOMAIN}")
        self.season, self.hours, self.other = season, hours, other
        self.called = SHARED.get(name, "")
        self.boxes = [self.address]
        self.sent: list[Sent] = []
        self.about: dict[str, EmailMessage] = {}
        """The last mail he got about each game."""
        self.last: EmailMessage | None = None
        self.deaf = False
        """Whether his mail comes back to who sent it."""
        self.writes_once = ""
        """An address from which he writes his next letter."""

    @property
    def player(self) -> str:
        """As games name him: by his key in players.toml, or by his address."""
        return self.name if self.name in (*SHARED, "p14") else self.address

    def takes(self, asking: Asking) -> datetime:
        return asking.came + timedelta(hours=self.season.rng.randint(*self.hours))

    def gets(self, mails: list[EmailMessage]) -> None:
        """His mails out of a mailbox that others may have, too."""
        here = mail.HOST if self.other is None else OTHER
        mine = [one for one in mails if str(one["From"]).endswith(f"{here}>") or str(one["From"]) == here]
        mine = [one for one in mine if not self.called or self.called in str(one["To"])]
        if self.deaf:
            return
        for one in mine:
            self.last = one
            if game := re.match(r"(?:pbem )?(g\d\d)\b", str(one["Subject"])):
                self.about[game[1]] = one
            if code := re.search(r"^ +(ADDRESS CODE \w+)$", mail.words(one), re.MULTILINE):
                self.season.events.moves(self.address, self.boxes[-1])
                self.address = self.boxes[-1]
                self.say(code[1], mails=one)
        self.read(mine, self.season.world.now)

    def answer(self) -> None:
        games = (self.season.host if self.other is None else self.other.folder) / "games"
        for asking, when in self.due(self.season.world.now):
            orders = orders_for(games / asking.game, asking)
            client = self.season.rng.choice(mail.CLIENTS)
            player: Any = self
            letter = client(player, mail.Asked(asking.mail, asking.turn, asking.number, asking.draft), orders)
            if sender := self._elsewhere(asking):
                del letter["From"]
                letter["From"] = sender
            self.post(letter, asking.which, in_time=when - asking.came <= WITHIN)

    def _elsewhere(self, asking: Asking) -> str:
        """From where he writes this time, if not from home."""
        if self.writes_once:
            sender, self.writes_once = self.writes_once, ""
            return sender
        now_and_then = len(self.sent) % 2
        if self.name == "p14" and now_and_then:
            return WORK
        return f"p21@{DOMAIN}" if self.name == "p20" and asking.game == "g07" and now_and_then else ""

    def letter(self, asked: mail.Asked) -> EmailMessage:
        return self.blank(f"Re: {asked.mail['Subject']}", asked.mail)

    def blank(self, subject: str, before: EmailMessage | None = None) -> EmailMessage:
        message = EmailMessage(policy=SMTP)
        message["From"] = self.address
        message["To"] = str(before["Reply-To"] or before["From"]) if before is not None else mail.HOST
        message["Subject"] = subject
        message["Date"] = email.utils.format_datetime(self.season.world.now)
        message["Message-ID"] = f"<{len(self.sent)}.{self.name}@{DOMAIN}>"
        if before is not None:
            message["In-Reply-To"] = str(before["Message-ID"])
        return message

    def say(self, text: str, game: str = "", mails: EmailMessage | None = None) -> None:
        """A letter that is no orders: an answer to a mail he has, as that bears his token."""
        before = mails or (self.about[game] if game else self.last)
        assert before is not None, f"{self.name} has no mail to answer"
        letter = self.blank(f"Re: {before['Subject']}", before)
        letter.set_content(f"{text}\n")
        self.post(letter, ("", 0, text, 0))

    def say_wrong(self) -> None:
        """Orders nobody could carry out."""
        game, before = next(iter(self.about.items()))
        letter = self.blank(f"Re: {before['Subject']}", before)
        letter.set_content(f"GAME {game}\nSHIP Nobody\nFIRE ALL AT Everybody\nEND\n")
        self.post(letter, ("", 0, "wrong", 0))

    def post(self, letter: EmailMessage, about: Which | None = None, *, in_time: bool = True) -> None:
        self.sent.append(Sent(str(letter["Message-ID"]), self.season.world.now, about, in_time))
        self.season.world.send(str(letter["From"]), bytes(letter), to=str(letter["To"]).rpartition("<")[2].rstrip(">"))


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
        self.told_wrongly: list[str] = []
        self.two_hosts: list[str] = []
        self.same_words: list[str] = []
        self.watched = 0
        self.to_umpire: Counter[str] = Counter()
        self.by_hand: list[str] = []
        self.megabytes = 0.0

    def line(self) -> str:
        """How far it is."""
        wrong = sum(len(getattr(self, what)) for what in MUST_BE_EMPTY)
        return (
            f"{self.letters} letters, {self.mails} mails, {sum(self.to_umpire.values())} to the umpire, {wrong} wrong"
        )

    def text(self) -> str:
        rows = [f"{self.letters} letters in, {self.mails} mails out, {self.turns} turns, {self.games_over} games over"]
        rows += [f"{self.watched} turns told to a spectator"]
        rows += [f"the club's folder: {self.megabytes:.0f} MB", "to the umpire:"]
        rows += [f"  {count:4} {what}" for what, count in self.to_umpire.most_common()]
        rows += ["by his hand:", *(f"  {what}" for what in self.by_hand)]
        for what in (*MUST_BE_EMPTY, "of_lost_games", "same_words"):
            found = getattr(self, what)
            rows += [f"{what}: {len(found)}", *(f"  {one}" for one in found[:20])]
        return "\n".join(rows)


MUST_BE_EMPTY = ("lost", "twice", "held_though_punctual", "past", "differs", "told_wrongly", "two_hosts")
_DEADLINE = re.compile(r"[Tt]he deadline is \w+ (\d+ \w+ \d+, \d+:\d+)")


class Season:
    """A club of ``games`` games that is hosted for ``weeks`` weeks."""

    def __init__(
        self,
        folder: Path,
        *,
        games: int,
        weeks: int,
        people: int,
        imap: bool,
        seed: int = 1,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.folder, self.weeks, self.rng, self.log = folder, weeks, random.Random(seed), log
        self.people = [Person(self, f"p{n:02}", self._habits(n)) for n in range(1, people + 1)]
        self.people.append(Person(self, "umpire", (1, 36), address=mail.UMPIRE))
        boxes = [mail.HOST, *MORE_BOXES, *(one.address for one in self.people)]
        self.world = mail.World(folder / "boxes", dict.fromkeys(boxes), imap=imap)
        self.world.now = BEGINS
        self.games, self.made, self.step, self.found = games, 0, 0, Found()
        self.account = folder / "account"
        self.guests: list[Person] = []
        self.rulings: list[tuple[str, str, list[str]]] = []
        self.answers: set[str] = set()
        self.came: dict[str, list[str]] = {}
        self.troubles: list[str] = []
        self.copies: dict[tuple[str, str], list[str]] = {}
        self.stack = ExitStack()
        self.events = Events(self)

    def _habits(self, number: int) -> tuple[int, int]:
        """Most answer within a day and a half; every fifth needs up to three days."""
        return (6, 72) if number % 5 == 0 else (1, 36)

    # --- the club ---

    def play(self) -> Found:
        with self.world, self.stack:
            self.club = self._club("club", mail.HOST)
            (self.host / "players.toml").write_text(PLAYERS, encoding="utf-8")
            self._other_club()
            steps, planned = self.weeks * 7 * 4, self.events.plan()
            began = time.monotonic()
            for self.step in range(steps):
                if self.step % 28 == 0 and self.step < 0.8 * steps:
                    self._begin()
                for act in planned.get(self.step, ()):
                    act()
                self.round()
                self.events.let_in()
                self.world.machines()
                self._count()
                self._people_read_and_answer()
                if self.step % 4 == 0:
                    self.world.housekeeping(mail.HOST)
                    self._date_files()
                if self.step % 7 == 6:
                    self.log(f"day {self.step / 4:.0f}, {time.monotonic() - began:.0f} s: {self.found.line()}")
                self.world.now += STEP
            for _ in range(4):  # whoever wrote last is answered
                self.round()
                self._count()
                self.world.now += STEP
        self._judge()
        return self.found

    def _club(self, name: str, orders: str, umpire: str = mail.UMPIRE) -> mail.Club:
        club = mail.Club(self.world, self.folder / name, late="hold", done="Played", orders=orders, umpire=umpire)
        file = club.folder / "host.toml"
        text = file.read_text(encoding="utf-8").replace("format = 1\n", f"format = 1\n{CLUB}", 1)
        file.write_text(text.replace("[deadlines]\n", f"[deadlines]\n{DEADLINES}", 1), encoding="utf-8")
        return club

    def _other_club(self) -> None:
        """A second club with a game of the same name, in which two play who play here, too."""
        self.other = self._club("other", OTHER, "spam@elsewhere.example")
        there = [one.address for one in self.people if one.name in ("p05", "p06")]
        new("5", self.other.folder / "games" / "g02", players=dict(zip(("federation", "klingon"), there, strict=True)))
        self.guests = [Person(self, f"guest{n}", (1, 36), address=to, other=self.other) for n, to in enumerate(there)]

    def _begin(self) -> None:
        """So many games as there ought to be going on; a new one where one is over."""
        scenarios = playable()
        going = sum(not self._is_over(path) for path in (self.host / "games").iterdir())
        for number in range(self.made, self.made + self.games - going):
            dealt = deal(key_for(scenarios[number % len(scenarios)], 7, number))
            there = [one.player for one in self.people if not one.gone and one.name != "umpire"]
            seats = {side: there[(2 * number + place) % len(there)] for place, side in enumerate(dealt.players)}
            path = self.host / "games" / f"g{number + 1:02}"
            if number == 4:  # the umpire plays, so another one decides
                seats[next(iter(seats))] = mail.UMPIRE
            if number == 6:  # a side of two players
                seats[next(iter(seats))] = f"p20@{DOMAIN}, p21@{DOMAIN}"
            new(dealt.shipped, path, players=seats, seed=f"season {number}")
            if number == 4:
                (path / "post.toml").write_text(f'format = 1\numpire = "p33@{DOMAIN}"\n', encoding="utf-8")
            if number % 2:
                (path / "site.toml").write_text("format = 1\npublic = true\n", encoding="utf-8")
            self.made += 1

    @staticmethod
    def _is_over(path: Path) -> bool:
        with opened(path) as game:
            return game.state().over

    @property
    def host(self) -> Path:
        return self.club.folder

    def round(self) -> None:
        """A round of the host, if his machine is on, and one of the other club."""
        self.other.round(self.folder / "account of the other club")
        if self.off:
            return
        now = self.world.now
        up = Up(seconds=int((now - BEGINS).total_seconds()), boot=self.boot)
        try:
            self.world.now += self.skew
            with self.disk() if self.disk is not None else nullcontext():
                done: Round = self.club.round(self.account, restored=self.restored, up=up)
        except (GameError, OSError) as error:
            self.troubles.append(str(error))
            return
        finally:
            self.world.now = now
        self.restored = False
        self.troubles += [str(one) for one in done.troubles]

    def _date_files(self) -> None:
        """What the host wrote is as old as it would be: by that he knows what he may pack and make slim."""
        now = self.world.now.timestamp()
        written = (*self.host.glob("mail/outbox/sent/*"), *self.host.glob("games/*/[0-9]*/**/*"))
        for file in written:
            if file.stat().st_mtime > now:
                os.utime(file, (now, now))

    def _people_read_and_answer(self) -> None:
        everybody = (*self.people, *self.guests)
        for box in dict.fromkeys(box for one in everybody if not one.gone for box in one.boxes):
            if any((self.world.boxes[box] / "new").iterdir()):
                mails = self.world.fetch(box)
                for one in everybody:
                    if box in one.boxes and not one.gone:
                        one.gets(mails)
        for one in everybody:
            one.answer()

    off = False
    boot = "the first time"
    """When the host's machine was switched on."""
    skew = timedelta()
    """By how much the host's clock is wrong."""
    restored = False
    """Whether the umpire has said that the folder he put back is the one to go on with."""
    disk: Callable[[], AbstractContextManager[Any]] | None = None
    """In what a round is done while the disk is full."""

    # --- what came of it ---

    def _count(self) -> None:
        """Look at what the server passed on since, and forget it."""
        passed, self.world.passed = self.world.passed, []
        for one in passed:
            to = mail.bare(one.to)
            if to == mail.HOST:
                self.found.letters += 1
                continue
            if mail.bare(one.sender) == OTHER:
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
            if to == mail.UMPIRE and str(message["Subject"]).startswith("pbem"):
                self.found.to_umpire[re.sub(r"\b(g\d\d|p\d\d\S*|\d[\d.:]*)", "…", str(message["Subject"]))] += 1
            body = message.get_body(("plain",))
            words = str(body.get_content()) if body is not None else ""
            self.events.hear(to, f"{message['Subject']}\n{' '.join(words.split())}\n{_archives(message)}")
            for ruling in [one for one in self.rulings if one[1] in " ".join(words.split()) and to in one[2]]:
                ruling[2].remove(to)
            self.found.watched += words.startswith("You watch ")
            same = hashlib.sha256(f"{message['Subject']}\n{words}".encode()).hexdigest()
            self.copies.setdefault((to, same), []).append(f"{self.world.now:%d %b %H:%M} {message['Subject']}")
            for due in _DEADLINE.findall(" ".join(words.split())):
                when = datetime.strptime(due, "%d %b %Y, %H:%M").replace(tzinfo=ZoneInfo(ZONE), fold=1)
                if when <= self.world.now:
                    self.found.past.append(f"{to}: {message['Subject']} names {due} at {self.world.now}")

    def _judge(self) -> None:
        found = self.found
        for person in self.people:
            for one in person.sent:
                if one.identity not in self.answers and one.about:
                    if not one.about[0]:
                        found.lost.append(f"{one.identity} of {one.at}: {one.about[2]}")
                        continue
                    # A game that was begun after the backup went with the restore: letters to it are put aside, and
                    # the umpire is told of each.
                    there = (self.host / "games" / one.about[0]).is_dir()
                    (found.lost if there else found.of_lost_games).append(f"{one.identity} of {one.at}")
        found.twice += [f"{key}: {', '.join(came)}" for key, came in self.came.items() if len(came) > 1]
        found.same_words += [f"{to}: {'; '.join(came)}" for (to, _), came in self.copies.items() if len(came) > 1]
        found.told_wrongly += [wrong for one in self.events.tellings for wrong in one.wrong()]
        found.told_wrongly += [f"{game}: {to} was not told: {said}" for game, said, left in self.rulings for to in left]
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


def _archives(message: EmailMessage) -> str:
    """A line for each archive of a game that comes with a mail."""
    names = [part.get_filename() or "" for part in message.iter_attachments()]
    return "\n".join(f"ARCHIVE {name.partition('.')[0]}" for name in names if name.endswith(".zip"))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--games", type=int, default=25)
    parser.add_argument("--weeks", type=int, default=11)
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--imap", action="store_true", help="fetch mail by IMAP, not from the folder it lies in")
    given = parser.parse_args(arguments)
    if given.people < PARTS:
        parser.error(f"there are parts for {PARTS} people in what happens")
    season = Season(
        given.folder, games=given.games, weeks=given.weeks, people=given.people, imap=given.imap, seed=given.seed,
        log=partial(print, file=sys.stderr, flush=True),
    )  # fmt: skip
    print(season.play().text())
    for trouble, count in Counter(season.troubles).most_common(20):
        print(f"trouble {count}: {trouble[:300]}")


if __name__ == "__main__":
    main(sys.argv[1:])
