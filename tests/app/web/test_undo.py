"""Undo in the evening game: back to the last request a person at the keyboard was asked, with their orders."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.app.web.evening import Table
from pbem.engine.events import SegmentBegan, Undone
from pbem.engine.log import played
from pbem.errors import GameError
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from tests.cuts import KILLED, cut_at, operations, places

ME, OTHER = "klingon", "federation"
Asked = tuple[int, int]


def asked_now(table: Table, name: str) -> Asked:
    """The turn and number of the request in force."""
    request = table.look(name).now.request
    assert request is not None
    return request.turn, request.number


def asked_before(table: Table, name: str) -> list[tuple[Asked, tuple[str, ...]]]:
    """The requests that were played and count, and who was asked."""
    with opened(table.path(name)) as game:
        return [((one.turn, one.number), one.sides) for _, one, _ in played(game.effective())]


def undos(table: Table, name: str) -> int:
    with opened(table.path(name)) as game:
        return sum(isinstance(record.event, Undone) for record in game.records())


def file_with_break(table: Table, name: str, impulse: int) -> None:
    """File orders of the computer's side that stop play at an impulse, so that it alone is asked there."""
    text = table.draft(name, OTHER)
    with opened(table.path(name), lock="submit") as game:
        submit(game, text.replace("BREAK\n", f"BREAK\n  IMPULSE {impulse}\n"), "")


def in_turn_1(folder: Path, level: str = "ensign") -> tuple[Table, str, str, str]:
    """A game in which the computer alone was asked last; with the two order files of the person."""
    table = Table(folder)
    name = table.begin("5", ME, against=level)
    energy = table.draft(name, ME).replace("# PHASERS 1 ", "PHASERS 1 ")
    table.send(name, ME, energy)
    file_with_break(table, name, 9)
    orders = table.draft(name, ME).replace("BREAK\n", "BREAK\n  ENEMY LAUNCHES SEEKER\n")
    table.send(name, ME, orders)
    return table, name, energy, orders


def test_undo_passes_over_what_the_computer_alone_was_asked(tmp_path: Path) -> None:
    table, name, energy, orders = in_turn_1(tmp_path)
    before = asked_before(table, name)
    assert [sides for _, sides in before] == [(OTHER, ME), (OTHER, ME), (OTHER,)]
    assert table.sheet(name, ME).again == ""

    table.undo(name, ME)
    assert asked_now(table, name) == (1, 2) and table.look(name).owing == (ME,)
    assert table.sheet(name, ME).again == orders
    assert undos(table, name) == 1
    with opened(table.path(name)) as game:
        assert isinstance(game.records()[-1].event, Undone), "something was played at once"

    table.undo(name, ME)
    assert asked_now(table, name) == (1, 1) and table.sheet(name, ME).again == energy
    assert undos(table, name) == 2
    assert table.sheet(name, ME).back is None
    with pytest.raises(GameError, match="nothing was taken back: nobody here has sent orders yet"):
        table.undo(name, ME)


@pytest.mark.parametrize(
    "level",
    ["computer", "ensign", *(pytest.param(level, marks=pytest.mark.slow) for level in ("captain", "commodore"))],
)
def test_one_undo_leads_back_to_my_own_orders_whoever_plays_against_me(tmp_path: Path, level: str) -> None:
    """Request by request, although computer players answered between them; nothing is played by an Undo."""
    table = Table(tmp_path)
    name = table.begin("5", ME, against=level)
    sent: list[tuple[Asked, str]] = []
    for n in range(4):
        draft = table.draft(name, ME)
        text = draft.replace("# PHASERS 1 ", "PHASERS 1 ").replace("BREAK\n", f"BREAK\n  IMPULSE {9 + n}\n")
        sent.append((asked_now(table, name), text))
        table.send(name, ME, text)
    assert len({asked for asked, _ in sent}) == len(sent)
    for count, (asked, text) in enumerate(reversed(sent), 1):
        back = table.sheet(name, ME).back
        assert back is not None and (back.turn, back.number) == asked
        table.undo(name, ME, str(table.sheet(name, ME).records))
        assert undos(table, name) == count
        for _ in range(2):  # to look at the game plays nothing
            assert asked_now(table, name) == asked and table.look(name).owing == (ME,)
            assert table.sheet(name, ME).again == text
        with opened(table.path(name)) as game:
            assert isinstance(game.records()[-1].event, Undone), "something was played at once"
    assert table.sheet(name, ME).back is None
    table.send(name, ME, sent[0][1])
    assert asked_now(table, name) == sent[1][0] and undos(table, name) == len(sent)
    with opened(table.path(name)) as game:
        assert not verify(game).record


@pytest.mark.slow
def test_what_is_played_after_an_undo_has_new_dice_and_new_drafts(tmp_path: Path) -> None:
    table, name, energy, orders = in_turn_1(tmp_path)
    table.undo(name, ME)
    table.undo(name, ME)
    table.send(name, ME, energy)
    assert asked_now(table, name) == (1, 2) and table.sheet(name, ME).again == ""
    table.send(name, ME, orders)
    with opened(table.path(name)) as game:
        segments = [one.event.segment for one in game.records() if isinstance(one.event, SegmentBegan)]
        assert len(set(segments)) == len(segments)
        assert not verify(game).record


def test_orders_sent_with_the_energy_form_come_back_with_it(tmp_path: Path) -> None:
    """The second request was answered by the same file: nobody was asked it."""
    table = Table(tmp_path)
    name = table.begin("5", ME, against="ensign")
    both = table.draft(name, ME).replace("FORM EAF", "FORM FULL").replace("\nEND", "\nBREAK\n  IMPULSE 12\nEND")
    table.send(name, ME, both)
    assert [asked for asked, _ in asked_before(table, name)] == [(1, 1), (1, 2)]
    table.undo(name, ME)
    assert asked_now(table, name) == (1, 1) and table.look(name).owing == (ME,)
    assert table.sheet(name, ME).again == both


@pytest.mark.slow
def test_where_no_person_was_asked_before_there_is_nothing_to_undo(tmp_path: Path) -> None:
    table = Table(tmp_path)
    name = table.begin("8", "defender", against="ensign")
    table.look(name)
    assert asked_before(table, name)  # computer players played five turns among themselves
    assert table.sheet(name, "defender").back is None
    records = table.sheet(name, "defender").records
    with pytest.raises(GameError, match="nothing was taken back"):
        table.undo(name, "defender")
    assert table.sheet(name, "defender").records == records


def test_both_people_at_a_keyboard_get_their_orders_back(tmp_path: Path) -> None:
    table = Table(tmp_path)
    name = table.begin("5", ME, against="friend")
    drafts = {side: table.draft(name, side) for side in (ME, OTHER)}
    for side, text in drafts.items():
        table.send(name, side, text)
    shown = str(table.sheet(name, ME).records)
    table.undo(name, ME, shown)
    assert {side: table.sheet(name, side).again for side in drafts} == drafts
    assert set(table.look(name).owing) == {OTHER, ME}
    # A second click, or a page that is an old one, takes back no more.
    with pytest.raises(GameError, match="the game has moved on, so nothing was taken back"):
        table.undo(name, ME, shown)
    table.send(name, OTHER, drafts[OTHER])
    assert table.sheet(name, OTHER).again == "" and table.sheet(name, ME).again == drafts[ME]


@pytest.mark.slow
def test_an_undo_that_is_cut_off_leaves_the_game_as_it_was_or_taken_back(tmp_path: Path) -> None:
    """At any file operation of an Undo."""
    table, name, _, orders = in_turn_1(tmp_path / "whole")
    steps = operations(lambda: table.undo(name, ME), under=tmp_path / "whole")
    come_to = set()
    for n in places(len(steps)):
        table, name, _, orders = in_turn_1(tmp_path / f"cut{n}")
        before = asked_now(table, name)
        with cut_at(n, under=tmp_path / f"cut{n}", how=KILLED):
            table.undo(name, ME)
        again = Table(tmp_path / f"cut{n}")
        came = undos(again, name)
        come_to.add(came)
        assert asked_now(again, name) == ((1, 2) if came else before)
        assert again.look(name).owing == (ME,)
        assert again.sheet(name, ME).again == (orders if came else "")
        with opened(again.path(name), lock="test") as folder:
            assert not verify(folder).faults
    assert come_to == {0, 1}
