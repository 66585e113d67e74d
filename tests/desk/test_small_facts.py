"""Facts of the desk that only show where something is missing, strange or out of order."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import scenario
from pbem.desk import publish, table
from pbem.desk.answers import answers, judge, judged_on
from pbem.desk.archive import order_texts
from pbem.desk.aside import kept_names, laid_aside
from pbem.desk.beacon import Sealing, sealing_of
from pbem.desk.create import _verify_choices, _verify_everybody, new
from pbem.desk.decrees import Decree
from pbem.desk.demo import replay, shipped_games
from pbem.desk.drafts import _idle, draft_for
from pbem.desk.errand import Errand
from pbem.desk.files import cannot, read_order_file
from pbem.desk.folder import GameFolder
from pbem.desk.hints import usable
from pbem.desk.kept_dice import stretches
from pbem.desk.messages import due, pass_on
from pbem.desk.opened import opened
from pbem.desk.override import reposition
from pbem.desk.papers import encoded
from pbem.desk.play import Happening, mend, resolve
from pbem.desk.players import Tenure, as_played
from pbem.desk.proof import _Segment, _told_from, without_address
from pbem.desk.publish import around, renew, reports_folder, write_form, write_whole
from pbem.desk.replay import Replay, file_of
from pbem.desk.replot import asked, header, with_plots
from pbem.desk.reports import view_of
from pbem.desk.rerun import _asks, _Old, _Plan, _Run, _when_asked
from pbem.desk.shuttle_drafts import shuttles
from pbem.desk.site import write_sites
from pbem.desk.status import status
from pbem.desk.submit import Receipt, submit
from pbem.desk.system_drafts import entries, words
from pbem.desk.table import game_binding
from pbem.desk.terms import read_terms
from pbem.desk.told_dice import FILE as TOLD_FILE, Played, played_in, remember, told_dice
from pbem.desk.trial import differences
from pbem.desk.undo import played_request, told_again, undo
from pbem.desk.verify import _first_of_ours, verify
from pbem.desk.versions import _noted, note_version
from pbem.faults import Fault, GameError
from pbem.game import dice
from pbem.game.events import (
    Conceded,
    GameStarted,
    HouseRuled,
    OrdersFiled,
    Record,
    Requested,
    Reran,
    SegmentBegan,
    Stopped,
    Undone,
)
from pbem.game.log import encode_state, played
from pbem.game.state import Request, Ship, Shuttle
from pbem.orders.header import Header, answer_to
from pbem.orders.messages import Message
from pbem.orders.reader import read_orders
from pbem.report.sitrep import sitrep_text
from pbem.rules.impulse_chart import impulses_of
from pbem.tabletop.binding import Binding
from pbem.values.words import CloakState, FormKind, Gone, StepName
from tests.game.world import rich


def test_a_file_that_is_no_message_lies_among_them_unread(after_turn_1: GameFolder) -> None:
    folder = after_turn_1.path / "secret" / "messages"
    folder.mkdir(parents=True, exist_ok=True)
    data = b'{"author":"klingon","to":"federation","text":"hello","segment":0}'
    for name in ("notes.json", "00001.klingon.01.json.old", "klingon.json"):
        (folder / name).write_bytes(data)
    assert due(after_turn_1.path, 99) == []


@pytest.mark.parametrize(
    ("error", "told"), [(OSError(28, "no room"), "no room"), (OSError("strange"), "strange"), (OSError(), "")]
)
def test_an_error_of_the_system_is_told_in_its_own_words(error: OSError, told: str) -> None:
    assert cannot("write", Path("a"), error).faults[0].text == f"cannot write this: {told}"


def test_an_errand_stays_on_the_machine_on_which_its_module_lies() -> None:
    def moves(binding: Binding | None) -> bool:
        errand = cast(Any, SimpleNamespace(around=SimpleNamespace(binding=binding)))
        return bool(cast(Any, Errand).moves.fget(errand))

    assert moves(None) and moves(Binding(map="Map")) and not moves(Binding(map="Map", module="x.vmod"))


def test_the_stretches_of_a_log_hang_on_its_numbers_and_not_on_the_order_of_the_list(after_turn_1: GameFolder) -> None:
    records = list(after_turn_1.records())
    mixed = list(records)
    Random(7).shuffle(mixed)
    found, again = stretches(records), stretches(mixed)
    assert list(found) == list(again) and len(found) > 2
    assert all(found[number] == again[number] for number in found)


def test_what_was_not_played_cannot_be_taken_back(after_turn_1: GameFolder) -> None:
    with pytest.raises(GameError, match=r"request 9 of turn 1 was not played; played: 1\.r1, 1\.r2, 1\.r3"):
        undo(after_turn_1, request=9)


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


def test_the_sites_of_a_host_lie_outside_of_it(tmp_path: Path) -> None:
    (tmp_path / "club" / "games").mkdir(parents=True)
    for target in ("club", "club/games", "club/site"):
        with pytest.raises(GameError, match="may not lie in"):
            write_sites(tmp_path / "club", tmp_path / target)


def test_what_is_not_ours_stays_where_reports_are_taken_away(at_break: GameFolder, tmp_path: Path) -> None:
    """Undo takes the reports of what is taken back away; a player's own file in such a folder, and the folder, stay."""
    folder = reports_folder(at_break)
    (folder / "klingon" / "my plan.txt").write_text("wait", encoding="utf-8")
    undo(at_break)
    assert [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()] == [
        "klingon/my plan.txt"
    ]
    assert not (folder / "federation").exists()
    renew(at_break)


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
@pytest.mark.slow
def test_only_what_is_secret_in_an_example_is_private_in_its_copy(tmp_path: Path) -> None:
    replay(min(shipped_games()), tmp_path / "copy")
    modes = {name: (tmp_path / "copy" / name).stat().st_mode & 0o077 for name in ("game.toml", "secret/dice.secret")}
    assert modes["game.toml"] and not modes["secret/dice.secret"]


def test_nothing_is_moved_when_the_game_is_over(game: GameFolder) -> None:
    over = replace(game.state(), request=None)
    game.state = lambda: over  # type: ignore[method-assign]
    with pytest.raises(GameError, match="the game is over"):
        reposition(game, {"Destruction": "1708C"}, source="m.vsav")
    assert sealing_of(game) is None


def test_one_hex_and_more() -> None:
    assert [words(1), words(2), words(12)] == ["1 hex", "2 hexes", "12 hexes"]


def test_a_request_is_named_by_as_little_as_is_clear() -> None:
    """A number alone is of the last turn that was played, a turn alone its first request, neither what came last."""
    with opened(Path(__file__).resolve().parents[2] / "turns" / "duel01") as game:
        records = game.effective()
    asked = {(asked.turn, asked.number): records[place - 1] for place, asked, _ in played(records)}
    last = max(asked)[0]
    assert [played_request(records, 0, number) for number in (1, 2)] == [asked[last, 1], asked[last, 2]]
    assert [played_request(records, turn, 0) for turn in (1, 3, last)] == [asked[1, 1], asked[3, 1], asked[last, 1]]
    assert played_request(records, 0, 0) == asked[max(asked)] and played_request(records, 1, 4) == asked[1, 4]
    for turn, number in ((0, 9), (last + 1, 1), (0, 3)):
        with pytest.raises(GameError, match=r"1\.r1"):
            played_request(records, turn, number)


def test_half_a_character_in_a_text_is_written_as_a_question_mark() -> None:
    assert encoded("a\udc80b\n") == b"a?b\n"


def test_a_record_that_stands_in_no_file_is_looked_for_in_the_first(after_turn_1: GameFolder) -> None:
    assert [file_of(after_turn_1, n) for n in (1, 99_999)] == ["00/events.jsonl", "00/events.jsonl"]
    last = max(record.n for record in after_turn_1.records())
    assert file_of(after_turn_1, last) == "01/events.jsonl"


def test_of_several_that_are_not_the_scenarios_the_first_is_named() -> None:
    duel = scenario("5")
    for players, teams, units, said in (
        ({"gorn": "a", "orion": "b"}, {}, (), "has no side 'gorn'"),
        ({}, {"kzinti": "x", "lyran": "x"}, (), "has no side 'kzinti'"),
        ({"gorn": "a"}, {"kzinti": "x"}, (), "has no side 'gorn'"),
        ({}, {}, ("Enterprise", "Reliant"), "has no unit 'Enterprise' to add; it has no optional units"),
    ):
        with pytest.raises(GameError, match=said):
            _verify_choices(duel, players, teams, units)
    with pytest.raises(GameError, match="would be of team x: nobody is left to fight"):
        _verify_choices(duel, {}, {"federation": "x", "klingon": "x"}, ())
    _verify_choices(duel, {"klingon": "a"}, {"federation": "x"}, ())
    _verify_choices(replace(duel, sides=duel.sides[:1]), {}, {duel.sides[0].name: "x"}, ())  # whom nobody else opposes


def test_a_game_by_mail_is_told_of_every_side_that_nobody_plays() -> None:
    with pytest.raises(GameError) as error:
        _verify_everybody(scenario("5"), {"klingon": " "})
    assert error.value.faults[0].text == (
        "nobody plays federation or klingon yet, and a game of this host writes to everybody: "
        "--player federation=ADDRESS --player klingon=ADDRESS (or federation=robot)"
    )
    _verify_everybody(scenario("5"), {"federation": "a@x.example", "klingon": "robot"})


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


@pytest.mark.parametrize(
    "kept", ["PLOT 3F", "AT 16 FIRE PH 1 AT Constellation", "IMPULSE 16", "OTHER HULL FIRST"]
)  # fmt: skip
def test_whatever_is_left_of_orders_stands_in_the_draft(at_break: GameFolder, kept: str) -> None:
    """Of whichever kind the one line is."""
    head = {"A": "DO\n  ", "I": "BREAK\n  ", "O": "DAMAGE\n  ", "P": ""}[kept[0]]
    state, request = at_break.state(), at_break.state().request
    assert request is not None
    standing = replace(state.standing["klingon"], text=f"SHIP Destruction\n{head}{kept}\n", spent=(), flown={})
    state = replace(state, standing={**state.standing, "klingon": standing})
    draft = draft_for(state, at_break.scenario(), request, "klingon")
    assert kept in [line.partition("#")[0].strip() for line in draft.splitlines()]


def test_the_draft_of_a_shuttle_counts_the_hexes_it_still_flies() -> None:
    """Where play stopped behind the step in which shuttles move, not that of this impulse any more."""
    state, duel = rich(), scenario("9")
    boat = replace(state.units["FS/1"], speed=5, landed="", launched=0, target="", gone=Gone.IN_PLAY)
    assert state.request is not None
    request = replace(state.request, turn=state.turn, form=FormKind.SOP, through=state.impulses)
    for impulse in range(1, state.impulses + 1):
        for step, over in ((StepName.SHUTTLES, False), (StepName.SEEK, True), (StepName.END, True)):
            now = replace(state, impulse=impulse, step=step, units={**state.units, "FS/1": boat})
            (draft,) = (one for one in shuttles(now, duel, replace(request, impulse=impulse), boat.side)
                        if one.name == "FS/1")  # fmt: skip
            left = [one for one in impulses_of(5, state.impulses) if one >= impulse + over]
            assert draft.hexes == len(left), (impulse, step)


def test_the_view_of_a_side_is_what_it_sees_now_or_saw_at_the_end_of_a_turn() -> None:
    with opened(Path(__file__).resolve().parents[2] / "turns" / "duel01") as game:
        last = game.state().turn
        told = [sitrep_text(view_of(game, "klingon", *turn)) for turn in ((), (0,), (1,))]
        assert told[0] == told[1] != told[2]
        with pytest.raises(GameError, match=f"turn {last + 1} has not been played; the game is in turn {last}"):
            view_of(game, "klingon", last + 1)


def test_what_is_known_of_a_backup_is_noted_only_where_there_is_something(after_turn_1: GameFolder) -> None:
    state = after_turn_1.state()
    remember(after_turn_1, [Played(segment=state.segment, answers="x")], sure=True, why="a backup")
    assert told_dice(after_turn_1) is None and not (after_turn_1.path / TOLD_FILE).exists()
    remember(after_turn_1, [Played(segment=state.segment + 1, answers="x")], sure=True, why="a backup")
    found = told_dice(after_turn_1)
    assert found is not None and (found.through, found.sure) == (state.segment + 1, True)


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


def test_nothing_of_a_system_is_offered_that_is_shot_away() -> None:
    state, offered = rich(), list[list[str]]()
    con = state.units["Con"]
    assert isinstance(con, Ship)
    for boxes in (0, 1):
        ship = replace(con, boxes={**con.boxes, "tran": boxes})
        offered.append([order for order, _ in entries(state, scenario("9"), ship) if order.startswith("TRANSPORT")])
    assert offered[0] == [] and len(offered[1]) == 1


def test_orders_that_lie_where_those_of_another_side_belong_answer_nothing(
    game: GameFolder, send: Callable[..., Receipt]
) -> None:
    send("klingon")
    mine, other = game.order_file(1, "klingon", 1), game.order_file(1, "federation", 1)
    assert [*answers(game)[0]] == ["klingon"] and answers(game)[1] == ()
    mine.rename(other)
    found, faults = answers(game)
    assert found == {} and [(fault.code, fault.file) for fault in faults] == [("wrong-side", f"01/orders/{other.name}")]
    assert faults[0].text == "this file lies where federation's orders belong, but it is klingon's"


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


def test_of_reports_that_go_the_umpires_go_first(tmp_path: Path) -> None:
    """They tell that all the others are whole: a stop in between must not leave them alone."""
    for reader in ("alpha", "umpire", "zulu"):
        (tmp_path / reader).mkdir()
        for name in publish.FILES:
            (tmp_path / reader / name).touch()
    found = [path.relative_to(tmp_path) for path in publish._ours(tmp_path)]
    assert {path.parent.name for path in found[: len(publish.FILES)]} == {"umpire"}
    for reader in ("umpire", "alpha", "zulu"):
        assert [path.name for path in found if path.parent.name == reader] == [*reversed(publish.FILES)]


@pytest.mark.parametrize("save", [b"positions", b""])
def test_a_save_that_could_be_laid_out_is_not_said_to_be_late_any_more(tmp_path: Path, save: bytes) -> None:
    for name in (table.POSITIONS, table.LATE):
        (tmp_path / name).write_bytes(b"of an earlier moment")
    assert table.lay_out(tmp_path, save) == ""
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == ({table.POSITIONS: save} if save else {})


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
    assert _told_from(log, log, shown) == first


def test_games_that_cannot_be_shown_are_told_of_each_with_its_file(tmp_path: Path) -> None:
    for name in ("alpha", "zulu"):
        folder = tmp_path / "club" / "games" / name
        folder.mkdir(parents=True)
        (folder / "site.toml").write_text("format = 1\npublic = true\n", encoding="utf-8")
        (folder / "game.toml").write_text("no terms", encoding="utf-8")
    done = write_sites(tmp_path / "club", tmp_path / "site")
    assert done.games == () and done.index.exists()
    assert [(fault.code, Path(fault.file).parent.name) for fault in done.faults] == [
        ("not-toml", "alpha"), ("not-toml", "zulu")
    ]  # fmt: skip


def test_the_header_of_who_is_not_asked_names_the_game_and_the_side_alone(
    game: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = game.state()
    assert state.request is not None
    for sides in (("klingon",), ("federation", "klingon"), ()):
        request = replace(state.request, sides=sides) if sides else None
        now = replace(state, request=request)
        monkeypatch.setattr(game, "state", lambda now=now: now)
        for side in state.sides:
            if request is not None and side in sides:
                assert asked(game, side) == request
                assert header(game, side) == answer_to("duel", side, request) != Header(game="duel", side=side)
            else:
                assert header(game, side) == Header(game="duel", side=side)
                with pytest.raises(GameError, match=f"nothing is asked of {side} now"):
                    asked(game, side)


def test_whose_weapons_no_ship_guides_is_offered_each_of_them(tmp_path: Path) -> None:
    """The drones of scenario #2, each with where it is and what it is after."""
    new("2", tmp_path / "trap", players={"drones": "a@x.example", "federation": "b@x.example"}, seed="drones")
    with opened(tmp_path / "trap") as trap:
        state = trap.state()
        assert state.request is not None
        draft = draft_for(state, trap.scenario(), replace(state.request, sides=("drones",)), "drones")
        offered = [line.split(" LEFT ") for line in draft.split("\n") if "# GUIDE" in line]
        assert [(line.strip(), about.strip()) for line, about in offered] == [
            (f'# GUIDE "{drone.name}"', f"# at {drone.at}, after Constellation") for drone in state.seekers()
        ]
        assert len(offered) == 8


@pytest.mark.parametrize("wrong", [{3}, {0, 29}, {5, 6, 7}, set(range(30)), set()])
def test_hints_are_tried_together_and_alone_only_what_is_refused(wrong: set[int]) -> None:
    """A try is a check of all orders: with thirty hints of which one is wrong it is a few tries, not thirty."""
    hints = [f"  # DO {n}" for n in range(30)]
    tries = 0

    def faults_of(draft: str) -> list[Fault]:
        nonlocal tries
        tries += 1
        lines = draft.split("\n")
        used = [n for n in range(30) if lines[n + 1] == f"  DO {n}"]
        return [Fault(code="x", text=f"no {n}", line=n + 2) for n in used if n in wrong]

    told = usable("\n".join(["SHIP Con", *hints]), faults_of).split("\n")[1:]
    assert [line for line in told if line in hints] == [hint for n, hint in enumerate(hints) if n not in wrong]
    assert len(told) == 30 and tries <= 3 + len(wrong)


@pytest.mark.parametrize(
    ("given", "scheme"),
    [
        ({}, dice.SCHEMES[-1]),
        ({"seed": "s"}, dice.SCHEMES[0]),
        ({"seed": "s", "options": {"beacon": "none"}}, dice.SCHEMES[0]),
        ({"seed": "s", "options": {"beacon": "drand"}}, dice.SCHEMES[-1]),
        ({"seed": "s", "scheme": dice.SCHEMES[-1]}, dice.SCHEMES[-1]),
        ({"scheme": dice.SCHEMES[0]}, dice.SCHEMES[0]),
    ],
)
def test_a_seed_has_the_first_scheme_of_dice_and_a_beacon_the_newest(
    tmp_path: Path, given: dict[str, Any], scheme: int
) -> None:
    assert len(set(dice.SCHEMES)) > 1
    new("5", tmp_path / "game", players={"klingon": "a"}, **given)
    assert read_terms((tmp_path / "game" / "game.toml").read_bytes(), "game.toml").dice.scheme == scheme


def test_how_a_segment_was_played_is_told_in_the_same_words_by_every_version() -> None:
    """Marks in mailboxes and what is kept of a backup were written by older ones."""
    with opened(Path(__file__).resolve().parents[2] / "turns" / "duel01") as game:
        first, *_, last = played_in(game.records(), 0)
    assert first == Played(segment=1, answers="11a4d0290ff3f068")
    assert last == Played(segment=18, answers="d7c05b6b28249f34")


def test_a_repetition_takes_an_old_answer_only_where_the_same_is_asked() -> None:
    """Whatever number and words the request has."""
    first = Request(number=2, turn=3, impulse=5, form=FormKind.SOP, sides=("a", "b"), through=8, reason="a break")
    others: dict[str, Any] = {"form": FormKind.FULL, "impulse": 6, "through": 16, "sides": ("a",)}
    for field, value in others.items():
        assert _asks(first) != _asks(replace(first, **{field: value})), field
    assert _asks(first) == _asks(replace(first, number=4, turn=5, reason="another"))


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


def test_what_was_left_behind_is_made_good_once(at_break: GameFolder) -> None:
    with opened(at_break.path) as game:
        assert mend(game) == []
        lost = reports_folder(game) / "klingon" / "sitrep.txt"
        (reports_folder(game) / "umpire" / "sitrep.txt").unlink()
        lost.unlink()
        assert [one.what for one in mend(game)] == ["rewrote"] and lost.is_file()
        mail = reports_folder(game) / "umpire" / "mail.eml"
        whole = mail.read_bytes()
        mail.write_bytes(whole.replace(b".umpire.n", b".umpire.n1", 1))
        assert [one.what for one in mend(game)] == ["rewrote"] and mail.read_bytes() == whole, (
            "they told of another log"
        )
        mail.unlink()
        assert [one.what for one in mend(game)] == ["rewrote"] and mend(game) == []
    (reports_folder(game) / "umpire" / "sitrep.txt").unlink()
    with opened(at_break.path, lock="test") as game:
        assert (reports_folder(game) / "umpire" / "sitrep.txt").is_file(), "as soon as somebody has it to himself"
        assert [one.what for one in mend(game)] == ["rewrote"] and mend(game) == []


def test_plots_of_a_table_take_the_place_of_those_that_were_there(at_break: GameFolder) -> None:
    def units(text: str) -> dict[str, tuple[bool, list[str], int]]:
        found = read_orders(text)
        assert not found.faults and (found.orders.side, found.orders.turn, found.orders.reply) == ("klingon", 1, 3)
        return {
            unit.unit: (unit.shuttle, list(unit.plot.codes) if unit.plot else [], len(unit.do))
            for unit in found.orders.units
        }

    head = "GAME duel TURN 1 SIDE klingon REPLY 3\n"
    mine = f"{head}SHIP Destruction\nPLOT 1F\nDO\n  IF RANGE Constellation <= 4 THEN FIRE ALL AT Constellation\nEND\n"
    assert units(with_plots(at_break, "klingon", {"Destruction": ["F", "L"]}, mine)) == {
        "Destruction": (False, ["F", "L"], 1)
    }
    both = with_plots(at_break, "klingon", {"KF/1": ["R"], "Constellation": ["F"]}, mine)
    assert units(both)["Destruction"][1:] == units(mine)["Destruction"][1:], "whose counter was not moved flies on"
    assert units(both)["KF/1"] == (True, ["R"], 0) and units(both)["Constellation"] == (False, ["F"], 0)
    for text in ("", f"{head}CONTINUE\nEND\n"):
        drafted = with_plots(at_break, "klingon", {"Destruction": ["F"]}, text)
        assert units(drafted) == {"Destruction": (False, ["F"], 1)}, "what was left of the orders in force"
    submit(at_break, mine, "k.txt")
    assert units(with_plots(at_break, "klingon", {"Destruction": ["R"]}))["Destruction"] == (False, ["R"], 1)
    with pytest.raises(GameError, match="FLY"):
        with_plots(at_break, "klingon", {}, f"{head}SHIP Destruction\nFLY\nEND\n")
    with pytest.raises(GameError, match="nothing is asked of federation"):
        with_plots(at_break, "federation", {})


def test_a_draft_says_where_there_is_no_power_for_all_its_hints_together(game: GameFolder) -> None:
    """The empty batteries that could be charged among them."""
    state, duel = game.state(), game.scenario()
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship) and state.request is not None
    found: Counter[bool] = Counter()
    for impulse, reactors, speed in product((0, 1, 2), (0, 1, 2), (4, 12)):
        boxes = {**ship.boxes, "impulse": impulse, "apr": reactors}
        poor = replace(ship, batteries=0, boxes=boxes, speed=speed, prior_speed=speed)
        now = replace(state, units={**state.units, ship.name: poor})
        draft = draft_for(now, duel, state.request, "federation")
        assert "  # RECHARGE 1 " in draft
        short = "no power for all of these together" in draft
        all_ = "\n".join(line.replace("# ", "", 1) if line.startswith("  # ") else line for line in draft.split("\n"))
        assert bool(judged_on(now, duel, all_, "").faults) is short, (impulse, reactors, speed)
        found[short] += 1
    assert found[True] > 2 and found[False] > 2


def test_orders_that_are_laid_aside_are_the_version_after_those_that_were(game: GameFolder) -> None:
    for kept in range(3):
        for version in range(1, kept + 1):
            game.order_file(1, "klingon", 1, version).parent.mkdir(parents=True, exist_ok=True)
            game.order_file(1, "klingon", 1, version).write_text(f"{version}", encoding="utf-8")
        now = game.order_file(1, "klingon", 1)
        now.parent.mkdir(parents=True, exist_ok=True)
        now.write_text("now", encoding="utf-8")
        (file,) = (one for one in game.order_files(1) if not one.version)
        aside = laid_aside(game, [file])
        assert aside == {f"01/orders/klingon.r1.v{kept + 1}.orders": b"now", "01/orders/klingon.r1.orders": None}
        assert kept_names(aside) == (f"01/orders/klingon.r1.v{kept + 1}.orders",)


@pytest.mark.parametrize(
    ("player", "name"),
    [("Ann <ann@example.org>", "Ann"), ('"Ann Lee" <ann@example.org>', "Ann Lee"), ("ann@example.org", ""),
     ("<ann@example.org>", ""), ("ann@example.org <ann@example.org>", ""), ("Ann", "Ann"), ("A < B", "A < B"),
     ("robot", "robot"), ("", "")],
)  # fmt: skip
def test_who_plays_is_told_without_his_address(player: str, name: str) -> None:
    assert without_address(player) == name


def test_orders_without_a_header_and_a_table_that_is_no_text_are_told(game: GameFolder) -> None:
    (fault,) = judge(game, "SHIP Destruction\nENERGY\n  SPEED 8\nEND\n", "k.txt").faults
    assert (fault.code, fault.file) == ("no-header", "k.txt")
    (game.path / "vassal.toml").write_bytes(b"\xff")
    with pytest.raises(GameError, match=r"vassal\.toml: not-utf8"):
        game_binding(game.path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_pages_that_are_written_anew_lie_where_those_were_and_are_his_alone(
    at_break: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def form(*given: object) -> str:
        made.append(given[1:])
        return "a form"

    def whole_game(view: object, *, record: bool) -> str:
        made.append(record)
        return "a game"

    monkeypatch.setattr("pbem.report.form.form_html", form)
    monkeypatch.setattr("pbem.report.whole.whole_html", whole_game)

    def told(known: Any, log: Any, turn: int, names: Any) -> list[Record]:
        made.append(turn)
        return as_played(known, log, turn, names)

    monkeypatch.setattr(publish, "as_played", told)
    page, whole = write_form(at_break, "klingon", "END\n"), write_whole(at_break, "klingon")
    assert {page.parent, whole.parent} == {reports_folder(at_break) / "klingon"} and page != whole
    assert (page.read_text("utf-8"), whole.read_text("utf-8")) == ("a form", "a game")
    assert [path.stat().st_mode & 0o077 for path in (page, whole)] == [0, 0]
    assert made == [("klingon", at_break.scenario(), "END\n"), 1, True]


def test_why_a_weapon_is_idle_until_these_orders_end(game: GameFolder) -> None:
    """The first reason there is, of the ship and then of the weapon."""
    state = game.state()
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship) and state.request is not None
    drone = next(name for name in sorted(ship.weapons) if name.startswith("DRONE"))

    def why(
        form: FormKind = FormKind.SOP, *, ammo: int = 2, step: str = "move", impulse: int = 3, **changed: Any
    ) -> str:
        weapons = {**ship.weapons, drone: replace(ship.weapons[drone], ammo=ammo)}
        now = replace(state, turn=1, impulse=impulse, step=step)
        request = Request(number=2, turn=1, impulse=impulse, form=form, sides=("klingon",), through=8)
        return _idle(now, request, replace(ship, weapons=weapons, **changed), drone)

    assert why() == why(FormKind.EAF) == ""
    assert why(disabled=(drone,), captured_from="x") == "is not used in this scenario"
    assert why(captured_from="federation", ammo=0) == "is locked: the ship is captured (D7.0)"
    assert why(ammo=0) == why(FormKind.EAF, ammo=0) == "is empty"
    cloaked = "is silent under the cloak, all turn (G13.34)"
    assert why(cloak=CloakState.CLOAKED) == cloaked and why(FormKind.EAF, cloak=CloakState.CLOAKED) != cloaked
    late = [why(step=step, impulse=impulse) for impulse in (7, 8) for step in ("move", "launch", "fire")]
    assert late == ["", "", "", "", "", "launches no more this turn"]


def test_which_old_answers_a_repetition_takes(game: GameFolder, send: Callable[..., Receipt]) -> None:
    """Those the same request was played with, but for whom another file is given, and before it is to stop."""
    request = game.state().request
    assert request is not None
    both = {"federation": "a", "klingon": "b"}
    other = replace(request, through=3)
    not_played, else_, stops = (
        "it had not been played", "the request asks something else now", "the repetition stops here"
    )  # fmt: skip

    def unused(old: _Old | None, *, until: tuple[int, int] = (9, 0), given: str = "") -> dict[str, str]:
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

    assert unused(_Old(request, both, ())) == {}
    assert unused(_Old(replace(request, number=5, reason="another"), both, ())) == {}
    assert unused(None) == dict.fromkeys(both, not_played)
    assert unused(_Old(request, {"klingon": "b"}, ())) == {"federation": not_played}
    assert unused(_Old(other, both, ())) == dict.fromkeys(both, else_)
    assert unused(_Old(other, {"klingon": "b"}, ())) == {"federation": not_played, "klingon": else_}
    assert unused(_Old(other, both, ()), given="klingon") == {"federation": else_}
    assert unused(None, given="federation") == {"klingon": not_played}
    assert unused(_Old(request, both, ()), until=(1, 1)) == dict.fromkeys(both, stops)
    assert unused(_Old(request, both, ()), until=(1, 2)) == {}


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


@pytest.mark.parametrize("warp", [16, 6, 5, 4, 2])
def test_a_draft_offers_the_highest_speed_that_can_be_paid_beside_weapons_or_without_them(
    game: GameFolder, warp: int
) -> None:
    state, duel = game.state(), game.scenario()
    ship = state.units["Constellation"]
    assert isinstance(ship, Ship) and state.request is not None
    boxes = {
        **ship.boxes,
        "warp left": warp // 2,
        "warp right": warp - warp // 2,
        "warp center": 0,
        "impulse": 1,
        "apr": 1,
    }
    poor = replace(ship, batteries=0, boxes=boxes, speed=9, prior_speed=9)
    now = replace(state, units={**state.units, ship.name: poor})
    draft = draft_for(now, duel, state.request, "federation")
    hints = [line.strip(" #").partition("#")[0].strip() for line in draft.split("\n") if line.startswith("  # ")]
    (offered,) = (int(hint.split()[1]) for hint in hints if hint.startswith("SPEED "))
    usual = [hint for hint in hints if hint.startswith(("PHASERS", "PHOT"))]
    assert len(usual) == 3
    head = "GAME duel TURN 1 SIDE federation REPLY 1\nSHIP Constellation\nENERGY\n"

    def paid(*entries: str) -> list[int]:
        return [
            speed
            for speed in range(1, 10)
            if not judged_on(now, duel, head + "\n".join([f"SPEED {speed}", *entries]) + "\nEND\n", "").faults
        ]

    assert offered == max(paid(*usual) or paid(), default=0)
    assert ("beside phasers and weapons" in draft) == (bool(paid(*usual)) and offered < 9)


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
    assert resolve(game) == [Happening(what="waiting", asked=first, owing=both, reports="01/r1")]
    send("klingon")
    assert resolve(game) == [Happening(what="waiting", asked=first, owing=("federation",), reports="01/r1")]
    send("federation")
    done = resolve(game)
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
    *_, played_, over = resolve(game)
    outcome = game.state().outcome
    assert (played_.what, played_.asked, played_.reports) == ("played", None, over.reports) and len(outcome) == 2
    assert over == Happening(what="over", outcome=outcome, reports="01/final")
    assert resolve(game) == [over]


def test_the_log_as_it_was_when_something_was_asked() -> None:
    """With what the umpire did then, and without what was played on it; as it was last, where it was asked again."""

    def asks(n: int, number: int, turn: int = 2) -> Record:
        request = Request(number=number, turn=turn, impulse=1, form=FormKind.SOP, sides=(), through=16)
        return Record(n=n, event=Requested(turn=2, impulse=1, step=StepName.MOVE, request=request))

    log = [stopped(1), asks(2, 1), stopped(3), began(4, 1), asks(5, 2), asks(6, 2, 3), began(7, 2), stopped(8)]
    for number, turn, until in ((1, 2, 3), (2, 3, 6), (2, 2, 8), (3, 2, 8), (1, 3, 8)):
        request = cast(Requested, asks(0, number, turn).event).request
        assert [record.n for record in _when_asked(log, request)] == list(range(1, until + 1)), (number, turn)
    assert _when_asked(log, None) == log


@pytest.mark.parametrize("late", ["", "it is held"])
def test_where_the_save_cannot_be_written_no_mail_holds_it(
    at_break: GameFolder, monkeypatch: pytest.MonkeyPatch, late: str
) -> None:
    made: list[bytes] = []

    def again(game: object, records: object, state: object, save: bytes) -> dict[str, dict[str, bytes | None]]:
        made.append(save)
        return {"klingon": {"sitrep.html": b"without", "mail.eml": None}}

    monkeypatch.setattr(publish, "lay_out", lambda folder, save: late)
    monkeypatch.setattr(publish, "_made", again)
    publish.publish(at_break, b"PK", {"klingon": {"sitrep.html": b"with it", "mail.eml": b"mail"}})
    folder = reports_folder(at_break) / "klingon"
    assert (folder / "sitrep.html").read_bytes() == (b"without" if late else b"with it")
    assert (folder / "mail.eml").exists() is not bool(late) and made == ([b""] if late else [])


def test_a_side_is_offered_its_own_shuttles_and_none_that_is_a_weapon() -> None:
    state, duel = rich(), scenario("9")
    assert state.request is not None
    flying = replace(state.units["FS/1"], target="", gone=Gone.IN_PLAY, landed="", speed=4)
    there = {
        "FS/1": flying,
        "FS/5": replace(flying, name="FS/5", target="Con"),
        "FS/6": replace(flying, name="FS/6", side="klingon"),
        "FS/7": replace(flying, name="FS/7", gone=Gone.DESTROYED),
    }
    rest = {name: unit for name, unit in state.units.items() if not isinstance(unit, Shuttle)}
    now = replace(state, units={**rest, **there})
    request = replace(state.request, turn=state.turn, form=FormKind.SOP, through=state.impulses)
    found = {side: [one.name for one in shuttles(now, duel, request, side)] for side in state.sides}
    assert found == {side: {flying.side: ["FS/1"], "klingon": ["FS/6"]}.get(side, []) for side in state.sides}


def test_which_version_played_what_is_noted_where_it_changes(game: GameFolder) -> None:
    for segment, version in enumerate(("0.3", "0.3", "0.4", "0.4", "0.3", "0.4"), start=1):
        note_version(game, segment, version)
    assert [(one.segment, one.pbem) for one in _noted(game)] == [(1, "0.3"), (3, "0.4"), (5, "0.3"), (6, "0.4")]
    (game.path / "versions.json").unlink()
    note_version(game, 1, game.terms.begun)
    assert _noted(game) == []


def test_a_file_that_is_no_players_lies_among_orders_unread(game: GameFolder, send: Callable[..., Receipt]) -> None:
    send("klingon")
    folder = game.order_file(1, "klingon", 1).parent
    for name in ("notes.txt", "klingon.orders", "klingon.r1.orders.bak", "klingon.rx.orders", ".r1.orders"):
        (folder / name).write_text("x", encoding="utf-8")
    assert [(file.side, file.number, file.version) for file in game.order_files(1)] == [("klingon", 1, 0)]


def test_what_a_game_waits_for_is_told_with_its_state(game: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    state = game.state()
    sealing = Sealing(segment=1, turn=1, request=1, round=5, seals={})
    monkeypatch.setattr("pbem.desk.status.sealing_of", lambda game: sealing)
    found = status(game)
    assert (found.game, found.turn, found.impulse, found.impulses) == ("duel", *state.stands, state.impulses)
    assert (found.request, found.over, found.outcome, found.faults) == (state.request, False, (), ())
    assert (found.owing, found.reports, found.sealing) == (("federation", "klingon"), "01/r1", sealing)
