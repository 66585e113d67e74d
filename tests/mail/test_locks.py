"""Whatever changes a game has the game's lock while it does: commands that are given while a host is at work, and the
round itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from tests.cuts import operations, unheld

if TYPE_CHECKING:
    from tests.mail.hosted import Hosted, answer
else:
    from post_hosted import Hosted, answer

BY_HAND: dict[str, tuple[str, ...]] = {
    "invite": ("host", "invite", "GAME"),
    "extend": ("host", "extend", "GAME", "2 days", "--reason", "r"),
    "extend all": ("host", "extend", "CLUB", "2 days", "--all", "--reason", "r"),
    "replace": ("host", "replace", "GAME", "klingon", "x@example.org"),
    "vacant": ("host", "player", "GAME", "klingon", "--vacant"),
    "pause": ("pause", "GAME", "--reason", "r"),
    "override": ("override", "GAME", "Destruction shield 2 = 3", "--reason", "r"),
    "submit": ("submit", "GAME", "ORDERS"),
}


def by_hand(line: tuple[str, ...], hosted: Hosted) -> Callable[[], object]:
    """A command on the game, after its first round: nobody has answered."""
    if line[1] != "invite":
        hosted.round()
    orders = hosted.folder / "klingon.orders"
    orders.write_text(hosted.scripted("klingon"), encoding="utf-8")
    where = {"GAME": str(hosted.game), "CLUB": str(hosted.folder), "ORDERS": str(orders)}
    said = [where.get(word, word) for word in line]
    return lambda: done_without_a_word_against(said)


def done_without_a_word_against(said: list[str]) -> None:
    done = CliRunner().invoke(app, said)
    assert done.exit_code == 0, (done.output, done.exception)


def first_round(hosted: Hosted) -> Callable[[], object]:
    return hosted.round


def round_with_letters(hosted: Hosted) -> Callable[[], object]:
    """Orders come in, a turn is played, somebody has a question."""
    hosted.round()
    answer(hosted, "federation", "klingon")
    hosted.post(hosted.letter("klingon", "MESSAGE TO federation\nGood luck!\nEND MESSAGE\n"))
    return hosted.round


WORKS: dict[str, Callable[[Hosted], Callable[[], object]]] = {
    **{name: partial(by_hand, line) for name, line in BY_HAND.items()},
    "first round": first_round,
    "round": round_with_letters,
}


DEAR = ("override", "replace", "round")


@pytest.mark.parametrize("name", [pytest.param(one, marks=pytest.mark.slow) if one in DEAR else one for one in WORKS])
def test_nothing_of_a_game_is_changed_without_its_lock(name: str, hosted: Hosted) -> None:
    done: list[str] = []
    work = WORKS[name](hosted)
    alone = unheld(lambda: done.extend(operations(work, under=hosted.game)), game=hosted.game)
    assert done and not alone
