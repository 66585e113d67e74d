"""What a replay says of a log that cannot be: where dice were passed over, who gave no orders, which beacon it had."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace
from typer.testing import CliRunner

from pbem.app.cli.commands import app
from pbem.engine.dice import UNHEARD
from pbem.engine.events import DicePassed, GameStarted, OrdersFiled, Record, Reran, SegmentBegan
from pbem.engine.log import fold_records
from pbem.games.proof.replay import Replay
from pbem.games.proof.restored import PlayedSegment, pass_told, remember, told_dice
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.folder import GameFolder
from pbem.games.submit import Receipt
from pbem.games.umpire.decree import Decree
from pbem.games.umpire.rerun import rerun

A = "a" * 64


@pytest.fixture
def passed(game: GameFolder, send: Callable[..., Receipt]) -> GameFolder:
    """The duel after its energy forms, where links were told that the log does not know: they are passed over."""
    send("federation")
    send("klingon")
    resolve_game(game)
    remember(game, [PlayedSegment(segment=2, answers="x")], sure=True, why="a backup")
    pass_told(game)
    return game


def said(game: GameFolder, records: list[Record], **more: Any) -> list[str]:
    return [fault.text for fault in Replay(game, records, **more).run()]


def test_links_are_passed_over_so_far_and_once(passed: GameFolder) -> None:
    records = passed.records()
    *before, act = records
    event = act.event
    assert isinstance(event, DicePassed) and event.told == 2 and said(passed, records) == []
    for changed in ({"segment": event.segment + 1}, {"segment": event.segment - 1}, {"told": 70}):
        wrong = said(passed, [*before, replace(act, event=replace(event, **changed))])
        assert len(wrong) == 1 and "which is not where it has to" in wrong[0], changed
    (both,) = said(passed, [*before, replace(act, event=replace(event, fresh=A))])
    assert both.endswith("it draws new salts though it is known which segments were told")
    again = replace(act, n=act.n + 1, event=replace(event, segment=event.segment + 64, told=0))
    (twice,) = said(passed, [*records, again])
    assert twice.startswith(f"record {again.n} (") and "passed over" in twice


def test_a_segment_without_all_orders_and_an_opening_that_differs(passed: GameFolder) -> None:
    records = passed.records()
    filed = [record for record in records if isinstance(record.event, OrdersFiled)]
    assert len(filed) == 2
    for gone, whom in (([filed[0]], "federation"), ([filed[1]], "klingon"), (filed, "federation, klingon")):
        (text,) = said(passed, [record for record in records if record not in gone])
        assert text.endswith(f"a segment begins here without orders from {whom}")
    place = next(place for place, record in enumerate(records) if isinstance(record.event, SegmentBegan))
    over = replace(fold_records(records[:place]), request=None)
    fault = Replay(passed, records).difference(records[place:-1], over)
    assert fault is not None and fault.text.endswith("a segment begins here without orders from anybody")
    first = records[0]
    assert isinstance(first.event, GameStarted)
    other = [replace(first, event=replace(first.event, game="other")), *records[1:]]
    (text,) = said(passed, other)
    assert text.startswith("record 1 (")
    replay = Replay(passed, other, elsewhere={1})
    assert not [fault for fault in replay.run() if fault.text.startswith("record 1 (")]
    assert replay.other[0].text == text, "another version set it up"


def test_a_log_that_ends_with_the_beginning_of_a_segment_is_told(passed: GameFolder) -> None:
    """A log is written segment by segment: only somebody's hand leaves one that holds no more than its first record."""
    records = passed.records()
    place = next(place for place, record in enumerate(records) if isinstance(record.event, SegmentBegan))
    (text,) = said(passed, records[: place + 1])
    assert text.startswith(f"record {records[place].n} (") and "a segment begins here without orders" in text


def test_what_is_remembered_is_what_is_read_and_nothing_where_nothing_was_told(game: GameFolder) -> None:
    assert remember(game, [], sure=True, why="nobody told anything") is None and told_dice(game) is None
    told = remember(game, [PlayedSegment(segment=2, answers="x")], sure=True, why="a backup")
    assert told is not None and told == told_dice(game)
    assert (told.through, told.sure, told.why, [one.segment for one in told.played]) == (2, True, "a backup", [2])
    more = remember(game, [PlayedSegment(segment=3, answers="y")], sure=True, why="another")
    assert more is not None and more == told_dice(game)
    assert (more.through, more.sure, more.fresh, [one.segment for one in more.played]) == (3, True, "", [2, 3])
    unsure = remember(game, [], sure=False, why="nobody knows")
    assert unsure is not None and (unsure.through, unsure.sure) == (UNHEARD, False) and unsure.fresh
    # What was not sure once stays so, with the salts that were drawn then.
    still = remember(game, [], sure=True, why="again")
    assert still is not None and (still.through, still.sure, still.fresh) == (UNHEARD, False, unsure.fresh)


def test_the_values_of_the_beacon_that_may_stand_in_a_log() -> None:
    def wrong(value: str, *, beacon: str = "drand", kept: tuple[int, ...] = (), earlier: tuple[str, ...] = ()) -> str:
        terms = SimpleNamespace(dice=SimpleNamespace(beacon=beacon))
        replay = Replay(cast(GameFolder, SimpleNamespace(terms=terms)), ())
        replay.stretches = [cast(Any, SimpleNamespace(beacon=one)) for one in earlier]
        return replay._beacon(cast(SegmentBegan, SimpleNamespace(beacon=value, kept=kept)))

    assert wrong("", beacon="") == wrong("", kept=(1,)) == ""
    assert "take no beacon" in wrong(f"5:{A}", beacon="") and "keeps the dice of others" in wrong(f"5:{A}", kept=(1,))
    for value in ("", f"05:{A}", f"0:{A}", f":{A}", f"5:{A}a", f"5:{A[1:]}", f"5:{A.upper()}", f"{'1' * 17}:{A}", "5:"):
        assert wrong(value) == "the value of the beacon is missing or is none", value
    assert wrong(f"{'1' * 16}:{A}") == wrong(f"5:{A}") == wrong(f"5:{A}", earlier=("", f"4:{A}")) == ""
    for earlier in ((f"5:{A}",), (f"3:{A}", f"6:{A}", ""), (f"6:{A}", f"3:{A}")):
        assert wrong(f"5:{A}", earlier=earlier).startswith("round 5 of the beacon is not later")


def test_a_repetition_keeps_the_dice_of_what_it_takes_back_and_no_others(at_break: GameFolder) -> None:
    decree = Decree(changes=("Destruction shield 2 = 3",), reason="forgotten")
    rerun(at_break, turn=1, request=1, decree=decree, accept=True)
    records = at_break.records()
    (act,) = [record for record in records if isinstance(record.event, Reran)]
    began = [record for record in records if record.n > act.n and isinstance(record.event, SegmentBegan)]
    assert isinstance(act.event, Reran) and act.event.kept == (1, 2) and len(began) == 2

    def changed(record: Record, **fields: Any) -> list[str]:
        other = replace(record, event=replace(record.event, **fields))
        return said(at_break, [other if one.n == record.n else one for one in records])

    assert said(at_break, records) == []
    kept: tuple[int, ...]
    for kept in ((2, 1), (2,), (1, 3), (1, 2, 3)):
        (text,) = changed(act, kept=kept)
        assert text.endswith("the segments whose dice it keeps are not those that are taken back, in order"), kept
    for record in began:
        for kept in ((), (1,), (2, 1)):
            (text,) = changed(record, kept=kept)
            assert text.endswith(f"play is not repeated with the dice kept through segment {act.event.through}"), kept
    (text,) = changed(act, through=act.event.through + 1)
    assert "play is not repeated with the dice kept" in text
    found = verify(at_break)
    assert found.faults == () and (found.repeated, found.passed) == (2, 0)
    done = CliRunner().invoke(app, ["verify", str(at_break.path)])
    assert done.exit_code == 0 and "2 of them repeat earlier ones with the same dice" in done.output
