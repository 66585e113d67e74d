"""Summarize a club for its umpire: what the umpire must do, commands that help, and all games.

:func:`overview` reads the record of the last round (:class:`~pbem.mail.host.trouble.Heartbeat`), the games' clocks and
the fact ``resting``; it opens no game and changes nothing. :func:`tell` sends the umpire the same overview once a week,
even if all is well. So if the weekly email is missing, the umpire knows that the host has stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import read_kept
from pbem.mail import emails
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clocks import Rounds, read_rounds
from pbem.mail.host.deadlines import local_day, written
from pbem.mail.host.idle import RESTING, Rest, Seating
from pbem.mail.host.trouble import Heartbeat, Trouble, UnreachablePlayers, read_heartbeat
from pbem.mail.incoming.ledger import QUARANTINE
from pbem.mail.people import read_people
from pbem.mail.replies.reply import Reply, to_umpire
from pbem.mail.seats import host_games
from pbem.mail.settings import Host, broken_by, game_rule, games_under, misplaced, move_it, read_host
from pbem.mail.store import keep_fact, opened, read_fact
from pbem.mail.transport.outbox import FOLDER, MAIL, NOBODY, Failure, Outbox, commands, failure_sentences, file_words
from pbem.mail.umpires import RULING_FILE
from pbem.util import several, typed

if TYPE_CHECKING:
    from pbem.mail.host.backup import Deed  # importing it loads the engine

QUIET = timedelta(days=1)
"""If a host has done no round for this time, it is considered stopped."""


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Something in the overview that the umpire must act on.

    Attributes:
        text: A description.
        since: When it began, if known.
        commands: Shell commands that may help.
        red: Whether it stops the email or a game; a late player does not count as such.
    """

    text: str
    since: datetime | None = None
    commands: tuple[str, ...] = ()
    red: bool = True


class GameRow(msgspec.Struct, frozen=True, kw_only=True):
    """One game in the overview.

    Attributes:
        name: The name of the game.
        says: Its state as text.
        stands: Its state as a keyword: ``broken``, ``open``, ``paused``, ``over`` or ``""``.
        due: The deadline of its current request for orders, if any.
        owes: The sides that owed orders when the host last looked.
    """

    name: str
    says: str
    stands: str = ""
    due: datetime | None = None
    owes: tuple[str, ...] = ()


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a club for its umpire.

    Attributes:
        last: The time of the last round; ``None`` if there was none.
        needs: What the umpire must act on.
        games: All games.
        also: What the umpire may decide although nothing is wrong: emails in quarantine, rulings to confirm.
        waiting: How many emails wait to be sent.
        failed: How many emails failed.
    """

    last: datetime | None
    needs: tuple[Need, ...]
    games: tuple[GameRow, ...]
    also: tuple[Need, ...] = ()
    waiting: int = 0
    failed: int = 0

    @property
    def red(self) -> bool:
        """Whether the email or a game cannot go on until a person acts."""
        return any(need.red for need in self.needs)


def overview(folder: Path, now: datetime) -> Overview:
    """Return the state of a club for its umpire.

    A game that cannot be read gets an entry with the reason.

    Raises:
        GameError: The host's settings cannot be used.
    """
    host, heartbeat = read_host(folder), read_heartbeat(folder)
    home = folder / "games"
    under = games_under(home) if home.is_dir() else ([], [])
    rests = read_fact(folder / MAIL, RESTING, dict[str, Rest]) or {}
    rounds = read_rounds(folder)
    rows = [_row(game, host, rests.get(game.name), rounds, now) for game in under[0]]
    last = heartbeat.done or heartbeat.at
    broken = {name: f"cannot be read: {why}" for name, why in under[1]}
    broken |= {row.name: row.says for row in rows if row.stands == "broken"}
    needs = [_broken(folder, name, why) for name, why in sorted(broken.items())]
    failures = Outbox(folder / MAIL / FOLDER, host).failures()
    needs += _of_the_host(folder, heartbeat, last, now, broken)
    needs += [*_of_mails(folder, failures), *_of_players(folder, host, under)]
    needs += [
        Need(text=f"Nobody is asked for orders in {one.name}: {move_it(folder, one)}", red=False)
        for one in misplaced(folder)
    ]
    return Overview(
        last=last,
        needs=tuple(sorted(needs, key=lambda need: not need.red)),
        games=tuple(sorted(rows, key=lambda row: (_ORDER.index(row.stands), row.due or now, row.name))),
        also=(*_put_aside(folder), *_unconfirmed(folder, under[0], rests)),
        waiting=heartbeat.waiting,
        failed=len(failures),
    )


_ORDER = ("broken", "open", "paused", "", "over")


def _row(game: Path, host: Host, rest: Rest | None, rounds: Rounds, now: datetime) -> GameRow:
    try:
        clock, rule = timetable.read_clock(game), game_rule(host, game)
        due = clock.times(rule, rounds)
    except Exception as error:
        return GameRow(name=game.name, says=f"cannot be read: {broken_by(error)}", stands="broken")
    if rest is not None and not rest.waits:
        return GameRow(name=game.name, says="over", stands="over")
    if due is None:
        return GameRow(name=game.name, says="nothing is asked yet")
    if clock.paused is not None:
        why = f": {clock.reason}" if clock.reason else ""
        return GameRow(name=game.name, says=f"paused since {written(clock.paused, rule.zone)}{why}", stands="paused")
    says = f"turn {clock.asking[0]}, request {clock.asking[1]}: due {written(due.due, rule.zone)}"
    owes = rest.owes if rest is not None and rest.asking == clock.asking else ()
    says += f"; {', '.join(owes)} owed orders at the last round" if owes else ""
    says += "".join(f"; {one}" for one in clock.gone(local_day(now, rule.zone)))
    return GameRow(name=game.name, says=says, stands="open", due=due.due, owes=owes)


def _of_the_host(
    folder: Path, heartbeat: Heartbeat, last: datetime | None, now: datetime, broken: Iterable[str]
) -> Iterable[Need]:
    club = typed(folder)
    if last is None:
        yield Need(text="No round has been run yet", commands=(f"pbem doctor {club}", f"pbem host {club}"))
    elif now - last > QUIET:
        said = "No round has been run for a day: the host is not running"
        yield Need(text=said, since=last, commands=(f"pbem host {club} --once", f"pbem host {club}"))
    for key, trouble in sorted(heartbeat.troubles.items(), key=lambda pair: pair[1].first):
        # A game that still cannot be read has its own entry already.
        if trouble.seen == heartbeat.at and not any(
            key.startswith((f"broken {name} ", f"trouble {name}: ")) for name in broken
        ):
            yield Need(
                text=trouble.text, since=trouble.first, commands=_helps(folder, key, trouble), red=not trouble.calm
            )


def _of_mails(folder: Path, failures: Iterable[Failure]) -> Iterable[Need]:
    for who, text in failure_sentences(failures):
        yield Need(text=text, commands=commands(folder, who), red=False)


def _put_aside(folder: Path) -> Iterable[Need]:
    try:
        count = sum(path.suffix == ".eml" for path in (folder / MAIL / QUARANTINE).iterdir())
    except OSError:  # none was ever put aside, or the round says that the folder cannot be read
        return
    if count:
        text = f"{several(count, 'email was', 'emails were')} put aside, and you may accept {_them(count)}"
        yield Need(text=text, commands=(f"pbem host log {typed(folder)} --aside",), red=False)


def _unconfirmed(folder: Path, games: Iterable[Path], rests: Mapping[str, Rest]) -> Iterable[Need]:
    """Yield the unfinished games' rulings that were shown to the umpire by email and not confirmed."""
    for game in games:
        rest, file = rests.get(game.name), game / "mail" / RULING_FILE
        if (rest is not None and not rest.waits) or not file.is_file():
            continue
        from pbem.mail.commands.umpire import Pending  # which loads all that plays

        try:
            kept = read_kept(file, Pending)
        except GameError:
            continue  # an email about the ruling is answered with the reason
        if kept is not None and not kept.done:
            text = f"A ruling in {game.name} was shown and not confirmed: reply to that email with its DO IT line"
            yield Need(text=text, commands=(f"pbem host log {typed(folder)} --game {typed(game.name)}",), red=False)


def _them(count: int) -> str:
    return "it" if count == 1 else "them"


def _helps(folder: Path, key: str, trouble: Trouble) -> tuple[str, ...]:
    """Return shell commands that may help with a problem, chosen by the first word of the problem's key."""
    club, (what, *rest) = typed(folder), key.split(" ", 2)
    game = typed(folder / "games" / rest[0]) if rest else ""
    if what == "late":
        sides = trouble.text.partition(" waits for ")[2].partition(":")[0].split(", ")
        replace = tuple(f"pbem host replace {game} {side} ADDRESS" for side in sides if side)
        return (f"pbem pause {game}", *replace, f"pbem override {game} --result SIDE=RESULT --reason WHY")
    if what == "broken":
        return (f"pbem verify {game}",)
    if what == "stopped":
        return (f"pbem doctor {club}", f"pbem host {club} --once --anyway")
    if what == "login":
        return (f"pbem doctor {club}", f"pbem host login {club}")
    if what == "moved":
        return (f"pbem host move {club} --stay",)
    if what in ("restored", "elsewhere"):
        return (f"pbem host {club} --once --restored",)
    # The key of a problem in a game begins with the game's name.
    named = folder / "games" / (rest[0].rstrip(":") if rest else "")
    if what == "trouble" and rest and rest[0].endswith(":") and (named / "game.toml").is_file():
        return (f"pbem verify {typed(named)}",)
    return (f"pbem doctor {club}",)


def _of_players(folder: Path, host: Host, under: tuple[list[Path], list[tuple[str, str]]]) -> Iterable[Need]:
    lost = UnreachablePlayers(folder)
    if not lost.known:
        return
    seating = Seating(folder, under[0])
    seats = host_games(folder, host, under=under, seated=seating.of).seats
    for address, text in lost.told_by_address(seats, host.deadlines.zone):
        theirs = [seat for seat in seats if address in seat.addresses]
        club = typed(folder)
        who = typed(next((seat.person for seat in theirs if seat.person), address))
        # Either the person gets a new address, or the side a new player.
        commands = (
            f"pbem host player {club} {who} --mail ADDRESS",
            *(f"pbem host replace {typed(seat.folder)} {seat.side} ADDRESS" for seat in theirs),
        )
        yield Need(text=text, since=lost.known[address].since, commands=commands, red=False)


def _broken(folder: Path, name: str, why: str) -> Need:
    return Need(text=f"The game {name} {why}", commands=(f"pbem doctor {typed(folder)}",))


def in_words(club: Overview, zone: str) -> list[str]:
    """Return the lines of the overview that precede the list of games.

    They contain the time of the last round, what the umpire must do, and commands that may help.
    """
    lines = [f"The last round was {written(club.last, zone)}." if club.last else "No round has been run yet."]
    for need in (*club.needs, *club.also):
        since = f"since {written(need.since, zone)}" if need.since else ""
        if need.red:
            lines.append(f"Not in order{f' {since}' if since else ''}: {need.text}")
        else:
            lines.append(need.text)
        lines += [f"    {command}" for command in need.commands]
    if club.waiting:
        lines.append(f"{several(club.waiting, 'email waits', 'emails wait')} (mail/outbox/waiting).")
    return lines


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One email of the correspondence, as ``pbem host log`` shows it.

    Attributes:
        at: When it was handled or sent, in ISO format; when it was written if it waits or was sent by hand; empty if
            an earlier version did not record it.
        way: ``in`` for an incoming email, ``out`` for a sent one, ``waiting`` or ``failed``.
        who: The sender of an incoming email; the recipient of any other email.
        what: What was done with an incoming email; the kind of any other email.
        game: The game it was about, if any.
        side: The side it was about, if any.
        subject: Its subject. An incoming email has one only if it was put into quarantine.
        why: Why it was put into quarantine or could not be sent.
        file: Its file in ``mail/``; only if it was put into quarantine.
    """

    at: str
    way: str
    who: str
    what: str
    game: str = ""
    side: str = ""
    subject: str = ""
    why: str = ""
    file: str = ""

    @property
    def words(self) -> str:
        """The email as one line of text."""
        about = " ".join(filter(None, (self.what, self.game, self.side)))
        more = ": ".join(filter(None, (self.subject, self.why)))
        at = f"{self.at[:16].replace('T', ' ')} UTC" if self.at else "at some time"
        return f"{at:20}  {self.way:7}  {self.who or NOBODY}  {about}" + (f"  {more}" if more else "")


def correspondence(folder: Path, *, game: str = "", person: str = "") -> list[LogLine]:
    """Return the emails that were received, were sent, are waiting or have failed, in order of time.

    ``game`` is the name of a game. ``person`` is an address, or a key or name of players.toml. Each limits the result;
    ``""`` means all.

    Raises:
        GameError: The folder is not a host's, or its database or players.toml cannot be used.
    """
    host = read_host(folder)
    outbox = Outbox(folder / MAIL / FOLDER, host)
    with opened(folder / MAIL) as store:
        entries = [
            LogLine(
                at=one.at, way="in", who=one.sender, what=one.done, game=one.game, side=one.side, subject=one.subject,
                why=one.why, file=one.file,
            )
            for _, one in store.emails()
        ]  # fmt: skip
        sent = {one.name: one for one in (*outbox.moved_to_sent(), *store.sent())}
    entries += [_outgoing("out", one.name, one.reader, one.at, one.subject) for one in sent.values()]
    entries += [_outgoing("failed", one.path.name, one.reader, why=one.why) for one in outbox.failures()]
    entries += [_outgoing("waiting", one.name, one.reader, one.at, one.subject) for one in outbox.all_waiting()]
    named, theirs = file_words(game), _addresses(folder, person)
    return [
        one
        for one in sorted(entries, key=lambda one: (one.way not in ("in", "out"), one.at))
        if (not game or file_words(one.game) == named) and (not person or one.who.lower() in theirs)
    ]


def still_aside(folder: Path, emails_in: Iterable[LogLine]) -> list[LogLine]:
    """Return the emails in quarantine that still wait for the umpire."""
    return [one for one in emails_in if one.file and (folder / MAIL / one.file).is_file()]


def _outgoing(way: str, name: str, reader: str, at: str = "", subject: str = "", why: str = "") -> LogLine:
    what, game, side, *_ = (*name.split("."), "", "", "")
    return LogLine(at=at, way=way, who=reader, what=what, game=game, side=side, subject=subject, why=why)


def _addresses(folder: Path, who: str) -> set[str]:
    """Return all present and former addresses of the person ``who``, in lower case.

    ``who`` is an address, or a key or name of players.toml.
    """
    people, wanted = read_people(folder), " ".join(who.split()).casefold()
    addresses = {wanted, *people.now((wanted,)), *(old for old, new in people.moved.items() if new == wanted)}
    for person in people.meant(who).values():
        addresses |= {*person.addresses, *map(str.lower, person.was)}
    return addresses


WEEKLY: Final = "weekly"
WEEK: Final = timedelta(days=7)


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """The start of the period that the next weekly email to the umpire covers."""

    since: datetime
    format: int = 1


def tell(folder: Path, host: Host, now: datetime, deeds: Iterable[Deed], put: Callable[[Reply], object]) -> None:
    """Put the weekly email to the umpire into the outbox, if a week is over.

    ``deeds`` are the rounds in which something happened. The key of the email contains the start of the week, so
    that an interrupted round does not send it twice. The function ``put`` puts an email into the outbox.
    """
    week = read_fact(folder / MAIL, WEEKLY, Week)
    if week is None or now < week.since:  # the first week begins now, or the clock was set back
        keep_fact(folder / MAIL, WEEKLY, Week(since=now))
        return
    if now - week.since < WEEK:
        return
    if host.umpire:
        done = [deed for deed in deeds if week.since < deed.at <= now]
        put(letter(folder, host, week.since, done, overview(folder, now)))
    # On the same day of the week as before, however long the host was off.
    keep_fact(folder / MAIL, WEEKLY, Week(since=week.since + (now - week.since) // WEEK * WEEK))


def letter(folder: Path, host: Host, since: datetime, done: list[Deed], club: Overview) -> Reply:
    """Return the weekly email to the umpire.

    Args:
        folder: The club's folder.
        host: Its settings.
        since: The start of the week.
        done: The rounds of that week in which something happened.
        club: The state of the club.
    """
    zone = host.deadlines.zone
    sent, came = sum(len(deed.sent) for deed in done), sum(len(deed.letters) for deed in done)
    watched = sum(name.startswith("watch.") for deed in done for name in deed.sent)
    email = emails.render(
        "weekly",
        folder,
        club=host.name,
        since=written(since, zone),
        letters=several(came, "email"),
        mails=several(sent - watched, "email") + (f", and {watched} to spectators," if watched else ""),
        needs=several(len(club.needs), "thing needs", "things need") if club.needs else "",
        state=in_words(club, zone),
        games=[f"{row.name}: {row.says}" for row in club.games],
    )
    return to_umpire(host.umpire, email.subject, email.text, f"your club {since.isoformat()}", page="season")
