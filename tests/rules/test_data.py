"""The data files: all load, every figure has a source.

And errors in a user's own file are told with their place.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from time import process_time

import pytest

from pbem.data import charts, files, scenarios, ships
from pbem.data.chart_types import Ranged
from pbem.errors import GameError
from pbem.rules import hexes

EVERY = [(kind, key) for kind in files.FOLDERS for key in files.keys(kind)]


@pytest.mark.parametrize(("kind", "key"), EVERY)
def test_every_file_says_where_its_figures_come_from(kind: str, key: str) -> None:
    raw, _ = files.read_toml(kind, key)
    assert len(raw["source"]) > 5
    assert raw["confidence"] in ("printed", "cross-checked", "single", "designed")


@pytest.mark.parametrize("key", charts.chart_keys())
def test_every_chart_loads(key: str) -> None:
    chart = charts.chart(key)
    if isinstance(chart, Ranged):
        edges = [edge for bracket in chart.brackets for edge in bracket]
        assert edges == sorted(edges)
        assert edges[0] == 0
        assert all(low == high + 1 for (_, high), (low, _) in zip(chart.brackets, chart.brackets[1:], strict=False))


@pytest.mark.parametrize("key", ships.ship_keys())
def test_every_ship_loads_with_usable_weapons(key: str) -> None:
    ship = ships.ship_class(key)
    assert ship.key == key
    assert len(ship.shields) == 6
    assert ship.turn_modes
    for weapon in ship.weapons:
        assert hexes.arcs_of(ship.arc(weapon.name))


def test_the_two_cruisers_of_the_cadet_game() -> None:
    fed, d6 = ships.ship_class("fed_cadet_ca"), ships.ship_class("kli_cadet_d6")
    assert fed.shields == (16, 12, 10, 10, 10, 12)
    assert d6.shields == (16, 12, 8, 8, 8, 12)
    assert {w.name: w.arc for w in fed.weapons} == {
        "PH 1": "FA", "PH 2": "LS", "PH 3": "RS", "PHOT A": "FA", "PHOT B": "FA",
    }  # fmt: skip
    assert {w.name: w.arc for w in d6.weapons} == {
        "PH 1": "FX", "PH 2": "FX", "PH 3": "L+LR", "PH 4": "R+RR", "DISR A": "FA", "DISR B": "FA", "DRONE 1": "360",
    }  # fmt: skip
    assert (d6.weapon("DRONE 1").ammo, d6.drone_limit, d6.drone_control, d6.damcon) == (4, 1, 6, 0)
    assert ships.ship_class("std_kli_d7").drone_limit == 1
    assert ships.ship_class("std_kzi_cs").drone_limit == 4


@pytest.mark.parametrize("key", scenarios.scenario_keys())
def test_every_scenario_loads_and_its_ships_exist(key: str) -> None:
    found = scenarios.scenario(key)
    assert found == scenarios.scenario(f"#{key}")
    for unit in found.units:
        assert ships.ship_class(unit.ship).key == unit.ship
        assert hexes.on_map(unit.hex, found.map)
        assert found.side(unit.side).name == unit.side


def test_scenario_4_is_won_by_the_right_edge() -> None:
    four = scenarios.scenario("4")
    assert (four.side("federation").leaving, four.side("federation").exits) == ("destroyed", ("28",))
    assert four.side("klingon").leaving == "forbidden"
    assert [unit.name for unit in four.units if unit.optional] == ["Fire", "Death"]
    assert four.unit("SS Dakota").immobile
    assert four.robot_allowed
    assert four.victory.confidence == "designed"


def own_ship(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = files.locate("ship", "fed_cadet_ca").read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def test_a_ship_of_one_s_own_works_by_its_path(tmp_path: Path) -> None:
    path = own_ship(tmp_path, ('key = "fed_cadet_ca"', 'key = "mine"'), ("impulse = 2", "impulse = 3"))
    assert ships.ship_class(path).boxes["impulse"] == 3
    path = own_ship(tmp_path, ('move_cost = "1"', 'move_cost = "2/3"'))
    assert ships.ship_class(path).move_cost * 3 == 2
    assert ships.ship_class(path).boxes["impulse"] == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('arc = "LS"', 'arc = "XX"', "weapons[1].arc: 'XX'"),
        ('arc = "LS"', "arc = 3", "weapons[1].arc: "),
        ('arc = "LS"', 'arch = "LS"', "weapons[1].arch: is not a known field; did you mean arc?"),
        ('kind = "photon"', 'kind = "foton"', "weapons[3].kind: 'foton'"),
        ('id = "2"', 'id = "1"', "weapons[1].id: there are two weapons PH 1"),
        ("impulse = 2", "impulse = -2", "boxes.impulse: -2"),
        ("impulse = 2", "impulse = 1000000000", "boxes.impulse: 1000000000 is too large"),
        ("shields = [16, ", "shields = [99999, ", "shields[0]: 99999 is too large"),
        ('move_cost = "1"', 'move_cost = "1e99999999"', "move_cost: '1e99999999' is not a number"),
        ('name = "Federation Cadet cruiser"', 'name = "War\\u202eBird"', "name: needs 1 to 80 visible"),
        ("impulse = 2", "impuls = 2", "boxes.impuls: "),
        ("impulse = 2", 'impulse = "two"', "boxes.impulse: "),
        ("shields = [16, ", "shields = [", "shields: needs the six shields"),
        ('race = "federation"', 'race = "vulcan"', "race: 'vulcan'"),
        ('move_cost = "1"', 'move_cost = "one"', "move_cost: "),
        ('name = "Federation Cadet cruiser"', "", "name: is missing"),
        ('confidence = "cross-checked"', 'confidence = "sure"', "confidence: "),
    ],
)
def test_an_error_in_a_file_is_told_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = own_ship(tmp_path, (old, new))
    with pytest.raises(GameError) as refused:
        ships.ship_class(path)
    assert any(fault.text.startswith(said) for fault in refused.value.faults), refused.value
    assert {fault.file for fault in refused.value.faults} == {str(path)}


def test_all_errors_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = own_ship(
        tmp_path, ("impulse = 2", 'impulse = "two"'), ('level = "cadet"', "level = 7"), ("excess = 3", "excess = []")
    )
    with pytest.raises(GameError) as refused:
        ships.ship_class(path)
    assert sorted(fault.text.split(":")[0] for fault in refused.value.faults) == [
        "boxes.excess",
        "boxes.impulse",
        "level",
    ]


@pytest.mark.parametrize("name", ["1" * 10_000, "9" * 300, "x" * 10_000, "a\0b", "../../x", "con", "[" * 300])
def test_a_name_that_no_file_can_have_is_told_in_a_short_sentence(name: str) -> None:
    for read in (scenarios.scenario, ships.ship_class):
        with pytest.raises(GameError, match="there is no") as told:
            read(name)
        assert len(str(told.value)) < 1_500


def test_a_toml_file_may_be_so_long_and_no_longer() -> None:
    assert files.parse_toml("#" * files.MOST_TOML) == {}
    assert files.parse_toml("a." * 30 + "b = 1")["a"] and files.parse_toml('a = "' + "so it goes. " * 99 + '"')
    for text, why in (
        ("#" * (files.MOST_TOML + 1), "has more than"), ("a = " + "[" * 50_000, "nested too deep"),
        ("a = " + "{b=" * 50_000, "nested too deep"), ("a = " + "9" * 50_000, "a value is not allowed"),
        ("a." * 100_000 + "b = 1\na = 2", "too many parts"), ("[" + "a . " * 41 + "b]", "too many parts"),
        ('["a"' + "." + "'b'.c." * 20_000 + "d]", "too many parts"),
    ):  # fmt: skip
        started = process_time()
        with pytest.raises(files.NotToml, match=why):
            files.parse_toml(text)
        assert process_time() - started < 2


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(GameError, match="fed_cadet_ca") as near:
        ships.ship_class("fed_cadet_cb")
    assert near.value.faults[0].code == "unknown-ship"
    with pytest.raises(GameError, match="there is no ship file"):
        ships.ship_class(tmp_path / "none.toml")
    with pytest.raises(GameError, match=r"there is no ship file .*/none\.toml") as long:
        ships.ship_class("/".join(["a folder"] * 200) + "/none.toml")
    assert len(long.value.faults[0].text) < 300
    broken = tmp_path / "broken.toml"
    broken.write_bytes(b"key = \x00")
    with pytest.raises(GameError, match="TOML"):
        ships.ship_class(broken)
    broken.write_bytes(b"key = \xff\xfe")
    with pytest.raises(GameError, match="UTF-8"):
        scenarios.scenario(broken)
    with pytest.raises(GameError, match=r"units\[0\]\.hex"):
        text = files.locate("scenario", "5").read_text(encoding="utf-8").replace('hex = "2801"', 'hex = "2901"')
        broken.write_text(text, encoding="utf-8")
        scenarios.scenario(broken)


def test_a_file_is_the_same_as_what_is_loaded_from_it() -> None:
    raw = tomllib.loads(files.locate("ship", "kli_cadet_d6").read_text(encoding="utf-8"))
    ship = ships.ship_class("kli_cadet_d6")
    assert ship.boxes == raw["boxes"]
    assert list(ship.boxes) == list(raw["boxes"])
    assert [weapon.kind for weapon in ship.weapons] == [weapon["kind"] for weapon in raw["weapons"]]
