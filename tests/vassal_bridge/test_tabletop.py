"""Units on the VASSAL table and back, with a real module file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pbem.data.scenarios import scenario
from pbem.engine.dice import SegmentDice
from pbem.engine.events import Adjusted
from pbem.engine.log import apply
from pbem.engine.options import Options
from pbem.engine.play.resolve import Filed, resolve
from pbem.engine.play.setup import set_up
from pbem.engine.state import AnyUnit, Monster, Planet, Ship, Shuttle, State
from pbem.errors import GameError
from pbem.vassal_bridge.binding import binding_text, read_binding
from pbem.vassal_bridge.export import export_game, open_module
from pbem.vassal_bridge.hexmap import HexMap
from pbem.vassal_bridge.import_positions import import_positions, open_save
from pbem.vassal_bridge.propose import propose
from vassal.save import read_save
from vassal.write import Change, update

replace = msgspec.structs.replace
MODULE = Path(__file__).parent.parent / "vassal" / "data" / "HexSpaceTest.vmod"

FEDERATION = """SHIP Constellation
ENERGY
  SPEED 12; PHOT A 2; PHASERS 3
PLOT 12F
"""
KLINGON = """SHIP Destruction
ENERGY
  SPEED 12; DISR A 2
PLOT 12F
DO
  AT 1 LAUNCH DRONE 1 AT Constellation
"""


@pytest.fixture(scope="module")
def played() -> State:
    """Scenario #5 after a quiet turn: two ships and a drone, with a secret target."""
    options = Options(reveal="none", autobreaks=(), targets="secret")
    began = set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"}, options=options)
    answers = {"federation": Filed(text=FEDERATION), "klingon": Filed(text=KLINGON)}
    return resolve(began.state, scenario("5"), answers, SegmentDice(b"table")).state


def test_every_unit_gets_a_counter_where_it_stands(played: State, tmp_path: Path) -> None:
    module = open_module(MODULE)
    done = export_game(played, module)
    done.save.write(tmp_path / "turn.vsav")
    save = read_save(tmp_path / "turn.vsav")
    layout = module.map(done.binding.map).layout()
    there = {piece.id: piece for piece in save.pieces}
    assert not done.left_out
    for unit in played.in_play():
        piece = there[f"pbem-{unit.name}"]
        assert layout.location((piece.x, piece.y)) == unit.hex
        turns = piece.piece.rotators[0]
        assert turns.facing * 360 // turns.facings == "ABCDEF".index(unit.facing) * 60
        assert unit.name in piece.piece.labels[0].text
    assert "\nDestruction  " in save.public_notes
    assert not save.players


def test_no_secret_goes_to_the_table(played: State) -> None:
    """The drone's target, what is armed and what was ordered stay out of a file that an opponent opens (FD1.2)."""
    text = export_game(played, open_module(MODULE)).save.text
    drone = next(unit for unit in played.seekers())
    assert drone.target == "Constellation"
    line = next(line for line in text.split("\x1b") if line.startswith("+/pbem-KD"))
    assert "Constellation" not in line
    for secret in ("arming", "armed", "powered", "LAUNCH", "ENERGY"):
        assert secret not in text


def test_what_was_exported_comes_back_unchanged(played: State, tmp_path: Path) -> None:
    module = open_module(MODULE)
    done = export_game(played, module)
    done.save.write(tmp_path / "turn.vsav")
    found = import_positions(played, open_save(tmp_path / "turn.vsav"), module, done.binding)
    assert found.moved == ()
    assert set(found.unchanged) == {unit.name for unit in played.in_play()}
    assert found.faults == ()


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("", "beside the hexes of the map"),
        ("offboard", "beside the hexes of the map"),
        ("Base", "at Base, which is not on the game's map"),
        ("9901", "at 9901, which is not on the game's map"),
        # What a module may call a place that is no hex: parts of these read as columns and rows of the map.
        ("101", "at 101, which is not on the game's map"),
        ("01010", "at 01010, which is not on the game's map"),
    ],
)
def test_a_counter_that_stands_on_no_hex_of_the_game_is_told(
    played: State, monkeypatch: pytest.MonkeyPatch, where: str, told: str
) -> None:
    module = open_module(MODULE)
    done = export_game(played, module)
    monkeypatch.setattr(HexMap, "location", lambda self, point: where)
    found = import_positions(played, done.save, module, done.binding)
    assert (found.moved, found.unchanged) == ((), ())
    assert set(found.faults) == {f"{unit.name}: its counter is {told}" for unit in played.in_play()}


def test_a_counter_that_was_moved_and_turned_is_shown_with_what_the_rules_say(played: State, tmp_path: Path) -> None:
    module = open_module(MODULE)
    done = export_game(played, module)
    ship = played.units["Constellation"]
    assert isinstance(ship, Ship)
    layout = module.map(done.binding.map).layout()
    piece = done.save.piece("pbem-Constellation")
    turned = piece.piece.rotators[0]
    from vassal.pieces.piece import Look

    moved = update(
        done.save,
        {
            piece.id: Change(
                look=Look(facing=(turned.facing + turned.facings // 2) % turned.facings), at=layout.pixel("1212")
            )
        },
    )
    moved.write(tmp_path / "moved.vsav")
    found = import_positions(played, open_save(tmp_path / "moved.vsav"), module, done.binding)
    [difference] = found.moved
    assert (difference.unit, difference.now) == ("Constellation", ship.at)
    assert difference.then[:4] == "1212"
    assert difference.then[4:] == "ABCDEF"[("ABCDEF".index(ship.facing) + 3) % 6]
    assert any("C1.1" in remark for remark in difference.remarks)
    assert any("C3.1" in remark for remark in difference.remarks)


def test_a_hex_the_module_does_not_have_is_left_out_and_named() -> None:
    began = set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"})
    done = export_game(began.state, open_module(MODULE))
    assert [line for line in done.left_out if "Constellation" in line and "2801" in line]
    assert [piece.id for piece in done.save.pieces] == ["pbem-Destruction"]
    assert "Constellation  2801E" in done.save.public_notes


def test_a_binding_is_read_back_and_its_faults_are_named() -> None:
    began = set_up(scenario("5"), "duel", players={"federation": "Ann", "klingon": "Kor"})
    module = open_module(MODULE)
    binding = propose(began.state, module)
    assert read_binding(binding_text(binding), "vassal.toml") == binding
    assert binding.counters["Constellation"] != binding.counters["Destruction"]
    with pytest.raises(GameError, match=r"vassal\.toml"):
        read_binding('map = "x"\ncountres = {}\n', "vassal.toml")
    nothing = read_binding('map = "Tactical Map"\n[counters]\n"Constellation" = "no such counter"\n', "vassal.toml")
    with pytest.raises(GameError, match="no such counter"):
        export_game(began.state, module, nothing)


def test_a_file_that_is_no_save_is_a_fault_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "noise.vsav").write_bytes(b"\x00noise" * 99)
    with pytest.raises(GameError, match=r"noise\.vsav"):
        open_save(tmp_path / "noise.vsav")
    with pytest.raises(GameError, match=r"none\.vmod"):
        open_module(tmp_path / "none.vmod")


def test_shuttles_and_monsters_get_counters_and_planets_stay(played: State, tmp_path: Path) -> None:
    """A suicide shuttle looks like any other (J2.222); a planet has no counter where the module has none for it."""
    plain = Shuttle(name="FS/1", side="federation", race="federation", hex="1010", facing="B", launcher="", launched=0)
    units: dict[str, AnyUnit] = {
        **played.units,
        "FS/1": plain,
        "FS/2": replace(plain, name="FS/2", hex="1110", target="Destruction", bomb=18),
        "Eel": Monster(name="Eel", side="monster", race="civilian", hex="0909", facing="C", monster="moray_eel"),
        "Rigel": Planet(name="Rigel", side="", race="", hex="1008", facing="A", hexes=("1008",)),
    }
    state = replace(played, units=units, asteroids=("0505",))
    module = open_module(MODULE)
    done = export_game(state, module)
    done.save.write(tmp_path / "turn.vsav")
    there = {piece.id: piece for piece in read_save(tmp_path / "turn.vsav").pieces}
    assert there["pbem-FS/1"].name.split(" (")[0] == there["pbem-FS/2"].name.split(" (")[0]
    assert "pbem-Eel" in there and "pbem-Rigel" not in there and "Rigel" not in done.binding.counters
    assert "Rigel  1008\n" in done.save.public_notes and "asteroids  0505" in done.save.public_notes
    assert "18" not in "".join(label.text for label in there["pbem-FS/2"].piece.labels)
    found = import_positions(state, open_save(tmp_path / "turn.vsav"), module, done.binding)
    assert (found.moved, found.missing, found.faults) == ((), (), ())
    assert {"FS/1", "FS/2", "Eel"} <= set(found.unchanged)


def test_a_shuttle_set_down_elsewhere_has_taken_off() -> None:
    landed = Shuttle(
        name="FS/1", side="a", race="federation", hex="1008", facing="A", launcher="", launched=0, landed="Rigel"
    )
    state = apply(State(units={"FS/1": landed}), Adjusted(unit="FS/1", at="1009B", why="taken from a save"))
    moved = state.units["FS/1"]
    assert isinstance(moved, Shuttle) and (moved.at, moved.landed) == ("1009B", "")
