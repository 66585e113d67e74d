"""What the umpire may ask of a hosted game besides playing it: inviting its players, and giving a side another one."""

from __future__ import annotations

from pathlib import Path

from pbem.desk.folder import GameFolder, opened
from pbem.faults import GameError
from pbem.post import announcing
from pbem.post.outbox import open_outbox
from pbem.post.players import players, replace_player
from pbem.post.settings import game_rule, host_of, read_host
from pbem.post.timetable import Said
from pbem.post.who import games_in, player_addresses, renew_token


def _host_of(game: Path) -> Path:
    """The host's folder a game lies in. Raises :class:`GameError` if it lies in none."""
    if (folder := host_of(game)) is not None:
        return folder
    text = "this game lies in no host's folder; `pbem host init DIR` makes one, and games go under DIR/games/"
    raise GameError.saying("no-host", text, file=str(game))


def invite(path: Path) -> list[str]:
    """Put the invitations into the outbox of those who have none yet; returns their sides."""
    folder = _host_of(path)
    host = read_host(folder)
    # Before the game is locked: this gives tokens to those who have none.
    games = games_in(folder, umpire=host.umpire, orders=host.orders, tags=host.tags)
    outbox = open_outbox(folder, host, games)
    with opened(path, lock="host invite") as game:
        said, rule = Said(path), game_rule(host, path)
        who = sorted(players(path, game.terms).items())
        mine = [seat for seat in games.seats if seat.folder.resolve() == path.resolve()]
        waiting = [seat for seat in mine if announcing.thread_key(game, seat) not in said.known]
        return [seat.side for seat in waiting if outbox.put(announcing.invitation(game, games, seat, rule, who))]


def replace(game: GameFolder, side: str, player: str) -> str:
    """Give a side another player, and a new token; returns the side's name. The caller holds the lock."""
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
    replace_player(game.path, name, player)
    return name
