"""What the umpire may ask of a hosted game besides playing it: inviting its players, and giving a side another one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

from pbem.desk.folder import GameFolder
from pbem.desk.opened import opened
from pbem.desk.players import players
from pbem.desk.publish import publish
from pbem.faults import GameError
from pbem.post import announcing, inviting
from pbem.post.addresses import move_by_hand
from pbem.post.clock import span
from pbem.post.ledger import held
from pbem.post.outbox import open_outbox
from pbem.post.people import Move
from pbem.post.rounds import read_rounds
from pbem.post.settings import broken_by, game_folders, game_rule, host_of, read_host
from pbem.post.timetable import Said, extend as give_time, start
from pbem.post.vacancies import offer
from pbem.post.who import Seat, games_in, seats
from pbem.report.public import name_of


def invite(path: Path, now: datetime) -> list[str]:
    """Put the first mails into the outbox of those who have none yet, and let the clock begin; returns their sides."""
    if (folder := host_of(path)) is None:
        text = "this game lies in no host's folder; `pbem host init DIR` makes one, and games go under DIR/games/"
        raise GameError.saying("no-host", text, file=str(path))
    host = read_host(folder)
    # Before the game is locked: this gives tokens to those who have none.
    games = games_in(folder, umpire=host.umpire, orders=host.orders, tags=host.tags, web=host.web)
    outbox = open_outbox(folder, host, games)
    with opened(path, lock="host invite") as game:
        said, rule = Said(path), game_rule(host, path)
        folders = announcing.published(game) or [publish(game)]
        who = sorted(players(path, game.terms).items())
        mine = [seat for seat in games.seats if seat.folder.resolve() == path.resolve()]
        rounds = read_rounds(folder)
        found = start(game, now, rounds.at(now)).times(rule, rounds.at(now))
        when = announcing.deadline(found, rule, now) if found else ""
        inviting.begin(said, folders, mine)
        return [
            seat.side
            for seat in mine
            if inviting.invite(said, game, games, seat, folders[-1], rule, who, when, outbox.put)
        ]


class Extended(msgspec.Struct, frozen=True, kw_only=True):
    """A game whose deadline is later: until when (``None``: nothing is asked there), whether it is so by this command,
    or what kept the deadline from being moved.
    """

    game: str
    due: datetime | None = None
    new: bool = False
    trouble: str = ""


def extend(path: Path, by: str, now: datetime, reason: str, *, player: str = "", every: bool = False) -> list[Extended]:
    """Give more time for what is asked in a game, or in a club's games: those of a ``player`` who is asked, or in
    ``every`` one. The next round tells everybody. For the same reason a request has the same time once: a command that
    was stopped in the middle may be given again. Raises :class:`GameError`.
    """
    if (long := span(by)) is None or not long:
        raise GameError.saying("deadline-rule", f"{by!r} is no span of time like '3 days' or '1 day 12 hours'")
    if not reason.strip() or "\n" in reason:
        raise GameError.saying("reason", "an extension has a reason, in one line: everybody is told it")
    one = (path / "game.toml").is_file()
    if one and (player or every):
        raise GameError.saying("wrong-usage", "--player and --all are for a club's folder, not for a game's")
    if not one and bool(player) == every:
        raise GameError.saying("wrong-usage", "of a club, --player WHO or --all says which games", file=str(path))
    if one and host_of(path) is None:
        raise GameError.saying("no-host", "this game lies in no host's folder, so it has no deadline", file=str(path))
    if not one:
        read_host(path)
    found = []
    for folder in [path] if one else game_folders(path):
        try:
            # Before the game is locked: this gives tokens to those who have none.
            seated = seats(folder) if player else []
            with opened(folder, lock="host extend") as game:
                request = game.state().request
                asked = request.sides if request is not None else ()
                theirs = [seat for seat in seated if seat.side in asked and _plays(seat, game, player)]
                if player and not theirs:
                    continue
                if not one and request is None:
                    continue
                new, due = give_time(game, long, now, f"umpire {int(long.total_seconds())} {reason}", reason=reason)
                found.append(Extended(game=folder.name, due=due, new=new))
        except GameError as error:
            if one:
                raise
            found.append(Extended(game=folder.name, trouble=broken_by(error)))
    return found


def move(club: Path, who: str, new: str, now: datetime) -> Move:
    """Have the mail of somebody sent elsewhere in all games of a club. Raises :class:`GameError`."""
    host = read_host(club)
    games = games_in(club, umpire=host.umpire, orders=host.orders, tags=host.tags, web=host.web)
    outbox = open_outbox(club, host, games)
    with held(games.post):
        found, letters = move_by_hand(club, games, who, new, now)
        for letter in letters:
            outbox.put(letter)
    return found


def vacate(game: GameFolder, side: str, *, now: bool = True) -> str:
    """Say that others may take a side over, or no longer may; returns its name. The caller holds the lock."""
    if host_of(game.path) is None:
        text = "this game lies in no host's folder, so nobody can be asked"
        raise GameError.saying("no-host", text, file=str(game.path))
    return offer(game, side, vacant_now=now)


def _plays(seat: Seat, game: GameFolder, who: str) -> bool:
    """Whether somebody plays a side: by an address of his, by his key or name in players.toml, or by the name the game
    has.
    """
    wanted = " ".join(who.split()).casefold()
    names = (seat.person, seat.name, name_of(players(game.path, game.terms)[seat.side]))
    return wanted in seat.addresses or (bool(wanted) and wanted in map(str.casefold, names))
