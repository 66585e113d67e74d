"""A club at a glance, for its umpire: what needs him first, each with the command that helps, then every game.

All of it is read from what the last round left (``mail/status.json``, ``mail/resting.json``) and from the games'
clocks; no game is opened, so a hundred of them are told at once. Nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pbem.counts import several
from pbem.games.storage.files import read_kept
from pbem.games.typed import typed
from pbem.mail.host import clocks as timetable
from pbem.mail.host.clock_faults import Rounds, read_rounds
from pbem.mail.host.deadlines import local_day, written
from pbem.mail.host.heartbeat import Heartbeat, Trouble, read_heartbeat
from pbem.mail.host.resting import FILE as RESTING, Rest
from pbem.mail.host.seating import Seating
from pbem.mail.host.unreachable import Unreachable
from pbem.mail.seats import games_in
from pbem.mail.settings import Host, broken_by, game_rule, games_under, misplaced, move_it, read_host
from pbem.mail.transport.failed import Failure, commands, told
from pbem.mail.transport.outbox import FOLDER, MAIL, Outbox

QUIET = timedelta(days=1)
"""A host that did no round for so long is not at work."""


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """Something that needs the umpire, since when where that is known, and the commands he may choose from. ``red`` is
    what keeps the post or a game from going on; who is late does not.
    """

    text: str
    since: datetime | None = None
    commands: tuple[str, ...] = ()
    red: bool = True


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A game: what it waits for in words, when that is due, and which sides owed orders at the last round."""

    name: str
    says: str
    stands: str = ""
    due: datetime | None = None
    owes: tuple[str, ...] = ()


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """What a club's umpire is told. ``red`` is whether anything of it keeps the club from going on."""

    last: datetime | None
    needs: tuple[Need, ...]
    games: tuple[Row, ...]
    waiting: int = 0
    failed: int = 0

    @property
    def red(self) -> bool:
        """Whether something needs a person now."""
        return any(need.red for need in self.needs)


def overview(folder: Path, now: datetime) -> Overview:
    """How a host's folder stands. Raises :class:`GameError` where its settings cannot be used; a game that cannot be
    read has a line of its own.
    """
    host, found = read_host(folder), read_heartbeat(folder)
    home = folder / "games"
    under = games_under(home) if home.is_dir() else ([], [])
    rests = read_kept(folder / "mail" / RESTING, dict[str, Rest]) or {}
    rounds = read_rounds(folder)
    rows = [_row(game, host, rests.get(game.name), rounds, now) for game in under[0]]
    last = found.done or found.at
    broken = {name: f"cannot be read: {why}" for name, why in under[1]}
    broken |= {row.name: row.says for row in rows if row.stands == "broken"}
    needs = [_broken(folder, name, why) for name, why in sorted(broken.items())]
    failures = Outbox(folder / MAIL / FOLDER, host).failures()
    needs += _of_the_host(folder, found, last, now, broken)
    needs += [*_of_mails(folder, failures), *_of_players(folder, host, under)]
    needs += [
        Need(text=f"Nobody is asked for orders in {one.name}: {move_it(folder, one)}", red=False)
        for one in misplaced(folder)
    ]
    return Overview(
        last=last,
        needs=tuple(sorted(needs, key=lambda need: not need.red)),
        games=tuple(sorted(rows, key=lambda row: (_ORDER.index(row.stands), row.due or now, row.name))),
        waiting=found.waiting,
        failed=len(failures),
    )


_ORDER = ("broken", "open", "paused", "", "over")


def _row(game: Path, host: Host, rest: Rest | None, rounds: Rounds, now: datetime) -> Row:
    try:
        clock, rule = timetable.read_clock(game), game_rule(host, game)
        due = clock.times(rule, rounds)
    except Exception as error:
        return Row(name=game.name, says=f"cannot be read: {broken_by(error)}", stands="broken")
    if rest is not None and not rest.waits:
        return Row(name=game.name, says="over", stands="over")
    if due is None:
        return Row(name=game.name, says="nothing is asked yet")
    if clock.paused is not None:
        why = f": {clock.reason}" if clock.reason else ""
        return Row(name=game.name, says=f"paused since {written(clock.paused, rule.zone)}{why}", stands="paused")
    says = f"turn {clock.asking[0]}, request {clock.asking[1]}: due {written(due.due, rule.zone)}"
    owes = rest.owes if rest is not None and rest.asking == clock.asking else ()
    says += f"; {', '.join(owes)} owed orders at the last round" if owes else ""
    says += "".join(f"; {one}" for one in clock.gone(local_day(now, rule.zone)))
    return Row(name=game.name, says=says, stands="open", due=due.due, owes=owes)


def _of_the_host(
    folder: Path, found: Heartbeat, last: datetime | None, now: datetime, told: Iterable[str]
) -> Iterable[Need]:
    club = typed(folder)
    if last is None:
        yield Need(text="There was no round yet", commands=(f"pbem doctor {club}", f"pbem host {club}"))
    elif now - last > QUIET:
        said = "No round was done for a day: the host is not at work"
        yield Need(text=said, since=last, commands=(f"pbem host {club} --once", f"pbem host {club}"))
    for key, one in sorted(found.troubles.items(), key=lambda pair: pair[1].first):
        # A game that cannot be read now either has its line.
        if one.seen == found.at and not any(key.startswith((f"broken {name} ", f"trouble {name}: ")) for name in told):
            yield Need(text=one.text, since=one.first, commands=_helps(folder, key, one), red=not one.calm)


def _of_mails(folder: Path, failures: Iterable[Failure]) -> Iterable[Need]:
    for who, text in told(failures):
        yield Need(text=text, commands=commands(folder, who), red=False)


def _helps(folder: Path, key: str, trouble: Trouble) -> tuple[str, ...]:
    """What the umpire may do about a trouble; its key begins with what it is."""
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
    if what == "moved":
        return (f"pbem host move {club} --stay",)
    if what in ("restored", "elsewhere"):
        return (f"pbem host {club} --once --restored",)
    # What went wrong in a game begins with its name.
    named = folder / "games" / (rest[0].rstrip(":") if rest else "")
    if what == "trouble" and rest and rest[0].endswith(":") and (named / "game.toml").is_file():
        return (f"pbem verify {typed(named)}",)
    return (f"pbem doctor {club}",)


def _of_players(folder: Path, host: Host, under: tuple[list[Path], list[tuple[str, str]]]) -> Iterable[Need]:
    lost = Unreachable(folder)
    if not lost.known:
        return
    seating = Seating(folder, under[0])
    seats = games_in(folder, umpire=host.umpire, orders=host.orders, under=under, seated=seating.of).seats
    for address, text in lost.told_by_address(seats, host.deadlines.zone):
        theirs = [seat for seat in seats if address in seat.addresses]
        club = typed(folder)
        who = typed(next((seat.person for seat in theirs if seat.person), address))
        # The same person elsewhere, or somebody else.
        commands = (
            f"pbem host player {club} {who} --mail ADDRESS",
            *(f"pbem host replace {typed(seat.folder)} {seat.side} ADDRESS" for seat in theirs),
        )
        yield Need(text=text, since=lost.known[address].since, commands=commands, red=False)


def _broken(folder: Path, name: str, why: str) -> Need:
    return Need(text=f"The game {name} {why}", commands=(f"pbem doctor {typed(folder)}",))


def in_words(found: Overview, zone: str) -> list[str]:
    """The lines above the games: the last round, what needs a person, and the commands that help."""
    lines = [f"The last round was {written(found.last, zone)}." if found.last else "There was no round yet."]
    for need in found.needs:
        since = f"since {written(need.since, zone)}" if need.since else ""
        if need.red:
            lines.append(f"Not in order{f' {since}' if since else ''}: {need.text}")
        else:
            lines.append(need.text)
        lines += [f"    {command}" for command in need.commands]
    if found.waiting:
        lines.append(f"{several(found.waiting, 'mail waits', 'mails wait')} (mail/outbox/waiting).")
    return lines
