"""A new game: what lies in its folder, and what is refused."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pbem.app.cli.output import pairs
from pbem.data.scenarios import scenario
from pbem.engine.options import Options
from pbem.engine.state import Ship
from pbem.errors import GameError
from pbem.games import create
from pbem.games.create import new
from pbem.games.proof.verify_game import verify
from pbem.games.storage.opening import opened
from pbem.games.storage.players import version_spans
from pbem.games.storage.terms import read_options, read_terms
from pbem.games.submit import check

pytestmark = pytest.mark.usefixtures("pages")

HUMANS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
ROOT = Path(__file__).resolve().parents[2]


def codes(error: pytest.ExceptionInfo[GameError]) -> list[str]:
    return [fault.code for fault in error.value.faults]


def test_a_new_game_asks_both_sides_and_hides_its_secret(duel: Path) -> None:
    with opened(duel) as game:
        request = game.state().request
        assert version_spans(game) == (), "nothing is played yet, by no version"
    assert request is not None
    assert (request.form, request.turn, request.number, request.sides) == ("EAF", 1, 1, ("federation", "klingon"))
    secret = (duel / "secret" / "dice.secret").read_text().strip()
    for side in ("federation", "klingon"):
        assert {path.name for path in (duel / "01/r1" / side).iterdir()} == {
            "sitrep.txt", "sitrep.html", "mail.eml", "orders.draft", "orders.html"
        }  # fmt: skip
    shown = [path for path in duel.rglob("*") if path.is_file() and path.parent.name != "secret"]
    assert not any(secret.encode() in path.read_bytes() for path in shown)


def test_the_same_seed_makes_the_same_game_byte_for_byte(tmp_path: Path, snapshot: object) -> None:
    assert callable(snapshot)
    for name in ("one", "two"):
        new("5", tmp_path / name, players=HUMANS, name="duel", seed="same")
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two")
    terms = read_terms((tmp_path / "one/game.toml").read_bytes(), "one")
    assert terms.dice.scheme == 1, "the first one: what a seed makes is the same for ever"


def test_an_empty_folder_that_is_there_already_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "game").mkdir()
    for left in (".game.0a1b2c3d", ".games.0a1b2c3d"):
        (tmp_path / f"{left}{create._BUILDING}" / "secret").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "game")
    new("5", Path(), players=HUMANS)
    assert (tmp_path / "game" / "game.toml").is_file()
    left = f".games.0a1b2c3d{create._BUILDING}"
    assert sorted(path.name for path in tmp_path.iterdir()) == [left, "game"], "of one that was stopped nothing stays"


def test_where_all_but_game_toml_had_come_in_the_next_attempt_begins_anew(tmp_path: Path) -> None:
    """What a `pbem new` left that was stopped in its last move; beside a file of somebody's own nothing is done."""
    game = tmp_path / "game"
    for name in create._PARTS:
        (game / name).mkdir(parents=True)
    (game / create._ARRIVING).touch()
    (game / "mine.txt").touch()
    with pytest.raises(GameError) as refused:
        new("5", game, players=HUMANS)
    assert codes(refused) == ["not-empty"]
    (game / "mine.txt").unlink()
    new("5", game, players=HUMANS)
    assert sorted(path.name for path in game.iterdir()) == ["00", "01", "game.toml", "secret"]


def test_without_a_seed_every_game_has_dice_of_its_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        new("5", tmp_path / name, players=HUMANS, name="duel")
    terms = [read_terms((tmp_path / name / "game.toml").read_bytes(), name).dice for name in ("one", "two")]
    assert terms[0] != terms[1] and [one.scheme for one in terms] == [2, 2], "the newest"


def test_a_folder_of_somebodys_own_is_not_taken_for_a_new_game_that_was_stopped(tmp_path: Path) -> None:
    """Though it bears the name of one of a game's folders."""
    (tmp_path / "game" / "ships").mkdir(parents=True)
    with pytest.raises(GameError) as error:
        new("5", tmp_path / "game", players=HUMANS)
    assert codes(error) == ["not-empty"]
    assert [path.name for path in (tmp_path / "game").iterdir()] == ["ships"]


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "game").mkdir()
    (tmp_path / "game" / "letter.txt").write_text("mine")
    with pytest.raises(GameError) as error:
        new("5", tmp_path / "game", players=HUMANS)
    assert codes(error) == ["not-empty"]
    assert [path.name for path in (tmp_path / "game").iterdir()] == ["letter.txt"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"scenario": "55"}, "unknown-scenario"),
        ({"players": {"romulan": "x"}}, "unknown-side"),
        ({"ships": {"Enterprise": "fed_cadet_ca"}}, "unknown-role"),
        ({"ships": {"klingon": "no_such_ship"}}, "unknown-ship"),
        ({"units": ("Fire",)}, "unknown-unit"),
        ({"teams": {"klingon": "federation"}}, "one-team"),
        ({"name": "a game"}, "game-name"),
        ({"options": {"period": "never"}}, "option"),
        ({"options": {"perod": "half"}}, "option"),
        ({"options": {"autobreaks": "ANY SNEEZES"}}, "option"),
        ({"options": {"sideslip": "perhaps"}}, "option"),
        ({"options": {"autobreaks": "romulan: ANY FIRES HEAVY"}}, "option"),
    ],
)
def test_what_does_not_fit_is_named_and_no_folder_appears(
    tmp_path: Path, changes: dict[str, object], code: str
) -> None:
    wanted: dict[str, object] = {"scenario": "5", "players": HUMANS, **changes}
    scenario = wanted.pop("scenario")
    with pytest.raises(GameError) as error:
        new(str(scenario), tmp_path / "game", **wanted)  # type: ignore[arg-type]
    assert code in codes(error)
    assert list(tmp_path.iterdir()) == []
    assert not [fault.file for fault in error.value.faults if str(tmp_path) in fault.file], "nothing lies there to see"


def test_options_are_read_as_typed() -> None:
    options = read_options(
        {"period": "half", "sideslip": "no", "autobreaks": "klingon: ANY FIRES HEAVY; ENEMY LAUNCHES SEEKER"}
    )
    assert (options.period, options.sideslip) == ("half", False)
    assert [(auto.side, auto.when) for auto in options.autobreaks] == [
        ("klingon", "ANY FIRES HEAVY"), ("all", "ENEMY LAUNCHES SEEKER")
    ]  # fmt: skip
    assert read_options({"autobreaks": "none"}).autobreaks == ()


def test_each_word_for_yes_and_no_says_so_for_each_option() -> None:
    usual = Options()
    switches = [name for name, value in msgspec.structs.asdict(usual).items() if isinstance(value, bool)]
    assert len(switches) >= 3
    for name in switches:
        for word in ("yes", "true", "on", "YES", "True"):
            assert getattr(read_options({name: word}), name) is True
        for word in ("no", "false", "off", "NO", "False"):
            assert getattr(read_options({name: word}), name) is False
    assert read_options({}) == usual
    for word in ("yes", "no", "on", "OFF"):
        with pytest.raises(GameError, match=f"period must be turn, half or 1 to 32 impulses, not {word!r}"):
            read_options({"period": word})
    for given in (dict.fromkeys(switches, "on"), dict.fromkeys(switches, "off")):
        assert [getattr(read_options(given), name) for name in switches] == [given[switches[0]] == "on"] * len(switches)


def test_breaks_for_everybody_are_read_as_typed() -> None:
    for typed, read in {
        "NONE": (), "": (), "none": (), "ANY FIRES HEAVY": (("all", "ANY FIRES HEAVY"),),
        " IMPULSE 8 ; ; all : IMPULSE 9;": (("all", "IMPULSE 8"), ("all", "IMPULSE 9")),
        "klingon:#1 DOWN": (("klingon", "#1 DOWN"),),
    }.items():  # fmt: skip
        assert tuple((one.side, one.when) for one in read_options({"autobreaks": typed}).autobreaks) == read


def test_the_robot_of_scenario_4_owes_nothing_and_optional_ships_come_when_asked(tmp_path: Path) -> None:
    new("4", tmp_path / "dakota", players={"federation": "ann", "klingon": "robot"}, units=("Fire",))
    with opened(tmp_path / "dakota") as game:
        state = game.state()
    assert state.request is not None
    assert (state.request.sides, state.request.form) == (("federation",), "FULL")
    assert "Fire" in state.units


def test_a_ship_that_may_turn_as_it_likes_stands_as_its_owner_says(tmp_path: Path) -> None:
    stand = {}
    for facing in ("", "b"):
        folder = tmp_path / f"hunt{facing}"
        chosen = {"Constellation": facing} if facing else None
        new("11", folder, players={"federation": "ann"}, facings=chosen, seed="1")
        with opened(folder) as game:
            stand[facing] = game.state().units["Constellation"].facing
    assert stand == {"": "D", "b": "B"}


def test_a_users_own_ship_and_scenario_go_with_the_game(tmp_path: Path) -> None:
    """They are copied, so the folder can be moved and the originals thrown away."""
    own = tmp_path / "own"
    own.mkdir()
    ship = (ROOT / "pbem/data/ships/cadet/kli_cadet_d6.toml").read_text(encoding="utf-8")
    (own / "my_d6.toml").write_text(ship.replace('key = "kli_cadet_d6"', 'key = "my_d6"'), encoding="utf-8")
    scenario = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    scenario = scenario.replace('"kli_cadet_d6"', '"my_d6.toml"').replace('"2801"', '"2703"')
    (own / "ambush.toml").write_text(scenario, encoding="utf-8")
    new(str(own / "ambush.toml"), tmp_path / "game", players=HUMANS)
    for path in own.iterdir():
        path.unlink()
    (tmp_path / "game").rename(tmp_path / "moved")
    with opened(tmp_path / "moved") as game:
        ships = game.state().units
        assert ships["Constellation"].hex == "2703"
        assert isinstance(klingon := ships["Destruction"], Ship) and klingon.ship == "my_d6"
        assert verify(game).faults == ()


@pytest.mark.parametrize(
    ("was", "written", "said"),
    [
        ('"fed_cadet_ca"', '"fed_cadet_xx"', "units[0].ship: there is no ship 'fed_cadet_xx' and no such file"),
        ("impulses = 16", "impulses = 12", "impulses: is 12; it must be one of 8, 16, 32"),
        ("impulses = 16", 'impulses = "16"', "impulses: is '16'; it must be one of 8, 16, 32"),
        ('["0101", "2817"]', '["2817", "0101"]', "map: 0101 must be the lower right corner;"),
        ('team = "klingon"', 'team = "federation"', "sides: all are in team 'federation'; a duel needs two teams"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_users_own_scenario_is_told_with_its_place(
    tmp_path: Path, was: str, written: str, said: str
) -> None:
    text = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(text.replace(was, written), encoding="utf-8")
    with pytest.raises(GameError) as error:
        new(str(own), tmp_path / "game", players=HUMANS)
    assert any(fault.text.startswith(said) and fault.file == str(own) for fault in error.value.faults), error.value
    assert not (tmp_path / "game").exists()


def test_names_are_composed_however_a_file_spells_them(tmp_path: Path) -> None:
    """macOS takes ö apart; orders say it in one letter."""
    scenario = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(scenario.replace('"Destruction"', '"Ko\u0308nigsberg"'), encoding="utf-8")
    typed = pairs(["Ko\u0308nigsberg=kli_cadet_d6"], "--ship")
    new(str(tmp_path / "own.toml"), tmp_path / "game", players=HUMANS, ships=typed)
    with opened(tmp_path / "game") as game:
        assert "K\u00f6nigsberg" in game.state().units
        assert game.terms.ships == {"K\u00f6nigsberg": "kli_cadet_d6"}
        assert verify(game).faults == ()


@pytest.mark.parametrize("name", ["con", "NUL", "com1", "Lpt9", "aux"])
def test_no_new_game_is_called_as_a_device(tmp_path: Path, name: str) -> None:
    with pytest.raises(GameError, match="Windows uses it for a device") as error:
        new("5", tmp_path / "games" / name, players=HUMANS)
    assert codes(error) == ["game-name"] and list(tmp_path.iterdir()) == []
    new("5", tmp_path / "game", players=HUMANS)
    terms = (tmp_path / "game/game.toml").read_text(encoding="utf-8").replace('name = "game"', f'name = "{name}"')
    assert read_terms(terms.encode(), "game.toml").name == name, "games that are called so are read"


@pytest.mark.parametrize(
    "name", ["", "War\\nBird", " War", "War  Bird", "\u202eWar", "W" * 41, "KD/1", "constellation"]
)
def test_a_unit_must_have_a_name_that_orders_can_say(tmp_path: Path, name: str) -> None:
    scenario = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(scenario.replace('name = "Destruction"', f'name = "{name}"'), encoding="utf-8")
    with pytest.raises(GameError) as error:
        new(str(own), tmp_path / "game", players=HUMANS)
    assert codes(error) == ["unit-name"]
    assert list(tmp_path.iterdir()) == [own]


@pytest.mark.parametrize("name", ["Fire", "5", "END", 'a\\"b', "<script>alert(1)</script>", "../../etc", "Ümläut"])
def test_any_other_name_is_written_so_that_it_is_read(tmp_path: Path, name: str) -> None:
    scenario = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(scenario.replace('name = "Destruction"', f'name = "{name}"'), encoding="utf-8")
    new(str(own), tmp_path / "game", players=HUMANS)
    with opened(tmp_path / "game") as game:
        draft = (tmp_path / "game/01/r1/klingon/orders.draft").read_text(encoding="utf-8")
        assert check(game, draft, "draft").side == "klingon"


def test_a_wrong_option_is_told_with_the_right_ones() -> None:
    with pytest.raises(GameError) as error:
        read_options({"capacitor": "9", "sideslip": "perhaps", "speed": "3"})
    first, second, third = (fault.text for fault in error.value.faults)
    assert (first, second) == ("capacitor is empty or full, not '9'", "sideslip is yes or no, not 'perhaps'")
    assert "capacitor" in third


def test_a_team_of_its_own_makes_allies(tmp_path: Path) -> None:
    players = {"orion": "ann@example.org", "defender": "kor@example.org"}
    new("8", tmp_path / "pact", players=players, teams={"convoy": "orion"})
    with opened(tmp_path / "pact") as game:
        state = game.state()
        assert not state.enemies("convoy", "orion")
        assert state.enemies("convoy", "defender")


def test_what_windows_takes_for_a_device_names_no_file(tmp_path: Path) -> None:
    ship = (ROOT / "pbem/data/ships/cadet/kli_cadet_d6.toml").read_text(encoding="utf-8")
    (tmp_path / "mine.toml").write_text(ship.replace('key = "kli_cadet_d6"', 'key = "aux"'), encoding="utf-8")
    with pytest.raises(GameError) as error:
        new("5", tmp_path / "game", players=HUMANS, ships={"klingon": str(tmp_path / "mine.toml")})
    assert codes(error) == ["ship-key"]
    scenario = (ROOT / "pbem/data/scenarios/5.toml").read_text(encoding="utf-8")
    (tmp_path / "own.toml").write_text(
        scenario.replace('"klingon"', '"Con"')
        .replace('race = "Con"', 'race = "klingon"')
        .replace("\nklingon =", "\nCon ="),
        encoding="utf-8",
    )
    with pytest.raises(GameError) as error:
        new(str(tmp_path / "own.toml"), tmp_path / "game", players={})
    assert codes(error) == ["side-name"]
    assert not (tmp_path / "game").exists()


@pytest.mark.parametrize(("names", "said"), [
    (("federation", "klingon"), ""), (("red", "blue_2-x"), ""),
    (("red", "Red"), "two names differ only in capital letters"),
    (("red", "umpire"), "'umpire' cannot be the name of a side"),
    (("ALL", "blue"), "'ALL' cannot be the name of a side"),
    (("red", "blue sky"), "'blue sky' cannot be the name of a side"), (("", "blue"), "'' cannot be the name of a side"),
    (("red", "blue/2"), "'blue/2' cannot be the name of a side"),
    (("nul", "blue"), "'nul' cannot be the name of a side: Windows uses it for a device"),
])  # fmt: skip
def test_a_side_has_a_name_that_a_file_may_have(names: tuple[str, str], said: str) -> None:
    found = scenario("5")
    sides = tuple(msgspec.structs.replace(side, name=name) for side, name in zip(found.sides, names, strict=True))
    try:
        create._verify_sides(msgspec.structs.replace(found, sides=sides), Options(autobreaks=()))
    except GameError as error:
        assert said and said in str(error)
    else:
        assert not said


def test_a_grid_is_even_or_odd(tmp_path: Path) -> None:
    with pytest.raises(GameError) as error:
        new("5", tmp_path / "game", players=HUMANS, grid="square")
    assert codes(error) == ["option"] and "grid must be even or odd, not 'square'" in str(error.value)
    assert not (tmp_path / "game").exists()
