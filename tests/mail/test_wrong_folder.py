"""A club where a game is wanted, and a game where a club is: each is told as what it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.errors import GameError
from pbem.games.storage.opening import opened
from pbem.mail.host.operate import invite
from pbem.mail.settings import read_host
from tests.mail.hosted import Hosted


def _open(folder: Path) -> object:
    with opened(folder) as game:
        return game


@pytest.mark.parametrize("door", [_open, lambda folder: invite(folder, Hosted(folder.parent / "other").now)])
def test_a_club_is_no_game(hosted: Hosted, door: Callable[[Path], object]) -> None:
    with pytest.raises(GameError, match=r"this folder is a club; name one of its games, a folder in its folder games"):
        door(hosted.folder)


def test_a_game_is_no_club(hosted: Hosted) -> None:
    with pytest.raises(GameError, match=r"name the club's folder \(the one with host\.toml\), not a game's folder"):
        read_host(hosted.game)
