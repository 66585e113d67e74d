"""What the umpire may ask of a hosted game besides playing it: inviting its players, and giving a side another one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pbem.desk.answers import answers
from pbem.desk.folder import GameFolder
from pbem.desk.opened import opened
from pbem.desk.players import Tenure, players, replace_player
from pbem.desk.publish import publish
from pbem.faults import GameError
from pbem.post import announcing, inviting
from pbem.post.clock import Rule
from pbem.post.outbox import open_outbox
from pbem.post.replies import Reply
from pbem.post.rounds import read_rounds
from pbem.post.settings import game_rule, host_of, read_host
from pbem.post.timetable import NEVER, Said, read_clock, start, write_clock
from pbem.post.who import Seat, games_in, player_addresses, renew_token


def _host_of(game: Path) -> Path:
    """The host's folder a game lies in. Raises :class:`GameError` if it lies in none."""
    if (folder := host_of(game)) is not None:
        return folder
    text = "this game lies in no host's folder; `pbem host init DIR` makes one, and games go under DIR/games/"
    raise GameError.saying("no-host", text, file=str(game))


def invite(path: Path, now: datetime) -> list[str]:
    """Put the first mails into the outbox of those who have none yet, and let the clock begin; returns their sides."""
    folder = _host_of(path)
    host = read_host(folder)
    # Before the game is locked: this gives tokens to those who have none.
    games = games_in(folder, umpire=host.umpire, orders=host.orders, tags=host.tags)
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
        wrote = []
        for seat in mine:
            above = announcing.above_sitrep(game, seat, when)

            def first(seat: Seat = seat, above: announcing.Above = above) -> Reply:
                return inviting.first_mail(game, games, seat, folders[-1], rule, who, above)

            if inviting.invite(said, game, seat, folders[-1], first, outbox.put):
                wrote.append(seat.side)
        return wrote


def replace(game: GameFolder, side: str, player: str, now: datetime) -> str:
    """Give a side another player, and a new token; returns the side's name. The caller holds the lock.

    Where orders of that side are wanted their time begins anew, for everybody who is asked: nobody inherits a deadline
    that is past.
    """
    sides = list(game.terms.sides)
    name = next((one for one in sides if one.casefold() == side.casefold()), "")
    if not name:
        raise GameError.saying("wrong-side", f"there is no side {side!r}; the sides are {', '.join(sides)}")
    if game.state().sides[name].robot:
        raise GameError.saying("wrong-side", f"{name} is played by the robot, from the beginning to the end")
    if not player_addresses(player):
        raise GameError.saying("address", f"{player!r} is no mail address")
    # The token first: stopped in between, the old player is shut out and nobody else let in.
    renew_token(game, name)
    before = players(game.path, game.terms).get(name, "")
    state = game.state()
    replace_player(
        game.path,
        Tenure(
            side=name,
            before=before,
            player=player,
            at=now,
            turn=state.request.turn if state.request is not None else state.turn,
        ),
    )
    clock = read_clock(game.path)
    owes = state.request is not None and name in state.request.sides and name not in answers(game)[0]
    if owes and clock.asked is not None:
        home = host_of(game.path)
        rounds = (read_rounds(home) if home is not None else NEVER).at(now)
        began = clock.begun(clock.asking, now, rounds)
        rule = game_rule(read_host(home), game.path) if home is not None else Rule()
        old, new = clock.times(rule, rounds), began.times(rule, rounds)
        if old is None or new is None or new.due > old.due:
            write_clock(game.path, began)
    publish(game)  # reports name who plays
    return name
