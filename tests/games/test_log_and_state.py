"""A game's log and the states beside it: what verify sees and mends, what is told of the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from msgspec.structs import replace

from pbem.data.terms import FormKind, StepName
from pbem.engine.events import GameStarted, OrdersFiled, Record, Requested, Reran, SegmentBegan, Stopped
from pbem.engine.log import encode_state, fold_records, played
from pbem.engine.state import Request
from pbem.errors import GameError
from pbem.games.proof.archive import order_texts
from pbem.games.proof.beacon import Sealing, sealing_of
from pbem.games.proof.replay import Replay, file_of
from pbem.games.proof.reveal import _first_disclosed, _Segment
from pbem.games.proof.verify_game import _first_of_ours, verify
from pbem.games.resolve import Happening, resolve_game
from pbem.games.status import status
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import Tenure, _noted, as_played, note_version
from pbem.games.storage.publish import around, view_of
from pbem.games.submit import Receipt, submit
from pbem.games.umpire.decree import reposition
from pbem.games.umpire.rerun import _log_while_in_force
from pbem.games.umpire.undo import undo
from pbem.reports.text.sitrep import sitrep_text


def test_a_state_that_is_behind_its_log_is_seen_and_a_damaged_one_only_where_play_goes_on(
    after_turn_1: GameFolder,
) -> None:
    turns = sorted(after_turn_1.log_files())
    first, last = after_turn_1.state_file(turns[0]), after_turn_1.state_file(turns[-1])
    whole = last.read_bytes()
    assert not after_turn_1.state_is_behind()
    first.write_bytes(b"{")
    assert not after_turn_1.state_is_behind()
    last.write_bytes(b"{")
    with pytest.raises(GameError):
        after_turn_1.state_is_behind()
    last.unlink()
    assert after_turn_1.state_is_behind()
    last.write_bytes(whole)


def test_verify_tells_of_a_turn_without_its_state(after_turn_1: GameFolder) -> None:
    path, turns = after_turn_1.path, sorted(after_turn_1.log_files())
    after_turn_1.state_file(turns[0]).unlink()
    with opened(path) as game:
        found = verify(game)
    assert not found.record and [Path(fault.file).name for fault in found.derived] == ["state.json"]


def test_the_states_of_all_turns_are_written_again_where_they_are_missing(after_turn_1: GameFolder) -> None:
    files = [after_turn_1.state_file(turn) for turn in sorted(after_turn_1.log_files())]
    whole = [file.read_bytes() for file in files]
    for file in files:
        file.unlink()
    after_turn_1.write_state()
    assert len(files) > 1 and [file.read_bytes() for file in files] == whole


def test_nothing_is_moved_when_the_game_is_over(game: GameFolder) -> None:
    over = replace(game.state(), request=None)
    game.state = lambda: over  # type: ignore[method-assign]
    with pytest.raises(GameError, match="the game is over"):
        reposition(game, {"Destruction": "1708C"}, source="m.vsav")
    assert sealing_of(game) is None


def test_a_record_that_stands_in_no_file_is_looked_for_in_the_first(after_turn_1: GameFolder) -> None:
    assert [file_of(after_turn_1, n) for n in (1, 99_999)] == ["00/events.jsonl", "00/events.jsonl"]
    last = max(record.n for record in after_turn_1.records())
    assert file_of(after_turn_1, last) == "01/events.jsonl"


def test_the_log_is_told_with_who_plays_now_as_he_is_called(after_turn_1: GameFolder) -> None:
    records = after_turn_1.records()

    def told(known: Sequence[Tenure], called: dict[str, str]) -> dict[str, str]:
        first = next(one.event for one in as_played(known, records, None, called) if isinstance(one.event, GameStarted))
        return {side.name: side.player for side in first.sides}

    ann, bob = told([], {}).values()
    assert told([], {ann: "Ann"}) == {"federation": "Ann", "klingon": bob}
    at = datetime(2027, 3, 1, tzinfo=UTC)
    joe = Tenure(side="klingon", before=bob, player="joe@x.example", at=at, turn=1)
    with_joe = told([joe], {ann: "Ann", "joe@x.example": "Joe"})
    assert with_joe == {"federation": "Ann", "klingon": f"Joe since turn 1, 2027-03-01; before, {bob}"}


def test_the_view_of_a_side_is_what_it_sees_now_or_saw_at_the_end_of_a_turn() -> None:
    with opened(Path(__file__).resolve().parents[2] / "turns" / "duel01") as game:
        last = game.state().turn
        told = [sitrep_text(view_of(game, "klingon", *turn)) for turn in ((), (0,), (1,))]
        assert told[0] == told[1] != told[2]
        with pytest.raises(GameError, match=f"turn {last + 1} is not played yet; the game is in turn {last}"):
            view_of(game, "klingon", last + 1)


def test_verify_mends_when_asked_and_where_the_record_is_right(after_turn_1: GameFolder) -> None:
    state = after_turn_1.state_file(max(after_turn_1.log_files()))
    whole = state.read_bytes()
    state.unlink()
    assert verify(after_turn_1).repaired == () and not state.exists()
    assert verify(after_turn_1, repair=True).repaired == ("01/state.json", "the reports")
    assert state.read_bytes() == whole
    state.unlink()
    orders = next((after_turn_1.path / "01" / "orders").glob("klingon*"))
    orders.write_bytes(b"GAME duel TURN 1 SIDE klingon REPLY 1\nSHIP Destruction\nENERGY\nEND\n")
    found = verify(after_turn_1, repair=True)
    assert found.record and found.repaired == () and not state.exists()


def began(n: int, segment: int) -> Record:
    return Record(n=n, event=SegmentBegan(turn=2, impulse=1, step=StepName.MOVE, segment=segment, link=segment))


def stopped(n: int) -> Record:
    event = Stopped(turn=2, impulse=1, step=StepName.MOVE, next_impulse=1, next_step=StepName.SEEK)
    return Record(n=n, event=event)


@pytest.mark.parametrize(("theirs", "ours"), [((), 1), ((1,), 5), ((2,), 7), ((1, 2), 7)])
def test_what_is_ours_begins_behind_the_last_segment_that_another_version_played(
    theirs: tuple[int, ...], ours: int
) -> None:
    log = [stopped(1), began(2, 1), stopped(3), stopped(4), began(5, 2), stopped(6)]
    assert _first_of_ours(log, theirs) == ours
    assert not list(played(log)), "nothing was asked in it"


@pytest.mark.parametrize(("through", "first"), [(3, 3), (4, 2), (5, 2)])
def test_what_a_repetition_took_back_is_told_as_long_as_it_is_news(through: int, first: int) -> None:
    """Segment 2 was repeated as 3; 4 was played since, or is the end of the repetition."""
    act = Reran(
        turn=2, impulse=1, step=StepName.MOVE, to=3, segment=2, through=through, kept=(2,), reason="r", since=""
    )
    log = [began(1, 1), stopped(3), began(4, 2), Record(n=6, event=act), began(7, 3), began(9, 4)]
    request = Request(number=1, turn=2, impulse=1, form=FormKind.SOP, sides=(), through=16)
    shown = [_Segment(began=one.event, request=request, orders={}) for one in log[-2:]]  # type: ignore[arg-type]
    assert _first_disclosed(log, log, shown) == first


def test_a_log_that_is_too_short_or_too_long_is_told_at_its_last_record(at_break: GameFolder) -> None:
    records = at_break.records()[:6]
    replay = Replay(at_break, at_break.records())
    for logged, again, last in ((records[:4], records, 4), (records, records[:2], 6), ((), records, 1)):
        fault = replay._compare(logged, again)
        assert fault is not None and fault.text.startswith(f"record {last} (")
        assert f"has {len(logged)} records where the replay has {len(again)}" in fault.text
    assert replay._compare(records, records) is None


def test_what_reports_are_made_of_beside_the_log(game: GameFolder) -> None:
    found = around(game, 2)
    assert (found.table, found.binding, found.messages) == (True, None, []) and found.terms == game.terms
    (game.path / "vassal.toml").write_text('map = "Map"\n', encoding="utf-8")
    found = around(game, 2)
    assert found.table and found.binding is not None and found.binding.map == "Map"
    (game.path / "vassal.toml").write_text("map", encoding="utf-8")
    found = around(game, 2)
    assert (found.table, found.binding) == (False, None), "of a table nobody can read there is no save"


def test_an_archive_has_all_orders_that_were_played_the_last_under_its_plain_name() -> None:
    def filed(n: int, side: str, request: int, text: str) -> Record:
        event = OrdersFiled(turn=2, impulse=0, step=StepName.ENERGY, side=side, request=request, text=text)
        return Record(n=n, event=event)

    log = {
        3: [filed(9, "klingon", 1, "third"), filed(7, "klingon", 1, "second")],
        2: [filed(4, "klingon", 1, "other"), filed(5, "federation", 2, "CONTINUE"), filed(8, "federation", 2, "mine")],
        1: [stopped(1)],
    }
    log[3].append(filed(6, "klingon", 1, "first"))
    game = cast(GameFolder, SimpleNamespace(terms=SimpleNamespace(name="duel"), log_files=lambda: log))
    going_on = b"GAME duel TURN 2 SIDE federation REPLY 2\nCONTINUE\nEND\n"
    assert order_texts(game) == {
        "02/orders/federation.r2.v1.orders": going_on, "02/orders/federation.r2.orders": b"mine",
        "02/orders/klingon.r1.orders": b"other",
        "03/orders/klingon.r1.v1.orders": b"first", "03/orders/klingon.r1.v2.orders": b"second",
        "03/orders/klingon.r1.orders": b"third",
    }  # fmt: skip


def test_a_state_that_another_version_wrote_is_set_right(game: GameFolder) -> None:
    file = game.state_file(game.last_folder())
    whole, state = file.read_bytes(), game.state()
    moved = replace(state.units["Constellation"], hex="0101")
    file.write_bytes(encode_state(replace(state, units={**state.units, "Constellation": moved})))
    with opened(game.path) as again:
        assert again.state().units["Constellation"].hex == "0101"
        assert again.set_right() and again.state() == state and file.read_bytes() == whole
        file.write_bytes(b"as it was")
        assert not again.set_right() and file.read_bytes() == b"as it was", "there is nothing to set right"


def test_all_that_is_told_of_what_a_command_did(game: GameFolder, send: Callable[..., Receipt]) -> None:
    first = game.state().request
    assert first is not None
    both = ("federation", "klingon")
    assert resolve_game(game) == [Happening(what="waiting", asked=first, owing=both, reports="01/r1")]
    send("klingon")
    assert resolve_game(game) == [Happening(what="waiting", asked=first, owing=("federation",), reports="01/r1")]
    send("federation")
    done = resolve_game(game)
    second = game.state().request
    assert done == [
        Happening(
            what="played", turn=1, request=1, asked=second, reports="01/r2",
            used=("01/orders/federation.r1.orders", "01/orders/klingon.r1.orders"),
        ),
        Happening(what="waiting", asked=second, owing=both, reports="01/r2"),
    ]  # fmt: skip
    submit(game, "GAME duel TURN 1 SIDE klingon REPLY 2\nCONCEDE\nEND\n", "k.txt")
    send("federation")
    *_, played_, over = resolve_game(game)
    outcome = game.state().outcome
    assert (played_.what, played_.asked, played_.reports) == ("played", None, over.reports) and len(outcome) == 2
    assert over == Happening(what="over", outcome=outcome, reports="01/final")
    assert resolve_game(game) == [over]


def test_the_log_as_it_was_when_something_was_asked() -> None:
    """With what the umpire did then, and without what was played on it; as it was last, where it was asked again."""

    def asks(n: int, number: int, turn: int = 2) -> Record:
        request = Request(number=number, turn=turn, impulse=1, form=FormKind.SOP, sides=(), through=16)
        return Record(n=n, event=Requested(turn=2, impulse=1, step=StepName.MOVE, request=request))

    log = [stopped(1), asks(2, 1), stopped(3), began(4, 1), asks(5, 2), asks(6, 2, 3), began(7, 2), stopped(8)]
    for number, turn, until in ((1, 2, 3), (2, 3, 6), (2, 2, 8), (3, 2, 8), (1, 3, 8)):
        request = cast(Requested, asks(0, number, turn).event).request
        assert [record.n for record in _log_while_in_force(log, request)] == list(range(1, until + 1)), (number, turn)
    assert _log_while_in_force(log, None) == log


def test_which_version_played_what_is_noted_where_it_changes(game: GameFolder) -> None:
    for segment, version in enumerate(("0.3", "0.3", "0.4", "0.4", "0.3", "0.4"), start=1):
        note_version(game, segment, version)
    assert [(one.segment, one.pbem) for one in _noted(game)] == [(1, "0.3"), (3, "0.4"), (5, "0.3"), (6, "0.4")]
    (game.path / "versions.json").unlink()
    note_version(game, 1, game.terms.begun)
    assert _noted(game) == []


def test_what_a_game_waits_for_is_told_with_its_state(game: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    state = game.state()
    sealing = Sealing(segment=1, turn=1, request=1, round=5, seals={})
    monkeypatch.setattr("pbem.games.status.sealing_of", lambda game: sealing)
    found = status(game)
    assert (found.game, found.turn, found.impulse, found.impulses) == ("duel", *state.stands, state.impulses)
    assert (found.request, found.over, found.outcome, found.faults) == (state.request, False, (), ())
    assert (found.owing, found.reports, found.sealing) == (("federation", "klingon"), "01/r1", sealing)


def test_the_state_is_that_of_the_earlier_turn_that_is_played_again(
    after_turn_1: GameFolder, send: Callable[..., Receipt]
) -> None:
    """A later turn's folder has a state too, of play that does not count any more."""
    game = after_turn_1

    def shown() -> tuple[int, int, int]:
        """Turn, request and segment, as whoever opens the folder anew sees them."""
        now = GameFolder(game.path, game.terms)
        request, state = status(now).request, now.state()
        assert request is not None and encode_state(state) == encode_state(fold_records(now.effective()))
        assert encode_state(state) == now.state_file(now.last_folder()).read_bytes()
        return request.turn, request.number, state.segment

    send("federation")
    send("klingon")
    resolve_game(game)
    assert game.last_folder() == 2
    turn, number, last = shown()
    assert (turn, number) == (2, 2)
    undo(game, turn=1, request=1)
    assert shown() == (1, 1, last) and game.last_folder() == 1
    later = game.state_file(2).read_bytes()
    send("federation")
    send("klingon")
    resolve_game(game)
    assert shown() == (1, 2, last + 1) and game.state_file(2).read_bytes() == later
    assert verify(game).faults == ()
