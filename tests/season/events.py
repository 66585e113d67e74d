"""What happens in a season beside play: the events of a volunteer's year, spread over its weeks.

Each is done as people do it: players by letters of their own, the umpire by what his commands call, machines by being
broken. Of what everybody concerned must hear once :class:`Told` keeps count.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import timedelta
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest import mock

from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.storage.players import note_version, players
from pbem.games.umpire.decree import Decree, override
from pbem.games.umpire.rerun import clone
from pbem.mail.commands import endings, seats as replacing
from pbem.mail.host import clocks as timetable, operate
from pbem.mail.host.backup import backup, restore
from pbem.mail.incoming.intake import accept, games_of, outbox_of
from pbem.mail.seats import seats
from pbem.mail.transport.passwords import IMAP_PASSWORD as PASSWORD
from tests.mail import world as mail

if TYPE_CHECKING:
    from tests.season.played import Person, Season

DOMAIN: Final = "club.example"
SHARED: Final = {"p12": "Pat Twelve", "p13": "Sam Thirteen"}
"""Two who have their mail at one address, that of the first."""
WORK: Final = "p14work@work.example"
"""From where p14 writes now and then, as players.toml says."""
STRANGE: Final = "p15work@work.example"
"""From where p15 writes once, without a word to anybody."""
OTHER: Final = "other@host.example"
"""Where a second club takes its letters; p05 and p06 play in both."""
RULING: Final = "A counter lay in the wrong hex"
APART: Final = (*SHARED, "p14", "p20", "p21", "umpire", "p05", "p06")
"""People of whom something is the case all the time."""
ROLES: Final = ("p02", "p03", "p04", "p07", "p08", "p09", "p10", "p11", "p15", "p16", "p17", "p19", "p22", "p23", "p35")
"""People who do something, or to whom something happens."""
PLAYERS: Final = f"""\
format = 1
[people.p12]
name = "{SHARED["p12"]}"
mail = "p12@{DOMAIN}"
[people.p13]
name = "{SHARED["p13"]}"
mail = "p12@{DOMAIN}"
[people.p14]
mail = "p14@{DOMAIN}"
writes = ["{WORK}"]
"""
MORE_BOXES: Final = (OTHER, "spam@elsewhere.example", WORK, STRANGE, f"p16new@{DOMAIN}", f"p17new@{DOMAIN}")


class Told:
    """A change of which everybody ``concerned`` is told once, by a mail that has these ``words``."""

    def __init__(self, what: str, words: str, concerned: Iterable[str]) -> None:
        self.what, self.words = what, re.compile(words, re.DOTALL)
        self.concerned, self.got = Counter(concerned), Counter[str]()
        self.once_more: set[str] = set()
        """New addresses of people concerned: their last report goes there once more."""

    def hear(self, to: str, text: str) -> None:
        if self.words.search(text):
            self.got[to] += 1

    def wrong(self) -> list[str]:
        everybody = sorted(self.concerned | self.got)
        return [
            f"{self.what}: {to} was told {self.got[to]} times, not {self.concerned[to]}"
            for to in everybody
            if self.got[to] != self.concerned[to] and not (to in self.once_more and self.got[to] == 1)
        ]


class Events:
    """The events of a season. What the umpire does with his hand is told to :attr:`Season.found`."""

    def __init__(self, season: Season) -> None:
        self.season = season
        self.tellings: list[Told] = []
        self.taken: list[Path] = []
        self.parts: dict[str, Person] = {}
        self.acts: dict[int, list[Callable[[], object]]] = {}
        self.steps = season.weeks * 7 * 4

    # --- finding one's way ---

    def one(self, name: str) -> Person:
        """Somebody, or in a season with fewer games than people another one who plays, and has nothing else to do."""
        if name not in self.parts:
            known = {person.name: person for person in self.season.people if person.last and not person.gone}
            free = [one for key, one in known.items() if key not in (*self.parts, *ROLES, *APART)]
            busy = [one for key, one in known.items() if key not in APART]
            self.parts[name] = known.get(name) or (free or busy)[0]
        return self.parts[name]

    def game(self) -> Path:
        """A game that goes on, of two sides that people play; if there is one, one with which nothing else was done."""
        found = []
        for path in sorted((self.season.host / "games").iterdir()):
            with opened(path) as game:
                state = game.state()
                if state.request is None or len(state.sides) != 2:
                    continue
                theirs = seats(path)
                if len(theirs) == len(endings.left(state)) == 2 and self._reached(path.name, theirs):
                    found.append(path)
        path = min(found, key=self.taken.count)
        self.taken.append(path)
        return path

    def _reached(self, game: str, theirs: Iterable[Any]) -> bool:
        known = {one.address: one for one in self.season.people if game in one.about and not one.gone}
        return all(seat.addresses[0] in known and len(seat.addresses) == 1 and not seat.shared for seat in theirs)

    def players(self, path: Path) -> list[Person]:
        known = {one.address: one for one in self.season.people}
        return [known[seat.addresses[0]] for seat in seats(path)]

    def tell(self, what: str, words: str, path: Path, *, but: str = "") -> None:
        """What everybody who plays a game is told once."""
        concerned = [seat.addresses[0] for seat in seats(path) if seat.addresses[0] != but]
        self.tellings.append(Told(f"{path.name}: {what}", words, concerned))

    def hear(self, to: str, text: str) -> None:
        for one in self.tellings:
            one.hear(to, text)

    def moves(self, before: str, after: str) -> None:
        """Somebody has another address."""
        for one in self.tellings:
            if before in one.concerned:
                one.once_more.add(after)

    # --- the plan ---

    def at(self, part: float, act: Callable[[], object], after: int = 0) -> None:
        self.acts.setdefault(int(part * self.steps) + after, []).append(act)

    def by_hand(self, part: float, what: str, act: Callable[[], object], after: int = 0) -> None:
        """Something the umpire does, after the letters that are there were taken in."""

        def done() -> None:
            self.season.found.by_hand.append(what)
            self.season.round()
            act()

        self.at(part, done, after)

    def plan(self) -> dict[int, list[Callable[[], object]]]:
        self._letters()
        self._people()
        self._umpire()
        self._machines()
        return self.acts

    def _letters(self) -> None:
        """What players write beside orders."""
        now, one = self.season.world, self.one
        self.at(0.03, lambda: one("p03").say_wrong())
        self.at(0.05, lambda: one("p07").say(f"AWAY {now.now:%Y-%m-%d} to {now.now + timedelta(days=4):%Y-%m-%d}"))
        self.at(0.08, lambda: one("p08").say("EXTEND 1 day"))
        self.at(0.09, lambda: one("p22").say("HELP late"))
        self.at(0.11, lambda: one("p35").say("WATCH ALL"))
        self.at(0.13, self._draw)
        self.at(0.16, self._doubt)
        self.at(0.21, self._resign)
        self.at(0.25, self._new_address)
        self.at(0.29, self._from_work)
        self.at(0.33, self._wrong_club)
        self.at(0.86, lambda: one("p02").say("STATUS"))
        self.at(0.87, lambda: one("p23").say("STANDINGS"))

    def _people(self) -> None:
        """What happens to them."""
        one, world = self.one, self.season.world
        self.at(0.10, lambda: world.full.add(one("p04").address))
        self.at(0.12, lambda: world.full.discard(one("p04").address))
        self.at(0.15, self._autoresponder)
        self.at(0.18, self._spam)
        self.at(0.30, lambda: setattr(one("p09"), "gone", True))
        self.by_hand(0.36, "a substitute for who quit", lambda: self._replace(one("p09"), one("p10")))
        self.at(0.51, self._bounces)
        self.by_hand(0.53, "a new address for whose mail came back", self._move_address)
        self.at(0.54, lambda: world.unknown.add(one("p19").address))
        self.at(0.56, lambda: world.unknown.discard(one("p19").address))
        self.by_hand(0.56, "mails that were refused are sent once more", self._send_again)

    def _umpire(self) -> None:
        """What he does."""
        self.by_hand(0.20, "pause a game", self._pause)
        self.by_hand(0.26, "more time for all", self._extend)
        self.by_hand(0.28, "a ruling in mid-turn", self._rule)
        self.by_hand(0.35, "an abandoned game is ended", self._result)
        self.by_hand(0.38, "a what-if for a player who asked", self._clone)
        self.by_hand(0.50, "the club's site switched on", self._site)
        self.by_hand(0.70, "a backup", lambda: backup(self.season.host, self.season.folder / "club.tar.gz"))
        self.by_hand(0.70, "restored, a day later", self._restore, after=4)
        self.by_hand(0.80, "moved to another machine", self._move)

    def _machines(self) -> None:
        """What breaks."""
        season, world = self.season, self.season.world
        self.at(0.40, lambda: setattr(season, "off", True))
        self.at(0.49, lambda: setattr(season, "off", False))
        self.at(0.49, lambda: setattr(season, "boot", "after a week without power"))
        self.at(0.58, lambda: world.refused.add(mail.HOST))
        self.at(0.62, lambda: world.refused.clear())
        self.at(0.64, self._upgrade)
        if world.imap:
            self.at(0.66, lambda: os.environ.update({PASSWORD: "the old one"}))
            self.at(0.69, lambda: os.environ.update({PASSWORD: mail.PASSWORD}))
        self.at(0.87, self._full_disk)
        self.at(0.92, lambda: setattr(season, "skew", timedelta(days=1)))
        self.at(0.92, lambda: setattr(season, "skew", timedelta()), after=2)

    # --- letters ---

    def _draw(self) -> None:
        """Both want it to end; the other one is told of the first."""
        path = self.game()
        first, second = self.players(path)
        self.tellings.append(Told(f"{path.name}: a draw is offered", f"^{path.name}: .*offers", [second.address]))
        first.say("DRAW", path.name)
        self.later(2, lambda: self._over(path, "draw"))
        self.later(2, lambda: second.say("DRAW", path.name))

    def _resign(self) -> None:
        path = self.game()
        who = self.players(path)[0]
        self._over(path, "resigned")
        who.say(f"RESIGN {path.name}", path.name)
        self.later(1, lambda: who.say(f"RESIGN {path.name} YES", path.name))

    def _over(self, path: Path, what: str) -> None:
        """The last report, with the archive, goes to both."""
        self.tell(f"over ({what})", rf"ARCHIVE {path.name}\b", path)

    def later(self, steps: int, act: Callable[[], object]) -> None:
        self.acts.setdefault(self.season.step + steps, []).append(act)

    def _doubt(self) -> None:
        path = self.game()
        who = self.players(path)[0]
        who.say("MESSAGE TO UMPIRE\nThat die cannot have been right.\nEND MESSAGE", path.name)

        def look() -> None:
            self.season.found.by_hand.append("a die is worked out again for who doubted it")
            with opened(path) as game:
                assert not verify(game).faults

        self.later(1, look)

    def _new_address(self) -> None:
        who = self.one("p16")
        new = f"p16new@{DOMAIN}"
        self.tellings.append(Told("p16 has a new address", f"^pbem: a new address.*{new}", [who.address, new]))
        who.boxes.append(new)
        who.say(f"ADDRESS {new}")

    def _from_work(self) -> None:
        """His next orders come from an address nobody knows; the umpire lets them in."""
        who = self.one("p15")
        who.writes_once = STRANGE
        self.tellings.append(Told("from work", f"an email was put aside.*came from {STRANGE}", [who.address]))

    def let_in(self) -> None:
        """The umpire does what the mail about a letter that was put aside tells him, if it is one of a player's."""
        club = self.season.host
        for file in sorted((club / "mail" / "quarantine").glob("*.eml")):
            if f"From: {STRANGE}".encode() in file.read_bytes():
                self.season.found.by_hand.append("a letter from work is let in")
                games = games_of(club, self.season.world.now)
                accept(file, games, outbox_of(club, games))

    def _wrong_club(self) -> None:
        """A letter for the other club's game of the same name goes to this one."""
        guest = self.season.guests[0]
        letter = guest.blank("orders", next(iter(guest.about.values())))
        del letter["To"]
        letter["To"] = mail.HOST
        letter.set_content("GAME g02\nSHIP Nobody\nEND\n")
        guest.post(letter)
        words = "an email was put aside.*from your address, because it did not contain your game token"
        self.tellings.append(Told("to the wrong club", words, [guest.address]))

    # --- people ---

    def _autoresponder(self) -> None:
        def away(one: mail.Passed) -> bytes:
            letter = EmailMessage(policy=SMTP)
            letter["From"], letter["To"] = one.to, one.sender
            letter["Subject"], letter["Message-ID"] = "Out of office", f"<{abs(hash(one.raw))}@x>"
            letter["Auto-Submitted"] = "auto-replied"
            letter.set_content("I am on a ship.\n")
            return bytes(letter)

        self.season.world.answering[self.one("p11").address] = away

    def _spam(self) -> None:
        for number in range(3):
            letter = EmailMessage(policy=SMTP)
            letter["From"], letter["To"], letter["Subject"] = "spam@elsewhere.example", mail.HOST, "You won"
            letter["Message-ID"] = f"<{number}@elsewhere.example>"
            letter.set_content("Click here.\n")
            self.season.world.send("spam@elsewhere.example", bytes(letter))

    def _replace(self, before: Person, after: Person) -> None:
        for path in sorted((self.season.host / "games").iterdir()):
            with opened(path, lock="test") as game:
                if game.state().over:
                    continue
                for side, player in players(path, game.terms).items():
                    if before.address in player:
                        words = f"{path.name}: {side} has another player"
                        self.tell("another player", words, path)  # who is replaced is thanked under that name
                        replacing.replace(game, side, after.address, self.season.world.now)

    def _bounces(self) -> None:
        who, world = self.one("p17"), self.season.world
        address = who.address  # it stays dead when he has another

        def returned(one: mail.Passed) -> bytes:
            head = f"From: MAILER-DAEMON@mx.example\r\nTo: {one.sender}\r\nSubject: Undelivered mail\r\n"
            head += f"Message-ID: <{world.now.timestamp()}.{len(one.raw)}@mx.example>\r\n"
            return f"{head}X-Failed-Recipients: {address}\r\n\r\nNo such user.\r\n".encode()

        who.deaf = True
        world.answering[address] = returned

    def _move_address(self) -> None:
        who, new = self.one("p17"), f"p17new@{DOMAIN}"
        old = who.address
        operate.move_address(self.season.host, who.address, new, self.season.world.now)
        self.moves(old, new)
        who.address, who.deaf = new, False
        who.boxes.append(new)
        self.tellings.append(Told("p17 has a new address", f"^pbem: a new address.*{new}", [old, new]))

    def _send_again(self) -> None:
        """As the guide says: moved back to ``waiting`` a mail is tried again."""
        outbox = self.season.host / "mail" / "outbox"
        for file in sorted((outbox / "failed").glob("*.eml")):
            file.rename(outbox / "waiting" / file.name)

    # --- the umpire ---

    def _pause(self) -> None:
        path = self.game()
        timetable.pause(path, self.season.world.now, "the umpire thinks")
        self.tell("paused", f"^{path.name}: the game is paused", path)
        self.tell("goes on", f"^{path.name}: the game continues", path)

        def resume() -> None:
            self.season.found.by_hand.append("resume it")
            timetable.resume(path, self.season.world.now)

        self.later(9, resume)

    def _extend(self) -> None:
        host, now = self.season.host, self.season.world.now
        for one in operate.extend(host, "1 day", now, "a fair", every=True):
            if one.new and timetable.read_clock(host / "games" / one.game).paused is None:
                path = host / "games" / one.game
                self.tell("more time", f"^{one.game}: more time.*The umpire has given more time. a fair", path)

    def _rule(self) -> None:
        path = self.game()
        with opened(path, lock="test") as game:
            override(game, Decree(reason="a question by mail", ruling=f"{RULING} on the table"))
        self.season.rulings.append(
            (path.name, "A counter lay in the wrong hex", [p.address for p in self.players(path)])
        )

    def _result(self) -> None:
        path = self.game()
        self._over(path, "by the umpire")
        with opened(path, lock="test") as game:
            override(game, Decree(reason="nobody wants to go on", result=dict.fromkeys(game.state().sides, "draw")))

    def _clone(self) -> None:
        with opened(self.game()) as game:
            clone(game, self.season.folder / "what-if", name="what-if")

    def _site(self) -> None:
        file = self.season.host / "host.toml"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("format = 1\n", 'format = 1\nsite = "../web"\n', 1), encoding="utf-8")

    def _restore(self) -> None:
        season = self.season
        restore(season.folder / "club.tar.gz", season.host, season.world.now)
        season.round()  # which does nothing, and says why
        season.restored = True
        for path in sorted((season.host / "games").iterdir()):
            with opened(path) as game:
                if not game.state().over:
                    self.tell("a backup was put back", f"^{path.name}: a backup was restored", path)

    def _move(self) -> None:
        """The folder is copied to another machine; on the old one the cron runs on, and must do nothing."""
        season, old = self.season, self.season.host
        there, account = season.folder / "elsewhere", season.account
        shutil.copytree(old, there)
        season.club.folder, season.account = there, season.folder / "account of the other machine"
        season.boot = "the other machine"

        def cron() -> None:
            before = len(season.world.passed)
            season.club.folder = old
            done = season.club.round(account)
            season.club.folder = there
            told = [one for one in season.world.passed[before:] if mail.bare(one.to) != mail.UMPIRE]
            if not done.halted or told:
                season.found.two_hosts.append(f"the old machine did a round: {done}")

        for after in (1, 2, 5):
            self.later(after, cron)

    # --- machines ---

    def _upgrade(self) -> None:
        newer = partial(note_version, version="0.2.1")
        self.season.stack.enter_context(mock.patch("pbem.games.resolve.note_version", newer))

    def _full_disk(self) -> None:
        """For a day nothing can be written."""

        def full(path: Path, *, private: bool) -> tuple[int, Path]:
            raise OSError(errno.ENOSPC, "No space left on device", str(path))

        patch = mock.patch("pbem.games.storage.files._temporary", full)
        self.season.disk = lambda: patch
        self.later(4, lambda: setattr(self.season, "disk", None))
