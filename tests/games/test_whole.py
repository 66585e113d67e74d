"""Small steps of pbem.games with all that they give: previews, differences, moments of reports, copies of terms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree

import pytest
from msgspec.structs import replace

from pbem.data.scenarios import Scenario, scenario
from pbem.data.terms import CloakState, FormKind, StepName
from pbem.engine.events import Conceded, Moved, OrdersFiled, Record
from pbem.engine.on_file import altered
from pbem.engine.state import Ship
from pbem.errors import GameError
from pbem.games import create
from pbem.games.answers import CONTINUE, answers
from pbem.games.create import _verify_units
from pbem.games.preview import Preview, preview
from pbem.games.proof.verify_archive import _unused_files
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage import files
from pbem.games.storage.files import read_bytes
from pbem.games.storage.folder import GameFolder
from pbem.games.storage.players import Tenure, cast, replace_player, replaced, tenures
from pbem.games.storage.publish import _moments, find_report, renew
from pbem.games.storage.terms import _verify_key
from pbem.games.submit import Receipt, check, submit
from pbem.games.umpire.rerun import PlayDifference, differences
from pbem.games.vassal_files import LATE
from pbem.reports.draft.draft import _quiet, _ship
from pbem.reports.text.sentences import sentence
from tests.engine.world import rich

Send = Callable[..., Receipt]

# --- previews --------------------------------------------------------------------------------------------------------


def test_going_on_is_flown_as_the_orders_in_force_say(at_break: GameFolder) -> None:
    """Whoever sends CONTINUE alone sees what he said before; who said nothing before sees nothing."""
    state, scenario = at_break.state(), at_break.scenario()
    going_on = preview(state, scenario, "klingon", CONTINUE)
    ((unit, track),) = going_on.tracks
    assert unit == "Destruction" and [impulse for impulse, _ in track] == sorted(impulse for impulse, _ in track)
    assert track[0][0] > state.impulse and track[-1][0] == 16
    assert preview(replace(state, standing={}), scenario, "klingon", CONTINUE) == Preview()


def test_an_energy_form_with_more_is_flown_and_told_in_order(game: GameFolder, orders: Callable[..., str]) -> None:
    """The shots of the second part do not happen: nobody else is there."""
    text = check(game, orders("klingon", "FULL").replace("TOWARD Constellation", "14F"), "").orders
    both = preview(game.state(), game.scenario(), "klingon", text)
    energy = preview(game.state(), game.scenario(), "klingon", check(game, orders("klingon", "EAF"), "").orders)
    assert energy.tracks == () and [unit for unit, _ in both.tracks] == ["Destruction"]
    assert both.told[: len(energy.told)] == energy.told
    assert [impulse for impulse, _ in both.tracks[0][1]] == [2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16]


# --- what differs ----------------------------------------------------------------------------------------------------


def moved(n: int, unit: str, at: str, impulse: int, turn: int = 1) -> Record:
    event = Moved(turn=turn, impulse=impulse, step=StepName.MOVE, unit=unit, at=at, code="F", came_from="1010")
    return Record(n=n, event=event)


def test_differences_are_told_moment_by_moment() -> None:
    was = [
        moved(1, "A", "1009A", 1),
        moved(2, "B", "1011D", 1),
        moved(3, "A", "1008A", 2),
        moved(4, "A", "1007A", 1, 2),
    ]
    now = [
        moved(11, "A", "1009A", 1), moved(12, "B", "1111D", 1), moved(13, "C", "1212A", 1),
        moved(14, "A", "1007A", 1, 2), moved(15, "A", "1006A", 2, 2),
        Record(n=16, event=OrdersFiled(turn=2, impulse=0, step=StepName.ENERGY, side="x", request=1, text="y")),
    ]  # fmt: skip
    told = [sentence(record.event) for record in was], [sentence(record.event) for record in now]
    assert differences(was, now) == (
        PlayDifference(turn=1, impulse=1, was=(told[0][1],), now=(told[1][1], told[1][2])),
        PlayDifference(turn=1, impulse=2, was=(told[0][2],), now=()),
        PlayDifference(turn=2, impulse=2, was=(), now=(told[1][4],)),
    )
    assert differences(was, was) == differences([], []) == ()


# --- reports ---------------------------------------------------------------------------------------------------------


def test_every_report_is_of_the_moment_its_request_was_answered(at_break: GameFolder) -> None:
    records = at_break.effective()
    begun = [place for place, record in enumerate(records) if type(record.event).__name__ == "SegmentBegan"]
    assert [
        (one.folder.relative_to(at_break.path).as_posix(), one.records, one.last, one.place)
        for one in _moments(at_break, records)
    ] == [
        ("01/r1", begun[0], begun[0], (1, 0, 1)),
        ("01/r2", begun[1], begun[1], (1, 1, 2)),
        ("01/r3", len(records), len(records), (1, at_break.state().impulse, 3)),
    ]
    assert renew(at_break) == ()
    (at_break.path / "01/r2/umpire/sitrep.txt").unlink()
    assert (renew(at_break), renew(at_break)) == (("01/r2",), ())


def test_what_was_as_the_log_makes_it_is_not_looked_into_again_until_a_file_is_another(
    at_break: GameFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    real = at_break.state_is_behind

    def look() -> bool:
        looks.append("look")
        return real()

    monkeypatch.setattr(at_break, "state_is_behind", look)

    def renewed() -> tuple[int, tuple[str, ...]]:
        looks.clear()
        found = renew(at_break)
        return len(looks), found

    turn, mail = at_break.path / "01", at_break.path / "01/r1/umpire/mail.eml"
    assert (renewed()[1], renewed()) == ((), (0, ()))
    before = mail.read_bytes()
    with mail.open("r+b") as file:  # where it lies, and as long as before
        file.write(before.replace(b"Message-ID: <duel", b"Message-ID: <dual"))
    assert (renewed(), renewed(), renewed()) == ((1, ("01/r1",)), (1, ()), (0, ()))
    assert mail.read_bytes() == before
    mail.unlink()
    assert (renewed(), renewed()) == ((1, ("01/r1",)), (1, ()))
    copytree(turn / "r3", turn / "r7")
    assert (renewed(), renewed(), (turn / "r7").exists()) == ((1, ()), (1, ()), False)
    (turn / "state.json").unlink()
    assert (renewed(), renewed(), renewed()) == ((1, ("01/state.json",)), (1, ()), (0, ()))
    (turn / LATE).touch()
    assert (renewed(), renewed(), renewed()) == ((1, ("01/r3",)), (1, ()), (0, ()))


def test_the_last_report_of_a_game_is_found_by_its_turn(game: GameFolder, send: Send) -> None:
    """A game given up in its first turn: the report of that turn is the final one."""
    send("federation")
    submit(game, "GAME duel TURN 1 SIDE klingon REPLY 1\nCONCEDE\nEND\n", "k.txt")
    resolve_game(game)
    assert game.state().over and any(isinstance(record.event, Conceded) for record in game.records())
    for turn in (0, 1):
        found = find_report(game, "klingon", turn=turn)
        assert found.page == game.path / "01/final/klingon/sitrep.html" and "klingon concedes" in found.text
    with pytest.raises(GameError, match="turn 2 is not played yet; the game is in turn 1"):
        find_report(game, "klingon", turn=2)


# --- answers, names, files -------------------------------------------------------------------------------------------


def test_who_has_no_energy_form_on_file_any_more_still_owes_the_second_part(game: GameFolder, send: Send) -> None:
    send("federation", "FULL")
    send("klingon")
    resolve_game(game)
    (game.path / "01/orders/federation.r1.orders").unlink()
    assert answers(game) == ({}, ())


@pytest.mark.parametrize(
    ("length", "shown"), [(40, ""), (41, "x" * 41), (60, "x" * 60), (61, "x" * 59 + "…"), (90, "x" * 59 + "…")]
)
def test_a_name_that_is_too_long_is_shown_as_far_as_a_line_goes(length: int, shown: str) -> None:
    duel: Scenario = scenario("5")
    changed = replace(duel, units=(replace(duel.units[0], name="x" * length), *duel.units[1:]))
    if not shown:
        return _verify_units(changed, "s.toml")
    with pytest.raises(GameError) as error:
        _verify_units(changed, "s.toml")
    assert [str(fault) for fault in error.value.faults] == [
        f"s.toml: unit-name: {shown!r} cannot be a unit's name: use 1 to 40 visible characters and single spaces"
    ]
    return None


def test_what_is_held_for_a_moment_is_read_and_a_folder_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_bytes(b"x")
    tried: list[str] = []
    real = Path.read_bytes

    def busy(self: Path) -> bytes:
        tried.append(self.name)
        if len(tried) < 3:
            error = PermissionError(13, "Permission denied", str(self))
            error.winerror = 32  # type: ignore[attr-defined, unused-ignore]
            raise error
        return real(self)

    monkeypatch.setattr(files, "PAUSES", (0.0,) * 3)
    monkeypatch.setattr(Path, "read_bytes", busy)
    assert read_bytes(tmp_path / "f") == b"x" and tried == ["f"] * 3
    tried.clear()
    with pytest.raises(GameError, match="is-a-folder"):
        read_bytes(tmp_path)
    assert tried == [tmp_path.name]


def test_the_terms_of_an_example_are_copied_and_no_more(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for name in (
        "game.toml", "site.toml", "secret/dice.secret", "secret/README.txt", "secret/game.lock", "secret/mail/x.txt",
        "ships/a.toml", "ships/a.txt", "scenarios/b.toml", "scenarios/old/c.toml", "01/events.jsonl",
    ):  # fmt: skip
        (old / name).parent.mkdir(parents=True, exist_ok=True)
        (old / name).write_bytes(name.encode())
    create._copy_terms(old, new)
    assert {path.relative_to(new).as_posix(): path.read_bytes() for path in new.rglob("*") if path.is_file()} == {
        name: name.encode()
        for name in (
            "game.toml", "secret/dice.secret", "secret/README.txt", "ships/a.toml", "scenarios/b.toml",
        )
    }  # fmt: skip


# --- players, examples, archives -------------------------------------------------------------------------------------


def test_who_has_played_a_side_is_told_with_the_turns(tmp_path: Path) -> None:
    """Who has another address only is the same player, and what happened later is not known in an earlier turn."""
    assert cast(tenures(tmp_path)) == {}
    steps = (
        ("klingon", "Kor <kor@example.org>", "Kor <kor@example.com>", 2),
        ("klingon", "Kor <kor@example.com>", "Koloth <k@example.org>", 3),
        ("klingon", "Koloth <k@example.org>", "Kang <kang@example.org>", 6),
        ("federation", "ann@example.org", "Ann <ann@example.org>", 4),
        ("federation", "Ann <ann@example.org>", "", 5),
        ("gorn", "", "gus@example.org", 1),
        ("gorn", "gus@example.org", "gil@example.org", 0),
    )
    for side, before, player, turn in steps:
        replace_player(tmp_path, Tenure(side=side, before=before, player=player, turn=turn))
    assert [(one.side, one.before, one.player, one.turn) for one in tenures(tmp_path)] == list(steps)
    assert replaced(tmp_path) == {"klingon": "Kang <kang@example.org>", "federation": "", "gorn": "gil@example.org"}
    assert cast(tenures(tmp_path)) == {
        "klingon": "Kang <kang@example.org> since turn 6; before, Koloth since turn 3; before, Kor",
        "federation": "another player since turn 5; before, Ann",
        "gorn": "gil@example.org; before, gus@example.org since turn 1",
    }
    assert cast(tenures(tmp_path), turn=3, name=lambda player: player.partition(" ")[0]) == {
        "klingon": "Koloth since turn 3; before, Kor",
        "gorn": "gil@example.org; before, gus@example.org since turn 1",
    }
    assert cast(tenures(tmp_path), turn=2)["klingon"] == "Kor <kor@example.com>"
    # By his key in players.toml he is known, whatever else is said of him.
    moved = [Tenure(side="klingon", before="kor1", player="kor2", turn=2)]
    assert cast(moved, names={"kor1": "Kor", "kor2": "Kor"}) == {"klingon": "Kor"}
    assert cast(moved, names={"kor1": "Kor", "kor2": "Kang"}) == {"klingon": "Kang since turn 2; before, Kor"}


def test_a_demo_wants_an_example_and_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"x")
    for place in (tmp_path, tmp_path / "file"):
        with pytest.raises(GameError) as error:
            create.play_demo(place)
        assert [str(fault) for fault in error.value.faults] == [
            f"{place}: not-empty: name an empty folder or a new one for the demo"
        ]
    monkeypatch.setattr(create, "shipped_games", list)
    with pytest.raises(GameError) as error:
        create.play_demo(tmp_path / "new")
    assert [str(fault) for fault in error.value.faults] == [
        "no-example: install pbem again: its example game (turns/) is missing"
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_files_of_no_use_in_an_archive_are_told_by_name(at_break: GameFolder) -> None:
    for name in "mbxacz":
        for kind in ("ships", "scenarios"):
            (at_break.path / kind).mkdir(exist_ok=True)
            (at_break.path / kind / f"{name}.toml").write_bytes(b"")
            (at_break.path / kind / f"{name}.txt").write_bytes(b"")
    played = [unit.ship for unit in at_break.scenario().units if unit.ship]
    (at_break.path / "ships" / f"{played[0]}.toml").write_bytes(b"")
    (at_break.path / "scenarios" / f"{at_break.terms.scenario}.toml").write_bytes(b"")
    assert [str(fault) for fault in _unused_files(at_break)] == [
        f"{kind}/{name}.toml: no-use: this game does not use this file"
        for kind in ("scenarios", "ships")
        for name in "abcmxz"
    ]


def test_verify_tells_how_far_it_is(at_break: GameFolder) -> None:
    told: list[tuple[int, int]] = []
    verify(at_break, progress=lambda done, of: told.append((done, of)))
    assert told == [(0, 2), (1, 2)]


# --- forms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cloak", "since", "form", "impulses"),
    [
        (CloakState.OFF, 0, FormKind.EAF, 0),
        (CloakState.OFF, 0, FormKind.SOP, 0),
        (CloakState.CLOAKED, 1, FormKind.EAF, 1),
        (CloakState.CLOAKED, 1, FormKind.FULL, 1),
        (CloakState.CLOAKED, 1, FormKind.SOP, 1),
        (CloakState.UNCLOAKED, 17, FormKind.EAF, 1),
        (CloakState.UNCLOAKED, 1, FormKind.EAF, 0),
    ],
)
def test_how_long_weapons_are_silent_in_a_form(cloak: CloakState, since: int, form: FormKind, impulses: int) -> None:
    """A ship that is cloaked when its form asks will come out at the soonest in the turn that begins (G13.33C)."""
    state = rich()
    ship, request = state.units["Kestrel"], state.request
    assert isinstance(ship, Ship) and request is not None
    seen = altered(ship, cloak=cloak, cloak_since=since, exposed=None)
    assert _quiet(state, replace(request, form=form, turn=2), seen) == impulses


def test_a_form_at_a_break_counts_the_hexes_and_steps_that_are_left(at_break: GameFolder) -> None:
    """Speed 14 moves on every impulse but 1 and 9; klingon broke in impulse 13."""
    state, setting = at_break.state(), at_break.scenario()
    ship, request = state.units["Destruction"], state.request
    assert isinstance(ship, Ship) and request is not None
    assert (state.impulse, request.impulse, request.through, ship.speed) == (13, 13, 16, 14)
    found = []
    for step in (StepName.MOVE, StepName.LAUNCH, StepName.END):
        form = _ship(replace(state, step=step), setting, request, ship)
        found.append((step.value, form.hexes, form.opens))
    assert found == [("move", 4, 13), ("launch", 3, 13), ("end", 3, 14)]


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("my_ship-2", ""),
        ("fed_cadet_ca", "fed_cadet_ca is already the key of a ship of pbem; give yours another key"),
        ("nul", "'nul' cannot be the key of a ship: Windows uses it for a device"),
        ("My ship", "'My ship' cannot be the key of a ship: use small letters, digits, _ and - only"),
        ("a/b", "'a/b' cannot be the key of a ship: use small letters, digits, _ and - only"),
        ("", "'' cannot be the key of a ship: use small letters, digits, _ and - only"),
    ],
)
def test_keys_of_ships_of_ones_own(key: str, said: str) -> None:
    if not said:
        return _verify_key("ship", key, Path("s.toml"))
    with pytest.raises(GameError) as error:
        _verify_key("ship", key, Path("s.toml"))
    assert [str(fault) for fault in error.value.faults] == [f"s.toml: ship-key: {said}"]
    return None
