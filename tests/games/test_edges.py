"""What pbem.games does where two things meet: a copy that makes something, a file of the same name, a table and its
papers, links of an archive, letters quoted in part, stretches of an earlier version.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from pbem import __version__
from pbem.data.terms import FormKind, MutinyState, StepName
from pbem.engine import dice, log
from pbem.engine.events import OptionsRuled, Record, Reran, SegmentBegan, Undone
from pbem.engine.log import fold_records
from pbem.engine.on_file import altered
from pbem.engine.options import Options
from pbem.engine.state import Request, Ship, State
from pbem.engine.state_paths import NoPath
from pbem.errors import Fault, GameError
from pbem.games import create, resolve, site
from pbem.games.answers import in_force_from
from pbem.games.create import new, play_demo, shipped_games
from pbem.games.proof import archive, beacon, seals, verify_archive
from pbem.games.proof.archive import readme
from pbem.games.proof.replay import Replay
from pbem.games.proof.verify_archive import read_kept
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage import files, folder as act, papers, publish
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.opening import opened
from pbem.games.storage.players import NAMES, names, note_names
from pbem.games.storage.terms import verify_name
from pbem.games.umpire import decree as decrees, limits
from pbem.games.umpire.decree import Decree, override
from pbem.games.umpire.rerun import _earlier_requests, _Plan, _Run, clone
from pbem.games.umpire.undo import played_request, undo
from pbem.reports.draft.draft import draft_for

# --- a copy of the process ---


def told_by_a_copy(make: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch) -> bytes:
    """What a copy that makes this tells, the copy being this process."""
    out, into = os.pipe()
    mine, ended = os.dup(out), list[int]()
    monkeypatch.setattr(os, "_exit", ended.append)
    try:
        papers._make(make, mine, into)
    finally:
        assert ended == [0], "it ends, whatever came of it"
        with pytest.raises(OSError):
            os.fstat(mine)  # nobody else would be told that nobody reads
        os.close(into)
    try:
        return papers._all_of(out)
    finally:
        os.close(out)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system copies no process")
@pytest.mark.parametrize("made", [b"", b"x", b"\x00" * 9, b"abc" * 20_000])
def test_what_a_copy_makes_comes_whole(made: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert told_by_a_copy(lambda: made, monkeypatch) == made


def test_of_a_copy_that_fails_or_is_cut_off_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> bytes:
        raise ValueError

    with pytest.raises(ValueError):
        told_by_a_copy(fails, monkeypatch)
    whole = (5).to_bytes(8, "big") + b"12345"
    for told, comes in ((whole, b"12345"), (whole[:-1], b""), (whole + b"6", b""), (whole[:7], b""), (b"", b"")):
        out, into = os.pipe()
        os.write(into, told)
        os.close(into)
        assert papers._all_of(out) == comes, told
        os.close(out)


def test_where_no_process_can_be_copied_nothing_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    pipes: list[int] = []
    real = os.pipe

    def pipe() -> tuple[int, int]:
        pipes.extend(real())
        return pipes[0], pipes[1]

    def fails() -> int:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "pipe", pipe)
    monkeypatch.setattr(os, "fork", fails, raising=False)
    with papers.in_background(lambda: b"x") as made:
        assert made() == b""
    for handle in pipes:
        with pytest.raises(OSError):
            os.fstat(handle)
    assert len(pipes) == 2


# --- files ---


def test_a_file_that_is_there_under_a_name_made_up_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up = iter([b"abcd", b"abcd", b"efgh"])
    monkeypatch.setattr(os, "urandom", lambda size: next(made_up))
    there = tmp_path / f".game.toml.{b'abcd'.hex()}.tmp"
    there.write_bytes(b"somebody else's, half written")
    files.write_bytes(tmp_path / "game.toml", b"whole")
    assert (tmp_path / "game.toml").read_bytes() == b"whole" and next(made_up, None) is None
    assert there.read_bytes() == b"somebody else's, half written"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_file_is_private_from_the_moment_it_is_opened_and_open_to_this_process_alone(tmp_path: Path) -> None:
    for private, mode in ((True, 0o600), (False, 0o666 & ~umask())):
        handle, path = files._temporary(tmp_path / "new" / "a.txt", private=private)
        assert stat.S_IMODE(path.stat().st_mode) == mode and not os.get_inheritable(handle)
        assert path.name.startswith(".a.txt.") and path.suffix == ".tmp" and path.parent == tmp_path / "new"
        os.close(handle)


def umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def test_names_of_players_are_kept_in_their_order_to_be_looked_at(tmp_path: Path) -> None:
    note_names(tmp_path, {"kor@example.org": "Kor", "ann@example.org": "Ann"})
    kept = (tmp_path / "secret" / NAMES).read_text(encoding="utf-8")
    assert kept == '{\n "ann@example.org": "Ann",\n "kor@example.org": "Kor"\n}\n'
    assert names(tmp_path) == {"ann@example.org": "Ann", "kor@example.org": "Kor"}


def test_what_a_new_game_left_that_was_stopped_and_nobody_can_take_away_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = tmp_path / ".duel.1234.new"
    left.mkdir()
    real = os.rmdir

    def held(path: Any, **more: Any) -> None:
        if os.fspath(path) in (str(left), left.name):
            raise PermissionError(13, "Permission denied", str(path))
        real(path, **more)

    monkeypatch.setattr(os, "rmdir", held)
    new("5", tmp_path / "duel", players={}, seed="x")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".duel.1234.new", "duel"]
    monkeypatch.setattr(os, "rmdir", real)
    new("5", tmp_path / "duel2", players={}, seed="x")
    assert left.is_dir(), "that of another game"
    new("5", tmp_path / "x" / "duel", players={}, seed="x")


def test_a_folder_that_somebody_makes_at_the_same_moment_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    real, looked = Path.is_dir, set[Path]()

    def is_dir(path: Path) -> bool:
        """At the first look there is none yet."""
        first = path != tmp_path and path not in looked
        looked.add(path)
        return not first and real(path)

    monkeypatch.setattr(Path, "is_dir", is_dir)
    files.make_folder(tmp_path / "a" / "b" / "c")
    assert (tmp_path / "a" / "b" / "c").is_dir() and len(looked) == 4


def test_reports_of_whoever_has_none_are_taken_away_too(tmp_path: Path) -> None:
    """With the folder of their request, as far as nothing of anybody else's lies in it."""
    folder = tmp_path / "r1"
    for name in ("klingon/sitrep.txt", "umpire/sitrep.txt", "federation/notes.txt"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(b"x")
    (folder / "nobody").write_bytes(b"x")
    publish._remove(folder)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()) == [
        "federation/notes.txt", "nobody"
    ]  # fmt: skip


def test_what_is_packed_tells_neither_when_nor_where() -> None:
    packed = archive.packed({"b.txt": b"x" * 99, "a/b.txt": b""})
    with zipfile.ZipFile(io.BytesIO(packed)) as there:
        found = [(one.filename, one.date_time, one.compress_type, one.create_system) for one in there.infolist()]
    assert found == [(name, (1980, 1, 1, 0, 0, 0), zipfile.ZIP_DEFLATED, 0) for name in ("b.txt", "a/b.txt")]
    assert packed == archive.packed({"b.txt": b"x" * 99, "a/b.txt": b""})


# --- what an earlier version, or another moment, left ---


def test_where_play_goes_on_from_a_state() -> None:
    state = State(turn=2, impulse=3, step=StepName.FIRE)
    assert seals.place_of(state) == dice.ENDLESS > (10**6, 0, 0)
    asked = Request(turn=2, number=1, form=FormKind.SOP, impulse=3, through=8, sides=())
    here = msgspec.structs.replace(state, request=asked)
    assert seals.place_of(here) == dice.place(2, 3, StepName.FIRE) > (2, 3, 0)
    assert seals.place_of(msgspec.structs.replace(here, turn=1)) == (2, 0, 0), "a new turn begins"


def test_a_repetition_that_a_version_left_to_be_played_is_played_with_the_dice_it_keeps(at_break: GameFolder) -> None:
    """Today all of it is played at once; what stands in the log of a game still holds."""
    before = at_break.effective()
    rolls = [record.event for record in before if getattr(record.event, "roll", "")]
    target = played_request(before, 1, 1)
    then = fold_records([record for record in before if record.n <= target.n])
    assert then.request is not None and at_break.state().segment == 2
    act = Reran(
        turn=then.turn, impulse=then.impulse, step=then.step, to=target.n, reason="x", segment=2, through=4,
        kept=(1, 2), since="request 1 of turn 1", newer=False,
    )  # fmt: skip
    plan = _Plan(since=then.request, act=act, decree=Decree(), old=_earlier_requests(then.request, ()))
    _Run(at_break, plan, []).begin()
    told = resolve_game(at_break)
    assert [one.what for one in told if one.what != "rewrote"] == ["played", "played", "waiting"]
    again = at_break.effective()
    assert [r.event for r in again if getattr(r.event, "roll", "")] == rolls
    assert [r.event.kept for r in again if isinstance(r.event, SegmentBegan)] == [(1, 2), (1, 2)]
    found = verify(at_break)
    assert (found.faults, found.repeated) == ((), 2)


def test_a_clone_of_a_request_that_was_played_goes_back_to_it_with_the_orders_of_then(
    at_break: GameFolder, tmp_path: Path
) -> None:
    was = at_break.order_file(1, "klingon", 1).read_text(encoding="utf-8")
    lowered = was.replace("GAME duel", "  game  DUEL")
    assert lowered != was
    at_break.order_file(1, "klingon", 1).write_text(lowered, encoding="utf-8")
    made = clone(at_break, tmp_path / "whatif", turn=1, request=1)
    assert made.asked is not None and (made.game, made.of, made.asked.number) == ("whatif", "duel", 1)
    with opened(tmp_path / "whatif") as copy:
        (taken,) = [record.event for record in copy.records() if isinstance(record.event, Undone)]
        assert taken.reason == "a clone of duel goes on from here"
        assert copy.terms.clone == "duel, request 1 of turn 1"
        assert in_force_from(copy, made.asked) == [], "what was answered are earlier versions"
        assert copy.order_file(1, "klingon", 1, 1).read_text(encoding="utf-8") == was.replace(
            "duel", "whatif", 1
        ).replace("GAME whatif", "  game  whatif")
    with pytest.raises(GameError, match="played"):
        clone(at_break, tmp_path / "other", turn=1, request=7)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["duel", "whatif"], "and nothing half made is left"


def test_a_beacon_of_which_only_a_line_is_quoted_tells_its_round_and_no_blanks() -> None:
    hash = "ab" * 32
    text = f"Dice of duel, scheme 2\nSegment 1: request 2 of turn 3\n  beacon, round 77\n    {hash}\n"
    found = read_kept(text, "a.txt")
    assert found is not None and found.told[-1].value == f"77:{hash}"


# --- what is asked for twice ---


def test_a_game_reads_each_of_its_files_once(at_break: GameFolder, duel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However often it is asked for: a round of a host asks for all of it dozens of times."""
    known = at_break.records(), at_break.effective(), at_break.state()
    read: list[str] = []
    real = Path.read_bytes

    def counted(path: Path) -> bytes:
        read.append(path.relative_to(duel).as_posix())
        return real(path)

    worked: list[int] = []
    effective = log.effective

    def works_out(records: Sequence[Record]) -> list[Record]:
        worked.append(1)
        return effective(records)

    monkeypatch.setattr(log, "effective", works_out)
    monkeypatch.setattr(Path, "read_bytes", counted)
    game = GameFolder(duel, at_break.terms)
    for _ in range(2):
        found = (game.scenario(), game.dice(), game.log_files(), game.records(), game.effective(), game.state())
    assert found[3:] == known
    assert sorted(read) == ["00/events.jsonl", "01/events.jsonl", "01/state.json", "secret/dice.secret"] and worked == [
        1
    ]
    assert game.scenario() is game.scenario() and game.dice() is game.dice() and game.state() is game.state()
    game.records().clear()
    game.effective().clear()
    assert game.records() and game.effective(), "what was handed out is nobody else's"


# --- names ---


@pytest.mark.parametrize("length", [59, 60, 61, 99])
def test_of_a_name_that_cannot_be_so_much_is_shown(length: int) -> None:
    name = "n" * length
    shown = name if length <= 60 else "n" * 59 + "…"
    with pytest.raises(GameError, match=f"'{shown}' cannot be a game's name"):
        verify_name(name)
    with pytest.raises(GameError, match=f"'{shown}' cannot be a unit's name"):
        create._verify_units(cast(Any, SimpleNamespace(units=[SimpleNamespace(name=name)])), "x")


def test_a_line_of_a_sites_index_says_when_play_went_on(at_break: GameFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    for played, told in ((date(2027, 3, 1), "2027-03-01"), (None, "")):
        monkeypatch.setattr(site, "last_played", lambda folder, played=played: played)
        line = site.site_line(at_break)
        assert (line.played, line.name, line.over, line.scenario) == (told, "duel", False, "5")
        assert line.players == (("federation", ""), ("klingon", "")) and line.robots == () and line.verdicts == {}


def test_a_stretch_with_a_beacon_of_its_own_making_is_no_replay(at_break: GameFolder) -> None:
    """Where the dice take one it must be there, later than the one before; where they take none there may be none."""
    records, value = at_break.records(), f"7:{'a' * 64}"
    part = next(part for part in seals.cut(records) if isinstance(part[0].event, SegmentBegan))
    state = fold_records([record for record in records if record.n < part[0].n])
    began = part[0].event
    assert isinstance(began, SegmentBegan)
    told = [msgspec.structs.replace(part[0], event=msgspec.structs.replace(began, beacon=value)), *part[1:]]
    replay = Replay(at_break, records)
    fault = replay.difference(told, state)
    assert fault is not None and fault.text.endswith("the dice of this game take no beacon, and this segment has one")
    assert replay.difference(part, state) is None and [one.beacon for one in replay.stretches] == [""]
    assert replay.difference(part[1:], msgspec.structs.replace(state, request=None)) is not None


def test_of_a_stretch_that_cannot_be_played_again_the_first_fault_is_told(
    at_break: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults = (Fault(code="a", text="one"), Fault(code="b", text="two"))

    def refuses(*given: object, **more: object) -> None:
        raise GameError(*faults)

    monkeypatch.setattr("pbem.games.proof.replay.segment", refuses)
    records = at_break.records()
    part = next(part for part in seals.cut(records) if isinstance(part[0].event, SegmentBegan))
    state = fold_records([record for record in records if record.n < part[0].n])
    assert Replay(at_break, records).difference(part, state) == faults[0]


def test_a_record_in_another_turns_file_is_told_with_that_file(at_break: GameFolder) -> None:
    logs = at_break.log_files()
    assert list(verify_archive._misplaced(at_break)) == []
    (last,) = logs[1][-1:]
    game: Any = SimpleNamespace(log_files=lambda: {0: [*logs[0], last], 1: logs[1][:-1]})
    (fault,) = verify_archive._misplaced(game)
    assert (fault.code, fault.file, fault.text) == (
        "log-damaged", "00/events.jsonl", f"record {last.n} belongs in the file of turn 1"
    )  # fmt: skip


def test_a_list_of_a_sites_files_is_the_same_for_the_same_files(tmp_path: Path) -> None:
    nothing = site.Listing(format=1, files=())
    site._list(tmp_path, nothing, ["b.html", "a/b.html"], {"g": "G"})
    kept = (tmp_path / site.LISTED).read_text(encoding="utf-8")
    assert kept == '{\n "format": 1,\n "files": [\n  "a/b.html",\n  "b.html"\n ],\n "games": {\n  "g": "G"\n }\n}\n'
    before = site._listed(tmp_path)
    (tmp_path / site.LISTED).unlink()
    site._list(tmp_path, before, {"b.html", "a/b.html"}, {"g": "G"})
    assert not (tmp_path / site.LISTED).exists(), "what stands there is not written again"


@pytest.mark.parametrize("option", ["sideslip", "reinforcement"])
def test_an_option_on_what_a_scenario_does_without_is_not_ruled(option: str) -> None:
    class Without:
        number = "5"

        def uses(self, chapter: str) -> bool:
            return chapter != option

    state = State(options=Options(sideslip=False, reinforcement=False))
    table: Any = SimpleNamespace(state=state, scenario=Without())
    decree = Decree(options={option: "yes"}, reason="x")
    with pytest.raises(GameError, match=f"^--option: option: scenario #5 does not use {option}$"):
        decrees._options(table, decree, [])
    with pytest.raises(GameError, match=f"^--option: no-change: {option} is already no$"):
        decrees._options(table, Decree(options={option: "no"}, reason="x"), [])


def test_options_that_are_ruled_stand_in_the_log_in_one_order(game: GameFolder) -> None:
    """However they were typed: the same ruling is the same record."""
    override(game, Decree(options={"period": "8", "fractional": "yes"}, reason="x"))
    (ruled,) = [record.event for record in game.records() if isinstance(record.event, OptionsRuled)]
    assert list(ruled.changed.items()) == [("fractional", "yes"), ("period", "8")]


def test_a_ship_that_obeys_nobody_is_in_no_draft(game: GameFolder) -> None:
    state, scenario = game.state(), game.scenario()
    assert state.request is not None
    ship = state.units["Destruction"]
    assert isinstance(ship, Ship) and "SHIP Destruction" in draft_for(state, scenario, state.request, "klingon")
    lost = altered(ship, mutiny=MutinyState.STAGED)
    mutinied = msgspec.structs.replace(state, units={**state.units, ship.name: lost})
    assert "SHIP Destruction" not in draft_for(mutinied, scenario, state.request, "klingon")
    assert "SHIP Constellation" in draft_for(mutinied, scenario, state.request, "federation")


@pytest.mark.parametrize(("change", "code"), [
    ({}, ""), ({"scheme": 9}, "dice-scheme"), ({"length": 4095}, "dice-scheme"), ({"salts": "7" * 64}, "dice-scheme"),
    ({"beacon": "drand"}, "dice-scheme"), ({"commitment": "7" * 64}, "dice-commitment"),
])  # fmt: skip
def test_dice_that_are_not_those_agreed_on_are_refused(
    game: GameFolder, duel: Path, change: dict[str, Any], code: str
) -> None:
    terms = msgspec.structs.replace(game.terms, dice=msgspec.structs.replace(game.terms.dice, **change))
    other = GameFolder(duel, terms)
    if not code:
        assert other.secret() == game.secret()
        return
    with pytest.raises(GameError) as told:
        other.secret()
    file = "secret/dice.secret" if code == "dice-commitment" else "game.toml"
    assert [(fault.code, fault.file) for fault in told.value.faults] == [(code, str(duel / file))]


def test_orders_are_sealed_for_the_round_they_were_played_with_before(game: GameFolder, duel: Path) -> None:
    """Where a backup was put back; else for the first one that comes late enough."""
    terms = msgspec.structs.replace(game.terms, dice=msgspec.structs.replace(game.terms.dice, beacon="drand"))
    one = GameFolder(duel, terms, game.dice())
    clock: Any = SimpleNamespace(now=lambda: datetime(2027, 3, 1, 12, 0, tzinfo=UTC))
    assert beacon.seal(one, {"klingon": "x"}, clock, 9).round == 9 == beacon.seal(one, {"klingon": "x"}, clock).round
    (duel / "01" / "sealed.r1.json").unlink()
    late = clock.now() + beacon.MARGIN
    assert beacon.seal(one, {"klingon": "x"}, clock).round == beacon.first_round_after(late)


def test_who_may_be_played_by_the_robot_is_offered_so() -> None:
    def found(**robots: str) -> str:
        sides = [SimpleNamespace(name=name, robot=robot) for name, robot in robots.items()]
        by_name = {side.name: side for side in sides}
        scenario: Any = SimpleNamespace(sides=sides, side=by_name.__getitem__)
        with pytest.raises(GameError) as told:
            create._verify_everybody(scenario, {"gorn": "ann@x.org"})
        return told.value.faults[0].text

    assert found(gorn="may", kzinti="no", orion="may").endswith("--player orion=ADDRESS (or orion=robot)")
    assert found(gorn="may", kzinti="no").endswith("--player kzinti=ADDRESS")


# --- what comes back from another process ---


def test_what_keeps_an_errand_from_being_done_comes_back_with_all_its_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = (Fault(code="a", text="one", file="x"), Fault(code="b", text="two", line=3))

    def refuses(given: resolve.PlayJob) -> resolve.PlayJobResult:
        raise GameError(*faults)

    monkeypatch.setattr(resolve, "run", refuses)
    monkeypatch.setattr(msgspec.msgpack, "decode", lambda data, type: decoded(data, type))
    given = SimpleNamespace(fingerprint=resolve.fingerprint(), errand=SimpleNamespace(own={}))
    real = msgspec.msgpack.Decoder

    def decoded(data: bytes, type: Any) -> Any:
        return given if type is resolve._Packed else real(type).decode(data)

    with pytest.raises(GameError) as told:
        resolve.unpacked(resolve.carried(b"an errand"))
    assert told.value.faults == faults


def test_files_of_a_games_own_lie_beside_the_work_that_is_carried_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    lay: list[dict[str, bytes]] = []
    own = {"ships/a.toml": b"a", "ships/b.toml": b"b", "scenarios/c.toml": b"c"}

    @contextmanager
    def looking_in(folder: Path) -> Iterator[None]:
        assert folder.name.startswith("pbem-")
        lay.append({path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.toml")})
        yield
        assert folder.is_dir()

    monkeypatch.setattr(resolve, "looking_in", looking_in)
    done = resolve.PlayJobResult(records=[], state=State(), save=b"s", files={})
    monkeypatch.setattr(resolve, "run", lambda given: done)
    real = msgspec.msgpack.decode
    for files_of, found in ((own, [own]), ({}, [])):
        given = SimpleNamespace(fingerprint=resolve.fingerprint(), errand=SimpleNamespace(own=files_of))
        lay.clear()
        with monkeypatch.context() as patch:
            patch.setattr(msgspec.msgpack, "decode", lambda data, type, given=given: given)
            back = resolve.carried(b"an errand")
        assert lay == found and resolve.unpacked(back) == done and real(back)


# --- an archive, as people look at it ---


def test_pages_of_an_archive_that_are_missing_or_somebody_elses_are_told_each(tmp_path: Path) -> None:
    game = cast(GameFolder, SimpleNamespace(path=tmp_path, records=list))
    proof = cast(Any, SimpleNamespace(game="duel"))

    worded: list[str] = []

    def told() -> list[tuple[str, str]]:
        worded.clear()
        return [(fault.code, fault.file) for fault in verify_archive._for_people(game, proof, worded)]

    missing = [("page-missing", name) for name in verify_archive._FOR_PEOPLE]
    assert told() == missing and len(missing) == 2
    (tmp_path / "README.txt").write_bytes(readme("duel", "0.1.7"))
    assert told() == [("page-missing", "proof.html")], "of whatever version"
    (tmp_path / "README.txt").write_bytes(readme("duel", __version__) + b"Trust me.\n")
    assert told() == [("page-missing", "proof.html"), ("page-differs", "README.txt")] and not worded
    (tmp_path / "README.txt").write_bytes(b"Trust me.\n")
    assert told() == [("page-missing", "proof.html"), ("page-differs", "README.txt")] and not worded
    (tmp_path / "README.txt").write_bytes(readme("duel", "0.1.7") + b"Trust me.\n")
    assert told() == [("page-missing", "proof.html")] and worded == ["README.txt"], "another version, other words"
    (tmp_path / "README.txt").write_bytes(b"")
    assert told() == [("page-missing", "proof.html")], "of an empty one there is nothing to believe"


def test_a_log_file_without_a_record_has_no_place_in_an_archive() -> None:
    logs = {1: [], 0: [object()], 3: []}
    terms = SimpleNamespace(ships={}, figures={}, scenario="5")
    game: Any = SimpleNamespace(log_files=lambda: logs, scenario=lambda: SimpleNamespace(units=()), terms=terms)
    game.path = Path("nowhere")
    found = [(fault.code, fault.file) for fault in verify_archive._unused_files(game)]
    assert found == [("log-damaged", "01/events.jsonl"), ("log-damaged", "03/events.jsonl")]


# --- the example ---


def test_an_example_is_played_where_nothing_lies_and_its_progress_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    for there in (tmp_path / "file", tmp_path / "full"):
        there.mkdir() if there.name == "full" else there.write_bytes(b"")
        (there / "x").write_bytes(b"") if there.is_dir() else None
        with pytest.raises(GameError, match=f"{there}: not-empty: name an empty folder or a new one for the demo"):
            play_demo(there)
    monkeypatch.setattr("pbem.games.create.replay", lambda *given: given)
    (tmp_path / "empty").mkdir()
    for target in (tmp_path / "empty", tmp_path / "new"):
        assert cast(Any, play_demo(target, cast(Any, told))) == (shipped_games()[0], target, told)
    monkeypatch.setattr("pbem.games.create.tempfile.mkdtemp", lambda prefix: str(tmp_path / prefix))
    assert cast(Any, play_demo()) == (shipped_games()[0], tmp_path / "pbem-demo-" / shipped_games()[0].name, None)
    monkeypatch.setattr("pbem.games.create.shipped_games", list)
    with pytest.raises(GameError, match="no-example"):
        play_demo(tmp_path / "new")


def test_where_examples_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the installed package, else beside it in a checkout; a folder without game.toml is none."""
    monkeypatch.setattr(create, "__file__", str(tmp_path / "pbem" / "games" / "demo.py"))
    assert shipped_games() == []
    (tmp_path / "turns" / "none").mkdir(parents=True)
    assert shipped_games() == []
    (tmp_path / "pbem").mkdir()
    for name, found in (
        ("turns/b", ["turns/b"]), ("turns/a", ["turns/a", "turns/b"]), ("pbem/_data/turns/c", ["pbem/_data/turns/c"]),
    ):  # fmt: skip
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "game.toml").touch()
        assert [path.relative_to(tmp_path).as_posix() for path in shipped_games()] == found


def test_an_example_of_one_stretch_is_played_with_its_own_dice(
    game: GameFolder, send: Callable[..., object], duel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for side in ("federation", "klingon"):
        send(side)
    resolve_game(game)
    told: list[tuple[int, int]] = []
    done = create.replay(duel, tmp_path / "again", lambda number, count: told.append((number, count)))
    assert told == [(2, 2)] and (done.files, done.segments, done.records) == (2, 1, len(game.records()))
    assert (tmp_path / "again" / "01" / "events.jsonl").read_bytes() == (duel / "01" / "events.jsonl").read_bytes()
    state = game.state()
    game._state = msgspec.structs.replace(state, request=None)
    assert create._due(game, game.order_files(1)) == []

    def full(prefix: str) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pbem.games.create.tempfile.mkdtemp", full)
    with pytest.raises(GameError, match="unwritable: cannot write this: No space left on device"):
        play_demo()


def test_a_turn_whose_log_is_empty_has_nothing_to_be_made_of_it(at_break: GameFolder, duel: Path) -> None:
    (duel / "02").mkdir()
    (duel / "02" / "events.jsonl").touch()
    (duel / "00" / "state.json").unlink()
    with opened(duel) as game:
        assert game.last_folder() == 1 and game.state() == at_break.state() and game.state_is_behind()
        found = verify(game, repair=True)
        assert found.repaired == ("00/state.json", "the reports") and found.record == () == found.stale
    assert [path.name for path in (duel / "02").iterdir()] == ["events.jsonl"]


def test_an_act_that_cannot_be_carried_out_stands_and_says_so(
    at_break: GameFolder, duel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = at_break.records()
    real = files.write_bytes

    def full(path: Path, data: bytes, *, private: bool = False) -> None:
        if path.name == "events.jsonl":
            raise GameError.saying("unwritable", "the disk is full", file=str(path))
        real(path, data, private=private)

    monkeypatch.setattr(act, "write_bytes", full)
    with pytest.raises(GameError) as told:
        undo(at_break, reason="x")
    assert [(fault.code, fault.file) for fault in told.value.faults] == [
        ("unwritable", str(duel / "01" / "events.jsonl")), ("unfinished", str(duel)),
    ]  # fmt: skip
    assert (
        "the undo is in the log; the next command finishes it as soon as its files can be written"
        in told.value.faults[1].text
    )
    assert act.unfinished(duel)
    monkeypatch.setattr(act, "write_bytes", files.write_bytes)
    with opened(duel, lock="test") as game:
        assert len(game.records()) == len(before) + 1 and not act.unfinished(duel)


@pytest.mark.parametrize(("boxes", "said"), [({}, "0 shuttle boxes"), ({"shuttle": 1}, "1 shuttle boxes")])
def test_no_more_shuttles_are_aboard_than_have_boxes(boxes: dict[str, int], said: str) -> None:
    ship: Any = SimpleNamespace(name="Raider", hangar="ABC", boxes=boxes)
    for value in ("", "A", "a, b", "B c"):
        if len(value.replace(",", "").replace(" ", "")) <= sum(boxes.values()):
            limits._verify_hangar(ship, ship, value)
        else:
            with pytest.raises(NoPath, match=f"Raider has {said} for"):
                limits._verify_hangar(ship, ship, value)
    with pytest.raises(NoPath, match=r"Raider has no shuttle D; it started with A, B, C \(J1.4\)"):
        limits._verify_hangar(ship, ship, "A E D")
    bare: Any = SimpleNamespace(name="Hulk", hangar="", boxes={})
    with pytest.raises(NoPath, match="Hulk has no shuttle A; it started with none"):
        limits._verify_hangar(bare, bare, "A")


def test_the_page_of_an_archive_is_made_here_whatever_page_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def opened_archive(path: Path) -> Iterator[tuple[Any, str]]:
        yield SimpleNamespace(records=lambda: [path]), "proof"

    monkeypatch.setattr(verify_archive, "opened_archive", opened_archive)
    monkeypatch.setattr(verify_archive, "lines_of", lambda records: ["lines", *records])
    monkeypatch.setattr("pbem.reports.html.proof_page.proof_html", lambda *given: repr(given))
    file = tmp_path / "a.zip"
    assert verify_archive.own_page(file) == repr(("proof", [file], ["lines", file])).encode()


def test_a_link_that_was_passed_over_is_of_the_same_chain() -> None:
    """Each link is the hash of the one after it: what was told of a segment follows from the next that was played."""
    chain = [bytes([9]) * 32]
    for _ in range(8):
        chain.insert(0, dice.hashed(chain[0]))
    played: Any = [SimpleNamespace(segment=number, link=chain[number].hex()) for number in (1, 4, 6)]
    proof: Any = SimpleNamespace(segments=played)
    assert [verify_archive._link_taken_back(proof, number) for number in (1, 2, 3, 5)] == [
        chain[number].hex() for number in (1, 2, 3, 5)
    ]  # fmt: skip


def test_what_an_archive_lacks_first_is_told(tmp_path: Path) -> None:
    wanted = ["game.toml", "proof.json", "00/events.jsonl"]
    for number, lacks in enumerate(wanted):
        with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
            for name in ("README.txt", *wanted[:number]):
                made.writestr(name, b"x")
        with pytest.raises(GameError, match=f"{lacks} is missing"):
            archive.read_archive(tmp_path / "a.zip")


def test_of_a_name_that_has_no_place_in_an_archive_so_much_is_shown(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr("n" * 99, b"x")
    with pytest.raises(GameError, match=f": '{'n' * 80}' does not belong in the archive of a game; use the file"):
        archive.read_archive(tmp_path / "a.zip")


def test_of_what_is_no_hash_so_much_is_shown() -> None:
    proof: Any = SimpleNamespace(commitment="a" * 64, salts="", salt_link="x" * 99, segments=(), fresh=())
    with pytest.raises(
        GameError, match=f"^p: proof.json: proof-damaged: '{'x' * 70}' is not a hash of 64 small hex digits$"
    ):
        archive._verify_hex(proof, "p")
