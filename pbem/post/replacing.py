"""A side gets another player."""

from __future__ import annotations

from datetime import datetime

from pbem.desk.answers import answers
from pbem.desk.folder import GameFolder
from pbem.desk.players import Tenure, players, replace_player
from pbem.desk.publish import publish
from pbem.faults import GameError
from pbem.post.clock import Rule
from pbem.post.endings import forget
from pbem.post.naming import remember_names
from pbem.post.people import People, read_people
from pbem.post.rounds import read_rounds
from pbem.post.settings import game_rule, host_of, read_host
from pbem.post.timetable import NEVER, read_clock, write_clock
from pbem.post.vacancies import offer, vacant
from pbem.post.who import player_addresses, renew_token


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
    home = host_of(game.path)
    people = read_people(home) if home is not None else People()
    if not player_addresses(player) and people.find(player) is None:
        raise GameError.saying("address", f"{player!r} is no mail address, and nobody of players.toml")
    # The token first: stopped in between, the old player is shut out and nobody else let in.
    renew_token(game, name)
    before = players(game.path, game.terms).get(name, "")
    state = game.state()
    turn = state.request.turn if state.request is not None else state.turn
    if name in vacant(game.path):
        offer(game, name, vacant_now=False)
    forget(game.path, name)
    replace_player(game.path, Tenure(side=name, before=before, player=player, at=now, turn=turn))
    remember_names(game.path, game.terms, people)
    clock = read_clock(game.path)
    owes = state.request is not None and name in state.request.sides and name not in answers(game)[0]
    if owes and clock.asked is not None:
        rounds = (read_rounds(home) if home is not None else NEVER).at(now)
        began = clock.begun(clock.asking, now, rounds)
        rule = game_rule(read_host(home), game.path) if home is not None else Rule()
        old, new = clock.times(rule, rounds), began.times(rule, rounds)
        if old is None or new is None or new.due > old.due:
            write_clock(game.path, began)
    publish(game)  # reports name who plays
    return name
