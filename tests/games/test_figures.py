"""Figures of one's own: what is not sure is listed as a file to fill in, what is filled in replaces shipped figures in
every game that is made with it, and goes with the game for good.
"""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.data import charts, files
from pbem.data.house_figures import form, read_figures, replaced_data, unsure, verify_figures
from pbem.data.scenarios import scenario
from pbem.data.ships import ship_class, ship_keys
from pbem.errors import GameError
from pbem.games.create import new
from pbem.games.proof.archive import archive, packed, read_archive
from pbem.games.proof.verify_archive import verify_archive
from pbem.games.proof.verify_game import verify
from pbem.games.resolve import resolve_game
from pbem.games.storage.opening import opened
from pbem.games.submit import submit
from pbem.reports.draft.draft import draft_for
from pbem.reports.form.form import form_html

pytestmark = pytest.mark.usefixtures("pages")

PLAYERS = {"federation": "ann@example.org", "klingon": "bob@example.org"}
OPTIONS = {"reveal": "none", "autobreaks": "none"}
EAGLE = "[ships.rom_cadet_ca]\nshields = [15, 14, 13, 12, 13, 14]\n[ships.rom_cadet_ca.boxes]\nlab = 1\n"
DUEL = "[ships.fed_cadet_ca]\nshields = [17, 12, 10, 10, 10, 12]\n[charts.phaser1]\nenergy = 1.0\n"


def folder(tmp_path: Path, **texts: str) -> Path:
    made = tmp_path / "mine"
    made.mkdir(exist_ok=True)
    for name, text in texts.items():
        (made / f"{name}.toml").write_text(text, encoding="utf-8", newline="\n")
    return made


def play_to_the_end(game: Path) -> None:
    """The Klingon gives up in the first turn."""
    with opened(game) as folder_:
        move = "SHIP Constellation\nENERGY\n  SPEED 8\nPLOT 8F\n"
        for side, said in (("federation", move), ("klingon", "CONCEDE\n")):
            submit(folder_, f"GAME {game.name} TURN 1 SIDE {side} REPLY 1\n{said}END\n", f"{side}.txt")
        resolve_game(folder_)
        assert folder_.state().over


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A duel with figures of one's own; the folder they came from is gone."""
    here = tmp_path_factory.mktemp("own figures")
    new("5", here / "g", players=PLAYERS, options=OPTIONS, seed="own figures", figures=folder(here, ships=DUEL))
    shutil.rmtree(here / "mine")
    return here / "g"


@pytest.fixture(scope="module")
def over(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, played to its end."""
    game = tmp_path_factory.mktemp("own figures over") / "g"
    shutil.copytree(made, game)
    play_to_the_end(game)
    return game


@pytest.fixture
def own_game(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "g")


# --- what is not sure -------------------------------------------------------------------------------------------------


def test_whatever_is_designed_or_from_one_source_is_listed_and_nothing_else() -> None:
    listed = {(doubt.key, doubt.figure): doubt for key in ship_keys() for doubt in unsure("ship", key)}
    assert listed["gorn_cadet_ca", "shields"].value == [16, 12, 12, 12, 12, 12]
    assert listed["gorn_cadet_ca", "shields"].confidence == "designed"
    assert listed["std_gorn_ca", "boxes.hull center"].confidence == "single"
    assert ("gorn_cadet_ca", "boxes.impulse") not in listed, "printed: all Cadet ships have 2"
    assert not [figure for key, figure in listed if key == "fed_cadet_ca"]
    known = {doubt.figure for doubt in unsure("chart", "monsters")}
    assert {"kinds.planet_killer.reach", "kinds.planet_killer.cadet", "information_needed"} <= known
    assert not {"kinds.planet_killer.speed", "kinds.planet_killer.goal_toughness"} & known
    assert unsure("chart", "boarding") == []
    assert [doubt.figure for doubt in unsure("chart", "asteroids")] == ["scale"]
    assert [doubt.figure for doubt in unsure("scenario", "1")] == ["victory.grades"]


@pytest.mark.parametrize("kind", ["ship", "chart", "scenario"])
def test_the_form_says_nothing_until_it_is_filled_in_and_then_everything(kind: str, tmp_path: Path) -> None:
    doubts = [doubt for key in files.keys(kind) for doubt in unsure(kind, key)]
    empty = form(kind, doubts)
    assert read_figures(folder(tmp_path, mine=empty)) == files.CustomFigures()
    filled = re.sub(r'(?m)^# (?=("[a-z ]+"|\w+) = )', "", empty)
    own = read_figures(folder(tmp_path, mine=filled))
    verify_figures(own)
    assert replaced_data(own) == (), "as shipped: nothing is replaced"
    with files.playing_with(own):
        assert [doubt for key in files.keys(kind) for doubt in unsure(kind, key)] == []


# --- what replaces what -----------------------------------------------------------------------------------------------


def test_figures_replace_shipped_ones_and_no_others_and_only_within_their_game(tmp_path: Path) -> None:
    more = (
        "[charts.monsters.kinds.planet_killer]\nreach = 4\n"
        '[[scenarios.5.units]]\nname = "Destruction"\nhex = "0316"\n'
        "[scenarios.8.variants.cadet]\nacceleration = 9\n"
    )
    own = read_figures(folder(tmp_path, ships=EAGLE, more=more))
    verify_figures(own)
    before = (ship_class("rom_cadet_ca"), charts.monsters(), scenario("5"), scenario("8-cadet"))
    with files.playing_with(own):
        eagle = ship_class("rom_cadet_ca")
        assert eagle.shields == (15, 14, 13, 12, 13, 14)
        assert eagle.boxes == {**before[0].boxes, "lab": 1}
        assert eagle.weapons == before[0].weapons
        assert charts.monsters().kinds["planet_killer"].reach == 4
        assert charts.monsters().kinds["sun_snake"] == before[1].kinds["sun_snake"]
        assert scenario("5").unit("Destruction").hex == "0316"
        assert scenario("5").unit("Constellation") == before[2].unit("Constellation")
        assert scenario("8-cadet").acceleration == 9
    assert (ship_class("rom_cadet_ca"), charts.monsters(), scenario("5"), scenario("8-cadet")) == before
    assert replaced_data(own) == ("chart monsters", "scenario 5", "scenario 8", "ship rom_cadet_ca")


def test_the_form_tells_the_chances_of_the_figures_a_game_is_played_with(tmp_path: Path) -> None:
    """One process makes forms of games with figures of one's own and of others, in turn: what it keeps of a chart is
    that of the game.
    """
    shipped = files.read_toml("chart", "phaser1")[0]["damage"]
    doubled = [[2 * points for points in row] for row in shipped]
    own = {"own": folder(tmp_path, mine=f"[charts.phaser1]\ndamage = {doubled}\n"), "shipped": None}
    found: dict[str, list[list[list[int]]]] = {"own": [], "shipped": []}
    for name, figures in own.items():
        new("5", tmp_path / name, players=PLAYERS, options=OPTIONS, seed="chances", figures=figures)
    for name in ("shipped", "own", "shipped", "own"):
        with opened(tmp_path / name) as game:
            state, terms = game.state(), game.scenario()
            assert state.request is not None
            draft = draft_for(state, terms, state.request, "federation")
            page = form_html(game.effective(), "federation", terms, draft)
        data = re.search(r'<script type="application/json" id="form">(.*?)</script>', page, re.DOTALL)
        assert data is not None
        held = json.loads(data[1])
        arms = held["blocks"][0]["weapons"]
        chart = held["charts"][next(one["table"] for one in arms if one["name"] == "PH 1")]
        found[name].append([row for times, *row in chart for _ in range(times)])
    assert found["own"][0] == found["own"][1]
    assert found["shipped"][0] == found["shipped"][1]
    for mine, theirs in zip(found["own"][0], found["shipped"][0], strict=True):
        assert mine == [theirs[0], 2 * theirs[1]]
    assert any(points for _, points in found["shipped"][0])


BAD = [
    ("[ship.fed_cadet_ca]\nbpv = 1\n", "ship: put figures under [ships.KEY], [charts.KEY], [scenarios.KEY]"),
    ("[ships.fed_cadet_cb]\nbpv = 1\n", "there is no ship 'fed_cadet_cb'; did you mean fed_cadet_ca?"),
    ("[charts.arcs]\nsix = []\n", "charts.arcs: this chart has no figures that can be replaced"),
    ('[ships.fed_cadet_ca]\nkey = "x"\n', "ships.fed_cadet_ca.key: is not a figure, so it cannot be replaced"),
    ("[ships.fed_cadet_ca]\nshields = [1, 2]\n", "[ships.fed_cadet_ca]: bad-data: shields: needs the six shields"),
    ("[ships.fed_cadet_ca.boxes]\nlab = -1\n", "boxes.lab: -1 is less than 0"),
    ('[ships.fed_cadet_ca.boxes]\nlab = "two"\n', 'boxes.lab: expected `int`, got `str`, and this is "two"'),
    ("[ships.fed_cadet_ca.boxes]\nlabs = 2\n", "boxes.labs: is not a system of an SSD"),
    ("[charts.boarding]\ncasualties = [[1]]\n", "casualties: needs 6 rows, one for each die, not 1"),
    ("[charts.photon]\nhit = [0, 5, 4, 3, 2]\n", "hit: needs 6 numbers, not 5"),
    (
        "[charts.phaser1]\nbrackets = [[1, 75]]\n",
        "brackets[0]: 1 to 75 must begin with 0",
    ),
    ("[charts.transporters]\nper_energy = 0\n", "per_energy: must not be 0"),
    ("[charts.labs]\nranges = [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n", "ranges[0]: -1 must be from 0 to 999"),
    ("[charts.weapons.kinds.ph9]\nrank = 1\n", "kinds: 'ph9' must be one of ph1, ph2"),
    (
        '[charts.weapons.kinds.ph1]\nlabel = "LASER"\n',
        "kinds.ph1.label: 'LASER' cannot be replaced here; it stays 'PH'",
    ),
    ("[charts.turn_modes.classes]\nA = [6, 5, 99]\n", "classes.A: the speeds must rise"),
    ('[charts.cadet_dac.printed]\ncolumns = ["A"]\n', "printed.rows[0]: needs 1 entries, not 5"),
    ('[[scenarios.5.units]]\nname = "Enterprise"\nhex = "0101"\n', "units: 'Enterprise' must be one of Constellation"),
    ('[[scenarios.5.units]]\nname = "Destruction"\nhex = "9901"\n', "hex: 9901 is not on the map"),
    ('[[scenarios.5.units]]\nname = "Destruction"\nship = "kli_d8"\n', "there is no ship 'kli_d8'"),
    ("[ships.fed_cadet_ca.tracks]\ndamcon = []\n", "tracks.damcon: needs a number for each box"),
    ("[ships.fed_cadet_ca.tracks]\nradar = [1]\n", "tracks.radar: must be one of sensor, scanner, damcon"),
    (
        '[ships.cadet_freighter]\nthresholds = [{ points = 5, effect = "slow" }]\n',
        "thresholds[0].effect: 'slow' must be destroyed",
    ),
    ("[ships.fed_cadet_ca]\nbpv = = 1\n", "is not valid TOML"),
]


@pytest.mark.parametrize(("text", "said"), BAD, ids=[said[:40] for _, said in BAD])
def test_a_figure_that_cannot_be_is_told_with_its_place_and_value_and_no_game_is_made(
    text: str, said: str, tmp_path: Path
) -> None:
    mine = folder(tmp_path, wrong=text)
    with pytest.raises(GameError) as refused:
        new("5", tmp_path / "g", players=PLAYERS, figures=mine)
    assert any(said in str(fault) for fault in refused.value.faults), refused.value
    assert all(str(mine / "wrong.toml") in str(fault.file) for fault in refused.value.faults)
    assert not (tmp_path / "g").exists()


def test_one_ship_in_two_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        GameError, match=r"ships\.rom_cadet_ca: keep the figures of one ship in one file; .*one\.toml has some too"
    ):
        read_figures(folder(tmp_path, one=EAGLE, two=EAGLE))


# --- with a game ------------------------------------------------------------------------------------------------------


def test_the_game_keeps_its_figures_whatever_becomes_of_the_folder(over: Path) -> None:
    with opened(over) as game:
        assert game.state().units["Constellation"].shields[0] == 17  # type: ignore[union-attr]
        assert verify(game).faults == ()
        assert game.terms.figures.keys() == {"ships.toml"}
    said = "Played with figures of one's own: ship fed_cadet_ca."
    sitreps = [*over.rglob("sitrep.txt"), *over.rglob("sitrep.html")]
    assert len(sitreps) == 12
    for path in sitreps:
        text = " ".join(path.read_text(encoding="utf-8").replace("&#39;", "'").split())
        assert said in text, path


def test_a_game_without_figures_says_nothing_of_them(tmp_path: Path) -> None:
    new("5", tmp_path / "g", players=PLAYERS, options=OPTIONS, seed="cli tests")
    found = [*(tmp_path / "g").rglob("events.jsonl"), *(tmp_path / "g").rglob("sitrep.html"), tmp_path / "g/game.toml"]
    assert len(found) == 5
    assert not [path for path in found if "figures" in path.read_text(encoding="utf-8")]
    assert not (tmp_path / "g" / "figures").exists()


CHANGES: list[tuple[str, Callable[[Path], object], str]] = [
    (
        "another figure",
        lambda f: f.write_text(f.read_text("utf-8").replace("17", "18"), "utf-8"),
        "restore these figures",
    ),
    ("a comment", lambda f: f.write_text(f.read_text("utf-8") + "# mine\n", "utf-8"), "restore these figures"),
    ("gone", lambda f: f.unlink(), "missing"),
    ("one more", lambda f: (f.parent / "more.toml").write_text(EAGLE, "utf-8"), "does not name them"),
]


@pytest.mark.parametrize(("what", "change", "said"), CHANGES, ids=[what for what, _, _ in CHANGES])
def test_figures_changed_after_the_fact_are_noticed(
    what: str, change: Callable[[Path], object], said: str, own_game: Path
) -> None:
    change(own_game / "figures" / "ships.toml")
    with pytest.raises(GameError, match=said) as noticed, opened(own_game) as game:
        verify(game)
    assert noticed.value.faults[0].code == "figures-changed"


def test_changed_figures_are_noticed_even_where_game_toml_is_changed_with_them(own_game: Path) -> None:
    file, terms = own_game / "figures" / "ships.toml", own_game / "game.toml"
    file.write_text(file.read_text("utf-8") + "# a comment changes no play\n", "utf-8", newline="\n")
    hashed = read_figures(own_game / "figures").digests["ships.toml"]
    terms.write_text(
        re.sub(r'(?m)^"ships.toml" = .*$', f'"ships.toml" = "{hashed}"', terms.read_text("utf-8")),
        "utf-8",
        newline="\n",
    )
    with opened(own_game) as game:
        assert [fault.code for fault in verify(game).faults] == ["replay-differs"]


def test_the_archive_has_the_figures_and_is_verified_with_them(over: Path, tmp_path: Path) -> None:
    file = tmp_path / "g.pbem.zip"
    with opened(over) as game:
        file.write_bytes(archive(game))
    assert verify_archive(file).faults == ()
    found = read_archive(file)
    assert found["figures/ships.toml"].decode() == DUEL
    with zipfile.ZipFile(file) as zipped:
        assert "ship fed_cadet_ca" in zipped.read("proof.html").decode()
        everything = {name: zipped.read(name) for name in zipped.namelist()}
    changed = {**everything, "figures/ships.toml": DUEL.replace("17", "16").encode()}
    file.write_bytes(packed(changed))
    with pytest.raises(GameError, match="differ from those the game was begun with"):
        verify_archive(file)
    file.write_bytes(packed({name: data for name, data in everything.items() if not name.startswith("figures/")}))
    with pytest.raises(GameError, match="missing"):
        verify_archive(file)
