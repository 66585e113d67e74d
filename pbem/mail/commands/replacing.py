"""A side gets another player. What is decided is written into one file of the game and then carried out, so that a
command that is stopped is gone on from by the next one, or by the next round of the host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from pbem.errors import GameError
from pbem.games.answers import answers
from pbem.games.storage.files import keep, read_kept, remove
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, players, replace_player, tenures
from pbem.games.storage.publish import publish
from pbem.mail.commands.endings import forget
from pbem.mail.commands.vacancies import offer, vacant
from pbem.mail.host.clock_faults import read_rounds
from pbem.mail.host.clocks import NEVER, read_clock, write_clock
from pbem.mail.host.deadlines import Rule
from pbem.mail.naming import remember_names
from pbem.mail.people import People, read_people
from pbem.mail.seats import new_token, player_addresses, renew_token
from pbem.mail.settings import game_rule, host_of, read_host

FILE: Final = "replacing.json"
"""Beside the players of a game while one is replaced."""
AGAIN: Final = timedelta(minutes=10)
"""Within this time the same command for the same player is one that is given again."""


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """A change of player that is decided, and the token the new one gets."""

    tenure: Tenure
    token: str


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
    finish(game)
    last = next((one for one in reversed(tenures(game.path)) if one.side == name), None)
    before, state = players(game.path, game.terms).get(name, ""), game.state()
    turn = state.request.turn if state.request is not None else state.turn
    if before == player and last is not None and last.at is not None and now - last.at < AGAIN:
        return name  # a command that was stopped is given again, and it is done already
    decided = Decided(tenure=Tenure(side=name, before=before, player=player, at=now, turn=turn), token=new_token())
    keep(game.path / "secret" / FILE, decided)  # from here on it is decided
    finish(game)
    return name


def finish(game: GameFolder) -> None:
    """Carry out what was decided and is not done: by this command, or by one that was stopped. However often this is
    cut off, it comes to the same. The caller holds the lock.
    """
    file = game.path / "secret" / FILE
    decided = read_kept(file, Decided)
    if decided is None:
        return
    one, name, now = decided.tenure, decided.tenure.side, decided.tenure.at
    assert now is not None
    home, state = host_of(game.path), game.state()
    people = read_people(home) if home is not None else People()
    # The token first: stopped in between, the old player is shut out and nobody else let in.
    renew_token(game, name, decided.token)
    if name in vacant(game.path):
        offer(game, name, vacant_now=False)
    forget(game.path, name)
    replace_player(game.path, one)
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
    remove(file)


def finish_all(folders: Iterable[Path], kept: Callable[[Path], AbstractContextManager[None]]) -> None:
    """:func:`finish` for games in which a command was stopped; ``kept`` keeps the trouble of one from the others."""
    for folder in folders:
        if (folder / "secret" / FILE).is_file():
            with kept(folder), opened(folder, lock="host") as game:
                finish(game)
