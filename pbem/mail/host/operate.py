"""Carry out the umpire's actions on hosted games, and move a club to another machine.

The umpire can invite players, extend deadlines, enter absences, change addresses, and offer a side to
others. ``pbem host move`` packs a club for another machine. From then on the old folder does nothing
(``mail/moved.json``), even if its cron job still runs, so that the club never runs twice. The other machine unpacks
the club with :mod:`pbem.mail.host.backup`.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pbem.errors import GameError
from pbem.games.storage.files import keep, remove
from pbem.games.storage.folder import GameFolder, locked
from pbem.games.storage.opening import opened
from pbem.games.storage.players import players
from pbem.games.storage.publish import publish
from pbem.mail.commands.seats import move_by_hand, offer, somebody, tell
from pbem.mail.commands.time import Absence, add_absence, days_meant, end_absences, read_absences
from pbem.mail.host.backup import MOVED, Backup, CopyCheck, Elsewhere, MovedClub, backup, moved_from
from pbem.mail.host.clocks import Grounds, SentNotices, due_of, extend as give_time, given, read_rounds, start
from pbem.mail.host.deadlines import UNTIL, Days, bounds, last_day, local_day, span, written
from pbem.mail.incoming.ledger import held
from pbem.mail.people import Move, Roll, read_people, remember_names
from pbem.mail.replies import announce
from pbem.mail.seats import Seat, host_games, seats
from pbem.mail.settings import broken_by, game_folders, game_rule, host_of, read_host
from pbem.mail.transport.outbox import open_outbox
from pbem.reports.html.public import name_of
from pbem.util import typed


def invite(path: Path, now: datetime) -> list[str]:
    """Queue the first emails to players who have not got one yet; return the sides of these players.

    The time for the first orders of these players starts.

    Raises:
        GameError: The folder is not a game, or the game is not in a host's folder.
    """
    if (folder := host_of(path)) is None:
        text = "move the game to DIR/games/ of a host (`pbem host init DIR` makes one): it is not in a host's folder"
        with opened(path):  # raises another error if the folder is no game at all
            raise GameError.saying("no-host", text, file=str(path))
    host = read_host(folder)
    # Before the game is locked, because this creates missing tokens under the same lock.
    games = host_games(folder, host)
    outbox = open_outbox(folder, host, games)
    with opened(path, lock="host invite") as game:
        notices, rule = SentNotices(path), game_rule(host, path)
        folders = announce.published(game) or [publish(game)]
        mine = [seat for seat in games.seats if seat.folder.resolve() == path.resolve()]
        rounds = read_rounds(folder)
        remember_names(path, game.terms, read_people(folder))
        clock = start(game, now, rounds.at(now))
        deadlines = clock.times(rule, rounds.at(now))
        when = announce.deadline_words(deadlines, rule, now) if deadlines else ""
        notices.queue(announce.begin(notices.known, folders, mine), outbox.put)
        invited = []
        for seat in mine:
            above = announce.above_sitrep(game, seat, when, clock)
            first = announce.invite(notices.known, game, games, seat, folders[-1], rule, above)
            if first is not None:
                notices.queue(first, outbox.put)
                invited.append(seat.side)
        return invited


class Extended(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an attempt to extend one game's deadline.

    Attributes:
        game: The name of the game's folder.
        due: The deadline; ``None`` if the game waits for no orders.
        new: Whether this command extended it.
        enough: Whether the deadline was already at or after the requested time.
        trouble: Why the deadline could not be extended.
    """

    game: str
    due: datetime | None = None
    new: bool = False
    enough: bool = False
    trouble: str = ""


def extend(path: Path, by: str, now: datetime, reason: str, *, player: str = "", every: bool = False) -> list[Extended]:
    """Extend the deadline of a game, or of several games in a club, and return a result for each.

    The host's next round informs all players. The same reason extends a request's deadline only once, so an
    interrupted command can be repeated.

    Args:
        path: The folder of a game or of a club.
        by: A length of time, or a day such as ``until Sunday`` or ``until 2027-03-09`` (to the end of that day).
        now: The current time.
        reason: The reason in one line; all players read it.
        player: A player; only the games of a club that wait for this player's orders are extended.
        every: Whether to extend the deadlines in all games of a club.

    Raises:
        GameError: The arguments are wrong, or the deadline cannot be extended.
    """
    single = (path / "game.toml").is_file()
    _verify_extension(path, by, reason, chosen=bool(player) + every, single=single)
    found = []
    for folder in [path] if single else game_folders(path):
        try:
            if (result := _extended_for(path, folder, by, now, reason, player, single=single)) is not None:
                found.append(result)
        except GameError as error:
            if single:
                raise
            found.append(Extended(game=folder.name, trouble=broken_by(error)))
    return found


def _extended_for(
    path: Path, folder: Path, by: str, now: datetime, reason: str, player: str, *, single: bool
) -> Extended | None:
    """Extend the deadline of the game in ``folder``, and return the result; ``None`` if it is left out.

    In a club (``single`` is false), games without a request for orders are left out. So are games that wait for no
    orders of ``player``, if one is given.
    """
    # Before the game is locked, because this creates missing tokens under the same lock.
    seated = seats(folder) if player else []
    roll = read_people(path) if player else Roll()
    with opened(folder, lock="host extend") as game:
        request = game.state().request
        asked = request.sides if request is not None else ()
        if player and not any(seat.side in asked and _plays(seat, game, player, roll) for seat in seated):
            return None
        if not single and request is None:
            return None
        return _extended(game, by, now, reason, anyway=not single)


def _verify_extension(path: Path, by: str, reason: str, *, chosen: int, single: bool) -> None:
    """Check the arguments of :func:`extend`.

    ``chosen`` is the number of arguments given among ``player`` and ``every``.

    Raises:
        GameError: An argument is wrong, or no host sets deadlines for the game.
    """
    if not span(by) and UNTIL.fullmatch(by.strip()) is None:
        text = f"write a length of time, like '3 days', or a day, like 'until 2027-03-09', not {by!r}"
        raise GameError.saying("deadline-rule", text)
    if not reason.strip() or "\n" in reason:
        raise GameError.saying("reason", "give a reason for the extension, in one line: everybody reads it")
    if single and chosen:
        raise GameError.saying("wrong-usage", "use --player and --all with a club's folder, not with a game's")
    if not single and chosen != 1:
        raise GameError.saying(
            "wrong-usage", "add --player WHO or --all, to say which games of the club", file=str(path)
        )
    if single and host_of(path) is None:
        raise GameError.saying("no-host", "this game is not in a host's folder, so it has no deadline", file=str(path))
    if not single:
        read_host(path)


def _extended(game: GameFolder, by: str, now: datetime, reason: str, *, anyway: bool) -> Extended:
    """Extend one game's deadline by a length of time, or to the end of a day, and return the result.

    Raises:
        GameError: The day is past, or the deadline is already at or after the requested time. With ``anyway`` only a
            past day is an error.
    """
    long, name = span(by), game.path.name
    cause = f"umpire {int(long.total_seconds()) if long else ' '.join(by.split()).casefold()} {reason}"
    current = due_of(game.path, now)
    if not long and current is not None and not given(game, cause):
        times, rule, _ = current
        last = last_day(by, local_day(now, rule.zone))
        if last is None:
            raise GameError.saying("deadline-rule", f"give a later day: {by!r} is past", file=str(game.path))
        long = bounds(Days(last, last), rule.zone)[1] - max(times.due, now)
        if long <= timedelta():
            if anyway:
                return Extended(game=name, due=times.due, enough=True)
            text = f"give a later day: orders are already due {written(times.due, rule.zone)}"
            raise GameError.saying("deadline-rule", text, file=str(game.path))
    new, due = give_time(game, long or timedelta(), now, Grounds(cause=cause, reason=reason))
    return Extended(game=name, due=due, new=new)


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """The result of :func:`away`: the recorded days of absence, and the games that the player plays.

    The days are ``None`` if the player is back.
    """

    days: Days | None
    games: tuple[str, ...]


def away(club: Path, who: str, text: str, now: datetime) -> Gone:
    """Record, on the umpire's command, that a player is away or back again; return what was recorded.

    ``text`` is a text like ``2027-07-01 to 2027-07-14``, ``until Sunday``, ``5 days`` or ``off``. ``who`` is an
    address, or a key or name of players.toml. The club's limit for absences by email does not apply.

    Raises:
        GameError: The player is unknown, or the text has no days or only past ones.
    """
    host = read_host(club)
    games = host_games(club, host)
    today = local_day(now, host.deadlines.zone)
    with held(games.post):
        key, address, seats = somebody(club, games, who)
        theirs = tuple(sorted({one.game for one in seats}))
        if text.strip().casefold() == "off":
            end_absences(games.post, lambda one: (one.who, one.person) == (address, key), today)
            return Gone(days=None, games=theirs)
        days = days_meant(text, today)
        if days is None or days.last < today:
            why = "past" if days is not None else "not like 'until 2027-07-14', '2027-07-01 to 2027-07-14' or '5 days'"
            raise GameError.saying("deadline-rule", f"{text!r} is {why}", file=str(club))
        gone = Absence(who=address, days=days, cause=f"umpire {now.isoformat()}", person=key)
        if not any((one.who, one.person, one.days) == (address, key, days) for one in read_absences(games.post)):
            add_absence(games.post, gone)
    return Gone(days=days, games=theirs)


def move_address(club: Path, who: str, new: str, now: datetime) -> Move:
    """Change the address of a player in all games of a club, and return the change.

    ``who`` is an address, or a key or name of players.toml. Both addresses are informed.

    Raises:
        GameError: The player is unknown or the address cannot be used.
    """
    host = read_host(club)
    games = host_games(club, host)
    outbox = open_outbox(club, host, games)
    with held(games.post):
        move = move_by_hand(club, games, who, new, now)
        tell(games, outbox.put)
    return move


def vacate(game: GameFolder, side: str, *, now: bool = True) -> str:
    """Offer a side of a game to other players, or withdraw the offer, and return the side's name.

    With ``now`` false the offer is withdrawn. The caller must hold the game's lock.

    Raises:
        GameError: The game is not in a host's folder or over, there is no such side, or a computer plays it.
    """
    if host_of(game.path) is None:
        text = "this game is not in a host's folder, so nobody can be asked"
        raise GameError.saying("no-host", text, file=str(game.path))
    return offer(game, side, vacant_now=now)


def _plays(seat: Seat, game: GameFolder, who: str, roll: Roll) -> bool:
    """Return whether the person ``who`` is the player of this seat (side played by email).

    ``who`` may be a present or former address, a key or name in players.toml, or the name in the game.
    """
    wanted = " ".join(who.split()).casefold()
    names = (seat.person, seat.name, name_of(players(game.path, game.terms)[seat.side]))
    by_address = {wanted, *roll.now([wanted])} & {*seat.addresses} or seat.person in roll.meant(who)
    return bool(by_address) or (bool(wanted) and wanted in map(str.casefold, names))


def move_club(folder: Path, file: Path, now: datetime, state: Path | None = None) -> Backup:
    """Pack a club into a file for another machine; the host of this folder does nothing from then on.

    The folder ``state`` of this account records that the club continues elsewhere. Return a description of the file.

    Raises:
        GameError: The club cannot be packed; then it stays here.
    """
    read_host(folder)
    if (before := moved_from(folder)) is not None:
        text = f"this club was already packed in {before.file}; to keep it here, run `pbem host move DIR --stay`"
        raise GameError.saying("moved", text, file=str(folder))
    with locked(folder, "host move"):  # no round is running, and later rounds do nothing
        keep(folder / MOVED, MovedClub(at=now, file=str(file)), indent=True)
    try:
        made = backup(folder, file)
    except BaseException:
        remove(folder / MOVED)
        raise
    if state is not None:
        with suppress(GameError, OSError):  # a home folder without write access must not prevent the move
            CopyCheck(folder, state).left(now)
    return made


def verify_here(folder: Path, zone: str) -> None:
    """Check that the club of this folder was not packed to move away.

    ``zone`` is the time zone for the error message.

    Raises:
        Elsewhere: The club was packed to continue on another machine.
    """
    if (moved := moved_from(folder)) is not None:
        again = f"pbem host move {typed(folder)} --stay"
        text = (
            f"switch off this host, or run `{again}` to keep the club here. It was packed to move to another machine "
            f"on {written(moved.at, zone)}, so the host here does nothing"
        )
        raise Elsewhere.saying("moved", text, file=str(folder))


def stay(folder: Path, state: Path | None = None) -> None:
    """Cancel the move of a club to another machine: it continues in this folder.

    Raises:
        GameError: The club was not packed to move.
    """
    read_host(folder)
    if moved_from(folder) is None:
        raise GameError.saying("not-moved", "this club was not packed for a move; nothing to undo", file=str(folder))
    if state is not None:
        with suppress(GameError, OSError):
            CopyCheck(folder, state).stays()
    remove(folder / MOVED)
