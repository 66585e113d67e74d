"""Rehearse a club: simulate it on a copy, with changed settings, simulated time and simulated people.

The real host (:mod:`pbem.mail.host.round`) runs the copy. It receives emails, plays turns, sends reminders and acts
for late players. Three things differ: emails stay in memory, reports are minimal (:mod:`pbem.games.storage.papers`),
and there is no umpire. The club itself is never changed. The same seed always gives the same result.

The simulated people read the requests for orders in their emails. After some time they answer with random orders
(:mod:`pbem.lab.random_games.play`).
"""

from __future__ import annotations

import email.utils
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

import msgspec

from pbem.club import words as told
from pbem.club.directing import current_tournament, direct_all
from pbem.club.rehearsed import Policy, Rates, RehearsalWeek, Rehearsed, Spread
from pbem.club.tournament import names
from pbem.data.files import NotToml, parse_toml
from pbem.data.scenarios import scenario, scenario_keys
from pbem.engine.legal.trial import OrdersRefused
from pbem.errors import GameError
from pbem.games.answers import answers
from pbem.games.create import new
from pbem.games.site import TOURNAMENTS
from pbem.games.storage.files import make_folder, read_order_file, read_toml_file, write_text
from pbem.games.storage.folder import turn_name
from pbem.games.storage.opening import opened
from pbem.games.storage.papers import quick_reports
from pbem.games.storage.terms import read_terms
from pbem.lab.random_games.play import LAST, WEARY, answer
from pbem.mail.host import clocks as timetable
from pbem.mail.host.idle import RESTING, Rest
from pbem.mail.host.round import Round, host_round
from pbem.mail.host.workers import Workers
from pbem.mail.people import FILE as PEOPLE, read_people
from pbem.mail.replies.announce import BY_HOST
from pbem.mail.seats import seats
from pbem.mail.settings import FILE as HOST_FILE, Host, figures_for, game_folders, game_rule, read_host
from pbem.mail.store import copy_facts, read_fact
from pbem.mail.transport.outbox import bare as bare_address
from pbem.mail.transport.sources import Source
from pbem.orders.header import answer_line
from pbem.reports.mail.mime import taken_apart
from pbem.util import regex

_ASKED = regex(r"GAME (\S+)\s+TURN (\d+)\s+SIDE (\S+)\s+REPLY (\d+)")

Which = tuple[str, int, str, int]
"""Game, turn, side and number of a request for orders; together they identify the side's answer."""


class Asking(NamedTuple):
    """A request for orders that a simulated person received.

    Attributes:
        game: Name of the game.
        turn: Turn of the request.
        side: Side that must give the orders.
        number: Number of the request within its turn.
        draft: The draft of the orders that was attached to the email.
        came: When the email arrived.
        mail: The email.
    """

    game: str
    turn: int
    side: str
    number: int
    draft: str
    came: datetime
    mail: EmailMessage

    @property
    def which(self) -> Which:
        """Game, turn, side and request number, which together identify the answer."""
        return self.game, self.turn, self.side, self.number


def asked_in(draft: str) -> Which | None:
    """Return game, turn, side and request number from the header of an order draft.

    Return ``None`` if the draft has no header.
    """
    head = _ASKED.search(draft)
    return (head[1], int(head[2]), head[3], int(head[4])) if head is not None else None


def askings(mail: EmailMessage, came: datetime) -> Iterator[Asking]:
    """Yield the requests for orders in an email, one for each order draft attached to it.

    ``came`` is when the email arrived.
    """
    for part in mail.iter_attachments():
        if (part.get_filename() or "").endswith(".orders"):
            draft = str(part.get_content())
            if (which := asked_in(draft)) is not None:
                yield Asking(*which, draft, came, mail)


class Actor:
    """A simulated person with a mailbox.

    Subclasses decide when the person answers (:meth:`takes`). ``gone`` is true for a person who no longer answers.
    """

    def __init__(self, name: str, address: str) -> None:
        self.name, self.address = name, address
        self.wants: dict[Which, tuple[Asking, datetime]] = {}
        self.answered: set[Which] = set()
        self.gone = False

    def takes(self, asking: Asking) -> datetime:
        """Return the time at which the person will answer a request."""
        raise NotImplementedError

    def read(self, mails: Iterable[EmailMessage], now: datetime) -> None:
        """Read emails, and remember the requests for orders that the person has not seen before."""
        for mail in mails:
            for asking in askings(mail, now):
                if asking.which not in self.answered and asking.which not in self.wants:
                    self.wants[asking.which] = (asking, self.takes(asking))

    def due(self, now: datetime) -> Iterator[tuple[Asking, datetime]]:
        """Yield each request that the person answers now, with the time at which they planned to answer."""
        for which, (asking, when) in list(self.wants.items()):
            if when <= now and not self.gone:
                del self.wants[which]
                self.answered.add(which)
                yield asking, when


def orders_for(game: Path, asking: Asking, weary: tuple[int, int] = (WEARY, LAST), breaks: float = 0.45) -> str:
    """Return the orders with which a simulated person answers a request.

    The result is random legal orders. If none were found, or if the request is no longer the current one, it is the
    unchanged draft from the email.

    Args:
        game: The folder of the game.
        asking: The request.
        weary: Two turns: from the first on, some ships leave the map or concede; from the second on, all do.
        breaks: Share of ships (0 to 1) that get BREAK lines.
    """
    try:
        with opened(game) as folder:
            state, scenario = folder.state(), folder.scenario()
    except GameError:
        return asking.draft
    request = state.request
    if request is None or (request.turn, request.number) != (asking.turn, asking.number):
        return asking.draft
    rng = Random(f"{asking.which}")
    try:
        return answer(rng, state, scenario, asking.side, weary=weary, breaks=breaks).sent
    except OrdersRefused:
        return asking.draft


MOVED: Final = "moved.json"
"""Name of the file that marks a club as moved to another machine.

The file is not copied, because a host stops if it finds the file.
"""
LEFT: Final = ("*.html", "*.vsav", "*.zip", "*.tmp", "*.lock")
"""Patterns of the files of a game that are not copied, because a rehearsal does not need them."""


def with_settings(file: Path, settings: Mapping[str, str]) -> None:
    """Change some settings in the host.toml of the copied club.

    Args:
        file: The file host.toml.
        settings: New values by key, such as ``deadlines.late``. A value that is not valid TOML is stored as a string.

    Raises:
        GameError: A key such as ``a.b`` is given, but the setting ``a`` is not a TOML table.
    """
    raw = parse_toml(read_toml_file(file).decode("utf-8"))
    for key, typed in settings.items():
        *tables, last = key.split(".")
        section = raw
        for table in tables:
            section = section.setdefault(table, {})
            if not isinstance(section, dict):
                raise GameError.saying("setting", f"{key}: {table} is not a table of host.toml", file="--set")
        try:
            section[last] = parse_toml(f"value = {typed}")["value"]
        except NotToml:
            section[last] = typed
    # JSON of texts, numbers and lists is TOML; tables come last.
    plain = [f"{key} = {_as_toml(value)}\n" for key, value in raw.items() if not isinstance(value, dict)]
    tables = [
        f"[{name}]\n" + "".join(f"{key} = {_as_toml(value)}\n" for key, value in inner.items())
        for name, inner in raw.items()
        if isinstance(inner, dict)
    ]
    write_text(file, "".join((*plain, *tables)))


def _as_toml(value: object) -> str:
    return msgspec.json.encode(value).decode()


def copied(club: Path, folder: Path) -> tuple[str, ...]:
    """Copy the files of a club that a host needs, but not its mailboxes, into ``folder``.

    Return the names of the games that were left out. Their dice come from a public beacon, i.e. from a source of
    random numbers on the internet.

    Raises:
        GameError: ``club`` is not the folder of a club.
    """
    host = read_host(club)
    make_folder(folder / "games")
    make_folder(folder / "mail")
    for name in (HOST_FILE, PEOPLE):
        if (club / name).is_file():
            shutil.copy2(club / name, folder / name)
    if (club / TOURNAMENTS).is_dir():
        shutil.copytree(club / TOURNAMENTS, folder / TOURNAMENTS)
    if host.figures and not Path(host.figures).is_absolute() and (club / host.figures).is_dir():
        shutil.copytree(club / host.figures, folder / host.figures)
    for file in sorted((club / "mail").glob("*.json")):
        if file.name != MOVED:
            shutil.copy2(file, folder / "mail" / file.name)
    copy_facts(club / "mail", folder / "mail")
    left = []
    for game in game_folders(club):
        if read_terms(read_toml_file(game / "game.toml"), str(game)).dice.beacon:
            left.append(game.name)
            continue
        shutil.copytree(game, folder / "games" / game.name, ignore=shutil.ignore_patterns(*LEFT))
    return tuple(left)


HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
SURE: Final = 2 * HOUR
"""The time after the end of the grace period at which the host has certainly acted for late players."""
IDLE: Final = 12
"""Hours after which the rehearsal runs the host even if nothing is due."""
BREAKS: Final = 0.2
"""Share of ships (0 to 1) whose orders get break conditions, which stop play for new orders."""
CROWD: Final = 1.6
"""Number of simulated people per game, for a club that has no people yet."""


class _MemoryMailbox(Source):
    """A mailbox in memory that holds the emails of simulated people until the host fetches them."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: dict[str, bytes] = {}
        self.count = 0

    def put(self, raw: bytes) -> None:
        self.count += 1
        self.waiting[f"{self.count:06}"] = raw

    def fetch(self) -> Iterator[tuple[str, bytes]]:
        self.show()
        yield from list(self.waiting.items())

    def done(self, key: str) -> None:
        self.waiting.pop(key, None)


class _MemoryCarrier:
    """A mail carrier in memory that collects the emails that the host sends."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []

    def send(self, sender: str, to: str, mail: bytes) -> None:
        self.sent.append((to, mail))

    def fetch(self) -> list[tuple[str, bytes]]:
        found, self.sent = self.sent, []
        return found


class _Player(Actor):
    """A simulated person who usually answers well before the deadline, and sometimes after it."""

    def __init__(self, rehearsal: Rehearsal, name: str, address: str) -> None:
        super().__init__(name, address)
        self.rehearsal, self.rng = rehearsal, Random(f"{rehearsal.seed} {name}")
        self.habit = self.rng.uniform(0.25, 0.9)
        """The largest share of the time until the deadline (0 to 1) that this person usually takes to answer."""
        self.due_at: dict[Which, datetime] = {}
        self.vanishes: datetime | None = None

    def takes(self, asking: Asking) -> datetime:
        due = self.due_at[asking.which] = self.rehearsal.due_of(asking.game) or asking.came + 3 * DAY
        left = max(due - asking.came, 2 * HOUR)
        if self.rng.random() < self.rehearsal.rates.late:
            return due + self.rng.uniform(0.05, 1.0) * left
        return asking.came + self.rng.uniform(0.02, self.habit) * left

    def news(self, raw: bytes) -> bool:
        """Return whether an email contains a request for orders that is new to this person.

        This method uses a simple parser, which is ten times faster than the full parser of the standard library.
        """
        drafts = [one.content.decode("utf-8") for one in taken_apart(raw).attachments if one.name.endswith(".orders")]
        return any(asked and asked not in self.answered and asked not in self.wants for asked in map(asked_in, drafts))

    def look(self, now: datetime) -> None:
        if self.vanishes is not None and now >= self.vanishes and not self.gone:
            self.gone = True
            if self.wants or self.answered:
                self.rehearsal.tell(now, f"{self.name} stops answering")


class Rehearsal:
    """A rehearsal in progress: a simulation of a club on a copy.

    It has the copy of the folder ``club`` in the folder ``work``, the simulated clock, the simulated people, and the
    counters for the results.
    """

    def __init__(
        self, club: Path, work: Path, span: timedelta, rates: Rates, seed: str, games: int, now: datetime,
        settings: Mapping[str, str] | None = None,
    ):  # fmt: skip
        self.rates, self.seed, self.wanted, self.rng = rates, seed, games, Random(f"rehearsal {seed}")
        self.now = self.began = now.replace(minute=0, second=0, microsecond=0) + HOUR
        self.ends = self.began + span
        self.letters, self.mails, self.workers = _MemoryMailbox(), _MemoryCarrier(), Workers()
        self.folder = work / "club"
        self.left_out = copied(club, self.folder)
        with_settings(self.folder / HOST_FILE, settings or {})
        self.host: Host = read_host(self.folder)
        self.players: dict[str, _Player] = {}
        self.made = 0
        self.rests: dict[str, Rest] = {}
        # --- what is counted ---
        self.events: list[tuple[int, str]] = []
        self.weeks: dict[int, Counter[str]] = defaultdict(Counter)
        self.going: dict[int, int] = {}
        self.kinds: Counter[str] = Counter()
        self.umpire: Counter[str] = Counter()
        self.troubles: Counter[str] = Counter()
        self.begun_at: dict[str, datetime] = {}
        self.per_turn: list[float] = []
        self.waited: list[float] = []
        self.sent: dict[tuple[str, int, int], list[datetime]] = defaultdict(list)
        self.late_since: dict[str, tuple[tuple[int, int, int], datetime]] = {}
        self.told: set[tuple[str, tuple[int, int, int]]] = set()
        self.stood: dict[str, list[float]] = defaultdict(list)
        self.filed: Counter[str] = Counter()
        self.late = self.erred = self.stopped = self.reminded = 0
        self.stops = False
        self.over: set[str] = set()

    # --- play ---

    def play(self, progress: Callable[[int, int], object] = lambda done, total: None) -> Rehearsed:
        """Run the copied club for the whole simulated time, and return the results.

        ``progress`` is called with two numbers: the simulated hours done and the hours in total.
        """
        with quick_reports():
            self._people()
            self._asked_already()
            idle, again = 0, True
            while self.now < self.ends:
                if (self.now - self.began) % (7 * DAY) < HOUR:
                    self._begin()
                for player in self.players.values():
                    player.look(self.now)
                sent, due = self._answer(), self._due()
                idle += 1
                if sent or due or again or idle >= IDLE:
                    # The next round treats a moment as passed and reports the games that this round created.
                    again, idle = self._round() or (due and not again), 0
                self.now += HOUR
                progress((self.now - self.began) // HOUR, (self.ends - self.began) // HOUR)
            return self._found()

    def _round(self) -> bool:
        """Run the host once over all games; return whether it created games."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.folder / "mail" / "outbox" / "sent")  # a rehearsal does not need sent emails
        done = host_round(
            self.folder, lambda: self.now, source=self.letters, carrier=self.mails, workers=self.workers,
            beyond=partial(direct_all, seed=lambda name: f"{self.seed} {name}"),
        )  # fmt: skip
        self.rests = read_fact(self.folder / "mail", RESTING, dict[str, Rest]) or {}
        self._count(done)
        self._deliver()
        return bool(done.made)

    def _due(self) -> bool:
        return any(rest.until is not None and rest.until <= self.now for rest in self.rests.values())

    def _people(self) -> None:
        """Create a simulated person for everybody who plays in the club or may join a game."""
        people = read_people(self.folder)
        if self.wanted and not people.people:
            count = max(2, int(CROWD * self.wanted))
            rows = [f'[people.p{n:02}]\nmail = "p{n:02}@rehearsal.invalid"\n' for n in range(1, count + 1)]
            write_text(self.folder / PEOPLE, "format = 1\n" + "".join(rows))
            people = read_people(self.folder)
        for key, person in people.people.items():
            self._add(key, person.mail)
        for folder in game_folders(self.folder):
            for seat in seats(folder):
                self._add(seat.person or seat.name or seat.addresses[0], seat.addresses[0])

    def _add(self, name: str, address: str) -> None:
        if address.lower() not in self.players:
            player = self.players[address.lower()] = _Player(self, name, address.lower())
            if player.rng.random() < self.rates.vanish:
                player.vanishes = self.began + player.rng.random() * (self.ends - self.began)

    def _asked_already(self) -> None:
        """Give the simulated people all requests for orders that are open at the start of the rehearsal.

        Each request is treated as if it had just arrived by email.
        """
        for folder in game_folders(self.folder):
            with opened(folder) as game:
                state = game.state()
                answered = answers(game)[0] if state.request is not None else {}
            request = state.request
            if request is None:
                self.over |= {folder.name} if state.over else set()
                continue
            for seat in seats(folder):
                if request.asks(seat.side) and seat.side not in answered:
                    mail = EmailMessage(policy=SMTP)
                    mail["Subject"] = f"{folder.name} TOKEN {seat.token}"
                    draft = f"{answer_line(folder.name, seat.side, request)}\nEND\n"
                    asking = Asking(folder.name, request.turn, seat.side, request.number, draft, self.now, mail)
                    player = self.players[seat.addresses[0]]
                    player.wants[asking.which] = (asking, player.takes(asking))

    def _begin(self) -> None:
        """Create new games until the wanted number of games is running."""
        if not self.wanted:
            return
        going = sum(folder.name not in self.over for folder in game_folders(self.folder))
        available = [player for player in self.players.values() if not player.gone]
        keys = sorted(scenario_keys(), key=int)
        for _ in range(self.wanted - going):
            key = keys[self.made % len(keys)]
            sides = [side.name for side in scenario(key).sides if side.robot in ("no", "may")]
            self.made += 1
            if len(available) < len(sides):
                continue
            chosen = [available[(self.made * 2 + n) % len(available)] for n in range(len(sides))]
            seated = dict(zip(sides, (player.address for player in chosen), strict=True))
            name = f"rehearsal-{self.made:02}"
            path = self.folder / "games" / name
            new(key, path, players=seated, seed=f"{self.seed} {name}", figures=figures_for(path))

    def due_of(self, game: str) -> datetime | None:
        """Return the deadline of a game's current request for orders; ``None`` if there is none."""
        with suppress(GameError):
            found = timetable.due_of(self.folder / "games" / game, self.now)
            return found[0].due if found is not None else None
        return None

    # --- emails ---

    def _deliver(self) -> None:
        for to, raw in self.mails.fetch():
            player = self.players.get(to.lower())
            if player is None or player.gone or not player.news(raw):
                continue
            mail = message_from_bytes(raw, policy=default)
            assert isinstance(mail, EmailMessage)
            player.read([mail], self.now)

    def _answer(self) -> bool:
        """Send the emails of the simulated people who answer now; return whether any were sent."""
        count = self.letters.count
        for player in self.players.values():
            for asking, _ in player.due(self.now):
                self._write(player, asking)
        return self.letters.count > count

    def _write(self, player: _Player, asking: Asking) -> None:
        orders = orders_for(self.folder / "games" / asking.game, asking, self.rates.weary, BREAKS)
        sender = player.address
        if player.rng.random() < self.rates.err:
            self.erred += 1
            if player.rng.random() < 0.5:
                sender = f"somebody.{player.rng.randrange(1000)}@elsewhere.invalid"
            else:
                orders = orders.replace("\n", "\nSHIP Nobody At All\nFLY BACKWARDS\n", 1)
            player.answered.discard(asking.which)  # the person notices the mistake and sends the orders again
            player.wants[asking.which] = (asking, self.now + player.rng.uniform(2, 30) * HOUR)
        else:
            if self.now > player.due_at[asking.which]:
                self.late += 1
                self._week["late"] += 1
            self.sent[asking.game, asking.turn, asking.number].append(self.now)
        reply = EmailMessage(policy=SMTP)
        reply["From"], reply["To"] = sender, str(asking.mail["Reply-To"] or self.host.orders)
        reply["Subject"] = f"Re: {asking.mail['Subject']}"
        reply["Date"] = email.utils.format_datetime(self.now)
        reply["Message-ID"] = f"<{self.letters.count}.{player.address}>"
        reply.set_content(orders)
        self.letters.put(bytes(reply))

    # --- what is counted ---

    def tell(self, now: datetime, text: str) -> None:
        """Add an event to the list of events that is shown with the results."""
        self.events.append(((now - self.began).days, text))

    @property
    def _week(self) -> Counter[str]:
        return self.weeks[(self.now - self.began).days // 7]

    def _count(self, done: Round) -> None:
        for name in done.made:
            self.tell(self.now, f"{name} begins")
        for name, happened in done.games:
            for one in happened:
                if one.what == "played":
                    self._played(name, one.turn, one.request, one.asked.turn if one.asked is not None else one.turn + 1)
                elif one.what == "over" and name not in self.over:
                    self.over.add(name)
                    self._week["over"] += 1
                    self.tell(self.now, f"{name} is over")
        self._mailed(done)
        if done.stopped and not self.stops:
            self.stopped += 1
            self.tell(self.now, "too many are late at once: nothing is done for them until the umpire says so")
        self.stops = done.stopped
        self.troubles.update(map(self._in_general, done.news))
        for folder in game_folders(self.folder):
            self.begun_at.setdefault(folder.name, self.now)
        self._standing()
        self.going[(self.now - self.began).days // 7] = len(self.begun_at.keys() - self.over)

    def _played(self, game: str, turn: int, number: int, then: int) -> None:
        # The player who answered last did not wait.
        self.waited += [(self.now - sent) / DAY for sent in sorted(self.sent.pop((game, turn, number), ()))[:-1]]
        orders = (self.folder / "games" / game).glob(f"{turn_name(turn)}/orders/*.r{number}.orders")
        filed = sum(read_order_file(file).startswith(f"# {BY_HOST}") for file in orders)
        self.filed[game] += filed
        self._week["filed"] += filed
        if then > turn:
            self._week["turns"] += 1
            self.per_turn.append((self.now - self.begun_at.get(game, self.now)) / DAY)
            self.begun_at[game] = self.now

    def _mailed(self, done: Round) -> None:
        """Count the emails that the host sent: emails to players by kind, emails to the umpire by subject."""
        for to, raw in self.mails.sent:
            if bare_address(self.host.umpire).lower() == to.lower():
                self.umpire[self._in_general(taken_apart(raw).subject)] += 1
                self._week["umpire"] += 1
        parts = [name.split(".") for name in done.delivery.sent]  # kind, game, side and a unique part
        to_players = Counter(kind for kind, _, side, *_ in parts if side != "umpire")
        self.kinds += to_players
        self._week["mails"] += to_players.total()

    def _in_general(self, text: str) -> str:
        """Return the subject of an email to the umpire in a general form, for counting emails by subject.

        Names of games and sides, numbers and tokens are replaced or removed.
        """
        for name in sorted(self.begun_at, key=len, reverse=True):
            text = text.replace(name, "a game")
        text = re.sub(r" waits for .*", " waits for somebody", text, flags=re.DOTALL)
        text = re.sub(r"No orders came from .* in .*?;", "No orders came from somebody;", text)
        if "put aside" in text:
            return "letters put aside"
        return "your club, the letter of the week" if "your club" in text else re.sub(r"^pbem: | TOKEN \S+", "", text)

    def _standing(self) -> None:
        """Record which games have waited for a late player after the grace period, and for how long.

        Waits shorter than :data:`SURE` are ignored, because the host needs some time to act.
        """
        for name, rest in self.rests.items():
            if (since := self.late_since.get(name)) is not None and (not rest.late or rest.asking != since[0]):
                self._stood(name, since[1])
            if rest.late and rest.final is not None:
                first = name not in self.late_since
                asking, since_when = self.late_since.setdefault(name, (rest.asking, rest.final))
                if not first and self.now - since_when >= SURE and (name, asking) not in self.told:
                    self.told.add((name, asking))
                    self.tell(self.now, f"{name} waits for {', '.join(self._named(name, side) for side in rest.late)}")

    def _named(self, game: str, side: str) -> str:
        """Return the name of a side for the list of events, with its player in parentheses if known."""
        addresses = [seat.addresses[0] for seat in seats(self.folder / "games" / game) if seat.side == side]
        player = self.players.get(addresses[0]) if addresses else None
        return f"{side} ({player.name})" if player is not None else side

    def _stood(self, name: str, since: datetime) -> None:
        del self.late_since[name]
        if self.now - since >= SURE:
            self.stood[name].append((self.now - since) / DAY)
            self._week["waited"] += int((self.now - since) / HOUR)

    def _found(self) -> Rehearsed:
        stuck = tuple(sorted(self.late_since))
        for name, (_, since) in list(self.late_since.items()):
            self._stood(name, since)
        policies: dict[str, Policy] = {}
        for folder in game_folders(self.folder):
            rule = game_rule(self.host, folder)
            filed = self.filed[folder.name]
            before, stood = policies.get(rule.late, Policy()), self.stood.get(folder.name, [])
            policies[rule.late] = Policy(
                games=before.games + 1, late=before.late + max(len(stood), filed), filed=before.filed + filed,
                days=before.days + sum(stood), worst=max(before.worst, *stood, 0.0),
            )  # fmt: skip
        weeks = range((self.ends - self.began - HOUR).days // 7 + 1)
        found = Counter[str]()
        for week in self.weeks.values():
            found.update(week)
        return Rehearsed(
            days=(self.ends - self.began).days, seed=self.seed, people=len(self.players),
            vanished=tuple(sorted(player.name for player in self.players.values() if player.gone)),
            games=len(self.begun_at), begun=self.made, over=len(self.over), stuck=stuck, turns=found["turns"],
            per_turn=_spread(self.per_turn), waited=_spread(self.waited), letters=self.letters.count, late=self.late,
            erred=self.erred, reminders=self.kinds["reminder"], stopped=self.stopped, policies=policies,
            mails=dict(sorted(self.kinds.items())), umpire=dict(self.umpire.most_common()),
            troubles=dict(self.troubles.most_common()), weeks=tuple(self._told(n) for n in weeks),
            events=tuple(self.events), tournaments=tuple(self._tournaments()), left_out=self.left_out,
        )  # fmt: skip

    def _told(self, n: int) -> RehearsalWeek:
        week = self.weeks.get(n, Counter())
        return RehearsalWeek(
            going=self.going.get(n, 0), turns=week["turns"], over=week["over"], late=week["late"],
            filed=week["filed"], waited=round(week["waited"] / 24, 1), mails=week["mails"], umpire=week["umpire"],
        )  # fmt: skip

    def _tournaments(self) -> Iterator[str]:
        people = read_people(self.folder)
        for name in names(self.folder):
            one = current_tournament(self.folder, name)
            yield told.head(one) + (f", won by {told.name(one.winner, people)}" if one.winner else "")


def _spread(days: Iterable[float]) -> Spread:
    found = sorted(days)
    if not found:
        return Spread()
    return Spread(count=len(found), median=round(median(found), 2), worst=round(found[-1], 2))


def rehearse(
    club: Path, span: timedelta, now: datetime, *, rates: Rates | None = None, seed: str = "1", games: int = 0,
    settings: Mapping[str, str] | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Rehearsed:  # fmt: skip
    """Simulate a club for ``span``, starting with its present games, and return the results.

    The club itself is not changed.

    Args:
        club: The folder of the club.
        span: The length of the simulated time.
        now: The time at which the simulation starts.
        rates: How the simulated people behave.
        seed: Seed of all random choices.
        games: Number of games that should be running; missing ones are created each week. With 0, none are created.
        settings: Changed settings of host.toml by key, such as ``deadlines.late``.
        progress: Called with two numbers: the simulated hours done and the hours in total.

    Raises:
        GameError: The club cannot be read, or it has no games and no tournaments and ``games`` is 0.
    """
    with TemporaryDirectory(prefix="pbem-rehearsal-") as work:
        rehearsal = Rehearsal(club, Path(work), span, rates or Rates(), seed, games, now, settings)
        if not games and not game_folders(rehearsal.folder) and not names(rehearsal.folder):
            text = "add --games 25: this club has no games or tournaments yet to rehearse"
            raise GameError.saying("nothing-to-rehearse", text, file=str(club))
        return rehearsal.play(progress)
