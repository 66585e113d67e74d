"""What is taken back and played again: what cannot be, what is told, and which old answers serve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace

from pbem.data.terms import FormKind, StepName
from pbem.engine.events import Conceded, HouseRuled, Record, Reran, Undone
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.messages import pass_on
from pbem.games.storage.files import read_order_file
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import Receipt
from pbem.games.umpire.decree import Decree
from pbem.games.umpire.rerun import _asks, _EarlierRequest, _Plan, _Run, differences
from pbem.games.umpire.undo import told_again, undo
from pbem.orders.messages import Message


def test_what_was_not_played_cannot_be_taken_back(after_turn_1: GameFolder) -> None:
    with pytest.raises(GameError, match=r"request 9 of turn 1 has not been played; these have: 1\.r1, 1\.r2, 1\.r3"):
        undo(after_turn_1, request=9)


def test_rulings_told_again_after_an_undo_are_told_to_those_they_were_for() -> None:
    def ruled(n: int, number: int, *, withdrawn: bool = False) -> Record:
        event = HouseRuled(
            turn=1, impulse=n, step=StepName.MOVE, number=number, text=f"rule {number}", withdrawn=withdrawn
        )
        return Record(n=n, event=event, only="klingon" if number == 2 else "")

    before, since = [ruled(1, 1)], [ruled(2, 2), ruled(3, 1, withdrawn=True)]
    undone = Record(n=4, event=Undone(turn=1, impulse=0, step=StepName.ENERGY, segment=1, to=1, reason="a slip"))
    again = told_again([*before, *since], before, undone)
    assert [(one.n, one.only, cast(HouseRuled, one.event).number, one.event.impulse) for one in again] == [
        (5, "klingon", 2, 0),
        (6, "", 1, 0),
    ]
    assert [cast(HouseRuled, one.event).withdrawn for one in again] == [False, True]


def test_the_same_words_are_news_when_play_has_gone_on_unless_the_letter_is_the_same(game: GameFolder) -> None:
    def said(after: int, letter: str) -> int:
        game.state = lambda: replace(state, segment=after)  # type: ignore[method-assign]
        pass_on(game, "klingon", [Message("federation", "Surrender!")], letter)
        return len(list((game.path / "secret" / "messages").iterdir()))

    state = game.state()
    assert [said(0, ""), said(0, ""), said(1, ""), said(1, "a"), said(2, "a"), said(3, "a"), said(4, "b")] == [
        1, 1, 2, 2, 3, 3, 4
    ]  # fmt: skip


def test_what_differs_is_told_from_the_first_moment_to_the_last() -> None:
    moments = [(turn, impulse) for turn in (1, 2, 10) for impulse in (1, 2, 9, 10, 16)]
    records = [
        Record(n=n, event=Conceded(turn=turn, impulse=impulse, step=StepName.MOVE, side="klingon"))
        for n, (turn, impulse) in enumerate(moments, 1)
    ]
    mixed = records[::2] + records[1::2][::-1]
    assert [(one.turn, one.impulse) for one in differences(mixed, [])] == moments
    assert [(one.turn, one.impulse) for one in differences(records[1::2], records[::2])] == moments


def test_what_is_the_same_hundreds_of_times_in_a_moment_is_no_difference() -> None:
    def conceded(n: int, side: str) -> Record:
        return Record(n=n, event=Conceded(turn=1, impulse=1, step=StepName.MOVE, side=side))

    many = [conceded(n, "klingon") for n in range(1, 250)]
    (found,) = differences([conceded(0, "gorn"), *many], [conceded(0, "romulan"), *many])
    assert [len(found.was), len(found.now)] == [1, 1]


def test_a_repetition_takes_an_old_answer_only_where_the_same_is_asked() -> None:
    """Whatever number and words the request has."""
    first = Request(number=2, turn=3, impulse=5, form=FormKind.SOP, sides=("a", "b"), through=8, reason="a break")
    others: dict[str, Any] = {"form": FormKind.FULL, "impulse": 6, "through": 16, "sides": ("a",)}
    for field, value in others.items():
        assert _asks(first) != _asks(replace(first, **{field: value})), field
    assert _asks(first) == _asks(replace(first, number=4, turn=5, reason="another"))


def test_which_old_answers_a_repetition_takes(game: GameFolder, send: Callable[..., Receipt]) -> None:
    """Those the same request was played with, but for whom another file is given, and before it is to stop."""
    request = game.state().request
    assert request is not None
    both = {"federation": "a", "klingon": "b"}
    other = replace(request, through=3)
    not_played, else_, stops = (
        "it had not been played", "the request asks something else now", "the rerun stops here"
    )  # fmt: skip

    def unused(old: _EarlierRequest | None, *, until: tuple[int, int] = (9, 0), given: str = "") -> dict[str, str]:
        for side in both:
            send(side)
        act = Reran(turn=1, impulse=0, step=StepName.ENERGY, to=1, segment=0, through=1, kept=(), reason="r", since="")
        known = {} if old is None else {(request.turn, request.number): old}
        plan = _Plan(since=request, act=act, decree=Decree(), old=known, until=until)
        text = read_order_file(game.order_file(1, given, 1)).replace("SPEED 1", "SPEED  1") if given else ""
        run = _Run(game, plan, [("mine.txt", text)] if given else [])
        run._rule_again(request)
        run._take(request)
        assert list(run.used) == (["mine.txt"] if given else [])
        left = {file.side for file in game.order_files(1) if not file.version}
        found = {one.file.rpartition("/")[2].partition(".")[0]: one.why for one in run.unused}
        assert left == both.keys() - found.keys()
        return found

    assert unused(_EarlierRequest(request, both, ())) == {}
    assert unused(_EarlierRequest(replace(request, number=5, reason="another"), both, ())) == {}
    assert unused(None) == dict.fromkeys(both, not_played)
    assert unused(_EarlierRequest(request, {"klingon": "b"}, ())) == {"federation": not_played}
    assert unused(_EarlierRequest(other, both, ())) == dict.fromkeys(both, else_)
    assert unused(_EarlierRequest(other, {"klingon": "b"}, ())) == {"federation": not_played, "klingon": else_}
    assert unused(_EarlierRequest(other, both, ()), given="klingon") == {"federation": else_}
    assert unused(None, given="federation") == {"klingon": not_played}
    assert unused(_EarlierRequest(request, both, ()), until=(1, 1)) == dict.fromkeys(both, stops)
    assert unused(_EarlierRequest(request, both, ()), until=(1, 2)) == {}
